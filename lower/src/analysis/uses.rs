//! Use counts: how often the instructions and terminators of a function's layout use each value.

use crate::ir::{Function, Value};

/// The number of uses of each value. Values that were made later have none.
pub struct Uses(Vec<u32>);

impl Uses {
    /// Counts the uses in a function.
    pub fn new(function: &Function) -> Uses {
        let mut uses = vec![0; function.values.len()];
        for &block in &function.layout {
            let data = &function.blocks[block];
            let mut count = |value: Value| uses[value.0 as usize] += 1;
            data.insts.iter().for_each(|inst| function.insts[*inst].kind.each_value(&mut count));
            data.term.each_value(count);
        }
        Uses(uses)
    }

    /// The number of uses of a value.
    #[inline]
    pub fn count(&self, value: Value) -> u32 {
        self.0.get(value.0 as usize).copied().unwrap_or(0)
    }

    /// Returns whether a value has exactly one use.
    #[inline]
    pub fn is_single(&self, value: Value) -> bool {
        self.count(value) == 1
    }
}

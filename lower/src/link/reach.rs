//! Reachability from the kernels of all modules. An executable needs definitions only for reachable symbols. Programs contain functions
//! that no kernel uses, and some of these call functions that are defined only on other devices.

use super::LinkError;
use super::module::Input;
use super::operands::for_each_id;
use super::symbols::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::Instruction;

/// The symbols that an entry point's function reaches by calls, variables and their initialisers.
///
/// # Errors
/// Damaged instructions.
pub(super) fn reached(
    inputs: &[Input<'_>],
    aliases: &FxHashMap<Place, Place>,
) -> Result<FxHashSet<Place>, LinkError> {
    let mut walk = Walk { inputs, aliases, seen: FxHashSet::default(), open: Vec::new() };
    for (module, input) in inputs.iter().enumerate() {
        for entry in &input.entries {
            walk.meet((module, entry.word(1)?));
        }
    }
    while let Some((module, id)) = walk.open.pop() {
        let input = &inputs[module];
        if let Some(function) = input.function_at.get(&id).and_then(|i| input.functions.get(*i)) {
            function.instructions.iter().try_for_each(|inst| walk.through(module, inst))?;
        } else if let Some(global) = input.global(id) {
            walk.through(module, global)?;
        }
    }
    Ok(walk.seen)
}

struct Walk<'a> {
    inputs: &'a [Input<'a>],
    aliases: &'a FxHashMap<Place, Place>,
    seen: FxHashSet<Place>,
    open: Vec<Place>,
}

impl Walk<'_> {
    /// Marks a symbol and its replacement as reached.
    fn meet(&mut self, place: Place) {
        let place = self.aliases.get(&place).copied().unwrap_or(place);
        if self.seen.insert(place) {
            self.open.push(place);
        }
    }

    /// Everything that an instruction names.
    fn through(&mut self, module: usize, inst: &Instruction<'_>) -> Result<(), LinkError> {
        let mut named = Vec::new();
        for_each_id(inst, &self.inputs[module], |index| named.extend(inst.operands.get(index)))?;
        named.into_iter().for_each(|id| self.meet((module, id)));
        Ok(())
    }
}

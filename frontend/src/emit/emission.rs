//! The order of emission: globals, functions, the instances of functions that take blocks, entry points.

use super::module::Module;
use super::{function, kernel};
use crate::hir::FunctionId;
use spirv_io::spirv::Capability;

impl Module<'_> {
    /// Emits everything; `None` when a diagnostic was reported.
    pub(super) fn run(mut self) -> Option<Vec<u32>> {
        self.header();
        self.start_debug_info();
        let mut failed = self.exported_globals().is_err();
        for index in 0..self.program.functions.len() {
            failed |= function::emit(&mut self, FunctionId(index as u32)).is_err();
            if self.diags.is_full() {
                break;
            }
        }
        let mut done = 0;
        while let (Some((id, instance)), false) = (self.instances.get(done).cloned(), failed) {
            failed = function::instance(&mut self, id, instance).is_err();
            done += 1;
        }
        if failed {
            return None;
        }
        kernel::entry_points(&mut self).ok()?;
        match (self.half_types, self.half_values) {
            (true, true) => self.b.capability(Capability::Float16),
            (true, false) => self.b.capability(Capability::Float16Buffer),
            (false, _) => {}
        }
        Some(self.b.finish())
    }
}

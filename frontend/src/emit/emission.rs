//! The order of emission: globals, functions, the instances of functions that take blocks, entry points.

use super::module::Module;
use super::{function, kernel};
use crate::hir::FunctionId;
use spirv_io::Id;
use spirv_io::spirv::{Capability, Op};

/// The words before a module's first instruction (SPIR-V §2.3).
const HEADER: usize = 5;
/// The capabilities of this compiler that imply Shader (SPIR-V §3.31, "Capability").
const IMPLY_SHADER: [Capability; 2] = [Capability::ImageReadWriteLodAMD, Capability::ImageQuery];

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
        let mut words = self.b.finish();
        if self.b.capabilities().iter().any(|c| IMPLY_SHADER.contains(c)) {
            constant_semantics(&mut words, &self.computed_semantics);
        }
        Some(words)
    }
}

/// Constants in place of the computed memory semantics of barriers: SPIR-V asks for them in modules with the capability Shader (§3.26, "Memory
/// Semantics").
fn constant_semantics(words: &mut [u32], computed: &[(Id, Id)]) {
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        if first & 0xffff == Op::ControlBarrier as u32
            && let Some(semantics) = words.get_mut(at + 3)
            && let Some((_, constant)) = computed.iter().find(|(id, _)| id.0 == *semantics)
        {
            *semantics = constant.0;
        }
        at += (first >> 16).max(1) as usize;
    }
}

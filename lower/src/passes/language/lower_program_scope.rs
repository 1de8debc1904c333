//! Program-scope data layout: variables get offsets in two data blocks, and loads of known constants are folded.
//!
//! ```text
//! load [constant_table + 8]        becomes        42
//! load [variable + 4]              becomes        load [globals + offset of variable + 4]
//! ```
//!
//! The layout depends on the module's variables only, and not on the wanted kernels.
//! All modules that are lowered from one program therefore agree about it.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    Constant, EntityMap, Function, GlobalVar, GlobalVarData, Inst, InstKind, MemFlags, Module, Place, Root,
    Scalar, Space, Type, Value,
};
use crate::kernel_info::{DataBlock, Relocation};
use crate::transform::rewriter::{Rewriter, replace_results};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A module's variables.
pub(crate) type Globals = EntityMap<GlobalVar, GlobalVarData>;

/// The maximum size of a data block. Larger offsets would not fit the descriptor model's arithmetic.
const MAX_BLOCK: u64 = 1 << 30;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::InvalidModule`] if the variables exceed any device's memory, and [`LowerError::NotYet`] for an initial value that is the
/// address of a variable outside the data blocks.
pub fn run(module: &mut Module, _cx: &PassContext<'_>) -> Result<(), LowerError> {
    let offsets = lay_out(module)?;
    fill(module, &offsets)?;
    for f in module.functions.values_mut() {
        fold_constant_loads(f, &module.globals);
        replace_roots(f, &offsets);
    }
    Ok(())
}

/// The blocks of the variables and the byte offsets in them.
fn lay_out(module: &mut Module) -> Result<FxHashMap<GlobalVar, (Root, u64)>, LowerError> {
    let mut offsets = FxHashMap::default();
    let (mut constants, mut globals) = ((0u64, 1u32), (0u64, 1u32));
    for (id, var) in module.globals.iter() {
        let (root, (end, align)) = match var.space {
            Space::Constant => (Root::Constants, &mut constants),
            Space::Global => (Root::Globals, &mut globals),
            _ => continue,
        };
        let offset = end.next_multiple_of(u64::from(var.align.max(1)));
        *end = offset.saturating_add(var.size);
        *align = (*align).max(var.align);
        if *end > MAX_BLOCK {
            return Err(LowerError::InvalidModule(format!(
                "the program-scope variables up to '{}' take more than {MAX_BLOCK} bytes",
                var.name
            )));
        }
        offsets.insert(id, (root, offset));
    }
    for (block, (end, align)) in
        [(&mut module.program_data.constants, constants), (&mut module.program_data.globals, globals)]
    {
        *block =
            DataBlock { bytes: vec![0; end.next_multiple_of(4) as usize], align, relocations: Vec::new() };
    }
    Ok(offsets)
}

/// Writes the initial bytes and the relocations.
fn fill(module: &mut Module, offsets: &FxHashMap<GlobalVar, (Root, u64)>) -> Result<(), LowerError> {
    let width = if module.address_bits == 64 { 8 } else { 4 };
    for (id, var) in module.globals.iter() {
        let (Some((root, offset)), Some(init)) = (offsets.get(&id), var.init.as_ref()) else { continue };
        let block = match root {
            Root::Constants => &mut module.program_data.constants,
            _ => &mut module.program_data.globals,
        };
        let start = *offset as usize;
        let len = init.bytes.len().min(var.size as usize);
        block.bytes[start..start + len].copy_from_slice(&init.bytes[..len]);
        for (at, target) in &init.addresses {
            let place = start + *at as usize;
            let bytes = block.bytes.get_mut(place..place + width);
            let (Some((to, target_offset)), Some(bytes)) = (offsets.get(target), bytes) else {
                let (var, target) = (&var.name, module.globals.get(*target).map_or("?", |t| &t.name));
                return Err(LowerError::NotYet {
                    kernel: String::new(),
                    what: format!("the address of '{target}' at byte {at} of the initial value of '{var}'"),
                });
            };
            let mut word = [0; 8];
            word[..width].copy_from_slice(bytes);
            let addend = u64::from_le_bytes(word).wrapping_add(*target_offset);
            bytes.copy_from_slice(&addend.to_le_bytes()[..width]);
            let to_globals = *to == Root::Globals;
            block.relocations.push(Relocation { at: place as u64, to_globals, bytes: width as u32 });
        }
    }
    Ok(())
}

/// Folds loads from constant variables at constant offsets.
fn fold_constant_loads(f: &mut Function, globals: &Globals) {
    if globals.values().all(|g| g.space != Space::Constant) {
        return;
    }
    let is_load = |f: &Function, inst: Inst| matches!(f.insts[inst].kind, InstKind::Load { .. });
    replace_results(f, is_load, |rw, inst| folded_load(rw, inst, globals));
}

fn folded_load(rw: &mut Rewriter<'_>, inst: Inst, globals: &Globals) -> Option<Value> {
    let InstKind::Load { place: Place::Pointer(pointer), flags: MemFlags { volatile: false, .. } } =
        rw.f.insts[inst].kind
    else {
        return None;
    };
    let result = rw.f.insts[inst].results[0];
    let ty = rw.f.ty(result);
    let lanes = constant_lanes(rw.f, globals, pointer, ty)?;
    let lanes: Vec<Value> =
        lanes.iter().map(|bits| rw.f.constant(ty.element(), Constant::Bits(*bits))).collect();
    Some(rw.construct(&lanes, ty))
}

/// The constants that a load reads from a constant variable, if the variable and offset are known.
pub(crate) fn constant_lanes(
    f: &Function,
    globals: &Globals,
    pointer: Value,
    ty: Type,
) -> Option<SmallVec<[u64; 4]>> {
    let (global, offset) = constant_address(f, pointer)?;
    let global = globals.get(global).filter(|g| g.space == Space::Constant)?;
    let init = global.init.as_ref().filter(|i| i.addresses.is_empty())?;
    let scalar = ty.scalar().filter(|s| *s != Scalar::Bool)?;
    let size = u64::from(scalar.bytes());
    let start = u64::try_from(offset).ok()?;
    if start.checked_add(size * u64::from(ty.lanes()))? > global.size {
        return None;
    }
    // Bytes beyond the initialiser are zero.
    let byte = |at: u64| usize::try_from(at).ok().and_then(|at| init.bytes.get(at)).copied().unwrap_or(0);
    let lane = |n: u8| {
        let at = start + u64::from(n) * size;
        (0..size).rev().fold(0, |bits, i| bits << 8 | u64::from(byte(at + i)))
    };
    Some((0..ty.lanes()).map(lane).collect())
}

/// The variable and byte offset of a pointer, if they are known.
pub(crate) fn constant_address(f: &Function, mut pointer: Value) -> Option<(GlobalVar, i64)> {
    let mut offset = 0i64;
    loop {
        match &f.def_inst(pointer)?.kind {
            InstKind::RootAddr(Root::Global(global)) => return Some((*global, offset)),
            InstKind::PtrOffset { base, bytes } => {
                offset = offset.checked_add(*bytes)?;
                pointer = *base;
            }
            InstKind::PtrAdd { base, index, scale } => {
                let index = f.const_signed(*index)?;
                offset = offset.checked_add(index.checked_mul(i64::try_from(*scale).ok()?)?)?;
                pointer = *base;
            }
            _ => return None,
        }
    }
}

/// Replaces the address of a variable by its block's address plus its offset.
fn replace_roots(f: &mut Function, offsets: &FxHashMap<GlobalVar, (Root, u64)>) {
    if offsets.is_empty() {
        return;
    }
    let place = |f: &Function, inst: Inst| match f.insts[inst].kind {
        InstKind::RootAddr(Root::Global(global)) => offsets.get(&global).copied(),
        _ => None,
    };
    replace_results(
        f,
        |f, inst| place(f, inst).is_some(),
        |rw, inst| {
            let (root, offset) = place(rw.f, inst)?;
            let ty = rw.f.ty(rw.f.insts[inst].results[0]);
            let base = rw.inst(InstKind::RootAddr(root), ty);
            Some(rw.inst(InstKind::PtrOffset { base, bytes: offset as i64 }, ty))
        },
    );
}

#[cfg(test)]
mod tests {
    use crate::ir::text;
    use crate::{LowerOptions, Target, pipeline::run_pass};

    /// An address that cannot be stored is an error by the variable's name, not a null pointer.
    #[test]
    fn addresses_of_other_variables_are_errors() {
        let source = "module read bits=64\nglobal g0 \"table\" constant size=8 align=8 init=\"0000000000000000\" addresses=(0: g1)\n\
                      global g1 \"scratch\" local size=4 align=4\n";
        let mut module = text::parse(source).expect("it parses");
        let (target, options) = (Target::minimum(), LowerOptions::default());
        let error = run_pass("lower_program_scope", &mut module, &target, &options).expect_err("no address");
        assert!(error.to_string().contains("the address of 'scratch' at byte 0"), "{error}");
    }
}

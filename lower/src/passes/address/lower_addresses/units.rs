//! Element-scaled offsets: pointer parameters of blocks that count elements, not bytes.
//!
//! A byte offset that a loop carries does not show what it is a multiple of.
//! Drivers therefore clear its low bits before each access to a variable with larger elements.
//! If every argument of such a parameter is a multiple of the variable's elements, the parameter counts elements.
//!
//! ```text
//! b1(p: i32):  load v[p >> 2]; br b1(p + 4)        becomes        b1(p: i32):  load v[p]; br b1(p + 1)
//! ```

use super::address::Form;
use super::context::{Context, is_pointer};
use crate::ir::{Function, InstKind, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Longer chains of pointer arithmetic are not followed.
const DEPTH: u32 = 64;

/// The pointers that count elements, with the elements' size. Parameters of the function itself count bytes.
pub(super) fn find(f: &Function, cx: &Context<'_>) -> FxHashMap<Value, u64> {
    let mut units = FxHashMap::default();
    for block in f.layout.iter().filter(|block| **block != f.entry()) {
        let params = f.blocks[*block].params.iter().filter(|p| is_pointer(f, **p));
        units.extend(params.filter_map(|p| Some((*p, element_size(*p, cx)?))));
    }
    if units.is_empty() {
        return units;
    }
    // A parameter that is no multiple makes those that depend on it none either.
    loop {
        let mut odd = Vec::new();
        for block in &f.layout {
            for target in f.blocks[*block].term.targets() {
                for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                    if units.get(param).is_some_and(|unit| !is_multiple(f, *arg, *unit, &units, cx, DEPTH)) {
                        odd.push(*param);
                    }
                }
            }
        }
        if odd.is_empty() {
            return units;
        }
        units.retain(|param, _| !odd.contains(param));
    }
}

/// The element size of the one variable that a pointer points into.
fn element_size(pointer: Value, cx: &Context<'_>) -> Option<u64> {
    let Form::Plain(root) = cx.form(pointer) else { return None };
    let view = cx.views.get(&root)?;
    let size = u64::from(view.scalar.bytes()) * u64::from(view.lanes);
    (size > 1 && size.is_power_of_two()).then_some(size)
}

/// Returns whether a pointer's offset is a multiple of a unit, if those in `units` are.
fn is_multiple(
    f: &Function,
    pointer: Value,
    unit: u64,
    units: &FxHashMap<Value, u64>,
    cx: &Context<'_>,
    depth: u32,
) -> bool {
    let base_is_multiple = |base: Value| is_multiple(f, base, unit, units, cx, depth - 1);
    if depth == 0 || !matches!(cx.form(pointer), Form::Plain(_)) {
        return false;
    }
    let ValueDef::Inst(inst, _) = f.values[pointer].def else {
        return units.get(&pointer).is_some_and(|own| own.is_multiple_of(unit));
    };
    match f.insts[inst].kind {
        InstKind::RootAddr(root) => cx.arena.is_none() && cx.root(root).1.is_multiple_of(unit),
        InstKind::PtrAdd { base, index, scale } => {
            let step = f.const_bits(index).map_or(scale, |n| n.wrapping_mul(scale));
            step.is_multiple_of(unit) && base_is_multiple(base)
        }
        InstKind::PtrOffset { base, bytes } => (bytes as u64).is_multiple_of(unit) && base_is_multiple(base),
        InstKind::PtrCast(base) | InstKind::Bitcast(base) => base_is_multiple(base),
        _ => false,
    }
}

//! Offsets that blocks get and selects choose, in elements.
//!
//! An offset that goes round a loop says nothing of what it is a multiple of, so that drivers clear its low bits before each access to a
//! variable whose elements are larger. Where all that such an offset may be is a multiple of the variable's elements, it is kept
//! in elements.

use super::Context;
use super::address::Form;
use crate::ir::{Function, InstKind, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Chains of pointer arithmetic that are longer are not looked at.
const DEPTH: u32 = 64;

/// The pointers that are kept in elements, with the elements' size. Those of a function's own parameters are not.
pub(super) fn find(f: &Function, cx: &Context<'_>) -> FxHashMap<Value, u64> {
    let mut units = FxHashMap::default();
    for block in f.layout.iter().filter(|block| **block != f.entry()) {
        let params = f.blocks[*block].params.iter().filter(|p| super::is_pointer(f, **p));
        units.extend(params.filter_map(|p| Some((*p, element_size(*p, cx)?))));
    }
    if units.is_empty() {
        return units;
    }
    // What is no multiple makes others none.
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

/// The size of the elements of the one variable that a pointer is into.
fn element_size(pointer: Value, cx: &Context<'_>) -> Option<u64> {
    let Form::Plain(root) = cx.form(pointer) else { return None };
    let view = cx.views.get(&root)?;
    let size = u64::from(view.scalar.bytes()) * u64::from(view.lanes);
    (size > 1 && size.is_power_of_two()).then_some(size)
}

/// Whether a pointer's offset is a multiple of a unit, where those are that are taken to be.
fn is_multiple(
    f: &Function,
    pointer: Value,
    unit: u64,
    units: &FxHashMap<Value, u64>,
    cx: &Context<'_>,
    depth: u32,
) -> bool {
    let of = |base: Value| is_multiple(f, base, unit, units, cx, depth - 1);
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
            step.is_multiple_of(unit) && of(base)
        }
        InstKind::PtrOffset { base, bytes } => (bytes as u64).is_multiple_of(unit) && of(base),
        InstKind::PtrCast(base) | InstKind::Bitcast(base) => of(base),
        _ => false,
    }
}

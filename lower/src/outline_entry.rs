//! Outlining of entry points: a second form of a module, for a driver's compiler that crashed on the first.
//!
//! Each entry point becomes a function with DontInline, and a new entry point calls it. NVIDIA's compiler (580) crashed on 24 modules. It compiles 18
//! of them in this form, and their results are right (docs/archive/fuzzing-findings.md).

use spirv_io::spirv::{FunctionControl, Op};
use std::collections::BTreeMap;

/// Moves the body of each entry point of a lowered module into a function that is not inlined.
#[must_use]
pub fn outline_entry_points(words: &[u32]) -> Vec<u32> {
    let (header, body) = words.split_at(words.len().min(5));
    let mut out = header.to_vec();
    let Some(bound) = header.get(3) else { return out };
    let is = |i: &[u32], op: Op| i[0] & 0xffff == op as u32;
    let mut next = *bound;
    // The ids of the new entry point, its label and the call's result.
    let mut entries: BTreeMap<u32, [u32; 3]> = BTreeMap::new();
    for i in instructions(body).filter(|i| is(i, Op::EntryPoint) && i.len() > 2) {
        entries.insert(i[2], [next, next + 1, next + 2]);
        next += 3;
    }
    let mut more = Vec::new();
    for i in instructions(body) {
        let start = out.len();
        out.extend(i);
        let entry = |at: usize| i.get(at).and_then(|id| entries.get(id));
        if is(i, Op::EntryPoint) {
            out[start + 2] = entry(2).map_or(out[start + 2], |ids| ids[0]);
        } else if is(i, Op::ExecutionMode) || is(i, Op::ExecutionModeId) {
            out[start + 1] = entry(1).map_or(out[start + 1], |ids| ids[0]);
        } else if is(i, Op::Function)
            && let Some([function, label, result]) = entry(2)
        {
            out[start + 3] = FunctionControl::DONT_INLINE.bits();
            more.extend([5 << 16 | Op::Function as u32, i[1], *function, 0, i[4]]);
            more.extend([2 << 16 | Op::Label as u32, *label]);
            more.extend([4 << 16 | Op::FunctionCall as u32, i[1], *result, i[2]]);
            more.extend([1 << 16 | Op::Return as u32, 1 << 16 | Op::FunctionEnd as u32]);
        }
    }
    out.extend(more);
    out[3] = next;
    out
}

/// The instructions of a module's words behind its header.
fn instructions(mut words: &[u32]) -> impl Iterator<Item = &[u32]> {
    std::iter::from_fn(move || {
        let len = (*words.first()? >> 16).max(1) as usize;
        let (instruction, rest) = words.split_at(len.min(words.len()));
        words = rest;
        Some(instruction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions by their opcodes and operands.
    fn words(code: &[(Op, &[u32])]) -> Vec<u32> {
        let instruction = |(op, operands): &(Op, &[u32])| {
            let first = (u32::try_from(operands.len() + 1).unwrap_or(0)) << 16 | *op as u32;
            [&[first], *operands].concat()
        };
        code.iter().flat_map(instruction).collect()
    }

    #[test]
    fn an_entry_point_calls_its_body() {
        let header = [0x0723_0203, 0x10300, 0, 5, 0];
        let before = words(&[
            (Op::EntryPoint, &[5, 3, u32::from(b'k')]),
            (Op::ExecutionMode, &[3, 17, 1, 1, 1]),
            (Op::Function, &[1, 3, 0, 2]),
            (Op::Label, &[4]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
        ]);
        let after = words(&[
            (Op::EntryPoint, &[5, 5, u32::from(b'k')]),
            (Op::ExecutionMode, &[5, 17, 1, 1, 1]),
            (Op::Function, &[1, 3, FunctionControl::DONT_INLINE.bits(), 2]),
            (Op::Label, &[4]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
            (Op::Function, &[1, 5, 0, 2]),
            (Op::Label, &[6]),
            (Op::FunctionCall, &[1, 7, 3]),
            (Op::Return, &[]),
            (Op::FunctionEnd, &[]),
        ]);
        let out = outline_entry_points(&[&header[..], &before].concat());
        assert_eq!(out, [&[0x0723_0203, 0x10300, 0, 8, 0], &after[..]].concat());
    }
}

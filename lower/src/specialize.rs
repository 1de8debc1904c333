//! Specialization constants (SPIR-V §2.12): the list of a module, and modules in which some have other values (OpenCL API §5.8.2,
//! clSetProgramSpecializationConstant).
//!
//! A specialised module is the same module with other defaults. Every reader sees the values as lengths of types, sizes of work-groups
//! or operands.

use rustc_hash::FxHashMap;
use spirv_io::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op};
use spirv_io::{Instruction, ReadError, Reader};
use std::collections::BTreeMap;

/// The specialization constants of a module: their sizes in bytes by SpecId; 1 for a bool.
///
/// # Errors
/// Words that are no module.
pub fn constants(words: &[u32]) -> Result<BTreeMap<u32, u32>, ReadError> {
    let mut sizes = BTreeMap::new();
    walk(words, |inst, number, bits| {
        // A number that decorates two constants is ignored: the larger constant's size would be wrong for the other.
        let size = if inst.op == Op::SpecConstant { bits / 8 } else { 1 };
        sizes.insert(number, size);
        Ok(())
    })?;
    Ok(sizes)
}

/// The module with these values for the constants with these SpecIds. Values are little-endian bytes. Unknown SpecIds are ignored.
///
/// # Errors
/// Words that are no module.
pub fn specialize(words: &[u32], values: &BTreeMap<u32, Vec<u8>>) -> Result<Vec<u32>, ReadError> {
    let mut out = words.to_vec();
    if values.is_empty() {
        return Ok(out);
    }
    walk(words, |inst, number, bits| {
        let Some(value) = values.get(&number) else { return Ok(()) };
        let byte = |i: usize| u32::from(value.get(i).copied().unwrap_or(0)) << (i % 4 * 8);
        if inst.op == Op::SpecConstant {
            for word in 0..bits.div_ceil(32) as usize {
                inst.word(2 + word)?;
                out[inst.at + 3 + word] = (4 * word..4 * word + 4).map(byte).sum();
            }
        } else {
            let op = if value.iter().any(|b| *b != 0) { Op::SpecConstantTrue } else { Op::SpecConstantFalse };
            out[inst.at] = out[inst.at] & 0xffff_0000 | op as u32;
        }
        Ok(())
    })?;
    Ok(out)
}

/// The module as a pipeline would specialise it: specialization constants become constants. `value` gives that of a number with a SpecId;
/// SpecIds 0 to 2 are the work-group size. Booleans keep their values. Execution modes other than the work-group size and the capabilities
/// that they alone need are left out: naga does not know them.
///
/// # Errors
/// Words that are no module.
pub fn frozen(words: &[u32], value: impl Fn(u32) -> u32) -> Result<Vec<u32>, ReadError> {
    const FLOAT_CONTROLS: [u32; 5] = [
        Capability::DenormPreserve as u32,
        Capability::DenormFlushToZero as u32,
        Capability::SignedZeroInfNanPreserve as u32,
        Capability::RoundingModeRTE as u32,
        Capability::RoundingModeRTZ as u32,
    ];
    let instructions = Reader::new(words)?.1.collect::<Result<Vec<_>, _>>()?;
    let numbers: FxHashMap<u32, u32> = instructions
        .iter()
        .filter_map(|i| match (i.op, i.operands) {
            (Op::Decorate, &[target, decoration, number]) if decoration == Decoration::SpecId as u32 => {
                Some((target, number))
            }
            _ => None,
        })
        .collect();
    // The values of constants of up to 32 bits, by their ids, and the work-group size.
    let mut values: FxHashMap<u32, u32> = FxHashMap::default();
    let mut composites: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for i in &instructions {
        let id = i.operands.get(1).copied().unwrap_or(0);
        match (i.op, i.operands) {
            (Op::SpecConstant, &[_, id, default]) => {
                values.insert(id, numbers.get(&id).map_or(default, |number| value(*number)));
            }
            (Op::Constant, &[_, id, word]) => drop(values.insert(id, word)),
            (Op::SpecConstantOp, _) => {
                values.extend(operation(i.rest(2), &values).map(|computed| (id, computed)));
            }
            (Op::SpecConstantComposite | Op::ConstantComposite, _) => {
                let parts: Option<Vec<u32>> =
                    i.rest(2).iter().map(|part| values.get(part).copied()).collect();
                composites.extend(parts.map(|parts| (id, parts)));
            }
            _ => {}
        }
    }
    let built_in = [Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32];
    let sized = instructions.iter().find(|i| i.op == Op::Decorate && i.rest(1) == built_in);
    let size = sized.and_then(|i| composites.get(i.operands.first()?));
    let mut out = words.get(..5).unwrap_or_default().to_vec();
    for i in &instructions {
        let mut operands = i.operands.to_vec();
        let op = match i.op {
            Op::SpecConstant => {
                if let (Some(word), Some(value)) = (operands.get_mut(2), values.get(&i.word(1)?)) {
                    *word = *value;
                }
                Op::Constant
            }
            Op::SpecConstantComposite => Op::ConstantComposite,
            Op::SpecConstantTrue => Op::ConstantTrue,
            Op::SpecConstantFalse => Op::ConstantFalse,
            Op::SpecConstantOp => match values.get(&i.word(1)?) {
                Some(computed) => {
                    let truth = i.word(2)? == Op::ULessThan as u32;
                    operands.truncate(2);
                    match (truth, *computed) {
                        (false, word) => {
                            operands.push(word);
                            Op::Constant
                        }
                        (true, 0) => Op::ConstantFalse,
                        (true, _) => Op::ConstantTrue,
                    }
                }
                None => Op::SpecConstantOp,
            },
            Op::Decorate if i.word(1)? == Decoration::SpecId as u32 => continue,
            // The mode says 1 if the size is specialised. The built-in constant overrides it, but naga does not look at that.
            Op::ExecutionMode
                if i.rest(1) == [ExecutionMode::LocalSize as u32, 1, 1, 1] && size.is_some() =>
            {
                operands.truncate(2);
                operands.extend(size.into_iter().flatten());
                Op::ExecutionMode
            }
            Op::ExecutionMode if i.word(1)? != ExecutionMode::LocalSize as u32 => continue,
            // Only the execution modes that are left out need these.
            Op::Capability if FLOAT_CONTROLS.contains(&i.word(0)?) => continue,
            Op::Extension if i.string(0)?.0 == "SPV_KHR_float_controls" => continue,
            op => op,
        };
        out.push((operands.len() as u32 + 1) << 16 | op as u32);
        out.extend(operands);
    }
    Ok(out)
}

/// The value of an OpSpecConstantOp of the writer's: sizes of work-groups and of `__local` memory. `words` are the operation and its operands.
fn operation(words: &[u32], values: &FxHashMap<u32, u32>) -> Option<u32> {
    let (op, operands) = words.split_first()?;
    let operands = operands.iter().map(|id| values.get(id).copied()).collect::<Option<Vec<u32>>>()?;
    match operands.as_slice() {
        [a, b] if *op == Op::IMul as u32 => Some(a.wrapping_mul(*b)),
        [a, b] if *op == Op::IAdd as u32 => Some(a.wrapping_add(*b)),
        [a, b] if *op == Op::ULessThan as u32 => Some(u32::from(a < b)),
        [condition, a, b] if *op == Op::Select as u32 => Some(if *condition != 0 { *a } else { *b }),
        _ => None,
    }
}

/// Calls `found` with each specialization constant that has a SpecId, that, and its width in bits.
fn walk(
    words: &[u32],
    mut found: impl FnMut(&Instruction<'_>, u32, u32) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let (mut numbers, mut groups, mut widths) =
        (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
    for inst in Reader::new(words)?.1 {
        let inst = inst?;
        match inst.op {
            Op::Decorate if inst.word(1)? == Decoration::SpecId as u32 => {
                numbers.insert(inst.word(0)?, inst.word(2)?);
            }
            Op::GroupDecorate => {
                if let Some(number) = numbers.get(&inst.word(0)?) {
                    groups.extend(inst.rest(1).iter().map(|target| (*target, *number)));
                }
            }
            Op::TypeInt | Op::TypeFloat => drop(widths.insert(inst.word(0)?, inst.word(1)?)),
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let (ty, id) = (inst.word(0)?, inst.word(1)?);
                if let Some(number) = numbers.get(&id).or(groups.get(&id)) {
                    found(&inst, *number, widths.get(&ty).copied().unwrap_or(32).min(64))?;
                }
            }
            Op::Function => break,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use spirv_io::{Builder, Section};

    #[test]
    fn values_take_the_place_of_defaults() {
        let mut b = Builder::new(1, 1);
        let (long, byte) = (b.unique(Op::TypeInt, None, &[64, 0]), b.unique(Op::TypeInt, None, &[8, 0]));
        let bools = b.unique(Op::TypeBool, None, &[]);
        let mut spec = |op: Op, ty, words: &[u32], number: u32| {
            let id = b.push_result(Section::Globals, op, Some(ty), words);
            b.decorate(id, Decoration::SpecId, &[number]);
        };
        spec(Op::SpecConstant, long, &[1, 2], 7);
        spec(Op::SpecConstant, byte, &[3], 8);
        spec(Op::SpecConstantTrue, bools, &[], 9);
        let words = b.finish();
        assert_eq!(constants(&words).unwrap(), BTreeMap::from([(7, 8), (8, 1), (9, 1)]));
        let values = BTreeMap::from([
            (7, 0x1_0000_0005u64.to_le_bytes().to_vec()),
            (8, vec![0xff]),
            (9, vec![0]),
            (10, vec![1]),
        ]);
        let special = specialize(&words, &values).unwrap();
        let found: Vec<_> = Reader::new(&special)
            .unwrap()
            .1
            .map(|i| i.unwrap())
            .filter(|i| matches!(i.op, Op::SpecConstant | Op::SpecConstantFalse | Op::SpecConstantTrue))
            .map(|i| (i.op, i.rest(2).to_vec()))
            .collect();
        let expected =
            [(Op::SpecConstant, vec![5, 1]), (Op::SpecConstant, vec![0xff]), (Op::SpecConstantFalse, vec![])];
        assert_eq!(found, expected);
        assert_eq!(specialize(&words, &BTreeMap::new()).unwrap(), words);
        assert!(constants(&[1, 2]).is_err());
    }
}

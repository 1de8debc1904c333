//! Modules changed in ways that must not change what they do: the change that makes a driver's wrong result right says
//! where its fault is.

use lower::quirks::{Quirk, TABLE};
use lower::{LowerOptions, Quirks, Target};
use spirv_io::spirv::{Decoration, Op, StorageClass};
use std::collections::BTreeMap;

/// One change.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name.
    pub name: String,
    change: Change,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    /// To what the lowering sees of the device.
    Target(fn(&mut Target)),
    /// A driver workaround is put in or left out.
    Quirk(&'static Quirk, bool),
    /// A pass is left out.
    Skip(&'static str),
    /// A variation that the caller asks for.
    Options(fn(&mut LowerOptions)),
    /// The module is rewritten: an instruction's words, and where they go.
    Words(fn(&[u32], &mut Vec<u32>)),
    /// As `Words`, where what becomes of an instruction depends on others.
    Module(fn(&mut Vec<u32>)),
}

/// All of them but the driver workarounds; a pass is named by `no-` and its name.
const CHANGES: &[(&str, Change)] = &[
    ("unchanged", Change::Target(|_| {})),
    ("old-memory-model", Change::Target(|t| t.features.vulkan_memory_model = false)),
    ("buffers-shared", Change::Options(|o| o.noalias = false)),
    ("no-reconvergence", Change::Target(|t| t.features.shader_maximal_reconvergence = false)),
    ("no-int8", Change::Target(|t| t.features.shader_int8 = false)),
    ("no-int16", Change::Target(|t| t.features.shader_int16 = false)),
    ("no-small-ints", Change::Target(|t| (t.features.shader_int8, t.features.shader_int16) = (false, false))),
    ("no-8-bit-storage", Change::Target(|t| t.features.storage_buffer_8bit_access = false)),
    ("no-16-bit-storage", Change::Target(|t| t.features.storage_buffer_16bit_access = false)),
    (
        "word-storage",
        Change::Target(|t| {
            t.features.storage_buffer_8bit_access = false;
            t.features.storage_buffer_16bit_access = false;
        }),
    ),
    ("no-local-views", Change::Target(|t| t.features.workgroup_memory_explicit_layout = false)),
    ("no-scalar-layout", Change::Target(|t| t.features.scalar_block_layout = false)),
    ("basic-sub-groups", Change::Target(|t| t.features.subgroup_operations &= 1)),
    ("vulkan-1.1", Change::Target(|t| t.api_version = (1, 1))),
    // The driver ends loops soon: for a driver that was made to (docs/maintainers/fuzzing.md).
    ("loops-ended", Change::Target(|t| t.quirks.max_iterations = Some(1))),
    (
        "no-small-arithmetic",
        Change::Target(|t| {
            t.quirks.wrong_8_bit_arithmetic = true;
            t.quirks.wrong_16_bit_arithmetic = true;
        }),
    ),
    (
        "small-arithmetic",
        Change::Target(|t| {
            t.quirks.wrong_8_bit_arithmetic = false;
            t.quirks.wrong_16_bit_arithmetic = false;
        }),
    ),
    ("no-quirks", Change::Target(|t| t.quirks = Quirks::default())),
    (
        "slow-addresses",
        Change::Target(|t| {
            t.quirks.slow_addresses_without_float16 = true;
            t.features.shader_float16 = false;
            t.features.buffers_below_4_gib = true;
        }),
    ),
    ("large-buffers", Change::Target(|t| t.features.buffers_below_4_gib = false)),
    ("as-a-gpu", Change::Target(|t| t.features.is_cpu = false)),
    ("small-buffers", Change::Target(|t| t.features.buffers_below_4_gib = true)),
    ("as-amds", Change::Target(as_amds)),
    ("as-nvidias", Change::Target(as_nvidias)),
    ("no-final-values", Change::Skip("final_values")),
    ("no-full-unroll", Change::Skip("full_unroll")),
    ("no-unroll-runtime", Change::Skip("unroll_runtime")),
    ("no-hoist-sink-common", Change::Skip("hoist_sink_common")),
    ("no-address-arithmetic", Change::Skip("address_arithmetic")),
    ("no-jump-threading", Change::Skip("jump_threading")),
    ("no-licm", Change::Skip("licm")),
    ("no-mem2reg", Change::Skip("mem2reg")),
    ("no-simplify", Change::Skip("simplify")),
    ("no-unroll-for-sroa", Change::Skip("unroll_for_sroa")),
    ("no-merge-stores", Change::Skip("merge_stores")),
    ("no-loads", Change::Skip("loads")),
    ("no-narrow-int64", Change::Skip("narrow_int64")),
    ("no-fma-contraction", Change::Skip("fma_contraction")),
    ("no-funnel-shifts", Change::Skip("funnel_shifts")),
    ("no-lower-division", Change::Skip("lower_division")),
    ("no-aliased", Change::Words(|i, out| undecorated(i, out, &[Decoration::Aliased]))),
    ("no-restrict", Change::Words(|i, out| undecorated(i, out, &[Decoration::Restrict]))),
    ("no-no-contraction", Change::Words(|i, out| undecorated(i, out, &[Decoration::NoContraction]))),
    ("volatile-loads", Change::Words(|i, out| accessed(i, out, Op::Load, 4, |m| m | 1))),
    ("volatile-stores", Change::Words(|i, out| accessed(i, out, Op::Store, 3, |m| m | 1))),
    (
        "volatile",
        Change::Words(|i, out| {
            let at = if is(i, Op::Load) { 4 } else { 3 };
            accessed(i, out, if at == 4 { Op::Load } else { Op::Store }, at, |m| m | 1);
        }),
    ),
    ("aligned-by-4", Change::Words(|i, out| aligned(i, out, 4))),
    ("aligned-by-16", Change::Words(|i, out| aligned(i, out, 16))),
    ("loops-kept", Change::Words(|i, out| controlled(i, out, Op::LoopMerge, 3, 2))),
    ("loops-unrolled", Change::Words(|i, out| controlled(i, out, Op::LoopMerge, 3, 1))),
    ("branches-kept", Change::Words(|i, out| controlled(i, out, Op::SelectionMerge, 2, 2))),
    ("branches-flattened", Change::Words(|i, out| controlled(i, out, Op::SelectionMerge, 2, 1))),
    (
        "in-bounds",
        Change::Words(|i, out| {
            let start = out.len();
            out.extend(i);
            if is(i, Op::AccessChain) {
                out[start] = i[0] & !0xffff | Op::InBoundsAccessChain as u32;
            }
        }),
    ),
    ("returns-for-unreachable", Change::Module(returning)),
    ("non-private", Change::Module(non_private)),
    ("initialized", Change::Module(initialized)),
    ("called", Change::Module(|words| *words = lower::outline_entry_points(words))),
];

/// Workarounds for AMD's GPUs with Mesa, beside what the device needs.
fn as_amds(t: &mut Target) {
    t.features.is_cpu = false;
    t.features.buffers_below_4_gib = true;
    t.features.shader_float16 = false;
    t.quirks.slow_addresses_without_float16 = true;
    t.quirks.slow_denormals_without_float16 = true;
    t.quirks.slow_signed_remainders = true;
    t.quirks.lacks_jump_threading = true;
    t.quirks.lacks_licm = true;
    t.quirks.lacks_cheap_licm = true;
    t.quirks.lacks_code_hoisting = true;
    t.quirks.slow_unrolled_loops = false;
    t.quirks.wrong_trip_counts = true;
    t.quirks.wrong_select_zeros = true;
}

/// Workarounds for NVIDIA's driver, beside what the device needs.
fn as_nvidias(t: &mut Target) {
    t.features.is_cpu = false;
    t.features.buffers_below_4_gib = true;
    t.quirks.unrolls_only_on_hint = true;
    t.quirks.prefers_array_elements = true;
    t.quirks.prefers_larger_operand_first = true;
    t.quirks.slow_scans = true;
    t.quirks.wrong_trip_counts = true;
    t.quirks.lacks_licm = true;
    t.quirks.swapped_vector_operands = true;
    t.quirks.folded_half_round_trips = true;
    t.quirks.lost_select_zero_signs = true;
    t.quirks.wrong_int64_low_bits = true;
    t.quirks.wrong_sign_extended_bytes = true;
    t.quirks.wrong_int64_conversions = true;
    t.quirks.wrong_int64_overflow_checks = true;
    t.quirks.wrong_int64_shifts = true;
    t.quirks.wrong_byte_swaps = true;
    t.quirks.wrong_8_bit_arithmetic = true;
    t.quirks.wrong_16_bit_arithmetic = true;
}

impl Variant {
    /// All that there are. A driver workaround is put in by `+` and its name, and left out by `-` and its name.
    pub fn all() -> impl Iterator<Item = Variant> {
        let fixed =
            CHANGES.iter().map(|(name, change)| Variant { name: (*name).to_owned(), change: *change });
        let quirk = |(quirk, on): (&'static Quirk, bool)| {
            let name = format!("{}{}", if on { '+' } else { '-' }, quirk.name);
            Variant { name, change: Change::Quirk(quirk, on) }
        };
        fixed.chain(TABLE.iter().flat_map(|q| [(q, true), (q, false)]).map(quirk))
    }

    /// The variations of a list with commas, or `all`.
    ///
    /// # Errors
    /// A name that is none of them.
    pub fn named(list: &str) -> Result<Vec<Variant>, String> {
        if list == "all" {
            return Ok(Self::all().collect());
        }
        let one = |name: &str| Self::all().find(|v| v.name == name).ok_or(format!("'{name}' is no variant"));
        list.split(',').map(one).collect()
    }

    /// Changes before the lowering.
    pub(super) fn before(&self, target: &mut Target, options: &mut LowerOptions) {
        match self.change {
            Change::Target(change) => change(target),
            Change::Options(change) => change(options),
            Change::Quirk(quirk, on) => quirk.apply(&mut target.quirks, on),
            Change::Skip(pass) => options.skip.push(pass.to_owned()),
            Change::Words(_) | Change::Module(_) => {}
        }
    }

    /// Changes of the module.
    pub(super) fn after(&self, words: &mut Vec<u32>) {
        match self.change {
            Change::Words(change) => rewritten(words, change),
            Change::Module(change) => change(words),
            Change::Target(_) | Change::Quirk(..) | Change::Skip(_) | Change::Options(_) => {}
        }
    }
}

/// Rewrites a module.
fn rewritten(words: &mut Vec<u32>, mut change: impl FnMut(&[u32], &mut Vec<u32>)) {
    let (header, mut rest) = words.split_at(words.len().min(5));
    let mut changed = header.to_vec();
    while let Some(first) = rest.first() {
        let (instruction, behind) = rest.split_at(((first >> 16).max(1) as usize).min(rest.len()));
        change(instruction, &mut changed);
        rest = behind;
    }
    *words = changed;
}

/// Looks at each instruction.
fn each(words: &[u32], mut see: impl FnMut(&[u32])) {
    rewritten(&mut words.to_vec(), |i, _| see(i));
}

/// A new id.
fn new_id(words: &mut [u32]) -> u32 {
    words[3] += 1;
    words[3] - 1
}

fn is(instruction: &[u32], op: Op) -> bool {
    instruction[0] & 0xffff == op as u32
}

/// Leaves decorations out.
fn undecorated(instruction: &[u32], out: &mut Vec<u32>, which: &[Decoration]) {
    let at = if is(instruction, Op::MemberDecorate) { 3 } else { 2 };
    let decorates = at == 3 || is(instruction, Op::Decorate);
    if !(decorates && which.iter().any(|d| instruction.get(at) == Some(&(*d as u32)))) {
        out.extend(instruction);
    }
}

/// Changes the memory operands of accesses, the word `at` where there are any.
fn accessed(instruction: &[u32], out: &mut Vec<u32>, op: Op, at: usize, change: fn(u32) -> u32) {
    let start = out.len();
    out.extend(instruction);
    if !is(instruction, op) {
        return;
    }
    if instruction.len() == at {
        out.push(0);
        out[start] += 1 << 16;
    }
    out[start + at] = change(out[start + at]);
}

/// Says no larger alignment of loads and stores than this.
fn aligned(instruction: &[u32], out: &mut Vec<u32>, most: u32) {
    let start = out.len();
    out.extend(instruction);
    let at = if is(instruction, Op::Load) {
        4
    } else if is(instruction, Op::Store) {
        3
    } else {
        return;
    };
    // Aligned is the lowest of the bits with an operand.
    if instruction.get(at).is_some_and(|mask| mask & 2 != 0) && instruction.len() > at + 1 {
        out[start + at + 1] = out[start + at + 1].min(most);
    }
}

/// Gives constructs this control.
fn controlled(instruction: &[u32], out: &mut Vec<u32>, op: Op, at: usize, control: u32) {
    let start = out.len();
    out.extend(instruction);
    if is(instruction, op) && instruction.len() > at {
        out[start + at] = control;
    }
}

/// OpReturn in place of OpUnreachable, in functions without a result.
fn returning(words: &mut Vec<u32>) {
    let (mut void, mut inside) = (0, false);
    rewritten(words, |i, out| {
        if is(i, Op::TypeVoid) {
            void = i[1];
        } else if is(i, Op::Function) {
            inside = i[1] == void;
        }
        match inside && is(i, Op::Unreachable) {
            true => out.push(1 << 16 | Op::Return as u32),
            false => out.extend(i),
        }
    });
}

/// NonPrivatePointer at every access to memory that others may see.
fn non_private(words: &mut Vec<u32>) {
    let shared = [StorageClass::StorageBuffer, StorageClass::Workgroup, StorageClass::PhysicalStorageBuffer]
        .map(|class| class as u32);
    let (mut types, mut pointers) = (BTreeMap::new(), BTreeMap::new());
    let mut vulkan = false;
    each(words, |i| {
        vulkan |= is(i, Op::MemoryModel) && i[2] == 3;
        if is(i, Op::TypePointer) {
            types.insert(i[1], i[2]);
        } else if i.len() > 2
            && [Op::Variable, Op::AccessChain, Op::ConvertUToPtr, Op::Bitcast].iter().any(|op| is(i, *op))
            && let Some(class) = types.get(&i[1])
        {
            pointers.insert(i[2], *class);
        }
    });
    let seen = |id: u32| vulkan && pointers.get(&id).is_some_and(|class| shared.contains(class));
    rewritten(words, |i, out| {
        if is(i, Op::Load) && seen(i[3]) {
            accessed(i, out, Op::Load, 4, |m| m | 0x20);
        } else if is(i, Op::Store) && seen(i[1]) {
            accessed(i, out, Op::Store, 3, |m| m | 0x20);
        } else {
            out.extend(i);
        }
    });
}

/// Private variables hold zeros at first.
fn initialized(words: &mut Vec<u32>) {
    let (function, mut pointees, mut used) =
        (StorageClass::Function as u32, BTreeMap::new(), BTreeMap::new());
    each(words, |i| {
        if is(i, Op::TypePointer) && i[2] == function {
            pointees.insert(i[1], i[3]);
        } else if is(i, Op::Variable) && i[3] == function && i.len() == 4 {
            used.insert(i[1], 0);
        }
    });
    for zero in used.values_mut() {
        *zero = new_id(words);
    }
    let mut declared = false;
    rewritten(words, |i, out| {
        if is(i, Op::Function) && !declared {
            declared = true;
            for (pointer, zero) in &used {
                out.extend([3 << 16 | Op::ConstantNull as u32, pointees[pointer], *zero]);
            }
        }
        let start = out.len();
        out.extend(i);
        if is(i, Op::Variable) && i[3] == function && i.len() == 4 {
            out[start] += 1 << 16;
            out.push(used[&i[1]]);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::Variant;
    use spirv_io::spirv::{Decoration, Op};

    fn changed(variant: &str, instructions: &[&[u32]]) -> Vec<u32> {
        let mut words = vec![0; 5];
        for i in instructions {
            words.push((i.len() as u32) << 16 | i[0]);
            words.extend(&i[1..]);
        }
        let variants = Variant::named(variant).expect("a variant");
        variants.iter().for_each(|v| v.after(&mut words));
        words.split_off(5)
    }

    #[test]
    fn modules_are_changed() {
        let (decorate, load, aliased) = (Op::Decorate as u32, Op::Load as u32, Decoration::Aliased as u32);
        assert_eq!(
            changed("no-aliased", &[&[decorate, 7, aliased], &[decorate, 7, 3]]),
            [3 << 16 | decorate, 7, 3]
        );
        assert_eq!(changed("volatile-loads", &[&[load, 1, 2, 3]]), [5 << 16 | load, 1, 2, 3, 1]);
        assert_eq!(changed("volatile-loads", &[&[load, 1, 2, 3, 2, 4]]), [6 << 16 | load, 1, 2, 3, 3, 4]);
        assert_eq!(changed("aligned-by-16", &[&[load, 1, 2, 3, 3, 32]]), [6 << 16 | load, 1, 2, 3, 3, 16]);
        assert_eq!(
            changed("aligned-by-16", &[&[load, 1, 2, 3, 34, 8, 9]]),
            [7 << 16 | load, 1, 2, 3, 34, 8, 9]
        );
        let merge = Op::LoopMerge as u32;
        assert_eq!(changed("loops-kept", &[&[merge, 1, 2, 1]]), [4 << 16 | merge, 1, 2, 2]);
        assert!(Variant::named("no-such").is_err());
    }

    #[test]
    fn functions_are_changed() {
        let [void, function, unreachable, end] =
            [Op::TypeVoid, Op::Function, Op::Unreachable, Op::FunctionEnd].map(|op| op as u32);
        let body: [&[u32]; 5] =
            [&[void, 1], &[function, 1, 2, 0, 3], &[unreachable], &[function, 4, 5, 0, 3], &[unreachable]];
        let out = changed("returns-for-unreachable", &body);
        assert_eq!(out[7], 1 << 16 | Op::Return as u32);
        assert_eq!(out[13], 1 << 16 | unreachable, "of a function with a result");
        let entry: &[u32] = &[Op::EntryPoint as u32, 5, 2, 0];
        let out = changed("called", &[entry, &[function, 1, 2, 0, 3], &[end]]);
        let (new, label, result) = (out[2], out[16], out[19]);
        assert_eq!(out[7], 2, "what it was is not inlined");
        assert_eq!(out[12..14], [new, 0]);
        assert!(new != label && label != result);
        assert_eq!(out[20], 2, "it calls what it was");
    }
}

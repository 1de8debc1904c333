//! The table of driver workarounds. The struct [`Quirks`], the versions, `pumice settings`, docs/reference/workarounds.md, `PUMICE_WORKAROUNDS` and the
//! variants of the fuzzer are generated from it.

use super::{Driver, Version};
use serde::{Deserialize, Serialize};

/// The effect of a quirk on a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Results are wrong.
    WrongCode,
    /// The driver ends the process.
    Crash,
    /// A launch does not end.
    Hang,
    /// Kernels run or compile slower than they could.
    Slow,
    /// The driver does not offer, or does not report, what the device can do.
    MissingFeature,
}

/// The requirement of a module for one driver on another driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elsewhere {
    /// A module is wrong on a driver with the fault unless it avoids the fault.
    Avoid,
    /// A module is right only on a driver with the same value.
    Equal,
    /// A module relies on the driver's property.
    Relied,
    /// A module is right either way.
    Harmless,
}

/// Versions of a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affected {
    /// The driver.
    pub driver: Driver,
    /// The first version.
    pub from: Option<Version>,
    /// The first version that is not affected.
    pub before: Option<Version>,
}

impl Affected {
    const fn all(driver: Driver) -> Affected {
        Affected { driver, from: None, before: None }
    }
}

const NVIDIA: &[Affected] = &[Affected::all(Driver::Nvidia)];
const LLVMPIPE: &[Affected] = &[Affected::all(Driver::Llvmpipe)];
/// 25.0 is the first version seen without these quirks. No version between 22.3 and 25.0 was tried.
const LLVMPIPE_BEFORE_25: &[Affected] =
    &[Affected { driver: Driver::Llvmpipe, from: None, before: Some((25, 0)) }];
const LLVMPIPE_FROM_25: &[Affected] =
    &[Affected { driver: Driver::Llvmpipe, from: Some((25, 0)), before: None }];
const SWIFTSHADER: &[Affected] = &[Affected::all(Driver::SwiftShader)];
const RADV: &[Affected] = &[Affected::all(Driver::Radv)];
const TURNIP: &[Affected] = &[Affected::all(Driver::Turnip)];
const PANVK: &[Affected] = &[Affected::all(Driver::PanVk)];
const HONEYKRISP: &[Affected] = &[Affected::all(Driver::Honeykrisp)];
const ANV: &[Affected] = &[Affected::all(Driver::Anv)];
/// All of Mesa's drivers, whose compilers start with NIR.
const MESA: &[Affected] = &[
    Affected::all(Driver::Llvmpipe),
    Affected::all(Driver::Radv),
    Affected::all(Driver::Turnip),
    Affected::all(Driver::PanVk),
    Affected::all(Driver::Honeykrisp),
    Affected::all(Driver::Anv),
    Affected::all(Driver::Mesa),
];

/// One row of the table.
#[derive(Debug)]
pub struct Quirk {
    /// The name: the field of [`Quirks`], and what `PUMICE_WORKAROUNDS` takes.
    pub name: &'static str,
    /// The affected drivers and versions.
    pub affected: &'static [&'static [Affected]],
    /// The effect on a program.
    pub kind: Kind,
    /// The requirement of modules for another driver.
    pub elsewhere: Elsewhere,
    /// The driver's behaviour.
    pub description: &'static str,
    /// The program, conformance test, random program or measurement that found it.
    pub met_by: &'static str,
    /// The case or folder of cases in `tests/cases` that shows it. Empty for quirks that are only slow.
    pub case: &'static str,
    pub(super) set: fn(&mut Quirks, bool),
    pub(super) is_set: fn(&Quirks) -> bool,
    /// The first has more of the fault than the second avoids.
    pub(super) exceeds: fn(&Quirks, &Quirks) -> bool,
}

impl Quirk {
    /// Enables or disables the workaround.
    pub fn apply(&self, quirks: &mut Quirks, on: bool) {
        (self.set)(quirks, on);
    }

    /// A version of a driver has the quirk. Without a version, any affected version counts, except for properties of later versions.
    #[must_use]
    pub fn affects(&self, driver: Driver, version: Option<Version>) -> bool {
        self.affected.iter().copied().flatten().any(|a| {
            a.driver == driver
                && a.from.is_none_or(|from| version.is_some_and(|v| v >= from))
                && a.before.is_none_or(|before| version.is_none_or(|v| v < before))
        })
    }
}

/// A value of a field: a flag, or a limit.
trait Value: Copy {
    fn is_set(self) -> bool;
    /// A driver with this value has more of the fault than a module for another value avoids.
    fn exceeds(self, avoided: Self) -> bool;
}

impl Value for bool {
    fn is_set(self) -> bool {
        self
    }

    fn exceeds(self, avoided: bool) -> bool {
        self && !avoided
    }
}

impl Value for Option<u32> {
    fn is_set(self) -> bool {
        self.is_some()
    }

    fn exceeds(self, avoided: Option<u32>) -> bool {
        self.is_some_and(|limit| avoided.is_none_or(|a| a > limit))
    }
}

/// Generates the struct and the table from rows: `name: type = value if set, drivers, kind, elsewhere, description, met by, case`.
macro_rules! quirks {
    ($($name:ident: $type:ty = $value:expr, $affected:expr, $kind:ident, $elsewhere:ident, $description:literal, $met_by:literal, $case:literal;)*) => {
        /// The quirks of one driver.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Quirks {
            $(#[doc = $description] pub $name: $type,)*
        }

        /// All quirks.
        pub const TABLE: &[Quirk] = &[$(Quirk {
            name: stringify!($name),
            affected: $affected,
            kind: Kind::$kind,
            elsewhere: Elsewhere::$elsewhere,
            description: $description,
            met_by: $met_by,
            case: $case,
            set: |quirks, on| quirks.$name = if on { $value } else { Default::default() },
            is_set: |quirks| quirks.$name.is_set(),
            exceeds: |driver, avoided| driver.$name.exceeds(avoided.$name),
        },)*];
    };
}

quirks! {
    atomics_order_themselves: bool = true, &[LLVMPIPE_BEFORE_25], Hang, Equal,
        "A memory barrier, also one of an atomic's order, is an execution barrier for the work-group: in a loop that work-items leave at different times, those that stay are never resumed. Read-modify-writes are sequentially consistent without an order, and replace fences and ordered accesses.",
        "our tests of ordered atomics", "run/atomics/";

    sub_group_barriers_for_groups: bool = true, &[LLVMPIPE_FROM_25], WrongCode, Equal,
        "An execution barrier of a sub-group is one for the work-group: sub-groups that reach different numbers of them wait at each other's. The members of a sub-group execute in step, so that a memory barrier replaces it.",
        "our tests of sub-groups", "run/barriers/wide_sub_group_barriers.cl";

    unfused_fma: bool = true, &[LLVMPIPE], WrongCode, Avoid,
        "An Fma instruction is a multiplication and an addition with two roundings. OpenCL's fma has one rounding (OpenCL C §7.4).",
        "OpenCL-CTS math_brute_force", "run/math/";

    stale_loop_values: bool = true, &[LLVMPIPE_BEFORE_25, SWIFTSHADER], WrongCode, Avoid,
        "Only phis keep the values of lanes that have left a loop. Another value, used after the loop, is what the last iteration gave, and a load gives zero. On llvmpipe that holds for private variables too.",
        "our tests of loops", "run/control/loop-exits.cl";

    unreached_after_loop_returns: bool = true, &[LLVMPIPE_BEFORE_25], WrongCode, Avoid,
        "Code after a loop with a return in it is not reached where memory decides the loop's condition, though the return is not taken.",
        "our tests of returns", "run/control/return_in_loop.cl";

    overwritten_indices: bool = true, &[LLVMPIPE_BEFORE_25], WrongCode, Avoid,
        "The register of a private array's index is reused while the array is still accessed by it.",
        "random programs", "run/memory/index_used_again.cl";

    float_operands_of_atomics: bool = true, &[LLVMPIPE_BEFORE_25], Crash, Avoid,
        "Operands of atomics by addresses keep the float type in which they were computed, and LLVM ends the process.",
        "random programs", "run/atomics/computed_floats.cl";

    max_iterations: Option<u32> = Some(65_535), &[LLVMPIPE_BEFORE_25], WrongCode, Avoid,
        "All loops of an invocation end together after this many iterations, silently. The limit is 65,535 in 22.3; 25.0 has none.",
        "PyOpenCL's scans, Monte Carlo eXtreme and serial reductions", "run/loops/a_million_turns.cl";

    max_nesting: Option<u32> = Some(76), &[LLVMPIPE], WrongCode, Avoid,
        "Conditions that are nested deeper are not executed. llvmpipe has room for 80 levels, of which breaks take some; 25.0 crashes instead.",
        "our tests of sizes", "run/control/deep_conditions.cl";

    nested_exits: bool = true, &[LLVMPIPE], WrongCode, Avoid,
        "Code after a condition of which one arm leaves a loop or returns is nested in it, and counts for `max_nesting`. 25.0 crashes with 90 such conditions in a row; 22.3 gives wrong values with 130.",
        "our tests of sizes", "run/control/many_returns.cl";

    max_switch_cases: Option<u32> = Some(16), &[LLVMPIPE], WrongCode, Avoid,
        "A switch becomes a row of conditions, each nested in the one before. A switch of more cases becomes a binary search. 22.3 gives wrong values with 130 cases; 25.0 crashes.",
        "our tests of sizes", "run/control/many_cases.cl";

    wrong_copysign_selects: bool = true, &[LLVMPIPE], WrongCode, Avoid,
        "LLVM swaps operands of vpternlog under a mask on processors with AVX-512, where the sign of one number is joined with the rest of another and one of the two is selected (LLVM 15 and 19).",
        "bench's functions against a reference (sinh)", "run/math/sinh_of_counted.cl";

    wrong_int64_comparisons: bool = true, &[LLVMPIPE_BEFORE_25], WrongCode, Avoid,
        "Signed comparisons of 64-bit integers that were 32-bit ones with a constant are narrowed wrongly.",
        "random programs", "run/operators/extended_comparisons.cl";

    coarse_linear_filters: bool = true, &[LLVMPIPE], WrongCode, Avoid,
        "Linear filters of 8-bit channels use weights and results of 8 bits: off by up to 1/255 (OpenCL C, \"Image Addressing and Filtering\").",
        "the table of image formats (docs/results/data/images.md)", "run/images/linear.cl";

    coarse_signed_filters: bool = true, &[NVIDIA], WrongCode, Avoid,
        "Linear filters take -128 of signed bytes as -128/127, which OpenCL C has as -1, with weights of 8 bits: off by more than 1/127.",
        "the table of image formats (docs/results/data/images.md)", "run/images/linear.cl";

    truncated_half_texels: bool = true, &[LLVMPIPE], WrongCode, Harmless,
        "Writes of half images cut off bits, which OpenCL allows; other drivers round. Texels that a kernel packs are made alike.",
        "the table of image formats (docs/results/data/images.md)", "run/images/read_write.cl";

    widened_short_channels: bool = true, &[NVIDIA], MissingFeature, Harmless,
        "Samplers widen channels of 5 and 6 bits to 8 by repeating their highest bits. Images of such texels are not offered.",
        "OpenCL-CTS kernel_read_write", "run/images/";

    private_overruns: Option<u32> = Some(64), &[NVIDIA], Crash, Avoid,
        "An access behind the last private variable is a fault of the whole device. NVIDIA's OpenCL has room there, which programs rely on without knowing. Arrays get so many bytes more.",
        "John the Ripper (sha256crypt, sha512crypt, gpg)", "run/memory/behind_the_end.cl";

    phis_of_phis: bool = true, &[NVIDIA], Crash, Avoid,
        "The compiler crashes on phis of bools whose operand is another phi of the same block. Such an operand is copied where the block is left.",
        "John the Ripper (pgpwde, ssh, office and eight other formats)", "run/control/bools_of_bools.cl";

    wrong_byte_swaps: bool = true, &[NVIDIA], WrongCode, Avoid,
        "(x << 8 | x >> 8) in 16 bits gives zeros, or a register with an address.",
        "random programs", "run/vectors/bytes_swapped_of_constants.cl";

    wrong_8_bit_arithmetic: bool = true, &[NVIDIA], WrongCode, Avoid,
        "Some 8-bit arithmetic is wrong, in one random program of some 5,000. It is computed in 32 bits.",
        "random programs", "run/operators/";

    wrong_16_bit_arithmetic: bool = true, &[NVIDIA], WrongCode, Avoid,
        "Some 16-bit arithmetic is wrong (bit counts, sums, comparisons), in one random program of some 5,000. It is computed in 32 bits.",
        "random programs", "run/operators/";

    swapped_vector_operands: bool = true, &[NVIDIA], WrongCode, Avoid,
        "x - v becomes v - x where v is a vector of integers that a loop carries; x / v and -v likewise. Scalars are right.",
        "random programs", "run/vectors/carried_by_loops.cl";

    wrong_int64_low_bits: bool = true, &[NVIDIA], WrongCode, Avoid,
        "The lowest bit of a 64-bit number is taken for set where it selects in place of a product, (x & 1) * y.",
        "random programs", "run/operators/lowest_bits.cl";

    wrong_sign_extended_bytes: bool = true, &[NVIDIA], WrongCode, Avoid,
        "Sign-extended lanes of 8-bit vectors that are loaded from an address are taken for small: a quotient has 24 right bits. Such vectors are loaded as words.",
        "random programs", "run/operators/bytes_divided.cl";

    wrong_int64_conversions: bool = true, &[NVIDIA], WrongCode, Avoid,
        "64-bit integers of floats are wrong beside other 64-bit arithmetic, or the compiler fails. They are made of two 32-bit halves.",
        "random programs", "run/conversions/saturated_beside_wide.cl";

    wrong_int64_overflow_checks: bool = true, &[NVIDIA], WrongCode, Avoid,
        "64-bit sums and differences whose overflow a comparison asks for, as saturating ones, are wrong beside other 64-bit arithmetic.",
        "random programs", "run/builtins/wide_sums_saturate.cl";

    wrong_int64_shifts: bool = true, &[NVIDIA], WrongCode, Avoid,
        "A shift by 31 of a sign-extended 32-bit integer is a product with -2^31.",
        "random programs", "run/operators/wide_shifts.cl";

    wrong_non_writable: bool = true, &[NVIDIA], WrongCode, Avoid,
        "Buffers are read as if nothing wrote them where another buffer of the module is NonWritable: a load after a store of the same work-item gives the old value.",
        "our tests of program-scope variables", "run/program_scope/beside_constants.cl";

    denormal_doubles: bool = true, &[NVIDIA], MissingFeature, Relied,
        "NVIDIA's GPUs compute with denormal doubles; the driver does not say so in shaderDenormPreserveFloat64. Sums, products, quotients, roots and fused products of 131,072 doubles had the exact bits on an H200.",
        "OpenCL-CTS, doubles", "run/math/";

    denormal_floats: bool = true, &[LLVMPIPE], MissingFeature, Harmless,
        "llvmpipe computes with denormal floats and does not say so in shaderDenormPreserveFloat32 (docs/results/accuracy.md).",
        "docs/results/accuracy.md", "run/math/";

    precise_exp2: bool = true, &[NVIDIA], Slow, Relied,
        "Exp2 is off by at most 2 ulp where its result is a normal number, and Fma has one rounding: exponentials are built on it (docs/results/accuracy.md).",
        "measurement on an H200", "run/math/";

    slow_float_division: bool = true, &[NVIDIA], Slow, Relied,
        "In a module with RoundingModeRTE a quotient of floats is the nearest one: some 20 instructions with a branch, and a call for denormals. Kernels with quotients leave the mode out; sums, products, roots and conversions are rounded to nearest all the same.",
        "measurement on an H200", "run/math/quotients.cl";

    wrong_denormal_logs: bool = true, &[LLVMPIPE, SWIFTSHADER], WrongCode, Avoid,
        "Log and Log2 take a denormal for a number next to 2^-127. The library's logarithms stand in.",
        "bench's functions against a reference", "run/math/";

    double_rounded_unsigned: bool = true, &[SWIFTSHADER], WrongCode, Avoid,
        "Unsigned 32-bit integers of 2^31 and more are rounded twice on their way to float.",
        "bench's functions against a reference", "run/conversions/large_to_float.cl";

    folds_zeros: bool = true, &[LLVMPIPE], WrongCode, Avoid,
        "Quotients of a constant 0, and before Mesa 25 products with it, are folded to 0, and sums with it to the other operand: signs of zeros, infinities and NaNs are lost.",
        "random programs", "run/math/constant_zeros.cl";

    wrong_select_zeros: bool = true, &[MESA], WrongCode, Avoid,
        "Constant zeros in some selections become zeros of the other sign, and fabs of a known -0 is left out.",
        "random programs", "run/math/zeros_that_are_chosen.cl";

    narrowed_phi_constants: bool = true, &[TURNIP, HONEYKRISP], WrongCode, Avoid,
        "Constants that meet converted numbers in a phi are narrowed: 1.0f beside a float of a short becomes 15360.",
        "IR3's compiler on modules of the benchmark", "run/conversions/beside_constants.cl";

    lost_select_zero_signs: bool = true, &[NVIDIA], WrongCode, Avoid,
        "A constant -0 that a selection of floats gives becomes 0.",
        "random programs", "run/math/zeros_that_are_chosen.cl";

    folded_half_round_trips: bool = true, &[NVIDIA], WrongCode, Avoid,
        "A float that is converted to half and back is taken for the float itself.",
        "random programs", "run/math/rounded_to_half_on_the_way.cl";

    slow_addresses_without_float16: bool = true, &[RADV], Slow, Harmless,
        "AMD's GPUs before GFX9, which RADV shows by the absence of shaderFloat16, take addresses from vector registers alone. Kernels that can use either binding model use descriptors.",
        "RADV's null device (docs/results/performance.md)", "";

    split_address_arithmetic: bool = true, &[TURNIP, PANVK, ANV], Slow, Harmless,
        "Each address is computed in two halves, of three to seven instructions. With descriptors kernels have 0.6 to 0.8 of the instructions.",
        "the drivers' compilers (docs/results/performance.md)", "";

    slow_denormals_without_float16: bool = true, &[RADV], Slow, Harmless,
        "AMD's GPUs before GFX9 have a fused multiply-add only where denormal floats are flushed. OpenCL does not require denormal floats (CL_DEVICE_SINGLE_FP_CONFIG), and they are not asked for.",
        "RADV's null device (docs/results/performance.md)", "";

    fast_addresses: bool = true, &[LLVMPIPE_FROM_25], Slow, Harmless,
        "An access by address is one gather or scatter for all lanes from Mesa 25 on. Addresses take 0.6 to 0.7 of the time of descriptors there, and 2.3 times as long in 22.3.",
        "measurement on Mesa 25.0", "";

    slow_unrolled_loops: bool = true, &[LLVMPIPE], Slow, Harmless,
        "The code of a load or store is long. A large loop that is unrolled leaves the instruction cache (a matrix product by tiles takes 1.4 times as long) and compiles three times as long.",
        "measurement on Mesa 22.3", "";

    slow_consecutive_loops: bool = true, &[LLVMPIPE_BEFORE_25], Slow, Harmless,
        "LLVM's loop strength reduction takes cubic time in the number of loops in a row, because one register counts the iterations of all loops. 80 loops without a load take 45 s to compile.",
        "our tests of sizes", "run/loops/one_after_another.cl";

    unrolls_only_on_hint: bool = true, &[NVIDIA], Slow, Harmless,
        "The Vulkan compiler unrolls loops that ask for it, and few others; NVIDIA's OpenCL unrolls small ones by itself.",
        "measurement on an H200", "";

    prefers_array_elements: bool = true, &[NVIDIA], Slow, Harmless,
        "Accesses to elements of an array at a buffer's address compile better than accesses at computed addresses (0.92 of an FFT's time on an H200).",
        "measurement on an H200", "";

    prefers_larger_operand_first: bool = true, &[NVIDIA], Slow, Harmless,
        "LOP3 computes any function of three words, but the Vulkan compiler fuses (z & (x ^ y)) | (x & y) into one, and (x & y) | (z & (x ^ y)) into two: the larger operand must be the first. hashcat's SHA-256 had 382 LOP3 instead of 318 an iteration, its MD4 72 instead of 53.",
        "hashcat", "";

    slow_scans: bool = true, &[NVIDIA], Slow, Harmless,
        "Sub-group scans are slower than scans by shuffles (281 against 246 us on an H200).",
        "measurement on an H200", "";

    lacks_licm: bool = true, &[MESA, NVIDIA], Slow, Harmless,
        "Invariant computations stay in loops, and Mesa counts the iterations only of loops that test the plain counter.",
        "RADV's null device and an H200", "";

    wrong_trip_counts: bool = true, &[MESA, NVIDIA], WrongCode, Avoid,
        "The trip count is wrong for loops whose counter wraps around; Mesa's also for float counters, NVIDIA's for counters that fall to the negative of a value (Mesa 22.3 and 25.0, NVIDIA 580).",
        "random programs", "run/loops/steps_that_wrap_around.cl";

    lacks_jump_threading: bool = true, &[RADV, TURNIP, PANVK], Slow, Harmless,
        "Two tests whose results meet in one condition are not threaded to their targets.",
        "RADV's null device", "";

    lacks_code_hoisting: bool = true, &[MESA], Slow, Harmless,
        "Code that both arms of a branch have in common stays in each of them.",
        "RADV's null device", "";

    lacks_cheap_licm: bool = true, &[RADV], Slow, Harmless,
        "Invariants stay in loops even where they need no more registers.",
        "RADV's null device", "";

    slow_signed_remainders: bool = true, &[RADV], Slow, Harmless,
        "Signed quotients are made of magnitudes, and unsigned remainders need no quotient: a signed remainder is made of an unsigned one.",
        "RADV's null device", "";

    bounded_ids: bool = true, &[RADV], Slow, Harmless,
        "The compiler knows how large Vulkan's ids are, and uses 24-bit multiply-adds: pipelines are specialised for ids that begin at 0.",
        "RADV's null device", "";
}

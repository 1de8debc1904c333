//! What drivers get wrong, or do and do not say, as far as modules must be written in another way for them: one table, by driver.
//! A [`Target`](crate::Target) carries what holds for its driver; passes and the writer ask for nothing else.
//!
//! What concerns the runtime alone is in `vk-runtime` (`Workarounds`).

use serde::{Deserialize, Serialize};

/// A driver that has quirks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Driver {
    /// NVIDIA's own (seen: 580, on an H200).
    Nvidia,
    /// Mesa's llvmpipe (seen: 22.3).
    Llvmpipe,
    /// Mesa's RADV, for AMD's GPUs (seen: 22.3, on its null device).
    Radv,
    /// Mesa's Turnip, for Qualcomm's Adreno (seen: 25.0's compiler, for devices that were not there).
    Turnip,
    /// Mesa's PanVK, for ARM's Mali (the same).
    PanVk,
    /// Mesa's Honeykrisp, for Apple's GPUs (its source was seen).
    Honeykrisp,
    /// Mesa's ANV, for Intel's GPUs (the same, and 22.3's).
    Anv,
    /// Another one of Mesa's, which all begin with the same compiler.
    Mesa,
    /// Google's SwiftShader, which computes on the processor (seen: Chromium 150's).
    SwiftShader,
}

/// The quirks of one driver.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Quirks {
    /// llvmpipe makes a memory barrier a point where the work-items of a group wait for each other, one of an atomic's order
    /// too: in a loop that they leave at different times, those that stay are never resumed. Its read-modify-writes are
    /// sequentially consistent without an order, and stand for fences and ordered loads and stores.
    pub atomics_order_themselves: bool,
    /// llvmpipe makes a multiplication and an addition of an Fma, with two roundings; OpenCL's `fma` has one (OpenCL C §7.4).
    pub unfused_fma: bool,
    /// llvmpipe keeps for lanes that have left a loop only its phis: another value, used behind the loop, is what the loop's
    /// last turn gave, and a load gives a lane that has left zero. Private variables are such values there. SwiftShader likewise,
    /// but for private variables.
    pub stale_loop_values: bool,
    /// llvmpipe does not come to what stands behind a loop with a return in it, where the loop's condition reads memory, though
    /// the return is not taken.
    pub lost_in_returns: bool,
    /// llvmpipe lets an index of a private array share its register with another value while the array is still accessed by it
    /// (seen: 22.3): indices get values of their own, which are in no phi.
    pub overwritten_indices: bool,
    /// llvmpipe gives LLVM the operands of atomics by addresses as floats where it computed them as such, which ends the process (`passes/workaround/opaque_atomic_operand.rs`).
    pub float_operands_of_atomics: bool,
    /// How many turns the loops of a work-item may take together: llvmpipe ends all of them then, silently, after their first turn
    /// (seen: 22.3, 65,535; not 25.0).
    pub most_turns: Option<u32>,
    /// How deep conditions may be nested, where those deeper are not executed: llvmpipe has room for 80 (what a driver makes of
    /// breaks takes some; seen: 22.3, and 25.0, which crashes).
    pub deepest_nesting: Option<u32>,
    /// What stands behind a condition of which one way leaves a loop, or returns, is nested in it by Mesa's compiler (seen: 25.0, whose llvmpipe
    /// crashes with 90 such conditions in a row; 22.3 gives wrong values with 130 `continue`s): it counts for `deepest_nesting`.
    pub nested_exits: bool,
    /// A switch of more cases becomes a binary search for those of fewer. Mesa's compiler makes a switch a row of conditions, of which each that leaves
    /// the loop is nested in the one before (seen: llvmpipe of 22.3, wrong values with 130 cases, also without a jump in any of them, as the end
    /// of a loop's body is one; 25.0, which crashes; not SwiftShader, NVIDIA; `fuzz sizes --family switch`).
    pub most_cases: Option<u32>,
    /// llvmpipe takes operands for each other where it joins the sign of one number with the rest of another and chooses between that and one of the
    /// two, on processors with AVX-512 (LLVM's vpternlog under a mask; seen: Mesa 22.3 with LLVM 15, 25.0 with LLVM 19): the masks
    /// are hidden.
    pub wrong_joined_signs: bool,
    /// Mesa's compiler gives wrong results of signed comparisons of 64-bit integers that were 32-bit ones with what it finds to be
    /// constant (seen: 22.3, llvmpipe): they are compared as unsigned ones.
    pub wrong_wide_comparisons: bool,
    /// llvmpipe filters channels of 8 bits with weights and results of 8 bits, rounded for each dimension: off by up to 1/255, where
    /// OpenCL C has the weights as they are ("Image Addressing and Filtering"). Linear filters are computed in the kernel.
    pub coarse_linear_filters: bool,
    /// NVIDIA's filters -128 of channels of signed bytes as -128/127, which OpenCL C has as -1 ("Conversion Rules for Normalized Integer
    /// Channel Data Types"), and weights have 8 bits: off by more than 1/127 together. Linear filters of images of CL_SNORM_INT8 are
    /// computed in the kernel.
    pub coarse_signed_filters: bool,
    /// llvmpipe cuts off the bits that halves have not where it writes images of them, which OpenCL allows; others round (OpenCL API,
    /// "Conversion Rules for Floating-Point Channel Data Types"). Texels that the kernel packs are made alike.
    pub cut_halves_in_images: bool,
    /// NVIDIA's samplers widen channels of 5 and 6 bits to 8 by repeating their highest bits: 17 of 31 is read as 140 of 255, further off than half a
    /// unit of float. Images of such texels are not offered there.
    pub widened_short_channels: bool,
    /// NVIDIA's makes nonsense of (x << 8 | x >> 8) in 16 bits: zeros, or a register with an address. Its own instruction for
    /// it is what is wrong, not the shifts.
    pub wrong_byte_swaps: bool,
    /// NVIDIA's gets some 8- and 16-bit arithmetic wrong (one random program in some 5,000; seen with bit counts, sums and
    /// comparisons): `legalize_types` computes in 32 bits, and memory holds what it holds.
    pub wrong_8_bit_arithmetic: bool,
    /// The same of 16 bits.
    pub wrong_16_bit_arithmetic: bool,
    /// NVIDIA's takes `x - v` for `v - x` where `v` is a vector of integers that a loop carries; `x / v` and `-v` likewise. Scalars
    /// are right.
    pub swapped_vector_operands: bool,
    /// NVIDIA's takes the lowest bit of a 64-bit number for set where it chooses by it in place of a product, `(x & 1) * y`.
    pub wrong_lowest_bits: bool,
    /// NVIDIA's takes lanes of vectors of 8-bit integers that are loaded from an address for small where they are extended with their
    /// signs: a quotient of one has 24 bits that are right. Such vectors are loaded as words.
    pub wrong_small_vectors: bool,
    /// NVIDIA's makes 64-bit integers of floats wrongly beside other 64-bit arithmetic, or ends with an error: they are made of two
    /// of 32 bits.
    pub wrong_wide_conversions: bool,
    /// NVIDIA's finds 64-bit sums and differences that wrap by comparisons, as saturating ones do, and gets some wrong beside other
    /// 64-bit arithmetic: the bits tell whether they wrapped, where a program itself compares them, too (`passes/workaround/overflow_idioms.rs`).
    pub wrong_wide_sums: bool,
    /// NVIDIA's shifts a 32-bit integer that was extended with its sign by 31 as by a product with -2^31.
    pub wrong_wide_shifts: bool,
    /// NVIDIA's reads buffers as if nothing wrote them where another buffer of the module, of the same or of another entry
    /// point, is NonWritable: a load after a store of the same work-item gives what was there before.
    pub wrong_non_writable: bool,
    /// NVIDIA's GPUs compute with denormal doubles and have no other way (sums, products, quotients, roots and fused products of
    /// 131,072 doubles, a fifth of them denormal, had the exact bits on an H200); the driver does not say so in
    /// shaderDenormPreserveFloat64.
    pub denormal_doubles: bool,
    /// llvmpipe computes with denormal floats, as LLVM's code does without flags to the contrary (no function gave a zero in place of one,
    /// docs/accuracy.md); it does not say so in shaderDenormPreserveFloat32.
    pub denormal_floats: bool,
    /// NVIDIA's Exp2 is off by 2 ulp at most where its result is a normal number, infinities and NaNs as they should be (docs/accuracy.md,
    /// native_exp2), and its Fma has one rounding: exponentials are built on it, which is faster than a polynomial.
    pub precise_exp2: bool,
    /// NVIDIA's quotients of floats are some 13 instructions with a branch, since they are the nearest floats with the mode that rounds
    /// sums so: `native_recip` and `native_divide` do without.
    pub slow_quotients: bool,
    /// llvmpipe's and SwiftShader's Log and Log2 take a denormal for a number next to 2⁻¹²⁷: neither its logarithm nor that of zero. The library's logarithms
    /// stand in.
    pub wrong_logs_of_denormals: bool,
    /// SwiftShader rounds unsigned 32-bit integers of 2³¹ and more twice on their way to float (`passes/workaround/signed_int_to_float.rs`).
    pub unsigned_rounded_twice: bool,
    /// llvmpipe takes quotients of a constant 0, and before Mesa 25 products with it, for 0, whatever the other operand is, and what it is added to for
    /// the sum (`passes/workaround/opaque_zero.rs`).
    pub folds_zeros: bool,
    /// Mesa's drivers take constant zeros for zeros of the other sign, or for what is not less than 0, in some choices (`passes/workaround/opaque_select.rs`), and leave out
    /// `fabs` of a -0 that they know (`passes/workaround/fabs_by_mask.rs`).
    pub confuses_choices: bool,
    /// Turnip and Honeykrisp take constants that meet converted numbers behind a branch for others (`passes/workaround/opaque_phi.rs`).
    pub narrowed_merges: bool,
    /// NVIDIA's takes a constant -0 that a float is chosen to be for 0 (`passes/workaround/opaque_select.rs`).
    pub loses_chosen_signs: bool,
    /// NVIDIA takes a float that becomes a half and is converted again for the float itself (`passes/workaround/opaque_rounding.rs`).
    pub forgets_halves: bool,
    /// AMD's GPUs before GFX9, which RADV tells by the absence of shaderFloat16, take an address from vector registers alone: each
    /// load adds 64 bits to the buffer's start there, where a descriptor does without. Kernels that can use either have descriptors.
    pub slow_addresses_without_float16: bool,
    /// Turnip, PanVK and ANV compute each address in two halves, of three to seven instructions, and take no offset, where a descriptor's offset has 32 bits
    /// and is often part of the access: by descriptors kernels have 0.6 to 0.8 of the instructions (docs/performance.md).
    pub halved_addresses: bool,
    /// AMD's GPUs before GFX9 multiply and add floats in one instruction only where denormal ones are flushed: a matrix product takes 1.6 times as many
    /// instructions else. OpenCL does not ask for denormal floats (table "Device Queries", CL_DEVICE_SINGLE_FP_CONFIG): they are not asked for there.
    pub slow_denormals_without_float16: bool,
    /// llvmpipe's accesses by address are one gather or scatter of LLVM's for all lanes in Mesa 25; by a descriptor each lane reads the descriptor and
    /// compares with its size for itself. Addresses take 0.6 to 0.7 of the time, to run and to compile; in Mesa 22.3 2.3 times as long.
    pub quick_addresses: bool,
    /// llvmpipe's code for a load or a store is long, a loop over the lanes before Mesa 25: a large loop that is unrolled leaves the processor's
    /// instruction cache (a matrix product by tiles takes 1.4 times as long) and takes LLVM three times as long to compile. Sources ask for it
    /// with GPUs in mind; the driver unrolls small loops by itself, and is left to decide.
    pub slow_unrolled_loops: bool,
    /// llvmpipe of Mesa 22.3 counts the iterations of all loops in one register, which LLVM's loop strength reduction writes out at each of them by all
    /// before: by the third power of their number (80 loops without a load take 45 s to compile; `fuzz sizes --family loops`). Some in a row get a loop around them (`passes/workaround/group_loops.rs`). 25.0 has no such register.
    pub slow_loop_rows: bool,
    /// NVIDIA's unrolls loops that say so, and few others; its OpenCL unrolls small ones by itself.
    pub unrolls_when_told: bool,
    /// NVIDIA's makes better code of accesses to elements of an array at a buffer's address than of ones at computed addresses
    /// (0.92 of the time of an FFT, 0.96 of a stencil's on an H200).
    pub prefers_elements: bool,
    /// NVIDIA's own scans of a sub-group are slower than ones by shuffles (a scan of each 256 words took 281 µs for 246 on an H200).
    pub slow_scans: bool,
    /// Mesa's compilers move nothing out of loops, and count the rounds only of loops that test the counter as it came
    /// (`passes/optimize/licm/mod.rs`). NVIDIA's computes quotients anew in each slice of a matrix product (0.90 and 0.97 of the time on an H200).
    pub keeps_invariants: bool,
    /// Mesa's compilers and NVIDIA's count the rounds of loops wrongly whose counters wrap around, Mesa's of ones with floats, too: they do not learn by what
    /// such counters step (`passes/workaround/opaque_step/mod.rs`; seen: Mesa 22.3 and 25.0, NVIDIA's 580).
    pub miscounted_rounds: bool,
    /// RADV's, Turnip's and PanVK's keep two tests whose results meet in one condition apart from what they decide (`passes/optimize/jump_threading.rs`).
    pub keeps_joined_tests: bool,
    /// Mesa's compilers do what both ways of a branch do on each of them (`passes/optimize/hoist_sink_common.rs`).
    pub keeps_common_code: bool,
    /// RADV's moves nothing out of loops, not even what takes no register more there; AMD's GPUs have enough for some that do
    /// (`passes/optimize/licm/mod.rs`).
    pub keeps_cheap_invariants: bool,
    /// RADV's computes quotients by those of magnitudes, and an unsigned remainder without the quotient: a signed one of values that are not
    /// known is made of it.
    pub remainders_of_magnitudes: bool,
    /// RADV's knows how large Vulkan's ids are, and multiplies and adds in one instruction what has 24 bits: pipelines are told where
    /// ids begin at 0 ([`KernelInfo::told`](crate::KernelInfo)).
    pub bounded_ids: bool,
}

/// The drivers by the names that `--driver` takes, and by Vulkan's names for their ids.
const DRIVERS: [(Driver, &str, &str); 9] = [
    (Driver::Nvidia, "nvidia", "VK_DRIVER_ID_NVIDIA_PROPRIETARY"),
    (Driver::Llvmpipe, "llvmpipe", "VK_DRIVER_ID_MESA_LLVMPIPE"),
    (Driver::Radv, "radv", "VK_DRIVER_ID_MESA_RADV"),
    (Driver::SwiftShader, "swiftshader", "VK_DRIVER_ID_GOOGLE_SWIFTSHADER"),
    (Driver::Turnip, "turnip", "VK_DRIVER_ID_MESA_TURNIP"),
    (Driver::PanVk, "panvk", "VK_DRIVER_ID_MESA_PANVK"),
    (Driver::Honeykrisp, "honeykrisp", "VK_DRIVER_ID_MESA_HONEYKRISP"),
    (Driver::Anv, "anv", "VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA"),
    (Driver::Mesa, "mesa", "VK_DRIVER_ID_MESA_V3DV"),
];

/// Mesa's others. That of a virtual machine (Venus) may have one of them behind it.
const OF_MESA: [&str; 4] = [
    "VK_DRIVER_ID_MESA_VENUS",
    "VK_DRIVER_ID_MESA_DOZEN",
    "VK_DRIVER_ID_MESA_NVK",
    "VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA",
];

/// A driver's version: major and minor number.
pub type Version = (u32, u32);

/// The version that a driver of Mesa's says in `driverInfo`: `Mesa 22.3.6 (LLVM 15.0.6)`.
#[must_use]
pub fn version_of_mesa(info: &str) -> Option<Version> {
    version(info.split_once("Mesa ")?.1)
}

/// The numbers that a text begins with.
fn version(text: &str) -> Option<Version> {
    let mut numbers =
        text.splitn(3, '.').map(|n| n.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
    Some((numbers.next()?.parse().ok()?, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
}

impl Driver {
    /// The driver of a name: `nvidia`, `llvmpipe`, `radv`, `swiftshader`, `turnip`, `panvk`, `honeykrisp`, `anv`, `mesa`; a version may follow (`nvidia-580`), as the quirks are
    /// those of all versions until one is known that has them not.
    #[must_use]
    pub fn named(name: &str) -> Option<Driver> {
        let plain = name.split_once('-').map_or(name, |n| n.0);
        DRIVERS.iter().find(|d| d.1 == plain).map(|d| d.0)
    }

    /// The names that [`Driver::named`] takes.
    #[must_use]
    pub fn names() -> [&'static str; 9] {
        DRIVERS.map(|d| d.1)
    }

    /// The version in such a name, as [`Quirks::of_version`] takes it: `llvmpipe-25.0.7`.
    #[must_use]
    pub fn version_in_name(name: &str) -> Option<Version> {
        version(name.split_once('-')?.1)
    }

    /// The driver of a VkDriverId, by the enumerant's name.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Driver> {
        let other = OF_MESA.contains(&id).then_some(Driver::Mesa);
        DRIVERS.iter().find(|d| d.2 == id).map(|d| d.0).or(other)
    }
}

impl Quirks {
    /// What holds for some version of a driver; nothing for one that is not in the table.
    #[must_use]
    pub fn of(driver: Option<Driver>) -> Quirks {
        Quirks::of_version(driver, None)
    }

    /// What holds for a version of a driver, or for some, if it is not known.
    #[must_use]
    pub fn of_version(driver: Option<Driver>, version: Option<Version>) -> Quirks {
        let nvidia = driver == Some(Driver::Nvidia);
        let swiftshader = driver == Some(Driver::SwiftShader);
        let llvmpipe = driver == Some(Driver::Llvmpipe);
        let [radv, turnip, panvk, anv] =
            [Driver::Radv, Driver::Turnip, Driver::PanVk, Driver::Anv].map(|d| driver == Some(d));
        // The other drivers in the table.
        let mesa = matches!(driver, Some(d) if ![Driver::Nvidia, Driver::SwiftShader].contains(&d));
        // The first version that was seen to be without most of them; in between none was tried.
        let old_llvmpipe = llvmpipe && version.is_none_or(|v| v < (25, 0));
        Quirks {
            atomics_order_themselves: old_llvmpipe,
            unfused_fma: llvmpipe,
            stale_loop_values: old_llvmpipe || swiftshader,
            lost_in_returns: old_llvmpipe,
            overwritten_indices: old_llvmpipe,
            float_operands_of_atomics: old_llvmpipe,
            most_turns: old_llvmpipe.then_some(65_535),
            deepest_nesting: llvmpipe.then_some(76),
            nested_exits: llvmpipe,
            most_cases: llvmpipe.then_some(16),
            wrong_joined_signs: llvmpipe,
            wrong_wide_comparisons: old_llvmpipe,
            coarse_linear_filters: llvmpipe,
            coarse_signed_filters: nvidia,
            cut_halves_in_images: llvmpipe,
            widened_short_channels: nvidia,
            wrong_byte_swaps: nvidia,
            wrong_8_bit_arithmetic: nvidia,
            wrong_16_bit_arithmetic: nvidia,
            swapped_vector_operands: nvidia,
            wrong_lowest_bits: nvidia,
            wrong_small_vectors: nvidia,
            wrong_wide_conversions: nvidia,
            wrong_wide_sums: nvidia,
            wrong_wide_shifts: nvidia,
            wrong_non_writable: nvidia,
            denormal_doubles: nvidia,
            denormal_floats: llvmpipe,
            precise_exp2: nvidia,
            slow_quotients: nvidia,
            wrong_logs_of_denormals: llvmpipe || swiftshader,
            unsigned_rounded_twice: swiftshader,
            folds_zeros: llvmpipe,
            confuses_choices: mesa,
            narrowed_merges: turnip || driver == Some(Driver::Honeykrisp),
            loses_chosen_signs: nvidia,
            forgets_halves: nvidia,
            slow_addresses_without_float16: radv,
            halved_addresses: turnip || panvk || anv,
            slow_denormals_without_float16: radv,
            quick_addresses: llvmpipe && !old_llvmpipe,
            slow_unrolled_loops: llvmpipe,
            slow_loop_rows: old_llvmpipe,
            unrolls_when_told: nvidia,
            prefers_elements: nvidia,
            slow_scans: nvidia,
            keeps_invariants: mesa || nvidia,
            miscounted_rounds: mesa || nvidia,
            keeps_joined_tests: radv || turnip || panvk,
            keeps_common_code: mesa,
            keeps_cheap_invariants: radv,
            remainders_of_magnitudes: radv,
            bounded_ids: radv,
        }
    }

    /// What keeps a module that was made for these quirks from being right on a driver with others: a fault that it does not
    /// avoid, or a virtue that it builds on and the driver has not. `None` if nothing does; what costs time alone is nothing.
    #[must_use]
    pub fn wrong_on(&self, driver: &Quirks) -> Option<&'static str> {
        // Taken apart, so that a new quirk is decided upon here.
        let Quirks {
            atomics_order_themselves,
            unfused_fma,
            stale_loop_values,
            lost_in_returns,
            overwritten_indices,
            float_operands_of_atomics,
            most_turns,
            deepest_nesting,
            nested_exits,
            most_cases,
            wrong_joined_signs,
            wrong_wide_comparisons,
            coarse_linear_filters,
            coarse_signed_filters,
            wrong_byte_swaps,
            wrong_8_bit_arithmetic,
            wrong_16_bit_arithmetic,
            swapped_vector_operands,
            wrong_lowest_bits,
            wrong_non_writable,
            wrong_small_vectors,
            wrong_wide_conversions,
            wrong_wide_sums,
            wrong_wide_shifts,
            wrong_logs_of_denormals,
            unsigned_rounded_twice,
            folds_zeros,
            confuses_choices,
            narrowed_merges,
            loses_chosen_signs,
            forgets_halves,
            miscounted_rounds,
            // What the API says of the device, and what OpenCL allows either way: not what makes results wrong.
            denormal_floats: _,
            cut_halves_in_images: _,
            widened_short_channels: _,
            denormal_doubles,
            precise_exp2,
            slow_quotients: _,
            slow_addresses_without_float16: _,
            halved_addresses: _,
            slow_denormals_without_float16: _,
            quick_addresses: _,
            slow_unrolled_loops: _,
            slow_loop_rows: _,
            unrolls_when_told: _,
            prefers_elements: _,
            slow_scans: _,
            keeps_invariants: _,
            keeps_joined_tests: _,
            keeps_common_code: _,
            keeps_cheap_invariants: _,
            remainders_of_magnitudes: _,
            bounded_ids: _,
        } = *driver;
        // What stands for fences on llvmpipe is too little elsewhere.
        if self.atomics_order_themselves != atomics_order_themselves {
            return Some("atomics_order_themselves");
        }
        let below = |own: Option<u32>, there: Option<u32>| there.is_some_and(|t| own.is_none_or(|o| o > t));
        let rows = [
            (unfused_fma && !self.unfused_fma, "unfused_fma"),
            (stale_loop_values && !self.stale_loop_values, "stale_loop_values"),
            (lost_in_returns && !self.lost_in_returns, "lost_in_returns"),
            (overwritten_indices && !self.overwritten_indices, "overwritten_indices"),
            (float_operands_of_atomics && !self.float_operands_of_atomics, "float_operands_of_atomics"),
            (below(self.most_turns, most_turns), "most_turns"),
            (below(self.deepest_nesting, deepest_nesting), "deepest_nesting"),
            (nested_exits && !self.nested_exits, "nested_exits"),
            (below(self.most_cases, most_cases), "most_cases"),
            (wrong_joined_signs && !self.wrong_joined_signs, "wrong_joined_signs"),
            (wrong_wide_comparisons && !self.wrong_wide_comparisons, "wrong_wide_comparisons"),
            (coarse_linear_filters && !self.coarse_linear_filters, "coarse_linear_filters"),
            (
                coarse_signed_filters && !self.coarse_signed_filters && !self.coarse_linear_filters,
                "coarse_signed_filters",
            ),
            (wrong_byte_swaps && !self.wrong_byte_swaps, "wrong_byte_swaps"),
            (wrong_8_bit_arithmetic && !self.wrong_8_bit_arithmetic, "wrong_8_bit_arithmetic"),
            (wrong_16_bit_arithmetic && !self.wrong_16_bit_arithmetic, "wrong_16_bit_arithmetic"),
            (swapped_vector_operands && !self.swapped_vector_operands, "swapped_vector_operands"),
            (wrong_lowest_bits && !self.wrong_lowest_bits, "wrong_lowest_bits"),
            (wrong_non_writable && !self.wrong_non_writable, "wrong_non_writable"),
            (wrong_small_vectors && !self.wrong_small_vectors, "wrong_small_vectors"),
            (wrong_wide_conversions && !self.wrong_wide_conversions, "wrong_wide_conversions"),
            (wrong_wide_sums && !self.wrong_wide_sums, "wrong_wide_sums"),
            (wrong_wide_shifts && !self.wrong_wide_shifts, "wrong_wide_shifts"),
            (wrong_logs_of_denormals && !self.wrong_logs_of_denormals, "wrong_logs_of_denormals"),
            (unsigned_rounded_twice && !self.unsigned_rounded_twice, "unsigned_rounded_twice"),
            (folds_zeros && !self.folds_zeros, "folds_zeros"),
            (forgets_halves && !self.forgets_halves, "forgets_halves"),
            (miscounted_rounds && !self.miscounted_rounds, "miscounted_rounds"),
            (confuses_choices && !self.confuses_choices, "confuses_choices"),
            (narrowed_merges && !self.narrowed_merges, "narrowed_merges"),
            (loses_chosen_signs && !self.loses_chosen_signs, "loses_chosen_signs"),
            (self.denormal_doubles && !denormal_doubles, "denormal_doubles"),
            (self.precise_exp2 && !precise_exp2, "precise_exp2"),
        ];
        rows.into_iter().find(|row| row.0).map(|row| row.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_chips_of_amd_have_descriptors() {
        let mut target = crate::Target::minimum();
        // Addresses are pairs of words there.
        assert!(target.prefers_descriptors());
        target.features.shader_int64 = true;
        assert!(!target.prefers_descriptors());
        target.quirks = Quirks::of(Driver::of_id("VK_DRIVER_ID_MESA_RADV"));
        assert!(target.prefers_descriptors());
        target.features.shader_float16 = true;
        assert!(!target.prefers_descriptors());
    }

    #[test]
    fn gpus_without_wide_integers_have_descriptors() {
        let mut target = crate::Target::minimum();
        target.features.shader_int64 = true;
        let drivers =
            [(Driver::Turnip, true), (Driver::PanVk, true), (Driver::Anv, true), (Driver::Mesa, false)];
        for (driver, has) in drivers {
            target.quirks = Quirks::of(Some(driver));
            assert_eq!(target.prefers_descriptors(), has, "{driver:?}");
        }
    }

    #[test]
    fn processors_have_descriptors_but_where_addresses_are_gathered() {
        let mut target = crate::Target::minimum();
        target.features.shader_int64 = true;
        target.features.is_cpu = true;
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::of_version(Some(Driver::Llvmpipe), Some((22, 3)));
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::of_version(Some(Driver::Llvmpipe), Some((25, 0)));
        assert!(!target.prefers_descriptors());
    }

    #[test]
    fn drivers_have_names() {
        assert_eq!(Driver::named("nvidia-580"), Some(Driver::Nvidia));
        assert_eq!(Driver::named("llvmpipe"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::named("llvmpipe-25.0.7"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::version_in_name("llvmpipe-25.0.7"), Some((25, 0)));
        assert_eq!(Driver::version_in_name("nvidia-580"), Some((580, 0)));
        assert_eq!(Driver::version_in_name("llvmpipe"), None);
        assert_eq!(version_of_mesa("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!(version_of_mesa("Mesa 24.1.0-devel (git-f933536517)"), Some((24, 1)));
        assert_eq!(version_of_mesa("1.2.7"), None);
        let turns = |version| Quirks::of_version(Some(Driver::Llvmpipe), version).most_turns;
        assert_eq!(
            (turns(None), turns(Some((22, 3))), turns(Some((25, 0)))),
            (Some(65_535), Some(65_535), None)
        );
        assert_eq!(Driver::named("other"), None);
        assert_eq!(Driver::of_id("VK_DRIVER_ID_NVIDIA_PROPRIETARY"), Some(Driver::Nvidia));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA"), Some(Driver::Anv));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_MESA_TURNIP"), Some(Driver::Turnip));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_MESA_V3DV"), Some(Driver::Mesa));
        assert!(Quirks::of(Some(Driver::Nvidia)).wrong_byte_swaps);
        assert_eq!(Quirks::of(None), Quirks::default());
    }

    #[test]
    fn modules_are_right_where_what_they_avoid_is_enough() {
        let of = |name| Quirks::of_version(Driver::named(name), Driver::version_in_name(name));
        let wrong = |made_for, on| of(made_for).wrong_on(&of(on));
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-22.3"), None);
        assert_eq!(wrong("nvidia", "nvidia"), None);
        assert_eq!(wrong("radv", "other"), None, "what costs time alone");
        assert_eq!(wrong("other", "radv"), Some("miscounted_rounds"));
        assert_eq!(wrong("mesa", "radv"), None);
        assert_eq!(wrong("mesa", "turnip"), Some("narrowed_merges"));
        assert_eq!(wrong("llvmpipe-25.0", "other"), None, "faults that are not there are avoided in vain");
        assert_eq!(wrong("other", "llvmpipe-25.0"), Some("unfused_fma"));
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-25.0"), Some("atomics_order_themselves"));
        assert_eq!(wrong("other", "nvidia"), Some("coarse_signed_filters"));
        assert_eq!(wrong("nvidia", "other"), Some("denormal_doubles"), "it builds on what others have not");
    }
}

//! What a compilation depends on besides its text: all of it data.

pub mod build;
pub mod features;

pub use build::{LinkerOptions, OptionError};
pub use features::{Features, Optional};

/// The language version that `-cl-std=` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum LangVersion {
    Cl1_0,
    Cl1_1,
    Cl1_2,
    Cl2_0,
    Cl3_0,
    Cl3_1,
}

impl LangVersion {
    /// `__OPENCL_C_VERSION__` (OpenCL C §6.12.10): 100, 110, 120, 200, 300, 310.
    pub fn number(self) -> u32 {
        match self {
            LangVersion::Cl1_0 => 100,
            LangVersion::Cl1_1 => 110,
            LangVersion::Cl1_2 => 120,
            LangVersion::Cl2_0 => 200,
            LangVersion::Cl3_0 => 300,
            LangVersion::Cl3_1 => 310,
        }
    }
}

/// A version of C++ for OpenCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CxxVersion {
    /// `CLC++1.0`, and `CLC++`: C++17 on OpenCL C 2.0.
    V1_0,
    /// `CLC++2021`: C++17 on OpenCL C 3.0.
    V2021,
}

impl CxxVersion {
    /// As `-cl-std=` names it.
    pub fn name(self) -> &'static str {
        match self {
            CxxVersion::V1_0 => "CLC++1.0",
            CxxVersion::V2021 => "CLC++2021",
        }
    }

    /// The OpenCL C that it goes with: what the API's rules go by (C++ for OpenCL, "Version differences").
    pub fn c(self) -> LangVersion {
        match self {
            CxxVersion::V1_0 => LangVersion::Cl2_0,
            CxxVersion::V2021 => LangVersion::Cl3_0,
        }
    }
}

/// `CL_DEVICE_ADDRESS_BITS`: the width of size_t and of pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AddressWidth {
    Bits32,
    Bits64,
}

impl AddressWidth {
    /// Bytes of a pointer.
    pub fn bytes(self) -> u32 {
        match self {
            AddressWidth::Bits32 => 4,
            AddressWidth::Bits64 => 8,
        }
    }
}

/// The math options of the API specification, §5.8.6.3, as given (not yet combined).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MathOptions {
    /// `-cl-single-precision-constant`
    pub single_precision_constant: bool,
    /// `-cl-denorms-are-zero`
    pub denorms_are_zero: bool,
    /// `-cl-fp32-correctly-rounded-divide-sqrt`
    pub correctly_rounded_divide_sqrt: bool,
    /// `-cl-mad-enable`
    pub mad_enable: bool,
    /// `-cl-no-signed-zeros`
    pub no_signed_zeros: bool,
    /// `-cl-unsafe-math-optimizations`
    pub unsafe_math: bool,
    /// `-cl-finite-math-only`
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`
    pub fast_relaxed_math: bool,
}

/// Everything that a compilation depends on besides its text. The same options and text give the
/// same bytes.
#[derive(Debug, Clone)]
pub struct Options {
    /// `-cl-std=`; the default is OpenCL C 1.2 (API §5.8.6.5: the highest 1.x version).
    pub std: LangVersion,
    /// `-cl-std=CLC++…`: the source is C++ for OpenCL; `std` is the OpenCL C that it goes with.
    pub cxx: Option<CxxVersion>,
    /// The highest OpenCL version of the device: `__OPENCL_VERSION__` (100 … 310).
    pub device_version: u32,
    /// Width of addresses.
    pub address_width: AddressWidth,
    /// The device's features.
    pub features: Features,
    /// True if the device divides floats and takes their square roots with correct rounding
    /// (`CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT`).
    pub correctly_rounded: bool,
    /// True if the device is of the embedded profile (`__EMBEDDED_PROFILE__`).
    pub embedded_profile: bool,
    /// `-D` and `-U`, in order: a definition `NAME` or `NAME=value`, or an undefinition.
    pub macros: Vec<MacroOption>,
    /// `-I` directories, in order.
    pub include_dirs: Vec<std::path::PathBuf>,
    /// True if `#include` reads files; without, there are only the headers below.
    pub include_files: bool,
    /// Headers by name, searched before any directory (clCompileProgram's embedded headers).
    pub headers: Vec<(String, String)>,
    /// Math options.
    pub math: MathOptions,
    /// `-cl-opt-disable`
    pub opt_disable: bool,
    /// `-cl-kernel-arg-info`: Pumice always records it; kept for queries.
    pub kernel_arg_info: bool,
    /// `-w`
    pub no_warnings: bool,
    /// `-Werror`
    pub warnings_are_errors: bool,
    /// `-g`
    pub debug_info: bool,
    /// True if sums, differences and products of signed scalars say that they may not wrap around (NoSignedWrap), for checks.
    pub no_signed_wrap: bool,
    /// Compiles for linking (clCompileProgram rather than clBuildProgram): functions and variables may be
    /// defined elsewhere, and kernels may be called from there.
    pub allow_undefined: bool,
    /// `--infer-address-spaces`: source without address spaces, as compilers of higher-level languages write it
    /// (rule I-2): a kernel's pointers are to global memory, `tile_static` is `__local`, every other pointer is
    /// generic, and the lowering finds out where it points.
    pub infer_address_spaces: bool,
    /// `-fdiagnostics-parseable-fixits`: proposed changes of the source are printed in clang's form for programs.
    pub parseable_fixits: bool,
    /// The source enables cl_ext_float_atomics: the atomics of OpenCL C 2.0, which it extends, are there before 2.0 too.
    /// [`crate::compile`] sets this where the preprocessor meets the pragma.
    pub float_atomics_enabled: bool,
    /// How many errors are reported before the front end gives up.
    pub error_limit: usize,
}

impl Options {
    /// Why the device cannot have what the options ask of its arithmetic.
    pub fn rounding_refused(&self) -> Option<&'static str> {
        (self.math.correctly_rounded_divide_sqrt && !self.correctly_rounded).then_some(
            "-cl-fp32-correctly-rounded-divide-sqrt: the device does not round so \
             (CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT is not in CL_DEVICE_SINGLE_FP_CONFIG)",
        )
    }

    /// Returns whether the language version has a feature of itself, or the device has it.
    pub fn has(&self, features: Features) -> bool {
        self.features.in_version(self.std).contains(features)
    }

    /// The language version whose atomics of §6.15.12 there are, if it is 2.0 or later.
    pub fn atomics_std(&self) -> LangVersion {
        if self.float_atomics_enabled { self.std.max(LangVersion::Cl3_0) } else { self.std }
    }
}

/// One `-D` or `-U`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MacroOption {
    /// `-D NAME` (value `1`) or `-D NAME=value`; function-like heads `NAME(a,b)=value` included.
    Define {
        /// The name, with its parameter list where it has one.
        head: String,
        /// The replacement text.
        value: String,
    },
    /// `-U NAME`.
    Undefine(String),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            std: LangVersion::Cl1_2,
            cxx: None,
            device_version: 300,
            address_width: AddressWidth::Bits64,
            features: Features::INT64,
            correctly_rounded: false,
            embedded_profile: false,
            macros: Vec::new(),
            include_dirs: Vec::new(),
            include_files: true,
            headers: Vec::new(),
            math: MathOptions::default(),
            opt_disable: false,
            kernel_arg_info: false,
            no_warnings: false,
            warnings_are_errors: false,
            debug_info: false,
            no_signed_wrap: false,
            allow_undefined: false,
            infer_address_spaces: false,
            parseable_fixits: false,
            float_atomics_enabled: false,
            error_limit: 100,
        }
    }
}

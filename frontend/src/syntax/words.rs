//! The kinds of words: keywords of a language version, of types, of functions.

use crate::options::{LangVersion, Options};
use crate::symbol::{Symbol, kw};

/// The language as far as its grammar depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Language {
    /// The version of OpenCL C, or the one that C++ for OpenCL goes with.
    pub std: LangVersion,
    /// C++ for OpenCL.
    pub cxx: bool,
}

impl Language {
    /// The language of a compilation.
    pub fn from_options(options: &Options) -> Language {
        Language { std: options.std, cxx: options.cxx.is_some() }
    }
}

/// Returns whether a word is a keyword of this language.
pub(crate) fn is_keyword(word: Symbol, language: Language) -> bool {
    if word >= kw::FIRST_NAME {
        return false;
    }
    match word {
        kw::GENERIC | kw::PIPE => language.std >= LangVersion::Cl2_0,
        // C++ has `__restrict` alone.
        kw::RESTRICT => !language.cxx,
        _ => word < kw::FIRST_OF_CXX || language.cxx,
    }
}

/// Keywords of address spaces.
pub(crate) fn is_space_word(word: Symbol) -> bool {
    matches!(
        word,
        kw::GLOBAL
            | kw::GLOBAL_U
            | kw::LOCAL
            | kw::LOCAL_U
            | kw::CONSTANT
            | kw::CONSTANT_U
            | kw::PRIVATE
            | kw::PRIVATE_U
            | kw::GENERIC
            | kw::GENERIC_U
    )
}

/// C's type qualifiers.
pub(crate) fn is_qualifier_word(word: Symbol) -> bool {
    matches!(
        word,
        kw::CONST
            | kw::CONST_U
            | kw::CONST_UU
            | kw::VOLATILE
            | kw::VOLATILE_U
            | kw::VOLATILE_2
            | kw::RESTRICT
            | kw::RESTRICT_U
            | kw::RESTRICT_UU
    )
}

/// Keywords of a specifier-qualifier list (C99 6.7.2.1).
pub(crate) fn is_type_word(word: Symbol) -> bool {
    let access = matches!(
        word,
        kw::READ_ONLY
            | kw::READ_ONLY_U
            | kw::WRITE_ONLY
            | kw::WRITE_ONLY_U
            | kw::READ_WRITE
            | kw::READ_WRITE_U
    );
    let ty = matches!(
        word,
        kw::VOID
            | kw::BOOL
            | kw::BOOL_C99
            | kw::CHAR
            | kw::SHORT
            | kw::INT
            | kw::LONG
            | kw::FLOAT
            | kw::DOUBLE
            | kw::HALF
            | kw::SIGNED
            | kw::SIGNED_U
            | kw::SIGNED_2
            | kw::UNSIGNED
            | kw::STRUCT
            | kw::UNION
            | kw::ENUM
            | kw::TYPEOF
            | kw::TYPEOF_U
            | kw::TYPEOF_2
            | kw::COMPLEX
            | kw::ATOMIC
            | kw::ALIGNAS
            | kw::AUTO_TYPE
            | kw::IMAGINARY
            | kw::PIPE
    );
    is_qualifier_word(word) || access || ty || is_space_word(word)
}

/// Storage classes and function specifiers.
pub(crate) fn is_function_word(word: Symbol) -> bool {
    matches!(
        word,
        kw::TYPEDEF
            | kw::EXTERN
            | kw::STATIC
            | kw::AUTO
            | kw::REGISTER
            | kw::INLINE
            | kw::INLINE_U
            | kw::INLINE_UU
            | kw::NORETURN
            | kw::KERNEL
            | kw::KERNEL_U
    )
}

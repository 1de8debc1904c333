//! The types of PTX, and the error of a translation.

/// Why a text cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Error {
    /// The byte of the text that the instruction, or what is wrong in it, begins at.
    pub at: usize,
    /// The message.
    pub message: String,
}

/// The fundamental types (§5.2.1), and the packed ones that arithmetic has (§5.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    F32,
    F64,
}

impl Type {
    const ALL: [(&'static str, Type); 17] = [
        ("pred", Type::Pred),
        ("b8", Type::B8),
        ("b16", Type::B16),
        ("b32", Type::B32),
        ("b64", Type::B64),
        ("u8", Type::U8),
        ("u16", Type::U16),
        ("u32", Type::U32),
        ("u64", Type::U64),
        ("s8", Type::S8),
        ("s16", Type::S16),
        ("s32", Type::S32),
        ("s64", Type::S64),
        ("f16", Type::F16),
        ("f16x2", Type::F16x2),
        ("f32", Type::F32),
        ("f64", Type::F64),
    ];

    /// The type of a suffix, without its dot.
    pub fn parse(text: &str) -> Option<Type> {
        Type::ALL.iter().find(|(name, _)| *name == text).map(|(_, ty)| *ty)
    }

    /// Its suffix, without the dot.
    pub fn name(self) -> &'static str {
        Type::ALL.iter().find(|(_, ty)| *ty == self).map_or("?", |(name, _)| name)
    }

    /// Its width; a predicate has one bit.
    pub fn bits(self) -> u32 {
        use Type::*;
        match self {
            Pred => 1,
            B8 | U8 | S8 => 8,
            B16 | U16 | S16 | F16 => 16,
            B32 | U32 | S32 | F32 | F16x2 => 32,
            B64 | U64 | S64 | F64 => 64,
        }
    }

    /// Returns whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Returns whether it is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F16x2 | Type::F32 | Type::F64)
    }
}

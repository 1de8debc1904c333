//! The types of values: scalars, vectors, and pointers that know only their space.

use super::Opaque;
use std::fmt;

/// Scalar types. Integers have no sign; operations do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scalar {
    /// A truth value; never in memory.
    Bool,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
}

impl Scalar {
    /// Bytes in memory (0 for bool, which is never there).
    #[inline]
    pub fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// Width in bits; bool has 1.
    #[inline]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
        }
    }

    /// Whether it is f16, f32 or f64.
    #[inline]
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    /// Whether it is an integer (bool is not).
    #[inline]
    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// The integer of so many bytes (1, 2, 4 or 8).
    pub fn int(bytes: u32) -> Option<Scalar> {
        match bytes {
            1 => Some(Scalar::I8),
            2 => Some(Scalar::I16),
            4 => Some(Scalar::I32),
            8 => Some(Scalar::I64),
            _ => None,
        }
    }
}

/// Address spaces of pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// A work-item's own memory.
    Private,
    /// The work-group's memory.
    Local,
    /// Read-only memory: `__constant` arguments and program-scope constants.
    Constant,
    /// Buffers and program-scope `__global` variables.
    Global,
    /// Any of private, local and global, known at run time.
    Generic,
    /// The kernel's argument block (push constants or a buffer), read-only.
    Block,
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// 2, 3, 4, 8 or 16 scalars.
    Vector(Scalar, u8),
    /// A pointer into a space.
    Ptr(Space),
    /// What has no bits to look at: the module's table says what it is.
    Opaque(Opaque),
}

impl Type {
    /// bool
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// 32-bit integer
    pub const I32: Type = Type::Scalar(Scalar::I32);
    /// 64-bit integer
    pub const I64: Type = Type::Scalar(Scalar::I64);
    /// 32-bit float
    pub const F32: Type = Type::Scalar(Scalar::F32);

    /// The scalar of a scalar or vector.
    #[inline]
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Type::Scalar(s) | Type::Vector(s, _) => Some(s),
            Type::Ptr(_) | Type::Opaque(_) => None,
        }
    }

    /// How many lanes: 1 for scalars and pointers.
    #[inline]
    pub fn lanes(self) -> u8 {
        match self {
            Type::Vector(_, n) => n,
            _ => 1,
        }
    }

    /// The same number of lanes of another scalar; pointers count as one lane.
    #[must_use]
    pub fn with_scalar(self, scalar: Scalar) -> Type {
        Type::new(scalar, self.lanes())
    }

    /// The type of one lane.
    #[must_use]
    pub fn element(self) -> Type {
        self.scalar().map_or(self, Type::Scalar)
    }

    /// `lanes` of `scalar`.
    pub fn new(scalar: Scalar, lanes: u8) -> Type {
        if lanes == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, lanes) }
    }

    /// Bytes that the value takes when its lanes lie side by side (a 3-lane vector: three; the fourth's
    /// padding is the access's business). Pointers have none before they are resolved.
    pub fn bytes(self) -> u32 {
        self.scalar().map_or(0, |s| s.bytes() * u32::from(self.lanes()))
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        })
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Private => "private",
            Space::Local => "local",
            Space::Constant => "constant",
            Space::Global => "global",
            Space::Generic => "generic",
            Space::Block => "block",
        })
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => write!(f, "{s}"),
            Type::Vector(s, n) => write!(f, "{s}x{n}"),
            Type::Ptr(space) => write!(f, "ptr.{space}"),
            Type::Opaque(opaque) => write!(f, "{opaque}"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

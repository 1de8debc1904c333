//! The types of OpenCL C (§6.3), interned: equal types have equal [`TypeId`]s. Sizes and alignments
//! follow §6.3.5 ("Alignment of Types") and the C rules for structures.

use crate::options::AddressWidth;
use crate::source::Span;
use crate::symbol::Symbol;
use rustc_hash::FxHashMap;

/// The built-in scalar types. `size_t` and its kin are aliases that the width of addresses chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    Char,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    Half,
    Float,
    Double,
}

impl Scalar {
    /// Bytes in memory (bool: one).
    pub fn size(self) -> u32 {
        use Scalar::*;
        match self {
            Bool | Char | UChar => 1,
            Short | UShort | Half => 2,
            Int | UInt | Float => 4,
            Long | ULong | Double => 8,
        }
    }

    /// Returns whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// Returns whether it is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Half | Scalar::Float | Scalar::Double)
    }

    /// Returns whether it is an integer type (bool included).
    pub fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Returns whether the two are the signed and the unsigned integer of one size.
    pub fn differs_in_sign(self, other: Scalar) -> bool {
        let integers =
            self.is_integer() && other.is_integer() && self != Scalar::Bool && other != Scalar::Bool;
        integers && self.size() == other.size() && self.is_signed() != other.is_signed()
    }

    /// The signed integer of the same size (what vector comparisons give, §6.4 "Operators").
    pub fn signed_of_size(bytes: u32) -> Scalar {
        match bytes {
            1 => Scalar::Char,
            2 => Scalar::Short,
            4 => Scalar::Int,
            _ => Scalar::Long,
        }
    }

    /// The unsigned integer of the same size.
    pub fn unsigned_of_size(bytes: u32) -> Scalar {
        match bytes {
            1 => Scalar::UChar,
            2 => Scalar::UShort,
            4 => Scalar::UInt,
            _ => Scalar::ULong,
        }
    }

    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        use Scalar::*;
        match self {
            Bool => "bool",
            Char => "char",
            UChar => "uchar",
            Short => "short",
            UShort => "ushort",
            Int => "int",
            UInt => "uint",
            Long => "long",
            ULong => "ulong",
            Half => "half",
            Float => "float",
            Double => "double",
        }
    }
}

/// The five named address spaces (§6.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum AddressSpace {
    Private,
    Local,
    Constant,
    Global,
    Generic,
}

impl AddressSpace {
    /// The spelling that diagnostics use: `__global` …
    pub fn name(self) -> &'static str {
        match self {
            AddressSpace::Private => "__private",
            AddressSpace::Local => "__local",
            AddressSpace::Constant => "__constant",
            AddressSpace::Global => "__global",
            AddressSpace::Generic => "__generic",
        }
    }
}

/// An interned type, without qualifiers at its top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A type with its qualifiers. Declared objects and pointees always have an address space, made
/// explicit when the declaration is read (rules ); rvalues carry `Private`, which means
/// nothing there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QualType {
    /// The type.
    pub ty: TypeId,
    /// The space the object is in.
    pub space: AddressSpace,
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict` (pointers)
    pub is_restrict: bool,
    /// The alignment in bytes that a typedef gives the type instead of its own (§6.13.1; GNU C: more or less of it).
    /// Types that differ in it alone are one type: see [`Types::same`].
    pub aligned: Option<u32>,
}

impl QualType {
    /// An unqualified private object of type `ty`.
    pub fn new(ty: TypeId) -> Self {
        Self::in_space(ty, AddressSpace::Private)
    }

    /// An unqualified object of type `ty` in `space`.
    pub fn in_space(ty: TypeId, space: AddressSpace) -> Self {
        QualType { ty, space, is_const: false, is_volatile: false, is_restrict: false, aligned: None }
    }
}

/// What a type is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Type {
    Void,
    Scalar(Scalar),
    /// 2, 3, 4, 8 or 16 components.
    Vector(Scalar, u8),
    Pointer(QualType),
    /// The element's qualifiers hold for the array; `None` is an incomplete array.
    Array(QualType, Option<u64>),
    /// A struct or union; its members are in [`Types::record`].
    Record(RecordId),
    /// An enumeration; its values are ints (uint where they need it, §6.7.2.2 of C99).
    Enum(EnumId),
    Function(FunctionType),
    /// An atomic type (§6.3.3, §6.15.12): laid out as its scalar, but only the atomic functions access it.
    Atomic(Scalar),
    Event,
    Sampler,
    /// A value that only builtin functions look into.
    Opaque(Opaque),
    /// A reference to a block (§6.14), by its [`Type::Function`].
    Block(TypeId),
    /// A pipe by the type of its packets (§6.15.18), with the access; never ReadWrite.
    Pipe(TypeId, ImageAccess),
    /// An image type by its OpenCL C name without access qualifier (`image2d_t`), with the access.
    Image(&'static str, ImageAccess),
    /// A reference of C++ to an object; the typed tree has pointers in their place. The second is true for `&&`.
    Reference(QualType, bool),
    /// The type of an expression that was diagnosed already; converts to and from anything silently.
    Error,
}

/// The opaque types that OpenCL C 2.0 brought (§6.3.3): they are assigned, passed and returned like numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opaque {
    /// `reserve_id_t`, of pipes.
    ReserveId,
    /// `queue_t`, and the others of device-side enqueue.
    Queue,
    /// `clk_event_t`
    ClkEvent,
    /// `ndrange_t`, which SPIR-V has as a structure (OpBuildNDRange).
    NdRange,
}

impl Opaque {
    /// All of them.
    pub const ALL: [Opaque; 4] = [Opaque::ReserveId, Opaque::Queue, Opaque::ClkEvent, Opaque::NdRange];

    /// Its name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Opaque::ReserveId => "reserve_id_t",
            Opaque::Queue => "queue_t",
            Opaque::ClkEvent => "clk_event_t",
            Opaque::NdRange => "ndrange_t",
        }
    }
}

/// The access qualifier of an image or pipe argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ImageAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// The type of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub ret: TypeId,
    /// Its parameters, arrays and functions already adjusted to pointers.
    pub params: Vec<TypeId>,
    /// Declared with `...` (only printf is).
    pub variadic: bool,
    /// Declared without a prototype, `f()`.
    pub no_prototype: bool,
}

/// Index of a struct or union.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// Index of an enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// A struct or union. Two definitions are two types, whatever their members.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its tag, if it has one.
    pub tag: Option<Symbol>,
    /// Union rather than struct.
    pub is_union: bool,
    /// Its members, once it is complete.
    pub fields: Option<Vec<Field>>,
    /// `__attribute__((packed))`
    pub packed: bool,
    /// `#pragma pack(n)`: no member is aligned to more bytes.
    pub pack: Option<u32>,
    /// `__attribute__((aligned(n)))`, in bytes.
    pub aligned: Option<u32>,
    /// Where it was declared first.
    pub span: Span,
    /// Its layout, once it is complete: see [`Types::freeze_layout`].
    pub layout: Option<RecordLayout>,
}

/// A member of a struct or union. An anonymous struct or union member has no name; its members are
/// found through it.
#[derive(Debug, Clone)]
pub struct Field {
    /// The member's name.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: QualType,
    /// `__attribute__((aligned(n)))` on the member, in bytes.
    pub aligned: Option<u32>,
    /// `__attribute__((packed))` on the member.
    pub packed: bool,
    /// Where it was declared.
    pub span: Span,
}

/// An enumeration.
#[derive(Debug, Clone)]
pub struct Enumeration {
    /// Its tag, if it has one.
    pub tag: Option<Symbol>,
    /// The integer type that holds its values.
    pub underlying: Scalar,
    /// `__attribute__((aligned(n)))`, in bytes.
    pub aligned: Option<u32>,
    /// True if its list of enumerators was seen.
    pub complete: bool,
}

/// Size and alignment in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Layout {
    pub size: u64,
    pub align: u64,
}

/// Where the members of a record lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    /// The whole record.
    pub layout: Layout,
    /// The byte offset of each member.
    pub offsets: Vec<u64>,
}

/// Layouts stop here: no object may be larger (the offset arithmetic cannot overflow then).
pub const MAX_OBJECT_SIZE: u64 = 1 << 40;

/// All types of one program.
#[derive(Debug, Clone)]
pub struct Types {
    list: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    /// Structs and unions by [`RecordId`].
    pub records: Vec<Record>,
    /// Enumerations by [`EnumId`].
    pub enums: Vec<Enumeration>,
    /// The width of pointers, and of `size_t`.
    pub address_width: AddressWidth,
}

impl Types {
    /// The ids that never change: void, the error type, and the scalars in order.
    pub const VOID: TypeId = TypeId(0);
    /// See [`Type::Error`].
    pub const ERROR: TypeId = TypeId(1);
    /// bool
    pub const BOOL: TypeId = TypeId(2);
    /// int
    pub const INT: TypeId = TypeId(7);
    /// uint
    pub const UINT: TypeId = TypeId(8);
    /// float
    pub const FLOAT: TypeId = TypeId(12);

    /// The built-in types only.
    pub fn new(address_width: AddressWidth) -> Self {
        use Scalar::*;
        let mut types = Types {
            list: Vec::new(),
            ids: FxHashMap::default(),
            records: Vec::new(),
            enums: Vec::new(),
            address_width,
        };
        types.intern(Type::Void);
        types.intern(Type::Error);
        for s in [Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double] {
            let id = types.intern(Type::Scalar(s));
            debug_assert_eq!(id, Self::scalar(s));
        }
        types
    }

    /// The id of `ty`.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId(self.list.len() as u32);
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The id of a type that was interned before.
    pub fn id_of(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// Returns what `id` is.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// The id of a scalar type.
    pub fn scalar(scalar: Scalar) -> TypeId {
        TypeId(2 + scalar as u32)
    }

    /// A vector type; one component gives the scalar.
    pub fn vector(&mut self, scalar: Scalar, lanes: u8) -> TypeId {
        if lanes == 1 { Self::scalar(scalar) } else { self.intern(Type::Vector(scalar, lanes)) }
    }

    /// A pointer to `pointee`.
    pub fn pointer(&mut self, pointee: QualType) -> TypeId {
        self.intern(Type::Pointer(pointee))
    }

    /// `size_t`
    pub fn size_t(&self) -> TypeId {
        Self::scalar(match self.address_width {
            AddressWidth::Bits32 => Scalar::UInt,
            AddressWidth::Bits64 => Scalar::ULong,
        })
    }

    /// `ptrdiff_t`
    pub fn ptrdiff_t(&self) -> TypeId {
        Self::scalar(match self.address_width {
            AddressWidth::Bits32 => Scalar::Int,
            AddressWidth::Bits64 => Scalar::Long,
        })
    }

    /// A record by id.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// Element scalar and number of components (1 for a scalar; enumerations count as their integer).
    pub fn scalar_and_lanes(&self, id: TypeId) -> Option<(Scalar, u8)> {
        match self.get(id) {
            Type::Scalar(s) => Some((*s, 1)),
            Type::Vector(s, n) => Some((*s, *n)),
            Type::Enum(e) => Some((self.enums[e.0 as usize].underlying, 1)),
            _ => None,
        }
    }

    /// The type of what an atomic object holds; any other type itself.
    pub fn plain(&self, id: TypeId) -> TypeId {
        match self.get(id) {
            Type::Atomic(s) => Self::scalar(*s),
            _ => id,
        }
    }

    /// The pointee of a pointer type.
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// Size and alignment; `None` for incomplete types, functions, and objects beyond
    /// [`MAX_OBJECT_SIZE`].
    pub fn layout(&self, id: TypeId) -> Option<Layout> {
        match self.get(id) {
            Type::Scalar(s) | Type::Atomic(s) => {
                Some(Layout { size: s.size().into(), align: s.size().into() })
            }
            // A 3-component vector takes the room of 4 (§6.3.5).
            Type::Vector(s, n) => {
                let size = u64::from(s.size()) * if *n == 3 { 4 } else { u64::from(*n) };
                Some(Layout { size, align: size })
            }
            // The number of dimensions, and three times three sizes.
            Type::Opaque(Opaque::NdRange) => {
                let size = u64::from(self.address_width.bytes());
                Some(Layout { size: 10 * size, align: size })
            }
            Type::Pointer(_)
            | Type::Reference(..)
            | Type::Event
            | Type::Sampler
            | Type::Image(..)
            | Type::Opaque(_)
            | Type::Block(_)
            | Type::Pipe(..) => {
                let size = u64::from(self.address_width.bytes());
                Some(Layout { size, align: size })
            }
            Type::Enum(e) => {
                let enumeration = &self.enums[e.0 as usize];
                let size = u64::from(enumeration.underlying.size());
                Some(Layout { size, align: size.max(enumeration.aligned.unwrap_or(1).into()) })
            }
            Type::Array(element, Some(len)) => {
                let element = self.object_layout(*element)?;
                let size = element.size.checked_mul(*len).filter(|s| *s <= MAX_OBJECT_SIZE)?;
                Some(Layout { size, align: element.align })
            }
            Type::Record(r) => self.record_layout(*r).map(|l| l.layout),
            Type::Array(_, None) | Type::Void | Type::Function(_) | Type::Error => None,
        }
    }

    /// The layout of an object: its type's, with the alignment that a typedef gives it.
    pub fn object_layout(&self, ty: QualType) -> Option<Layout> {
        let layout = self.layout(ty.ty)?;
        Some(Layout { align: ty.aligned.map_or(layout.align, u64::from), ..layout })
    }

    /// The alignment that a typedef gives an object, or the elements of an array.
    pub fn typedef_alignment(&self, ty: TypeId, aligned: Option<u32>) -> Option<u32> {
        aligned.or_else(|| match self.get(ty) {
            Type::Array(element, _) => self.typedef_alignment(element.ty, element.aligned),
            _ => None,
        })
    }

    /// Returns whether two types are one type, whatever alignment typedefs give to what they are made of.
    pub fn same(&self, a: TypeId, b: TypeId) -> bool {
        let qualified = |x: &QualType, y: &QualType| {
            QualType { aligned: None, ty: y.ty, ..*x } == QualType { aligned: None, ..*y }
                && self.same(x.ty, y.ty)
        };
        a == b
            || match (self.get(a), self.get(b)) {
                (Type::Pointer(x), Type::Pointer(y)) => qualified(x, y),
                (Type::Array(x, n), Type::Array(y, m)) => n == m && qualified(x, y),
                _ => false,
            }
    }

    /// Computes the layout of a record that was just completed, once for all: records that contain
    /// records would otherwise be measured again and again.
    pub fn freeze_layout(&mut self, id: RecordId) {
        let layout = self.record_layout(id);
        if let Some(record) = self.records.get_mut(id.0 as usize) {
            record.layout = layout;
        }
    }

    /// The layout of a complete record. A flexible array member at the end has size 0.
    pub fn record_layout(&self, id: RecordId) -> Option<RecordLayout> {
        let record = self.record(id);
        if record.layout.is_some() {
            return record.layout.clone();
        }
        let fields = record.fields.as_ref()?;
        let (mut size, mut align, mut offsets) = (0u64, 1u64, Vec::with_capacity(fields.len()));
        for field in fields {
            let mut layout = match self.get(field.ty.ty) {
                Type::Array(element, None) => Layout { size: 0, ..self.object_layout(*element)? },
                _ => self.object_layout(field.ty)?,
            };
            if record.packed || field.packed {
                layout.align = 1;
            }
            layout.align = layout.align.max(field.aligned.unwrap_or(1).into());
            layout.align = layout.align.min(record.pack.map_or(u64::MAX, u64::from));
            align = align.max(layout.align);
            if record.is_union {
                offsets.push(0);
                size = size.max(layout.size);
            } else {
                let offset = size.next_multiple_of(layout.align);
                offsets.push(offset);
                size = offset + layout.size;
            }
            if size > MAX_OBJECT_SIZE {
                return None;
            }
        }
        align = align.max(record.aligned.unwrap_or(1).into());
        Some(RecordLayout { layout: Layout { size: size.next_multiple_of(align), align }, offsets })
    }
}

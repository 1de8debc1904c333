//! V-8, V-9, V-10, V-12: the types of operands and results. The table of instructions ([`crate::ir::InstKind`]) has the rules.

use super::{Broken, ensure};
use crate::ir::{
    AtomicOp, BinaryOp, Combine, ConvertOp, Function, GroupOp, ImageOp, ImageRef, InstData, Level, MemFlags,
    Module, Place, Root, Scalar, Space, Span, Stage, TEXEL_SIZES, Type, UnaryOp, Value, WorkItem,
};
use crate::kernel_info::TexelClass;

/// An instruction whose types are checked: what the rules of the table of instructions are written with.
pub(in crate::ir) struct TypeCheck<'a> {
    pub(super) module: &'a Module,
    pub(super) function: &'a Function,
    pub(super) data: &'a InstData,
}

impl TypeCheck<'_> {
    pub(in crate::ir) fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    #[inline]
    pub(in crate::ir) fn need(&self, holds: bool, what: &str) -> Result<(), Broken> {
        ensure(holds, || format!("V-8: needs {what}"))
    }

    #[inline]
    pub(in crate::ir) fn result(&self) -> Result<Type, Broken> {
        match &self.data.results[..] {
            [one] => Ok(self.ty(*one)),
            _ => Err("V-8: needs one result".into()),
        }
    }

    /// How many results there are.
    pub(in crate::ir) fn results(&self) -> usize {
        self.data.results.len()
    }

    #[inline]
    pub(in crate::ir) fn gives(&self, ty: Type) -> Result<(), Broken> {
        let result = self.result()?;
        ensure(result == ty, || format!("V-8: the result is {result}, should be {ty}"))
    }

    pub(in crate::ir) fn gives_nothing(&self) -> Result<(), Broken> {
        self.need(self.data.results.is_empty(), "no result")
    }

    /// The image, how many operands there are, and of what types the coordinates and texels.
    pub(in crate::ir) fn image(&self, op: ImageOp, image: ImageRef, args: &[Value]) -> Result<(), Broken> {
        if let ImageRef::Value(image) = image {
            self.need(
                matches!(self.ty(image), Type::Opaque(o) if self.module.opaques.get(o).is_some()),
                "an image",
            )?;
        }
        let levels = |level: Level| match level {
            Level::Zero => 0,
            Level::Given => 1,
            Level::Gradients => 2,
        };
        let count = match op {
            ImageOp::Sample { level, .. } => 2 + levels(level)..=2 + levels(level),
            ImageOp::Filter { sampler: None, level } => 2 + levels(level)..=2 + levels(level),
            ImageOp::Filter { level, .. } => 1 + levels(level)..=1 + levels(level),
            ImageOp::Read(_) | ImageOp::Fetch(_) => 1..=2,
            ImageOp::Write(_) => 2..=3,
            ImageOp::Store(..) | ImageOp::StoreBits(..) => 2..=2,
            ImageOp::Load(_)
            | ImageOp::LoadBits(_)
            | ImageOp::FetchBits
            | ImageOp::ReadBytes(_)
            | ImageOp::Bounds(_) => 1..=1,
            ImageOp::WriteBytes(1) => 5..=5,
            ImageOp::WriteBytes(2 | 8) => 4..=4,
            ImageOp::WriteBytes(_) => 3..=3,
            ImageOp::Size(_) | ImageOp::Format | ImageOp::Levels => 0..=0,
        };
        self.need(count.contains(&args.len()), "another number of operands")?;
        let texel = |class: TexelClass| match class {
            TexelClass::Float => Type::Vector(Scalar::F32, 4),
            TexelClass::Sint | TexelClass::Uint => Type::Vector(Scalar::I32, 4),
        };
        let integers = args.first().is_none_or(|a| self.ty(*a).scalar() == Some(Scalar::I32));
        match op {
            ImageOp::Sample { .. } | ImageOp::Read(_) => self.result().map(|_| ()),
            ImageOp::Write(_) | ImageOp::Bounds(_) => self.gives_nothing(),
            ImageOp::Fetch(class) | ImageOp::Load(class) => {
                self.need(integers, "integer coordinates")?;
                self.gives(texel(class))
            }
            ImageOp::LoadBits(bytes) => {
                self.need(
                    integers && TEXEL_SIZES.contains(&bytes),
                    "integer coordinates, texels of some size",
                )?;
                self.gives(texel(TexelClass::Uint))
            }
            ImageOp::FetchBits => {
                self.need(integers, "integer coordinates")?;
                self.gives(texel(TexelClass::Uint))
            }
            ImageOp::ReadBytes(bytes) => {
                self.need(integers && matches!(bytes, 1 | 2 | 4 | 8), "a place, some bytes")?;
                self.gives(Type::new(Scalar::I32, if bytes == 8 { 2 } else { 1 }))
            }
            ImageOp::WriteBytes(bytes) => {
                let words = args.iter().skip(1).all(|a| self.ty(*a) == Type::I32);
                self.need(integers && words && matches!(bytes, 1 | 2 | 4 | 8), "a place, some bytes")?;
                self.gives_nothing()
            }
            ImageOp::StoreBits(bytes, _) => {
                let bits = args.get(1).is_some_and(|t| self.ty(*t) == texel(TexelClass::Uint));
                self.need(integers && bits && TEXEL_SIZES.contains(&bytes), "a texel's bits, of some size")?;
                self.gives_nothing()
            }
            ImageOp::Filter { .. } => self.gives(texel(TexelClass::Float)),
            ImageOp::Store(class, _) => {
                self.need(integers && args.get(1).is_some_and(|t| self.ty(*t) == texel(class)), "a texel")?;
                self.gives_nothing()
            }
            ImageOp::Size(_) | ImageOp::Format | ImageOp::Levels => self.gives(Type::I32),
        }
    }

    /// Operations of groups: how many operands there are, and which are bools, words and of the result's type.
    pub(in crate::ir) fn group(&self, op: GroupOp, args: &[Value]) -> Result<(), Broken> {
        let words = Type::Vector(Scalar::I32, 4);
        let ty = |n: usize| args.get(n).map(|a| self.ty(*a));
        let integer = |n: usize| ty(n).is_none_or(|t| t.scalar().is_some_and(Scalar::is_int));
        let count = match op {
            GroupOp::Elect => 0..=0,
            GroupOp::Broadcast => 2..=4,
            GroupOp::BallotBit
            | GroupOp::Combine(_, Span::Clustered)
            | GroupOp::Shuffle
            | GroupOp::ShuffleXor
            | GroupOp::ShuffleUp
            | GroupOp::ShuffleDown => 2..=2,
            GroupOp::Rotate => 2..=3,
            _ => 1..=1,
        };
        self.need(count.contains(&args.len()), "another number of operands")?;
        match op {
            GroupOp::Elect | GroupOp::AllEqual => self.gives(Type::BOOL),
            GroupOp::All | GroupOp::Any => {
                self.need(ty(0) == Some(Type::BOOL), "a bool")?;
                self.gives(Type::BOOL)
            }
            GroupOp::Ballot => {
                self.need(ty(0) == Some(Type::BOOL), "a bool")?;
                self.gives(words)
            }
            GroupOp::InverseBallot | GroupOp::BallotBit => {
                self.need(ty(0) == Some(words) && integer(1), "four words")?;
                self.gives(Type::BOOL)
            }
            GroupOp::BallotCount(_) | GroupOp::BallotFirst | GroupOp::BallotLast => {
                self.need(ty(0) == Some(words), "four words")?;
                self.gives(Type::I32)
            }
            GroupOp::CombineAll(_, Span::Clustered) => Err("V-8: clusters of all members".into()),
            GroupOp::Combine(combine, _) | GroupOp::CombineAll(combine, _) => {
                let result = self.result()?;
                let scalar = result.scalar().ok_or("V-8: needs numbers")?;
                let logic = matches!(combine, Combine::And | Combine::Or | Combine::Xor);
                let good = scalar.is_float() == combine.is_float() && (scalar != Scalar::Bool || logic);
                self.need(good && ty(0) == Some(result), "an operand of another type")
            }
            _ => {
                let result = self.result()?;
                self.need((1..args.len()).all(integer), "integer indices")?;
                self.need(
                    result.scalar().is_some() && ty(0) == Some(result),
                    "an operand of the result's type",
                )
            }
        }
    }

    #[inline]
    pub(in crate::ir) fn same(&self, a: Value, b: Value) -> Result<Type, Broken> {
        let (a, b) = (self.ty(a), self.ty(b));
        ensure(a == b, || format!("V-8: operands differ: {a} and {b}"))?;
        Ok(a)
    }

    #[inline]
    pub(in crate::ir) fn unary(&self, op: UnaryOp, a: Value) -> Result<(), Broken> {
        let ty = self.ty(a);
        self.need(op.takes().includes(ty), "an operand of another type")?;
        self.gives(op.gives(ty))
    }

    #[inline]
    pub(in crate::ir) fn binary(&self, op: BinaryOp, a: Value, b: Value) -> Result<(), Broken> {
        let ty = self.same(a, b)?;
        self.need(op.takes().includes(ty), "operands of another type")?;
        self.gives(ty)
    }

    pub(in crate::ir) fn convert(&self, op: ConvertOp, from: Type, saturate: bool) -> Result<(), Broken> {
        let to = self.result()?;
        let (Some(a), Some(b)) = (from.scalar(), to.scalar()) else {
            return Err("V-8: needs numbers".into());
        };
        self.need(from.lanes() == to.lanes(), "as many lanes")?;
        let good = match op {
            ConvertOp::Trunc => a.is_int() && b.is_int() && a.bits() > b.bits(),
            ConvertOp::ZExt | ConvertOp::SExt => a.is_int() && b.is_int() && a.bits() < b.bits(),
            ConvertOp::FloatToFloat => a.is_float() && b.is_float() && a != b,
            ConvertOp::SToF | ConvertOp::UToF => a.is_int() && b.is_float(),
            ConvertOp::FToS | ConvertOp::FToU => a.is_float() && b.is_int(),
        };
        self.need(good, "other types to convert")?;
        let may_saturate = matches!(op, ConvertOp::FToS | ConvertOp::FToU);
        self.need(!saturate || may_saturate, "no saturation")
    }

    pub(in crate::ir) fn construct(&self, args: &[Value]) -> Result<(), Broken> {
        let result = self.result()?;
        self.need(matches!(result, Type::Vector(..)), "a vector result")?;
        let scalars = args.iter().all(|a| self.ty(*a).scalar() == result.scalar());
        self.need(scalars, "parts of the result's scalar")?;
        let total: u32 = args.iter().map(|a| u32::from(self.ty(*a).lanes())).sum();
        let splat = args.len() == 1 && total == 1;
        self.need(splat || total == u32::from(result.lanes()), "as many lanes as the result")
    }

    /// The scalar and the number of lanes of a vector.
    pub(in crate::ir) fn vector(&self, value: Value) -> Result<(Scalar, u8), Broken> {
        match self.ty(value) {
            Type::Vector(scalar, lanes) => Ok((scalar, lanes)),
            other => Err(format!("V-8: {other} is no vector").into()),
        }
    }

    /// A scalar integer.
    pub(in crate::ir) fn integer(&self, value: Value) -> Result<(), Broken> {
        self.need(matches!(self.ty(value), Type::Scalar(s) if s.is_int()), "an integer")
    }

    pub(in crate::ir) fn gives_integer(&self) -> Result<(), Broken> {
        self.need(matches!(self.result()?, Type::Scalar(s) if s.is_int()), "an integer result")
    }

    /// The space of a pointer.
    pub(in crate::ir) fn pointer(&self, value: Value) -> Result<Space, Broken> {
        match self.ty(value) {
            Type::Ptr(space) => Ok(space),
            other => Err(format!("V-8: {other} is no pointer").into()),
        }
    }

    pub(in crate::ir) fn pointer_cast(&self, pointer: Value) -> Result<(), Broken> {
        let from = self.pointer(pointer)?;
        let Type::Ptr(to) = self.result()? else { return Err("V-8: needs a pointer result".into()) };
        self.need(from != to && (from == Space::Generic || to == Space::Generic), "one generic side")
    }

    pub(in crate::ir) fn root_address(&self, root: Root) -> Result<(), Broken> {
        let Type::Ptr(space) = self.result()? else { return Err("V-8: needs a pointer result".into()) };
        self.root(root)?;
        let good = match root {
            Root::Global(g) => self.module.globals[g].space == space,
            Root::Slot(_) => space == Space::Private,
            Root::Arg(_) => matches!(space, Space::Global | Space::Constant),
            Root::LocalArg(_) | Root::LocalArena => space == Space::Local,
            Root::Block => space == Space::Block,
            Root::Constants => space == Space::Constant,
            Root::Globals | Root::Printf | Root::Sequence => space == Space::Global,
            Root::Places | Root::Window(_) => false,
        };
        self.need(good, "the root's space")
    }

    /// A dimension's number, and an i32.
    pub(in crate::ir) fn dimension(&self, dimension: u8) -> Result<(), Broken> {
        self.need(dimension < 3, "a dimension below 3")?;
        self.gives(Type::I32)
    }

    pub(in crate::ir) fn work_item(&self, item: WorkItem, dimension: u8) -> Result<(), Broken> {
        if !is_mask(item) {
            return self.dimension(dimension);
        }
        self.need(dimension < 4, "a word below 4")?;
        self.gives(Type::I32)
    }

    pub(in crate::ir) fn index(&self, value: Value) -> Result<(), Broken> {
        self.need(matches!(self.ty(value), Type::I32 | Type::I64), "an i32 or i64 index")
    }

    fn root(&self, root: Root) -> Result<(), Broken> {
        let exists = match root {
            Root::Global(g) => self.module.globals.get(g).is_some(),
            Root::Slot(s) => self.function.slots.get(s).is_some(),
            _ => true,
        };
        ensure(exists, || format!("V-1: {root:?} does not exist"))
    }

    /// V-10: checks a place and says whether an access of `ty` fits it.
    pub(in crate::ir) fn place(&self, place: Place, ty: Type) -> Result<(), Broken> {
        ensure(ty.scalar() != Some(Scalar::Bool), || "V-9: a bool in memory".to_owned())?;
        match place {
            Place::Pointer(p) => self.need(matches!(self.ty(p), Type::Ptr(_)), "a pointer"),
            Place::Address(a) => {
                let pair = self.ty(a) == Type::Vector(Scalar::I32, 2) && self.module.stage >= Stage::Legal;
                self.need(self.ty(a) == Type::I64 || pair, "an i64 address")
            }
            Place::Element { root, scalar, lanes, index } => {
                self.root(root)?;
                self.index(index)?;
                let good = matches!(lanes, 1 | 2 | 4) && scalar != Scalar::Bool;
                ensure(good && Type::new(scalar, lanes) == ty, || {
                    format!("V-10: an access of {ty} to elements of {scalar}x{lanes}")
                })
            }
        }
    }

    pub(in crate::ir) fn flags(&self, flags: MemFlags) -> Result<(), Broken> {
        ensure(flags.align.is_power_of_two(), || format!("V-10: alignment {}", flags.align))
    }

    pub(in crate::ir) fn atomic(&self, op: AtomicOp, place: Place, operands: &[Value]) -> Result<(), Broken> {
        let count = match op {
            AtomicOp::Load => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        self.need(operands.len() == count, "another number of operands")?;
        let ty = match (op, operands) {
            (AtomicOp::Store, [value]) => {
                self.gives_nothing()?;
                self.ty(*value)
            }
            _ => self.result()?,
        };
        self.need(operands.iter().all(|o| self.ty(*o) == ty), "operands of the result's type")?;
        self.need(matches!(ty, Type::Scalar(_)), "a scalar")?;
        self.place(place, ty)
    }

    /// V-12.
    pub(in crate::ir) fn call(&self, func: crate::ir::Func, args: &[Value]) -> Result<(), Broken> {
        let callee = self.module.functions.get(func);
        let callee = callee.ok_or_else(|| format!("V-1: {func} does not exist"))?;
        let entry = callee.layout.first().and_then(|b| callee.blocks.get(*b));
        let params = entry.map(|b| b.params.as_slice()).unwrap_or_default();
        let takes = params.iter().map(|p| callee.values.get(*p).map(|v| v.ty));
        let fits = args.iter().map(|a| Some(self.ty(*a))).eq(takes);
        ensure(fits, || format!("V-12: the arguments do not fit {func}"))?;
        let results = self.data.results.iter().map(|r| self.ty(*r));
        ensure(results.eq(callee.returns.iter().copied()), || format!("V-12: the results do not fit {func}"))
    }
}

/// Whether it is one of the masks of sub-groups, which have four words.
fn is_mask(item: WorkItem) -> bool {
    use WorkItem::{SubgroupEqMask, SubgroupGeMask, SubgroupGtMask, SubgroupLeMask, SubgroupLtMask};
    matches!(item, SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask)
}

//! The table of instructions: each is defined once, here.
//!
//! An entry has these parts:
//! - the variant of [`InstKind`] with its fields. A field's type says which values it has ([`operands::Field`]), and how it is printed and
//!   parsed ([`Item`] and [`Suffix`]).
//! - `text`: the mnemonic; in brackets the fields that follow it behind points, each with the word that stands for `true` if it is a
//!   truth value; in parentheses the rest, with the characters between the fields.
//! - `effects`: an [`Effects`], of the fields and the function.
//! - `types`: the rule for the types of operands and results, by the methods of [`TypeCheck`].
//! - `value`, for what computes on its operands alone: the result's lanes, by the methods of `Evaluation`. The interpreter needs it.
//! - `last_stage`: the last stage of a module at which the instruction may occur, if that is not the last of all.
//! - `lanewise`: whether lane n of the result depends on lane n of each vector operand alone. Wide vectors are split so.
//!
//! The enumeration, the visits of operands, [`Effects`], the text form, the verifier's rules and the interpreter come from this table. What
//! remains to be written for a new instruction is the code that makes it (the reader or a pass), the code that writes it
//! (`write/inst.rs`), and a test. Passes that do not name it treat it by its effects.

#[macro_use]
mod define;
mod operands;

pub use operands::Operands;

use super::compact_lists::{Mask, Pair};
#[cfg(test)]
use super::evaluate::{Evaluation, Lanes};
#[cfg(test)]
use super::fold;
use super::text::fields::{Item, Suffix, SuffixText, push_suffix};
use super::text::parse::Parser;
use super::verify::Broken;
use super::verify::types::TypeCheck;
use super::{
    AtomicOp, BinaryOp, BuiltinInput, ConvertOp, Effects, FloatCC, Func, Function, GroupOp, ImageOp,
    ImageRef, IntCC, MemFlags, Place, Root, Rounding, Scalar, Scope, Semantics, Stage, Type, UnaryOp, Value,
    WorkItem,
};
use operands::Field;
use smallvec::SmallVec;

define_instructions! {
    names: function, check, eval;

    Unary(op: UnaryOp, a: Value) => {
        text: "" [op] (" " a);
        effects: Effects::PURE;
        types: check.unary(*op, *a);
        value: eval.unary(*op, *a);
        lanewise: !matches!(op, UnaryOp::Any | UnaryOp::All);
    }
    Binary(op: BinaryOp, a: Value, b: Value) => {
        text: "" [op] (" " a ", " b);
        effects: Effects { traps: op.has_undefined_cases(), ..Effects::PURE };
        types: check.binary(*op, *a, *b);
        value: eval.binary(*op, *a, *b);
        lanewise: true;
    }
    /// Gives a bool for each lane.
    ICmp(cc: IntCC, a: Value, b: Value) => {
        text: "icmp" [cc] (" " a ", " b);
        effects: Effects::PURE;
        types: {
            let ty = check.same(*a, *b)?;
            let good = matches!(ty, Type::Ptr(_)) || ty.scalar().is_some_and(Scalar::is_int);
            check.need(good, "integers or pointers")?;
            check.gives(ty.with_scalar(Scalar::Bool))
        };
        value: {
            let width = eval.scalar(*a).map_or(64, Scalar::bits);
            Some(eval.map2(*a, *b, |x, y| Some(u64::from(fold::icmp(*cc, width, x, y)))))
        };
        lanewise: true;
    }
    /// Gives a bool for each lane.
    FCmp(cc: FloatCC, a: Value, b: Value) => {
        text: "fcmp" [cc] (" " a ", " b);
        effects: Effects::PURE;
        types: {
            let ty = check.same(*a, *b)?;
            check.need(ty.scalar().is_some_and(Scalar::is_float), "floats")?;
            check.gives(ty.with_scalar(Scalar::Bool))
        };
        value: {
            let scalar = eval.scalar(*a)?;
            Some(eval.map2(*a, *b, |x, y| fold::fcmp(*cc, scalar, x, y).map(u64::from)))
        };
        lanewise: true;
    }
    /// The condition is one bool, or one for each lane.
    Select(condition: Value, a: Value, b: Value) => {
        text: "select" [] (" " condition ", " a ", " b);
        effects: Effects::PURE;
        types: {
            let (ty, condition) = (check.same(*a, *b)?, check.ty(*condition));
            let good = condition == Type::BOOL || condition == ty.with_scalar(Scalar::Bool);
            check.need(good, "a bool condition")?;
            check.gives(ty)
        };
        value: eval.select(*condition, *a, *b);
        lanewise: true;
    }
    Convert { op: ConvertOp, value: Value, saturate: bool, rounding: Option<Rounding> } => {
        text: "convert" [op, saturate "sat", rounding] (" " value);
        effects: Effects::PURE;
        types: check.convert(*op, check.ty(*value), *saturate);
        value: {
            let (from, to) = (eval.scalar(*value)?, eval.ty.scalar()?);
            Some(eval.map1(*value, |x| fold::convert(*op, from, to, x, *saturate, *rounding)))
        };
        lanewise: true;
    }
    /// The same bits as another scalar or vector type of the same size.
    Bitcast(a: Value) => {
        text: "bitcast" [] (" " a);
        effects: Effects::PURE;
        types: {
            let (from, to) = (check.ty(*a), check.result()?);
            let plain = |t: Type| t.scalar().is_some_and(|s| s != Scalar::Bool);
            check.need(plain(from) && plain(to) && from.bytes() == to.bytes(), "types of one size")
        };
        value: eval.bitcast(*a);
    }
    /// A vector from scalars and vectors side by side; one scalar makes a splat.
    Construct(parts: SmallVec<[Value; 4]>) => {
        text: "construct" [] (parts);
        effects: Effects::PURE;
        types: check.construct(parts);
        value: Some(eval.construct(parts));
    }
    Extract(vector: Value, lane: u8) => {
        text: "extract" [] (" " vector ", " lane);
        effects: Effects::PURE;
        types: {
            let (scalar, lanes) = check.vector(*vector)?;
            check.need(*lane < lanes, "a lane that exists")?;
            check.gives(Type::Scalar(scalar))
        };
        value: Some(vec![*eval.lanes(*vector).get(usize::from(*lane))?]);
    }
    /// Undefined where there is no such lane.
    ExtractDyn(vector: Value, index: Value) => {
        text: "extractdyn" [] (" " vector ", " index);
        effects: Effects { traps: true, ..Effects::PURE };
        types: {
            check.integer(*index)?;
            check.gives(Type::Scalar(check.vector(*vector)?.0))
        };
        value: Some(vec![eval.one(*index).and_then(|n| eval.lanes(*vector).get(n as usize).copied().flatten())]);
    }
    Insert { vector: Value, scalar: Value, lane: u8 } => {
        text: "insert" [] (" " vector ", " scalar ", " lane);
        effects: Effects::PURE;
        types: {
            let (of, lanes) = check.vector(*vector)?;
            check.need(*lane < lanes, "a lane that exists")?;
            check.need(check.ty(*scalar) == Type::Scalar(of), "the vector's scalar")?;
            check.gives(check.ty(*vector))
        };
        value: {
            let mut lanes = eval.lanes(*vector).clone();
            *lanes.get_mut(usize::from(*lane))? = eval.one(*scalar);
            Some(lanes)
        };
    }
    /// Undefined where there is no such lane.
    InsertDyn { vector: Value, scalar: Value, index: Value } => {
        text: "insertdyn" [] (" " vector ", " scalar ", " index);
        effects: Effects { traps: true, ..Effects::PURE };
        types: {
            check.integer(*index)?;
            check.need(check.ty(*scalar) == Type::Scalar(check.vector(*vector)?.0), "the vector's scalar")?;
            check.gives(check.ty(*vector))
        };
        value: Some(eval.insert(*vector, *scalar, *index));
    }
    /// Lanes of the two operands side by side; `None` is any value.
    Shuffle(a: Value, b: Value, mask: Mask) => {
        text: "shuffle" [] (" " a ", " b ", " mask);
        effects: Effects::PURE;
        types: {
            let ((of_a, lanes_a), (of_b, lanes_b)) = (check.vector(*a)?, check.vector(*b)?);
            check.need(of_a == of_b, "vectors of one scalar")?;
            let good = mask.len() >= 2 && mask.iter().flatten().all(|lane| lane < lanes_a + lanes_b);
            check.need(good, "lanes that exist")?;
            check.gives(Type::Vector(of_a, mask.len() as u8))
        };
        value: {
            let both: Lanes = eval.lanes(*a).iter().chain(eval.lanes(*b)).copied().collect();
            let lane = |n: u8| both.get(usize::from(n)).copied().flatten();
            Some(mask.iter().map(|n| n.and_then(lane)).collect())
        };
    }
    /// A function of OpenCL.std by number (until `lower_math`); pointer operands included.
    ExtInst { number: u32, args: SmallVec<[Value; 4]> } => {
        text: "extinst" [] (" " number args);
        // Some functions of OpenCL.std write through pointers; `lower_math` decides.
        effects: Effects::ALL;
        types: check.need(check.results() <= 1, "at most one result");
        last_stage: Read;
    }
    /// A function of GLSL.std.450 by number (after `lower_math`), on scalars and vectors of at most 4 lanes.
    Glsl { number: u32, args: SmallVec<[Value; 4]> } => {
        text: "glsl" [] (" " number args);
        effects: Effects::PURE;
        // Wide vectors are `legalize_types`'s business, as everywhere (V-16).
        types: check.result().map(|_| ());
        value: eval.glsl(*number, args);
        lanewise: true;
    }
    /// A fused multiply-add, exact: a*b+c with one rounding.
    Fma(a: Value, b: Value, c: Value) => {
        text: "fma" [] (" " a ", " b ", " c);
        effects: Effects::PURE;
        types: {
            let ty = check.same(*a, *b)?;
            check.need(ty == check.ty(*c) && ty.scalar().is_some_and(Scalar::is_float), "three floats")?;
            check.gives(ty)
        };
        value: {
            let scalar = eval.ty.scalar()?;
            Some(eval.map3(*a, *b, *c, |x, y, z| fold::fma(scalar, x, y, z)))
        };
        lanewise: true;
    }
    /// So many bits of each i32 lane, from an offset on, with zeros or copies of the field's highest bit above them; 0 for no bits. The offset
    /// and the count are one i32 each. Undefined where the field goes beyond the lane.
    BitField { value: Value, offset: Value, count: Value, signed: bool } => {
        text: "bitfield" [signed "signed"] (" " value ", " offset ", " count);
        effects: Effects { traps: true, ..Effects::PURE };
        types: {
            let words = [*offset, *count].iter().all(|v| check.ty(*v) == Type::I32);
            check.need(words && check.ty(*value).scalar() == Some(Scalar::I32), "words")?;
            check.gives(check.ty(*value))
        };
        value: {
            let (offset, count) = (eval.one(*offset)?, eval.one(*count)?);
            let bits = |x: u64| (x >> offset) & fold::mask(count as u32);
            let extended = |x: u64| if *signed { fold::signed(bits(x), count as u32) as u64 } else { bits(x) };
            (offset + count <= 32).then(|| eval.map1(*value, |x| Some(extended(x) & fold::mask(32))))
        };
        lanewise: true;
    }

    /// The start of a root, as a pointer.
    RootAddr(root: Root) => {
        text: "rootaddr" [] (" " root);
        effects: Effects::PURE;
        types: check.root_address(*root);
        last_stage: Read;
    }
    /// pointer + index × scale bytes; the index is an i32 (signed) or i64.
    PtrAdd { base: Value, index: Value, scale: u64 } => {
        text: "ptradd" [] (" " base ", " index ", " scale);
        effects: Effects::PURE;
        types: {
            check.pointer(*base)?;
            check.index(*index)?;
            check.gives(check.ty(*base))
        };
        value: {
            let width = eval.scalar(*index)?.bits();
            let at = |base: u64, index: u64| {
                base.wrapping_add((fold::signed(index, width) as u64).wrapping_mul(*scale))
            };
            Some(eval.map2(*base, *index, |base, index| Some(at(base, index))))
        };
        last_stage: Read;
    }
    /// pointer + bytes.
    PtrOffset { base: Value, bytes: i64 } => {
        text: "ptroffset" [] (" " base ", " bytes);
        effects: Effects::PURE;
        types: {
            check.pointer(*base)?;
            check.gives(check.ty(*base))
        };
        value: Some(eval.map1(*base, |base| Some(base.wrapping_add_signed(*bytes))));
        last_stage: Read;
    }
    /// To or from generic; the result's space says which.
    PtrCast(pointer: Value) => {
        text: "ptrcast" [] (" " pointer);
        effects: Effects::PURE;
        types: check.pointer_cast(*pointer);
        value: Some(eval.lanes(*pointer).clone());
        last_stage: Read;
    }
    /// A generic pointer as one to the result's space: null where it points elsewhere.
    PtrToSpace(pointer: Value) => {
        text: "ptrtospace" [] (" " pointer);
        effects: Effects::PURE;
        types: {
            check.pointer(*pointer)?;
            check.need(matches!(check.result()?, Type::Ptr(_)), "a pointer result")
        };
        last_stage: Read;
    }
    /// The memory that a generic pointer points into: 2 for global, 1 for local, 0 for private.
    PtrFence(pointer: Value) => {
        text: "ptrfence" [] (" " pointer);
        effects: Effects::PURE;
        types: {
            check.pointer(*pointer)?;
            check.gives(Type::I32)
        };
        last_stage: Read;
    }
    PtrToInt(pointer: Value) => {
        text: "ptrtoint" [] (" " pointer);
        effects: Effects::PURE;
        types: {
            check.pointer(*pointer)?;
            check.gives_integer()
        };
        value: Some(eval.lanes(*pointer).clone());
        last_stage: Read;
    }
    IntToPtr(integer: Value) => {
        text: "inttoptr" [] (" " integer);
        effects: Effects::PURE;
        types: {
            check.integer(*integer)?;
            check.need(matches!(check.result()?, Type::Ptr(_)), "a pointer result")
        };
        value: Some(eval.lanes(*integer).clone());
        last_stage: Read;
    }
    /// The bytes from the second pointer to the first, as wide as an address.
    PtrDiff(a: Value, b: Value) => {
        text: "ptrdiff" [] (" " a ", " b);
        effects: Effects::PURE;
        types: {
            check.pointer(*a)?;
            check.pointer(*b)?;
            check.gives_integer()
        };
        value: Some(eval.map2(*a, *b, |x, y| Some(x.wrapping_sub(y))));
        last_stage: Read;
    }
    Load { place: Place, flags: MemFlags } => {
        text: "load" [] (" " place ", " flags);
        effects: Effects {
            reads: flags.volatile || !place.is_read_only(function),
            writes: flags.volatile,
            idempotent: !flags.volatile,
            traps: true,
            ..Effects::PURE
        };
        types: {
            check.flags(*flags)?;
            check.place(*place, check.result()?)
        };
    }
    Store { place: Place, value: Value, flags: MemFlags } => {
        text: "store" [] (" " place ", " value ", " flags);
        effects: Effects { writes: true, traps: true, idempotent: !flags.volatile, ..Effects::PURE };
        types: {
            check.flags(*flags)?;
            check.gives_nothing()?;
            check.place(*place, check.ty(*value))
        };
    }
    /// Copies bytes between two pointers (until `lower_memcpy`).
    Copy { dst: Value, src: Value, bytes: u64, flags: MemFlags } => {
        text: "copy" [] (" " dst ", " src ", " bytes ", " flags);
        effects: Effects { reads: true, writes: true, traps: true, idempotent: !flags.volatile, ..Effects::PURE };
        types: {
            check.flags(*flags)?;
            check.gives_nothing()?;
            check.pointer(*dst)?;
            check.pointer(*src).map(|_| ())
        };
        last_stage: Read;
    }
    Atomic { op: AtomicOp, place: Place, operands: Pair, scope: Scope, semantics: Semantics } => {
        text: "atomic" [op] (" " place " " operands " " scope " " semantics);
        effects: Effects {
            reads: true,
            writes: true,
            traps: true,
            idempotent: *op == AtomicOp::Load,
            outside: true,
            ..Effects::PURE
        };
        types: check.atomic(*op, *place, operands);
    }

    /// Control barrier with its memory semantics.
    Barrier { execution: Scope, memory: Scope, semantics: Semantics } => {
        text: "barrier" [] (" " execution " " memory " " semantics);
        effects: Effects {
            reads: true,
            writes: true,
            convergent: true,
            idempotent: false,
            outside: true,
            ..Effects::PURE
        };
        types: check.gives_nothing();
    }
    /// A sample of the clock of a sub-group or of the device: the low word and the high word.
    Clock(scope: Scope) => {
        text: "clock" [] (" " scope);
        // Nothing that it stands between may go past it.
        effects: Effects { reads: true, writes: true, idempotent: false, outside: true, ..Effects::PURE };
        types: {
            let good = matches!(scope, Scope::Device | Scope::Subgroup);
            check.need(good, "a clock of the device or a sub-group")?;
            check.gives(Type::Vector(Scalar::I32, 2))
        };
    }
    MemBarrier { memory: Scope, semantics: Semantics } => {
        text: "membarrier" [] (" " memory " " semantics);
        effects: Effects { reads: true, writes: true, outside: true, ..Effects::PURE };
        types: check.gives_nothing();
    }
    /// A group operation: see [`GroupOp`] for the operands.
    Group {
        op: GroupOp,
        scope: Scope,
        /// There are few of them: they do not make all other instructions larger.
        args: Box<SmallVec<[Value; 4]>>
    } => {
        text: "group" [op] (" " scope args);
        effects: Effects { convergent: true, traps: true, idempotent: false, outside: true, ..Effects::PURE };
        types: check.group(*op, args);
        lanewise: true;
    }
    /// An image operation: see [`ImageOp`] for the operands. Texels have four lanes (of those that are read, and have no
    /// class yet, as many as the result).
    Image {
        op: ImageOp,
        image: ImageRef,
        /// There are few of them: they do not make all other instructions larger.
        args: Box<SmallVec<[Value; 4]>>
    } => {
        text: "image" [op] (" " image args);
        effects: op.effects();
        types: check.image(*op, *image, args);
    }
    /// The bits of a sampler argument, an i32 (until `lower_addresses`).
    SamplerBits(arg: u32) => {
        text: "samplerbits" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I32);
    }
    /// The size in bytes of the memory that the host gave a pointer argument, an i64; 0 for a null pointer (until `lower_addresses`).
    ArgumentSize(arg: u32) => {
        text: "argumentsize" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I64);
        last_stage: Read;
    }
    /// The bytes of a pointer argument's memory before the place where the argument points, an i64 (until `lower_addresses`).
    ArgumentBefore(arg: u32) => {
        text: "argumentbefore" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I64);
        last_stage: Read;
    }
    /// Where the records of a pointer argument's memory begin, an i64: in the printf buffer, or in a `__local` argument itself; 0 if there are none
    /// (until `lower_addresses`).
    ArgumentShadow(arg: u32) => {
        text: "argumentshadow" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I64);
        last_stage: Read;
    }
    /// What the launch tells of a pointer argument's memory, an i64 (until `lower_addresses`): where the record of what was written of it begins in the
    /// printf buffer, or 0 if there is none; bit 62 if kernels may not read it, and bit 63 if they may not write it.
    ArgumentContent(arg: u32) => {
        text: "argumentcontent" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I64);
        last_stage: Read;
    }
    /// True if [`InstKind::ArgumentContent`] of the argument has the place of a record: a specialization constant.
    HasArgumentRecord(arg: u32) => {
        text: "hasargumentrecord" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::BOOL);
    }
    /// True if [`InstKind::ArgumentContent`] of the argument has a flag: a specialization constant.
    HasArgumentFlags(arg: u32) => {
        text: "hasargumentflags" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::BOOL);
    }
    /// True if [`InstKind::ArgumentShadow`] of the argument, a buffer, is the place of records: a specialization constant.
    HasArgumentCells(arg: u32) => {
        text: "hasargumentcells" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::BOOL);
    }
    /// An async copy that begins, for checks: gives its event, an i32 (until `insert_checks`). Operands: the destination, the source, how many elements,
    /// the stride, an event or 0.
    AsyncCopy {
        /// There are few of them: they do not make all other instructions larger.
        args: Box<SmallVec<[Value; 4]>>
    } => {
        text: "asynccopy" [] (" " args);
        effects: Effects { reads: true, writes: true, idempotent: false, convergent: true, outside: true, ..Effects::PURE };
        types: {
            check.need(args.len() == 5, "five operands")?;
            check.gives(Type::I32)
        };
        last_stage: Read;
    }
    /// A wait for async copies, for checks: a bit for each of their events, or all bits (until `insert_checks`).
    AsyncWait(events: Value) => {
        text: "asyncwait" [] (" " events);
        effects: Effects { reads: true, writes: true, idempotent: false, convergent: true, outside: true, ..Effects::PURE };
        types: check.gives_nothing();
        last_stage: Read;
    }
    /// The flags of a barrier that follows, for checks, where they are computed (until `insert_checks`).
    BarrierFlags(flags: Value) => {
        text: "barrierflags" [] (" " flags);
        effects: Effects { reads: true, writes: true, idempotent: false, convergent: true, outside: true, ..Effects::PURE };
        types: check.gives_nothing();
        last_stage: Read;
    }
    /// Reports the fault of a site if the condition is true (until `insert_checks`).
    FaultIf(condition: Value, site: u32) => {
        text: "faultif" [] (" " condition ", " site);
        effects: Effects { writes: true, idempotent: false, outside: true, ..Effects::PURE };
        types: {
            check.need(check.ty(*condition) == Type::BOOL, "a bool condition")?;
            check.gives_nothing()
        };
        last_stage: Read;
    }
    /// Stands before an access of some bytes at an offset in an array that is a struct's member, for checks: the array's size, its name's number in
    /// [`DebugInfo::members`](crate::ir::DebugInfo::members), and what the access does, as a number of [`crate::check::Access`] (until `insert_checks`).
    MemberAccess { offset: Value, bytes: u32, size: u32, name: u32, access: u8 } => {
        text: "memberaccess" [] (" " offset ", " bytes ", " size ", " name ", " access);
        effects: Effects { writes: true, idempotent: false, outside: true, ..Effects::PURE };
        types: {
            check.need(check.ty(*offset) == Type::I64, "an offset of 64 bits")?;
            check.gives_nothing()
        };
        last_stage: Read;
    }
    /// A work-item function (until `lower_addresses`).
    WorkItem(item: WorkItem, dimension: u8) => {
        text: "workitem" [item] (" " dimension);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.work_item(*item, *dimension);
        last_stage: Read;
    }
    /// A Vulkan input.
    Input(input: BuiltinInput, dimension: u8) => {
        text: "input" [input] (" " dimension);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.dimension(*dimension);
    }
    /// The work-group size in a dimension, as a specialization constant.
    WorkgroupSize(dimension: u8) => {
        text: "workgroupsize" [] (" " dimension);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.dimension(*dimension);
    }
    /// True if a buffer may cross a multiple of 4 GiB: a specialization constant.
    BuffersCross => {
        text: "bufferscross" [] ();
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::BOOL);
    }
    /// True if a dispatch has more than one window ([`crate::kernel_info::Windows`]): a specialization constant.
    SeveralWindows => {
        text: "severalwindows" [] ();
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::BOOL);
    }
    /// The size of a `__local` argument in its units, as a specialization constant: the arena's units, or elements.
    LocalArgUnits(arg: u32) => {
        text: "localargunits" [] (" " arg);
        effects: Effects { outside: true, ..Effects::PURE };
        types: check.gives(Type::I32);
    }
    /// Gives as many results as the function returns. `pure`: they depend on the arguments alone, and nothing else is done.
    Call { func: Func, args: Vec<Value>, pure: bool } => {
        text: "call" [pure "pure"] (" " func args);
        // The callee is not looked at. A pure one may not end for arguments that it does not get.
        effects: if *pure { Effects { traps: true, ..Effects::PURE } } else { Effects::ALL };
        types: check.call(*func, args);
    }
}

impl InstKind {
    /// Applies `f` to every value that the instruction uses.
    pub fn map_values(&mut self, mut f: impl FnMut(Value) -> Value) {
        self.visit_mut(|value| *value = f(*value));
    }

    /// Every value that the instruction uses, in order, to change.
    pub fn values_mut(&mut self) -> SmallVec<[&mut Value; 4]> {
        let mut values = SmallVec::new();
        self.visit_mut(|value| values.push(value));
        values
    }

    /// Shows every value that the instruction uses, in order.
    #[inline]
    pub fn each_value(&self, f: impl FnMut(Value)) {
        self.values().for_each(f);
    }

    /// The place that the instruction accesses, if it names one.
    #[inline]
    pub fn place(&self) -> Option<Place> {
        match self {
            InstKind::Load { place, .. } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                Some(*place)
            }
            _ => None,
        }
    }
}

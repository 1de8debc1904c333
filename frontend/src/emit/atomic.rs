//! The atomic functions of OpenCL C 2.0 (§6.15.12).

use super::builtin::{order, scope};
use super::error::Emit;
use super::function::FunctionEmitter;
use super::place::Place;
use crate::builtins::{Builtin, BuiltinOp};
use crate::hir::Expr;
use crate::types::{AddressSpace, QualType, Scalar, TypeId, Types};
use spirv_io::Id;
use spirv_io::spirv::{Capability, MemorySemantics, Op, Scope};

impl<'a> FunctionEmitter<'_, 'a> {
    /// An atomic function: pointer, `operands`, then the order (two of them for compare-and-exchange) and the scope
    /// where they are given; sequentially consistent and of the device where not. Objects of floating types are
    /// accessed as integers.
    pub fn atomic_c11(&mut self, ids: &[Id], args: &'a [Expr], builtin: &Builtin) -> Emit<Id> {
        let BuiltinOp::AtomicC11 { op, operands, relaxed, negated } = builtin.op else {
            return self.m.bug("not an atomic function");
        };
        let operands = usize::from(operands);
        let (Some(&pointer), Some(arg), Some(tail)) = (ids.first(), args.first(), ids.get(1 + operands..))
        else {
            return self.m.bug("an atomic function without its arguments");
        };
        let Some(pointee) = self.m.program.types.pointee(arg.ty.ty) else {
            return self.m.bug("an atomic function without a pointer");
        };
        let (scalar, _) = self.m.arithmetic(pointee.ty)?;
        if scalar.size() == 8 {
            self.m.b.capability(Capability::Int64Atomics);
        }
        self.float_capability(op, scalar);
        let integer = accessed(op, scalar);
        let pointer = self.as_accessed(pointer, pointee, integer)?;
        let memory = match pointee.space {
            AddressSpace::Local => MemorySemantics::WORKGROUP_MEMORY,
            AddressSpace::Global => MemorySemantics::CROSS_WORKGROUP_MEMORY,
            _ => MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::CROSS_WORKGROUP_MEMORY,
        };
        let orders = if op == Op::AtomicCompareExchange { 2 } else { 1 };
        let given = |m: &super::module::Module<'_>, at: usize| tail.get(at).map(|id| m.known(*id));
        let semantics = |m: &super::module::Module<'_>, at: usize| match given(m, at) {
            _ if relaxed => 0,
            Some(Some(0)) => 0,
            Some(known) => (order(known) | memory).bits(),
            None => (MemorySemantics::SEQUENTIALLY_CONSISTENT | memory).bits(),
        };
        let range = match given(self.m, orders) {
            Some(known) => known.map_or(Scope::Device, scope),
            None => Scope::Device,
        };
        let first = semantics(self.m, 0);
        let second = semantics(self.m, orders - 1);
        let range = self.m.word(range as u32).0;
        let first = self.m.word(first).0;
        let mut values = Vec::with_capacity(operands);
        for (id, arg) in ids.iter().zip(args).skip(1).take(operands) {
            // The pointer of a compare-and-exchange, and its value, are for `compare_exchange`.
            values.push(match op {
                Op::AtomicCompareExchange => *id,
                _ if negated => {
                    let ty = self.m.scalar_type(scalar);
                    self.op(Op::FNegate, ty, &[id.0])
                }
                _ => self.bitcast(*id, arg.ty.ty, Types::scalar(integer))?,
            });
        }
        let ty = self.m.scalar_type(integer);
        match (op, &values[..]) {
            // `atomic_init` is no atomic operation (§6.15.12.2); its object may be private.
            (Op::AtomicStore, [value]) if relaxed => {
                let (ty, align) = (Types::scalar(integer), integer.size());
                let place =
                    Place { ptr: pointer, ty, space: pointee.space, align, volatile: pointee.is_volatile };
                self.store(&place, *value)?;
                Ok(super::expr::NO_VALUE)
            }
            (Op::AtomicStore, [value]) => {
                self.op_void(op, &[pointer.0, range, first, value.0]);
                Ok(super::expr::NO_VALUE)
            }
            (Op::AtomicFlagClear, []) => {
                self.op_void(op, &[pointer.0, range, first]);
                Ok(super::expr::NO_VALUE)
            }
            (Op::AtomicFlagTestAndSet, []) => {
                let bools = self.m.bool_type();
                Ok(self.op(op, bools, &[pointer.0, range, first]))
            }
            (Op::AtomicCompareExchange, [expected, desired]) => {
                let second = self.m.word(second).0;
                let operands = [pointer.0, range, first, second];
                self.compare_exchange(operands, (*expected, *desired), args, (scalar, integer))
            }
            (_, values) => {
                let mut words = vec![pointer.0, range, first];
                words.extend(values.iter().map(|v| v.0));
                let value = self.op(op, ty, &words);
                self.bitcast(value, Types::scalar(integer), builtin.ret)
            }
        }
    }

    /// Compares with what `expected` points to; that becomes what was found, which is what it was where they
    /// were equal.
    fn compare_exchange(
        &mut self,
        operands: [u32; 4],
        (expected, desired): (Id, Id),
        args: &'a [Expr],
        (scalar, integer): (Scalar, Scalar),
    ) -> Emit<Id> {
        let pointee = args.get(1).and_then(|a| self.m.program.types.pointee(a.ty.ty));
        let Some(pointee) = pointee else { return self.m.bug("compare-and-exchange without a place") };
        let as_integer = Types::scalar(integer);
        let desired = self.bitcast(desired, Types::scalar(scalar), as_integer)?;
        let ptr = self.as_accessed(expected, pointee, integer)?;
        let place = Place {
            ptr,
            ty: as_integer,
            space: pointee.space,
            align: integer.size(),
            volatile: pointee.is_volatile,
        };
        let wanted = self.load(&place)?;
        let ty = self.m.scalar_type(integer);
        let [pointer, range, first, second] = operands;
        let words = [pointer, range, first, second, desired.0, wanted.0];
        let found = self.op(Op::AtomicCompareExchange, ty, &words);
        let bools = self.m.bool_type();
        let equal = self.op(Op::IEqual, bools, &[found.0, wanted.0]);
        self.store(&place, found)?;
        Ok(equal)
    }

    /// A pointer to an object as one to the scalar that it is accessed as.
    fn as_accessed(&mut self, pointer: Id, pointee: QualType, scalar: Scalar) -> Emit<Id> {
        let ty: TypeId = Types::scalar(scalar);
        let (have, _) = self.m.arithmetic(pointee.ty)?;
        if ty == pointee.ty || !have.is_float() {
            return Ok(pointer);
        }
        let memory = self.m.memory_type(ty)?;
        let ty = self.m.pointer_to(pointee.space, memory);
        Ok(self.op(Op::Bitcast, ty, &[pointer.0]))
    }

    /// What arithmetic on atomic floats needs.
    fn float_capability(&mut self, op: Op, scalar: Scalar) {
        use Capability as C;
        let adds = op == Op::AtomicFAddEXT;
        if !adds && !matches!(op, Op::AtomicFMinEXT | Op::AtomicFMaxEXT) {
            return;
        }
        let (capability, extension) = match (adds, scalar) {
            (true, Scalar::Half) => (C::AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"),
            (true, Scalar::Double) => (C::AtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add"),
            (true, _) => (C::AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"),
            (false, Scalar::Half) => (C::AtomicFloat16MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
            (false, Scalar::Double) => (C::AtomicFloat64MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
            (false, _) => (C::AtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"),
        };
        self.m.b.capability(capability);
        self.m.b.extension(extension);
    }
}

/// The type that a scalar is accessed as: where only bits move, integers stand for floats; there are none of 16 bits
/// that atomics take.
fn accessed(op: Op, scalar: Scalar) -> Scalar {
    let moves =
        matches!(op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange | Op::AtomicCompareExchange);
    match scalar {
        Scalar::Float | Scalar::Double if moves => Scalar::unsigned_of_size(scalar.size()),
        _ => scalar,
    }
}

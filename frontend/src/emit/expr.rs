//! Expressions: values, effects and conditions.

use super::analysis;
use super::error::Emit;
use super::function::{FunctionEmitter, Slot};
use super::module::MAX_OPERANDS;
use super::place::Place;
use crate::builtins::BuiltinOp;
use crate::hir::{BinaryOp, CastKind, Constant, Expr, ExprKind, FunctionId, LocalId, UnaryOp};
use crate::types::{QualType, Scalar, Type, TypeId};
use spirv_io::Id;
use spirv_io::spirv::{MemoryAccess, Op};

/// Expressions nest no deeper than this in the emitter; the parser's own limit is lower but for
/// chains of operators, which do not recurse.
const MAX_DEPTH: u32 = 12_000;

/// Objects larger than this are copied in memory rather than through a value.
const MAX_COPIED_VALUE: u64 = 128;

/// What a void expression gives: never an operand.
pub(super) const NO_VALUE: Id = Id(0);

impl<'a> FunctionEmitter<'_, 'a> {
    /// Counts the nesting; the caller counts down again.
    pub fn enter_expr(&mut self, expr: &Expr) -> Emit<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.m.at = expr.span;
            return self.m.fail("nesting-too-deep", "the expression nests too deep");
        }
        Ok(())
    }

    /// Evaluates for the effect only.
    pub fn effect(&mut self, expr: &'a Expr) -> Emit<()> {
        match &expr.kind {
            ExprKind::Cast { kind: CastKind::ToVoid, operand } => self.effect(operand),
            ExprKind::Comma { .. } => {
                let last = self.all_but_last(expr)?;
                self.effect(last)
            }
            ExprKind::IncDec { lvalue, increment, .. } => self.inc_dec(lvalue, *increment, true).map(|_| ()),
            ExprKind::Assign { lhs, rhs } if self.copies(lhs, rhs)? => Ok(()),
            // Reading an object that is not volatile has no effect, but its address may have.
            _ if expr.kind.is_lvalue() => self.reference(expr).map(|_| ()),
            _ => self.rvalue(expr).map(|_| ()),
        }
    }

    /// The effects of `a, b, …` up to the last operand, which is given back. The chain leans to the left and is
    /// walked down without recursion.
    fn all_but_last(&mut self, expr: &'a Expr) -> Emit<&'a Expr> {
        let (mut bottom, mut chain) = (expr, Vec::new());
        while let ExprKind::Comma { first, second } = &bottom.kind {
            chain.push(&**second);
            bottom = first;
        }
        for next in chain.into_iter().rev() {
            self.effect(bottom)?;
            bottom = next;
        }
        Ok(bottom)
    }

    /// Copies a large struct in memory when `rhs` is the value of an object; whether it did.
    fn copies(&mut self, lhs: &'a Expr, rhs: &'a Expr) -> Emit<bool> {
        let Some(from) = self.large_object(rhs)? else { return Ok(false) };
        let to = self.place(lhs)?;
        let from = self.place(from)?;
        self.copy_object(&to, &from)?;
        Ok(true)
    }

    /// The object whose value `expr` is, when it is a struct too large to pass through a value.
    pub fn large_object(&mut self, expr: &'a Expr) -> Emit<Option<&'a Expr>> {
        let ExprKind::Load(from) = &expr.kind else { return Ok(None) };
        let is_record = matches!(self.m.program.types.get(expr.ty.ty), Type::Record(_));
        if !is_record || self.m.size_of(expr.ty.ty)? <= MAX_COPIED_VALUE {
            return Ok(None);
        }
        let root = analysis::value_root(self.m.program, from);
        let slot = root.and_then(|LocalId(root)| self.slots.get(root as usize));
        // A parameter without storage is a value already.
        Ok(if matches!(slot, Some(Slot::Value(_))) { None } else { Some(&**from) })
    }

    /// Copies an object from place to place.
    pub fn copy_object(&mut self, to: &Place, from: &Place) -> Emit<()> {
        let size = self.m.size_of(to.ty)?;
        let size = self.m.size_constant(size);
        let volatile = if to.volatile || from.volatile { MemoryAccess::VOLATILE } else { MemoryAccess::NONE };
        let access = (MemoryAccess::ALIGNED | volatile).bits();
        // Sized copies are between byte pointers, as every producer writes them.
        let byte = self.m.int_type(8);
        let mut pointers = [to, from].map(|p| (p.ptr, p.space));
        for (ptr, space) in &mut pointers {
            let ty = self.m.pointer_to(*space, byte);
            *ptr = self.op(Op::Bitcast, ty, &[ptr.0]);
        }
        let operands = [pointers[0].0.0, pointers[1].0.0, size.0, access, to.align.min(from.align)];
        self.op_void(Op::CopyMemorySized, &operands);
        Ok(())
    }

    /// The value of an expression; [`NO_VALUE`] for void ones. An lvalue is read.
    pub fn rvalue(&mut self, expr: &'a Expr) -> Emit<Id> {
        self.enter_expr(expr)?;
        let outer = std::mem::replace(&mut self.m.at, expr.span);
        let value = self.rvalue_inner(expr)?;
        self.m.at = outer;
        self.depth -= 1;
        if let Some((Scalar::Half, _)) = self.m.program.arithmetic(expr.ty.ty) {
            self.m.half_values = true;
        }
        Ok(value)
    }

    fn rvalue_inner(&mut self, expr: &'a Expr) -> Emit<Id> {
        use ExprKind::*;
        let ty = expr.ty.ty;
        match &expr.kind {
            Constant(constant) => self.constant(constant, ty),
            Load(lvalue) => self.lvalue_value(lvalue),
            Statements { block, value } => {
                self.block(block)?;
                self.ensure_block();
                value.as_ref().map_or(Ok(NO_VALUE), |value| self.rvalue(value))
            }
            AddressOf(lvalue) => {
                let place = self.place(lvalue)?;
                self.address(&place, ty)
            }
            ArrayDecay(array) => self.array_decay(array, ty),
            MemberValue { base, field } => {
                let value = self.rvalue(base)?;
                self.member_value(value, base.ty.ty, *field)
            }
            SwizzleValue { base, components } => {
                let value = self.rvalue(base)?;
                self.shuffle(value, base.ty.ty, components)
            }
            VectorElementValue { base, index } => {
                let value = self.rvalue(base)?;
                let index = self.rvalue(index)?;
                self.extract_dynamic(value, base.ty.ty, index)
            }
            Unary { op, operand } => self.unary(*op, operand, ty),
            Binary { .. } => self.binary_chain(expr),
            PointerOffset { pointer, index, subtract } => {
                let value = self.rvalue(pointer)?;
                let index = self.index(index)?;
                let index = if *subtract { self.negate_index(index) } else { index };
                self.pointer_offset(value, pointer.ty.ty, index)
            }
            PointerDifference { lhs, rhs } => self.pointer_difference(lhs, rhs, ty),
            LogicalAnd { .. } | LogicalOr { .. } => {
                let value = self.condition(expr)?;
                self.bool_to_int(value, ty)
            }
            VectorLogical { and, lhs, rhs } => self.vector_logical(*and, lhs, rhs, ty),
            Conditional { .. } => self.conditional(expr),
            VectorSelect { cond, then, els } => self.vector_select(cond, then, els, ty),
            Assign { lhs, rhs } => self.assign(lhs, rhs),
            CompoundAssign { op, lhs, rhs, computation } => self.compound_assign(*op, lhs, rhs, *computation),
            IncDec { lvalue, increment, prefix } => self.inc_dec(lvalue, *increment, *prefix),
            Cast { kind, operand } => self.cast(*kind, operand, ty),
            Call { function, args } => self.call(*function, None, args, expr),
            Block { captures, .. } => self.rvalue(captures),
            CallBlock { block, args } => self.call_block(block, args, expr),
            Builtin { builtin, args } => {
                self.line(expr.span);
                self.builtin(builtin, args)
            }
            Printf { format, args } => {
                self.line(expr.span);
                self.printf(format, args)
            }
            VectorLiteral(parts) => self.vector_literal(parts, ty),
            Comma { .. } => {
                let last = self.all_but_last(expr)?;
                self.rvalue(last)
            }
            Error => self.m.bug("an expression that was diagnosed before"),
            Local(_) | Global(_) | Deref(_) | Member { .. } => self.lvalue_value(expr),
            Swizzle { .. } | VectorElement { .. } | CompoundLiteral { .. } => self.lvalue_value(expr),
        }
    }

    fn constant(&mut self, constant: &Constant, ty: TypeId) -> Emit<Id> {
        let Constant::Address { global, offset } = constant else {
            return self.m.value_constant(constant, ty);
        };
        let ptr = self.m.global(*global)?;
        let (from, space) = self.m.global_type(*global)?;
        let memory = self.m.memory_type(from)?;
        if *offset == 0 {
            return self.coerce_pointer(ptr, memory, space, ty);
        }
        let byte = self.m.int_type(8);
        let bytes = self.m.pointer_to(space, byte);
        let start = self.op(Op::Bitcast, bytes, &[ptr.0]);
        let offset = self.m.size_constant(*offset as u64);
        let at = self.op(Op::InBoundsPtrAccessChain, bytes, &[start.0, offset.0]);
        self.coerce_pointer(at, byte, space, ty)
    }

    fn array_decay(&mut self, array: &'a Expr, ty: TypeId) -> Emit<Id> {
        let place = self.place(array)?;
        if self.m.is_unsized_array(place.ty) {
            return self.address(&place, ty);
        }
        let zero = self.m.size_constant(0);
        let first = self.array_element(&place, zero)?;
        self.address(&first, ty)
    }

    fn assign(&mut self, lhs: &'a Expr, rhs: &'a Expr) -> Emit<Id> {
        self.line(lhs.span);
        // The order of evaluation is the compiler's choice; the right side first keeps values short-lived.
        let value = self.rvalue(rhs)?;
        let reference = self.reference(lhs)?;
        self.store_reference(&reference, value)?;
        self.assigned(value);
        Ok(value)
    }

    /// A call; of a block with what it captured.
    pub fn call(
        &mut self,
        function: FunctionId,
        captures: Option<Id>,
        args: &'a [Expr],
        expr: &Expr,
    ) -> Emit<Id> {
        let id = self.callee(function, args)?;
        let mut operands = vec![id.0];
        operands.extend(captures.map(|id| id.0));
        for arg in args {
            operands.push(self.rvalue(arg)?.0);
        }
        if operands.len() > MAX_OPERANDS {
            return self.m.fail("too-many-parameters", "the call has too many arguments");
        }
        self.line(expr.span);
        self.m.uses[self.id.0 as usize].calls.push(function);
        let ty = self.m.value_type(expr.ty.ty)?;
        Ok(self.op(Op::FunctionCall, ty, &operands))
    }

    fn vector_literal(&mut self, parts: &'a [Expr], ty: TypeId) -> Emit<Id> {
        let (scalar, lanes) = self.m.arithmetic(ty)?;
        let element = self.m.scalar_type(scalar);
        let mut ids = Vec::with_capacity(lanes.into());
        let mut all_constant = true;
        for part in parts {
            let value = self.rvalue(part)?;
            let (_, count) = self.m.arithmetic(part.ty.ty)?;
            if parts.len() == 1 && count == lanes {
                return Ok(value);
            }
            if count == 1 {
                all_constant &= self.m.is_scalar_constant(value);
                ids.push(value.0);
                continue;
            }
            all_constant = false;
            for lane in 0..count {
                ids.push(self.op(Op::CompositeExtract, element, &[value.0, lane.into()]).0);
            }
        }
        if let ([one], true) = (&ids[..], lanes > 1) {
            ids = vec![*one; lanes.into()];
        }
        if ids.len() != usize::from(lanes) {
            return self.m.bug("a vector literal of another length");
        }
        let ty = self.m.vector_type(scalar, lanes);
        if lanes == 1 {
            return Ok(Id(ids[0]));
        }
        Ok(if all_constant {
            self.m.b.unique(Op::ConstantComposite, Some(ty), &ids)
        } else {
            self.op(Op::CompositeConstruct, ty, &ids)
        })
    }

    /// An integer expression as an index: as wide as an address, by the sign of its own type (SPIR-V
    /// takes indices as signed).
    ///
    /// A constant that is added to an `int` is added to the wide index: such a sum does not overflow (C99 6.5), and neighbours
    /// then share all but the constant, which loads and stores add themselves.
    pub fn index(&mut self, expr: &'a Expr) -> Emit<Id> {
        let (scalar, _) = self.m.arithmetic(expr.ty.ty)?;
        let bits = self.m.address_bits();
        let (apart, constant) = if scalar == Scalar::Int && bits > 32 { sum(expr) } else { (expr, 0) };
        let value = self.rvalue(apart)?;
        let index = self.resize_int(value, scalar, 1, bits)?;
        if constant == 0 {
            return Ok(index);
        }
        let constant = self.m.size_constant(constant as u64);
        if let (Some(index), Some(constant)) = (self.m.known(index), self.m.known(constant)) {
            return Ok(self.m.size_constant(index.wrapping_add(constant)));
        }
        let ty = self.m.size_type();
        Ok(self.op(Op::IAdd, ty, &[index.0, constant.0]))
    }

    /// Minus an index.
    pub fn negate_index(&mut self, index: Id) -> Id {
        if let Some(known) = self.m.known(index) {
            return self.m.size_constant(known.wrapping_neg());
        }
        let ty = self.m.size_type();
        self.op(Op::SNegate, ty, &[index.0])
    }

    /// A pointer moved by `index` elements.
    pub fn pointer_offset(&mut self, pointer: Id, ty: TypeId, index: Id) -> Emit<Id> {
        let Some(pointee) = self.m.program.types.pointee(ty) else {
            return self.m.bug("a pointer was expected");
        };
        let value_type = self.m.value_type(ty)?;
        if self.m.program.types.layout(pointee.ty).is_none() {
            // void: bytes.
            return Ok(self.op(Op::InBoundsPtrAccessChain, value_type, &[pointer.0, index.0]));
        }
        let typed = self.typed_pointer(pointer, pointee)?;
        if typed == pointer {
            return Ok(self.op(Op::InBoundsPtrAccessChain, value_type, &[pointer.0, index.0]));
        }
        let memory = self.m.memory_type(pointee.ty)?;
        let typed_type = self.m.pointer_to(pointee.space, memory);
        let moved = self.op(Op::InBoundsPtrAccessChain, typed_type, &[typed.0, index.0]);
        Ok(self.op(Op::Bitcast, value_type, &[moved.0]))
    }

    fn pointer_difference(&mut self, lhs: &'a Expr, rhs: &'a Expr, ty: TypeId) -> Emit<Id> {
        let Some(pointee) = self.m.program.types.pointee(lhs.ty.ty) else {
            return self.m.bug("a pointer was expected");
        };
        let size = match self.m.program.types.layout(pointee.ty) {
            Some(layout) => layout.size.max(1),
            None => 1,
        };
        let (lhs, rhs) = (self.rvalue(lhs)?, self.rvalue(rhs)?);
        let word = self.m.size_type();
        let (l, r) = (self.op(Op::ConvertPtrToU, word, &[lhs.0]), self.op(Op::ConvertPtrToU, word, &[rhs.0]));
        let bytes = self.op(Op::ISub, word, &[l.0, r.0]);
        // Both are elements of one array (C99 §6.5.6): nothing is left over, and the quotient by what is odd of the size is the product
        // with its inverse modulo a power of two.
        let (power, odd) = (size.trailing_zeros(), size >> size.trailing_zeros());
        let mut elements = bytes;
        if power > 0 {
            let power = self.m.size_constant(power.into());
            elements = self.op(Op::ShiftRightArithmetic, word, &[elements.0, power.0]);
        }
        if odd > 1 {
            let inverse = inverse(odd) & (u64::MAX >> (64 - self.m.address_bits()));
            let inverse = self.m.size_constant(inverse);
            elements = self.op(Op::IMul, word, &[elements.0, inverse.0]);
        }
        let (scalar, _) = self.m.arithmetic(ty)?;
        let from = if self.m.address_bits() == 64 { Scalar::Long } else { Scalar::Int };
        self.resize_int(elements, from, 1, scalar.size() * 8)
    }

    /// A scalar condition as OpTypeBool.
    pub fn condition(&mut self, expr: &'a Expr) -> Emit<Id> {
        self.enter_expr(expr)?;
        let value = self.condition_inner(expr)?;
        self.depth -= 1;
        Ok(value)
    }

    fn condition_inner(&mut self, expr: &'a Expr) -> Emit<Id> {
        let is_bool = *self.m.program.types.get(expr.ty.ty) == Type::Scalar(Scalar::Bool);
        match &expr.kind {
            ExprKind::Cast { kind: CastKind::ToBool, operand } => self.condition(operand),
            ExprKind::Cast { kind: CastKind::Arithmetic, operand } if is_bool => self.condition(operand),
            ExprKind::Unary { op: UnaryOp::LogicalNot, operand }
                if self.m.program.arithmetic(operand.ty.ty).is_none_or(|(_, lanes)| lanes == 1) =>
            {
                let value = self.condition(operand)?;
                if let Some(known) = self.m.known(value) {
                    return Ok(self.m.bool_constant(known == 0));
                }
                let ty = self.m.bool_type();
                Ok(self.op(Op::LogicalNot, ty, &[value.0]))
            }
            ExprKind::Binary { op, lhs, rhs }
                if op.is_comparison()
                    && self.m.program.arithmetic(lhs.ty.ty).is_none_or(|(_, lanes)| lanes == 1) =>
            {
                let (ty, l) = (lhs.ty.ty, self.rvalue(lhs)?);
                let r = self.rvalue(rhs)?;
                self.compare(*op, l, r, ty)
            }
            ExprKind::LogicalAnd { .. } => self.logical_chain(expr, true),
            ExprKind::LogicalOr { .. } => self.logical_chain(expr, false),
            _ => {
                let value = self.rvalue(expr)?;
                self.truth(value, expr.ty.ty)
            }
        }
    }

    /// `a && b && …`: the chain leans to the left and is walked down without recursion.
    fn logical_chain(&mut self, expr: &'a Expr, and: bool) -> Emit<Id> {
        let (mut bottom, mut chain) = (expr, Vec::new());
        loop {
            bottom = match &bottom.kind {
                ExprKind::LogicalAnd { lhs, rhs } if and => {
                    chain.push(&**rhs);
                    lhs
                }
                ExprKind::LogicalOr { lhs, rhs } if !and => {
                    chain.push(&**rhs);
                    lhs
                }
                ExprKind::Cast { kind: CastKind::ToBool, operand } => operand,
                _ => break,
            };
        }
        let first = self.condition(bottom)?;
        chain.into_iter().rev().try_fold(first, |l, rhs| self.logical(l, rhs, and))
    }

    /// `l && rhs` or `l || rhs`: by a branch, or at once where the right side is cheap and has no
    /// effects.
    fn logical(&mut self, l: Id, rhs: &'a Expr, and: bool) -> Emit<Id> {
        let ty = self.m.bool_type();
        if let Some(known) = self.m.known(l) {
            return if (known != 0) == and { self.condition(rhs) } else { Ok(l) };
        }
        if self.is_cheap(rhs, &mut 12) {
            let r = self.condition(rhs)?;
            let op = if and { Op::LogicalAnd } else { Op::LogicalOr };
            return Ok(self.op(op, ty, &[l.0, r.0]));
        }
        let (more, merge) = (self.m.b.id(), self.m.b.id());
        self.ensure_block();
        let Some(from) = self.body.current() else { return self.m.bug("no open block") };
        self.selection_merge(merge);
        let (yes, no) = if and { (more, merge) } else { (merge, more) };
        self.branch_on(l, yes, no);
        self.body.open(more);
        let r = self.condition(rhs)?;
        let Some(right) = self.body.current() else { return self.m.bug("no open block") };
        self.enter(merge);
        let short = self.m.bool_constant(!and);
        Ok(self.op(Op::Phi, ty, &[short.0, from.0, r.0, right.0]))
    }

    /// Returns whether evaluating an expression needlessly is safe and cheaper than a branch: no effects, no
    /// memory but private scalars, no division; at most `budget` nodes.
    pub(super) fn is_cheap(&self, expr: &Expr, budget: &mut u32) -> bool {
        let Some(left) = budget.checked_sub(1) else { return false };
        *budget = left;
        match &expr.kind {
            ExprKind::Constant(_) => true,
            ExprKind::Load(lvalue) => {
                let root = analysis::value_root(self.m.program, lvalue);
                let own = |LocalId(id)| {
                    let local = self.f.locals.get(id as usize);
                    local.is_some_and(|l: &crate::hir::Local| !l.ty.is_volatile)
                };
                root.is_some_and(own) && !matches!(lvalue.kind, ExprKind::VectorElement { .. })
            }
            ExprKind::Unary { operand, .. } => self.is_cheap(operand, budget),
            ExprKind::Cast { kind, operand } => {
                !matches!(kind, CastKind::ToVoid) && self.is_cheap(operand, budget)
            }
            ExprKind::SwizzleValue { base, .. } => self.is_cheap(base, budget),
            ExprKind::Binary { op, lhs, rhs } => {
                !matches!(op, BinaryOp::Div | BinaryOp::Rem)
                    && self.is_cheap(lhs, budget)
                    && self.is_cheap(rhs, budget)
            }
            ExprKind::LogicalAnd { lhs, rhs } | ExprKind::LogicalOr { lhs, rhs } => {
                self.is_cheap(lhs, budget) && self.is_cheap(rhs, budget)
            }
            ExprKind::Builtin { builtin, args } => {
                matches!(builtin.op, BuiltinOp::WorkItem { .. } | BuiltinOp::ConstantInt(_))
                    && args.iter().all(|arg| self.is_cheap(arg, budget))
            }
            _ => false,
        }
    }

    /// A place for a value that must have an address.
    pub fn spill(&mut self, value: Id, ty: TypeId) -> Emit<Place> {
        let ty = QualType::new(ty);
        let ptr = self.variable(ty, None)?;
        let place = self.private_place(ptr, ty)?;
        self.store(&place, value)?;
        Ok(place)
    }
}

impl BinaryOp {
    /// `<`, `>`, `<=`, `>=`, `==`, `!=`.
    fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Lt | Gt | Le | Ge | Eq | Ne)
    }
}

/// An `int` as a sum of an `int` and a constant.
fn sum(expr: &Expr) -> (&Expr, i64) {
    let (mut apart, mut constant) = (expr, 0i64);
    while let ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), lhs, rhs } = &apart.kind {
        let known = |e: &Expr| match e.kind {
            ExprKind::Constant(Constant::Int(n)) => Some(n),
            _ => None,
        };
        let (rest, more) = match (op, known(lhs), known(rhs)) {
            (BinaryOp::Add, _, Some(n)) => (lhs, n),
            (BinaryOp::Sub, _, Some(n)) => (lhs, -n),
            (BinaryOp::Add, Some(n), None) => (rhs, n),
            _ => break,
        };
        if rest.ty.ty != expr.ty.ty {
            break;
        }
        (apart, constant) = (rest, constant + more);
    }
    (apart, constant)
}

/// Returns what gives 1 modulo 2^64 when an odd number is multiplied by it: each step doubles the bits that are right, of which an odd number
/// itself gives three.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

//! `memcpy`, `memmove`, `memset` between any address spaces.

use super::super::context::Sema;
use super::super::convert::{error_expr, is_error, rvalue};
use super::Held;
use crate::hir::{BinaryOp, Block, CastKind, Constant, Expr, ExprKind, Init, Stmt, StmtKind};
use crate::intrinsics::Memory;
use crate::source::Span;
use crate::syntax::ast::Prefix;
use crate::types::{AddressSpace, Field, QualType, Record, RecordId, Scalar, Type, TypeId, Types};

/// `memset` of a known size with at most so many stores is no loop.
const MAX_STORES: u64 = 16;

impl Sema<'_> {
    pub(super) fn call_memory(
        &mut self,
        memory: Memory,
        args: Vec<Expr>,
        text: &str,
        span: Span,
    ) -> Option<Expr> {
        let [to, from, size] = self.exactly(args, text, span)?;
        let pointers = if memory == Memory::Set { vec![&to] } else { vec![&to, &from] };
        if let Some(other) = pointers.into_iter().find(|e| !self.is_a_pointer(e)).cloned() {
            self.bad_argument(&other, text, "a pointer here");
            return None;
        }
        let target = self.types.pointee(to.ty.ty)?;
        if target.is_const || target.space == AddressSpace::Constant {
            self.bad_argument(&to, text, "a pointer to what may be written");
            return None;
        }
        let size_t = self.types.size_t();
        let size = self.argument(size, size_t);
        if is_error(&size) {
            return None;
        }
        let known = self.const_eval_int(&size).map(|n| n as u64);
        if known == Some(0) {
            return Some(self.memory_result(to, target, Vec::new(), span));
        }
        if self.function.is_none() {
            self.error("not-constant", span, format!("'{text}' can only stand in a function"));
            return None;
        }
        let (to, size) = (self.hold(to), self.hold(size));
        let stmts = match memory {
            Memory::Set => {
                let value = self.argument(from, Types::INT);
                let value = self.as_scalar(value, Scalar::UChar);
                let value = self.hold(value);
                let mut stmts = self.fill_bytes(&to, &value, &size, known, span);
                stmts.splice(0..0, assignments([value]));
                stmts
            }
            _ => {
                let from = self.hold(from);
                let mut stmts = match known {
                    Some(bytes) => self.copy_known(memory, &to, &from, bytes, span),
                    None => self.copy_unknown(memory, &to, &from, &size, span),
                };
                stmts.splice(0..0, assignments([from]));
                stmts
            }
        };
        let place = to.get();
        let mut all: Vec<Stmt> = assignments([to, size]).collect();
        all.extend(stmts);
        let place = self.to_rvalue(place);
        Some(self.memory_result(place, target, all, span))
    }

    /// The statements, then the pointer as a `void *` of its space.
    fn memory_result(&mut self, to: Expr, target: QualType, stmts: Vec<Stmt>, span: Span) -> Expr {
        let void = self.types.pointer(QualType { ty: Types::VOID, ..target });
        let value = self.explicit_cast(to, void, span);
        if is_error(&value) {
            return value;
        }
        rvalue(ExprKind::Statements { block: Block { stmts }, value: Some(Box::new(value)) }, void, span)
    }

    /// The largest integer that both pointers are aligned for by their types, and that divides the size.
    fn unit(&self, pointers: &[&Held], bytes: u64) -> Scalar {
        let align = |held: &&Held| {
            let pointee = self.types.pointee(held.place.ty.ty);
            pointee.and_then(|p| self.types.layout(p.ty)).map_or(1, |l| l.align)
        };
        let least = pointers.iter().map(align).min().unwrap_or(1).min(8);
        let fits = (0..=3)
            .rev()
            .map(|shift| 1u64 << shift)
            .find(|unit| *unit <= least && bytes.is_multiple_of(*unit));
        Scalar::unsigned_of_size(fits.unwrap_or(1) as u32)
    }

    /// `*(T *)pointer`, qualified and placed as what the pointer points to.
    fn object_of(&mut self, pointer: &Held, ty: TypeId, span: Span) -> Expr {
        let Some(pointee) = self.types.pointee(pointer.place.ty.ty) else { return error_expr(span) };
        let ty = self.types.pointer(QualType { ty, ..pointee });
        let typed = self.to_rvalue(pointer.get());
        let typed = if typed.ty.ty == ty { typed } else { self.cast(CastKind::PointerBitcast, typed, ty) };
        self.build_prefix(Prefix::Deref, typed, span)
    }

    /// A structure of `bytes` bytes in units: copying it copies them.
    fn bytes_record(&mut self, unit: Scalar, bytes: u64, span: Span) -> TypeId {
        let element = QualType::new(Types::scalar(unit));
        let array = self.types.intern(Type::Array(element, Some(bytes / u64::from(unit.size()))));
        let field = Field { name: None, ty: QualType::new(array), aligned: None, packed: false, span };
        let id = RecordId(self.types.records.len() as u32);
        self.types.records.push(Record {
            tag: None,
            is_union: false,
            fields: Some(vec![field]),
            packed: false,
            pack: None,
            aligned: None,
            span,
            layout: None,
        });
        self.types.freeze_layout(id);
        self.types.intern(Type::Record(id))
    }

    fn copy_known(&mut self, memory: Memory, to: &Held, from: &Held, bytes: u64, span: Span) -> Vec<Stmt> {
        let unit = self.unit(&[to, from], bytes);
        let record = self.bytes_record(unit, bytes, span);
        if self.types.layout(record).is_none() {
            self.error("type-too-large", span, "more bytes than an object can have");
            return Vec::new();
        }
        let target = self.object_of(to, record, span);
        let source = self.object_of(from, record, span);
        let source = self.to_rvalue(source);
        if memory == Memory::Copy {
            let copy = self.build_assignment(None, target, source, span);
            return vec![statement(copy, span)];
        }
        // What overlaps is read as a whole before anything is written.
        let held = self.hold(source);
        let copy = self.build_assignment(None, target, held.get(), span);
        let mut stmts: Vec<Stmt> = assignments([held]).collect();
        stmts.push(statement(copy, span));
        stmts
    }

    /// Bytes one by one: a size that is not known, and pointers that may be anywhere.
    fn copy_unknown(&mut self, memory: Memory, to: &Held, from: &Held, size: &Held, span: Span) -> Vec<Stmt> {
        let spaces = |held: &Held| self.types.pointee(held.place.ty.ty).map(|p| p.space);
        let may_overlap = memory == Memory::Move && spaces(to) == spaces(from);
        let forwards = self.byte_loop(to, from, size, false, span);
        if !may_overlap {
            return vec![forwards];
        }
        let backwards = self.byte_loop(to, from, size, true, span);
        // A target behind its source is copied from the end.
        let byte = |p: &mut Self, held: &Held| {
            let pointee = p.types.pointee(held.place.ty.ty).unwrap_or(QualType::new(Types::ERROR));
            let ty =
                p.types.pointer(QualType { ty: Types::scalar(Scalar::UChar), is_const: true, ..pointee });
            let pointer = p.to_rvalue(held.get());
            p.cast(CastKind::PointerBitcast, pointer, ty)
        };
        let (a, b) = (byte(self, from), byte(self, to));
        let behind = self.binary(BinaryOp::Lt, a, b);
        let cond = self.to_bool_condition(behind);
        let kind = StmtKind::If { cond, then: Box::new(backwards), els: Some(Box::new(forwards)) };
        vec![Stmt { kind, span }]
    }

    fn byte_loop(&mut self, to: &Held, from: &Held, size: &Held, backwards: bool, span: Span) -> Stmt {
        self.counted_loop(size.get(), span, |p, index| {
            let index = match backwards {
                true => {
                    let (last, one) = (size.get(), p.number(1, Scalar::Int, span));
                    let last = p.binary(BinaryOp::Sub, last, one);
                    p.binary(BinaryOp::Sub, last, index)
                }
                false => index,
            };
            let target = p.element_of(to, Scalar::UChar, index.clone(), span);
            let source = p.element_of(from, Scalar::UChar, index, span);
            p.build_assignment(None, target, source, span)
        })
    }

    fn element_of(&mut self, pointer: &Held, unit: Scalar, index: Expr, span: Span) -> Expr {
        let Some(pointee) = self.types.pointee(pointer.place.ty.ty) else { return error_expr(span) };
        let ty = self.types.pointer(QualType { ty: Types::scalar(unit), ..pointee });
        let typed = self.to_rvalue(pointer.get());
        let typed = if typed.ty.ty == ty { typed } else { self.cast(CastKind::PointerBitcast, typed, ty) };
        self.build_index(typed, index, span)
    }

    /// `for (size_t i = 0; i < count; i++) body(i)`.
    fn counted_loop(&mut self, count: Expr, span: Span, body: impl FnOnce(&mut Self, Expr) -> Expr) -> Stmt {
        let size_t = self.types.size_t();
        let ty = QualType::new(size_t);
        let local = self.new_local(None, ty, span);
        let index = || Expr { kind: ExprKind::Local(local), ty, span };
        let zero = rvalue(ExprKind::Constant(Constant::Int(0)), size_t, span);
        let value = self.to_rvalue(index());
        let body = body(self, value);
        let below = self.binary(BinaryOp::Lt, index(), count);
        let cond = self.to_bool_condition(below);
        let step = self.build_inc_dec(index(), true, true, span);
        let init = Stmt { kind: StmtKind::Declare(local, Some(Init::Whole(zero))), span };
        let kind = StmtKind::For {
            init: vec![init],
            cond: Some(cond),
            step: Some(step),
            body: Box::new(statement(body, span)),
            unroll: None,
        };
        Stmt { kind, span }
    }

    /// The bytes of `memset`: units where the size is known, bytes otherwise.
    fn fill_bytes(
        &mut self,
        to: &Held,
        value: &Held,
        size: &Held,
        known: Option<u64>,
        span: Span,
    ) -> Vec<Stmt> {
        let unit = known.map_or(Scalar::UChar, |bytes| self.unit(&[to], bytes));
        // Every byte of the unit is the value.
        let ones = match unit.size() {
            1 => 1,
            2 => 0x0101,
            4 => 0x0101_0101,
            _ => 0x0101_0101_0101_0101,
        };
        let (wide, ones) = (self.as_scalar(value.get(), unit), self.number(ones, unit, span));
        let pattern = self.binary(BinaryOp::Mul, wide, ones);
        let pattern = self.as_scalar(pattern, unit);
        let pattern = self.hold(pattern);
        let units = known.map(|bytes| bytes / u64::from(unit.size()));
        let stores = match units {
            Some(units) if units <= MAX_STORES => (0..units)
                .map(|i| {
                    let index = self.number(i as i64, Scalar::Int, span);
                    let target = self.element_of(to, unit, index, span);
                    let store = self.build_assignment(None, target, pattern.get(), span);
                    statement(store, span)
                })
                .collect(),
            _ => {
                let count = match units {
                    Some(units) => {
                        let size_t = self.types.size_t();
                        rvalue(ExprKind::Constant(Constant::Int(units as i64)), size_t, span)
                    }
                    None => size.get(),
                };
                vec![self.counted_loop(count, span, |p, index| {
                    let target = p.element_of(to, unit, index, span);
                    p.build_assignment(None, target, pattern.get(), span)
                })]
            }
        };
        assignments([pattern]).chain(stores).collect()
    }
}

fn statement(e: Expr, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Expr(e), span }
}

fn assignments<const N: usize>(held: [Held; N]) -> impl Iterator<Item = Stmt> {
    held.into_iter().filter_map(|h| h.assign).map(|e| {
        let span = e.span;
        statement(e, span)
    })
}

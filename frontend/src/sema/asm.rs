//! `asm` statements: GCC's operands and constraints around the PTX of [`crate::ptx`].
//!
//! An operand is a register of its own: inputs are evaluated before the text, outputs are assigned behind it. The
//! constraints are those that clang has for NVPTX: `h` 16 bits, `r` 32, `l` 64, `f` and `d` floats, `n` and `i` integer
//! constants; a number ties an input to an output.

use super::context::Sema;
use super::convert::{is_error, rvalue};
use super::expr::Typing;
use crate::hir::{Block, CastKind, Expr, ExprKind, LocalId, Stmt, StmtKind};
use crate::ptx::{self, Bound, Host, Operand, Type as Ptx};
use crate::source::Span;
use crate::syntax::statement::{AsmOperand, AsmOperandKind, Tokens};
use crate::types::{QualType, Type, TypeId, Types};

/// More operands are refused, as by clang.
const MAX_OPERANDS: usize = 30;

/// A string and where its pieces come from.
struct Text {
    text: String,
    /// The place in the text at which each literal begins.
    pieces: Vec<(usize, Span)>,
}

impl Text {
    /// The literal that a byte comes from.
    fn span(&self, at: usize) -> Span {
        let piece = self.pieces.iter().rev().find(|(start, _)| *start <= at).or(self.pieces.first());
        piece.map_or(Span::default(), |(_, span)| *span)
    }
}

/// The meaning of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A register.
    Register(Ptx),
    /// An integer constant.
    Constant,
    /// An integer constant, or a value that is one when the function is inlined.
    Immediate,
    /// The register of an output.
    Tied(usize),
}

/// An output: its lvalue, the register, and the type of that.
struct Output {
    place: Expr,
    local: LocalId,
    ty: Ptx,
}

/// The statement as far as it was read.
#[derive(Default)]
struct Asm {
    operands: Vec<Operand>,
    outputs: Vec<Output>,
    stmts: Vec<Stmt>,
    failed: bool,
}

impl Sema<'_> {
    /// An `asm` statement, whose keyword is at `start`.
    pub(super) fn asm(
        &mut self,
        typing: &mut Typing,
        index: u32,
        start: Span,
        problems_end: u32,
    ) -> StmtKind {
        let tree = typing.tree.statements.asms[index as usize];
        let text = self.asm_text(tree.text);
        let mut asm = Asm { failed: text.is_none(), ..Asm::default() };
        for index in tree.operands.start..tree.operands.end {
            if asm.failed {
                break;
            }
            let operand = typing.tree.statements.asm_operands[index as usize];
            self.asm_operand(typing, &mut asm, operand);
        }
        let Some(text) = text.filter(|_| !asm.failed) else {
            self.skip_problems(typing, problems_end);
            return StmtKind::Empty;
        };
        self.report_before(typing, problems_end);
        if self.broken() || !tree.whole {
            return StmtKind::Empty;
        }
        self.finish_asm(asm, &text, tree.basic, start.to(self.span_of(tree.close)))
    }

    /// Adjacent literals.
    fn asm_text(&mut self, (start, end): Tokens) -> Option<Text> {
        let mut text = Text { text: String::new(), pieces: Vec::new() };
        let mut bytes = Vec::new();
        for index in start..end {
            let token = self.token(index);
            text.pieces.push((bytes.len(), token.span));
            bytes.extend(self.bytes_of(token));
        }
        match String::from_utf8(bytes) {
            Ok(valid) => {
                text.text = valid;
                Some(text)
            }
            Err(_) => {
                let span = text.span(0);
                self.error("inline-assembly", span, "the text of 'asm' is not UTF-8");
                None
            }
        }
    }

    fn asm_operand(&mut self, typing: &mut Typing, asm: &mut Asm, tree: AsmOperand) {
        let constraint = self.asm_text(tree.constraint);
        let (Some(constraint), Some(value)) = (constraint, tree.value) else {
            // What is clobbered is named for the compiler's sake: nothing here lives in registers or caches.
            asm.failed |= tree.kind != AsmOperandKind::Clobber;
            return;
        };
        let name = tree.name.map(|name| self.symbols.text(name).to_owned());
        let at = constraint.span(0);
        let value = self.type_range(typing, value);
        self.report_before(typing, tree.problems_end);
        asm.failed |= is_error(&value);
        if asm.failed {
            return;
        }
        if asm.operands.len() >= MAX_OPERANDS {
            self.error("inline-assembly", at, format!("'asm' has more than {MAX_OPERANDS} operands"));
            asm.failed = true;
            return;
        }
        let bound = if tree.kind == AsmOperandKind::Output {
            self.bind_output(asm, &constraint.text, value, at)
        } else {
            self.bind_input(asm, &constraint.text, value, at)
        };
        match bound {
            Some(bound) => asm.operands.push(Operand { name, bound }),
            None => asm.failed = true,
        }
    }

    fn bad_constraint<T>(&mut self, text: &str, at: Span, why: &str) -> Option<T> {
        self.error("inline-assembly", at, format!("constraint '{text}' of 'asm' {why}"));
        None
    }

    /// The kind that the letters of a constraint, without `=` or `+`, mean.
    fn constraint_kind(&mut self, asm: &Asm, whole: &str, letters: &str, at: Span) -> Option<Kind> {
        let letters = letters.trim_start_matches(['&', '%']);
        if let Some(name) = letters.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            let tied = asm.operands.iter().position(|o| o.name.as_deref() == Some(name));
            return match tied {
                Some(index) => Some(Kind::Tied(index)),
                None => self.bad_constraint(whole, at, "names no operand"),
            };
        }
        if let Ok(index) = letters.parse::<usize>() {
            return Some(Kind::Tied(index));
        }
        match letters {
            "h" => Some(Kind::Register(Ptx::B16)),
            "r" => Some(Kind::Register(Ptx::B32)),
            "l" => Some(Kind::Register(Ptx::B64)),
            "f" => Some(Kind::Register(Ptx::F32)),
            "d" => Some(Kind::Register(Ptx::F64)),
            "n" => Some(Kind::Constant),
            "i" => Some(Kind::Immediate),
            _ => self.bad_constraint(whole, at, "is unknown: PTX has h, r, l, f, d and n"),
        }
    }

    /// An output: `=` is written, `+` read before, too.
    fn bind_output(&mut self, asm: &mut Asm, text: &str, value: Expr, at: Span) -> Option<Bound> {
        let reads = text.starts_with('+');
        let Some(letters) = text.strip_prefix(['=', '+']) else {
            return self.bad_constraint(text, at, "is of an output and does not begin with '=' or '+'");
        };
        let Kind::Register(ty) = self.constraint_kind(asm, text, letters, at)? else {
            return self.bad_constraint(text, at, "is for inputs");
        };
        let place_span = value.span;
        if !value.kind.is_lvalue() || value.ty.is_const {
            self.error(
                "inline-assembly",
                place_span,
                "an output of 'asm' must be an object that can be assigned",
            );
            return None;
        }
        self.check_operand(value.ty.ty, ty, place_span, true)?;
        let place = self.stable_place(asm, value);
        let local = self.asm_register(ty, place_span);
        if reads {
            let current = self.to_rvalue(place.clone());
            let current = self.register_value(current, ty);
            asm.stmts.push(self.assignment(local, current));
        }
        asm.outputs.push(Output { place, local, ty });
        Some(Bound::Register(local, ty))
    }

    fn bind_input(&mut self, asm: &mut Asm, text: &str, value: Expr, at: Span) -> Option<Bound> {
        let span = value.span;
        match self.constraint_kind(asm, text, text, at)? {
            Kind::Constant => match self.const_eval_int(&value) {
                Some(constant) => Some(Bound::Constant(constant)),
                None => {
                    self.error(
                        "not-constant",
                        span,
                        format!("constraint '{text}' wants an integer constant"),
                    );
                    None
                }
            },
            // clang and NVIDIA's compiler take a value that is constant when the function is inlined. Any value is right here.
            Kind::Immediate => match self.const_eval_int(&value) {
                Some(constant) => Some(Bound::Constant(constant)),
                None => {
                    let wide = self.types.scalar_and_lanes(value.ty.ty).is_some_and(|(s, _)| s.size() > 4);
                    self.bind_register(asm, value, if wide { Ptx::B64 } else { Ptx::B32 })
                }
            },
            Kind::Tied(index) => {
                let Some(Output { local, ty, .. }) = asm.outputs.get(index) else {
                    return self.bad_constraint(text, at, "ties to what is no output");
                };
                let (local, ty) = (*local, *ty);
                let value = self.to_rvalue(value);
                if is_error(&value) {
                    return None;
                }
                self.check_operand(value.ty.ty, ty, span, false)?;
                let value = self.register_value(value, ty);
                asm.stmts.push(self.assignment(local, value));
                Some(Bound::Register(local, ty))
            }
            Kind::Register(ty) => self.bind_register(asm, value, ty),
        }
    }

    /// An input in a register of its own.
    fn bind_register(&mut self, asm: &mut Asm, value: Expr, ty: Ptx) -> Option<Bound> {
        let span = value.span;
        let value = self.to_rvalue(value);
        if is_error(&value) {
            return None;
        }
        self.check_operand(value.ty.ty, ty, span, false)?;
        if matches!(self.types.get(value.ty.ty), Type::Pointer(_)) {
            let pointer = value.ty.ty;
            let local = self.new_local(None, QualType::new(pointer), span);
            asm.stmts.push(self.assignment(local, value));
            return Some(Bound::Pointer(local, pointer));
        }
        let local = self.asm_register(ty, span);
        let value = self.register_value(value, ty);
        asm.stmts.push(self.assignment(local, value));
        Some(Bound::Register(local, ty))
    }

    fn asm_register(&mut self, ty: Ptx, span: Span) -> LocalId {
        let scalar = ptx::context::register_scalar(ty);
        self.new_local(None, QualType::new(Types::scalar(scalar)), span)
    }

    /// Returns whether a value of type `ty` fits a register: integers of at most its width, anything else of its width.
    fn check_operand(&mut self, ty: TypeId, register: Ptx, span: Span, output: bool) -> Option<()> {
        let bits = u64::from(register.bits());
        let (size, narrow) = match (self.types.get(ty), self.types.scalar_and_lanes(ty)) {
            (_, Some((scalar, lanes))) => {
                let narrow = lanes == 1 && scalar.is_integer() && !register.is_float();
                (u64::from(scalar.size()) * u64::from(lanes) * 8, narrow)
            }
            (Type::Pointer(_), _) => (u64::from(self.types.address_width.bytes()) * 8, false),
            _ => (0, false),
        };
        let pointer = matches!(self.types.get(ty), Type::Pointer(_));
        let fits = if pointer { size <= bits && !register.is_float() } else { size == bits };
        if fits || (narrow && size > 0 && size < bits) {
            return Some(());
        }
        let text = self.type_id_text(ty);
        let what = if output { "an output" } else { "an input" };
        let message = format!(
            "'{text}' does not fit the register of {bits} bits that the constraint of {what} asks for"
        );
        self.error("inline-assembly", span, message);
        None
    }

    /// A value as what the register holds: integers are extended, the bits of anything else stay.
    fn register_value(&mut self, value: Expr, ty: Ptx) -> Expr {
        let target = Types::scalar(ptx::context::register_scalar(ty));
        match self.types.scalar_and_lanes(value.ty.ty) {
            Some((scalar, 1)) if scalar.is_integer() && !ty.is_float() => self.cast_arithmetic(value, target),
            _ if matches!(self.types.get(value.ty.ty), Type::Pointer(_)) => {
                self.cast(CastKind::PointerToInt, value, target)
            }
            _ if value.ty.ty == target => value,
            _ => self.cast(CastKind::Bitcast, value, target),
        }
    }

    /// Returns what a register holds as a value of the type of an output.
    fn output_value(&mut self, value: Expr, to: TypeId) -> Expr {
        let from_integer =
            self.types.scalar_and_lanes(value.ty.ty).is_some_and(|(scalar, _)| scalar.is_integer());
        match self.types.scalar_and_lanes(to) {
            Some((scalar, 1)) if scalar.is_integer() && from_integer => self.cast_arithmetic(value, to),
            None if matches!(self.types.get(to), Type::Pointer(_)) => {
                self.cast(CastKind::IntToPointer, value, to)
            }
            _ if value.ty.ty == to => value,
            _ => self.cast(CastKind::Bitcast, value, to),
        }
    }

    fn assignment(&self, local: LocalId, value: Expr) -> Stmt {
        let span = value.span;
        let ty = self.local_type(local);
        let lhs = Box::new(Expr { kind: ExprKind::Local(local), ty, span });
        let assign = rvalue(ExprKind::Assign { lhs, rhs: Box::new(value) }, ty.ty, span);
        Stmt { kind: StmtKind::Expr(assign), span }
    }

    /// A place whose pointers and indices are computed once, before the text.
    fn stable_place(&mut self, asm: &mut Asm, place: Expr) -> Expr {
        let Expr { kind, ty, span } = place;
        let kind = match kind {
            ExprKind::Member { base, field } => {
                ExprKind::Member { base: Box::new(self.stable_place(asm, *base)), field }
            }
            ExprKind::Swizzle { base, components } => {
                ExprKind::Swizzle { base: Box::new(self.stable_place(asm, *base)), components }
            }
            ExprKind::VectorElement { base, index } => ExprKind::VectorElement {
                base: Box::new(self.stable_place(asm, *base)),
                index: Box::new(self.kept(asm, *index)),
            },
            ExprKind::Deref(pointer) => ExprKind::Deref(Box::new(self.kept(asm, *pointer))),
            other => other,
        };
        Expr { kind, ty, span }
    }

    /// A value in a variable of its own.
    fn kept(&mut self, asm: &mut Asm, value: Expr) -> Expr {
        if matches!(value.kind, ExprKind::Constant(_)) {
            return value;
        }
        let (ty, span) = (QualType::new(value.ty.ty), value.span);
        let local = self.new_local(None, ty, span);
        asm.stmts.push(self.assignment(local, value));
        let place = Box::new(Expr { kind: ExprKind::Local(local), ty, span });
        rvalue(ExprKind::Load(place), ty.ty, span)
    }

    /// The text between what was computed for the inputs and the assignments of the outputs.
    fn finish_asm(&mut self, asm: Asm, text: &Text, basic: bool, span: Span) -> StmtKind {
        let Some(function) = &mut self.function else { return StmtKind::Empty };
        let (labels, in_expression) = (function.label_list.len(), function.statement_expression.is_some());
        let host = Host {
            types: &mut self.types,
            options: self.options,
            symbols: self.symbols,
            locals: &mut function.locals,
            labels: &mut function.label_list,
            state: &mut function.asm,
            span,
        };
        let Asm { operands, outputs, mut stmts, .. } = asm;
        match ptx::translate(host, &text.text, basic, &operands) {
            Ok(more) => stmts.extend(more),
            Err(ptx::Error { at, message }) => {
                self.error("inline-assembly", text.span(at), message);
                return StmtKind::Empty;
            }
        }
        // As for labels of C: `label_statement`.
        let labels_now = self.function.as_ref().map_or(labels, |f| f.label_list.len());
        if in_expression && labels_now != labels {
            let message = "a label cannot stand in a statement expression: nothing can jump into one";
            self.error("label-in-expression", text.span(0), message);
        }
        for Output { place, local, ty } in outputs {
            let held = QualType::new(Types::scalar(ptx::context::register_scalar(ty)));
            let register = Box::new(Expr { kind: ExprKind::Local(local), ty: held, span });
            let value = rvalue(ExprKind::Load(register), held.ty, span);
            let to = place.ty.ty;
            let value = self.output_value(value, to);
            let assign = ExprKind::Assign { lhs: Box::new(place), rhs: Box::new(value) };
            stmts.push(Stmt { kind: StmtKind::Expr(rvalue(assign, to, span)), span });
        }
        StmtKind::Block(Block { stmts })
    }
}

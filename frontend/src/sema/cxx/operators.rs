//! Operators whose operands are classes or enumerations of C++.

use super::lookup::Found;
use super::{MemberOf, Overloads};
use crate::hir::{BinaryOp, CastKind, Expr, ExprKind};
use crate::sema::context::Sema;
use crate::sema::convert::{error_expr, is_error, rvalue};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::{Infix, Prefix};
use crate::types::{QualType, Type, Types};

/// The function of a binary operator.
pub(in crate::sema) fn infix_symbol(op: Infix) -> Symbol {
    use BinaryOp::*;
    match op {
        Infix::And => kw::OP_ANDAND,
        Infix::Or => kw::OP_OROR,
        Infix::Binary(op) => match op {
            Add => kw::OP_ADD,
            Sub => kw::OP_SUB,
            Mul => kw::OP_MUL,
            Div => kw::OP_DIV,
            Rem => kw::OP_REM,
            Shl => kw::OP_SHL,
            Shr => kw::OP_SHR,
            BitAnd => kw::OP_AND,
            BitOr => kw::OP_OR,
            BitXor => kw::OP_XOR,
            Lt => kw::OP_LT,
            Gt => kw::OP_GT,
            Le => kw::OP_LE,
            Ge => kw::OP_GE,
            Eq => kw::OP_EQ,
            Ne => kw::OP_NE,
        },
    }
}

/// The function of an assignment operator.
pub(in crate::sema) fn assignment_symbol(op: Option<BinaryOp>) -> Symbol {
    use BinaryOp::*;
    match op {
        None => kw::OP_ASSIGN,
        Some(Add) => kw::OP_ADD_ASSIGN,
        Some(Sub) => kw::OP_SUB_ASSIGN,
        Some(Mul) => kw::OP_MUL_ASSIGN,
        Some(Div) => kw::OP_DIV_ASSIGN,
        Some(Rem) => kw::OP_REM_ASSIGN,
        Some(Shl) => kw::OP_SHL_ASSIGN,
        Some(Shr) => kw::OP_SHR_ASSIGN,
        Some(BitAnd) => kw::OP_AND_ASSIGN,
        Some(BitOr) => kw::OP_OR_ASSIGN,
        Some(BitXor) => kw::OP_XOR_ASSIGN,
        Some(_) => kw::OP_ASSIGN,
    }
}

impl Sema<'_> {
    /// Returns whether an operand is of a class or an enumeration, for which the program may define operators.
    fn is_overloadable(&self, e: &Expr) -> bool {
        self.class_of(e.ty.ty).is_some() || matches!(self.types.get(e.ty.ty), Type::Enum(_))
    }

    /// A call of an operator's function; `None` where there is none that takes the operands.
    pub(in crate::sema) fn operator_call(
        &mut self,
        symbol: Symbol,
        operands: &[Expr],
        span: Span,
    ) -> Option<Expr> {
        if !self.cxx.enabled || !operands.iter().any(|e| self.is_overloadable(e)) {
            return None;
        }
        let first = operands.first()?;
        let mut list: Vec<Overloads> = Vec::new();
        if let Some(class) = self.class_of(first.ty.ty)
            && let Some((owner, MemberOf::Functions(functions, templates), access)) =
                self.find_member_of(class, symbol, 0)
        {
            let object = Some(self.as_object(first.clone()));
            let closed = true;
            let name = symbol;
            self.check_access(owner, access, symbol, span);
            list.push(Overloads { name, functions, templates, object, closed, ..Overloads::default() });
        }
        let free = match self.find_free_operator(symbol) {
            Some(found) => self.overloads_of(symbol, Some(found), span),
            None => None,
        };
        let mut free = free.unwrap_or_else(|| Overloads { name: symbol, ..Overloads::default() });
        free.closed = false;
        free.object = None;
        free.builtin = false;
        list.push(free);
        // The set that takes the operands with less conversion is called.
        let mut best: Option<(u32, usize)> = None;
        for (index, overloads) in list.iter().enumerate() {
            let args = if overloads.object.is_some() { &operands[1..] } else { operands };
            if let Some(cost) = self.set_cost(overloads, args)
                && best.is_none_or(|(c, _)| cost < c)
            {
                best = Some((cost, index));
            }
        }
        let (_, index) = best?;
        let overloads = list.swap_remove(index);
        let args = if overloads.object.is_some() { operands[1..].to_vec() } else { operands.to_vec() };
        Some(self.call_overloads(overloads, args, span, span))
    }

    /// The functions of an operator's name outside of classes.
    fn find_free_operator(&self, symbol: Symbol) -> Option<Found> {
        for scope in self.cxx.context.namespaces.iter().rev().chain([&self.cxx.root]) {
            if let Some(found) = self.find_in_namespace(*scope, symbol, 0) {
                return Some(found);
            }
        }
        None
    }

    /// A binary operator with an operand of a class.
    #[allow(clippy::result_large_err)] // The operands go on to what C does with them.
    pub(in crate::sema) fn cxx_infix(
        &mut self,
        op: Infix,
        lhs: Expr,
        rhs: Expr,
        operator: Span,
    ) -> Result<Expr, (Expr, Expr)> {
        let span = lhs.span.to(rhs.span);
        if let Some(call) = self.operator_call(infix_symbol(op), &[lhs.clone(), rhs.clone()], span) {
            return Ok(call);
        }
        let scoped = |p: &Self, e: &Expr| match p.types.get(e.ty.ty) {
            Type::Enum(id) => p.cxx.scoped_enums.contains(id),
            _ => false,
        };
        if (scoped(self, &lhs) || scoped(self, &rhs)) && lhs.ty.ty != rhs.ty.ty {
            let (l, r) = (self.type_id_text(lhs.ty.ty), self.type_id_text(rhs.ty.ty));
            self.error("invalid-operands", operator, format!("invalid operands: '{l}' and '{r}'"));
            return Ok(error_expr(span));
        }
        Err((self.cxx_operand(lhs), self.cxx_operand(rhs)))
    }

    /// An operand of a builtin operator: a class converts to a number or a pointer.
    pub(in crate::sema) fn cxx_operand(&mut self, e: Expr) -> Expr {
        if self.class_of(e.ty.ty).is_some() { self.cxx_value(e) } else { e }
    }

    /// A comparison or `!`, `&&`, `||` of scalars is a bool in C++.
    pub(in crate::sema) fn cxx_truth(&mut self, op: Infix, e: Expr) -> Expr {
        use BinaryOp::*;
        let truth = match op {
            Infix::And | Infix::Or => true,
            Infix::Binary(op) => matches!(op, Lt | Gt | Le | Ge | Eq | Ne),
        };
        if truth && e.ty.ty == Types::INT { self.as_bool(e) } else { e }
    }

    /// An int that is 0 or 1 as a bool.
    pub(in crate::sema) fn as_bool(&mut self, e: Expr) -> Expr {
        if is_error(&e) || e.ty.ty != Types::INT {
            return e;
        }
        self.cast(CastKind::ToBool, e, Types::BOOL)
    }

    /// A unary operator with an operand of a class.
    pub(in crate::sema) fn cxx_prefix(
        &mut self,
        op: Prefix,
        operand: Expr,
        span: Span,
    ) -> Result<Expr, Expr> {
        let symbol = match op {
            Prefix::AddressOf => kw::OP_AND,
            Prefix::Deref => kw::OP_MUL,
            Prefix::Plus => kw::OP_ADD,
            Prefix::Minus => kw::OP_SUB,
            Prefix::BitNot => kw::OP_COMPL,
            Prefix::Not => kw::OP_NOT,
        };
        if let Some(super::Stash::Overloads(_)) = self.unstash(&operand) {
            self.refuse_cxx("pointers to functions and to members", span);
            return Ok(error_expr(span));
        }
        if let Some(call) = self.operator_call(symbol, std::slice::from_ref(&operand), span) {
            return Ok(call);
        }
        match op {
            Prefix::AddressOf if !operand.kind.is_lvalue() => Err(self.object_of_value(operand)),
            Prefix::AddressOf => Err(operand),
            Prefix::Plus if self.class_of(operand.ty.ty).is_none() => {
                let value = self.to_rvalue(operand);
                match self.types.get(value.ty.ty) {
                    Type::Pointer(_) => Ok(value),
                    _ => Err(self.cxx_operand(value)),
                }
            }
            Prefix::Not if self.class_of(operand.ty.ty).is_some() => Err(self.cxx_condition(operand)),
            _ => Err(self.cxx_operand(operand)),
        }
    }

    /// `++` and `--`.
    pub(in crate::sema) fn cxx_inc_dec(
        &mut self,
        operand: Expr,
        increment: bool,
        prefix: bool,
        span: Span,
    ) -> Result<Expr, Expr> {
        let operand = if operand.kind.is_lvalue() { operand } else { self.object_of_value(operand) };
        let symbol = if increment { kw::OP_INC } else { kw::OP_DEC };
        let mut operands = vec![operand.clone()];
        if !prefix {
            let zero = ExprKind::Constant(crate::hir::Constant::Int(0));
            operands.push(rvalue(zero, Types::INT, span));
        }
        if let Some(call) = self.operator_call(symbol, &operands, span) {
            return Ok(call);
        }
        if let Some(e) = self.atomic_step(&operand, increment, prefix, span) {
            return Ok(e);
        }
        // The result of the prefix form is the object.
        if prefix && self.class_of(operand.ty.ty).is_none() && self.function.is_some() {
            return Err(operand);
        }
        Err(operand)
    }

    /// `++` and `--` of an atomic object: the functions of OpenCL C.
    fn atomic_step(&mut self, operand: &Expr, increment: bool, prefix: bool, span: Span) -> Option<Expr> {
        if !matches!(self.types.get(operand.ty.ty), Type::Atomic(_)) || !operand.kind.is_lvalue() {
            return None;
        }
        let name = if increment { "atomic_fetch_add" } else { "atomic_fetch_sub" };
        let one = rvalue(ExprKind::Constant(crate::hir::Constant::Int(1)), Types::INT, span);
        let old = self.atomic_function(name, operand.clone(), vec![one.clone()], span);
        if !prefix || is_error(&old) {
            return Some(old);
        }
        let op = if increment { BinaryOp::Add } else { BinaryOp::Sub };
        Some(self.build_infix(Infix::Binary(op), old, one, span))
    }

    /// A call of an atomic function on an object.
    fn atomic_function(&mut self, name: &str, object: Expr, args: Vec<Expr>, span: Span) -> Expr {
        let symbol = self.symbols.intern(name);
        let pointer = self.address_of_object(object);
        let all = std::iter::once(pointer).chain(args).collect();
        self.call_builtin(symbol, name, all, span, span)
    }

    /// An assignment to an object of a class, or to an atomic one.
    #[allow(clippy::result_large_err)] // The operands go on to what C does with them.
    pub(in crate::sema) fn cxx_assignment(
        &mut self,
        op: Option<BinaryOp>,
        lhs: Expr,
        rhs: Expr,
        operator: Span,
    ) -> Result<Expr, (Expr, Expr)> {
        let span = lhs.span.to(rhs.span);
        let lhs = if lhs.kind.is_lvalue() { lhs } else { self.object_of_value(lhs) };
        let braced = matches!(self.unstash(&rhs), Some(super::Stash::Braced(_)));
        if !braced || self.class_of(lhs.ty.ty).is_some() {
            let symbol = assignment_symbol(op);
            let only_class = op.is_some() || self.class_of(lhs.ty.ty).is_some();
            if only_class && let Some(call) = self.operator_call(symbol, &[lhs.clone(), rhs.clone()], span) {
                return Ok(call);
            }
        }
        if let Some(e) = self.atomic_assignment(op, &lhs, &rhs, span) {
            return Ok(e);
        }
        if braced && op.is_none() {
            let ty = QualType::new(lhs.ty.ty);
            let rhs = self.convert_for_assignment(rhs, ty, crate::sema::convert::AssignContext::Assign);
            return Err((lhs, rhs));
        }
        if self.class_of(lhs.ty.ty).is_some() {
            if op.is_some() {
                let text = self.type_id_text(lhs.ty.ty);
                self.error("invalid-operands", operator, format!("'{text}' has no such operator"));
                return Ok(error_expr(span));
            }
            let reference = self
                .class_of(lhs.ty.ty)
                .and_then(|c| self.class_facts(c))
                .is_some_and(|c| !c.references.is_empty());
            if reference {
                let message = "an object with members that are references cannot be assigned";
                self.error("deleted-function", operator, message);
                return Ok(error_expr(span));
            }
            if self.assigns_by_function(lhs.ty.ty) {
                return Ok(self.implicit_assignment(lhs, rhs, span));
            }
            let ty = QualType::new(lhs.ty.ty);
            let rhs = self.convert_for_assignment(rhs, ty, crate::sema::convert::AssignContext::Assign);
            return Err((lhs, rhs));
        }
        Err((lhs, self.cxx_operand(rhs)))
    }

    /// Returns whether a part of a class, or the class, has an `operator=` of its own.
    pub(in crate::sema) fn assigns_by_function(&self, ty: crate::types::TypeId) -> bool {
        let mut ty = ty;
        while let Type::Array(element, _) = self.types.get(ty) {
            ty = element.ty;
        }
        let Some(class) = self.class_of(ty) else { return false };
        let own = self.class_facts(class).is_some_and(|c| match c.members.get(&kw::OP_ASSIGN) {
            Some((MemberOf::Functions(functions, templates), _)) => {
                !functions.is_empty() || !templates.is_empty()
            }
            _ => false,
        });
        own || self.types.record(class).fields.iter().flatten().any(|f| self.assigns_by_function(f.ty.ty))
    }

    fn atomic_assignment(
        &mut self,
        op: Option<BinaryOp>,
        lhs: &Expr,
        rhs: &Expr,
        span: Span,
    ) -> Option<Expr> {
        if !matches!(self.types.get(lhs.ty.ty), Type::Atomic(_)) || !lhs.kind.is_lvalue() {
            return None;
        }
        let name = match op {
            None => "atomic_store",
            Some(BinaryOp::Add) => "atomic_fetch_add",
            Some(BinaryOp::Sub) => "atomic_fetch_sub",
            Some(BinaryOp::BitAnd) => "atomic_fetch_and",
            Some(BinaryOp::BitOr) => "atomic_fetch_or",
            Some(BinaryOp::BitXor) => "atomic_fetch_xor",
            Some(_) => return None,
        };
        let value = self.to_rvalue(rhs.clone());
        let call = self.atomic_function(name, lhs.clone(), vec![value.clone()], span);
        let Some(op) = op else { return Some(call) };
        if is_error(&call) {
            return Some(call);
        }
        Some(self.build_infix(Infix::Binary(op), call, value, span))
    }

    /// `a[b]` of a class.
    #[allow(clippy::result_large_err)] // The operands go on to what C does with them.
    pub(in crate::sema) fn cxx_index(&mut self, a: Expr, b: Expr, span: Span) -> Result<Expr, (Expr, Expr)> {
        if self.class_of(a.ty.ty).is_some()
            && let Some(call) = self.operator_call(kw::OP_INDEX, &[a.clone(), b.clone()], span)
        {
            return Ok(call);
        }
        Err((self.cxx_operand(a), self.cxx_operand(b)))
    }
}

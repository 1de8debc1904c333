//! Statements of C++: conditions that declare, `if constexpr`, `return` of references and deduced types; conditional
//! expressions with objects.

use crate::hir::{BinaryOp, Block, Constant, Expr, ExprKind, Stmt, StmtKind, UnrollHint};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{error_expr, is_error, rvalue};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::Prefix;
use crate::syntax::statement::{Condition, ForInit, ForOfCxx, IfArm, StmtId};
use crate::types::{QualType, Type, TypeId, Types};

impl Sema<'_> {
    /// The statements before a condition, and the condition itself.
    fn cxx_head(&mut self, typing: &mut Typing, cond: Condition, stmts: &mut Vec<Stmt>) -> Expr {
        self.first_of_head(typing, cond, stmts);
        let Some(declaration) = cond.cxx.1 else { return self.condition(typing, cond) };
        let span = self.span_of(cond.at);
        let e = self.declared_condition(typing, declaration, span, stmts);
        self.report_before(typing, cond.problems_end);
        e
    }

    /// The statement before a condition.
    fn first_of_head(&mut self, typing: &mut Typing, head: Condition, stmts: &mut Vec<Stmt>) {
        let Some(first) = head.cxx.0 else { return };
        let item = typing.tree.statements.stmt(first);
        match item.kind {
            crate::syntax::statement::StmtKind::Declaration(_) => {
                self.block_declaration(typing, item, stmts);
            }
            _ => {
                let stmt = self.statement(typing, first, None);
                stmts.push(stmt);
            }
        }
    }

    /// `if` with a declaration, or `if constexpr`.
    pub(in crate::sema) fn cxx_if(
        &mut self,
        typing: &mut Typing,
        arm: IfArm,
        els: Option<StmtId>,
        end: Span,
    ) -> StmtKind {
        let span = self.span_of(arm.at).to(end);
        self.in_scope(|p| {
            p.begin_cleanup();
            let mut stmts = Vec::new();
            let cond = p.cxx_head(typing, arm.cond, &mut stmts);
            if arm.is_constexpr {
                let chosen = match p.const_eval_int(&cond) {
                    Some(value) => value != 0,
                    None => {
                        if !is_error(&cond) {
                            let message = "the condition of 'if constexpr' must be a constant";
                            p.error("initializer-not-constant", cond.span, message);
                        }
                        true
                    }
                };
                let branch = if chosen { Some(arm.then) } else { els };
                if let Some(branch) = branch {
                    let stmt = p.substatement(typing, branch);
                    stmts.push(*stmt);
                }
            } else {
                let then = p.substatement(typing, arm.then);
                let els = els.map(|els| p.substatement(typing, els));
                stmts.push(Stmt { kind: StmtKind::If { cond, then, els }, span });
            }
            p.end_cleanup(&mut stmts, span);
            StmtKind::Block(Block { stmts })
        })
    }

    /// `while` with a declaration, which is made anew each time.
    pub(in crate::sema) fn cxx_while(
        &mut self,
        typing: &mut Typing,
        cond: Condition,
        body: StmtId,
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        let span = self.span_of(cond.at);
        let body = self.body_behind(typing, body, span, |p, typing, stmts| p.cxx_head(typing, cond, stmts));
        let cond = rvalue(ExprKind::Constant(Constant::Int(1)), Types::BOOL, span);
        StmtKind::While { cond, body, unroll }
    }

    /// The body of a `for` whose condition is a declaration, which is made anew each time.
    pub(in crate::sema) fn body_with_condition(
        &mut self,
        typing: &mut Typing,
        declaration: StmtId,
        body: StmtId,
    ) -> Box<Stmt> {
        let item = typing.tree.statements.stmt(declaration);
        let span = self.span_of(item.first);
        self.body_behind(typing, body, span, |p, typing, stmts| {
            p.declared_condition(typing, declaration, span, stmts)
        })
    }

    /// The body of a loop behind its condition, which is evaluated in the body's block: a false one leaves the loop.
    fn body_behind(
        &mut self,
        typing: &mut Typing,
        body: StmtId,
        span: Span,
        condition: impl FnOnce(&mut Self, &mut Typing, &mut Vec<Stmt>) -> Expr,
    ) -> Box<Stmt> {
        self.push_breakable(crate::sema::context::Breakable::Loop);
        let stmts = self.in_scope(|p| {
            p.begin_cleanup();
            let mut stmts = Vec::new();
            let cond = condition(p, typing, &mut stmts);
            let leave = p.leaving(StmtKind::Break, span);
            let els = Some(Box::new(Stmt { kind: leave, span }));
            let then = p.substatement(typing, body);
            stmts.push(Stmt { kind: StmtKind::If { cond, then, els }, span });
            p.end_cleanup(&mut stmts, span);
            stmts
        });
        self.pop_breakable();
        Box::new(Stmt { kind: StmtKind::Block(Block { stmts }), span })
    }

    /// The statements of a declaration that is a condition, and the condition.
    fn declared_condition(
        &mut self,
        typing: &mut Typing,
        declaration: StmtId,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let value = self.declared_object(typing, declaration, span, stmts);
        self.to_bool_condition(value)
    }

    /// The statements of a declaration in the head of a statement, and the object.
    fn declared_object(
        &mut self,
        typing: &mut Typing,
        declaration: StmtId,
        span: Span,
        stmts: &mut Vec<Stmt>,
    ) -> Expr {
        let item = typing.tree.statements.stmt(declaration);
        self.block_declaration(typing, item, stmts);
        let declared = stmts.iter().rev().find_map(|s| match s.kind {
            StmtKind::Declare(id, _) => Some(id),
            _ => None,
        });
        match declared {
            Some(id) => self.own_local(id, span),
            None => error_expr(span),
        }
    }

    /// `switch` whose head declares.
    pub(in crate::sema) fn cxx_switch(
        &mut self,
        typing: &mut Typing,
        head: Condition,
        body: StmtId,
    ) -> StmtKind {
        let span = self.span_of(head.at);
        self.in_scope(|p| {
            p.begin_cleanup();
            let mut stmts = Vec::new();
            p.first_of_head(typing, head, &mut stmts);
            let kind = match head.cxx.1 {
                Some(declaration) => {
                    let value = p.declared_object(typing, declaration, span, &mut stmts);
                    p.report_before(typing, head.problems_end);
                    p.switch_of(typing, value, body)
                }
                None => p.switch(typing, Condition { cxx: (None, None), ..head }, body),
            };
            stmts.push(Stmt { kind, span });
            p.end_cleanup(&mut stmts, span);
            StmtKind::Block(Block { stmts })
        })
    }

    // ---- loops over ranges ----

    /// `for (declaration : range) body`
    fn range_for(
        &mut self,
        typing: &mut Typing,
        (declaration, range, body): (StmtId, crate::syntax::ast::ExprRange, StmtId),
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        let from = self.cxx.temporaries.len();
        let range = self.type_range(typing, range);
        let span = range.span;
        if is_error(&range) {
            return StmtKind::Empty;
        }
        let mut stmts = Vec::new();
        // The range is an object that lives as long as the loop.
        let object = self.object_of_value(range);
        let object = self.as_object(object);
        let pointer = self.address_of_object(object);
        for (local, ty) in self.cxx.temporaries.split_off(from) {
            self.add_cleanup(local, ty);
        }
        if is_error(&pointer) {
            return StmtKind::Empty;
        }
        let object = self.kept_value_of(pointer, span, &mut stmts);
        let object = self.dereference(object, span);
        let Some((begin, end)) = self.ends_of_range(object, span) else { return StmtKind::Empty };
        let (begin, end) =
            (self.kept_object(begin, span, &mut stmts), self.kept_object(end, span, &mut stmts));
        let cond =
            self.build_infix(crate::syntax::ast::Infix::Binary(BinaryOp::Ne), begin.clone(), end, span);
        let cond = self.to_bool_condition(cond);
        let step = self.build_inc_dec(begin.clone(), true, true, span);
        self.push_breakable(crate::sema::context::Breakable::Loop);
        let inner = self.in_scope(|p| {
            p.begin_cleanup();
            let mut inner = Vec::new();
            let value = p.build_prefix(Prefix::Deref, begin, span);
            p.cxx.range_value = Some(value);
            let item = typing.tree.statements.stmt(declaration);
            p.block_declaration(typing, item, &mut inner);
            p.cxx.range_value = None;
            let stmt = p.substatement(typing, body);
            inner.push(*stmt);
            p.end_cleanup(&mut inner, span);
            inner
        });
        self.pop_breakable();
        let body = Box::new(Stmt { kind: StmtKind::Block(Block { stmts: inner }), span });
        let kind = StmtKind::For { init: Vec::new(), cond: Some(cond), step: Some(step), body, unroll };
        stmts.push(Stmt { kind, span });
        StmtKind::Block(Block { stmts })
    }

    /// A value in a variable of its own: what is read from there.
    pub(in crate::sema) fn kept_value_of(&mut self, value: Expr, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let object = self.kept_object(value, span, stmts);
        self.to_rvalue(object)
    }

    /// A value in a variable of its own.
    fn kept_object(&mut self, value: Expr, span: Span, stmts: &mut Vec<Stmt>) -> Expr {
        let value = if self.class_of(value.ty.ty).is_some() { value } else { self.to_rvalue(value) };
        let ty = QualType::new(value.ty.ty);
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        stmts.push(Stmt { kind: StmtKind::Declare(local, None), span });
        self.initialize(place.clone(), super::construct::Value::Expr(value), span, stmts);
        self.add_cleanup(local, ty);
        place
    }

    /// The iterators of a range: pointers of an array, what `begin` and `end` give for a class.
    fn ends_of_range(&mut self, object: Expr, span: Span) -> Option<(Expr, Expr)> {
        if let Type::Array(_, Some(len)) = *self.types.get(object.ty.ty) {
            let at = |p: &mut Self, index: u64| {
                let index = rvalue(ExprKind::Constant(Constant::Int(index as i64)), Types::INT, span);
                let element = p.build_index(object.clone(), index, span);
                p.address_of_object(element)
            };
            return Some((at(self, 0), at(self, len)));
        }
        let mut ends = Vec::new();
        for name in ["begin", "end"] {
            let symbol = self.symbols.intern(name);
            let class = self.class_of(object.ty.ty);
            let member = class.and_then(|c| self.find_member_of(c, symbol, 0)).is_some();
            let call = if member {
                let callee = self.member_named(object.clone(), symbol, span, span);
                self.call_of_value(callee, Vec::new(), span, span)
            } else {
                let overloads = super::Overloads { name: symbol, ..Default::default() };
                self.call_overloads(overloads, vec![object.clone()], span, span)
            };
            if is_error(&call) {
                return None;
            }
            ends.push(call);
        }
        let (end, begin) = (ends.pop()?, ends.pop()?);
        Some((begin, end))
    }

    /// `for`, whose first part may declare objects.
    pub(in crate::sema) fn cxx_for(
        &mut self,
        typing: &mut Typing,
        index: u32,
        unroll: Option<UnrollHint>,
    ) -> StmtKind {
        self.begin_cleanup();
        let tree = typing.tree.statements.fors[index as usize];
        let kind = match (tree.init, tree.cxx, tree.body) {
            (ForInit::Declaration(declaration), ForOfCxx::Range(range), Some(body)) => {
                self.range_for(typing, (declaration, range, body), unroll)
            }
            _ => self.for_loop(typing, index, unroll),
        };
        let span = Span::default();
        let mut stmts = vec![Stmt { kind, span }];
        self.end_cleanup(&mut stmts, span);
        match stmts.len() {
            1 => stmts.pop().map_or(StmtKind::Empty, |s| s.kind),
            _ => StmtKind::Block(Block { stmts }),
        }
    }

    /// `return value;`
    pub(in crate::sema) fn cxx_return(
        &mut self,
        expr: Expr,
        ret: TypeId,
        name: &str,
        span: Span,
    ) -> StmtKind {
        let id = self.function.as_ref().map(|f| f.id);
        let deduced = id.and_then(|id| self.cxx.facts.get(&id)).is_some_and(|f| f.deduced);
        let ret = match (deduced, id) {
            (true, Some(id)) => self.deduce_result(id, &expr, span),
            _ => ret,
        };
        if let Type::Reference(referred, rvalued) = *self.types.get(ret) {
            let expr = self.object_of_value(expr);
            if !is_error(&expr) && !expr.kind.is_lvalue() && !rvalued {
                let message = "a reference to a value would outlive it";
                self.error("reference-binding", expr.span, message);
                return StmtKind::Return(None);
            }
            let pointer = self.bind_reference(expr, referred, rvalued, "returning");
            return self.returning(Some(pointer), span);
        }
        let name = super::declare::shown_name(name);
        let from = self.class_of(expr.ty.ty);
        // A variable of the function moves to the caller.
        let local = matches!(expr.kind, ExprKind::Local(_)) && from.is_some() && expr.ty.ty == ret;
        let expr = if local { self.to_rvalue(expr) } else { expr };
        let expr = match self.class_of(ret) {
            Some(_) => expr,
            None if from.is_some() || self.unstash(&expr).is_some() => expr,
            None => self.to_rvalue(expr),
        };
        match self.return_value(expr, ret, &name) {
            StmtKind::Return(Some(value)) => {
                self.elide(&value);
                self.returning(Some(value), span)
            }
            other => other,
        }
    }

    /// The result of a function whose type its first `return` tells.
    fn deduce_result(&mut self, id: crate::hir::FunctionId, expr: &Expr, span: Span) -> TypeId {
        let value = match self.class_of(expr.ty.ty) {
            Some(_) => expr.ty.ty,
            None => {
                let value = self.to_rvalue(expr.clone());
                value.ty.ty
            }
        };
        let is_known = self.deduced_results.contains_key(&id);
        if is_known {
            let before = self.deduced_results.get(&id).copied().unwrap_or(value);
            if before != value && value != Types::ERROR {
                let (a, b) = (self.type_id_text(before), self.type_id_text(value));
                let message = format!("'auto' is '{a}' for an earlier 'return' and '{b}' for this one");
                self.error("auto-type", span, message);
                return Types::ERROR;
            }
            return before;
        }
        self.deduced_results.insert(id, value);
        let mut ty = self.function_type(id);
        ty.ret = value;
        let ty = self.types.intern(Type::Function(ty));
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.ty = ty;
        }
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            function.ret = value;
        }
        if let Some(function) = &mut self.function {
            function.ret = value;
        }
        value
    }

    /// `cond ? then : els` in C++: of two objects of one type it is an object; of classes a value.
    #[allow(clippy::result_large_err)] // The operands go on to what C does with them.
    pub(in crate::sema) fn cxx_conditional(
        &mut self,
        cond: Expr,
        then: Expr,
        els: Expr,
        span: Span,
    ) -> Result<Expr, (Expr, Expr, Expr)> {
        if is_error(&cond) || is_error(&then) || is_error(&els) {
            return Err((cond, then, els));
        }
        let cond = self.cxx_condition(cond);
        let classes = (self.class_of(then.ty.ty), self.class_of(els.ty.ty));
        if let (None, None) = classes {
            return Err((cond, then, els));
        }
        let (then, els) = match classes {
            _ if then.ty.ty == els.ty.ty => (then, els),
            (Some(_), _) if self.argument_cost(&els, then.ty.ty).is_some() => {
                let ty = QualType::new(then.ty.ty);
                let els =
                    self.convert_for_assignment(els, ty, crate::sema::convert::AssignContext::Initialize);
                (then, els)
            }
            (_, Some(_)) if self.argument_cost(&then, els.ty.ty).is_some() => {
                let ty = QualType::new(els.ty.ty);
                let then =
                    self.convert_for_assignment(then, ty, crate::sema::convert::AssignContext::Initialize);
                (then, els)
            }
            _ => (self.cxx_operand(then), self.cxx_operand(els)),
        };
        let special = |p: &Self, ty| {
            let class = p.class_of(ty).and_then(|c| p.class_facts(c));
            class.is_some_and(|c| c.copies || c.destroys)
        };
        let values = !then.kind.is_lvalue() || !els.kind.is_lvalue() || then.ty != els.ty;
        if values && then.ty.ty == els.ty.ty && special(self, then.ty.ty) && self.function.is_some() {
            return Ok(self.chosen_object(cond, then, els, span));
        }
        if then.kind.is_lvalue() && els.kind.is_lvalue() && then.ty == els.ty {
            let ty = then.ty;
            let cond = self.to_bool_condition(cond);
            let (then, els) = (self.address_of_object(then), self.address_of_object(els));
            let pointer = then.ty.ty;
            let kind =
                ExprKind::Conditional { cond: Box::new(cond), then: Box::new(then), els: Box::new(els) };
            let pointer = rvalue(kind, pointer, span);
            return Ok(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span });
        }
        Err((cond, then, els))
    }

    /// A choice of which one part is a value: an object without a name that is made of one of them.
    fn chosen_object(&mut self, cond: Expr, then: Expr, els: Expr, span: Span) -> Expr {
        let ty = QualType::new(then.ty.ty);
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let cond = self.to_bool_condition(cond);
        let made = |p: &mut Self, value: Expr| {
            let mut stmts = Vec::new();
            p.initialize(place.clone(), super::construct::Value::Expr(value), span, &mut stmts);
            Box::new(Stmt { kind: StmtKind::Block(Block { stmts }), span })
        };
        let then = made(self, then);
        let els = Some(made(self, els));
        let choice = Stmt { kind: StmtKind::If { cond, then, els }, span };
        let stmts = vec![Stmt { kind: StmtKind::Declare(local, None), span }, choice];
        self.note_temporary(local, ty);
        let value = Some(Box::new(rvalue(ExprKind::Load(Box::new(place)), ty.ty, span)));
        rvalue(ExprKind::Statements { block: Block { stmts }, value }, ty.ty, span)
    }

    /// The object that a value of C is in C++: of `c ? a : b`, `++a`, `a = b`. Any other expression itself.
    pub(in crate::sema) fn object_of_value(&mut self, e: Expr) -> Expr {
        let span = e.span;
        match e.kind {
            ExprKind::Conditional { cond, then, els } => match (&then.kind, &els.kind) {
                (ExprKind::Load(a), ExprKind::Load(b)) if a.ty == b.ty => {
                    let ty = a.ty;
                    let (a, b) = (a.as_ref().clone(), b.as_ref().clone());
                    let (then, els) = (self.address_of_object(a), self.address_of_object(b));
                    let pointer = then.ty.ty;
                    let kind = ExprKind::Conditional { cond, then: Box::new(then), els: Box::new(els) };
                    Expr { kind: ExprKind::Deref(Box::new(rvalue(kind, pointer, span))), ty, span }
                }
                _ => Expr { kind: ExprKind::Conditional { cond, then, els }, ..e },
            },
            ExprKind::Assign { ref lhs, .. }
            | ExprKind::CompoundAssign { ref lhs, .. }
            | ExprKind::IncDec { lvalue: ref lhs, prefix: true, .. }
                if is_plain(lhs) =>
            {
                let object = lhs.as_ref().clone();
                let ty = object.ty;
                let second = self.address_of_object(object);
                let pointer = second.ty.ty;
                let kind = ExprKind::Comma { first: Box::new(e), second: Box::new(second) };
                Expr { kind: ExprKind::Deref(Box::new(rvalue(kind, pointer, span))), ty, span }
            }
            _ => e,
        }
    }

    /// Returns whether a name means an object, which may have a call operator.
    pub(in crate::sema) fn is_object_name(&self, name: Symbol) -> bool {
        use super::lookup::Found;
        match self.find_name(name) {
            Some(Found::Name(meaning, _)) => matches!(meaning, Name::Local(_) | Name::Global(_)),
            Some(Found::Member(_, super::MemberOf::Field(_))) => true,
            Some(Found::Member(_, super::MemberOf::Name(Name::Global(_), _))) => true,
            _ => false,
        }
    }

    /// The value of an atomic object: operators take it in C++.
    pub(in crate::sema) fn atomic_value(&mut self, e: Expr) -> Expr {
        let span = e.span;
        let name = self.symbols.intern("atomic_load");
        let pointer = self.address_of_object(e);
        self.call_builtin(name, "atomic_load", vec![pointer], span, span)
    }

    /// Leaves out constexpr functions that only constants call: their recursion is none of the device's.
    pub(in crate::sema) fn drop_constant_functions(&mut self) {
        if !self.cxx.enabled {
            return;
        }
        let reached = self.reached_by_runtime();
        for (index, reached) in reached.into_iter().enumerate() {
            let id = crate::hir::FunctionId(index as u32);
            let constant = self.cxx.facts.get(&id).is_some_and(|f| f.is_constexpr);
            if !reached && constant {
                if let Some(function) = self.functions.get_mut(index) {
                    function.body = None;
                    function.linkage = crate::hir::Linkage::Internal;
                }
                if let Some(info) = self.function_infos.get_mut(index) {
                    info.calls.clear();
                    info.called = None;
                }
            }
        }
    }

    /// For each function, whether one that is not constexpr calls it.
    fn reached_by_runtime(&self) -> Vec<bool> {
        let constant =
            |i: usize| self.cxx.facts.get(&crate::hir::FunctionId(i as u32)).is_some_and(|f| f.is_constexpr);
        let mut reached: Vec<bool> = (0..self.functions.len()).map(|i| !constant(i)).collect();
        let mut open: Vec<usize> = (0..reached.len()).filter(|i| reached[*i]).collect();
        while let Some(caller) = open.pop() {
            let calls = self.function_infos.get(caller).map_or(&[][..], |info| &info.calls);
            for (callee, _) in calls {
                if let Some(mark) = reached.get_mut(callee.0 as usize).filter(|m| !**m) {
                    *mark = true;
                    open.push(callee.0 as usize);
                }
            }
        }
        reached
    }
}

/// Returns whether an lvalue may be evaluated twice.
fn is_plain(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Local(_) | ExprKind::Global(_) | ExprKind::Constant(_) => true,
        ExprKind::Load(inner)
        | ExprKind::Deref(inner)
        | ExprKind::AddressOf(inner)
        | ExprKind::ArrayDecay(inner)
        | ExprKind::Member { base: inner, .. }
        | ExprKind::Cast { operand: inner, .. } => is_plain(inner),
        ExprKind::PointerOffset { pointer, index, .. } => is_plain(pointer) && is_plain(index),
        _ => false,
    }
}

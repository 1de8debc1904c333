//! Lambdas: a class with a call operator, whose members are what is captured.

use super::{Argument, Class, Closure, Context, FunctionFacts, GenericLambda, PendingBody, Role, Template};
use crate::hir::{Expr, ExprKind, FunctionId, LocalId};
use crate::sema::context::{FunctionContext, Name, Scope, Sema};
use crate::sema::convert::{error_expr, is_error, rvalue};
use crate::sema::declarator::Chunk;
use crate::sema::declspec::space_of;
use crate::sema::expr::Typing;
use crate::sema::parameter::Parameter;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::cxx::tree::{Access, CxxType, FunctionTail, Lambda, TemplateKind, TemplateParam};
use crate::token::{Punct, TokenKind};
use crate::types::{Field, QualType, RecordId, Type, TypeId, Types};

/// The place of an `auto` among those of a tree.
pub(in crate::sema) fn place_of_auto(typing: &Typing, index: u32) -> usize {
    let before = typing.tree.cxx.types.iter().take(index as usize);
    before.filter(|ty| matches!(ty, CxxType::Auto)).count()
}

impl Sema<'_> {
    /// A lambda: an object of its class.
    pub(in crate::sema) fn lambda(&mut self, typing: &mut Typing, tree: Lambda, span: Span) -> Expr {
        if self.function.is_none() {
            self.lacks_cxx("a lambda outside of a function", span);
            return error_expr(span);
        }
        let class = self.lambda_class(span);
        let mut closure = Closure {
            class,
            captures: Vec::new(),
            values: Vec::new(),
            default: tree.default,
            scope_base: 0,
            level: self.enclosing.len(),
            span,
        };
        if !self.written_captures(typing, &tree, &mut closure) {
            return error_expr(span);
        }
        if tree.generic {
            return self.generic_lambda(typing, &tree, closure, span);
        }
        let (params, tail, ret) = self.lambda_signature(typing, &tree);
        let defaults = match tree.declarator {
            Some(index) => {
                let params = self.function_tree(typing, index).params;
                self.default_arguments(typing, params)
            }
            None => Default::default(),
        };
        let all = self.with_closure(class, &tail, params, span);
        let deduced = ret.is_none();
        let facts = FunctionFacts {
            class: Some(class),
            context: self.cxx.context.clone(),
            role: Role::Plain,
            deduced,
            defaults,
            is_constexpr: false,
            ..FunctionFacts::default()
        };
        let ret = ret.unwrap_or(Types::VOID);
        // The call operator is a function of the file.
        let function = self.function.take();
        let id = self.add_member(class, kw::OP_CALL, ret, all.clone(), facts);
        self.function = function;
        let Some(id) = id else { return error_expr(span) };
        self.add_member_function(class, kw::OP_CALL, id, Access::Public);
        let closure = self.lambda_body(id, tree.body, all, closure);
        self.finish_lambda(class, closure, span)
    }

    /// A lambda with `auto` parameters: its call operator is a template. With a default, what its body names is captured at once.
    fn generic_lambda(&mut self, typing: &Typing, tree: &Lambda, mut closure: Closure, span: Span) -> Expr {
        let Some(start) = tree.declarator.map(|d| typing.tree.declarations.declarators[d as usize].first)
        else {
            return error_expr(span);
        };
        let class = closure.class;
        let mut context = self.cxx.context.clone();
        for scope in self.scopes.iter().skip(2) {
            for (name, (meaning, _)) in &scope.names {
                match meaning {
                    Name::Typedef(_) | Name::EnumConstant(..) | Name::Function(_) => {
                        context.bindings.push((*name, *meaning));
                    }
                    _ => {}
                }
            }
        }
        let named = self.names_in(start, tree.body);
        for name in named {
            if closure.captures.iter().any(|(n, ..)| *n == name) {
                continue;
            }
            let Some(name) = name else {
                if closure.default.is_some()
                    && let Some(pointer) = self.this_pointer(span)
                {
                    self.add_capture(&mut closure, None, pointer, None);
                }
                continue;
            };
            let inner = self.scopes.iter().skip(2).rev().find_map(|s| s.names.get(&name));
            if !matches!(inner, Some((Name::Local(_) | Name::Global(_), _))) {
                continue;
            }
            let Some(object) = self.cxx_name(name, span).filter(|e| !is_error(e)) else { continue };
            if object.ty.is_const
                && let Some(value) = self.const_eval_int(&object)
            {
                context.bindings.push((name, Name::EnumConstant(value, object.ty.ty)));
            } else if let (Some(by_reference), ExprKind::Local(_) | ExprKind::Deref(_)) =
                (closure.default, &object.kind)
            {
                self.capture_object(&mut closure, name, object, by_reference);
            }
        }
        let autos =
            (start..tree.body).filter(|at| self.token(*at).kind == TokenKind::Ident(kw::AUTO)).count();
        let is = |at: u32, kind: TokenKind| self.token(at).kind == kind;
        let ellipsis = (start..tree.body).find(|at| is(*at, TokenKind::Punct(Punct::Ellipsis)));
        let is_last = |at: u32| !(at..tree.body).any(|at| is(at, TokenKind::Ident(kw::AUTO)));
        if ellipsis.is_some_and(|at| !is_last(at)) {
            self.lacks_cxx("a pack before other parameters of a lambda", span);
            return error_expr(span);
        }
        let pack = ellipsis.map(|_| autos.saturating_sub(1));
        let params = (0..autos).map(|i| TemplateParam {
            name: match pack == Some(i) {
                true => Some(kw::AUTO),
                false => Some(self.symbols.intern(&format!("auto#{i}"))),
            },
            is_type: true,
            pack: pack == Some(i),
            at: start,
            default: None,
            is_template: false,
        });
        let params: Vec<TemplateParam> = params.collect();
        let index = self.cxx.templates.len();
        let name = self.class_facts(class).map_or(kw::OP_CALL, |c| c.name);
        let common = Closure { default: None, values: Vec::new(), level: 0, ..closure.clone() };
        self.cxx.templates.push(Template {
            name,
            simple: kw::OP_CALL,
            kind: TemplateKind::Function,
            params,
            start,
            defined: true,
            context,
            span,
            class: Some(class),
            specials: Vec::new(),
            outside: Vec::new(),
            lambda: Some(Box::new(GenericLambda { closure: common, body: tree.body })),
            classes: Default::default(),
            functions: Default::default(),
            is_static: false,
            base: None,
            family: Default::default(),
        });
        self.add_member_template(class, kw::OP_CALL, index, Access::Public);
        self.finish_lambda(class, closure, span)
    }

    /// The names that the tokens of a lambda's head and body have, each once; `None` is `this`, or a member of the class around.
    fn names_in(&self, start: u32, body: u32) -> Vec<Option<Symbol>> {
        use crate::token::{Punct, TokenKind};
        let (mut at, mut depth, mut names) = (start, 0, Vec::new());
        loop {
            let kind = self.token(at).kind;
            let after_access = at > start
                && matches!(
                    self.token(at - 1).kind,
                    TokenKind::Punct(Punct::Dot | Punct::Arrow | Punct::ColonColon)
                );
            let name = match kind {
                TokenKind::Ident(kw::THIS) => Some(None),
                TokenKind::Ident(word) if !after_access => match self.find_name(word) {
                    Some(super::lookup::Found::Member(
                        _,
                        super::MemberOf::Field(_) | super::MemberOf::Functions(..),
                    )) => Some(None),
                    Some(_) => Some(Some(word)),
                    None => None,
                },
                TokenKind::Punct(Punct::LBrace) if at >= body => {
                    depth += 1;
                    None
                }
                TokenKind::Punct(Punct::RBrace) if at >= body => {
                    depth -= 1;
                    None
                }
                TokenKind::Eof => return names,
                _ => None,
            };
            if let Some(name) = name
                && !names.contains(&name)
            {
                names.push(name);
            }
            if at >= body && depth == 0 {
                return names;
            }
            at += 1;
        }
    }

    /// The type of an `auto` parameter of the lambda whose call operator is made.
    pub(in crate::sema) fn auto_argument(&mut self, typing: &Typing, index: u32) -> QualType {
        let place = place_of_auto(typing, index);
        match self.cxx.auto_arguments.as_ref().and_then(|list| list.get(place)) {
            Some(Argument::Type(ty)) => *ty,
            _ => QualType::new(Types::ERROR),
        }
    }

    /// The call operator of a lambda with `auto` parameters for arguments of some types.
    pub(in crate::sema) fn lambda_instance(
        &mut self,
        index: usize,
        lambda: &GenericLambda,
        context: Context,
        args: Vec<Argument>,
    ) -> Option<FunctionId> {
        let start = self.cxx.templates.get(index)?.start;
        let depth = self.cxx.depth;
        self.cxx.depth += 1;
        let errors = self.diags.error_count();
        let made = self.isolated(context, |p| p.lambda_operator(index, lambda, start, args));
        self.cxx.depth = depth;
        if self.diags.error_count() > errors {
            self.cxx.hard_errors += 1;
        }
        made
    }

    fn lambda_operator(
        &mut self,
        index: usize,
        lambda: &GenericLambda,
        start: u32,
        args: Vec<Argument>,
    ) -> Option<FunctionId> {
        let mut typing = Typing::default();
        let (declarator, _) = self.read(start as usize, &mut typing.tree, true, |p| p.declarator_of_lambda());
        typing.begin();
        let class = lambda.closure.class;
        let span = lambda.closure.span;
        let outer = self.cxx.auto_arguments.replace(args.clone());
        let tree = Lambda {
            default: None,
            captures: Vec::new(),
            declarator: Some(declarator),
            body: lambda.body,
            generic: false,
            first: start,
        };
        let row = self.function_tree(&typing, declarator).params;
        let defaults = self.default_arguments(&typing, row);
        let declared = self.declarator(&mut typing, declarator);
        self.cxx.auto_arguments = outer;
        let tail = self.function_tree(&typing, declarator).tail;
        let params = match declared.chunks.into_iter().next() {
            Some(Chunk::Function { params, .. }) => params,
            _ => Vec::new(),
        };
        let ret = tail.trailing.map(|ty| self.trailing_type(&mut typing, ty, params.clone(), None).ty);
        self.report_before(&mut typing, u32::MAX);
        let all = self.with_closure(class, &tail, params, span);
        let facts = FunctionFacts {
            class: Some(class),
            context: self.cxx.context.clone(),
            role: Role::Plain,
            deduced: ret.is_none(),
            defaults,
            template: Some(index),
            ..FunctionFacts::default()
        };
        self.cxx.counter += 1;
        let name = self.symbols.intern(&format!("operator()#{}", self.cxx.counter));
        let id = self.add_member(class, name, ret.unwrap_or(Types::VOID), all.clone(), facts)?;
        // It may call itself.
        self.cxx.templates.get_mut(index)?.functions.insert(args, Some(id));
        let closure = Closure { level: self.enclosing.len(), ..lambda.closure.clone() };
        self.lambda_body(id, tree.body, all, closure);
        Some(id)
    }

    fn lambda_class(&mut self, span: Span) -> RecordId {
        self.cxx.counter += 1;
        let text = format!("lambda#{}", self.cxx.counter);
        let symbol = self.symbols.intern(&text);
        let id = self.new_record(false, Some(symbol), span);
        let context = Context { class: self.cxx.context.class, ..self.cxx.context.clone() };
        let class = Class {
            name: symbol,
            simple: symbol,
            context,
            no_aggregate: true,
            complete: true,
            ..Class::default()
        };
        if let Some(record) = self.types.records.get_mut(id.0 as usize) {
            record.fields = Some(Vec::new());
        }
        self.cxx.classes.insert(id, class);
        self.cxx.class_names.insert(symbol, id);
        id
    }

    fn written_captures(&mut self, typing: &mut Typing, tree: &Lambda, closure: &mut Closure) -> bool {
        for capture in &tree.captures {
            let at = self.span_of(capture.at);
            match (capture.name, capture.init) {
                (None, _) => {
                    let Some(pointer) = self.this_pointer(at) else {
                        self.error("no-object", at, "there is no 'this' to capture");
                        return false;
                    };
                    self.add_capture(closure, None, pointer, None);
                }
                (Some(name), Some(range)) => {
                    let e = self.type_range(typing, range);
                    if is_error(&e) {
                        return false;
                    }
                    self.capture_object(closure, name, e, capture.by_reference);
                }
                (Some(name), None) => {
                    let Some(e) = self.cxx_name(name, at) else {
                        let text = self.symbols.shared(name);
                        self.error(
                            "undeclared-identifier",
                            at,
                            format!("use of undeclared identifier '{text}'"),
                        );
                        return false;
                    };
                    if is_error(&e) {
                        return false;
                    }
                    self.capture_object(closure, name, e, capture.by_reference);
                }
            }
        }
        true
    }

    fn capture_object(&mut self, closure: &mut Closure, name: Symbol, e: Expr, by_reference: bool) {
        let span = e.span;
        if by_reference {
            if !e.kind.is_lvalue() {
                self.error("reference-binding", span, "only an object can be captured by reference");
                return;
            }
            let ty = self.types.intern(Type::Reference(e.ty, false));
            let pointer = self.address_of_object(e);
            self.add_capture(closure, Some(name), pointer, Some(ty));
            return;
        }
        let value = match self.types.get(e.ty.ty) {
            // An array is captured as a whole.
            Type::Array(..) => {
                let ty = e.ty.ty;
                rvalue(ExprKind::Load(Box::new(e)), ty, span)
            }
            _ => {
                let ty = QualType::new(e.ty.ty);
                let copies = self.class_of(ty.ty).and_then(|c| self.class_facts(c)).is_some_and(|c| c.copies);
                if copies {
                    self.constructed(ty, super::construct::Value::Args(vec![e]), span)
                } else {
                    self.to_rvalue(e)
                }
            }
        };
        self.add_capture(closure, Some(name), value, None);
    }

    fn add_capture(
        &mut self,
        closure: &mut Closure,
        name: Option<Symbol>,
        value: Expr,
        reference: Option<TypeId>,
    ) {
        let span = value.span;
        let ty = QualType::new(value.ty.ty);
        let destroys = self.destroys(ty.ty);
        let index = match self.types.records.get_mut(closure.class.0 as usize).and_then(|r| r.fields.as_mut())
        {
            Some(fields) => {
                fields.push(Field { name, ty, aligned: None, packed: false, span });
                fields.len() as u32 - 1
            }
            None => return,
        };
        let copies = self.class_of(ty.ty).and_then(|c| self.class_facts(c)).is_some_and(|c| c.copies);
        self.change_class(closure.class, |c| {
            c.destroys |= destroys;
            c.copies |= copies;
        });
        closure.captures.push((name, index, reference));
        closure.values.push(value);
    }

    /// The parameters of a lambda's call operator, the object of the closure first. It is const unless the lambda is `mutable`.
    fn with_closure(
        &mut self,
        class: RecordId,
        tail: &FunctionTail,
        params: Vec<Parameter>,
        span: Span,
    ) -> Vec<Parameter> {
        let ty = self.types.intern(Type::Record(class));
        let space = tail.space.and_then(|(word, _)| space_of(word)).unwrap_or(self.default_pointee_space());
        let object = QualType { is_const: !tail.is_mutable, ..QualType::in_space(ty, space) };
        let pointer = self.types.pointer(object);
        std::iter::once(self.object_parameter(pointer, span)).chain(params).collect()
    }

    fn lambda_signature(
        &mut self,
        typing: &mut Typing,
        tree: &Lambda,
    ) -> (Vec<Parameter>, crate::syntax::cxx::tree::FunctionTail, Option<TypeId>) {
        let Some(index) = tree.declarator else {
            let tail = typing.tree.cxx.tails.get(&tree.first).copied().unwrap_or_default();
            return (Vec::new(), tail, None);
        };
        let declarator = self.declarator(typing, index);
        let tail = self.function_tree(typing, index).tail;
        let params = match declarator.chunks.into_iter().next() {
            Some(Chunk::Function { params, .. }) => params,
            _ => Vec::new(),
        };
        let ret = tail.trailing.map(|ty| self.type_named(typing, ty).ty);
        (params, tail, ret)
    }

    /// The body of the call operator; what it captured.
    fn lambda_body(
        &mut self,
        id: FunctionId,
        at: u32,
        params: Vec<Parameter>,
        mut closure: Closure,
    ) -> Closure {
        let pending =
            PendingBody { id, at, context: self.cxx.context.clone(), params, depth: self.cxx.depth };
        let name = self.functions.get(id.0 as usize).map_or(kw::OP_CALL, |f| f.name);
        let ret = self.function_type(id).ret;
        let cleanups = std::mem::take(&mut self.cxx.cleanups);
        let temporaries = std::mem::take(&mut self.cxx.temporaries);
        closure.scope_base = self.scopes.len();
        // What is captured is named outside of the body; a capture with a value has its name there alone.
        let mut captured = Scope::default();
        for (name, _, _) in &closure.captures {
            if let Some(name) = name {
                captured.names.insert(*name, (Name::Local(LocalId(0)), closure.span));
            }
        }
        self.scopes.push(captured);
        let base = self.scopes.len();
        let context = FunctionContext::new(id, name, ret, false, base);
        if let Some(outer) = self.function.replace(context) {
            self.enclosing.push(outer);
        }
        self.cxx.lambdas.push(closure);
        self.scopes.push(Scope::default());
        self.open_bodies.push(id);
        self.cxx.cleanups.push(super::Cleanup::function());
        self.declare_parameters(pending.params);
        self.note_reference_parameters(id);
        let mut typing = Typing::default();
        let ((_, body), _) = self.read(at as usize, &mut typing.tree, false, |p| p.cxx_body());
        typing.begin();
        let mut block = self.block_items(&mut typing, body.items);
        self.report_before(&mut typing, u32::MAX);
        let span = self.span_of(at);
        self.end_cleanup(&mut block.stmts, span);
        block.stmts.splice(0..0, self.left_objects());
        self.check_labels();
        self.scopes.truncate(base - 1);
        self.open_bodies.retain(|open| *open != id);
        if let Some(context) = self.function.take() {
            self.finish_function(id, context, block);
        }
        self.function = self.enclosing.pop();
        self.cxx.cleanups = cleanups;
        self.cxx.temporaries = temporaries;
        self.cxx.lambdas.pop().unwrap_or(Closure {
            class: RecordId(0),
            captures: Vec::new(),
            values: Vec::new(),
            default: None,
            scope_base: 0,
            level: 0,
            span,
        })
    }

    /// The object of a lambda, of what it captured.
    fn finish_lambda(&mut self, class: RecordId, closure: Closure, span: Span) -> Expr {
        let empty = closure.values.is_empty();
        if empty
            && let Some(fields) = self.types.records.get_mut(class.0 as usize).and_then(|r| r.fields.as_mut())
        {
            let ty = QualType::new(Types::scalar(crate::types::Scalar::Char));
            fields.push(Field { name: None, ty, aligned: None, packed: false, span });
        }
        self.change_class(class, |c| c.is_empty = empty);
        self.types.freeze_layout(class);
        let ty = self.types.intern(Type::Record(class));
        if empty {
            return rvalue(ExprKind::Constant(crate::hir::Constant::Zero), ty, span);
        }
        let qualified = QualType::new(ty);
        let local = self.new_local(None, qualified, span);
        for value in &closure.values {
            self.elide(value);
        }
        let leaves = closure.values.into_iter().enumerate().map(|(i, v)| (vec![i as u64], v)).collect();
        let init = Some(crate::hir::Init::List { leaves, zero_fill: true });
        let stmts = vec![crate::hir::Stmt { kind: crate::hir::StmtKind::Declare(local, init), span }];
        self.note_temporary(local, qualified);
        let place = Expr { kind: ExprKind::Local(local), ty: qualified, span };
        let value = Some(Box::new(rvalue(ExprKind::Load(Box::new(place)), ty, span)));
        rvalue(ExprKind::Statements { block: crate::hir::Block { stmts }, value }, ty, span)
    }

    // ---- names in the body ----

    /// A local by its name: one of the current function, or one that the lambdas around capture.
    pub(in crate::sema) fn local_or_closed(&mut self, name: Symbol, id: LocalId, span: Span) -> Expr {
        if self.cxx.lambdas.is_empty() {
            return self.own_local(id, span);
        }
        let Some(scope) = self.scopes.iter().rposition(|s| s.names.contains_key(&name)) else {
            return self.own_local(id, span);
        };
        if self.function.as_ref().is_some_and(|f| f.scope_base <= scope) {
            return self.own_local(id, span);
        }
        let level = self.cxx.lambdas.len() - 1;
        self.closed_object(level, name, span)
    }

    /// What a lambda captured, or captures now.
    fn closed_object(&mut self, level: usize, name: Symbol, span: Span) -> Expr {
        let closure = &self.cxx.lambdas[level];
        if let Some((_, field, reference)) =
            closure.captures.iter().find(|(n, _, _)| *n == Some(name)).copied()
        {
            return self.captured_object(level, field, reference, span);
        }
        let default = closure.default;
        let text = self.symbols.shared(name);
        // A constant needs no capture.
        let outer = self.with_outer_function(level, |p| p.cxx_name(name, span));
        let Some(object) = outer else { return error_expr(span) };
        if is_error(&object) {
            return object;
        }
        let constant = self.with_outer_function(level, |p| {
            if object.ty.is_const { p.const_eval(&object, object.ty.ty) } else { None }
        });
        if let (Some(constant), true) = (constant, self.types.scalar_and_lanes(object.ty.ty).is_some()) {
            return rvalue(ExprKind::Constant(constant), object.ty.ty, span);
        }
        let Some(by_reference) = default else {
            let message =
                format!("'{text}' is not captured by the lambda, which has no default for captures");
            self.error("lambda-capture", span, message);
            return error_expr(span);
        };
        let mut closure = self.cxx.lambdas[level].clone();
        self.with_outer_function(level, |p| p.capture_object(&mut closure, name, object, by_reference));
        let last = closure.captures.last().copied();
        self.cxx.lambdas[level] = closure;
        match last {
            Some((Some(captured), field, reference)) if captured == name => {
                self.captured_object(level, field, reference, span)
            }
            _ => error_expr(span),
        }
    }

    /// Runs an analysis as in the function around a lambda.
    fn with_outer_function<T>(&mut self, level: usize, analysis: impl FnOnce(&mut Self) -> T) -> T {
        let lambdas = self.cxx.lambdas.split_off(level);
        let base = lambdas.first().map_or(self.scopes.len(), |c| c.scope_base);
        let scopes = self.scopes.split_off(base.min(self.scopes.len()));
        let function = self.function.take();
        let mut inner = Vec::new();
        let keep = lambdas.first().map_or(0, |c| c.level);
        while self.enclosing.len() > keep + 1 {
            inner.extend(self.enclosing.pop());
        }
        self.function = self.enclosing.pop();
        let result = analysis(self);
        if let Some(outer) = self.function.take() {
            self.enclosing.push(outer);
        }
        self.enclosing.extend(inner.into_iter().rev());
        self.function = function;
        self.scopes.extend(scopes);
        self.cxx.lambdas.extend(lambdas);
        result
    }

    /// A member of the object of the lambda at a level, seen from the innermost one.
    fn captured_object(&mut self, level: usize, field: u32, reference: Option<TypeId>, span: Span) -> Expr {
        let Some(base) = self.closure_object(level, span) else { return error_expr(span) };
        let member = self.raw_field(base, field, span);
        match reference {
            Some(reference) => self.referred_object(member, reference),
            None => member,
        }
    }

    /// The object of the lambda that is typed.
    fn closure_object(&mut self, level: usize, span: Span) -> Option<Expr> {
        if level + 1 != self.cxx.lambdas.len() {
            return None;
        }
        let ty = self.local_type(LocalId(0));
        let place = Expr { kind: ExprKind::Local(LocalId(0)), ty, span };
        let pointer = rvalue(ExprKind::Load(Box::new(place)), ty.ty, span);
        let ty = self.types.pointee(pointer.ty.ty)?;
        Some(Expr { kind: ExprKind::Deref(Box::new(pointer)), ty, span })
    }

    /// `this` in the body of a lambda: that of the function around.
    pub(in crate::sema) fn captured_this(&mut self, span: Span) -> Option<Expr> {
        let level = self.cxx.lambdas.len().checked_sub(1)?;
        let closure = &self.cxx.lambdas[level];
        if let Some((_, field, _)) = closure.captures.iter().find(|(n, _, _)| n.is_none()).copied() {
            let object = self.captured_object(level, field, None, span);
            return Some(self.to_rvalue(object));
        }
        closure.default?;
        let pointer = self.with_outer_function(level, |p| p.this_pointer(span))?;
        let mut closure = self.cxx.lambdas[level].clone();
        self.add_capture(&mut closure, None, pointer, None);
        let field = closure.captures.last().map_or(0, |(_, field, _)| *field);
        self.cxx.lambdas[level] = closure;
        let object = self.captured_object(level, field, None, span);
        Some(self.to_rvalue(object))
    }
}

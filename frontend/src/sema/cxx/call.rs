//! Calls: the functions of a name, overload resolution, arguments, default arguments.

use super::lookup::Found;
use super::{MemberOf, Overloads, Stash};
use crate::builtins::{self, Resolution};
use crate::hir::{Expr, ExprKind, FunctionId};
use crate::sema::context::{Name, Sema};
use crate::sema::convert::{AssignContext, error_expr, is_error, rvalue};
use crate::sema::expr::Typing;
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::{ExprId, Kind, List, TokenId};
use crate::types::{QualType, Type, TypeId, Types};

/// What a conversion to the generic space costs.
const GENERIC: u32 = 2;

/// A function that may be called, and what each argument costs.
#[derive(Debug)]
struct Candidate {
    function: FunctionId,
    costs: Vec<u32>,
    is_template: bool,
    /// How much of its template's parameters is written.
    special: u32,
}

impl Sema<'_> {
    /// A call in C++; `close` is its last token.
    pub(in crate::sema) fn cxx_call(
        &mut self,
        typing: &mut Typing,
        callee: ExprId,
        args: List,
        close: TokenId,
    ) -> Expr {
        let node = typing.tree.node(callee);
        let value = typing.take_value(callee);
        let args = typing.take_list(args);
        let at = self.span_of(node.first);
        let span = at.to(self.span_of(close));
        if let Kind::Callee(name) = node.kind {
            if self.is_keyword(name) {
                return value;
            }
            return self.call_of_name(name, value, args, at, span);
        }
        self.call_of_value(value, args, at, span)
    }

    /// A call of what an expression gives.
    pub(in crate::sema) fn call_of_value(
        &mut self,
        value: Expr,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        if let Some(Stash::Overloads(overloads)) = self.unstash(&value).cloned() {
            return self.call_overloads(*overloads, args, at, span);
        }
        if let Some(Stash::Type(ty)) = self.unstash(&value).cloned() {
            return self.constructed(ty, super::construct::Value::Args(args), span);
        }
        if is_error(&value) {
            if !self.diags.has_errors() {
                self.error("not-a-function", at, "the called object is not a function");
            }
            return error_expr(span);
        }
        if let Some(class) = self.class_of(value.ty.ty) {
            let Some((_, member, access)) = self.find_member_of(class, kw::OP_CALL, 0) else {
                self.error("not-a-function", at, "the called object has no 'operator()'");
                return error_expr(span);
            };
            self.check_access(class, access, kw::OP_CALL, at);
            let MemberOf::Functions(functions, templates) = member else { return error_expr(span) };
            let object = Some(self.as_object(value));
            let name = kw::OP_CALL;
            let overloads =
                Overloads { name, functions, templates, object, closed: true, ..Overloads::default() };
            return self.call_overloads(overloads, args, at, span);
        }
        self.error("not-a-function", at, "the called object is not a function");
        error_expr(span)
    }

    /// A call of an unqualified name.
    fn call_of_name(&mut self, name: Symbol, value: Expr, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let found = self.find_name(name);
        match found {
            Some(Found::Name(Name::Typedef(ty), _))
            | Some(Found::Member(_, MemberOf::Name(Name::Typedef(ty), _))) => {
                self.constructed(ty, super::construct::Value::Args(args), span)
            }
            Some(
                Found::Name(Name::Function(_), _)
                | Found::Templates(_)
                | Found::Member(_, MemberOf::Functions(..)),
            ) => {
                let overloads = self.overloads_of(name, found, at);
                match overloads {
                    Some(overloads) => self.call_overloads(overloads, args, at, span),
                    None => error_expr(span),
                }
            }
            Some(Found::Member(_, MemberOf::Template(_)) | Found::Namespace(_)) => {
                self.error("not-a-function", at, "the called name is not a function");
                error_expr(span)
            }
            Some(_) => self.call_of_value(value, args, at, span),
            None => {
                let text = self.symbols.shared(name);
                let known = &*text == "printf"
                    || crate::intrinsics::find(&text).is_some()
                    || builtins::is_builtin_name(&text);
                let overloads = Overloads { name, builtin: known, ..Overloads::default() };
                let overloads = self.with_argument_namespaces(overloads, &args);
                if overloads.functions.is_empty() && overloads.templates.is_empty() {
                    return self.call_by_name(name, args, at, span);
                }
                self.call_overloads(overloads, args, at, span)
            }
        }
    }

    /// The functions that a name means.
    pub(in crate::sema) fn overloads_of(
        &mut self,
        name: Symbol,
        found: Option<Found>,
        at: Span,
    ) -> Option<Overloads> {
        let mut overloads = Overloads { name, ..Overloads::default() };
        match found? {
            Found::Name(Name::Function(first), _) => {
                overloads.functions = self.overloads(first);
                let text = self.symbols.text(name);
                overloads.builtin = builtins::is_builtin_name(text);
            }
            Found::Templates(symbol) => {
                overloads.templates = self.cxx.template_names.get(&symbol).cloned().unwrap_or_default();
                let function = self.scopes.get(1).and_then(|s| s.names.get(&symbol));
                if let Some((Name::Function(first), _)) = function {
                    overloads.functions = self.overloads(*first);
                }
                overloads.builtin = builtins::is_builtin_name(self.symbols.text(name));
            }
            Found::Member(_, MemberOf::Functions(functions, templates)) => {
                overloads.functions = functions;
                overloads.templates = templates;
                overloads.closed = true;
                let any_object = overloads
                    .functions
                    .iter()
                    .any(|f| !self.cxx.facts.get(f).is_some_and(|facts| facts.is_static))
                    || !overloads.templates.is_empty();
                if any_object {
                    overloads.object = self.this_object(at);
                }
            }
            _ => return None,
        }
        Some(overloads)
    }

    /// Adds the functions of the namespaces of the arguments' classes.
    fn with_argument_namespaces(&mut self, mut overloads: Overloads, args: &[Expr]) -> Overloads {
        if overloads.closed {
            return overloads;
        }
        let mut scopes: Vec<Symbol> = Vec::new();
        for arg in args {
            let mut ty = arg.ty.ty;
            while let Some(pointee) = self.types.pointee(ty) {
                ty = pointee.ty;
            }
            let class = self.class_of(ty).and_then(|c| self.class_facts(c));
            let namespaces = class.map(|c| c.context.namespaces.clone()).unwrap_or_default();
            let scope = class.map(|_| namespaces.last().copied().unwrap_or(self.cxx.root));
            if let Some(scope) = scope
                && !scopes.contains(&scope)
            {
                scopes.push(scope);
            }
        }
        for scope in scopes {
            let found = self.find_in_namespace(scope, overloads.name, 0);
            let symbol = match found {
                Some(Found::Name(Name::Function(first), _)) => {
                    for function in self.overloads(first) {
                        if !overloads.functions.contains(&function) {
                            overloads.functions.push(function);
                        }
                    }
                    continue;
                }
                Some(Found::Templates(symbol)) => symbol,
                _ => continue,
            };
            for template in self.cxx.template_names.get(&symbol).cloned().unwrap_or_default() {
                if !overloads.templates.contains(&template) {
                    overloads.templates.push(template);
                }
            }
            if let Some((Name::Function(first), _)) =
                self.scopes.get(1).and_then(|s| s.names.get(&symbol)).copied()
            {
                for function in self.overloads(first) {
                    if !overloads.functions.contains(&function) {
                        overloads.functions.push(function);
                    }
                }
            }
        }
        overloads
    }

    /// The candidates of a set that take the arguments.
    fn viable(&mut self, overloads: &Overloads, args: &[Expr]) -> Vec<Candidate> {
        let mut list = Vec::new();
        if overloads.args.is_none() {
            for function in overloads.functions.clone() {
                if let Some(costs) = self.call_costs(function, overloads.object.as_ref(), args) {
                    list.push(Candidate { function, costs, is_template: false, special: 0 });
                }
            }
        }
        for template in overloads.templates.clone() {
            let instance = self.deduced_instance(template, overloads, args);
            let Some((function, special)) = instance else { continue };
            if let Some(mut costs) = self.call_costs(function, overloads.object.as_ref(), args) {
                // A space that a template does not write is the argument's.
                for cost in costs.iter_mut().filter(|c| (GENERIC..2 * GENERIC + 1).contains(*c)) {
                    *cost -= GENERIC;
                }
                list.push(Candidate { function, costs, is_template: true, special });
            }
        }
        list
    }

    /// What the arguments of a call cost; `None` where the function does not take them.
    fn call_costs(&mut self, function: FunctionId, object: Option<&Expr>, args: &[Expr]) -> Option<Vec<u32>> {
        let params = self.function_type(function).params;
        let facts = self.cxx.facts.get(&function);
        let has_object = facts.is_some_and(|f| f.class.is_some() && !f.is_static);
        let defaults: Vec<usize> = facts.map(|f| f.defaults.keys().copied().collect()).unwrap_or_default();
        let params = if has_object { params.get(1..)?.to_vec() } else { params };
        if args.len() > params.len() || (args.len()..params.len()).any(|i| !defaults.contains(&i)) {
            return None;
        }
        let mut costs = Vec::with_capacity(args.len() + 1);
        if has_object {
            let this = *self.function_type(function).params.first()?;
            costs.push(self.object_cost(object?, this)?);
        } else if object.is_some() {
            costs.push(0);
        }
        for (arg, param) in args.iter().zip(params) {
            costs.push(self.argument_cost(arg, param)?);
        }
        Some(costs)
    }

    /// Chooses one function of a set, and calls it.
    pub(in crate::sema) fn call_overloads(
        &mut self,
        overloads: Overloads,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        if args.iter().any(is_error) || overloads.object.as_ref().is_some_and(is_error) {
            return error_expr(span);
        }
        if overloads.name == kw::DESTRUCTOR && overloads.functions.is_empty() && args.is_empty() {
            // Nothing is to be destroyed.
            return super::nothing(span);
        }
        let overloads = self.with_argument_namespaces(overloads, &args);
        let errors = self.diags.error_count();
        let candidates = self.viable(&overloads, &args);
        if self.diags.error_count() > errors {
            return error_expr(span);
        }
        let best = self.best_of(&candidates);
        let builtin = overloads.builtin && overloads.args.is_none();
        let Some(best) = best else {
            if candidates.is_empty() && builtin {
                let text = self.symbols.shared(overloads.name);
                let args = args.into_iter().map(|a| self.cxx_value(a)).collect();
                return self.call_builtin(overloads.name, &text, args, at, span);
            }
            self.no_overload(&overloads, &candidates, &args, at);
            return error_expr(span);
        };
        let (function, costs) = (candidates[best].function, candidates[best].costs.clone());
        if builtin && self.builtin_is_better(&overloads, &args, &costs, candidates[best].is_template) {
            let text = self.symbols.shared(overloads.name);
            let args = args.into_iter().map(|a| self.cxx_value(a)).collect();
            return self.call_builtin(overloads.name, &text, args, at, span);
        }
        if let Some(facts) = self.cxx.facts.get(&function)
            && let (Some(class), access) = (facts.class, facts.access)
        {
            self.check_access(class, access, overloads.name, at);
        }
        if overloads.braced {
            let params = self.function_type(function).params;
            let params = &params[usize::from(overloads.object.is_some()).min(params.len())..];
            args.iter().zip(params).for_each(|(arg, param)| self.check_narrowing(arg, *param));
        }
        self.build_call(function, overloads.object, args, at, span)
    }

    /// The best function of a set.
    pub(in crate::sema) fn chosen_function(
        &mut self,
        overloads: &Overloads,
        args: &[Expr],
    ) -> Option<FunctionId> {
        let candidates = self.viable(overloads, args);
        self.best_of(&candidates).map(|best| candidates[best].function)
    }

    /// The cost of the best function of a set.
    pub(in crate::sema) fn set_cost(&mut self, overloads: &Overloads, args: &[Expr]) -> Option<u32> {
        self.viable(overloads, args).iter().map(|c| c.costs.iter().sum()).min()
    }

    fn best_of(&self, candidates: &[Candidate]) -> Option<usize> {
        let beats = |a: &Candidate, b: &Candidate| {
            let no_worse = a.costs.iter().zip(&b.costs).all(|(x, y)| x <= y);
            let better = a.costs.iter().zip(&b.costs).any(|(x, y)| x < y);
            no_worse && (better || (b.is_template && (!a.is_template || a.special > b.special)))
        };
        (0..candidates.len()).find(|i| {
            candidates.iter().enumerate().all(|(j, other)| {
                j == *i || other.function == candidates[*i].function || beats(&candidates[*i], other)
            })
        })
    }

    /// Returns whether a builtin takes the arguments with less conversion than the best function of the program.
    fn builtin_is_better(
        &mut self,
        overloads: &Overloads,
        args: &[Expr],
        ours: &[u32],
        is_template: bool,
    ) -> bool {
        let text = self.symbols.shared(overloads.name);
        let types: Vec<TypeId> = args.iter().map(|a| self.decayed_type(a)).collect();
        let Resolution::Match(builtin) = builtins::resolve(&mut self.types, self.options, &text, &types)
        else {
            return false;
        };
        if builtin.params.len() != args.len() {
            return false;
        }
        let mut theirs = Vec::new();
        for (arg, param) in args.iter().zip(&builtin.params) {
            match self.argument_cost(arg, *param) {
                Some(cost) => theirs.push(cost),
                None => return false,
            }
        }
        let no_worse = theirs.iter().zip(ours).all(|(x, y)| x <= y);
        let better = theirs.iter().zip(ours).any(|(x, y)| x < y);
        no_worse && (better || is_template)
    }

    fn decayed_type(&mut self, e: &Expr) -> TypeId {
        match *self.types.get(e.ty.ty) {
            Type::Array(element, _) => {
                let pointee = self.element_type(e.ty, element);
                self.types.pointer(pointee)
            }
            _ => e.ty.ty,
        }
    }

    fn no_overload(&mut self, overloads: &Overloads, candidates: &[Candidate], args: &[Expr], at: Span) {
        let text = super::declare::shown_name(&self.symbols.shared(overloads.name));
        let types: Vec<String> = args.iter().map(|a| self.argument_text(a)).collect();
        let all: Vec<FunctionId> = match candidates {
            [] => overloads.functions.clone(),
            list => list.iter().map(|c| c.function).collect(),
        };
        let mut spans: Vec<Span> =
            all.iter().filter_map(|id| self.functions.get(id.0 as usize)).map(|f| f.span).collect();
        if candidates.is_empty() {
            spans.extend(
                overloads.templates.iter().filter_map(|t| self.cxx.templates.get(*t)).map(|t| t.span),
            );
        }
        let (id, what) = if candidates.is_empty() {
            ("no-matching-function", "no function")
        } else {
            ("ambiguous-call", "several functions")
        };
        let verb = if candidates.is_empty() { "takes" } else { "take" };
        let diagnostic = self.error(id, at, format!("{what} '{text}' {verb} ({})", types.join(", ")));
        for span in spans.into_iter().take(8) {
            diagnostic.note(span, "a candidate is declared here");
        }
    }

    /// The type of an argument as a message shows it.
    fn argument_text(&self, e: &Expr) -> String {
        match self.unstash(e) {
            Some(Stash::Braced(_)) => "{…}".to_owned(),
            Some(_) => "<function>".to_owned(),
            None => self.type_text(QualType {
                space: if e.kind.is_lvalue() { e.ty.space } else { crate::types::AddressSpace::Private },
                ..e.ty
            }),
        }
    }

    /// A value for a builtin function: classes convert by their functions.
    pub(in crate::sema) fn cxx_value(&mut self, e: Expr) -> Expr {
        if let Some(class) = self.class_of(e.ty.ty)
            && let Some(ty) = self.only_conversion(class)
        {
            let span = e.span;
            if let Some(value) = self.user_conversion(&e, QualType::new(ty), false, span) {
                return value;
            }
        }
        self.to_rvalue(e)
    }

    /// The type that a class converts to, where there is one alone.
    pub(in crate::sema) fn only_conversion(&self, class: crate::types::RecordId) -> Option<TypeId> {
        let (_, member, _) = self.find_member_of(class, kw::CONVERSION, 0)?;
        let MemberOf::Functions(list, _) = member else { return None };
        let mut implicit =
            list.iter().filter(|f| !self.cxx.facts.get(f).is_some_and(|facts| facts.is_explicit));
        let (first, rest) = (implicit.next()?, implicit.next());
        if rest.is_some() {
            return None;
        }
        let ret = self.function_type(*first).ret;
        Some(match *self.types.get(ret) {
            Type::Reference(referred, _) => referred.ty,
            _ => ret,
        })
    }

    /// Records that a function is used: its body is read.
    pub(in crate::sema) fn use_function(&mut self, function: FunctionId, at: Span) {
        if let Some(pending) = self.cxx.lazy.remove(&function) {
            self.cxx.pending.push(pending);
        }
        self.note_call(function, at);
    }

    /// A call of a function with arguments that it takes.
    pub(in crate::sema) fn build_call(
        &mut self,
        function: FunctionId,
        object: Option<Expr>,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let facts = self.cxx.facts.get(&function).cloned().unwrap_or_default();
        if facts.is_deleted {
            let declared = self.functions.get(function.0 as usize).map_or(at, |f| f.span);
            self.error("deleted-function", at, "the function is deleted")
                .note(declared, "it is declared here");
            return error_expr(span);
        }
        if facts.deduced {
            self.read_body_now(function);
            if self.is_open(function) && self.function_type(function).ret == Types::VOID {
                self.error("auto-type", at, "the function is called before its result is known");
                return error_expr(span);
            }
        }
        let has_object = facts.class.is_some() && !facts.is_static;
        let ty = self.function_type(function);
        let params = if has_object { ty.params.get(1..).unwrap_or(&[]).to_vec() } else { ty.params.clone() };
        let mut values = Vec::with_capacity(params.len() + 1);
        if has_object {
            let Some(object) = object else {
                self.error("no-object", at, "a member function needs an object");
                return error_expr(span);
            };
            let Some(this) = ty.params.first().copied() else { return error_expr(span) };
            values.push(self.object_argument(object, this));
        }
        let count = args.len();
        for (index, arg) in args.into_iter().enumerate() {
            match params.get(index) {
                Some(param) => {
                    values.push(self.cxx_argument(arg, *param, function, index + usize::from(has_object)))
                }
                None => values.push(self.to_rvalue(arg)),
            }
        }
        for (index, param) in params.iter().enumerate().skip(count) {
            let Some(default) = facts.defaults.get(&index).copied() else {
                self.error("argument-count", at, "too few arguments");
                return error_expr(span);
            };
            let value = self.expression_at(default, facts.context.clone());
            let value = Expr { span: at, ..value };
            values.push(self.cxx_argument(value, *param, function, index + usize::from(has_object)));
        }
        if values.iter().any(is_error) || ty.ret == Types::ERROR {
            return error_expr(span);
        }
        let ret = self.function_type(function).ret;
        let lowered = self.lowered_type(ret);
        if facts.is_constexpr {
            self.read_body_now(function);
            let call = rvalue(ExprKind::Call { function, args: values.clone() }, lowered, span);
            let constant = values.iter().all(|v| matches!(v.kind, ExprKind::Constant(_)));
            if (constant || self.function.is_none())
                && self.types.scalar_and_lanes(lowered).is_some()
                && let Some(value) = self.const_eval(&call, lowered)
            {
                return rvalue(ExprKind::Constant(value), lowered, span);
            }
        }
        self.use_function(function, at);
        let call = rvalue(ExprKind::Call { function, args: values }, lowered, span);
        match *self.types.get(ret) {
            Type::Reference(referred, false) => {
                Expr { kind: ExprKind::Deref(Box::new(call)), ty: referred, span }
            }
            Type::Reference(referred, true) => {
                let object = Expr { kind: ExprKind::Deref(Box::new(call)), ty: referred, span };
                self.movable(object)
            }
            _ if self.destroys(ret) && self.function.is_some() => self.kept_value(call),
            _ => call,
        }
    }

    /// A value of a class with a destructor: an object without a name.
    fn kept_value(&mut self, call: Expr) -> Expr {
        let (ty, span) = (QualType::new(call.ty.ty), call.span);
        let local = self.new_local(None, ty, span);
        let place = Expr { kind: ExprKind::Local(local), ty, span };
        let init = Some(crate::hir::Init::Whole(call));
        let stmts = vec![crate::hir::Stmt { kind: crate::hir::StmtKind::Declare(local, init), span }];
        self.note_temporary(local, ty);
        let value = rvalue(ExprKind::Load(Box::new(place)), ty.ty, span);
        let block = crate::hir::Block { stmts };
        rvalue(ExprKind::Statements { block, value: Some(Box::new(value)) }, ty.ty, span)
    }

    /// The pointer that a member function gets for its object.
    fn object_argument(&mut self, object: Expr, this: TypeId) -> Expr {
        let span = object.span;
        let (Some(from), Some(pointee)) = (self.class_of(object.ty.ty), self.types.pointee(this)) else {
            return error_expr(span);
        };
        let object = self.as_object(object);
        let object = match self.class_of(pointee.ty) {
            Some(to) => self.base_object(object, from, to, span),
            None => object,
        };
        let pointer = self.address_of_object(object);
        self.convert_for_assignment(pointer, QualType::new(this), AssignContext::Argument)
    }

    fn cxx_argument(&mut self, arg: Expr, param: TypeId, function: FunctionId, index: usize) -> Expr {
        match *self.types.get(param) {
            Type::Reference(referred, rvalued) => self.bind_reference(arg, referred, rvalued, "passing"),
            _ => {
                let target = self.parameter(function, index);
                let arg = self.with_target(target, |p| {
                    p.convert_for_assignment(arg, QualType::new(param), AssignContext::Argument)
                });
                // The function destroys what it gets.
                self.elide(&arg);
                arg
            }
        }
    }
}

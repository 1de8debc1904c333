//! Calls (C99 §6.5.2.2): user functions and sets of `overloadable` ones, builtin functions by the table.
//! `printf` has a file of its own.

use super::context::{Name, Sema};
use super::convert::{AssignContext, error_expr, is_error, rvalue};
use super::refused::Refused;
use super::state::{Shown, What};
use crate::builtins::enqueue::BlockFunction;
use crate::builtins::{self, Builtin, BuiltinOp, Resolution};
use crate::hir::{Constant, Expr, ExprKind, FunctionId};
use crate::intrinsics;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

/// The meaning of a call of a name that both the program and the builtins have.
enum Preferred {
    Own,
    Builtin(Builtin),
    /// An error was reported.
    Neither,
}

impl Sema<'_> {
    /// A call of `name`. Functions that the file declares are overloads beside the builtins of their name; one that a block
    /// declares hides them (C99 §6.2.1).
    pub(super) fn call_by_name(&mut self, name: Symbol, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let scope = self.scopes.iter().rposition(|s| s.names.contains_key(&name));
        let declared = match self.lookup(name) {
            Some((Name::Function(id), _)) => Some(id),
            _ => None,
        };
        let text = self.symbols.shared(name);
        if declared.is_none() && &*text == "printf" {
            return self.call_printf(args, at, span);
        }
        if declared.is_none()
            && let Some(intrinsic) = intrinsics::find(&text)
        {
            return self.call_intrinsic(intrinsic, args, &text, at, span);
        }
        let args: Vec<Expr> = args.into_iter().map(|a| self.to_rvalue(a)).collect();
        if args.iter().any(is_error) {
            // The call may still tell that the name is unknown.
            let lacks = Refused::of_function(&text).is_some_and(|f| !f.is_there(self.options));
            if declared.is_none() && (lacks || !builtins::is_builtin_name(&text)) {
                self.undeclared_function(name, at);
            }
            return error_expr(span);
        }
        match declared {
            Some(first) if scope == Some(1) && builtins::is_builtin_name(&text) => {
                match self.builtin_instead(first, &text, &args, at) {
                    Preferred::Builtin(builtin) => self.builtin_node(builtin, args, span),
                    Preferred::Own => self.call_function(first, args, at, span),
                    Preferred::Neither => error_expr(span),
                }
            }
            Some(first) => self.call_function(first, args, at, span),
            None if self.has_device_enqueue()
                && let Some(function) = BlockFunction::find(&text) =>
            {
                self.call_block_function(function, &text, args, at, span)
            }
            None => self.call_builtin(name, &text, args, at, span),
        }
    }

    /// Chooses between the functions that the program declares with a builtin's name and the builtin's best overload, as
    /// if the builtin's were declared before them with `overloadable`. Of two that fit equally well the program's is
    /// called, so that it can replace one.
    fn builtin_instead(&mut self, first: FunctionId, text: &str, args: &[Expr], at: Span) -> Preferred {
        let types: Vec<TypeId> = args.iter().map(|a| a.ty.ty).collect();
        let Resolution::Match(builtin) = builtins::resolve(&mut self.types, self.options, text, &types)
        else {
            return Preferred::Own;
        };
        let costs = |p: &Self, params: &[TypeId]| -> Option<Vec<u8>> {
            let all = args.iter().zip(params).map(|(arg, param)| p.conversion_cost(arg, *param));
            all.collect::<Option<Vec<u8>>>().filter(|_| params.len() == args.len())
        };
        // What the builtin takes beyond the rules for a program's functions (an integer for an event) fits worst.
        let theirs = costs(self, &builtin.params).unwrap_or_else(|| vec![u8::MAX; args.len()]);
        let candidates = self.overloads(first);
        let ours: Vec<Vec<u8>> =
            candidates.iter().filter_map(|id| costs(self, &self.function_type(*id).params)).collect();
        let no_worse = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(x, y)| x <= y);
        if ours.iter().any(|own| no_worse(own, &theirs)) {
            return Preferred::Own;
        }
        if ours.iter().all(|own| no_worse(&theirs, own)) {
            return Preferred::Builtin(builtin);
        }
        let overloadable =
            |id: &FunctionId| self.function_infos.get(id.0 as usize).is_some_and(|f| f.overloadable);
        if !candidates.iter().all(overloadable) {
            return Preferred::Own;
        }
        let spans: Vec<Span> =
            candidates.iter().filter_map(|id| self.functions.get(id.0 as usize)).map(|f| f.span).collect();
        let given: Vec<String> = types.iter().map(|t| self.type_id_text(*t)).collect();
        let message =
            format!("the builtin '{text}' and an overload of the program take ({})", given.join(", "));
        let diagnostic = self.error("ambiguous-call", at, message);
        for span in spans {
            diagnostic.note(span, "a candidate is declared here");
        }
        Preferred::Neither
    }

    fn call_function(&mut self, first: FunctionId, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let candidates = self.overloads(first);
        let chosen = if let [only] = candidates.as_slice() {
            self.check_argument_count(*only, args.len(), at).then_some(*only)
        } else {
            self.choose_overload(&candidates, &args, at)
        };
        let Some(function) = chosen else { return error_expr(span) };
        let ty = self.function_type(function);
        let args: Vec<Expr> = args
            .into_iter()
            .enumerate()
            .map(|(i, arg)| match ty.params.get(i) {
                Some(param) => {
                    let target = self.parameter(function, i);
                    self.with_target(target, |p| {
                        p.convert_for_assignment(arg, QualType::new(*param), AssignContext::Argument)
                    })
                }
                None => arg,
            })
            .collect();
        if args.iter().any(is_error) || ty.ret == Types::ERROR {
            return error_expr(span);
        }
        if !self.note_block_arguments(function, &args, at) {
            return error_expr(span);
        }
        self.note_call(function, at);
        rvalue(ExprKind::Call { function, args }, ty.ret, span)
    }

    /// Returns where a function's parameter was declared.
    pub(super) fn parameter(&self, function: FunctionId, index: usize) -> Option<Shown> {
        let function = self.functions.get(function.0 as usize)?;
        let param = function.locals.get(index).filter(|_| index < function.param_count)?;
        Some(match param.name {
            Some(name) => Shown::variable(name, param.ty, param.span),
            None => Shown { span: param.span, what: What::Parameter(param.ty) },
        })
    }

    fn check_argument_count(&mut self, function: FunctionId, found: usize, at: Span) -> bool {
        let ty = self.function_type(function);
        let wanted = ty.params.len();
        if found == wanted || (ty.variadic && found > wanted) {
            return true;
        }
        let what = if found < wanted { "too few" } else { "too many" };
        let message = format!("{what} arguments: {found} given, {wanted} expected");
        let declared = self.functions.get(function.0 as usize).map(|f| (f.span, self.symbols.shared(f.name)));
        let diagnostic = self.error("argument-count", at, message);
        if let Some((span, name)) = declared {
            diagnostic.note(span, format!("'{name}' is declared here"));
        }
        false
    }

    /// The one function of a set that takes the arguments with the least conversion; none may be worse in
    /// any argument than another.
    fn choose_overload(&mut self, candidates: &[FunctionId], args: &[Expr], at: Span) -> Option<FunctionId> {
        let mut viable: Vec<(FunctionId, Vec<u8>)> = Vec::new();
        for id in candidates {
            let ty = self.function_type(*id);
            if ty.params.len() != args.len() {
                continue;
            }
            let costs: Option<Vec<u8>> =
                args.iter().zip(&ty.params).map(|(arg, param)| self.conversion_cost(arg, *param)).collect();
            if let Some(costs) = costs {
                viable.push((*id, costs));
            }
        }
        let beats =
            |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(x, y)| x <= y) && a.iter().zip(b).any(|(x, y)| x < y);
        let best =
            viable.iter().find(|(id, costs)| viable.iter().all(|(other, c)| other == id || beats(costs, c)));
        if let Some((id, _)) = best {
            return Some(*id);
        }
        let types: Vec<String> = args.iter().map(|a| self.type_id_text(a.ty.ty)).collect();
        let spans: Vec<Span> =
            candidates.iter().filter_map(|id| self.functions.get(id.0 as usize)).map(|f| f.span).collect();
        let (id, what) = if viable.is_empty() {
            ("no-matching-function", "no overload takes")
        } else {
            ("ambiguous-call", "several overloads take")
        };
        let diagnostic = self.error(id, at, format!("{what} ({})", types.join(", ")));
        for span in spans {
            diagnostic.note(span, "a candidate is declared here");
        }
        None
    }

    /// Returns how far an argument's type is from a parameter's: 0 the same, 1 a promotion, 2 a conversion of the
    /// same kind, 3 another; `None` where it does not convert.
    pub(super) fn conversion_cost(&self, arg: &Expr, param: TypeId) -> Option<u8> {
        if self.types.same(arg.ty.ty, param) {
            return Some(0);
        }
        match (self.types.scalar_and_lanes(arg.ty.ty), self.types.scalar_and_lanes(param)) {
            (Some((a, 1)), Some((b, 1))) => {
                let promoted =
                    super::convert::promoted(a) == b || (a == Scalar::Float && b == Scalar::Double);
                Some(if promoted {
                    1
                } else if a.is_float() == b.is_float() {
                    2
                } else {
                    3
                })
            }
            (Some((_, 1)), Some(_)) => Some(4),
            (Some(_), Some(_)) => None,
            _ => match (self.types.pointee(arg.ty.ty), self.types.pointee(param)) {
                (Some(a), Some(b)) => {
                    let spaces = a.space == b.space
                        || (b.space == AddressSpace::Generic && a.space != AddressSpace::Constant);
                    let same = self.same_type(a.ty, b.ty);
                    let qualifiers = (b.is_const || !a.is_const) && (b.is_volatile || !a.is_volatile);
                    match (spaces && qualifiers, same, b.ty == Types::VOID) {
                        (true, true, _) if a.space == b.space => Some(1),
                        (true, true, _) => Some(2),
                        (true, _, true) => Some(3),
                        _ => None,
                    }
                }
                _ if self.is_null_constant(arg) && self.has_null(param) => Some(3),
                _ => None,
            },
        }
    }

    pub(super) fn call_builtin(
        &mut self,
        name: Symbol,
        text: &str,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let types: Vec<TypeId> = args.iter().map(|a| a.ty.ty).collect();
        match builtins::resolve(&mut self.types, self.options, text, &types) {
            Resolution::Match(builtin) => self.builtin_node(builtin, args, span),
            Resolution::NotBuiltin => {
                self.undeclared_function(name, at);
                error_expr(span)
            }
            Resolution::NeedsFeature(feature) => {
                self.error(
                    "needs-feature",
                    at,
                    format!("'{text}' needs {feature}, which is not available here"),
                );
                error_expr(span)
            }
            Resolution::NoMatch(candidates) => {
                self.no_builtin("no-matching-builtin", "no overload of", text, &types, at, candidates);
                error_expr(span)
            }
            Resolution::Ambiguous(candidates) => {
                self.no_builtin("ambiguous-call", "ambiguous call of", text, &types, at, candidates);
                error_expr(span)
            }
        }
    }

    fn no_builtin(
        &mut self,
        id: &'static str,
        what: &str,
        text: &str,
        types: &[TypeId],
        at: Span,
        candidates: Vec<String>,
    ) {
        let given: Vec<String> = types.iter().map(|t| self.type_id_text(*t)).collect();
        let verb = if id == "ambiguous-call" { "with" } else { "takes" };
        let message = format!("{what} '{text}' {verb} ({})", given.join(", "));
        let diagnostic = self.error(id, at, message);
        for candidate in candidates.iter().take(8) {
            diagnostic.remark(format!("candidate: {candidate}"));
        }
        if candidates.len() > 8 {
            diagnostic.remark(format!("and {} more", candidates.len() - 8));
        }
    }

    fn builtin_node(&mut self, builtin: Builtin, args: Vec<Expr>, span: Span) -> Expr {
        if let BuiltinOp::ConstantInt(value) = builtin.op {
            return rvalue(ExprKind::Constant(Constant::Int(value)), builtin.ret, span);
        }
        let typed = matches!(builtin.op, BuiltinOp::ExtInst(_));
        let args: Vec<Expr> = args
            .into_iter()
            .zip(&builtin.params)
            .map(|(arg, param)| self.convert_builtin_argument(arg, *param, typed))
            .collect();
        if args.iter().any(is_error) {
            return error_expr(span);
        }
        let ret = builtin.ret;
        rvalue(ExprKind::Builtin { builtin: Box::new(builtin), args }, ret, span)
    }

    /// Like an argument of a user function, but silent about pointees and qualifiers: the table has matched them
    /// already, though with `typed` not their signedness.
    fn convert_builtin_argument(&mut self, arg: Expr, param: TypeId, typed: bool) -> Expr {
        let quiet = match (self.types.pointee(arg.ty.ty), self.types.pointee(param)) {
            (Some(a), Some(b)) => {
                let pointees = if typed { a.ty == b.ty } else { !self.differ_in_atomic(a.ty, b.ty) };
                a.space == b.space && pointees
            }
            _ => false,
        };
        if quiet && arg.ty.ty != param {
            return self.cast(crate::hir::CastKind::PointerBitcast, arg, param);
        }
        // A scalar beside vectors is an operand.
        let scalar = matches!(self.types.scalar_and_lanes(arg.ty.ty), Some((_, 1)));
        if scalar && matches!(self.types.get(param), Type::Vector(..)) {
            return self.splat(arg, param);
        }
        self.convert_for_assignment(arg, QualType::new(param), AssignContext::Argument)
    }

    fn differ_in_atomic(&self, a: TypeId, b: TypeId) -> bool {
        let atomic = |ty| matches!(self.types.get(ty), Type::Atomic(_));
        atomic(a) != atomic(b) && a != Types::VOID && b != Types::VOID
    }

    /// Calling what nothing declares is an error in OpenCL C (no implicit declarations).
    fn undeclared_function(&mut self, name: Symbol, at: Span) {
        if !self.exprs.unknown.insert(name) {
            return;
        }
        let text = self.symbols.shared(name);
        let variable = matches!(self.lookup(name), Some((Name::Local(_) | Name::Global(_), _)));
        if variable {
            self.error("not-a-function", at, format!("'{text}' is not a function"));
            return;
        }
        if let Some(feature) = Refused::of_function(&text).filter(|f| !f.is_there(self.options)) {
            self.refuse(&format!("'{text}'"), feature, at);
            return;
        }
        // §6.14.5
        if matches!(&*text, "Block_copy" | "Block_release") {
            self.error("undeclared-function", at, format!("OpenCL C has no '{text}': blocks are not copied"));
            return;
        }
        let declared = self.similar_name(name, |n| matches!(n, Name::Function(_)));
        let declared = self.macro_or(declared, name, |m| m.has_parameters);
        let known = builtins::is_builtin_name(&text);
        let builtin = if declared.is_none() && !known { similar_builtin(&text) } else { None };
        let diagnostic =
            self.error("undeclared-function", at, format!("call of undeclared function '{text}'"));
        if known {
            diagnostic.remark("it is a builtin of a later version of OpenCL C: choose one with -cl-std=");
            return;
        }
        match (declared, builtin) {
            (Some((near, span)), _) if span != Span::default() => {
                diagnostic.did_you_mean(at, &near, Some(span));
            }
            (_, Some(near)) => {
                diagnostic.did_you_mean(at, &near, None);
            }
            _ => {}
        }
    }
}

/// A builtin function whose name is one slip away from `name`.
fn similar_builtin(name: &str) -> Option<String> {
    if !name.is_ascii() || name.len() < 3 || name.len() > 40 {
        return None;
    }
    let alphabet = || (b'a'..=b'z').chain(b'0'..=b'9').chain([b'_']);
    let found = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        (builtins::is_builtin_name(&text) || text == "printf").then(|| text.into_owned())
    };
    let bytes = name.as_bytes();
    for i in 0..bytes.len() {
        let mut swapped = bytes.to_vec();
        if i + 1 < swapped.len() {
            swapped.swap(i, i + 1);
        }
        let mut without = bytes.to_vec();
        without.remove(i);
        if let Some(hit) = found(&swapped).or_else(|| found(&without)) {
            return Some(hit);
        }
    }
    for i in 0..=bytes.len() {
        for c in alphabet() {
            let mut with = bytes.to_vec();
            with.insert(i, c);
            if let Some(hit) = found(&with) {
                return Some(hit);
            }
            if i < bytes.len() {
                let mut replaced = bytes.to_vec();
                replaced[i] = c;
                if let Some(hit) = found(&replaced) {
                    return Some(hit);
                }
            }
        }
    }
    None
}

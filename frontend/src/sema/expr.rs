//! The typing of a syntax tree of an expression: its nodes in order, each handed to the function that types it.

use super::context::{Name, Sema};
use super::convert::{error_expr, is_error, rvalue};
use super::literal;
use super::vector::Access;
use crate::hir::{Constant, Expr, ExprKind, Global, Init, Linkage};
use crate::source::Span;
use crate::symbol::{Symbol, kw};
use crate::syntax::ast::{ExprId, ExprRange, Infix, InitId, Kind, List, Node, TokenId, Tree};
use crate::token::{Punct, Token, TokenKind};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

/// A syntax tree and the typed expressions of its nodes, each until the node that has it as an operand takes it. A type
/// name's is an expression of the type.
#[derive(Debug, Default)]
pub(super) struct Typing {
    pub(super) tree: Tree,
    /// By the numbers of the nodes from `base` on.
    values: Vec<Expr>,
    /// The first node of the outermost expression that is typed.
    base: Option<u32>,
    /// How many problems there were in the tree.
    problems: usize,
}

impl Typing {
    /// Empties the tree for another declaration.
    pub(super) fn clear(&mut self) {
        self.tree.clear();
        self.values.clear();
        self.base = None;
    }

    /// Begins with a tree that was read: its problems are taken from the end.
    pub(super) fn begin(&mut self) {
        self.tree.problems.reverse();
        self.problems = self.tree.problems.len();
    }

    /// The typed form of a node.
    fn value(&mut self, id: ExprId) -> &mut Expr {
        &mut self.values[(id.0 - self.base.unwrap_or(0)) as usize]
    }

    /// Takes what a node was typed as.
    pub(super) fn take_value(&mut self, id: ExprId) -> Expr {
        self.take(id)
    }

    /// Takes what a node was typed as.
    fn take(&mut self, id: ExprId) -> Expr {
        std::mem::replace(self.value(id), error_expr(Span::NONE))
    }

    /// The type of a type name.
    fn ty(&self, id: ExprId) -> QualType {
        self.values[(id.0 - self.base.unwrap_or(0)) as usize].ty
    }

    /// Takes what the members of a list were typed as.
    pub(super) fn take_list(&mut self, list: List) -> Vec<Expr> {
        let Typing { tree, values, base, .. } = self;
        let base = base.unwrap_or(0);
        let take =
            |id: &ExprId| std::mem::replace(&mut values[(id.0 - base) as usize], error_expr(Span::NONE));
        tree.list(list).iter().map(take).collect()
    }
}

impl Sema<'_> {
    /// Reports the first problems of a tree, as far as they were not reported.
    pub(super) fn report_before(&mut self, typing: &mut Typing, count: u32) {
        while typing.problems - typing.tree.problems.len() < count as usize
            && let Some(problem) = typing.tree.problems.pop()
        {
            self.report(problem);
        }
    }

    /// Passes over the first problems of a tree: what they are in has an error that was reported.
    pub(super) fn skip_problems(&mut self, typing: &mut Typing, count: u32) {
        while typing.problems - typing.tree.problems.len() < count as usize
            && let Some(problem) = typing.tree.problems.pop()
        {
            // Nothing was read after it.
            if problem.fatal {
                self.report(problem);
            }
        }
    }

    /// Types some nodes in order, reports the problems between them, and gives the one that has the others.
    pub(super) fn type_range(&mut self, typing: &mut Typing, range: ExprRange) -> Expr {
        let ExprRange { start, end, root } = range;
        let outermost = typing.base.is_none();
        if outermost {
            typing.values.clear();
        }
        let base = *typing.base.get_or_insert(start);
        let len = (end - base) as usize;
        if typing.values.len() < len {
            typing.values.resize_with(len, || error_expr(Span::NONE));
        }
        let mut index = start;
        let made = std::mem::take(&mut self.cxx.made);
        while index < end {
            while let Some(problem) = typing.tree.problems.pop_if(|p| p.before <= index) {
                self.report(problem);
            }
            let node = typing.tree.nodes[index as usize];
            let temporaries = self.cxx.temporaries.len();
            *typing.value(ExprId(index)) = self.type_node(typing, node);
            if let Some(new) = self.cxx.temporaries.get(temporaries..).filter(|new| !new.is_empty()) {
                let new = new.iter().map(|(local, _)| *local).collect();
                self.cxx.made.push((index, new));
            }
            index = match node.kind {
                // It has typed the nodes inside.
                Kind::CompoundLiteral { end, .. }
                | Kind::TypeName { end, .. }
                | Kind::Statements { end, .. }
                | Kind::Block { end, .. }
                | Kind::Cxx { end, .. } => end,
                _ => index + 1,
            };
        }
        self.cxx.made = made;
        let root = typing.take(root);
        if outermost {
            typing.base = None;
        }
        root
    }

    fn type_node(&mut self, typing: &mut Typing, node: Node) -> Expr {
        match node.kind {
            Kind::Infix { op, lhs, rhs, operator } => {
                let flags = match matches!(op, Infix::And | Infix::Or) && !self.cxx.made.is_empty() {
                    true => self.conditional_objects(lhs.0, rhs.0),
                    false => Default::default(),
                };
                let (lhs, rhs) = (typing.take(lhs), typing.take(rhs));
                let rhs = self.with_objects(&flags, rhs);
                let whole = self.build_infix(op, lhs, rhs, self.span_of(operator));
                self.without_objects(&[flags], whole)
            }
            Kind::Assign { op, lhs, rhs, operator } => {
                let (lhs, rhs) = (typing.take(lhs), typing.take(rhs));
                self.build_assignment(op, lhs, rhs, self.span_of(operator))
            }
            Kind::Conditional { cond, then, els, question } => {
                let flags = match self.cxx.made.is_empty() {
                    true => Default::default(),
                    false => {
                        [self.conditional_objects(cond.0, then.0), self.conditional_objects(then.0, els.0)]
                    }
                };
                let (cond, then, els) = (typing.take(cond), typing.take(then), typing.take(els));
                let (then, els) = (self.with_objects(&flags[0], then), self.with_objects(&flags[1], els));
                let whole = self.build_conditional(cond, then, els, self.span_of(question));
                self.without_objects(&flags, whole)
            }
            Kind::Omitted { cond } => {
                let mut value = typing.take(cond);
                let then = self.omitted_operand(&mut value);
                *typing.value(cond) = value;
                then
            }
            Kind::Comma { first, second } => {
                let (first, second) = (typing.take(first), typing.take(second));
                self.build_comma(first, second)
            }
            Kind::Paren(inner) => Expr { span: self.node_span(node), ..typing.take(inner) },
            Kind::Prefix { op, operand } => {
                let operand = typing.take(operand);
                self.build_prefix(op, operand, self.span_of(node.first))
            }
            Kind::IncDec { operand, increment, prefix } => {
                let operand = typing.take(operand);
                let operator = if prefix { node.first } else { node.last };
                self.build_inc_dec(operand, increment, prefix, self.span_of(operator))
            }
            Kind::Index { base, index } => {
                let (base, index) = (typing.take(base), typing.take(index));
                let span = base.span.to(self.span_of(node.last));
                self.build_index(base, index, span)
            }
            Kind::Member { base, name, arrow } => {
                let base = typing.take(base);
                self.member(base, name, arrow, node.last)
            }
            Kind::Call { callee, args } => self.call(typing, callee, args, node.last),
            Kind::TypeName { .. }
            | Kind::Cast { .. }
            | Kind::Components { .. }
            | Kind::CastComponents { .. }
            | Kind::CompoundLiteral { .. }
            | Kind::TypeQuery { .. }
            | Kind::OffsetMember { .. }
            | Kind::Generic { .. } => self.type_of_types(typing, node),
            Kind::Statements { items, end } => {
                let value = self.statement_expression(typing, items, end, self.span_of(node.first));
                Expr { span: self.node_span(node), ..value }
            }
            Kind::Block { literal, .. } => self.block_literal(typing, literal, node),
            Kind::Cxx { node: index, .. } => self.cxx_expr(typing, index, node),
            _ => self.type_leaf(node),
        }
    }

    /// Nodes without operands.
    fn type_leaf(&mut self, node: Node) -> Expr {
        let span = self.node_span(node);
        match node.kind {
            Kind::Number(text) => self.number_literal(text, span),
            Kind::Char(text) => {
                let text = self.symbols.shared(text);
                self.check_escapes(&text, span);
                let parsed = literal::character(&text);
                let e = self.literal(parsed, span);
                if self.cxx.enabled { self.cast_arithmetic(e, Types::scalar(Scalar::Char)) } else { e }
            }
            Kind::LeastLong => {
                rvalue(ExprKind::Constant(Constant::Int(i64::MIN)), Types::scalar(Scalar::Long), span)
            }
            Kind::String => {
                let bytes = self.string_bytes(node);
                self.string_object(&bytes, span)
            }
            Kind::Format => {
                // Its call takes the format from here and adds the arguments.
                let format = self.string_bytes(node);
                rvalue(ExprKind::Printf { format, args: Vec::new() }, Types::VOID, span)
            }
            Kind::Name(name) => self.name(name, span),
            Kind::Callee(name) => self.callee(name, span),
            Kind::FunctionName if self.function.is_some() => self.function_name(span),
            Kind::FunctionName => {
                let found = self.token(node.first).text(self.symbols);
                let message = format!("expected an expression, found {found}");
                self.error("expected-expression", span, message);
                error_expr(span)
            }
            _ => error_expr(span),
        }
    }

    /// Nodes with a type name among their operands.
    fn type_of_types(&mut self, typing: &mut Typing, node: Node) -> Expr {
        match node.kind {
            Kind::TypeName { ty, .. } => {
                let ty = self.type_named(typing, ty);
                Expr { kind: ExprKind::Constant(Constant::Zero), ty, span: self.node_span(node) }
            }
            Kind::Cast { ty, operand } => {
                let operand = typing.take(operand);
                let span = self.span_of(node.first).to(operand.span).to(self.span_of(node.last));
                if self.cxx.enabled {
                    return self.functional_cast(operand, typing.ty(ty).ty, span);
                }
                self.explicit_cast(operand, typing.ty(ty).ty, span)
            }
            Kind::Components { ty, parts, closed } => {
                let parts = typing.take_list(parts);
                let open = typing.tree.node(ty).first.saturating_sub(1);
                self.components(typing.ty(ty).ty, parts, closed, node, open)
            }
            Kind::CastComponents { ty, operand } => {
                let operand = typing.take(operand);
                let ty = typing.ty(ty).ty;
                if self.is_vector(ty) {
                    return operand;
                }
                let span = self.span_of(node.first).to(operand.span).to(self.span_of(node.last));
                if self.cxx.enabled {
                    return self.functional_cast(operand, ty, span);
                }
                self.explicit_cast(operand, ty, span)
            }
            Kind::CompoundLiteral { ty, init, .. } => {
                let (ty, span) = (typing.ty(ty), self.node_span(node));
                self.compound_literal(typing, init, ty, span)
            }
            Kind::TypeQuery { query, operand } => {
                let mut object = typing.take(operand);
                if let Some(crate::sema::cxx::Stash::Type(ty)) = self.unstash(&object) {
                    object.ty = *ty;
                }
                let aligned = self.declared_alignment(&object);
                self.type_query(query, object.ty, aligned.unwrap_or(1), self.node_span(node))
            }
            Kind::OffsetMember { ty, name } => {
                // The span of the call's name is that of the type's errors.
                let start = self.span_of(typing.tree.node(ty).first.saturating_sub(2));
                self.offset_member(typing.ty(ty).ty, name, self.node_span(node), start)
            }
            Kind::Generic { control, associations } => {
                let control = typing.take(control);
                let span = self.node_span(node);
                let Typing { tree, values, base, .. } = typing;
                let base = base.unwrap_or(0);
                let list: Vec<_> = tree
                    .list(associations)
                    .chunks_exact(2)
                    .map(|pair| {
                        let ty = tree.node(pair[0]);
                        let is_default = matches!(ty.kind, Kind::Default);
                        let e = std::mem::replace(&mut values[(pair[1].0 - base) as usize], error_expr(span));
                        let ty = (!is_default).then(|| values[(pair[0].0 - base) as usize].ty.ty);
                        (ty, e, self.span_of(tree.node(pair[0]).first))
                    })
                    .collect();
                self.generic_selection(control, list, span)
            }
            _ => error_expr(self.node_span(node)),
        }
    }

    /// The source of a node.
    pub(super) fn node_span(&self, node: Node) -> Span {
        self.span_of(node.first).to(self.span_of(node.last))
    }

    fn build_comma(&mut self, first: Expr, second: Expr) -> Expr {
        let span = first.span.to(second.span);
        if self.cxx.enabled
            && let Some(call) = self.operator_call(kw::OP_COMMA, &[first.clone(), second.clone()], span)
        {
            return call;
        }
        if self.class_of(second.ty.ty).is_some() && second.kind.is_lvalue() && self.function.is_some() {
            let (first, ty) = (self.to_rvalue(first), second.ty);
            let second = self.address_of_object(second);
            let pointer = second.ty.ty;
            let kind = ExprKind::Comma { first: Box::new(first), second: Box::new(second) };
            return Expr { kind: ExprKind::Deref(Box::new(rvalue(kind, pointer, span))), ty, span };
        }
        let (first, second) = (self.to_rvalue(first), self.to_rvalue(second));
        if is_error(&first) || is_error(&second) {
            return error_expr(span);
        }
        let ty = second.ty.ty;
        rvalue(ExprKind::Comma { first: Box::new(first), second: Box::new(second) }, ty, span)
    }

    /// The one part of a vector literal, a component (§6.3.2): a bool is 1 there, as clang has it, and not the value of a cast.
    fn only_component(&mut self, part: Expr, vector: TypeId) -> Expr {
        let part = self.to_rvalue(part);
        match *self.types.get(vector) {
            Type::Vector(scalar, _) if part.ty.ty == Types::BOOL => {
                self.cast_arithmetic(part, Types::scalar(scalar))
            }
            _ => part,
        }
    }

    fn is_vector(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Vector(..))
    }

    /// `( part, part … )` after `(type)`; `open` is the token before the type.
    fn components(&mut self, ty: TypeId, parts: Vec<Expr>, closed: bool, node: Node, open: TokenId) -> Expr {
        let vector = self.is_vector(ty);
        if !closed {
            let what = if vector { "vector literal" } else { "expression" };
            self.report_missing(node.last + 1, Punct::RParen, what);
        }
        let mut parts = parts.into_iter();
        let Some(mut first) = parts.next() else { return error_expr(self.node_span(node)) };
        if !vector {
            for second in parts {
                first = self.build_comma(first, second);
            }
            return Expr { span: self.node_span(node), ..first };
        }
        let span = self.span_of(open).to(self.span_of(node.last));
        if parts.len() > 0 {
            return self.build_vector_literal(ty, std::iter::once(first).chain(parts).collect(), span);
        }
        // What follows belongs to the vector, as clang has it: `(float4)(x).xy` is one of two components.
        let only = self.only_component(first, ty);
        self.explicit_cast(only, ty, span)
    }

    /// `(type){…}` (C99 §6.5.2.5).
    fn compound_literal(&mut self, typing: &mut Typing, init: InitId, ty: QualType, span: Span) -> Expr {
        let (init, ty) = self.initializer(typing, init, ty);
        if ty.ty == Types::ERROR || matches!(&init, Init::Whole(e) if is_error(e)) {
            return error_expr(span);
        }
        let init = match init {
            // A vector in braces is a value like any other.
            Init::Whole(value) if self.is_vector(ty.ty) => return value,
            init => init,
        };
        if self.function.is_some() {
            let local = self.new_local(None, ty, span);
            return Expr { kind: ExprKind::CompoundLiteral { local, init: Box::new(init) }, ty, span };
        }
        let Some(constant) = self.init_to_constant(&init, ty.ty, span) else { return error_expr(span) };
        let ty = self.in_space(ty, AddressSpace::Constant);
        let name = format!(".compoundliteral.{}", self.globals.len());
        let linkage = Linkage::Internal;
        let id = self.add_global(Global { name, ty, init: Some(constant), linkage, aligned: None, span });
        Expr { kind: ExprKind::Global(id), ty, span }
    }

    /// The alignment that a variable's or member's declaration asks for.
    fn declared_alignment(&self, object: &Expr) -> Option<u32> {
        match &object.kind {
            ExprKind::Local(id) => self.function.as_ref()?.locals.get(id.0 as usize)?.aligned,
            ExprKind::Global(id) => self.globals.get(id.0 as usize)?.aligned,
            ExprKind::Member { base, field } => match self.types.get(base.ty.ty) {
                Type::Record(id) => self.types.record(*id).fields.as_ref()?.get(*field as usize)?.aligned,
                _ => None,
            },
            _ => None,
        }
    }

    /// `aligned`: what declarations ask for beyond the type's own alignment.
    fn type_query(&mut self, query: Symbol, object: QualType, aligned: u32, span: Span) -> Expr {
        let ty = object.ty;
        if ty == Types::ERROR {
            return error_expr(span);
        }
        if query == kw::VEC_STEP {
            // §6.15.13: 4 for vectors of 3, 1 for scalars and void.
            let lanes = match self.types.scalar_and_lanes(ty) {
                Some((_, lanes)) => lanes,
                None if ty == Types::VOID => 1,
                None => {
                    let message =
                        format!("'vec_step' takes a scalar or a vector, not '{}'", self.type_id_text(ty));
                    self.error("invalid-operands", span, message);
                    return error_expr(span);
                }
            };
            let step = if lanes == 3 { 4 } else { lanes };
            return rvalue(ExprKind::Constant(Constant::Int(step.into())), Types::INT, span);
        }
        // §6.14.2: a block's size may not be computed at compile time.
        if matches!(self.types.get(ty), Type::Block(_)) {
            self.error("incomplete-type", span, "a block has no size that the program could know");
            return error_expr(span);
        }
        let layout = self.types.object_layout(object);
        let value = match layout {
            Some(layout) if query == kw::SIZEOF => layout.size,
            Some(layout) => layout.align.max(aligned.into()),
            None => {
                let message = format!("the incomplete type '{}' has no size", self.type_id_text(ty));
                self.error("incomplete-type", span, message);
                return error_expr(span);
            }
        };
        rvalue(ExprKind::Constant(Constant::Int(value as i64)), self.types.size_t(), span)
    }

    fn member(&mut self, base: Expr, name: Symbol, arrow: bool, at: TokenId) -> Expr {
        let (dot, at) = (self.span_of(at.saturating_sub(1)), self.span_of(at));
        let access = Access { name, at, operator: Some(dot), span: base.span.to(at) };
        let base = match self.cxx.enabled {
            true => match self.cxx_member(base, arrow, access) {
                Ok(member) => return member,
                Err(base) => base,
            },
            false => base,
        };
        if arrow { self.build_arrow(base, access) } else { self.build_member(base, access) }
    }

    /// A call; `close` is its last token.
    fn call(&mut self, typing: &mut Typing, callee: ExprId, args: List, close: TokenId) -> Expr {
        if self.cxx.enabled {
            return self.cxx_call(typing, callee, args, close);
        }
        let node = typing.tree.node(callee);
        let mut e = typing.take(callee);
        let args = typing.take_list(args);
        let mut span = e.span.to(self.span_of(close));
        if let Kind::Callee(name) = node.kind {
            let at = self.span_of(node.first);
            match self.lookup(name) {
                _ if self.is_keyword(name) => return e,
                Some((Name::Typedef(_), _)) => return e,
                Some((Name::Function(_), _)) | None => return self.call_by_name(name, args, at, span),
                Some(_) => {}
            }
            if self.token(node.last + 1).kind == TokenKind::Punct(Punct::RParen) {
                e.span = self.span_of(node.first.saturating_sub(1)).to(self.span_of(node.last + 1));
                span = e.span.to(self.span_of(close));
            }
        }
        if matches!(self.types.get(e.ty.ty), Type::Block(_)) {
            return self.build_block_call(e, args, span);
        }
        if !is_error(&e) {
            self.error("not-a-function", e.span, "the called object is not a function");
        }
        error_expr(span)
    }

    fn number_literal(&mut self, text: Symbol, span: Span) -> Expr {
        let text = self.symbols.shared(text);
        let parsed = literal::number(&text, self.options);
        let mended = parsed.is_err().then(|| literal::with_known_suffix(&text, self.options)).flatten();
        let literal = self.literal(parsed, span);
        if let (Some(mended), false) = (mended, self.aborted)
            && let Some(diagnostic) = self.diags.latest("invalid-literal")
        {
            diagnostic.replace(span, mended);
        }
        literal
    }

    fn literal(&mut self, parsed: Result<literal::Literal, String>, span: Span) -> Expr {
        match parsed {
            Ok(literal) => {
                if let Some((id, message)) = literal.warning {
                    self.warning(id, span, message);
                }
                rvalue(ExprKind::Constant(literal.value), Types::scalar(literal.scalar), span)
            }
            Err(message) => {
                self.error("invalid-literal", span, message);
                error_expr(span)
            }
        }
    }

    /// The joined bytes of the string literals that are a node.
    pub(super) fn string_bytes(&mut self, node: Node) -> Vec<u8> {
        let mut bytes = Vec::new();
        for token in node.first..=node.last {
            bytes.extend(self.bytes_of(self.token(token)));
        }
        bytes
    }

    /// The bytes of a string literal.
    pub(super) fn bytes_of(&mut self, token: Token) -> Vec<u8> {
        let TokenKind::Str(text) = token.kind else { return Vec::new() };
        let text = self.symbols.shared(text);
        self.check_escapes(&text, token.span);
        literal::unquote(&text).unwrap_or_else(|message| {
            self.error("invalid-literal", token.span, message);
            Vec::new()
        })
    }

    fn check_escapes(&mut self, text: &str, span: Span) {
        if let Some(c) = literal::unknown_escape(text) {
            let message = format!("unknown escape sequence '\\{c}': it is taken as '{c}'");
            self.warning("unknown-escape", span, message);
        }
    }

    fn string_object(&mut self, bytes: &[u8], span: Span) -> Expr {
        let id = self.new_string_literal(bytes, span);
        Expr { kind: ExprKind::Global(id), ty: self.global_type(id), span }
    }

    /// A name that is not called.
    fn name(&mut self, name: Symbol, span: Span) -> Expr {
        if self.cxx.enabled
            && let Some(e) = self.cxx_name(name, span)
        {
            return e;
        }
        let found = self.lookup(name);
        if let Some((_, at)) = found {
            self.check_deprecated(name, at, span);
        }
        match found {
            Some((Name::Function(_), at)) => {
                let text = self.symbols.shared(name);
                self.error(
                    "function-as-value",
                    span,
                    format!("'{text}' is a function: OpenCL C has no pointers to functions"),
                )
                .note(at, format!("'{text}' is declared here"));
                error_expr(span)
            }
            Some((Name::Typedef(ty), _)) => self.type_as_value(ty, span, false),
            Some((found, _)) => self.named_value(found, name, span),
            None if matches!(self.symbols.text(name), "true" | "false") => {
                let value = i64::from(self.symbols.text(name) == "true");
                rvalue(ExprKind::Constant(Constant::Int(value)), Types::BOOL, span)
            }
            None => {
                self.undeclared(name, span);
                error_expr(span)
            }
        }
    }

    /// A name before the `(` of a call. Functions have no value: their call looks for them.
    fn callee(&mut self, name: Symbol, span: Span) -> Expr {
        if self.cxx.enabled && !self.is_keyword(name) {
            return match self.lookup(name) {
                Some((Name::Function(_) | Name::Typedef(_), _)) => error_expr(span),
                _ => match self.is_object_name(name) {
                    true => self.cxx_name(name, span).unwrap_or_else(|| error_expr(span)),
                    false => error_expr(span),
                },
            };
        }
        if self.is_keyword(name) {
            return self.type_as_value(QualType::new(self.scalar_keyword(name)), span, true);
        }
        let found = self.lookup(name);
        if let Some((_, at)) = found {
            self.check_deprecated(name, at, span);
        }
        match found {
            Some((Name::Function(_), _)) | None => error_expr(span),
            Some((Name::Typedef(ty), _)) => self.type_as_value(ty, span, true),
            Some((found, _)) => self.named_value(found, name, span),
        }
    }

    /// The variable or constant that a name means.
    pub(super) fn named_value(&mut self, found: Name, name: Symbol, span: Span) -> Expr {
        match found {
            Name::Local(id) if self.cxx.enabled => self.local_or_closed(name, id, span),
            Name::Local(id) => self.local_or_captured(name, id, span),
            Name::Block(id, ty) => self.static_block(id, ty, span),
            Name::Global(id) => {
                let e = Expr { kind: ExprKind::Global(id), ty: self.global_type(id), span };
                if self.cxx.enabled { self.own_global(id, e) } else { e }
            }
            Name::EnumConstant(value, ty) => rvalue(ExprKind::Constant(Constant::Int(value)), ty, span),
            Name::Function(_) | Name::Typedef(_) => error_expr(span),
        }
    }

    /// A type name where an expression is expected: `float4(1, 2, 3, 4)` of other languages.
    fn type_as_value(&mut self, ty: QualType, span: Span, called: bool) -> Expr {
        let text = self.type_text(ty);
        let message = format!("expected an expression, found the type '{text}'");
        let diagnostic = self.error("type-as-value", span, message);
        if called {
            diagnostic.remark(format!("a literal or a cast is written '({text})(…)'"));
        }
        error_expr(span)
    }

    /// Reports an undeclared name, once.
    fn undeclared(&mut self, name: Symbol, span: Span) {
        if self.exprs.unknown.insert(name) {
            self.unknown_name(name, span);
        }
    }

    /// The name of the function around, as a string; empty outside of one.
    pub(super) fn function_name(&mut self, span: Span) -> Expr {
        let name = self.function.as_ref().map(|f| self.symbols.shared(f.name));
        self.string_object(name.unwrap_or_else(|| "".into()).as_bytes(), span)
    }

    fn scalar_keyword(&self, word: Symbol) -> TypeId {
        let text = self.symbols.text(word);
        use Scalar::*;
        let all = [Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double];
        all.into_iter().find(|s| s.name() == text).map_or(Types::INT, Types::scalar)
    }
}

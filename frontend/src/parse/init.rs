//! Initialisers (C99 §6.7.8): expressions, brace lists with elision and designators, strings; vectors by
//! list. A list is read into a tree of [`Node`]s; when all of it is constant it becomes one [`Constant`]
//! (a table of 64 KiB makes 64 Ki small nodes, no expressions), else the leaves with their paths.

use super::convert::{AssignContext, error_expr, is_error};
use super::parser::Parser;
use crate::hir::{Constant, Expr, ExprKind, Init};
use crate::source::Span;
use crate::token::{Punct, TokenKind};
use crate::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId, Types};

/// Arrays are not initialised beyond this index: the tree would not fit in memory.
const MAX_INDEX: u64 = 1 << 24;

/// An object under initialisation.
#[derive(Debug, Default, Clone)]
enum Node {
    /// Nothing said: zero.
    #[default]
    Empty,
    Constant(Constant),
    Expr(Box<Expr>),
    Array(Vec<Node>),
    Struct(Vec<Node>),
    Union(u32, Box<Node>),
}

impl Node {
    fn is_constant(&self) -> bool {
        match self {
            Node::Empty | Node::Constant(_) => true,
            Node::Expr(_) => false,
            Node::Array(parts) | Node::Struct(parts) => parts.iter().all(Node::is_constant),
            Node::Union(_, value) => value.is_constant(),
        }
    }

    fn into_constant(self) -> Constant {
        let all = |parts: Vec<Node>| parts.into_iter().map(Node::into_constant).collect();
        match self {
            Node::Empty | Node::Expr(_) => Constant::Zero,
            Node::Constant(c) => c,
            Node::Array(parts) => Constant::Array(all(parts)),
            Node::Struct(parts) => Constant::Struct(all(parts)),
            Node::Union(field, value) => Constant::Union { field, value: Box::new(value.into_constant()) },
        }
    }
}

/// How the parts of an aggregate are separated and where its list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// In braces of its own.
    Braced,
    /// In the braces of an enclosing aggregate: it takes what it needs.
    Elided,
}

impl Parser<'_> {
    /// The initialiser of an object of type `ty`, after the `=`. Gives the type too: an array without
    /// length gets its length from the initialiser.
    pub(super) fn parse_initializer(&mut self, ty: QualType) -> (Init, QualType) {
        let span = self.peek().span;
        if let Some((e, end)) = self.read_initializer.take() {
            self.pos = end;
            return (Init::Whole(self.convert_for_assignment(e, ty, AssignContext::Initialize)), ty);
        }
        if ty.ty == Types::ERROR {
            self.pass_initializer();
            return (Init::Whole(error_expr(span)), ty);
        }
        self.check_atomic_initializer(ty, span);
        match *self.types.get(ty.ty) {
            Type::Array(element, len) => self.array_initializer(ty, element, len),
            Type::Record(_) if self.at(Punct::LBrace) => {
                let mut node = Node::Empty;
                self.braced(ty, &mut node);
                (self.finish(node, ty.ty), ty)
            }
            _ if self.at(Punct::LBrace) => (Init::Whole(self.braced_scalar(ty)), ty),
            _ => {
                let e = self.parse_assignment_expression();
                (Init::Whole(self.convert_for_assignment(e, ty, AssignContext::Initialize)), ty)
            }
        }
    }

    /// Only atomic objects in global memory have first values (§6.15.12.1): elsewhere an error for one by itself,
    /// a warning for those among others.
    fn check_atomic_initializer(&mut self, ty: QualType, span: Span) {
        if ty.space == AddressSpace::Global || !self.has_atomic(ty.ty) {
            return;
        }
        let (space, text) = (ty.space.name(), self.type_id_text(ty.ty));
        let message =
            format!("atomic objects in {space} have no initialiser ('{text}'): only those in __global do");
        let diagnostic = match self.types.get(ty.ty) {
            Type::Atomic(_) => self.error("atomic-initializer", span, message),
            _ if !self.at(Punct::LBrace) => return,
            _ => self.warning("atomic-initializer", span, message),
        };
        diagnostic.remark("atomic_init gives an atomic object its first value");
    }

    fn has_atomic(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Atomic(_) => true,
            Type::Array(element, _) => self.has_atomic(element.ty),
            Type::Record(id) => {
                self.types.record(*id).fields.iter().flatten().any(|f| self.has_atomic(f.ty.ty))
            }
            _ => false,
        }
    }

    /// Passes over an initialiser that has no object.
    fn pass_initializer(&mut self) {
        if self.at(Punct::LBrace) {
            self.skip_group();
        } else {
            self.parse_assignment_expression();
        }
    }

    fn array_initializer(&mut self, ty: QualType, element: QualType, len: Option<u64>) -> (Init, QualType) {
        let span = self.peek().span;
        let mut node = Node::Empty;
        let count = if self.string_ahead(element.ty) {
            self.string_node(len, &mut node)
        } else if self.at(Punct::LBrace) {
            self.braced(ty, &mut node)
        } else {
            let e = self.parse_assignment_expression();
            // A compound literal of the same array type may initialise an array, as GNU C has it.
            match &e.kind {
                ExprKind::CompoundLiteral { init, .. } if self.same_type(e.ty.ty, ty.ty) => {
                    let ty = if len.is_none() { QualType { ty: e.ty.ty, ..ty } } else { ty };
                    return ((**init).clone(), ty);
                }
                _ => {}
            }
            if !is_error(&e) {
                let message = "an array is initialised by a list in braces or, of char, by a string literal";
                self.error("array-initializer", e.span, message);
            }
            return (
                Init::Whole(error_expr(span)),
                QualType { ty: self.sized_array(ty.ty, element, len, 1), ..ty },
            );
        };
        let array = self.sized_array(ty.ty, element, len, count);
        (self.finish(node, array), QualType { ty: array, ..ty })
    }

    fn sized_array(&mut self, ty: TypeId, element: QualType, len: Option<u64>, count: u64) -> TypeId {
        if len.is_some() { ty } else { self.types.intern(Type::Array(element, Some(count))) }
    }

    /// The tree as what the emitter takes.
    fn finish(&mut self, node: Node, ty: TypeId) -> Init {
        if node.is_constant() {
            return Init::Constant(node.into_constant());
        }
        let mut leaves = Vec::new();
        flatten(node, &mut Vec::new(), &mut leaves);
        if let Some((_, e)) = leaves.iter().find(|(_, e)| is_error(e)) {
            return Init::Whole(error_expr(e.span));
        }
        // Constant aggregates (strings in a list with variables) come apart into scalar leaves.
        let mut split = Vec::with_capacity(leaves.len());
        for (path, e) in leaves {
            self.split_leaf(ty, path, e, &mut split);
        }
        Init::List { leaves: split, zero_fill: true }
    }

    /// Gives a leaf its type; a constant aggregate becomes one leaf per scalar or vector.
    fn split_leaf(&self, root: TypeId, path: Vec<u64>, leaf: Expr, out: &mut Vec<(Vec<u64>, Expr)>) {
        let Some(ty) = self.type_at(root, &path) else { return };
        let parts = match (&leaf.kind, self.types.get(ty)) {
            (ExprKind::Constant(Constant::Array(parts)), Type::Array(..))
            | (ExprKind::Constant(Constant::Struct(parts)), Type::Record(_)) => parts.clone(),
            _ => {
                let ty = if is_error(&leaf) { leaf.ty } else { QualType::new(ty) };
                out.push((path, Expr { ty, ..leaf }));
                return;
            }
        };
        for (i, part) in parts.into_iter().enumerate() {
            let mut path = path.clone();
            path.push(i as u64);
            let leaf =
                Expr { kind: ExprKind::Constant(part), ty: QualType::new(Types::VOID), span: leaf.span };
            self.split_leaf(root, path, leaf, out);
        }
    }

    fn type_at(&self, root: TypeId, path: &[u64]) -> Option<TypeId> {
        let mut ty = root;
        for step in path {
            ty = match self.types.get(ty) {
                Type::Array(element, _) => element.ty,
                Type::Record(record) => {
                    self.types.record(*record).fields.as_ref()?.get(usize::try_from(*step).ok()?)?.ty.ty
                }
                _ => return None,
            };
        }
        Some(ty)
    }

    /// `{ expression }` for a scalar or pointer; the components of a vector in braces.
    fn braced_scalar(&mut self, ty: QualType) -> Expr {
        let open = self.bump().span;
        if self.eat(Punct::RBrace) {
            let zero = ExprKind::Constant(Constant::Zero);
            let e = Expr { kind: zero, ty: QualType::new(ty.ty), span: open };
            let int_zero = Expr {
                kind: ExprKind::Constant(Constant::Int(0)),
                ty: QualType::new(Types::INT),
                span: open,
            };
            let arithmetic = self.types.scalar_and_lanes(ty.ty).is_some();
            return if arithmetic {
                self.convert_for_assignment(int_zero, ty, AssignContext::Initialize)
            } else {
                e
            };
        }
        let is_vector = matches!(self.types.get(ty.ty), Type::Vector(..));
        let mut parts = Vec::new();
        loop {
            let part = if self.at(Punct::LBrace) {
                let element = match *self.types.get(ty.ty) {
                    Type::Vector(scalar, _) => QualType::new(Types::scalar(scalar)),
                    _ => ty,
                };
                self.deeper(|p| p.braced_scalar(element)).unwrap_or_else(|| error_expr(open))
            } else {
                self.parse_assignment_expression()
            };
            parts.push(part);
            if !self.eat(Punct::Comma) || self.at(Punct::RBrace) {
                break;
            }
        }
        self.close(Punct::RBrace, "initializer");
        let span = open.to(self.previous_span());
        let scalar = |p: &Self, e: &Expr| matches!(p.types.scalar_and_lanes(e.ty.ty), Some((_, 1)));
        if is_vector && (parts.len() > 1 || scalar(self, &parts[0])) {
            return self.build_vector_literal(ty.ty, parts, span);
        }
        if parts.len() > 1 {
            self.excess(parts[1].span);
        }
        let first = parts.swap_remove(0);
        self.convert_for_assignment(first, ty, AssignContext::Initialize)
    }

    /// A constraint of C99 (§6.7.8, 2) that compilers let pass with a warning: what is too much is dropped.
    fn excess(&mut self, span: Span) {
        self.warning("excess-initializers", span, "there are more initializers than the object has parts");
    }

    /// Returns whether a string that initialises an array of `element` is next, in braces or not.
    fn string_ahead(&self, element: TypeId) -> bool {
        let is_char = matches!(self.types.get(element), Type::Scalar(Scalar::Char | Scalar::UChar));
        let mut ahead = usize::from(self.at(Punct::LBrace));
        let braced = ahead == 1;
        if !is_char || !matches!(self.peek_at(ahead).kind, TokenKind::Str(_)) {
            return false;
        }
        while matches!(self.peek_at(ahead).kind, TokenKind::Str(_)) {
            ahead += 1;
        }
        match self.peek_at(ahead).kind {
            TokenKind::Punct(Punct::RBrace) => true,
            TokenKind::Punct(Punct::Comma) if braced => {
                self.peek_at(ahead + 1).kind == TokenKind::Punct(Punct::RBrace)
            }
            TokenKind::Punct(Punct::Comma | Punct::Semi) => true,
            _ => false,
        }
    }

    /// A string as an array; gives the number of elements that it has with its null.
    fn string_node(&mut self, len: Option<u64>, node: &mut Node) -> u64 {
        let braced = self.eat(Punct::LBrace);
        let (mut bytes, span) = self.parse_string_bytes();
        if braced {
            self.eat(Punct::Comma);
            self.close(Punct::RBrace, "initializer");
        }
        let count = bytes.len() as u64 + 1;
        match len {
            // The null may be missing (C99 §6.7.8, 14).
            Some(len) if bytes.len() as u64 > len => {
                self.warning(
                    "excess-initializers",
                    span,
                    format!("the string is longer than the array of {len}"),
                );
                bytes.truncate(len as usize);
            }
            _ => {}
        }
        *node = Node::Constant(Constant::Array(
            bytes.iter().map(|b| Constant::Int(i64::from(*b as i8))).collect(),
        ));
        count
    }

    /// A braced list for an array, struct or union, at the `{`; gives the number of elements named (for an
    /// array without length).
    fn braced(&mut self, ty: QualType, node: &mut Node) -> u64 {
        let count = self.deeper(|p| {
            p.bump();
            if p.eat(Punct::RBrace) {
                return 0;
            }
            let count = p.fill(ty, node, Style::Braced, None);
            p.close(Punct::RBrace, "initializer list");
            count
        });
        count.unwrap_or(0)
    }

    /// Fills an aggregate from the list at the cursor. `pending` is an expression read already that belongs
    /// to its first part. Gives the number of elements.
    fn fill(&mut self, ty: QualType, node: &mut Node, style: Style, pending: Option<Expr>) -> u64 {
        let filled = self.deeper(|p| match *p.types.get(ty.ty) {
            Type::Array(element, len) => {
                let element = p.element_type(ty, element);
                p.fill_array(element, len, node, style, pending)
            }
            Type::Record(record) => {
                p.fill_record(record, node, style, pending);
                0
            }
            _ => 0,
        });
        filled.unwrap_or(0)
    }

    fn fill_array(
        &mut self,
        element: QualType,
        len: Option<u64>,
        node: &mut Node,
        style: Style,
        mut pending: Option<Expr>,
    ) -> u64 {
        let (mut index, mut count, mut complained) = (0u64, 0u64, false);
        let mut first = true;
        loop {
            if !first && !self.next_part(style, len.is_none_or(|l| index < l)) {
                break;
            }
            let designated = pending.is_none() && (first || style == Style::Braced) && self.at_designator();
            let mut last = index;
            if designated {
                match self.array_designator(len) {
                    Some(range) => (index, last) = range,
                    None => return count,
                }
            }
            first = false;
            if len.is_some_and(|l| index >= l) || index >= MAX_INDEX {
                if !complained {
                    complained = true;
                    let span = pending.as_ref().map_or(self.peek().span, |e| e.span);
                    self.excess(span);
                }
                if pending.take().is_none() {
                    self.pass_initializer();
                }
                continue;
            }
            let slot = array_slot(node, index);
            match pending.take() {
                Some(e) => self.element_with(element, slot, e),
                None if designated => self.designated_element(element, slot),
                None => self.element(element, slot),
            }
            if last > index {
                let value = slot.clone();
                for index in index + 1..=last {
                    *array_slot(node, index) = value.clone();
                }
            }
            index = index.max(last) + 1;
            count = count.max(index);
        }
        count
    }

    fn fill_record(&mut self, record: RecordId, node: &mut Node, style: Style, mut pending: Option<Expr>) {
        let Some(fields) = self.types.record(record).fields.clone() else { return };
        let is_union = self.types.record(record).is_union;
        let limit = if is_union { 1 } else { fields.len() };
        let (mut index, mut complained, mut first) = (0usize, false, true);
        // Members are counted for room: a union has room for one.
        let mut used = 0usize;
        loop {
            if !first && !self.next_part(style, used < limit && index < fields.len()) {
                break;
            }
            let designated = pending.is_none() && (first || style == Style::Braced) && self.at_designator();
            let mut path = Vec::new();
            if designated {
                match self.member_designator(record) {
                    Some(found) => {
                        index = found.first().map_or(0, |i| *i as usize);
                        path = found;
                        used = if is_union { 0 } else { index };
                    }
                    None => return,
                }
            }
            first = false;
            let Some(field) = fields.get(index).filter(|_| used < limit) else {
                if !complained {
                    complained = true;
                    let span = pending.as_ref().map_or(self.peek().span, |e| e.span);
                    self.excess(span);
                }
                if pending.take().is_none() {
                    self.pass_initializer();
                }
                continue;
            };
            let mut slot = record_slot(node, is_union, index);
            let mut ty = field.ty;
            for step in path.iter().skip(1) {
                // Through anonymous members.
                let Type::Record(inner) = *self.types.get(ty.ty) else { break };
                let record = self.types.record(inner);
                let Some(field) = record.fields.as_ref().and_then(|f| f.get(*step as usize)) else { break };
                ty = field.ty;
                slot = record_slot(slot, record.is_union, *step as usize);
            }
            match pending.take() {
                Some(e) => self.element_with(ty, slot, e),
                None if designated => self.designated_element(ty, slot),
                None => self.element(ty, slot),
            }
            index += 1;
            used += 1;
        }
    }

    /// Moves on to the next part of a list: past the comma, unless the list ends or, without braces of its
    /// own, has no room or meets a designator of the enclosing one.
    fn next_part(&mut self, style: Style, room: bool) -> bool {
        if !self.at(Punct::Comma) {
            return false;
        }
        let after = self.peek_at(1).kind;
        let ends = after == TokenKind::Punct(Punct::RBrace);
        if style == Style::Elided {
            let designator = matches!(after, TokenKind::Punct(Punct::Dot | Punct::LBracket))
                || (matches!(after, TokenKind::Ident(_))
                    && self.peek_at(2).kind == TokenKind::Punct(Punct::Colon));
            if !room || ends || designator {
                return false;
            }
        }
        self.bump();
        !ends && self.peek().kind != TokenKind::Eof
    }

    fn at_designator(&self) -> bool {
        self.at(Punct::LBracket) || self.at(Punct::Dot) || self.at_old_designator()
    }

    /// GNU C's `member: value`.
    fn at_old_designator(&self) -> bool {
        matches!(self.peek().kind, TokenKind::Ident(_))
            && self.peek_at(1).kind == TokenKind::Punct(Punct::Colon)
    }

    /// `[constant]`, or GNU C's `[first ... last]`: the first and the last index.
    fn array_designator(&mut self, len: Option<u64>) -> Option<(u64, u64)> {
        let span = self.peek().span;
        if !self.eat(Punct::LBracket) {
            self.error("invalid-designator", span, "a member designator in the initializer of an array");
            self.skip_list();
            return None;
        }
        let first = self.designator_index(len);
        let last = if self.eat(Punct::Ellipsis) { self.designator_index(len) } else { first };
        self.close(Punct::RBracket, "designator");
        match (first, last) {
            (Some(first), Some(last)) if first <= last => return Some((first, last)),
            (Some(_), Some(_)) => {
                let span = span.to(self.previous_span());
                self.error("invalid-designator", span, "the range of a designator is empty");
            }
            _ => {}
        }
        self.skip_list();
        None
    }

    fn designator_index(&mut self, len: Option<u64>) -> Option<u64> {
        let e = self.parse_conditional_expression();
        let index = self.const_eval_int(&e).and_then(|i| u64::try_from(i).ok());
        let index = index.filter(|i| len.is_none_or(|l| *i < l) && *i < MAX_INDEX);
        if index.is_none() && !is_error(&e) {
            let message = "a designator must be a constant integer within the array";
            self.error("invalid-designator", e.span, message);
        }
        index
    }

    /// `.member` or GNU C's `member:`: its way through anonymous members.
    fn member_designator(&mut self, record: RecordId) -> Option<Vec<u32>> {
        let old = self.at_old_designator();
        let span = if old { self.peek().span } else { self.bump().span };
        let TokenKind::Ident(name) = self.peek().kind else {
            self.error("invalid-designator", span, "expected '.' and a member name");
            self.skip_list();
            return None;
        };
        let at = self.bump().span;
        if old {
            self.bump();
            self.warning("gnu-designator", span, "'member: value' is GNU C's old form of '.member = value'");
        }
        let path = self.find_member(record, name);
        if path.is_none() {
            let message = format!("no member named '{}' to initialize", self.symbols.text(name));
            let near = self.similar_member(record, &self.symbols.shared(name));
            let diagnostic = self.error("no-member", at, message);
            if let Some((near, declared)) = near {
                diagnostic.note(declared, format!("did you mean '{near}'?")).replace(at, near);
            }
            self.skip_list();
        }
        path
    }

    /// Gives up on a list.
    fn skip_list(&mut self) {
        while !self.at(Punct::RBrace) && !self.at(Punct::Semi) && self.peek().kind != TokenKind::Eof {
            let before = self.pos;
            self.skip_balanced_until(&[Punct::RBrace]);
            if self.pos == before {
                break;
            }
        }
    }

    /// What follows a designator: more of it, or `=` and the value.
    fn designated_element(&mut self, ty: QualType, slot: &mut Node) {
        if self.at_designator() && matches!(self.types.get(ty.ty), Type::Array(..) | Type::Record(_)) {
            self.fill(ty, slot, Style::Elided, None);
            return;
        }
        let before = self.pos.checked_sub(1).and_then(|i| self.tokens.get(i)).map(|t| t.kind);
        match before {
            // GNU C's `member: value`, reported where it was read.
            Some(TokenKind::Punct(Punct::Colon)) => {}
            Some(TokenKind::Punct(Punct::RBracket)) if !self.at(Punct::Eq) => {
                let span = self.previous_span();
                self.warning(
                    "gnu-designator",
                    span,
                    "'[index] value' is GNU C's old form of '[index] = value'",
                );
            }
            _ => {
                self.expect(Punct::Eq, "designator");
            }
        }
        self.element(ty, slot);
    }

    /// What would initialise the array without a size at the end of a structure.
    fn refuse_flexible_initializer(&mut self) {
        let span = self.peek().span;
        self.pass_initializer();
        self.error("flexible-array", span, "a flexible array member cannot be initialised");
    }

    /// One part of a list at the cursor.
    fn element(&mut self, ty: QualType, slot: &mut Node) {
        match *self.types.get(ty.ty) {
            Type::Array(_, None) => self.refuse_flexible_initializer(),
            Type::Array(element, len) if self.string_ahead(element.ty) => {
                self.string_node(len, slot);
            }
            Type::Array(..) | Type::Record(_) if self.at(Punct::LBrace) => {
                *slot = Node::Empty;
                self.braced(ty, slot);
            }
            _ if self.at(Punct::LBrace) => {
                let e = self.deeper(|p| p.braced_scalar(ty));
                *slot = self.leaf(e.unwrap_or_else(|| error_expr(Span::default())));
            }
            _ => {
                let e = self.parse_assignment_expression();
                self.element_with(ty, slot, e);
            }
        }
    }

    /// One part of a list whose expression was read: for the whole part, or, braces being left out, for the
    /// first thing in it.
    fn element_with(&mut self, ty: QualType, slot: &mut Node, e: Expr) {
        let aggregate = match self.types.get(ty.ty) {
            Type::Array(..) => true,
            Type::Record(_) => e.ty.ty != ty.ty,
            _ => false,
        };
        if aggregate && !is_error(&e) {
            if matches!(self.types.get(ty.ty), Type::Array(_, Some(0))) {
                self.error(
                    "array-initializer",
                    e.span,
                    "an array without elements is initialised by '{}' alone",
                );
                return;
            }
            if matches!(self.types.get(ty.ty), Type::Array(_, None)) {
                self.error("flexible-array", e.span, "a flexible array member cannot be initialised");
                return;
            }
            self.fill(ty, slot, Style::Elided, Some(e));
            return;
        }
        let e = self.convert_for_assignment(e, ty, AssignContext::Initialize);
        *slot = self.leaf(e);
    }

    fn leaf(&mut self, e: Expr) -> Node {
        match e.kind {
            ExprKind::Constant(c) => Node::Constant(c),
            _ if is_error(&e) => Node::Expr(Box::new(e)),
            _ => match self.const_eval(&e, e.ty.ty) {
                Some(c) => Node::Constant(c),
                None => Node::Expr(Box::new(e)),
            },
        }
    }
}

/// The node of an array's element, made if need be.
fn array_slot(node: &mut Node, index: u64) -> &mut Node {
    if let Node::Constant(Constant::Array(parts)) = node {
        *node = Node::Array(std::mem::take(parts).into_iter().map(Node::Constant).collect());
    }
    if !matches!(node, Node::Array(_)) {
        *node = Node::Array(Vec::new());
    }
    slot_of(node, index as usize)
}

fn record_slot(node: &mut Node, is_union: bool, index: usize) -> &mut Node {
    if is_union {
        if !matches!(node, Node::Union(field, _) if *field as usize == index) {
            *node = Node::Union(index as u32, Box::default());
        }
    } else {
        if let Node::Constant(Constant::Struct(parts)) = node {
            *node = Node::Struct(std::mem::take(parts).into_iter().map(Node::Constant).collect());
        }
        if !matches!(node, Node::Struct(_)) {
            *node = Node::Struct(Vec::new());
        }
    }
    slot_of(node, index)
}

fn slot_of(node: &mut Node, index: usize) -> &mut Node {
    match node {
        Node::Array(parts) | Node::Struct(parts) => {
            if parts.len() <= index {
                parts.resize_with(index + 1, Node::default);
            }
            &mut parts[index]
        }
        Node::Union(_, value) => value,
        other => other,
    }
}

fn flatten(node: Node, path: &mut Vec<u64>, out: &mut Vec<(Vec<u64>, Expr)>) {
    match node {
        Node::Empty => {}
        Node::Constant(c) => {
            let ty = QualType::new(Types::VOID);
            out.push((path.clone(), Expr { kind: ExprKind::Constant(c), ty, span: Span::default() }));
        }
        Node::Expr(e) => out.push((path.clone(), *e)),
        Node::Array(parts) | Node::Struct(parts) => {
            for (i, part) in parts.into_iter().enumerate() {
                path.push(i as u64);
                flatten(part, path, out);
                path.pop();
            }
        }
        Node::Union(field, value) => {
            path.push(field.into());
            flatten(*value, path, out);
            path.pop();
        }
    }
}

//! Initialisers (C99 §6.7.8): expressions, brace lists with elision and designators, strings; vectors by
//! list. The items of a list are typed by the parts of the object that they are for, and give a tree of [`Part`]s. When all
//! of it is constant it becomes one [`Constant`] (a table of 64 KiB makes 64 Ki small parts, no expressions), else the
//! leaves with their paths.

use super::context::Sema;
use super::convert::{AssignContext, error_expr, is_error};
use super::expr::Typing;
use super::part::{Part, array_slot, flatten, record_slot};
use crate::hir::{Constant, Expr, ExprKind, Init};
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{
    Designator, ExprRange, InitId, InitKind, InitList, Initializer, Item, ItemSign, Kind, Node,
};
use crate::syntax::problem::{MAX_DEPTH, Problem};
use crate::token::Punct;
use crate::types::{AddressSpace, QualType, RecordId, Scalar, Type, TypeId, Types};

/// Arrays are not initialised beyond this index: the tree would not fit in memory.
const MAX_INDEX: u64 = 1 << 24;

/// How the parts of an aggregate are separated and where its list ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// In braces of its own.
    Braced,
    /// In the braces of an enclosing aggregate: it takes what it needs.
    Elided,
}

/// The place in a list: its current item, and the designator of it that is next.
#[derive(Debug, Clone, Copy)]
struct Items {
    next: u32,
    end: u32,
    designator: u32,
}

impl Items {
    /// Moves on to the next item, unless the list ends or, without braces of its own, the aggregate has no room or the
    /// item has a designator of the enclosing one.
    fn next_part(&mut self, typing: &Typing, style: Style, room: bool) -> bool {
        let after = Items { next: self.next + 1, designator: 0, ..*self };
        if after.next >= self.end || (style == Style::Elided && (!room || after.at_designator(typing))) {
            return false;
        }
        *self = after;
        true
    }

    fn at_designator(&self, typing: &Typing) -> bool {
        let Item { designators: (start, end), sign, .. } = typing.tree.items[self.next as usize];
        start + self.designator < end || sign == ItemSign::Broken
    }

    /// The next designator of the item; `None` where it is none.
    fn take_designator(&mut self, typing: &Typing) -> Option<Designator> {
        let Item { designators: (start, end), .. } = typing.tree.items[self.next as usize];
        let index = start + self.designator;
        if index >= end {
            self.give_up();
            return None;
        }
        self.designator += 1;
        Some(typing.tree.designators[index as usize])
    }

    /// The value of the item.
    fn value(&self, typing: &Typing) -> Initializer {
        typing.tree.initializer(typing.tree.items[self.next as usize].value)
    }

    /// Leaves out the rest of the list.
    fn give_up(&mut self) {
        self.next = self.end - 1;
    }
}

impl Sema<'_> {
    /// The initialiser of a variable of type `ty`; `value` is what it was typed as already. Gives the type too: an array
    /// without length gets its length from the initialiser.
    pub(super) fn variable_initializer(
        &mut self,
        typing: &mut Typing,
        init: InitId,
        ty: QualType,
        value: Option<Expr>,
    ) -> (Init, QualType) {
        match value {
            Some(e) => (Init::Whole(self.convert_for_assignment(e, ty, AssignContext::Initialize)), ty),
            None => self.initializer(typing, init, ty),
        }
    }

    /// Types an initialiser of an object of type `ty`.
    pub(super) fn initializer(
        &mut self,
        typing: &mut Typing,
        init: InitId,
        ty: QualType,
    ) -> (Init, QualType) {
        let init = typing.tree.initializer(init);
        let span = self.span_of(init.first);
        if ty.ty == Types::ERROR {
            self.pass_initializer(typing, init);
            return (Init::Whole(error_expr(span)), ty);
        }
        self.check_atomic_initializer(ty, span, init);
        match (self.types.get(ty.ty), init.kind) {
            (Type::Array(element, len), _) => {
                let (element, len) = (*element, *len);
                self.array_initializer(typing, init, ty, element, len)
            }
            (Type::Record(_), InitKind::List(list)) => {
                let mut part = Part::Empty;
                self.braced(typing, list, ty, &mut part);
                (self.finish(part, ty.ty), ty)
            }
            (_, InitKind::List(list)) => (Init::Whole(self.braced_scalar(typing, init, list, ty)), ty),
            (_, InitKind::Expr(range)) => {
                let e = self.type_range(typing, range);
                (Init::Whole(self.convert_for_assignment(e, ty, AssignContext::Initialize)), ty)
            }
        }
    }

    /// Only atomic objects in global memory have first values (§6.15.12.1): elsewhere an error for one by itself,
    /// a warning for those among others.
    fn check_atomic_initializer(&mut self, ty: QualType, span: Span, init: Initializer) {
        if ty.space == AddressSpace::Global || !self.has_atomic(ty.ty) {
            return;
        }
        let (space, text) = (ty.space.name(), self.type_id_text(ty.ty));
        let message =
            format!("atomic objects in {space} have no initialiser ('{text}'): only those in __global do");
        let diagnostic = match (self.types.get(ty.ty), init.kind) {
            (Type::Atomic(_), _) => self.error("atomic-initializer", span, message),
            (_, InitKind::Expr(_)) => return,
            (_, InitKind::List(_)) => self.warning("atomic-initializer", span, message),
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

    /// Types an expression that initialises nothing; a list for nothing is not looked at.
    fn pass_initializer(&mut self, typing: &mut Typing, init: Initializer) {
        if let InitKind::Expr(range) = init.kind {
            self.type_range(typing, range);
        }
    }

    fn array_initializer(
        &mut self,
        typing: &mut Typing,
        init: Initializer,
        ty: QualType,
        element: QualType,
        len: Option<u64>,
    ) -> (Init, QualType) {
        let span = self.span_of(init.first);
        let mut node = Part::Empty;
        let count = if let Some(string) = self.whole_string(typing, init, element.ty) {
            self.string_part(string, init, len, &mut node)
        } else if let InitKind::List(list) = init.kind {
            self.braced(typing, list, ty, &mut node)
        } else {
            let e = match init.kind {
                InitKind::Expr(range) => self.type_range(typing, range),
                InitKind::List(_) => error_expr(span),
            };
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
    fn finish(&mut self, node: Part, ty: TypeId) -> Init {
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
    fn braced_scalar(
        &mut self,
        typing: &mut Typing,
        init: Initializer,
        list: InitList,
        ty: QualType,
    ) -> Expr {
        let open = self.span_of(init.first);
        if list.start == list.end {
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
        for item in list.start..list.end {
            parts.push(self.listed_component(typing, typing.tree.items[item as usize], ty, open));
        }
        self.end_list(list, "initializer");
        let span = open.to(self.span_of(init.last));
        let scalar = |p: &Self, e: &Expr| matches!(p.types.scalar_and_lanes(e.ty.ty), Some((_, 1)));
        let in_braces = |p: &mut Self, e: &Expr| p.check_narrowing(e, ty.ty);
        parts.iter().for_each(|part| in_braces(self, part));
        if is_vector && (parts.len() > 1 || scalar(self, &parts[0])) {
            return self.build_vector_literal(ty.ty, parts, span);
        }
        if parts.len() > 1 {
            self.excess(parts[1].span);
        }
        let first = parts.swap_remove(0);
        self.convert_for_assignment(first, ty, AssignContext::Initialize)
    }

    /// One part of a list for a scalar or vector.
    fn listed_component(&mut self, typing: &mut Typing, item: Item, ty: QualType, open: Span) -> Expr {
        if item.sign == ItemSign::Broken {
            return error_expr(open);
        }
        if let Some(designator) = typing.tree.designators.get(item.designators.0 as usize)
            && item.designators.0 < item.designators.1
        {
            let (Designator::Index { first, .. } | Designator::Member { first, .. }) = *designator;
            let (span, found) = (self.span_of(first), self.token(first).text(self.symbols));
            self.error("expected-expression", span, format!("expected an expression, found {found}"));
            return error_expr(span);
        }
        let value = typing.tree.initializer(item.value);
        match value.kind {
            InitKind::Expr(range) => self.type_range(typing, range),
            InitKind::List(list) => {
                let element = match *self.types.get(ty.ty) {
                    Type::Vector(scalar, _) => QualType::new(Types::scalar(scalar)),
                    _ => ty,
                };
                self.braced_scalar(typing, value, list, element)
            }
        }
    }

    /// The end of a list, where its `}` is missing.
    fn end_list(&mut self, list: InitList, what: &str) {
        if !list.closed {
            self.report_missing(list.close, Punct::RBrace, what);
        }
    }

    /// A constraint of C99 (§6.7.8, 2) that compilers let pass with a warning: what is too much is dropped.
    fn excess(&mut self, span: Span) {
        self.warning("excess-initializers", span, "there are more initializers than the object has parts");
    }

    /// The string literal that is all of an initialiser of an array of `element`, in braces or not.
    fn whole_string(&self, typing: &Typing, init: Initializer, element: TypeId) -> Option<Node> {
        if !matches!(self.types.get(element), Type::Scalar(Scalar::Char | Scalar::UChar)) {
            return None;
        }
        let only = match init.kind {
            InitKind::Expr(_) => init,
            InitKind::List(InitList { start, end, .. }) if end == start + 1 => {
                let item = typing.tree.items[start as usize];
                (item.sign == ItemSign::None).then(|| typing.tree.initializer(item.value))?
            }
            InitKind::List(_) => return None,
        };
        let InitKind::Expr(ExprRange { start, end, root }) = only.kind else { return None };
        let node = typing.tree.node(root);
        (end == start + 1 && matches!(node.kind, Kind::String)).then_some(node)
    }

    /// A string as an array; gives the number of elements that it has with its null.
    fn string_part(&mut self, string: Node, init: Initializer, len: Option<u64>, node: &mut Part) -> u64 {
        let mut bytes = self.string_bytes(string);
        let span = self.node_span(string);
        if let InitKind::List(list) = init.kind {
            self.end_list(list, "initializer");
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
        *node = Part::Constant(Constant::Array(
            bytes.iter().map(|b| Constant::Int(i64::from(*b as i8))).collect(),
        ));
        count
    }

    /// A braced list for an array, struct or union; gives the number of elements named (for an array without length).
    fn braced(&mut self, typing: &mut Typing, list: InitList, ty: QualType, node: &mut Part) -> u64 {
        if list.start == list.end {
            return 0;
        }
        let mut items = Items { next: list.start, end: list.end, designator: 0 };
        let count = self.fill(typing, &mut items, ty, node, Style::Braced, None);
        self.end_list(list, "initializer list");
        count
    }

    /// Fills an aggregate from a list, from the current item on. `pending` is an expression typed already that belongs
    /// to its first part. Gives the number of elements.
    fn fill(
        &mut self,
        typing: &mut Typing,
        items: &mut Items,
        ty: QualType,
        node: &mut Part,
        style: Style,
        pending: Option<Expr>,
    ) -> u64 {
        if self.exprs.aggregates >= MAX_DEPTH {
            let value = items.value(typing);
            self.report(Problem::too_deep(self.span_of(value.first)));
            return 0;
        }
        self.exprs.aggregates += 1;
        let filled = match *self.types.get(ty.ty) {
            Type::Array(element, len) => {
                let element = self.element_type(ty, element);
                self.fill_array(typing, items, (element, len), node, style, pending)
            }
            Type::Record(record) => {
                self.fill_record(typing, items, record, node, style, pending);
                0
            }
            _ => 0,
        };
        self.exprs.aggregates -= 1;
        filled
    }

    fn fill_array(
        &mut self,
        typing: &mut Typing,
        items: &mut Items,
        (element, len): (QualType, Option<u64>),
        node: &mut Part,
        style: Style,
        mut pending: Option<Expr>,
    ) -> u64 {
        let (mut index, mut count, mut complained) = (0u64, 0u64, false);
        let mut first = true;
        loop {
            if !first && !items.next_part(typing, style, len.is_none_or(|l| index < l)) {
                break;
            }
            let designated =
                pending.is_none() && (first || style == Style::Braced) && items.at_designator(typing);
            let mut last = index;
            if designated {
                match self.array_designator(typing, items, len) {
                    Some(range) => (index, last) = range,
                    None => return count,
                }
            }
            first = false;
            if len.is_some_and(|l| index >= l) || index >= MAX_INDEX {
                if !complained {
                    complained = true;
                    let span = pending.as_ref().map_or_else(|| self.item_span(typing, *items), |e| e.span);
                    self.excess(span);
                }
                if pending.take().is_none() {
                    self.pass_initializer(typing, items.value(typing));
                }
                continue;
            }
            let slot = array_slot(node, index);
            match pending.take() {
                Some(e) => self.element_with(typing, items, element, slot, e),
                None if designated => self.designated_element(typing, items, element, slot),
                None => self.element(typing, items, element, slot),
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

    fn fill_record(
        &mut self,
        typing: &mut Typing,
        items: &mut Items,
        record: RecordId,
        node: &mut Part,
        style: Style,
        mut pending: Option<Expr>,
    ) {
        let Some(fields) = self.types.record(record).fields.clone() else { return };
        let is_union = self.types.record(record).is_union;
        let limit = if is_union { 1 } else { fields.len() };
        let (mut index, mut complained, mut first) = (0usize, false, true);
        // Members are counted for room: a union has room for one.
        let mut used = 0usize;
        loop {
            if !first && !items.next_part(typing, style, used < limit && index < fields.len()) {
                break;
            }
            let designated =
                pending.is_none() && (first || style == Style::Braced) && items.at_designator(typing);
            let mut path = Vec::new();
            if designated {
                match self.member_designator(typing, items, record) {
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
                    let span = pending.as_ref().map_or_else(|| self.item_span(typing, *items), |e| e.span);
                    self.excess(span);
                }
                if pending.take().is_none() {
                    self.pass_initializer(typing, items.value(typing));
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
                Some(e) => self.element_with(typing, items, ty, slot, e),
                None if designated => self.designated_element(typing, items, ty, slot),
                None => self.element(typing, items, ty, slot),
            }
            index += 1;
            used += 1;
        }
    }

    /// The place of an item that has no room.
    fn item_span(&self, typing: &Typing, items: Items) -> Span {
        self.span_of(items.value(typing).first)
    }

    /// `[constant]`, or GNU C's `[first ... last]`: the first and the last index.
    fn array_designator(
        &mut self,
        typing: &mut Typing,
        items: &mut Items,
        len: Option<u64>,
    ) -> Option<(u64, u64)> {
        match items.take_designator(typing)? {
            Designator::Member { first, .. } => {
                let span = self.span_of(first);
                self.error("invalid-designator", span, "a member designator in the initializer of an array");
            }
            Designator::Index { from, to, first, last } => {
                let start = self.designator_index(typing, from, len);
                let end = to.map_or(start, |to| self.designator_index(typing, to, len));
                match (start, end) {
                    (Some(start), Some(end)) if start <= end => return Some((start, end)),
                    (Some(_), Some(_)) => {
                        let span = self.span_of(first).to(self.span_of(last));
                        self.error("invalid-designator", span, "the range of a designator is empty");
                    }
                    _ => {}
                }
            }
        }
        items.give_up();
        None
    }

    fn designator_index(&mut self, typing: &mut Typing, index: ExprRange, len: Option<u64>) -> Option<u64> {
        let e = self.type_range(typing, index);
        let index = self.const_eval_int(&e).and_then(|i| u64::try_from(i).ok());
        let index = index.filter(|i| len.is_none_or(|l| *i < l) && *i < MAX_INDEX);
        if index.is_none() && !is_error(&e) {
            let message = "a designator must be a constant integer within the array";
            self.error("invalid-designator", e.span, message);
        }
        index
    }

    /// `.member` or GNU C's `member:`: its way through anonymous members.
    fn member_designator(
        &mut self,
        typing: &Typing,
        items: &mut Items,
        record: RecordId,
    ) -> Option<Vec<u32>> {
        let path = match items.take_designator(typing)? {
            Designator::Index { first, .. } => {
                let span = self.span_of(first);
                self.error("invalid-designator", span, "expected '.' and a member name");
                None
            }
            Designator::Member { name, first, at } => {
                let at_span = self.span_of(at);
                if first == at {
                    let message = "'member: value' is GNU C's old form of '.member = value'";
                    self.warning("gnu-designator", at_span, message);
                }
                let path = self.find_member(record, name);
                if path.is_none() {
                    self.no_member_to_initialize(record, name, at_span);
                }
                path
            }
        };
        if path.is_none() {
            items.give_up();
        }
        path
    }

    fn no_member_to_initialize(&mut self, record: RecordId, name: Symbol, at: Span) {
        let message = format!("no member named '{}' to initialize", self.symbols.text(name));
        let near = self.similar_member(record, &self.symbols.shared(name));
        let diagnostic = self.error("no-member", at, message);
        if let Some((near, declared)) = near {
            diagnostic.note(declared, format!("did you mean '{near}'?")).replace(at, near);
        }
    }

    /// The rest of a designator: more of it, or the value.
    fn designated_element(&mut self, typing: &mut Typing, items: &mut Items, ty: QualType, slot: &mut Part) {
        if items.at_designator(typing) {
            if matches!(self.types.get(ty.ty), Type::Array(..) | Type::Record(_)) {
                self.fill(typing, items, ty, slot, Style::Elided, None);
            } else if let Some(designator) = items.take_designator(typing) {
                let (Designator::Index { first, .. } | Designator::Member { first, .. }) = designator;
                self.report_missing(first, Punct::Eq, "designator");
                items.give_up();
            }
            return;
        }
        let item = typing.tree.items[items.next as usize];
        if item.sign == ItemSign::Bracket
            && let Some(Designator::Index { last, .. }) =
                typing.tree.designators.get(item.designators.1 as usize - 1)
        {
            let span = self.span_of(*last);
            self.warning("gnu-designator", span, "'[index] value' is GNU C's old form of '[index] = value'");
        }
        self.element(typing, items, ty, slot);
    }

    /// One part of a list: the current item.
    fn element(&mut self, typing: &mut Typing, items: &mut Items, ty: QualType, slot: &mut Part) {
        let value = items.value(typing);
        let string = match *self.types.get(ty.ty) {
            Type::Array(element, len @ Some(_)) => {
                self.whole_string(typing, value, element.ty).map(|string| (string, len))
            }
            _ => None,
        };
        if let Some((string, len)) = string {
            self.string_part(string, value, len, slot);
            return;
        }
        match (self.types.get(ty.ty), value.kind) {
            (Type::Array(_, None), _) => {
                // What would initialise the array without a size at the end of a structure.
                self.pass_initializer(typing, value);
                let span = self.span_of(value.first);
                self.error("flexible-array", span, "a flexible array member cannot be initialised");
            }
            (Type::Array(..) | Type::Record(_), InitKind::List(list)) => {
                *slot = Part::Empty;
                self.braced(typing, list, ty, slot);
            }
            (_, InitKind::List(list)) => {
                let e = self.braced_scalar(typing, value, list, ty);
                *slot = self.leaf(e);
            }
            (_, InitKind::Expr(range)) => {
                let e = self.type_range(typing, range);
                self.element_with(typing, items, ty, slot, e);
            }
        }
    }

    /// One part of a list whose expression was typed: for the whole part, or, braces being left out, for the
    /// first thing in it.
    fn element_with(
        &mut self,
        typing: &mut Typing,
        items: &mut Items,
        ty: QualType,
        slot: &mut Part,
        e: Expr,
    ) {
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
            self.fill(typing, items, ty, slot, Style::Elided, Some(e));
            return;
        }
        self.check_narrowing(&e, ty.ty);
        let e = self.convert_for_assignment(e, ty, AssignContext::Initialize);
        *slot = self.leaf(e);
    }

    fn leaf(&mut self, e: Expr) -> Part {
        match e.kind {
            ExprKind::Constant(c) => Part::Constant(c),
            _ if is_error(&e) => Part::Expr(Box::new(e)),
            _ => match self.const_eval(&e, e.ty.ty) {
                Some(c) => Part::Constant(c),
                None => Part::Expr(Box::new(e)),
            },
        }
    }
}

//! Blocks (§6.14): literals with what they capture, variables of block type, calls, and the functions that enqueue
//! them (§6.15.19).
//!
//! A block is a function of its own ([`crate::hir::Function::captures`]). What its body uses of the function around
//! becomes a member of a structure that is filled where the literal is evaluated, and to which the function's first
//! parameter points. Which block a name means is always known (§6.14.5): no block is ever called by a pointer.

use super::context::{BlockContext, FunctionContext, FunctionInfo, Inferred, Name, Scope, Sema};
use super::convert::{AssignContext, error_expr, is_error, rvalue};
use super::decl::Declared;
use super::declarator::Chunk;
use super::declspec::Storage;
use super::expr::Typing;
use super::parameter::Parameter;
use super::refused::Refused;
use super::state::Shown;
use crate::builtins::enqueue::{BlockFunction, event_pointer};
use crate::builtins::{Builtin, BuiltinOp};
use crate::hir::{
    BlockTarget, CastKind, Constant, Expr, ExprKind, Function, FunctionId, Init, InlineHint, Linkage, Local,
    LocalId, Stmt, StmtKind,
};
use crate::options::Features;
use crate::source::Span;
use crate::symbol::Symbol;
use crate::syntax::ast::{InitKind, Node};
use crate::syntax::declaration::SpecContext;
use crate::syntax::statement::{BlockLiteral, Body, InitPart};
use crate::types::{
    AddressSpace, Field, FunctionType, Opaque, QualType, Record, RecordId, Type, TypeId, Types,
};

/// What stands between the `^` of a literal and its body.
struct Header {
    /// The result, where it is written.
    ret: Option<TypeId>,
    params: Vec<Parameter>,
}

impl Sema<'_> {
    /// A block literal.
    pub(super) fn block_literal(&mut self, typing: &mut Typing, literal: u32, node: Node) -> Expr {
        let tree = typing.tree.statements.blocks[literal as usize];
        let start = self.span_of(node.first);
        if !self.has_device_enqueue() {
            self.refuse("a block", Refused::DeviceEnqueue, start);
            self.skip_problems(typing, tree.problems_end);
            return error_expr(self.node_span(node));
        }
        self.scopes.push(Scope::default());
        let literal = match (self.block_header(typing, tree, start), tree.body) {
            (Some(header), Some(body)) => self.block_body(typing, header, body, node),
            (Some(_), None) => error_expr(start),
            (None, _) => {
                self.skip_problems(typing, tree.problems_end);
                error_expr(self.node_span(node))
            }
        };
        self.scopes.pop();
        literal
    }

    /// What a literal says before its body; `None` after an error.
    fn block_header(&mut self, typing: &mut Typing, tree: BlockLiteral, start: Span) -> Option<Header> {
        let Some(declarator) = tree.declarator else {
            if tree.body.is_none() {
                self.report_before(typing, tree.problems_end);
            }
            return tree.body.map(|_| Header { ret: None, params: Vec::new() });
        };
        let written = tree.specs.is_some();
        let base = match tree.specs {
            Some(specs) => self.decl_specs(typing, specs, SpecContext::TypeName).ty,
            None => super::declspec::PartialType { ty: Types::VOID, ..super::declarator::error_type() },
        };
        let mut declarator = self.declarator(typing, declarator);
        let span = start.to(self.span_of(tree.header_last));
        let mut params = Vec::new();
        if let Some(Chunk::Function { params: listed, .. }) = declarator.chunks.first_mut() {
            params = std::mem::take(listed);
            declarator.chunks.remove(0);
        }
        let ret = self.apply_declarator(base, &declarator.chunks, span).ty;
        // §6.14.5: a block cannot be a return value, nor the parameter of a block.
        let is_block = |p: &Self, ty: TypeId| matches!(p.types.get(ty), Type::Block(_));
        if let Some(param) = params.iter().find(|p| is_block(self, p.ty.ty)) {
            let at = param.span;
            self.error("invalid-block-type", at, "a block cannot be the parameter of a block");
            return None;
        }
        if matches!(self.types.get(ret), Type::Block(_) | Type::Array(..) | Type::Function(_)) {
            let message = format!("a block cannot return '{}'", self.type_id_text(ret));
            self.error("invalid-return-type", span, message);
            return None;
        }
        Some(Header { ret: written.then_some(ret), params })
    }

    /// The function behind a block literal, its body still to come.
    fn add_block_function(&mut self, header: &Header, span: Span) -> FunctionId {
        let around = self.function.as_ref().map_or("", |f| self.symbols.text(f.name));
        let around = around.strip_prefix("__").unwrap_or(around);
        let text = format!("__{around}_block_invoke_{}", self.functions.len());
        let name = self.symbols.intern(&text);
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(Function {
            name,
            ret: header.ret.unwrap_or(Types::VOID),
            param_count: header.params.len() + 1,
            locals: Vec::new(),
            kernel: None,
            body: None,
            labels: Vec::new(),
            linkage: Linkage::Internal,
            inline_hint: InlineHint::None,
            fp_contract: self.fp_contract,
            captures: None,
            span,
        });
        self.function_infos.push(FunctionInfo {
            ty: Types::ERROR,
            overloadable: false,
            internal: true,
            defined: Some(span),
            warp: None,
            called: None,
            calls: Vec::new(),
            called_params: Vec::new(),
            passed_blocks: Vec::new(),
        });
        id
    }

    /// The structure of what a block captures, still empty.
    fn new_captures(&mut self, span: Span) -> RecordId {
        let record = RecordId(self.types.records.len() as u32);
        self.types.records.push(Record {
            tag: None,
            is_union: false,
            fields: Some(Vec::new()),
            packed: false,
            pack: None,
            aligned: None,
            span,
            layout: None,
        });
        record
    }

    /// A pointer to what a block captured, as its function takes it.
    fn captures_pointer(&mut self) -> TypeId {
        self.types.pointer(QualType::in_space(Types::VOID, AddressSpace::Generic))
    }

    /// The body of a block, and the literal that it ends.
    fn block_body(&mut self, typing: &mut Typing, header: Header, tree: Body, node: Node) -> Expr {
        let (start, span) = (self.span_of(node.first), self.node_span(node));
        let id = self.add_block_function(&header, start);
        let record = self.new_captures(start);
        let pointer = self.captures_pointer();
        let name = self.functions.last().map_or(Symbol(0), |f| f.name);
        let param_types: Vec<TypeId> = header.params.iter().map(|p| p.ty.ty).collect();
        let written = header.ret;
        // The parameters are in the scope of the literal.
        let base = self.scopes.len().saturating_sub(1);
        let mut context = FunctionContext::new(id, name, written.unwrap_or(Types::ERROR), false, base);
        let inferred = if written.is_some() { Inferred::No } else { Inferred::Pending };
        context.block = Some(BlockContext { record, captures: Vec::new(), inferred });
        let ty = QualType::new(pointer);
        context.locals.push(Local { name: None, ty, written_type: None, aligned: None, span: start });
        let contract = self.fp_contract;
        if let Some(outer) = self.function.replace(context) {
            self.enclosing.push(outer);
        }
        let nested = self.enclosing.len();
        self.declare_parameters(header.params);
        let errors = self.diags.error_count();
        let body = self.block_items(typing, tree.items);
        self.report_before(typing, tree.problems_end);
        self.check_labels();
        self.fp_contract = contract;
        let context = self.function.take();
        debug_assert_eq!(nested, self.enclosing.len());
        self.function = self.enclosing.pop();
        let Some(mut context) = context else { return error_expr(start) };
        let block = context.block.take();
        let captures = block.map_or(Vec::new(), |b| b.captures);
        let ret = match written {
            Some(ret) => ret,
            // No `return`: nothing is returned.
            None if context.ret == Types::ERROR && !context.returns_value => Types::VOID,
            None => context.ret,
        };
        if !context.returns_value
            && ret != Types::VOID
            && ret != Types::ERROR
            && errors == self.diags.error_count()
        {
            self.warning("missing-return", start, "the block returns no value on any path");
        }
        self.finish_function(id, context, body);
        self.types.freeze_layout(record);
        let captured = (!captures.is_empty()).then(|| self.types.intern(Type::Record(record)));
        if let Some(function) = self.functions.get_mut(id.0 as usize) {
            function.ret = ret;
            function.captures = captured;
        }
        if ret == Types::ERROR {
            return error_expr(span);
        }
        let plain = FunctionType { ret, params: param_types, variadic: false, no_prototype: false };
        let mut hidden = plain.clone();
        hidden.params.insert(0, pointer);
        let (plain, hidden) =
            (self.types.intern(Type::Function(plain)), self.types.intern(Type::Function(hidden)));
        if let Some(info) = self.function_infos.get_mut(id.0 as usize) {
            info.ty = hidden;
        }
        let ty = self.types.intern(Type::Block(plain));
        let captures = match captured {
            Some(record) => self.captures_object(record, captures, span),
            None => rvalue(ExprKind::Constant(Constant::Zero), pointer, span),
        };
        if is_error(&captures) {
            return error_expr(span);
        }
        block_value(BlockTarget::Function(id), captures, ty, span)
    }

    /// Returns what a block captures, as an object of the function around: the values that the variables have now.
    fn captures_object(&mut self, record: TypeId, captures: Vec<(usize, LocalId, Expr)>, span: Span) -> Expr {
        let mut leaves = Vec::with_capacity(captures.len());
        for (index, (_, _, object)) in captures.into_iter().enumerate() {
            let value = self.to_rvalue(object);
            if is_error(&value) {
                return error_expr(span);
            }
            leaves.push((vec![index as u64], value));
        }
        let ty = QualType::new(record);
        let local = self.new_local(None, ty, span);
        let init = Box::new(Init::List { leaves, zero_fill: true });
        let object = Expr { kind: ExprKind::CompoundLiteral { local, init }, ty, span };
        let to_record = self.types.pointer(ty);
        let address = rvalue(ExprKind::AddressOf(Box::new(object)), to_record, span);
        let pointer = self.captures_pointer();
        self.cast(CastKind::PointerSpace, address, pointer)
    }

    /// A local by its name: one of the current function, or one that a block captures.
    pub(super) fn local_or_captured(&mut self, name: Symbol, id: LocalId, span: Span) -> Expr {
        let own = |p: &Self| Expr { kind: ExprKind::Local(id), ty: p.local_type(id), span };
        if self.enclosing.is_empty() {
            return own(self);
        }
        let Some(scope) = self.scopes.iter().rposition(|s| s.names.contains_key(&name)) else {
            return own(self);
        };
        if self.function.as_ref().is_some_and(|f| f.scope_base <= scope) {
            return own(self);
        }
        let Some(owner) = self.enclosing.iter().rposition(|f| f.scope_base <= scope) else {
            return own(self);
        };
        let Some(local) = self.enclosing.get(owner).and_then(|f| f.locals.get(id.0 as usize)) else {
            return error_expr(span);
        };
        let (ty, declared) = (local.ty, local.span);
        if ty.ty == Types::ERROR {
            return error_expr(span);
        }
        // §6.14.5: a block cannot capture another block variable of the scope around (Example 4).
        if matches!(self.types.get(ty.ty), Type::Block(_)) {
            let message = format!("a block cannot capture the block variable '{}'", self.symbols.text(name));
            self.error("captured-block", span, message).note(declared, "it is declared here");
            return error_expr(span);
        }
        let mut object = Expr { kind: ExprKind::Local(id), ty, span };
        // What a nested block captures, the blocks around it capture too (§6.14.3).
        for level in owner + 1..=self.enclosing.len() {
            object = self.capture(level, (owner, id), name, object);
        }
        object
    }

    /// The member that holds a captured object in the function at `level`; `object` is it in the function around.
    fn capture(&mut self, level: usize, key: (usize, LocalId), name: Symbol, object: Expr) -> Expr {
        let span = object.span;
        // Arrays are captured as pointers to their first element, as arguments are passed (§6.14.5).
        let ty = match *self.types.get(object.ty.ty) {
            Type::Array(element, _) => {
                let element = self.element_type(object.ty, element);
                self.types.pointer(element)
            }
            _ => object.ty.ty,
        };
        let context = match level == self.enclosing.len() {
            true => self.function.as_mut(),
            false => self.enclosing.get_mut(level),
        };
        let Some(block) = context.and_then(|c| c.block.as_mut()) else { return error_expr(span) };
        let record = block.record;
        let found = block.captures.iter().position(|(owner, id, _)| (*owner, *id) == key);
        let field = match found {
            Some(field) => field,
            None => {
                block.captures.push((key.0, key.1, object));
                let fields = self.types.records.get_mut(record.0 as usize).and_then(|r| r.fields.as_mut());
                let Some(fields) = fields else { return error_expr(span) };
                let ty = QualType::new(ty);
                fields.push(Field { name: Some(name), ty, aligned: None, packed: false, span });
                fields.len() - 1
            }
        };
        self.captured_member(record, field as u32, ty, span)
    }

    /// A member of what the block around captured: "const copies" (§6.14.3).
    fn captured_member(&mut self, record: RecordId, field: u32, ty: TypeId, span: Span) -> Expr {
        let pointer = self.captures_pointer();
        let record = self.types.intern(Type::Record(record));
        let object = QualType { is_const: true, ..QualType::in_space(record, AddressSpace::Generic) };
        let to_object = self.types.pointer(object);
        let param = Expr { kind: ExprKind::Local(LocalId(0)), ty: QualType::new(pointer), span };
        let param = rvalue(ExprKind::Load(Box::new(param)), pointer, span);
        let param = rvalue(
            ExprKind::Cast { kind: CastKind::PointerBitcast, operand: Box::new(param) },
            to_object,
            span,
        );
        let base = Box::new(Expr { kind: ExprKind::Deref(Box::new(param)), ty: object, span });
        Expr { kind: ExprKind::Member { base, field }, ty: QualType { ty, ..object }, span }
    }

    /// The value of a variable or parameter of block type.
    pub(super) fn block_variable_value(&mut self, e: Expr) -> Expr {
        let (ty, span) = (e.ty.ty, e.span);
        let target = match (&e.kind, &self.function) {
            (ExprKind::Local(id), Some(function)) => function.block_locals.get(id).copied(),
            _ => None,
        };
        match target {
            Some(target) => block_value(target, rvalue(ExprKind::Load(Box::new(e)), ty, span), ty, span),
            None => {
                self.error("unknown-block", span, "which block this is is not known here");
                error_expr(span)
            }
        }
    }

    /// A block of program scope, or a static one.
    pub(super) fn static_block(&mut self, id: FunctionId, ty: TypeId, span: Span) -> Expr {
        let pointer = self.captures_pointer();
        let none = rvalue(ExprKind::Constant(Constant::Zero), pointer, span);
        block_value(BlockTarget::Function(id), none, ty, span)
    }

    /// A variable of block type, with the restrictions of §6.14.5.
    pub(super) fn declare_block_reference(&mut self, typing: &mut Typing, d: Declared, into: &mut Vec<Stmt>) {
        let name = self.symbols.shared(d.name);
        let storage = d.specs.storage;
        // "The extern storage-class specifier cannot be used with program scope block variables."
        if let Some((Storage::Extern, span)) = storage {
            self.error("invalid-variable", span, format!("the block variable '{name}' cannot be 'extern'"));
            self.forget_block(&d);
            return;
        }
        if let Some(space) = d.ty.space.filter(|s| matches!(s, AddressSpace::Local | AddressSpace::Generic)) {
            let message =
                format!("the block variable '{name}' cannot be in the {} address space", space.name());
            self.error("invalid-variable", d.specs.space_span.unwrap_or(d.span), message);
        }
        // "All block variables must be initialized at declaration time and may not be reassigned."
        let Some(init) = d.init else {
            let message = format!("the block variable '{name}' must be initialised where it is declared");
            self.error("uninitialized-block", d.span, message)
                .remark("it is const: there is no later assignment");
            self.forget_block(&d);
            return;
        };
        // The name is known from here on, but not yet which block it is.
        let is_static = self.at_file_scope()
            || matches!(storage, Some((Storage::Static, _)))
            || matches!(d.ty.space, Some(AddressSpace::Constant | AddressSpace::Global));
        let local = (!is_static).then(|| {
            let local = self.new_local(Some(d.name), QualType::new(d.ty.ty), d.span);
            self.declare_name(d.name, Name::Local(local), d.span);
            local
        });
        let target = Some(Shown::variable(d.name, QualType::new(d.ty.ty), d.span));
        let value = match d.value.clone() {
            Some(value) => value,
            None => self.block_initializer(typing, init, d.span),
        };
        let value = self.with_target(target, |p| {
            p.convert_for_assignment(value, QualType::new(d.ty.ty), AssignContext::Initialize)
        });
        let known = self.known_block(&value);
        match (local, known, value.kind) {
            (Some(local), Some(known), kind @ ExprKind::Block { .. }) => {
                if let Some(function) = &mut self.function {
                    function.block_locals.insert(local, known);
                }
                let value = Expr { kind, ty: value.ty, span: value.span };
                into.push(Stmt { kind: StmtKind::Declare(local, Some(Init::Whole(value))), span: d.span });
            }
            (None, Some(BlockTarget::Function(id)), ExprKind::Block { captures, .. }) => {
                let captures_nothing = matches!(captures.kind, ExprKind::Constant(_));
                if !captures_nothing {
                    let message = format!("the static block '{name}' cannot capture anything");
                    self.error("captured-by-static", value.span, message);
                }
                self.declare_name(d.name, Name::Block(id, d.ty.ty), d.span);
            }
            (None, ..) => self.forget_block(&d),
            (Some(local), ..) => {
                if let Some(local) = self.function.as_mut().and_then(|f| f.locals.get_mut(local.0 as usize)) {
                    local.ty.ty = Types::ERROR;
                }
            }
        }
    }

    /// The initialiser of a block variable.
    fn block_initializer(&mut self, typing: &mut Typing, init: InitPart, span: Span) -> Expr {
        let Some(value) = init.value else { return error_expr(span) };
        let tree = typing.tree.initializer(value);
        match tree.kind {
            InitKind::Expr(range) => self.type_range(typing, range),
            InitKind::List(_) => {
                let span = self.span_of(tree.first);
                self.error("expected-expression", span, "expected an expression, found '{'");
                error_expr(span)
            }
        }
    }

    /// Enters the name of a block variable in error: its uses are not reported again.
    fn forget_block(&mut self, d: &Declared) {
        self.declare_name(d.name, Name::Block(FunctionId(0), Types::ERROR), d.span);
    }

    /// Returns which block a value is; reports what cannot be told (§6.14.5: "statically determinable").
    fn known_block(&mut self, e: &Expr) -> Option<BlockTarget> {
        match e.kind {
            ExprKind::Block { target, .. } => Some(target),
            _ if is_error(e) => None,
            _ => {
                let message = "which block this is cannot be told when the program is built";
                self.error("unknown-block", e.span, message)
                    .remark("write the literal, or a variable that was initialised with it");
                None
            }
        }
    }

    /// `block(arguments)`
    pub(super) fn build_block_call(&mut self, block: Expr, args: Vec<Expr>, span: Span) -> Expr {
        let at = block.span;
        let block = self.to_rvalue(block);
        let Type::Block(function) = *self.types.get(block.ty.ty) else { return error_expr(span) };
        let Type::Function(ty) = self.types.get(function).clone() else { return error_expr(span) };
        if args.len() != ty.params.len() {
            let what = if args.len() < ty.params.len() { "too few" } else { "too many" };
            let message = format!("{what} arguments: {} given, {} expected", args.len(), ty.params.len());
            self.error("argument-count", at, message);
            return error_expr(span);
        }
        let args: Vec<Expr> = args
            .into_iter()
            .zip(&ty.params)
            .map(|(arg, param)| {
                let arg = self.to_rvalue(arg);
                self.convert_for_assignment(arg, QualType::new(*param), AssignContext::Argument)
            })
            .collect();
        let Some(target) = self.known_block(&block) else { return error_expr(span) };
        if args.iter().any(is_error) || is_error(&block) {
            return error_expr(span);
        }
        match target {
            BlockTarget::Function(id) => self.note_call(id, at),
            BlockTarget::Parameter(local) => {
                if let Some(info) = self.current_info() {
                    info.called_params.push(local);
                }
            }
        }
        rvalue(ExprKind::CallBlock { block: Box::new(block), args }, ty.ret, span)
    }

    fn current_info(&mut self) -> Option<&mut FunctionInfo> {
        let id = self.function.as_ref()?.id;
        self.function_infos.get_mut(id.0 as usize)
    }

    /// The blocks among the arguments of a call: it must be known which they are. `false` after a diagnostic.
    pub(super) fn note_block_arguments(&mut self, function: FunctionId, args: &[Expr], at: Span) -> bool {
        let mut known = true;
        for (index, arg) in args.iter().enumerate() {
            if !matches!(self.types.get(arg.ty.ty), Type::Block(_)) {
                continue;
            }
            let Some(target) = self.known_block(arg) else {
                known = false;
                continue;
            };
            if let Some(info) = self.current_info() {
                info.passed_blocks.push((function, LocalId(index as u32), target, at));
            }
        }
        known
    }

    /// Enters into the graph of calls what functions call of the blocks that are passed to them: a call of the block
    /// by the function that passes it.
    pub(super) fn note_calls_of_blocks(&mut self) {
        // Which parameters are called, also through the functions that they are passed on to.
        loop {
            let mut more: Vec<(usize, LocalId)> = Vec::new();
            for (index, info) in self.function_infos.iter().enumerate() {
                for (callee, param, target, _) in &info.passed_blocks {
                    let called = self.function_infos.get(callee.0 as usize);
                    let called = called.is_some_and(|f| f.called_params.contains(param));
                    if let (true, BlockTarget::Parameter(own)) = (called, target)
                        && !info.called_params.contains(own)
                    {
                        more.push((index, *own));
                    }
                }
            }
            if more.is_empty() {
                break;
            }
            for (index, own) in more {
                if let Some(info) = self.function_infos.get_mut(index)
                    && !info.called_params.contains(&own)
                {
                    info.called_params.push(own);
                }
            }
        }
        for index in 0..self.function_infos.len() {
            let Some(info) = self.function_infos.get(index) else { continue };
            let mut calls: Vec<(FunctionId, Span)> = Vec::new();
            for (callee, param, target, span) in &info.passed_blocks {
                let called = self.function_infos.get(callee.0 as usize);
                if let (true, BlockTarget::Function(block)) =
                    (called.is_some_and(|f| f.called_params.contains(param)), target)
                {
                    calls.push((*block, *span));
                }
            }
            if let Some(info) = self.function_infos.get_mut(index) {
                info.calls.extend(calls);
            }
        }
    }

    /// The result of a block whose result is not written: that of its first `return` (§6.14.3). `ty` is void for a
    /// `return` without a value. Gives the result that the block has.
    pub(super) fn infer_result(&mut self, ty: TypeId, span: Span) -> TypeId {
        let Some(function) = &mut self.function else { return Types::ERROR };
        let Some(block) = &mut function.block else { return function.ret };
        match block.inferred {
            Inferred::No => function.ret,
            Inferred::Pending if matches!(self.types.get(ty), Type::Block(_)) => {
                // §6.14.5
                self.error("invalid-return-type", span, "a block cannot be a return value");
                Types::ERROR
            }
            Inferred::Pending => {
                block.inferred = Inferred::Known;
                function.ret = ty;
                ty
            }
            Inferred::Known if function.ret == ty || ty == Types::ERROR => function.ret,
            Inferred::Known => {
                // "If the return statements return a value, they all must return a value of the same type."
                let before = function.ret;
                let message = format!(
                    "the block returns '{}' here and '{}' before: all must be of one type",
                    self.type_id_text(ty),
                    self.type_id_text(before)
                );
                self.error("block-return-type", span, message);
                Types::ERROR
            }
        }
    }

    // ---- §6.15.19: functions that take a block ----

    /// A call of `enqueue_kernel` or of a query of a block.
    pub(super) fn call_block_function(
        &mut self,
        function: BlockFunction,
        text: &str,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        if function.needs_sub_groups() && !self.options.has(Features::SUBGROUPS) {
            let message = format!("'{text}' needs __opencl_c_subgroups, which is not available here");
            self.error("needs-feature", at, message);
            return error_expr(span);
        }
        let found = args.iter().position(|a| matches!(self.types.get(a.ty.ty), Type::Block(_)));
        let params = found.and_then(|index| self.block_function_parameters(function, &args, index));
        let (Some(index), Some(params)) = (found, params) else {
            let given: Vec<String> = args.iter().map(|a| self.type_id_text(a.ty.ty)).collect();
            let message = format!("no overload of '{text}' takes ({})", given.join(", "));
            let diagnostic = self.error("no-matching-builtin", at, message);
            for candidate in function.candidates() {
                diagnostic.remark(format!("candidate: {candidate}"));
            }
            return error_expr(span);
        };
        let Some(block) = args.get(index) else { return error_expr(span) };
        let block = block.clone();
        if self.known_block(&block).is_none()
            || !self.check_enqueued_block(&block, function, &args, index, at)
        {
            return error_expr(span);
        }
        let args: Vec<Expr> = args
            .into_iter()
            .zip(&params)
            .map(|(arg, param)| {
                self.convert_for_assignment(arg, QualType::new(*param), AssignContext::Argument)
            })
            .collect();
        if args.iter().any(is_error) {
            return error_expr(span);
        }
        let ret = if function.is_query() { Types::UINT } else { Types::INT };
        let builtin =
            Builtin { name: function.name(), op: BuiltinOp::OfBlock { op: function.op() }, params, ret };
        rvalue(ExprKind::Builtin { builtin: Box::new(builtin), args }, ret, span)
    }

    /// The parameter types of a call whose argument `index` is its block.
    fn block_function_parameters(
        &mut self,
        function: BlockFunction,
        args: &[Expr],
        index: usize,
    ) -> Option<Vec<TypeId>> {
        let queue = self.types.intern(Type::Opaque(Opaque::Queue));
        let range = self.types.intern(Type::Opaque(Opaque::NdRange));
        let types: Vec<TypeId> = args.iter().map(|a| a.ty.ty).collect();
        let (before, rest) = (types.get(..index)?, types.get(index..)?);
        let (block, sizes) = rest.split_first()?;
        let number = |p: &Self, ty: TypeId| {
            p.types.scalar_and_lanes(ty).is_some_and(|(s, lanes)| lanes == 1 && s.is_integer())
        };
        let mut params = match (function, before) {
            (BlockFunction::Enqueue, [q, flags, r, events @ ..]) => {
                let known = (*q == queue || number(self, *q)) && number(self, *flags) && *r == range;
                let mut params = vec![queue, Types::INT, range];
                match events {
                    [] => {}
                    [count, list, result] if number(self, *count) => {
                        let list = event_pointer(&mut self.types, *list, true)?;
                        let result = event_pointer(&mut self.types, *result, false)?;
                        params.extend([Types::UINT, list, result]);
                    }
                    _ => return None,
                }
                known.then_some(params)?
            }
            (BlockFunction::Query(_), []) => Vec::new(),
            (BlockFunction::RangeQuery(_), [r]) if *r == range => vec![range],
            _ => return None,
        };
        params.push(*block);
        // "each of type uint"
        let sized = matches!(function, BlockFunction::Enqueue) || sizes.is_empty();
        if !sized || !sizes.iter().all(|s| number(self, *s)) {
            return None;
        }
        params.extend(sizes.iter().map(|_| Types::UINT));
        Some(params)
    }

    /// Returns what the block of an enqueue or a query must be (§6.15.19.1 and .2): it returns nothing, and its parameters are
    /// `local void *`, each with a size.
    fn check_enqueued_block(
        &mut self,
        block: &Expr,
        function: BlockFunction,
        args: &[Expr],
        index: usize,
        at: Span,
    ) -> bool {
        let Type::Block(ty) = *self.types.get(block.ty.ty) else { return false };
        let Type::Function(ty) = self.types.get(ty).clone() else { return false };
        if ty.ret != Types::VOID {
            let message =
                format!("a block that is enqueued returns nothing, and not '{}'", self.type_id_text(ty.ret));
            self.error("enqueued-block", block.span, message);
            return false;
        }
        for param in &ty.params {
            let pointee = self.types.pointee(*param);
            let fits = pointee.is_some_and(|p| p.ty == Types::VOID && p.space == AddressSpace::Local);
            if !fits {
                let message = format!(
                    "a parameter of a block that is enqueued must be a '__local void *', and not a '{}'",
                    self.type_id_text(*param)
                );
                self.error("enqueued-block", block.span, message);
                return false;
            }
        }
        let sizes = args.len() - index - 1;
        if matches!(function, BlockFunction::Enqueue) && sizes != ty.params.len() {
            let message = format!(
                "the block has {} parameters in local memory, but {sizes} sizes are given",
                ty.params.len()
            );
            self.error("argument-count", at, message);
            return false;
        }
        self.warn_of_captured_memory(block);
        true
    }

    /// "Blocks passed to enqueue_kernel cannot use \[variables\] that are a pointer type in the local or private address
    /// space": undefined behaviour.
    fn warn_of_captured_memory(&mut self, block: &Expr) {
        let ExprKind::Block { target: BlockTarget::Function(id), .. } = block.kind else { return };
        let record = self.functions.get(id.0 as usize).and_then(|f| f.captures);
        let Some(Type::Record(record)) = record.map(|r| self.types.get(r)) else { return };
        let Some(fields) = self.types.record(*record).fields.clone() else { return };
        for field in fields {
            let Some(pointee) = self.types.pointee(field.ty.ty) else { continue };
            if !matches!(pointee.space, AddressSpace::Local | AddressSpace::Private) {
                continue;
            }
            let name = field.name.map_or_else(|| "".into(), |n| self.symbols.shared(n));
            let message = format!(
                "an enqueued block has no access to the {} memory that '{name}' points to",
                pointee.space.name()
            );
            self.warning("captured-memory", field.span, message);
        }
    }
}

/// A block as a value.
fn block_value(target: BlockTarget, captures: Expr, ty: TypeId, span: Span) -> Expr {
    rvalue(ExprKind::Block { target, captures: Box::new(captures) }, ty, span)
}

//! One function: its signature, its parameters, and the state while its body is emitted.

use super::analysis::FunctionFacts;
use super::body::Body;
use super::contraction::Product;
use super::debug::Line;
use super::debug_state::Scopes;
use super::error::Emit;
use super::kernel;
use super::module::{Instance, MAX_OPERANDS, Module};
use crate::hir::{Function, FunctionId, InlineHint, Linkage, LocalId};
use crate::source::Span;
use crate::types::{AddressSpace, QualType, Scalar, Type};
use spirv_io::spirv::{Decoration, FunctionControl, FunctionParameterAttribute, Op, StorageClass};
use spirv_io::{Id, Section};

/// Where a local is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    /// Not referred to yet.
    Unused,
    /// A parameter that is never stored to.
    Value(Id),
    /// Its OpVariable.
    Variable(Id),
}

/// Where break and continue go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Targets {
    pub break_to: Id,
    /// `None` in a switch: the enclosing loop's.
    pub continue_to: Option<Id>,
}

/// The state of a body.
pub(super) struct FunctionEmitter<'m, 'a> {
    pub m: &'m mut Module<'a>,
    pub id: FunctionId,
    pub f: &'a Function,
    pub facts: FunctionFacts,
    pub body: Body,
    /// The entry block's OpVariables.
    pub variables: Vec<u32>,
    pub slots: Vec<Slot>,
    pub targets: Vec<Targets>,
    /// The blocks of the `goto` labels.
    pub labels: Vec<Id>,
    /// For each open switch, the blocks of its case labels in their order, the next one last.
    pub cases: Vec<Vec<Id>>,
    /// The line and the block it was noted in.
    pub line: Option<(Id, Line)>,
    /// The scopes that are open, with `-g`.
    pub scopes: Scopes,
    /// How deep the expression nests.
    pub depth: u32,
    /// The float products that operators made, in the order of their ids.
    pub products: Vec<Product>,
    /// The function's id, and the blocks that its parameters are where it takes any.
    pub instance: Instance,
}

/// How a function's parameters are passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    /// As values, structs too.
    Direct,
    /// As a kernel's: structs behind `ByVal` pointers.
    Kernel,
}

/// Emits a function, with its entry point's wrapper when it is a kernel that others call (an entry
/// point cannot be called, SPIR-V §2.16.1).
pub(super) fn emit(m: &mut Module, id: FunctionId) -> Emit<()> {
    let program = m.program;
    let f = &program.functions[id.0 as usize];
    if m.takes_blocks(f) {
        // Emitted for the blocks that it is called with.
        return Ok(());
    }
    instance(m, id, Instance { id: m.functions[id.0 as usize], blocks: Vec::new() })
}

/// Emits one of the functions that a source function becomes.
pub(super) fn instance(m: &mut Module, id: FunctionId, instance: Instance) -> Emit<()> {
    let program = m.program;
    let f = &program.functions[id.0 as usize];
    m.at = f.span;
    m.uses[id.0 as usize].contraction_off = !f.fp_contract;
    if f.param_count > f.locals.len() || f.param_count > MAX_OPERANDS {
        return m.fail("too-many-parameters", "the function has too many parameters");
    }
    if m.symbols.text(f.name).len() > MAX_OPERANDS {
        return m.fail("name-too-long", "the function's name is too long");
    }
    if f.body.is_none() && !instance.blocks.is_empty() {
        return m
            .fail("undefined-function", "a function that takes a block must be defined in the same source");
    }
    if f.body.is_none() {
        return declaration(m, id, f);
    }
    let called = m.facts.called[id.0 as usize];
    let passing = if f.kernel.is_some() && !called { Passing::Kernel } else { Passing::Direct };
    let facts = match instance.blocks.is_empty() {
        true => std::mem::take(&mut m.facts.functions[id.0 as usize]),
        false => m.facts.functions[id.0 as usize].clone(),
    };
    let labels = f.labels.iter().map(|_| m.b.id()).collect();
    FunctionEmitter {
        id,
        f,
        facts,
        body: Body::default(),
        variables: Vec::new(),
        slots: vec![Slot::Unused; f.locals.len()],
        targets: Vec::new(),
        labels,
        cases: Vec::new(),
        line: None,
        scopes: Scopes::default(),
        depth: 0,
        products: Vec::new(),
        instance,
        m,
    }
    .run(passing)
}

fn declaration(m: &mut Module, id: FunctionId, f: &Function) -> Emit<()> {
    let name = m.symbols.text(f.name).to_owned();
    let result = m.value_type(f.ret)?;
    let (ty, params) = signature(m, f, Passing::Direct)?;
    let function = m.functions[id.0 as usize];
    let operands = [FunctionControl::NONE.bits(), ty.0];
    m.b.push_with_id(Section::Declarations, Op::Function, Some(result), function, &operands);
    for param in params {
        m.b.push_result(Section::Declarations, Op::FunctionParameter, Some(param), &[]);
    }
    m.b.push(Section::Declarations, Op::FunctionEnd, &[]);
    m.name(function, &name);
    m.linkage(function, &name, Linkage::Import);
    Ok(())
}

/// The OpTypeFunction and the types of its parameters.
pub(super) fn signature(m: &mut Module, f: &Function, passing: Passing) -> Emit<(Id, Vec<Id>)> {
    let result = m.value_type(f.ret)?;
    let mut params = Vec::with_capacity(f.param_count);
    for local in &f.locals[..f.param_count] {
        params.push(match m.program.types.get(local.ty.ty) {
            Type::Record(_) if passing == Passing::Kernel => {
                let memory = m.memory_type(local.ty.ty)?;
                m.pointer_to(AddressSpace::Private, memory)
            }
            _ => m.value_type(local.ty.ty)?,
        });
    }
    let operands: Vec<u32> = std::iter::once(result.0).chain(params.iter().map(|p| p.0)).collect();
    Ok((m.b.unique(Op::TypeFunction, None, &operands), params))
}

/// OpName and the parameter attributes of one parameter.
pub(super) fn decorate_parameter(
    m: &mut Module,
    f: &Function,
    index: usize,
    id: Id,
    passing: Passing,
) -> Emit<()> {
    let local = &f.locals[index];
    if let Some(name) = local.name {
        let name = m.symbols.text(name).to_owned();
        m.name(id, &name);
    }
    let attribute = |m: &mut Module, a: FunctionParameterAttribute| {
        m.b.decorate(id, Decoration::FuncParamAttr, &[a as u32]);
    };
    match *m.program.types.get(local.ty.ty) {
        Type::Pointer(pointee) => {
            if local.ty.is_restrict {
                attribute(m, FunctionParameterAttribute::NoAlias);
            }
            // Only where no pointer in the program loses its const is it a promise.
            if pointee.is_const && !m.facts.drops_const {
                attribute(m, FunctionParameterAttribute::NoWrite);
            }
            if pointee.is_volatile {
                m.b.decorate(id, Decoration::Volatile, &[]);
            }
            if f.kernel.is_some() && m.program.types.layout(pointee.ty).is_some() {
                let align = m.access_align(pointee)?;
                m.b.decorate(id, Decoration::Alignment, &[align]);
            }
        }
        Type::Record(_) if passing == Passing::Kernel => {
            attribute(m, FunctionParameterAttribute::ByVal);
            let align = m.align_of(local.ty.ty)?;
            m.b.decorate(id, Decoration::Alignment, &[align]);
        }
        Type::Scalar(Scalar::Char | Scalar::Short) => attribute(m, FunctionParameterAttribute::Sext),
        Type::Scalar(Scalar::Bool | Scalar::UChar | Scalar::UShort) => {
            attribute(m, FunctionParameterAttribute::Zext);
        }
        _ => {}
    }
    Ok(())
}

impl<'a> FunctionEmitter<'_, 'a> {
    fn run(mut self, passing: Passing) -> Emit<()> {
        let (ty, types) = signature(self.m, self.f, passing)?;
        let mut params = Vec::with_capacity(types.len());
        for (index, param_ty) in types.iter().enumerate() {
            let id = self.m.b.id();
            decorate_parameter(self.m, self.f, index, id, passing)?;
            params.push((*param_ty, id));
        }
        let entry = self.m.b.id();
        self.body.open(entry);
        self.debug_function(passing);
        self.parameters(&params, passing)?;
        if let Some(body) = &self.f.body {
            self.block(body)?;
        }
        self.fall_off_the_end()?;
        self.decorate_products();
        self.write(ty, &params, passing)?;
        if self.f.kernel.is_some() && passing == Passing::Direct {
            return kernel::wrapper(self.m, self.id);
        }
        Ok(())
    }

    /// Gives each parameter its slot; those that are stored to get a variable.
    fn parameters(&mut self, params: &[(Id, Id)], passing: Passing) -> Emit<()> {
        for (index, (_, id)) in params.iter().enumerate() {
            let local = LocalId(index as u32);
            let ty = self.f.locals[index].ty;
            let is_record = matches!(self.m.program.types.get(ty.ty), Type::Record(_));
            let behind_pointer = is_record && passing == Passing::Kernel;
            if !self.facts.stored[index] {
                self.slots[index] = if behind_pointer { Slot::Variable(*id) } else { Slot::Value(*id) };
                self.debug_local(local, *id, behind_pointer);
                continue;
            }
            let value = if behind_pointer {
                let from = self.private_place(*id, ty)?;
                self.load(&from)?
            } else {
                *id
            };
            let to = self.local_place(local)?;
            self.store(&to, value)?;
        }
        Ok(())
    }

    /// C lets control reach the end of a function that returns a value, so long as nobody uses it.
    pub fn fall_off_the_end(&mut self) -> Emit<()> {
        if self.body.current().is_none() {
            return Ok(());
        }
        if matches!(self.m.program.types.get(self.f.ret), Type::Void) {
            self.body.terminate(Op::Return, &[], &[]);
        } else {
            let ty = self.m.value_type(self.f.ret)?;
            let value = self.m.null(ty);
            self.body.terminate(Op::ReturnValue, &[value.0], &[]);
        }
        Ok(())
    }

    fn write(&mut self, ty: Id, params: &[(Id, Id)], passing: Passing) -> Emit<()> {
        let name = self.m.symbols.text(self.f.name).to_owned();
        let result = self.m.value_type(self.f.ret)?;
        let function = self.instance.id;
        let control = match self.f.inline_hint {
            InlineHint::None => FunctionControl::NONE,
            InlineHint::Inline => FunctionControl::INLINE,
            InlineHint::NoInline => FunctionControl::DONT_INLINE,
        };
        self.m.name(function, &name);
        // A kernel can be called by another module's functions, but an entry point has no linkage: its body's has.
        let linked = self.instance.blocks.is_empty();
        if linked
            && (self.f.kernel.is_none() || (passing == Passing::Direct && self.m.options.allow_undefined))
        {
            self.m.linkage(function, &name, self.f.linkage);
        }
        let operands = [control.bits(), ty.0];
        self.m.b.push_with_id(Section::Functions, Op::Function, Some(result), function, &operands);
        for (ty, id) in params {
            self.m.b.push_with_id(Section::Functions, Op::FunctionParameter, Some(*ty), *id, &[]);
        }
        let words = std::mem::take(&mut self.body).finish(&self.variables, self.facts.irregular);
        self.m.b.append(Section::Functions, &words);
        self.m.b.push(Section::Functions, Op::FunctionEnd, &[]);
        Ok(())
    }

    /// An OpVariable of private memory that holds a `ty`.
    pub fn variable(&mut self, ty: QualType, aligned: Option<u32>) -> Emit<Id> {
        let memory = self.m.memory_type(ty.ty)?;
        let pointer = self.m.pointer_to(AddressSpace::Private, memory);
        let id = self.m.b.id();
        self.variables.push(4 << 16 | Op::Variable as u32);
        self.variables.extend([pointer.0, id.0, StorageClass::Function as u32]);
        let align = self.m.align_of(ty.ty)?.max(aligned.unwrap_or(1));
        self.m.b.decorate(id, Decoration::Alignment, &[align]);
        Ok(id)
    }

    /// The OpVariable of a local, made at its first use.
    pub fn local_variable(&mut self, local: LocalId) -> Emit<Id> {
        let index = local.0 as usize;
        match self.slots.get(index) {
            Some(Slot::Variable(id)) => Ok(*id),
            Some(Slot::Unused) => {
                let declared = &self.f.locals[index];
                let outer = std::mem::replace(&mut self.m.at, declared.span);
                let id = self.variable(declared.ty, declared.aligned)?;
                self.m.at = outer;
                if let Some(name) = declared.name {
                    // The parameter itself has the plain name.
                    let suffix = if index < self.f.param_count { ".addr" } else { "" };
                    let name = format!("{}{suffix}", self.m.symbols.text(name));
                    self.m.name(id, &name);
                }
                self.slots[index] = Slot::Variable(id);
                self.debug_local(local, id, true);
                Ok(id)
            }
            Some(Slot::Value(_)) => self.m.bug("a parameter without storage is stored to"),
            None => self.m.bug("a local out of range"),
        }
    }

    /// Makes sure that a block is open: what follows a jump is unreachable, but must be valid.
    pub fn ensure_block(&mut self) {
        if self.body.current().is_none() {
            let label = self.m.b.id();
            self.body.open(label);
        }
    }

    /// An instruction with a result.
    pub fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        self.ensure_block();
        if op != Op::Phi {
            self.debug_block();
        }
        let id = self.m.b.id();
        if let [a, b] = *operands {
            self.body.push(op, &[ty.0, id.0, a, b]);
        } else {
            let mut words = Vec::with_capacity(operands.len() + 2);
            words.extend([ty.0, id.0]);
            words.extend_from_slice(operands);
            self.body.push(op, &words);
        }
        id
    }

    /// An instruction without a result.
    pub fn op_void(&mut self, op: Op, operands: &[u32]) {
        self.ensure_block();
        self.debug_block();
        self.body.push(op, operands);
    }

    /// An instruction of OpenCL.std.
    pub fn ext(&mut self, number: u32, ty: Id, operands: &[u32]) -> Id {
        let mut words = vec![self.m.ext.0, number];
        words.extend_from_slice(operands);
        self.op(Op::ExtInst, ty, &words)
    }

    /// Notes the place of the instructions that follow.
    pub fn line(&mut self, span: Span) {
        self.m.at = span;
        let Some(line) = self.m.line(span) else { return };
        self.ensure_block();
        let Some(block) = self.body.current() else { return };
        self.debug_scope(block);
        let same_line = |(in_block, (file, number, _)): (Id, Line)| {
            in_block == block && (file, number) == (line.0, line.1)
        };
        if !self.line.is_some_and(same_line) {
            self.line = Some((block, line));
            self.body.push(Op::Line, &[line.0.0, line.1, line.2]);
            self.debug_line(span);
            self.scopes.line = span;
        }
    }
}

//! What makes a function a kernel to the outside: entry points with their interfaces and execution
//! modes, and the strings that clGetKernelArgInfo is answered from, all as the Khronos translator
//! writes them.

use super::error::Emit;
use super::function::{Passing, decorate_parameter, signature};
use super::module::Module;
use crate::hir::{Function, FunctionId, Linkage};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId};
use crate::types_text::type_text;
use spirv_io::spirv::{Capability, ExecutionMode, ExecutionModel, FunctionControl, MemoryAccess, Op};
use spirv_io::{Id, Section, string_words};

/// Entry points of all kernels, after the functions: by then each one's uses are known.
pub(super) fn entry_points(m: &mut Module) -> Emit<()> {
    m.propagate_uses();
    let program = m.program;
    for (index, f) in program.functions.iter().enumerate() {
        if f.kernel.is_some() && f.body.is_some() {
            m.at = f.span;
            entry_point(m, FunctionId(index as u32), f)?;
        }
        // ContractionOff is for entry points: for those of other modules the linker reads this.
        if f.linkage == Linkage::Export && m.uses[index].contraction_off && m.options.allow_undefined {
            let text = format!("pumice.contraction_off.{}", m.symbols.text(f.name));
            m.string(&text);
        }
    }
    // SPIR-V §2.16.1: a module without entry points is for linking.
    if !program.functions.iter().any(|f| f.kernel.is_some() && f.body.is_some()) {
        m.b.capability(spirv_io::spirv::Capability::Linkage);
    }
    Ok(())
}

fn entry_point(m: &mut Module, id: FunctionId, f: &Function) -> Emit<()> {
    let name = m.symbols.text(f.name).to_owned();
    let function = m.wrappers.get(&id).copied().unwrap_or(m.functions[id.0 as usize]);
    let uses = m.uses[id.0 as usize].clone();
    let mut operands = vec![ExecutionModel::Kernel as u32, function.0];
    operands.extend(string_words(&name));
    if m.b.version() >= (1, 4) {
        // From 1.4 on the interface is of all storage classes, and may list more than is used.
        operands.extend(m.b.variables().iter().map(|id| id.0));
    } else {
        let used = |(i, _): &(usize, _)| uses.builtins >> i & 1 == 1;
        operands.extend(m.work_items.iter().enumerate().filter(used).map(|(_, (_, id))| id.0));
    }
    m.b.push(Section::EntryPoints, Op::EntryPoint, &operands);
    modes(m, function, f)?;
    if uses.contraction_off {
        mode(m, function, ExecutionMode::ContractionOff, &[]);
    }
    argument_strings(m, &name, f);
    Ok(())
}

fn mode(m: &mut Module, function: Id, mode: ExecutionMode, literals: &[u32]) {
    let mut operands = vec![function.0, mode as u32];
    operands.extend_from_slice(literals);
    m.b.push(Section::ExecutionModes, Op::ExecutionMode, &operands);
}

fn modes(m: &mut Module, function: Id, f: &Function) -> Emit<()> {
    let Some(attributes) = &f.kernel else { return Ok(()) };
    if let Some(size) = attributes.reqd_work_group_size {
        mode(m, function, ExecutionMode::LocalSize, &size);
    }
    if let Some(size) = attributes.work_group_size_hint {
        mode(m, function, ExecutionMode::LocalSizeHint, &size);
    }
    if let Some(hint) = attributes.vec_type_hint.and_then(|hint| vector_hint(m, hint)) {
        mode(m, function, ExecutionMode::VecTypeHint, &[hint]);
    }
    if let Some(size) = attributes.reqd_sub_group_size {
        m.b.capability(Capability::SubgroupDispatch);
        mode(m, function, ExecutionMode::SubgroupSize, &[size]);
    }
    Ok(())
}

/// VecTypeHint's literal: the number of components in the high half, the type in the low half.
fn vector_hint(m: &Module, ty: TypeId) -> Option<u32> {
    let (scalar, lanes) = m.program.arithmetic(ty)?;
    let kind = match scalar {
        Scalar::Bool | Scalar::Char | Scalar::UChar => 0,
        Scalar::Short | Scalar::UShort => 1,
        Scalar::Int | Scalar::UInt => 2,
        Scalar::Long | Scalar::ULong => 3,
        Scalar::Half => 4,
        Scalar::Float => 5,
        Scalar::Double => 6,
    };
    Some(u32::from(lanes) << 16 | kind)
}

/// `kernel_arg_type.NAME.t1,t2,` and `kernel_arg_type_qual.NAME.q1,q2,`: names that no SPIR-V type
/// keeps. Address spaces and access qualifiers are in the types.
fn argument_strings(m: &mut Module, name: &str, f: &Function) {
    let mut types = format!("kernel_arg_type.{name}.");
    let mut qualifiers = format!("kernel_arg_type_qual.{name}.");
    for local in &f.locals[..f.param_count] {
        types.push_str(local.written_type.as_deref().unwrap_or(""));
        types.push(',');
        let mut list = Vec::new();
        if let Type::Pipe(..) = m.program.types.get(local.ty.ty) {
            list.push("pipe");
        }
        if let Type::Pointer(pointee) = m.program.types.get(local.ty.ty) {
            if local.ty.is_restrict {
                list.push("restrict");
            }
            if pointee.is_const || pointee.space == AddressSpace::Constant {
                list.push("const");
            }
            if pointee.is_volatile {
                list.push("volatile");
            }
        }
        qualifiers.push_str(&list.join(" "));
        qualifiers.push(',');
    }
    m.string(&types);
    m.string(&qualifiers);
    let attributes = attribute_text(m, f);
    if !attributes.is_empty() {
        m.string(&format!("kernel_attributes.{name}.{attributes}"));
    }
}

/// CL_KERNEL_ATTRIBUTES (API specification, clGetKernelInfo): the attributes as they are written in a source, between
/// spaces. The translator has no such string.
fn attribute_text(m: &Module, f: &Function) -> String {
    let Some(attributes) = &f.kernel else { return String::new() };
    let size = |name: &str, size: Option<[u32; 3]>| size.map(|[x, y, z]| format!("{name}({x},{y},{z})"));
    let hint = attributes.vec_type_hint.map(|ty| {
        let ty = type_text(&m.program.types, m.symbols, QualType::new(ty));
        format!("vec_type_hint({ty})")
    });
    let list = [
        size("reqd_work_group_size", attributes.reqd_work_group_size),
        size("work_group_size_hint", attributes.work_group_size_hint),
        hint,
        attributes.reqd_sub_group_size.map(|n| format!("intel_reqd_sub_group_size({n})")),
    ];
    list.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The entry point of a kernel that other functions call: it passes its arguments on.
pub(super) fn wrapper(m: &mut Module, id: FunctionId) -> Emit<()> {
    let program = m.program;
    let f = &program.functions[id.0 as usize];
    let (ty, types) = signature(m, f, Passing::Kernel)?;
    let void = m.void_type();
    let wrapper =
        m.b.push_result(Section::Functions, Op::Function, Some(void), &[FunctionControl::NONE.bits(), ty.0]);
    m.wrappers.insert(id, wrapper);
    let mut params = Vec::with_capacity(types.len());
    for (index, ty) in types.iter().enumerate() {
        let param = m.b.push_result(Section::Functions, Op::FunctionParameter, Some(*ty), &[]);
        decorate_parameter(m, f, index, param, Passing::Kernel)?;
        params.push(param);
    }
    m.b.push_result(Section::Functions, Op::Label, None, &[]);
    let mut call = vec![m.functions[id.0 as usize].0];
    for (local, param) in f.locals.iter().zip(params) {
        call.push(match m.program.types.get(local.ty.ty) {
            Type::Record(_) => {
                let align = m.align_of(local.ty.ty)?;
                let memory = m.memory_type(local.ty.ty)?;
                let operands = [param.0, MemoryAccess::ALIGNED.bits(), align];
                m.b.push_result(Section::Functions, Op::Load, Some(memory), &operands).0
            }
            _ => param.0,
        });
    }
    m.b.push_result(Section::Functions, Op::FunctionCall, Some(void), &call);
    m.b.push(Section::Functions, Op::Return, &[]);
    m.b.push(Section::Functions, Op::FunctionEnd, &[]);
    Ok(())
}

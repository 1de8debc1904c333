//! What a kernel's reflection adds to its WGSL: the lengths of the program's blocks, and names that a person can read.
//!
//! The argument block, the program's constants and its variables have known sizes. With arrays of these lengths a browser checks no constant
//! index, and others with a constant. Names come from the source, by the lowering's OpNames of phis, and from the argument block's members.

use crate::wgsl::is_word;
use lower::kernel_info::{BlockSource, DescriptorSource, Lowered};
use naga::{
    ArraySize, Expression, Function, GlobalVariable, Handle, Literal, LocalVariable, Module, Span, Statement,
    StructMember, Type, TypeInner,
};
use spirv_io::spirv::Op;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// The largest size of elements of which the blocks' buffers have a whole number: buffers are multiples of 16 bytes.
const MAX_STRIDE: u32 = 16;

/// Gives the program's blocks the lengths that they have.
pub(crate) fn with_lengths(module: &mut Module, lowered: &Lowered) {
    let Some(info) = lowered.kernels.first() else { return };
    let data = &lowered.program_data;
    for descriptor in &info.descriptors {
        let (name, bytes) = match descriptor.source {
            DescriptorSource::ArgumentBlock => ("Arguments", info.block.size as usize),
            DescriptorSource::Constants => ("Constants", data.constants.bytes.len()),
            DescriptorSource::Globals => ("Variables", data.globals.bytes.len()),
            _ => continue,
        };
        let Some(variable) = variable_of(module, descriptor.binding) else { continue };
        if let Some(ty) = with_length(module, module.global_variables[variable].ty, name, bytes) {
            module.global_variables[variable].ty = ty;
        }
    }
}

/// The variable with a binding of group 0.
fn variable_of(module: &Module, binding: u32) -> Option<Handle<GlobalVariable>> {
    let bound =
        |var: &GlobalVariable| var.binding.as_ref().is_some_and(|b| b.group == 0 && b.binding == binding);
    module.global_variables.iter().find(|(_, var)| bound(var)).map(|(handle, _)| handle)
}

/// The type of a block whose only member is an array without a length, for a block of so many bytes.
fn with_length(module: &mut Module, ty: Handle<Type>, name: &str, bytes: usize) -> Option<Handle<Type>> {
    let TypeInner::Struct { members, .. } = &module.types[ty].inner else { return None };
    let [member] = &members[..] else { return None };
    let (member, array) = (member.clone(), &module.types[member.ty].inner);
    let TypeInner::Array { base, size: ArraySize::Dynamic, stride } = *array else { return None };
    if stride == 0 || stride > MAX_STRIDE {
        return None;
    }
    let length = NonZeroU32::new(u32::try_from(bytes).ok()?.div_ceil(stride))?;
    let inner = TypeInner::Array { base, size: ArraySize::Constant(length), stride };
    let ty = module.types.insert(Type { name: None, inner }, Span::UNDEFINED);
    let members = vec![StructMember { ty, name: Some("data".to_owned()), ..member }];
    let inner = TypeInner::Struct { members, span: length.get() * stride };
    Some(module.types.insert(Type { name: Some(name.to_owned()), inner }, Span::UNDEFINED))
}

/// The names of a module's values by their ids: its OpNames.
pub(crate) fn names_of(words: &[u32]) -> BTreeMap<u32, String> {
    let Ok((_, reader)) = spirv_io::Reader::new(words) else { return BTreeMap::new() };
    let named = reader.map_while(Result::ok).take_while(|i| i.op != Op::Function);
    named
        .filter(|i| i.op == Op::Name)
        .filter_map(|i| Some((*i.operands.first()?, i.string(1).ok()?.0)))
        .filter(|(_, name)| is_word(name))
        .collect()
}

/// Names what a function loads from the argument block, and its variables.
pub(crate) fn name_values(module: &mut Module, lowered: &Lowered, names: &BTreeMap<u32, String>) {
    let members = lowered.kernels.first().map(members).unwrap_or_default();
    let block = lowered.kernels.first().and_then(|info| {
        let of_block = info.descriptors.iter().find(|d| d.source == DescriptorSource::ArgumentBlock);
        variable_of(module, of_block?.binding)
    });
    let constants = module.constants.iter();
    let constants: Vec<_> = constants.map(|(_, c)| number(&module.global_expressions[c.init])).collect();
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(entries) {
        name_variables(function, names);
        if let Some(block) = block {
            name_arguments(function, block, &constants, &members);
        }
    }
}

/// The number that an expression is.
fn number(expression: &Expression) -> Option<u32> {
    match expression {
        Expression::Literal(Literal::U32(number)) => Some(*number),
        Expression::Literal(Literal::I32(number)) => Some(number.cast_unsigned()),
        _ => None,
    }
}

/// The names of the argument block's words, by their numbers.
fn members(info: &lower::KernelInfo) -> BTreeMap<u32, String> {
    let argument = |n: u32| info.args.get(n as usize).map(|arg| arg.name.clone());
    let mut names = BTreeMap::new();
    for member in &info.block.members {
        let in_dimension = |what: &str, d: u32| Some(format!("{what}_{}", ["x", "y", "z"].get(d as usize)?));
        let name = match member.source {
            BlockSource::Argument(n) => argument(n),
            BlockSource::ArgumentAddress(n) => argument(n).map(|name| format!("address_of_{name}")),
            BlockSource::GlobalIdBase(d) => in_dimension("first_id", d),
            BlockSource::GlobalOffset(d) => in_dimension("global_offset", d),
            BlockSource::GlobalSize(d) => in_dimension("global_size", d),
            BlockSource::NumGroups(d) => in_dimension("num_groups", d),
            BlockSource::GroupBase(d) => in_dimension("first_group", d),
            BlockSource::EnqueuedLocalSize(d) => in_dimension("enqueued_local_size", d),
            BlockSource::DispatchSize(d) => in_dimension("dispatch_size", d),
            BlockSource::WorkDim => Some("work_dim".to_owned()),
            BlockSource::WindowStart(n) => Some(format!("window_{n}_start")),
            _ => None,
        };
        let Some(name) = name.filter(|name| is_word(name)) else { continue };
        for word in member.offset / 4..(member.offset + member.size).div_ceil(4) {
            names.insert(word, name.clone());
        }
    }
    names
}

/// Names the variables that naga has made of phis, and those that it copies these to.
fn name_variables(function: &mut Function, names: &BTreeMap<u32, String>) {
    for (_, variable) in function.local_variables.iter_mut() {
        let phi = variable.name.as_deref().and_then(|name| name.strip_prefix("phi_"));
        if let Some(name) = phi.and_then(|id| names.get(&id.parse().ok()?)) {
            variable.name = Some(name.clone());
        }
    }
    let of = |expression: Handle<Expression>| match function.expressions[expression] {
        Expression::LocalVariable(variable) => Some(variable),
        _ => None,
    };
    let loaded = |value: Handle<Expression>| match function.expressions[value] {
        Expression::Load { pointer } => of(pointer),
        _ => None,
    };
    let mut copies: Vec<(Handle<LocalVariable>, String)> = Vec::new();
    let mut blocks = vec![&function.body];
    while let Some(block) = blocks.pop() {
        for statement in block.iter() {
            blocks.extend(crate::wgsl::blocks_of(statement));
            let Statement::Store { pointer, value } = statement else { continue };
            let (Some(to), Some(from)) = (of(*pointer), loaded(*value)) else { continue };
            let name = |variable: Handle<LocalVariable>| function.local_variables[variable].name.as_deref();
            match (name(to), name(from)) {
                (None, Some(name)) => copies.push((to, name.to_owned())),
                (Some(name), None) => copies.push((from, format!("{name}_next"))),
                _ => {}
            }
        }
    }
    for (variable, name) in copies {
        let variable = &mut function.local_variables[variable];
        // What naga has made of an unnamed phi.
        if variable.name.is_none() && !name.starts_with("phi_") {
            variable.name = Some(name);
        }
    }
    let loads = function.expressions.iter().filter_map(|(handle, expression)| match expression {
        Expression::Load { pointer } => {
            let variable = &function.local_variables[of(*pointer)?];
            Some((handle, variable.name.clone().filter(|name| !name.starts_with("phi_"))?))
        }
        _ => None,
    });
    let loads: Vec<_> = loads.collect();
    for (handle, name) in loads {
        function.named_expressions.entry(handle).or_insert(name);
    }
}

/// Names what a function loads from the argument block. `constants` has the numbers of the module's constants.
fn name_arguments(
    function: &mut Function,
    block: Handle<GlobalVariable>,
    constants: &[Option<u32>],
    members: &BTreeMap<u32, String>,
) {
    let expressions = &function.expressions;
    let part = |pointer: Handle<Expression>| match expressions[pointer] {
        Expression::AccessIndex { base, index } => Some((base, index)),
        Expression::Access { base, index } => match &expressions[index] {
            Expression::Constant(constant) => Some((base, constants[constant.index()]?)),
            other => Some((base, number(other)?)),
        },
        _ => None,
    };
    let word = |pointer: Handle<Expression>| {
        let (array, index) = part(pointer)?;
        let (base, 0) = part(array)? else { return None };
        matches!(expressions[base], Expression::GlobalVariable(var) if var == block).then_some(index)
    };
    let loads = expressions.iter().filter_map(|(handle, expression)| match expression {
        Expression::Load { pointer } => Some((handle, members.get(&word(*pointer)?)?.clone())),
        _ => None,
    });
    let loads: Vec<_> = loads.collect();
    for (handle, name) in loads {
        function.named_expressions.entry(handle).or_insert(name);
    }
}

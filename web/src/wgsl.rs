//! Vulkan SPIR-V to WGSL, by naga.

use crate::readable;
use lower::kernel_info::Lowered;
use lower::specialize::frozen;
use naga::compact::{KeepUnused, compact};
use naga::front::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, StorageAccess, UniqueArena};
use naga::{Arena, Block, Expression, Function, GlobalVariable, Handle, Statement, Type, TypeInner, back};
use spirv_io::spirv::{Capability, Op};
use std::collections::BTreeMap;

/// The number of elements of a `__local` argument in the WGSL with default constants.
pub const LOCAL_ELEMENTS: u32 = 256;

/// The values that a pipeline is made for, by their SpecIds; a truth value is 0 or 1. SpecIds 0 to 2 are the work-group size.
pub type Constants = BTreeMap<u32, u32>;

/// Translates a module of one kernel in the descriptor or packed model.
///
/// # Errors
/// What naga or WGSL does not know, in words.
pub fn translate(lowered: &Lowered, constants: &Constants) -> Result<String, String> {
    let booleans = constants.iter().map(|(id, value)| (*id, value.to_le_bytes().to_vec())).collect();
    let words = lower::specialize::specialize(&lowered.spirv, &booleans).map_err(|e| e.to_string())?;
    let value = |id: u32| {
        let default = if id < 3 { [64, 1, 1][id as usize] } else { LOCAL_ELEMENTS };
        constants.get(&id).copied().unwrap_or(default)
    };
    let words = frozen(&words, value).map_err(|e| e.to_string())?;
    let (lines, names) = (Lines::new(&words), readable::names_of(&words));
    let sub_groups = has_capability(&words, Capability::GroupNonUniform);
    let options = spv::Options { adjust_coordinate_space: false, ..spv::Options::default() };
    let parsed = spv::Frontend::new(words.into_iter(), &options).parse();
    let mut module = parsed.map_err(|e| match e {
        spv::Error::InvalidTypeWidth(bits @ (1 | 2)) => format!("WGSL has no integers of {} bits", bits * 8),
        spv::Error::InvalidTypeWidth(8) => "WGSL has no numbers of 64 bits".to_owned(),
        spv::Error::UnsupportedInstruction(_, op) => format!("naga does not know Op{op:?}"),
        spv::Error::UnsupportedCapability(capability) => format!("naga does not know {capability:?}"),
        other => other.to_string(),
    })?;
    adapt(&mut module);
    readable::with_lengths(&mut module, lowered);
    readable::name_values(&mut module, lowered, &names);
    compact(&mut module, KeepUnused::No);
    let capabilities =
        Capabilities::SHADER_FLOAT16 | Capabilities::SHADER_FLOAT16_IN_FLOAT32 | Capabilities::SUBGROUP;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    let info = validator.validate(&module).map_err(|e| chain(&e.into_inner()))?;
    let text = back::wgsl::write_string(&module, &info, back::wgsl::WriterFlags::empty());
    let text = lines.told(&module, &text.map_err(|e| e.to_string())?);
    // naga reads a ballot of true as one without an operand, which WGSL has not.
    let text = text.replace("subgroupBallot()", "subgroupBallot(true)");
    let text = with_values_of_constants(text);
    Ok(if sub_groups { format!("{SUB_GROUPS}{text}") } else { text })
}

/// What stands before the WGSL of kernels with sub-groups. naga does not write it. OpenCL has functions of sub-groups that need not be in
/// uniform control flow, which the browser would refuse.
const SUB_GROUPS: &str = "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n\n";

/// Returns whether a module declares a capability.
fn has_capability(words: &[u32], capability: Capability) -> bool {
    let Ok((_, reader)) = spirv_io::Reader::new(words) else { return false };
    reader
        .map_while(Result::ok)
        .take_while(|i| i.op == Op::Capability)
        .any(|i| i.operands == [capability as u32])
}

/// The WGSL with values in place of its module's constants, which are the sizes that the pipeline is made for. A shift of a constant that loses
/// bits is an error in WGSL, that of a value is none. Constants of which a variable of the module is made stay.
fn with_values_of_constants(text: String) -> String {
    let constants: Vec<&str> = text.lines().filter(|line| line.starts_with("const ")).collect();
    let name = |constant: &str| constant["const ".len()..].split(':').next().unwrap_or_default().to_owned();
    let is_used = |line: &str| constants.iter().any(|constant| line.contains(&name(constant)));
    if constants.is_empty() || text.lines().any(|line| line.starts_with("var") && is_used(line)) {
        return text;
    }
    let mut changed = String::with_capacity(text.len());
    for line in text.lines().filter(|line| !line.starts_with("const ")) {
        changed.push_str(line);
        changed.push('\n');
        if line.starts_with("fn ") && line.ends_with('{') {
            for constant in &constants {
                changed.push_str(&constant.replacen("const ", "    let ", 1));
                changed.push('\n');
            }
        }
    }
    changed
}

/// The lines of the source by the instructions of a module.
struct Lines {
    /// The offsets in bytes from which a line counts.
    lines: Vec<(usize, String)>,
}

impl Lines {
    /// Of a module's OpLines.
    fn new(words: &[u32]) -> Self {
        let (mut lines, mut files) = (Vec::new(), BTreeMap::new());
        let Ok((_, reader)) = spirv_io::Reader::new(words) else { return Lines { lines } };
        for instruction in reader.map_while(Result::ok) {
            match (instruction.op, instruction.operands) {
                (Op::String, [id, ..]) => {
                    files.insert(*id, instruction.string(1).map(|s| s.0).unwrap_or_default());
                }
                (Op::Line, [file, line, ..]) => {
                    let file = files.get(file).map_or("kernel.cl", String::as_str);
                    lines.push((4 * instruction.at, format!("{file}:{line}")));
                }
                (Op::FunctionEnd, _) => lines.push((4 * instruction.at, String::new())),
                _ => {}
            }
        }
        Lines { lines }
    }

    /// The WGSL of a module with the source's line behind each barrier, in a comment. WGSL wants barriers in uniform control flow, and a
    /// browser's error quotes such a line.
    fn told(&self, module: &naga::Module, text: &str) -> String {
        let mut barriers = Vec::new();
        for (_, function) in module.functions.iter() {
            self.barriers(&function.body, &mut barriers);
        }
        for entry in &module.entry_points {
            self.barriers(&entry.function.body, &mut barriers);
        }
        let mut barriers = barriers.into_iter();
        let mut told = String::with_capacity(text.len());
        for line in text.lines() {
            told.push_str(line);
            if line.ends_with("Barrier();")
                && let Some(place) = barriers.next().filter(|place| !place.is_empty())
            {
                told.push_str(" // ");
                told.push_str(place);
            }
            told.push('\n');
        }
        told
    }

    /// Appends the source's line of each barrier of a block, once for each line of WGSL that it becomes.
    fn barriers<'a>(&'a self, block: &Block, found: &mut Vec<&'a str>) {
        for (statement, span) in block.span_iter() {
            if let Statement::ControlBarrier(flags) | Statement::MemoryBarrier(flags) = statement {
                let at = span.to_range().map_or(0, |range| range.start);
                let next = self.lines.partition_point(|(from, _)| *from <= at);
                let place = next.checked_sub(1).map_or("", |n| self.lines[n].1.as_str());
                let count = flags.iter().count();
                found.extend(std::iter::repeat_n(place, count));
            }
            for inner in blocks_of(statement) {
                self.barriers(inner, found);
            }
        }
    }
}

/// Returns whether a name can be one in WGSL as it stands: a letter, then letters, digits and single underscores.
pub(crate) fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.contains("__")
}

/// The blocks of a statement.
pub(crate) fn blocks_of(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(body) => vec![body],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _ => vec![],
    }
}

/// Changes what naga reads from SPIR-V but does not write as WGSL. `@coherent` goes, since WGSL's memory model has nothing of the kind. Deep
/// expressions are split, and cases end where naga does not see that they do.
fn adapt(module: &mut naga::Module) {
    for (_, variable) in module.global_variables.iter_mut() {
        variable.memory_decorations = naga::MemoryDecorations::empty();
        if let AddressSpace::Storage { access } = &mut variable.space
            && has_atomics(&module.types, variable.ty)
        {
            // Even what is only loaded by atomics is `read_write`.
            *access |= StorageAccess::STORE;
        }
    }
    name_parts(module);
    load_uniformly(module);
    let only_kernels = module.functions.len() == module.entry_points.len();
    if only_kernels && unwrap_entry_points(module) {
        module.functions = Arena::new();
    }
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(entries) {
        name_deep_expressions(function);
        end_cases(&mut function.body);
    }
}

/// Marks the cases of switches that no control leaves at their end. naga takes a case for one that falls through unless its last statement
/// is a jump, and writes no such case.
fn end_cases(block: &mut Block) {
    for statement in block.iter_mut() {
        if let Statement::Switch { cases, .. } = statement {
            for case in cases {
                case.fall_through &= reaches_end(&case.body);
            }
        }
        for inner in inner_blocks(statement) {
            end_cases(inner);
        }
    }
}

/// Returns whether control may reach the end of a block. Loops and switches are taken to end.
fn reaches_end(block: &Block) -> bool {
    match block.last() {
        Some(Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill) => false,
        Some(Statement::Block(inner)) => reaches_end(inner),
        Some(Statement::If { accept, reject, .. }) => reaches_end(accept) || reaches_end(reject),
        _ => true,
    }
}

/// Returns whether a type has atomics in it.
fn has_atomics(types: &UniqueArena<Type>, ty: Handle<Type>) -> bool {
    match &types[ty].inner {
        TypeInner::Atomic(_) => true,
        TypeInner::Array { base, .. } => has_atomics(types, *base),
        TypeInner::Struct { members, .. } => members.iter().any(|m| has_atomics(types, m.ty)),
        _ => false,
    }
}

/// The number of operators in each other that the WGSL has at most. Browsers refuse a few hundred of them (Tint: 512).
const MAX_DEPTH: u32 = 64;

/// Gives names to values in the middle of deep expressions, so that naga makes declarations of them.
fn name_deep_expressions(function: &mut Function) {
    let mut uses = vec![0u32; function.expressions.len()];
    for (_, expression) in function.expressions.iter() {
        operands(expression).iter().for_each(|e| uses[e.index()] += 1);
    }
    let mut depths = vec![0u32; function.expressions.len()];
    for (handle, expression) in function.expressions.iter() {
        let depth = operands(expression).iter().map(|e| depths[e.index()] + 1).max().unwrap_or(0);
        let is_value = matches!(
            expression,
            Expression::Binary { .. }
                | Expression::Unary { .. }
                | Expression::Select { .. }
                | Expression::Math { .. }
                | Expression::As { .. }
        );
        depths[handle.index()] = if depth >= MAX_DEPTH && is_value {
            function.named_expressions.entry(handle).or_insert_with(|| format!("part_{}", handle.index()));
            0
        } else if is_value && uses[handle.index()] > 1 {
            // naga declares what has several uses.
            0
        } else {
            depth
        };
    }
}

/// The operands of an expression that naga writes in place.
fn operands(expression: &Expression) -> Vec<Handle<Expression>> {
    match expression {
        Expression::Binary { left, right, .. } => vec![*left, *right],
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => vec![*expr],
        Expression::Select { condition, accept, reject } => vec![*condition, *accept, *reject],
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten().collect()
        }
        Expression::Access { base, index } => vec![*base, *index],
        Expression::AccessIndex { base, .. } => vec![*base],
        Expression::Compose { components, .. } => components.clone(),
        Expression::Splat { value, .. } => vec![*value],
        Expression::Swizzle { vector, .. } => vec![*vector],
        _ => vec![],
    }
}

/// Gives buffers' structures and constants names that a person can read. The structures of a module have none, and a dot is no part of a name in
/// WGSL.
fn name_parts(module: &mut naga::Module) {
    let unnamed = module.types.iter().filter_map(|(handle, ty)| match &ty.inner {
        TypeInner::Struct { members, span } if ty.name.is_none() => {
            let mut members = members.clone();
            if let [member] = &mut members[..] {
                member.name = Some("data".to_owned());
            }
            let inner = TypeInner::Struct { members, span: *span };
            Some((handle, Type { name: Some("Buffer".to_owned()), inner }))
        }
        _ => None,
    });
    for (handle, named) in unnamed.collect::<Vec<_>>() {
        if module.types.get(&named).is_none() {
            module.types.replace(handle, named);
        }
    }
    for (_, constant) in module.constants.iter_mut() {
        constant.name = constant.name.take().map(|name| name.replace('.', "_"));
    }
}

/// Makes the code of each entry point its own.
///
/// naga reads a kernel as a function that loads Vulkan's inputs from private variables, and an entry point that stores its arguments there and
/// calls the function. What is loaded from private variables is not uniform for WGSL, so that no barrier could depend on a work-group's id.
///
/// Returns whether no function is called any more.
fn unwrap_entry_points(module: &mut naga::Module) -> bool {
    let mut unwrapped = 0;
    for entry in &mut module.entry_points {
        let outer = &entry.function;
        let called = outer.body.iter().find_map(|statement| match statement {
            Statement::Call { function, .. } => Some(*function),
            _ => None,
        });
        // The arguments, by the variables that they are stored in.
        let stored: Vec<(Handle<GlobalVariable>, u32)> = outer
            .body
            .iter()
            .filter_map(|statement| match statement {
                Statement::Store { pointer, value } => {
                    match (&outer.expressions[*pointer], &outer.expressions[*value]) {
                        (Expression::GlobalVariable(var), Expression::FunctionArgument(n)) => {
                            Some((*var, *n))
                        }
                        _ => None,
                    }
                }
                _ => None,
            })
            .collect();
        let arguments = outer.arguments.clone();
        let Some(called) = called.filter(|_| stored.len() == arguments.len()) else { continue };
        let mut inner = module.functions[called].clone();
        if !inner.arguments.is_empty() || inner.result.is_some() {
            continue;
        }
        let mut replaced = vec![false; inner.expressions.len()];
        let argument = |inner: &Function, pointer: Handle<Expression>| match &inner.expressions[pointer] {
            Expression::GlobalVariable(var) => stored.iter().find(|(v, _)| v == var).map(|(_, n)| *n),
            _ => None,
        };
        let loads: Vec<_> = inner
            .expressions
            .iter()
            .filter_map(|(handle, expression)| match expression {
                Expression::Load { pointer } => Some((handle, argument(&inner, *pointer)?)),
                _ => None,
            })
            .collect();
        for (handle, n) in loads {
            inner.expressions[handle] = Expression::FunctionArgument(n);
            inner.named_expressions.shift_remove(&handle);
            replaced[handle.index()] = true;
        }
        // A load of a part of an input is left to the variables.
        let left = inner.expressions.iter().any(|(_, expression)| match expression {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                argument(&inner, *base).is_some()
            }
            _ => false,
        });
        if left {
            continue;
        }
        without_emits(&mut inner.body, &inner.expressions, &|index| {
            if replaced[index] { Kept::Gone } else { Kept::Emitted }
        });
        inner.arguments = arguments;
        inner.name.clone_from(&entry.function.name);
        entry.function = inner;
        unwrapped += 1;
    }
    unwrapped == module.entry_points.len()
}

/// Makes `workgroupUniformLoad` of the loads of the variable by which branches are uniform ([`lower::UNIFORM_VALUE`]).
fn load_uniformly(module: &mut naga::Module) {
    let is_variable = |var: &GlobalVariable| var.name.as_deref() == Some(lower::UNIFORM_VALUE);
    let Some((variable, _)) = module.global_variables.iter().find(|(_, var)| is_variable(var)) else {
        return;
    };
    let word = Type { name: None, inner: TypeInner::Scalar(naga::Scalar::U32) };
    let ty = module.types.insert(word, naga::Span::UNDEFINED);
    let entries = module.entry_points.iter_mut().map(|entry| &mut entry.function);
    for function in module.functions.iter_mut().map(|(_, function)| function).chain(entries) {
        let of_variable = |pointer: Handle<Expression>| {
            let base = match function.expressions[pointer] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
                _ => pointer,
            };
            matches!(function.expressions[base], Expression::GlobalVariable(var) if var == variable)
        };
        let mut loads = vec![None; function.expressions.len()];
        for (handle, expression) in function.expressions.iter() {
            if let Expression::Load { pointer } = expression
                && of_variable(*pointer)
            {
                loads[handle.index()] = Some((*pointer, handle));
            }
        }
        for (_, handle) in loads.iter().flatten() {
            function.expressions[*handle] = Expression::WorkGroupUniformLoadResult { ty };
        }
        without_emits(&mut function.body, &function.expressions, &|index| match loads[index] {
            Some((pointer, result)) => Kept::Loaded { pointer, result },
            None => Kept::Emitted,
        });
    }
}

/// What becomes of an expression that is evaluated.
enum Kept {
    Emitted,
    Gone,
    /// A statement gives it.
    Loaded {
        pointer: Handle<Expression>,
        result: Handle<Expression>,
    },
}

/// Takes expressions, by their indices, out of the ranges that are evaluated.
fn without_emits(block: &mut Block, expressions: &Arena<Expression>, kept: &dyn Fn(usize) -> Kept) {
    let old = std::mem::take(block);
    for (mut statement, span) in old.span_into_iter() {
        if let Statement::Emit(range) = &statement {
            let indices = range.index_range();
            let mut start = indices.start;
            for index in indices.clone().chain([indices.end]) {
                let what = if index == indices.end { Kept::Gone } else { kept(index as usize) };
                if matches!(what, Kept::Emitted) {
                    continue;
                }
                if start < index {
                    let part = naga::Range::from_index_range(start..index, expressions);
                    block.push(Statement::Emit(part), span);
                }
                if let Kept::Loaded { pointer, result } = what {
                    block.push(Statement::WorkGroupUniformLoad { pointer, result }, span);
                }
                start = index + 1;
            }
            continue;
        }
        for inner in inner_blocks(&mut statement) {
            without_emits(inner, expressions, kept);
        }
        block.push(statement, span);
    }
}

/// The blocks of a statement.
fn inner_blocks(statement: &mut Statement) -> Vec<&mut Block> {
    match statement {
        Statement::Block(body) => vec![body],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Switch { cases, .. } => cases.iter_mut().map(|case| &mut case.body).collect(),
        _ => vec![],
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

//! Printing.

use super::image::type_word;
use super::names::word;
use crate::ir::{
    BranchTarget, Constant, Func, Function, GlobalInit, Inst, KernelArgKind, KernelData, MemFlags, Merge,
    Module, OpaqueType, Place, Root, Scalar, Terminator, Type, Value, ValueDef,
};
use std::fmt::{self, Write};

impl fmt::Display for Module {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single_vector = if self.single_vector { " single_vector" } else { "" };
        let linear_groups = if self.linear_groups { " linear_groups" } else { "" };
        let non_uniform = if self.non_uniform { " non_uniform" } else { "" };
        let noalias = if self.noalias { " noalias" } else { "" };
        let specialised = if self.specialised { " specialised" } else { "" };
        let loops = self.work_item_loops.map_or(String::new(), |n| format!(" work_item_loops={n}"));
        writeln!(
            out,
            "module {} bits={}{linear_groups}{loops}{single_vector}{non_uniform}{noalias}{specialised}",
            word(self.stage),
            self.address_bits
        )?;
        for file in self.files.iter().skip(1) {
            writeln!(out, "file {file:?}")?;
        }
        for (opaque, ty) in self.opaques.iter() {
            let OpaqueType::Image(image) = ty;
            writeln!(out, "opaque {opaque} {}", type_word(*image))?;
        }
        for (global, data) in self.globals.iter() {
            write!(out, "global {global} {:?} {}", data.name, data.space)?;
            write!(out, " size={} align={}", data.size, data.align)?;
            if let Some(init) = &data.init {
                write!(out, " {}", init_text(init)?)?;
            }
            writeln!(out)?;
        }
        let data = &self.program_data;
        if *data != Default::default() {
            let json = serde_json::to_string(data).map_err(|_| fmt::Error)?;
            writeln!(out, "data {json:?}")?;
        }
        for kernel in &self.kernels {
            print_kernel(out, kernel)?;
        }
        for (func, function) in self.functions.iter() {
            print_function(out, func, function)?;
        }
        Ok(())
    }
}

pub(super) fn list<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    format!("({})", items.join(", "))
}

fn init_text(init: &GlobalInit) -> Result<String, fmt::Error> {
    let mut text = "init=\"".to_owned();
    for byte in &init.bytes {
        write!(text, "{byte:02x}")?;
    }
    let addresses = init.addresses.iter().map(|(at, g)| format!("{at}: {g}"));
    write!(text, "\" addresses={}", list(addresses))?;
    Ok(text)
}

fn print_kernel(out: &mut fmt::Formatter<'_>, kernel: &KernelData) -> fmt::Result {
    write!(out, "kernel {:?} {}", kernel.name, kernel.func)?;
    for (what, size) in [("reqd", kernel.reqd_work_group_size), ("hint", kernel.work_group_size_hint)] {
        if let Some(size) = size {
            write!(out, " {what}={}", list(size))?;
        }
    }
    if let Some(count) = kernel.required_sub_groups {
        write!(out, " sub_groups={count}")?;
    }
    if let Some(size) = kernel.required_sub_group_size {
        write!(out, " sub_group_size={size}")?;
    }
    if kernel.wide {
        write!(out, " wide")?;
    }
    if kernel.contraction_off {
        write!(out, " contraction_off")?;
    }
    if let Some(arena) = &kernel.local_arena {
        let form = if arena.views { "views" } else { "arena" };
        write!(out, " {form}={} of={}", arena.static_bytes, list(&arena.args))?;
    }
    writeln!(out)?;
    for arg in &kernel.args {
        let qualifiers = list(arg.type_qualifiers.iter().map(|q| format!("{q:?}")));
        write!(out, "  arg {:?} {:?} {qualifiers} ", arg.name, arg.type_name)?;
        match &arg.kind {
            KernelArgKind::Pointer { space, restrict, read_only } => {
                write!(out, "pointer {space}")?;
                let flags = [(*restrict, " restrict"), (*read_only, " read_only")];
                flags.iter().filter(|f| f.0).try_for_each(|f| out.write_str(f.1))?;
                writeln!(out)?;
            }
            KernelArgKind::Value { size, align, leaves } => {
                write!(out, "value size={size} align={align}")?;
                if let Some(leaves) = leaves {
                    write!(out, " leaves={}", list(leaves))?;
                }
                writeln!(out)?;
            }
            KernelArgKind::Image(image) => writeln!(out, "{}", type_word(*image))?,
            KernelArgKind::Sampler => writeln!(out, "sampler")?,
        }
    }
    if !kernel.emulated.is_empty() {
        let json = serde_json::to_string(&kernel.emulated).map_err(|_| fmt::Error)?;
        writeln!(out, "  emulated {json:?}")?;
    }
    if kernel.watches_loops {
        writeln!(out, "  watches_loops")?;
    }
    if let Some(words) = kernel.resumes {
        writeln!(out, "  resumes={words}")?;
    }
    if let Some(bytes) = kernel.saved_local {
        writeln!(out, "  saved_local={bytes}")?;
    }
    if let Some(count) = &kernel.iterations {
        let json = serde_json::to_string(count).map_err(|_| fmt::Error)?;
        writeln!(out, "  iterations {json:?}")?;
    }
    if !kernel.printf.is_empty() {
        let json = serde_json::to_string(&kernel.printf).map_err(|_| fmt::Error)?;
        writeln!(out, "  printf {json:?}")?;
    }
    if let Some(plan) = &kernel.plan {
        let json = serde_json::to_string(&plan.block).map_err(|_| fmt::Error)?;
        writeln!(out, "  plan {} {json:?}", word(plan.model))?;
        if let Some(windows) = &plan.windows {
            let json = serde_json::to_string(windows).map_err(|_| fmt::Error)?;
            writeln!(out, "  windows {json:?}")?;
        }
    }
    Ok(())
}

fn print_function(out: &mut fmt::Formatter<'_>, func: Func, f: &Function) -> fmt::Result {
    write!(out, "func {func} {:?} returns {}", f.name, list(&f.returns))?;
    if let Some(hint) = f.inline_hint {
        write!(out, " inline={hint}")?;
    }
    if f.needs_denormals {
        write!(out, " needs_denormals")?;
    }
    writeln!(out)?;
    for (slot, data) in f.slots.iter() {
        write!(out, "  slot {slot}")?;
        if let Some(name) = &data.name {
            write!(out, " {name:?}")?;
        }
        writeln!(out, " size={} align={}", data.size, data.align)?;
    }
    for &block in &f.layout {
        let Some(data) = f.blocks.get(block) else { continue };
        let params = list(data.params.iter().map(|p| definition(f, *p)));
        writeln!(out, "{block}{params}:")?;
        for inst in &data.insts {
            writeln!(out, "  {}", inst_to_string(f, *inst))?;
        }
        if data.loop_control != 0 {
            writeln!(out, "  loopcontrol {}", data.loop_control)?;
        }
        match data.merge {
            Some(Merge::Selection { merge }) => writeln!(out, "  merge selection {merge}")?,
            Some(Merge::Loop { merge, continue_target, control }) => {
                writeln!(out, "  merge loop {merge}, {continue_target}, {control}")?;
            }
            None => {}
        }
        writeln!(out, "  {}", terminator(f, &data.term))?;
    }
    Ok(())
}

fn definition(f: &Function, value: Value) -> String {
    let ty = f.values.get(value).map_or("?".to_owned(), |v| v.ty.to_string());
    match f.names.get(&value) {
        Some(name) => format!("{value} {name:?}: {ty}"),
        None => format!("{value}: {ty}"),
    }
}

pub(super) fn operand(f: &Function, value: Value) -> String {
    match f.values.get(value) {
        Some(data) => match data.def {
            ValueDef::Const(Constant::Undef) => format!("{}:undef", data.ty),
            ValueDef::Const(Constant::Bits(bits)) => format!("{}:{}", data.ty, constant(data.ty, bits)),
            _ => value.to_string(),
        },
        None => value.to_string(),
    }
}

/// Integers signed, floats in decimal where that is exact, else the bits.
fn constant(ty: Type, bits: u64) -> String {
    match ty.scalar() {
        Some(Scalar::F32) => float_text(bits, f32::from_bits(bits as u32), |t: f32| u64::from(t.to_bits())),
        Some(Scalar::F64) => float_text(bits, f64::from_bits(bits), f64::to_bits),
        Some(Scalar::F16) => format!("{bits:#x}"),
        Some(s) if s.is_int() => {
            let shift = 64 - s.bits();
            ((bits << shift) as i64 >> shift).to_string()
        }
        _ => bits.to_string(),
    }
}

fn float_text<T: fmt::Debug + std::str::FromStr>(bits: u64, value: T, back: fn(T) -> u64) -> String {
    let text = format!("{value:?}");
    let exact = text.parse::<T>().is_ok_and(|v| back(v) == bits) && !text.contains(['N', 'f']);
    if exact { text } else { format!("{bits:#x}") }
}

pub(super) fn root(root: Root) -> String {
    match root {
        Root::Global(g) => g.to_string(),
        Root::Slot(s) => s.to_string(),
        Root::Arg(n) => format!("arg{n}"),
        Root::LocalArg(n) => format!("localarg{n}"),
        Root::LocalArena => "localarena".to_owned(),
        Root::Block => "block".to_owned(),
        Root::Constants => "constants".to_owned(),
        Root::Globals => "globals".to_owned(),
        Root::Printf => "printf".to_owned(),
        Root::Sequence => "sequence".to_owned(),
        Root::Places => "places".to_owned(),
        Root::Window(n) => format!("window{n}"),
    }
}

pub(super) fn place(f: &Function, place: Place) -> String {
    match place {
        Place::Pointer(p) => format!("[{}]", operand(f, p)),
        Place::Address(a) => format!("address[{}]", operand(f, a)),
        Place::Element { root: r, scalar, lanes, index } => {
            format!("{}.{}[{}]", root(r), Type::new(scalar, lanes), operand(f, index))
        }
    }
}

pub(super) fn flags(flags: MemFlags) -> String {
    let volatile = if flags.volatile { " volatile" } else { "" };
    format!("align={}{volatile}", flags.align)
}

/// One instruction as it is printed.
pub fn inst_to_string(f: &Function, inst: Inst) -> String {
    let Some(data) = f.insts.get(inst) else { return format!("{inst}?") };
    let mut text = String::new();
    if !data.results.is_empty() {
        let results: Vec<String> = data.results.iter().map(|r| definition(f, *r)).collect();
        text = format!("{} = ", results.join(", "));
    }
    text += &data.kind.to_text(f);
    if (data.line.file, data.line.line) != (0, 0) {
        text += &format!(" @{}:{}", data.line.file, data.line.line);
    }
    text
}

fn target(f: &Function, target: &BranchTarget) -> String {
    format!("{}{}", target.block, list(target.args.iter().map(|a| operand(f, *a))))
}

fn terminator(f: &Function, term: &Terminator) -> String {
    match term {
        Terminator::Branch(t) => format!("br {}", target(f, t)),
        Terminator::CondBranch { cond, then, els } => {
            format!("condbr {}, {}, {}", operand(f, *cond), target(f, then), target(f, els))
        }
        Terminator::Switch { value, cases, default } => {
            let cases = list(cases.iter().map(|(bits, t)| format!("{bits}: {}", target(f, t))));
            format!("switch {}, {}, {cases}", operand(f, *value), target(f, default))
        }
        Terminator::Return(values) => format!("return{}", list(values.iter().map(|v| operand(f, *v)))),
        Terminator::Unreachable => "unreachable".to_owned(),
    }
}

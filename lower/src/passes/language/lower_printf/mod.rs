//! printf lowering: each call reserves a record in the printf buffer and stores its arguments there.
//!
//! [`crate::printf`] documents the buffer.
//! Each call becomes a call of a new function with this body, which is then inlined:
//!
//! ```text
//! n += the words of strings that are not known here
//! at = atomic_add(cursor, n)
//! if at + the strings' words < limit { buffer[at] = format; buffer[at + 1] = argument; …; the strings' bytes; 0 }
//! else          { atomic_sub(cursor, n); atomic_add(lost, 1); -1 }
//! ```
//!
//! The pass runs after inlining and promotion, so formats and strings that went through functions or private variables are known.
//! A string from memory, or behind a chosen pointer into memory, is copied.
//! The pass refuses a format that is not known.

mod record;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Block, ConvertOp, Function, Inst, InstKind, Module, Scalar, Space, Type, Value, ValueDef};
use crate::passes::language::lower_program_scope::constant_address;
use crate::passes::optimize::inline;
use crate::printf::{PrintfArg, PrintfArgKind, PrintfFormat, PrintfTable, text_arguments};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::OpenclStd100Op as CLOp;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::NotYet`] for a format that is not known when the program is built (OpenCL C wants a literal), and
/// the errors of inlining.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let mut any = false;
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let mut function = std::mem::take(&mut module.functions[func]);
        let result = rewrite(module, index, &mut function);
        module.functions[func] = function;
        any |= result?;
    }
    if any { inline::run(module, cx) } else { Ok(()) }
}

fn is_printf(kind: &InstKind) -> bool {
    matches!(kind, InstKind::ExtInst { number, .. } if *number == CLOp::printf as u32)
}

/// Rewrites the calls in a kernel's function. Returns whether there are any.
fn rewrite(module: &mut Module, kernel: usize, f: &mut Function) -> Result<bool, LowerError> {
    let mut calls = Calls {
        module,
        kernel,
        table: PrintfTable::default(),
        strings: FxHashMap::default(),
        numbers: FxHashMap::default(),
    };
    let mut insts = f.layout.iter().flat_map(|b| &f.blocks[*b].insts);
    if !insts.any(|inst| is_printf(&f.insts[*inst].kind)) {
        return Ok(false);
    }
    // Strings come first, because their numbers may need instructions elsewhere in the function.
    for block in f.layout.clone() {
        for inst in f.blocks[block].insts.clone() {
            if is_printf(&f.insts[inst].kind) {
                calls.strings(f, inst)?;
            }
        }
    }
    let mut map = FxHashMap::default();
    for block in f.layout.clone() {
        if !f.blocks[block].insts.iter().any(|i| is_printf(&f.insts[*i].kind)) {
            continue;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            let data = &rw.f.insts[inst];
            let InstKind::ExtInst { args, .. } = &data.kind else {
                rw.keep(inst);
                continue;
            };
            let (args, result) = (args.clone(), data.results.first().copied());
            let status = calls.call(&mut rw, &args)?;
            map.extend(result.map(|old| (old, status)));
        }
        rw.finish_block(block);
    }
    f.replace_uses(&map);
    let PrintfTable { formats, strings, .. } = calls.table;
    let any = !formats.is_empty();
    let table = &mut module.kernels[kernel].printf;
    (table.formats, table.strings) = (formats, strings);
    Ok(any)
}

/// The calls of one kernel.
struct Calls<'m> {
    module: &'m mut Module,
    kernel: usize,
    table: PrintfTable,
    /// The numbers of strings.
    strings: FxHashMap<Vec<u8>, u64>,
    /// Pointers to strings, and the values that have their numbers.
    numbers: FxHashMap<Value, Value>,
}

impl Calls<'_> {
    /// The format of a call.
    fn text(&self, f: &Function, args: &[Value]) -> Result<Vec<u8>, LowerError> {
        let text = args.first().and_then(|format| self.literal(f, *format));
        text.ok_or_else(|| LowerError::NotYet {
            kernel: self.module.kernels[self.kernel].name.clone(),
            what: "a printf whose format is not a string literal".to_owned(),
        })
    }

    /// Replaces a call's strings by their numbers.
    fn strings(&mut self, f: &mut Function, call: Inst) -> Result<(), LowerError> {
        let args: Vec<Value> = f.insts[call].kind.values().collect();
        let texts = text_arguments(&self.text(f, &args)?);
        for (n, arg) in args.iter().enumerate().skip(1) {
            let is_text = texts.get(n - 1) == Some(&true) && matches!(f.ty(*arg), Type::Ptr(_));
            if is_text && self.is_known(f, *arg, &mut FxHashSet::default()) {
                let number = self.string(f, *arg);
                *f.insts[call].kind.values_mut()[n] = number;
            }
        }
        Ok(())
    }

    /// Replaces one call. Gives its result.
    fn call(&mut self, rw: &mut Rewriter<'_>, args: &[Value]) -> Result<Value, LowerError> {
        let text = self.text(rw.f, args)?;
        let texts = text_arguments(&text);
        let mut layout = Vec::new();
        let mut values = Vec::new();
        for (n, arg) in args.iter().skip(1).enumerate() {
            let is_text = texts.get(n).copied().unwrap_or(false);
            let (kind, value) = self.argument(rw, *arg, is_text);
            let ty = rw.f.ty(value);
            let bytes = ty.scalar().map_or(4, |s| s.bytes().max(1)) as u8;
            let lanes = if kind == PrintfArgKind::Chars { 1 } else { ty.lanes() };
            layout.push(PrintfArg { kind, bytes, lanes });
            values.push(value);
        }
        let format = self.format(PrintfFormat { text, args: layout });
        let types: Vec<Type> = values.iter().map(|v| rw.f.ty(*v)).collect();
        let func = self.module.functions.push(record::body(format, &types, self.module.address_bits));
        Ok(rw.inst(InstKind::Call { func, args: values, pure: false }, Type::I32))
    }

    /// The kind of an argument, and the value that is passed for it. Strings and pointers are passed as integers.
    /// Doubles that were made from floats are passed as floats, which is exact, and a device may have no doubles.
    fn argument(&mut self, rw: &mut Rewriter<'_>, arg: Value, is_text: bool) -> (PrintfArgKind, Value) {
        match rw.f.ty(arg) {
            Type::I32 if is_text => (PrintfArgKind::Text, arg),
            Type::Ptr(_) if is_text => (PrintfArgKind::Chars, arg),
            Type::Ptr(_) => {
                let ty = if self.module.address_bits == 64 { Type::I64 } else { Type::I32 };
                (PrintfArgKind::Int, rw.inst(InstKind::PtrToInt(arg), ty))
            }
            ty if ty.scalar() == Some(Scalar::Bool) => {
                let (one, zero) = (rw.iconst(Type::I32, 1), rw.iconst(Type::I32, 0));
                let (ty, splat) = (ty.with_scalar(Scalar::I32), |rw: &mut Rewriter<'_>, v| {
                    rw.construct(&[v], ty.with_scalar(Scalar::I32))
                });
                let (one, zero) = (splat(rw, one), splat(rw, zero));
                (PrintfArgKind::Int, rw.inst(InstKind::Select(arg, one, zero), ty))
            }
            ty if ty.scalar().is_some_and(Scalar::is_float) => {
                let source = match rw.f.def_inst(arg).map(|i| &i.kind) {
                    Some(InstKind::Convert { op: ConvertOp::FloatToFloat, value, .. })
                        if rw.f.ty(*value).bytes() < ty.bytes() =>
                    {
                        *value
                    }
                    _ => arg,
                };
                (PrintfArgKind::Float, source)
            }
            _ => (PrintfArgKind::Int, arg),
        }
    }

    /// Returns whether a pointer is to a literal, null, or a choice between these.
    fn is_known(&self, f: &Function, pointer: Value, seen: &mut FxHashSet<Value>) -> bool {
        if !seen.insert(pointer) || f.const_bits(pointer) == Some(0) || self.literal(f, pointer).is_some() {
            return true;
        }
        match f.values[pointer].def {
            ValueDef::Param(block, index) if block != f.entry() => f.layout.iter().all(|from| {
                let to = f.blocks[*from].term.targets();
                to.iter().filter(|target| target.block == block).all(|target| {
                    target.args.get(usize::from(index)).is_some_and(|arg| self.is_known(f, *arg, seen))
                })
            }),
            ValueDef::Inst(inst, _) => match f.insts[inst].kind {
                InstKind::Select(_, a, b) => self.is_known(f, a, seen) && self.is_known(f, b, seen),
                InstKind::Bitcast(pointer) | InstKind::PtrCast(pointer) => self.is_known(f, pointer, seen),
                InstKind::IntToPtr(integer) => f.const_bits(integer) == Some(0),
                _ => false,
            },
            _ => false,
        }
    }

    /// The number of a string plus one, or 0 for a null pointer. A pointer that is chosen between literals
    /// (`flag ? "yes" : "no"`) becomes the same choice between their numbers.
    fn string(&mut self, f: &mut Function, pointer: Value) -> Value {
        if let Some(number) = self.numbers.get(&pointer) {
            return *number;
        }
        if let Some(text) = self.literal(f, pointer) {
            let next = self.table.strings.len() as u64 + 1;
            let number = *self.strings.entry(text.clone()).or_insert(next);
            if number == next {
                self.table.strings.push(text);
            }
            return f.iconst(Type::I32, number);
        }
        match f.values[pointer].def {
            ValueDef::Param(block, index) if block != f.entry() => {
                let number = f.add_param(block, Type::I32);
                self.numbers.insert(pointer, number);
                let at = f.blocks[block].params.len() - 1;
                for from in f.layout.clone() {
                    self.pass_string(f, from, block, (usize::from(index), at));
                }
                number
            }
            ValueDef::Inst(inst, _) => match f.insts[inst].kind.clone() {
                InstKind::Select(condition, a, b) => {
                    let (a, b) = (self.string(f, a), self.string(f, b));
                    let number = f.make_inst(InstKind::Select(condition, a, b), &[Type::I32]);
                    insert_after(f, inst, number);
                    self.numbers.insert(pointer, f.insts[number].results[0]);
                    f.insts[number].results[0]
                }
                InstKind::Bitcast(pointer) | InstKind::PtrCast(pointer) => self.string(f, pointer),
                _ => f.iconst(Type::I32, 0),
            },
            _ => f.iconst(Type::I32, 0),
        }
    }

    /// Passes arguments for parameter `number` of a block in the branches from another block.
    /// They are the numbers of the strings that parameter `pointer` gets.
    fn pass_string(&mut self, f: &mut Function, from: Block, to: Block, (pointer, number): (usize, usize)) {
        let count = f.blocks[from].term.targets().len();
        for n in 0..count {
            let Some(target) = f.blocks[from].term.targets().get(n).cloned() else { return };
            if target.block != to {
                continue;
            }
            let value = match target.args.get(pointer) {
                Some(pointer) => self.string(f, *pointer),
                None => f.iconst(Type::I32, 0),
            };
            let mut term = f.blocks[from].term.clone();
            if let Some(target) = term.targets_mut().nth(n) {
                // Other parameters may have been added meanwhile. They get their arguments later.
                let length = target.args.len().max(number + 1);
                target.args.resize(length, value);
                target.args[number] = value;
            }
            f.blocks[from].term = term;
        }
    }

    /// The characters at a pointer into a constant variable, up to the null.
    fn literal(&self, f: &Function, pointer: Value) -> Option<Vec<u8>> {
        let (global, offset) = constant_address(f, pointer)?;
        let data = self.module.globals.get(global).filter(|g| g.space == Space::Constant)?;
        let init = data.init.as_ref()?;
        let start = usize::try_from(offset).ok().filter(|start| (*start as u64) < data.size)?;
        let bytes = init.bytes.get(start..).unwrap_or(&[]);
        Some(bytes.iter().copied().take_while(|b| *b != 0).collect())
    }

    /// The number of a format. Calls with the same text and arguments share it.
    fn format(&mut self, format: PrintfFormat) -> u64 {
        let known = self.table.formats.iter().position(|f| *f == format);
        known.unwrap_or_else(|| {
            self.table.formats.push(format);
            self.table.formats.len() - 1
        }) as u64
    }
}

/// Inserts an instruction behind another.
fn insert_after(f: &mut Function, old: Inst, new: Inst) {
    f.insts[new].line = f.insts[old].line;
    for block in f.layout.clone() {
        if let Some(at) = f.blocks[block].insts.iter().position(|i| *i == old) {
            f.blocks[block].insts.insert(at + 1, new);
            return;
        }
    }
}

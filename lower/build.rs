//! Compiles the math library (`mathlib/*.cl`) with our own front end and takes it apart: each function becomes a module
//! of its own, in which the functions that it calls are declared only, so that reading one costs what that one costs.
//!
//! For each file, `OUT_DIR` gets NAME.words, all those modules, and NAME.rs, their index: (name, first word, one past the
//! last), sorted by name. `passes/math/library.rs` reads both.

use frontend::options::{Features, Options};
use spirv_io::spirv::Op;
use spirv_io::{Instruction, Reader};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

const HEADER: usize = 5;

fn main() {
    println!("cargo:rerun-if-changed=mathlib");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for name in ["float", "double"] {
        let words = compile(name);
        let (mut all, mut index) = (Vec::new(), String::from("&[\n"));
        for (function, module) in take_apart(&words) {
            let first = all.len();
            all.extend(module);
            writeln!(index, "    ({function:?}, {first}, {}),", all.len()).expect("a String takes all");
        }
        index.push_str("]\n");
        let out = Path::new(&out);
        std::fs::write(out.join(format!("{name}.words")), spirv_io::words_to_bytes(&all))
            .expect("OUT_DIR can be written");
        std::fs::write(out.join(format!("{name}.rs")), index).expect("OUT_DIR can be written");
    }
}

fn compile(name: &str) -> Vec<u32> {
    let file = format!("{name}.cl");
    let path = Path::new("mathlib").join(&file);
    let text = std::fs::read_to_string(path).expect("the math library's source is part of the crate");
    let mut options = Options::default();
    options.features |= Features::FP64;
    let compilation = frontend::compile(&file, &text, &options);
    compilation.spirv.unwrap_or_else(|| {
        for diagnostic in compilation.diagnostics.iter() {
            println!("cargo:warning={file}: {}: {}", diagnostic.id, diagnostic.message);
        }
        panic!("the math library does not compile");
    })
}

/// A module taken apart into the instructions outside functions, and functions by name.
fn take_apart(words: &[u32]) -> BTreeMap<String, Vec<u32>> {
    let (_, reader) = Reader::new(words).expect("the front end writes SPIR-V");
    let (mut globals, mut functions) = (Vec::new(), Vec::<Vec<Instruction<'_>>>::new());
    let mut inside = false;
    for inst in reader.map(|i| i.expect("the front end writes whole instructions")) {
        match inst.op {
            Op::Line | Op::NoLine => {}
            Op::Function => {
                inside = true;
                functions.push(vec![inst]);
            }
            _ if inside => {
                functions.last_mut().expect("inside one").push(inst);
                inside = inst.op != Op::FunctionEnd;
            }
            _ => globals.push(inst),
        }
    }
    let id = |function: &[Instruction<'_>]| function[0].operands[1];
    let names: BTreeMap<u32, String> = globals
        .iter()
        .filter(|i| i.op == Op::Name)
        .map(|i| (i.operands[0], i.string(1).expect("a name").0))
        .collect();
    let module = |function: &Vec<Instruction<'_>>| {
        let called: BTreeSet<u32> =
            function.iter().filter(|i| i.op == Op::FunctionCall).map(|i| i.operands[2]).collect();
        let declared = functions.iter().filter(|f| called.contains(&id(f))).flat_map(|f| {
            let head =
                f.iter().filter(|i| matches!(i.op, Op::Function | Op::FunctionParameter | Op::FunctionEnd));
            head.collect::<Vec<_>>()
        });
        let body: Vec<&Instruction<'_>> = declared.chain(function).collect();
        let mut module = words[..HEADER].to_vec();
        for inst in needed(&globals, &body).into_iter().chain(body) {
            module.extend(&words[inst.at..=inst.at + inst.operands.len()]);
        }
        (names[&id(function)].clone(), module)
    };
    functions.iter().map(module).collect()
}

/// What functions need of the instructions outside. Any word of an instruction is taken for an id, so that no grammar
/// is needed: a number that happens to be one makes a module larger and nothing worse.
fn needed<'i, 'w>(globals: &'i [Instruction<'w>], body: &[&Instruction<'w>]) -> Vec<&'i Instruction<'w>> {
    let mut used: BTreeSet<u32> = body.iter().flat_map(|i| i.operands).copied().collect();
    let functions: BTreeSet<u32> =
        body.iter().filter(|i| i.op == Op::Function).map(|i| i.operands[1]).collect();
    let mut kept = Vec::new();
    // Uses come after what they use.
    for inst in globals.iter().rev() {
        let keep = match inst.op {
            Op::MemoryModel | Op::ExtInstImport => true,
            Op::Name => functions.contains(&inst.operands[0]),
            Op::Decorate => used.contains(&inst.operands[0]),
            op if format!("{op:?}").starts_with("Type") => used.contains(&inst.operands[0]),
            op if format!("{op:?}").contains("Constant") || op == Op::Undef => {
                used.contains(&inst.operands[1])
            }
            Op::Capability
            | Op::Extension
            | Op::Source
            | Op::String
            | Op::MemberName
            | Op::ModuleProcessed => false,
            op => panic!("the math library must do without {op:?} outside functions"),
        };
        if keep {
            kept.push(inst);
            if !matches!(inst.op, Op::Name | Op::Decorate | Op::MemoryModel | Op::ExtInstImport) {
                used.extend(inst.operands);
            }
        }
    }
    kept.reverse();
    kept
}

//! Accepted and refused modules: those of our front end, modules made by hand that each break one rule, and damaged words.

use super::*;
use crate::{LowerOptions, Target, lower};
use frontend::options::{Features, LangVersion, Options};
use spirv_io::spirv::{AddressingModel, Capability, Decoration, ExecutionModel, MemoryModel, StorageClass};
use spirv_io::{Builder, Id, Section, string_words};

fn compile(text: &str) -> Vec<u32> {
    let options = Options { std: LangVersion::Cl3_0, features: Features::all(), ..Options::default() };
    let compiled = frontend::compile("test.cl", text, &options);
    let diagnostics: Vec<_> = compiled.diagnostics.iter().map(|d| d.message.clone()).collect();
    compiled.spirv.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// A module with a kernel of one argument, whose body is made by hand.
struct Maker {
    b: Builder,
    int: Id,
    float: Id,
    boolean: Id,
    void: Id,
    /// Pointers to global ints.
    pointer: Id,
    argument: Id,
    entry: Id,
    function: Id,
}

impl Maker {
    fn new() -> Maker {
        let mut b = Builder::new(1, 2);
        for capability in [Capability::Kernel, Capability::Addresses, Capability::Linkage] {
            b.capability(capability);
        }
        let model = [AddressingModel::Physical64 as u32, MemoryModel::OpenCL as u32];
        b.push(Section::MemoryModel, Op::MemoryModel, &model);
        let int = b.unique(Op::TypeInt, None, &[32, 0]);
        let (float, boolean) = (b.unique(Op::TypeFloat, None, &[32]), b.unique(Op::TypeBool, None, &[]));
        let void = b.unique(Op::TypeVoid, None, &[]);
        let pointer = b.unique(Op::TypePointer, None, &[StorageClass::CrossWorkgroup as u32, int.0]);
        let signature = b.unique(Op::TypeFunction, None, &[void.0, pointer.0]);
        let function = b.push_result(Section::Functions, Op::Function, Some(void), &[0, signature.0]);
        let argument = b.push_result(Section::Functions, Op::FunctionParameter, Some(pointer), &[]);
        let mut words = vec![ExecutionModel::Kernel as u32, function.0];
        words.extend(string_words("k"));
        b.push(Section::EntryPoints, Op::EntryPoint, &words);
        let entry = b.push_result(Section::Functions, Op::Label, None, &[]);
        Maker { b, int, float, boolean, void, pointer, argument, entry, function }
    }

    fn constant(&mut self, value: u32) -> u32 {
        self.b.unique(Op::Constant, Some(self.int), &[value]).0
    }

    fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> u32 {
        self.b.push_result(Section::Functions, op, Some(ty), operands).0
    }

    fn put(&mut self, op: Op, operands: &[u32]) {
        self.b.push(Section::Functions, op, operands);
    }

    fn label(&mut self) -> u32 {
        self.b.push_result(Section::Functions, Op::Label, None, &[]).0
    }

    fn finish(mut self) -> Vec<u32> {
        self.put(Op::Return, &[]);
        self.put(Op::FunctionEnd, &[]);
        self.b.finish()
    }
}

/// The verdict over a kernel with this in its body: "" for passed.
fn verdict(body: impl FnOnce(&mut Maker)) -> String {
    let mut maker = Maker::new();
    body(&mut maker);
    validate(&maker.finish()).err().map(|e| e.to_string()).unwrap_or_default()
}

#[track_caller]
fn breaks(rule: &str, body: impl FnOnce(&mut Maker)) {
    let found = verdict(body);
    assert!(found.contains(rule), "'{found}' is not '{rule}'");
}

#[test]
fn our_own_modules_pass() {
    let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases/run");
    let (mut work, mut passed) = (vec![cases], 0);
    while let Some(path) = work.pop() {
        if path.is_dir() {
            work.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut options =
            Options { std: LangVersion::Cl3_0, features: Features::all(), ..Options::default() };
        let own = text.lines().find_map(|l| l.strip_prefix("// options: ")).unwrap_or("");
        let _ = options.parse_build_options(own);
        let compiled = frontend::compile("case.cl", &text, &options);
        let Some(words) = compiled.spirv else { continue };
        match validate(&words) {
            Ok(()) => passed += 1,
            // Device-side queues, which the lowering does not support.
            Err(ValidateError::Unsupported { .. }) => {}
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
    assert!(passed > 150, "only {passed} cases");
}

#[test]
fn a_module_made_by_hand_passes() {
    assert_eq!(
        verdict(|m| {
            let (one, int, pointer) = (m.constant(1), m.int, m.argument.0);
            let loaded = m.op(Op::Load, int, &[pointer, 2, 4]);
            let sum = m.op(Op::IAdd, int, &[loaded, one]);
            m.put(Op::Store, &[pointer, sum]);
        }),
        ""
    );
}

#[test]
fn headers() {
    let good = Maker::new().finish();
    let with = |at: usize, word: u32| {
        let mut words = good.clone();
        words[at] = word;
        validate(&words).unwrap_err().to_string()
    };
    assert!(validate(&good).is_ok());
    assert!(with(0, 7).contains("not a SPIR-V module"));
    assert!(with(1, 0x1_0700).contains("none of 1.0 to 1.6"));
    assert!(with(3, 0).contains("the bound of ids"));
    assert!(with(3, u32::MAX).contains("the bound of ids"));
    assert!(with(3, 5).contains("is not below the bound"));
    assert!(validate(&good[..good.len() - 1]).unwrap_err().to_string().contains("has no end"));
    assert!(validate(&[]).is_err());
}

#[test]
fn ids() {
    breaks("is not defined", |m| {
        m.op(Op::IAdd, m.int, &[90, 90]);
    });
    breaks("used before it is defined", |m| {
        let later = m.b.id();
        let (one, int) = (m.constant(1), m.int);
        m.op(Op::IAdd, int, &[later.0, one]);
        m.b.push_with_id(Section::Functions, Op::IAdd, Some(int), later, &[one, one]);
    });
    breaks("is defined twice", |m| {
        let (one, int, twice) = (m.constant(1), m.int, m.argument);
        m.b.push_with_id(Section::Functions, Op::IAdd, Some(int), twice, &[one, one]);
    });
    breaks("is no value", |m| {
        m.op(Op::IAdd, m.int, &[m.int.0, m.int.0]);
    });
    breaks("function pointers", |m| {
        m.op(Op::CopyObject, m.int, &[m.function.0]);
    });
    breaks("the result's type is no type", |m| {
        let one = m.constant(1);
        m.op(Op::IAdd, Id(one), &[one, one]);
    });
}

#[test]
fn dominance() {
    // if (c) { x = 1 + 1 } use(x)
    let branches = |m: &mut Maker, in_phi: bool| {
        let (one, int, bools) = (m.constant(1), m.int, m.boolean);
        let condition = m.op(Op::IEqual, bools, &[one, one]);
        let (then, join) = (m.b.id(), m.b.id());
        m.put(Op::BranchConditional, &[condition, then.0, join.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, then, &[]);
        let sum = m.op(Op::IAdd, int, &[one, one]);
        m.put(Op::Branch, &[join.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, join, &[]);
        if in_phi {
            let entry = m.entry.0;
            m.op(Op::Phi, int, &[sum, then.0, one, entry]);
        } else {
            m.op(Op::IAdd, int, &[sum, one]);
        }
    };
    breaks("does not reach its use", |m| branches(m, false));
    assert_eq!(verdict(|m| branches(m, true)), "");
    breaks("does not reach the end of", |m| {
        let (one, int, bools, entry) = (m.constant(1), m.int, m.boolean, m.entry.0);
        let condition = m.op(Op::IEqual, bools, &[one, one]);
        let (then, join) = (m.b.id(), m.b.id());
        m.put(Op::BranchConditional, &[condition, then.0, join.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, then, &[]);
        let sum = m.op(Op::IAdd, int, &[one, one]);
        m.put(Op::Branch, &[join.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, join, &[]);
        m.op(Op::Phi, int, &[one, then.0, sum, entry]);
    });
}

#[test]
fn blocks_and_phis() {
    breaks("is no predecessor", |m| {
        let (one, int, entry) = (m.constant(1), m.int, m.entry.0);
        let next = m.b.id();
        m.put(Op::Branch, &[next.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, next, &[]);
        m.op(Op::Phi, int, &[one, entry, one, next.0]);
    });
    breaks("a predecessor has no value", |m| {
        let int = m.int;
        let next = m.b.id();
        m.put(Op::Branch, &[next.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, next, &[]);
        m.op(Op::Phi, int, &[]);
    });
    breaks("stands behind other instructions", |m| {
        let (one, int, entry) = (m.constant(1), m.int, m.entry.0);
        let next = m.b.id();
        m.put(Op::Branch, &[next.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, next, &[]);
        m.op(Op::IAdd, int, &[one, one]);
        m.op(Op::Phi, int, &[one, entry]);
    });
    breaks("targets the entry block", |m| {
        let entry = m.entry.0;
        m.put(Op::Branch, &[entry]);
        m.label();
    });
    breaks("no block of the function", |m| {
        let int = m.int.0;
        m.put(Op::Branch, &[int]);
        m.label();
    });
    breaks("the block before has no end", |m| {
        m.label();
    });
    breaks("stands outside of a block", |m| {
        m.put(Op::Return, &[]);
        let one = m.constant(1);
        m.op(Op::IAdd, m.int, &[one, one]);
    });
    breaks("two cases have one value", |m| {
        let (one, next) = (m.constant(1), m.b.id());
        m.put(Op::Switch, &[one, next.0, 7, next.0, 7, next.0]);
        m.b.push_with_id(Section::Functions, Op::Label, None, next, &[]);
    });
    breaks("the function returns nothing", |m| {
        let one = m.constant(1);
        m.put(Op::ReturnValue, &[one]);
        m.label();
    });
}

#[test]
fn types() {
    breaks("another type than the result", |m| {
        let (one, half) = (m.constant(1), m.b.unique(Op::Constant, Some(m.float), &[0]));
        m.op(Op::IAdd, m.int, &[one, half.0]);
    });
    breaks("the result is no int", |m| {
        let one = m.constant(1);
        m.op(Op::IAdd, m.float, &[one, one]);
    });
    breaks("not what the pointer points to", |m| {
        m.op(Op::Load, m.float, &[m.argument.0]);
    });
    breaks("is no pointer", |m| {
        let one = m.constant(1);
        m.op(Op::Load, m.int, &[one]);
    });
    breaks("an alignment is no power of two", |m| {
        m.op(Op::Load, m.int, &[m.argument.0, 2, 3]);
    });
    breaks("operand 4 is missing", |m| {
        let one = m.constant(1);
        m.op(Op::IAdd, m.int, &[one]);
    });
    breaks("too many operands", |m| {
        let one = m.constant(1);
        m.op(Op::IAdd, m.int, &[one, one, one]);
    });
    breaks("an index is outside both vectors", |m| {
        let (one, two) = (m.constant(1), m.b.unique(Op::TypeVector, None, &[m.int.0, 2]));
        let vector = m.op(Op::CompositeConstruct, two, &[one, one]);
        m.op(Op::VectorShuffle, two, &[vector, vector, 0, 4]);
    });
    breaks("not as many as the vector's components", |m| {
        let (one, two) = (m.constant(1), m.b.unique(Op::TypeVector, None, &[m.int.0, 2]));
        m.op(Op::CompositeConstruct, two, &[one, one, one]);
    });
    breaks("there is no such scope", |m| {
        let (scope, zero) = (m.constant(9), m.constant(0));
        m.put(Op::ControlBarrier, &[scope, scope, zero]);
    });
    breaks("in work-groups or sub-groups", |m| {
        let (device, zero) = (m.constant(1), m.constant(0));
        m.put(Op::ControlBarrier, &[device, device, zero]);
    });
    breaks("storage class", |m| {
        let local = m.b.unique(Op::TypePointer, None, &[StorageClass::Workgroup as u32, m.int.0]);
        m.op(Op::Bitcast, local, &[m.argument.0]);
    });
    breaks("a pointer becomes no integer", |m| {
        let four = m.b.unique(Op::TypeVector, None, &[m.int.0, 4]);
        m.op(Op::Bitcast, four, &[m.argument.0]);
    });
    breaks("the types do not match logically", |m| {
        let structure =
            |m: &mut Maker, parts: &[u32]| m.b.push_result(Section::Globals, Op::TypeStruct, None, parts);
        let (a, b) = (structure(m, &[m.int.0, m.float.0]), structure(m, &[m.int.0, m.int.0]));
        let value = m.op(Op::Undef, a, &[]);
        m.op(Op::CopyLogical, b, &[value]);
    });
    breaks("other types than it asks for", |m| {
        let set = m.b.import("OpenCL.std");
        let one = m.constant(1);
        m.op(Op::ExtInst, m.int, &[set.0, 14, one]);
    });
}

#[test]
fn the_module() {
    breaks("wrong section", |m| {
        let mut words = vec![m.int.0];
        words.extend(string_words("late"));
        m.b.push(Section::Globals, Op::Name, &words);
    });
    breaks("two kernels have one name", |m| {
        let mut words = vec![ExecutionModel::Kernel as u32, m.function.0];
        words.extend(string_words("k"));
        m.b.push(Section::EntryPoints, Op::EntryPoint, &words);
    });
    breaks("an entry point that is no kernel", |m| {
        let mut words = vec![ExecutionModel::GLCompute as u32, m.function.0];
        words.extend(string_words("other"));
        m.b.push(Section::EntryPoints, Op::EntryPoint, &words);
    });
    breaks("LocalSize needs three sizes", |m| {
        m.b.push(Section::ExecutionModes, Op::ExecutionMode, &[m.function.0, 17, 4, 0, 1]);
    });
    breaks("is no specialization constant", |m| m.b.decorate(m.int, Decoration::SpecId, &[1]));
    breaks("it has no body and is not imported", |m| {
        let signature = m.b.unique(Op::TypeFunction, None, &[m.void.0]);
        m.b.push_result(Section::Declarations, Op::Function, Some(m.void), &[0, signature.0]);
        m.b.push(Section::Declarations, Op::FunctionEnd, &[]);
    });
    breaks("a vector has 2, 3, 4, 8 or 16", |m| {
        m.b.unique(Op::TypeVector, None, &[m.int.0, 5]);
    });
    breaks("have no signedness", |m| {
        m.b.unique(Op::TypeInt, None, &[16, 1]);
    });
    breaks("integers of 7 bits", |m| {
        m.b.unique(Op::TypeInt, None, &[7, 0]);
    });
    breaks("its length is 0", |m| {
        let zero = m.constant(0);
        m.b.unique(Op::TypeArray, None, &[m.int.0, zero]);
    });
    breaks("the arguments are not as many", |m| {
        let signature = m.b.unique(Op::TypeFunction, None, &[m.void.0, m.pointer.0]);
        let callee = m.b.push_result(Section::Declarations, Op::Function, Some(m.void), &[0, signature.0]);
        m.b.push_result(Section::Declarations, Op::FunctionParameter, Some(m.pointer), &[]);
        m.b.push(Section::Declarations, Op::FunctionEnd, &[]);
        let mut words = string_words("callee");
        words.push(1);
        m.b.decorate(callee, Decoration::LinkageAttributes, &words);
        m.op(Op::FunctionCall, m.void, &[callee.0]);
    });
    breaks("a kernel's entry point is called", |m| {
        m.op(Op::FunctionCall, m.void, &[m.function.0, m.argument.0]);
    });
    breaks("OpTypeMatrix", |m| {
        m.b.unique(Op::TypeMatrix, None, &[m.float.0, 2]);
    });
}

#[test]
fn what_kernels_are_given() {
    let variable = |m: &mut Maker, named: bool| {
        let long = m.b.unique(Op::TypeInt, None, &[64, 0]);
        let three = m.b.unique(Op::TypeVector, None, &[long.0, 3]);
        let input = m.b.unique(Op::TypePointer, None, &[StorageClass::Input as u32, three.0]);
        let id = m.b.push_result(Section::Globals, Op::Variable, Some(input), &[StorageClass::Input as u32]);
        if named {
            m.b.decorate(id, Decoration::BuiltIn, &[28]);
        }
    };
    assert_eq!(verdict(|m| variable(m, true)), "");
    breaks("is a built-in variable", |m| variable(m, false));
    breaks("memory that the host cannot give", |m| {
        let generic = m.b.unique(Op::TypePointer, None, &[StorageClass::Generic as u32, m.int.0]);
        let signature = m.b.unique(Op::TypeFunction, None, &[m.void.0, generic.0]);
        m.put(Op::Return, &[]);
        m.put(Op::FunctionEnd, &[]);
        let f = m.b.push_result(Section::Functions, Op::Function, Some(m.void), &[0, signature.0]);
        m.b.push_result(Section::Functions, Op::FunctionParameter, Some(generic), &[]);
        m.label();
        let mut words = vec![ExecutionModel::Kernel as u32, f.0];
        words.extend(string_words("other"));
        m.b.push(Section::EntryPoints, Op::EntryPoint, &words);
    });
    // A function of OpenCL.std with an operand too many, all of the right type.
    breaks("other types than it asks for", |m| {
        let set = m.b.import("OpenCL.std");
        let half = m.b.unique(Op::Constant, Some(m.float), &[0]);
        m.op(Op::ExtInst, m.float, &[set.0, 14, half.0, half.0]);
    });
}

/// Reads of a 2D image with a number of coordinates, in a number of lanes.
#[test]
fn images() {
    let read = |m: &mut Maker, coordinates: u32, texel: u32| {
        let image = m.b.unique(Op::TypeImage, None, &[m.void.0, 1, 0, 0, 0, 0, 0, 0]);
        let pointer = m.b.unique(Op::TypePointer, None, &[StorageClass::UniformConstant as u32, image.0]);
        let zero = m.constant(0);
        let at = m.b.unique(Op::TypeVector, None, &[m.int.0, coordinates]);
        let texel = m.b.unique(Op::TypeVector, None, &[m.float.0, texel]);
        let class = StorageClass::UniformConstant as u32;
        let variable = m.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class]);
        let loaded = m.op(Op::Load, image, &[variable.0]);
        let at = m.op(Op::CompositeConstruct, at, &vec![zero; coordinates as usize]);
        m.op(Op::ImageRead, texel, &[loaded, at]);
        let two = m.b.unique(Op::TypeVector, None, &[m.int.0, 2]);
        m.op(Op::ImageQuerySize, two, &[loaded]);
    };
    assert_eq!(verdict(|m| read(m, 2, 4)), "");
    assert_eq!(verdict(|m| read(m, 4, 4)), "");
    breaks("a texel is one or four", |m| read(m, 2, 3));
    breaks("is no image", |m| {
        let zero = m.constant(0);
        m.op(Op::ImageRead, m.float, &[zero, zero]);
    });
    breaks("several samples", |m| {
        m.b.unique(Op::TypeImage, None, &[m.void.0, 0, 0, 0, 1, 0, 0, 0]);
    });
    breaks("the access qualifier", |m| {
        m.b.unique(Op::TypeImage, None, &[m.void.0, 1, 0, 0, 0, 0, 0, 7]);
    });
}

/// Every word changed in several ways: no panic, and a module that passes is lowered without one.
#[test]
fn damaged_words() {
    let text = "struct S { int a; float4 b[3]; };
        int f(int x) { switch (x) { case 1: return 2; case 7: return x; default: return x * 3; } }
        kernel void k(global struct S *s, local int *l, constant float *c, int n) {
            int i = get_global_id(0);
            for (int j = 0; j < n; j++) { s[i].b[j % 3] += c[j] * exp(c[i]); l[j] = f(j); }
            barrier(CLK_LOCAL_MEM_FENCE);
            s[i].a = atomic_add(&l[0], 3) + as_int(s[i].b[1].xyzw).y;
        }";
    let text = text.replace("as_int(s[i].b[1].xyzw).y", "as_int4(s[i].b[1]).y");
    let whole = compile(&text);
    validate(&whole).unwrap();
    let (target, options) = (Target::minimum(), LowerOptions::default());
    let mut passed = 0;
    for at in 5..whole.len() {
        for value in [0, 1, u32::MAX, whole[at] ^ 1, whole[at] ^ 2, whole[at].wrapping_add(0x1_0000)] {
            let mut damaged = whole.clone();
            damaged[at] = value;
            if validate(&damaged).is_ok() {
                passed += 1;
                // Lowering every one takes long.
                match passed % 16 {
                    0 => drop(lower(&damaged, &target, &options)),
                    _ => drop(crate::read::read(&damaged)),
                }
            }
        }
    }
    assert!(passed > 500, "{passed}");
}

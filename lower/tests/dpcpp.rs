//! Constructs of SPIR-V from DPC++, LLVM's translators and LLVM's backend that OpenCL C does not have.

use pumice_lower::{LowerOptions, Lowered, Target, lower, validate};
use spirv_io::spirv::{Op, StorageClass};

/// OpenCL SPIR-V of a source, 64-bit.
fn spirv(text: &str) -> Vec<u32> {
    let compilation = frontend::compile("dpcpp.cl", text, &frontend::options::Options::default());
    compilation.spirv.expect("it compiles")
}

fn target() -> Target {
    let mut target = Target::minimum();
    target.features.shader_int64 = true;
    target
}

/// The module, its instructions changed one by one; none of them becomes longer.
fn changed(words: &[u32], change: impl Fn(Op, &mut Vec<u32>)) -> Vec<u32> {
    let mut out = words[..5].to_vec();
    let mut at = 5;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        let mut inst = words[at..at + length].to_vec();
        change(Op::from_u32(words[at] & 0xffff).expect("an opcode"), &mut inst);
        inst[0] = (inst.len() as u32) << 16 | inst[0] & 0xffff;
        out.extend(inst);
        at += length;
    }
    out
}

const SOURCE: &str = "kernel void k(global uint *p) {
    uint n = get_global_size(0), l = get_local_id(1);
    p[get_global_id(0) + get_global_id(1) * n] = l + get_group_id(0) + get_work_dim() + get_num_groups(2);
}";

fn lowered(words: &[u32]) -> Lowered {
    validate(words).expect("it is valid");
    lower(words, &target(), &LowerOptions::default()).expect("it is lowered")
}

/// They are variables in global memory there, defined elsewhere; in constant memory, of translators up to 9.
#[test]
fn built_in_variables_in_memory() {
    let words = spirv(SOURCE);
    let input = StorageClass::Input as u32;
    for class in [StorageClass::CrossWorkgroup, StorageClass::UniformConstant] {
        let moved = changed(&words, |op, inst| match op {
            Op::TypePointer if inst[2] == input => inst[2] = class as u32,
            Op::Variable if inst[3] == input => inst[3] = class as u32,
            _ => {}
        });
        assert_ne!(words, moved);
        assert_eq!(lowered(&moved).spirv, lowered(&words).spirv);
        assert!(lowered(&moved).program_data.globals.bytes.is_empty());
        assert!(lowered(&moved).program_data.constants.bytes.is_empty());
    }
}

/// LLVM's backend has nulls in the place of zeros, where it does not optimise.
#[test]
fn members_chosen_by_null() {
    let words = spirv(
        "struct S { int a, b; }; kernel void k(global struct S *s) { struct S t[2] = {s[1], s[2]}; t[s->b].a = 7; *s = t[1]; }",
    );
    let nulls = changed(&words, |op, inst| {
        if op == Op::Constant && inst[3..] == [0] {
            inst.pop();
            inst[0] = Op::ConstantNull as u32;
        }
    });
    assert_ne!(words, nulls);
    assert_eq!(lowered(&nulls).spirv, lowered(&words).spirv);
}

/// Scopes of aliases stand before the decorations that name them, or among the types.
#[test]
fn alias_scopes_before_decorations() {
    let words = spirv(SOURCE);
    let bound = words[3];
    // OpAliasDomainDeclINTEL, OpAliasScopeDeclINTEL, OpAliasScopeListDeclINTEL.
    let scopes =
        [2 << 16 | 5911, bound, 3 << 16 | 5912, bound + 1, bound, 3 << 16 | 5913, bound + 2, bound + 1];
    let decorations = [Op::Decorate as u32, Op::MemberDecorate as u32];
    let types = [Op::TypeInt as u32, Op::TypeVoid as u32, Op::TypeFloat as u32];
    for before in [&decorations[..], &types[..]] {
        let (mut out, mut at, mut put) = (words[..5].to_vec(), 5, false);
        while at < words.len() {
            if !put && before.contains(&(words[at] & 0xffff)) {
                out.extend(scopes);
                put = true;
            }
            let length = (words[at] >> 16) as usize;
            out.extend(&words[at..at + length]);
            at += length;
        }
        out[3] = bound + 3;
        assert!(put);
        validate(&out).expect("it is valid");
        lower(&out, &target(), &LowerOptions::default()).expect("it is lowered");
    }
}

//! Programs from SPIR-V through the C functions: builds, specialization constants, linking with sources, binaries, queries.

use std::ffi::c_void;
use std::ptr::null_mut;

use crate::support;
use frontend::options::{Features, Options};
use opencl_sys as cl;
use pumice::entry::device::clGetDeviceInfo;
use pumice::entry::kernel::clGetKernelSubGroupInfo;
use pumice::entry::program::*;
use spirv_io::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op,
    StorageClass,
};
use spirv_io::{Builder, Section, string_words, words_to_bytes};
use support::*;

/// A source as SPIR-V, as other compilers would give it.
fn spirv(text: &str) -> Vec<u8> {
    let options = Options {
        features: Features::INT64,
        allow_undefined: true,
        kernel_arg_info: true,
        ..Options::default()
    };
    let compiled = frontend::compile("il.cl", text, &options);
    words_to_bytes(&compiled.spirv.expect("a module"))
}

fn from_il(s: &Setup, bytes: &[u8]) -> Result<Owned, Code> {
    let mut error = 1;
    // SAFETY: as many bytes as are said.
    let program =
        unsafe { clCreateProgramWithIL(s.context.0, bytes.as_ptr().cast(), bytes.len(), &mut error) };
    if error == 0 { Ok(Owned(program, clReleaseProgram)) } else { Err(error) }
}

fn il(s: &Setup, bytes: &[u8]) -> Owned {
    from_il(s, bytes).expect("a program")
}

fn run(s: &Setup, program: &Owned, name: &str, count: usize) -> Vec<u32> {
    let (k, out) = (kernel(program, name).expect("a kernel"), s.buffer(256));
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[count], None), 0);
    s.read(&out, count)
}

const SQUARES: &str = "kernel void squares(global uint *out) { uint i = get_global_id(0); out[i] = i * i; }";

#[test]
fn built_and_run() {
    let Some(s) = setup() else { return };
    let bytes = spirv(SQUARES);
    let program = il(&s, &bytes);
    assert_eq!(program_info(&program, cl::CL_PROGRAM_IL), Ok(bytes.clone()));
    assert_eq!(text(program_info(&program, cl::CL_PROGRAM_SOURCE)), "");
    assert_eq!(s.status(&program), cl::CL_BUILD_NONE);
    assert_eq!(s.build(&program, "-cl-no-such-option"), cl::CL_INVALID_BUILD_OPTIONS);
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    assert_eq!(text(program_info(&program, cl::CL_PROGRAM_KERNEL_NAMES)), "squares");
    assert_eq!(number(s.build_info(&program, cl::CL_PROGRAM_BINARY_TYPE)), 4);
    assert_eq!(run(&s, &program, "squares", 5), [0, 1, 4, 9, 16]);
    // The other byte order.
    let swapped: Vec<u8> = bytes.chunks(4).flat_map(|c| [c[3], c[2], c[1], c[0]]).collect();
    let program = il(&s, &swapped);
    assert_eq!(program_info(&program, cl::CL_PROGRAM_IL), Ok(swapped));
    assert_eq!(s.build(&program, ""), 0);
    // Its binary is a program, too, and no IL.
    let loaded = s.load_binary(&s.binary(&program)).expect("a program");
    assert_eq!(s.build(&loaded, ""), 0);
    assert_eq!(run(&s, &loaded, "squares", 3), [0, 1, 4]);
    assert_eq!(program_info(&loaded, cl::CL_PROGRAM_IL), Ok(Vec::new()));
}

/// What the extensions that a device names allow: decorations that products and sums do not wrap, and an import of the debug
/// information's set.
#[test]
fn modules_with_what_extensions_allow() {
    let Some(s) = setup() else { return };
    let bytes = spirv(SQUARES);
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    let (mut out, mut next, mut extended, mut decorated) = (words[..5].to_vec(), words[3], false, false);
    let product = {
        let (mut at, mut found) = (5, None);
        while at < words.len() {
            found = found.or((words[at] & 0xffff == Op::IMul as u32).then(|| words[at + 2]));
            at += (words[at] >> 16) as usize;
        }
        found.expect("a product")
    };
    // Not an extension's: of SPIR-V 1.6, as Decoration::Uniform below.
    out.extend([(2 << 16) | Op::Capability as u32, Capability::UniformDecoration as u32]);
    let mut at = 5;
    while at < words.len() {
        let (op, length) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        if (op == Op::ExtInstImport as u32 || op == Op::MemoryModel as u32) && !extended {
            extended = true;
            for name in ["SPV_KHR_no_integer_wrap_decoration", "SPV_KHR_linkonce_odr"] {
                let name = string_words(name);
                out.push(((name.len() as u32 + 1) << 16) | Op::Extension as u32);
                out.extend(name);
            }
        }
        if op == Op::MemoryModel as u32 {
            let name = string_words("OpenCL.DebugInfo.100");
            out.extend([((name.len() as u32 + 2) << 16) | Op::ExtInstImport as u32, next]);
            out.extend(name);
            next += 1;
        }
        if (19..=39).contains(&op) && !decorated {
            decorated = true;
            for decoration in [Decoration::NoSignedWrap, Decoration::NoUnsignedWrap, Decoration::Uniform] {
                out.extend([(3 << 16) | Op::Decorate as u32, product, decoration as u32]);
            }
        }
        out.extend(&words[at..at + length]);
        at += length;
    }
    assert!(extended && decorated);
    out[3] = next;
    let program = il(&s, &words_to_bytes(&out));
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    assert_eq!(run(&s, &program, "squares", 4), [0, 1, 4, 9]);
}

/// Of SPIR-V 1.4 and 1.5: a copy between structures that match logically, and a pointer as two words and back.
#[test]
fn copies_and_casts_of_later_versions() {
    let Some(s) = setup() else { return };
    let mut b = Builder::new(1, 5);
    for capability in [Capability::Kernel, Capability::Addresses, Capability::Int64] {
        b.capability(capability);
    }
    b.push(
        Section::MemoryModel,
        Op::MemoryModel,
        &[AddressingModel::Physical64 as u32, MemoryModel::OpenCL as u32],
    );
    let (int, long) = (b.unique(Op::TypeInt, None, &[32, 0]), b.unique(Op::TypeInt, None, &[64, 0]));
    let (void, two) = (b.unique(Op::TypeVoid, None, &[]), b.unique(Op::TypeVector, None, &[int.0, 2]));
    let pair = b.push_result(Section::Globals, Op::TypeStruct, None, &[int.0, two.0]);
    let other = b.push_result(Section::Globals, Op::TypeStruct, None, &[int.0, two.0]);
    let [outer, outer2] =
        [pair, other].map(|t| b.push_result(Section::Globals, Op::TypeStruct, None, &[t.0, int.0]));
    let class = StorageClass::CrossWorkgroup as u32;
    let global = b.unique(Op::TypePointer, None, &[class, int.0]);
    let structures = b.unique(Op::TypePointer, None, &[class, outer2.0]);
    let longs = b.unique(Op::TypePointer, None, &[class, long.0]);
    let number = |b: &mut Builder, n: u32| b.unique(Op::Constant, Some(int), &[n]);
    let (seven, eight, nine) = (number(&mut b, 7), number(&mut b, 8), number(&mut b, 9));
    let six = number(&mut b, 6);
    let vector = b.push_result(Section::Globals, Op::ConstantComposite, Some(two), &[eight.0, nine.0]);
    let inner = b.push_result(Section::Globals, Op::ConstantComposite, Some(pair), &[seven.0, vector.0]);
    let whole = b.push_result(Section::Globals, Op::ConstantComposite, Some(outer), &[inner.0, six.0]);
    let signature = b.unique(Op::TypeFunction, None, &[void.0, global.0]);
    let f = Section::Functions;
    let function = b.push_result(f, Op::Function, Some(void), &[0, signature.0]);
    let mut words = vec![ExecutionModel::Kernel as u32, function.0];
    words.extend(string_words("k"));
    b.push(Section::EntryPoints, Op::EntryPoint, &words);
    let out = b.push_result(f, Op::FunctionParameter, Some(global), &[]);
    b.push_result(f, Op::Label, None, &[]);
    let place = b.push_result(f, Op::Bitcast, Some(structures), &[out.0]);
    let copy = b.push_result(f, Op::CopyLogical, Some(outer2), &[whole.0]);
    b.push(f, Op::Store, &[place.0, copy.0, 2, 4]);
    // The difference of the two forms of an address goes to words 8 and 9, by way of a pointer made of words.
    let address = b.push_result(f, Op::Bitcast, Some(two), &[out.0]);
    let wide = b.push_result(f, Op::Bitcast, Some(long), &[out.0]);
    let again = b.push_result(f, Op::Bitcast, Some(long), &[address.0]);
    let difference = b.push_result(f, Op::ISub, Some(long), &[wide.0, again.0]);
    let same = b.push_result(f, Op::Bitcast, Some(longs), &[address.0]);
    let four = number(&mut b, 4);
    let far = b.push_result(f, Op::InBoundsPtrAccessChain, Some(longs), &[same.0, four.0]);
    b.push(f, Op::Store, &[far.0, difference.0, 2, 8]);
    b.push(f, Op::Return, &[]);
    b.push(f, Op::FunctionEnd, &[]);
    let program = il(&s, &words_to_bytes(&b.finish()));
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    let (k, out) = (kernel(&program, "k").expect("a kernel"), s.buffer(40));
    s.write(&out, &[5u32; 10]);
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[1], None), 0);
    assert_eq!(s.read(&out, 10), [7, 5, 8, 9, 6, 5, 5, 5, 0, 0]);
}

#[test]
fn ill_formed_is_no_program_and_unknown_is_none_that_builds() {
    let Some(s) = setup() else { return };
    let bytes = spirv(SQUARES);
    for cut in [0, 3, 4, 20, 24, bytes.len() - 4, bytes.len() - 1] {
        assert_eq!(from_il(&s, &bytes[..cut]).err(), Some(cl::CL_INVALID_VALUE), "{cut} bytes");
    }
    let mut words: Vec<u32> =
        bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("whole"))).collect();
    // A result that is used as a type.
    let function = words.iter().position(|w| *w == 5 << 16 | Op::Function as u32).expect("a function");
    words[function + 1] = words[function + 2];
    assert_eq!(from_il(&s, &words_to_bytes(&words)).err(), Some(cl::CL_INVALID_VALUE));
    // Well-formed, but with a matrix.
    let mut b = Builder::new(1, 0);
    b.push(Section::MemoryModel, Op::MemoryModel, &[2, 2]);
    let float = b.unique(Op::TypeFloat, None, &[32]);
    let column = b.unique(Op::TypeVector, None, &[float.0, 2]);
    b.unique(Op::TypeMatrix, None, &[column.0, 2]);
    let program = il(&s, &words_to_bytes(&b.finish()));
    assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(&program).contains("OpTypeMatrix"), "{}", s.log(&program));
    assert_eq!(s.compile(&program, "", &[]), cl::CL_COMPILE_PROGRAM_FAILURE);
    // A function that nobody defines.
    let program = il(&s, &spirv("uint gone(uint x); kernel void k(global uint *p) { *p = gone(*p); }"));
    assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(&program).contains("gone"), "{}", s.log(&program));
    // A variable that nobody defines, and one with its address; what does not use them builds.
    let lost = "extern constant uint lost[4]; constant uint *constant to = lost + 1; kernel void none(global uint *p) { *p = 1; }";
    let program = il(&s, &spirv(lost));
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    for used in ["lost[*p & 3]", "to[*p & 1]"] {
        let text = format!(
            "{lost} uint give(global uint *p) {{ return {used}; }} kernel void k(global uint *p) {{ *p = give(p); }}"
        );
        let program = il(&s, &spirv(&text));
        assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
        assert!(s.log(&program).contains("lost"), "{}", s.log(&program));
    }
}

#[test]
fn linked_with_sources() {
    let Some(s) = setup() else { return };
    let user = "uint twice(uint x); kernel void k(global uint *out) { out[get_global_id(0)] = twice(get_global_id(0)); }";
    let giver = "uint twice(uint x) { return 2 * x; }";
    for il_first in [true, false] {
        let (one, other) = if il_first { (user, giver) } else { (giver, user) };
        let (from_il, from_source) = (il(&s, &spirv(one)), s.program(other));
        for program in [&from_il, &from_source] {
            assert_eq!(s.compile(program, "", &[]), 0, "{}", s.log(program));
            assert_eq!(number(s.build_info(program, cl::CL_PROGRAM_BINARY_TYPE)), 1);
        }
        let (linked, code) = s.link("", &[&from_il, &from_source]);
        let linked = linked.expect("a program");
        assert_eq!(code, 0, "{}", s.log(&linked));
        assert_eq!(run(&s, &linked, "k", 4), [0, 2, 4, 6]);
        // An object's binary holds it, too.
        let object = s.load_binary(&s.binary(&from_il)).expect("an object");
        let (linked, code) = s.link("", &[&object, &from_source]);
        assert_eq!((linked.is_some(), code), (true, 0));
    }
}

/// `out[i] = NUMBER * size of an array of LENGTH + 1 ints + FLAG * 1000`, with work-groups of SIZE: constants 5, 6 and 7,
/// of 32, 16 and 1 bit, and 8.
fn special() -> Vec<u8> {
    let mut b = Builder::new(1, 2);
    for capability in [Capability::Kernel, Capability::Addresses, Capability::Int16, Capability::Int64] {
        b.capability(capability);
    }
    let model = [AddressingModel::Physical64 as u32, MemoryModel::OpenCL as u32];
    b.push(Section::MemoryModel, Op::MemoryModel, &model);
    let (int, short) = (b.unique(Op::TypeInt, None, &[32, 0]), b.unique(Op::TypeInt, None, &[16, 0]));
    let (long, bools) = (b.unique(Op::TypeInt, None, &[64, 0]), b.unique(Op::TypeBool, None, &[]));
    let void = b.unique(Op::TypeVoid, None, &[]);
    let one = b.unique(Op::Constant, Some(int), &[1]);
    let zero = b.unique(Op::Constant, Some(int), &[0]);
    let thousand = b.unique(Op::Constant, Some(int), &[1000]);
    let mut spec = |op, ty, words: &[u32], number| {
        let id = b.push_result(Section::Globals, op, Some(ty), words);
        b.decorate(id, Decoration::SpecId, &[number]);
        id
    };
    let number = spec(Op::SpecConstant, int, &[3], 5);
    let length = spec(Op::SpecConstant, short, &[9], 6);
    let flag = spec(Op::SpecConstantTrue, bools, &[], 7);
    let size = spec(Op::SpecConstant, int, &[2], 8);
    let op = |b: &mut Builder, op: Op, operands: &[u32]| {
        let mut words = vec![op as u32];
        words.extend_from_slice(operands);
        b.push_result(Section::Globals, Op::SpecConstantOp, Some(int), &words)
    };
    let wide = op(&mut b, Op::UConvert, &[length.0]);
    let more = op(&mut b, Op::IAdd, &[wide.0, one.0]);
    let array = b.push_result(Section::Globals, Op::TypeArray, None, &[int.0, more.0]);
    let class = |c: StorageClass| c as u32;
    let private = b.unique(Op::TypePointer, None, &[class(StorageClass::Function), array.0]);
    let element = b.unique(Op::TypePointer, None, &[class(StorageClass::Function), int.0]);
    let global = b.unique(Op::TypePointer, None, &[class(StorageClass::CrossWorkgroup), int.0]);
    let three = b.unique(Op::TypeVector, None, &[long.0, 3]);
    let input = b.unique(Op::TypePointer, None, &[class(StorageClass::Input), three.0]);
    let id = b.push_result(Section::Globals, Op::Variable, Some(input), &[class(StorageClass::Input)]);
    b.decorate(id, Decoration::BuiltIn, &[BuiltIn::GlobalInvocationId as u32]);
    let signature = b.unique(Op::TypeFunction, None, &[void.0, global.0]);
    let f = Section::Functions;
    let function = b.push_result(f, Op::Function, Some(void), &[0, signature.0]);
    let mut words = vec![ExecutionModel::Kernel as u32, function.0];
    words.extend(string_words("k"));
    words.push(id.0);
    b.push(Section::EntryPoints, Op::EntryPoint, &words);
    let mode = [function.0, ExecutionMode::LocalSizeId as u32, size.0, one.0, one.0];
    b.push(Section::ExecutionModes, Op::ExecutionModeId, &mode);
    let out = b.push_result(f, Op::FunctionParameter, Some(global), &[]);
    b.push_result(f, Op::Label, None, &[]);
    let list = b.push_result(f, Op::Variable, Some(private), &[class(StorageClass::Function)]);
    let last = b.push_result(f, Op::InBoundsAccessChain, Some(element), &[list.0, wide.0]);
    b.push(f, Op::Store, &[last.0, more.0, 2, 4]);
    let stored = b.push_result(f, Op::Load, Some(int), &[last.0, 2, 4]);
    let product = b.push_result(f, Op::IMul, Some(int), &[number.0, stored.0]);
    let extra = b.push_result(f, Op::Select, Some(int), &[flag.0, thousand.0, zero.0]);
    let sum = b.push_result(f, Op::IAdd, Some(int), &[product.0, extra.0]);
    let ids = b.push_result(f, Op::Load, Some(three), &[id.0]);
    let index = b.push_result(f, Op::CompositeExtract, Some(long), &[ids.0, 0]);
    let place = b.push_result(f, Op::InBoundsPtrAccessChain, Some(global), &[out.0, index.0]);
    b.push(f, Op::Store, &[place.0, sum.0, 2, 4]);
    b.push(f, Op::Return, &[]);
    b.push(f, Op::FunctionEnd, &[]);
    words_to_bytes(&b.finish())
}

fn specialize(program: &Owned, number: u32, value: &[u8]) -> Code {
    // SAFETY: as many bytes as are said.
    unsafe { clSetProgramSpecializationConstant(program.0, number, value.len(), value.as_ptr().cast()) }
}

#[test]
fn specialization_constants() {
    let Some(s) = setup() else { return };
    let program = il(&s, &special());
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    assert_eq!(run(&s, &program, "k", 4), [1030; 4]);
    assert_eq!(specialize(&program, 4, &[1, 0, 0, 0]), cl::CL_INVALID_SPEC_ID);
    assert_eq!(specialize(&program, 5, &[1, 0]), cl::CL_INVALID_VALUE);
    assert_eq!(specialize(&program, 7, &[1, 0, 0, 0]), cl::CL_INVALID_VALUE);
    // SAFETY: NULL is refused.
    let code = unsafe { clSetProgramSpecializationConstant(program.0, 5, 4, std::ptr::null()) };
    assert_eq!(code, cl::CL_INVALID_VALUE);
    assert_eq!(specialize(&s.program(SQUARES), 5, &[1, 0, 0, 0]), cl::CL_INVALID_PROGRAM);
    // The last value counts, from the next build on.
    assert_eq!(specialize(&program, 5, &[9, 0, 0, 0]), 0);
    assert_eq!(specialize(&program, 5, &[7, 0, 0, 0]), 0);
    assert_eq!(specialize(&program, 6, &[99, 0]), 0);
    assert_eq!(run(&s, &program, "k", 2), [1030; 2]);
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    assert_eq!(run(&s, &program, "k", 2), [1700; 2]);
    assert_eq!(specialize(&program, 7, &[0]), 0);
    assert_eq!(s.build(&program, ""), 0);
    assert_eq!(run(&s, &program, "k", 2), [700; 2]);
    // The size of a work-group.
    let k = kernel(&program, "k").expect("a kernel");
    let out = s.buffer(256);
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[4], Some(&[4])), cl::CL_INVALID_WORK_GROUP_SIZE);
    drop(k);
    assert_eq!(specialize(&program, 8, &[4, 0, 0, 0]), 0);
    assert_eq!(s.build(&program, ""), 0);
    let k = kernel(&program, "k").expect("a kernel");
    assert_eq!(set(&k, 0, out.0), 0);
    assert_eq!(s.launch(&k, &[4], Some(&[4])), 0);
    // A size of 0 is no size.
    drop(k);
    assert_eq!(specialize(&program, 8, &[0; 4]), 0);
    assert_eq!(s.build(&program, ""), cl::CL_BUILD_PROGRAM_FAILURE);
    assert!(s.log(&program).contains("zero"), "{}", s.log(&program));
}

/// The kernel of [`special`] with another execution mode in its OpExecutionModeId's place.
fn with_mode(mode: ExecutionMode, operands: &[u32]) -> Vec<u8> {
    let words: Vec<u32> = special().as_chunks::<4>().0.iter().map(|four| u32::from_le_bytes(*four)).collect();
    let (mut out, mut at) = (words[..5].to_vec(), 5);
    while at < words.len() {
        let (op, length) = (words[at] & 0xffff, (words[at] >> 16) as usize);
        if op == Op::ExecutionModeId as u32 {
            out.push((3 + operands.len() as u32) << 16 | Op::ExecutionMode as u32);
            out.extend([words[at + 1], mode as u32]);
            out.extend(operands);
        } else {
            out.extend(&words[at..at + length]);
        }
        at += length;
    }
    words_to_bytes(&out)
}

/// Execution modes of sub-groups are kept or refused, and so is what would change results (SPIR-V Environment specification,
/// "Execution Modes").
#[test]
fn execution_modes() {
    let Some(s) = setup() else { return };
    // SAFETY: the place has its size.
    let device = |param| query(|n, v, r| unsafe { clGetDeviceInfo(s.device, param, n, v, r) });
    if number(device(cl::CL_DEVICE_MAX_NUM_SUB_GROUPS)) == 0 {
        return;
    }
    let program = il(&s, &with_mode(ExecutionMode::SubgroupsPerWorkgroup, &[2]));
    assert_eq!(s.build(&program, ""), 0, "{}", s.log(&program));
    let (k, out) = (kernel(&program, "k").expect("a kernel"), s.buffer(1024));
    assert_eq!(set(&k, 0, out.0), 0);
    let size = number(group_info(&k, cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)) as usize;
    assert_eq!(s.launch(&k, &[4 * size], Some(&[size])), cl::CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(s.launch(&k, &[4 * size], Some(&[2 * size])), 0);
    assert_eq!(s.launch(&k, &[4 * size], None), 0);
    assert_eq!(s.read(&out, 4 * size), vec![1030; 4 * size]);
    // SAFETY: the place has its size.
    let count = query(|n, v, r| unsafe {
        let none = std::ptr::null();
        clGetKernelSubGroupInfo(k.0, s.device, cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, none, n, v, r)
    });
    assert_eq!(number(count), 2);
    // The device's own size of sub-groups, and another.
    let build = |mode, operands: &[u32]| {
        let program = il(&s, &with_mode(mode, operands));
        (s.build(&program, ""), s.log(&program))
    };
    assert_eq!(build(ExecutionMode::SubgroupSize, &[size as u32]).0, 0);
    let (code, log) = build(ExecutionMode::SubgroupSize, &[size as u32 + 1]);
    assert!(code == cl::CL_BUILD_PROGRAM_FAILURE && log.contains("sub-groups of"), "{log}");
    for mode in [ExecutionMode::RoundingModeRTZ, ExecutionMode::DenormFlushToZero, ExecutionMode::Initializer]
    {
        let operands: &[u32] = if mode == ExecutionMode::Initializer { &[] } else { &[32] };
        let (code, log) = build(mode, operands);
        assert!(code == cl::CL_BUILD_PROGRAM_FAILURE && log.contains(&format!("{mode:?}")), "{log}");
    }
    assert_eq!(build(ExecutionMode::RoundingModeRTE, &[32]).0, 0);
}

#[test]
fn information_on_arguments_is_what_the_module_has() {
    let Some(s) = setup() else { return };
    let program = il(&s, &special());
    assert_eq!(s.build(&program, "-cl-kernel-arg-info"), 0);
    let k = kernel(&program, "k").expect("a kernel");
    for param in [cl::CL_KERNEL_ARG_NAME, cl::CL_KERNEL_ARG_TYPE_NAME, cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER] {
        assert_eq!(arg_info(&k, 0, param), Err(cl::CL_KERNEL_ARG_INFO_NOT_AVAILABLE));
    }
    let program = il(&s, &spirv(SQUARES));
    assert_eq!(s.build(&program, ""), 0);
    let k = kernel(&program, "squares").expect("a kernel");
    assert_eq!(text(arg_info(&k, 0, cl::CL_KERNEL_ARG_NAME)), "out");
    assert_eq!(text(arg_info(&k, 0, cl::CL_KERNEL_ARG_TYPE_NAME)), "uint*");
}

#[test]
fn what_the_device_says() {
    let Some(s) = setup() else { return };
    let ask = |param: u32| {
        // SAFETY: the place has the size that it is said to have.
        query(|n, v, size| unsafe { clGetDeviceInfo(s.device, param, n, v, size) })
    };
    let versions = text(ask(cl::CL_DEVICE_IL_VERSION));
    let named = ask(cl::CL_DEVICE_ILS_WITH_VERSION).expect("an answer");
    let listed: Vec<String> = named
        .chunks(size_of::<cl::cl_name_version>())
        .map(|c| {
            let version = u32::from_ne_bytes(c[..4].try_into().expect("four bytes"));
            let name: Vec<u8> = c[4..].iter().copied().take_while(|b| *b != 0).collect();
            format!("{}_{}.{}", String::from_utf8_lossy(&name), version >> 22, version >> 12 & 0x3ff)
        })
        .collect();
    assert_eq!(versions.split(' ').collect::<Vec<_>>(), listed);
    assert!(listed.contains(&"SPIR-V_1.0".to_owned()) && listed.contains(&"SPIR-V_1.4".to_owned()));
    let strings = |param: u32| -> Vec<String> {
        let pointers = numbers(ask(param));
        // SAFETY: strings of the library's own, which live as long as it.
        let text =
            |p: u64| unsafe { std::ffi::CStr::from_ptr(std::ptr::with_exposed_provenance(p as usize)) };
        pointers.into_iter().map(|p| text(p).to_string_lossy().into_owned()).collect()
    };
    let sets = strings(cl::CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS);
    assert_eq!(sets, ["OpenCL.std", "OpenCL.DebugInfo.100"]);
    assert!(strings(cl::CL_DEVICE_SPIRV_EXTENSIONS).contains(&"SPV_KHR_expect_assume".to_owned()));
    let capabilities = ask(cl::CL_DEVICE_SPIRV_CAPABILITIES).expect("an answer");
    let capabilities: Vec<u32> =
        capabilities.chunks(4).map(|c| u32::from_ne_bytes(c.try_into().expect("whole"))).collect();
    let needed = [Capability::Addresses, Capability::Kernel, Capability::Linkage, Capability::Int8];
    for needed in needed.into_iter().chain([Capability::UniformDecoration]) {
        assert!(capabilities.contains(&(needed as u32)), "{needed:?}");
    }
    // The function of cl_khr_il_program by its name.
    // SAFETY: a string.
    let address: *mut c_void = unsafe {
        pumice::entry::extension::clGetExtensionFunctionAddress(c"clCreateProgramWithILKHR".as_ptr())
    };
    assert_ne!(address, null_mut());
}

//! The instructions that pipes and device-side enqueue become, with their operands.

use pumice_frontend::compile;
use pumice_frontend::diag::{Style, render};
use pumice_frontend::options::{AddressWidth, Features, LangVersion, Options};
use spirv_io::Reader;
use spirv_io::spirv::Op;

/// The instructions of a module, each with its words behind the first.
struct Module(Vec<(Op, Vec<u32>)>);

impl Module {
    fn compile(text: &str, address_width: AddressWidth) -> Module {
        let options = Options {
            std: LangVersion::Cl2_0,
            features: Features::all(),
            address_width,
            ..Options::default()
        };
        let compiled = compile("k.cl", text, &options);
        let log = render(&compiled.diagnostics, &compiled.sources, Style::Line);
        let words = compiled.spirv.unwrap_or_else(|| panic!("{log}"));
        if let Ok(folder) = std::env::var("PUMICE_TEST_KEEP") {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            std::fs::write(std::path::Path::new(&folder).join("k.spv"), bytes).expect("written");
        }
        let (_, reader) = Reader::new(&words).expect("a module");
        Module(reader.map(|i| i.expect("an instruction")).map(|i| (i.op, i.rest(0).to_vec())).collect())
    }

    /// The operands of each instruction of a kind.
    fn all(&self, op: Op) -> Vec<&[u32]> {
        self.0.iter().filter(|(o, _)| *o == op).map(|(_, words)| words.as_slice()).collect()
    }

    /// The operands of the one instruction of a kind.
    fn one(&self, op: Op) -> &[u32] {
        match self.all(op)[..] {
            [one] => one,
            ref all => panic!("{} of {op:?}", all.len()),
        }
    }

    /// The instruction whose result is `id`.
    fn result(&self, id: u32) -> (Op, &[u32]) {
        let has_result = |op: Op| {
            use Op::*;
            matches!(op, Constant | ConstantNull | Function | FunctionParameter | Load | BuildNDRange)
                || op == PtrCastToGeneric
        };
        let found = self.0.iter().find(|(op, words)| match format!("{op:?}").starts_with("Type") {
            true => words.first() == Some(&id),
            false => has_result(*op) && words.get(1) == Some(&id),
        });
        let (op, words) = found.expect("a result");
        (*op, words.as_slice())
    }

    fn strings(&self) -> Vec<String> {
        self.all(Op::String)
            .iter()
            .filter_map(|words| Some(spirv_io::decode_string(&words[1..])?.0))
            .collect()
    }

    /// The value of an OpConstant.
    fn constant(&self, id: u32) -> u32 {
        match self.result(id) {
            (Op::Constant, [_, _, value, ..]) => *value,
            (op, _) => panic!("{op:?} is no constant"),
        }
    }
}

#[test]
fn pipes_tell_the_size_and_alignment_of_their_packets() {
    let text = "typedef struct { int a; char b; } packet;
        kernel void k(read_only pipe packet in, write_only pipe float3 out) {
            packet p;
            float3 f;
            read_pipe(in, &p);
            reserve_id_t id = work_group_reserve_write_pipe(out, 5);
            write_pipe(out, id, 4, &f);
            work_group_commit_write_pipe(out, id);
        }";
    let module = Module::compile(text, AddressWidth::Bits64);
    let capabilities = module.all(Op::Capability).concat();
    assert!(capabilities.contains(&17), "Pipes: {capabilities:?}");
    let constants = |ids: &[u32]| ids.iter().map(|id| module.constant(*id)).collect::<Vec<_>>();
    // What clGetKernelArgInfo tells of the arguments.
    assert!(module.strings().iter().any(|s| s == "kernel_arg_type_qual.k.pipe,pipe,"));
    let [_, _, _, pointer, size @ ..] = module.one(Op::ReadPipe) else { panic!() };
    assert_eq!(constants(size), [8, 4]);
    // The packet is read through a generic pointer to it.
    let (_, cast) = module.result(*pointer);
    assert!(matches!(module.result(cast[0]), (Op::TypePointer, [_, 8, _])));
    let [_, _, scope, _, count, size @ ..] = module.one(Op::GroupReserveWritePipePackets) else { panic!() };
    assert_eq!(constants(&[*scope, *count]), [2, 5]);
    assert_eq!(constants(size), [16, 16]);
    let [_, _, _, _, index, _, size @ ..] = module.one(Op::ReservedWritePipe) else { panic!() };
    assert_eq!(module.constant(*index), 4);
    assert_eq!(constants(size), [16, 16]);
    let [scope, _, _, size @ ..] = module.one(Op::GroupCommitWritePipe) else { panic!() };
    assert_eq!(module.constant(*scope), 2);
    assert_eq!(constants(size), [16, 16]);
}

#[test]
fn an_enqueued_block_is_a_function_of_what_it_captures() {
    let text = "kernel void k(global int *a, int n, queue_t q) {
            clk_event_t e;
            enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(8), 0, NULL, &e,
                           ^(local void *p, local void *r) { ((local int *)p)[0] = a[n]; }, 16, 32);
        }";
    let module = Module::compile(text, AddressWidth::Bits64);
    assert!(module.all(Op::Capability).concat().contains(&19), "DeviceEnqueue");
    // SPIR-V: the result, the queue, flags, ND-range, number of events, wait list, event; then the block.
    let [_, _, queue, flags, range, count, wait, event, block @ ..] = module.one(Op::EnqueueKernel) else {
        panic!()
    };
    assert!(matches!(module.result(*queue), (Op::FunctionParameter, _)));
    assert_eq!((module.constant(*flags), module.constant(*count)), (2, 0));
    assert!(matches!(module.result(*range), (Op::BuildNDRange, _)));
    assert!(matches!(module.result(*wait), (Op::ConstantNull, _)));
    assert!(matches!(module.result(*event), (Op::PtrCastToGeneric, _)));
    let [invoke, _, size, align, local @ ..] = block else { panic!("{block:?}") };
    assert_eq!((module.constant(*size), module.constant(*align)), (16, 8));
    assert_eq!(local.iter().map(|l| module.constant(*l)).collect::<Vec<_>>(), [16, 32]);
    // void(generic i8 *, local i8 *, local i8 *)
    let (Op::Function, [result, _, _, ty]) = module.result(*invoke) else { panic!() };
    assert!(matches!(module.result(*result), (Op::TypeVoid, _)));
    let (Op::TypeFunction, [_, _, params @ ..]) = module.result(*ty) else { panic!() };
    let classes: Vec<u32> = params
        .iter()
        .map(|p| match module.result(*p) {
            (Op::TypePointer, [_, class, pointee]) => {
                assert!(matches!(module.result(*pointee), (Op::TypeInt, [_, 8, 0])));
                *class
            }
            (op, _) => panic!("{op:?}"),
        })
        .collect();
    assert_eq!(classes, [8, 4, 4]);
    // The block is no kernel of the program.
    assert_eq!(module.all(Op::EntryPoint).len(), 1);
}

#[test]
fn an_nd_range_is_sizes_as_wide_as_addresses() {
    for (width, bits) in [(AddressWidth::Bits32, 32), (AddressWidth::Bits64, 64)] {
        let text = "kernel void k(queue_t q) {
                size_t global_size[3] = {1, 2, 3}, local_size[3] = {4, 5, 6}, offset[3] = {7, 8, 9};
                ndrange_t r = ndrange_3D(offset, global_size, local_size);
                enqueue_kernel(q, 0, r, ^{ });
            }";
        let module = Module::compile(text, width);
        let [ty, _, global, local, offset] = module.one(Op::BuildNDRange) else { panic!() };
        let (Op::TypeStruct, [_, dimensions, sizes, _, _]) = module.result(*ty) else { panic!() };
        assert!(matches!(module.result(*dimensions), (Op::TypeInt, [_, 32, 0])));
        let (Op::TypeArray, [_, element, length]) = module.result(*sizes) else { panic!() };
        assert!(matches!(module.result(*element), (Op::TypeInt, [_, b, 0]) if *b == bits));
        assert_eq!(module.constant(*length), 3);
        let arrays: Vec<u32> = [global, local, offset]
            .into_iter()
            .map(|id| match module.result(*id) {
                (Op::Load, [ty, ..]) => *ty,
                (op, _) => panic!("{op:?}"),
            })
            .collect();
        assert_eq!(arrays, [*sizes; 3]);
        // A block without captures has no memory.
        let enqueue = module.one(Op::EnqueueKernel);
        let [.., param, size, _] = enqueue else { panic!() };
        assert!(matches!(module.result(*param), (Op::ConstantNull, _)));
        assert_eq!(module.constant(*size), 0);
    }
}

#[test]
fn a_function_is_made_for_each_block_that_it_is_called_with() {
    let text = "int twice(int (^f)(int), int x) { return f(f(x)); }
        kernel void k(global int *a, int n) {
            int (^add)(int) = ^(int x) { return x + n; };
            a[0] = twice(add, 1) + twice(add, 2) + twice(^(int x) { return x * n; }, 3);
        }";
    let module = Module::compile(text, AddressWidth::Bits64);
    // The kernel, two blocks, and twice for each of them; nothing is called through a pointer.
    assert_eq!(module.all(Op::Function).len(), 5);
    let calls = module.all(Op::FunctionCall);
    assert_eq!(calls.len(), 3 + 2 * 2);
    assert!(calls.iter().all(|call| matches!(module.result(call[2]), (Op::Function, _))));
}

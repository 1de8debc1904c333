//! The reader on damaged input; real modules are read in `tests/`.

use super::read;
use crate::error::LowerError;

#[test]
fn damaged() {
    assert!(matches!(read(&[]), Err(LowerError::InvalidModule(_))));
    assert!(matches!(
        read(&[0x0723_0203, 0x10000, 0, 10, 0, 0xffff_0000]),
        Err(LowerError::InvalidModule(_))
    ));
}

/// A small module: header, Physical64 memory model, then these words.
fn module(rest: &[&[u32]]) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x10000, 0, 20, 0, 3 << 16 | 14, 2, 2];
    words.extend(rest.concat());
    words
}

/// A type that contains itself must not be walked for ever.
#[test]
fn types_that_contain_themselves() {
    // %2 = OpTypeStruct %2; and %2 = OpTypeInt 32, then again as a structure of itself.
    assert!(matches!(read(&module(&[&[3 << 16 | 30, 2, 2]])), Err(LowerError::InvalidModule(_))));
    let again: [&[u32]; 2] = [&[4 << 16 | 21, 2, 32, 0], &[3 << 16 | 30, 2, 2]];
    assert!(read(&module(&again)).is_ok());
}

/// Constant expressions over themselves, and deep sharing, end.
#[test]
fn constants_over_themselves() {
    // %2 = int 32; %3 = OpSpecConstantOp IAdd %3 %3; array type %4 of length %3.
    let words =
        module(&[&[4 << 16 | 21, 2, 32, 0], &[6 << 16 | 52, 2, 3, 128, 3, 3], &[4 << 16 | 28, 4, 2, 3]]);
    assert!(matches!(read(&words), Err(LowerError::InvalidModule(_))));
}

/// Words of instructions, the opcode first.
fn words(list: &[&[u32]]) -> Vec<u32> {
    list.iter()
        .flat_map(|i| std::iter::once((i.len() as u32) << 16 | i[0]).chain(i[1..].iter().copied()))
        .collect()
}

/// LLVM's translator places blocks before their dominators: `%10` comes before `%11`, whose value it uses.
#[test]
fn blocks_in_any_order() {
    let body = words(&[
        &[21, 2, 32, 0],      // %2 int
        &[19, 3],             // %3 void
        &[33, 4, 3],          // %4 void()
        &[43, 2, 5, 7],       // %5 = 7
        &[54, 3, 6, 0, 4],    // function
        &[248, 7],            // entry
        &[249, 11],           // branch %11
        &[248, 10],           // %10: uses %12
        &[128, 2, 13, 12, 5], // %13 = %12 + 7
        &[253],               // return
        &[248, 11],           // %11
        &[128, 2, 12, 5, 5],  // %12 = 7 + 7
        &[249, 10],           // branch %10
        &[248, 14],           // %14: nothing leads here
        &[253],
        &[56],
    ]);
    let mut all = module(&[&body]);
    // Nobody imports it: an exported function.
    assert!(crate::validate(&all).is_ok(), "{:?}", crate::validate(&all));
    let read = read(&all).unwrap();
    assert_eq!(read.functions.len(), 1);
    // The same with %10's use not reached.
    let at = all.iter().position(|w| *w == (2 << 16 | 249)).unwrap() + 1;
    all[at] = 10;
    assert!(
        crate::validate(&all).unwrap_err().to_string().contains("does not"),
        "{:?}",
        crate::validate(&all)
    );
}

/// The object of a parameter with FuncParamAttr ByVal is copied at the function's start.
#[test]
fn parameters_by_value() {
    let with = |by_value: u32| {
        module(&[&words(&[
            &[71, 8, 38, by_value], // FuncParamAttr
            &[21, 2, 32, 0],
            &[19, 3],
            &[32, 4, 7, 2], // pointer to private int
            &[33, 5, 3, 4],
            &[43, 2, 6, 7],
            &[54, 3, 7, 0, 5],
            &[55, 4, 8],
            &[248, 9],
            &[62, 8, 6], // store
            &[253],
            &[56],
        ])])
    };
    let copies = |by_value: u32| {
        let words = with(by_value);
        assert!(crate::validate(&words).is_ok(), "{:?}", crate::validate(&words));
        let module = read(&words).unwrap();
        let f = &module.functions[crate::ir::Func(0)];
        let copy = |i: &&crate::ir::Inst| matches!(f.insts[**i].kind, crate::ir::InstKind::Copy { .. });
        f.blocks[f.layout[0]].insts.iter().filter(copy).count()
    };
    assert_eq!((copies(2), copies(5)), (1, 0));
}

/// A device's addresses do not fit into pointers of 32 bits: such modules have descriptors, or are refused by name.
#[test]
fn modules_of_32_bits_have_descriptors() {
    let mut all = module(&[&words(&[
        &[15, 6, 8, u32::from(b'k')],
        &[21, 2, 32, 0],
        &[19, 3],
        &[32, 4, 5, 2], // pointer to global int
        &[33, 5, 3, 4],
        &[43, 2, 6, 7],
        &[54, 3, 8, 0, 5],
        &[55, 4, 9],
        &[248, 10],
        &[62, 9, 6],
        &[253],
        &[56],
    ])]);
    let mut target = crate::Target::minimum();
    (target.features.buffer_device_address, target.features.shader_int64) = (true, true);
    let model = |words: &[u32], binding| {
        let options = crate::LowerOptions { binding, ..crate::LowerOptions::default() };
        crate::lower(words, &target, &options).map(|l| l.kernels[0].binding_model).map_err(|e| e.to_string())
    };
    let address = crate::BindingChoice::Fixed(crate::BindingModel::Address);
    assert_eq!(model(&all, address), Ok(crate::BindingModel::Address));
    let at = all.iter().position(|w| *w == (3 << 16 | 14)).unwrap() + 1;
    all[at] = 1;
    assert!(crate::validate(&all).is_ok(), "{:?}", crate::validate(&all));
    assert_eq!(model(&all, crate::BindingChoice::Auto), Ok(crate::BindingModel::Descriptor));
    assert!(model(&all, address).unwrap_err().contains("Physical64"));
}

/// The literals of a 64-bit switch have two words, also where both are numbers of labels.
#[test]
fn wide_literals_that_are_labels() {
    let body = words(&[
        &[21, 2, 64, 0],                     // %2 long
        &[19, 3],                            // %3 void
        &[33, 4, 3, 2],                      // %4 void(long)
        &[54, 3, 6, 0, 4],                   // function
        &[55, 2, 5],                         // %5 long
        &[248, 7],                           // entry
        &[251, 5, 11, 11, 11, 8, 10, 10, 9], // switch %5: 0xb0000000b to %8, 0xa0000000a to %9, else %11
        &[248, 8],
        &[249, 11],
        &[248, 9],
        &[249, 10],
        &[248, 10],
        &[249, 11],
        &[248, 11],
        &[253],
        &[56],
    ]);
    let read = read(&module(&[&body])).unwrap();
    let function = read.functions.values().next().unwrap();
    let switch = function.layout.iter().find_map(|block| match &function.blocks[*block].term {
        crate::ir::Terminator::Switch { cases, .. } => {
            Some(cases.iter().map(|case| case.0).collect::<Vec<_>>())
        }
        _ => None,
    });
    assert_eq!(switch, Some(vec![0xb_0000_000b, 0xa_0000_000a]), "{read}");
    assert_eq!(function.layout.len(), 5, "{read}");
}

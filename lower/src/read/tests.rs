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

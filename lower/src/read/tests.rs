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

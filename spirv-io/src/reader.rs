//! Walking the instructions of a SPIR-V binary.

use crate::MAGIC;
use spirv::Op;

/// Why a binary could not be read. The offsets are in words from the start of the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// No SPIR-V magic number, or fewer words than a header has.
    #[error("not a SPIR-V module: whole words, of which the first is the magic number")]
    NotSpirv,
    /// An instruction's word count is zero or runs past the end of the module.
    #[error("SPIR-V is damaged: instruction at word {0} runs past the end or has no length")]
    Truncated(usize),
    /// An opcode that no version of SPIR-V known here defines.
    #[error("SPIR-V has an unknown opcode {opcode} at word {at}")]
    UnknownOpcode {
        /// The opcode's number.
        opcode: u16,
        /// Its position.
        at: usize,
    },
    /// An operand is missing or has a value outside its enumeration.
    #[error("SPIR-V instruction {op:?} at word {at} has a missing or bad operand {index}")]
    BadOperand {
        /// The instruction.
        op: Op,
        /// Its position.
        at: usize,
        /// Which operand word, counted from 0 after the opcode word.
        index: usize,
    },
}

/// The five words before the first instruction (SPIR-V §2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Major and minor version of SPIR-V.
    pub version: (u8, u8),
    /// The writing tool's registered number.
    pub generator: u32,
    /// Every id in the module is below this.
    pub bound: u32,
}

/// One instruction, its operands still words.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'a> {
    /// Its opcode.
    pub op: Op,
    /// The words after the opcode word: result type and result id first where the opcode has them.
    pub operands: &'a [u32],
    /// The position of the opcode word, for messages.
    pub at: usize,
}

impl Instruction<'_> {
    /// Operand word `index`.
    ///
    /// # Errors
    /// [`ReadError::BadOperand`] when there are fewer.
    pub fn word(&self, index: usize) -> Result<u32, ReadError> {
        self.operands.get(index).copied().ok_or(self.bad(index))
    }

    /// The operands from `index` on; empty when there are fewer.
    pub fn rest(&self, index: usize) -> &[u32] {
        self.operands.get(index..).unwrap_or(&[])
    }

    /// The literal string that starts at operand `index`, and the index of the word after it.
    ///
    /// # Errors
    /// [`ReadError::BadOperand`] when it has no terminating zero. Bytes that are not UTF-8 become
    /// replacement characters.
    pub fn string(&self, index: usize) -> Result<(String, usize), ReadError> {
        let (text, used) = decode_string(self.rest(index)).ok_or(self.bad(index))?;
        Ok((text, index + used))
    }

    /// The error that names operand `index` of this instruction.
    pub fn bad(&self, index: usize) -> ReadError {
        ReadError::BadOperand { op: self.op, at: self.at, index }
    }
}

/// A literal string at the start of `words` (SPIR-V §2.2.1 "Literal"), and how many words it takes.
pub fn decode_string(words: &[u32]) -> Option<(String, usize)> {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((String::from_utf8_lossy(&bytes).into_owned(), i + 1));
            }
            bytes.push(byte);
        }
    }
    None
}

/// Iterates over the instructions of a module.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads the header and goes to the first instruction.
    ///
    /// # Errors
    /// [`ReadError::NotSpirv`] when the words do not start with a header in this machine's byte order.
    pub fn new(words: &'a [u32]) -> Result<(Header, Self), ReadError> {
        let &[MAGIC, version, generator, bound, _schema, ..] = words else {
            return Err(ReadError::NotSpirv);
        };
        let [_, minor, major, _] = version.to_le_bytes();
        Ok((Header { version: (major, minor), generator, bound }, Reader { words, at: 5 }))
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Instruction<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        let first = *self.words.get(at)?;
        let (count, opcode) = ((first >> 16) as usize, (first & 0xffff) as u16);
        if count == 0 || at + count > self.words.len() {
            self.at = self.words.len();
            return Some(Err(ReadError::Truncated(at)));
        }
        self.at += count;
        Some(match Op::from_u32(u32::from(opcode)) {
            Some(op) => Ok(Instruction { op, operands: &self.words[at + 1..at + count], at }),
            None => Err(ReadError::UnknownOpcode { opcode, at }),
        })
    }
}

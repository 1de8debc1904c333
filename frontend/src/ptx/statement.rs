//! Statements of PTX (§4.3), as they are read.

use super::types::Type;

/// A statement and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// What it is.
    pub what: What,
    /// The byte of the text.
    pub at: usize,
}

/// What a statement is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `name:`
    Label(String),
    /// `.reg .type name, …`; with a count, `name<n>` declares name0 … name(n−1) (§5.4.6).
    Registers(Type, Vec<(String, Option<u32>)>),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    /// `@p` or `@!p`: the predicate, and whether it is negated (§8.3 of older versions, §9.3).
    pub guard: Option<(Operand, bool)>,
    /// The opcode, to the first dot.
    pub name: String,
    /// The modifiers after its dots.
    pub suffixes: Vec<String>,
    /// The operands in order.
    pub operands: Vec<Operand>,
}

/// An operand of an instruction (§6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operand {
    /// A register or label; of a special register, with its component.
    Name(String, Option<String>),
    /// An operand of the `asm` statement.
    Bound(usize),
    /// An integer constant; a negative one as its two's complement.
    Integer(u64),
    /// The bits of a float.
    Float(u32),
    /// The bits of a double.
    Double(u64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `[a+n]`
    Address(Box<Operand>, i64),
    /// `p|q`
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`
    Not(Box<Operand>),
    /// `_`: what is written there is lost.
    Sink,
}

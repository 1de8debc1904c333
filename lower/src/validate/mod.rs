//! The validator of foreign OpenCL SPIR-V: IL for clCreateProgramWithIL, program binaries, and files for `pumice`.
//!
//! Once [`validate`] has passed a module, everything holds that the reader, the linker and later stages rely on. Further rules of
//! SPIR-V are not checked.
//!
//! 1. `collect.rs` walks the module once: header, order of the sections (SPIR-V §2.4), blocks and their terminators,
//!    and one definition for each id.
//! 2. `flow.rs` finds the dominators of each function's blocks (Lengauer and Tarjan).
//! 3. `Checker` walks again. The operands of each instruction match the row of its opcode in `grammar.rs`. Ids are defined before
//!    their uses and dominate them (§2.16.1). Types fit by the row's rule (`rules.rs`, `types.rs`, `module.rs`, `memory.rs`, `image.rs`,
//!    `function.rs`).
//!
//! Work and memory are linear in the module's size (§2.17 limits the bound of ids). Nothing recurses.
//!
//! An instruction without a row ends the walk with [`ValidateError::Unsupported`], for the build log. A new instruction of the reader
//! needs a row.
//!
//! The reader checks everything that specialization can change (lengths, scopes and indices that are no plain constants), limits of
//! size and depth, and debug information.

mod collect;
mod flow;
mod function;
mod grammar;
mod image;
mod memory;
mod module;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use crate::enqueue::lower_enqueue;
use crate::error::LowerError;
use crate::pipes::lower_pipes;
use collect::Module;
use rules::Rule;
use spirv_io::spirv::{MemoryAccess, Op};
use spirv_io::{Instruction, ReadError, Reader};

/// Why a module was not passed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValidateError {
    /// It is ill-formed.
    #[error("word {at}: {op}: {rule}")]
    Invalid {
        /// The word at which the instruction begins.
        at: usize,
        /// The instruction's name.
        op: String,
        /// The rule that it breaks.
        rule: String,
    },
    /// It has something that Pumice does not know, and no more was looked at.
    #[error("not supported: {what} (word {at})")]
    Unsupported {
        /// The word at which the instruction begins.
        at: usize,
        /// The unsupported construct.
        what: String,
    },
}

impl From<ReadError> for ValidateError {
    fn from(error: ReadError) -> Self {
        let at = match &error {
            ReadError::NotSpirv => 0,
            ReadError::Truncated(at)
            | ReadError::UnknownOpcode { at, .. }
            | ReadError::BadOperand { at, .. } => *at,
        };
        ValidateError::Invalid { at, op: "the module".to_owned(), rule: error.to_string() }
    }
}

/// An error of one instruction.
#[derive(Debug)]
enum Fault {
    Rule(String),
    Unsupported(String),
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        Fault::Rule(error.to_string())
    }
}

impl Fault {
    fn at(self, inst: &Instruction<'_>) -> ValidateError {
        match self {
            Fault::Rule(rule) => ValidateError::Invalid { at: inst.at, op: format!("Op{:?}", inst.op), rule },
            Fault::Unsupported(what) => ValidateError::Unsupported { at: inst.at, what },
        }
    }
}

type Check = Result<(), Fault>;

fn broken<T>(rule: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Rule(rule.into()))
}

fn unsupported<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Unsupported(what.into()))
}

fn ensure(holds: bool, rule: &str) -> Check {
    if holds { Ok(()) } else { broken(rule) }
}

/// Checks a module.
///
/// # Errors
/// The first thing that is wrong with it, or that Pumice does not know. Never panics.
pub fn validate(words: &[u32]) -> Result<(), ValidateError> {
    // Operands of pipes and of device-side enqueue are checked as arguments of the functions that they become.
    let invalid = |what: &str, error: LowerError| ValidateError::Invalid {
        at: 0,
        op: what.to_owned(),
        rule: error.to_string(),
    };
    let words = lower_enqueue(words).map_err(|error| invalid("device-side enqueue", error))?;
    let words = &*lower_pipes(&words).map_err(|error| invalid("the pipes", error))?;
    let module = collect::collect(words)?;
    let (_, reader) = Reader::new(words)?;
    let mut checker = Checker::new(&module);
    for inst in reader {
        let inst = inst?;
        checker.instruction(&inst).map_err(|fault| fault.at(&inst))?;
    }
    checker.finish()
}

/// The state of the second walk.
struct Checker<'m> {
    m: &'m Module<'m>,
    /// The function and block that the walk is in; 0 for none.
    function: u32,
    block: u32,
    /// The index of the next function and block.
    next_function: u32,
    next_block: u32,
    seen: module::Seen,
}

impl<'m> Checker<'m> {
    fn new(m: &'m Module<'m>) -> Self {
        Checker { m, function: 0, block: 0, next_function: 1, next_block: 1, seen: module::Seen::default() }
    }

    fn instruction(&mut self, inst: &Instruction<'_>) -> Check {
        match inst.op {
            Op::Function => {
                (self.function, self.block) = (self.next_function, 0);
                self.next_function += 1;
            }
            Op::Label => {
                self.block = self.next_block;
                self.next_block += 1;
            }
            _ => {}
        }
        let Some((letters, rule)) = grammar::form(inst.op) else {
            return unsupported(format!("the SPIR-V instruction Op{:?}", inst.op));
        };
        self.operands(inst, letters)?;
        self.rule(rule, inst)?;
        match inst.op {
            Op::Label => {
                self.all_parameters()?;
                self.seen.past_phis = false;
            }
            Op::FunctionEnd => {
                self.all_parameters()?;
                (self.function, self.block) = (0, 0);
            }
            Op::Phi | Op::Line | Op::NoLine => {}
            _ => self.seen.past_phis = true,
        }
        Ok(())
    }

    /// Checks the operands by their letters.
    fn operands(&self, inst: &Instruction<'_>, letters: &str) -> Check {
        let letters = letters.as_bytes();
        let (mut at, mut letter, mut repeat) = (0, 0, None);
        loop {
            let ended = at >= inst.operands.len();
            match letters.get(letter) {
                Some(b'?') if ended => return Ok(()),
                Some(b'?') => letter += 1,
                Some(b'*') => {
                    repeat = Some(letter + 1);
                    letter += 1;
                    if ended {
                        return Ok(());
                    }
                }
                None => match repeat {
                    _ if ended => return Ok(()),
                    Some(first) => letter = first,
                    None => return broken("it has too many operands"),
                },
                Some(_) if ended => return broken(format!("operand {} is missing", at + 1)),
                Some(code) => {
                    at = self.operand(inst, *code, at)?;
                    letter += 1;
                }
            }
        }
    }

    /// Checks one operand; gives the place of the next.
    fn operand(&self, inst: &Instruction<'_>, code: u8, at: usize) -> Result<usize, Fault> {
        let word = inst.word(at)?;
        match code {
            b's' => {
                let words = inst.rest(at).iter().position(|w| w.to_le_bytes().contains(&0));
                let words = words.ok_or_else(|| Fault::Rule("a string has no end".to_owned()))?;
                return Ok(at + words + 1);
            }
            b'm' => return self.memory_operands(inst, at),
            // Definitions were collected; literals are the rule's.
            b'R' | b'n' => {}
            b'T' => {
                self.defined(word, inst.at)?;
                ensure(self.m.is_type(word), "the result's type is no type")?;
            }
            b't' => {
                self.defined(word, inst.at)?;
                ensure(self.m.is_type(word), &format!("%{word} is no type"))?;
            }
            b'w' => {
                let forward = self.seen.forward.contains_key(&word);
                if !forward {
                    self.defined(word, inst.at)?;
                }
                ensure(self.m.is_type(word), &format!("%{word} is no type"))?;
            }
            b'c' | b'C' => {
                if code == b'c' {
                    self.defined(word, inst.at)?;
                }
                ensure(self.m.is_constant(word), &format!("%{word} is no constant"))?;
            }
            b'f' => ensure(self.m.op(word) == Some(Op::Function), &format!("%{word} is no function"))?,
            b'l' => {
                let here = self.m.def(word).is_some_and(|d| d.op == Op::Label && d.function == self.function);
                ensure(here, &format!("%{word} is no label of this function"))?;
            }
            b'x' => ensure(self.m.op(word) == Some(Op::ExtInstImport), "it names no instruction set")?,
            b'k' => ensure(self.m.op(word) == Some(Op::String), &format!("%{word} is no string"))?,
            b'g' => {
                let group = self.m.op(word) == Some(Op::DecorationGroup);
                ensure(group, &format!("%{word} is no decoration group"))?;
            }
            b'i' => ensure(self.m.def(word).is_some(), &format!("%{word} is not defined"))?,
            b'p' => ensure(self.m.value_type(word).is_some(), &format!("%{word} is no value"))?,
            _ => self.value(word, inst.at)?,
        }
        Ok(at + 1)
    }

    /// An id that is defined earlier in the module.
    fn defined(&self, id: u32, at: usize) -> Check {
        match self.m.def(id) {
            Some(def) if (def.at as usize) < at => Ok(()),
            Some(_) => broken(format!("%{id} is used before it is defined")),
            None => broken(format!("%{id} is not defined")),
        }
    }

    /// A value that reaches this place (§2.16.1, dominance).
    fn value(&self, id: u32, at: usize) -> Check {
        let Some(def) = self.m.def(id) else { return broken(format!("%{id} is not defined")) };
        if self.m.value_type(id).is_none() {
            return match def.op {
                Op::Function => unsupported("function pointers"),
                _ => broken(format!("%{id} is no value")),
            };
        }
        if def.function == 0 || def.block == self.block {
            return ensure((def.at as usize) < at, &format!("%{id} is used before it is defined"));
        }
        ensure(def.function == self.function, &format!("%{id} is a value of another function"))?;
        // The order of blocks is not looked at: translators do not keep to it, and the reader makes its own.
        let reaches = def.block == 0
            || !self.m.flow.is_reachable(self.block)
            || self.m.flow.dominates(def.block, self.block);
        ensure(reaches, &format!("%{id} does not reach its use: its block does not dominate this one"))
    }

    /// A mask and its operands (§3.26, Memory Operands).
    fn memory_operands(&self, inst: &Instruction<'_>, at: usize) -> Result<usize, Fault> {
        const PLAIN: u32 = 0x1 | 0x4 | 0x20;
        let mask = inst.word(at)?;
        let bits = MemoryAccess::from_bits_retain(mask);
        let mut at = at + 1;
        if bits.contains(MemoryAccess::ALIGNED) {
            let align = inst.word(at)?;
            // 0 means "unknown" in some producers' modules.
            ensure(align == 0 || align.is_power_of_two(), "an alignment is no power of two")?;
            at += 1;
        }
        for bit in [MemoryAccess::MAKE_POINTER_AVAILABLE, MemoryAccess::MAKE_POINTER_VISIBLE] {
            if bits.contains(bit) {
                self.value(inst.word(at)?, inst.at)?;
                at += 1;
            }
        }
        for bit in [MemoryAccess::ALIAS_SCOPE_INTEL_MASK, MemoryAccess::NO_ALIAS_INTEL_MASK] {
            if bits.contains(bit) {
                let list = self.m.op(inst.word(at)?);
                ensure(list == Some(Op::AliasScopeListDeclINTEL), "an alias scope is no list of scopes")?;
                at += 1;
            }
        }
        let known = PLAIN
            | (MemoryAccess::ALIGNED
                | MemoryAccess::MAKE_POINTER_AVAILABLE
                | MemoryAccess::MAKE_POINTER_VISIBLE
                | MemoryAccess::ALIAS_SCOPE_INTEL_MASK
                | MemoryAccess::NO_ALIAS_INTEL_MASK)
                .bits();
        if mask & !known != 0 {
            return unsupported(format!("the memory operands {:#x}", mask & !known));
        }
        Ok(at)
    }

    /// Checks the rules of the module as a whole.
    fn finish(&self) -> Result<(), ValidateError> {
        if let Some((id, at)) = self.seen.forward.iter().filter(|(id, _)| self.m.def(**id).is_none()).min() {
            return Err(ValidateError::Invalid {
                at: *at,
                op: "OpTypeForwardPointer".to_owned(),
                rule: format!("the pointer type %{id} is not declared"),
            });
        }
        Ok(())
    }

    fn rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        self.module_rule(rule, inst)
    }
}

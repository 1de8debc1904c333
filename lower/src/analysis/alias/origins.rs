//! Address origins: the buffers into which a device address may point.
//!
//! An address is a number to the IR, so this analysis traces numbers backwards: through additions, selects and block parameters to the
//! members of the argument block that hold the addresses of arguments. The sum of an address and a number without an address points
//! into the address's buffer: C has no other pointers (C99 6.5.6). A number that was loaded, or passed by value, may be an address of
//! any buffer. A multiple of one is none.

use crate::ir::cfg::Cfg;
use crate::ir::{
    BinaryOp, Block, Constant, Function, InstKind, Place, Root, Scalar, Type, UnaryOp, Value, ValueDef,
};
use crate::kernel_info::{ArgumentBlock, BlockLocation, BlockSource};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The largest number of steps of a query.
const STEPS: u32 = 256;
/// The largest number of passes over the block parameters.
const MAX_PASSES: u32 = 8;

/// Buffers, as bits: the arguments' by number, and the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Buffers(u64);

impl Buffers {
    /// The empty set. For an access it means that nothing is known.
    pub const NONE: Buffers = Buffers(0);
    /// Memory that nothing writes: the program's constants, the argument block.
    pub const CONSTANTS: Buffers = Buffers(1 << 62);
    /// Other memory of the program or the launch.
    pub const OWN: Buffers = Buffers(1 << 63);
    /// Arguments from here on have no bit.
    const MAX: u32 = 62;

    /// The set of one argument. Arguments without a bit give the empty set.
    pub fn argument(number: u32) -> Buffers {
        Buffers(if number < Self::MAX { 1 << number } else { 0 })
    }

    /// The union of both.
    #[must_use]
    pub fn and(self, other: Buffers) -> Buffers {
        Buffers(self.0 | other.0)
    }

    /// Returns whether there are any, and all are among others.
    pub fn are_all_of(self, others: Buffers) -> bool {
        self.0 != 0 && self.0 & !others.0 == 0
    }

    /// Returns whether none is among others.
    pub fn are_none_of(self, others: Buffers) -> bool {
        self.0 & others.0 == 0
    }
}

/// The origin of a 64-bit number. The order is that of certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Not known yet, or unreachable.
    Nothing,
    /// Null.
    Null,
    /// No address.
    Number,
    /// An address in one of these.
    Of(Buffers),
    /// Loaded or given: a number that no address in sight went into, or any address.
    Given,
    /// Any number, made of any address.
    Anything,
}

use Origin::{Anything, Given, Nothing, Null, Number, Of};

impl Origin {
    /// Either of two.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, x) | (x, Nothing) => x,
            (Null, x @ (Null | Number | Of(_) | Given)) | (x @ (Number | Of(_) | Given), Null) => x,
            (Number, Number) => Number,
            (Number | Given, Number | Given) => Given,
            (Of(a), Of(b)) => Of(a.and(b)),
            _ => Anything,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Of(a), Null | Number) | (Null | Number, Of(a)) => Of(a),
            _ => self.bits(other),
        }
    }

    fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Of(a), Null | Number) => Of(a),
            // Within one buffer.
            (Of(a), Of(b)) if a == b && a.0.count_ones() == 1 => Number,
            _ => self.bits(other),
        }
    }

    /// The origin of some of its bits.
    fn bits(self, other: Self) -> Self {
        match (self, other) {
            (Nothing, _) | (_, Nothing) => Nothing,
            (Null | Number, Null | Number) => Number,
            (Null | Number | Given, Null | Number | Given) => Given,
            _ => Anything,
        }
    }

    /// The origin of a multiple, a quotient or a remainder.
    fn times(self, other: Self) -> Self {
        match self.bits(other) {
            Given => Number,
            other => other,
        }
    }
}

/// The known origins of a function's numbers.
#[derive(Debug)]
pub struct Origins<'a> {
    block: &'a ArgumentBlock,
    /// The origins of block parameters, and whether they are certain.
    known: FxHashMap<Value, (Origin, bool)>,
    /// The parameters that the round has come by.
    met: SmallVec<[Value; 8]>,
    left: u32,
    changed: bool,
}

impl<'a> Origins<'a> {
    /// Creates the analysis of a kernel with an argument block.
    pub fn new(block: &'a ArgumentBlock) -> Self {
        Origins { block, known: FxHashMap::default(), met: SmallVec::new(), left: 0, changed: false }
    }

    /// The origin of a number.
    pub fn origin(&mut self, function: &Function, graph: &Cfg, value: Value) -> Origin {
        self.left = STEPS;
        for _ in 0..MAX_PASSES {
            self.changed = false;
            self.met.clear();
            let origin = self.find(function, graph, value);
            if !self.changed {
                for param in &self.met {
                    if let Some(known) = self.known.get_mut(param) {
                        known.1 = true;
                    }
                }
                return origin;
            }
        }
        self.known.retain(|_, known| known.1);
        Anything
    }

    fn find(&mut self, function: &Function, graph: &Cfg, value: Value) -> Origin {
        self.left = self.left.saturating_sub(1);
        match function.values[value].def {
            ValueDef::Const(Constant::Undef) => Nothing,
            ValueDef::Const(Constant::Bits(0)) => Null,
            ValueDef::Const(_) => Number,
            _ if self.left == 0 || function.ty(value) != Type::I64 => Anything,
            ValueDef::Param(block, index) => self.parameter(function, graph, value, (block, index)),
            ValueDef::Inst(inst, _) => {
                let inst = &function.insts[inst];
                match inst.results.len() {
                    1 => self.result(function, graph, &inst.kind),
                    _ => Anything,
                }
            }
        }
    }

    fn parameter(
        &mut self,
        function: &Function,
        graph: &Cfg,
        value: Value,
        (block, index): (Block, u16),
    ) -> Origin {
        let old = match self.known.get(&value) {
            Some((known, true)) => return *known,
            Some((known, false)) if self.met.contains(&value) => return *known,
            Some((known, false)) => *known,
            None => Nothing,
        };
        self.known.insert(value, (old, false));
        self.met.push(value);
        // A value from outside of the function has no block.
        let mut new = if graph.preds(block).is_empty() { Anything } else { old };
        for pred in graph.preds(block) {
            for target in function.blocks[*pred].term.targets().filter(|t| t.block == block) {
                let Some(arg) = target.args.get(usize::from(index)) else { return Anything };
                new = new.or(self.find(function, graph, *arg));
            }
        }
        self.changed |= new != old;
        self.known.insert(value, (new, false));
        new
    }

    /// The origin of the 64-bit result of an instruction.
    fn result(&mut self, function: &Function, graph: &Cfg, kind: &InstKind) -> Origin {
        match kind {
            // From a narrower number, or a float's value.
            InstKind::Convert { .. } | InstKind::Unary(UnaryOp::BitCount, _) => Number,
            InstKind::Load { .. } | InstKind::Atomic { .. } => Given,
            InstKind::Bitcast(pair) => self.member(function, *pair).unwrap_or(Anything),
            InstKind::Binary(op, a, b) => {
                let (a, b) = (self.find(function, graph, *a), self.find(function, graph, *b));
                match op {
                    BinaryOp::IAdd => a.plus(b),
                    BinaryOp::ISub => a.minus(b),
                    // No multiple and no remainder of an address is one.
                    BinaryOp::IMul | BinaryOp::Shl | BinaryOp::UMulHi | BinaryOp::SMulHi => a.times(b),
                    BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => a.times(b),
                    _ => a.bits(b),
                }
            }
            InstKind::Unary(_, a) => self.find(function, graph, *a).bits(Number),
            // One address, computed in two ways.
            InstKind::Select(cross, a, _)
                if matches!(inst(function, *cross), Some(InstKind::BuffersCross)) =>
            {
                self.find(function, graph, *a)
            }
            InstKind::Select(_, a, b) => {
                let (a, b) = (self.find(function, graph, *a), self.find(function, graph, *b));
                a.or(b)
            }
            _ => Anything,
        }
    }

    /// The origin of a pair of words of the argument block.
    fn member(&self, function: &Function, pair: Value) -> Option<Origin> {
        let InstKind::Construct(words) = inst(function, pair)? else { return None };
        let [low, high] = words.as_slice() else { return None };
        if self.block.location == BlockLocation::BufferAddress && is_block(function, (*low, *high)) {
            return Some(Of(Buffers::CONSTANTS));
        }
        let word = |word: Value| block_word(function, self.block.location, word);
        let (low, high) = (word(*low)?, word(*high)?);
        if high != low + 1 {
            return None;
        }
        let of = |buffers: Buffers| if buffers == Buffers::NONE { Anything } else { Of(buffers) };
        let source = self.block.members.iter().find(|m| m.offset == low * 4).map(|m| m.source);
        Some(match source {
            Some(BlockSource::ArgumentAddress(arg)) => of(Buffers::argument(arg)),
            Some(BlockSource::ConstantsAddress) => of(Buffers::CONSTANTS),
            Some(BlockSource::GlobalsAddress | BlockSource::PrintfAddress | BlockSource::SequenceAddress) => {
                of(Buffers::OWN)
            }
            Some(BlockSource::SharedBase) => Number,
            _ if self.is_value(low * 4) => Given,
            _ => return None,
        })
    }

    /// Returns whether eight bytes of the argument block are a value argument's.
    fn is_value(&self, offset: u32) -> bool {
        self.block.members.iter().any(|m| {
            matches!(m.source, BlockSource::Argument(_))
                && m.offset <= offset
                && offset + 8 <= m.offset + m.size
        })
    }
}

/// The number of the word of the argument block, which lies there, that a value is.
pub fn block_word(function: &Function, place: BlockLocation, value: Value) -> Option<u32> {
    let InstKind::Load { place: at, .. } = inst(function, value)? else { return None };
    match (place, at) {
        (BlockLocation::BufferAddress, Place::Address(address)) => {
            let (base, offset) = match inst(function, *address)? {
                InstKind::Binary(BinaryOp::IAdd, base, offset) => (*base, function.const_bits(*offset)?),
                _ => (*address, 0),
            };
            let InstKind::Bitcast(pair) = inst(function, base)? else { return None };
            let InstKind::Construct(words) = inst(function, *pair)? else { return None };
            let [low, high] = words.as_slice() else { return None };
            let is_word = offset.is_multiple_of(4) && is_block(function, (*low, *high));
            u32::try_from(offset / 4).ok().filter(|_| is_word)
        }
        (BlockLocation::BufferAddress, _) => None,
        _ => pushed_word(function, value),
    }
}

/// Returns whether these are the two words of the address at which the argument block lies.
fn is_block(function: &Function, (low, high): (Value, Value)) -> bool {
    pushed_word(function, low) == Some(0) && pushed_word(function, high) == Some(1)
}

/// The number of a word of the push constants, or of the argument block where that has a descriptor.
fn pushed_word(function: &Function, value: Value) -> Option<u32> {
    let InstKind::Load { place, .. } = inst(function, value)? else { return None };
    match place {
        Place::Element { root: Root::Block, scalar: Scalar::I32, lanes: 1, index } => {
            u32::try_from(function.const_bits(*index)?).ok()
        }
        _ => None,
    }
}

fn inst(function: &Function, value: Value) -> Option<&InstKind> {
    match function.values[value].def {
        ValueDef::Inst(inst, 0) => Some(&function.insts[inst].kind),
        _ => None,
    }
}

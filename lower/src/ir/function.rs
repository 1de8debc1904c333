//! Functions: a control-flow graph over instructions, values and slots.

use super::cfg::{Cfg, Loops};
use super::compact_lists::Results;
use super::fold;
use super::{Block, Constant, EntityMap, Inst, InstKind, Scalar, Slot, SourceLine, Terminator, Type, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The definition of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueDef {
    /// Result n of an instruction.
    Inst(Inst, u16),
    /// Parameter n of a block.
    Param(Block, u16),
    /// A constant.
    Const(Constant),
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Its definition.
    pub def: ValueDef,
}

/// An instruction with its results and its source line.
#[derive(Debug, Clone)]
pub struct InstData {
    /// What it does.
    pub kind: InstKind,
    /// Its results: none, one, or a call's many.
    pub results: Results,
    /// Its position in the source.
    pub line: SourceLine,
}

/// The merge instruction of a structured construct's header (SPIR-V §2.11).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// A selection's.
    Selection {
        /// The block where both arms merge.
        merge: Block,
    },
    /// A loop's.
    Loop {
        /// The block behind the loop.
        merge: Block,
        /// The block that `continue` branches to.
        continue_target: Block,
        /// SPIR-V's loop control bits (unroll = 1, dont_unroll = 2).
        control: u32,
    },
}

/// In [`BlockData::loop_control`]: the loop has no control, and passes give it none. It is not SPIR-V's.
pub const UNHINTED: u32 = 1 << 31;

/// In [`BlockData::loop_control`]: the loop's continue target stays empty. It is not SPIR-V's either.
pub const EMPTY_CONTINUE: u32 = 1 << 30;

/// A basic block.
#[derive(Debug, Clone)]
pub struct BlockData {
    /// Its parameters.
    pub params: Vec<Value>,
    /// Its instructions in order.
    pub insts: Vec<Inst>,
    /// Its terminator.
    pub term: Terminator,
    /// What the source asks of the loop that this block heads, if it heads one: SPIR-V's loop control bits (unroll = 1,
    /// dont_unroll = 2), or [`UNHINTED`].
    pub loop_control: u32,
    /// The merge instruction before the terminator; `structurize` makes them, and there are none before it.
    pub merge: Option<Merge>,
}

/// A variable in private memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotData {
    /// Its name in the source, for messages and `inspect`.
    pub name: Option<String>,
    /// Bytes.
    pub size: u64,
    /// A power of two.
    pub align: u32,
}

/// How much a function had at a time: see [`Function::mark`].
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    blocks: usize,
    insts: usize,
    values: usize,
}

/// A function. The entry block is the first of `layout`; its parameters are the function's.
#[derive(Debug, Clone, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The types it returns.
    pub returns: Vec<Type>,
    /// All blocks ever made.
    pub blocks: EntityMap<Block, BlockData>,
    /// The blocks in use, in an order where a block comes after its immediate dominator.
    pub layout: Vec<Block>,
    /// All instructions ever made.
    pub insts: EntityMap<Inst, InstData>,
    /// All values ever made.
    pub values: EntityMap<Value, ValueData>,
    /// Private variables; those that no instruction names are dead.
    pub slots: EntityMap<Slot, SlotData>,
    /// Source names of values, for messages and dumps.
    pub names: FxHashMap<Value, String>,
    constants: FxHashMap<(Type, Constant), Value>,
    /// Asked not to be inlined, or to be.
    pub inline_hint: Option<bool>,
    /// Functions of the math library that it calls compute with denormal floats. `lower_math` sets it, `inline` for callers.
    pub needs_denormals: bool,
    /// Accesses beyond a variable stay accesses of memory, so that checks find them. `mark_operations` sets it.
    pub keeps_faults: bool,
    /// Variables stay in memory, so that checks find reads of those that were never written. `mark_operations` sets it, and
    /// `track_variables` takes it back.
    pub keeps_variables: bool,
    /// Simplified, and nothing was put into it since.
    pub simplified: bool,
    /// The graph as it was when it was last asked for.
    graph: Option<Arc<Cfg>>,
}

impl Function {
    /// A function with an empty entry block that takes `params`.
    pub fn new(name: &str, params: &[Type], returns: &[Type]) -> Self {
        let mut function =
            Function { name: name.to_owned(), returns: returns.to_vec(), ..Function::default() };
        let entry = function.new_block();
        for ty in params {
            function.add_param(entry, *ty);
        }
        function
    }

    /// What there is now, for [`Function::forget_since`].
    pub fn mark(&self) -> Mark {
        Mark { blocks: self.blocks.len(), insts: self.insts.len(), values: self.values.len() }
    }

    /// Takes back all blocks, instructions and values that were made since; nothing older may name them.
    pub fn forget_since(&mut self, mark: Mark) {
        self.blocks.truncate(mark.blocks);
        self.insts.truncate(mark.insts);
        if self.values.len() > mark.values {
            self.values.truncate(mark.values);
            self.constants.retain(|_, value| (value.0 as usize) < mark.values);
            self.names.retain(|value, _| (value.0 as usize) < mark.values);
        }
    }

    /// The control-flow graph: the last one that was asked for while its edges stand, else a new one.
    pub fn cfg(&mut self) -> Arc<Cfg> {
        let graph = match self.graph.take() {
            Some(graph) if graph.is_graph_of(self) => graph,
            _ => Arc::new(Cfg::new(self)),
        };
        self.graph = Some(graph.clone());
        graph
    }

    /// The graph with its loops, if there are no other cycles: one with several entries is no loop, and may never end within one.
    pub fn loops(&mut self) -> Option<(Arc<Cfg>, Arc<Loops>)> {
        let cfg = self.cfg();
        let loops = cfg.loops();
        (!loops.irreducible).then_some((cfg, loops))
    }

    /// The entry block.
    #[inline]
    pub fn entry(&self) -> Block {
        self.layout[0]
    }

    /// The function's parameters.
    pub fn params(&self) -> &[Value] {
        &self.blocks[self.entry()].params
    }

    /// A new block at the end of the layout; it ends in [`Terminator::Unreachable`] until it gets another terminator.
    pub fn new_block(&mut self) -> Block {
        let block = self.new_detached_block();
        self.layout.push(block);
        block
    }

    /// A new block that is not in the layout yet.
    pub fn new_detached_block(&mut self) -> Block {
        self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            term: Terminator::Unreachable,
            loop_control: 0,
            merge: None,
        })
    }

    /// Adds a parameter to a block.
    pub fn add_param(&mut self, block: Block, ty: Type) -> Value {
        let index = self.blocks[block].params.len() as u16;
        let value = self.values.push(ValueData { ty, def: ValueDef::Param(block, index) });
        self.blocks[block].params.push(value);
        value
    }

    /// Makes an instruction without putting it into a block.
    #[inline]
    pub fn make_inst(&mut self, kind: InstKind, results: &[Type]) -> Inst {
        let inst = Inst(self.insts.len() as u32);
        let mut result = |(n, ty): (usize, &Type)| {
            self.values.push(ValueData { ty: *ty, def: ValueDef::Inst(inst, n as u16) })
        };
        let results = match results {
            [] => Results::None,
            [one] => Results::One(result((0, one))),
            many => many.iter().enumerate().map(result).collect(),
        };
        self.insts.push(InstData { kind, results, line: SourceLine::default() })
    }

    /// Appends an instruction with one result to a block.
    #[inline]
    pub fn append(&mut self, block: Block, kind: InstKind, ty: Type) -> Value {
        let inst = self.make_inst(kind, &[ty]);
        self.blocks[block].insts.push(inst);
        self.insts[inst].results[0]
    }

    /// Appends an instruction without a result to a block.
    pub fn append_void(&mut self, block: Block, kind: InstKind) -> Inst {
        let inst = self.make_inst(kind, &[]);
        self.blocks[block].insts.push(inst);
        inst
    }

    /// The value of a constant; one for each type and constant.
    pub fn constant(&mut self, ty: Type, constant: Constant) -> Value {
        if let Some(value) = self.constants.get(&(ty, constant)) {
            return *value;
        }
        let value = self.values.push(ValueData { ty, def: ValueDef::Const(constant) });
        if self.constants.is_empty() {
            // Most functions have about so many.
            self.constants.reserve(28);
        }
        self.constants.insert((ty, constant), value);
        value
    }

    /// An integer constant of a scalar or (every lane) vector type, cut to its width.
    pub fn iconst(&mut self, ty: Type, bits: u64) -> Value {
        let width = ty.scalar().map_or(64, Scalar::bits);
        self.constant(ty, Constant::Bits(bits & fold::mask(width)))
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The instruction that makes a value, if one does.
    #[inline]
    pub fn def_inst(&self, value: Value) -> Option<&InstData> {
        match self.values[value].def {
            ValueDef::Inst(inst, _) => Some(&self.insts[inst]),
            _ => None,
        }
    }

    /// The bits of a constant value.
    #[inline]
    pub fn const_bits(&self, value: Value) -> Option<u64> {
        match self.values[value].def {
            ValueDef::Const(Constant::Bits(bits)) => Some(bits),
            _ => None,
        }
    }

    /// A constant integer, sign-extended from its width.
    pub fn const_signed(&self, value: Value) -> Option<i64> {
        let bits = self.const_bits(value)?;
        let width = self.ty(value).scalar().filter(|s| s.is_int())?.bits();
        Some(fold::signed(bits, width))
    }

    /// Replaces every use in the layout of the values in `map` (chains are followed).
    pub fn replace_uses(&mut self, map: &FxHashMap<Value, Value>) {
        if map.is_empty() {
            return;
        }
        // What stands for each value in the end: each is looked up once for each use.
        let mut to: Vec<Value> = (0..self.values.len() as u32).map(Value).collect();
        for (old, new) in map {
            to[old.0 as usize] = *new;
        }
        let resolve = |mut v: Value| {
            while let Some(next) = to.get(v.0 as usize).filter(|next| **next != v) {
                v = *next;
            }
            v
        };
        for index in 0..self.layout.len() {
            let block = self.layout[index];
            for i in 0..self.blocks[block].insts.len() {
                let inst = self.blocks[block].insts[i];
                self.insts[inst].kind.map_values(resolve);
            }
            self.blocks[block].term.map_values(resolve);
        }
    }
}

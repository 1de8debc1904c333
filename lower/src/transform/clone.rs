//! Region cloning: copies of blocks and instructions, with a map from each original to its copy.

use crate::ir::{Block, Function, Inst, InstData, Terminator, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A copy of a region: the blocks and values that stand for the original ones.
#[derive(Default)]
pub struct Region {
    /// The copies of blocks.
    pub blocks: FxHashMap<Block, Block>,
    /// The copies of parameters and results.
    pub values: FxHashMap<Value, Value>,
}

impl Region {
    /// Copies blocks with their parameters and instructions, and without their terminators. A block comes after its dominators: what an
    /// instruction uses has been copied.
    pub fn copy(function: &mut Function, blocks: &[Block]) -> Region {
        let count: usize = blocks.iter().map(|block| function.blocks[*block].insts.len()).sum();
        let mut region = Region::default();
        region.blocks.reserve(blocks.len());
        region.values.reserve(count);
        function.insts.reserve(count);
        function.values.reserve(count);
        for &old in blocks {
            let new = function.new_block();
            region.blocks.insert(old, new);
            region.params(function, old, new);
            function.blocks[new].loop_control = function.blocks[old].loop_control;
        }
        for old in blocks {
            let mut insts = function.blocks[*old].insts.clone();
            insts.iter_mut().for_each(|inst| *inst = region.inst(function, *inst));
            function.blocks[region.blocks[old]].insts = insts;
        }
        region
    }

    /// The copy of a value, or the value itself where the region does not define it.
    pub fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Gives a block copies of another's parameters.
    pub fn params(&mut self, function: &mut Function, old: Block, new: Block) {
        for old in function.blocks[old].params.clone() {
            let param = function.add_param(new, function.ty(old));
            self.values.insert(old, param);
            if let Some(name) = function.names.get(&old).cloned() {
                function.names.insert(param, name);
            }
        }
    }

    /// Copies an instruction, and puts it into no block.
    pub fn inst(&mut self, function: &mut Function, inst: Inst) -> Inst {
        let InstData { mut kind, results, line } = function.insts[inst].clone();
        kind.map_values(|v| self.value(v));
        let copied = match &results[..] {
            [] => function.make_inst(kind, &[]),
            [one] => function.make_inst(kind, &[function.ty(*one)]),
            many => {
                let types: SmallVec<[Type; 6]> = many.iter().map(|result| function.ty(*result)).collect();
                function.make_inst(kind, &types)
            }
        };
        function.insts[copied].line = line;
        let new = function.insts[copied].results.iter();
        self.values.extend(results.iter().copied().zip(new.copied()));
        copied
    }

    /// The terminator of a block's copy: branches inside the region reach its copies.
    pub fn term(&self, term: &Terminator) -> Terminator {
        let mut term = term.clone();
        term.map_values(|v| self.value(v));
        self.redirect(&mut term);
        term
    }

    /// Redirects branches to the copies of their targets.
    pub fn redirect(&self, term: &mut Terminator) {
        for target in term.targets_mut() {
            if let Some(block) = self.blocks.get(&target.block) {
                target.block = *block;
            }
        }
    }
}

//! Vector splitting: vectors that a loop carries become scalars.
//!
//! llvmpipe reuses a vector's register for the value that is moved into it. If a loop moves one carried vector into another (`a = b; b
//! = …`), the register of `a` has `b` before the loop is left. A work-item that has left reads it in the iterations of others. Scalars
//! do not have this fault, so header parameters become scalars. A vector is constructed again in each block after the loop that uses
//! it.

use crate::ir::cfg::{Cfg, Loops};
use crate::ir::{Block, Constant, Function, Inst, InstKind, Type, Value, ValueDef};
use crate::transform::cleanup;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Lanes = SmallVec<[Value; 4]>;

/// Splits the vectors that loops carry. Returns false if there were none.
pub(super) fn split(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let loops = cfg.loops();
    let mut parts = Parts::default();
    for shape in &loops.loops {
        for param in function.blocks[shape.header].params.clone() {
            if let Type::Vector(scalar, lanes) = function.ty(param) {
                let own =
                    (0..lanes).map(|_| function.add_param(shape.header, Type::Scalar(scalar))).collect();
                parts.lanes.insert(param, own);
            }
        }
    }
    if parts.lanes.is_empty() {
        return false;
    }
    for &block in cfg.rpo() {
        parts.pass_scalars(function, block);
    }
    parts.place(function, &cfg);
    parts.replace(function, &cfg, &loops);
    cleanup::drop_params(function, |param| !parts.lanes.contains_key(&param));
    true
}

#[derive(Default)]
struct Parts {
    /// The numbers of each of the heads' vectors.
    lanes: FxHashMap<Value, Lanes>,
    /// The numbers of other vectors that are handed to heads.
    extracted: FxHashMap<Value, Lanes>,
    /// The instructions that split those, in order.
    extracts: Vec<(Value, Vec<Inst>)>,
}

impl Parts {
    /// The edges from a block hand over numbers, too: for each of the vectors, in the parameters' order.
    fn pass_scalars(&mut self, function: &mut Function, block: Block) {
        let mut term =
            std::mem::replace(&mut function.blocks[block].term, crate::ir::Terminator::Unreachable);
        for target in term.targets_mut() {
            for n in 0..target.args.len() {
                if self.lanes.contains_key(&function.blocks[target.block].params[n]) {
                    let numbers = self.scalars(function, target.args[n]);
                    target.args.extend(numbers);
                }
            }
        }
        function.blocks[block].term = term;
    }

    /// A vector's numbers. They are taken where the vector is made: what is moved into a register when, depends on where it is.
    fn scalars(&mut self, function: &mut Function, vector: Value) -> Lanes {
        if let Some(known) = self.lanes.get(&vector).or_else(|| self.extracted.get(&vector)) {
            return known.clone();
        }
        let Type::Vector(scalar, lanes) = function.ty(vector) else { return SmallVec::new() };
        let ty = Type::Scalar(scalar);
        if let ValueDef::Const(constant) = function.values[vector].def {
            let number = match constant {
                Constant::Bits(bits) => function.constant(ty, Constant::Bits(bits)),
                Constant::Undef => function.constant(ty, Constant::Undef),
            };
            return SmallVec::from_elem(number, lanes.into());
        }
        let made = function.def_inst(vector).map(|inst| &inst.kind);
        if let Some(InstKind::Construct(of)) = made
            && of.len() == usize::from(lanes)
        {
            return of.clone();
        }
        let insts: Vec<Inst> =
            (0..lanes).map(|lane| function.make_inst(InstKind::Extract(vector, lane), &[ty])).collect();
        let numbers: Lanes = insts.iter().map(|inst| function.insts[*inst].results[0]).collect();
        self.extracted.insert(vector, numbers.clone());
        self.extracts.push((vector, insts));
        numbers
    }

    /// Inserts the instructions that split vectors after the vectors' definitions.
    fn place(&mut self, function: &mut Function, cfg: &Cfg) {
        let mut at_start: FxHashMap<Block, Vec<Inst>> = FxHashMap::default();
        let mut after: FxHashMap<Inst, Vec<Inst>> = FxHashMap::default();
        for (vector, insts) in self.extracts.drain(..) {
            match function.values[vector].def {
                ValueDef::Param(block, _) => at_start.entry(block).or_default().extend(insts),
                ValueDef::Inst(inst, _) => after.entry(inst).or_default().extend(insts),
                ValueDef::Const(_) => {}
            }
        }
        if at_start.is_empty() && after.is_empty() {
            return;
        }
        for &block in cfg.rpo() {
            let old = std::mem::take(&mut function.blocks[block].insts);
            let mut insts = at_start.remove(&block).unwrap_or_default();
            for inst in old {
                insts.push(inst);
                insts.extend(after.remove(&inst).unwrap_or_default());
            }
            function.blocks[block].insts = insts;
        }
    }

    /// Replaces the carried vectors by scalars or by vectors constructed from them. In the loop it is the vector of its header. Each
    /// block after the loop constructs its own, so that scalars leave the loop.
    fn replace(&self, function: &mut Function, cfg: &Cfg, loops: &Loops) {
        let mut numbers: FxHashMap<Value, Value> = FxHashMap::default();
        for &block in cfg.rpo() {
            let mut insts = std::mem::take(&mut function.blocks[block].insts);
            insts.retain(|inst| {
                let InstKind::Extract(vector, lane) = function.insts[*inst].kind else { return true };
                let Some(own) = self.lanes.get(&vector) else { return true };
                numbers.insert(function.insts[*inst].results[0], own[usize::from(lane)]);
                false
            });
            function.blocks[block].insts = insts;
        }
        function.replace_uses(&numbers);
        let mut made: FxHashMap<(Block, Value), Inst> = FxHashMap::default();
        let mut order: Vec<(Block, Inst)> = Vec::new();
        for &block in cfg.rpo() {
            let data = &function.blocks[block];
            let insts = data.insts.iter().flat_map(|i| function.insts[*i].kind.values());
            // The arguments for the carried vectors themselves are removed with the parameters.
            let kept = data.term.targets().flat_map(|t| {
                let params = &function.blocks[t.block].params;
                t.args.iter().zip(params).filter(|(_, p)| !self.lanes.contains_key(p)).map(|(a, _)| *a)
            });
            let returned: Lanes = match &data.term {
                crate::ir::Terminator::Return(values) => values.iter().copied().collect(),
                _ => SmallVec::new(),
            };
            let used: Vec<Value> =
                insts.chain(kept).chain(returned).filter(|v| self.lanes.contains_key(v)).collect();
            let mut map: FxHashMap<Value, Value> = FxHashMap::default();
            for vector in used {
                let Some(head) = home(function, vector) else { continue };
                let inside = loops.loops.iter().position(|l| l.header == head);
                let at = if inside.is_some_and(|index| loops.contains(index, block)) { head } else { block };
                let inst = *made.entry((at, vector)).or_insert_with(|| {
                    let ty = function.ty(vector);
                    let inst = function.make_inst(InstKind::Construct(self.lanes[&vector].clone()), &[ty]);
                    order.push((at, inst));
                    inst
                });
                map.insert(vector, function.insts[inst].results[0]);
            }
            let now = |v: Value| map.get(&v).copied().unwrap_or(v);
            for inst in function.blocks[block].insts.clone() {
                function.insts[inst].kind.map_values(now);
            }
            function.blocks[block].term.map_values(now);
        }
        for (block, inst) in order.into_iter().rev() {
            function.blocks[block].insts.insert(0, inst);
        }
    }
}

/// The block that a parameter is of.
fn home(function: &Function, param: Value) -> Option<Block> {
    match function.values[param].def {
        ValueDef::Param(block, _) => Some(block),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text::parse;
    use crate::ir::verify;

    #[test]
    fn numbers_go_round() {
        let text = "module read bits=64
func f0 \"f\" returns (i32x2)
b0(v0: i32, v1: i32x2):
  v2: i32x2 = construct(v0, i32:7)
  br b1(v0, v2, v1, i32x2:3)
b1(v3: i32, v4: i32x2, v5: i32x2, v6: i32x2):
  v7: i32x2 = iadd v4, v6
  v8: bool = icmp.eq v3, i32:9
  condbr v8, b2(v5), b3()
b2(v9: i32x2):
  v10: i32 = extract v4, 1
  v11: i32x2 = construct(v10)
  v12: i32x2 = iadd v11, v4
  v13: i32x2 = iadd v12, v9
  return(v13)
b3():
  v14: i32 = iadd v3, i32:1
  br b1(v14, v5, v7, v4)
";
        let mut module = parse(text).unwrap_or_else(|e| panic!("{e:?}"));
        let function = module.functions.values_mut().next().expect("a function");
        assert!(super::split(function));
        assert!(!super::split(function));
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        let text = module.to_string();
        // Vectors that are passed on unchanged, constructed from scalars, split at their definitions, and constants.
        for part in
            ["br b1(v0, v0, i32:7, v25, v26, i32:3, i32:3)", "br b1(v14, v21, v22, v28, v29, v19, v20)"]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}

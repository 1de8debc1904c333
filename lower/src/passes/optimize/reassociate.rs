//! Reassociation by arrival time: the terms of integer sums are added in the order in which they are ready.
//!
//! ```text
//! ((a + f(b, c, d)) + word) + constant    →    ((a + word) + constant) + f(b, c, d)
//! ```
//!
//! Hashes have such sums, added from the left: the whole sum waits for the function, which is computed last. Drivers keep that order (NVIDIA's
//! does), so that each step of the hash takes one addition longer than it must.
//!
//! Here the number of dependent instructions of the block before a term gives its arrival time. A sum of three terms or more is reordered where
//! one term arrives much later than the others. Integers modulo 2^32 give the same sum in any order.
//!
//! Sums that compute an address stay: drivers look for a constant at their end.

use crate::analysis::uses::Uses;
use crate::ir::{BinaryOp, Block, Function, Inst, InstKind, Place, Scalar, Type, Value, ValueDef};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;

/// Orders the sums of one function.
pub fn order_function(function: &mut Function) {
    let blocks: Vec<Block> =
        function.layout.iter().copied().filter(|b| has_sum_of_sums(function, *b)).collect();
    if blocks.is_empty() {
        return;
    }
    let mut sums = Sums {
        uses: Uses::new(function),
        in_address: parts_of_addresses(function),
        depth: vec![0; function.values.len()],
        deep: Vec::new(),
    };
    for block in blocks {
        sums.order(function, block);
    }
}

/// The terms of a sum of words.
fn terms(f: &Function, inst: Inst) -> Option<[Value; 2]> {
    match f.insts[inst].kind {
        InstKind::Binary(BinaryOp::IAdd, a, b) if f.ty(a).scalar() == Some(Scalar::I32) => Some([a, b]),
        _ => None,
    }
}

fn has_sum_of_sums(f: &Function, block: Block) -> bool {
    f.blocks[block].insts.iter().filter_map(|inst| terms(f, *inst)).flatten().any(|term| {
        match f.values[term].def {
            ValueDef::Inst(inst, _) => terms(f, inst).is_some(),
            _ => false,
        }
    })
}

/// The values that compute an index or an address: sums, products, extensions.
fn parts_of_addresses(f: &Function) -> Vec<bool> {
    let mut parts = vec![false; f.values.len()];
    let insts = f.layout.iter().flat_map(|block| &f.blocks[*block].insts);
    let places = insts.filter_map(|inst| match f.insts[*inst].kind.place()? {
        Place::Element { index: value, .. } | Place::Address(value) | Place::Pointer(value) => Some(value),
    });
    let mut work: Vec<Value> = places.collect();
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut parts[value.0 as usize], true) {
            continue;
        }
        match f.def_inst(value).map(|d| &d.kind) {
            Some(InstKind::Binary(BinaryOp::IAdd | BinaryOp::ISub, a, b)) => work.extend([*a, *b]),
            Some(InstKind::Binary(BinaryOp::Shl | BinaryOp::IMul | BinaryOp::LShr, a, _)) => work.push(*a),
            Some(InstKind::Convert { value, .. }) => work.push(*value),
            _ => {}
        }
    }
    parts
}

/// The number of instructions by which the last term must arrive after the others.
const MIN_DELAY: u32 = 8;

struct Sums {
    uses: Uses,
    /// By value, whether it is part of an address.
    in_address: Vec<bool>,
    /// The length of the chain of the block's instructions that computes a value.
    depth: Vec<u32>,
    /// The values that have a depth.
    deep: Vec<Value>,
}

impl Sums {
    fn is_in_address(&self, value: Value) -> bool {
        self.in_address.get(value.0 as usize) == Some(&true)
    }

    fn depth(&self, value: Value) -> u32 {
        self.depth.get(value.0 as usize).copied().unwrap_or(0)
    }

    fn set_depth(&mut self, value: Value, depth: u32) {
        let wanted = value.0 as usize + 1;
        if self.depth.len() < wanted {
            self.depth.resize(wanted, 0);
        }
        self.depth[value.0 as usize] = depth;
        self.deep.push(value);
    }

    /// The instruction of a term that is itself a sum, in this block and with no other use.
    fn inner(&self, f: &Function, term: Value, here: &FxHashSet<Inst>) -> Option<Inst> {
        let ValueDef::Inst(inst, _) = f.values[term].def else { return None };
        let alone = self.uses.is_single(term) && !self.is_in_address(term);
        (alone && here.contains(&inst)).then_some(inst)
    }

    fn order(&mut self, f: &mut Function, block: Block) {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let here: FxHashSet<Inst> = insts.iter().copied().filter(|i| terms(f, *i).is_some()).collect();
        let outer = |inst: &&Inst| here.contains(inst) && self.may_be_ordered(f, **inst);
        let parts: FxHashSet<Inst> = insts
            .iter()
            .filter(outer)
            .flat_map(|inst| terms(f, *inst).into_iter().flatten())
            .filter_map(|term| self.inner(f, term, &here))
            .collect();
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            // Parts of a rewritten sum are dead: `simplify` removes them.
            if !parts.contains(&inst) && here.contains(&inst) && self.may_be_ordered(rw.f, inst) {
                self.rewrite(&mut rw, inst, &parts);
            }
            let depth = rw.f.insts[inst].kind.values().map(|v| self.depth(v)).max().unwrap_or(0);
            for result in rw.f.insts[inst].results.iter() {
                self.set_depth(*result, depth + 1);
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
        // A value from another block is ready at the start.
        for value in self.deep.drain(..) {
            self.depth[value.0 as usize] = 0;
        }
    }

    fn may_be_ordered(&self, f: &Function, inst: Inst) -> bool {
        f.insts[inst].results.first().is_some_and(|sum| !self.is_in_address(*sum))
    }

    /// Rewrites one sum.
    fn rewrite(&mut self, rw: &mut Rewriter<'_>, inst: Inst, parts: &FxHashSet<Inst>) {
        let mut work: Vec<Value> = terms(rw.f, inst).into_iter().flatten().rev().collect();
        let mut all = Vec::new();
        while let Some(term) = work.pop() {
            match rw.f.values[term].def {
                ValueDef::Inst(part, _) if parts.contains(&part) => {
                    work.extend(terms(rw.f, part).into_iter().flatten().rev());
                }
                _ => all.push(term),
            }
        }
        if all.len() < 3 {
            return;
        }
        all.sort_by_key(|term| self.depth(*term));
        let [rest @ .., last] = all.as_slice() else { return };
        if rest.last().is_none_or(|second| self.depth(*last) < self.depth(*second) + MIN_DELAY) {
            return;
        }
        let ty: Type = rw.f.ty(*last);
        let mut sum = rest[0];
        for term in &rest[1..] {
            let depth = self.depth(sum).max(self.depth(*term)) + 1;
            sum = rw.inst(InstKind::Binary(BinaryOp::IAdd, sum, *term), ty);
            self.set_depth(sum, depth);
        }
        rw.f.insts[inst].kind = InstKind::Binary(BinaryOp::IAdd, sum, *last);
    }
}

#[cfg(test)]
mod tests {
    use super::order_function;
    use crate::ir::text::parse;

    fn ordered(body: &str) -> String {
        let text = format!(
            "module legal bits=64\nfunc f0 \"f\" returns (i32)\n  slot s0 size=64 align=4\nb0(v0: i32, v1: i32, v2: i32):\n{body}"
        );
        let mut module = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        for function in module.functions.values_mut() {
            order_function(function);
            crate::transform::cleanup::dead_code(function);
        }
        crate::ir::verify::verify(&module).expect("right IR");
        module.to_string()
    }

    /// A long chain that computes v20.
    fn late() -> String {
        let mut chain = "  v11: i32 = xor v1, v2\n".to_owned();
        for n in 12..21 {
            chain += &format!("  v{n}: i32 = imul v{}, v1\n", n - 1);
        }
        chain
    }

    #[test]
    fn the_last_term_to_arrive_is_added_last() {
        let text = ordered(&format!(
            "{}  v4: i32 = iadd v0, v20\n  v5: i32 = iadd v4, v2\n  v6: i32 = iadd v5, i32:9\n  return(v6)\n",
            late()
        ));
        assert!(text.contains(", v20\n  return(v6)") && text.contains("iadd v0, v2"), "{text}");
        assert!(text.matches("iadd").count() == 3, "{text}");
    }

    #[test]
    fn terms_that_arrive_together_stay() {
        let text = ordered(
            "  v3: i32 = xor v1, v2\n  v4: i32 = iadd v3, v0\n  v5: i32 = iadd v4, v2\n  return(v5)\n",
        );
        assert!(text.contains("v4: i32 = iadd v3, v0") && text.contains("v5: i32 = iadd v4, v2"), "{text}");
    }

    #[test]
    fn a_sum_that_is_used_elsewhere_stays() {
        let text = ordered(&format!(
            "{}  v4: i32 = iadd v20, v0\n  v5: i32 = iadd v4, v2\n  v6: i32 = imul v4, v5\n  return(v6)\n",
            late()
        ));
        assert!(text.contains("v4: i32 = iadd v20, v0") && text.contains("v5: i32 = iadd v4, v2"), "{text}");
    }

    #[test]
    fn sums_in_addresses_stay() {
        let text = ordered(&format!(
            "{}  v4: i32 = iadd v20, v0\n  v5: i32 = iadd v4, i32:1\n  v6: i32 = load s0.i32[v5], align=4\n  return(v6)\n",
            late()
        ));
        assert!(
            text.contains("v4: i32 = iadd v20, v0") && text.contains("v5: i32 = iadd v4, i32:1"),
            "{text}"
        );
    }
}

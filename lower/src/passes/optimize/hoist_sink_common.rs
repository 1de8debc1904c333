//! Code hoisting and tail sinking: what both arms of a branch compute is computed once, before or behind the branch.
//!
//! ```text
//! c ? a[i] + b : a[i]        →    t = a[i]; c ? t + b : t
//! i == 0 ? a[0] : a[i - 1]   →    a[i == 0 ? 0 : i - 1]
//! ```
//!
//! Mesa's Vulkan compilers keep both loads of such code, and a GPU executes both arms where work-items differ.
//!
//! *Hoisting* moves pure operations that both arms have, and loads with no write before them in either arm. *Sinking* moves the last stores of
//! both arms, to one address or of one value. It also moves loads of which each arm passes one to the same parameter of the merge block: the
//! differing part of the address is passed in their place. `simplify` makes a selection of a branch whose arms keep little.

use crate::ir::cfg::Loops;
use crate::ir::{
    BinaryOp, Block, ConvertOp, Function, Inst, InstKind, MemFlags, Place, Root, Space, Terminator, Type,
    Value, ValueDef,
};
use crate::transform::cleanup::{self, Replaced};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Limit on the instructions that are hoisted out of one branch: their values live as long as the arms are.
const MAX_HOISTED: usize = 16;
/// Longer arms are not compared.
const MAX_ARM_LENGTH: usize = 512;
/// Limit on the stores in a row that are sunk.
const MAX_STORES: usize = 8;

/// Moves the common instructions of one function.
pub fn hoist_and_sink(function: &mut Function) {
    if function.layout.len() < 4 {
        return;
    }
    let mut edges: FxHashMap<Block, u32> = FxHashMap::default();
    for &block in &function.layout {
        function.blocks[block].term.targets().for_each(|t| *edges.entry(t.block).or_default() += 1);
    }
    let entry = function.entry();
    let alone = |f: &Function, block: Block| {
        let data = &f.blocks[block];
        let all = !data.insts.is_empty() && data.insts.len() <= MAX_ARM_LENGTH && data.params.is_empty();
        all && edges.get(&block) == Some(&1) && block != entry
    };
    let mut loops: Option<Arc<Loops>> = None;
    let mut mover = Mover { function, replaced: Replaced::default(), gone: FxHashSet::default() };
    // Inner branches first: outer ones may share what they hoist.
    for index in (0..mover.function.layout.len()).rev() {
        let block = mover.function.layout[index];
        let Terminator::CondBranch { then, els, .. } = &mover.function.blocks[block].term else { continue };
        let (a, b) = (then.block, els.block);
        if a == b || !alone(mover.function, a) || !alone(mover.function, b) {
            continue;
        }
        let loops = loops.get_or_insert_with(|| mover.function.cfg().loops());
        let home = loops.innermost(block);
        if loops.innermost(a) != home || loops.innermost(b) != home {
            continue;
        }
        mover.hoist(block, a, b);
        if let Some(to) = mover.merge_block(a, b)
            && edges.get(&to) == Some(&2)
            && loops.innermost(to) == home
        {
            mover.sink(a, b, to);
        }
    }
    let Mover { function, replaced, gone } = mover;
    replaced.apply(function);
    if !gone.is_empty() {
        cleanup::drop_params(function, |param| !gone.contains(&param));
    }
}

struct Mover<'f> {
    function: &'f mut Function,
    replaced: Replaced,
    /// Parameters that the address of a sunk load replaces.
    gone: FxHashSet<Value>,
}

/// The address of a pointer: `base` + `index` × `scale` + `bytes`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Address {
    base: Base,
    index: Option<Value>,
    scale: u64,
    bytes: i64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Root(Root, Type),
    Value(Value),
}

/// The common address of an access that is sunk behind both arms.
struct CommonAddress {
    /// The address without the index.
    at: Address,
    /// The index in each arm, and the type that it is extended to behind them. `None`: both have the index of `at`.
    indices: Option<([Value; 2], Option<Type>)>,
}

impl Mover<'_> {
    fn kind(&self, inst: Inst) -> InstKind {
        let mut kind = self.function.insts[inst].kind.clone();
        kind.map_values(|v| self.replaced.resolve(v));
        kind
    }

    /// The instructions of a block that may move in front of it, if their operands are defined there.
    fn movable(&self, block: Block) -> Vec<(Inst, InstKind)> {
        let mut quiet = true;
        let mut found = Vec::new();
        for &inst in &self.function.blocks[block].insts {
            let kind = self.kind(inst);
            let effects = kind.effects(self.function);
            let movable = effects.idempotent && !effects.writes && !effects.convergent;
            let anywhere = effects.can_be_speculated() && !effects.reads;
            if self.function.insts[inst].results.len() == 1 && movable && (anywhere || quiet) {
                found.push((inst, kind));
            }
            quiet &= !effects.writes;
        }
        found
    }

    fn hoist(&mut self, block: Block, a: Block, b: Block) {
        let of = |kind: &InstKind, ty: Type| (kind.clone(), ty);
        let mut table: FxHashMap<(InstKind, Type), Inst> = FxHashMap::default();
        for (inst, kind) in self.movable(a) {
            let ty = self.function.ty(self.function.insts[inst].results[0]);
            table.entry((kind, ty)).or_insert(inst);
        }
        if table.is_empty() {
            return;
        }
        let (mut moved, mut gone): (Vec<Inst>, FxHashSet<Inst>) = (Vec::new(), FxHashSet::default());
        for (inst, _) in self.movable(b) {
            // Its operands may have become those of the other arm.
            let kind = self.kind(inst);
            let result = self.function.insts[inst].results[0];
            let Some(&other) = table.get(&of(&kind, self.function.ty(result))) else { continue };
            if !moved.contains(&other) {
                if moved.len() == MAX_HOISTED {
                    break;
                }
                moved.push(other);
            }
            self.replaced.insert(result, self.function.insts[other].results[0]);
            self.function.insts[other].line = self.line_of_both(other, inst);
            gone.insert(inst);
        }
        if moved.is_empty() {
            return;
        }
        self.function.blocks[a].insts.retain(|inst| !moved.contains(inst));
        self.function.blocks[b].insts.retain(|inst| !gone.contains(inst));
        self.function.blocks[block].insts.extend(moved);
    }

    /// The only successor of both arms, if they have the same.
    fn merge_block(&self, a: Block, b: Block) -> Option<Block> {
        match (&self.function.blocks[a].term, &self.function.blocks[b].term) {
            (Terminator::Branch(x), Terminator::Branch(y)) => (x.block == y.block).then_some(x.block),
            _ => None,
        }
    }

    fn sink(&mut self, a: Block, b: Block, to: Block) {
        for _ in 0..MAX_STORES {
            if !self.sink_store(a, b, to) {
                break;
            }
        }
        for param in self.function.blocks[to].params.clone() {
            self.sink_load([a, b], to, param);
        }
    }

    /// The last instruction of a block that accesses memory or is convergent.
    fn last(&self, block: Block) -> Option<Inst> {
        let insts = self.function.blocks[block].insts.iter().rev();
        insts.copied().find(|inst| {
            let effects = self.function.insts[*inst].kind.effects(self.function);
            effects.reads || effects.writes || effects.convergent
        })
    }

    fn sink_store(&mut self, a: Block, b: Block, to: Block) -> bool {
        let (Some(x), Some(y)) = (self.last(a), self.last(b)) else { return false };
        let (
            InstKind::Store { place: Place::Pointer(p), value: v, flags: f },
            InstKind::Store { place: Place::Pointer(q), value: w, flags: g },
        ) = (self.kind(x), self.kind(y))
        else {
            return false;
        };
        if f.volatile || g.volatile || self.function.ty(v) != self.function.ty(w) {
            return false;
        }
        let Some(common_address) = self.common_address_of([a, b], [p, q]) else { return false };
        if v != w && common_address.indices.is_some() {
            return false;
        }
        let value = if v == w { v } else { self.pass_to_merge([a, b], to, [v, w]) };
        let (pointer, mut insts) = self.build_pointer([a, b], to, common_address);
        let flags = MemFlags { align: f.align.min(g.align), volatile: false };
        let kind = InstKind::Store { place: Place::Pointer(pointer), value, flags };
        insts.push(self.function.make_inst(kind, &[]));
        self.prepend(to, insts, self.line_of_both(x, y));
        self.function.blocks[a].insts.retain(|inst| *inst != x);
        self.function.blocks[b].insts.retain(|inst| *inst != y);
        true
    }

    /// The load whose only use is the argument that an arm passes for a parameter.
    fn only_load(&self, arm: Block, value: Value) -> Option<(Inst, Value, MemFlags)> {
        let data = &self.function.blocks[arm];
        let ValueDef::Inst(inst, _) = self.function.values[value].def else { return None };
        let at = data.insts.iter().position(|i| *i == inst)?;
        let InstKind::Load { place: Place::Pointer(pointer), flags } = self.kind(inst) else { return None };
        let quiet = |i: &Inst| !self.function.insts[*i].kind.effects(self.function).writes;
        let used = |i: &Inst| self.kind(*i).values().any(|v| v == value);
        let rest = &data.insts[at + 1..];
        let once = data.term.values().filter(|v| self.replaced.resolve(*v) == value).count() == 1;
        (!flags.volatile && once && rest.iter().all(|i| quiet(i) && !used(i)))
            .then_some((inst, pointer, flags))
    }

    fn sink_load(&mut self, arms: [Block; 2], to: Block, param: Value) {
        let ValueDef::Param(_, n) = self.function.values[param].def else { return };
        let pass_to_merge = arms.map(|arm| {
            let value = self.function.blocks[arm].term.target(0)?.args.get(usize::from(n)).copied()?;
            Some(self.replaced.resolve(value))
        });
        let [Some(v), Some(w)] = pass_to_merge else { return };
        let (Some((x, p, f)), Some((y, q, g))) = (self.only_load(arms[0], v), self.only_load(arms[1], w))
        else {
            return;
        };
        let Some(common_address) = self.common_address_of(arms, [p, q]) else { return };
        let (pointer, mut insts) = self.build_pointer(arms, to, common_address);
        let flags = MemFlags { align: f.align.min(g.align), volatile: false };
        let kind = InstKind::Load { place: Place::Pointer(pointer), flags };
        let load = self.function.make_inst(kind, &[self.function.ty(param)]);
        insts.push(load);
        self.prepend(to, insts, self.line_of_both(x, y));
        self.replaced.insert(param, self.function.insts[load].results[0]);
        self.gone.insert(param);
        self.function.blocks[arms[0]].insts.retain(|inst| *inst != x);
        self.function.blocks[arms[1]].insts.retain(|inst| *inst != y);
        // The arguments are unused from now on.
        for arm in arms {
            let nothing = self.function.constant(self.function.ty(param), crate::ir::Constant::Undef);
            if let Some(target) = self.function.blocks[arm].term.target_mut(0) {
                target.args[usize::from(n)] = nothing;
            }
        }
    }

    /// A new parameter of the merge block, for one value of each arm.
    fn pass_to_merge(&mut self, arms: [Block; 2], to: Block, values: [Value; 2]) -> Value {
        for (arm, value) in arms.into_iter().zip(values) {
            if let Some(target) = self.function.blocks[arm].term.target_mut(0) {
                target.args.push(value);
            }
        }
        let ty = self.function.ty(values[0]);
        self.function.add_param(to, ty)
    }

    /// The line of one of two instructions that become one.
    fn line_of_both(&self, one: Inst, other: Inst) -> crate::ir::SourceLine {
        let line = self.function.insts[one].line;
        line.within(line.is_within() && self.function.insts[other].line.is_within())
    }

    fn prepend(&mut self, block: Block, mut insts: Vec<Inst>, line: crate::ir::SourceLine) {
        for inst in &insts {
            self.function.insts[*inst].line = line;
        }
        insts.append(&mut self.function.blocks[block].insts);
        self.function.blocks[block].insts = insts;
    }

    /// Returns whether a value is defined in front of both arms.
    fn is_outside(&self, arms: [Block; 2], value: Value) -> bool {
        match self.function.values[value].def {
            ValueDef::Inst(inst, _) => {
                arms.iter().all(|arm| !self.function.blocks[*arm].insts.contains(&inst))
            }
            _ => true,
        }
    }

    fn def(&self, value: Value) -> Option<InstKind> {
        match self.function.values[value].def {
            ValueDef::Inst(inst, _) => Some(self.kind(inst)),
            _ => None,
        }
    }

    fn address(&self, arms: [Block; 2], pointer: Value) -> Option<Address> {
        let Type::Ptr(Space::Global | Space::Constant | Space::Local) = self.function.ty(pointer) else {
            return None;
        };
        let (mut at, mut index, mut scale, mut bytes) = (pointer, None, 0, 0i64);
        loop {
            match self.def(at) {
                Some(InstKind::RootAddr(root)) => {
                    let base = Base::Root(root, self.function.ty(at));
                    return Some(Address { base, index, scale, bytes });
                }
                Some(InstKind::PtrOffset { base, bytes: more }) => {
                    (at, bytes) = (base, bytes.checked_add(more)?);
                }
                Some(InstKind::PtrAdd { base, index: i, scale: s }) if index.is_none() => {
                    (at, index, scale) = (base, Some(i), s);
                }
                _ => break,
            }
        }
        self.is_outside(arms, at).then_some(Address { base: Base::Value(at), index, scale, bytes })
    }

    /// The common address of two pointers, if they differ by an index alone.
    fn common_address_of(&mut self, arms: [Block; 2], pointers: [Value; 2]) -> Option<CommonAddress> {
        let (x, y) = (self.address(arms, pointers[0])?, self.address(arms, pointers[1])?);
        if x.base != y.base {
            return None;
        }
        if x == y {
            return match x.index {
                Some(index) if !self.is_outside(arms, index) => None,
                _ => Some(CommonAddress { at: x, indices: None }),
            };
        }
        let scale = if x.index.is_some() { x.scale } else { y.scale };
        if scale == 0 || (x.index.is_some() && y.index.is_some() && x.scale != y.scale) {
            return None;
        }
        let difference = x.bytes.checked_sub(y.bytes)?;
        let elements = i64::try_from(scale).ok().filter(|s| difference % s == 0).map(|s| difference / s)?;
        let ty = self.function.ty(x.index.or(y.index)?);
        let zero = self.function.iconst(ty, 0);
        let indices = [x.index.unwrap_or(zero), y.index.unwrap_or(zero)];
        if indices.iter().any(|i| self.function.ty(*i) != ty) {
            return None;
        }
        let at = Address { index: None, scale, bytes: y.bytes, ..x };
        if elements != 0 {
            let [a, b] = [0, 1].map(|n| self.extended(arms[n], indices[n]));
            let by = self.function.iconst(Type::I64, elements as u64);
            let more = self.function.append(arms[0], InstKind::Binary(BinaryOp::IAdd, a, by), Type::I64);
            return Some(CommonAddress { at, indices: Some(([more, b], None)) });
        }
        // The index is extended behind both arms.
        let narrow = indices.map(|i| match self.def(i) {
            Some(InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. }) => Some(value),
            _ => None,
        });
        if let [Some(a), Some(b)] = narrow
            && self.function.ty(a) == Type::I32
            && self.function.ty(b) == Type::I32
        {
            return Some(CommonAddress { at, indices: Some(([a, b], Some(ty))) });
        }
        Some(CommonAddress { at, indices: Some((indices, None)) })
    }

    /// An element index, sign-extended to 64 bits (`PtrAdd` takes it as signed).
    fn extended(&mut self, arm: Block, index: Value) -> Value {
        if self.function.ty(index) == Type::I64 {
            return index;
        }
        let kind = InstKind::Convert { op: ConvertOp::SExt, value: index, saturate: false, rounding: None };
        self.function.append(arm, kind, Type::I64)
    }

    /// Makes the pointer in the merge block. Returns its value and its instructions.
    fn build_pointer(
        &mut self,
        arms: [Block; 2],
        to: Block,
        common_address: CommonAddress,
    ) -> (Value, Vec<Inst>) {
        let CommonAddress { at, indices } = common_address;
        let mut insts = Vec::new();
        let index = match indices {
            Some((values, extended)) => {
                let index = self.pass_to_merge(arms, to, values);
                Some(match extended {
                    Some(ty) => {
                        let kind = InstKind::Convert {
                            op: ConvertOp::SExt,
                            value: index,
                            saturate: false,
                            rounding: None,
                        };
                        self.build(&mut insts, kind, ty)
                    }
                    None => index,
                })
            }
            None => at.index,
        };
        let mut pointer = match at.base {
            Base::Root(root, ty) => self.build(&mut insts, InstKind::RootAddr(root), ty),
            Base::Value(value) => value,
        };
        let ty = self.function.ty(pointer);
        if let Some(index) = index {
            let kind = InstKind::PtrAdd { base: pointer, index, scale: at.scale };
            pointer = self.build(&mut insts, kind, ty);
        }
        if at.bytes != 0 {
            pointer = self.build(&mut insts, InstKind::PtrOffset { base: pointer, bytes: at.bytes }, ty);
        }
        (pointer, insts)
    }

    fn build(&mut self, insts: &mut Vec<Inst>, kind: InstKind, ty: Type) -> Value {
        let inst = self.function.make_inst(kind, &[ty]);
        insts.push(inst);
        self.function.insts[inst].results[0]
    }
}

#[cfg(test)]
mod tests {
    use super::hoist_and_sink;
    use crate::ir::Module;
    use crate::passes::fuzz;
    use crate::passes::optimize::mem2reg;
    use crate::passes::optimize::simplify;

    fn moved(body: &str) -> String {
        fuzz::changed(body, |function| {
            hoist_and_sink(function);
        })
    }

    const BRANCH: &str =
        "b0(v0: ptr.global, v1: i32):\n  v2: bool = icmp.ult v1, i32:4\n  condbr v2, b1(), b2()\n";

    #[test]
    fn common_beginnings_are_hoisted() {
        let body = format!(
            "{BRANCH}b1():\n  v3: i32 = iadd v1, i32:1\n  v4: ptr.global = ptradd v0, v3, 4\n  v5: i32 = load [v4], align=4\n  br b3(v5)\n\
             b2():\n  v6: i32 = iadd v1, i32:1\n  v7: ptr.global = ptradd v0, v6, 4\n  v8: i32 = load [v7], align=4\n  v9: i32 = imul v8, v6\n  br b3(v9)\n\
             b3(v10: i32):\n  return(v10)\n"
        );
        let text = moved(&body);
        assert!(text.matches("load").count() == 1 && text.matches("iadd").count() == 1, "{text}");
        assert!(text.find("load") < text.find("condbr"), "{text}");
        // A store before the load in one arm may change what it gives.
        let text = moved(&body.replace("  v8: i32 = load", "  store [v0], v1, align=4\n  v8: i32 = load"));
        assert!(text.matches("load").count() == 2 && text.matches("iadd").count() == 1, "{text}");
    }

    #[test]
    fn one_of_two_loads_is_sunk() {
        let body = format!(
            "{BRANCH}b1():\n  v3: i64 = convert.zext v1\n  v4: ptr.global = ptradd v0, v3, 4\n  v5: ptr.global = ptroffset v4, 8\n  v6: i32 = load [v5], align=4\n  \
             br b3(i32:3, v6)\nb2():\n  v7: i32 = load [v0], align=8\n  br b3(v1, v7)\nb3(v8: i32, v9: i32):\n  v10: i32 = iadd v8, v9\n  return(v10)\n"
        );
        let text = moved(&body);
        assert!(text.matches("load").count() == 1 && text.contains("align=4"), "{text}");
        assert!(text.contains("iadd v3, i64:2") && text.find("condbr") < text.find("load"), "{text}");
        // A difference that is no whole element, another use, and a store behind the load.
        assert_eq!(moved(&body.replace("ptroffset v4, 8", "ptroffset v4, 6")).matches("load").count(), 2);
        assert_eq!(moved(&body.replace("br b3(v1, v7)", "br b3(v7, v7)")).matches("load").count(), 2);
        let stored = body.replace("  br b3(v1, v7)", "  store [v0], v1, align=4\n  br b3(v1, v7)");
        assert_eq!(moved(&stored).matches("load").count(), 2);
    }

    #[test]
    fn last_stores_are_sunk() {
        let body = format!(
            "{BRANCH}b1():\n  v3: ptr.global = ptroffset v0, 4\n  store [v3], v1, align=4\n  store [v0], i32:5, align=4\n  br b3()\n\
             b2():\n  v4: i32 = imul v1, v1\n  v5: ptr.global = ptroffset v0, 4\n  store [v5], v4, align=4\n  store [v0], i32:6, align=4\n  br b3()\n\
             b3():\n  return(v1)\n"
        );
        let text = moved(&body);
        assert!(text.matches("store").count() == 2 && text.contains("b3(i32:5, v1)"), "{text}");
        // Another order, another address with another value, and a load behind the store.
        let difference = body.replace("store [v0], i32:6", "store [v5], i32:6");
        assert_eq!(moved(&difference).matches("store").count(), 4);
        let loaded = body.replace(
            "i32:6, align=4\n  br b3()",
            "i32:6, align=4\n  v6: i32 = load [v0], align=4\n  br b3()",
        );
        assert_eq!(moved(&loaded).matches("store").count(), 4);
    }

    #[test]
    fn random_graphs() {
        let all = |m: &mut Module| {
            let f = m.functions.values_mut().next().expect("one");
            while mem2reg::promote_function(f, 8) == mem2reg::Promotion::Some {}
            simplify::simplify_function(f, 64);
            hoist_and_sink(f);
        };
        fuzz::check(300, 12, &[all]);
        fuzz::check(100, 9, &[|m: &mut Module| m.functions.values_mut().for_each(hoist_and_sink)]);
    }
}

//! The rewriter: builds a function's new instructions one by one, for passes that replace instructions.

use crate::ir::{
    BinaryOp, Block, BranchTarget, Constant, ConvertOp, Function, Inst, InstKind, IntCC, MemFlags, Place,
    Scalar, SourceLine, Terminator, Type, UnaryOp, Value, fold,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Builds the new instruction list of a block. New instructions take the source line of the one that they replace.
pub struct Rewriter<'f> {
    /// The function.
    pub f: &'f mut Function,
    out: Vec<Inst>,
    line: SourceLine,
}

/// Replaces every instruction for which `find` gives something by the kind that `new` makes of it. The result values stay.
/// Blocks without such an instruction are unchanged.
pub fn replace_each<T>(
    f: &mut Function,
    find: impl Fn(&Function, Inst) -> Option<T>,
    mut new: impl FnMut(&mut Rewriter<'_>, Inst, T) -> InstKind,
) {
    for n in 0..f.layout.len() {
        let block = f.layout[n];
        if !f.blocks[block].insts.iter().any(|inst| find(f, *inst).is_some()) {
            continue;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            if let Some(found) = find(rw.f, inst) {
                rw.f.insts[inst].kind = new(&mut rw, inst, found);
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// Replaces the result of every `wanted` instruction by the value that `new` gives, if any, and removes the instruction.
/// Blocks without such an instruction are unchanged.
pub fn replace_results(
    f: &mut Function,
    wanted: impl Fn(&Function, Inst) -> bool,
    mut new: impl FnMut(&mut Rewriter<'_>, Inst) -> Option<Value>,
) {
    let mut map = FxHashMap::default();
    for n in 0..f.layout.len() {
        let block = f.layout[n];
        if !f.blocks[block].insts.iter().any(|inst| wanted(f, *inst)) {
            continue;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        rw.reserve(insts.len());
        for inst in insts {
            rw.at(inst);
            match wanted(rw.f, inst).then(|| new(&mut rw, inst)).flatten() {
                Some(value) => map.extend(rw.f.insts[inst].results.first().map(|old| (*old, value))),
                None => rw.keep(inst),
            }
        }
        rw.finish_block(block);
    }
    f.replace_uses(&map);
}

impl<'f> Rewriter<'f> {
    /// A rewriter with an empty list.
    pub fn new(f: &'f mut Function) -> Self {
        Rewriter { f, out: Vec::new(), line: SourceLine::default() }
    }

    /// Reserves room for `count` instructions.
    pub fn reserve(&mut self, count: usize) {
        self.out.reserve(count);
    }

    /// Sets the old instruction that new ones replace.
    #[inline]
    pub fn at(&mut self, inst: Inst) {
        self.line = self.f.insts[inst].line;
    }

    /// The source line of new instructions.
    pub fn line(&self) -> SourceLine {
        self.line
    }

    /// Keeps an old instruction.
    #[inline]
    pub fn keep(&mut self, inst: Inst) {
        self.out.push(inst);
    }

    /// Moves the list to a block and starts an empty one.
    pub fn finish_block(&mut self, block: Block) {
        self.f.blocks[block].insts = std::mem::take(&mut self.out);
    }

    /// The number of instructions in the list.
    #[inline]
    pub fn count(&self) -> usize {
        self.out.len()
    }

    /// Takes the instructions from an index on.
    pub fn take_from(&mut self, index: usize) -> Vec<Inst> {
        self.out.split_off(index)
    }

    /// Takes the list so far.
    pub fn take(&mut self) -> Vec<Inst> {
        std::mem::take(&mut self.out)
    }

    /// Adds the instructions that `build` makes to another list.
    pub fn elsewhere<T>(&mut self, list: &mut Vec<Inst>, build: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.out, list);
        let built = build(self);
        std::mem::swap(&mut self.out, list);
        built
    }

    /// Adds an instruction whose result is a value that is opaque to passes and drivers ([`UnaryOp::Opaque`]).
    pub fn opaque(&mut self, value: Value) -> Value {
        let ty = self.f.ty(value);
        self.inst(InstKind::Unary(UnaryOp::Opaque, value), ty)
    }

    /// Adds an instruction with one result.
    pub fn inst(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.f.make_inst(kind, &[ty]);
        self.f.insts[inst].line = self.line;
        self.out.push(inst);
        self.f.insts[inst].results[0]
    }

    /// Adds an instruction without a result.
    pub fn void(&mut self, kind: InstKind) {
        let inst = self.f.make_inst(kind, &[]);
        self.f.insts[inst].line = self.line;
        self.out.push(inst);
    }

    /// An integer constant.
    pub fn iconst(&mut self, ty: Type, bits: u64) -> Value {
        self.f.iconst(ty, bits)
    }

    /// A float constant, in every lane.
    pub fn fconst(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty.scalar() {
            Some(Scalar::F64) => value.to_bits(),
            Some(Scalar::F16) => half::f16::from_f64(value).to_bits().into(),
            _ => u64::from((value as f32).to_bits()),
        };
        self.f.constant(ty, Constant::Bits(bits))
    }

    /// The bits of both operands if both are constants of at most 64 bits.
    fn both_const(&self, a: Value, b: Value) -> Option<(u64, u64)> {
        Some((self.f.const_bits(a)?, self.f.const_bits(b)?))
    }

    /// a + b, folded if trivial.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        let ty = self.f.ty(a);
        match (self.f.const_bits(a), self.f.const_bits(b)) {
            (Some(x), Some(y)) => self.iconst(ty, x.wrapping_add(y)),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.inst(InstKind::Binary(BinaryOp::IAdd, a, b), ty),
        }
    }

    /// a × constant, as a shift for powers of two.
    pub fn mul_const(&mut self, a: Value, by: u64) -> Value {
        let ty = self.f.ty(a);
        if by == 1 {
            return a;
        }
        if let Some(x) = self.f.const_bits(a) {
            return self.iconst(ty, x.wrapping_mul(by));
        }
        if by.is_power_of_two() && by.trailing_zeros() < ty.scalar().map_or(0, Scalar::bits) {
            let count = self.iconst(ty, by.trailing_zeros().into());
            return self.inst(InstKind::Binary(BinaryOp::Shl, a, count), ty);
        }
        let by = self.iconst(ty, by);
        self.inst(InstKind::Binary(BinaryOp::IMul, a, by), ty)
    }

    /// A binary operation on two values of one type. Ands, ors and shifts of constants are folded.
    pub fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.f.ty(a);
        if let Some((x, y)) = self.both_const(a, b) {
            let folds = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Shl | BinaryOp::LShr);
            let scalar = ty.scalar().filter(|_| folds);
            if let Some(bits) = scalar.and_then(|scalar| fold::binary(op, scalar, x, y)) {
                return self.iconst(ty, bits);
            }
        }
        self.inst(InstKind::Binary(op, a, b), ty)
    }

    /// A binary operation with a constant on the right.
    pub fn binary_const(&mut self, op: BinaryOp, a: Value, b: u64) -> Value {
        let ty = self.f.ty(a);
        let b = self.iconst(ty, b);
        self.binary(op, a, b)
    }

    /// An integer comparison.
    pub fn icmp(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        let ty = self.f.ty(a).with_scalar(Scalar::Bool);
        self.inst(InstKind::ICmp(cc, a, b), ty)
    }

    /// A conversion without saturation or rounding mode. Trunc, ZExt and SExt of constants are folded.
    pub fn convert(&mut self, op: ConvertOp, value: Value, ty: Type) -> Value {
        if let Some(bits) = self.f.const_bits(value) {
            match op {
                ConvertOp::Trunc | ConvertOp::ZExt => return self.iconst(ty, bits),
                ConvertOp::SExt => {
                    if let Some(signed) = self.f.const_signed(value) {
                        return self.iconst(ty, signed as u64);
                    }
                }
                _ => {}
            }
        }
        self.inst(InstKind::Convert { op, value, saturate: false, rounding: None }, ty)
    }

    /// An integer in another width: truncated, or extended with its sign or zeros.
    pub fn int_cast(&mut self, value: Value, ty: Type, signed: bool) -> Value {
        let from = self.f.ty(value).scalar().map_or(0, Scalar::bits);
        let to = ty.scalar().map_or(0, Scalar::bits);
        match to.cmp(&from) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.convert(ConvertOp::Trunc, value, ty),
            std::cmp::Ordering::Greater if signed => self.convert(ConvertOp::SExt, value, ty),
            std::cmp::Ordering::Greater => self.convert(ConvertOp::ZExt, value, ty),
        }
    }

    /// The same bits as another type. The value itself if the type is the same.
    pub fn bitcast(&mut self, value: Value, ty: Type) -> Value {
        if self.f.ty(value) == ty { value } else { self.inst(InstKind::Bitcast(value), ty) }
    }

    /// A vector of concatenated parts. One part of the full type is the result itself.
    pub fn construct(&mut self, parts: &[Value], ty: Type) -> Value {
        match parts {
            [one] if self.f.ty(*one) == ty => *one,
            _ => self.inst(InstKind::Construct(SmallVec::from_slice(parts)), ty),
        }
    }

    /// One lane of a vector. A scalar is its own only lane.
    pub fn extract(&mut self, value: Value, lane: u8) -> Value {
        match self.f.ty(value) {
            Type::Vector(s, _) => self.inst(InstKind::Extract(value, lane), Type::Scalar(s)),
            _ => value,
        }
    }

    /// `count` lanes, beginning with `first`.
    pub fn lanes(&mut self, value: Value, first: u8, count: u8) -> Value {
        let ty = self.f.ty(value);
        if first == 0 && count == ty.lanes() {
            return value;
        }
        if count == 1 {
            return self.extract(value, first);
        }
        let Some(scalar) = ty.scalar() else { return value };
        let mask = (first..first + count).map(Some).collect();
        self.inst(InstKind::Shuffle(value, value, mask), Type::new(scalar, count))
    }

    /// A load from an element or address place.
    pub fn load(&mut self, place: Place, ty: Type, flags: MemFlags) -> Value {
        self.inst(InstKind::Load { place, flags }, ty)
    }

    /// A store to an element or address place.
    pub fn store(&mut self, place: Place, value: Value, flags: MemFlags) {
        self.void(InstKind::Store { place, value, flags });
    }
}

/// The insertion point of a pass that splits blocks.
pub struct Site {
    /// The current block.
    pub at: Block,
    /// The finished blocks, in order.
    pub done: Vec<Block>,
}

impl Site {
    /// Finishes the current block.
    pub fn finish(&mut self, rw: &mut Rewriter<'_>) {
        rw.finish_block(self.at);
        self.done.push(self.at);
    }

    /// Splits the current block before an access. Gives the block that needs a terminator, and the block after the access.
    pub fn split(&mut self, rw: &mut Rewriter<'_>) -> (Block, Block) {
        let head = self.at;
        self.finish(rw);
        let tail = rw.f.new_detached_block();
        rw.f.blocks[tail].term = std::mem::replace(&mut rw.f.blocks[head].term, Terminator::Unreachable);
        self.at = tail;
        (head, tail)
    }

    /// Ends the block with a conditional branch. Instructions then go to the arm for a true condition.
    /// The arms merge with values of these types, and may branch themselves.
    pub fn fork(&mut self, rw: &mut Rewriter<'_>, condition: Value, types: &[Type]) -> Fork {
        let (head, tail) = self.split(rw);
        let values = types.iter().map(|ty| rw.f.add_param(tail, *ty)).collect();
        let (then, els) = (rw.f.new_detached_block(), rw.f.new_detached_block());
        let to = |block| BranchTarget { block, args: SmallVec::new() };
        rw.f.blocks[head].term = Terminator::CondBranch { cond: condition, then: to(then), els: to(els) };
        self.at = then;
        Fork { els, tail, values }
    }
}

/// An if-else: the two arms of a branch and their merge block.
pub struct Fork {
    els: Block,
    tail: Block,
    values: SmallVec<[Value; 1]>,
}

impl Fork {
    /// Ends the first arm with its values and begins the other.
    pub fn otherwise(&mut self, site: &mut Site, rw: &mut Rewriter<'_>, values: &[Value]) {
        self.end(site, rw, values);
        site.at = self.els;
    }

    /// Ends the other arm with its values. Gives the merged values.
    pub fn join(self, site: &mut Site, rw: &mut Rewriter<'_>, values: &[Value]) -> SmallVec<[Value; 1]> {
        self.end(site, rw, values);
        site.at = self.tail;
        self.values
    }

    fn end(&self, site: &mut Site, rw: &mut Rewriter<'_>, values: &[Value]) {
        let args = SmallVec::from_slice(values);
        rw.f.blocks[site.at].term = Terminator::Branch(BranchTarget { block: self.tail, args });
        site.finish(rw);
    }
}

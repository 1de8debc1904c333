//! Vector splitting: vectors of 8 and 16 lanes become 2 and 4 parts of 4 lanes.
//!
//! ```text
//! c: <8 x i32> = iadd a, b        becomes        c0: <4 x i32> = iadd a0, b0; c1: <4 x i32> = iadd a1, b1
//! ```

use crate::error::LowerError;
use crate::ir::text::inst_to_string;
use crate::ir::{
    BinaryOp, Block, Constant, Function, Inst, InstKind, IntCC, Mask, Scalar, Type, UnaryOp, Value, ValueDef,
};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

type Parts = SmallVec<[Value; 4]>;

/// Splits the wide vectors of a function.
///
/// # Errors
/// [`LowerError::Bug`] for an instruction that cannot be split, and a value that is used before its definition.
pub(super) fn run(f: &mut Function) -> Result<(), LowerError> {
    if !f.values.values().any(|v| v.ty.lanes() > 4) {
        return Ok(());
    }
    let mut split = Split { parts: FxHashMap::default(), replaced: FxHashMap::default(), unmet: None };
    for block in f.layout.clone() {
        split.params(f, block);
    }
    f.returns = f.returns.iter().flat_map(|ty| part_types(*ty)).collect();
    for block in f.layout.clone() {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            if !split.inst(&mut rw, inst) {
                return Err(bug(format!("no rule splits `{}`", inst_to_string(rw.f, inst))));
            }
            if let Some(value) = split.unmet {
                let text = inst_to_string(rw.f, inst);
                return Err(bug(format!("{value} is used before its definition in `{text}`")));
            }
        }
        split.terminator(&mut rw, block);
        rw.finish_block(block);
        if let Some(value) = split.unmet {
            return Err(bug(format!("{value} is used before its definition at the end of {block}")));
        }
    }
    f.replace_uses(&split.replaced);
    Ok(())
}

fn bug(message: String) -> LowerError {
    LowerError::Bug { pass: "legalize_types", message }
}

/// The types of a value's parts, or its own type if it is not wide.
fn part_types(ty: Type) -> SmallVec<[Type; 4]> {
    match ty {
        Type::Vector(scalar, lanes) if lanes > 4 => {
            SmallVec::from_elem(Type::Vector(scalar, 4), usize::from(lanes / 4))
        }
        _ => SmallVec::from_slice(&[ty]),
    }
}

struct Split {
    /// The parts of each wide value.
    parts: FxHashMap<Value, Parts>,
    /// Narrow results of instructions with wide operands.
    replaced: FxHashMap<Value, Value>,
    /// A wide value without parts that was asked for.
    unmet: Option<Value>,
}

impl Split {
    fn params(&mut self, f: &mut Function, block: Block) {
        let old = std::mem::take(&mut f.blocks[block].params);
        for param in old {
            let types = part_types(f.ty(param));
            if types.len() == 1 {
                let index = f.blocks[block].params.len() as u16;
                f.values[param].def = ValueDef::Param(block, index);
                f.blocks[block].params.push(param);
                continue;
            }
            let parts = types.iter().map(|ty| f.add_param(block, *ty)).collect();
            self.parts.insert(param, parts);
        }
    }

    fn terminator(&mut self, rw: &mut Rewriter<'_>, block: Block) {
        let mut term = rw.f.blocks[block].term.clone();
        for target in term.targets_mut() {
            target.args = target.args.iter().flat_map(|v| self.parts_of(rw.f, *v)).collect();
        }
        if let crate::ir::Terminator::Return(values) = &mut term {
            *values = values.iter().flat_map(|v| self.parts_of(rw.f, *v)).collect();
        }
        rw.f.blocks[block].term = term;
    }

    /// The parts of a value, or the value itself if it is not wide.
    fn parts_of(&mut self, f: &mut Function, value: Value) -> Parts {
        let types = part_types(f.ty(value));
        if types.len() == 1 {
            return SmallVec::from_slice(&[value]);
        }
        if let Some(parts) = self.parts.get(&value) {
            return parts.clone();
        }
        let constant = match f.values[value].def {
            ValueDef::Const(constant) => constant,
            _ => {
                self.unmet = Some(value);
                Constant::Undef
            }
        };
        let parts: Parts = types.iter().map(|ty| f.constant(*ty, constant)).collect();
        self.parts.insert(value, parts.clone());
        parts
    }

    /// Splits an instruction; `false` where it is of a kind that cannot be split.
    fn inst(&mut self, rw: &mut Rewriter<'_>, inst: Inst) -> bool {
        let kind = rw.f.insts[inst].kind.clone();
        let result = rw.f.insts[inst].results.first().copied();
        let wide_operand = kind.values().any(|v| rw.f.ty(v).lanes() > 4);
        let wide_result = rw.f.insts[inst].results.iter().any(|v| rw.f.ty(*v).lanes() > 4);
        let Some(result) = result.filter(|_| wide_operand || wide_result) else {
            if wide_operand || wide_result {
                return self.call(rw, inst, kind);
            }
            rw.keep(inst);
            return true;
        };
        let ty = rw.f.ty(result);
        let parts = match kind {
            InstKind::Unary(op @ (UnaryOp::Any | UnaryOp::All), v) => self.reduce(rw, op, v),
            InstKind::Bitcast(v) => self.bitcast(rw, v, ty),
            InstKind::Construct(args) => self.construct(rw, &args, ty),
            InstKind::Extract(v, lane) => {
                let parts = self.parts_of(rw.f, v);
                SmallVec::from_slice(&[rw.extract(parts[usize::from(lane / 4)], lane % 4)])
            }
            InstKind::ExtractDyn(v, index) => self.extract_dyn(rw, v, index),
            InstKind::Insert { vector, scalar, lane } => {
                let mut parts = self.parts_of(rw.f, vector);
                let part = &mut parts[usize::from(lane / 4)];
                let ty = rw.f.ty(*part);
                *part = rw.inst(InstKind::Insert { vector: *part, scalar, lane: lane % 4 }, ty);
                parts
            }
            InstKind::InsertDyn { vector, scalar, index } => self.insert_dyn(rw, vector, scalar, index),
            InstKind::Shuffle(a, b, mask) => self.shuffle(rw, a, b, &mask, ty),
            InstKind::Call { .. } => return self.call(rw, inst, kind),
            other if other.is_lanewise() => self.per_part(rw, &other, ty),
            _ => return false,
        };
        if wide_result {
            self.parts.insert(result, parts);
        } else if let Some(new) = parts.first() {
            self.replaced.insert(result, *new);
        }
        true
    }

    /// Splits a componentwise operation into one for each part. Narrow operands (a scalar condition) stay.
    fn per_part(&mut self, rw: &mut Rewriter<'_>, kind: &InstKind, ty: Type) -> Parts {
        let operands: Vec<Parts> = kind.values().map(|v| self.parts_of(rw.f, v)).collect();
        let count = operands.iter().map(|p| p.len()).max().unwrap_or(1).max(part_types(ty).len());
        let lanes = if ty.lanes() > 4 { 4 } else { ty.lanes() };
        let part_ty = Type::new(ty.scalar().unwrap_or(Scalar::I32), lanes);
        (0..count)
            .map(|n| {
                let mut kind = kind.clone();
                for (value, parts) in kind.values_mut().into_iter().zip(&operands) {
                    *value = *parts.get(n).unwrap_or(&parts[0]);
                }
                rw.inst(kind, part_ty)
            })
            .collect()
    }

    fn reduce(&mut self, rw: &mut Rewriter<'_>, op: UnaryOp, value: Value) -> Parts {
        let parts = self.parts_of(rw.f, value);
        let join = if op == UnaryOp::Any { BinaryOp::Or } else { BinaryOp::And };
        let parts: Parts = parts.iter().map(|p| rw.inst(InstKind::Unary(op, *p), Type::BOOL)).collect();
        let whole =
            parts[1..].iter().fold(parts[0], |a, b| rw.inst(InstKind::Binary(join, a, *b), Type::BOOL));
        SmallVec::from_slice(&[whole])
    }

    /// All lanes of a value as scalars.
    fn lanes(&mut self, rw: &mut Rewriter<'_>, value: Value) -> SmallVec<[Value; 16]> {
        let parts = self.parts_of(rw.f, value);
        let mut lanes = SmallVec::new();
        for part in parts {
            for lane in 0..rw.f.ty(part).lanes() {
                lanes.push(rw.extract(part, lane));
            }
        }
        lanes
    }

    fn group(&mut self, rw: &mut Rewriter<'_>, lanes: &[Value], ty: Type) -> Parts {
        let types = part_types(ty);
        let per_part = usize::from(types[0].lanes());
        lanes.chunks(per_part).zip(types).map(|(chunk, ty)| rw.construct(chunk, ty)).collect()
    }

    fn construct(&mut self, rw: &mut Rewriter<'_>, args: &[Value], ty: Type) -> Parts {
        if let [one] = args
            && rw.f.ty(*one).lanes() == 1
        {
            let args: SmallVec<[Value; 4]> = SmallVec::from_slice(&[*one]);
            return part_types(ty).iter().map(|t| rw.inst(InstKind::Construct(args.clone()), *t)).collect();
        }
        // Whole parts that are aligned need no splitting.
        let whole = args.iter().all(|a| rw.f.ty(*a).lanes().is_multiple_of(4));
        if whole {
            return args.iter().flat_map(|a| self.parts_of(rw.f, *a)).collect();
        }
        let lanes: Vec<Value> = args.iter().flat_map(|a| self.lanes(rw, *a)).collect();
        self.group(rw, &lanes, ty)
    }

    fn bitcast(&mut self, rw: &mut Rewriter<'_>, value: Value, ty: Type) -> Parts {
        let from = rw.f.ty(value);
        let (Some(a), Some(b)) = (from.scalar(), ty.scalar()) else { return SmallVec::new() };
        if a.bytes() == b.bytes() {
            let parts = self.parts_of(rw.f, value);
            return parts.iter().zip(part_types(ty)).map(|(p, t)| rw.bitcast(*p, t)).collect();
        }
        let lanes = self.lanes(rw, value);
        let new = if a.bytes() > b.bytes() {
            lanes.iter().flat_map(|lane| split_scalar(rw, *lane, b)).collect::<Vec<_>>()
        } else {
            let per_lane = (b.bytes() / a.bytes()) as usize;
            lanes.chunks(per_lane).map(|chunk| join_lanes(rw, chunk, b)).collect()
        };
        self.group(rw, &new, ty)
    }

    fn extract_dyn(&mut self, rw: &mut Rewriter<'_>, value: Value, index: Value) -> Parts {
        let parts = self.parts_of(rw.f, value);
        let low = rw.binary_const(BinaryOp::And, index, 3);
        let high = rw.binary_const(BinaryOp::LShr, index, 2);
        let ty = rw.f.ty(parts[0]).element();
        let mut chosen = rw.inst(InstKind::ExtractDyn(parts[0], low), ty);
        for (n, part) in parts.iter().enumerate().skip(1) {
            let lane = rw.inst(InstKind::ExtractDyn(*part, low), ty);
            let here = rw.iconst(rw.f.ty(high), n as u64);
            let here = rw.icmp(IntCC::Eq, high, here);
            chosen = rw.inst(InstKind::Select(here, lane, chosen), ty);
        }
        SmallVec::from_slice(&[chosen])
    }

    fn insert_dyn(&mut self, rw: &mut Rewriter<'_>, vector: Value, scalar: Value, index: Value) -> Parts {
        let parts = self.parts_of(rw.f, vector);
        let low = rw.binary_const(BinaryOp::And, index, 3);
        let high = rw.binary_const(BinaryOp::LShr, index, 2);
        let ty = rw.f.ty(parts[0]);
        parts
            .iter()
            .enumerate()
            .map(|(n, part)| {
                let changed = rw.inst(InstKind::InsertDyn { vector: *part, scalar, index: low }, ty);
                let here = rw.iconst(rw.f.ty(high), n as u64);
                let here = rw.icmp(IntCC::Eq, high, here);
                // Every version of SPIR-V takes a condition for every lane.
                let here =
                    rw.inst(InstKind::Construct(SmallVec::from_slice(&[here])), ty.with_scalar(Scalar::Bool));
                rw.inst(InstKind::Select(here, changed, *part), ty)
            })
            .collect()
    }

    fn shuffle(&mut self, rw: &mut Rewriter<'_>, a: Value, b: Value, mask: &Mask, ty: Type) -> Parts {
        let split = rw.f.ty(a).lanes();
        let sources: [Parts; 2] = [self.parts_of(rw.f, a), self.parts_of(rw.f, b)];
        // The part of a lane of the concatenated operands, and the lane in it.
        let locate = |lane: u8| {
            let (side, lane) = if lane < split { (0, lane) } else { (1, lane - split) };
            let parts: &Parts = &sources[side];
            if parts.len() == 1 { (parts[0], lane) } else { (parts[usize::from(lane / 4)], lane % 4) }
        };
        let types = part_types(ty);
        let per_part = usize::from(types[0].lanes());
        let lanes: SmallVec<[Option<u8>; 16]> = mask.iter().collect();
        lanes
            .chunks(per_part)
            .zip(types)
            .map(|(chunk, ty)| shuffle_part(rw, &chunk.iter().map(|l| l.map(locate)).collect::<Vec<_>>(), ty))
            .collect()
    }

    /// Splits the arguments and results of a call; `false` for another instruction.
    fn call(&mut self, rw: &mut Rewriter<'_>, inst: Inst, kind: InstKind) -> bool {
        let InstKind::Call { func, args, pure } = kind else { return false };
        let args = args.iter().flat_map(|a| self.parts_of(rw.f, *a)).collect();
        let old: SmallVec<[Value; 4]> = rw.f.insts[inst].results.iter().copied().collect();
        let types: Vec<Type> = old.iter().flat_map(|r| part_types(rw.f.ty(*r))).collect();
        let new = rw.f.make_inst(InstKind::Call { func, args, pure }, &types);
        rw.keep(new);
        let results = rw.f.insts[new].results.clone();
        let mut results = results.iter().copied();
        for value in old {
            let count = part_types(rw.f.ty(value)).len();
            let parts: Parts = results.by_ref().take(count).collect();
            if count > 1 {
                self.parts.insert(value, parts);
            } else if let Some(one) = parts.first() {
                self.replaced.insert(value, *one);
            }
        }
        true
    }
}

/// One part of a shuffle's result from (part, lane) sources.
fn shuffle_part(rw: &mut Rewriter<'_>, sources: &[Option<(Value, u8)>], ty: Type) -> Value {
    let mut used: SmallVec<[Value; 4]> = SmallVec::new();
    for (part, _) in sources.iter().flatten() {
        if !used.contains(part) {
            used.push(*part);
        }
    }
    let scalar = ty.scalar().unwrap_or(Scalar::I32);
    if used.is_empty() {
        return rw.f.constant(ty, Constant::Undef);
    }
    if used.len() <= 2 && ty.lanes() > 1 && used.iter().all(|v| rw.f.ty(*v).lanes() > 1) {
        let (a, b) = (used[0], *used.get(1).unwrap_or(&used[0]));
        let first = rw.f.ty(a).lanes();
        let mask = sources
            .iter()
            .map(|s| s.map(|(part, lane)| if part == a { lane } else { first + lane }))
            .collect();
        return rw.inst(InstKind::Shuffle(a, b, mask), ty);
    }
    let lanes: SmallVec<[Value; 4]> = sources
        .iter()
        .map(|source| match source {
            Some((part, lane)) => rw.extract(*part, *lane),
            None => rw.f.constant(Type::Scalar(scalar), Constant::Undef),
        })
        .collect();
    rw.construct(&lanes, ty)
}

/// The lanes of a smaller scalar that a scalar consists of, the least significant first.
fn split_scalar(rw: &mut Rewriter<'_>, value: Value, scalar: Scalar) -> Vec<Value> {
    let count = rw.f.ty(value).bytes() / scalar.bytes();
    if count > 4 {
        let words = rw.bitcast(value, Type::Vector(Scalar::I32, 2));
        let halves = [rw.extract(words, 0), rw.extract(words, 1)];
        return halves.into_iter().flat_map(|word| split_scalar(rw, word, scalar)).collect();
    }
    let vector = rw.bitcast(value, Type::new(scalar, count as u8));
    (0..count as u8).map(|n| rw.extract(vector, n)).collect()
}

/// The scalar that consists of the lanes of a smaller one.
fn join_lanes(rw: &mut Rewriter<'_>, lanes: &[Value], scalar: Scalar) -> Value {
    let from = rw.f.ty(lanes[0]).scalar().unwrap_or(Scalar::I8);
    if lanes.len() > 4 {
        let words: Vec<Value> =
            lanes.chunks(lanes.len() / 2).map(|half| join_lanes(rw, half, Scalar::I32)).collect();
        let pair = rw.construct(&words, Type::Vector(Scalar::I32, 2));
        return rw.bitcast(pair, Type::Scalar(scalar));
    }
    let vector = rw.construct(lanes, Type::new(from, lanes.len() as u8));
    rw.bitcast(vector, Type::Scalar(scalar))
}

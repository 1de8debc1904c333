//! Marks for checks: operations of the source that have no result for some operands are distinguished from those that passes make.
//!
//! Accesses beyond private variables stay accesses of memory ([`Function::keeps_faults`]): they would be promoted as if the variable were larger.
//! Divisions and conversions get the mark of [`SourceLine::marked`](crate::ir::SourceLine::marked). The count of a shift, of which the front end takes
//! the low bits, becomes opaque, so that it is still there when the checks are made:
//!
//! Sums, differences and products of signed integers are looked at here, because the optimiser makes others of them: a report follows where the
//! result has not the sign that those of the operands ask for ([`InstKind::FaultIf`]).
//!
//! ```text
//! x << (n & 31)        becomes        x << (opaque(n) & 31)
//! ```

use super::insert_checks::is_shift;
use crate::check::Checks;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    BinaryOp, ConvertOp, Function, ImageOp, ImageRef, Inst, InstKind, IntCC, Module, Scalar, Type, UnaryOp,
    Value,
};
use crate::transform::rewriter::Rewriter;
use crate::transform::rewriter::replace_each;
use rustc_hash::FxHashMap;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let checks = cx.options.check.of_kernels();
    for f in module.functions.values_mut() {
        f.keeps_faults = checks.contains(Checks::BOUNDS);
        if checks.contains(Checks::BOUNDS) {
            mark_texels(f);
        }
        if checks.contains(Checks::ARITHMETIC) {
            mark(f);
        }
        if !checks.is_empty() {
            look_at_overflow(f, checks.contains(Checks::OVERFLOW));
        }
        if checks.contains(Checks::UNINITIALISED) {
            f.keeps_variables = true;
            mark_copies(f);
        }
        if checks.contains(Checks::SHIFTS) {
            keep_counts(f);
        }
    }
    Ok(())
}

fn mark(f: &mut Function) {
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        let data = &mut f.insts[*inst];
        let marked = match data.kind {
            InstKind::Binary(op, ..) => op.has_undefined_cases() && !is_shift(op),
            InstKind::Convert { op: ConvertOp::FToS | ConvertOp::FToU, saturate, .. } => !saturate,
            _ => false,
        };
        if marked {
            data.line = data.line.marked();
        }
    }
}

/// The site of overflows in 32 bits, for [`InstKind::FaultIf`]. No table has it.
const OVERFLOW_OF_32: u32 = u32::MAX;
/// The same in 64 bits.
const OVERFLOW_OF_64: u32 = u32::MAX - 1;

/// The bits of the type that does not hold a result, if that is the fault of a site.
pub fn overflowing(site: u32) -> Option<u32> {
    match site {
        OVERFLOW_OF_32 => Some(32),
        OVERFLOW_OF_64 => Some(64),
        _ => None,
    }
}

/// Looks at the results of signed integers, if that is asked for. The marks of these operations go: they are of no use to other passes.
fn look_at_overflow(f: &mut Function, asked: bool) {
    let is_marked = |f: &Function, inst: Inst| {
        let of_sums = matches!(
            f.insts[inst].kind,
            InstKind::Binary(BinaryOp::IAdd | BinaryOp::ISub | BinaryOp::IMul, ..)
                | InstKind::Unary(UnaryOp::INeg, _)
        );
        of_sums && f.insts[inst].line.is_marked()
    };
    for block in f.layout.clone() {
        if !f.blocks[block].insts.iter().any(|inst| is_marked(f, *inst)) {
            continue;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            let marked = is_marked(rw.f, inst);
            if marked {
                rw.f.insts[inst].line = rw.f.insts[inst].line.unmarked();
            }
            rw.at(inst);
            rw.keep(inst);
            let ty = rw.f.insts[inst].results.first().map(|result| rw.f.ty(*result));
            if let Some(ty @ (Type::I32 | Type::I64)) = ty.filter(|_| marked && asked) {
                let condition = overflow(&mut rw, inst, ty);
                let site = if ty == Type::I64 { OVERFLOW_OF_64 } else { OVERFLOW_OF_32 };
                rw.void(InstKind::FaultIf(condition, site));
            }
        }
        rw.finish_block(block);
    }
}

/// Tests if the exact result of an operation on signed integers is another number.
fn overflow(rw: &mut Rewriter<'_>, inst: Inst, ty: Type) -> Value {
    let result = rw.f.insts[inst].results[0];
    let zero = rw.iconst(ty, 0);
    let (op, a, b) = match rw.f.insts[inst].kind {
        InstKind::Binary(op, a, b) => (op, a, b),
        InstKind::Unary(_, a) => (BinaryOp::ISub, zero, a),
        _ => return rw.iconst(Type::BOOL, 0),
    };
    // Whether the signs of two numbers differ, in the highest bit.
    let differ = |rw: &mut Rewriter<'_>, x: Value, y: Value| rw.binary(BinaryOp::Xor, x, y);
    match op {
        BinaryOp::IMul if ty == Type::I32 => {
            let wide = |rw: &mut Rewriter<'_>, value| rw.convert(ConvertOp::SExt, value, Type::I64);
            let (a, b, result) = (wide(rw, a), wide(rw, b), wide(rw, result));
            let exact = rw.inst(InstKind::Binary(BinaryOp::IMul, a, b), Type::I64);
            rw.icmp(IntCC::Ne, exact, result)
        }
        BinaryOp::IMul => {
            let high = rw.inst(InstKind::Binary(BinaryOp::SMulHi, a, b), ty);
            let sign = rw.binary_const(BinaryOp::AShr, result, 63);
            rw.icmp(IntCC::Ne, high, sign)
        }
        _ => {
            let first = differ(rw, a, result);
            // A sum has the sign of operands that agree; a difference has that of the first one where they do not.
            let second = if op == BinaryOp::IAdd { differ(rw, b, result) } else { differ(rw, a, b) };
            let both = rw.binary(BinaryOp::And, first, second);
            rw.icmp(IntCC::Slt, both, zero)
        }
    }
}

/// Puts a check before accesses of images whose coordinates have no sampler: what is outside is undefined (§6.15.15).
fn mark_texels(f: &mut Function) {
    for block in f.layout.clone() {
        let has = |inst: &Inst| texel(&f.insts[*inst].kind).is_some();
        if !f.blocks[block].insts.iter().any(has) {
            continue;
        }
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            if let Some((image, written, coordinate)) = texel(&rw.f.insts[inst].kind) {
                let args = Box::new(smallvec::smallvec![coordinate]);
                rw.void(InstKind::Image { op: ImageOp::Bounds(written), image, args });
            }
            rw.keep(inst);
        }
        rw.finish_block(block);
    }
}

/// The image of an access at one level, whether it writes, and the coordinate.
fn texel(kind: &InstKind) -> Option<(ImageRef, bool, Value)> {
    let InstKind::Image { op, image, args } = kind else { return None };
    match (op, args.as_slice()) {
        (ImageOp::Read(_), [coordinate]) => Some((*image, false, *coordinate)),
        (ImageOp::Write(_), [coordinate, _]) => Some((*image, true, *coordinate)),
        _ => None,
    }
}

/// Marks copies of memory: they may copy what was never written, such as a part of a struct.
fn mark_copies(f: &mut Function) {
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        let data = &mut f.insts[*inst];
        if matches!(data.kind, InstKind::Copy { .. }) {
            data.line = data.line.marked();
        }
    }
}

/// Makes the counts of shifts opaque.
fn keep_counts(f: &mut Function) {
    // The masks of counts, and the counts.
    let mut masks: FxHashMap<Inst, Value> = FxHashMap::default();
    for inst in f.layout.iter().flat_map(|block| &f.blocks[*block].insts) {
        let InstKind::Binary(op, _, masked) = f.insts[*inst].kind else { continue };
        let crate::ir::ValueDef::Inst(mask, _) = f.values[masked].def else { continue };
        let InstKind::Binary(BinaryOp::And, count, bits) = f.insts[mask].kind else { continue };
        let width = f.ty(masked).scalar().map_or(0, Scalar::bits);
        if is_shift(op) && f.const_bits(bits) == Some(u64::from(width).wrapping_sub(1)) {
            masks.insert(mask, count);
        }
    }
    replace_each(
        f,
        |_, inst| masks.get(&inst).copied(),
        |rw, inst, count| {
            let InstKind::Binary(op, _, bits) = rw.f.insts[inst].kind else { unreachable!("a mask") };
            let ty = rw.f.ty(count);
            let opaque = rw.inst(InstKind::Unary(UnaryOp::Opaque, count), ty);
            InstKind::Binary(op, opaque, bits)
        },
    );
}

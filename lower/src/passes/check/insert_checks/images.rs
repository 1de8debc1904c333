//! Texels that an image does not have: coordinates that no sampler brings into it.

use super::report::{ReportValues, Reporter, SiteFault};
use crate::check::{Access, Fault};
use crate::ir::{BinaryOp, ConvertOp, ImageOp, ImageRef, Inst, InstKind, IntCC, Type, UnaryOp, Value};
use crate::transform::rewriter::{Rewriter, Site};

/// Replaces a mark of `mark_operations` by code that reports coordinates outside of the image. Returns whether the instruction is one.
pub(super) fn guard(
    rw: &mut Rewriter<'_>,
    point: &mut Site,
    inst: Inst,
    reporter: &mut Reporter<'_>,
) -> bool {
    let InstKind::Image { op: ImageOp::Bounds(written), image, ref args } = rw.f.insts[inst].kind else {
        return false;
    };
    let (ImageRef::Arg(arg), [coordinate]) = (image, args.as_slice()) else { return true };
    let coordinate = *coordinate;
    let Some((object, ty)) = reporter.image(arg) else { return true };
    let line = rw.f.insts[inst].line;
    let mut inside: Option<Value> = None;
    let mut numbers: Vec<Value> = Vec::new();
    for lane in 0..ty.coordinates() {
        let query = InstKind::Image { op: ImageOp::Size(lane), image, args: Box::default() };
        let size = rw.inst(query, Type::I32);
        let at = rw.extract(coordinate, lane);
        let fits = rw.icmp(IntCC::Ult, at, size);
        inside = Some(inside.map_or(fits, |inside| rw.binary(BinaryOp::And, inside, fits)));
        numbers.push(at);
    }
    let Some(inside) = inside else { return true };
    let outside = rw.inst(InstKind::Unary(UnaryOp::Not, inside), Type::BOOL);
    let mut fork = point.fork(rw, outside, &[]);
    let mut wide = |n: usize| match numbers.get(n) {
        Some(number) => rw.convert(ConvertOp::ZExt, *number, Type::I64),
        None => rw.iconst(Type::I64, 0),
    };
    let (x, y, limit) = (wide(0), wide(1), wide(2));
    let y = rw.binary_const(BinaryOp::Shl, y, 32);
    let value = rw.binary(BinaryOp::Or, x, y);
    let access = if written { Access::Write } else { Access::Read };
    let what = SiteFault { fault: Fault::Texel, access, size: ty.coordinates().into() };
    let object = rw.iconst(Type::I32, object.into());
    reporter.report(rw, (what, line), ReportValues { object, value, limit });
    fork.otherwise(point, rw, &[]);
    fork.join(point, rw, &[]);
    true
}

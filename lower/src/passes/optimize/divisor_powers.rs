//! Division by computed powers of two: remainders become masks and 32-bit quotients become shifts.
//!
//! ```text
//! for (step = 1; step < n; step *= 2) r = lid % (2 * step);    →    … r = lid & (2 * step - 1);
//! x / step (32 bits)                                           →    x >> find_lsb(step)
//! ```
//!
//! A value qualifies if it is always a power of two or 0: a division by 0 may give anything. The analysis is optimistic. It assumes that all
//! values qualify, and strikes out values until nothing contradicts the rest. So a recurrence qualifies if its start does and its step
//! preserves it.
//!
//! The dividend must be unsigned, or known not to be negative.

use crate::analysis::ranges::Ranges;
use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, Constant, ConvertOp, Function, Inst, InstKind, Scalar, Type, Value, ValueDef};
use crate::rewrite::sites::{Scope, Sites};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashSet;

/// GLSL.std.450's FindILsb.
const FIND_I_LSB: u32 = 73;

/// Finds the divisions of a function; `None` if there are none.
pub fn sites<'a>(function: &Function, _: &Scope<'a>) -> Option<Box<dyn Sites + 'a>> {
    let divides = |inst: &Inst| division(function, &function.insts[*inst].kind).is_some();
    if !function.layout.iter().any(|b| function.blocks[*b].insts.iter().any(divides)) {
        return None;
    }
    let found = divisions(function);
    (!found.is_empty()).then(|| Box::new(Divisions(found)) as Box<dyn Sites>)
}

/// The divisions by powers of two.
struct Divisions(FxHashSet<Inst>);

impl Sites for Divisions {
    fn rewrite(&self, rw: &mut Rewriter<'_>, inst: Inst) -> Option<InstKind> {
        let wanted = self.0.contains(&inst);
        let (remainder, a, b) = wanted.then(|| division(rw.f, &rw.f.insts[inst].kind)).flatten()?;
        if remainder {
            let one = rw.iconst(rw.f.ty(b), 1);
            let mask = rw.binary(BinaryOp::ISub, b, one);
            return Some(InstKind::Binary(BinaryOp::And, a, mask));
        }
        let zeros = InstKind::Glsl { number: FIND_I_LSB, args: [b].into_iter().collect() };
        let zeros = rw.inst(zeros, Type::I32);
        // A division by 0 gives any number: the shift must be defined, too.
        let zeros = rw.binary_const(BinaryOp::And, zeros, 31);
        Some(InstKind::Binary(BinaryOp::LShr, a, zeros))
    }
}

/// The operands of a remainder or a quotient of scalars, and which of both it is. Vulkan has no 64-bit FindILsb, so 64-bit quotients
/// stay.
fn division(f: &Function, kind: &InstKind) -> Option<(bool, Value, Value)> {
    let InstKind::Binary(op, a, b) = *kind else { return None };
    let remainder = match op {
        BinaryOp::URem | BinaryOp::SRem => true,
        BinaryOp::UDiv | BinaryOp::SDiv => false,
        _ => return None,
    };
    let able = match f.ty(a) {
        Type::Scalar(Scalar::I32) => true,
        Type::Scalar(Scalar::I64) => remainder,
        _ => false,
    };
    (able && f.const_bits(b).is_none()).then_some((remainder, a, b))
}

/// The divisions by powers of two.
fn divisions(function: &Function) -> FxHashSet<Inst> {
    let powers = Powers::new(function);
    let cfg = Cfg::new(function);
    let mut ranges = Ranges::new(function, &cfg);
    let mut found = FxHashSet::default();
    for inst in function.layout.iter().flat_map(|block| &function.blocks[*block].insts) {
        let kind = &function.insts[*inst].kind;
        let Some((remainder, a, b)) = division(function, kind) else { continue };
        if !powers.contains(b) {
            // 2^31, sign-extended, exceeds a 31-bit dividend. The dividend is its own remainder, as the mask gives it.
            if remainder && powers.is_sign_extended_power(function, b) && ranges.greatest(a) < 1 << 31 {
                found.insert(*inst);
            }
            continue;
        }
        let signed = matches!(kind, InstKind::Binary(BinaryOp::SRem | BinaryOp::SDiv, ..));
        let sign = function.ty(a).scalar().map_or(0, |s| 1u64 << (s.bits() - 1));
        // The sign bit alone is a power of two, but a negative number. A quotient by it is 0, like the unsigned one.
        if !signed || ranges.greatest(a) < sign {
            found.insert(*inst);
        }
    }
    found
}

/// The values that are powers of two, or 0.
struct Powers(Vec<bool>);

impl Powers {
    fn new(function: &Function) -> Self {
        let mut powers = Powers(function.values.values().map(|v| is_word(v.ty)).collect());
        for param in function.params() {
            powers.0[param.0 as usize] = false;
        }
        while powers.strike_out(function) {}
        powers
    }

    fn contains(&self, value: Value) -> bool {
        self.0.get(value.0 as usize) == Some(&true)
    }

    /// Returns whether a value is a sign-extended 32-bit power of two.
    fn is_sign_extended_power(&self, function: &Function, value: Value) -> bool {
        match function.def_inst(value).map(|inst| &inst.kind) {
            Some(InstKind::Convert { op: ConvertOp::SExt, value, saturate: false, .. }) => {
                function.ty(*value) == Type::I32 && self.contains(*value)
            }
            _ => false,
        }
    }

    /// Strikes out the values that contradict the assumption, and returns whether there were any.
    fn strike_out(&mut self, function: &Function) -> bool {
        let mut changed = false;
        for n in 0..self.0.len() {
            let value = Value(n as u32);
            let preserves = match function.values[value].def {
                _ if !self.0[n] => continue,
                ValueDef::Const(Constant::Bits(bits)) => bits & bits.wrapping_sub(1) == 0,
                ValueDef::Const(Constant::Undef) => false,
                ValueDef::Inst(inst, 0) => self.preserves(function, &function.insts[inst].kind),
                ValueDef::Inst(..) => false,
                // Their arguments strike them out below.
                ValueDef::Param(..) => true,
            };
            self.0[n] = preserves;
            changed |= !preserves;
        }
        for block in &function.layout {
            for target in function.blocks[*block].term.targets() {
                for (param, arg) in function.blocks[target.block].params.iter().zip(&target.args) {
                    if self.contains(*param) && !self.contains(*arg) {
                        self.0[param.0 as usize] = false;
                        changed = true;
                    }
                }
            }
        }
        changed
    }

    /// Returns whether an instruction preserves powers of two and 0.
    fn preserves(&self, function: &Function, kind: &InstKind) -> bool {
        match *kind {
            InstKind::Binary(op, a, b) => match op {
                BinaryOp::Shl | BinaryOp::LShr => self.contains(a),
                BinaryOp::And => self.contains(a) || self.contains(b),
                BinaryOp::IMul | BinaryOp::UMin | BinaryOp::UMax => self.contains(a) && self.contains(b),
                BinaryOp::UDiv => {
                    self.contains(a) && function.const_bits(b).is_some_and(u64::is_power_of_two)
                }
                BinaryOp::IAdd => a == b && self.contains(a),
                _ => false,
            },
            InstKind::Select(_, a, b) => self.contains(a) && self.contains(b),
            InstKind::Convert { op: ConvertOp::ZExt | ConvertOp::Trunc, value, saturate: false, .. } => {
                self.contains(value)
            }
            _ => false,
        }
    }
}

fn is_word(ty: Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::I32 | Scalar::I64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;
    use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
    use crate::target::Target;

    /// A loop whose counter starts at a value and gets the next by an instruction, and a division by twice the counter.
    fn divided(start: &str, next: &str, op: &str, ty: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns ({ty})\nb0(v0: {ty}, v1: {ty}):\n  br b1({start})\nb1(v2: {ty}):\n  \
             v3: {ty} = shl v2, {ty}:1\n  v4: {ty} = {op} v1, v3\n  v5: {ty} = {next}\n  v6: bool = icmp.ult v5, v0\n  \
             condbr v6, b1(v5), b2()\nb2():\n  return(v4)\n"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
        module.to_string()
    }

    #[test]
    fn recurrences_of_powers() {
        for (start, next) in
            [("i32:1", "shl v2, i32:1"), ("i32:64", "lshr v2, i32:1"), ("i32:4", "imul v2, i32:8")]
        {
            let text = divided(start, next, "urem", "i32");
            assert!(!text.contains("urem") && text.contains("v4: i32 = and v1"), "{text}");
            let text = divided(start, next, "udiv", "i32");
            assert!(!text.contains("udiv") && text.contains("v4: i32 = lshr v1"), "{text}");
            // A dividend that may be negative.
            assert!(divided(start, next, "srem", "i32").contains("srem"));
        }
        let wide = divided("i64:1", "shl v2, i64:1", "urem", "i64");
        assert!(wide.contains("v4: i64 = and v1"), "{wide}");
        assert!(divided("i64:1", "shl v2, i64:1", "udiv", "i64").contains("udiv"));
    }

    /// `lid % (2 * step)` of a `size_t` and a sign-extended `int`.
    #[test]
    fn signs_that_are_extended() {
        let text = |most: &str, op: &str| {
            let source = format!(
                "module resolved bits=64\nfunc f0 \"f\" returns (i64)\nb0(v0: i64, v1: i32):\n  v2: i64 = and v0, i64:{most}\n  \
                 br b1(i32:1)\nb1(v3: i32):\n  v4: i32 = shl v3, i32:1\n  v5: i64 = convert.sext v4\n  v6: i64 = {op} v2, v5\n  \
                 v7: bool = icmp.slt v4, v1\n  condbr v7, b1(v4), b2()\nb2():\n  return(v6)\n"
            );
            let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
            apply_to(&mut module, Rewrite::Sites(sites), &Target::minimum());
            module.to_string()
        };
        assert!(text("1023", "urem").contains("v6: i64 = and v2"), "{}", text("1023", "urem"));
        assert!(text("1023", "srem").contains("v6: i64 = and v2"));
        assert!(text("4294967295", "urem").contains("v6: i64 = urem v2"));
        assert!(text("1023", "udiv").contains("v6: i64 = udiv v2"));
    }

    #[test]
    fn other_recurrences() {
        for (start, next) in [
            ("i32:3", "shl v2, i32:1"),
            ("i32:1", "iadd v2, i32:1"),
            ("i32:1", "imul v2, i32:3"),
            ("v0", "shl v2, i32:1"),
            ("i32:1", "ashr v2, i32:1"),
            ("i32:1", "or v2, i32:1"),
        ] {
            let text = divided(start, next, "urem", "i32");
            assert!(text.contains("urem"), "{start}, {next}: {text}");
        }
    }
}

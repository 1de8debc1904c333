//! Linear addresses: a pointer as base + Σ scale × index + constant, and the same of integers.
//!
//! ```text
//! ptradd(ptroffset(p, 8), convert.sext(i + 3), 4)    →    p + 4 × i + 20
//! ```

use crate::ir::{BinaryOp, ConvertOp, Function, InstKind, Root, Space, Type, Value};
use smallvec::SmallVec;

/// Depth to which sums are followed.
const MAX_DEPTH: usize = 12;
/// Limit on the pointer operations that are followed.
const MAX_STEPS: usize = 32;

/// A value of 32 bits, or the low half of one of 64 bits, and its factor.
pub type Term = (Value, u32);

/// A linear integer modulo 2^32: Σ factor × term + constant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sum {
    /// The terms, without zero factors.
    pub terms: SmallVec<[Term; 4]>,
    /// The constant.
    pub constant: u32,
}

impl Sum {
    /// Adds a value times a factor.
    pub fn add(&mut self, f: &Function, value: Value, factor: u32) {
        self.collect(f, value, factor, MAX_DEPTH);
        self.terms.retain(|term| term.1 != 0);
    }

    fn collect(&mut self, f: &Function, value: Value, factor: u32, depth: usize) {
        if let Some(number) = f.const_signed(value) {
            self.constant = self.constant.wrapping_add((number as u32).wrapping_mul(factor));
            return;
        }
        // The low half of a word's operation depends on the low halves of its operands alone.
        let is_word = |v: Value| matches!(f.ty(v), Type::I32 | Type::I64);
        let kind = f.def_inst(value).map(|inst| &inst.kind).filter(|_| depth > 0 && is_word(value));
        let known = |v: Value| f.const_bits(v);
        match kind {
            Some(&InstKind::Binary(op @ (BinaryOp::IAdd | BinaryOp::ISub), a, b)) => {
                self.collect(f, a, factor, depth - 1);
                let negative = op == BinaryOp::ISub;
                self.collect(f, b, if negative { factor.wrapping_neg() } else { factor }, depth - 1);
            }
            Some(&InstKind::Binary(BinaryOp::Shl, a, b)) if known(b).is_some_and(|by| by < 32) => {
                self.collect(f, a, factor << known(b).unwrap_or_default(), depth - 1);
            }
            Some(&InstKind::Binary(BinaryOp::IMul, a, b)) if known(b).is_some() => {
                self.collect(f, a, factor.wrapping_mul(known(b).unwrap_or_default() as u32), depth - 1);
            }
            Some(&InstKind::Convert {
                op: ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Trunc,
                value: inner,
                saturate: false,
                ..
            }) if is_word(inner) => self.collect(f, inner, factor, depth - 1),
            _ => match self.terms.iter_mut().find(|term| term.0 == value) {
                Some(term) => term.1 = term.1.wrapping_add(factor),
                None => self.terms.push((value, factor)),
            },
        }
    }

    /// The terms in a fixed order: sums with equal sorted terms differ by their constants alone.
    pub fn sorted_terms(&self) -> SmallVec<[Term; 4]> {
        let mut terms = self.terms.clone();
        terms.sort_unstable();
        terms
    }
}

/// Splits an integer into a value and an added constant; a constant has no value.
pub fn value_and_constant(f: &Function, value: Value) -> (Option<Value>, u64) {
    if let Some(bits) = f.const_bits(value) {
        return (None, bits);
    }
    if f.ty(value).lanes() == 1
        && let Some(&InstKind::Binary(BinaryOp::IAdd, a, b)) = f.def_inst(value).map(|inst| &inst.kind)
    {
        match (f.const_bits(a), f.const_bits(b)) {
            (_, Some(bits)) => return (Some(a), bits),
            (Some(bits), None) => return (Some(b), bits),
            (None, None) => {}
        }
    }
    (Some(value), 0)
}

/// The base of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// A memory object.
    Root(Root),
    /// A pointer whose object is not known.
    Value(Value),
}

impl Base {
    fn new(f: &Function, pointer: Value) -> Base {
        match f.def_inst(pointer).map(|inst| &inst.kind) {
            Some(InstKind::RootAddr(root)) => Base::Root(*root),
            _ => Base::Value(pointer),
        }
    }

    /// The object that a pointer points into, through all pointer arithmetic and conversions between address spaces.
    pub fn of_object(f: &Function, mut pointer: Value) -> Base {
        while let Some(
            InstKind::PtrOffset { base, .. } | InstKind::PtrAdd { base, .. } | InstKind::PtrCast(base),
        ) = f.def_inst(pointer).map(|inst| &inst.kind)
        {
            pointer = *base;
        }
        Base::new(f, pointer)
    }
}

/// A linear pointer: base + Σ scale × index + bytes. Indices are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The pointer that the rest is added to.
    pub from: Value,
    /// The same as a base.
    pub base: Base,
    /// The indices with their scales, the outermost first.
    pub indices: SmallVec<[(Value, u64); 2]>,
    /// The constant.
    pub bytes: i64,
}

impl Pointer {
    /// Follows a pointer back over at most so many indices. Conversions of private pointers are followed, too.
    pub fn new(f: &Function, pointer: Value, most: usize) -> Pointer {
        let (mut from, mut indices, mut bytes) = (pointer, SmallVec::new(), 0i64);
        for _ in 0..MAX_STEPS {
            from = match f.def_inst(from).map(|inst| &inst.kind) {
                Some(InstKind::PtrOffset { base, bytes: more }) => {
                    bytes = bytes.wrapping_add(*more);
                    *base
                }
                Some(InstKind::PtrAdd { base, index, scale }) if indices.len() < most => {
                    indices.push((*index, *scale));
                    *base
                }
                Some(InstKind::PtrCast(base)) if f.ty(*base) == Type::Ptr(Space::Private) => *base,
                _ => break,
            };
        }
        Pointer { from, base: Base::new(f, from), indices, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    #[test]
    fn sums_and_pointers() {
        let source = "module read bits=64\nfunc f0 \"f\" returns ()\n  slot s0 size=64 align=4\nb0(v0: i32, v1: i64, v2: i16):\n  \
                      v3: i32 = iadd v0, i32:3\n  v4: i64 = convert.sext v3\n  v5: i64 = shl v4, i64:2\n  v6: i64 = isub v5, v1\n  \
                      v7: i16 = iadd v2, i16:1\n  v8: i64 = convert.sext v7\n  v9: i64 = iadd v6, v8\n  v10: ptr.private = rootaddr s0\n  \
                      v11: ptr.private = ptroffset v10, 8\n  v12: ptr.private = ptradd v11, v9, 4\n  return()\n";
        let module = parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let f = module.functions.values().next().expect("a function");
        let mut sum = Sum::default();
        sum.add(f, Value(9), 2);
        // The narrow sum wraps at 16 bits: its extension is a term.
        assert_eq!(sum.sorted_terms()[..], [(Value(0), 8), (Value(1), 2u32.wrapping_neg()), (Value(8), 2)]);
        assert_eq!(sum.constant, 24);
        let pointer = Pointer::new(f, Value(12), 1);
        assert_eq!((pointer.base, pointer.bytes), (Base::Root(Root::Slot(crate::ir::Slot(0))), 8));
        assert_eq!(pointer.indices[..], [(Value(9), 4)]);
        assert_eq!(Pointer::new(f, Value(12), 0).base, Base::Value(Value(12)));
        assert_eq!(value_and_constant(f, Value(3)), (Some(Value(0)), 3));
    }
}

//! The values that an instruction uses, found by the types of its fields.

use super::super::compact_lists::{Mask, Pair};
use super::super::{
    AtomicOp, BinaryOp, BuiltinInput, ConvertOp, FloatCC, Func, GroupOp, ImageOp, ImageRef, IntCC, MemFlags,
    Place, Root, Rounding, Scope, Semantics, UnaryOp, Value, WorkItem,
};
use smallvec::SmallVec;

/// A type of fields of instructions: which values a field has.
pub(super) trait Field {
    /// Adds the field's values to the operands.
    #[inline]
    fn add_to<'a>(&'a self, _operands: &mut Operands<'a>) {}

    /// Shows the field's values, to be changed.
    #[inline]
    fn visit_mut<'a>(&'a mut self, _f: &mut impl FnMut(&'a mut Value)) {}
}

impl Field for Value {
    #[inline]
    fn add_to<'a>(&'a self, operands: &mut Operands<'a>) {
        operands.push(*self);
    }

    #[inline]
    fn visit_mut<'a>(&'a mut self, f: &mut impl FnMut(&'a mut Value)) {
        f(self);
    }
}

impl Field for Place {
    #[inline]
    fn add_to<'a>(&'a self, operands: &mut Operands<'a>) {
        operands.push(self.value());
    }

    #[inline]
    fn visit_mut<'a>(&'a mut self, f: &mut impl FnMut(&'a mut Value)) {
        f(self.value_mut());
    }
}

impl Field for ImageRef {
    #[inline]
    fn add_to<'a>(&'a self, operands: &mut Operands<'a>) {
        if let ImageRef::Value(image) = self {
            operands.push(*image);
        }
    }

    #[inline]
    fn visit_mut<'a>(&'a mut self, f: &mut impl FnMut(&'a mut Value)) {
        if let ImageRef::Value(image) = self {
            f(image);
        }
    }
}

/// Fields that are lists of values.
macro_rules! list_field {
    ($($ty:ty),*) => {
        $(
            impl Field for $ty {
                #[inline]
                fn add_to<'a>(&'a self, operands: &mut Operands<'a>) {
                    operands.list = self.iter();
                }

                #[inline]
                fn visit_mut<'a>(&'a mut self, f: &mut impl FnMut(&'a mut Value)) {
                    self.iter_mut().for_each(f);
                }
            }
        )*
    };
}

list_field!(Pair, Vec<Value>, SmallVec<[Value; 4]>, Box<SmallVec<[Value; 4]>>);

/// Fields without values.
macro_rules! plain_field {
    ($($ty:ty),*) => {
        $( impl Field for $ty {} )*
    };
}

plain_field!(
    AtomicOp,
    BinaryOp,
    BuiltinInput,
    ConvertOp,
    FloatCC,
    GroupOp,
    ImageOp,
    IntCC,
    UnaryOp,
    WorkItem
);
plain_field!(Func, Mask, MemFlags, Option<Rounding>, Root, Scope, Semantics, bool, i64, u8, u32, u64);

/// The values that an instruction uses, in order: some of its own, then those of its list.
#[derive(Debug, Clone)]
pub struct Operands<'a> {
    own: [Value; 3],
    next: u8,
    end: u8,
    list: std::slice::Iter<'a, Value>,
}

impl Operands<'_> {
    /// No values yet.
    #[inline]
    pub(super) fn none() -> Self {
        Operands { own: [Value(0); 3], next: 0, end: 0, list: [].iter() }
    }

    /// Adds a value that is in no list: an instruction has at most three.
    #[inline]
    fn push(&mut self, value: Value) {
        self.own[usize::from(self.end)] = value;
        self.end += 1;
    }
}

impl Iterator for Operands<'_> {
    type Item = Value;

    #[inline]
    fn next(&mut self) -> Option<Value> {
        if self.next < self.end {
            self.next += 1;
            return Some(self.own[usize::from(self.next) - 1]);
        }
        self.list.next().copied()
    }

    /// In two loops, because `next` asks each time which of the two it is in.
    #[inline]
    fn fold<B, F: FnMut(B, Value) -> B>(self, init: B, mut f: F) -> B {
        let own = self.own.get(usize::from(self.next)..usize::from(self.end)).unwrap_or_default();
        let init = own.iter().copied().fold(init, &mut f);
        self.list.copied().fold(init, f)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = usize::from(self.end - self.next) + self.list.len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for Operands<'_> {}

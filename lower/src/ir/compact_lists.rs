//! Compact lists: what instructions hold in little room, because there are many of them and they are moved about.

use super::Value;
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};

/// The most lanes that a vector has.
const MAX_LANES: usize = 16;
/// Stands for a lane that may have any value.
const ANY: u8 = u8::MAX;

/// Which lanes a shuffle takes; `None` is any value. There are 16 at most, as in any vector: more are left out, and the result's
/// type does not fit then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mask {
    lanes: [u8; MAX_LANES],
    count: u8,
}

impl Mask {
    /// How many lanes the result has.
    pub fn len(&self) -> usize {
        usize::from(self.count)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The lanes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<u8>> + '_ {
        self.lanes[..self.len()].iter().map(|lane| (*lane != ANY).then_some(*lane))
    }

    /// One of them; `None`, too, where there are not so many.
    pub fn get(&self, n: usize) -> Option<u8> {
        self.iter().nth(n).flatten()
    }
}

impl FromIterator<Option<u8>> for Mask {
    fn from_iter<I: IntoIterator<Item = Option<u8>>>(from: I) -> Mask {
        let mut mask = Mask { lanes: [0; MAX_LANES], count: 0 };
        for (to, lane) in mask.lanes.iter_mut().zip(from) {
            *to = lane.unwrap_or(ANY);
            mask.count += 1;
        }
        mask
    }
}

/// The operands of an atomic besides its place: two at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    values: [Value; 2],
    count: u8,
}

impl Deref for Pair {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.values[..usize::from(self.count)]
    }
}

impl DerefMut for Pair {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[..usize::from(self.count)]
    }
}

impl FromIterator<Value> for Pair {
    fn from_iter<I: IntoIterator<Item = Value>>(from: I) -> Pair {
        let mut pair = Pair { values: [Value(0); 2], count: 0 };
        for (to, value) in pair.values.iter_mut().zip(from) {
            *to = value;
            pair.count += 1;
        }
        pair
    }
}

impl From<&[Value]> for Pair {
    fn from(values: &[Value]) -> Pair {
        values.iter().copied().collect()
    }
}

/// The results of an instruction: none, one, or a call's many.
#[derive(Debug, Clone, Default)]
pub enum Results {
    /// None.
    #[default]
    None,
    /// One.
    One(Value),
    /// Any number.
    Many(Box<SmallVec<[Value; 6]>>),
}

impl Deref for Results {
    type Target = [Value];

    #[inline]
    fn deref(&self) -> &[Value] {
        match self {
            Results::None => &[],
            Results::One(value) => std::slice::from_ref(value),
            Results::Many(values) => values,
        }
    }
}

impl FromIterator<Value> for Results {
    fn from_iter<I: IntoIterator<Item = Value>>(from: I) -> Results {
        let mut from = from.into_iter();
        match (from.next(), from.next()) {
            (None, _) => Results::None,
            (Some(one), None) => Results::One(one),
            (Some(one), Some(two)) => Results::Many(Box::new([one, two].into_iter().chain(from).collect())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{InstData, InstKind};
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert_eq!((size_of::<InstKind>(), size_of::<InstData>()), (32, 64));
    }

    #[test]
    fn lists_hold_what_they_are_given() {
        let lanes = [Some(3), None, Some(0)];
        let mask: Mask = lanes.into_iter().collect();
        assert_eq!((mask.len(), mask.get(0), mask.get(1), mask.get(7)), (3, Some(3), None, None));
        assert!(mask.iter().eq(lanes));
        for count in 0..4 {
            let values: Vec<Value> = (0..count).map(Value).collect();
            assert_eq!(values.iter().copied().collect::<Results>()[..], values);
            assert_eq!(Pair::from(&values[..])[..], values[..values.len().min(2)]);
        }
    }
}

//! Arrays that are structs' members: the pointers into them that access chains give, and marks before their accesses, for checks.
//!
//! ```text
//! s.b[i] = x        becomes        memberaccess i, 1, 2, b, write        store x to s + 4 + i
//! ```
//!
//! Only chains have the member: a pointer that is passed on, or converted to another type, is one into the whole variable. A struct's pointer may be
//! converted to that of its first member, which is how unions are accessed: their type has one member, and the others are reached by a conversion.
//! The last member of a struct may be longer than it is declared (a flexible array, C99 6.7.2.1), unless the struct is a variable or part of one.

use crate::ir::Value;
use smallvec::SmallVec;

/// An array that is a member, and a place in it.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The offset in the array: a constant, and values times constants.
    pub constant: i64,
    pub terms: SmallVec<[(Value, u64); 2]>,
    /// The bytes of the array.
    pub size: u32,
    /// The number of its name.
    pub name: u32,
}

/// The number of the name of a member whose name the module does not have.
const UNNAMED: u32 = u32::MAX;

/// The members that a pointer is in.
#[derive(Debug, Clone, Default)]
pub(super) struct Inside {
    /// The pointer is one into a variable, of which its type says all.
    of_variable: bool,
    members: SmallVec<[Member; 1]>,
    /// A step led to something behind which its struct or array has other parts.
    before_others: bool,
    /// The bytes of the struct as whose part the pointer has another type: accesses count as no longer than that.
    most: Option<u64>,
}

impl Inside {
    /// A pointer that is in no member: one to a variable, or another.
    pub fn none(of_variable: bool) -> Self {
        Inside { of_variable, ..Inside::default() }
    }

    /// Adds a step in a type to another: by an index that is a constant or a value, with the bytes of one step; `whole` if it is one over the whole
    /// type.
    pub fn step(&mut self, index: Option<Value>, bytes: i64, whole: bool) {
        self.of_variable &= !whole;
        if whole && self.most.is_some() {
            self.members.clear();
        }
        for member in &mut self.members {
            match index {
                None => member.constant = member.constant.wrapping_add(bytes),
                Some(value) => member.terms.push((value, bytes as u64)),
            }
        }
    }

    /// Notes whether a step led to the last member of a struct. Elements of arrays are never the last.
    pub fn note_last(&mut self, is_last: bool) {
        self.before_others |= !is_last;
    }

    /// The same place as an array of so many bytes that is a member of a union.
    pub fn of_union(&self, size: u32) -> Inside {
        let mut inside = Inside { of_variable: false, most: Some(size.into()), ..self.clone() };
        if self.of_variable || self.before_others {
            inside.members.push(Member { constant: 0, terms: SmallVec::new(), size, name: UNNAMED });
        }
        inside
    }

    /// Notes that the pointer is one to a member that is an array of so many bytes, by the number of its name. The last member of a struct counts only in
    /// a variable.
    pub fn enter(&mut self, size: u32, name: u32, is_last: bool) {
        if self.of_variable || !is_last {
            self.members.push(Member { constant: 0, terms: SmallVec::new(), size, name });
        }
    }

    /// The same members for the pointer as one of another type, if it points to a struct of so many bytes now.
    pub fn converted(&self, size: u64) -> Inside {
        Inside { of_variable: false, most: Some(size), ..self.clone() }
    }

    /// Returns whether the pointer is in no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members whose access of some bytes is to be looked at, and how many bytes count.
    pub fn to_look_at(&self, bytes: u64) -> (u32, Vec<Member>) {
        let bytes = self.most.map_or(bytes, |most| most.min(bytes));
        let known_within = |member: &&Member| {
            let end = u64::try_from(member.constant).ok().and_then(|at| at.checked_add(bytes));
            member.terms.is_empty() && end.is_some_and(|end| end <= member.size.into())
        };
        let members = self.members.iter().filter(|member| !known_within(member)).cloned().collect();
        (u32::try_from(bytes).unwrap_or(u32::MAX), members)
    }
}

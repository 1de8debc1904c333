//! Accesses through pointers that may be into several roots: the block is split, each root gets a block with the
//! access, and a switch over the root's word leads there.
//!
//! A pointer that is none of the words (null, or what was never set) takes the last way: the access is undefined.

use super::Context;
use super::address::{Base, Linear, Pointers, write_out};
use crate::error::LowerError;
use crate::ir::{BranchTarget, InstKind, IntCC, Root, Terminator, Type, Value};
use crate::transform::rewriter::{Rewriter, Site};
use smallvec::SmallVec;

/// Where an access may go.
pub(super) enum Places {
    /// Nowhere: through null, which is undefined.
    Nowhere,
    /// To one memory.
    One(Linear),
    /// To one of several.
    Several(Several),
}

/// What tells where a pointer is to.
pub(super) struct Several {
    /// The i32 that names a root.
    which: Value,
    /// Words and places.
    cases: SmallVec<[(u64, Linear); 2]>,
    /// The place for any other word.
    default: Linear,
}

/// Where an access through a pointer may go.
pub(super) fn places(
    rw: &mut Rewriter<'_>,
    pointer: Value,
    pointers: &mut Pointers,
    cx: &Context<'_>,
) -> Places {
    let linear = pointers.of(rw.f, pointer);
    let roots = cx.roots_of(pointer);
    let (mut which, on, default) = match linear.base {
        Base::Root(Root::Places) => {
            let (which, windows) = pointers.windows(rw, &linear, cx);
            return several(which, windows, None);
        }
        Base::Root(_) => return Places::One(linear),
        Base::Null => return Places::Nowhere,
        Base::Address(_) if roots.is_empty() => return Places::One(linear),
        Base::Address(_) => {
            let bits = write_out(rw, &linear, Type::I64);
            let (which, offset) = pointers.split(rw, bits, cx);
            let address = Linear::start(Base::Address(bits), 0);
            (which, Linear::at(Base::Null, offset), Some(address))
        }
        Base::Pair(which) => (which, linear, None),
    };
    let mut cases: SmallVec<[(u64, Linear); 2]> = SmallVec::new();
    for root in &roots {
        if *root != Root::Places {
            cases.push((cx.word(*root), on.on(Base::Root(*root))));
            continue;
        }
        // The word of places is 0, the windows are told apart by small numbers, and no other word is small.
        let (window, mut windows) = pointers.windows(rw, &on, cx);
        let zero = rw.iconst(Type::I32, 0);
        let is_place = rw.icmp(IntCC::Eq, which, zero);
        which = rw.inst(InstKind::Select(is_place, window, which), Type::I32);
        cases.append(&mut windows);
    }
    several(which, cases, default)
}

/// One place, or those of several words.
fn several(which: Value, mut cases: SmallVec<[(u64, Linear); 2]>, default: Option<Linear>) -> Places {
    match default.or_else(|| cases.pop().map(|c| c.1)) {
        Some(default) if cases.is_empty() => Places::One(default),
        Some(default) => Places::Several(Several { which, cases, default }),
        None => Places::Nowhere,
    }
}

impl Site {
    /// Makes an access once for each place that it may go to, each in a block of its own, which it may split; gives its result, if it
    /// has one.
    pub(super) fn dispatch(
        &mut self,
        rw: &mut Rewriter<'_>,
        several: Several,
        result: Option<Type>,
        mut access: impl FnMut(&mut Rewriter<'_>, &mut Site, Linear) -> Result<Option<Value>, LowerError>,
    ) -> Result<Option<Value>, LowerError> {
        let Several { which, cases, default } = several;
        let cond = match &cases[..] {
            [(word, _)] => {
                let word = rw.iconst(Type::I32, *word);
                Some(rw.icmp(IntCC::Eq, which, word))
            }
            _ => None,
        };
        let (head, tail) = self.split(rw);
        let result = result.map(|ty| rw.f.add_param(tail, ty));
        let mut targets = Vec::new();
        for place in cases.iter().map(|c| &c.1).chain([&default]) {
            let block = rw.f.new_detached_block();
            let mut way = Site { at: block, done: Vec::new() };
            let value = access(rw, &mut way, place.clone())?;
            way.finish(rw);
            let args = if result.is_some() { value.into_iter().collect() } else { SmallVec::new() };
            rw.f.blocks[way.at].term = Terminator::Branch(BranchTarget { block: tail, args });
            self.done.append(&mut way.done);
            targets.push(BranchTarget { block, args: SmallVec::new() });
        }
        let Some(default) = targets.pop() else { return Ok(result) };
        rw.f.blocks[head].term = match cond {
            Some(cond) => Terminator::CondBranch { cond, then: targets.swap_remove(0), els: default },
            None => {
                let cases = cases.iter().map(|c| c.0).zip(targets).collect();
                Terminator::Switch { value: which, cases, default }
            }
        };
        Ok(result)
    }
}

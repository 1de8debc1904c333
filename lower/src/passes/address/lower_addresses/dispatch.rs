//! Access dispatch: an access through a pointer that may point into several roots becomes a switch over them.
//!
//! The block is split, each root gets a block with the access, and a switch over the root's word selects one.
//! A pointer with any other word (null, or undefined) takes the last arm, because the access is undefined.
//!
//! ```text
//! v = load [p]        becomes        switch p.root { a: v1 = load a[p.offset]; b: v2 = load b[p.offset] }
//!                                    tail(v): …
//! ```

use super::address::{Base, Linear, Pointers, write_out};
use super::context::Context;
use crate::error::LowerError;
use crate::ir::{BranchTarget, InstKind, IntCC, Root, Terminator, Type, Value};
use crate::transform::rewriter::{Rewriter, Site};
use smallvec::SmallVec;

/// The memories that an access may go to.
pub(super) enum AccessTargets {
    /// None: the access is through null, which is undefined.
    Nowhere,
    /// One memory.
    One(Linear),
    /// One of several memories.
    Several(Several),
}

/// The memories of a dispatched access, and the word that selects one.
pub(super) struct Several {
    /// The i32 that names a root.
    which: Value,
    /// Words, and the address for each.
    cases: SmallVec<[(u64, Linear); 2]>,
    /// The address for any other word.
    default: Linear,
}

/// The memories that an access through a pointer may go to.
pub(super) fn access_targets(
    rw: &mut Rewriter<'_>,
    pointer: Value,
    pointers: &mut Pointers,
    cx: &Context<'_>,
) -> AccessTargets {
    let linear = pointers.linear_of(rw.f, pointer);
    let roots = cx.roots_of(pointer);
    let (mut which, on, default) = match linear.base {
        Base::Root(Root::Places) => {
            let (which, windows) = pointers.windows(rw, &linear, cx);
            return several(which, windows, None);
        }
        Base::Root(_) => return AccessTargets::One(linear),
        Base::Null => return AccessTargets::Nowhere,
        Base::Address(_) if roots.is_empty() => return AccessTargets::One(linear),
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
        // The word of packed offsets is 0. Windows have small numbers, and no other word is small.
        let (window, mut windows) = pointers.windows(rw, &on, cx);
        let zero = rw.iconst(Type::I32, 0);
        let is_packed_offset = rw.icmp(IntCC::Eq, which, zero);
        which = rw.inst(InstKind::Select(is_packed_offset, window, which), Type::I32);
        cases.append(&mut windows);
    }
    several(which, cases, default)
}

/// The one target, or the targets of several words.
fn several(which: Value, mut cases: SmallVec<[(u64, Linear); 2]>, default: Option<Linear>) -> AccessTargets {
    match default.or_else(|| cases.pop().map(|c| c.1)) {
        Some(default) if cases.is_empty() => AccessTargets::One(default),
        Some(default) => AccessTargets::Several(Several { which, cases, default }),
        None => AccessTargets::Nowhere,
    }
}

impl Site {
    /// Emits an access once for each of its targets, each in a block of its own, which `access` may split.
    /// Gives the result, if the access has one.
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
        for linear in cases.iter().map(|c| &c.1).chain([&default]) {
            let block = rw.f.new_detached_block();
            let mut arm = Site { at: block, done: Vec::new() };
            let value = access(rw, &mut arm, linear.clone())?;
            arm.finish(rw);
            let args = if result.is_some() { value.into_iter().collect() } else { SmallVec::new() };
            rw.f.blocks[arm.at].term = Terminator::Branch(BranchTarget { block: tail, args });
            self.done.append(&mut arm.done);
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

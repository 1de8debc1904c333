//! Terminators: how blocks end, and their successors.

use super::{Block, Value};
use smallvec::SmallVec;

/// The target of a branch: a block, with the arguments for its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The block.
    pub block: Block,
    /// One argument for each of its parameters.
    pub args: SmallVec<[Value; 2]>,
}

/// The end of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminator {
    /// To one block.
    Branch(Target),
    /// By a bool.
    CondBranch {
        /// The condition.
        cond: Value,
        /// The target when it is true.
        then: Target,
        /// The target when it is false.
        els: Target,
    },
    /// By an integer of 32 bits or less, or 64.
    Switch {
        /// The selector.
        value: Value,
        /// Values (bits of the selector's width, zero-extended) and their targets.
        cases: Vec<(u64, Target)>,
        /// The target for all other values.
        default: Target,
    },
    /// Back to the caller, with the function's results.
    Return(SmallVec<[Value; 1]>),
    /// Never reached.
    Unreachable,
}

/// The branch targets of a terminator, in order: those of cases come before a switch's default.
#[derive(Debug, Clone)]
pub struct Targets<'a> {
    cases: std::slice::Iter<'a, (u64, Target)>,
    one: Option<&'a Target>,
    other: Option<&'a Target>,
}

impl<'a> Targets<'a> {
    /// The targets from the next on, for where a list is expected.
    pub fn iter(&self) -> Targets<'a> {
        self.clone()
    }

    /// Target n.
    pub fn get(&self, n: usize) -> Option<&'a Target> {
        self.clone().nth(n)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> Iterator for Targets<'a> {
    type Item = &'a Target;

    fn next(&mut self) -> Option<&'a Target> {
        match self.cases.next() {
            Some((_, target)) => Some(target),
            None => self.one.take().or_else(|| self.other.take()),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.cases.len() + usize::from(self.one.is_some()) + usize::from(self.other.is_some());
        (len, Some(len))
    }
}

impl ExactSizeIterator for Targets<'_> {}

impl Terminator {
    /// All branch targets, in order; a block may be among them more than once.
    pub fn targets(&self) -> Targets<'_> {
        let (cases, one, other) = match self {
            Terminator::Branch(t) => (&[][..], Some(t), None),
            Terminator::CondBranch { then, els, .. } => (&[][..], Some(then), Some(els)),
            Terminator::Switch { cases, default, .. } => (&cases[..], Some(default), None),
            Terminator::Return(_) | Terminator::Unreachable => (&[][..], None, None),
        };
        Targets { cases: cases.iter(), one, other }
    }

    /// Shows all branch targets in order, while `f` wants to see more; tells whether it saw all.
    #[inline]
    pub fn all_targets<'a>(&'a self, mut f: impl FnMut(&'a Target) -> bool) -> bool {
        match self {
            Terminator::Branch(to) => f(to),
            Terminator::CondBranch { then, els, .. } => f(then) && f(els),
            Terminator::Switch { cases, default, .. } => cases.iter().all(|c| f(&c.1)) && f(default),
            Terminator::Return(_) | Terminator::Unreachable => true,
        }
    }

    /// Shows all branch targets in order.
    #[inline]
    pub fn each_target<'a>(&'a self, mut f: impl FnMut(&'a Target)) {
        self.all_targets(|target| {
            f(target);
            true
        });
    }

    /// One branch target, by its index among [`Terminator::targets`].
    #[inline]
    pub fn target(&self, successor: usize) -> Option<&Target> {
        match (self, successor) {
            (Terminator::Branch(t), 0)
            | (Terminator::CondBranch { then: t, .. }, 0)
            | (Terminator::CondBranch { els: t, .. }, 1) => Some(t),
            (Terminator::Switch { cases, default, .. }, _) => match cases.get(successor) {
                Some((_, t)) => Some(t),
                None => (successor == cases.len()).then_some(default),
            },
            _ => None,
        }
    }

    /// One branch target, to change.
    pub fn target_mut(&mut self, successor: usize) -> Option<&mut Target> {
        match (self, successor) {
            (Terminator::Branch(t), 0)
            | (Terminator::CondBranch { then: t, .. }, 0)
            | (Terminator::CondBranch { els: t, .. }, 1) => Some(t),
            (Terminator::Switch { cases, default, .. }, _) => {
                let count = cases.len();
                match cases.get_mut(successor) {
                    Some((_, t)) => Some(t),
                    None => (successor == count).then_some(default),
                }
            }
            _ => None,
        }
    }

    /// All branch targets, to change.
    pub fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        let (cases, one, other) = match self {
            Terminator::Branch(t) => (&mut [][..], Some(t), None),
            Terminator::CondBranch { then, els, .. } => (&mut [][..], Some(then), Some(els)),
            Terminator::Switch { cases, default, .. } => (&mut cases[..], Some(default), None),
            Terminator::Return(_) | Terminator::Unreachable => (&mut [][..], None, None),
        };
        cases.iter_mut().map(|(_, t)| t).chain(one).chain(other)
    }

    /// Every value the terminator uses, branch arguments included.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let (one, list) = match self {
            Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => {
                (Some(*v), &[][..])
            }
            Terminator::Return(list) => (None, &list[..]),
            Terminator::Branch(_) | Terminator::Unreachable => (None, &[][..]),
        };
        let args = self.targets().flat_map(|target| target.args.iter().copied());
        one.into_iter().chain(list.iter().copied()).chain(args)
    }

    /// Shows every value the terminator uses, in the order of [`Terminator::values`]. Walks over all code use it: it is faster.
    #[inline]
    pub fn each_value(&self, mut f: impl FnMut(Value)) {
        match self {
            Terminator::CondBranch { cond: v, .. } | Terminator::Switch { value: v, .. } => f(*v),
            Terminator::Return(list) => list.iter().for_each(|v| f(*v)),
            Terminator::Branch(_) | Terminator::Unreachable => {}
        }
        self.each_target(|target| target.args.iter().for_each(|v| f(*v)));
    }

    /// Applies `f` to every value the terminator uses, branch arguments included.
    pub fn map_values(&mut self, mut f: impl FnMut(Value) -> Value) {
        let mut all = |list: &mut [Value]| list.iter_mut().for_each(|v| *v = f(*v));
        match self {
            Terminator::Branch(to) => all(&mut to.args),
            Terminator::CondBranch { cond, then, els } => {
                all(std::slice::from_mut(cond));
                all(&mut then.args);
                all(&mut els.args);
            }
            Terminator::Switch { value, cases, default } => {
                all(std::slice::from_mut(value));
                cases.iter_mut().for_each(|(_, to)| all(&mut to.args));
                all(&mut default.args);
            }
            Terminator::Return(values) => all(values),
            Terminator::Unreachable => {}
        }
    }
}

//! Redirection of edges, for both steps of structurisation.
//!
//! Edges to several targets that must pass through one block are redirected to a *junction*. Its parameters are a selector for the
//! target and the parameters of every target. An edge passes undefined values for the parameters of other targets.

use crate::ir::{Block, BranchTarget, Constant, Function, InstKind, IntCC, Terminator, Type, Value};
use smallvec::SmallVec;

/// The largest number of cases of a switch whose edges with equal arguments share a block.
const MAX_COMPARED: usize = 64;

/// A branch with nothing to pass.
pub fn to(block: Block) -> BranchTarget {
    BranchTarget { block, args: SmallVec::new() }
}

/// The number by which selectors name a target.
pub fn number(target: Block) -> u64 {
    u64::from(target.0)
}

/// An edge to redirect: successor `index` of `block`'s terminator.
#[derive(Debug, Clone)]
pub struct Edge {
    pub block: Block,
    pub successor: usize,
    /// The possible targets, with their arguments. There is one unless the edge has a selector.
    pub choices: SmallVec<[BranchTarget; 1]>,
    /// Chooses among `choices` (by [`number`]).
    pub selector: Option<Value>,
}

impl Edge {
    /// The edge to a successor; `None` if the block has fewer successors.
    pub fn existing(function: &Function, block: Block, successor: usize) -> Option<Edge> {
        Some(Edge::new(block, successor, function.blocks[block].term.target(successor)?))
    }

    /// The edge of a block whose switch is deferred to a later junction.
    pub fn deferred(function: &Function, block: Block) -> Option<Edge> {
        let Terminator::Switch { value, cases, default } = &function.blocks[block].term else { return None };
        let choices = cases.iter().map(|c| &c.1).chain([default]).cloned().collect();
        Some(Edge { block, successor: 0, choices, selector: Some(*value) })
    }

    /// The edge to a successor, with its target.
    pub fn new(block: Block, successor: usize, target: &BranchTarget) -> Edge {
        Edge { block, successor, choices: SmallVec::from_buf([target.clone()]), selector: None }
    }

    /// The one block that it goes to, if there is nothing to choose.
    pub fn only(&self) -> Option<Block> {
        match self.choices.as_slice() {
            [only] => Some(only.block),
            _ => None,
        }
    }
}

/// The type of a junction's selector.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selector {
    /// There is one target: none.
    None,
    /// Two targets: true for the first.
    First,
    /// The target's number.
    Number,
}

/// A block through which edges to several targets pass.
pub struct Junction {
    pub block: Block,
    /// The targets with the junction's parameters as arguments.
    pub choices: SmallVec<[BranchTarget; 1]>,
    kind: Selector,
    /// The selector parameter.
    pub selector: Option<Value>,
}

impl Junction {
    /// A junction for some targets. `local`: the choice is made at once, so that a boolean selects between two.
    pub fn new(function: &mut Function, targets: &[Block], edges: &[Edge], local: bool) -> Junction {
        let block = function.new_block();
        let kind = match targets.len() {
            0 | 1 => Selector::None,
            2 if local && edges.iter().all(|e| e.selector.is_none()) => Selector::First,
            _ => Selector::Number,
        };
        let selector = match kind {
            Selector::None => None,
            Selector::First => Some(function.add_param(block, Type::BOOL)),
            Selector::Number => Some(function.add_param(block, Type::I32)),
        };
        let mut choices = SmallVec::with_capacity(targets.len());
        for &target in targets {
            let types: SmallVec<[Type; 4]> =
                function.blocks[target].params.iter().map(|p| function.ty(*p)).collect();
            let args = types.into_iter().map(|ty| function.add_param(block, ty)).collect();
            choices.push(BranchTarget { block: target, args });
        }
        Junction { block, choices, kind, selector }
    }

    /// Leads an edge to the junction. Gives the block put between, if one was needed.
    pub fn connect(&self, function: &mut Function, edge: &Edge) -> Option<Block> {
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        let single = edge.choices.first().map(|w| w.block);
        match self.kind {
            Selector::None => {}
            Selector::First => {
                let first = single == self.choices.first().map(|w| w.block);
                args.push(function.constant(Type::BOOL, Constant::Bits(u64::from(first))));
            }
            Selector::Number => {
                let own = function.iconst(Type::I32, single.map_or(0, number));
                args.push(edge.selector.unwrap_or(own));
            }
        }
        for choice in &self.choices {
            match edge.choices.iter().find(|w| w.block == choice.block) {
                Some(given) => args.extend(given.args.iter().copied()),
                None => {
                    for arg in &choice.args {
                        let ty = function.ty(*arg);
                        args.push(function.constant(ty, Constant::Undef));
                    }
                }
            }
        }
        redirect(function, edge.block, edge.successor, BranchTarget { block: self.block, args })
    }

    /// Lets the junction choose: to the first target, or else on by the edge that is given.
    pub fn choose_first(&self, function: &mut Function) -> Edge {
        let block = self.block;
        let rest: SmallVec<[BranchTarget; 1]> = self.choices.iter().skip(1).cloned().collect();
        if let (Some(first), Some(selector)) = (self.choices.first(), self.selector) {
            let cond = match self.kind {
                Selector::Number => {
                    let id = function.iconst(Type::I32, number(first.block));
                    function.append(block, InstKind::ICmp(IntCC::Eq, selector, id), Type::BOOL)
                }
                _ => selector,
            };
            let els = rest.first().cloned().unwrap_or_else(|| first.clone());
            function.blocks[block].term = Terminator::CondBranch { cond, then: first.clone(), els };
        }
        let selector = self.selector.filter(|_| rest.len() > 1);
        Edge { block, successor: 1, choices: rest, selector }
    }

    /// Lets the junction go on to all its targets by itself.
    pub fn choose_all(&self, function: &mut Function) {
        let mut choices = self.choices.clone();
        function.blocks[self.block].term = match (choices.pop(), self.selector) {
            (None, _) => Terminator::Unreachable,
            (Some(only), None) => Terminator::Branch(only),
            (Some(last), Some(value)) if choices.len() > 1 => {
                let cases = choices.into_iter().map(|w| (number(w.block), w)).collect();
                Terminator::Switch { value, cases, default: last }
            }
            (Some(_), Some(_)) => {
                self.choose_first(function);
                return;
            }
        };
    }

    /// Leaves the choice to a later junction.
    pub fn pending(&self, function: &mut Function) -> Edge {
        if let Some(first) = self.choices.first() {
            function.blocks[self.block].term = Terminator::Branch(first.clone());
        }
        Edge { block: self.block, successor: 0, choices: self.choices.clone(), selector: self.selector }
    }
}

/// Redirects a successor of a block. Returns the block that was inserted, if any.
///
/// If another successor of the block has the same target, the new edge goes through a block of its own. A block passes one set of
/// values to another (SPIR-V OpPhi), and the successors of a conditional branch differ.
pub fn redirect(
    function: &mut Function,
    block: Block,
    successor: usize,
    target: BranchTarget,
) -> Option<Block> {
    let twice = match &function.blocks[block].term {
        Terminator::Switch { .. } if target.args.is_empty() => false,
        // Too many to compare each with each.
        Terminator::Switch { cases, .. } if cases.len() > MAX_COMPARED => true,
        term => {
            let switch = matches!(term, Terminator::Switch { .. });
            let differ = |t: &BranchTarget| !switch || t.args != target.args;
            let others = term.targets();
            others.iter().enumerate().any(|(n, t)| n != successor && t.block == target.block && differ(t))
        }
    };
    let (target, made) = if twice {
        let middle = function.new_block();
        function.blocks[middle].term = Terminator::Branch(target);
        (to(middle), Some(middle))
    } else {
        (target, None)
    };
    if let Some(slot) = function.blocks[block].term.target_mut(successor) {
        *slot = target;
    }
    made
}

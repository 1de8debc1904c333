//! Leading branches elsewhere: what both restructuring steps share.
//!
//! Edges to several targets that must pass one block meet in a *junction*: a block whose parameters are a
//! selector (where each edge wants to go) and the parameters of every target. An edge gives undefined values
//! for the parameters of the targets that it does not mean.

use crate::ir::{Block, BranchTarget, Constant, Function, InstKind, IntCC, Terminator, Type, Value};
use smallvec::SmallVec;

/// A switch with more cases than this gets a block for each way that passes values.
const MAX_COMPARED: usize = 64;

/// A branch with nothing to pass.
pub fn to(block: Block) -> BranchTarget {
    BranchTarget { block, args: SmallVec::new() }
}

/// The number by which selectors name a target.
pub fn number(target: Block) -> u64 {
    u64::from(target.0)
}

/// An edge that has yet to be led somewhere: way `way` of `block`'s terminator.
#[derive(Debug, Clone)]
pub struct Edge {
    pub block: Block,
    pub way: usize,
    /// Where it may want to go, and with what; one target unless there is a selector.
    pub wants: SmallVec<[BranchTarget; 1]>,
    /// Chooses among `wants` (by [`number`]).
    pub selector: Option<Value>,
}

impl Edge {
    /// The edge of a way as it stands; `None` if there is no such way.
    pub fn of(function: &Function, block: Block, way: usize) -> Option<Edge> {
        Some(Edge::new(block, way, function.blocks[block].term.target(way)?))
    }

    /// The edge of a block whose switch is left to a later junction.
    pub fn of_rest(function: &Function, block: Block) -> Option<Edge> {
        let Terminator::Switch { value, cases, default } = &function.blocks[block].term else { return None };
        let wants = cases.iter().map(|c| &c.1).chain([default]).cloned().collect();
        Some(Edge { block, way: 0, wants, selector: Some(*value) })
    }

    /// The edge of a way with a known target.
    pub fn new(block: Block, way: usize, target: &BranchTarget) -> Edge {
        Edge { block, way, wants: SmallVec::from_buf([target.clone()]), selector: None }
    }

    /// The one block that it goes to, if there is nothing to choose.
    pub fn only(&self) -> Option<Block> {
        match self.wants.as_slice() {
            [only] => Some(only.block),
            _ => None,
        }
    }
}

/// How a junction's selector is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Selector {
    /// There is one target: none.
    None,
    /// Two targets: true for the first.
    First,
    /// The target's number.
    Number,
}

/// Where edges to several targets meet.
pub struct Junction {
    pub block: Block,
    /// The targets with the junction's parameters as arguments.
    pub wants: SmallVec<[BranchTarget; 1]>,
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
        let mut wants = SmallVec::with_capacity(targets.len());
        for &target in targets {
            let types: SmallVec<[Type; 4]> =
                function.blocks[target].params.iter().map(|p| function.ty(*p)).collect();
            let args = types.into_iter().map(|ty| function.add_param(block, ty)).collect();
            wants.push(BranchTarget { block: target, args });
        }
        Junction { block, wants, kind, selector }
    }

    /// Leads an edge to the junction. Gives the block put between, if one was needed.
    pub fn connect(&self, function: &mut Function, edge: &Edge) -> Option<Block> {
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        let single = edge.wants.first().map(|w| w.block);
        match self.kind {
            Selector::None => {}
            Selector::First => {
                let first = single == self.wants.first().map(|w| w.block);
                args.push(function.constant(Type::BOOL, Constant::Bits(u64::from(first))));
            }
            Selector::Number => {
                let own = function.iconst(Type::I32, single.map_or(0, number));
                args.push(edge.selector.unwrap_or(own));
            }
        }
        for want in &self.wants {
            match edge.wants.iter().find(|w| w.block == want.block) {
                Some(given) => args.extend(given.args.iter().copied()),
                None => {
                    for arg in &want.args {
                        let ty = function.ty(*arg);
                        args.push(function.constant(ty, Constant::Undef));
                    }
                }
            }
        }
        lead(function, edge.block, edge.way, BranchTarget { block: self.block, args })
    }

    /// Lets the junction choose: to the first target, or else on by the edge that is given.
    pub fn choose_first(&self, function: &mut Function) -> Edge {
        let block = self.block;
        let rest: SmallVec<[BranchTarget; 1]> = self.wants.iter().skip(1).cloned().collect();
        if let (Some(first), Some(selector)) = (self.wants.first(), self.selector) {
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
        Edge { block, way: 1, wants: rest, selector }
    }

    /// Lets the junction go on to all its targets by itself.
    pub fn choose_all(&self, function: &mut Function) {
        let mut wants = self.wants.clone();
        function.blocks[self.block].term = match (wants.pop(), self.selector) {
            (None, _) => Terminator::Unreachable,
            (Some(only), None) => Terminator::Branch(only),
            (Some(last), Some(value)) if wants.len() > 1 => {
                let cases = wants.into_iter().map(|w| (number(w.block), w)).collect();
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
        if let Some(first) = self.wants.first() {
            function.blocks[self.block].term = Terminator::Branch(first.clone());
        }
        Edge { block: self.block, way: 0, wants: self.wants.clone(), selector: self.selector }
    }
}

/// Leads a way of a block to a target. If another way of the block leads there too, the new one goes through a
/// block of its own, which is given: one block passes one set of values to another (SPIR-V OpPhi), and the ways
/// of a conditional branch differ.
pub fn lead(function: &mut Function, block: Block, way: usize, target: BranchTarget) -> Option<Block> {
    let twice = match &function.blocks[block].term {
        Terminator::Switch { .. } if target.args.is_empty() => false,
        // Too many to compare each with each.
        Terminator::Switch { cases, .. } if cases.len() > MAX_COMPARED => true,
        term => {
            let switch = matches!(term, Terminator::Switch { .. });
            let differ = |t: &BranchTarget| !switch || t.args != target.args;
            let others = term.targets();
            others.iter().enumerate().any(|(n, t)| n != way && t.block == target.block && differ(t))
        }
    };
    let (target, made) = if twice {
        let middle = function.new_block();
        function.blocks[middle].term = Terminator::Branch(target);
        (to(middle), Some(middle))
    } else {
        (target, None)
    };
    if let Some(slot) = function.blocks[block].term.target_mut(way) {
        *slot = target;
    }
    made
}

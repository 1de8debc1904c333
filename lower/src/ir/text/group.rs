//! The words for operations of groups.

use super::names::word;
use crate::ir::{Combine as How, GroupOp, Span};

const SPANS: [Span; 4] = [Span::Reduce, Span::Inclusive, Span::Exclusive, Span::Clustered];

/// `ballot`, `combine.iadd.reduce`.
pub(super) fn op_word(op: GroupOp) -> String {
    match op {
        GroupOp::Combine(combine, span) => format!("combine.{}.{}", word(combine), word(span)),
        GroupOp::CombineAll(combine, span) => format!("combineall.{}.{}", word(combine), word(span)),
        GroupOp::BallotCount(span) => format!("ballotcount.{}", word(span)),
        other => word(other),
    }
}

/// The reverse of [`op_word`].
pub(super) fn find_op(text: &str) -> Option<GroupOp> {
    use GroupOp::*;
    let plain = [
        Elect,
        All,
        Any,
        AllEqual,
        Broadcast,
        BroadcastFirst,
        Ballot,
        InverseBallot,
        BallotBit,
        BallotFirst,
        BallotLast,
        Shuffle,
        ShuffleXor,
        ShuffleUp,
        ShuffleDown,
        Rotate,
    ];
    let counts = SPANS.map(BallotCount);
    let combined = How::ALL.into_iter().flat_map(|c| SPANS.map(|s| Combine(c, s)));
    let by_all = How::ALL.into_iter().flat_map(|c| SPANS.map(|s| CombineAll(c, s)));
    plain.into_iter().chain(counts).chain(combined).chain(by_all).find(|op| op_word(*op) == text)
}

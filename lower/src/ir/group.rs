//! Group operations: collective operations of a work-group or sub-group.

/// Group operations. The operands of each are in order.
///
/// The reader gives all of them, of both scopes and of any type; `lower_workgroup` leaves those of sub-groups that Vulkan has, on types
/// that the Target has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupOp {
    /// Whether this is the first active member: a bool.
    Elect,
    /// Whether a bool holds for all.
    All,
    /// Whether a bool holds for some.
    Any,
    /// Whether all have the same value.
    AllEqual,
    /// The value of a member: a value; an index that all agree on, one number, or in a work-group one for each dimension.
    Broadcast,
    /// The value of the first active member.
    BroadcastFirst,
    /// A bit for each member whose bool holds, as four words.
    Ballot,
    /// This member's bit of four words, as a bool.
    InverseBallot,
    /// A member's bit of four words, as a bool: the words, the index.
    BallotBit,
    /// How many bits are set in four words: of all members, or of those up to or before this one.
    BallotCount(Span),
    /// The first bit that is set in four words.
    BallotFirst,
    /// The last bit that is set in four words.
    BallotLast,
    /// The values of active members combined.
    Combine(Combine, Span),
    /// The same where all members are active: OpGroup…, of no clusters.
    CombineAll(Combine, Span),
    /// The value of the member with an index.
    Shuffle,
    /// The value of the member whose index is this one's xor a mask.
    ShuffleXor,
    /// The value of the member whose index is smaller by a number.
    ShuffleUp,
    /// The value of the member whose index is larger by a number.
    ShuffleDown,
    /// The value of the member whose index is larger by a number, modulo the size of the group or of clusters of a constant size.
    Rotate,
}

/// The members whose values are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Span {
    /// All.
    Reduce,
    /// Those up to this one.
    Inclusive,
    /// Those before this one.
    Exclusive,
    /// Those of a cluster, whose constant size is the last operand.
    Clustered,
}

/// The operation that combines values. Bools are combined by `And`, `Or` and `Xor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Combine {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

impl Combine {
    /// All of them.
    pub const ALL: [Combine; 13] = {
        use Combine::*;
        [IAdd, FAdd, IMul, FMul, SMin, UMin, FMin, SMax, UMax, FMax, And, Or, Xor]
    };

    /// Whether it combines floats.
    pub fn is_float(self) -> bool {
        matches!(self, Combine::FAdd | Combine::FMul | Combine::FMin | Combine::FMax)
    }
}

//! Functions that the work-items of a work-group or sub-group compute together: collective functions (§6.15.16,
//! §6.15.17), sub-group functions (§6.15.20) and the clock (§6.15.22).

use super::op::{BuiltinOp, Collective, Combine, GroupFunction};
use super::table::Pattern::{Exact, G, One, Size, Void};
use super::table::{Family, Group, Make, NO_FAMILY, gated, group, with, work_item};
use crate::options::Features;
use crate::types::Scalar;
use crate::types::Scalar::{Char, Double, Float, Half, Int, Long, Short, UChar, UInt, ULong, UShort};
use Make::Plain;
use spirv::{BuiltIn, GroupOperation, Op, Scope};

use Combine::{Add, And, LogicalAnd, LogicalOr, LogicalXor, Max, Min, Mul, Or, Xor};
use GroupFunction as F;
use GroupOperation::{ClusteredReduce, ExclusiveScan, InclusiveScan, Reduce};
use Scope::{Subgroup, Workgroup};

const fn uniform(scope: Scope, function: GroupFunction) -> Make {
    Plain(BuiltinOp::Collective(Collective { scope, non_uniform: false, function }))
}

const fn active(function: GroupFunction) -> Make {
    Plain(BuiltinOp::Collective(Collective { scope: Subgroup, non_uniform: true, function }))
}

const fn clock(scope: Scope) -> Make {
    Plain(BuiltinOp::Clock(scope))
}

const fn scalars(name: &'static str, scalars: &'static [Scalar]) -> Family {
    Family { name, scalars, lanes: &[1] }
}

const BASIC: Family = scalars("gentype", &[Int, UInt, Long, ULong, Float, Double, Half]);
const BASIC_INTS: Family = scalars("gentype", &[Int, UInt, Long, ULong]);
const NARROW: Family = scalars("gentype", &[Char, UChar, Short, UShort]);
const SCALARS: Family =
    scalars("gentype", &[Int, UInt, Long, ULong, Float, Double, Half, Char, UChar, Short, UShort]);
const INTS: Family = scalars("gentype", &[Int, UInt, Long, ULong, Char, UChar, Short, UShort]);
const VECTORS: Family = Family {
    name: "gentypen",
    scalars: &[Int, UInt, Long, ULong, Float, Double, Half, Char, UChar, Short, UShort],
    lanes: &[2, 3, 4, 8, 16],
};

/// What cl_intel_subgroups and its kin shuffle; 64 bits as scalars alone there, as vectors here too.
const SHUFFLED: Family = Family { lanes: &[1, 2, 3, 4, 8, 16], ..VECTORS };

/// clang's header has vectors here.
const NARROW_ANY: Family = Family { lanes: &[1, 2, 3, 4, 8, 16], ..NARROW };

const INTEL: Features = Features::INTEL_SUBGROUPS;
const WORK_GROUP: Features = Features::WORK_GROUP_COLLECTIVES;
const ARITHMETIC: Features = Features::WORK_GROUP_ARITHMETIC;
const SUB_GROUP: Features = Features::SUBGROUPS;
const TYPES: Features = Features::SUBGROUP_TYPES;
const BALLOT: Features = Features::SUBGROUP_BALLOT;
const CLUSTERED: Features = Features::SUBGROUP_CLUSTERED;
const NON_UNIFORM: Features = Features::SUBGROUP_ARITHMETIC;
const VOTE: Features = Features::SUBGROUP_VOTE;
const ROTATE: Features = Features::SUBGROUP_ROTATE;
const SHUFFLE: Features = Features::SUBGROUP_SHUFFLE;
const RELATIVE: Features = Features::SUBGROUP_SHUFFLE_RELATIVE;
const BALLOT_VALUE: super::table::Pattern = Exact(UInt, 4);

/// The groups of these sections.
pub(super) static GROUPS: &[Group] = &[
    // Work-group collective functions.
    gated(
        with(WORK_GROUP),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int)],
            &[("work_group_all", uniform(Workgroup, F::All)), ("work_group_any", uniform(Workgroup, F::Any))],
        ),
    ),
    gated(
        with(WORK_GROUP),
        group(BASIC, G, &[G, Size], &[("work_group_broadcast", uniform(Workgroup, F::Broadcast))]),
    ),
    gated(
        with(WORK_GROUP),
        group(BASIC, G, &[G, Size, Size], &[("work_group_broadcast", uniform(Workgroup, F::Broadcast))]),
    ),
    gated(
        with(WORK_GROUP),
        group(
            BASIC,
            G,
            &[G, Size, Size, Size],
            &[("work_group_broadcast", uniform(Workgroup, F::Broadcast))],
        ),
    ),
    gated(
        with(WORK_GROUP),
        group(
            BASIC,
            G,
            &[G],
            &[
                ("work_group_reduce_add", uniform(Workgroup, F::Combine(Add, Reduce))),
                ("work_group_reduce_min", uniform(Workgroup, F::Combine(Min, Reduce))),
                ("work_group_reduce_max", uniform(Workgroup, F::Combine(Max, Reduce))),
                ("work_group_scan_exclusive_add", uniform(Workgroup, F::Combine(Add, ExclusiveScan))),
                ("work_group_scan_exclusive_min", uniform(Workgroup, F::Combine(Min, ExclusiveScan))),
                ("work_group_scan_exclusive_max", uniform(Workgroup, F::Combine(Max, ExclusiveScan))),
                ("work_group_scan_inclusive_add", uniform(Workgroup, F::Combine(Add, InclusiveScan))),
                ("work_group_scan_inclusive_min", uniform(Workgroup, F::Combine(Min, InclusiveScan))),
                ("work_group_scan_inclusive_max", uniform(Workgroup, F::Combine(Max, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(ARITHMETIC),
        group(
            BASIC,
            G,
            &[G],
            &[
                ("work_group_reduce_mul", uniform(Workgroup, F::Combine(Mul, Reduce))),
                ("work_group_scan_exclusive_mul", uniform(Workgroup, F::Combine(Mul, ExclusiveScan))),
                ("work_group_scan_inclusive_mul", uniform(Workgroup, F::Combine(Mul, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(ARITHMETIC),
        group(
            BASIC_INTS,
            G,
            &[G],
            &[
                ("work_group_reduce_and", uniform(Workgroup, F::Combine(And, Reduce))),
                ("work_group_reduce_or", uniform(Workgroup, F::Combine(Or, Reduce))),
                ("work_group_reduce_xor", uniform(Workgroup, F::Combine(Xor, Reduce))),
                ("work_group_scan_exclusive_and", uniform(Workgroup, F::Combine(And, ExclusiveScan))),
                ("work_group_scan_exclusive_or", uniform(Workgroup, F::Combine(Or, ExclusiveScan))),
                ("work_group_scan_exclusive_xor", uniform(Workgroup, F::Combine(Xor, ExclusiveScan))),
                ("work_group_scan_inclusive_and", uniform(Workgroup, F::Combine(And, InclusiveScan))),
                ("work_group_scan_inclusive_or", uniform(Workgroup, F::Combine(Or, InclusiveScan))),
                ("work_group_scan_inclusive_xor", uniform(Workgroup, F::Combine(Xor, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(ARITHMETIC),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int)],
            &[
                ("work_group_reduce_logical_and", uniform(Workgroup, F::Combine(LogicalAnd, Reduce))),
                ("work_group_reduce_logical_or", uniform(Workgroup, F::Combine(LogicalOr, Reduce))),
                ("work_group_reduce_logical_xor", uniform(Workgroup, F::Combine(LogicalXor, Reduce))),
                (
                    "work_group_scan_exclusive_logical_and",
                    uniform(Workgroup, F::Combine(LogicalAnd, ExclusiveScan)),
                ),
                (
                    "work_group_scan_exclusive_logical_or",
                    uniform(Workgroup, F::Combine(LogicalOr, ExclusiveScan)),
                ),
                (
                    "work_group_scan_exclusive_logical_xor",
                    uniform(Workgroup, F::Combine(LogicalXor, ExclusiveScan)),
                ),
                (
                    "work_group_scan_inclusive_logical_and",
                    uniform(Workgroup, F::Combine(LogicalAnd, InclusiveScan)),
                ),
                (
                    "work_group_scan_inclusive_logical_or",
                    uniform(Workgroup, F::Combine(LogicalOr, InclusiveScan)),
                ),
                (
                    "work_group_scan_inclusive_logical_xor",
                    uniform(Workgroup, F::Combine(LogicalXor, InclusiveScan)),
                ),
            ],
        ),
    ),
    // Sub-groups: work-item functions, barrier, collective functions.
    gated(
        with(SUB_GROUP),
        group(
            NO_FAMILY,
            One(UInt),
            &[],
            &[
                ("get_sub_group_size", work_item(BuiltIn::SubgroupSize, false, 0)),
                ("get_max_sub_group_size", work_item(BuiltIn::SubgroupMaxSize, false, 0)),
                ("get_num_sub_groups", work_item(BuiltIn::NumSubgroups, false, 0)),
                ("get_enqueued_num_sub_groups", work_item(BuiltIn::NumEnqueuedSubgroups, false, 0)),
                ("get_sub_group_id", work_item(BuiltIn::SubgroupId, false, 0)),
                ("get_sub_group_local_id", work_item(BuiltIn::SubgroupLocalInvocationId, false, 0)),
            ],
        ),
    ),
    gated(
        with(SUB_GROUP),
        group(NO_FAMILY, Void, &[One(UInt)], &[("sub_group_barrier", Plain(BuiltinOp::Barrier))]),
    ),
    gated(
        with(SUB_GROUP),
        group(NO_FAMILY, Void, &[One(UInt), One(Int)], &[("sub_group_barrier", Plain(BuiltinOp::Barrier))]),
    ),
    gated(
        with(SUB_GROUP),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int)],
            &[("sub_group_all", uniform(Subgroup, F::All)), ("sub_group_any", uniform(Subgroup, F::Any))],
        ),
    ),
    gated(
        with(SUB_GROUP),
        group(BASIC, G, &[G, One(UInt)], &[("sub_group_broadcast", uniform(Subgroup, F::Broadcast))]),
    ),
    gated(
        with(SUB_GROUP),
        group(
            BASIC,
            G,
            &[G],
            &[
                ("sub_group_reduce_add", uniform(Subgroup, F::Combine(Add, Reduce))),
                ("sub_group_reduce_min", uniform(Subgroup, F::Combine(Min, Reduce))),
                ("sub_group_reduce_max", uniform(Subgroup, F::Combine(Max, Reduce))),
                ("sub_group_scan_exclusive_add", uniform(Subgroup, F::Combine(Add, ExclusiveScan))),
                ("sub_group_scan_exclusive_min", uniform(Subgroup, F::Combine(Min, ExclusiveScan))),
                ("sub_group_scan_exclusive_max", uniform(Subgroup, F::Combine(Max, ExclusiveScan))),
                ("sub_group_scan_inclusive_add", uniform(Subgroup, F::Combine(Add, InclusiveScan))),
                ("sub_group_scan_inclusive_min", uniform(Subgroup, F::Combine(Min, InclusiveScan))),
                ("sub_group_scan_inclusive_max", uniform(Subgroup, F::Combine(Max, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(TYPES),
        group(NARROW, G, &[G, One(UInt)], &[("sub_group_broadcast", uniform(Subgroup, F::Broadcast))]),
    ),
    gated(
        with(TYPES),
        group(
            NARROW,
            G,
            &[G],
            &[
                ("sub_group_reduce_add", uniform(Subgroup, F::Combine(Add, Reduce))),
                ("sub_group_reduce_min", uniform(Subgroup, F::Combine(Min, Reduce))),
                ("sub_group_reduce_max", uniform(Subgroup, F::Combine(Max, Reduce))),
                ("sub_group_scan_exclusive_add", uniform(Subgroup, F::Combine(Add, ExclusiveScan))),
                ("sub_group_scan_exclusive_min", uniform(Subgroup, F::Combine(Min, ExclusiveScan))),
                ("sub_group_scan_exclusive_max", uniform(Subgroup, F::Combine(Max, ExclusiveScan))),
                ("sub_group_scan_inclusive_add", uniform(Subgroup, F::Combine(Add, InclusiveScan))),
                ("sub_group_scan_inclusive_min", uniform(Subgroup, F::Combine(Min, InclusiveScan))),
                ("sub_group_scan_inclusive_max", uniform(Subgroup, F::Combine(Max, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(TYPES),
        group(VECTORS, G, &[G, One(UInt)], &[("sub_group_broadcast", uniform(Subgroup, F::Broadcast))]),
    ),
    // Ballots.
    gated(
        with(BALLOT),
        group(SCALARS, G, &[G, One(UInt)], &[("sub_group_non_uniform_broadcast", active(F::Broadcast))]),
    ),
    gated(
        with(BALLOT),
        group(VECTORS, G, &[G, One(UInt)], &[("sub_group_non_uniform_broadcast", active(F::Broadcast))]),
    ),
    gated(with(BALLOT), group(SCALARS, G, &[G], &[("sub_group_broadcast_first", active(F::BroadcastFirst))])),
    gated(
        with(BALLOT),
        group(NO_FAMILY, BALLOT_VALUE, &[One(Int)], &[("sub_group_ballot", active(F::Ballot))]),
    ),
    gated(
        with(BALLOT),
        group(
            NO_FAMILY,
            One(Int),
            &[BALLOT_VALUE],
            &[("sub_group_inverse_ballot", active(F::InverseBallot))],
        ),
    ),
    gated(
        with(BALLOT),
        group(
            NO_FAMILY,
            One(Int),
            &[BALLOT_VALUE, One(UInt)],
            &[("sub_group_ballot_bit_extract", active(F::BallotBit))],
        ),
    ),
    gated(
        with(BALLOT),
        group(
            NO_FAMILY,
            One(UInt),
            &[BALLOT_VALUE],
            &[
                ("sub_group_ballot_bit_count", active(F::BallotCount(Reduce))),
                ("sub_group_ballot_inclusive_scan", active(F::BallotCount(InclusiveScan))),
                ("sub_group_ballot_exclusive_scan", active(F::BallotCount(ExclusiveScan))),
                ("sub_group_ballot_find_lsb", active(F::BallotFirst)),
                ("sub_group_ballot_find_msb", active(F::BallotLast)),
            ],
        ),
    ),
    gated(
        with(BALLOT),
        group(
            NO_FAMILY,
            BALLOT_VALUE,
            &[],
            &[
                ("get_sub_group_eq_mask", work_item(BuiltIn::SubgroupEqMask, false, 0)),
                ("get_sub_group_ge_mask", work_item(BuiltIn::SubgroupGeMask, false, 0)),
                ("get_sub_group_gt_mask", work_item(BuiltIn::SubgroupGtMask, false, 0)),
                ("get_sub_group_le_mask", work_item(BuiltIn::SubgroupLeMask, false, 0)),
                ("get_sub_group_lt_mask", work_item(BuiltIn::SubgroupLtMask, false, 0)),
            ],
        ),
    ),
    // Clustered reductions.
    gated(
        with(CLUSTERED),
        group(
            SCALARS,
            G,
            &[G, One(UInt)],
            &[
                ("sub_group_clustered_reduce_add", active(F::Combine(Add, ClusteredReduce))),
                ("sub_group_clustered_reduce_min", active(F::Combine(Min, ClusteredReduce))),
                ("sub_group_clustered_reduce_max", active(F::Combine(Max, ClusteredReduce))),
                ("sub_group_clustered_reduce_mul", active(F::Combine(Mul, ClusteredReduce))),
            ],
        ),
    ),
    gated(
        with(CLUSTERED),
        group(
            INTS,
            G,
            &[G, One(UInt)],
            &[
                ("sub_group_clustered_reduce_and", active(F::Combine(And, ClusteredReduce))),
                ("sub_group_clustered_reduce_or", active(F::Combine(Or, ClusteredReduce))),
                ("sub_group_clustered_reduce_xor", active(F::Combine(Xor, ClusteredReduce))),
            ],
        ),
    ),
    gated(
        with(CLUSTERED),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int), One(UInt)],
            &[
                ("sub_group_clustered_reduce_logical_and", active(F::Combine(LogicalAnd, ClusteredReduce))),
                ("sub_group_clustered_reduce_logical_or", active(F::Combine(LogicalOr, ClusteredReduce))),
                ("sub_group_clustered_reduce_logical_xor", active(F::Combine(LogicalXor, ClusteredReduce))),
            ],
        ),
    ),
    // Reductions and scans of the active members.
    gated(
        with(NON_UNIFORM),
        group(
            SCALARS,
            G,
            &[G],
            &[
                ("sub_group_non_uniform_reduce_add", active(F::Combine(Add, Reduce))),
                ("sub_group_non_uniform_reduce_min", active(F::Combine(Min, Reduce))),
                ("sub_group_non_uniform_reduce_max", active(F::Combine(Max, Reduce))),
                ("sub_group_non_uniform_reduce_mul", active(F::Combine(Mul, Reduce))),
                ("sub_group_non_uniform_scan_exclusive_add", active(F::Combine(Add, ExclusiveScan))),
                ("sub_group_non_uniform_scan_exclusive_min", active(F::Combine(Min, ExclusiveScan))),
                ("sub_group_non_uniform_scan_exclusive_max", active(F::Combine(Max, ExclusiveScan))),
                ("sub_group_non_uniform_scan_exclusive_mul", active(F::Combine(Mul, ExclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_add", active(F::Combine(Add, InclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_min", active(F::Combine(Min, InclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_max", active(F::Combine(Max, InclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_mul", active(F::Combine(Mul, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(NON_UNIFORM),
        group(
            INTS,
            G,
            &[G],
            &[
                ("sub_group_non_uniform_reduce_and", active(F::Combine(And, Reduce))),
                ("sub_group_non_uniform_reduce_or", active(F::Combine(Or, Reduce))),
                ("sub_group_non_uniform_reduce_xor", active(F::Combine(Xor, Reduce))),
                ("sub_group_non_uniform_scan_exclusive_and", active(F::Combine(And, ExclusiveScan))),
                ("sub_group_non_uniform_scan_exclusive_or", active(F::Combine(Or, ExclusiveScan))),
                ("sub_group_non_uniform_scan_exclusive_xor", active(F::Combine(Xor, ExclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_and", active(F::Combine(And, InclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_or", active(F::Combine(Or, InclusiveScan))),
                ("sub_group_non_uniform_scan_inclusive_xor", active(F::Combine(Xor, InclusiveScan))),
            ],
        ),
    ),
    gated(
        with(NON_UNIFORM),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int)],
            &[
                ("sub_group_non_uniform_reduce_logical_and", active(F::Combine(LogicalAnd, Reduce))),
                ("sub_group_non_uniform_reduce_logical_or", active(F::Combine(LogicalOr, Reduce))),
                ("sub_group_non_uniform_reduce_logical_xor", active(F::Combine(LogicalXor, Reduce))),
                (
                    "sub_group_non_uniform_scan_exclusive_logical_and",
                    active(F::Combine(LogicalAnd, ExclusiveScan)),
                ),
                (
                    "sub_group_non_uniform_scan_exclusive_logical_or",
                    active(F::Combine(LogicalOr, ExclusiveScan)),
                ),
                (
                    "sub_group_non_uniform_scan_exclusive_logical_xor",
                    active(F::Combine(LogicalXor, ExclusiveScan)),
                ),
                (
                    "sub_group_non_uniform_scan_inclusive_logical_and",
                    active(F::Combine(LogicalAnd, InclusiveScan)),
                ),
                (
                    "sub_group_non_uniform_scan_inclusive_logical_or",
                    active(F::Combine(LogicalOr, InclusiveScan)),
                ),
                (
                    "sub_group_non_uniform_scan_inclusive_logical_xor",
                    active(F::Combine(LogicalXor, InclusiveScan)),
                ),
            ],
        ),
    ),
    // Votes.
    gated(with(VOTE), group(NO_FAMILY, One(Int), &[], &[("sub_group_elect", active(F::Elect))])),
    gated(
        with(VOTE),
        group(
            NO_FAMILY,
            One(Int),
            &[One(Int)],
            &[("sub_group_non_uniform_all", active(F::All)), ("sub_group_non_uniform_any", active(F::Any))],
        ),
    ),
    gated(
        with(VOTE),
        group(SCALARS, One(Int), &[G], &[("sub_group_non_uniform_all_equal", active(F::AllEqual))]),
    ),
    // Rotations and shuffles.
    gated(with(ROTATE), group(SCALARS, G, &[G, One(Int)], &[("sub_group_rotate", active(F::Rotate))])),
    gated(
        with(ROTATE),
        group(SCALARS, G, &[G, One(Int), One(UInt)], &[("sub_group_clustered_rotate", active(F::Rotate))]),
    ),
    gated(
        with(SHUFFLE),
        group(
            SCALARS,
            G,
            &[G, One(UInt)],
            &[
                ("sub_group_shuffle", active(F::Shuffle(Op::GroupNonUniformShuffle))),
                ("sub_group_shuffle_xor", active(F::Shuffle(Op::GroupNonUniformShuffleXor))),
            ],
        ),
    ),
    gated(
        with(RELATIVE),
        group(
            SCALARS,
            G,
            &[G, One(UInt)],
            &[
                ("sub_group_shuffle_up", active(F::Shuffle(Op::GroupNonUniformShuffleUp))),
                ("sub_group_shuffle_down", active(F::Shuffle(Op::GroupNonUniformShuffleDown))),
            ],
        ),
    ),
    // cl_intel_subgroups: shuffles, also of two sub-groups' worth of values; functions of bytes and shorts by names of their own.
    gated(
        with(INTEL),
        group(
            SHUFFLED,
            G,
            &[G, One(UInt)],
            &[
                ("intel_sub_group_shuffle", Plain(BuiltinOp::Op(Op::SubgroupShuffleINTEL))),
                ("intel_sub_group_shuffle_xor", Plain(BuiltinOp::Op(Op::SubgroupShuffleXorINTEL))),
            ],
        ),
    ),
    gated(
        with(INTEL),
        group(
            SHUFFLED,
            G,
            &[G, G, One(UInt)],
            &[
                ("intel_sub_group_shuffle_down", Plain(BuiltinOp::Op(Op::SubgroupShuffleDownINTEL))),
                ("intel_sub_group_shuffle_up", Plain(BuiltinOp::Op(Op::SubgroupShuffleUpINTEL))),
            ],
        ),
    ),
    gated(
        with(INTEL),
        group(
            NARROW_ANY,
            G,
            &[G, One(UInt)],
            &[("intel_sub_group_broadcast", uniform(Subgroup, F::Broadcast))],
        ),
    ),
    gated(
        with(INTEL),
        group(
            NARROW,
            G,
            &[G],
            &[
                ("intel_sub_group_reduce_add", uniform(Subgroup, F::Combine(Add, Reduce))),
                ("intel_sub_group_reduce_min", uniform(Subgroup, F::Combine(Min, Reduce))),
                ("intel_sub_group_reduce_max", uniform(Subgroup, F::Combine(Max, Reduce))),
                ("intel_sub_group_scan_exclusive_add", uniform(Subgroup, F::Combine(Add, ExclusiveScan))),
                ("intel_sub_group_scan_exclusive_min", uniform(Subgroup, F::Combine(Min, ExclusiveScan))),
                ("intel_sub_group_scan_exclusive_max", uniform(Subgroup, F::Combine(Max, ExclusiveScan))),
                ("intel_sub_group_scan_inclusive_add", uniform(Subgroup, F::Combine(Add, InclusiveScan))),
                ("intel_sub_group_scan_inclusive_min", uniform(Subgroup, F::Combine(Min, InclusiveScan))),
                ("intel_sub_group_scan_inclusive_max", uniform(Subgroup, F::Combine(Max, InclusiveScan))),
            ],
        ),
    ),
    // Clocks.
    gated(
        with(Features::CLOCK_DEVICE),
        group(NO_FAMILY, One(ULong), &[], &[("clock_read_device", clock(Scope::Device))]),
    ),
    gated(
        with(Features::CLOCK_DEVICE),
        group(NO_FAMILY, Exact(UInt, 2), &[], &[("clock_read_hilo_device", clock(Scope::Device))]),
    ),
    gated(
        with(Features::CLOCK_WORK_GROUP),
        group(NO_FAMILY, One(ULong), &[], &[("clock_read_work_group", clock(Workgroup))]),
    ),
    gated(
        with(Features::CLOCK_WORK_GROUP),
        group(NO_FAMILY, Exact(UInt, 2), &[], &[("clock_read_hilo_work_group", clock(Workgroup))]),
    ),
    gated(
        with(Features::CLOCK_SUB_GROUP),
        group(NO_FAMILY, One(ULong), &[], &[("clock_read_sub_group", clock(Subgroup))]),
    ),
    gated(
        with(Features::CLOCK_SUB_GROUP),
        group(NO_FAMILY, Exact(UInt, 2), &[], &[("clock_read_hilo_sub_group", clock(Subgroup))]),
    ),
];

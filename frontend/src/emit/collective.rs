//! Functions of whole groups (§6.15.16, §6.15.17, §6.15.20): OpGroup… where all members come, OpGroupNonUniform… of
//! those that do.

use super::error::Emit;
use super::function::FunctionEmitter;
use crate::builtins::Builtin;
use crate::builtins::op::{Collective, Combine, GroupFunction};
use crate::hir::Expr;
use crate::types::{Scalar, TypeId};
use spirv_io::Id;
use spirv_io::spirv::{Capability, GroupOperation, Op};

const UNIFORM_EXTENSION: &str = "SPV_KHR_uniform_group_instructions";

impl<'a> FunctionEmitter<'_, 'a> {
    /// A collective function; predicates are ints in OpenCL C and bools in SPIR-V.
    pub fn collective(
        &mut self,
        what: Collective,
        ids: &[Id],
        args: &'a [Expr],
        builtin: &Builtin,
    ) -> Emit<Id> {
        let scope = self.m.word(what.scope as u32).0;
        let words: Vec<u32> = ids.iter().map(|id| id.0).collect();
        let ty = self.m.value_type(builtin.ret)?;
        if what.non_uniform {
            self.m.require_version(1, 3);
            self.m.b.capability(Capability::GroupNonUniform);
        } else {
            self.m.b.capability(Capability::Groups);
        }
        let (op, operands) = match (what.function, what.non_uniform) {
            (GroupFunction::Elect, _) => (Op::GroupNonUniformElect, vec![scope]),
            (GroupFunction::All, false) => return self.vote(Op::GroupAll, scope, ids, args, builtin),
            (GroupFunction::Any, false) => return self.vote(Op::GroupAny, scope, ids, args, builtin),
            (GroupFunction::All, true) => {
                self.m.b.capability(Capability::GroupNonUniformVote);
                return self.vote(Op::GroupNonUniformAll, scope, ids, args, builtin);
            }
            (GroupFunction::Any, true) => {
                self.m.b.capability(Capability::GroupNonUniformVote);
                return self.vote(Op::GroupNonUniformAny, scope, ids, args, builtin);
            }
            (GroupFunction::AllEqual, _) => {
                self.m.b.capability(Capability::GroupNonUniformVote);
                (Op::GroupNonUniformAllEqual, with(&[scope], &words))
            }
            (GroupFunction::Broadcast, false) => return self.broadcast(scope, ids, ty),
            (GroupFunction::Broadcast, true) => {
                // An index that is not constant is allowed from SPIR-V 1.5 on.
                self.m.require_version(1, 5);
                self.m.b.capability(Capability::GroupNonUniformBallot);
                (Op::GroupNonUniformBroadcast, with(&[scope], &words))
            }
            (GroupFunction::Combine(combine, operation), _) => {
                return self.combine((combine, operation, what.non_uniform), scope, (ids, args), builtin);
            }
            (GroupFunction::Shuffle(op), _) => {
                self.m.b.capability(match op {
                    Op::GroupNonUniformShuffleUp | Op::GroupNonUniformShuffleDown => {
                        Capability::GroupNonUniformShuffleRelative
                    }
                    _ => Capability::GroupNonUniformShuffle,
                });
                (op, with(&[scope], &words))
            }
            (GroupFunction::Rotate, _) => {
                self.m.b.capability(Capability::GroupNonUniformRotateKHR);
                self.m.b.extension("SPV_KHR_subgroup_rotate");
                self.constant_cluster(ids.get(2), builtin)?;
                (Op::GroupNonUniformRotateKHR, with(&[scope], &words))
            }
            (ballot, _) => {
                self.m.b.capability(Capability::GroupNonUniformBallot);
                return self.ballot(ballot, scope, ids, args, builtin);
            }
        };
        if matches!(op, Op::GroupNonUniformElect | Op::GroupNonUniformAllEqual) {
            return self.truth_of(op, &operands, builtin.ret);
        }
        Ok(self.op(op, ty, &operands))
    }

    /// An instruction that gives a bool, as an int.
    fn truth_of(&mut self, op: Op, operands: &[u32], ret: TypeId) -> Emit<Id> {
        let bools = self.m.bool_type();
        let truth = self.op(op, bools, operands);
        self.bool_to_int(truth, ret)
    }

    /// The first argument as a bool.
    fn predicate(&mut self, ids: &[Id], args: &[Expr]) -> Emit<Id> {
        match (ids, args) {
            ([id, ..], [arg, ..]) => self.truth(*id, arg.ty.ty),
            _ => self.m.bug("a vote without a predicate"),
        }
    }

    fn vote(&mut self, op: Op, scope: u32, ids: &[Id], args: &[Expr], builtin: &Builtin) -> Emit<Id> {
        let predicate = self.predicate(ids, args)?;
        self.truth_of(op, &[scope, predicate.0], builtin.ret)
    }

    /// The local id is one number, or as many as there are dimensions.
    fn broadcast(&mut self, scope: u32, ids: &[Id], ty: Id) -> Emit<Id> {
        let Some((value, local)) = ids.split_first() else { return self.m.bug("a broadcast of nothing") };
        let local = match local {
            [one] => *one,
            _ => {
                let size = self.m.program.types.size_t();
                let (scalar, _) = self.m.arithmetic(size)?;
                let vector = self.m.vector_type(scalar, local.len() as u8);
                let parts: Vec<u32> = local.iter().map(|id| id.0).collect();
                self.op(Op::CompositeConstruct, vector, &parts)
            }
        };
        Ok(self.op(Op::GroupBroadcast, ty, &[scope, value.0, local.0]))
    }

    fn ballot(
        &mut self,
        function: GroupFunction,
        scope: u32,
        ids: &[Id],
        args: &[Expr],
        builtin: &Builtin,
    ) -> Emit<Id> {
        let ty = self.m.value_type(builtin.ret)?;
        let words: Vec<u32> = ids.iter().map(|id| id.0).collect();
        let op = match function {
            GroupFunction::Ballot => {
                let predicate = self.predicate(ids, args)?;
                return Ok(self.op(Op::GroupNonUniformBallot, ty, &[scope, predicate.0]));
            }
            GroupFunction::InverseBallot => {
                return self.truth_of(Op::GroupNonUniformInverseBallot, &with(&[scope], &words), builtin.ret);
            }
            GroupFunction::BallotBit => {
                return self.truth_of(
                    Op::GroupNonUniformBallotBitExtract,
                    &with(&[scope], &words),
                    builtin.ret,
                );
            }
            GroupFunction::BallotCount(operation) => {
                let operands = with(&[scope, operation as u32], &words);
                return Ok(self.op(Op::GroupNonUniformBallotBitCount, ty, &operands));
            }
            GroupFunction::BallotFirst => Op::GroupNonUniformBallotFindLSB,
            GroupFunction::BallotLast => Op::GroupNonUniformBallotFindMSB,
            _ => Op::GroupNonUniformBroadcastFirst,
        };
        Ok(self.op(op, ty, &with(&[scope], &words)))
    }

    /// A reduction or scan.
    fn combine(
        &mut self,
        (combine, operation, non_uniform): (Combine, GroupOperation, bool),
        scope: u32,
        (ids, args): (&[Id], &[Expr]),
        builtin: &Builtin,
    ) -> Emit<Id> {
        let (Some(value), Some(arg)) = (ids.first(), args.first()) else {
            return self.m.bug("a reduction of nothing");
        };
        let (scalar, _) = self.m.arithmetic(arg.ty.ty)?;
        if operation == GroupOperation::ClusteredReduce {
            self.constant_cluster(ids.get(1), builtin)?;
            self.m.b.capability(Capability::GroupNonUniformClustered);
        } else if non_uniform {
            self.m.b.capability(Capability::GroupNonUniformArithmetic);
        }
        let rest: Vec<u32> = ids.iter().skip(1).map(|id| id.0).collect();
        let op = if non_uniform { non_uniform_op(combine, scalar) } else { self.uniform_op(combine, scalar) };
        let logical = matches!(combine, Combine::LogicalAnd | Combine::LogicalOr | Combine::LogicalXor);
        if logical {
            let predicate = self.truth(*value, arg.ty.ty)?;
            let operands = with(&[scope, operation as u32, predicate.0], &rest);
            return self.truth_of(op, &operands, builtin.ret);
        }
        let ty = self.m.value_type(builtin.ret)?;
        Ok(self.op(op, ty, &with(&[scope, operation as u32, value.0], &rest)))
    }

    /// SPIR-V wants the size of a cluster as a constant; in OpenCL C anything else has no meaning.
    fn constant_cluster(&mut self, size: Option<&Id>, builtin: &Builtin) -> Emit<()> {
        match size {
            Some(size) if self.m.known(*size).is_none() => {
                let message = format!("the cluster size of '{}' is not a constant", builtin.name);
                self.m.fail("not-constant", message)
            }
            _ => Ok(()),
        }
    }

    fn uniform_op(&mut self, combine: Combine, scalar: Scalar) -> Op {
        let float = scalar.is_float();
        match (combine, scalar.is_signed()) {
            (Combine::Add, _) if float => Op::GroupFAdd,
            (Combine::Min, _) if float => Op::GroupFMin,
            (Combine::Max, _) if float => Op::GroupFMax,
            (Combine::Add, _) => Op::GroupIAdd,
            (Combine::Min, true) => Op::GroupSMin,
            (Combine::Min, false) => Op::GroupUMin,
            (Combine::Max, true) => Op::GroupSMax,
            (Combine::Max, false) => Op::GroupUMax,
            _ => {
                self.m.b.capability(Capability::GroupUniformArithmeticKHR);
                self.m.b.extension(UNIFORM_EXTENSION);
                match combine {
                    Combine::Mul if float => Op::GroupFMulKHR,
                    Combine::And => Op::GroupBitwiseAndKHR,
                    Combine::Or => Op::GroupBitwiseOrKHR,
                    Combine::Xor => Op::GroupBitwiseXorKHR,
                    Combine::LogicalAnd => Op::GroupLogicalAndKHR,
                    Combine::LogicalOr => Op::GroupLogicalOrKHR,
                    Combine::LogicalXor => Op::GroupLogicalXorKHR,
                    _ => Op::GroupIMulKHR,
                }
            }
        }
    }
}

fn non_uniform_op(combine: Combine, scalar: Scalar) -> Op {
    let float = scalar.is_float();
    let signed = scalar.is_signed();
    match combine {
        Combine::Add if float => Op::GroupNonUniformFAdd,
        Combine::Add => Op::GroupNonUniformIAdd,
        Combine::Mul if float => Op::GroupNonUniformFMul,
        Combine::Mul => Op::GroupNonUniformIMul,
        Combine::Min if float => Op::GroupNonUniformFMin,
        Combine::Min if signed => Op::GroupNonUniformSMin,
        Combine::Min => Op::GroupNonUniformUMin,
        Combine::Max if float => Op::GroupNonUniformFMax,
        Combine::Max if signed => Op::GroupNonUniformSMax,
        Combine::Max => Op::GroupNonUniformUMax,
        Combine::And => Op::GroupNonUniformBitwiseAnd,
        Combine::Or => Op::GroupNonUniformBitwiseOr,
        Combine::Xor => Op::GroupNonUniformBitwiseXor,
        Combine::LogicalAnd => Op::GroupNonUniformLogicalAnd,
        Combine::LogicalOr => Op::GroupNonUniformLogicalOr,
        Combine::LogicalXor => Op::GroupNonUniformLogicalXor,
    }
}

fn with(first: &[u32], rest: &[u32]) -> Vec<u32> {
    [first, rest].concat()
}

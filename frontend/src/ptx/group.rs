//! Threads and their groups: special registers (§10), barriers, votes and shuffles (§9.7.12, §9.7.8), jumps (§9.7.11).
//!
//! A thread is a work-item, a CTA a work-group, a warp a sub-group of 32. A kernel that depends on warps requires sub-groups of
//! that size (`FunctionState::warp`), so that a device with others refuses it.

use super::context::{Context, Inst, scalar};
use super::{Error, Type, statement};
use crate::builtins::BuiltinOp;
use crate::builtins::op::{Collective, Combine, GroupFunction};
use crate::hir::{BinaryOp, Expr, StmtKind};
use crate::options::Features;
use crate::types::{Scalar, Types};
use spirv::{BuiltIn, GroupOperation, Op, Scope};

/// Registers of the manual that nothing here can tell.
const UNKNOWN: [&str; 9] = [
    "nwarpid",
    "smid",
    "nsmid",
    "gridid",
    "total_smem_size",
    "dynamic_smem_size",
    "envreg0",
    "pm0",
    "clusterid",
];

impl Context<'_> {
    /// A special register: its value, and its type. None where there is none of that name.
    pub fn special(&mut self, name: &str, component: Option<&str>) -> Result<Option<(Expr, Type)>, Error> {
        let Some(name) = name.strip_prefix('%') else { return Ok(None) };
        if let (Some(variable), Some(component)) = (grid(name), component) {
            let Some(dimension) = ["x", "y", "z"].iter().position(|d| *d == component) else {
                return Ok(None);
            };
            let outside = u64::from(matches!(name, "ntid" | "nctaid"));
            let op = BuiltinOp::WorkItem { variable, indexed: true, out_of_range: outside };
            let size = self.host.types.size_t();
            let value = self.call(op, vec![Types::UINT], vec![self.uint(dimension as u32)], size);
            return Ok(Some((self.cast(value, Scalar::UInt), Type::U32)));
        }
        if component.is_some() {
            return Ok(None);
        }
        let value = match name {
            "laneid" => self.lane()?,
            "warpid" => self.in_warp(BuiltIn::SubgroupId)?,
            _ if name.starts_with("lanemask_") => {
                let lane = self.lane()?;
                match lane_mask(self, name, lane) {
                    Some(mask) => mask,
                    None => return Ok(None),
                }
            }
            "clock64" | "globaltimer" => return Ok(Some((self.clock(name)?, Type::U64))),
            "clock" | "globaltimer_lo" => {
                let clock = self.clock(name)?;
                self.cast(clock, Scalar::UInt)
            }
            "clock_hi" | "globaltimer_hi" => {
                let clock = self.clock(name)?;
                let high = self.shr(clock, self.uint(32));
                self.cast(high, Scalar::UInt)
            }
            _ if UNKNOWN.contains(&name) => {
                return self.error(format!("the special register '%{name}' is of NVIDIA's devices alone"));
            }
            _ => return Ok(None),
        };
        Ok(Some((value, Type::U32)))
    }

    /// `%laneid`
    fn lane(&mut self) -> Result<Expr, Error> {
        self.in_warp(BuiltIn::SubgroupLocalInvocationId)
    }

    fn in_warp(&mut self, variable: BuiltIn) -> Result<Expr, Error> {
        self.uses_warp()?;
        let op = BuiltinOp::WorkItem { variable, indexed: false, out_of_range: 0 };
        Ok(self.call(op, vec![], vec![], Types::UINT))
    }

    /// The clock of a multiprocessor or of the device; its unit is the device's.
    fn clock(&mut self, name: &str) -> Result<Expr, Error> {
        let (feature, scope) = match name.starts_with("clock") {
            true => (Features::CLOCK_SUB_GROUP, Scope::Subgroup),
            false => (Features::CLOCK_DEVICE, Scope::Device),
        };
        self.needs(feature, &format!("'%{name}'"))?;
        Ok(self.call(BuiltinOp::Clock(scope), vec![], vec![], Types::scalar(Scalar::ULong)))
    }
}

/// The registers with a component for each dimension.
fn grid(name: &str) -> Option<BuiltIn> {
    Some(match name {
        "tid" => BuiltIn::LocalInvocationId,
        "ntid" => BuiltIn::WorkgroupSize,
        "ctaid" => BuiltIn::WorkgroupId,
        "nctaid" => BuiltIn::NumWorkgroups,
        _ => return None,
    })
}

/// The lanes of a warp that are equal to, below or above this one.
fn lane_mask(c: &mut Context<'_>, name: &str, lane: Expr) -> Option<Expr> {
    let own = c.shl(c.uint(1), lane);
    let own = c.temp(own);
    let below = c.sub(own.clone(), c.uint(1));
    Some(match name {
        "lanemask_eq" => own,
        "lanemask_lt" => below,
        "lanemask_le" => c.or(own, below),
        "lanemask_ge" => c.bit_not(below),
        "lanemask_gt" => c.bit_not(c.or(own, below)),
        _ => return None,
    })
}

/// A function of the active members of a warp.
fn collective(c: &Context<'_>, function: GroupFunction, args: Vec<Expr>, ret: crate::types::TypeId) -> Expr {
    let params = args.iter().map(|a| a.ty.ty).collect();
    let what = Collective { scope: Scope::Subgroup, non_uniform: true, function };
    c.call(BuiltinOp::Collective(what), params, args, ret)
}

/// The lanes whose predicate holds.
fn ballot(c: &mut Context<'_>, predicate: Expr) -> Result<Expr, Error> {
    c.uses_warp()?;
    c.needs(Features::SUBGROUP_BALLOT, "a ballot")?;
    let words = c.host.types.vector(Scalar::UInt, 4);
    let lanes = collective(c, GroupFunction::Ballot, vec![c.cast(predicate, Scalar::Int)], words);
    let first = crate::hir::ExprKind::SwizzleValue { base: Box::new(lanes), components: vec![0] };
    Ok(c.node(first, Types::UINT))
}

/// `vote`: of the threads that execute it, which `membermask` must be.
pub(super) fn vote(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let predicate = c.get(i.operand(1), Type::Pred)?;
    let kind = i.one_of(&["all", "any", "uni", "ballot"]);
    if i.operands.len() == 3 {
        // Evaluated for its errors; a member that is not here would be waited for.
        c.get(i.operand(2), Type::B32)?;
    }
    let (function, ty) = match kind {
        Some("ballot") => {
            let lanes = ballot(c, predicate)?;
            return c.put(i.operand(0), Type::B32, lanes);
        }
        Some("all") => (GroupFunction::All, Type::Pred),
        Some("any") => (GroupFunction::Any, Type::Pred),
        Some(_) => (GroupFunction::AllEqual, Type::Pred),
        None => return c.error("'vote' needs '.all', '.any', '.uni' or '.ballot'"),
    };
    c.uses_warp()?;
    c.needs(Features::SUBGROUP_VOTE, "a vote")?;
    let value = collective(c, function, vec![c.cast(predicate, Scalar::Int)], Types::INT);
    let value = c.compare(BinaryOp::Ne, value, c.int(0, Scalar::Int));
    c.put(i.operand(0), ty, value)
}

/// `activemask`: the lanes that execute it.
pub(super) fn activemask(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let all = c.truth(true);
    let lanes = ballot(c, all)?;
    c.put(i.operand(0), Type::B32, lanes)
}

/// `shfl`: the value of another lane of the segment, and whether there is such a lane; else the own value.
pub(super) fn shfl(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let Some(mode) = i.one_of(&["up", "down", "bfly", "idx"]) else {
        return c.error("'shfl' needs '.up', '.down', '.bfly' or '.idx'");
    };
    c.needs(Features::SUBGROUP_SHUFFLE, "'shfl'")?;
    let a = c.get(i.operand(1), Type::B32)?;
    let by = c.get(i.operand(2), Type::B32)?;
    let control = c.get(i.operand(3), Type::B32)?;
    if i.operands.len() == 5 {
        c.get(i.operand(4), Type::B32)?;
    }
    let (a, control) = (c.temp(a), c.temp(control));
    let lane = c.lane()?;
    let lane = c.temp(lane);
    let by = c.and(by, c.uint(31));
    let clamp = c.and(control.clone(), c.uint(31));
    // Lanes that agree in these bits are one segment.
    let segment = c.and(c.shr(control, c.uint(8)), c.uint(31));
    let segment = c.temp(segment);
    let least = c.and(lane.clone(), segment.clone());
    let within = c.bit_not(segment);
    let most = c.or(least.clone(), c.and(clamp, within.clone()));
    let most = c.cast(most, Scalar::Int);
    let from = match mode {
        "up" => c.sub(lane.clone(), by),
        "down" => c.add(lane.clone(), by),
        "bfly" => c.xor(lane.clone(), by),
        _ => c.or(least, c.and(by, within)),
    };
    let from = c.temp(from);
    let signed = c.cast(from.clone(), Scalar::Int);
    let there = c.compare(if mode == "up" { BinaryOp::Ge } else { BinaryOp::Le }, signed, most);
    let there = c.temp(there);
    let from = c.select(there.clone(), from, lane);
    let value = collective(c, GroupFunction::Shuffle(Op::GroupNonUniformShuffle), vec![a, from], Types::UINT);
    match i.operand(0) {
        statement::Operand::Pair(value_to, there_to) => {
            c.put(value_to, Type::B32, value)?;
            c.put(there_to, Type::Pred, there)
        }
        to => c.put(to, Type::B32, value),
    }
}

/// `redux`: the reduction over the threads that execute it.
pub(super) fn redux(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let combine = match i.one_of(&["add", "min", "max", "and", "or", "xor"]) {
        Some("add") => Combine::Add,
        Some("min") => Combine::Min,
        Some("max") => Combine::Max,
        Some("and") => Combine::And,
        Some("or") => Combine::Or,
        Some(_) => Combine::Xor,
        None => return c.error("'redux' needs an operation, such as '.add'"),
    };
    c.uses_warp()?;
    c.needs(Features::SUBGROUP_ARITHMETIC, "'redux'")?;
    let a = c.get(i.operand(1), i.ty())?;
    c.get(i.operand(2), Type::B32)?;
    let ret = Types::scalar(scalar(i.ty()));
    let value = collective(c, GroupFunction::Combine(combine, GroupOperation::Reduce), vec![a], ret);
    c.put(i.operand(0), i.ty(), value)
}

/// `bar`, `barrier`: of the whole work-group, or of a warp.
pub(super) fn bar(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    if !i.has("sync") {
        return c.error(format!("'{}' needs '.sync'", i.row.name));
    }
    let warp = i.has("warp");
    if warp {
        c.uses_warp()?;
    } else {
        if c.immediate(i.operand(0)).is_none_or(|n| !(0..16).contains(&n)) {
            return c.error(format!("'{}.sync' needs the number of a barrier, 0 to 15", i.row.name));
        }
        if i.operands.len() > 1 {
            return c.error("a barrier of some of the threads is not supported");
        }
    }
    // CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE: what was written before is seen behind it.
    let name = if warp { "sub_group_barrier" } else { "barrier" };
    let builtin = crate::builtins::Builtin {
        name,
        op: BuiltinOp::Barrier,
        params: vec![Types::UINT],
        ret: Types::VOID,
    };
    let args = vec![c.uint(3)];
    let barrier = c.node(crate::hir::ExprKind::Builtin { builtin: Box::new(builtin), args }, Types::VOID);
    c.effect(barrier);
    Ok(())
}

/// `bra`: to a label of the same statement.
pub(super) fn bra(c: &mut Context<'_>, i: &Inst<'_>) -> Result<(), Error> {
    let statement::Operand::Name(name, None) = i.operand(0) else { return c.error("'bra' needs a label") };
    let label = c.jump_target(name);
    c.push(StmtKind::Goto(label));
    Ok(())
}

//! The functions of pipes (§6.15.18 "Pipe Functions", and those of sub-groups in §6.15.20): the type of the
//! packets is the pipe's, and what they are read to or written from must have it.

use super::op::{Builtin, BuiltinOp, Family, Resolution};
use super::samples::{Sample, pointer, spaces};
use super::special::{is_scalar, made};
use crate::options::{Features, Options};
use crate::types::{AddressSpace, ImageAccess, Opaque, QualType, Scalar, Type, TypeId, Types};
use spirv::{Op, Scope};

/// What a function does with a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// `read_pipe`, `write_pipe`.
    Transfer,
    Reserve,
    Commit,
    NumPackets,
    MaxPackets,
    /// `is_valid_reserve_id`, which takes no pipe.
    IsValid,
}

/// A function by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Function {
    name: &'static str,
    action: Action,
    /// The access that its pipe must have.
    access: Option<ImageAccess>,
    /// The group that calls it together.
    group: Option<Scope>,
}

const fn function(
    name: &'static str,
    action: Action,
    access: Option<ImageAccess>,
    group: Option<Scope>,
) -> Function {
    Function { name, action, access, group }
}

const READ: Option<ImageAccess> = Some(ImageAccess::ReadOnly);
const WRITE: Option<ImageAccess> = Some(ImageAccess::WriteOnly);
const WORK_GROUP: Option<Scope> = Some(Scope::Workgroup);
const SUB_GROUP: Option<Scope> = Some(Scope::Subgroup);

const FUNCTIONS: [Function; 17] = [
    function("read_pipe", Action::Transfer, READ, None),
    function("write_pipe", Action::Transfer, WRITE, None),
    function("reserve_read_pipe", Action::Reserve, READ, None),
    function("reserve_write_pipe", Action::Reserve, WRITE, None),
    function("commit_read_pipe", Action::Commit, READ, None),
    function("commit_write_pipe", Action::Commit, WRITE, None),
    function("is_valid_reserve_id", Action::IsValid, None, None),
    function("work_group_reserve_read_pipe", Action::Reserve, READ, WORK_GROUP),
    function("work_group_reserve_write_pipe", Action::Reserve, WRITE, WORK_GROUP),
    function("work_group_commit_read_pipe", Action::Commit, READ, WORK_GROUP),
    function("work_group_commit_write_pipe", Action::Commit, WRITE, WORK_GROUP),
    function("sub_group_reserve_read_pipe", Action::Reserve, READ, SUB_GROUP),
    function("sub_group_reserve_write_pipe", Action::Reserve, WRITE, SUB_GROUP),
    function("sub_group_commit_read_pipe", Action::Commit, READ, SUB_GROUP),
    function("sub_group_commit_write_pipe", Action::Commit, WRITE, SUB_GROUP),
    function("get_pipe_num_packets", Action::NumPackets, None, None),
    function("get_pipe_max_packets", Action::MaxPackets, None, None),
];

fn find(name: &str) -> Option<Function> {
    FUNCTIONS.into_iter().find(|f| f.name == name)
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| find(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let function = find(name)?;
    if !options.has(Features::PIPES) {
        return Some(Resolution::NotBuiltin);
    }
    if function.group == SUB_GROUP && !options.has(Features::SUBGROUPS) {
        return Some(Resolution::NeedsFeature("__opencl_c_subgroups"));
    }
    Some(match call(types, function, args) {
        Some(builtin) => Resolution::Match(builtin),
        None => Resolution::NoMatch(describe(function)),
    })
}

fn call(types: &mut Types, function: Function, args: &[TypeId]) -> Option<Builtin> {
    let id = types.intern(Type::Opaque(Opaque::ReserveId));
    if function.action == Action::IsValid {
        let &[arg] = args else { return None };
        let fits = arg == id || is_scalar(types, arg);
        return fits
            .then(|| made(function.name, BuiltinOp::Op(Op::IsValidReserveId), vec![id], Types::BOOL))
            .flatten();
    }
    let (&pipe, rest) = args.split_first()?;
    let Type::Pipe(packet, access) = *types.get(pipe) else { return None };
    if function.access.is_some_and(|wanted| wanted != access) {
        return None;
    }
    let reads = access == ImageAccess::ReadOnly;
    let by_access = |read, write| if reads { read } else { write };
    let group = function.group.is_some();
    let mut params = vec![pipe];
    let (op, ret) = match (function.action, rest) {
        (Action::Transfer, [target]) => {
            params.push(packet_pointer(types, packet, *target, reads)?);
            (by_access(Op::ReadPipe, Op::WritePipe), Types::INT)
        }
        (Action::Transfer, [reservation, index, target]) => {
            let fits = (*reservation == id || is_scalar(types, *reservation)) && is_scalar(types, *index);
            let target = packet_pointer(types, packet, *target, reads).filter(|_| fits)?;
            params.extend([id, Types::UINT, target]);
            (by_access(Op::ReservedReadPipe, Op::ReservedWritePipe), Types::INT)
        }
        (Action::Reserve, [count]) if is_scalar(types, *count) => {
            params.push(Types::UINT);
            let op = match group {
                true => by_access(Op::GroupReserveReadPipePackets, Op::GroupReserveWritePipePackets),
                false => by_access(Op::ReserveReadPipePackets, Op::ReserveWritePipePackets),
            };
            (op, id)
        }
        (Action::Commit, [reservation]) if *reservation == id || is_scalar(types, *reservation) => {
            params.push(id);
            let op = match group {
                true => by_access(Op::GroupCommitReadPipe, Op::GroupCommitWritePipe),
                false => by_access(Op::CommitReadPipe, Op::CommitWritePipe),
            };
            (op, Types::VOID)
        }
        (Action::NumPackets, []) => (Op::GetNumPipePackets, Types::UINT),
        (Action::MaxPackets, []) => (Op::GetMaxPipePackets, Types::UINT),
        _ => return None,
    };
    made(function.name, BuiltinOp::Pipe { op, group: function.group }, params, ret)
}

/// A pointer to a packet, as SPIR-V wants it: to the generic space. A packet is read through a pointer that can be
/// written.
fn packet_pointer(types: &mut Types, packet: TypeId, arg: TypeId, written: bool) -> Option<TypeId> {
    let pointee = types.pointee(arg)?;
    let writable = !written || !pointee.is_const;
    let fits = pointee.ty == packet && writable && pointee.space != AddressSpace::Constant;
    fits.then(|| types.pointer(QualType { space: AddressSpace::Generic, ..pointee }))
}

fn describe(function: Function) -> Vec<String> {
    let Function { name, action, access, .. } = function;
    let (pipe, pointer) = match access {
        Some(ImageAccess::WriteOnly) => ("write_only pipe gentype", "const gentype *"),
        Some(_) => ("read_only pipe gentype", "gentype *"),
        None => ("pipe gentype", ""),
    };
    match action {
        Action::Transfer => vec![
            format!("int {name}({pipe}, {pointer})"),
            format!("int {name}({pipe}, reserve_id_t, uint, {pointer})"),
        ],
        Action::Reserve => vec![format!("reserve_id_t {name}({pipe}, uint)")],
        Action::Commit => vec![format!("void {name}({pipe}, reserve_id_t)")],
        Action::NumPackets | Action::MaxPackets => vec![format!("uint {name}({pipe})")],
        Action::IsValid => vec![format!("bool {name}(reserve_id_t)")],
    }
}

/// Every function with pipes of a few types of packets, and with pointers to each space.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    if !options.has(Features::PIPES) {
        return;
    }
    let id = types.intern(Type::Opaque(Opaque::ReserveId));
    for function in FUNCTIONS {
        if function.group == SUB_GROUP && !options.has(Features::SUBGROUPS) {
            continue;
        }
        let mut push = |args: Vec<TypeId>| out.push((function.name.to_owned(), args));
        if function.action == Action::IsValid {
            push(vec![id]);
            continue;
        }
        let accesses = match function.access {
            Some(access) => vec![access],
            None => vec![ImageAccess::ReadOnly, ImageAccess::WriteOnly],
        };
        for (scalar, lanes) in [(Scalar::Int, 1), (Scalar::UChar, 16), (Scalar::Float, 3)] {
            let packet = types.vector(scalar, lanes);
            for access in accesses.iter().copied() {
                let pipe = types.intern(Type::Pipe(packet, access));
                match function.action {
                    Action::Transfer => {
                        for space in spaces(options) {
                            let target = pointer(types, packet, space);
                            push(vec![pipe, target]);
                            push(vec![pipe, id, Types::UINT, target]);
                        }
                    }
                    Action::Reserve => push(vec![pipe, Types::UINT]),
                    Action::Commit => push(vec![pipe, id]),
                    Action::NumPackets | Action::MaxPackets | Action::IsValid => push(vec![pipe]),
                }
            }
        }
    }
}

//! Functions on pointers of any pointee: the address space qualifier functions (§6.15.10) and the extended copies
//! (§6.15.11.1).

use super::op::{Builtin, BuiltinOp, Family, Resolution};
use super::samples::{Sample, event, pointer, spaces};
use super::special::{is_scalar, made};
use crate::options::{Features, LangVersion, Optional, Options};
use crate::types::{AddressSpace, QualType, Type, TypeId, Types};

/// The functions here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    To(AddressSpace),
    Fence,
    /// `async_work_group_copy_2D2D`, and the 3D form.
    Copy {
        three: bool,
    },
    CopyFence,
}

fn parse(name: &str) -> Option<Function> {
    Some(match name {
        "to_global" => Function::To(AddressSpace::Global),
        "to_local" => Function::To(AddressSpace::Local),
        "to_private" => Function::To(AddressSpace::Private),
        "get_fence" => Function::Fence,
        "async_work_group_copy_2D2D" => Function::Copy { three: false },
        "async_work_group_copy_3D3D" => Function::Copy { three: true },
        "async_work_group_copy_fence" => Function::CopyFence,
        _ => return None,
    })
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: |name| parse(name).is_some(), resolve };

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    let function = parse(name)?;
    let (since, needs) = match function {
        Function::To(_) | Function::Fence => (LangVersion::Cl2_0, Features::GENERIC_ADDRESS_SPACE),
        Function::Copy { .. } => (LangVersion::Cl1_0, Features::EXTENDED_ASYNC_COPIES),
        Function::CopyFence => (LangVersion::Cl1_0, Features::ASYNC_COPY_FENCE),
    };
    if options.std < since {
        return Some(Resolution::NotBuiltin);
    }
    if !options.has(needs) {
        return Some(Resolution::NeedsFeature(Optional::name_of(needs, options.std)));
    }
    let found = match function {
        Function::To(space) => to_space(types, space, args),
        Function::Fence => get_fence(types, args),
        Function::Copy { three } => copy(types, three, args),
        Function::CopyFence => copy_fence(types, args),
    };
    Some(match found {
        Some(builtin) => Resolution::Match(builtin),
        None => Resolution::NoMatch(vec![describe(function, name)]),
    })
}

fn describe(function: Function, name: &str) -> String {
    match function {
        Function::To(space) => format!("{} gentype *{name}(gentype *)", space.name()),
        Function::Fence => format!("cl_mem_fence_flags {name}(gentype *)"),
        Function::CopyFence => format!("void {name}(cl_mem_fence_flags)"),
        Function::Copy { three: false } => format!(
            "event_t {name}(__local void *, size_t, const __global void *, size_t, size_t, size_t, size_t, size_t, \
             size_t, event_t) or from local to global"
        ),
        Function::Copy { three: true } => format!(
            "event_t {name}(__local void *, size_t, const __global void *, size_t, size_t, size_t, size_t, size_t, \
             size_t, size_t, size_t, size_t, event_t) or from local to global"
        ),
    }
}

/// The argument as a generic pointer: its pointee in the generic space.
fn generic(types: &Types, arg: TypeId) -> Option<QualType> {
    let pointee = types.pointee(arg).filter(|p| p.space != AddressSpace::Constant)?;
    Some(QualType { space: AddressSpace::Generic, ..pointee })
}

fn to_space(types: &mut Types, space: AddressSpace, args: &[TypeId]) -> Option<Builtin> {
    let &[arg] = args else { return None };
    let pointee = generic(types, arg)?;
    let params = vec![types.pointer(pointee)];
    let ret = types.pointer(QualType { space, ..pointee });
    made("to_space", BuiltinOp::ToSpace(space), params, ret)
}

fn get_fence(types: &mut Types, args: &[TypeId]) -> Option<Builtin> {
    let &[arg] = args else { return None };
    let pointee = generic(types, arg)?;
    let params = vec![types.pointer(pointee)];
    made("get_fence", BuiltinOp::GetFence, params, Types::UINT)
}

fn copy_fence(types: &Types, args: &[TypeId]) -> Option<Builtin> {
    let &[flags] = args else { return None };
    let op = BuiltinOp::Barrier;
    is_scalar(types, flags)
        .then(|| made("async_work_group_copy_fence", op, vec![Types::UINT], Types::VOID))?
}

/// The pointers may be to anything; what they point to is copied by its bytes.
fn copy(types: &mut Types, three: bool, args: &[TypeId]) -> Option<Builtin> {
    use AddressSpace::{Global, Local};
    let numbers = if three { 10 } else { 7 };
    let (&event_arg, rest) = args.split_last()?;
    let &[to, to_offset, from, from_offset, ref sizes @ ..] = rest else { return None };
    let (target, source) = (types.pointee(to)?, types.pointee(from)?);
    if !matches!((target.space, source.space), (Local, Global) | (Global, Local)) || target.is_const {
        return None;
    }
    let scalars = sizes.iter().chain([&to_offset, &from_offset]);
    let event_ok = *types.get(event_arg) == Type::Event || is_scalar(types, event_arg);
    if sizes.len() + 2 != numbers || !scalars.into_iter().all(|s| is_scalar(types, *s)) || !event_ok {
        return None;
    }
    let byte = Types::scalar(crate::types::Scalar::Char);
    let (size, event) = (types.size_t(), event(types));
    let to = types.pointer(QualType { ty: byte, ..target });
    let from = types.pointer(QualType { ty: byte, ..source });
    let mut params = vec![to, size, from, size];
    params.resize(2 + numbers, size);
    params.push(event);
    let name = if three { "async_work_group_copy_3D3D" } else { "async_work_group_copy_2D2D" };
    made(name, BuiltinOp::AsyncCopyLines { planes: three }, params, event)
}

/// Every overload of this file's functions (for some pointees).
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    let (size, event) = (types.size_t(), event(types));
    if options.std >= LangVersion::Cl2_0 && options.has(Features::GENERIC_ADDRESS_SPACE) {
        let float4 = types.vector(crate::types::Scalar::Float, 4);
        for ty in [Types::INT, float4, Types::VOID] {
            for space in spaces(options) {
                let plain = pointer(types, ty, space);
                let constant = types.pointer(QualType { is_const: true, ..QualType::in_space(ty, space) });
                for arg in [plain, constant] {
                    for name in ["to_global", "to_local", "to_private", "get_fence"] {
                        out.push((name.to_owned(), vec![arg]));
                    }
                }
            }
        }
    }
    if options.has(Features::ASYNC_COPY_FENCE) {
        out.push(("async_work_group_copy_fence".to_owned(), vec![Types::UINT]));
    }
    if options.has(Features::EXTENDED_ASYNC_COPIES) {
        let global = pointer(types, Types::VOID, AddressSpace::Global);
        let local = pointer(types, Types::VOID, AddressSpace::Local);
        for (to, from) in [(local, global), (global, local)] {
            for (name, sizes) in [("2D2D", 5), ("3D3D", 8)] {
                let mut args = vec![to, size, from, size];
                args.resize(4 + sizes, size);
                args.push(event);
                out.push((format!("async_work_group_copy_{name}"), args));
            }
        }
    }
}

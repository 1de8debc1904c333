//! The functions of device-side enqueue (§6.15.19 "Enqueuing Kernels"): of events, queues and ND-ranges. Those that
//! take a block are only named here: the parser types them, which alone knows blocks.

use super::op::{Builtin, BuiltinOp, Family, Resolution};
use super::samples::{Sample, pointer};
use super::special::{is_scalar, made};
use crate::options::{Features, Options};
use crate::types::{AddressSpace, Opaque, QualType, Type, TypeId, Types};
use spirv::Op;

/// What a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Param {
    /// A value of an opaque type, or 0.
    Of(Opaque),
    Int,
    UInt,
    Size,
    /// `const clk_event_t *`
    EventList,
    /// `clk_event_t *`
    EventResult,
    /// `global void *`
    GlobalVoid,
    /// `const size_t[n]`
    Sizes,
}

use Param::*;

const EVENT: Param = Of(Opaque::ClkEvent);

/// What a function returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Result {
    Void,
    Bool,
    Integer,
    Opaque(Opaque),
}

/// A function that is one instruction.
struct Signature {
    name: &'static str,
    op: Op,
    ret: Result,
    params: &'static [Param],
    text: &'static str,
}

const FUNCTIONS: [Signature; 8] = [
    Signature {
        name: "enqueue_marker",
        op: Op::EnqueueMarker,
        ret: Result::Integer,
        params: &[Of(Opaque::Queue), UInt, EventList, EventResult],
        text: "int enqueue_marker(queue_t, uint, const clk_event_t *, clk_event_t *)",
    },
    Signature {
        name: "retain_event",
        op: Op::RetainEvent,
        ret: Result::Void,
        params: &[EVENT],
        text: "void retain_event(clk_event_t)",
    },
    Signature {
        name: "release_event",
        op: Op::ReleaseEvent,
        ret: Result::Void,
        params: &[EVENT],
        text: "void release_event(clk_event_t)",
    },
    Signature {
        name: "create_user_event",
        op: Op::CreateUserEvent,
        ret: Result::Opaque(Opaque::ClkEvent),
        params: &[],
        text: "clk_event_t create_user_event(void)",
    },
    Signature {
        name: "is_valid_event",
        op: Op::IsValidEvent,
        ret: Result::Bool,
        params: &[EVENT],
        text: "bool is_valid_event(clk_event_t)",
    },
    Signature {
        name: "set_user_event_status",
        op: Op::SetUserEventStatus,
        ret: Result::Void,
        params: &[EVENT, Int],
        text: "void set_user_event_status(clk_event_t, int)",
    },
    Signature {
        name: "capture_event_profiling_info",
        op: Op::CaptureEventProfilingInfo,
        ret: Result::Void,
        params: &[EVENT, Int, GlobalVoid],
        text: "void capture_event_profiling_info(clk_event_t, clk_profiling_info, global void *)",
    },
    Signature {
        name: "get_default_queue",
        op: Op::GetDefaultQueue,
        ret: Result::Opaque(Opaque::Queue),
        params: &[],
        text: "queue_t get_default_queue(void)",
    },
];

/// `ndrange_1D` and its kin: the number of dimensions.
fn dimensions(name: &str) -> Option<u8> {
    match name {
        "ndrange_1D" => Some(1),
        "ndrange_2D" => Some(2),
        "ndrange_3D" => Some(3),
        _ => None,
    }
}

/// A function that takes a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockFunction {
    /// `enqueue_kernel`
    Enqueue,
    /// A query of a block.
    Query(Op),
    /// A query of a block and an ND-range.
    RangeQuery(Op),
}

impl BlockFunction {
    /// All of them, by name.
    pub const ALL: [(&'static str, BlockFunction); 5] = [
        ("enqueue_kernel", BlockFunction::Enqueue),
        ("get_kernel_work_group_size", BlockFunction::Query(Op::GetKernelWorkGroupSize)),
        (
            "get_kernel_preferred_work_group_size_multiple",
            BlockFunction::Query(Op::GetKernelPreferredWorkGroupSizeMultiple),
        ),
        (
            "get_kernel_sub_group_count_for_ndrange",
            BlockFunction::RangeQuery(Op::GetKernelNDrangeSubGroupCount),
        ),
        (
            "get_kernel_max_sub_group_size_for_ndrange",
            BlockFunction::RangeQuery(Op::GetKernelNDrangeMaxSubGroupSize),
        ),
    ];

    /// The one of that name.
    pub fn find(name: &str) -> Option<BlockFunction> {
        Self::ALL.into_iter().find(|(n, _)| *n == name).map(|(_, function)| function)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, f)| *f == self).map_or("", |(name, _)| name)
    }

    /// The instruction that it is.
    pub fn op(self) -> Op {
        match self {
            BlockFunction::Enqueue => Op::EnqueueKernel,
            BlockFunction::Query(op) | BlockFunction::RangeQuery(op) => op,
        }
    }

    /// Returns whether it returns a number about a block.
    pub fn is_query(self) -> bool {
        self != BlockFunction::Enqueue
    }

    /// Returns whether it is of sub-groups (§6.15.20).
    pub fn needs_sub_groups(self) -> bool {
        matches!(self, BlockFunction::RangeQuery(_))
    }

    /// Its overloads as text.
    pub fn candidates(self) -> Vec<String> {
        let name = self.name();
        let blocks = ["void (^)(void)", "void (^)(local void *, ...)"];
        match self {
            BlockFunction::Enqueue => {
                let head = format!("int {name}(queue_t, kernel_enqueue_flags_t, const ndrange_t");
                let events = "uint, const clk_event_t *, clk_event_t *";
                let [plain, local] = blocks;
                vec![
                    format!("{head}, {plain})"),
                    format!("{head}, {events}, {plain})"),
                    format!("{head}, {local}, uint, ...)"),
                    format!("{head}, {events}, {local}, uint, ...)"),
                ]
            }
            BlockFunction::Query(_) => blocks.iter().map(|b| format!("uint {name}({b})")).collect(),
            BlockFunction::RangeQuery(_) => {
                blocks.iter().map(|b| format!("uint {name}(const ndrange_t, {b})")).collect()
            }
        }
    }
}

fn find(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|f| f.name == name)
}

/// These functions, for [`super::resolve`].
pub(super) const FAMILY: Family = Family { has: is_name, resolve };

fn is_name(name: &str) -> bool {
    find(name).is_some() || dimensions(name).is_some() || BlockFunction::find(name).is_some()
}

/// Resolves a call; `None` where the name is none of these.
fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Option<Resolution> {
    if !is_name(name) {
        return None;
    }
    if !options.has(Features::DEVICE_ENQUEUE) || BlockFunction::find(name).is_some() {
        return Some(Resolution::NotBuiltin);
    }
    let (found, candidates) = match (find(name), dimensions(name)) {
        (Some(function), _) => (call(types, function, args), vec![function.text.to_owned()]),
        (None, dimensions) => {
            let dimensions = dimensions.unwrap_or(1);
            (nd_range(types, dimensions, args), nd_range_texts(name, dimensions))
        }
    };
    Some(match found {
        Some(builtin) => Resolution::Match(builtin),
        None => Resolution::NoMatch(candidates),
    })
}

fn call(types: &mut Types, function: &Signature, args: &[TypeId]) -> Option<Builtin> {
    let params = parameters(types, function.params, args)?;
    let ret = match function.ret {
        Result::Void => Types::VOID,
        Result::Bool => Types::BOOL,
        Result::Integer => Types::INT,
        Result::Opaque(opaque) => types.intern(Type::Opaque(opaque)),
    };
    made(function.name, BuiltinOp::Op(function.op), params, ret)
}

/// The sizes: global; global and local; offset, global and local.
fn nd_range(types: &mut Types, dimensions: u8, args: &[TypeId]) -> Option<Builtin> {
    let param = if dimensions == 1 { Size } else { Sizes };
    let wanted = [param; 3];
    let params = parameters(types, wanted.get(..args.len()).filter(|p| !p.is_empty())?, args)?;
    let ret = types.intern(Type::Opaque(Opaque::NdRange));
    made("ndrange", BuiltinOp::NdRange { dimensions }, params, ret)
}

fn nd_range_texts(name: &str, dimensions: u8) -> Vec<String> {
    let param = match dimensions {
        1 => "size_t".to_owned(),
        n => format!("const size_t[{n}]"),
    };
    (1..=3).map(|n| format!("ndrange_t {name}({})", vec![param.as_str(); n].join(", "))).collect()
}

/// The parameter types that the arguments are converted to.
fn parameters(types: &mut Types, wanted: &[Param], args: &[TypeId]) -> Option<Vec<TypeId>> {
    if wanted.len() != args.len() {
        return None;
    }
    wanted.iter().zip(args).map(|(param, arg)| parameter(types, *param, *arg)).collect()
}

fn parameter(types: &mut Types, param: Param, arg: TypeId) -> Option<TypeId> {
    match param {
        Of(opaque) => {
            let ty = types.intern(Type::Opaque(opaque));
            (arg == ty || is_scalar(types, arg)).then_some(ty)
        }
        Int => is_scalar(types, arg).then_some(Types::INT),
        UInt => is_scalar(types, arg).then_some(Types::UINT),
        Size => is_scalar(types, arg).then(|| types.size_t()),
        EventList => event_pointer(types, arg, true),
        EventResult => event_pointer(types, arg, false),
        GlobalVoid => {
            let fits = match types.pointee(arg) {
                Some(pointee) => pointee.space == AddressSpace::Global && !pointee.is_const,
                None => false,
            };
            fits.then(|| types.pointer(QualType::in_space(Types::VOID, AddressSpace::Global)))
        }
        Sizes => {
            let pointee = types.pointee(arg).filter(|p| p.space != AddressSpace::Constant)?;
            (types.get(pointee.ty) == types.get(types.size_t())).then_some(arg)
        }
    }
}

/// A pointer to events, or a null pointer; passed as a pointer to the generic space.
pub(crate) fn event_pointer(types: &mut Types, arg: TypeId, may_be_const: bool) -> Option<TypeId> {
    let event = types.intern(Type::Opaque(Opaque::ClkEvent));
    let is_const = match types.pointee(arg) {
        Some(pointee) => {
            let fits = (pointee.ty == event || pointee.ty == Types::VOID)
                && pointee.space != AddressSpace::Constant
                && (may_be_const || !pointee.is_const);
            fits.then_some(pointee.is_const)?
        }
        None if is_scalar(types, arg) => false,
        None => return None,
    };
    let pointee = QualType { is_const, ..QualType::in_space(event, AddressSpace::Generic) };
    Some(types.pointer(pointee))
}

/// Every overload.
pub(super) fn samples(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    if !options.has(Features::DEVICE_ENQUEUE) {
        return;
    }
    let event = types.intern(Type::Opaque(Opaque::ClkEvent));
    let sizes = pointer(types, types.size_t(), AddressSpace::Private);
    for function in &FUNCTIONS {
        let args = function.params.iter().map(|p| match p {
            Of(opaque) => types.intern(Type::Opaque(*opaque)),
            Int => Types::INT,
            UInt => Types::UINT,
            Size => types.size_t(),
            EventList | EventResult => pointer(types, event, AddressSpace::Generic),
            GlobalVoid => pointer(types, Types::VOID, AddressSpace::Global),
            Sizes => sizes,
        });
        let args = args.collect();
        out.push((function.name.to_owned(), args));
    }
    for (name, size) in [("ndrange_1D", types.size_t()), ("ndrange_2D", sizes), ("ndrange_3D", sizes)] {
        out.extend((1..=3).map(|n| (name.to_owned(), vec![size; n])));
    }
}

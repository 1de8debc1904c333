use super::catalog::{Overload, overloads};
use super::*;
use crate::options::{AddressWidth, Features, LangVersion};
use crate::types::{AddressSpace, QualType, Scalar, Type};

struct World {
    types: Types,
    options: Options,
}

fn world() -> World {
    let options = Options {
        features: Features::all(),
        std: LangVersion::Cl2_0,
        address_width: AddressWidth::Bits64,
        ..Options::default()
    };
    World { types: Types::new(AddressWidth::Bits64), options }
}

impl World {
    /// `float4`, `global int*`, `constant half*`, `event`, `size`.
    fn ty(&mut self, text: &str) -> TypeId {
        if let Some(pointee) = text.strip_suffix('*') {
            let (space, pointee) = pointee.split_once(' ').unwrap_or(("private", pointee));
            let space = match space {
                "global" => AddressSpace::Global,
                "local" => AddressSpace::Local,
                "constant" => AddressSpace::Constant,
                _ => AddressSpace::Private,
            };
            let ty = self.ty(pointee);
            return self.types.pointer(QualType::in_space(ty, space));
        }
        use Scalar::*;
        match text {
            "void" => return Types::VOID,
            "event" => return self.types.intern(Type::Event),
            "size" => return self.types.size_t(),
            _ => {}
        }
        let digits = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
        let lanes = text[digits..].parse().unwrap_or(1);
        let scalar = [Bool, Char, UChar, Short, UShort, Int, UInt, Long, ULong, Half, Float, Double]
            .into_iter()
            .find(|s| s.name() == &text[..digits])
            .unwrap_or_else(|| panic!("type {text}"));
        self.types.vector(scalar, lanes)
    }

    fn list(&mut self, text: &str) -> Vec<TypeId> {
        text.split(',').filter(|t| !t.trim().is_empty()).map(|t| self.ty(t.trim())).collect()
    }

    fn call(&mut self, name: &str, args: &str) -> Resolution {
        let args = self.list(args);
        resolve(&mut self.types, &self.options, name, &args)
    }

    /// `name(args) → (params) ret`
    fn check(&mut self, name: &str, args: &str, params: &str, ret: &str) -> BuiltinOp {
        let (wanted, ret) = (self.list(params), self.ty(ret));
        match self.call(name, args) {
            Resolution::Match(b) => {
                assert_eq!((&b.params, b.ret), (&wanted, ret), "{name}({args}): {b:?}");
                b.op
            }
            other => panic!("{name}({args}): {other:?}"),
        }
    }
}

#[test]
fn math() {
    let mut w = world();
    assert_eq!(w.check("sqrt", "float", "float", "float"), BuiltinOp::ExtInst(ext::SQRT));
    w.check("sqrt", "int", "float", "float");
    w.check("sqrt", "double4", "double4", "double4");
    w.check("pow", "float, int", "float, float", "float");
    w.check("pow", "int, double", "double, double", "double");
    w.check("pow", "float4, float", "float4, float4", "float4");
    w.check("fmax", "float4, int", "float4, float4", "float4");
    w.check("ldexp", "float4, int", "float4, int4", "float4");
    w.check("pown", "half, int", "half, int", "half");
    w.check("ilogb", "double2", "double2", "int2");
    w.check("nan", "int", "uint", "float");
    w.check("nan", "ulong2", "ulong2", "double2");
    w.check("native_sin", "double", "float", "float");
    w.check("fma", "float,float,double", "double,double,double", "double");
    assert_eq!(
        w.check("fract", "float3, private float3*", "float3, float3*", "float3"),
        BuiltinOp::ExtInst(ext::FRACT)
    );
    w.check("sincos", "double, global float*", "float, global float*", "float");
    w.check("frexp", "float8, local int8*", "float8, local int8*", "float8");
    w.check("remquo", "float,float,int*", "float,float,int*", "float");
    assert!(matches!(w.call("fract", "float, constant float*"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("sqrt", "int4"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("sqrt", "float*"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("pow", "float"), Resolution::NoMatch(_)));
    w.options.features = Features::INT64;
    assert_eq!(w.call("sqrt", "double"), Resolution::NeedsFeature("cl_khr_fp64"));
    assert_eq!(w.call("convert_half", "float"), Resolution::NeedsFeature("cl_khr_fp16"));
}

#[test]
fn integers_and_common() {
    let mut w = world();
    assert_eq!(w.check("max", "int, uint", "uint,uint", "uint"), BuiltinOp::ExtInst(ext::U_MAX));
    assert_eq!(w.check("min", "int, int", "int,int", "int"), BuiltinOp::ExtInst(ext::S_MIN));
    assert_eq!(w.check("max", "float, int", "float,float", "float"), BuiltinOp::ExtInst(ext::FMAX_COMMON));
    w.check("min", "size, int", "size, size", "size");
    w.check("max", "uchar, uchar", "uchar,uchar", "uchar");
    w.check("max", "uchar, int", "int,int", "int");
    w.check("clamp", "uchar4, int, int", "uchar4,uchar4,uchar4", "uchar4");
    w.check("clamp", "float4, float, float", "float4,float4,float4", "float4");
    w.check("clamp", "int, float, int", "float,float,float", "float");
    assert_eq!(w.check("abs", "char4", "char4", "uchar4"), BuiltinOp::ExtInst(ext::S_ABS));
    w.check("abs_diff", "int,int", "int,int", "uint");
    w.check("mul24", "size, size", "uint,uint", "uint");
    w.check("mad24", "int, int, uint", "uint,uint,uint", "uint");
    w.check("upsample", "char2, uchar2", "char2,uchar2", "short2");
    w.check("upsample", "uint, uint", "uint,uint", "ulong");
    w.check("popcount", "ulong", "ulong", "ulong");
    w.check("rotate", "uint, int", "uint,uint", "uint");
    w.check("clz", "short", "short", "short");
    w.check("mix", "float4, float4, float", "float4,float4,float4", "float4");
    w.check("smoothstep", "float, float, float2", "float2,float2,float2", "float2");
    w.check("step", "double, double", "double,double", "double");
    assert!(matches!(w.call("abs", "float"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("max", "float4, int4"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("max", "float4, float3"), Resolution::NoMatch(_)));
}

#[test]
fn geometric_and_relational() {
    let mut w = world();
    assert_eq!(w.check("dot", "float3,float3", "float3,float3", "float"), BuiltinOp::Op(spirv::Op::Dot));
    assert_eq!(w.check("dot", "float,float", "float,float", "float"), BuiltinOp::Op(spirv::Op::FMul));
    w.check("cross", "float4,float4", "float4,float4", "float4");
    w.check("length", "double2", "double2", "double");
    w.check("fast_normalize", "float3", "float3", "float3");
    assert!(matches!(w.call("cross", "float2,float2"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("length", "float8"), Resolution::NoMatch(_)));
    assert_eq!(
        w.check("isless", "float,float", "float,float", "int"),
        BuiltinOp::Relational(spirv::Op::FOrdLessThan)
    );
    w.check("isnan", "double", "double", "int");
    w.check("isnan", "double4", "double4", "long4");
    w.check("any", "int4", "int4", "int");
    w.check("all", "bool", "int", "int");
    w.check("select", "float,float,int", "float,float,int", "float");
    w.check("select", "float4,float4,uint4", "float4,float4,uint4", "float4");
    w.check("select", "double,double,int", "double,double,long", "double");
    w.check("select", "float4,float4,int", "float4,float4,int4", "float4");
    w.check("bitselect", "uchar4,uchar4,uchar4", "uchar4,uchar4,uchar4", "uchar4");
    assert!(matches!(w.call("select", "float4,float4,long4"), Resolution::NoMatch(_)));
}

#[test]
fn work_items_and_barriers() {
    let mut w = world();
    let op = w.check("get_global_id", "int", "uint", "size");
    assert!(matches!(
        op,
        BuiltinOp::WorkItem { variable: spirv::BuiltIn::GlobalInvocationId, indexed: true, .. }
    ));
    w.check("get_work_dim", "", "", "uint");
    w.check("get_global_linear_id", "", "", "size");
    assert_eq!(w.check("barrier", "int", "uint", "void"), BuiltinOp::Barrier);
    w.check("work_group_barrier", "uint,int", "uint,int", "void");
    w.check("mem_fence", "uint", "uint", "void");
    w.options.std = LangVersion::Cl1_2;
    assert_eq!(w.call("get_global_linear_id", ""), Resolution::NotBuiltin);
    assert_eq!(w.call("no_such_function", ""), Resolution::NotBuiltin);
    assert!(
        is_builtin_name("barrier") && is_builtin_name("convert_int3_rtp") && !is_builtin_name("convert_foo")
    );
}

#[test]
fn memory() {
    let mut w = world();
    assert_eq!(
        w.check("vload4", "int, constant float*", "size, constant float*", "float4"),
        BuiltinOp::ExtInstLanes(ext::VLOADN)
    );
    w.check("vstore3", "uchar3, uint, global uchar*", "uchar3, size, global uchar*", "void");
    assert!(matches!(w.call("vstore4", "float4, int, constant float*"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("vstore4", "float3, int, global float*"), Resolution::NoMatch(_)));
    w.check("vload_half", "int, global half*", "size, global half*", "float");
    assert_eq!(
        w.check("vloada_half3", "int, global half*", "size, global half*", "float3"),
        BuiltinOp::ExtInstLanes(ext::VLOADA_HALFN)
    );
    assert_eq!(
        w.check("vstore_half4_rtz", "float4, int, local half*", "float4, size, local half*", "void"),
        BuiltinOp::ExtInstRounded(ext::VSTORE_HALFN_R, Rounding::ToZero)
    );
    w.check("vstore_half", "double, int, global half*", "double, size, global half*", "void");
    assert_eq!(
        w.check("atomic_add", "global int*, uint", "global int*, int", "int"),
        BuiltinOp::Atomic(spirv::Op::AtomicIAdd)
    );
    assert_eq!(
        w.check("atomic_max", "local uint*, int", "local uint*, uint", "uint"),
        BuiltinOp::Atomic(spirv::Op::AtomicUMax)
    );
    w.check("atom_inc", "global ulong*", "global ulong*", "ulong");
    w.check("atomic_xchg", "global float*, float", "global float*, float", "float");
    w.check("atomic_cmpxchg", "global int*,int,int", "global int*,int,int", "int");
    assert!(matches!(w.call("atomic_add", "float*, float"), Resolution::NoMatch(_)));
    assert!(matches!(w.call("atomic_add", "int*, int"), Resolution::NoMatch(_)));
    w.check(
        "async_work_group_copy",
        "local float4*, global float4*, int, int",
        "local float4*, global float4*, size, event",
        "event",
    );
    w.check(
        "async_work_group_strided_copy",
        "global int*, local int*, int, int, event",
        "global int*, local int*, size, size, event",
        "event",
    );
    w.check("wait_group_events", "int, event*", "int, event*", "void");
    w.check("prefetch", "global float*, int", "global float*, size", "void");
}

#[test]
fn conversions_and_shuffles() {
    let mut w = world();
    assert_eq!(
        w.check("convert_uchar4_sat_rte", "float4", "float4", "uchar4"),
        BuiltinOp::Convert { saturate: true, rounding: Some(Rounding::ToNearestEven) }
    );
    w.check("convert_float", "bool", "bool", "float");
    assert_eq!(w.call("convert_float_sat", "int"), Resolution::NotBuiltin);
    assert!(matches!(w.call("convert_int4", "float3"), Resolution::NoMatch(_)));
    assert_eq!(w.check("as_float4", "int4", "int4", "float4"), BuiltinOp::AsType);
    w.check("as_uchar4", "uint", "uint", "uchar4");
    w.check("as_float3", "int4", "int4", "float3");
    assert!(matches!(w.call("as_float", "short"), Resolution::NoMatch(_)));
    w.check("as_int", "char3", "char3", "int");
    w.check("as_char3", "short2", "short2", "char3");
    assert!(matches!(w.call("as_short3", "int3"), Resolution::NoMatch(_)));
    assert_eq!(
        w.check("shuffle", "float4, uint8", "float4, uint8", "float8"),
        BuiltinOp::Shuffle { two: false }
    );
    w.check("shuffle2", "short2,short2,ushort4", "short2,short2,ushort4", "short4");
    assert!(matches!(w.call("shuffle", "float4, int4"), Resolution::NoMatch(_)));
}

/// One function per overload that calls it.
fn calls(overloads: &[Overload]) -> String {
    let mut text = String::new();
    for (number, overload) in overloads.iter().enumerate() {
        let declared: Vec<_> = overload.params.iter().enumerate().map(|(i, p)| format!("{p} a{i}")).collect();
        let mut args: Vec<_> = (0..overload.params.len()).map(|i| format!("a{i}")).collect();
        if let (true, Some(last)) = (overload.last_is_constant, args.last_mut()) {
            *last = "4".to_owned();
        }
        let result = match overload.ret.as_str() {
            "void" => String::new(),
            ret => format!("{ret} r = "),
        };
        let (params, args, name) = (declared.join(", "), args.join(", "), &overload.name);
        text += &format!("void t{number}({params}) {{ {result}{name}({args}); }}\n");
    }
    text
}

/// Every overload of every builtin function, in every language version, compiles to SPIR-V. (That the validator takes
/// it is a test of the workspace's: this crate does not have it.)
#[test]
fn every_overload_compiles() {
    use LangVersion::*;
    for std in [Cl1_0, Cl1_1, Cl1_2, Cl2_0, Cl3_0, Cl3_1] {
        let options = Options { std, device_version: 310, ..world().options };
        let (overloads, missing) = overloads(&options);
        assert!(
            missing.is_empty(),
            "{std:?}: {} missing: {:#?}",
            missing.len(),
            &missing[..20.min(missing.len())]
        );
        assert!(overloads.len() > 10_000, "{}", overloads.len());
        println!("{std:?}: {} overloads", overloads.len());
        let compiled = crate::compile("table.cl", &calls(&overloads), &options);
        let log = crate::diag::render(&compiled.diagnostics, &compiled.sources, crate::diag::Style::Line);
        let log: Vec<_> = log.lines().take(20).collect();
        assert!(compiled.spirv.is_some() && log.is_empty(), "{std:?}: {log:#?}");
    }
}

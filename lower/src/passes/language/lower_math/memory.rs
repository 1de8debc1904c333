//! Lowering of vector loads and stores, half loads and stores, and shuffles (OpenCL C §6.15.7, §6.15.13).

use super::{Call, library::Library};
use crate::error::LowerError;
use crate::ir::{BinaryOp, ConvertOp, InstKind, MemFlags, Place, Scalar, Type, Value};
use crate::transform::rewriter::Rewriter;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as CLOp;

/// Rewrites a function on memory or lanes. `Some(None)` means that it has no result.
pub(super) fn rewrite(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    library: &mut Library,
) -> Result<Option<Option<Value>>, LowerError> {
    let ty = call.ty;
    Ok(Some(match call.op {
        CLOp::vloadn => {
            let scalar = ty.scalar().unwrap_or(Scalar::F32);
            let pointer = element(rw, call.arg(1)?, call.arg(0)?, scalar.bytes() * u32::from(ty.lanes()));
            let flags = MemFlags { align: scalar.bytes(), volatile: false };
            Some(rw.load(Place::Pointer(pointer), ty, flags))
        }
        CLOp::vstoren => {
            let value = call.arg(0)?;
            let ty = rw.f.ty(value);
            let scalar = ty.scalar().unwrap_or(Scalar::F32);
            let pointer = element(rw, call.arg(2)?, call.arg(1)?, ty.bytes());
            rw.store(Place::Pointer(pointer), value, MemFlags { align: scalar.bytes(), volatile: false });
            None
        }
        CLOp::vload_half | CLOp::vload_halfn => {
            let halves = ty.with_scalar(Scalar::I16);
            let pointer = element(rw, call.arg(1)?, call.arg(0)?, halves.bytes());
            Some(load_halves(rw, call, pointer, 2, library)?)
        }
        CLOp::vloada_halfn => {
            let bytes = 2 * u32::from(ty.lanes()).next_power_of_two();
            let pointer = element(rw, call.arg(1)?, call.arg(0)?, bytes);
            Some(load_halves(rw, call, pointer, bytes, library)?)
        }
        CLOp::vstore_half | CLOp::vstore_half_r | CLOp::vstore_halfn | CLOp::vstore_halfn_r => {
            let bytes = 2 * u32::from(rw.f.ty(call.arg(0)?).lanes());
            store_halves(rw, call, bytes, 2, library)?;
            None
        }
        CLOp::vstorea_halfn | CLOp::vstorea_halfn_r => {
            let bytes = 2 * u32::from(rw.f.ty(call.arg(0)?).lanes()).next_power_of_two();
            store_halves(rw, call, bytes, bytes, library)?;
            None
        }
        CLOp::shuffle => {
            let source = call.arg(0)?;
            Some(shuffle(rw, &[source], call.arg(1)?, ty))
        }
        CLOp::shuffle2 => {
            let sources = [call.arg(0)?, call.arg(1)?];
            Some(shuffle(rw, &sources, call.arg(2)?, ty))
        }
        CLOp::prefetch => None,
        _ => return Ok(None),
    }))
}

/// pointer + index × bytes.
fn element(rw: &mut Rewriter<'_>, pointer: Value, index: Value, bytes: u32) -> Value {
    let ty = rw.f.ty(pointer);
    rw.inst(InstKind::PtrAdd { base: pointer, index, scale: bytes.into() }, ty)
}

fn load_halves(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    pointer: Value,
    align: u32,
    library: &mut Library,
) -> Result<Value, LowerError> {
    let flags = MemFlags { align, volatile: false };
    let bits = rw.load(Place::Pointer(pointer), call.ty.with_scalar(Scalar::I16), flags);
    if call.device.exact_halves {
        let halves = rw.bitcast(bits, call.ty.with_scalar(Scalar::F16));
        return Ok(rw.convert(ConvertOp::FloatToFloat, halves, call.ty));
    }
    let words = rw.int_cast(bits, call.ty.with_scalar(Scalar::I32), false);
    let floats = library.call(rw, "half_to_float", &[words], call.ty.with_scalar(Scalar::F32));
    let floats = floats.ok_or_else(|| call.not_yet())?;
    match call.ty.scalar() {
        Some(Scalar::F32) => Ok(floats),
        _ => Ok(rw.convert(ConvertOp::FloatToFloat, floats, call.ty)),
    }
}

/// The rounding mode is the last operand of the `_r` forms (SPIR-V's FPRoundingMode).
fn store_halves(
    rw: &mut Rewriter<'_>,
    call: &Call<'_>,
    bytes: u32,
    align: u32,
    library: &mut Library,
) -> Result<(), LowerError> {
    let value = call.arg(0)?;
    let ty = rw.f.ty(value);
    let mode = match call.args.get(3) {
        Some(mode) => rw.f.const_bits(*mode).unwrap_or(0),
        None => 0,
    };
    let value = match ty.scalar() {
        Some(Scalar::F32) => value,
        // A float that rounds to the same half as the double.
        Some(Scalar::F64) => library
            .call(rw, "nearby_float", &[value], ty.with_scalar(Scalar::F32))
            .ok_or_else(|| call.not_yet())?,
        _ => return Err(call.not_yet()),
    };
    let name = match mode {
        0 => "float_to_half_rte",
        1 => "float_to_half_rtz",
        2 => "float_to_half_rtp",
        _ => "float_to_half_rtn",
    };
    let halves = if call.device.exact_halves && mode == 0 {
        let halves = rw.convert(ConvertOp::FloatToFloat, value, ty.with_scalar(Scalar::F16));
        rw.bitcast(halves, ty.with_scalar(Scalar::I16))
    } else {
        let words = library.call(rw, name, &[value], ty.with_scalar(Scalar::I32));
        rw.int_cast(words.ok_or_else(|| call.not_yet())?, ty.with_scalar(Scalar::I16), false)
    };
    let pointer = element(rw, call.arg(2)?, call.arg(1)?, bytes);
    rw.store(Place::Pointer(pointer), halves, MemFlags { align, volatile: false });
    Ok(())
}

/// Lanes of the concatenated sources, chosen by the low bits of the mask's lanes.
fn shuffle(rw: &mut Rewriter<'_>, sources: &[Value], mask: Value, ty: Type) -> Value {
    let from = rw.f.ty(sources[0]);
    let per_source = from.lanes();
    let index_ty = rw.f.ty(mask).element();
    let lanes: SmallVec<[Value; 16]> = (0..ty.lanes())
        .map(|lane| {
            let index = rw.extract(mask, lane);
            let low = rw.binary_const(BinaryOp::And, index, u64::from(per_source - 1));
            let low = rw.int_cast(low, Type::I32, false);
            let mut chosen = rw.inst(InstKind::ExtractDyn(sources[0], low), from.element());
            if let Some(second) = sources.get(1) {
                let other = rw.inst(InstKind::ExtractDyn(*second, low), from.element());
                let high = rw.binary_const(BinaryOp::And, index, u64::from(per_source));
                let zero = rw.iconst(index_ty, 0);
                let in_second = rw.icmp(crate::ir::IntCC::Ne, high, zero);
                chosen = rw.inst(InstKind::Select(in_second, other, chosen), from.element());
            }
            chosen
        })
        .collect();
    rw.construct(&lanes, ty)
}

#[cfg(test)]
mod tests {
    use super::CLOp;
    use crate::LowerOptions;
    use crate::Target;
    use crate::context::PassContext;
    use crate::ir::{text, verify};
    use crate::passes::language::lower_math;

    /// A load and a store of a half after the pass, for a device with the float controls of a width or without.
    fn lowered(controls: [bool; 3], independent: bool, rounding: u32) -> String {
        let source = format!(
            "module read bits=64\nfunc f0 \"f\" returns ()\nb0(v0: ptr.global, v1: i64):\n  \
             v2: f32 = extinst {}(v1, v0)\n  extinst {}(v2, v1, v0, i32:{rounding})\n  return()\n",
            CLOp::vload_half as u32,
            CLOp::vstore_half_r as u32
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let mut target = Target::minimum();
        let f = &mut target.features;
        (f.shader_float16, f.shader_int16) = (true, true);
        f.shader_signed_zero_inf_nan_preserve = [true; 3];
        (f.shader_denorm_preserve, f.shader_rounding_mode_rte) = (controls, controls);
        (f.denorm_behavior_independence_all, f.rounding_mode_independence_all) = (independent, independent);
        let context = PassContext { target: &target, options: &LowerOptions::default() };
        lower_math::run(&mut module, &context).expect("halves");
        verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
        module.to_string()
    }

    #[test]
    fn exact_devices_convert_halves_themselves() {
        let conversions = |text: &str| text.matches("convert.floattofloat").count();
        for (controls, independent) in [([true, false, false], true), ([true; 3], false)] {
            assert_eq!(conversions(&lowered(controls, independent, 0)), 2, "{controls:?}");
            // Only rounding to nearest even is the device's.
            assert_eq!(conversions(&lowered(controls, independent, 1)), 1, "{controls:?}");
        }
        for (controls, independent) in [([false; 3], true), ([true, false, false], false)] {
            assert_eq!(conversions(&lowered(controls, independent, 0)), 0, "{controls:?}");
        }
    }
}

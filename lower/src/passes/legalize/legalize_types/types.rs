//! Type check: types that the target lacks are refused by the name of the feature.
//!
//! 64-bit integers pass: `split_int64` splits them after as many as possible have become 32-bit ones.

use crate::error::LowerError;
use crate::ir::{Function, Scalar};
use crate::target::Target;

/// Refuses a function that uses a type that the target lacks.
pub(super) fn check(f: &Function, target: &Target, name: &str) -> Result<(), LowerError> {
    let features = &target.features;
    let results = f.layout.iter().flat_map(|block| {
        let block = &f.blocks[*block];
        block.params.iter().chain(block.insts.iter().flat_map(|i| f.insts[*i].results.iter()))
    });
    for value in results {
        let needs = match f.ty(*value).scalar() {
            Some(Scalar::F64) if !features.shader_float64 => "double (shaderFloat64)",
            Some(Scalar::F16) if !features.shader_float16 => "half arithmetic (shaderFloat16)",
            Some(Scalar::I16) if !features.shader_int16 => "16-bit integers (shaderInt16)",
            Some(Scalar::I8) if !features.shader_int8 => "8-bit integers (shaderInt8)",
            _ => continue,
        };
        return Err(LowerError::Unsupported {
            kernel: name.to_owned(),
            device: target.name.clone(),
            needs: needs.to_owned(),
        });
    }
    Ok(())
}

//! Math builtin lowering: OpenCL.std functions become IR operations, GLSL.std.450 instructions or calls into the math library.
//!
//! ```text
//! mad_hi(a, b, c)   →   mul_hi(a, b) + c              fmax(x, y)   →   GLSL NMax              exp(x)   →   call pumice_exp(x)
//! ```
//!
//! | functions | lowering |
//! |---|---|
//! | integer, `abs` … `upsample` | [`integer`]: arithmetic that wraps |
//! | rounding, min/max, common, geometric | [`float`], [`geometric`]: exact operations and GLSL's |
//! | `exp`, `sin`, `pow` … | [`library`]: written in OpenCL C (`lower/mathlib`), as Vulkan's own are not precise enough (OpenCL C §7.4 against the Vulkan specification's "Precision of GLSL.std.450 Instructions") |
//! | `native_*`, `half_*` | GLSL's own, at the device's precision |
//! | `vload`, `vstore`, `shuffle` | [`memory`] |
//! | `printf` | none: `lower_printf` lowers it |

mod float;
mod geometric;
mod integer;
pub(crate) mod library;
mod memory;
mod packed;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{Func, Function, Inst, InstKind, Module, Scalar, Type, Value};
use crate::passes::optimize::mem2reg;
use crate::transform::rewriter::Rewriter;
use library::Library;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use spirv::OpenclStd100Op as CLOp;

/// The call that is being rewritten.
struct Call<'a> {
    /// The function's name, for messages.
    op: CLOp,
    args: SmallVec<[Value; 4]>,
    /// The type of the result. Void functions have [`Type::I32`] and no result.
    ty: Type,
    /// The function that contains the call.
    within: &'a str,
    device: DeviceFacts,
}

/// The facts of the device that the functions depend on.
#[derive(Clone, Copy)]
struct DeviceFacts {
    /// Saturating 64-bit sums avoid comparisons.
    wide_by_bits: bool,
    /// Conversions between half and float are instructions.
    exact_halves: bool,
}

impl Call<'_> {
    fn not_yet(&self) -> LowerError {
        let of_type = match self.ty.scalar() {
            Some(Scalar::F64) => " of double",
            Some(Scalar::F16) => " of half",
            _ => "",
        };
        LowerError::NotYet {
            kernel: self.within.to_owned(),
            what: format!("the function {:?}{of_type}", self.op),
        }
    }

    /// Argument n.
    ///
    /// # Errors
    /// [`LowerError::InvalidModule`] if there are fewer.
    fn arg(&self, n: usize) -> Result<Value, LowerError> {
        self.args.get(n).copied().ok_or_else(|| {
            LowerError::InvalidModule(format!("OpenCL.std {:?} has too few operands", self.op))
        })
    }
}

/// Runs the pass.
///
/// # Errors
/// [`LowerError::NotYet`] for functions without a lowering, [`LowerError::InvalidModule`] for calls
/// with the wrong operands.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let mut library = Library::new(module, cx.target);
    let device = DeviceFacts {
        wide_by_bits: cx.target.quirks.wrong_int64_overflow_checks,
        exact_halves: cx.target.has_exact_half_conversions(),
    };
    for func in module.functions.keys().collect::<Vec<_>>() {
        run_function(module, func, &mut library, device)?;
    }
    library.finish(module);
    Ok(())
}

fn run_function(
    module: &mut Module,
    func: Func,
    library: &mut Library,
    device: DeviceFacts,
) -> Result<(), LowerError> {
    let f = &mut module.functions[func];
    let uses_library = |kind: &InstKind| {
        // `printf` stays until its format is known.
        matches!(kind, InstKind::ExtInst { number, .. } if *number != CLOp::printf as u32)
    };
    if !f.insts.values().any(|i| uses_library(&i.kind)) {
        return Ok(());
    }
    if has_both_sines(f) {
        // Promotion makes equal arguments equal values.
        mem2reg::run_function(f, module.address_bits);
    }
    let name = f.name.clone();
    let mut map = FxHashMap::default();
    for index in 0..f.layout.len() {
        let block = f.layout[index];
        if !f.blocks[block].insts.iter().any(|inst| uses_library(&f.insts[*inst].kind)) {
            continue;
        }
        library.begin_block();
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        for inst in insts {
            rw.at(inst);
            if !uses_library(&rw.f.insts[inst].kind) {
                rw.keep(inst);
                continue;
            }
            let new = rewrite(&mut rw, inst, &name, library, device)?;
            if let (Some(old), Some(new)) = (rw.f.insts[inst].results.first().copied(), new) {
                map.insert(old, new);
            }
        }
        rw.finish_block(block);
    }
    f.replace_uses(&map);
    Ok(())
}

/// Returns whether a function calls both the sine and the cosine, maybe of one argument.
fn has_both_sines(f: &Function) -> bool {
    let calls = |wanted: CLOp| {
        let is =
            |kind: &InstKind| matches!(kind, InstKind::ExtInst { number, .. } if *number == wanted as u32);
        f.insts.values().any(|inst| is(&inst.kind))
    };
    calls(CLOp::sin) && calls(CLOp::cos)
}

fn rewrite(
    rw: &mut Rewriter<'_>,
    inst: Inst,
    within: &str,
    library: &mut Library,
    device: DeviceFacts,
) -> Result<Option<Value>, LowerError> {
    let InstKind::ExtInst { number, args } = rw.f.insts[inst].kind.clone() else { return Ok(None) };
    let Some(op) = CLOp::from_u32(number) else {
        return Err(LowerError::InvalidModule(format!("OpenCL.std has no instruction {number}")));
    };
    let ty = rw.f.insts[inst].results.first().map_or(Type::I32, |r| rw.f.ty(*r));
    let call = Call { op, args, ty, within, device };
    if let Some(done) = memory::rewrite(rw, &call, library)? {
        return Ok(done);
    }
    if let Some(value) = integer::rewrite(rw, &call)? {
        return Ok(Some(value));
    }
    if let Some(value) = geometric::rewrite(rw, &call)? {
        return Ok(Some(value));
    }
    // Half functions are computed in float, which makes every one precise enough.
    let of_half = |v: &Value| rw.f.ty(*v).scalar() == Some(Scalar::F16);
    if (ty.scalar() == Some(Scalar::F16) || op == CLOp::ilogb && call.args.iter().any(of_half))
        && let Some(value) = float::in_float(rw, &call, library)?
    {
        return Ok(Some(value));
    }
    float::rewrite(rw, &call, library)?.map(Some).ok_or_else(|| call.not_yet())
}

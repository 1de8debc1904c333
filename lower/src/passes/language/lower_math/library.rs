//! The math library: functions written in OpenCL C (`lower/mathlib/*.cl`), shipped promoted and simplified.
//!
//! Each function is unpacked from `lower/mathlib/*.packed` (see [`packed`](super::packed)) when a module first needs it.
//! It is then copied into the module.
//!
//! A function `f` on floats is `pumice_f`, on doubles `pumice_f_d`. Vectors call it for each lane.
//! Image functions take and give whole values.
//! Each kind is a file of its own, and the files share nothing.
//!
//! A test compiles the sources with our own front end and compares the result.
//! After a change of a source, or of promotion and simplification, this command writes the files:
//! `PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib math::library`.

use super::packed::Packed;
use crate::ir::{Func, Function, InstKind, Module, Scalar, Type, Value, ValueDef};
use crate::target::Target;
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The functions of the library that a module uses.
pub(crate) struct Library {
    /// Functions by kind and index, and their handles in the module under work.
    imported: FxHashMap<(Kind, usize), Func>,
    /// The first free handle of the module.
    first: u32,
    added: Vec<Function>,
    /// The reduced arguments of `sin` and `cos` in the block under work, by lane.
    reduced: FxHashMap<(Value, u8), Value>,
    /// True if the library is empty, for its own code.
    empty: bool,
    /// True if `fma` is the library's, because the device's Fma does not fuse.
    pub unfused_fma: bool,
    /// True if exponentials use the device's Exp2.
    pub precise_exp2: bool,
    /// True if the device's quotients are slow.
    pub slow_float_division: bool,
    /// True if the device's logarithms fail for denormals.
    pub wrong_denormal_logs: bool,
    /// True if the device has doubles.
    pub doubles: bool,
}

/// The functions of floats whose error exceeds its bound where denormals are flushed.
const NEED_DENORMALS: [&str; 7] = ["pow", "powr", "pown", "rootn", "log1p", "sinh", "cosh"];

/// The files of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Float,
    Double,
    Image,
}

/// A file of the library.
struct File {
    packed: Packed,
    /// The unpacked functions, in the index's order. `None` for a damaged one.
    read: OnceLock<Vec<OnceLock<Option<Read>>>>,
}

/// An unpacked function.
struct Read {
    function: Function,
    /// The indices of the functions that it calls. They are the handles in it.
    calls: SmallVec<[Func; 4]>,
}

static FLOAT: File = File {
    packed: Packed { bytes: include_bytes!("../../../../mathlib/float.packed") },
    read: OnceLock::new(),
};
static IMAGE: File = File {
    packed: Packed { bytes: include_bytes!("../../../../mathlib/image.packed") },
    read: OnceLock::new(),
};
static DOUBLE: File = File {
    packed: Packed { bytes: include_bytes!("../../../../mathlib/double.packed") },
    read: OnceLock::new(),
};

impl Kind {
    fn file(self) -> &'static File {
        match self {
            Kind::Float => &FLOAT,
            Kind::Double => &DOUBLE,
            Kind::Image => &IMAGE,
        }
    }
}

impl File {
    /// Function n.
    fn function(&'static self, n: usize) -> Option<&'static Read> {
        let new = || (0..self.packed.count()).map(|_| OnceLock::new()).collect();
        self.read.get_or_init(new).get(n)?.get_or_init(|| self.unpack(n)).as_ref()
    }

    fn unpack(&self, n: usize) -> Option<Read> {
        let mut function = self.packed.function(n)?;
        function.simplified = true;
        let called = function.insts.values().filter_map(|inst| match &inst.kind {
            InstKind::Call { func, .. } => Some(*func),
            _ => None,
        });
        let mut calls: SmallVec<[Func; 4]> = called.collect();
        calls.sort_unstable();
        calls.dedup();
        // The library has no recursion, because front ends refuse it.
        Some(Read { function, calls })
    }
}

impl Library {
    /// The library for a module, with nothing imported yet.
    pub fn new(module: &Module, target: &Target) -> Self {
        Library {
            imported: FxHashMap::default(),
            first: module.functions.len() as u32,
            added: Vec::new(),
            reduced: FxHashMap::default(),
            empty: false,
            unfused_fma: target.quirks.unfused_fma,
            precise_exp2: target.quirks.precise_exp2,
            slow_float_division: target.quirks.slow_float_division,
            wrong_denormal_logs: target.quirks.wrong_denormal_logs,
            doubles: target.features.shader_float64,
        }
    }

    /// Calls a library function lane by lane. `None` if the library has none of that name and type.
    pub fn call(&mut self, rw: &mut Rewriter<'_>, name: &str, args: &[Value], ty: Type) -> Option<Value> {
        let double = ty.scalar() == Some(Scalar::F64)
            || args.iter().any(|a| rw.f.ty(*a).scalar() == Some(Scalar::F64));
        let (kind, suffix) = if double { (Kind::Double, "_d") } else { (Kind::Float, "") };
        let place = kind.file().packed.find(&format!("pumice_{name}{suffix}"))?;
        let func = self.import(kind, place)?;
        rw.f.needs_denormals |= !double && NEED_DENORMALS.contains(&name);
        let lanes: SmallVec<[Value; 16]> = (0..ty.lanes())
            .map(|lane| {
                let args = args.iter().map(|a| rw.extract(*a, lane)).collect();
                rw.inst(InstKind::Call { func, args, pure: false }, ty.element())
            })
            .collect();
        Some(rw.construct(&lanes, ty))
    }

    /// Calls a library function with two results lane by lane. The first result has the type `ty`, the second is a 32-bit integer.
    pub fn call_both(
        &mut self,
        rw: &mut Rewriter<'_>,
        name: &str,
        args: &[Value],
        ty: Type,
    ) -> Option<(Value, Value)> {
        let double = ty.scalar() == Some(Scalar::F64);
        let (kind, suffix, bits) =
            if double { (Kind::Double, "_d", Scalar::I64) } else { (Kind::Float, "", Scalar::I32) };
        let place = kind.file().packed.find(&format!("pumice_{name}{suffix}"))?;
        let func = self.import(kind, place)?;
        let (mut first, mut second): (SmallVec<[Value; 16]>, SmallVec<[Value; 16]>) = Default::default();
        for lane in 0..ty.lanes() {
            let args = args.iter().map(|a| rw.extract(*a, lane)).collect();
            let both = rw.inst(InstKind::Call { func, args, pure: false }, Type::Vector(bits, 2));
            let (a, b) = (rw.extract(both, 0), rw.extract(both, 1));
            first.push(rw.bitcast(a, ty.element()));
            second.push(rw.int_cast(b, Type::I32, false));
        }
        Some((rw.construct(&first, ty), rw.construct(&second, ty.with_scalar(Scalar::I32))))
    }

    /// Starts another block, which values of the last one may not dominate.
    pub fn begin_block(&mut self) {
        self.reduced.clear();
    }

    /// The sine or the cosine (`sin_of`, `cos_of`) of floats. A block with both of one argument reduces it once.
    pub fn sine(&mut self, rw: &mut Rewriter<'_>, name: &str, x: Value) -> Option<Value> {
        let ty = rw.f.ty(x);
        let places = ["pumice_reduced", name].map(|name| Kind::Float.file().packed.find(name));
        let [Some(reduce), Some(place)] = places else { return None };
        let (reduce, func) = (self.import(Kind::Float, reduce)?, self.import(Kind::Float, place)?);
        // The shared reduction leaves some 20 operations, so the function is inlined.
        self.added[(func.0 - self.first) as usize].inline_hint = Some(true);
        let mut lanes: SmallVec<[Value; 16]> = SmallVec::new();
        for lane in 0..ty.lanes() {
            let arg = rw.extract(x, lane);
            // Each extraction of a lane from its vector gives the same value.
            let lane_of = match rw.f.values[arg].def {
                ValueDef::Inst(inst, _) => match rw.f.insts[inst].kind {
                    InstKind::Extract(vector, lane) => (vector, lane),
                    _ => (arg, 0),
                },
                _ => (arg, 0),
            };
            let call = InstKind::Call { func: reduce, args: vec![arg], pure: false };
            let reduced =
                *self.reduced.entry(lane_of).or_insert_with(|| rw.inst(call, Type::Vector(Scalar::I32, 2)));
            let args = if name == "pumice_sin_of" { vec![reduced, arg] } else { vec![reduced] };
            lanes.push(rw.inst(InstKind::Call { func, args, pure: false }, ty.element()));
        }
        Some(rw.construct(&lanes, ty))
    }

    /// Calls a function of the image library with whole values. `None` if it has none of that name.
    pub fn call_image(&mut self, rw: &mut Rewriter<'_>, name: &str, args: &[Value]) -> Option<Value> {
        let place = Kind::Image.file().packed.find(&format!("pumice_{name}"))?;
        let ty = *Kind::Image.file().function(place)?.function.returns.first()?;
        let func = self.import(Kind::Image, place)?;
        Some(rw.inst(InstKind::Call { func, args: args.to_vec(), pure: false }, ty))
    }

    /// The handle of a library function in the module under work, its callees imported with it.
    fn import(&mut self, kind: Kind, place: usize) -> Option<Func> {
        if self.empty {
            return None;
        }
        if let Some(func) = self.imported.get(&(kind, place)) {
            return Some(*func);
        }
        let read = kind.file().function(place)?;
        let mut function = read.function.clone();
        if kind == Kind::Image {
            // Its arguments are mostly constant, so a copy folds.
            function.inline_hint = Some(true);
        }
        let mut handles: SmallVec<[Func; 4]> = SmallVec::new();
        for callee in &read.calls {
            handles.push(self.import(kind, callee.0 as usize)?);
        }
        for inst in function.insts.values_mut().filter(|_| !handles.is_empty()) {
            if let InstKind::Call { func, .. } = &mut inst.kind {
                *func = handles[read.calls.binary_search(func).ok()?];
            }
        }
        let func = Func(self.first + self.added.len() as u32);
        self.added.push(function);
        self.imported.insert((kind, place), func);
        Some(func)
    }

    /// Adds the imported functions to the module.
    pub fn finish(self, module: &mut Module) {
        for function in self.added {
            module.functions.push(function);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::packed::pack;
    use super::*;
    use crate::ir::verify::verify;
    use crate::ir::{Module, Stage};
    use crate::passes::optimize::mem2reg;
    use crate::passes::optimize::simplify;
    use frontend::options::{Features, Options};
    use std::collections::BTreeMap;
    use std::path::Path;

    /// Compiles a file of the library, lowers the OpenCL.std functions in it, and simplifies the result,
    /// because the functions are copied many times.
    fn made(name: &str) -> Vec<u8> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("mathlib/{name}.cl"));
        let text = std::fs::read_to_string(path).expect("the source");
        let mut options = Options::default();
        options.features |= Features::FP64;
        // The functions are as precise with fused products as without.
        options.math.mad_enable = true;
        let compilation = frontend::compile(name, &text, &options);
        let errors: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
        let words = compilation.spirv.unwrap_or_else(|| panic!("{name}: {errors:?}"));
        let mut module = crate::read::read(&words).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut none = Library {
            imported: FxHashMap::default(),
            first: 0,
            added: Vec::new(),
            reduced: FxHashMap::default(),
            empty: true,
            unfused_fma: false,
            precise_exp2: false,
            slow_float_division: false,
            wrong_denormal_logs: false,
            doubles: false,
        };
        let mut functions = BTreeMap::new();
        let names: Vec<String> = module.functions.values().map(|f| f.name.clone()).collect();
        let device = super::super::DeviceFacts { wide_by_bits: false, exact_halves: false };
        for func in module.functions.keys().collect::<Vec<_>>() {
            super::super::run_function(&mut module, func, &mut none, device)
                .unwrap_or_else(|e| panic!("{e}"));
            let mut function = std::mem::take(&mut module.functions[func]);
            mem2reg::run_function(&mut function, module.address_bits);
            simplify::simplify_function(&mut function, module.address_bits);
            functions.insert(function.name.clone(), function);
        }
        pack::file(&functions, |func| names[func.0 as usize].clone())
    }

    /// The shipped files match the sources.
    #[test]
    fn current() {
        for (name, file) in [("float", &FLOAT), ("double", &DOUBLE), ("image", &IMAGE)] {
            let made = made(name);
            if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("mathlib/{name}.packed"));
                std::fs::write(path, &made).expect("the file can be written");
                continue;
            }
            assert!(
                made == file.packed.bytes,
                "mathlib/{name}.packed is not what the source gives now: \
                 PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib math::library"
            );
        }
    }

    /// Every function of the library can be unpacked, verifies, and computes on values only.
    /// The functions that `float` names are there.
    #[test]
    fn complete() {
        let common = ["exp", "pow", "tan", "atan2", "tgamma", "fmod"];
        for (kind, suffix) in [(Kind::Float, ""), (Kind::Double, "_d"), (Kind::Image, "")] {
            let own: &[&str] = match kind {
                Kind::Float => &["half_to_float", "fma", "reduced", "sin_of", "cos_of"],
                Kind::Double => &["nearby_float", "fma_of_float"],
                Kind::Image => &["texel", "layer", "border_alpha", "is_unsigned", "pack_float", "unpack_int"],
            };
            let common: &[&str] = if kind == Kind::Image { &[] } else { &common };
            let packed = kind.file().packed;
            for name in common.iter().chain(own) {
                let found = packed.find(&format!("pumice_{name}{suffix}"));
                let found = found.and_then(|n| kind.file().function(n));
                assert!(found.is_some_and(|f| f.function.returns.len() == 1), "{name}{suffix}");
            }
            let mut module = Module { stage: Stage::Read, address_bits: 64, ..Module::default() };
            module.files.push(String::new());
            for n in 0..packed.count() {
                let name = packed.name(n).expect("a name");
                let read = kind.file().function(n).unwrap_or_else(|| panic!("{name} is unpacked"));
                let mut insts = read.function.insts.values();
                let foreign = insts.find(|inst| matches!(inst.kind, InstKind::ExtInst { .. }));
                assert!(foreign.is_none(), "{name}: {foreign:?}");
                module.functions.push(read.function.clone());
            }
            verify(&module).unwrap_or_else(|e| panic!("{e}"));
        }
    }

    /// Truncated or changed bytes give another function or none, and no panic.
    #[test]
    fn damaged() {
        let bytes = FLOAT.packed.bytes;
        for n in 0..200 {
            let mut copy = bytes[..bytes.len() - n * 7 % 500].to_vec();
            let at = n * 7919 % copy.len();
            copy[at] ^= 1 << (n % 8);
            let packed = Packed { bytes: copy.leak() };
            for f in (0..packed.count().min(64)).step_by(7) {
                let _ = packed.function(f);
            }
        }
    }
}

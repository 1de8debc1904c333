//! The math library: functions written in OpenCL C (`lower/mathlib/*.cl`), compiled to SPIR-V by our own
//! front end when this crate is built, read when the first one is needed, and copied into the modules
//! that call them.
//!
//! A function `f` on floats is `pumice_f`, on doubles `pumice_f_d`; vectors call it for each lane. Both kinds are
//! modules of their own, which share nothing.

use crate::ir::{EntityMap, Func, Function, InstKind, Module, Scalar, Type, Value};
use crate::passes::rewrite::Rewriter;
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The functions of the library that a module uses.
pub(super) struct Library {
    /// Functions by kind and by name in the library, and their handles in the module under work.
    imported: FxHashMap<(Kind, String), Func>,
    /// The first handle that is free in the module.
    first: u32,
    added: Vec<Function>,
    /// Has no functions: for the library's own code.
    empty: bool,
    /// The device's Fma is none: `fma` is the library's.
    pub unfused_fma: bool,
}

/// Which of the library's modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Float,
    Double,
}

/// The library as read; `None` when this build has none or it is damaged.
fn source(kind: Kind) -> Option<&'static Module> {
    static FLOAT: OnceLock<Option<Module>> = OnceLock::new();
    static DOUBLE: OnceLock<Option<Module>> = OnceLock::new();
    match kind {
        Kind::Float => FLOAT.get_or_init(|| load(include_bytes!(concat!(env!("OUT_DIR"), "/float.spv")))),
        Kind::Double => DOUBLE.get_or_init(|| load(include_bytes!(concat!(env!("OUT_DIR"), "/double.spv")))),
    }
    .as_ref()
}

/// Reads the binary that `build.rs` made, and rewrites the OpenCL.std functions that it uses itself.
fn load(bytes: &[u8]) -> Option<Module> {
    let words = spirv_io::bytes_to_words(bytes).ok()?;
    let mut module = crate::read::read(&words).ok()?;
    let mut none = Library {
        imported: FxHashMap::default(),
        first: 0,
        added: Vec::new(),
        empty: true,
        unfused_fma: false,
    };
    for func in module.functions.keys().collect::<Vec<_>>() {
        super::run_function(&mut module, func, &mut none).ok()?;
    }
    for inst in module.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
        // Lines of the library's source would name files of the program's.
        inst.line = Default::default();
    }
    Some(module)
}

impl Library {
    /// Nothing imported yet.
    pub fn new(module: &Module, target: &Target) -> Self {
        Library {
            imported: FxHashMap::default(),
            first: module.functions.len() as u32,
            added: Vec::new(),
            empty: false,
            unfused_fma: target.features.unfused_fma && target.features.shader_float64,
        }
    }

    /// Calls a library function lane by lane; `None` when the library has none of that name and type.
    pub fn call(&mut self, rw: &mut Rewriter<'_>, name: &str, args: &[Value], ty: Type) -> Option<Value> {
        let double = ty.scalar() == Some(Scalar::F64)
            || args.iter().any(|a| rw.f.ty(*a).scalar() == Some(Scalar::F64));
        let (kind, suffix) = if double { (Kind::Double, "_d") } else { (Kind::Float, "") };
        let func = self.import(kind, &format!("pumice_{name}{suffix}"))?;
        let lanes: SmallVec<[Value; 16]> = (0..ty.lanes())
            .map(|lane| {
                let args = args.iter().map(|a| rw.extract(*a, lane)).collect();
                rw.inst(InstKind::Call { func, args }, ty.element())
            })
            .collect();
        Some(rw.construct(&lanes, ty))
    }

    /// The handle of a library function in the module under work, its callees imported with it.
    fn import(&mut self, kind: Kind, name: &str) -> Option<Func> {
        let key = (kind, name.to_owned());
        if let Some(func) = self.imported.get(&key) {
            return Some(*func);
        }
        if self.empty {
            return None;
        }
        let source = source(kind)?;
        let mut function = find(&source.functions, name)?.clone();
        // The library has no recursion: front ends refuse it.
        for inst in function.insts.keys() {
            if let InstKind::Call { func, .. } = &function.insts[inst].kind {
                let callee = self.import(kind, &source.functions[*func].name.clone())?;
                if let InstKind::Call { func, .. } = &mut function.insts[inst].kind {
                    *func = callee;
                }
            }
        }
        function.names.clear();
        let func = Func(self.first + self.added.len() as u32);
        self.added.push(function);
        self.imported.insert(key, func);
        Some(func)
    }

    /// Adds the imported functions to the module.
    pub fn finish(self, module: &mut Module) {
        for function in self.added {
            module.functions.push(function);
        }
    }
}

fn find<'m>(functions: &'m EntityMap<Func, Function>, name: &str) -> Option<&'m Function> {
    functions.values().find(|f| f.name == name)
}

#[cfg(test)]
mod tests {
    use super::{Kind, source};

    /// Every function that `float` asks for by name is there, and computes on values alone.
    #[test]
    fn complete() {
        for (kind, suffix) in [(Kind::Float, ""), (Kind::Double, "_d")] {
            let library = source(kind).expect("the library reads");
            let own = match kind {
                Kind::Float => ["half_to_float", "float_to_half_rtn"],
                Kind::Double => ["nearby_float", "fma_of_float"],
            };
            for name in ["exp", "pow", "sin", "atan2", "tgamma", "fmod"].into_iter().chain(own) {
                let function = super::find(&library.functions, &format!("pumice_{name}{suffix}"));
                assert!(function.is_some_and(|f| f.returns.len() == 1), "{name}{suffix}");
            }
            assert!(library.globals.is_empty());
        }
    }
}

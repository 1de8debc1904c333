//! The math library: functions written in OpenCL C (`lower/mathlib/*.cl`), compiled to SPIR-V by our own
//! front end when this crate is built, each read when it is first needed, and copied into the modules
//! that call them.
//!
//! A function `f` on floats is `pumice_f`, on doubles `pumice_f_d`; vectors call it for each lane. Both kinds are
//! files of their own, which share nothing. `build.rs` makes a small module of each function and an index of them.

use crate::ir::{Func, Function, InstKind, Module, Scalar, Type, Value};
use crate::passes::rewrite::Rewriter;
use crate::passes::{promote, simplify};
use crate::target::Target;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The functions of the library that a module uses.
pub(super) struct Library {
    /// Functions by kind and by name in the library, and their handles in the module under work.
    imported: FxHashMap<(Kind, &'static str), Func>,
    /// The first handle that is free in the module.
    first: u32,
    added: Vec<Function>,
    /// Has no functions: for the library's own code.
    empty: bool,
    /// The device's Fma is none: `fma` is the library's.
    pub unfused_fma: bool,
}

/// Which of the library's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Float,
    Double,
}

/// A function of the index: its name, and its module's first word and one past the last.
type Entry = (&'static str, usize, usize);

/// A file of the library, as built.
struct File {
    index: &'static [Entry],
    words: &'static [u8],
    /// The functions that were read, in the index's order; `None` for one that is damaged.
    read: OnceLock<Vec<OnceLock<Option<Read>>>>,
}

/// A function as read.
struct Read {
    function: Function,
    /// Those that it calls, by what stands for them in it.
    calls: Vec<(Func, String)>,
}

static FLOAT: File = File {
    index: include!(concat!(env!("OUT_DIR"), "/float.rs")),
    words: include_bytes!(concat!(env!("OUT_DIR"), "/float.words")),
    read: OnceLock::new(),
};
static DOUBLE: File = File {
    index: include!(concat!(env!("OUT_DIR"), "/double.rs")),
    words: include_bytes!(concat!(env!("OUT_DIR"), "/double.words")),
    read: OnceLock::new(),
};

impl Kind {
    fn file(self) -> &'static File {
        match self {
            Kind::Float => &FLOAT,
            Kind::Double => &DOUBLE,
        }
    }
}

impl File {
    /// A function and its own name.
    fn function(&'static self, name: &str) -> Option<(&'static str, &'static Read)> {
        let at = self.index.binary_search_by(|entry| entry.0.cmp(name)).ok()?;
        let (name, first, end) = self.index[at];
        let all = self.read.get_or_init(|| self.index.iter().map(|_| OnceLock::new()).collect());
        let read = all[at].get_or_init(|| load(self.words.get(4 * first..4 * end)?)).as_ref()?;
        Some((name, read))
    }
}

/// Reads a module that `build.rs` made, rewrites the OpenCL.std functions that its function uses itself, and simplifies
/// it: it is copied many times.
fn load(bytes: &[u8]) -> Option<Read> {
    let words = spirv_io::bytes_to_words(bytes).ok()?;
    let how = crate::read::Reading { names: false, verify: false };
    let mut module = crate::read::read_as(&words, how).ok()?;
    let mut none = Library {
        imported: FxHashMap::default(),
        first: 0,
        added: Vec::new(),
        empty: true,
        unfused_fma: false,
    };
    // Those that it calls are declared before it.
    let func = module.functions.keys().last()?;
    super::run_function(&mut module, func, &mut none).ok()?;
    let mut function = std::mem::take(&mut module.functions[func]);
    function.names.clear();
    for inst in function.insts.values_mut() {
        // Lines of the library's source would name files of the program's.
        inst.line = Default::default();
    }
    promote::run_function(&mut function, module.address_bits);
    simplify::simplify_function(&mut function, module.address_bits);
    let calls = module.functions.keys().filter(|f| *f != func).map(|f| (f, module.functions[f].name.clone()));
    Some(Read { function, calls: calls.collect() })
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
        if self.empty {
            return None;
        }
        let (name, read) = kind.file().function(name)?;
        if let Some(func) = self.imported.get(&(kind, name)) {
            return Some(*func);
        }
        let mut function = read.function.clone();
        // The library has no recursion: front ends refuse it.
        let mut handles: FxHashMap<Func, Func> = FxHashMap::default();
        for (func, callee) in &read.calls {
            handles.insert(*func, self.import(kind, callee)?);
        }
        for inst in function.insts.values_mut() {
            if let InstKind::Call { func, .. } = &mut inst.kind {
                *func = *handles.get(func)?;
            }
        }
        let func = Func(self.first + self.added.len() as u32);
        self.added.push(function);
        self.imported.insert((kind, name), func);
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
    use super::*;

    /// Every function of the library can be read and computes on values alone; those that `float` asks for by name
    /// are there.
    #[test]
    fn complete() {
        for (kind, suffix) in [(Kind::Float, ""), (Kind::Double, "_d")] {
            let own = match kind {
                Kind::Float => ["half_to_float", "float_to_half_rtn"],
                Kind::Double => ["nearby_float", "fma_of_float"],
            };
            for name in ["exp", "pow", "sin", "atan2", "tgamma", "fmod"].into_iter().chain(own) {
                let found = kind.file().function(&format!("pumice_{name}{suffix}"));
                assert!(found.is_some_and(|(_, f)| f.function.returns.len() == 1), "{name}{suffix}");
            }
            for (name, ..) in kind.file().index {
                let (_, read) = kind.file().function(name).unwrap_or_else(|| panic!("{name} reads"));
                let called = |func: &Func| read.calls.iter().any(|(f, _)| f == func);
                let function = &read.function;
                for inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
                    match &function.insts[*inst].kind {
                        InstKind::Call { func, .. } => assert!(called(func), "{name}"),
                        kind => assert!(!matches!(kind, InstKind::ExtInst { .. }), "{name}: {kind:?}"),
                    }
                }
                assert!(
                    read.calls.iter().all(|(_, callee)| kind.file().function(callee).is_some()),
                    "{name}"
                );
            }
        }
    }
}

//! Dead-function elimination: kernels that are not wanted go, and functions that no wanted kernel reaches.
//!
//! ```text
//! kernel a { f(); }  kernel b { g(); }  f  g          with `--kernel a`: kernel a { f(); }  f
//! ```
//!
//! The pass keeps program-scope variables, because all modules that are lowered from one program share their layout.

use crate::LowerOptions;
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{EntityMap, Func, InstKind, KernelData, Module};
use rustc_hash::FxHashMap;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::NoSuchKernel`] for a wanted kernel that the module lacks.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let is_missing = |name: &&String| module.kernels.iter().all(|k| k.name != **name);
    if let Some(missing) = cx.options.kernels.iter().flatten().find(is_missing) {
        return Err(LowerError::NoSuchKernel(missing.clone()));
    }
    let wgsl = cx.target.features.wgsl;
    module.kernels.retain(|k| is_wanted(k, cx.options, wgsl));
    let reached = live_functions(module, cx.options, wgsl);
    let mut old = std::mem::take(&mut module.functions);
    let mut kept = EntityMap::new();
    let mut moved: FxHashMap<Func, Func> = FxHashMap::default();
    for (func, function) in old.keys().zip(old.values_mut()) {
        if reached.contains(&func) {
            moved.insert(func, kept.push(std::mem::take(function)));
        }
    }
    module.functions = kept;
    for kernel in &mut module.kernels {
        kernel.func = moved[&kernel.func];
    }
    for function in module.functions.values_mut() {
        for inst in function.insts.values_mut() {
            // Instructions outside the layout may name removed functions. Nothing reads these instructions.
            if let InstKind::Call { func, .. } = &mut inst.kind {
                *func = moved.get(func).copied().unwrap_or(*func);
            }
        }
    }
    Ok(())
}

/// Returns whether a kernel stays. Initialisers run before any wanted kernel. A module for WGSL has one kernel, and its host asks for
/// initialisers by name.
fn is_wanted(kernel: &KernelData, options: &LowerOptions, wgsl: bool) -> bool {
    let Some(wanted) = &options.kernels else { return true };
    wanted.contains(&kernel.name) || (!wgsl && kernel.name.starts_with(crate::enqueue::INITIALIZER))
}

/// The functions of the wanted kernels, and all functions that they call.
pub(super) fn live_functions(module: &Module, options: &LowerOptions, wgsl: bool) -> Vec<Func> {
    let mut reached: Vec<Func> = Vec::new();
    let wanted = module.kernels.iter().filter(|k| is_wanted(k, options, wgsl));
    let mut work: Vec<Func> = wanted.map(|k| k.func).collect();
    while let Some(func) = work.pop() {
        if reached.contains(&func) {
            continue;
        }
        let Some(function) = module.functions.get(func) else { continue };
        reached.push(func);
        for inst in function.layout.iter().flat_map(|b| &function.blocks[*b].insts) {
            if let InstKind::Call { func, .. } = &function.insts[*inst].kind {
                work.push(*func);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use crate::ir::text::parse;

    const TEXT: &str = r#"module read bits=64
kernel "a" f1
kernel "b" f3
func f0 "unused" returns ()
b0():
  return()
func f1 "a" returns ()
b0():
  return()
func f2 "helper" returns ()
b0():
  return()
func f3 "b" returns ()
b0():
  call f2()
  return()
"#;

    fn select(kernels: Option<&[&str]>) -> Result<String, LowerError> {
        select_of(TEXT, kernels, &Target::minimum())
    }

    fn select_of(text: &str, kernels: Option<&[&str]>, target: &Target) -> Result<String, LowerError> {
        let options = LowerOptions {
            kernels: kernels.map(|list| list.iter().map(|k| (*k).to_owned()).collect()),
            ..LowerOptions::default()
        };
        let mut module = parse(text).expect("IR");
        run(&mut module, &PassContext { target, options: &options })?;
        crate::ir::verify::verify(&module).expect("right");
        Ok(module.to_string())
    }

    #[test]
    fn unwanted_functions_are_removed() {
        let text = select(Some(&["b"])).expect("b");
        assert!(
            text.contains("kernel \"b\" f1") && text.contains("call f0()") && !text.contains("\"a\""),
            "{text}"
        );
        assert!(!select(None).expect("all").contains("unused"));
        assert_eq!(select(Some(&["c"])), Err(LowerError::NoSuchKernel("c".to_owned())));
    }

    /// Initialisers stay beside a wanted kernel. A module for WGSL has the wanted kernel alone.
    #[test]
    fn initializers_stay() {
        let text = TEXT.replace("\"a\" f1", "\"pumice.init.0\" f1");
        let mut target = Target::minimum();
        let both = select_of(&text, Some(&["b"]), &target).expect("b");
        assert!(both.contains("kernel \"pumice.init.0\"") && both.contains("kernel \"b\""), "{both}");
        target.features.wgsl = true;
        let one = select_of(&text, Some(&["b"]), &target).expect("b");
        assert!(!one.contains("pumice.init") && one.contains("kernel \"b\""), "{one}");
    }
}

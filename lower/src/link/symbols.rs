//! Pairing imports with exports.

use super::module::Input;
use super::reach::reached;
use super::{LinkError, LinkOptions, SymbolError};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::LinkageType;

/// An id of one of the modules.
pub(super) type Place = (usize, u32);

/// The result of symbol resolution.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// Imports, and definitions that another one replaces, with the replacement.
    pub aliases: FxHashMap<Place, Place>,
    /// All replacements, in order.
    pub owners: Vec<Place>,
    /// The aliases whose types must equal their owners', in order.
    pub checks: Vec<(Place, Place, String)>,
}

/// The declarations of one name in the modules.
#[derive(Default)]
struct Uses {
    exports: Vec<Place>,
    /// Definitions of which any may be taken.
    link_once: Vec<Place>,
    imports: Vec<Place>,
}

/// Decides for each name which module's definition is taken.
///
/// # Errors
/// [`LinkError::Symbols`] with every duplicate and undefined name.
pub(super) fn resolve(inputs: &[Input<'_>], options: LinkOptions) -> Result<Symbols, LinkError> {
    let mut names: IndexMap<&str, Uses> = IndexMap::new();
    for (index, input) in inputs.iter().enumerate() {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for symbol in input.symbols.iter().filter(|s| seen.insert(s.id)) {
            check_body(input, symbol)?;
            let uses = names.entry(&symbol.name).or_default();
            let list = match symbol.linkage {
                LinkageType::Export => &mut uses.exports,
                LinkageType::Import => &mut uses.imports,
                _ => &mut uses.link_once,
            };
            list.push((index, symbol.id));
        }
    }
    let mut errors = duplicate_kernels(inputs)?;
    let (mut symbols, mut undefined) = (Symbols::default(), Vec::new());
    for (name, uses) in names {
        if uses.exports.len() > 1 {
            // A kernel that others may call is a function of the same name too.
            if !errors.contains(&SymbolError::DuplicateKernel(name.to_owned())) {
                errors.push(SymbolError::Duplicate(name.to_owned()));
            }
            continue;
        }
        let mut places = uses.exports.iter().chain(&uses.link_once).chain(&uses.imports).copied();
        let Some(owner) = places.next() else { continue };
        let defined = uses.exports.len() + uses.link_once.len() > 0;
        // DPC++ has built-in variables as imports.
        let given = inputs[owner.0].builtins.contains_key(&owner.1);
        if !defined && !given && !options.create_library && !options.allow_partial {
            undefined.push((name, owner));
        }
        symbols.owners.push(owner);
        for alias in places {
            symbols.aliases.insert(alias, owner);
            symbols.checks.push((alias, owner, name.to_owned()));
        }
    }
    if !undefined.is_empty() {
        let reached = reached(inputs, &symbols.aliases)?;
        let missed = undefined.into_iter().filter(|(_, owner)| reached.contains(owner));
        errors.extend(missed.map(|(name, _)| SymbolError::Undefined(name.to_owned())));
    }
    if errors.is_empty() { Ok(symbols) } else { Err(LinkError::Symbols(errors)) }
}

/// An import has no body, an export has one.
fn check_body(input: &Input<'_>, symbol: &super::module::Symbol) -> Result<(), LinkError> {
    let function = input.function_at.get(&symbol.id).and_then(|i| input.functions.get(*i));
    let wrong = match function {
        Some(f) => f.has_body == (symbol.linkage == LinkageType::Import),
        None => input.global(symbol.id).is_none(),
    };
    if wrong {
        let name = &symbol.name;
        return Err(LinkError::Invalid(format!("the symbol '{name}' is decorated with the wrong linkage")));
    }
    Ok(())
}

fn duplicate_kernels(inputs: &[Input<'_>]) -> Result<Vec<SymbolError>, LinkError> {
    let (mut seen, mut errors) = (FxHashSet::default(), Vec::new());
    for entry in inputs.iter().flat_map(|i| &i.entries) {
        let name = entry.string(2)?.0;
        if !seen.insert((entry.word(0)?, name.clone())) {
            errors.push(SymbolError::DuplicateKernel(name));
        }
    }
    Ok(errors)
}

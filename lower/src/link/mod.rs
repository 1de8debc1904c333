//! The linker: several OpenCL SPIR-V modules become one (API specification §5.8.4, clLinkProgram; SPIR-V §2.16.1 "Universal Validation
//! Rules" and the linkage decorations of §3.20).
//!
//! 1. `module.rs` files each module's instructions by section.
//! 2. `symbols.rs` pairs imports with exports by name. Each symbol gets one owner, whose id replaces every import in the linked module.
//!    In an executable, everything that kernels reach must be defined (`reach.rs`).
//! 3. `merge.rs` renumbers. Equal types and constants get one id, because SPIR-V allows no two equal non-aggregate types. Structures
//!    with the same members and decorations are merged too, because the types of an import and its export must be one. Globals are
//!    ordered before their uses, and functions are copied.
//! 4. The types of imports and exports are compared by their ids.
//!
//! NonSemantic.Shader.DebugInfo is kept. Other debug information of extended instruction sets, and lines outside of functions, are
//! dropped.

mod merge;
mod module;
mod operands;
mod reach;
mod symbols;

pub(crate) use module::is_debug_set;

/// How to link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkOptions {
    /// `-create-library`: exports stay visible, and imports may stay open.
    pub create_library: bool,
    /// Imports that kernels need may stay open in an executable too; lowering a kernel that needs one fails.
    pub allow_partial: bool,
}

/// Why modules were not linked. The text goes to the build log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A module is damaged or breaks the rules of SPIR-V.
    #[error("invalid module: {0}")]
    Invalid(String),
    /// A module has something that the linker does not know.
    #[error("not supported by the linker: {0}")]
    Unsupported(String),
    /// The modules do not go together.
    #[error("the modules cannot be linked: {0}")]
    Incompatible(String),
    /// Symbols without definition, with several, or with several types: all of them, in order.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Symbols(Vec<SymbolError>),
}

/// An error of one symbol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// Needed by a kernel, and defined in no module.
    #[error("error: undefined symbol '{0}'")]
    Undefined(String),
    /// Defined in two modules.
    #[error("error: duplicate symbol '{0}'")]
    Duplicate(String),
    /// Two modules have a kernel of the name.
    #[error("error: duplicate kernel '{0}'")]
    DuplicateKernel(String),
    /// Declared in one module with another type than in a second.
    #[error("error: symbol '{0}' is declared with a type that differs from its definition's")]
    TypeMismatch(String),
}

impl From<spirv_io::ReadError> for LinkError {
    fn from(error: spirv_io::ReadError) -> Self {
        LinkError::Invalid(error.to_string())
    }
}

/// Links OpenCL SPIR-V modules to one. The result depends on the modules and their order alone.
///
/// # Errors
/// See [`LinkError`]; bad modules are errors, never panics.
pub fn link(modules: &[&[u32]], options: LinkOptions) -> Result<Vec<u32>, LinkError> {
    let inputs = modules.iter().map(|m| module::Input::read(m)).collect::<Result<Vec<_>, _>>()?;
    let symbols = symbols::resolve(&inputs, options)?;
    merge::Merger::new(&inputs, &symbols, options)?.run()
}

#[cfg(test)]
mod tests;

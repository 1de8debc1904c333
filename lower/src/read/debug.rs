//! NonSemantic.Shader.DebugInfo.100 from the front end and other producers. Files, scopes and inlined calls are kept. Types and
//! variables are not, because passes split variables.

use super::module::Tables;
use super::{constants, module::DebugDecl};
use crate::ir::{DebugInfo, DebugScope, ScopeKind, Site};
use rustc_hash::FxHashMap;

/// The instructions by their numbers in the set.
pub(super) mod number {
    pub const COMPILATION_UNIT: u32 = 1;
    pub const FUNCTION: u32 = 20;
    pub const LEXICAL_BLOCK: u32 = 21;
    pub const LEXICAL_BLOCK_DISCRIMINATOR: u32 = 22;
    pub const SCOPE: u32 = 23;
    pub const NO_SCOPE: u32 = 24;
    pub const INLINED_AT: u32 = 25;
    pub const SOURCE: u32 = 35;
    pub const SOURCE_CONTINUED: u32 = 102;
    pub const LINE: u32 = 103;
    pub const NO_LINE: u32 = 104;
}

/// The entities that ids of debug instructions name.
#[derive(Debug, Default)]
pub(super) struct DebugIds {
    /// Files by DebugSource.
    pub sources: FxHashMap<u32, u16>,
    /// Scopes.
    pub scopes: FxHashMap<u32, u32>,
    /// Inlined calls.
    pub sites: FxHashMap<u32, u32>,
}

/// The strings that name the files of the debug information.
pub(super) fn file_strings<'t>(tables: &'t Tables<'_>) -> impl Iterator<Item = u32> + 't {
    let sources = tables.debug.iter().filter(|d| d.number == number::SOURCE);
    sources.filter_map(|d| d.operands.first().copied())
}

/// Reads the instructions outside of functions. Malformed ones are ignored, because debug information has no effect on results.
pub(super) fn collect(tables: &Tables<'_>, files: &FxHashMap<u32, u16>) -> (DebugInfo, DebugIds) {
    let (mut info, mut ids) = (DebugInfo::default(), DebugIds::default());
    let mut last = 0;
    for decl in &tables.debug {
        let op = |n: usize| decl.operands.get(n).copied().unwrap_or(0);
        match decl.number {
            number::SOURCE => {
                let Some(file) = files.get(&op(0)).copied() else { continue };
                last = file;
                ids.sources.insert(decl.id, file);
                info.texts.insert(file, tables.strings.get(&op(1)).cloned());
            }
            number::SOURCE_CONTINUED => {
                if let (Some(Some(text)), Some(more)) =
                    (info.texts.get_mut(&last), tables.strings.get(&op(0)))
                {
                    text.push_str(more);
                }
            }
            number::COMPILATION_UNIT => info.main = ids.sources.get(&op(2)).copied().unwrap_or(0),
            number::FUNCTION => {
                let name = tables.strings.get(&op(0)).cloned().unwrap_or_default();
                let scope = scope(tables, &ids, decl, ScopeKind::Function(name), [2, 3, 4]);
                ids.scopes.insert(decl.id, info.add_scope(scope));
            }
            number::LEXICAL_BLOCK => {
                let Some(parent) = ids.scopes.get(&op(3)).copied() else { continue };
                let scope = DebugScope { parent, ..scope(tables, &ids, decl, ScopeKind::Block, [0, 1, 2]) };
                ids.scopes.insert(decl.id, info.add_scope(scope));
            }
            number::LEXICAL_BLOCK_DISCRIMINATOR => {
                if let Some(parent) = ids.scopes.get(&op(2)).copied() {
                    ids.scopes.insert(decl.id, parent);
                }
            }
            number::INLINED_AT => {
                let Some(scope) = ids.scopes.get(&op(1)).copied() else { continue };
                let site = ids.sites.get(&op(2)).copied().unwrap_or(0);
                let site = info.add_site(Site { line: word(tables, op(0)), scope, site });
                ids.sites.insert(decl.id, site);
            }
            _ => {}
        }
    }
    (info, ids)
}

/// A 32-bit constant, or 0.
pub(super) fn word(tables: &Tables<'_>, id: u32) -> u32 {
    constants::bits(tables, id).ok().and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// `at`: which operands are source, line and column.
fn scope(
    tables: &Tables<'_>,
    ids: &DebugIds,
    decl: &DebugDecl,
    kind: ScopeKind,
    at: [usize; 3],
) -> DebugScope {
    let [source, line, column] = at.map(|n| decl.operands.get(n).copied().unwrap_or(0));
    let file = ids.sources.get(&source).copied().unwrap_or(0);
    DebugScope { kind, file, line: word(tables, line), column: word(tables, column), parent: 0 }
}

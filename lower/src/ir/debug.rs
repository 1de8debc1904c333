//! Source positions of instructions: a file, a line and a column always, and with debug information the scope and the calls that were inlined.
//!
//! All of it is for people and debuggers; no pass decides by it. The text form of the IR has files and lines only.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A position in the source. Zeros stand for "not known".
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SourceLine {
    /// An index into [`super::Module::files`].
    pub file: u16,
    /// The column, counted from 1, in the lower 14 bits; columns beyond them are 0. The highest bit marks an operation of the source
    /// ([`SourceLine::is_marked`]), the one below an access that is within its object ([`SourceLine::is_within`]).
    pub(crate) column: u16,
    /// The line, counted from 1.
    pub line: u32,
    /// An index into [`DebugInfo::scopes`].
    pub scope: u32,
    /// An index into [`DebugInfo::sites`]: the call that the instruction came through.
    pub site: u32,
}

impl SourceLine {
    /// The bit of `column` that marks operations of the source.
    const MARK: u16 = 1 << 15;
    /// The bit of `column` that marks accesses within their objects.
    const WITHIN: u16 = 1 << 14;

    /// The column, counted from 1; 0 if it is not known.
    #[must_use]
    pub fn column(self) -> u32 {
        (self.column & !(Self::MARK | Self::WITHIN)).into()
    }

    /// The same in another line of a file.
    #[must_use]
    pub fn at(self, file: u16, line: u32, column: u32) -> Self {
        let column = u16::try_from(column).ok().filter(|column| *column < Self::WITHIN);
        SourceLine { file, line, column: column.unwrap_or(0), ..self }
    }

    /// The same with a mark, which says that the source asks for the operation. Checks look at such operations alone: passes make others that
    /// give results for all operands.
    #[must_use]
    pub fn marked(self) -> Self {
        SourceLine { column: self.column | Self::MARK, ..self }
    }

    /// The same without that mark.
    #[must_use]
    pub fn unmarked(self) -> Self {
        SourceLine { column: self.column & !Self::MARK, ..self }
    }

    /// It has the mark.
    #[must_use]
    pub fn is_marked(self) -> bool {
        self.column & Self::MARK != 0
    }

    /// The same with a mark, or without it, which says that the memory of an access was looked at: checks leave the access as it is.
    #[must_use]
    pub fn within(self, is_within: bool) -> Self {
        let mark = if is_within { Self::WITHIN } else { 0 };
        SourceLine { column: self.column & !Self::WITHIN | mark, ..self }
    }

    /// It has the mark of an access within its object.
    #[must_use]
    pub fn is_within(self) -> bool {
        self.column & Self::WITHIN != 0
    }
}

/// The kind of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeKind {
    /// Entry 0, which stands for no scope.
    None,
    /// A function, by its name.
    Function(String),
    /// A block in a function.
    Block,
}

/// A scope of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugScope {
    /// What it is.
    pub kind: ScopeKind,
    /// Where it begins.
    pub file: u16,
    /// Where it begins.
    pub line: u32,
    /// Where it begins.
    pub column: u32,
    /// The scope around it; 0 for a function. Always a lower index than its own.
    pub parent: u32,
}

/// A call that was inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// The line of the call.
    pub line: u32,
    /// The scope that contains it.
    pub scope: u32,
    /// The call that this scope was itself inlined by, or 0.
    pub site: u32,
}

/// The depth to which debug information has inlined calls.
const MAX_SITES: usize = 64;

/// The debug information of a module; empty where it came without.
#[derive(Debug, Clone, Default)]
pub struct DebugInfo {
    /// The file of the compilation.
    pub main: u16,
    /// The files that are described, with their text where it is known.
    pub texts: BTreeMap<u16, Option<String>>,
    /// The scopes, each after its parent; entry 0 stands for none.
    pub scopes: Vec<DebugScope>,
    /// The inlined calls, each after its outer one; entry 0 stands for none.
    pub sites: Vec<Site>,
    /// The names of structs' members that [`InstKind::MemberAccess`](crate::ir::InstKind::MemberAccess) names by number.
    pub members: Vec<String>,
    interned: FxHashMap<Site, u32>,
}

impl DebugInfo {
    /// Adds a scope.
    pub fn add_scope(&mut self, scope: DebugScope) -> u32 {
        if self.scopes.is_empty() {
            let none = DebugScope { kind: ScopeKind::None, file: 0, line: 0, column: 0, parent: 0 };
            self.scopes.push(none);
        }
        self.scopes.push(scope);
        self.scopes.len() as u32 - 1
    }

    /// The number of a call site.
    pub fn add_site(&mut self, site: Site) -> u32 {
        if let Some(known) = self.interned.get(&site) {
            return *known;
        }
        if self.sites.is_empty() {
            self.sites.push(Site { line: 0, scope: 0, site: 0 });
        }
        self.sites.push(site);
        let number = self.sites.len() as u32 - 1;
        self.interned.insert(site, number);
        number
    }

    /// A position in a callee when the call at `call` is replaced by the callee's body.
    pub fn inlined(&mut self, inner: SourceLine, call: SourceLine) -> SourceLine {
        if inner.scope == 0 || call.scope == 0 {
            return inner;
        }
        let mut chain = Vec::new();
        let mut at = inner.site;
        while let Some(site) = self.sites.get(at as usize).filter(|_| at != 0) {
            if chain.len() >= MAX_SITES {
                return inner;
            }
            chain.push(*site);
            at = site.site;
        }
        let mut site = self.add_site(Site { line: call.line, scope: call.scope, site: call.site });
        for outer in chain.into_iter().rev() {
            site = self.add_site(Site { site, ..outer });
        }
        SourceLine { site, ..inner }
    }

    /// The function that a scope is in.
    pub fn function_of(&self, mut scope: u32) -> Option<u32> {
        loop {
            let data = self.scopes.get(scope as usize)?;
            match data.kind {
                ScopeKind::Function(_) => return Some(scope),
                // Parents come first, so that this ends.
                ScopeKind::Block if data.parent < scope => scope = data.parent,
                _ => return None,
            }
        }
    }

    /// The function whose code a position became a part of: the outermost of the inlined calls', or its own.
    pub fn outermost_function(&self, place: SourceLine) -> Option<u32> {
        let mut scope = place.scope;
        let mut at = place.site;
        for _ in 0..=2 * MAX_SITES {
            match self.sites.get(at as usize).filter(|_| at != 0) {
                Some(site) => (scope, at) = (site.scope, site.site),
                None => break,
            }
        }
        self.function_of(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inlining_twice_keeps_both_calls() {
        let mut info = DebugInfo::default();
        let mut function = |name: &str, parent| {
            let kind = if parent == 0 { ScopeKind::Function(name.to_owned()) } else { ScopeKind::Block };
            info.add_scope(DebugScope { kind, file: 1, line: 1, column: 1, parent })
        };
        let (inner, middle, outer) = (function("inner", 0), function("middle", 0), function("outer", 0));
        let block = function("", middle);
        let at = |line, scope| SourceLine { file: 1, column: 0, line, scope, site: 0 };
        let once = info.inlined(at(3, inner), at(10, block));
        let twice = info.inlined(once, at(20, outer));
        assert_eq!((twice.line, twice.scope), (3, inner));
        let site = info.sites[twice.site as usize];
        assert_eq!((site.line, site.scope), (10, block));
        let site = info.sites[site.site as usize];
        assert_eq!(site, Site { line: 20, scope: outer, site: 0 });
        assert_eq!(info.outermost_function(twice), Some(outer));
        assert_eq!(info.outermost_function(at(1, block)), Some(middle));
        // The same call at the same position is one site; without scopes nothing is recorded.
        assert_eq!(info.inlined(once, at(20, outer)), twice);
        assert_eq!(info.inlined(at(3, 0), at(20, outer)), at(3, 0));
    }
}

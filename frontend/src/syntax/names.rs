//! The kinds of the names that are declared at the parser's place: the part of C's scopes that its grammar needs.

use crate::symbol::Symbol;

/// The facts about a declared name that the grammar needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A typedef name.
    Type,
    /// A function.
    Function,
    /// A variable or a parameter.
    Value,
    /// An enumeration constant.
    Constant,
    /// A class template or an alias template of C++.
    TypeTemplate,
    /// A function template of C++.
    FunctionTemplate,
    /// A namespace of C++.
    Namespace,
}

/// The meaning of a name: its kind, and how many scopes are around its declaration.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    kind: Option<NameKind>,
    depth: u32,
}

/// A scope that was opened: how many hidden names there were.
#[derive(Debug)]
pub(crate) struct OpenScope(usize);

/// The depth of the file's scope, inside the one of the predeclared names.
const FILE: u32 = 1;

/// The kinds of all visible names, by their symbols, and the names that inner scopes hide.
#[derive(Debug)]
pub(crate) struct Names {
    kinds: Vec<Entry>,
    hidden: Vec<(Symbol, Entry)>,
    depth: u32,
    /// The depth at which declarations are the file's: that of a namespace or a class while its declarations are read.
    file: u32,
}

impl Names {
    /// The scope of a file before its first declaration. The predeclared names are types.
    pub fn new(predeclared: impl Iterator<Item = Symbol>) -> Names {
        let mut names = Names { kinds: Vec::new(), hidden: Vec::new(), depth: 0, file: FILE };
        for name in predeclared {
            names.declare(name, NameKind::Type);
        }
        names.depth = FILE;
        names.hidden.clear();
        names
    }

    /// The kind of a name; `None` where nothing declares it.
    pub fn kind(&self, name: Symbol) -> Option<NameKind> {
        self.kinds.get(name.0 as usize).and_then(|e| e.kind)
    }

    /// Declares a name in the innermost scope. The first meaning in a scope stays, as another is an error.
    pub fn declare(&mut self, name: Symbol, kind: NameKind) {
        let depth = self.depth;
        let entry = self.entry(name);
        if entry.kind.is_some() && entry.depth == depth {
            return;
        }
        let before = std::mem::replace(entry, Entry { kind: Some(kind), depth });
        if depth > FILE {
            self.hidden.push((name, before));
        }
    }

    /// Declares a function, which is known in the rest of the file wherever its declaration stands.
    pub fn declare_function(&mut self, name: Symbol) {
        let entry = self.entry(name);
        match entry.kind {
            None => *entry = Entry { kind: Some(NameKind::Function), depth: FILE },
            Some(_) => self.declare(name, NameKind::Function),
        }
    }

    fn entry(&mut self, name: Symbol) -> &mut Entry {
        let index = name.0 as usize;
        if index >= self.kinds.len() {
            self.kinds.resize(index + 1, Entry::default());
        }
        &mut self.kinds[index]
    }

    /// Opens a scope.
    pub fn open(&mut self) -> OpenScope {
        self.depth += 1;
        OpenScope(self.hidden.len())
    }

    /// Closes the scope that was opened last.
    pub fn close(&mut self, scope: OpenScope) {
        self.depth -= 1;
        while self.hidden.len() > scope.0
            && let Some((name, before)) = self.hidden.pop()
        {
            *self.entry(name) = before;
        }
    }

    /// Returns whether declarations are the file's here.
    pub fn at_file_scope(&self) -> bool {
        self.depth == self.file
    }

    /// Opens a scope whose declarations count as the file's; gives what [`Names::close_context`] takes.
    pub fn open_context(&mut self) -> (OpenScope, u32) {
        let scope = self.open();
        (scope, std::mem::replace(&mut self.file, self.depth))
    }

    /// Closes the scope that [`Names::open_context`] opened.
    pub fn close_context(&mut self, (scope, file): (OpenScope, u32)) {
        self.close(scope);
        self.file = file;
    }

    /// The number of scopes around, without those of the file and of the function.
    pub fn blocks(&self) -> usize {
        self.depth.saturating_sub(self.file + 1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_hide_names() {
        let (t, f, v) = (Symbol(300), Symbol(301), Symbol(302));
        let mut names = Names::new([t].into_iter());
        names.declare(v, NameKind::Value);
        names.declare(v, NameKind::Type);
        assert_eq!(names.kind(v), Some(NameKind::Value));
        let function = names.open();
        names.declare(t, NameKind::Value);
        names.declare_function(f);
        let block = names.open();
        names.declare(v, NameKind::Type);
        assert_eq!((names.kind(t), names.kind(v)), (Some(NameKind::Value), Some(NameKind::Type)));
        assert_eq!(names.blocks(), 1);
        names.close(block);
        assert_eq!(names.kind(v), Some(NameKind::Value));
        names.close(function);
        assert_eq!((names.kind(t), names.kind(f)), (Some(NameKind::Type), Some(NameKind::Function)));
        assert!(names.at_file_scope());
    }

    /// The file may give a predeclared name another meaning.
    #[test]
    fn the_file_hides_predeclared_names() {
        let t = Symbol(300);
        let mut names = Names::new([t].into_iter());
        names.declare(t, NameKind::Value);
        assert_eq!(names.kind(t), Some(NameKind::Value));
    }
}

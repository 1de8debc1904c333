//! What semantic analysis tells the grammar of the names of namespaces, classes and templates.

use crate::symbol::Symbol;
use crate::syntax::names::NameKind;
use rustc_hash::FxHashMap;

/// A member of a scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScopeMember {
    /// The name in the scope.
    pub name: Symbol,
    /// What it is.
    pub kind: NameKind,
}

/// The scopes that have names: namespaces, classes, scoped enumerations. A scope is known by its qualified name.
#[derive(Debug, Default)]
pub(crate) struct Env {
    scopes: FxHashMap<Symbol, Vec<ScopeMember>>,
    kinds: FxHashMap<(Symbol, Symbol), NameKind>,
    /// The scope that a visible name stands for: a class, a namespace, a type that is one.
    pub named: FxHashMap<Symbol, Symbol>,
    /// The scopes of members by scope and name.
    pub inner: FxHashMap<(Symbol, Symbol), Symbol>,
    /// The names of the classes whose members are read: of a constructor.
    pub class_names: Vec<Symbol>,
}

impl Env {
    /// Enters a name into a scope.
    pub fn declare(&mut self, scope: Symbol, name: Symbol, kind: NameKind) {
        if self.kinds.insert((scope, name), kind).is_none() {
            self.scopes.entry(scope).or_default().push(ScopeMember { name, kind });
        }
    }

    /// The kind of a name in a scope.
    pub fn kind(&self, scope: Symbol, name: Symbol) -> Option<NameKind> {
        self.kinds.get(&(scope, name)).copied()
    }

    /// The names of a scope.
    pub fn members(&self, scope: Symbol) -> &[ScopeMember] {
        self.scopes.get(&scope).map_or(&[], |members| members)
    }
}

//! The modules of a crate and the edges between its files, read from the sources by `syn`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree};

/// A crate: its files and the edges between them.
pub(super) struct Crate {
    /// Paths below `src`, with `/`.
    pub files: Vec<String>,
    /// The names that the first file takes from the second.
    pub edges: BTreeMap<(usize, usize), BTreeSet<String>>,
    modules: Vec<Module>,
    texts: Vec<String>,
    src: PathBuf,
}

/// A module, in a file of its own or inside one.
struct Module {
    file: usize,
    parent: Option<usize>,
    children: HashMap<String, usize>,
    /// Names that the module defines.
    items: BTreeSet<String>,
    /// Names that `use` brings, with their paths.
    imports: HashMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Paths that the module names.
    paths: Vec<Vec<String>>,
}

/// What a path means.
enum Meaning {
    Module(usize),
    /// An item of the module.
    Item(usize, String),
}

impl Crate {
    /// Reads the crate whose root file is `root`. Panics where a file is missing or does not parse.
    pub fn read(root: &Path) -> Crate {
        let src = root.parent().expect("the root file is in a folder").to_path_buf();
        let mut of = Crate { files: vec![], edges: BTreeMap::new(), modules: vec![], texts: vec![], src };
        of.read_file(root, None);
        of.connect();
        of
    }

    /// The name of the module under the root that holds the file; empty for the root.
    pub fn top_module(&self, file: usize) -> &str {
        let path = &self.files[file];
        let top = path.split('/').next().unwrap_or(path);
        let top = top.strip_suffix(".rs").unwrap_or(top);
        if top == "lib" { "" } else { top }
    }

    /// Is there a Markdown table in the module header of the folder?
    pub fn has_module_table(&self, folder: &str) -> bool {
        let names = if folder.is_empty() {
            ["lib.rs".into(), "mod.rs".into()]
        } else {
            [format!("{folder}.rs"), format!("{folder}/mod.rs")]
        };
        let is_row = |line: &str| line.trim_start().starts_with("//! |");
        let headers = self.files.iter().zip(&self.texts).filter(|(file, _)| names.contains(file));
        headers.into_iter().any(|(_, text)| text.lines().filter(|l| is_row(l)).count() > 2)
    }

    fn read_file(&mut self, path: &Path, parent: Option<usize>) -> usize {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let name =
            path.strip_prefix(&self.src).expect("a file of the crate").to_string_lossy().replace('\\', "/");
        let file = self.files.len();
        self.files.push(name);
        self.texts.push(text);
        let stem = path.file_stem().unwrap_or_default();
        let folder = path.parent().expect("a folder");
        let own = parent.is_none() || stem == "mod";
        let folder = if own { folder.to_path_buf() } else { folder.join(stem) };
        self.read_module(&parsed.items, file, parent, &folder)
    }

    fn read_module(&mut self, items: &[Item], file: usize, parent: Option<usize>, folder: &Path) -> usize {
        let id = self.modules.len();
        let (children, items_, imports) = (HashMap::new(), BTreeSet::new(), HashMap::new());
        self.modules.push(Module {
            file,
            parent,
            children,
            items: items_,
            imports,
            globs: vec![],
            paths: vec![],
        });
        let mut paths = Paths::default();
        for item in items {
            if is_test(attributes(item)) {
                continue;
            }
            if let Item::Mod(m) = item {
                let name = m.ident.to_string();
                let child = match &m.content {
                    Some((_, items)) => self.read_module(items, file, Some(id), &folder.join(&name)),
                    None => self.read_file(&module_file(folder, &name, &m.attrs), Some(id)),
                };
                self.modules[id].children.insert(name, child);
                continue;
            }
            self.modules[id].items.extend(defined(item));
            paths.visit_item(item);
        }
        let module = &mut self.modules[id];
        module.paths = paths.paths;
        module.globs = paths.globs;
        for (name, path) in paths.imports {
            // A path through `use` is an edge, too.
            module.paths.push(path.clone());
            module.imports.insert(name, path);
        }
        id
    }

    fn connect(&mut self) {
        let mut edges: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
        for (id, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                if let Some(Meaning::Item(owner, name)) = self.resolve(id, path, 0) {
                    let to = self.modules[owner].file;
                    if to != module.file {
                        edges.entry((module.file, to)).or_default().insert(name);
                    }
                }
            }
        }
        self.edges = edges;
    }

    /// Finds what a path means in a module. `None` for names of other crates, local names and what the sources do not show.
    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Option<Meaning> {
        // Two globs that import each other would not end.
        if depth > 12 {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut meaning = match first.as_str() {
            "crate" | "$crate" => Meaning::Module(0),
            "self" => Meaning::Module(module),
            "super" => Meaning::Module(self.modules[module].parent?),
            name => self.member(module, name, depth)?,
        };
        while let (Meaning::Module(id), Some((next, after))) = (&meaning, rest.split_first()) {
            meaning = match next.as_str() {
                "super" => Meaning::Module(self.modules[*id].parent?),
                "self" => Meaning::Module(*id),
                name => self.member(*id, name, depth)?,
            };
            rest = after;
        }
        Some(meaning)
    }

    /// Finds a name in a module: its own, imported, or by a glob.
    fn member(&self, module: usize, name: &str, depth: usize) -> Option<Meaning> {
        let m = &self.modules[module];
        if m.items.contains(name) {
            return Some(Meaning::Item(module, name.to_string()));
        }
        if let Some(&child) = m.children.get(name) {
            return Some(Meaning::Module(child));
        }
        if let Some(path) = m.imports.get(name) {
            let itself = path.len() == 1 && path[0] == name;
            return if itself { None } else { self.resolve(module, path, depth + 1) };
        }
        m.globs.iter().find_map(|glob| match self.resolve(module, glob, depth + 1)? {
            Meaning::Module(from) if from != module => self.member(from, name, depth + 1),
            // The variants of an enum.
            _ => None,
        })
    }
}

fn module_file(folder: &Path, name: &str, attributes: &[Attribute]) -> PathBuf {
    for attribute in attributes.iter().filter(|a| a.path().is_ident("path")) {
        if let syn::Meta::NameValue(v) = &attribute.meta
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(s), .. }) = &v.value
        {
            return folder.join(s.value());
        }
    }
    let file = folder.join(format!("{name}.rs"));
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

/// Is the item compiled for tests alone?
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg") && a.parse_args::<syn::Path>().is_ok_and(|p| p.is_ident("test"))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Union(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

/// The name that an item gives to its module.
fn defined(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(i) => &i.ident,
        Item::Enum(i) => &i.ident,
        Item::Fn(i) => &i.sig.ident,
        Item::Macro(i) => i.ident.as_ref()?,
        Item::Static(i) => &i.ident,
        Item::Struct(i) => &i.ident,
        Item::Trait(i) => &i.ident,
        Item::Type(i) => &i.ident,
        Item::Union(i) => &i.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// All paths that an item names.
#[derive(Default)]
struct Paths {
    paths: Vec<Vec<String>>,
    imports: Vec<(String, Vec<String>)>,
    globs: Vec<Vec<String>>,
}

impl Paths {
    fn use_tree(&mut self, prefix: &[String], tree: &UseTree) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(p) => self.use_tree(&with(&p.ident), &p.tree),
            UseTree::Group(g) => g.items.iter().for_each(|t| self.use_tree(prefix, t)),
            UseTree::Glob(_) => self.globs.push(prefix.to_vec()),
            UseTree::Name(n) if n.ident == "self" => {
                self.imports.extend(prefix.last().map(|name| (name.clone(), prefix.to_vec())))
            }
            UseTree::Name(n) => self.imports.push((n.ident.to_string(), with(&n.ident))),
            UseTree::Rename(r) => self.imports.push((r.rename.to_string(), with(&r.ident))),
        }
    }

    /// The paths in a macro's tokens: names joined by `::`.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = vec![];
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.flush(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(p) if p.as_char() == ':' => colons += 1,
                other => {
                    self.flush(&mut path);
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.flush(&mut path);
    }

    fn flush(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.paths.push(std::mem::take(path));
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_path(&mut self, path: &'a syn::Path) {
        self.paths.push(path.segments.iter().map(|s| s.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.use_tree(&[], &item.tree);
    }

    fn visit_macro(&mut self, of: &'a syn::Macro) {
        self.visit_path(&of.path);
        self.tokens(of.tokens.clone());
    }

    /// `pub(in path)` uses nothing.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_item(&mut self, item: &'a Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'a Attribute) {}
}

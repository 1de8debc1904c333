//! The shapes of trees, by a notation with an operator before its operands.

use super::ast::{
    Designator, ExprId, ExprRange, Infix, InitId, InitKind, Item, ItemSign, Kind, List, Node, Prefix, Tree,
};
use super::cursor::Cursor;
use super::declaration::{ArraySize, Member, Param, Row, SpecContext, SpecKind, SpecWord, Step};
use super::declarator::Naming;
use super::expr::Parser;
use super::names::{NameKind, Names};
use super::statement::{Condition, DeclarationKind, ForInit, Labelled, StmtId, StmtKind};
use crate::diag::Diagnostics;
use crate::options::Options;
use crate::source::SourceMap;
use crate::symbol::Interner;

/// Runs a production on a text where `T` is a type, `f` a function, `v` a variable. Gives the tree that `show` makes of
/// the result, the problems in it, and the number of tokens behind it.
fn read_by<R>(
    text: &str,
    production: impl FnOnce(&mut Parser<'_>) -> R,
    show: impl FnOnce(&Tree, &Interner, R) -> String,
) -> (String, Vec<&'static str>, usize) {
    let (mut sources, mut symbols, options) = (SourceMap::new(), Interner::new(), Options::default());
    let mut diagnostics = Diagnostics::new(&options);
    let main = sources.add("test.cl", text);
    let tokens =
        crate::preprocess::preprocess(main, &mut sources, &mut symbols, &options, &mut diagnostics).tokens;
    let mut names = Names::new(symbols.get("T").into_iter());
    for (name, kind) in [("f", NameKind::Function), ("v", NameKind::Value)] {
        symbols.get(name).into_iter().for_each(|name| names.declare(name, kind));
    }
    let mut tree = Tree::default();
    let cursor = Cursor { tokens: &tokens, pos: 0 };
    let mut parser =
        Parser::new(cursor, &symbols, super::words::Language::from_options(&options), &mut names, &mut tree);
    let root = production(&mut parser);
    let left = (tokens.len() - 1).saturating_sub(parser.pos);
    let ids = tree.problems.iter().map(|p| p.id).collect();
    (show(&tree, &symbols, root), ids, left)
}

fn read(text: &str) -> (String, Vec<&'static str>, usize) {
    read_by(text, |p| p.expression(), show)
}

fn shape(text: &str) -> String {
    let (shape, problems, left) = read(text);
    assert!(problems.is_empty() && left == 0, "{text}: {shape}, {problems:?}, {left} tokens left");
    shape
}

fn show(tree: &Tree, symbols: &Interner, id: ExprId) -> String {
    let one = |id: ExprId| show(tree, symbols, id);
    let all = |list: List| tree.list(list).iter().map(|id| one(*id)).collect::<Vec<_>>().join(" ");
    match tree.node(id).kind {
        Kind::Number(text) | Kind::Char(text) | Kind::Name(text) | Kind::Callee(text) => {
            symbols.text(text).to_owned()
        }
        Kind::String => "string".to_owned(),
        Kind::Format => "format".to_owned(),
        Kind::TypeName { .. } => "type".to_owned(),
        Kind::Statements { .. } => "statements".to_owned(),
        Kind::Default => "default".to_owned(),
        Kind::LeastLong => "least".to_owned(),
        Kind::Error => "error".to_owned(),
        Kind::Paren(e) => format!("({})", one(e)),
        Kind::Prefix { op: Prefix::Minus, operand } => format!("[- {}]", one(operand)),
        Kind::Prefix { op, operand } => format!("[{op:?} {}]", one(operand)),
        Kind::IncDec { operand, prefix: true, .. } => format!("[++ {}]", one(operand)),
        Kind::IncDec { operand, .. } => format!("[{} ++]", one(operand)),
        Kind::Infix { op: Infix::Binary(op), lhs, rhs, .. } => format!("[{op:?} {} {}]", one(lhs), one(rhs)),
        Kind::Infix { op, lhs, rhs, .. } => format!("[{op:?} {} {}]", one(lhs), one(rhs)),
        Kind::Assign { lhs, rhs, .. } => format!("[= {} {}]", one(lhs), one(rhs)),
        Kind::Conditional { cond, then, els, .. } => format!("[? {} {} {}]", one(cond), one(then), one(els)),
        Kind::Omitted { .. } => "omitted".to_owned(),
        Kind::Comma { first, second } => format!("[, {} {}]", one(first), one(second)),
        Kind::Cast { operand, .. } => format!("[cast {}]", one(operand)),
        Kind::Components { parts, .. } => format!("[components {}]", all(parts)),
        Kind::CastComponents { operand, .. } => format!("[cast {}]", one(operand)),
        Kind::CompoundLiteral { .. } => "literal".to_owned(),
        Kind::TypeQuery { operand, .. } => format!("[sizeof {}]", one(operand)),
        Kind::Index { base, index } => format!("[index {} {}]", one(base), one(index)),
        Kind::Member { base, name, .. } => format!("[. {} {}]", one(base), symbols.text(name)),
        Kind::Call { callee, args } => format!("[call {} {}]", one(callee), all(args)),
        Kind::OffsetMember { name, .. } => symbols.text(name).to_owned(),
        Kind::Generic { control, associations } => {
            format!("[generic {} {}]", one(control), all(associations))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn operators_bind_by_their_precedence() {
    assert_eq!(shape("1 + v * 2 << 3"), "[Shl [Add 1 [Mul v 2]] 3]");
    assert_eq!(shape("v = x = 1, 2"), "[, [= v [= x 1]] 2]");
    assert_eq!(shape("v ? 1 : x ? 2 : 3"), "[? v 1 [? x 2 3]]");
    assert_eq!(shape("v ?: 3"), "[? v omitted 3]");
    assert_eq!(shape("-v.x[1]++"), "[- [[index [. v x] 1] ++]]");
    assert_eq!(shape("++v && !v || 1"), "[Or [And [++ v] [Not v]] 1]");
    assert_eq!(shape("-9223372036854775808 - 1"), "[Sub least 1]");
}

#[test]
fn names_tell_types_from_values() {
    assert_eq!(shape("(T)(v)"), "[cast [components v]]");
    assert_eq!(shape("(v)(1)"), "[call v 1]");
    assert_eq!(shape("(f)(1)"), "[call f 1]");
    assert_eq!(shape("(T) * v"), "[cast [Deref v]]");
    assert_eq!(shape("(v) * v"), "[Mul (v) v]");
    assert_eq!(shape("(T)(1, v).x"), "[cast [. [components 1 v] x]]");
    assert_eq!(shape("(T)(f)(1)"), "[cast [call f 1]]");
    assert_eq!(shape("(T)(int)v"), "[cast [cast v]]");
    assert_eq!(shape("(T){ 1, { 2 } }.x"), "[. literal x]");
    assert_eq!(
        shape("sizeof(T) + sizeof (v) + sizeof v"),
        "[Add [Add [sizeof type] [sizeof (v)]] [sizeof v]]"
    );
    assert_eq!(shape("sizeof(int (*)[3])"), "[sizeof type]");
    assert_eq!(shape("sizeof(typeof(v + 1)) * 2"), "[Mul [sizeof type] 2]");
}

#[test]
fn calls_and_selections() {
    assert_eq!(shape("f(1, v)(2)"), "[call [call f 1 v] 2]");
    assert_eq!(shape("printf(\"a\" \"b\", v)"), "[call printf format v]");
    assert_eq!(shape("printf(\"a\" + 1)"), "[call printf [Add string 1]]");
    assert_eq!(shape("f(\"a\")"), "[call f string]");
    assert_eq!(shape("__builtin_astype(v, T)"), "[call __builtin_astype v type]");
    assert_eq!(shape("__builtin_offsetof(T, a.b[1])"), "[call __builtin_offsetof [index [. a b] 1]]");
    assert_eq!(shape("_Generic(v, T: 1, default: 2)"), "[generic v type 1 default 2]");
    assert_eq!(shape("({ v; { } }) + 1"), "[Add statements 1]");
}

#[test]
fn problems_are_reported_and_the_tree_is_whole() {
    assert_eq!(read("v + ;"), ("[Add v error]".to_owned(), vec!["expected-expression"], 1));
    assert_eq!(read("f(1, 2;"), ("[call f 1 2]".to_owned(), vec!["expected-token"], 1));
    assert_eq!(read("v.1"), ("v".to_owned(), vec![], 1));
    assert_eq!(read("v.;"), ("error".to_owned(), vec!["expected-member"], 1));
    let deep = format!("{}v{}", "(".repeat(1000), ")".repeat(1000));
    assert_eq!(read(&deep).1, ["nesting-too-deep"]);
}

fn show_initializer(tree: &Tree, symbols: &Interner, init: InitId) -> String {
    let range = |range: ExprRange| show(tree, symbols, range.root);
    let list = match tree.initializer(init).kind {
        InitKind::Expr(e) => return range(e),
        InitKind::List(list) => list,
    };
    let item = |item: &Item| {
        let (start, end) = item.designators;
        let designators = tree.designators[start as usize..end as usize].iter().map(|d| match *d {
            Designator::Member { name, .. } => format!(".{}", symbols.text(name)),
            Designator::Index { from, to: None, .. } => format!("[{}]", range(from)),
            Designator::Index { from, to: Some(to), .. } => format!("[{}...{}]", range(from), range(to)),
        });
        let value = match item.sign {
            ItemSign::Broken => "broken".to_owned(),
            _ => show_initializer(tree, symbols, item.value),
        };
        let sign = match item.sign {
            ItemSign::Equal => "=",
            ItemSign::Colon => ":",
            ItemSign::None | ItemSign::Bracket | ItemSign::Broken => "",
        };
        format!("{}{sign}{value}", designators.collect::<String>())
    };
    let items: Vec<String> = tree.items[list.start as usize..list.end as usize].iter().map(item).collect();
    format!("{{{}}}", items.join(", "))
}

#[test]
fn initializers_are_lists_of_items() {
    let cases = [
        ("1 + v", "[Add 1 v]"),
        ("{}", "{}"),
        ("{ 1, { v, 2, }, f(3), }", "{1, {v, 2}, [call f 3]}"),
        ("{ [1] = 2, .x[v].y = { 3 }, 4 }", "{[1]=2, .x[v].y={3}, 4}"),
        ("{ x: 1, [2] 3, [4 ... 5] = 6 }", "{.x:1, [2]3, [4...5]=6}"),
        ("(T){ (T){ 1 }.x, 2 }", "literal"),
    ];
    for (text, shape) in cases {
        assert_eq!(
            read_by(text, |p| p.initializer(), show_initializer),
            (shape.to_owned(), vec![], 0),
            "{text}"
        );
    }
    let broken = [
        ("{ .x 1 }", "{.x=1}", "expected-token"),
        ("{ 1, .2, 3 }", "{1, .2, 3}", ""),
        ("{ 1, .(, 3 }", "{1, broken}", "invalid-designator"),
        ("{ 1, 2 v }", "{1, 2}", ""),
        ("{ 1, ]", "{1, error}", "expected-expression"),
    ];
    for (text, shape, problem) in broken {
        let (found, problems, _) = read_by(text, |p| p.initializer(), show_initializer);
        assert_eq!((found.as_str(), problems.first().copied().unwrap_or("")), (shape, problem), "{text}");
    }
}

fn show_specs(tree: &Tree, symbols: &Interner, specs: u32) -> String {
    let all = &tree.declarations;
    let word = |word: SpecWord| match word.kind {
        SpecKind::Qualifier(name) | SpecKind::Keyword(name) => symbols.text(name).to_owned(),
        SpecKind::TypedefName(name) => format!("<{}>", symbols.text(name)),
        SpecKind::UnknownType(name) => format!("?{}", symbols.text(name)),
        SpecKind::Attributes(row) => {
            let names = row.items(&all.attributes).map(|a| symbols.text(a.name).to_owned());
            format!("[{}]", names.collect::<Vec<_>>().join(" "))
        }
        SpecKind::Record(index) => {
            let members = all.records[index as usize].members.map(|row| {
                let member = |member: Member| match member {
                    Member::Declaration { specs, declarators, .. } => {
                        let names = declarators.items(&all.member_declarators).map(|m| {
                            m.declarator.map_or_else(String::new, |d| show_declarator(tree, symbols, d))
                        });
                        format!(
                            "{} {}",
                            show_specs(tree, symbols, specs),
                            names.collect::<Vec<_>>().join(", ")
                        )
                    }
                    other => format!("{other:?}"),
                };
                row.items(&all.members).map(member).collect::<Vec<_>>().join("; ")
            });
            format!("struct{{{}}}", members.unwrap_or_default())
        }
        SpecKind::Enum(index) => {
            let list = all.enums[index as usize].enumerators.unwrap_or_default();
            let names = list.items(&all.enumerators).map(|e| symbols.text(e.name).to_owned());
            format!("enum{{{}}}", names.collect::<Vec<_>>().join(", "))
        }
        SpecKind::TypeofType(_) => "typeof type".to_owned(),
        SpecKind::TypeofExpr(e) => format!("typeof {}", show(tree, symbols, e.root)),
        other => format!("{other:?}"),
    };
    let words = all.specs[specs as usize].words;
    words.items(&all.words).map(word).collect::<Vec<_>>().join(" ")
}

/// The steps from the name outwards, behind the name.
fn show_declarator(tree: &Tree, symbols: &Interner, declarator: u32) -> String {
    let all = &tree.declarations;
    let declarator = all.declarators[declarator as usize];
    let mut text = match (declarator.name, declarator.inner) {
        (Some((name, _)), _) => symbols.text(name).to_owned(),
        (None, Some(inner)) => show_declarator(tree, symbols, inner),
        (None, None) => "-".to_owned(),
    };
    let before: Vec<Step> = declarator.before.items(&all.steps).collect();
    for step in declarator.behind.items(&all.steps).chain(before.into_iter().rev()) {
        text += &match step {
            Step::Attributes(_) => " []".to_owned(),
            Step::Pointer(_) => " *".to_owned(),
            Step::Reference { rvalue, .. } => if rvalue { " &&" } else { " &" }.to_owned(),
            Step::Caret { .. } => " ^".to_owned(),
            Step::Array { size: ArraySize::Value(e), .. } => format!(" [{}]", show(tree, symbols, e.root)),
            Step::Array { .. } => " []".to_owned(),
            Step::Function { params, .. } => {
                let param = |param: Param| match param {
                    Param::Typed { specs, declarator } => {
                        let declarator = show_declarator(tree, symbols, declarator);
                        format!("{} {declarator}", show_specs(tree, symbols, specs))
                    }
                    Param::Name { name, .. } => symbols.text(name).to_owned(),
                };
                format!(" ({})", params.items(&all.params).map(param).collect::<Vec<_>>().join(", "))
            }
        };
    }
    text
}

#[test]
fn specifiers_and_declarators_are_read_without_types() {
    let specs = [
        ("const unsigned int x", "const unsigned int", 1),
        ("T T", "<T>", 1),
        ("global T *v", "global <T>", 2),
        ("x y", "?x", 1),
        ("v * 2", "", 3),
        ("__attribute__((packed, aligned(4))) T x", "[packed aligned] <T>", 1),
        ("struct S { int a, *b; T c[2]; } s", "struct{int a, b *; <T> c [2]}", 1),
        ("enum { A, B = A + 1 } e", "enum{A, B}", 1),
        ("typeof(v + 1) w", "typeof [Add v 1]", 1),
        ("typeof(T *) w", "typeof type", 1),
    ];
    for (text, shape, left) in specs {
        let read = read_by(text, |p| p.specifiers(SpecContext::Block), show_specs);
        assert_eq!(read, (shape.to_owned(), vec![], left), "{text}");
    }
    let declarators = [
        ("x", "x"),
        ("*x[3]", "x [3] *"),
        ("(*x)[3]", "x * [3]"),
        ("f(int a, T *, v w)", "f (int a, <T> - *, ?v w)"),
        ("(*const *x)(void)", "x * * ()"),
        ("f(a, b)", "f (a, b)"),
    ];
    for (text, shape) in declarators {
        let read = read_by(text, |p| p.declarator(Naming::Required), show_declarator);
        assert_eq!(read, (shape.to_owned(), vec![], 0), "{text}");
    }
}

/// Semantic analysis types the nodes in order, so operands precede the node that takes them.
#[test]
fn nodes_hold_their_tokens() {
    let ranges = |tree: &Tree, _: &Interner, _| {
        let range = |node: &Node| format!("{}-{}", node.first, node.last);
        tree.nodes.iter().map(range).collect::<Vec<_>>().join(" ")
    };
    let (found, ..) = read_by("a + (b - c) * 2", |p| p.expression(), ranges);
    assert_eq!(found, "0-0 3-3 5-5 3-5 2-6 8-8 2-8 0-8");
}

fn show_items(tree: &Tree, symbols: &Interner, items: Row) -> String {
    let items = (items.start..items.end).map(|index| tree.statements.item(index));
    let items: Vec<String> = items.map(|id| show_stmt(tree, symbols, id)).collect();
    format!("{{{}}}", items.join("; "))
}

fn show_stmt(tree: &Tree, symbols: &Interner, id: StmtId) -> String {
    let (all, stmt) = (&tree.statements, tree.statements.stmt(id));
    let one = |id: StmtId| show_stmt(tree, symbols, id);
    let e = |e: ExprRange| show(tree, symbols, e.root);
    let cond = |c: Condition| c.expr.map_or_else(|| "none".to_owned(), e);
    let labelled = |body: Labelled| match body {
        Labelled::Statement(Some(body)) => one(body),
        other => format!("{other:?}"),
    };
    let hints = stmt.hints.items(&all.hints).map(|_| "hint ".to_owned()).collect::<String>();
    hints
        + &match stmt.kind {
            StmtKind::Compound(items) => show_items(tree, symbols, items),
            StmtKind::Expression(range) => e(range),
            StmtKind::If { arms, els } => {
                let arms =
                    arms.items(&all.arms).map(|arm| format!("if {} {}", cond(arm.cond), one(arm.then)));
                let els = els.map(|els| format!("else {}", one(els)));
                arms.chain(els).collect::<Vec<_>>().join(" ")
            }
            StmtKind::Switch { value, body } => format!("switch {} {}", cond(value), one(body)),
            StmtKind::While { cond: c, body } => format!("while {} {}", cond(c), one(body)),
            StmtKind::Do { body, cond: c } => {
                format!("do {} {}", one(body), c.map_or_else(String::new, cond))
            }
            StmtKind::For(index) => {
                let f = all.fors[index as usize];
                let init = match f.init {
                    ForInit::None => String::new(),
                    ForInit::Declaration(id) => one(id),
                    ForInit::Expression(range) => e(range),
                };
                let (c, step) = (f.cond.map_or_else(String::new, e), f.step.map_or_else(String::new, e));
                format!("for [{init}|{c}|{step}] {}", f.body.map_or_else(String::new, one))
            }
            StmtKind::Case { low, body, .. } => format!("case {} {}", e(low), labelled(body)),
            StmtKind::Default { body, .. } => format!("default {}", labelled(body)),
            StmtKind::Label { name, body } => format!("{}: {}", symbols.text(name), labelled(body)),
            StmtKind::Return(value) => format!("return {}", value.map_or_else(String::new, e)),
            StmtKind::Goto { name, .. } => format!("goto {}", symbols.text(name)),
            StmtKind::Declaration(index) => show_declaration(tree, symbols, index),
            other => format!("{other:?}"),
        }
}

fn show_declaration(tree: &Tree, symbols: &Interner, index: u32) -> String {
    let declaration = tree.statements.declarations[index as usize];
    let specs = show_specs(tree, symbols, declaration.specs);
    let DeclarationKind::Declarators(row) = declaration.kind else {
        return format!("{specs} {:?}", declaration.kind);
    };
    let list = row.items(&tree.statements.declarators).map(|d| {
        let mut text = show_declarator(tree, symbols, d.declarator);
        if let Some(init) = d.init.and_then(|init| init.value) {
            text += &format!(" = {}", show_initializer(tree, symbols, init));
        }
        if let Some(body) = d.body {
            text += &format!(" {}", show_items(tree, symbols, body.items));
        }
        text
    });
    format!("{specs} {}", list.collect::<Vec<_>>().join(", "))
}

/// The shape of a block in a function, and the problems in it.
fn block_shape(text: &str) -> (String, Vec<&'static str>) {
    let read = |p: &mut Parser<'_>| {
        p.bump();
        p.in_scope(|p| p.block(0))
    };
    let (shape, problems, left) = read_by(text, read, show_items);
    assert_eq!(left, 0, "{text}: {shape}");
    (shape, problems)
}

#[test]
fn statements_are_read_without_types() {
    let cases = [
        ("{ v; { } ; }", "{v; {}; Empty}"),
        ("{ if (v) v; else if (1) { } else f(1); }", "{if v v if 1 {} else [call f 1]}"),
        ("{ for (int i = 0, j; i < 1; i++) v; }", "{for [int i = 0, j|[Lt i 1]|[i ++]] v}"),
        ("{ for (;;) while (1) do v; while (2); }", "{for [||] while 1 do v 2}"),
        (
            "{ switch (v) { case 1: case 2: v; default: } }",
            "{switch v {case 1 Item; case 2 Item; v; default End}}",
        ),
        ("{ switch (v) case 1: v; }", "{switch v case 1 v}"),
        ("{ again: v; goto again; end: }", "{again: v; goto again; end: End}"),
        ("{ here: int x; return x; }", "{here: Declaration; int x; return x}"),
        ("{ __attribute__((opencl_unroll_hint)) for (;;) v; }", "{hint for [||] v}"),
        ("{ int x = ({ T y; y; }), z; }", "{int x = statements, z}"),
    ];
    for (text, shape) in cases {
        assert_eq!(block_shape(text), (shape.to_owned(), vec![]), "{text}");
    }
    let broken = [
        ("{ v 1; }", "{v}", "expected-semicolon"),
        ("{ if (v 1) v; }", "{if v v}", "expected-token"),
        ("{ if v { } }", "{if v {}}", "expected-token"),
        ("{ else v; }", "{Empty; v}", "else-without-if"),
        ("{ if (v) int x; }", "{if v Misplaced(StmtId(0))}", "expected-statement"),
        ("{ v;", "{v}", "expected-token"),
    ];
    for (text, shape, problem) in broken {
        assert_eq!(block_shape(text), (shape.to_owned(), vec![problem]), "{text}");
    }
}

/// A name is a type or a value by the scopes that the parser keeps itself.
#[test]
fn declarations_decide_the_kinds_of_names() {
    let cases = [
        ("{ T * v; }", "{<T> v *}"),
        ("{ int T; T * v; }", "{int T; [Mul T v]}"),
        ("{ { int T; T * v; } T * v; }", "{{int T; [Mul T v]}; <T> v *}"),
        ("{ typedef int v; v * x; }", "{typedef int v; <v> x *}"),
        ("{ enum { T }; T * v; }", "{enum{T} Nothing; [Mul T v]}"),
        ("{ for (int T = 0; ;) T * v; T * v; }", "{for [int T = 0||] [Mul T v]; <T> v *}"),
        ("{ int T = sizeof(T); }", "{int T = [sizeof (T)]}"),
        ("{ ({ int T; T * v; }); T * v; }", "{statements; <T> v *}"),
        ("{ int g(int T); T * v; (g)(1); }", "{int g (int T); <T> v *; [call g 1]}"),
    ];
    for (text, shape) in cases {
        assert_eq!(block_shape(text), (shape.to_owned(), vec![]), "{text}");
    }
    let external = [
        ("void g(int T) { T * v; }", "void g (int T) {[Mul T v]}"),
        ("int g(x, w) int x, *w; { x * v; }", "int g (x, w) {[Mul x v]}"),
        ("typedef T U; ", "typedef <T> U"),
        ("T v(T T), w;", "<T> v (<T> T), w"),
    ];
    for (text, shape) in external {
        let read = read_by(text, |p| p.declaration(), show_declaration);
        assert_eq!((read.0.as_str(), read.1.len(), read.2), (shape, 0, 0), "{text}");
    }
}

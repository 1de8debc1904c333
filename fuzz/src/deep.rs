//! Programs of one construct, nested or repeated very often: limits must give an error or work, never overflow the
//! stack, and the time must stay linear.

/// A construct, and how a program with `n` of it is made.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Its name in tables.
    pub name: &'static str,
    make: fn(usize) -> String,
}

impl Shape {
    /// The program with `n`.
    pub fn program(self, n: usize) -> String {
        (self.make)(n)
    }
}

/// A kernel around some statements.
fn kernel(body: &str) -> String {
    format!("struct S {{ int a; struct S *n; }};\nkernel void k(global int *p, int x) {{\n{body}\n}}\n")
}

fn around(open: &str, middle: &str, close: &str, n: usize) -> String {
    [open.repeat(n), middle.to_owned(), close.repeat(n)].concat()
}

/// Every construct.
pub const SHAPES: &[Shape] = &[
    Shape { name: "parentheses", make: |n| kernel(&format!("p[0] = {};", around("(", "x", ")", n))) },
    Shape { name: "open parentheses", make: |n| kernel(&format!("p[0] = {}", "(".repeat(n))) },
    Shape { name: "open brackets", make: |n| kernel(&format!("p{}", "[".repeat(n))) },
    Shape { name: "open braces", make: |n| "{".repeat(n) },
    Shape { name: "close braces", make: |n| "}".repeat(n) },
    Shape { name: "blocks", make: |n| kernel(&around("{", "p[0] = x;", "}", n)) },
    Shape { name: "negations", make: |n| kernel(&format!("p[0] = {}x;", "- ".repeat(n))) },
    Shape { name: "nots", make: |n| kernel(&format!("p[0] = {}x;", "!".repeat(n))) },
    Shape { name: "stars", make: |n| kernel(&format!("p[0] = {}x;", "*".repeat(n))) },
    Shape { name: "addresses", make: |n| kernel(&format!("p[0] = {}x;", "&*".repeat(n))) },
    Shape { name: "casts", make: |n| kernel(&format!("p[0] = {}x;", "(int)".repeat(n))) },
    Shape { name: "sizeofs", make: |n| kernel(&format!("p[0] = {}x;", "sizeof ".repeat(n))) },
    Shape { name: "sum", make: |n| kernel(&format!("p[0] = x{};", " + x".repeat(n))) },
    Shape { name: "constant sum", make: |n| kernel(&format!("p[0] = 1{};", " + 1".repeat(n))) },
    Shape { name: "nested sum", make: |n| kernel(&format!("p[0] = {};", around("x + (", "x", ")", n))) },
    Shape { name: "logic", make: |n| kernel(&format!("p[0] = x{};", " && x".repeat(n))) },
    Shape { name: "commas", make: |n| kernel(&format!("p[0] = (x{});", ", x".repeat(n))) },
    Shape { name: "ternaries", make: |n| kernel(&format!("p[0] = {}x;", "x ? x : ".repeat(n))) },
    Shape {
        name: "middle ternaries",
        make: |n| kernel(&format!("p[0] = {};", around("x ? ", "x", " : x", n))),
    },
    Shape { name: "assignments", make: |n| kernel(&format!("int y; {}x;", "y = ".repeat(n))) },
    Shape { name: "calls", make: |n| kernel(&format!("p[0] = {};", around("abs(", "x", ")", n))) },
    Shape { name: "subscripts", make: |n| kernel(&format!("p[0] = {};", around("p[", "x", "]", n))) },
    Shape {
        name: "member chain",
        make: |n| kernel(&format!("struct S s; p[0] = s{}.a;", ".n[0]".repeat(n))),
    },
    Shape { name: "ifs", make: |n| kernel(&format!("{}p[0] = x;", "if (x) ".repeat(n))) },
    Shape { name: "else ifs", make: |n| kernel(&format!("{}p[0] = x;", "if (x) p[0] = 1; else ".repeat(n))) },
    Shape { name: "loops", make: |n| kernel(&format!("{}p[0] = x;", "while (x) ".repeat(n))) },
    Shape { name: "for loops", make: |n| kernel(&format!("{}p[0] = x;", "for (;x;) ".repeat(n))) },
    Shape { name: "dos", make: |n| kernel(&around("do ", "p[0] = x;", " while (x);", n)) },
    Shape { name: "switches", make: |n| kernel(&around("switch (x) { default: ", "p[0] = x;", "}", n)) },
    Shape { name: "labels", make: |n| kernel(&(0..n).map(|i| format!("l{i}: ")).collect::<String>()) },
    Shape {
        name: "cases",
        make: |n| {
            let cases: String = (0..n).map(|i| format!("case {i}: p[0] = {i}; break;\n")).collect();
            kernel(&format!("switch (x) {{ {cases} }}"))
        },
    },
    Shape { name: "statements", make: |n| kernel(&"p[0] += x;\n".repeat(n)) },
    Shape { name: "long line", make: |n| kernel(&"p[0] += x;".repeat(n)) },
    Shape {
        name: "long line of wide characters",
        make: |n| kernel(&"p[0] += x/*\u{e4}\u{1f600}*/;".repeat(n)),
    },
    Shape { name: "warnings in a line", make: |n| kernel(&"{ float *f = (global int *)p; }".repeat(n)) },
    Shape { name: "empty statements", make: |n| kernel(&";".repeat(n)) },
    Shape {
        name: "variables",
        make: |n| {
            kernel(&(0..n).map(|i| format!("int v{i} = x + {i}; p[{i}] = v{i};\n")).collect::<String>())
        },
    },
    Shape { name: "shadowing", make: |n| kernel(&around("{ int x = 1;", "p[0] = x;", "}", n)) },
    Shape {
        name: "functions",
        make: |n| {
            let mut text = "int f0(int x) { return x; }\n".to_owned();
            for i in 1..n {
                text.push_str(&format!("int f{i}(int x) {{ return f{}(x) + {i}; }}\n", i - 1));
            }
            text + &kernel(&format!("p[0] = f{}(x);", n.saturating_sub(1)))
        },
    },
    Shape {
        name: "kernels",
        make: |n| (0..n).map(|i| format!("kernel void k{i}(global int *p) {{ p[0] = {i}; }}\n")).collect(),
    },
    Shape {
        name: "errors",
        make: |n| kernel(&(0..n).map(|i| format!("p[0] = undeclared{i};\n")).collect::<String>()),
    },
    Shape { name: "one error", make: |n| kernel(&"p[0] = undeclared;\n".repeat(n)) },
    Shape { name: "warnings", make: |n| kernel(&"{ float *f = (global int *)p; }\n".repeat(n)) },
    Shape { name: "garbage", make: |n| "@ $ ` int + ;".repeat(n) },
    Shape { name: "pointer declarator", make: |n| format!("int {}v;", "*".repeat(n)) },
    Shape { name: "array declarator", make: |n| format!("constant int v{} = {{0}};", "[1]".repeat(n)) },
    Shape {
        name: "large array declarator",
        make: |n| format!("constant int v{} = {{0}};", "[65536]".repeat(n)),
    },
    Shape { name: "nested declarator", make: |n| format!("int {};", around("(", "v", ")", n)) },
    Shape { name: "function declarator", make: |n| format!("int v{};", "(int)".repeat(n)) },
    Shape { name: "parameters", make: |n| format!("void f(int a{});", ", int".repeat(n)) },
    Shape { name: "nested parameters", make: |n| around("void f(void g(", "int", "))", n) },
    Shape { name: "nested structures", make: |n| around("struct {", "int a;", "} s;", n) },
    Shape {
        name: "members",
        make: |n| format!("struct S {{ {} }};", (0..n).map(|i| format!("int m{i};")).collect::<String>()),
    },
    Shape {
        name: "enumerators",
        make: |n| format!("enum {{ {} }};", (0..n).map(|i| format!("E{i},")).collect::<String>()),
    },
    Shape {
        name: "typedefs",
        make: |n| {
            (0..n)
                .map(|i| {
                    format!("typedef {} T{i};", if i == 0 { "int".to_owned() } else { format!("T{}", i - 1) })
                })
                .collect()
        },
    },
    Shape {
        name: "pointer typedefs",
        make: |n| {
            (0..n)
                .map(|i| {
                    format!(
                        "typedef {} *T{i};",
                        if i == 0 { "int".to_owned() } else { format!("T{}", i - 1) }
                    )
                })
                .collect()
        },
    },
    Shape {
        name: "array typedefs",
        make: |n| {
            (0..n)
                .map(|i| {
                    format!(
                        "typedef {} T{i}[2];",
                        if i == 0 { "int".to_owned() } else { format!("T{}", i - 1) }
                    )
                })
                .collect()
        },
    },
    Shape {
        name: "braces in initializer",
        make: |n| format!("constant int v[1] = {};", around("{", "1", "}", n)),
    },
    Shape {
        name: "initializers",
        make: |n| format!("constant int v[] = {{ {} }};\n{}", "1,".repeat(n), kernel("p[0] = v[x];")),
    },
    Shape {
        name: "huge array",
        make: |n| {
            format!("constant int v[{n}] = {{ [{}] = 1 }};\n{}", n.saturating_sub(1), kernel("p[0] = v[x];"))
        },
    },
    Shape { name: "private array", make: |n| kernel(&format!("int v[{n}] = {{ 1 }}; p[0] = v[x];")) },
    Shape { name: "specifiers", make: |n| format!("{} int v;", "const ".repeat(n)) },
    Shape { name: "attributes", make: |n| format!("{} int v;", "__attribute__((aligned(4))) ".repeat(n)) },
    Shape {
        name: "attribute nesting",
        make: |n| format!("__attribute__(({})) int v;", around("a(", "b", ")", n)),
    },
    Shape { name: "strings", make: |n| kernel(&format!("printf({});", "\"a\" ".repeat(n))) },
    Shape { name: "long string", make: |n| kernel(&format!("printf(\"{}\");", "a".repeat(n))) },
    Shape {
        name: "printf arguments",
        make: |n| kernel(&format!("printf(\"{}\"{});", "%d".repeat(n), ", x".repeat(n))),
    },
    Shape { name: "long name", make: |n| format!("int {};", "a".repeat(n)) },
    Shape { name: "long number", make: |n| kernel(&format!("p[0] = {};", "9".repeat(n))) },
    Shape { name: "long fraction", make: |n| kernel(&format!("p[0] = 0.{}1;", "0".repeat(n))) },
    Shape { name: "exponent", make: |n| kernel(&format!("p[0] = 1e{n} + 0x1p{n} + 1e-{n};")) },
    Shape { name: "comments", make: |n| "/* */".repeat(n) },
    Shape { name: "open comments", make: |n| "/*".repeat(n) },
    Shape { name: "lines", make: |n| "\n".repeat(n) },
    Shape { name: "spliced lines", make: |n| "\\\n".repeat(n) },
    Shape { name: "conditionals", make: |n| around("#if 1\n", "int v;\n", "#endif\n", n) },
    Shape { name: "elifs", make: |n| format!("#if 0\n{}#endif\n", "#elif 0\n".repeat(n)) },
    Shape { name: "condition", make: |n| format!("#if {}\n#endif\n", around("(", "1", ")", n)) },
    Shape { name: "condition negations", make: |n| format!("#if {}1\n#endif\n", "!".repeat(n)) },
    Shape { name: "condition sum", make: |n| format!("#if 1{}\n#endif\n", " + 1".repeat(n)) },
    Shape { name: "condition ternaries", make: |n| format!("#if {} 1\n#endif\n", "1 ? 1 : ".repeat(n)) },
    Shape {
        name: "macro chain",
        make: |n| {
            format!(
                "#define M0 1\n{}int v = M{n};",
                (1..=n).map(|i| format!("#define M{i} M{}\n", i - 1)).collect::<String>()
            )
        },
    },
    Shape {
        name: "macro doubling",
        make: |n| {
            format!(
                "#define M0 1\n{}int v = M{n};",
                (1..=n).map(|i| format!("#define M{i} M{0} + M{0}\n", i - 1)).collect::<String>()
            )
        },
    },
    Shape {
        name: "macro argument nesting",
        make: |n| format!("#define M(x) x\nint v = {};", around("M(", "1", ")", n)),
    },
    Shape {
        name: "macro argument doubling",
        make: |n| format!("#define M(x) x + x\nint v = {};", around("M(", "1", ")", n)),
    },
    Shape {
        name: "macro arguments",
        make: |n| format!("#define M(...) __VA_ARGS__\nint v[] = {{ M(1{}) }};", ", 1".repeat(n)),
    },
    Shape { name: "open macro call", make: |n| format!("#define M(x) x\nint v = {}", "M(".repeat(n)) },
    Shape { name: "pasting", make: |n| format!("#define M(x) x {}\nM(a)", "## x ".repeat(n)) },
    Shape {
        name: "stringizing",
        make: |n| format!("#define S(x) #x\nconstant char v[] = S({});", "a ".repeat(n)),
    },
    Shape {
        name: "generic selections",
        make: |n| kernel(&format!("p[0] = {};", around("_Generic(1, int: ", "1", ")", n))),
    },
    Shape {
        name: "vector literals",
        make: |n| kernel(&format!("p[0] = {}.x;", around("((int2)(", "1", ", 2).x)", n))),
    },
    Shape {
        name: "compound literals",
        make: |n| kernel(&format!("p[0] = {};", around("(int){", "1", "}", n))),
    },
    Shape { name: "swizzles", make: |n| kernel(&format!("int4 v = x; p[0] = v{}.x;", ".xyzw".repeat(n))) },
    Shape { name: "pragmas", make: |n| "#pragma OPENCL EXTENSION all : disable\n".repeat(n) },
    Shape { name: "line marks", make: |n| "#line 9 \"a\"\nint;\n".repeat(n) },
];

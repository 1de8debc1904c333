use super::*;
use crate::options::Features;

fn run_with(text: &str, options: &Options) -> (String, Vec<String>) {
    let mut sources = SourceMap::new();
    let mut diags = Diagnostics::new(options);
    let main = sources.add("main.cl", text);
    let mut symbols = Interner::new();
    let Preprocessed { tokens, .. } = preprocess(main, &mut sources, &mut symbols, options, &mut diags);
    assert_eq!(tokens.last().map(|t| t.kind), Some(TokenKind::Eof));
    let mut out = String::new();
    for token in &tokens[..tokens.len() - 1] {
        if token.space_before && !out.is_empty() {
            out.push(' ');
        }
        match token.kind {
            TokenKind::Pragma(s) => out.push_str(&format!("<{}>", symbols.text(s))),
            _ => out.push_str(&lexer::spell(token, &symbols)),
        }
    }
    (out, diags.iter().map(|d| format!("{}: {}", d.id, d.message)).collect())
}

fn run(text: &str) -> String {
    let (out, diags) = run_with(text, &Options::default());
    assert_eq!(diags, Vec::<String>::new(), "for {text}");
    out
}

fn ids(text: &str) -> Vec<String> {
    let (_, diags) = run_with(text, &Options::default());
    diags.iter().map(|d| d.split(':').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn splices_comments_and_digraphs() {
    assert_eq!(run("in\\\nt a/* x\n y */b; // c \\\n d\nint e;"), "int a b; int e;");
    assert_eq!(run("<: :> <% %> + \\\n+"), "[ ] { } + +");
    assert_eq!(run("+\\\n+ 1.5e+3f .5 0x1p-3 a.b ..."), "++ 1.5e+3f .5 0x1p-3 a.b ...");
    assert_eq!(run("\"a\\\"b\" '\\'' L\"x\" \"caf\u{e9}\""), "\"a\\\"b\" '\\'' L\"x\" \"caf\u{e9}\"");
}

#[test]
fn trigraphs() {
    let only_warned = |text: &str| {
        let (out, diags) = run_with(text, &Options::default());
        assert!(diags.len() == 1 && diags[0].starts_with("trigraphs"), "{diags:?}");
        out
    };
    assert_eq!(only_warned("??=define A(x) ??=x\nA(a) ??(??)??<??>??'??!??-"), "\"a\" []{}^|~");
    assert_eq!(only_warned("|??! ??'= ??=??= \"??/\"??!\" a??!b"), "|| ^= ## \"\\\"|\" a|b");
    // Splices, and what is no trigraph, are not worth a word.
    assert_eq!(run("in??/\nt a; // c ??/\n d\nint ??/\r\ne ?? \"???\" ?"), "int a; int e ?? \"???\" ?");
    assert_eq!(run("#if 0\n??< \"??!\"\n#endif\na?b:c"), "a?b:c");
    assert_eq!(ids("a ??/ b"), ["invalid-character"]);
}

#[test]
fn object_and_function_macros() {
    assert_eq!(run("#define A B C\n#define B b\nA"), "b C");
    assert_eq!(run("#define F(x, y) x + y\nF(1, (2, 3)) F\n(4,\n5) F"), "1 + (2, 3) 4 + 5 F");
    assert_eq!(run("#define E() e\n#define O(x) [x]\nE() O() E ( )"), "e [] e");
    assert_eq!(run("#define a a b\n#define f(x) f(x + a)\nf(a)"), "f(a b + a b)");
    assert_eq!(run("#define x y\n#define y x\nx y"), "x y");
}

/// C99 §6.10.3.5, examples 3 to 5 and 7.
#[test]
fn standard_examples() {
    let defs = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
                #define r(x,y) x ## y\n#define str(x) # x\n";
    assert_eq!(
        run(&format!("{defs}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);")),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"
    );
    assert_eq!(
        run(&format!("{defs}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);")),
        "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"
    );
    assert_eq!(
        run(&format!("{defs}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};")),
        "int i[] = { 1, 23, 4, 5, };"
    );
    assert_eq!(
        run("#define h # ## #\n#define mk(a) # a\n#define in(a) mk(a)\n#define j(c, d) in(c h d)\nj(x, y)"),
        "\"x ## y\""
    );
    assert_eq!(
        run(
            "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };"
        ),
        "int j[] = { 123, 45, 67, 89, 10, 11, 12, };"
    );
    assert_eq!(run("#define s(x) #x\ns( a  +\"x\\n\" '\\0' )"), "\"a +\\\"x\\\\n\\\" '\\\\0'\"");
}

#[test]
fn variadic_macros() {
    let defs = "#define P(f, ...) p(f, ## __VA_ARGS__)\n#define Q(...) q(__VA_ARGS__)\n#define G(a...) g(a)\n#define O 1\n";
    assert_eq!(
        run(&format!("{defs}P(a) P(a, O, c) Q(O, (2,3)) Q() G(x, y)")),
        "p(a) p(a, 1, c) q(1, (2,3)) q() g(x, y)"
    );
    assert_eq!(run(&format!("{defs}P(a,) P(P, P(1, 2))")), "p(a,) p(P, P(1, 2))");
}

#[test]
fn conditionals() {
    assert_eq!(run("#if 0 && 1/0 || 2 > 1u\na\n#else\nb\n#endif"), "a");
    assert_eq!(
        run("#if 0\ndon't #define A\n#if 1\n#else\n#endif\nx\n#elif -1 > 0u\ny\n#else\nz\n#endif"),
        "y"
    );
    assert_eq!(
        run(
            "#define A\n#ifdef A\n1\n#endif\n#ifndef A\n2\n#elif defined A && !defined(B)\n3\n#elif 1/0\n4\n#endif"
        ),
        "1 3"
    );
    assert_eq!(run("#if (1 ? 2 : 3) == 2 && 'a' == 97 && 0x10 == 020 && ~0 == -1\n1\n#endif"), "1");
    assert_eq!(run("#if -1 >> 1 == -1 && (-7) / 2 == -3 && 1 << 63 < 0\n1\n#endif"), "1");
    assert_eq!(run("#define D defined(X)\n#if D\n1\n#else\n2\n#endif"), "2");
    assert_eq!(run("#if defined(__has_builtin) && __has_builtin(x)\n1\n#endif\n2"), "2");
}

#[test]
fn conditional_errors() {
    assert_eq!(ids("#if\n#endif"), ["invalid-condition"]);
    assert_eq!(ids("#if 1/0\n#endif"), ["invalid-condition"]);
    assert_eq!(ids("#if 1 1\n#endif\n#if (1\n#endif\n#if 1.0\n#endif"), ["invalid-condition"; 3]);
    assert_eq!(ids("#endif\n#else\n#elif 1"), ["stray-conditional"; 3]);
    assert_eq!(ids("#if 1\n#else\n#else\n#endif"), ["stray-conditional"]);
    assert_eq!(ids("#if 1\n#if 0\n#if 0"), ["unterminated-conditional"; 3]);
    assert_eq!(ids("/* x"), ["unterminated-comment"]);
    assert_eq!(ids("int a = \"abc;\n@"), ["unterminated-literal", "invalid-character"]);
    assert_eq!(ids("#foo"), ["invalid-directive"]);
    assert_eq!(ids("#error don't do \"that\n#warning x"), ["user-error", "user-warning"]);
}

#[test]
fn macro_errors() {
    assert_eq!(ids("#define F(x) x\nF(1,2) F(\n"), ["macro-argument-count", "unterminated-macro-call"]);
    assert_eq!(ids("#define A 1\n#define A 1\n#define A 2\n"), ["macro-redefined"]);
    assert_eq!(ids("#define M_PI_F 3.0f\nM_PI_F"), [""; 0]);
    assert_eq!(
        ids("#define A ##b\n#define B(x) #y\n#define C(x,x)\n#define D(x\n#define defined\n#define 1"),
        [
            "invalid-paste",
            "invalid-stringize",
            "duplicate-macro-parameter",
            "invalid-macro-parameters",
            "invalid-macro-name",
            "invalid-macro-name"
        ]
    );
    assert_eq!(ids("#define C(a,b) a##b\nC(+,/)"), ["invalid-paste"]);
}

#[test]
fn line_file_counter() {
    assert_eq!(
        run("__LINE__\n__LINE__ __FILE__\n#line 77 \"o.cl\"\n__LINE__ __FILE__"),
        "1 2 \"main.cl\" 77 \"o.cl\""
    );
    assert_eq!(run("# 5 \"p.cl\" 1\n__LINE__ __COUNTER__ __COUNTER__"), "5 0 1");
    assert_eq!(run("#define L __LINE__\n\nL"), "3");
}

#[test]
fn pragmas() {
    assert_eq!(
        run(
            "#pragma OPENCL EXTENSION cl_khr_fp64:enable\n#pragma foo bar\n#define N 4\n#pragma unroll N\n_Pragma(\"unroll(2)\") for"
        ),
        "<OPENCL EXTENSION cl_khr_fp64 : enable> <unroll 4> <unroll 2> for"
    );
    assert_eq!(
        run("#pragma STDC FP_CONTRACT OFF\n#define U _Pragma(\"nounroll\")\nU x"),
        "<OPENCL FP_CONTRACT OFF> <nounroll> x"
    );
}

#[test]
fn includes() {
    let options = Options {
        headers: vec![
            ("a.h".into(), "#pragma once\n#include \"d/b.h\"\na".into()),
            ("d/b.h".into(), "#include \"c.h\"\nb".into()),
            ("d/c.h".into(), "c".into()),
            ("self.h".into(), "#include \"self.h\"\n#include \"self.h\"".into()),
        ],
        ..Options::default()
    };
    let (out, diags) =
        run_with("#include \"a.h\"\n#define H <a.h>\n#include H\n#include <d/c.h>\nend", &options);
    assert_eq!((out.as_str(), diags.len()), ("c b a c end", 0));
    let (_, diags) = run_with("#include \"nope.h\"\nx\n#include \"self.h\"\n", &options);
    assert_eq!(
        diags,
        ["file-not-found: 'nope.h' file not found", "include-too-deep: #include nested too deeply"]
    );
}

/// A whole path needs no -I.
#[test]
fn absolute_include() {
    let path = std::env::temp_dir().join(format!("pumice-include-{}.h", std::process::id()));
    std::fs::write(&path, "found").expect("a file");
    let (out, diags) = run_with(&format!("#include \"{}\"\nend", path.display()), &Options::default());
    std::fs::remove_file(&path).expect("removed");
    assert_eq!((out.as_str(), diags.len()), ("found end", 0));
}

/// Text that is in no file includes from the working directory, by quotes alone.
#[test]
fn include_from_the_working_directory() {
    let name = format!("pumice-include-here-{}.h", std::process::id());
    std::fs::write(&name, "found").expect("a file");
    let (out, diags) = run_with(&format!("#include \"{name}\"\nend"), &Options::default());
    let (_, angled) = run_with(&format!("#include <{name}>\n"), &Options::default());
    std::fs::remove_file(&name).expect("removed");
    assert_eq!((out.as_str(), diags.len(), angled.len()), ("found end", 0, 1));
}

#[test]
fn predefined_macros() {
    assert_eq!(run("__OPENCL_VERSION__ __OPENCL_C_VERSION__ INT_MAX"), "300 120 2147483647");
    assert_eq!(
        run("#ifdef cl_khr_fp64\n1\n#else\n2\n#endif\n#undef INT_MAX\nINT_MAX M_PI"),
        "2 INT_MAX M_PI"
    );
    let options = Options { features: Features::all(), std: LangVersion::Cl3_0, ..Options::default() };
    let (out, _) =
        run_with("cl_khr_fp64 __opencl_c_fp64 CL_VERSION_3_0 M_PI_4 kernel_exec(8, float4)", &options);
    assert!(out.starts_with("1 1 300 0.785398163397448309616 __kernel __attribute__((work_group"), "{out}");
}

/// cl_ext_float_atomics needs OpenCL C 2.0; before it the pragma brings the extension, from there on.
#[test]
fn float_atomics() {
    let names = "cl_ext_float_atomics memory_scope_device\n";
    let pragma = "#pragma OPENCL EXTENSION cl_ext_float_atomics : enable\n";
    let with = |std: LangVersion, text: String| {
        run_with(&text, &Options { features: Features::all(), std, ..Options::default() }).0
    };
    let shown = format!("<{}>", "OPENCL EXTENSION cl_ext_float_atomics : enable");
    let of = |text: String| with(LangVersion::Cl1_2, text);
    assert_eq!(of(format!("{names}{pragma}{names}")), format!("{} {shown} 1 2", names.trim()));
    assert_eq!(
        of(format!("#define P _Pragma(\"{}\")\nP {names}", &pragma[8..pragma.len() - 1])),
        format!("{shown} 1 2")
    );
    for elsewhere in
        [format!("#if 0\n{pragma}#endif\n"), format!("/*\n{pragma}*/"), pragma.replace("enable", "disable")]
    {
        assert!(of(format!("{elsewhere}{names}")).ends_with(names.trim()), "{elsewhere}");
    }
    assert_eq!(with(LangVersion::Cl2_0, names.to_owned()), "1 2");
    // Nothing that the device does not have.
    assert_eq!(
        run_with(&format!("{pragma}{names}"), &Options::default()).0,
        format!("{shown} {}", names.trim())
    );
}

#[test]
fn command_line_macros() {
    let define = |head: &str, value: &str| MacroOption::Define { head: head.into(), value: value.into() };
    let macros = vec![
        define("A", "1"),
        define("F(x)", "x+\\"),
        MacroOption::Undefine("A".into()),
        define("B", "/*"),
        define("C", "c"),
        define("D", "1\n+ 2"),
    ];
    let (out, diags) = run_with("A F(2) C D", &Options { macros, ..Options::default() });
    assert_eq!((out.as_str(), diags.len()), ("A 2+ c 1", 1));
}

/// Nothing recurses or grows without bound.
#[test]
fn limits() {
    let mut bomb = String::from("#define a0 x x\n");
    for i in 1..60 {
        bomb += &format!("#define a{i} a{} a{}\n", i - 1, i - 1);
    }
    assert_eq!(ids(&(bomb + "a59")), ["expansion-too-large"]);
    let deep = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    assert_eq!(ids(&deep), ["expansion-too-deep"]);
    let parens = format!("#if {}1{}\n#endif", "(".repeat(100_000), ")".repeat(100_000));
    assert_eq!(ids(&parens), ["invalid-condition"]);
    assert_eq!(run(&format!("#if {}1\ny\n#endif", "!!".repeat(100_000))), "y");
    let conditionals = "#if 1\n".repeat(10_000) + &"#endif\n".repeat(10_000);
    assert_eq!(run(&conditionals), "");
}

/// Soup of tokens that mean something to the preprocessor: no panic, always an `Eof`.
#[test]
fn token_soup() {
    let words = [
        "#",
        "##",
        "define",
        "undef",
        "if",
        "ifdef",
        "else",
        "elif",
        "endif",
        "include",
        "line",
        "pragma",
        "\n",
        "\n#",
        "a",
        "b",
        "f",
        "(",
        ")",
        ",",
        "...",
        "__VA_ARGS__",
        "defined",
        "_Pragma",
        "\"s\"",
        "'",
        "\"",
        "/*",
        "*/",
        "//",
        "\\",
        "\\\n",
        "1",
        "0x",
        "1.0",
        "<",
        ">",
        "é",
        "?",
        ":",
        "&&",
        "/",
        "%:",
        "\0",
        "__LINE__",
        "NAN",
        "\r\n",
        "-",
        "#define f(x) x f(x##a) #x\n",
        "#define a f(b) a\n",
        "#if 1\n",
        "#else\n",
        "#define g(x,...) f(x,##__VA_ARGS__) g\n",
        "g",
        "\u{feff}",
    ];
    let mut seed = 12345u64;
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..40 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text += words[(seed >> 33) as usize % words.len()];
            if seed >> 60 > 3 {
                text.push(' ');
            }
        }
        run_with(&text, &Options::default());
    }
}

/// Time grows with the size of the input, whatever it is made of.
#[test]
fn speed_is_linear() {
    let pieces = [
        "float f(float x) { return x * 2.0f + 1; } /* comment */ // line\n",
        "#define A(x, y) ((x) + (y) * B)\n#define B 3\nint v = A(1, A(2, 3)) + INT_MAX;\n",
        "#if 0\n some skipped 'text\n#elif defined(B) && 1\n#endif\n#undef B\n",
        "#line 5\n__LINE__ __LINE__\n",
        "int \\\n x \\\n;\n",
    ];
    for piece in pieces {
        let time = |n: usize| {
            let text = piece.repeat(n);
            let start = std::time::Instant::now();
            run_with(&text, &Options { no_warnings: true, ..Options::default() });
            start.elapsed()
        };
        let (small, large) = (time(1000), time(8000));
        println!("{:?} {:?} for {} and {} bytes", small, large, piece.len() * 1000, piece.len() * 8000);
        // Quadratic would be 64; the machine may be busy.
        assert!(large < small * 40 + std::time::Duration::from_secs(1), "{piece}: {small:?} {large:?}");
    }
}

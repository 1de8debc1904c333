//! Families of what the preprocessor and the parser see: macros, literals, nested text.

use super::{Family, LOCAL, Program, Words, lines, note, spread};

pub const FAMILIES: &[Family] = &[
    Family { name: "enumerators", make: enumerators },
    Family { name: "macros", make: macros },
    Family { name: "macro-parameters", make: macro_parameters },
    Family { name: "strings", make: strings },
    Family { name: "string-length", make: string_length },
    Family { name: "printf-arguments", make: printf_arguments },
    Family { name: "printf-calls", make: printf_calls },
    Family { name: "nested-conditionals", make: nested_conditionals },
    Family { name: "elifs", make: elifs },
    Family { name: "parentheses", make: parentheses },
    Family { name: "sums", make: sums },
    Family { name: "nested-calls", make: nested_calls },
    Family { name: "blocks", make: blocks },
    Family { name: "typedefs", make: typedefs },
];

fn enumerators(n: usize) -> Program {
    let before = format!(
        "enum {{ {} }};",
        lines(n, |i| if i % 3 == 0 { format!("E{i} = {},", i * i + 2) } else { format!("E{i},") })
    );
    let text = lines(n, |i| format!("r = r * 3u + (E{i} ^ x);"));
    Words::new(spread(n), &before, &text).giving(|g, inputs| {
        (0..n).fold(1, |r, i| note(r, ((i - i % 3).pow(2) + 2 + i % 3) as u32 ^ inputs[g]))
    })
}

/// Each macro uses the one before.
fn macros(n: usize) -> Program {
    let before = lines(n, |i| match i {
        0 => "#define M0 (x + 1u)".to_owned(),
        i => format!("#define M{i} (M{} ^ {i}u)", i - 1),
    });
    Words::new(spread(n), &before, &format!("r = M{};", n - 1))
        .giving(|g, inputs| (1..n as u32).fold(inputs[g] + 1, |a, i| a ^ i))
}

fn macro_parameters(n: usize) -> Program {
    let names: Vec<String> = (0..n).map(|i| format!("p{i}")).collect();
    let given: Vec<String> = (0..n).map(|i| format!("(x * {}u)", i + 1)).collect();
    let before = format!("#define M({}) ({})", names.join(", "), names.join(" ^ "));
    Words::new(spread(n), &before, &format!("r = M({});", given.join(", ")))
        .giving(|g, inputs| (1..=n as u32).fold(0, |a, i| a ^ (inputs[g] * i)))
}

fn strings(n: usize) -> Program {
    let text = lines(n, |i| format!("r = r * 3u + \"text {i:04}\"[(x + {i}u) % 9u];"));
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        (0..n).fold(1, |r, i| note(r, format!("text {i:04}").as_bytes()[(inputs[g] as usize + i) % 9].into()))
    })
}

fn string_length(n: usize) -> Program {
    let string: String = (0..n).map(|i| char::from(b'a' + (i * 7 % 26) as u8)).collect();
    let text = format!("constant char *s = \"{string}\"; r = sizeof(\"{string}\") * 1000u + s[x % {n}u];");
    Words::new(spread(n), "", &text)
        .giving(|g, inputs| ((n + 1) * 1000) as u32 + u32::from(string.as_bytes()[inputs[g] as usize % n]))
}

/// A call of one work-item that prints `n` numbers.
fn printf_arguments(n: usize) -> Program {
    let given: String = (0..n).map(|i| format!(", x + {i}u")).collect();
    let text = format!("if (g == 3u) printf(\"{}\\n\"{given}); r = x;", "%u ".repeat(n));
    let mut program = Words::new(spread(1), "", &text).giving(|g, inputs| inputs[g]);
    let x = u32::from_le_bytes(program.case.buffers[0].as_chunks().0[3]);
    program.prints = Some(vec![(0..n as u32).map(|i| format!("{} ", x + i)).collect()]);
    program
}

fn printf_calls(n: usize) -> Program {
    let text = lines(n, |i| format!("if (g == {}u) printf(\"call {i} of %u\\n\", x);", i % LOCAL));
    let mut program = Words::new(spread(1), "", &format!("{text}r = x;")).giving(|g, inputs| inputs[g]);
    let (inputs, _) = program.case.buffers[0].as_chunks::<4>();
    let x = |g: usize| u32::from_le_bytes(inputs[g]);
    program.prints = Some((0..n).map(|i| format!("call {i} of {}", x(i % LOCAL))).collect());
    program
}

fn nested_conditionals(n: usize) -> Program {
    let open = lines(n, |i| format!("#if {i} < {n}\nr = r * 3u + {i}u;"));
    let close = lines(n, |i| format!("#else\nr = 0u;\n#endif\nr ^= {i}u;"));
    Words::new(spread(n), "", &format!("{open}{close}r += x;")).giving(|g, inputs| {
        let r = (0..n as u32).fold(1, note);
        (0..n as u32).fold(r, |r, i| r ^ i).wrapping_add(inputs[g])
    })
}

fn elifs(n: usize) -> Program {
    let arms = lines(n, |i| format!("#elif {i} == N\nr = x * {i}u;"));
    let text = format!("#define N {}\n#if 0\n{arms}#else\nr = 3u;\n#endif", n - 1);
    Words::new(spread(n), "", &text).giving(|g, inputs| inputs[g] * (n as u32 - 1))
}

fn parentheses(n: usize) -> Program {
    let text = format!("r = {}x{};", "(".repeat(n), " + 1u)".repeat(n));
    Words::new(spread(n), "", &text).giving(|g, inputs| inputs[g] + n as u32)
}

fn sums(n: usize) -> Program {
    let terms: Vec<String> = (0..n).map(|i| format!("x * {}u", i + 1)).collect();
    Words::new(spread(n), "", &format!("r = {};", terms.join(" + ")))
        .giving(|g, inputs| (1..=n as u32).map(|i| inputs[g] * i).sum())
}

fn nested_calls(n: usize) -> Program {
    let before = "uint f(uint x, uint y) { return (x ^ y) * 3u; }";
    let text = format!("r = {}g{};", "f(x, ".repeat(n), ")".repeat(n));
    Words::new(spread(n), before, &text)
        .giving(|g, inputs| (0..n).fold(g as u32, |y, _| (inputs[g] ^ y).wrapping_mul(3)))
}

/// Blocks in blocks, each with a variable of the same name.
fn blocks(n: usize) -> Program {
    let open = lines(n, |i| format!("{{ uint y = r * 3u + {i}u; uint r = y + x;"));
    let text = format!("uint *last = &r;\n{open}*last = r;\n{}", "}".repeat(n));
    Words::new(spread(n), "", &text)
        .giving(|g, inputs| (0..n as u32).fold(1, |r, i| note(r, i).wrapping_add(inputs[g])))
}

fn typedefs(n: usize) -> Program {
    let before =
        lines(
            n,
            |i| if i == 0 { "typedef uint T0;".to_owned() } else { format!("typedef T{} T{i};", i - 1) },
        );
    let text = format!("T{} y = x * 5u; r = y + (T{})g;", n - 1, n / 2);
    Words::new(spread(n), &before, &text).giving(|g, inputs| inputs[g] * 5 + g as u32)
}

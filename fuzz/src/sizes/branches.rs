//! Families of branches: switches, `else if`, nested conditions, chains of operators that branch.

use super::{Family, Program, Words, lines, note, spread};
use std::fmt::Write;

pub const FAMILIES: &[Family] = &[
    Family { name: "switch", make: |n| switch(n, &DENSE, |_| End::Break, n, 3) },
    Family { name: "switch-once", make: |n| switch(n, &DENSE, jumps, n, 1) },
    Family { name: "switch-sparse", make: |n| switch(n, &SPARSE, |_| End::Break, n, 3) },
    Family { name: "switch-wide", make: |n| switch(n, &WIDE, |_| End::Break, n, 3) },
    Family { name: "switch-wide-jumps", make: |n| switch(n, &WIDE, jumps, n, 3) },
    Family { name: "switch-signed", make: |n| switch(n, &SIGNED, jumps, n / 3, 3) },
    Family { name: "switch-falls", make: |n| switch(n, &DENSE, |i| fall_unless(i % 3 == 2), n, 3) },
    Family { name: "switch-falls-through-all", make: |n| switch(n, &SPARSE, |_| End::Fall, n, 2) },
    Family { name: "switch-falls-and-jumps", make: |n| switch(n, &SPARSE, falls_and_jumps, n / 2, 3) },
    Family { name: "switch-default-in-the-middle", make: |n| switch(n, &DENSE, |_| End::Break, n / 2, 3) },
    Family {
        name: "switch-default-falls",
        make: |n| switch(n, &SPARSE, |i| fall_unless(i % 4 == 0), n / 2, 3),
    },
    Family { name: "switch-continues", make: |n| switch(n, &DENSE, |_| End::Continue, n, 3) },
    Family { name: "switch-returns", make: |n| switch(n, &DENSE, |_| End::Return, n, 3) },
    Family {
        name: "switch-gotos",
        make: |n| switch(n, &DENSE, |i| if i % 2 == 0 { End::Goto } else { End::Break }, n, 3),
    },
    Family { name: "switch-jumps", make: |n| switch(n, &SPARSE, jumps, n, 3) },
    Family { name: "switch-of-a-function", make: switch_of_a_function },
    Family { name: "switch-nested", make: nested_switches },
    Family { name: "else-if", make: |n| else_if(n, |_| End::Break) },
    Family { name: "else-if-equal", make: else_if_equal },
    Family { name: "else-if-jumps", make: |n| else_if(n, jumps) },
    Family { name: "nested-ifs", make: nested_ifs },
    Family { name: "nested-ifs-jumps", make: nested_ifs_that_jump },
    Family { name: "ifs-in-a-row", make: ifs_in_a_row },
    Family { name: "choices", make: choices },
    Family { name: "choices-in-the-middle", make: choices_in_the_middle },
    Family { name: "ands", make: |n| logic(n, "&&") },
    Family { name: "ors", make: |n| logic(n, "||") },
];

/// How a case ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It leaves the switch.
    Break,
    /// It falls into the next one.
    Fall,
    /// It goes on with the loop around the switch.
    Continue,
    /// It leaves the kernel.
    Return,
    /// It leaves the loop by a `goto`.
    Goto,
}

impl End {
    fn statement(self) -> &'static str {
        match self {
            End::Break => "break;",
            End::Fall => "",
            End::Continue => "continue;",
            End::Return => "out[g] = r; return;",
            End::Goto => "goto done;",
        }
    }
}

fn fall_unless(last: bool) -> End {
    if last { End::Break } else { End::Fall }
}

fn jumps(i: usize) -> End {
    [End::Break, End::Continue, End::Break, End::Return, End::Continue, End::Goto][i % 6]
}

fn falls_and_jumps(i: usize) -> End {
    [End::Fall, End::Continue, End::Fall, End::Break, End::Return, End::Fall, End::Goto][i % 7]
}

/// The labels of a switch's cases.
struct Labels {
    /// The type of the number that is switched on.
    ty: &'static str,
    /// The label of a case.
    of: fn(usize) -> i64,
    /// It, of `x`, as OpenCL C has it.
    value: &'static str,
}

const DENSE: Labels = Labels { ty: "uint", of: |i| i as i64, value: "x" };
const SPARSE: Labels = Labels { ty: "uint", of: |i| sparse(i), value: "(x * x * 37u + x * 5u) ^ 3u" };
const WIDE: Labels =
    Labels { ty: "ulong", of: |i| (i as i64) * 0x1_2345_6789 + 7, value: "(ulong)x * 0x123456789ul + 7ul" };
const SIGNED: Labels = Labels { ty: "int", of: |i| 40 - 3 * i as i64, value: "40 - 3 * (int)x" };

fn sparse(i: usize) -> i64 {
    ((i * i * 37 + i * 5) ^ 3) as i64
}

/// The word that item `g` takes in round `t`.
const TAKE: &str = "x = in[(g * 7u + t * 13u) % count];";

fn taken(inputs: &[u32], g: usize, t: usize) -> u32 {
    inputs[(g * 7 + t * 13) % inputs.len()]
}

/// Which statement a round of [`in_a_loop`] ended with, and the number that it left.
type Round<'a> = &'a dyn Fn(u32, u32) -> (End, u32);

/// A loop of some rounds around statements that jump. `round` gives what they do with `x` and `r`.
fn in_a_loop(inputs: Vec<u32>, before: &str, statements: &str, rounds: usize, round: Round<'_>) -> Program {
    let body = format!(
        "for (uint t = 0; t < {rounds}u; t++) {{\n{TAKE}\n{statements}r = r * 5u + 1u;\n}}\nr += 100u;\ndone: r ^= 77u;"
    );
    Words::new(inputs, before, &body).giving(|g, inputs| {
        let mut r = 1u32;
        for t in 0..rounds {
            let (end, after) = round(taken(inputs, g, t), r);
            r = after;
            match end {
                End::Break | End::Fall => r = r.wrapping_mul(5).wrapping_add(1),
                End::Continue => {}
                End::Return => return r,
                End::Goto => return r ^ 77,
            }
        }
        r.wrapping_add(100) ^ 77
    })
}

/// A switch of `n` cases in a loop; the default comes before case `default_at`.
fn switch(n: usize, labels: &Labels, end: fn(usize) -> End, default_at: usize, rounds: usize) -> Program {
    // The cases in order; the default is number n.
    let mut order: Vec<usize> = (0..n).collect();
    order.insert(default_at.min(n), n);
    let mut text = format!("switch (({})({})) {{\n", labels.ty, labels.value);
    for &i in &order {
        let label = if i == n { "default".to_owned() } else { format!("case {}", (labels.of)(i)) };
        let _ = writeln!(text, "{label}: r = r * 3u + {i}u; {}", end(i).statement());
    }
    text.push_str("}\n");
    let round = |x: u32, r: u32| {
        let wanted = if (x as usize) < n { x as usize } else { n };
        let start = order.iter().position(|i| *i == wanted).unwrap_or(0);
        let mut r = r;
        for &i in &order[start..] {
            r = note(r, i as u32);
            if end(i) != End::Fall {
                return (end(i), r);
            }
        }
        (End::Break, r)
    };
    in_a_loop(spread(n), "", &text, rounds, &round)
}

fn switch_of_a_function(n: usize) -> Program {
    let cases = lines(n, |i| format!("case {}u: return y * {}u + {i}u;", sparse(i), i % 5 + 2));
    let before = format!(
        "uint f(uint x, uint y) {{\nswitch ((x * x * 37u + x * 5u) ^ 3u) {{\n{cases}}}\nreturn y ^ 9u;\n}}"
    );
    let f = move |x: u32, y: u32| match x as usize {
        i if i < n => y.wrapping_mul((i % 5 + 2) as u32).wrapping_add(i as u32),
        _ => y ^ 9,
    };
    Words::new(spread(n), &before, "r = f(x, g); r += f(in[(g + 1u) % count], r);").giving(|g, inputs| {
        let first = f(inputs[g], g as u32);
        first.wrapping_add(f(inputs[(g + 1) % inputs.len()], first))
    })
}

/// A switch in a case of a switch, and so on.
fn nested_switches(n: usize) -> Program {
    let open = lines(n, |i| {
        format!("switch (x + {i}u) {{ case {n}u: r = r * 3u + {i}u; break; default: r = r * 5u + {i}u;")
    });
    let close = lines(n, |i| format!("r ^= {}u; }}", n - 1 - i));
    let text = format!("{open}{close}");
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let x = inputs[g] as usize;
        let mut r = 1u32;
        let mut depth = 0;
        for i in 0..n {
            if x + i == n {
                r = note(r, i as u32);
                break;
            }
            r = r.wrapping_mul(5).wrapping_add(i as u32);
            depth = i + 1;
        }
        for i in (0..depth).rev() {
            r ^= i as u32;
        }
        r
    })
}

/// `if (x < 2) … else if (x < 4) …`: what no switch says.
fn else_if(n: usize, end: fn(usize) -> End) -> Program {
    let statement = |i: usize| if end(i) == End::Break { "" } else { end(i).statement() };
    let text =
        lines(n, |i| format!("if (x * 3u < {}u) {{ r = r * 3u + {i}u; {} }} else", 3 * i + 2, statement(i)));
    let text = format!("{text} {{ r ^= 5u; }}\n");
    let round = |x: u32, r: u32| match x as usize {
        i if i < n => (end(i), note(r, i as u32)),
        _ => (End::Break, r ^ 5),
    };
    in_a_loop(spread(n), "", &text, 3, &round)
}

/// `if (x == 3) … else if (x == 1) …` with conditions of two values.
fn else_if_equal(n: usize) -> Program {
    let text = lines(n, |i| format!("if (x == {i}u && (g & {}u) != 1u) r = r * 3u + {i}u; else", i % 4 + 1));
    Words::new(spread(n), "", &format!("{text} r = 7u;")).giving(|g, inputs| {
        let x = inputs[g] as usize;
        if x < n && g & (x % 4 + 1) != 1 { note(1, x as u32) } else { 7 }
    })
}

fn nested_ifs(n: usize) -> Program {
    let open = lines(n, |i| format!("r = r * 3u + {i}u; if (x > {i}u) {{"));
    let close = lines(n, |i| format!("r ^= x + {}u; }} else r += 2u;", n - 1 - i));
    Words::new(spread(n), "", &format!("{open}{close}")).giving(|g, inputs| {
        let x = inputs[g];
        let mut r = 1u32;
        let mut depth = 0;
        for i in 0..n as u32 {
            r = note(r, i);
            if x <= i {
                r = r.wrapping_add(2);
                break;
            }
            depth = i + 1;
        }
        for i in (0..depth).rev() {
            r ^= x + i;
        }
        r
    })
}

/// Nested conditions in a loop, which some depths leave, go on with, or return from.
fn nested_ifs_that_jump(n: usize) -> Program {
    let jump = |i: usize| [End::Break, End::Continue, End::Break, End::Return, End::Break, End::Goto][i % 6];
    let statement = |i: usize| if jump(i) == End::Break { "r += 2u;" } else { jump(i).statement() };
    let open = lines(n, |i| format!("r = r * 3u + {i}u; if (x > {i}u) {{"));
    let close = lines(n, |i| {
        let i = n - 1 - i;
        format!("r ^= x + {i}u; }} else {{ {} }}", statement(i))
    });
    let round = |x: u32, r: u32| {
        let mut r = r;
        let mut depth = 0;
        for i in 0..n {
            r = note(r, i as u32);
            if x <= i as u32 {
                match jump(i) {
                    End::Break => r = r.wrapping_add(2),
                    end => return (end, r),
                }
                break;
            }
            depth = i as u32 + 1;
        }
        for i in (0..depth).rev() {
            r ^= x + i;
        }
        (End::Break, r)
    };
    in_a_loop(spread(n), "", &format!("{open}{close}"), 3, &round)
}

fn ifs_in_a_row(n: usize) -> Program {
    let text = lines(n, |i| {
        format!("if ((x ^ r) % {}u < 2u) {{ r = r * 3u + {i}u; }} else {{ r ^= {}u; }}", i % 5 + 3, i + 1)
    });
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let (x, mut r) = (inputs[g], 1u32);
        for i in 0..n as u32 {
            r = if (x ^ r) % (i % 5 + 3) < 2 { note(r, i) } else { r ^ (i + 1) };
        }
        r
    })
}

/// `x < 2 ? … : x < 4 ? … : …`
fn choices(n: usize) -> Program {
    let chain = lines(n, |i| format!("x * 3u < {}u ? g * {}u + {i}u :", 3 * i + 2, i % 7 + 1));
    Words::new(spread(n), "", &format!("r = {chain} 9u;")).giving(|g, inputs| match inputs[g] as usize {
        i if i < n => (g * (i % 7 + 1) + i) as u32,
        _ => 9,
    })
}

/// `x > 0 ? x > 1 ? … : … : …`
fn choices_in_the_middle(n: usize) -> Program {
    let open = lines(n, |i| format!("x > {i}u ?"));
    let close = lines(n, |i| format!(": in[{}u] + g", n - 1 - i));
    Words::new(spread(n), "", &format!("r = {open} g * 3u {close};")).giving(|g, inputs| {
        match inputs[g] as usize {
            i if i < n => inputs[i] + g as u32,
            _ => 3 * g as u32,
        }
    })
}

/// `x != 0 && in[…] != 1 && …`, with loads, so that it branches.
fn logic(n: usize, op: &str) -> Program {
    let and = op == "&&";
    let compare = if and { "!=" } else { "==" };
    let terms: Vec<String> = (0..n).map(|i| format!("in[(g + {i}u) % count] {compare} {i}u")).collect();
    let text = format!("if ({}) r = g + 2u; else r = g * 2u;", terms.join(&format!("\n{op} ")));
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let equal = |i: usize| inputs[(g + i) % inputs.len()] == i as u32;
        let holds = if and { !(0..n).any(equal) } else { (0..n).any(equal) };
        if holds { g as u32 + 2 } else { 2 * g as u32 }
    })
}

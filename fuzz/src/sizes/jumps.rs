//! Families of loops, labels, and exits of loops and functions.

use super::{Family, LOCAL, Program, Words, lines, note, spread};

pub const FAMILIES: &[Family] = &[
    Family { name: "labels-ahead", make: labels_ahead },
    Family { name: "labels-machine", make: labels_machine },
    Family { name: "labels-loops", make: labels_loops },
    Family { name: "returns", make: |n| exits(n, Out::Return) },
    Family { name: "breaks", make: |n| exits(n, Out::Break) },
    Family { name: "continues", make: |n| exits(n, Out::Continue) },
    Family { name: "exits-mixed", make: |n| exits(n, Out::Mixed) },
    Family { name: "loops", make: loops },
    Family { name: "loops-that-load", make: loops_that_load },
    Family { name: "loops-with-breaks", make: loops_with_breaks },
    Family { name: "nested-loops", make: nested_loops },
    Family { name: "barriers", make: barriers },
    Family { name: "barriers-in-loops", make: barriers_in_loops },
];

/// `if (x == 0) goto l0; …`, and labels in a row, from each of which one further ahead is reached.
fn labels_ahead(n: usize) -> Program {
    let gotos = lines(n, |i| format!("if (x == {i}u) goto l{i};"));
    let labels = lines(n, |i| {
        let ahead = i + 2 + i % 5;
        let to = if ahead < n { format!("l{ahead}") } else { "end".to_owned() };
        format!("l{i}: r = r * 3u + {i}u; if ((r & 12u) == 4u) goto {to};")
    });
    let text = format!("{gotos}r = 9u; goto end;\n{labels}r ^= 5u;\nend: r += 2u;");
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let mut at = inputs[g] as usize;
        if at >= n {
            return 11;
        }
        let mut r = 1u32;
        loop {
            r = note(r, at as u32);
            if r & 12 == 4 {
                at += 2 + at % 5;
                if at >= n {
                    break;
                }
            } else {
                at += 1;
                if at >= n {
                    r ^= 5;
                    break;
                }
            }
        }
        r.wrapping_add(2)
    })
}

/// This many steps of a machine of states.
const STEPS: usize = 24;

/// States that lead to each other by `goto`: a cycle that is entered everywhere.
fn labels_machine(n: usize) -> Program {
    let to = |i: usize| (i * 5 + 3) % n;
    let entries = lines(n, |i| format!("if (x == {i}u) goto s{i};"));
    let states = lines(n, |i| {
        format!("s{i}: r = r * 3u + {i}u; if (++t > {STEPS}u) goto end; if (r & 2u) goto s{};", to(i))
    });
    let text = format!("uint t = 0;\n{entries}\n{states}goto s0;\nend: r += t;");
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let x = inputs[g] as usize;
        let (mut at, mut t, mut r) = (if x < n { x } else { 0 }, 0, 1u32);
        loop {
            r = note(r, at as u32);
            t += 1;
            if t > STEPS {
                return r.wrapping_add(t as u32);
            }
            at = if r & 2 != 0 { to(at) } else { (at + 1) % n };
        }
    })
}

/// `l0: …; if (…) goto l0; l1: …`
fn labels_loops(n: usize) -> Program {
    let labels = lines(n, |i| format!("t = 0;\nl{i}: r = r * 3u + {i}u; if (++t < (x & 3u)) goto l{i};"));
    Words::new(spread(n), "", &format!("uint t;\n{labels}")).giving(|g, inputs| {
        let (x, mut r) = (inputs[g], 1u32);
        for i in 0..n as u32 {
            for _ in 0..(x & 3).max(1) {
                r = note(r, i);
            }
        }
        r
    })
}

/// Statements that leave the body of a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Out {
    Return,
    Break,
    Continue,
    Mixed,
}

/// `if (…) break;` and the like in a row.
fn exits(n: usize, out: Out) -> Program {
    let of = |i: usize| match out {
        Out::Mixed => [Out::Break, Out::Continue, Out::Return][i % 3],
        one => one,
    };
    let row = lines(n, |i| {
        let leave = match of(i) {
            Out::Break => "break;",
            Out::Continue => "continue;",
            _ => "out[g] = r; return;",
        };
        format!("r = r * 3u + {i}u; if (x == {i}u) {{ r ^= {i}u; {leave} }}")
    });
    let text = format!(
        "for (uint t = 0; t < 3u; t++) {{\nx = in[(g * 7u + t * 13u) % count];\n{row}r = r * 5u;\n}}\nr += 100u;"
    );
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let mut r = 1u32;
        'rounds: for t in 0..3 {
            let x = inputs[(g * 7 + t * 13) % inputs.len()];
            for i in 0..n {
                r = note(r, i as u32);
                if x == i as u32 {
                    r ^= i as u32;
                    match of(i) {
                        Out::Break => break 'rounds,
                        Out::Continue => continue 'rounds,
                        _ => return r,
                    }
                }
            }
            r = r.wrapping_mul(5);
        }
        r.wrapping_add(100)
    })
}

fn loops(n: usize) -> Program {
    let text = lines(n, |k| format!("for (uint i = 0; i < (x & 3u); i++) r = r * 3u + i + {k}u;"));
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let (x, mut r) = (inputs[g], 1u32);
        for k in 0..n as u32 {
            for i in 0..x & 3 {
                r = note(r, i + k);
            }
        }
        r
    })
}

/// Loops with loads and stores, whose ends are in memory.
fn loops_that_load(n: usize) -> Program {
    let text = lines(n, |k| {
        format!(
            "for (uint i = 0; i < (in[(g + {k}u) % count] & 3u); i++) {{ r += in[(r + i) % count] * {}u; out[g] = r; }}",
            k % 9 + 1
        )
    });
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let (count, mut r) = (inputs.len(), 1u32);
        for k in 0..n {
            for i in 0..inputs[(g + k) % count] & 3 {
                let load = inputs[r.wrapping_add(i) as usize % count];
                r = r.wrapping_add(load.wrapping_mul((k % 9 + 1) as u32));
            }
        }
        r
    })
}

/// Searches that end at different rounds.
fn loops_with_breaks(n: usize) -> Program {
    let text = lines(n, |k| {
        format!(
            "for (uint i = 0; i < 6u; i++) {{ if (in[(g + i * {}u) % count] % 5u == {}u) break; r = r * 3u + i; }}",
            k + 1,
            k % 5
        )
    });
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let (count, mut r) = (inputs.len(), 1u32);
        for k in 0..n {
            for i in 0..6 {
                if inputs[(g + i * (k + 1)) % count] % 5 == (k % 5) as u32 {
                    break;
                }
                r = note(r, i as u32);
            }
        }
        r
    })
}

/// Loops in loops, of which one for each work-item has two iterations.
fn nested_loops(n: usize) -> Program {
    let open = lines(n, |i| {
        format!("for (uint i{i} = 0; i{i} < 1u + (x == {i}u); i{i}++) {{ r = r * 3u + i{i} + {i}u;")
    });
    let close = lines(n, |i| format!("r ^= {i}u; }}"));
    fn round(depth: u32, x: u32, r: &mut u32, n: u32) {
        for _ in 0..1 {
            if depth == n {
                return;
            }
            for i in 0..1 + u32::from(x == depth) {
                *r = note(*r, i + depth);
                round(depth + 1, x, r, n);
                *r ^= n - 1 - depth;
            }
        }
    }
    Words::new(spread(n), "", &format!("{open}{close}")).giving(|g, inputs| {
        let mut r = 1u32;
        round(0, inputs[g], &mut r, n as u32);
        r
    })
}

const SHARED: &str = "local uint a[8];\nuint l = get_local_id(0);";

/// The results of a group's items, of which each reads another's between barriers.
fn together(n: usize, g: usize, inputs: &[u32], step: impl Fn(usize, u32, u32) -> u32) -> u32 {
    let first = g / LOCAL * LOCAL;
    let mut all: Vec<u32> = inputs[first..first + LOCAL].to_vec();
    for i in 0..n {
        let before = all.clone();
        for (l, r) in all.iter_mut().enumerate() {
            *r = step(i, before[l], before[(l + i + 1) % LOCAL]);
        }
    }
    all[g % LOCAL]
}

fn barriers(n: usize) -> Program {
    let text = lines(n, |i| {
        format!(
            "a[l] = r; barrier(CLK_LOCAL_MEM_FENCE); r = r * 3u + a[(l + {}u) % 8u]; barrier(CLK_LOCAL_MEM_FENCE);",
            i + 1
        )
    });
    Words::new(spread(n), "", &format!("{SHARED}\nr = x;\n{text}"))
        .giving(move |g, inputs| together(n, g, inputs, |_, r, other| note(r, other)))
}

fn barriers_in_loops(n: usize) -> Program {
    let text = lines(n, |i| {
        format!(
            "for (uint i = 0; i < 2u; i++) {{ a[l] = r; barrier(CLK_LOCAL_MEM_FENCE); r = r * 3u + a[(l + {}u) % 8u] + i; \
             barrier(CLK_LOCAL_MEM_FENCE); }}",
            i / 2 + 1
        )
    });
    Words::new(spread(n), "", &format!("{SHARED}\nr = x;\n{text}")).giving(move |g, inputs| {
        let first = g / LOCAL * LOCAL;
        let mut all: Vec<u32> = inputs[first..first + LOCAL].to_vec();
        for i in 0..n {
            for round in 0..2 {
                let before = all.clone();
                for (l, r) in all.iter_mut().enumerate() {
                    *r = note(before[l], before[(l + i / 2 + 1) % LOCAL]).wrapping_add(round);
                }
            }
        }
        all[g % LOCAL]
    })
}

//! Families of variables, types, arguments, functions and kernels.

use super::{CaseArg, CaseLaunch, Family, LOCAL, Program, Words, bytes, lines, note, spread};

pub const FAMILIES: &[Family] = &[
    Family { name: "live-values", make: live_values },
    Family { name: "live-values-in-a-loop", make: live_values_in_a_loop },
    Family { name: "statements", make: statements },
    Family { name: "calls", make: calls },
    Family { name: "functions", make: functions },
    Family { name: "functions-that-call", make: functions_that_call },
    Family { name: "parameters", make: parameters },
    Family { name: "arguments", make: arguments },
    Family { name: "buffers", make: buffers },
    Family { name: "kernels", make: kernels },
    Family { name: "local-arrays", make: local_arrays },
    Family { name: "private-arrays", make: private_arrays },
    Family { name: "private-array-length", make: private_array_length },
    Family { name: "members", make: members },
    Family { name: "members-in-memory", make: members_in_memory },
    Family { name: "nested-structures", make: nested_structures },
    Family { name: "constants", make: constants },
    Family { name: "initialisers", make: initialisers },
    Family { name: "private-initialisers", make: private_initialisers },
    Family { name: "vector-literals", make: vector_literals },
    Family { name: "atomics", make: atomics },
    Family { name: "stores", make: stores },
];

/// Values that are all needed at the end.
fn live_values(n: usize) -> Program {
    let made = lines(n, |i| format!("uint v{i} = in[(g + {i}u) % count] * {}u + x;", 2 * i + 1));
    let used = lines(n, |i| format!("r = r * 3u + v{};", n - 1 - i));
    Words::new(spread(n), "", &format!("{made}{used}")).giving(|g, inputs| {
        let value =
            |i: usize| inputs[(g + i) % inputs.len()].wrapping_mul(2 * i as u32 + 1).wrapping_add(inputs[g]);
        (0..n).rev().fold(1, |r, i| note(r, value(i)))
    })
}

/// Values that a loop carries.
fn live_values_in_a_loop(n: usize) -> Program {
    let made = lines(n, |i| format!("uint v{i} = x + {i}u;"));
    let body = lines(n, |i| format!("v{i} = v{i} * 3u + v{};", (i + 1) % n));
    let used = lines(n, |i| format!("r = r * 3u + v{i};"));
    let text = format!("{made}for (uint t = 0; t < (x & 3u); t++) {{\n{body}}}\n{used}");
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let x = inputs[g];
        let mut v: Vec<u32> = (0..n as u32).map(|i| x + i).collect();
        for _ in 0..x & 3 {
            for i in 0..n {
                v[i] = note(v[i], v[(i + 1) % n]);
            }
        }
        v.into_iter().fold(1, note)
    })
}

fn statements(n: usize) -> Program {
    let text =
        lines(n, |i| format!("r = (r ^ (x << {}u)) * {}u + rotate(x, {}u);", i % 7, 2 * i + 3, i % 31));
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let x = inputs[g];
        (0..n as u32).fold(1u32, |r, i| {
            (r ^ (x << (i % 7))).wrapping_mul(2 * i + 3).wrapping_add(x.rotate_left(i % 31))
        })
    })
}

/// A function with a loop, so that it is not worth copying.
const F: &str =
    "uint f(uint x, uint y) { for (uint i = 0; i < (x & 3u); i++) y = y * 3u + i; return y ^ x; }";

fn f(x: u32, y: u32) -> u32 {
    (0..x & 3).fold(y, note) ^ x
}

fn calls(n: usize) -> Program {
    let text = lines(n, |i| format!("r = f(x + {i}u, r);"));
    Words::new(spread(n), F, &text).giving(|g, inputs| (0..n as u32).fold(1, |r, i| f(inputs[g] + i, r)))
}

fn functions(n: usize) -> Program {
    let before = lines(n, |i| {
        format!(
            "uint f{i}(uint x, uint y) {{ if (x & {}u) y += in_(x); else y ^= {i}u; return y * {}u; }}",
            i % 4 + 1,
            i + 2
        )
    });
    let text = lines(n, |i| format!("r = f{i}(x, r);"));
    Words::new(spread(n), &format!("uint in_(uint x) {{ return x * 5u + 1u; }}\n{before}"), &text).giving(
        |g, inputs| {
            let x = inputs[g];
            (0..n as u32).fold(1u32, |r, i| {
                let r = if x & (i % 4 + 1) != 0 { r.wrapping_add(x * 5 + 1) } else { r ^ i };
                r.wrapping_mul(i + 2)
            })
        },
    )
}

/// Each function calls the one before.
fn functions_that_call(n: usize) -> Program {
    let before = lines(n, |i| {
        let inner = if i == 0 { "y".to_owned() } else { format!("f{}(x, y + {i}u)", i - 1) };
        format!("uint f{i}(uint x, uint y) {{ uint a = {inner}; return x > {i}u ? a * 3u : a ^ {i}u; }}")
    });
    Words::new(spread(n), &before, &format!("r = f{}(x, g);", n - 1)).giving(|g, inputs| {
        let start = (1..n as u32).fold(g as u32, u32::wrapping_add);
        (0..n as u32).fold(start, |a, i| if inputs[g] > i { a.wrapping_mul(3) } else { a ^ i })
    })
}

/// A function of many parameters.
fn parameters(n: usize) -> Program {
    let list: Vec<String> = (0..n).map(|i| format!("uint a{i}")).collect();
    let sum = lines(n, |i| format!("r = r * 3u + a{i};"));
    let given: Vec<String> = (0..n).map(|i| format!("x * {}u", i + 1)).collect();
    let again: Vec<String> = (0..n).map(|i| format!("r + {i}u")).collect();
    let before = format!("uint f({}) {{ uint r = 1u;\n{sum}return r; }}", list.join(", "));
    let text = format!("r = f({}); r ^= f({});", given.join(", "), again.join(", "));
    Words::new(spread(n), &before, &text).giving(|g, inputs| {
        let first = (1..=n as u32).fold(1, |r, i| note(r, inputs[g].wrapping_mul(i)));
        first ^ (0..n as u32).fold(1, |r, i| note(r, first.wrapping_add(i)))
    })
}

/// A kernel with arguments behind `in` and `out`.
fn with_arguments(program: Program, n: usize, parameter: &str, arg: impl Fn(usize) -> CaseArg) -> Program {
    let mut program = program;
    let list: String = (0..n).map(|i| format!(", {parameter}{i}")).collect();
    let head = "global uint *out";
    program.case.source = program.case.source.replacen(head, &format!("{head}{list}"), 1);
    let launch = &mut program.case.launches[0];
    launch.args.extend((0..n).map(&arg));
    launch.names.extend((0..n).map(|i| format!("a{i}")));
    program
}

fn arguments(n: usize) -> Program {
    let value = |i: usize| (i * i + 7) as u32;
    let text = lines(n, |i| format!("r = r * 3u + (a{i} ^ x);"));
    let program = Words::new(spread(n), "", &text)
        .giving(|g, inputs| (0..n).fold(1, |r, i| note(r, value(i) ^ inputs[g])));
    with_arguments(program, n, "uint a", |i| CaseArg::Value(value(i).to_le_bytes().to_vec()))
}

fn buffers(n: usize) -> Program {
    let text = lines(n, |i| format!("r = r * 3u + a{i}[g];"));
    let content = |i: usize, g: usize| (i * 31 + g * 7) as u32;
    let program =
        Words::new(spread(n), "", &text).giving(|g, _| (0..n).fold(1, |r, i| note(r, content(i, g))));
    let mut program = with_arguments(program, n, "global const uint *a", |i| CaseArg::Buffer(2 + i, 0));
    let count = program.want.len();
    let buffer = |i: usize| bytes(&(0..count).map(|g| content(i, g)).collect::<Vec<_>>());
    program.case.buffers.extend((0..n).map(buffer));
    program
}

/// Many kernels, of which the first, the middle and the last run.
fn kernels(n: usize) -> Program {
    let inputs = spread(20);
    let source = lines(n, |i| {
        format!(
            "kernel void k{i}(global const uint *in, global uint *out) {{ size_t g = get_global_id(0); out[g] = out[g] * 3u + in[g] + {i}u; }}"
        )
    });
    let which = [0, n / 2, n - 1];
    let mut program = Words::new(inputs, "", "")
        .giving(|g, inputs| which.iter().fold(0, |r, i| note(r, inputs[g] + *i as u32)));
    program.case.source = source;
    let launch = program.case.launches[0].clone();
    program.case.launches = which.map(|i| CaseLaunch { kernel: format!("k{i}"), ..launch.clone() }).to_vec();
    program
}

fn local_arrays(n: usize) -> Program {
    let declared = lines(n, |i| format!("local uint a{i}[8];"));
    let written = lines(n, |i| format!("a{i}[l] = x * {}u;", i + 1));
    let read = lines(n, |i| format!("r = r * 3u + a{i}[(l + {i}u) % 8u];"));
    let text = format!("{declared}uint l = get_local_id(0);\n{written}barrier(CLK_LOCAL_MEM_FENCE);\n{read}");
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let first = g / LOCAL * LOCAL;
        let other = |i: usize| inputs[first + (g + i) % LOCAL];
        (0..n).fold(1, |r, i| note(r, other(i).wrapping_mul(i as u32 + 1)))
    })
}

fn private_arrays(n: usize) -> Program {
    let written = lines(n, |i| {
        format!("uint a{i}[4]; for (uint t = 0; t < 4u; t++) a{i}[(t + x) & 3u] = x * t + {i}u;")
    });
    let read = lines(n, |i| format!("r = r * 3u + a{i}[(x * 3u + {i}u) & 3u];"));
    Words::new(spread(n), "", &format!("{written}{read}")).giving(|g, inputs| {
        let x = inputs[g] as usize;
        let at = |i: usize| (x * 3 + i).wrapping_sub(x) & 3;
        (0..n).fold(1, |r, i| note(r, (x * at(i) + i) as u32))
    })
}

fn private_array_length(n: usize) -> Program {
    let text = format!(
        "uint a[{n}]; for (uint t = 0; t < {n}u; t++) a[(t + x) % {n}u] = x * t;\n\
         for (uint t = 0; t < {n}u; t++) r = r * 3u + a[t];"
    );
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let x = inputs[g] as usize;
        (0..n).fold(1, |r, t| note(r, (x * ((t + n - x % n) % n)) as u32))
    })
}

fn members(n: usize) -> Program {
    let declared = lines(n, |i| format!("uint m{i};"));
    let written = lines(n, |i| format!("s.m{i} = x * {}u;", i + 1));
    let sum = lines(n, |i| format!("r = r * 3u + s->m{i};"));
    let before = format!(
        "typedef struct {{ {declared} }} S;\nuint f(const S *s) {{ uint r = 1u;\n{sum}return r; }}\nS g_(S s) {{ s.m0 += s.m{}; return s; }}",
        n - 1
    );
    let text = format!("S s;\n{written}S t = g_(s);\nr = f(&t);");
    Words::new(spread(n), &before, &text).giving(|g, inputs| {
        let x = inputs[g];
        let member = |i: u32| if i == 0 { x * (1 + n as u32) } else { x * (i + 1) };
        (0..n as u32).fold(1, |r, i| note(r, member(i)))
    })
}

/// A structure in a buffer, copied to private memory and back.
fn members_in_memory(n: usize) -> Program {
    let declared = lines(n, |i| format!("{} m{i};", ["uint", "ushort", "uchar", "uint"][i % 4]));
    let written = lines(n, |i| format!("a0[g].m{i} = x + {i}u;"));
    let read = lines(n, |i| format!("r = r * 3u + s.m{i};"));
    let before = format!("typedef struct {{ {declared} }} S;");
    let text = format!("{written}S s = a0[g];\n{read}a0[g].m0 = r;");
    let program = Words::new(spread(n), &before, &text).giving(|g, inputs| {
        (0..n as u32).fold(1, |r, i| {
            let value = inputs[g] + i;
            note(r, [value, value & 0xffff, value & 0xff, value][i as usize % 4])
        })
    });
    let mut program = with_arguments(program, 1, "global S *a", |_| CaseArg::Buffer(2, 0));
    program.case.buffers.push(vec![0; program.want.len() * 4 * (n + 1)]);
    program
}

fn nested_structures(n: usize) -> Program {
    let before = lines(n, |i| match i {
        0 => "struct S0 { uint a; };".to_owned(),
        i => format!("struct S{i} {{ uint a; struct S{} s; }};", i - 1),
    });
    let path = |depth: usize| format!("v{}.a", ".s".repeat(depth));
    let written = lines(n, |i| format!("{} = x * {}u;", path(i), i + 1));
    let read = lines(n, |i| format!("r = r * 3u + {};", path(i)));
    let text = format!("struct S{} v;\n{written}{read}", n - 1);
    Words::new(spread(n), &before, &text)
        .giving(|g, inputs| (0..n as u32).fold(1, |r, i| note(r, inputs[g] * (i + 1))))
}

/// Arrays at program scope.
fn constants(n: usize) -> Program {
    let before = lines(n, |i| format!("constant uint c{i}[3] = {{ {i}u, {}u, {}u }};", i * 2, i * 5));
    let text = lines(n, |i| format!("r = r * 3u + c{i}[(x + {i}u) % 3u];"));
    Words::new(spread(n), &before, &text).giving(|g, inputs| {
        (0..n as u32).fold(1, |r, i| note(r, i * [1, 2, 5][(inputs[g] + i) as usize % 3]))
    })
}

fn initialisers(n: usize) -> Program {
    let before = format!("constant uint c[] = {{ {} }};", lines(n, |i| format!("{}u,", i * i)));
    Words::new(spread(n), &before, &format!("r = c[x % {n}u] + sizeof(c);"))
        .giving(|g, inputs| (inputs[g] as usize % n).pow(2) as u32 + 4 * n as u32)
}

fn private_initialisers(n: usize) -> Program {
    let text = format!("uint c[] = {{ {} }};\nr = c[x % {n}u];", lines(n, |i| format!("g * {}u,", i + 1)));
    Words::new(spread(n), "", &text).giving(|g, inputs| (g * (inputs[g] as usize % n + 1)) as u32)
}

fn vector_literals(n: usize) -> Program {
    let text = lines(n, |i| format!("v = v * 3u + (uint4)(x, {i}u, r, (g ^ {i}u));"));
    Words::new(spread(n), "", &format!("uint4 v = (uint4)(x, g, 1u, 2u);\n{text}r = v.x ^ v.y ^ v.z ^ v.w;"))
        .giving(|g, inputs| {
            let (x, g) = (inputs[g], g as u32);
            let v = (0..n as u32)
                .fold([x, g, 1, 2], |v, i| [note(v[0], x), note(v[1], i), note(v[2], 1), note(v[3], g ^ i)]);
            v.iter().fold(0, |a, b| a ^ b)
        })
}

fn atomics(n: usize) -> Program {
    let text = lines(n, |i| format!("r = r * 3u + atomic_add(&out[g], x + {i}u);"));
    Words::new(spread(n), "", &text).giving(|g, inputs| {
        let (mut cell, mut r) = (0u32, 1u32);
        for i in 0..n as u32 {
            r = note(r, cell);
            cell = cell.wrapping_add(inputs[g] + i);
        }
        r
    })
}

fn stores(n: usize) -> Program {
    let text = lines(n, |i| format!("out[g] = out[g] * 3u + in[(g + {i}u) % count];"));
    Words::new(spread(n), "", &format!("{text}r = out[g];"))
        .giving(|g, inputs| (0..n).fold(0, |r, i| note(r, inputs[(g + i) % inputs.len()])))
}

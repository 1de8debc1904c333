//! Generated programs of a wanted number of lines, to see how time grows with size.

use std::fmt::Write;

/// The shapes of generated programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Many small kernels that share a helper function.
    Kernels,
    /// One kernel without branches.
    Straight,
    /// One kernel of nested and chained loops and conditions.
    Control,
    /// One kernel whose loops and conditions are written with goto, one loop in two entered in its middle.
    Goto,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 4] = [Shape::Kernels, Shape::Straight, Shape::Control, Shape::Goto];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Kernels => "kernels",
            Shape::Straight => "straight",
            Shape::Control => "control",
            Shape::Goto => "goto",
        }
    }
}

/// A program of about so many lines.
pub fn program(shape: Shape, lines: usize) -> String {
    match shape {
        Shape::Kernels => kernels(lines),
        Shape::Straight => straight(lines),
        Shape::Control => control(lines),
        Shape::Goto => gotos(lines),
    }
}

fn kernels(lines: usize) -> String {
    let mut text = String::from("float helper(float x, int i) { return i & 1 ? x * 0.5f : x + (float)i; }\n");
    for n in 0..lines.saturating_sub(1) / 10 {
        let _ = write!(
            text,
            "__kernel void k{n}(__global const float *in, __global float *out, uint count) {{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    float sum = 0.0f;
    for (uint j = 0; j < {}; j++)
        sum += helper(in[i + j], (int)j) * {}.0f;
    out[i] = sum > {n}.0f ? sum : fabs(sum);
}}

",
            n % 7 + 2,
            n % 13
        );
    }
    text
}

fn straight(lines: usize) -> String {
    let mut text = String::from(
        "__kernel void straight(__global const uint *in, __global uint *out) {
    size_t id = get_global_id(0);
    uint a = in[id], b = in[id + 1], c = in[id + 2], d = in[id + 3];
",
    );
    for n in 0..lines.saturating_sub(5) {
        let _ = match n % 5 {
            0 => writeln!(text, "    a = a * {}u + (b ^ c);", n * 2 + 1),
            1 => writeln!(text, "    b += rotate(a, {}u) ^ d;", n % 31 + 1),
            2 => writeln!(text, "    c = (c & a) | (d & {n}u);"),
            3 => writeln!(text, "    d -= max(b, c) >> {};", n % 31),
            _ => writeln!(text, "    out[id * 4 + {}] = a ^ in[id + {n}];", n % 4),
        };
    }
    text + "    out[id] = a ^ b ^ c ^ d;\n}\n"
}

fn control(lines: usize) -> String {
    let mut text = String::from(
        "__kernel void control(__global const int *in, __global int *out, int n) {
    int id = get_global_id(0), a = in[id], b = n;
",
    );
    for n in 0..lines.saturating_sub(4) / 12 {
        let _ = writeln!(
            text,
            "    for (int i = 0; i < n; i++) {{
        if (a > {n}) {{
            while (b > i && a != b) {{
                b -= in[b & 63] + 1;
                if (b == {n}) break;
                if (b & 1) {{ a++; continue; }}
                switch (a & 3) {{ case 0: a += 2; case 1: b ^= a; break; default: a ^= {n}; }}
            }}
        }} else if (a == i || b == i) {{
            a += b;
        }}
    }}"
        );
    }
    text + "    out[id] = a + b;\n}\n"
}

fn gotos(lines: usize) -> String {
    let mut text = String::from(
        "__kernel void gotos(__global const int *in, __global int *out, int n) {
    int id = get_global_id(0), a = in[id], b = n;
",
    );
    for n in 0..lines.saturating_sub(4) / 9 {
        let entered = if n % 2 == 0 { "head" } else { "middle" };
        let _ = writeln!(
            text,
            "    if (a == {n}) goto {entered}{n};
head{n}:
    a += in[a & 63];
    if (a > b) goto out{n};
    b++;
middle{n}:
    a ^= b + {n};
    if (b & 3) goto head{n};
out{n}: a -= n;"
        );
    }
    text + "    out[id] = a + b;\n}\n"
}

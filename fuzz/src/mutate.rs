//! Texts made of other texts: by bytes, and by tokens.

use crate::random::Random;

/// Longer texts are cut: most faults show in short ones, and short ones are fast.
const LIMIT: usize = 4096;

/// Parts of OpenCL C, to be put anywhere.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "->",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "<",
    ">",
    "<=",
    "==",
    "!=",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "?",
    ":",
    "=",
    "+=",
    ">>=",
    "++",
    "--",
    "...",
    "#",
    "##",
    "\\\n",
    "\n",
    "//",
    "/*",
    "*/",
    "\"",
    "'",
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "0xffffffffffffffff",
    "9223372036854775808",
    "1.0f",
    "1e999",
    "0x1p-3",
    "1.0h",
    "1ull",
    "'a'",
    "\"%d\\n\"",
    "void",
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "half",
    "float",
    "double",
    "size_t",
    "float2",
    "float3",
    "float4",
    "int8",
    "uchar16",
    "long3",
    "half4",
    "struct",
    "union",
    "enum",
    "typedef",
    "const",
    "volatile",
    "restrict",
    "static",
    "extern",
    "inline",
    "kernel",
    "__kernel",
    "global",
    "local",
    "constant",
    "private",
    "generic",
    "__global",
    "__local",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "break",
    "continue",
    "return",
    "goto",
    "sizeof",
    "vec_step",
    "_Generic",
    "_Static_assert",
    "offsetof",
    "__attribute__((",
    "))",
    "reqd_work_group_size(1,1,1)",
    "packed",
    "aligned(16)",
    "overloadable",
    "#define M(x) x\n",
    "#define M M M\n",
    "#include \"a.h\"\n",
    "#if 1\n",
    "#else\n",
    "#endif\n",
    "#pragma unroll\n",
    "#pragma OPENCL EXTENSION all : enable\n",
    "#line 7 \"b\"\n",
    "__VA_ARGS__",
    "__LINE__",
    "defined",
    "image2d_t",
    "sampler_t",
    "event_t",
    "read_only",
    "write_only",
    "get_global_id(0)",
    "barrier(CLK_LOCAL_MEM_FENCE)",
    "printf",
    "vload4",
    "vstore3",
    "as_int",
    "convert_uchar4_sat_rte",
    "mad",
    "dot",
    "select",
    "shuffle",
    "atomic_add",
    "atomic_inc",
    "atom_cmpxchg",
    "fract",
    "frexp",
    "remquo",
    "sincos",
    "clamp",
    "mul24",
    "popcount",
    "async_work_group_copy",
    "wait_group_events",
    "work_group_reduce_add",
    "NULL",
    "INFINITY",
    "NAN",
    "INT_MAX",
    "M_PI_F",
    "x",
    "p",
    "s0",
    "xyzw",
    "s01234567",
    "hi",
    "odd",
    "atomic_int",
    "memory_order_relaxed",
];

/// Changes some bytes of a text.
pub fn bytes(random: &mut Random, seeds: &[String]) -> String {
    let mut text = seed(random, seeds).into_bytes();
    for _ in 0..1 + random.below(6) {
        let (from, to) = range(random, text.len());
        match random.below(7) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece: Vec<u8> = text.get(from..to).unwrap_or_default().to_vec();
                let at = random.below(text.len() + 1);
                text.splice(at..at, piece);
            }
            2 => {
                if let Some(byte) = text.get_mut(from) {
                    *byte = random.below(256) as u8;
                }
            }
            3 => {
                if let Some(byte) = text.get_mut(from) {
                    *byte ^= 1 << random.below(8);
                }
            }
            4 => text.splice(from..from, random.word(TOKENS).bytes()).for_each(drop),
            5 => {
                let other = seed(random, seeds).into_bytes();
                let (a, b) = range(random, other.len());
                text.splice(from..to, other.get(a..b).unwrap_or_default().iter().copied()).for_each(drop);
            }
            _ => text.truncate(to),
        }
    }
    text.truncate(2 * LIMIT);
    String::from_utf8_lossy(&text).into_owned()
}

/// Changes some tokens of a text.
pub fn tokens(random: &mut Random, seeds: &[String]) -> String {
    let text = seed(random, seeds);
    let mut list = split(&text);
    let other = seed(random, seeds);
    let others = split(&other);
    for _ in 0..1 + random.below(6) {
        let at = random.below(list.len());
        let new =
            if random.one_in(2) { random.word(TOKENS) } else { random.pick(&others).copied().unwrap_or("") };
        match random.below(6) {
            0 if at < list.len() => drop(list.remove(at)),
            1 if at < list.len() => drop(list.splice(at..=at, [" ", new, " "])),
            2 => {
                let to = random.below(list.len());
                if at < list.len() {
                    list.swap(at, to);
                }
            }
            3 => {
                let (from, to) = range(random, list.len().min(at + 24));
                let piece: Vec<&str> = list.get(from..to).unwrap_or_default().to_vec();
                list.splice(at..at, piece);
            }
            4 => {
                let (from, to) = range(random, others.len());
                let piece = others.get(from..to.min(from + 60)).unwrap_or_default();
                list.splice(at..at, piece.iter().copied());
            }
            _ => drop(list.splice(at..at, [" ", new, " "])),
        }
    }
    list.concat()
}

/// A seed, or a part of it made of whole lines.
fn seed(random: &mut Random, seeds: &[String]) -> String {
    let text = random.pick(seeds).map_or("", String::as_str);
    if text.len() <= LIMIT {
        return text.to_owned();
    }
    let mut from = random.below(text.len() - LIMIT);
    while from > 0 && !text.is_char_boundary(from) {
        from -= 1;
    }
    let rest = text.get(from..).unwrap_or_default();
    let rest = rest.split_once('\n').map_or(rest, |r| r.1);
    let mut to = rest.len().min(LIMIT);
    while !rest.is_char_boundary(to) {
        to -= 1;
    }
    rest.get(..to).unwrap_or_default().to_owned()
}

fn range(random: &mut Random, len: usize) -> (usize, usize) {
    let from = random.below(len + 1);
    let most = if random.one_in(4) { len - from } else { (len - from).min(16) };
    (from, from + random.below(most + 1))
}

/// Words, numbers and single marks, each with the white space behind it: together they are the text.
fn split(text: &str) -> Vec<&str> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if in_word(first) { rest.find(|c| !in_word(c)) } else { Some(first.len_utf8()) };
        let mark = length.unwrap_or(rest.len());
        let behind = rest.get(mark..).unwrap_or_default();
        let (token, after) = rest.split_at(rest.len() - behind.trim_start().len());
        list.push(token);
        rest = after;
    }
    list
}

/// Changes a JSON text: numbers, names and whole pieces.
pub fn json(random: &mut Random, seeds: &[String]) -> String {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "true",
        "false",
        "0",
        "-1",
        "1e400",
        "18446744073709551616",
        "4294967296",
        "\"\"",
        "\"VK_SUCCESS\"",
        "[[[[",
        "\"capabilities\"",
        "\"profiles\"",
        "\"properties\"",
        "\"features\"",
        "\"limits\"",
        "\"\\ud800\"",
        "0.5",
        "[0, 0, 0]",
        "[4294967295]",
        "{}",
        "[]",
    ];
    let text = random.pick(seeds).cloned().unwrap_or_default();
    let mut list = split(&text);
    for _ in 0..1 + random.below(8) {
        let at = random.below(list.len());
        match random.below(5) {
            0 if at < list.len() => drop(list.remove(at)),
            1 if at < list.len() => list[at] = random.word(PIECES),
            2 => {
                // Another number, where one stands.
                let numbers: Vec<usize> = (0..list.len())
                    .filter(|i| list.get(*i).is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit())))
                    .collect();
                if let Some(slot) = random.pick(&numbers).and_then(|i| list.get_mut(*i)) {
                    *slot = random.word(&[
                        "0",
                        "1",
                        "3",
                        "7",
                        "255",
                        "65536",
                        "4294967295",
                        "18446744073709551615",
                    ]);
                }
            }
            3 => {
                let (from, to) = range(random, list.len());
                drop(list.drain(from..to));
            }
            _ => list.insert(at.min(list.len()), random.word(PIECES)),
        }
    }
    list.concat()
}

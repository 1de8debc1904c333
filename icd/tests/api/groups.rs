//! Work-group and sub-group functions: every function, type and size against a reference in Rust, in full and partial groups of
//! one to three dimensions. `PUMICE_TEST_GROUPS=all` launches every size for every type, which takes long on a CPU.

mod numbers;

use crate::support;
use opencl_sys as cl;
use pumice::entry::{
    device::clGetDeviceInfo,
    kernel::{clGetKernelSubGroupInfo, clGetKernelWorkGroupInfo},
};
use support::*;

/// An element type of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ty {
    name: &'static str,
    bits: u32,
    signed: bool,
    float: bool,
}

const fn ty(name: &'static str, bits: u32, signed: bool, float: bool) -> Ty {
    Ty { name, bits, signed, float }
}

const INT: Ty = ty("int", 32, true, false);
const BASIC: [Ty; 7] = [
    INT,
    ty("uint", 32, false, false),
    ty("long", 64, true, false),
    ty("ulong", 64, false, false),
    ty("float", 32, true, true),
    ty("double", 64, true, true),
    ty("half", 16, true, true),
];
const NARROW: [Ty; 4] = [
    ty("char", 8, true, false),
    ty("uchar", 8, false, false),
    ty("short", 16, true, false),
    ty("ushort", 16, false, false),
];

/// Sizes of work-groups: full and partial sub-groups of 4, 8, 32 and 64.
const SIZES: [[usize; 3]; 14] = [
    [33, 1, 1],
    [8, 1, 1],
    [5, 3, 2],
    [64, 1, 1],
    [1, 1, 1],
    [7, 9, 1],
    [100, 1, 1],
    [4, 4, 4],
    [3, 1, 1],
    [16, 8, 1],
    [31, 1, 1],
    [2, 3, 17],
    [256, 1, 1],
    [129, 1, 1],
];

/// How values are combined: the word in the function's name.
const COMBINES: [&str; 7] = ["add", "min", "max", "mul", "and", "or", "xor"];

/// The members of a group, as one of them sees it.
struct Group<'a> {
    ty: Ty,
    /// Everyone's value.
    values: &'a [u64],
    /// Who takes part.
    active: &'a [bool],
    me: usize,
    /// The largest size of a sub-group.
    max: usize,
}

impl Group<'_> {
    /// The values of those that take part and for which a condition holds, combined.
    fn combined(&self, how: &str, who: impl Fn(usize) -> bool) -> u64 {
        let members = (0..self.values.len()).filter(|i| self.active[*i] && who(*i));
        members.fold(self.ty.identity(how), |sum, i| self.ty.combine(how, sum, self.values[i]))
    }

    /// Returns whether numbers are true, combined.
    fn logical(&self, how: &str, who: impl Fn(usize) -> bool) -> u64 {
        let mut members = (0..self.values.len()).filter(|i| self.active[*i] && who(*i));
        let truth = |i: usize| self.values[i] & 1 != 0;
        u64::from(match how {
            "and" => members.all(truth),
            "or" => members.any(truth),
            _ => members.filter(|i| truth(*i)).count() % 2 == 1,
        })
    }

    fn first(&self) -> usize {
        self.active.iter().position(|a| *a).unwrap_or(0)
    }

    /// The value of a member, if it takes part.
    fn at(&self, index: usize) -> Option<u64> {
        (index < self.values.len() && self.active[index]).then(|| self.values[index])
    }

    fn span(&self, span: &str, i: usize) -> bool {
        match span {
            "reduce" => true,
            "scan_inclusive" => i <= self.me,
            _ => i < self.me,
        }
    }
}

/// Whether member n takes part.
type Who = fn(usize) -> bool;
/// A mask of those up to and those before a member.
type Mask = fn(u64, u64) -> u64;
type Expected = Box<dyn Fn(&Group<'_>) -> Option<u64>>;

/// An expression of OpenCL C and what it gives; `None` where that is undefined.
struct Case {
    text: String,
    /// It gives an int, not a value of the type.
    int: bool,
    expected: Expected,
}

fn case(text: String, expected: impl Fn(&Group<'_>) -> Option<u64> + 'static) -> Case {
    Case { text, int: false, expected: Box::new(expected) }
}

fn int_case(text: String, expected: impl Fn(&Group<'_>) -> Option<u64> + 'static) -> Case {
    Case { int: true, ..case(text, expected) }
}

/// Reductions and scans whose functions begin with a word.
fn combines(prefix: &str, hows: &[&'static str], of: Ty) -> Vec<Case> {
    let mut cases = Vec::new();
    for how in hows.iter().copied().filter(|how| !of.float || !matches!(*how, "and" | "or" | "xor")) {
        for span in ["reduce", "scan_inclusive", "scan_exclusive"] {
            let text = format!("{prefix}_{span}_{how}(v)");
            cases.push(case(text, move |g| Some(g.combined(how, |i| g.span(span, i)))));
        }
    }
    cases
}

/// Logical reductions and scans, of ints.
fn logicals(prefix: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for how in ["and", "or", "xor"] {
        for span in ["reduce", "scan_inclusive", "scan_exclusive"] {
            let text = format!("{prefix}_{span}_logical_{how}(odd)");
            cases.push(int_case(text, move |g| Some(g.logical(how, |i| g.span(span, i)))));
        }
    }
    cases
}

fn votes(prefix: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for (word, how) in [("all", "and"), ("any", "or")] {
        cases.push(int_case(format!("{prefix}_{word}(odd)"), move |g| Some(g.logical(how, |_| true))));
        cases.push(int_case(format!("{prefix}_{word}(odd | 2)"), move |_| Some(1)));
        cases.push(int_case(format!("{prefix}_{word}(odd & 2)"), move |_| Some(0)));
    }
    cases
}

fn shuffles() -> Vec<Case> {
    vec![
        case("sub_group_shuffle(v, max - 1 - lane)".into(), |g| g.at(g.max - 1 - g.me)),
        case("sub_group_shuffle(v, (lane * 5 + 2) % max)".into(), |g| g.at((g.me * 5 + 2) % g.max)),
        case("sub_group_shuffle_xor(v, 1)".into(), |g| g.at(g.me ^ 1)),
        case("sub_group_shuffle_xor(v, max / 2 + 1)".into(), |g| g.at(g.me ^ (g.max / 2 + 1))),
        case("sub_group_shuffle_up(v, 1)".into(), |g| g.at(g.me.checked_sub(1)?)),
        case("sub_group_shuffle_up(v, lane / 2)".into(), |g| g.at(g.me - g.me / 2)),
        case("sub_group_shuffle_down(v, 2)".into(), |g| g.at(g.me + 2)),
        case("sub_group_rotate(v, 3)".into(), |g| g.at((g.me + 3) % g.max)),
        case("sub_group_rotate(v, -1)".into(), |g| g.at((g.me + g.max - 1) % g.max)),
        case("sub_group_clustered_rotate(v, 1, 4)".into(), |g| g.at((g.me & !3) + (g.me + 1) % 4)),
        case("sub_group_clustered_rotate(v, -3, 2)".into(), |g| g.at((g.me & !1) + (g.me + 1) % 2)),
        case("sub_group_non_uniform_broadcast(v, 2)".into(), |g| g.at(2)),
        case("sub_group_non_uniform_broadcast(v, 0)".into(), |g| g.at(0)),
        case("sub_group_broadcast_first(v)".into(), |g| g.at(g.first())),
        int_case("sub_group_elect()".into(), |g| Some((g.me == g.first()).into())),
        int_case("sub_group_non_uniform_all_equal(v)".into(), |g| {
            Some((0..g.values.len()).all(|i| !g.active[i] || g.values[i] == g.values[g.first()]).into())
        }),
        int_case("sub_group_non_uniform_all_equal((TYPE)7)".into(), |_| Some(1)),
    ]
}

fn clusters(of: Ty) -> Vec<Case> {
    let mut cases = Vec::new();
    for size in [1, 2, 4] {
        for how in COMBINES.into_iter().filter(|how| !of.float || !matches!(*how, "and" | "or" | "xor")) {
            let text = format!("sub_group_clustered_reduce_{how}(v, {size})");
            cases.push(case(text, move |g| Some(g.combined(how, |i| i / size == g.me / size))));
        }
        for how in ["and", "or", "xor"].into_iter().filter(|_| of == INT) {
            let text = format!("sub_group_clustered_reduce_logical_{how}(odd, {size})");
            cases.push(int_case(text, move |g| Some(g.logical(how, |i| i / size == g.me / size))));
        }
    }
    cases
}

/// Ballots: 64 bits are looked at, which is more than any device here has members.
fn ballots() -> Vec<Case> {
    let odd = |g: &Group<'_>| -> u64 {
        let bits = (0..g.values.len()).filter(|i| g.active[*i] && g.values[*i] & 1 != 0);
        bits.map(|i| 1 << i).sum()
    };
    let low = |n: usize| (1u64 << n) - 1;
    let mut cases = vec![
        int_case("sub_group_ballot(odd).x".into(), move |g| Some(odd(g) & 0xFFFF_FFFF)),
        int_case("sub_group_ballot(odd).y".into(), move |g| Some(odd(g) >> 32)),
        int_case("sub_group_ballot(odd).w".into(), |_| Some(0)),
        int_case("sub_group_inverse_ballot(sub_group_ballot(odd))".into(), move |g| Some(odd(g) >> g.me & 1)),
        int_case("sub_group_ballot_bit_extract(sub_group_ballot(odd), 1)".into(), move |g| {
            Some(odd(g) >> 1 & 1)
        }),
        int_case("sub_group_ballot_bit_extract((uint4)(0, 5, 0, 0), 34)".into(), |_| Some(1)),
        int_case("sub_group_ballot_bit_count(sub_group_ballot(odd))".into(), move |g| {
            Some(odd(g).count_ones().into())
        }),
        int_case("sub_group_ballot_bit_count((uint4)(~0u))".into(), |g| Some(g.max as u64)),
        int_case("sub_group_ballot_inclusive_scan(sub_group_ballot(odd))".into(), move |g| {
            Some((odd(g) & low(g.me + 1)).count_ones().into())
        }),
        int_case("sub_group_ballot_exclusive_scan(sub_group_ballot(odd))".into(), move |g| {
            Some((odd(g) & low(g.me)).count_ones().into())
        }),
        int_case("sub_group_ballot_find_lsb(sub_group_ballot(odd))".into(), move |g| {
            (odd(g) != 0).then(|| odd(g).trailing_zeros().into())
        }),
        int_case("sub_group_ballot_find_msb(sub_group_ballot(odd))".into(), move |g| {
            (odd(g) != 0).then(|| (63 - odd(g).leading_zeros()).into())
        }),
        int_case("sub_group_ballot_find_msb((uint4)(~0u))".into(), |g| Some(g.max as u64 - 1)),
    ];
    let masks: [(&str, Mask); 5] = [
        ("eq", |upto, below| upto & !below),
        ("ge", |_, below| !below),
        ("gt", |upto, _| !upto),
        ("le", |upto, _| upto),
        ("lt", |_, below| below),
    ];
    for (word, mask) in masks {
        for (lane, shift) in [("x", 0), ("y", 32), ("z", 64)] {
            cases.push(int_case(format!("get_sub_group_{word}_mask().{lane}"), move |g| {
                let all = u64::MAX >> (64 - g.max);
                let bits = mask(low(g.me + 1), low(g.me)) & all;
                Some(u64::checked_shr(bits, shift).unwrap_or(0) & 0xFFFF_FFFF)
            }));
        }
    }
    cases
}

/// A kernel takes so many expressions.
const AT_ONCE: usize = 24;

/// Who takes part, by the index in the group and its size.
const PATTERNS: [(&str, Who); 3] =
    [("1", |_| true), ("(lane * 7 % 5) < 3", |i| i * 7 % 5 < 3), ("lane > 2", |i| i > 2)];

/// A kernel that gives the results of expressions, each where the pattern's condition holds.
fn source(of: Ty, cases: &[Case], pattern: &str, sub_groups: bool) -> String {
    let mut text = String::new();
    if of.name == "half" {
        text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    }
    let lane = if sub_groups { "get_sub_group_local_id()" } else { "get_local_linear_id()" };
    let max = if sub_groups { "get_max_sub_group_size()" } else { "1" };
    text += &format!(
        "#define TYPE {0}\n#define AT(k) out[(k) * n + i]\nkernel void k(global const {0} *in, global {0} *out, global int *ints, uint n) {{\n\
         uint i = ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))\n\
         * (get_local_size(0) * get_local_size(1) * get_local_size(2)) + get_local_linear_id();\n\
         uint lane = {lane}, max = {max};\n{0} v = in[i];\n\
         int odd = ((global const uchar *)in)[i * sizeof({0})] & 1;\nif ({pattern}) {{\n",
        of.name
    );
    for (k, case) in cases.iter().enumerate() {
        let to = if case.int { "ints" } else { "out" };
        text += &format!("{to}[{k} * n + i] = {};\n", case.text);
    }
    text += "}\n}\n";
    text
}

struct Bench {
    setup: Setup,
    /// The largest sub-group.
    max: usize,
    all: bool,
    extensions: String,
}

impl Bench {
    fn new() -> Option<Bench> {
        let setup = setup()?;
        // SAFETY: the place has the size that it is said to have.
        let info = |what| query(|n, v, s| unsafe { clGetDeviceInfo(setup.device, what, n, v, s) });
        let extensions = text(info(cl::CL_DEVICE_EXTENSIONS));
        let most = number(info(cl::CL_DEVICE_MAX_NUM_SUB_GROUPS));
        let items = number(info(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE));
        let all = std::env::var("PUMICE_TEST_GROUPS").is_ok_and(|v| v == "all");
        Some(Bench { setup, max: items.checked_div(most).unwrap_or(0) as usize, all, extensions })
    }

    fn has(&self, of: Ty) -> bool {
        match of.name {
            "half" => self.extensions.contains("cl_khr_fp16"),
            "double" => self.extensions.contains("cl_khr_fp64"),
            _ => true,
        }
    }

    /// Launches every expression in work-groups of some sizes and compares.
    fn check(
        &self,
        seed: usize,
        of: Ty,
        cases: Vec<Case>,
        (pattern, who): (&str, Who),
        sub_groups: bool,
    ) -> usize {
        if !self.has(of) || (sub_groups && self.max == 0) {
            return 0;
        }
        let mut compared = 0;
        let mut rest = cases.as_slice();
        let mut turn = seed;
        while !rest.is_empty() {
            let (part, more) = rest.split_at(rest.len().min(AT_ONCE));
            rest = more;
            let text = source(of, part, pattern, sub_groups);
            let program = self.setup.built(&text, "-cl-std=CL3.0");
            let count = if self.all { SIZES.len() } else { 2 };
            for n in 0..count {
                let size = SIZES[(turn + n * 5) % SIZES.len()];
                compared += self.launch(&program, of, part, who, size, sub_groups);
            }
            turn += 1;
        }
        compared
    }

    fn launch(
        &self,
        program: &Owned,
        of: Ty,
        cases: &[Case],
        who: Who,
        size: [usize; 3],
        sub_groups: bool,
    ) -> usize {
        let items: usize = size.iter().product();
        let groups = [2, 1, if size[2] > 1 { 2 } else { 1 }];
        let n = items * groups.iter().product::<usize>();
        let bytes = (of.bits / 8) as usize;
        let values: Vec<u64> = (0..n).map(|i| of.value(i)).collect();
        let raw: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()[..bytes].to_vec()).collect();
        let words = |bytes: &[u8]| -> Vec<u32> {
            let word = |c: &[u8]| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b));
            bytes.chunks(4).map(word).collect()
        };
        let s = &self.setup;
        let kernel = kernel(program, "k").expect("the kernel");
        let input = s.buffer(raw.len().next_multiple_of(4));
        let out_bytes = (n * cases.len() * bytes).next_multiple_of(4);
        let (out, ints) = (s.buffer(out_bytes), s.buffer(4 * n * cases.len()));
        s.write(&input, &words(&raw));
        let set_all = [
            set(&kernel, 0, input.0),
            set(&kernel, 1, out.0),
            set(&kernel, 2, ints.0),
            set(&kernel, 3, n as u32),
        ];
        assert_eq!(set_all, [0; 4]);
        let global: Vec<usize> = size.iter().zip(groups).map(|(l, g)| l * g).collect();
        assert_eq!(s.launch(&kernel, &global, Some(&size)), 0);
        let typed: Vec<u8> = s.read(&out, out_bytes / 4).iter().flat_map(|w| w.to_le_bytes()).collect();
        let ints = s.read(&ints, n * cases.len());
        let mut compared = 0;
        let width = if sub_groups { self.max } else { items };
        for (k, case) in cases.iter().enumerate() {
            for first in
                (0..n).step_by(items).flat_map(|g| (g..g + items).step_by(width).map(move |f| (f, g + items)))
            {
                let (first, end) = (first.0, first.1.min(first.0 + width));
                let active: Vec<bool> = (0..end - first).map(who).collect();
                for me in (0..end - first).filter(|me| active[*me]) {
                    let group =
                        Group { ty: of, values: &values[first..end], active: &active, me, max: self.max };
                    let Some(expected) = (case.expected)(&group) else { continue };
                    let at = k * n + first + me;
                    let (found, expected) = if case.int {
                        (u64::from(ints[at]), expected)
                    } else {
                        let found = typed[at * bytes..(at + 1) * bytes]
                            .iter()
                            .rev()
                            .fold(0, |w, b| w << 8 | u64::from(*b));
                        (of.shown(found), of.shown(expected))
                    };
                    assert_eq!(
                        found,
                        expected,
                        "{} of {} in work-groups of {size:?}: item {} ({me} of its group)",
                        case.text,
                        of.name,
                        first + me
                    );
                    compared += 1;
                }
            }
        }
        compared
    }
}

/// Each function of the list runs for each type.
fn every(types: &[Ty], check: impl Fn(usize, Ty) -> usize) -> usize {
    types.iter().enumerate().map(|(n, of)| check(n * 3, *of)).sum()
}

const EVERYONE: (&str, Who) = PATTERNS[0];

#[test]
fn work_group_functions() {
    let Some(b) = Bench::new() else { return };
    let compared = every(&BASIC, |seed, of| {
        let mut cases = combines("work_group", &COMBINES, of);
        if of == INT {
            cases.extend(votes("work_group"));
            cases.extend(logicals("work_group"));
        }
        b.check(seed, of, cases, EVERYONE, false)
    });
    println!("{compared} results of work-group functions compared");
    assert!(compared > 10_000);
}

#[test]
fn work_group_broadcasts() {
    let Some(b) = Bench::new() else { return };
    let mut compared = 0;
    for (n, of) in BASIC.into_iter().enumerate() {
        for size in if b.all { &SIZES[..] } else { &SIZES[n..n + 2] } {
            let size = *size;
            for id in [[0, 0, 0], [size[0] - 1, size[1] / 2, size[2] - 1]] {
                let linear = (id[2] * size[1] + id[1]) * size[0] + id[0];
                let mut text = vec![format!("work_group_broadcast(v, {}, {}, {})", id[0], id[1], id[2])];
                if size[2] == 1 {
                    text.push(format!("work_group_broadcast(v, {}, {})", id[0], id[1]));
                }
                if size[1] * size[2] == 1 {
                    text.push(format!("work_group_broadcast(v, {})", id[0]));
                }
                let cases: Vec<Case> = text.into_iter().map(|t| case(t, move |g| g.at(linear))).collect();
                if !b.has(of) {
                    continue;
                }
                let program = b.setup.built(&source(of, &cases, "1", false), "-cl-std=CL3.0");
                compared += b.launch(&program, of, &cases, |_| true, size, false);
            }
        }
    }
    println!("{compared} results of broadcasts compared");
    assert!(compared > 100);
}

#[test]
fn sub_group_functions() {
    let Some(b) = Bench::new() else { return };
    let types = [BASIC.as_slice(), NARROW.as_slice()].concat();
    let compared = every(&types, |seed, of| {
        let mut cases = combines("sub_group", &COMBINES[..3], of);
        cases.push(case("sub_group_broadcast(v, 0)".into(), |g| g.at(0)));
        cases.push(case("sub_group_broadcast(v, (uint)get_group_id(0) * 0)".into(), |g| g.at(0)));
        if of == INT {
            cases.extend(votes("sub_group"));
        }
        b.check(seed, of, cases, EVERYONE, true)
    });
    println!("{compared} results of sub-group functions compared");
}

#[test]
fn sub_group_non_uniform_functions() {
    let Some(b) = Bench::new() else { return };
    let types = [BASIC.as_slice(), NARROW.as_slice()].concat();
    let mut compared = 0;
    for (p, pattern) in PATTERNS.into_iter().enumerate() {
        compared += every(&types, |seed, of| {
            let mut cases = combines("sub_group_non_uniform", &COMBINES, of);
            if of == INT {
                cases.extend(votes("sub_group_non_uniform"));
                cases.extend(logicals("sub_group_non_uniform"));
            }
            b.check(seed + p * 4, of, cases, pattern, true)
        });
    }
    println!("{compared} results of non-uniform sub-group functions compared");
}

#[test]
fn sub_group_shuffles_and_clusters() {
    let Some(b) = Bench::new() else { return };
    let types = [BASIC.as_slice(), NARROW.as_slice()].concat();
    let mut compared = 0;
    for (p, pattern) in PATTERNS.into_iter().enumerate() {
        compared += every(&types, |seed, of| {
            b.check(seed + p * 3, of, shuffles(), pattern, true)
                + b.check(seed + p, of, clusters(of), pattern, true)
        });
    }
    println!("{compared} results of shuffles and clustered functions compared");
}

#[test]
fn sub_group_ballots() {
    let Some(b) = Bench::new() else { return };
    let mut compared = 0;
    for (p, pattern) in PATTERNS.into_iter().enumerate() {
        compared += b.check(p * 3, INT, ballots(), pattern, true);
    }
    println!("{compared} results of ballots compared");
}

/// Where each work-item says that it is, in work-groups of every size.
#[test]
fn sub_group_ids() {
    let Some(b) = Bench::new() else { return };
    if b.max == 0 {
        return;
    }
    let s = &b.setup;
    let program = s.built(
        "kernel void k(global uint *out) {
           uint i = ((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))
             * (get_local_size(0) * get_local_size(1) * get_local_size(2)) + get_local_linear_id();
           out += 10 * i;
           out[0] = get_sub_group_id(); out[1] = get_sub_group_local_id(); out[2] = get_sub_group_size();
           out[3] = get_max_sub_group_size(); out[4] = get_num_sub_groups(); out[5] = get_enqueued_num_sub_groups();
           out[6] = get_global_id(0); out[7] = get_global_id(1); out[8] = get_local_id(1); out[9] = get_local_id(2);
         }",
        "-cl-std=CL3.0",
    );
    for size in SIZES {
        let items: usize = size.iter().product();
        let kernel = kernel(&program, "k").expect("the kernel");
        let out = s.buffer(4 * 10 * items * 4);
        assert_eq!(set(&kernel, 0, out.0), 0);
        let global = [size[0] * 2, size[1] * 2, size[2]];
        assert_eq!(s.launch(&kernel, &global, Some(&size)), 0);
        let found = s.read(&out, 10 * items * 4);
        for (i, found) in found.chunks(10).enumerate() {
            let (group, at) = (i / items, i % items);
            let (number, lane) = (at / b.max, at % b.max);
            let (x, y, z) = (at % size[0], at / size[0] % size[1], at / size[0] / size[1]);
            let all = items.div_ceil(b.max);
            let expected = [
                number,
                lane,
                (items - number * b.max).min(b.max),
                b.max,
                all,
                all,
                group % 2 * size[0] + x,
                group / 2 * size[1] + y,
                y,
                z,
            ];
            assert_eq!(found, expected.map(|n| n as u32), "item {i} in work-groups of {size:?}");
        }
    }
}

/// clGetKernelSubGroupInfo answers what the kernels see.
#[test]
fn sub_group_queries() {
    let Some(b) = Bench::new() else { return };
    if b.max == 0 {
        return;
    }
    let s = &b.setup;
    let program = s.built("kernel void k(global int *p) { p[0] = get_sub_group_size(); }", "-cl-std=CL3.0");
    let kernel = kernel(&program, "k").expect("the kernel");
    let ask = |what: u32, input: &[usize]| {
        let (given, bytes) = (input.as_ptr().cast(), size_of_val(input));
        // SAFETY: the input has so many bytes; the place has the size that it is said to have.
        numbers(query(|n, v, s| unsafe {
            clGetKernelSubGroupInfo(kernel.0, b.setup.device, what, bytes, given, n, v, s)
        }))
    };
    for size in SIZES {
        let items: usize = size.iter().product();
        assert_eq!(ask(cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &size), [b.max as u64]);
        assert_eq!(ask(cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &size), [items.div_ceil(b.max) as u64]);
    }
    let most = ask(cl::CL_KERNEL_MAX_NUM_SUB_GROUPS, &[])[0];
    for count in [1, 2, most, most + 1] {
        let items = if count > most { 0 } else { count * b.max as u64 };
        let rest = u64::from(items > 0);
        assert_eq!(ask(cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &[count as usize]), [items, rest, rest]);
    }
    assert_eq!(ask(cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS, &[]), [0]);
}

/// cl_intel_required_subgroup_size: the device's own size is taken and told, another is refused by name.
#[test]
fn sub_group_sizes_that_are_required() {
    let Some(b) = Bench::new() else { return };
    let s = &b.setup;
    let sizes = |n, v, r| {
        // SAFETY: the place has the size that it is said to have.
        unsafe { clGetDeviceInfo(s.device, cl::CL_DEVICE_SUB_GROUP_SIZES_INTEL, n, v, r) }
    };
    // SAFETY: as above.
    let extensions = query(|n, v, r| unsafe { clGetDeviceInfo(s.device, cl::CL_DEVICE_EXTENSIONS, n, v, r) });
    let extensions = String::from_utf8(extensions.expect("the extensions")).expect("they are text");
    if !extensions.contains("cl_intel_required_subgroup_size") {
        assert_eq!(sizes(0, std::ptr::null_mut(), std::ptr::null_mut()), cl::CL_INVALID_VALUE);
        return;
    }
    assert_eq!(numbers(query(sizes)), [b.max as u64]);
    let text = "kernel __attribute__((intel_reqd_sub_group_size(SIZE))) void k(global uint *p) { p[0] = get_max_sub_group_size(); }
                kernel void any(global uint *p) { p[0] = sub_group_reduce_add(1u); }";
    let program = s.built(text, &format!("-cl-std=CL3.0 -DSIZE={}", b.max));
    for (name, size) in [("k", b.max as u64), ("any", 0)] {
        let kernel = kernel(&program, name).expect("the kernel");
        // SAFETY: the places have the sizes that they are said to have.
        let asked = numbers(query(|n, v, r| unsafe {
            let none = std::ptr::null();
            let what = cl::CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL;
            clGetKernelSubGroupInfo(kernel.0, s.device, what, 0, none, n, v, r)
        }));
        assert_eq!(asked, [size]);
        // SAFETY: as above. Nobody tells, and 0 would say that there is none.
        let spilled = query(|n, v, r| unsafe {
            clGetKernelWorkGroupInfo(kernel.0, s.device, cl::CL_KERNEL_SPILL_MEM_SIZE_INTEL, n, v, r)
        });
        assert_ne!(numbers(spilled), [0]);
    }
    let program = s.program(text);
    assert_eq!(
        s.build(&program, &format!("-cl-std=CL3.0 -DSIZE={}", b.max * 2)),
        cl::CL_BUILD_PROGRAM_FAILURE
    );
    assert!(s.log(&program).contains("sub-groups of"), "{}", s.log(&program));
}

/// Work-groups that are cut off at the NDRange's ends: where each work-item says that it is, and a reduction and a scan among them.
#[test]
fn non_uniform_work_groups() {
    let Some(b) = Bench::new() else { return };
    let s = &b.setup;
    let text = "kernel void k(global uint *out, local uint *spare) {
       uint gx = get_global_id(0) - get_global_offset(0), gy = get_global_id(1) - get_global_offset(1), gz = get_global_id(2);
       uint i = (gz * get_global_size(1) + gy) * get_global_size(0) + gx;
       uint n = get_local_linear_id();
       spare[n] = i + 1;
       barrier(CLK_LOCAL_MEM_FENCE);
       uint last = spare[get_local_size(0) * get_local_size(1) * get_local_size(2) - 1];
       global uint *o = out + 24 * i;
       for (int d = 0; d < 3; d++) {
         o[d] = get_global_id(d); o[3 + d] = get_local_id(d); o[6 + d] = get_group_id(d); o[9 + d] = get_local_size(d);
         o[12 + d] = get_enqueued_local_size(d); o[15 + d] = get_num_groups(d);
       }
       o[18] = n; o[19] = last; o[20] = get_global_linear_id();
       o[21] = work_group_reduce_add(i + 1); o[22] = work_group_scan_inclusive_add(1u); o[23] = work_group_all(n < 1000);
     }";
    let program = s.built(text, "-cl-std=CL3.0");
    let ranges: [([usize; 3], [usize; 3]); 9] = [
        ([10, 1, 1], [4, 1, 1]),
        ([3, 1, 1], [8, 1, 1]),
        ([64, 1, 1], [16, 1, 1]),
        ([257, 1, 1], [64, 1, 1]),
        ([10, 7, 1], [4, 3, 1]),
        ([9, 2, 1], [3, 5, 1]),
        ([5, 5, 5], [2, 2, 2]),
        ([7, 4, 9], [4, 4, 4]),
        ([4, 3, 2], [8, 8, 4]),
    ];
    for (global, local) in ranges {
        let items: usize = global.iter().product();
        let kernel = kernel(&program, "k").expect("the kernel");
        let out = s.buffer(4 * 24 * items);
        assert_eq!((set(&kernel, 0, out.0), set_local(&kernel, 1, 4 * 256)), (0, 0));
        let offset = [3, 5, 0];
        assert_eq!(s.launch_at(&kernel, Some(&offset), &global, Some(&local)), 0);
        let found = s.read(&out, 24 * items);
        for (i, found) in found.chunks(24).enumerate() {
            let id = [i % global[0], i / global[0] % global[1], i / global[0] / global[1]];
            let each = |f: &dyn Fn(usize) -> usize| -> [usize; 3] { std::array::from_fn(f) };
            let group = each(&|d| id[d] / local[d]);
            let own = each(&|d| id[d] % local[d]);
            let size = each(&|d| local[d].min(global[d] - group[d] * local[d]));
            let linear = |at: [usize; 3], of: [usize; 3]| (at[2] * of[1] + at[1]) * of[0] + at[0];
            let member = |at: [usize; 3]| linear(each(&|d| group[d] * local[d] + at[d]), global) + 1;
            let count: usize = size.iter().product();
            let sum: usize =
                (0..count).map(|n| member([n % size[0], n / size[0] % size[1], n / size[0] / size[1]])).sum();
            let expected = [
                each(&|d| id[d] + offset[d]).as_slice(),
                &own,
                &group,
                &size,
                &local,
                &each(&|d| global[d].div_ceil(local[d])),
                &[linear(own, size), member(each(&|d| size[d] - 1)), i, sum, linear(own, size) + 1, 1],
            ]
            .concat();
            let expected: Vec<u32> = expected.iter().map(|n| *n as u32).collect();
            assert_eq!(found, expected, "item {i} of {global:?} in work-groups of {local:?}");
        }
    }
}

/// Who asked for work-groups of one size gets no other; a required size is that of all but the last; who leaves the size to the runtime gets any range.
#[test]
fn uniform_work_groups() {
    let Some(b) = Bench::new() else { return };
    let s = &b.setup;
    let text = "kernel void k(global uint *p) { p[get_global_id(0)] = get_enqueued_local_size(0) * get_num_groups(0) >= get_global_size(0); }
        kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(global uint *p) { p[get_global_id(0)] = get_local_size(0); }";
    let out = s.buffer(4 * 2003);
    let launch = |text: &str, options: &str, name: &str, local: Option<&[usize]>| {
        let program = s.built(text, options);
        let kernel = kernel(&program, name).expect("the kernel");
        assert_eq!(set(&kernel, 0, out.0), 0);
        s.launch(&kernel, &[2003], local)
    };
    let wrong = cl::CL_INVALID_WORK_GROUP_SIZE;
    assert_eq!(launch(text, "-cl-std=CL3.0 -cl-uniform-work-group-size", "k", Some(&[8])), wrong);
    assert_eq!(launch(text, "-cl-std=CL3.0 -cl-uniform-work-group-size", "fixed", None), wrong);
    assert_eq!(launch(text, "-cl-std=CL3.0", "fixed", Some(&[8])), wrong);
    for local in [Some(&[4][..]), None] {
        assert_eq!(launch(text, "-cl-std=CL3.0", "fixed", local), 0);
        assert_eq!(s.read(&out, 2003)[1996..], [4, 4, 4, 4, 3, 3, 3]);
    }
    let old = "kernel void k(global uint *p) { p[get_global_id(0)] = 1; }";
    assert_eq!(launch(old, "", "k", Some(&[8])), wrong);
    assert_eq!(launch(text, "-cl-std=CL3.0", "k", Some(&[8])), 0);
    assert_eq!(s.read(&out, 2003), [1; 2003]);
    assert_eq!(launch(text, "-cl-std=CL3.0", "k", None), 0);
    assert_eq!(s.read(&out, 2003), [1; 2003]);
}

//! Functions that the members of a work-group or sub-group compute together: kernels of many, launched in groups of all sizes, whole and
//! partial, with some of the members away where the functions allow it.

use super::report::{Class, Family, Report, family};
use super::run::{Bench, Job};
use super::shapes::{GROUPS, Shape};
use super::values::{Random, Ty, Vt, agrees, element, pack};
use crate::opencl::{Arg, Place, Result};

/// Who computes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// A work-group.
    Work,
    /// A sub-group, every member of it.
    Sub,
    /// The members of a sub-group that come.
    Active,
}

/// A group as one of its members sees it.
pub struct Group<'a> {
    pub vt: Vt,
    values: &'a [u64],
    flags: &'a [u8],
    /// The members' work-items.
    pub members: &'a [usize],
    pub me: usize,
    /// The work-group's size in each dimension.
    pub sizes: [usize; 3],
    /// The most members that a sub-group has.
    pub max: usize,
    /// True if sums and products are the same in every order.
    exact: bool,
}

const ACTIVE: u8 = 1;
const TRUE: u8 = 2;

impl Group<'_> {
    /// Returns whether a member is here; where all must come, all are.
    pub fn active(&self, member: usize) -> bool {
        self.members.get(member).is_some_and(|i| self.flags[*i] & ACTIVE != 0)
    }

    /// Returns whether a member's predicate `p` holds.
    pub fn holds(&self, member: usize) -> bool {
        self.flags[self.members[member]] & TRUE != 0
    }

    /// The member's number `r`, less than `max`.
    pub fn number(&self) -> usize {
        usize::from(self.flags[self.members[self.me]] >> 2) % self.max
    }

    /// The value of a member, if it is here.
    pub fn at(&self, member: usize) -> Option<Vec<u64>> {
        self.active(member).then(|| self.value(member).to_vec())
    }

    pub fn value(&self, member: usize) -> &[u64] {
        let item = self.members[member];
        &self.values[item * self.vt.width..(item + 1) * self.vt.width]
    }

    pub fn first(&self) -> usize {
        (0..self.members.len()).find(|m| self.active(*m)).unwrap_or(0)
    }

    /// The members that are here and that are wanted.
    pub fn here(&self, wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
        (0..self.members.len()).filter(move |m| self.active(*m) && wanted(*m))
    }

    /// Returns whether predicates hold, combined.
    pub fn logical(&self, how: &str, wanted: impl Fn(usize) -> bool) -> bool {
        let mut here = self.here(wanted).map(|m| self.holds(m));
        match how {
            "and" => here.all(|h| h),
            "or" => here.any(|h| h),
            _ => here.filter(|h| *h).count() % 2 == 1,
        }
    }

    /// Values combined; `None` where the order would matter, or what becomes of a NaN is open.
    pub fn combined(&self, how: &str, wanted: impl Fn(usize) -> bool) -> Option<Vec<u64>> {
        let ty = self.vt.ty;
        let values = self.here(wanted).map(|m| self.value(m)[0]);
        if ty.float() {
            let values = values.map(|v| ty.number(v));
            let result = match how {
                "add" if self.exact => values.sum(),
                "mul" if self.exact => values.product(),
                "min" => values
                    .fold(f64::INFINITY, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }),
                "max" => {
                    values.fold(
                        f64::NEG_INFINITY,
                        |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) },
                    )
                }
                _ => return None,
            };
            let open = result.is_nan() && matches!(how, "min" | "max");
            return (!open).then(|| vec![ty.float_bits(result)]);
        }
        let values = values.map(|v| ty.int(v));
        let result = match how {
            "add" => values.sum(),
            "mul" => values.fold(1i128, |a, b| ty.int(ty.wrap(a.wrapping_mul(b)))),
            "min" => values.min().unwrap_or(ty.most()),
            "max" => values.max().unwrap_or(ty.least()),
            "and" => values.fold(-1, |a, b| a & b),
            "or" => values.fold(0, |a, b| a | b),
            _ => values.fold(0, |a, b| a ^ b),
        };
        Some(vec![ty.wrap(result)])
    }
}

/// How results are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Bit by bit.
    Bits,
    /// As numbers: the zeros are one.
    Number,
    /// Not zero, or zero.
    Truth,
}

pub type Expected = Box<dyn Fn(&Group<'_>) -> Option<Vec<u64>> + Send + Sync>;

/// An expression of the member's value `v`, its predicate `p`, its number `r`, its place `lane` and the most members `max`.
pub struct Case {
    pub family: Family,
    pub text: String,
    pub result: Vt,
    pub by: By,
    pub expected: Expected,
}

/// An expression that gives the type of the values.
pub fn case(
    family: Family,
    text: impl Into<String>,
    vt: Vt,
    expected: impl Fn(&Group<'_>) -> Option<Vec<u64>> + Send + Sync + 'static,
) -> Case {
    Case { family, text: text.into(), result: vt, by: By::Bits, expected: Box::new(expected) }
}

/// One that gives an int or uint.
pub fn word(
    family: Family,
    text: impl Into<String>,
    by: By,
    expected: impl Fn(&Group<'_>) -> Option<u64> + Send + Sync + 'static,
) -> Case {
    let expected = move |g: &Group<'_>| expected(g).map(|v| vec![v]);
    Case { by, ..case(family, text, Vt::new(Ty::UInt, 1), expected) }
}

const SPANS: [&str; 3] = ["reduce", "scan_inclusive", "scan_exclusive"];

fn spans(span: &str, me: usize, member: usize) -> bool {
    match span {
        "reduce" => true,
        "scan_inclusive" => member <= me,
        _ => member < me,
    }
}

/// Reductions and scans whose functions begin with a word.
pub fn combines(section: &str, prefix: &str, hows: &[&'static str], ty: Ty) -> Vec<Case> {
    let mut cases = Vec::new();
    for how in hows.iter().copied().filter(|how| !ty.float() || !matches!(*how, "and" | "or" | "xor")) {
        for span in SPANS {
            let name = format!("{prefix}_{span}_{how}");
            let text = format!("{name}(v)");
            let expected = move |g: &Group<'_>| g.combined(how, |m| spans(span, g.me, m));
            cases.push(Case {
                by: By::Number,
                ..case(family(section, &name), text, Vt::new(ty, 1), expected)
            });
        }
    }
    cases
}

/// Reductions and scans of predicates.
pub fn logicals(section: &str, prefix: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for how in ["and", "or", "xor"] {
        for span in SPANS {
            let name = format!("{prefix}_{span}_logical_{how}");
            let text = format!("{name}(p)");
            cases.push(word(family(section, &name), text, By::Truth, move |g| {
                Some(g.logical(how, |m| spans(span, g.me, m)).into())
            }));
        }
    }
    cases
}

/// All and any.
pub fn votes(section: &str, prefix: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, how) in [("all", "and"), ("any", "or")] {
        let f = family(section, &format!("{prefix}_{name}"));
        let text = |p: &str| format!("{prefix}_{name}({p})");
        cases.push(word(f.clone(), text("p"), By::Truth, move |g| Some(g.logical(how, |_| true).into())));
        cases.push(word(f.clone(), text("!p"), By::Truth, move |g| {
            Some(if how == "and" { !g.logical("or", |_| true) } else { !g.logical("and", |_| true) }.into())
        }));
        cases.push(word(f, text("p | 8"), By::Truth, |_| Some(1)));
    }
    cases
}

/// Results of a kernel at most.
const CASES: usize = 24;
const LANES: usize = 64;

/// Makes jobs of cases for values of a type.
pub fn jobs(vt: Vt, scope: Scope, cases: Vec<Case>, list: &mut Vec<Job>) {
    let mut parts: Vec<Vec<Case>> = Vec::new();
    let mut lanes = LANES;
    for case in cases {
        lanes += case.result.width;
        if lanes > LANES || parts.last().is_none_or(|p| p.len() >= CASES) {
            parts.push(Vec::new());
            lanes = case.result.width;
        }
        if let Some(part) = parts.last_mut() {
            part.push(case);
        }
    }
    for mut cases in parts {
        cases.sort_by_key(|c| std::cmp::Reverse(c.result.size()));
        let mut families: Vec<Family> = cases.iter().map(|c| c.family.clone()).collect();
        families.push(ids_family(scope));
        let cost = cases.iter().map(|c| 2 * c.result.width).sum();
        let kernel = Kernel { vt, scope, cases };
        list.push(Job { families, cost, work: Box::new(move |b, turn, report| kernel.run(b, turn, report)) });
    }
}

fn ids_family(scope: Scope) -> Family {
    if scope == Scope::Work {
        family("work-groups", "get_local_linear_id")
    } else {
        family("sub-groups", "ids and sizes")
    }
}

struct Kernel {
    vt: Vt,
    scope: Scope,
    cases: Vec<Case>,
}

/// Who comes, whose predicate holds (of eight), and the sort of values.
#[derive(Debug, Clone, Copy)]
struct Variant {
    active: usize,
    holds: usize,
    values: Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Floats whose sums and products are exact in every order, integers with all their bits.
    Exact,
    /// Edges.
    Edges,
    /// As the first, with NaNs, infinities and zeros between.
    Special,
}

const fn variant(active: usize, holds: usize, values: Values) -> Variant {
    Variant { active, holds, values }
}

const TOGETHER: [Variant; 3] =
    [variant(8, 4, Values::Exact), variant(8, 8, Values::Edges), variant(8, 0, Values::Special)];
const APART: [Variant; 5] = [
    variant(8, 4, Values::Exact),
    variant(4, 7, Values::Edges),
    variant(4, 4, Values::Exact),
    variant(1, 4, Values::Special),
    variant(7, 8, Values::Exact),
];

impl Kernel {
    fn source(&self) -> String {
        let (name, sub) = (self.vt.name(), self.scope != Scope::Work);
        let mut text = format!(
            "kernel void k(global const {name} *in, global uchar *out, global const uchar *flags, global uint8 *ids) {{\n  \
             const uint n = get_global_size(0) * get_global_size(1) * get_global_size(2);\n  const uint i = \
             (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n"
        );
        text += if sub {
            "  const uint lane = get_sub_group_local_id(), max = get_max_sub_group_size();\n  ids[i] = (uint8)(get_sub_group_id(), lane, \
             get_sub_group_size(), max, get_num_sub_groups(), get_enqueued_num_sub_groups(), 0, 0);\n"
        } else {
            "  const uint lane = get_local_linear_id(), max = 1;\n  ids[i] = (uint8)(lane);\n"
        };
        text += &format!(
            "  const {name} v = in[i];\n  const int p = flags[i] & 2 ? (int)(1u << i % 32) : 0;\n  const uint r = (flags[i] >> 2) % max;\n"
        );
        if self.scope == Scope::Active {
            text += "  if (flags[i] & 1) {\n";
        }
        let mut before = 0;
        for case in &self.cases {
            text +=
                &format!("  ((global {} *)(out + {before} * n))[i] = {};\n", case.result.name(), case.text);
            before += case.result.size();
        }
        text + if self.scope == Scope::Active { "  }\n}\n" } else { "}\n" }
    }

    fn values(&self, n: usize, sort: Values, bench: &Bench, random: &mut Random) -> Vec<u64> {
        let ty = self.vt.ty;
        let edges = ty.edges(bench.claims.denormals(ty));
        let one = |random: &mut Random| -> u64 {
            let bits = random.next();
            match sort {
                Values::Edges => edges[random.below(edges.len())],
                _ if !ty.float() => bits & ty.mask(),
                Values::Special if bits.is_multiple_of(31) => {
                    let of = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, f64::INFINITY];
                    ty.float_bits(of[random.below(of.len())])
                }
                _ => ty.float_bits(match bits >> 8 & 127 {
                    0 | 1 => 2.0,
                    2 | 3 => 0.5,
                    k if k % 2 == 0 => 1.0,
                    _ => -1.0,
                }),
            }
        };
        (0..n * self.vt.width).map(|_| one(random)).collect()
    }

    fn run(&self, bench: &Bench, turn: usize, report: &mut Report) -> Result<()> {
        let session = &bench.session;
        let kernel = session.kernel(&bench.source(&self.source()), "k", bench.options)?;
        let item: usize = self.cases.iter().map(|c| c.result.size()).sum();
        let variants: &[Variant] = if self.scope == Scope::Active { &APART } else { &TOGETHER };
        let mut random = Random(turn as u64);
        for shape in bench.shapes(&GROUPS, turn) {
            let n = shape.items();
            let out = session.buffer(item * n, Place::Device)?;
            let ids = session.buffer(32 * n, Place::Device)?;
            for variant in variants {
                let values = self.values(n, variant.values, bench, &mut random);
                let flag = |random: &mut Random| -> u8 {
                    let number = (random.next() >> 20) as u8 & !3;
                    let active = if random.below(8) < variant.active { ACTIVE } else { 0 };
                    number | active | if random.below(8) < variant.holds { TRUE } else { 0 }
                };
                let flags: Vec<u8> = (0..n).map(|_| flag(&mut random)).collect();
                let input = session.buffer_with(&pack(self.vt, &values))?;
                let who = session.buffer_with(&flags)?;
                kernel.set(&[
                    Arg::Buffer(&input),
                    Arg::Buffer(&out),
                    Arg::Buffer(&who),
                    Arg::Buffer(&ids),
                ])?;
                kernel.launch(shape.global(), Some(shape.local()))?;
                let mut found = vec![0; item * n];
                out.read(0, &mut found)?;
                let mut places = vec![0; 32 * n];
                ids.read(0, &mut places)?;
                let groups = self.groups(bench, report, &shape, &places);
                let launch = Launch { shape, values, flags, exact: variant.values != Values::Edges, found };
                groups.iter().for_each(|members| self.compare(bench, report, &launch, members));
            }
        }
        Ok(())
    }

    /// The groups: of each the members by their places in it, of which the kernel written; what it written is checked.
    fn groups(&self, bench: &Bench, report: &mut Report, shape: &Shape, ids: &[u8]) -> Vec<Vec<usize>> {
        let class = shape.class(bench.claims.sub_group);
        let written = |item: usize, what: usize| element(Ty::UInt, ids, item * 8 + what) as usize;
        let family = ids_family(self.scope);
        let mut groups = Vec::new();
        for members in shape.members() {
            if self.scope == Scope::Work {
                for (at, item) in members.iter().enumerate() {
                    report.add(&family, Ty::UInt, class, written(*item, 0) == at, || {
                        format!(
                            "{} and not {at} for item {item} of {:?} by {:?}",
                            written(*item, 0),
                            shape.global(),
                            shape.local()
                        )
                    });
                }
                groups.push(members);
                continue;
            }
            let count = 1 + members.iter().map(|i| written(*i, 0)).max().unwrap_or(0);
            let mut subs = vec![Vec::new(); count.min(members.len())];
            for item in &members {
                if let Some(sub) = subs.get_mut(written(*item, 0)) {
                    sub.push((written(*item, 1), *item));
                }
            }
            for (number, mut sub) in subs.into_iter().enumerate() {
                sub.sort_unstable();
                let places = sub.iter().enumerate().all(|(k, (lane, _))| k == *lane);
                // All have the same size but the last one.
                let size = if number + 1 == count { sub.len() } else { bench.claims.sub_group };
                let right = places && sub.len() == size && size > 0 && size <= bench.claims.sub_group;
                let right = right
                    && sub.iter().all(|(_, i)| {
                        [2, 3, 4].map(|w| written(*i, w)) == [size, bench.claims.sub_group, count]
                            && written(*i, 5) >= count
                    });
                report.add(&family, Ty::UInt, class, right, || {
                    format!(
                        "sub-group {number} of {:?} by {:?}: (lane, item) {sub:?}",
                        shape.global(),
                        shape.local()
                    )
                });
                if right {
                    groups.push(sub.into_iter().map(|(_, item)| item).collect());
                }
            }
        }
        groups
    }

    fn compare(&self, bench: &Bench, report: &mut Report, launch: &Launch, members: &[usize]) {
        let shape = &launch.shape;
        let class: Class = shape.class(bench.claims.sub_group);
        let mut before = 0;
        for case in &self.cases {
            let (ty, places) = (case.result.ty, case.result.places());
            let flushes = case.by == By::Number && !bench.claims.denormals(ty);
            let results = &launch.found[before * shape.items()..];
            before += case.result.size();
            let group = |me: usize| Group {
                vt: self.vt,
                values: &launch.values,
                flags: &launch.flags,
                members,
                me,
                sizes: shape.sizes(members),
                max: bench.claims.sub_group.max(1),
                exact: launch.exact,
            };
            for me in 0..members.len() {
                let group = group(me);
                if self.scope == Scope::Active && !group.active(me) {
                    continue;
                }
                let Some(expected) = (case.expected)(&group) else { continue };
                for (lane, expected) in expected.into_iter().enumerate() {
                    let found = element(ty, results, members[me] * places + lane);
                    let right = match case.by {
                        By::Truth => (found != 0) == (expected != 0),
                        By::Number if ty.float() && ty.number(expected) == 0.0 => ty.number(found) == 0.0,
                        _ => agrees(ty, found, expected, flushes),
                    };
                    report.add(&case.family, self.vt.ty, class, right, || {
                        let values: Vec<String> = (0..members.len().min(40))
                            .map(|m| format!("{}{:#x}", if group.active(m) { "" } else { "-" }, group.value(m)[0]))
                            .collect();
                        format!(
                            "{} of {} gives {found:#x}, not {expected:#x}, in lane {lane} of member {me} of {} ({:?} by {:?}; {})",
                            case.text, self.vt.name(), members.len(), shape.global(), shape.local(), values.join(" ")
                        )
                    });
                }
            }
        }
    }
}

struct Launch {
    shape: Shape,
    values: Vec<u64>,
    flags: Vec<u8>,
    exact: bool,
    found: Vec<u8>,
}

//! Functions that each work-item computes for itself: expressions of the arguments `a`, `b`, `c`, `d`, many in a kernel.

use super::report::Family;
use super::report::Report;
use super::run::{Bench, Job};
use super::shapes::{ITEMS, Shape};
use super::values::{Random, Ty, Vt, agrees, element, pack};
use crate::opencl::{Arg, Place, Result};

/// How many sets of arguments there are.
pub const DATA: usize = 1024;

/// The values of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gen {
    /// Edges in all combinations, and anything.
    Any,
    /// Integers of 24 bits.
    Bits24,
    /// Edges of conversions.
    Borders,
    /// Masks of comparisons and anything.
    Masks,
}

/// The arguments' values.
pub struct Data {
    vts: Vec<Vt>,
    values: Vec<Vec<u64>>,
}

impl Data {
    /// A lane of an argument of a set; scalars have the same in each.
    pub fn lane(&self, arg: usize, set: usize, lane: usize) -> u64 {
        let width = self.vts[arg].width;
        self.values[arg][set * width + if width == 1 { 0 } else { lane }]
    }

    /// An argument's elements, one behind the other.
    pub fn elements(&self, arg: usize) -> &[u64] {
        &self.values[arg]
    }
}

/// Each lane's result; `None` where it is undefined.
pub type Expected = Box<dyn Fn(&Data, usize) -> Vec<Option<u64>> + Send + Sync>;

/// An expression and what it gives. One that says `$` is statements that write there, to an array filled with bytes 0xa5.
pub struct Expr {
    pub family: Family,
    /// The type that it counts for.
    pub ty: Ty,
    pub text: String,
    pub result: Vt,
    pub expected: Expected,
}

/// Expressions of the same arguments.
pub struct Batch {
    pub args: Vec<(Vt, Gen)>,
    /// Before the expressions.
    pub prelude: String,
    pub exprs: Vec<Expr>,
}

/// An expression whose lanes are a function of the arguments' lanes.
pub fn lanewise(
    family: Family,
    ty: Ty,
    text: String,
    result: Vt,
    args: usize,
    of: impl Fn(&[u64]) -> Option<u64> + Send + Sync + 'static,
) -> Expr {
    let expected = move |data: &Data, set: usize| {
        let lane = |lane: usize| {
            let values: [u64; 4] =
                std::array::from_fn(|a| if a < args { data.lane(a, set, lane) } else { 0 });
            of(&values)
        };
        (0..result.width).map(lane).collect()
    };
    Expr { family, ty, text, result, expected: Box::new(expected) }
}

/// Results that a kernel has at most, in lanes.
const LANES: usize = 96;

impl Batch {
    /// Jobs of kernels that are not too large.
    pub fn jobs(self, jobs: &mut Vec<Job>) {
        let Batch { args, prelude, exprs } = self;
        let mut part: Vec<Expr> = Vec::new();
        let mut parts = Vec::new();
        let mut lanes = 0;
        for expr in exprs {
            lanes += expr.result.width;
            if lanes > LANES && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
                lanes = expr.result.width;
            }
            part.push(expr);
        }
        parts.push(part);
        for mut exprs in parts.into_iter().filter(|p| !p.is_empty()) {
            // The largest first, so that every result is aligned.
            exprs.sort_by_key(|e| std::cmp::Reverse(e.result.size()));
            let families = exprs.iter().map(|e| e.family.clone()).collect();
            let cost = exprs.iter().map(|e| e.result.width).sum();
            let kernel = Kernel { args: args.clone(), prelude: prelude.clone(), exprs };
            jobs.push(Job {
                families,
                cost,
                work: Box::new(move |bench, turn, report| kernel.run(bench, turn, report)),
            });
        }
    }
}

struct Kernel {
    args: Vec<(Vt, Gen)>,
    prelude: String,
    exprs: Vec<Expr>,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Kernel {
    fn source(&self) -> String {
        let mut text = String::from(
            "kernel void k(global const uchar *in, global uchar *out, uint start) {\n  \
             const uint n = get_global_size(0) * get_global_size(1) * get_global_size(2);\n  const uint i = \
             (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n",
        );
        text += &format!("  const uint s = (i + start) % {DATA};\n");
        let mut offset = 0;
        for ((vt, _), name) in self.args.iter().zip(NAMES) {
            let (kind, element, upper) = (vt.name(), vt.ty.name(), name.to_uppercase());
            text += &format!(
                "  global const {element} *{upper} = (global const {element} *)(in + {offset});\n  \
                 const {kind} {name} = ((global const {kind} *){upper})[s];\n"
            );
            offset += vt.size() * DATA;
        }
        text += &self.prelude;
        let mut before = 0;
        for expr in &self.exprs {
            let (kind, element) = (expr.result.name(), expr.result.ty.name());
            let place = format!("(out + {before} * n)");
            text += &if expr.text.contains('$') {
                let own = format!("((global {element} *){place} + i * {})", expr.result.places());
                format!("  {{ {} }}\n", expr.text.replace('$', &own))
            } else {
                format!("  ((global {kind} *){place})[i] = {};\n", expr.text)
            };
            before += expr.result.size();
        }
        text + "}\n"
    }

    fn data(&self, bench: &Bench) -> Data {
        let mut values = Vec::new();
        let mut random = Random(self.exprs.len() as u64);
        let mut stride = 1;
        for (vt, gens) in &self.args {
            let ty = vt.ty;
            let mut edges = ty.edges(bench.claims.denormals(ty));
            if *gens == Gen::Masks {
                edges = vec![0, ty.mask(), 1 << (ty.bits() - 1), ty.mask() >> 1];
            } else if *gens == Gen::Bits24 {
                let (least, most) =
                    if ty.signed() { (-(1 << 23), (1 << 23) - 1) } else { (0, (1 << 24) - 1) };
                edges = [0, 1, most, most - 1, least, least + 1, 0xfff].map(|v| ty.wrap(v)).to_vec();
            } else if *gens == Gen::Borders && ty.float() {
                edges.extend(ty.borders());
            }
            let count = DATA * vt.width;
            let each = (0..count).map(|n| {
                let edge = edges[n / stride % edges.len()];
                let pairs = stride * edges.len();
                let value = if stride >= DATA && random.below(2) == 0 {
                    edges[random.below(edges.len())]
                } else if n < pairs.min(count / 2) || random.below(4) == 0 {
                    if n < pairs { edge } else { edges[random.below(edges.len())] }
                } else if *gens == Gen::Bits24 {
                    ty.wrap(i128::from(random.next() as i32 >> 8) & if ty.signed() { -1 } else { 0xff_ffff })
                } else {
                    anything(ty, &mut random)
                };
                if ty.is_denormal(value) && !bench.claims.denormals(ty) { 0 } else { value }
            });
            values.push(each.collect());
            stride = (stride * edges.len()).min(DATA);
        }
        Data { vts: self.args.iter().map(|a| a.0).collect(), values }
    }

    fn run(&self, bench: &Bench, turn: usize, report: &mut Report) -> Result<()> {
        let session = &bench.session;
        let kernel = session.kernel(&bench.source(&self.source()), "k", bench.options)?;
        let data = self.data(bench);
        let bytes: Vec<u8> = data.vts.iter().zip(&data.values).flat_map(|(vt, v)| pack(*vt, v)).collect();
        let input = session.buffer_with(&bytes)?;
        let item: usize = self.exprs.iter().map(|e| e.result.size()).sum();
        for (number, shape) in bench.shapes(&ITEMS, turn).into_iter().enumerate() {
            let n = shape.items();
            let start = (number * 331 + turn * 17) % DATA;
            let out = session.buffer(item * n, Place::Device)?;
            out.fill(&[0xa5], 0, item * n)?;
            kernel.set(&[
                Arg::Buffer(&input),
                Arg::Buffer(&out),
                Arg::Value(&(start as u32).to_le_bytes()),
            ])?;
            kernel.launch(shape.global(), Some(shape.local()))?;
            let mut found = vec![0; item * n];
            out.read(0, &mut found)?;
            self.compare(bench, report, &shape, start, &data, &found);
        }
        Ok(())
    }

    fn compare(
        &self,
        bench: &Bench,
        report: &mut Report,
        shape: &Shape,
        start: usize,
        data: &Data,
        found: &[u8],
    ) {
        let class = shape.class(bench.claims.sub_group);
        let n = shape.items();
        let mut before = 0;
        for expr in &self.exprs {
            let (ty, places) = (expr.result.ty, expr.result.places());
            let flushes = !bench.claims.denormals(ty);
            let results = &found[before * n..];
            for i in 0..n {
                let set = (i + start) % DATA;
                let expected = (expr.expected)(data, set);
                for (lane, expected) in expected.into_iter().enumerate() {
                    let Some(expected) = expected else { continue };
                    let found = element(ty, results, i * places + lane);
                    let right = agrees(ty, found, expected, flushes);
                    report.add(&expr.family, expr.ty, class, right, || {
                        let args: Vec<String> = (0..self.args.len())
                            .map(|a| format!("{} {:#x}", self.args[a].0.name(), data.lane(a, set, lane.min(self.args[a].0.width - 1))))
                            .collect();
                        let kind = expr.result.name();
                        format!(
                            "{} gives {kind} {found:#x}, not {expected:#x}, in lane {lane} for {} (item {i} of {:?} by {:?})",
                            expr.text, args.join(", "), shape.global(), shape.local()
                        )
                    });
                }
            }
            before += expr.result.size();
        }
    }
}

/// A value at random: floats of all sizes, integers of all lengths.
fn anything(ty: Ty, random: &mut Random) -> u64 {
    let bits = random.next();
    if ty.float() {
        // Half of them about the sizes of integers.
        return if bits & 1 == 0 {
            bits >> 1 & ty.mask()
        } else {
            let size = (random.next() >> 11) as f64 / (1u64 << random.below(54)) as f64;
            ty.float_bits(if bits & 2 == 0 { size } else { -size })
        };
    }
    let shift = if bits & 3 == 0 { random.below(ty.bits() as usize) } else { 0 };
    (bits >> 2 & ty.mask()) >> shift
}

//! Atomic functions (§6.15.14): every operation on every type in global and local memory. Work-items in different numbers come to each of a
//! few counters; what remains in it is known, and what the operations returned, too, as far as every order gives the same.

use super::report::{Family, Report, family};
use super::run::{Bench, Claims, Job, Jobs};
use super::shapes::{GROUPS, Shape};
use super::values::{Ty, element};
use crate::opencl::{Arg, Place, Result};

const SECTION: &str = "atomics";
/// Counters of each work-group, or of the range.
const COUNTERS: usize = 5;

/// An operation, as a function of the place `p`, the counter's type T and the work-item's value `v`.
struct Op {
    name: String,
    text: String,
    before: i64,
    /// The result of all values in any order.
    total: fn(i64, &[i64]) -> i64,
    returns: Returns,
}

/// The knowledge of the returned values, those of one counter together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returns {
    /// All different, from the first value on by steps of the values, which are one.
    Steps,
    /// With the last value: the values given and the first.
    Chain,
    /// Nothing.
    Open,
}

const ORDERS: [&str; 4] =
    ["memory_order_relaxed", "memory_order_acquire", "memory_order_release", "memory_order_acq_rel"];

fn sum(first: i64, values: &[i64]) -> i64 {
    values.iter().fold(first, |a, b| a.wrapping_add(*b))
}

type Total = fn(i64, &[i64]) -> i64;

/// The operations that fetch and modify: their names, first value, result, and whether floats have them.
const FETCH: [(&str, i64, Total, bool); 7] = [
    ("add", 3, sum, true),
    ("sub", 3, |f, v| v.iter().fold(f, |a, b| a.wrapping_sub(*b)), true),
    ("min", 1_000, |f, v| v.iter().fold(f, |a, b| a.min(*b)), true),
    ("max", -1_000, |f, v| v.iter().fold(f, |a, b| a.max(*b)), true),
    ("and", -1, |f, v| v.iter().fold(f, |a, b| a & b), false),
    ("or", 0, |f, v| v.iter().fold(f, |a, b| a | b), false),
    ("xor", 0x55, |f, v| v.iter().fold(f, |a, b| a ^ b), false),
];

fn last(first: i64, _: &[i64]) -> i64 {
    first
}

/// OpenCL 1.x's functions.
fn old(claims: &Claims, ty: Ty) -> Vec<Op> {
    let (prefix, base, extended) = match ty {
        Ty::Int | Ty::UInt => ("atomic", "", ""),
        Ty::Long | Ty::ULong => ("atom", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"),
        // An exchange alone.
        Ty::Float => ("atomic", "", "none"),
        _ => return Vec::new(),
    };
    let mut ops = Vec::new();
    let mut op = |name: &str, args: &str, before: i64, total: Total, returns: Returns| {
        let name = format!("{prefix}_{name}");
        ops.push(Op { text: format!("r = {name}(p{args});"), name, before, total, returns });
    };
    if claims.has(base) {
        op("xchg", ", v", 7, last, Returns::Chain);
    }
    if claims.has(base) && !ty.float() {
        op("add", ", v", 3, sum, Returns::Open);
        op("sub", ", v", 3, FETCH[1].2, Returns::Open);
        op("inc", "", 3, |f, v| f + v.len() as i64, Returns::Steps);
        op("dec", "", 3, |f, v| f - v.len() as i64, Returns::Open);
        let name = format!("{prefix}_cmpxchg");
        let text = format!(
            "T seen = *p, old; while ((old = {name}(p, seen, seen + v)) != seen) seen = old; r = old;"
        );
        ops.push(Op { name, text, before: 3, total: sum, returns: Returns::Open });
    }
    if claims.has(extended) && !ty.float() {
        for (name, before, total, _) in FETCH.into_iter().skip(2) {
            let name = format!("{prefix}_{name}");
            ops.push(Op { text: format!("r = {name}(p, v);"), name, before, total, returns: Returns::Open });
        }
    }
    ops
}

/// C11's functions. Bits of the capabilities of cl_ext_float_atomics: load and store, addition, minimum and maximum; global, then local.
fn c11(claims: &Claims, ty: Ty, local: bool) -> Vec<Op> {
    let wide = ty.bytes() == 8;
    if wide && !(claims.has("cl_khr_int64_base_atomics") && claims.has("cl_khr_int64_extended_atomics")) {
        return Vec::new();
    }
    let capabilities = match ty {
        Ty::Float => claims.float_atomics[0],
        Ty::Double => claims.float_atomics[1],
        Ty::Half => claims.float_atomics[2],
        _ => 0,
    };
    let capability = |bit: u32| capabilities >> (bit + if local { 16 } else { 0 }) & 1 == 1;
    let mut orders = ORDERS
        .into_iter()
        .filter(|o| claims.has("__opencl_c_atomic_order_acq_rel") || o.ends_with("relaxed"))
        .cycle();
    let mut order = || orders.next().unwrap_or(ORDERS[0]);
    let atomic = format!("(volatile SPACE atomic_{} *)p", ty.name());
    let scope = if local { "memory_scope_work_group" } else { "memory_scope_device" };
    let mut ops = Vec::new();
    for (name, before, total, floats) in FETCH {
        let has = match (ty.float(), name) {
            (false, _) => true,
            (true, "add" | "sub") => floats && capability(1),
            (true, _) => floats && capability(2),
        };
        if has {
            let name = format!("atomic_fetch_{name}_explicit");
            let text = format!("r = {name}({atomic}, v, {}, {scope});", order());
            ops.push(Op { name, text, before, total, returns: Returns::Open });
        }
    }
    if ty != Ty::Half || capability(0) {
        let name = "atomic_exchange_explicit".to_owned();
        let text = format!("r = {name}({atomic}, v, {}, {scope});", order());
        ops.push(Op { name, text, before: 7, total: last, returns: Returns::Chain });
        let name = "atomic_load_explicit, atomic_store_explicit".to_owned();
        let text = format!(
            "r = atomic_load_explicit({atomic}, memory_order_relaxed, {scope}); atomic_store_explicit({atomic}, (T)9, memory_order_relaxed, {scope});"
        );
        ops.push(Op { name, text, before: 9, total: last, returns: Returns::Open });
    }
    if ty != Ty::Half {
        for strength in ["weak", "strong"] {
            let name = format!("atomic_compare_exchange_{strength}_explicit");
            let text = format!(
                "T seen = atomic_load_explicit({atomic}, memory_order_relaxed, {scope}); while (!{name}({atomic}, &seen, seen + v, {}, \
                 memory_order_relaxed, {scope})) {{}} r = seen;",
                order()
            );
            ops.push(Op { name, text, before: 3, total: sum, returns: Returns::Open });
        }
    }
    ops
}

const TYPES: [Ty; 7] = [Ty::Int, Ty::UInt, Ty::Long, Ty::ULong, Ty::Float, Ty::Double, Ty::Half];

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    let mut known: Vec<String> = Vec::new();
    for ty in TYPES {
        for local in [false, true] {
            let mut ops = old(claims, ty);
            if claims.has("__opencl_c_atomic_scope_device") {
                ops.extend(c11(claims, ty, local));
            }
            if !claims.ty(ty) || ops.is_empty() {
                continue;
            }
            known.extend(ops.iter().map(|o| o.name.clone()));
            let kernel = Kernel { ty, local, ops };
            let families = kernel.ops.iter().map(|o| kernel.family(o)).collect();
            let work = move |bench: &Bench, turn: usize, report: &mut Report| kernel.run(bench, turn, report);
            jobs.list.push(Job { families, cost: 40, work: Box::new(work) });
        }
    }
    for name in ["atom_xchg", "atomic_fetch_add_explicit", "atomic_exchange_explicit"] {
        if !known.iter().any(|k| k == name) {
            jobs.absent.push(family(SECTION, name));
        }
    }
}

struct Kernel {
    ty: Ty,
    local: bool,
    ops: Vec<Op>,
}

impl Kernel {
    fn family(&self, op: &Op) -> Family {
        family(SECTION, &format!("{}, {}", op.name, if self.local { "local" } else { "global" }))
    }

    fn source(&self) -> String {
        let t = self.ty.name();
        let space = if self.local { "local" } else { "global" };
        let mut text = format!(
            "#define SPACE {space}\ntypedef {t} T;\nkernel void k(global T *totals, global T *returned, global const T *first) {{\n  \
             const uint n = get_global_size(0) * get_global_size(1) * get_global_size(2);\n  const uint i = \
             (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);\n  const uint group = \
             (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);\n  const uint lid = \
             (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);\n  const T v = (T)(i * 7 % 11 + 1);\n"
        );
        if self.local {
            text += &format!("  local T places[{COUNTERS}];\n");
        }
        for (n, op) in self.ops.iter().enumerate() {
            // In local memory a single work-item brings the counters and takes them away; in global memory the host does.
            let body = format!(
                "{{ volatile SPACE T *p = PLACES + i % {COUNTERS}; T r; {} returned[{n} * n + i] = r; }}\n",
                op.text
            );
            text += &if self.local {
                format!(
                    "  if (lid == 0) for (int c = 0; c < {COUNTERS}; c++) places[c] = first[{n}];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  {}  \
                     barrier(CLK_LOCAL_MEM_FENCE);\n  if (lid == 0) for (int c = 0; c < {COUNTERS}; c++) totals[({n} * GROUPS + group) * \
                     {COUNTERS} + c] = places[c];\n  barrier(CLK_LOCAL_MEM_FENCE);\n",
                    body.replace("PLACES", "places")
                )
                .replace("GROUPS", "(get_num_groups(0) * get_num_groups(1) * get_num_groups(2))")
            } else {
                format!("  {}", body.replace("PLACES", &format!("(totals + {n} * {COUNTERS})")))
            };
        }
        text + "}\n"
    }

    fn bits(&self, value: i64) -> u64 {
        if self.ty.float() { self.ty.float_bits(value as f64) } else { self.ty.wrap(value.into()) }
    }

    fn run(&self, bench: &Bench, turn: usize, report: &mut Report) -> Result<()> {
        let session = &bench.session;
        let kernel = session.kernel(&bench.source(&self.source()), "k", bench.options)?;
        let bytes = self.ty.bytes();
        let first: Vec<u8> = self
            .ops
            .iter()
            .flat_map(|o| self.bits(o.start(self.ty)).to_le_bytes()[..bytes].to_vec())
            .collect();
        let first = session.buffer_with(&first)?;
        for shape in bench.shapes(&GROUPS, turn) {
            // Sums of halves must stay exact.
            let shape = if self.ty == Ty::Half { shape } else { shape.larger(19) };
            let (n, sets) = (shape.items(), if self.local { shape.groups() } else { 1 });
            let start: Vec<u8> = self
                .ops
                .iter()
                .flat_map(|o| self.bits(o.start(self.ty)).to_le_bytes()[..bytes].repeat(sets * COUNTERS))
                .collect();
            let totals = session.buffer_with(&start)?;
            let returned = session.buffer(self.ops.len() * n * bytes, Place::Device)?;
            kernel.set(&[Arg::Buffer(&totals), Arg::Buffer(&returned), Arg::Buffer(&first)])?;
            kernel.launch(shape.global(), Some(shape.local()))?;
            let mut found = vec![0; start.len()];
            totals.read(0, &mut found)?;
            let mut given = vec![0; self.ops.len() * n * bytes];
            returned.read(0, &mut given)?;
            for number in 0..self.ops.len() {
                self.compare(bench, report, &shape, number, &found, &given);
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        bench: &Bench,
        report: &mut Report,
        shape: &Shape,
        number: usize,
        found: &[u8],
        given: &[u8],
    ) {
        let class = shape.class(bench.claims.sub_group);
        let (op, n) = (&self.ops[number], shape.items());
        let sets = if self.local { shape.members() } else { vec![(0..n).collect()] };
        for (set, members) in sets.iter().enumerate() {
            for counter in 0..COUNTERS {
                let items: Vec<usize> = members.iter().copied().filter(|i| i % COUNTERS == counter).collect();
                let values: Vec<i64> = items.iter().map(|i| (i * 7 % 11 + 1) as i64).collect();
                let first = op.start(self.ty);
                let total = element(self.ty, found, (number * sets.len() + set) * COUNTERS + counter);
                let expected = self.bits((op.total)(first, &values));
                let mut returned: Vec<u64> =
                    items.iter().map(|i| element(self.ty, given, number * n + i)).collect();
                let (right, what) = match op.returns {
                    Returns::Open => (total == expected, "a total"),
                    Returns::Steps => {
                        returned.sort_unstable();
                        let steps = (0..items.len()).all(|k| returned[k] == self.bits(first + k as i64));
                        (total == expected && steps, "the totals or what came before them")
                    }
                    Returns::Chain => {
                        returned.push(total);
                        let mut given: Vec<u64> = values.iter().map(|v| self.bits(*v)).collect();
                        given.push(self.bits(first));
                        returned.sort_unstable();
                        given.sort_unstable();
                        (returned == given, "what was exchanged")
                    }
                };
                report.add(&self.family(op), self.ty, class, right, || {
                    format!(
                        "{what} of {} {}: {total:#x} and {expected:#x}, counter {counter} of {set} in {:?} by {:?}",
                        self.ty.name(), op.text, shape.global(), shape.local()
                    )
                });
            }
        }
    }
}

impl Op {
    /// The first value; unsigned types have no negative ones but all bits.
    fn start(&self, ty: Ty) -> i64 {
        let least = self.before == -1_000 && !ty.signed() && !ty.float();
        if least { 0 } else { self.before }
    }
}

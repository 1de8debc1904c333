//! Shuffles of vectors' elements (§6.15.13), loads and stores of vectors and of halves (§6.15.9), and what hints and clocks give.

use super::conversions::{MODES, Mode, convert_float};
use super::items::{Batch, DATA, Data, Expr, Gen, lanewise};
use super::report::family;
use super::run::{Claims, Jobs};
use super::values::{ALL, Random, Ty, Vt, WIDTHS};

const SECTION: &str = "vectors";
/// Elements of each work-item's own memory.
const OWN: usize = 19;

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in claims.types(&ALL) {
        for width in [2, 4, 8, 16] {
            shuffles(ty, width, jobs);
        }
        loads(ty, jobs);
        for width in WIDTHS.into_iter().skip(1) {
            stores(ty, width, jobs);
        }
    }
    half_loads(jobs);
    for ty in claims.types(&[Ty::Float, Ty::Double]) {
        for width in WIDTHS {
            half_stores(ty, width, jobs);
        }
    }
    hints(claims, jobs);
}

/// Shuffles of vectors of a width by masks of all widths, from memory and constant.
fn shuffles(ty: Ty, width: usize, jobs: &mut Jobs) {
    let mask_type = ty.integer(false);
    let source = Vt::new(ty, width);
    for to in [2, 4, 8, 16] {
        let (result, mask) = (Vt::new(ty, to), Vt::new(mask_type, to));
        let mut random = Random((width * 32 + to) as u64 + ty as u64 * 1000);
        let mut exprs = Vec::new();
        for (name, args, sources) in [("shuffle", "a", 1), ("shuffle2", "a, b", 2)] {
            let constant: Vec<u64> = (0..to).map(|_| random.next() & mask_type.mask()).collect();
            for constant in [None, Some(constant)] {
                let text = constant.as_ref().map_or("c".to_owned(), |c| mask.literal(c));
                let expected = move |data: &Data, set: usize| {
                    let lane = |lane: usize| {
                        let from = constant.as_ref().map_or_else(|| data.lane(2, set, lane), |c| c[lane]);
                        let from = from as usize % (width * sources);
                        Some(data.lane(from / width, set, from % width))
                    };
                    (0..to).map(lane).collect()
                };
                let text = format!("{name}({args}, {text})");
                exprs.push(Expr {
                    family: family(SECTION, name),
                    ty,
                    text,
                    result,
                    expected: Box::new(expected),
                });
            }
        }
        let args = vec![(source, Gen::Any), (source, Gen::Any), (mask, Gen::Any)];
        Batch { args, prelude: String::new(), exprs }.jobs(&mut jobs.list);
    }
}

/// Memory of each work-item's own, in a space, with the elements from its set on.
fn own(ty: Ty, space: &str) -> String {
    let name = ty.name();
    let fill = format!("  for (uint k = 0; k < {OWN}; k++) mine[k] = A[(s + k) % {DATA}];\n");
    match space {
        // As many places as the largest work-group of the shapes has work-items.
        "local" => format!(
            "  local {name} places[{OWN} * 105];\n  local {name} *mine = places + get_local_linear_id() * {OWN};\n{fill}"
        ),
        _ => format!("  {name} mine[{OWN}];\n{fill}"),
    }
}

const SPACES: [&str; 3] = ["global", "local", "private"];

fn loads(ty: Ty, jobs: &mut Jobs) {
    for space in SPACES {
        let mut exprs = Vec::new();
        for width in WIDTHS.into_iter().skip(1) {
            for offset in [0, 1] {
                // Beyond the work-item's own memory.
                if space != "global" && offset * width + width + 2 > OWN {
                    continue;
                }
                let text = match space {
                    "global" => format!("vload{width}(s / 64 + {offset}, A + s % 5)"),
                    _ => format!("vload{width}({offset}, mine + s % 3)"),
                };
                let expected = move |data: &Data, set: usize| {
                    let first = match space {
                        "global" => (set / 64 + offset) * width + set % 5,
                        _ => set + offset * width + set % 3,
                    };
                    (0..width).map(|l| Some(data.elements(0)[(first + l) % DATA])).collect()
                };
                let result = Vt::new(ty, width);
                let family = family(SECTION, &format!("vload from {space}"));
                exprs.push(Expr { family, ty, text, result, expected: Box::new(expected) });
            }
        }
        let prelude = if space == "global" { String::new() } else { own(ty, space) };
        Batch { args: vec![(Vt::new(ty, 1), Gen::Any)], prelude, exprs }.jobs(&mut jobs.list);
    }
}

/// The elements of results before anything is stored.
fn untouched(ty: Ty) -> u64 {
    0xa5a5_a5a5_a5a5_a5a5 & ty.mask()
}

fn stores(ty: Ty, width: usize, jobs: &mut Jobs) {
    let result = Vt::new(ty, 16);
    for space in SPACES {
        let mut exprs = Vec::new();
        for offset in [0, 1] {
            let room = 16usize.saturating_sub(offset * width + width);
            if offset * width + width > 16 {
                continue;
            }
            let moved = room.min(2) + 1;
            let store = |to: &str| format!("vstore{width}(a, {offset}, {to} + s % {moved});");
            let text = match space {
                "global" => store("$"),
                _ => format!(
                    "for (uint k = 0; k < 16; k++) mine[k] = $[k]; {} for (uint k = 0; k < 16; k++) $[k] = mine[k];",
                    store("mine")
                ),
            };
            let expected = move |data: &Data, set: usize| {
                let first = offset * width + set % moved;
                let lane = |l: usize| {
                    let stored = (first..first + width).contains(&l);
                    Some(if stored { data.lane(0, set, l - first) } else { untouched(ty) })
                };
                (0..16).map(lane).collect()
            };
            let family = family(SECTION, &format!("vstore to {space}"));
            exprs.push(Expr { family, ty, text, result, expected: Box::new(expected) });
        }
        let prelude = if space == "global" { String::new() } else { own(ty, space) };
        Batch { args: vec![(Vt::new(ty, width), Gen::Any)], prelude, exprs }.jobs(&mut jobs.list);
    }
}

/// vload_half and vloada_half, of every half.
fn half_loads(jobs: &mut Jobs) {
    let mut exprs = Vec::new();
    for width in WIDTHS {
        for (name, places) in [("vload_half", width), ("vloada_half", if width == 3 { 4 } else { width })] {
            let suffix = if width == 1 { String::new() } else { width.to_string() };
            let moved = if name == "vload_half" { "s % 3" } else { "0" };
            let text = format!("{name}{suffix}(s / 64, (global const half *)A + {moved})");
            let by = if name == "vload_half" { 3 } else { 1 };
            let expected = move |data: &Data, set: usize| {
                let first = set / 64 * places + set % by;
                let value = |l: usize| Ty::Half.number(data.elements(0)[(first + l) % DATA]);
                (0..width).map(|l| Some(Ty::Float.float_bits(value(l)))).collect()
            };
            let result = Vt::new(Ty::Float, width);
            exprs.push(Expr {
                family: family(SECTION, name),
                ty: Ty::Float,
                text,
                result,
                expected: Box::new(expected),
            });
        }
    }
    Batch { args: vec![(Vt::new(Ty::UShort, 1), Gen::Any)], prelude: String::new(), exprs }
        .jobs(&mut jobs.list);
}

/// vstore_half and vstorea_half in every rounding mode.
fn half_stores(ty: Ty, width: usize, jobs: &mut Jobs) {
    let mut exprs = Vec::new();
    for (suffix, mode) in MODES {
        for aligned in [false, true] {
            let name = if aligned { "vstorea_half" } else { "vstore_half" };
            let count = if width == 1 { String::new() } else { width.to_string() };
            let moved = if aligned || width == 16 { 0 } else { 1 };
            let text = format!("{name}{count}{suffix}(a, 0, (global half *)$ + {moved});");
            let expected = move |data: &Data, set: usize| {
                let lane = |l: usize| {
                    let stored = (moved..moved + width).contains(&l);
                    // What is behind three elements of four is left open.
                    if aligned && width == 3 && l == 3 {
                        return None;
                    }
                    let of = |bits| convert_float(ty.number(bits), Ty::Half, mode.unwrap_or(Mode::Even));
                    Some(if stored { of(data.lane(0, set, l - moved)) } else { untouched(Ty::Half) })
                };
                (0..16).map(lane).collect()
            };
            let family = family(SECTION, &format!("{name}{suffix}"));
            exprs.push(Expr {
                family,
                ty,
                text,
                result: Vt::new(Ty::Half, 16),
                expected: Box::new(expected),
            });
        }
    }
    Batch { args: vec![(Vt::new(ty, width), Gen::Borders)], prelude: String::new(), exprs }
        .jobs(&mut jobs.list);
}

/// __builtin_expect and __builtin_assume change nothing; clocks do not go back.
fn hints(claims: &Claims, jobs: &mut Jobs) {
    let long = Vt::new(Ty::Long, 1);
    let args = || vec![(long, Gen::Any), (long, Gen::Any)];
    let mut exprs = Vec::new();
    let names = ["__builtin_expect", "__builtin_assume"].map(|n| family("others", n));
    if names.iter().all(|f| jobs.claimed(claims, "cl_khr_expect_assume", f)) {
        let text = "__builtin_expect(a < b, 1) ? a : b";
        let least = |v: &[u64]| Some((v[0] as i64).min(v[1] as i64) as u64);
        exprs.push(lanewise(names[0].clone(), Ty::Long, text.to_owned(), long, 2, least));
        let text = "__builtin_assume((a & 7L) < 8L); *$ = a % 8;";
        let rest = |v: &[u64]| Some((v[0] as i64 % 8) as u64);
        exprs.push(lanewise(names[1].clone(), Ty::Long, text.to_owned(), long, 2, rest));
        Batch { args: args(), prelude: String::new(), exprs }.jobs(&mut jobs.list);
    }
    for scope in ["device", "work_group", "sub_group"] {
        let f = family("others", &format!("clock_read_{scope}"));
        if !jobs.claimed(claims, &format!("__opencl_c_kernel_clock_scope_{scope}"), &f) {
            continue;
        }
        let text = format!(
            "ulong first = clock_read_{scope}(); uint2 two = clock_read_hilo_{scope}(); ulong last = clock_read_{scope}(); ulong mid = (ulong)two.y << 32 | two.x; *$ = first <= mid && mid <= last && first > 0;"
        );
        let exprs = vec![lanewise(f, Ty::ULong, text, Vt::new(Ty::Int, 1), 2, |_| Some(1))];
        Batch { args: args(), prelude: String::new(), exprs }.jobs(&mut jobs.list);
    }
}

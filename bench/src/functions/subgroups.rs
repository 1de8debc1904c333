//! Sub-group functions (§6.15.20): those of all members, and every extended form.

use super::groups::{By, Case, Group, Scope, case, combines, jobs as group_jobs, logicals, votes, word};
use super::report::{Family, family};
use super::run::{Claims, Jobs};
use super::values::{ALL, Ty, Vt, WIDTHS};

const SECTION: &str = "sub-groups";
const BASIC: [Ty; 7] = [Ty::Int, Ty::UInt, Ty::Long, Ty::ULong, Ty::Float, Ty::Half, Ty::Double];
const COMBINES: [&str; 7] = ["add", "min", "max", "mul", "and", "or", "xor"];

fn named(name: &str) -> Family {
    family(SECTION, name)
}

/// Keeps the cases that the device claims.
fn keep(cases: &mut Vec<Case>, needs: &str, claims: &Claims, jobs: &mut Jobs) {
    cases.retain(|c| jobs.claimed(claims, needs, &c.family));
}

pub fn jobs(claims: &Claims, jobs: &mut Jobs) {
    for ty in claims.types(&ALL) {
        let vt = Vt::new(ty, 1);
        let needs = if BASIC.contains(&ty) { "sub-groups" } else { "cl_khr_subgroup_extended_types" };
        let mut cases = combines(SECTION, "sub_group", &COMBINES[..3], ty);
        cases.extend(broadcasts(vt));
        if ty == Ty::Int {
            cases.extend(votes(SECTION, "sub_group"));
        }
        keep(&mut cases, needs, claims, jobs);
        group_jobs(vt, Scope::Sub, cases, &mut jobs.list);
        active(claims, ty, jobs);
        for width in WIDTHS.into_iter().skip(1) {
            let vt = Vt::new(ty, width);
            let mut cases = broadcasts(vt);
            keep(&mut cases, "cl_khr_subgroup_extended_types", claims, jobs);
            group_jobs(vt, Scope::Sub, cases, &mut jobs.list);
            let mut cases = vec![chosen(vt)];
            keep(&mut cases, "cl_khr_subgroup_ballot", claims, jobs);
            group_jobs(vt, Scope::Active, cases, &mut jobs.list);
            let mut cases = intel(vt);
            keep(&mut cases, "cl_intel_subgroups", claims, jobs);
            group_jobs(vt, Scope::Sub, cases, &mut jobs.list);
        }
        let mut cases = intel(vt);
        keep(&mut cases, "cl_intel_subgroups", claims, jobs);
        group_jobs(vt, Scope::Sub, cases, &mut jobs.list);
    }
    let mut cases = ballots();
    keep(&mut cases, "cl_khr_subgroup_ballot", claims, jobs);
    group_jobs(Vt::new(Ty::UInt, 1), Scope::Active, cases, &mut jobs.list);
}

/// The result of the members that come.
fn active(claims: &Claims, ty: Ty, jobs: &mut Jobs) {
    let vt = Vt::new(ty, 1);
    let mut all = Vec::new();
    let mut add = |mut cases: Vec<Case>, needs: &str| {
        keep(&mut cases, needs, claims, jobs);
        all.extend(cases);
    };
    let prefix = "sub_group_non_uniform";
    add(combines(SECTION, prefix, &COMBINES, ty), "cl_khr_subgroup_non_uniform_arithmetic");
    let first =
        case(named("sub_group_broadcast_first"), "sub_group_broadcast_first(v)", vt, |g| g.at(g.first()));
    add(vec![chosen(vt), first], "cl_khr_subgroup_ballot");
    let mut equal = vec![
        word(
            named("sub_group_non_uniform_all_equal"),
            "sub_group_non_uniform_all_equal(v)",
            By::Truth,
            |g| {
                let ty = g.vt.ty;
                let values: Vec<u64> = g.here(|_| true).map(|m| g.value(m)[0]).collect();
                // Whether zeros or NaNs are equal is left open.
                let open = values.iter().any(|v| ty.is_nan(*v) || ty.float() && ty.number(*v) == 0.0);
                (!open).then(|| values.windows(2).all(|w| w[0] == w[1]).into())
            },
        ),
        word(
            named("sub_group_non_uniform_all_equal"),
            format!("sub_group_non_uniform_all_equal(({})7)", ty.name()),
            By::Truth,
            |_| Some(1),
        ),
    ];
    if ty == Ty::Int {
        equal.extend(votes(SECTION, prefix));
        equal.push(word(named("sub_group_elect"), "sub_group_elect()", By::Truth, |g| {
            Some((g.me == g.first()).into())
        }));
    }
    add(equal, "cl_khr_subgroup_non_uniform_vote");
    if ty == Ty::Int {
        add(logicals(SECTION, prefix), "cl_khr_subgroup_non_uniform_arithmetic");
    }
    let of = |name: &str, args: &str, f: fn(&Group<'_>) -> Option<usize>| {
        case(named(name), format!("{name}({args})"), vt, move |g| g.at(f(g)?))
    };
    let shuffle = "sub_group_shuffle";
    add(
        vec![
            of(shuffle, "v, max - 1 - lane", |g| Some(g.max - 1 - g.me)),
            of(shuffle, "v, r", |g| Some(g.number())),
            of(shuffle, "v, 1", |_| Some(1)),
            of("sub_group_shuffle_xor", "v, 1", |g| Some(g.me ^ 1)),
            of("sub_group_shuffle_xor", "v, max / 2 + 1", |g| Some(g.me ^ (g.max / 2 + 1))),
            of("sub_group_shuffle_xor", "v, r", |g| Some(g.me ^ g.number())),
        ],
        "cl_khr_subgroup_shuffle",
    );
    add(
        vec![
            of("sub_group_shuffle_up", "v, 1", |g| g.me.checked_sub(1)),
            of("sub_group_shuffle_up", "v, r", |g| g.me.checked_sub(g.number())),
            of("sub_group_shuffle_down", "v, 2", |g| Some(g.me + 2)),
            of("sub_group_shuffle_down", "v, r", |g| Some(g.me + g.number())),
        ],
        "cl_khr_subgroup_shuffle_relative",
    );
    let mut rotations = vec![
        of("sub_group_rotate", "v, 3", |g| Some((g.me + 3) % g.max)),
        of("sub_group_rotate", "v, -1", |g| Some((g.me + g.max - 1) % g.max)),
    ];
    for (size, by) in [(2, -3), (4, 1), (1, 5)] {
        let expected = move |g: &Group<'_>| {
            let place = (g.me as i64 % size + by).rem_euclid(size);
            g.at(g.me / size as usize * size as usize + place as usize)
        };
        let text = format!("sub_group_clustered_rotate(v, {by}, {size})");
        rotations.push(case(named("sub_group_clustered_rotate"), text, vt, expected));
    }
    add(rotations, "cl_khr_subgroup_rotate");
    add(clusters(claims, ty), "cl_khr_subgroup_clustered_reduce");
    group_jobs(vt, Scope::Active, all, &mut jobs.list);
}

fn broadcasts(vt: Vt) -> Vec<Case> {
    let f = || named("sub_group_broadcast");
    vec![
        case(f(), "sub_group_broadcast(v, 0)", vt, |g| g.at(0)),
        case(f(), "sub_group_broadcast(v, get_sub_group_size() - 1)", vt, |g| g.at(g.members.len() - 1)),
    ]
}

/// The broadcast of a member that may be away: then the value is not defined.
fn chosen(vt: Vt) -> Case {
    let text = "sub_group_non_uniform_broadcast(v, 2)";
    case(named("sub_group_non_uniform_broadcast"), text, vt, |g| g.at(2))
}

fn clusters(claims: &Claims, ty: Ty) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut size = 1;
    while size <= claims.sub_group {
        for how in COMBINES.into_iter().filter(|how| !ty.float() || !matches!(*how, "and" | "or" | "xor")) {
            let name = format!("sub_group_clustered_reduce_{how}");
            let text = format!("{name}(v, {size})");
            let expected = move |g: &Group<'_>| g.combined(how, |m| m / size == g.me / size);
            cases.push(Case { by: By::Number, ..case(named(&name), text, Vt::new(ty, 1), expected) });
        }
        for how in ["and", "or", "xor"].into_iter().filter(|_| ty == Ty::Int) {
            let name = format!("sub_group_clustered_reduce_logical_{how}");
            let text = format!("{name}(p, {size})");
            cases.push(word(named(&name), text, By::Truth, move |g| {
                Some(g.logical(how, |m| m / size == g.me / size).into())
            }));
        }
        size *= 2;
    }
    cases
}

/// The shuffles of cl_intel_subgroups, of vectors, too: up and down of two values.
fn intel(vt: Vt) -> Vec<Case> {
    let of = |name: &str, args: &str, f: fn(&Group<'_>) -> Option<usize>| {
        case(named(name), format!("{name}({args})"), vt, move |g| g.at(f(g)?))
    };
    vec![
        of("intel_sub_group_shuffle", "v, r", |g| Some(g.number())),
        of("intel_sub_group_shuffle_xor", "v, r", |g| Some(g.me ^ g.number())),
        // What goes over the sub-group's end comes from the other value, here the same in another place.
        case(named("intel_sub_group_shuffle_down"), "intel_sub_group_shuffle_down(v, v, r)", vt, |g| {
            g.at((g.me + g.number()) % g.max)
        }),
        case(named("intel_sub_group_shuffle_up"), "intel_sub_group_shuffle_up(v, v, r)", vt, |g| {
            g.at((g.me + g.max - g.number()) % g.max)
        }),
    ]
}

/// A mask of those up to and those before a member.
type Mask = fn(u128, u128) -> u128;

/// Ballots and masks, all 128 bits.
fn ballots() -> Vec<Case> {
    let held = |g: &Group<'_>| -> u128 { g.here(|m| g.holds(m)).map(|m| 1 << m).sum() };
    let low = |n: usize| if n >= 128 { u128::MAX } else { (1u128 << n) - 1 };
    let four = Vt::new(Ty::UInt, 4);
    let lanes = |bits: u128| (0..4).map(|l| (bits >> (32 * l)) as u64 & 0xffff_ffff).collect::<Vec<_>>();
    let number = |name: &str, text: &str, f: fn(&Group<'_>, u128) -> Option<u64>| {
        word(named(name), text, By::Bits, move |g| f(g, held(g)))
    };
    let b = "sub_group_ballot(p)";
    let mut cases = vec![
        case(named("sub_group_ballot"), b, four, move |g| Some(lanes(held(g)))),
        case(named("sub_group_ballot"), "sub_group_ballot(1)", four, move |g| {
            Some(lanes(g.here(|_| true).map(|m| 1 << m).sum()))
        }),
        word(
            named("sub_group_inverse_ballot"),
            "sub_group_inverse_ballot(sub_group_ballot(p))",
            By::Truth,
            move |g| Some(g.holds(g.me).into()),
        ),
        word(
            named("sub_group_ballot_bit_extract"),
            "sub_group_ballot_bit_extract(sub_group_ballot(p), r)",
            By::Truth,
            move |g| Some((held(g) >> g.number() & 1) as u64),
        ),
        number("sub_group_ballot_bit_count", "sub_group_ballot_bit_count(sub_group_ballot(p))", |_, b| {
            Some(b.count_ones().into())
        }),
        number("sub_group_ballot_bit_count", "sub_group_ballot_bit_count((uint4)(~0u))", |g, _| {
            Some(g.max as u64)
        }),
        number("sub_group_ballot_find_lsb", "sub_group_ballot_find_lsb(sub_group_ballot(p))", |_, b| {
            (b != 0).then(|| b.trailing_zeros().into())
        }),
        number("sub_group_ballot_find_msb", "sub_group_ballot_find_msb(sub_group_ballot(p))", |_, b| {
            (b != 0).then(|| (127 - b.leading_zeros()).into())
        }),
        number("sub_group_ballot_find_msb", "sub_group_ballot_find_msb((uint4)(~0u))", |g, _| {
            Some(g.max as u64 - 1)
        }),
    ];
    for (name, more) in [("sub_group_ballot_inclusive_scan", 1), ("sub_group_ballot_exclusive_scan", 0)] {
        let text = format!("{name}(sub_group_ballot(p))");
        cases.push(word(named(name), text, By::Bits, move |g| {
            Some((held(g) & low(g.me + more)).count_ones().into())
        }));
    }
    let masks: [(&str, Mask); 5] = [
        ("get_sub_group_eq_mask", |upto, below| upto & !below),
        ("get_sub_group_ge_mask", |_, below| !below),
        ("get_sub_group_gt_mask", |upto, _| !upto),
        ("get_sub_group_le_mask", |upto, _| upto),
        ("get_sub_group_lt_mask", |_, below| below),
    ];
    for (name, mask) in masks {
        cases.push(case(named(name), format!("{name}()"), four, move |g| {
            Some(lanes(mask(low(g.me + 1), low(g.me)) & low(g.max)))
        }));
    }
    cases
}

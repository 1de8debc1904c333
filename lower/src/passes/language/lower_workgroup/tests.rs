//! Tests of the lowering of group operations, in IR text.

use crate::ir::interp::{Event, region, work_group};
use crate::ir::text::parse;
use crate::ir::{Module, WorkItem};
use crate::pipeline::run_pass;
use crate::quirks::Quirks;
use crate::target::SubgroupOperations as Has;
use crate::transform::cleanup;
use crate::{LowerError, LowerOptions, Target};

/// A kernel's body after the pass, on a device with these operations and sub-groups of four.
fn lowered(body: &str, operations: Has) -> Result<String, LowerError> {
    lowered_for(body, operations, Quirks::default())
}

fn lowered_for(body: &str, operations: Has, quirks: Quirks) -> Result<String, LowerError> {
    let source = format!(
        "module read bits=64\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n\
         b0(v0: ptr.global):\n{body}  return()\n"
    );
    let mut module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut target = Target::minimum();
    target.limits.subgroup_size = 4;
    target.features.subgroup_operations = operations.bits();
    target.api_version = (1, 2);
    target.quirks = quirks;
    run_pass("lower_workgroup", &mut module, &target, &LowerOptions::default())?;
    Ok(module.to_string())
}

/// The words that each member of a sub-group stores, in order, on a device whose sub-groups have barriers only.
fn stored(body: &str, size: u32, members: u64) -> Vec<Vec<u32>> {
    let source = format!(
        "module read bits=64\nkernel \"k\" f0\n  arg \"p\" \"int*\" () pointer global\nfunc f0 \"k\" returns ()\n\
         b0(v0: ptr.global):\n{body}  return()\n"
    );
    let mut module: Module = parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut target = Target::minimum();
    target.limits.subgroup_size = size;
    target.features.subgroup_operations = Has::BASIC.bits();
    target.api_version = (1, 2);
    for pass in ["lower_workgroup", "inline"] {
        run_pass(pass, &mut module, &target, &LowerOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    }
    let function = &mut module.functions[module.kernels[0].func];
    cleanup::order_layout(function);
    // The second sub-group of a work-group is not full.
    let about = |lane: u64| {
        let properties = [
            (WorkItem::SubgroupMaxSize, size.into()),
            (WorkItem::SubgroupSize, members),
            (WorkItem::SubgroupId, 1),
            (WorkItem::SubgroupLocalId, lane),
        ];
        work_group::Properties::from_iter(properties)
    };
    let items: Vec<work_group::Properties> = (0..members).map(about).collect();
    let runs = work_group::run(function, &items, &[vec![Some(region(0))]], 7, 1_000_000);
    let word = |event: &Event| match event {
        Event::Store(at, bytes) if (region(0)..region(1)).contains(at) => {
            let bytes: Vec<u8> = bytes.iter().map(|b| b.expect("a number")).collect();
            Some(u32::from_le_bytes(bytes.try_into().expect("a word")))
        }
        _ => None,
    };
    runs.iter().map(|run| run.trace.iter().filter_map(word).collect()).collect()
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

const LOAD: &str = "  v1: i32 = load [v0], align=4\n";

/// Values are exchanged as words, each of them once.
#[test]
fn values_are_exchanged_as_words() {
    let body = format!(
        "{LOAD}  v2: f64 = load [v0], align=8\n  v3: i8 = load [v0], align=1\n  v4: f64 = group.shuffle subgroup(v2, v1)\n  \
         v5: i8 = group.shufflexor subgroup(v3, i32:1)\n  store [v0], v4, align=8\n  store [v0], v5, align=1\n"
    );
    let text = lowered(&body, Has::BASIC | Has::BALLOT | Has::SHUFFLE).expect("lowers");
    assert_eq!(
        (count(&text, "i32 = group.shuffle subgroup"), count(&text, "i32 = group.shufflexor subgroup")),
        (2, 1),
        "{text}"
    );
    assert!(text.contains("bits=64 linear_groups"), "{text}");
    // Every member's word is broadcast if there are no shuffles.
    let text = lowered(&body, Has::BASIC | Has::BALLOT).expect("lowers");
    assert_eq!(
        (count(&text, "group.shuffle"), count(&text, "i32 = group.broadcast subgroup")),
        (0, 12),
        "{text}"
    );
}

/// Small integers are combined as words. An exclusive scan starts with their own identity.
#[test]
fn small_integers_are_combined_as_words() {
    let body = "  v1: i8 = load [v0], align=1\n  v2: i8 = group.combine.smin.exclusive subgroup(v1)\n  store [v0], v2, align=1\n";
    let text = lowered(body, Has::BASIC | Has::BALLOT | Has::ARITHMETIC).expect("lowers");
    assert!(text.contains("i32 = group.combine.smin.exclusive") && text.contains("i32:127"), "{text}");
}

/// 64-bit values are combined member by member if the device has no such operation.
#[test]
fn missing_operations_run_member_by_member() {
    let body = "  v1: i64 = load [v0], align=8\n  v2: i64 = group.combine.iadd.reduce subgroup(v1)\n  store [v0], v2, align=8\n";
    let text = lowered(body, Has::BASIC | Has::BALLOT | Has::ARITHMETIC).expect("lowers");
    assert_eq!((count(&text, "group.combine"), count(&text, "group.broadcast")), (0, 8), "{text}");
}

/// Scans of all members are steps of shuffles if the driver's are slow. Scans of active members and reductions are not.
#[test]
fn slow_scans_are_shuffles() {
    let quirks = Quirks { slow_scans: true, ..Quirks::default() };
    let has = Has::BASIC | Has::BALLOT | Has::ARITHMETIC | Has::SHUFFLE | Has::SHUFFLE_RELATIVE;
    let shuffles = |op: &str, ty: &str, has: Has| {
        let body = format!(
            "  v1: {ty} = load [v0], align=1\n  v2: {ty} = group.{op} subgroup(v1)\n  store [v0], v2, align=1\n"
        );
        let text = lowered_for(&body, has, quirks.clone()).expect("lowers");
        (count(&text, "group.combine"), count(&text, "i32 = group.shuffleup"))
    };
    assert_eq!(shuffles("combineall.iadd.inclusive", "i32", has), (0, 2));
    assert_eq!(shuffles("combineall.smax.exclusive", "i8", has), (0, 3));
    assert_eq!(shuffles("combineall.fadd.inclusive", "f64", has), (0, 4));
    assert_eq!(shuffles("combineall.iadd.reduce", "i32", has), (1, 0));
    assert_eq!(shuffles("combine.iadd.inclusive", "i32", has), (1, 0));
    assert_eq!(shuffles("combineall.iadd.inclusive", "i32", has.difference(Has::SHUFFLE_RELATIVE)), (1, 0));
    let text = lowered(
        "  v1: i32 = load [v0], align=4\n  v2: i32 = group.combineall.iadd.inclusive subgroup(v1)\n",
        has,
    );
    assert!(text.expect("lowers").contains("group.combine.iadd.inclusive"));
}

/// Work-group functions need no sub-groups, and work-groups then stay in three dimensions. Missing sub-groups are refused by name.
#[test]
fn without_sub_groups() {
    let body =
        format!("{LOAD}  v2: i32 = group.combine.iadd.reduce workgroup(v1)\n  store [v0], v2, align=4\n");
    for has in [Has::empty(), Has::BASIC] {
        let text = lowered(&body, has).expect("lowers");
        assert!(
            text.contains("work_group.32")
                && !text.contains("linear_groups")
                && !text.contains("group.combine"),
            "{text}"
        );
    }
    let text = lowered(&body, Has::BASIC | Has::BALLOT | Has::ARITHMETIC).expect("lowers");
    assert!(text.contains("group.combine.iadd.reduce subgroup") && text.contains("linear_groups"), "{text}");
    let body = body.replace("workgroup", "subgroup");
    let error = lowered(&body, Has::empty()).expect_err("is refused");
    assert!(matches!(error, LowerError::Unsupported { .. }), "{error:?}");
}

/// Sub-groups with barriers only do everything in local memory, with one function for each operation and type.
#[test]
fn sub_groups_with_barriers_only() {
    let body = format!(
        "{LOAD}  v2: f64 = load [v0], align=8\n  v3: f64 = group.shuffle subgroup(v2, v1)\n  v4: i32 = group.combine.iadd.reduce subgroup(v1)\n  \
         v5: i32 = group.combineall.iadd.reduce subgroup(v4)\n  v6: bool = icmp.eq v1, v5\n  v7: i32x4 = group.ballot subgroup(v6)\n  \
         v8: f64 = group.broadcastfirst subgroup(v3)\n  store [v0], v8, align=8\n  store [v0], v7, align=16\n"
    );
    let text = lowered(&body, Has::BASIC).expect("lowers");
    let kernel = text.split("func f1").next().unwrap_or_default();
    assert_eq!(
        (count(&text, "group."), count(&text, "linear_groups")),
        (count(&text, "sub_group."), 1),
        "{text}"
    );
    // Each value is two words, and the first member is found once.
    assert_eq!((count(kernel, "= call f"), count(&text, "\nfunc ")), (4 + 2 + 2, 5), "{text}");
    assert_eq!(count(&text, "barrier subgroup"), 2 + 4 + 2 + 3, "{text}");
}

/// Sub-groups of up to 128 members with barriers only, full or not, uniform and in a branch.
#[test]
fn many_members_with_barriers_only() {
    const OPERATIONS: &str = "  v1: i32 = workitem.subgrouplocalid 0\n  v2: i32 = imul v1, i32:37\n  v3: i32 = and v2, i32:15\n  \
         v4: bool = icmp.ult v3, i32:6\n";
    let operations = |from: u32| {
        let (n, store) = (|k: u32| from + k, |k: u32| format!("  store [v0], v{}, align=4\n", from + k));
        [
            format!("  v{}: i32 = group.combine.iadd.reduce subgroup(v3)\n{}", n(0), store(0)),
            format!("  v{}: i32 = group.combine.iadd.inclusive subgroup(v3)\n{}", n(1), store(1)),
            format!("  v{}: i32 = group.combine.umax.exclusive subgroup(v3)\n{}", n(2), store(2)),
            format!("  v{}: i32 = group.combine.iadd.clustered subgroup(v3, i32:16)\n{}", n(3), store(3)),
            format!("  v{}: i32 = xor v1, i32:1\n  v{}: i32 = group.shuffle subgroup(v2, v{0})\n{}", n(4), n(5), store(5)),
            format!("  v{}: i32 = group.broadcastfirst subgroup(v2)\n{}", n(6), store(6)),
            format!("  v{}: i32x4 = group.ballot subgroup(v4)\n", n(7)),
            format!("  v{}: i32 = group.ballotcount.reduce subgroup(v{})\n{}", n(8), n(7), store(8)),
            format!("  v{}: i32 = group.ballotcount.exclusive subgroup(v{})\n{}", n(9), n(7), store(9)),
            format!("  v{}: i32 = group.ballotlast subgroup(v{})\n{}", n(10), n(7), store(10)),
            format!("  v{}: bool = group.ballotbit subgroup(v{}, v{})\n  v{}: i32 = select v{0}, i32:1, i32:0\n{}", n(11), n(7), n(4), n(12), store(12)),
        ]
        .concat()
    };
    let number = |lane: u64| (lane * 37) as u32;
    for (size, members) in [(4, 4), (32, 21), (64, 64), (64, 45), (128, 97)] {
        // Operations of all members come first, then those of every third, then those of the others.
        let body = format!(
            "{OPERATIONS}  v5: i32 = urem v1, i32:3\n  v6: bool = icmp.eq v5, i32:0\n{}  condbr v6, b1(), b2()\nb1():\n{}  br b3()\n\
             b2():\n{}  br b3()\nb3():\n",
            operations(10),
            operations(30),
            operations(50)
        );
        let found = stored(&body, size, members);
        assert_eq!(found.len() as u64, members);
        for (lane, found) in (0..members).zip(&found) {
            let expected = |there: &dyn Fn(u64) -> bool| -> Vec<Option<u32>> {
                let those: Vec<u64> = (0..members).filter(|m| there(*m)).collect();
                let small = |m: &u64| number(*m) & 15;
                let voters: Vec<u64> = those.iter().copied().filter(|m| small(m) < 6).collect();
                let sum = |counts: &dyn Fn(u64) -> bool| {
                    those.iter().filter(|m| counts(**m)).map(small).sum::<u32>()
                };
                let other = lane ^ 1;
                vec![
                    Some(sum(&|_| true)),
                    Some(sum(&|m| m <= lane)),
                    Some(those.iter().filter(|m| **m < lane).map(small).max().unwrap_or(0)),
                    Some(sum(&|m| m / 16 == lane / 16)),
                    those.contains(&other).then(|| number(other)),
                    those.first().map(|m| number(*m)),
                    Some(voters.len() as u32),
                    Some(voters.iter().filter(|m| **m < lane).count() as u32),
                    Some(voters.last().map_or(0, |m| *m as u32)),
                    (other < members).then(|| u32::from(voters.contains(&other))),
                ]
            };
            let all = expected(&|_| true);
            let part = expected(&|m| (m % 3 == 0) == (lane % 3 == 0));
            let expected: Vec<Option<u32>> = all.into_iter().chain(part).collect();
            assert_eq!(found.len(), expected.len(), "sub-groups of {size}, {members} members, lane {lane}");
            for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let same = expected.is_none_or(|expected| expected == *found);
                assert!(
                    same,
                    "sub-groups of {size}, {members} members, lane {lane}, {n}: {found}, not {expected:?}"
                );
            }
        }
    }
}

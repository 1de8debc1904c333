//! The cases of pointers, of 64-bit integers and of groups on devices with little: lavapipe masked with each profile of
//! `tests/profiles`. None of those has 64-bit integers, so these are pairs of words, pointers are 32 bits and buffers are reached by
//! descriptors, or where these are too few, and where pointers come from memory, through windows. The sub-groups of one can only meet.
//!
//! What holds there prints what it prints anywhere; what cannot hold says so in the case: `// refused: text`.

use crate::cases::{How, all_cases, check_run, each, parse};
use std::path::PathBuf;

const CASES: &[&str] = &[
    "pointers",
    "generic",
    "program_scope",
    "args/seven_buffers.cl",
    "args/packed_members.cl",
    "args/packed_words.cl",
    "structs/packed.cl",
    "structs/members_cast.cl",
    "local/unions_and_packed.cl",
    "local/bytes_at_any_offset.cl",
    "groups/intel.cl",
    "groups/longs.cl",
    "groups/required_sizes.cl",
    "groups/some_members.cl",
    "groups/sub_group.cl",
    "groups/work_group.cl",
    "memory/private_messages.cl",
    "memory/union_parts.cl",
    "memory/half_bits.cl",
    "images/classes.cl",
    "images/orders.cl",
    "images/read_write.cl",
    "images/shapes.cl",
    "operators/long.cl",
    "operators/long_division.cl",
    "operators/wide_comparisons.cl",
    "control/switch_values.cl",
    "barriers/larger.cl",
    "barriers/larger_nested.cl",
    "barriers/larger_pointers.cl",
    "barriers/larger_sub_groups.cl",
    "builtins/integer.cl",
    "conversions/float_to_ulong.cl",
    "conversions/long_to_float.cl",
    "ptx/bits.cl",
    "ptx/carry.cl",
    "ptx/memory.cl",
    "ptx/operands.cl",
    "math/rounded_on_the_way.cl",
    "math/rounded_to_half_on_the_way.cl",
];

#[test]
fn masked() {
    let root = pumice_tests::root();
    let mut paths = Vec::new();
    for name in CASES {
        let path = root.join("cases/run").join(name);
        if path.is_dir() { all_cases(&path, &mut paths) } else { paths.push(path) }
    }
    let profiles = pumice_tests::files(&root.join("profiles"), "json");
    assert!(profiles.len() >= 4, "the profiles are there");
    let mut pairs: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in &paths {
        pairs.extend(profiles.iter().map(|profile| (path.clone(), profile.clone())));
    }
    if let Ok(part) = std::env::var("PUMICE_TEST_CASES") {
        pairs.retain(|(path, _)| path.to_string_lossy().contains(&part));
    }
    let failures = each(&pairs, |(path, profile)| {
        let text = std::fs::read_to_string(path).expect("a case");
        let case = match parse(&text) {
            Ok(case) => case,
            Err(problem) => return Some(format!("--- {}\n{problem}", path.display())),
        };
        // Windows, which kernels get where descriptors do not serve, serve all of them.
        let problem = ["auto", "packed"].into_iter().find_map(|binding| {
            if binding == "packed" && !profile.ends_with("phone-1.1.json") {
                return None;
            }
            let how = How { binding, mask: Some(profile), ..How::default() };
            case.runs.iter().find_map(|run| check_run(&case, run, path, &how).err())
        })?;
        Some(format!("--- {} masked with {}\n{problem}", path.display(), profile.display()))
    });
    pumice_tests::tell(&format!("{} cases on masked devices", pairs.len()));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

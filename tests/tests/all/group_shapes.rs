//! The cases with their work-items in another dimension: work-groups of `1×N` and `1×1×N` in place of `N`, which drivers execute in other ways.
//!
//! A case stays as it is: macros exchange the dimensions in the functions that ask for ids and sizes, and in the attributes that say sizes.
//! `PUMICE_TEST_SHAPES` is a part of the paths to run in place of those of [`CASES`]; empty: all.

use crate::cases::{How, all_cases, check_run, each, parse};
use std::path::{Path, PathBuf};

/// What is run with every `./test`: where the end of a loop, a barrier or a group depends on the shape.
const CASES: &[&str] = &["loops", "barriers", "groups", "local"];
/// Files with kernels of several dimensions beside those of one, whose broadcasts have other arguments.
const LEFT_OUT: &[&str] = &["groups/work_group.cl"];
/// Functions of a dimension.
const FUNCTIONS: [&str; 8] = [
    "get_global_id",
    "get_local_id",
    "get_group_id",
    "get_global_size",
    "get_local_size",
    "get_num_groups",
    "get_global_offset",
    "get_enqueued_local_size",
];

/// Options that exchange the first dimension and another one.
fn exchanged(with: usize) -> Vec<String> {
    let dimension = format!("((d)==0?{with}:(d)=={with}?0:(d))");
    let mut list: Vec<String> = FUNCTIONS.iter().map(|f| format!("-D{f}(d)={f}({dimension})")).collect();
    let sizes = if with == 1 { "y,x,z" } else { "z,y,x" };
    for attribute in ["reqd_work_group_size", "work_group_size_hint"] {
        list.push(format!("-D{attribute}(x,y,z)={attribute}({sizes})"));
    }
    list.push(format!("-Dget_work_dim()=(get_work_dim()-{with}u)"));
    let zeros = "0,".repeat(with);
    list.push(format!("-Dwork_group_broadcast(value,from)=work_group_broadcast(value,{zeros}from)"));
    list
}

/// Arguments of `pumice run` for one dimension, for another; `None` for several dimensions.
fn turned(args: &[String], with: usize) -> Option<Vec<String>> {
    let mut list = args.to_vec();
    let mut found = false;
    for (option, other) in [("--global", "1,"), ("--local", "1,"), ("--offset", "0,")] {
        for n in 0..args.len() {
            if args[n] == option {
                let size = args.get(n + 1)?;
                if size.contains(',') {
                    return None;
                }
                list[n + 1] = format!("{}{size}", other.repeat(with));
                found |= option == "--global";
            }
        }
    }
    found.then_some(list)
}

/// Runs a case in other dimensions; what is wrong, and how many runs there were.
fn check(path: &Path) -> Result<usize, String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let mut case = parse(&text)?;
    let mut runs = 0;
    for (n, mut run) in std::mem::take(&mut case.runs).into_iter().enumerate() {
        let with = 1 + n % 2;
        let Some(args) = turned(&run.args, with) else { continue };
        run.args = args;
        let options = exchanged(with);
        let extra: Vec<&str> = options.iter().map(String::as_str).collect();
        // One model is enough: the shape is a matter of the launch.
        let binding = run.bindings[n % run.bindings.len()];
        check_run(&case, &run, path, &How { binding, extra: &extra, ..How::default() })?;
        runs += 1;
    }
    Ok(runs)
}

#[test]
fn group_shapes() {
    let root = pumice_tests::root().join("cases/run");
    let mut paths: Vec<PathBuf> = Vec::new();
    match std::env::var("PUMICE_TEST_SHAPES") {
        Ok(part) => {
            all_cases(&root, &mut paths);
            paths.retain(|p| p.to_string_lossy().contains(&part));
        }
        Err(_) => CASES.iter().for_each(|folder| all_cases(&root.join(folder), &mut paths)),
    }
    paths.retain(|p| !LEFT_OUT.iter().any(|name| p.ends_with(name)));
    let runs = std::sync::atomic::AtomicUsize::new(0);
    let failures = each(&paths, |path| match check(path) {
        Ok(n) => {
            runs.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
            None
        }
        Err(problem) => Some(format!("--- {}\n{problem}", path.display())),
    });
    let (runs, failures) = (runs.into_inner(), failures.join("\n"));
    pumice_tests::tell(&format!("{runs} runs with other shapes of work-groups"));
    assert!(failures.is_empty(), "{failures}");
    assert!(runs > 0, "there is a run of one dimension");
}

#[test]
fn one_dimension_is_turned_into_another() {
    let args = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let turned = |text: &str, with| turned(&args(text), with).map(|list| list.join(" "));
    assert_eq!(turned("--global 8 --local 4", 1).as_deref(), Some("--global 1,8 --local 1,4"));
    assert_eq!(turned("--global 8 --offset 2", 2).as_deref(), Some("--global 1,1,8 --offset 0,0,2"));
    assert_eq!(turned("--global 8,2 --local 4,1", 1), None);
}

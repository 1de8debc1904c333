//! The trace of launches that are like the one before: each is shown, with an event and without, and none is put behind another for it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use crate::support;
use pumice::entry::event::clReleaseEvent;
use pumice::entry::launch::clEnqueueNDRangeKernel;
use support::*;

const SOURCE: &str = "kernel void add(global uint *a, uint n) { a[get_global_id(0)] += n; }";
/// Launches of each kind.
const LAUNCHES: u32 = 60;
/// Set in the process that writes the trace.
const CHILD: &str = "PUMICE_TEST_TRACED";

/// The complete lines of a trace so far.
fn spans(trace: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(trace).unwrap_or_default();
    let lines = text.lines().filter(|line| line.ends_with("},"));
    lines.filter_map(|line| serde_json::from_str(line.trim_end_matches(',')).ok()).collect()
}

#[test]
fn repeated_launches_are_all_shown() {
    if std::env::var_os(CHILD).is_some() {
        return launch_again_and_again();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trace: PathBuf = folder.path().join("trace.json");
    let start = Instant::now();
    let output = Command::new(std::env::current_exe().expect("this executable"))
        .args(["--exact", "trace::repeated_launches_are_all_shown", "--nocapture"])
        .envs([("PUMICE_TRACE", trace.as_os_str()), (CHILD, "1".as_ref())])
        .output()
        .expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    if text.contains("SKIP") {
        return;
    }
    let all = spans(&trace);
    let kernels: Vec<_> = all.iter().filter(|e| e["cat"] == "device" && e["name"] == "add").collect();
    assert_eq!(kernels.len(), 2 * LAUNCHES as usize, "each launch has a span");
    let calls = all.iter().filter(|e| e["cat"] == "api" && e["name"] == "clEnqueueNDRangeKernel");
    assert_eq!(calls.count(), 2 * LAUNCHES as usize);
    let most = start.elapsed().as_secs_f64() * 1e6;
    for kernel in &kernels {
        let (from, took) = (kernel["ts"].as_f64().unwrap_or(-1.0), kernel["dur"].as_f64().unwrap_or(-1.0));
        assert!(from >= 0.0 && took >= 0.0 && from + took < most, "{kernel}");
        assert!(kernel["args"]["waited_ns"].as_u64().is_some(), "{kernel}");
    }
}

fn launch_again_and_again() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "");
    let (k, buffer) = (kernel(&program, "add").expect("a kernel"), s.buffer(64 * 4));
    s.write(&buffer, &[0; 64]);
    assert_eq!((set(&k, 0, buffer.0), set(&k, 1, 1u32)), (0, 0));
    for _ in 0..LAUNCHES {
        assert_eq!(s.launch(&k, &[64], Some(&[16])), 0);
    }
    for _ in 0..LAUNCHES {
        let (global, local, mut event) = ([64], [16], null_mut());
        // SAFETY: the lists have an element each; the event's place is valid, and the event this test's.
        unsafe {
            let (global, local) = (global.as_ptr(), local.as_ptr());
            let place = &raw mut event;
            assert_eq!(clEnqueueNDRangeKernel(s.queue.0, k.0, 1, null(), global, local, 0, null(), place), 0);
            assert_eq!(clReleaseEvent(event), 0);
        }
    }
    assert_eq!(s.read(&buffer, 64), [2 * LAUNCHES; 64]);
    // The thread that writes comes by every 20 ms, and the end of the process writes what is left.
    std::thread::sleep(Duration::from_millis(50));
}

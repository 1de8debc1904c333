//! The checking mode where a launch does not end: it never does, or its device is lost. The reports are there all the same. Each test is a
//! process of its own, for it sets the settings of the whole process.

mod open;
mod support;

use pumice::entry::queue::clFlush;
use std::process::Command;
use support::*;

const KERNELS: &str = "
kernel void hang(global uint *p, uint n) { uint i = get_global_id(0); while (p[i] != 7) i += n; p[0] = i; }
kernel void before(global volatile uint *p, uint n) { uint i = get_global_id(0); p[i + 64 * n] = i; while (p[i] != 7) p[i] |= 8; p[0] = i; }
kernel void far(global uint *p, uint n) { for (uint k = 0; k < n; k++) p[get_global_id(0) + 64 + k] = k; }
";

/// The variable that says that this process is the one with the launch.
const OWN: &str = "PUMICE_TEST_CHECKING_HUNG";

/// Runs a test of this file in a process of its own. Gives its exit code and the reports; nothing where there is no device.
fn apart(test: &str, settings: &[(&str, &str)]) -> Option<(Option<i32>, Vec<serde_json::Value>)> {
    drop(setup()?);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("reports.json");
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["--exact", test, "--nocapture"]).env(OWN, "1").env("PUMICE_CACHE_DIR", "");
    command.env("PUMICE_CHECK", "1").env("PUMICE_CHECK_OUT", &path).envs(settings.iter().copied());
    let status = command.status().expect("it runs");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    Some((status.code(), lines))
}

/// A launch of so many work-items for a buffer of 64 words of zeros.
fn launched(s: &Setup, (name, items): (&str, usize), n: u32) -> Owned {
    let program = s.built(KERNELS, "");
    let kernel = kernel(&program, name).expect("a kernel");
    let buffer = s.buffer(256);
    s.write(&buffer, &[0; 64]);
    assert_eq!((set(&kernel, 0, buffer.0), set(&kernel, 1, n)), (0, 0));
    assert_eq!(s.launch(&kernel, &[items], Some(&[64])), 0);
    buffer
}

#[test]
fn a_launch_that_never_ends_reports() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        let _buffer = launched(&s, ("hang", 64), 1);
        s.finish();
        unreachable!("the report ends the process");
    }
    let settings = [("PUMICE_CHECK_STOP", "1"), ("PUMICE_CHECK_EXIT", "86")];
    let Some((code, found)) = apart("a_launch_that_never_ends_reports", &settings) else { return };
    assert_eq!(code, Some(86));
    assert_eq!(
        (found.len(), found[0]["class"].as_str(), found[0]["line"].as_u64()),
        (1, Some("bounds"), Some(2))
    );
}

/// The fault is before the loop, in which there is none.
#[test]
fn a_fault_before_a_loop_that_never_ends_is_reported() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        let _buffer = launched(&s, ("before", 64), 1);
        s.finish();
        unreachable!("the report ends the process");
    }
    let settings = [("PUMICE_CHECK_STOP", "1"), ("PUMICE_CHECK_EXIT", "86")];
    let Some((code, found)) = apart("a_fault_before_a_loop_that_never_ends_is_reported", &settings) else {
        return;
    };
    assert_eq!(code, Some(86));
    let fault = (found[0]["class"].as_str(), found[0]["access"].as_str(), found[0]["line"].as_u64());
    assert_eq!((found.len(), fault), (1, (Some("bounds"), Some("write"), Some(3))));
}

/// A launch that never ends is an error where the watchdog is asked for, with its report.
#[test]
fn a_launch_that_the_watchdog_ends_reports() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        let _buffer = launched(&s, ("before", 64), 1);
        let code = s.finish();
        assert!(code < 0, "{code}");
        return;
    }
    let settings = [("PUMICE_WATCHDOG", "1"), ("PUMICE_CHECK_EXIT", "86")];
    let Some((code, found)) = apart("a_launch_that_the_watchdog_ends_reports", &settings) else { return };
    assert_eq!((code, found.len(), found[0]["class"].as_str()), (Some(86), 1, Some("bounds")));
}

/// Without `PUMICE_CHECK_STOP` the launch goes on, and the report is there.
#[test]
fn a_launch_that_goes_on_reports() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        let _buffer = launched(&s, ("hang", 64), 1);
        // SAFETY: a queue.
        assert_eq!(unsafe { clFlush(s.queue.0) }, 0);
        let path = std::env::var_os("PUMICE_CHECK_OUT").expect("it is set");
        let begun = std::time::Instant::now();
        while !std::fs::metadata(&path).is_ok_and(|file| file.len() > 0) {
            assert!(begun.elapsed().as_secs() < 60, "no report");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        // The launch never ends.
        // SAFETY: the process ends; what the test looks at is in its file.
        unsafe { libc::_exit(0) };
    }
    let Some((code, found)) = apart("a_launch_that_goes_on_reports", &[]) else { return };
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
    assert_eq!((found[0]["class"].as_str(), found[0]["line"].as_u64()), (Some("bounds"), Some(2)));
}

#[test]
fn a_launch_of_a_lost_device_reports() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        assert_eq!(s.finish(), 0);
        let _buffer = launched(&s, ("far", 1 << 16), 1 << 15);
        // Some work-groups have ended when the device is lost, and others have not.
        // SAFETY: a queue.
        assert_eq!(unsafe { clFlush(s.queue.0) }, 0);
        let begun = std::time::Instant::now();
        while !pumice::testing::a_launch_has_a_fault() {
            assert!(begun.elapsed().as_secs() < 60, "no work-group with a fault has ended");
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(pumice::testing::lose_after(s.device, 1));
        let code = s.finish();
        // llvmpipe still executes the launch, and the end of the process would wait for it.
        // SAFETY: the process ends; what the test looks at is in its file.
        unsafe { libc::_exit(i32::from(code >= 0)) };
    }
    let Some((code, found)) = apart("a_launch_of_a_lost_device_reports", &[]) else { return };
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
    assert_eq!((found[0]["class"].as_str(), found[0]["line"].as_u64()), (Some("bounds"), Some(4)));
}

#[test]
fn a_million_faults_are_one_report() {
    if std::env::var_os(OWN).is_some() {
        let Some(s) = setup() else { return };
        let _buffer = launched(&s, ("far", 64), 1 << 14);
        assert_eq!(s.finish(), 0);
        return;
    }
    let Some((code, found)) = apart("a_million_faults_are_one_report", &[]) else { return };
    assert_eq!((code, found.len(), found[0]["count"].as_u64()), (Some(0), 1, Some(64)));
}

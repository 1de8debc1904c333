//! A time limit for what may hang.
#![allow(dead_code)] // Not every test program uses all of it.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// What a test may take that waits for nothing that takes long.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs with a time limit. Past it the process is aborted: nobody can take a thread back that hangs.
pub fn bounded<T>(what: &'static str, run: impl FnOnce() -> T) -> T {
    let (send, receive) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if receive.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{what}: it hangs");
            std::process::abort();
        }
    });
    let result = run();
    drop(send);
    watch.join().expect("no hang");
    result
}

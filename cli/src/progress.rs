//! Words on a terminal while something takes long.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::mpsc;
use std::time::Duration;

/// After so long the words are shown.
const PATIENCE: Duration = Duration::from_secs(1);

/// Does something; if it takes longer than a second, a line on the terminal says what and for how long. Where standard error is no
/// terminal, nothing is shown.
pub fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    if !std::io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (done, waits) = mpsc::channel::<()>();
        scope.spawn(move || {
            // An error is the end of the work, too: a panic drops `done`.
            if waits.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner().with_elapsed(PATIENCE);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(100));
            let _ = waits.recv();
            bar.finish_and_clear();
        });
        let result = work();
        drop(done);
        result
    })
}

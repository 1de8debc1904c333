//! Where messages go: to standard error, and on Android also to its log, because standard error of an app goes nowhere.

use std::sync::Once;

/// Starts logging at the first call, by `PUMICE_LOG`. An application with a logger of its own keeps that.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut builder = env_logger::Builder::new();
        builder.parse_filters(&host::settings::log_filter());
        #[cfg(target_os = "android")]
        builder.format(logcat::write);
        let _ = builder.try_init();
    });
}

/// Android's log, which `adb logcat -s pumice` shows.
#[cfg(target_os = "android")]
mod logcat {
    use std::ffi::{CString, c_char, c_int};
    use std::io::{self, Write};

    use env_logger::fmt::Formatter;
    use log::{Level, Record};

    #[link(name = "log")]
    unsafe extern "C" {
        fn __android_log_write(priority: c_int, tag: *const c_char, text: *const c_char) -> c_int;
    }

    /// Writes a message there, and to standard error for programs of a shell.
    pub(super) fn write(standard_error: &mut Formatter, record: &Record<'_>) -> io::Result<()> {
        // android_LogPriority.
        let priority = match record.level() {
            Level::Trace => 2,
            Level::Debug => 3,
            Level::Info => 4,
            Level::Warn => 5,
            Level::Error => 6,
        };
        let text = format!("{}: {}", record.target(), record.args());
        if let Ok(text) = CString::new(text.replace('\0', "")) {
            // SAFETY: two strings that live through the call.
            unsafe { __android_log_write(priority, c"pumice".as_ptr(), text.as_ptr()) };
        }
        writeln!(standard_error, "[{} {}] {}", record.level(), record.target(), record.args())
    }
}

//! `PUMICE_TRACE=file.json`: what happened when, for chrome://tracing and ui.perfetto.dev.
//!
//! The file is a JSON array of complete events ("ph": "X"), in the Trace Event Format, whose closing bracket may be missing. Each
//! event is written when it ends, by one write, so that after a crash everything before it is there. `%p` in the name is
//! the process's number.
//!
//! Host threads have a row each; a device's queues are rows of their own ([`Row::Queue`]). Times are nanoseconds of
//! [`vk_runtime::host_time`], which device timestamps are converted to.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where a span is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Row {
    /// The calling thread.
    Thread,
    /// A command queue, by a number of its own (its handle's address).
    Queue(u64),
}

struct Trace {
    /// Times in the file count from here.
    base: u64,
    file: Mutex<Sink>,
}

struct Sink {
    file: File,
    /// Rows that have been named.
    named: BTreeSet<u64>,
}

fn trace() -> Option<&'static Trace> {
    static TRACE: OnceLock<Option<Trace>> = OnceLock::new();
    TRACE.get_or_init(open).as_ref()
}

fn open() -> Option<Trace> {
    let path = host::settings::get("PUMICE_TRACE")?;
    let path = path.replace("%p", &std::process::id().to_string());
    let start = |mut file: File| file.write_all(b"[\n").map(|()| file);
    match File::create(&path).and_then(start) {
        Ok(file) => {
            let file = Mutex::new(Sink { file, named: BTreeSet::new() });
            Some(Trace { base: vk_runtime::host_time(), file })
        }
        Err(e) => {
            log::error!("PUMICE_TRACE: cannot write '{path}': {e}");
            None
        }
    }
}

/// Whether anything is written: what costs time to find out may be left out otherwise.
pub(crate) fn is_on() -> bool {
    trace().is_some()
}

/// The time now, for a span's start; 0 when nothing is written.
pub(crate) fn now() -> u64 {
    if is_on() { vk_runtime::host_time() } else { 0 }
}

/// Something that went on on this thread from `start` to `end`.
pub(crate) fn span(
    category: &str,
    name: &str,
    start: u64,
    end: u64,
    args: &[(&str, &dyn std::fmt::Display)],
) {
    span_on(Row::Thread, category, name, start, end, args);
}

/// Something that went on in a row from `start` to `end`.
pub(crate) fn span_on(
    row: Row,
    category: &str,
    name: &str,
    start: u64,
    end: u64,
    args: &[(&str, &dyn std::fmt::Display)],
) {
    let Some(trace) = trace() else { return };
    let id = match row {
        Row::Thread => thread_number(),
        Row::Queue(id) => id,
    };
    let (from, took) = (start.saturating_sub(trace.base), end.saturating_sub(start));
    let mut line = format!(
        "{{\"ph\":\"X\",\"pid\":{},\"tid\":{id},\"ts\":{},\"dur\":{},\"cat\":{},\"name\":{},\"args\":{{",
        std::process::id(),
        micros(from),
        micros(took),
        quoted(category),
        quoted(name)
    );
    for (i, (key, value)) in args.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        // Writing to a String cannot fail.
        let _ = write!(line, "{comma}{}:{}", quoted(key), quoted(&value.to_string()));
    }
    line.push_str("}},\n");
    let mut sink = trace.file.lock().unwrap_or_else(PoisonError::into_inner);
    if let (Row::Queue(_), true) = (row, sink.named.insert(id)) {
        let _ = writeln!(
            line,
            "{{\"ph\":\"M\",\"pid\":{},\"tid\":{id},\"name\":\"thread_name\",\"args\":{{\"name\":\"queue {id:#x}\"}}}},",
            std::process::id()
        );
    }
    // A full disk ends the trace, not the program.
    let _ = sink.file.write_all(line.as_bytes());
}

/// Nanoseconds as microseconds with all their digits.
fn micros(nanos: u64) -> String {
    format!("{}.{:03}", nanos / 1000, nanos % 1000)
}

/// A small number of this thread's own.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// A JSON string.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_times() {
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
        assert_eq!(micros(1_234_005), "1234.005");
    }
}

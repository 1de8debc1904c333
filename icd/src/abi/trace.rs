//! `PUMICE_TRACE=file.json`: what happened when, for chrome://tracing and ui.perfetto.dev.
//!
//! The file is a JSON array of complete events ("ph": "X"), in the Trace Event Format, whose closing bracket may be missing. Events are
//! only noted; a thread of its own writes it, every [`MOMENT`] and at the end of the process, so that a program runs
//! as it does without a trace. `%p` in the name is the process's number.
//!
//! Host threads have a row each; command queues are rows of their own ([`Row::Queue`]), and so are the device's streams, with the
//! segments that were submitted. Times are nanoseconds of [`vk_runtime::host_time`], which device timestamps are converted
//! to. A command is shown from when all before it in its stream was done until it was: nothing is put between commands for
//! the trace.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use vk_runtime::sync::Mutex;

use vk_runtime::DeviceTime;
use vk_runtime::event_listener::{self, Activity, TimedEvent};
use vk_runtime::life;

/// How often what happened is written.
const MOMENT: Duration = Duration::from_millis(20);
/// With so much unwritten, who adds to it writes.
const MAX: usize = 1 << 16;

/// The row of the trace in which a span is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Row {
    /// The calling thread.
    Thread,
    /// A command queue, by a number of its own (its handle's address).
    Queue(u64),
    /// A stream of the device, by its number.
    Stream(u64),
}

/// Something that went on.
struct Span {
    row: Row,
    thread: u64,
    category: &'static str,
    name: Cow<'static, str>,
    time: Time,
    /// A number about it, with the number's name; none has no name.
    note: (&'static str, i64),
}

/// From when to when.
enum Time {
    Known(u64, u64),
    /// By the device's clock: when it was enqueued, its start and its end.
    Device(u64, DeviceTime, DeviceTime),
}

struct Trace {
    /// Times in the file count from here.
    base: u64,
    noted: Mutex<Vec<Span>>,
    sink: Mutex<Sink>,
}

struct Sink {
    file: File,
    /// Rows that have been named.
    named: BTreeSet<u64>,
    /// The spans whose commands the device has not ended.
    waiting: Vec<Span>,
    /// Room for what is noted next.
    spare: Vec<Span>,
    text: String,
}

fn trace() -> Option<&'static Trace> {
    static TRACE: OnceLock<Option<Trace>> = OnceLock::new();
    static WRITER: std::sync::Once = std::sync::Once::new();
    let trace = TRACE.get_or_init(open).as_ref();
    if trace.is_some() && !WRITER.is_completed() {
        WRITER.call_once(|| {
            event_listener::set_listener(note_activity);
            // Without a thread it is written at the end, or when there is too much.
            let write = || {
                while life::rest(MOMENT) {
                    flush()
                }
            };
            if let Err(e) = life::spawn("pumice trace", None, write) {
                log::info!("no thread for the trace: {e}");
            }
        });
    }
    trace
}

fn open() -> Option<Trace> {
    let path = host::settings::get("PUMICE_TRACE")?;
    let path = path.replace("%p", &std::process::id().to_string());
    let start = |mut file: File| file.write_all(b"[\n").map(|()| file);
    match File::create(&path).and_then(start) {
        Ok(file) => Some(Trace {
            base: vk_runtime::host_time(),
            noted: Mutex::default(),
            sink: Mutex::new(Sink {
                file,
                named: BTreeSet::new(),
                waiting: Vec::new(),
                spare: Vec::with_capacity(4096),
                text: String::new(),
            }),
        }),
        Err(e) => {
            log::error!("PUMICE_TRACE: cannot write '{path}': {e}");
            None
        }
    }
}

/// Returns whether anything is written: what costs time to find out may be left out otherwise.
pub(crate) fn is_on() -> bool {
    trace().is_some()
}

/// The time now, for a span's start; 0 when nothing is written.
pub(crate) fn now() -> u64 {
    if is_on() { vk_runtime::host_time() } else { 0 }
}

/// Something that went on on this thread from `start` until now, with a number and its name.
pub(crate) fn span(category: &'static str, name: &'static str, start: u64, note: (&'static str, i64)) {
    let time = || Time::Known(start, vk_runtime::host_time());
    add(Row::Thread, category, Cow::Borrowed(name), time, note);
}

/// A command of a queue that is under way on the device.
pub(crate) fn command(
    queue: u64,
    name: Cow<'static, str>,
    queued: u64,
    (start, end): (DeviceTime, DeviceTime),
) {
    add(Row::Queue(queue), "device", name, || Time::Device(queued, start, end), ("", 0));
}

/// Notes an activity of the runtime.
fn note_activity(it: &TimedEvent) {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let (row, name, note) = match it.activity {
        Activity::Pipeline => (Row::Thread, "pipeline", ("", 0)),
        Activity::Allocation(bytes) => (Row::Thread, "allocation", ("bytes", number(bytes))),
        Activity::Wait => (Row::Thread, "wait", ("", 0)),
        Activity::Segment { stream, commands, .. } => {
            (Row::Stream(stream), "segment", ("commands", i64::from(commands)))
        }
    };
    add(row, "runtime", Cow::Borrowed(name), || Time::Known(it.start, it.end), note);
}

fn add(
    row: Row,
    category: &'static str,
    name: Cow<'static, str>,
    time: impl FnOnce() -> Time,
    note: (&'static str, i64),
) {
    let Some(trace) = trace() else { return };
    let span = Span { row, thread: thread_number(), category, name, time: time(), note };
    let mut noted = trace.noted.lock().unwrap_or_else(PoisonError::into_inner);
    noted.push(span);
    let is_much = noted.len() >= MAX;
    drop(noted);
    if is_much {
        flush();
    }
}

/// Writes what has been noted, as far as the device is done with it; nothing where another thread is just writing.
fn flush() {
    if let Some(trace) = trace() {
        trace.try_flush();
    }
}

/// Writes all that has been noted at the end of the process. A thread that is just writing is waited for, but not for ever: it may be one
/// that there is no more.
pub(crate) fn flush_at_end(limit: Duration) {
    let Some(trace) = trace() else { return };
    let end = Instant::now() + limit;
    while !trace.try_flush() && Instant::now() < end {
        std::thread::sleep(Duration::from_micros(200));
    }
}

impl Trace {
    /// See [`flush`]; whether it wrote.
    fn try_flush(&self) -> bool {
        let mut sink = match self.sink.try_lock() {
            Ok(sink) => sink,
            Err(TryLockError::Poisoned(sink)) => sink.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let Ok(mut noted) = self.noted.try_lock() else { return false };
        let spare = std::mem::take(&mut sink.spare);
        let spans = std::mem::replace(&mut *noted, spare);
        drop(noted);
        sink.write(spans, self.base);
        true
    }
}

impl Sink {
    /// Writes spans whose times are known, and keeps the others.
    fn write(&mut self, mut noted: Vec<Span>, base: u64) {
        self.text.clear();
        let waiting = std::mem::take(&mut self.waiting);
        for span in waiting.into_iter().chain(noted.drain(..)) {
            let (start, end, waited) = match &span.time {
                Time::Known(start, end) => (*start, *end, None),
                Time::Device(queued, start, end) => match (start.nanos(), end.nanos()) {
                    (Ok(Some(start)), Ok(Some(end))) => {
                        (start.max(*queued), end.max(start), Some(start.saturating_sub(*queued)))
                    }
                    (Ok(_), Ok(_)) => {
                        self.waiting.push(span);
                        continue;
                    }
                    // Of a lost device.
                    _ => continue,
                },
            };
            write(&mut self.text, &mut self.named, base, &span, (start, end), waited);
        }
        self.spare = noted;
        // A full disk ends the trace, not the program.
        let _ = self.file.write_all(self.text.as_bytes());
    }
}

/// One span as a line; before a row's first one, its name.
fn write(
    out: &mut String,
    named: &mut BTreeSet<u64>,
    base: u64,
    span: &Span,
    (start, end): (u64, u64),
    waited: Option<u64>,
) {
    let (id, title) = match span.row {
        Row::Thread => (span.thread, None),
        Row::Queue(id) => (id, Some("queue")),
        // Apart from threads, which count from 1.
        Row::Stream(id) => (1 << 20 | id, Some("stream")),
    };
    let process = std::process::id();
    // Writing to a String cannot fail.
    if let (Some(title), true) = (title, named.insert(id)) {
        let shown = if title == "stream" { id & !(1 << 20) } else { id };
        let _ = writeln!(
            out,
            "{{\"ph\":\"M\",\"pid\":{process},\"tid\":{id},\"name\":\"thread_name\",\"args\":{{\"name\":\"{title} {shown:#x}\"}}}},",
        );
    }
    let (from, took) = (start.saturating_sub(base), end.saturating_sub(start));
    let _ = write!(
        out,
        "{{\"ph\":\"X\",\"pid\":{process},\"tid\":{id},\"ts\":{},\"dur\":{},\"cat\":{},\"name\":{},\"args\":{{",
        micros(from),
        micros(took),
        quoted(span.category),
        quoted(&span.name)
    );
    match (waited, span.note) {
        (Some(waited), _) => {
            let _ = write!(out, "\"waited_ns\":{waited}");
        }
        (None, ("", _)) => {}
        (None, (name, value)) => {
            let _ = write!(out, "{}:{value}", quoted(name));
        }
    }
    out.push_str("}},\n");
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

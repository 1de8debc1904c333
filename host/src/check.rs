//! The checking mode: which classes of faults kernels look for, and the text about those that a launch reported.

use crate::settings;
use lower::check::{Access, Checks, ENTRIES_AT, Fault, Grid, ObjectKind, Report};
use lower::{KernelInfo, Target};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::sync::Once;
use vk_runtime::NdRange;

/// The classes of `PUMICE_CHECK`. Unknown words are left out, and reported by [`settings::problems`].
#[must_use]
pub fn checks() -> Checks {
    settings::get("PUMICE_CHECK").map_or(Checks::empty(), |text| Checks::parse(&text).0)
}

/// The exit code of a process in which a fault was found: that of `PUMICE_CHECK_EXIT`.
#[must_use]
pub fn exit_code() -> Option<u8> {
    settings::get("PUMICE_CHECK_EXIT")?.parse().ok()
}

/// Returns whether the process ends after a launch with a fault (`PUMICE_CHECK_STOP=1`).
#[must_use]
pub fn stops() -> bool {
    settings::get("PUMICE_CHECK_STOP").as_deref() == Some("1")
}

/// Returns whether reports name the places where the program made memory objects (`PUMICE_CHECK_ORIGIN=1`).
#[must_use]
pub fn names_origins() -> bool {
    settings::get("PUMICE_CHECK_ORIGIN").as_deref() == Some("1") && !checks().is_empty()
}

/// Says on standard error, once in a process, which of the classes kernels do not look for on a device.
pub fn name_missing_classes(checks: Checks, target: &Target) {
    static ONCE: Once = Once::new();
    if checks.contains(Checks::RACES) && !target.can_find_races() {
        ONCE.call_once(|| {
            let text = format!(
                "pumice: races are not looked for on '{}': it has no 64-bit atomic operations\n",
                target.name
            );
            write_out(&text, "");
        });
    }
}

/// What a report says of a launch beside what its buffer has.
#[derive(Clone, Copy)]
pub struct LaunchFacts<'a> {
    /// The index space.
    pub grid: Grid,
    /// The bytes of the arguments' memory.
    pub sizes: &'a [u64],
    /// Gives the place where the memory of an argument was made, if it is known.
    pub origin: &'a dyn Fn(u32) -> Option<String>,
}

/// The index space of a launch whose work-group size is settled.
#[must_use]
pub fn grid(range: &NdRange) -> Grid {
    let local = range.local_size.unwrap_or([1; 3]);
    Grid { offset: range.global_offset, global: range.global_size, local }
}

/// The faults that were reported, so that each is reported once.
#[derive(Debug, Default)]
pub struct ReportLog(BTreeSet<String>);

impl ReportLog {
    /// Reports the faults in a launch's buffer: new ones as text on standard error, all of them as lines of JSON in the file that
    /// `PUMICE_CHECK_OUT` names. Returns the number of faults.
    pub fn report(&mut self, info: &KernelInfo, buffer: &[u8], launch: LaunchFacts<'_>) -> u64 {
        let words: Vec<u32> = buffer.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let reports = info.printf.checks.reports(
            words.get(ENTRIES_AT..).unwrap_or_default(),
            &launch.grid,
            launch.sizes,
        );
        let (mut text, mut json) = (String::new(), String::new());
        for report in &reports {
            let origin = match report.object.map(|object| object.kind) {
                Some(ObjectKind::Buffer(n) | ObjectKind::Image(n)) => (launch.origin)(n),
                _ => None,
            };
            let origin = origin.as_deref();
            json.push_str(&to_json(info, report, origin));
            json.push('\n');
            let plain = to_text(info, (report, origin), false);
            if self.0.insert(place(info, report)) {
                let colours = std::io::stderr().is_terminal();
                text.push_str(&if colours { to_text(info, (report, origin), true) } else { plain });
            }
        }
        write_out(&text, &json);
        reports.iter().map(|report| u64::from(report.count)).sum()
    }

    /// Reports a wrong call about a kernel, once. The class is as the setting calls it.
    pub fn report_call(&mut self, class: &str, kernel: &str, message: &str) {
        if !self.0.insert(format!("{kernel}\0{message}")) {
            return;
        }
        let text = format!("pumice: fault ({class}): kernel '{kernel}': {message}\n");
        let line = serde_json::json!({ "class": class, "kernel": kernel, "message": message });
        write_out(&text, &format!("{line}\n"));
    }
}

/// A fault's place: programs that are built again, with other options, have the same places.
fn place(info: &KernelInfo, report: &Report<'_>) -> String {
    let site = report.site;
    let table = &info.printf.checks;
    let file = table.files.get(site.file as usize).map(|f| f.name.as_str()).unwrap_or_default();
    let (fault, access, line) = (site.fault, site.access, table.line(site).unwrap_or_default());
    let of = site.object.and_then(|n| table.objects.get(n as usize)).map(|o| (o.kind, o.name.as_str()));
    format!("{} {fault:?} {access:?} {of:?} {file}:{}:{} {line}", info.name, site.line, site.column)
}

/// Writes reports: text to standard error, JSON to the file of `PUMICE_CHECK_OUT`.
fn write_out(text: &str, json: &str) {
    if !text.is_empty() {
        // Nobody is left to be told where this fails.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
    if !json.is_empty()
        && let Some(path) = settings::path("PUMICE_CHECK_OUT")
        && let Err(e) = append(&path, json)
    {
        log::error!("PUMICE_CHECK_OUT: {}: {e}", path.display());
    }
}

fn append(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(text.as_bytes())
}

/// The class of a report, as the setting calls it.
fn class(report: &Report<'_>) -> &'static str {
    match report.site.fault {
        Fault::Bounds if is_null(report) => "null",
        Fault::Bounds => "bounds",
        Fault::Alignment => "alignment",
        Fault::DivisionByZero | Fault::DivisionOverflow | Fault::Conversion => "arithmetic",
        Fault::Shuffle => "shuffles",
        Fault::Shift => "shifts",
        Fault::Overflow => "overflow",
        Fault::Barrier | Fault::BarrierFlags => "barriers",
        Fault::Uninitialised => "uninitialised",
        Fault::Race => "races",
        Fault::Flags => "flags",
        Fault::Texel => "bounds",
        Fault::AsyncCopy | Fault::AsyncEvents | Fault::NoEvent | Fault::NeverAwaited => "barriers",
        Fault::Any => "other",
    }
}

/// An object of no bytes is the null pointer.
fn is_null(report: &Report<'_>) -> bool {
    let null = report.object.is_some_and(|object| object.kind == ObjectKind::Null);
    null || (report.described && report.limit == 0)
}

/// The object in words.
fn object(info: &KernelInfo, report: &Report<'_>) -> String {
    let Some(object) = report.object else { return "its object".to_owned() };
    let name = |what: &str| match object.name.as_str() {
        "" => what.to_owned(),
        name => format!("{what} '{name}'"),
    };
    match object.kind {
        ObjectKind::Unknown => "memory".to_owned(),
        ObjectKind::Null => "the null pointer".to_owned(),
        ObjectKind::Buffer(n) => {
            let ty = info.args.get(n as usize).map(|arg| arg.type_name.as_str()).unwrap_or_default();
            let ty = if ty.is_empty() { String::new() } else { format!(" ({ty})") };
            format!("the buffer of {}{ty}", name(&format!("argument {n}")))
        }
        ObjectKind::LocalArgument(n) => format!("the __local memory of {}", name(&format!("argument {n}"))),
        ObjectKind::Image(n) => format!("the image of {}", name(&format!("argument {n}"))),
        ObjectKind::Local => name("the __local variable"),
        ObjectKind::Private => name("the private variable"),
        ObjectKind::Program => name("the program-scope variable"),
        ObjectKind::Member => name("the member"),
    }
}

/// The coordinates of a texel.
fn texel(report: &Report<'_>) -> String {
    let all = [report.value as i32, (report.value >> 32) as i32, report.limit as i32];
    let shown: Vec<String> =
        all.iter().take(report.site.size.clamp(1, 3) as usize).map(i32::to_string).collect();
    format!("({})", shown.join(", "))
}

/// The other use of a race, in words.
fn other(report: &Report<'_>) -> String {
    let does = match report.other.and_then(|other| other.place).map(|place| place.access) {
        Some(Access::Read) => "reads it",
        Some(Access::Write) => "writes it",
        Some(Access::Atomic) => "changes it by an atomic operation",
        Some(Access::None) | None => "uses it",
    };
    format!("another work-item {does} without an order between them")
}

/// The fault in one line.
fn what(info: &KernelInfo, report: &Report<'_>) -> String {
    let site = report.site;
    let bytes = site.size;
    let does = match site.access {
        Access::Read => format!("a read of {bytes} bytes"),
        Access::Write => format!("a write of {bytes} bytes"),
        Access::Atomic => format!("an atomic operation on {bytes} bytes"),
        Access::None => String::new(),
    };
    let value = report.value as i64;
    match site.fault {
        Fault::Bounds if is_null(report) => match report.object.map(|o| o.kind) {
            Some(ObjectKind::Buffer(_)) => {
                format!("{does} through a null pointer: {} is none", object(info, report))
            }
            _ => format!("{does} through a null pointer"),
        },
        Fault::Bounds if value < 0 => {
            format!("{does} {} bytes before {}", value.unsigned_abs(), object(info, report))
        }
        Fault::Bounds if !report.described => format!("{does} outside of {}", object(info, report)),
        Fault::Bounds => format!("{does} beyond {}", object(info, report)),
        Fault::Alignment => {
            let to = match site.access {
                Access::Read => "a read",
                Access::Write => "a write",
                _ => "an atomic operation",
            };
            match report.described {
                true => {
                    format!(
                        "{to} at byte {value} of {}, which is no multiple of {bytes}",
                        object(info, report)
                    )
                }
                false => format!("{to} of {} at no multiple of {bytes}", object(info, report)),
            }
        }
        Fault::DivisionByZero => "an integer division by zero".to_owned(),
        Fault::DivisionOverflow if !report.described => "the least integer divided by -1".to_owned(),
        Fault::DivisionOverflow => format!("{value} divided by -1, which {bytes} bits do not hold"),
        Fault::Overflow => format!("a result that a signed integer of {bytes} bits does not hold"),
        Fault::Shift if !report.described => format!("a shift of {bytes} bits by as many or more"),
        Fault::Shift => format!("a shift of {bytes} bits by {value}, which is taken modulo {bytes}"),
        Fault::Shuffle if !report.described => {
            "a shuffle with an index that no member of the sub-group has".to_owned()
        }
        Fault::Shuffle => {
            format!("a shuffle with the index {}, which no member of the sub-group has", report.value as u32)
        }
        Fault::Conversion if !report.described => {
            "a conversion of a number to an integer type that does not hold it".to_owned()
        }
        Fault::Conversion => {
            let number = match bytes {
                64 => f64::from_bits(report.value),
                _ => f32::from_bits(report.value as u32).into(),
            };
            format!("a conversion of {number} to an integer type that does not hold it")
        }
        Fault::Barrier => {
            format!("a barrier that {value} of the {} work-items of a work-group reach", report.limit)
        }
        Fault::Uninitialised if site.access != Access::None && report.limit != 0 => {
            format!("{does} of {} that was never written", object(info, report))
        }
        Fault::Uninitialised => format!("a use of {} that was never written", object(info, report)),
        Fault::Race => format!("{does} of {}, and {}", object(info, report), other(report)),
        Fault::Flags => {
            let not = match site.access {
                Access::Read => "which kernels do not read (CL_MEM_WRITE_ONLY)",
                _ => "which kernels do not write (CL_MEM_READ_ONLY)",
            };
            format!("{does} of {}, {not}", object(info, report))
        }
        Fault::Texel => {
            let does = if site.access == Access::Read { "a read" } else { "a write" };
            match report.described {
                true => format!(
                    "{does} at {} of {}, which has no such texel",
                    texel(report),
                    object(info, report)
                ),
                false => format!("{does} of {} where it has no texel", object(info, report)),
            }
        }
        Fault::BarrierFlags => {
            "a barrier whose flags are not the same in all work-items of a work-group".to_owned()
        }
        Fault::AsyncCopy => "an async copy whose arguments are not the same in all work-items".to_owned(),
        Fault::AsyncEvents => "a wait for events that are not the same in all work-items".to_owned(),
        Fault::NoEvent => "a wait for an event that no async copy gave".to_owned(),
        Fault::NeverAwaited => "an async copy for which nobody waits before the kernel ends".to_owned(),
        Fault::Any => "faults at places that the kernel has too many of to tell apart".to_owned(),
    }
}

/// The report for people.
fn to_text(info: &KernelInfo, (report, origin): (&Report<'_>, Option<&str>), colours: bool) -> String {
    let (red, blue, end) = if colours { ("\x1b[1;31m", "\x1b[1;34m", "\x1b[0m") } else { ("", "", "") };
    let site = report.site;
    let table = &info.printf.checks;
    let mut text = format!(
        "{red}pumice: fault ({}){end}: kernel '{}': {}\n",
        class(report),
        info.name,
        what(info, report)
    );
    let file = table.files.get(site.file as usize).map(|f| f.name.as_str()).unwrap_or_default();
    if site.line != 0 {
        let _ = writeln!(text, "  {blue}-->{end} {file}:{}:{}", site.line, site.column);
    }
    if let Some(line) = table.line(site) {
        let number = site.line.to_string();
        let space = " ".repeat(number.len());
        // Tabs stay tabs, so that the caret is below its place.
        let before = line.chars().take((site.column as usize).saturating_sub(1));
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let _ = writeln!(text, " {blue}{number} |{end} {line}");
        if site.column > 0 {
            let _ = writeln!(text, " {space} {blue}|{end} {indent}{red}^{end}");
        }
    }
    if matches!(site.fault, Fault::Bounds | Fault::Alignment) && report.described && !is_null(report) {
        let _ = writeln!(text, "    at byte {}, of {}", report.value as i64, report.limit);
    }
    let ids = |[x, y, z]: [u64; 3]| format!("({x}, {y}, {z})");
    if site.fault == Fault::Uninitialised && report.limit != 0 {
        let _ = writeln!(text, "    at byte {}, of {}", report.value as i64, report.limit);
    }
    if let Some(other) = report.other {
        let _ = writeln!(text, "    at byte {}", report.limit as i64);
        let place = other.place.filter(|place| place.line != 0).map_or("unknown".to_owned(), |place| {
            let file = table.files.get(place.file as usize).map(|f| f.name.as_str()).unwrap_or_default();
            format!("{file}:{}:{}", place.line, place.column)
        });
        let who = other.ids.map_or("another work-item".to_owned(), |(global, local)| {
            format!("work-item {}, local id {}", ids(global), ids(local))
        });
        let _ = writeln!(text, "    the other use: {place}, by {who}");
    }
    if let Some(origin) = origin {
        let _ = writeln!(text, "    made by {origin}");
    }
    let others = match report.count {
        0 | 1 => String::new(),
        2 => ", and another one".to_owned(),
        count => format!(", and {} others", count - 1),
    };
    let _ = writeln!(
        text,
        "    by work-item {}, local id {}{others} in this launch",
        ids(report.global_id),
        ids(report.local_id)
    );
    text
}

/// The report as an object of JSON, in one line.
fn to_json(info: &KernelInfo, report: &Report<'_>, origin: Option<&str>) -> String {
    let site = report.site;
    let table = &info.printf.checks;
    let file = table.files.get(site.file as usize).map(|f| f.name.as_str()).unwrap_or_default();
    let access = match site.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
        Access::None => "",
    };
    let mut line = serde_json::json!({
        "class": class(report),
        "kernel": info.name,
        "message": what(info, report),
        "file": file,
        "line": site.line,
        "column": site.column,
        "source": table.line(site).unwrap_or_default(),
        "access": access,
        "global_id": report.global_id,
        "local_id": report.local_id,
        "count": report.count,
    });
    if site.fault.is_of_size() || site.fault == Fault::Texel {
        line["object"] = report.object.map(|o| o.name.clone()).unwrap_or_default().into();
    }
    if site.fault == Fault::Texel && report.described {
        line["texel"] = texel(report).into();
    }
    if site.fault.is_of_size() && report.described && site.size != 0 {
        line["bytes"] = site.size.into();
        line["offset"] = (report.value as i64).into();
        line["object_size"] = report.limit.into();
    }
    if let Some(origin) = origin {
        line["made_by"] = origin.into();
    }
    if let Some(other) = report.other {
        line["offset"] = (report.limit as i64).into();
        line["object"] = report.object.map(|o| o.name.clone()).unwrap_or_default().into();
        if let Some(place) = other.place {
            let file = table.files.get(place.file as usize).map(|f| f.name.as_str()).unwrap_or_default();
            line["other_file"] = file.into();
            line["other_line"] = place.line.into();
        }
        if let Some((global, local)) = other.ids {
            line["other_global_id"] = serde_json::json!(global);
            line["other_local_id"] = serde_json::json!(local);
        }
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lower::check::{CLAIMED, CheckTable, Object, SITE_WORDS, Site, SourceText};

    fn kernel() -> KernelInfo {
        let site = Site {
            fault: Fault::Bounds,
            access: Access::Read,
            size: 4,
            file: 0,
            line: 7,
            column: 10,
            object: Some(1),
            limit: None,
            value: None,
        };
        let source = "kernel void k(global int *p) { p[0] = 1; }";
        let spirv = frontend::compile("k.cl", source, &frontend::options::Options::default())
            .spirv
            .expect("compiles");
        let lowered = lower::lower(&spirv, &lower::Target::minimum(), &lower::LowerOptions::default());
        let mut info = lowered.expect("lowers").kernels.remove(0);
        info.printf.checks = CheckTable {
            sites: vec![site],
            objects: vec![
                Object { kind: ObjectKind::Unknown, name: String::new() },
                Object { kind: ObjectKind::Local, name: "tile".to_owned() },
            ],
            files: vec![SourceText {
                name: "k.cl".to_owned(),
                lines: vec![(7, "\tx += tile[i];".to_owned())],
            }],
            ..CheckTable::default()
        };
        info
    }

    /// The second program has another object before the one at fault.
    #[test]
    fn a_place_of_a_program_that_is_built_again_is_the_same() {
        let (first, mut second) = (kernel(), kernel());
        let checks = &mut second.printf.checks;
        checks.objects.insert(1, Object { kind: ObjectKind::Private, name: "x".to_owned() });
        checks.sites[0].object = Some(2);
        let mut third = second.clone();
        third.printf.checks.sites[0].object = Some(1);
        let grid = Grid { offset: [0; 3], global: [16, 1, 1], local: [8, 1, 1] };
        let mut entry = [0; SITE_WORDS];
        entry[0] = 1;
        let places = [&first, &second, &third]
            .map(|info| place(info, &info.printf.checks.reports(&entry, &grid, &[])[0]));
        assert_eq!(places[0], places[1]);
        assert_ne!(places[1], places[2]);
    }

    #[test]
    fn a_report_names_place_work_item_and_object() {
        let info = kernel();
        let mut entry = [0; SITE_WORDS];
        (entry[0], entry[2], entry[3], entry[4], entry[6]) = (3, CLAIMED, 9, 64, 64);
        let grid = Grid { offset: [0; 3], global: [16, 1, 1], local: [8, 1, 1] };
        let reports = info.printf.checks.reports(&entry, &grid, &[]);
        let text = to_text(&info, (&reports[0], Some("main (a.c:3)")), false);
        assert_eq!(
            text,
            "pumice: fault (bounds): kernel 'k': a read of 4 bytes beyond the __local variable 'tile'\n  \
             --> k.cl:7:10\n 7 | \tx += tile[i];\n   | \t        ^\n    at byte 64, of 64\n    made by main (a.c:3)\n    \
             by work-item (9, 0, 0), local id (1, 0, 0), and 2 others in this launch\n"
        );
        let json: serde_json::Value = serde_json::from_str(&to_json(&info, &reports[0], None)).expect("JSON");
        assert_eq!((json["class"].as_str(), json["line"].as_u64()), (Some("bounds"), Some(7)));
        (entry[4], entry[5]) = (-8i32 as u32, u32::MAX);
        let reports = info.printf.checks.reports(&entry, &grid, &[]);
        assert!(what(&info, &reports[0]).contains("8 bytes before the __local variable"));
    }
}

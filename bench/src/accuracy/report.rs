//! The findings, as lines of a file, and as the tables of docs/results/data/accuracy.md.

use std::fmt::Write as _;

use super::functions::{Bound, Function, Takes, all};
use super::measure::Found;
use super::{Result, Type};

/// A line of a results file: what was found of a function, a type and a way to build.
#[derive(Debug, Clone)]
pub struct Line {
    /// The driver's label and the device.
    pub device: String,
    /// Built with -cl-fast-relaxed-math.
    pub relaxed: bool,
    /// The function.
    pub function: String,
    /// Its type.
    pub ty: String,
    /// Arguments tried, beyond the bound, and with a denormal as zero.
    pub counts: [u64; 3],
    /// The worst error, in ulp or by an absolute bound, and the same by the bound.
    pub error: f64,
    /// The worst error by the bound.
    pub ratio: f64,
    /// The argument, the result, the right result.
    pub place: String,
}

impl Line {
    /// A line of what was found.
    #[must_use]
    pub fn new(device: &str, relaxed: bool, function: &Function, ty: Type, found: &Found) -> Self {
        let (mut error, mut ratio, mut place) = (0.0, 0.0, String::new());
        if let Some(w) = &found.worst {
            (error, ratio) = (w.error, w.ratio);
            let show = |x: f64| if ty == Type::Float { format!("{:e}", x as f32) } else { format!("{x:e}") };
            let args = match function.takes {
                Takes::X => show(w.args.x[0]),
                Takes::Xn => format!("{}, {}", show(w.args.x[0]), w.args.n),
                Takes::Xy => w.args.x[..2].iter().map(|x| show(*x)).collect::<Vec<_>>().join(", "),
                Takes::Xyz => w.args.x.iter().map(|x| show(*x)).collect::<Vec<_>>().join(", "),
            };
            place = format!("({args}) gives {} for {:e}", show(w.got), w.want);
        }
        let (function, ty) = (function.name.to_owned(), ty.name().to_owned());
        let counts = [found.tried, found.beyond, found.flushed];
        Line { device: device.to_owned(), relaxed, function, ty, counts, error, ratio, place }
    }

    /// As text.
    #[must_use]
    pub fn text(&self) -> String {
        let [tried, beyond, flushed] = self.counts;
        let Line { device, relaxed, function, ty, error, ratio, place, .. } = self;
        format!(
            "{device}\t{relaxed}\t{function}\t{ty}\t{tried}\t{beyond}\t{flushed}\t{error}\t{ratio}\t{place}"
        )
    }

    /// From text.
    ///
    /// # Errors
    /// Another text.
    pub fn parse(text: &str) -> Result<Self> {
        let parts: Vec<&str> = text.split('\t').collect();
        let bad = || format!("no line of results: {text}");
        let [device, relaxed, function, ty, tried, beyond, flushed, error, ratio, place] = parts[..] else {
            return Err(bad());
        };
        let count = |text: &str| text.parse::<u64>().map_err(|_| bad());
        Ok(Line {
            device: device.to_owned(),
            relaxed: relaxed == "true",
            function: function.to_owned(),
            ty: ty.to_owned(),
            counts: [count(tried)?, count(beyond)?, count(flushed)?],
            error: error.parse().map_err(|_| bad())?,
            ratio: ratio.parse().map_err(|_| bad())?,
            place: place.to_owned(),
        })
    }
}

/// The text before the tables.
const HEAD: &str = "\
# Accuracy: the largest error of each function

Written by `accuracy table`; do not edit. [Accuracy of the math functions](../accuracy.md) explains the numbers.
";

/// The document: a table for each type, a column for each device and way to build.
#[must_use]
pub fn tables(lines: &[Line]) -> String {
    let mut text = HEAD.to_owned();
    let mut columns: Vec<(&str, bool, u64, u64, usize)> = Vec::new();
    for line in lines {
        let at = match columns.iter().position(|c| (c.0, c.1) == (line.device.as_str(), line.relaxed)) {
            Some(at) => at,
            None => {
                columns.push((&line.device, line.relaxed, 0, 0, 0));
                columns.len() - 1
            }
        };
        columns[at].2 += line.counts[0];
        columns[at].3 += line.counts[2];
        columns[at].4 += usize::from(line.counts[1] > 0);
    }
    text.push_str("\n| device | results compared | with a denormal as zero | functions beyond their bounds |\n|---|---|---|---|\n");
    for (device, relaxed, tried, flushed, beyond) in columns {
        let _ = writeln!(
            text,
            "| {device}{} | {tried} | {flushed} | {beyond} |",
            if relaxed { ", fast" } else { "" }
        );
    }
    for ty in [Type::Float, Type::Double, Type::Half] {
        let of_type: Vec<&Line> = lines.iter().filter(|l| l.ty == ty.name()).collect();
        let mut columns: Vec<(&str, bool)> = Vec::new();
        for line in &of_type {
            if !columns.contains(&(&line.device, line.relaxed)) {
                columns.push((&line.device, line.relaxed));
            }
        }
        if columns.is_empty() {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n| function | bound |", ty.name());
        for (device, relaxed) in &columns {
            let _ = write!(text, " {device}{} |", if *relaxed { ", fast" } else { "" });
        }
        text.push_str("\n|---|---|");
        text.push_str(&"---|".repeat(columns.len()));
        text.push('\n');
        for function in all() {
            row(&mut text, &function, ty, &of_type, &columns);
        }
    }
    text
}

fn row(text: &mut String, function: &Function, ty: Type, lines: &[&Line], columns: &[(&str, bool)]) {
    let of_function: Vec<&&Line> = lines.iter().filter(|l| l.function == function.name).collect();
    if of_function.is_empty() {
        return;
    }
    let bound = match function.bound(ty) {
        Bound::Ulp(most) => format!("{most}"),
        Bound::Rounded => "rounded".to_owned(),
        Bound::Within(_) => "absolute".to_owned(),
        Bound::Open | Bound::None => "–".to_owned(),
    };
    let _ = write!(text, "| {} | {bound} |", function.name);
    for (device, relaxed) in columns {
        let line = of_function.iter().find(|l| l.device == *device && l.relaxed == *relaxed);
        let _ = match line {
            None => write!(text, " |"),
            Some(line) => write!(text, " {} |", cell(line, function, ty)),
        };
    }
    text.push('\n');
}

fn cell(line: &Line, function: &Function, ty: Type) -> String {
    let mark = if line.counts[1] > 0 { "**" } else { "" };
    let number = match function.bound(ty) {
        _ if !line.error.is_finite() => "wrong".to_owned(),
        Bound::Within(_) => format!("{:.2} of it", line.error),
        _ if line.error == 0.0 => "0".to_owned(),
        _ if line.error < 1000.0 => format!("{:.2}", line.error),
        _ => format!("{:.0e}", line.error),
    };
    let place =
        if line.counts[1] > 0 { format!(" {} times, {}", line.counts[1], line.place) } else { String::new() };
    format!("{mark}{number}{mark}{place}")
}

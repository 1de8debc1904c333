//! Why a kernel takes over 1.15 times the instructions of clspv's module: a list that is checked against what is measured.

use std::path::Path;

/// The list: lines of a class, a file without its ending, its kernel or `*`, and words.
const LIST: &str = include_str!("reasons.txt");
/// A row that needs a reason.
pub const OVER: f64 = 1.15;

/// A line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// `precision`, `unrolling`, `language`, `addresses`, `driver` or `open`: the list's head says what they are.
    pub class: &'static str,
    /// The file, without its ending.
    pub file: &'static str,
    /// The kernel, or `*`.
    pub kernel: &'static str,
}

/// The classes, in the order in which they are printed.
pub const CLASSES: [&str; 6] = ["precision", "unrolling", "language", "addresses", "driver", "open"];

impl Reason {
    /// Returns whether it is one for a kernel on a chip, in the address model or the other.
    #[must_use]
    pub fn holds(&self, file: &str, kernel: &str, chip: &str, by_address: bool) -> bool {
        let named = Path::new(file).with_extension("") == Path::new(self.file);
        let of_model = self.class != "addresses" || (by_address && chip == "polaris10");
        named && of_model && (self.kernel == "*" || self.kernel == kernel)
    }
}

/// The list.
///
/// # Errors
/// A line that is none of it.
pub fn list() -> Result<Vec<Reason>, String> {
    let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse(line).ok_or_else(|| format!("reasons.txt: {line}"))).collect()
}

fn parse(line: &'static str) -> Option<Reason> {
    let mut words = line.split_whitespace();
    let (class, file, kernel, _) = (words.next()?, words.next()?, words.next()?, words.next()?);
    CLASSES.contains(&class).then_some(Reason { class, file, kernel })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_kernels_that_are_there() {
        for reason in list().expect("a list") {
            let file = format!("{}/../{}.cl", env!("CARGO_MANIFEST_DIR"), reason.file);
            let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
            assert!(reason.kernel == "*" || text.contains(reason.kernel), "{file} {}", reason.kernel);
        }
    }

    #[test]
    fn addresses_are_a_reason_on_the_first_chip_alone() {
        let reason = Reason { class: "addresses", file: "a/b", kernel: "*" };
        assert!(reason.holds("a/b.cl", "k", "polaris10", true));
        assert!(
            !reason.holds("a/b.cl", "k", "polaris10", false) && !reason.holds("a/b.cl", "k", "navi21", true)
        );
        let reason = Reason { class: "precision", kernel: "k", ..reason };
        assert!(
            reason.holds("a/b.cl", "k", "navi21", false) && !reason.holds("a/b.cl", "l", "navi21", false)
        );
    }
}

//! Classes of faults, by the words of the setting.

use bitflags::bitflags;

bitflags! {
    /// The classes of faults that a kernel looks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Checks: u16 {
        /// Accesses outside of an object.
        const BOUNDS = 1;
        /// Accesses through the null pointer.
        const NULL = 2;
        /// Accesses at wrong multiples.
        const ALIGNMENT = 4;
        /// Divisions and conversions without a result.
        const ARITHMETIC = 8;
        /// Shifts beyond the width. OpenCL C defines them (§6.3), so they must be asked for by name.
        const SHIFTS = 16;
        /// Kernel arguments that are not set, or set wrongly. The host looks at them; kernels have no code for it.
        const ARGUMENTS = 32;
        /// Barriers that not all work-items reach.
        const BARRIERS = 64;
        /// Reads of `__local` and private memory that was never written.
        const UNINITIALISED = 128;
        /// Accesses of one place by two work-items, one of which writes, that nothing orders.
        const RACES = 256;
        /// Accesses of buffers that their flags do not allow.
        const FLAGS = 512;
        /// Memory that is used after its release, or while the host has it. The host looks at it; kernels have no code for it.
        const LIFETIME = 1024;
        /// Shuffles of sub-groups with an index of no member. Their value is undefined, and many kernels do not use it: they must be asked for by name.
        const SHUFFLES = 2048;
        /// Sums, differences and products of signed integers that their type does not hold. C99 leaves them undefined (6.5), OpenCL devices wrap
        /// around, and programs rely on that: they must be asked for by name.
        const OVERFLOW = 4096;
    }
}

/// The classes that can be asked for, by their names.
const NAMES: [(&str, Checks); 13] = [
    ("bounds", Checks::BOUNDS),
    ("null", Checks::NULL),
    ("alignment", Checks::ALIGNMENT),
    ("arithmetic", Checks::ARITHMETIC),
    ("shifts", Checks::SHIFTS),
    ("arguments", Checks::ARGUMENTS),
    ("barriers", Checks::BARRIERS),
    ("uninitialised", Checks::UNINITIALISED),
    ("races", Checks::RACES),
    ("flags", Checks::FLAGS),
    ("lifetime", Checks::LIFETIME),
    ("shuffles", Checks::SHUFFLES),
    ("overflow", Checks::OVERFLOW),
];

impl Checks {
    /// The classes of `PUMICE_CHECK=1`: every fault of theirs is undefined behaviour. Races are left out for their cost,
    /// and overflows because programs rely on what devices do.
    pub const STANDARD: Checks = Checks::all()
        .difference(Checks::SHIFTS.union(Checks::SHUFFLES).union(Checks::OVERFLOW).union(Checks::RACES));

    /// The classes that a setting names (`1`, `0`, or names with commas), and text about the first word that is no class.
    pub fn parse(text: &str) -> (Checks, Result<(), String>) {
        let (mut checks, mut problem) = (Checks::empty(), Ok(()));
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match Self::of_word(word) {
                Ok(classes) => checks |= classes,
                Err(text) => problem = problem.and(Err(text)),
            }
        }
        (checks, problem)
    }

    fn of_word(word: &str) -> Result<Checks, String> {
        match word {
            "0" => Ok(Checks::empty()),
            "1" => Ok(Checks::STANDARD),
            word => match NAMES.iter().find(|(name, _)| *name == word) {
                Some((_, class)) => Ok(*class),
                None => {
                    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                    Err(format!("{word}: no class of faults; there are {}", names.join(", ")))
                }
            },
        }
    }

    /// The classes for which kernels have code.
    #[must_use]
    pub fn of_kernels(self) -> Checks {
        self.difference(Checks::ARGUMENTS.union(Checks::LIFETIME))
    }

    /// The names of the classes, with commas.
    #[must_use]
    pub fn names(self) -> String {
        let names = NAMES.iter().filter(|(_, class)| self.contains(*class)).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(",")
    }
}

//! The checking mode: classes of faults, and the places of a kernel where one may be found.
//!
//! A kernel that was lowered with [`LowerOptions::check`](crate::LowerOptions::check) looks at its own operations and reports faults in the
//! launch's [printf buffer](crate::printf). A report is a **site**'s entry of [`SITE_WORDS`] words; the first is at word [`ENTRIES_AT`]:
//!
//! | word | holds |
//! |---|---|
//! | 0 | the number of work-items with a fault at the site (modulo 2^32) |
//! | 1 | the linear global id of one of them (modulo 2^32) |
//! | 2 | [`CLAIMED`], and the object: an index into [`CheckTable::objects`] |
//! | 3 | the linear global id of the work-item that wrote words 2 to 7 |
//! | 4, 5 | the value that is at fault, the low word first: the byte offset into the object, or a number |
//! | 6, 7 | a second number |
//!
//! All words are 0 before a launch. A work-item counts its faults at all sites when it ends, and describes one of them: the first work-item that
//! describes a site writes words 2 to 7. So a site may have a count and no description. What the site itself has ([`Site::object`],
//! [`Site::limit`]) is not written, nor the size of an argument's memory: stores are slow on some devices, even those that are not executed.

mod classes;
#[cfg(test)]
mod tests;

pub use classes::Checks;

use crate::printf::HEADER_WORDS;
use serde::{Deserialize, Serialize};

/// The words of a site's entry.
pub const SITE_WORDS: usize = 8;

/// The word of the launch's buffer where the entries begin: behind the header, at a multiple of 16 bytes.
pub const ENTRIES_AT: usize = HEADER_WORDS.next_multiple_of(4);

/// The bit of an entry's word 2 that says that the entry is described.
pub const CLAIMED: u32 = 1 << 31;

/// The largest number of sites of a kernel of each kind: of all launches, of what launches tell of buffers, and of buffers' cells. All further operations share
/// the last one.
pub const MAX_SITES: usize = 2048;

/// The largest number of places of uses that states of cells tell apart ([`CheckTable::places`]).
pub const MAX_PLACES: usize = 2047;

/// The kind of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An access outside of the object from which its pointer was derived. An object of no bytes is the null pointer.
    Bounds,
    /// An access at an address that is no multiple of the type's alignment.
    Alignment,
    /// A division or a remainder by zero.
    DivisionByZero,
    /// The least integer divided by -1.
    DivisionOverflow,
    /// A sum, a difference, a product or a negation of signed integers that the type does not hold.
    Overflow,
    /// A shift by a number of bits that the type does not have.
    Shift,
    /// A float that is converted to an integer type which does not hold it.
    Conversion,
    /// A shuffle with an index that no member of the sub-group has.
    Shuffle,
    /// A barrier that not all work-items of the work-group reach.
    Barrier,
    /// A barrier whose flags are not the same in all work-items.
    BarrierFlags,
    /// A use of memory that was never written.
    Uninitialised,
    /// Two work-items use a place at once, and one writes. The value is the state of the other use, and the second number the byte offset.
    Race,
    /// An access that the buffer's flags do not allow.
    Flags,
    /// A texel that the image does not have. The value has the first two coordinates, the second number the third.
    Texel,
    /// An async copy whose arguments are not the same in all work-items.
    AsyncCopy,
    /// A wait for async copies that is not for the same events in all work-items.
    AsyncEvents,
    /// A wait for an event that no async copy gave.
    NoEvent,
    /// An async copy for which the work-item never waits.
    NeverAwaited,
    /// Any fault of a kernel that has more than [`MAX_SITES`] sites.
    Any,
}

impl Fault {
    /// Returns whether the second number is the size of the object.
    #[must_use]
    pub fn is_of_size(self) -> bool {
        matches!(self, Fault::Bounds | Fault::Alignment | Fault::Uninitialised | Fault::Flags)
    }
}

/// The direction of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It does both at once.
    Atomic,
    /// It computes.
    None,
}

/// A place of the source, and what may go wrong there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    /// The kind of fault.
    pub fault: Fault,
    /// The direction of the access.
    pub access: Access,
    /// Bytes of the access, or bits of the operand's type. An alignment has the alignment.
    pub size: u32,
    /// An index into [`CheckTable::files`].
    pub file: u32,
    /// The line, counted from 1; 0 if it is not known.
    pub line: u32,
    /// The column, counted from 1; 0 if it is not known.
    pub column: u32,
    /// The object, if it is the same for all work-items.
    pub object: Option<u32>,
    /// The size of the object or the second number, if the compiler knows it.
    pub limit: Option<u64>,
    /// The value that is at fault, if the compiler knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
}

/// The index space of a launch, from which ids are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// The global offset.
    pub offset: [u64; 3],
    /// The global size.
    pub global: [u64; 3],
    /// The work-group size.
    pub local: [u64; 3],
}

impl Grid {
    /// The global id and the local id of the work-item with a linear id.
    fn ids(&self, linear: u64) -> ([u64; 3], [u64; 3]) {
        let (mut global, mut local, mut rest) = ([0; 3], [0; 3], linear);
        for d in 0..3 {
            let id = rest % self.global[d].max(1);
            rest /= self.global[d].max(1);
            (global[d], local[d]) = (id + self.offset[d], id % self.local[d].max(1));
        }
        (global, local)
    }
}

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectKind {
    /// Not known: no access of it is a fault.
    Unknown,
    /// No object: the null pointer.
    Null,
    /// The buffer of a kernel argument.
    Buffer(u32),
    /// The `__local` memory of a kernel argument.
    LocalArgument(u32),
    /// The image of a kernel argument.
    Image(u32),
    /// A `__local` variable.
    Local,
    /// A private variable.
    Private,
    /// A program-scope variable.
    Program,
    /// An array that is a struct's member.
    Member,
}

/// An object of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// Its kind.
    pub kind: ObjectKind,
    /// Its name in the source, if it has one.
    pub name: String,
}

/// A source file, with the lines that sites are on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceText {
    /// Its name.
    pub name: String,
    /// Lines by number, sorted; none if the text is not known.
    pub lines: Vec<(u32, String)>,
}

/// A place in the source that uses memory: a race has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UsePlace {
    /// An index into [`CheckTable::files`].
    pub file: u32,
    /// The line, counted from 1; 0 if it is not known.
    pub line: u32,
    /// The column, counted from 1; 0 if it is not known.
    pub column: u32,
    /// What it does.
    pub access: Access,
}

/// An argument of whose memory the launch keeps records: for each cell of so many bytes one of [`ArgumentCells::record`] bytes. They are behind a
/// `__local` argument's own bytes, and at the end of the printf buffer for buffers. All records are 0 before a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentCells {
    /// The argument.
    pub arg: u32,
    /// The bytes of a cell, a power of two; the same for all buffers of a kernel.
    pub bytes: u32,
    /// The bytes of a record.
    pub record: u32,
    /// The kernel writes to the memory.
    pub written: bool,
    /// The places that each work-item has for itself, if it uses no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<OwnPlaces>,
}

/// Places of which each work-item has its own: the bytes from `low` up to `high` behind Σ step × global id, all modulo 2^32. They are the work-item's
/// own in index spaces where no two sums are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPlaces {
    /// The bytes between neighbours in each dimension.
    pub steps: [i32; 3],
    /// The first byte.
    pub low: i32,
    /// The byte behind the last one.
    pub high: i64,
}

/// An argument of whose memory launches tell what was written before ([`crate::kernel_info::BlockSource::ArgumentContent`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentRecord {
    /// The argument.
    pub arg: u32,
    /// The kernel writes to the memory, and to its record.
    pub written: bool,
}

/// A fact that a launch may tell of an argument's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentFact {
    /// The place of its record, of the argument with a number.
    Record(u32),
    /// That kernels may not read it, or not write it.
    Flags(u32),
    /// That the launch keeps records of its cells ([`ArgumentCells`]).
    Cells(u32),
}

/// The other use of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherUse<'t> {
    /// Its place, if it is known.
    pub place: Option<&'t UsePlace>,
    /// The global id and the local id of its work-item, if they are known.
    pub ids: Option<([u64; 3], [u64; 3])>,
}

/// The sites of one kernel. Empty if it was lowered without checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckTable {
    /// The sites. Entries are in their order.
    pub sites: Vec<Site>,
    /// The objects that entries name by number.
    pub objects: Vec<Object>,
    /// The files that sites name by number.
    pub files: Vec<SourceText>,
    /// The places of the uses that races name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<UsePlace>,
    /// The arguments of whose memory launches keep records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<ArgumentCells>,
    /// The arguments of whose memory launches have records of what was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<ArgumentRecord>,
}

/// The report of a launch about one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report<'t> {
    /// The site.
    pub site: &'t Site,
    /// The number of work-items with the fault.
    pub count: u32,
    /// The global id of the work-item that came first.
    pub global_id: [u64; 3],
    /// Its local id.
    pub local_id: [u64; 3],
    /// The object.
    pub object: Option<&'t Object>,
    /// The value and the limit are known.
    pub described: bool,
    /// The value that is at fault.
    pub value: u64,
    /// The size of the object, or a second value.
    pub limit: u64,
    /// The other use of a race.
    pub other: Option<OtherUse<'t>>,
}

impl CheckTable {
    /// Returns whether the kernel reports nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty() && self.cells.is_empty() && self.records.is_empty()
    }

    /// The words between the header and the first record: those of all entries, those before them, and filling to a multiple of 16 bytes. So a
    /// buffer of [`crate::printf::PrintfTable::buffer_bytes`] has as much room for text as without checks.
    #[must_use]
    pub fn words(&self) -> usize {
        match self.sites.len() {
            0 => 0,
            sites => (ENTRIES_AT - HEADER_WORDS + sites * SITE_WORDS).next_multiple_of(4),
        }
    }

    /// A line of the source, if the text is known.
    #[must_use]
    pub fn line(&self, site: &Site) -> Option<&str> {
        let lines = &self.files.get(site.file as usize)?.lines;
        let at = lines.binary_search_by_key(&site.line, |line| line.0).ok()?;
        Some(&lines[at].1)
    }

    /// The other use of a race, by its state (`passes/check/insert_checks/states.rs`) and the ids of the first one.
    fn other_use(&self, state: u64, own: ([u64; 3], [u64; 3]), grid: &Grid) -> OtherUse<'_> {
        let place = (state >> 45 & 0x7ff).checked_sub(1);
        let place = place.and_then(|n| self.places.get(usize::try_from(n).ok()?));
        let groups: [u64; 3] = std::array::from_fn(|d| grid.global[d].div_ceil(grid.local[d].max(1)).max(1));
        let place_of = |linear: u64, sizes: [u64; 3]| {
            let [x, y, _] = sizes.map(|size| size.max(1));
            [linear % x, linear / x % y, linear / (x * y)]
        };
        let local = place_of((state & 0x7ff).saturating_sub(1), grid.local);
        let own_group: [u64; 3] =
            std::array::from_fn(|d| own.0[d].saturating_sub(grid.offset[d]) / grid.local[d].max(1));
        if state & 0x7ff == 0x7ff {
            // An async copy.
            return OtherUse { place, ids: None };
        }
        let group = match state >> 11 & 0xff_ffff {
            // Records of `__local` memory do not name the group, which is the first one's.
            0 if own.1 != local => own_group,
            linear => place_of(linear, groups),
        };
        let global = std::array::from_fn(|d| group[d] * grid.local[d] + local[d] + grid.offset[d]);
        // Another read by the same work-item stands for that of an unknown one.
        OtherUse { place, ids: (global != own.0).then_some((global, local)) }
    }

    /// The size of an object that the launch determines: `sizes` has those of the arguments' memory.
    fn size(object: Option<&Object>, sizes: &[u64]) -> Option<u64> {
        match object?.kind {
            ObjectKind::Buffer(n) | ObjectKind::LocalArgument(n) => sizes.get(n as usize).copied(),
            _ => None,
        }
    }

    /// The reports in the entries of a launch, ordered by their places in the source. Sites of one place and kind are one report.
    /// `sizes` has the bytes of the arguments' memory.
    #[must_use]
    pub fn reports(&self, entries: &[u32], grid: &Grid, sizes: &[u64]) -> Vec<Report<'_>> {
        let mut reports: Vec<Report<'_>> = Vec::new();
        for (site, entry) in self.sites.iter().zip(entries.chunks_exact(SITE_WORDS)) {
            let wide = |at: usize| u64::from(entry[at]) | u64::from(entry[at + 1]) << 32;
            let described = entry[2] & CLAIMED != 0;
            if entry[0] == 0 && !described {
                continue;
            }
            let count = entry[0].max(1);
            if let Some(known) = reports.iter_mut().find(|known| known.site == site) {
                known.count = known.count.saturating_add(count);
                continue;
            }
            let (global_id, local_id) = grid.ids(entry[if described { 3 } else { 1 }].into());
            let named = site.object.or(described.then_some(entry[2] & !CLAIMED));
            let object = named.and_then(|n| self.objects.get(n as usize));
            let size = if site.fault.is_of_size() { Self::size(object, sizes) } else { None };
            let known = site.value.is_some() && site.limit.or(size).is_some();
            let (value, limit) = (site.value.unwrap_or(wide(4)), site.limit.or(size).unwrap_or(wide(6)));
            let race = described && site.fault == Fault::Race;
            let other = race.then(|| self.other_use(value, (global_id, local_id), grid));
            // A fault of one value has no other description.
            let described = described || known || site.limit == Some(0);
            reports.push(Report { site, count, global_id, local_id, object, described, value, limit, other });
        }
        reports.sort_by_key(|report| {
            (report.site.file, report.site.line, report.site.column, report.site.fault)
        });
        reports
    }
}

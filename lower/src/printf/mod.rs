//! printf (OpenCL C §6.15.14): the records in a kernel's printf buffer, and their text.
//!
//! A launch takes a buffer of 32-bit words if the kernel's [`KernelInfo::printf`](crate::KernelInfo::printf) is not empty, or if it
//! [watches its loops](crate::KernelInfo::watches_loops):
//!
//! | word | holds | at the start |
//! |---|---|---|
//! | 0 | the **cursor**: the first free word | [`PrintfTable::first_record`] |
//! | 1 | the **limit**: a record starts below it or is not written | the buffer's words less the longest record |
//! | 2 | the number of calls whose text was lost (modulo 2^32) | 0 |
//! | 3 ([`LOOPS_ENDED`]) | not 0 if the driver ended loops early | 0 |
//! | 4 ([`AREA_START`]) | the first word of the area for the state of work-items ([`crate::KernelInfo::resumes`]) | that, or 0 |
//! | 5 ([`AREA_ITEMS`]) | the number of work-items for which the area has room | that, or 0 |
//! | 6… | the entries of checks ([`crate::check`]), if the kernel has any | 0 |
//! | then | records, in the order of their reservation | anything |
//!
//! A **record** is one call: the format's number, then the arguments. Each lane of 32 bits or less takes a word, with small integers
//! and halves in its low bits. Each lane of 64 bits takes two, the low half first. A string that is known at build time is its number
//! in the table plus one; 0 is no string. For any other string the record has its length in bytes ([`NO_STRING`] for a null pointer).
//! Its bytes come after the arguments, in whole words.
//!
//! A call adds its length to the cursor. If the record does not fit, it subtracts the length again. The cursor therefore ends after the
//! last written record, and a loop of printf never wraps it.

mod convert;
mod spec;
#[cfg(test)]
mod tests;

use crate::check::CheckTable;
use serde::{Deserialize, Serialize};
pub(crate) use spec::text_arguments;
use spec::{Conversion, Piece};

/// Words before the first record.
pub const HEADER_WORDS: usize = 6;

/// The word of the header that is not 0 after the driver ended loops early. Kernels that [watch their
/// loops](crate::KernelInfo::watches_loops) set it.
pub const LOOPS_ENDED: usize = 3;

/// The length of a string that is a null pointer.
pub const NO_STRING: u32 = u32::MAX;

/// The word of the header with the first word of the save area.
///
/// The area has `1 + n` rows with a word for each work-item, where `n` is [`KernelInfo::resumes`](crate::KernelInfo::resumes). The
/// first row has the number of the loop where each work-item resumes, or 0 if it has ended. The other rows have its saved words.
/// Work-items are numbered by their order in the dispatch: work-groups with the first dimension fastest, and local indices in each.
/// The local memory of work-groups is before the area, the first work-group's last.
pub const AREA_START: usize = 4;

/// The word of the header with the number of work-items for which the save area has room.
pub const AREA_ITEMS: usize = 5;

/// Returns whether a header says that loops of the launch were ended.
#[must_use]
pub fn loops_were_ended(header: &[u8]) -> bool {
    header.chunks_exact(4).nth(LOOPS_ENDED).is_some_and(|word| word != [0; 4])
}

/// The formats and strings of one kernel's printf calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintfTable {
    /// The formats that records name by number.
    pub formats: Vec<PrintfFormat>,
    /// The strings that arguments name by number, without the null at their end.
    pub strings: Vec<Vec<u8>>,
    /// The places where faults are looked for. Their entries are before the records ([`crate::check`]).
    #[serde(default, skip_serializing_if = "CheckTable::is_empty")]
    pub checks: CheckTable,
}

/// A format, and what its records hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintfFormat {
    /// The format string, without the null at its end.
    pub text: Vec<u8>,
    /// The arguments in a record.
    pub args: Vec<PrintfArg>,
}

/// An argument in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintfArg {
    /// The type of its lanes.
    pub kind: PrintfArgKind,
    /// Bytes of a lane: 1, 2, 4 or 8.
    pub bytes: u8,
    /// 1, or the lanes of a vector.
    pub lanes: u8,
}

/// The type of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrintfArgKind {
    /// An integer or a pointer.
    Int,
    /// A floating-point number.
    Float,
    /// The number of a string.
    Text,
    /// A string in the record: its length. Its bytes come after the arguments.
    Chars,
}

impl PrintfArg {
    /// Words that it takes in a record.
    pub fn words(&self) -> usize {
        usize::from(self.lanes) * if self.bytes > 4 { 2 } else { 1 }
    }
}

impl PrintfFormat {
    /// The words of a record, without the strings after its arguments.
    pub fn words(&self) -> usize {
        1 + self.args.iter().map(PrintfArg::words).sum::<usize>()
    }

    /// The words of the strings after the arguments of a record.
    fn string_words(&self, record: &[u32]) -> usize {
        let mut at = 0;
        let mut words = 0;
        for arg in &self.args {
            if arg.kind == PrintfArgKind::Chars {
                words += record.get(at).map_or(0, |bytes| string_words(*bytes));
            }
            at += arg.words();
        }
        words
    }
}

/// The words of a string with a length in bytes.
fn string_words(bytes: u32) -> usize {
    if bytes == NO_STRING { 0 } else { bytes.div_ceil(4) as usize }
}

impl PrintfTable {
    /// Returns whether the kernel never prints or checks and takes no buffer.
    pub fn is_empty(&self) -> bool {
        self.formats.is_empty() && self.checks.is_empty()
    }

    /// The word of the first record.
    pub fn first_record(&self) -> usize {
        HEADER_WORDS + self.checks.words()
    }

    /// The size of a buffer in bytes which has so many for text, a multiple of 16.
    pub fn buffer_bytes(&self, text: u64) -> u64 {
        (text + 4 * self.checks.words() as u64).next_multiple_of(16)
    }

    /// The header of a buffer of a size in bytes, before a launch. A buffer too small for the longest record takes no text. One smaller
    /// than the header must not be used.
    pub fn header(&self, buffer_bytes: u64) -> [u32; HEADER_WORDS] {
        let words = u32::try_from(buffer_bytes / 4).unwrap_or(u32::MAX);
        let longest = self.formats.iter().map(PrintfFormat::words).max().unwrap_or(0);
        let longest = u32::try_from(longest).unwrap_or(u32::MAX);
        // A record that starts at limit - 1 ends within the buffer.
        let limit = words.saturating_add(1).saturating_sub(longest);
        [u32::try_from(self.first_record()).unwrap_or(u32::MAX), limit, 0, 0, 0, 0]
    }

    /// [`Self::header`] as the bytes to write.
    pub fn header_bytes(&self, buffer_bytes: u64) -> [u8; 4 * HEADER_WORDS] {
        let mut bytes = [0; 4 * HEADER_WORDS];
        for (place, word) in bytes.chunks_exact_mut(4).zip(self.header(buffer_bytes)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// How many bytes of the buffer a launch has used, the header included, by the header that it left; at most
/// `buffer_bytes`.
pub fn used_bytes(header: &[u8], buffer_bytes: u64) -> u64 {
    let cursor = header.first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
    (u64::from(cursor) * 4).clamp(4 * HEADER_WORDS as u64, buffer_bytes.max(4 * HEADER_WORDS as u64))
}

/// The text of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text for standard output, in the program's encoding.
    pub text: Vec<u8>,
    /// The number of calls whose text did not fit into the buffer.
    pub lost: u32,
}

/// The text that a launch left in its buffer (or in its first [`used_bytes`]). Bytes that no kernel can have written
/// end the text.
pub fn decode(buffer: &[u8], table: &PrintfTable) -> Printed {
    let words: Vec<u32> = buffer.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut printed = Printed::default();
    let Some((header, _)) = words.split_first_chunk::<HEADER_WORDS>() else { return printed };
    printed.lost = header[2];
    let end = words.len().min(header[0] as usize);
    let formats: Vec<Vec<Piece>> = table.formats.iter().map(|f| spec::parse(&f.text)).collect();
    let mut at = table.first_record();
    while let Some(number) = words.get(at).filter(|_| at < end) {
        let number = *number as usize;
        let (Some(format), Some(pieces)) = (table.formats.get(number), formats.get(number)) else { break };
        let Some(record) = words.get(at + 1..at + format.words()).filter(|_| at + format.words() <= end)
        else {
            break;
        };
        let behind = at + format.words();
        let length = format.string_words(record);
        let Some(bytes) = words.get(behind..behind.saturating_add(length)).filter(|_| behind + length <= end)
        else {
            break;
        };
        print(&mut printed.text, pieces, format, (record, bytes), &table.strings);
        at = behind + length;
    }
    printed
}

/// One call.
fn print(
    out: &mut Vec<u8>,
    pieces: &[Piece],
    format: &PrintfFormat,
    (record, bytes): (&[u32], &[u32]),
    strings: &[Vec<u8>],
) {
    let mut args = Args { left: &format.args, words: record, bytes };
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Conversion(conversion) => {
                if one_conversion(out, conversion, &mut args, strings).is_none() {
                    out.extend_from_slice(&conversion.source);
                }
            }
        }
    }
}

/// The arguments of a call that are still to print.
struct Args<'a> {
    left: &'a [PrintfArg],
    words: &'a [u32],
    /// The strings after the arguments.
    bytes: &'a [u32],
}

impl Args<'_> {
    /// The next string, with a length in bytes.
    fn string(&mut self, bytes: u32) -> Option<Vec<u8>> {
        let (string, rest) = self.bytes.split_at_checked(string_words(bytes))?;
        self.bytes = rest;
        let text = string.iter().flat_map(|word| word.to_le_bytes());
        (bytes != NO_STRING).then(|| text.take(bytes as usize).collect())
    }

    /// The next argument and the bits of its lanes.
    fn next(&mut self) -> Option<(PrintfArg, Vec<u64>)> {
        let (arg, left) = self.left.split_first()?;
        let (words, rest) = self.words.split_at_checked(arg.words())?;
        (self.left, self.words) = (left, rest);
        let per_lane = if arg.bytes > 4 { 2 } else { 1 };
        let lane = |lane: &[u32]| lane.iter().rev().fold(0, |bits, word| bits << 32 | u64::from(*word));
        Some((*arg, words.chunks(per_lane).map(lane).collect()))
    }

    /// An argument for a `*`.
    fn star(&mut self) -> Option<i32> {
        let (_, lanes) = self.next()?;
        lanes.first().map(|bits| *bits as i32)
    }
}

/// Prints one conversion; `None` when its argument is missing.
fn one_conversion(
    out: &mut Vec<u8>,
    conversion: &Conversion,
    args: &mut Args<'_>,
    strings: &[Vec<u8>],
) -> Option<()> {
    let mut spec = conversion.spec;
    if conversion.star_width {
        let width = args.star()?;
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(spec::MAX);
    }
    if conversion.star_precision {
        let precision = args.star()?;
        spec.precision = usize::try_from(precision).ok().map(|p| p.min(spec::MAX));
    }
    let (arg, lanes) = args.next()?;
    for (n, bits) in lanes.into_iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        match conversion.letter {
            b's' => {
                let string = match arg.kind {
                    PrintfArgKind::Text => {
                        (bits as usize).checked_sub(1).and_then(|n| strings.get(n)).cloned()
                    }
                    PrintfArgKind::Chars => args.string(bits as u32),
                    _ => None,
                };
                convert::text(out, spec, string.as_deref().unwrap_or(b"(null)"));
            }
            b'c' => convert::text(out, spec::Spec { precision: None, ..spec }, &[bits as u8]),
            b'p' => convert::pointer(out, spec, bits),
            b'd' | b'i' => convert::signed(out, spec, signed(arg, conversion, bits)),
            b'o' | b'u' | b'x' | b'X' => {
                convert::unsigned(
                    out,
                    spec,
                    conversion.letter,
                    signed(arg, conversion, bits) as u64 & mask(conversion, arg),
                );
            }
            letter => convert::float(out, spec, letter, float(arg, bits)),
        }
    }
    Some(())
}

/// The bytes of an integer that a conversion uses: the length modifier's, or else an int's. Elements of vectors are not promoted, so an
/// element's size is the limit.
fn int_bytes(conversion: &Conversion, arg: PrintfArg) -> u32 {
    let wanted = conversion.length.int_bytes(arg.bytes);
    let wanted = if arg.lanes > 1 { wanted.min(arg.bytes) } else { wanted };
    u32::from(wanted.clamp(1, 8))
}

/// An integer argument, sign-extended from the narrower of what it is and what the conversion asks for.
fn signed(arg: PrintfArg, conversion: &Conversion, bits: u64) -> i64 {
    let bytes = int_bytes(conversion, arg).min(u32::from(arg.bytes.clamp(1, 8)));
    let shift = 64 - 8 * bytes;
    (bits << shift) as i64 >> shift
}

/// The bits that an unsigned conversion shows.
fn mask(conversion: &Conversion, arg: PrintfArg) -> u64 {
    u64::MAX >> (64 - 8 * int_bytes(conversion, arg).min(u32::from(arg.bytes.clamp(1, 8))))
}

/// A floating-point argument, exactly.
fn float(arg: PrintfArg, bits: u64) -> f64 {
    match arg.bytes {
        8 => f64::from_bits(bits),
        2 => convert::half(bits as u16),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}

//! Boxes of bytes in buffers and host memory, as the …Rect functions describe them (OpenCL API §5.2.2).

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};

const INVALID: ClError = ClError(cl::CL_INVALID_VALUE);

/// One side of a transfer: where its box starts, and the distances between its rows and slices, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) origin: [u64; 3],
    pub(crate) row: u64,
    pub(crate) slice: u64,
    /// First byte.
    pub(crate) first: u64,
    /// One past the last.
    pub(crate) end: u64,
}

/// Settles one side: a pitch of 0 means tightly packed.
///
/// # Errors
/// CL_INVALID_VALUE for an empty box, pitches that are too small, a slice pitch that is no multiple of the row pitch, and for sizes
/// that no memory has.
pub(crate) fn side(origin: [usize; 3], region: [usize; 3], row: usize, slice: usize) -> ClResult<Side> {
    let [width, height, depth] = region.map(|v| v as u64);
    ensure(width > 0 && height > 0 && depth > 0, cl::CL_INVALID_VALUE)?;
    let row = if row == 0 { width } else { row as u64 };
    ensure(row >= width, cl::CL_INVALID_VALUE)?;
    let tight = height.checked_mul(row).ok_or(INVALID)?;
    let slice = if slice == 0 { tight } else { slice as u64 };
    ensure(slice >= tight && slice.is_multiple_of(row), cl::CL_INVALID_VALUE)?;
    let origin = origin.map(|v| v as u64);
    let place = |[x, y, z]: [u64; 3]| z.checked_mul(slice)?.checked_add(y.checked_mul(row)?)?.checked_add(x);
    let first = place(origin).ok_or(INVALID)?;
    let length = place([width, height - 1, depth - 1]).ok_or(INVALID)?;
    let end = first.checked_add(length).ok_or(INVALID)?;
    ensure(end <= isize::MAX as u64, cl::CL_INVALID_VALUE)?;
    Ok(Side { origin, row, slice, first, end })
}

impl Side {
    /// Checks that the box is inside so many bytes.
    pub(crate) fn within(&self, size: u64) -> ClResult<()> {
        ensure(self.end <= size, cl::CL_INVALID_VALUE)
    }

    /// The same box, seen from the start of memory in which this side's memory starts at an offset.
    pub(crate) fn shifted(mut self, offset: u64) -> Self {
        self.origin[0] += offset;
        self.first += offset;
        self.end += offset;
        self
    }
}

/// Returns whether two boxes of one size in one memory share a byte (§5.2.2, "Checking for Memory Copy Overlap"). With different pitches,
/// boxes whose spans overlap count as overlapping.
pub(crate) fn overlap(a: &Side, b: &Side, region: [usize; 3]) -> bool {
    if a.first >= b.end || b.first >= a.end {
        return false;
    }
    if a.row != b.row || a.slice != b.slice {
        return true;
    }
    // A shared byte means that the starts differ by fewer slices, rows and bytes than the box has, in one way of counting.
    let delta = i128::from(b.first) - i128::from(a.first);
    let (row, slice) = (i128::from(a.row), i128::from(a.slice));
    let [width, height, depth] = region.map(|v| v as i128);
    let slices = delta.div_euclid(slice);
    (slices - 1..=slices + 1).any(|z| {
        let rest = delta - z * slice;
        let rows = rest.div_euclid(row);
        (rows..=rows + 1).any(|y| {
            let bytes = rest - y * row;
            z.abs() < depth && y.abs() < height && bytes.abs() < width
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_pitches() {
        let s = side([1, 2, 3], [4, 5, 6], 10, 100).expect("side");
        assert_eq!((s.first, s.end), (321, 321 + 500 + 40 + 4));
        assert_eq!(side([0; 3], [4, 5, 6], 0, 0).map(|s| (s.row, s.slice, s.end)), Ok((4, 20, 120)));
        for (region, row, slice) in
            [([4, 5, 0], 0, 0), ([4, 5, 6], 3, 0), ([4, 5, 6], 4, 19), ([4, 5, 6], 4, 21)]
        {
            assert_eq!(side([0; 3], region, row, slice), Err(INVALID));
        }
        assert!(side([usize::MAX, 0, 0], [4, 1, 1], 0, 0).is_err());
        assert!(side([0, usize::MAX, 0], [4, 1, 1], 8, 0).is_err());
        assert!(s.within(s.end).is_ok() && s.within(s.end - 1).is_err());
    }

    /// Against counting bytes, for all places of small boxes.
    #[test]
    fn overlaps_are_exact() {
        let bytes = |s: &Side, [w, h, d]: [usize; 3]| {
            let mut out = std::collections::BTreeSet::new();
            for z in 0..d as u64 {
                for y in 0..h as u64 {
                    out.extend((0..w as u64).map(|x| s.first + z * s.slice + y * s.row + x));
                }
            }
            out
        };
        for (region, row, slice) in
            [([2, 2, 2], 5, 15), ([3, 2, 2], 3, 6), ([2, 3, 1], 4, 12), ([1, 1, 3], 2, 2)]
        {
            let base = side([1, 1, 1], region, row, slice).expect("side");
            let taken = bytes(&base, region);
            for at in 0..80 {
                let other = side([at, 0, 0], region, row, slice).expect("side");
                let expected = !taken.is_disjoint(&bytes(&other, region));
                assert_eq!(overlap(&base, &other, region), expected, "{region:?} {row} {slice} {at}");
                assert_eq!(overlap(&other, &base, region), expected, "{region:?} {row} {slice} {at}");
            }
        }
    }
}

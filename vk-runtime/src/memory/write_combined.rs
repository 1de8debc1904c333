//! Reads from the device's memory through the host's window to it.
//!
//! This memory is mapped uncached, write-combining: an ordinary load is a round trip over the bus that carries the load's own few
//! bytes, and loads wait for each other. A non-temporal load fetches a whole line, and several of them are on their way at once.

/// Copies from memory behind a window.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, size: usize, stream_loads: bool) {
    #[cfg(target_arch = "x86_64")]
    if stream_loads && size >= LINE && is_x86_feature_detected!("sse4.1") {
        // SAFETY: by the caller's promise; the processor has the instructions.
        unsafe { lines(from, to, size) };
        return;
    }
    let _ = stream_loads;
    // SAFETY: by the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(from, to, size) };
}

/// Bytes of a line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// The same by loads of whole lines; what does not fill lines at the ends is copied as usual.
///
/// # Safety
/// As for `copy`; SSE4.1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1")]
unsafe fn lines(from: *const u8, to: *mut u8, size: usize) {
    use std::arch::x86_64::{__m128i, _mm_mfence, _mm_storeu_si128, _mm_stream_load_si128};
    /// Lines that are on their way at once: as many as processors have buffers for, less a few.
    const AT_ONCE: usize = 4;
    let head = from.align_offset(LINE).min(size);
    // SAFETY: a part of the range.
    unsafe { std::ptr::copy_nonoverlapping(from, to, head) };
    // What was fetched before is not to be seen again.
    _mm_mfence();
    let mut at = head;
    while size - at >= LINE * AT_ONCE {
        // SAFETY: so many bytes are left of both ranges; `from + at` begins a line.
        unsafe {
            let source = from.add(at).cast::<__m128i>().cast_mut();
            let target = to.add(at).cast::<__m128i>();
            let loaded: [__m128i; LINE * AT_ONCE / 16] =
                std::array::from_fn(|i| _mm_stream_load_si128(source.add(i)));
            for (i, value) in loaded.into_iter().enumerate() {
                _mm_storeu_si128(target.add(i), value);
            }
        }
        at += LINE * AT_ONCE;
    }
    while size - at >= 16 {
        // SAFETY: 16 bytes are left of both ranges; `from + at` is aligned to them.
        unsafe {
            let value = _mm_stream_load_si128(from.add(at).cast::<__m128i>().cast_mut());
            _mm_storeu_si128(to.add(at).cast(), value);
        }
        at += 16;
    }
    // SAFETY: what is left.
    unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), size - at) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes() {
        let from: Vec<u8> = (0..2000).map(|i| (i * 7 + i / 251) as u8).collect();
        for (at, size) in [(0, 2000), (1, 1000), (63, 65), (64, 64), (5, 3), (17, 300), (30, 1023), (0, 0)] {
            let mut to = vec![0; size];
            // SAFETY: the ranges lie in the vectors.
            unsafe { copy(from[at..].as_ptr(), to.as_mut_ptr(), size, true) };
            assert!(to == from[at..at + size], "{size} bytes from {at}");
        }
    }
}

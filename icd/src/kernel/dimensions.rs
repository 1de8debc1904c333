//! The sizes that clEnqueueNDRangeKernel is given (§5.10).

use lower::Target;
use opencl_sys as cl;
use vk_runtime::NdRange;

use crate::abi::error::{ClResult, ensure};
use crate::program::executable::Form;

/// The sizes that a launch is given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dimensions {
    work_dim: u32,
    offset: [u64; 3],
    /// `None` for NULL.
    global: Option<[u64; 3]>,
    local: Option<[u64; 3]>,
}

impl Dimensions {
    /// One work-item (clEnqueueTask).
    pub(crate) const ONE: Dimensions =
        Dimensions { work_dim: 1, offset: [0; 3], global: Some([1; 3]), local: Some([1; 3]) };

    /// Returns whether the application gives the same.
    ///
    /// # Safety
    /// Each pointer is NULL or has `work_dim` elements.
    pub(crate) unsafe fn are(
        &self,
        work_dim: cl::cl_uint,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> bool {
        let same = |list: *const usize, known: Option<&[u64; 3]>| match known {
            // SAFETY: by the caller's promise; `work_dim`, which is compared first, is at most 3.
            Some(known) if !list.is_null() => (0..work_dim as usize)
                .zip(known)
                .all(|(d, known)| unsafe { list.add(d).read_unaligned() } as u64 == *known),
            Some(_) => false,
            None => list.is_null(),
        };
        self.work_dim == work_dim
            && same(global, self.global.as_ref())
            && same(local, self.local.as_ref())
            && match offset.is_null() {
                true => self.offset == [0; 3],
                false => same(offset, Some(&self.offset)),
            }
    }

    /// The sizes of a kernel that a kernel enqueued: offset, global and local size, of which the last are zeros where it is open.
    pub(crate) fn of_block(work_dim: u32, [offset, global, local]: [[u64; 3]; 3]) -> Self {
        let used = |sizes: [u64; 3], rest: u64| {
            std::array::from_fn(|d| if d < work_dim as usize { sizes[d] } else { rest })
        };
        let local = (local != [0; 3]).then(|| used(local, 1));
        Dimensions { work_dim, offset: used(offset, 0), global: Some(used(global, 1)), local }
    }

    /// Reads what the application gives.
    ///
    /// # Safety
    /// Each pointer is NULL or has `work_dim` elements.
    ///
    /// # Errors
    /// CL_INVALID_WORK_DIMENSION.
    pub(crate) unsafe fn read(
        work_dim: cl::cl_uint,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> ClResult<Self> {
        ensure((1..=3).contains(&work_dim), cl::CL_INVALID_WORK_DIMENSION)?;
        let read = |list: *const usize, rest: u64| {
            let mut out = [rest; 3];
            // SAFETY: by the caller's promise.
            let list = unsafe { crate::abi::ffi::slice(list, work_dim as usize) };
            for (place, value) in out.iter_mut().zip(list) {
                *place = *value as u64;
            }
            (!list.is_empty()).then_some(out)
        };
        let offset = read(offset, 0).unwrap_or([0; 3]);
        Ok(Dimensions { work_dim, offset, global: read(global, 1), local: read(local, 1) })
    }

    /// With what is given in place of what was there.
    ///
    /// # Safety
    /// Each pointer is NULL or has as many elements as there are dimensions.
    ///
    /// # Errors
    /// None.
    pub(crate) unsafe fn changed(
        &self,
        offset: *const usize,
        global: *const usize,
        local: *const usize,
    ) -> ClResult<Self> {
        // SAFETY: by the caller's promise.
        let given = unsafe { Dimensions::read(self.work_dim, offset, global, local) }?;
        let offset = if offset.is_null() { self.offset } else { given.offset };
        let (global, local) = (given.global.or(self.global), given.local.or(self.local));
        Ok(Dimensions { work_dim: self.work_dim, offset, global, local })
    }

    /// Returns how many dimensions there are.
    pub(crate) fn work_dim(&self) -> u32 {
        self.work_dim
    }

    /// Returns whether a work-group size is given.
    pub(crate) fn has_local(&self) -> bool {
        self.local.is_some()
    }

    /// Offset, global and local size, as they are given; zeros for NULL.
    pub(crate) fn given(&self) -> [Vec<usize>; 3] {
        [self.offset, self.global.unwrap_or_default(), self.local.unwrap_or_default()]
            .map(|sizes| sizes.iter().take(self.work_dim as usize).map(|n| *n as usize).collect())
    }

    /// Returns whether all work-groups have one size.
    pub(crate) fn is_uniform(&self) -> bool {
        let (Some(global), Some(local)) = (self.global, self.local) else { return true };
        global.iter().zip(&local).all(|(global, local)| *local == 0 || global.is_multiple_of(*local))
    }

    /// Returns where there is nothing to run: an index space that shows whether the work-group size is a possible one, if there
    /// is one: empty dimensions have one work-group.
    pub(crate) fn stand_in(&self, non_uniform: bool) -> Option<NdRange> {
        let local = self.local?;
        let global = self.global.unwrap_or([0; 3]);
        let fill = |d: usize| if global[d] == 0 { local[d].clamp(1, u64::from(u32::MAX)) } else { global[d] };
        Some(NdRange {
            work_dim: self.work_dim,
            global_offset: [0; 3],
            global_size: std::array::from_fn(fill),
            local_size: self.local,
            non_uniform,
            chosen: false,
        })
    }

    /// Returns whether some global id needs more than 32 bits.
    fn is_wide(&self) -> bool {
        let global = self.global.unwrap_or([1; 3]);
        (0..3).any(|d| self.offset[d].saturating_add(global[d]) > 1 << 32)
    }

    /// Returns what a launch asks of a kernel's code.
    pub(crate) fn form(&self, target: &Target) -> Form {
        Form {
            wide: self.is_wide() && target.address_bits() == 64,
            large: self.local.is_some_and(|local| target.needs_work_item_loops(&local)),
            ..Form::default()
        }
    }

    /// The same with this work-group size.
    pub(crate) fn with_local(&self, local: [u64; 3]) -> Self {
        Dimensions { local: Some(local), ..*self }
    }

    /// The index space; `None` where there is nothing to run.
    pub(crate) fn range(&self, non_uniform: bool) -> Option<NdRange> {
        let global_size = self.global.filter(|g| !g.contains(&0))?;
        Some(NdRange {
            work_dim: self.work_dim,
            global_offset: self.offset,
            global_size,
            local_size: self.local,
            non_uniform,
            chosen: false,
        })
    }
}

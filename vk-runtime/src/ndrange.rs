//! NDRanges: checks, the automatic work-group size, and the split into dispatches.
//!
//! All pure arithmetic. OpenCL API specification, "Executing Kernels" (clEnqueueNDRangeKernel).

/// The index space of one launch. Unused dimensions have size 1 and offset 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NdRange {
    /// The number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// What get_global_id starts from.
    pub global_offset: [u64; 3],
    /// The number of work-items in each dimension.
    pub global_size: [u64; 3],
    /// The work-group's size; `None` lets the runtime choose.
    pub local_size: Option<[u64; 3]>,
}

impl NdRange {
    /// One dimension, offset 0, work-group size chosen by the runtime.
    #[must_use]
    pub fn new_1d(x: u64) -> Self {
        NdRange { work_dim: 1, global_offset: [0; 3], global_size: [x, 1, 1], local_size: None }
    }

    /// From slices, as a command line or clEnqueueNDRangeKernel has them. `None` when the slices'
    /// lengths differ or are not 1 to 3; sizes are checked at the launch.
    #[must_use]
    pub fn from_slices(global: &[u64], local: Option<&[u64]>, offset: Option<&[u64]>) -> Option<Self> {
        let dims = global.len();
        let fits = |s: Option<&[u64]>| s.is_none_or(|s| s.len() == dims);
        if !(1..=3).contains(&dims) || !fits(local) || !fits(offset) {
            return None;
        }
        let pad = |s: &[u64], rest: u64| {
            let mut out = [rest; 3];
            for (o, v) in out.iter_mut().zip(s) {
                *o = *v;
            }
            out
        };
        Some(NdRange {
            work_dim: u32::try_from(dims).ok()?,
            global_offset: offset.map_or([0; 3], |o| pad(o, 0)),
            global_size: pad(global, 1),
            local_size: local.map(|l| pad(l, 1)),
        })
    }

    /// With this work-group size.
    #[must_use]
    pub fn with_local(mut self, local: [u64; 3]) -> Self {
        self.local_size = Some(local);
        self
    }

    /// With this global offset.
    #[must_use]
    pub fn with_offset(mut self, offset: [u64; 3]) -> Self {
        self.global_offset = offset;
        self
    }
}

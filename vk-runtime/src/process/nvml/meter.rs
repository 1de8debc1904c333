//! A meter that shows if a busy GPU executes anything: what its multiprocessors and its memory did between two looks (GPM; NVIDIA's GPUs from Hopper on).
//!
//! A kernel whose instructions fault stays on its multiprocessors, which count as busy. They execute a loop of the driver's that is all but nothing: on an
//! H200 (driver 580) up to 0.010 % of what they can do with integers, whatever part of the GPU has faulted. A right kernel that leaves no room for others does at least
//! 0.2 %: one that polls the host's memory and nothing else.

use super::{Device, Library};
use std::ffi::{c_int, c_uint, c_void};

/// The metrics by their numbers: integers, tensors, the memory's bandwidth, doubles, floats, halves, all as a part of 100.
const COMPUTES: [c_uint; 6] = [4, 5, 10, 11, 12, 13];
/// The bus in both directions, in MB/s.
const BUS: [c_uint; 2] = [20, 21];
/// Who does less of all of that computes nothing.
const NOTHING: f64 = 0.05;
/// Whose bus carries less waits for nothing there. Faulted kernels had 58 MB/s at most.
const QUIET: f64 = 500.0;
/// NVML_GPM_METRIC_MAX of driver 580 and some more.
const METRICS: usize = 400;

/// nvmlGpmMetric_t.
#[repr(C)]
#[derive(Clone, Copy)]
struct Metric {
    id: c_uint,
    result: c_int,
    value: f64,
    names: [*const c_void; 3],
}

/// nvmlGpmMetricsGet_t.
#[repr(C)]
struct Metrics {
    version: c_uint,
    count: c_uint,
    samples: [*mut c_void; 2],
    list: [Metric; METRICS],
}

type Alloc = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
type Free = unsafe extern "C" fn(*mut c_void) -> c_int;
type Take = unsafe extern "C" fn(Device, *mut c_void) -> c_int;
type Get = unsafe extern "C" fn(*mut Metrics) -> c_int;

/// Looks at what a GPU does.
pub struct Meter {
    take: Take,
    get: Get,
    free: Free,
    samples: [*mut c_void; 2],
    library: Library,
}

// SAFETY: the library's functions may be called by any thread; samples are this object's own.
unsafe impl Send for Meter {}

impl Meter {
    /// Opens the meter of the GPU at a PCI address; `None` if the library, the driver or the GPU has no such thing.
    #[must_use]
    pub fn open(pci: [u32; 4]) -> Option<Meter> {
        let library = Library::open(pci)?;
        // SAFETY: the functions have these types.
        let (alloc, free, take, get) = unsafe {
            (
                library.code.function::<Alloc>(c"nvmlGpmSampleAlloc")?,
                library.code.function::<Free>(c"nvmlGpmSampleFree")?,
                library.code.function::<Take>(c"nvmlGpmSampleGet")?,
                library.code.function::<Get>(c"nvmlGpmMetricsGet")?,
            )
        };
        let mut meter = Meter { take, get, free, samples: [std::ptr::null_mut(); 2], library };
        // SAFETY: places for handles.
        let made = meter.samples.iter_mut().all(|sample| unsafe { alloc(sample) } == 0);
        made.then_some(meter).filter(Meter::look)
    }

    /// Takes the first of two looks; whether that works.
    #[must_use]
    pub fn look(&self) -> bool {
        // SAFETY: a handle of the library and a sample that it made.
        unsafe { (self.take)(self.library.device, self.samples[0]) == 0 }
    }

    /// The number of other processes on the GPU; `None` if that is not known.
    #[must_use]
    pub fn others(&self) -> Option<u32> {
        self.library.others()
    }

    /// Returns whether the GPU has executed nothing since the first look; `None` if that is not known.
    #[must_use]
    pub fn did_nothing(&self) -> Option<bool> {
        // SAFETY: as above.
        if unsafe { (self.take)(self.library.device, self.samples[1]) } != 0 {
            return None;
        }
        let none = Metric { id: 0, result: 0, value: 0.0, names: [std::ptr::null(); 3] };
        let mut metrics = Box::new(Metrics {
            version: 1,
            count: (COMPUTES.len() + BUS.len()) as c_uint,
            samples: self.samples,
            list: [none; METRICS],
        });
        for (metric, id) in metrics.list.iter_mut().zip(COMPUTES.iter().chain(&BUS)) {
            metric.id = *id;
        }
        // SAFETY: the structure is of the version that it says, with two samples of the library.
        if unsafe { (self.get)(&raw mut *metrics) } != 0 {
            return None;
        }
        let list = &metrics.list[..COMPUTES.len() + BUS.len()];
        let values: Vec<f64> = list.iter().filter(|m| m.result == 0).map(|m| m.value).collect();
        nothing(&values)
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        for sample in self.samples.into_iter().filter(|sample| !sample.is_null()) {
            // SAFETY: the library made it; it is freed once.
            unsafe { (self.free)(sample) };
        }
    }
}

/// Returns what the values say, of which there must be all.
fn nothing(values: &[f64]) -> Option<bool> {
    let (computes, bus) = values.split_at_checked(COMPUTES.len())?;
    let known = bus.len() == BUS.len() && values.iter().all(|v| v.is_finite());
    known.then(|| computes.iter().all(|v| *v < NOTHING) && bus.iter().all(|v| *v < QUIET))
}

#[cfg(test)]
mod tests {
    use super::nothing;

    #[test]
    fn what_was_measured_is_distinguished() {
        // On an H200: a faulted work-group, a GPU full of them, a full one that polls the host's memory, one that computes.
        assert_eq!(nothing(&[0.0042, 0.0, 0.0004, 0.0, 0.0, 0.0, 7.6, 19.0]), Some(true));
        assert_eq!(nothing(&[0.0098, 0.0, 0.0003, 0.0, 0.0, 0.0, 30.8, 57.9]), Some(true));
        assert_eq!(nothing(&[0.2044, 0.0, 0.0004, 0.0, 0.0, 0.0, 0.7, 0.4]), Some(false));
        assert_eq!(nothing(&[100.0, 0.0, 0.0004, 0.0, 0.0, 0.0, 0.7, 0.4]), Some(false));
        assert_eq!(
            nothing(&[0.01, 0.0, 0.0004, 0.0, 0.0, 0.0, 0.7, 9000.0]),
            Some(false),
            "it reads the host's"
        );
        assert_eq!(nothing(&[0.01, 0.0, 0.0]), None);
        assert_eq!(nothing(&[0.01, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), None);
    }
}

//! Host work whose closures have OpenCL's error codes.

use scheduler::HostWork;

use crate::abi::error::ClResult;

/// See [`HostWork::light`].
pub(crate) fn light(run: impl FnOnce() -> ClResult<()> + Send + 'static) -> HostWork {
    HostWork::light(move || Ok(run()?))
}

/// See [`HostWork::heavy`].
pub(crate) fn heavy(run: impl FnOnce() -> ClResult<()> + Send + 'static) -> HostWork {
    HostWork::heavy(move || Ok(run()?))
}

/// See [`HostWork::moving`].
pub(crate) fn moving(size: u64, run: impl FnOnce() -> ClResult<()> + Send + 'static) -> HostWork {
    HostWork::moving(size, move || Ok(run()?))
}

/// See [`HostWork::heavy_where`].
pub(crate) fn heavy_where(
    heavy: impl Fn() -> bool + Send + 'static,
    run: impl FnOnce() -> ClResult<()> + Send + 'static,
) -> HostWork {
    HostWork::heavy_where(heavy, move || Ok(run()?))
}

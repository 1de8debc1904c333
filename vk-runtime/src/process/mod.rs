//! The process and its operating system: locks, files, threads, the end of the process, libraries of drivers.
//!
//! Nothing here knows of Vulkan's objects.
//!
//! | module | content |
//! |---|---|
//! | [`address_space`] | address ranges of the process: reserved, and memory that is mapped into them |
//! | [`clock`] | the host's clock |
//! | [`crash_guard`] | a driver's compiler that crashes ends a thread, not the process |
//! | [`event_listener`] | events of the runtime (pipelines made, waits, submissions) for a listener |
//! | [`files`] | folders and files that only the user can have written |
//! | [`idle_worker`] | a thread of low priority that does work for which nobody waits |
//! | [`library`] | shared libraries that are opened on demand |
//! | [`life`] | threads, children by fork, and the end of the process |
//! | [`nvml`] | NVIDIA's management library |
//! | [`os_handle`] | file descriptors and HANDLEs that are handed to a driver |
//! | [`parallel_copy`] | copies of host memory by several threads |
//! | `windows_exit` | the end of a process on Windows |

pub(crate) mod address_space;
pub(crate) mod clock;
#[cfg(all(target_os = "linux", target_env = "gnu", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) mod crash_guard;
pub mod event_listener;
pub mod files;
pub(crate) mod idle_worker;
pub mod library;
pub mod life;
pub mod nvml;
pub mod os_handle;
pub(crate) mod parallel_copy;
#[cfg(windows)]
mod windows_exit;

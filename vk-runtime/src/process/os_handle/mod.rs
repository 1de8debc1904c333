//! Handles of the operating system that are passed between APIs: file descriptors, and HANDLEs on Windows.
//!
//! Both files have the same items. A [`RawOsHandle`] is a number as an application gives it; the runtime duplicates what it keeps.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

//! Handles and the C ABI: all that the application's pointers, handles and callbacks need. It knows no OpenCL object.
//!
//! | module | what it is |
//! |---|---|
//! | [`error`] | OpenCL error codes, and the codes of other crates' errors |
//! | [`extensions`] | the extensions: names, versions, conditions, functions |
//! | [`ffi`] | the guard of every entry point, and reading what the application's pointers point to |
//! | [`flags`] | flags of memory objects and of maps |
//! | [`handle`] | handles: what the application holds; checked, counted, never dangling |
//! | [`loaded_files`] | the files loaded into this process, and this library's build ID |
//! | [`loader`] | the dispatch table and the data of the ICD loader |
//! | [`logging`] | where messages go |
//! | [`names`], [`versions`] | the names of functions, and their version nodes |
//! | [`param_value`] | values of clGet*Info queries |
//! | [`callbacks`] | functions of the application, and the one place that calls them |
//! | [`workers`] | threads for the host's heavy work and for callbacks |
//! | [`process`] | calls under way, and the state of the process |
//! | [`trace`] | `PUMICE_TRACE` |
//! | [`test_modes`] | what tests of this crate turn on |

pub(crate) mod callbacks;
pub(crate) mod error;
pub(crate) mod extensions;
pub(crate) mod ffi;
pub(crate) mod flags;
pub(crate) mod handle;
pub(crate) mod loaded_files;
pub(crate) mod loader;
pub(crate) mod logging;
pub(crate) mod names;
pub(crate) mod param_value;
pub(crate) mod process;
pub(crate) mod test_modes;
pub(crate) mod trace;
#[cfg(test)]
pub(crate) mod versions;
pub(crate) mod workers;

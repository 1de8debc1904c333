//! Tests of the exported functions that may share a process. Those that may not are programs of their own, beside this folder: they
//! count what the process has (`barriers`, `external`, `gl`, `leaks`, `loss`, `pipelines`, `stress`, `waiting`), decide for all of it what its devices
//! are (`images`, `larger`, `packed`, `shared_words`, `two_devices`), hear all its panics (`binaries`), or look at handles that nobody
//! made (`misuse`). `c_programs` and `process_life` are left out where a sanitizer is linked in (`scripts/sanitize`).

#[path = "../again/mod.rs"]
mod again;
#[path = "../bounded/mod.rs"]
mod bounded;
#[path = "../cl/mod.rs"]
mod cl;
#[path = "../common/mod.rs"]
mod common;
#[path = "../full/mod.rs"]
mod full;
#[path = "../open/mod.rs"]
mod open;
#[path = "../support/mod.rs"]
mod support;

mod apart;
mod blocking_free;
mod callbacks;
mod discovery;
mod ended_loops;
mod enqueue;
mod enqueue_beside;
mod events;
mod groups;
mod handed_on;
mod host_pointers;
mod il;
mod imported;
mod kept;
mod kernels;
mod memory;
mod mipmaps;
mod mirrors;
mod native_calls;
mod ordering;
mod pipes;
mod presented;
mod programs;
mod queues;
mod semaphores;
mod streams;
mod structures;
mod svm;
mod svm_atomics;
mod svm_coarse;
mod svm_full;
mod svm_structures;
mod trace;
mod trials;
mod usm;
mod with_images;
mod zeroed;

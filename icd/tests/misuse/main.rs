//! Misuse of the API: every entry point with bad handles, wrong sizes and wrong flags gives the code that the specification
//! names, and never a crash.
//!
//! | module | what it tries |
//! |---|---|
//! | [`handles`] | every handle parameter with everything that is no such handle |
//! | [`commands`] | every command's queue, buffer, wait list and event |
//! | [`objects`] | the rest of the lists of errors: platforms, devices, contexts, queues, programs, events |
//! | [`memory`] | the same: buffers, transfers, shared virtual memory |
//! | [`kernels`] | the same: kernels, arguments, launches |
//! | [`buffers`] | both of command buffers |
//! | [`external`] | both of memory of other APIs |
//! | [`usm`] | both of cl_intel_unified_shared_memory |
//! | [`absent`] | functions of features and extensions that are not there |
//! | [`queries`] | every query of the specification, with places that are too small |
//!
//! Before a parameter is spoilt, each row is called with all parameters right where that has no lasting effect: so it is that
//! parameter which is refused. Where several errors apply, the specification leaves open which is returned (footnote at
//! clGetPlatformInfo, §4.1): the calls here have one.
// Bad pointers and handles on purpose: what each call is given is the test's table.
#![allow(clippy::undocumented_unsafe_blocks)]

mod absent;
mod buffers;
mod commands;
mod external;
mod handles;
mod kernels;
mod memory;
mod objects;
mod queries;
mod usm;
mod world;

#[allow(dead_code)]
#[path = "../../src/abi/extensions.rs"]
mod extensions;
#[path = "../../src/abi/names.rs"]
mod names;
#[path = "../../src/abi/versions.rs"]
mod versions;

use world::{Verdict, World};

const GROUPS: [fn(&World, &mut Verdict); 24] = [
    handles::platforms_and_devices,
    handles::contexts,
    handles::memory_objects,
    handles::programs_and_kernels,
    handles::queues_and_events,
    commands::commands,
    objects::discovery,
    objects::contexts,
    objects::queues,
    objects::programs,
    objects::building,
    objects::events,
    memory::buffers,
    memory::transfers,
    memory::rectangles,
    memory::shared,
    kernels::arguments,
    kernels::launches,
    usm::handles,
    usm::errors,
    buffers::buffers,
    absent::absent,
    external::memory,
    external::semaphores,
];

/// All groups; then, that each function which is exported, in the loader's table or given by its name was called.
#[test]
fn misuse_gives_the_specified_code() {
    let Some(world) = World::new() else { return };
    let mut verdict = Verdict::default();
    for group in GROUPS {
        group(&world, &mut verdict);
    }
    queries::queries(&world, &mut verdict);
    let exported = versions::NODES.iter().flat_map(|(_, functions)| functions.iter());
    verdict.end(exported.chain(&names::NAMES).copied().chain(extensions::functions()));
}

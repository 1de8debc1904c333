//! Shared virtual memory of which there is none left, in the arena: it has an end that a test reaches.

use crate::{again, cl::Setup, full};

#[test]
fn a_callback_frees_memory_while_an_allocation_waits() {
    if std::env::var("PUMICE_SVM").as_deref() != Ok("arena") {
        println!("SKIP: not in the arena");
        return;
    }
    let Some(s) = Setup::new() else { return };
    full::a_callback_frees_memory_while_an_allocation_waits(s.context, s.queue);
}

#[test]
fn the_same_in_the_arena() {
    again::again_in_ways(module_path!(), &["arena"]);
}

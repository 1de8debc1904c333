//! Tests with two devices, lavapipe under two names. The environment of the process makes them: nothing else may run in it.

#[path = "../again/mod.rs"]
mod again;
#[path = "../bounded/mod.rs"]
mod bounded;
#[path = "../cl/mod.rs"]
mod cl;
#[path = "../full/mod.rs"]
mod full;
#[path = "../open/mod.rs"]
mod open;
#[path = "../two/mod.rs"]
mod two;

mod device_enqueue;
mod several_devices;
mod svm_several;

//! Instance, physical and logical device, and what is known of a driver.
//!
//! | module | content |
//! |---|---|
//! | [`fault_probe`] | small dispatches that show whether a device still executes work-groups |
//! | [`features`] | Vulkan's feature structures and `TargetFeatures`, in both directions |
//! | [`foreign`] | devices that an application made itself |
//! | [`functions`] | Vulkan functions that are core in a newer version or come by an extension |
//! | [`identity`] | UUIDs, PCI address and compute units of a physical device |
//! | [`instance`] | the Vulkan instance, its validation messages and its devices |
//! | [`logical`] | the logical device |
//! | [`loss`] | device loss: its messages, and the injected loss of tests |
//! | [`loss_watch`] | detection of a loss that timelines do not show |
//! | [`object_counts`] | test mode: counts of live Vulkan objects |
//! | [`options`] | options and test modes with which a device is made |
//! | [`physical`] | physical devices: names, limits, queue families |
//! | [`silent_loss`] | test mode: a loss that timelines do not show |
//! | [`tune`] | measured constants of the runtime |
//! | [`workarounds`] | workarounds of drivers that concern the runtime |

pub(crate) mod fault_probe;
pub(crate) mod features;
pub(crate) mod foreign;
pub(crate) mod functions;
pub(crate) mod identity;
pub(crate) mod instance;
pub(crate) mod logical;
pub(crate) mod loss;
pub(crate) mod loss_watch;
pub(crate) mod object_counts;
pub(crate) mod options;
pub(crate) mod physical;
pub(crate) mod silent_loss;
pub(crate) mod tune;
pub(crate) mod workarounds;

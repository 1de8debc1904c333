//! Instance, physical and logical device, and what is known of a driver.
//!
//! | module | content |
//! |---|---|
//! | [`device_time`] | moments on a device, in host time |
//! | [`driver_files`] | files that tell Vulkan's loader of drivers, as variables name them |
//! | [`external`] | memory and semaphores that a device shares with other APIs |
//! | [`features`] | Vulkan's feature structures and `TargetFeatures`, in both directions |
//! | [`foreign`] | devices that an application made itself |
//! | [`functions`] | Vulkan functions that are core in a newer version or come by an extension |
//! | [`image_desc`] | descriptions of images |
//! | [`handle_calls`] | functions for handles of the operating system: descriptors, or HANDLEs |
//! | [`identity`] | UUIDs, PCI address and compute units of a physical device |
//! | [`instance`] | the Vulkan instance, its validation messages and its devices |
//! | [`limits`] | limits of Vulkan commands |
//! | [`logical`] | the logical device |
//! | [`loss`] | device loss: its messages, and the injected loss of tests |
//! | [`object_counts`] | test mode: counts of live Vulkan objects |
//! | [`options`] | options and test modes with which a device is made |
//! | [`physical`] | physical devices: names, limits, queue families |
//! | [`retained`] | objects that batches of commands keep alive |
//! | [`services`] | parts of a device that belong to higher layers |
//! | [`silent_loss`] | test mode: a loss that timelines do not show |
//! | [`tune`] | measured constants of the runtime |
//! | [`workarounds`] | workarounds of drivers that concern the runtime |

pub(crate) mod device_time;
pub(crate) mod driver_files;
pub(crate) mod external;
pub(crate) mod features;
pub(crate) mod foreign;
pub(crate) mod functions;
pub(crate) mod handle_calls;
pub(crate) mod identity;
pub(crate) mod image_desc;
pub(crate) mod instance;
pub(crate) mod limits;
pub(crate) mod logical;
pub(crate) mod loss;
pub(crate) mod object_counts;
pub(crate) mod options;
pub(crate) mod physical;
pub(crate) mod retained;
pub(crate) mod services;
pub(crate) mod silent_loss;
pub(crate) mod tune;
pub(crate) mod workarounds;

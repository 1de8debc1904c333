//! Device memory and buffers.
//!
//! | module | content |
//! |---|---|
//! | [`allocator`] | device memory: suballocated, or dedicated for the very large |
//! | [`budget`] | VK_EXT_memory_budget |
//! | [`buffer`] | buffers, and the storage under them |
//! | [`external`] | memory of other APIs as buffers (VK_KHR_external_memory_fd, VK_KHR_external_memory_win32) |
//! | [`host_access`] | the table of ways by which bytes go between the host and a buffer |
//! | [`import`] | host memory as a buffer (VK_EXT_external_memory_host) |
//! | [`packed_addresses`] | 32-bit addresses of buffers on devices without buffer device addresses |
//! | [`packed_blocks`] | large blocks that many buffers share, for the packed binding model |
//! | [`shadow_mapping`] | test mode: a copy in place of a mapping |
//! | [`storage_pool`] | storage of released buffers and images, kept for the next |
//! | [`svm`] | memory that has the same pointers on the host and in kernels |
//! | [`svm_host_copy`] | the host's own memory at the addresses of a device's |
//! | [`texel_views`] | texel buffer views of buffers |
//! | [`write_combined`] | reads of write-combining memory by non-temporal loads |

pub(crate) mod allocator;
pub(crate) mod budget;
pub(crate) mod buffer;
pub(crate) mod external;
pub(crate) mod host_access;
pub(crate) mod import;
pub(crate) mod packed_addresses;
pub(crate) mod packed_blocks;
pub(crate) mod shadow_mapping;
pub(crate) mod storage_pool;
pub(crate) mod svm;
pub(crate) mod svm_host_copy;
pub(crate) mod texel_views;
pub(crate) mod write_combined;

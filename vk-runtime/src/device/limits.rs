//! Limits of Vulkan commands that no device changes.

/// vkCmdUpdateBuffer's limit.
pub(crate) const UPDATE: u64 = 65536;

//! Transfers: reads, writes, copies and fills of buffers and images.
//!
//! | module | content |
//! |---|---|
//! | [`buffer`] | reads, writes, copies and fills of buffers |
//! | [`chunks`] | large amounts of host data, chunk by chunk and by several threads |
//! | [`completion_word`] | copies that write a word into host memory when they are done |
//! | [`fill_by_copies`] | fills by copies, on devices that are CPUs |
//! | [`host_bridge`] | copies between devices, through host memory |
//! | [`image`] | reads, writes, copies and fills of images |
//! | [`image_rows`] | copies between images and rows of buffers |
//! | [`kernel_copies`] | large copies and fills by kernels |
//! | [`ownership`] | memory that other APIs own in turns |
//! | [`pending_read`] | reads that are under way |
//! | [`rect`] | boxes of bytes |
//! | [`staging`] | staging memory that a caller borrows |
//! | [`texel_kernels`] | copies between buffers and images by kernels |
//! | [`widened_image`] | transfers of widened images |

pub(crate) mod buffer;
pub(crate) mod chunks;
pub(crate) mod completion_word;
pub(crate) mod fill_by_copies;
pub(crate) mod host_bridge;
pub(crate) mod image;
pub(crate) mod image_rows;
pub(crate) mod kernel_copies;
pub(crate) mod ownership;
pub(crate) mod pending_read;
pub(crate) mod rect;
pub(crate) mod staging;
pub(crate) mod texel_kernels;
pub(crate) mod widened_image;

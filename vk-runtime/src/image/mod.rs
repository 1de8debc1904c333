//! Images and samplers.
//!
//! | module | content |
//! |---|---|
//! | [`clear_color`] | the clear colour that gives all texels certain bytes |
//! | [`resource_use`] | buffers and images as commands use them |
//! | [`resource`] | Vulkan images, their views, texel buffer views, and samplers |
//! | [`sampler`] | samplers |
//! | [`widened_texels`] | images with small texels on devices without storage images of them |

pub(crate) mod clear_color;
pub(crate) mod resource;
pub(crate) mod resource_use;
pub(crate) mod sampler;
pub(crate) mod widened_texels;

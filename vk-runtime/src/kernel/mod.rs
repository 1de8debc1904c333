//! Programs, kernels, their pipelines and arguments.
//!
//! | module | content |
//! |---|---|
//! | [`arguments`] | arguments: checked, and written into the argument block |
//! | [`descriptor_counts`] | descriptors counted by their kinds |
//! | [`executable`] | statistics of the driver's compiler (VK_KHR_pipeline_executable_properties) |
//! | [`helpers`] | the GLSL helper kernels of `shaders` |
//! | [`image_bindings`] | images and samplers as arguments: the views that a launch binds |
//! | [`ndrange`] | NDRanges: checks, the automatic work-group size, the split into dispatches |
//! | [`noalias`] | whether the arguments of a launch may alias |
//! | [`packed_bindings`] | the blocks that a launch of the packed model binds |
//! | [`pipeline_cache`] | the VkPipelineCache and its file |
//! | [`pipeline_choice`] | the pipeline of a launch: its own, or another one that serves it while its own is made in the background |
//! | [`program`] | programs and kernels: modules, layouts, program data, pipelines |
//! | [`sequence_word`] | the word that sequentially consistent operations increment |
//! | [`speed`] | measured speeds of kernels |
//! | [`work_group_sizes`] | the work-group sizes that the runtime chooses |

pub(crate) mod arguments;
pub(crate) mod descriptor_counts;
pub mod executable;
pub(crate) mod helpers;
pub(crate) mod image_bindings;
pub mod ndrange;
pub(crate) mod noalias;
pub(crate) mod packed_bindings;
pub(crate) mod pipeline_cache;
pub(crate) mod pipeline_choice;
pub(crate) mod program;
pub(crate) mod records;
pub(crate) mod sequence_word;
pub(crate) mod speed;
pub(crate) mod work_group_sizes;

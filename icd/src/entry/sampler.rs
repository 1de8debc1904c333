//! Samplers (OpenCL API §5.7).

use std::ffi::c_void;

use opencl_sys as cl;
use opencl_sys::cl_icd::cl_icd_dispatch;

use crate::abi::{ffi, handle};
use crate::entry::functions::{Function, functions};
use crate::entry::guard::entry;
use crate::memory::sampler::{Levels, Mode, Sampler};

/// The functions of extensions, which have no place in the table of the ICD loader.
pub(crate) const EXTENSION_FUNCTIONS: &[Function] = functions![];

pub(crate) fn fill(table: &mut cl_icd_dispatch) {
    table.clCreateSampler = Some(clCreateSampler);
    table.clCreateSamplerWithProperties = Some(clCreateSamplerWithProperties);
    table.clRetainSampler = Some(clRetainSampler);
    table.clReleaseSampler = Some(clReleaseSampler);
    table.clGetSamplerInfo = Some(clGetSamplerInfo);
}

/// Makes a sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSampler(
    context: cl::cl_context,
    normalized_coords: cl::cl_bool,
    addressing: cl::cl_addressing_mode,
    filter: cl::cl_filter_mode,
    error: *mut cl::cl_int,
) -> cl::cl_sampler {
    entry!(clCreateSampler, error, {
        let context = handle::get(context)?;
        let (normalized, levels) = (normalized_coords != 0, Levels::DEFAULT);
        Sampler::create(context, Mode { normalized, addressing, filter, levels })
    })
}

/// Makes a sampler with properties.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: cl::cl_context,
    properties: *const cl::cl_sampler_properties,
    error: *mut cl::cl_int,
) -> cl::cl_sampler {
    entry!(clCreateSamplerWithProperties, error, {
        let context = handle::get(context)?;
        Sampler::with_properties(context, ffi::properties(properties))
    })
}

/// One more reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clRetainSampler(sampler: cl::cl_sampler) -> cl::cl_int {
    entry!(clRetainSampler, handle::retain::<Sampler>(sampler))
}

/// One reference less.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clReleaseSampler(sampler: cl::cl_sampler) -> cl::cl_int {
    entry!(clReleaseSampler, handle::release::<Sampler>(sampler).map(drop))
}

/// Answers a query about a sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetSamplerInfo(
    sampler: cl::cl_sampler,
    param: cl::cl_sampler_info,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl::cl_int {
    entry!(clGetSamplerInfo, {
        let reply = handle::get::<Sampler>(sampler)?.info(param)?;
        reply.give(size, value, size_ret)
    })
}

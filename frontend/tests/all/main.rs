//! The front end as its callers see it.

mod address_spaces;
mod contraction;
mod corpus;
mod device_features;
mod diagnostics;
mod dialect;
mod ids;
mod long_chains;
mod opencl_c_h;

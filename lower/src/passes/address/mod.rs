//! Address lowering: pointers become offsets into buffers or device addresses, by the binding model of each kernel.

pub mod lower_addresses;

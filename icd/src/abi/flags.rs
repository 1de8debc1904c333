//! The flags of memory objects and maps, and which of them go together (OpenCL API §5.2.1, tables of memory flags and map flags).

use opencl_sys as cl;

use crate::abi::error::{ClError, ClResult, ensure};

/// How kernels use an object.
const KERNEL: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY;
/// The place of its memory.
const PLACE: cl::cl_mem_flags =
    cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR;
/// Host memory, whatever a device prefers for a buffer (cl_intel_mem_force_host_memory).
const FORCED: cl::cl_mem_flags = cl::CL_MEM_FORCE_HOST_MEMORY_INTEL;
/// How the host uses it.
const HOST: cl::cl_mem_flags =
    cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS;

/// The contents never change after the object was made (cl_ext_immutable_memory_objects).
pub(crate) const CL_MEM_IMMUTABLE_EXT: cl::cl_mem_flags = 1 << 6;
/// What an object that never changes is not for.
const CHANGES: cl::cl_mem_flags = cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_HOST_WRITE_ONLY;

/// The property that names the devices of external memory, each followed by the next, up to [`CL_MEM_DEVICE_HANDLE_LIST_END_KHR`].
pub(crate) const CL_MEM_DEVICE_HANDLE_LIST_KHR: cl::cl_mem_properties = 0x2051;
/// The end of such a list.
pub(crate) const CL_MEM_DEVICE_HANDLE_LIST_END_KHR: cl::cl_mem_properties = 0;

fn at_most_one(flags: u64, group: u64) -> bool {
    (flags & group).count_ones() <= 1
}

/// Checks a new object's flags: only known ones, no two that exclude each other.
///
/// # Errors
/// CL_INVALID_VALUE.
pub(crate) fn check_new(flags: cl::cl_mem_flags) -> ClResult<()> {
    let place = !has(flags, cl::CL_MEM_USE_HOST_PTR)
        || !has(flags, cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR);
    let valid = flags & !(KERNEL | PLACE | HOST | CL_MEM_IMMUTABLE_EXT) == 0
        && (!has(flags, CL_MEM_IMMUTABLE_EXT) || !has(flags, CHANGES))
        && at_most_one(flags, KERNEL)
        && at_most_one(flags, HOST)
        && place;
    ensure(valid, cl::CL_INVALID_VALUE)
}

/// Checks that a new object which never changes has contents: the host's, or those that `others` says it has.
///
/// # Errors
/// CL_INVALID_VALUE (§5.2.1, §5.3.1).
pub(crate) fn check_contents(flags: cl::cl_mem_flags, others: bool) -> ClResult<()> {
    let hosts = has(flags, cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR);
    ensure(!has(flags, CL_MEM_IMMUTABLE_EXT) || hosts || others, cl::CL_INVALID_VALUE)
}

/// Checks a new buffer's flags: those that all memory objects may have, and [`FORCED`].
///
/// # Errors
/// CL_INVALID_VALUE.
pub(crate) fn check_new_buffer(flags: cl::cl_mem_flags) -> ClResult<()> {
    check_new(flags & !FORCED)
}

/// A sub-buffer's flags: its own and what it inherits (clCreateSubBuffer).
///
/// # Errors
/// CL_INVALID_VALUE for flags that contradict each other or the buffer's.
pub(crate) fn of_sub_buffer(parent: cl::cl_mem_flags, flags: cl::cl_mem_flags) -> ClResult<cl::cl_mem_flags> {
    check_new(flags)?;
    let excluded = match parent & KERNEL {
        cl::CL_MEM_WRITE_ONLY => cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY,
        cl::CL_MEM_READ_ONLY => cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY,
        _ => 0,
    } | match parent & HOST {
        cl::CL_MEM_HOST_WRITE_ONLY => cl::CL_MEM_HOST_READ_ONLY,
        cl::CL_MEM_HOST_READ_ONLY => cl::CL_MEM_HOST_WRITE_ONLY,
        cl::CL_MEM_HOST_NO_ACCESS => cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY,
        _ => 0,
    } | match has(parent, CL_MEM_IMMUTABLE_EXT) {
        true => CHANGES,
        false => 0,
    } | PLACE;
    ensure(!has(flags, excluded), cl::CL_INVALID_VALUE)?;
    let kernel = if has(flags, KERNEL | CL_MEM_IMMUTABLE_EXT) { flags & KERNEL } else { parent & KERNEL };
    // A part of what never changes never does.
    let immutable = (flags | parent) & CL_MEM_IMMUTABLE_EXT;
    let host = if has(flags, HOST) { flags & HOST } else { parent & HOST };
    Ok(kernel | host | immutable | (parent & (PLACE | FORCED)))
}

/// Returns whether one of some flags is set.
pub(crate) fn has(flags: u64, any: u64) -> bool {
    flags & any != 0
}

/// Checks that the host may read an object (§5.2.2).
///
/// # Errors
/// CL_INVALID_OPERATION.
pub(crate) fn host_reads(flags: cl::cl_mem_flags) -> ClResult<()> {
    ensure(!has(flags, cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS), cl::CL_INVALID_OPERATION)
}

/// Checks that the host may write an object (§5.2.2).
///
/// # Errors
/// CL_INVALID_OPERATION.
pub(crate) fn host_writes(flags: cl::cl_mem_flags) -> ClResult<()> {
    ensure(!has(flags, cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS), cl::CL_INVALID_OPERATION)?;
    commands_write(flags)
}

/// Checks that copies and fills may write an object (§5.2.2, §5.3.3).
///
/// # Errors
/// CL_INVALID_OPERATION for one that never changes.
pub(crate) fn commands_write(flags: cl::cl_mem_flags) -> ClResult<()> {
    ensure(!has(flags, CL_MEM_IMMUTABLE_EXT), cl::CL_INVALID_OPERATION)
}

/// The purpose of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapFor {
    Read,
    Write,
    /// To be overwritten: its old contents are of no use.
    Overwrite,
}

impl MapFor {
    /// Map flags' meaning.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for unknown flags and for those that exclude each other. No flags at all map for reading: other implementations
    /// take it so, and programs rely on that.
    pub(crate) fn new(flags: cl::cl_map_flags) -> ClResult<Self> {
        const READ_WRITE: cl::cl_map_flags = cl::CL_MAP_READ | cl::CL_MAP_WRITE;
        match flags {
            0 | cl::CL_MAP_READ => Ok(MapFor::Read),
            cl::CL_MAP_WRITE | READ_WRITE => Ok(MapFor::Write),
            cl::CL_MAP_WRITE_INVALIDATE_REGION => Ok(MapFor::Overwrite),
            _ => Err(ClError(cl::CL_INVALID_VALUE)),
        }
    }

    pub(crate) fn writes(self) -> bool {
        self != MapFor::Read
    }

    /// Checks an object's host access (§5.2.4).
    ///
    /// # Errors
    /// CL_INVALID_OPERATION.
    pub(crate) fn check_access(flags: cl::cl_mem_flags, map: cl::cl_map_flags) -> ClResult<()> {
        if has(map, cl::CL_MAP_READ) {
            host_reads(flags)?;
        }
        if has(map, cl::CL_MAP_WRITE | cl::CL_MAP_WRITE_INVALIDATE_REGION) {
            host_writes(flags)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_exclude_each_other() {
        assert!(check_new(0).is_ok());
        assert!(
            check_new(cl::CL_MEM_READ_WRITE | cl::CL_MEM_ALLOC_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR).is_ok()
        );
        assert!(check_new_buffer(FORCED | cl::CL_MEM_ALLOC_HOST_PTR).is_ok());
        assert!(check_new_buffer(FORCED | 1 << 40).is_err());
        for bad in [
            cl::CL_MEM_READ_WRITE | cl::CL_MEM_READ_ONLY,
            cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY,
            cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_ALLOC_HOST_PTR,
            cl::CL_MEM_USE_HOST_PTR | cl::CL_MEM_COPY_HOST_PTR,
            cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS,
            cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_WRITE_ONLY,
            cl::CL_MEM_KERNEL_READ_AND_WRITE,
            FORCED,
            1 << 40,
        ] {
            assert_eq!(check_new(bad), Err(ClError(cl::CL_INVALID_VALUE)), "{bad:#x}");
        }
    }

    #[test]
    fn a_sub_buffer_inherits() {
        let parent = cl::CL_MEM_READ_ONLY | cl::CL_MEM_COPY_HOST_PTR | cl::CL_MEM_HOST_WRITE_ONLY;
        assert_eq!(of_sub_buffer(parent, 0), Ok(parent));
        assert_eq!(of_sub_buffer(parent | FORCED, 0), Ok(parent | FORCED));
        assert!(of_sub_buffer(parent | FORCED, FORCED).is_err());
        assert!(of_sub_buffer(parent, cl::CL_MEM_READ_WRITE).is_err());
        assert!(of_sub_buffer(parent, cl::CL_MEM_HOST_READ_ONLY).is_err());
        assert!(of_sub_buffer(parent, cl::CL_MEM_ALLOC_HOST_PTR).is_err());
        assert_eq!(
            of_sub_buffer(cl::CL_MEM_READ_WRITE, cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS),
            Ok(cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS)
        );
        assert!(of_sub_buffer(cl::CL_MEM_HOST_NO_ACCESS, cl::CL_MEM_HOST_READ_ONLY).is_err());
    }
}

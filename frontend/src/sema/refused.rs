//! What OpenCL C 2.0 added that no Vulkan device can do, refused by the feature's name where the device lacks it:
//! pipes (§6.3.3, §6.15.18) and device-side enqueue with its blocks, queues and events (§6.14, §6.15.19).

use super::context::Sema;
use crate::options::{Features, Options};
use crate::source::Span;

/// A feature of the language that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Pipes,
    DeviceEnqueue,
}

impl Refused {
    /// The feature as people and as `__opencl_c_*` macros call it.
    fn name(self) -> &'static str {
        match self {
            Refused::Pipes => "pipes (__opencl_c_pipes)",
            Refused::DeviceEnqueue => "device-side enqueue (__opencl_c_device_enqueue)",
        }
    }

    /// Returns whether the device has it.
    pub(super) fn is_there(self, options: &Options) -> bool {
        options.has(match self {
            Refused::Pipes => Features::PIPES,
            Refused::DeviceEnqueue => Features::DEVICE_ENQUEUE,
        })
    }

    /// The feature that a type belongs to.
    pub(super) fn of_type(name: &str) -> Option<Refused> {
        match name {
            "reserve_id_t" | "pipe" => Some(Refused::Pipes),
            "queue_t" | "ndrange_t" | "clk_event_t" | "clk_profiling_info" | "kernel_enqueue_flags_t" => {
                Some(Refused::DeviceEnqueue)
            }
            _ => None,
        }
    }

    /// The feature that a predefined constant belongs to.
    pub(super) fn of_constant(name: &str) -> Option<Refused> {
        match name {
            "CLK_NULL_RESERVE_ID" => Some(Refused::Pipes),
            "CLK_NULL_EVENT" | "CLK_NULL_QUEUE" | "CLK_ENQUEUE_FAILURE" => Some(Refused::DeviceEnqueue),
            _ if name.starts_with("CLK_ENQUEUE_FLAGS_") => Some(Refused::DeviceEnqueue),
            _ => None,
        }
    }

    /// The feature that a function belongs to.
    pub(super) fn of_function(name: &str) -> Option<Refused> {
        const PIPES: [&str; 19] = [
            "read_pipe",
            "write_pipe",
            "reserve_read_pipe",
            "reserve_write_pipe",
            "commit_read_pipe",
            "commit_write_pipe",
            "is_valid_reserve_id",
            "get_pipe_num_packets",
            "get_pipe_max_packets",
            "work_group_reserve_read_pipe",
            "work_group_reserve_write_pipe",
            "work_group_commit_read_pipe",
            "work_group_commit_write_pipe",
            "sub_group_reserve_read_pipe",
            "sub_group_reserve_write_pipe",
            "sub_group_commit_read_pipe",
            "sub_group_commit_write_pipe",
            "get_pipe_num_packets_ro",
            "get_pipe_num_packets_wo",
        ];
        const ENQUEUE: [&str; 17] = [
            "enqueue_kernel",
            "enqueue_marker",
            "get_kernel_work_group_size",
            "get_kernel_preferred_work_group_size_multiple",
            "get_kernel_max_sub_group_size_for_ndrange",
            "get_kernel_sub_group_count_for_ndrange",
            "retain_event",
            "release_event",
            "create_user_event",
            "is_valid_event",
            "set_user_event_status",
            "capture_event_profiling_info",
            "get_default_queue",
            "ndrange_1D",
            "ndrange_2D",
            "ndrange_3D",
            "get_kernel_local_size_for_sub_group_count",
        ];
        match name {
            _ if PIPES.contains(&name) => Some(Refused::Pipes),
            _ if ENQUEUE.contains(&name) => Some(Refused::DeviceEnqueue),
            _ => None,
        }
    }
}

impl Sema<'_> {
    /// Reports the use of a feature that is not there.
    pub(super) fn refuse(&mut self, what: &str, feature: Refused, span: Span) {
        let message = format!("{what} needs {}, which is not supported", feature.name());
        self.error("unsupported-feature", span, message);
    }
}

//! Vulkan through ash: devices, Targets, memory, pipelines, queues.

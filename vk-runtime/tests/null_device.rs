//! Pipelines on RADV's null device: AMD's real compiler, no hardware. Each chip in a process of its own, since
//! the environment chooses it.

use std::process::Command;

use lower::kernel_info::*;
use lower::{KernelInfo, Lowered};
use pumice_vk_runtime::*;

const ICD: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

#[test]
fn radv_compiles_for_three_generations() {
    if !std::path::Path::new(ICD).exists() {
        println!("SKIP: no RADV");
        return;
    }
    for chip in ["polaris10", "navi21", "gfx1100"] {
        let output = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "child", "--ignored", "--nocapture"])
            .env("RADV_FORCE_FAMILY", chip)
            .env("VK_DRIVER_FILES", ICD)
            .env("VK_ICD_FILENAMES", ICD)
            .env("PUMICE_TEST_CHILD", "1")
            .output()
            .expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("compiled on"),
            "{chip}: {} {text} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// What the child process runs.
#[test]
#[ignore = "run by radv_compiles_for_three_generations"]
fn child() {
    if std::env::var_os("PUMICE_TEST_CHILD").is_none() {
        return;
    }
    let instance = Instance::new(&InstanceOptions::default()).expect("instance");
    let physical = instance.select(None).expect("device");
    let device = Device::new(&physical, None).expect("device");
    let spirv = include_bytes!("glsl/saxpy.spv");
    let buffer = |binding| ArgInfo {
        name: String::new(),
        type_name: String::new(),
        type_qualifiers: Vec::new(),
        kind: ArgKind::Buffer { constant: false, written: true, read: true, binding: Some(binding) },
    };
    let descriptor = |binding| DescriptorInfo {
        binding,
        kind: DescriptorKind::StorageBuffer,
        source: DescriptorSource::Argument(binding),
    };
    let info = KernelInfo {
        name: "main".into(),
        binding_model: BindingModel::Descriptor,
        args: vec![buffer(0), buffer(1)],
        block: ArgumentBlock { size: 12, location: BlockLocation::PushConstants, members: Vec::new() },
        descriptors: vec![descriptor(0), descriptor(1)],
        samplers: Vec::new(),
        reqd_work_group_size: None,
        work_group_size_hint: None,
        required_sub_groups: None,
        required_sub_group_size: None,
        // Their size is required where the device has several.
        has_sub_groups: true,
        wide: false,
        noalias: false,
        aligned: false,
        specialised: Vec::new(),
        work_group_size_ids: Some([0, 1, 2]),
        crossing_id: None,
        contents_ids: Vec::new(),
        emulated: Vec::new(),
        windows: None,
        local_memory_size: 0,
        private_memory_size: 0,
        work_item_loops: None,
        has_barrier: false,
        sees_work_groups: true,
        watches_loops: false,
        resumes: None,
        saved_local: None,
        iterations: None,
        batch: None,
        printf: Default::default(),
    };
    let lowered = Lowered {
        spirv: spirv.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect(),
        kernels: vec![info],
        program_data: ProgramData {
            constants: DataBlock { bytes: vec![1; 64], align: 16, relocations: Vec::new() },
            globals: DataBlock::default(),
        },
        warnings: Vec::new(),
    };
    let program = device.create_program(&lowered).expect("program");
    let kernel = program.kernel("main").expect("kernel");
    kernel.compile([64, 1, 1], &[]).expect("pipeline");
    // The last sub-group is not full.
    kernel.compile([48, 1, 1], &[]).expect("pipeline");
    println!("compiled on {}", physical.name());
}

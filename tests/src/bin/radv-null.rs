//! Creates a pipeline for every kernel of the named files on the first Vulkan device, in both binding models, and
//! launches nothing: for RADV's null device (`RADV_FORCE_FAMILY`), a GPU compiler without a GPU.

use frontend::options::Options;
use lower::kernel_info::ArgKind;
use lower::{BindingChoice, BindingModel, LowerOptions};
use std::error::Error;
use std::path::Path;
use vk_runtime::{Device, Instance, InstanceOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let instance = Instance::new(&InstanceOptions::default())?;
    let physical = instance.devices()?.into_iter().next().ok_or("no device")?;
    let device = Device::new(&physical, None)?;
    let mut pipelines = 0;
    for file in std::env::args().skip(1) {
        pipelines += create(&device, Path::new(&file)).map_err(|e| format!("{file}: {e}"))?;
    }
    println!("{pipelines} pipelines on {}", physical.name());
    Ok(())
}

fn create(device: &Device, file: &Path) -> Result<usize, Box<dyn Error>> {
    let mut options = Options::default();
    host::target::apply(device.target(), &mut options);
    options.parse_build_options("-DT=short")?;
    let compiled = frontend::compile("kernel.cl", &std::fs::read_to_string(file)?, &options);
    let module = compiled.spirv.ok_or("does not compile")?;
    let mut pipelines = 0;
    for model in [BindingModel::Descriptor, BindingModel::Address] {
        let options = LowerOptions { binding: BindingChoice::Fixed(model), ..LowerOptions::default() };
        let program = device.create_program(&lower::lower(&module, device.target(), &options)?)?;
        let names: Vec<String> = program.kernel_names().map(str::to_owned).collect();
        for name in names {
            let kernel = program.kernel(&name)?;
            let locals =
                kernel.info().args.iter().filter(|a| matches!(a.kind, ArgKind::Local { .. })).count();
            kernel
                .compile([64, 1, 1], &vec![1024; locals])
                .map_err(|e| format!("{name} ({model:?}): {e}"))?;
            pipelines += 1;
        }
    }
    Ok(pipelines)
}

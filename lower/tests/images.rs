//! Every overload of every image function, lowered for several devices, judged by SPIRV-Tools where the machine has it.

use frontend::builtins::catalog::{Overload, overloads};
use frontend::options::{Features, LangVersion, Options};
use pumice_lower::kernel_info::{
    ArgKind, BlockSource, DescriptorKind, ImageViewKind, SamplerSource, TexelClass,
};
use pumice_lower::{Driver, KernelInfo, LowerError, LowerOptions, Lowered, Quirks, Target};
use spirv_io::spirv::Op;
use std::process::Command;

/// A device with images.
fn device(vulkan: (u32, u32), memory_model: bool) -> Target {
    let mut target = Target::minimum();
    target.api_version = vulkan;
    let f = &mut target.features;
    for flag in [
        &mut f.shader_int64,
        &mut f.shader_int16,
        &mut f.shader_float16,
        &mut f.storage_buffer_16bit_access,
        &mut f.shader_storage_image_read_without_format,
        &mut f.shader_storage_image_write_without_format,
    ] {
        *flag = true;
    }
    f.vulkan_memory_model = memory_model;
    // Levels are written by a view each.
    target.limits.max_per_stage_descriptor_storage_images = 64;
    target
}

/// The same with what blocks of images ask for.
fn with_sub_groups(mut target: Target) -> Target {
    target.features.subgroup_operations = u32::MAX;
    target.features.shader_storage_image_extended_formats = true;
    target.limits.subgroup_size = 32;
    target
}

fn options() -> Options {
    Options { std: LangVersion::Cl3_0, device_version: 310, features: Features::all(), ..Options::default() }
}

fn spirv(text: &str) -> Vec<u32> {
    let compiled = frontend::compile("images.cl", text, &options());
    let style = frontend::diag::Style::Line;
    let log = frontend::diag::render(&compiled.diagnostics, &compiled.sources, style);
    compiled.spirv.unwrap_or_else(|| panic!("{log}\n{text}"))
}

fn lowered(text: &str, target: &Target) -> Lowered {
    let lowered = pumice_lower::lower(&spirv(text), target, &LowerOptions::default());
    let lowered = lowered.unwrap_or_else(|e| panic!("{text}\n{e}"));
    validate(&lowered.spirv, target, text);
    lowered
}

fn validate(words: &[u32], target: &Target, text: &str) {
    let path = std::env::temp_dir().join(format!(
        "pumice-images-{}-{:?}.spv",
        std::process::id(),
        std::thread::current().id()
    ));
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    std::fs::write(&path, bytes).expect("a file for the validator");
    let env = format!("vulkan{}.{}", target.api_version.0, target.api_version.1);
    let Ok(out) = Command::new("spirv-val").args(["--target-env", &env]).arg(&path).output() else { return };
    let _ = std::fs::remove_file(&path);
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
}

/// A kernel that calls an overload; a sampler may be one in the source.
fn kernel(n: usize, overload: &Overload, sampler: Option<&str>) -> String {
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for (i, param) in overload.params.iter().enumerate() {
        match sampler.filter(|_| param == "sampler_t") {
            Some(literal) => args.push(literal.to_owned()),
            None => {
                params.push(format!("{param} a{i}"));
                args.push(format!("a{i}"));
            }
        }
    }
    let call = format!("{}({})", overload.name, args.join(", "));
    let (call, out) = match overload.ret.as_str() {
        "void" => (call, None),
        ret => (format!("*out = {call}"), Some(format!("global {ret} *out"))),
    };
    params.extend(out);
    format!("kernel void t{n}({}) {{ {call}; }}\n", params.join(", "))
}

/// Refused uses, with their reasons.
fn is_refused(overload: &Overload) -> Option<&'static str> {
    let shared = overload.params[0].contains("read_write");
    match () {
        () if shared && overload.params.get(1).is_some_and(|p| p == "sampler_t") => {
            Some("read with a sampler")
        }
        () if shared && overload.name.starts_with("read_") && overload.params[0].contains("msaa") => {
            Some("several samples")
        }
        () => None,
    }
}

#[test]
fn every_overload() {
    let (list, _) = overloads(&options());
    let images: Vec<&Overload> =
        list.iter().filter(|o| o.params.first().is_some_and(|p| p.contains("image"))).collect();
    assert!(images.len() > 300, "{} overloads", images.len());
    let literals = [
        "CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST",
        "CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR",
        "CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST",
    ];
    let targets = [device((1, 1), false), device((1, 3), true)].map(with_sub_groups);
    for (n, part) in images.chunks(64).enumerate() {
        let target = &targets[n % 2];
        let mut text = String::new();
        for (n, overload) in part.iter().enumerate() {
            match is_refused(overload) {
                Some(reason) => {
                    let text = kernel(n, overload, None);
                    let refused = pumice_lower::lower(&spirv(&text), target, &LowerOptions::default());
                    let found = refused.err().map(|e| e.to_string()).unwrap_or_default();
                    assert!(found.contains(reason), "{text}: {found}");
                }
                None => {
                    text += &kernel(2 * n, overload, None);
                    text += &kernel(2 * n + 1, overload, Some(literals[n % 3]));
                }
            }
        }
        lowered(&text, target);
    }
}

/// A device whose storage images say their format.
fn without_formats() -> Target {
    let mut target = device((1, 1), false);
    target.features.shader_storage_image_read_without_format = false;
    target.features.shader_storage_image_write_without_format = false;
    target.features.shader_storage_image_extended_formats = true;
    target
}

/// Every overload that reads or writes an image which a kernel may write, there.
#[test]
fn every_overload_by_bits() {
    let (list, _) = overloads(&options());
    let stored = |o: &&Overload| {
        let image = o.params.first().map_or("", |p| p.as_str());
        image.contains("image") && !image.contains("read_only") && is_refused(o).is_none()
    };
    let images: Vec<&Overload> = list.iter().filter(stored).collect();
    assert!(images.len() > 80, "{} overloads", images.len());
    for part in images.chunks(64) {
        let text: String = part.iter().enumerate().map(|(n, overload)| kernel(n, overload, None)).collect();
        let lowered = lowered(&text, &with_sub_groups(without_formats()));
        for view in lowered.kernels.iter().flat_map(|k| &k.args).flat_map(|a| match &a.kind {
            ArgKind::Image(image) => &image.views[..],
            _ => &[],
        }) {
            assert!(view.bits && view.class == TexelClass::Uint, "{view:?}");
        }
    }
}

/// Views of bits are one descriptor for texels of all sizes; only the accesses that need it are by bits.
#[test]
fn bits_of_texels() {
    let text =
        "kernel void k(read_write image2d_t a, write_only image2d_t b, read_only image2d_t c, int2 at) {
            float4 texel = read_imagef(a, at) + read_imagef(c, at);
            write_imagef(a, at, texel);
            write_imagef(b, at, texel);
        }";
    for write in [true, false] {
        let mut target = without_formats();
        target.features.shader_storage_image_write_without_format = write;
        target.limits.max_per_stage_descriptor_storage_images = 2;
        let lowered = lowered(text, &target);
        let kernel = &lowered.kernels[0];
        let views: Vec<(ImageViewKind, TexelClass, bool)> = (kernel.args.iter())
            .filter_map(|a| match &a.kind {
                ArgKind::Image(image) => Some(image.views.iter().map(|v| (v.kind, v.class, v.bits))),
                _ => None,
            })
            .flatten()
            .collect();
        let bits = (ImageViewKind::Storage, TexelClass::Uint, true);
        let written = if write { (ImageViewKind::Storage, TexelClass::Float, false) } else { bits };
        assert_eq!(views, [bits, written, (ImageViewKind::Sampled, TexelClass::Float, false)]);
        assert_eq!(kernel.descriptors.iter().filter(|d| d.kind == DescriptorKind::StorageImage).count(), 2);
        let reads = ops(&lowered).iter().filter(|op| **op == Op::ImageRead).count();
        assert_eq!(reads, 5);
    }
    // A device that stores without a format, but has no formats for texels of one and two bytes, has no such view. The feature that it
    // lacks is named.
    let mut target = without_formats();
    target.features.shader_storage_image_write_without_format = true;
    target.features.shader_storage_image_extended_formats = false;
    let error = pumice_lower::lower(&spirv(text), &target, &LowerOptions::default()).expect_err("refused");
    assert!(error.to_string().contains("shaderStorageImageReadWithoutFormat"), "{error}");
}

/// If a driver's linear filters are coarse, the kernel blends texels itself and has no VkSampler.
#[test]
fn coarse_filters() {
    let (list, _) = overloads(&options());
    let is_plain = |o: &&Overload| {
        let integers = o.params.get(2).is_some_and(|p| p.starts_with("int"));
        o.name.starts_with("read_imagef")
            && o.params[0].contains("read_only")
            && o.params.len() == 3
            && !integers
    };
    let mut target = device((1, 1), false);
    target.quirks = Quirks::for_driver(Some(Driver::Llvmpipe));
    let mut text = String::new();
    let (mut samplers, mut count) = (Vec::new(), 0);
    for (mode, normalized) in
        [("CLAMP", "TRUE"), ("CLAMP_TO_EDGE", "FALSE"), ("REPEAT", "TRUE"), ("MIRRORED_REPEAT", "TRUE")]
    {
        samplers.push(format!("CLK_NORMALIZED_COORDS_{normalized} | CLK_ADDRESS_{mode} | CLK_FILTER_LINEAR"));
    }
    for overload in list.iter().filter(|o| o.params.len() > 1).filter(is_plain) {
        for sampler in samplers.iter().map(|s| Some(s.as_str())).chain([None]) {
            text += &kernel(count, overload, sampler);
            count += 1;
        }
    }
    assert!(count > 30, "{count} reads");
    let lowered = lowered(&text, &target);
    for kernel in &lowered.kernels {
        assert!(kernel.samplers.is_empty(), "{}: {:?}", kernel.name, kernel.samplers);
    }
    assert!(!ops(&lowered).contains(&Op::ImageSampleExplicitLod));
}

/// If they are coarse only for signed bytes, the image's format decides. A nearest filter needs no test.
#[test]
fn coarse_filters_of_signed_bytes() {
    let literal = |filter: &str| {
        format!(
            "kernel void k(read_only image2d_t image, global float4 *out, float2 at) {{
                const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_{filter};
                *out = read_imagef(image, s, at);
            }}"
        )
    };
    let mut target = device((1, 3), true);
    target.quirks.coarse_signed_filters = true;
    let reads = |lowered: &Lowered| {
        let ops = ops(lowered);
        [Op::ImageFetch, Op::ImageSampleExplicitLod, Op::BranchConditional]
            .map(|op| ops.iter().filter(|o| **o == op).count())
    };
    let asks = |lowered: &Lowered| members(&lowered.kernels[0]).contains(&BlockSource::ImageFormat(0));
    let both = lowered(&literal("LINEAR"), &target);
    assert_eq!((reads(&both), asks(&both)), ([4, 1, 1], true));
    let nearest = lowered(&literal("NEAREST"), &target);
    assert_eq!((reads(&nearest), asks(&nearest)), ([1, 0, 0], false));
    target.quirks.coarse_signed_filters = false;
    let sampled = lowered(&literal("LINEAR"), &target);
    assert_eq!((reads(&sampled), asks(&sampled)), ([0, 1, 0], false));
    // Samples with levels are computed likewise if the sampler may be linear.
    target.quirks.coarse_signed_filters = true;
    let levels =
        "kernel void k(read_only image2d_t image, sampler_t s, global float4 *out, float2 at, float level) {
            *out = read_imagef(image, s, at, level);
        }";
    let levels = lowered(levels, &target);
    assert_eq!(reads(&levels)[..2], [10, 1]);
    assert!(asks(&levels));
}

fn members(kernel: &KernelInfo) -> Vec<BlockSource> {
    kernel.block.members.iter().map(|m| m.source).collect()
}

fn ops(lowered: &Lowered) -> Vec<Op> {
    let (_, reader) = spirv_io::Reader::new(&lowered.spirv).expect("a module");
    reader.filter_map(|i| Some(i.ok()?.op)).collect()
}

/// A sampler in the source is known: no branch, no VkSampler for a nearest filter, one for a linear filter.
#[test]
fn samplers_in_the_source() {
    let text = "constant sampler_t program = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
        float4 get(read_only image2d_t image, sampler_t s, float2 at) { return read_imagef(image, s, at); }
        kernel void nearest(read_only image2d_t image, global float4 *out, float2 at) {
            const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
            *out = get(image, s, at);
        }
        kernel void linear(read_only image2d_t image, global float4 *out, float2 at) { *out = get(image, program, at); }";
    let lowered = lowered(text, &device((1, 3), true));
    let [nearest, linear] = &lowered.kernels[..] else { panic!("two kernels") };
    assert!(nearest.samplers.is_empty(), "{nearest:#?}");
    let ArgKind::Image(image) = &nearest.args[0].kind else { panic!("an image") };
    assert_eq!(image.views.len(), 1);
    assert_eq!((image.views[0].kind, image.views[0].class), (ImageViewKind::Sampled, TexelClass::Float));
    let sizes = [0, 1].map(|dim| BlockSource::ImageSize { arg: 0, dim });
    assert_eq!(members(nearest), [&[BlockSource::Argument(2)], &sizes[..]].concat());
    assert_eq!(linear.samplers.len(), 1);
    assert_eq!(linear.samplers[0].source, SamplerSource::Literal(0x27));
    assert_eq!(members(linear), [BlockSource::Argument(2)]);
    let sampler = linear.descriptors.iter().find(|d| d.kind == DescriptorKind::Sampler).expect("a sampler");
    assert_eq!(sampler.binding, linear.samplers[0].binding);
    let ops = ops(&lowered);
    assert!(!ops.contains(&Op::BranchConditional), "{ops:?}");
    assert_eq!(ops.iter().filter(|op| **op == Op::ImageFetch).count(), 1);
    assert_eq!(ops.iter().filter(|op| **op == Op::ImageSampleExplicitLod).count(), 1);
}

/// A sampler argument is tested by branches.
#[test]
fn samplers_as_arguments() {
    let text = "kernel void k(sampler_t s, read_only image2d_t a, write_only image2d_t b) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(b, at, read_imagef(a, s, convert_float2(at)));
        }";
    let lowered = lowered(text, &device((1, 3), true));
    let kernel = &lowered.kernels[0];
    assert_eq!(kernel.args[0].kind, ArgKind::Sampler);
    assert_eq!(kernel.samplers[0].source, SamplerSource::Argument(0));
    let ArgKind::Image(written) = &kernel.args[2].kind else { panic!("an image") };
    assert_eq!(written.views[0].kind, ImageViewKind::Storage);
    let members = members(kernel);
    for source in [BlockSource::Sampler(0), BlockSource::ImageFormat(1), BlockSource::ImageFormat(2)] {
        assert!(members.contains(&source), "{source:?} among {members:?}");
    }
    assert!(ops(&lowered).contains(&Op::BranchConditional));
}

/// The words for which pipelines can be specialised. The argument block is read otherwise.
#[test]
fn formats_and_samplers_are_specialised() {
    let text = "kernel void k(sampler_t s, read_only image2d_t a, write_only image2d_t b, global int *out) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imagef(b, at, read_imagef(a, s, convert_float2(at)));
            *out = get_image_width(a);
        }
        kernel void none(global int *out) { *out = 1; }";
    let target = device((1, 3), true);
    assert!(lowered(text, &target).kernels.iter().all(|k| k.specialised.is_empty()));
    let options = LowerOptions { specialised: true, ..LowerOptions::default() };
    let specialised = pumice_lower::lower(&spirv(text), &target, &options).expect("lowered");
    validate(&specialised.spirv, &target, text);
    let mut sources: Vec<_> =
        specialised.kernels[0].specialised.iter().map(|t| format!("{:?}", t.source)).collect();
    sources.sort();
    // The sizes of a dispatch are for the guard, which goes where nothing is cut off.
    let of = [
        BlockSource::DispatchSize(0),
        BlockSource::DispatchSize(1),
        BlockSource::ImageFormat(1),
        BlockSource::ImageFormat(2),
        BlockSource::Sampler(0),
    ];
    assert_eq!(sources, of.map(|source| format!("{source:?}")));
    assert_eq!(members(&specialised.kernels[0]), members(&lowered(text, &target).kernels[0]));
    assert!(specialised.kernels[1].specialised.is_empty());
}

/// One image, read as three classes behind branches on its type: three views.
#[test]
fn two_classes_of_one_image() {
    let text = "kernel void k(read_only image2d_t a, global float4 *out, int2 at) {
            if (get_image_channel_data_type(a) == CLK_UNSIGNED_INT8) *out = convert_float4(read_imageui(a, at));
            else if (get_image_channel_data_type(a) == CLK_SIGNED_INT8) *out = convert_float4(read_imagei(a, at));
            else *out = read_imagef(a, at);
        }";
    let lowered = lowered(text, &device((1, 1), false));
    let ArgKind::Image(image) = &lowered.kernels[0].args[0].kind else { panic!("an image") };
    let classes: Vec<TexelClass> = image.views.iter().map(|v| v.class).collect();
    assert_eq!(classes, [TexelClass::Float, TexelClass::Sint, TexelClass::Uint]);
}

/// A device without formatless stores and without extended formats has its written texels as bits, in images of at least four bytes a texel.
#[test]
fn without_formatless_stores() {
    let mut target = device((1, 3), true);
    target.features.shader_storage_image_write_without_format = false;
    target.features.shader_storage_image_extended_formats = false;
    assert!(target.features.widens_texels());
    let text = "kernel void k(write_only image2d_t b) { write_imagef(b, (int2)(0), (float4)(1)); }";
    let lowered = lowered(text, &target);
    let ArgKind::Image(image) = &lowered.kernels[0].args[0].kind else { panic!("an image") };
    assert!(image.views.iter().all(|v| v.bits && v.class == TexelClass::Uint), "{:?}", image.views);
    assert!(!image.views.is_empty());
}

/// Functions that take images: those that no kernel calls, in modules with kernels and without; those that are called often, where
/// others are copied once for all their calls.
/// More images or samplers than a stage may have descriptors of are refused by the limit's name.
#[test]
fn more_than_the_device_binds() {
    let mut target = device((1, 1), false);
    target.limits.max_per_stage_descriptor_sampled_images = 2;
    target.limits.max_per_stage_descriptor_storage_images = 1;
    target.limits.max_per_stage_descriptor_samplers = 1;
    target.limits.max_per_stage_resources = 3;
    let read = |n: u32| format!("read_imagef(a{n}, (int2)(0))");
    for (params, body, limit) in [
        ("read_only image2d_t a0, read_only image2d_t a1", format!("{} + {}", read(0), read(1)), None),
        (
            "read_only image2d_t a0, read_only image2d_t a1, read_only image2d_t a2",
            format!("{} + {} + {}", read(0), read(1), read(2)),
            Some("maxPerStageDescriptorSampledImages of 3 for kernel 'k' (it has 2)"),
        ),
        (
            "write_only image2d_t a0, write_only image2d_t a1",
            "1.0f; write_imagef(a0, (int2)(0), 1); write_imagef(a1, (int2)(0), 1)".to_owned(),
            Some("maxPerStageDescriptorStorageImages of 2"),
        ),
        (
            "read_only image2d_t a0, sampler_t s, sampler_t t",
            "read_imagef(a0, s, (float2)(0)) + read_imagef(a0, t, (float2)(0))".to_owned(),
            Some("maxPerStageDescriptorSamplers of 2"),
        ),
        (
            "read_only image2d_t a0, read_only image2d_t a1, write_only image2d_t a2",
            format!("{} + {}; write_imagef(a2, (int2)(0), 1)", read(0), read(1)),
            Some("maxPerStageResources of 4"),
        ),
    ] {
        let text = format!("kernel void k({params}, global float4 *out) {{ *out = {body}; }}");
        match (pumice_lower::lower(&spirv(&text), &target, &LowerOptions::default()), limit) {
            (Ok(_), None) => {}
            (Err(LowerError::Unsupported { needs, .. }), Some(limit)) => {
                assert!(needs.contains(limit), "{needs}")
            }
            (other, _) => panic!("{text}: {:?}", other.map(|_| ())),
        }
    }
}

#[test]
fn functions_with_images() {
    let target = device((1, 3), true);
    let helper = "float4 twice(read_only image2d_t image, sampler_t s, float2 at) {
            float4 sum = 0; for (int i = 0; i < 3; i++) sum += read_imagef(image, s, at + i); return sum;
        }
        void put(write_only image2d_t image, int2 at, float4 c) { write_imagef(image, at, c); }\n";
    let alone = pumice_lower::lower(&spirv(helper), &target, &LowerOptions::default()).expect("no kernels");
    assert!(alone.kernels.is_empty());
    lowered(&format!("{helper} kernel void k(global int *p) {{ *p = 1; }}"), &target);
    let text = format!(
        "{helper} float4 more(read_only image2d_t i, sampler_t s, float2 at) {{ return twice(i, s, at) + twice(i, s, -at); }}
        int odd(int x) {{ for (int i = 0; i < x; i++) x ^= i * 3; return x; }}
        kernel void k(read_only image2d_t a, read_only image2d_t b, sampler_t s, sampler_t t, write_only image2d_t out) {{
            float2 at = (float2)(odd(1), odd(2));
            float4 c = more(a, s, at) + more(b, s, at) + more(a, t, at) + more(b, t, at) + odd(3) + odd(4);
            put(out, (int2)(0), c); put(out, (int2)(1), -c);
        }}"
    );
    let options = LowerOptions { inline_limit: Some(0), ..LowerOptions::default() };
    let shared = pumice_lower::lower(&spirv(&text), &target, &options).expect("shared");
    validate(&shared.spirv, &target, &text);
    let plain = lowered(&text, &target);
    for kernel in [&shared.kernels[0], &plain.kernels[0]] {
        let samplers: Vec<SamplerSource> = kernel.samplers.iter().map(|s| s.source).collect();
        assert_eq!(samplers, [SamplerSource::Argument(2), SamplerSource::Argument(3)]);
    }
}

/// Modules of other producers may have what OpenCL C forbids. Such uses are refused without further errors.
#[test]
fn images_elsewhere() {
    let target = device((1, 3), true);
    let words = spirv(
        "kernel void k(read_only image2d_t a, read_only image2d_t b, global float4 *out, int c) {
            *out = read_imagef(a, (int2)(c)); *out += read_imagef(b, (int2)(c));
        }",
    );
    let (_, reader) = spirv_io::Reader::new(&words).expect("a module");
    let instructions: Vec<_> = reader.map(|i| i.expect("an instruction")).collect();
    let read = instructions.iter().find(|i| i.op == Op::ImageRead).expect("a read");
    let image = read.word(2).expect("an image");
    // The image is something else wherever it is read: every other id of the module.
    let bound = words[3];
    for other in 1..bound {
        let mut changed = words.clone();
        let mut at = 5;
        while at < changed.len() {
            let count = (changed[at] >> 16) as usize;
            if changed[at] & 0xffff == Op::ImageRead as u32 && changed[at + 3] == image {
                changed[at + 3] = other;
            }
            at += count.max(1);
        }
        let _ = pumice_lower::lower(&changed, &target, &LowerOptions::default());
    }
}

/// With device addresses images are descriptors still.
#[test]
fn by_address() {
    let mut target = device((1, 3), true);
    target.features.buffer_device_address = true;
    let lowered = lowered(
        "kernel void k(read_only image2d_t a, sampler_t s, global float4 *out) {
            *out = read_imagef(a, s, (float2)(get_global_id(0)));
        }",
        &target,
    );
    let kernel = &lowered.kernels[0];
    assert!(members(kernel).contains(&BlockSource::ArgumentAddress(2)));
    let kinds: Vec<DescriptorKind> = kernel.descriptors.iter().map(|d| d.kind).collect();
    assert_eq!(kinds, [DescriptorKind::SampledImage, DescriptorKind::Sampler]);
}

/// The examples, in both memory models.
#[test]
fn examples() {
    for text in [include_str!("../../examples/filters.cl"), include_str!("../../examples/volume.cl")] {
        for target in [device((1, 1), false), device((1, 3), true)] {
            assert!(lowered(text, &target).kernels.len() > 1);
        }
    }
}

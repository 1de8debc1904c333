//! What the API says of a bundle's kernels, and that no bytes make it panic.

use frontend::options::Options;
use lower::{LowerOptions, Target};
use pumice_vk::{Addresses, Arg, Bundle, Kernel, Launch, Traits, Variant, data, kernel_info};

const SOURCE: &str = "constant int t[4] = {1, 2, 3, 4};
    kernel void k(global int *p, int n, local int *l, float4 v) {
        l[get_local_id(0)] = n;
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] += t[n & 3] + l[0] + (int)(v.x + get_global_size(0) + get_num_groups(0) + get_work_dim());
        if (n == 77) printf(\"%d\\n\", n);
    }
    kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(global float *p) { p[get_global_id(0)] *= 2; }";

fn variant(target: &Target) -> Variant {
    variant_of(SOURCE, target)
}

fn variant_of(source: &str, target: &Target) -> Variant {
    let mut options = Options::default();
    host::target::apply(target, &mut options);
    let words = frontend::compile("k.cl", source, &options).spirv.expect("good source");
    let lowered = lower::lower(&words, target, &LowerOptions::default()).expect("lowers");
    Variant::new(target.clone(), Traits::default(), lowered).expect("a variant")
}

fn address_target() -> Target {
    let mut target = Target { name: "addresses".to_owned(), api_version: (1, 3), ..Target::minimum() };
    target.features.shader_int64 = true;
    target.features.buffer_device_address = true;
    target.features.vulkan_memory_model = true;
    target
}

fn arguments(kernel: &Kernel<'_>) -> Vec<Arg<'static>> {
    const ZEROS: [u8; 256] = [3; 256];
    let args = kernel.info().args.iter().map(|arg| match &arg.kind {
        kernel_info::ArgKind::Buffer { .. } => Arg::Buffer { address: 0x1_0000, size: 64 },
        kernel_info::ArgKind::Value { size } => Arg::Value(ZEROS.get(..*size as usize).unwrap_or(&ZEROS)),
        kernel_info::ArgKind::Local { .. } => Arg::Local(100),
        kernel_info::ArgKind::Image(_) => {
            Arg::Image { format: 1, levels: 1, samples: 1, size: [1; 3], address: 0 }
        }
        kernel_info::ArgKind::Sampler => Arg::Sampler(0x10),
    });
    args.collect()
}

const ADDRESSES: Addresses =
    Addresses { constants: 0x100, globals: 0x200, printf: 0x300, windows: [0; 4], block: 0 };

#[test]
fn a_launch_is_written() {
    for target in [Target::minimum(), address_target()] {
        let variant = variant(&target);
        let kernel = Kernel::new(&variant, "k").expect("there");
        let launch = Launch { offset: [5, 0, 0], ..Launch::new([128, 1, 1], [16, 1, 1]) };
        let args = arguments(&kernel);
        assert_eq!(kernel.groups(&launch).expect("divides"), [8, 1, 1]);
        let block = kernel.block(&launch, &args, &ADDRESSES).expect("a block");
        assert_eq!(block.len(), kernel.info().block.size as usize);
        let word = |at: u32| u32::from_le_bytes(*block[at as usize..].first_chunk().expect("a word"));
        for member in &kernel.info().block.members {
            let expected = match member.source {
                kernel_info::BlockSource::Argument(_) => 0x0303_0303,
                kernel_info::BlockSource::ArgumentAddress(_) => 0x1_0000,
                kernel_info::BlockSource::GlobalIdBase(0) => 5,
                kernel_info::BlockSource::GlobalSize(0) => 128,
                kernel_info::BlockSource::NumGroups(0) => 8,
                kernel_info::BlockSource::WorkDim => 1,
                kernel_info::BlockSource::PrintfAddress => 0x300,
                kernel_info::BlockSource::ConstantsAddress => 0x100,
                other => panic!("unexpected: {other:?}"),
            };
            assert_eq!(word(member.offset), expected, "{:?}", member.source);
        }
        let constants = kernel.specialization(&launch, &args).expect("constants");
        assert!(constants.starts_with(&[(0, 16), (1, 1), (2, 1)]), "{constants:?}");
        assert!(constants.iter().any(|c| c.1 == 25), "100 bytes are 25 ints: {constants:?}");
        assert_eq!(kernel.groups(&Launch::new([129, 1, 1], [16, 1, 1])).ok(), None);
        assert!(kernel.block(&launch, &args[1..], &ADDRESSES).is_err(), "an argument less");
        let fixed = Kernel::new(&variant, "fixed").expect("there");
        assert!(fixed.groups(&launch).is_err(), "the size that it requires is 8");
        assert!(Kernel::new(&variant, "none").is_err());
    }
}

/// Arguments that share Vulkan buffers have places, within the windows that are bound.
#[test]
fn places_and_windows_are_written() {
    use pumice_vk::kernel_info::BlockSource;
    let source =
        "kernel void sum(global int *a, global int *b, global int *c, global int *d, global int *out) {
        *out = *a + *b + *c + *d;
    }";
    let mut target = Target::minimum();
    target.features.shader_int64 = true;
    let variant = variant_of(source, &target);
    let kernel = Kernel::new(&variant, "sum").expect("there");
    let windows = kernel.info().windows.expect("five buffers, four descriptors");
    assert_eq!((windows.count, windows.follows_pointers, kernel.info().descriptors.len()), (4, false, 4));
    let launch = Launch::new([1, 1, 1], [1, 1, 1]);
    let args = |last| [0x1_0000, 0x1_0100, 0x1_0200, 0, last].map(|address| Arg::Buffer { address, size: 4 });
    let addresses = |windows| Addresses { windows, ..ADDRESSES };
    let block =
        kernel.block(&launch, &args(0x8_0010), &addresses([0x1_0000, 0x8_0000, 0, 0])).expect("a block");
    let word = |at: u32| u32::from_le_bytes(*block[at as usize..].first_chunk().expect("a word"));
    let found =
        |source| kernel.info().block.members.iter().find(|m| m.source == source).map(|m| word(m.offset));
    assert_eq!(
        [1, 3, 4].map(|n| found(BlockSource::ArgumentAddress(n))),
        [Some(0x1_0100), Some(0), Some(0x8_0010)]
    );
    let starts = [0x1_0000, 0x8_0000, u32::MAX, u32::MAX].map(Some);
    assert_eq!([0, 1, 2, 3].map(|n| found(BlockSource::WindowStart(n))), starts);
    assert!(
        kernel
            .specialization(&launch, &args(0))
            .expect("constants")
            .contains(&(windows.several_id.expect("one"), 1))
    );
    for (last, windows) in [
        (0x8_0010, [0; 4]),
        (0x8_0010, [0x8_0000, 0x1_0000, 0, 0]),
        (0x8_0010, [0x1_0100, 0x8_0000, 0, 0]),
        (0x8_0004, [0x1_0000, 0x8_0000, 0, 0]),
        (0x7fff_fff0 + 0x10, [0x1_0000, 0x8_0000, 0, 0]),
    ] {
        assert!(kernel.block(&launch, &args(last), &addresses(windows)).is_err(), "{last:#x} {windows:x?}");
    }
}

/// Numbers that are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// Where the body begins: the magic number, the version, the sum.
const BODY: usize = 8 + 4 + 32;

#[test]
fn no_bytes_make_it_panic() {
    let bundle = Bundle { variants: vec![variant(&Target::minimum()), variant(&address_target())] };
    let bytes = bundle.write().expect("bytes");
    let mut random = Random(16);
    let (mut read, mut refused) = (0, 0);
    for round in 0..6000 {
        let mut bad = bytes.clone();
        for _ in 0..=random.next(3) {
            let at = random.next(bad.len());
            match random.next(6) {
                0 => drop(bad.remove(at)),
                1 => bad.insert(at, random.next(256) as u8),
                2 => bad.truncate(at),
                3 => bad[at] ^= 1 << random.next(8),
                // JSON with other numbers is still JSON.
                4 => {
                    let digits: Vec<_> = (0..bad.len()).filter(|i| bad[*i].is_ascii_digit()).collect();
                    if let Some(at) = digits.get(random.next(digits.len())) {
                        bad[*at] = b'0' + random.next(10) as u8;
                    }
                }
                _ => bad[at] = random.next(256) as u8,
            }
            if bad.is_empty() {
                bad.push(0);
            }
        }
        // Two of three times the sum is made to fit.
        if round % 3 > 0 && bad.len() > BODY {
            let sum = bundle::checksum(&bad[BODY..]);
            bad[12..BODY].copy_from_slice(&sum);
        }
        let Ok(bundle) = Bundle::read(&bad) else {
            refused += 1;
            continue;
        };
        read += 1;
        for variant in &bundle.variants {
            let _ = (variant.unfit(&Target::minimum()), data(variant, &ADDRESSES), variant.needs.to_enable());
            for info in &variant.lowered.kernels {
                let kernel = Kernel::new(variant, &info.name).expect("it has the name");
                let (launch, args) = (Launch::new([128, 1, 1], [8, 1, 1]), arguments(&kernel));
                let _ = (kernel.block(&launch, &args, &ADDRESSES), kernel.specialization(&launch, &args));
            }
        }
        let _ = (bundle.choose(&address_target()), bundle.write().map(|b| Bundle::read(&b)));
    }
    assert!(refused > 3000 && read > 100, "{refused} refused, {read} read");
}

//! A vendor's device as programs ask for it: its name as the vendor's own OpenCL spells it, and the queries of
//! cl_nv_device_attribute_query and cl_amd_device_attribute_query.
//!
//! Programs that read NVIDIA's name ask for the compute capability and stop when they cannot have it. A value is given
//! where it is true; a query whose answer nobody tells us is CL_INVALID_VALUE, as is every query of another vendor's.

use opencl_sys as cl;
use vk_runtime::{Identity, PhysicalDevice, nvml};

use crate::abi::param_value::ParamValue;
use crate::device::system::{Cache, System};

/// NVIDIA's PCI number.
const NVIDIA: u32 = 0x10de;
/// AMD's.
const AMD: u32 = 0x1002;

/// CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV, which the extension's text lacks and drivers answer.
const ASYNC_ENGINES: cl::cl_device_info = 0x4007;
/// CL_DEVICE_PCI_DOMAIN_ID_NV.
const PCI_DOMAIN: cl::cl_device_info = 0x400a;

/// A vendor's name by its PCI number, or its Khronos number; as the vendor's own OpenCL spells it where there is one, since
/// programs compare it.
pub(crate) fn name(id: u32) -> &'static str {
    match id {
        AMD | 0x1022 => "Advanced Micro Devices, Inc.",
        0x1010 => "Imagination Technologies",
        0x106b => "Apple",
        NVIDIA => "NVIDIA Corporation",
        0x13b5 => "ARM",
        0x14e4 => "Broadcom",
        0x144d => "Samsung",
        0x1ae0 => "Google",
        0x5143 => "QUALCOMM",
        0x8086 => "Intel(R) Corporation",
        0x1_0001 => "Vivante",
        0x1_0002 => "VeriSilicon",
        0x1_0003 => "Kazan",
        0x1_0004 => "Codeplay",
        0x1_0005 => "Mesa",
        0x1_0006 => "PoCL",
        0x1_0007 => "Mobileye",
        _ => "unknown vendor",
    }
}

/// Returns whether a device is driven by NVIDIA's driver of CUDA.
pub(crate) fn has_cuda(physical: &PhysicalDevice) -> bool {
    physical.vendor_id() == NVIDIA
}

/// The clock of a GPU in MHz, as NVIDIA's management library or else the operating system tells.
pub(crate) fn gpu_clock(physical: &PhysicalDevice, system: &System, pci: [u32; 4]) -> Option<cl::cl_uint> {
    if physical.vendor_id() == NVIDIA { nvml::clock(pci) } else { system.gpu_clock(pci) }
}

/// Returns whether a GPU's memory corrects errors, as NVIDIA's management library or else the operating system tells.
pub(crate) fn gpu_corrects_errors(physical: &PhysicalDevice, pci: [u32; 4]) -> Option<bool> {
    match physical.vendor_id() {
        NVIDIA => nvml::corrects_errors(pci),
        _ => Some(System::new().gpu_corrects_errors(pci)),
    }
}

/// The facts from which a vendor's own queries are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Vendor {
    Nvidia(Nvidia),
    Amd(Amd),
    Other,
}

/// An NVIDIA GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nvidia {
    capability: (u32, u32),
    warp: u32,
    integrated: bool,
    /// True if a display is connected: then the driver ends kernels that take seconds.
    shows: bool,
    copy_queues: u32,
    pci: Option<[u32; 4]>,
}

/// An AMD GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Amd {
    name: String,
    simds: u32,
    wavefront: u32,
    /// GFXIP major and minor, where the kernel driver tells.
    gfx: Option<(u32, u32)>,
    pci: Option<[u32; 4]>,
}

impl Vendor {
    /// Returns what is known of a device.
    pub(crate) fn from_identity(identity: &Identity, physical: &PhysicalDevice, system: &System) -> Self {
        use vk_runtime::DeviceKind::{Discrete, Integrated, Virtual};
        if !matches!(physical.kind(), Discrete | Integrated | Virtual) {
            return Vendor::Other;
        }
        let pci = identity.pci;
        match physical.vendor_id() {
            NVIDIA => {
                let capability = capability(identity.device_id).or_else(|| nvml::capability(pci?));
                capability.map_or(Vendor::Other, |capability| {
                    Vendor::Nvidia(Nvidia {
                        capability,
                        warp: physical.target().limits.subgroup_size,
                        integrated: physical.kind() == Integrated,
                        shows: pci.is_some_and(|pci| system.shows(pci)),
                        copy_queues: identity.copy_queues,
                        pci,
                    })
                })
            }
            AMD => identity.amd.map_or(Vendor::Other, |cores| {
                Vendor::Amd(Amd {
                    name: physical.name().to_owned(),
                    simds: cores.simds,
                    wavefront: cores.wavefront,
                    gfx: pci.and_then(|pci| system.gfx(pci)),
                    pci,
                })
            }),
            _ => Vendor::Other,
        }
    }

    /// The cache before global memory, as the vendor's own OpenCL reports it: for NVIDIA's GPUs the least that a multiprocessor
    /// keeps for it, times their number (seen on one GPU of each generation; an H200 with driver 580 says 4,325,376 there, too, although
    /// it has 60 MiB of second-level cache).
    pub(crate) fn cache(&self, compute_units: u32) -> Option<Cache> {
        let Vendor::Nvidia(nvidia) = self else { return None };
        let kib = match nvidia.capability {
            (7, _) | (8, 0) | (9, 0) => 32,
            (8, 6 | 9) => 28,
            _ => return None,
        };
        Some(Cache { size: (u64::from(compute_units) * kib) << 10, line: 128 })
    }
}

/// The answer to a vendor's own query.
pub(crate) fn answer(vendor: &Vendor, param: cl::cl_device_info) -> Option<ParamValue> {
    match vendor {
        Vendor::Nvidia(nvidia) => nvidia.answer(param),
        Vendor::Amd(amd) => amd.answer(param),
        Vendor::Other => None,
    }
}

impl Nvidia {
    fn answer(&self, param: cl::cl_device_info) -> Option<ParamValue> {
        Some(match param {
            cl::CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV => ParamValue::uint(self.capability.0),
            cl::CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV => ParamValue::uint(self.capability.1),
            // Of every GPU that the table of capabilities has (those with fewer are Tegra's, which have no PCI number).
            cl::CL_DEVICE_REGISTERS_PER_BLOCK_NV => ParamValue::uint(65536),
            cl::CL_DEVICE_WARP_SIZE_NV => ParamValue::uint(self.warp),
            cl::CL_DEVICE_GPU_OVERLAP_NV => ParamValue::bool(self.copy_queues > 0),
            cl::CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV => ParamValue::bool(self.shows),
            cl::CL_DEVICE_INTEGRATED_MEMORY_NV => ParamValue::bool(self.integrated),
            ASYNC_ENGINES => ParamValue::uint(self.copy_queues),
            cl::CL_DEVICE_PCI_BUS_ID_NV => ParamValue::uint(self.pci?[1]),
            // The slot is device and function in one byte.
            cl::CL_DEVICE_PCI_SLOT_ID_NV => ParamValue::uint((self.pci?[2] << 3) | self.pci?[3]),
            PCI_DOMAIN => ParamValue::uint(self.pci?[0]),
            _ => return None,
        })
    }
}

impl Amd {
    fn answer(&self, param: cl::cl_device_info) -> Option<ParamValue> {
        Some(match param {
            // Times of events are the host's nanoseconds already.
            cl::CL_DEVICE_PROFILING_TIMER_OFFSET_AMD => ParamValue::ulong(0),
            cl::CL_DEVICE_TOPOLOGY_AMD => self.topology()?,
            cl::CL_DEVICE_BOARD_NAME_AMD => ParamValue::text(&self.name),
            cl::CL_DEVICE_SIMD_PER_COMPUTE_UNIT_AMD => ParamValue::uint(self.simds),
            // 64 work-items go through 16 lanes in four cycles, 32 through 32 in one.
            cl::CL_DEVICE_SIMD_WIDTH_AMD => ParamValue::uint(match self.gfx?.0 {
                ..=9 => 16,
                _ => 32,
            }),
            cl::CL_DEVICE_SIMD_INSTRUCTION_WIDTH_AMD => ParamValue::uint(1),
            cl::CL_DEVICE_WAVEFRONT_WIDTH_AMD => ParamValue::uint(self.wavefront),
            cl::CL_DEVICE_LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD => ParamValue::uint(64 << 10),
            cl::CL_DEVICE_LOCAL_MEM_BANKS_AMD => ParamValue::uint(32),
            cl::CL_DEVICE_GFXIP_MAJOR_AMD => ParamValue::uint(self.gfx?.0),
            cl::CL_DEVICE_GFXIP_MINOR_AMD => ParamValue::uint(self.gfx?.1),
            _ => return None,
        })
    }

    /// cl_device_topology_amd: CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD, 17 bytes of nothing, bus, device, function.
    fn topology(&self) -> Option<ParamValue> {
        let [_, bus, device, function] = self.pci?;
        let mut bytes = vec![0; 24];
        bytes[..4].copy_from_slice(&1u32.to_ne_bytes());
        for (place, value) in bytes[21..].iter_mut().zip([bus, device, function]) {
            *place = u8::try_from(value).ok()?;
        }
        Some(ParamValue(bytes))
    }
}

/// First and last PCI device number of a chip's GPUs, and their compute capability; ascending.
#[rustfmt::skip]
const CAPABILITIES: &[(u32, u32, (u32, u32))] = &[
    (0x0fc0, 0x0fff, (3, 0)), (0x1000, 0x102c, (3, 5)), (0x102d, 0x102d, (3, 7)), (0x102e, 0x103f, (3, 5)),
    (0x1180, 0x11ff, (3, 0)), (0x1280, 0x12bf, (3, 5)), (0x1340, 0x13bf, (5, 0)), (0x13c0, 0x143f, (5, 2)),
    (0x15f0, 0x15ff, (6, 0)), (0x1617, 0x1667, (5, 2)), (0x17c0, 0x17ff, (5, 2)), (0x1b00, 0x1d7f, (6, 1)),
    (0x1d80, 0x1dff, (7, 0)), (0x1e00, 0x1fff, (7, 5)), (0x2080, 0x20ff, (8, 0)), (0x2180, 0x21ff, (7, 5)),
    (0x2200, 0x227f, (8, 6)), (0x2300, 0x237f, (9, 0)), (0x2400, 0x25ff, (8, 6)), (0x2680, 0x28ff, (8, 9)),
    (0x2900, 0x297f, (10, 0)), (0x2b80, 0x2dff, (12, 0)), (0x2f00, 0x2f7f, (12, 0)), (0x3180, 0x31ff, (10, 3)),
];

/// The compute capability of an NVIDIA GPU by its PCI device number.
fn capability(device_id: u32) -> Option<(u32, u32)> {
    let found = CAPABILITIES.iter().find(|(first, last, _)| (*first..=*last).contains(&device_id));
    found.map(|(_, _, capability)| *capability)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uint(vendor: &Vendor, param: cl::cl_device_info) -> Option<u32> {
        answer(vendor, param).map(|r| u32::from_ne_bytes(r.0.try_into().expect("four bytes")))
    }

    #[test]
    fn capabilities_by_device_number() {
        assert!(CAPABILITIES.windows(2).all(|w| w[0].1 < w[1].0), "ascending, apart");
        // H200, H100 PCIe, A100, T4, RTX 3090, RTX 4090, V100, K80, RTX 5090; none.
        let known = [0x2335, 0x2331, 0x20b0, 0x1eb8, 0x2204, 0x2684, 0x1db4, 0x102d, 0x2b85, 0x0001];
        let found: Vec<_> = known.into_iter().map(capability).collect();
        let some = |a, b| Some((a, b));
        let expected = [
            some(9, 0),
            some(9, 0),
            some(8, 0),
            some(7, 5),
            some(8, 6),
            some(8, 9),
            some(7, 0),
            some(3, 7),
            some(12, 0),
            None,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_nvidia_gpu_answers_its_own_queries() {
        let h200 = Vendor::Nvidia(Nvidia {
            capability: (9, 0),
            warp: 32,
            integrated: false,
            shows: false,
            copy_queues: 2,
            pci: Some([0, 0x19, 2, 1]),
        });
        let values: Vec<_> = (0x4000..=0x400a).map(|param| uint(&h200, param).expect("known")).collect();
        assert_eq!(values, [9, 0, 65536, 32, 1, 0, 0, 2, 0x19, 0x11, 0]);
        for other in [0x400b, cl::CL_DEVICE_BOARD_NAME_AMD, cl::CL_DEVICE_WAVEFRONT_WIDTH_AMD] {
            assert!(answer(&h200, other).is_none(), "{other:#x}");
        }
        // 132 multiprocessors.
        assert_eq!(h200.cache(132), Some(Cache { size: 4_325_376, line: 128 }));
    }

    #[test]
    fn an_amd_gpu_answers_its_own_queries() {
        let gpu = |gfx| {
            Vendor::Amd(Amd {
                name: "Board".to_owned(),
                simds: 2,
                wavefront: 32,
                gfx,
                pci: Some([0, 3, 0, 1]),
            })
        };
        let navi = gpu(Some((11, 0)));
        assert_eq!(uint(&navi, cl::CL_DEVICE_WAVEFRONT_WIDTH_AMD), Some(32));
        assert_eq!(uint(&navi, cl::CL_DEVICE_SIMD_WIDTH_AMD), Some(32));
        assert_eq!(uint(&gpu(Some((9, 0))), cl::CL_DEVICE_SIMD_WIDTH_AMD), Some(16));
        assert_eq!(uint(&gpu(None), cl::CL_DEVICE_GFXIP_MAJOR_AMD), None, "nobody told");
        assert_eq!(answer(&navi, cl::CL_DEVICE_BOARD_NAME_AMD).map(|r| r.0), Some(b"Board\0".to_vec()));
        let topology = answer(&navi, cl::CL_DEVICE_TOPOLOGY_AMD).expect("known").0;
        assert_eq!((topology.len(), &topology[21..]), (24, [3, 0, 1].as_slice()));
        assert!(answer(&navi, cl::CL_DEVICE_WARP_SIZE_NV).is_none());
        assert!((0x4000..0x4100).all(|param| answer(&Vendor::Other, param).is_none()));
    }
}

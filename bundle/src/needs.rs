//! The needs of a module: its version of SPIR-V, its capabilities, execution modes and atomics (Vulkan, "Capabilities" in
//! the appendix "Vulkan Environment for SPIR-V").

use std::collections::{BTreeMap, BTreeSet};

use lower::Target;
use lower::profile::feature;
use lower::target::TargetFeatures;
use spirv_io::spirv::{Capability, ExecutionMode, Op, StorageClass};
use spirv_io::{ReadError, Reader};

/// The needs of a module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// The version of SPIR-V.
    pub spirv: (u8, u8),
    /// Vulkan's features, by their names.
    pub features: BTreeSet<&'static str>,
    /// Operations of sub-groups: VkSubgroupFeatureFlagBits.
    pub subgroup_operations: u32,
    /// Widths of floats (16, 32, 64) whose signed zeros, infinities and NaNs are kept, whose denormals are kept, that are
    /// rounded to the nearest.
    pub float_controls: [[bool; 3]; 3],
}

/// Why a module's needs are not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NeedsError {
    /// It is no SPIR-V.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A capability that Pumice's writer never declares.
    #[error("the module declares capability {0}, which nothing is known of")]
    Capability(String),
}

impl Needs {
    /// The needs of a Vulkan module.
    ///
    /// # Errors
    /// See [`NeedsError`].
    pub fn from_module(words: &[u32]) -> Result<Self, NeedsError> {
        let (header, reader) = Reader::new(words)?;
        let mut needs = Needs { spirv: header.version, ..Needs::default() };
        let mut atomics = Atomics::default();
        for inst in reader {
            let inst = inst?;
            match inst.op {
                Op::Capability => needs.capability(inst.word(0)?)?,
                Op::ExecutionMode => needs.mode(inst.word(1)?, inst.rest(2)),
                Op::ExecutionModeId => drop(needs.features.insert("maintenance4")),
                Op::ExtInstImport if inst.string(1)?.0.starts_with("NonSemantic.") => {
                    needs.features.insert("VK_KHR_shader_non_semantic_info");
                }
                _ => atomics.note(inst.op, inst.operands, &mut needs.features),
            }
        }
        Ok(needs)
    }

    fn capability(&mut self, number: u32) -> Result<(), NeedsError> {
        use Capability as C;
        let unknown = || NeedsError::Capability(number.to_string());
        let capability = Capability::from_u32(number).ok_or_else(unknown)?;
        let feature = match capability {
            // Every device has them; of the last five the features come with execution modes and atomics.
            C::Shader
            | C::Matrix
            | C::Image1D
            | C::Sampled1D
            | C::ImageBuffer
            | C::SampledBuffer
            | C::ImageQuery
            | C::SignedZeroInfNanPreserve
            | C::DenormPreserve
            | C::RoundingModeRTE
            | C::AtomicFloat32AddEXT
            | C::Int64Atomics => return Ok(()),
            C::GroupNonUniform => return self.subgroups(0x1),
            C::GroupNonUniformVote => return self.subgroups(0x2),
            C::GroupNonUniformArithmetic => return self.subgroups(0x4),
            C::GroupNonUniformBallot => return self.subgroups(0x8),
            C::GroupNonUniformShuffle => return self.subgroups(0x10),
            C::GroupNonUniformShuffleRelative => return self.subgroups(0x20),
            C::GroupNonUniformClustered => return self.subgroups(0x40),
            C::Int8 => "shaderInt8",
            C::Int16 => "shaderInt16",
            C::Int64 => "shaderInt64",
            C::Float16 => "shaderFloat16",
            C::Float64 => "shaderFloat64",
            C::StorageBuffer8BitAccess => "storageBuffer8BitAccess",
            C::StorageBuffer16BitAccess => "storageBuffer16BitAccess",
            C::PhysicalStorageBufferAddresses => "bufferDeviceAddress",
            C::VulkanMemoryModel => "vulkanMemoryModel",
            C::VulkanMemoryModelDeviceScope => "vulkanMemoryModelDeviceScope",
            C::WorkgroupMemoryExplicitLayoutKHR => "workgroupMemoryExplicitLayout",
            C::WorkgroupMemoryExplicitLayout8BitAccessKHR => "workgroupMemoryExplicitLayout8BitAccess",
            C::WorkgroupMemoryExplicitLayout16BitAccessKHR => "workgroupMemoryExplicitLayout16BitAccess",
            C::DotProduct | C::DotProductInput4x8BitPacked => "shaderIntegerDotProduct",
            C::StorageImageReadWithoutFormat => "shaderStorageImageReadWithoutFormat",
            C::StorageImageExtendedFormats => "shaderStorageImageExtendedFormats",
            C::StorageImageWriteWithoutFormat => "shaderStorageImageWriteWithoutFormat",
            other => return Err(NeedsError::Capability(format!("{other:?}"))),
        };
        self.features.insert(feature);
        Ok(())
    }

    fn subgroups(&mut self, bit: u32) -> Result<(), NeedsError> {
        self.subgroup_operations |= bit;
        Ok(())
    }

    fn mode(&mut self, mode: u32, operands: &[u32]) {
        let row = match ExecutionMode::from_u32(mode) {
            Some(ExecutionMode::SignedZeroInfNanPreserve) => 0,
            Some(ExecutionMode::DenormPreserve) => 1,
            Some(ExecutionMode::RoundingModeRTE) => 2,
            Some(ExecutionMode::MaximallyReconvergesKHR) => {
                self.features.insert("shaderMaximalReconvergence");
                return;
            }
            Some(ExecutionMode::SubgroupUniformControlFlowKHR) => {
                self.features.insert("shaderSubgroupUniformControlFlow");
                return;
            }
            _ => return,
        };
        let width = [16, 32, 64].iter().position(|w| operands.first() == Some(w));
        if let (Some(controls), Some(width)) = (self.float_controls.get_mut(row), width) {
            controls[width] = true;
        }
    }

    /// The first thing that a device lacks of them, by Vulkan's name.
    #[must_use]
    pub fn lacking(&self, device: &Target) -> Option<String> {
        if device.spirv_version() < self.spirv {
            return Some(format!("SPIR-V {}.{}", self.spirv.0, self.spirv.1));
        }
        let mut f = device.features.clone();
        let lacks = |name: &&&str| !feature(&mut f, name).is_some_and(|has| *has);
        if let Some(name) = self.features.iter().find(lacks) {
            return Some((*name).to_owned());
        }
        let operations = self.subgroup_operations & !f.subgroup_operations;
        if operations != 0 {
            return Some(format!("sub-group operations {operations:#x}"));
        }
        let controls = [
            ("shaderSignedZeroInfNanPreserveFloat", f.shader_signed_zero_inf_nan_preserve, true),
            ("shaderDenormPreserveFloat", f.shader_denorm_preserve, f.denorm_behavior_independence_all),
            ("shaderRoundingModeRTEFloat", f.shader_rounding_mode_rte, f.rounding_mode_independence_all),
        ];
        for ((name, has, independent), asked) in controls.into_iter().zip(self.float_controls) {
            if let Some(i) = (0..3).find(|i| asked[*i] && !has[*i]) {
                return Some(format!("{name}{}", [16, 32, 64][i]));
            }
            if !independent && asked != [asked[0]; 3] {
                return Some(format!("{name} of one width alone"));
            }
        }
        None
    }

    /// The features of a Target with these and no others: what a VkDevice must be made with.
    #[must_use]
    pub fn to_enable(&self) -> TargetFeatures {
        let mut features = TargetFeatures::default();
        for name in &self.features {
            if let Some(feature) = feature(&mut features, name) {
                *feature = true;
            }
        }
        let [zeros, denormals, rounding] = self.float_controls;
        features.shader_signed_zero_inf_nan_preserve = zeros;
        features.shader_denorm_preserve = denormals;
        features.shader_rounding_mode_rte = rounding;
        features
    }
}

/// Types and pointers as far as atomics ask for features by them: 64 bits, and floats, in buffers or in local memory.
#[derive(Default)]
struct Atomics {
    /// Integers of 64 bits.
    long: BTreeSet<u32>,
    /// The storage class of pointer types, then of values of them.
    pointers: BTreeMap<u32, u32>,
    values: BTreeMap<u32, u32>,
}

impl Atomics {
    fn note(&mut self, op: Op, operands: &[u32], features: &mut BTreeSet<&'static str>) {
        match (op, operands) {
            (Op::TypeInt, [id, 64, ..]) => drop(self.long.insert(*id)),
            (Op::TypePointer, [id, class, ..]) => drop(self.pointers.insert(*id, *class)),
            (Op::AtomicFAddEXT, [_, _, pointer, ..]) => {
                let names = ["shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd"];
                features.insert(names[usize::from(self.is_local(*pointer))]);
            }
            (Op::AtomicStore, [pointer, _, _, value]) if self.values.get(value) == Some(&u32::MAX) => {
                self.long_atomic(*pointer, features);
            }
            (_, [ty, value, rest @ ..]) => {
                if let Some(class) = self.pointers.get(ty) {
                    self.values.insert(*value, *class);
                } else if self.long.contains(ty) {
                    // No storage class: a value of 64 bits.
                    self.values.insert(*value, u32::MAX);
                    if is_atomic(op)
                        && let Some(pointer) = rest.first()
                    {
                        self.long_atomic(*pointer, features);
                    }
                }
            }
            _ => {}
        }
    }

    fn long_atomic(&self, pointer: u32, features: &mut BTreeSet<&'static str>) {
        let names = ["shaderBufferInt64Atomics", "shaderSharedInt64Atomics"];
        features.insert(names[usize::from(self.is_local(pointer))]);
    }

    fn is_local(&self, pointer: u32) -> bool {
        self.values.get(&pointer) == Some(&(StorageClass::Workgroup as u32))
    }
}

fn is_atomic(op: Op) -> bool {
    (Op::AtomicLoad as u32..=Op::AtomicXor as u32).contains(&(op as u32))
}

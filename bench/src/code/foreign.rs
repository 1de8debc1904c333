//! The inputs of a pipeline of a module from another compiler, from its SPIR-V alone.

use ash::vk;
use spirv_io::spirv::{BuiltIn, Decoration, Dim, ExecutionModel, Op, StorageClass};
use spirv_io::{ReadError, Reader};
use std::collections::HashMap;
use vk_runtime::executable::Shader;

/// The bytes of push constants, as many as every desktop driver has.
const PUSH_CONSTANTS: u32 = 256;
/// The elements of an array whose length is a specialization constant: a `__local` argument's.
const ELEMENTS: u32 = 256;

/// The reflection instruction that names the specialization constant of the sub-groups' size: clspv's "NonSemantic.ClspvReflection".
const MAX_IN_SUB_GROUP: u32 = 25;

/// A module that was read.
#[derive(Debug)]
pub struct Module {
    words: Vec<u32>,
    /// Entry points: name and interface.
    entries: Vec<(String, Vec<u32>)>,
    /// Variables: id, type of the pointer, storage class.
    variables: Vec<(u32, u32, u32)>,
    /// Definitions of types and constants, by id: the instruction and its operands.
    defined: HashMap<u32, (Op, Vec<u32>)>,
    /// Decorations of ids: id, decoration, its first operand.
    decorations: Vec<(u32, u32, u32)>,
    /// The id of a constant, the number of the specialization constant that the sub-groups' size is.
    most_in_sub_group: Option<u32>,
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(words: Vec<u32>) -> Result<Self, ReadError> {
        let (mut entries, mut variables, mut decorations) = (Vec::new(), Vec::new(), Vec::new());
        let mut defined = HashMap::new();
        let (mut reflection, mut most_in_sub_group, mut in_functions) = (None, None, false);
        let (_, reader) = Reader::new(&words)?;
        for instruction in reader {
            let instruction = instruction?;
            match instruction.op {
                Op::ExtInst
                    if Some(instruction.word(2)?) == reflection
                        && instruction.word(3)? == MAX_IN_SUB_GROUP =>
                {
                    most_in_sub_group = Some(instruction.word(4)?);
                }
                Op::ExtInstImport if instruction.string(1)?.0.starts_with("NonSemantic.ClspvReflection") => {
                    reflection = Some(instruction.word(0)?);
                }
                _ if in_functions => {}
                Op::EntryPoint if instruction.word(0)? == ExecutionModel::GLCompute as u32 => {
                    let (name, next) = instruction.string(2)?;
                    entries.push((name, instruction.rest(next).to_vec()));
                }
                Op::Decorate => {
                    let operand = instruction.rest(2).first().copied().unwrap_or_default();
                    decorations.push((instruction.word(0)?, instruction.word(1)?, operand));
                }
                Op::Variable => {
                    variables.push((instruction.word(1)?, instruction.word(0)?, instruction.word(2)?));
                }
                Op::Constant | Op::SpecConstant | Op::SpecConstantComposite | Op::ConstantComposite => {
                    defined.insert(instruction.word(1)?, (instruction.op, instruction.rest(2).to_vec()));
                }
                Op::Function => in_functions = true,
                op if format!("{op:?}").starts_with("Type") => {
                    defined.insert(instruction.word(0)?, (op, instruction.rest(1).to_vec()));
                }
                _ => {}
            }
        }
        Ok(Module { words, entries, variables, defined, decorations, most_in_sub_group })
    }

    /// The parts of the pipeline of one of its kernels; None when it has no such kernel. A kernel that requires no work-group size gets
    /// the one that is given; sub-groups have the size that is given.
    pub fn shader(&self, kernel: &str, local_size: [u32; 3], sub_group: u32) -> Option<Shader<'_>> {
        let (entry, interface) = self.entries.iter().find(|e| e.0 == kernel)?;
        let mut descriptors: Vec<_> = self
            .variables
            .iter()
            .filter(|v| interface.contains(&v.0))
            .filter_map(|(id, pointer, class)| {
                let set = self.decorated(*id, Decoration::DescriptorSet)?;
                let binding = self.decorated(*id, Decoration::Binding)?;
                Some((set, binding, self.descriptor(*pointer, *class)?))
            })
            .collect();
        // Two views of one buffer are one descriptor.
        descriptors.sort_by_key(|d| (d.0, d.1));
        descriptors.dedup_by_key(|d| (d.0, d.1));
        let mut constants = self.work_group_size(local_size);
        if let Some((_, value)) = self.most_in_sub_group.and_then(|id| self.defined.get(&id)) {
            constants.extend(value.first().map(|number| (*number, sub_group)));
        }
        for (op, operands) in self.defined.values() {
            if let (Op::TypeArray, Some(length)) = (op, operands.get(1))
                && let Some(id) = self.decorated(*length, Decoration::SpecId)
                && !constants.iter().any(|c| c.0 == id)
            {
                constants.push((id, ELEMENTS));
            }
        }
        constants.sort_unstable();
        Some(Shader { spirv: &self.words, entry, descriptors, push_constants: PUSH_CONSTANTS, constants })
    }

    fn decorated(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.iter().find(|d| (d.0, d.1) == (id, decoration as u32)).map(|d| d.2)
    }

    /// The specialization constants of the work-group's size, where the module has such.
    fn work_group_size(&self, size: [u32; 3]) -> Vec<(u32, u32)> {
        let built_in = (Decoration::BuiltIn as u32, BuiltIn::WorkgroupSize as u32);
        let parts = self
            .decorations
            .iter()
            .find(|d| (d.1, d.2) == built_in)
            .and_then(|d| self.defined.get(&d.0))
            .map_or(&[][..], |d| &d.1);
        let ids = parts.iter().zip(size);
        ids.filter_map(|(part, n)| Some((self.decorated(*part, Decoration::SpecId)?, n))).collect()
    }

    /// The type of the descriptor that a variable is.
    fn descriptor(&self, pointer: u32, class: u32) -> Option<vk::DescriptorType> {
        if class == StorageClass::StorageBuffer as u32 {
            return Some(vk::DescriptorType::STORAGE_BUFFER);
        }
        if class == StorageClass::Uniform as u32 {
            return Some(vk::DescriptorType::UNIFORM_BUFFER);
        }
        let (_, operands) = self.defined.get(&pointer)?;
        match self.defined.get(operands.get(1)?)? {
            (Op::TypeSampler, _) => Some(vk::DescriptorType::SAMPLER),
            (Op::TypeSampledImage, _) => Some(vk::DescriptorType::COMBINED_IMAGE_SAMPLER),
            (Op::TypeImage, image) => {
                let texels = image.get(1) == Some(&(Dim::DimBuffer as u32));
                Some(match (image.get(5) == Some(&2), texels) {
                    (false, false) => vk::DescriptorType::SAMPLED_IMAGE,
                    (false, true) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
                    (true, false) => vk::DescriptorType::STORAGE_IMAGE,
                    (true, true) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
                })
            }
            _ => None,
        }
    }
}

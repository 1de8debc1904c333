//! Module-scope variables: buffers, the argument block, work-group memory, inputs.
//!
//! Types in StorageBuffer, PushConstant and PhysicalStorageBuffer carry a layout, and so do those of `__local` memory that is a block
//! with views. Other Workgroup and Function types are plain twins without decorations.

use super::usage::{Elem, KernelUse, MemoryUse};
use super::{KernelState, Writer};
use crate::error::LowerError;
use crate::ir::{BuiltinInput, KernelArgKind, KernelData, LocalArena, Root, Space, Type};
use crate::kernel_info::{BlockLocation, DescriptorInfo, DescriptorKind, DescriptorSource};
use spirv_io::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};
use spirv_io::{Id, Section};

/// How a memory is reached in SPIR-V.
#[derive(Debug, Clone)]
pub(super) enum Access {
    /// A buffer block with a runtime array: one variable for each element type, and a flag that other descriptors may name the same
    /// memory while the kernel writes it.
    Buffer(Vec<(Elem, Id)>, bool),
    /// Work-group memory as a block with an array, one variable for each element type.
    LocalBlock(Vec<(Elem, Id)>),
    /// Push constants: a block of 32-bit words.
    PushWords(Id),
    /// An array of cells in Workgroup or Function storage.
    Cells {
        /// The variable.
        var: Id,
        /// Its storage class.
        class: StorageClass,
        /// The cells' type.
        elem: Elem,
        /// It is one cell, not an array.
        single: bool,
    },
}

impl Writer<'_> {
    /// Declares the variables of a kernel.
    pub(super) fn declare_roots(
        &mut self,
        kernel: &KernelData,
        used: &KernelUse,
        state: &mut KernelState,
    ) -> Result<(), LowerError> {
        let mutable = used.roots.iter().filter(|(root, _)| self.may_alias(kernel, **root)).count();
        let writes =
            used.roots.iter().any(|(root, u)| is_buffer(*root) && u.written) || used.addresses.written;
        // Device addresses may name what any descriptor does.
        let several = if self.module.noalias { mutable.min(1) } else { mutable };
        let alone = several + usize::from(used.addresses.written || used.addresses.read) <= 1;
        for (root, memory) in &used.roots {
            let access = match root {
                Root::Arg(_)
                | Root::Constants
                | Root::Globals
                | Root::Printf
                | Root::Sequence
                | Root::Window(_) => {
                    let may_alias = self.may_alias(kernel, *root);
                    let shared = may_alias && writes && !alone;
                    let noalias = !may_alias || (self.module.noalias && !shared);
                    // Writes of other running kernels are visible through atomics and fences.
                    let own = !may_alias || (noalias && !used.communicates);
                    let decorations = BufferDecorations {
                        shared,
                        aliased: memory.elems.len() > 1 || shared,
                        restrict: memory.elems.len() == 1 && noalias,
                        non_writable: !memory.written && (!writes || own),
                        coherent: memory.written && used.shares_buffers && !self.vulkan_memory_model(),
                    };
                    self.buffer(kernel, *root, memory, decorations, state)?
                }
                Root::Block => self.argument_block(kernel, memory, state)?,
                Root::LocalArg(arg) => self.local_argument(kernel, *arg, memory, state)?,
                Root::LocalArena => self.local_arena(kernel, memory, state)?,
                Root::Global(_) => self.local_variable(*root, memory, state)?,
                Root::Places => return Err(self.bug("places without windows")),
                Root::Slot(_) => return Err(self.bug("a private variable among the kernel's memories")),
            };
            state.roots.insert(*root, access);
        }
        Ok(())
    }

    /// Returns whether other names may refer to the same memory while one of them writes it: `__global` arguments without `restrict`.
    fn may_alias(&self, kernel: &KernelData, root: Root) -> bool {
        match root {
            // WebGPU refuses a buffer in two bindings of which the kernel writes one ("Usage scope validation").
            _ if self.target.features.wgsl => false,
            Root::Arg(n) => !matches!(
                kernel.args.get(n as usize).map(|a| &a.kind),
                Some(
                    KernelArgKind::Pointer { restrict: true, .. }
                        | KernelArgKind::Pointer { space: Space::Constant, .. }
                )
            ),
            Root::Globals => true,
            _ => false,
        }
    }

    /// Returns whether NonWritable would change the loads of other buffers (see `TargetFeatures`).
    pub(super) fn distrusts_non_writable(&self) -> bool {
        self.target.quirks.wrong_non_writable
    }

    fn buffer(
        &mut self,
        kernel: &KernelData,
        root: Root,
        memory: &MemoryUse,
        decorations: BufferDecorations,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let (source, name) = match root {
            Root::Arg(n) => (DescriptorSource::Argument(n), arg_name(kernel, n)),
            Root::Constants => (DescriptorSource::Constants, "constants".to_owned()),
            Root::Printf => (DescriptorSource::Printf, "printf".to_owned()),
            Root::Sequence => (DescriptorSource::Sequence, "sequence".to_owned()),
            // Windows do not alias each other.
            Root::Window(n) => (DescriptorSource::Window(n), format!("window{n}")),
            _ => (DescriptorSource::Globals, "globals".to_owned()),
        };
        let binding = state.bind(source);
        let mut views = Vec::new();
        for elem in &memory.elems {
            let ty = Type::new(elem.0, elem.1);
            let block = self.runtime_block(ty)?;
            let name = if memory.elems.len() == 1 { name.clone() } else { format!("{name}.{ty}") };
            let var = self.buffer_variable(block, binding, &name, decorations, state);
            views.push((*elem, var));
        }
        Ok(Access::Buffer(views, decorations.shared))
    }

    fn buffer_variable(
        &mut self,
        block: Id,
        binding: u32,
        name: &str,
        decorations: BufferDecorations,
        state: &mut KernelState,
    ) -> Id {
        let var = self.variable(StorageClass::StorageBuffer, block, name, state);
        let distrusted = self.distrusts_non_writable();
        self.b.decorate(var, Decoration::DescriptorSet, &[0]);
        self.b.decorate(var, Decoration::Binding, &[binding]);
        for (wanted, decoration) in [
            (decorations.aliased, Decoration::Aliased),
            (decorations.restrict && !decorations.aliased, Decoration::Restrict),
            (decorations.non_writable && !distrusted, Decoration::NonWritable),
            (decorations.coherent, Decoration::Coherent),
        ] {
            if wanted {
                self.b.decorate(var, decoration, &[]);
            }
        }
        var
    }

    fn argument_block(
        &mut self,
        kernel: &KernelData,
        memory: &MemoryUse,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let Some(plan) = &kernel.plan else { return Err(self.bug("a kernel without a plan")) };
        if memory.written {
            return Err(self.bug("a store to the argument block"));
        }
        let words = plan.block.size.div_ceil(4).max(1);
        match plan.block.location {
            BlockLocation::PushConstants => {
                let block = self.words_block(words);
                Ok(Access::PushWords(self.variable(StorageClass::PushConstant, block, "args", state)))
            }
            // `lower_addresses` reads the block through its address; what is left here is the address itself.
            BlockLocation::BufferAddress => {
                let block = self.words_block(2);
                Ok(Access::PushWords(self.variable(StorageClass::PushConstant, block, "args", state)))
            }
            BlockLocation::StorageBuffer { .. } => {
                let binding = state.bind(DescriptorSource::ArgumentBlock);
                let block = self.runtime_block(Type::I32)?;
                let decorations =
                    BufferDecorations { restrict: true, non_writable: true, ..BufferDecorations::default() };
                let var = self.buffer_variable(block, binding, "args", decorations, state);
                Ok(Access::Buffer(vec![((crate::ir::Scalar::I32, 1), var)], false))
            }
        }
    }

    /// A `__local` argument: an array whose length is a specialization constant.
    fn local_argument(
        &mut self,
        kernel: &KernelData,
        arg: u32,
        memory: &MemoryUse,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let elem = self.cell(memory)?;
        let name = arg_name(kernel, arg);
        let (length, spec_id) = self.size_constant(&format!("{name}.length"));
        state.local_args.insert(arg, (spec_id, u32::from(elem.1) * elem.0.bytes()));
        state.local_units.insert(arg, length);
        let ty = self.ty(Type::new(elem.0, elem.1))?;
        let array = self.b.push_result(Section::Globals, Op::TypeArray, None, &[ty.0, length.0]);
        let var = self.variable(StorageClass::Workgroup, array, &name, state);
        Ok(Access::Cells { var, class: StorageClass::Workgroup, elem, single: false })
    }

    /// A specialization constant for the size of a `__local` argument, and its number.
    fn size_constant(&mut self, name: &str) -> (Id, u32) {
        self.word_constant(name, 1)
    }

    /// A word that the runtime says, and the constant's number.
    pub(super) fn word_constant(&mut self, name: &str, default: u32) -> (Id, u32) {
        let u32_type = self.u32_type();
        let constant = self.b.push_result(Section::Globals, Op::SpecConstant, Some(u32_type), &[default]);
        let spec_id = self.next_spec_id;
        self.next_spec_id += 1;
        self.b.decorate(constant, Decoration::SpecId, &[spec_id]);
        self.b.name(constant, name);
        (constant, spec_id)
    }

    /// A truth value that the runtime says, false unless it does, and the constant's number.
    pub(super) fn truth_constant(&mut self, name: &str) -> Result<(Id, u32), LowerError> {
        let bool_type = self.ty(Type::BOOL)?;
        let constant = self.b.push_result(Section::Globals, Op::SpecConstantFalse, Some(bool_type), &[]);
        let spec_id = self.next_spec_id;
        self.next_spec_id += 1;
        self.b.decorate(constant, Decoration::SpecId, &[spec_id]);
        self.b.name(constant, name);
        Ok((constant, spec_id))
    }

    /// The memory that `__local` variables and arguments share: its length is computed from the arguments'
    /// sizes.
    fn local_arena(
        &mut self,
        kernel: &KernelData,
        memory: &MemoryUse,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let Some(arena) = &kernel.local_arena else { return Err(self.bug("a kernel without a local arena")) };
        let mut units = Vec::new();
        for arg in &arena.args {
            let (id, spec_id) = self.size_constant(&format!("{}.units", arg_name(kernel, *arg)));
            state.local_args.insert(*arg, (spec_id, LocalArena::UNIT));
            state.local_units.insert(*arg, id);
            units.push(id);
        }
        state.local_size = state.local_size.saturating_add(small(arena.static_bytes));
        if arena.views {
            return self.local_block(arena, &units, memory, state);
        }
        let elem = self.cell(memory)?;
        let length = self.arena_length(arena, &units, elem);
        let ty = self.ty(Type::new(elem.0, elem.1))?;
        let array = self.b.push_result(Section::Globals, Op::TypeArray, None, &[ty.0, length.0]);
        let var = self.variable(StorageClass::Workgroup, array, "local_arena", state);
        Ok(Access::Cells { var, class: StorageClass::Workgroup, elem, single: false })
    }

    /// How many elements of a type an arena has, with its arguments' units.
    fn arena_length(&mut self, arena: &LocalArena, units: &[Id], elem: Elem) -> Id {
        let elem_bytes = u32::from(elem.1) * elem.0.bytes();
        let u32_type = self.u32_type();
        let mut length = self.u32_const(small(arena.static_bytes) / elem_bytes);
        let per_unit = self.u32_const(LocalArena::UNIT / elem_bytes);
        for units in units {
            let operation = |op: Op, a: Id, b: Id| [op as u32, a.0, b.0];
            let size = operation(Op::IMul, *units, per_unit);
            let size = self.b.push_result(Section::Globals, Op::SpecConstantOp, Some(u32_type), &size);
            let sum = operation(Op::IAdd, length, size);
            length = self.b.push_result(Section::Globals, Op::SpecConstantOp, Some(u32_type), &sum);
        }
        length
    }

    /// An arena as a block: a variable for each element type, all with the same memory. All blocks of an entry point have one address
    /// and are Aliased (SPV_KHR_workgroup_memory_explicit_layout).
    fn local_block(
        &mut self,
        arena: &LocalArena,
        units: &[Id],
        memory: &MemoryUse,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let f = &self.target.features;
        let (bytes, halves) =
            (f.workgroup_memory_explicit_layout_8bit_access, f.workgroup_memory_explicit_layout_16bit_access);
        self.require(f.workgroup_memory_explicit_layout, "workgroupMemoryExplicitLayout")?;
        self.b.extension("SPV_KHR_workgroup_memory_explicit_layout");
        self.b.capability(Capability::WorkgroupMemoryExplicitLayoutKHR);
        let mut views = Vec::new();
        for elem in &memory.elems {
            match elem.0.bytes() {
                1 => {
                    self.require(bytes, "workgroupMemoryExplicitLayout8BitAccess")?;
                    self.b.capability(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR);
                }
                2 => {
                    self.require(halves, "workgroupMemoryExplicitLayout16BitAccess")?;
                    self.b.capability(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR);
                }
                _ => {}
            }
            let element = Type::new(elem.0, elem.1);
            let (ty, length) = (self.ty(element)?, self.arena_length(arena, units, *elem));
            let array = self.b.push_result(Section::Globals, Op::TypeArray, None, &[ty.0, length.0]);
            self.b.decorate(array, Decoration::ArrayStride, &[element.bytes()]);
            let block = self.block_of(array);
            let var = self.variable(StorageClass::Workgroup, block, &format!("local.{element}"), state);
            self.b.decorate(var, Decoration::Aliased, &[]);
            views.push((*elem, var));
        }
        Ok(Access::LocalBlock(views))
    }

    /// A `__local` variable.
    fn local_variable(
        &mut self,
        root: Root,
        memory: &MemoryUse,
        state: &mut KernelState,
    ) -> Result<Access, LowerError> {
        let Root::Global(global) = root else { return Err(self.bug("not a variable")) };
        let Some(data) = self.module.globals.get(global) else { return Err(self.bug("no such variable")) };
        if data.space != Space::Local {
            return Err(self.bug(format_args!("{} variable '{}' is left", data.space, data.name)));
        }
        let elem = self.cell(memory)?;
        let (array, single) = self.cells_type(elem, data.size)?;
        let align = data.align.max(1);
        let start = state.local_size.checked_next_multiple_of(align).unwrap_or(u32::MAX);
        state.local_size = start.saturating_add(small(data.size));
        let name = data.name.clone();
        let var = self.variable(StorageClass::Workgroup, array, &name, state);
        Ok(Access::Cells { var, class: StorageClass::Workgroup, elem, single })
    }

    /// The one element type of Workgroup or Function memory; `lower_addresses` gave it one.
    pub(super) fn cell(&self, memory: &MemoryUse) -> Result<Elem, LowerError> {
        let mut elems = memory.elems.iter();
        match (elems.next(), elems.next()) {
            (Some(elem), None) => Ok(*elem),
            _ => Err(self.bug("local or private memory that is seen as several types")),
        }
    }

    /// The undecorated type of `size` bytes of cells, and whether it is a single cell.
    pub(super) fn cells_type(&mut self, elem: Elem, size: u64) -> Result<(Id, bool), LowerError> {
        let ty = self.ty(Type::new(elem.0, elem.1))?;
        let count = size.div_ceil(u64::from(elem.0.bytes()) * u64::from(elem.1)).max(1);
        if count == 1 {
            return Ok((ty, true));
        }
        let length = self.u32_const(small(count));
        Ok((self.b.unique(Op::TypeArray, None, &[ty.0, length.0]), false))
    }

    /// A module-scope variable, named and in the kernel's interface (before SPIR-V 1.4 that lists only
    /// inputs).
    pub(super) fn variable(
        &mut self,
        class: StorageClass,
        to: Id,
        name: &str,
        state: &mut KernelState,
    ) -> Id {
        let pointer = self.pointer(class, to);
        let var = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class as u32]);
        if !name.is_empty() {
            self.b.name(var, name);
        }
        if class == StorageClass::Input || self.target.spirv_version() >= (1, 4) {
            state.interface.push(var);
        }
        var
    }

    /// The variable of a Vulkan input and whether it is a vector. Inputs are shared between kernels.
    pub(super) fn input(
        &mut self,
        input: BuiltinInput,
        state: &mut KernelState,
    ) -> Result<(Id, bool), LowerError> {
        let (builtin, vector, subgroup) = match input {
            BuiltinInput::GlobalInvocationId => (BuiltIn::GlobalInvocationId, true, false),
            BuiltinInput::LocalInvocationId => (BuiltIn::LocalInvocationId, true, false),
            BuiltinInput::WorkgroupId => (BuiltIn::WorkgroupId, true, false),
            BuiltinInput::NumWorkgroups => (BuiltIn::NumWorkgroups, true, false),
            BuiltinInput::LocalInvocationIndex => (BuiltIn::LocalInvocationIndex, false, false),
            BuiltinInput::SubgroupSize => (BuiltIn::SubgroupSize, false, true),
            BuiltinInput::SubgroupId => (BuiltIn::SubgroupId, false, true),
            BuiltinInput::SubgroupLocalInvocationId => (BuiltIn::SubgroupLocalInvocationId, false, true),
        };
        if subgroup {
            self.require(self.target.features.subgroup_operations & 1 != 0, "VK_SUBGROUP_FEATURE_BASIC_BIT")?;
            self.b.capability(Capability::GroupNonUniform);
        }
        if let Some(var) = self.inputs.get(&input) {
            if !state.interface.contains(var) {
                state.interface.push(*var);
            }
            return Ok((*var, vector));
        }
        let ty = if vector { self.ty(Type::Vector(crate::ir::Scalar::I32, 3))? } else { self.u32_type() };
        let var = self.variable(StorageClass::Input, ty, &format!("{input:?}"), state);
        self.b.decorate(var, Decoration::BuiltIn, &[builtin as u32]);
        self.inputs.insert(input, var);
        Ok((var, vector))
    }
}

impl KernelState {
    /// The next binding of set 0.
    fn bind(&mut self, source: DescriptorSource) -> u32 {
        self.bind_as(source, DescriptorKind::StorageBuffer)
    }

    /// The next binding of set 0, for another kind of descriptor.
    pub(super) fn bind_as(&mut self, source: DescriptorSource, kind: DescriptorKind) -> u32 {
        let binding = self.descriptors.len() as u32;
        self.descriptors.push(DescriptorInfo { binding, kind, source });
        binding
    }
}

/// The decorations of a buffer's variables. `Restrict` is Vulkan's default, but drivers make more of the explicit decoration.
#[derive(Debug, Clone, Copy, Default)]
struct BufferDecorations {
    /// Other descriptors may name the same memory while the kernel writes it.
    shared: bool,
    aliased: bool,
    restrict: bool,
    non_writable: bool,
    coherent: bool,
}

fn is_buffer(root: Root) -> bool {
    matches!(root, Root::Arg(_) | Root::Globals)
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

pub(super) fn arg_name(kernel: &KernelData, arg: u32) -> String {
    match kernel.args.get(arg as usize) {
        Some(a) if !a.name.is_empty() => a.name.clone(),
        _ => format!("arg{arg}"),
    }
}

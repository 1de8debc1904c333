//! The data of a launch: specialization constants, the argument block, how many work-groups.

use crate::Variant;
use lower::KernelInfo;
use lower::kernel_info::{ArgKind, BlockSource, DataBlock, Windows};
use lower::target::MAX_BUFFER_SIZE;

/// Why a launch is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LaunchError(pub String);

fn wrong<T>(what: impl Into<String>) -> Result<T, LaunchError> {
    Err(LaunchError(what.into()))
}

/// A kernel of a variant.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<'a> {
    variant: &'a Variant,
    info: &'a KernelInfo,
}

/// An NDRange of one vkCmdDispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// How many dimensions get_work_dim tells.
    pub dimensions: u32,
    /// Work-items; 1 in the dimensions that there are not.
    pub global: [u32; 3],
    /// The first global id.
    pub offset: [u32; 3],
    /// Work-items of a work-group.
    pub local: [u32; 3],
}

impl Launch {
    /// Without an offset, in as many dimensions as have more than one work-item.
    #[must_use]
    pub fn new(global: [u32; 3], local: [u32; 3]) -> Self {
        let dimensions = (1..=3).rev().find(|d| global[*d - 1] > 1).unwrap_or(1) as u32;
        Launch { dimensions, global, offset: [0; 3], local }
    }
}

/// A part of an NDRange with work-groups of one size: one dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first work-item, without the NDRange's offset.
    pub start: [u32; 3],
    /// Work-items.
    pub global: [u32; 3],
    /// Work-items of a work-group.
    pub local: [u32; 3],
    /// Work-groups, for vkCmdDispatch.
    pub groups: [u32; 3],
}

/// A kernel argument.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    /// A buffer. Its address (vkGetBufferDeviceAddress, plus the offset) is needed where a member of the block asks for it; bytes
    /// that the kernel may reach from there.
    Buffer {
        /// The address; 0 where the kernel takes descriptors alone.
        address: u64,
        /// Bytes.
        size: u64,
    },
    /// A value's bytes, as clSetKernelArg takes them.
    Value(&'a [u8]),
    /// Bytes of a `__local` pointer's memory.
    Local(u32),
    /// An image: what get_image_… tell.
    Image {
        /// The channel order in the low half, the channel data type in the high half, by OpenCL's numbers.
        format: u32,
        /// Mip levels.
        levels: u16,
        /// Samples of a texel.
        samples: u16,
        /// Width, height, depth; layers follow the dimensions.
        size: [u32; 3],
        /// The address of its buffer, where the kernel has images in buffers and asks for it; else 0.
        address: u64,
    },
    /// A sampler: bit 0 normalized coordinates, bits 1 to 3 the addressing mode, bits 4 and 5 the filter, as in
    /// [`SamplerSource`](lower::kernel_info::SamplerSource).
    Sampler(u32),
}

/// Device addresses of what a program has besides its arguments; 0 where the kernel takes descriptors. For a kernel of the packed
/// model they are places, as those of the arguments ([`KernelInfo::windows`](lower::KernelInfo)).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Addresses {
    /// In the packed model: the places at which the buffers begin that are bound as windows, ascending; 0 for those that are not used,
    /// to which any buffer may be bound.
    pub windows: [u64; 4],
    /// The buffer of [`data`]'s constants.
    pub constants: u64,
    /// The buffer of [`data`]'s variables.
    pub globals: u64,
    /// The buffer for the text of printf, and for whether loops were ended ([`KernelInfo::takes_buffer`]).
    pub printf: u64,
    /// The buffer for the argument block, where it has an address ([`BlockLocation`](lower::kernel_info::BlockLocation)).
    pub block: u64,
}

impl<'a> Kernel<'a> {
    /// A kernel by its name.
    ///
    /// # Errors
    /// There is none of this name.
    pub fn new(variant: &'a Variant, name: &str) -> Result<Self, LaunchError> {
        match variant.kernel(name) {
            Some(info) => Ok(Kernel { variant, info }),
            None => wrong(format!("there is no kernel '{name}'")),
        }
    }

    /// The module that it is in, as vkCreateShaderModule takes it.
    #[must_use]
    pub fn spirv(&self) -> &'a [u32] {
        &self.variant.lowered.spirv
    }

    /// Its arguments, descriptors and block.
    #[must_use]
    pub fn info(&self) -> &'a KernelInfo {
        self.info
    }

    /// The work-groups for vkCmdDispatch.
    ///
    /// # Errors
    /// Work-groups that do not divide the NDRange ([`KernelInfo::guarded`] apart), are not as the kernel requires, or have too many work-items for the variant; ids
    /// of more than 32 bits. The device's own limits are the application's to check.
    pub fn groups(&self, launch: &Launch) -> Result<[u32; 3], LaunchError> {
        let Launch { global, local, .. } = *launch;
        for d in 0..3 {
            let divides = local[d] != 0 && global[d].is_multiple_of(local[d]);
            if !divides && !self.info.guarded()[d] {
                return wrong(format!("work-groups of {local:?} do not divide an NDRange of {global:?}"));
            }
        }
        self.all_groups(launch)
    }

    /// The parts of an NDRange that work-groups need not divide: up to eight, of which the first has the whole work-groups. They are to be
    /// dispatched with what [`part_specialization`](Self::part_specialization) and [`part_block`](Self::part_block) give.
    ///
    /// # Errors
    /// As [`groups`](Self::groups); work-groups that do not divide the NDRange are wrong only before OpenCL C 2.0, or where the kernel has loops
    /// over its work-items.
    pub fn parts(&self, launch: &Launch) -> Result<Vec<Part>, LaunchError> {
        let Launch { global, local, .. } = *launch;
        let splits = self.variant.traits.non_uniform && self.info.work_item_loops.is_none();
        if !splits || local.contains(&0) {
            let groups = self.groups(launch)?;
            return Ok(vec![Part { start: [0; 3], global, local, groups }]);
        }
        self.all_groups(launch)?;
        let guarded = self.info.guarded();
        // Where each part begins and ends in each dimension.
        let ranges = [0, 1, 2].map(|d| {
            let whole = if guarded[d] { global[d] } else { global[d] - global[d] % local[d] };
            [(0, whole), (whole, global[d])]
        });
        let mut parts = Vec::new();
        for n in 0..8usize {
            let of = [0, 1, 2].map(|d| ranges[d][n >> d & 1]);
            let global = of.map(|(start, end)| end - start);
            let local = [0, 1, 2].map(|d| if n >> d & 1 == 0 { local[d] } else { global[d] });
            if !global.contains(&0) {
                let groups = [0, 1, 2].map(|d| global[d].div_ceil(local[d]));
                parts.push(Part { start: of.map(|(start, _)| start), global, local, groups });
            }
        }
        Ok(parts)
    }

    /// The work-groups of an NDRange, those that are cut off included.
    fn all_groups(&self, launch: &Launch) -> Result<[u32; 3], LaunchError> {
        let Launch { global, offset, local, .. } = *launch;
        if local.contains(&0) {
            return wrong(format!("work-groups of {local:?}"));
        }
        if self.info.reqd_work_group_size.is_some_and(|size| size != local) {
            return wrong(format!("kernel '{}' requires another work-group size", self.info.name));
        }
        let items: u64 = local.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
        let most = self.variant.target.limits.max_compute_work_group_invocations;
        if self.variant.traits.group_functions && items > u64::from(most) {
            return wrong(format!("work-groups of this program have at most {most} work-items"));
        }
        let size = u64::from(self.variant.target.limits.subgroup_size.max(1));
        if self.info.required_sub_groups.is_some_and(|n| u64::from(n) != items.div_ceil(size)) {
            return wrong(format!("kernel '{}' requires another number of sub-groups", self.info.name));
        }
        let mut groups = [0; 3];
        for d in 0..3 {
            if offset[d].checked_add(global[d]).is_none() {
                return wrong("global ids have 32 bits");
            }
            groups[d] = global[d].div_ceil(local[d]);
        }
        Ok(groups)
    }

    /// Specialization constants: ids with values of 32 bits.
    ///
    /// # Errors
    /// Arguments that are not the kernel's.
    pub fn specialization(&self, launch: &Launch, args: &[Arg<'_>]) -> Result<Vec<(u32, u32)>, LaunchError> {
        self.check(args)?;
        let mut constants = Vec::new();
        if let Some(ids) = self.info.work_group_size_ids {
            constants.extend(ids.into_iter().zip(launch.local));
        }
        // The form that is right wherever buffers lie.
        constants.extend(self.info.crossing_id.map(|id| (id, 1)));
        constants.extend(self.info.windows.and_then(|w| w.several_id).map(|id| (id, 1)));
        for (arg, info) in args.iter().zip(&self.info.args) {
            if let (Arg::Local(bytes), ArgKind::Local { spec_id: Some(id), unit, .. }) = (arg, &info.kind) {
                constants.push((*id, bytes.div_ceil((*unit).max(1)).max(1)));
            }
        }
        Ok(constants)
    }

    /// Specialization constants of a part of an NDRange.
    ///
    /// # Errors
    /// Arguments that are not the kernel's.
    pub fn part_specialization(
        &self,
        launch: &Launch,
        part: &Part,
        args: &[Arg<'_>],
    ) -> Result<Vec<(u32, u32)>, LaunchError> {
        self.specialization(&Launch { local: part.local, ..*launch }, args)
    }

    /// The bytes of the argument block: push constants, or what the buffer of [`ArgumentBlock::place`](lower::kernel_info::ArgumentBlock)
    /// holds.
    ///
    /// # Errors
    /// As [`groups`](Self::groups) and [`specialization`](Self::specialization); an address that is needed is 0.
    pub fn block(
        &self,
        launch: &Launch,
        args: &[Arg<'_>],
        addresses: &Addresses,
    ) -> Result<Vec<u8>, LaunchError> {
        let groups = self.groups(launch)?;
        let part = Part { start: [0; 3], global: launch.global, local: launch.local, groups };
        self.part_block(launch, &part, args, addresses)
    }

    /// The bytes of the argument block of a part of an NDRange.
    ///
    /// # Errors
    /// As [`block`](Self::block).
    pub fn part_block(
        &self,
        launch: &Launch,
        part: &Part,
        args: &[Arg<'_>],
        addresses: &Addresses,
    ) -> Result<Vec<u8>, LaunchError> {
        self.check(args)?;
        self.check_places(args, addresses)?;
        let groups = self.all_groups(launch)?;
        let mut block = vec![0; self.info.block.size as usize];
        for member in &self.info.block.members {
            let start = member.offset as usize;
            let place = start
                .checked_add(member.size as usize)
                .and_then(|end| block.get_mut(start..end))
                .ok_or_else(|| LaunchError("a member lies outside the argument block".to_owned()))?;
            put(place, member.source, (launch, part), groups, args, addresses)?;
        }
        Ok(block)
    }

    /// Returns whether buffers have places, and these are in the windows, where the kernel asks for such.
    fn check_places(&self, args: &[Arg<'_>], addresses: &Addresses) -> Result<(), LaunchError> {
        let Some(windows) = &self.info.windows else { return Ok(()) };
        let used = addresses.windows.iter().take_while(|start| **start != 0).count();
        let starts = &addresses.windows[..used];
        let given = (1..=windows.count as usize).contains(&used) || windows.count == 0;
        if !given || !starts.is_sorted() || addresses.windows[used..].iter().any(|start| *start != 0) {
            return wrong(format!("1 to {} windows are needed, ascending by their places", windows.count));
        }
        for (n, arg) in args.iter().enumerate() {
            let Arg::Buffer { address: place, size } = arg else { continue };
            let end = place.checked_add(*size).filter(|end| *end <= Windows::END);
            let seen =
                *place == 0 || windows.count == 0 || starts.first().is_some_and(|start| start <= place);
            if !place.is_multiple_of(16) || end.is_none() || !seen {
                return wrong(format!(
                    "argument {n} needs a place in a window: a multiple of 16 below 2^31, and 0 for NULL"
                ));
            }
        }
        Ok(())
    }

    /// Returns whether the arguments are of the kernel's kinds.
    fn check(&self, args: &[Arg<'_>]) -> Result<(), LaunchError> {
        let infos = &self.info.args;
        if args.len() != infos.len() {
            let (name, takes) = (&self.info.name, infos.len());
            return wrong(format!("kernel '{name}' takes {takes} arguments, {} are given", args.len()));
        }
        for (n, (arg, info)) in args.iter().zip(infos).enumerate() {
            let fits = match (arg, &info.kind) {
                (Arg::Buffer { size, .. }, ArgKind::Buffer { .. }) => {
                    // What the variant was made for: pointers may be of 32 bits, and offsets.
                    let limits = &self.variant.target.limits;
                    let wide = self.variant.target.features.shader_int64;
                    wide || *size <= limits.max_storage_buffer_range
                }
                (Arg::Local(_), ArgKind::Local { .. })
                | (Arg::Image { .. }, ArgKind::Image(_))
                | (Arg::Sampler(_), ArgKind::Sampler) => true,
                (Arg::Value(bytes), ArgKind::Value { size }) => bytes.len() == *size as usize,
                _ => false,
            };
            if matches!(arg, Arg::Buffer { size, .. } if self.info.aligned && *size > MAX_BUFFER_SIZE) {
                return wrong(format!("argument {n} ('{}') needs a buffer of less than 4 GiB", info.name));
            }
            if !fits {
                return wrong(format!("argument {n} ('{}') is another one: {:?}", info.name, info.kind));
            }
        }
        Ok(())
    }
}

/// Writes one member of the block.
fn put(
    place: &mut [u8],
    source: BlockSource,
    (launch, part): (&Launch, &Part),
    groups: [u32; 3],
    args: &[Arg<'_>],
    addresses: &Addresses,
) -> Result<(), LaunchError> {
    let arg = |n: u32| args.get(n as usize);
    let at = |of: [u32; 3], d: u32| of.get(d as usize).copied().map(u64::from);
    let there = |address: u64| (address != 0).then_some(address);
    let number = match source {
        BlockSource::Argument(n) => {
            let Some(Arg::Value(bytes)) = arg(n) else { return wrong(format!("argument {n} is no value")) };
            let count = bytes.len().min(place.len());
            place[..count].copy_from_slice(&bytes[..count]);
            return Ok(());
        }
        BlockSource::ArgumentAddress(n) => match arg(n) {
            // A null pointer is one, too.
            Some(Arg::Buffer { address, .. } | Arg::Image { address, .. }) => Some(*address),
            _ => None,
        },
        BlockSource::GlobalIdBase(d) => {
            at(launch.offset, d).zip(at(part.start, d)).map(|(offset, start)| offset + start)
        }
        BlockSource::GlobalOffset(d) => at(launch.offset, d),
        BlockSource::GlobalSize(d) => at(launch.global, d),
        // A launch here has sizes and offsets of 32 bits.
        BlockSource::GlobalIdBaseHigh(_)
        | BlockSource::GlobalOffsetHigh(_)
        | BlockSource::GlobalSizeHigh(_) => Some(0),
        BlockSource::NumGroups(d) => at(groups, d),
        BlockSource::GroupBase(d) => {
            at(part.start, d).zip(at(launch.local, d)).map(|(start, local)| start / local.max(1))
        }
        // Pointers that kernels keep are addresses.
        BlockSource::SharedBase => Some(0),
        BlockSource::DispatchSize(d) => {
            let (size, local) = (at(part.global, d), at(part.local, d));
            size.zip(local).map(|(size, local)| if size.is_multiple_of(local.max(1)) { 0 } else { size })
        }
        BlockSource::EnqueuedLocalSize(d) => at(launch.local, d),
        BlockSource::WorkDim => Some(launch.dimensions.into()),
        BlockSource::ConstantsAddress => there(addresses.constants),
        BlockSource::GlobalsAddress => there(addresses.globals),
        BlockSource::PrintfAddress => there(addresses.printf),
        // Bundles' programs have words of their own; those of the OpenCL API's binaries are that library's.
        BlockSource::SequenceAddress => None,
        BlockSource::WindowStart(n) => {
            let start = addresses.windows.get(n as usize).copied().filter(|start| *start != 0);
            Some(start.unwrap_or(u32::MAX.into()))
        }
        BlockSource::ImageFormat(n) => match arg(n) {
            Some(Arg::Image { format, .. }) => Some(u64::from(*format)),
            _ => None,
        },
        BlockSource::ImageLevels(n) => match arg(n) {
            Some(Arg::Image { levels, samples, .. }) => {
                Some(u64::from(*levels) | u64::from(*samples.max(&1)) << 16)
            }
            _ => None,
        },
        BlockSource::ImageSize { arg: n, dim } => match arg(n) {
            Some(Arg::Image { size, .. }) => at(*size, dim),
            _ => None,
        },
        BlockSource::ArgumentSize(n) => match arg(n) {
            Some(Arg::Buffer { size, .. }) => Some(*size),
            Some(Arg::Local(size)) => Some(u64::from(*size)),
            _ => None,
        },
        BlockSource::ArgumentBefore(_) | BlockSource::ArgumentShadow(_) | BlockSource::ArgumentContent(_) => {
            Some(0)
        }
        BlockSource::Sampler(n) => match arg(n) {
            Some(Arg::Sampler(bits)) => Some(u64::from(*bits)),
            _ => None,
        },
    };
    let Some(number) = number else {
        return wrong(format!("what {source:?} of the argument block needs is not given"));
    };
    let bytes = number.to_le_bytes();
    let count = place.len().min(bytes.len());
    place[..count].copy_from_slice(&bytes[..count]);
    Ok(())
}

/// The first bytes of the program's constants and of its variables, each for a buffer of its own, empty where there is none: the
/// addresses of these buffers are needed where some of the data are pointers.
///
/// # Errors
/// An address that is needed is 0.
pub fn data(variant: &Variant, addresses: &Addresses) -> Result<[Vec<u8>; 2], LaunchError> {
    let all = &variant.lowered.program_data;
    Ok([relocated(&all.constants, addresses)?, relocated(&all.globals, addresses)?])
}

fn relocated(block: &DataBlock, addresses: &Addresses) -> Result<Vec<u8>, LaunchError> {
    let mut bytes = block.bytes.clone();
    for relocation in &block.relocations {
        let address = if relocation.to_globals { addresses.globals } else { addresses.constants };
        let width = (relocation.bytes as usize).min(8);
        let start = usize::try_from(relocation.at).unwrap_or(usize::MAX);
        let place = start.checked_add(width).and_then(|end| bytes.get_mut(start..end));
        let (Some(place), true) = (place, address != 0) else {
            return wrong("the program's data have addresses in them, which are not given");
        };
        let mut sum = [0; 8];
        sum[..width].copy_from_slice(place);
        let sum = u64::from_le_bytes(sum).wrapping_add(address).to_le_bytes();
        place.copy_from_slice(&sum[..width]);
    }
    Ok(bytes)
}

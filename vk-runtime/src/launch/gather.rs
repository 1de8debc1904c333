//! Launches of the packed model whose buffers need more memory than their kernel sees at once.
//!
//! A kernel sees as many blocks as it has windows ([`Windows`](lower::kernel_info::Windows)). If its arguments need more, some of them
//! are copied into memory that lies together, the launch works there, and what it may have written is copied back: each is a command of
//! the stream, in order. That takes time for each byte of these arguments, at each launch.
//!
//! Arguments elsewhere have other places. So a kernel that may store places is refused, and what others stored places of stays where it
//! is. Memory that cannot be seen at once at all is refused, too: more than the device's descriptors show.

use std::sync::Arc;

use lower::kernel_info::{ArgInfo, ArgKind};
use smallvec::SmallVec;

use crate::error::RuntimeError;
use crate::kernel::arguments::ArgValue;
use crate::kernel::ndrange::NdRange;
use crate::kernel::packed_bindings::{TooMany, Window};
use crate::kernel::program::Kernel;
use crate::launch::dispatch::DispatchExtras;
use crate::memory::allocator::BufferUse;
use crate::memory::buffer::Buffer;
use crate::memory::packed_addresses::PackedAddresses;
use crate::stream::queue::Queue;
use timeline::Point;

/// Bytes of a buffer that arguments name.
#[derive(Clone, Copy)]
struct Extent<'a> {
    buffer: &'a Buffer,
    /// Rounded down to where buffers may begin.
    start: u64,
    end: u64,
}

impl Extent<'_> {
    /// Returns what it takes elsewhere.
    fn room(&self) -> u64 {
        (self.end - self.start).next_multiple_of(PackedAddresses::ALIGN).max(PackedAddresses::ALIGN)
    }
}

/// The arguments in one window.
struct Group<'a> {
    window: Window,
    extents: SmallVec<[Extent<'a>; 4]>,
}

impl<'a> Group<'a> {
    /// Two arguments that share bytes share them elsewhere.
    fn add(&mut self, extent: Extent<'a>) {
        let same = |known: &&mut Extent<'_>| Arc::ptr_eq(&known.buffer.inner, &extent.buffer.inner);
        match self.extents.iter_mut().find(same) {
            Some(known) => {
                (known.start, known.end) = (known.start.min(extent.start), known.end.max(extent.end));
            }
            None => self.extents.push(extent),
        }
    }

    fn room(&self) -> u64 {
        self.extents.iter().map(Extent::room).sum()
    }
}

/// The places of extents: which of the new buffers, and where in it.
struct Plan<'a> {
    moved: Vec<(Extent<'a>, usize, u64)>,
    /// The bytes of each new buffer.
    sizes: Vec<u64>,
}

/// Data that goes back: bytes of a new buffer, and where they are from.
struct Written<'a> {
    there: &'a Buffer,
    at: u64,
    buffer: &'a Buffer,
    offset: u64,
    size: u64,
}

/// The buffer of an argument, its first byte, and its bytes.
fn part<'a>(value: &ArgValue<'a>) -> Option<(&'a Buffer, u64, u64)> {
    match *value {
        ArgValue::Buffer(buffer) => Some((buffer, 0, buffer.size())),
        ArgValue::BufferRange { buffer, offset, size } => Some((buffer, offset, size)),
        _ => None,
    }
}

impl Queue {
    /// Records a launch whose arguments are in too many blocks.
    ///
    /// # Errors
    /// Unsupported where no arrangement of the arguments helps; else as [`dispatch_with`](Self::dispatch_with).
    pub(crate) fn dispatch_gathered(
        &self,
        excess: Box<TooMany>,
        (kernel, args): (&Kernel, &[ArgValue<'_>]),
        range: &NdRange,
        extras: &DispatchExtras<'_>,
    ) -> Result<Point, RuntimeError> {
        let Some(plan) = self.plan(&excess, args)? else { return Err(excess.error()) };
        let device = self.device();
        let new = plan.sizes.iter().map(|size| device.create_buffer(*size, BufferUse::Device));
        let new = new.collect::<Result<Vec<_>, _>>()?;
        let elsewhere = |buffer: &Buffer| {
            plan.moved.iter().find(|(extent, _, _)| Arc::ptr_eq(&extent.buffer.inner, &buffer.inner))
        };
        // Windows show the whole of blocks, which the copies' buffers lie in.
        self.barrier()?;
        for (extent, n, at) in &plan.moved {
            let to = new.get(*n).ok_or_else(|| RuntimeError::bug("an argument that goes nowhere"))?;
            self.copy_buffer(extent.buffer, extent.start, to, *at, extent.end - extent.start)?;
        }
        let mut moved: SmallVec<[ArgValue<'_>; 8]> = SmallVec::from_slice(args);
        let mut back: SmallVec<[Written<'_>; 8]> = SmallVec::new();
        // Behind a kernel's own arguments comes printf's buffer.
        for (index, value) in moved.iter_mut().enumerate().take(kernel.info().args.len()) {
            let Some((buffer, offset, size)) = part(value) else { continue };
            let Some((extent, n, at)) = elsewhere(buffer) else { continue };
            let (there, at) = (&new[*n], at + (offset - extent.start));
            *value = ArgValue::BufferRange { buffer: there, offset: at, size };
            if writes(kernel.info().args.get(index)) {
                back.push(Written { there, at, buffer, offset, size });
            }
        }
        self.barrier()?;
        let mut point = self.dispatch_here(kernel, &moved, range, extras)?;
        self.barrier()?;
        for Written { there, at, buffer, offset, size } in back {
            point = self.copy_buffer(there, at, buffer, offset, size)?;
        }
        self.barrier()?;
        Ok(point)
    }

    /// Returns which arguments are to go where; `None` where nothing helps.
    fn plan<'a>(&self, excess: &TooMany, args: &[ArgValue<'a>]) -> Result<Option<Plan<'a>>, RuntimeError> {
        let device = self.device_inner();
        let left = excess.most.checked_sub(excess.fixed.len()).filter(|_| excess.movable);
        let (Some(left), true) = (left, excess.fixed.iter().all(|window| window.is_whole(device))) else {
            return Ok(None);
        };
        let mut groups = groups(excess, args)?;
        // The largest stay.
        groups.sort_by_key(|group| (!group.window.is_whole(device), std::cmp::Reverse(group.room())));
        let range =
            device.target.limits.max_storage_buffer_range / PackedAddresses::ALIGN * PackedAddresses::ALIGN;
        let plans = (1..=left).map(|new| {
            let stay =
                groups.iter().take(left - new).take_while(|group| group.window.is_whole(device)).count();
            pack(groups.iter().skip(stay).flat_map(|group| &group.extents), new, range)
        });
        Ok(plans.flatten().next())
    }
}

fn writes(arg: Option<&ArgInfo>) -> bool {
    arg.is_some_and(|arg| matches!(arg.kind, ArgKind::Buffer { written: true, .. }))
}

/// The arguments that may go elsewhere, by their windows.
fn groups<'a>(excess: &TooMany, args: &[ArgValue<'a>]) -> Result<Vec<Group<'a>>, RuntimeError> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (buffer, offset, size) in
        args.iter().filter(|a| !matches!(a, ArgValue::Printf(_) | ArgValue::Contents(_))).filter_map(part)
    {
        let window = Window::of_buffer(&buffer.inner)?;
        if excess.fixed.iter().any(|fixed| fixed.start() == window.start()) {
            continue;
        }
        let (start, end) = (offset / PackedAddresses::ALIGN * PackedAddresses::ALIGN, offset + size);
        let extent = Extent { buffer, start, end: end.min(buffer.size()) };
        match groups.iter_mut().find(|group| group.window.start() == window.start()) {
            Some(group) => group.add(extent),
            None => groups.push(Group { window, extents: SmallVec::from_slice(&[extent]) }),
        }
    }
    Ok(groups)
}

/// Puts extents into so many buffers of so many bytes, the largest first, each where it first fits.
fn pack<'a: 'b, 'b>(
    extents: impl Iterator<Item = &'b Extent<'a>>,
    count: usize,
    range: u64,
) -> Option<Plan<'a>> {
    let mut extents: Vec<Extent<'a>> = extents.copied().collect();
    extents.sort_by_key(|extent| std::cmp::Reverse(extent.room()));
    let mut plan = Plan { moved: Vec::new(), sizes: Vec::new() };
    for extent in extents {
        let fits = |size: &u64| range.checked_sub(*size).is_some_and(|left| extent.room() <= left);
        let n = match plan.sizes.iter().position(fits) {
            Some(n) => n,
            None if plan.sizes.len() < count && fits(&0) => {
                plan.sizes.push(0);
                plan.sizes.len() - 1
            }
            None => return None,
        };
        let size = plan.sizes.get_mut(n)?;
        plan.moved.push((extent, n, *size));
        *size += extent.room();
    }
    Some(plan)
}

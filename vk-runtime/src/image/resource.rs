//! Images: Vulkan images with their memory and views, and samplers.
//!
//! An image is in VK_IMAGE_LAYOUT_GENERAL from its first command on, which [`Device::create_image`](crate::Device::create_image) records. Where a box in an
//! image is named ([`ImageBox`]), the third coordinate is the slice of a 3D image, or the layer of an array.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use ash::vk;

use lower::kernel_info::{ImageAccess, ImageDim as ArgDim};

use crate::device::external::{External, MemoryHandle};
use crate::device::logical::DeviceInner;
use crate::device::physical::PhysicalDevice;
use crate::device::retained::Retained;
use crate::error::{Call, RuntimeError, UserError};
use crate::memory::allocator::{Holder, MemoryPart};
use crate::memory::buffer::Marks;
use crate::memory::storage_pool::PooledImage;

pub use crate::device::image_desc::{ImageDesc, ImageDim};
pub use ash::vk::Format;

/// A box of texels: where it begins and its size. The third coordinate is the slice, or the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageBox {
    /// The mip level.
    pub level: u32,
    /// Its first texel.
    pub origin: [u32; 3],
    /// How many texels in each direction.
    pub size: [u32; 3],
}

/// The source of a channel of a sampled texel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Channel {
    R,
    G,
    B,
    A,
    Zero,
    One,
}

/// The uses of a format's images on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormatUses {
    /// Sampled images.
    pub sampled: bool,
    /// Sampled images with linear filters.
    pub linear: bool,
    /// Storage images.
    pub storage: bool,
    /// Kernels read storage images that do not say their format.
    pub loaded: bool,
    /// Kernels write such.
    pub stored: bool,
    /// Uniform texel buffers.
    pub texel_sampled: bool,
    /// Storage texel buffers.
    pub texel_storage: bool,
    /// Kernels read those that do not say their format.
    pub texel_loaded: bool,
    /// Kernels write such.
    pub texel_stored: bool,
    /// Copies from and to images.
    pub copied: bool,
}

/// The limits of a device's images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ImageLimits {
    pub size_1d: u32,
    pub size_2d: u32,
    pub size_3d: u32,
    pub layers: u32,
    pub texel_buffer_elements: u32,
    pub texel_buffer_alignment: u64,
    pub sampled_images: u32,
    pub storage_images: u32,
    pub samplers: u32,
}

/// Texels on a device that kernels read, write and sample. Cheap to clone: a clone is the same memory.
#[derive(Clone)]
pub struct Image {
    pub(crate) inner: Arc<ImageInner>,
}

/// An image as its users have it. Batches keep the storage alone: when this goes, the storage may serve the next image that is
/// like it, as that of buffers does.
pub(crate) struct ImageInner {
    storage: Arc<ImageStorage>,
}

/// A Vulkan image with its memory and its views.
pub(crate) struct ImageStorage {
    pub(crate) raw: vk::Image,
    /// `None` only while it is being made.
    part: Option<MemoryPart>,
    /// Bytes of its memory.
    pub(crate) bytes: u64,
    pub(crate) desc: ImageDesc,
    /// The format that it is made in in place of the one that was asked for, and the bytes of its texels.
    pub(crate) widened: Option<(Format, u32)>,
    pub(crate) uses: FormatUses,
    usage: vk::ImageUsageFlags,
    /// Helpers may copy to and from it.
    pub(crate) helped: bool,
    /// Its owner, if the memory is another API's.
    pub(crate) external: Option<External>,
    pub(crate) marks: Arc<Marks>,
    views: Mutex<Vec<(ViewKey, vk::ImageView)>>,
    pub(crate) device: Arc<DeviceInner>,
}

/// A view of a whole image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ViewKey {
    pub(crate) format: Format,
    pub(crate) channels: [Channel; 4],
    pub(crate) storage: bool,
    /// The one level that it shows; all of them otherwise.
    pub(crate) level: Option<u32>,
}

impl Deref for ImageInner {
    type Target = Arc<ImageStorage>;

    fn deref(&self) -> &Arc<ImageStorage> {
        &self.storage
    }
}

impl PooledImage for ImageStorage {
    fn desc(&self) -> ImageDesc {
        self.desc
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn is_tight(&self) -> bool {
        self.device.memory.is_tight()
    }
}

impl Retained for ImageStorage {
    fn kept_by(&self, stream: u32) -> &AtomicU64 {
        &self.marks.stream(stream).kept_by
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inner = &self.inner;
        f.debug_struct("Image")
            .field("id", &inner.marks.id)
            .field("desc", &inner.desc)
            .finish_non_exhaustive()
    }
}

impl ImageDesc {
    fn kind(&self) -> vk::ImageType {
        match self.dim {
            ImageDim::One => vk::ImageType::TYPE_1D,
            ImageDim::Two => vk::ImageType::TYPE_2D,
            ImageDim::Three => vk::ImageType::TYPE_3D,
        }
    }

    fn view_kind(&self) -> vk::ImageViewType {
        match (self.dim, self.arrayed) {
            (ImageDim::One, false) => vk::ImageViewType::TYPE_1D,
            (ImageDim::One, true) => vk::ImageViewType::TYPE_1D_ARRAY,
            (ImageDim::Two, false) => vk::ImageViewType::TYPE_2D,
            (ImageDim::Two, true) => vk::ImageViewType::TYPE_2D_ARRAY,
            (ImageDim::Three, _) => vk::ImageViewType::TYPE_3D,
        }
    }

    /// Texels of a level in each direction; the third is slices or layers.
    #[must_use]
    pub fn level_size(&self, level: u32) -> [u32; 3] {
        let [w, h, d] = self.size.map(|n| n.checked_shr(level).unwrap_or(0).max(1));
        [w, h, if self.dim == ImageDim::Three { d } else { self.layers }]
    }

    /// Returns whether a box is all of some layers, or all of a 3D image's level.
    pub(crate) fn is_layers(&self, part: &ImageBox) -> bool {
        let ([x, y, z], [width, height, depth]) = (part.origin, part.size);
        let [w, h, d] = self.level_size(part.level);
        (x, y, width, height) == (0, 0, w, h) && (self.dim != ImageDim::Three || (z, depth) == (0, d))
    }

    /// All of a level.
    #[must_use]
    pub fn whole(&self, level: u32) -> ImageBox {
        ImageBox { level, origin: [0; 3], size: self.level_size(level) }
    }
}

/// The format of unsigned integers whose texels have so many bytes, as which kernels see the bits of texels
/// ([`ImageView::bits`](lower::kernel_info::ImageView)).
#[must_use]
pub fn format_of_bits(texel: u32) -> Option<Format> {
    Some(match texel {
        1 => Format::R8_UINT,
        2 => Format::R16_UINT,
        4 => Format::R32_UINT,
        8 => Format::R16G16B16A16_UINT,
        16 => Format::R32G32B32A32_UINT,
        _ => return None,
    })
}

impl ImageBox {
    /// Bytes of its texels, packed; `None` where that is more than 64 bits.
    #[must_use]
    pub fn bytes(&self, texel: u32) -> Option<u64> {
        let [w, h, d] = self.size.map(u64::from);
        w.checked_mul(h)?.checked_mul(d)?.checked_mul(texel.into())
    }

    /// Returns whether it has texels in common with another one.
    #[must_use]
    pub fn overlaps(&self, other: &ImageBox) -> bool {
        let (a, b) = (self, other);
        let along = |i: usize| {
            let end = |x: &ImageBox| u64::from(x.origin[i]) + u64::from(x.size[i]);
            u64::from(a.origin[i]) < end(b) && u64::from(b.origin[i]) < end(a)
        };
        a.level == b.level && (0..3).all(along)
    }
}

impl Image {
    pub(crate) fn on(storage: Arc<ImageStorage>) -> Self {
        storage.device.live_buffers.fetch_add(1, Ordering::Relaxed);
        Image { inner: Arc::new(ImageInner { storage }) }
    }

    /// Returns what it was made as.
    #[must_use]
    pub fn desc(&self) -> &ImageDesc {
        &self.inner.desc
    }

    /// Gives it a name in debuggers and validation messages.
    pub fn set_name(&self, name: &str) {
        self.inner.device.name(self.inner.raw, name);
    }
}

impl ImageStorage {
    /// Bytes of a texel in the image's memory.
    pub(crate) fn stored_texel(&self) -> u32 {
        self.widened.map_or(self.desc.texel, |(_, texel)| texel)
    }

    /// Checks that a box lies within the image and has texels.
    pub(crate) fn check_box(&self, what: &str, part: &ImageBox) -> Result<(), RuntimeError> {
        let most = self.desc.level_size(part.level);
        let fits = |i: usize| {
            let end = u64::from(part.origin[i]) + u64::from(part.size[i]);
            part.size[i] > 0 && end <= u64::from(most[i])
        };
        if part.level < self.desc.levels && (0..3).all(fits) {
            return Ok(());
        }
        let text = format!("{what}: {part:?} of an image of {most:?} texels");
        Err(RuntimeError::user(UserError::InvalidValue, text))
    }

    /// The box as Vulkan's commands name it.
    pub(crate) fn place(&self, part: &ImageBox) -> (vk::ImageSubresourceLayers, vk::Offset3D, vk::Extent3D) {
        let ([x, y, z], [width, height, depth]) = (part.origin, part.size);
        let solid = self.desc.dim == ImageDim::Three;
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: part.level,
            base_array_layer: if solid { 0 } else { z },
            layer_count: if solid { 1 } else { depth },
        };
        // Coordinates are below the device's limits, which are below 2^31.
        let at = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
        let offset = vk::Offset3D { x: at(x), y: at(y), z: if solid { at(z) } else { 0 } };
        (layers, offset, vk::Extent3D { width, height, depth: if solid { depth } else { 1 } })
    }

    /// The subresources of a box, by their numbers: layers of a level lie side by side.
    pub(crate) fn numbers(&self, part: &ImageBox) -> (u64, u64) {
        let first = u64::from(part.level) * u64::from(self.desc.layers);
        if self.desc.dim == ImageDim::Three {
            return (first, first + 1);
        }
        let start = first + u64::from(part.origin[2]);
        (start, start + u64::from(part.size[2]))
    }

    /// All subresources' numbers.
    pub(crate) fn all_numbers(&self) -> (u64, u64) {
        (0, u64::from(self.desc.levels) * u64::from(self.desc.layers))
    }

    /// A view of the whole image, made when it is first asked for.
    pub(crate) fn view(&self, key: ViewKey) -> Result<vk::ImageView, RuntimeError> {
        let mut views = self.views.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, view)) = views.iter().find(|(known, _)| *known == key) {
            return Ok(*view);
        }
        let wanted = if key.storage { vk::ImageUsageFlags::STORAGE } else { vk::ImageUsageFlags::SAMPLED };
        if !self.usage.contains(wanted) {
            return Err(RuntimeError::unsupported(format!(
                "an image of format {:?} as a {} image",
                self.desc.format,
                if key.storage { "storage" } else { "sampled" }
            )));
        }
        let mut usage = vk::ImageViewUsageCreateInfo::default().usage(wanted);
        let mut subresources = all_subresources();
        if let Some(level) = key.level {
            (subresources.base_mip_level, subresources.level_count) = (level, 1);
        }
        let [r, g, b, a] = key.channels.map(component);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(self.desc.view_kind())
            .format(key.format)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(subresources)
            .push_next(&mut usage);
        // SAFETY: the image is alive and bound; another format only where it was made mutable (checked by the callers'
        // tables, and by validation); the usage is one that the image has.
        let view = unsafe { self.device.raw.create_image_view(&info, None) }.call("vkCreateImageView")?;
        views.push((key, view));
        Ok(view)
    }
}

fn component(channel: Channel) -> vk::ComponentSwizzle {
    match channel {
        Channel::R => vk::ComponentSwizzle::R,
        Channel::G => vk::ComponentSwizzle::G,
        Channel::B => vk::ComponentSwizzle::B,
        Channel::A => vk::ComponentSwizzle::A,
        Channel::Zero => vk::ComponentSwizzle::ZERO,
        Channel::One => vk::ComponentSwizzle::ONE,
    }
}

pub(crate) fn all_subresources() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

/// The transition of a new image.
pub(crate) fn first_layout(image: &ImageStorage) -> vk::ImageMemoryBarrier<'static> {
    vk::ImageMemoryBarrier::default()
        .dst_access_mask(crate::device::functions::READS_AND_WRITES)
        .old_layout(vk::ImageLayout::UNDEFINED)
        .new_layout(vk::ImageLayout::GENERAL)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image.raw)
        .subresource_range(all_subresources())
}

impl PhysicalDevice {
    /// Returns what the device does with images of a format.
    #[must_use]
    pub fn format_uses(&self, format: Format) -> FormatUses {
        let instance = &self.instance.inner.raw;
        let mut more = vk::FormatProperties3::default();
        let found = match self.info.present.format_features {
            true => {
                let mut found = vk::FormatProperties2::default().push_next(&mut more);
                // SAFETY: the device belongs to the live instance, has Vulkan 1.1, and the chained structure's extension.
                unsafe { instance.get_physical_device_format_properties2(self.handle, format, &mut found) };
                found.format_properties
            }
            // SAFETY: the device belongs to the live instance.
            false => unsafe { instance.get_physical_device_format_properties(self.handle, format) },
        };
        let (image, buffer) = (found.optimal_tiling_features, found.buffer_features);
        use vk::{FormatFeatureFlags as Has, FormatFeatureFlags2 as Has2};
        // Where the device does not tell it format by format, its features say it of all (Vulkan specification, "Features",
        // shaderStorageImageReadWithoutFormat).
        let formats = self.info.present.format_features;
        let says = |known: vk::FormatFeatureFlags2, what| !formats || known.contains(what);
        let (reads, writes) = (Has2::STORAGE_READ_WITHOUT_FORMAT, Has2::STORAGE_WRITE_WITHOUT_FORMAT);
        let (images, buffers) = (more.optimal_tiling_features, more.buffer_features);
        let f = &self.info.target.features;
        let (loads, stores) =
            (f.shader_storage_image_read_without_format, f.shader_storage_image_write_without_format);
        let (storage, texel_storage) =
            (image.contains(Has::STORAGE_IMAGE), buffer.contains(Has::STORAGE_TEXEL_BUFFER));
        FormatUses {
            sampled: image.contains(Has::SAMPLED_IMAGE),
            linear: image.contains(Has::SAMPLED_IMAGE_FILTER_LINEAR),
            storage,
            loaded: storage && loads && says(images, reads),
            stored: storage && stores && says(images, writes),
            texel_sampled: buffer.contains(Has::UNIFORM_TEXEL_BUFFER),
            texel_storage,
            texel_loaded: texel_storage && loads && says(buffers, reads),
            texel_stored: texel_storage && stores && says(buffers, writes),
            copied: image.contains(Has::TRANSFER_SRC | Has::TRANSFER_DST),
        }
    }

    /// Returns what the device has of images.
    #[must_use]
    pub fn image_limits(&self) -> ImageLimits {
        let l = &self.info.properties.limits;
        ImageLimits {
            size_1d: l.max_image_dimension1_d,
            size_2d: l.max_image_dimension2_d,
            size_3d: l.max_image_dimension3_d,
            layers: l.max_image_array_layers,
            texel_buffer_elements: l.max_texel_buffer_elements,
            texel_buffer_alignment: l.min_texel_buffer_offset_alignment.max(1),
            sampled_images: l
                .max_per_stage_descriptor_sampled_images
                .min(l.max_descriptor_set_sampled_images),
            storage_images: l
                .max_per_stage_descriptor_storage_images
                .min(l.max_descriptor_set_storage_images),
            samplers: l.max_per_stage_descriptor_samplers.min(l.max_descriptor_set_samplers),
        }
    }
}

/// Returns what an image is made with.
fn usage(uses: FormatUses) -> vk::ImageUsageFlags {
    let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    if uses.sampled {
        usage |= vk::ImageUsageFlags::SAMPLED;
    }
    if uses.storage {
        usage |= vk::ImageUsageFlags::STORAGE;
    }
    usage
}

impl ImageInner {
    /// Returns what batches keep.
    pub(crate) fn storage(&self) -> &Arc<ImageStorage> {
        &self.storage
    }
}

impl Drop for ImageInner {
    fn drop(&mut self) {
        self.device.live_buffers.fetch_sub(1, Ordering::Relaxed);
        if self.external.is_some() {
            return;
        }
        self.device.pool().put_image(self.storage.clone());
    }
}

impl ImageStorage {
    pub(crate) fn new(device: &Arc<DeviceInner>, desc: &ImageDesc) -> Result<Self, RuntimeError> {
        Self::make(device, desc, None)
    }

    /// Makes an image, of memory of another API if that is given.
    pub(crate) fn make(
        device: &Arc<DeviceInner>,
        desc: &ImageDesc,
        other: Option<OtherMemory<'_>>,
    ) -> Result<Self, RuntimeError> {
        let widens = device.target.features.widens_texels();
        let widened = if widens { crate::image::widened_texels::widened(desc.format) } else { None };
        let format = widened.map_or(desc.format, |(format, _)| format);
        let uses = device.physical.format_uses(format);
        let usage = usage(uses);
        // Kernels see the texels' bits, or helpers do (`texel_copies`).
        let helped = device.slow_copies
            && widened.is_none()
            && uses.storage
            && (desc.dim, desc.arrayed) == (ImageDim::Two, false);
        let bits = helped
            || device.target.features.texels_as_bits(ImageAccess::ReadWrite, ArgDim::Two)
            || has_blocks(device, desc);
        let flags = match desc.mutable || bits {
            true => vk::ImageCreateFlags::MUTABLE_FORMAT,
            false => vk::ImageCreateFlags::empty(),
        };
        let handle = other.as_ref().map(|other| other.handle);
        if widened.is_some() && other.is_some() {
            return Err(RuntimeError::unsupported(format!(
                "external images of format {format:?} on the device '{}', whose own have wider texels",
                device.target.name
            )));
        }
        let dedicated = check_size(device, desc, handle, format, usage, flags)?;
        let mut external = vk::ExternalMemoryImageCreateInfo::default();
        let [width, height, depth] = desc.size;
        let mut info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(desc.kind())
            .format(format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(desc.levels)
            .array_layers(desc.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(handle.map_or(vk::ImageTiling::OPTIMAL, MemoryHandle::tiling))
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        if let Some(handle) = handle {
            external = external.handle_types(handle.bit());
            info = info.push_next(&mut external);
        }
        // SAFETY: the device is alive; sizes, usage and flags are possible for the format (`check_size`).
        let raw = unsafe { device.raw.create_image(&info, None) }.call("vkCreateImage")?;
        let mut image = ImageStorage {
            raw,
            part: None,
            bytes: 0,
            desc: *desc,
            widened,
            uses,
            usage,
            helped,
            external: handle.map(|handle| External::new(device.external.other_family(handle))),
            marks: Arc::new(Marks::new(device.new_id())),
            views: Mutex::default(),
            device: device.clone(),
        };
        // From here on its drop cleans up.
        let (requirements, wants_own) = requirements(device, raw);
        image.bytes = requirements.size;
        let part = match &other {
            None => device.memory.allocate_image(Holder::Image(raw), requirements)?,
            Some(other) => {
                if let Some(row) = other.row_pitch {
                    check_pitch(device, raw, row)?;
                }
                (other.allocate)(Holder::Image(raw), dedicated || wants_own, requirements)?
            }
        };
        let part = image.part.insert(part);
        // SAFETY: the image is unbound; the memory is of a permitted type, aligned and large enough by the requirements.
        unsafe { device.raw.bind_image_memory(raw, part.memory, part.offset) }.call("vkBindImageMemory")?;
        if image.external.is_some() {
            device.physical.instance.inner.note_external(raw, true);
        }
        device.name(raw, "image");
        Ok(image)
    }
}

/// Memory of another API for an image.
pub(crate) struct OtherMemory<'a> {
    pub(crate) handle: MemoryHandle,
    /// Bytes from row to row, if they are known of texels in rows.
    pub(crate) row_pitch: Option<u64>,
    /// Imports it for the image; the flag demands an allocation that is the image's alone.
    pub(crate) allocate: &'a ImportForImage<'a>,
}

/// See [`OtherMemory::allocate`].
type ImportForImage<'a> =
    dyn Fn(Holder, bool, vk::MemoryRequirements) -> Result<MemoryPart, RuntimeError> + 'a;

/// Returns what an image needs of memory, and whether that must be its alone.
fn requirements(device: &DeviceInner, image: vk::Image) -> (vk::MemoryRequirements, bool) {
    let mut dedicated = vk::MemoryDedicatedRequirements::default();
    let mut found = vk::MemoryRequirements2::default().push_next(&mut dedicated);
    let info = vk::ImageMemoryRequirementsInfo2::default().image(image);
    // SAFETY: the image is alive; the device has Vulkan 1.1.
    unsafe { device.raw.get_image_memory_requirements2(&info, &mut found) };
    let needs = found.memory_requirements;
    (needs, dedicated.requires_dedicated_allocation == vk::TRUE)
}

/// Checks that rows of an image with linear tiling lie as another API has them.
fn check_pitch(device: &DeviceInner, image: vk::Image, row: u64) -> Result<(), RuntimeError> {
    let part = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    // SAFETY: the image is alive and has linear tiling.
    let layout = unsafe { device.raw.get_image_subresource_layout(image, part) };
    if layout.row_pitch == row {
        return Ok(());
    }
    Err(RuntimeError::user(
        UserError::InvalidImageSize,
        format!("rows of {row} bytes: the device '{}' has {} here", device.target.name, layout.row_pitch),
    ))
}

/// Returns whether sub-groups may read and write blocks of an image, whose texels are seen as unsigned integers then.
fn has_blocks(device: &DeviceInner, desc: &ImageDesc) -> bool {
    (desc.dim, desc.arrayed) == (ImageDim::Two, false) && desc.texel <= 4 && device.target.has_subgroups()
}

/// Checks that the device has images like this; whether memory of another API must be such an image's alone.
fn check_size(
    device: &DeviceInner,
    desc: &ImageDesc,
    handle: Option<MemoryHandle>,
    format: Format,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Result<bool, RuntimeError> {
    let instance = &device.physical.instance.inner.raw;
    let mut external = vk::PhysicalDeviceExternalImageFormatInfo::default();
    let mut asked = vk::PhysicalDeviceImageFormatInfo2::default()
        .format(format)
        .ty(desc.kind())
        .tiling(handle.map_or(vk::ImageTiling::OPTIMAL, MemoryHandle::tiling))
        .usage(usage)
        .flags(flags);
    let mut shared = vk::ExternalImageFormatProperties::default();
    let mut most = vk::ImageFormatProperties2::default();
    if let Some(handle) = handle {
        external = external.handle_type(handle.bit());
        asked = asked.push_next(&mut external);
        most = most.push_next(&mut shared);
    }
    // SAFETY: the physical device belongs to the live instance and has Vulkan 1.1.
    let found = unsafe {
        instance.get_physical_device_image_format_properties2(device.physical.handle, &asked, &mut most)
    };
    let most = most.image_format_properties;
    let features = shared.external_memory_properties.external_memory_features;
    let imports = handle.is_none() || features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE);
    match found {
        Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED) => {
            return Err(unsupported(device, desc, handle, format));
        }
        Ok(()) if !imports => return Err(unsupported(device, desc, handle, format)),
        other => other.call("vkGetPhysicalDeviceImageFormatProperties2")?,
    }
    let limit = most.max_extent;
    let fits = desc.size.iter().zip([limit.width, limit.height, limit.depth]).all(|(n, m)| *n > 0 && *n <= m)
        && (1..=most.max_array_layers).contains(&desc.layers)
        && (1..=most.max_mip_levels).contains(&desc.levels);
    if !fits {
        let text = format!("an image {desc:?}: the device '{}' allows {most:?}", device.target.name);
        return Err(RuntimeError::user(UserError::InvalidImageSize, text));
    }
    let bytes = desc.whole(0).bytes(desc.texel).unwrap_or(u64::MAX);
    if bytes > most.max_resource_size {
        // As if memory had run out: a smaller one may be had.
        return Err(RuntimeError::Driver {
            call: "vkCreateImage",
            result: vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
        });
    }
    Ok(features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY))
}

/// A device has no such images.
fn unsupported(
    device: &DeviceInner,
    desc: &ImageDesc,
    handle: Option<MemoryHandle>,
    format: Format,
) -> RuntimeError {
    let memory = handle.map_or(String::new(), |handle| format!(" of {handle:?} memory"));
    RuntimeError::unsupported(format!(
        "images of format {format:?} ({:?}){memory} on the device '{}'",
        desc.dim, device.target.name
    ))
}

impl Drop for ImageStorage {
    fn drop(&mut self) {
        let views = self.views.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, view) in views.drain(..) {
            // SAFETY: batches that use the image hold an Arc of it until the device has finished; destroyed once.
            unsafe { self.device.raw.destroy_image_view(view, None) };
        }
        if self.external.is_some() {
            self.device.physical.instance.inner.note_external(self.raw, false);
        }
        // SAFETY: as above.
        unsafe { self.device.raw.destroy_image(self.raw, None) };
        if let Some(part) = self.part.take() {
            self.device.memory.free(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_levels() {
        let desc = ImageDesc {
            dim: ImageDim::Two,
            arrayed: true,
            size: [9, 5, 1],
            layers: 3,
            levels: 3,
            format: Format::R8_UNORM,
            texel: 1,
            mutable: false,
        };
        assert_eq!(desc.level_size(0), [9, 5, 3]);
        assert_eq!(desc.level_size(2), [2, 1, 3]);
        assert_eq!(
            ImageDesc { dim: ImageDim::Three, size: [9, 5, 4], layers: 1, ..desc }.level_size(1),
            [4, 2, 2]
        );
        let at = |origin, size| ImageBox { level: 0, origin, size };
        assert!(at([0; 3], [2; 3]).overlaps(&at([1; 3], [2; 3])));
        assert!(!at([0; 3], [2; 3]).overlaps(&at([2, 0, 0], [2; 3])));
        assert!(!at([0; 3], [2; 3]).overlaps(&ImageBox { level: 1, ..at([0; 3], [2; 3]) }));
        assert_eq!(at([0; 3], [u32::MAX; 3]).bytes(16), None);
    }
}

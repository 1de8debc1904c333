//! Images (OpenCL API §5.3): what one is, how it is made, what queries answer.

use std::ffi::c_void;
use std::sync::Arc;

use host::image::{self as formats, ImageFormat, names};
use lower::kernel_info::{ImageDim as Dim, ImageShape};
use opencl_sys as cl;
use vk_runtime::{ImageBox, ImageDesc, ImageDim, ImageLimits, Pitches};

use crate::abi::error::{ClError, ClResult, ensure, fail};
use crate::abi::ffi::UserPointer;
use crate::abi::flags::{self, CL_MEM_IMMUTABLE_EXT};
use crate::abi::handle::Raw;
use crate::abi::param_value::ParamValue;
use crate::device::Device;
use crate::device::context::Context;
use crate::memory::external::{External, Properties};
use crate::memory::store::{Form, Place, Store};
use crate::memory::{Access, Memory};

const BAD_DESCRIPTOR: ClError = ClError(cl::CL_INVALID_IMAGE_DESCRIPTOR);

/// The properties that make a memory object an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ImageForm {
    pub(crate) format: ImageFormat,
    pub(crate) kind: Kind,
    /// Width, height, depth; 1 where the kind has not that many.
    size: [usize; 3],
    /// 1 unless it is an array.
    layers: usize,
    /// CL_IMAGE_NUM_MIP_LEVELS as given: 0 and 1 are one level.
    given_levels: u32,
    /// CL_IMAGE_NUM_SAMPLES: 0 for an image without several samples for each texel.
    pub(crate) samples: u32,
    /// The pitch of the application's memory, as queries give it.
    row_pitch: usize,
    slice_pitch: usize,
}

/// The kinds of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    One,
    Buffer,
    OneArray,
    Two,
    TwoArray,
    Three,
}

impl Kind {
    /// CL_MEM_OBJECT_*.
    pub(crate) fn from_object_type(kind: cl::cl_mem_object_type) -> Option<Self> {
        Some(match kind {
            cl::CL_MEM_OBJECT_IMAGE1D => Kind::One,
            cl::CL_MEM_OBJECT_IMAGE1D_BUFFER => Kind::Buffer,
            cl::CL_MEM_OBJECT_IMAGE1D_ARRAY => Kind::OneArray,
            cl::CL_MEM_OBJECT_IMAGE2D => Kind::Two,
            cl::CL_MEM_OBJECT_IMAGE2D_ARRAY => Kind::TwoArray,
            cl::CL_MEM_OBJECT_IMAGE3D => Kind::Three,
            _ => return None,
        })
    }

    pub(crate) fn raw(self) -> cl::cl_mem_object_type {
        match self {
            Kind::One => cl::CL_MEM_OBJECT_IMAGE1D,
            Kind::Buffer => cl::CL_MEM_OBJECT_IMAGE1D_BUFFER,
            Kind::OneArray => cl::CL_MEM_OBJECT_IMAGE1D_ARRAY,
            Kind::Two => cl::CL_MEM_OBJECT_IMAGE2D,
            Kind::TwoArray => cl::CL_MEM_OBJECT_IMAGE2D_ARRAY,
            Kind::Three => cl::CL_MEM_OBJECT_IMAGE3D,
        }
    }

    pub(crate) fn has_rows(self) -> bool {
        matches!(self, Kind::Two | Kind::TwoArray | Kind::Three)
    }

    pub(crate) fn is_array(self) -> bool {
        matches!(self, Kind::OneArray | Kind::TwoArray)
    }

    /// Returns whether host memory of it has slices, or images of an array.
    pub(crate) fn has_slices(self) -> bool {
        self.is_array() || self == Kind::Three
    }
}

/// The arguments of clCreateImage and its relatives.
pub(crate) struct Wanted {
    pub(crate) properties: Vec<cl::cl_mem_properties>,
    pub(crate) flags: cl::cl_mem_flags,
    pub(crate) format: Option<cl::cl_image_format>,
    pub(crate) desc: Option<cl::cl_image_desc>,
    pub(crate) host: *mut c_void,
}

impl Memory {
    /// clCreateImage, clCreateImageWithProperties.
    ///
    /// # Safety
    /// `host`, unless NULL, points to as much as §5.3.1 says; with CL_MEM_USE_HOST_PTR for as long as the image lives.
    ///
    /// # Errors
    /// Those of §5.3.1.
    pub(crate) unsafe fn create_image(context: &Arc<Context>, wanted: &Wanted) -> ClResult<Raw> {
        ensure(context.devices.iter().any(|d| d.caps.images.is_some()), cl::CL_INVALID_OPERATION)?;
        let external = Properties::read(&wanted.properties, true)?.external;
        let (flags, host) = (wanted.flags, wanted.host);
        flags::check_new(flags)?;
        let given = wanted.format.ok_or(ClError(cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR))?;
        let (order, data_type) = (given.image_channel_order, given.image_channel_data_type);
        ensure(formats::is_valid(order, data_type), cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
        let desc = wanted.desc.ok_or(BAD_DESCRIPTOR)?;
        let kind = Kind::from_object_type(desc.image_type).ok_or(BAD_DESCRIPTOR)?;
        let parent = parent(context, &desc, kind)?;
        let uses = flags::has(flags, cl::CL_MEM_USE_HOST_PTR);
        let copies = flags::has(flags, cl::CL_MEM_COPY_HOST_PTR);
        let format = ImageFormat::find(order, data_type).ok_or(ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED))?;
        if let Some(buffer) = parent.as_ref().filter(|p| p.image.is_none() && kind != Kind::Buffer) {
            ensure(desc.num_mip_levels <= 1, BAD_DESCRIPTOR.0)?;
            buffer.check_texels(&desc, format.texel as usize)?;
        }
        let mut form = ImageForm::new(format, kind, &desc, !host.is_null() || external.is_some())?;
        if let Some(of) = parent.as_ref().and_then(|p| p.image.filter(|_| p.is_mirrored())) {
            // Another look at a buffer's bytes, which has its pitches.
            (form.row_pitch, form.slice_pitch) = (of.row_pitch, of.slice_pitch);
        }
        flags::check_contents(flags, external.is_some() || parent.is_some())?;
        if let Some(external) = external {
            return Memory::create_external_image(context, *external, (parent.is_some(), form), wanted);
        }
        if let Some(parent) = parent {
            return Memory::create_image_of(parent, flags, form, wanted);
        }
        form.check_devices(context, flags)?;
        ensure((uses || copies) != host.is_null(), cl::CL_INVALID_HOST_PTR)?;
        let devices = context.svm.find(host.addr()).is_some_and(|a| !a.is_hosts());
        ensure(!devices, cl::CL_INVALID_HOST_PTR)?;
        let place = match () {
            () if uses => Place::User(UserPointer(host)),
            () if flags::has(flags, cl::CL_MEM_ALLOC_HOST_PTR) => Place::Pinned,
            () => Place::Device,
        };
        let store = Arc::new(Store::new(context, flags, form.bytes(), place, Form::Image(form.desc())));
        if uses || copies {
            // SAFETY: not NULL (checked above) and of this size, by the caller's promise.
            let data = unsafe { crate::abi::ffi::slice(host.cast::<u8>(), form.host_bytes()) };
            store.fill_image(data, form.pitches())?;
        } else if context.runtimes().len() == 1 && !store.is_left_to_first_use() {
            store.image(0)?;
        }
        Memory::publish(store, None, 0, form.bytes(), flags, wanted.properties.clone(), Some(form))
    }

    /// An image of memory of another API.
    fn create_external_image(
        context: &Arc<Context>,
        external: External,
        (has_parent, form): (bool, ImageForm),
        wanted: &Wanted,
    ) -> ClResult<Raw> {
        ensure(!has_parent, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let place = external.place(context, wanted.flags, wanted.host)?;
        form.check_devices(context, wanted.flags)?;
        let desc = Form::Image(form.desc());
        let store = Arc::new(Store::new(context, wanted.flags, form.bytes(), place, desc));
        external.import_image(&store, &form, wanted.desc.map_or(0, |desc| desc.image_row_pitch))?;
        let properties = wanted.properties.clone();
        let image = Memory::publish(store, None, 0, form.bytes(), wanted.flags, properties, Some(form))?;
        external.take_over();
        Ok(image)
    }

    /// An image of a buffer's bytes, or another look at an image.
    fn create_image_of(
        parent: Arc<Memory>,
        flags: cl::cl_mem_flags,
        form: ImageForm,
        wanted: &Wanted,
    ) -> ClResult<Raw> {
        let is_immutable_too =
            flags::has(flags, CL_MEM_IMMUTABLE_EXT) || !flags::has(parent.flags, CL_MEM_IMMUTABLE_EXT);
        ensure(is_immutable_too, cl::CL_INVALID_VALUE)?;
        let flags = flags::of_sub_buffer(parent.flags, flags)?;
        ensure(wanted.host.is_null(), cl::CL_INVALID_HOST_PTR)?;
        match parent.image {
            None => {
                form.check_devices(parent.context(), flags)?;
                ensure(form.buffer_bytes() <= parent.size, cl::CL_INVALID_IMAGE_SIZE)?;
            }
            Some(of) => {
                ensure(form.is_another_look(&of), cl::CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
                let same = (form.kind, form.size, form.layers) == (of.kind, of.size, of.layers)
                    && form.given_levels.max(1) == of.given_levels.max(1);
                ensure(same, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
                form.check_devices(parent.context(), flags)?;
            }
        }
        let (store, offset) = (parent.store.clone(), parent.offset);
        let size = if store.is_image() { form.bytes() } else { form.buffer_bytes() };
        Memory::publish(store, Some(parent), offset, size, flags, wanted.properties.clone(), Some(form))
    }

    /// Its image's form.
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT for a buffer.
    pub(crate) fn form(&self) -> ClResult<&ImageForm> {
        self.image.as_ref().ok_or(ClError(cl::CL_INVALID_MEM_OBJECT))
    }

    /// The pitches of the application's memory of CL_MEM_USE_HOST_PTR: those of the image that was made of it.
    pub(crate) fn user_pitches(&self) -> Pitches {
        let root = self.parent.as_ref().filter(|p| p.image.is_some());
        match (root, &self.image) {
            (Some(root), _) => root.user_pitches(),
            (None, Some(form)) => form.pitches(),
            (None, None) => Pitches::default(),
        }
    }

    /// clGetImageInfo (§5.3.8).
    ///
    /// # Errors
    /// CL_INVALID_MEM_OBJECT for a buffer; CL_INVALID_VALUE for an unknown query.
    pub(crate) fn image_info(&self, param: cl::cl_image_info) -> ClResult<ParamValue> {
        let form = self.form()?;
        let [width, height, depth] = form.size;
        let only = |has: bool, value: usize| ParamValue::size(if has { value } else { 0 });
        Ok(match param {
            cl::CL_IMAGE_FORMAT => {
                let pair = [form.format.order, form.format.data_type];
                ParamValue(pair.iter().flat_map(|n| n.to_ne_bytes()).collect())
            }
            cl::CL_IMAGE_ELEMENT_SIZE => ParamValue::size(form.texel()),
            cl::CL_IMAGE_ROW_PITCH => ParamValue::size(form.row_pitch),
            cl::CL_IMAGE_SLICE_PITCH => only(form.kind.has_slices(), form.slice_pitch),
            cl::CL_IMAGE_WIDTH => ParamValue::size(width),
            cl::CL_IMAGE_HEIGHT => only(form.kind.has_rows(), height),
            cl::CL_IMAGE_DEPTH => only(form.kind == Kind::Three, depth),
            cl::CL_IMAGE_ARRAY_SIZE => only(form.kind.is_array(), form.layers),
            cl::CL_IMAGE_BUFFER => {
                let buffer = self.parent.as_ref().filter(|p| p.image.is_none());
                ParamValue::pointer(buffer.map_or(std::ptr::null_mut(), |p| p.raw()))
            }
            cl::CL_IMAGE_NUM_MIP_LEVELS => ParamValue::uint(form.given_levels),
            cl::CL_IMAGE_NUM_SAMPLES => ParamValue::uint(form.samples),
            _ => return fail(cl::CL_INVALID_VALUE),
        })
    }
}

/// The memory object that an image is made of.
fn parent(context: &Arc<Context>, desc: &cl::cl_image_desc, kind: Kind) -> ClResult<Option<Arc<Memory>>> {
    // SAFETY: both members of the union are a handle.
    let raw = unsafe { desc.__bindgen_anon_1.mem_object };
    if raw.is_null() {
        ensure(kind != Kind::Buffer, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        return Ok(None);
    }
    let parent = crate::abi::handle::get::<Memory>(raw).map_err(|_| BAD_DESCRIPTOR)?;
    context.same(parent.context())?;
    match (kind, &parent.image) {
        (_, None) => Ok(Some(parent)),
        (Kind::Two, Some(of)) if of.samples == 0 => Ok(Some(parent)),
        _ => Err(BAD_DESCRIPTOR),
    }
}

impl ImageForm {
    /// Checks a descriptor, but for devices' limits.
    pub(crate) fn new(
        format: ImageFormat,
        kind: Kind,
        desc: &cl::cl_image_desc,
        host: bool,
    ) -> ClResult<Self> {
        ensure(desc.num_samples == 0, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let texel = format.texel as usize;
        let width = desc.image_width;
        let height = if kind.has_rows() { desc.image_height } else { 1 };
        let depth = if kind == Kind::Three { desc.image_depth } else { 1 };
        let layers = if kind.is_array() { desc.image_array_size } else { 1 };
        ensure(![width, height, depth, layers].contains(&0), cl::CL_INVALID_IMAGE_SIZE)?;
        let least = width.checked_mul(texel).ok_or(ClError(cl::CL_INVALID_IMAGE_SIZE))?;
        let (row, slice) = (desc.image_row_pitch, desc.image_slice_pitch);
        let has_parent = {
            // SAFETY: both members of the union are a handle.
            let parent = unsafe { desc.__bindgen_anon_1.mem_object };
            !parent.is_null()
        };
        // An image of an image repeats its descriptor, pitches and all.
        ensure(host || has_parent || (row == 0 && slice == 0), cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let row_pitch = if row == 0 { least } else { row };
        ensure(row_pitch >= least && row_pitch.is_multiple_of(texel), cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let tight = row_pitch.checked_mul(height).ok_or(ClError(cl::CL_INVALID_IMAGE_SIZE))?;
        let slice_pitch = match kind.has_slices() {
            true if slice != 0 => {
                ensure(slice >= tight && slice.is_multiple_of(row_pitch), cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
                slice
            }
            _ => tight,
        };
        let sides = [width, height, depth].into_iter().max().unwrap_or(1);
        let one = kind == Kind::Buffer || format.order == cl::CL_DEPTH || host;
        let most = if one { 1 } else { sides.ilog2() + 1 };
        ensure(desc.num_mip_levels <= most, cl::CL_INVALID_IMAGE_DESCRIPTOR)?;
        let all = slice_pitch.checked_mul(depth).and_then(|n| n.checked_mul(layers));
        ensure(all.is_some_and(|n| isize::try_from(n).is_ok()), cl::CL_INVALID_IMAGE_SIZE)?;
        let given_levels = desc.num_mip_levels;
        Ok(ImageForm {
            format,
            kind,
            size: [width, height, depth],
            layers,
            given_levels,
            samples: 0,
            row_pitch,
            slice_pitch,
        })
    }

    /// The same with so many samples for each texel, which are layers of the device's image.
    ///
    /// # Errors
    /// CL_INVALID_IMAGE_SIZE for more than there can be.
    pub(crate) fn with_samples(self, samples: u32) -> ClResult<Self> {
        let all = self.layers.checked_mul(samples as usize).and_then(|n| n.checked_mul(self.slice_pitch));
        ensure(all.is_some_and(|n| isize::try_from(n).is_ok()), cl::CL_INVALID_IMAGE_SIZE)?;
        Ok(ImageForm { samples, ..self })
    }

    /// Layers of the device's image.
    fn device_layers(&self) -> usize {
        self.layers * self.samples.max(1) as usize
    }

    fn texel(&self) -> usize {
        self.format.texel as usize
    }

    /// Slices of a 3D image, or images of an array.
    fn slices(&self) -> usize {
        self.size[2] * self.layers
    }

    /// Bytes of its texels, those of all levels.
    pub(crate) fn bytes(&self) -> u64 {
        let (desc, texel) = (self.desc(), self.format.texel);
        (0..desc.levels).filter_map(|level| desc.whole(level).bytes(texel)).sum()
    }

    /// Returns whether places in it have a fourth coordinate, the level.
    pub(crate) fn has_fourth(&self) -> bool {
        self.given_levels > 1 && matches!(self.kind, Kind::TwoArray | Kind::Three)
    }

    /// Bytes of a buffer that has it: as many as its pitches say (§5.3.1, "Image Descriptor").
    pub(crate) fn buffer_bytes(&self) -> u64 {
        let [width, height, _] = self.size;
        let bytes = match self.kind {
            Kind::One | Kind::Buffer => width * self.texel(),
            Kind::Two => height * self.row_pitch,
            Kind::OneArray | Kind::TwoArray | Kind::Three => self.slices() * self.slice_pitch,
        };
        bytes as u64
    }

    /// Bytes of the application's memory that has it.
    fn host_bytes(&self) -> usize {
        let [width, height, _] = self.size;
        (self.slices() - 1) * self.slice_pitch + (height - 1) * self.row_pitch + width * self.texel()
    }

    /// Pitches of the application's memory.
    pub(crate) fn pitches(&self) -> Pitches {
        Pitches { row: self.row_pitch as u64, slice: self.slice_pitch as u64 }
    }

    /// Returns where a box begins in the application's memory that has these pitches.
    pub(crate) fn host_offset(&self, part: &ImageBox, pitches: Pitches) -> usize {
        let [x, y, z] = part.origin.map(u64::from);
        let offset = z * pitches.slice + y * pitches.row + x * u64::from(self.format.texel);
        usize::try_from(offset).unwrap_or(usize::MAX)
    }

    /// Returns whether an argument of a kernel takes it.
    pub(crate) fn has_shape(&self, shape: &ImageShape) -> bool {
        let (dim, arrayed) = match self.kind {
            Kind::One => (Dim::One, false),
            Kind::Buffer => (Dim::Buffer, false),
            Kind::OneArray => (Dim::One, true),
            Kind::Two => (Dim::Two, false),
            Kind::TwoArray => (Dim::Two, true),
            Kind::Three => (Dim::Three, false),
        };
        let depth = matches!(self.format.order, cl::CL_DEPTH | names::DEPTH_STENCIL);
        let samples = self.samples > 0;
        let own = (dim, arrayed, depth, samples);
        (shape.dim, shape.arrayed, shape.depth, shape.multisampled) == own
    }

    /// Its size as kernels read it.
    pub(crate) fn kernel_size(&self) -> [u32; 3] {
        let [width, height, depth] = self.size;
        let size = match self.kind {
            Kind::OneArray => [width, self.layers, 1],
            Kind::TwoArray => [width, height, self.layers],
            _ => [width, height, depth],
        };
        size.map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// Returns what its Vulkan image is made as.
    pub(crate) fn desc(&self) -> ImageDesc {
        let size = self.size.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        ImageDesc {
            dim: match self.kind {
                Kind::One | Kind::Buffer | Kind::OneArray => ImageDim::One,
                Kind::Two | Kind::TwoArray => ImageDim::Two,
                Kind::Three => ImageDim::Three,
            },
            arrayed: self.kind.is_array() || self.samples > 0,
            size,
            layers: u32::try_from(self.device_layers()).unwrap_or(u32::MAX),
            levels: self.given_levels.max(1),
            format: self.format.format,
            texel: self.format.texel,
            mutable: self.format.has_other_looks(),
        }
    }

    /// All of it.
    pub(crate) fn whole(&self) -> ImageBox {
        self.desc().whole(0)
    }

    /// Returns whether it may be made of another image (§5.3.1, "Compatible Image Channel Orders"; the same order is no harm).
    fn is_another_look(&self, of: &ImageForm) -> bool {
        use formats::names::{BGRA, DEPTH, R, RGB, RGBA, RGBX, SBGRA, SRGB, SRGBA, SRGBX};
        const PAIRS: [(u32, u32); 4] = [(SBGRA, BGRA), (SRGBA, RGBA), (SRGB, RGB), (SRGBX, RGBX)];
        let (new, old) = (self.format.order, of.format.order);
        let known = new == old
            || (new, old) == (DEPTH, R)
            || PAIRS.iter().any(|(s, linear)| (new, old) == (*s, *linear) || (new, old) == (*linear, *s));
        known && self.format.data_type == of.format.data_type && self.format.texel == of.format.texel
    }

    /// Checks that a device of a context has images of this size and format.
    pub(crate) fn check_devices(&self, context: &Context, flags: cl::cl_mem_flags) -> ClResult<()> {
        let devices = || context.devices.iter().filter(|d| d.caps.images.is_some());
        ensure(devices().any(|d| self.fits(d)), cl::CL_INVALID_IMAGE_SIZE)?;
        let supported = |d: &Arc<Device>| supports(d, &self.format, flags, self.kind);
        ensure(devices().any(supported), cl::CL_IMAGE_FORMAT_NOT_SUPPORTED)
    }

    /// Returns whether a device has images of this size.
    fn fits(&self, device: &Device) -> bool {
        let Some(limits) = &device.caps.images else { return false };
        let most =
            [Self::most_wide(limits, self.kind), Self::most_high(limits, self.kind).max(1), limits.size_3d];
        self.size.iter().zip(most).all(|(n, most)| *n <= most as usize)
            && self.device_layers() <= limits.layers as usize
    }

    /// The most texels of a row.
    pub(crate) fn most_wide(limits: &ImageLimits, kind: Kind) -> u32 {
        match kind {
            Kind::Buffer => limits.texel_buffer_elements,
            Kind::Three => limits.size_3d,
            Kind::One | Kind::OneArray => limits.size_1d.min(limits.size_2d),
            Kind::Two | Kind::TwoArray => limits.size_2d,
        }
    }

    /// The most rows, of kinds that have rows.
    pub(crate) fn most_high(limits: &ImageLimits, kind: Kind) -> u32 {
        if kind == Kind::Three { limits.size_3d } else { limits.size_2d }
    }

    /// Checks that other commands than launches take it ("Restrictions on Depth/Stencil Images", "Restrictions on Multi-Sample Images").
    ///
    /// # Errors
    /// CL_INVALID_OPERATION.
    pub(crate) fn check_commands(&self) -> ClResult<()> {
        ensure(self.format.order != names::DEPTH_STENCIL && self.samples == 0, cl::CL_INVALID_OPERATION)
    }

    /// Checks that a command's device can have the image.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION, CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED.
    pub(crate) fn check_device(&self, device: &Device) -> ClResult<()> {
        ensure(device.caps.images.is_some(), cl::CL_INVALID_OPERATION)?;
        ensure(self.fits(device), cl::CL_INVALID_IMAGE_SIZE)?;
        let read = self.format.support(&device.physical, &device.target, self.kind == Kind::Buffer);
        ensure(read.read || read.write, cl::CL_IMAGE_FORMAT_NOT_SUPPORTED)
    }

    /// A box of the image, as commands name it: for an array the image's number is the last coordinate that counts, and behind what
    /// counts comes the level (§5.3, "Specifying Mipmap Levels to Image Operations").
    ///
    /// # Errors
    /// CL_INVALID_VALUE for one that has no texels, is not in the image, or has more dimensions than it; CL_INVALID_MIP_LEVEL.
    pub(crate) fn part(&self, origin: [usize; 4], region: [usize; 3]) -> ClResult<ImageBox> {
        let count = match self.kind {
            Kind::One | Kind::Buffer => 1,
            Kind::OneArray | Kind::Two => 2,
            Kind::TwoArray | Kind::Three => 3,
        };
        let level = if self.given_levels > 1 { origin[count] } else { 0 };
        let level = u32::try_from(level).ok().filter(|l| *l < self.given_levels.max(1));
        let level = level.ok_or(ClError(cl::CL_INVALID_MIP_LEVEL))?;
        let has_level = |i: usize| i == count && self.given_levels > 1;
        let flat = (count..3).all(|i| (origin[i] == 0 || has_level(i)) && region[i] == 1);
        ensure(flat && !region.contains(&0), cl::CL_INVALID_VALUE)?;
        let (origin, region) = match self.kind {
            Kind::OneArray => ([origin[0], 0, origin[1]], [region[0], 1, region[1]]),
            _ => (std::array::from_fn(|i| if i < count { origin[i] } else { 0 }), region),
        };
        let most = self.desc().level_size(level).map(|n| n as usize);
        let within = |i: usize| origin[i].checked_add(region[i]).is_some_and(|end| end <= most[i]);
        ensure((0..3).all(within), cl::CL_INVALID_VALUE)?;
        let small = |list: [usize; 3]| list.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Ok(ImageBox { level, origin: small(origin), size: small(region) })
    }

    /// The pitches of host memory that has a box, as clEnqueueReadImage and clEnqueueWriteImage are given them.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for such as are too small, or a slice pitch of an image without slices.
    pub(crate) fn host_pitches(&self, part: &ImageBox, row: usize, slice: usize) -> ClResult<Pitches> {
        let [width, height, _] = part.size.map(u64::from);
        let least = width * u64::from(self.format.texel);
        let row = if row == 0 { least } else { row as u64 };
        ensure(row >= least, cl::CL_INVALID_VALUE)?;
        ensure(slice == 0 || self.kind.has_slices(), cl::CL_INVALID_VALUE)?;
        let tight = row.checked_mul(height).ok_or(ClError(cl::CL_INVALID_VALUE))?;
        let slice = if slice == 0 { tight } else { slice as u64 };
        ensure(slice >= tight, cl::CL_INVALID_VALUE)?;
        Ok(Pitches { row, slice })
    }

    /// Bytes of host memory with these pitches that has a box.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for more than memory can have.
    pub(crate) fn host_span(&self, part: &ImageBox, pitches: Pitches) -> ClResult<u64> {
        let [width, height, depth] = part.size.map(u64::from);
        let end = (depth - 1)
            .checked_mul(pitches.slice)
            .and_then(|n| n.checked_add((height - 1).checked_mul(pitches.row)?))
            .and_then(|n| n.checked_add(width * u64::from(self.format.texel)));
        end.filter(|n| isize::try_from(*n).is_ok()).ok_or(ClError(cl::CL_INVALID_VALUE))
    }
}

/// Returns whether kernels on a device may use images of a format and kind as the flags say.
pub(crate) fn supports(device: &Device, format: &ImageFormat, flags: cl::cl_mem_flags, kind: Kind) -> bool {
    if device.caps.images.is_none() {
        return false;
    }
    // Depth is of 2D images and arrays of them alone (§5.3.1, "Image Format Descriptor").
    if format.order == cl::CL_DEPTH && !matches!(kind, Kind::Two | Kind::TwoArray) {
        return false;
    }
    let support = format.support(&device.physical, &device.target, kind == Kind::Buffer);
    let writes = kind != Kind::Three || device.caps.writes_3d;
    if flags::has(flags, cl::CL_MEM_KERNEL_READ_AND_WRITE) {
        return support.read_and_write && writes && device.caps.reads_and_writes;
    }
    match flags & (cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_WRITE) {
        _ if flags::has(flags, CL_MEM_IMMUTABLE_EXT) => support.read,
        cl::CL_MEM_READ_ONLY => support.read,
        cl::CL_MEM_WRITE_ONLY => support.write && writes,
        _ => support.read && support.write && writes,
    }
}

/// clGetSupportedImageFormats: those that any device of the context has.
pub(crate) fn supported(context: &Context, flags: cl::cl_mem_flags, kind: Kind) -> Vec<ImageFormat> {
    let any = |format: &ImageFormat| context.devices.iter().any(|d| supports(d, format, flags, kind));
    ImageFormat::all().filter(any).collect()
}

impl Store {
    /// Gives a new image its contents, on the first device that has images of its kind.
    pub(crate) fn fill_image(&self, data: &[u8], pitches: Pitches) -> ClResult<()> {
        let mut last = ClError(cl::CL_IMAGE_FORMAT_NOT_SUPPORTED);
        for (index, runtime) in self.context.runtimes().iter().enumerate() {
            match self.prepare_image(index, Access::Replace) {
                Ok(image) => {
                    let whole = image.desc().whole(0);
                    return Ok(runtime.stream.initialize_image(image, &whole, data, pitches)?);
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desc(kind: u32, size: [usize; 4], pitches: [usize; 2]) -> cl::cl_image_desc {
        // SAFETY: the descriptor consists of integers and a pointer, for which zeros are valid.
        let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
        desc.image_type = kind;
        [desc.image_width, desc.image_height, desc.image_depth, desc.image_array_size] = size;
        [desc.image_row_pitch, desc.image_slice_pitch] = pitches;
        desc
    }

    fn form(kind: Kind, size: [usize; 4], pitches: [usize; 2]) -> ClResult<ImageForm> {
        let format = ImageFormat::find(0x10B5, 0x10D2).expect("RGBA8");
        ImageForm::new(format, kind, &desc(kind.raw(), size, pitches), pitches != [0, 0])
    }

    #[test]
    fn pitches_of_descriptors() {
        let f = form(Kind::Three, [5, 4, 3, 0], [0, 0]).expect("form");
        assert_eq!((f.row_pitch, f.slice_pitch, f.bytes()), (20, 80, 240));
        let f = form(Kind::Three, [5, 4, 3, 0], [24, 120]).expect("form");
        assert_eq!((f.row_pitch, f.slice_pitch, f.host_bytes()), (24, 120, 240 + 72 + 20));
        let f = form(Kind::OneArray, [5, 9, 9, 3], [24, 0]).expect("form");
        assert_eq!((f.size, f.slice_pitch, f.kernel_size()), ([5, 1, 1], 24, [5, 3, 1]));
        for (kind, pitches) in [
            (Kind::Two, [16, 0]),
            (Kind::Two, [22, 0]),
            (Kind::Three, [24, 80]),
            (Kind::Three, [24, 100]),
            (Kind::TwoArray, [20, 70]),
        ] {
            assert_eq!(form(kind, [5, 4, 3, 3], pitches), Err(BAD_DESCRIPTOR), "{kind:?} {pitches:?}");
        }
        let size = ClError(cl::CL_INVALID_IMAGE_SIZE);
        assert_eq!(form(Kind::Two, [5, 0, 1, 1], [0, 0]), Err(size));
        assert_eq!(form(Kind::Three, [usize::MAX / 8, 9, 9, 1], [0, 0]), Err(size));
    }

    #[test]
    fn boxes_by_kind() {
        let invalid = ClError(cl::CL_INVALID_VALUE);
        let two = form(Kind::Two, [5, 4, 1, 1], [0, 0]).expect("form");
        assert!(two.part([1, 1, 0, 0], [4, 3, 1]).is_ok());
        for (origin, region) in [
            ([1, 1, 1, 0], [1, 1, 1]),
            ([0, 0, 0, 0], [1, 1, 2]),
            ([0, 0, 0, 0], [0, 1, 1]),
            ([2, 0, 0, 0], [4, 1, 1]),
            ([usize::MAX, 0, 0, 0], [2, 1, 1]),
        ] {
            assert_eq!(two.part(origin, region), Err(invalid), "{origin:?} {region:?}");
        }
        let lines = form(Kind::OneArray, [5, 1, 1, 6], [0, 0]).expect("form");
        let part = lines.part([1, 2, 0, 0], [3, 4, 1]).expect("part");
        assert_eq!((part.origin, part.size), ([1, 0, 2], [3, 1, 4]));
        assert_eq!(lines.part([0, 3, 0, 0], [1, 4, 1]), Err(invalid));
        assert_eq!(lines.host_pitches(&part, 11, 0), Err(invalid));
        assert_eq!(lines.host_pitches(&part, 16, 0), Ok(Pitches { row: 16, slice: 16 }));
        assert_eq!(two.host_pitches(&part, 0, 64), Err(invalid));
    }
}

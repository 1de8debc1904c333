//! Copies between buffers and images by kernels.
//!
//! Some drivers run vkCmdCopyBufferToImage far below the memory's speed ([`Workarounds::slow_copies`](crate::Workarounds)): NVIDIA's at 90 GB/s on
//! an H200 in queues without graphics. There, two-dimensional images are made so that they may be seen as unsigned integers of their texels'
//! size, and a kernel copies to and from level 0 of large ones.

use crate::error::RuntimeError;
use crate::image::resource::{Image, ImageBox, format_of_bits};
use crate::kernel::arguments::ArgValue;
use crate::kernel::image_bindings::{ImageLook, ImageValue, Texels};
use crate::kernel::ndrange::NdRange;
use crate::kernel::program::Kernel;
use crate::memory::buffer::Buffer;
use crate::stream::queue::Queue;
use crate::transfer::image::Pitches;
use crate::transfer::kernel_copies::is_local;
use timeline::Point;

/// The work-groups: rows of a buffer are read in whole lines of memory.
const GROUP: [u32; 2] = [32, 4];

/// Which way texels go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    ToImage,
    FromImage,
}

impl Queue {
    /// Copies a box and rows of texels that begin at a byte of a buffer by a kernel, where that is faster than the driver's command. `None`, and
    /// nothing is done, where it is not, or no kernel can. Box and rows were checked; `pitches` are settled.
    pub(crate) fn copy_by_texels(
        &self,
        way: Way,
        (image, part): (&Image, &ImageBox),
        (buffer, offset): (&Buffer, u64),
        pitches: Pitches,
    ) -> Result<Option<Point>, RuntimeError> {
        let (i, device) = (&image.inner, self.device_inner());
        let texel = i.desc.texel;
        let size = part.bytes(texel).unwrap_or(0);
        let whole = offset.is_multiple_of(texel.into()) && pitches.row.is_multiple_of(texel.into());
        let large = size >= device.tune.image_copy;
        if !i.helped || part.level != 0 || !large || !whole || !is_local(&buffer.inner) {
            return Ok(None);
        }
        let Some(format) = format_of_bits(texel) else { return Ok(None) };
        let helpers = self.helpers()?;
        let kernel: Kernel = match (way, &helpers.texels_to_image) {
            (Way::ToImage, Some(kernel)) => kernel.clone(),
            (Way::FromImage, _) if texel >= 4 => helpers.image_to_texels.clone(),
            _ => return Ok(None),
        };
        let limits = &device.target.limits;
        let align = limits.min_storage_buffer_offset_alignment.max(16);
        let base = offset / align * align;
        let [width, height, _] = part.size.map(u64::from);
        let end = offset - base + (height - 1) * pitches.row + width * u64::from(texel);
        if end > limits.max_storage_buffer_range.min(u64::from(u32::MAX)) {
            return Ok(None);
        }
        let look = ImageLook {
            class: lower::kernel_info::TexelClass::Uint,
            sampled: format,
            channels: crate::kernel::image_bindings::IDENTITY,
            texel,
            storage: format,
            word: 0,
            size: i.desc.size,
            samples: 1,
        };
        let objects = [
            ArgValue::Image(ImageValue { texels: Texels::Image(image), look: &look }),
            ArgValue::BufferRange { buffer, offset: base, size: end },
        ];
        let [x, y, _] = part.origin.map(u64::from);
        let values = [offset - base, pitches.row, x, y, width, height, texel.into()];
        let group = GROUP.map(u64::from);
        let range = NdRange {
            work_dim: 2,
            global_offset: [0; 3],
            global_size: [width.next_multiple_of(group[0]), height.next_multiple_of(group[1]), 1],
            local_size: Some([group[0], group[1], 1]),
            non_uniform: false,
            chosen: false,
        };
        self.transfer(|state| self.run_helper_over(state, &kernel, objects, &values, &range)).map(Some)
    }
}

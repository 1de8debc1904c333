//! Images and samplers of a session.

use std::ptr::{null, null_mut};

use opencl_sys as cl;

use super::super::{Buffer, Result, Session, check};

/// The type of an image's texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texels {
    /// CL_RGBA, CL_UNORM_INT8.
    Rgba8,
    /// CL_R, CL_FLOAT.
    Float,
}

/// An image of two or three dimensions.
pub struct Image<'a> {
    session: &'a Session,
    pub(crate) raw: cl::cl_mem,
    /// Width, height, depth.
    pub size: [usize; 3],
    texels: Texels,
}

/// A sampler.
pub struct Sampler<'a> {
    session: &'a Session,
    pub(crate) raw: cl::cl_sampler,
}

impl Session {
    /// An image, of two dimensions where its depth is 1.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn image(&self, size: [usize; 3], texels: Texels) -> Result<Image<'_>> {
        self.image_of(size, texels, null_mut())
    }

    /// A two-dimensional image of a buffer's bytes, or a one-dimensional one where it has one row.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn image_of_buffer<'a>(&'a self, size: [usize; 3], buffer: &Buffer<'_>) -> Result<Image<'a>> {
        self.image_of(size, Texels::Rgba8, buffer.raw)
    }

    fn image_of(&self, size: [usize; 3], texels: Texels, buffer: cl::cl_mem) -> Result<Image<'_>> {
        let format = match texels {
            Texels::Rgba8 => cl::cl_image_format {
                image_channel_order: cl::CL_RGBA,
                image_channel_data_type: cl::CL_UNORM_INT8,
            },
            Texels::Float => {
                cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT }
            }
        };
        let solid = size[2] > 1;
        // SAFETY: integers and a pointer that may be null; how the pointer's field is called depends on the crate's features.
        let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
        desc.image_type = if solid { cl::CL_MEM_OBJECT_IMAGE3D } else { cl::CL_MEM_OBJECT_IMAGE2D };
        [desc.image_width, desc.image_height, desc.image_depth] = size;
        if !buffer.is_null() {
            if size[1] == 1 {
                (desc.image_type, desc.image_height) = (cl::CL_MEM_OBJECT_IMAGE1D_BUFFER, 0);
            }
            let last = size_of_val(&desc) - size_of::<cl::cl_mem>();
            // SAFETY: the pointer is the structure's last field.
            unsafe { (&raw mut desc).cast::<u8>().add(last).cast::<cl::cl_mem>().write(buffer) };
        }
        let flags = cl::CL_MEM_READ_WRITE;
        let raw =
            make!(&self.library, clCreateImage(self.context, flags, &raw const format, &desc, null_mut()))?;
        Ok(Image { session: self, raw, size, texels })
    }

    /// An image with texels in it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn image_with(&self, size: [usize; 3], texels: Texels, data: &[u8]) -> Result<Image<'_>> {
        let image = self.image(size, texels)?;
        image.write(data)?;
        Ok(image)
    }

    /// The sampler of unnormalized coordinates that gives the nearest texel, and the border outside.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn nearest_sampler(&self) -> Result<Sampler<'_>> {
        let (mode, filter) = (cl::CL_ADDRESS_CLAMP, cl::CL_FILTER_NEAREST);
        let raw = make!(&self.library, clCreateSampler(self.context, cl::CL_FALSE, mode, filter))?;
        Ok(Sampler { session: self, raw })
    }
}

impl Image<'_> {
    /// Bytes of all texels.
    pub fn bytes(&self) -> usize {
        self.size.iter().product::<usize>() * 4
    }

    fn holds(&self, bytes: usize) -> Result<()> {
        if bytes == self.bytes() { Ok(()) } else { Err("not as many bytes as the image has".into()) }
    }

    /// Writes all of it, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn write(&self, data: &[u8]) -> Result<()> {
        self.holds(data.len())?;
        let s = self.session;
        let (origin, region, from) = ([0usize; 3], self.size.as_ptr(), data.as_ptr().cast());
        call!(
            &s.library,
            clEnqueueWriteImage(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                origin.as_ptr(),
                region,
                0,
                0,
                from,
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Reads all of it, blocking.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn read(&self, data: &mut [u8]) -> Result<()> {
        self.holds(data.len())?;
        let s = self.session;
        let (origin, region, to) = ([0usize; 3], self.size.as_ptr(), data.as_mut_ptr().cast());
        call!(
            &s.library,
            clEnqueueReadImage(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                origin.as_ptr(),
                region,
                0,
                0,
                to,
                0,
                null(),
                null_mut()
            )
        )
    }

    /// Copies all of it to another one of the same size; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_to(&self, to: &Image<'_>) -> Result<()> {
        if (self.size, self.texels) != (to.size, to.texels) {
            return Err("a copy to an image of another size".into());
        }
        let s = self.session;
        let (origin, size) = ([0usize; 3], self.size.as_ptr());
        let at = origin.as_ptr();
        call!(&s.library, clEnqueueCopyImage(s.queue, self.raw, to.raw, at, at, size, 0, null(), null_mut()))
    }

    /// Takes all of it from a buffer; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn copy_from(&self, from: &Buffer<'_>) -> Result<()> {
        self.holds(from.size)?;
        let s = self.session;
        let (origin, size) = ([0usize; 3], self.size.as_ptr());
        let at = origin.as_ptr();
        call!(
            &s.library,
            clEnqueueCopyBufferToImage(s.queue, from.raw, self.raw, 0, at, size, 0, null(), null_mut())
        )
    }

    /// Fills all of it with a colour; does not wait.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn fill(&self, colour: [f32; 4]) -> Result<()> {
        let s = self.session;
        let (origin, size) = ([0usize; 3], self.size.as_ptr());
        let (at, colour) = (origin.as_ptr(), colour.as_ptr().cast());
        call!(&s.library, clEnqueueFillImage(s.queue, self.raw, colour, at, size, 0, null(), null_mut()))
    }

    /// Maps all of it for reading, lets the rows be looked at, unmaps it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn with_rows(&self, mut row: impl FnMut(usize, &[u8])) -> Result<()> {
        let s = self.session;
        let (origin, size, bytes) = ([0usize; 3], self.size.as_ptr(), self.size[0] * 4);
        let (mut pitch, at, flags) = (0, origin.as_ptr(), cl::CL_MAP_READ);
        let pointer = make!(
            &s.library,
            clEnqueueMapImage(
                s.queue,
                self.raw,
                cl::CL_TRUE,
                flags,
                at,
                size,
                &mut pitch,
                null_mut(),
                0,
                null(),
                null_mut()
            )
        )?;
        for y in 0..self.size[1] {
            // SAFETY: the mapping has rows of `pitch` bytes, of which the texels are the first, until it is unmapped.
            row(y, unsafe { std::slice::from_raw_parts(pointer.cast::<u8>().add(y * pitch), bytes) });
        }
        call!(&s.library, clEnqueueUnmapMemObject(s.queue, self.raw, pointer, 0, null(), null_mut()))?;
        s.finish()
    }
}

impl Drop for Image<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseMemObject(self.raw));
    }
}

impl Drop for Sampler<'_> {
    fn drop(&mut self) {
        let _ = call!(&self.session.library, clReleaseSampler(self.raw));
    }
}

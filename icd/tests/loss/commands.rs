//! A command of each kind, and the calls that wait.

use super::*;

impl World {
    pub(super) fn write(&mut self, q: usize, blocking: u32) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            let from = w.data.as_ptr().cast();
            clEnqueueWriteBuffer(w.queues[q], w.b, blocking, 0, BYTES, from, 0, null(), e)
        });
    }

    pub(super) fn read(&mut self, q: usize, blocking: u32) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            let to = w.out.as_mut_ptr().cast();
            clEnqueueReadBuffer(w.queues[q], w.a, blocking, 0, BYTES, to, 0, null(), e)
        });
    }

    pub(super) fn copy(&mut self, q: usize) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe { clEnqueueCopyBuffer(w.queues[q], w.b, w.a, 0, 0, BYTES, 0, null(), e) });
    }

    pub(super) fn fill(&mut self, q: usize) {
        let pattern = 5u32;
        let pattern = (&raw const pattern).cast();
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueFillBuffer(w.queues[q], w.a, pattern, 4, 0, BYTES, 0, null(), e)
        });
    }

    pub(super) fn launch(&mut self, q: usize, kernel: Handle) {
        self.launch_behind(q, kernel, &[]);
    }

    pub(super) fn launch_behind(&mut self, q: usize, kernel: Handle, waits: &[Handle]) -> Option<Handle> {
        let (size, count) = (SIZE, waits.len() as u32);
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueNDRangeKernel(w.queues[q], kernel, 1, null(), &size, null(), count, list, e)
        })
    }

    /// Without an event.
    pub(super) fn launch_plainly(&mut self, q: usize, kernel: Handle) {
        let size = SIZE;
        // SAFETY: sizes and places are valid, and live until everything has ended.
        let code = unsafe {
            clEnqueueNDRangeKernel(self.queues[q], kernel, 1, null(), &size, null(), 0, null(), null_mut())
        };
        self.done(code);
    }

    pub(super) fn rects(&mut self, q: usize) {
        let (origin, region) = ([0usize, 1, 0], [16usize, 20, 3]);
        let (o, r) = (origin.as_ptr(), region.as_ptr());
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            let p = w.data.as_ptr().cast();
            clEnqueueWriteBufferRect(w.queues[q], w.a, 0, o, o, r, 32, 960, 32, 960, p, 0, null(), e)
        });
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueCopyBufferRect(w.queues[q], w.a, w.b, o, o, r, 32, 960, 32, 960, 0, null(), e)
        });
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            let p = w.out.as_mut_ptr().cast();
            clEnqueueReadBufferRect(w.queues[q], w.b, 0, o, o, r, 32, 960, 32, 960, p, 0, null(), e)
        });
    }

    pub(super) fn map(&mut self, q: usize, blocking: u32, flags: u64) -> *mut c_void {
        let (mut event, mut error) = (null_mut(), 1);
        // SAFETY: sizes and places are valid, and live until everything has ended.
        let pointer = unsafe {
            let (e, c) = (&mut event, &mut error);
            clEnqueueMapBuffer(self.queues[q], self.a, blocking, flags, 0, BYTES, 0, null(), e, c)
        };
        assert_eq!(pointer.is_null(), error != 0);
        if error == cl::CL_INVALID_OPERATION && self.failed > 0 {
            // An unmap was refused: the region is still mapped.
            return pointer;
        }
        self.took(error, event);
        pointer
    }

    pub(super) fn unmap(&mut self, q: usize, pointer: *mut c_void) {
        if !pointer.is_null() {
            // SAFETY: sizes and places are valid, and live until everything has ended.
            self.enqueue(|w, e| unsafe { clEnqueueUnmapMemObject(w.queues[q], w.a, pointer, 0, null(), e) });
        }
    }

    pub(super) fn migrate(&mut self, q: usize) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe { clEnqueueMigrateMemObjects(w.queues[q], 1, &w.a, 0, 0, null(), e) });
    }

    pub(super) fn svm(&mut self, q: usize) {
        if self.svm.is_null() {
            return;
        }
        let pattern = 5u32;
        let pattern = (&raw const pattern).cast();
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueSVMMemFill(w.queues[q], w.svm, pattern, 4, BYTES, 0, null(), e)
        });
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            let to = w.out.as_mut_ptr().cast();
            clEnqueueSVMMemcpy(w.queues[q], 0, to, w.svm, BYTES, 0, null(), e)
        });
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueSVMMap(w.queues[q], 0, cl::CL_MAP_READ, w.svm, BYTES, 0, null(), e)
        });
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe { clEnqueueSVMUnmap(w.queues[q], w.svm, 0, null(), e) });
    }

    /// An image of its own, with contents: made, copied, filled, mapped, read and given back.
    pub(super) fn images(&mut self, q: usize) {
        let format =
            cl::cl_image_format { image_channel_order: cl::CL_R, image_channel_data_type: cl::CL_FLOAT };
        // SAFETY: integers and a pointer, for which zeros are valid.
        let mut desc: cl::cl_image_desc = unsafe { std::mem::zeroed() };
        (desc.image_type, desc.image_width, desc.image_height) = (cl::CL_MEM_OBJECT_IMAGE2D, 200, 200);
        let (flags, mut error) = (cl::CL_MEM_COPY_HOST_PTR, 1);
        // SAFETY: the data is as large as the image.
        let image = unsafe {
            let data = self.data.as_ptr().cast_mut().cast();
            clCreateImage(self.s.context, flags, &format, &desc, data, &mut error)
        };
        if error == cl::CL_INVALID_OPERATION {
            // The device has none.
            return;
        }
        self.done(error);
        if image.is_null() {
            return;
        }
        let (origin, region, half, colour) = ([0usize; 3], [200usize, 200, 1], [100usize, 200, 1], [1f32; 4]);
        let (o, r, h, to) = (origin.as_ptr(), region.as_ptr(), half.as_ptr(), [100usize, 0, 0]);
        let no = null();
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe {
            clEnqueueFillImage(w.queues[q], image, colour.as_ptr().cast(), o, h, 0, no, e)
        });
        // SAFETY: as above.
        self.enqueue(|w, e| unsafe {
            clEnqueueCopyImage(w.queues[q], image, image, o, to.as_ptr(), h, 0, no, e)
        });
        // SAFETY: as above.
        self.enqueue(|w, e| unsafe {
            clEnqueueCopyImageToBuffer(w.queues[q], image, w.a, o, r, 0, 0, no, e)
        });
        // SAFETY: as above.
        self.enqueue(|w, e| unsafe {
            clEnqueueCopyBufferToImage(w.queues[q], w.b, image, 0, o, r, 0, no, e)
        });
        let (mut event, mut row) = (null_mut(), 0);
        // SAFETY: as above.
        let pointer = unsafe {
            let (queue, flags) = (self.queues[q], cl::CL_MAP_READ | cl::CL_MAP_WRITE);
            clEnqueueMapImage(
                queue,
                image,
                0,
                flags,
                o,
                r,
                &mut row,
                null_mut(),
                0,
                no,
                &mut event,
                &mut error,
            )
        };
        self.took(error, event);
        if !pointer.is_null() {
            // SAFETY: as above.
            self.enqueue(|w, e| unsafe { clEnqueueUnmapMemObject(w.queues[q], image, pointer, 0, no, e) });
        }
        // SAFETY: as above.
        self.enqueue(|w, e| unsafe {
            let to = w.out.as_mut_ptr().cast();
            clEnqueueReadImage(w.queues[q], image, 0, o, r, 0, 0, to, 0, no, e)
        });
        // SAFETY: as above.
        self.enqueue(|w, e| unsafe {
            let from = w.data.as_ptr().cast();
            clEnqueueWriteImage(w.queues[q], image, 1, o, r, 0, 0, from, 0, no, e)
        });
        // SAFETY: a handle that is given back once.
        assert_eq!(unsafe { clReleaseMemObject(image) }, 0);
    }

    /// A marker that waits for some events, or for all before it.
    pub(super) fn marker(&mut self, q: usize, waits: &[Handle]) -> Option<Handle> {
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        // SAFETY: sizes and places are valid, and live until everything has ended.
        self.enqueue(|w, e| unsafe { clEnqueueMarkerWithWaitList(w.queues[q], waits.len() as u32, list, e) })
    }

    pub(super) fn flush(&mut self, q: usize) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        let code = unsafe { clFlush(self.queues[q]) };
        self.done(code);
    }

    pub(super) fn finish(&mut self, q: usize) {
        // SAFETY: sizes and places are valid, and live until everything has ended.
        let code = unsafe { clFinish(self.queues[q]) };
        self.done(code);
    }

    /// Commands of all kinds.
    pub(super) fn everything(&mut self) {
        self.all_kinds(true);
    }

    /// The same, without images where these are made: a new image is nobody's command.
    pub(super) fn all_kinds(&mut self, images: bool) {
        for q in 0..3 {
            self.write(q, 0);
            self.copy(q);
            self.launch(q, self.kernel);
            self.launch(q, self.say);
            self.rects(q);
            let pointer = self.map(q, 0, cl::CL_MAP_WRITE);
            self.unmap(q, pointer);
            self.fill(q);
            self.migrate(q);
            self.svm(q);
            if images {
                self.images(q);
            }
            self.marker(q, &[]);
            self.read(q, 0);
            self.flush(q);
            self.finish(q);
        }
    }
}

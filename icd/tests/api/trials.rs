//! Launches that llvmpipe before Mesa 25 may end, and that write more than their arguments: nothing is written twice.

use std::ptr::{null, null_mut};

use crate::support;
use opencl_sys::CL_OUT_OF_RESOURCES;
use pumice::entry::transfer::{clEnqueueReadBuffer, clEnqueueWriteBuffer};
use support::*;

const SOURCE: &str = r#"
global uint launches = 0;
kernel void counted(global const uint *count, global uint *out) {
    local uint items[16];
    uint i = get_local_id(0), x = i, y = 0;
    items[i] = i;
    if (i == 0) launches++;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (y < count[0]) {
        y++;
        x = x * 3u + items[15];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        out[0] = x;
        out[1] = launches;
    }
}
"#;

/// The driver ends the loop of the second launch, which fails or counts once.
#[test]
fn variables_of_the_program_are_written_once() {
    let Some(s) = setup() else { return };
    let program = s.built(SOURCE, "-cl-std=CL2.0");
    let k = kernel(&program, "counted").expect("a kernel");
    let (count, out) = (s.buffer(4), s.buffer(8));
    assert_eq!([set(&k, 0, count.0), set(&k, 1, out.0)], [0; 2]);
    for (launch, n) in [(1, 1000u32), (2, 3_000_000)] {
        let mut data = [0u32; 2];
        // SAFETY: blocking, with memory of these sizes.
        let codes = unsafe {
            let written = clEnqueueWriteBuffer(
                s.queue.0,
                count.0,
                1,
                0,
                4,
                (&raw const n).cast(),
                0,
                null(),
                null_mut(),
            );
            let launched = s.launch(&k, &[16], Some(&[16]));
            let place = data.as_mut_ptr().cast();
            [written, launched, clEnqueueReadBuffer(s.queue.0, out.0, 1, 0, 8, place, 0, null(), null_mut())]
        };
        if launch == 2 && codes == [0, 0, CL_OUT_OF_RESOURCES] {
            return;
        }
        assert_eq!(codes, [0; 3]);
        assert_eq!(data, [(0..n).fold(0, |x: u32, _| x.wrapping_mul(3).wrapping_add(15)), launch]);
    }
}

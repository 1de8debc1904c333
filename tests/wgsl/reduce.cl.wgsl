// kernel reduce
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> sums: Buffer;
var<workgroup> scratch: array<u32, 256>;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn reduce(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let scratch_length: u32 = 256u;
    var stride: u32;
    var stride_next: u32;

    let first_id_x = args.data[0u];
    let _e17 = in.data[(GlobalInvocationId.x + first_id_x)];
    scratch[LocalInvocationId.x] = _e17;
    workgroupBarrier(); // reduce.cl:4
    stride = (work_group_size_x >> bitcast<u32>(1u));
    loop {
        let stride_1 = stride;
        if (stride_1 != 0u) {
            if (stride_1 > LocalInvocationId.x) {
                let _e38 = scratch[(stride_1 + LocalInvocationId.x)];
                let _e40 = scratch[LocalInvocationId.x];
                scratch[LocalInvocationId.x] = (_e38 + _e40);
            }
            workgroupBarrier(); // reduce.cl:8
            stride_next = (stride_1 >> bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            let stride_next_1 = stride_next;
            stride = stride_next_1;
        }
    }
    if (LocalInvocationId.x == 0u) {
        let _e26 = scratch[0u];
        let first_group_x = args.data[1u];
        sums.data[(WorkgroupId.x + first_group_x)] = _e26;
    }
    return;
}


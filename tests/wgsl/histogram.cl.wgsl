// kernel histogram
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}

struct Arguments {
    data: array<u32, 3>,
}


var<workgroup> histogram_u002e_local_bins: array<atomic<u32>, 64>;
@group(0) @binding(0) 
var<storage> data: Buffer;
@group(0) @binding(1) 
var<storage, read_write> bins: Buffer_1;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn histogram(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var i: u32;
    var i_1: u32;
    var i_2: u32;
    var i_next: u32;
    var i_next_1: u32;
    var i_next_2: u32;

    let n = args.data[0u];
    i = LocalInvocationId.x;
    loop {
        let i_3 = i;
        if (i_3 < 64u) {
            atomicStore((&histogram_u002e_local_bins[i_3]), 0u);
            i_next = (i_3 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let i_next_3 = i_next;
            i = i_next_3;
        }
    }
    workgroupBarrier(); // histogram.cl:5
    let first_id_x = args.data[1u];
    i_1 = (GlobalInvocationId.x + first_id_x);
    loop {
        let i_4 = i_1;
        if (i_4 < n) {
            let _e44 = data.data[(i_4 >> bitcast<u32>(2u))];
            let _e49 = atomicAdd((&histogram_u002e_local_bins[((_e44 >> bitcast<u32>(((i_4 & 3u) << bitcast<u32>(3u)))) & 63u)]), 1u);
            let global_size_x = args.data[2u];
            i_next_1 = (i_4 + global_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let i_next_4 = i_next_1;
            i_1 = i_next_4;
        }
    }
    workgroupBarrier(); // histogram.cl:8
    i_2 = LocalInvocationId.x;
    loop {
        let i_5 = i_2;
        if (i_5 < 64u) {
            let _e32 = atomicLoad((&histogram_u002e_local_bins[i_5]));
            let _e35 = atomicAdd((&bins.data[i_5]), _e32);
            i_next_2 = (i_5 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let i_next_5 = i_next_2;
            i_2 = i_next_5;
        }
    }
    return;
}


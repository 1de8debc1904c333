// kernel histogram
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}


var<workgroup> histogram_u002e_local_bins: array<atomic<u32>, 64>;
@group(0) @binding(0) 
var<storage> data: Buffer;
@group(0) @binding(1) 
var<storage, read_write> bins: Buffer_1;
@group(0) @binding(2) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn histogram(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_31_: u32;
    var phi_48_: u32;
    var phi_55_: u32;
    var local: u32;
    var local_1: u32;
    var local_2: u32;

    let _e13 = args.data[0u];
    phi_31_ = LocalInvocationId.x;
    loop {
        let _e17 = phi_31_;
        if (_e17 < 64u) {
            atomicStore((&histogram_u002e_local_bins[_e17]), 0u);
            local = (_e17 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let _e58 = local;
            phi_31_ = _e58;
        }
    }
    workgroupBarrier(); // histogram.cl:5
    let _e23 = args.data[1u];
    phi_48_ = (GlobalInvocationId.x + _e23);
    loop {
        let _e26 = phi_48_;
        if (_e26 < _e13) {
            let _e44 = data.data[(_e26 >> bitcast<u32>(2u))];
            let _e49 = atomicAdd((&histogram_u002e_local_bins[((_e44 >> bitcast<u32>(((_e26 & 3u) << bitcast<u32>(3u)))) & 63u)]), 1u);
            let _e52 = args.data[2u];
            local_1 = (_e26 + _e52);
            continue;
        } else {
            break;
        }
        continuing {
            let _e61 = local_1;
            phi_48_ = _e61;
        }
    }
    workgroupBarrier(); // histogram.cl:8
    phi_55_ = LocalInvocationId.x;
    loop {
        let _e29 = phi_55_;
        if (_e29 < 64u) {
            let _e32 = atomicLoad((&histogram_u002e_local_bins[_e29]));
            let _e35 = atomicAdd((&bins.data[_e29]), _e32);
            local_2 = (_e29 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let _e64 = local_2;
            phi_55_ = _e64;
        }
    }
    return;
}


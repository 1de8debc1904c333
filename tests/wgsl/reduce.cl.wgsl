// kernel reduce
struct Buffer {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> sums: Buffer;
var<workgroup> scratch: array<u32, 256>;
@group(0) @binding(2) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn reduce(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let scratch_length: u32 = 256u;
    var phi_43_: u32;
    var local: u32;

    let _e13 = args.data[0u];
    let _e17 = in.data[(GlobalInvocationId.x + _e13)];
    scratch[LocalInvocationId.x] = _e17;
    workgroupBarrier(); // reduce.cl:4
    phi_43_ = (work_group_size_x >> bitcast<u32>(1u));
    loop {
        let _e22 = phi_43_;
        if (_e22 != 0u) {
            if (_e22 > LocalInvocationId.x) {
                let _e38 = scratch[(_e22 + LocalInvocationId.x)];
                let _e40 = scratch[LocalInvocationId.x];
                scratch[LocalInvocationId.x] = (_e38 + _e40);
            }
            workgroupBarrier(); // reduce.cl:8
            local = (_e22 >> bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            let _e47 = local;
            phi_43_ = _e47;
        }
    }
    if (LocalInvocationId.x == 0u) {
        let _e26 = scratch[0u];
        let _e31 = args.data[1u];
        sums.data[(WorkgroupId.x + _e31)] = _e26;
    }
    return;
}


// kernel bitonic
struct Buffer {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage, read_write> data: Buffer;
var<workgroup> keys: array<u32, 256>;
@group(0) @binding(1) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn bitonic(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let keys_length: u32 = 256u;
    var phi_40_: u32;
    var phi_55_: u32;
    var local: u32;
    var local_1: u32;

    let _e13 = args.data[0u];
    let _e16 = ((work_group_size_x * (WorkgroupId.x + _e13)) + LocalInvocationId.x);
    let _e19 = data.data[_e16];
    keys[LocalInvocationId.x] = _e19;
    phi_40_ = 2u;
    loop {
        let _e22 = phi_40_;
        if (_e22 <= work_group_size_x) {
            phi_55_ = (_e22 >> bitcast<u32>(1u));
            loop {
                let _e31 = phi_55_;
                if (_e31 != 0u) {
                    workgroupBarrier(); // bitonic.cl:5
                    let _e35 = (_e31 ^ LocalInvocationId.x);
                    let _e37 = keys[LocalInvocationId.x];
                    let _e39 = keys[_e35];
                    workgroupBarrier(); // bitonic.cl:12
                    keys[LocalInvocationId.x] = select(max(_e37, _e39), min(_e37, _e39), (select(0u, 1u, (_e35 > LocalInvocationId.x)) == select(0u, 1u, ((_e22 & LocalInvocationId.x) == 0u))));
                    local_1 = (_e31 >> bitcast<u32>(1u));
                    continue;
                } else {
                    break;
                }
                continuing {
                    let _e57 = local_1;
                    phi_55_ = _e57;
                }
            }
            local = (_e22 << bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            let _e54 = local;
            phi_40_ = _e54;
        }
    }
    workgroupBarrier(); // bitonic.cl:5
    let _e25 = keys[LocalInvocationId.x];
    data.data[_e16] = _e25;
    return;
}


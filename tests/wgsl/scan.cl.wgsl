// kernel scan
struct Buffer {
    data: array<u32>,
}


var<workgroup> scan_u002e_merged: array<u32, 256>;
@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn scan(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_41_: u32;
    var phi_42_: u32;
    var phi_45_: u32;
    var local: u32;
    var phi_71_: u32;
    var local_1: u32;

    let _e14 = args.data[0u];
    let _e15 = (GlobalInvocationId.x + _e14);
    let _e18 = in.data[_e15];
    scan_u002e_merged[LocalInvocationId.x] = _e18;
    workgroupBarrier(); // scan.cl:6
    phi_41_ = 0u;
    phi_42_ = 128u;
    phi_45_ = 1u;
    loop {
        let _e21 = phi_41_;
        let _e23 = phi_42_;
        let _e25 = phi_45_;
        local = _e21;
        if (_e25 < work_group_size_x) {
            if (_e25 <= LocalInvocationId.x) {
                let _e40 = scan_u002e_merged[(_e21 + LocalInvocationId.x)];
                let _e44 = scan_u002e_merged[((LocalInvocationId.x - _e25) + _e21)];
                phi_71_ = (_e40 + _e44);
            } else {
                let _e37 = scan_u002e_merged[(_e21 + LocalInvocationId.x)];
                phi_71_ = _e37;
            }
            let _e47 = phi_71_;
            scan_u002e_merged[(_e23 + LocalInvocationId.x)] = _e47;
            workgroupBarrier(); // scan.cl:9
            local_1 = (_e25 << bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            phi_41_ = _e23;
            phi_42_ = _e21;
            let _e56 = local_1;
            phi_45_ = _e56;
        }
    }
    let _e28 = local;
    let _e31 = scan_u002e_merged[(_e28 + LocalInvocationId.x)];
    out.data[_e15] = _e31;
    return;
}


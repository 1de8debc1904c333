// kernel scan
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 1>,
}


var<workgroup> scan_u002e_merged: array<u32, 256>;
@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn scan(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var src: u32;
    var dst: u32;
    var offset: u32;
    var src_1: u32;
    var phi_71_: u32;
    var offset_next: u32;

    let first_id_x = args.data[0u];
    let _e15 = (GlobalInvocationId.x + first_id_x);
    let _e18 = in.data[_e15];
    scan_u002e_merged[LocalInvocationId.x] = _e18;
    workgroupBarrier(); // scan.cl:6
    src = 0u;
    dst = 128u;
    offset = 1u;
    loop {
        let src_2 = src;
        let dst_1 = dst;
        let offset_1 = offset;
        src_1 = src_2;
        if (offset_1 < work_group_size_x) {
            if (offset_1 <= LocalInvocationId.x) {
                let _e40 = scan_u002e_merged[(src_2 + LocalInvocationId.x)];
                let _e44 = scan_u002e_merged[((LocalInvocationId.x - offset_1) + src_2)];
                phi_71_ = (_e40 + _e44);
            } else {
                let _e37 = scan_u002e_merged[(src_2 + LocalInvocationId.x)];
                phi_71_ = _e37;
            }
            let _e47 = phi_71_;
            scan_u002e_merged[(dst_1 + LocalInvocationId.x)] = _e47;
            workgroupBarrier(); // scan.cl:9
            offset_next = (offset_1 << bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            src = dst_1;
            dst = src_2;
            let offset_next_1 = offset_next;
            offset = offset_next_1;
        }
    }
    let src_3 = src_1;
    let _e31 = scan_u002e_merged[(src_3 + LocalInvocationId.x)];
    out.data[_e15] = _e31;
    return;
}


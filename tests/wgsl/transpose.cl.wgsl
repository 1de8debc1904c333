// kernel transpose
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 4>,
}

var<workgroup> transpose_u002e_tile: array<f32, 272>;
@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(16, 16, 1) 
fn transpose_(@builtin(workgroup_id) WorkgroupId: vec3<u32>, @builtin(local_invocation_id) LocalInvocationId: vec3<u32>) {
    let width = args.data[0u];
    let height = args.data[1u];
    let first_group_x = args.data[2u];
    let first_group_y = args.data[3u];
    let _e29 = ((WorkgroupId.x + first_group_x) << bitcast<u32>(4u));
    let _e34 = (_e29 + LocalInvocationId.x);
    let _e36 = ((WorkgroupId.y + first_group_y) << bitcast<u32>(4u));
    let _e37 = (_e36 + LocalInvocationId.y);
    if ((bitcast<i32>(_e34) < bitcast<i32>(width)) && (bitcast<i32>(_e37) < bitcast<i32>(height))) {
        let _e49 = in.data[(_e34 + (_e37 * width))];
        transpose_u002e_tile[(LocalInvocationId.x + (LocalInvocationId.y * 17u))] = _e49;
    }
    workgroupBarrier(); // transpose.cl:9
    let _e53 = (_e36 + LocalInvocationId.x);
    let _e54 = (_e29 + LocalInvocationId.y);
    if ((bitcast<i32>(_e53) < bitcast<i32>(height)) && (bitcast<i32>(_e54) < bitcast<i32>(width))) {
        let _e65 = transpose_u002e_tile[(LocalInvocationId.y + (LocalInvocationId.x * 17u))];
        out.data[(_e53 + (_e54 * height))] = _e65;
    }
    return;
}


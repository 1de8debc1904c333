// kernel transpose
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<u32>,
}

var<workgroup> transpose_u002e_tile: array<f32, 272>;
@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Buffer_1;

@compute @workgroup_size(16, 16, 1) 
fn transpose_(@builtin(workgroup_id) WorkgroupId: vec3<u32>, @builtin(local_invocation_id) LocalInvocationId: vec3<u32>) {
    let _e12 = args.data[0u];
    let _e15 = args.data[1u];
    let _e20 = args.data[2u];
    let _e26 = args.data[3u];
    let _e29 = ((WorkgroupId.x + _e20) << bitcast<u32>(4u));
    let _e34 = (_e29 + LocalInvocationId.x);
    let _e36 = ((WorkgroupId.y + _e26) << bitcast<u32>(4u));
    let _e37 = (_e36 + LocalInvocationId.y);
    if ((bitcast<i32>(_e34) < bitcast<i32>(_e12)) && (bitcast<i32>(_e37) < bitcast<i32>(_e15))) {
        let _e49 = in.data[(_e34 + (_e37 * _e12))];
        transpose_u002e_tile[(LocalInvocationId.x + (LocalInvocationId.y * 17u))] = _e49;
    }
    workgroupBarrier(); // transpose.cl:9
    let _e53 = (_e36 + LocalInvocationId.x);
    let _e54 = (_e29 + LocalInvocationId.y);
    if ((bitcast<i32>(_e53) < bitcast<i32>(_e15)) && (bitcast<i32>(_e54) < bitcast<i32>(_e12))) {
        let _e65 = transpose_u002e_tile[(LocalInvocationId.y + (LocalInvocationId.x * 17u))];
        out.data[(_e53 + (_e54 * _e15))] = _e65;
    }
    return;
}


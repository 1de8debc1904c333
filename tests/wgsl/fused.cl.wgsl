// kernel fused
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage> x: Buffer;
@group(0) @binding(1) 
var<storage> y: Buffer;
@group(0) @binding(2) 
var<storage> z: Buffer;
@group(0) @binding(3) 
var<storage, read_write> bits: Buffer_1;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn fused(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e21 = (GlobalInvocationId.x + first_id_x);
        let _e24 = x.data[_e21];
        let _e27 = y.data[_e21];
        let _e30 = z.data[_e21];
        let _e31 = fma(_e24, _e27, _e30);
        bits.data[_e21] = select(bitcast<u32>(_e31), 2143289344u, ((bitcast<u32>(_e31) & 2147483647u) > 2139095040u));
        return;
    }
    return;
}


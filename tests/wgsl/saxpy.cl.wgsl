// kernel saxpy
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 4>,
}


@group(0) @binding(0) 
var<storage, read_write> y: Buffer;
@group(0) @binding(1) 
var<storage> x: Buffer;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn saxpy(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[3u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let a = args.data[0u];
    let n = args.data[1u];
    let first_id_x = args.data[2u];
    let _e25 = (GlobalInvocationId.x + first_id_x);
    if (n > _e25) {
        let _e29 = x.data[_e25];
        let _e32 = y.data[_e25];
        y.data[_e25] = fma(bitcast<f32>(a), _e29, _e32);
    }
    return;
}


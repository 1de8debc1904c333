// kernel saxpy
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage, read_write> y: Buffer;
@group(0) @binding(1) 
var<storage> x: Buffer;
@group(0) @binding(2) 
var<storage> args: Buffer_1;

@compute @workgroup_size(64, 1, 1) 
fn saxpy(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let _e9 = args.data[3u];
    if ((_e9 != 0u) && (GlobalInvocationId.x >= _e9)) {
        return;
    }
    let _e17 = args.data[0u];
    let _e21 = args.data[1u];
    let _e24 = args.data[2u];
    let _e25 = (GlobalInvocationId.x + _e24);
    if (_e21 > _e25) {
        let _e29 = x.data[_e25];
        let _e32 = y.data[_e25];
        y.data[_e25] = fma(bitcast<f32>(_e17), _e29, _e32);
    }
    return;
}


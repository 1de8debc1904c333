// kernel vector_add
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage> a: Buffer;
@group(0) @binding(1) 
var<storage> b: Buffer;
@group(0) @binding(2) 
var<storage, read_write> c: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vector_add(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e17 = (GlobalInvocationId.x + first_id_x);
        let _e20 = a.data[_e17];
        let _e23 = b.data[_e17];
        c.data[_e17] = (_e20 + _e23);
        return;
    }
    return;
}


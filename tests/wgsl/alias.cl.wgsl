// kernel alias
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage, read_write> a: Buffer;
@group(0) @binding(1) 
var<storage, read_write> b: Buffer;
@group(0) @binding(2) 
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn alias_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e19 = (GlobalInvocationId.x + first_id_x);
        let _e22 = b.data[_e19];
        a.data[_e19] = ((_e22 << bitcast<u32>(1u)) + 1u);
        let _e30 = b.data[_e19];
        b.data[_e19] = (_e30 + 10u);
        let _e37 = a.data[_e19];
        out.data[_e19] = ((_e30 * 1000u) + _e37);
        return;
    }
    return;
}


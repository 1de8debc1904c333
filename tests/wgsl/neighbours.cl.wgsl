// kernel neighbours
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 1>,
}


var<workgroup> neighbours_u002e_own: array<u32, 64>;
@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
var<workgroup> given: array<u32, 256>;
var<workgroup> other: array<atomic<u32>, 256>;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn neighbours(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let given_length: u32 = 256u;
    let other_length: u32 = 256u;
    let first_id_x = args.data[0u];
    let _e23 = (GlobalInvocationId.x + first_id_x);
    let _e26 = in.data[_e23];
    neighbours_u002e_own[LocalInvocationId.x] = _e26;
    given[LocalInvocationId.x] = (_e26 * 10u);
    let _e33 = (LocalInvocationId.x << bitcast<u32>(1u));
    let _e35 = (_e33 >> bitcast<u32>(2u));
    let _e38 = ((_e33 & 3u) << bitcast<u32>(3u));
    let _e45 = atomicAnd((&other[_e35]), ~((65535u << bitcast<u32>(_e38))));
    let _e47 = atomicOr((&other[_e35]), (((_e26 + 1u) & 65535u) << bitcast<u32>(_e38)));
    workgroupBarrier(); // neighbours.cl:9
    let _e50 = (((LocalInvocationId.x + work_group_size_x) + 4294967295u) % work_group_size_x);
    let _e54 = neighbours_u002e_own[_e50];
    let _e56 = given[((LocalInvocationId.x + 1u) % work_group_size_x)];
    let _e59 = (_e50 << bitcast<u32>(1u));
    let _e66 = atomicLoad((&other[(_e59 >> bitcast<u32>(2u))]));
    out.data[_e23] = ((_e54 + _e56) + (bitcast<u32>((bitcast<i32>(((_e66 >> bitcast<u32>(((_e59 & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(16u))) >> bitcast<u32>(16u))) * 1000u));
    return;
}


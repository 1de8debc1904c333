// kernel nbody
struct Buffer {
    data: array<vec4<f32>>,
}

struct Arguments {
    data: array<u32, 4>,
}


@group(0) @binding(0) 
var<storage> pos: Buffer;
@group(0) @binding(1) 
var<storage, read_write> vel: Buffer;
@group(0) @binding(2) 
var<storage, read_write> next: Buffer;
var<workgroup> tile: array<vec4<f32>, 256>;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn nbody(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>, @builtin(local_invocation_id) LocalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let tile_length: u32 = 256u;
    var a: vec3<f32>;
    var base: u32;
    var a_1: vec3<f32>;
    var a_2: vec3<f32>;
    var j: u32;
    var a_next: vec3<f32>;
    var base_next: u32;
    var a_next_1: vec3<f32>;
    var j_next: u32;

    let n = args.data[0u];
    let dt = args.data[1u];
    let eps2_ = args.data[2u];
    let first_id_x = args.data[3u];
    let _e27 = (GlobalInvocationId.x + first_id_x);
    let _e32 = pos.data[_e27];
    a = vec3<f32>(0f, 0f, 0f);
    base = 0u;
    loop {
        let a_3 = a;
        let base_1 = base;
        a_1 = a_3;
        if (bitcast<i32>(base_1) < bitcast<i32>(n)) {
            let _e87 = pos.data[(base_1 + LocalInvocationId.x)];
            tile[LocalInvocationId.x] = _e87;
            workgroupBarrier(); // nbody.cl:8
            a_2 = a_3;
            j = 0u;
            loop {
                let a_4 = a_2;
                let j_1 = j;
                a_next = a_4;
                if (bitcast<i32>(j_1) < bitcast<i32>(work_group_size_x)) {
                    let _e98 = tile[j_1];
                    let _e101 = (_e98.xyz - _e32.xyz);
                    let _e109 = inverseSqrt((fma(_e101.z, _e101.z, fma(_e101.y, _e101.y, (_e101.x * _e101.x))) + bitcast<f32>(eps2_)));
                    a_next_1 = fma(_e101, vec3((_e109 * (_e109 * (_e109 * _e98.w)))), a_4);
                    j_next = (j_1 + 1u);
                    continue;
                } else {
                    break;
                }
                continuing {
                    let a_next_2 = a_next_1;
                    a_2 = a_next_2;
                    let j_next_1 = j_next;
                    j = j_next_1;
                }
            }
            workgroupBarrier(); // nbody.cl:10
            base_next = (base_1 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let a_next_3 = a_next;
            a = a_next_3;
            let base_next_1 = base_next;
            base = base_next_1;
        }
    }
    let _e42 = vel.data[_e27];
    let _e43 = vec3(bitcast<f32>(dt));
    let a_5 = a_1;
    let _e47 = fma(_e43, a_5, _e42.xyz);
    let _e52 = vec4<f32>(_e47.x, _e42.y, _e42.z, _e42.w);
    let _e57 = vec4<f32>(_e52.x, _e47.y, _e52.z, _e52.w);
    let _e64 = fma(_e43, _e47, _e32.xyz);
    let _e69 = vec4<f32>(_e64.x, _e32.y, _e32.z, _e32.w);
    let _e74 = vec4<f32>(_e69.x, _e64.y, _e69.z, _e69.w);
    vel.data[_e27] = vec4<f32>(_e57.x, _e57.y, _e47.z, _e57.w);
    next.data[_e27] = vec4<f32>(_e74.x, _e74.y, _e64.z, _e74.w);
    return;
}


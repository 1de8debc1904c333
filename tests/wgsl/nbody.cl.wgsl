// kernel nbody
struct Buffer {
    data: array<vec4<f32>>,
}

struct Buffer_1 {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage> pos: Buffer;
@group(0) @binding(1) 
var<storage, read_write> vel: Buffer;
@group(0) @binding(2) 
var<storage, read_write> next: Buffer;
var<workgroup> tile: array<vec4<f32>, 256>;
@group(0) @binding(3) 
var<storage> args: Buffer_1;

@compute @workgroup_size(64, 1, 1) 
fn nbody(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>, @builtin(local_invocation_id) LocalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let tile_length: u32 = 256u;
    var phi_56_: vec3<f32>;
    var phi_61_: u32;
    var local: vec3<f32>;
    var phi_59_: vec3<f32>;
    var phi_98_: u32;
    var local_1: vec3<f32>;
    var local_2: u32;
    var local_3: vec3<f32>;
    var local_4: u32;

    let _e13 = args.data[0u];
    let _e16 = args.data[1u];
    let _e20 = args.data[2u];
    let _e26 = args.data[3u];
    let _e27 = (GlobalInvocationId.x + _e26);
    let _e32 = pos.data[_e27];
    phi_56_ = vec3<f32>(0f, 0f, 0f);
    phi_61_ = 0u;
    loop {
        let _e34 = phi_56_;
        let _e36 = phi_61_;
        local = _e34;
        if (bitcast<i32>(_e36) < bitcast<i32>(_e13)) {
            let _e87 = pos.data[(_e36 + LocalInvocationId.x)];
            tile[LocalInvocationId.x] = _e87;
            workgroupBarrier(); // nbody.cl:8
            phi_59_ = _e34;
            phi_98_ = 0u;
            loop {
                let _e90 = phi_59_;
                let _e92 = phi_98_;
                local_1 = _e90;
                if (bitcast<i32>(_e92) < bitcast<i32>(work_group_size_x)) {
                    let _e98 = tile[_e92];
                    let _e101 = (_e98.xyz - _e32.xyz);
                    let _e109 = inverseSqrt((fma(_e101.z, _e101.z, fma(_e101.y, _e101.y, (_e101.x * _e101.x))) + bitcast<f32>(_e20)));
                    local_3 = fma(_e101, vec3((_e109 * (_e109 * (_e109 * _e98.w)))), _e90);
                    local_4 = (_e92 + 1u);
                    continue;
                } else {
                    break;
                }
                continuing {
                    let _e126 = local_3;
                    phi_59_ = _e126;
                    let _e129 = local_4;
                    phi_98_ = _e129;
                }
            }
            workgroupBarrier(); // nbody.cl:10
            local_2 = (_e36 + work_group_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let _e119 = local_1;
            phi_56_ = _e119;
            let _e122 = local_2;
            phi_61_ = _e122;
        }
    }
    let _e42 = vel.data[_e27];
    let _e43 = vec3(bitcast<f32>(_e16));
    let _e46 = local;
    let _e47 = fma(_e43, _e46, _e42.xyz);
    let _e52 = vec4<f32>(_e47.x, _e42.y, _e42.z, _e42.w);
    let _e57 = vec4<f32>(_e52.x, _e47.y, _e52.z, _e52.w);
    let _e64 = fma(_e43, _e47, _e32.xyz);
    let _e69 = vec4<f32>(_e64.x, _e32.y, _e32.z, _e32.w);
    let _e74 = vec4<f32>(_e69.x, _e64.y, _e69.z, _e69.w);
    vel.data[_e27] = vec4<f32>(_e57.x, _e57.y, _e47.z, _e57.w);
    next.data[_e27] = vec4<f32>(_e74.x, _e74.y, _e64.z, _e74.w);
    return;
}


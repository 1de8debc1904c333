// kernel particles
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<vec4<f32>>,
}

struct Buffer_2 {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 19>,
}


@group(0) @binding(0) 
var<storage, read_write> px: Buffer;
@group(0) @binding(1) 
var<storage, read_write> py: Buffer;
@group(0) @binding(2) 
var<storage, read_write> pz: Buffer;
@group(0) @binding(3) 
var<storage, read_write> vel: Buffer_1;
@group(0) @binding(4) 
var<storage, read_write> stats: Buffer_2;
@group(0) @binding(5) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn particles(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var p: f32;
    var s: u32;
    var vx: f32;
    var p_1: f32;
    var s_1: u32;
    var vy: f32;
    var p_2: f32;
    var s_2: u32;
    var vz: f32;
    var v: vec4<f32>;
    var p_3: f32;
    var p_4: f32;
    var p_5: f32;
    var s_3: u32;

    let dispatch_size_x = args.data[18u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let world = args.data[0u];
    let _e36 = bitcast<f32>(world);
    let world_1 = args.data[1u];
    let _e40 = bitcast<f32>(world_1);
    let world_2 = args.data[2u];
    let _e44 = bitcast<f32>(world_2);
    let world_3 = args.data[4u];
    let _e48 = bitcast<f32>(world_3);
    let world_4 = args.data[5u];
    let _e52 = bitcast<f32>(world_4);
    let world_5 = args.data[6u];
    let _e56 = bitcast<f32>(world_5);
    let world_6 = args.data[8u];
    let world_7 = args.data[9u];
    let world_8 = args.data[12u];
    let world_9 = args.data[13u];
    let world_10 = args.data[14u];
    let world_11 = args.data[15u];
    let dt = args.data[16u];
    let _e84 = bitcast<f32>(dt);
    let first_id_x = args.data[17u];
    let _e88 = (GlobalInvocationId.x + first_id_x);
    let _e91 = vel.data[_e88];
    let _e97 = (fma(vec4(_e84), vec4<f32>(bitcast<f32>(world_8), bitcast<f32>(world_9), bitcast<f32>(world_10), bitcast<f32>(world_11)), _e91) * vec4(fma(-(bitcast<f32>(world_6)), _e84, 1f)));
    let _e100 = px.data[_e88];
    let _e102 = fma(_e97.x, _e84, _e100);
    let _e105 = py.data[_e88];
    let _e107 = fma(_e97.y, _e84, _e105);
    let _e110 = pz.data[_e88];
    let _e112 = fma(_e97.z, _e84, _e110);
    let _e114 = (_e88 << bitcast<u32>(1u));
    let _e117 = stats.data[_e114];
    v = _e97;
    p_3 = _e102;
    p_4 = _e107;
    p_5 = _e112;
    s_3 = _e117;
    if ((world_7 & 255u) != 0u) {
        p = _e102;
        s = _e117;
        vx = _e97.x;
        if ((_e102 < _e36) || (_e102 > _e48)) {
            p = min(max(_e102, _e36), _e48);
            s = (_e117 + 1000u);
            vx = -(_e97.x);
        }
        let p_6 = p;
        let s_4 = s;
        let vx_1 = vx;
        p_1 = _e107;
        s_1 = s_4;
        vy = _e97.y;
        if ((_e107 < _e40) || (_e107 > _e52)) {
            p_1 = min(max(_e107, _e40), _e52);
            s_1 = (s_4 + 1000u);
            vy = -(_e97.y);
        }
        let p_7 = p_1;
        let s_5 = s_1;
        let vy_1 = vy;
        p_2 = _e112;
        s_2 = s_5;
        vz = _e97.z;
        if ((_e112 < _e44) || (_e112 > _e56)) {
            p_2 = min(max(_e112, _e44), _e56);
            s_2 = (s_5 + 1000u);
            vz = -(_e97.z);
        }
        let p_8 = p_2;
        let s_6 = s_2;
        let vz_1 = vz;
        v = vec4<f32>(vx_1, vy_1, vz_1, _e97.w);
        p_3 = p_6;
        p_4 = p_7;
        p_5 = p_8;
        s_3 = s_6;
    }
    let v_1 = v;
    let p_9 = p_3;
    let p_10 = p_4;
    let p_11 = p_5;
    let s_7 = s_3;
    px.data[_e88] = p_9;
    py.data[_e88] = p_10;
    pz.data[_e88] = p_11;
    vel.data[_e88] = v_1;
    stats.data[_e114] = s_7;
    stats.data[(_e114 + 1u)] = bitcast<u32>((fma(v_1.z, v_1.z, fma(v_1.y, v_1.y, (v_1.x * v_1.x))) * 0.5f));
    return;
}


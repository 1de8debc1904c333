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
var<storage> args: Buffer_2;

@compute @workgroup_size(64, 1, 1) 
fn particles(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_141_: f32;
    var phi_142_: u32;
    var phi_143_: f32;
    var phi_153_: f32;
    var phi_154_: u32;
    var phi_155_: f32;
    var phi_165_: f32;
    var phi_166_: u32;
    var phi_167_: f32;
    var phi_170_: vec4<f32>;
    var phi_171_: f32;
    var phi_172_: f32;
    var phi_173_: f32;
    var phi_174_: u32;

    let _e27 = args.data[18u];
    if ((_e27 != 0u) && (GlobalInvocationId.x >= _e27)) {
        return;
    }
    let _e35 = args.data[0u];
    let _e36 = bitcast<f32>(_e35);
    let _e39 = args.data[1u];
    let _e40 = bitcast<f32>(_e39);
    let _e43 = args.data[2u];
    let _e44 = bitcast<f32>(_e43);
    let _e47 = args.data[4u];
    let _e48 = bitcast<f32>(_e47);
    let _e51 = args.data[5u];
    let _e52 = bitcast<f32>(_e51);
    let _e55 = args.data[6u];
    let _e56 = bitcast<f32>(_e55);
    let _e59 = args.data[8u];
    let _e63 = args.data[9u];
    let _e66 = args.data[12u];
    let _e70 = args.data[13u];
    let _e74 = args.data[14u];
    let _e78 = args.data[15u];
    let _e83 = args.data[16u];
    let _e84 = bitcast<f32>(_e83);
    let _e87 = args.data[17u];
    let _e88 = (GlobalInvocationId.x + _e87);
    let _e91 = vel.data[_e88];
    let _e97 = (fma(vec4(_e84), vec4<f32>(bitcast<f32>(_e66), bitcast<f32>(_e70), bitcast<f32>(_e74), bitcast<f32>(_e78)), _e91) * vec4(fma(-(bitcast<f32>(_e59)), _e84, 1f)));
    let _e100 = px.data[_e88];
    let _e102 = fma(_e97.x, _e84, _e100);
    let _e105 = py.data[_e88];
    let _e107 = fma(_e97.y, _e84, _e105);
    let _e110 = pz.data[_e88];
    let _e112 = fma(_e97.z, _e84, _e110);
    let _e114 = (_e88 << bitcast<u32>(1u));
    let _e117 = stats.data[_e114];
    phi_170_ = _e97;
    phi_171_ = _e102;
    phi_172_ = _e107;
    phi_173_ = _e112;
    phi_174_ = _e117;
    if ((_e63 & 255u) != 0u) {
        phi_141_ = _e102;
        phi_142_ = _e117;
        phi_143_ = _e97.x;
        if ((_e102 < _e36) || (_e102 > _e48)) {
            phi_141_ = min(max(_e102, _e36), _e48);
            phi_142_ = (_e117 + 1000u);
            phi_143_ = -(_e97.x);
        }
        let _e128 = phi_141_;
        let _e130 = phi_142_;
        let _e132 = phi_143_;
        phi_153_ = _e107;
        phi_154_ = _e130;
        phi_155_ = _e97.y;
        if ((_e107 < _e40) || (_e107 > _e52)) {
            phi_153_ = min(max(_e107, _e40), _e52);
            phi_154_ = (_e130 + 1000u);
            phi_155_ = -(_e97.y);
        }
        let _e141 = phi_153_;
        let _e143 = phi_154_;
        let _e145 = phi_155_;
        phi_165_ = _e112;
        phi_166_ = _e143;
        phi_167_ = _e97.z;
        if ((_e112 < _e44) || (_e112 > _e56)) {
            phi_165_ = min(max(_e112, _e44), _e56);
            phi_166_ = (_e143 + 1000u);
            phi_167_ = -(_e97.z);
        }
        let _e154 = phi_165_;
        let _e156 = phi_166_;
        let _e158 = phi_167_;
        phi_170_ = vec4<f32>(_e132, _e145, _e158, _e97.w);
        phi_171_ = _e128;
        phi_172_ = _e141;
        phi_173_ = _e154;
        phi_174_ = _e156;
    }
    let _e162 = phi_170_;
    let _e164 = phi_171_;
    let _e166 = phi_172_;
    let _e168 = phi_173_;
    let _e170 = phi_174_;
    px.data[_e88] = _e164;
    py.data[_e88] = _e166;
    pz.data[_e88] = _e168;
    vel.data[_e88] = _e162;
    stats.data[_e114] = _e170;
    stats.data[(_e114 + 1u)] = bitcast<u32>((fma(_e162.z, _e162.z, fma(_e162.y, _e162.y, (_e162.x * _e162.x))) * 0.5f));
    return;
}


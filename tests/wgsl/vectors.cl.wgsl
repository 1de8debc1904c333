// kernel vec2
struct Buffer {
    data: array<vec2<f32>>,
}

struct Buffer_1 {
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
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage, read_write> packed: Buffer_1;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vec2_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e20 = (GlobalInvocationId.x + first_id_x);
        let _e23 = a.data[_e20];
        let _e26 = b.data[_e20];
        let _e33 = (vec2<f32>((_e26.x - _e23.y), fma(_e26, vec2<f32>(3f, 3f), _e23).y) - vec2<f32>(1f, 1f));
        out.data[_e20] = _e33;
        let _e37 = (_e20 << bitcast<u32>(1u));
        let _e40 = packed.data[_e37];
        let _e41 = (_e37 + 1u);
        let _e44 = packed.data[_e41];
        let _e48 = (vec2<f32>(_e40, (_e33.x + _e44)) + _e23);
        packed.data[_e37] = _e48.x;
        packed.data[_e41] = _e48.y;
        return;
    }
    return;
}

// kernel vec4
struct Buffer {
    data: array<vec4<f32>>,
}

struct Buffer_1 {
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
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage, read_write> packed: Buffer_1;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vec4_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e22 = (GlobalInvocationId.x + first_id_x);
        let _e25 = a.data[_e22];
        let _e28 = b.data[_e22];
        let _e29 = fma(_e28, vec4<f32>(3f, 3f, 3f, 3f), _e25);
        let _e32 = (_e28.xz - _e25.yw);
        let _e37 = vec4<f32>(_e32.x, _e29.y, _e29.z, _e29.w);
        let _e43 = (vec4<f32>(_e37.x, _e37.y, _e32.y, _e37.w) - vec4<f32>(1f, 1f, 1f, 1f));
        out.data[_e22] = _e43;
        let _e47 = (_e22 << bitcast<u32>(2u));
        let _e50 = packed.data[_e47];
        let _e51 = (_e47 + 1u);
        let _e54 = packed.data[_e51];
        let _e55 = (_e47 + 2u);
        let _e58 = packed.data[_e55];
        let _e59 = (_e47 + 3u);
        let _e62 = packed.data[_e59];
        let _e66 = (vec4<f32>(_e50, (_e43.x + _e54), _e58, _e62) + _e25);
        packed.data[_e47] = _e66.x;
        packed.data[_e51] = _e66.y;
        packed.data[_e55] = _e66.z;
        packed.data[_e59] = _e66.w;
        return;
    }
    return;
}

// kernel vec8
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
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage, read_write> packed: Buffer;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vec8_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e28 = ((GlobalInvocationId.x + first_id_x) << bitcast<u32>(3u));
        let _e31 = a.data[_e28];
        let _e32 = (_e28 + 1u);
        let _e35 = a.data[_e32];
        let _e36 = (_e28 + 2u);
        let _e39 = a.data[_e36];
        let _e40 = (_e28 + 3u);
        let _e43 = a.data[_e40];
        let _e44 = (_e28 + 4u);
        let _e47 = a.data[_e44];
        let _e48 = (_e28 + 5u);
        let _e51 = a.data[_e48];
        let _e52 = (_e28 + 6u);
        let _e55 = a.data[_e52];
        let _e56 = (_e28 + 7u);
        let _e59 = a.data[_e56];
        let _e60 = vec4<f32>(_e31, _e35, _e39, _e43);
        let _e61 = vec4<f32>(_e47, _e51, _e55, _e59);
        let _e64 = b.data[_e28];
        let _e67 = b.data[_e32];
        let _e70 = b.data[_e36];
        let _e73 = b.data[_e40];
        let _e76 = b.data[_e44];
        let _e79 = b.data[_e48];
        let _e82 = b.data[_e52];
        let _e85 = b.data[_e56];
        let _e88 = fma(vec4<f32>(_e64, _e67, _e70, _e73), vec4<f32>(3f, 3f, 3f, 3f), _e60);
        let _e89 = fma(vec4<f32>(_e76, _e79, _e82, _e85), vec4<f32>(3f, 3f, 3f, 3f), _e61);
        let _e92 = (vec4<f32>(_e64, _e70, _e76, _e82) - vec4<f32>(_e35, _e43, _e51, _e59));
        let _e97 = vec4<f32>(_e92.x, _e88.y, _e88.z, _e88.w);
        let _e107 = vec4<f32>(_e92.z, _e89.y, _e89.z, _e89.w);
        let _e113 = (vec4<f32>(_e97.x, _e97.y, _e92.y, _e97.w) - vec4<f32>(1f, 1f, 1f, 1f));
        let _e114 = (vec4<f32>(_e107.x, _e107.y, _e92.w, _e107.w) - vec4<f32>(1f, 1f, 1f, 1f));
        out.data[_e28] = _e113.x;
        out.data[_e32] = _e113.y;
        out.data[_e36] = _e113.z;
        out.data[_e40] = _e113.w;
        out.data[_e44] = _e114.x;
        out.data[_e48] = _e114.y;
        out.data[_e52] = _e114.z;
        out.data[_e56] = _e114.w;
        let _e141 = packed.data[_e28];
        let _e144 = packed.data[_e32];
        let _e147 = packed.data[_e36];
        let _e150 = packed.data[_e40];
        let _e153 = packed.data[_e44];
        let _e156 = packed.data[_e48];
        let _e159 = packed.data[_e52];
        let _e162 = packed.data[_e56];
        let _e166 = (_e60 + vec4<f32>(_e141, (_e144 + _e113.x), _e147, _e150));
        let _e167 = (_e61 + vec4<f32>(_e153, _e156, _e159, _e162));
        packed.data[_e28] = _e166.x;
        packed.data[_e32] = _e166.y;
        packed.data[_e36] = _e166.z;
        packed.data[_e40] = _e166.w;
        packed.data[_e44] = _e167.x;
        packed.data[_e48] = _e167.y;
        packed.data[_e52] = _e167.z;
        packed.data[_e56] = _e167.w;
        return;
    }
    return;
}

// kernel vec16
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
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage, read_write> packed: Buffer;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vec16_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e36 = ((GlobalInvocationId.x + first_id_x) << bitcast<u32>(4u));
        let _e39 = a.data[_e36];
        let _e40 = (_e36 + 1u);
        let _e43 = a.data[_e40];
        let _e44 = (_e36 + 2u);
        let _e47 = a.data[_e44];
        let _e48 = (_e36 + 3u);
        let _e51 = a.data[_e48];
        let _e52 = (_e36 + 4u);
        let _e55 = a.data[_e52];
        let _e56 = (_e36 + 5u);
        let _e59 = a.data[_e56];
        let _e60 = (_e36 + 6u);
        let _e63 = a.data[_e60];
        let _e64 = (_e36 + 7u);
        let _e67 = a.data[_e64];
        let _e68 = (_e36 + 8u);
        let _e71 = a.data[_e68];
        let _e72 = (_e36 + 9u);
        let _e75 = a.data[_e72];
        let _e76 = (_e36 + 10u);
        let _e79 = a.data[_e76];
        let _e80 = (_e36 + 11u);
        let _e83 = a.data[_e80];
        let _e84 = (_e36 + 12u);
        let _e87 = a.data[_e84];
        let _e88 = (_e36 + 13u);
        let _e91 = a.data[_e88];
        let _e92 = (_e36 + 14u);
        let _e95 = a.data[_e92];
        let _e96 = (_e36 + 15u);
        let _e99 = a.data[_e96];
        let _e100 = vec4<f32>(_e39, _e43, _e47, _e51);
        let _e101 = vec4<f32>(_e55, _e59, _e63, _e67);
        let _e102 = vec4<f32>(_e71, _e75, _e79, _e83);
        let _e103 = vec4<f32>(_e87, _e91, _e95, _e99);
        let _e106 = b.data[_e36];
        let _e109 = b.data[_e40];
        let _e112 = b.data[_e44];
        let _e115 = b.data[_e48];
        let _e118 = b.data[_e52];
        let _e121 = b.data[_e56];
        let _e124 = b.data[_e60];
        let _e127 = b.data[_e64];
        let _e130 = b.data[_e68];
        let _e133 = b.data[_e72];
        let _e136 = b.data[_e76];
        let _e139 = b.data[_e80];
        let _e142 = b.data[_e84];
        let _e145 = b.data[_e88];
        let _e148 = b.data[_e92];
        let _e151 = b.data[_e96];
        let _e156 = fma(vec4<f32>(_e106, _e109, _e112, _e115), vec4<f32>(3f, 3f, 3f, 3f), _e100);
        let _e157 = fma(vec4<f32>(_e118, _e121, _e124, _e127), vec4<f32>(3f, 3f, 3f, 3f), _e101);
        let _e158 = fma(vec4<f32>(_e130, _e133, _e136, _e139), vec4<f32>(3f, 3f, 3f, 3f), _e102);
        let _e159 = fma(vec4<f32>(_e142, _e145, _e148, _e151), vec4<f32>(3f, 3f, 3f, 3f), _e103);
        let _e164 = (vec4<f32>(_e106, _e112, _e118, _e124) - vec4<f32>(_e43, _e51, _e59, _e67));
        let _e165 = (vec4<f32>(_e130, _e136, _e142, _e148) - vec4<f32>(_e75, _e83, _e91, _e99));
        let _e170 = vec4<f32>(_e164.x, _e156.y, _e156.z, _e156.w);
        let _e180 = vec4<f32>(_e164.z, _e157.y, _e157.z, _e157.w);
        let _e190 = vec4<f32>(_e165.x, _e158.y, _e158.z, _e158.w);
        let _e200 = vec4<f32>(_e165.z, _e159.y, _e159.z, _e159.w);
        let _e206 = (vec4<f32>(_e170.x, _e170.y, _e164.y, _e170.w) - vec4<f32>(1f, 1f, 1f, 1f));
        let _e207 = (vec4<f32>(_e180.x, _e180.y, _e164.w, _e180.w) - vec4<f32>(1f, 1f, 1f, 1f));
        let _e208 = (vec4<f32>(_e190.x, _e190.y, _e165.y, _e190.w) - vec4<f32>(1f, 1f, 1f, 1f));
        let _e209 = (vec4<f32>(_e200.x, _e200.y, _e165.w, _e200.w) - vec4<f32>(1f, 1f, 1f, 1f));
        out.data[_e36] = _e206.x;
        out.data[_e40] = _e206.y;
        out.data[_e44] = _e206.z;
        out.data[_e48] = _e206.w;
        out.data[_e52] = _e207.x;
        out.data[_e56] = _e207.y;
        out.data[_e60] = _e207.z;
        out.data[_e64] = _e207.w;
        out.data[_e68] = _e208.x;
        out.data[_e72] = _e208.y;
        out.data[_e76] = _e208.z;
        out.data[_e80] = _e208.w;
        out.data[_e84] = _e209.x;
        out.data[_e88] = _e209.y;
        out.data[_e92] = _e209.z;
        out.data[_e96] = _e209.w;
        let _e260 = packed.data[_e36];
        let _e263 = packed.data[_e40];
        let _e266 = packed.data[_e44];
        let _e269 = packed.data[_e48];
        let _e272 = packed.data[_e52];
        let _e275 = packed.data[_e56];
        let _e278 = packed.data[_e60];
        let _e281 = packed.data[_e64];
        let _e284 = packed.data[_e68];
        let _e287 = packed.data[_e72];
        let _e290 = packed.data[_e76];
        let _e293 = packed.data[_e80];
        let _e296 = packed.data[_e84];
        let _e299 = packed.data[_e88];
        let _e302 = packed.data[_e92];
        let _e305 = packed.data[_e96];
        let _e311 = (_e100 + vec4<f32>(_e260, (_e263 + _e206.x), _e266, _e269));
        let _e312 = (_e101 + vec4<f32>(_e272, _e275, _e278, _e281));
        let _e313 = (_e102 + vec4<f32>(_e284, _e287, _e290, _e293));
        let _e314 = (_e103 + vec4<f32>(_e296, _e299, _e302, _e305));
        packed.data[_e36] = _e311.x;
        packed.data[_e40] = _e311.y;
        packed.data[_e44] = _e311.z;
        packed.data[_e48] = _e311.w;
        packed.data[_e52] = _e312.x;
        packed.data[_e56] = _e312.y;
        packed.data[_e60] = _e312.z;
        packed.data[_e64] = _e312.w;
        packed.data[_e68] = _e313.x;
        packed.data[_e72] = _e313.y;
        packed.data[_e76] = _e313.z;
        packed.data[_e80] = _e313.w;
        packed.data[_e84] = _e314.x;
        packed.data[_e88] = _e314.y;
        packed.data[_e92] = _e314.z;
        packed.data[_e96] = _e314.w;
        return;
    }
    return;
}

// kernel vec3
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
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage, read_write> packed: Buffer;
@group(0) @binding(4) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn vec3_(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
    } else {
        let first_id_x = args.data[0u];
        let _e22 = (GlobalInvocationId.x + first_id_x);
        let _e24 = (_e22 << bitcast<u32>(2u));
        let _e27 = a.data[_e24];
        let _e28 = (_e24 + 1u);
        let _e31 = a.data[_e28];
        let _e32 = (_e24 + 2u);
        let _e35 = a.data[_e32];
        let _e36 = vec3<f32>(_e27, _e31, _e35);
        let _e39 = b.data[_e24];
        let _e42 = b.data[_e28];
        let _e45 = b.data[_e32];
        let _e50 = (fma(vec3<f32>(_e39, _e42, _e45), vec3<f32>(3f, 3f, 3f), _e36).zy - vec2(_e27));
        let _e54 = (vec3<f32>(_e31, _e50.x, _e50.y) - vec3<f32>(1f, 1f, 1f));
        out.data[_e24] = _e54.x;
        out.data[_e28] = _e54.y;
        out.data[_e32] = _e54.z;
        let _e64 = (_e22 * 3u);
        let _e67 = packed.data[_e64];
        let _e68 = (_e64 + 1u);
        let _e71 = packed.data[_e68];
        let _e72 = (_e64 + 2u);
        let _e75 = packed.data[_e72];
        let _e78 = (vec3<f32>(_e67, (_e54.x + _e71), _e75) + _e36);
        packed.data[_e64] = _e78.x;
        packed.data[_e68] = _e78.y;
        packed.data[_e72] = _e78.z;
        return;
    }
    return;
}


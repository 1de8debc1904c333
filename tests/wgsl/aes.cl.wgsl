// kernel aes
struct Buffer {
    data: array<vec4<u32>>,
}

struct Buffer_1 {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage> keys: Buffer;
@group(0) @binding(2) 
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage> args: Buffer_1;
@group(0) @binding(4) 
var<storage> constants: Buffer_1;

@compute @workgroup_size(64, 1, 1) 
fn aes(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_49_: vec4<u32>;
    var phi_52_: u32;
    var local: vec4<u32>;
    var local_1: vec4<u32>;
    var local_2: vec4<u32>;
    var local_3: vec4<u32>;
    var local_4: vec4<u32>;
    var local_5: u32;

    let _e18 = args.data[1u];
    if ((_e18 != 0u) && (GlobalInvocationId.x >= _e18)) {
        return;
    }
    let _e26 = args.data[0u];
    let _e27 = (GlobalInvocationId.x + _e26);
    let _e30 = in.data[_e27];
    let _e33 = keys.data[0u];
    phi_49_ = (_e30 ^ _e33);
    phi_52_ = 1u;
    loop {
        let _e36 = phi_49_;
        let _e38 = phi_52_;
        local = _e36;
        local_1 = _e36;
        local_2 = _e36;
        local_3 = _e36;
        if (bitcast<i32>(_e38) < bitcast<i32>(10u)) {
            let _e314 = keys.data[_e38];
            let _e324 = constants.data[((_e36.x & 255u) + 64u)];
            let _e331 = constants.data[(((_e36.y >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e344 = constants.data[(((_e36.z >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e356 = constants.data[((_e36.w >> bitcast<u32>(24u)) + 64u)];
            let _e369 = constants.data[((_e36.y & 255u) + 64u)];
            let _e376 = constants.data[(((_e36.z >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e389 = constants.data[(((_e36.w >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e401 = constants.data[((_e36.x >> bitcast<u32>(24u)) + 64u)];
            let _e414 = constants.data[((_e36.z & 255u) + 64u)];
            let _e421 = constants.data[(((_e36.w >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e434 = constants.data[(((_e36.x >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e446 = constants.data[((_e36.y >> bitcast<u32>(24u)) + 64u)];
            let _e459 = constants.data[((_e36.w & 255u) + 64u)];
            let _e466 = constants.data[(((_e36.x >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e479 = constants.data[(((_e36.y >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e491 = constants.data[((_e36.z >> bitcast<u32>(24u)) + 64u)];
            local_4 = vec4<u32>((_e314.x ^ (((((_e331 << bitcast<u32>(8u)) | (_e331 >> bitcast<u32>(24u))) ^ _e324) ^ ((_e344 << bitcast<u32>(16u)) | (_e344 >> bitcast<u32>(16u)))) ^ ((_e356 << bitcast<u32>(24u)) | (_e356 >> bitcast<u32>(8u))))), (_e314.y ^ (((((_e376 << bitcast<u32>(8u)) | (_e376 >> bitcast<u32>(24u))) ^ _e369) ^ ((_e389 << bitcast<u32>(16u)) | (_e389 >> bitcast<u32>(16u)))) ^ ((_e401 << bitcast<u32>(24u)) | (_e401 >> bitcast<u32>(8u))))), (_e314.z ^ (((((_e421 << bitcast<u32>(8u)) | (_e421 >> bitcast<u32>(24u))) ^ _e414) ^ ((_e434 << bitcast<u32>(16u)) | (_e434 >> bitcast<u32>(16u)))) ^ ((_e446 << bitcast<u32>(24u)) | (_e446 >> bitcast<u32>(8u))))), (_e314.w ^ (((((_e466 << bitcast<u32>(8u)) | (_e466 >> bitcast<u32>(24u))) ^ _e459) ^ ((_e479 << bitcast<u32>(16u)) | (_e479 >> bitcast<u32>(16u)))) ^ ((_e491 << bitcast<u32>(24u)) | (_e491 >> bitcast<u32>(8u))))));
            local_5 = (_e38 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e503 = local_4;
            phi_49_ = _e503;
            let _e506 = local_5;
            phi_52_ = _e506;
        }
    }
    let _e44 = keys.data[10u];
    let _e46 = local;
    let _e49 = local_1;
    let _e52 = local_2;
    let _e55 = local_3;
    let _e66 = constants.data[((_e46.x & 255u) >> bitcast<u32>(2u))];
    let _e71 = (_e49.y >> bitcast<u32>(8u));
    let _e80 = constants.data[((_e71 & 255u) >> bitcast<u32>(2u))];
    let _e88 = (_e52.z >> bitcast<u32>(16u));
    let _e97 = constants.data[((_e88 & 255u) >> bitcast<u32>(2u))];
    let _e113 = constants.data[(_e55.w >> bitcast<u32>(26u))];
    let _e129 = constants.data[((_e49.y & 255u) >> bitcast<u32>(2u))];
    let _e134 = (_e52.z >> bitcast<u32>(8u));
    let _e143 = constants.data[((_e134 & 255u) >> bitcast<u32>(2u))];
    let _e151 = (_e55.w >> bitcast<u32>(16u));
    let _e160 = constants.data[((_e151 & 255u) >> bitcast<u32>(2u))];
    let _e176 = constants.data[(_e46.x >> bitcast<u32>(26u))];
    let _e192 = constants.data[((_e52.z & 255u) >> bitcast<u32>(2u))];
    let _e197 = (_e55.w >> bitcast<u32>(8u));
    let _e206 = constants.data[((_e197 & 255u) >> bitcast<u32>(2u))];
    let _e214 = (_e46.x >> bitcast<u32>(16u));
    let _e223 = constants.data[((_e214 & 255u) >> bitcast<u32>(2u))];
    let _e239 = constants.data[(_e49.y >> bitcast<u32>(26u))];
    let _e255 = constants.data[((_e55.w & 255u) >> bitcast<u32>(2u))];
    let _e260 = (_e46.x >> bitcast<u32>(8u));
    let _e269 = constants.data[((_e260 & 255u) >> bitcast<u32>(2u))];
    let _e277 = (_e49.y >> bitcast<u32>(16u));
    let _e286 = constants.data[((_e277 & 255u) >> bitcast<u32>(2u))];
    let _e302 = constants.data[(_e52.z >> bitcast<u32>(26u))];
    out.data[_e27] = vec4<u32>((_e44.x ^ (((((_e66 >> bitcast<u32>(((_e46.x & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e80 >> bitcast<u32>(((_e71 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e97 >> bitcast<u32>(((_e88 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e113 >> bitcast<u32>((((_e55.w >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.y ^ (((((_e129 >> bitcast<u32>(((_e49.y & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e143 >> bitcast<u32>(((_e134 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e160 >> bitcast<u32>(((_e151 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e176 >> bitcast<u32>((((_e46.x >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.z ^ (((((_e192 >> bitcast<u32>(((_e52.z & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e206 >> bitcast<u32>(((_e197 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e223 >> bitcast<u32>(((_e214 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e239 >> bitcast<u32>((((_e49.y >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.w ^ (((((_e255 >> bitcast<u32>(((_e55.w & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e269 >> bitcast<u32>(((_e260 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e286 >> bitcast<u32>(((_e277 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e302 >> bitcast<u32>((((_e52.z >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))));
    return;
}


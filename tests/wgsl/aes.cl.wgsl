// kernel aes
struct Buffer {
    data: array<vec4<u32>>,
}

struct Arguments {
    data: array<u32, 2>,
}

struct Constants {
    data: array<u32, 320>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage> keys: Buffer;
@group(0) @binding(2) 
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;
@group(0) @binding(4) 
var<storage> constants: Constants;

@compute @workgroup_size(64, 1, 1) 
fn aes(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var s: vec4<u32>;
    var round_: u32;
    var s_1: vec4<u32>;
    var s_2: vec4<u32>;
    var s_3: vec4<u32>;
    var s_4: vec4<u32>;
    var s_next: vec4<u32>;
    var round_next: u32;

    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let first_id_x = args.data[0u];
    let _e27 = (GlobalInvocationId.x + first_id_x);
    let _e30 = in.data[_e27];
    let _e33 = keys.data[0u];
    s = (_e30 ^ _e33);
    round_ = 1u;
    loop {
        let s_5 = s;
        let round_1 = round_;
        s_1 = s_5;
        s_2 = s_5;
        s_3 = s_5;
        s_4 = s_5;
        if (bitcast<i32>(round_1) < bitcast<i32>(10u)) {
            let _e314 = keys.data[round_1];
            let _e324 = constants.data[((s_5.x & 255u) + 64u)];
            let _e331 = constants.data[(((s_5.y >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e344 = constants.data[(((s_5.z >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e356 = constants.data[((s_5.w >> bitcast<u32>(24u)) + 64u)];
            let _e369 = constants.data[((s_5.y & 255u) + 64u)];
            let _e376 = constants.data[(((s_5.z >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e389 = constants.data[(((s_5.w >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e401 = constants.data[((s_5.x >> bitcast<u32>(24u)) + 64u)];
            let _e414 = constants.data[((s_5.z & 255u) + 64u)];
            let _e421 = constants.data[(((s_5.w >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e434 = constants.data[(((s_5.x >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e446 = constants.data[((s_5.y >> bitcast<u32>(24u)) + 64u)];
            let _e459 = constants.data[((s_5.w & 255u) + 64u)];
            let _e466 = constants.data[(((s_5.x >> bitcast<u32>(8u)) & 255u) + 64u)];
            let _e479 = constants.data[(((s_5.y >> bitcast<u32>(16u)) & 255u) + 64u)];
            let _e491 = constants.data[((s_5.z >> bitcast<u32>(24u)) + 64u)];
            s_next = vec4<u32>((_e314.x ^ (((((_e331 << bitcast<u32>(8u)) | (_e331 >> bitcast<u32>(24u))) ^ _e324) ^ ((_e344 << bitcast<u32>(16u)) | (_e344 >> bitcast<u32>(16u)))) ^ ((_e356 << bitcast<u32>(24u)) | (_e356 >> bitcast<u32>(8u))))), (_e314.y ^ (((((_e376 << bitcast<u32>(8u)) | (_e376 >> bitcast<u32>(24u))) ^ _e369) ^ ((_e389 << bitcast<u32>(16u)) | (_e389 >> bitcast<u32>(16u)))) ^ ((_e401 << bitcast<u32>(24u)) | (_e401 >> bitcast<u32>(8u))))), (_e314.z ^ (((((_e421 << bitcast<u32>(8u)) | (_e421 >> bitcast<u32>(24u))) ^ _e414) ^ ((_e434 << bitcast<u32>(16u)) | (_e434 >> bitcast<u32>(16u)))) ^ ((_e446 << bitcast<u32>(24u)) | (_e446 >> bitcast<u32>(8u))))), (_e314.w ^ (((((_e466 << bitcast<u32>(8u)) | (_e466 >> bitcast<u32>(24u))) ^ _e459) ^ ((_e479 << bitcast<u32>(16u)) | (_e479 >> bitcast<u32>(16u)))) ^ ((_e491 << bitcast<u32>(24u)) | (_e491 >> bitcast<u32>(8u))))));
            round_next = (round_1 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let s_next_1 = s_next;
            s = s_next_1;
            let round_next_1 = round_next;
            round_ = round_next_1;
        }
    }
    let _e44 = keys.data[10u];
    let s_6 = s_1;
    let s_7 = s_2;
    let s_8 = s_3;
    let s_9 = s_4;
    let _e66 = constants.data[((s_6.x & 255u) >> bitcast<u32>(2u))];
    let _e71 = (s_7.y >> bitcast<u32>(8u));
    let _e80 = constants.data[((_e71 & 255u) >> bitcast<u32>(2u))];
    let _e88 = (s_8.z >> bitcast<u32>(16u));
    let _e97 = constants.data[((_e88 & 255u) >> bitcast<u32>(2u))];
    let _e113 = constants.data[(s_9.w >> bitcast<u32>(26u))];
    let _e129 = constants.data[((s_7.y & 255u) >> bitcast<u32>(2u))];
    let _e134 = (s_8.z >> bitcast<u32>(8u));
    let _e143 = constants.data[((_e134 & 255u) >> bitcast<u32>(2u))];
    let _e151 = (s_9.w >> bitcast<u32>(16u));
    let _e160 = constants.data[((_e151 & 255u) >> bitcast<u32>(2u))];
    let _e176 = constants.data[(s_6.x >> bitcast<u32>(26u))];
    let _e192 = constants.data[((s_8.z & 255u) >> bitcast<u32>(2u))];
    let _e197 = (s_9.w >> bitcast<u32>(8u));
    let _e206 = constants.data[((_e197 & 255u) >> bitcast<u32>(2u))];
    let _e214 = (s_6.x >> bitcast<u32>(16u));
    let _e223 = constants.data[((_e214 & 255u) >> bitcast<u32>(2u))];
    let _e239 = constants.data[(s_7.y >> bitcast<u32>(26u))];
    let _e255 = constants.data[((s_9.w & 255u) >> bitcast<u32>(2u))];
    let _e260 = (s_6.x >> bitcast<u32>(8u));
    let _e269 = constants.data[((_e260 & 255u) >> bitcast<u32>(2u))];
    let _e277 = (s_7.y >> bitcast<u32>(16u));
    let _e286 = constants.data[((_e277 & 255u) >> bitcast<u32>(2u))];
    let _e302 = constants.data[(s_8.z >> bitcast<u32>(26u))];
    out.data[_e27] = vec4<u32>((_e44.x ^ (((((_e66 >> bitcast<u32>(((s_6.x & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e80 >> bitcast<u32>(((_e71 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e97 >> bitcast<u32>(((_e88 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e113 >> bitcast<u32>((((s_9.w >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.y ^ (((((_e129 >> bitcast<u32>(((s_7.y & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e143 >> bitcast<u32>(((_e134 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e160 >> bitcast<u32>(((_e151 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e176 >> bitcast<u32>((((s_6.x >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.z ^ (((((_e192 >> bitcast<u32>(((s_8.z & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e206 >> bitcast<u32>(((_e197 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e223 >> bitcast<u32>(((_e214 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e239 >> bitcast<u32>((((s_7.y >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))), (_e44.w ^ (((((_e255 >> bitcast<u32>(((s_9.w & 3u) << bitcast<u32>(3u)))) & 255u) | (((_e269 >> bitcast<u32>(((_e260 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) | (((_e286 >> bitcast<u32>(((_e277 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(16u))) | ((_e302 >> bitcast<u32>((((s_8.z >> bitcast<u32>(24u)) & 3u) << bitcast<u32>(3u)))) << bitcast<u32>(24u)))));
    return;
}


// kernel render
struct Buffer {
    data: array<vec4<f32>>,
}

struct Buffer_1 {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 48>,
}


@group(0) @binding(0) 
var<storage, read_write> image: Buffer;
@group(0) @binding(1) 
var<storage> spheres: Buffer_1;
@group(0) @binding(2) 
var<storage> args: Arguments;
var<private> GlobalInvocationId_1: vec3<u32>;
var<private> NumWorkgroups_1: vec3<u32>;

fn pow_of(param: f32, param_1: f32, param_2: f32) -> f32 {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var zero: u32 = 0u;
    var phi_1587_: bool;

    let zero_3 = zero;
    let _e22 = bitcast<f32>((2139095040u | zero_3));
    let _e25 = NumWorkgroups_1;
    let _e27 = NumWorkgroups_1;
    let _e29 = NumWorkgroups_1;
    let _e36 = bitcast<u32>(param);
    let _e39 = (bitcast<u32>(param_1) & 2147483647u);
    if ((bitcast<i32>(_e39) <= bitcast<i32>(2139095040u)) && ((_e36 + 4294967295u) < 2139095039u)) {
        return param_2;
    }
    let _e48 = (param_1 > 0f);
    let _e49 = trunc(param_1);
    phi_1587_ = false;
    if (_e49 == param_1) {
        phi_1587_ = ((bitcast<u32>(i32(bitcast<f32>((bitcast<u32>(min(abs(param_1), 16777216f)) ^ (0u - (((_e25.x & _e27.y) & _e29.z) >> bitcast<u32>(15u))))))) & 1u) != 0u);
    }
    let _e61 = phi_1587_;
    let _e62 = (_e36 & 2147483647u);
    return select(select(bitcast<f32>((bitcast<u32>(select(select(param_2, select(0f, _e22, _e48), (_e62 == 2139095040u)), select(_e22, 0f, _e48), (_e62 == 0u))) | select(0u, (_e36 & 2147483648u), _e61))), bitcast<f32>((2143289344u | zero_3)), ((bitcast<i32>(_e39) > bitcast<i32>(2139095040u)) || ((bitcast<i32>(_e62) > bitcast<i32>(2139095040u)) || (!((_e49 == param_1)) && ((_e36 != 4286578688u) && ((bitcast<i32>(_e36) < bitcast<i32>(0u)) && (_e36 != 2147483648u))))))), 1f, ((param == 1f) || (param_1 == 0f)));
}

fn pumice_pow(param_3: f32, param_4: f32) -> f32 {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var zero_1: u32 = 0u;

    let zero_4 = zero_1;
    let _e43 = min(max(param_4, -2147483600f), 2147483600f);
    let _e46 = bitcast<f32>((bitcast<u32>(_e43) & 4294963200u));
    let _e48 = (bitcast<u32>(param_3) & 2147483647u);
    let _e52 = (bitcast<i32>(_e48) < bitcast<i32>(8388608u));
    let _e57 = (select(_e48, bitcast<u32>(f32(bitcast<i32>(_e48))), _e52) + 4913933u);
    let _e67 = (bitcast<f32>(((_e57 & 8388607u) + 1060439283u)) - 1f);
    let _e68 = (_e67 + 2f);
    let _e69 = (1f / _e68);
    let _e70 = (_e67 * _e69);
    let _e73 = bitcast<f32>((bitcast<u32>(_e70) & 4294963200u));
    let _e76 = bitcast<f32>((bitcast<u32>(_e68) & 4294963200u));
    let _e79 = -(_e73);
    let _e83 = (_e70 * _e70);
    let _e90 = (_e73 * 2.8847656f);
    let _e94 = f32(bitcast<i32>((bitcast<u32>((bitcast<i32>(_e57) >> bitcast<u32>(23u))) - select(127u, 276u, _e52))));
    let _e95 = (_e90 + _e94);
    let _e101 = bitcast<f32>((bitcast<u32>(_e95) & 4294963200u));
    let _e103 = ((fma(fma(_e70, (_e83 * fma(_e83, fma(_e83, fma(_e83, fma(_e83, 0.09090909f, 0.11111111f), 0.14285715f), 0.2f), 0.33333334f)), (_e69 * fma(_e79, (_e67 - (_e76 - 2f)), fma(_e79, _e76, _e67)))), 2.88539f, (_e73 * 0.0006244568f)) + (_e90 - (_e95 - _e94))) + (_e95 - _e101));
    let _e104 = (_e46 * _e101);
    let _e107 = fma(_e46, _e103, ((_e43 - _e46) * (_e101 + _e103)));
    let _e108 = (_e104 + _e107);
    let _e111 = round(min(max(_e108, -152f), 130f));
    let _e114 = ((_e107 + (_e104 - _e111)) * 0.6931472f);
    let _e124 = bitcast<u32>(i32(_e111));
    let _e128 = bitcast<u32>((bitcast<i32>(_e124) >> bitcast<u32>(1u)));
    let _e144 = pow_of(param_3, param_4, select(select((((fma(fma(_e114, fma(_e114, fma(_e114, fma(_e114, fma(_e114, 0.0001984127f, 0.0013888889f), 0.008333334f), 0.041666668f), 0.16666667f), 0.5f), (_e114 * _e114), _e114) + 1f) * bitcast<f32>(((_e128 + 127u) << bitcast<u32>(23u)))) * bitcast<f32>((((_e124 - _e128) + 127u) << bitcast<u32>(23u)))), 0f, (_e108 < -151f)), bitcast<f32>((2139095040u | zero_4)), (_e108 > 129f)));
    return _e144;
}

fn sin_or_cos(param_5: f32, param_6: u32, param_7: u32) -> f32 {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let _e16 = (param_5 * param_5);
    return bitcast<f32>((bitcast<u32>(select((param_5 * fma(_e16, fma(_e16, fma(_e16, fma(_e16, 0.0000027248366f, -0.00019840075f), 0.008333332f), -0.16666667f), 1f)), fma(_e16, fma(_e16, fma(_e16, fma(_e16, 0.000024546654f, -0.0013888297f), 0.041666664f), -0.5f), 1f), ((param_6 & 1u) != 0u))) ^ ((param_7 ^ (param_6 << bitcast<u32>(30u))) & 2147483648u)));
}

fn pumice_exp(param_8: f32) -> f32 {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let _e19 = select(param_8, -105f, (param_8 < -105f));
    let _e21 = select(_e19, 89f, (_e19 > 89f));
    let _e22 = fma(_e21, 1.442695f, 12582912f);
    let _e24 = -((_e22 - 12582912f));
    let _e26 = fma(_e24, 0.000031946183f, fma(_e24, 0.69311523f, _e21));
    let _e36 = (bitcast<u32>(_e22) + 3032481792u);
    let _e40 = bitcast<u32>((bitcast<i32>(_e36) >> bitcast<u32>(1u)));
    return (((fma(fma(_e26, fma(_e26, fma(_e26, fma(_e26, fma(_e26, 0.0001984127f, 0.0013888889f), 0.008333334f), 0.041666668f), 0.16666667f), 0.5f), (_e26 * _e26), _e26) + 1f) * bitcast<f32>(((_e40 + 127u) << bitcast<u32>(23u)))) * bitcast<f32>((((_e36 - _e40) + 127u) << bitcast<u32>(23u))));
}

fn reduce_large(param_9: f32) -> vec2<u32> {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_1255_: u32;
    var phi_1272_: u32;
    var phi_1282_: u32;
    var phi_1292_: u32;
    var phi_1307_: u32;
    var phi_1308_: u32;
    var phi_1309_: u32;
    var phi_1368_: u32;
    var phi_1369_: u32;
    var phi_1370_: u32;
    var phi_1371_: u32;
    var phi_1390_: u32;

    let _e29 = bitcast<u32>(param_9);
    let _e30 = (_e29 & 2147483647u);
    if (bitcast<i32>(_e30) > bitcast<i32>(2139095040u)) {
        return vec2<u32>(_e29, 0u);
    }
    let _e36 = (bitcast<i32>(_e30) < bitcast<i32>(8388608u));
    let _e40 = select(_e30, bitcast<u32>(f32(bitcast<i32>(_e30))), _e36);
    let _e48 = ((_e40 & 8388607u) | 8388608u);
    let _e49 = ((bitcast<u32>((bitcast<i32>(_e40) >> bitcast<u32>(23u))) - select(127u, 276u, _e36)) + 7u);
    let _e53 = bitcast<u32>((bitcast<i32>(_e49) >> bitcast<u32>(5u)));
    let _e54 = (_e49 & 31u);
    switch bitcast<i32>(_e53) {
        case 1: {
            phi_1255_ = 2734261102u;
            break;
        }
        case 2: {
            phi_1255_ = 1313084713u;
            break;
        }
        case 3: {
            phi_1255_ = 4230436817u;
            break;
        }
        case 4: {
            phi_1255_ = 4113882560u;
            break;
        }
        case 5: {
            phi_1255_ = 3680671129u;
            break;
        }
        case 6: {
            phi_1255_ = 1011060801u;
            break;
        }
        case 7: {
            phi_1255_ = 4266746795u;
            break;
        }
        default: {
            phi_1255_ = 0u;
            break;
        }
    }
    let _e57 = phi_1255_;
    switch bitcast<i32>(_e53) {
        case 0: {
            phi_1272_ = 2734261102u;
            break;
        }
        case 1: {
            phi_1272_ = 1313084713u;
            break;
        }
        case 2: {
            phi_1272_ = 4230436817u;
            break;
        }
        case 3: {
            phi_1272_ = 4113882560u;
            break;
        }
        case 4: {
            phi_1272_ = 3680671129u;
            break;
        }
        case 5: {
            phi_1272_ = 1011060801u;
            break;
        }
        case 6: {
            phi_1272_ = 4266746795u;
            break;
        }
        default: {
            phi_1272_ = 0u;
            break;
        }
    }
    let _e60 = phi_1272_;
    switch bitcast<i32>(_e53) {
        case -1: {
            phi_1282_ = 2734261102u;
            break;
        }
        case 0: {
            phi_1282_ = 1313084713u;
            break;
        }
        case 1: {
            phi_1282_ = 4230436817u;
            break;
        }
        case 2: {
            phi_1282_ = 4113882560u;
            break;
        }
        case 3: {
            phi_1282_ = 3680671129u;
            break;
        }
        case 4: {
            phi_1282_ = 1011060801u;
            break;
        }
        case 5: {
            phi_1282_ = 4266746795u;
            break;
        }
        default: {
            phi_1282_ = 0u;
            break;
        }
    }
    let _e63 = phi_1282_;
    switch bitcast<i32>(_e53) {
        case -2: {
            phi_1292_ = 2734261102u;
            break;
        }
        case -1: {
            phi_1292_ = 1313084713u;
            break;
        }
        case 0: {
            phi_1292_ = 4230436817u;
            break;
        }
        case 1: {
            phi_1292_ = 4113882560u;
            break;
        }
        case 2: {
            phi_1292_ = 3680671129u;
            break;
        }
        case 3: {
            phi_1292_ = 1011060801u;
            break;
        }
        case 4: {
            phi_1292_ = 4266746795u;
            break;
        }
        default: {
            phi_1292_ = 0u;
            break;
        }
    }
    let _e66 = phi_1292_;
    phi_1307_ = _e57;
    phi_1308_ = _e60;
    phi_1309_ = _e63;
    if (_e54 != 0u) {
        let _e71 = ((32u - _e54) & 31u);
        phi_1307_ = ((_e57 << bitcast<u32>(_e54)) | (_e60 >> bitcast<u32>(_e71)));
        phi_1308_ = ((_e60 << bitcast<u32>(_e54)) | (_e63 >> bitcast<u32>(_e71)));
        phi_1309_ = ((_e63 << bitcast<u32>(_e54)) | (_e66 >> bitcast<u32>(_e71)));
    }
    let _e86 = phi_1307_;
    let _e88 = phi_1308_;
    let _e90 = phi_1309_;
    let _e93 = (_e48 & 65535u);
    let _e95 = (_e48 >> bitcast<u32>(16u));
    let _e96 = (_e90 & 65535u);
    let _e98 = (_e90 >> bitcast<u32>(16u));
    let _e105 = ((_e95 * _e96) + ((_e93 * _e96) >> bitcast<u32>(16u)));
    let _e113 = (((_e95 * _e98) + (_e105 >> bitcast<u32>(16u))) + (((_e93 * _e98) + (_e105 & 65535u)) >> bitcast<u32>(16u)));
    let _e114 = ((_e48 * _e88) + _e113);
    let _e116 = (_e48 & 65535u);
    let _e118 = (_e48 >> bitcast<u32>(16u));
    let _e119 = (_e88 & 65535u);
    let _e121 = (_e88 >> bitcast<u32>(16u));
    let _e128 = ((_e118 * _e119) + ((_e116 * _e119) >> bitcast<u32>(16u)));
    let _e140 = (((_e48 * _e86) + (((_e118 * _e121) + (_e128 >> bitcast<u32>(16u))) + (((_e116 * _e121) + (_e128 & 65535u)) >> bitcast<u32>(16u)))) + select(0u, 1u, (_e114 < _e113)));
    let _e142 = (_e140 >> bitcast<u32>(30u));
    let _e144 = (_e140 << bitcast<u32>(2u));
    let _e147 = (_e144 | (_e114 >> bitcast<u32>(30u)));
    let _e152 = ((_e114 << bitcast<u32>(2u)) | ((_e48 * _e90) >> bitcast<u32>(30u)));
    phi_1368_ = _e142;
    phi_1369_ = _e147;
    phi_1370_ = _e152;
    phi_1371_ = 0u;
    if ((_e144 & 2147483648u) != 0u) {
        let _e156 = (0u - _e152);
        phi_1368_ = (_e142 + 1u);
        phi_1369_ = (~(_e147) + select(0u, 1u, (_e156 == 0u)));
        phi_1370_ = _e156;
        phi_1371_ = 1u;
    }
    let _e162 = phi_1368_;
    let _e164 = phi_1369_;
    let _e166 = phi_1370_;
    let _e168 = phi_1371_;
    let _e169 = (_e164 == 0u);
    let _e170 = select(_e164, _e166, _e169);
    if (_e170 == 0u) {
        return vec2<u32>(0u, (_e162 & 3u));
    }
    let _e175 = (31u - firstLeadingBit(_e170));
    phi_1390_ = _e170;
    if (bitcast<i32>(_e175) > bitcast<i32>(0u)) {
        phi_1390_ = ((_e170 << bitcast<u32>((_e175 & 31u))) | (select(_e166, 0u, _e169) >> bitcast<u32>(((32u - _e175) & 31u))));
    }
    let _e188 = phi_1390_;
    let _e196 = ((f32(_e188) * bitcast<f32>((((95u - select(0u, 32u, _e169)) - _e175) << bitcast<u32>(23u)))) * 1.5707964f);
    return vec2<u32>(bitcast<u32>(select(_e196, -(_e196), (_e168 != 0u))), (_e162 & 3u));
}

fn render_1() {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var zero_2: u32 = 0u;
    var phi_340_: f32;
    var phi_341_: u32;
    var phi_373_: f32;
    var state: u32;
    var sum: vec3<f32>;
    var s: u32;
    var hit: vec3<f32>;
    var hit_1: vec3<f32>;
    var hit_2: vec3<f32>;
    var hit_3: u32;
    var hit_4: f32;
    var t: f32;
    var sum_1: vec3<f32>;
    var phi_502_: f32;
    var phi_503_: u32;
    var state_1: u32;
    var ray: vec3<f32>;
    var ray_1: vec3<f32>;
    var weight: vec3<f32>;
    var bounce: u32;
    var hit_5: vec3<f32>;
    var hit_6: vec3<f32>;
    var hit_7: vec3<f32>;
    var hit_8: u32;
    var hit_9: f32;
    var t_1: f32;
    var hit_10: f32;
    var hit_11: vec3<f32>;
    var hit_12: vec3<f32>;
    var hit_13: vec3<f32>;
    var hit_14: u32;
    var hit_15: f32;
    var i: u32;
    var t_2: f32;
    var hit_16: f32;
    var hit_17: f32;
    var hit_18: vec3<f32>;
    var hit_19: vec3<f32>;
    var hit_20: vec3<f32>;
    var hit_21: u32;
    var hit_22: f32;
    var phi_645_: bool;
    var hit_23: vec3<f32>;
    var hit_24: vec3<f32>;
    var hit_25: vec3<f32>;
    var hit_26: u32;
    var hit_27: f32;
    var t_3: f32;
    var ray_2: vec3<f32>;
    var ray_3: vec3<f32>;
    var ray_4: vec3<f32>;
    var weight_1: vec3<f32>;
    var phi_729_: bool;
    var state_2: u32;
    var phi_778_: vec3<f32>;
    var phi_818_: f32;
    var phi_819_: u32;
    var phi_963_: vec3<f32>;
    var phi_964_: u32;
    var phi_1004_: f32;
    var phi_1005_: u32;
    var phi_569_: vec3<f32>;
    var state_3: u32;
    var phi_1160_: bool;
    var t_4: f32;
    var hit_28: f32;
    var hit_29: vec3<f32>;
    var hit_30: vec3<f32>;
    var hit_31: vec3<f32>;
    var hit_32: u32;
    var hit_33: f32;
    var state_next: u32;
    var sum_next: vec3<f32>;
    var s_next: u32;
    var hit_next: vec3<f32>;
    var hit_next_1: vec3<f32>;
    var hit_next_2: vec3<f32>;
    var hit_next_3: u32;
    var hit_next_4: f32;
    var t_next: f32;
    var state_next_1: u32;
    var ray_next: vec3<f32>;
    var ray_next_1: vec3<f32>;
    var weight_next: vec3<f32>;
    var bounce_next: u32;
    var hit_next_5: f32;
    var hit_next_6: vec3<f32>;
    var hit_next_7: vec3<f32>;
    var hit_next_8: vec3<f32>;
    var hit_next_9: u32;
    var hit_next_10: f32;
    var i_next: u32;
    var t_next_1: f32;
    var hit_next_11: f32;
    var hit_next_12: vec3<f32>;
    var hit_next_13: vec3<f32>;
    var hit_next_14: vec3<f32>;
    var hit_next_15: u32;
    var hit_next_16: f32;
    var t_next_2: f32;

    let zero_5 = zero_2;
    let _e98 = bitcast<f32>((2139095040u | zero_5));
    let _e100 = bitcast<f32>((2143289344u | zero_5));
    let dispatch_size_x = args.data[46u];
    let _e104 = GlobalInvocationId_1;
    let dispatch_size_y = args.data[47u];
    let _e112 = GlobalInvocationId_1;
    if (((dispatch_size_x != 0u) && (_e104.x >= dispatch_size_x)) || ((dispatch_size_y != 0u) && (_e112.y >= dispatch_size_y))) {
        return;
    }
    let count = args.data[0u];
    let floor_color = args.data[4u];
    let floor_color_1 = args.data[5u];
    let floor_color_2 = args.data[6u];
    let floor_color_3 = args.data[7u];
    let camera = args.data[8u];
    let camera_1 = args.data[9u];
    let camera_2 = args.data[10u];
    let camera_3 = args.data[12u];
    let camera_4 = args.data[13u];
    let camera_5 = args.data[14u];
    let camera_6 = args.data[16u];
    let camera_7 = args.data[17u];
    let camera_8 = args.data[18u];
    let camera_9 = args.data[19u];
    let camera_10 = args.data[20u];
    let camera_11 = args.data[21u];
    let camera_12 = args.data[22u];
    let camera_13 = args.data[23u];
    let sky = args.data[24u];
    let sky_1 = args.data[25u];
    let sky_2 = args.data[26u];
    let sky_3 = args.data[28u];
    let sky_4 = args.data[29u];
    let sky_5 = args.data[30u];
    let sky_6 = args.data[32u];
    let sky_7 = args.data[33u];
    let sky_8 = args.data[34u];
    let sky_9 = args.data[36u];
    let sky_10 = args.data[37u];
    let sky_11 = args.data[38u];
    let sky_12 = args.data[40u];
    let sky_13 = args.data[41u];
    let first_id_x = args.data[44u];
    let _e248 = (_e104.x + first_id_x);
    let first_id_y = args.data[45u];
    let _e252 = (_e112.y + first_id_y);
    let _e254 = ((camera_10 * _e252) + _e248);
    let _e258 = vec3<f32>(bitcast<f32>(camera), bitcast<f32>(camera_1), bitcast<f32>(camera_2));
    let _e259 = (vec3<f32>(bitcast<f32>(camera_3), bitcast<f32>(camera_4), bitcast<f32>(camera_5)) - _e258);
    let _e260 = abs(_e259);
    let _e265 = max(max(_e260.x, _e260.y), _e260.z);
    let _e283 = select((_e259 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e265) & 2113929216u)), 0u, ((bitcast<u32>(_e265) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e259) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e259) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
    let _e295 = (_e283 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e283.z, _e283.z, fma(_e283.y, _e283.y, (_e283.x * _e283.x)))), 58720256u)))));
    let _e300 = select(vec3<f32>(1f, 0f, 0f), vec3<f32>(0f, 1f, 0f), vec3((abs(_e295.y) < 0.9f)));
    let _e302 = _e295.zxy;
    let _e304 = _e295.yzx;
    let _e307 = fma(-(_e300.zxy), _e304, (_e300.yzx * _e302));
    let _e308 = abs(_e307);
    let _e313 = max(max(_e308.x, _e308.y), _e308.z);
    let _e331 = select((_e307 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e313) & 2113929216u)), 0u, ((bitcast<u32>(_e313) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e307) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e307) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
    let _e343 = (_e331 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e331.z, _e331.z, fma(_e331.y, _e331.y, (_e331.x * _e331.x)))), 58720256u)))));
    let _e348 = fma(-(_e302), _e343.yzx, (_e304 * _e343.zxy));
    let _e349 = (bitcast<f32>(camera_6) * 0.5f);
    let _e350 = abs(_e349);
    if (_e350 > 4000f) {
        let _e362 = reduce_large(select(_e350, _e100, (_e350 == _e98)));
        phi_340_ = bitcast<f32>(_e362.x);
        phi_341_ = _e362.y;
    } else {
        let _e352 = fma(_e350, 0.63661975f, 12582912f);
        let _e354 = -((_e352 - 12582912f));
        phi_340_ = fma(_e354, 0.000000000002563344f, fma(_e354, 0.000000075495336f, fma(_e354, 0.0004837513f, fma(_e354, 1.5703125f, _e350))));
        phi_341_ = bitcast<u32>(_e352);
    }
    let _e367 = phi_340_;
    let _e369 = phi_341_;
    let _e370 = (_e367 * _e367);
    let _e375 = fma(_e367, (_e370 * fma(_e370, fma(_e370, fma(_e370, 0.0000027248366f, -0.00019840075f), 0.008333332f), -0.16666667f)), _e367);
    let _e378 = (_e370 * 0.5f);
    let _e379 = (1f - _e378);
    let _e384 = (_e379 + fma(fma(_e370, fma(_e370, 0.000024546654f, -0.0013888297f), 0.041666664f), (_e370 * _e370), ((1f - _e379) - _e378)));
    if ((_e369 & 1u) != 0u) {
        phi_373_ = -((_e384 / _e375));
    } else {
        phi_373_ = (_e375 / _e384);
    }
    let _e391 = phi_373_;
    let _e397 = select(_e391, -(_e391), (bitcast<i32>(bitcast<u32>(_e349)) < bitcast<i32>(0u)));
    let _e398 = f32(camera_10);
    let _e399 = f32(camera_11);
    state = ((_e254 * 9781u) + 6271u);
    sum = vec3<f32>(0f, 0f, 0f);
    s = 0u;
    hit = vec3<f32>();
    hit_1 = vec3<f32>();
    hit_2 = vec3<f32>();
    hit_3 = u32();
    hit_4 = f32();
    t = f32();
    loop {
        let state_4 = state;
        let sum_2 = sum;
        let s_1 = s;
        let hit_34 = hit;
        let hit_35 = hit_1;
        let hit_36 = hit_2;
        let hit_37 = hit_3;
        let hit_38 = hit_4;
        let t_5 = t;
        sum_1 = sum_2;
        if (s_1 < camera_12) {
            let _e445 = ((state_4 << bitcast<u32>(13u)) ^ state_4);
            let _e448 = (_e445 ^ (_e445 >> bitcast<u32>(17u)));
            let _e451 = (_e448 ^ (_e448 << bitcast<u32>(5u)));
            let _e465 = (_e451 ^ (_e451 << bitcast<u32>(13u)));
            let _e468 = (_e465 ^ (_e465 >> bitcast<u32>(17u)));
            let _e471 = (_e468 ^ (_e468 << bitcast<u32>(5u)));
            let _e483 = (_e471 ^ (_e471 << bitcast<u32>(13u)));
            let _e486 = (_e483 ^ (_e483 >> bitcast<u32>(17u)));
            let _e489 = (_e486 ^ (_e486 << bitcast<u32>(5u)));
            let _e494 = sqrt((f32((_e489 >> bitcast<u32>(8u))) * 0.000000059604645f));
            let _e497 = (_e489 ^ (_e489 << bitcast<u32>(13u)));
            let _e500 = (_e497 ^ (_e497 >> bitcast<u32>(17u)));
            let _e503 = (_e500 ^ (_e500 << bitcast<u32>(5u)));
            let _e508 = ((f32((_e503 >> bitcast<u32>(8u))) * 0.000000059604645f) * 6.2831855f);
            let _e509 = abs(_e508);
            if (_e509 > 4000f) {
                let _e521 = reduce_large(select(_e509, _e100, (_e509 == _e98)));
                phi_502_ = bitcast<f32>(_e521.x);
                phi_503_ = _e521.y;
            } else {
                let _e511 = fma(_e509, 0.63661975f, 12582912f);
                let _e513 = -((_e511 - 12582912f));
                phi_502_ = fma(_e513, 0.000000000002563344f, fma(_e513, 0.000000075495336f, fma(_e513, 0.0004837513f, fma(_e513, 1.5703125f, _e509))));
                phi_503_ = bitcast<u32>(_e511);
            }
            let _e526 = phi_502_;
            let _e528 = phi_503_;
            let _e530 = sin_or_cos(_e526, (_e528 + 1u), 0u);
            let _e533 = sin_or_cos(_e526, _e528, bitcast<u32>(_e508));
            let _e537 = (vec2(bitcast<f32>(camera_7)) * vec2<f32>((_e494 * _e530), (_e494 * _e533)));
            let _e543 = fma(vec3(_e537.y), _e348, fma(vec3(_e537.x), _e343, _e258));
            let _e550 = (fma(fma(vec3(((1f - (((f32(_e252) + (f32((_e471 >> bitcast<u32>(8u))) * 0.000000059604645f)) * 2f) / _e399)) * _e397)), _e348, fma(vec3(((_e398 / _e399) * (((((f32(_e248) + (f32((_e451 >> bitcast<u32>(8u))) * 0.000000059604645f)) * 2f) / _e398) - 1f) * _e397))), _e343, _e295)), vec3(bitcast<f32>(camera_8)), _e258) - _e543);
            let _e551 = abs(_e550);
            let _e556 = max(max(_e551.x, _e551.y), _e551.z);
            let _e574 = select((_e550 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e556) & 2113929216u)), 0u, ((bitcast<u32>(_e556) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e550) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e550) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
            state_1 = _e503;
            ray = _e543;
            ray_1 = (_e574 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e574.z, _e574.z, fma(_e574.y, _e574.y, (_e574.x * _e574.x)))), 58720256u)))));
            weight = vec3<f32>(1f, 1f, 1f);
            bounce = 0u;
            hit_5 = hit_34;
            hit_6 = hit_35;
            hit_7 = hit_36;
            hit_8 = hit_37;
            hit_9 = hit_38;
            t_1 = t_5;
            loop {
                let state_5 = state_1;
                let ray_5 = ray;
                let ray_6 = ray_1;
                let weight_2 = weight;
                let bounce_1 = bounce;
                let hit_39 = hit_5;
                let hit_40 = hit_6;
                let hit_41 = hit_7;
                let hit_42 = hit_8;
                let hit_43 = hit_9;
                let t_6 = t_1;
                state_next = state_5;
                ray_2 = ray_6;
                ray_3 = ray_6;
                ray_4 = ray_6;
                weight_1 = weight_2;
                phi_645_ = false;
                hit_23 = hit_39;
                hit_24 = hit_40;
                hit_25 = hit_41;
                hit_26 = hit_42;
                hit_27 = hit_43;
                t_3 = t_6;
                if (bounce_1 < camera_13) {
                    hit_10 = 100000000000000000000f;
                    hit_11 = hit_39;
                    hit_12 = hit_40;
                    hit_13 = hit_41;
                    hit_14 = hit_42;
                    hit_15 = hit_43;
                    i = 0u;
                    t_2 = t_6;
                    loop {
                        let hit_44 = hit_10;
                        let hit_45 = hit_11;
                        let hit_46 = hit_12;
                        let hit_47 = hit_13;
                        let hit_48 = hit_14;
                        let hit_49 = hit_15;
                        let i_1 = i;
                        let t_7 = t_2;
                        hit_16 = hit_44;
                        hit_next_11 = hit_44;
                        hit_next_12 = hit_45;
                        hit_next_13 = hit_46;
                        hit_next_14 = hit_47;
                        hit_next_15 = hit_48;
                        hit_next_16 = hit_49;
                        t_next_2 = t_7;
                        if (i_1 < count) {
                            let _e1166 = (i_1 * 12u);
                            let _e1169 = spheres.data[_e1166];
                            let _e1174 = spheres.data[(_e1166 + 1u)];
                            let _e1179 = spheres.data[(_e1166 + 2u)];
                            let _e1184 = spheres.data[(_e1166 + 3u)];
                            let _e1185 = bitcast<f32>(_e1184);
                            let _e1186 = vec3<f32>(bitcast<f32>(_e1169), bitcast<f32>(_e1174), bitcast<f32>(_e1179));
                            let _e1187 = (_e1186 - ray_5);
                            let _e1196 = fma(_e1187.z, ray_6.z, fma(_e1187.y, ray_6.y, (_e1187.x * ray_6.x)));
                            let _e1203 = fma(_e1196, _e1196, -(fma(-(_e1185), _e1185, fma(_e1187.z, _e1187.z, fma(_e1187.y, _e1187.y, (_e1187.x * _e1187.x))))));
                            if (_e1203 < 0f) {
                                phi_1160_ = false;
                                t_4 = t_7;
                            } else {
                                let _e1205 = sqrt(_e1203);
                                let _e1206 = (_e1196 - _e1205);
                                let _e1209 = select((_e1196 + _e1205), _e1206, (_e1206 > 0.001f));
                                phi_1160_ = (_e1209 > 0.001f);
                                t_4 = _e1209;
                            }
                            let _e1212 = phi_1160_;
                            let t_8 = t_4;
                            t_next_1 = t_8;
                            hit_28 = hit_44;
                            hit_29 = hit_45;
                            hit_30 = hit_46;
                            hit_31 = hit_47;
                            hit_32 = hit_48;
                            hit_33 = hit_49;
                            if (_e1212 && (t_8 < hit_44)) {
                                let _e1218 = fma(vec3(t_8), ray_6, ray_5);
                                let _e1225 = spheres.data[(_e1166 + 4u)];
                                let _e1230 = spheres.data[(_e1166 + 5u)];
                                let _e1235 = spheres.data[(_e1166 + 6u)];
                                let _e1241 = spheres.data[(_e1166 + 8u)];
                                let _e1245 = spheres.data[(_e1166 + 9u)];
                                hit_28 = t_8;
                                hit_29 = _e1218;
                                hit_30 = ((_e1218 - _e1186) / vec3(_e1185));
                                hit_31 = vec3<f32>(bitcast<f32>(_e1225), bitcast<f32>(_e1230), bitcast<f32>(_e1235));
                                hit_32 = _e1241;
                                hit_33 = bitcast<f32>(_e1245);
                            }
                            let hit_50 = hit_28;
                            let hit_51 = hit_29;
                            let hit_52 = hit_30;
                            let hit_53 = hit_31;
                            let hit_54 = hit_32;
                            let hit_55 = hit_33;
                            hit_next_5 = hit_50;
                            hit_next_6 = hit_51;
                            hit_next_7 = hit_52;
                            hit_next_8 = hit_53;
                            hit_next_9 = hit_54;
                            hit_next_10 = hit_55;
                            i_next = (i_1 + 1u);
                            continue;
                        } else {
                            break;
                        }
                        continuing {
                            let hit_next_17 = hit_next_5;
                            hit_10 = hit_next_17;
                            let hit_next_18 = hit_next_6;
                            hit_11 = hit_next_18;
                            let hit_next_19 = hit_next_7;
                            hit_12 = hit_next_19;
                            let hit_next_20 = hit_next_8;
                            hit_13 = hit_next_20;
                            let hit_next_21 = hit_next_9;
                            hit_14 = hit_next_21;
                            let hit_next_22 = hit_next_10;
                            hit_15 = hit_next_22;
                            let i_next_1 = i_next;
                            i = i_next_1;
                            let t_next_3 = t_next_1;
                            t_2 = t_next_3;
                        }
                    }
                    let _e630 = (-(ray_5.y) / ray_6.y);
                    let hit_56 = hit_16;
                    let hit_next_23 = hit_next_11;
                    hit_17 = hit_next_23;
                    let hit_next_24 = hit_next_12;
                    hit_18 = hit_next_24;
                    let hit_next_25 = hit_next_13;
                    hit_19 = hit_next_25;
                    let hit_next_26 = hit_next_14;
                    hit_20 = hit_next_26;
                    let hit_next_27 = hit_next_15;
                    hit_21 = hit_next_27;
                    let hit_next_28 = hit_next_16;
                    hit_22 = hit_next_28;
                    if (((ray_6.y < -0.0001f) && (_e630 > 0.001f)) && (_e630 < hit_56)) {
                        let _e639 = fma(vec3(_e630), ray_6, ray_5);
                        hit_17 = _e630;
                        hit_18 = _e639;
                        hit_19 = vec3<f32>(0f, 1f, 0f);
                        hit_20 = (vec3<f32>(bitcast<f32>(floor_color), bitcast<f32>(floor_color_1), bitcast<f32>(floor_color_2)) * vec3(select(1f, bitcast<f32>(floor_color_3), (((bitcast<u32>(i32(floor(_e639.x))) + bitcast<u32>(i32(floor(_e639.z)))) & 1u) != 0u))));
                        hit_21 = 0u;
                        hit_22 = 1f;
                    }
                    let hit_57 = hit_17;
                    let hit_58 = hit_18;
                    let hit_59 = hit_19;
                    let hit_60 = hit_20;
                    let hit_61 = hit_21;
                    let hit_62 = hit_22;
                    phi_645_ = (hit_57 < 100000000000000000000f);
                    hit_23 = hit_58;
                    hit_24 = hit_59;
                    hit_25 = hit_60;
                    hit_26 = hit_61;
                    hit_27 = hit_62;
                    let t_next_4 = t_next_2;
                    t_3 = t_next_4;
                }
                let _e669 = phi_645_;
                let hit_63 = hit_23;
                let hit_64 = hit_24;
                let hit_65 = hit_25;
                let hit_66 = hit_26;
                let hit_67 = hit_27;
                let t_9 = t_3;
                hit_next = hit_63;
                hit_next_1 = hit_64;
                hit_next_2 = hit_65;
                hit_next_3 = hit_66;
                hit_next_4 = hit_67;
                t_next = t_9;
                if _e669 {
                    let _e719 = fma(ray_6.z, hit_64.z, fma(ray_6.y, hit_64.y, (ray_6.x * hit_64.x)));
                    let _e720 = (_e719 < 0f);
                    let _e723 = select(-(hit_64), hit_64, vec3(_e720));
                    let _e733 = fma(-(vec3((fma(ray_6.z, _e723.z, fma(ray_6.y, _e723.y, (ray_6.x * _e723.x))) * 2f))), _e723, ray_6);
                    weight_next = (weight_2 * hit_65);
                    if (hit_66 == 0u) {
                        let _e1009 = ((state_5 << bitcast<u32>(13u)) ^ state_5);
                        let _e1012 = (_e1009 ^ (_e1009 >> bitcast<u32>(17u)));
                        let _e1015 = (_e1012 ^ (_e1012 << bitcast<u32>(5u)));
                        let _e1020 = sqrt((f32((_e1015 >> bitcast<u32>(8u))) * 0.000000059604645f));
                        let _e1023 = (_e1015 ^ (_e1015 << bitcast<u32>(13u)));
                        let _e1026 = (_e1023 ^ (_e1023 >> bitcast<u32>(17u)));
                        let _e1029 = (_e1026 ^ (_e1026 << bitcast<u32>(5u)));
                        let _e1034 = ((f32((_e1029 >> bitcast<u32>(8u))) * 0.000000059604645f) * 6.2831855f);
                        let _e1035 = abs(_e1034);
                        if (_e1035 > 4000f) {
                            let _e1047 = reduce_large(select(_e1035, _e100, (_e1035 == _e98)));
                            phi_1004_ = bitcast<f32>(_e1047.x);
                            phi_1005_ = _e1047.y;
                        } else {
                            let _e1037 = fma(_e1035, 0.63661975f, 12582912f);
                            let _e1039 = -((_e1037 - 12582912f));
                            phi_1004_ = fma(_e1039, 0.000000000002563344f, fma(_e1039, 0.000000075495336f, fma(_e1039, 0.0004837513f, fma(_e1039, 1.5703125f, _e1035))));
                            phi_1005_ = bitcast<u32>(_e1037);
                        }
                        let _e1052 = phi_1004_;
                        let _e1054 = phi_1005_;
                        let _e1056 = sin_or_cos(_e1052, (_e1054 + 1u), 0u);
                        let _e1057 = (_e1020 * _e1056);
                        let _e1059 = sin_or_cos(_e1052, _e1054, bitcast<u32>(_e1034));
                        let _e1060 = (_e1020 * _e1059);
                        let _e1064 = select(vec3<f32>(1f, 0f, 0f), vec3<f32>(0f, 1f, 0f), vec3((abs(_e723.y) < 0.9f)));
                        let _e1066 = _e723.zxy;
                        let _e1068 = _e723.yzx;
                        let _e1071 = fma(-(_e1064.zxy), _e1068, (_e1064.yzx * _e1066));
                        let _e1072 = abs(_e1071);
                        let _e1077 = max(max(_e1072.x, _e1072.y), _e1072.z);
                        let _e1095 = select((_e1071 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e1077) & 2113929216u)), 0u, ((bitcast<u32>(_e1077) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e1071) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e1071) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                        let _e1107 = (_e1095 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e1095.z, _e1095.z, fma(_e1095.y, _e1095.y, (_e1095.x * _e1095.x)))), 58720256u)))));
                        let _e1123 = fma(vec3(sqrt(max(0f, (1f - fma(_e1060, _e1060, (_e1057 * _e1057)))))), _e723, fma(fma(-(_e1066), _e1107.yzx, (_e1068 * _e1107.zxy)), vec3(_e1060), (_e1107 * vec3(_e1057))));
                        let _e1124 = abs(_e1123);
                        let _e1129 = max(max(_e1124.x, _e1124.y), _e1124.z);
                        let _e1147 = select((_e1123 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e1129) & 2113929216u)), 0u, ((bitcast<u32>(_e1129) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e1123) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e1123) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                        phi_569_ = (_e1147 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e1147.z, _e1147.z, fma(_e1147.y, _e1147.y, (_e1147.x * _e1147.x)))), 58720256u)))));
                        state_3 = _e1029;
                    } else {
                        if (hit_66 == 1u) {
                            let _e814 = ((state_5 << bitcast<u32>(13u)) ^ state_5);
                            let _e817 = (_e814 ^ (_e814 >> bitcast<u32>(17u)));
                            let _e820 = (_e817 ^ (_e817 << bitcast<u32>(5u)));
                            let _e825 = sqrt((f32((_e820 >> bitcast<u32>(8u))) * 0.000000059604645f));
                            let _e828 = (_e820 ^ (_e820 << bitcast<u32>(13u)));
                            let _e831 = (_e828 ^ (_e828 >> bitcast<u32>(17u)));
                            let _e834 = (_e831 ^ (_e831 << bitcast<u32>(5u)));
                            let _e839 = ((f32((_e834 >> bitcast<u32>(8u))) * 0.000000059604645f) * 6.2831855f);
                            let _e840 = abs(_e839);
                            if (_e840 > 4000f) {
                                let _e852 = reduce_large(select(_e840, _e100, (_e840 == _e98)));
                                phi_818_ = bitcast<f32>(_e852.x);
                                phi_819_ = _e852.y;
                            } else {
                                let _e842 = fma(_e840, 0.63661975f, 12582912f);
                                let _e844 = -((_e842 - 12582912f));
                                phi_818_ = fma(_e844, 0.000000000002563344f, fma(_e844, 0.000000075495336f, fma(_e844, 0.0004837513f, fma(_e844, 1.5703125f, _e840))));
                                phi_819_ = bitcast<u32>(_e842);
                            }
                            let _e857 = phi_818_;
                            let _e859 = phi_819_;
                            let _e861 = sin_or_cos(_e857, (_e859 + 1u), 0u);
                            let _e862 = (_e825 * _e861);
                            let _e864 = sin_or_cos(_e857, _e859, bitcast<u32>(_e839));
                            let _e865 = (_e825 * _e864);
                            let _e869 = select(vec3<f32>(1f, 0f, 0f), vec3<f32>(0f, 1f, 0f), vec3((abs(_e723.y) < 0.9f)));
                            let _e871 = _e723.zxy;
                            let _e873 = _e723.yzx;
                            let _e876 = fma(-(_e869.zxy), _e873, (_e869.yzx * _e871));
                            let _e877 = abs(_e876);
                            let _e882 = max(max(_e877.x, _e877.y), _e877.z);
                            let _e900 = select((_e876 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e882) & 2113929216u)), 0u, ((bitcast<u32>(_e882) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e876) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e876) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                            let _e912 = (_e900 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e900.z, _e900.z, fma(_e900.y, _e900.y, (_e900.x * _e900.x)))), 58720256u)))));
                            let _e928 = fma(vec3(sqrt(max(0f, (1f - fma(_e865, _e865, (_e862 * _e862)))))), _e723, fma(fma(-(_e871), _e912.yzx, (_e873 * _e912.zxy)), vec3(_e865), (_e912 * vec3(_e862))));
                            let _e929 = abs(_e928);
                            let _e934 = max(max(_e929.x, _e929.y), _e929.z);
                            let _e952 = select((_e928 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e934) & 2113929216u)), 0u, ((bitcast<u32>(_e934) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e928) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e928) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                            let _e966 = fma((_e952 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e952.z, _e952.z, fma(_e952.y, _e952.y, (_e952.x * _e952.x)))), 58720256u))))), vec3(hit_67), _e733);
                            let _e967 = abs(_e966);
                            let _e972 = max(max(_e967.x, _e967.y), _e967.z);
                            let _e990 = select((_e966 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e972) & 2113929216u)), 0u, ((bitcast<u32>(_e972) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e966) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e966) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                            phi_963_ = (_e990 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e990.z, _e990.z, fma(_e990.y, _e990.y, (_e990.x * _e990.x)))), 58720256u)))));
                            phi_964_ = _e834;
                        } else {
                            let _e736 = select(1.5f, 0.6666667f, _e720);
                            let _e737 = abs(_e719);
                            let _e742 = fma(-((_e736 * _e736)), fma(-(_e737), _e737, 1f), 1f);
                            phi_729_ = true;
                            state_2 = state_5;
                            if (_e742 < 0f) {
                            } else {
                                let _e746 = ((state_5 << bitcast<u32>(13u)) ^ state_5);
                                let _e749 = (_e746 ^ (_e746 >> bitcast<u32>(17u)));
                                let _e752 = (_e749 ^ (_e749 << bitcast<u32>(5u)));
                                let _e757 = (1f - _e737);
                                let _e758 = (_e757 * _e757);
                                phi_729_ = ((f32((_e752 >> bitcast<u32>(8u))) * 0.000000059604645f) < fma((_e757 * (_e758 * _e758)), 0.96f, 0.040000003f));
                                state_2 = _e752;
                            }
                            let _e764 = phi_729_;
                            let state_6 = state_2;
                            if _e764 {
                                phi_778_ = _e733;
                            } else {
                                let _e773 = fma(vec3(fma(_e736, _e737, -(sqrt(_e742)))), _e723, (vec3(_e736) * ray_6));
                                let _e774 = abs(_e773);
                                let _e779 = max(max(_e774.x, _e774.y), _e774.z);
                                let _e797 = select((_e773 * vec3(bitcast<f32>(select((2130706432u - (bitcast<u32>(_e779) & 2113929216u)), 0u, ((bitcast<u32>(_e779) & 2147483647u) == 2139095040u))))), bitcast<vec3<f32>>(((bitcast<vec3<u32>>(_e773) & vec3<u32>(2147483648u, 2147483648u, 2147483648u)) | vec3<u32>(1065353216u, 1065353216u, 1065353216u))), ((bitcast<vec3<u32>>(_e773) & vec3<u32>(2147483647u, 2147483647u, 2147483647u)) == vec3<u32>(2139095040u, 2139095040u, 2139095040u)));
                                phi_778_ = (_e797 * vec3(inverseSqrt(bitcast<f32>(max(bitcast<u32>(fma(_e797.z, _e797.z, fma(_e797.y, _e797.y, (_e797.x * _e797.x)))), 58720256u)))));
                            }
                            let _e811 = phi_778_;
                            phi_963_ = _e811;
                            phi_964_ = state_6;
                        }
                        let _e1004 = phi_963_;
                        let _e1006 = phi_964_;
                        phi_569_ = _e1004;
                        state_3 = _e1006;
                    }
                    let _e1161 = phi_569_;
                    let state_7 = state_3;
                    state_next_1 = state_7;
                    ray_next = fma(_e1161, vec3<f32>(0.001f, 0.001f, 0.001f), hit_63);
                    ray_next_1 = _e1161;
                    bounce_next = (bounce_1 + 1u);
                    continue;
                } else {
                    break;
                }
                continuing {
                    let state_next_2 = state_next_1;
                    state_1 = state_next_2;
                    let ray_next_2 = ray_next;
                    ray = ray_next_2;
                    let ray_next_3 = ray_next_1;
                    ray_1 = ray_next_3;
                    let weight_next_1 = weight_next;
                    weight = weight_next_1;
                    let bounce_next_1 = bounce_next;
                    bounce = bounce_next_1;
                    hit_5 = hit_63;
                    hit_6 = hit_64;
                    hit_7 = hit_65;
                    hit_8 = hit_66;
                    hit_9 = hit_67;
                    t_1 = t_9;
                }
            }
            let ray_7 = ray_2;
            let _e686 = pumice_pow(max(ray_7.y, 0f), bitcast<f32>(sky_13));
            let ray_8 = ray_3;
            let ray_9 = ray_4;
            let _e697 = pumice_pow(max(fma(ray_9.z, bitcast<f32>(sky_11), fma(ray_7.y, bitcast<f32>(sky_10), (ray_8.x * bitcast<f32>(sky_9)))), 0f), bitcast<f32>(sky_12));
            let _e698 = vec3<f32>(bitcast<f32>(sky_3), bitcast<f32>(sky_4), bitcast<f32>(sky_5));
            let weight_3 = weight_1;
            sum_next = fma(fma(vec3<f32>(bitcast<f32>(sky_6), bitcast<f32>(sky_7), bitcast<f32>(sky_8)), vec3(_e697), fma(vec3(_e686), (vec3<f32>(bitcast<f32>(sky), bitcast<f32>(sky_1), bitcast<f32>(sky_2)) - _e698), _e698)), weight_3, sum_2);
            s_next = (s_1 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let state_next_3 = state_next;
            state = state_next_3;
            let sum_next_1 = sum_next;
            sum = sum_next_1;
            let s_next_1 = s_next;
            s = s_next_1;
            let hit_next_29 = hit_next;
            hit = hit_next_29;
            let hit_next_30 = hit_next_1;
            hit_1 = hit_next_30;
            let hit_next_31 = hit_next_2;
            hit_2 = hit_next_31;
            let hit_next_32 = hit_next_3;
            hit_3 = hit_next_32;
            let hit_next_33 = hit_next_4;
            hit_4 = hit_next_33;
            let t_next_5 = t_next;
            t = t_next_5;
        }
    }
    let sum_3 = sum_1;
    let _e427 = ((-(sum_3) * vec3(bitcast<f32>(camera_9))) / vec3(f32(camera_12)));
    let _e429 = pumice_exp(_e427.x);
    let _e431 = pumice_exp(_e427.y);
    let _e433 = pumice_exp(_e427.z);
    let _e435 = (vec3<f32>(1f, 1f, 1f) - vec3<f32>(_e429, _e431, _e433));
    image.data[_e254] = vec4<f32>(_e435.x, _e435.y, _e435.z, 1f);
    return;
}

@compute @workgroup_size(64, 1, 1) 
fn render(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>, @builtin(num_workgroups) NumWorkgroups: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    GlobalInvocationId_1 = GlobalInvocationId;
    NumWorkgroups_1 = NumWorkgroups;
    render_1();
}


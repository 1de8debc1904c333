// kernel k
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}

struct Arguments {
    data: array<u32, 10>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer_1;
@group(0) @binding(2) 
var<storage, read_write> size: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn k(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_113_: u32;
    var phi_130_: u32;
    var phi_135_: u32;
    var phi_136_: u32;
    var phi_188_: vec4<u32>;
    var phi_208_: u32;
    var phi_219_: u32;
    var phi_241_: vec4<u32>;
    var phi_249_: vec4<u32>;
    var phi_250_: vec4<u32>;
    var phi_258_: vec4<u32>;
    var phi_293_: f32;
    var phi_316_: f32;
    var phi_338_: f32;
    var phi_360_: f32;
    var phi_400_: vec4<f32>;
    var phi_408_: u32;
    var phi_452_: vec4<f32>;
    var phi_486_: f32;
    var phi_496_: f32;
    var phi_506_: f32;
    var phi_515_: vec4<f32>;
    var phi_527_: vec4<f32>;
    var phi_528_: vec4<f32>;
    var phi_561_: f32;
    var phi_574_: f32;
    var phi_587_: f32;
    var phi_597_: vec4<f32>;
    var phi_610_: vec4<f32>;
    var phi_611_: vec4<f32>;
    var phi_643_: u32;
    var phi_658_: u32;
    var phi_663_: u32;
    var phi_664_: u32;
    var phi_712_: u32;
    var phi_718_: u32;
    var phi_744_: u32;
    var phi_748_: u32;
    var phi_774_: u32;
    var phi_778_: u32;
    var phi_804_: u32;
    var phi_808_: u32;
    var phi_835_: vec4<u32>;
    var phi_846_: u32;
    var phi_857_: u32;
    var phi_886_: vec4<u32>;
    var phi_895_: vec4<u32>;
    var phi_896_: vec4<u32>;
    var phi_908_: vec4<u32>;
    var phi_935_: vec4<u32>;

    let dispatch_size_x = args.data[2u];
    let dispatch_size_y = args.data[3u];
    if (((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) || ((dispatch_size_y != 0u) && (GlobalInvocationId.y >= dispatch_size_y))) {
        return;
    }
    let first_id_x = args.data[0u];
    let _e97 = (GlobalInvocationId.x + first_id_x);
    let first_id_y = args.data[1u];
    let _e101 = (GlobalInvocationId.y + first_id_y);
    let _e104 = args.data[6u];
    let _e107 = args.data[7u];
    let _e108 = (_e104 + 4294967295u);
    let _e109 = (_e108 - _e97);
    let _e129 = args.data[4u];
    let _e131 = (_e129 >> bitcast<u32>(16u));
    let _e132 = (_e131 == 4308u);
    if (_e132 || (_e131 == 4309u)) {
        phi_136_ = 1u;
    } else {
        if ((_e131 == 4310u) || (_e131 == 4320u)) {
            phi_135_ = 2u;
        } else {
            let _e138 = (_e129 & 31u);
            if (((587399168u >> bitcast<u32>(_e138)) & 1u) != 0u) {
                phi_113_ = 1u;
            } else {
                phi_113_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e138)) & 1u) != 0u));
            }
            let _e149 = phi_113_;
            let _e154 = (_e131 & 31u);
            if (((75825152u >> bitcast<u32>(_e154)) & 1u) != 0u) {
                phi_130_ = 1u;
            } else {
                phi_130_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e154)) & 1u) != 0u));
            }
            let _e165 = phi_130_;
            phi_135_ = (bitcast<u32>((bitcast<i32>(_e149) >> bitcast<u32>(1u))) + bitcast<u32>((bitcast<i32>(_e165) >> bitcast<u32>(1u))));
        }
        let _e172 = phi_135_;
        phi_136_ = _e172;
    }
    let _e174 = phi_136_;
    let _e177 = (1u << bitcast<u32>((_e174 & 31u)));
    let _e183 = ((bitcast<u32>(min(bitcast<i32>(_e108), bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e97), bitcast<i32>(0u)))))) * _e177) + (bitcast<u32>(min(bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e101), bitcast<i32>(0u)))), bitcast<i32>((_e107 + 4294967295u)))) * (((_e177 * _e104) + 255u) & 4294967040u)));
    let _e184 = (_e183 & 4294967292u);
    let _e192 = in.data[(_e183 >> bitcast<u32>(2u))];
    if (_e177 > 4u) {
        let _e197 = (_e177 == 16u);
        let _e203 = in.data[((_e184 + 4u) >> bitcast<u32>(2u))];
        let _e210 = in.data[(select(_e184, (_e184 + 8u), _e197) >> bitcast<u32>(2u))];
        let _e217 = in.data[(select(_e184, (_e184 + 12u), _e197) >> bitcast<u32>(2u))];
        phi_188_ = select(vec4<u32>((_e192 & 65535u), (_e192 >> bitcast<u32>(16u)), (_e203 & 65535u), (_e203 >> bitcast<u32>(16u))), vec4<u32>(_e192, _e203, _e210, _e217), vec4(_e197));
    } else {
        phi_188_ = vec4<u32>((_e192 >> bitcast<u32>(((_e183 & 3u) << bitcast<u32>(3u)))), 0u, 0u, 0u);
    }
    let _e229 = phi_188_;
    let _e230 = (_e131 & 31u);
    if (((7340032u >> bitcast<u32>(_e230)) & 1u) != 0u) {
        let _e428 = select(5u, 10u, (_e131 == 4310u));
        let _e429 = select(_e428, 6u, _e132);
        let _e434 = ((vec2<u32>(1u, 1u) << bitcast<vec2<u32>>((vec2<u32>(_e428, _e429) & vec2<u32>(31u, 31u)))) + vec2<u32>(4294967295u, 4294967295u));
        let _e449 = vec2<f32>(_e434);
        phi_452_ = (vec4<f32>(vec4<u32>(((_e229.x >> bitcast<u32>(((_e428 + _e429) & 31u))) & _e434.x), ((_e229.x >> bitcast<u32>(_e428)) & _e434.y), (_e229.x & _e434.x), 1u)) / vec4<f32>(_e449.x, _e449.y, _e449.x, 1f));
    } else {
        let _e235 = (_e129 & 31u);
        let _e239 = (((587399168u >> bitcast<u32>(_e235)) & 1u) != 0u);
        if _e239 {
            phi_208_ = 1u;
        } else {
            phi_208_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e235)) & 1u) != 0u));
        }
        let _e246 = phi_208_;
        if (((75825152u >> bitcast<u32>(_e230)) & 1u) != 0u) {
            phi_219_ = 1u;
        } else {
            phi_219_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e230)) & 1u) != 0u));
        }
        let _e257 = phi_219_;
        if (_e257 == 1u) {
            phi_258_ = (vec4<u32>(_e229.x, (_e229.x >> bitcast<u32>(8u)), (_e229.x >> bitcast<u32>(16u)), (_e229.x >> bitcast<u32>(24u))) & vec4<u32>(255u, 255u, 255u, 255u));
        } else {
            if (_e257 == 2u) {
                if (_e246 == 4u) {
                    phi_249_ = _e229;
                } else {
                    phi_249_ = vec4<u32>((_e229.x & 65535u), (_e229.x >> bitcast<u32>(16u)), 0u, 0u);
                }
                let _e280 = phi_249_;
                phi_250_ = _e280;
            } else {
                if (_e246 == 2u) {
                    phi_241_ = vec4<u32>((_e229.x | (_e229.y << bitcast<u32>(16u))), (_e229.z | (_e229.w << bitcast<u32>(16u))), 0u, 0u);
                } else {
                    phi_241_ = _e229;
                }
                let _e273 = phi_241_;
                phi_250_ = _e273;
            }
            let _e282 = phi_250_;
            phi_258_ = _e282;
        }
        let _e292 = phi_258_;
        switch bitcast<i32>(_e131) {
            case 4304: {
                phi_400_ = max((vec4<f32>(bitcast<vec4<i32>>(bitcast<vec4<u32>>((bitcast<vec4<i32>>((_e292 << bitcast<vec4<u32>>(vec4<u32>(24u, 24u, 24u, 24u)))) >> bitcast<vec4<u32>>(vec4<u32>(24u, 24u, 24u, 24u)))))) / vec4<f32>(127f, 127f, 127f, 127f)), vec4<f32>(-1f, -1f, -1f, -1f));
                break;
            }
            case 4305: {
                phi_400_ = max((vec4<f32>(bitcast<vec4<i32>>(bitcast<vec4<u32>>((bitcast<vec4<i32>>((_e292 << bitcast<vec4<u32>>(vec4<u32>(16u, 16u, 16u, 16u)))) >> bitcast<vec4<u32>>(vec4<u32>(16u, 16u, 16u, 16u)))))) / vec4<f32>(32767f, 32767f, 32767f, 32767f)), vec4<f32>(-1f, -1f, -1f, -1f));
                break;
            }
            case 4306: {
                phi_400_ = (vec4<f32>(_e292) / vec4<f32>(255f, 255f, 255f, 255f));
                break;
            }
            case 4307: {
                phi_400_ = (vec4<f32>(_e292) / vec4<f32>(65535f, 65535f, 65535f, 65535f));
                break;
            }
            case 4317: {
                let _e298 = ((_e292.x & 32767u) << bitcast<u32>(13u));
                if (_e298 >= 260046848u) {
                    phi_293_ = bitcast<f32>((_e298 | 2139095040u));
                } else {
                    phi_293_ = select((bitcast<f32>((_e298 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e298 + 939524096u)), (_e298 >= 8388608u));
                }
                let _e310 = phi_293_;
                let _e320 = ((_e292.y & 32767u) << bitcast<u32>(13u));
                if (_e320 >= 260046848u) {
                    phi_316_ = bitcast<f32>((_e320 | 2139095040u));
                } else {
                    phi_316_ = select((bitcast<f32>((_e320 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e320 + 939524096u)), (_e320 >= 8388608u));
                }
                let _e332 = phi_316_;
                let _e342 = ((_e292.z & 32767u) << bitcast<u32>(13u));
                if (_e342 >= 260046848u) {
                    phi_338_ = bitcast<f32>((_e342 | 2139095040u));
                } else {
                    phi_338_ = select((bitcast<f32>((_e342 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e342 + 939524096u)), (_e342 >= 8388608u));
                }
                let _e354 = phi_338_;
                let _e364 = ((_e292.w & 32767u) << bitcast<u32>(13u));
                if (_e364 >= 260046848u) {
                    phi_360_ = bitcast<f32>((_e364 | 2139095040u));
                } else {
                    phi_360_ = select((bitcast<f32>((_e364 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e364 + 939524096u)), (_e364 >= 8388608u));
                }
                let _e376 = phi_360_;
                phi_400_ = vec4<f32>(bitcast<f32>((bitcast<u32>(_e310) | ((_e292.x & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e332) | ((_e292.y & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e354) | ((_e292.z & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e376) | ((_e292.w & 32768u) << bitcast<u32>(16u)))));
                break;
            }
            default: {
                phi_400_ = bitcast<vec4<f32>>(_e292);
                break;
            }
        }
        let _e409 = phi_400_;
        if _e239 {
            phi_408_ = 1u;
        } else {
            phi_408_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e235)) & 1u) != 0u));
        }
        let _e416 = phi_408_;
        phi_452_ = select(select(vec4<f32>(_e409.x, 0f, 0f, 1f), vec4<f32>(_e409.x, _e409.y, 0f, 1f), vec4((_e416 == 2u))), _e409, vec4((_e416 == 4u)));
    }
    let _e455 = phi_452_;
    if (((2211053583u >> bitcast<u32>((_e129 & 31u))) & 1u) != 0u) {
        let _e461 = (_e129 & 65535u);
        switch bitcast<i32>(_e461) {
            case 4273: {
                phi_527_ = vec4<f32>(0f, 0f, 0f, _e455.x);
                break;
            }
            case 4275: {
                phi_527_ = vec4<f32>(_e455.x, 0f, 0f, _e455.y);
                break;
            }
            case 4278: {
                phi_527_ = _e455.zyxw;
                break;
            }
            case 4279: {
                phi_527_ = _e455.yzwx;
                break;
            }
            case 4291: {
                phi_527_ = _e455.wzyx;
                break;
            }
            case 4281: {
                phi_527_ = vec4<f32>(_e455.x, _e455.x, _e455.x, 1f);
                break;
            }
            case 4280: {
                phi_527_ = _e455.xxxx;
                break;
            }
            case 4288, 4289, 4290, 4287: {
                if (_e455.x <= 0.04045f) {
                    phi_486_ = (_e455.x / 12.92f);
                } else {
                    phi_486_ = pow(((_e455.x + 0.055f) / 1.055f), 2.4f);
                }
                let _e470 = phi_486_;
                if (_e455.y <= 0.04045f) {
                    phi_496_ = (_e455.y / 12.92f);
                } else {
                    phi_496_ = pow(((_e455.y + 0.055f) / 1.055f), 2.4f);
                }
                let _e478 = phi_496_;
                if (_e455.z <= 0.04045f) {
                    phi_506_ = (_e455.z / 12.92f);
                } else {
                    phi_506_ = pow(((_e455.z + 0.055f) / 1.055f), 2.4f);
                }
                let _e486 = phi_506_;
                let _e488 = vec4<f32>(_e470, _e478, _e486, _e455.w);
                if (_e461 == 4290u) {
                    phi_515_ = _e488.zyxw;
                } else {
                    phi_515_ = _e488;
                }
                let _e492 = phi_515_;
                phi_527_ = _e492;
                break;
            }
            default: {
                phi_527_ = _e455;
                break;
            }
        }
        let _e505 = phi_527_;
        phi_528_ = _e505;
    } else {
        phi_528_ = _e455;
    }
    let _e507 = phi_528_;
    let _e510 = args.data[5u];
    let _e511 = (_e510 & 31u);
    if (((2160721935u >> bitcast<u32>(_e511)) & 1u) != 0u) {
        let _e516 = (_e510 & 65535u);
        phi_597_ = _e507;
        if ((_e516 >= 4287u) && (_e516 <= 4290u)) {
            let _e524 = select(0f, select(1f, _e507.x, (_e507.x < 1f)), (_e507.x > 0f));
            if (_e524 <= 0.0031308f) {
                phi_561_ = (_e524 * 12.92f);
            } else {
                phi_561_ = fma(pow(_e524, 0.41666666f), 1.055f, -0.055f);
            }
            let _e530 = phi_561_;
            let _e535 = select(0f, select(1f, _e507.y, (_e507.y < 1f)), (_e507.y > 0f));
            if (_e535 <= 0.0031308f) {
                phi_574_ = (_e535 * 12.92f);
            } else {
                phi_574_ = fma(pow(_e535, 0.41666666f), 1.055f, -0.055f);
            }
            let _e541 = phi_574_;
            let _e546 = select(0f, select(1f, _e507.z, (_e507.z < 1f)), (_e507.z > 0f));
            if (_e546 <= 0.0031308f) {
                phi_587_ = (_e546 * 12.92f);
            } else {
                phi_587_ = fma(pow(_e546, 0.41666666f), 1.055f, -0.055f);
            }
            let _e552 = phi_587_;
            phi_597_ = (round((min(max(vec4<f32>(_e530, _e541, _e552, _e507.w), vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(255f, 255f, 255f, 255f))) / vec4<f32>(255f, 255f, 255f, 255f));
        }
        let _e561 = phi_597_;
        switch bitcast<i32>(_e516) {
            case 4273: {
                phi_610_ = _e561.wyzx;
                break;
            }
            case 4275: {
                phi_610_ = _e561.xwzy;
                break;
            }
            case 4278, 4290: {
                phi_610_ = _e561.zyxw;
                break;
            }
            case 4279: {
                phi_610_ = _e561.wxyz;
                break;
            }
            case 4291: {
                phi_610_ = _e561.wzyx;
                break;
            }
            default: {
                phi_610_ = _e561;
                break;
            }
        }
        let _e569 = phi_610_;
        phi_611_ = _e569;
    } else {
        phi_611_ = _e507;
    }
    let _e571 = phi_611_;
    let _e574 = args.data[8u];
    let _e578 = args.data[9u];
    let _e580 = ((_e109 < _e574) && (_e101 < _e578));
    let _e582 = (_e510 >> bitcast<u32>(16u));
    let _e583 = (_e582 == 4308u);
    if (_e583 || (_e582 == 4309u)) {
        phi_664_ = 1u;
    } else {
        if ((_e582 == 4310u) || (_e582 == 4320u)) {
            phi_663_ = 2u;
        } else {
            if (((587399168u >> bitcast<u32>(_e511)) & 1u) != 0u) {
                phi_643_ = 1u;
            } else {
                phi_643_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e511)) & 1u) != 0u));
            }
            let _e599 = phi_643_;
            let _e604 = (_e582 & 31u);
            if (((75825152u >> bitcast<u32>(_e604)) & 1u) != 0u) {
                phi_658_ = 1u;
            } else {
                phi_658_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e604)) & 1u) != 0u));
            }
            let _e615 = phi_658_;
            phi_663_ = (bitcast<u32>((bitcast<i32>(_e599) >> bitcast<u32>(1u))) + bitcast<u32>((bitcast<i32>(_e615) >> bitcast<u32>(1u))));
        }
        let _e622 = phi_663_;
        phi_664_ = _e622;
    }
    let _e624 = phi_664_;
    let _e627 = (1u << bitcast<u32>((_e624 & 31u)));
    let _e628 = (_e582 & 31u);
    if (((7340032u >> bitcast<u32>(_e628)) & 1u) != 0u) {
        let _e850 = select(5u, 10u, (_e582 == 4310u));
        let _e851 = select(_e850, 6u, _e583);
        let _e857 = vec2<f32>(((vec2<u32>(1u, 1u) << bitcast<vec2<u32>>((vec2<u32>(_e850, _e851) & vec2<u32>(31u, 31u)))) + vec2<u32>(4294967295u, 4294967295u)));
        let _e865 = vec4<u32>(round((min(max(_e571, vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(_e857.x, _e857.y, _e857.x, 0f))));
        phi_935_ = vec4<u32>((((_e865.x << bitcast<u32>(((_e850 + _e851) & 31u))) | (_e865.y << bitcast<u32>(_e850))) | _e865.z), 0u, 0u, 0u);
    } else {
        switch bitcast<i32>(_e582) {
            case 4304: {
                phi_835_ = (bitcast<vec4<u32>>(vec4<i32>(round((min(max(_e571, vec4<f32>(-1f, -1f, -1f, -1f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(127f, 127f, 127f, 127f))))) & vec4<u32>(255u, 255u, 255u, 255u));
                break;
            }
            case 4305: {
                phi_835_ = (bitcast<vec4<u32>>(vec4<i32>(round((min(max(_e571, vec4<f32>(-1f, -1f, -1f, -1f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(32767f, 32767f, 32767f, 32767f))))) & vec4<u32>(65535u, 65535u, 65535u, 65535u));
                break;
            }
            case 4306: {
                phi_835_ = vec4<u32>(round((min(max(_e571, vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(255f, 255f, 255f, 255f))));
                break;
            }
            case 4307: {
                phi_835_ = vec4<u32>(round((min(max(_e571, vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(65535f, 65535f, 65535f, 65535f))));
                break;
            }
            case 4317: {
                let _e636 = bitcast<u32>(_e571.x);
                let _e639 = ((_e636 >> bitcast<u32>(16u)) & 32768u);
                let _e640 = (_e636 & 2147483647u);
                if (_e640 >= 1199570944u) {
                    phi_718_ = (_e639 | select(31744u, 32256u, (_e640 > 2139095040u)));
                } else {
                    if (_e640 < 947912704u) {
                        phi_712_ = (_e639 | u32(round((bitcast<f32>(_e640) * 16777216f))));
                    } else {
                        phi_712_ = (_e639 | (((_e640 + 3355443200u) + (((_e640 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                    }
                    let _e658 = phi_712_;
                    phi_718_ = _e658;
                }
                let _e663 = phi_718_;
                let _e665 = bitcast<u32>(_e571.y);
                let _e668 = ((_e665 >> bitcast<u32>(16u)) & 32768u);
                let _e669 = (_e665 & 2147483647u);
                if (_e669 >= 1199570944u) {
                    phi_748_ = (_e668 | select(31744u, 32256u, (_e669 > 2139095040u)));
                } else {
                    if (_e669 < 947912704u) {
                        phi_744_ = (_e668 | u32(round((bitcast<f32>(_e669) * 16777216f))));
                    } else {
                        phi_744_ = (_e668 | (((_e669 + 3355443200u) + (((_e669 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                    }
                    let _e687 = phi_744_;
                    phi_748_ = _e687;
                }
                let _e692 = phi_748_;
                let _e694 = bitcast<u32>(_e571.z);
                let _e697 = ((_e694 >> bitcast<u32>(16u)) & 32768u);
                let _e698 = (_e694 & 2147483647u);
                if (_e698 >= 1199570944u) {
                    phi_778_ = (_e697 | select(31744u, 32256u, (_e698 > 2139095040u)));
                } else {
                    if (_e698 < 947912704u) {
                        phi_774_ = (_e697 | u32(round((bitcast<f32>(_e698) * 16777216f))));
                    } else {
                        phi_774_ = (_e697 | (((_e698 + 3355443200u) + (((_e698 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                    }
                    let _e716 = phi_774_;
                    phi_778_ = _e716;
                }
                let _e721 = phi_778_;
                let _e723 = bitcast<u32>(_e571.w);
                let _e726 = ((_e723 >> bitcast<u32>(16u)) & 32768u);
                let _e727 = (_e723 & 2147483647u);
                if (_e727 >= 1199570944u) {
                    phi_808_ = (_e726 | select(31744u, 32256u, (_e727 > 2139095040u)));
                } else {
                    if (_e727 < 947912704u) {
                        phi_804_ = (_e726 | u32(round((bitcast<f32>(_e727) * 16777216f))));
                    } else {
                        phi_804_ = (_e726 | (((_e727 + 3355443200u) + (((_e727 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                    }
                    let _e745 = phi_804_;
                    phi_808_ = _e745;
                }
                let _e750 = phi_808_;
                phi_835_ = vec4<u32>(_e663, _e692, _e721, _e750);
                break;
            }
            default: {
                phi_835_ = bitcast<vec4<u32>>(_e571);
                break;
            }
        }
        let _e777 = phi_835_;
        if (((587399168u >> bitcast<u32>(_e511)) & 1u) != 0u) {
            phi_846_ = 1u;
        } else {
            phi_846_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e511)) & 1u) != 0u));
        }
        let _e788 = phi_846_;
        if (((75825152u >> bitcast<u32>(_e628)) & 1u) != 0u) {
            phi_857_ = 1u;
        } else {
            phi_857_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e628)) & 1u) != 0u));
        }
        let _e799 = phi_857_;
        let _e800 = (_e788 == 4u);
        let _e801 = (_e788 == 2u);
        let _e809 = select(select(vec4<u32>(_e777.x, 0u, 0u, 0u), vec4<u32>(_e777.x, _e777.y, 0u, 0u), vec4(_e801)), _e777, vec4(_e800));
        if (_e799 == 1u) {
            phi_908_ = vec4<u32>((((_e809.x | (_e809.y << bitcast<u32>(8u))) | (_e809.z << bitcast<u32>(16u))) | (_e809.w << bitcast<u32>(24u))), 0u, 0u, 0u);
        } else {
            if (_e799 == 2u) {
                if _e800 {
                    phi_895_ = _e809;
                } else {
                    phi_895_ = vec4<u32>((_e809.x | (_e809.y << bitcast<u32>(16u))), 0u, 0u, 0u);
                }
                let _e830 = phi_895_;
                phi_896_ = _e830;
            } else {
                if _e801 {
                    phi_886_ = vec4<u32>((_e809.x & 65535u), (_e809.x >> bitcast<u32>(16u)), (_e809.y & 65535u), (_e809.y >> bitcast<u32>(16u)));
                } else {
                    phi_886_ = _e809;
                }
                let _e822 = phi_886_;
                phi_896_ = _e822;
            }
            let _e832 = phi_896_;
            phi_908_ = _e832;
        }
        let _e848 = phi_908_;
        phi_935_ = _e848;
    }
    let _e879 = phi_935_;
    let _e885 = ((_e109 * _e627) + ((((_e627 * _e574) + 255u) & 4294967040u) * _e101));
    if (_e580 && (_e627 == 4u)) {
        atomicStore((&out.data[(_e885 >> bitcast<u32>(2u))]), _e879.x);
    }
    if (_e580 && (_e627 == 16u)) {
        atomicStore((&out.data[(_e885 >> bitcast<u32>(2u))]), _e879.x);
        atomicStore((&out.data[((_e885 + 4u) >> bitcast<u32>(2u))]), _e879.y);
        atomicStore((&out.data[((_e885 + 8u) >> bitcast<u32>(2u))]), _e879.z);
        atomicStore((&out.data[((_e885 + 12u) >> bitcast<u32>(2u))]), _e879.w);
    }
    if (_e580 && (_e627 == 8u)) {
        atomicStore((&out.data[(_e885 >> bitcast<u32>(2u))]), (_e879.x | (_e879.y << bitcast<u32>(16u))));
        atomicStore((&out.data[((_e885 + 4u) >> bitcast<u32>(2u))]), (_e879.z | (_e879.w << bitcast<u32>(16u))));
    }
    if (_e580 && (_e627 == 1u)) {
        let _e944 = (_e885 >> bitcast<u32>(2u));
        let _e947 = ((_e885 & 3u) << bitcast<u32>(3u));
        let _e955 = atomicAnd((&out.data[_e944]), ~((255u << bitcast<u32>(_e947))));
        let _e958 = atomicOr((&out.data[_e944]), ((_e879.x & 255u) << bitcast<u32>(_e947)));
    }
    if (_e580 && (_e627 == 2u)) {
        let _e964 = (_e885 >> bitcast<u32>(2u));
        let _e967 = ((_e885 & 3u) << bitcast<u32>(3u));
        let _e975 = atomicAnd((&out.data[_e964]), ~((65535u << bitcast<u32>(_e967))));
        let _e978 = atomicOr((&out.data[_e964]), ((_e879.x & 65535u) << bitcast<u32>(_e967)));
    }
    size.data[0u] = _e104;
    size.data[1u] = _e107;
    size.data[2u] = (_e129 & 65535u);
    size.data[3u] = _e131;
    return;
}


// kernel k
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer_1;
@group(0) @binding(2) 
var<storage, read_write> size: Buffer;
@group(0) @binding(3) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn k(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_95_: u32;
    var phi_111_: u32;
    var phi_162_: vec4<u32>;
    var phi_170_: u32;
    var phi_178_: u32;
    var phi_200_: vec4<u32>;
    var phi_208_: vec4<u32>;
    var phi_209_: vec4<u32>;
    var phi_217_: vec4<u32>;
    var phi_252_: f32;
    var phi_275_: f32;
    var phi_297_: f32;
    var phi_319_: f32;
    var phi_359_: vec4<f32>;
    var phi_367_: u32;
    var phi_412_: f32;
    var phi_422_: f32;
    var phi_432_: f32;
    var phi_441_: vec4<f32>;
    var phi_453_: vec4<f32>;
    var phi_454_: vec4<f32>;
    var phi_488_: f32;
    var phi_501_: f32;
    var phi_514_: f32;
    var phi_524_: vec4<f32>;
    var phi_537_: vec4<f32>;
    var phi_538_: vec4<f32>;
    var phi_557_: u32;
    var phi_570_: u32;
    var phi_610_: u32;
    var phi_616_: u32;
    var phi_642_: u32;
    var phi_646_: u32;
    var phi_672_: u32;
    var phi_676_: u32;
    var phi_702_: u32;
    var phi_706_: u32;
    var phi_733_: vec4<u32>;
    var phi_741_: u32;
    var phi_749_: u32;
    var phi_778_: vec4<u32>;
    var phi_787_: vec4<u32>;
    var phi_788_: vec4<u32>;
    var phi_800_: vec4<u32>;

    let _e70 = args.data[2u];
    let _e78 = args.data[3u];
    if (((_e70 != 0u) && (GlobalInvocationId.x >= _e70)) || ((_e78 != 0u) && (GlobalInvocationId.y >= _e78))) {
        return;
    }
    let _e87 = args.data[0u];
    let _e88 = (GlobalInvocationId.x + _e87);
    let _e91 = args.data[1u];
    let _e92 = (GlobalInvocationId.y + _e91);
    let _e95 = args.data[6u];
    let _e98 = args.data[7u];
    let _e99 = (_e95 + 4294967295u);
    let _e100 = (_e99 - _e88);
    let _e120 = args.data[4u];
    let _e121 = (_e120 & 31u);
    let _e125 = (((587399168u >> bitcast<u32>(_e121)) & 1u) != 0u);
    if _e125 {
        phi_95_ = 1u;
    } else {
        phi_95_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e121)) & 1u) != 0u));
    }
    let _e132 = phi_95_;
    let _e134 = (_e120 >> bitcast<u32>(16u));
    let _e135 = (_e134 & 31u);
    let _e139 = (((75825152u >> bitcast<u32>(_e135)) & 1u) != 0u);
    if _e139 {
        phi_111_ = 1u;
    } else {
        phi_111_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e135)) & 1u) != 0u));
    }
    let _e146 = phi_111_;
    let _e147 = (_e132 * _e146);
    let _e153 = ((bitcast<u32>(min(bitcast<i32>(_e99), bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e88), bitcast<i32>(0u)))))) * _e147) + (bitcast<u32>(min(bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e92), bitcast<i32>(0u)))), bitcast<i32>((_e98 + 4294967295u)))) * (((_e147 * _e95) + 255u) & 4294967040u)));
    let _e154 = (_e153 & 4294967292u);
    let _e162 = in.data[(_e153 >> bitcast<u32>(2u))];
    if (_e147 > 4u) {
        let _e167 = (_e147 == 16u);
        let _e173 = in.data[((_e154 + 4u) >> bitcast<u32>(2u))];
        let _e180 = in.data[(select(_e154, (_e154 + 8u), _e167) >> bitcast<u32>(2u))];
        let _e187 = in.data[(select(_e154, (_e154 + 12u), _e167) >> bitcast<u32>(2u))];
        phi_162_ = select(vec4<u32>((_e162 & 65535u), (_e162 >> bitcast<u32>(16u)), (_e173 & 65535u), (_e173 >> bitcast<u32>(16u))), vec4<u32>(_e162, _e173, _e180, _e187), vec4(_e167));
    } else {
        phi_162_ = vec4<u32>((_e162 >> bitcast<u32>(((_e153 & 3u) << bitcast<u32>(3u)))), 0u, 0u, 0u);
    }
    let _e199 = phi_162_;
    if _e125 {
        phi_170_ = 1u;
    } else {
        phi_170_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e121)) & 1u) != 0u));
    }
    let _e206 = phi_170_;
    if _e139 {
        phi_178_ = 1u;
    } else {
        phi_178_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e135)) & 1u) != 0u));
    }
    let _e213 = phi_178_;
    if (_e213 == 1u) {
        phi_217_ = (vec4<u32>(_e199.x, (_e199.x >> bitcast<u32>(8u)), (_e199.x >> bitcast<u32>(16u)), (_e199.x >> bitcast<u32>(24u))) & vec4<u32>(255u, 255u, 255u, 255u));
    } else {
        if (_e213 == 2u) {
            if (_e206 == 4u) {
                phi_208_ = _e199;
            } else {
                phi_208_ = vec4<u32>((_e199.x & 65535u), (_e199.x >> bitcast<u32>(16u)), 0u, 0u);
            }
            let _e236 = phi_208_;
            phi_209_ = _e236;
        } else {
            if (_e206 == 2u) {
                phi_200_ = vec4<u32>((_e199.x | (_e199.y << bitcast<u32>(16u))), (_e199.z | (_e199.w << bitcast<u32>(16u))), 0u, 0u);
            } else {
                phi_200_ = _e199;
            }
            let _e229 = phi_200_;
            phi_209_ = _e229;
        }
        let _e238 = phi_209_;
        phi_217_ = _e238;
    }
    let _e248 = phi_217_;
    switch bitcast<i32>(_e134) {
        case 4304: {
            phi_359_ = max((vec4<f32>(bitcast<vec4<i32>>(bitcast<vec4<u32>>((bitcast<vec4<i32>>((_e248 << bitcast<vec4<u32>>(vec4<u32>(24u, 24u, 24u, 24u)))) >> bitcast<vec4<u32>>(vec4<u32>(24u, 24u, 24u, 24u)))))) / vec4<f32>(127f, 127f, 127f, 127f)), vec4<f32>(-1f, -1f, -1f, -1f));
            break;
        }
        case 4305: {
            phi_359_ = max((vec4<f32>(bitcast<vec4<i32>>(bitcast<vec4<u32>>((bitcast<vec4<i32>>((_e248 << bitcast<vec4<u32>>(vec4<u32>(16u, 16u, 16u, 16u)))) >> bitcast<vec4<u32>>(vec4<u32>(16u, 16u, 16u, 16u)))))) / vec4<f32>(32767f, 32767f, 32767f, 32767f)), vec4<f32>(-1f, -1f, -1f, -1f));
            break;
        }
        case 4306: {
            phi_359_ = (vec4<f32>(_e248) / vec4<f32>(255f, 255f, 255f, 255f));
            break;
        }
        case 4307: {
            phi_359_ = (vec4<f32>(_e248) / vec4<f32>(65535f, 65535f, 65535f, 65535f));
            break;
        }
        case 4317: {
            let _e254 = ((_e248.x & 32767u) << bitcast<u32>(13u));
            if (_e254 >= 260046848u) {
                phi_252_ = bitcast<f32>((_e254 | 2139095040u));
            } else {
                phi_252_ = select((bitcast<f32>((_e254 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e254 + 939524096u)), (_e254 >= 8388608u));
            }
            let _e266 = phi_252_;
            let _e276 = ((_e248.y & 32767u) << bitcast<u32>(13u));
            if (_e276 >= 260046848u) {
                phi_275_ = bitcast<f32>((_e276 | 2139095040u));
            } else {
                phi_275_ = select((bitcast<f32>((_e276 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e276 + 939524096u)), (_e276 >= 8388608u));
            }
            let _e288 = phi_275_;
            let _e298 = ((_e248.z & 32767u) << bitcast<u32>(13u));
            if (_e298 >= 260046848u) {
                phi_297_ = bitcast<f32>((_e298 | 2139095040u));
            } else {
                phi_297_ = select((bitcast<f32>((_e298 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e298 + 939524096u)), (_e298 >= 8388608u));
            }
            let _e310 = phi_297_;
            let _e320 = ((_e248.w & 32767u) << bitcast<u32>(13u));
            if (_e320 >= 260046848u) {
                phi_319_ = bitcast<f32>((_e320 | 2139095040u));
            } else {
                phi_319_ = select((bitcast<f32>((_e320 + 947912704u)) - 0.000061035156f), bitcast<f32>((_e320 + 939524096u)), (_e320 >= 8388608u));
            }
            let _e332 = phi_319_;
            phi_359_ = vec4<f32>(bitcast<f32>((bitcast<u32>(_e266) | ((_e248.x & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e288) | ((_e248.y & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e310) | ((_e248.z & 32768u) << bitcast<u32>(16u)))), bitcast<f32>((bitcast<u32>(_e332) | ((_e248.w & 32768u) << bitcast<u32>(16u)))));
            break;
        }
        default: {
            phi_359_ = bitcast<vec4<f32>>(_e248);
            break;
        }
    }
    let _e365 = phi_359_;
    if _e125 {
        phi_367_ = 1u;
    } else {
        phi_367_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e121)) & 1u) != 0u));
    }
    let _e372 = phi_367_;
    let _e382 = select(select(vec4<f32>(_e365.x, 0f, 0f, 1f), vec4<f32>(_e365.x, _e365.y, 0f, 1f), vec4((_e372 == 2u))), _e365, vec4((_e372 == 4u)));
    if (((2211053583u >> bitcast<u32>(_e121)) & 1u) != 0u) {
        let _e387 = (_e120 & 65535u);
        switch bitcast<i32>(_e387) {
            case 4273: {
                phi_453_ = vec4<f32>(0f, 0f, 0f, _e382.x);
                break;
            }
            case 4275: {
                phi_453_ = vec4<f32>(_e382.x, 0f, 0f, _e382.y);
                break;
            }
            case 4278: {
                phi_453_ = _e382.zyxw;
                break;
            }
            case 4279: {
                phi_453_ = _e382.yzwx;
                break;
            }
            case 4291: {
                phi_453_ = _e382.wzyx;
                break;
            }
            case 4281: {
                phi_453_ = vec4<f32>(_e382.x, _e382.x, _e382.x, 1f);
                break;
            }
            case 4280: {
                phi_453_ = _e382.xxxx;
                break;
            }
            case 4288, 4289, 4290, 4287: {
                if (_e382.x <= 0.04045f) {
                    phi_412_ = (_e382.x / 12.92f);
                } else {
                    phi_412_ = pow(((_e382.x + 0.055f) / 1.055f), 2.4f);
                }
                let _e396 = phi_412_;
                if (_e382.y <= 0.04045f) {
                    phi_422_ = (_e382.y / 12.92f);
                } else {
                    phi_422_ = pow(((_e382.y + 0.055f) / 1.055f), 2.4f);
                }
                let _e404 = phi_422_;
                if (_e382.z <= 0.04045f) {
                    phi_432_ = (_e382.z / 12.92f);
                } else {
                    phi_432_ = pow(((_e382.z + 0.055f) / 1.055f), 2.4f);
                }
                let _e412 = phi_432_;
                let _e414 = vec4<f32>(_e396, _e404, _e412, _e382.w);
                if (_e387 == 4290u) {
                    phi_441_ = _e414.zyxw;
                } else {
                    phi_441_ = _e414;
                }
                let _e418 = phi_441_;
                phi_453_ = _e418;
                break;
            }
            default: {
                phi_453_ = _e382;
                break;
            }
        }
        let _e431 = phi_453_;
        phi_454_ = _e431;
    } else {
        phi_454_ = _e382;
    }
    let _e433 = phi_454_;
    let _e436 = args.data[5u];
    let _e437 = (_e436 & 31u);
    if (((2160721935u >> bitcast<u32>(_e437)) & 1u) != 0u) {
        let _e442 = (_e436 & 65535u);
        phi_524_ = _e433;
        if ((_e442 >= 4287u) && (_e442 <= 4290u)) {
            let _e450 = select(0f, select(1f, _e433.x, (_e433.x < 1f)), (_e433.x > 0f));
            if (_e450 <= 0.0031308f) {
                phi_488_ = (_e450 * 12.92f);
            } else {
                phi_488_ = fma(pow(_e450, 0.41666666f), 1.055f, -0.055f);
            }
            let _e456 = phi_488_;
            let _e461 = select(0f, select(1f, _e433.y, (_e433.y < 1f)), (_e433.y > 0f));
            if (_e461 <= 0.0031308f) {
                phi_501_ = (_e461 * 12.92f);
            } else {
                phi_501_ = fma(pow(_e461, 0.41666666f), 1.055f, -0.055f);
            }
            let _e467 = phi_501_;
            let _e472 = select(0f, select(1f, _e433.z, (_e433.z < 1f)), (_e433.z > 0f));
            if (_e472 <= 0.0031308f) {
                phi_514_ = (_e472 * 12.92f);
            } else {
                phi_514_ = fma(pow(_e472, 0.41666666f), 1.055f, -0.055f);
            }
            let _e478 = phi_514_;
            phi_524_ = (round((min(max(vec4<f32>(_e456, _e467, _e478, _e433.w), vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(255f, 255f, 255f, 255f))) / vec4<f32>(255f, 255f, 255f, 255f));
        }
        let _e487 = phi_524_;
        switch bitcast<i32>(_e442) {
            case 4273: {
                phi_537_ = _e487.wyzx;
                break;
            }
            case 4275: {
                phi_537_ = _e487.xwzy;
                break;
            }
            case 4278, 4290: {
                phi_537_ = _e487.zyxw;
                break;
            }
            case 4279: {
                phi_537_ = _e487.wxyz;
                break;
            }
            case 4291: {
                phi_537_ = _e487.wzyx;
                break;
            }
            default: {
                phi_537_ = _e487;
                break;
            }
        }
        let _e495 = phi_537_;
        phi_538_ = _e495;
    } else {
        phi_538_ = _e433;
    }
    let _e497 = phi_538_;
    let _e500 = args.data[8u];
    let _e504 = args.data[9u];
    let _e506 = ((_e100 < _e500) && (_e92 < _e504));
    let _e510 = (((587399168u >> bitcast<u32>(_e437)) & 1u) != 0u);
    if _e510 {
        phi_557_ = 1u;
    } else {
        phi_557_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e437)) & 1u) != 0u));
    }
    let _e517 = phi_557_;
    let _e519 = (_e436 >> bitcast<u32>(16u));
    let _e520 = (_e519 & 31u);
    let _e524 = (((75825152u >> bitcast<u32>(_e520)) & 1u) != 0u);
    if _e524 {
        phi_570_ = 1u;
    } else {
        phi_570_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e520)) & 1u) != 0u));
    }
    let _e531 = phi_570_;
    let _e532 = (_e517 * _e531);
    switch bitcast<i32>(_e519) {
        case 4304: {
            phi_733_ = (bitcast<vec4<u32>>(vec4<i32>(round((min(max(_e497, vec4<f32>(-1f, -1f, -1f, -1f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(127f, 127f, 127f, 127f))))) & vec4<u32>(255u, 255u, 255u, 255u));
            break;
        }
        case 4305: {
            phi_733_ = (bitcast<vec4<u32>>(vec4<i32>(round((min(max(_e497, vec4<f32>(-1f, -1f, -1f, -1f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(32767f, 32767f, 32767f, 32767f))))) & vec4<u32>(65535u, 65535u, 65535u, 65535u));
            break;
        }
        case 4306: {
            phi_733_ = vec4<u32>(round((min(max(_e497, vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(255f, 255f, 255f, 255f))));
            break;
        }
        case 4307: {
            phi_733_ = vec4<u32>(round((min(max(_e497, vec4<f32>(0f, 0f, 0f, 0f)), vec4<f32>(1f, 1f, 1f, 1f)) * vec4<f32>(65535f, 65535f, 65535f, 65535f))));
            break;
        }
        case 4317: {
            let _e536 = bitcast<u32>(_e497.x);
            let _e539 = ((_e536 >> bitcast<u32>(16u)) & 32768u);
            let _e540 = (_e536 & 2147483647u);
            if (_e540 >= 1199570944u) {
                phi_616_ = (_e539 | select(31744u, 32256u, (_e540 > 2139095040u)));
            } else {
                if (_e540 < 947912704u) {
                    phi_610_ = (_e539 | u32(round((bitcast<f32>(_e540) * 16777216f))));
                } else {
                    phi_610_ = (_e539 | (((_e540 + 3355443200u) + (((_e540 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                }
                let _e558 = phi_610_;
                phi_616_ = _e558;
            }
            let _e563 = phi_616_;
            let _e565 = bitcast<u32>(_e497.y);
            let _e568 = ((_e565 >> bitcast<u32>(16u)) & 32768u);
            let _e569 = (_e565 & 2147483647u);
            if (_e569 >= 1199570944u) {
                phi_646_ = (_e568 | select(31744u, 32256u, (_e569 > 2139095040u)));
            } else {
                if (_e569 < 947912704u) {
                    phi_642_ = (_e568 | u32(round((bitcast<f32>(_e569) * 16777216f))));
                } else {
                    phi_642_ = (_e568 | (((_e569 + 3355443200u) + (((_e569 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                }
                let _e587 = phi_642_;
                phi_646_ = _e587;
            }
            let _e592 = phi_646_;
            let _e594 = bitcast<u32>(_e497.z);
            let _e597 = ((_e594 >> bitcast<u32>(16u)) & 32768u);
            let _e598 = (_e594 & 2147483647u);
            if (_e598 >= 1199570944u) {
                phi_676_ = (_e597 | select(31744u, 32256u, (_e598 > 2139095040u)));
            } else {
                if (_e598 < 947912704u) {
                    phi_672_ = (_e597 | u32(round((bitcast<f32>(_e598) * 16777216f))));
                } else {
                    phi_672_ = (_e597 | (((_e598 + 3355443200u) + (((_e598 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                }
                let _e616 = phi_672_;
                phi_676_ = _e616;
            }
            let _e621 = phi_676_;
            let _e623 = bitcast<u32>(_e497.w);
            let _e626 = ((_e623 >> bitcast<u32>(16u)) & 32768u);
            let _e627 = (_e623 & 2147483647u);
            if (_e627 >= 1199570944u) {
                phi_706_ = (_e626 | select(31744u, 32256u, (_e627 > 2139095040u)));
            } else {
                if (_e627 < 947912704u) {
                    phi_702_ = (_e626 | u32(round((bitcast<f32>(_e627) * 16777216f))));
                } else {
                    phi_702_ = (_e626 | (((_e627 + 3355443200u) + (((_e627 >> bitcast<u32>(13u)) & 1u) + 4095u)) >> bitcast<u32>(13u)));
                }
                let _e645 = phi_702_;
                phi_706_ = _e645;
            }
            let _e650 = phi_706_;
            phi_733_ = vec4<u32>(_e563, _e592, _e621, _e650);
            break;
        }
        default: {
            phi_733_ = bitcast<vec4<u32>>(_e497);
            break;
        }
    }
    let _e677 = phi_733_;
    if _e510 {
        phi_741_ = 1u;
    } else {
        phi_741_ = select(4u, 2u, (((786432u >> bitcast<u32>(_e437)) & 1u) != 0u));
    }
    let _e684 = phi_741_;
    if _e524 {
        phi_749_ = 1u;
    } else {
        phi_749_ = select(2u, 4u, (((1375731712u >> bitcast<u32>(_e520)) & 1u) != 0u));
    }
    let _e691 = phi_749_;
    let _e692 = (_e684 == 4u);
    let _e693 = (_e684 == 2u);
    let _e701 = select(select(vec4<u32>(_e677.x, 0u, 0u, 0u), vec4<u32>(_e677.x, _e677.y, 0u, 0u), vec4(_e693)), _e677, vec4(_e692));
    if (_e691 == 1u) {
        phi_800_ = vec4<u32>((((_e701.x | (_e701.y << bitcast<u32>(8u))) | (_e701.z << bitcast<u32>(16u))) | (_e701.w << bitcast<u32>(24u))), 0u, 0u, 0u);
    } else {
        if (_e691 == 2u) {
            if _e692 {
                phi_787_ = _e701;
            } else {
                phi_787_ = vec4<u32>((_e701.x | (_e701.y << bitcast<u32>(16u))), 0u, 0u, 0u);
            }
            let _e722 = phi_787_;
            phi_788_ = _e722;
        } else {
            if _e693 {
                phi_778_ = vec4<u32>((_e701.x & 65535u), (_e701.x >> bitcast<u32>(16u)), (_e701.y & 65535u), (_e701.y >> bitcast<u32>(16u)));
            } else {
                phi_778_ = _e701;
            }
            let _e714 = phi_778_;
            phi_788_ = _e714;
        }
        let _e724 = phi_788_;
        phi_800_ = _e724;
    }
    let _e740 = phi_800_;
    let _e746 = ((_e100 * _e532) + ((((_e532 * _e500) + 255u) & 4294967040u) * _e92));
    if (_e506 && (_e532 == 4u)) {
        atomicStore((&out.data[(_e746 >> bitcast<u32>(2u))]), _e740.x);
    }
    if (_e506 && (_e532 == 16u)) {
        atomicStore((&out.data[(_e746 >> bitcast<u32>(2u))]), _e740.x);
        atomicStore((&out.data[((_e746 + 4u) >> bitcast<u32>(2u))]), _e740.y);
        atomicStore((&out.data[((_e746 + 8u) >> bitcast<u32>(2u))]), _e740.z);
        atomicStore((&out.data[((_e746 + 12u) >> bitcast<u32>(2u))]), _e740.w);
    }
    if (_e506 && (_e532 == 8u)) {
        atomicStore((&out.data[(_e746 >> bitcast<u32>(2u))]), (_e740.x | (_e740.y << bitcast<u32>(16u))));
        atomicStore((&out.data[((_e746 + 4u) >> bitcast<u32>(2u))]), (_e740.z | (_e740.w << bitcast<u32>(16u))));
    }
    if (_e506 && (_e532 == 1u)) {
        let _e805 = (_e746 >> bitcast<u32>(2u));
        let _e808 = ((_e746 & 3u) << bitcast<u32>(3u));
        let _e816 = atomicAnd((&out.data[_e805]), ~((255u << bitcast<u32>(_e808))));
        let _e819 = atomicOr((&out.data[_e805]), ((_e740.x & 255u) << bitcast<u32>(_e808)));
    }
    if (_e506 && (_e532 == 2u)) {
        let _e825 = (_e746 >> bitcast<u32>(2u));
        let _e828 = ((_e746 & 3u) << bitcast<u32>(3u));
        let _e836 = atomicAnd((&out.data[_e825]), ~((65535u << bitcast<u32>(_e828))));
        let _e839 = atomicOr((&out.data[_e825]), ((_e740.x & 65535u) << bitcast<u32>(_e828)));
    }
    size.data[0u] = _e95;
    size.data[1u] = _e98;
    size.data[2u] = (_e120 & 65535u);
    size.data[3u] = _e134;
    return;
}


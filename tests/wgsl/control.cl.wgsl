// kernel control
struct Buffer {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn control(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_39_: u32;
    var phi_42_: u32;
    var phi_44_: u32;
    var local: u32;
    var phi_55_: u32;
    var local_1: u32;
    var local_2: u32;
    var local_3: u32;
    var local_4: u32;
    var phi_126_: u32;
    var phi_129_: u32;
    var phi_131_: u32;
    var phi_133_: u32;
    var phi_134_: u32;
    var phi_135_: u32;
    var phi_136_: u32;
    var phi_137_: u32;
    var phi_138_: u32;
    var phi_139_: u32;
    var phi_144_: u32;
    var phi_146_: u32;
    var phi_147_: u32;
    var phi_153_: u32;
    var phi_154_: u32;
    var phi_159_: u32;
    var phi_160_: u32;
    var phi_164_: u32;
    var phi_179_: u32;
    var local_5: u32;
    var local_6: u32;
    var local_7: u32;
    var local_8: u32;

    let _e31 = args.data[1u];
    if ((_e31 != 0u) && (GlobalInvocationId.x >= _e31)) {
        return;
    }
    let _e39 = args.data[0u];
    let _e40 = (GlobalInvocationId.x + _e39);
    let _e43 = in.data[_e40];
    phi_39_ = _e43;
    phi_42_ = 0u;
    phi_44_ = 0u;
    loop {
        let _e45 = phi_39_;
        let _e47 = phi_42_;
        let _e49 = phi_44_;
        local = _e49;
        local_1 = _e47;
        local_2 = _e47;
        local_4 = _e47;
        if ((bitcast<i32>(_e45) > bitcast<i32>(1u)) && (bitcast<i32>(_e47) < bitcast<i32>(64u))) {
            if ((_e45 & 1u) != 0u) {
                phi_179_ = ((_e45 * 3u) + 1u);
            } else {
                phi_179_ = bitcast<u32>((bitcast<i32>(_e45) / bitcast<i32>(2u)));
            }
            let _e178 = phi_179_;
            let _e180 = (_e178 == 40u);
            local_5 = select(_e178, (_e178 + 2u), _e180);
            local_6 = (_e47 + 1u);
            local_7 = select(_e49, (_e49 + 7u), _e180);
            continue;
        } else {
            break;
        }
        continuing {
            let _e187 = local_5;
            phi_39_ = _e187;
            let _e190 = local_6;
            phi_42_ = _e190;
            let _e193 = local_7;
            phi_44_ = _e193;
        }
    }
    let _e58 = local;
    phi_55_ = (_e58 + 24u);
    loop {
        let _e61 = phi_55_;
        let _e66 = local_1;
        local_3 = _e61;
        if ((bitcast<i32>(_e61) > bitcast<i32>(200u)) || (_e66 == 0u)) {
            break;
        } else {
            let _e70 = local_2;
            let _e71 = (_e70 + _e61);
            local_8 = select((_e71 + 1u), _e71, (_e71 == (bitcast<u32>((bitcast<i32>(_e71) / bitcast<i32>(7u))) * 7u)));
            continue;
        }
        continuing {
            let _e197 = local_8;
            phi_55_ = _e197;
        }
    }
    let _e81 = local_3;
    let _e84 = local_4;
    let _e88 = in.data[_e40];
    phi_139_ = 37u;
    phi_144_ = u32();
    phi_146_ = 0u;
    phi_147_ = u32();
    switch bitcast<i32>((_e88 & 7u)) {
        case 0: {
            phi_139_ = 37u;
            phi_144_ = u32();
            phi_146_ = 1u;
            phi_147_ = u32();
            break;
        }
        case 1: {
            break;
        }
        case 3: {
            phi_138_ = 0u;
            if (bitcast<i32>(_e88) > bitcast<i32>(0u)) {
                phi_137_ = 0u;
                if (bitcast<i32>(_e88) > bitcast<i32>(1u)) {
                    phi_136_ = 1u;
                    if (bitcast<i32>(_e88) > bitcast<i32>(2u)) {
                        phi_135_ = 3u;
                        if (bitcast<i32>(_e88) > bitcast<i32>(3u)) {
                            phi_134_ = 6u;
                            if (bitcast<i32>(_e88) > bitcast<i32>(4u)) {
                                phi_133_ = 10u;
                                if (bitcast<i32>(_e88) > bitcast<i32>(5u)) {
                                    phi_131_ = 10u;
                                    if (bitcast<i32>(_e88) > bitcast<i32>(6u)) {
                                        phi_129_ = 16u;
                                        if (bitcast<i32>(_e88) > bitcast<i32>(7u)) {
                                            phi_126_ = 23u;
                                            if (bitcast<i32>(_e88) > bitcast<i32>(8u)) {
                                                if (bitcast<i32>(_e88) > bitcast<i32>(9u)) {
                                                    phi_139_ = 35u;
                                                    phi_144_ = u32();
                                                    phi_146_ = u32();
                                                    phi_147_ = u32();
                                                    break;
                                                }
                                                phi_126_ = 31u;
                                            }
                                            let _e126 = phi_126_;
                                            phi_129_ = _e126;
                                        }
                                        let _e128 = phi_129_;
                                        phi_131_ = _e128;
                                    }
                                    let _e130 = phi_131_;
                                    phi_133_ = _e130;
                                }
                                let _e132 = phi_133_;
                                phi_134_ = _e132;
                            }
                            let _e134 = phi_134_;
                            phi_135_ = _e134;
                        }
                        let _e136 = phi_135_;
                        phi_136_ = _e136;
                    }
                    let _e138 = phi_136_;
                    phi_137_ = _e138;
                }
                let _e140 = phi_137_;
                phi_138_ = _e140;
            }
            let _e142 = phi_138_;
            phi_139_ = 57u;
            phi_144_ = u32();
            phi_146_ = u32();
            phi_147_ = _e142;
            break;
        }
        case 5: {
            phi_139_ = 56u;
            phi_144_ = select(1u, 4u, (bitcast<i32>(_e88) > bitcast<i32>(0u)));
            phi_146_ = u32();
            phi_147_ = u32();
            break;
        }
        case 6: {
            phi_139_ = 56u;
            phi_144_ = 0u;
            phi_146_ = u32();
            phi_147_ = u32();
            break;
        }
        default: {
            phi_139_ = 57u;
            phi_144_ = u32();
            phi_146_ = u32();
            phi_147_ = 4u;
            break;
        }
    }
    let _e144 = phi_139_;
    let _e146 = phi_144_;
    let _e148 = phi_146_;
    let _e150 = phi_147_;
    phi_153_ = _e144;
    phi_154_ = _e150;
    if (_e144 == 56u) {
        phi_153_ = 57u;
        phi_154_ = (_e146 ^ 85u);
    }
    let _e154 = phi_153_;
    let _e156 = phi_154_;
    phi_159_ = _e154;
    phi_160_ = _e156;
    if (_e154 == 37u) {
        phi_159_ = 57u;
        phi_160_ = (_e148 + 2u);
    }
    let _e160 = phi_159_;
    let _e162 = phi_160_;
    phi_164_ = 131u;
    if (_e160 == 57u) {
        phi_164_ = _e162;
    }
    let _e165 = phi_164_;
    out.data[_e40] = (((_e81 * 1000u) + _e84) + _e165);
    return;
}


// kernel control
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn control(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var x: u32;
    var steps: u32;
    var sum: u32;
    var sum_1: u32;
    var sum_2: u32;
    var steps_1: u32;
    var steps_2: u32;
    var sum_3: u32;
    var steps_3: u32;
    var phi_126_: u32;
    var phi_129_: u32;
    var phi_131_: u32;
    var phi_133_: u32;
    var phi_134_: u32;
    var phi_135_: u32;
    var phi_136_: u32;
    var phi_137_: u32;
    var score: u32;
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
    var x_next: u32;
    var steps_next: u32;
    var sum_next: u32;
    var sum_next_1: u32;

    let dispatch_size_x = args.data[1u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let first_id_x = args.data[0u];
    let _e40 = (GlobalInvocationId.x + first_id_x);
    let _e43 = in.data[_e40];
    x = _e43;
    steps = 0u;
    sum = 0u;
    loop {
        let x_1 = x;
        let steps_4 = steps;
        let sum_4 = sum;
        sum_1 = sum_4;
        steps_1 = steps_4;
        steps_2 = steps_4;
        steps_3 = steps_4;
        if ((bitcast<i32>(x_1) > bitcast<i32>(1u)) && (bitcast<i32>(steps_4) < bitcast<i32>(64u))) {
            if ((x_1 & 1u) != 0u) {
                phi_179_ = ((x_1 * 3u) + 1u);
            } else {
                phi_179_ = bitcast<u32>((bitcast<i32>(x_1) / bitcast<i32>(2u)));
            }
            let _e178 = phi_179_;
            let _e180 = (_e178 == 40u);
            x_next = select(_e178, (_e178 + 2u), _e180);
            steps_next = (steps_4 + 1u);
            sum_next = select(sum_4, (sum_4 + 7u), _e180);
            continue;
        } else {
            break;
        }
        continuing {
            let x_next_1 = x_next;
            x = x_next_1;
            let steps_next_1 = steps_next;
            steps = steps_next_1;
            let sum_next_2 = sum_next;
            sum = sum_next_2;
        }
    }
    let sum_5 = sum_1;
    sum_2 = (sum_5 + 24u);
    loop {
        let sum_6 = sum_2;
        let steps_5 = steps_1;
        sum_3 = sum_6;
        if ((bitcast<i32>(sum_6) > bitcast<i32>(200u)) || (steps_5 == 0u)) {
            break;
        } else {
            let steps_6 = steps_2;
            let _e71 = (steps_6 + sum_6);
            sum_next_1 = select((_e71 + 1u), _e71, (_e71 == (bitcast<u32>((bitcast<i32>(_e71) / bitcast<i32>(7u))) * 7u)));
            continue;
        }
        continuing {
            let sum_next_3 = sum_next_1;
            sum_2 = sum_next_3;
        }
    }
    let sum_7 = sum_3;
    let steps_7 = steps_3;
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
            score = 0u;
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
                score = _e140;
            }
            let score_1 = score;
            phi_139_ = 57u;
            phi_144_ = u32();
            phi_146_ = u32();
            phi_147_ = score_1;
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
    out.data[_e40] = (((sum_7 * 1000u) + steps_7) + _e165);
    return;
}


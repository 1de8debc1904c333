// kernel convolution
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> filter_: Buffer;
@group(0) @binding(3) 
var<storage> args: Buffer_1;
@group(0) @binding(4) 
var<storage> constants: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn convolution(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_67_: f32;
    var phi_70_: u32;
    var phi_77_: f32;
    var phi_80_: u32;
    var phi_86_: f32;
    var phi_89_: u32;
    var phi_95_: f32;
    var phi_98_: u32;
    var phi_104_: f32;
    var phi_107_: u32;
    var local: f32;
    var local_1: f32;
    var local_2: u32;
    var local_3: f32;
    var local_4: f32;
    var local_5: u32;
    var local_6: f32;
    var local_7: f32;
    var local_8: u32;
    var local_9: f32;
    var local_10: f32;
    var local_11: u32;
    var local_12: f32;
    var local_13: f32;
    var local_14: u32;

    let _e19 = args.data[4u];
    let _e27 = args.data[5u];
    if (((_e19 != 0u) && (GlobalInvocationId.x >= _e19)) || ((_e27 != 0u) && (GlobalInvocationId.y >= _e27))) {
        return;
    }
    let _e36 = args.data[0u];
    let _e39 = args.data[1u];
    let _e42 = args.data[2u];
    let _e43 = (GlobalInvocationId.x + _e42);
    let _e46 = args.data[3u];
    let _e47 = (GlobalInvocationId.y + _e46);
    let _e52 = constants.data[((_e43 + _e47) & 3u)];
    phi_67_ = _e52;
    phi_70_ = 4294967294u;
    loop {
        let _e54 = phi_67_;
        let _e56 = phi_70_;
        local_3 = _e54;
        if (bitcast<i32>(_e56) <= bitcast<i32>(2u)) {
            let _e241 = in.data[(bitcast<u32>(min(bitcast<i32>((_e36 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e56 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((_e39 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 4294967294u)), bitcast<i32>(0u)))))) * _e36))];
            let _e245 = filter_.data[(_e56 + 2u)];
            local_1 = fma(_e241, _e245, _e54);
            local_2 = (_e56 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e250 = local_1;
            phi_67_ = _e250;
            let _e253 = local_2;
            phi_70_ = _e253;
        }
    }
    let _e256 = local_3;
    phi_77_ = _e256;
    phi_80_ = 4294967294u;
    loop {
        let _e61 = phi_77_;
        let _e63 = phi_80_;
        local_6 = _e61;
        if (bitcast<i32>(_e63) <= bitcast<i32>(2u)) {
            let _e210 = in.data[(bitcast<u32>(min(bitcast<i32>((_e36 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e63 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((_e39 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 4294967295u)), bitcast<i32>(0u)))))) * _e36))];
            let _e214 = filter_.data[(_e63 + 7u)];
            local_4 = fma(_e210, _e214, _e61);
            local_5 = (_e63 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e258 = local_4;
            phi_77_ = _e258;
            let _e261 = local_5;
            phi_80_ = _e261;
        }
    }
    let _e264 = local_6;
    phi_86_ = _e264;
    phi_89_ = 4294967294u;
    loop {
        let _e68 = phi_86_;
        let _e70 = phi_89_;
        local_9 = _e68;
        if (bitcast<i32>(_e70) <= bitcast<i32>(2u)) {
            let _e179 = in.data[(bitcast<u32>(min(bitcast<i32>((_e36 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e70 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((_e39 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e47), bitcast<i32>(0u)))))) * _e36))];
            let _e183 = filter_.data[(_e70 + 12u)];
            local_7 = fma(_e179, _e183, _e68);
            local_8 = (_e70 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e266 = local_7;
            phi_86_ = _e266;
            let _e269 = local_8;
            phi_89_ = _e269;
        }
    }
    let _e272 = local_9;
    phi_95_ = _e272;
    phi_98_ = 4294967294u;
    loop {
        let _e75 = phi_95_;
        let _e77 = phi_98_;
        local_12 = _e75;
        if (bitcast<i32>(_e77) <= bitcast<i32>(2u)) {
            let _e149 = in.data[(bitcast<u32>(min(bitcast<i32>((_e36 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e77 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((_e39 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 1u)), bitcast<i32>(0u)))))) * _e36))];
            let _e153 = filter_.data[(_e77 + 17u)];
            local_10 = fma(_e149, _e153, _e75);
            local_11 = (_e77 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e274 = local_10;
            phi_95_ = _e274;
            let _e277 = local_11;
            phi_98_ = _e277;
        }
    }
    let _e280 = local_12;
    phi_104_ = _e280;
    phi_107_ = 4294967294u;
    loop {
        let _e82 = phi_104_;
        let _e84 = phi_107_;
        local = _e82;
        if (bitcast<i32>(_e84) <= bitcast<i32>(2u)) {
            let _e118 = in.data[(bitcast<u32>(min(bitcast<i32>((_e36 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e84 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((_e39 + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 2u)), bitcast<i32>(0u)))))) * _e36))];
            let _e122 = filter_.data[(_e84 + 22u)];
            local_13 = fma(_e118, _e122, _e82);
            local_14 = (_e84 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e282 = local_13;
            phi_104_ = _e282;
            let _e285 = local_14;
            phi_107_ = _e285;
        }
    }
    let _e93 = local;
    out.data[((_e36 * _e47) + _e43)] = _e93;
    return;
}


// kernel pointers
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}


@group(0) @binding(0) 
var<storage> words: Buffer;
@group(0) @binding(1) 
var<storage, read_write> bytes: Buffer_1;
@group(0) @binding(2) 
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn pointers(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_43_: u32;
    var phi_46_: u32;
    var phi_55_: u32;
    var phi_58_: u32;
    var local: u32;
    var local_1: u32;
    var local_2: u32;
    var local_3: u32;
    var local_4: u32;
    var local_5: u32;
    var local_6: u32;
    var local_7: u32;
    var local_8: u32;
    var local_9: u32;

    let _e25 = args.data[2u];
    if ((_e25 != 0u) && (GlobalInvocationId.x >= _e25)) {
        return;
    }
    let _e33 = args.data[0u];
    let _e36 = args.data[1u];
    let _e37 = (GlobalInvocationId.x + _e36);
    let _e38 = (_e33 * _e37);
    let _e40 = (_e33 << bitcast<u32>(2u));
    phi_43_ = _e38;
    phi_46_ = 0u;
    loop {
        let _e42 = phi_43_;
        let _e44 = phi_46_;
        let _e46 = (_e42 << bitcast<u32>(2u));
        let _e48 = (_e38 << bitcast<u32>(2u));
        local_7 = _e44;
        local_4 = _e48;
        if (_e46 != (_e40 + _e48)) {
            let _e199 = words.data[(_e42 & 1073741823u)];
            let _e201 = (_e46 + 1u);
            let _e209 = words.data[(_e201 >> bitcast<u32>(2u))];
            let _e217 = (_e46 + 2u);
            let _e225 = words.data[(_e217 >> bitcast<u32>(2u))];
            local_5 = (_e42 + 1u);
            local_6 = ((((_e199 & 255u) + (((_e209 >> bitcast<u32>(((_e201 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) + _e44) ^ ((_e225 >> bitcast<u32>(((_e217 & 3u) << bitcast<u32>(3u)))) & 65535u));
            continue;
        } else {
            break;
        }
        continuing {
            let _e233 = local_5;
            phi_43_ = _e233;
            let _e236 = local_6;
            phi_46_ = _e236;
        }
    }
    let _e239 = local_7;
    phi_55_ = _e239;
    phi_58_ = 0u;
    loop {
        let _e52 = phi_55_;
        let _e54 = phi_58_;
        local = _e52;
        local_1 = _e52;
        local_2 = _e52;
        local_3 = _e52;
        if ((_e40 >> bitcast<u32>(3u)) > _e54) {
            let _e160 = local_4;
            let _e161 = (_e160 + (_e54 << bitcast<u32>(3u)));
            let _e166 = words.data[(_e161 >> bitcast<u32>(2u))];
            let _e169 = (_e161 + 2u);
            let _e177 = words.data[(_e169 >> bitcast<u32>(2u))];
            let _e188 = words.data[((_e38 + (_e54 << bitcast<u32>(1u))) + 1u)];
            local_8 = (((((_e166 & 255u) * 3u) + ((_e177 >> bitcast<u32>(((_e169 & 3u) << bitcast<u32>(3u)))) & 65535u)) - bitcast<u32>((bitcast<i32>(_e188) >> bitcast<u32>(3u)))) + _e52);
            local_9 = (_e54 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e241 = local_8;
            phi_55_ = _e241;
            let _e244 = local_9;
            phi_58_ = _e244;
        }
    }
    let _e61 = (_e37 << bitcast<u32>(1u));
    atomicStore((&bytes.data[_e61]), ((_e37 + 1u) * 67305985u));
    let _e65 = (_e37 << bitcast<u32>(3u));
    let _e66 = (_e65 + 4u);
    let _e68 = (_e66 >> bitcast<u32>(2u));
    let _e71 = ((_e66 & 3u) << bitcast<u32>(3u));
    let _e79 = atomicAnd((&bytes.data[_e68]), ~((255u << bitcast<u32>(_e71))));
    let _e82 = atomicOr((&bytes.data[_e68]), (120u << bitcast<u32>(_e71)));
    let _e85 = atomicLoad((&bytes.data[_e61]));
    let _e89 = (_e65 + 5u);
    let _e91 = (_e89 >> bitcast<u32>(2u));
    let _e94 = ((_e89 & 3u) << bitcast<u32>(3u));
    let _e102 = atomicAnd((&bytes.data[_e91]), ~((255u << bitcast<u32>(_e94))));
    let _e105 = atomicOr((&bytes.data[_e91]), (((_e85 >> bitcast<u32>(8u)) & 255u) << bitcast<u32>(_e94)));
    let _e106 = (_e65 + 6u);
    let _e108 = (_e106 >> bitcast<u32>(2u));
    let _e111 = ((_e106 & 3u) << bitcast<u32>(3u));
    let _e119 = atomicAnd((&bytes.data[_e108]), ~((65535u << bitcast<u32>(_e111))));
    let _e122 = atomicOr((&bytes.data[_e108]), (65534u << bitcast<u32>(_e111)));
    let _e124 = local;
    let _e128 = local_1;
    let _e132 = local_2;
    let _e138 = local_3;
    let _e140 = (vec4<u32>(_e138, (_e124 >> bitcast<u32>(8u)), (((_e128 >> bitcast<u32>(16u)) & 255u) ^ 190u), (_e132 >> bitcast<u32>(24u))) & vec4<u32>(255u, 255u, 255u, 255u));
    out.data[_e37] = ((((_e140.x | (_e140.y << bitcast<u32>(8u))) | (_e140.z << bitcast<u32>(16u))) | (_e140.w << bitcast<u32>(24u))) + 1792u);
    return;
}


// kernel pointers
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}

struct Arguments {
    data: array<u32, 3>,
}


@group(0) @binding(0) 
var<storage> words: Buffer;
@group(0) @binding(1) 
var<storage, read_write> bytes: Buffer_1;
@group(0) @binding(2) 
var<storage, read_write> out: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn pointers(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var p: u32;
    var sum: u32;
    var sum_1: u32;
    var k: u32;
    var sum_2: u32;
    var sum_3: u32;
    var sum_4: u32;
    var sum_5: u32;
    var local: u32;
    var p_next: u32;
    var sum_next: u32;
    var sum_next_1: u32;
    var sum_next_2: u32;
    var k_next: u32;

    let dispatch_size_x = args.data[2u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let n = args.data[0u];
    let first_id_x = args.data[1u];
    let _e37 = (GlobalInvocationId.x + first_id_x);
    let _e38 = (n * _e37);
    let _e40 = (n << bitcast<u32>(2u));
    p = _e38;
    sum = 0u;
    loop {
        let p_1 = p;
        let sum_6 = sum;
        let _e46 = (p_1 << bitcast<u32>(2u));
        let _e48 = (_e38 << bitcast<u32>(2u));
        sum_next_1 = sum_6;
        local = _e48;
        if (_e46 != (_e40 + _e48)) {
            let _e199 = words.data[(p_1 & 1073741823u)];
            let _e201 = (_e46 + 1u);
            let _e209 = words.data[(_e201 >> bitcast<u32>(2u))];
            let _e217 = (_e46 + 2u);
            let _e225 = words.data[(_e217 >> bitcast<u32>(2u))];
            p_next = (p_1 + 1u);
            sum_next = ((((_e199 & 255u) + (((_e209 >> bitcast<u32>(((_e201 & 3u) << bitcast<u32>(3u)))) & 255u) << bitcast<u32>(8u))) + sum_6) ^ ((_e225 >> bitcast<u32>(((_e217 & 3u) << bitcast<u32>(3u)))) & 65535u));
            continue;
        } else {
            break;
        }
        continuing {
            let p_next_1 = p_next;
            p = p_next_1;
            let sum_next_3 = sum_next;
            sum = sum_next_3;
        }
    }
    let sum_next_4 = sum_next_1;
    sum_1 = sum_next_4;
    k = 0u;
    loop {
        let sum_7 = sum_1;
        let k_1 = k;
        sum_2 = sum_7;
        sum_3 = sum_7;
        sum_4 = sum_7;
        sum_5 = sum_7;
        if ((_e40 >> bitcast<u32>(3u)) > k_1) {
            let _e160 = local;
            let _e161 = (_e160 + (k_1 << bitcast<u32>(3u)));
            let _e166 = words.data[(_e161 >> bitcast<u32>(2u))];
            let _e169 = (_e161 + 2u);
            let _e177 = words.data[(_e169 >> bitcast<u32>(2u))];
            let _e188 = words.data[((_e38 + (k_1 << bitcast<u32>(1u))) + 1u)];
            sum_next_2 = (((((_e166 & 255u) * 3u) + ((_e177 >> bitcast<u32>(((_e169 & 3u) << bitcast<u32>(3u)))) & 65535u)) - bitcast<u32>((bitcast<i32>(_e188) >> bitcast<u32>(3u)))) + sum_7);
            k_next = (k_1 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_5 = sum_next_2;
            sum_1 = sum_next_5;
            let k_next_1 = k_next;
            k = k_next_1;
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
    let sum_8 = sum_2;
    let sum_9 = sum_3;
    let sum_10 = sum_4;
    let sum_11 = sum_5;
    let _e140 = (vec4<u32>(sum_11, (sum_8 >> bitcast<u32>(8u)), (((sum_9 >> bitcast<u32>(16u)) & 255u) ^ 190u), (sum_10 >> bitcast<u32>(24u))) & vec4<u32>(255u, 255u, 255u, 255u));
    out.data[_e37] = ((((_e140.x | (_e140.y << bitcast<u32>(8u))) | (_e140.z << bitcast<u32>(16u))) | (_e140.w << bitcast<u32>(24u))) + 1792u);
    return;
}


// kernel matmul
struct Buffer {
    data: array<f32>,
}

struct Buffer_1 {
    data: array<u32>,
}


var<workgroup> matmul_u002e_As: array<f32, 64>;
var<workgroup> matmul_u002e_Bs: array<f32, 64>;
@group(0) @binding(0) 
var<storage> A: Buffer;
@group(0) @binding(1) 
var<storage> B: Buffer;
@group(0) @binding(2) 
var<storage, read_write> C: Buffer;
@group(0) @binding(3) 
var<storage> args: Buffer_1;

@compute @workgroup_size(64, 1, 1) 
fn matmul(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_57_: f32;
    var phi_61_: u32;
    var local: f32;
    var local_1: f32;
    var local_2: u32;

    let _e24 = args.data[0u];
    let _e33 = args.data[1u];
    let _e39 = args.data[2u];
    let _e43 = (((WorkgroupId.y + _e39) << bitcast<u32>(3u)) + LocalInvocationId.y);
    let _e46 = (((WorkgroupId.x + _e33) << bitcast<u32>(3u)) + LocalInvocationId.x);
    phi_57_ = 0f;
    phi_61_ = 0u;
    loop {
        let _e48 = phi_57_;
        let _e50 = phi_61_;
        local = _e48;
        if (bitcast<i32>(bitcast<u32>((bitcast<i32>(_e24) / bitcast<i32>(8u)))) > bitcast<i32>(_e50)) {
            let _e66 = (_e50 << bitcast<u32>(3u));
            let _e71 = A.data[(((_e43 * _e24) + _e66) + LocalInvocationId.x)];
            let _e73 = (LocalInvocationId.y << bitcast<u32>(3u));
            let _e74 = (LocalInvocationId.x + _e73);
            matmul_u002e_As[_e74] = _e71;
            let _e81 = B.data[(_e46 + ((_e66 + LocalInvocationId.y) * _e24))];
            matmul_u002e_Bs[_e74] = _e81;
            workgroupBarrier(); // matmul.cl:10
            let _e84 = matmul_u002e_As[_e73];
            let _e86 = matmul_u002e_Bs[LocalInvocationId.x];
            let _e90 = matmul_u002e_As[(_e73 + 1u)];
            let _e93 = matmul_u002e_Bs[(LocalInvocationId.x + 8u)];
            let _e97 = matmul_u002e_As[(_e73 + 2u)];
            let _e100 = matmul_u002e_Bs[(LocalInvocationId.x + 16u)];
            let _e104 = matmul_u002e_As[(_e73 + 3u)];
            let _e107 = matmul_u002e_Bs[(LocalInvocationId.x + 24u)];
            let _e111 = matmul_u002e_As[(_e73 + 4u)];
            let _e114 = matmul_u002e_Bs[(LocalInvocationId.x + 32u)];
            let _e118 = matmul_u002e_As[(_e73 + 5u)];
            let _e121 = matmul_u002e_Bs[(LocalInvocationId.x + 40u)];
            let _e125 = matmul_u002e_As[(_e73 + 6u)];
            let _e128 = matmul_u002e_Bs[(LocalInvocationId.x + 48u)];
            let _e132 = matmul_u002e_As[(_e73 + 7u)];
            let _e135 = matmul_u002e_Bs[(LocalInvocationId.x + 56u)];
            workgroupBarrier(); // matmul.cl:13
            local_1 = fma(_e132, _e135, fma(_e125, _e128, fma(_e118, _e121, fma(_e111, _e114, fma(_e104, _e107, fma(_e97, _e100, fma(_e90, _e93, fma(_e84, _e86, _e48))))))));
            local_2 = (_e50 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let _e140 = local_1;
            phi_57_ = _e140;
            let _e143 = local_2;
            phi_61_ = _e143;
        }
    }
    let _e63 = local;
    C.data[(_e46 + (_e43 * _e24))] = _e63;
    return;
}


// kernel matmul
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 3>,
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
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn matmul(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var acc: f32;
    var t: u32;
    var acc_1: f32;
    var acc_next: f32;
    var t_next: u32;

    let n = args.data[0u];
    let first_group_x = args.data[1u];
    let first_group_y = args.data[2u];
    let _e43 = (((WorkgroupId.y + first_group_y) << bitcast<u32>(3u)) + LocalInvocationId.y);
    let _e46 = (((WorkgroupId.x + first_group_x) << bitcast<u32>(3u)) + LocalInvocationId.x);
    acc = 0f;
    t = 0u;
    loop {
        let acc_2 = acc;
        let t_1 = t;
        acc_1 = acc_2;
        if (bitcast<i32>(bitcast<u32>((bitcast<i32>(n) / bitcast<i32>(8u)))) > bitcast<i32>(t_1)) {
            let _e66 = (t_1 << bitcast<u32>(3u));
            let _e71 = A.data[(((_e43 * n) + _e66) + LocalInvocationId.x)];
            let _e73 = (LocalInvocationId.y << bitcast<u32>(3u));
            let _e74 = (LocalInvocationId.x + _e73);
            matmul_u002e_As[_e74] = _e71;
            let _e81 = B.data[(_e46 + ((_e66 + LocalInvocationId.y) * n))];
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
            acc_next = fma(_e132, _e135, fma(_e125, _e128, fma(_e118, _e121, fma(_e111, _e114, fma(_e104, _e107, fma(_e97, _e100, fma(_e90, _e93, fma(_e84, _e86, acc_2))))))));
            t_next = (t_1 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let acc_next_1 = acc_next;
            acc = acc_next_1;
            let t_next_1 = t_next;
            t = t_next_1;
        }
    }
    let acc_3 = acc_1;
    C.data[(_e46 + (_e43 * n))] = acc_3;
    return;
}


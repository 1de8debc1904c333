// kernel bitonic
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 1>,
}


@group(0) @binding(0) 
var<storage, read_write> data: Buffer;
var<workgroup> keys: array<u32, 256>;
@group(0) @binding(1) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn bitonic(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let keys_length: u32 = 256u;
    var k: u32;
    var j: u32;
    var k_next: u32;
    var j_next: u32;

    let first_group_x = args.data[0u];
    let _e16 = ((work_group_size_x * (WorkgroupId.x + first_group_x)) + LocalInvocationId.x);
    let _e19 = data.data[_e16];
    keys[LocalInvocationId.x] = _e19;
    k = 2u;
    loop {
        let k_1 = k;
        if (k_1 <= work_group_size_x) {
            j = (k_1 >> bitcast<u32>(1u));
            loop {
                let j_1 = j;
                if (j_1 != 0u) {
                    workgroupBarrier(); // bitonic.cl:5
                    let _e35 = (j_1 ^ LocalInvocationId.x);
                    let _e37 = keys[LocalInvocationId.x];
                    let _e39 = keys[_e35];
                    workgroupBarrier(); // bitonic.cl:12
                    keys[LocalInvocationId.x] = select(max(_e37, _e39), min(_e37, _e39), (select(0u, 1u, (_e35 > LocalInvocationId.x)) == select(0u, 1u, ((k_1 & LocalInvocationId.x) == 0u))));
                    j_next = (j_1 >> bitcast<u32>(1u));
                    continue;
                } else {
                    break;
                }
                continuing {
                    let j_next_1 = j_next;
                    j = j_next_1;
                }
            }
            k_next = (k_1 << bitcast<u32>(1u));
            continue;
        } else {
            break;
        }
        continuing {
            let k_next_1 = k_next;
            k = k_next_1;
        }
    }
    workgroupBarrier(); // bitonic.cl:5
    let _e25 = keys[LocalInvocationId.x];
    data.data[_e16] = _e25;
    return;
}


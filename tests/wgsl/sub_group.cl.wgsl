// kernel sizes
enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 1>,
}


var<workgroup> work_group_u002e_32_: array<u32, 64>;
@group(0) @binding(0) 
var<storage, read_write> q: Buffer;
@group(0) @binding(1) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn sizes(@builtin(subgroup_id) SubgroupId: u32, @builtin(subgroup_invocation_id) SubgroupLocalInvocationId: u32, @builtin(local_invocation_index) LocalInvocationIndex: u32, @builtin(workgroup_id) WorkgroupId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_67_: u32;
    var phi_70_: u32;
    var local: u32;
    var local_1: u32;
    var local_2: u32;

    let _e13 = subgroupAdd(1u);
    let _e14 = subgroupExclusiveAdd(1u);
    let _e16 = ((work_group_size_x * work_group_size_y) * work_group_size_z);
    let _e19 = (SubgroupId << bitcast<u32>(2u));
    let _e33 = subgroupMax(bitcast<i32>(SubgroupId));
    if (SubgroupLocalInvocationId == 0u) {
        work_group_u002e_32_[SubgroupId] = bitcast<u32>(_e33);
    }
    workgroupBarrier(); // sub_group.cl:12
    let _e39 = ((_e16 + 4294967295u) >> bitcast<u32>(2u));
    phi_67_ = 0u;
    phi_70_ = 2147483648u;
    loop {
        let _e42 = phi_67_;
        let _e44 = phi_70_;
        local = _e44;
        if (_e42 < (_e39 + 1u)) {
            let _e71 = work_group_u002e_32_[_e42];
            local_1 = (_e42 + 1u);
            local_2 = bitcast<u32>(max(bitcast<i32>(_e44), bitcast<i32>(_e71)));
            continue;
        } else {
            break;
        }
        continuing {
            let _e79 = local_1;
            phi_67_ = _e79;
            let _e82 = local_2;
            phi_70_ = _e82;
        }
    }
    workgroupBarrier(); // sub_group.cl:12
    let _e47 = local;
    let _e55 = select((LocalInvocationIndex % work_group_size_x), LocalInvocationIndex, ((work_group_size_y * work_group_size_z) == 1u));
    let _e56 = subgroupBroadcast(_e55, 0u);
    let first_id_x = args.data[0u];
    q.data[((_e55 + (work_group_size_x * WorkgroupId.x)) + first_id_x)] = ((select(0u, 1u, (((_e13 == select(min((_e16 - _e19), 4u), 4u, ((_e16 & 3u) == 0u))) && (_e14 == SubgroupLocalInvocationId)) && (_e13 <= 4u))) & select(0u, 1u, (_e47 == _e39))) & select(0u, 1u, (_e56 == _e19)));
    return;
}

// kernel some
enable subgroups;
diagnostic(off, subgroup_uniformity);

struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 2>,
}


@group(0) @binding(0) 
var<storage, read_write> q: Buffer;
@group(0) @binding(1) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn some(@builtin(subgroup_invocation_id) SubgroupLocalInvocationId: u32, @builtin(subgroup_id) SubgroupId: u32, @builtin(workgroup_id) WorkgroupId: vec3<u32>, @builtin(local_invocation_index) LocalInvocationIndex: u32) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var expected: u32;
    var i: u32;
    var expected_1: u32;
    var sum: u32;
    var expected_next: u32;
    var i_next: u32;
    var expected_next_1: u32;

    let _e15 = ((work_group_size_x * work_group_size_y) * work_group_size_z);
    let _e23 = select(min((_e15 - (SubgroupId << bitcast<u32>(2u))), 4u), 4u, ((_e15 & 3u) == 0u));
    let _e24 = ((SubgroupLocalInvocationId & 1u) != 0u);
    if _e24 {
        let _e35 = subgroupAdd(SubgroupLocalInvocationId);
        expected = 0u;
        i = 1u;
        loop {
            let expected_2 = expected;
            let i_1 = i;
            expected_next_1 = expected_2;
            if (bitcast<i32>(i_1) < bitcast<i32>(_e23)) {
                expected_next = (expected_2 + i_1);
                i_next = (i_1 + 2u);
                continue;
            } else {
                break;
            }
            continuing {
                let expected_next_2 = expected_next;
                expected = expected_next_2;
                let i_next_1 = i_next;
                i = i_next_1;
            }
        }
        let expected_next_3 = expected_next_1;
        expected_1 = expected_next_3;
        sum = _e35;
    } else {
        let _e26 = subgroupMax(bitcast<i32>(SubgroupLocalInvocationId));
        expected_1 = (bitcast<u32>((bitcast<i32>((_e23 + 4294967295u)) / bitcast<i32>(2u))) << bitcast<u32>(1u));
        sum = bitcast<u32>(_e26);
    }
    let expected_3 = expected_1;
    let sum_1 = sum;
    let _e47 = (SubgroupLocalInvocationId ^ 1u);
    let _e49 = subgroupShuffle((SubgroupLocalInvocationId * 3u), _e47);
    let _e59 = subgroupBallot(_e24);
    let first_id_x = args.data[0u];
    let _e85 = (LocalInvocationIndex / work_group_size_x);
    let first_id_y = args.data[1u];
    q.data[(((((work_group_size_y * WorkgroupId.y) + select((_e85 % work_group_size_y), _e85, (work_group_size_z == 1u))) + first_id_y) * 10u) + (((work_group_size_x * WorkgroupId.x) + select((LocalInvocationIndex % work_group_size_x), LocalInvocationIndex, ((work_group_size_y * work_group_size_z) == 1u))) + first_id_x))] = (select(0u, 1u, ((expected_3 == sum_1) && ((bitcast<i32>(_e47) >= bitcast<i32>(_e23)) || ((_e47 * 3u) == _e49)))) & select(0u, 1u, (bitcast<u32>((bitcast<i32>(_e23) / bitcast<i32>(2u))) == countOneBits(_e59.x))));
    return;
}


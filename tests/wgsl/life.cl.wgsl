// kernel life
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}

struct Arguments {
    data: array<u32, 6>,
}


@group(0) @binding(0) 
var<storage> now: Buffer;
@group(0) @binding(1) 
var<storage, read_write> next: Buffer_1;
@group(0) @binding(2) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn life(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let dispatch_size_x = args.data[4u];
    let dispatch_size_y = args.data[5u];
    if (((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) || ((dispatch_size_y != 0u) && (GlobalInvocationId.y >= dispatch_size_y))) {
    } else {
        let global_size_x = args.data[2u];
        let global_size_y = args.data[3u];
        let first_id_x = args.data[0u];
        let _e37 = (GlobalInvocationId.x + first_id_x);
        let first_id_y = args.data[1u];
        let _e41 = (GlobalInvocationId.y + first_id_y);
        let _e43 = ((_e41 + 4294967295u) + global_size_y);
        let _e50 = (global_size_x * (_e43 - (global_size_y * bitcast<u32>((bitcast<i32>(_e43) / bitcast<i32>(global_size_y))))));
        let _e52 = ((_e37 + 4294967295u) + global_size_x);
        let _e58 = (_e52 - (global_size_x * bitcast<u32>((bitcast<i32>(_e52) / bitcast<i32>(global_size_x)))));
        let _e59 = (_e50 + _e58);
        let _e67 = now.data[(_e59 >> bitcast<u32>(2u))];
        let _e71 = (global_size_x + _e37);
        let _e77 = (_e71 - (global_size_x * bitcast<u32>((bitcast<i32>(_e71) / bitcast<i32>(global_size_x)))));
        let _e78 = (_e50 + _e77);
        let _e86 = now.data[(_e78 >> bitcast<u32>(2u))];
        let _e92 = ((_e37 + 1u) + global_size_x);
        let _e98 = (_e92 - (global_size_x * bitcast<u32>((bitcast<i32>(_e92) / bitcast<i32>(global_size_x)))));
        let _e99 = (_e50 + _e98);
        let _e107 = now.data[(_e99 >> bitcast<u32>(2u))];
        let _e112 = (global_size_y + _e41);
        let _e119 = (global_size_x * (_e112 - (global_size_y * bitcast<u32>((bitcast<i32>(_e112) / bitcast<i32>(global_size_y))))));
        let _e120 = (_e119 + _e58);
        let _e128 = now.data[(_e120 >> bitcast<u32>(2u))];
        let _e133 = (_e119 + _e98);
        let _e141 = now.data[(_e133 >> bitcast<u32>(2u))];
        let _e147 = ((_e41 + 1u) + global_size_y);
        let _e154 = (global_size_x * (_e147 - (global_size_y * bitcast<u32>((bitcast<i32>(_e147) / bitcast<i32>(global_size_y))))));
        let _e155 = (_e154 + _e58);
        let _e163 = now.data[(_e155 >> bitcast<u32>(2u))];
        let _e168 = (_e154 + _e77);
        let _e176 = now.data[(_e168 >> bitcast<u32>(2u))];
        let _e181 = (_e154 + _e98);
        let _e189 = now.data[(_e181 >> bitcast<u32>(2u))];
        let _e193 = (((((((((_e67 >> bitcast<u32>(((_e59 & 3u) << bitcast<u32>(3u)))) & 255u) + ((_e86 >> bitcast<u32>(((_e78 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e107 >> bitcast<u32>(((_e99 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e128 >> bitcast<u32>(((_e120 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e141 >> bitcast<u32>(((_e133 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e163 >> bitcast<u32>(((_e155 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e176 >> bitcast<u32>(((_e168 & 3u) << bitcast<u32>(3u)))) & 255u)) + ((_e189 >> bitcast<u32>(((_e181 & 3u) << bitcast<u32>(3u)))) & 255u));
        let _e195 = ((global_size_x * _e41) + _e37);
        let _e197 = (_e195 >> bitcast<u32>(2u));
        let _e200 = ((_e195 & 3u) << bitcast<u32>(3u));
        let _e203 = now.data[_e197];
        let _e220 = atomicAnd((&next.data[_e197]), ~((255u << bitcast<u32>(_e200))));
        let _e223 = atomicOr((&next.data[_e197]), (select(0u, 1u, ((_e193 == 3u) || ((_e193 == 2u) && (((_e203 >> bitcast<u32>(_e200)) & 255u) != 0u)))) << bitcast<u32>(_e200)));
        return;
    }
    return;
}


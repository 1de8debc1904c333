// kernel convolution
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 6>,
}

struct Constants {
    data: array<f32, 4>,
}


@group(0) @binding(0) 
var<storage> in: Buffer;
@group(0) @binding(1) 
var<storage, read_write> out: Buffer;
@group(0) @binding(2) 
var<storage> filter_: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;
@group(0) @binding(4) 
var<storage> constants: Constants;

@compute @workgroup_size(64, 1, 1) 
fn convolution(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var sum: f32;
    var dx: u32;
    var sum_1: f32;
    var dx_1: u32;
    var sum_2: f32;
    var dx_2: u32;
    var sum_3: f32;
    var dx_3: u32;
    var sum_4: f32;
    var dx_4: u32;
    var sum_5: f32;
    var sum_next: f32;
    var dx_next: u32;
    var sum_next_1: f32;
    var sum_next_2: f32;
    var dx_next_1: u32;
    var sum_next_3: f32;
    var sum_next_4: f32;
    var dx_next_2: u32;
    var sum_next_5: f32;
    var sum_next_6: f32;
    var dx_next_3: u32;
    var sum_next_7: f32;
    var sum_next_8: f32;
    var dx_next_4: u32;

    let dispatch_size_x = args.data[4u];
    let dispatch_size_y = args.data[5u];
    if (((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) || ((dispatch_size_y != 0u) && (GlobalInvocationId.y >= dispatch_size_y))) {
        return;
    }
    let width = args.data[0u];
    let height = args.data[1u];
    let first_id_x = args.data[2u];
    let _e43 = (GlobalInvocationId.x + first_id_x);
    let first_id_y = args.data[3u];
    let _e47 = (GlobalInvocationId.y + first_id_y);
    let _e52 = constants.data[((_e43 + _e47) & 3u)];
    sum = _e52;
    dx = 4294967294u;
    loop {
        let sum_6 = sum;
        let dx_5 = dx;
        sum_next_1 = sum_6;
        if (bitcast<i32>(dx_5) <= bitcast<i32>(2u)) {
            let _e241 = in.data[(bitcast<u32>(min(bitcast<i32>((width + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((dx_5 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((height + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 4294967294u)), bitcast<i32>(0u)))))) * width))];
            let _e245 = filter_.data[(dx_5 + 2u)];
            sum_next = fma(_e241, _e245, sum_6);
            dx_next = (dx_5 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_9 = sum_next;
            sum = sum_next_9;
            let dx_next_5 = dx_next;
            dx = dx_next_5;
        }
    }
    let sum_next_10 = sum_next_1;
    sum_1 = sum_next_10;
    dx_1 = 4294967294u;
    loop {
        let sum_7 = sum_1;
        let dx_6 = dx_1;
        sum_next_3 = sum_7;
        if (bitcast<i32>(dx_6) <= bitcast<i32>(2u)) {
            let _e210 = in.data[(bitcast<u32>(min(bitcast<i32>((width + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((dx_6 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((height + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 4294967295u)), bitcast<i32>(0u)))))) * width))];
            let _e214 = filter_.data[(dx_6 + 7u)];
            sum_next_2 = fma(_e210, _e214, sum_7);
            dx_next_1 = (dx_6 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_11 = sum_next_2;
            sum_1 = sum_next_11;
            let dx_next_6 = dx_next_1;
            dx_1 = dx_next_6;
        }
    }
    let sum_next_12 = sum_next_3;
    sum_2 = sum_next_12;
    dx_2 = 4294967294u;
    loop {
        let sum_8 = sum_2;
        let dx_7 = dx_2;
        sum_next_5 = sum_8;
        if (bitcast<i32>(dx_7) <= bitcast<i32>(2u)) {
            let _e179 = in.data[(bitcast<u32>(min(bitcast<i32>((width + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((dx_7 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((height + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>(_e47), bitcast<i32>(0u)))))) * width))];
            let _e183 = filter_.data[(dx_7 + 12u)];
            sum_next_4 = fma(_e179, _e183, sum_8);
            dx_next_2 = (dx_7 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_13 = sum_next_4;
            sum_2 = sum_next_13;
            let dx_next_7 = dx_next_2;
            dx_2 = dx_next_7;
        }
    }
    let sum_next_14 = sum_next_5;
    sum_3 = sum_next_14;
    dx_3 = 4294967294u;
    loop {
        let sum_9 = sum_3;
        let dx_8 = dx_3;
        sum_next_7 = sum_9;
        if (bitcast<i32>(dx_8) <= bitcast<i32>(2u)) {
            let _e149 = in.data[(bitcast<u32>(min(bitcast<i32>((width + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((dx_8 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((height + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 1u)), bitcast<i32>(0u)))))) * width))];
            let _e153 = filter_.data[(dx_8 + 17u)];
            sum_next_6 = fma(_e149, _e153, sum_9);
            dx_next_3 = (dx_8 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_15 = sum_next_6;
            sum_3 = sum_next_15;
            let dx_next_8 = dx_next_3;
            dx_3 = dx_next_8;
        }
    }
    let sum_next_16 = sum_next_7;
    sum_4 = sum_next_16;
    dx_4 = 4294967294u;
    loop {
        let sum_10 = sum_4;
        let dx_9 = dx_4;
        sum_5 = sum_10;
        if (bitcast<i32>(dx_9) <= bitcast<i32>(2u)) {
            let _e118 = in.data[(bitcast<u32>(min(bitcast<i32>((width + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((dx_9 + _e43)), bitcast<i32>(0u)))))) + (bitcast<u32>(min(bitcast<i32>((height + 4294967295u)), bitcast<i32>(bitcast<u32>(max(bitcast<i32>((_e47 + 2u)), bitcast<i32>(0u)))))) * width))];
            let _e122 = filter_.data[(dx_9 + 22u)];
            sum_next_8 = fma(_e118, _e122, sum_10);
            dx_next_4 = (dx_9 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let sum_next_17 = sum_next_8;
            sum_4 = sum_next_17;
            let dx_next_9 = dx_next_4;
            dx_4 = dx_next_9;
        }
    }
    let sum_11 = sum_5;
    out.data[((width * _e47) + _e43)] = sum_11;
    return;
}


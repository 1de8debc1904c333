// kernel mandelbrot
struct Buffer {
    data: array<u32>,
}

struct Arguments {
    data: array<u32, 9>,
}


@group(0) @binding(0) 
var<storage, read_write> out: Buffer;
@group(0) @binding(1) 
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn mandelbrot(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var x: f32;
    var y: f32;
    var n: u32;
    var n_1: u32;
    var x_next: f32;
    var y_next: f32;
    var n_next: u32;

    let dispatch_size_x = args.data[7u];
    let dispatch_size_y = args.data[8u];
    if (((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) || ((dispatch_size_y != 0u) && (GlobalInvocationId.y >= dispatch_size_y))) {
        return;
    }
    let x0_ = args.data[0u];
    let y0_ = args.data[1u];
    let step_ = args.data[2u];
    let _e42 = bitcast<f32>(step_);
    let limit = args.data[3u];
    let first_id_x = args.data[4u];
    let _e49 = (GlobalInvocationId.x + first_id_x);
    let first_id_y = args.data[5u];
    let _e53 = (GlobalInvocationId.y + first_id_y);
    x = 0f;
    y = 0f;
    n = 0u;
    loop {
        let x_1 = x;
        let y_1 = y;
        let n_2 = n;
        let _e66 = (x_1 * x_1);
        let _e67 = (y_1 * y_1);
        n_1 = n_2;
        if (((_e66 + _e67) > 4f) || (n_2 >= limit)) {
            break;
        } else {
            x_next = (((f32(_e49) * _e42) + bitcast<f32>(x0_)) + (_e66 - _e67));
            y_next = (((f32(_e53) * _e42) + bitcast<f32>(y0_)) + ((x_1 * 2f) * y_1));
            n_next = (n_2 + 1u);
            continue;
        }
        continuing {
            let x_next_1 = x_next;
            x = x_next_1;
            let y_next_1 = y_next;
            y = y_next_1;
            let n_next_1 = n_next;
            n = n_next_1;
        }
    }
    let global_size_x = args.data[6u];
    let n_3 = n_1;
    out.data[((_e53 * global_size_x) + _e49)] = n_3;
    return;
}


// kernel mandelbrot
struct Buffer {
    data: array<u32>,
}


@group(0) @binding(0) 
var<storage, read_write> out: Buffer;
@group(0) @binding(1) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn mandelbrot(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_71_: f32;
    var phi_75_: f32;
    var phi_77_: u32;
    var local: u32;
    var local_1: f32;
    var local_2: f32;
    var local_3: u32;

    let _e16 = args.data[7u];
    let _e24 = args.data[8u];
    if (((_e16 != 0u) && (GlobalInvocationId.x >= _e16)) || ((_e24 != 0u) && (GlobalInvocationId.y >= _e24))) {
        return;
    }
    let _e33 = args.data[0u];
    let _e37 = args.data[1u];
    let _e41 = args.data[2u];
    let _e42 = bitcast<f32>(_e41);
    let _e45 = args.data[3u];
    let _e48 = args.data[4u];
    let _e49 = (GlobalInvocationId.x + _e48);
    let _e52 = args.data[5u];
    let _e53 = (GlobalInvocationId.y + _e52);
    phi_71_ = 0f;
    phi_75_ = 0f;
    phi_77_ = 0u;
    loop {
        let _e61 = phi_71_;
        let _e63 = phi_75_;
        let _e65 = phi_77_;
        let _e66 = (_e61 * _e61);
        let _e67 = (_e63 * _e63);
        local = _e65;
        if (((_e66 + _e67) > 4f) || (_e65 >= _e45)) {
            break;
        } else {
            local_1 = (((f32(_e49) * _e42) + bitcast<f32>(_e33)) + (_e66 - _e67));
            local_2 = (((f32(_e53) * _e42) + bitcast<f32>(_e37)) + ((_e61 * 2f) * _e63));
            local_3 = (_e65 + 1u);
            continue;
        }
        continuing {
            let _e89 = local_1;
            phi_71_ = _e89;
            let _e92 = local_2;
            phi_75_ = _e92;
            let _e95 = local_3;
            phi_77_ = _e95;
        }
    }
    let _e80 = args.data[6u];
    let _e86 = local;
    out.data[((_e53 * _e80) + _e49)] = _e86;
    return;
}


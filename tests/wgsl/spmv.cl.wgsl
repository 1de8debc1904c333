// kernel spmv
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<f32>,
}


@group(0) @binding(0) 
var<storage> row_start: Buffer;
@group(0) @binding(1) 
var<storage> column: Buffer;
@group(0) @binding(2) 
var<storage> value: Buffer_1;
@group(0) @binding(3) 
var<storage> x: Buffer_1;
@group(0) @binding(4) 
var<storage, read_write> y: Buffer_1;
@group(0) @binding(5) 
var<storage> args: Buffer;

@compute @workgroup_size(64, 1, 1) 
fn spmv(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var phi_47_: u32;
    var phi_56_: f32;
    var phi_60_: u32;
    var local: f32;
    var local_1: u32;
    var local_2: f32;
    var local_3: u32;

    let _e13 = args.data[3u];
    if ((_e13 != 0u) && (GlobalInvocationId.x >= _e13)) {
        return;
    }
    let _e21 = args.data[0u];
    let _e24 = args.data[1u];
    phi_47_ = (GlobalInvocationId.x + _e24);
    loop {
        let _e27 = phi_47_;
        if (_e27 < _e21) {
            let _e31 = row_start.data[_e27];
            phi_56_ = 0f;
            phi_60_ = _e31;
            loop {
                let _e33 = phi_56_;
                let _e35 = phi_60_;
                let _e39 = row_start.data[(_e27 + 1u)];
                local = _e33;
                if (_e35 < _e39) {
                    let _e51 = value.data[_e35];
                    let _e54 = column.data[_e35];
                    let _e57 = x.data[_e54];
                    local_2 = fma(_e51, _e57, _e33);
                    local_3 = (_e35 + 1u);
                    continue;
                } else {
                    break;
                }
                continuing {
                    let _e65 = local_2;
                    phi_56_ = _e65;
                    let _e68 = local_3;
                    phi_60_ = _e68;
                }
            }
            let _e44 = local;
            y.data[_e27] = _e44;
            let _e47 = args.data[2u];
            local_1 = (_e27 + _e47);
            continue;
        } else {
            break;
        }
        continuing {
            let _e62 = local_1;
            phi_47_ = _e62;
        }
    }
    return;
}


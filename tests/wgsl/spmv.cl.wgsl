// kernel spmv
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 4>,
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
var<storage> args: Arguments;

@compute @workgroup_size(64, 1, 1) 
fn spmv(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var row: u32;
    var sum: f32;
    var k: u32;
    var sum_1: f32;
    var row_next: u32;
    var sum_next: f32;
    var k_next: u32;

    let dispatch_size_x = args.data[3u];
    if ((dispatch_size_x != 0u) && (GlobalInvocationId.x >= dispatch_size_x)) {
        return;
    }
    let rows = args.data[0u];
    let first_id_x = args.data[1u];
    row = (GlobalInvocationId.x + first_id_x);
    loop {
        let row_1 = row;
        if (row_1 < rows) {
            let _e31 = row_start.data[row_1];
            sum = 0f;
            k = _e31;
            loop {
                let sum_2 = sum;
                let k_1 = k;
                let _e39 = row_start.data[(row_1 + 1u)];
                sum_1 = sum_2;
                if (k_1 < _e39) {
                    let _e51 = value.data[k_1];
                    let _e54 = column.data[k_1];
                    let _e57 = x.data[_e54];
                    sum_next = fma(_e51, _e57, sum_2);
                    k_next = (k_1 + 1u);
                    continue;
                } else {
                    break;
                }
                continuing {
                    let sum_next_1 = sum_next;
                    sum = sum_next_1;
                    let k_next_1 = k_next;
                    k = k_next_1;
                }
            }
            let sum_3 = sum_1;
            y.data[row_1] = sum_3;
            let global_size_x = args.data[2u];
            row_next = (row_1 + global_size_x);
            continue;
        } else {
            break;
        }
        continuing {
            let row_next_1 = row_next;
            row = row_next_1;
        }
    }
    return;
}


// kernel black_scholes
struct Buffer {
    data: array<f32>,
}

struct Arguments {
    data: array<u32, 4>,
}


@group(0) @binding(0) 
var<storage> price: Buffer;
@group(0) @binding(1) 
var<storage> strike: Buffer;
@group(0) @binding(2) 
var<storage> years: Buffer;
@group(0) @binding(3) 
var<storage, read_write> call: Buffer;
@group(0) @binding(4) 
var<storage, read_write> put: Buffer;
@group(0) @binding(5) 
var<storage> args: Arguments;
var<private> GlobalInvocationId_1: vec3<u32>;

fn pumice_exp(param: f32) -> f32 {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    let _e19 = select(param, -105f, (param < -105f));
    let _e21 = select(_e19, 89f, (_e19 > 89f));
    let _e22 = fma(_e21, 1.442695f, 12582912f);
    let _e24 = -((_e22 - 12582912f));
    let _e26 = fma(_e24, 0.000031946183f, fma(_e24, 0.69311523f, _e21));
    let _e36 = (bitcast<u32>(_e22) + 3032481792u);
    let _e40 = bitcast<u32>((bitcast<i32>(_e36) >> bitcast<u32>(1u)));
    return (((fma(fma(_e26, fma(_e26, fma(_e26, fma(_e26, fma(_e26, 0.0001984127f, 0.0013888889f), 0.008333334f), 0.041666668f), 0.16666667f), 0.5f), (_e26 * _e26), _e26) + 1f) * bitcast<f32>(((_e40 + 127u) << bitcast<u32>(23u)))) * bitcast<f32>((((_e36 - _e40) + 127u) << bitcast<u32>(23u))));
}

fn black_scholes_1() {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    var zero: u32 = 0u;
    var phi_125_: f32;

    let zero_1 = zero;
    let dispatch_size_x = args.data[3u];
    let _e51 = GlobalInvocationId_1;
    if ((dispatch_size_x != 0u) && (_e51.x >= dispatch_size_x)) {
        return;
    }
    let rate = args.data[0u];
    let _e59 = bitcast<f32>(rate);
    let volatility = args.data[1u];
    let _e63 = bitcast<f32>(volatility);
    let first_id_x = args.data[2u];
    let _e67 = (_e51.x + first_id_x);
    let _e70 = price.data[_e67];
    let _e73 = strike.data[_e67];
    let _e76 = years.data[_e67];
    let _e77 = sqrt(_e76);
    let _e78 = (_e70 / _e73);
    let _e79 = bitcast<u32>(_e78);
    let _e82 = (bitcast<i32>(_e79) < bitcast<i32>(8388608u));
    let _e86 = select(_e79, bitcast<u32>(f32(bitcast<i32>(_e79))), _e82);
    let _e88 = ((_e86 + 3235206485u) & 4286578688u);
    let _e95 = (bitcast<f32>((_e86 - _e88)) - 1f);
    phi_125_ = fma(fma(f32(bitcast<i32>(_e88)), 0.00000011920929f, select(0f, -149f, _e82)), 0.6931472f, fma(_e95, (_e95 * fma(_e95, fma(_e95, fma(_e95, fma(_e95, fma(_e95, fma(_e95, fma(_e95, 0.14021303f, -0.15383218f), 0.13997002f), -0.16417098f), 0.2001108f), -0.25007746f), 0.333332f), -0.49999937f)), _e95));
    if ((_e79 + 4294967295u) >= 2139095039u) {
        phi_125_ = select(select(bitcast<f32>((2143289344u | zero_1)), _e78, (bitcast<i32>(_e79) >= bitcast<i32>(2139095040u))), bitcast<f32>((4286578688u | zero_1)), ((_e79 & 2147483647u) == 0u));
    }
    let _e116 = phi_125_;
    let _e121 = (fma(fma((_e63 * 0.5f), _e63, _e59), _e76, _e116) / (_e77 * _e63));
    let _e123 = fma(-(_e77), _e63, _e121);
    let _e126 = pumice_exp((-(_e59) * _e76));
    let _e127 = (_e126 * _e73);
    let _e130 = (1f / fma(abs(_e121), 0.2316419f, 1f));
    let _e133 = pumice_exp((_e121 * (_e121 * -0.5f)));
    let _e140 = ((_e133 * 0.3989423f) * (_e130 * fma(_e130, fma(_e130, fma(_e130, fma(_e130, 1.3302745f, -1.8212559f), 1.7814779f), -0.35656378f), 0.31938154f)));
    let _e143 = select(_e140, (1f - _e140), (_e121 > 0f));
    let _e147 = (1f / fma(abs(_e123), 0.2316419f, 1f));
    let _e150 = pumice_exp((_e123 * (_e123 * -0.5f)));
    let _e157 = ((_e150 * 0.3989423f) * (_e147 * fma(_e147, fma(_e147, fma(_e147, fma(_e147, 1.3302745f, -1.8212559f), 1.7814779f), -0.35656378f), 0.31938154f)));
    let _e160 = select(_e157, (1f - _e157), (_e123 > 0f));
    call.data[_e67] = fma(-(_e127), _e160, (_e143 * _e70));
    put.data[_e67] = fma(-((1f - _e143)), _e70, (_e127 * (1f - _e160)));
    return;
}

@compute @workgroup_size(64, 1, 1) 
fn black_scholes(@builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    let work_group_size_x: u32 = 64u;
    let work_group_size_y: u32 = 1u;
    let work_group_size_z: u32 = 1u;
    GlobalInvocationId_1 = GlobalInvocationId;
    black_scholes_1();
}


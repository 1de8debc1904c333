// kernel rc4
struct Buffer {
    data: array<u32>,
}

struct Buffer_1 {
    data: array<atomic<u32>>,
}

struct Arguments {
    data: array<u32, 3>,
}

var<workgroup> rc4_u002e_states: array<atomic<u32>, 2048>;
var<workgroup> rc4_u002e_totals: array<atomic<u32>, 16>;
@group(0) @binding(0) 
var<storage> keys: Buffer;
@group(0) @binding(1) 
var<storage, read_write> stream: Buffer_1;
@group(0) @binding(2) 
var<storage, read_write> sums: Buffer;
@group(0) @binding(3) 
var<storage> args: Arguments;

@compute @workgroup_size(32, 1, 1) 
fn rc4_(@builtin(local_invocation_id) LocalInvocationId: vec3<u32>, @builtin(global_invocation_id) GlobalInvocationId: vec3<u32>) {
    var y: u32;
    var x: u32;
    var y_1: u32;
    var n: u32;
    var y_next: u32;
    var x_next: u32;
    var y_next_1: u32;
    var n_next: u32;

    let key_length = args.data[0u];
    let length_ = args.data[1u];
    let first_id_x = args.data[2u];
    let _e150 = (GlobalInvocationId.x + first_id_x);
    let _e152 = (LocalInvocationId.x << bitcast<u32>(6u));
    atomicStore((&rc4_u002e_states[_e152]), 50462976u);
    atomicStore((&rc4_u002e_states[(_e152 + 1u)]), 117835012u);
    atomicStore((&rc4_u002e_states[(_e152 + 2u)]), 185207048u);
    atomicStore((&rc4_u002e_states[(_e152 + 3u)]), 252579084u);
    atomicStore((&rc4_u002e_states[(_e152 + 4u)]), 319951120u);
    atomicStore((&rc4_u002e_states[(_e152 + 5u)]), 387323156u);
    atomicStore((&rc4_u002e_states[(_e152 + 6u)]), 454695192u);
    atomicStore((&rc4_u002e_states[(_e152 + 7u)]), 522067228u);
    atomicStore((&rc4_u002e_states[(_e152 + 8u)]), 589439264u);
    atomicStore((&rc4_u002e_states[(_e152 + 9u)]), 656811300u);
    atomicStore((&rc4_u002e_states[(_e152 + 10u)]), 724183336u);
    atomicStore((&rc4_u002e_states[(_e152 + 11u)]), 791555372u);
    atomicStore((&rc4_u002e_states[(_e152 + 12u)]), 858927408u);
    atomicStore((&rc4_u002e_states[(_e152 + 13u)]), 926299444u);
    atomicStore((&rc4_u002e_states[(_e152 + 14u)]), 993671480u);
    atomicStore((&rc4_u002e_states[(_e152 + 15u)]), 1061043516u);
    atomicStore((&rc4_u002e_states[(_e152 + 16u)]), 1128415552u);
    atomicStore((&rc4_u002e_states[(_e152 + 17u)]), 1195787588u);
    atomicStore((&rc4_u002e_states[(_e152 + 18u)]), 1263159624u);
    atomicStore((&rc4_u002e_states[(_e152 + 19u)]), 1330531660u);
    atomicStore((&rc4_u002e_states[(_e152 + 20u)]), 1397903696u);
    atomicStore((&rc4_u002e_states[(_e152 + 21u)]), 1465275732u);
    atomicStore((&rc4_u002e_states[(_e152 + 22u)]), 1532647768u);
    atomicStore((&rc4_u002e_states[(_e152 + 23u)]), 1600019804u);
    atomicStore((&rc4_u002e_states[(_e152 + 24u)]), 1667391840u);
    atomicStore((&rc4_u002e_states[(_e152 + 25u)]), 1734763876u);
    atomicStore((&rc4_u002e_states[(_e152 + 26u)]), 1802135912u);
    atomicStore((&rc4_u002e_states[(_e152 + 27u)]), 1869507948u);
    atomicStore((&rc4_u002e_states[(_e152 + 28u)]), 1936879984u);
    atomicStore((&rc4_u002e_states[(_e152 + 29u)]), 2004252020u);
    atomicStore((&rc4_u002e_states[(_e152 + 30u)]), 2071624056u);
    atomicStore((&rc4_u002e_states[(_e152 + 31u)]), 2138996092u);
    atomicStore((&rc4_u002e_states[(_e152 + 32u)]), 2206368128u);
    atomicStore((&rc4_u002e_states[(_e152 + 33u)]), 2273740164u);
    atomicStore((&rc4_u002e_states[(_e152 + 34u)]), 2341112200u);
    atomicStore((&rc4_u002e_states[(_e152 + 35u)]), 2408484236u);
    atomicStore((&rc4_u002e_states[(_e152 + 36u)]), 2475856272u);
    atomicStore((&rc4_u002e_states[(_e152 + 37u)]), 2543228308u);
    atomicStore((&rc4_u002e_states[(_e152 + 38u)]), 2610600344u);
    atomicStore((&rc4_u002e_states[(_e152 + 39u)]), 2677972380u);
    atomicStore((&rc4_u002e_states[(_e152 + 40u)]), 2745344416u);
    atomicStore((&rc4_u002e_states[(_e152 + 41u)]), 2812716452u);
    atomicStore((&rc4_u002e_states[(_e152 + 42u)]), 2880088488u);
    atomicStore((&rc4_u002e_states[(_e152 + 43u)]), 2947460524u);
    atomicStore((&rc4_u002e_states[(_e152 + 44u)]), 3014832560u);
    atomicStore((&rc4_u002e_states[(_e152 + 45u)]), 3082204596u);
    atomicStore((&rc4_u002e_states[(_e152 + 46u)]), 3149576632u);
    atomicStore((&rc4_u002e_states[(_e152 + 47u)]), 3216948668u);
    atomicStore((&rc4_u002e_states[(_e152 + 48u)]), 3284320704u);
    atomicStore((&rc4_u002e_states[(_e152 + 49u)]), 3351692740u);
    atomicStore((&rc4_u002e_states[(_e152 + 50u)]), 3419064776u);
    atomicStore((&rc4_u002e_states[(_e152 + 51u)]), 3486436812u);
    atomicStore((&rc4_u002e_states[(_e152 + 52u)]), 3553808848u);
    atomicStore((&rc4_u002e_states[(_e152 + 53u)]), 3621180884u);
    atomicStore((&rc4_u002e_states[(_e152 + 54u)]), 3688552920u);
    atomicStore((&rc4_u002e_states[(_e152 + 55u)]), 3755924956u);
    atomicStore((&rc4_u002e_states[(_e152 + 56u)]), 3823296992u);
    atomicStore((&rc4_u002e_states[(_e152 + 57u)]), 3890669028u);
    atomicStore((&rc4_u002e_states[(_e152 + 58u)]), 3958041064u);
    atomicStore((&rc4_u002e_states[(_e152 + 59u)]), 4025413100u);
    atomicStore((&rc4_u002e_states[(_e152 + 60u)]), 4092785136u);
    atomicStore((&rc4_u002e_states[(_e152 + 61u)]), 4160157172u);
    atomicStore((&rc4_u002e_states[(_e152 + 62u)]), 4227529208u);
    atomicStore((&rc4_u002e_states[(_e152 + 63u)]), 4294901244u);
    y = 0u;
    x = 0u;
    loop {
        let y_2 = y;
        let x_1 = x;
        if (x_1 < 256u) {
            let _e415 = (LocalInvocationId.x << bitcast<u32>(8u));
            let _e418 = ((x_1 + _e415) >> bitcast<u32>(2u));
            let _e421 = ((x_1 & 3u) << bitcast<u32>(3u));
            let _e423 = atomicLoad((&rc4_u002e_states[_e418]));
            let _e426 = ((_e423 >> bitcast<u32>(_e421)) & 255u);
            let _e430 = ((key_length * _e150) + (x_1 % key_length));
            let _e438 = keys.data[(_e430 >> bitcast<u32>(2u))];
            let _e442 = ((_e426 + y_2) + ((_e438 >> bitcast<u32>(((_e430 & 3u) << bitcast<u32>(3u)))) & 255u));
            let _e443 = (_e442 & 255u);
            let _e446 = ((_e443 + _e415) >> bitcast<u32>(2u));
            let _e449 = ((_e442 & 3u) << bitcast<u32>(3u));
            let _e451 = atomicLoad((&rc4_u002e_states[_e446]));
            let _e461 = atomicAnd((&rc4_u002e_states[_e418]), ~((255u << bitcast<u32>(_e421))));
            let _e463 = atomicOr((&rc4_u002e_states[_e418]), (((_e451 >> bitcast<u32>(_e449)) & 255u) << bitcast<u32>(_e421)));
            let _e470 = atomicAnd((&rc4_u002e_states[_e446]), ~((255u << bitcast<u32>(_e449))));
            let _e472 = atomicOr((&rc4_u002e_states[_e446]), (_e426 << bitcast<u32>(_e449)));
            y_next = _e443;
            x_next = (x_1 + 1u);
            continue;
        } else {
            break;
        }
        continuing {
            let y_next_2 = y_next;
            y = y_next_2;
            let x_next_1 = x_next;
            x = x_next_1;
        }
    }
    let _e286 = (LocalInvocationId.x << bitcast<u32>(1u));
    let _e288 = (_e286 >> bitcast<u32>(2u));
    let _e291 = ((_e286 & 3u) << bitcast<u32>(3u));
    let _e294 = ~((65535u << bitcast<u32>(_e291)));
    let _e296 = atomicAnd((&rc4_u002e_totals[_e288]), _e294);
    let _e298 = atomicOr((&rc4_u002e_totals[_e288]), 0u);
    y_1 = 0u;
    n = 0u;
    loop {
        let y_3 = y_1;
        let n_1 = n;
        if (n_1 < length_) {
            let _e324 = (n_1 + 1u);
            let _e327 = (LocalInvocationId.x << bitcast<u32>(8u));
            let _e330 = (((_e324 & 255u) + _e327) >> bitcast<u32>(2u));
            let _e333 = ((_e324 & 3u) << bitcast<u32>(3u));
            let _e335 = atomicLoad((&rc4_u002e_states[_e330]));
            let _e338 = ((_e335 >> bitcast<u32>(_e333)) & 255u);
            let _e339 = (_e338 + y_3);
            let _e340 = (_e339 & 255u);
            let _e343 = ((_e340 + _e327) >> bitcast<u32>(2u));
            let _e346 = ((_e339 & 3u) << bitcast<u32>(3u));
            let _e348 = atomicLoad((&rc4_u002e_states[_e343]));
            let _e351 = ((_e348 >> bitcast<u32>(_e346)) & 255u);
            let _e358 = atomicAnd((&rc4_u002e_states[_e330]), ~((255u << bitcast<u32>(_e333))));
            let _e360 = atomicOr((&rc4_u002e_states[_e330]), (_e351 << bitcast<u32>(_e333)));
            let _e367 = atomicAnd((&rc4_u002e_states[_e343]), ~((255u << bitcast<u32>(_e346))));
            let _e369 = atomicOr((&rc4_u002e_states[_e343]), (_e338 << bitcast<u32>(_e346)));
            let _e370 = (_e338 + _e351);
            let _e379 = atomicLoad((&rc4_u002e_states[(((_e370 & 255u) + _e327) >> bitcast<u32>(2u))]));
            let _e383 = ((length_ * _e150) + n_1);
            let _e384 = ((_e379 >> bitcast<u32>(((_e370 & 3u) << bitcast<u32>(3u)))) & 255u);
            let _e386 = (_e383 >> bitcast<u32>(2u));
            let _e389 = ((_e383 & 3u) << bitcast<u32>(3u));
            let _e397 = atomicAnd((&stream.data[_e386]), ~((255u << bitcast<u32>(_e389))));
            let _e400 = atomicOr((&stream.data[_e386]), (_e384 << bitcast<u32>(_e389)));
            let _e402 = atomicLoad((&rc4_u002e_totals[_e288]));
            let _e411 = atomicAnd((&rc4_u002e_totals[_e288]), _e294);
            let _e413 = atomicOr((&rc4_u002e_totals[_e288]), (((((_e402 >> bitcast<u32>(_e291)) & 65535u) + _e384) & 65535u) << bitcast<u32>(_e291)));
            y_next_1 = _e340;
            n_next = _e324;
            continue;
        } else {
            break;
        }
        continuing {
            let y_next_3 = y_next_1;
            y_1 = y_next_3;
            let n_next_1 = n_next;
            n = n_next_1;
        }
    }
    workgroupBarrier(); // rc4.cl:23
    let _e307 = (((LocalInvocationId.x + 1u) & 31u) << bitcast<u32>(1u));
    let _e314 = atomicLoad((&rc4_u002e_totals[(_e307 >> bitcast<u32>(2u))]));
    let _e319 = atomicLoad((&rc4_u002e_states[_e152]));
    sums.data[_e150] = (((_e314 >> bitcast<u32>(((_e307 & 3u) << bitcast<u32>(3u)))) & 65535u) ^ (_e319 & 255u));
    return;
}


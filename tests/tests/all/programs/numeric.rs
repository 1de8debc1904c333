//! Floating-point programs.

use crate::program::{Arg, Program, buffer, f32s, from_f32s, from_u32s, random, spec, zeros};
use pumice_cli::array::Array;
use pumice_cli::compare::Tolerance;

#[test]
fn n_body() {
    let n = 128usize;
    let (pos, vel) = (random("float4", n, 1, Some((-1, 1))), random("float4", n, 2, Some((-1, 1))));
    let (p, v) = (f32s(&pos), f32s(&vel));
    let (dt, eps2) = (0.01f64, 0.05f64);
    let (mut next, mut velocities) = (Vec::new(), Vec::new());
    for i in 0..n {
        let at = |body: usize, axis: usize| f64::from(p[body * 4 + axis]);
        let mut a = [0f64; 3];
        for j in 0..n {
            let d = [0, 1, 2].map(|axis| at(j, axis) - at(i, axis));
            let inv = 1.0 / (d.iter().map(|x| x * x).sum::<f64>() + eps2).sqrt();
            for axis in 0..3 {
                a[axis] += d[axis] * at(j, 3) * inv.powi(3);
            }
        }
        let moved = [0, 1, 2].map(|axis| f64::from(v[i * 4 + axis]) + a[axis] * dt);
        next.extend([0, 1, 2].map(|axis| (at(i, axis) + moved[axis] * dt) as f32));
        next.push(p[i * 4 + 3]);
        velocities.extend(moved.map(|x| x as f32));
        velocities.push(v[i * 4 + 3]);
    }
    Program {
        file: "nbody.cl",
        kernel: "nbody",
        global: &[128],
        local: Some(&[32]),
        args: vec![
            ("pos", buffer(&pos)),
            ("vel", buffer(&vel)),
            ("next", buffer(&zeros("float4", n))),
            ("n", spec("int:128")),
            ("dt", spec(format!("float:{dt}"))),
            ("eps2", spec(format!("float:{eps2}"))),
            ("tile", spec("local:512")),
        ],
        expect: vec![
            ("next", from_f32s("float4", &next), Tolerance::Abs(1e-5)),
            ("vel", from_f32s("float4", &velocities), Tolerance::Abs(2e-3)),
        ],
        options: &[],
    }
    .check();
}

#[test]
fn black_scholes() {
    let n = 256;
    let price = random("float", n, 3, Some((5, 30)));
    let strike = random("float", n, 4, Some((5, 30)));
    let years = random("float", n, 5, Some((1, 10)));
    let (rate, volatility) = (0.02f64, 0.3f64);
    let cdf = |d: f64| {
        let k = 1.0 / (1.0 + 0.2316419 * d.abs());
        let poly =
            k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
        let tail = 0.398_942_280_401_432_7 * (-0.5 * d * d).exp() * poly;
        if d > 0.0 { 1.0 - tail } else { tail }
    };
    let (mut call, mut put) = (Vec::new(), Vec::new());
    for ((s, x), t) in f32s(&price).iter().zip(f32s(&strike)).zip(f32s(&years)) {
        let (s, x, t) = (f64::from(*s), f64::from(x), f64::from(t));
        let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * t.sqrt());
        let d2 = d1 - volatility * t.sqrt();
        let discounted = x * (-rate * t).exp();
        call.push((s * cdf(d1) - discounted * cdf(d2)) as f32);
        put.push((discounted * (1.0 - cdf(d2)) - s * (1.0 - cdf(d1))) as f32);
    }
    Program {
        file: "black_scholes.cl",
        kernel: "black_scholes",
        global: &[256],
        local: None,
        args: vec![
            ("price", buffer(&price)),
            ("strike", buffer(&strike)),
            ("years", buffer(&years)),
            ("call", buffer(&zeros("float", n))),
            ("put", buffer(&zeros("float", n))),
            ("rate", spec(format!("float:{rate}"))),
            ("volatility", spec(format!("float:{volatility}"))),
        ],
        expect: vec![
            ("call", from_f32s("float", &call), Tolerance::Abs(2e-5)),
            ("put", from_f32s("float", &put), Tolerance::Abs(2e-5)),
        ],
        options: &[],
    }
    .check();
}

/// The bytes of the kernel's `World`: nested structs with OpenCL's layout.
fn world(drag: f32, gravity: [f32; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for corner in [[-1f32, -1.0, -1.0, 0.0], [1.0, 1.0, 1.0, 0.0]] {
        bytes.extend(corner.iter().flat_map(|v| v.to_le_bytes()));
    }
    bytes.extend(drag.to_le_bytes());
    bytes.extend([1, 0]); // bounce, padding
    bytes.extend([0; 6]); // short pad[3]
    bytes.resize(48, 0); // float4 is 16-aligned
    bytes.extend(gravity.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

#[test]
fn particles_with_nested_structs() {
    let n = 96;
    let axes = [6, 7, 8].map(|seed| random("float", n, seed, Some((-1, 1))));
    let vel = random("float4", n, 9, Some((-30, 30)));
    let stats = zeros("int2", n);
    let (drag, dt, gravity) = (0.1f32, 0.02f32, [0.0, -9.81, 0.0, 0.0]);
    let v0 = f32s(&vel);
    let mut moved = [vec![], vec![], vec![]];
    let (mut velocities, mut hits_and_energy) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (mut hits, mut energy) = (0u32, 0f32);
        for axis in 0..4 {
            let mut v = (v0[i * 4 + axis] + gravity[axis] * dt) * (1.0 - drag * dt);
            if axis < 3 {
                let p = f32s(&axes[axis])[i] + v * dt;
                if !(-1.0..=1.0).contains(&p) {
                    v = -v;
                    hits += 1000;
                }
                moved[axis].push(p.clamp(-1.0, 1.0));
                energy += v * v;
            }
            velocities.push(v);
        }
        hits_and_energy.extend(hits.to_le_bytes());
        hits_and_energy.extend((0.5 * energy).to_le_bytes());
    }
    let hex: String = world(drag, gravity).iter().map(|b| format!("{b:02x}")).collect();
    let position = |axis: usize| from_f32s("float", &moved[axis]);
    let args: Vec<(&str, Arg)> = vec![
        ("px", buffer(&axes[0])),
        ("py", buffer(&axes[1])),
        ("pz", buffer(&axes[2])),
        ("vel", buffer(&vel)),
        ("stats", buffer(&stats)),
        ("world", spec(format!("bytes:{hex}"))),
        ("dt", spec(format!("float:{dt}"))),
    ];
    // As floats the hits would be denormals, which compare equal to anything near: as int2 both halves are
    // compared as integers, the energies' bits with room for rounding.
    let expected_stats = Array { ty: crate::program::ty("int2"), bytes: hits_and_energy };
    Program {
        file: "particles.cl",
        kernel: "particles",
        global: &[96],
        local: None,
        args,
        expect: vec![
            ("px", position(0), Tolerance::Abs(1e-6)),
            ("py", position(1), Tolerance::Abs(1e-6)),
            ("pz", position(2), Tolerance::Abs(1e-6)),
            ("vel", from_f32s("float4", &velocities), Tolerance::Abs(1e-5)),
            ("stats", expected_stats, Tolerance::Abs(64.0)),
        ],
        options: &[],
    }
    .check();
}

/// The furnace test: where everything is white and the light comes from everywhere, nothing can be seen.
#[test]
fn path_tracer() {
    let (width, height) = (24u32, 16u32);
    let floats = |list: &[f32]| list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let mut spheres = Vec::new();
    for (material, shape) in
        [[-1.2f32, 1.0, 0.0, 1.0], [1.2, 0.8, 0.5, 0.8], [0.0, 0.5, -1.5, 0.5]].iter().enumerate()
    {
        spheres.extend(floats(shape));
        spheres.extend(floats(&[1.0, 1.0, 1.0, 0.0]));
        spheres.extend((material as u32).to_le_bytes());
        spheres.extend(floats(&[0.1, 0.0, 0.0]));
    }
    let mut camera =
        floats(&[0.0, 1.5, -6.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.9, 0.05, 5.0, std::f32::consts::LN_2]);
    camera.extend([width, height, 4, 6].iter().flat_map(|n| n.to_le_bytes()));
    let mut sky = floats(&[1.0; 8]);
    sky.extend(floats(&[0.0, 0.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 200.0, 0.5, 0.0, 0.0]));
    let pixels = (width * height) as usize;
    let expected: Vec<f32> = (0..pixels).flat_map(|_| [0.5, 0.5, 0.5, 1.0]).collect();
    Program {
        file: "pathtracer.cl",
        kernel: "render",
        global: &[24, 16],
        local: None,
        args: vec![
            ("image", buffer(&zeros("float4", pixels))),
            ("spheres", buffer(&Array { ty: crate::program::ty("float4"), bytes: spheres })),
            ("count", spec("uint:3")),
            ("floor_color", spec("float4:1,1,1,1")),
            ("camera", spec(format!("bytes:{}", hex(&camera)))),
            ("sky", spec(format!("bytes:{}", hex(&sky)))),
        ],
        expect: vec![("image", from_f32s("float4", &expected), Tolerance::Abs(1e-5))],
        options: &[],
    }
    .check();
}

/// fma has one rounding (OpenCL C §7.4), in hardware, in double or in integers: at the edges of floats, against the host's. Denormals
/// are left out: devices may flush them.
#[test]
fn fma_at_the_edges() {
    let magnitudes = [
        0.0f32,
        f32::MIN_POSITIVE,
        f32::from_bits(0x00ff_ffff),
        1e-30,
        f32::from_bits(0x2000_0001),
        1.0 - f32::EPSILON / 2.0,
        1.0,
        1.0 + f32::EPSILON,
        1.0 + 4097.0 * f32::EPSILON,
        4097.0 * 0.5,
        f32::from_bits(0x3fff_ffff),
        f32::EPSILON,
        f32::EPSILON / 4.0,
        16_777_215.0,
        33_554_430.0,
        f32::from_bits(0x5f7f_ffff),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let values: Vec<f32> = magnitudes.iter().flat_map(|v| [*v, -*v]).collect();
    let tiny = |v: f32| v.is_subnormal() || v != 0.0 && v.abs() <= f32::MIN_POSITIVE;
    let mut triples: Vec<[f32; 3]> = Vec::new();
    for x in &values {
        for y in &values {
            triples.extend(values.iter().map(|z| [*x, *y, *z]));
            // The sums that cancel, and those that lie half-way.
            let product = x * y;
            let next = f32::from_bits(product.to_bits() ^ 1);
            triples.extend([product, -product, next, -next, product * f32::EPSILON].map(|z| [*x, *y, z]));
        }
    }
    triples.retain(|[x, y, z]| !tiny(*z) && (x * y == 0.0 || !tiny(x * y)) && !tiny(x.mul_add(*y, *z)));
    let bits: Vec<u32> = triples
        .iter()
        .map(|[x, y, z]| {
            let result = x.mul_add(*y, *z);
            if result.is_nan() { 0x7fc0_0000 } else { result.to_bits() }
        })
        .collect();
    let operand = |n: usize| from_f32s("float", &triples.iter().map(|t| t[n]).collect::<Vec<_>>());
    Program {
        file: "fused.cl",
        kernel: "fused",
        global: &[triples.len() as u64],
        local: None,
        args: vec![
            ("x", buffer(&operand(0))),
            ("y", buffer(&operand(1))),
            ("z", buffer(&operand(2))),
            ("bits", buffer(&zeros("uint", triples.len()))),
        ],
        expect: vec![("bits", from_u32s("uint", &bits), Tolerance::Exact)],
        options: &[],
    }
    .check();
}

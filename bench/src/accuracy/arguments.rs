//! Arguments for the functions of which not every one can be tried.

use super::functions::Takes;
use super::reference::Args;
use super::{Type, power};

/// A small generator of random numbers (splitmix64): the same arguments in every run.
pub struct Random(pub u64);

impl Random {
    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// In [0, 1).
    fn part(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * power(-53)
    }

    /// Below n.
    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }
}

/// Numbers at which functions have edges.
#[must_use]
pub fn special(ty: Type) -> Vec<f64> {
    let largest = ty.largest();
    let mut all = vec![
        0.0,
        ty.value(1),
        ty.value(ty.bits(ty.least()) - 1),
        ty.least() / 2.0,
        ty.least(),
        ty.least() * 4.0,
        1.0 - ty.epsilon() / 2.0,
        1.0,
        1.0 + ty.epsilon(),
        0.25,
        0.5,
        1.5,
        2.0,
        2.5,
        3.0,
        7.0,
        10.0,
        100.0,
        std::f64::consts::PI,
        std::f64::consts::FRAC_PI_2,
        std::f64::consts::FRAC_PI_4,
        std::f64::consts::E,
        // Around the last numbers with fractions, and the last odd ones.
        power(ty.digits() - 1) - 0.5,
        power(ty.digits()) - 1.0,
        power(ty.digits()),
        power(ty.digits()) + 2.0,
        largest / 2.0,
        largest,
        f64::INFINITY,
    ];
    all = all.into_iter().map(|x| ty.round(x)).collect();
    let negative: Vec<f64> = all.iter().map(|x| -x).collect();
    all.extend(negative);
    all.push(f64::NAN);
    all
}

const INTEGERS: &[i32] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    4,
    5,
    -5,
    7,
    10,
    -10,
    23,
    24,
    25,
    52,
    53,
    100,
    -100,
    126,
    -126,
    127,
    -127,
    128,
    -149,
    150,
    -150,
    300,
    -300,
    1000,
    -1000,
    1074,
    -1074,
    2000,
    -2100,
    16_777_215,
    16_777_217,
    -16_777_217,
    i32::MAX,
    i32::MIN,
];

/// The arguments of a function: special ones in every combination, and so many random ones.
#[must_use]
pub fn arguments(ty: Type, takes: Takes, count: usize) -> Vec<Args> {
    let special = special(ty);
    let mut all = Vec::new();
    let mut add = |x: [f64; 3], n| all.push(Args { x, n, ty });
    for &x in &special {
        match takes {
            Takes::X => add([x, 0.0, 0.0], 0),
            Takes::Xn => INTEGERS.iter().for_each(|n| add([x, 0.0, 0.0], *n)),
            Takes::Xy => special.iter().for_each(|y| add([x, *y, 0.0], 0)),
            Takes::Xyz => {
                // All three at once would be too many for MPFR.
                for (i, y) in special.iter().enumerate() {
                    special.iter().skip(i % 3).step_by(3).for_each(|z| add([x, *y, *z], 0));
                }
            }
        }
    }
    let mut random = Random(1);
    while all.len() < count {
        all.push(at_random(ty, takes, &mut random));
    }
    all
}

fn at_random(ty: Type, takes: Takes, random: &mut Random) -> Args {
    let mut x = [0.0; 3];
    for lane in 0..3 {
        let before = if lane == 0 { 1.0 } else { x[lane - 1] };
        x[lane] = one(ty, random, before);
    }
    let n = match random.below(3) {
        0 => random.bits() as i32 >> random.below(32),
        1 => random.below(41) as i32 - 20,
        _ => {
            // What keeps powers of x in range.
            let most = f64::from(-ty.least_exponent()) / x[0].abs().log2().abs().max(1e-3);
            ((random.part() * 2.2 - 1.1) * most).clamp(-2e9, 2e9) as i32
        }
    };
    match takes {
        Takes::X => Args { x: [x[0], 0.0, 0.0], n: 0, ty },
        Takes::Xn => Args { x: [x[0], 0.0, 0.0], n, ty },
        Takes::Xy => Args { x: [x[0], x[1], 0.0], n: 0, ty },
        Takes::Xyz => Args { x, n: 0, ty },
    }
}

/// A number: any bits, near 1, of a middling size, a multiple of a quarter, near the one before, or what keeps the one before
/// raised to it in range.
fn one(ty: Type, random: &mut Random, before: f64) -> f64 {
    let sign = if random.bits() & 1 == 0 { 1.0 } else { -1.0 };
    let value = match random.below(6) {
        0 => return ty.value(random.bits() >> (64 - 8 * ty.bytes() as u32)),
        1 => 1.0 + sign * power(-(random.below(ty.digits() as u64) as i32)) * random.part(),
        2 => sign * (1.0 + random.part()) * power(random.below(24) as i32 - 12),
        3 => sign * random.below(800) as f64 / 4.0,
        4 => before * (1.0 + sign * power(-(random.below(ty.digits() as u64) as i32)) * random.part()),
        _ => {
            (random.part() * 2.2 - 1.1) * f64::from(-ty.least_exponent())
                / before.abs().log2().abs().max(1e-6)
        }
    };
    ty.round(value)
}

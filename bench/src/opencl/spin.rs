//! A kernel that runs for a wanted time, which is found out on the device: what is measured beside it must not depend on how
//! fast the device is.

use std::time::{Duration, Instant};

use super::{Arg, Buffer, Kernel, Place, Queue, Result, Session};

/// The source of the kernels that the runtime's measurements use.
pub const SOURCE: &str = include_str!("../../kernels/runtime.cl");

/// The most turns of a work-item on a CPU: some drivers end a loop after 65,535.
const MAX_ON_CPU: usize = 60_000;
/// Steps of the generator in one turn.
const STEPS: usize = 64;

/// A kernel that runs for a time.
pub struct Spin<'s> {
    kernel: Kernel<'s>,
    out: Buffer<'s>,
    shape: Shape,
}

/// This many work-groups of one work-item, each with so many turns.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    groups: usize,
    turns: usize,
}

/// How long turns take on a device.
struct Pace {
    /// Nanoseconds of a turn of one work-item.
    turn: f64,
    /// The most turns of a work-item.
    most: usize,
    /// Work-groups that run at once.
    units: usize,
}

impl<'s> Spin<'s> {
    /// Makes one that runs for about so long.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn new(session: &'s Session, time: Duration) -> Result<Self> {
        let pace = Pace::measure(session)?;
        let wanted = (time.as_nanos() as f64 / pace.turn).max(1.0) as usize;
        let groups = match wanted.div_ceil(pace.most) {
            1 => 1,
            rounds => rounds * pace.units,
        };
        let turns = wanted.div_ceil(wanted.div_ceil(pace.most));
        Self::shaped(session, Shape { groups, turns })
    }

    /// The number that makes it run so long.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// One that runs as long as another one on the same device.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn shaped(session: &'s Session, shape: Shape) -> Result<Self> {
        let Shape { groups, turns } = shape;
        let kernel = session.kernel(SOURCE, "spin", "")?;
        let out = session.buffer(groups * 4, Place::Device)?;
        kernel.set(&[Arg::Buffer(&out), Arg::Value(&(turns as u32).to_le_bytes())])?;
        Ok(Self { kernel, out, shape })
    }

    /// Enqueues it.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn launch(&self, queue: &Queue<'_>) -> Result<()> {
        queue.launch(&self.kernel, self.shape.groups, 1, &[])
    }

    /// Enqueues it with an event.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn watched<'q>(&self, queue: &Queue<'q>) -> Result<super::Event<'q>> {
        queue.watched(&self.kernel, self.shape.groups, 1, &[])
    }

    /// Returns whether the last launch, which must be complete, left what the generator gives; clears it.
    ///
    /// # Errors
    /// A difference, or what the library fails with.
    pub fn check(&self) -> Result<()> {
        let mut bytes = vec![0; self.out.size];
        self.out.read(0, &mut bytes)?;
        let jump = Jump::of(self.shape.turns * STEPS);
        for (item, word) in (1..).zip(bytes.as_chunks().0) {
            let (found, right) = (u32::from_le_bytes(*word), jump.apply(item));
            if found != right {
                return Err(format!("spin: item {} has {found:#x}, not {right:#x}", item - 1));
            }
        }
        bytes.fill(0);
        self.out.write(0, &bytes)
    }
}

impl Pace {
    fn measure(session: &Session) -> Result<Self> {
        let cpu = session.is_cpu()?;
        let units = if cpu { session.compute_units()?.max(1) } else { 1 };
        let most = if cpu { MAX_ON_CPU } else { 1 << 30 };
        let queue = session.new_queue()?;
        let time = |turns: usize| -> Result<f64> {
            let spin = Spin::shaped(session, Shape { groups: 1, turns })?;
            let mut best = f64::MAX;
            for _ in 0..4 {
                let start = Instant::now();
                spin.launch(&queue)?;
                queue.finish()?;
                best = best.min(start.elapsed().as_nanos() as f64);
            }
            Ok(best)
        };
        // Until a launch takes several milliseconds: then what a launch costs in itself no longer counts, and clocks are up.
        let mut turns = 512;
        let mut once = time(turns)?;
        while once < 4e6 && turns * 2 <= most {
            turns *= 2;
            once = time(turns)?;
        }
        let half = time(turns / 2)?;
        let turn = ((once - half) / (turns - turns / 2) as f64).max(once / turns as f64 / 4.0);
        Ok(Self { turn, most, units })
    }
}

/// Many steps of the generator at once: it is linear over bits, so that its steps are a matrix (a word for each input bit).
struct Jump([u32; 32]);

impl Jump {
    fn of(mut steps: usize) -> Self {
        let mut result = Self(std::array::from_fn(|bit| 1 << bit));
        let mut power = Self(std::array::from_fn(|bit| step(1 << bit)));
        while steps > 0 {
            if steps & 1 == 1 {
                result = power.after(&result);
            }
            power = power.after(&power);
            steps >>= 1;
        }
        result
    }

    fn apply(&self, value: u32) -> u32 {
        (0..32).filter(|bit| value >> bit & 1 == 1).fold(0, |sum, bit| sum ^ self.0[bit])
    }

    /// This one after the other one.
    fn after(&self, other: &Self) -> Self {
        Self(other.0.map(|column| self.apply(column)))
    }
}

/// One step, as the kernel does it.
fn step(mut x: u32) -> u32 {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_its_steps() {
        for steps in [0, 1, 2, 63, 64, 1000] {
            let jump = Jump::of(steps);
            for seed in [1u32, 2, 77, u32::MAX] {
                assert_eq!(jump.apply(seed), (0..steps).fold(seed, |x, _| step(x)));
            }
        }
    }
}

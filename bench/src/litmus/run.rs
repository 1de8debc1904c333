//! Builds the tests, launches them and counts outcomes.

use super::shapes::{Item, Location, Order, Outcome, SHAPES, Shape, Way, weakened};
use super::source::{self, Memory, Scope, Site};
use crate::opencl::{Arg, Buffer, Kernel, Place, Result, Session};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

/// A test in one way, at one site.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// The work.
    pub shape: &'static Shape,
    /// How the order is asked for.
    pub way: Way,
    /// The order.
    pub order: Order,
    /// Scope and memory.
    pub site: Site,
}

impl Config {
    /// Its name: `SB seq_cst fences, device`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {} {}, {}", self.shape.name, self.order.name(), self.way.name(), self.site.name())
    }
}

/// All tests whose outcome is forbidden.
#[must_use]
pub fn configs() -> Vec<Config> {
    let mut all = Vec::new();
    for site in Site::ALL {
        for shape in SHAPES {
            let orders: &[Order] =
                if shape.least == Order::AcqRel { &[Order::AcqRel, Order::SeqCst] } else { &[shape.least] };
            for order in orders {
                for way in shape.ways {
                    let config = Config { shape, way: *way, order: *order, site };
                    if is_forbidden(&config) {
                        all.push(config);
                    }
                }
            }
        }
    }
    all
}

/// Returns whether the order forbids the outcome at that site. Acquire and release of a local object order local memory alone (OpenCL API,
/// "Memory Ordering Rules"), seq_cst orders both, and a fence what its flags say. An outcome that a weaker order forbids already is
/// tried with a stronger one by accesses alone.
fn is_forbidden(config: &Config) -> bool {
    let shape = config.shape;
    let own_orders = shape.threads.iter().flat_map(|t| t.iter()).any(|(_, own)| own.is_some());
    if config.site.memory == Memory::Mixed
        && (!shape.has_y()
            || own_orders
            || config.order == Order::Relaxed
            || config.order == Order::AcqRel && config.way != Way::Fences)
    {
        return false;
    }
    config.order == shape.least || config.way == Way::Accesses
}

/// How much is run.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Runs of each test.
    pub runs: u64,
    /// Runs of each weakened form; less where it is seen before.
    pub weak_runs: u64,
    /// Instances of a launch: a power of two.
    pub instances: usize,
    /// Size of work-groups: a power of two.
    pub group_size: usize,
    /// The device is a processor with so many threads: tests of no more work-items in several work-groups are run with each role in a
    /// thread of its own.
    pub cpu_threads: usize,
    /// Threads that build.
    pub builders: usize,
    /// When to stop: tests that are not begun then are left out.
    pub end: Instant,
}

/// Instances of a launch with each role in a thread of its own; few enough for drivers that end long loops.
const ALIGNED: usize = 256;

impl Effort {
    /// Returns whether a test's roles are each in a thread.
    fn aligns(&self, config: &Config) -> bool {
        is_across(config.site) && config.shape.threads.len() <= self.cpu_threads
    }
}

/// How often something was run, and how often the outcome was seen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Count {
    /// Runs.
    pub runs: u64,
    /// Runs with the outcome.
    pub seen: u64,
    /// Different outcomes.
    pub outcomes: usize,
}

/// The result of a test.
#[derive(Debug)]
pub enum Report {
    /// Counts: as it is, and weakened: in all work-items first, then (for seq_cst) in all to relaxed, then in each.
    Ran(Count, Vec<Count>),
    /// The library does not build it.
    Skipped(String),
}

/// Kernels of a test: as it is, and the weakened ones.
type Built<'s> = (usize, Result<Vec<Kernel<'s>>>);

/// Runs tests, and tells of each.
///
/// # Errors
/// What the library fails with, but for builds.
pub fn run(
    session: &Session,
    configs: &[Config],
    effort: &Effort,
    tell: &mut dyn FnMut(&Config, &Report),
) -> Result<()> {
    let bench = Bench::new(session, effort)?;
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        // Built ahead, but not too far.
        let (sender, receiver) = sync_channel::<Built<'_>>(2 * effort.builders);
        for _ in 0..effort.builders {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(config) = configs.get(index).filter(|_| Instant::now() < effort.end) else {
                        return;
                    };
                    if sender.send((index, build(session, config, effort))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        measure(&bench, configs, effort, &receiver, tell)
    })
}

fn measure(
    bench: &Bench<'_>,
    configs: &[Config],
    effort: &Effort,
    receiver: &Receiver<Built<'_>>,
    tell: &mut dyn FnMut(&Config, &Report),
) -> Result<()> {
    for (index, built) in receiver {
        let config = &configs[index];
        let kernels = match built {
            Ok(kernels) => kernels,
            Err(why) => {
                tell(config, &Report::Skipped(why));
                continue;
            }
        };
        let Some((first, weak)) = kernels.split_first() else { continue };
        let aligned = effort.aligns(config);
        let count = bench.count((first, aligned), config, effort.runs, false)?;
        let weak = weak.iter().map(|k| bench.count((k, aligned), config, effort.weak_runs, true));
        let weak = weak.collect::<Result<Vec<Count>>>()?;
        tell(config, &Report::Ran(count, weak));
    }
    Ok(())
}

/// Builds a test and its weakened forms.
fn build<'s>(session: &'s Session, config: &Config, effort: &Effort) -> Result<Vec<Kernel<'s>>> {
    let items = config.shape.items(config.way, config.order);
    let mut all: Vec<Vec<Vec<Item>>> = vec![items.clone()];
    if config.order != Order::Relaxed {
        all.push(weakened(&items, None));
        if config.order == Order::SeqCst {
            all.push(weakened(&all[1], None));
        }
        for thread in 0..items.len() {
            let weak = weakened(&items, Some(thread));
            if weak != items && !all.contains(&weak) {
                all.push(weak);
            }
        }
    }
    let aligned = effort.aligns(config);
    let build = |items: &Vec<Vec<Item>>| {
        let text = if aligned {
            source::aligned_kernel(items, config.site)
        } else {
            source::kernel(items, config.site, effort.group_size)
        };
        session.kernel(&text, "run", "-cl-std=CL3.0")
    };
    all.iter().map(build).collect()
}

/// The buffers and the kernel that counts.
struct Bench<'s> {
    session: &'s Session,
    judge: Kernel<'s>,
    memory: Buffer<'s>,
    out: Buffer<'s>,
    scratch: Buffer<'s>,
    bins: Buffer<'s>,
    instances: usize,
    group_size: usize,
    random: Mutex<Random>,
}

/// The widest distance of two instances' locations, in words.
const WIDEST: u32 = 16;
const BINS: usize = 4096;

impl<'s> Bench<'s> {
    fn new(session: &'s Session, effort: &Effort) -> Result<Self> {
        let words = |count: usize| -> Result<Buffer<'s>> {
            let buffer = session.buffer(4 * count, Place::Device)?;
            buffer.fill(&[0; 4], 0, 4 * count)?;
            Ok(buffer)
        };
        let n = effort.instances;
        Ok(Bench {
            session,
            judge: session.kernel(source::JUDGE, "judge", "")?,
            memory: words(2 * n * WIDEST as usize)?,
            out: words(6 * n)?,
            scratch: words(source::SCRATCH)?,
            bins: words(BINS)?,
            instances: n,
            group_size: effort.group_size,
            random: Mutex::new(Random(0x1234_5678_9abc_def1, 0)),
        })
    }

    /// Runs a test so often, or until the outcome is seen.
    fn count(
        &self,
        (kernel, aligned): (&Kernel<'_>, bool),
        config: &Config,
        runs: u64,
        until_seen: bool,
    ) -> Result<Count> {
        let n = if aligned { ALIGNED } else { self.instances };
        self.out.fill(&[0; 4], 0, self.out.size)?;
        let mut total = Count::default();
        // A weakened form is looked at now and then.
        let step = if until_seen { (runs / 8).max(1) } else { runs };
        let mut bytes = vec![0; 4 * BINS];
        while total.runs < runs && !(until_seen && total.seen > 0) {
            self.bins.fill(&[0; 4], 0, 4 * BINS)?;
            let mut now = 0;
            while now < step {
                self.launch((kernel, aligned), config, n)?;
                now += n as u64;
                // Not too much is queued at once.
                if (now / n as u64).is_multiple_of(64) {
                    self.session.finish()?;
                }
            }
            self.bins.read(0, &mut bytes)?;
            let counts = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            let mut sum = 0;
            total.outcomes = 0;
            for (index, count) in counts.enumerate().filter(|(_, c)| *c > 0) {
                sum += u64::from(count);
                total.outcomes += 1;
                if (config.shape.forbidden)(&outcome(index)) {
                    total.seen += u64::from(count);
                }
            }
            if sum != now {
                return Err(format!("{}: {sum} outcomes of {now} runs", config.name()));
            }
            total.runs += now;
        }
        Ok(total)
    }

    /// One launch, with new roles and places, and one that counts.
    fn launch(
        &self,
        (kernel, aligned): (&Kernel<'_>, bool),
        config: &Config,
        instances: usize,
    ) -> Result<()> {
        let mut random = self.random.lock().map_err(|_| "a thread panicked")?;
        let (n, group) = (instances as u32, self.group_size as u32);
        let mut four = |odd: u32| {
            let values =
                [random.below(n) | odd, random.below(n) | odd, random.below(n) | odd, random.below(n) | odd];
            values.map(u32::to_le_bytes).concat()
        };
        let (a, b) = (four(1), four(0));
        // Instances are shared by 2 to all work-groups.
        let widest = (n / group).trailing_zeros().max(1);
        let among = group << (1 + random.below(widest)).min(widest);
        let stride = 1u32 << random.below(WIDEST.trailing_zeros() + 1);
        let (ya, yb) = (random.below(n) | 1, random.below(n));
        let groups = n / group;
        let busy = [0, groups / 16, groups / 8, groups / 4][random.below(4) as usize];
        let (work, lines) = (64 << random.below(4), (1 << random.below(10)) - 1);
        let pause = [0, 3, 15][random.below(3) as usize];
        // A role in a thread of its own counts its instances from here.
        random.1 = random.1.wrapping_add(n);
        let seed = if aligned { random.1 } else { random.below(u32::MAX) };
        let word = |value: u32| value.to_le_bytes();
        let (size, mask, far, base) = (word(n), word(among - 1), word(stride), word(n * WIDEST));
        let (ya, yb, busy_word) = (word(ya), word(yb), word(busy));
        let (work, lines, pause, seed) = (word(work), word(lines), word(pause), word(seed));
        kernel.set(&[
            Arg::Buffer(&self.memory),
            Arg::Buffer(&self.out),
            Arg::Buffer(&self.scratch),
            Arg::Value(&size),
            Arg::Value(&a),
            Arg::Value(&b),
            Arg::Value(&mask),
            Arg::Value(&far),
            Arg::Value(&base),
            Arg::Value(&ya),
            Arg::Value(&yb),
            Arg::Value(&busy_word),
            Arg::Value(&work),
            Arg::Value(&lines),
            Arg::Value(&pause),
            Arg::Value(&seed),
        ])?;
        if aligned {
            kernel.launch(&[config.shape.threads.len()], Some(&[1]))?;
        } else {
            let work_items = instances + (busy as usize) * self.group_size;
            kernel.launch(&[work_items], Some(&[self.group_size]))?;
        }
        let is_local = |location, bit| if config.site.is_local(location) { bit } else { 0u32 };
        let locals = word(is_local(Location::X, 1) | is_local(Location::Y, 2));
        self.judge.set(&[
            Arg::Buffer(&self.memory),
            Arg::Buffer(&self.out),
            Arg::Buffer(&self.bins),
            Arg::Value(&size),
            Arg::Value(&far),
            Arg::Value(&base),
            Arg::Value(&ya),
            Arg::Value(&yb),
            Arg::Value(&locals),
        ])?;
        self.judge.launch(&[instances], Some(&[self.group_size]))
    }
}

fn outcome(index: usize) -> Outcome {
    let bits = |at: usize| (index >> (2 * at) & 3) as u32;
    Outcome { registers: [bits(0), bits(1), bits(2), bits(3)], x: bits(4), y: bits(5) }
}

/// Numbers that look random, and a count.
struct Random(u64, u32);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(end.max(1))) as u32
    }
}

/// Returns whether a site's roles are in several work-groups.
#[must_use]
pub fn is_across(site: Site) -> bool {
    matches!(site.scope, Scope::Device | Scope::AllDevices)
}

/// The end of so much time from now.
#[must_use]
pub fn end_in(seconds: u64) -> Instant {
    Instant::now() + Duration::from_secs(seconds)
}

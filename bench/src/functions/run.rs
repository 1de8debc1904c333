//! The device's features, the jobs, and their running.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use opencl_sys as cl;

use super::report::{Class, Family, Report};
use super::shapes::Shape;
use super::values::Ty;
use super::{atomics, conversions, copies, integers, relational, subgroups, vectors, workgroups};
use crate::opencl::{Result, Session};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Every family once.
    Quick,
    /// Every family, type and width; every class of sizes for each function of groups, two for others.
    Usual,
    /// Every size.
    All,
}

/// The features that the device reports.
#[derive(Debug, Clone)]
pub struct Claims {
    extensions: BTreeSet<String>,
    features: BTreeSet<String>,
    configs: [u64; 3],
    /// The most work-items of a sub-group; 0 where there are none.
    pub sub_group: usize,
    /// The most work-items of a work-group.
    pub work_group: usize,
    cut: bool,
    /// CL_DEVICE_{SINGLE, DOUBLE, HALF}_FP_ATOMIC_CAPABILITIES_EXT.
    pub float_atomics: [u64; 3],
    collectives: bool,
}

const CL_DEVICE_OPENCL_C_FEATURES: u32 = 0x106F;
const CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: u32 = 0x1068;
const CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT: u32 = 0x1065;
const CL_DEVICE_FP_ATOMIC_CAPABILITIES_EXT: [u32; 3] = [0x4231, 0x4232, 0x4233];

impl Claims {
    fn new(session: &Session) -> Claims {
        let bytes = |what| session.info(what).unwrap_or_default();
        let number = |what| bytes(what).iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        let extensions: BTreeSet<String> =
            text(&bytes(cl::CL_DEVICE_EXTENSIONS)).split_whitespace().map(str::to_owned).collect();
        // A version and 64 characters each.
        let features = bytes(CL_DEVICE_OPENCL_C_FEATURES).chunks_exact(68).map(|f| text(&f[4..])).collect();
        let work_group = number(cl::CL_DEVICE_MAX_WORK_GROUP_SIZE) as usize;
        let most = number(cl::CL_DEVICE_MAX_NUM_SUB_GROUPS) as usize;
        Claims {
            configs: [
                cl::CL_DEVICE_HALF_FP_CONFIG,
                cl::CL_DEVICE_SINGLE_FP_CONFIG,
                cl::CL_DEVICE_DOUBLE_FP_CONFIG,
            ]
            .map(number),
            sub_group: work_group.checked_div(most).unwrap_or(0),
            work_group,
            cut: number(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) != 0,
            float_atomics: CL_DEVICE_FP_ATOMIC_CAPABILITIES_EXT.map(number),
            collectives: number(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT) != 0,
            extensions,
            features,
        }
    }

    pub fn has(&self, extension: &str) -> bool {
        match extension {
            "" => true,
            "sub-groups" => self.sub_group > 0,
            "work-group functions" => self.collectives,
            _ => self.extensions.contains(extension) || self.features.contains(extension),
        }
    }

    pub fn ty(&self, ty: Ty) -> bool {
        match ty {
            Ty::Half => self.has("cl_khr_fp16"),
            Ty::Double => self.configs[2] != 0,
            _ => true,
        }
    }

    /// The types of a list that the device has.
    pub fn types(&self, of: &[Ty]) -> Vec<Ty> {
        of.iter().copied().filter(|ty| self.ty(*ty)).collect()
    }

    /// Returns whether the device computes with denormals of the type; integers have none.
    pub fn denormals(&self, ty: Ty) -> bool {
        let config = match ty {
            Ty::Half => self.configs[0],
            Ty::Float => self.configs[1],
            Ty::Double => self.configs[2],
            _ => return true,
        };
        config & cl::CL_FP_DENORM != 0
    }
}

/// A device and how it is tried.
pub struct Bench {
    pub session: Session,
    pub claims: Claims,
    pub options: &'static str,
    pub effort: Effort,
}

impl Bench {
    fn new(session: Session, effort: Effort) -> Bench {
        let claims = Claims::new(&session);
        let options = if claims.features.is_empty() { "-cl-std=CL1.2" } else { "-cl-std=CL3.0" };
        Bench { session, claims, options, effort }
    }

    /// Text with the pragmas that its types want.
    pub fn source(&self, text: &str) -> String {
        let mut source = String::new();
        for name in
            ["cl_khr_fp16", "cl_khr_fp64", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]
        {
            if self.claims.has(name) {
                source += &format!("#pragma OPENCL EXTENSION {name} : enable\n");
            }
        }
        source + text
    }

    /// The launches of a job, by its number, from a list: one, some of them, or all.
    pub fn shapes(&self, list: &[Shape], turn: usize) -> Vec<Shape> {
        let fits = |s: &&Shape| s.size() <= self.claims.work_group && (self.claims.cut || !s.is_cut());
        let list: Vec<Shape> = list.iter().filter(fits).copied().collect();
        // Those of groups are more than those of items: a class each.
        let usual = if list.len() > 9 { 5 } else { 2 };
        let count = match self.effort {
            Effort::Quick => 1,
            Effort::Usual => usual,
            Effort::All => list.len(),
        };
        if usual == 2 && self.effort == Effort::Usual {
            // Whole sub-groups and another one.
            return vec![list[0], list[1 + turn % (list.len() - 1)]];
        }
        let mut seen: Vec<Class> = Vec::new();
        let mut chosen = Vec::new();
        for k in 0..list.len() {
            let shape = list[(turn * 3 + k) % list.len()];
            let class = shape.class(self.claims.sub_group);
            if chosen.len() < count && (self.effort == Effort::All || !seen.contains(&class)) {
                seen.push(class);
                chosen.push(shape);
            }
        }
        chosen
    }
}

/// A kernel with its launches and comparisons.
pub type Work = Box<dyn Fn(&Bench, usize, &mut Report) -> Result<()> + Send + Sync>;

/// One job.
pub struct Job {
    pub families: Vec<Family>,
    /// How large the kernel is, about.
    pub cost: usize,
    pub work: Work,
}

/// The jobs of a device, and the families that it does not claim.
#[derive(Default)]
pub struct Jobs {
    pub list: Vec<Job>,
    pub absent: Vec<Family>,
}

impl Jobs {
    /// Returns whether the device has what a family needs; if not that is noted.
    pub fn claimed(&mut self, claims: &Claims, needs: &str, family: &Family) -> bool {
        let has = claims.has(needs);
        if !has {
            self.absent.push(family.clone());
        }
        has
    }
}

/// The request of the command.
pub struct Settings<'a> {
    /// How much.
    pub effort: Effort,
    /// Only families with one of these in their names.
    pub only: &'a [String],
    /// This many at once.
    pub threads: usize,
    /// Begins no job after so many seconds.
    pub seconds: Option<u64>,
    /// The k-th part of n of the kernels.
    pub part: Option<(usize, usize)>,
    /// Tells of each kernel how long it took.
    pub times: bool,
}

fn jobs(claims: &Claims, effort: Effort, only: &[String]) -> Jobs {
    let mut jobs = Jobs::default();
    subgroups::jobs(claims, &mut jobs);
    workgroups::jobs(claims, &mut jobs);
    integers::jobs(claims, &mut jobs);
    conversions::jobs(claims, &mut jobs);
    relational::jobs(claims, &mut jobs);
    vectors::jobs(claims, &mut jobs);
    copies::jobs(claims, &mut jobs);
    atomics::jobs(claims, &mut jobs);
    let wanted = |f: &Family| only.is_empty() || only.iter().any(|o| f.name().contains(o.as_str()));
    jobs.list.retain(|job| job.families.iter().any(wanted));
    jobs.absent.retain(wanted);
    if effort == Effort::Quick {
        // Kernels of every sort, small ones first, until each family has one.
        let mut order: Vec<usize> = (0..jobs.list.len()).collect();
        order.sort_by_key(|n| (jobs.list[*n].cost / 16, n.wrapping_mul(0x9e37_79b1) % 1009));
        let mut seen = BTreeSet::new();
        let mut kept = BTreeSet::new();
        for n in order {
            let news = jobs.list[n].families.iter().filter(|f| seen.insert((*f).clone())).count();
            if news > 0 {
                kept.insert(n);
            }
        }
        let mut n = 0;
        jobs.list.retain(|_| (kept.contains(&n), n += 1).0);
    }
    jobs
}

/// The shared state of the threads.
struct Shared {
    jobs: Vec<Job>,
    next: AtomicUsize,
    step: usize,
    report: Mutex<Report>,
    /// Jobs that were begun and not ended.
    running: Mutex<BTreeSet<usize>>,
    start: Instant,
    seconds: Option<u64>,
    part: Option<(usize, usize)>,
    times: bool,
}

/// Returns whether the n-th job is in a part. The number goes on counting in the others: it says which sizes are launched.
fn in_part(n: usize, part: Option<(usize, usize)>) -> bool {
    part.is_none_or(|(k, of)| n % of == k - 1)
}

/// A job's families, in words.
fn names(job: &Job) -> String {
    let names: BTreeSet<&str> = job.families.iter().map(Family::name).collect();
    names.into_iter().collect::<Vec<_>>().join(", ")
}

fn work(shared: &Shared, bench: &Bench) {
    let lock = |r: &Mutex<BTreeSet<usize>>, n, begins| {
        if let Ok(mut running) = r.lock() {
            if begins {
                running.insert(n)
            } else {
                running.remove(&n)
            };
        }
    };
    loop {
        let done = shared.next.fetch_add(1, Ordering::Relaxed);
        let over = shared.seconds.is_some_and(|s| shared.start.elapsed().as_secs() >= s);
        if done >= shared.jobs.len() || over {
            break;
        }
        let n = done * shared.step % shared.jobs.len();
        if !in_part(n, shared.part) {
            continue;
        }
        let job = &shared.jobs[n];
        let begin = Instant::now();
        lock(&shared.running, n, true);
        let mut report = Report::default();
        if let Err(message) = (job.work)(bench, n, &mut report) {
            report.failures.push(format!("{}: {message}", names(job)));
        }
        lock(&shared.running, n, false);
        if let Ok(mut all) = shared.report.lock() {
            all.merge(report);
        }
        if shared.times {
            let first = job.families.first().map_or("", Family::name);
            eprintln!("{:8.2} s: {n}, {first}", begin.elapsed().as_secs_f64());
        }
    }
}

/// How long a kernel may take beyond the time that was given.
const PATIENCE: u64 = 15;

/// Compares what the settings want; the second is the families without a comparison that should have had some.
///
/// # Errors
/// What the library fails with at once.
pub fn run(session: Session, settings: &Settings<'_>) -> Result<(Report, Vec<String>)> {
    let first = Bench::new(session, settings.effort);
    let jobs = jobs(&first.claims, settings.effort, settings.only);
    let mut benches = Vec::new();
    for _ in 1..settings.threads.max(1) {
        benches.push(Bench { session: first.session.another()?, claims: first.claims.clone(), ..first });
    }
    benches.push(first);
    let shared = Arc::new(Shared {
        next: AtomicUsize::new(0),
        // Of every sort some soon, for runs that end by the clock.
        step: [7919, 104_729, 1].into_iter().find(|s| !jobs.list.len().is_multiple_of(*s)).unwrap_or(1),
        jobs: jobs.list,
        report: Mutex::default(),
        running: Mutex::default(),
        start: Instant::now(),
        seconds: settings.seconds,
        part: settings.part,
        times: settings.times,
    });
    let threads: Vec<_> = benches
        .into_iter()
        .map(|bench| {
            let shared = shared.clone();
            std::thread::spawn(move || work(&shared, &bench))
        })
        .collect();
    // A kernel that never ends shall not keep the others' results.
    let late = || settings.seconds.is_some_and(|s| shared.start.elapsed().as_secs() >= s + PATIENCE);
    while !threads.iter().all(|t| t.is_finished()) && !late() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut report = shared.report.lock().map(|mut r| std::mem::take(&mut *r)).unwrap_or_default();
    let running = shared.running.lock().map(|r| r.clone()).unwrap_or_default();
    for n in running {
        report.failures.push(format!("job {n} does not end: {}", names(&shared.jobs[n])));
    }
    for thread in threads.into_iter().filter(|t| t.is_finished()) {
        if thread.join().is_err() {
            report.failures.push("a thread panicked".to_owned());
        }
    }
    let begun = shared.next.load(Ordering::Relaxed);
    if begun < shared.jobs.len() {
        report.failures.push(format!("the time is over after {begun} kernels of {}", shared.jobs.len()));
    }
    jobs.absent.into_iter().for_each(|f| report.absent(f));
    let compared: BTreeSet<Family> = report.families().into_iter().cloned().collect();
    let asked = shared.jobs.iter().enumerate().filter(|(n, _)| in_part(*n, settings.part));
    let wanted: BTreeSet<&Family> = asked.flat_map(|(_, j)| &j.families).collect();
    let missing = wanted.into_iter().filter(|f| !compared.contains(f)).map(|f| f.name().to_owned()).collect();
    Ok((report, missing))
}

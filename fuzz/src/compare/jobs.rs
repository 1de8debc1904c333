//! The parent's part of `fuzz compare`: shares out the seeds among children, and says what became of them.
//!
//! The work is done by child processes, since a driver that is given wrong code may end the process, lose the device or
//! never come back. A program whose child was ended is run again alone, in a new process with more time: what then ends
//! was slow or a child of its surroundings, what does not is a failure.

use super::summary::Sum;
use super::worker::{Reply, Request, Small};
use super::{SMALL, Settings, show};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// This many programs at a time go to a child.
const SHARE: u64 = 32;
/// A child is replaced after as many: what drivers never give back goes with it.
const RENEWED: u64 = 8192;
/// A child may take so long to open its device.
const OPENING: Duration = Duration::from_secs(300);
/// How often the parent says how far it is.
const REPORT: Duration = Duration::from_secs(10);
/// How long a child that was killed may take to go. In a driver's call it may never.
const DYING: Duration = Duration::from_secs(10);

/// The work.
pub(super) struct Plan<'a> {
    pub settings: &'a Settings,
    /// The child's command line.
    pub words: Vec<String>,
    /// The devices that the jobs are shared out to; one, which may be none in particular.
    pub devices: Vec<Option<String>>,
    pub jobs: usize,
    /// For one program.
    pub limit: Duration,
    /// A program that is run again gets so many times as long.
    pub again: u32,
    /// For all.
    pub time: Option<Duration>,
    /// For making one failure small.
    pub small: Duration,
}

struct Shared<'a> {
    plan: &'a Plan<'a>,
    start: Instant,
    state: Mutex<State>,
    /// For each device, held while a child opens it: drivers do that for one after another, and slowly.
    opening: Vec<Mutex<()>>,
}

struct State {
    next: u64,
    /// Seeds of jobs that could not go on.
    back: Vec<(u64, u64)>,
    sum: Sum,
    /// How many failures of a kind were made small.
    small: BTreeMap<String, u32>,
    reported: Instant,
    /// Why nothing can be compared at all.
    broken: Option<String>,
}

/// Runs all of it; whether every program was compared and agrees.
///
/// # Errors
/// A message for the user: no child can run anything.
pub(super) fn run(plan: &Plan<'_>) -> Result<bool, String> {
    let first = plan.settings.seed;
    let start = Instant::now();
    let state = State {
        next: first,
        back: vec![],
        sum: Sum::default(),
        small: BTreeMap::new(),
        reported: start,
        broken: None,
    };
    let opening = plan.devices.iter().map(|_| Mutex::default()).collect();
    let shared = Shared { plan, start, state: Mutex::new(state), opening };
    std::thread::scope(|scope| {
        for n in 0..plan.jobs.max(1) {
            let job = Job {
                shared: &shared,
                device: n % plan.devices.len().max(1),
                child: None,
                next: 0,
                found: vec![],
            };
            scope.spawn(|| job.all());
        }
    });
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(message) = state.broken.filter(|_| state.sum.done() == 0) {
        return Err(message);
    }
    println!("{}", state.sum.text(first, state.next, start.elapsed()));
    Ok(state.sum.is_good(state.next.wrapping_sub(first)))
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next seeds to try.
    fn share(&self) -> Option<(u64, u64)> {
        let mut state = self.lock();
        let end = self.plan.settings.seed.saturating_add(self.plan.settings.count);
        let late = self.plan.time.is_some_and(|t| self.start.elapsed() >= t);
        if late {
            return None;
        }
        if let Some(share) = state.back.pop() {
            return Some(share);
        }
        if state.next >= end {
            return None;
        }
        // Towards the end the shares are smaller, so that all jobs end together.
        let left = end - state.next;
        let fair = left.div_ceil(self.plan.jobs.max(1) as u64 * 2);
        let from = state.next;
        state.next += SHARE.min(fair).max(1);
        Some((from, state.next - from))
    }

    /// Takes in what was said of a program: how it fails, first.
    fn program(&self, seed: u64, said: Vec<Reply>) -> Option<String> {
        let mut state = self.lock();
        let kinds = state.sum.program(seed, said);
        for kind in &kinds {
            println!("seed {seed}: {kind}");
        }
        if state.reported.elapsed() > REPORT {
            state.reported = Instant::now();
            let done = state.sum.done();
            println!(
                "{done} programs, {:.1} a second, {} kinds of failures",
                done as f64 / self.start.elapsed().as_secs_f64(),
                state.sum.kinds()
            );
        }
        kinds.into_iter().next()
    }

    fn device(&self, left_out: String, name: String) {
        let mut state = self.lock();
        (state.sum.left_out, state.sum.device) = (left_out, name);
    }

    /// A job cannot go on.
    fn broken(&self, message: String, left: (u64, u64)) {
        let mut state = self.lock();
        println!("a job ends: {message}");
        state.back.push(left);
        state.broken.get_or_insert(message);
    }
}

/// A child and the pipes to it.
struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// Programs that it was request to run.
    given: u64,
}

/// How a child ended what it was request.
enum End {
    /// With all of it.
    Done,
    /// In the program of this seed, or before the first.
    Stopped(Option<u64>, Stop),
}

/// How it was stopped.
struct Stop {
    /// By the parent, since its time was over.
    late: bool,
    /// The stage and what happened; what is in parentheses differs from time to time.
    how: String,
}

impl Worker {
    fn start(words: &[String]) -> Result<Worker, String> {
        let me = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut child = Command::new(&me)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", me.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a child without pipes".to_owned());
        };
        let (send, lines) = channel();
        // It ends with the child, or with who listens.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Worker { child, input, lines, given: 0 })
    }

    /// Seconds of CPU time that the child has used, on Linux.
    fn computed(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        // The name, in parentheses, may hold anything; 14 and 15 of all are the times in hundredths of seconds.
        let rest = stat.rsplit_once(')').map_or("", |s| s.1);
        let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<u64>().ok()).sum();
        ticks as f64 / 100.0
    }

    /// Ends it, whatever it does.
    fn kill(mut self) {
        let _ = self.child.kill();
        let dying = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && dying.elapsed() < DYING {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets it end when it is through.
    fn dismiss(self, patience: Duration) {
        let Worker { mut child, input, lines, .. } = self;
        drop(input);
        while lines.recv_timeout(patience).is_ok() {}
        let _ = child.kill();
        let _ = child.wait();
    }
}

struct Job<'a> {
    shared: &'a Shared<'a>,
    device: usize,
    child: Option<Worker>,
    /// The next seed of its share.
    next: u64,
    /// Failures that are not small yet.
    found: Vec<(u64, String)>,
}

impl Job<'_> {
    fn all(mut self) {
        let limit = self.shared.plan.limit;
        while let Some((from, count)) = self.shared.share() {
            if let Err(message) = self.range(from, count).and_then(|()| self.make_small()) {
                return self.shared.broken(message, (self.next, from + count - self.next));
            }
            if self.child.as_ref().is_some_and(|c| c.given >= RENEWED)
                && let Some(child) = self.child.take()
            {
                child.dismiss(limit);
            }
        }
        if let Some(child) = self.child.take() {
            child.dismiss(limit);
        }
    }

    fn range(&mut self, from: u64, count: u64) -> Result<(), String> {
        let end = from + count;
        self.next = from;
        while self.next < end {
            match self.tell(&Request::Run(self.next, end - self.next), self.shared.plan.limit, &mut vec![])? {
                End::Done => return Ok(()),
                End::Stopped(None, stop) => return Err(format!("no program can be run: {}", stop.how)),
                End::Stopped(Some(seed), stop) => {
                    self.next = seed;
                    self.again(seed, stop)?;
                    self.next = seed + 1;
                }
            }
        }
        Ok(())
    }

    /// A program alone, in a process of its own and with more time.
    fn again(&mut self, seed: u64, first: Stop) -> Result<(), String> {
        println!("seed {seed}: {}; once more, alone", first.how);
        let end = self.tell(
            &Request::Run(seed, 1),
            self.shared.plan.limit.saturating_mul(self.shared.plan.again),
            &mut vec![],
        )?;
        if let Some(child) = self.child.take() {
            child.dismiss(self.shared.plan.limit);
        }
        let mut state = self.shared.lock();
        match end {
            End::Done if first.late => {
                println!("seed {seed}: slow, but it ends");
                state.sum.slow(seed);
            }
            End::Done => {
                println!("seed {seed}: it ends when it is run again");
                state.sum.unsteady(seed, first.how);
            }
            End::Stopped(_, Stop { how, .. }) => {
                println!("seed {seed}: {how}");
                let kind = kind(&how);
                state.sum.stopped(seed, kind);
                self.found.push((seed, kind.to_owned()));
                let mut settings = self.shared.plan.settings.clone();
                for name in state.sum.left_out.split(',') {
                    settings.features.without(name);
                }
                drop(state);
                if let Some(case) = show(seed, &settings.features, &format!("{how} (seed {seed})")) {
                    settings.keep(seed, &case);
                }
            }
        }
        Ok(())
    }

    /// Makes small what was found. A child may die of each program that is tried; the next one goes on.
    fn make_small(&mut self) -> Result<(), String> {
        for (seed, how) in std::mem::take(&mut self.found) {
            let shared = self.shared;
            let count = {
                let mut state = shared.lock();
                let count = state.small.entry(how.clone()).or_default();
                *count += 1;
                *count
            };
            if !shared.plan.settings.shrink || count > SMALL {
                continue;
            }
            let start = Instant::now();
            let mut small = Small { seed, seconds: 0, fails: vec![], kind: how };
            loop {
                small.seconds = shared.plan.small.saturating_sub(start.elapsed()).as_secs();
                let request = Request::Small(small.clone());
                match self.tell(&request, shared.plan.limit, &mut small.fails)? {
                    End::Done => break,
                    End::Stopped(None, stop) => return Err(format!("no program can be run: {}", stop.how)),
                    End::Stopped(Some(_), _) if small.seconds == 0 => break,
                    End::Stopped(Some(_), stop) => small.fails.push(kind(&stop.how) == small.kind),
                }
            }
            let (tried, failed) = (small.fails.len(), small.fails.iter().filter(|f| **f).count());
            let seconds = start.elapsed().as_secs();
            println!("seed {seed}: made small in {seconds} s; {failed} of {tried} smaller programs fail");
        }
        Ok(())
    }

    /// A child whose device is open: that takes no program's time.
    fn open(&self) -> Result<Worker, String> {
        let plan = self.shared.plan;
        let mut words = plan.words.clone();
        if let Some(Some(device)) = plan.devices.get(self.device) {
            words.extend(["--device".to_owned(), device.clone()]);
        }
        let _turn = self.shared.opening.get(self.device).map(|m| m.lock());
        let mut child = Worker::start(&words)?;
        loop {
            match child.lines.recv_timeout(OPENING) {
                Ok(line) => {
                    if let Some(Reply::Device(left_out, name)) = Reply::read(&line) {
                        self.shared.device(left_out, name);
                        return Ok(child);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    child.kill();
                    return Err(format!("no device within {} s", OPENING.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.child.wait().map_err(|e| e.to_string())?;
                    return Err(format!("no program can be run: the process dies: {status}"));
                }
            }
        }
    }

    /// Tells the child what to do, and listens to it; `tried` takes which programs fail that it tries.
    fn tell(&mut self, request: &Request, limit: Duration, tried: &mut Vec<bool>) -> Result<End, String> {
        let mut child = match self.child.take() {
            Some(child) => child,
            None => self.open()?,
        };
        if let Request::Run(_, count) = request {
            child.given += count;
        }
        // A child that is gone is noticed below.
        let _ = writeln!(child.input, "{}", request.line());
        let mut listener = Listener {
            shared: self.shared,
            seed: None,
            stage: String::new(),
            said: vec![],
            found: &mut self.found,
            tried,
        };
        let (mut begun, mut computed) = (Instant::now(), child.computed());
        loop {
            match child.lines.recv_timeout((begun + limit).saturating_duration_since(Instant::now())) {
                Ok(line) => match listener.hear(Reply::read(&line)) {
                    Heard::Begins => (begun, computed) = (Instant::now(), child.computed()),
                    Heard::Nothing => {}
                    Heard::Lost => {
                        child.kill();
                        return Ok(listener.stopped(false, "the device is lost"));
                    }
                    Heard::Ready => {
                        self.child = Some(child);
                        return Ok(End::Done);
                    }
                },
                Err(RecvTimeoutError::Timeout) => {
                    let how = format!(
                        "it does not end (within {} s, of which its process computed {:.0} s)",
                        limit.as_secs(),
                        child.computed() - computed
                    );
                    child.kill();
                    return Ok(listener.stopped(true, &how));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.child.wait().map_err(|e| e.to_string())?;
                    return Ok(listener.stopped(false, &format!("the process dies: {status}")));
                }
            }
        }
    }
}

/// How a program was stopped, without what differs from time to time.
fn kind(how: &str) -> &str {
    how.split_once(" (").map_or(how, |k| k.0)
}

/// The last report of a child.
enum Heard {
    Nothing,
    /// With a program, or with one more on the way to a small one.
    Begins,
    Lost,
    Ready,
}

/// Keeps what is said of a program until it is through.
struct Listener<'a> {
    shared: &'a Shared<'a>,
    seed: Option<u64>,
    stage: String,
    said: Vec<Reply>,
    found: &'a mut Vec<(u64, String)>,
    tried: &'a mut Vec<bool>,
}

impl Listener<'_> {
    fn hear(&mut self, said: Option<Reply>) -> Heard {
        match said {
            Some(Reply::Seed(seed)) => {
                self.seed = Some(seed);
                self.said.clear();
                return Heard::Begins;
            }
            Some(Reply::Stage(stage)) => self.stage = stage,
            Some(Reply::Tried(fails)) => {
                self.tried.push(fails);
                return Heard::Begins;
            }
            Some(Reply::Done) => {
                if let Some(seed) = self.seed {
                    let kind = self.shared.program(seed, std::mem::take(&mut self.said));
                    self.found.extend(kind.map(|kind| (seed, kind)));
                }
                return Heard::Begins;
            }
            Some(Reply::Lost) => return Heard::Lost,
            Some(Reply::Ready) => return Heard::Ready,
            Some(said) => self.said.push(said),
            None => {}
        }
        Heard::Nothing
    }

    fn stopped(&self, late: bool, how: &str) -> End {
        let stage = if self.stage.is_empty() { String::new() } else { format!("{}: ", self.stage) };
        End::Stopped(self.seed, Stop { late, how: format!("{stage}{how}") })
    }
}

//! An interpreter of the IR, for tests: functions are run before and after a pass, and the results compared.
//!
//! A pointer is a number: the region in the upper half, the offset in the lower. Lanes and bytes that
//! are undefined are `None`, and so is whatever is computed from them; branching on one ends the run
//! with [`End::Undefined`].

pub mod work_group;

use super::evaluate::{self, Evaluation};
use super::{
    AtomicOp, Block, Constant, Function, Inst, InstKind, Place, Root, Terminator, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;

pub use super::evaluate::Lanes;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With these results.
    Return(Vec<Lanes>),
    /// The fuel ran out.
    Fuel,
    /// With undefined behaviour.
    Undefined(&'static str),
}

/// A visible event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A store outside private memory.
    Store(u64, Vec<Option<u8>>),
    /// A barrier.
    Barrier,
}

/// A run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The visible events in order.
    pub trace: Vec<Event>,
    /// How it ended.
    pub end: End,
    /// The bytes outside private memory that it stored, as they are at the end.
    pub stored: FxHashMap<u64, Option<u8>>,
    /// The source of the bytes that it did not store.
    seed: u64,
}

impl Run {
    /// Whether `other` is a run that may stand for this one: the same, or better defined.
    pub fn allows(&self, other: &Run) -> bool {
        let byte = |a: &Option<u8>, b: &Option<u8>| a.is_none() || a == b;
        let event = |a: &Event, b: &Event| match (a, b) {
            (Event::Store(p, x), Event::Store(q, y)) => {
                p == q && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| byte(x, y))
            }
            _ => a == b,
        };
        let common = self.trace.iter().zip(&other.trace).all(|(a, b)| event(a, b));
        match (&self.end, &other.end) {
            (End::Undefined(_), _) => {
                common && (other.trace.len() >= self.trace.len() || other.end == End::Fuel)
            }
            (End::Fuel, _) | (_, End::Fuel) => common,
            (End::Return(a), End::Return(b)) => {
                common
                    && self.trace.len() == other.trace.len()
                    && a.len() == b.len()
                    && a.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| x.is_none() || x == y)
            }
            _ => false,
        }
    }

    /// Whether `other` returns the same and leaves the same memory, if this one returns: it may store less.
    pub fn leaves_as(&self, other: &Run) -> bool {
        let End::Return(results) = &self.end else { return true };
        let End::Return(others) = &other.end else { return false };
        let stands_for = |a: Option<u64>, b: Option<u64>| a.is_none() || a == b;
        let byte = |run: &Run, at: u64| run.stored.get(&at).copied().unwrap_or(Some(initial(run.seed, at)));
        let both = results.iter().flatten().zip(others.iter().flatten());
        both.into_iter().all(|(a, b)| stands_for(*a, *b))
            && self.stored.keys().chain(other.stored.keys()).all(|at| {
                let (a, b) = (byte(self, *at), byte(other, *at));
                a.is_none() || a == b
            })
    }
}

/// The byte that an argument region holds at first.
fn initial(seed: u64, at: u64) -> u8 {
    mix(at ^ seed) as u8
}

/// Where argument regions begin.
const FIRST_ARG: u64 = 1 << 20;

/// The pointer to the start of argument region `n`.
pub fn region(n: u64) -> u64 {
    (FIRST_ARG + n) << 32
}

struct Machine<'f> {
    function: &'f Function,
    values: Vec<Lanes>,
    memory: FxHashMap<u64, Option<u8>>,
    trace: Vec<Event>,
    seed: u64,
    /// The work-item functions with known results. Others give numbers made of the seed.
    properties: work_group::Properties,
    /// The index of the work-item.
    item: u64,
}

/// A well-mixed number.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Runs a function on arguments. Argument regions hold bytes made from `seed`.
pub fn run(function: &Function, args: &[Lanes], seed: u64, fuel: u64) -> Run {
    run_as_far(function, args, seed, fuel, usize::MAX)
}

/// The same, up to the block in which so many events are reached; the fuel is out then.
pub fn run_as_far(function: &Function, args: &[Lanes], seed: u64, mut fuel: u64, events: usize) -> Run {
    let mut m = Machine::new(function, args, seed);
    let mut block = function.entry();
    let end = loop {
        if fuel == 0 || m.trace.len() >= events {
            break End::Fuel;
        }
        fuel -= 1;
        if let Some(end) = function.blocks[block].insts.iter().find_map(|i| m.step(*i).err()) {
            break end;
        }
        match m.leave(block) {
            Ok(next) => block = next,
            Err(end) => break end,
        }
    };
    m.finish(end)
}

impl<'f> Machine<'f> {
    fn new(function: &'f Function, args: &[Lanes], seed: u64) -> Self {
        let mut values = vec![Vec::new(); function.values.len()];
        for (value, data) in function.values.iter() {
            if let ValueDef::Const(c) = data.def {
                let bits = match c {
                    Constant::Bits(b) => Some(b),
                    Constant::Undef => None,
                };
                values[value.0 as usize] = vec![bits; usize::from(data.ty.lanes())];
            }
        }
        for (param, arg) in function.params().iter().zip(args) {
            values[param.0 as usize] = arg.clone();
        }
        let (memory, properties) = Default::default();
        Machine { function, values, memory, trace: Vec::new(), seed, properties, item: 0 }
    }
}

impl Machine<'_> {
    fn finish(mut self, end: End) -> Run {
        self.memory.retain(|at, _| at >> 32 >= FIRST_ARG);
        Run { trace: self.trace, end, stored: self.memory, seed: self.seed }
    }

    fn get(&self, v: Value) -> &Lanes {
        &self.values[v.0 as usize]
    }

    /// The bits of a value.
    fn bits(&self, v: Value) -> Lanes {
        evaluate::bits(self.get(v), self.function.ty(v))
    }

    fn one(&self, v: Value) -> Option<u64> {
        self.get(v).first().copied().flatten()
    }

    fn leave(&mut self, block: Block) -> Result<Block, End> {
        let target = match &self.function.blocks[block].term {
            Terminator::Branch(t) => t,
            Terminator::CondBranch { cond, then, els } => match self.one(*cond) {
                None => return Err(End::Undefined("branch")),
                Some(0) => els,
                Some(_) => then,
            },
            Terminator::Switch { value, cases, default } => match self.one(*value) {
                None => return Err(End::Undefined("switch")),
                Some(v) => cases.iter().find(|c| c.0 == v).map_or(default, |c| &c.1),
            },
            Terminator::Return(values) => {
                return Err(End::Return(values.iter().map(|v| self.bits(*v)).collect()));
            }
            Terminator::Unreachable => return Err(End::Undefined("unreachable")),
        };
        let args: Vec<Lanes> = target.args.iter().map(|a| self.get(*a).clone()).collect();
        for (param, arg) in self.function.blocks[target.block].params.iter().zip(args) {
            self.values[param.0 as usize] = arg;
        }
        Ok(target.block)
    }

    fn address(&self, place: &Place) -> Option<u64> {
        match place {
            Place::Pointer(v) | Place::Address(v) => self.one(*v),
            Place::Element { root, scalar, lanes, index } => {
                let size = u64::from(scalar.bytes()) * u64::from(*lanes);
                Some(self.root(*root).wrapping_add(self.one(*index)?.wrapping_mul(size)))
            }
        }
    }

    fn root(&self, root: Root) -> u64 {
        match root {
            Root::Slot(s) => (self.item << 12 | u64::from(s.0 + 1)) << 32,
            Root::Global(g) => region(1000 + u64::from(g.0)),
            Root::Arg(n) => region(u64::from(n)),
            Root::LocalArg(n) => region(2000 + u64::from(n)),
            Root::LocalArena => region(1999),
            Root::Block => region(3000),
            Root::Constants => region(3001),
            Root::Globals => region(3002),
            Root::Printf => region(3003),
            Root::Sequence => region(3004),
            Root::Places => region(3005),
            Root::Window(n) => region(3006 + u64::from(n)),
        }
    }

    fn byte(&self, at: u64) -> Option<u8> {
        match self.memory.get(&at) {
            Some(byte) => *byte,
            None if at >> 32 >= FIRST_ARG => Some(initial(self.seed, at)),
            None => None,
        }
    }

    fn size(ty: Type) -> usize {
        if let Type::Ptr(_) = ty { 8 } else { ty.scalar().map_or(0, |s| s.bytes() as usize) }
    }

    fn load(&self, at: u64, ty: Type) -> Lanes {
        let size = Self::size(ty);
        (0..u64::from(ty.lanes()))
            .map(|lane| {
                let mut bits = 0;
                for i in 0..size {
                    bits |= u64::from(self.byte(at + lane * size as u64 + i as u64)?) << (8 * i);
                }
                Some(bits)
            })
            .collect()
    }

    fn store(&mut self, at: u64, value: &Lanes, ty: Type) {
        let size = Self::size(ty);
        let bytes: Vec<Option<u8>> =
            value.iter().flat_map(|l| (0..size).map(move |i| l.map(|b| (b >> (8 * i)) as u8))).collect();
        for (i, byte) in bytes.iter().enumerate() {
            self.memory.insert(at + i as u64, *byte);
        }
        if at >> 32 >= FIRST_ARG {
            self.trace.push(Event::Store(at, bytes));
        }
    }

    fn step(&mut self, inst: Inst) -> Result<(), End> {
        let data = &self.function.insts[inst];
        let ty = data.results.first().map_or(Type::BOOL, |r| self.function.ty(*r));
        match &data.kind {
            InstKind::Store { place, value, .. } => {
                let at = self.address(place).ok_or(End::Undefined("address"))?;
                let lanes = self.bits(*value);
                self.store(at, &lanes, self.function.ty(*value));
                return Ok(());
            }
            InstKind::Copy { dst, src, bytes, .. } => {
                let (Some(d), Some(s)) = (self.one(*dst), self.one(*src)) else {
                    return Err(End::Undefined("address"));
                };
                let bytes: Vec<Option<u8>> = (0..*bytes).map(|i| self.byte(s + i)).collect();
                for (i, byte) in bytes.into_iter().enumerate() {
                    self.memory.insert(d + i as u64, byte);
                }
                return Ok(());
            }
            InstKind::Barrier { .. } => {
                self.trace.push(Event::Barrier);
                return Ok(());
            }
            InstKind::MemBarrier { .. } => return Ok(()),
            InstKind::Atomic { op, place, operands, .. } => {
                let at = self.address(place).ok_or(End::Undefined("address"))?;
                let before = self.load(at, Type::I32);
                let operand = operands.first().and_then(|v| self.one(*v));
                let after = match (op, before[0], operand) {
                    (AtomicOp::Store, _, new) => new,
                    (AtomicOp::Or, Some(old), Some(bits)) => Some(old | bits),
                    (AtomicOp::IAdd, Some(old), Some(more)) => Some(old.wrapping_add(more) & 0xffff_ffff),
                    _ => return Err(End::Undefined("atomic")),
                };
                self.store(at, &vec![after], Type::I32);
                if let Some(result) = data.results.first() {
                    self.values[result.0 as usize] = before;
                }
                return Ok(());
            }
            InstKind::Load { place, .. } => {
                let at = self.address(place).ok_or(End::Undefined("address"))?;
                self.values[data.results[0].0 as usize] = self.load(at, ty);
                return Ok(());
            }
            _ => {}
        }
        let Some(lanes) = self.compute(&data.kind, ty) else { return Err(End::Undefined("instruction")) };
        self.values[data.results[0].0 as usize] = lanes;
        Ok(())
    }

    fn compute(&self, kind: &InstKind, ty: Type) -> Option<Lanes> {
        // Bits that depend on the seed and on what is asked.
        let any = |question: u64| mix(self.seed ^ question);
        Some(match kind {
            InstKind::RootAddr(root) => vec![Some(self.root(*root))],
            InstKind::WorkItem(w, 0) if self.properties.contains_key(w) => {
                vec![self.properties.get(w).copied()]
            }
            InstKind::WorkItem(w, d) => vec![Some(any(*w as u64 ^ u64::from(*d) << 8) & 0xffff)],
            InstKind::Input(w, d) => vec![Some(any(*w as u64 ^ u64::from(*d) << 9) & 0xffff)],
            InstKind::LocalArgUnits(n) => vec![Some(1 + (any(77 ^ u64::from(*n)) & 0xff))],
            InstKind::SeveralWindows => vec![Some(any(79) & 1)],
            InstKind::BuffersCross => vec![Some(any(78) & 1)],
            InstKind::WorkgroupSize(d) => vec![Some(1 + (any(u64::from(*d)) & 0xff))],
            kind => return kind.evaluate(&Evaluation { function: self.function, ty, values: &self.values }),
        })
    }
}

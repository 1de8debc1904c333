//! A small interpreter of the IR, for tests: passes are judged by running functions before and after.
//!
//! A pointer is a number: the region in the upper half, the offset in the lower. Lanes and bytes that
//! are undefined are `None`, and so is whatever is computed from them; branching on one ends the run
//! with [`End::Undefined`].

pub mod together;

use super::{
    AtomicOp, BinaryOp, Block, Constant, Function, Inst, InstKind, Place, Root, Scalar, Terminator, Type,
    UnaryOp, Value, ValueDef,
};
use crate::ir::fold;
use rustc_hash::FxHashMap;

/// A value: one entry for each lane.
pub type Lanes = Vec<Option<u64>>;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With these results.
    Return(Vec<Lanes>),
    /// The fuel ran out.
    Fuel,
    /// It did what has no defined meaning.
    Undefined(&'static str),
}

/// Something that the world outside sees.
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
    /// What the world saw.
    pub trace: Vec<Event>,
    /// How it ended.
    pub end: End,
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
    /// What it is told of itself; nothing: any numbers.
    about: together::About,
    /// Its number, of several.
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

/// The same, no further than the block in which the world has seen so much; the fuel is out then.
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
    Run { trace: m.trace, end }
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
        let (memory, about) = Default::default();
        Machine { function, values, memory, trace: Vec::new(), seed, about, item: 0 }
    }
}

impl Machine<'_> {
    fn get(&self, v: Value) -> &Lanes {
        &self.values[v.0 as usize]
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
                return Err(End::Return(values.iter().map(|v| self.get(*v).clone()).collect()));
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
            None if at >> 32 >= FIRST_ARG => Some(mix(at ^ self.seed) as u8),
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
                let lanes = self.get(*value).clone();
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

    fn map1(&self, a: Value, f: impl Fn(u64) -> Option<u64>) -> Lanes {
        self.get(a).iter().map(|l| l.and_then(&f)).collect()
    }

    fn map2(&self, a: Value, b: Value, f: impl Fn(u64, u64) -> Option<u64>) -> Lanes {
        self.get(a).iter().zip(self.get(b)).map(|(a, b)| f((*a)?, (*b)?)).collect()
    }

    fn compute(&self, kind: &InstKind, ty: Type) -> Option<Lanes> {
        let scalar_of = |v: Value| self.function.ty(v).scalar();
        Some(match kind {
            InstKind::Unary(UnaryOp::Any, a) => {
                vec![self.get(*a).iter().copied().try_fold(0, |acc, l| Some(acc | l?))]
            }
            InstKind::Unary(UnaryOp::All, a) => {
                vec![self.get(*a).iter().copied().try_fold(1, |acc, l| Some(acc & l?))]
            }
            InstKind::Unary(op, a) => {
                let s = scalar_of(*a)?;
                self.map1(*a, |x| fold::unary(*op, s, x))
            }
            InstKind::Binary(op, a, b) => {
                let s = scalar_of(*a)?;
                if matches!(op, BinaryOp::And | BinaryOp::Or) {
                    return Some(self.logic(*op, *a, *b));
                }
                self.map2(*a, *b, |x, y| fold::binary(*op, s, x, y))
            }
            InstKind::ICmp(cc, a, b) => {
                let w = scalar_of(*a).map_or(64, |s| s.bits());
                self.map2(*a, *b, |x, y| Some(u64::from(fold::icmp(*cc, w, x, y))))
            }
            InstKind::FCmp(cc, a, b) => {
                let s = scalar_of(*a)?;
                self.map2(*a, *b, |x, y| fold::fcmp(*cc, s, x, y).map(u64::from))
            }
            InstKind::Select(c, a, b) => {
                let c = self.get(*c);
                let lanes = self.get(*a).iter().zip(self.get(*b)).enumerate();
                lanes.map(|(n, (a, b))| if c[n.min(c.len() - 1)]? != 0 { *a } else { *b }).collect()
            }
            InstKind::Convert { op, value, saturate, rounding } => {
                let (from, to) = (scalar_of(*value)?, ty.scalar()?);
                self.map1(*value, |x| fold::convert(*op, from, to, x, *saturate, *rounding))
            }
            InstKind::Fma(a, b, c) => {
                let s = ty.scalar()?;
                let c = self.get(*c);
                let lanes = self.get(*a).iter().zip(self.get(*b)).zip(c);
                lanes.map(|((a, b), c)| fold::fma(s, (*a)?, (*b)?, (*c)?)).collect()
            }
            InstKind::Glsl { number, args } => {
                let s = ty.scalar()?;
                self.map1(*args.first()?, |x| glsl(*number, s, x))
            }
            InstKind::Bitcast(a) => self.bitcast(*a, ty)?,
            InstKind::Construct(parts) => {
                let mut lanes: Lanes = parts.iter().flat_map(|p| self.get(*p).iter().copied()).collect();
                if lanes.len() == 1 {
                    lanes.resize(usize::from(ty.lanes()), lanes[0]);
                }
                lanes
            }
            InstKind::Extract(a, n) => vec![*self.get(*a).get(usize::from(*n))?],
            InstKind::ExtractDyn(a, n) => {
                vec![self.one(*n).and_then(|n| self.get(*a).get(n as usize).copied().flatten())]
            }
            InstKind::Insert { vector, scalar, lane } => {
                let mut lanes = self.get(*vector).clone();
                *lanes.get_mut(usize::from(*lane))? = self.one(*scalar);
                lanes
            }
            InstKind::InsertDyn { vector, scalar, index } => {
                let mut lanes = self.get(*vector).clone();
                match self.one(*index).and_then(|n| lanes.get_mut(n as usize)) {
                    Some(lane) => *lane = self.one(*scalar),
                    None => lanes.fill(None),
                }
                lanes
            }
            InstKind::Shuffle(a, b, mask) => {
                let both: Lanes = self.get(*a).iter().chain(self.get(*b)).copied().collect();
                mask.iter().map(|n| n.and_then(|n| both.get(usize::from(n)).copied().flatten())).collect()
            }
            InstKind::RootAddr(root) => vec![Some(self.root(*root))],
            InstKind::PtrAdd { base, index, scale } => {
                let w = scalar_of(*index)?.bits();
                let index = self.one(*index).map(|i| fold::signed(i, w) as u64);
                vec![self.one(*base).zip(index).map(|(b, i)| b.wrapping_add(i.wrapping_mul(*scale)))]
            }
            InstKind::PtrOffset { base, bytes } => {
                vec![self.one(*base).map(|b| b.wrapping_add_signed(*bytes))]
            }
            InstKind::PtrCast(a) | InstKind::PtrToInt(a) | InstKind::IntToPtr(a) => self.get(*a).clone(),
            InstKind::PtrDiff(a, b) => self.map2(*a, *b, |x, y| Some(x.wrapping_sub(y))),
            InstKind::WorkItem(w, 0) if self.about.contains_key(w) => vec![self.about.get(w).copied()],
            InstKind::WorkItem(w, d) => vec![Some(mix(self.seed ^ *w as u64 ^ u64::from(*d) << 8) & 0xffff)],
            InstKind::Input(w, d) => vec![Some(mix(self.seed ^ *w as u64 ^ u64::from(*d) << 9) & 0xffff)],
            InstKind::LocalArgUnits(n) => vec![Some(1 + (mix(self.seed ^ 77 ^ u64::from(*n)) & 0xff))],
            InstKind::SeveralWindows => vec![Some(mix(self.seed ^ 79) & 1)],
            InstKind::BuffersCross => vec![Some(mix(self.seed ^ 78) & 1)],
            InstKind::WorkgroupSize(d) => vec![Some(1 + (mix(self.seed ^ u64::from(*d)) & 0xff))],
            _ => return None,
        })
    }

    /// A known lane may decide alone.
    fn logic(&self, op: BinaryOp, a: Value, b: Value) -> Lanes {
        let ones = fold::mask(self.function.ty(a).scalar().map_or(64, |s| s.bits()));
        let decides = if op == BinaryOp::And { 0 } else { ones };
        let lanes = self.get(a).iter().zip(self.get(b));
        lanes
            .map(|(a, b)| match (*a, *b) {
                (Some(d), _) | (_, Some(d)) if d == decides => Some(d),
                (Some(a), Some(b)) => Some(if op == BinaryOp::And { a & b } else { a | b }),
                _ => None,
            })
            .collect()
    }

    fn bitcast(&self, a: Value, ty: Type) -> Option<Lanes> {
        let (from, to) = (self.function.ty(a).scalar()?.bytes(), ty.scalar()?.bytes() as usize);
        let bytes: Vec<Option<u8>> = self
            .get(a)
            .iter()
            .flat_map(|l| (0..from).map(move |i| l.map(|b| (b >> (8 * i)) as u8)))
            .collect();
        Some(
            bytes
                .chunks(to)
                .map(|c| c.iter().rev().try_fold(0u64, |acc, b| Some(acc << 8 | u64::from((*b)?))))
                .collect(),
        )
    }
}

/// The functions of GLSL.std.450 that passes make of others: Trunc of floats, and FindUMsb.
fn glsl(number: u32, scalar: Scalar, bits: u64) -> Option<u64> {
    match (number, scalar) {
        (3, Scalar::F32) => Some(f32::from_bits(bits as u32).trunc().to_bits().into()),
        (3, Scalar::F64) => Some(f64::from_bits(bits).trunc().to_bits()),
        (75, Scalar::I32) => Some(u64::from(31u32.wrapping_sub((bits as u32).leading_zeros()))),
        _ => None,
    }
}

//! Uninitialised variables: uses of private memory that was never written are reported.
//!
//! Each private variable gets a **shadow**: a variable of the same size whose bits say which bits of the first one were written. A store to the
//! variable stores ones to the same place of the shadow, and a load loads the shadow of the value:
//!
//! ```text
//! x = [a + 4]        becomes        x = [a + 4]; s = [shadow of a + 4]
//! if (x < 3)         becomes        faultif s != all ones; if (x < 3)
//! ```
//!
//! Values carry shadows from loads to uses, as in LLVM's MemorySanitizer. Arithmetic gives a shadow without ones where an operand's is not whole.
//! Branches, addresses, and stores to memory that all work-items see are uses. Copies of structs are none: they may copy members that
//! nobody wrote.
//!
//! The pass runs before promotion, which makes undefined values of reads without a write. Promotion takes the shadows apart as it does the
//! variables, and the shadows of what is always written become constants. `insert_checks` makes the reports of the others.
//!
//! A variable has a shadow if all its accesses are known: its address is not stored, chosen or passed on.

use super::insert_checks::report::{Reporter, SiteFault};
use crate::check::{Access, Checks, Fault};
use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{
    BinaryOp, Block, Function, Inst, InstKind, IntCC, MemFlags, Module, Place, Root, Scalar, Slot, SlotData,
    Terminator, Type, UnaryOp, Value, fold,
};
use crate::passes::optimize::{mem2reg, sroa};
use crate::transform::rewriter::Rewriter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The largest number of stores that clear the shadow of an array.
const MAX_STORES: u64 = 512;

/// Runs the pass.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    let checks = cx.options.check;
    if !checks.contains(Checks::UNINITIALISED) {
        return Ok(());
    }
    for f in module.functions.values_mut() {
        f.keeps_variables = false;
    }
    for index in 0..module.kernels.len() {
        let func = module.kernels[index].func;
        let mut function = std::mem::take(&mut module.functions[func]);
        let mut reporter = Reporter::new(module, index, checks);
        track(&mut function, module.address_bits, &mut reporter);
        let table = reporter.finish();
        module.functions[func] = function;
        module.kernels[index].printf.checks = table;
    }
    Ok(())
}

fn track(f: &mut Function, address_bits: u32, reporter: &mut Reporter<'_>) {
    if f.layout.is_empty() || f.slots.is_empty() {
        return;
    }
    mem2reg::promote_pointers(f, address_bits);
    let cfg = f.cfg();
    let found = Variables::find(f, &cfg, address_bits);
    if found.tracked.is_empty() {
        return;
    }
    let mut slots = FxHashMap::default();
    let mut order: Vec<Slot> = found.tracked.keys().copied().collect();
    order.sort_unstable();
    for slot in &order {
        let SlotData { size, align, .. } = f.slots[*slot];
        slots.insert(*slot, f.slots.push(SlotData { name: None, size, align }));
    }
    let word = Type::Scalar(if address_bits == 64 { Scalar::I64 } else { Scalar::I32 });
    let mut tracker = Tracker {
        slots,
        pointers: FxHashMap::default(),
        shadows: FxHashMap::default(),
        params: FxHashMap::default(),
        reporter,
        word,
    };
    tracker.add_params(f, &found.sources);
    let (entry, layout) = (f.entry(), f.layout.clone());
    for block in layout {
        let insts = std::mem::take(&mut f.blocks[block].insts);
        let mut rw = Rewriter::new(f);
        if block == entry {
            for slot in &order {
                tracker.clear(&mut rw, *slot, &found.tracked[slot]);
            }
        }
        for inst in insts {
            rw.at(inst);
            tracker.instruction(&mut rw, inst);
        }
        tracker.terminator(&mut rw, block);
        rw.finish_block(block);
    }
}

/// How the shadow of a variable is cleared at the start: the accesses at known offsets, or all of it in units.
enum Clearing {
    Places(Vec<(i64, Type)>),
    Units(Scalar),
}

/// The variables that get a shadow.
struct Variables {
    tracked: FxHashMap<Slot, Clearing>,
    /// The values that may not be written, each with a variable from which it comes.
    sources: FxHashMap<Value, Slot>,
}

/// What is known of a variable while its accesses are gathered.
#[derive(Default)]
struct Accesses {
    /// The smallest scalar of an access, in bytes.
    unit: Option<u32>,
    /// Stores of the whole variable: block and index.
    whole: Vec<(Block, usize)>,
    loads: Vec<(Block, usize)>,
}

impl Variables {
    fn find(f: &mut Function, cfg: &Cfg, address_bits: u32) -> Self {
        let bytes = address_bits / 8;
        let mut of: FxHashMap<Value, Slot> = FxHashMap::default();
        let mut escaped: FxHashSet<Slot> = FxHashSet::default();
        let mut accesses: FxHashMap<Slot, Accesses> = FxHashMap::default();
        for block in f.layout.clone() {
            for (at, inst) in f.blocks[block].insts.iter().enumerate() {
                let data = &f.insts[*inst];
                let result = data.results.first().copied();
                let (pointer, ty) = match &data.kind {
                    InstKind::RootAddr(Root::Slot(slot)) => {
                        of.extend(result.map(|r| (r, *slot)));
                        continue;
                    }
                    InstKind::PtrAdd { base, .. }
                    | InstKind::PtrOffset { base, .. }
                    | InstKind::PtrCast(base) => {
                        if let (Some(slot), Some(result)) = (of.get(base).copied(), result) {
                            of.insert(result, slot);
                        }
                        continue;
                    }
                    InstKind::ICmp(..) | InstKind::PtrDiff(..) => continue,
                    InstKind::Load { place: Place::Pointer(p), .. } => (*p, result.map(|r| f.ty(r))),
                    InstKind::Store { place: Place::Pointer(p), value, .. } => {
                        escaped.extend(of.get(value));
                        (*p, Some(f.ty(*value)))
                    }
                    kind => {
                        kind.each_value(|v| escaped.extend(of.get(&v)));
                        continue;
                    }
                };
                let Some(slot) = of.get(&pointer).copied() else { continue };
                let shadow = ty.and_then(|ty| shadow_type(ty, bytes));
                if shadow.is_none() || ty.is_some_and(|ty| ty == Type::BOOL) {
                    escaped.insert(slot);
                }
                let entry = accesses.entry(slot).or_default();
                let scalar = shadow.and_then(Type::scalar).map_or(bytes, Scalar::bytes);
                entry.unit = Some(entry.unit.map_or(scalar, |unit| unit.min(scalar)));
                let whole = matches!(f.def_inst(pointer).map(|i| &i.kind), Some(InstKind::RootAddr(_)));
                match data.kind {
                    InstKind::Load { .. } => entry.loads.push((block, at)),
                    _ if whole
                        && ty.map(|ty| u64::from(sroa::size_of(ty, bytes))) == Some(f.slots[slot].size) =>
                    {
                        entry.whole.push((block, at));
                    }
                    _ => {}
                }
            }
            escaped.extend(f.blocks[block].term.values().filter_map(|v| of.get(&v)));
        }
        accesses.retain(|slot, _| !escaped.contains(slot));
        let (sources, unwritten) = sources(f, cfg, &of, &accesses);
        let known = sroa::slot_accesses(f, cfg, bytes);
        let mut tracked = FxHashMap::default();
        for (slot, list) in accesses {
            if !unwritten.contains(&slot) {
                continue;
            }
            let clearing = match &known.accesses[slot.0 as usize] {
                Some(all) => {
                    let mut places: Vec<(i64, Type)> = Vec::new();
                    for access in all {
                        let place = (access.offset, shadow_type(access.ty, bytes).unwrap_or(Type::I32));
                        if !places.contains(&place) {
                            places.push(place);
                        }
                    }
                    Clearing::Places(places)
                }
                None => match list.unit.and_then(Scalar::int) {
                    Some(unit) if f.slots[slot].size / u64::from(unit.bytes()) <= MAX_STORES => {
                        Clearing::Units(unit)
                    }
                    _ => continue,
                },
            };
            tracked.insert(slot, clearing);
        }
        Variables { tracked, sources }
    }
}

/// The values that may not be written, each with a variable from which it comes, and the variables that may hold such values.
fn sources(
    f: &Function,
    cfg: &Cfg,
    of: &FxHashMap<Value, Slot>,
    accesses: &FxHashMap<Slot, Accesses>,
) -> (FxHashMap<Value, Slot>, FxHashSet<Slot>) {
    let before =
        |a: &(Block, usize), b: &(Block, usize)| if a.0 == b.0 { a.1 < b.1 } else { cfg.dominates(a.0, b.0) };
    let written = |list: &Accesses| {
        let mut whole = list.whole.iter();
        whole.any(|store| list.loads.iter().all(|load| before(store, load)))
    };
    let mut slots: FxHashSet<Slot> =
        accesses.iter().filter(|(_, list)| !written(list)).map(|(slot, _)| *slot).collect();
    let mut values: FxHashMap<Value, Slot> = FxHashMap::default();
    loop {
        let known = (slots.len(), values.len());
        for block in &f.layout {
            for inst in &f.blocks[*block].insts {
                let data = &f.insts[*inst];
                let mut source = None;
                match &data.kind {
                    InstKind::Load { place: Place::Pointer(p), .. } => {
                        source = of.get(p).copied().filter(|slot| slots.contains(slot));
                    }
                    InstKind::Store { place: Place::Pointer(p), value, .. } => {
                        let to = of.get(p).filter(|slot| accesses.contains_key(slot));
                        slots.extend(to.filter(|_| values.contains_key(value)));
                    }
                    kind if carries(f, kind) => {
                        kind.each_value(|v| source = source.or(values.get(&v).copied()));
                    }
                    _ => {}
                }
                if let (Some(slot), Some(result)) = (source, data.results.first()) {
                    values.entry(*result).or_insert(slot);
                }
            }
            f.blocks[*block].term.each_target(|target| {
                for (param, arg) in f.blocks[target.block].params.iter().zip(&target.args) {
                    if let Some(slot) = values.get(arg).copied() {
                        values.entry(*param).or_insert(slot);
                    }
                }
            });
        }
        if known == (slots.len(), values.len()) {
            return (values, slots);
        }
    }
}

/// The type of the shadow of a value: integers of the same widths; bools of bools.
fn shadow_type(ty: Type, pointer_bytes: u32) -> Option<Type> {
    match ty {
        Type::Ptr(_) => Scalar::int(pointer_bytes).map(Type::Scalar),
        Type::Opaque(_) => None,
        ty => match ty.scalar()? {
            Scalar::Bool => Some(ty),
            scalar => Some(ty.with_scalar(Scalar::int(scalar.bytes())?)),
        },
    }
}

/// The largest number of variables that a use names.
const MAX_SOURCES: usize = 4;

/// Returns whether an operation gives a shadow of its operands' to its result.
fn carries(f: &Function, kind: &InstKind) -> bool {
    let effects = kind.effects(f);
    if effects.reads || effects.writes || effects.convergent || effects.outside {
        return false;
    }
    match kind {
        InstKind::Insert { .. }
        | InstKind::Extract(..)
        | InstKind::Shuffle(..)
        | InstKind::Construct(_)
        | InstKind::Bitcast(_) => true,
        kind if kind.is_lanewise() => {
            let mut lanes: SmallVec<[u8; 4]> = SmallVec::new();
            let mut plain = true;
            kind.each_value(|v| {
                lanes.push(f.ty(v).lanes());
                plain &= f.ty(v).scalar().is_some();
            });
            let same = lanes.iter().all(|n| *n == lanes[0]);
            plain && (same || matches!(kind, InstKind::Select(..)))
        }
        _ => false,
    }
}

/// The shadow of a value, and the variables from which it comes, each with the shadow of what was read of it.
#[derive(Debug, Clone)]
struct Shadow {
    value: Value,
    sources: SmallVec<[(Slot, Value); 1]>,
}

impl Shadow {
    fn for_slot(value: Value, slot: Slot) -> Self {
        Shadow { value, sources: SmallVec::from_slice(&[(slot, value)]) }
    }
}

struct Tracker<'r, 'm> {
    /// The shadows of variables.
    slots: FxHashMap<Slot, Slot>,
    /// The places in shadows of pointers to variables, and the variables.
    pointers: FxHashMap<Value, (Value, Slot)>,
    /// The shadows of values that may not be written. Others are whole.
    shadows: FxHashMap<Value, Shadow>,
    /// The parameters of blocks that have shadows, by their numbers.
    params: FxHashMap<Block, Vec<usize>>,
    reporter: &'r mut Reporter<'m>,
    /// The integer of a pointer's width.
    word: Type,
}

impl Tracker<'_, '_> {
    fn shadow_type(&self, ty: Type) -> Option<Type> {
        shadow_type(ty, self.word.bytes())
    }

    /// Adds shadows beside the parameters of blocks that may not be written.
    fn add_params(&mut self, f: &mut Function, sources: &FxHashMap<Value, Slot>) {
        for block in f.layout.clone() {
            for n in 0..f.blocks[block].params.len() {
                let param = f.blocks[block].params[n];
                let Some(ty) = self.shadow_type(f.ty(param)) else { continue };
                let Some(slot) = sources.get(&param).copied() else { continue };
                let value = f.add_param(block, ty);
                self.params.entry(block).or_default().push(n);
                self.shadows.insert(param, Shadow::for_slot(value, slot));
            }
        }
    }

    /// Clears the shadow of a variable.
    fn clear(&self, rw: &mut Rewriter<'_>, slot: Slot, how: &Clearing) {
        let shadow = self.slots[&slot];
        let (size, align) = (rw.f.slots[slot].size, rw.f.slots[slot].align);
        let private = Type::Ptr(crate::ir::Space::Private);
        let base = rw.inst(InstKind::RootAddr(Root::Slot(shadow)), private);
        let units;
        let places = match how {
            Clearing::Places(places) => places,
            Clearing::Units(unit) => {
                let bytes = i64::from(unit.bytes());
                units = (0..size as i64 / bytes).map(|n| (n * bytes, Type::Scalar(*unit))).collect();
                &units
            }
        };
        for (offset, ty) in places {
            let at = match offset {
                0 => base,
                bytes => rw.inst(InstKind::PtrOffset { base, bytes: *bytes }, private),
            };
            let bits = 1u64 << offset.trailing_zeros().min(6);
            let align = u32::try_from(bits).unwrap_or(1).min(align).min(ty.element().bytes()).max(1);
            let zero = rw.iconst(*ty, 0);
            store(rw, at, zero, MemFlags { align, volatile: false });
        }
    }

    /// Reports the condition of a branch, and gives the shadows of parameters their arguments.
    fn terminator(&mut self, rw: &mut Rewriter<'_>, block: Block) {
        let decides = match &rw.f.blocks[block].term {
            Terminator::CondBranch { cond: value, .. } | Terminator::Switch { value, .. } => Some(*value),
            _ => None,
        };
        if let Some(value) = decides {
            self.sink(rw, value);
        }
        for successor in 0..rw.f.blocks[block].term.targets().len() {
            let Some(target) = rw.f.blocks[block].term.target(successor) else { continue };
            let Some(params) = self.params.get(&target.block) else { continue };
            let args: SmallVec<[Value; 2]> = params.iter().map(|n| target.args[*n]).collect();
            let shadows: SmallVec<[Value; 2]> = args.iter().filter_map(|arg| self.shadow(rw, *arg)).collect();
            if let Some(target) = rw.f.blocks[block].term.target_mut(successor) {
                target.args.extend(shadows);
            }
        }
    }

    /// Reports a use of a value that was not written.
    fn sink(&mut self, rw: &mut Rewriter<'_>, value: Value) {
        let Some(Shadow { value: shadow, sources }) = self.shadows.get(&value).cloned() else { return };
        let faulty = self.is_unwritten(rw, shadow);
        for (slot, part) in &sources {
            let condition = match sources.len() {
                1 => faulty,
                _ => {
                    let own = self.is_unwritten(rw, *part);
                    rw.binary(BinaryOp::And, faulty, own)
                }
            };
            let object = self.reporter.object(rw.f, Root::Slot(*slot));
            let what = SiteFault { fault: Fault::Uninitialised, access: Access::Read, size: 0 };
            let site = self.reporter.site(what, rw.line(), (Some(object), Some(0), Some(0)));
            rw.void(InstKind::FaultIf(condition, site));
        }
    }

    /// Tests if some lane of a shadow is not whole.
    fn is_unwritten(&self, rw: &mut Rewriter<'_>, shadow: Value) -> Value {
        let whole = self.lanes_written(rw, shadow);
        let whole = match rw.f.ty(whole).lanes() {
            1 => whole,
            _ => rw.inst(InstKind::Unary(UnaryOp::All, whole), Type::BOOL),
        };
        rw.inst(InstKind::Unary(UnaryOp::Not, whole), Type::BOOL)
    }

    /// Which lanes of a shadow are whole: a bool for each.
    fn lanes_written(&self, rw: &mut Rewriter<'_>, shadow: Value) -> Value {
        let ty = rw.f.ty(shadow);
        match ty.scalar() {
            Some(Scalar::Bool) | None => shadow,
            Some(_) => {
                let ones = self.ones(rw, ty);
                rw.icmp(IntCC::Eq, shadow, ones)
            }
        }
    }

    /// The shadow of a value that was written.
    fn ones(&self, rw: &mut Rewriter<'_>, ty: Type) -> Value {
        rw.iconst(ty, fold::mask(ty.scalar().map_or(64, Scalar::bits)))
    }

    /// The shadow of a value, whole if nothing else is known.
    fn shadow(&self, rw: &mut Rewriter<'_>, value: Value) -> Option<Value> {
        match self.shadows.get(&value) {
            Some(shadow) => Some(shadow.value),
            None => {
                let ty = self.shadow_type(rw.f.ty(value))?;
                Some(self.ones(rw, ty))
            }
        }
    }

    /// Keeps an instruction, and adds what it does to shadows.
    fn instruction(&mut self, rw: &mut Rewriter<'_>, inst: Inst) {
        let data = rw.f.insts[inst].clone();
        let result = data.results.first().copied();
        match data.kind {
            InstKind::RootAddr(Root::Slot(slot)) => {
                rw.keep(inst);
                if let (Some(shadow), Some(result)) = (self.slots.get(&slot).copied(), result) {
                    let ty = rw.f.ty(result);
                    let place = rw.inst(InstKind::RootAddr(Root::Slot(shadow)), ty);
                    self.pointers.insert(result, (place, slot));
                }
            }
            InstKind::PtrAdd { base, .. } | InstKind::PtrOffset { base, .. } | InstKind::PtrCast(base) => {
                if let InstKind::PtrAdd { index, .. } = data.kind {
                    self.sink(rw, index);
                }
                self.sink(rw, base);
                rw.keep(inst);
                if let (Some((at, slot)), Some(result)) = (self.pointers.get(&base).copied(), result) {
                    let mut kind = data.kind.clone();
                    kind.map_values(|v| if v == base { at } else { v });
                    let ty = rw.f.ty(result);
                    let place = rw.inst(kind, ty);
                    self.pointers.insert(result, (place, slot));
                }
            }
            InstKind::Load { place: Place::Pointer(pointer), flags } => {
                self.sink(rw, pointer);
                rw.keep(inst);
                let Some(result) = result else { return };
                let Some((at, slot)) = self.pointers.get(&pointer).copied() else { return };
                let Some(ty) = self.shadow_type(rw.f.ty(result)) else { return };
                let value = rw.load(Place::Pointer(at), ty, MemFlags { volatile: false, ..flags });
                mark(rw.f, value);
                self.shadows.insert(result, Shadow::for_slot(value, slot));
            }
            InstKind::Store { place: Place::Pointer(pointer), value, flags } => {
                self.sink(rw, pointer);
                match self.pointers.get(&pointer).copied() {
                    Some((at, _)) if is_computed(rw.f, value) => {
                        // The source computed it, and does not pass it on alone.
                        self.sink(rw, value);
                        if let Some(ty) = self.shadow_type(rw.f.ty(value)) {
                            let ones = self.ones(rw, ty);
                            store(rw, at, ones, flags);
                        }
                    }
                    Some((at, _)) => {
                        if let Some(shadow) = self.shadow(rw, value) {
                            store(rw, at, shadow, flags);
                        }
                    }
                    None if data.line.is_marked() => {}
                    // What is stored to other private memory may never be used.
                    None if rw.f.ty(pointer) == Type::Ptr(crate::ir::Space::Private) => {}
                    None => self.sink(rw, value),
                }
                rw.keep(inst);
            }
            kind => {
                let carried = carries(rw.f, &kind);
                if !carried {
                    kind.each_value(|v| self.sink(rw, v));
                }
                rw.keep(inst);
                if let Some(result) = result.filter(|_| carried)
                    && let Some(shadow) = self.result(rw, &kind, result)
                {
                    self.shadows.insert(result, shadow);
                }
            }
        }
    }

    /// The shadow of a result.
    fn result(&self, rw: &mut Rewriter<'_>, kind: &InstKind, result: Value) -> Option<Shadow> {
        let mut sources: SmallVec<[(Slot, Value); 1]> = SmallVec::new();
        kind.each_value(|v| {
            for source in self.shadows.get(&v).iter().flat_map(|shadow| &shadow.sources) {
                if sources.len() < MAX_SOURCES && !sources.contains(source) {
                    sources.push(*source);
                }
            }
        });
        let first = sources.first()?.0;
        let ty = self.shadow_type(rw.f.ty(result))?;
        let value = match kind {
            InstKind::Insert { vector, scalar, lane } => {
                let (vector, scalar) = (self.shadow(rw, *vector)?, self.shadow(rw, *scalar)?);
                rw.inst(InstKind::Insert { vector, scalar, lane: *lane }, ty)
            }
            InstKind::Extract(vector, lane) => {
                let vector = self.shadow(rw, *vector)?;
                rw.inst(InstKind::Extract(vector, *lane), ty)
            }
            InstKind::Shuffle(a, b, mask) => {
                let (a, b) = (self.shadow(rw, *a)?, self.shadow(rw, *b)?);
                let full = mask.iter().map(|lane| Some(lane.unwrap_or(0))).collect();
                let mut value = rw.inst(InstKind::Shuffle(a, b, full), ty);
                let any: SmallVec<[u8; 16]> = mask
                    .iter()
                    .enumerate()
                    .filter(|lane| lane.1.is_none())
                    .map(|lane| lane.0 as u8)
                    .collect();
                for lane in any {
                    let scalar = self.ones(rw, ty.element());
                    value = rw.inst(InstKind::Insert { vector: value, scalar, lane }, ty);
                }
                value
            }
            InstKind::Construct(parts) => {
                let parts: Option<SmallVec<[Value; 4]>> = parts.iter().map(|p| self.shadow(rw, *p)).collect();
                rw.inst(InstKind::Construct(parts?), ty)
            }
            InstKind::Bitcast(a) => {
                let shadow = self.shadow(rw, *a)?;
                rw.bitcast(shadow, ty)
            }
            InstKind::Select(condition, a, b) => {
                let (x, y) = (self.shadow(rw, *a)?, self.shadow(rw, *b)?);
                let chosen = rw.inst(InstKind::Select(*condition, x, y), ty);
                match self.shadows.get(condition) {
                    Some(shadow) => {
                        let none = rw.iconst(ty, 0);
                        rw.inst(InstKind::Select(shadow.value, chosen, none), ty)
                    }
                    None => chosen,
                }
            }
            // A bit that is known to be 0 (or 1) decides, whatever the other is.
            InstKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let (x, y) = (self.shadow(rw, *a)?, self.shadow(rw, *b)?);
                let decides = |rw: &mut Rewriter<'_>, v: Value| match op {
                    BinaryOp::And => rw.inst(InstKind::Unary(UnaryOp::Not, v), ty),
                    _ => v,
                };
                let (by_a, by_b) = (decides(rw, *a), decides(rw, *b));
                let (a, b) = (rw.binary(BinaryOp::And, x, by_a), rw.binary(BinaryOp::And, y, by_b));
                let both = rw.binary(BinaryOp::And, x, y);
                let either = rw.binary(BinaryOp::Or, a, b);
                rw.binary(BinaryOp::Or, both, either)
            }
            kind => {
                let mut operands: SmallVec<[Value; 4]> = SmallVec::new();
                kind.each_value(|v| operands.extend(self.shadows.get(&v).map(|s| s.value)));
                let mut written: Option<Value> = None;
                for shadow in operands {
                    let lanes = self.lanes_written(rw, shadow);
                    written = Some(match written {
                        Some(before) => rw.binary(BinaryOp::And, before, lanes),
                        None => lanes,
                    });
                }
                let written = written?;
                match ty.scalar()? {
                    Scalar::Bool => written,
                    _ => {
                        let (ones, none) = (self.ones(rw, ty), rw.iconst(ty, 0));
                        rw.inst(InstKind::Select(written, ones, none), ty)
                    }
                }
            }
        };
        if sources.iter().all(|source| source.0 == first) {
            return Some(Shadow::for_slot(value, first));
        }
        if let InstKind::Extract(vector, lane) = kind {
            let lanes = rw.f.ty(*vector).lanes();
            for (_, part) in &mut sources {
                if rw.f.ty(*part).lanes() == lanes {
                    *part = rw.extract(*part, *lane);
                }
            }
        }
        Some(Shadow { value, sources })
    }
}

/// Returns whether a value is a scalar that an operation computed. Front ends compute what is chosen by a condition, or combined by one, before it
/// is known.
fn is_computed(f: &Function, value: Value) -> bool {
    let Some(inst) = f.def_inst(value) else { return false };
    let computes = match inst.kind {
        InstKind::Binary(op, ..) => !matches!(op, BinaryOp::And | BinaryOp::Or),
        InstKind::Convert { .. } | InstKind::Fma(..) | InstKind::Glsl { .. } => true,
        _ => false,
    };
    computes && f.ty(value).lanes() == 1
}

/// Stores to a shadow.
fn store(rw: &mut Rewriter<'_>, pointer: Value, value: Value, flags: MemFlags) {
    let flags = MemFlags { volatile: false, ..flags };
    let inst = rw.f.make_inst(InstKind::Store { place: Place::Pointer(pointer), value, flags }, &[]);
    rw.f.insts[inst].line = rw.line().marked();
    rw.keep(inst);
}

/// Marks a load as one of a shadow.
fn mark(f: &mut Function, value: Value) {
    if let crate::ir::ValueDef::Inst(inst, _) = f.values[value].def {
        f.insts[inst].line = f.insts[inst].line.marked();
    }
}

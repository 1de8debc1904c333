//! SSA promotion (mem2reg): private variables with plain accesses at known offsets become SSA values.
//!
//! [`crate::passes::optimize::sroa`] cuts a slot into parts, and [`crate::transform::ssa`] turns these into values. A read of a part that was
//! never written gives an undefined value.
//!
//! ```text
//! store [slot 0], v1; v2 = load [slot 0]; v3 = iadd v2, 1    →    v3 = iadd v1, 1
//! ```
//!
//! A slot stays if it has a volatile access, an access at an unknown offset, or an address that escapes.
//!
//! Slots may hold pointers to other slots. Such a pointer becomes a value first, and then the slot that it points to can be promoted, too: the
//! pass repeats until nothing changes.

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::cfg::Cfg;
use crate::ir::{BinaryOp, Block, ConvertOp, Function, Inst, InstKind, Module, Scalar, Slot, Type, Value};
use crate::passes::optimize::sroa::{self, Access, Assembly, Part, covered, known_place, size_of};
use crate::transform::cleanup::{self, Replaced};
use crate::transform::ssa::{Ssa, Var};
use smallvec::SmallVec;

/// Limit on the iterations over a function: that many levels of pointers to pointers are followed.
const MAX_ITERATIONS: usize = 8;

/// Promotes the private variables of every function.
///
/// # Errors
/// None; the result is that of every pass.
pub fn run(module: &mut Module, _context: &PassContext<'_>) -> Result<(), LowerError> {
    let address_bits = module.address_bits;
    module.functions.values_mut().for_each(|function| run_function(function, address_bits));
    Ok(())
}

/// Promotes the private variables of one function.
pub fn run_function(function: &mut Function, address_bits: u32) {
    if function.layout.is_empty() || function.keeps_variables {
        return;
    }
    cleanup::remove_unreachable(function);
    for _ in 0..MAX_ITERATIONS {
        if promote_function(function, address_bits / 8) != Promotion::Some {
            break;
        }
    }
}

/// A promoted slot.
struct Promoted {
    parts: Vec<Part>,
    vars: Vec<Var>,
}

/// The slots that were promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promotion {
    /// Nothing.
    Nothing,
    /// Some; other slots stay.
    Some,
    /// All slots.
    All,
}

/// Promotes the slots that qualify now.
pub fn promote_function(function: &mut Function, pointer_bytes: u32) -> Promotion {
    promote_some(function, pointer_bytes, |_, _| true)
}

/// Promotes the slots that hold nothing but pointers.
pub fn promote_pointers(function: &mut Function, address_bits: u32) {
    cleanup::remove_unreachable(function);
    let pointers = |_, list: &[Access]| list.iter().all(|access| matches!(access.ty, Type::Ptr(_)));
    for _ in 0..MAX_ITERATIONS {
        if promote_some(function, address_bits / 8, pointers) == Promotion::Nothing {
            break;
        }
    }
}

/// Promotes the slots from one on, all of which qualify: a pass has made them.
pub fn promote_new(function: &mut Function, address_bits: u32, first: Slot) {
    if !function.keeps_variables {
        promote_some(function, address_bits / 8, |slot, _| slot >= first);
    }
}

/// Promotes the slots that qualify now, and that are `wanted` with their accesses.
fn promote_some(
    function: &mut Function,
    pointer_bytes: u32,
    wanted: impl Fn(Slot, &[Access]) -> bool,
) -> Promotion {
    if function.slots.is_empty() {
        return Promotion::Nothing;
    }
    let cfg = function.cfg();
    let found = sroa::slot_accesses(function, &cfg, pointer_bytes);
    let mut promoted: Vec<Option<Promoted>> = Vec::new();
    let (mut any, mut all) = (false, true);
    for (slot, accesses) in (0..).map(Slot).zip(&found.accesses) {
        let parts = match accesses {
            Some(list) if !list.is_empty() && wanted(slot, list) => sroa::cut(list),
            _ => None,
        };
        any |= parts.is_some();
        all &= parts.is_some() || matches!(accesses, Some(list) if list.is_empty());
        promoted.push(parts.map(|parts| Promoted { parts, vars: Vec::new() }));
    }
    if !any {
        return Promotion::Nothing;
    }
    let mut ssa = Ssa::new(function, &cfg);
    add_variables(function, &cfg, &found.pointers, &mut promoted, &mut ssa, pointer_bytes);
    let mut rewrite = Rewrite {
        function,
        ssa,
        promoted,
        pointers: found.pointers,
        pointer_bytes,
        now: Vec::new(),
        touched: Vec::new(),
        replace: Replaced::default(),
        out: Vec::new(),
    };
    for &block in cfg.rpo() {
        rewrite.block(block);
    }
    let Rewrite { function, ssa, replace, .. } = rewrite;
    ssa.finish(function);
    replace.apply(function);
    if all { Promotion::All } else { Promotion::Some }
}

/// Declares the variables of all promoted parts to `ssa`, with the blocks that set and read them.
fn add_variables(
    function: &mut Function,
    cfg: &Cfg,
    pointers: &sroa::KnownPointers,
    promoted: &mut [Option<Promoted>],
    ssa: &mut Ssa<'_>,
    pointer_bytes: u32,
) {
    let mut first = Vec::with_capacity(promoted.len());
    let mut count = 0;
    for p in promoted.iter() {
        first.push(count);
        count += p.as_ref().map_or(0, |p| p.parts.len());
    }
    // Most variables are set and read in few blocks.
    let mut sets: Vec<SmallVec<[Block; 4]>> = vec![SmallVec::new(); count];
    let mut reads: Vec<SmallVec<[Block; 4]>> = vec![SmallVec::new(); count];
    for &block in cfg.rpo() {
        for &inst in &function.blocks[block].insts {
            let Some((slot, access)) = access_of(function, pointers, inst, pointer_bytes) else { continue };
            let Some(p) = &promoted[slot.0 as usize] else { continue };
            let (from, to) = covered(&p.parts, access.offset, access.size);
            for n in from..to {
                let var = first[slot.0 as usize] + n;
                let partial = p.parts[n].size > access.size;
                let is_set = sets[var].last() == Some(&block);
                if (!access.store || partial) && !is_set && reads[var].last() != Some(&block) {
                    reads[var].push(block);
                }
                if access.store && !is_set {
                    sets[var].push(block);
                }
            }
        }
    }
    for (slot, p) in promoted.iter_mut().enumerate() {
        let Some(p) = p else { continue };
        let name = function.slots[Slot(slot as u32)].name.clone();
        for (n, part) in p.parts.iter().enumerate() {
            let at = first[slot] + n;
            p.vars.push(ssa.add(function, part.ty, &sets[at], &reads[at], name.as_deref()));
        }
    }
}

/// The access of an instruction to a slot at a known offset.
fn access_of(
    function: &Function,
    pointers: &sroa::KnownPointers,
    inst: Inst,
    pointer_bytes: u32,
) -> Option<(Slot, Access)> {
    let data = &function.insts[inst];
    let (place, ty, store) = match &data.kind {
        InstKind::Load { place, .. } => (place, function.ty(*data.results.first()?), false),
        InstKind::Store { place, value, .. } => (place, function.ty(*value), true),
        _ => return None,
    };
    let (slot, offset) = known_place(function, pointers, place)?;
    Some((slot, Access { offset, ty, size: size_of(ty, pointer_bytes), store }))
}

struct Rewrite<'f, 'c> {
    function: &'f mut Function,
    ssa: Ssa<'c>,
    promoted: Vec<Option<Promoted>>,
    pointers: sroa::KnownPointers,
    pointer_bytes: u32,
    /// The values of variables at the current instruction.
    now: Vec<Option<Value>>,
    /// The variables with a value.
    touched: Vec<Var>,
    replace: Replaced,
    /// The instructions of the current block so far.
    out: Vec<Inst>,
}

impl Rewrite<'_, '_> {
    fn block(&mut self, block: Block) {
        let mut insts = std::mem::take(&mut self.function.blocks[block].insts);
        for inst in insts.drain(..) {
            let access = access_of(self.function, &self.pointers, inst, self.pointer_bytes);
            match access {
                Some((slot, access)) if self.promoted[slot.0 as usize].is_some() => {
                    self.access(block, inst, slot, access);
                }
                _ => self.out.push(inst),
            }
        }
        // The old list's allocation is used again.
        insts.extend_from_slice(&self.out);
        self.out.clear();
        self.function.blocks[block].insts = insts;
        for var in self.touched.drain(..) {
            if let Some(value) = self.now[var as usize].take() {
                self.ssa.set_end(block, var, value);
            }
        }
    }

    fn set_now(&mut self, var: Var, value: Value) {
        let n = var as usize;
        if self.now.len() <= n {
            self.now.resize(n + 1, None);
        }
        if self.now[n].replace(value).is_none() {
            self.touched.push(var);
        }
    }

    fn access(&mut self, block: Block, inst: Inst, slot: Slot, access: Access) {
        let Some(p) = &self.promoted[slot.0 as usize] else { return };
        let (from, to) = covered(&p.parts, access.offset, access.size);
        let parts: SmallVec<[(Part, Var); 4]> = (from..to).map(|n| (p.parts[n], p.vars[n])).collect();
        if access.store {
            if let InstKind::Store { value, .. } = self.function.insts[inst].kind {
                self.store(block, value, access, &parts);
            }
        } else {
            let value = self.load(block, access, &parts);
            let result = self.function.insts[inst].results[0];
            self.replace.insert(result, value);
        }
    }

    fn current(&mut self, block: Block, var: Var) -> Value {
        if let Some(value) = self.now.get(var as usize).copied().flatten() {
            return value;
        }
        let value = self.ssa.at_entry(self.function, block, var);
        self.set_now(var, value);
        value
    }

    fn emit(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.function.make_inst(kind, &[ty]);
        self.out.push(inst);
        self.function.insts[inst].results[0]
    }

    fn load(&mut self, block: Block, access: Access, parts: &[(Part, Var)]) -> Value {
        if let [(part, var)] = parts {
            let value = self.current(block, *var);
            if part.size == access.size {
                return self.cast(value, access.ty);
            }
            if part.ty.lanes() == 1 {
                return self.bits_of(value, *part, access);
            }
            // Lanes of a vector.
            let lane = part.ty.scalar().map_or(1, Scalar::bytes);
            let first = ((access.offset - part.offset) / i64::from(lane)) as u8;
            let lanes = (access.size / lane) as u8;
            let value = self.lanes(value, first, lanes);
            return self.cast(value, access.ty);
        }
        let list: SmallVec<[Part; 4]> = parts.iter().map(|p| p.0).collect();
        let Some(Assembly::Lanes(scalar, whole)) = Assembly::new(access.ty, &list) else {
            return self.function.constant(access.ty, crate::ir::Constant::Undef);
        };
        let mut pieces: SmallVec<[Value; 4]> = SmallVec::new();
        for (part, var) in parts {
            let value = self.current(block, *var);
            let lanes = (part.size / scalar.bytes()) as u8;
            pieces.push(self.cast(value, Type::new(scalar, lanes)));
        }
        let value = self.emit(InstKind::Construct(pieces), whole);
        self.cast(value, access.ty)
    }

    /// The bytes of an integer that an access reads.
    fn bits_of(&mut self, value: Value, part: Part, access: Access) -> Value {
        let by = ((access.offset - part.offset) * 8) as u64;
        let mut bits = value;
        if by > 0 {
            let by = self.function.iconst(part.ty, by);
            bits = self.emit(InstKind::Binary(BinaryOp::LShr, value, by), part.ty);
        }
        let int = Type::Scalar(Scalar::int(access.size).unwrap_or(Scalar::I8));
        let kind = InstKind::Convert { op: ConvertOp::Trunc, value: bits, saturate: false, rounding: None };
        let narrow = self.emit(kind, int);
        self.cast(narrow, access.ty)
    }

    fn store(&mut self, block: Block, value: Value, access: Access, parts: &[(Part, Var)]) {
        if let [(part, var)] = parts {
            if part.size == access.size {
                let value = self.cast(value, part.ty);
                self.set_now(*var, value);
                return;
            }
            let Some(scalar) = part.ty.scalar() else { return };
            let first = ((access.offset - part.offset) / i64::from(scalar.bytes())) as u8;
            let lanes = (access.size / scalar.bytes()) as u8;
            let value = self.cast(value, Type::new(scalar, lanes));
            let mut vector = self.current(block, *var);
            for lane in 0..lanes {
                let one = self.lanes(value, lane, 1);
                vector = self.emit(InstKind::Insert { vector, scalar: one, lane: first + lane }, part.ty);
            }
            self.set_now(*var, vector);
            return;
        }
        let list: SmallVec<[Part; 4]> = parts.iter().map(|p| p.0).collect();
        let Some(Assembly::Lanes(scalar, whole)) = Assembly::new(access.ty, &list) else { return };
        let value = self.cast(value, whole);
        for (part, var) in parts {
            let first = ((part.offset - access.offset) / i64::from(scalar.bytes())) as u8;
            let piece = self.lanes(value, first, (part.size / scalar.bytes()) as u8);
            let piece = self.cast(piece, part.ty);
            self.set_now(*var, piece);
        }
    }

    /// Lanes of a vector (or the scalar itself).
    fn lanes(&mut self, value: Value, first: u8, lanes: u8) -> Value {
        let ty = self.function.ty(value);
        let (Some(scalar), true) = (ty.scalar(), ty.lanes() != lanes) else { return value };
        if lanes == 1 {
            return self.emit(InstKind::Extract(value, first), Type::Scalar(scalar));
        }
        let mask = (first..first + lanes).map(Some).collect();
        self.emit(InstKind::Shuffle(value, value, mask), Type::new(scalar, lanes))
    }

    /// A value with the same bits and another type.
    fn cast(&mut self, value: Value, to: Type) -> Value {
        let from = self.function.ty(value);
        if from == to {
            return value;
        }
        if sroa::is_undef(self.function, value) {
            return self.function.constant(to, crate::ir::Constant::Undef);
        }
        let word = Type::Scalar(Scalar::int(self.pointer_bytes).unwrap_or(Scalar::I64));
        match (from, to) {
            (Type::Ptr(_), _) => {
                let bits = self.emit(InstKind::PtrToInt(value), word);
                self.cast(bits, to)
            }
            (_, Type::Ptr(_)) => {
                let bits = self.cast(value, word);
                self.emit(InstKind::IntToPtr(bits), to)
            }
            _ => self.emit(InstKind::Bitcast(value), to),
        }
    }
}

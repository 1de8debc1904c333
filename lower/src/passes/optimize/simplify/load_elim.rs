//! What is known to lie in memory: a load of what was loaded from or stored to the same place before, on every way, gives that
//! value where nothing between may have written there; a store of what lies there already is not needed, nor one that the same
//! block stores over before anything may have read it.
//!
//! [`Memory`] lists what the walk down the dominator tree knows at the place where it is. A block starts with what its immediate
//! dominator knew at its end, less what the blocks between may have written ([`Memory::enter`]). Which instructions write is asked
//! of the effects' table; how far a write reaches depends on where it goes ([`Area`]): what is not proven apart may be the same.
//!
//! Other work-items' writes need an order to be seen (OpenCL C 3.0 §6.15.12, Memory Consistency Model of the API's §3.3.6), which
//! atomics, fences and barriers give: each of these forgets all memory that others can reach, whatever its order and scope, since
//! programs of OpenCL 1.x rely on atomics without. So does a volatile access, and the head of a loop: a turn reads again what the
//! turn before has read.
//!
//! Buffers may be one memory, unless they are told to be apart ([`Apart`]).
//!
//! Volatile accesses are neither known nor replaced. Only places are looked at, after `lower_addresses`: pointers have no roots yet.

use super::noalias::Apart;
use crate::ir::cfg::Cfg;
use crate::ir::origins::Buffers;
use crate::ir::{
    BinaryOp, Block, Effects, Function, InstKind, MemFlags, Place, Results, Root, Scalar, Slot, Type, Value,
};
use smallvec::SmallVec;

/// How many places are known at once; the oldest are forgotten.
const MAX: usize = 48;

/// How many blocks between a block and its dominator are looked at.
const MAX_BLOCKS: usize = 48;

/// What a write to one place of may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Area {
    /// A variable of the work-item's own.
    Slot(Slot),
    /// The work-group's memory.
    Local,
    /// Buffers, and what lies in them.
    Global,
}

/// Some bytes of memory: `size` units from the unit number `base` + `offset` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    area: Area,
    /// `None`: all memory that has addresses.
    root: Option<Root>,
    /// Those that it may lie in; none where that is not known.
    buffers: Buffers,
    /// Bytes: elements where the index is computed.
    unit: u32,
    base: Option<Value>,
    /// Modulo 2 to the power of `bits`.
    offset: u64,
    bits: u32,
    size: u32,
}

impl Extent {
    /// The bytes of an access to a value of this type; `None` for what has no place yet.
    fn new(function: &Function, place: &Place, ty: Type, apart: &Apart<'_>) -> Option<Extent> {
        let (area, root, unit, index, size) = match *place {
            Place::Pointer(_) => return None,
            Place::Address(address) => (Area::Global, None, 1, address, ty.bytes()),
            Place::Element { root, scalar, lanes, index } => {
                let area = match root {
                    Root::Slot(slot) => Area::Slot(slot),
                    Root::Global(_) | Root::LocalArg(_) | Root::LocalArena => Area::Local,
                    _ => Area::Global,
                };
                (area, Some(root), scalar.bytes() * u32::from(lanes), index, 1)
            }
        };
        let bits = function.ty(index).scalar().filter(|s| s.is_int()).map_or(64, Scalar::bits);
        let (base, offset) = split(function, index);
        let buffers = if area == Area::Global { apart.buffers(function, place) } else { Buffers::NONE };
        let extent = Extent { area, root, buffers, unit, base, offset, bits, size };
        if base.is_some() {
            return Some(extent);
        }
        let offset = offset.checked_mul(unit.into())?;
        Some(Extent { unit: 1, offset, bits: 64, size: size * unit, ..extent })
    }

    /// Whether no byte is in both, whatever the bases are.
    fn is_apart(&self, other: &Extent, apart: &Apart<'_>) -> bool {
        if self.area != other.area || apart.are_apart(self.buffers, other.buffers) {
            return true;
        }
        if self.root != other.root {
            // Buffers may be one memory; what a work-group has is several variables, unless they became one.
            let own = |root| matches!(root, Some(Root::Global(_) | Root::LocalArg(_)));
            return self.area == Area::Local && own(self.root) && own(other.root);
        }
        if (self.base, self.unit, self.bits) != (other.base, other.unit, other.bits) {
            return false;
        }
        let mask = u64::MAX >> (64 - self.bits);
        let ahead = other.offset.wrapping_sub(self.offset) & mask;
        let behind = self.offset.wrapping_sub(other.offset) & mask;
        ahead >= self.size.into() && behind >= other.size.into()
    }
}

/// A number as a value and a constant that is added to it.
fn split(function: &Function, value: Value) -> (Option<Value>, u64) {
    if let Some(bits) = function.const_bits(value) {
        return (None, bits);
    }
    if function.ty(value).lanes() == 1
        && let Some(InstKind::Binary(BinaryOp::IAdd, a, b)) = function.def_inst(value).map(|i| &i.kind)
    {
        match (function.const_bits(*a), function.const_bits(*b)) {
            (_, Some(bits)) => return (Some(*a), bits),
            (Some(bits), None) => return (Some(*b), bits),
            (None, None) => {}
        }
    }
    (Some(value), 0)
}

/// What lies somewhere.
#[derive(Debug, Clone, Copy)]
struct Fact {
    at: Extent,
    value: Value,
}

/// How far a write reaches.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// The bytes that are stored to.
    Bytes(Extent),
    /// One private variable.
    Slot(Slot),
    /// All memory that others can reach.
    Shared,
    /// All memory.
    All,
}

impl Reach {
    /// What an instruction with effects that writes may change, or make others' writes seen of.
    fn of(function: &Function, kind: &InstKind, apart: &Apart<'_>) -> Reach {
        match kind {
            InstKind::Store { place, value, flags: MemFlags { volatile: false, .. } } => {
                Extent::new(function, place, function.ty(*value), apart).map_or(Reach::All, Reach::Bytes)
            }
            InstKind::Store { place, .. } | InstKind::Load { place, .. } | InstKind::Atomic { place, .. } => {
                match place {
                    Place::Element { root: Root::Slot(slot), .. } => Reach::Slot(*slot),
                    Place::Element { .. } | Place::Address(_) => Reach::Shared,
                    Place::Pointer(_) => Reach::All,
                }
            }
            InstKind::Barrier { .. }
            | InstKind::MemBarrier { .. }
            | InstKind::Clock(_)
            | InstKind::Image { .. } => Reach::Shared,
            _ => Reach::All,
        }
    }

    fn changes(&self, at: &Extent, apart: &Apart<'_>) -> bool {
        match self {
            Reach::Bytes(bytes) => !bytes.is_apart(at, apart),
            Reach::Slot(slot) => at.area == Area::Slot(*slot),
            Reach::Shared => !matches!(at.area, Area::Slot(_)),
            Reach::All => true,
        }
    }
}

/// What the instructions of a block may write.
#[derive(Debug, Clone, Default)]
struct Written {
    all: bool,
    local: bool,
    /// Any buffer.
    global: bool,
    /// These.
    buffers: Buffers,
    slots: SmallVec<[Slot; 4]>,
}

impl Written {
    fn by(function: &Function, block: Block, apart: &Apart<'_>) -> Written {
        let mut written = Written::default();
        for inst in &function.blocks[block].insts {
            let kind = &function.insts[*inst].kind;
            if kind.effects(function).writes {
                written.add(&Reach::of(function, kind, apart));
            }
        }
        written
    }

    fn add(&mut self, reach: &Reach) {
        match reach {
            Reach::Bytes(Extent { area: Area::Slot(slot), .. }) | Reach::Slot(slot) => {
                if !self.slots.contains(slot) {
                    self.slots.push(*slot);
                }
            }
            Reach::Bytes(Extent { area: Area::Local, .. }) => self.local = true,
            Reach::Bytes(Extent { area: Area::Global, buffers, .. }) => {
                self.global |= *buffers == Buffers::NONE;
                self.buffers = self.buffers.and(*buffers);
            }
            Reach::Shared => (self.local, self.global) = (true, true),
            Reach::All => self.all = true,
        }
    }

    fn changes(&self, at: &Extent, apart: &Apart<'_>) -> bool {
        self.all
            || match at.area {
                Area::Slot(slot) => self.slots.contains(&slot),
                Area::Local => self.local,
                Area::Global => {
                    let some = self.buffers != Buffers::NONE;
                    self.global || (some && !apart.are_apart(self.buffers, at.buffers))
                }
            }
    }
}

/// A store of the block at hand that nothing may have read yet.
struct Unread {
    at: Extent,
    /// Its number among the instructions that stay.
    number: usize,
}

/// What a load gives.
pub(super) enum Known {
    /// This value.
    Value(Value),
    /// The bits of this value, which has another type.
    Bits(Value),
}

/// What is known of memory at one place of the walk.
pub(super) struct Memory<'a> {
    apart: Apart<'a>,
    facts: Vec<Fact>,
    unread: Vec<Unread>,
    /// By block: what is known at its end, if it dominates others.
    ends: Vec<Vec<Fact>>,
    /// By block: what it writes, of those that were asked for.
    written: Vec<Option<Box<Written>>>,
    /// By block: the last block that a search was for which came by.
    seen: Vec<Option<Block>>,
    work: Vec<Block>,
}

impl<'a> Memory<'a> {
    /// Where nothing is known.
    pub fn new(apart: Apart<'a>) -> Self {
        Memory {
            apart,
            facts: Vec::new(),
            unread: Vec::new(),
            ends: Vec::new(),
            written: Vec::new(),
            seen: Vec::new(),
            work: Vec::new(),
        }
    }

    /// At the start of a block, whose instructions are in their place.
    pub fn enter(&mut self, function: &Function, graph: &Cfg, block: Block) {
        self.facts.clear();
        self.unread.clear();
        let Some(above) = graph.idom(block) else { return };
        let Some(known) = self.ends.get(above.0 as usize).filter(|known| !known.is_empty()) else { return };
        self.facts.extend_from_slice(known);
        if graph.preds(block).iter().all(|p| *p == above) {
            return;
        }
        let count = function.blocks.len();
        self.seen.resize(count, None);
        self.written.resize(count, None);
        self.work.clear();
        self.work.extend_from_slice(graph.preds(block));
        let mut left = MAX_BLOCKS;
        while let Some(at) = self.work.pop() {
            let n = at.0 as usize;
            if at == above || self.seen[n].replace(block) == Some(block) {
                continue;
            }
            if left == 0 || self.facts.is_empty() {
                self.facts.clear();
                return;
            }
            left -= 1;
            let written =
                self.written[n].get_or_insert_with(|| Box::new(Written::by(function, at, &self.apart)));
            self.facts.retain(|fact| !written.changes(&fact.at, &self.apart));
            if at == block {
                // A turn of a loop sees what others have written since the last.
                self.facts.retain(|fact| matches!(fact.at.area, Area::Slot(_)));
            }
            self.work.extend_from_slice(graph.preds(at));
        }
    }

    /// At the end of a block.
    pub fn leave(&mut self, graph: &Cfg, block: Block) {
        if !self.facts.is_empty() && !graph.dominated(block).is_empty() {
            let n = block.0 as usize;
            if self.ends.len() <= n {
                self.ends.resize_with(n + 1, Vec::new);
            }
            self.ends[n].clone_from(&self.facts);
        }
    }

    /// What a load that may be left out gives, if that is known.
    pub fn loaded(&self, function: &Function, place: &Place, ty: Type) -> Option<Known> {
        let at = Extent::new(function, place, ty, &self.apart)?;
        let fact = self.facts.iter().rev().find(|fact| fact.at == at)?;
        let from = function.ty(fact.value);
        if from == ty {
            return Some(Known::Value(fact.value));
        }
        // Smaller types may be for memory alone.
        let whole = |ty: Type| ty.scalar().is_some_and(|s| s.bits() >= 32);
        (from.bytes() == ty.bytes() && whole(from) && whole(ty)).then_some(Known::Bits(fact.value))
    }

    /// Whether an instruction stores what lies there already.
    pub fn is_stored(&self, function: &Function, kind: &InstKind) -> bool {
        let InstKind::Store { place, value, flags: MemFlags { volatile: false, .. } } = kind else {
            return false;
        };
        Extent::new(function, place, function.ty(*value), &self.apart)
            .is_some_and(|at| self.facts.iter().any(|fact| fact.at == at && fact.value == *value))
    }

    /// Takes note of an instruction that stays as number `number` of its block. Gives the number of a store that it makes
    /// needless.
    pub fn note(
        &mut self,
        function: &Function,
        kind: &InstKind,
        results: &Results,
        effects: Effects,
        number: usize,
    ) -> Option<usize> {
        let apart = &self.apart;
        let reach = effects.writes.then(|| Reach::of(function, kind, apart));
        if let Some(reach) = &reach {
            self.facts.retain(|fact| !reach.changes(&fact.at, apart));
        }
        let (place, value) = match kind {
            InstKind::Load { place, flags } if !flags.volatile => (place, *results.first()?),
            InstKind::Store { place, value, flags } if !flags.volatile => (place, *value),
            _ => {
                // Whatever it reads of private memory it names; what it writes others may see, and what they read is ordered by it.
                let reads = reach.unwrap_or(Reach::All);
                self.unread.retain(|store| !reads.changes(&store.at, apart));
                return None;
            }
        };
        let Some(at) = Extent::new(function, place, function.ty(value), apart) else {
            self.unread.clear();
            return None;
        };
        let mut needless = None;
        if reach.is_none() {
            self.unread.retain(|store| store.at.is_apart(&at, apart));
        } else {
            if let Some(n) = self.unread.iter().position(|store| store.at == at) {
                needless = Some(self.unread.swap_remove(n).number);
            }
            if self.unread.len() == MAX {
                self.unread.remove(0);
            }
            self.unread.push(Unread { at, number });
        }
        if self.facts.len() == MAX {
            self.facts.remove(0);
        }
        self.facts.push(Fact { at, value });
        needless
    }
}

#[cfg(test)]
mod tests {
    use crate::context::PassContext;
    use crate::ir::text;
    use crate::{LowerOptions, Target};

    /// The function after the pass.
    fn after(body: &str) -> String {
        let source = format!(
            "module resolved bits=64\nfunc f0 \"f\" returns (i32, i32)\n  slot s0 size=64 align=4\n  slot s1 size=64 align=4\n\
             b0(v0: i64, v1: i64, v2: i32, v3: i32, v4: bool):\n{body}"
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (target, options) = (Target::minimum(), LowerOptions::default());
        super::super::run(&mut module, &PassContext { target: &target, options: &options })
            .expect("never fails");
        module.to_string()
    }

    /// How many loads and stores are left of two loads of a place with something between.
    fn left(place: &str, between: &str) -> (usize, usize) {
        let load = |v: &str| format!("  {v}: i32 = load {place}, align=4\n");
        let text = after(&[&load("v10"), between, &load("v11"), "  return(v10, v11)\n"].concat());
        (text.matches("= load").count(), text.matches("  store").count() + text.matches("= atomic").count())
    }

    const MINE: &str = "s0.i32[v2]";
    const GROUPS: &str = "localarg0.i32[v2]";
    const BUFFERS: &str = "arg0.i32[v2]";
    const ADDRESSED: &str = "address[v0]";
    const ALL: [&str; 4] = [MINE, GROUPS, BUFFERS, ADDRESSED];

    #[test]
    fn what_is_known_is_not_loaded_again() {
        for place in ALL {
            assert_eq!(left(place, ""), (1, 0), "{place}");
            // What was stored there.
            let store = format!("  store {place}, v3, align=4\n");
            assert_eq!(left(place, &store), (1, 1), "{place}");
            // Stores elsewhere, of which the last counts.
            let other = if [MINE, GROUPS].contains(&place) { "arg3" } else { "localarg3" };
            let elsewhere = format!("  store {other}.i32[v3], v2, align=4\n").repeat(2);
            assert_eq!(left(place, &elsewhere), (1, 1), "{place}");
            // The same value again.
            let again = format!("  v20: i32 = load {place}, align=4\n  store {place}, v20, align=4\n");
            assert_eq!(left(place, &again), (1, 0), "{place}");
        }
        // Other types of the same size.
        let punned = "  store arg0.f32[v2], f32:1.5, align=4\n  v10: i32 = load arg0.i32[v2], align=4\n  return(v10, v10)\n";
        assert!(!after(punned).contains("= load"), "{}", after(punned));
        let smaller = "  store arg0.i16[v2], i16:1, align=2\n  v10: i32 = load arg0.i32[v2], align=4\n  return(v10, v10)\n";
        assert!(after(smaller).contains("= load"), "{}", after(smaller));
    }

    #[test]
    fn whatever_may_write_there_is_heeded() {
        let store = |place: &str| format!("  store {place}, v3, align=4\n");
        for (place, between, loads) in [
            // Another element of the same variable; one that is certainly another.
            (MINE, store("s0.i32[v3]"), 2),
            (MINE, "  v20: i32 = iadd v2, i32:1\n".to_owned() + &store("s0.i32[v20]"), 1),
            (MINE, "  v20: i32 = iadd v2, i32:1\n  store s0.i32x2[v20], i32x2:1, align=4\n".to_owned(), 2),
            (MINE, "  store s0.i8[v2], i8:1, align=1\n".to_owned(), 2),
            (MINE, store(GROUPS) + &store(BUFFERS) + &store(ADDRESSED), 1),
            (MINE, store("s0.i32[v3]").replace("align=4", "align=4 volatile"), 2),
            ("s0.i32[i32:3]", store("s0.i32[i32:4]"), 1),
            ("s0.i32[i32:3]", "  store s0.i8[i32:12], i8:1, align=1\n".to_owned(), 2),
            ("s0.i32[i32:3]", "  store s0.i8[i32:16], i8:1, align=1\n".to_owned(), 1),
            ("s0.i32[i32:3]", store("s0.i32[v3]"), 2),
            // What a work-group has is several variables, or one.
            (GROUPS, store("localarg1.i32[v2]") + &store(BUFFERS), 1),
            (GROUPS, store("localarg0.i32[v3]"), 2),
            (GROUPS, store("localarena.i32[v3]"), 2),
            // Buffers may be one memory.
            (BUFFERS, store("arg1.i32[v3]"), 2),
            (BUFFERS, store("window1.i32[v2]"), 2),
            (BUFFERS, store(ADDRESSED), 2),
            (BUFFERS, store("globals.i32[v3]"), 2),
            (ADDRESSED, store("address[v1]"), 2),
            (ADDRESSED, "  v20: i64 = iadd v0, i64:4\n".to_owned() + &store("address[v20]"), 1),
            (ADDRESSED, "  v20: i64 = iadd v0, i64:3\n".to_owned() + &store("address[v20]"), 2),
            (ADDRESSED, "  v20: i64 = iadd v0, i64:-4\n".to_owned() + &store("address[v20]"), 1),
        ] {
            assert_eq!(left(place, &between).0, loads, "{place}\n{between}");
        }
    }

    /// How often a kernel with these arguments loads from the start of the first before and after something.
    fn loads_around(header: &str, args: [&str; 2], between: &str) -> usize {
        let arg = |n: usize| format!("  arg \"a{n}\" \"int*\" () pointer {}\n", args[n]);
        let source = format!(
            "module resolved bits=64{header}\nkernel \"k\" f0\n{}{}  plan address \"{BLOCK}\"\nfunc f0 \"k\" returns ()\nb0():\n{ADDRESSES}\
             v10: i32 = load address[v5], align=4\n{between}  v11: i32 = load address[v5], align=4\n  v12: i32 = iadd v10, v11\n  \
             store address[v6], v12, align=4\n  return()\n",
            arg(0),
            arg(1)
        );
        let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let (target, options) = (Target::minimum(), LowerOptions::default());
        super::super::run(&mut module, &PassContext { target: &target, options: &options })
            .expect("never fails");
        module.to_string().matches("= load address[v5]").count()
    }

    /// Whether what was loaded is known after something.
    fn is_known_beyond(header: &str, args: [&str; 2], between: &str) -> bool {
        loads_around(header, args, between) == 1
    }

    const BLOCK: &str = concat!(
        r#"{\"size\":24,\"place\":\"push_constants\",\"members\":[{\"offset\":0,\"size\":8,\"source\":{\"argument_address\":0}},"#,
        r#"{\"offset\":8,\"size\":8,\"source\":{\"argument_address\":1}},{\"offset\":16,\"size\":8,\"source\":{\"argument\":2}}]}"#
    );
    /// v5 and v6 are the buffers, v7 is a value of 64 bits.
    const ADDRESSES: &str = "  v1: i32 = load block.i32[i32:0], align=4\n  v2: i32 = load block.i32[i32:1], align=4\n  \
        v3: i32 = load block.i32[i32:2], align=4\n  v4: i32 = load block.i32[i32:3], align=4\n  \
        v20: i32 = load block.i32[i32:4], align=4\n  v21: i32 = load block.i32[i32:5], align=4\n  \
        v22: i32x2 = construct(v1, v2)\n  v23: i32x2 = construct(v3, v4)\n  v24: i32x2 = construct(v20, v21)\n  \
        v5: i64 = bitcast v22\n  v6: i64 = bitcast v23\n  v7: i64 = bitcast v24\n";

    #[test]
    fn buffers_that_are_apart_are_kept_apart() {
        let store = |address: &str| format!("{address}  store address[v30], i32:7, align=4\n");
        let (global, restrict) = ("global", "global restrict");
        let other = store("  v31: i64 = imul v7, i64:4\n  v30: i64 = iadd v6, v31\n");
        assert!(!is_known_beyond("", [global, global], &other));
        assert!(is_known_beyond(" apart", [global, global], &other));
        assert!(is_known_beyond("", [global, restrict], &other));
        assert!(is_known_beyond("", [restrict, global], &other));
        assert!(is_known_beyond("", ["constant", global], &other));
        for elsewhere in [
            // The buffer itself; either; an address that was given or made of several.
            "  v31: i64 = imul v7, i64:4\n  v30: i64 = iadd v5, v31\n",
            "  v31: bool = icmp.eq v1, i32:0\n  v30: i64 = select v31, v5, v6\n",
            "  v30: i64 = iadd v7, i64:4\n",
            "  v30: i64 = iadd v6, v7\n",
            "  v31: i64 = isub v5, v6\n  v30: i64 = iadd v6, v31\n",
            "  v31: i64 = isub v5, v6\n  v32: i64 = sdiv v31, i64:4\n  v33: i64 = imul v32, i64:4\n  v30: i64 = iadd v6, v33\n",
            "  v31: i64 = xor v5, v6\n  v30: i64 = xor v6, v31\n",
        ] {
            assert!(!is_known_beyond(" apart", [global, global], &store(elsewhere)), "{elsewhere}");
        }
        // Others' writes are seen all the same.
        assert!(!is_known_beyond(" apart", [global, restrict], "  membarrier device acquire|global\n"));
        // An address that goes round a loop within a buffer, and one that leaves it. A turn reads anew.
        let in_loop = |step: &str| {
            let turn = format!(
                "  br b1(v6, i32:0)\nb1(v40: i64, v41: i32):\n  v50: i32 = load address[v5], align=4\n  store address[v40], v50, align=4\n  \
                 v51: i32 = load address[v5], align=4\n  store address[v40], v51, align=4\n{step}  v42: i32 = iadd v41, i32:1\n  \
                 v43: bool = icmp.ult v42, v3\n  condbr v43, b1(v44, v42), b2()\nb2():\n"
            );
            loads_around(" apart", [global, global], &turn)
        };
        assert_eq!(in_loop("  v44: i64 = iadd v40, i64:4\n"), 2);
        assert_eq!(in_loop("  v44: i64 = xor v40, v7\n"), 4);
        assert_eq!(in_loop("  v44: i64 = and v40, i64:-16\n"), 4);
    }

    #[test]
    fn others_writes_are_seen_again() {
        for (between, loads) in [
            ("  barrier workgroup workgroup acquire|release|local\n", [1, 2, 2, 2]),
            ("  membarrier workgroup acquire|release|local\n", [1, 2, 2, 2]),
            ("  v20: i32 = atomic.iadd localarg1.i32[v3] (i32:1) device relaxed\n", [1, 2, 2, 2]),
            ("  v20: i32 = atomic.load arg1.i32[v3] () device relaxed\n", [1, 2, 2, 2]),
            ("  v20: i32 = load arg1.i32[v3], align=4 volatile\n", [1, 2, 2, 2]),
            ("  v20: i32 = atomic.iadd s0.i32[v3] (i32:1) device relaxed\n", [2, 1, 1, 1]),
            ("  call f0(v0, v1, v2, v3, v4)\n", [2, 2, 2, 2]),
        ] {
            let between = between.replace("call f0", "v30: i32, v31: i32 = call f0");
            for (place, loads) in ALL.iter().zip(loads) {
                let volatile = usize::from(between.contains("volatile"));
                assert_eq!(left(place, &between).0, loads + volatile, "{place}\n{between}");
            }
        }
    }

    #[test]
    fn stores_that_nothing_reads_are_left_out() {
        let stores = |between: &str| {
            let body = format!(
                "  store arg0.i32[v2], i32:1, align=4\n{between}  store arg0.i32[v2], v3, align=4\n  return(v2, v3)\n"
            );
            after(&body).matches("store arg0").count()
        };
        assert_eq!(stores(""), 1);
        assert_eq!(stores("  store arg1.i32[v2], i32:1, align=4\n"), 1);
        let read = "  v20: i32 = load arg1.i32[v3], align=4\n  store s0.i32[v3], v20, align=4\n";
        let kept = "  v21: i32 = load s0.i32[v2], align=4\n  store arg2.i32[v2], v21, align=4\n";
        assert_eq!(stores(&[read, kept].concat()), 2);
        assert_eq!(stores("  membarrier device acquire|release|global\n"), 2);
        assert_eq!(stores("  v20: i32 = atomic.iadd arg1.i32[v3] (i32:1) device relaxed\n"), 2);
        assert_eq!(stores("  v20: i32 = load arg1.i32[v3], align=4 volatile\n"), 2);
        assert_eq!(stores("  store arg0.i32[v2], v3, align=4 volatile\n"), 3);
    }

    #[test]
    fn only_what_holds_on_every_way_is_known() {
        let load = |v: &str, place: &str| format!("  {v}: i32 = load {place}, align=4\n");
        let loads = |text: &str| text.matches("= load").count();
        for place in ALL {
            let first = load("v10", place);
            let last = load("v11", place) + "  return(v10, v11)\n";
            // A branch, of which one way writes, or none does.
            let branch = |way: &str| {
                after(&format!("{first}  condbr v4, b1(), b2()\nb1():\n{way}  br b2()\nb2():\n{last}"))
            };
            assert_eq!(loads(&branch("  store s1.i32[v3], v3, align=4\n")), 1, "{place}");
            assert_eq!(loads(&branch(&format!("  store {place}, v3, align=4\n"))), 2, "{place}");
            // A loop that writes below, or that may see what others write.
            let turns = |way: &str| {
                let condition = "  v12: bool = icmp.eq v11, v3\n  condbr v12, b1(), b2()\n";
                after(&format!(
                    "{first}  br b1()\nb1():\n{}{way}{condition}b2():\n  return(v10, v11)\n",
                    load("v11", place)
                ))
            };
            assert_eq!(loads(&turns("")), if place == MINE { 1 } else { 2 }, "{place}");
            assert_eq!(loads(&turns(&format!("  store {place}, v2, align=4\n"))), 2, "{place}");
        }
    }
}

//! Redundant-load and dead-store elimination.
//!
//! A load takes the value that was loaded from or stored to the same address before, on every path, where nothing between may have written
//! there. A store goes that writes the value which is there already. So does a store that the same block overwrites before anything may read it.
//!
//! ```text
//! store p, v1; v2 = load p; store q, v2; store q, v3    →    store p, v1; store q, v3
//! ```
//!
//! [`Memory`] holds the known contents at the current point of the walk over the dominator tree. A block starts with the facts at the end of its
//! immediate dominator, less what the blocks between may have written ([`Memory::enter`]). The table of effects says which instructions
//! write. The reach of a write depends on its address ([`Area`]): accesses may alias unless they are proven disjoint.
//!
//! Stores of other work-items need an order to become visible (OpenCL C 3.0 §6.15.12; Memory Consistency Model, API §3.3.6). Atomics, fences and
//! barriers give one: each forgets all memory that other work-items can reach, whatever its order and scope. Programs of OpenCL 1.x rely on
//! atomics without orders. Volatile accesses forget it, too, and so does the header of a loop: an iteration reads again what the one before has
//! read.
//!
//! Buffers may alias, except as [`NoAlias`] says.
//!
//! Volatile accesses are neither remembered nor replaced. Pointer values have no known base objects, so nothing happens before
//! `lower_addresses`.

use crate::analysis::alias::origins::Buffers;
use crate::analysis::alias::{Area, Extent, NoAlias};
use crate::ir::cfg::Cfg;
use crate::ir::{Block, Effects, Function, InstKind, MemFlags, Place, Results, Slot, Type, Value};
use smallvec::SmallVec;

/// Limit on the known addresses; the oldest are forgotten.
const MAX_FACTS: usize = 48;

/// Limit on the blocks between a block and its dominator.
const MAX_BLOCKS: usize = 48;

/// The known contents of a range.
#[derive(Debug, Clone, Copy)]
struct Fact {
    at: Extent,
    value: Value,
}

/// The memory that a write may change.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// The stored range.
    Bytes(Extent),
    /// One private variable.
    Slot(Slot),
    /// All memory that other work-items can reach.
    Shared,
    /// All memory.
    All,
    /// No memory: the instruction must only stay.
    Nothing,
}

impl Reach {
    /// The memory that an instruction with effects may change, or in which it may make other work-items' stores visible.
    fn from_inst(function: &Function, kind: &InstKind, noalias: &NoAlias<'_>) -> Reach {
        match kind {
            InstKind::Store { place, value, flags: MemFlags { volatile: false, .. } } => {
                Extent::new(function, place, function.ty(*value), noalias).map_or(Reach::All, Reach::Bytes)
            }
            InstKind::Store { place, .. } | InstKind::Load { place, .. } | InstKind::Atomic { place, .. } => {
                match Area::from_place(place) {
                    Some(Area::Slot(slot)) => Reach::Slot(slot),
                    Some(Area::Local | Area::Global) => Reach::Shared,
                    None => Reach::All,
                }
            }
            InstKind::Barrier { .. }
            | InstKind::MemBarrier { .. }
            | InstKind::Clock(_)
            | InstKind::Image { .. } => Reach::Shared,
            InstKind::MemberAccess { .. } => Reach::Nothing,
            _ => Reach::All,
        }
    }

    fn changes(&self, at: &Extent, noalias: &NoAlias<'_>) -> bool {
        match self {
            Reach::Bytes(bytes) => !bytes.is_disjoint(at, noalias),
            Reach::Slot(slot) => at.area == Area::Slot(*slot),
            Reach::Shared => !matches!(at.area, Area::Slot(_)),
            Reach::All => true,
            Reach::Nothing => false,
        }
    }
}

/// The memory that the instructions of a block may write.
#[derive(Debug, Clone, Default)]
struct Written {
    all: bool,
    local: bool,
    /// Any buffer.
    global: bool,
    /// These buffers.
    buffers: Buffers,
    slots: SmallVec<[Slot; 4]>,
}

impl Written {
    fn from_block(function: &Function, block: Block, noalias: &NoAlias<'_>) -> Written {
        let mut written = Written::default();
        for inst in &function.blocks[block].insts {
            let kind = &function.insts[*inst].kind;
            if kind.effects(function).writes {
                written.add(&Reach::from_inst(function, kind, noalias));
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
            Reach::Nothing => {}
        }
    }

    fn changes(&self, at: &Extent, noalias: &NoAlias<'_>) -> bool {
        self.all
            || match at.area {
                Area::Slot(slot) => self.slots.contains(&slot),
                Area::Local => self.local,
                Area::Global => {
                    let some = self.buffers != Buffers::NONE;
                    self.global || (some && !noalias.never_alias(self.buffers, at.buffers))
                }
            }
    }
}

/// A store of the current block that nothing may have read yet.
struct Unread {
    at: Extent,
    /// Its index among the remaining instructions.
    number: usize,
}

/// The known result of a load.
pub(super) enum Known {
    /// This value.
    Value(Value),
    /// The bits of this value, which has another type.
    Bits(Value),
}

/// The known contents of memory at the current point of the walk.
pub(super) struct Memory<'a> {
    noalias: NoAlias<'a>,
    facts: Vec<Fact>,
    unread: Vec<Unread>,
    /// By block: the facts at its end, if it dominates others.
    ends: Vec<Vec<Fact>>,
    /// By block: the memory that it writes, computed on demand.
    written: Vec<Option<Box<Written>>>,
    /// By block: the start of the last search that visited it.
    seen: Vec<Option<Block>>,
    work: Vec<Block>,
}

impl<'a> Memory<'a> {
    /// Memory without any facts.
    pub fn new(noalias: NoAlias<'a>) -> Self {
        Memory {
            noalias,
            facts: Vec::new(),
            unread: Vec::new(),
            ends: Vec::new(),
            written: Vec::new(),
            seen: Vec::new(),
            work: Vec::new(),
        }
    }

    /// Starts a block. Its instructions must be in the function.
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
            let written = self.written[n]
                .get_or_insert_with(|| Box::new(Written::from_block(function, at, &self.noalias)));
            self.facts.retain(|fact| !written.changes(&fact.at, &self.noalias));
            if at == block {
                // An iteration of a loop sees what other work-items have written since the one before.
                self.facts.retain(|fact| matches!(fact.at.area, Area::Slot(_)));
            }
            self.work.extend_from_slice(graph.preds(at));
        }
    }

    /// Ends a block.
    pub fn leave(&mut self, graph: &Cfg, block: Block) {
        if !self.facts.is_empty() && !graph.dominated(block).is_empty() {
            let n = block.0 as usize;
            if self.ends.len() <= n {
                self.ends.resize_with(n + 1, Vec::new);
            }
            self.ends[n].clone_from(&self.facts);
        }
    }

    /// The known result of a load.
    pub fn loaded(&self, function: &Function, place: &Place, ty: Type) -> Option<Known> {
        let at = Extent::new(function, place, ty, &self.noalias)?;
        let fact = self.facts.iter().rev().find(|fact| fact.at == at)?;
        let from = function.ty(fact.value);
        if from == ty {
            return Some(Known::Value(fact.value));
        }
        // Smaller types may be legal for memory alone.
        let whole = |ty: Type| ty.scalar().is_some_and(|s| s.bits() >= 32);
        (from.bytes() == ty.bytes() && whole(from) && whole(ty)).then_some(Known::Bits(fact.value))
    }

    /// Whether an instruction stores the value that is there already.
    pub fn is_stored(&self, function: &Function, kind: &InstKind) -> bool {
        let InstKind::Store { place, value, flags: MemFlags { volatile: false, .. } } = kind else {
            return false;
        };
        Extent::new(function, place, function.ty(*value), &self.noalias)
            .is_some_and(|at| self.facts.iter().any(|fact| fact.at == at && fact.value == *value))
    }

    /// Records an instruction that stays as number `number` of its block. Returns the number of a store that it makes dead.
    pub fn note(
        &mut self,
        function: &Function,
        kind: &InstKind,
        results: &Results,
        effects: Effects,
        number: usize,
    ) -> Option<usize> {
        let noalias = &self.noalias;
        let reach = effects.writes.then(|| Reach::from_inst(function, kind, noalias));
        if let Some(reach) = &reach {
            self.facts.retain(|fact| !reach.changes(&fact.at, noalias));
        }
        let (place, value) = match kind {
            InstKind::Load { place, flags } if !flags.volatile => (place, *results.first()?),
            InstKind::Store { place, value, flags } if !flags.volatile => (place, *value),
            _ => {
                // It names the private memory that it reads. Other work-items may see what it writes, and it orders what they read.
                let reads = reach.unwrap_or(Reach::All);
                self.unread.retain(|store| !reads.changes(&store.at, noalias));
                return None;
            }
        };
        let Some(at) = Extent::new(function, place, function.ty(value), noalias) else {
            self.unread.clear();
            return None;
        };
        let mut dead = None;
        if reach.is_none() {
            self.unread.retain(|store| store.at.is_disjoint(&at, noalias));
        } else {
            if let Some(n) = self.unread.iter().position(|store| store.at == at) {
                dead = Some(self.unread.swap_remove(n).number);
            }
            if self.unread.len() == MAX_FACTS {
                self.unread.remove(0);
            }
            self.unread.push(Unread { at, number });
        }
        if self.facts.len() == MAX_FACTS {
            self.facts.remove(0);
        }
        self.facts.push(Fact { at, value });
        dead
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

    /// The numbers of loads and stores that are left of two loads of an address with code between.
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
    fn known_contents_are_not_loaded_again() {
        for place in ALL {
            assert_eq!(left(place, ""), (1, 0), "{place}");
            // The stored value.
            let store = format!("  store {place}, v3, align=4\n");
            assert_eq!(left(place, &store), (1, 1), "{place}");
            // Stores elsewhere: only the last one stays.
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
        // Zeros are equal, and have other bits.
        let zeros = "  store arg0.f32[v2], f32:0.0, align=4\n  store arg0.f32[v2], f32:-0.0, align=4\n  return(v2, v2)\n";
        assert!(after(zeros).contains("f32:-0.0"), "{}", after(zeros));
        let smaller = "  store arg0.i16[v2], i16:1, align=2\n  v10: i32 = load arg0.i32[v2], align=4\n  return(v10, v10)\n";
        assert!(after(smaller).contains("= load"), "{}", after(smaller));
    }

    #[test]
    fn stores_that_may_alias_forget_contents() {
        let store = |place: &str| format!("  store {place}, v3, align=4\n");
        for (place, between, loads) in [
            // An element that may be the same; one that is certainly another.
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
            // A work-group has several variables, or one arena.
            (GROUPS, store("localarg1.i32[v2]") + &store(BUFFERS), 1),
            (GROUPS, store("localarg0.i32[v3]"), 2),
            (GROUPS, store("localarena.i32[v3]"), 2),
            // Buffers may alias.
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

    /// The number of loads from the start of the first argument, of two with code between, in a kernel with these arguments.
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

    /// Whether a loaded value is still known behind some code.
    fn is_known_behind(header: &str, args: [&str; 2], between: &str) -> bool {
        loads_around(header, args, between) == 1
    }

    const BLOCK: &str = concat!(
        r#"{\"size\":24,\"location\":\"push_constants\",\"members\":[{\"offset\":0,\"size\":8,\"source\":{\"argument_address\":0}},"#,
        r#"{\"offset\":8,\"size\":8,\"source\":{\"argument_address\":1}},{\"offset\":16,\"size\":8,\"source\":{\"argument\":2}}]}"#
    );
    /// v5 and v6 are the buffers, v7 is a value of 64 bits.
    const ADDRESSES: &str = "  v1: i32 = load block.i32[i32:0], align=4\n  v2: i32 = load block.i32[i32:1], align=4\n  \
        v3: i32 = load block.i32[i32:2], align=4\n  v4: i32 = load block.i32[i32:3], align=4\n  \
        v20: i32 = load block.i32[i32:4], align=4\n  v21: i32 = load block.i32[i32:5], align=4\n  \
        v22: i32x2 = construct(v1, v2)\n  v23: i32x2 = construct(v3, v4)\n  v24: i32x2 = construct(v20, v21)\n  \
        v5: i64 = bitcast v22\n  v6: i64 = bitcast v23\n  v7: i64 = bitcast v24\n";

    #[test]
    fn buffers_that_never_alias_keep_their_facts() {
        let store = |address: &str| format!("{address}  store address[v30], i32:7, align=4\n");
        let (global, restrict) = ("global", "global restrict");
        let other = store("  v31: i64 = imul v7, i64:4\n  v30: i64 = iadd v6, v31\n");
        assert!(!is_known_behind("", [global, global], &other));
        assert!(is_known_behind(" noalias", [global, global], &other));
        assert!(is_known_behind("", [global, restrict], &other));
        assert!(is_known_behind("", [restrict, global], &other));
        assert!(is_known_behind("", ["constant", global], &other));
        for elsewhere in [
            // The buffer itself; either buffer; an address from outside, or one of several.
            "  v31: i64 = imul v7, i64:4\n  v30: i64 = iadd v5, v31\n",
            "  v31: bool = icmp.eq v1, i32:0\n  v30: i64 = select v31, v5, v6\n",
            "  v30: i64 = iadd v7, i64:4\n",
            "  v30: i64 = iadd v6, v7\n",
            "  v31: i64 = isub v5, v6\n  v30: i64 = iadd v6, v31\n",
            "  v31: i64 = isub v5, v6\n  v32: i64 = sdiv v31, i64:4\n  v33: i64 = imul v32, i64:4\n  v30: i64 = iadd v6, v33\n",
            "  v31: i64 = xor v5, v6\n  v30: i64 = xor v6, v31\n",
        ] {
            assert!(!is_known_behind(" noalias", [global, global], &store(elsewhere)), "{elsewhere}");
        }
        // Stores of other work-items are visible all the same.
        assert!(!is_known_behind(" noalias", [global, restrict], "  membarrier device acquire|global\n"));
        // A loop-carried address that stays in a buffer, and one that leaves it. An iteration reads again.
        let in_loop = |step: &str| {
            let loop_body = format!(
                "  br b1(v6, i32:0)\nb1(v40: i64, v41: i32):\n  v50: i32 = load address[v5], align=4\n  store address[v40], v50, align=4\n  \
                 v51: i32 = load address[v5], align=4\n  store address[v40], v51, align=4\n{step}  v42: i32 = iadd v41, i32:1\n  \
                 v43: bool = icmp.ult v42, v3\n  condbr v43, b1(v44, v42), b2()\nb2():\n"
            );
            loads_around(" noalias", [global, global], &loop_body)
        };
        assert_eq!(in_loop("  v44: i64 = iadd v40, i64:4\n"), 2);
        assert_eq!(in_loop("  v44: i64 = xor v40, v7\n"), 4);
        assert_eq!(in_loop("  v44: i64 = and v40, i64:-16\n"), 4);
    }

    #[test]
    fn stores_of_other_work_items_are_visible() {
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
    fn dead_stores_are_removed() {
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
    fn facts_hold_on_every_path() {
        let load = |v: &str, place: &str| format!("  {v}: i32 = load {place}, align=4\n");
        let loads = |text: &str| text.matches("= load").count();
        for place in ALL {
            let first = load("v10", place);
            let last = load("v11", place) + "  return(v10, v11)\n";
            // A branch of which one arm writes, or none.
            let branch = |code: &str| {
                after(&format!("{first}  condbr v4, b1(), b2()\nb1():\n{code}  br b2()\nb2():\n{last}"))
            };
            assert_eq!(loads(&branch("  store s1.i32[v3], v3, align=4\n")), 1, "{place}");
            assert_eq!(loads(&branch(&format!("  store {place}, v3, align=4\n"))), 2, "{place}");
            // A loop that writes later, or that may see stores of other work-items.
            let in_loop = |code: &str| {
                let condition = "  v12: bool = icmp.eq v11, v3\n  condbr v12, b1(), b2()\n";
                after(&format!(
                    "{first}  br b1()\nb1():\n{}{code}{condition}b2():\n  return(v10, v11)\n",
                    load("v11", place)
                ))
            };
            assert_eq!(loads(&in_loop("")), if place == MINE { 1 } else { 2 }, "{place}");
            assert_eq!(loads(&in_loop(&format!("  store {place}, v2, align=4\n"))), 2, "{place}");
        }
    }
}

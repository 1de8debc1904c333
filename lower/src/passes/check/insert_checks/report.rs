//! The table of sites, and the code that reports a fault.

use crate::check::{
    Access, CheckTable, Checks, Fault, MAX_SITES, Object, ObjectKind, SITE_WORDS, SourceText,
};
use crate::ir::{
    AtomicOp, BinaryOp, ConvertOp, Function, InstKind, IntCC, MemFlags, Module, Place, Root, Scope,
    Semantics, SourceLine, Space, Type, Value, WorkItem,
};
use crate::printf::HEADER_WORDS;
use crate::transform::rewriter::{Rewriter, Site as Point};
use rustc_hash::FxHashMap;

/// The flags of accesses of entries.
const WORD: MemFlags = MemFlags { align: 4, volatile: false };

/// The object that no pointer is known to point into: entry 0 of the table.
pub(super) const UNKNOWN: u32 = 0;
/// The null pointer: entry 1 of the table.
pub(super) const NULL: u32 = 1;

/// A fault as the pass describes it.
#[derive(Debug, Clone, Copy)]
pub(in crate::passes::check) struct SiteFault {
    pub fault: Fault,
    pub access: Access,
    pub size: u32,
}

/// The values of a report: the object's number (an i32), and two numbers of 64 bits.
#[derive(Debug, Clone, Copy)]
pub(in crate::passes::check) struct ReportValues {
    pub object: Value,
    pub value: Value,
    pub limit: Value,
}

/// Collects the sites of one kernel.
pub(in crate::passes::check) struct Reporter<'m> {
    module: &'m Module,
    kernel: usize,
    pub checks: Checks,
    table: CheckTable,
    sites: FxHashMap<crate::check::Site, u32>,
    roots: FxHashMap<Root, u32>,
    files: FxHashMap<u16, u32>,
    places: FxHashMap<crate::check::UsePlace, u32>,
    /// The sites of an earlier pass, which [`InstKind::FaultIf`] names.
    found: CheckTable,
}

impl<'m> Reporter<'m> {
    /// Collects the sites of a kernel.
    pub fn new(module: &'m Module, kernel: usize, checks: Checks) -> Self {
        let object = |kind| Object { kind, name: String::new() };
        let objects = vec![object(ObjectKind::Unknown), object(ObjectKind::Null)];
        Reporter {
            module,
            kernel,
            checks,
            table: CheckTable { objects, ..CheckTable::default() },
            sites: FxHashMap::default(),
            roots: FxHashMap::default(),
            files: FxHashMap::default(),
            places: FxHashMap::default(),
            found: module.kernels[kernel].printf.checks.clone(),
        }
    }

    /// The table, with the lines of the source that its sites are on.
    pub fn finish(mut self) -> CheckTable {
        self.table.cells = std::mem::take(&mut self.found.cells);
        if self.table.sites.is_empty() {
            return CheckTable::default();
        }
        for (file, number) in &self.files {
            let Some(Some(text)) = self.module.debug.texts.get(file) else { continue };
            let mut wanted: Vec<u32> =
                self.table.sites.iter().filter(|s| s.file == *number).map(|s| s.line).collect();
            wanted.sort_unstable();
            wanted.dedup();
            let all: Vec<&str> = text.lines().collect();
            let line = |n: &u32| Some((*n, (*all.get((*n as usize).checked_sub(1)?)?).to_owned()));
            self.table.files[*number as usize].lines = wanted.iter().filter_map(line).collect();
        }
        self.table
    }

    /// The number of the object that a root is.
    pub fn object(&mut self, f: &Function, root: Root) -> u32 {
        if let Some(known) = self.roots.get(&root) {
            return *known;
        }
        let argument = |n: u32| {
            let args = &self.module.kernels[self.kernel].args;
            args.get(n as usize).map(|arg| arg.name.clone()).unwrap_or_default()
        };
        let (kind, name) = match root {
            Root::Arg(n) => (ObjectKind::Buffer(n), argument(n)),
            Root::LocalArg(n) => (ObjectKind::LocalArgument(n), argument(n)),
            Root::Slot(slot) => (ObjectKind::Private, f.slots[slot].name.clone().unwrap_or_default()),
            Root::Global(var) => {
                let var = &self.module.globals[var];
                let kind = if var.space == Space::Local { ObjectKind::Local } else { ObjectKind::Program };
                // The front end puts a kernel's name before those of its variables.
                (kind, var.name.rsplit('.').next().unwrap_or_default().to_owned())
            }
            _ => return UNKNOWN,
        };
        self.table.objects.push(Object { kind, name });
        let number = self.table.objects.len() as u32 - 1;
        self.roots.insert(root, number);
        number
    }

    /// The number of a use in the states of cells: its place in [`CheckTable::places`], plus 1; 0 for those that find no room.
    pub fn place(&mut self, line: SourceLine, access: Access) -> u32 {
        let file = self.file(line);
        let place = crate::check::UsePlace { file, line: line.line, column: line.column(), access };
        let count = self.table.places.len();
        if let Some(known) = self.places.get(&place) {
            return *known;
        }
        if count >= crate::check::MAX_PLACES {
            return 0;
        }
        self.table.places.push(place);
        self.places.insert(place, count as u32 + 1);
        count as u32 + 1
    }

    /// The number of a source file.
    fn file(&mut self, line: SourceLine) -> u32 {
        *self.files.entry(line.file).or_insert_with(|| {
            let name = self.module.files.get(usize::from(line.file)).cloned().unwrap_or_default();
            self.table.files.push(SourceText { name, lines: Vec::new() });
            self.table.files.len() as u32 - 1
        })
    }

    /// The number of a site.
    pub fn site(
        &mut self,
        what: SiteFault,
        line: SourceLine,
        (object, limit): (Option<u32>, Option<u64>),
    ) -> u32 {
        let file = self.file(line);
        let SiteFault { fault, access, size } = what;
        let (line, column) = (line.line, line.column());
        let site = crate::check::Site { fault, access, size, file, line, column, object, limit };
        if let Some(known) = self.sites.get(&site) {
            return *known;
        }
        let count = self.table.sites.len();
        if count >= MAX_SITES {
            let any = &mut self.table.sites[MAX_SITES - 1];
            (any.fault, any.access, any.line, any.column) = (Fault::Any, Access::None, 0, 0);
            return MAX_SITES as u32 - 1;
        }
        self.sites.insert(site.clone(), count as u32);
        self.table.sites.push(site);
        count as u32
    }

    /// Reports the fault of a site of an earlier pass if a condition is true.
    pub fn report_if(&mut self, rw: &mut Rewriter<'_>, point: &mut Point, (condition, site): (Value, u32)) {
        let Some(found) = self.found.sites.get(site as usize).cloned() else { return };
        if rw.f.const_bits(condition) == Some(0) {
            return;
        }
        let object = found.object.and_then(|n| self.found.objects.get(n as usize)).cloned();
        let number = match object {
            Some(object) => {
                let known = self.table.objects.iter().position(|o| *o == object);
                known.unwrap_or_else(|| {
                    self.table.objects.push(object);
                    self.table.objects.len() - 1
                })
            }
            None => UNKNOWN as usize,
        };
        let what = SiteFault { fault: found.fault, access: found.access, size: found.size };
        let object = rw.iconst(Type::I32, number as u64);
        let zero = rw.iconst(Type::I64, 0);
        let line = rw.line();
        let mut fork = point.fork(rw, condition, &[]);
        self.report(rw, point, (what, line), ReportValues { object, value: zero, limit: zero });
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }

    /// Reports a fault of an instruction. The code goes to the current block, and ends in another.
    pub fn report(
        &mut self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (what, line): (SiteFault, SourceLine),
        values: ReportValues,
    ) {
        let object = rw.f.const_bits(values.object).map(|object| object as u32);
        let limit = rw.f.const_bits(values.limit);
        let site = self.site(what, line, (object, limit));
        let pointer = Type::Ptr(Space::Global);
        let base = rw.inst(InstKind::RootAddr(Root::Printf), pointer);
        let start = 4 * (HEADER_WORDS + site as usize * SITE_WORDS) as i64;
        let place = |rw: &mut Rewriter<'_>, word: usize| {
            Place::Pointer(rw.inst(InstKind::PtrOffset { base, bytes: start + 4 * word as i64 }, pointer))
        };
        let count = place(rw, 0);
        let one = rw.iconst(Type::I32, 1);
        let (scope, semantics, operands) = (Scope::Device, Semantics::empty(), [one][..].into());
        let add = InstKind::Atomic { op: AtomicOp::IAdd, place: count, operands, scope, semantics };
        let before = rw.inst(add, Type::I32);
        let zero = rw.iconst(Type::I32, 0);
        let first = rw.icmp(IntCC::Eq, before, zero);
        let mut fork = point.fork(rw, first, &[]);
        let mut words = vec![(1, rw.inst(InstKind::WorkItem(WorkItem::GlobalLinearId, 0), Type::I32))];
        let wides = [Some((2, values.value)), limit.is_none().then_some((4, values.limit))];
        for (at, wide) in wides.into_iter().flatten() {
            words.push((at, rw.convert(ConvertOp::Trunc, wide, Type::I32)));
            let high = rw.binary_const(BinaryOp::LShr, wide, 32);
            words.push((at + 1, rw.convert(ConvertOp::Trunc, high, Type::I32)));
        }
        words.extend(object.is_none().then_some((6, values.object)));
        for (at, word) in words {
            let place = place(rw, at);
            rw.store(place, word, WORD);
        }
        fork.otherwise(point, rw, &[]);
        fork.join(point, rw, &[]);
    }
}

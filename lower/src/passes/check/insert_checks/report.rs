//! The table of sites, and the code that reports a fault.

use super::latch::{self, Description, Latch};
use crate::check::{Access, CheckTable, Checks, Fault, MAX_SITES, Object, ObjectKind, SourceText};
use crate::ir::{Function, Module, Root, SourceLine, Space, Value};
use crate::passes::check::mark_operations;
use crate::transform::rewriter::{Rewriter, Site as Point};
use rustc_hash::FxHashMap;

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

/// Some sites of a kernel.
#[derive(Default)]
struct Part {
    sites: Vec<crate::check::Site>,
    numbers: FxHashMap<crate::check::Site, u32>,
    /// What work-items keep of their faults at these.
    latch: Latch,
}

/// The sites that a fault belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::passes::check) enum When {
    /// Those of all launches.
    Always,
    /// Those of launches that tell of their buffers ([`super::contents`]).
    Facts,
    /// Those of launches with records of buffers' cells ([`super::states`]).
    Cells,
}

/// Collects the sites of one kernel.
pub(in crate::passes::check) struct Reporter<'m> {
    module: &'m Module,
    kernel: usize,
    pub checks: Checks,
    table: CheckTable,
    /// The sites of most checks, and those of some launches ([`When`]): these have code of their own at the end, which other launches leave out.
    parts: [Part; 3],
    roots: FxHashMap<Root, u32>,
    files: FxHashMap<u16, u32>,
    places: FxHashMap<crate::check::UsePlace, u32>,
    /// The arguments with records of what was written, and whether the kernel changes them.
    records: std::collections::BTreeMap<u32, bool>,
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
            parts: Default::default(),
            roots: FxHashMap::default(),
            files: FxHashMap::default(),
            places: FxHashMap::default(),
            records: std::collections::BTreeMap::new(),
            found: module.kernels[kernel].printf.checks.clone(),
        }
    }

    /// Adds the code that writes reports where the kernel ends.
    pub fn end(&mut self, f: &mut Function) {
        let mut firsts = [0; 3];
        for n in 1..self.parts.len() {
            firsts[n] = firsts[n - 1] + self.parts[n - 1].sites.len() as u32;
        }
        let latches: Vec<(&Latch, u32)> = self.parts.iter().map(|part| &part.latch).zip(firsts).collect();
        super::endless::describe_in_loops(f, &latches);
        for (part, first) in self.parts.iter_mut().zip(firsts) {
            let sites = part.sites.len() as u32;
            std::mem::take(&mut part.latch).finish(f, (first, sites));
        }
    }

    /// The table, with the lines of the source that its sites are on.
    pub fn finish(mut self) -> CheckTable {
        self.table.cells = std::mem::take(&mut self.found.cells);
        self.table.sites = self.parts.iter_mut().flat_map(|part| std::mem::take(&mut part.sites)).collect();
        let record =
            |(arg, written): (&u32, &bool)| crate::check::ArgumentRecord { arg: *arg, written: *written };
        self.table.records = self.records.iter().map(record).collect();
        if self.table.is_empty() {
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

    /// Notes that the kernel looks at the record of an argument's memory, or changes it.
    pub fn keeps_record(&mut self, arg: u32, written: bool) {
        *self.records.entry(arg).or_default() |= written;
    }

    /// The number of the image of an argument, and its type.
    pub fn image(&mut self, arg: u32) -> Option<(u32, crate::ir::ImageType)> {
        let data = self.module.kernels[self.kernel].args.get(arg as usize)?;
        let crate::ir::KernelArgKind::Image(ty) = data.kind else { return None };
        let object = Object { kind: ObjectKind::Image(arg), name: data.name.clone() };
        Some((self.number_of(object), ty))
    }

    /// The number of an array that is a struct's member, by the number of its name.
    pub fn member(&mut self, name: u32) -> u32 {
        let name = self.module.debug.members.get(name as usize).cloned().unwrap_or_default();
        self.number_of(Object { kind: ObjectKind::Member, name })
    }

    /// The number of an object in the table.
    fn number_of(&mut self, object: Object) -> u32 {
        let known = self.table.objects.iter().position(|o| *o == object);
        known.unwrap_or_else(|| {
            self.table.objects.push(object);
            self.table.objects.len() - 1
        }) as u32
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

    /// The number of a site of all launches.
    pub fn site(
        &mut self,
        what: SiteFault,
        line: SourceLine,
        parts: (Option<u32>, Option<u64>, Option<u64>),
    ) -> u32 {
        self.site_of(When::Always, what, line, parts)
    }

    /// The number of a site among its part's.
    fn site_of(
        &mut self,
        when: When,
        what: SiteFault,
        line: SourceLine,
        (object, limit, value): (Option<u32>, Option<u64>, Option<u64>),
    ) -> u32 {
        let file = self.file(line);
        let SiteFault { fault, access, size } = what;
        let (line, column) = (line.line, line.column());
        let site = crate::check::Site { fault, access, size, file, line, column, object, limit, value };
        let part = &mut self.parts[when as usize];
        if let Some(known) = part.numbers.get(&site) {
            return *known;
        }
        let (count, most) = (part.sites.len(), MAX_SITES);
        if count >= most {
            let any = &mut part.sites[most - 1];
            (any.fault, any.access, any.line, any.column) = (Fault::Any, Access::None, 0, 0);
            return most as u32 - 1;
        }
        part.numbers.insert(site.clone(), count as u32);
        part.sites.push(site);
        count as u32
    }

    /// Reports the fault of a site of an earlier pass if a condition is true.
    pub fn report_if(&mut self, rw: &mut Rewriter<'_>, (condition, site): (Value, u32)) {
        if let Some(bits) = mark_operations::overflowing(site) {
            let what = SiteFault { fault: Fault::Overflow, access: Access::None, size: bits };
            return self.report_where(rw, condition, (what, rw.line()));
        }
        let Some(found) = self.found.sites.get(site as usize).cloned() else { return };
        if rw.f.const_bits(condition) == Some(0) {
            return;
        }
        let object = found.object.and_then(|n| self.found.objects.get(n as usize)).cloned();
        let number = object.map_or(UNKNOWN, |object| self.number_of(object));
        let what = SiteFault { fault: found.fault, access: found.access, size: found.size };
        let site = self.site(what, rw.line(), (Some(number), Some(0), Some(0)));
        self.parts[0].latch.mark(rw, site, Some(condition));
    }

    /// Reports a fault without numbers where a condition is true.
    pub fn report_where(
        &mut self,
        rw: &mut Rewriter<'_>,
        condition: Value,
        (what, line): (SiteFault, SourceLine),
    ) {
        let site = self.site(what, line, (Some(UNKNOWN), Some(0), Some(0)));
        self.parts[0].latch.mark(rw, site, Some(condition));
    }

    /// Reports a fault of an object that a launch tells of, without numbers, where a condition is true.
    pub fn report_by_facts(
        &mut self,
        rw: &mut Rewriter<'_>,
        condition: Value,
        (what, line): (SiteFault, SourceLine),
        object: Value,
    ) {
        let object = rw.f.const_bits(object).map(|object| object as u32);
        let site = self.site_of(When::Facts, what, line, (object, None, None));
        self.parts[When::Facts as usize].latch.mark(rw, site, Some(condition));
    }

    /// Reports a fault of an instruction when the work-item ends.
    pub fn report(
        &mut self,
        rw: &mut Rewriter<'_>,
        (what, line): (SiteFault, SourceLine),
        values: ReportValues,
    ) {
        self.report_in(rw, (When::Always, what, line), values, None);
    }

    /// Reports a fault of an instruction when the work-item ends, at a site of some launches or of all; where the condition is true if there is one.
    pub fn report_in(
        &mut self,
        rw: &mut Rewriter<'_>,
        (when, what, line): (When, SiteFault, SourceLine),
        values: ReportValues,
        condition: Option<Value>,
    ) {
        let object = rw.f.const_bits(values.object).map(|object| object as u32);
        let limit = rw.f.const_bits(values.limit);
        let value = rw.f.const_bits(values.value);
        let site = self.site_of(when, what, line, (object, limit, value));
        let kind = object.and_then(|n| self.table.objects.get(n as usize)).map(|object| object.kind);
        let latch = &mut self.parts[when as usize].latch;
        latch.mark(rw, site, condition);
        // The host knows the sizes of arguments' memory.
        let known = what.fault.is_of_size()
            && matches!(kind, Some(ObjectKind::Buffer(_) | ObjectKind::LocalArgument(_)));
        let limit = (limit.is_none() && !known).then_some(values.limit);
        let description = Description { object: values.object, value: values.value, limit };
        latch.describe(rw, (site, condition), &description);
    }

    /// Reports a fault of an instruction at once: the work-item may never end. The code goes to the current block, and ends in another.
    pub fn report_now(
        &mut self,
        rw: &mut Rewriter<'_>,
        point: &mut Point,
        (what, line): (SiteFault, SourceLine),
        values: ReportValues,
    ) {
        let site = self.site(what, line, (None, None, None));
        latch::write_now(rw, point, site, values);
    }
}

//! Inlining: calls are replaced by the bodies of their callees, callees first; pure calls may stay where Vulkan can have them.
//!
//! ```text
//! int sq(int x) { return x * x; } … a = sq(b) + 1;    →    a = b * b + 1;
//! ```
//!
//! A call stays only where Vulkan can have it and it pays ([`stay`]). The callee then computes on values alone: no pointers, no memory but its
//! own variables, no barriers, no work-item functions. It returns at most one value, would be copied more than once, and its copies are not
//! small. Everything else is inlined, so that `lower_addresses` sees each pointer's base object within one function.
//!
//! A kernel that another function calls is inlined there, and each entry point has a function of its own. Functions without callers go.
//!
//! Where inlining explodes, a function is copied once for all its calls: [`plan`] chooses these functions, and [`shared`] copies them.
//!
//! A function with more than one call is promoted and simplified before it is copied, so that all its copies are small. Calls that stay are
//! marked as pure, so that value numbering merges equal ones. Memory copies wait for `lower_memcpy`, which knows more when both ends are in one
//! function.

mod plan;
mod shared;
mod stay;
#[cfg(test)]
mod tests;

use crate::context::PassContext;
use crate::error::LowerError;
use crate::ir::{
    Block, BranchTarget, DebugInfo, Entity, EntityMap, Func, Function, Inst, InstData, InstKind, Module,
    Place, Results, Root, Slot, SourceLine, Terminator, Value, ValueDef,
};
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;
use crate::transform::cleanup::Replaced;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use stay::{Count, stays};

/// Limit on the instructions of a function after inlining.
const MAX_INSTS: usize = 1 << 20;

/// Runs the pass.
///
/// # Errors
/// [`LowerError::InvalidModule`] for recursion; [`LowerError::NotYet`] when a function becomes too large.
pub fn run(module: &mut Module, cx: &PassContext<'_>) -> Result<(), LowerError> {
    own_kernel_functions(module);
    let order = callees_first(module)?;
    for func in &order {
        let function = &module.functions[*func];
        let needs_denormals = calls(function).any(|callee| module.functions[callee].needs_denormals);
        module.functions[*func].needs_denormals |= needs_denormals;
    }
    let counts = stay::count(module, &order);
    if !cx.options.share_in.is_empty() {
        let plan = plan::plan_for(module, &order, &counts, &cx.options.share_in);
        return inline_all(module, &order, &counts, &plan);
    }
    if module.size_limit.is_some() && !plan::has_copies(module, &order, &counts) {
        module.size_limit = None;
    }
    let limit = cx.options.inline_limit.map_or(plan::LARGE, u64::from);
    match plan::estimate(module, &order, &counts, limit) {
        plan::Size::Usual => inline_all(module, &order, &counts, &plan::Plan::default()),
        size => {
            // Functions that are simplified before they are copied may turn out small enough.
            if size == plan::Size::Large {
                let mut attempt = module.clone();
                let most = (limit / 2) as usize;
                if inline_all(&mut attempt, &order, &counts, &plan::Plan::default()).is_ok()
                    && attempt.kernels.iter().all(|k| attempt.functions[k.func].insts.len() <= most)
                {
                    *module = attempt;
                    return Ok(());
                }
            }
            let plan = plan::plan(module, &order, &counts, limit);
            inline_all(module, &order, &counts, &plan)
        }
    }
}

/// Inlines all calls, except those of the plan's shared functions.
fn inline_all(
    module: &mut Module,
    order: &[Func],
    counts: &FxHashMap<Func, Count>,
    plan: &plan::Plan,
) -> Result<(), LowerError> {
    let mut inlined = FxHashSet::default();
    let mut alone = FxHashMap::default();
    let kernels: FxHashSet<Func> = module.kernels.iter().map(|k| k.func).collect();
    for &func in order {
        let mut caller = std::mem::take(&mut module.functions[func]);
        Inliner::new(&mut caller, &module.functions, &inlined, &mut module.debug).run()?;
        if !plan.shared.is_empty() {
            let is_kernel = kernels.contains(&func);
            let is_root = is_kernel || plan.convergent.contains(&func);
            if is_kernel && !plan.kernels.is_empty() && !plan.kernels.contains(&func) {
                // This kernel is small enough with copies.
                let all = &inlined | &plan.shared;
                while calls(&caller).any(|g| plan.shared.contains(&g)) {
                    Inliner::new(&mut caller, &module.functions, &all, &mut module.debug).run()?;
                }
            } else if is_root && calls(&caller).any(|g| plan.shared.contains(&g)) {
                let convergent = plan.convergent.contains(&func);
                share(module, &mut caller, plan, convergent.then_some((&mut alone, &mut inlined)))?;
            }
        }
        let count = counts.get(&func).copied().unwrap_or_default();
        if !caller.simplified && (count.calls > 1 || stays(&caller, count)) {
            mem2reg::run_function(&mut caller, module.address_bits);
            simplify::simplify_function(&mut caller, module.address_bits);
        }
        module.functions[func] = caller;
        if plan.shared.contains(&func) {
            continue;
        }
        let function = &module.functions[func];
        let may_stay = !kernels.contains(&func) && !calls(function).any(|g| plan.shared.contains(&g));
        if !(may_stay && stays(function, count)) {
            inlined.insert(func);
        }
    }
    stay::mark_pure(module, order);
    drop_unused(module);
    Ok(())
}

/// Replaces the remaining calls of shared functions. A function without barriers gets one copy of each. In a function with
/// barriers each call is separate: `alone` maps such a callee to a copy with shared bodies of its own, and the copy is inlined.
fn share(
    module: &mut Module,
    caller: &mut Function,
    plan: &plan::Plan,
    alone: Option<(&mut FxHashMap<Func, Func>, &mut FxHashSet<Func>)>,
) -> Result<(), LowerError> {
    let Some((alone, inlined)) = alone else {
        return shared::share(caller, &module.functions, plan, &mut module.debug, module.address_bits);
    };
    for index in 0..caller.layout.len() {
        for at in 0..caller.blocks[caller.layout[index]].insts.len() {
            let inst = caller.blocks[caller.layout[index]].insts[at];
            let InstKind::Call { func, .. } = &caller.insts[inst].kind else { continue };
            let func = *func;
            if !plan.shared.contains(&func) {
                continue;
            }
            let own = match alone.get(&func) {
                Some(own) => *own,
                None => {
                    let mut copy = module.functions[func].clone();
                    let bits = module.address_bits;
                    shared::share(&mut copy, &module.functions, plan, &mut module.debug, bits)?;
                    let own = module.functions.push(copy);
                    inlined.insert(own);
                    *alone.entry(func).or_insert(own)
                }
            };
            if let InstKind::Call { func, .. } = &mut caller.insts[inst].kind {
                *func = own;
            }
        }
    }
    Inliner::new(caller, &module.functions, inlined, &mut module.debug).run()
}

/// Refuses a function that becomes too large with `more` instructions.
fn check_size(f: &Function, more: usize) -> Result<(), LowerError> {
    if f.insts.len() + more <= MAX_INSTS {
        return Ok(());
    }
    Err(LowerError::NotYet {
        kernel: f.name.clone(),
        what: format!("more than {MAX_INSTS} instructions after inlining"),
    })
}

pub(crate) fn calls(function: &Function) -> impl Iterator<Item = Func> + '_ {
    function.layout.iter().flat_map(|b| &function.blocks[*b].insts).filter_map(|i| {
        match &function.insts[*i].kind {
            InstKind::Call { func, .. } => Some(*func),
            _ => None,
        }
    })
}

/// Gives each entry point a function of its own.
fn own_kernel_functions(module: &mut Module) {
    let mut seen = FxHashSet::default();
    for i in 0..module.kernels.len() {
        let func = module.kernels[i].func;
        if !seen.insert(func) {
            let copy = module.functions[func].clone();
            module.kernels[i].func = module.functions.push(copy);
            seen.insert(module.kernels[i].func);
        }
    }
}

/// All functions in post-order of the call graph: each after its callees.
fn callees_first(module: &Module) -> Result<Vec<Func>, LowerError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; module.functions.len()];
    let mut order = Vec::new();
    // Functions that no kernel reaches are included: a library module has no kernels.
    let roots: Vec<Func> = module.kernels.iter().map(|k| k.func).chain(module.functions.keys()).collect();
    for root in roots {
        if state[root.index()] != State::New {
            continue;
        }
        state[root.index()] = State::Open;
        let mut stack = vec![(root, calls(&module.functions[root]).collect::<Vec<_>>())];
        while let Some((func, callees)) = stack.last_mut() {
            let func = *func;
            match callees.pop() {
                Some(callee) => match state[callee.index()] {
                    State::New => {
                        state[callee.index()] = State::Open;
                        stack.push((callee, calls(&module.functions[callee]).collect()));
                    }
                    State::Open => {
                        let name = &module.functions[callee].name;
                        return Err(LowerError::InvalidModule(format!(
                            "function '{name}' is recursive, which OpenCL C does not allow (§6.9)"
                        )));
                    }
                    State::Done => {}
                },
                None => {
                    state[func.index()] = State::Done;
                    order.push(func);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

struct Inliner<'a> {
    f: &'a mut Function,
    functions: &'a EntityMap<Func, Function>,
    inlined: &'a FxHashSet<Func>,
    debug: &'a mut DebugInfo,
    /// The results of calls of one-block functions, and the values that replace them.
    aliases: Replaced,
    tables: Tables,
}

/// The caller's copies of a callee's entities, by their numbers in the callee. The allocation is reused for each call.
#[derive(Default)]
struct Tables {
    values: Vec<Value>,
    blocks: Vec<Block>,
    slots: Vec<Slot>,
}

/// An entity without a copy in [`Tables`].
const NONE: u32 = u32::MAX;

impl Tables {
    fn clear(&mut self, callee: &Function) {
        self.values.clear();
        self.values.resize(callee.values.len(), Value(NONE));
        self.blocks.clear();
        self.blocks.resize(callee.blocks.len(), Block(NONE));
        self.slots.clear();
        self.slots.resize(callee.slots.len(), Slot(NONE));
    }
}

impl<'a> Inliner<'a> {
    fn new(
        f: &'a mut Function,
        functions: &'a EntityMap<Func, Function>,
        inlined: &'a FxHashSet<Func>,
        debug: &'a mut DebugInfo,
    ) -> Self {
        Inliner { f, functions, inlined, debug, aliases: Replaced::default(), tables: Tables::default() }
    }

    fn run(mut self) -> Result<(), LowerError> {
        self.reserve();
        let layout = std::mem::take(&mut self.f.layout);
        let mut done = Vec::with_capacity(layout.len());
        for block in layout {
            done.push(block);
            if self.f.blocks[block].insts.iter().any(|inst| self.callee(*inst).is_some()) {
                self.block(block, &mut done)?;
            }
        }
        self.f.layout = done;
        self.aliases.apply(self.f);
        Ok(())
    }

    /// Reserves memory for the copies, unless they exceed the limit.
    fn reserve(&mut self) {
        let (mut insts, mut values, mut blocks) = (0, 0, 0);
        for inst in self.f.layout.iter().flat_map(|b| &self.f.blocks[*b].insts) {
            if let Some(callee) = self.callee(*inst) {
                let callee = &self.functions[callee];
                insts += callee.layout.iter().map(|b| callee.blocks[*b].insts.len()).sum::<usize>();
                values += callee.values.len();
                blocks += callee.layout.len();
            }
        }
        if insts > 0 && check_size(self.f, insts).is_ok() {
            // Later passes add some, too.
            self.f.insts.reserve(insts + insts / 4);
            self.f.values.reserve(values + values / 4);
            self.f.blocks.reserve(blocks + blocks / 4);
        }
    }

    /// The callee of an instruction, if it is to be inlined.
    fn callee(&self, inst: Inst) -> Option<Func> {
        match &self.f.insts[inst].kind {
            InstKind::Call { func, .. } if self.inlined.contains(func) => Some(*func),
            _ => None,
        }
    }

    /// Inlines the calls of a block. A callee of several blocks splits it: the code behind the call starts a new block.
    fn block(&mut self, mut block: Block, done: &mut Vec<Block>) -> Result<(), LowerError> {
        let insts = std::mem::take(&mut self.f.blocks[block].insts);
        let term = std::mem::replace(&mut self.f.blocks[block].term, Terminator::Unreachable);
        // The block's instructions so far.
        let mut out: Vec<Inst> = Vec::new();
        for inst in insts {
            let Some(callee) = self.callee(inst) else {
                out.push(inst);
                continue;
            };
            self.f.simplified = false;
            let callee = &self.functions[callee];
            check_size(self.f, callee.insts.len())?;
            if let ([only], Terminator::Return(values)) =
                (callee.layout.as_slice(), &callee.blocks[callee.entry()].term)
            {
                self.splice(&mut out, inst, callee, *only, values);
            } else {
                self.f.blocks[block].insts = std::mem::take(&mut out);
                block = self.graft(block, inst, callee, done);
            }
        }
        self.f.blocks[block].insts = out;
        self.f.blocks[block].term = term;
        Ok(())
    }

    /// Inlines a function of one block in place.
    fn splice(
        &mut self,
        out: &mut Vec<Inst>,
        call: Inst,
        callee: &Function,
        only: Block,
        returned: &[Value],
    ) {
        let mut copier = Copier::new(self.f, callee, call, self.debug, &mut self.tables);
        out.extend(callee.blocks[only].insts.iter().map(|i| copier.inst(*i)));
        let values: SmallVec<[Value; 4]> = returned.iter().map(|v| copier.value(*v)).collect();
        for (result, value) in std::mem::take(&mut self.f.insts[call].results).iter().zip(values) {
            self.aliases.insert(*result, value);
        }
    }

    /// Inlines a function of several blocks. Its entry continues the call's block, and its other blocks follow. The given block comes last, for
    /// the code behind the call.
    fn graft(&mut self, block: Block, call: Inst, callee: &Function, done: &mut Vec<Block>) -> Block {
        let tail = self.f.new_detached_block();
        let results = std::mem::take(&mut self.f.insts[call].results);
        for (n, result) in results.iter().enumerate() {
            self.f.values[*result].def = ValueDef::Param(tail, n as u16);
        }
        self.f.blocks[tail].params = results.to_vec();

        let mut copier = Copier::new(self.f, callee, call, self.debug, &mut self.tables);
        copier.tables.blocks[callee.entry().0 as usize] = block;
        for old in &callee.layout[1..] {
            done.push(copier.block(*old));
        }
        for old in &callee.layout {
            copier.body(*old, tail);
        }
        done.push(tail);
        tail
    }
}

/// Copies parts of a callee into a caller.
struct Copier<'a> {
    f: &'a mut Function,
    callee: &'a Function,
    tables: &'a mut Tables,
    /// The source location of the call.
    call: SourceLine,
    debug: &'a mut DebugInfo,
    /// The scopes of inlined locations, by the callee's scope and call site.
    sites: FxHashMap<(u32, u32), u32>,
}

impl<'a> Copier<'a> {
    /// A copier in which the callee's parameters are the call's arguments.
    fn new(
        f: &'a mut Function,
        callee: &'a Function,
        call: Inst,
        debug: &'a mut DebugInfo,
        tables: &'a mut Tables,
    ) -> Self {
        let place = f.insts[call].line;
        tables.clear(callee);
        if let InstKind::Call { args, .. } = &f.insts[call].kind {
            for (param, arg) in callee.params().iter().zip(args) {
                tables.values[param.0 as usize] = *arg;
            }
        }
        Copier { f, callee, tables, call: place, debug, sites: FxHashMap::default() }
    }

    /// A copier in which the callee's parameters are these values, for a call at this source location.
    fn with_values(
        f: &'a mut Function,
        callee: &'a Function,
        call: SourceLine,
        values: &[Value],
        debug: &'a mut DebugInfo,
        tables: &'a mut Tables,
    ) -> Self {
        tables.clear(callee);
        for (param, value) in callee.params().iter().zip(values) {
            tables.values[param.0 as usize] = *value;
        }
        Copier { f, callee, tables, call, debug, sites: FxHashMap::default() }
    }

    /// A source location of the callee as an inlined one in the caller.
    fn place(&mut self, line: SourceLine) -> SourceLine {
        if line.scope == 0 {
            return line;
        }
        let (debug, call) = (&mut *self.debug, self.call);
        let site =
            *self.sites.entry((line.scope, line.site)).or_insert_with(|| debug.inlined(line, call).site);
        SourceLine { site, ..line }
    }

    fn value(&mut self, old: Value) -> Value {
        let known = self.tables.values[old.0 as usize];
        if known.0 != NONE {
            return known;
        }
        let data = self.callee.values[old];
        let new = match data.def {
            ValueDef::Const(constant) => self.f.constant(data.ty, constant),
            // Its definition is copied later, and finds the number assigned.
            _ => self.f.values.push(data),
        };
        if !self.callee.names.is_empty()
            && let (Some(name), false) = (self.callee.names.get(&old), matches!(data.def, ValueDef::Const(_)))
        {
            self.f.names.insert(new, name.clone());
        }
        self.tables.values[old.0 as usize] = new;
        new
    }

    fn slot(&mut self, old: Slot) -> Slot {
        let known = self.tables.slots[old.0 as usize];
        if known.0 != NONE {
            return known;
        }
        let new = self.f.slots.push(self.callee.slots[old].clone());
        self.tables.slots[old.0 as usize] = new;
        new
    }

    fn inst(&mut self, old: Inst) -> Inst {
        let data = &self.callee.insts[old];
        let mut kind = data.kind.clone();
        kind.map_values(|v| self.value(v));
        match &mut kind {
            InstKind::RootAddr(Root::Slot(slot)) => *slot = self.slot(*slot),
            InstKind::Load { place, .. } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                if let Place::Element { root: Root::Slot(slot), .. } = place {
                    *slot = self.slot(*slot);
                }
            }
            _ => {}
        }
        let results = match data.results[..] {
            [one] => Results::One(self.value(one)),
            _ => data.results.iter().map(|r| self.value(*r)).collect(),
        };
        let line = self.place(data.line);
        let new = self.f.insts.push(InstData { kind, results, line });
        for (n, result) in self.f.insts[new].results.iter().enumerate() {
            self.f.values[*result].def = ValueDef::Inst(new, n as u16);
        }
        new
    }

    fn block(&mut self, old: Block) -> Block {
        let known = self.tables.blocks[old.0 as usize];
        if known.0 != NONE {
            return known;
        }
        let new = self.f.new_detached_block();
        self.tables.blocks[old.0 as usize] = new;
        new
    }

    fn values(&mut self, old: &[Value]) -> SmallVec<[Value; 2]> {
        match *old {
            [] => SmallVec::new(),
            [one] => SmallVec::from_slice(&[self.value(one)]),
            _ => old.iter().map(|v| self.value(*v)).collect(),
        }
    }

    fn target(&mut self, old: &BranchTarget) -> BranchTarget {
        BranchTarget { block: self.block(old.block), args: self.values(&old.args) }
    }

    /// Copies a block's contents; returns branch to `exit`.
    fn body(&mut self, old: Block, exit: Block) {
        let (data, new) = (&self.callee.blocks[old], self.block(old));
        if old != self.callee.entry() {
            let params: Vec<Value> = data.params.iter().map(|p| self.value(*p)).collect();
            for (n, param) in params.iter().enumerate() {
                self.f.values[*param].def = ValueDef::Param(new, n as u16);
            }
            self.f.blocks[new].params = params;
        }
        let mut insts = std::mem::take(&mut self.f.blocks[new].insts);
        insts.extend(data.insts.iter().map(|i| self.inst(*i)));
        self.f.blocks[new].insts = insts;
        let term = match &data.term {
            Terminator::Return(values) => {
                Terminator::Branch(BranchTarget { block: exit, args: self.values(values) })
            }
            Terminator::Branch(to) => Terminator::Branch(self.target(to)),
            Terminator::CondBranch { cond, then, els } => Terminator::CondBranch {
                cond: self.value(*cond),
                then: self.target(then),
                els: self.target(els),
            },
            Terminator::Switch { value, cases, default } => Terminator::Switch {
                value: self.value(*value),
                cases: cases.iter().map(|(bits, to)| (*bits, self.target(to))).collect(),
                default: self.target(default),
            },
            Terminator::Unreachable => Terminator::Unreachable,
        };
        self.f.blocks[new].term = term;
        if data.loop_control != 0 {
            self.f.blocks[new].loop_control = data.loop_control;
        }
    }
}

/// Drops all functions but the kernels' and those that are still called.
fn drop_unused(module: &mut Module) {
    let mut keep = FxHashSet::default();
    let mut work: Vec<Func> = module.kernels.iter().map(|k| k.func).collect();
    if work.is_empty() {
        return;
    }
    while let Some(func) = work.pop() {
        if keep.insert(func) {
            work.extend(calls(&module.functions[func]));
        }
    }
    let mut moved = FxHashMap::default();
    let mut kept = EntityMap::new();
    for func in module.functions.keys().filter(|f| keep.contains(f)).collect::<Vec<Func>>() {
        moved.insert(func, kept.push(std::mem::take(&mut module.functions[func])));
    }
    module.functions = kept;
    for kernel in &mut module.kernels {
        kernel.func = moved[&kernel.func];
    }
    for inst in module.functions.values_mut().flat_map(|f| f.insts.values_mut()) {
        if let InstKind::Call { func, .. } = &mut inst.kind {
            // Instructions outside the layout may name removed functions.
            *func = moved.get(func).copied().unwrap_or(*func);
        }
    }
}

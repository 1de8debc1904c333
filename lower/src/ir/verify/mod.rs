//! The verifier: what holds of every module between two passes.
//!
//! Entities
//! - V-1 Every handle (value, block, instruction, slot, function, global, file) that a function names exists.
//! - V-2 An instruction stands in at most one block, once; its results and a block's parameters know
//!   their origin. A block stands in the layout at most once.
//! - V-3 A value that is used is a constant, or is defined by an instruction or block of the layout, and that
//!   definition dominates the use (uses in unreachable blocks need only the definition).
//!
//! Control flow
//! - V-4 The layout is not empty; the entry block has no predecessors.
//! - V-5 Branches go to blocks of the layout, with one argument for each parameter, of its type.
//! - V-6 In the layout a block comes after its immediate dominator.
//! - V-7 Conditions are one bool; selectors are scalar integers; a switch's cases are distinct and fit the
//!   selector's width; a return gives values of the function's return types.
//!
//! Types
//! - V-8 Operands and results of an instruction have the types that its [`InstKind`] says (`types.rs`).
//! - V-9 Vectors have 2, 3, 4, 8 or 16 lanes; a bool is never loaded, stored or bitcast.
//! - V-10 A memory access's alignment is a power of two; an element access has the element's type.
//! - V-11 A constant's bits fit its type.
//! - V-12 Calls match the callee's parameters and returns.
//!
//! Module
//! - V-13 A kernel's function exists and returns nothing; before [`Stage::Resolved`] its parameters are those that its
//!   arguments say, or (after `lower_kernel_args`) none.
//! - V-14 Sizes and alignments of slots and globals: alignments are powers of two; initialisers are no longer than the
//!   variable, their addresses name globals.
//!
//! Stages
//! - V-15 From [`Stage::Resolved`] on: no pointer types, no pointer, `ExtInst`, `Copy` or `WorkItem` instruction, no
//!   [`Place::Pointer`]; kernels have a plan and no parameters.
//! - V-16 From [`Stage::Legal`] on: vectors have at most 4 lanes; every slot, local variable and local argument is
//!   accessed with one element type throughout a kernel's module, except an arena with views.
//! - V-17 At [`Stage::Structured`]: the structured control-flow rules (S-1 …, in `structured.rs`); before it no block has a
//!   merge.

mod structured;
pub(super) mod types;

use super::cfg::{Cfg, Positions};
use super::{
    Block, BranchTarget, Constant, Entity, Func, Function, Inst, InstData, InstKind, KernelArgKind,
    KernelData, Merge, Module, OpaqueType, Place, Root, Scalar, Space, Stage, Terminator, Type, Value,
    ValueDef,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use types::TypeCheck;

/// Checks a module.
///
/// # Errors
/// The first broken invariant: its number, where, and what is wrong.
pub fn verify(module: &Module) -> Result<(), String> {
    check_globals(module)?;
    for kernel in &module.kernels {
        check_kernel(module, kernel).map_err(|e| format!("kernel '{}': {e}", kernel.name))?;
    }
    let mut elements = FxHashMap::default();
    for (func, function) in module.functions.iter() {
        let cfg = Cfg::new(function);
        Checker { module, func, function, cfg: &cfg, in_layout: vec![false; function.blocks.len()] }
            .run(Some(&mut elements))
            .map_err(|e| format!("function {func} '{}': {e}", function.name))?;
    }
    Ok(())
}

/// Checks the code of a module's functions at less cost than [`verify`]: V-1 to V-5, V-7 to V-10, V-12 and V-15, that is handles, dominance
/// and types. It takes each function's control-flow graph where the function still has it.
///
/// # Errors
/// As [`verify`].
pub fn verify_code(module: &mut Module) -> Result<(), String> {
    for func in module.functions.keys() {
        let cfg = module.functions[func].cfg();
        let function = &module.functions[func];
        Checker { module, func, function, cfg: &cfg, in_layout: vec![false; function.blocks.len()] }
            .run(None)
            .map_err(|e| format!("function {func} '{}': {e}", function.name))?;
    }
    Ok(())
}

/// Checks that a function's merges make its control flow structured (V-17).
///
/// # Errors
/// The first broken rule.
pub fn structured(function: &Function) -> Result<(), String> {
    Ok(structured::check(function)?)
}

/// The broken rule, as a message. A boxed string keeps results in registers: each instruction has a dozen checks.
pub(in crate::ir) type Broken = Box<str>;

/// Fails with a message unless a condition holds.
#[inline]
fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(message().into()) }
}

fn check_globals(module: &Module) -> Result<(), Broken> {
    for (global, data) in module.globals.iter() {
        let bad = |what: &str| format!("V-14: {global} '{}': {what}", data.name);
        ensure(data.align.is_power_of_two(), || bad("alignment is no power of two"))?;
        ensure(matches!(data.space, Space::Constant | Space::Global | Space::Local), || bad("wrong space"))?;
        if let Some(init) = &data.init {
            ensure(init.bytes.len() as u64 <= data.size, || bad("initialiser is longer than it"))?;
            for (at, target) in &init.addresses {
                ensure(module.globals.get(*target).is_some(), || bad("address of no global"))?;
                let width = u64::from(module.address_bits / 8);
                ensure(at.checked_add(width).is_some_and(|end| end <= data.size), || bad("address outside"))?;
            }
        }
    }
    Ok(())
}

fn check_kernel(module: &Module, kernel: &KernelData) -> Result<(), Broken> {
    let Some(function) = module.functions.get(kernel.func) else {
        return Err(format!("V-13: {} does not exist", kernel.func).into());
    };
    ensure(function.returns.is_empty(), || "V-13: a kernel returns something".to_owned())?;
    let Some(entry) = function.layout.first().and_then(|b| function.blocks.get(*b)) else {
        return Err("V-4: no entry block".into());
    };
    if module.stage >= Stage::Resolved {
        ensure(kernel.plan.is_some(), || "V-15: no plan".to_owned())?;
        return ensure(entry.params.is_empty(), || "V-15: parameters left".to_owned());
    }
    // After `lower_kernel_args`.
    if entry.params.is_empty() {
        return Ok(());
    }
    let mut params = entry.params.iter();
    let mut next = || params.next().map(|v| function.ty(*v));
    for (i, arg) in kernel.args.iter().enumerate() {
        let good = match &arg.kind {
            KernelArgKind::Pointer { space, .. } => next() == Some(Type::Ptr(*space)),
            KernelArgKind::Value { leaves: None, .. } => next() == Some(Type::Ptr(Space::Private)),
            KernelArgKind::Value { leaves: Some(leaves), .. } => leaves.iter().all(|_| next().is_some()),
            KernelArgKind::Image(image) => match next() {
                Some(Type::Opaque(o)) => module.opaques.get(o) == Some(&OpaqueType::Image(*image)),
                _ => false,
            },
            KernelArgKind::Sampler => next() == Some(Type::I32),
        };
        ensure(good, || format!("V-13: argument {i} does not match the parameters"))?;
    }
    ensure(next().is_none(), || "V-13: more parameters than arguments".to_owned())
}

/// The element types that roots are accessed with, for V-16. Slots belong to a function, local arguments to their kernel.
type Elements = FxHashMap<(Option<Func>, Root), (Scalar, u8)>;

/// The scopes of the values that a walk over the layout has met: the parts of the dominator tree that their definitions dominate.
///
/// A use within the scope obeys V-3. Constants have no scope, nor have values before their definition was met, nor what unreachable blocks
/// use and define: [`Checker::check_use`] looks at those.
struct Scopes {
    /// For each value the first number in the walk of the dominator tree ([`Cfg::span`]), and the one behind the last.
    scopes: Vec<(u32, u32)>,
    /// The span of the current block.
    here: (u32, u32),
}

impl Scopes {
    const EMPTY: (u32, u32) = (u32::MAX, 0);

    fn new(f: &Function) -> Scopes {
        Scopes { scopes: vec![Scopes::EMPTY; f.values.len()], here: Scopes::EMPTY }
    }

    fn enter(&mut self, cfg: &Cfg, block: Block) {
        self.here = cfg.span(block).unwrap_or(Scopes::EMPTY);
    }

    #[inline]
    fn define(&mut self, value: Value) {
        self.scopes[value.index()] = self.here;
    }

    /// Returns whether the current block is in the value's scope.
    #[inline]
    fn has(&self, value: Value) -> bool {
        let (first, end) = self.scopes.get(value.index()).copied().unwrap_or(Scopes::EMPTY);
        first <= self.here.0 && self.here.0 < end
    }
}

struct Checker<'a> {
    module: &'a Module,
    func: Func,
    function: &'a Function,
    cfg: &'a Cfg,
    in_layout: Vec<bool>,
}

impl Checker<'_> {
    /// Checks everything; without a table for V-16, what [`verify_code`] says.
    fn run(mut self, mut elements: Option<&mut Elements>) -> Result<(), Broken> {
        let f = self.function;
        self.check_layout()?;
        let full = elements.is_some();
        self.check_blocks()?;
        ensure(self.cfg.preds(f.entry()).is_empty(), || "V-4: the entry block has predecessors".to_owned())?;
        if full {
            self.check_constants_and_slots()?;
            self.check_order()?;
        }
        let mut scopes = Scopes::new(f);
        let mut met = vec![false; f.insts.len()];
        // Most functions have no use that asks for them.
        let positions = OnceCell::new();
        let positions = || positions.get_or_init(|| Positions::new(f));
        for &block in &f.layout {
            let at = |e: Broken| -> Broken { format!("{block}: {e}").into() };
            scopes.enter(self.cfg, block);
            let data = &f.blocks[block];
            for param in &data.params {
                self.check_type(f.ty(*param)).map_err(at)?;
                scopes.define(*param);
            }
            for (i, &inst) in data.insts.iter().enumerate() {
                let instruction = self.check_definition(inst, &mut met).map_err(at)?;
                let mut used = Ok(());
                instruction.kind.each_value(|value| {
                    if !scopes.has(value) && used.is_ok() {
                        used = self.check_use(positions, value, (block, i));
                    }
                });
                used.map_err(at)?;
                if full {
                    self.check_line(inst)?;
                }
                self.check_inst(instruction, elements.as_deref_mut()).map_err(|e| {
                    let text = super::text::inst_to_string(f, inst);
                    at(format!("{e} in `{text}`").into())
                })?;
                instruction.results.iter().for_each(|result| scopes.define(*result));
            }
            let mut used = Ok(());
            data.term.each_value(|value| {
                if !scopes.has(value) && used.is_ok() {
                    used = self.check_use(positions, value, (block, usize::MAX));
                }
            });
            used.map_err(at)?;
            self.check_terminator(&data.term).map_err(at)?;
        }
        if full && self.module.stage >= Stage::Structured {
            structured::check(f)?;
        }
        Ok(())
    }

    /// V-1 and V-2 of blocks: after this, indexing blocks by what the layout names is safe.
    fn check_layout(&mut self) -> Result<(), Broken> {
        let f = self.function;
        ensure(!f.layout.is_empty(), || "V-4: no blocks".to_owned())?;
        for block in &f.layout {
            let slot = self.in_layout.get_mut(block.index());
            let slot = slot.ok_or_else(|| Broken::from(format!("V-1: {block} does not exist")))?;
            ensure(!std::mem::replace(slot, true), || format!("V-2: {block} is in the layout twice"))?;
        }
        Ok(())
    }

    /// V-1 and V-2 of parameters, and the targets of V-5: after this, indexing by parameters and targets is safe.
    fn check_blocks(&self) -> Result<(), Broken> {
        let f = self.function;
        for &block in &f.layout {
            let data = &f.blocks[block];
            for (i, param) in data.params.iter().enumerate() {
                let value = f
                    .values
                    .get(*param)
                    .ok_or_else(|| Broken::from(format!("V-1: {param} does not exist")))?;
                ensure(value.def == ValueDef::Param(block, i as u16), || {
                    format!("V-2: {param} is not parameter {i} of {block}")
                })?;
            }
            for target in data.term.targets() {
                let there = self.in_layout.get(target.block.index()).copied().unwrap_or(false);
                ensure(there, || format!("V-5: {block} branches to {}, not in the layout", target.block))?;
            }
            self.check_merge_exists(block, data.merge)?;
        }
        Ok(())
    }

    fn check_merge_exists(&self, block: Block, merge: Option<Merge>) -> Result<(), Broken> {
        let early = merge.is_some() && self.module.stage < Stage::Structured;
        ensure(!early, || format!("V-17: {block} has a merge before the module is structured"))?;
        let named: &[Block] = match merge {
            Some(Merge::Selection { merge }) => &[merge],
            Some(Merge::Loop { merge, continue_target, .. }) => &[merge, continue_target],
            None => &[],
        };
        for target in named {
            ensure(self.function.blocks.get(*target).is_some(), || {
                format!("V-1: {block}'s merge names {target}, which does not exist")
            })?;
        }
        Ok(())
    }

    /// V-1 and V-2 of an instruction and its results, and the results' types. `met`: the instructions that were met before.
    #[inline]
    fn check_definition(&self, inst: Inst, met: &mut [bool]) -> Result<&InstData, Broken> {
        let f = self.function;
        let data = f.insts.get(inst).ok_or_else(|| Broken::from(format!("V-1: {inst} does not exist")))?;
        ensure(!std::mem::replace(&mut met[inst.index()], true), || format!("V-2: {inst} stands twice"))?;
        for (i, result) in data.results.iter().enumerate() {
            let value =
                f.values.get(*result).ok_or_else(|| Broken::from(format!("V-1: {result} does not exist")))?;
            ensure(value.def == ValueDef::Inst(inst, i as u16), || {
                format!("V-2: {result} is not result {i} of {inst}")
            })?;
            self.check_type(value.ty)?;
        }
        Ok(data)
    }

    fn check_line(&self, inst: Inst) -> Result<(), Broken> {
        let (line, debug) = (self.function.insts[inst].line, &self.module.debug);
        ensure(line.file == 0 || usize::from(line.file) < self.module.files.len(), || {
            format!("V-1: {inst}'s source file {} does not exist", line.file)
        })?;
        ensure(line.scope == 0 || (line.scope as usize) < debug.scopes.len(), || {
            format!("V-1: {inst}'s scope {} does not exist", line.scope)
        })?;
        ensure(line.site == 0 || (line.site as usize) < debug.sites.len(), || {
            format!("V-1: {inst}'s call site {} does not exist", line.site)
        })
    }

    fn check_constants_and_slots(&self) -> Result<(), Broken> {
        for (value, data) in self.function.values.iter() {
            if let ValueDef::Const(Constant::Bits(bits)) = data.def {
                let width = data.ty.scalar().map_or(64, Scalar::bits);
                ensure(width == 64 || bits >> width == 0, || {
                    format!("V-11: {value}: bits {bits:#x} exceed {}", data.ty)
                })?;
            }
        }
        for (slot, data) in self.function.slots.iter() {
            ensure(data.align.is_power_of_two(), || format!("V-14: {slot}: alignment {}", data.align))?;
        }
        Ok(())
    }

    /// V-6.
    fn check_order(&self) -> Result<(), Broken> {
        let mut place = vec![usize::MAX; self.function.blocks.len()];
        for (i, block) in self.function.layout.iter().enumerate() {
            place[block.index()] = i;
        }
        for &block in &self.function.layout {
            if let Some(idom) = self.cfg.idom(block) {
                ensure(place[idom.index()] < place[block.index()], || {
                    format!("V-6: {block} comes before its dominator {idom}")
                })?;
            }
        }
        Ok(())
    }

    /// V-3, at an instruction's index in a block. Most uses need no such look: see [`Scopes`].
    fn check_use<'p>(
        &self,
        positions: impl Fn() -> &'p Positions,
        value: Value,
        (block, index): (Block, usize),
    ) -> Result<(), Broken> {
        let f = self.function;
        let data = f.values.get(value).ok_or_else(|| Broken::from(format!("V-1: {value} does not exist")))?;
        let (defined, dominates) = match data.def {
            // The types of other values are checked where they are defined.
            ValueDef::Const(_) => return self.check_type(data.ty),
            ValueDef::Param(home, n) => {
                let there = self.in_layout.get(home.index()) == Some(&true);
                let defined = there && f.blocks[home].params.get(usize::from(n)) == Some(&value);
                (defined, home == block || self.cfg.dominates(home, block))
            }
            ValueDef::Inst(inst, n) => match positions().position(inst) {
                Some((home, at)) => {
                    let defined = f.insts[inst].results.get(usize::from(n)) == Some(&value);
                    (defined, if home == block { at < index } else { self.cfg.dominates(home, block) })
                }
                None => (false, false),
            },
        };
        ensure(defined, || format!("V-3: {value} is used but not defined"))?;
        ensure(dominates || !self.cfg.is_reachable(block), || {
            format!("V-3: the definition of {value} does not dominate its use")
        })
    }

    /// V-9 and the type parts of V-15 and V-16.
    #[inline]
    fn check_type(&self, ty: Type) -> Result<(), Broken> {
        if matches!(ty, Type::Scalar(_) | Type::Vector(_, 2..=4)) {
            return Ok(());
        }
        let stage = self.module.stage;
        match ty {
            Type::Ptr(_) => ensure(stage < Stage::Resolved, || {
                format!("V-15: a value of type {ty} after lower_addresses")
            }),
            Type::Opaque(opaque) => {
                ensure(stage < Stage::Resolved, || {
                    format!("V-15: a value of type {ty} after lower_addresses")
                })?;
                ensure(self.module.opaques.get(opaque).is_some(), || format!("V-1: {opaque} does not exist"))
            }
            Type::Vector(_, 8 | 16) => {
                ensure(stage < Stage::Legal, || format!("V-16: a value of type {ty} after legalize_types"))
            }
            Type::Vector(_, n) => ensure(matches!(n, 2..=4), || format!("V-9: a vector of {n} lanes")),
            Type::Scalar(_) => Ok(()),
        }
    }

    fn check_inst(&self, data: &InstData, elements: Option<&mut Elements>) -> Result<(), Broken> {
        data.kind.check_types(&TypeCheck { module: self.module, function: self.function, data })?;
        let stage = self.module.stage;
        ensure(stage <= data.kind.last_stage(), || format!("V-15: the instruction at the stage {stage:?}"))?;
        let by_pointer = stage >= Stage::Resolved && matches!(data.kind.place(), Some(Place::Pointer(_)));
        ensure(!by_pointer, || "V-15: an access through a pointer after lower_addresses".to_owned())?;
        match elements {
            Some(elements) if stage >= Stage::Legal => self.check_one_element(&data.kind, elements),
            _ => Ok(()),
        }
    }

    fn check_one_element(&self, kind: &InstKind, elements: &mut Elements) -> Result<(), Broken> {
        let Some(Place::Element { root, scalar, lanes, .. }) = kind.place() else { return Ok(()) };
        let owner = match root {
            Root::LocalArena if self.has_views() => return Ok(()),
            Root::Slot(_) | Root::LocalArg(_) | Root::LocalArena => Some(self.func),
            Root::Global(g) if self.module.globals[g].space == Space::Local => None,
            _ => return Ok(()),
        };
        let first = *elements.entry((owner, root)).or_insert((scalar, lanes));
        ensure(first == (scalar, lanes), || {
            format!("V-16: one root is accessed as {}x{} and as {scalar}x{lanes}", first.0, first.1)
        })
    }

    /// Whether the function's arena is seen as several types.
    fn has_views(&self) -> bool {
        let kernel = self.module.kernels.iter().find(|k| k.func == self.func);
        kernel.and_then(|k| k.local_arena.as_ref()).is_some_and(|arena| arena.views)
    }

    /// V-5 and V-7.
    fn check_terminator(&self, term: &Terminator) -> Result<(), Broken> {
        let f = self.function;
        match term {
            Terminator::CondBranch { cond, .. } => {
                ensure(f.ty(*cond) == Type::BOOL, || format!("V-7: {cond} is no bool"))?;
            }
            Terminator::Switch { value, cases, .. } => self.check_switch(*value, cases)?,
            Terminator::Return(values) => {
                let types = values.iter().map(|v| f.ty(*v));
                ensure(types.clone().eq(f.returns.iter().copied()), || {
                    format!("V-7: returns {:?}, the function {:?}", types.collect::<Vec<_>>(), f.returns)
                })?;
            }
            Terminator::Branch(_) | Terminator::Unreachable => {}
        }
        for target in term.targets() {
            self.check_target(target)?;
        }
        Ok(())
    }

    fn check_switch(&self, value: Value, cases: &[(u64, BranchTarget)]) -> Result<(), Broken> {
        let ty = self.function.ty(value);
        let Type::Scalar(scalar) = ty else { return Err(format!("V-7: switch by a {ty}").into()) };
        ensure(scalar.is_int(), || format!("V-7: switch by a {ty}"))?;
        let mut seen: Vec<u64> = cases.iter().map(|c| c.0).collect();
        seen.sort_unstable();
        ensure(seen.windows(2).all(|w| w[0] != w[1]), || "V-7: a case occurs twice".to_owned())?;
        let fits = scalar.bits() == 64 || seen.iter().all(|c| c >> scalar.bits() == 0);
        ensure(fits, || format!("V-7: a case exceeds {ty}"))
    }

    fn check_target(&self, target: &BranchTarget) -> Result<(), Broken> {
        let f = self.function;
        let params = f.blocks[target.block].params.iter().map(|p| f.ty(*p));
        let args = target.args.iter().map(|a| f.ty(*a));
        ensure(params.clone().eq(args.clone()), || {
            let [params, args] = [params.collect::<Vec<_>>(), args.collect()];
            format!("V-5: arguments {args:?} to {}, which takes {params:?}", target.block)
        })
    }
}

//! Function bodies: blocks, phis, terminators, calls; and putting the module together.

use super::debug::{self, DebugIds};
use super::module::{ConstantDecl, FunctionDecl, Tables};
use super::types::Ty;
use super::{constants, ext, invalid, kernel, not_yet, order};
use crate::error::LowerError;
use crate::ir::{
    Block, BranchTarget, Constant, Func, Function, GlobalVar, GlobalVarData, Inst, InstKind, MemFlags,
    Module, Root, SlotData, SourceLine, Space, Stage, Terminator, Type, Value,
};
use crate::link::is_debug_set;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use spirv_io::Instruction;
use spirv_io::spirv::{BuiltIn, Decoration, Op, StorageClass};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The leaves of a SPIR-V value.
pub(super) type Leaves = SmallVec<[Value; 1]>;

/// Reads the functions of a module after its tables.
pub(super) fn read_all(tables: &Tables<'_>, how: super::Reading) -> Result<Module, LowerError> {
    let mut module =
        Module { stage: Stage::Read, address_bits: tables.types.address_bits, ..Module::default() };
    module.opaques = tables.types.opaques.clone();
    module.files.push(String::new());
    let mut file_ids = FxHashMap::default();
    // Most strings of a module are no files: kernels' metadata, and what debug information names.
    let lines = tables.functions.iter().flat_map(|f| &f.body).filter(|i| i.op == Op::Line);
    let mut used: BTreeSet<u32> = lines.filter_map(|i| i.word(0).ok()).collect();
    used.extend(debug::file_strings(tables));
    let files = used.iter().filter_map(|id| Some((id, tables.strings.get(id)?)));
    for (id, text) in files.take((u16::MAX - 1).into()) {
        file_ids.insert(*id, module.files.len() as u16);
        module.files.push(text.clone());
    }
    let debug_ids;
    (module.debug, debug_ids) = debug::collect(tables, &file_ids);
    if how.members {
        module.debug.members = tables.member_names.values().cloned().collect();
    }
    let globals = declare_globals(tables, &mut module)?;
    let shared = Shared {
        tables,
        globals,
        functions: tables.functions.iter().enumerate().map(|(i, f)| (f.id, Func(i as u32))).collect(),
        file_ids,
        debug_ids,
        names: how.names,
        wide: how.wide,
        members: how.members,
        copies: how.copies,
    };
    let mut needs: Vec<Needs> = Vec::new();
    for decl in &tables.functions {
        let (function, needed) = FunctionReader::read(&shared, decl)?;
        module.functions.push(function);
        needs.push(needed);
    }
    let missing = missing_variables(&shared, &module);
    for entry in &tables.entries {
        let func = shared.functions.get(&entry.function);
        let func = *func.ok_or_else(|| invalid(format!("entry point '{}' has no function", entry.name)))?;
        let decl = &tables.functions[func.0 as usize];
        module.kernels.push(kernel::kernel(tables, entry, decl, func)?);
        check_defined(tables, &needs, &missing, func)?;
    }
    Ok(module)
}

/// The functions and variables that a function uses.
#[derive(Debug, Default)]
struct Needs {
    called: Vec<Func>,
    variables: Vec<GlobalVar>,
}

/// The names of variables that no module defines, and of variables whose initialisers have the addresses of those.
fn missing_variables(shared: &Shared<'_>, module: &Module) -> FxHashMap<GlobalVar, String> {
    let imports = shared.tables.globals.iter().filter(|decl| shared.tables.is_imported(decl));
    let imports = imports.filter_map(|decl| shared.globals.get(&decl.id));
    let name = |var: &GlobalVar| (*var, module.globals[*var].name.clone());
    let mut missing: FxHashMap<GlobalVar, String> = imports.map(name).collect();
    while !missing.is_empty() {
        let with_address = |(var, data): (GlobalVar, &GlobalVarData)| {
            let addresses = &data.init.as_ref()?.addresses;
            let name = addresses.iter().find_map(|(_, to)| missing.get(to))?;
            (!missing.contains_key(&var)).then(|| (var, name.clone()))
        };
        let more: Vec<_> = module.globals.iter().filter_map(with_address).collect();
        if more.is_empty() {
            break;
        }
        missing.extend(more);
    }
    missing
}

/// Everything that a kernel calls has a body, and the variables that it uses are some module's.
fn check_defined(
    tables: &Tables<'_>,
    needs: &[Needs],
    missing: &FxHashMap<GlobalVar, String>,
    from: Func,
) -> Result<(), LowerError> {
    let mut seen = FxHashSet::default();
    let mut work = vec![from];
    while let Some(func) = work.pop() {
        if !seen.insert(func) {
            continue;
        }
        let decl = &tables.functions[func.0 as usize];
        if decl.body.is_empty() {
            let name = tables.names.get(&decl.id).cloned().unwrap_or_else(|| format!("%{}", decl.id));
            return Err(invalid(format!("function '{name}' is called but not defined")));
        }
        let Needs { called, variables } = &needs[func.0 as usize];
        if let Some(name) = variables.iter().find_map(|var| missing.get(var)) {
            return Err(invalid(format!("variable '{name}' is used but not defined")));
        }
        work.extend(called);
    }
    Ok(())
}

fn declare_globals(
    tables: &Tables<'_>,
    module: &mut Module,
) -> Result<FxHashMap<u32, GlobalVar>, LowerError> {
    let mut map = FxHashMap::default();
    let mut inits = Vec::new();
    for decl in &tables.globals {
        let (_, _, pointee) = tables.types.pointer(decl.ty)?;
        if tables.builtin(decl).is_some() {
            continue;
        }
        let space = match decl.storage {
            StorageClass::UniformConstant => Space::Constant,
            StorageClass::CrossWorkgroup => Space::Global,
            StorageClass::Workgroup => Space::Local,
            StorageClass::Input => continue,
            other => return Err(invalid(format!("a module-scope variable in {other:?}"))),
        };
        let data = tables.types.get(pointee)?;
        let declared = tables.literal(decl.id, Decoration::Alignment).filter(|a| a.is_power_of_two());
        let global = module.globals.push(GlobalVarData {
            name: tables.names.get(&decl.id).cloned().unwrap_or_default(),
            space,
            size: data.size,
            align: data.align.max(declared.unwrap_or(1)),
            init: None,
        });
        map.insert(decl.id, global);
        if space != Space::Local {
            inits.push((global, pointee, decl.init));
        }
    }
    for (global, ty, init) in inits {
        module.globals[global].init = Some(match init {
            Some(id) => constants::initialiser(tables, ty, id, &map)?,
            None => Default::default(),
        });
    }
    Ok(map)
}

/// The state shared by all functions of a module.
pub(super) struct Shared<'a> {
    pub tables: &'a Tables<'a>,
    pub globals: FxHashMap<u32, GlobalVar>,
    pub functions: FxHashMap<u32, Func>,
    file_ids: FxHashMap<u32, u16>,
    debug_ids: DebugIds,
    /// Values keep their names.
    names: bool,
    /// Global ids, sizes and offsets have 64 bits.
    pub wide: bool,
    /// Accesses of arrays that are structs' members have marks.
    pub members: bool,
    /// Stores of whole structs have the mark of copies.
    pub copies: bool,
}

/// A phi: the block's parameters it became, and its (value, label) pairs.
struct Phi {
    pairs: Vec<(u32, u32)>,
    leaves: usize,
}

/// A terminator to translate when all values are known.
struct Pending<'a> {
    label: u32,
    block: Block,
    inst: Instruction<'a>,
    merge: Option<Instruction<'a>>,
}

/// Translates one function.
pub(super) struct FunctionReader<'a> {
    pub shared: &'a Shared<'a>,
    pub f: Function,
    /// The block that gets instructions.
    pub at: Block,
    /// Instructions for the start of the entry block.
    prologue: Block,
    /// The type and the leaves of each value.
    values: FxHashMap<u32, (u32, Leaves)>,
    /// Pointers into built-in inputs: the built-in, its pointee type, the component that a chain chose.
    pub builtins: FxHashMap<u32, (BuiltIn, u32, Option<u64>)>,
    /// Private variables that hold an image, and the image: compilers that do not optimise keep their parameters so.
    pub held: FxHashMap<u32, Option<Leaves>>,
    /// The arrays in structs that pointers are in, if accesses of these are looked at.
    pub(super) members: FxHashMap<u32, super::members::Inside>,
    /// The first block, once there is one.
    pub entry: Block,
    blocks: FxHashMap<u32, Block>,
    phis: FxHashMap<u32, Vec<Phi>>,
    pending: Vec<Pending<'a>>,
    needs: Needs,
    pub(super) line: SourceLine,
    depth: u32,
}

impl<'a> FunctionReader<'a> {
    /// Reads a function; gives it and the functions that it calls.
    fn read(shared: &'a Shared<'a>, decl: &'a FunctionDecl<'a>) -> Result<(Function, Needs), LowerError> {
        let types = &shared.tables.types;
        let Ty::Function { result, .. } = &types.get(decl.ty)?.ty else {
            return Err(invalid("a function's type is no function type"));
        };
        let mut f = Function::default();
        f.name = shared.tables.names.get(&decl.id).cloned().unwrap_or_default();
        if let Some(entry) = shared.tables.entries.iter().find(|e| e.function == decl.id) {
            f.name.clone_from(&entry.name);
        }
        f.returns = types.leaves(*result)?.iter().map(|l| l.ty).collect();
        f.inline_hint =
            if decl.control & 1 != 0 { Some(true) } else { (decl.control & 2 != 0).then_some(false) };
        let prologue = f.new_detached_block();
        let mut reader = FunctionReader {
            shared,
            f,
            at: prologue,
            prologue,
            values: FxHashMap::with_capacity_and_hasher(decl.body.len(), FxBuildHasher),
            builtins: FxHashMap::default(),
            held: FxHashMap::default(),
            members: FxHashMap::default(),
            entry: prologue,
            blocks: FxHashMap::default(),
            phis: FxHashMap::default(),
            pending: Vec::new(),
            needs: Needs::default(),
            line: SourceLine::default(),
            depth: 0,
        };
        for global in &shared.tables.globals {
            if let Some(builtin) = shared.tables.builtin(global) {
                let pointee = types.pointer(global.ty)?.2;
                reader.builtins.insert(global.id, (builtin, pointee, None));
            }
        }
        reader.body(decl).map_err(|e| name_function(e, &reader.f.name))?;
        Ok((reader.f, reader.needs))
    }

    fn body(&mut self, decl: &'a FunctionDecl<'a>) -> Result<(), LowerError> {
        self.declare_blocks(decl)?;
        let entry = match decl.body.iter().find(|i| i.op == Op::Label) {
            Some(label) => self.block(label.word(0)?)?,
            None => self.f.new_detached_block(),
        };
        self.entry = entry;
        for (ty, id) in &decl.params {
            let mut leaves = Leaves::new();
            for leaf in self.tables().types.leaves(*ty)? {
                leaves.push(self.f.add_param(entry, leaf.ty));
            }
            let leaves = match self.shared.tables.by_value(*id) && !self.is_kernel(decl) {
                true => self.own_copy(*ty, &leaves)?,
                false => leaves,
            };
            self.define(*id, *ty, leaves);
        }
        if decl.body.is_empty() {
            self.f.layout.push(entry);
            return Ok(());
        }
        for label in &decl.body {
            if label.op == Op::Label && label.word(0).is_ok_and(|id| self.phis.contains_key(&id)) {
                self.check_phi_home(label.word(0)?, entry)?;
            }
        }
        self.instructions(decl)?;
        for pending in std::mem::take(&mut self.pending) {
            self.terminate(&pending)?;
        }
        let mut first = std::mem::take(&mut self.f.blocks[self.prologue].insts);
        let insts = &mut self.f.blocks[entry].insts;
        first.append(insts);
        *insts = first;
        self.order_layout();
        Ok(())
    }

    fn is_kernel(&self, decl: &FunctionDecl<'a>) -> bool {
        self.tables().entries.iter().any(|e| e.function == decl.id)
    }

    /// A pointer parameter that is passed by value (FuncParamAttr ByVal) points to a copy that belongs to the function. Its changes are
    /// not visible to the caller.
    fn own_copy(&mut self, ty: u32, leaves: &[Value]) -> Result<Leaves, LowerError> {
        let (_, _, pointee) = self.tables().types.pointer(ty)?;
        let data = self.tables().types.get(pointee)?;
        let (size, align) = (data.size, data.align);
        let [theirs] = *leaves else { return Err(invalid("a parameter by value is no pointer")) };
        let slot = self.f.slots.push(SlotData { name: None, size, align });
        let own = self.emit(InstKind::RootAddr(Root::Slot(slot)), self.f.ty(theirs));
        let flags = MemFlags { align, volatile: false };
        self.emit_void(InstKind::Copy { dst: own, src: theirs, bytes: size, flags });
        Ok(Leaves::from_buf([own]))
    }

    fn check_phi_home(&self, label: u32, entry: Block) -> Result<(), LowerError> {
        if self.block(label)? == entry { Err(invalid("a phi in an entry block")) } else { Ok(()) }
    }

    pub fn tables(&self) -> &'a Tables<'a> {
        self.shared.tables
    }

    /// Makes all blocks and the parameters that phis become.
    fn declare_blocks(&mut self, decl: &'a FunctionDecl<'a>) -> Result<(), LowerError> {
        let mut label = None;
        for inst in &decl.body {
            match inst.op {
                Op::Label => {
                    label = Some(inst.word(0)?);
                    let block = self.f.new_detached_block();
                    if self.blocks.insert(inst.word(0)?, block).is_some() {
                        return Err(invalid("a label occurs twice"));
                    }
                }
                Op::Phi => {
                    let label = label.ok_or_else(|| invalid("a phi outside a block"))?;
                    let block = self.block(label)?;
                    let (ty, id) = (inst.word(0)?, inst.word(1)?);
                    let mut leaves = Leaves::new();
                    for leaf in self.tables().types.leaves(ty)? {
                        leaves.push(self.f.add_param(block, leaf.ty));
                    }
                    let (pairs, rest) = inst.rest(2).as_chunks::<2>();
                    if !rest.is_empty() {
                        return Err(invalid("a phi lacks a label"));
                    }
                    let pairs = pairs.iter().map(|p| (p[0], p[1])).collect();
                    self.phis.entry(label).or_default().push(Phi { pairs, leaves: leaves.len() });
                    self.define(id, ty, leaves);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn instructions(&mut self, decl: &'a FunctionDecl<'a>) -> Result<(), LowerError> {
        let mut label = None;
        let mut merge = None;
        let wide = OnceCell::new();
        let is_wide = |id: u32| wide.get_or_init(|| wide_values(self.tables(), decl)).contains(&id);
        for inst in order::instructions(&decl.body, &is_wide) {
            match inst.op {
                Op::Line => {
                    let file = self.shared.file_ids.get(&inst.word(0)?).copied();
                    self.set_line(file, inst.word(1)?, inst.word(2)?);
                }
                Op::NoLine => self.set_line(None, 0, 0),
                Op::Label => {
                    if label.is_some() {
                        return Err(invalid("a block has no end"));
                    }
                    label = Some(inst.word(0)?);
                    (self.line.scope, self.line.site) = (0, 0);
                    self.at = self.block(inst.word(0)?)?;
                    self.f.layout.push(self.at);
                    merge = None;
                }
                Op::LoopMerge => merge = Some(*inst),
                Op::SelectionMerge => {}
                Op::Branch
                | Op::BranchConditional
                | Op::Switch
                | Op::Return
                | Op::ReturnValue
                | Op::Unreachable
                | Op::Kill => {
                    let ended = label.take().ok_or_else(|| invalid("a terminator outside a block"))?;
                    self.pending.push(Pending { label: ended, block: self.at, inst: *inst, merge });
                }
                _ if label.is_none() => {}
                _ => self.instruction(inst)?,
            }
        }
        if label.is_some() { Err(invalid("a block has no end")) } else { Ok(()) }
    }

    /// One instruction that is neither a terminator nor a label.
    fn instruction(&mut self, inst: &Instruction<'a>) -> Result<(), LowerError> {
        match inst.op {
            Op::Phi
            | Op::Nop
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::AssumeTrueKHR
            | Op::ModuleProcessed
            | Op::Name => Ok(()),
            Op::Undef => {
                let (ty, id) = (inst.word(0)?, inst.word(1)?);
                let mut leaves = Leaves::new();
                for leaf in self.tables().types.leaves(ty)? {
                    leaves.push(self.f.constant(leaf.ty, Constant::Undef));
                }
                self.define(id, ty, leaves);
                Ok(())
            }
            Op::FunctionCall => self.call(inst),
            Op::ExtInst => self.ext_inst(inst),
            _ => {
                if self.memory(inst)?
                    || self.sync(inst)?
                    || self.arith(inst)?
                    || self.image(inst)?
                    || self.group(inst)?
                {
                    return Ok(());
                }
                Err(not_yet("", format!("the SPIR-V instruction Op{:?}", inst.op)))
            }
        }
    }

    fn set_line(&mut self, file: Option<u16>, line: u32, column: u32) {
        let file = file.unwrap_or(0);
        let (line, column) = if file == 0 { (0, 0) } else { (line, column) };
        self.line = self.line.at(file, line, column);
    }

    /// Debug information about what follows in the block.
    fn debug_place(&mut self, number: u32, operands: &[u32]) {
        let (ids, op) = (&self.shared.debug_ids, |n: usize| operands.get(n).copied().unwrap_or(0));
        match number {
            debug::number::SCOPE => {
                self.line.scope = ids.scopes.get(&op(0)).copied().unwrap_or(0);
                self.line.site = ids.sites.get(&op(1)).copied().unwrap_or(0);
            }
            debug::number::NO_SCOPE => (self.line.scope, self.line.site) = (0, 0),
            debug::number::LINE => {
                let file = ids.sources.get(&op(0)).copied();
                self.set_line(file, debug::word(self.tables(), op(1)), debug::word(self.tables(), op(3)));
            }
            debug::number::NO_LINE => self.set_line(None, 0, 0),
            _ => {}
        }
    }

    fn call(&mut self, inst: &Instruction<'a>) -> Result<(), LowerError> {
        let (ty, id, callee) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        let func = self.shared.functions.get(&callee);
        let func = *func.ok_or_else(|| invalid(format!("a call of %{callee}, which is no function")))?;
        self.needs.called.push(func);
        let mut args = Vec::new();
        for arg in inst.rest(3) {
            args.extend(self.leaves(*arg)?);
        }
        let results: SmallVec<[Type; 4]> = self.tables().types.leaves(ty)?.iter().map(|l| l.ty).collect();
        let results = self.emit_many(InstKind::Call { func, args, pure: false }, &results);
        self.define(id, ty, results);
        Ok(())
    }

    fn ext_inst(&mut self, inst: &Instruction<'a>) -> Result<(), LowerError> {
        let (ty, id, set, number) = (inst.word(0)?, inst.word(1)?, inst.word(2)?, inst.word(3)?);
        match self.tables().sets.get(&set).map(String::as_str) {
            Some("OpenCL.std") => {}
            Some(name) if is_debug_set(name) => {
                if self.tables().is_debug_info(set) {
                    self.debug_place(number, inst.rest(4));
                }
                return Ok(());
            }
            Some(name) => return Err(not_yet("", format!("the instruction set {name}"))),
            None => return Err(invalid("an unknown extended instruction set")),
        }
        // vloadn, vload_halfn, vloada_halfn; vstore_half_r, vstore_halfn_r, vstorea_halfn_r end in a literal.
        let literal = matches!(number, 171 | 174 | 179 | 176 | 178 | 181);
        let operands = inst.rest(4);
        let mut args = SmallVec::new();
        for (i, operand) in operands.iter().enumerate() {
            if literal && i + 1 == operands.len() {
                args.push(self.f.iconst(Type::I32, u64::from(*operand)));
            } else {
                args.extend(self.leaves(*operand)?);
            }
        }
        let results: SmallVec<[Type; 4]> = self.tables().types.leaves(ty)?.iter().map(|l| l.ty).collect();
        let types: SmallVec<[Type; 4]> = args.iter().map(|a| self.f.ty(*a)).collect();
        if results.len() > 1 || !ext::types_fit(number, results.first().copied(), &types) {
            return Err(invalid(format!(
                "OpenCL.std instruction {number} has operands of other types: {types:?}"
            )));
        }
        let fast = self.tables().literal(id, Decoration::FPFastMathMode).unwrap_or(0);
        let number = ext::relaxed(number, results.first().copied(), fast);
        let results = self.emit_many(InstKind::ExtInst { number, args }, &results);
        self.define(id, ty, results);
        Ok(())
    }

    fn block(&self, label: u32) -> Result<Block, LowerError> {
        self.blocks.get(&label).copied().ok_or_else(|| invalid(format!("%{label} is no label")))
    }

    /// Records a value.
    pub fn define(&mut self, id: u32, ty: u32, leaves: Leaves) {
        if self.shared.names
            && let ([one], Some(name)) = (leaves.as_slice(), self.tables().names.get(&id))
            && !name.is_empty()
            && !matches!(self.f.values[*one].def, crate::ir::ValueDef::Const(_))
        {
            self.f.names.entry(*one).or_insert_with(|| name.clone());
        }
        self.values.insert(id, (ty, leaves));
    }

    /// The type of a value.
    pub fn type_of(&self, id: u32) -> Result<u32, LowerError> {
        let tables = self.tables();
        let known = self.values.get(&id).map(|v| v.0);
        let known = known.or_else(|| tables.constants.get(&id).map(|c| c.0));
        let known = known.or_else(|| tables.globals.iter().find(|g| g.id == id).map(|g| g.ty));
        known.ok_or_else(|| invalid(format!("%{id} is used before it is defined")))
    }

    /// The leaves of a value.
    pub fn leaves(&mut self, id: u32) -> Result<Leaves, LowerError> {
        if let Some((_, leaves)) = self.values.get(&id) {
            return Ok(Leaves::from_slice(leaves));
        }
        let tables = self.tables();
        if let Some(global) = self.shared.globals.get(&id) {
            let ty = self.type_of(id)?;
            let space = tables.types.plain(ty)?;
            let value = self.in_prologue(|r| {
                Ok(Leaves::from_iter([r.emit(InstKind::RootAddr(Root::Global(*global)), space)]))
            });
            self.define(id, ty, value.clone()?);
            self.needs.variables.push(*global);
            return value;
        }
        if self.shared.functions.contains_key(&id) {
            return Err(not_yet("", "function pointers"));
        }
        if self.held.contains_key(&id) {
            return Err(not_yet("", "a pointer to an image"));
        }
        if self.builtins.contains_key(&id) {
            return Err(not_yet("", "taking the address of a built-in variable"));
        }
        let Some((ty, decl)) = tables.constants.get(&id) else {
            return Err(invalid(format!("%{id} is used before it is defined")));
        };
        self.depth += 1;
        if self.depth > 200 {
            return Err(invalid("constants nest too deeply"));
        }
        let leaves = self.constant_leaves(*ty, id, decl);
        self.depth -= 1;
        let leaves = leaves?;
        self.values.insert(id, (*ty, leaves.clone()));
        Ok(leaves)
    }

    fn constant_leaves(&mut self, ty: u32, id: u32, decl: &'a ConstantDecl) -> Result<Leaves, LowerError> {
        let tables = self.tables();
        match decl {
            ConstantDecl::Composite(parts) => {
                let mut leaves = Leaves::new();
                for part in parts {
                    leaves.extend(self.leaves(*part)?);
                    if leaves.len() > 4096 {
                        return Err(not_yet("", "a constant value of more than 4096 elements"));
                    }
                }
                if let Ty::Plain(vector) = tables.types.get(ty)?.ty {
                    return self.constant_vector(vector, leaves);
                }
                Ok(leaves)
            }
            ConstantDecl::Op(op, operands) => {
                let mut words = vec![ty, id];
                words.extend(operands);
                let inst = Instruction { op: *op, operands: &words, at: 0 };
                self.in_prologue(|r| r.constant_instruction(&inst))?;
                let found = self.values.get(&id).map(|v| v.1.clone());
                found.ok_or_else(|| not_yet("", format!("{op:?} in a constant expression")))
            }
            ConstantDecl::Bits(_) | ConstantDecl::Null | ConstantDecl::Undef => {
                let constant = constants::simple(tables, id);
                let constant = constant.ok_or_else(|| not_yet("", format!("the constant {decl:?}")))?;
                let leaves = tables.types.leaves(ty)?;
                Ok(leaves.iter().map(|l| self.f.constant(l.ty, constant)).collect())
            }
        }
    }

    /// The operands of a constant expression may live in the tables' own storage, not the module's.
    fn constant_instruction(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        if self.memory(inst)? || self.arith(inst)? {
            return Ok(());
        }
        Err(not_yet("", format!("{:?} in a constant expression", inst.op)))
    }

    fn constant_vector(&mut self, ty: Type, parts: Leaves) -> Result<Leaves, LowerError> {
        let Some(first) = parts.first() else { return Err(invalid("an empty vector constant")) };
        let bits = self.f.const_bits(*first);
        let same = parts.iter().all(|p| p == first) && parts.len() == usize::from(ty.lanes());
        if let (true, Some(bits)) = (same, bits) {
            return Ok(Leaves::from_iter([self.f.constant(ty, Constant::Bits(bits))]));
        }
        let kind = InstKind::Construct(parts.into_iter().collect());
        self.in_prologue(|r| Ok(Leaves::from_iter([r.emit(kind, ty)])))
    }

    fn in_prologue<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, LowerError>,
    ) -> Result<T, LowerError> {
        let (at, line) = (self.at, self.line);
        (self.at, self.line) = (self.prologue, SourceLine::default());
        let result = work(self);
        (self.at, self.line) = (at, line);
        result
    }

    /// The one leaf of a scalar, vector or pointer.
    pub fn value(&mut self, id: u32) -> Result<Value, LowerError> {
        if let Some((_, leaves)) = self.values.get(&id)
            && let [one] = leaves[..]
        {
            return Ok(one);
        }
        match self.leaves(id)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(invalid(format!("%{id} is an aggregate where a scalar or vector is needed"))),
        }
    }

    /// Appends an instruction with one result.
    pub fn emit(&mut self, kind: InstKind, ty: Type) -> Value {
        let inst = self.put(kind, &[ty]);
        self.f.insts[inst].results[0]
    }

    fn put(&mut self, kind: InstKind, results: &[Type]) -> Inst {
        let inst = self.f.make_inst(kind, results);
        self.f.insts[inst].line = self.line;
        self.f.blocks[self.at].insts.push(inst);
        inst
    }

    /// Appends an instruction.
    pub fn emit_many(&mut self, kind: InstKind, results: &[Type]) -> Leaves {
        let inst = self.put(kind, results);
        Leaves::from_slice(&self.f.insts[inst].results)
    }

    /// Appends an instruction without a result.
    pub fn emit_void(&mut self, kind: InstKind) {
        self.put(kind, &[]);
    }

    fn target(&mut self, from: u32, to: u32) -> Result<BranchTarget, LowerError> {
        let block = self.block(to)?;
        let mut incoming = Vec::new();
        for phi in self.phis.get(&to).map(Vec::as_slice).unwrap_or_default() {
            let pair = phi.pairs.iter().find(|p| p.1 == from);
            let pair = pair.ok_or_else(|| invalid(format!("a phi in %{to} lacks a value from %{from}")))?;
            incoming.push((pair.0, phi.leaves));
        }
        let mut args = SmallVec::new();
        for (value, count) in incoming {
            let leaves = self.leaves(value)?;
            if leaves.len() != count {
                return Err(invalid("a phi's value has another type"));
            }
            args.extend(leaves);
        }
        Ok(BranchTarget { block, args })
    }

    fn terminate(&mut self, pending: &Pending<'a>) -> Result<(), LowerError> {
        let (inst, from) = (&pending.inst, pending.label);
        self.at = pending.block;
        let term = match inst.op {
            Op::Branch => Terminator::Branch(self.target(from, inst.word(0)?)?),
            Op::BranchConditional => Terminator::CondBranch {
                cond: self.value(inst.word(0)?)?,
                then: self.target(from, inst.word(1)?)?,
                els: self.target(from, inst.word(2)?)?,
            },
            Op::Switch => self.switch(from, inst)?,
            Op::Return => Terminator::Return(SmallVec::new()),
            Op::ReturnValue => Terminator::Return(self.leaves(inst.word(0)?)?),
            _ => Terminator::Unreachable,
        };
        self.f.blocks[pending.block].term = term;
        // Merge blocks follow from the branches. Only the loop control does not.
        if let Some(merge) = &pending.merge {
            self.f.blocks[pending.block].loop_control = merge.word(2)? & 3;
        }
        Ok(())
    }

    fn switch(&mut self, from: u32, inst: &Instruction<'a>) -> Result<Terminator, LowerError> {
        let value = self.value(inst.word(0)?)?;
        let width = self.f.ty(value).scalar().map_or(32, crate::ir::Scalar::bits);
        let words = if width > 32 { 3 } else { 2 };
        let rest = inst.rest(2);
        if !rest.len().is_multiple_of(words) {
            return Err(invalid("a switch lacks a target"));
        }
        let default = self.target(from, inst.word(1)?)?;
        let mut cases = Vec::new();
        for case in rest.chunks_exact(words) {
            let high = if words == 3 { u64::from(case[1]) << 32 } else { 0 };
            let bits = (u64::from(case[0]) | high) & (u64::MAX >> (64 - width));
            cases.push((bits, self.target(from, case[words - 1])?));
        }
        Ok(Terminator::Switch { value, cases, default })
    }

    /// SPIR-V orders blocks as the IR does (§2.16.1). If a module does not, or a group copy added blocks, they are ordered again.
    fn order_layout(&mut self) {
        let cfg = self.f.cfg();
        let mut seen = FxHashSet::default();
        let mut ordered = true;
        for block in &self.f.layout {
            ordered &= cfg.idom(*block).is_none_or(|d| seen.contains(&d));
            seen.insert(*block);
        }
        if !ordered {
            let mut layout = cfg.rpo().to_vec();
            layout.extend(self.f.layout.iter().filter(|b| !cfg.is_reachable(**b)));
            self.f.layout = layout;
        }
    }
}

/// The values of a function that have a 64-bit type, among those that are integers.
fn wide_values(tables: &Tables<'_>, decl: &FunctionDecl<'_>) -> FxHashSet<u32> {
    let is_wide = |ty: u32| tables.types.plain(ty).is_ok_and(|ty| ty == Type::I64);
    let params = decl.params.iter().copied();
    let constants = tables.constants.iter().map(|(id, constant)| (constant.0, *id));
    // Only the results' types are types among the first operands of the instructions in a body.
    let results = decl.body.iter().filter_map(|inst| Some((*inst.operands.first()?, *inst.operands.get(1)?)));
    params.chain(constants).chain(results).filter(|(ty, _)| is_wide(*ty)).map(|(_, id)| id).collect()
}

fn name_function(error: LowerError, name: &str) -> LowerError {
    match error {
        LowerError::NotYet { kernel, what } if kernel.is_empty() => not_yet(name, what),
        LowerError::InvalidModule(message) => invalid(format!("function '{name}': {message}")),
        other => other,
    }
}

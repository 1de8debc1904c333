//! The first walk: sections, blocks, definitions.

use super::flow::{Flow, FunctionBlocks};
use super::{Check, Fault, ValidateError, broken, ensure, grammar, unsupported};
use crate::link::is_debug_set;
use rustc_hash::FxHashMap;
use spirv_io::spirv::Op;
use spirv_io::{Instruction, Reader};

/// The most ids that a module may have (SPIR-V §2.17).
const MAX_BOUND: u32 = 0x3f_ffff;

/// An id's definition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Def {
    /// The word at which its instruction begins.
    pub at: u32,
    pub op: Op,
    /// Its result type; 0 for none.
    pub ty: u32,
    /// The function that it is in, counted from 1; 0 outside of functions.
    pub function: u32,
    /// The block that it is in, counted from 1 in the module; 0 for what is in none.
    pub block: u32,
}

/// The results of the first walk.
pub(super) struct Module<'a> {
    words: &'a [u32],
    /// By id: one more than the place in `defs`; 0 for ids without definition.
    index: Vec<u32>,
    defs: Vec<Def>,
    /// How instruction sets are called.
    pub sets: FxHashMap<u32, String>,
    pub flow: Flow,
    /// By function, counted from 1: whether it has a body.
    pub bodies: Vec<bool>,
}

impl<'a> Module<'a> {
    /// An id's definition.
    pub fn def(&self, id: u32) -> Option<&Def> {
        let place = self.index.get(id as usize).filter(|i| **i != 0)?;
        self.defs.get(*place as usize - 1)
    }

    /// The opcode of an id's definition.
    pub fn op(&self, id: u32) -> Option<Op> {
        self.def(id).map(|d| d.op)
    }

    /// The operands of the instruction that defines an id, the result's id and type included.
    pub fn operands(&self, id: u32) -> &'a [u32] {
        let Some(def) = self.def(id) else { return &[] };
        let at = def.at as usize;
        let count = self.words.get(at).map_or(0, |w| (w >> 16) as usize);
        self.words.get(at + 1..at + count).unwrap_or(&[])
    }

    /// Operand word of the instruction that defines an id; 0 for none.
    pub fn operand(&self, id: u32, index: usize) -> u32 {
        self.operands(id).get(index).copied().unwrap_or(0)
    }

    /// Returns whether an id is a type.
    pub fn is_type(&self, id: u32) -> bool {
        self.def(id).is_some_and(|d| d.ty == 0 && is_type(d.op))
    }

    /// The type of a value: what has a type and is no function.
    pub fn value_type(&self, id: u32) -> Option<u32> {
        self.def(id).filter(|d| d.ty != 0 && d.op != Op::Function).map(|d| d.ty)
    }

    /// Returns whether an id is a constant, undefined, or a variable of the module, whose address is a constant.
    pub fn is_constant(&self, id: u32) -> bool {
        self.def(id).is_some_and(|d| d.function == 0 && d.ty != 0 && d.op != Op::ExtInst)
    }
}

/// Returns whether an instruction of the grammar declares a type.
fn is_type(op: Op) -> bool {
    let n = op as u32;
    (Op::TypeVoid as u32..=Op::TypePipe as u32).contains(&n) || op == Op::TypePipeStorage
}

/// The sections of decorations, and of types, constants and variables.
const DECORATIONS: u32 = 9;
const DECLARATIONS: u32 = 10;

/// The place of an instruction outside of functions in the order of the sections (SPIR-V §2.4); `None` for those that
/// only blocks have.
fn section(op: Op) -> Option<u32> {
    Some(match op {
        Op::Capability => 0,
        Op::Extension => 1,
        Op::ExtInstImport => 2,
        Op::MemoryModel => 3,
        Op::EntryPoint => 4,
        Op::ExecutionMode | Op::ExecutionModeId => 5,
        Op::String | Op::Source | Op::SourceContinued | Op::SourceExtension => 6,
        Op::Name | Op::MemberName => 7,
        Op::ModuleProcessed => 8,
        Op::Decorate
        | Op::MemberDecorate
        | Op::DecorateId
        | Op::DecorateString
        | Op::MemberDecorateString
        | Op::DecorationGroup
        | Op::GroupDecorate
        | Op::GroupMemberDecorate => DECORATIONS,
        Op::ConstantTrue
        | Op::ConstantFalse
        | Op::Constant
        | Op::ConstantComposite
        | Op::ConstantSampler
        | Op::ConstantNull
        | Op::SpecConstantTrue
        | Op::SpecConstantFalse
        | Op::SpecConstant
        | Op::SpecConstantComposite
        | Op::SpecConstantOp
        | Op::Undef
        | Op::Variable
        | Op::TypeForwardPointer => DECLARATIONS,
        op if is_type(op) => DECLARATIONS,
        _ => return None,
    })
}

fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch | Op::BranchConditional | Op::Switch | Op::Return | Op::ReturnValue | Op::Unreachable
    )
}

/// The state of the walk.
struct Collector<'a> {
    module: Module<'a>,
    section: u32,
    memory_models: u32,
    function: u32,
    block: u32,
    /// The number of blocks so far, in all functions.
    blocks: u32,
    /// The function that is being read.
    body: FunctionBlocks,
    /// A merge instruction comes before.
    merge: bool,
}

/// Walks a module.
pub(super) fn collect(words: &[u32]) -> Result<Module<'_>, ValidateError> {
    let invalid = |rule: String| ValidateError::Invalid { at: 0, op: "the header".to_owned(), rule };
    let (header, reader) = Reader::new(words)?;
    if !matches!(header.version, (1, 0..=6)) {
        let (major, minor) = header.version;
        return Err(invalid(format!("SPIR-V {major}.{minor} is none of 1.0 to 1.6")));
    }
    if !(1..=MAX_BOUND).contains(&header.bound) || u32::try_from(words.len()).is_err() {
        return Err(invalid(format!("the bound of ids is {}, not 1 to {MAX_BOUND}", header.bound)));
    }
    let mut collector = Collector {
        module: Module {
            words,
            index: vec![0; header.bound as usize],
            defs: Vec::new(),
            sets: FxHashMap::default(),
            flow: Flow::default(),
            bodies: vec![false],
        },
        section: 0,
        memory_models: 0,
        function: 0,
        block: 0,
        blocks: 0,
        body: FunctionBlocks::default(),
        merge: false,
    };
    for inst in reader {
        let inst = inst?;
        collector.instruction(&inst).map_err(|fault| fault.at(&inst))?;
    }
    if collector.function != 0 {
        return Err(invalid("the last function has no end".to_owned()));
    }
    if collector.memory_models != 1 {
        return Err(invalid("there is no OpMemoryModel".to_owned()));
    }
    Ok(collector.module)
}

impl Collector<'_> {
    fn instruction(&mut self, inst: &Instruction<'_>) -> Check {
        let Some((letters, _)) = grammar::form(inst.op) else {
            return unsupported(format!("the SPIR-V instruction Op{:?}", inst.op));
        };
        let debug = inst.op == Op::ExtInst
            && inst.word(2).is_ok_and(|s| self.module.sets.get(&s).is_some_and(|name| is_debug_set(name)));
        if !debug && !matches!(inst.op, Op::Line | Op::NoLine | Op::Nop) {
            match self.function {
                0 => self.outside(inst)?,
                _ => self.inside(inst)?,
            }
        }
        match letters.as_bytes() {
            [b'T', b'R', ..] => self.define(inst, inst.word(1)?, inst.word(0)?)?,
            [b'R', ..] => self.define(inst, inst.word(0)?, 0)?,
            _ => {}
        }
        if inst.op == Op::ExtInstImport {
            self.module.sets.insert(inst.word(0)?, inst.string(1)?.0);
        }
        Ok(())
    }

    fn define(&mut self, inst: &Instruction<'_>, id: u32, ty: u32) -> Check {
        let Some(place) = self.module.index.get_mut(id as usize).filter(|_| id != 0) else {
            return broken(format!("%{id} is not below the bound of ids"));
        };
        ensure(*place == 0, &format!("%{id} is defined twice"))?;
        // `TR`: the type cannot be nothing.
        ensure(ty != 0 || !inst.operands.is_empty(), "the result is missing")?;
        let (op, at) = (inst.op, inst.at as u32);
        // A function is outside of itself.
        let (function, block) = if op == Op::Function { (0, 0) } else { (self.function, self.block) };
        self.module.defs.push(Def { at, op, ty, function, block });
        *place = self.module.defs.len() as u32;
        Ok(())
    }

    fn outside(&mut self, inst: &Instruction<'_>) -> Check {
        if inst.op == Op::Function {
            ensure(self.memory_models == 1, "it stands before the memory model")?;
            self.section = u32::MAX;
            self.module.bodies.push(false);
            self.function = self.module.bodies.len() as u32 - 1;
            self.body = FunctionBlocks::default();
            return Ok(());
        }
        // LLVM's translator places alias scopes before the decorations that name them, other producers after.
        let alias = matches!(
            inst.op,
            Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL
        );
        let section =
            if alias { Some(self.section.clamp(DECORATIONS, DECLARATIONS)) } else { section(inst.op) };
        let Some(section) = section else {
            return match inst.op {
                Op::ExtInst => unsupported("an instruction of an extended set outside of functions"),
                _ => broken("it stands outside of functions"),
            };
        };
        ensure(section >= self.section, "it stands in the wrong section: sections have an order")?;
        self.section = section;
        self.memory_models += u32::from(inst.op == Op::MemoryModel);
        ensure(self.memory_models < 2, "there are two")?;
        ensure(section < 4 || self.memory_models == 1, "it stands before the memory model")
    }

    fn inside(&mut self, inst: &Instruction<'_>) -> Check {
        let merge = std::mem::take(&mut self.merge);
        match inst.op {
            Op::Label => {
                ensure(self.block == 0, "the block before has no end")?;
                self.blocks += 1;
                self.block = self.blocks;
                self.body.begin(inst.word(0)?);
                if let Some(body) = self.module.bodies.last_mut() {
                    *body = true;
                }
            }
            Op::FunctionParameter => {
                ensure(self.body.labels.is_empty(), "a parameter stands behind a block")?;
            }
            Op::FunctionEnd => {
                ensure(self.block == 0, "the last block has no end")?;
                let body = std::mem::take(&mut self.body);
                self.module.flow.add(body).map_err(Fault::Rule)?;
                self.function = 0;
            }
            op if is_terminator(op) => {
                ensure(self.block != 0, "it stands outside of a block")?;
                self.successors(inst)?;
                self.block = 0;
            }
            op => {
                ensure(self.block != 0, "it stands outside of a block")?;
                ensure(!merge, "it stands between a merge instruction and its branch")?;
                let inside = section(op).is_none() || matches!(op, Op::Undef | Op::Variable);
                ensure(inside && op != Op::Function, "it stands inside of a function")?;
                self.merge = matches!(op, Op::LoopMerge | Op::SelectionMerge);
            }
        }
        Ok(())
    }

    /// Records a terminator's targets.
    fn successors(&mut self, inst: &Instruction<'_>) -> Check {
        match inst.op {
            Op::Branch => self.body.leads_to(inst.word(0)?),
            Op::BranchConditional => {
                self.body.leads_to(inst.word(1)?);
                self.body.leads_to(inst.word(2)?);
            }
            Op::Switch => {
                self.body.leads_to(inst.word(1)?);
                // The selector comes before. Its width decides the length of the cases.
                let ty = self.module.value_type(inst.word(0)?).unwrap_or(0);
                let wide = self.module.op(ty) == Some(Op::TypeInt) && self.module.operand(ty, 1) > 32;
                let size = if wide { 3 } else { 2 };
                let cases = inst.rest(2);
                ensure(cases.len().is_multiple_of(size), "a case lacks its target")?;
                cases.chunks_exact(size).for_each(|case| self.body.leads_to(case[size - 1]));
            }
            _ => {}
        }
        self.body.end();
        Ok(())
    }
}

//! One input of the linker: a module's instructions by section, and what is known of its ids.

use super::LinkError;
use super::operands::Context;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{BuiltIn, Decoration, ExecutionMode, LinkageType, Op};
use spirv_io::{Instruction, Reader};

/// Decorations that a decoration group may spread over its targets before the module is refused.
const MAX_GROUP_DECORATIONS: usize = 1 << 20;

/// The prefix of the front end's strings for functions with FP_CONTRACT off. The exported name follows.
const CONTRACTION_OFF: &str = "pumice.contraction_off.";

/// A decoration or name of an id: the opcode and the words after the target.
#[derive(Debug, Clone)]
pub(super) struct Annotation {
    pub op: Op,
    pub target: u32,
    pub rest: Vec<u32>,
}

/// A symbol that a module gives or takes.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub id: u32,
    pub name: String,
    pub linkage: LinkageType,
}

/// A function, from OpFunction to OpFunctionEnd.
#[derive(Debug)]
pub(super) struct Function<'a> {
    pub id: u32,
    /// Its OpTypeFunction.
    pub ty: u32,
    pub has_body: bool,
    pub instructions: Vec<Instruction<'a>>,
}

/// A module.
#[derive(Debug, Default)]
pub(super) struct Input<'a> {
    pub version: (u8, u8),
    pub capabilities: Vec<u32>,
    pub extensions: Vec<String>,
    pub memory_model: Option<(u32, u32)>,
    /// Extended instruction sets by id.
    pub sets: FxHashMap<u32, String>,
    pub set_list: Vec<u32>,
    pub entries: Vec<Instruction<'a>>,
    pub modes: Vec<Instruction<'a>>,
    /// OpString, OpSource and kin.
    pub debug: Vec<Instruction<'a>>,
    pub processed: Vec<Instruction<'a>>,
    /// Debug information outside of functions that linked modules keep.
    pub debug_info: Vec<Instruction<'a>>,
    pub names: Vec<Annotation>,
    pub annotations: Vec<Annotation>,
    /// Types, constants, variables.
    pub globals: Vec<Instruction<'a>>,
    pub functions: Vec<Function<'a>>,
    /// The index of each id of `globals` and `functions`.
    pub global_at: FxHashMap<u32, usize>,
    pub function_at: FxHashMap<u32, usize>,
    pub types: FxHashSet<u32>,
    /// Integer types of more than 32 bits.
    pub wide_types: FxHashSet<u32>,
    /// Ids of those types.
    pub wide_ids: FxHashSet<u32>,
    pub symbols: Vec<Symbol>,
    pub builtins: FxHashMap<u32, BuiltIn>,
    /// Functions in which a*b+c may not be contracted. SPIR-V can say this only of entry points, so our front end adds an OpString for
    /// others.
    pub contraction_off: FxHashSet<u32>,
    /// The ids that decorations are on, and for each its decorations in `annotations`.
    pub decorated: FxHashMap<u32, Vec<usize>>,
}

impl Context for Input<'_> {
    fn is_wide(&self, id: u32) -> bool {
        self.wide_ids.contains(&id)
    }

    fn set(&self, id: u32) -> Option<&str> {
        self.sets.get(&id).map(String::as_str)
    }
}

impl<'a> Input<'a> {
    /// Files the instructions of a module.
    pub fn read(words: &'a [u32]) -> Result<Self, LinkError> {
        let (header, reader) = Reader::new(words)?;
        let mut input = Input { version: header.version, ..Input::default() };
        let mut function: Option<Function<'a>> = None;
        let mut groups: FxHashSet<u32> = FxHashSet::default();
        let mut grouped: Vec<Instruction<'a>> = Vec::new();
        for inst in reader {
            let inst = inst?;
            input.note_width(&inst);
            match (&mut function, inst.op) {
                (None, Op::Function) => {
                    function = Some(Function {
                        id: inst.word(1)?,
                        ty: inst.word(3)?,
                        has_body: false,
                        instructions: vec![inst],
                    });
                }
                (Some(f), op) => {
                    f.has_body |= op == Op::Label;
                    f.instructions.push(inst);
                    if let (Op::FunctionEnd, Some(f)) = (op, function.take_if(|_| op == Op::FunctionEnd)) {
                        input.function_at.insert(f.id, input.functions.len());
                        input.functions.push(f);
                    }
                }
                (None, Op::DecorationGroup) => drop(groups.insert(inst.word(0)?)),
                (None, Op::GroupDecorate | Op::GroupMemberDecorate) => grouped.push(inst),
                (None, _) => input.declaration(inst)?,
            }
        }
        if function.is_some() {
            return Err(LinkError::Invalid("a function has no end".to_owned()));
        }
        input.expand_groups(&groups, &grouped)?;
        input.index_annotations();
        Ok(input)
    }

    /// Returns whether an id is used for imported debug information that the linked module omits.
    pub fn is_left_out(&self, id: u32) -> bool {
        self.set(id).is_some_and(is_left_out)
    }

    /// Records the ids whose type is an integer of more than 32 bits.
    fn note_width(&mut self, inst: &Instruction<'_>) {
        match (inst.op, inst.operands) {
            (Op::TypeInt, [id, width, ..]) if *width > 32 => drop(self.wide_types.insert(*id)),
            // An instruction that starts with a type has the result next.
            (_, [ty, id, ..]) if self.wide_types.contains(ty) => drop(self.wide_ids.insert(*id)),
            _ => {}
        }
    }

    fn declaration(&mut self, inst: Instruction<'a>) -> Result<(), LinkError> {
        match inst.op {
            Op::Capability => self.capabilities.push(inst.word(0)?),
            Op::Extension => self.extensions.push(inst.string(0)?.0),
            Op::ExtInstImport => {
                self.set_list.push(inst.word(0)?);
                self.sets.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::MemoryModel => self.memory_model = Some((inst.word(0)?, inst.word(1)?)),
            Op::EntryPoint => self.entries.push(inst),
            Op::ExecutionMode | Op::ExecutionModeId => self.modes.push(inst),
            Op::String | Op::Source | Op::SourceContinued | Op::SourceExtension => self.debug.push(inst),
            Op::ModuleProcessed => self.processed.push(inst),
            Op::Name | Op::MemberName => self.names.push(annotation(&inst)?),
            Op::Decorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorate
            | Op::MemberDecorateString => self.annotations.push(annotation(&inst)?),
            Op::Line | Op::NoLine | Op::Nop => {}
            Op::ExtInst if self.is_left_out(inst.word(2)?) => {}
            Op::ExtInst if self.set(inst.word(2)?).is_some_and(is_debug_set) => self.debug_info.push(inst),
            op => {
                let id = if is_type(op) {
                    self.types.insert(inst.word(0)?);
                    inst.word(0)?
                } else if self.types.contains(&inst.word(0)?) {
                    inst.word(1)?
                } else {
                    return Err(LinkError::Unsupported(format!("Op{op:?} outside of functions")));
                };
                if op != Op::TypeForwardPointer && self.global_at.insert(id, self.globals.len()).is_some() {
                    return Err(LinkError::Invalid(format!("the id {id} is defined twice")));
                }
                self.globals.push(inst);
            }
        }
        Ok(())
    }

    /// Decorations of groups become decorations of each target.
    fn expand_groups(&mut self, groups: &FxHashSet<u32>, uses: &[Instruction<'_>]) -> Result<(), LinkError> {
        if groups.is_empty() {
            return Ok(());
        }
        let (of_groups, mut plain): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.annotations).into_iter().partition(|a| groups.contains(&a.target));
        let mut by_group: FxHashMap<u32, Vec<Annotation>> = FxHashMap::default();
        for annotation in of_groups {
            by_group.entry(annotation.target).or_default().push(annotation);
        }
        for inst in uses {
            let group = by_group.get(&inst.word(0)?).map_or(&[][..], Vec::as_slice);
            let step = if inst.op == Op::GroupMemberDecorate { 2 } else { 1 };
            for target in inst.rest(1).chunks(step) {
                if plain.len() + group.len() > MAX_GROUP_DECORATIONS {
                    return Err(LinkError::Unsupported("so many decorations by groups".to_owned()));
                }
                plain.extend(group.iter().map(|a| match target {
                    [target, member] => Annotation {
                        op: if a.op == Op::DecorateString {
                            Op::MemberDecorateString
                        } else {
                            Op::MemberDecorate
                        },
                        target: *target,
                        rest: std::iter::once(*member).chain(a.rest.iter().copied()).collect(),
                    },
                    _ => Annotation { target: target[0], ..a.clone() },
                }));
            }
        }
        self.annotations = plain;
        self.names.retain(|n| !groups.contains(&n.target));
        Ok(())
    }

    fn index_annotations(&mut self) {
        for (index, annotation) in self.annotations.iter().enumerate() {
            self.decorated.entry(annotation.target).or_default().push(index);
            let Annotation { op: Op::Decorate, target, rest } = annotation else { continue };
            match rest.split_first().and_then(|(d, rest)| Some((Decoration::from_u32(*d)?, rest))) {
                Some((Decoration::LinkageAttributes, words)) => {
                    let Some((name, used)) = spirv_io::decode_string(words) else { continue };
                    let Some(linkage) = words.get(used).copied().and_then(LinkageType::from_u32) else {
                        continue;
                    };
                    self.symbols.push(Symbol { id: *target, name, linkage });
                }
                Some((Decoration::BuiltIn, [builtin, ..])) => {
                    self.builtins.extend(BuiltIn::from_u32(*builtin).map(|b| (*target, b)));
                }
                _ => {}
            }
        }
        let builtins = &self.builtins;
        self.symbols.retain(|s| !builtins.contains_key(&s.id));
        let off: FxHashSet<String> = self
            .debug
            .iter()
            .filter(|i| i.op == Op::String)
            .filter_map(|i| Some(i.string(1).ok()?.0.strip_prefix(CONTRACTION_OFF)?.to_owned()))
            .collect();
        self.contraction_off = self.symbols.iter().filter(|s| off.contains(&s.name)).map(|s| s.id).collect();
    }

    /// Returns whether an entry point's function has an execution mode.
    pub fn has_mode(&self, function: u32, mode: ExecutionMode) -> bool {
        self.modes.iter().any(|m| m.operands.get(..2) == Some(&[function, mode as u32]))
    }

    /// The decorations of an id.
    pub fn decorations(&self, id: u32) -> impl Iterator<Item = &Annotation> {
        self.decorated.get(&id).into_iter().flatten().filter_map(|i| self.annotations.get(*i))
    }

    /// The instruction outside of functions that defines an id.
    pub fn global(&self, id: u32) -> Option<&Instruction<'a>> {
        self.globals.get(*self.global_at.get(&id)?)
    }
}

fn annotation(inst: &Instruction<'_>) -> Result<Annotation, LinkError> {
    Ok(Annotation { op: inst.op, target: inst.word(0)?, rest: inst.rest(1).to_vec() })
}

/// Instruction sets that say nothing about what a program does.
pub(crate) fn is_debug_set(name: &str) -> bool {
    name.starts_with("NonSemantic.")
        || name.starts_with("OpenCL.DebugInfo")
        || matches!(name, "DebugInfo" | "SPIRV.debug")
}

/// The instruction sets that linked modules omit: their instructions may refer forward and have literals.
pub(super) fn is_left_out(name: &str) -> bool {
    is_debug_set(name) && !name.starts_with("NonSemantic.Shader.DebugInfo.")
}

/// Returns whether an instruction declares a type.
pub(super) fn is_type(op: Op) -> bool {
    let n = op as u32;
    (Op::TypeVoid as u32..=Op::TypeForwardPointer as u32).contains(&n)
        || matches!(op, Op::TypePipeStorage | Op::TypeNamedBarrier | Op::TypeUntypedPointerKHR)
        || matches!(op, Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL)
}

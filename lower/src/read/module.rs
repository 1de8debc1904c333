//! The module's tables: everything outside function bodies, by id.

use super::types::{Ty, Types};
use super::{constants, image, invalid, not_yet};
use crate::error::LowerError;
use crate::ir::{Scalar, Type};
use rustc_hash::FxHashMap;
use spirv_io::spirv::{
    AddressingModel, BuiltIn, Decoration, ExecutionModel, FunctionParameterAttribute, LinkageType, Op,
    StorageClass,
};
use spirv_io::{Instruction, Reader};

/// A constant as it was declared.
#[derive(Debug, Clone)]
pub(super) enum ConstantDecl {
    Bits(u64),
    Composite(Vec<u32>),
    Null,
    Undef,
    /// OpSpecConstantOp: the operation and its operands.
    Op(Op, Vec<u32>),
}

/// A module-scope variable.
#[derive(Debug, Clone)]
pub(super) struct GlobalDecl {
    pub id: u32,
    pub ty: u32,
    pub storage: StorageClass,
    pub init: Option<u32>,
}

/// A function: its declaration and the instructions after its parameters.
#[derive(Debug)]
pub(super) struct FunctionDecl<'a> {
    pub id: u32,
    pub ty: u32,
    pub control: u32,
    pub params: Vec<(u32, u32)>,
    pub body: Vec<Instruction<'a>>,
}

/// An entry point and its execution modes.
#[derive(Debug)]
pub(super) struct EntryDecl {
    pub function: u32,
    pub name: String,
    pub modes: Vec<(u32, Vec<u32>)>,
}

/// A decoration and its literals.
pub(super) type Decorations = Vec<(Decoration, Vec<u32>)>;

/// An instruction of debug information outside functions.
#[derive(Debug)]
pub(super) struct DebugDecl {
    pub id: u32,
    pub number: u32,
    pub operands: Vec<u32>,
}

/// Everything outside function bodies.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    /// Events are numbers.
    pub events: bool,
    pub types: Types,
    /// (type, constant) by id.
    pub constants: FxHashMap<u32, (u32, ConstantDecl)>,
    pub globals: Vec<GlobalDecl>,
    pub functions: Vec<FunctionDecl<'a>>,
    pub entries: Vec<EntryDecl>,
    /// OpExecutionModeIds: function, mode, constants.
    modes_by_id: Vec<(u32, u32, Vec<u32>)>,
    pub names: FxHashMap<u32, String>,
    /// The names of structs' members.
    pub member_names: std::collections::BTreeMap<(u32, u32), String>,
    pub strings: FxHashMap<u32, String>,
    /// OpStrings in order, for the translator's kernel metadata.
    pub string_list: Vec<String>,
    pub decorations: FxHashMap<u32, Decorations>,
    /// Extended instruction sets by id.
    pub sets: FxHashMap<u32, String>,
    /// NonSemantic.Shader.DebugInfo outside functions, in order.
    pub debug: Vec<DebugDecl>,
    /// The steps of constant evaluation so far.
    pub steps: std::cell::Cell<u32>,
}

impl<'a> Tables<'a> {
    /// Reads all instructions. `events`: they are numbers.
    pub fn collect(words: &'a [u32], events: bool) -> Result<Self, LowerError> {
        let (_, reader) = Reader::new(words)?;
        let mut tables = Tables::default();
        tables.types.address_bits = 64;
        tables.events = events;
        let mut function: Option<FunctionDecl<'a>> = None;
        for inst in reader {
            let inst = inst?;
            match (&mut function, inst.op) {
                (None, Op::Function) => {
                    function = Some(FunctionDecl {
                        id: inst.word(1)?,
                        control: inst.word(2)?,
                        ty: inst.word(3)?,
                        params: Vec::new(),
                        body: Vec::new(),
                    });
                }
                (Some(f), Op::FunctionParameter) => f.params.push((inst.word(0)?, inst.word(1)?)),
                (Some(_), Op::FunctionEnd) => tables.functions.extend(function.take()),
                (Some(f), _) => f.body.push(inst),
                (None, _) => tables.declaration(&inst)?,
            }
        }
        if function.is_some() {
            return Err(invalid("a function has no end"));
        }
        for (function, mode, ids) in std::mem::take(&mut tables.modes_by_id) {
            let sizes = ids.iter().map(|id| Ok(constants::bits(&tables, *id)? as u32));
            let sizes = sizes.collect::<Result<Vec<_>, LowerError>>()?;
            tables.add_mode(function, mode, &sizes);
        }
        Ok(tables)
    }

    /// The decorations of an id.
    pub fn decorations(&self, id: u32) -> &[(Decoration, Vec<u32>)] {
        self.decorations.get(&id).map_or(&[], |d| d.as_slice())
    }

    /// Returns whether an id has a decoration.
    pub fn has(&self, id: u32, decoration: Decoration) -> bool {
        self.decorations(id).iter().any(|d| d.0 == decoration)
    }

    /// The first literal of an id's decoration.
    pub fn literal(&self, id: u32, decoration: Decoration) -> Option<u32> {
        let found = self.decorations(id).iter().find(|d| d.0 == decoration)?;
        found.1.first().copied()
    }

    /// The built-in variable that a module-scope variable is. DPC++ has them in global memory, LLVM's translators up to 9 had them in
    /// constant memory, as variables that are defined elsewhere.
    pub fn builtin(&self, global: &GlobalDecl) -> Option<BuiltIn> {
        let given = match global.storage {
            StorageClass::Input => true,
            StorageClass::CrossWorkgroup | StorageClass::UniformConstant => global.init.is_none(),
            _ => false,
        };
        self.literal(global.id, Decoration::BuiltIn).filter(|_| given).and_then(BuiltIn::from_u32)
    }

    /// Returns whether a variable is defined in another module.
    pub fn is_imported(&self, global: &GlobalDecl) -> bool {
        let import = |d: &(Decoration, Vec<u32>)| {
            d.0 == Decoration::LinkageAttributes && d.1.last() == Some(&(LinkageType::Import as u32))
        };
        global.init.is_none() && self.decorations(global.id).iter().any(import)
    }

    /// Returns whether a pointer parameter is passed by value.
    pub fn by_value(&self, id: u32) -> bool {
        let by_val = |d: &(Decoration, Vec<u32>)| {
            d.0 == Decoration::FuncParamAttr
                && d.1.first() == Some(&(FunctionParameterAttribute::ByVal as u32))
        };
        self.decorations(id).iter().any(by_val)
    }

    /// Returns whether an instruction set is the debug information that is kept.
    pub fn is_debug_info(&self, set: u32) -> bool {
        self.sets.get(&set).is_some_and(|name| name.starts_with("NonSemantic.Shader.DebugInfo."))
    }

    fn declaration(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        match inst.op {
            Op::MemoryModel => self.types.address_bits = address_bits(inst.word(0)?)?,
            Op::ExtInstImport => {
                self.sets.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::EntryPoint => {
                if inst.word(0)? != ExecutionModel::Kernel as u32 {
                    return Err(invalid("an entry point that is no kernel: not OpenCL SPIR-V"));
                }
                let (name, _) = inst.string(2)?;
                self.entries.push(EntryDecl { function: inst.word(1)?, name, modes: Vec::new() });
            }
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_mode(inst)?,
            Op::String => {
                let text = inst.string(1)?.0;
                self.string_list.push(text.clone());
                self.strings.insert(inst.word(0)?, text);
            }
            Op::Name => {
                self.names.insert(inst.word(0)?, inst.string(1)?.0);
            }
            Op::MemberName => {
                self.member_names.insert((inst.word(0)?, inst.word(1)?), inst.string(2)?.0);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                // A decoration that no version knows says nothing about meaning.
                if let Some(decoration) = Decoration::from_u32(inst.word(1)?) {
                    let literals = inst.rest(2).to_vec();
                    self.decorations.entry(inst.word(0)?).or_default().push((decoration, literals));
                }
            }
            Op::GroupDecorate => {
                let group = self.decorations(inst.word(0)?).to_vec();
                for target in inst.rest(1) {
                    self.decorations.entry(*target).or_default().extend(group.iter().cloned());
                }
            }
            Op::Variable => self.globals.push(GlobalDecl {
                ty: inst.word(0)?,
                id: inst.word(1)?,
                storage: StorageClass::from_u32(inst.word(2)?).ok_or(inst.bad(2))?,
                init: inst.rest(3).first().copied(),
            }),
            Op::ExtInst if self.is_debug_info(inst.word(2)?) => self.debug.push(DebugDecl {
                id: inst.word(1)?,
                number: inst.word(3)?,
                operands: inst.rest(4).to_vec(),
            }),
            Op::ConstantPipeStorage => return Err(not_yet("", "pipes")),
            _ if is_constant(inst.op) => self.constant(inst)?,
            _ => self.type_declaration(inst)?,
        }
        Ok(())
    }

    fn execution_mode(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (function, mode, operands) = (inst.word(0)?, inst.word(1)?, inst.rest(2).to_vec());
        match inst.op {
            // The constants come later.
            Op::ExecutionModeId => self.modes_by_id.push((function, mode, operands)),
            _ => self.add_mode(function, mode, &operands),
        }
        Ok(())
    }

    fn add_mode(&mut self, function: u32, mode: u32, operands: &[u32]) {
        for entry in self.entries.iter_mut().filter(|e| e.function == function) {
            entry.modes.push((mode, operands.to_vec()));
        }
    }

    fn constant(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let (ty, id) = (inst.word(0)?, inst.word(1)?);
        let decl = match inst.op {
            Op::ConstantTrue | Op::SpecConstantTrue => ConstantDecl::Bits(1),
            Op::ConstantFalse | Op::SpecConstantFalse => ConstantDecl::Bits(0),
            Op::Constant | Op::SpecConstant => {
                let low = u64::from(inst.word(2)?);
                let high = u64::from(inst.rest(3).first().copied().unwrap_or(0));
                let width = self.types.plain(ty)?.scalar().map_or(64, Scalar::bits);
                // Narrow constants may come sign-extended to a word.
                ConstantDecl::Bits((low | high << 32) & (u64::MAX >> (64 - width)))
            }
            // The bits of OpenCL C's literals: addressing, coordinates, and the filter (SPIR-V counts from 0, OpenCL C from 1).
            Op::ConstantSampler => ConstantDecl::Bits(
                u64::from(inst.word(2)? & 7) << 1
                    | u64::from(inst.word(3)? & 1)
                    | u64::from((inst.word(4)? & 1) + 1) << 4,
            ),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                ConstantDecl::Composite(inst.rest(2).to_vec())
            }
            Op::ConstantNull => ConstantDecl::Null,
            Op::SpecConstantOp => {
                let op = Op::from_u32(inst.word(2)?).ok_or(inst.bad(2))?;
                ConstantDecl::Op(op, inst.rest(3).to_vec())
            }
            _ => ConstantDecl::Undef,
        };
        self.constants.insert(id, (ty, decl));
        Ok(())
    }

    fn type_declaration(&mut self, inst: &Instruction<'_>) -> Result<(), LowerError> {
        let id = inst.word(0).unwrap_or(0);
        match inst.op {
            Op::TypeVoid => self.types.add_simple(id, Ty::Void),
            Op::TypeBool => self.types.add_plain(id, Type::BOOL),
            Op::TypeInt => {
                let width = inst.word(1)?;
                let scalar = Scalar::int(width / 8).filter(|s| s.bits() == width);
                let scalar = scalar.ok_or_else(|| not_yet("", format!("integers of {width} bits")))?;
                self.types.add_plain(id, Type::Scalar(scalar));
            }
            Op::TypeFloat => {
                let scalar = match inst.word(1)? {
                    16 => Scalar::F16,
                    32 => Scalar::F32,
                    64 => Scalar::F64,
                    other => return Err(not_yet("", format!("floats of {other} bits"))),
                };
                self.types.add_plain(id, Type::Scalar(scalar));
            }
            Op::TypeVector => {
                let (component, lanes) = (self.types.plain(inst.word(1)?)?, inst.word(2)?);
                match (component, lanes) {
                    (Type::Scalar(s), 2 | 3 | 4 | 8 | 16) => {
                        self.types.add_plain(id, Type::new(s, lanes as u8));
                    }
                    _ => return Err(invalid(format!("a vector type of {lanes} components"))),
                }
            }
            Op::TypeArray => {
                let length = constants::bits(self, inst.word(2)?)?;
                self.types.add_array(id, inst.word(1)?, length)?;
            }
            Op::TypeStruct => {
                let packed = self.has(id, Decoration::CPacked);
                self.types.add_struct(id, inst.rest(1).to_vec(), packed)?;
            }
            Op::TypePointer => {
                let storage = StorageClass::from_u32(inst.word(1)?).ok_or(inst.bad(1))?;
                self.types.add_pointer(id, storage, inst.word(2)?);
            }
            Op::TypeForwardPointer => {
                let storage = StorageClass::from_u32(inst.word(1)?).ok_or(inst.bad(1))?;
                self.types.add_pointer(id, storage, 0);
            }
            Op::TypeFunction => {
                let ty = Ty::Function { result: inst.word(1)?, params: inst.rest(2).to_vec() };
                self.types.add_simple(id, ty);
            }
            Op::TypeEvent if self.events => self.types.add_plain(id, Type::I64),
            Op::TypeEvent => self.types.add_simple(id, Ty::Opaque("event".to_owned())),
            Op::TypeSampler => self.types.add_sampler(id),
            Op::TypeImage => self.types.add_image(id, image::image_type(inst)?)?,
            Op::TypeSampledImage => self.types.add_sampled_image(id),
            Op::TypeOpaque => self.types.add_simple(id, Ty::Opaque(inst.string(1)?.0)),
            op if is_type(op) => {
                self.types.add_simple(id, Ty::Opaque(format!("{op:?}")));
            }
            // Capabilities, extensions, sources, decorations of members, debug: nothing to keep.
            _ => {}
        }
        Ok(())
    }
}

/// Returns whether an instruction declares a type without an arm of its own.
fn is_type(op: Op) -> bool {
    const LAST_OF_1_0: u32 = Op::TypeForwardPointer as u32;
    match op as u32 {
        number @ ..=LAST_OF_1_0 => number >= Op::TypeVoid as u32,
        // Later ones have no range of their own.
        number => number > Op::ImageSparseRead as u32 && format!("{op:?}").starts_with("Type"),
    }
}

fn is_constant(op: Op) -> bool {
    matches!(
        op,
        Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::ConstantSampler
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::Undef
    )
}

fn address_bits(model: u32) -> Result<u32, LowerError> {
    match AddressingModel::from_u32(model) {
        Some(AddressingModel::Physical32) => Ok(32),
        Some(AddressingModel::Physical64) => Ok(64),
        _ => Err(invalid("the addressing model is not Physical32 or Physical64: not OpenCL SPIR-V")),
    }
}

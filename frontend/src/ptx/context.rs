//! What the translation of one `asm` statement keeps: registers by scope, the statements so far, and the function around.

use super::statement;
use super::types::{Error, Type};
use crate::hir::{Block, CastKind, Constant, Expr, ExprKind, LabelId, Local, LocalId, Stmt, StmtKind};
use crate::options::{Features, LangVersion, Optional, Options};
use crate::source::Span;
use crate::symbol::{Interner, Symbol};
use crate::types::{QualType, Scalar, TypeId, Types};
use rustc_hash::FxHashMap;

/// The parts of the parser that the translation reads and adds to.
pub(crate) struct Host<'h> {
    /// The types of the program.
    pub types: &'h mut Types,
    /// What the device has.
    pub options: &'h Options,
    /// Names, for labels.
    pub symbols: &'h mut Interner,
    /// The variables of the function.
    pub locals: &'h mut Vec<Local>,
    /// Its labels.
    pub labels: &'h mut Vec<(Symbol, Span)>,
    /// What its `asm` statements share.
    pub state: &'h mut FunctionState,
    /// Where the statement stands.
    pub span: Span,
}

/// What the `asm` statements of one function share.
#[derive(Debug, Default)]
pub(crate) struct FunctionState {
    /// The carry of the condition code register (§9.7.2), which lasts from one statement to the next.
    pub carry: Option<LocalId>,
    /// An instruction asks for a rounding, so that products and sums must not be contracted (§9.7.3).
    pub exact: bool,
    /// Where a statement depends on warps of 32.
    pub warp: Option<Span>,
}

/// An operand of the `asm` statement.
#[derive(Debug)]
pub(crate) struct Operand {
    /// The name in brackets, if it has one.
    pub name: Option<String>,
    /// What the text sees of it.
    pub bound: Bound,
}

/// What an operand of the `asm` statement is to the text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    /// A register, by the variable that stands for it.
    Register(LocalId, Type),
    /// A pointer, by a variable of its own type: an address whose space is known.
    Pointer(LocalId, TypeId),
    /// An integer constant (`n`, `i`).
    Constant(i64),
}

/// The names of a block (§5.4, §11.2).
#[derive(Debug, Default)]
pub(super) struct Scope {
    registers: FxHashMap<String, (LocalId, Type)>,
    labels: FxHashMap<String, Label>,
}

/// A label that was seen or jumped to.
#[derive(Debug)]
struct Label {
    id: LabelId,
    defined: bool,
    at: usize,
}

/// See the module's text.
pub(super) struct Context<'h> {
    pub host: Host<'h>,
    pub operands: &'h [Operand],
    /// Where the instruction stands.
    pub at: usize,
    pub stmts: Vec<Stmt>,
    pub(super) scopes: Vec<Scope>,
}

/// What translates an instruction.
pub(super) type Translate = fn(&mut Context<'_>, &Inst<'_>) -> Result<(), Error>;

/// An instruction.
pub(super) struct Row {
    /// The opcode, to the first dot.
    pub name: &'static str,
    /// The section of the manual.
    pub section: &'static str,
    /// For each type suffix in order, which types it may be.
    pub types: &'static [&'static [Type]],
    /// The other suffixes; one that ends in `::` stands for all that begin so.
    pub modifiers: &'static [&'static str],
    /// How many operands there are, at least and at most.
    pub operands: (u8, u8),
    /// What it does, for the documentation.
    pub meaning: &'static str,
    /// The translation.
    pub translate: Translate,
}

impl Row {
    /// Returns whether a suffix is one of the modifiers.
    pub fn has_modifier(&self, suffix: &str) -> bool {
        self.modifiers.iter().any(|m| *m == suffix || (m.ends_with("::") && suffix.starts_with(m)))
    }
}

/// An instruction whose suffixes are sorted into types and modifiers.
pub(super) struct Inst<'i> {
    pub row: &'static Row,
    pub types: Vec<Type>,
    pub modifiers: Vec<&'i str>,
    pub operands: &'i [statement::Operand],
}

impl<'i> Inst<'i> {
    /// Returns whether a modifier was written.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The first of these modifiers that was written.
    pub fn one_of(&self, choices: &[&'static str]) -> Option<&'static str> {
        choices.iter().copied().find(|c| self.has(c))
    }

    /// The first type.
    pub fn ty(&self) -> Type {
        self.types.first().copied().unwrap_or(Type::B32)
    }

    /// An operand by its number; the table has checked how many there are.
    pub fn operand(&self, index: usize) -> &'i statement::Operand {
        self.operands.get(index).unwrap_or(&statement::Operand::Sink)
    }
}

/// What becomes of an operand that is wider than the type of the instruction (§9.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// It is an error.
    Exact,
    /// A source is cut, a destination extended: `ld`, `st`, `cvt`.
    Relaxed,
}

/// The type of the variable that stands for a register: its bits as an unsigned integer, or the number itself.
pub(crate) fn register_scalar(ty: Type) -> Scalar {
    match ty {
        Type::Pred => Scalar::Bool,
        Type::F32 => Scalar::Float,
        Type::F64 => Scalar::Double,
        _ => Scalar::unsigned_of_size(ty.bits() / 8),
    }
}

/// The type that an operand of type `ty` is computed with: of 8 and 16 bits in 32, as C does.
pub(super) fn scalar(ty: Type) -> Scalar {
    match ty {
        Type::Pred => Scalar::Bool,
        Type::F32 => Scalar::Float,
        Type::F64 => Scalar::Double,
        _ => match (ty.bits(), ty.is_signed()) {
            (64, true) => Scalar::Long,
            (64, false) => Scalar::ULong,
            (_, true) => Scalar::Int,
            (_, false) => Scalar::UInt,
        },
    }
}

impl Context<'_> {
    pub fn error<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error { at: self.at, message: message.into() })
    }

    /// Ends a block: every label that is jumped to must be in it or around it.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        let Some(scope) = self.scopes.pop() else { return Ok(()) };
        let mut missing: Vec<(String, Label)> =
            scope.labels.into_iter().filter(|(_, l)| !l.defined).collect();
        missing.sort_by_key(|(_, label)| label.at);
        let Some((name, label)) = missing.into_iter().next() else { return Ok(()) };
        Err(Error { at: label.at, message: format!("there is no label '{name}'") })
    }

    pub(super) fn declare(&mut self, ty: Type, names: &[(String, Option<u32>)]) -> Result<(), Error> {
        self.needs_type(ty)?;
        for (name, count) in names {
            match count {
                None => self.declare_one(ty, name.clone())?,
                Some(count) => {
                    for n in 0..*count {
                        self.declare_one(ty, format!("{name}{n}"))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn declare_one(&mut self, ty: Type, name: String) -> Result<(), Error> {
        let local = self.new_local(Types::scalar(register_scalar(ty)));
        let Some(scope) = self.scopes.last_mut() else { return Ok(()) };
        if scope.registers.contains_key(&name) {
            return self.error(format!("the register '{name}' is declared twice"));
        }
        scope.registers.insert(name, (local, ty));
        Ok(())
    }

    /// The register of a name.
    pub fn register(&self, name: &str) -> Option<(LocalId, Type)> {
        self.scopes.iter().rev().find_map(|s| s.registers.get(name)).copied()
    }

    pub fn new_local(&mut self, ty: TypeId) -> LocalId {
        let id = LocalId(self.host.locals.len() as u32);
        let ty = QualType::new(ty);
        self.host.locals.push(Local {
            name: None,
            ty,
            written_type: None,
            aligned: None,
            span: self.host.span,
        });
        id
    }

    /// The label of a name, for a jump to it.
    pub fn jump_target(&mut self, name: &str) -> LabelId {
        if let Some(label) = self.scopes.iter().rev().find_map(|s| s.labels.get(name)) {
            return label.id;
        }
        self.enter_label(name, false)
    }

    fn enter_label(&mut self, name: &str, defined: bool) -> LabelId {
        let id = LabelId(self.host.labels.len() as u32);
        let symbol = self.host.symbols.intern(name);
        self.host.labels.push((symbol, self.host.span));
        let at = self.at;
        if let Some(scope) = self.scopes.last_mut() {
            scope.labels.insert(name.to_owned(), Label { id, defined, at });
        }
        id
    }

    pub(super) fn define_label(&mut self, name: &str) -> Result<(), Error> {
        let known = self.scopes.last_mut().and_then(|s| s.labels.get_mut(name));
        let id = match known {
            Some(label) if label.defined => {
                return self.error(format!("the label '{name}' stands here twice"));
            }
            Some(label) => {
                label.defined = true;
                label.id
            }
            None => self.enter_label(name, true),
        };
        let span = self.host.span;
        let body = Box::new(Stmt { kind: StmtKind::Empty, span });
        self.push(StmtKind::Label { label: id, body });
        Ok(())
    }

    pub fn push(&mut self, kind: StmtKind) {
        self.stmts.push(Stmt { kind, span: self.host.span });
    }

    /// A statement of what `build` adds.
    pub fn block(&mut self, build: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Stmt, Error> {
        let before = std::mem::take(&mut self.stmts);
        let built = build(self);
        let stmts = std::mem::replace(&mut self.stmts, before);
        built?;
        Ok(Stmt { kind: StmtKind::Block(Block { stmts }), span: self.host.span })
    }

    pub(super) fn needs_type(&self, ty: Type) -> Result<(), Error> {
        if ty == Type::F64 { self.needs(Features::FP64, "'.f64'") } else { Ok(()) }
    }

    /// Refuses `what` where the device lacks a feature.
    pub fn needs(&self, feature: Features, what: &str) -> Result<(), Error> {
        if self.host.options.has(feature) {
            return Ok(());
        }
        // The extension's name, which says more to those who write PTX than the feature macro of 3.0.
        let name = Optional::name_of(feature, LangVersion::Cl1_2);
        self.error(format!("{what} needs {name}, which is not available here"))
    }

    /// A source as a value of the type that `ty` is computed with.
    pub fn get(&mut self, operand: &statement::Operand, ty: Type) -> Result<Expr, Error> {
        self.get_as(operand, ty, Width::Exact)
    }

    /// See [`Context::get`].
    pub fn get_as(&mut self, operand: &statement::Operand, ty: Type, width: Width) -> Result<Expr, Error> {
        match operand {
            statement::Operand::Integer(value) => self.integer_constant(*value as i64, ty),
            statement::Operand::Bound(index) => match self.operands.get(*index).map(|o| o.bound) {
                Some(Bound::Constant(value)) => self.integer_constant(value, ty),
                Some(Bound::Register(local, have)) => self.read_local(local, have, ty, width),
                Some(Bound::Pointer(local, pointer)) => self.pointer_value(local, pointer, ty),
                None => self.error("there is no such operand"),
            },
            statement::Operand::Float(bits) => self.float_constant(f64::from(f32::from_bits(*bits)), ty),
            statement::Operand::Double(bits) => self.float_constant(f64::from_bits(*bits), ty),
            statement::Operand::Name(name, component) => {
                if let (None, Some((local, have))) = (component, self.register(name)) {
                    return self.read_local(local, have, ty, width);
                }
                self.named_value(name, component.as_deref(), ty)
            }
            statement::Operand::Not(inner) if ty == Type::Pred => {
                let value = self.get(inner, Type::Pred)?;
                Ok(self.not(value))
            }
            statement::Operand::Sink => self.error("'_' has no value"),
            _ => self.error("a register or constant was expected"),
        }
    }

    fn integer_constant(&mut self, value: i64, ty: Type) -> Result<Expr, Error> {
        match ty {
            Type::Pred => Ok(self.truth(value != 0)),
            _ if ty.is_float() => self.error(format!("an integer constant is no '.{}'", ty.name())),
            _ => {
                let shift = 64 - ty.bits();
                let cut = if ty.is_signed() {
                    value << shift >> shift
                } else {
                    ((value as u64) << shift >> shift) as i64
                };
                Ok(self.int(cut, scalar(ty)))
            }
        }
    }

    fn float_constant(&mut self, value: f64, ty: Type) -> Result<Expr, Error> {
        match ty {
            Type::F32 => Ok(self.float(f64::from(value as f32), Scalar::Float)),
            Type::F64 => Ok(self.float(value, Scalar::Double)),
            Type::B32 => Ok(self.int(i64::from((value as f32).to_bits()), Scalar::UInt)),
            Type::B64 => Ok(self.int(value.to_bits() as i64, Scalar::ULong)),
            _ => self.error(format!("a floating constant is no '.{}'", ty.name())),
        }
    }

    /// A constant of the device, or a special register (§10).
    fn named_value(&mut self, name: &str, component: Option<&str>, ty: Type) -> Result<Expr, Error> {
        if name == "WARP_SZ" {
            return self.integer_constant(32, ty);
        }
        let Some((value, have)) = self.special(name, component)? else {
            let dot = component.map(|c| format!(".{c}")).unwrap_or_default();
            return self.error(format!("'{name}{dot}' is no register here"));
        };
        if have.bits() > ty.bits() || ty.is_float() {
            return self.error(format!("'{name}' has {} bits and is read as '.{}'", have.bits(), ty.name()));
        }
        Ok(self.cast(value, scalar(ty)))
    }

    /// The value of a variable that stands for a register of type `have`.
    fn read_local(&mut self, local: LocalId, have: Type, ty: Type, width: Width) -> Result<Expr, Error> {
        let value = self.load(local, Types::scalar(register_scalar(have)));
        let fits = have.bits() == ty.bits() || (width == Width::Relaxed && have.bits() > ty.bits());
        if !fits || (have == Type::Pred) != (ty == Type::Pred) {
            return self.error(format!("a register of type '.{}' is read as '.{}'", have.name(), ty.name()));
        }
        Ok(self.low_bits(value, have, ty))
    }

    /// The low bits of a register as a value of type `ty`.
    fn low_bits(&mut self, value: Expr, have: Type, ty: Type) -> Expr {
        if ty == Type::Pred || (register_scalar(have) == scalar(ty) && have.bits() == ty.bits()) {
            return value;
        }
        let whole = Scalar::unsigned_of_size(have.bits() / 8);
        let value = if register_scalar(have).is_float() { self.bitcast(value, whole) } else { value };
        if matches!(ty, Type::F32 | Type::F64) {
            let part = Scalar::unsigned_of_size(ty.bits() / 8);
            let part = self.cast(value, part);
            return self.bitcast(part, scalar(ty));
        }
        let part = match ty.is_signed() {
            true => Scalar::signed_of_size(ty.bits() / 8),
            false => Scalar::unsigned_of_size(ty.bits() / 8),
        };
        let part = self.cast(value, part);
        self.cast(part, scalar(ty))
    }

    /// A pointer as an integer.
    fn pointer_value(&mut self, local: LocalId, pointer: TypeId, ty: Type) -> Result<Expr, Error> {
        let bits = self.host.types.address_width.bytes() * 8;
        // Programs write `l` for pointers; where these have 32 bits the upper half is 0.
        if ty.bits() < bits || ty.is_float() {
            return self.error(format!("a pointer of {bits} bits is read as '.{}'", ty.name()));
        }
        let value = self.load(local, pointer);
        let size = self.host.types.size_t();
        let value =
            self.node(ExprKind::Cast { kind: CastKind::PointerToInt, operand: Box::new(value) }, size);
        Ok(self.cast(value, scalar(ty)))
    }

    /// Writes a value of type `ty` to a destination.
    pub fn put(&mut self, operand: &statement::Operand, ty: Type, value: Expr) -> Result<(), Error> {
        self.put_as(operand, ty, value, Width::Exact)
    }

    /// See [`Context::put`]: a wider destination of a relaxed instruction is extended by the sign of `ty`.
    pub fn put_as(
        &mut self,
        operand: &statement::Operand,
        ty: Type,
        value: Expr,
        width: Width,
    ) -> Result<(), Error> {
        let Some((local, have)) = self.destination(operand)? else { return Ok(()) };
        let fits = have.bits() == ty.bits() || (width == Width::Relaxed && have.bits() > ty.bits());
        if !fits || (have == Type::Pred) != (ty == Type::Pred) {
            return self.error(format!(
                "'.{}' is written to a register of type '.{}'",
                ty.name(),
                have.name()
            ));
        }
        let value = self.register_value(value, ty, have);
        self.assign(local, value);
        Ok(())
    }

    /// A value of type `ty` as what a register of type `have` holds.
    fn register_value(&mut self, value: Expr, ty: Type, have: Type) -> Expr {
        let target = register_scalar(have);
        if ty == Type::Pred || (scalar(ty) == target && have.bits() == ty.bits()) {
            return value;
        }
        let part = Scalar::unsigned_of_size(ty.bits() / 8);
        let value = match ty {
            Type::F32 | Type::F64 => self.bitcast(value, part),
            _ if ty.is_signed() => self.cast(value, Scalar::signed_of_size(ty.bits() / 8)),
            _ => self.cast(value, part),
        };
        let whole = Scalar::unsigned_of_size(have.bits() / 8);
        let value = self.cast(value, whole);
        if target.is_float() { self.bitcast(value, target) } else { value }
    }

    /// The register that a destination is; none where the result is dropped.
    pub fn destination(&self, operand: &statement::Operand) -> Result<Option<(LocalId, Type)>, Error> {
        match operand {
            statement::Operand::Sink => Ok(None),
            statement::Operand::Bound(index) => match self.operands.get(*index).map(|o| o.bound) {
                Some(Bound::Register(local, ty)) => Ok(Some((local, ty))),
                Some(Bound::Pointer(..)) => self.error(format!("'%{index}' is an input, and is written to")),
                _ => self.error(format!("'%{index}' is a constant, and is written to")),
            },
            statement::Operand::Name(name, None) => match self.register(name) {
                Some(register) => Ok(Some(register)),
                None => self.error(format!("there is no register '{name}'")),
            },
            _ => self.error("a register was expected as destination"),
        }
    }

    /// An integer constant that an instruction demands as such.
    pub fn immediate(&self, operand: &statement::Operand) -> Option<i64> {
        match operand {
            statement::Operand::Integer(value) => Some(*value as i64),
            statement::Operand::Bound(index) => match self.operands.get(*index)?.bound {
                Bound::Constant(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The carry of the condition code register.
    pub fn carry(&mut self) -> Result<Expr, Error> {
        match self.host.state.carry {
            Some(local) => Ok(self.load(local, Types::UINT)),
            None => self.error(
                "no instruction before it in this function sets the carry that it adds (the carry is not kept over calls, §9.7.2)",
            ),
        }
    }

    /// Sets the carry to a condition.
    pub fn set_carry(&mut self, carry: Expr) {
        let local = match self.host.state.carry {
            Some(local) => local,
            None => {
                let local = self.new_local(Types::UINT);
                self.host.state.carry = Some(local);
                local
            }
        };
        let carry = self.cast(carry, Scalar::UInt);
        self.assign(local, carry);
    }

    /// Notes that the function depends on warps of 32.
    pub fn uses_warp(&mut self) -> Result<(), Error> {
        self.needs(Features::SUBGROUPS, "what warps share")?;
        self.host.state.warp.get_or_insert(self.host.span);
        Ok(())
    }

    pub fn truth(&self, value: bool) -> Expr {
        self.node(ExprKind::Constant(Constant::Int(i64::from(value))), Types::BOOL)
    }
}

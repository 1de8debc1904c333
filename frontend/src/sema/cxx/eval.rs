//! Functions that are called in constant expressions: an interpreter of the typed tree, with a limit on its steps. And the
//! objects of the program that are made before the first kernel.

use crate::hir::{
    Block, Constant, Expr, ExprKind, FunctionId, GlobalId, Init, Local, LocalId, Stmt, StmtKind,
};
use crate::sema::constant::{Num, Value as Number};
use crate::sema::context::Sema;
use crate::types::{Type, TypeId};

/// Statements and calls that one constant expression may take.
const MAX_STEPS: u64 = 2_000_000;

/// Calls that one constant expression may nest.
const MAX_CALLS: usize = 200;

/// How a statement ends.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Option<Constant>),
}

/// The variables of one call.
struct Frame {
    values: Vec<Option<Constant>>,
    types: Vec<TypeId>,
}

/// A place: a local of a frame, and the way in it.
#[derive(Debug, Clone)]
struct Place {
    frame: usize,
    local: usize,
    path: Vec<usize>,
}

struct Machine<'s, 'a> {
    sema: &'s Sema<'a>,
    frames: Vec<Frame>,
    steps: u64,
    /// The place that pointers have: a pointer is the number of one of these.
    places: Vec<Place>,
    /// The object of the program that is made.
    global: Option<GlobalId>,
}

impl Sema<'_> {
    /// The value of a call of a constexpr function.
    pub(in crate::sema) fn call_value(&self, function: FunctionId, args: &[Expr]) -> Option<Number> {
        if !self.cxx.facts.get(&function)?.is_constexpr {
            return None;
        }
        let mut machine =
            Machine { sema: self, frames: Vec::new(), steps: 0, places: Vec::new(), global: None };
        machine.frames.push(Frame { values: Vec::new(), types: Vec::new() });
        let mut values = Vec::new();
        for arg in args {
            values.push(machine.eval(arg)?);
        }
        let constant = machine.call(function, values)?;
        let ret = self.functions.get(function.0 as usize)?.ret;
        self.constant_value(&constant, ret)
    }

    /// The value of an object of a function after its first statements.
    pub(in crate::sema) fn object_constant(
        &self,
        ty: TypeId,
        stmts: &[Stmt],
        local: LocalId,
    ) -> Option<Constant> {
        let locals = self.function.as_ref()?.locals.clone();
        self.run_code(ty, stmts, &locals, local.0 as usize, None)
    }

    /// The value that statements give local 0.
    pub(in crate::sema) fn value_of_code(
        &self,
        ty: TypeId,
        stmts: Vec<Stmt>,
        locals: &[Local],
    ) -> Option<Constant> {
        self.run_code(ty, &stmts, locals, 0, None)
    }

    /// The value that statements give an object of the program.
    pub(in crate::sema) fn global_constant(
        &self,
        ty: TypeId,
        stmts: &[Stmt],
        id: GlobalId,
        locals: &[Local],
    ) -> Option<Constant> {
        self.run_code(ty, stmts, locals, locals.len(), Some(id))
    }

    fn run_code(
        &self,
        ty: TypeId,
        stmts: &[Stmt],
        locals: &[Local],
        slot: usize,
        global: Option<GlobalId>,
    ) -> Option<Constant> {
        let mut types: Vec<TypeId> = locals.iter().map(|l| l.ty.ty).collect();
        let mut values: Vec<Option<Constant>> = vec![None; types.len()];
        if slot >= types.len() {
            types.push(ty);
            values.push(None);
        }
        values[slot] = Some(Constant::Zero);
        let mut machine = Machine { sema: self, frames: Vec::new(), steps: 0, places: Vec::new(), global };
        machine.frames.push(Frame { values, types });
        for stmt in stmts {
            match machine.run(stmt)? {
                Flow::Next => {}
                _ => return None,
            }
        }
        machine.frames[0].values[slot].clone()
    }
}

impl Machine<'_, '_> {
    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps < MAX_STEPS).then_some(())
    }

    fn call(&mut self, function: FunctionId, args: Vec<Constant>) -> Option<Constant> {
        self.step()?;
        if self.frames.len() >= MAX_CALLS {
            return None;
        }
        let f = self.sema.functions.get(function.0 as usize)?;
        let body = f.body.as_ref()?;
        let types: Vec<TypeId> = f.locals.iter().map(|l| l.ty.ty).collect();
        let mut values: Vec<Option<Constant>> = args.into_iter().map(Some).collect();
        values.resize(types.len(), None);
        self.frames.push(Frame { values, types });
        let flow = self.block(body);
        self.frames.pop();
        match flow? {
            Flow::Return(value) => Some(value.unwrap_or(Constant::Zero)),
            Flow::Next => Some(Constant::Zero),
            _ => None,
        }
    }

    fn block(&mut self, block: &Block) -> Option<Flow> {
        for stmt in &block.stmts {
            match self.run(stmt)? {
                Flow::Next => {}
                flow => return Some(flow),
            }
        }
        Some(Flow::Next)
    }

    fn truth(&mut self, e: &Expr) -> Option<bool> {
        Some(match self.eval(e)? {
            Constant::Int(i) => i != 0,
            Constant::Float(f) => f != 0.0,
            Constant::Zero => false,
            Constant::Address { .. } => true,
            _ => return None,
        })
    }

    fn run(&mut self, stmt: &Stmt) -> Option<Flow> {
        self.step()?;
        match &stmt.kind {
            StmtKind::Empty => Some(Flow::Next),
            StmtKind::Expr(e) => {
                self.eval(e)?;
                Some(Flow::Next)
            }
            StmtKind::Declare(id, init) => {
                let value = match init {
                    Some(init) => Some(self.init(init)?),
                    None => Some(Constant::Zero),
                };
                let frame = self.frames.last_mut()?;
                *frame.values.get_mut(id.0 as usize)? = value;
                Some(Flow::Next)
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { cond, then, els } => {
                if self.truth(cond)? {
                    self.run(then)
                } else if let Some(els) = els {
                    self.run(els)
                } else {
                    Some(Flow::Next)
                }
            }
            StmtKind::While { cond, body, .. } => {
                while self.truth(cond)? {
                    match self.run(body)? {
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Some(flow),
                        _ => {}
                    }
                }
                Some(Flow::Next)
            }
            StmtKind::DoWhile { body, cond, .. } => {
                loop {
                    match self.run(body)? {
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Some(flow),
                        _ => {}
                    }
                    if !self.truth(cond)? {
                        break;
                    }
                }
                Some(Flow::Next)
            }
            StmtKind::For { init, cond, step, body, .. } => {
                for stmt in init {
                    self.run(stmt)?;
                }
                loop {
                    if let Some(cond) = cond
                        && !self.truth(cond)?
                    {
                        break;
                    }
                    match self.run(body)? {
                        Flow::Break => break,
                        flow @ Flow::Return(_) => return Some(flow),
                        _ => {}
                    }
                    if let Some(step) = step {
                        self.eval(step)?;
                    }
                }
                Some(Flow::Next)
            }
            StmtKind::Break => Some(Flow::Break),
            StmtKind::Continue => Some(Flow::Continue),
            StmtKind::Return(None) => Some(Flow::Return(None)),
            StmtKind::Return(Some(e)) => Some(Flow::Return(Some(self.eval(e)?))),
            _ => None,
        }
    }

    fn init(&mut self, init: &Init) -> Option<Constant> {
        match init {
            Init::Whole(e) => self.eval(e),
            Init::Constant(c) => Some(c.clone()),
            Init::List { .. } => None,
        }
    }

    /// A value; pointers are addresses of global 0 with the number of a place.
    fn eval(&mut self, e: &Expr) -> Option<Constant> {
        self.step()?;
        match &e.kind {
            ExprKind::Constant(c) => Some(c.clone()),
            ExprKind::Load(lvalue) => match self.place(lvalue) {
                Some(place) => self.read(&place),
                None => self.sema.value(e)?.into_constant(),
            },
            ExprKind::PointerOffset { .. } => {
                let object = ExprKind::Deref(Box::new(e.clone()));
                let place = self.place(&Expr { kind: object, ty: e.ty, span: e.span })?;
                self.places.push(place);
                Some(Constant::Int(self.places.len() as i64))
            }
            ExprKind::AddressOf(lvalue) => {
                let place = self.place(lvalue)?;
                self.places.push(place);
                Some(Constant::Int(self.places.len() as i64))
            }
            ExprKind::Assign { lhs, rhs } => {
                let value = self.eval(rhs)?;
                let place = self.place(lhs)?;
                self.write(&place, value.clone())?;
                Some(value)
            }
            ExprKind::CompoundAssign { op, lhs, rhs, computation } => {
                let place = self.place(lhs)?;
                let old = self.read(&place)?;
                let rhs_value = self.eval(rhs)?;
                let old = self.convert(old, lhs.ty.ty, *computation)?;
                let left = self.constant_expr(old, *computation, e);
                let right = self.constant_expr(rhs_value, rhs.ty.ty, e);
                let kind = ExprKind::Binary { op: *op, lhs: Box::new(left), rhs: Box::new(right) };
                let sum = Expr { kind, ty: crate::types::QualType::new(*computation), span: e.span };
                let value = self.sema.value(&sum)?.into_constant()?;
                let value = self.convert(value, *computation, lhs.ty.ty)?;
                self.write(&place, value.clone())?;
                Some(value)
            }
            ExprKind::IncDec { lvalue, increment, prefix } => {
                let place = self.place(lvalue)?;
                let old = self.read(&place)?;
                let new = match &old {
                    Constant::Int(i) => {
                        Constant::Int(if *increment { i.wrapping_add(1) } else { i.wrapping_sub(1) })
                    }
                    Constant::Zero => Constant::Int(if *increment { 1 } else { -1 }),
                    Constant::Float(f) => Constant::Float(if *increment { f + 1.0 } else { f - 1.0 }),
                    _ => return None,
                };
                let new = self.convert(new, lvalue.ty.ty, lvalue.ty.ty)?;
                self.write(&place, new.clone())?;
                Some(if *prefix { new } else { old })
            }
            ExprKind::Call { function, args } => {
                let mut values = Vec::new();
                for arg in args {
                    values.push(self.eval(arg)?);
                }
                self.call(*function, values)
            }
            ExprKind::Comma { first, second } => {
                self.eval(first)?;
                self.eval(second)
            }
            ExprKind::Statements { block, value } => {
                match self.block(block)? {
                    Flow::Next => {}
                    _ => return None,
                }
                match value {
                    Some(value) => self.eval(value),
                    None => Some(Constant::Zero),
                }
            }
            ExprKind::Conditional { cond, then, els } => {
                if self.truth(cond)? {
                    self.eval(then)
                } else {
                    self.eval(els)
                }
            }
            ExprKind::LogicalAnd { lhs, rhs } => {
                let value = self.truth(lhs)? && self.truth(rhs)?;
                Some(Constant::Int(value.into()))
            }
            ExprKind::LogicalOr { lhs, rhs } => {
                let value = self.truth(lhs)? || self.truth(rhs)?;
                Some(Constant::Int(value.into()))
            }
            ExprKind::MemberValue { base, field } => {
                let base = self.eval(base)?;
                part_of(&base, *field as usize)
            }
            ExprKind::Cast { kind, operand } => {
                use crate::hir::CastKind::*;
                let value = self.eval(operand)?;
                if matches!(kind, PointerBitcast | PointerSpace | ToVoid) {
                    return Some(value);
                }
                let operand = Box::new(self.constant_expr(value, operand.ty.ty, e));
                let cast = Expr { kind: ExprKind::Cast { kind: *kind, operand }, ty: e.ty, span: e.span };
                self.sema.value(&cast)?.into_constant()
            }
            ExprKind::Unary { op, operand } => {
                let value = self.eval(operand)?;
                let operand = Box::new(self.constant_expr(value, operand.ty.ty, e));
                let unary = Expr { kind: ExprKind::Unary { op: *op, operand }, ty: e.ty, span: e.span };
                self.sema.value(&unary)?.into_constant()
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.eval(lhs)?, self.eval(rhs)?);
                let lhs = Box::new(self.constant_expr(a, lhs.ty.ty, e));
                let rhs = Box::new(self.constant_expr(b, rhs.ty.ty, e));
                let binary = Expr { kind: ExprKind::Binary { op: *op, lhs, rhs }, ty: e.ty, span: e.span };
                self.sema.value(&binary)?.into_constant()
            }
            ExprKind::VectorLiteral(parts) => {
                let mut list = Vec::new();
                for part in parts {
                    let value = self.eval(part)?;
                    list.push(self.constant_expr(value, part.ty.ty, e));
                }
                let literal = Expr { kind: ExprKind::VectorLiteral(list), ty: e.ty, span: e.span };
                self.sema.value(&literal)?.into_constant()
            }
            ExprKind::Builtin { builtin, args } => {
                let mut list = Vec::new();
                for arg in args {
                    let value = self.eval(arg)?;
                    list.push(self.constant_expr(value, arg.ty.ty, e));
                }
                let kind = ExprKind::Builtin { builtin: builtin.clone(), args: list };
                self.sema.value(&Expr { kind, ty: e.ty, span: e.span })?.into_constant()
            }
            ExprKind::SwizzleValue { base, components } => {
                let value = self.eval(base)?;
                let base = Box::new(self.constant_expr(value, base.ty.ty, e));
                let kind = ExprKind::SwizzleValue { base, components: components.clone() };
                self.sema.value(&Expr { kind, ty: e.ty, span: e.span })?.into_constant()
            }
            kind if kind.is_lvalue() => {
                let place = self.place(e)?;
                self.read(&place)
            }
            _ => None,
        }
    }

    fn constant_expr(&self, value: Constant, ty: TypeId, at: &Expr) -> Expr {
        Expr { kind: ExprKind::Constant(value), ty: crate::types::QualType::new(ty), span: at.span }
    }

    fn convert(&self, value: Constant, from: TypeId, to: TypeId) -> Option<Constant> {
        let (Some((a, 1)), Some((b, 1))) =
            (self.sema.types.scalar_and_lanes(from), self.sema.types.scalar_and_lanes(to))
        else {
            return (from == to).then_some(value);
        };
        let number = match value {
            Constant::Int(i) => Num::Int(crate::sema::constant::wrap(i, a)),
            Constant::Float(f) => Num::Float(f),
            Constant::Zero => Num::Int(0),
            _ => return None,
        };
        Some(match crate::sema::constant::convert_num(number, a, b) {
            Num::Int(i) => Constant::Int(i),
            Num::Float(f) => Constant::Float(f),
        })
    }

    fn place(&mut self, e: &Expr) -> Option<Place> {
        self.step()?;
        match &e.kind {
            ExprKind::Local(id) => {
                let frame = self.frames.len() - 1;
                let known = self.frames[frame].values.get(id.0 as usize).is_some_and(Option::is_some);
                if !known && frame == 0 && self.global.is_none() {
                    self.take_constant(*id, e.ty.ty)?;
                    return Some(Place { frame, local: id.0 as usize, path: Vec::new() });
                }
                known.then_some(Place { frame, local: id.0 as usize, path: Vec::new() })
            }
            ExprKind::Global(id) if Some(*id) == self.global => {
                let local = self.frames[0].values.len() - 1;
                Some(Place { frame: 0, local, path: Vec::new() })
            }
            ExprKind::Member { base, field } => {
                if let Type::Record(id) = self.sema.types.get(base.ty.ty)
                    && self.sema.types.record(*id).is_union
                {
                    return None;
                }
                let mut place = self.place(base)?;
                place.path.push(*field as usize);
                Some(place)
            }
            ExprKind::Deref(pointer) => {
                if let ExprKind::PointerOffset { pointer, index, subtract: false } = &pointer.kind
                    && let ExprKind::ArrayDecay(array) = &pointer.kind
                {
                    let Constant::Int(index) = self.number(index)? else { return None };
                    let Type::Array(_, Some(len)) = self.sema.types.get(array.ty.ty) else { return None };
                    let index = u64::try_from(index).ok().filter(|i| i < len)?;
                    let mut place = self.place(array)?;
                    place.path.push(index as usize);
                    return Some(place);
                }
                match self.eval(pointer)? {
                    Constant::Int(number) => {
                        let index = usize::try_from(number).ok()?.checked_sub(1)?;
                        self.places.get(index).cloned()
                    }
                    _ => None,
                }
            }
            ExprKind::CompoundLiteral { local, init } => {
                let value = self.init(init)?;
                let frame = self.frames.len() - 1;
                *self.frames[frame].values.get_mut(local.0 as usize)? = Some(value);
                Some(Place { frame, local: local.0 as usize, path: Vec::new() })
            }
            _ => None,
        }
    }

    /// Takes the value of a constexpr object of the function around into the outermost frame.
    fn take_constant(&mut self, id: LocalId, ty: TypeId) -> Option<()> {
        let function = self.sema.function.as_ref()?.id;
        let constant = self.sema.exprs.const_locals.get(&(function, id))?.clone();
        let (index, frame) = (id.0 as usize, self.frames.first_mut()?);
        if frame.values.len() <= index {
            frame.values.resize(index + 1, None);
            frame.types.resize(index + 1, ty);
        }
        frame.values[index] = Some(constant);
        frame.types[index] = ty;
        Some(())
    }

    fn number(&mut self, e: &Expr) -> Option<Constant> {
        Some(match self.eval(e)? {
            Constant::Zero => Constant::Int(0),
            value => value,
        })
    }

    fn read(&self, place: &Place) -> Option<Constant> {
        let frame = self.frames.get(place.frame)?;
        let mut value = frame.values.get(place.local)?.as_ref()?.clone();
        for step in &place.path {
            value = part_of(&value, *step)?;
        }
        Some(value)
    }

    fn write(&mut self, place: &Place, value: Constant) -> Option<()> {
        let frame = self.frames.get_mut(place.frame)?;
        let mut ty = *frame.types.get(place.local)?;
        let mut slot = frame.values.get_mut(place.local)?.as_mut()?;
        for step in &place.path {
            let (count, inner) = match self.sema.types.get(ty) {
                Type::Array(element, Some(len)) => {
                    (usize::try_from(*len).ok().filter(|n| *n < 1 << 16)?, element.ty)
                }
                Type::Record(id) => {
                    let fields = self.sema.types.record(*id).fields.as_ref()?;
                    (fields.len(), fields.get(*step)?.ty.ty)
                }
                _ => return None,
            };
            let is_record = matches!(self.sema.types.get(ty), Type::Record(_));
            if matches!(slot, Constant::Zero) {
                let parts = vec![Constant::Zero; count];
                *slot = if is_record { Constant::Struct(parts) } else { Constant::Array(parts) };
            }
            let (Constant::Struct(parts) | Constant::Array(parts)) = slot else { return None };
            if parts.len() < count {
                parts.resize(count, Constant::Zero);
            }
            slot = parts.get_mut(*step)?;
            ty = inner;
        }
        *slot = value;
        Some(())
    }
}

/// A part of an aggregate.
fn part_of(value: &Constant, index: usize) -> Option<Constant> {
    match value {
        Constant::Zero => Some(Constant::Zero),
        Constant::Struct(parts) | Constant::Array(parts) => {
            Some(parts.get(index).cloned().unwrap_or(Constant::Zero))
        }
        _ => None,
    }
}

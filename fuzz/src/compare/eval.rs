//! The interpreter: all work-items of a group, from barrier to barrier.
//!
//! A statement with a barrier in it is executed by all work-items together, any other by one after the other: races are
//! rejected, so the order does not show.

use super::arith;
use super::ast::*;
use super::memory::{Blob, Memory, Ptr, R, Reject, Shared, Who};

/// Statements and expressions that a program may take, all work-items together.
const STEPS: u64 = 400_000;
const NONE: u32 = u32::MAX;

/// What a buffer holds in the end, and which of its bytes are known.
pub(crate) type Contents = (Vec<u8>, Vec<bool>);

#[derive(Debug, Clone)]
enum Val {
    Void,
    Scalar(u64),
    Vector(Vec<u64>),
    Pointer(Option<Ptr>),
    Blob(Blob),
}

enum Flow {
    Next,
    Break,
    Continue,
    Goto(usize),
    Return(Val),
}

/// Executes a program.
///
/// # Errors
/// What it does that OpenCL C does not define.
pub(crate) fn run(program: &Program) -> R<Vec<Contents>> {
    let mut machine = Machine {
        program,
        memory: Memory::new(program.pointer_bytes),
        statics: vec![NONE; program.vars.len()],
        items: Vec::new(),
        current: 0,
        group: 0,
        steps: 0,
    };
    machine.statics()?;
    let mut buffers = Vec::new();
    for bytes in &program.buffers {
        let object = machine.memory.make(bytes.len() as u32, 128, Shared::Global);
        machine.memory.fill(object, bytes);
        buffers.push(object);
    }
    for launch in &program.launches {
        for group in 0..program.groups {
            machine.group(launch, group, &buffers)?;
        }
        machine.memory.launch_ends();
    }
    Ok(buffers.iter().map(|b| machine.memory.contents(*b)).collect())
}

/// A work-item.
struct Item {
    /// The object of each variable.
    slots: Vec<u32>,
    /// Its private objects that are alive.
    stack: Vec<u32>,
}

struct Machine<'a> {
    program: &'a Program,
    memory: Memory,
    statics: Vec<u32>,
    items: Vec<Item>,
    current: usize,
    group: u32,
    steps: u64,
}

/// Work-items that go on together, and what became of those that do not.
struct Front {
    active: Vec<usize>,
    left: Vec<(usize, Flow)>,
}

impl<'a> Machine<'a> {
    fn statics(&mut self) -> R<()> {
        let program = self.program;
        for (var, init) in &program.statics {
            let v = &program.vars[*var];
            let shared = if v.space == Space::Global { Shared::Global } else { Shared::No };
            let object = self.memory.make(program.size(&v.ty), program.align(&v.ty), shared);
            self.statics[*var] = object;
            self.items = vec![Item { slots: self.statics.clone(), stack: vec![] }];
            self.init(Ptr { object, offset: 0 }, &v.ty, init)?;
            match v.space {
                Space::Constant => self.memory.read_only(object),
                Space::Global => {}
                _ => return Err(Reject("a variable at program scope in no memory of it")),
            }
        }
        Ok(())
    }

    fn group(&mut self, launch: &Launch, group: u32, buffers: &[u32]) -> R<()> {
        let program = self.program;
        self.group = group;
        self.memory.who = Who { item: 0, group: group + 1, local_epoch: 0, global_epoch: 0 };
        let mut slots = self.statics.clone();
        for (var, v) in program.vars.iter().enumerate().filter(|(_, v)| v.space == Space::Local) {
            slots[var] = self.memory.make(program.size(&v.ty), program.align(&v.ty), Shared::Local);
        }
        let mut values = Vec::new();
        for actual in &launch.args {
            values.push(match actual {
                Actual::Buffer(n, offset) => {
                    let object = *buffers.get(*n).ok_or(Reject("no such buffer"))?;
                    Val::Pointer(Some(Ptr { object, offset: i64::from(*offset) }))
                }
                Actual::Null => Val::Pointer(None),
                Actual::Local(size) => {
                    let object = self.memory.make(*size, 128, Shared::Local);
                    Val::Pointer(Some(Ptr { object, offset: 0 }))
                }
                Actual::Value(bytes) => {
                    let object = self.memory.make(bytes.len() as u32, 128, Shared::No);
                    self.memory.fill(object, bytes);
                    let p = Ptr { object, offset: 0 };
                    Val::Blob(self.memory.read_blob(p, bytes.len() as u32)?)
                }
            });
        }
        let kernel = &program.functions[launch.kernel];
        self.items = (0..program.group).map(|_| Item { slots: slots.clone(), stack: Vec::new() }).collect();
        for item in 0..program.group as usize {
            self.turn(item);
            self.bind(kernel, values.clone())?;
        }
        let mut front = Front { active: (0..program.group as usize).collect(), left: vec![] };
        self.together(&kernel.body, &mut front)?;
        if front.left.iter().any(|(_, f)| !matches!(f, Flow::Return(_))) {
            return Err(Reject("a jump out of the kernel"));
        }
        for item in 0..self.items.len() {
            self.current = item;
            self.unwind(0);
        }
        Ok(())
    }

    /// The next statement is this work-item's.
    fn turn(&mut self, item: usize) {
        self.current = item;
        self.memory.who.item = self.group * self.program.group + item as u32 + 1;
    }

    fn bind(&mut self, function: &Function, values: Vec<Val>) -> R<()> {
        if values.len() != function.params.len() {
            return Err(Reject("a wrong number of arguments"));
        }
        for (param, value) in function.params.iter().zip(values) {
            let p = self.declare(*param)?;
            let ty = &self.program.vars[*param].ty;
            match value {
                // A value argument's bytes.
                Val::Blob(blob) => self.memory.write_blob(p, &blob)?,
                value => self.store(p, ty, value)?,
            }
        }
        Ok(())
    }

    fn declare(&mut self, var: VarId) -> R<Ptr> {
        let v = &self.program.vars[var];
        let object = self.memory.make(self.program.size(&v.ty), self.program.align(&v.ty), Shared::No);
        let item = &mut self.items[self.current];
        item.slots[var] = object;
        item.stack.push(object);
        Ok(Ptr { object, offset: 0 })
    }

    /// The end of a scope.
    fn unwind(&mut self, to: usize) {
        while self.items[self.current].stack.len() > to {
            if let Some(object) = self.items[self.current].stack.pop() {
                self.memory.kill(object);
            }
        }
    }

    fn step(&mut self) -> R<()> {
        self.steps += 1;
        if self.steps > STEPS { Err(Reject("too many steps")) } else { Ok(()) }
    }

    // ---- All work-items of the group together.

    fn together(&mut self, body: &[Stmt], front: &mut Front) -> R<()> {
        for stmt in body {
            if has_barrier(self.program, stmt) {
                self.step_together(stmt, front)?;
                continue;
            }
            let mut stay = Vec::new();
            for item in std::mem::take(&mut front.active) {
                self.turn(item);
                match self.stmt(stmt)? {
                    Flow::Next => stay.push(item),
                    flow => front.left.push((item, flow)),
                }
            }
            front.active = stay;
        }
        Ok(())
    }

    fn step_together(&mut self, stmt: &Stmt, front: &mut Front) -> R<()> {
        self.step()?;
        match stmt {
            Stmt::Barrier(local, global) => {
                if front.active.len() != self.items.len() {
                    return Err(Reject("a barrier that not all work-items reach"));
                }
                self.memory.who.local_epoch += u32::from(*local);
                self.memory.who.global_epoch += u32::from(*global);
                Ok(())
            }
            Stmt::Block(body) => self.together(body, front),
            Stmt::Ahead(label, body) => {
                let outer = std::mem::take(&mut front.left);
                self.together(body, front)?;
                for (item, flow) in std::mem::replace(&mut front.left, outer) {
                    match flow {
                        Flow::Goto(l) if l == *label => front.active.push(item),
                        flow => front.left.push((item, flow)),
                    }
                }
                front.active.sort_unstable();
                Ok(())
            }
            Stmt::If(c, then, other) => {
                let (yes, no) = self.split(c, &front.active)?;
                let mut a = Front { active: yes, left: vec![] };
                let mut b = Front { active: no, left: vec![] };
                if !a.active.is_empty() {
                    self.together(then, &mut a)?;
                }
                if !b.active.is_empty() {
                    self.together(other, &mut b)?;
                }
                front.active = [a.active, b.active].concat();
                front.active.sort_unstable();
                front.left.extend(a.left.into_iter().chain(b.left));
                Ok(())
            }
            Stmt::For(var, from, to, by, body) => {
                for item in front.active.clone() {
                    self.turn(item);
                    let from = self.value(from)?;
                    let p = self.declare(*var)?;
                    self.store(p, &UINT, from)?;
                }
                let less = Expr::truth(Kind::Compare(
                    Compare::Lt,
                    Box::new(Expr::new(UINT, Kind::Var(*var))),
                    Box::new(to.clone()),
                ));
                let next = Stmt::Assign(Expr::new(UINT, Kind::Var(*var)), Some(Binary::Add), Expr::uint(*by));
                self.loop_together(front, false, &less, body, Some(&next))
            }
            Stmt::While(first, c, body) => self.loop_together(front, *first, c, body, None),
            Stmt::Do(Expr { kind: Kind::Call(f, args), .. }) => self.call_together(*f, args, front),
            _ => Err(Reject("a barrier in a statement that is not for it")),
        }
    }

    fn split(&mut self, c: &Expr, active: &[usize]) -> R<(Vec<usize>, Vec<usize>)> {
        let (mut yes, mut no) = (vec![], vec![]);
        for item in active {
            self.turn(*item);
            if self.truth(c)? { yes.push(*item) } else { no.push(*item) }
        }
        Ok((yes, no))
    }

    fn loop_together(
        &mut self,
        front: &mut Front,
        first: bool,
        c: &Expr,
        body: &[Stmt],
        next: Option<&Stmt>,
    ) -> R<()> {
        let (mut active, mut done) = (std::mem::take(&mut front.active), vec![]);
        let mut test = !first;
        loop {
            self.step()?;
            if test {
                let (yes, no) = self.split(c, &active)?;
                active = yes;
                done.extend(no);
            }
            test = true;
            if active.is_empty() {
                break;
            }
            let mut inner = Front { active, left: vec![] };
            self.together(body, &mut inner)?;
            active = inner.active;
            for (item, flow) in inner.left {
                match flow {
                    Flow::Break => done.push(item),
                    Flow::Continue => active.push(item),
                    flow => front.left.push((item, flow)),
                }
            }
            active.sort_unstable();
            for item in active.clone() {
                self.turn(item);
                if let Some(next) = next {
                    self.stmt(next)?;
                }
            }
        }
        done.sort_unstable();
        front.active = done;
        Ok(())
    }

    fn call_together(&mut self, f: usize, args: &[Expr], front: &mut Front) -> R<()> {
        let function = &self.program.functions[f];
        for item in front.active.clone() {
            self.turn(item);
            let values = args.iter().map(|a| self.value(a)).collect::<R<Vec<_>>>()?;
            self.bind(function, values)?;
        }
        let outer = std::mem::take(&mut front.left);
        self.together(&function.body, front)?;
        for (item, flow) in std::mem::replace(&mut front.left, outer) {
            match flow {
                Flow::Return(_) => front.active.push(item),
                _ => return Err(Reject("a jump out of a function")),
            }
        }
        front.active.sort_unstable();
        Ok(())
    }

    // ---- One work-item.

    fn block(&mut self, body: &[Stmt]) -> R<Flow> {
        let mark = self.items[self.current].stack.len();
        let mut flow = Flow::Next;
        for stmt in body {
            flow = self.stmt(stmt)?;
            if !matches!(flow, Flow::Next) {
                break;
            }
        }
        self.unwind(mark);
        Ok(flow)
    }

    fn stmt(&mut self, stmt: &Stmt) -> R<Flow> {
        self.step()?;
        match stmt {
            Stmt::Decl(var, init) => self.declaration(*var, init.as_ref())?,
            Stmt::Assign(to, op, value) => self.assign(to, *op, value)?,
            Stmt::Do(e) => drop(self.value(e)?),
            Stmt::If(c, then, other) => {
                return if self.truth(c)? { self.block(then) } else { self.block(other) };
            }
            Stmt::For(var, from, to, by, body) => return self.for_loop(*var, from, to, *by, body),
            Stmt::While(first, c, body) => {
                let mut test = !first;
                loop {
                    if test && !self.truth(c)? {
                        break;
                    }
                    test = true;
                    match self.block(body)? {
                        Flow::Break => break,
                        Flow::Next | Flow::Continue => {}
                        flow => return Ok(flow),
                    }
                }
            }
            Stmt::Switch(value, arms) => return self.switch(value, arms),
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
            Stmt::Return(None) => return Ok(Flow::Return(Val::Void)),
            Stmt::Return(Some(e)) => return Ok(Flow::Return(self.value(e)?)),
            Stmt::Block(body) => return self.block(body),
            Stmt::Ahead(label, body) => {
                return Ok(match self.block(body)? {
                    Flow::Goto(l) if l == *label => Flow::Next,
                    flow => flow,
                });
            }
            Stmt::Back(label, body) => loop {
                self.step()?;
                match self.block(body)? {
                    Flow::Goto(l) if l == *label => {}
                    flow => return Ok(flow),
                }
            },
            Stmt::Goto(label) => return Ok(Flow::Goto(*label)),
            Stmt::Barrier(..) => return Err(Reject("a barrier where work-items go their own ways")),
            Stmt::Vstore(value, index, to) => self.vstore(value, index, to)?,
            Stmt::Atomic(op, to, value) => self.atomic(*op, to, value)?,
        }
        Ok(Flow::Next)
    }

    fn declaration(&mut self, var: VarId, init: Option<&Init>) -> R<()> {
        let v = &self.program.vars[var];
        if v.space == Space::Local {
            return if init.is_none() { Ok(()) } else { Err(Reject("a local variable with a value")) };
        }
        // The value is computed before the variable is there.
        let value = match init {
            Some(Init::Expr(e)) => Some(self.value(e)?),
            _ => None,
        };
        let p = self.declare(var)?;
        match (value, init) {
            (Some(value), _) => self.store(p, &v.ty, value),
            (None, Some(init)) => self.init(p, &v.ty, init),
            (None, None) => Ok(()),
        }
    }

    /// C99 6.7.8: what a list leaves out is zero; of a union, the rest is nothing.
    fn init(&mut self, p: Ptr, ty: &Ty, init: &Init) -> R<()> {
        let list = match init {
            Init::Expr(e) => {
                let value = self.value(e)?;
                return self.store(p, ty, value);
            }
            Init::List(list) => list,
        };
        match ty {
            Ty::Array(of, n) => {
                for i in 0..*n {
                    let at = self.memory.add(p, i64::from(i) * i64::from(self.program.size(of)))?;
                    match list.get(i as usize) {
                        Some(init) => self.init(at, of, init)?,
                        None => self.zero(at, of)?,
                    }
                }
            }
            Ty::Record(r) => {
                let record = &self.program.records[*r];
                let count = if record.union { 1 } else { record.fields.len() };
                for (i, field) in record.fields.iter().enumerate().take(count) {
                    let at = self.memory.add(p, i64::from(self.program.offset(*r, i)))?;
                    match list.get(i) {
                        Some(init) => self.init(at, &field.ty, init)?,
                        None => self.zero(at, &field.ty)?,
                    }
                }
            }
            _ => return Err(Reject("a list for a scalar")),
        }
        Ok(())
    }

    fn zero(&mut self, p: Ptr, ty: &Ty) -> R<()> {
        match ty {
            Ty::Array(..) | Ty::Record(_) => self.init(p, ty, &Init::List(vec![])),
            Ty::Pointer(_) => self.memory.write_pointer(p, None),
            Ty::Scalar(_) => self.store(p, ty, Val::Scalar(0)),
            Ty::Vector(_, n) => self.store(p, ty, Val::Vector(vec![0; usize::from(*n)])),
            Ty::Void => Ok(()),
        }
    }

    fn assign(&mut self, to: &Expr, op: Option<Binary>, value: &Expr) -> R<()> {
        let mut new = self.value(value)?;
        if let Some(op) = op {
            let (s, _) = to.ty.lanes().ok_or(Reject("an operator on no number"))?;
            let overflows = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
            if overflows && s.is_signed() && s.bytes() >= 4 || to.ty.lanes() != value.ty.lanes() {
                return Err(Reject("an operator that may overflow"));
            }
            let old = self.value(to)?;
            new = lanewise(&old, &new, |a, b| arith::binary(op, s, a, b))?;
        }
        if let Kind::Swizzle(base, lanes) = &to.kind {
            let (s, _) = base.ty.lanes().ok_or(Reject("lanes of no vector"))?;
            let p = self.place(base)?;
            for (n, lane) in lanes.iter().enumerate() {
                let at = self.memory.add(p, i64::from(*lane) * i64::from(s.bytes()))?;
                self.memory.write(at, s.bytes(), lane_of(&new, n)?)?;
            }
            return Ok(());
        }
        let p = self.place(to)?;
        self.store(p, &to.ty, new)
    }

    fn for_loop(&mut self, var: VarId, from: &Expr, to: &Expr, by: u32, body: &[Stmt]) -> R<Flow> {
        let mark = self.items[self.current].stack.len();
        let from = self.value(from)?;
        let p = self.declare(var)?;
        self.store(p, &UINT, from)?;
        let mut result = Flow::Next;
        loop {
            self.step()?;
            let (i, end) = (self.memory.read(p, 4)?, lane_of(&self.value(to)?, 0)?);
            if i >= end {
                break;
            }
            match self.block(body)? {
                Flow::Break => break,
                Flow::Next | Flow::Continue => {}
                flow => {
                    result = flow;
                    break;
                }
            }
            let i = self.memory.read(p, 4)?;
            self.memory.write(p, 4, Scalar::U32.wrap(i + u64::from(by)))?;
        }
        self.unwind(mark);
        Ok(result)
    }

    fn switch(&mut self, value: &Expr, arms: &[Arm]) -> R<Flow> {
        let value = self.scalar(value)?;
        let named = arms.iter().position(|a| a.labels.contains(&Some(value)));
        let start = named.or_else(|| arms.iter().position(|a| a.labels.contains(&None)));
        for arm in arms.iter().skip(start.unwrap_or(arms.len())) {
            match self.block(&arm.body)? {
                Flow::Break => break,
                Flow::Next if arm.falls => {}
                Flow::Next => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    fn vstore(&mut self, value: &Expr, index: &Expr, to: &Expr) -> R<()> {
        let (s, n) = value.ty.lanes().ok_or(Reject("vstore of no vector"))?;
        let value = self.value(value)?;
        let p = self.element(index, to, u32::from(n) * s.bytes())?;
        self.memory.check_align(p, s.bytes())?;
        for lane in 0..n {
            let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
            self.memory.write(at, s.bytes(), lane_of(&value, usize::from(lane))?)?;
        }
        Ok(())
    }

    fn atomic(&mut self, op: AtomicOp, to: &Expr, value: &Expr) -> R<()> {
        let s = match to.ty.pointer().map(|p| &p.to) {
            Some(Ty::Scalar(s)) if s.bytes() == 4 && !s.is_float() => *s,
            _ => return Err(Reject("an atomic of no int")),
        };
        let value = self.scalar(value)?;
        let p = self.pointer(to)?;
        self.memory.check_align(p, 4)?;
        self.memory.atomic(p, 4, arith::class(op), |old| arith::atomic(op, s, old, value))
    }

    // ---- Expressions.

    fn truth(&mut self, e: &Expr) -> R<bool> {
        match self.value(e)? {
            Val::Scalar(bits) if e.ty == Ty::Scalar(Scalar::F32) => Ok(f32::from_bits(bits as u32) != 0.0),
            Val::Scalar(bits) => Ok(bits != 0),
            Val::Pointer(p) => {
                p.map_or(Ok(()), |p| self.memory.check_alive(p))?;
                Ok(p.is_some())
            }
            _ => Err(Reject("a condition that is none")),
        }
    }

    fn scalar(&mut self, e: &Expr) -> R<u64> {
        match self.value(e)? {
            Val::Scalar(bits) => Ok(bits),
            _ => Err(Reject("no scalar")),
        }
    }

    fn maybe_null(&mut self, e: &Expr) -> R<Option<Ptr>> {
        match self.value(e)? {
            Val::Pointer(p) => Ok(p),
            _ => Err(Reject("no pointer")),
        }
    }

    fn pointer(&mut self, e: &Expr) -> R<Ptr> {
        self.maybe_null(e)?.ok_or(Reject("a null pointer is used"))
    }

    fn element(&mut self, index: &Expr, base: &Expr, size: u32) -> R<Ptr> {
        let n = self.scalar(index)?;
        let n = index.ty.lanes().map_or(0, |(s, _)| s.number(n)) as i64;
        let p = self.pointer(base)?;
        self.memory.add(p, n.saturating_mul(i64::from(size)).clamp(-(1 << 40), 1 << 40))
    }

    fn place(&mut self, e: &Expr) -> R<Ptr> {
        self.step()?;
        match &e.kind {
            Kind::Var(var) => {
                let own = self.items[self.current].slots.get(*var).copied().unwrap_or(NONE);
                if own == NONE {
                    return Err(Reject("a variable that is not there"));
                }
                let p = Ptr { object: own, offset: 0 };
                self.memory.check_alive(p)?;
                Ok(p)
            }
            Kind::Member(base, n) => {
                let Ty::Record(r) = base.ty else { return Err(Reject("a member of no record")) };
                let p = self.place(base)?;
                self.memory.add(p, i64::from(self.program.offset(r, *n)))
            }
            Kind::At(base, index) => match &base.ty {
                Ty::Array(of, n) => {
                    let i = self.scalar(index)?;
                    let i = index.ty.lanes().map_or(0, |(s, _)| s.number(i));
                    if i < 0 || i >= i128::from(*n) {
                        return Err(Reject("an index beyond its array"));
                    }
                    let p = self.place(base)?;
                    self.memory.add(p, i as i64 * i64::from(self.program.size(of)))
                }
                Ty::Pointer(to) => {
                    let p = self.element(index, base, self.program.size(&to.to))?;
                    self.memory.check_align(p, self.program.align(&to.to))?;
                    Ok(p)
                }
                _ => Err(Reject("an element of nothing")),
            },
            Kind::Deref(p) | Kind::Arrow(p, _) => {
                let to = p.ty.pointer().ok_or(Reject("no pointer"))?;
                let at = self.pointer(p)?;
                self.memory.check_align(at, self.program.align(&to.to))?;
                match (&e.kind, &to.to) {
                    (Kind::Arrow(_, n), Ty::Record(r)) => {
                        self.memory.add(at, i64::from(self.program.offset(*r, *n)))
                    }
                    _ => Ok(at),
                }
            }
            _ => Err(Reject("no place in memory")),
        }
    }

    fn load(&mut self, p: Ptr, ty: &Ty) -> R<Val> {
        match ty {
            Ty::Scalar(s) => self.memory.read(p, s.bytes()).map(Val::Scalar),
            Ty::Vector(s, n) => {
                let mut lanes = Vec::new();
                for lane in 0..*n {
                    let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
                    lanes.push(self.memory.read(at, s.bytes())?);
                }
                Ok(Val::Vector(lanes))
            }
            Ty::Pointer(_) => self.memory.read_pointer(p).map(Val::Pointer),
            Ty::Record(_) => self.memory.read_blob(p, self.program.size(ty)).map(Val::Blob),
            Ty::Array(..) | Ty::Void => Err(Reject("an array as a value")),
        }
    }

    fn store(&mut self, p: Ptr, ty: &Ty, value: Val) -> R<()> {
        match (ty, value) {
            (Ty::Scalar(s), Val::Scalar(bits)) => self.memory.write(p, s.bytes(), bits),
            (Ty::Vector(s, n), Val::Vector(lanes)) if lanes.len() == usize::from(*n) => {
                for (lane, bits) in lanes.iter().enumerate() {
                    let at = self.memory.add(p, lane as i64 * i64::from(s.bytes()))?;
                    self.memory.write(at, s.bytes(), *bits)?;
                }
                if *n == 3 {
                    let at = self.memory.add(p, 3 * i64::from(s.bytes()))?;
                    self.memory.spoil(at, s.bytes())?;
                }
                Ok(())
            }
            (Ty::Pointer(_), Val::Pointer(value)) => self.memory.write_pointer(p, value),
            (Ty::Record(_), Val::Blob(mut blob)) => {
                // What padding holds after an assignment is not said (C99 6.2.6.1 p6).
                let mut members = vec![false; self.program.size(ty) as usize];
                self.program.cover(ty, &mut members);
                blob.keep(&members);
                self.memory.write_blob(p, &blob)
            }
            _ => Err(Reject("a value of another type")),
        }
    }

    fn value(&mut self, e: &Expr) -> R<Val> {
        self.step()?;
        let lanes = e.ty.lanes();
        let flag = |b: bool| Ok(Val::Scalar(u64::from(b)));
        match &e.kind {
            Kind::Lit(bits) => match &e.ty {
                Ty::Vector(_, n) => Ok(Val::Vector(vec![*bits; usize::from(*n)])),
                _ => Ok(Val::Scalar(*bits)),
            },
            Kind::Build(list) => {
                let parts = list.iter().map(|e| self.scalar(e)).collect::<R<Vec<u64>>>()?;
                Ok(Val::Vector(parts))
            }
            Kind::Var(_) | Kind::Member(..) | Kind::At(..) | Kind::Deref(_) | Kind::Arrow(..) => {
                let p = self.place(e)?;
                self.load(p, &e.ty)
            }
            Kind::Swizzle(base, picks) => {
                let from = self.value(base)?;
                let parts = picks.iter().map(|l| lane_of(&from, usize::from(*l))).collect::<R<Vec<u64>>>()?;
                Ok(shaped(parts))
            }
            Kind::Decay(a) | Kind::Address(a) => self.place(a).map(|p| Val::Pointer(Some(p))),
            Kind::Unary(op, a) => {
                let (s, a) = (lanes.ok_or(Reject("no number"))?.0, self.value(a)?);
                lanewise(&a, &a, |a, _| Ok(arith::unary(*op, s, a)))
            }
            Kind::Binary(op, a, b) => {
                let s = lanes.ok_or(Reject("no number"))?.0;
                let (a, b) = (self.value(a)?, self.value(b)?);
                lanewise(&a, &b, |a, b| arith::binary(*op, s, a, b))
            }
            Kind::Compare(op, a, b) => {
                let s = a.ty.lanes().ok_or(Reject("no number"))?.0;
                let (a, b) = (self.value(a)?, self.value(b)?);
                let yes = match (&a, lanes) {
                    // All bits of a lane (OpenCL C §6.4.4 "Relational Operators").
                    (Val::Vector(_), Some((s, _))) => s.wrap(u64::MAX),
                    _ => 1,
                };
                lanewise(&a, &b, |a, b| Ok(if arith::compare(*op, s, a, b) { yes } else { 0 }))
            }
            Kind::Logic(and, a, b) => {
                let first = self.truth(a)?;
                if first != *and { flag(first) } else { self.truth(b).and_then(flag) }
            }
            Kind::Falsity(a) => self.truth(a).and_then(|b| flag(!b)),
            Kind::Cond(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)
                } else {
                    self.value(b)
                }
            }
            Kind::Convert(a) => {
                let (from, to) = (a.ty.lanes(), lanes);
                let (Some((from, _)), Some((to, _))) = (from, to) else {
                    return Err(Reject("a conversion of no number"));
                };
                let a = self.value(a)?;
                lanewise(&a, &a, |a, _| arith::convert(from, to, a))
            }
            Kind::As(a) => {
                let value = self.value(a)?;
                reshape(&value, &a.ty, &e.ty)
            }
            Kind::Builtin(f, list) => self.builtin(*f, list, &e.ty),
            Kind::Item(f) => Ok(Val::Scalar(u64::from(self.item(*f)))),
            Kind::Call(f, args) => self.call(*f, args),
            Kind::Null => Ok(Val::Pointer(None)),
            Kind::Offset(p, n) => {
                let to = p.ty.pointer().ok_or(Reject("no pointer"))?;
                self.element(n, p, self.program.size(&to.to)).map(|p| Val::Pointer(Some(p)))
            }
            Kind::PtrCast(p) | Kind::RoundTrip(p) => self.maybe_null(p).map(Val::Pointer),
            Kind::PtrEq(eq, a, b) | Kind::IntEq(eq, a, b) => {
                let (a, b) = (self.maybe_null(a)?, self.maybe_null(b)?);
                flag(self.memory.equal(a, b)? == *eq)
            }
            Kind::PtrLess(less, a, b) => {
                let (a, b) = self.same_object(a, b)?;
                flag((a.offset < b.offset) == *less)
            }
            Kind::PtrDiff(a, b) => {
                let size = a.ty.pointer().map_or(1, |p| self.program.size(&p.to));
                let (a, b) = self.same_object(a, b)?;
                let bytes = a.offset - b.offset;
                if bytes % i64::from(size) != 0 {
                    return Err(Reject("a distance of no whole elements"));
                }
                Ok(Val::Scalar(Scalar::I32.wrap((bytes / i64::from(size)) as u64)))
            }
            Kind::Vload(index, p) => {
                let (s, n) = lanes.ok_or(Reject("vload of no vector"))?;
                let p = self.element(index, p, u32::from(n) * s.bytes())?;
                self.memory.check_align(p, s.bytes())?;
                let mut parts = Vec::new();
                for lane in 0..n {
                    let at = self.memory.add(p, i64::from(lane) * i64::from(s.bytes()))?;
                    parts.push(self.memory.read(at, s.bytes())?);
                }
                Ok(Val::Vector(parts))
            }
        }
    }

    fn same_object(&mut self, a: &Expr, b: &Expr) -> R<(Ptr, Ptr)> {
        let (a, b) = (self.pointer(a)?, self.pointer(b)?);
        self.memory.check_alive(a)?;
        if a.object == b.object { Ok((a, b)) } else { Err(Reject("an order of pointers into two objects")) }
    }

    fn builtin(&mut self, f: Builtin, list: &[Expr], ty: &Ty) -> R<Val> {
        let (s, n) = ty.lanes().ok_or(Reject("no number"))?;
        let values = list.iter().map(|e| self.value(e)).collect::<R<Vec<_>>>()?;
        let mut result = Vec::new();
        for lane in 0..usize::from(n) {
            let args = values.iter().map(|v| lane_of(v, lane)).collect::<R<Vec<u64>>>()?;
            result.push(arith::builtin(f, s, n > 1, &args));
        }
        Ok(shaped(result))
    }

    fn item(&self, f: ItemFn) -> u32 {
        let (local, size) = (self.current as u32, self.program.group);
        match f {
            ItemFn::GlobalId => self.group * size + local,
            ItemFn::LocalId => local,
            ItemFn::GroupId => self.group,
            ItemFn::LocalSize => size,
            ItemFn::GlobalSize => size * self.program.groups,
            ItemFn::NumGroups => self.program.groups,
        }
    }

    fn call(&mut self, f: usize, args: &[Expr]) -> R<Val> {
        let function = self.program.functions.get(f).ok_or(Reject("no such function"))?;
        let values = args.iter().map(|a| self.value(a)).collect::<R<Vec<_>>>()?;
        let mark = self.items[self.current].stack.len();
        self.bind(function, values)?;
        let flow = self.block(&function.body)?;
        self.unwind(mark);
        match flow {
            Flow::Next if function.result == Ty::Void => Ok(Val::Void),
            Flow::Return(value) => Ok(value),
            _ => Err(Reject("a function that ends without its result")),
        }
    }
}

fn lane_of(value: &Val, lane: usize) -> R<u64> {
    match value {
        Val::Scalar(bits) => Ok(*bits),
        Val::Vector(lanes) => lanes.get(lane).copied().ok_or(Reject("no such lane")),
        _ => Err(Reject("no number")),
    }
}

fn shaped(lanes: Vec<u64>) -> Val {
    match lanes.as_slice() {
        [one] => Val::Scalar(*one),
        _ => Val::Vector(lanes),
    }
}

fn lanewise(a: &Val, b: &Val, f: impl Fn(u64, u64) -> R<u64>) -> R<Val> {
    match (a, b) {
        (Val::Scalar(a), Val::Scalar(b)) => f(*a, *b).map(Val::Scalar),
        (Val::Vector(a), Val::Vector(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect::<R<Vec<u64>>>().map(Val::Vector)
        }
        _ => Err(Reject("operands of two shapes")),
    }
}

/// The same bytes as another type of as many.
fn reshape(value: &Val, from: &Ty, to: &Ty) -> R<Val> {
    let (Some((from, n)), Some((to, m))) = (from.lanes(), to.lanes()) else {
        return Err(Reject("bits of no number"));
    };
    let mut bytes = Vec::new();
    for lane in 0..usize::from(n) {
        bytes.extend_from_slice(&lane_of(value, lane)?.to_le_bytes()[..from.bytes() as usize]);
    }
    if bytes.len() != to.bytes() as usize * usize::from(m) {
        return Err(Reject("bits of another size"));
    }
    let lanes = bytes.chunks(to.bytes() as usize).map(|part| {
        let mut bits = [0; 8];
        bits[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(bits)
    });
    Ok(shaped(lanes.collect()))
}

fn has_barrier(program: &Program, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Barrier(..) => true,
        Stmt::Do(Expr { kind: Kind::Call(f, _), .. }) => {
            program.functions.get(*f).is_some_and(|f| f.body.iter().any(|s| has_barrier(program, s)))
        }
        _ => stmt.blocks().iter().any(|b| b.iter().any(|s| has_barrier(program, s))),
    }
}

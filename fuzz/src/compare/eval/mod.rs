//! The interpreter: all work-items of a group, from barrier to barrier.
//!
//! A statement with a barrier in it is executed by all work-items together, any other by one after the other: races are
//! rejected, so the order does not show.

mod places;
mod statements;
mod together;
mod values;

use super::ast::*;
use super::memory::{Blob, Memory, Ptr, R, Reject, Shared, Who};
use together::Front;

/// Statements and expressions that a program may take, all work-items together.
const STEPS: u64 = 400_000;
const NONE: u32 = u32::MAX;

/// The final contents of a buffer, and which of its bytes are known.
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

impl Machine<'_> {
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
        let size: u32 = program.shape.group_size(group).iter().product();
        self.items = (0..size).map(|_| Item { slots: slots.clone(), stack: Vec::new() }).collect();
        for item in 0..size as usize {
            self.turn(item);
            self.bind(kernel, values.clone())?;
        }
        let mut front = Front { active: (0..size as usize).collect(), left: vec![] };
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
}

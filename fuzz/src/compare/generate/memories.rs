//! Variables in memory and what they begin with.

use super::super::ast::*;
use super::{Generator, Place};
use std::rc::Rc;

impl Generator<'_> {
    /// Variables in memory, with values.
    pub(super) fn memories(&mut self, least: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..least + self.random.below(4) {
            let (ty, init) = match self.random.below(10) {
                0 | 1 => {
                    let ty = Ty::Scalar(self.integer());
                    (ty.clone(), self.start(&ty))
                }
                2 | 3 => {
                    let to = self.palette[self.random.below(self.palette.len())].clone();
                    let n = if to.lanes().is_some() { [4, 4, 4, 8, 16][self.random.below(5)] } else { 4 };
                    let ty = Ty::Array(Rc::new(to), n);
                    (ty.clone(), self.start(&ty))
                }
                4 => {
                    let ty = self.vector();
                    (ty.clone(), self.start(&ty))
                }
                5 if self.node.is_some() => {
                    let node = Ty::Record(self.node.unwrap_or(0));
                    let ty = if self.chance(60) { Ty::Array(Rc::new(node), 4) } else { node };
                    (ty.clone(), self.start(&ty))
                }
                6 => {
                    let ty = if self.program.floats { self.floats() } else { Ty::Scalar(Scalar::F32) };
                    (ty.clone(), self.start(&ty))
                }
                n => {
                    let mut ty = self.random_pointer(1);
                    if n == 9 {
                        ty = Ty::Array(Rc::new(ty), 4);
                    }
                    (ty.clone(), self.start(&ty))
                }
            };
            let Some(init) = init else { continue };
            let var = self.variable("v", ty, Space::Private);
            body.push(Stmt::Decl(var, Some(init)));
            self.scope.push(var);
            self.addressable.push(var);
            if self.function != Place::Kernel {
                self.local_values.push(var);
            }
        }
        body
    }

    /// The initial value of a variable of a type; none if a pointer finds nothing to point to.
    pub(super) fn start(&mut self, ty: &Ty) -> Option<Init> {
        Some(match ty {
            Ty::Array(of, n) => Init::List((0..*n).map(|_| self.start(of)).collect::<Option<Vec<Init>>>()?),
            Ty::Record(r) => {
                let record = self.program.records[*r].clone();
                let count = if record.union { 1 } else { record.fields.len() };
                let parts = record.fields.iter().take(count).map(|f| self.start(&f.ty));
                Init::List(parts.collect::<Option<Vec<Init>>>()?)
            }
            Ty::Scalar(Scalar::F32) => Init::Expr(self.float(1)),
            Ty::Scalar(s) => Init::Expr(self.number(*s, 1)),
            Ty::Vector(s, n) => Init::Expr(self.lanes(*s, *n, 1)),
            Ty::Pointer(_) => Init::Expr(self.pointer(ty, 1, false)?),
            Ty::Void => return None,
        })
    }

    /// Gives all of a slice its first values.
    pub(super) fn fill(&mut self, body: &mut Vec<Stmt>, slice: VarId, ty: &Ty, each: u32) {
        let Some(p) = ty.pointer().cloned() else { return };
        for n in 0..each {
            let place = Expr::new(p.to.clone(), Kind::At(Box::new(self.var(slice)), Box::new(Expr::uint(n))));
            self.fill_place(body, place);
        }
    }

    pub(super) fn fill_place(&mut self, body: &mut Vec<Stmt>, place: Expr) {
        match place.ty.clone() {
            Ty::Record(r) => {
                let record = self.program.records[r].clone();
                let count = if record.union { 1 } else { record.fields.len() };
                for (n, field) in record.fields.iter().enumerate().take(count) {
                    let member = Expr::new(field.ty.clone(), Kind::Member(Box::new(place.clone()), n));
                    self.fill_place(body, member);
                }
            }
            Ty::Array(of, count) => {
                for n in 0..count {
                    let element =
                        Expr::new((*of).clone(), Kind::At(Box::new(place.clone()), Box::new(Expr::uint(n))));
                    self.fill_place(body, element);
                }
            }
            Ty::Scalar(s) => {
                let value = self.number(s, 1);
                body.push(Stmt::Assign(place, None, value));
            }
            Ty::Vector(s, n) => {
                let value = self.lanes(s, n, 1);
                body.push(Stmt::Assign(place, None, value));
            }
            ty @ Ty::Pointer(_) => {
                // What is not filled yet must not be read on the way.
                let null = Expr::new(ty.clone(), Kind::Null);
                body.push(Stmt::Assign(place, None, null));
            }
            Ty::Void => {}
        }
    }

    pub(super) fn declare(&mut self, top: bool) -> Vec<Stmt> {
        let ty = match self.random.below(5) {
            0 if self.program.floats && self.random.one_in(2) => self.floats(),
            0 => Ty::Scalar(self.integer()),
            1 => self.vector(),
            _ => self.random_pointer(1),
        };
        let Some(init) = self.start(&ty) else { return vec![] };
        self.declared(ty, init, top)
    }

    pub(super) fn declared(&mut self, ty: Ty, init: Init, top: bool) -> Vec<Stmt> {
        let var = self.variable("v", ty, Space::Private);
        self.scope.push(var);
        if top {
            self.addressable.push(var);
        }
        if self.function != Place::Kernel {
            self.local_values.push(var);
        }
        vec![Stmt::Decl(var, Some(init))]
    }
}

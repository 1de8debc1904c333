//! Places in memory that expressions can name.

use super::super::ast::*;
use super::{Generator, Place};
use std::rc::Rc;

/// A place in memory that an expression can name.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    pub place: Expr,
    pub space: Space,
    /// No other work-item uses it.
    pub own: bool,
    /// Statements may write it here.
    pub writable: bool,
    /// It belongs to a helper's variable, or is reached through one.
    pub tainted: bool,
    /// A variable, or a part of one: not reached through a pointer.
    pub direct: bool,
    /// Its address may be kept.
    pub addressable: bool,
    pub packed: bool,
}

/// More places than this are not listed.
const PLACES: usize = 120;

impl Generator<'_> {
    /// An index below `n`, a power of two.
    pub(super) fn index(&mut self, n: u32) -> Expr {
        if n <= 1 {
            return Expr::uint(0);
        }
        if self.chance(45) {
            return Expr::uint(self.random.below(n as usize) as u32);
        }
        let from = self.simple();
        Expr::binary(Binary::And, from, Expr::uint(n - 1))
    }

    /// A uint that costs nothing: a variable or an id.
    pub(super) fn simple(&mut self) -> Expr {
        for _ in 0..4 {
            let Some(var) = self.random.pick(&self.scope).copied() else { break };
            if let Ty::Scalar(s) = self.program.vars[var].ty
                && !s.is_float()
            {
                return self.var(var).convert(UINT);
            }
        }
        use ItemFn::*;
        let list = [GlobalId, GlobalId, LocalId, LocalId, GroupId, LocalSize, GlobalSize, NumGroups];
        let f = list[self.random.below(list.len())];
        Expr::new(UINT, Kind::Item(f))
    }

    pub(super) fn root(&self, var: VarId) -> Reach {
        let space = self.program.vars[var].space;
        let own = space == Space::Private;
        Reach {
            place: self.var(var),
            space,
            own,
            writable: own && !self.fixed.contains(&var),
            tainted: self.local_values.contains(&var),
            direct: true,
            addressable: self.addressable.contains(&var),
            packed: false,
        }
    }

    pub(super) fn member(&mut self, base: &Reach, record: usize, n: usize) -> Reach {
        let ty = self.program.records[record].fields[n].ty.clone();
        let kind = match base.place.kind.clone() {
            Kind::Deref(p) if self.random.one_in(2) => Kind::Arrow(p, n),
            _ => Kind::Member(Box::new(base.place.clone()), n),
        };
        let field = &self.program.records[record].fields[n];
        let lowered = self.program.field_align(field) < self.program.align(&field.ty);
        let packed = base.packed || lowered || self.program.records[record].packed;
        Reach { place: Expr::new(ty, kind), packed, ..base.clone() }
    }

    pub(super) fn element(&mut self, base: &Reach, of: &Ty, n: u32) -> Reach {
        let index = self.index(n);
        let kind = Kind::At(Box::new(base.place.clone()), Box::new(index));
        Reach { place: Expr::new(of.clone(), kind), ..base.clone() }
    }

    pub(super) fn behind_pointer(&mut self, base: &Reach, p: &Pointer) -> Reach {
        let pointer = Box::new(base.place.clone());
        let kind = if p.len > 1 || self.random.one_in(3) {
            Kind::At(pointer, Box::new(self.index(p.len)))
        } else {
            Kind::Deref(pointer)
        };
        Reach {
            place: Expr::new(p.to.clone(), kind),
            space: p.space,
            own: p.own,
            writable: p.own && self.function != Place::Helper(true),
            tainted: base.tainted,
            direct: false,
            addressable: true,
            packed: false,
        }
    }

    /// All places, arrays and records too, each array's elements by one index.
    pub(super) fn reaches(&mut self) -> Vec<Reach> {
        let mut list = Vec::new();
        for var in self.scope.clone() {
            let root = self.root(var);
            self.descend(root, 2, &mut list);
        }
        list
    }

    pub(super) fn descend(&mut self, reach: Reach, depth: usize, list: &mut Vec<Reach>) {
        if list.len() >= PLACES {
            return;
        }
        match reach.place.ty.clone() {
            Ty::Record(r) => {
                for n in 0..self.program.records[r].fields.len() {
                    let member = self.member(&reach, r, n);
                    self.descend(member, depth, list);
                }
            }
            Ty::Array(of, n) => {
                let element = self.element(&reach, &of, n);
                self.descend(element, depth, list);
            }
            Ty::Pointer(p) if !p.null && depth > 0 => {
                let behind = self.behind_pointer(&reach, &p);
                self.descend(behind, depth - 1, list);
            }
            _ => {}
        }
        list.push(reach);
    }

    /// A random scalar or vector in memory.
    pub(super) fn walk(&mut self, writable: bool) -> Option<Reach> {
        'tries: for _ in 0..5 {
            let var = self.random.pick(&self.scope).copied()?;
            let mut reach = self.root(var);
            for _ in 0..6 {
                reach = match reach.place.ty.clone() {
                    Ty::Record(r) => {
                        let n = self.random.below(self.program.records[r].fields.len());
                        self.member(&reach, r, n)
                    }
                    Ty::Array(of, n) => self.element(&reach, &of, n),
                    Ty::Pointer(p) if !p.null => self.behind_pointer(&reach, &p),
                    Ty::Scalar(_) | Ty::Vector(..) if reach.writable || !writable => return Some(reach),
                    _ => continue 'tries,
                };
            }
        }
        None
    }

    /// A place to write a number to.
    pub(super) fn writable_number(&mut self) -> Option<Reach> {
        self.walk(true)
    }

    /// A nullable pointer at a place.
    pub(super) fn nullable(&mut self) -> Option<(Expr, Rc<Pointer>, Reach)> {
        let mut found: Vec<(Rc<Pointer>, Reach)> = Vec::new();
        for reach in self.reaches() {
            if let Ty::Pointer(p) = &reach.place.ty
                && p.null
            {
                found.push((p.clone(), reach));
            }
        }
        let (p, reach) = self.random.pick(&found)?.clone();
        Some((reach.place.clone(), p, reach))
    }

    /// A uint of what a pointer that is not null points to.
    pub(super) fn behind(&mut self, e: &Expr, p: &Pointer) -> Option<Expr> {
        let base = Reach {
            place: e.clone(),
            space: Space::Private,
            own: true,
            writable: false,
            tainted: false,
            direct: true,
            addressable: false,
            packed: false,
        };
        let mut reach = self.behind_pointer(&base, p);
        for _ in 0..4 {
            reach = match reach.place.ty.clone() {
                Ty::Scalar(_) => return Some(self.whole(reach.place, &UINT)),
                Ty::Vector(s, n) => {
                    let lane = self.random.below(usize::from(n)) as u8;
                    let lane = Expr::new(Ty::Scalar(s), Kind::Swizzle(Box::new(reach.place), vec![lane]));
                    return Some(self.whole(lane, &UINT));
                }
                Ty::Record(r) => {
                    let n = self.random.below(self.program.records[r].fields.len());
                    self.member(&reach, r, n)
                }
                Ty::Array(of, n) => self.element(&reach, &of, n),
                Ty::Pointer(p) if !p.null => self.behind_pointer(&reach, &p),
                Ty::Pointer(_) => {
                    return Some(Expr::truth(Kind::Falsity(Box::new(reach.place))).convert(UINT));
                }
                Ty::Void => return None,
            };
        }
        None
    }

    /// Returns whether all bytes of a type are integers.
    pub(super) fn dense(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Scalar(s) => !s.is_float(),
            Ty::Vector(s, n) => !s.is_float() && *n != 3,
            Ty::Array(of, _) => self.dense(of),
            Ty::Record(r) => {
                let record = &self.program.records[*r];
                let sum: u32 = record.fields.iter().map(|f| self.program.size(&f.ty)).sum();
                (record.union || sum == self.program.size(ty))
                    && record.fields.iter().all(|f| self.dense(&f.ty))
            }
            _ => false,
        }
    }
}

//! Pointers: where they can come from, and tests of them.

use super::super::ast::*;
use super::places::Reach;
use super::{Generator, Place};

impl Generator<'_> {
    /// A pointer that keeps what the type promises; with `leaves`, one that may leave a helper.
    pub(super) fn pointer(&mut self, ty: &Ty, depth: usize, leaves: bool) -> Option<Expr> {
        let want = ty.pointer()?.clone();
        if want.null && self.chance(18) {
            return Some(Expr::new(ty.clone(), Kind::Null));
        }
        if depth > 0 && self.chance(35) {
            let a = self.pointer(ty, depth - 1, leaves)?;
            let b = self.pointer(ty, depth - 1, leaves)?;
            let c = self.condition(depth - 1);
            return Some(Expr::new(ty.clone(), Kind::Cond(Box::new(c), Box::new(a), Box::new(b))));
        }
        let mut options = Vec::new();
        for reach in self.reaches() {
            if leaves && reach.tainted && self.function != Place::Kernel {
                continue;
            }
            self.options(&reach, ty, &want, &mut options);
        }
        if options.is_empty() || self.random.one_in(8) {
            options.extend(self.called(ty, &want, depth));
        }
        let Some(found) = self.random.pick(&options).cloned() else {
            return want.null.then(|| Expr::new(ty.clone(), Kind::Null));
        };
        let found = match found.ty.pointer() {
            Some(p) if p.space != want.space => Expr::new(ty.clone(), Kind::PtrCast(Box::new(found))),
            _ => Expr { ty: ty.clone(), ..found },
        };
        if self.random.one_in(40) {
            return Some(Expr::new(ty.clone(), Kind::RoundTrip(Box::new(found))));
        }
        Some(found)
    }

    /// A call that gives such a pointer.
    pub(super) fn called(&mut self, ty: &Ty, want: &Pointer, depth: usize) -> Option<Expr> {
        if self.function != Place::Kernel || depth == 0 {
            return None;
        }
        let fits = |f: &Function| {
            let kept = f.result.pointer().is_some_and(|p| {
                p.to == want.to
                    && p.space == want.space
                    && p.len >= want.len
                    && (want.null || !p.null)
                    && (p.own || !want.own)
            });
            f.pure && !f.kernel && kept
        };
        let list: Vec<usize> =
            (0..self.program.functions.len()).filter(|f| fits(&self.program.functions[*f])).collect();
        let f = *self.random.pick(&list)?;
        let args = self.arguments(f, depth - 1)?;
        Some(Expr::new(ty.clone(), Kind::Call(f, args)))
    }

    /// The pointers that a place can give.
    pub(super) fn options(&mut self, reach: &Reach, ty: &Ty, want: &Pointer, list: &mut Vec<Expr>) {
        let space_fits =
            |space: Space| space == want.space || (want.space == Space::Generic && space != Space::Constant);
        let place = &reach.place;
        // What a pointer variable holds.
        if let Ty::Pointer(p) = &place.ty
            && space_fits(p.space)
            && p.to == want.to
            && p.len >= want.len
            && (p.own || !want.own)
        {
            let mut value = place.clone();
            if p.null && !want.null {
                return;
            }
            if p.len > want.len && !p.null && self.random.one_in(2) {
                let step = Expr::uint(want.len);
                let index = Expr::binary(Binary::Mul, self.index(p.len / want.len), step);
                value = Expr::new(place.ty.clone(), Kind::Offset(Box::new(value), Box::new(index)));
            }
            // What holds more pointers is chosen more often than one that stands alone.
            list.push(value.clone());
            list.push(value);
        }
        if !space_fits(reach.space) || !reach.addressable || reach.packed || (want.own && !reach.own) {
            return;
        }
        let to = |space: Space| Self::pointer_to(space, want.to.clone(), want.len, want.null, want.own);
        let here = to(reach.space);
        if place.ty == want.to && want.len == 1 {
            list.push(Expr::new(here.clone(), Kind::Address(Box::new(place.clone()))));
        }
        if let Ty::Array(of, n) = &place.ty
            && **of == want.to
            && *n >= want.len
        {
            let base = Expr::new(here.clone(), Kind::Decay(Box::new(place.clone())));
            let step = Expr::uint(want.len);
            let index = Expr::binary(Binary::Mul, self.index(n / want.len), step);
            list.push(if self.random.one_in(2) {
                base
            } else {
                Expr::new(here.clone(), Kind::Offset(Box::new(base), Box::new(index)))
            });
            return;
        }
        self.punned(reach, want, here, ty, list);
    }

    /// The same memory as another type.
    pub(super) fn punned(&mut self, reach: &Reach, want: &Pointer, here: Ty, ty: &Ty, list: &mut Vec<Expr>) {
        let place = &reach.place;
        let Some((s, _)) = want.to.lanes() else { return };
        let size = self.program.size(&want.to) * want.len;
        let fits = self.features.punning
            && !s.is_float()
            && place.ty != want.to
            && self.dense(&place.ty)
            && self.program.size(&place.ty) >= size
            && self.program.align(&place.ty) >= self.program.align(&want.to);
        if !fits || !self.random.one_in(4) {
            return;
        }
        let to = Self::pointer_to(reach.space, place.ty.clone(), 1, false, false);
        let from = match &place.ty {
            Ty::Array(of, _) => {
                let to = Self::pointer_to(reach.space, (**of).clone(), 1, false, false);
                Expr::new(to, Kind::Decay(Box::new(place.clone())))
            }
            _ => Expr::new(to, Kind::Address(Box::new(place.clone()))),
        };
        let cast = if reach.space == want.space { ty.clone() } else { here };
        list.push(Expr::new(cast, Kind::PtrCast(Box::new(from))));
    }

    /// A test of pointers.
    pub(super) fn pointer_test(&mut self) -> Option<Expr> {
        let pointers: Vec<Expr> =
            self.reaches().into_iter().filter(|r| r.place.ty.pointer().is_some()).map(|r| r.place).collect();
        let p = self.random.pick(&pointers)?.clone();
        let of = p.ty.pointer()?.clone();
        let boxed = Box::new(p.clone());
        Some(match self.random.below(10) {
            0 => Expr::truth(Kind::Falsity(boxed)),
            1 => {
                let null = Expr::new(p.ty.clone(), Kind::Null);
                Expr::truth(Kind::PtrEq(self.random.one_in(2), boxed, Box::new(null)))
            }
            2 if of.len > 1 => {
                let n = Box::new(self.index(of.len));
                let q = Expr::new(p.ty.clone(), Kind::Offset(Box::new(p.clone()), n));
                if of.null {
                    let less = Expr::truth(Kind::PtrEq(true, Box::new(p.clone()), Box::new(q)));
                    return Some(Expr::truth(Kind::Logic(true, boxed, Box::new(less))));
                }
                let less = Expr::truth(Kind::PtrLess(self.random.one_in(2), boxed, Box::new(q.clone())));
                if self.random.one_in(2) {
                    return Some(less);
                }
                let far = Expr::truth(Kind::PtrDiff(Box::new(q), Box::new(p)));
                Expr::truth(Kind::Compare(Compare::Gt, Box::new(far), Box::new(Expr::int(1))))
            }
            n => {
                let other = Self::pointer_to(of.space, of.to.clone(), 1, true, false);
                let q = Box::new(self.pointer(&other, 1, false)?);
                let eq = self.random.one_in(2);
                Expr::truth(if n == 3 { Kind::IntEq(eq, boxed, q) } else { Kind::PtrEq(eq, boxed, q) })
            }
        })
    }

    /// An int that pointers give: a distance, an alignment, a memory.
    pub(super) fn pointer_number(&mut self) -> Option<Expr> {
        let pointers: Vec<Expr> = self
            .reaches()
            .into_iter()
            .filter(|r| r.place.ty.pointer().is_some_and(|p| !p.null))
            .map(|r| r.place)
            .collect();
        let p = self.random.pick(&pointers)?.clone();
        let of = p.ty.pointer()?.clone();
        let boxed = Box::new(p.clone());
        Some(match self.random.below(4) {
            0 => Expr::truth(Kind::IntAligned(boxed)),
            1 if of.space == Space::Generic => {
                let space = [Space::Private, Space::Local, Space::Global][self.random.below(3)];
                let ty = Self::pointer_to(space, of.to.clone(), 1, true, of.own);
                let there = Expr::new(ty, Kind::ToSpace(boxed));
                match self.behind(&there, &Pointer { space, ..of }) {
                    // Evaluated twice, which pointers without calls may be.
                    Some(value) => {
                        Expr::new(UINT, Kind::Cond(Box::new(there), Box::new(value), Box::new(Expr::uint(7))))
                    }
                    None => Expr::truth(Kind::Falsity(Box::new(there))),
                }
            }
            _ => {
                let n = Box::new(self.index(of.len));
                let moved =
                    if self.random.one_in(3) { Kind::IntOffset(boxed, n) } else { Kind::Offset(boxed, n) };
                let q = Box::new(Expr::new(p.ty.clone(), moved));
                Expr::truth(Kind::PtrDiff(q, Box::new(p)))
            }
        })
    }
}

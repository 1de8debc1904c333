//! Rewrite rules of vectors: constructions, extractions, insertions and shuffles, lane by lane.
//!
//! ```text
//! extract(construct(a, b), 1) → b        construct(extract(v, 0), extract(v, 1)) → v (of two lanes)
//! ```

use super::{Folded, Simplifier};
use crate::ir::{InstKind, Mask, Type, Value};
use smallvec::SmallVec;

/// The source of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// A scalar value.
    Scalar(Value),
    /// A lane of a vector that no rule looks through.
    Lane(Value, u8),
    /// Undefined: any value is right.
    Undef,
}

impl Simplifier<'_> {
    /// Looks through vector instructions to the source of a lane.
    fn lane_source(&self, mut vector: Value, mut lane: u8) -> Source {
        for _ in 0..64 {
            if self.ty(vector).lanes() == 1 {
                return Source::Scalar(vector);
            }
            if self.is_undef(vector) {
                return Source::Undef;
            }
            match self.def(vector) {
                Some(InstKind::Construct(parts)) => {
                    if let ([part], true) = (&parts[..], self.ty(parts[0]).lanes() == 1) {
                        return self.scalar_source(*part);
                    }
                    let mut at = lane;
                    let mut found = None;
                    for part in parts {
                        let count = self.ty(*part).lanes();
                        if at < count {
                            found = Some(*part);
                            break;
                        }
                        at -= count;
                    }
                    let Some(part) = found else { return Source::Lane(vector, lane) };
                    if self.ty(part).lanes() == 1 {
                        return self.scalar_source(part);
                    }
                    (vector, lane) = (part, at);
                }
                Some(InstKind::Insert { vector: inner, scalar, lane: set }) => {
                    if *set == lane {
                        return self.scalar_source(*scalar);
                    }
                    vector = *inner;
                }
                Some(InstKind::Shuffle(a, b, mask)) => {
                    let count = self.ty(*a).lanes();
                    match mask.get(usize::from(lane)) {
                        None => return Source::Undef,
                        Some(n) if n < count => (vector, lane) = (*a, n),
                        Some(n) => (vector, lane) = (*b, n - count),
                    }
                }
                _ => return Source::Lane(vector, lane),
            }
        }
        Source::Lane(vector, lane)
    }

    fn scalar_source(&self, scalar: Value) -> Source {
        if self.is_undef(scalar) {
            return Source::Undef;
        }
        match self.def(scalar) {
            Some(InstKind::Extract(vector, lane)) => Source::Lane(*vector, *lane),
            _ => Source::Scalar(scalar),
        }
    }

    /// The vector whose lanes these are, in order.
    fn whole_vector(&self, sources: &[Source], ty: Type) -> Option<Value> {
        let vector = sources.iter().find_map(|s| match s {
            Source::Lane(v, _) => Some(*v),
            _ => None,
        })?;
        let in_order = sources.iter().enumerate().all(|(n, s)| match s {
            Source::Lane(v, lane) => *v == vector && usize::from(*lane) == n,
            Source::Undef => true,
            Source::Scalar(_) => false,
        });
        (in_order && sources.len() == usize::from(ty.lanes()) && self.ty(vector) == ty).then_some(vector)
    }

    /// A construction from scalars, if every lane is a scalar.
    fn all_scalars(&mut self, sources: &[Source], ty: Type) -> Option<InstKind> {
        let scalar = Type::Scalar(ty.scalar()?);
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for source in sources {
            parts.push(match source {
                Source::Scalar(v) => *v,
                Source::Undef => self.undef(scalar),
                Source::Lane(..) => return None,
            });
        }
        if let Some(first) = parts.first().copied()
            && parts.len() > 1
            && parts.iter().all(|p| *p == first)
        {
            return Some(InstKind::Construct(SmallVec::from_iter([first])));
        }
        Some(InstKind::Construct(parts))
    }

    fn sources(&self, vector: Value) -> SmallVec<[Source; 16]> {
        (0..self.ty(vector).lanes()).map(|n| self.lane_source(vector, n)).collect()
    }

    pub(super) fn fold_construct(&mut self, parts: &SmallVec<[Value; 4]>, ty: Type) -> Option<Folded> {
        if let [part] = parts[..]
            && self.ty(part) == ty
        {
            return Some(Folded::Value(part));
        }
        if parts.iter().all(|p| self.is_undef(*p)) {
            return Some(Folded::Value(self.undef(ty)));
        }
        if let Some(first) = self.splat_const(parts[0])
            && parts.iter().all(|p| self.splat_const(*p) == Some(first))
        {
            return Some(Folded::Value(self.constant(ty, first)));
        }
        let mut sources: SmallVec<[Source; 16]> = SmallVec::new();
        for part in parts {
            if self.ty(*part).lanes() == 1 {
                sources.push(self.scalar_source(*part));
            } else {
                sources.extend(self.sources(*part));
            }
        }
        if let Some(vector) = self.whole_vector(&sources, ty) {
            return Some(Folded::Value(vector));
        }
        let nested = parts.iter().any(|p| self.ty(*p).lanes() > 1);
        let uniform = parts.len() > 1 && parts.iter().all(|p| *p == parts[0]);
        if (nested || uniform) && sources.len() == usize::from(ty.lanes()) {
            return self.all_scalars(&sources, ty).map(Folded::Kind);
        }
        None
    }

    pub(super) fn fold_extract(&mut self, vector: Value, lane: u8, ty: Type) -> Option<Folded> {
        if lane >= self.ty(vector).lanes() {
            return None;
        }
        if let Some(bits) = self.splat_const(vector) {
            return Some(Folded::Value(self.constant(ty, bits)));
        }
        match self.lane_source(vector, lane) {
            Source::Scalar(value) => Some(Folded::Value(value)),
            Source::Undef => Some(Folded::Value(self.undef(ty))),
            Source::Lane(v, l) if (v, l) != (vector, lane) => Some(Folded::Kind(InstKind::Extract(v, l))),
            Source::Lane(v, l) => match self.def(v)? {
                InstKind::Select(c, a, b) if self.ty(*c).lanes() > 1 => {
                    // Only where it costs nothing: both operands have scalars or constants in this lane.
                    let (c, a, b) = (*c, *a, *b);
                    let known = |v: Value| {
                        self.splat_const(v).is_some() || matches!(self.lane_source(v, l), Source::Scalar(_))
                    };
                    if !known(a) || !known(b) || !known(c) {
                        return None;
                    }
                    let c = self.build(InstKind::Extract(c, l), Type::BOOL);
                    let a = self.build(InstKind::Extract(a, l), ty);
                    let b = self.build(InstKind::Extract(b, l), ty);
                    Some(Folded::Kind(InstKind::Select(c, a, b)))
                }
                _ => None,
            },
        }
    }

    pub(super) fn fold_insert(&mut self, vector: Value, scalar: Value, lane: u8, ty: Type) -> Option<Folded> {
        if lane >= ty.lanes() {
            return None;
        }
        let mut sources = self.sources(vector);
        sources[usize::from(lane)] = self.scalar_source(scalar);
        if let Some(vector) = self.whole_vector(&sources, ty) {
            return Some(Folded::Value(vector));
        }
        if sources.iter().all(|s| *s == Source::Undef) {
            return Some(Folded::Value(self.undef(ty)));
        }
        // A construction, once every lane has been set. Lanes extracted elsewhere count as scalars only
        // if they were inserted, not if they are the base's own.
        let mut parts: SmallVec<[Value; 4]> = SmallVec::from_elem(scalar, usize::from(ty.lanes()));
        let mut set = 1u32 << lane;
        let mut at = vector;
        loop {
            match self.def(at) {
                Some(InstKind::Insert { vector, scalar, lane }) if *lane < ty.lanes() => {
                    if set & (1 << lane) == 0 {
                        set |= 1 << lane;
                        parts[usize::from(*lane)] = *scalar;
                    }
                    at = *vector;
                }
                Some(InstKind::Construct(list)) if list.len() == usize::from(ty.lanes()) => {
                    for (n, part) in list.iter().enumerate() {
                        if set & (1 << n) == 0 {
                            parts[n] = *part;
                        }
                    }
                    set = (1u32 << ty.lanes()) - 1;
                    break;
                }
                _ => break,
            }
        }
        if let (Some(lanes), true) = (self.const_lanes(at), set != (1u32 << ty.lanes()) - 1) {
            let scalar_ty = Type::Scalar(ty.scalar()?);
            for (n, bits) in lanes.iter().enumerate() {
                if set & (1 << n) == 0 {
                    parts[n] = self.constant(scalar_ty, *bits);
                }
            }
            set = (1u32 << ty.lanes()) - 1;
        }
        if set == (1u32 << ty.lanes()) - 1 {
            return Some(Folded::Kind(InstKind::Construct(parts)));
        }
        // An insertion over one of the same lane.
        match *self.def(vector)? {
            InstKind::Insert { vector, lane: inner, .. } if inner == lane => {
                Some(Folded::Kind(InstKind::Insert { vector, scalar, lane }))
            }
            _ => None,
        }
    }

    pub(super) fn fold_shuffle(&mut self, a: Value, b: Value, mask: &Mask, ty: Type) -> Option<Folded> {
        let count = self.ty(a).lanes();
        if let (Some(x), Some(y)) = (self.const_lanes(a), self.const_lanes(b)) {
            let lanes: SmallVec<[u64; 16]> = mask
                .iter()
                .map(|n| {
                    let n = usize::from(n.unwrap_or(0));
                    x.iter().chain(&y).nth(n).copied().unwrap_or(0)
                })
                .collect();
            return self.lanes_folded(ty, &lanes);
        }
        let sources: SmallVec<[Source; 16]> = mask
            .iter()
            .map(|n| match n {
                None => Source::Undef,
                Some(n) if n < count => self.lane_source(a, n),
                Some(n) => self.lane_source(b, n - count),
            })
            .collect();
        if sources.iter().all(|s| *s == Source::Undef) {
            return Some(Folded::Value(self.undef(ty)));
        }
        if let Some(vector) = self.whole_vector(&sources, ty) {
            return Some(Folded::Value(vector));
        }
        if let Some(kind) = self.all_scalars(&sources, ty) {
            return Some(Folded::Kind(kind));
        }
        // The lanes come from at most two other vectors: these are shuffled.
        let mut bases: SmallVec<[Value; 2]> = SmallVec::new();
        for source in &sources {
            match source {
                Source::Lane(v, _) if !bases.contains(v) => bases.push(*v),
                Source::Scalar(_) => return None,
                _ => {}
            }
        }
        let first = *bases.first()?;
        let second = bases.get(1).copied().unwrap_or(first);
        let known = (first, second) == (a, b)
            || (first, second) == (b, a)
            || (bases.len() == 1 && a == b && first == a);
        if bases.len() > 2 || known {
            return None;
        }
        let count = self.ty(first).lanes();
        let mask = sources
            .iter()
            .map(|s| match s {
                Source::Lane(v, lane) => Some(if *v == first { *lane } else { count + *lane }),
                _ => None,
            })
            .collect();
        Some(Folded::Kind(InstKind::Shuffle(first, second, mask)))
    }
}

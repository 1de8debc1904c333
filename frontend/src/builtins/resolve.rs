//! Overload resolution for the table's functions.
//!
//! For each row the generic type is deduced from the arguments: vectors say it outright, scalars together
//! by C's usual arithmetic conversions, and integers given to floating functions mean float. Then every argument is
//! rated: exact, converted, widened to a vector; the row with the least total is taken, the first of equals.
//! So a call that C++ overloading would call ambiguous (`pow(x, 2)`, `max(1, u)`, `sqrt(2)`) means what
//! arithmetic on the same operands would mean.

use super::op::{Builtin, BuiltinOp, Resolution};
use super::special::is_writable;
use super::table::{Family, Group, Make, Pattern, rows};
use crate::options::{Features, Optional, Options};
use crate::types::{QualType, Scalar, Type, TypeId, Types};

/// A scalar type and a number of components.
type Shape = (Scalar, u8);

/// The cost of making a vector of a scalar, above any scalar conversion.
const SPLAT: u32 = 200;

/// Why a row does not fit.
enum Misfit {
    No,
    NeedsFeature(&'static str),
}

pub(super) fn resolve(types: &mut Types, options: &Options, name: &str, args: &[TypeId]) -> Resolution {
    let mut best: Option<(u32, Builtin)> = None;
    let (mut open, mut missing, mut closed) = (false, None, None);
    for row in rows(name) {
        let (group, name) = (row.group, row.name);
        if options.std < group.gate.since {
            continue;
        }
        if !options.has(group.gate.needs) {
            let lacking = group.gate.needs.difference(options.features.in_version(options.std));
            let feature = Optional::name_of(lacking, options.std);
            closed = closed.or(Some(feature));
            // Only what these arguments would have called is missed.
            if fit(types, options, group, args).is_ok() {
                missing = missing.or(Some(feature));
            }
            continue;
        }
        open = true;
        match fit(types, options, group, args) {
            Ok((cost, shape)) if best.as_ref().is_none_or(|(least, _)| cost < *least) => {
                let params = parameters(types, group, shape, args);
                let ret = instantiate(types, group.ret, shape, Types::ERROR);
                best = Some((cost, Builtin { name, op: operation(row.make, shape), params, ret }));
            }
            Ok(_) | Err(Misfit::No) => {}
            Err(Misfit::NeedsFeature(feature)) => missing = Some(feature),
        }
    }
    match (best, missing, open) {
        (Some((_, builtin)), _, _) => Resolution::Match(builtin),
        (None, Some(feature), _) => Resolution::NeedsFeature(feature),
        (None, None, true) => Resolution::NoMatch(candidates(options, name)),
        (None, None, false) => closed.map_or(Resolution::NotBuiltin, Resolution::NeedsFeature),
    }
}

fn parameters(types: &mut Types, group: &Group, shape: Shape, args: &[TypeId]) -> Vec<TypeId> {
    group.params.iter().zip(args).map(|(p, a)| instantiate(types, *p, shape, *a)).collect()
}

fn operation(make: Make, (scalar, lanes): Shape) -> BuiltinOp {
    match make {
        Make::Ext(number) => BuiltinOp::ExtInst(number),
        Make::SignedExt(signed, unsigned) => {
            BuiltinOp::ExtInst(if scalar.is_signed() { signed } else { unsigned })
        }
        Make::ByShape(scalar, vector) => {
            if lanes == 1 {
                scalar
            } else {
                vector
            }
        }
        Make::Plain(op) => op,
    }
}

/// The type that a pattern means for a shape; a pointer parameter is the argument's own type, but to signed integers.
fn instantiate(types: &mut Types, pattern: Pattern, shape: Shape, argument: TypeId) -> TypeId {
    match shape_of(pattern, shape) {
        Some((scalar, lanes)) => types.vector(scalar, lanes),
        None => match pattern {
            Pattern::Void => Types::VOID,
            Pattern::Size => types.size_t(),
            Pattern::PtrInt => match types.pointee(argument) {
                Some(pointee) => {
                    let ty = types.vector(Scalar::Int, shape.1);
                    types.pointer(QualType { ty, ..pointee })
                }
                None => argument,
            },
            _ => argument,
        },
    }
}

/// The shape that a pattern means; `None` for void, size_t and pointers.
pub(super) fn shape_of(pattern: Pattern, (scalar, lanes): Shape) -> Option<Shape> {
    let signed = Scalar::signed_of_size;
    let unsigned = Scalar::unsigned_of_size;
    Some(match pattern {
        Pattern::G => (scalar, lanes),
        Pattern::Elem => (scalar, 1),
        Pattern::Lanes(s) => (s, lanes),
        Pattern::SignedLike => (signed(scalar.size()), lanes),
        Pattern::UnsignedLike => (unsigned(scalar.size()), lanes),
        Pattern::Wide if scalar.is_signed() => (signed(scalar.size() * 2), lanes),
        Pattern::Wide => (unsigned(scalar.size() * 2), lanes),
        Pattern::Truth if lanes == 1 => (Scalar::Int, 1),
        Pattern::Truth => (signed(scalar.size()), lanes),
        Pattern::One(s) => (s, 1),
        Pattern::Exact(s, n) => (s, n),
        Pattern::Void | Pattern::Size | Pattern::PtrG | Pattern::PtrInt => return None,
    })
}

/// Deduces the generic type and rates the arguments.
fn fit(types: &Types, options: &Options, group: &Group, args: &[TypeId]) -> Result<(u32, Shape), Misfit> {
    if args.len() != group.params.len() {
        return Err(Misfit::No);
    }
    let shape = deduce(types, group, args).ok_or(Misfit::No)?;
    if !group.family.lanes.contains(&shape.1) {
        return Err(Misfit::No);
    }
    let mut cost = 0;
    for (pattern, arg) in group.params.iter().zip(args) {
        cost += rate(types, *pattern, shape, *arg).ok_or(Misfit::No)?;
    }
    match shape.0 {
        Scalar::Double if !options.features.contains(Features::FP64) => {
            Err(Misfit::NeedsFeature("cl_khr_fp64"))
        }
        Scalar::Half if !options.features.contains(Features::FP16) => {
            Err(Misfit::NeedsFeature("cl_khr_fp16"))
        }
        _ => Ok((cost, shape)),
    }
}

/// The generic type: element and number of components.
fn deduce(types: &Types, group: &Group, args: &[TypeId]) -> Option<Shape> {
    let family = &group.family;
    let (mut scalar, mut integer) = (None, None);
    let mut lanes = 1;
    let (mut vector, mut pinned) = (None, None);
    for (pattern, arg) in group.params.iter().zip(args) {
        // A pointer's pointee converts to nothing else.
        if let (Pattern::PtrG, Some(pointee)) = (pattern, types.pointee(*arg)) {
            match types.get(pointee.ty) {
                Type::Scalar(s) => pinned = Some(*s),
                Type::Vector(s, n) => (vector, lanes) = (Some(*s), *n),
                _ => return None,
            }
        }
        // Any vector argument of a parameter that has the generic type's components gives their number.
        let Some((s, n)) = types.scalar_and_lanes(*arg) else { continue };
        let generic = *pattern == Pattern::G;
        match (n, generic) {
            (1, true) => {
                scalar = Some(scalar.map_or(s, |t| common(t, s)));
                if s.is_integer() {
                    integer = Some(integer.map_or(s, |t| common(t, s)));
                }
            }
            (1, false) => {}
            _ if lanes != 1 && lanes != n => return None,
            (_, true) if vector.is_some_and(|v| v != s) => return None,
            (_, true) => {
                vector = Some(s);
                lanes = n;
            }
            (_, false) if matches!(pattern, Pattern::Exact(..)) => {}
            (_, false) if matches!(pattern, Pattern::One(_) | Pattern::Size) => return None,
            (_, false) => lanes = n,
        }
    }
    let element = match (vector, scalar) {
        (Some(vector), _) => return family.scalars.contains(&vector).then_some((vector, lanes)),
        (None, Some(scalar)) => match pinned {
            Some(pinned) => family.scalars.iter().copied().find(|s| *s == pinned)?,
            // Functions of integers: an integer among the arguments says which, as overloading in C++ would have it
            // (`mad24(float, int, float)`).
            None => nearest(family, scalar).or_else(|| nearest(family, integer?))?,
        },
        (None, None) => *family.scalars.first()?,
    };
    Some((element, lanes))
}

/// The member of the family that a scalar of type `scalar` means.
fn nearest(family: &Family, scalar: Scalar) -> Option<Scalar> {
    let scalar = if scalar == Scalar::Bool { Scalar::Int } else { scalar };
    if family.scalars.contains(&scalar) {
        return Some(scalar);
    }
    // Floating arguments alone are never cut down to integers on the sly.
    let possible = family.scalars.iter().filter(|s| s.is_float() || scalar.is_integer());
    possible.min_by_key(|s| conversion_cost(scalar, **s)).copied()
}

/// The usual arithmetic conversions (C99 §6.3.1.8), but two operands of one type keep it.
fn common(a: Scalar, b: Scalar) -> Scalar {
    use Scalar::*;
    if a == b && a != Bool {
        return a;
    }
    for float in [Double, Float, Half] {
        if a == float || b == float {
            return float;
        }
    }
    let promote = |s: Scalar| if s.size() < 4 { Int } else { s };
    let (a, b) = (promote(a), promote(b));
    // Equal widths: unsigned wins; else the wider one does.
    match a.size().cmp(&b.size()) {
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Equal if a.is_signed() => b,
        std::cmp::Ordering::Equal => a,
    }
}

/// Returns how far apart two scalar types are: 0 is the same, less is better.
pub(super) fn conversion_cost(from: Scalar, to: Scalar) -> u32 {
    use Scalar::*;
    if from == to {
        return 0;
    }
    let steps = from.size().abs_diff(to.size());
    match (from.is_float(), to.is_float()) {
        (true, true) if to.size() > from.size() => 10 + steps,
        (true, true) => 40 + steps,
        (false, true) => match to {
            Float => 20,
            Double => 21,
            _ => 22,
        },
        (true, false) => 100 + u32::from(!to.is_signed()),
        (false, false) if from.size() < 4 && to == Int => 5,
        (false, false) => {
            let sign_changes = (from.is_signed() || from == Bool) != to.is_signed();
            match to.size() > from.size() {
                true if sign_changes && from.is_signed() => 24 + steps,
                true => 10 + steps,
                false => 20 + 4 * steps + u32::from(sign_changes),
            }
        }
    }
}

/// Returns what it costs to pass `arg` to a parameter; `None` where it cannot be passed.
fn rate(types: &Types, pattern: Pattern, shape: Shape, arg: TypeId) -> Option<u32> {
    if arg == Types::ERROR {
        return Some(0);
    }
    let target = match pattern {
        Pattern::PtrG => return rate_pointer(types, arg, shape),
        Pattern::PtrInt => return rate_pointer(types, arg, (Scalar::Int, shape.1)),
        Pattern::Size => types.scalar_and_lanes(types.size_t())?,
        _ => shape_of(pattern, shape)?,
    };
    let (scalar, lanes) = types.scalar_and_lanes(arg)?;
    match (lanes, target.1) {
        (1, 1) => Some(conversion_cost(scalar, target.0)),
        (1, _) => Some(SPLAT + conversion_cost(scalar, target.0)),
        (a, b) => (a == b && scalar == target.0).then_some(0),
    }
}

/// A pointer through which a value of that shape can be written; one to integers of the other signedness is
/// converted, with a warning.
fn rate_pointer(types: &Types, arg: TypeId, (scalar, lanes): Shape) -> Option<u32> {
    let pointee = types.pointee(arg).filter(|p| is_writable(*p))?;
    let (given, components) = types.scalar_and_lanes(pointee.ty)?;
    let fits = components == lanes && (given == scalar || given.differs_in_sign(scalar));
    fits.then(|| u32::from(given != scalar))
}

/// The overloads of a name as text, for diagnostics.
fn candidates(options: &Options, name: &str) -> Vec<String> {
    let mut list = Vec::new();
    for group in rows(name).map(|row| row.group) {
        if options.std < group.gate.since || !options.has(group.gate.needs) {
            continue;
        }
        let params: Vec<_> = group.params.iter().map(|p| spell(*p, &group.family)).collect();
        let generic = group.params.contains(&Pattern::G).then(|| {
            let scalars: Vec<_> = group.family.scalars.iter().map(|s| s.name()).collect();
            let lanes: Vec<_> = group.family.lanes.iter().map(u8::to_string).collect();
            format!(" ({}: {}; components {})", group.family.name, scalars.join(", "), lanes.join(", "))
        });
        list.push(format!(
            "{} {name}({}){}",
            spell(group.ret, &group.family),
            params.join(", "),
            generic.unwrap_or_default()
        ));
    }
    list
}

fn spell(pattern: Pattern, family: &Family) -> String {
    match pattern {
        Pattern::Void => "void".into(),
        Pattern::G => family.name.into(),
        Pattern::Elem => "scalar".into(),
        Pattern::Lanes(s) => format!("{}n", s.name()),
        Pattern::SignedLike => "signed integers of the same size".into(),
        Pattern::UnsignedLike => "unsigned integers of the same size".into(),
        Pattern::Wide => "integers of twice the size".into(),
        Pattern::Truth => "int or igentype".into(),
        Pattern::One(s) => s.name().into(),
        Pattern::Exact(s, n) => format!("{}{n}", s.name()),
        Pattern::Size => "size_t".into(),
        Pattern::PtrG => format!("{} *", family.name),
        Pattern::PtrInt => "intn *".into(),
    }
}

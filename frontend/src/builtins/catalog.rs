//! Every overload of every builtin function as text: for tests and for lists, never for a compilation.

use super::op::Resolution;
use super::resolve::shape_of;
use super::samples::{Sample, exists, pointer, spaces};
use super::table::{Pattern, groups};
use super::{block, c11, enqueue, image, memory, pipe, resolve, special};
use crate::options::Options;
use crate::symbol::Interner;
use crate::types::{AddressSpace, QualType, Scalar, TypeId, Types};
use crate::types_text::type_text;

/// A function with the types of its parameters, as OpenCL C spells them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Overload {
    /// Its name.
    pub name: String,
    /// What it returns.
    pub ret: String,
    /// Its parameters.
    pub params: Vec<String>,
    /// Its last argument must be a constant.
    pub last_is_constant: bool,
}

/// All overloads under these options, and what should be one and is not (nothing, or this table has a mistake).
pub fn overloads(options: &Options) -> (Vec<Overload>, Vec<String>) {
    let mut types = Types::new(options.address_width);
    let mut samples: Vec<Sample> = Vec::new();
    of_table(&mut types, options, &mut samples);
    special::samples(&mut types, options, &mut samples);
    c11::samples(&mut types, options, &mut samples);
    memory::samples(&mut types, options, &mut samples);
    block::samples(&mut types, options, &mut samples);
    image::samples(&mut types, options, &mut samples);
    pipe::samples(&mut types, options, &mut samples);
    enqueue::samples(&mut types, options, &mut samples);
    let symbols = Interner::new();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for (name, args) in samples {
        let text = |types: &Types, ty: TypeId| type_text(types, &symbols, QualType::new(ty));
        let params: Vec<String> = args.iter().map(|a| text(&types, *a)).collect();
        match resolve(&mut types, options, &name, &args) {
            Resolution::Match(builtin) => {
                let ret = text(&types, builtin.ret);
                let last_is_constant = name.starts_with("sub_group_clustered");
                found.push(Overload { name, ret, params, last_is_constant });
            }
            other => missing.push(format!("{name}({}): {other:?}", params.join(", "))),
        }
    }
    (found, missing)
}

fn of_table(types: &mut Types, options: &Options, out: &mut Vec<Sample>) {
    for group in groups() {
        if options.std < group.gate.since || !options.has(group.gate.needs) {
            continue;
        }
        for scalar in group.family.scalars.iter().filter(|s| exists(**s, options)) {
            for lanes in group.family.lanes {
                let shape = (*scalar, *lanes);
                let patterns = std::iter::once(&group.ret).chain(group.params);
                let named = patterns.filter_map(|p| shape_of(*p, shape));
                if !named.into_iter().all(|(s, _)| exists(s, options)) {
                    continue;
                }
                let has_pointer = group.params.iter().any(|p| matches!(p, Pattern::PtrG | Pattern::PtrInt));
                let list = if has_pointer { spaces(options) } else { vec![AddressSpace::Private] };
                for space in list {
                    let args: Vec<TypeId> =
                        group.params.iter().map(|p| argument(types, *p, shape, space)).collect();
                    out.extend(group.functions.iter().map(|(name, _)| ((*name).to_owned(), args.clone())));
                }
            }
        }
    }
}

fn argument(types: &mut Types, pattern: Pattern, shape: (Scalar, u8), space: AddressSpace) -> TypeId {
    match (pattern, shape_of(pattern, shape)) {
        (_, Some((scalar, lanes))) => types.vector(scalar, lanes),
        (Pattern::PtrG, _) => {
            let pointee = types.vector(shape.0, shape.1);
            pointer(types, pointee, space)
        }
        (Pattern::PtrInt, _) => {
            let pointee = types.vector(Scalar::Int, shape.1);
            pointer(types, pointee, space)
        }
        (Pattern::Size, _) => types.size_t(),
        _ => Types::VOID,
    }
}

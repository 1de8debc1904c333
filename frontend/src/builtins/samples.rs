//! Arguments for which a family of builtins must have an overload: the parts that the families share.

use crate::options::{Features, Options};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};

/// A name and the arguments for which there must be an overload.
pub(super) type Sample = (String, Vec<TypeId>);

/// The scalar types that vectors are made of.
pub(super) const ELEMENTS: [Scalar; 11] = [
    Scalar::Char,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Half,
    Scalar::Float,
    Scalar::Double,
];

/// The numbers of components that values have.
pub(super) const LANES: [u8; 6] = [1, 2, 3, 4, 8, 16];

/// A pointer to an object in a space.
pub(super) fn pointer(types: &mut Types, ty: TypeId, space: AddressSpace) -> TypeId {
    types.pointer(QualType::in_space(ty, space))
}

/// Returns whether the options have a scalar type.
pub(super) fn exists(scalar: Scalar, options: &Options) -> bool {
    match scalar {
        Scalar::Double => options.has(Features::FP64),
        Scalar::Half => options.has(Features::FP16),
        Scalar::Long | Scalar::ULong => options.has(Features::INT64),
        _ => true,
    }
}

/// The address spaces of a pointer that is read through, those that can be written first.
pub(super) fn spaces(options: &Options) -> Vec<AddressSpace> {
    let mut list = vec![AddressSpace::Global, AddressSpace::Local, AddressSpace::Private];
    if options.has(Features::GENERIC_ADDRESS_SPACE) {
        list.push(AddressSpace::Generic);
    }
    list
}

/// The event type.
pub(super) fn event(types: &mut Types) -> TypeId {
    types.intern(Type::Event)
}

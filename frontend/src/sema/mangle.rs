//! The names of overloadable functions in the module: Itanium's scheme as OpenCL compilers use it
//! (address spaces as `U3AS1`, vectors as `Dv4_f`), without its abbreviations for repeated parts.

use crate::symbol::{Interner, Symbol};
use crate::types::{AddressSpace, Opaque, QualType, Scalar, Type, Types};

/// `_Z3fooDv4_fPU3AS1i` for `foo(float4, __global int *)`.
pub(super) fn mangle(types: &Types, symbols: &Interner, name: Symbol, params: &[QualType]) -> String {
    let name = symbols.text(name);
    let mut text = format!("_Z{}{name}", name.len());
    if params.is_empty() {
        text.push('v');
    }
    for param in params {
        // Qualifiers of the parameter itself are no part of the function's type.
        mangle_type(types, symbols, QualType::new(param.ty), &mut text);
    }
    text
}

/// The name inside a mangled one.
pub(super) fn demangled(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("_Z") else { return text };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = rest[..digits].parse().unwrap_or(0);
    rest.get(digits..digits + length).unwrap_or(text)
}

fn mangle_type(types: &Types, symbols: &Interner, ty: QualType, text: &mut String) {
    let space = match ty.space {
        AddressSpace::Private => "",
        AddressSpace::Global => "U3AS1",
        AddressSpace::Constant => "U3AS2",
        AddressSpace::Local => "U3AS3",
        AddressSpace::Generic => "U3AS4",
    };
    text.push_str(space);
    for (set, letter) in [(ty.is_restrict, 'r'), (ty.is_volatile, 'V'), (ty.is_const, 'K')] {
        if set {
            text.push(letter);
        }
    }
    match types.get(ty.ty) {
        Type::Void | Type::Error => text.push('v'),
        Type::Scalar(s) => text.push_str(scalar_code(*s)),
        Type::Vector(s, n) => {
            text.push_str(&format!("Dv{n}_{}", scalar_code(*s)));
        }
        Type::Pointer(pointee) => {
            text.push('P');
            mangle_type(types, symbols, *pointee, text);
        }
        Type::Reference(referred, rvalue) => {
            text.push(if *rvalue { 'O' } else { 'R' });
            mangle_type(types, symbols, *referred, text);
        }
        Type::Array(element, len) => {
            text.push_str(&format!("A{}_", len.unwrap_or(0)));
            let element = QualType { space: AddressSpace::Private, ..*element };
            mangle_type(types, symbols, element, text);
        }
        Type::Record(id) => tag_name(symbols, types.record(*id).tag, id.0, text),
        Type::Enum(id) => {
            tag_name(symbols, types.enums.get(id.0 as usize).and_then(|e| e.tag), id.0, text);
        }
        Type::Function(_) => text.push_str("FvvE"),
        Type::Atomic(s) => {
            text.push_str("U7_Atomic");
            text.push_str(scalar_code(*s));
        }
        Type::Event => text.push_str("9ocl_event"),
        Type::Sampler => text.push_str("11ocl_sampler"),
        Type::Opaque(Opaque::ReserveId) => text.push_str("13ocl_reserveid"),
        Type::Opaque(Opaque::Queue) => text.push_str("9ocl_queue"),
        Type::Opaque(Opaque::ClkEvent) => text.push_str("12ocl_clkevent"),
        Type::Opaque(Opaque::NdRange) => text.push_str("9ndrange_t"),
        Type::Block(_) => text.push_str("U13block_pointerFvvE"),
        Type::Pipe(..) => text.push_str("8ocl_pipe"),
        Type::Image(name, _) => {
            let name = format!("ocl_{name}");
            text.push_str(&format!("{}{name}", name.len()));
        }
    }
}

fn tag_name(symbols: &Interner, tag: Option<Symbol>, number: u32, text: &mut String) {
    let name = tag.map_or_else(|| format!("unnamed{number}"), |t| symbols.text(t).to_owned());
    text.push_str(&format!("{}{name}", name.len()));
}

fn scalar_code(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b",
        Scalar::Char => "c",
        Scalar::UChar => "h",
        Scalar::Short => "s",
        Scalar::UShort => "t",
        Scalar::Int => "i",
        Scalar::UInt => "j",
        Scalar::Long => "l",
        Scalar::ULong => "m",
        Scalar::Half => "Dh",
        Scalar::Float => "f",
        Scalar::Double => "d",
    }
}

//! Types as text, for diagnostics and for clGetKernelArgInfo.

use crate::symbol::Interner;
use crate::types::{AddressSpace, FunctionType, ImageAccess, QualType, Type, TypeId, Types};

/// A type as diagnostics show it, clang's way: `__global float4 *`. The space of the type itself is shown unless it is private.
pub fn type_text(types: &Types, symbols: &Interner, ty: QualType) -> String {
    let mut declarator = String::new();
    let mut current = ty;
    // Iterates from the outermost type inwards, building the declarator around the (absent) name.
    let mut last_was_pointer = false;
    loop {
        match types.get(current.ty) {
            Type::Pointer(pointee) => {
                let mut star = String::from("*");
                push_qualifiers(&mut star, current);
                if star.len() > 1 && declarator.starts_with('*') {
                    star.push(' ');
                }
                declarator.insert_str(0, &star);
                last_was_pointer = true;
                current = *pointee;
            }
            Type::Reference(referred, rvalue) => {
                declarator.insert_str(0, if *rvalue { "&&" } else { "&" });
                last_was_pointer = true;
                current = *referred;
            }
            Type::Array(element, len) => {
                if last_was_pointer {
                    declarator = format!("({declarator})");
                }
                last_was_pointer = false;
                match len {
                    Some(len) => declarator.push_str(&format!("[{len}]")),
                    None => declarator.push_str("[]"),
                }
                current = QualType { is_const: current.is_const || element.is_const, ..*element };
            }
            Type::Block(function) => {
                let mut caret = String::from("^");
                push_qualifiers(&mut caret, current);
                declarator.insert_str(0, &caret);
                last_was_pointer = true;
                current = QualType::new(*function);
            }
            Type::Function(function) => {
                if last_was_pointer {
                    declarator = format!("({declarator})");
                }
                last_was_pointer = false;
                declarator.push_str(&parameters_text(types, symbols, function));
                current = QualType::new(function.ret);
            }
            _ => break,
        }
    }
    let mut text = String::new();
    push_qualifiers(&mut text, current);
    let base = base_text(types, symbols, current.ty);
    let base = if text.is_empty() { base } else { format!("{} {base}", text.trim_start()) };
    match declarator.chars().next() {
        None => base,
        Some('[') => format!("{base}{declarator}"),
        Some(_) => format!("{base} {declarator}"),
    }
}

fn parameters_text(types: &Types, symbols: &Interner, function: &FunctionType) -> String {
    let mut params: Vec<String> =
        function.params.iter().map(|p| type_text(types, symbols, QualType::new(*p))).collect();
    if function.variadic {
        params.push("...".to_owned());
    }
    if params.is_empty() && !function.no_prototype {
        params.push("void".to_owned());
    }
    format!("({})", params.join(", "))
}

/// Space and qualifiers, separated by spaces; nothing for an unqualified private type.
fn push_qualifiers(text: &mut String, ty: QualType) {
    let mut words = Vec::new();
    if ty.space != AddressSpace::Private {
        words.push(ty.space.name());
    }
    for (set, word) in [(ty.is_const, "const"), (ty.is_volatile, "volatile"), (ty.is_restrict, "restrict")] {
        if set {
            words.push(word);
        }
    }
    text.push_str(&words.join(" "));
}

/// A type that is neither pointer, array nor function.
fn base_text(types: &Types, symbols: &Interner, ty: TypeId) -> String {
    let tagged = |keyword: &str, tag: Option<crate::symbol::Symbol>| match tag {
        Some(tag) => format!("{keyword} {}", symbols.text(tag)),
        None => format!("{keyword} (unnamed)"),
    };
    match types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Scalar(s) => s.name().to_owned(),
        Type::Vector(s, n) => format!("{}{n}", s.name()),
        Type::Record(id) => {
            let record = types.record(*id);
            tagged(if record.is_union { "union" } else { "struct" }, record.tag)
        }
        Type::Enum(id) => tagged("enum", types.enums.get(id.0 as usize).and_then(|e| e.tag)),
        Type::Atomic(s) => format!("atomic_{}", s.name()),
        Type::Event => "event_t".to_owned(),
        Type::Sampler => "sampler_t".to_owned(),
        Type::Opaque(opaque) => opaque.name().to_owned(),
        Type::Pipe(packet, access) => {
            let access = if *access == ImageAccess::WriteOnly { "__write_only" } else { "__read_only" };
            format!("{access} pipe {}", base_text(types, symbols, *packet))
        }
        Type::Image(name, access) => {
            let access = match access {
                ImageAccess::ReadOnly => "__read_only",
                ImageAccess::WriteOnly => "__write_only",
                ImageAccess::ReadWrite => "__read_write",
            };
            format!("{access} {name}")
        }
        Type::Error => "<error>".to_owned(),
        Type::Pointer(_) | Type::Reference(..) | Type::Array(..) | Type::Function(_) | Type::Block(_) => {
            String::new()
        }
    }
}

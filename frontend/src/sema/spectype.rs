//! From the words of a declaration to its type (C99 §6.7.2; OpenCL C §6.3, §6.7): whether they go together, what qualifies
//! it, whether the device has it.

use super::context::Sema;
use super::declspec::*;
use super::parameter::Retype;
use crate::builtins::image::ImageType;
use crate::options::{Features, Optional};
use crate::source::Span;
use crate::types::{AddressSpace, ImageAccess, QualType, Scalar, Type, TypeId, Types};

impl Sema<'_> {
    pub(super) fn finish_specs(
        &mut self,
        words: TypeWords,
        qualifiers: Qualifiers,
        access: Option<(ImageAccess, Span)>,
        specs: &mut DeclSpecs,
    ) {
        specs.cxx.no_type = self.cxx.enabled && !words.any && !specs.is_empty;
        let base = self.base_type(&words, specs);
        specs.written = match &words.written {
            Some(written) => written.clone(),
            None => self.type_id_text(base.ty),
        };
        let mut ty = PartialType {
            ty: base.ty,
            space: (base.space != AddressSpace::Private).then_some(base.space),
            is_const: base.is_const,
            is_volatile: base.is_volatile,
            is_restrict: base.is_restrict,
            aligned: base.aligned,
        };
        if words.check {
            self.check_available(ty.ty, specs.span);
        }
        if let Some(span) = words.pipe {
            ty = self.pipe_of(ty, access.map(|(access, _)| access), span);
        } else if let Some((access, span)) = access {
            ty.ty = self.with_access(ty.ty, access, span, words.typedef_at);
        }
        specs.sized_by_host = match words.typedef_at {
            Some(at) => self.typedefs_sized_by_host.contains(&at),
            None => matches!(specs.written.as_str(), "size_t" | "ptrdiff_t" | "intptr_t" | "uintptr_t"),
        };
        specs.space_span = qualifiers.space.map(|(_, span)| span);
        specs.ty = self.qualify(ty, qualifiers, specs.span, words.typedef_at);
        if let Some(retype) = specs.attributes.retype.take() {
            specs.ty.ty = self.retyped(specs.ty.ty, retype);
            specs.ty.aligned = None;
        }
    }

    /// The type with an access qualifier beside it (§6.6).
    fn with_access(
        &mut self,
        ty: TypeId,
        access: ImageAccess,
        span: Span,
        typedef_at: Option<Span>,
    ) -> TypeId {
        let (before, qualified) = match *self.types.get(ty) {
            Type::Image(name, before) => {
                self.check_read_write(access, span);
                (before, Type::Image(name, access))
            }
            Type::Pipe(packet, before) if access != ImageAccess::ReadWrite => {
                (before, Type::Pipe(packet, access))
            }
            Type::Pipe(..) => {
                self.read_write_pipe(span);
                return Types::ERROR;
            }
            Type::Error => return ty,
            _ => {
                let message = "access qualifiers can only be used on images and pipes";
                self.error("invalid-access-qualifier", span, message);
                return ty;
            }
        };
        // A typedef's own; read_only is what it has without one, too.
        if before != ImageAccess::ReadOnly && before != access {
            let message = "a type can have only one access qualifier, and the typedef has one";
            let diagnostic = self.error("multiple-access-qualifiers", span, message);
            if let Some(at) = typedef_at {
                diagnostic.note(at, "the typedef is here");
            }
        }
        self.types.intern(qualified)
    }

    fn read_write_pipe(&mut self, span: Span) {
        self.error("invalid-access-qualifier", span, "a pipe cannot be 'read_write'")
            .remark("a kernel cannot read from and write to the same pipe");
    }

    /// The type of pipes with packets of a type (§6.15.18).
    fn pipe_of(&mut self, packet: PartialType, access: Option<ImageAccess>, span: Span) -> PartialType {
        let none = super::declarator::error_type();
        if packet.ty == Types::ERROR {
            return none;
        }
        // Numbers, or user-defined types of them.
        if !self.is_packet(packet.ty) {
            let message = format!(
                "'{}' cannot be the type of a pipe's packets: they are numbers, vectors and structures of them",
                self.type_id_text(packet.ty)
            );
            self.error("invalid-pipe", span, message);
            return none;
        }
        let access = match access {
            Some(ImageAccess::ReadWrite) => {
                self.read_write_pipe(span);
                return none;
            }
            // "If no qualifier is specified, read_only is assumed."
            other => other.unwrap_or(ImageAccess::ReadOnly),
        };
        PartialType { ty: self.types.intern(Type::Pipe(packet.ty, access)), ..none }
    }

    /// Returns whether objects of the type can be packets of pipes; a structure must be complete.
    fn is_packet(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Scalar(scalar) => *scalar != Scalar::Bool,
            Type::Vector(..) | Type::Enum(_) => true,
            Type::Array(element, Some(_)) => self.is_packet(element.ty),
            Type::Record(id) => match &self.types.record(*id).fields {
                Some(fields) => fields.iter().all(|f| f.ty.ty == Types::ERROR || self.is_packet(f.ty.ty)),
                None => false,
            },
            _ => false,
        }
    }

    /// Adds qualifiers to a type, with the rules on how they combine.
    /// `typedef_at`: where the typedef that `ty` comes from was declared.
    pub(super) fn qualify(
        &mut self,
        ty: PartialType,
        q: Qualifiers,
        span: Span,
        typedef_at: Option<Span>,
    ) -> PartialType {
        let mut space = ty.space;
        if let Some((new, at)) = q.space {
            match space {
                Some(before) if before != new => {
                    let message = format!(
                        "multiple address spaces specified for one type: {} (in the typedef) and {}",
                        before.name(),
                        new.name()
                    );
                    let diagnostic = self.error("multiple-address-spaces", at, message);
                    if let Some(typedef_at) = typedef_at {
                        diagnostic.note(typedef_at, format!("the typedef to {} is here", before.name()));
                    }
                }
                _ => space = Some(new),
            }
        }
        let mut is_restrict = q.is_restrict;
        if is_restrict && !matches!(self.types.get(ty.ty), Type::Pointer(_) | Type::Error) {
            let message = format!("restrict requires a pointer ('{}' is none)", self.type_id_text(ty.ty));
            self.error("invalid-restrict", span, message);
            is_restrict = false;
        }
        let object = QualType {
            ty: ty.ty,
            space: AddressSpace::Private,
            is_const: ty.is_const,
            is_volatile: ty.is_volatile,
            is_restrict: ty.is_restrict,
            aligned: ty.aligned,
        };
        let object = self.with_qualifiers(object, q.is_const, q.is_volatile, is_restrict);
        PartialType {
            ty: object.ty,
            space,
            is_const: object.is_const,
            is_volatile: object.is_volatile,
            is_restrict: object.is_restrict,
            aligned: object.aligned,
        }
    }

    /// The type that the words make together (C99 §6.7.2, 2).
    fn base_type(&mut self, words: &TypeWords, specs: &DeclSpecs) -> QualType {
        if words.invalid {
            return QualType::new(Types::ERROR);
        }
        if let Some(ty) = words.other {
            return ty;
        }
        let integer_words = words.signed || words.unsigned || words.short || words.long > 0 || words.int;
        let scalar = match words.base {
            _ if words.void && (integer_words || words.base.is_some()) => None,
            _ if words.void => return QualType::new(Types::VOID),
            Some(Scalar::Char) if !(words.short || words.long > 0 || words.int) => {
                Some(if words.unsigned { Scalar::UChar } else { Scalar::Char })
            }
            Some(Scalar::Double) if words.long == 1 && !words.signed && !words.unsigned => {
                self.error("long-double", specs.span, "OpenCL C has no type 'long double'");
                return QualType::new(Types::ERROR);
            }
            Some(scalar) if !integer_words => Some(scalar),
            Some(_) => None,
            None if words.short => Some(if words.unsigned { Scalar::UShort } else { Scalar::Short }),
            None if words.long == 2 => {
                let message = "OpenCL C has no type 'long long'; it is taken as 'long', which has 64 bits";
                self.warning("long-long", specs.span, message);
                Some(if words.unsigned { Scalar::ULong } else { Scalar::Long })
            }
            None if words.long > 0 => Some(if words.unsigned { Scalar::ULong } else { Scalar::Long }),
            None if integer_words => Some(if words.unsigned { Scalar::UInt } else { Scalar::Int }),
            None => {
                if words.any || specs.is_empty {
                    return QualType::new(Types::ERROR);
                }
                // Not C99's (§6.7.2, 2), but programs live from what compilers take: `__kernel void f(__global *p)`.
                let message = "a type specifier is missing; 'int' is assumed";
                if !specs.cxx.no_type {
                    self.warning("missing-type", specs.span, message);
                }
                Some(Scalar::Int)
            }
        };
        match scalar {
            Some(scalar) => QualType::new(Types::scalar(scalar)),
            None => {
                let message = "these type specifiers cannot be combined";
                self.error("invalid-type-combination", specs.span, message);
                QualType::new(Types::ERROR)
            }
        }
    }

    /// Reports a type that the device lacks, naming the extension (§6.3.1, §6.3.2).
    fn check_available(&mut self, ty: TypeId, span: Span) {
        let Some((scalar, lanes)) = self.types.scalar_and_lanes(ty) else {
            // Samplers are accepted everywhere: sources that work on buffers pass them about, too. Without images nothing
            // reads them.
            let &Type::Image(name, _) = self.types.get(ty) else { return };
            let needs = ImageType::find(name).map_or(Features::empty(), |image| image.needs);
            let lacking = needs.difference(self.options.features.in_version(self.options.std));
            let what = if !self.options.features.contains(Features::IMAGES) {
                "image support (__opencl_c_images), which this device lacks".to_owned()
            } else if !lacking.is_empty() {
                let name = Optional::name_of(lacking, self.options.std);
                format!("{name}, which this device does not support")
            } else {
                return;
            };
            let message = format!("type '{}' needs {what}", self.type_id_text(ty));
            self.error("missing-extension", span, message);
            return;
        };
        let (feature, name) = match scalar {
            Scalar::Double => (Features::FP64, "cl_khr_fp64 (__opencl_c_fp64)"),
            // A scalar half may be pointed to without the extension (§6.3.1): see `check_object_type`.
            Scalar::Half if lanes > 1 => (Features::FP16, "cl_khr_fp16"),
            Scalar::Long | Scalar::ULong => (Features::INT64, "__opencl_c_int64"),
            _ => return,
        };
        if !self.options.features.contains(feature) {
            let message =
                format!("type '{}' needs {name}, which this device does not support", self.type_id_text(ty));
            self.error("missing-extension", span, message);
        }
    }

    /// The type that an attribute makes of a scalar one.
    pub(super) fn retyped(&mut self, ty: TypeId, (retype, span): (Retype, Span)) -> TypeId {
        let scalar = match *self.types.get(ty) {
            Type::Scalar(scalar) if scalar != Scalar::Bool => scalar,
            Type::Error => return ty,
            _ => {
                let message =
                    format!("there is no vector of '{}', nor another mode of it", self.type_id_text(ty));
                self.error("attribute-argument", span, message);
                return Types::ERROR;
            }
        };
        let lanes = match retype {
            Retype::Lanes(lanes) => Some(lanes),
            Retype::Bytes(bytes) => bytes.is_multiple_of(scalar.size()).then(|| bytes / scalar.size()),
            Retype::Mode { bytes, float } => {
                let to = match (float, bytes) {
                    (true, 2) => Scalar::Half,
                    (true, 4) => Scalar::Float,
                    (true, _) => Scalar::Double,
                    (false, bytes) if scalar.is_signed() => Scalar::signed_of_size(bytes),
                    (false, bytes) => Scalar::unsigned_of_size(bytes),
                };
                if float != scalar.is_float() {
                    let message = format!("no mode makes '{}' of '{}'", to.name(), scalar.name());
                    self.error("attribute-argument", span, message);
                    return Types::ERROR;
                }
                self.check_available(Types::scalar(to), span);
                return Types::scalar(to);
            }
        };
        match (lanes, retype) {
            (Some(lanes @ (2 | 3 | 4 | 8 | 16)), _) => self.types.vector(scalar, lanes as u8),
            (Some(1), Retype::Bytes(_)) => ty,
            (lanes, _) => {
                let count = lanes.map_or("that size in bytes of".to_owned(), |n| n.to_string());
                let message = format!("there is no vector of {count} '{}'", scalar.name());
                self.error("attribute-argument", span, message);
                Types::ERROR
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::options::{Features, LangVersion, Options};

    /// Depth images come with images from OpenCL 2.0 on, and by an extension before; those with several samples by one.
    #[test]
    fn images_that_a_device_lacks() {
        let errors = |ty: &str, std: LangVersion, features: Features| {
            let options = Options { std, features, ..Options::default() };
            let compiled = crate::compile("a.cl", &format!("kernel void k(read_only {ty} i) {{}}"), &options);
            compiled.diagnostics.iter().map(|d| d.message.clone()).collect::<Vec<_>>()
        };
        let images = Features::IMAGES;
        let none: [String; 0] = [];
        assert_eq!(errors("image2d_t", LangVersion::Cl1_2, images), none);
        assert_eq!(errors("image2d_depth_t", LangVersion::Cl3_0, images), none);
        assert!(errors("image2d_depth_t", LangVersion::Cl1_2, images)[0].contains("cl_khr_depth_images"));
        assert_eq!(errors("image2d_depth_t", LangVersion::Cl1_2, images | Features::DEPTH_IMAGES), none);
        assert!(errors("image2d_msaa_t", LangVersion::Cl3_0, images)[0].contains("cl_khr_gl_msaa_sharing"));
        assert!(errors("image2d_t", LangVersion::Cl3_0, Features::empty())[0].contains("__opencl_c_images"));
    }
}

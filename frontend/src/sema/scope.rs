//! Names: ordinary identifiers, tags, members; the predeclared types; objects that names stand for; and
//! what was probably meant by a name that nothing has.

use super::context::{Name, Scope, Sema, Tag};
use super::refused::Refused;
use crate::builtins::image::IMAGE_TYPES;
use crate::diag::{Diagnostic, edit_distance};
use crate::hir::{Constant, FunctionId, Global, GlobalId, Linkage, Local, LocalId};
use crate::options::{AddressWidth, Features, LangVersion};
use crate::preprocess::predefined_names;
use crate::source::Span;
use crate::symbol::{MacroName, Symbol, kw};
use crate::types::{
    AddressSpace, FunctionType, ImageAccess, Opaque, QualType, RecordId, Scalar, Type, TypeId, Types,
};

/// The scalars that vectors are made of, by the name that takes a number of components.
const VECTORS: &[(Scalar, [(&str, u8); 5])] = &[
    (Scalar::Char, [("char2", 2), ("char3", 3), ("char4", 4), ("char8", 8), ("char16", 16)]),
    (Scalar::UChar, [("uchar2", 2), ("uchar3", 3), ("uchar4", 4), ("uchar8", 8), ("uchar16", 16)]),
    (Scalar::Short, [("short2", 2), ("short3", 3), ("short4", 4), ("short8", 8), ("short16", 16)]),
    (Scalar::UShort, [("ushort2", 2), ("ushort3", 3), ("ushort4", 4), ("ushort8", 8), ("ushort16", 16)]),
    (Scalar::Int, [("int2", 2), ("int3", 3), ("int4", 4), ("int8", 8), ("int16", 16)]),
    (Scalar::UInt, [("uint2", 2), ("uint3", 3), ("uint4", 4), ("uint8", 8), ("uint16", 16)]),
    (Scalar::Long, [("long2", 2), ("long3", 3), ("long4", 4), ("long8", 8), ("long16", 16)]),
    (Scalar::ULong, [("ulong2", 2), ("ulong3", 3), ("ulong4", 4), ("ulong8", 8), ("ulong16", 16)]),
    (Scalar::Half, [("half2", 2), ("half3", 3), ("half4", 4), ("half8", 8), ("half16", 16)]),
    (Scalar::Float, [("float2", 2), ("float3", 3), ("float4", 4), ("float8", 8), ("float16", 16)]),
    (Scalar::Double, [("double2", 2), ("double3", 3), ("double4", 4), ("double8", 8), ("double16", 16)]),
];

impl Sema<'_> {
    /// Fills `scopes[0]` with the type names that are no keywords (§6.3.1–§6.3.3).
    pub(super) fn declare_predefined_types(&mut self) {
        let mut list: Vec<(&'static str, TypeId)> = Vec::with_capacity(96);
        for (scalar, names) in VECTORS {
            for (name, lanes) in names {
                list.push((name, self.types.vector(*scalar, *lanes)));
            }
        }
        for scalar in [Scalar::UChar, Scalar::UShort, Scalar::UInt, Scalar::ULong] {
            list.push((scalar.name(), Types::scalar(scalar)));
        }
        let (size_t, ptrdiff_t) = (self.types.size_t(), self.types.ptrdiff_t());
        list.push(("size_t", size_t));
        list.push(("uintptr_t", size_t));
        list.push(("ptrdiff_t", ptrdiff_t));
        list.push(("intptr_t", ptrdiff_t));
        list.push(("cl_mem_fence_flags", Types::UINT));
        if self.has_fp16() {
            list.push(("_Float16", Types::scalar(Scalar::Half)));
        }
        if self.options.atomics_std() >= LangVersion::Cl2_0 {
            list.push(("memory_order", Types::INT));
            list.push(("memory_scope", Types::INT));
            self.atomic_types(&mut list);
        }
        for opaque in Opaque::ALL {
            let exists = match opaque {
                Opaque::ReserveId => self.has_pipes(),
                _ => self.has_device_enqueue(),
            };
            if exists {
                list.push((opaque.name(), self.types.intern(Type::Opaque(opaque))));
            }
        }
        if self.has_device_enqueue() {
            list.push(("kernel_enqueue_flags_t", Types::INT));
            list.push(("clk_profiling_info", Types::INT));
        }
        list.push(("event_t", self.types.intern(Type::Event)));
        list.push(("sampler_t", self.types.intern(Type::Sampler)));
        for image in IMAGE_TYPES {
            // The access qualifier of a declaration replaces read_only.
            let ty = self.types.intern(Type::Image(image.name, ImageAccess::ReadOnly));
            list.push((image.name, ty));
        }
        for (name, ty) in list {
            let symbol = self.symbols.intern_static(name);
            self.scopes[0].names.insert(symbol, (Name::Typedef(QualType::new(ty)), Span::default()));
        }
    }

    /// The atomic types (§6.15.12.6); `atomic_flag` is an `atomic_int`. Those of 64 bits exist with 64-bit atomics.
    fn atomic_types(&mut self, list: &mut Vec<(&'static str, TypeId)>) {
        let address = |bits32, bits64| match self.types.address_width {
            AddressWidth::Bits32 => bits32,
            AddressWidth::Bits64 => bits64,
        };
        let (size, difference) = (address(Scalar::UInt, Scalar::ULong), address(Scalar::Int, Scalar::Long));
        let types = [
            ("atomic_int", Scalar::Int),
            ("atomic_uint", Scalar::UInt),
            ("atomic_float", Scalar::Float),
            ("atomic_half", Scalar::Half),
            ("atomic_flag", Scalar::Int),
            ("atomic_long", Scalar::Long),
            ("atomic_ulong", Scalar::ULong),
            ("atomic_double", Scalar::Double),
            ("atomic_size_t", size),
            ("atomic_uintptr_t", size),
            ("atomic_ptrdiff_t", difference),
            ("atomic_intptr_t", difference),
        ];
        let wide = self.options.features.contains(Features::INT64_ATOMICS);
        for (name, scalar) in types {
            let exists = match name {
                "atomic_double" => self.options.features.contains(Features::FP64),
                "atomic_half" => self.options.has(Features::FP16 | Features::FLOAT_ATOMICS),
                _ => true,
            };
            if (wide || scalar.size() < 8) && exists {
                list.push((name, self.types.intern(Type::Atomic(scalar))));
            }
        }
    }

    /// The meaning of an identifier, innermost scope first.
    pub(super) fn lookup(&self, symbol: Symbol) -> Option<(Name, Span)> {
        if self.cxx.enabled {
            return self.cxx_lookup(symbol);
        }
        self.scopes.iter().rev().find_map(|s| s.names.get(&symbol).copied())
    }

    /// The meaning of a tag, innermost scope first.
    pub(super) fn lookup_tag(&self, symbol: Symbol) -> Option<(Tag, Span)> {
        self.scopes.iter().rev().find_map(|s| s.tags.get(&symbol).copied())
    }

    /// The innermost scope.
    pub(super) fn scope(&mut self) -> &mut Scope {
        // In C++ declarations outside of functions are the file's, by their qualified names.
        if self.cxx.enabled && self.function.is_none() && self.scopes.len() > 2 {
            return &mut self.scopes[1];
        }
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// Returns whether declarations are the file's now.
    pub(super) fn at_file_scope(&self) -> bool {
        self.function.is_none()
    }

    /// Runs a production in a scope of its own.
    pub(super) fn in_scope<T>(&mut self, production: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        let result = production(self);
        self.scopes.pop();
        result
    }

    /// A new object of automatic storage in the current function. It gets no name in any scope.
    pub(super) fn new_local(&mut self, name: Option<Symbol>, ty: QualType, span: Span) -> LocalId {
        let Some(function) = &mut self.function else {
            self.error("local-outside-function", span, "this needs storage that only a function has");
            return LocalId(0);
        };
        function.locals.push(Local { name, ty, written_type: None, aligned: None, span });
        LocalId(function.locals.len() as u32 - 1)
    }

    /// The type of a local.
    pub(super) fn local_type(&self, id: LocalId) -> QualType {
        let local = self.function.as_ref().and_then(|f| f.locals.get(id.0 as usize));
        local.map_or(QualType::new(Types::ERROR), |l| l.ty)
    }

    /// Adds a variable that lives as long as the program (or the work-group).
    pub(super) fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// The type of a global.
    pub(super) fn global_type(&self, id: GlobalId) -> QualType {
        self.globals.get(id.0 as usize).map_or(QualType::new(Types::ERROR), |g| g.ty)
    }

    /// The object of a string literal: an array of char in the constant space (§6.7.3), the terminating
    /// null added here. Equal literals share one object.
    pub(super) fn new_string_literal(&mut self, bytes: &[u8], span: Span) -> GlobalId {
        if let Some(id) = self.strings.get(bytes) {
            return *id;
        }
        let mut element = QualType::in_space(Types::scalar(Scalar::Char), AddressSpace::Constant);
        element.is_const = true;
        let ty = self.types.intern(Type::Array(element, Some(bytes.len() as u64 + 1)));
        let values = bytes.iter().chain([&0]).map(|b| Constant::Int(i64::from(*b as i8))).collect();
        let id = self.add_global(Global {
            name: format!(".str.{}", self.strings.len()),
            ty: QualType { is_const: true, ..QualType::in_space(ty, AddressSpace::Constant) },
            init: Some(Constant::Array(values)),
            linkage: Linkage::Internal,
            aligned: None,
            span,
        });
        self.strings.insert(bytes.to_vec(), id);
        id
    }

    /// The type of a function.
    pub(super) fn function_type(&self, id: FunctionId) -> FunctionType {
        match self.function_infos.get(id.0 as usize).map(|f| self.types.get(f.ty)) {
            Some(Type::Function(ty)) => ty.clone(),
            _ => FunctionType { ret: Types::ERROR, params: Vec::new(), variadic: false, no_prototype: true },
        }
    }

    /// All functions that share the name of `first` (what [`Name::Function`] holds), `first` included.
    pub(super) fn overloads(&self, first: FunctionId) -> Vec<FunctionId> {
        self.overload_sets.get(&first).cloned().unwrap_or_else(|| vec![first])
    }

    /// Records that the current function calls `callee`: for the check against recursion, and so that the
    /// function counts as used.
    pub(super) fn note_call(&mut self, callee: FunctionId, span: Span) {
        if let Some(info) = self.function_infos.get_mut(callee.0 as usize) {
            info.called.get_or_insert(span);
        }
        if let Some(function) = self.function.as_mut().filter(|f| f.id == callee) {
            function.self_calls += 1;
        }
        let caller = self.function.as_ref().map(|f| f.id);
        if let Some(info) = caller.and_then(|c| self.function_infos.get_mut(c.0 as usize))
            && !info.calls.iter().any(|(c, _)| *c == callee)
        {
            info.calls.push((callee, span));
        }
    }

    /// `ty` as an object in `space`; the elements of an array are in the space of the array.
    pub(super) fn in_space(&mut self, ty: QualType, space: AddressSpace) -> QualType {
        let mut result = QualType { space, ..ty };
        if let Type::Array(element, len) = *self.types.get(ty.ty)
            && element.space != space
        {
            let element = self.in_space(element, space);
            result.ty = self.types.intern(Type::Array(element, len));
        }
        result
    }

    /// `ty` with further qualifiers; on an array they are the elements' (C99 §6.7.3, 8) too.
    pub(super) fn with_qualifiers(
        &mut self,
        ty: QualType,
        is_const: bool,
        is_volatile: bool,
        is_restrict: bool,
    ) -> QualType {
        let mut result = QualType {
            is_const: ty.is_const || is_const,
            is_volatile: ty.is_volatile || is_volatile,
            is_restrict: ty.is_restrict || is_restrict,
            ..ty
        };
        if let Type::Array(element, len) = *self.types.get(ty.ty) {
            let qualified = self.with_qualifiers(element, is_const, is_volatile, false);
            if qualified != element {
                result.ty = self.types.intern(Type::Array(qualified, len));
            }
            result.is_restrict = ty.is_restrict;
        }
        result
    }

    /// Returns whether the language has the generic space here (2.0, or the optional feature of 3.0).
    pub(super) fn has_generic_space(&self) -> bool {
        self.options.infer_address_spaces || self.options.has(Features::GENERIC_ADDRESS_SPACE)
    }

    /// Returns whether variables of program scope may be in the global space.
    pub(super) fn has_program_scope_globals(&self) -> bool {
        self.options.has(Features::PROGRAM_SCOPE_GLOBALS)
    }

    /// Returns whether there are pipes (§6.15.18).
    pub(super) fn has_pipes(&self) -> bool {
        self.options.has(Features::PIPES)
    }

    /// Returns whether kernels can enqueue blocks (§6.14, §6.15.19).
    pub(super) fn has_device_enqueue(&self) -> bool {
        self.options.has(Features::DEVICE_ENQUEUE)
    }

    /// Returns where a pointer points whose pointee has no space qualifier (rule A-3).
    pub(super) fn default_pointee_space(&self) -> AddressSpace {
        if self.has_generic_space() { AddressSpace::Generic } else { AddressSpace::Private }
    }

    /// The way to a member: its number, preceded by those of the anonymous members around it.
    pub(super) fn find_member(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        let fields = self.types.record(record).fields.as_ref()?;
        for (i, field) in fields.iter().enumerate() {
            if field.name == Some(name) {
                return Some(vec![i as u32]);
            }
            if field.name.is_none()
                && let Type::Record(inner) = self.types.get(field.ty.ty)
                && let Some(mut path) = self.find_member(*inner, name)
            {
                path.insert(0, i as u32);
                return Some(path);
            }
        }
        None
    }

    /// Reports an identifier that nothing declares, with what was probably meant.
    pub(super) fn unknown_name(&mut self, symbol: Symbol, span: Span) {
        let name = self.symbols.shared(symbol);
        if let Some(feature) = Refused::of_constant(&name).filter(|f| !f.is_there(self.options)) {
            self.refuse(&format!("'{name}'"), feature, span);
            return;
        }
        let guess = self.similar_name(symbol, |_| true);
        let guess = self.macro_or(guess, symbol, |_| true);
        let message = format!("use of undeclared identifier '{name}'");
        let guess = guess.or_else(|| Some((self.similar_keyword(symbol)?.to_owned(), Span::default())));
        let guess = guess.or_else(|| Some((similar_predefined(&name)?.to_owned(), Span::default())));
        let itself = self.symbols.macros.iter().find(|m| m.name == symbol && m.has_parameters).map(|m| m.at);
        let diagnostic = self.error("undeclared-identifier", span, message);
        match itself {
            Some(at) => {
                diagnostic
                    .note(at, format!("the macro '{name}' has parameters: it is replaced where '(' follows"));
            }
            None => add_guess(diagnostic, span, guess),
        }
    }

    /// A macro that the source defines, that `accept` takes and whose name is nearer to `symbol` than the guess
    /// so far; else that guess.
    pub(super) fn macro_or(
        &self,
        guess: Option<(String, Span)>,
        symbol: Symbol,
        accept: impl Fn(&MacroName) -> bool,
    ) -> Option<(String, Span)> {
        let wanted = self.symbols.text(symbol);
        let near = |m: &MacroName| {
            let text = self.symbols.text(m.name);
            Some((edit_distance(wanted, text)?, text, m.at))
        };
        let macros = self.symbols.macros.iter().filter(|m| accept(m));
        let nearest = macros.filter_map(near).min_by_key(|(distance, text, _)| (*distance, *text));
        let so_far = guess.as_ref().and_then(|(text, _)| edit_distance(wanted, text));
        match nearest {
            Some((distance, text, at)) if so_far.is_none_or(|d| distance < d) => Some((text.to_owned(), at)),
            _ => guess,
        }
    }

    /// A declared name that is spelt almost like `symbol` and that `accept` takes, with its place (the
    /// default span for predeclared ones).
    pub(super) fn similar_name(
        &self,
        symbol: Symbol,
        accept: impl Fn(&Name) -> bool,
    ) -> Option<(String, Span)> {
        let wanted = self.symbols.text(symbol);
        let mut best: Option<(usize, &str, Span)> = None;
        for scope in self.scopes.iter().rev() {
            for (candidate, (name, span)) in &scope.names {
                let text = self.symbols.text(*candidate);
                let Some(distance) = edit_distance(wanted, text) else { continue };
                // Ties go to the first by spelling: the map's own order must not show.
                let better = best.is_none_or(|(d, t, _)| (distance, text) < (d, t));
                if better && accept(name) {
                    best = Some((distance, text, *span));
                }
            }
        }
        best.map(|(_, text, span)| (text.to_owned(), span))
    }

    /// A keyword spelt almost like `symbol` (`retrun`).
    pub(super) fn similar_keyword(&self, symbol: Symbol) -> Option<&'static str> {
        let wanted = self.symbols.text(symbol);
        let candidates = kw::ALL.iter().enumerate().filter(|(i, _)| self.is_keyword(Symbol(*i as u32)));
        candidates.filter_map(|(_, k)| Some((edit_distance(wanted, k)?, *k))).min().map(|(_, k)| k)
    }
}

/// A predefined macro spelt almost like `name` (`CLK_LOCL_MEM_FENCE`).
fn similar_predefined(name: &str) -> Option<&'static str> {
    predefined_names().filter_map(|n| Some((edit_distance(name, n)?, n))).min().map(|(_, n)| n)
}

/// Adds "did you mean" to a diagnostic of the name at `at`.
pub(super) fn add_guess(diagnostic: &mut Diagnostic, at: Span, guess: Option<(String, Span)>) {
    if let Some((text, span)) = guess {
        diagnostic.did_you_mean(at, &text, (span != Span::default()).then_some(span));
    }
}

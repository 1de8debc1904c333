//! Writing the linked module: ids renumbered, equal declarations merged.

use super::module::{Annotation, Function, Input, is_left_out, is_type};
use super::operands::for_each_id;
use super::symbols::{Place, Symbols};
use super::{LinkError, LinkOptions, SymbolError};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::spirv::{Capability, Decoration, ExecutionMode, LinkageType, Op, StorageClass};
use spirv_io::{Builder, Instruction, Section};

/// Words that no key of an instruction starts with.
const FORWARD_KEY: u32 = u32::MAX;
const BUILTIN_KEY: u32 = u32::MAX - 1;

/// Nesting and length of a forward-declared pointer's description; what is larger is not merged.
const MAX_SHAPE_DEPTH: usize = 32;
const MAX_SHAPE_WORDS: usize = 4096;

/// The position of a global in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// The variables and functions that a function uses, by their new ids.
#[derive(Debug, Default)]
struct Uses {
    variables: FxHashSet<u32>,
    calls: FxHashSet<u32>,
    /// Its own module asks that a*b+c is not contracted in it.
    contraction_off: bool,
}

/// The linked module under construction.
pub(super) struct Merger<'m, 'a> {
    inputs: &'m [Input<'a>],
    symbols: &'m Symbols,
    options: LinkOptions,
    version: (u8, u8),
    b: Builder,
    /// New ids by old ones, for each module.
    maps: Vec<FxHashMap<u32, u32>>,
    /// Types and constants by what they say.
    unique: FxHashMap<Vec<u32>, u32>,
    visits: Vec<Vec<Visit>>,
    /// The forward-declared pointer types: old ids by module, and the new ones with whether they are defined.
    forward: Vec<FxHashSet<u32>>,
    forward_done: FxHashMap<u32, bool>,
    /// Module-scope variables and their storage classes, by new id.
    variables: FxHashMap<u32, u32>,
    uses: FxHashMap<u32, Uses>,
    /// Imports of arrays of no declared length: pointers to the first element of their owners.
    elements: FxHashSet<Place>,
}

impl<'m, 'a> Merger<'m, 'a> {
    /// Starts a module of the highest version among the inputs.
    pub fn new(
        inputs: &'m [Input<'a>],
        symbols: &'m Symbols,
        options: LinkOptions,
    ) -> Result<Self, LinkError> {
        let Some(version) = inputs.iter().map(|i| i.version).max() else {
            return Err(LinkError::Incompatible("there is none".to_owned()));
        };
        Ok(Merger {
            inputs,
            symbols,
            options,
            version,
            b: Builder::new(version.0, version.1),
            maps: vec![FxHashMap::default(); inputs.len()],
            unique: FxHashMap::default(),
            visits: inputs.iter().map(|i| vec![Visit::New; i.globals.len()]).collect(),
            forward: vec![FxHashSet::default(); inputs.len()],
            forward_done: FxHashMap::default(),
            variables: FxHashMap::default(),
            uses: FxHashMap::default(),
            elements: symbols
                .aliases
                .iter()
                .filter(|(a, o)| is_element(inputs, **a, **o))
                .map(|(a, _)| *a)
                .collect(),
        })
    }

    /// Writes everything.
    pub fn run(mut self) -> Result<Vec<u32>, LinkError> {
        self.header()?;
        self.symbol_ids();
        self.debug_strings()?;
        self.forward_pointers()?;
        for module in 0..self.inputs.len() {
            for index in 0..self.inputs[module].globals.len() {
                self.visit(module, index)?;
            }
        }
        self.check_types()?;
        self.debug_info()?;
        for (module, input) in self.inputs.iter().enumerate() {
            for function in &input.functions {
                self.function(module, function)?;
            }
        }
        self.entry_points()?;
        self.names();
        let linkage = self.annotations();
        self.capabilities(linkage);
        Ok(self.b.finish())
    }

    fn map(&mut self, module: usize, id: u32) -> u32 {
        *self.maps[module].entry(id).or_insert_with(|| self.b.id().0)
    }

    /// The operands of an instruction with the new ids.
    fn rewrite(&mut self, module: usize, inst: &Instruction<'_>) -> Result<Vec<u32>, LinkError> {
        let mut words = inst.operands.to_vec();
        for_each_id(inst, &self.inputs[module], |index| {
            words[index] = self.map(module, words[index]);
        })?;
        Ok(words)
    }

    // ---- before the globals ----

    fn header(&mut self) -> Result<(), LinkError> {
        let models: Vec<_> = self.inputs.iter().map(|i| i.memory_model).collect();
        let Some(&Some((addressing, memory))) = models.first() else {
            return Err(LinkError::Invalid("a module has no memory model".to_owned()));
        };
        if models.iter().any(|m| *m != models[0]) {
            let message = "they differ in their addressing or memory model (32 and 64 bits)";
            return Err(LinkError::Incompatible(message.to_owned()));
        }
        self.b.push(Section::MemoryModel, Op::MemoryModel, &[addressing, memory]);
        for (module, input) in self.inputs.iter().enumerate() {
            for extension in &input.extensions {
                self.b.extension(extension);
            }
            for id in &input.set_list {
                let Some(name) = input.sets.get(id).filter(|s| !is_left_out(s)) else { continue };
                if name.len() > 1000 {
                    return Err(LinkError::Unsupported("an instruction set with such a name".to_owned()));
                }
                let new = self.b.import(name);
                self.maps[module].insert(*id, new.0);
            }
        }
        Ok(())
    }

    /// Imports take the ids of their definitions.
    fn symbol_ids(&mut self) {
        for (module, id) in &self.symbols.owners {
            self.map(*module, *id);
        }
        for (alias @ (module, id), (owner_module, owner)) in &self.symbols.aliases {
            if self.elements.contains(alias) {
                continue;
            }
            let new = self.map(*owner_module, *owner);
            self.maps[*module].insert(*id, new);
        }
    }

    fn debug_strings(&mut self) -> Result<(), LinkError> {
        let inputs = self.inputs;
        let mut strings: FxHashMap<&[u32], u32> = FxHashMap::default();
        for (module, input) in inputs.iter().enumerate() {
            for inst in &input.debug {
                let mut words = inst.operands.to_vec();
                match inst.op {
                    Op::String => {
                        let (id, text) = (inst.word(0)?, inst.rest(1));
                        if let Some(known) = strings.get(text) {
                            self.maps[module].insert(id, *known);
                            continue;
                        }
                        words[0] = self.map(module, id);
                        strings.insert(text, words[0]);
                    }
                    Op::Source => {
                        if let Some(file) = words.get_mut(2) {
                            *file = self.map(module, *file);
                        }
                    }
                    _ => {}
                }
                self.b.push(Section::DebugStrings, inst.op, &words);
            }
        }
        Ok(())
    }

    /// Debug information as it is: it refers to strings, types, constants and variables, which are all there.
    fn debug_info(&mut self) -> Result<(), LinkError> {
        let inputs = self.inputs;
        for (module, input) in inputs.iter().enumerate() {
            for inst in &input.debug_info {
                let words = self.rewrite(module, inst)?;
                self.b.push(Section::NonSemantic, inst.op, &words);
            }
        }
        Ok(())
    }

    /// Gives every forward-declared pointer its id; those that describe the same types get the same one.
    fn forward_pointers(&mut self) -> Result<(), LinkError> {
        let inputs = self.inputs;
        for (module, input) in inputs.iter().enumerate() {
            for inst in input.globals.iter().filter(|i| i.op == Op::TypeForwardPointer) {
                let (id, class) = (inst.word(0)?, inst.word(1)?);
                let mut key = vec![FORWARD_KEY, class];
                let shaped = shape(input, id, &mut Vec::new(), &mut key)?;
                let known = if shaped { self.unique.get(&key).copied() } else { None };
                let new = match known {
                    Some(known) => {
                        self.maps[module].insert(id, known);
                        known
                    }
                    None => self.map(module, id),
                };
                if shaped {
                    self.unique.insert(key, new);
                }
                self.forward[module].insert(id);
                if self.forward_done.insert(new, false).is_none() {
                    self.b.push(Section::Globals, Op::TypeForwardPointer, &[new, class]);
                }
            }
        }
        Ok(())
    }

    // ---- types, constants, variables ----

    /// Writes a global after those it needs, which may be of other modules.
    fn visit(&mut self, module: usize, index: usize) -> Result<(), LinkError> {
        let inputs = self.inputs;
        let mut stack = vec![(module, index)];
        while let Some(&(module, index)) = stack.last() {
            let inst = &inputs[module].globals[index];
            match self.visits[module][index] {
                Visit::Done => drop(stack.pop()),
                Visit::Open => {
                    self.global(module, inst)?;
                    self.visits[module][index] = Visit::Done;
                    stack.pop();
                }
                Visit::New => {
                    self.visits[module][index] = Visit::Open;
                    self.push_needed(module, inst, &mut stack)?;
                }
            }
        }
        Ok(())
    }

    fn push_needed(
        &self,
        module: usize,
        inst: &Instruction<'_>,
        stack: &mut Vec<(usize, usize)>,
    ) -> Result<(), LinkError> {
        let result = result_index(inst.op);
        let mut cycle = false;
        let mut need = |(module, id): Place| {
            if self.forward[module].contains(&id) {
                return;
            }
            let Some(at) = self.inputs[module].global_at.get(&id) else { return };
            match self.visits[module][*at] {
                Visit::New => stack.push((module, *at)),
                Visit::Open => cycle = true,
                Visit::Done => {}
            }
        };
        for_each_id(inst, &self.inputs[module], |index| {
            let place = (module, inst.operands[index]);
            match self.symbols.aliases.get(&place) {
                Some(owner) if index == result => need(*owner),
                _ if index == result => {}
                Some(owner) if !self.elements.contains(&place) => need(*owner),
                _ => need(place),
            }
        })?;
        if cycle {
            let message = "types, constants or initialisers of variables refer to each other in a circle";
            return Err(LinkError::Incompatible(message.to_owned()));
        }
        Ok(())
    }

    fn global(&mut self, module: usize, inst: &Instruction<'_>) -> Result<(), LinkError> {
        let inputs = self.inputs;
        let input = &inputs[module];
        let result = result_index(inst.op);
        let id = inst.word(result)?;
        match inst.op {
            Op::TypeForwardPointer => return Ok(()),
            Op::Variable => return self.variable(module, id, inst),
            Op::TypePointer if self.forward[module].contains(&id) => {
                return self.forward_pointer(module, inst);
            }
            _ => {}
        }
        // The key is the instruction without its result, with the decorations of a structure.
        let mut words = Vec::with_capacity(inst.operands.len() + 1);
        words.push(inst.op as u32);
        words.extend_from_slice(inst.operands);
        for_each_id(inst, input, |index| {
            words[index + 1] = if index == result { 0 } else { self.map(module, words[index + 1]) };
        })?;
        let length = words.len();
        let mergeable = match inst.op {
            Op::TypeStruct => {
                let mut decorations: Vec<Vec<u32>> = input
                    .decorations(id)
                    .map(|a| std::iter::once(a.op as u32).chain(a.rest.iter().copied()).collect())
                    .collect();
                decorations.sort_unstable();
                for decoration in decorations {
                    words.push(u32::MAX);
                    words.extend(decoration);
                }
                true
            }
            op if is_type(op) => true,
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::ConstantSampler
            | Op::Undef => !input.decorated.contains_key(&id),
            _ => false,
        };
        if let Some(known) = self.unique.get(&words).filter(|_| mergeable) {
            self.maps[module].insert(id, *known);
            return Ok(());
        }
        let new = self.map(module, id);
        let mut operands = words[1..length].to_vec();
        operands[result] = new;
        if mergeable {
            self.unique.insert(words, new);
        }
        self.b.push(Section::Globals, inst.op, &operands);
        Ok(())
    }

    fn forward_pointer(&mut self, module: usize, inst: &Instruction<'_>) -> Result<(), LinkError> {
        let operands = self.rewrite(module, inst)?;
        let Some((new, rest)) = operands.split_first() else { return Ok(()) };
        if self.forward_done.insert(*new, true) == Some(true) {
            return Ok(());
        }
        let key: Vec<u32> = [Op::TypePointer as u32, 0].into_iter().chain(rest.iter().copied()).collect();
        self.unique.entry(key).or_insert(*new);
        self.b.push(Section::Globals, inst.op, &operands);
        Ok(())
    }

    fn variable(&mut self, module: usize, id: u32, inst: &Instruction<'_>) -> Result<(), LinkError> {
        if let Some((owner_module, owner)) = self.symbols.aliases.get(&(module, id)) {
            if self.elements.contains(&(module, id)) {
                let owner = self.map(*owner_module, *owner);
                self.first_element(module, id, inst.word(0)?, owner);
            }
            return Ok(());
        }
        let class = inst.word(2)?;
        if let Some(builtin) = self.inputs[module].builtins.get(&id) {
            let ty = self.map(module, inst.word(0)?);
            let key = vec![BUILTIN_KEY, *builtin as u32, ty, class];
            if let Some(known) = self.unique.get(&key) {
                self.maps[module].insert(id, *known);
                return Ok(());
            }
            let new = self.map(module, id);
            self.unique.insert(key, new);
        }
        let operands = self.rewrite(module, inst)?;
        let new = self.map(module, id);
        self.variables.insert(new, class);
        self.b.push(Section::Globals, inst.op, &operands);
        Ok(())
    }

    /// Declares a pointer to the first element of an array.
    fn first_element(&mut self, module: usize, id: u32, ty: u32, array: u32) {
        let uint = self.declare(Op::TypeInt, &[0, 32, 0]);
        let zero = self.declare(Op::Constant, &[uint, 0, 0]);
        let (ty, new) = (self.map(module, ty), self.map(module, id));
        let operands = [ty, new, Op::InBoundsPtrAccessChain as u32, array, zero, zero];
        self.b.push(Section::Globals, Op::SpecConstantOp, &operands);
    }

    /// A type or constant that may be there already; its result is zero in `operands`.
    fn declare(&mut self, op: Op, operands: &[u32]) -> u32 {
        let key: Vec<u32> = std::iter::once(op as u32).chain(operands.iter().copied()).collect();
        if let Some(known) = self.unique.get(&key) {
            return *known;
        }
        let new = self.b.id().0;
        let mut operands = operands.to_vec();
        operands[result_index(op)] = new;
        self.b.push(Section::Globals, op, &operands);
        self.unique.insert(key, new);
        new
    }

    // ---- symbols ----

    /// The type of a symbol: a function's or a variable's pointer type, by its new id.
    fn symbol_type(&self, (module, id): Place) -> Option<(bool, u32)> {
        let input = self.inputs.get(module)?;
        let function = input.function_at.get(&id).and_then(|i| input.functions.get(*i));
        let (is_function, ty) = match function {
            Some(f) => (true, f.ty),
            None => (false, *input.global(id)?.operands.first()?),
        };
        Some((is_function, *self.maps.get(module)?.get(&ty)?))
    }

    /// The storage class and element type of a variable that is an array.
    fn array_of(&self, place: Place) -> Option<(u32, u32)> {
        let input = self.inputs.get(place.0)?;
        let (class, pointee) = variable_type(input, place.1)?;
        let element = match input.global(pointee).filter(|a| a.op == Op::TypeArray) {
            Some(array) => *array.operands.get(1)?,
            None if self.elements.contains(&place) => pointee,
            None => return None,
        };
        Some((class, *self.maps.get(place.0)?.get(&element)?))
    }

    /// A function's result and parameters, by their ids in the linked module.
    fn signature(&self, (module, id): Place) -> Option<Vec<u32>> {
        let input = self.inputs.get(module)?;
        let function = input.functions.get(*input.function_at.get(&id)?)?;
        let types = input.global(function.ty)?.operands.get(1..)?;
        types.iter().map(|ty| self.maps.get(module)?.get(ty).copied()).collect()
    }

    /// The storage classes of a function's result and parameters, nothing for what is no pointer.
    fn classes(&self, (module, id): Place) -> Option<Vec<Option<u32>>> {
        let input = self.inputs.get(module)?;
        let function = input.functions.get(*input.function_at.get(&id)?)?;
        let pointer = |ty: &u32| input.global(*ty).filter(|ty| ty.op == Op::TypePointer);
        let class = |ty: &u32| pointer(ty).and_then(|ty| ty.operands.get(1).copied());
        Some(input.global(function.ty)?.operands.get(1..)?.iter().map(class).collect())
    }

    /// Returns whether the types of two functions differ only in pointees. Compilers with untyped pointers have to guess these in declarations.
    fn differ_in_pointees(&self, one: Place, other: Place) -> bool {
        let (Some(a), Some(b)) = (self.signature(one), self.signature(other)) else { return false };
        let (Some(classes), Some(others)) = (self.classes(one), self.classes(other)) else { return false };
        let alike = |n: usize| a[n] == b[n] || classes[n].is_some() && classes[n] == others[n];
        a.len() == b.len() && (0..a.len()).all(alike)
    }

    /// A call; where the callee's declaration has other pointers than its definition, these are cast.
    fn call(&mut self, declared: Place, operands: &mut [u32]) {
        let owner = self.symbols.aliases.get(&declared).copied().unwrap_or(declared);
        let signatures = self.signature(declared).zip(self.signature(owner)).unwrap_or_default();
        let pairs = signatures.0.into_iter().zip(signatures.1);
        let result = operands.get(1).copied().unwrap_or_default();
        let mut wanted = None;
        for (n, (from, to)) in pairs.enumerate().filter(|(_, (from, to))| from != to) {
            let (cast, place) = (self.b.id().0, if n == 0 { 1 } else { n + 2 });
            let Some(operand) = operands.get_mut(place) else { return };
            let value = std::mem::replace(operand, cast);
            if n == 0 {
                operands[0] = to;
                wanted = Some([from, result, cast]);
            } else {
                self.b.push(Section::Functions, Op::Bitcast, &[to, cast, value]);
            }
        }
        self.b.push(Section::Functions, Op::FunctionCall, operands);
        if let Some(cast) = wanted {
            self.b.push(Section::Functions, Op::Bitcast, &cast);
        }
    }

    fn check_types(&self) -> Result<(), LinkError> {
        let mut errors = Vec::new();
        for (alias, owner, name) in &self.symbols.checks {
            let same = self.symbol_type(*alias) == self.symbol_type(*owner);
            // A declaration may omit the length of an array. Only pointers into it are derived from it.
            let arrays = || self.array_of(*alias).is_some_and(|a| self.array_of(*owner) == Some(a));
            let functions = || self.differ_in_pointees(*alias, *owner);
            let error = SymbolError::TypeMismatch(name.clone());
            if !same && !arrays() && !functions() && !errors.contains(&error) {
                errors.push(error);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(LinkError::Symbols(errors)) }
    }

    // ---- functions ----

    fn function(&mut self, module: usize, function: &Function<'_>) -> Result<(), LinkError> {
        if self.symbols.aliases.contains_key(&(module, function.id)) {
            return Ok(());
        }
        let section = if function.has_body { Section::Functions } else { Section::Declarations };
        let mut uses = Uses::default();
        for inst in &function.instructions {
            if inst.op == Op::ExtInst && self.inputs[module].is_left_out(inst.word(2)?) {
                continue;
            }
            let mut operands = inst.operands.to_vec();
            for_each_id(inst, &self.inputs[module], |index| {
                let id = self.map(module, operands[index]);
                operands[index] = id;
                if self.variables.contains_key(&id) {
                    uses.variables.insert(id);
                }
            })?;
            if inst.op == Op::FunctionCall {
                uses.calls.extend(operands.get(2));
                self.call((module, inst.word(2)?), &mut operands);
                continue;
            }
            self.b.push(section, inst.op, &operands);
        }
        uses.contraction_off = self.inputs[module].contraction_off.contains(&function.id);
        let id = self.map(module, function.id);
        self.uses.insert(id, uses);
        Ok(())
    }

    /// The entry points with their interfaces: from 1.4 on all variables, before only inputs (OpEntryPoint).
    fn entry_points(&mut self) -> Result<(), LinkError> {
        let inputs = self.inputs;
        for (module, input) in inputs.iter().enumerate() {
            for inst in &input.entries {
                let (name, after) = inst.string(2)?;
                let function = self.map(module, inst.word(1)?);
                let mut operands = vec![inst.word(0)?, function];
                operands.extend_from_slice(inst.operands.get(2..after).unwrap_or(&[]));
                let mut interface: IndexMap<u32, ()> =
                    inst.rest(after).iter().map(|id| (self.map(module, *id), ())).collect();
                let (variables, contraction_off) = self.reached(function);
                interface.extend(variables.into_iter().map(|id| (id, ())));
                operands.extend(interface.keys());
                if operands.len() >= 0xffff {
                    let message = format!("the kernel '{name}' uses too many variables");
                    return Err(LinkError::Unsupported(message));
                }
                self.b.push(Section::EntryPoints, Op::EntryPoint, &operands);
                if contraction_off && !input.has_mode(inst.word(1)?, ExecutionMode::ContractionOff) {
                    let mode = [function, ExecutionMode::ContractionOff as u32];
                    self.b.push(Section::ExecutionModes, Op::ExecutionMode, &mode);
                }
            }
            for inst in &input.modes {
                let operands = self.rewrite(module, inst)?;
                self.b.push(Section::ExecutionModes, inst.op, &operands);
            }
        }
        Ok(())
    }

    /// The variables of the interface that a function and those it calls use, and whether one of them must
    /// not contract.
    fn reached(&self, function: u32) -> (Vec<u32>, bool) {
        let (mut seen, mut work) = (FxHashSet::from_iter([function]), vec![function]);
        let (mut found, mut contraction_off) = (Vec::new(), false);
        while let Some(uses) = work.pop().map(|f| self.uses.get(&f)) {
            let Some(uses) = uses else { continue };
            found.extend(&uses.variables);
            contraction_off |= uses.contraction_off;
            work.extend(uses.calls.iter().filter(|c| seen.insert(**c)));
        }
        let input = StorageClass::Input as u32;
        found.retain(|id| self.version >= (1, 4) || self.variables.get(id) == Some(&input));
        found.sort_unstable();
        found.dedup();
        (found, contraction_off)
    }

    // ---- names and decorations ----

    fn names(&mut self) {
        let inputs = self.inputs;
        let mut seen: FxHashSet<(u32, Option<u32>)> = FxHashSet::default();
        for (module, input) in inputs.iter().enumerate() {
            for name in &input.names {
                let Some(target) = self.kept(module, name.target) else { continue };
                let member = if name.op == Op::MemberName { name.rest.first().copied() } else { None };
                if seen.insert((target, member)) {
                    self.annotate(Section::Names, name, target, &name.rest);
                }
            }
        }
        for inst in inputs.iter().flat_map(|i| &i.processed) {
            self.b.push(Section::Names, inst.op, inst.operands);
        }
    }

    /// The new id of something that is in the linked module and was not replaced by another module's.
    fn kept(&self, module: usize, id: u32) -> Option<u32> {
        if self.symbols.aliases.contains_key(&(module, id)) {
            return None;
        }
        self.maps.get(module)?.get(&id).copied()
    }

    fn annotate(&mut self, section: Section, annotation: &Annotation, target: u32, rest: &[u32]) {
        let operands: Vec<u32> = std::iter::once(target).chain(rest.iter().copied()).collect();
        // A group's member decoration may be longer than an instruction: such a one cannot be.
        if operands.len() < 0xffff {
            self.b.push(section, annotation.op, &operands);
        }
    }

    /// Writes the decorations. Returns whether some are linkage attributes.
    fn annotations(&mut self) -> bool {
        let inputs = self.inputs;
        let mut linkage = false;
        let mut seen: FxHashSet<(u32, Op, Vec<u32>)> = FxHashSet::default();
        for (module, input) in inputs.iter().enumerate() {
            for annotation in &input.annotations {
                let Some(target) = self.kept(module, annotation.target) else { continue };
                let mut rest = annotation.rest.clone();
                if annotation.op == Op::DecorateId {
                    for id in rest.iter_mut().skip(1) {
                        *id = self.map(module, *id);
                    }
                }
                if annotation.op == Op::Decorate && rest[..1] == [Decoration::LinkageAttributes as u32] {
                    let import = rest.last() == Some(&(LinkageType::Import as u32));
                    if !import && !self.options.create_library {
                        continue;
                    }
                    linkage = true;
                }
                if seen.insert((target, annotation.op, rest.clone())) {
                    self.annotate(Section::Annotations, annotation, target, &rest);
                }
            }
        }
        linkage
    }

    /// All capabilities; Linkage only where it is used, or there is no entry point (SPIR-V §2.16.1).
    fn capabilities(&mut self, linkage: bool) {
        let mut seen = FxHashSet::default();
        for capability in self.inputs.iter().flat_map(|i| &i.capabilities) {
            if *capability != Capability::Linkage as u32 && seen.insert(*capability) {
                self.b.push(Section::Capabilities, Op::Capability, &[*capability]);
            }
        }
        if linkage || self.inputs.iter().all(|i| i.entries.is_empty()) {
            self.b.capability(Capability::Linkage);
        }
    }
}

/// The storage class of a variable, and its type.
fn variable_type(input: &Input<'_>, id: u32) -> Option<(u32, u32)> {
    let variable = input.global(id).filter(|v| v.op == Op::Variable)?;
    let pointer = input.global(*variable.operands.first()?).filter(|p| p.op == Op::TypePointer)?;
    Some((*pointer.operands.get(1)?, *pointer.operands.get(2)?))
}

/// Returns whether an import is a variable without an array type, and its owner is an array.
fn is_element(inputs: &[Input<'_>], alias: Place, owner: Place) -> bool {
    let is_array = |(module, id): Place| {
        let input = inputs.get(module)?;
        Some(input.global(variable_type(input, id)?.1)?.op == Op::TypeArray)
    };
    is_array(alias) == Some(false) && is_array(owner) == Some(true)
}

/// Which operand word is the result of a declaration.
fn result_index(op: Op) -> usize {
    usize::from(!is_type(op))
}

/// Appends the structure of a type down to its leaves, to compare types of different modules. A type inside itself is named by its
/// depth. Returns false if it is too large.
fn shape(input: &Input<'_>, id: u32, open: &mut Vec<u32>, words: &mut Vec<u32>) -> Result<bool, LinkError> {
    if let Some(depth) = open.iter().position(|o| *o == id) {
        words.extend([FORWARD_KEY, depth as u32]);
        return Ok(true);
    }
    let Some(inst) = input.global(id) else { return Ok(false) };
    if open.len() >= MAX_SHAPE_DEPTH || words.len() + inst.operands.len() > MAX_SHAPE_WORDS {
        return Ok(false);
    }
    let result = result_index(inst.op);
    let mut is_id = vec![false; inst.operands.len()];
    for_each_id(inst, input, |index| is_id[index] = true)?;
    words.extend([inst.op as u32, inst.operands.len() as u32]);
    let mut decorations: Vec<_> = input.decorations(id).map(|a| (a.op as u32, &a.rest)).collect();
    decorations.sort_unstable();
    for (op, rest) in decorations {
        words.push(op);
        words.extend_from_slice(rest);
    }
    open.push(id);
    for (index, word) in inst.operands.iter().enumerate().filter(|(i, _)| *i != result) {
        if !is_id[index] {
            words.push(*word);
        } else if !shape(input, *word, open, words)? {
            return Ok(false);
        }
    }
    open.pop();
    Ok(true)
}

//! Parsing: tokens, then recursive descent, one function for each production.

use super::image;
use super::names::*;
use crate::ir::{
    Block, BranchTarget, Constant, Entity, Func, Function, GlobalInit, GlobalVar, GlobalVarData, Inst,
    InstKind, KernelArg, KernelArgKind, KernelData, KernelPlan, LocalArena, MemFlags, Merge, Module, Opaque,
    OpaqueType, Place, Root, Scalar, Slot, SlotData, SourceLine, Terminator, Type, Value, ValueData,
    ValueDef,
};
use crate::kernel_info::BindingModel;

/// No handle in a text may have a higher number.
const MAX_HANDLE: u32 = 1 << 22;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Str(String),
    Punct(char),
}

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let mut list = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mut chars = line.chars().peekable();
        while let Some(&c) = chars.peek() {
            if c.is_whitespace() {
                chars.next();
            } else if c == ';' {
                break;
            } else if c == '"' {
                chars.next();
                list.push((
                    Token::Str(string(&mut chars).ok_or(format!("line {}: bad string", n + 1))?),
                    n + 1,
                ));
            } else if is_word(c) {
                let mut word = String::new();
                while let Some(c) = chars.next_if(|c| is_word(*c)) {
                    word.push(c);
                }
                list.push((Token::Word(word), n + 1));
            } else {
                chars.next();
                list.push((Token::Punct(c), n + 1));
            }
        }
    }
    Ok(list)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-' | '|')
}

/// The rest of a string literal, escaped as Rust's `{:?}` does.
fn string(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                '0' => '\0',
                'u' => {
                    let code: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    char::from_u32(u32::from_str_radix(&code, 16).ok()?)?
                }
                other => other,
            }),
            other => text.push(other),
        }
    }
}

/// Reads a module as [`Module`]'s `Display` writes it. `;` starts a comment. The result is not verified.
///
/// # Errors
/// A message with the line's number.
pub fn parse(text: &str) -> Result<Module, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    parser.module().map_err(|e| {
        let line = parser.tokens.get(parser.at.saturating_sub(1)).map_or(0, |t| t.1);
        format!("line {line}: {e}")
    })
}

pub(in crate::ir) struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).map(|t| t.0.clone())
    }

    pub(in crate::ir) fn word(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Token::Word(w)) => Ok(w),
            other => Err(format!("expected a word, found {other:?}")),
        }
    }

    fn str(&mut self) -> Result<String, String> {
        match self.next() {
            Some(Token::Str(s)) => Ok(s),
            other => Err(format!("expected a string, found {other:?}")),
        }
    }

    fn peek_word(&self, word: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Word(w), _)) if w == word)
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(word);
        self.at += usize::from(found);
        found
    }

    fn accept(&mut self, c: char) -> bool {
        let found = matches!(self.tokens.get(self.at), Some((Token::Punct(p), _)) if *p == c);
        self.at += usize::from(found);
        found
    }

    /// The characters between two fields of an instruction; blanks are not looked at.
    pub(in crate::ir) fn between(&mut self, text: &str) -> Result<(), String> {
        text.chars().filter(|c| !c.is_whitespace()).try_for_each(|c| self.punct(c))
    }

    /// Whether a word that begins so is next.
    pub(super) fn peek_prefix(&self, prefix: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((Token::Word(w), _)) if w.starts_with(prefix))
    }

    fn punct(&mut self, c: char) -> Result<(), String> {
        if self.accept(c) { Ok(()) } else { Err(format!("expected '{c}', found {:?}", self.next())) }
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("'{word}' is no number here"))
    }

    /// `key=number`
    fn keyed<T: std::str::FromStr>(&mut self, key: &str) -> Result<T, String> {
        let word = self.word()?;
        if word != key {
            return Err(format!("expected {key}=, found '{word}'"));
        }
        self.punct('=')?;
        self.number()
    }

    /// `(item, item)`
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        self.punct('(')?;
        let mut items = Vec::new();
        while !self.accept(')') {
            if !items.is_empty() {
                self.punct(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn named<T: std::fmt::Debug + Copy>(&mut self, all: &[T]) -> Result<T, String> {
        let word = self.word()?;
        find(all, &word).ok_or(format!("'{word}' is unknown here"))
    }

    pub(super) fn handle<T: Entity>(&mut self, prefix: &str) -> Result<T, String> {
        let word = self.word()?;
        handle(&word, prefix).ok_or(format!("expected {prefix} and a number, found '{word}'"))
    }

    fn ty(&mut self) -> Result<Type, String> {
        let word = self.word()?;
        find_type(&word).ok_or(format!("'{word}' is no type"))
    }

    fn module(&mut self) -> Result<Module, String> {
        if !self.accept_word("module") {
            return Err("expected 'module'".to_owned());
        }
        let mut module = Module { files: vec![String::new()], ..Module::default() };
        module.stage = self.named(STAGE)?;
        module.address_bits = self.keyed("bits")?;
        module.linear_groups = self.accept_word("linear_groups");
        module.work_item_loops = self.number_of("work_item_loops")?;
        module.single_vector = self.accept_word("single_vector");
        module.non_uniform = self.accept_word("non_uniform");
        module.noalias = self.accept_word("noalias");
        module.specialised = self.accept_word("specialised");
        while self.at < self.tokens.len() {
            match self.word()?.as_str() {
                "file" => module.files.push(self.str()?),
                "opaque" => {
                    let opaque: Opaque = self.handle("o")?;
                    if opaque.index() != module.opaques.len() {
                        return Err(format!("{opaque} is out of order"));
                    }
                    let word = self.word()?;
                    let image = image::find_type(&word).ok_or(format!("'{word}' is no image"))?;
                    module.opaques.push(OpaqueType::Image(image));
                }
                "global" => self.global(&mut module)?,
                "data" => {
                    module.program_data = serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?;
                }
                "kernel" => {
                    let kernel = self.kernel()?;
                    module.kernels.push(kernel);
                }
                "func" => self.function(&mut module)?,
                other => return Err(format!("'{other}' is unknown here")),
            }
        }
        Ok(module)
    }

    fn global(&mut self, module: &mut Module) -> Result<(), String> {
        let handle: GlobalVar = self.handle("g")?;
        if handle.index() != module.globals.len() {
            return Err(format!("{handle} is out of order"));
        }
        let (name, space) = (self.str()?, self.named(SPACE)?);
        let (size, align) = (self.keyed("size")?, self.keyed("align")?);
        let mut init = None;
        if self.accept_word("init") {
            self.punct('=')?;
            let hex = self.str()?;
            let byte = |i: usize| hex.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok());
            let bytes: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(byte).collect();
            let bytes = bytes.ok_or("bad bytes")?;
            self.accept_word("addresses");
            self.punct('=')?;
            let addresses = self.list(|p| {
                let at = p.number()?;
                p.punct(':')?;
                Ok((at, p.handle("g")?))
            })?;
            init = Some(GlobalInit { bytes, addresses });
        }
        module.globals.push(GlobalVarData { name, space, size, align, init });
        Ok(())
    }

    fn size3(&mut self, key: &str) -> Result<Option<[u32; 3]>, String> {
        if !self.accept_word(key) {
            return Ok(None);
        }
        self.punct('=')?;
        let sizes = self.list(Self::number)?;
        sizes.try_into().map(Some).map_err(|_| "three sizes expected".to_owned())
    }

    fn local_arena(&mut self) -> Result<Option<LocalArena>, String> {
        let views = self.accept_word("views");
        if !views && !self.accept_word("arena") {
            return Ok(None);
        }
        self.punct('=')?;
        let static_bytes = self.number()?;
        if !self.accept_word("of") {
            return Err("'of' expected after the arena's size".to_owned());
        }
        self.punct('=')?;
        Ok(Some(LocalArena { static_bytes, args: self.list(Self::number)?, views }))
    }

    fn number_of(&mut self, word: &str) -> Result<Option<u32>, String> {
        if !self.accept_word(word) {
            return Ok(None);
        }
        self.punct('=')?;
        self.number().map(Some)
    }

    fn kernel(&mut self) -> Result<KernelData, String> {
        let mut kernel = KernelData {
            name: self.str()?,
            func: self.handle("f")?,
            args: Vec::new(),
            reqd_work_group_size: self.size3("reqd")?,
            work_group_size_hint: self.size3("hint")?,
            required_sub_groups: self.number_of("sub_groups")?,
            required_sub_group_size: self.number_of("sub_group_size")?,
            wide: self.accept_word("wide"),
            contraction_off: self.accept_word("contraction_off"),
            local_arena: self.local_arena()?,
            watches_loops: false,
            resumes: None,
            saved_local: None,
            iterations: None,
            batch: None,
            printf: Default::default(),
            emulated: std::collections::BTreeSet::new(),
            plan: None,
        };
        while self.accept_word("arg") {
            let (name, type_name) = (self.str()?, self.str()?);
            let type_qualifiers = self.list(Self::str)?;
            let kind = match self.word()?.as_str() {
                "pointer" => KernelArgKind::Pointer {
                    space: self.named(SPACE)?,
                    restrict: self.accept_word("restrict"),
                    read_only: self.accept_word("read_only"),
                },
                "value" => {
                    let (size, align) = (self.keyed("size")?, self.keyed("align")?);
                    let mut leaves = None;
                    if self.accept_word("leaves") {
                        self.punct('=')?;
                        leaves = Some(self.list(Self::number)?);
                    }
                    KernelArgKind::Value { size, align, leaves }
                }
                "sampler" => KernelArgKind::Sampler,
                other => KernelArgKind::Image(
                    image::find_type(other).ok_or(format!("'{other}' is no kind of argument"))?,
                ),
            };
            kernel.args.push(KernelArg { name, type_name, type_qualifiers, kind });
        }
        if self.accept_word("emulated") {
            kernel.emulated = serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?;
        }
        kernel.watches_loops = self.accept_word("watches_loops");
        kernel.resumes = self.number_of("resumes")?;
        kernel.saved_local = self.number_of("saved_local")?;
        if self.accept_word("iterations") {
            kernel.iterations = Some(serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?);
        }
        if self.accept_word("printf") {
            kernel.printf = serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?;
        }
        if self.accept_word("plan") {
            let model =
                self.named(&[BindingModel::Descriptor, BindingModel::Address, BindingModel::Packed])?;
            let block = serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?;
            let mut windows = None;
            if self.accept_word("windows") {
                windows = Some(serde_json::from_str(&self.str()?).map_err(|e| e.to_string())?);
            }
            kernel.plan = Some(KernelPlan { model, block, windows });
        }
        Ok(kernel)
    }

    /// Makes the handles of values and blocks that the function's text names.
    fn reserve(&self, f: &mut Function) {
        let rest = self.tokens[self.at..].iter().map(|t| &t.0);
        for token in rest.take_while(|t| !matches!(t, Token::Word(w) if w == "func")) {
            let Token::Word(word) = token else { continue };
            if let Some(value) = handle::<Value>(word, "v") {
                while f.values.len() <= value.index() {
                    f.values.push(ValueData { ty: Type::BOOL, def: ValueDef::Inst(Inst(u32::MAX), 0) });
                }
            } else if let Some(block) = handle::<Block>(word, "b") {
                while f.blocks.len() <= block.index() {
                    f.new_detached_block();
                }
            }
        }
    }

    fn function(&mut self, module: &mut Module) -> Result<(), String> {
        let func: Func = self.handle("f")?;
        if func.index() != module.functions.len() {
            return Err(format!("{func} is out of order"));
        }
        let mut f = Function::default();
        f.name = self.str()?;
        self.accept_word("returns");
        f.returns = self.list(Self::ty)?;
        if self.accept_word("inline") {
            self.punct('=')?;
            f.inline_hint = Some(self.number()?);
        }
        f.needs_denormals = self.accept_word("needs_denormals");
        self.reserve(&mut f);
        while self.accept_word("slot") {
            let slot: Slot = self.handle("s")?;
            if slot.index() != f.slots.len() {
                return Err(format!("{slot} is out of order"));
            }
            let named = matches!(self.tokens.get(self.at), Some((Token::Str(_), _)));
            let name = if named { Some(self.str()?) } else { None };
            f.slots.push(SlotData { name, size: self.keyed("size")?, align: self.keyed("align")? });
        }
        while matches!(self.tokens.get(self.at), Some((Token::Word(w), _)) if handle::<Block>(w, "b").is_some())
        {
            self.block(&mut f)?;
        }
        module.functions.push(f);
        Ok(())
    }

    /// `v1 "name": i32`
    fn definition(&mut self, f: &mut Function, def: ValueDef) -> Result<Value, String> {
        let value: Value = self.handle("v")?;
        if matches!(self.tokens.get(self.at), Some((Token::Str(_), _))) {
            let name = self.str()?;
            f.names.insert(value, name);
        }
        self.punct(':')?;
        f.values[value] = ValueData { ty: self.ty()?, def };
        Ok(value)
    }

    fn block(&mut self, f: &mut Function) -> Result<(), String> {
        let block: Block = self.handle("b")?;
        f.layout.push(block);
        let mut n = 0;
        let params = self.list(|p| {
            n += 1;
            p.definition(f, ValueDef::Param(block, n - 1))
        })?;
        f.blocks[block].params = params;
        self.punct(':')?;
        loop {
            if self.accept_word("loopcontrol") {
                f.blocks[block].loop_control = self.number()?;
            } else if self.accept_word("merge") {
                f.blocks[block].merge = Some(self.merge()?);
            } else if let Some(term) = self.terminator(f)? {
                f.blocks[block].term = term;
                return Ok(());
            } else {
                let inst = self.inst(f)?;
                f.blocks[block].insts.push(inst);
            }
        }
    }

    fn merge(&mut self) -> Result<Merge, String> {
        if self.accept_word("selection") {
            return Ok(Merge::Selection { merge: self.handle("b")? });
        }
        self.accept_word("loop");
        let merge = self.handle("b")?;
        self.punct(',')?;
        let continue_target = self.handle("b")?;
        self.punct(',')?;
        Ok(Merge::Loop { merge, continue_target, control: self.number()? })
    }

    fn terminator(&mut self, f: &mut Function) -> Result<Option<Terminator>, String> {
        Ok(Some(if self.accept_word("br") {
            Terminator::Branch(self.target(f)?)
        } else if self.accept_word("condbr") {
            let cond = self.operand_comma(f)?;
            let then = self.target(f)?;
            self.punct(',')?;
            Terminator::CondBranch { cond, then, els: self.target(f)? }
        } else if self.accept_word("switch") {
            let value = self.operand_comma(f)?;
            let default = self.target(f)?;
            self.punct(',')?;
            let cases = self.list(|p| {
                let bits = p.number()?;
                p.punct(':')?;
                Ok((bits, p.target(f)?))
            })?;
            Terminator::Switch { value, cases, default }
        } else if self.accept_word("return") {
            Terminator::Return(self.list(|p| p.operand(f))?.into())
        } else if self.accept_word("unreachable") {
            Terminator::Unreachable
        } else {
            return Ok(None);
        }))
    }

    fn target(&mut self, f: &mut Function) -> Result<BranchTarget, String> {
        let block = self.handle("b")?;
        Ok(BranchTarget { block, args: self.list(|p| p.operand(f))?.into() })
    }

    /// `v1`, or a constant with its type.
    pub(super) fn operand(&mut self, f: &mut Function) -> Result<Value, String> {
        let word = self.word()?;
        if let Some(value) = handle::<Value>(&word, "v") {
            return Ok(value);
        }
        let ty = find_type(&word).ok_or(format!("'{word}' is no operand"))?;
        self.punct(':')?;
        let text = self.word()?;
        if text == "undef" {
            return Ok(f.constant(ty, Constant::Undef));
        }
        let bits = constant_bits(ty, &text).ok_or(format!("'{text}' is no {ty}"))?;
        Ok(f.constant(ty, Constant::Bits(bits)))
    }

    fn operand_comma(&mut self, f: &mut Function) -> Result<Value, String> {
        let value = self.operand(f)?;
        self.punct(',')?;
        Ok(value)
    }

    fn inst(&mut self, f: &mut Function) -> Result<Inst, String> {
        let inst = f.make_inst(InstKind::WorkgroupSize(0), &[]);
        let mut results = Vec::new();
        if matches!(self.tokens.get(self.at), Some((Token::Word(w), _)) if handle::<Value>(w, "v").is_some())
        {
            loop {
                let def = ValueDef::Inst(inst, results.len() as u16);
                results.push(self.definition(f, def)?);
                if !self.accept(',') {
                    break;
                }
            }
            self.punct('=')?;
        }
        let kind = InstKind::from_text(self, f)?;
        let mut line = SourceLine::default();
        if self.accept('@') {
            let file = self.number()?;
            self.punct(':')?;
            line = SourceLine { file, line: self.number()?, ..line };
        }
        let data = &mut f.insts[inst];
        (data.kind, data.results, data.line) = (kind, results.into_iter().collect(), line);
        Ok(inst)
    }

    /// `[v0]`, `address[v0]`, `arg0.f32x4[v0]`
    pub(super) fn place(&mut self, f: &mut Function) -> Result<Place, String> {
        let head = if self.accept('[') {
            None
        } else {
            let word = self.word()?;
            self.punct('[')?;
            Some(word)
        };
        let index = self.operand(f)?;
        self.punct(']')?;
        let Some(head) = head else { return Ok(Place::Pointer(index)) };
        if head == "address" {
            return Ok(Place::Address(index));
        }
        let element = head.split_once('.').and_then(|(r, ty)| Some((root(r)?, find_type(ty)?)));
        match element {
            Some((root, ty)) => {
                let scalar = ty.scalar().ok_or("a pointer is no element")?;
                Ok(Place::Element { root, scalar, lanes: ty.lanes(), index })
            }
            None => Err(format!("'{head}' is no place")),
        }
    }

    pub(super) fn flags(&mut self) -> Result<MemFlags, String> {
        Ok(MemFlags { align: self.keyed("align")?, volatile: self.accept_word("volatile") })
    }
}

fn handle<T: Entity>(word: &str, prefix: &str) -> Option<T> {
    let number: u32 = word.strip_prefix(prefix)?.parse().ok()?;
    // The table of opaque types is short.
    if prefix == "o" && number as usize >= Module::MAX_OPAQUES {
        return None;
    }
    (number < MAX_HANDLE).then(|| T::new(number as usize))
}

pub(super) fn root(word: &str) -> Option<Root> {
    let number = |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
    match word {
        "block" => Some(Root::Block),
        "localarena" => Some(Root::LocalArena),
        "constants" => Some(Root::Constants),
        "globals" => Some(Root::Globals),
        "printf" => Some(Root::Printf),
        "sequence" => Some(Root::Sequence),
        "places" => Some(Root::Places),
        _ => number("arg")
            .map(Root::Arg)
            .or_else(|| number("localarg").map(Root::LocalArg))
            .or_else(|| number("window").map(Root::Window))
            .or_else(|| handle(word, "g").map(Root::Global))
            .or_else(|| handle(word, "s").map(Root::Slot)),
    }
}

fn constant_bits(ty: Type, text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    match ty.scalar() {
        Some(Scalar::F32) => text.parse::<f32>().ok().map(|v| u64::from(v.to_bits())),
        Some(Scalar::F64) => text.parse::<f64>().ok().map(f64::to_bits),
        Some(Scalar::F16) => None,
        Some(s) if s.is_int() => {
            let mask = u64::MAX >> (64 - s.bits());
            text.parse::<i64>().map(|v| v as u64).or_else(|_| text.parse::<u64>()).ok().map(|v| v & mask)
        }
        _ => text.parse().ok(),
    }
}

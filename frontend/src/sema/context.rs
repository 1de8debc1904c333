//! The state of semantic analysis: the program under construction, scopes, errors.
//!
//! - reporting: [`Sema::error`], [`Sema::warning`] (never `self.diags` directly: after a fatal error these
//!   fall silent); [`Sema::report`] for an error of syntax; [`Sema::following`] around what may have errors that follow
//!   from others;
//! - names and types: `lookup`, `unknown_name`, `type_named`, `type_text`, `in_space`, `find_member`,
//!   `default_pointee_space`;
//! - objects: `new_local`, `add_global`, `new_string_literal`, `function_type`, `overloads`, `note_call`.

use super::state::{ExprState, RecordFacts, Shown};
use crate::diag::{Diagnostic, Diagnostics, Severity};
use crate::hir::{BlockTarget, Expr, Function, FunctionId, Global, GlobalId, LabelId, Local, LocalId};
use crate::options::Options;
use crate::source::Span;
use crate::symbol::{Interner, Symbol};
use crate::syntax::ast::TokenId;
use crate::syntax::{Cursor, Problem, words};
use crate::token::{Punct, Token};
use crate::types::{QualType, RecordId, TypeId, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// The meaning of an ordinary identifier (C99 §6.2.3: one name space for all of these).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Name {
    /// A variable of automatic storage or a parameter of the current function.
    Local(LocalId),
    /// A program-scope, static or `__local` variable.
    Global(crate::hir::GlobalId),
    /// A function (or the first of a set of `overloadable` ones, see `Sema::overloads`).
    Function(crate::hir::FunctionId),
    /// A typedef name.
    Typedef(QualType),
    /// A block of program scope or a static one, by its function; and its type.
    Block(crate::hir::FunctionId, TypeId),
    /// An enumeration constant and its type.
    EnumConstant(i64, TypeId),
}

/// A struct, union or enum tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tag {
    Record(crate::types::RecordId),
    Enum(crate::types::EnumId),
}

/// One scope: its names and tags, with where each was declared.
#[derive(Debug, Default)]
pub struct Scope {
    /// Ordinary identifiers.
    pub names: FxHashMap<Symbol, (Name, Span)>,
    /// Tags.
    pub tags: FxHashMap<Symbol, (Tag, Span)>,
    /// Where the initialized variables of C++ are declared: no jump bypasses them.
    pub initialized: Vec<Span>,
}

/// What lives at a place of a function in C++.
#[derive(Debug, Clone, Default)]
pub struct Live {
    /// The objects that are to be destroyed.
    pub objects: Vec<LocalId>,
    /// Where the initialized variables are declared.
    pub initialized: Vec<Span>,
}

/// A jump to a label of C++ that comes later.
#[derive(Debug)]
pub struct Jump {
    /// The label's name.
    pub label: Symbol,
    /// Where it stands.
    pub span: Span,
    /// What lives there.
    pub live: Live,
    /// For each object that is to be destroyed a variable that says whether the jump leaves it.
    pub leaves: Vec<LocalId>,
}

/// The function of the body that is being typed.
#[derive(Debug)]
pub struct FunctionContext {
    /// The function.
    pub id: FunctionId,
    /// The function's name as it was written.
    pub name: Symbol,
    /// Its return type.
    pub ret: TypeId,
    /// True if it is a kernel.
    pub is_kernel: bool,
    /// Its locals so far, parameters first.
    pub locals: Vec<Local>,
    /// Labels by name: declared or only used so far.
    pub labels: FxHashMap<Symbol, LabelState>,
    /// Labels by [`LabelId`], as [`crate::hir::Function::labels`] wants them.
    pub label_list: Vec<(Symbol, Span)>,
    /// The enclosing loops and switches, innermost last.
    pub breakables: Vec<Breakable>,
    /// How many of them were open when the innermost statement expression began: nothing jumps into one.
    pub statement_expression: Option<usize>,
    /// True if a `return` with a value was seen.
    pub returns_value: bool,
    /// How often it calls itself.
    pub self_calls: u32,
    /// True if the address of one of its variables is taken.
    pub addressed: bool,
    /// True if FP_CONTRACT is off in a part of it.
    pub contraction_off: bool,
    /// How many scopes were open when it began.
    pub scope_base: usize,
    /// What lives in C++ where its labels stand.
    pub label_objects: FxHashMap<Symbol, Live>,
    /// Its jumps to labels that come later.
    pub jumps: Vec<Jump>,
    /// Of a block's function.
    pub block: Option<BlockContext>,
    /// Which block each variable or parameter of block type is.
    pub block_locals: FxHashMap<LocalId, BlockTarget>,
    /// What its `asm` statements share.
    pub(crate) asm: crate::ptx::FunctionState,
}

impl FunctionContext {
    /// A function whose body begins.
    pub fn new(id: FunctionId, name: Symbol, ret: TypeId, is_kernel: bool, scope_base: usize) -> Self {
        FunctionContext {
            id,
            name,
            ret,
            is_kernel,
            locals: Vec::new(),
            labels: FxHashMap::default(),
            label_list: Vec::new(),
            breakables: Vec::new(),
            statement_expression: None,
            returns_value: false,
            self_calls: 0,
            addressed: false,
            contraction_off: false,
            scope_base,
            label_objects: FxHashMap::default(),
            jumps: Vec::new(),
            block: None,
            block_locals: FxHashMap::default(),
            asm: crate::ptx::FunctionState::default(),
        }
    }
}

/// The additional state for the body of a block.
#[derive(Debug)]
pub struct BlockContext {
    /// The structure of what it captures, its members added as they are found.
    pub record: RecordId,
    /// What is captured: the function that declares it (by its place among those being typed) and the local; and
    /// the object in the function around.
    pub captures: Vec<(usize, LocalId, Expr)>,
    /// True if its result is inferred from the first `return`.
    pub inferred: Inferred,
}

/// The source of a block's result type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inferred {
    /// It was written.
    No,
    /// No `return` came yet.
    Pending,
    /// A `return` gave it.
    Known,
}

/// A label of the function: where it stands, once it was seen, and where it was first used.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct LabelState {
    pub id: LabelId,
    pub defined: Option<Span>,
    pub used: Option<Span>,
}

/// What `break` can leave; only a loop can be continued.
#[derive(Debug)]
pub enum Breakable {
    /// `for`, `while`, `do`.
    Loop,
    /// `switch`.
    Switch(SwitchState),
}

/// The labels of a switch so far.
#[derive(Debug)]
pub struct SwitchState {
    /// The promoted type of its value.
    pub ty: TypeId,
    /// Case values and where they were written.
    pub cases: FxHashMap<i64, Span>,
    /// Where `default` was written.
    pub default: Option<Span>,
    /// How many initialized variables live where it begins.
    pub initialized: usize,
}

/// The facts about a function that its tree does not have.
#[derive(Debug, Clone)]
pub struct FunctionInfo {
    /// Its type.
    pub ty: TypeId,
    /// `__attribute__((overloadable))`: other functions may share its name.
    pub overloadable: bool,
    /// Shown `static`, or `inline` without `extern`.
    pub internal: bool,
    /// The place at which its body begins, once it was seen.
    pub defined: Option<Span>,
    /// An `asm` statement of it depends on warps of 32 work-items.
    pub warp: Option<Span>,
    /// The place of its first call.
    pub called: Option<Span>,
    /// The functions that its body calls, and where.
    pub calls: Vec<(FunctionId, Span)>,
    /// The parameters that are blocks and that it calls.
    pub called_params: Vec<LocalId>,
    /// The blocks that it passes to functions: to which, for which parameter, and where.
    pub passed_blocks: Vec<(FunctionId, LocalId, BlockTarget, Span)>,
}

/// The tokens of a file, and behind them those that were made of them.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    file: &'a [Token],
    /// All of them, where some were made.
    all: Option<Vec<Token>>,
}

impl<'a> Tokens<'a> {
    fn of_file(file: &'a [Token]) -> Self {
        Tokens { file, all: None }
    }

    /// The tokens of the file.
    pub fn file(&self) -> &'a [Token] {
        self.file
    }

    /// All tokens.
    pub fn all(&self) -> &[Token] {
        self.all.as_deref().unwrap_or(self.file)
    }

    /// Adds tokens, and an end of the file behind them; gives the index of the first.
    pub fn append(&mut self, tokens: &[Token]) -> TokenId {
        let all = self.all.get_or_insert_with(|| self.file.to_vec());
        let start = all.len() as TokenId;
        all.extend_from_slice(tokens);
        all.extend(self.file.last());
        start
    }
}

/// Semantic analysis: its state. Clang's `Sema`.
pub(super) struct Sema<'a> {
    /// All tokens, which the nodes of syntax trees mean by their indices.
    pub(super) tokens: Tokens<'a>,
    pub(super) symbols: &'a mut Interner,
    pub(super) options: &'a Options,
    pub(super) diags: &'a mut Diagnostics,
    pub(super) types: Types,
    pub(super) globals: Vec<Global>,
    pub(super) functions: Vec<Function>,
    /// By [`FunctionId`], beside `functions`.
    pub(super) function_infos: Vec<FunctionInfo>,
    /// All functions of one name where there are several, by the first one.
    pub(super) overload_sets: FxHashMap<FunctionId, Vec<FunctionId>>,
    /// String literals made already, by their bytes.
    pub(super) strings: FxHashMap<Vec<u8>, crate::hir::GlobalId>,
    /// `scopes[0]` holds the predeclared type names, `scopes[1]` the file's.
    pub(super) scopes: Vec<Scope>,
    pub(super) function: Option<FunctionContext>,
    /// The functions around the block whose body is being typed, outermost first.
    pub(super) enclosing: Vec<FunctionContext>,
    /// Records whose member lists are being read.
    pub(super) open_records: Vec<RecordId>,
    /// The facts about each complete record.
    pub(super) record_facts: FxHashMap<RecordId, RecordFacts>,
    /// The state of the typing of expressions.
    pub(super) exprs: ExprState,
    /// `#pragma OPENCL FP_CONTRACT`, as it stands.
    pub(super) fp_contract: bool,
    /// The declaration of what is being initialised, assigned, passed or returned to: the other side of a
    /// conversion that is refused.
    pub(super) target: Option<Shown>,
    /// A member of the record being read that is declared as size_t or one of its kin; and that of each record
    /// read.
    pub(super) sized_by_host: Option<Span>,
    pub(super) host_dependent: FxHashMap<RecordId, Span>,
    /// The places of the typedefs of those types.
    pub(super) typedefs_sized_by_host: FxHashSet<Span>,
    /// `#pragma pack`, as it stands, and what `push` has put by.
    pub(super) pack: Option<u32>,
    pub(super) pack_stack: Vec<Option<u32>>,
    /// What `deprecated` says of a declared name, by the place of its declaration.
    pub(super) deprecated: FxHashMap<Span, String>,
    /// Functions with `warn_unused_result`.
    pub(super) must_use: FxHashSet<FunctionId>,
    /// Variables that blocks declare `extern` and no file-scope declaration has named yet (C99 §6.2.2).
    pub(super) block_externs: FxHashMap<Symbol, GlobalId>,
    /// How many errors there were before the declaration or statement that is typed.
    pub(super) errors_before: usize,
    /// A fatal error was reported: nothing more is.
    pub(super) aborted: bool,
    /// The state of C++.
    pub(super) cxx: Box<super::cxx::state::Cxx>,
    /// The functions of C++ whose bodies are being typed.
    pub(super) open_bodies: Vec<FunctionId>,
    /// The results that their first `return` gave.
    pub(super) deduced_results: FxHashMap<FunctionId, TypeId>,
    scratch: Diagnostic,
}

impl<'a> Sema<'a> {
    /// The state before the first declaration.
    pub fn new(
        tokens: &'a [Token],
        symbols: &'a mut Interner,
        options: &'a Options,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let mut sema = Sema {
            tokens: Tokens::of_file(tokens),
            symbols,
            options,
            diags,
            types: Types::new(options.address_width),
            globals: Vec::new(),
            functions: Vec::new(),
            function_infos: Vec::new(),
            overload_sets: FxHashMap::default(),
            strings: FxHashMap::default(),
            scopes: vec![Scope::default(), Scope::default()],
            function: None,
            enclosing: Vec::new(),
            open_records: Vec::new(),
            record_facts: FxHashMap::default(),
            exprs: ExprState::default(),
            fp_contract: true,
            target: None,
            sized_by_host: None,
            host_dependent: FxHashMap::default(),
            typedefs_sized_by_host: FxHashSet::default(),
            pack: None,
            pack_stack: Vec::new(),
            deprecated: FxHashMap::default(),
            must_use: FxHashSet::default(),
            block_externs: FxHashMap::default(),
            errors_before: 0,
            aborted: false,
            cxx: Box::default(),
            open_bodies: Vec::new(),
            deduced_results: FxHashMap::default(),
            scratch: Diagnostic {
                id: "",
                severity: Severity::Warning,
                span: Span::default(),
                message: String::new(),
                notes: Vec::new(),
                replacements: Vec::new(),
            },
        };
        sema.declare_predefined_types();
        sema
    }

    /// Reports an error, unless a fatal one came before.
    pub(super) fn error(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        if self.aborted {
            return self.muted();
        }
        if self.diags.is_full() {
            self.abort();
            return self.muted();
        }
        self.diags.error(id, span, message)
    }

    /// Reports a warning, unless a fatal error came before.
    pub(super) fn warning(
        &mut self,
        id: &'static str,
        span: Span,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        if self.aborted {
            return self.muted();
        }
        self.diags.warning(id, span, message)
    }

    /// Reports an error of syntax.
    pub(super) fn report(&mut self, problem: Problem) {
        let Problem { id, span, message, insertion, note, remark, fatal, follows, .. } = problem;
        if follows && self.broken() {
            return;
        }
        let diagnostic = self.error(id, span, message);
        if let Some((at, text)) = note {
            diagnostic.note(at, text);
        }
        if let Some((after, text)) = insertion {
            diagnostic.insert_after(after, text);
        }
        if let Some(remark) = remark {
            diagnostic.remark(remark);
        }
        if fatal {
            self.abort();
        }
    }

    /// Returns where the notes of a diagnostic go that is not reported.
    fn muted(&mut self) -> &mut Diagnostic {
        self.scratch.notes.clear();
        self.scratch.replacements.clear();
        &mut self.scratch
    }

    /// Ends the analysis: nothing more is reported, and no further declaration is parsed.
    pub(super) fn abort(&mut self) {
        self.aborted = true;
    }

    /// Types a declaration or statement: what follows from its own errors is not reported.
    pub(super) fn following<T>(&mut self, analysis: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.errors_before, self.diags.error_count());
        let result = analysis(self);
        self.errors_before = outer;
        result
    }

    /// Returns whether the declaration or statement that is typed has an error.
    pub(super) fn broken(&self) -> bool {
        self.diags.error_count() != self.errors_before
    }

    /// Reports that a punctuator is missing before a token, `after` something.
    pub(super) fn report_missing(&mut self, at: TokenId, punct: Punct, after: &str) {
        let cursor = Cursor { tokens: self.tokens.all(), pos: at as usize };
        self.report(Problem::missing(cursor, self.symbols, punct, after));
    }

    /// A token by its index.
    pub(super) fn token(&self, token: TokenId) -> Token {
        Cursor { tokens: self.tokens.all(), pos: 0 }.token(token)
    }

    /// The span of a token.
    pub(super) fn span_of(&self, token: TokenId) -> Span {
        self.token(token).span
    }

    /// A token as a message shows it.
    pub(super) fn token_text(&self, token: Token) -> String {
        token.text(self.symbols)
    }

    /// Returns whether a word is a keyword of this language version.
    pub(super) fn is_keyword(&self, word: Symbol) -> bool {
        words::is_keyword(word, words::Language::from_options(self.options))
    }
}

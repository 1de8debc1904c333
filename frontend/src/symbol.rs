//! Interned identifiers. Keywords are interned first, so that a keyword's symbol is a constant.

use crate::source::Span;
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// An interned string; equal strings have equal symbols.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The text of a symbol, which copies share. Keywords and the names of types are no copies: every compilation interns two hundred of them.
#[derive(Debug, Clone)]
pub enum Text {
    /// Of the front end.
    Static(&'static str),
    /// Of a source.
    Shared(Arc<str>),
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Shared(text) => text,
        }
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Text) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Text {
        Text::Static(text)
    }
}

/// Text to [`Symbol`] and back.
#[derive(Debug, Default)]
pub struct Interner {
    texts: Vec<Text>,
    symbols: FxHashMap<Text, Symbol>,
    /// The macros that the source defines and are there at its end, for "did you mean".
    pub(crate) macros: Vec<MacroName>,
}

/// The name of a macro that the source defines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MacroName {
    /// The name.
    pub name: Symbol,
    /// Its place in the definition.
    pub at: Span,
    /// It is called like a function.
    pub has_parameters: bool,
}

impl Interner {
    /// An interner that knows the keywords of [`kw`].
    pub fn new() -> Self {
        // Keywords, predefined macros and types are some two hundred.
        let mut interner = Interner::default();
        interner.texts.reserve(400);
        interner.symbols.reserve(400);
        for text in kw::ALL {
            interner.intern_static(text);
        }
        interner
    }

    /// The symbol of `text`.
    pub fn intern(&mut self, text: &str) -> Symbol {
        match self.symbols.get(text) {
            Some(symbol) => *symbol,
            None => self.add(Text::Shared(text.into())),
        }
    }

    /// [`Interner::intern`], for a text that needs no copy.
    pub fn intern_static(&mut self, text: &'static str) -> Symbol {
        match self.symbols.get(text) {
            Some(symbol) => *symbol,
            None => self.add(Text::Static(text)),
        }
    }

    fn add(&mut self, text: Text) -> Symbol {
        let symbol = Symbol(u32::try_from(self.texts.len()).expect("fewer than 2^32 names"));
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The symbol of `text` if it was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.symbols.get(text).copied()
    }

    /// The text of `symbol`.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// The text of `symbol`, shared, so that the interner can be changed meanwhile.
    pub fn shared(&self, symbol: Symbol) -> Text {
        self.texts[symbol.0 as usize].clone()
    }
}

/// The keywords of OpenCL C (§6.1.10) and the GNU spellings that programs use, as constants.
pub mod kw {
    use super::Symbol;

    macro_rules! keywords {
        ($($name:ident = $text:literal),* $(,)?) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Index { $($name),* }
            $(#[doc = concat!("`", $text, "`")] pub const $name: Symbol = Symbol(Index::$name as u32);)*
            /// Every keyword's text, in the order of its symbol.
            pub const ALL: &[&str] = &[$($text),*];
        };
    }

    // A macro, because the constants and the list must not drift apart.
    keywords! {
        AUTO = "auto", BREAK = "break", CASE = "case", CONST = "const", CONTINUE = "continue",
        DEFAULT = "default", DO = "do", ELSE = "else", ENUM = "enum", EXTERN = "extern", FOR = "for",
        GOTO = "goto", IF = "if", INLINE = "inline", REGISTER = "register", RESTRICT = "restrict",
        RETURN = "return", SIZEOF = "sizeof", STATIC = "static", STRUCT = "struct", SWITCH = "switch",
        TYPEDEF = "typedef", UNION = "union", VOLATILE = "volatile", WHILE = "while",
        VOID = "void", BOOL = "bool", BOOL_C99 = "_Bool", CHAR = "char", SHORT = "short", INT = "int",
        LONG = "long", FLOAT = "float", DOUBLE = "double", HALF = "half", SIGNED = "signed",
        UNSIGNED = "unsigned",
        GLOBAL = "global", GLOBAL_U = "__global", LOCAL = "local", LOCAL_U = "__local",
        CONSTANT = "constant", CONSTANT_U = "__constant", PRIVATE = "private", PRIVATE_U = "__private",
        GENERIC = "generic", GENERIC_U = "__generic",
        KERNEL = "kernel", KERNEL_U = "__kernel",
        READ_ONLY = "read_only", READ_ONLY_U = "__read_only", WRITE_ONLY = "write_only",
        WRITE_ONLY_U = "__write_only", READ_WRITE = "read_write", READ_WRITE_U = "__read_write",
        PIPE = "pipe",
        ATTRIBUTE = "__attribute__", ATTRIBUTE_2 = "__attribute", ASM = "asm", ASM_U = "__asm__", ASM_2 = "__asm",
        CONST_U = "__const", CONST_UU = "__const__", VOLATILE_U = "__volatile__", VOLATILE_2 = "__volatile",
        RESTRICT_U = "__restrict", RESTRICT_UU = "__restrict__", INLINE_U = "__inline", INLINE_UU = "__inline__",
        SIGNED_U = "__signed__", TYPEOF = "typeof", TYPEOF_U = "__typeof__", TYPEOF_2 = "__typeof",
        ALIGNOF = "__alignof__", ALIGNOF_2 = "__alignof", ALIGNOF_3 = "_Alignof", VEC_STEP = "vec_step",
        EXTENSION = "__extension__", FUNC = "__func__", FUNCTION = "__FUNCTION__", PRETTY_FUNCTION = "__PRETTY_FUNCTION__",
        STATIC_ASSERT = "_Static_assert", GENERIC_C11 = "_Generic", NORETURN = "_Noreturn",
        COMPLEX = "_Complex", IMAGINARY = "_Imaginary", ATOMIC = "_Atomic", ALIGNAS = "_Alignas",
        SIGNED_2 = "__signed", AUTO_TYPE = "__auto_type", LABEL = "__label__",
        // The keywords of C++ for OpenCL that are none of OpenCL C: see FIRST_OF_CXX.
        CLASS = "class", TEMPLATE = "template", TYPENAME = "typename", NAMESPACE = "namespace", USING = "using",
        PUBLIC = "public", PROTECTED = "protected", THIS = "this", NULLPTR = "nullptr", OPERATOR = "operator",
        NEW = "new", DELETE = "delete", THROW = "throw", TRY = "try", CATCH = "catch", TYPEID = "typeid",
        DYNAMIC_CAST = "dynamic_cast", STATIC_CAST = "static_cast", REINTERPRET_CAST = "reinterpret_cast",
        CONST_CAST = "const_cast", ADDRSPACE_CAST = "addrspace_cast", VIRTUAL = "virtual", EXPLICIT = "explicit",
        FRIEND = "friend", MUTABLE = "mutable", CONSTEXPR = "constexpr", DECLTYPE = "decltype",
        NOEXCEPT = "noexcept", STATIC_ASSERT_CXX = "static_assert", THREAD_LOCAL = "thread_local",
        ALIGNAS_CXX = "alignas", ALIGNOF_CXX = "alignof", WCHAR_T = "wchar_t", CHAR16_T = "char16_t",
        CHAR32_T = "char32_t", TRUE = "true", FALSE = "false",
        // Names of C++ that are no keywords: operators, special members, words with a meaning in places.
        OP_NEW = "operator new", OP_NEW_ARRAY = "operator new[]", OP_DELETE = "operator delete",
        OP_DELETE_ARRAY = "operator delete[]", OP_ADD = "operator+", OP_SUB = "operator-", OP_MUL = "operator*",
        OP_DIV = "operator/", OP_REM = "operator%", OP_XOR = "operator^", OP_AND = "operator&", OP_OR = "operator|",
        OP_COMPL = "operator~", OP_NOT = "operator!", OP_ASSIGN = "operator=", OP_LT = "operator<",
        OP_GT = "operator>", OP_ADD_ASSIGN = "operator+=", OP_SUB_ASSIGN = "operator-=", OP_MUL_ASSIGN = "operator*=",
        OP_DIV_ASSIGN = "operator/=", OP_REM_ASSIGN = "operator%=", OP_XOR_ASSIGN = "operator^=",
        OP_AND_ASSIGN = "operator&=", OP_OR_ASSIGN = "operator|=", OP_SHL = "operator<<", OP_SHR = "operator>>",
        OP_SHL_ASSIGN = "operator<<=", OP_SHR_ASSIGN = "operator>>=", OP_EQ = "operator==", OP_NE = "operator!=",
        OP_LE = "operator<=", OP_GE = "operator>=", OP_ANDAND = "operator&&", OP_OROR = "operator||",
        OP_INC = "operator++", OP_DEC = "operator--", OP_COMMA = "operator,", OP_ARROW = "operator->",
        OP_CALL = "operator()", OP_INDEX = "operator[]", CONSTRUCTOR = "<constructor>", DESTRUCTOR = "<destructor>",
        CONVERSION = "<conversion>", REMOVE_SPACE = "__remove_address_space", FINAL = "final", OVERRIDE = "override",
        TYPE_MEMBER = "type",
    }

    /// The first keyword that is one of C++ for OpenCL alone.
    pub const FIRST_OF_CXX: Symbol = CLASS;
    /// The first of the names behind the keywords.
    pub const FIRST_NAME: Symbol = OP_NEW;
}

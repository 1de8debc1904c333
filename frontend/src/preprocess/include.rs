//! `#include` (C99 §6.10.2): headers given with the program first, then (for `"x"`) the directory of the including
//! file, which is the working directory for text that is in no file, then the `-I` directories in order.

use super::directives::unquote;
use super::lexer::{Lexer, spell};
use super::{Frame, MAX_SOURCE_BYTES, Preprocessor};
use crate::source::Span;
use crate::token::{Punct, Token, TokenKind};
use std::path::{Path, PathBuf};

/// Files open at once.
const MAX_DEPTH: usize = 200;
/// Inclusions in one compilation: what a file that includes itself twice would never end.
const MAX_INCLUSIONS: u32 = 20_000;

/// Where a file came from: what its own includes are relative to, and what `#pragma once` goes by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// Text without a file.
    Text,
    /// A header given with the program.
    Header(String),
    /// A file on disk.
    Disk(PathBuf),
}

impl Origin {
    /// The main source: diagnostics' name for it may be a file's.
    pub fn of_main(name: &str) -> Origin {
        if Path::new(name).is_file() { Origin::Disk(PathBuf::from(name)) } else { Origin::Text }
    }
}

impl Preprocessor<'_> {
    /// `#include`; with `next` `#include_next`, which looks in the directories behind the one of the current file.
    pub(super) fn include(&mut self, directive: Span, next: bool) {
        let Some((name, angled, span)) = self.header(directive) else { return };
        let Some((origin, text)) = self.find(&name, angled, next, span) else { return };
        if self.once.contains(&origin) {
            return;
        }
        self.included += 1;
        if self.frames.len() >= MAX_DEPTH || self.included > MAX_INCLUSIONS {
            self.fatal("include-too-deep", span, "#include nested too deeply");
            return;
        }
        let total = self.sources.files.last().map_or(0, |f| f.start as usize + f.text.len());
        if total + text.len() > MAX_SOURCE_BYTES {
            self.fatal("source-too-large", span, "the sources are larger than 256 MiB together");
            return;
        }
        let shown = match &origin {
            Origin::Disk(path) => path.display().to_string(),
            _ => name,
        };
        let id = self.sources.add(&shown, &text);
        let file = &mut self.sources.files[id.0 as usize];
        file.included_from = Some(span);
        let lexer = Lexer::new(file.text.clone(), file.start);
        self.frames.push(Frame { id, lexer, conditionals: self.conditionals.len(), origin });
    }

    /// The header's name: as written, or from the macro-replaced line (§6.10.2 paragraph 4).
    fn header(&mut self, directive: Span) -> Option<(String, bool, Span)> {
        let written = self.frames.last_mut().and_then(|f| f.lexer.header_name());
        let rest = self.line_tokens();
        if let Some((name, angled, span)) = written {
            if let Some(extra) = rest.first() {
                let message = "extra tokens at end of #include directive";
                self.diags.warning("extra-tokens", extra.span, message);
            }
            return Some((name, angled, span));
        }
        let span = rest.first().map_or(directive, |t| t.span);
        let tokens = self.expand_tokens(&rest);
        if let Some((name, angled)) = self.header_of(&tokens) {
            return Some((name, angled, span));
        }
        self.diags.error("invalid-include", span, "expected \"FILENAME\" or <FILENAME>");
        None
    }

    /// The header's name that tokens spell, and whether it is in `<>`.
    pub(super) fn header_of(&self, tokens: &[Token]) -> Option<(String, bool)> {
        match tokens.first()?.kind {
            TokenKind::Str(text) => Some((unquote(self.symbols.text(text)), false)),
            TokenKind::Punct(Punct::Lt) => {
                let mut name = String::new();
                for token in &tokens[1..] {
                    if token.kind == TokenKind::Punct(Punct::Gt) {
                        return Some((name, true));
                    }
                    if token.space_before && !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(&spell(token, self.symbols));
                }
                None
            }
            _ => None,
        }
    }

    /// Returns where a header is: what was given with the program, or a file on disk.
    ///
    /// # Errors
    /// The directories that were searched.
    pub(super) fn search(&self, name: &str, angled: bool, next: bool) -> Result<Origin, Vec<PathBuf>> {
        let including = self.frames.last().map(|f| &f.origin);
        let header = |wanted: &str| {
            let found = self.options.headers.iter().find(|(n, _)| n == wanted)?;
            let origin = Origin::Header(found.0.clone());
            (!next || including != Some(&origin)).then_some(origin)
        };
        if let Some(found) = header(name) {
            return Ok(found);
        }
        if let (Some(Origin::Header(from)), false) = (including, angled) {
            let beside = Path::new(from).parent().map(|p| p.join(name));
            if let Some(found) = beside.and_then(|p| header(p.to_str()?)) {
                return Ok(found);
            }
        }
        if !self.options.include_files {
            return Err(Vec::new());
        }
        let mut places = Vec::new();
        match including {
            _ if next => {}
            Some(Origin::Disk(from)) if !angled => {
                places.push(from.parent().map_or_else(PathBuf::new, Path::to_path_buf))
            }
            Some(Origin::Text) if !angled => places.push(PathBuf::new()),
            _ => {}
        }
        if Path::new(name).is_absolute() {
            places = vec![PathBuf::new()];
        } else {
            let dirs = &self.options.include_dirs;
            let current = match including {
                Some(Origin::Disk(path)) if next => dirs.iter().position(|d| path.starts_with(d)),
                _ => None,
            };
            places.extend(dirs.iter().skip(current.map_or(0, |i| i + 1)).cloned());
        }
        let found = places.iter().map(|place| place.join(name)).find(|path| path.is_file());
        found.map(Origin::Disk).ok_or(places)
    }

    fn find(&mut self, name: &str, angled: bool, next: bool, span: Span) -> Option<(Origin, String)> {
        let places = match self.search(name, angled, next) {
            Ok(Origin::Disk(path)) => {
                return match std::fs::read(&path) {
                    Ok(bytes) => Some((Origin::Disk(path), String::from_utf8_lossy(&bytes).into_owned())),
                    Err(error) => {
                        let message = format!("cannot read '{}': {error}", path.display());
                        self.diags.error("unreadable-file", span, message);
                        None
                    }
                };
            }
            Ok(Origin::Header(header)) => {
                let text = self.options.headers.iter().find(|(n, _)| *n == header)?.1.clone();
                return Some((Origin::Header(header), text));
            }
            Ok(Origin::Text) => return None,
            Err(places) => places,
        };
        if !self.options.include_files {
            let message = format!("'{name}' file not found among the headers that the program was given");
            self.diags.error("file-not-found", span, message).remark("#include reads no files here");
            return None;
        }
        let diagnostic = self.diags.error("file-not-found", span, format!("'{name}' file not found"));
        if Path::new(name).is_absolute() {
            return None;
        }
        if !places.is_empty() {
            let list: Vec<String> = places
                .iter()
                .map(|p| if p.as_os_str().is_empty() { ".".into() } else { p.display().to_string() })
                .collect();
            diagnostic.remark(format!("searched in {}", list.join(", ")));
        } else {
            diagnostic.remark("no include directories were given (-I)");
        }
        None
    }
}

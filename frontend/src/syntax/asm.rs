//! The grammar of `asm` statements: GCC's syntax of operands and constraints.
//!
//! ```text
//! asm-statement: ("asm" | "__asm__" | "__asm") qualifier* "(" strings (":" outputs (":" inputs (":" clobbers)?)?)? ")" ";"
//! operand:       ("[" name "]")? string "(" expression ")"
//! ```

use super::declaration::row;
use super::expr::Parser;
use super::problem::Problem;
use super::statement::{Asm, AsmOperand, AsmOperandKind, StmtKind, Tokens};
use crate::symbol::kw;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// An `asm` statement, at the keyword.
    pub(super) fn asm_statement(&mut self) -> StmtKind {
        let start = self.span_of(self.here());
        self.bump();
        let problems = self.problem_count();
        while let TokenKind::Ident(
            kw::VOLATILE
            | kw::VOLATILE_U
            | kw::VOLATILE_2
            | kw::CONST
            | kw::CONST_U
            | kw::CONST_UU
            | kw::INLINE
            | kw::INLINE_U
            | kw::INLINE_UU,
        ) = self.peek().kind
        {
            self.bump();
        }
        if self.at_word(kw::GOTO) {
            let message = "'asm goto' is not supported".to_owned();
            self.report(Problem::new("inline-assembly", start, message));
            self.skip_to_statement_end();
            return StmtKind::Empty;
        }
        if !self.at(Punct::LParen) {
            self.expect(Punct::LParen, "'asm'");
            self.skip_to_statement_end();
            return StmtKind::Empty;
        }
        self.bump();
        let Some(text) = self.asm_strings("the instructions of 'asm'") else {
            self.skip_to_statement_end();
            return StmtKind::Empty;
        };
        let basic = !self.at(Punct::Colon);
        let mut operands = Vec::new();
        let whole = self.asm_operands(&mut operands);
        let operands = row(&mut self.tree.statements.asm_operands, operands);
        if whole {
            self.close(Punct::RParen, "operands of 'asm'");
        }
        let close = self.here().saturating_sub(1);
        if whole {
            self.end_declaration("'asm' statement", problems);
        } else {
            self.skip_to_statement_end();
        }
        self.tree.statements.asms.push(Asm { text, basic, operands, close, whole });
        StmtKind::Asm(self.tree.statements.asms.len() as u32 - 1)
    }

    /// Adjacent literals; `None` after a problem.
    fn asm_strings(&mut self, what: &str) -> Option<Tokens> {
        let text = self.strings();
        if text.0 < text.1 {
            return Some(text);
        }
        let token = self.peek();
        let message = format!("expected {what} as a string, found {}", token.text(self.symbols));
        self.report(Problem::new("expected-token", token.span, message));
        None
    }

    /// The parts after the text: outputs, inputs, clobbers, each behind a colon. Returns whether all could be read.
    fn asm_operands(&mut self, into: &mut Vec<AsmOperand>) -> bool {
        for kind in [AsmOperandKind::Output, AsmOperandKind::Input, AsmOperandKind::Clobber] {
            if !self.eat(Punct::Colon) {
                return true;
            }
            if self.at(Punct::Colon) || self.at(Punct::RParen) {
                continue;
            }
            loop {
                let Some(operand) = self.asm_operand(kind) else { return false };
                into.push(operand);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        true
    }

    fn asm_operand(&mut self, kind: AsmOperandKind) -> Option<AsmOperand> {
        if kind == AsmOperandKind::Clobber {
            let constraint = self.asm_strings("a clobber")?;
            let problems_end = self.problem_count();
            return Some(AsmOperand { kind, name: None, constraint, value: None, problems_end });
        }
        let mut name = None;
        if self.eat(Punct::LBracket) {
            match self.bump().kind {
                TokenKind::Ident(symbol) => name = Some(symbol),
                _ => {
                    let message = "expected the name of an operand of 'asm'".to_owned();
                    self.report(Problem::new("expected-identifier", self.previous_span(), message));
                    return None;
                }
            }
            self.expect(Punct::RBracket, "the name of an operand");
        }
        let constraint = self.asm_strings("a constraint")?;
        if !self.at(Punct::LParen) {
            self.expect(Punct::LParen, "a constraint");
            return None;
        }
        self.bump();
        let value = Some(self.range(|p| p.expression()));
        self.close(Punct::RParen, "operand of 'asm'");
        Some(AsmOperand { kind, name, constraint, value, problems_end: self.problem_count() })
    }
}

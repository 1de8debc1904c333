//! The translation of a text: its statements in order.

use super::context::{Context, Host, Inst, Operand, Scope};
use super::lex::lex;
use super::read;
use super::statement::{Instruction, Statement, What};
use super::table;
use super::types::{Error, Type};
use crate::hir::{Stmt, StmtKind};

/// Translates a text. A statement without operands is `basic`.
///
/// # Errors
/// The first instruction or operand that has no translation.
pub(crate) fn translate(
    host: Host<'_>,
    text: &str,
    basic: bool,
    operands: &[Operand],
) -> Result<Vec<Stmt>, Error> {
    let names: Vec<Option<&str>> = operands.iter().map(|o| o.name.as_deref()).collect();
    let statements = read::read(&lex(text, basic, &names)?, |name| table::find(name).is_some())?;
    let mut context = Context { host, operands, at: 0, stmts: Vec::new(), scopes: vec![Scope::default()] };
    for statement in &statements {
        context.at = statement.at;
        context.statement(statement)?;
    }
    if context.scopes.len() != 1 {
        context.at = text.len().saturating_sub(1);
        return context.error("'}' is missing");
    }
    context.close()?;
    Ok(context.stmts)
}

impl Context<'_> {
    fn statement(&mut self, statement: &Statement) -> Result<(), Error> {
        match &statement.what {
            What::Open => {
                self.scopes.push(Scope::default());
                Ok(())
            }
            What::Close if self.scopes.len() == 1 => self.error("'}' closes nothing"),
            What::Close => self.close(),
            What::Label(name) => self.define_label(name),
            What::Registers(ty, names) => self.declare(*ty, names),
            What::Instruction(instruction) => self.instruction(instruction),
        }
    }

    fn instruction(&mut self, instruction: &Instruction) -> Result<(), Error> {
        let inst = self.sorted(instruction)?;
        let Some((predicate, negated)) = &instruction.guard else { return (inst.row.translate)(self, &inst) };
        let cond = self.get(predicate, Type::Pred)?;
        let cond = if *negated { self.not(cond) } else { cond };
        let then = Box::new(self.block(|c| (inst.row.translate)(c, &inst))?);
        self.push(StmtKind::If { cond, then, els: None });
        Ok(())
    }

    /// Looks the instruction up and sorts its suffixes.
    fn sorted<'i>(&self, instruction: &'i Instruction) -> Result<Inst<'i>, Error> {
        let name = &instruction.name;
        let Some(row) = table::find(name) else {
            return self.error(format!("PTX instruction '{name}' is unknown or not supported"));
        };
        let mut inst =
            Inst { row, types: Vec::new(), modifiers: Vec::new(), operands: &instruction.operands };
        for suffix in &instruction.suffixes {
            match Type::parse(suffix) {
                Some(ty) => inst.types.push(ty),
                None if row.has_modifier(suffix) => inst.modifiers.push(suffix),
                None => return self.error(format!("'{name}' has no modifier '.{suffix}' that is supported")),
            }
        }
        if inst.types.len() != row.types.len() {
            let (given, wanted) = (inst.types.len(), row.types.len());
            return self
                .error(format!("'{name}' has {given} types; {wanted} expected (PTX ISA §{})", row.section));
        }
        for (ty, allowed) in inst.types.iter().zip(row.types) {
            if !allowed.contains(ty) {
                return self.error(format!(
                    "'{name}' does not take the type '.{}' (PTX ISA §{})",
                    ty.name(),
                    row.section
                ));
            }
            self.needs_type(*ty)?;
        }
        let count = inst.operands.len();
        let (least, most) = row.operands;
        if count < usize::from(least) || count > usize::from(most) {
            let wanted = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let meaning = row.meaning;
            return self.error(format!("'{name}' ({meaning}) has {count} operands; {wanted} expected"));
        }
        Ok(inst)
    }
}

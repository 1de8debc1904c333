//! Copies of naga's blocks, in which each expression is evaluated anew.

use naga::{Arena, AtomicFunction, Block, Expression, Handle, Range, Statement};
use std::collections::HashMap;

/// The copies of expressions.
type Copies = HashMap<Handle<Expression>, Handle<Expression>>;

/// Copies a block.
///
/// # Errors
/// A statement or an expression that our kernels do not have.
pub(super) fn block(original: &Block, expressions: &mut Arena<Expression>) -> Result<Block, String> {
    copy_block(original, expressions, &mut Copies::new())
}

fn copy_block(
    original: &Block,
    expressions: &mut Arena<Expression>,
    copies: &mut Copies,
) -> Result<Block, String> {
    let mut made = Block::new();
    for (statement, span) in original.span_iter() {
        if let Statement::Emit(range) = statement {
            let first = expressions.len() as u32;
            for handle in range.clone() {
                let (copied, span) =
                    (copy_expression(&expressions[handle], copies)?, expressions.get_span(handle));
                copies.insert(handle, expressions.append(copied, span));
            }
            let range = Range::from_index_range(first..expressions.len() as u32, expressions);
            made.push(Statement::Emit(range), *span);
            continue;
        }
        made.push(copy_statement(statement, expressions, copies)?, *span);
    }
    Ok(made)
}

fn copy_statement(
    statement: &Statement,
    expressions: &mut Arena<Expression>,
    copies: &mut Copies,
) -> Result<Statement, String> {
    let mut copied = statement.clone();
    let of = |copies: &Copies, handle: Handle<Expression>| copies.get(&handle).copied().unwrap_or(handle);
    match &mut copied {
        Statement::Block(body) => *body = copy_block(body, expressions, copies)?,
        Statement::If { condition, accept, reject } => {
            *condition = of(copies, *condition);
            *accept = copy_block(accept, expressions, copies)?;
            *reject = copy_block(reject, expressions, copies)?;
        }
        Statement::Switch { selector, cases } => {
            *selector = of(copies, *selector);
            for case in cases {
                case.body = copy_block(&case.body, expressions, copies)?;
            }
        }
        Statement::Loop { body, continuing, break_if } => {
            *body = copy_block(body, expressions, copies)?;
            *continuing = copy_block(continuing, expressions, copies)?;
            *break_if = break_if.map(|condition| of(copies, condition));
        }
        Statement::Store { pointer, value } => {
            (*pointer, *value) = (of(copies, *pointer), of(copies, *value));
        }
        Statement::Return { value } => *value = value.map(|value| of(copies, value)),
        Statement::Atomic { pointer, fun, value, result } => {
            (*pointer, *value) = (of(copies, *pointer), of(copies, *value));
            if let AtomicFunction::Exchange { compare: Some(compare) } = fun {
                *compare = of(copies, *compare);
            }
            if let Some(result) = result {
                let span = expressions.get_span(*result);
                let anew = expressions.append(expressions[*result].clone(), span);
                copies.insert(*result, anew);
                *result = anew;
            }
        }
        Statement::Call { arguments, result, .. } => {
            for argument in arguments {
                *argument = of(copies, *argument);
            }
            if let Some(result) = result {
                let span = expressions.get_span(*result);
                let anew = expressions.append(expressions[*result].clone(), span);
                copies.insert(*result, anew);
                *result = anew;
            }
        }
        Statement::Break | Statement::Continue | Statement::Kill => {}
        Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {}
        other => return Err(format!("naga: a case that falls through into {other:?}")),
    }
    Ok(copied)
}

fn copy_expression(expression: &Expression, copies: &Copies) -> Result<Expression, String> {
    let of = |handle: &mut Handle<Expression>| *handle = copies.get(handle).copied().unwrap_or(*handle);
    let mut copied = expression.clone();
    match &mut copied {
        Expression::Access { base, index } => [base, index].into_iter().for_each(of),
        Expression::AccessIndex { base, .. } => of(base),
        Expression::Splat { value, .. } => of(value),
        Expression::Swizzle { vector, .. } => of(vector),
        Expression::Compose { components, .. } => components.iter_mut().for_each(of),
        Expression::Load { pointer } => of(pointer),
        Expression::Unary { expr, .. } => of(expr),
        Expression::Binary { left, right, .. } => [left, right].into_iter().for_each(of),
        Expression::Select { condition, accept, reject } => {
            [condition, accept, reject].into_iter().for_each(of);
        }
        Expression::Relational { argument, .. } => of(argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => {
            of(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(of);
        }
        Expression::As { expr, .. } => of(expr),
        Expression::ArrayLength(array) => of(array),
        other => return Err(format!("naga: a case that falls through into {other:?}")),
    }
    Ok(copied)
}

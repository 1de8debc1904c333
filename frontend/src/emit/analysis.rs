//! What emission must know of a function before it starts: which parameters need storage, and
//! whether its control flow can carry merge instructions. One walk over the tree.

use crate::hir::{
    Block, CastKind, Expr, ExprKind, FunctionId, Init, Linkage, LocalId, Program, Stmt, StmtKind,
};
use crate::types::Type;

/// What is known of one function.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionFacts {
    /// By local: it is assigned or its address is taken, so that a parameter needs a variable.
    pub stored: Vec<bool>,
    /// It has a `goto`, or a `case` label that is not directly in its switch's body.
    pub irregular: bool,
}

/// What is known of the whole program.
#[derive(Debug, Clone, Default)]
pub(super) struct ProgramFacts {
    /// By function: something calls it.
    pub called: Vec<bool>,
    /// By function.
    pub functions: Vec<FunctionFacts>,
    /// Somewhere a pointer loses the const of its pointee: const promises nothing in this program.
    pub drops_const: bool,
}

impl ProgramFacts {
    /// Walks all functions. `for_linking`: other modules may call every kernel, and what they do is unknown.
    pub fn new(program: &Program, for_linking: bool) -> Self {
        let mut facts = ProgramFacts {
            called: vec![false; program.functions.len()],
            functions: Vec::with_capacity(program.functions.len()),
            drops_const: false,
        };
        if for_linking {
            facts.called = program.functions.iter().map(|f| f.kernel.is_some()).collect();
            facts.drops_const = program.functions.iter().any(|f| f.linkage == Linkage::Import);
        }
        let mut walker = Walker { program, facts, current: FunctionFacts::default() };
        for function in &program.functions {
            walker.current = FunctionFacts { stored: vec![false; function.locals.len()], irregular: false };
            if let Some(body) = &function.body {
                walker.block(body);
            }
            walker.facts.functions.push(std::mem::take(&mut walker.current));
        }
        walker.facts
    }
}

/// The parameter or variable that an lvalue is part of, when reading that part needs no memory.
pub(super) fn value_root(program: &Program, mut lvalue: &Expr) -> Option<LocalId> {
    loop {
        match &lvalue.kind {
            ExprKind::Local(id) => return Some(*id),
            ExprKind::Swizzle { base, .. } | ExprKind::VectorElement { base, .. } => lvalue = base,
            ExprKind::Member { base, .. } => match program.types.get(base.ty.ty) {
                Type::Record(r) if !program.types.record(*r).is_union => lvalue = base,
                _ => return None,
            },
            _ => return None,
        }
    }
}

struct Walker<'p> {
    program: &'p Program,
    facts: ProgramFacts,
    current: FunctionFacts,
}

impl Walker<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt, false);
        }
    }

    /// `in_switch`: a case label here is directly in its switch's body.
    fn stmt(&mut self, stmt: &Stmt, in_switch: bool) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Declare(_, init) => {
                if let Some(init) = init {
                    self.init(init);
                }
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.stmt(then, false);
                if let Some(els) = els {
                    self.stmt(els, false);
                }
            }
            StmtKind::While { cond, body, .. } | StmtKind::DoWhile { body, cond, .. } => {
                self.expr(cond);
                self.stmt(body, false);
            }
            StmtKind::For { init, cond, step, body, .. } => {
                for stmt in init {
                    self.stmt(stmt, false);
                }
                for expr in cond.iter().chain(step) {
                    self.expr(expr);
                }
                self.stmt(body, false);
            }
            StmtKind::Switch { value, body } => {
                self.expr(value);
                match &body.kind {
                    StmtKind::Block(block) => block.stmts.iter().for_each(|s| self.stmt(s, true)),
                    _ => self.stmt(body, true),
                }
            }
            StmtKind::Case { body, .. } | StmtKind::Default { body } => {
                self.current.irregular |= !in_switch;
                self.stmt(body, in_switch);
            }
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            StmtKind::Goto(_) => self.current.irregular = true,
            StmtKind::Label { body, .. } => self.stmt(body, false),
            StmtKind::Break | StmtKind::Continue | StmtKind::Empty => {}
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Whole(e) => self.expr(e),
            Init::List { leaves, .. } => leaves.iter().for_each(|(_, e)| self.expr(e)),
            Init::Constant(_) => {}
        }
    }

    /// An lvalue that is written, or whose address is used.
    fn stored(&mut self, lvalue: &Expr) {
        let mut at = lvalue;
        loop {
            match &at.kind {
                ExprKind::Local(LocalId(id)) => {
                    if let Some(stored) = self.current.stored.get_mut(*id as usize) {
                        *stored = true;
                    }
                    return;
                }
                ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => at = base,
                ExprKind::VectorElement { base, index } => {
                    self.expr(index);
                    at = base;
                }
                _ => return self.expr(at),
            }
        }
    }

    /// An lvalue that is read.
    fn loaded(&mut self, lvalue: &Expr) {
        if value_root(self.program, lvalue).is_none() {
            return self.stored(lvalue);
        }
        let mut at = lvalue;
        loop {
            match &at.kind {
                ExprKind::VectorElement { base, index } => {
                    self.expr(index);
                    at = base;
                }
                ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } => at = base,
                _ => return,
            }
        }
    }

    fn expr(&mut self, mut expr: &Expr) {
        // Long chains lean to one side; they are walked without recursion.
        loop {
            match &expr.kind {
                ExprKind::Binary { lhs, rhs, .. }
                | ExprKind::LogicalAnd { lhs, rhs }
                | ExprKind::LogicalOr { lhs, rhs }
                | ExprKind::VectorLogical { lhs, rhs, .. }
                | ExprKind::PointerDifference { lhs, rhs }
                | ExprKind::Comma { first: lhs, second: rhs } => {
                    self.expr(rhs);
                    expr = lhs;
                }
                ExprKind::Cast { kind, operand } => {
                    self.cast(*kind, operand, expr);
                    expr = operand;
                }
                ExprKind::Conditional { cond, then, els } => {
                    self.expr(cond);
                    self.expr(then);
                    expr = els;
                }
                ExprKind::PointerOffset { pointer, index, .. } => {
                    self.expr(index);
                    expr = pointer;
                }
                _ => return self.one(expr),
            }
        }
    }

    fn one(&mut self, expr: &Expr) {
        use ExprKind::*;
        match &expr.kind {
            Load(lvalue) => self.loaded(lvalue),
            AddressOf(e) | ArrayDecay(e) => self.stored(e),
            Deref(e) | Unary { operand: e, .. } | MemberValue { base: e, .. } => self.expr(e),
            SwizzleValue { base, .. } => self.expr(base),
            VectorElementValue { base, index } => {
                self.expr(base);
                self.expr(index);
            }
            VectorSelect { cond, then, els } => {
                [cond, then, els].into_iter().for_each(|e| self.expr(e));
            }
            Assign { lhs, rhs } | CompoundAssign { lhs, rhs, .. } => {
                self.stored(lhs);
                self.expr(rhs);
            }
            IncDec { lvalue, .. } => self.stored(lvalue),
            Block { captures, .. } => self.expr(captures),
            CallBlock { block, args } => {
                self.expr(block);
                args.iter().for_each(|e| self.expr(e));
            }
            Call { function, args } => {
                self.call(*function);
                args.iter().for_each(|e| self.expr(e));
            }
            Builtin { args, .. } | Printf { args, .. } | VectorLiteral(args) => {
                args.iter().for_each(|e| self.expr(e));
            }
            CompoundLiteral { init, .. } => self.init(init),
            Statements { block, value } => {
                self.block(block);
                if let Some(value) = value {
                    self.expr(value);
                }
            }
            Member { base, .. } | Swizzle { base, .. } => self.stored(base),
            VectorElement { base, index } => {
                self.stored(base);
                self.expr(index);
            }
            Binary { .. } | LogicalAnd { .. } | LogicalOr { .. } | VectorLogical { .. } => {}
            PointerDifference { .. } | Comma { .. } | Cast { .. } => {}
            Conditional { .. } | PointerOffset { .. } => {}
            Local(_) | Global(_) | Constant(_) | Error => {}
        }
    }

    fn call(&mut self, function: FunctionId) {
        if let Some(called) = self.facts.called.get_mut(function.0 as usize) {
            *called = true;
        }
    }

    fn cast(&mut self, kind: CastKind, operand: &Expr, result: &Expr) {
        let pointee = |ty| self.program.types.pointee(ty);
        self.facts.drops_const |= match kind {
            CastKind::PointerBitcast | CastKind::PointerSpace => {
                let from = pointee(operand.ty.ty).is_some_and(|p| p.is_const);
                from && pointee(result.ty.ty).is_some_and(|p| !p.is_const)
            }
            CastKind::PointerToInt => pointee(operand.ty.ty).is_some_and(|p| p.is_const),
            _ => false,
        };
    }
}

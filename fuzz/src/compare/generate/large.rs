//! Statements with dozens and hundreds of one construct: cases, `else if`, labels, exits of a loop, loops in a row. Drivers and passes that
//! are right with few of them may be wrong with many.

use super::super::ast::*;
use super::{Generator, Place};

impl Generator<'_> {
    /// One of them, and a variable that tells the way that was taken.
    pub(super) fn large(&mut self, depth: usize, result: &Ty) -> Vec<Stmt> {
        let count = [24, 40, 70, 90, 140, 300][self.random.below(6)];
        let acc = self.variable("c", UINT, Space::Private);
        let begin = self.number(Scalar::U32, 1);
        let mut list = vec![Stmt::Decl(acc, Some(Init::Expr(begin)))];
        let depth = depth.min(1);
        match self.random.below(6) {
            0 | 1 => list.extend(self.large_switch(acc, count, depth, result)),
            2 => list.extend(self.else_ifs(acc, count, depth, result)),
            3 => list.extend(self.labels_in_a_row(acc, count.min(90))),
            4 => list.push(self.exits_in_a_row(acc, count, result)),
            _ => {
                for n in 0..count.min(40) {
                    list.push(self.short_loop(acc, n as u32));
                }
            }
        }
        self.scope.push(acc);
        if self.function != Place::Kernel {
            self.local_values.push(acc);
        }
        list
    }

    /// `acc = acc * 3 + n`
    fn step(&self, acc: VarId, n: u32) -> Stmt {
        let tripled = Expr::binary(Binary::Mul, self.var(acc), Expr::uint(3));
        Stmt::Assign(self.var(acc), None, Expr::binary(Binary::Add, tripled, Expr::uint(n)))
    }

    fn step_with_jump(&mut self, acc: VarId, n: u32, often: usize, result: &Ty) -> Vec<Stmt> {
        let mut body = vec![self.step(acc, n)];
        if self.random.one_in(often) {
            body.extend(self.jump(result));
        }
        if self.random.one_in(16) {
            body.extend(self.assign_number());
        }
        body
    }

    fn large_switch(&mut self, acc: VarId, count: usize, depth: usize, result: &Ty) -> Vec<Stmt> {
        let wide = if self.features.int64 { Scalar::U64 } else { Scalar::I32 };
        let s = [Scalar::U32, Scalar::I32, Scalar::U32, wide][self.random.below(4)];
        // A power of two that all labels are below, and labels so far apart that they are different.
        let room = (2 * count).next_power_of_two() as u64;
        let (first, apart) = (self.random.below(64) as u64, [1u64, 1, 3, 37][self.random.below(4)]);
        let scale = if s.bytes() == 8 && self.random.one_in(2) { 0x1_0000_0001 } else { 1 };
        let value = self.number(s, 1);
        let mut value = Expr::binary(Binary::And, value, Expr::lit(s, room - 1));
        if scale != 1 {
            value = Expr::binary(Binary::Mul, value, Expr::lit(s, scale));
        }
        let label = |n: usize| Some(((first + n as u64 * apart) & (room - 1)) * scale);
        let falls = [0, 0, 3, 8][self.random.below(4)];
        let often = [2, 5, 20][self.random.below(3)];
        let default = self.random.below(count + 1);
        let mut arms = Vec::new();
        self.breakable += 1;
        for n in 0..count {
            let mark = self.scope.len();
            let mut body = self.step_with_jump(acc, n as u32, often, result);
            if depth > 0 && self.random.one_in(30) {
                body.extend(self.inner(depth - 1, result));
            }
            self.scope.truncate(mark);
            let mut labels = vec![label(n)];
            if n == default {
                labels.push(None);
            }
            arms.push(Arm { labels, body, falls: falls > 0 && self.random.one_in(falls) });
        }
        self.breakable -= 1;
        vec![Stmt::Switch(value, arms)]
    }

    fn else_ifs(&mut self, acc: VarId, count: usize, depth: usize, result: &Ty) -> Vec<Stmt> {
        let value = self.number(Scalar::U32, 1);
        let room = (2 * count).next_power_of_two() as u32;
        let value = Expr::binary(Binary::And, value, Expr::uint(room - 1));
        let x = self.variable("x", UINT, Space::Private);
        let compare = [Compare::Lt, Compare::Eq, Compare::Le][self.random.below(3)];
        let often = [4, 20][self.random.below(2)];
        let mut other = vec![self.step(acc, count as u32)];
        for n in (0..count as u32).rev() {
            let mut then = self.step_with_jump(acc, n, often, result);
            if depth > 0 && self.random.one_in(40) {
                then.extend(self.inner(depth - 1, result));
            }
            let mut c = Expr::truth(Kind::Compare(
                compare,
                Box::new(self.var(x)),
                Box::new(Expr::uint(n * 2 % room)),
            ));
            if self.random.one_in(8) {
                let more = self.condition(0);
                c = Expr::truth(Kind::Logic(self.random.one_in(2), Box::new(c), Box::new(more)));
            }
            other = vec![Stmt::If(c, then, other)];
        }
        [vec![Stmt::Decl(x, Some(Init::Expr(value)))], other].concat()
    }

    /// Labels one behind the other, and a jump to each in front of them.
    fn labels_in_a_row(&mut self, acc: VarId, count: usize) -> Vec<Stmt> {
        let value = self.number(Scalar::U32, 1);
        let x = self.variable("x", UINT, Space::Private);
        let value = Expr::binary(Binary::And, value, Expr::uint(2 * count as u32 - 1));
        let first = self.next_label;
        self.next_label += count;
        let is = |g: &Self, n: u32| {
            Expr::truth(Kind::Compare(Compare::Eq, Box::new(g.var(x)), Box::new(Expr::uint(n))))
        };
        let mut body: Vec<Stmt> = Vec::new();
        for n in 0..count {
            body.push(Stmt::If(is(self, n as u32), vec![Stmt::Goto(first + n)], vec![]));
        }
        for n in 0..count {
            let mut rest = vec![Stmt::Ahead(first + n, body), self.step(acc, n as u32)];
            if n + 2 < count && self.random.one_in(3) {
                let ahead = n + 1 + self.random.below((count - n - 1).min(9));
                let c = Expr::binary(Binary::And, self.var(acc), Expr::uint(4));
                let c = Expr::truth(Kind::Compare(Compare::Eq, Box::new(c), Box::new(Expr::uint(4))));
                rest.push(Stmt::If(c, vec![Stmt::Goto(first + ahead)], vec![]));
            }
            body = rest;
        }
        [vec![Stmt::Decl(x, Some(Init::Expr(value)))], body].concat()
    }

    fn exits_in_a_row(&mut self, acc: VarId, count: usize, result: &Ty) -> Stmt {
        let mark = self.scope.len();
        let round = self.counter();
        let of = self.simple();
        let body = self.in_loop(|g| {
            let mut body = Vec::new();
            for n in 0..count as u32 {
                body.push(g.step(acc, n));
                let jump = match g.random.below(4) {
                    0 => vec![Stmt::Break],
                    3 => g.jump(result),
                    _ => vec![Stmt::Continue],
                };
                let x = Expr::binary(Binary::Add, of.clone(), g.var(round));
                let x = Expr::binary(Binary::And, x, Expr::uint(511));
                let c = Expr::truth(Kind::Compare(Compare::Eq, Box::new(x), Box::new(Expr::uint(n))));
                body.push(Stmt::If(c, jump, vec![]));
            }
            body
        });
        self.scope.truncate(mark);
        Stmt::For(round, Expr::uint(0), Expr::uint(1 + self.random.below(3) as u32), 1, body)
    }

    fn short_loop(&mut self, acc: VarId, n: u32) -> Stmt {
        let mark = self.scope.len();
        let i = self.counter();
        let end = Expr::binary(Binary::And, self.var(acc), Expr::uint(3));
        let mut body = vec![self.step(acc, n)];
        if self.random.one_in(8) {
            body.extend(self.assign_number());
        }
        if self.random.one_in(8) {
            let c = self.condition(0);
            body.push(Stmt::If(c, vec![Stmt::Break], vec![]));
        }
        self.scope.truncate(mark);
        let once = self.variable("n", UINT, Space::Private);
        // The end is what it was before the loop: the loop ends.
        let declared = Stmt::Decl(once, Some(Init::Expr(end)));
        Stmt::Block(vec![declared, Stmt::For(i, Expr::uint(0), self.var(once), 1, body)])
    }
}

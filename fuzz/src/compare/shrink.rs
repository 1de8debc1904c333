//! A failing program made small: parts are left out, as long as it stays defined and fails.

use super::ast::*;

/// More programs than this are not tried.
const TRIES: usize = 4000;

struct Shrinker<'a> {
    best: Program,
    fails: &'a mut dyn FnMut(&Program) -> bool,
    tries: usize,
}

/// The smallest program found for which `fails` holds, as it does for the one given.
pub(crate) fn shrink(program: Program, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut shrinker = Shrinker { best: program, fails, tries: 0 };
    loop {
        let mut changed = shrinker.launches();
        changed |= shrinker.sizes();
        changed |= shrinker.statements();
        changed |= shrinker.unwraps();
        changed |= shrinker.expressions();
        changed |= shrinker.lists();
        changed |= shrinker.parameters();
        changed |= shrinker.statics();
        changed |= shrinker.fields();
        changed |= shrinker.buffers();
        if !changed || shrinker.tries >= TRIES {
            return shrinker.best;
        }
    }
}

impl Shrinker<'_> {
    fn accept(&mut self, candidate: Program) -> bool {
        self.tries += 1;
        if self.tries > TRIES || !(self.fails)(&candidate) {
            return false;
        }
        self.best = candidate;
        true
    }

    fn launches(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while self.best.launches.len() > 1 && n < self.best.launches.len() {
            let mut candidate = self.best.clone();
            candidate.launches.remove(n);
            if self.accept(candidate) { changed = true } else { n += 1 }
        }
        changed
    }

    fn sizes(&mut self) -> bool {
        let mut changed = false;
        for (group, groups) in [(1, 1), (2, 1), (4, 1), (1, 2), (self.best.group, 1)] {
            if group * groups >= self.best.group * self.best.groups {
                continue;
            }
            let shape = Shape::line(group, groups);
            let candidate = Program { group, groups, shape, ..self.best.clone() };
            changed |= self.accept(candidate);
        }
        if !self.best.shape.is_line() {
            let shape = Shape::line(self.best.group, self.best.groups);
            changed |= self.accept(Program { shape, ..self.best.clone() });
        }
        if self.best.shape.cut > 0 {
            let shape = Shape { cut: 0, ..self.best.shape };
            changed |= self.accept(Program { shape, ..self.best.clone() });
        }
        for d in 0..3 {
            // A side, and the groups' dimension.
            let mut shape = self.best.shape;
            if shape.cut == 0 && shape.local[d] > 1 {
                shape.local[d] = 1;
                changed |= self.accept_shape(shape);
            }
            let mut shape = self.best.shape;
            if shape.cut == 0 && shape.groups[d] > 1 {
                shape.groups[d] = 1;
                changed |= self.accept_shape(shape);
            }
        }
        changed
    }

    fn accept_shape(&mut self, shape: Shape) -> bool {
        let (group, groups) = (shape.local.iter().product(), shape.groups.iter().product());
        let candidate = Program { group, groups, shape, ..self.best.clone() };
        self.accept(candidate)
    }

    fn statements(&mut self) -> bool {
        let mut changed = false;
        let mut list = 0;
        loop {
            let Some(len) = at_list(&mut self.best.clone(), list, |l| l.len()) else { return changed };
            let mut chunk = len;
            while chunk > 0 {
                // From the end: what comes later uses what comes first.
                let mut end = at_list(&mut self.best.clone(), list, |l| l.len()).unwrap_or(0);
                while end >= chunk {
                    let mut candidate = self.best.clone();
                    let less = at_list(&mut candidate, list, |l| {
                        let inside = end <= l.len();
                        if inside {
                            l.drain(end - chunk..end);
                        }
                        inside
                    });
                    changed |= less == Some(true) && self.accept(candidate);
                    end -= chunk;
                }
                chunk /= 2;
            }
            list += 1;
        }
    }

    /// Blocks in place of the statements that they are in.
    fn unwraps(&mut self) -> bool {
        let mut changed = false;
        let mut list = 0;
        while let Some(len) = at_list(&mut self.best.clone(), list, |l| l.len()) {
            let mut n = 0;
            let mut left = len;
            while n < left {
                let mut which = 0;
                loop {
                    let mut candidate = self.best.clone();
                    let done = at_list(&mut candidate, list, |l| {
                        let blocks: Vec<Vec<Stmt>> = l.get(n)?.blocks().into_iter().cloned().collect();
                        let block = blocks.get(which)?.clone();
                        l.splice(n..=n, block);
                        Some(())
                    });
                    if done.flatten().is_none() {
                        break;
                    }
                    if self.accept(candidate) {
                        changed = true;
                        left = at_list(&mut self.best.clone(), list, |l| l.len()).unwrap_or(0);
                        which = 0;
                    } else {
                        which += 1;
                    }
                }
                n += 1;
            }
            list += 1;
        }
        changed
    }

    fn expressions(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while let Some(e) = at_expr(&mut self.best.clone(), n, |e| e.clone()) {
            for simpler in simpler(&e) {
                let mut candidate = self.best.clone();
                at_expr(&mut candidate, n, |e| *e = simpler.clone());
                if self.accept(candidate) {
                    changed = true;
                    break;
                }
            }
            n += 1;
        }
        changed
    }

    /// Lists of initial values without their ends.
    fn lists(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while let Some(len) = at_init(&mut self.best.clone(), n, |l| l.len()) {
            if len > 0 {
                let mut candidate = self.best.clone();
                at_init(&mut candidate, n, |l| l.clear());
                changed |= self.accept(candidate);
            }
            n += 1;
        }
        changed
    }

    fn parameters(&mut self) -> bool {
        let mut changed = false;
        for f in 0..self.best.functions.len() {
            let mut n = 0;
            while n < self.best.functions[f].params.len() {
                let mut candidate = self.best.clone();
                candidate.functions[f].params.remove(n);
                for launch in candidate.launches.iter_mut().filter(|l| l.kernel == f) {
                    launch.args.remove(n);
                }
                each_expr(&mut candidate, &mut |e| {
                    if let Kind::Call(g, args) = &mut e.kind
                        && *g == f
                        && n < args.len()
                    {
                        args.remove(n);
                    }
                });
                if self.accept(candidate) { changed = true } else { n += 1 }
            }
            if self.best.functions[f].noinline {
                let mut candidate = self.best.clone();
                candidate.functions[f].noinline = false;
                changed |= self.accept(candidate);
            }
        }
        changed
    }

    fn statics(&mut self) -> bool {
        let mut changed = false;
        let mut n = 0;
        while n < self.best.statics.len() {
            let mut candidate = self.best.clone();
            candidate.statics.remove(n);
            if self.accept(candidate) { changed = true } else { n += 1 }
        }
        changed
    }

    /// The last fields of records, where nothing names them.
    fn fields(&mut self) -> bool {
        let mut changed = false;
        for r in 0..self.best.records.len() {
            while self.best.records[r].fields.len() > 1 {
                let last = self.best.records[r].fields.len() - 1;
                let mut candidate = self.best.clone();
                let mut named = false;
                each_expr(&mut candidate, &mut |e| {
                    let (base, n) = match &e.kind {
                        Kind::Member(base, n) => (base.ty.clone(), *n),
                        Kind::Arrow(base, n) => (base.ty.pointer().map_or(Ty::Void, |p| p.to.clone()), *n),
                        _ => return,
                    };
                    named |= base == Ty::Record(r) && n >= last;
                });
                let by_value = candidate.launches.iter().any(|l| {
                    let f = &candidate.functions[l.kernel];
                    f.params.iter().any(|p| candidate.vars[*p].ty == Ty::Record(r))
                });
                candidate.records[r].fields.pop();
                if named || by_value || !self.accept(candidate) {
                    break;
                }
                changed = true;
            }
        }
        changed
    }

    fn buffers(&mut self) -> bool {
        let mut changed = false;
        for n in 0..self.best.buffers.len() {
            while self.best.buffers[n].len() >= 8 {
                let mut candidate = self.best.clone();
                let half = (candidate.buffers[n].len() / 2).next_multiple_of(4);
                candidate.buffers[n].truncate(half);
                // A part that an argument begins at stays.
                let args = candidate.launches.iter().flat_map(|l| &l.args);
                let begins = args.filter_map(|arg| match arg {
                    Actual::Buffer(m, offset) if *m == n => Some(*offset as usize),
                    _ => None,
                });
                if begins.max().is_some_and(|begin| begin >= half) || !self.accept(candidate) {
                    break;
                }
                changed = true;
            }
            if self.best.buffers[n].iter().any(|b| *b != 0) {
                let mut candidate = self.best.clone();
                candidate.buffers[n].fill(0);
                changed |= self.accept(candidate);
            }
            let mut candidate = self.best.clone();
            let mut moved = false;
            for arg in candidate.launches.iter_mut().flat_map(|l| &mut l.args) {
                if let Actual::Buffer(m, offset) = arg
                    && *m == n
                    && *offset != 0
                {
                    (*offset, moved) = (0, true);
                }
            }
            changed |= moved && self.accept(candidate);
        }
        changed
    }
}

/// Replacements of an expression.
fn simpler(e: &Expr) -> Vec<Expr> {
    let mut list = Vec::new();
    let lits: &[u64] = match &e.kind {
        Kind::Lit(0) => &[],
        Kind::Lit(1) => &[0],
        _ => &[0, 1],
    };
    match &e.ty {
        Ty::Scalar(s) if !s.is_float() => {
            list.extend(lits.iter().map(|n| Expr::new(e.ty.clone(), Kind::Lit(*n))));
        }
        Ty::Vector(s, _) | Ty::Scalar(s) if s.is_float() => {
            list.extend(lits.iter().filter(|n| **n == 0).map(|n| Expr::new(e.ty.clone(), Kind::Lit(*n))));
        }
        Ty::Vector(..) => list.extend(lits.iter().map(|n| Expr::new(e.ty.clone(), Kind::Lit(*n)))),
        Ty::Pointer(_) if !matches!(e.kind, Kind::Null) => {
            list.push(Expr::new(e.ty.clone(), Kind::Null));
        }
        _ => {}
    }
    for part in e.parts() {
        if part.ty.same_c(&e.ty) {
            list.push(part.clone());
        }
        list.extend(part.parts().into_iter().filter(|p| p.ty.same_c(&e.ty)).cloned());
    }
    if let (Kind::Convert(a), Ty::Scalar(_)) = (&e.kind, &e.ty) {
        // An operand of another width, converted.
        list.extend(
            a.parts()
                .into_iter()
                .filter(|p| matches!(p.ty, Ty::Scalar(_)))
                .map(|p| p.clone().convert(e.ty.clone())),
        );
    }
    list
}

/// Outer lists first: what is left out of a list does not change the numbers of those before it.
fn each_list(body: &mut Vec<Stmt>, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
    f(body);
    for stmt in body.iter_mut() {
        for block in stmt.blocks_mut() {
            each_list(block, f);
        }
    }
}

/// Applies `f` to a list of statements, by its number.
fn at_list<T>(program: &mut Program, at: usize, f: impl FnOnce(&mut Vec<Stmt>) -> T) -> Option<T> {
    let (mut n, mut f, mut result) = (0, Some(f), None);
    for function in program.functions.iter_mut().rev() {
        each_list(&mut function.body, &mut |list| {
            if n == at
                && let Some(f) = f.take()
            {
                result = Some(f(list));
            }
            n += 1;
        });
    }
    result
}

fn deep(e: &mut Expr, f: &mut dyn FnMut(&mut Expr)) {
    f(e);
    for part in e.parts_mut() {
        deep(part, f);
    }
}

fn each_expr(program: &mut Program, f: &mut dyn FnMut(&mut Expr)) {
    for function in program.functions.iter_mut().rev() {
        each_list(&mut function.body, &mut |list| {
            for e in list.iter_mut().flat_map(Stmt::exprs_mut) {
                deep(e, f);
            }
        });
    }
}

fn at_expr<T>(program: &mut Program, at: usize, f: impl FnOnce(&mut Expr) -> T) -> Option<T> {
    let (mut n, mut f, mut result) = (0, Some(f), None);
    each_expr(program, &mut |e| {
        if n == at
            && let Some(f) = f.take()
        {
            result = Some(f(e));
        }
        n += 1;
    });
    result
}

fn inits(init: &mut Init, f: &mut dyn FnMut(&mut Vec<Init>)) {
    if let Init::List(list) = init {
        f(list);
        for part in list {
            inits(part, f);
        }
    }
}

fn at_init<T>(program: &mut Program, at: usize, f: impl FnOnce(&mut Vec<Init>) -> T) -> Option<T> {
    let (mut n, mut f, mut result) = (0, Some(f), None);
    let mut visit = |list: &mut Vec<Init>| {
        if n == at
            && let Some(f) = f.take()
        {
            result = Some(f(list));
        }
        n += 1;
    };
    for (_, init) in &mut program.statics {
        inits(init, &mut visit);
    }
    for function in &mut program.functions {
        each_list(&mut function.body, &mut |list| {
            for stmt in list {
                if let Stmt::Decl(_, Some(init)) = stmt {
                    inits(init, &mut visit);
                }
            }
        });
    }
    result
}

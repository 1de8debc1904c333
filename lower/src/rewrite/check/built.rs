//! Each row on real IR: its pattern is built with types of the language, the matcher applies the row alone, and `simplify` all rows. The verifier
//! accepts the results, and the interpreter finds that they give the same.

use super::super::{Facts, Floats, Folded, Guard, Rule, RuleSet, Term, pass, vars};
use super::{Case, Sort, is_conversion, key_floats, special_floats, table, visit};
use crate::analysis::uses::Uses;
use crate::ir::interp::{self, Lanes, mix};
use crate::ir::{
    BinaryOp, Block, Constant, ConvertOp, FloatCC, Function, InstKind, IntCC, Module, Scalar, Terminator,
    Type, Value, fold, verify,
};
use crate::passes::optimize::simplify::simplify_function;
use crate::rewrite::pattern::{Cmp, Op, VARS};
use crate::transform::rewriter::Rewriter;
use rustc_hash::FxHashMap;

/// The number of choices of constants and known bits.
const CHOICES: u64 = 120;

const SCALARS: [Scalar; 8] =
    [Scalar::Bool, Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F16, Scalar::F32, Scalar::F64];

/// Applies the rules of a set to a function. Operands come before their users; new instructions are not looked at again.
fn rewrite(function: &mut Function, set: &RuleSet, facts: &Facts<'_>) {
    let mut replaced = FxHashMap::default();
    for index in 0..function.layout.len() {
        let block = function.layout[index];
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut rw = Rewriter::new(function);
        rw.reserve(insts.len());
        for inst in insts {
            rw.at(inst);
            match pass::apply(&mut rw, inst, set, facts) {
                Some(Folded::Value(value)) => {
                    replaced.extend(rw.f.insts[inst].results.first().map(|r| (*r, value)))
                }
                Some(Folded::Kind(kind)) => {
                    rw.f.insts[inst].kind = kind;
                    rw.keep(inst);
                }
                None => rw.keep(inst),
            }
        }
        rw.finish_block(block);
    }
    function.replace_uses(&replaced);
}

/// Builds the pattern of a row.
struct Builder<'r> {
    f: Function,
    block: Block,
    rule: &'r Rule,
    sorts: &'r [Option<Sort>; VARS],
    conversions: &'r [Sort],
    next: usize,
    values: [Option<Value>; VARS],
    /// Chooses constants and known bits.
    choice: u64,
    /// Chooses the comparison, if any matches.
    comparison: usize,
    /// The last constant, if constants are near the width, its half, and one another.
    near: Option<u64>,
    lanes: u8,
}

fn scalar_of(sort: Sort) -> Option<Scalar> {
    match sort {
        Sort::Int(1) => Some(Scalar::Bool),
        Sort::Int(width) => Scalar::int(width / 8).filter(|s| s.bits() == width),
        Sort::Float(scalar) => Some(scalar),
    }
}

impl Builder<'_> {
    fn random(&mut self, below: u64) -> u64 {
        self.choice = mix(self.choice.wrapping_add(0x9e37_79b9));
        self.choice % below
    }

    fn ty(&self, scalar: Scalar) -> Type {
        Type::new(scalar, self.lanes)
    }

    /// A constant that guards may like: small, a power of two, a mask, or a special float.
    fn constant(&mut self, scalar: Scalar) -> u64 {
        let all = fold::mask(scalar.bits());
        if scalar.is_float() {
            let special = special_floats(scalar);
            return special[self.random(special.len() as u64) as usize];
        }
        let bits = u64::from(scalar.bits());
        if let Some(last) = self.near {
            let n = [last.wrapping_sub(1), bits / 2, (bits / 2).wrapping_sub(1), bits - 1]
                [self.random(4) as usize];
            self.near = Some(n);
            return n & all;
        }
        let n = if self.random(3) == 0 { bits / 2 } else { self.random(bits) };
        all & match self.random(6) {
            0 => n,
            1 => 1 << n,
            2 => fold::mask(n as u32),
            3 => all << n,
            4 => n.wrapping_neg(),
            _ => self.random(u64::MAX),
        }
    }

    fn variable(&mut self, var: u8) -> Option<Value> {
        let slot = usize::from(var);
        if let Some(value) = self.values[slot] {
            return Some(value);
        }
        let scalar = scalar_of(self.sorts[slot]?)?;
        let ty = self.ty(scalar);
        let entry = self.f.entry();
        let mut value = self.f.add_param(entry, ty);
        let named = |g: &Guard| matches!(g, Guard::Bits(_, vars) if vars.contains(&var));
        let bits = self.rule.guards.iter().any(|g| matches!(g, Guard::Bits(..)));
        let known = self.rule.guards.iter().any(named) || (bits && self.random(2) == 0);
        if known && scalar.is_int() {
            let mask = self.constant(scalar);
            let mask = self.f.iconst(ty, mask);
            value = self.f.append(self.block, InstKind::Binary(BinaryOp::And, value, mask), ty);
        }
        self.values[slot] = Some(value);
        Some(value)
    }

    /// The value of a term; in a place of a type where the term has none.
    fn term(&mut self, term: &Term, place: Option<Type>) -> Option<Value> {
        match term {
            Term::Var(var) => self.variable(*var),
            Term::Const(var) => {
                let slot = usize::from(*var);
                if self.values[slot].is_none() {
                    let scalar = scalar_of(self.sorts[slot]?)?;
                    let bits = self.constant(scalar);
                    let ty = self.ty(scalar);
                    self.values[slot] = Some(self.f.iconst(ty, bits));
                }
                self.values[slot]
            }
            Term::Int(_) | Term::Float(_) => {
                let bits = crate::rewrite::pattern::constant_bits(term, place?)?;
                Some(self.f.iconst(place?, bits))
            }
            Term::Undef => Some(self.f.constant(place?, Constant::Undef)),
            Term::Named(var, inner) => {
                let value = self.term(inner, place)?;
                self.values[usize::from(*var)] = Some(value);
                Some(value)
            }
            Term::Op(op, _, args) => {
                let result = if is_conversion(term) {
                    self.next += 1;
                    Some(self.ty(scalar_of(self.conversions[self.next - 1])?))
                } else {
                    None
                };
                let mut values: Vec<Option<Value>> = vec![None; args.len()];
                let skipped = usize::from(*op == Op::Select);
                let own = |arg: &Term| !matches!(arg, Term::Int(_) | Term::Float(_) | Term::Undef);
                let mut ty = None;
                for (n, arg) in args.iter().enumerate().filter(|(_, arg)| own(arg)) {
                    values[n] = self.term(arg, None);
                    values[n]?;
                    ty = ty.or(values[n].filter(|_| n >= skipped).map(|v| self.f.ty(v)));
                }
                // Of two constant arms.
                let truth = *op == Op::Select && self.random(2) == 0;
                let other = if truth { Scalar::Bool } else { Scalar::I32 };
                let keeps = matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Select | Op::Fma);
                let ty = ty.or(place.filter(|_| keeps)).or(Some(self.ty(other)));
                for (n, arg) in args.iter().enumerate().filter(|(_, arg)| !own(arg)) {
                    values[n] = self.term(arg, if n < skipped { Some(Type::BOOL) } else { ty });
                }
                let values: Option<Vec<Value>> = values.into_iter().collect();
                let (kind, ty) = self.kind(*op, &values?, result)?;
                Some(self.f.append(self.block, kind, ty))
            }
        }
    }

    fn kind(&mut self, op: Op, values: &[Value], result: Option<Type>) -> Option<(InstKind, Type)> {
        let ty = self.f.ty(*values.last()?);
        let truth = ty.with_scalar(Scalar::Bool);
        Some(match (op, values) {
            (Op::Unary(op), [a]) => (InstKind::Unary(op, *a), ty),
            (Op::Binary(op), [a, b]) => (InstKind::Binary(op, *a, *b), ty),
            (Op::ICmp(cc), [a, b]) => {
                let any = IntCC::ALL[self.comparison % IntCC::ALL.len()];
                (InstKind::ICmp(if let Cmp::Is(cc) = cc { cc } else { any }, *a, *b), truth)
            }
            (Op::FCmp(cc), [a, b]) => {
                let any = FloatCC::ALL[self.comparison % FloatCC::ALL.len()];
                (InstKind::FCmp(if let Cmp::Is(cc) = cc { cc } else { any }, *a, *b), truth)
            }
            (Op::Select, [c, a, b]) => (InstKind::Select(*c, *a, *b), ty),
            (Op::Fma, [a, b, c]) => (InstKind::Fma(*a, *b, *c), ty),
            (Op::Convert(op), [value]) => {
                (InstKind::Convert { op, value: *value, saturate: false, rounding: None }, result?)
            }
            (Op::Bitcast, [a]) => (InstKind::Bitcast(*a), result?),
            (Op::Glsl(number), args) => (InstKind::Glsl { number, args: args.iter().copied().collect() }, ty),
            _ => return None,
        })
    }
}

/// The pattern of a row as a function, for some choice of constants.
fn pattern(
    rule: &Rule,
    sorts: &[Option<Sort>; VARS],
    conversions: &[Sort],
    choice: u64,
    lanes: u8,
) -> Option<Module> {
    let mut f = Function::new("f", &[], &[]);
    let block = f.entry();
    f.blocks[block].term = Terminator::Return(Default::default());
    let near = (choice >= CHOICES).then_some(0);
    let comparison = choice as usize;
    let (next, values) = (0, [None; VARS]);
    let mut b = Builder { f, block, rule, sorts, conversions, next, values, choice, comparison, near, lanes };
    let value = b.term(&rule.pattern, None)?;
    b.f.returns = vec![b.f.ty(value)];
    b.f.blocks[block].term = Terminator::Return([value].into_iter().collect());
    let mut module = crate::ir::text::parse("module read bits=64\n").expect("an empty module");
    module.functions.push(b.f);
    verify::verify(&module).ok().map(|()| module)
}

/// The same bits, but one NaN for all.
fn any_nan(scalar: Scalar, bits: u64) -> u64 {
    let convert = |from, to, bits| fold::convert(ConvertOp::FloatToFloat, from, to, bits, false, None);
    convert(scalar, Scalar::F64, bits).filter(|wide| f64::from_bits(*wide).is_nan()).unwrap_or(bits)
}

/// The arguments of a function: all choices of [`key_floats`] if floats are among them, and some of each type.
fn arguments(function: &Function) -> Vec<Vec<Lanes>> {
    let scalars: Vec<Scalar> =
        function.params().iter().map(|param| function.ty(*param).scalar().expect("a number")).collect();
    let lanes = |n: usize| u64::from(function.ty(function.params()[n]).lanes());
    let some = (0..24).map(|seed| {
        let arg = |n: usize| {
            let random = |lane| mix(seed * 64 + n as u64 * 8 + lane) & fold::mask(scalars[n].bits());
            let bits = |lane| match seed {
                0..16 if scalars[n].is_float() => {
                    let all = special_floats(scalars[n]);
                    all[random(lane) as usize % all.len()]
                }
                0..4 => random(lane) & 3,
                _ => random(lane),
            };
            (0..lanes(n)).map(|lane| Some(bits(lane))).collect()
        };
        (0..scalars.len()).map(arg).collect()
    });
    let keys: Vec<Vec<u64>> = scalars
        .iter()
        .map(|scalar| match scalar {
            Scalar::Bool => vec![0, 1],
            scalar if scalar.is_float() => key_floats(*scalar),
            _ => vec![0, 1, fold::mask(scalar.bits())],
        })
        .collect();
    let floats = scalars.iter().any(|scalar| scalar.is_float());
    let choices = if floats { keys.iter().map(Vec::len).product() } else { 0 };
    let all = (0..choices).map(|choice| {
        let mut rest = choice;
        let arg = |(n, keys): (usize, &Vec<u64>)| {
            let key = rest % keys.len();
            rest /= keys.len();
            // Other lanes have other values.
            (0..lanes(n)).map(|lane| Some(keys[(key + lane as usize) % keys.len()])).collect()
        };
        keys.iter().enumerate().map(arg).collect()
    });
    some.chain(all).collect()
}

/// The results of a function for its [`arguments`].
fn results(module: &Module) -> Vec<interp::Run> {
    let function = module.functions.values().next().expect("a function");
    arguments(function)
        .into_iter()
        .map(|args| {
            let mut run = interp::run(function, &args, 0, 10);
            if let (interp::End::Return(values), Some(scalar)) =
                (&mut run.end, function.returns[0].scalar().filter(|s| s.is_float()))
            {
                values.iter_mut().flatten().flatten().for_each(|bits| *bits = any_nan(scalar, *bits));
            }
            run
        })
        .collect()
}

/// Whether runs allow others; roots of floats are not interpreted.
fn allow(before: &[interp::Run], after: &[interp::Run]) -> bool {
    before.iter().zip(after).all(|(a, b)| a.allows(b))
}

/// Applies a row alone to its pattern in every type, until it has applied in several. Returns how often it did, and `simplify` changed it.
fn applied(rule: &'static Rule) -> [u32; 2] {
    let (mut used, mut conversions) = (Vec::new(), 0);
    let mut named = Vec::new();
    // A row of any comparison is built with each, in every type.
    let mut enough = 8;
    visit(&rule.pattern, &mut |term| {
        conversions += usize::from(is_conversion(term));
        match term {
            Term::Op(Op::ICmp(Cmp::Any), ..) => enough = IntCC::ALL.len() as u32,
            Term::Op(Op::FCmp(Cmp::Any), ..) => enough = FloatCC::ALL.len() as u32,
            Term::Var(var) | Term::Const(var) => used.push(usize::from(*var)),
            Term::Named(var, _) => named.push(usize::from(*var)),
            _ => {}
        }
    });
    used.sort_unstable();
    used.dedup();
    used.retain(|var| !named.contains(var));
    let target = crate::Target::minimum();
    let tables: &'static [&'static [Rule]] = Box::leak(Box::new([std::slice::from_ref(rule)]));
    let set = Box::new(RuleSet::new(tables));
    let open = Box::new(RuleSet::new(tables).without_heads());
    let sorts: Vec<Sort> = SCALARS.map(Sort::new).to_vec();
    let mut counts = [0; 2];
    for n in 0..sorts.len().pow((used.len() + conversions) as u32) {
        let mut rest = n;
        let mut next = || {
            let sort = sorts[rest % sorts.len()];
            rest /= sorts.len();
            sort
        };
        let mut case = Case::new(used.iter().map(|var| (*var, next())));
        case.conversions = (0..conversions).map(|_| next()).collect();
        let mut typed = case.sorts;
        if counts[0] >= 64 || case.term(&rule.pattern, None, &mut Some(0)).is_err() {
            continue;
        }
        typed[usize::from(vars::c)] = typed[usize::from(vars::c)].map(|_| Sort::Int(1));
        let start = counts[0];
        // A row that has not applied yet may want constants that depend on one another.
        let choices = if counts[0] == 0 { 2 * CHOICES } else { CHOICES };
        for choice in 0..choices {
            let lanes = if choice % 4 == 3 { 2 } else { 1 };
            let Some(before) = pattern(rule, &typed, &case.conversions, choice, lanes) else { continue };
            let rewritten = |set: &RuleSet| {
                let mut module = before.clone();
                for f in module.functions.values_mut() {
                    let uses = Uses::new(f);
                    let facts = Facts { uses: Some(&uses), target: Some(&target), ..Default::default() };
                    rewrite(f, set, &facts);
                }
                module
            };
            let alone = rewritten(&set);
            // Heads of operands dismiss no rule that fits.
            assert_eq!(alone.to_string(), rewritten(&open).to_string(), "{}", rule.text);
            if alone.to_string() == before.to_string() {
                continue;
            }
            counts[0] += 1;
            let expected = results(&before);
            let mut all = before.clone();
            all.functions.values_mut().for_each(|f| simplify_function(f, 64));
            counts[1] += u32::from(all.to_string() != before.to_string());
            for after in [&alone, &all] {
                verify::verify(after).unwrap_or_else(|e| panic!("{}\n{e}\n{before}\n{after}", rule.text));
                // The interpreter rounds each product.
                let fused = matches!(rule.floats, Floats::Fused(_));
                assert!(fused || allow(&expected, &results(after)), "{}\n{before}\n{after}", rule.text);
            }
            if (counts[0] - start) >= enough {
                break;
            }
        }
    }
    counts
}

#[test]
fn every_row_applies() {
    let simplifies: Vec<&str> = table::SIMPLIFYING.iter().copied().flatten().map(|rule| rule.text).collect();
    let applies = |rule| {
        let [alone, all] = applied(rule);
        alone > 0 && (all > 0 || !simplifies.contains(&rule.text))
    };
    let others: Vec<&str> = super::rows().filter(|rule| !applies(rule)).map(|rule| rule.text).collect();
    assert!(others.is_empty(), "rows that do not apply:\n{}", others.join("\n"));
}

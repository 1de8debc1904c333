//! The matcher: finds the first rule that applies to an instruction, and builds its replacement.
//!
//! Rules are indexed by the operation of their root. Each has a set of heads for each operand. A head is the operation of an operand, or its
//! class of constants; one more says that it equals the next operand. Most rules are dismissed by these, without a look at the operands of
//! operands. Nothing is allocated before a rule applies.

use super::Rule;
use super::guards::{Facts, KnownBits};
use super::pattern::{
    Cmp, EQUAL, Heads, Op, Sort, Term, Typed, VARS, commutes, constant_bits, evaluate, head_of, heads_of,
};
use crate::ir::fold;
use crate::ir::{
    Constant, ConvertOp, FloatCC, Function, InstKind, IntCC, Rounding, Scalar, Type, Value, ValueDef,
};
use smallvec::SmallVec;

/// The result of a rewrite rule.
pub(crate) enum Folded {
    /// An existing value.
    Value(Value),
    /// A simpler instruction.
    Kind(InstKind),
}

/// A pass that builds the instructions of a replacement.
pub(crate) trait Builder {
    /// The function.
    fn function(&self) -> &Function;
    /// An integer or float constant, the same in every lane.
    fn constant(&mut self, ty: Type, bits: u64) -> Value;
    /// A new instruction, or an existing value that is the same.
    fn build(&mut self, kind: InstKind, ty: Type) -> Value;
}

/// The number of heads.
const HEADS: usize = 64;

/// The limit on the rules of a set.
const MAX_RULES: usize = 192;

/// Rules by the operation of their root, in the order of the tables.
pub(crate) struct RuleSet {
    starts: [u16; HEADS + 1],
    entries: [Entry; MAX_RULES],
}

/// The number of operands whose heads are looked at.
const OPERANDS: usize = 3;

/// A rule with what dismisses it.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The heads that the operands may have.
    operands: [Heads; OPERANDS],
    /// `None` behind the last rule of a set.
    rule: Option<&'static Rule>,
    /// The integer comparisons that the root may be, one bit each. A mirror image has exchanged operands.
    compares: u16,
    /// True if the first two operands may be exchanged: the root commutes, or has a mirror image.
    exchanges: bool,
    /// True if the root commutes.
    commutes: bool,
    /// The number of operations in the pattern whose operands may be exchanged.
    commutative: u8,
}

/// The part of an instruction that dismisses rules.
#[derive(Clone, Copy)]
pub(super) struct Root {
    /// The heads of the operands.
    operands: [Heads; OPERANDS],
    /// The integer comparison that it is; all bits for no comparison.
    compares: u16,
}

impl Entry {
    const NONE: Entry = Entry {
        operands: [0; OPERANDS],
        rule: None,
        compares: 0,
        exchanges: false,
        commutes: false,
        commutative: 0,
    };

    const fn new(rule: &'static Rule) -> (u32, Entry) {
        let Term::Op(op, _, args) = rule.pattern else { panic!("a pattern is an instruction") };
        let mut operands = [Heads::MAX; OPERANDS];
        let mut n = 0;
        while n < args.len() && n < OPERANDS {
            operands[n] = match (&args[n], if n + 1 < args.len() { &args[n + 1] } else { &Term::Undef }) {
                (Term::Var(a), Term::Var(b)) if *a == *b => EQUAL,
                (term, _) => term.heads(),
            };
            n += 1;
        }
        let (compares, mirrored) = match op {
            Op::ICmp(Cmp::Is(cc)) => (1 << cc as u32 | 1 << fold::swap_icmp(cc) as u32, true),
            _ => (u16::MAX, false),
        };
        let commutes = op.commutes();
        let commutative = rule.pattern.commutative() as u8;
        let exchanges = commutes || mirrored;
        (op.head(), Entry { operands, rule: Some(rule), compares, exchanges, commutes, commutative })
    }

    /// The orders of the first operands in which an instruction may fit; `None` if it does not fit.
    #[inline(always)]
    pub(super) fn orders(&self, root: &Root) -> Option<[bool; 2]> {
        let ([a, b, c], [x, y, z]) = (self.operands, root.operands);
        let straight = a & x != 0 && b & y != 0;
        let exchanged = self.exchanges && a & y != 0 && b & x != 0;
        let fits = (straight || exchanged) && c & z != 0 && self.compares & root.compares != 0;
        fits.then_some([straight, exchanged])
    }
}

/// The values of the variables of a pattern, and the comparison that it met.
struct Bound {
    values: [Value; VARS],
    set: u16,
    /// The names in a replacement whose type was inferred, with it.
    names: SmallVec<[(u8, Type); 2]>,
    icmp: IntCC,
    fcmp: FloatCC,
    /// The rounding of a conversion at the root.
    rounding: Option<Rounding>,
    /// One bit for each commutative operation in order: its operands are exchanged.
    exchanged: u32,
}

impl RuleSet {
    /// The rules of tables.
    pub(crate) const fn new(tables: &[&'static [Rule]]) -> RuleSet {
        let mut set = RuleSet { starts: [0; HEADS + 1], entries: [Entry::NONE; MAX_RULES] };
        let (mut head, mut count) = (0, 0);
        while head < HEADS {
            let mut table = 0;
            while table < tables.len() {
                let mut row = 0;
                while row < tables[table].len() {
                    let (root, entry) = Entry::new(&tables[table][row]);
                    if root as usize == head {
                        set.entries[count] = entry;
                        count += 1;
                    }
                    row += 1;
                }
                table += 1;
            }
            head += 1;
            set.starts[head] = count as u16;
        }
        set
    }

    /// The same rules without the filter by operands' heads. The filter must not change any result.
    #[cfg(test)]
    pub(super) fn without_heads(mut self) -> RuleSet {
        self.entries.iter_mut().for_each(|entry| entry.operands = [Heads::MAX; OPERANDS]);
        self
    }

    /// The entries of the rules whose root is an instruction's operation.
    #[inline]
    fn entries_of(&self, kind: &InstKind) -> &[Entry] {
        let head = head_of(kind) as usize;
        &self.entries[usize::from(self.starts[head])..usize::from(self.starts[head + 1])]
    }

    /// Returns whether an instruction's operation is the root of some rule.
    #[inline]
    pub(super) fn has_rules_of(&self, kind: &InstKind) -> bool {
        let head = head_of(kind) as usize;
        self.starts[head] != self.starts[head + 1]
    }

    /// The rules whose root is an instruction's operation, with what dismisses them; `None` if there are none.
    #[inline]
    pub(super) fn rules_of(&self, f: &Function, kind: &InstKind) -> Option<(&[Entry], Root)> {
        let entries = self.entries_of(kind);
        (!entries.is_empty()).then(|| (entries, Root::new(f, kind)))
    }

    /// Applies the first rule that fits an instruction with a result of this type.
    #[inline]
    pub(crate) fn apply(
        &self,
        facts: &Facts<'_>,
        builder: &mut impl Builder,
        kind: &InstKind,
        ty: Type,
    ) -> Option<Folded> {
        let (entries, root) = self.rules_of(builder.function(), kind)?;
        apply_first(entries, &root, facts, builder, (kind, ty))
    }
}

/// Applies the first of some rules that fits an instruction with a result of this type.
#[inline]
pub(super) fn apply_first(
    entries: &[Entry],
    root: &Root,
    facts: &Facts<'_>,
    builder: &mut impl Builder,
    (kind, ty): (&InstKind, Type),
) -> Option<Folded> {
    let bits = KnownBits::default();
    for entry in entries {
        if let Some(orders) = entry.orders(root)
            && let Some(folded) = entry.apply(orders, (facts, &bits), builder, kind, ty)
        {
            return Some(folded);
        }
    }
    None
}

impl Root {
    fn new(f: &Function, kind: &InstKind) -> Root {
        let equal = |a: &Value, b: &Value| if a == b { EQUAL } else { 0 };
        let operands = match kind {
            InstKind::Unary(_, a) | InstKind::Bitcast(a) | InstKind::Convert { value: a, .. } => {
                [heads_of(f, *a), Heads::MAX, Heads::MAX]
            }
            InstKind::Binary(_, a, b) | InstKind::ICmp(_, a, b) | InstKind::FCmp(_, a, b) => {
                [heads_of(f, *a) | equal(a, b), heads_of(f, *b), Heads::MAX]
            }
            InstKind::Select(a, b, c) | InstKind::Fma(a, b, c) => {
                [heads_of(f, *a) | equal(a, b), heads_of(f, *b) | equal(b, c), heads_of(f, *c)]
            }
            _ => [Heads::MAX; OPERANDS],
        };
        let compares = match kind {
            InstKind::ICmp(cc, ..) => 1 << *cc as u32,
            _ => u16::MAX,
        };
        Root { operands, compares }
    }
}

impl Entry {
    /// Applies the rule in each order of commutative operands. `roots`: the orders of the root's.
    fn apply(
        &self,
        roots: [bool; 2],
        (facts, bits): (&Facts<'_>, &KnownBits),
        builder: &mut impl Builder,
        kind: &InstKind,
        ty: Type,
    ) -> Option<Folded> {
        let Rule { pattern: Term::Op(op, typed, args), guards, replacement, .. } = self.rule? else {
            return None;
        };
        for exchanged in 0..1 << self.commutative {
            if self.commutes && !roots[exchanged as usize & 1] {
                continue;
            }
            let f = builder.function();
            let mut bound = Bound::new(exchanged);
            if let InstKind::Convert { rounding, .. } = kind {
                bound.rounding = *rounding;
            }
            if bound.has_type(f, *typed, ty)
                && bound.operands(f, *op, args, kind)
                && guards.iter().all(|guard| guard.holds((facts, bits), f, ty, &bound.values))
                && bound.infer(f, replacement, Some(ty)) == Ok(Some(ty))
            {
                return Some(bound.replace(builder, replacement, ty));
            }
        }
        None
    }
}

/// No value.
const NONE: Value = Value(u32::MAX);

impl Bound {
    fn new(exchanged: u32) -> Bound {
        Bound {
            values: [NONE; VARS],
            set: 0,
            names: SmallVec::new(),
            icmp: IntCC::Eq,
            fcmp: FloatCC::OEq,
            rounding: None,
            exchanged,
        }
    }

    fn bind(&mut self, var: u8, value: Value) -> bool {
        if self.set >> var & 1 != 0 {
            return self.values[usize::from(var)] == value;
        }
        self.values[usize::from(var)] = value;
        self.set |= 1 << var;
        true
    }

    fn get(&self, var: u8) -> Option<Value> {
        (self.set >> var & 1 != 0).then_some(self.values[usize::from(var)])
    }

    /// Whether a type is the one that a pattern demands.
    fn has_type(&self, f: &Function, typed: Typed, ty: Type) -> bool {
        match typed {
            Typed::Same | Typed::Half => true,
            Typed::Scalar(scalar) => ty.scalar() == Some(scalar),
            Typed::Var(var) => self.get(var).is_none_or(|v| f.ty(v) == ty),
        }
    }

    fn matches(&mut self, f: &Function, term: &Term, value: Value) -> bool {
        match term {
            Term::Var(var) => self.bind(*var, value),
            Term::Const(var) => {
                f.const_bits(value).is_some() && f.ty(value).scalar().is_some() && self.bind(*var, value)
            }
            Term::Int(_) | Term::Float(_) => match f.const_bits(value) {
                None => false,
                bits => constant_bits(term, f.ty(value)) == bits,
            },
            Term::Undef => matches!(f.values[value].def, ValueDef::Const(Constant::Undef)),
            Term::Named(var, inner) => self.matches(f, inner, value) && self.bind(*var, value),
            Term::Op(op, typed, args) => match f.def_inst(value) {
                Some(inst) => {
                    self.has_type(f, *typed, f.ty(value)) && self.operands(f, *op, args, &inst.kind)
                }
                None => false,
            },
        }
    }

    /// Whether an instruction is this operation, and its operands match.
    fn operands(&mut self, f: &Function, op: Op, args: &[Term], kind: &InstKind) -> bool {
        match (op, kind) {
            (Op::Unary(wanted), InstKind::Unary(op, a)) => wanted == *op && self.all(f, args, &[*a]),
            (Op::Binary(wanted), InstKind::Binary(op, a, b)) => {
                wanted == *op && self.pair(f, args, [*a, *b], commutes(*op))
            }
            (Op::ICmp(Cmp::Is(wanted)), InstKind::ICmp(cc, a, b)) => {
                let commutes = matches!(wanted, IntCC::Eq | IntCC::Ne);
                if wanted == *cc {
                    return self.pair(f, args, [*a, *b], commutes);
                }
                wanted == fold::swap_icmp(*cc) && self.all(f, args, &[*b, *a])
            }
            (Op::ICmp(_), InstKind::ICmp(cc, a, b)) => {
                self.icmp = *cc;
                self.all(f, args, &[*a, *b])
            }
            (Op::FCmp(wanted), InstKind::FCmp(cc, a, b)) => {
                self.fcmp = *cc;
                (wanted == Cmp::Is(*cc) || wanted == Cmp::Any) && self.all(f, args, &[*a, *b])
            }
            (Op::Select, InstKind::Select(c, a, b)) => self.all(f, args, &[*c, *a, *b]),
            (Op::Fma, InstKind::Fma(a, b, c)) => self.all(f, args, &[*a, *b, *c]),
            (Op::Bitcast, InstKind::Bitcast(a)) => self.all(f, args, &[*a]),
            (Op::Convert(wanted), InstKind::Convert { op, value, saturate: false, .. }) => {
                wanted == *op && self.all(f, args, &[*value])
            }
            (Op::Glsl(wanted), InstKind::Glsl { number, args: values }) => {
                wanted == *number && values.len() == args.len() && self.all(f, args, values)
            }
            _ => false,
        }
    }

    fn all(&mut self, f: &Function, args: &[Term], values: &[Value]) -> bool {
        args.iter().zip(values).all(|(term, value)| self.matches(f, term, *value))
    }

    fn pair(&mut self, f: &Function, args: &[Term], [a, b]: [Value; 2], commutes: bool) -> bool {
        let exchanged = commutes && self.exchanged & 1 != 0;
        self.exchanged >>= u32::from(commutes);
        self.all(f, args, &if exchanged { [b, a] } else { [a, b] })
    }
}

/// The types do not fit.
#[derive(Debug, PartialEq, Eq)]
struct Unfit;

/// One type of two, of which either may be unknown.
fn unify(a: Option<Type>, b: Option<Type>) -> Result<Option<Type>, Unfit> {
    match (a, b) {
        (Some(x), Some(y)) if x != y => Err(Unfit),
        _ => Ok(a.or(b)),
    }
}

impl Bound {
    /// The type of a replacement in a place; `None` for a constant that has none of its own.
    fn infer(&mut self, f: &Function, term: &Term, place: Option<Type>) -> Result<Option<Type>, Unfit> {
        match term {
            Term::Var(var) | Term::Const(var) => match self.get(*var) {
                Some(value) => Ok(Some(f.ty(value))),
                None => {
                    let name = self.names.iter().find(|name| name.0 == *var);
                    name.map(|name| Some(name.1)).ok_or(Unfit)
                }
            },
            Term::Int(_) | Term::Float(_) | Term::Undef => Ok(place),
            Term::Named(var, inner) => {
                let ty = self.infer(f, inner, place)?;
                self.names.extend(ty.map(|ty| (*var, ty)));
                Ok(ty)
            }
            Term::Op(op, typed, args) => {
                let operand = self.operand_type(f, *op, args, place)?;
                self.result_type(f, *op, *typed, operand, place)
            }
        }
    }

    /// The type of the operands of an operation that have a common one.
    fn operand_type(
        &mut self,
        f: &Function,
        op: Op,
        args: &[Term],
        place: Option<Type>,
    ) -> Result<Option<Type>, Unfit> {
        let keeps = matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Fma | Op::Select | Op::Ctz);
        let args = if op == Op::Select {
            self.infer(f, &args[0], Some(Type::BOOL))?;
            &args[1..]
        } else {
            args
        };
        let mut ty = None;
        for arg in args {
            ty = unify(ty, self.infer(f, arg, None)?)?;
        }
        Ok(ty.or(place.filter(|_| keeps)))
    }

    fn result_type(
        &self,
        f: &Function,
        op: Op,
        typed: Typed,
        operand: Option<Type>,
        place: Option<Type>,
    ) -> Result<Option<Type>, Unfit> {
        match op {
            Op::ICmp(_) | Op::FCmp(_) => Ok(Some(operand.ok_or(Unfit)?.with_scalar(Scalar::Bool))),
            Op::Convert(_) | Op::Bitcast => {
                let from = operand.ok_or(Unfit)?;
                let ty = match typed {
                    Typed::Same => place.ok_or(Unfit)?,
                    Typed::Scalar(scalar) => from.with_scalar(scalar),
                    Typed::Var(var) => f.ty(self.get(var).ok_or(Unfit)?),
                    Typed::Half => {
                        let bytes = from.scalar().filter(|s| s.is_int()).map_or(0, Scalar::bytes);
                        from.with_scalar(Scalar::int(bytes / 2).ok_or(Unfit)?)
                    }
                };
                if op == Op::Bitcast || ty.lanes() == from.lanes() { Ok(Some(ty)) } else { Err(Unfit) }
            }
            Op::Mask | Op::Width | Op::HalfWidth => Ok(place),
            _ => Ok(operand),
        }
    }

    /// The root of a replacement.
    fn replace(&mut self, builder: &mut impl Builder, term: &Term, ty: Type) -> Folded {
        match term {
            Term::Op(op, _, args) => self.operation(builder, *op, args, ty, ty),
            _ => Folded::Value(self.build(builder, term, ty)),
        }
    }

    /// Builds a term at a type.
    fn build(&mut self, builder: &mut impl Builder, term: &Term, place: Type) -> Value {
        match term {
            Term::Var(var) | Term::Const(var) => self.values[usize::from(*var)],
            Term::Int(_) | Term::Float(_) => {
                // Inference has seen that the type is a scalar's or a vector's.
                builder.constant(place, constant_bits(term, place).unwrap_or(0))
            }
            Term::Undef => builder.constant(place, 0),
            Term::Named(var, inner) => {
                let value = self.build(builder, inner, place);
                self.bind(*var, value);
                value
            }
            Term::Op(op, ..) => {
                let Term::Op(_, _, args) = term else { return NONE };
                let ty = self.infer(builder.function(), term, Some(place)).ok().flatten().unwrap_or(place);
                match self.operation(builder, *op, args, ty, place) {
                    Folded::Value(value) => value,
                    Folded::Kind(kind) => builder.build(kind, ty),
                }
            }
        }
    }

    /// An operation with a result of a type, or the constant that it gives.
    fn operation(
        &mut self,
        builder: &mut impl Builder,
        op: Op,
        args: &[Term],
        ty: Type,
        place: Type,
    ) -> Folded {
        let operand =
            self.operand_type(builder.function(), op, args, Some(place)).ok().flatten().unwrap_or(ty);
        let op = self.resolved(op);
        if let Some(bits) = op.of_width(operand.scalar().map_or(0, Scalar::bits)) {
            return Folded::Value(builder.constant(place, bits));
        }
        let mut values: SmallVec<[Value; 3]> = SmallVec::new();
        for (n, arg) in args.iter().enumerate() {
            let place = if op == Op::Select && n == 0 { Type::BOOL } else { operand };
            values.push(self.build(builder, arg, place));
        }
        let constants: Option<SmallVec<[u64; 3]>> =
            values.iter().map(|v| builder.function().const_bits(*v)).collect();
        if let (Some(bits), Some(from), Some(to)) = (constants, operand.scalar(), ty.scalar())
            && let Some(bits) = evaluate(op, Sort::new(from), Sort::new(to), &bits)
        {
            return Folded::Value(builder.constant(ty, bits));
        }
        Folded::Kind(self.kind(op, &values))
    }

    /// An operation whose comparison is known.
    fn resolved(&self, op: Op) -> Op {
        match op {
            Op::ICmp(Cmp::Any) => Op::ICmp(Cmp::Is(self.icmp)),
            Op::ICmp(Cmp::Not) => Op::ICmp(Cmp::Is(fold::not_icmp(self.icmp))),
            Op::ICmp(Cmp::Unsigned) => Op::ICmp(Cmp::Is(fold::unsigned_icmp(self.icmp))),
            Op::FCmp(Cmp::Not) => Op::FCmp(Cmp::Is(fold::not_fcmp(self.fcmp))),
            Op::FCmp(Cmp::Any | Cmp::Unsigned) => Op::FCmp(Cmp::Is(self.fcmp)),
            op => op,
        }
    }

    fn kind(&self, op: Op, values: &[Value]) -> InstKind {
        match (op, values) {
            (Op::Unary(op), [a]) => InstKind::Unary(op, *a),
            (Op::Binary(op), [a, b]) => InstKind::Binary(op, *a, *b),
            (Op::ICmp(Cmp::Is(cc)), [a, b]) => InstKind::ICmp(cc, *a, *b),
            (Op::FCmp(Cmp::Is(cc)), [a, b]) => InstKind::FCmp(cc, *a, *b),
            (Op::Select, [c, a, b]) => InstKind::Select(*c, *a, *b),
            (Op::Fma, [a, b, c]) => InstKind::Fma(*a, *b, *c),
            (Op::Convert(op), [value]) => {
                let integers = matches!(op, ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt);
                let rounding = self.rounding.filter(|_| !integers);
                InstKind::Convert { op, value: *value, saturate: false, rounding }
            }
            (Op::Glsl(number), args) => InstKind::Glsl { number, args: args.iter().copied().collect() },
            // Rows have as many operands as their operations: the test builds each.
            (_, args) => InstKind::Bitcast(args.first().copied().unwrap_or(NONE)),
        }
    }
}

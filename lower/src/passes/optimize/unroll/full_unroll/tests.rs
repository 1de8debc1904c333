use super::{Env, unroll_loops};
use crate::ir::cfg::Cfg;
use crate::ir::interp::{self, End, region};
use crate::ir::{
    BinaryOp, Block, BranchTarget, EntityMap, Function, InstKind, IntCC, MemFlags, Module, Place, Root, Slot,
    SlotData, Space, Terminator, Type, Value, text, verify,
};
use crate::passes::fuzz::{self, Random};
use crate::passes::language::lower_program_scope::Globals;
use crate::passes::optimize::mem2reg;
use crate::passes::optimize::simplify;
use crate::transform::cleanup;
use smallvec::SmallVec;

fn env(globals: &Globals, budget: u32) -> Env<'_> {
    Env { address_bits: 64, globals, budget, access: 1, outer_loops: budget >= 128, merges_accesses: false }
}

/// Unrolls the loops of a text's function, and checks that it computes the same. Returns the module and whether any loop was unrolled.
fn unrolled(body: &str, budget: u32) -> (Module, bool) {
    let source = format!("module read bits=64\nfunc f0 \"f\" returns (i32)\n{body}");
    let mut module = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let function = module.functions.values_mut().next().expect("a function");
    let before = function.clone();
    let done = unroll_loops(function, &env(&EntityMap::new(), budget));
    for n in 0..12 {
        let args = [vec![Some(region(0))], vec![Some(n)]];
        let (before, after) = (interp::run(&before, &args, n, 9000), interp::run(function, &args, n, 9000));
        assert!(before.allows(&after), "{n}: {:?} {:?}\n{module}", before.end, after.end);
    }
    verify::verify(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    (module, done)
}

/// How many blocks the only function has.
fn blocks(module: &Module) -> usize {
    module.functions.values().next().map_or(0, |f| f.layout.len())
}

const COUNT: &str = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0, i32:1)\nb1(v2: i32, v3: i32):\n  v4: bool = icmp.ult v2, END\n  \
                     condbr v4, b2(), b3()\nb2():\n  BODY\n  v6: i32 = iadd v2, i32:1\n  br b1(v6, v5)\nb3():\n  return(v3)\n";

#[test]
fn loops_of_constants_leave_their_results() {
    let of = |end: &str, body: &str| unrolled(&COUNT.replace("END", end).replace("BODY", body), 0);
    let (module, done) = of("i32:1000", "v5: i32 = imul v3, i32:3");
    assert!(done && blocks(&module) == 1, "{module}");
    assert!(!of("i32:100000", "v5: i32 = imul v3, i32:3").1, "too many steps");
    assert!(!of("v1", "v5: i32 = imul v3, i32:3").1, "an end that is not known");
    assert!(!of("i32:9", "v5: i32 = imul v3, v1").1, "left to the driver");
    // Nothing of a single iteration is saved but the loop.
    let (module, done) = of("i32:1", "v5: i32 = imul v3, v1");
    assert!(done && blocks(&module) == 1, "{module}");
    // An operation that traps is not evaluated.
    let (module, done) = of("i32:0", "v5: i32 = udiv v3, i32:0");
    assert!(done && blocks(&module) == 1, "{module}");
    assert!(!of("i32:4", "barrier workgroup workgroup acquire|release|local\n  v5: i32 = imul v3, i32:3").1);
}

/// Three iterations hold a loop whose end depends on an argument: three loops stay. The next loop uses the exit values of each, as does the code behind.
#[test]
fn unrolled_around_loops_that_stay() {
    let body = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0, i32:7, v1)\nb1(v2: i32, v3: i32, v4: i32):\n  v5: bool = icmp.ult v2, i32:3\n  condbr v5, b2(v4, v3), b6()\n\
                b2(v6: i32, v7: i32):\n  v8: i32 = and v6, i32:1073741823\n  v9: bool = icmp.ne v8, i32:0\n  condbr v9, b3(), b5()\nb3():\n  v10: i32 = imul v7, i32:5\n  v11: i32 = iadd v10, v2\n  \
                v12: i32 = lshr v8, i32:1\n  v13: bool = icmp.eq v11, i32:77\n  condbr v13, b7(), b2(v12, v11)\n\
                b5():\n  v14: i32 = iadd v2, i32:1\n  v15: i32 = iadd v1, v14\n  br b1(v14, v7, v15)\n\
                b6():\n  v16: i32 = imul v3, v4\n  return(v16)\nb7():\n  v17: i32 = iadd v11, v12\n  return(v17)\n";
    let (mut module, done) = unrolled(body, 200);
    let loops = module.functions.values_mut().next().expect("a function").cfg().loops();
    assert!(done && loops.loops.len() == 3 && loops.loops.iter().all(|l| l.parent.is_none()), "{module}");
    // Too much code, and more iterations than are worth it.
    assert!(!unrolled(body, 40).1);
    assert!(!unrolled(&body.replace("ult v2, i32:3", "ult v2, i32:9"), 4000).1);
    // A loop that the source forbids to unroll stays in each iteration, with its control.
    let said = body.replace("b2(v6: i32, v7: i32):\n", "b2(v6: i32, v7: i32):\n  loopcontrol 2\n");
    let (module, done) = unrolled(&said, 200);
    assert!(done && module.to_string().matches("loopcontrol 2").count() == 3, "{module}");
}

#[test]
fn exits_that_depend_on_loads() {
    let body = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0)\nb1(v2: i32):\n  v3: bool = icmp.ult v2, i32:4\n  condbr v3, b2(), b4()\n\
                b2():\n  v4: ptr.global = ptradd v0, v2, 4\n  v5: i32 = load [v4], align=4\n  v6: i32 = iadd v5, v2\n  v7: bool = icmp.ult v6, v1\n  \
                condbr v7, b5(), b3()\nb3():\n  v8: i32 = iadd v2, i32:1\n  br b1(v8)\nb4():\n  return(v2)\n\
                b5():\n  v9: i32 = imul v6, v2\n  return(v9)\n";
    assert!(unrolled(body, 128).1);
    assert!(!unrolled(body, 8).1, "too much code");
}

/// A loop whose two entries pass different constants is unrolled for each entry, or for the one alone that makes it small.
#[test]
fn entries_with_different_constants() {
    let body = |start: &str| {
        format!(
            "b0(v0: ptr.global, v1: i32):\n  v2: bool = icmp.ult v1, i32:5\n  condbr v2, b1(i32:1, v1), b1({start}, i32:7)\n\
             b1(v3: i32, v4: i32):\n  v5: i32 = imul v4, i32:3\n  v6: i32 = iadd v5, v3\n  v7: i32 = iadd v3, i32:1\n  \
             v8: bool = icmp.ult v7, i32:4\n  condbr v8, b1(v7, v6), b2()\nb2():\n  v9: i32 = iadd v6, v7\n  return(v9)\n"
        )
    };
    let loops = |module: &Module| module.functions.values().next().map(|f| Cfg::new(f).loops().loops.len());
    let (module, done) = unrolled(&body("i32:2"), 64);
    assert!(done && loops(&module) == Some(0), "{module}");
    // The second entry leaves a constant. The first leaves code, and the budget is zero.
    let (module, done) = unrolled(&body("i32:2"), 0);
    assert!(done && loops(&module) == Some(1), "{module}");
    // Both entries pass the same constants: there is nothing to specialise.
    assert!(!unrolled(&body("i32:1"), 0).1);
}

/// A loop that two cases of a switch reach knows the selector in each.
#[test]
fn loops_reached_by_cases_of_a_switch() {
    let body = |end: &str| {
        format!(
            "b0(v0: ptr.global, v1: i32):\n  switch v1, b4(i32:5), (2: b1(), 7: b1())\nb1():\n  br b2(i32:0, i32:0)\n\
             b2(v2: i32, v3: i32):\n  v4: i32 = imul v3, v1\n  v5: i32 = iadd v4, v2\n  v6: i32 = iadd v2, i32:1\n  \
             v7: bool = icmp.ult v6, {end}\n  condbr v7, b2(v6, v5), b4(v5)\nb4(v8: i32):\n  v9: i32 = iadd v8, v1\n  return(v9)\n"
        )
    };
    let loops = |module: &Module| module.functions.values().next().map(|f| Cfg::new(f).loops().loops.len());
    for end in ["i32:50", "v1"] {
        let (module, done) = unrolled(&body(end), 0);
        assert!(loops(&module) == Some(usize::from(end == "v1")) && done == (end != "v1"), "{module}");
    }
}

/// The inner loop exits in several iterations; the outer one uses its counter.
#[test]
fn values_of_inner_loops_behind_their_exits() {
    let body = "b0(v0: ptr.global, v1: i32):\n  br b1(i32:0, i32:0)\nb1(v2: i32, v3: i32):\n  v4: bool = icmp.ult v2, i32:3\n  \
                condbr v4, b2(i32:0), b9()\nb2(v5: i32):\n  v6: i32 = iadd v5, v2\n  v7: bool = icmp.eq v6, v1\n  condbr v7, b4(), b3()\n\
                b3():\n  v8: i32 = iadd v5, i32:1\n  v9: bool = icmp.ule v8, v2\n  condbr v9, b2(v8), b4()\n\
                b4():\n  v10: i32 = imul v3, i32:7\n  v11: i32 = iadd v10, v5\n  v12: i32 = iadd v11, v6\n  v13: i32 = iadd v2, i32:1\n  \
                br b1(v13, v12)\nb9():\n  v14: i32 = iadd v3, v2\n  return(v14)\n";
    assert!(unrolled(body, 128).1);
}

/// Structured programs of few variables, some of them constant.
struct Gen<'a> {
    r: &'a mut Random,
    f: Function,
    at: Block,
    /// The targets of break and continue, for each enclosing loop.
    loops: Vec<(Block, Block)>,
    left: u32,
}

const VARS: u64 = 6;

impl Gen<'_> {
    fn place(&mut self, var: u64) -> Place {
        let kind = InstKind::RootAddr(Root::Slot(Slot(var as u32)));
        Place::Pointer(self.f.append(self.at, kind, Type::Ptr(Space::Private)))
    }

    fn load(&mut self, var: u64) -> Value {
        let place = self.place(var);
        let flags = MemFlags { align: 4, volatile: false };
        self.f.append(self.at, InstKind::Load { place, flags }, Type::I32)
    }

    fn store(&mut self, var: u64, value: Value) {
        let place = self.place(var);
        let flags = MemFlags { align: 4, volatile: false };
        self.f.append_void(self.at, InstKind::Store { place, value, flags });
    }

    fn operand(&mut self) -> Value {
        let (kind, n) = (self.r.below(3), self.r.below(VARS));
        if kind == 0 { self.f.iconst(Type::I32, n) } else { self.load(n) }
    }

    fn condition(&mut self) -> Value {
        let (a, b) = (self.operand(), self.operand());
        let cc = [IntCC::Eq, IntCC::Ne, IntCC::Ult, IntCC::Slt][self.r.below(4) as usize];
        self.f.append(self.at, InstKind::ICmp(cc, a, b), Type::BOOL)
    }

    fn go(&mut self, to: Block) {
        self.f.blocks[self.at].term = Terminator::Branch(BranchTarget { block: to, args: SmallVec::new() });
    }

    fn fork(&mut self, cond: Value) -> (Block, Block) {
        let (then, els) = (self.f.new_block(), self.f.new_block());
        let to = |block| BranchTarget { block, args: SmallVec::new() };
        self.f.blocks[self.at].term = Terminator::CondBranch { cond, then: to(then), els: to(els) };
        (then, els)
    }

    fn statements(&mut self) {
        for _ in 0..1 + self.r.below(4) {
            self.left = self.left.saturating_sub(1);
            match self.r.below(12) {
                0..5 => {
                    let (a, b, to) = (self.operand(), self.operand(), self.r.below(VARS));
                    let op = [BinaryOp::IAdd, BinaryOp::IMul, BinaryOp::Xor, BinaryOp::ISub];
                    let op = op[self.r.below(4) as usize];
                    let value = self.f.append(self.at, InstKind::Binary(op, a, b), Type::I32);
                    self.store(to, value);
                }
                5 => {
                    let out = self.f.params()[0];
                    let value = self.operand();
                    let flags = MemFlags { align: 4, volatile: false };
                    self.f.append_void(self.at, InstKind::Store { place: Place::Pointer(out), value, flags });
                }
                6..8 if self.left > 0 => self.choice(),
                8..10 if self.left > 0 && self.loops.len() < 3 => self.counted(),
                10 => self.exit(),
                _ => {}
            }
        }
    }

    fn choice(&mut self) {
        let cond = self.condition();
        let (then, els) = self.fork(cond);
        let behind = self.f.new_block();
        for side in [then, els] {
            self.at = side;
            if self.r.below(3) > 0 {
                self.statements();
            }
            self.go(behind);
        }
        self.at = behind;
    }

    /// A loop over a variable; its body may change it, too.
    fn counted(&mut self) {
        let (counter, end, first) = (self.r.below(VARS), self.r.below(7), self.r.below(3));
        let first = self.f.iconst(Type::I32, first);
        if self.r.below(8) > 0 {
            self.store(counter, first);
        }
        let (head, step) = (self.f.new_block(), self.f.new_block());
        self.go(head);
        self.at = head;
        let i = self.load(counter);
        let end = if self.r.below(6) == 0 { self.operand() } else { self.f.iconst(Type::I32, end) };
        let cond = self.f.append(self.at, InstKind::ICmp(IntCC::Slt, i, end), Type::BOOL);
        let (body, behind) = self.fork(cond);
        self.at = body;
        self.loops.push((behind, step));
        self.statements();
        self.loops.pop();
        self.go(step);
        self.at = step;
        let i = self.load(counter);
        let one = self.f.iconst(Type::I32, 1);
        let next = self.f.append(self.at, InstKind::Binary(BinaryOp::IAdd, i, one), Type::I32);
        self.store(counter, next);
        self.go(head);
        self.at = behind;
    }

    /// break, continue or return, by a condition.
    fn exit(&mut self) {
        let cond = self.condition();
        let (then, els) = self.fork(cond);
        self.at = then;
        let around = self.r.below(1 + self.loops.len() as u64) as usize;
        match self.loops.get(around).copied() {
            Some((behind, _)) if self.r.below(2) == 0 => self.go(behind),
            Some((_, step)) => self.go(step),
            None => {
                let value = self.operand();
                self.f.blocks[then].term = Terminator::Return(SmallVec::from_iter([value]));
            }
        }
        self.at = els;
    }
}

fn random(seed: u64) -> Module {
    let mut r = Random::new(seed);
    let mut f = Function::new("f", &[Type::Ptr(Space::Global), Type::I32], &[Type::I32]);
    for n in 0..VARS {
        f.slots.push(SlotData { name: Some(format!("s{n}")), size: 4, align: 4 });
    }
    let at = f.entry();
    let mut g = Gen { r: &mut r, f, at, loops: Vec::new(), left: 12 };
    for n in 0..VARS {
        let known = g.f.iconst(Type::I32, n * 3 % 7);
        let value = if n == 0 { g.f.params()[1] } else { known };
        g.store(n, value);
    }
    g.statements();
    g.counted();
    g.statements();
    let sum = (0..VARS).fold(g.f.iconst(Type::I32, 1), |sum, n| {
        let value = g.load(n);
        let times = g.f.iconst(Type::I32, 31);
        let sum = g.f.append(g.at, InstKind::Binary(BinaryOp::IMul, sum, times), Type::I32);
        g.f.append(g.at, InstKind::Binary(BinaryOp::IAdd, sum, value), Type::I32)
    });
    g.f.blocks[g.at].term = Terminator::Return(SmallVec::from_iter([sum]));
    let mut module = Module { address_bits: 64, ..Module::default() };
    let mut f = g.f;
    cleanup::remove_unreachable(&mut f);
    cleanup::order_layout(&mut f);
    module.functions.push(f);
    module
}

/// Programs with nested loops and many exits compute the same as before.
#[test]
fn random_programs() {
    let (mut unrolled, mut ended) = (0, 0);
    for seed in 0..300 {
        let mut module = random(seed);
        verify::verify(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
        let before = module.functions.values().next().expect("a function").clone();
        let function = module.functions.values_mut().next().expect("a function");
        while mem2reg::promote_function(function, 8) == mem2reg::Promotion::Some {}
        simplify::simplify_function(function, 64);
        let budget = [0, 40, 200, 4000][seed as usize % 4];
        unrolled += u32::from(unroll_loops(function, &env(&EntityMap::new(), budget)));
        let after = function.clone();
        verify::verify(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{module}"));
        for n in [0, 1, 2, 5, 0xffff_fff0] {
            let args = [vec![Some(region(0))], vec![Some(n)]];
            let (a, b) = (interp::run(&before, &args, n, 4000), interp::run(&after, &args, n, 4000));
            assert!(a.allows(&b), "seed {seed}, {n}: {:?} {:?}\n{module}", a.end, b.end);
            ended += u32::from(matches!(a.end, End::Return(_)));
        }
    }
    assert!(unrolled > 60 && ended > 800, "{unrolled} {ended}");
}

#[test]
fn loops_over_constant_strings() {
    let source = "module read bits=64\nglobal g0 \"s\" constant size=5 align=1 init=\"666f7572\" addresses=()\nfunc f0 \"f\" returns (i32)\nb0(v0: ptr.global):\n  \
                  v1: ptr.constant = rootaddr g0\n  br b1(i32:0)\nb1(v2: i32):\n  v3: ptr.constant = ptradd v1, v2, 1\n  \
                  v4: i8 = load [v3], align=1\n  v5: bool = icmp.ne v4, i8:0\n  v6: i32 = iadd v2, i32:1\n  condbr v5, b1(v6), b2()\n\
                  b2():\n  return(v2)\n";
    let mut module = text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let function = module.functions.values_mut().next().expect("a function");
    assert!(unroll_loops(function, &env(&module.globals, 0)));
    assert!(module.to_string().contains("return(i32:4)"), "{module}");
}

/// Any graph, with loops that have several entries.
#[test]
fn random_graphs() {
    let promoted = |m: &mut Module| {
        let f = m.functions.values_mut().next().expect("one");
        while mem2reg::promote_function(f, 8) == mem2reg::Promotion::Some {}
        simplify::simplify_function(f, 64);
    };
    let split = |m: &mut Module| {
        super::single_entry::make_single(m.functions.values_mut().next().expect("one"));
    };
    let unroll = |m: &mut Module| {
        unroll_loops(m.functions.values_mut().next().expect("one"), &env(&EntityMap::new(), 128));
    };
    fuzz::check(100, 12, &[split]);
    fuzz::check(120, 12, &[promoted, split, unroll]);
}

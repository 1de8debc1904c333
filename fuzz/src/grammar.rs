//! Random programs that are valid OpenCL C 1.2: each must compile without an error.

use crate::random::Random;
use std::fmt::Write;

/// A scalar type, or a vector of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ty {
    base: usize,
    width: usize,
}

/// Names and bytes of the scalar types; the last three are of floats.
const BASES: &[(&str, usize)] = &[
    ("char", 1),
    ("uchar", 1),
    ("short", 2),
    ("ushort", 2),
    ("int", 4),
    ("uint", 4),
    ("long", 8),
    ("ulong", 8),
    ("half", 2),
    ("float", 4),
    ("double", 8),
];
const FIRST_FLOAT: usize = 8;
const WIDTHS: &[usize] = &[1, 1, 1, 2, 3, 4, 8, 16];

const UNARY_FLOAT: &[&str] = &[
    "fabs", "sqrt", "sin", "cos", "exp", "log2", "floor", "ceil", "rint", "trunc", "rsqrt", "sign",
    "degrees", "tanh", "cbrt", "erf", "native", "asin", "lgamma",
];
const BINARY_FLOAT: &[&str] =
    &["fmin", "fmax", "pow", "fmod", "atan2", "copysign", "hypot", "step", "fdim", "nextafter", "remainder"];
const BINARY_INT: &[&str] =
    &["min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "rotate", "abs_diff_as", "mad_hi3"];

impl Ty {
    fn name(self) -> String {
        let base = BASES.get(self.base).map_or("int", |b| b.0);
        if self.width == 1 { base.to_owned() } else { format!("{base}{}", self.width) }
    }

    fn is_float(self) -> bool {
        self.base >= FIRST_FLOAT
    }

    fn bytes(self) -> usize {
        BASES.get(self.base).map_or(4, |b| b.1) * if self.width == 3 { 4 } else { self.width }
    }
}

/// A variable in scope; `writable` if it may be assigned.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    ty: Ty,
    writable: bool,
}

/// A helper function that is there already.
#[derive(Debug, Clone)]
struct Helper {
    name: String,
    result: Ty,
    parameters: Vec<Ty>,
}

struct Generator<'a> {
    random: &'a mut Random,
    text: String,
    scope: Vec<Variable>,
    helpers: Vec<Helper>,
    /// The types of the kernel's buffers g0, g1 …; empty outside of kernels.
    buffers: Vec<Ty>,
    loops: usize,
    names: usize,
    /// The budget of generation: every statement and expression takes a unit.
    budget: usize,
}

/// A program.
pub fn program(random: &mut Random) -> String {
    let budget = 40 + random.below(400);
    let mut generator = Generator {
        random,
        text: String::from(
            "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
             #define TWICE(x) ((x) + (x))\n#define PICK(a, b, c) ((c) ? (a) : (b))\n\
             typedef struct { int a; float b[3]; uchar4 c; struct { short d; } e; } S;\n\
             typedef union { int i; uint u; float f; } U;\nenum E { E0, E1 = 5, E2 };\n\
             constant int table[5] = { 1, [3] = 4, E2 };\nconstant float4 bias = (float4)(1, 2, 3, 4);\n",
        ),
        scope: Vec::new(),
        helpers: Vec::new(),
        buffers: Vec::new(),
        loops: 0,
        names: 0,
        budget,
    };
    for _ in 0..generator.random.below(4) {
        generator.helper();
    }
    for n in 0..1 + generator.random.below(2) {
        generator.kernel(n);
    }
    generator.text
}

impl Generator<'_> {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn fresh(&mut self, start: &str) -> String {
        self.names += 1;
        format!("{start}{}", self.names)
    }

    fn ty(&mut self) -> Ty {
        Ty { base: self.random.below(BASES.len()), width: self.random.pick(WIDTHS).copied().unwrap_or(1) }
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    fn helper(&mut self) {
        let (result, count) = (self.ty(), self.random.below(4));
        let name = self.fresh("f");
        let parameters: Vec<Ty> = (0..count).map(|_| self.ty()).collect();
        let names: Vec<String> = parameters.iter().map(|_| self.fresh("a")).collect();
        let list: Vec<String> =
            parameters.iter().zip(&names).map(|(t, n)| format!("{} {n}", t.name())).collect();
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        let _ = writeln!(self.text, "{} {name}({list})\n{{", result.name());
        for (ty, name) in parameters.iter().zip(names) {
            self.scope.push(Variable { name, ty: *ty, writable: true });
        }
        for _ in 0..self.random.below(5) {
            self.statement(3);
        }
        let value = self.expression(result, 3);
        let _ = writeln!(self.text, "return {value};\n}}");
        self.scope.clear();
        self.helpers.push(Helper { name, result, parameters });
    }

    fn kernel(&mut self, number: usize) {
        self.buffers = (0..1 + self.random.below(4)).map(|_| self.ty()).collect();
        let mut list: Vec<String> =
            self.buffers.iter().enumerate().map(|(n, t)| format!("global {} *g{n}", t.name())).collect();
        for _ in 0..self.random.below(3) {
            let (ty, name) = (self.ty(), self.fresh("a"));
            if ty.base == FIRST_FLOAT {
                continue;
            }
            list.push(format!("{} {name}", ty.name()));
            self.scope.push(Variable { name, ty, writable: true });
        }
        list.push("local int *l".to_owned());
        let _ = writeln!(self.text, "kernel void k{number}({})\n{{", list.join(", "));
        self.put("int id = get_global_id(0);\nlocal float shared[16];\n");
        self.put("S s = { 1, { 2, 3 }, (uchar4)(4), { 5 } };\nU u = { .i = 7 };\nint array[6] = { 0 };\n");
        self.scope.push(Variable { name: "id".to_owned(), ty: Ty { base: 4, width: 1 }, writable: false });
        for _ in 0..2 + self.random.below(8) {
            self.statement(4);
            if self.random.one_in(6) {
                self.put(
                    "shared[id & 15] = id;\nbarrier(CLK_LOCAL_MEM_FENCE);\nl[id & 3] = (int)shared[3];\n",
                );
            }
        }
        for n in 0..self.buffers.len() {
            let Some(ty) = self.buffers.get(n).copied() else { break };
            let value = self.expression(ty, 3);
            let _ = writeln!(self.text, "g{n}[id] = {value};");
        }
        self.put("}\n");
        self.scope.clear();
        self.buffers.clear();
    }

    /// A block in braces.
    fn block(&mut self, depth: usize) {
        let outer = self.scope.len();
        self.put("{\n");
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        self.put("}\n");
        self.scope.truncate(outer);
    }

    fn statement(&mut self, depth: usize) {
        if !self.spend() {
            return self.put(";\n");
        }
        let simple = depth == 0;
        match self.random.below(if simple { 6 } else { 13 }) {
            0 | 1 => self.declaration(),
            2 | 3 => self.assignment(),
            4 => self.store(),
            5 => self.aggregate(),
            6 => {
                let condition = self.condition();
                let _ = write!(self.text, "if ({condition}) ");
                self.block(depth - 1);
                if self.random.one_in(2) {
                    self.put("else ");
                    self.block(depth - 1);
                }
            }
            7 | 8 => {
                let name = self.fresh("i");
                let _ = write!(
                    self.text,
                    "for (int {name} = 0; {name} < {}; {name}++) ",
                    1 + self.random.below(9)
                );
                self.looped(depth, Some(name));
            }
            9 => {
                let condition = self.condition();
                let _ = write!(self.text, "while ({condition}) ");
                self.looped(depth, None);
            }
            10 => {
                self.put("do ");
                self.looped(depth, None);
                let condition = self.condition();
                let _ = writeln!(self.text, "while ({condition});");
            }
            11 => self.switch(depth),
            _ if self.loops > 0 => {
                let condition = self.condition();
                let word = if self.random.one_in(2) { "break" } else { "continue" };
                let _ = writeln!(self.text, "if ({condition}) {word};");
            }
            _ => self.block(depth - 1),
        }
    }

    fn looped(&mut self, depth: usize, counter: Option<String>) {
        let outer = self.scope.len();
        if let Some(name) = counter {
            self.scope.push(Variable { name, ty: Ty { base: 4, width: 1 }, writable: false });
        }
        self.loops += 1;
        self.block(depth - 1);
        self.loops -= 1;
        self.scope.truncate(outer);
    }

    fn switch(&mut self, depth: usize) {
        let value = self.expression(Ty { base: 4, width: 1 }, 2);
        let _ = writeln!(self.text, "switch (({value}) & 7) {{");
        // `continue` would be fine, `break` means the switch: both are left to the loops.
        let loops = std::mem::take(&mut self.loops);
        for n in 0..1 + self.random.below(4) {
            let _ = writeln!(self.text, "case {n}:");
            self.block(depth - 1);
            if !self.random.one_in(3) {
                self.put("break;\n");
            }
        }
        self.put("default: ;\n}\n");
        self.loops = loops;
    }

    fn declaration(&mut self) {
        let ty = self.ty();
        let value = self.expression(ty, 3);
        let name = self.fresh("v");
        let writable = !self.random.one_in(5);
        let qualifier = if writable { "" } else { "const " };
        let _ = writeln!(self.text, "{qualifier}{} {name} = {value};", ty.name());
        self.scope.push(Variable { name, ty, writable });
    }

    fn assignment(&mut self) {
        let writable: Vec<Variable> = self.scope.iter().filter(|v| v.writable).cloned().collect();
        let Some(variable) = self.random.pick(&writable).cloned() else { return self.declaration() };
        let operators: &[&'static str] = if variable.ty.is_float() {
            &["=", "+=", "-=", "*="]
        } else {
            &["=", "+=", "^=", "|=", "<<=", ">>=", "-="]
        };
        let operator = self.random.word(operators);
        if variable.ty.width > 1 && self.random.one_in(3) {
            let part = Ty { width: 1, ..variable.ty };
            let (value, at) = (self.expression(part, 2), self.random.below(variable.ty.width));
            let _ = writeln!(self.text, "{}.s{at:x} {operator} {value};", variable.name);
            return;
        }
        if !variable.ty.is_float() && self.random.one_in(6) {
            let _ = writeln!(self.text, "{}++;", variable.name);
            return;
        }
        let value = self.expression(variable.ty, 3);
        let _ = writeln!(self.text, "{} {operator} {value};", variable.name);
    }

    fn store(&mut self) {
        let n = self.random.below(self.buffers.len());
        let Some(ty) = self.buffers.get(n).copied() else { return self.assignment() };
        let value = self.expression(ty, 3);
        let index = self.expression(Ty { base: 5, width: 1 }, 2);
        let _ = writeln!(self.text, "g{n}[({index}) & 63] = {value};");
    }

    /// Something with the kernel's structure, union and array.
    fn aggregate(&mut self) {
        if self.buffers.is_empty() {
            return self.assignment();
        }
        let int = self.expression(Ty { base: 4, width: 1 }, 2);
        let float = self.expression(Ty { base: 9, width: 1 }, 2);
        let _ = match self.random.below(6) {
            0 => writeln!(self.text, "s.a += {int};"),
            1 => writeln!(self.text, "s.b[({int}) & 1] = {float};"),
            2 => writeln!(self.text, "u.f = {float}; id + u.i;"),
            3 => writeln!(self.text, "array[({int}) & 3] += table[({int}) & 3];"),
            4 => writeln!(self.text, "{{ S copy = s; copy.e.d = {int}; s = copy; }}"),
            _ => writeln!(self.text, "{{ int *q = array + 1; *q = {int}; q[2] = q - array; }}"),
        };
    }

    fn condition(&mut self) -> String {
        let ty = Ty { width: 1, ..self.ty() };
        let (a, b) = (self.expression(ty, 2), self.expression(ty, 2));
        let operator = self.random.word(&["<", ">", "<=", ">=", "==", "!="]);
        match self.random.below(4) {
            0 => format!("({a}) {operator} ({b}) && id_() != 3").replace("id_()", "sizeof(int)"),
            1 => format!("!(({a}) {operator} ({b}))"),
            _ => format!("({a}) {operator} ({b})"),
        }
    }

    fn literal(&mut self, ty: Ty) -> String {
        let n = self.random.below(100);
        let scalar = |n: usize| if ty.is_float() { format!("{n}.5f") } else { format!("{n}") };
        match ty.width {
            1 => format!("({}){}", ty.name(), scalar(n)),
            width if self.random.one_in(2) => {
                let parts: Vec<String> = (0..width).map(|i| scalar(n + i)).collect();
                format!("({})({})", ty.name(), parts.join(", "))
            }
            _ => format!("({})({})", ty.name(), scalar(n)),
        }
    }

    /// An expression of exactly this type, in parentheses where it needs them.
    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        let known: Vec<String> = self.scope.iter().filter(|v| v.ty == ty).map(|v| v.name.clone()).collect();
        if !self.spend() || depth == 0 {
            return match self.random.pick(&known) {
                Some(name) => name.clone(),
                None => format!("({})", self.literal(ty)),
            };
        }
        let inner = match self.random.below(13) {
            0 => self.literal(ty),
            1 | 2 => self.random.pick(&known).cloned().unwrap_or_else(|| self.literal(ty)),
            3 | 4 => self.operation(ty, depth),
            5 => self.conversion(ty, depth),
            6 => self.reinterpretation(ty, depth),
            7 => {
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let (c, d) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                format!("({a} < {b}) ? {c} : {d}")
            }
            8 | 9 => self.builtin(ty, depth),
            10 => self.part(ty),
            11 => self.read(ty, depth),
            _ => self.call(ty, depth),
        };
        // The value of arithmetic on narrow integers is an int: the cast gives it the type back.
        if ty.width == 1 { format!("(({})({inner}))", ty.name()) } else { format!("({inner})") }
    }

    fn operation(&mut self, ty: Ty, depth: usize) -> String {
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        if ty.is_float() {
            return match self.random.below(6) {
                0 => format!("-{a}"),
                1 => format!("TWICE({a})"),
                _ => format!("{a} {} {b}", self.random.word(&["+", "-", "*", "/"])),
            };
        }
        match self.random.below(8) {
            0 => format!("~{a}"),
            1 => format!("{a} / ({b} | ({})1)", ty.name()),
            2 => format!("{a} % ({b} | ({})1)", ty.name()),
            3 => format!("PICK({a}, {b}, sizeof(S) > 4)"),
            _ => format!("{a} {} {b}", self.random.word(&["+", "-", "*", "&", "|", "^", "<<", ">>"])),
        }
    }

    fn conversion(&mut self, ty: Ty, depth: usize) -> String {
        let from = Ty { base: self.random.below(BASES.len()), width: ty.width };
        let value = self.expression(from, depth - 1);
        let sat = if ty.is_float() { "" } else { self.random.word(&["", "", "_sat"]) };
        let round = self.random.word(&["", "", "_rte", "_rtz", "_rtp", "_rtn"]);
        format!("convert_{}{sat}{round}({value})", ty.name())
    }

    fn reinterpretation(&mut self, ty: Ty, depth: usize) -> String {
        let same: Vec<Ty> = (0..BASES.len())
            .map(|base| Ty { base, width: ty.width })
            .filter(|t| t.bytes() == ty.bytes())
            .collect();
        let Some(from) = self.random.pick(&same).copied() else { return self.literal(ty) };
        let value = self.expression(from, depth - 1);
        format!("as_{}({value})", ty.name())
    }

    fn builtin(&mut self, ty: Ty, depth: usize) -> String {
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        if ty.is_float() {
            return match self.random.below(4) {
                0 => format!("{}({a}, {b})", self.random.word(BINARY_FLOAT)),
                1 => format!("mad({a}, {b}, {a})"),
                2 => format!("clamp({a}, {b}, {b})"),
                _ => match self.random.word(UNARY_FLOAT) {
                    "native" if ty.base == 9 => format!("native_sin({a})"),
                    "native" => format!("exp2({a})"),
                    name => format!("{name}({a})"),
                },
            };
        }
        match self.random.word(BINARY_INT) {
            "abs_diff_as" => format!("convert_{}(abs_diff({a}, {b}))", ty.name()),
            "mad_hi3" => format!("mad_hi({a}, {b}, {a})"),
            name => format!("{name}({a}, {b})"),
        }
    }

    /// A part of a wider vector in scope.
    fn part(&mut self, ty: Ty) -> String {
        let wider: Vec<Variable> =
            self.scope.iter().filter(|v| v.ty.base == ty.base && v.ty.width > ty.width).cloned().collect();
        let Some(from) = self.random.pick(&wider).cloned() else { return self.literal(ty) };
        let digits: String =
            (0..ty.width).map(|_| format!("{:x}", self.random.below(from.ty.width))).collect();
        format!("{}.s{digits}", from.name)
    }

    fn read(&mut self, ty: Ty, depth: usize) -> String {
        let same: Vec<usize> =
            (0..self.buffers.len()).filter(|n| self.buffers.get(*n) == Some(&ty)).collect();
        let index = self.expression(Ty { base: 4, width: 1 }, depth - 1);
        match self.random.pick(&same) {
            Some(n) => format!("g{n}[({index}) & 63]"),
            None if ty == (Ty { base: 9, width: 4 }) => "bias".to_owned(),
            None => format!("({})(({})table[({index}) & 3])", ty.name(), Ty { width: 1, ..ty }.name()),
        }
    }

    fn call(&mut self, ty: Ty, depth: usize) -> String {
        let same: Vec<Helper> = self.helpers.iter().filter(|h| h.result == ty).cloned().collect();
        let Some(helper) = self.random.pick(&same).cloned() else { return self.operation(ty, depth) };
        let arguments: Vec<String> =
            helper.parameters.iter().map(|t| self.expression(*t, depth - 1)).collect();
        format!("{}({})", helper.name, arguments.join(", "))
    }
}

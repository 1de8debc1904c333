//! Programs as text: OpenCL C that means what the tree means.

use super::ast::*;
use std::fmt::Write;

/// The program's source.
pub(crate) fn source(program: &Program) -> String {
    let mut printer = Printer { program, text: String::new(), depth: 0 };
    printer.all();
    printer.text
}

struct Printer<'a> {
    program: &'a Program,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn all(&mut self) {
        self.text.push_str("#pragma OPENCL FP_CONTRACT OFF\n");
        let begin = self.text.len();
        for n in self.named() {
            self.record(n);
        }
        for (var, init) in &self.program.statics {
            let text = format!("{} = {};", self.declaration(*var), self.init(init));
            self.line(&text);
        }
        for n in self.reached() {
            self.prototypes(&self.program.functions[n]);
        }
        for n in self.reached() {
            self.function(&self.program.functions[n]);
        }
        if self.text[begin..].contains("half") {
            self.text.insert_str(begin, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        }
    }

    /// The records that what is printed names, in order.
    fn named(&self) -> Vec<usize> {
        let mut types: Vec<Ty> = Vec::new();
        let vars = |list: &[VarId]| list.iter().map(|v| self.program.vars[*v].ty.clone()).collect::<Vec<_>>();
        for (var, _) in &self.program.statics {
            types.extend(vars(&[*var]));
        }
        for n in self.reached() {
            let function = &self.program.functions[n];
            types.push(function.result.clone());
            types.extend(vars(&function.params));
            statement_types(self.program, &function.body, &mut types);
        }
        let mut list = Vec::new();
        while let Some(ty) = types.pop() {
            match ty {
                Ty::Pointer(p) => types.push(p.to.clone()),
                Ty::Array(of, _) => types.push((*of).clone()),
                Ty::Record(r) if !list.contains(&r) => {
                    list.push(r);
                    types.extend(self.program.records[r].fields.iter().map(|f| f.ty.clone()));
                }
                _ => {}
            }
        }
        list.sort_unstable();
        list
    }

    /// The functions that launches reach, in order.
    fn reached(&self) -> Vec<usize> {
        let mut list: Vec<usize> = self.program.launches.iter().map(|l| l.kernel).collect();
        let mut at = 0;
        while let Some(f) = list.get(at).copied() {
            at += 1;
            let mut calls = Vec::new();
            statement_calls(&self.program.functions[f].body, &mut calls);
            calls.retain(|c| !list.contains(c));
            list.extend(calls);
        }
        list.sort_unstable();
        list.dedup();
        list
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn record(&mut self, index: usize) {
        let record = &self.program.records[index];
        let word = if record.union { "union" } else { "struct" };
        for field in &record.fields {
            if let Some(aligned) = field.aligned {
                let name = format!("{}_{}", record.name, field.name);
                let text = self.declarator(&field.ty, Space::Private, &name);
                self.line(&format!("typedef {text} __attribute__((aligned({aligned})));"));
            }
        }
        self.line(&format!("typedef {word} {} {{", record.name));
        for field in &record.fields {
            let text = match field.aligned {
                Some(_) => format!("{}_{} {}", record.name, field.name, field.name),
                None => self.declarator(&field.ty, Space::Private, &field.name),
            };
            self.line(&format!("    {text};"));
        }
        let packed = if record.packed { "__attribute__((packed)) " } else { "" };
        self.line(&format!("}} {packed}{};", record.name));
    }

    fn space(&self, space: Space) -> &'static str {
        match space {
            // Where an unqualified pointer is generic, private is said.
            Space::Private if self.program.generic => "private ",
            Space::Private | Space::Generic => "",
            Space::Local => "local ",
            Space::Global => "global ",
            Space::Constant => "constant ",
        }
    }

    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Void => "void".to_owned(),
            Ty::Scalar(s) => s.name().to_owned(),
            Ty::Vector(s, n) => format!("{}{n}", s.name()),
            // Inside of its own definition a record has only its tag.
            Ty::Record(n) => {
                let record = &self.program.records[*n];
                format!("{} {}", if record.union { "union" } else { "struct" }, record.name)
            }
            Ty::Pointer(p) => match &p.to {
                to @ Ty::Pointer(_) => format!("{} {}*", self.ty(to), self.space(p.space)),
                to => format!("{}{} *", self.space(p.space), self.ty(to)),
            },
            Ty::Array(of, _) => self.ty(of),
        }
    }

    fn declarator(&self, ty: &Ty, space: Space, name: &str) -> String {
        let (mut inner, mut dims) = (ty, String::new());
        while let Ty::Array(of, n) = inner {
            let _ = write!(dims, "[{n}]");
            inner = of;
        }
        let space = if space == Space::Private { "" } else { self.space(space) };
        match inner {
            Ty::Pointer(_) => format!("{}{space}{name}{dims}", self.ty(inner)),
            _ => format!("{space}{} {name}{dims}", self.ty(inner)),
        }
    }

    fn declaration(&self, var: VarId) -> String {
        let v = &self.program.vars[var];
        self.declarator(&v.ty, v.space, &v.name)
    }

    fn collective(&mut self, var: VarId, f: Collective, value: &Expr) {
        let (declaration, value) = (self.declaration(var), self.expr(value));
        let (name, more) = match f {
            Collective::Reduce(c) => (format!("reduce_{}", combine_name(c)), String::new()),
            Collective::Inclusive(c) => (format!("scan_inclusive_{}", combine_name(c)), String::new()),
            Collective::Exclusive(c) => (format!("scan_exclusive_{}", combine_name(c)), String::new()),
            Collective::Broadcast(n) => ("broadcast".to_owned(), self.coordinates(n)),
            Collective::Vote(all) => ((if all { "all" } else { "any" }).to_owned(), String::new()),
            Collective::Cluster(c, size, pattern) => {
                let name = &self.program.vars[var].name;
                let call =
                    format!("{name} = sub_group_clustered_reduce_{}({name}, {size}u);", combine_name(c));
                self.line(&format!("{declaration} = {value};"));
                self.line(&format!("if ({pattern}u >> get_local_linear_id() & 1u)"));
                self.line(&format!("    {call}"));
                self.line("else");
                self.line(&format!("    {call}"));
                return;
            }
        };
        let test = if matches!(f, Collective::Vote(_)) { " != 0" } else { "" };
        self.line(&format!("{declaration} = work_group_{name}({value}{more}){test};"));
    }

    /// The local ids of a work-item by its number, as arguments.
    fn coordinates(&self, n: u32) -> String {
        let [x, y, z] = self.program.shape.local;
        let dimensions = self.program.shape.global().iter().rposition(|n| *n > 1).map_or(1, |d| d + 1);
        let list = [n % x, n / x % y, n / x / y % z.max(1)];
        list[..dimensions].iter().map(|n| format!(", {n}")).collect()
    }

    /// A function of work-items: all dimensions together, the first of them varying fastest.
    fn item(&self, f: ItemFn) -> String {
        let shape = &self.program.shape;
        if shape.is_line() {
            return item_name(f).to_owned();
        }
        let used = |sizes: [u32; 3]| (0..3).filter(move |d| sizes[*d] > 1);
        let product = |name: &str, sizes: [u32; 3]| match used(sizes)
            .map(|d| format!("{name}({d})"))
            .collect::<Vec<_>>()
        {
            list if list.is_empty() => format!("{name}(0)"),
            list => format!("({})", list.join(" * ")),
        };
        let number = |id: &str, size: &str, sizes: [u32; 3]| {
            used(sizes).rev().fold(String::new(), |inner, d| match inner.is_empty() {
                true => format!("{id}({d})"),
                false => format!("({inner} * {size}({d}) + {id}({d}))"),
            })
        };
        let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
        let local = or(number("get_local_id", "get_local_size", shape.local), "get_local_id(1)");
        let group = or(number("get_group_id", "get_num_groups", shape.groups), "get_group_id(2)");
        match f {
            ItemFn::LocalId => local,
            ItemFn::GroupId => group,
            ItemFn::GlobalId => format!("({group} * {}u + {local})", self.program.group),
            ItemFn::LocalSize => product("get_local_size", shape.local),
            ItemFn::GlobalSize => product("get_global_size", shape.global()),
            ItemFn::NumGroups => product("get_num_groups", shape.groups),
        }
    }

    /// The declarations before a function's definition.
    fn prototypes(&mut self, function: &Function) {
        let (name, result) = (&function.name, self.ty(&function.result));
        let types: Vec<Ty> = function.params.iter().map(|p| self.program.vars[*p].ty.clone()).collect();
        let list = |p: &Self, word: &str| {
            let one = |ty: &Ty| {
                let word = if ty.pointer().is_some() { "" } else { word };
                format!("{word}{}", p.declarator(ty, Space::Private, "").trim_end())
            };
            match types.as_slice() {
                [] => "void".to_owned(),
                types => types.iter().map(one).collect::<Vec<_>>().join(", "),
            }
        };
        let attribute = if function.overloads { "__attribute__((overloadable)) " } else { "" };
        for (n, form) in function.prototypes.iter().enumerate() {
            let text = match form {
                Prototype::Plain => format!("{attribute}{result} {name}({});", list(self, "const ")),
                Prototype::Typedef => {
                    let ty = format!("{name}_type{n}");
                    self.line(&format!("typedef {result} {ty}({});", list(self, "")));
                    format!("{attribute}{ty} {name};")
                }
                Prototype::Typeof => {
                    format!("{attribute}__typeof__({result} ({})) {name};", list(self, "const "))
                }
                Prototype::Extern => format!("{attribute}extern {result} {name}({});", list(self, "")),
                Prototype::Static => format!("{attribute}static {result} {name}({});", list(self, "")),
            };
            self.line(&text);
        }
    }

    fn function(&mut self, function: &Function) {
        let params: Vec<String> = function.params.iter().map(|p| self.declaration(*p)).collect();
        let before = match (function.kernel, function.noinline) {
            (true, _) if self.program.required => {
                let [x, y, z] = self.program.shape.local;
                format!("kernel __attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
            }
            (true, _) => "kernel ".to_owned(),
            (false, true) => "__attribute__((noinline)) ".to_owned(),
            (false, false) => String::new(),
        };
        let before =
            if function.overloads { format!("__attribute__((overloadable)) {before}") } else { before };
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let head = format!("{before}{} {}({params}) {{", self.ty(&function.result), function.name);
        self.line(&head);
        self.block(&function.body);
        self.line("}");
    }

    fn block(&mut self, body: &[Stmt]) {
        self.depth += 1;
        for stmt in body {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    fn braced(&mut self, head: &str, body: &[Stmt], tail: &str) {
        self.line(&format!("{head}{{"));
        self.block(body);
        self.line(&format!("}}{tail}"));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Decl(var, None) => self.line(&format!("{};", self.declaration(*var))),
            Stmt::Decl(var, Some(init)) => {
                let text = format!("{} = {};", self.declaration(*var), self.init(init));
                self.line(&text);
            }
            Stmt::Assign(to, op, value) => {
                let op = op.map_or("", binary_name);
                self.line(&format!("{} {op}= {};", self.expr(to), self.expr(value)));
            }
            Stmt::Do(value) => self.line(&format!("{};", self.expr(value))),
            Stmt::If(c, then, other) => {
                self.braced(&format!("if ({}) ", self.expr(c)), then, "");
                let mut other = other;
                while let [Stmt::If(c, then, rest)] = &other[..] {
                    self.braced(&format!("else if ({}) ", self.expr(c)), then, "");
                    other = rest;
                }
                if !other.is_empty() {
                    self.braced("else ", other, "");
                }
            }
            Stmt::For(var, from, to, step, body) => {
                let name = &self.program.vars[*var].name;
                let step = if *step == 1 { format!("{name}++") } else { format!("{name} += {step}") };
                let head = format!(
                    "for ({} = {}; {name} < {}; {step}) ",
                    self.declaration(*var),
                    self.expr(from),
                    self.expr(to)
                );
                self.braced(&head, body, "");
            }
            Stmt::While(false, c, body) => self.braced(&format!("while ({}) ", self.expr(c)), body, ""),
            Stmt::While(true, c, body) => {
                let tail = format!(" while ({});", self.expr(c));
                self.braced("do ", body, &tail);
            }
            Stmt::Switch(value, arms) => self.switch(value, arms),
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => self.line(&format!("return {};", self.expr(value))),
            Stmt::Block(body) => self.braced("", body, ""),
            Stmt::Ahead(label, body) => self.braced("", body, &format!(" L{label}: ;")),
            Stmt::Back(label, body) => self.braced(&format!("L{label}: "), body, ""),
            Stmt::Goto(label) => self.line(&format!("goto L{label};")),
            Stmt::Barrier(local, global) => {
                let flags = match (local, global) {
                    (true, true) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
                    (_, true) => "CLK_GLOBAL_MEM_FENCE",
                    _ => "CLK_LOCAL_MEM_FENCE",
                };
                self.line(&format!("barrier({flags});"));
            }
            Stmt::Collective(var, f, value) => self.collective(*var, *f, value),
            Stmt::Vstore(value, index, to) => {
                let n = value.ty.lanes().map_or(1, |l| l.1);
                let text =
                    format!("vstore{n}({}, {}, {});", self.expr(value), self.expr(index), self.expr(to));
                self.line(&text);
            }
            Stmt::Atomic(op, to, value) => {
                let to = self.expr(to);
                let text = match op {
                    AtomicOp::Inc => format!("atomic_inc({to});"),
                    AtomicOp::Dec => format!("atomic_dec({to});"),
                    _ => format!("atomic_{}({to}, {});", atomic_name(*op), self.expr(value)),
                };
                self.line(&text);
            }
        }
    }

    fn switch(&mut self, value: &Expr, arms: &[Arm]) {
        self.line(&format!("switch ({}) {{", self.expr(value)));
        for arm in arms {
            let mut labels = String::new();
            for label in &arm.labels {
                match (label, value.ty.lanes()) {
                    (Some(n), Some((s, _))) => {
                        let _ = write!(labels, "case {}: ", literal(s, *n));
                    }
                    _ => labels.push_str("default: "),
                }
            }
            self.braced(&labels, &arm.body, if arm.falls { "" } else { " break;" });
        }
        self.line("}");
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Expr(e) => self.expr(e),
            Init::List(list) if list.is_empty() => "{0}".to_owned(),
            Init::List(list) => {
                let parts: Vec<String> = list.iter().map(|i| self.init(i)).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        let name = self.ty(&e.ty);
        match &e.kind {
            Kind::Lit(bits) => match &e.ty {
                Ty::Vector(s, _) => format!("(({name})({}))", literal(*s, *bits)),
                Ty::Scalar(s) => literal(*s, *bits),
                _ => "0".to_owned(),
            },
            Kind::Build(list) => format!("(({name})({}))", self.list(list)),
            Kind::Splat(a) => format!("(({name})({}))", self.expr(a)),
            Kind::Truths(true, a) => format!("(({name})(bool)({}))", self.expr(a)),
            // A vector literal of one component.
            Kind::Truths(false, a) => format!("(({name})((bool)({})))", self.expr(a)),
            Kind::Var(var) => self.program.vars[*var].name.clone(),
            Kind::Member(a, n) => format!("{}.{}", self.expr(a), self.field(&a.ty, *n)),
            Kind::Arrow(a, n) => {
                let field = a.ty.pointer().map_or("?", |p| self.field(&p.to, *n));
                format!("{}->{field}", self.expr(a))
            }
            Kind::At(a, i) => format!("{}[{}]", self.expr(a), self.expr(i)),
            Kind::Deref(a) => format!("(*{})", self.expr(a)),
            Kind::Swizzle(a, lanes) => {
                let lanes: String = lanes.iter().map(|l| format!("{l:x}")).collect();
                format!("{}.s{lanes}", self.expr(a))
            }
            Kind::Decay(a) => self.expr(a),
            Kind::Address(a) => format!("(&{})", self.expr(a)),
            Kind::Unary(op, a) => self.unary(*op, &e.ty, &self.expr(a)),
            Kind::Binary(op, a, b) => {
                let wraps = matches!(op, Binary::Add | Binary::Sub);
                let plain = !wraps || e.ty.lanes().is_some_and(|(s, _)| !s.is_signed());
                let right = match &b.kind {
                    Kind::Truths(false, truth) if plain => format!("((bool)({}))", self.expr(truth)),
                    _ => self.expr(b),
                };
                self.binary(*op, &e.ty, &self.expr(a), &right)
            }
            Kind::Compare(op, a, b) => {
                let op = match op {
                    Compare::Eq => "==",
                    Compare::Ne => "!=",
                    Compare::Lt => "<",
                    Compare::Le => "<=",
                    Compare::Gt => ">",
                    Compare::Ge => ">=",
                };
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            Kind::Logic(and, a, b) => {
                format!("({} {} {})", self.expr(a), if *and { "&&" } else { "||" }, self.expr(b))
            }
            Kind::Falsity(a) => format!("(!{})", self.expr(a)),
            Kind::Cond(c, a, b) => {
                // Narrow operands are promoted.
                let narrow = matches!(e.ty, Ty::Scalar(s) if s.bytes() < 4);
                let cast = if narrow { format!("({name})") } else { String::new() };
                let text = format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b));
                if narrow { format!("({cast}{text})") } else { text }
            }
            Kind::Convert(a) => match &e.ty {
                Ty::Vector(..) => format!("convert_{name}({})", self.expr(a)),
                _ => format!("(({name}){})", self.expr(a)),
            },
            Kind::ConvertSat(a) => format!("convert_{name}_sat({})", self.expr(a)),
            Kind::As(a) => format!("as_{name}({})", self.expr(a)),
            Kind::Any(all, a) => format!("{}({})", if *all { "all" } else { "any" }, self.expr(a)),
            Kind::Choose(c, a, b) => format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b)),
            Kind::Volatile(space, a) => {
                format!("(*(volatile {}{name} *)&{})", self.space(*space), self.expr(a))
            }
            Kind::Builtin(f @ (Builtin::Abs | Builtin::AbsDiff), list) => {
                // Their results are unsigned.
                format!("as_{name}({}({}))", builtin_name(*f), self.list(list))
            }
            Kind::Builtin(f, list) => format!("{}({})", builtin_name(*f), self.list(list)),
            Kind::Item(f) => format!("((uint){})", self.item(*f)),
            Kind::Call(f, list) => format!("{}({})", self.program.functions[*f].name, self.list(list)),
            Kind::Fetch(op, list) => format!("atomic_{}({})", atomic_name(*op), self.list(list)),
            _ => self.pointer_expr(e),
        }
    }

    /// Pointers, and what they give.
    fn pointer_expr(&self, e: &Expr) -> String {
        let name = self.ty(&e.ty);
        match &e.kind {
            Kind::Null => format!("(({name})0)"),
            Kind::Offset(a, b) => format!("({} + {})", self.expr(a), self.expr(b)),
            Kind::PtrCast(a) => format!("(({name}){})", self.expr(a)),
            Kind::PtrEq(eq, a, b) => {
                format!("({} {} {})", self.expr(a), if *eq { "==" } else { "!=" }, self.expr(b))
            }
            Kind::PtrLess(less, a, b) => {
                format!("({} {} {})", self.expr(a), if *less { "<" } else { ">=" }, self.expr(b))
            }
            Kind::PtrDiff(a, b) => format!("((int)({} - {}))", self.expr(a), self.expr(b)),
            Kind::IntEq(eq, a, b) => {
                let op = if *eq { "==" } else { "!=" };
                format!("((uintptr_t){} {op} (uintptr_t){})", self.expr(a), self.expr(b))
            }
            Kind::RoundTrip(a) => format!("(({name})(uintptr_t){})", self.expr(a)),
            Kind::IntOffset(a, b) => {
                let to = e.ty.pointer().map(|p| self.ty(&p.to)).unwrap_or_default();
                format!("(({name})((uintptr_t){} + {} * sizeof({to})))", self.expr(a), self.expr(b))
            }
            Kind::IntAligned(a) => {
                let align = a.ty.pointer().map_or(1, |p| self.program.align(&p.to));
                format!("(((uintptr_t){} & {}) == 0)", self.expr(a), align - 1)
            }
            Kind::ToSpace(a) => {
                let f = match e.ty.pointer().map(|p| p.space) {
                    Some(Space::Local) => "to_local",
                    Some(Space::Private) => "to_private",
                    _ => "to_global",
                };
                // A qualifier may have come with the pointee's own.
                format!("{f}({})", self.expr(a))
            }
            Kind::Vload(i, p) => {
                let n = e.ty.lanes().map_or(1, |l| l.1);
                format!("vload{n}({}, {})", self.expr(i), self.expr(p))
            }
            _ => String::new(),
        }
    }

    fn field(&self, ty: &Ty, n: usize) -> &str {
        match ty {
            Ty::Record(r) => self.program.records[*r].fields.get(n).map_or("?", |f| &f.name),
            _ => "?",
        }
    }

    fn unary(&self, op: Unary, ty: &Ty, a: &str) -> String {
        let name = self.ty(ty);
        let Some((s, lanes)) = ty.lanes() else { return a.to_owned() };
        match (op, lanes) {
            (Unary::Not, 1) if s.bytes() < 4 => format!("(({name})~{a})"),
            (Unary::Not, _) => format!("(~{a})"),
            (Unary::Neg, _) if s.is_float() => format!("(-{a})"),
            (Unary::Neg, 1) if s.bytes() < 4 => format!("(({name})-{a})"),
            (Unary::Neg, _) => self.binary(Binary::Sub, ty, &self.zero(ty), a),
        }
    }

    fn zero(&self, ty: &Ty) -> String {
        self.expr(&Expr::new(ty.clone(), Kind::Lit(0)))
    }

    fn binary(&self, op: Binary, ty: &Ty, a: &str, b: &str) -> String {
        let name = self.ty(ty);
        let sign = binary_name(op);
        let Some((s, lanes)) = ty.lanes() else { return a.to_owned() };
        let wraps = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
        if s.is_float() {
            return format!("({a} {sign} {b})");
        }
        if lanes > 1 {
            if s.is_signed() && wraps {
                let u = self.ty(&Ty::Vector(s.unsigned(), lanes));
                return format!("as_{name}(as_{u}({a}) {sign} as_{u}({b}))");
            }
            return format!("({a} {sign} {b})");
        }
        if s.bytes() < 4 {
            // Computed as int after promotion; a product of ushorts does not fit one.
            return match op {
                Binary::Mul | Binary::Shl => format!("(({name})((uint){a} {sign} (uint){b}))"),
                _ => format!("(({name})({a} {sign} {b}))"),
            };
        }
        if s.is_signed() && wraps {
            let u = s.unsigned().name();
            return format!("(({name})(({u}){a} {sign} ({u}){b}))");
        }
        format!("({a} {sign} {b})")
    }
}

fn statement_calls(body: &[Stmt], list: &mut Vec<usize>) {
    for stmt in body {
        for e in stmt.exprs() {
            calls(e, list);
        }
        for block in stmt.blocks() {
            statement_calls(block, list);
        }
    }
}

fn statement_types(program: &Program, body: &[Stmt], list: &mut Vec<Ty>) {
    for stmt in body {
        if let Stmt::Decl(var, _) | Stmt::For(var, ..) | Stmt::Collective(var, ..) = stmt {
            list.push(program.vars[*var].ty.clone());
        }
        for e in stmt.exprs() {
            expr_types(e, list);
        }
        for block in stmt.blocks() {
            statement_types(program, block, list);
        }
    }
}

fn expr_types(e: &Expr, list: &mut Vec<Ty>) {
    list.push(e.ty.clone());
    for part in e.parts() {
        expr_types(part, list);
    }
}

fn calls(e: &Expr, list: &mut Vec<usize>) {
    if let Kind::Call(f, _) = e.kind {
        list.push(f);
    }
    for part in e.parts() {
        calls(part, list);
    }
}

pub(crate) fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
    }
}

fn combine_name(combine: Combine) -> &'static str {
    match combine {
        Combine::Add => "add",
        Combine::Min => "min",
        Combine::Max => "max",
    }
}

fn atomic_name(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::Sub => "sub",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Min => "min",
        AtomicOp::Max => "max",
        AtomicOp::Inc => "inc",
        AtomicOp::Dec => "dec",
        AtomicOp::Xchg => "xchg",
        AtomicOp::CmpXchg => "cmpxchg",
    }
}

fn builtin_name(f: Builtin) -> &'static str {
    match f {
        Builtin::Min => "min",
        Builtin::Max => "max",
        Builtin::Clamp => "clamp",
        Builtin::Abs => "abs",
        Builtin::AbsDiff => "abs_diff",
        Builtin::MadHi => "mad_hi",
        Builtin::MadSat => "mad_sat",
        Builtin::AddSat => "add_sat",
        Builtin::SubSat => "sub_sat",
        Builtin::Hadd => "hadd",
        Builtin::Rhadd => "rhadd",
        Builtin::MulHi => "mul_hi",
        Builtin::Rotate => "rotate",
        Builtin::Clz => "clz",
        Builtin::Popcount => "popcount",
        Builtin::Select => "select",
        Builtin::Bitselect => "bitselect",
        Builtin::Fma => "fma",
        Builtin::Fmin => "fmin",
        Builtin::Fmax => "fmax",
        Builtin::Fabs => "fabs",
        Builtin::Copysign => "copysign",
        Builtin::Floor => "floor",
        Builtin::Ceil => "ceil",
        Builtin::Trunc => "trunc",
        Builtin::Rint => "rint",
        Builtin::Round => "round",
        Builtin::Fdim => "fdim",
        Builtin::Fmod => "fmod",
        Builtin::Remainder => "remainder",
        Builtin::Ldexp => "ldexp",
        Builtin::Sqrt => "sqrt",
    }
}

fn item_name(f: ItemFn) -> &'static str {
    match f {
        ItemFn::GlobalId => "get_global_id(0)",
        ItemFn::LocalId => "get_local_id(0)",
        ItemFn::GroupId => "get_group_id(0)",
        ItemFn::LocalSize => "get_local_size(0)",
        ItemFn::GlobalSize => "get_global_size(0)",
        ItemFn::NumGroups => "get_num_groups(0)",
    }
}

fn literal(s: Scalar, bits: u64) -> String {
    let n = s.number(bits);
    match s {
        Scalar::F16 | Scalar::F32 | Scalar::F64 => float_literal(s, bits),
        Scalar::U32 => format!("{n}u"),
        Scalar::U64 => format!("{n}ul"),
        Scalar::I32 if n >= 0 => format!("{n}"),
        Scalar::I32 if n > i128::from(i32::MIN) => format!("({n})"),
        Scalar::I32 => "((int)0x80000000u)".to_owned(),
        Scalar::I64 if n > i128::from(i64::MIN) => format!("({n}l)"),
        Scalar::I64 => "((long)0x8000000000000000ul)".to_owned(),
        _ => format!("(({}){n})", s.name()),
    }
}

fn float_literal(s: Scalar, bits: u64) -> String {
    let value = super::floats::number(s, bits);
    let size = match s {
        _ if value.is_infinite() => format!("({})INFINITY", s.name()),
        Scalar::F16 => format!("{:?}h", value.abs()),
        Scalar::F32 => format!("{:?}f", f32::from_bits(bits as u32).abs()),
        _ => format!("{:?}", value.abs()),
    };
    match value.is_sign_negative() {
        true => format!("(-{size})"),
        false if value.is_infinite() => format!("({size})"),
        false => size,
    }
}

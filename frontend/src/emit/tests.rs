//! Small trees made by hand, emitted and looked at.

use super::emit;
use crate::builtins::{Builtin, BuiltinOp};
use crate::diag::Diagnostics;
use crate::hir::*;
use crate::options::{AddressWidth, Options};
use crate::source::{SourceMap, Span};
use crate::symbol::{Interner, Symbol};
use crate::types::{AddressSpace, QualType, Scalar, Type, TypeId, Types};
use spirv_io::Reader;
use spirv_io::spirv::{self, Op};

struct Maker {
    symbols: Interner,
    types: Types,
    globals: Vec<Global>,
    functions: Vec<Function>,
}

const SPAN: Span = Span { lo: 0, hi: 0, expansion: crate::source::ExpansionId::NONE };

impl Maker {
    fn new() -> Self {
        Maker {
            symbols: Interner::new(),
            types: Types::new(AddressWidth::Bits64),
            globals: Vec::new(),
            functions: Vec::new(),
        }
    }

    fn local(&mut self, name: &str, ty: TypeId) -> Local {
        let name = Some(self.symbols.intern(name));
        Local { name, ty: QualType::new(ty), written_type: Some("t".into()), aligned: None, span: SPAN }
    }

    fn global_pointer(&mut self, ty: TypeId) -> TypeId {
        self.types.pointer(QualType::in_space(ty, AddressSpace::Global))
    }

    fn function(&mut self, name: &str, params: usize, locals: Vec<Local>, body: Vec<Stmt>) -> FunctionId {
        let name: Symbol = self.symbols.intern(name);
        self.functions.push(Function {
            name,
            ret: Types::VOID,
            param_count: params,
            locals,
            kernel: Some(KernelAttributes::default()),
            body: Some(Block { stmts: body }),
            labels: vec![(name, SPAN)],
            linkage: Linkage::Export,
            inline_hint: InlineHint::None,
            fp_contract: true,
            captures: None,
            span: SPAN,
        });
        FunctionId(self.functions.len() as u32 - 1)
    }

    fn emit(self) -> Vec<u32> {
        let program = Program {
            types: self.types,
            globals: self.globals,
            functions: self.functions,
            fp_contract: true,
        };
        let options = Options::default();
        let mut diags = Diagnostics::new(&options);
        let words = emit(&program, &self.symbols, &SourceMap::new(), &options, &mut diags);
        let messages: Vec<_> = diags.iter().map(|d| d.message.clone()).collect();
        let words = words.unwrap_or_else(|| panic!("emission failed: {messages:?}"));
        judge(&words);
        words
    }
}

/// Has SPIRV-Tools' validator look at the module, where one is installed.
fn judge(words: &[u32]) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("module").replace(':', "_");
    let file = std::env::temp_dir().join(format!("pumice-{}-{name}.spv", std::process::id()));
    std::fs::write(&file, spirv_io::words_to_bytes(words)).expect("temporary file");
    let run = std::process::Command::new("spirv-val").args(["--target-env", "opencl2.2"]).arg(&file).output();
    std::fs::remove_file(&file).expect("temporary file");
    match run {
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => println!("SKIPPED: spirv-val not found"),
    }
}

fn expr(kind: ExprKind, ty: TypeId) -> Expr {
    Expr { kind, ty: QualType::new(ty), span: SPAN }
}

fn int(value: i64) -> Expr {
    expr(ExprKind::Constant(Constant::Int(value)), Types::INT)
}

fn local(id: u32, ty: TypeId) -> Expr {
    expr(ExprKind::Local(LocalId(id)), ty)
}

fn load(lvalue: Expr) -> Expr {
    let ty = lvalue.ty.ty;
    expr(ExprKind::Load(Box::new(lvalue)), ty)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: SPAN }
}

fn assign(lhs: Expr, rhs: Expr) -> Stmt {
    let ty = lhs.ty.ty;
    stmt(StmtKind::Expr(expr(ExprKind::Assign { lhs: Box::new(lhs), rhs: Box::new(rhs) }, ty)))
}

fn ops(words: &[u32]) -> Vec<Op> {
    let (_, reader) = Reader::new(words).expect("header");
    reader.map(|i| i.expect("instruction").op).collect()
}

fn count(words: &[u32], op: Op) -> usize {
    ops(words).into_iter().filter(|o| *o == op).count()
}

#[test]
fn a_parameter_that_is_only_read_has_no_variable() {
    let mut m = Maker::new();
    let pointer = m.global_pointer(Types::INT);
    let params = vec![m.local("out", pointer), m.local("n", Types::INT)];
    let target = expr(ExprKind::Deref(Box::new(load(local(0, pointer)))), Types::INT);
    m.function("k", 2, params, vec![assign(target, load(local(1, Types::INT)))]);
    let words = m.emit();
    assert_eq!(count(&words, Op::Variable), 0);
    assert_eq!(count(&words, Op::Store), 1);
    assert_eq!(count(&words, Op::EntryPoint), 1);
}

#[test]
fn goto_drops_merge_instructions_and_unreachable_blocks() {
    let mut m = Maker::new();
    let one = || expr(ExprKind::Constant(Constant::Int(1)), Types::BOOL);
    let jump =
        stmt(StmtKind::If { cond: one(), then: Box::new(stmt(StmtKind::Goto(LabelId(0)))), els: None });
    let dead = stmt(StmtKind::Return(None));
    let label = stmt(StmtKind::Label { label: LabelId(0), body: Box::new(stmt(StmtKind::Empty)) });
    m.function("k", 0, vec![], vec![jump, dead, label]);
    let words = m.emit();
    assert_eq!(count(&words, Op::SelectionMerge), 0);
    // Both the early return and the label's end.
    assert_eq!(count(&words, Op::Return), 2);
}

#[test]
fn fallthrough_and_shared_labels_make_one_block_each() {
    let mut m = Maker::new();
    let x = m.local("x", Types::INT);
    let set = |v| assign(local(0, Types::INT), int(v));
    let case = |value, body| stmt(StmtKind::Case { value, body: Box::new(body) });
    let body = Block {
        stmts: vec![
            case(1, case(2, set(1))),
            stmt(StmtKind::Default { body: Box::new(set(2)) }),
            stmt(StmtKind::Break),
            case(5, set(3)),
        ],
    };
    let switch =
        StmtKind::Switch { value: load(local(0, Types::INT)), body: Box::new(stmt(StmtKind::Block(body))) };
    m.function("k", 1, vec![x], vec![stmt(switch)]);
    let words = m.emit();
    assert_eq!(count(&words, Op::Switch), 1);
    assert_eq!(count(&words, Op::SelectionMerge), 1);
    // Entry, three cases, merge.
    assert_eq!(count(&words, Op::Label), 5);
}

#[test]
fn components_of_global_vectors_are_stored_alone() {
    let mut m = Maker::new();
    let float4 = m.types.vector(Scalar::Float, 4);
    let pointer = m.global_pointer(float4);
    let params = vec![m.local("out", pointer)];
    let target = expr(ExprKind::Deref(Box::new(load(local(0, pointer)))), float4);
    let float2 = m.types.vector(Scalar::Float, 2);
    let components = ExprKind::Swizzle { base: Box::new(target), components: vec![2, 0] };
    let zero = expr(ExprKind::Constant(Constant::Zero), float2);
    m.function("k", 1, params, vec![assign(expr(components, float2), zero)]);
    let words = m.emit();
    assert_eq!((count(&words, Op::Load), count(&words, Op::Store)), (0, 2));
}

#[test]
fn a_work_item_index_beyond_two_is_a_constant() {
    let mut m = Maker::new();
    let ulong = Types::scalar(Scalar::ULong);
    let x = m.local("x", ulong);
    let id = |index| {
        let variable = spirv::BuiltIn::GlobalInvocationId;
        let op = BuiltinOp::WorkItem { variable, indexed: true, out_of_range: 0 };
        let builtin = Builtin { name: "get_global_id", op, params: vec![Types::UINT], ret: ulong };
        expr(ExprKind::Builtin { builtin: Box::new(builtin), args: vec![index] }, ulong)
    };
    m.function(
        "k",
        1,
        vec![x],
        vec![assign(local(0, ulong), id(int(3))), assign(local(0, ulong), id(int(1)))],
    );
    let words = m.emit();
    assert_eq!((count(&words, Op::Load), count(&words, Op::CompositeExtract)), (1, 1));
}

#[test]
fn a_called_kernel_gets_a_wrapper() {
    let mut m = Maker::new();
    let inner = m.function("inner", 0, vec![], vec![]);
    let call = expr(ExprKind::Call { function: inner, args: vec![] }, Types::VOID);
    m.function("outer", 0, vec![], vec![stmt(StmtKind::Expr(call))]);
    let words = m.emit();
    assert_eq!((count(&words, Op::Function), count(&words, Op::FunctionCall)), (3, 2));
}

#[test]
fn a_struct_that_points_to_itself_is_emitted() {
    let mut m = Maker::new();
    let record = crate::types::RecordId(0);
    m.types.records.push(crate::types::Record {
        tag: None,
        is_union: false,
        fields: None,
        packed: false,
        pack: None,
        aligned: None,
        span: SPAN,
        layout: None,
    });
    let node = m.types.intern(Type::Record(record));
    let link = m.global_pointer(node);
    let field = |ty| crate::types::Field {
        name: None,
        ty: QualType::new(ty),
        aligned: None,
        packed: false,
        span: SPAN,
    };
    m.types.records[0].fields = Some(vec![field(link), field(Types::INT)]);
    let params = vec![m.local("head", link)];
    let next = |from| {
        let object = expr(ExprKind::Deref(Box::new(from)), node);
        load(expr(ExprKind::Member { base: Box::new(object), field: 0 }, link))
    };
    let object = expr(ExprKind::Deref(Box::new(next(next(load(local(0, link)))))), node);
    let value = expr(ExprKind::Member { base: Box::new(object), field: 1 }, Types::INT);
    m.function("k", 1, params, vec![assign(value, int(7))]);
    let words = m.emit();
    assert_eq!(count(&words, Op::TypeStruct), 1);
    assert_eq!(count(&words, Op::TypeForwardPointer), 0);
}

/// The debug information of a source, as numbers of the instructions with their strings and constants resolved.
fn debug_info_of(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut options = Options::default();
    options.parse_build_options("-g").expect("-g");
    let words = crate::compile("k.cl", text, &options).spirv.expect("a module");
    let (_, reader) = Reader::new(&words).expect("header");
    let (mut known, mut found, mut set) = (std::collections::HashMap::new(), Vec::new(), 0);
    for inst in reader.map(|i| i.expect("an instruction")) {
        match inst.op {
            Op::ExtInstImport if inst.string(1).expect("name").0.starts_with("NonSemantic") => {
                set = inst.operands[0]
            }
            Op::String => drop(known.insert(inst.operands[0], inst.string(1).expect("text").0)),
            Op::Constant => drop(known.insert(inst.operands[1], inst.operands[2].to_string())),
            Op::ExtInst if inst.operands[2] == set => {
                let shown = |id: &u32| known.get(id).cloned().unwrap_or_else(|| "%".to_owned());
                let operands = inst.operands[4..].iter().map(shown).collect();
                found.push((inst.operands[3], operands));
            }
            _ => {}
        }
    }
    found
}

#[test]
fn debug_information_of_types_and_scopes() {
    let text = "struct node { int v; global struct node *next; float8 w; };\n\
                kernel void k(global struct node *n, const int count) {\n    local int shared[4];\n    \
                { float inner = count; shared[0] = inner; }\n    n->v = shared[0];\n}\n";
    let info = debug_info_of(text);
    let of = |number: u32| info.iter().filter(|i| i.0 == number).map(|i| i.1.join(" ")).collect::<Vec<_>>();
    assert_eq!(of(35), [format!("k.cl {text}")], "the source with its text");
    let composites = of(10);
    // The inner mention of the type has only its name; a vector of 8 has its components.
    assert!(composites.iter().any(|c| c.starts_with("@node 1 % ")), "{composites:?}");
    assert!(composites.iter().any(|c| c.starts_with("node 1 % 1 8 % node 512 0 ")), "{composites:?}");
    assert!(composites.iter().any(|c| c.starts_with("float8 1 ")), "{composites:?}");
    assert_eq!(of(18), ["shared % % 3 15 % k.shared % 12"]);
    assert_eq!(of(20), ["k % % 2 13 % k 8 2"]);
    assert_eq!(of(21), ["% 4 5 %"], "the block that declares something");
    assert_eq!(of(26), ["n % % 2 35 % 4 1", "count % % 2 48 % 4 2", "inner % % 4 13 % 4"]);
    assert_eq!(of(101).len(), 1);
}

#[test]
fn debug_information_with_line_directives_has_no_text() {
    let info = debug_info_of("#line 100 \"other.cl\"\nkernel void k(global int *p) { p[0] = 1; }\n");
    let sources: Vec<_> = info.iter().filter(|i| i.0 == 35).map(|i| i.1.join(" ")).collect();
    assert_eq!(sources, ["k.cl", "other.cl"]);
    assert!(info.iter().any(|i| i.0 == 20 && i.1[3] == "100"), "{info:?}");
}

#[test]
fn long_sources_are_emitted_in_pieces() {
    let text = format!("// {}\nkernel void k() {{}}\n", "ü".repeat(200_000));
    let info = debug_info_of(&text);
    let pieces: String =
        info.iter().filter(|i| i.0 == 35 || i.0 == 102).map(|i| i.1.last().expect("text").as_str()).collect();
    assert_eq!(pieces, text);
    assert_eq!(info.iter().filter(|i| i.0 == 102).count(), 1);
}

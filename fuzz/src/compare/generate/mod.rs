//! Random programs.
//!
//! They are made so that most of them are defined: every pointer's type promises how many elements are behind it,
//! whether it can be null and whether they are this work-item's own (`Pointer`), and only what keeps the promise is
//! assigned. The interpreter has the last word.

mod counted;
mod functions;
mod kernels;
mod large;
mod memories;
mod numbers;
mod places;
mod pointers;
mod reals;
mod shapes;
mod statements;
mod types;

use super::ast::*;
use crate::random::Random;
use std::rc::Rc;

/// The features of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// 64-bit integers.
    pub int64: bool,
    /// Pointers of 64 bits.
    pub wide_pointers: bool,
    /// Unqualified pointers are generic, in half of the programs (OpenCL C 3.0).
    pub generic: bool,
    /// Pointers to global memory stored in global memory.
    pub stored: bool,
    /// One buffer for two arguments, whose pointers may be compared.
    pub aliases: bool,
    /// NULL for a buffer argument.
    pub null_arguments: bool,
    /// Memory read as another type through a cast pointer: what C compilers may take for undefined (C99 6.5 p7).
    pub punning: bool,
    /// Program-scope variables in global memory.
    pub globals: bool,
    /// Program-scope constants that are pointers to others.
    pub tables: bool,
    /// Parts of buffers as arguments.
    pub parts: bool,
    /// Loops made for what passes look for.
    pub counted: bool,
    /// More statements that passes look for; kernels that require their size of work-groups; more functions of floats.
    pub shapes: bool,
    /// Statements with dozens and hundreds of cases, `else if`, labels, loops in a row.
    pub large: bool,
    /// Functions of work-groups, in half of the programs with generic pointers.
    pub collectives: bool,
    /// Functions of sub-groups among these, which are asked for: seeds give other programs with them.
    pub sub_groups: bool,
    /// Floats that are rounded, in half of the programs.
    pub floats: bool,
    /// Zeros, infinities and NaNs among their results. WGSL leaves these open.
    pub special_floats: bool,
    /// `double` among them.
    pub doubles: bool,
    /// `half` among them.
    pub halves: bool,
    /// Work-groups with sides of 1 in any dimension, of odd sizes, in two and three dimensions, and cut off at the end; in half of the programs.
    pub group_shapes: bool,
    /// Functions declared in several forms, or with builtins' names; typedefs with alignment; bools beside vectors.
    pub declarations: bool,
}

impl Default for Features {
    fn default() -> Self {
        Features {
            int64: true,
            wide_pointers: true,
            generic: true,
            stored: true,
            aliases: true,
            null_arguments: true,
            punning: true,
            globals: true,
            tables: true,
            parts: true,
            counted: true,
            shapes: true,
            large: true,
            collectives: true,
            sub_groups: false,
            floats: true,
            special_floats: true,
            doubles: true,
            halves: true,
            declarations: true,
            group_shapes: true,
        }
    }
}

impl Features {
    /// The names of the switches, as the command line has them.
    pub const NAMES: [&'static str; 21] = [
        "int64",
        "wide-pointers",
        "generic",
        "stored",
        "aliases",
        "null-arguments",
        "punning",
        "globals",
        "tables",
        "parts",
        "counted",
        "shapes",
        "large",
        "collectives",
        "sub-groups",
        "floats",
        "special-floats",
        "doubles",
        "halves",
        "declarations",
        "group-shapes",
    ];

    /// Leaves out what a device lacks: pointers of 64 bits, generic pointers where there are no addresses, doubles, halves.
    pub fn without_what_lacks(&mut self, target: &lower::Target) {
        self.wide_pointers &= target.address_bits() == 64;
        self.generic &= target.has_address_model();
        self.doubles &= target.features.shader_float64;
        self.halves &= target.features.shader_float16;
    }

    /// The names of what is left out, with commas.
    #[must_use]
    pub fn left_out(&self) -> String {
        let is_off = |name: &str| {
            let mut less = *self;
            less.without(name) && less == *self
        };
        Self::NAMES.into_iter().filter(|n| is_off(n)).collect::<Vec<_>>().join(",")
    }

    /// Turns a feature off; whether there is one of this name.
    pub fn without(&mut self, name: &str) -> bool {
        self.set(name, false)
    }

    /// Turns a feature on or off; whether there is one of this name.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        let slot = match name {
            "int64" => &mut self.int64,
            "wide-pointers" => &mut self.wide_pointers,
            "generic" => &mut self.generic,
            "stored" => &mut self.stored,
            "aliases" => &mut self.aliases,
            "null-arguments" => &mut self.null_arguments,
            "punning" => &mut self.punning,
            "globals" => &mut self.globals,
            "tables" => &mut self.tables,
            "parts" => &mut self.parts,
            "counted" => &mut self.counted,
            "shapes" => &mut self.shapes,
            "large" => &mut self.large,
            "collectives" => &mut self.collectives,
            "sub-groups" => &mut self.sub_groups,
            "floats" => &mut self.floats,
            "special-floats" => &mut self.special_floats,
            "doubles" => &mut self.doubles,
            "halves" => &mut self.halves,
            "declarations" => &mut self.declarations,
            "group-shapes" => &mut self.group_shapes,
            _ => return false,
        };
        *slot = on;
        true
    }
}

/// Makes one program.
pub(crate) fn program(random: &mut Random, features: &Features) -> Program {
    let generic = features.generic && (features.sub_groups || random.one_in(3));
    let mut program = Program {
        generic,
        three: generic && random.one_in(2),
        floats: features.floats && random.one_in(2),
        special_floats: features.special_floats,
        pointer_bytes: if features.wide_pointers { 8 } else { 4 },
        records: vec![],
        vars: vec![],
        statics: vec![],
        functions: vec![],
        launches: vec![],
        buffers: vec![],
        group: [1, 2, 4, 4, 8][random.below(5)],
        groups: 1 + random.below(2) as u32,
        shape: Shape::line(1, 1),
        required: features.shapes && random.one_in(3),
    };
    program.shape = Shape::line(program.group, program.groups);
    // Functions of sub-groups want to know where each work-item is.
    if features.group_shapes && !features.sub_groups && random.one_in(2) {
        shaped(random, &mut program);
    }
    let mut generator = Generator {
        random,
        program,
        features: *features,
        scope: vec![],
        fixed: vec![],
        addressable: vec![],
        local_values: vec![],
        palette: vec![],
        node: None,
        local_node: None,
        global_node: None,
        function: Place::Kernel,
        loops: 0,
        breakable: 0,
        labels: vec![],
        next_label: 0,
        barriers: false,
        budget: 0,
        exchanges: vec![],
        global_exchanges: vec![],
        slices: vec![],
        groupers: vec![],
        atomics: vec![],
    };
    generator.types();
    generator.constants();
    for _ in 0..generator.random.below(5) {
        generator.helper();
    }
    if generator.chance(30) {
        generator.group_helper();
    }
    generator.kernels();
    generator.program
}

/// Another shape of groups, and another size.
fn shaped(random: &mut Random, program: &mut Program) {
    const SIDES: [u32; 8] = [1, 2, 2, 3, 4, 5, 6, 7];
    let (a, b) = (SIDES[random.below(8)], SIDES[random.below(4)]);
    let local = match random.below(6) {
        0 => [1, a, 1],
        1 => [1, 1, a],
        2 => [1, a, b],
        3 => [a, 1, b],
        4 => [a, b, 1],
        _ => [1, 1, 1],
    };
    let mut groups = [1; 3];
    let along = random.below(3);
    groups[along] = 1 + random.below(3) as u32;
    let cut = program.generic && groups[along] > 1 && local[along] > 1 && random.one_in(3);
    let cut = if cut { 1 + random.below(local[along] as usize - 1) as u32 } else { 0 };
    program.required &= cut == 0;
    program.shape = Shape { local, groups, cut };
    (program.group, program.groups) = (local.iter().product(), groups[along]);
}

/// The place where statements are being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Kernel,
    /// A function; with `true`, one that changes nothing but its own variables.
    Helper(bool),
}

pub(super) struct Generator<'a> {
    pub random: &'a mut Random,
    pub program: Program,
    pub features: Features,
    /// Variables that expressions may use.
    pub scope: Vec<VarId>,
    /// The variables that statements leave alone.
    pub fixed: Vec<VarId>,
    /// The variables that live as long as the function runs.
    pub addressable: Vec<VarId>,
    /// A helper's own variables: neither their addresses nor what they hold may leave it.
    pub local_values: Vec<VarId>,
    /// Objects of pointers.
    pub palette: Vec<Ty>,
    /// A list's record, for private memory.
    pub node: Option<usize>,
    pub local_node: Option<usize>,
    pub global_node: Option<usize>,
    pub function: Place,
    pub loops: usize,
    /// Loops and switches around.
    pub breakable: usize,
    pub labels: Vec<usize>,
    pub next_label: usize,
    pub barriers: bool,
    pub budget: i32,
    /// Local arrays that all work-items read between barriers.
    pub exchanges: Vec<VarId>,
    /// Buffers of which each work-item has so many elements, that its group reads between barriers.
    pub global_exchanges: Vec<(VarId, u32)>,
    /// Variables at program scope of which each work-item has so many elements.
    pub slices: Vec<(VarId, u32)>,
    /// Functions with barriers in them, and the local arrays that they want.
    pub groupers: Vec<(usize, Ty)>,
    /// Pointers to cells for atomic operations, and the operation of each cell.
    pub atomics: Vec<(VarId, Vec<AtomicOp>)>,
}

impl Generator<'_> {
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    pub(super) fn integer(&mut self) -> Scalar {
        let list = if self.features.int64 { &INTEGERS[..] } else { &INTEGERS[..6] };
        if self.chance(45) { Scalar::U32 } else { *self.random.pick(list).unwrap_or(&Scalar::U32) }
    }

    pub(super) fn vector(&mut self) -> Ty {
        let n = [2, 2, 3, 3, 3, 4, 4, 4, 8, 16][self.random.below(10)];
        Ty::Vector(self.integer(), n)
    }

    pub(super) fn variable(&mut self, prefix: &str, ty: Ty, space: Space) -> VarId {
        let id = self.program.vars.len();
        self.program.vars.push(Variable { name: format!("{prefix}{id}"), ty, space });
        id
    }

    /// A number below the size of each work-group.
    pub(super) fn lane(&self, number: Expr) -> Expr {
        let group = self.program.group;
        match self.program.shape.cut {
            0 if group.is_power_of_two() => Expr::binary(Binary::And, number, Expr::uint(group - 1)),
            0 => Expr::binary(Binary::Rem, number, Expr::uint(group)),
            _ => Expr::binary(Binary::Rem, number, Expr::uint(self.program.shape.least())),
        }
    }

    pub(super) fn var(&self, id: VarId) -> Expr {
        Expr::new(self.program.vars[id].ty.clone(), Kind::Var(id))
    }

    pub(super) fn pointer_to(space: Space, to: Ty, len: u32, null: bool, own: bool) -> Ty {
        Ty::Pointer(Rc::new(Pointer { space, to, len, null, own }))
    }

    /// Returns whether a type is all data.
    pub(super) fn plain(&self, ty: &Ty) -> bool {
        !ty.holds_pointers(&self.program)
    }
}

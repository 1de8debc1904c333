//! The instructions: one row each. docs/reference/ptx.md is made of them.

use super::context::{Row, Translate};
use super::types::Type;
use super::{bits, compare, convert, float, group, integer, memory};
use Type::{B8, B16, B32, B64, F16, F16x2, F32, F64, Pred, S8, S16, S32, S64, U8, U16, U32, U64};

const INTEGERS: &[Type] = &[U16, U32, U64, S16, S32, S64];
const NUMBERS: &[Type] = &[U16, U32, U64, S16, S32, S64, F16, F16x2, F32, F64];
const SIGNED_NUMBERS: &[Type] = &[S16, S32, S64, F16, F16x2, F32, F64];
const WORDS: &[Type] = &[U32, S32, U64, S64];
const NARROW: &[Type] = &[U32, S32];
const LOGIC: &[Type] = &[Pred, B16, B32, B64];
const SHIFTED: &[Type] = &[B16, B32, B64, U16, U32, U64, S16, S32, S64];
const FLOATS: &[Type] = &[F32, F64];
const COMPARED: &[Type] = &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F16, F32, F64];
const SELECTED: &[Type] = &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64];
const MOVED: &[Type] = &[Pred, B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64];
const STORED: &[Type] = &[B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F16, F32, F64];
const CONVERTED: &[Type] = &[U8, U16, U32, U64, S8, S16, S32, S64, F16, F16x2, F32, F64];
const ATOMIC: &[Type] = &[B32, B64, U32, U64, S32, S64, F32, F64];

const ROUND: &[&str] = &["rn", "rz", "rm", "rp", "ftz", "sat"];
const COMPARE: &[&str] = &[
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan", "and", "or", "xor", "ftz",
];
const LOAD: &[&str] = &[
    "weak",
    "volatile",
    "relaxed",
    "acquire",
    "cta",
    "gpu",
    "sys",
    "global",
    "shared",
    "shared::cta",
    "const",
    "local",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "nc",
    "v2",
    "v4",
    "L1::",
    "L2::",
];
const STORE: &[&str] = &[
    "weak",
    "volatile",
    "relaxed",
    "release",
    "cta",
    "gpu",
    "sys",
    "global",
    "shared",
    "shared::cta",
    "local",
    "wb",
    "cg",
    "cs",
    "wt",
    "v2",
    "v4",
    "L1::",
    "L2::",
];
const ATOM: &[&str] = &[
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "cta",
    "gpu",
    "sys",
    "global",
    "shared",
    "shared::cta",
    "add",
    "and",
    "or",
    "xor",
    "exch",
    "cas",
    "min",
    "max",
    "inc",
    "dec",
    "noftz",
    "L1::",
    "L2::",
];
const HINT: &[&str] = &["global", "local", "L1", "L2", "L1::", "L2::", "tensormap"];

const fn row(
    name: &'static str,
    section: &'static str,
    types: &'static [&'static [Type]],
    modifiers: &'static [&'static str],
    operands: (u8, u8),
    meaning: &'static str,
    translate: Translate,
) -> Row {
    Row { name, section, types, modifiers, operands, meaning, translate }
}

const ARITHMETIC: &str = "9.7.1 to 9.7.4";
const INTEGER: &str = "9.7.1";
const EXTENDED: &str = "9.7.2";
const FLOAT: &str = "9.7.3";
const SELECT: &str = "9.7.5";
const BITS: &str = "9.7.7";
const MOVE: &str = "9.7.8";
const CONTROL: &str = "9.7.11";
const SYNC: &str = "9.7.12";

/// All of them.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    row("add", ARITHMETIC, &[NUMBERS], &["cc", "rn", "rz", "rm", "rp", "ftz", "sat"], (3, 3), "a + b; with `.cc` the carry is kept", integer::add),
    row("sub", ARITHMETIC, &[NUMBERS], &["cc", "rn", "rz", "rm", "rp", "ftz", "sat"], (3, 3), "a − b; with `.cc` the borrow is kept", integer::sub),
    row("mul", ARITHMETIC, &[NUMBERS], &["lo", "hi", "wide", "rn", "rz", "rm", "rp", "ftz", "sat"], (3, 3), "a · b: its low or high half, or all of it", integer::mul),
    row("mad", ARITHMETIC, &[&[U16, U32, U64, S16, S32, S64, F32, F64]], &["lo", "hi", "wide", "cc", "rn", "rz", "rm", "rp", "ftz", "sat"], (4, 4), "a · b + c; of floats as `fma`", integer::mad),
    row("addc", EXTENDED, &[WORDS], &["cc"], (3, 3), "a + b + carry", integer::addc),
    row("subc", EXTENDED, &[WORDS], &["cc"], (3, 3), "a − b − borrow", integer::subc),
    row("madc", EXTENDED, &[WORDS], &["lo", "hi", "cc"], (4, 4), "a · b + c + carry", integer::madc),
    row("mul24", INTEGER, &[NARROW], &["lo", "hi"], (3, 3), "a · b of 24 bits: bits 0 to 31, or 16 to 47", integer::mul24),
    row("mad24", INTEGER, &[NARROW], &["lo", "hi", "sat"], (4, 4), "`mul24`, plus c", integer::mad24),
    row("sad", INTEGER, &[INTEGERS], &[], (4, 4), "c + the distance of a and b", integer::sad),
    row("div", ARITHMETIC, &[&[U16, U32, U64, S16, S32, S64, F32, F64]], &["approx", "full", "rn", "rz", "rm", "rp", "ftz"], (3, 3), "a / b", integer::div),
    row("rem", INTEGER, &[INTEGERS], &[], (3, 3), "a mod b, with the sign of a", integer::rem),
    row("abs", ARITHMETIC, &[SIGNED_NUMBERS], &["ftz"], (2, 2), "the magnitude", integer::abs),
    row("neg", ARITHMETIC, &[SIGNED_NUMBERS], &["ftz"], (2, 2), "−a", integer::neg),
    row("min", ARITHMETIC, &[NUMBERS], &["relu", "ftz", "NaN"], (3, 3), "the smaller", integer::min),
    row("max", ARITHMETIC, &[NUMBERS], &["relu", "ftz", "NaN"], (3, 3), "the larger", integer::max),
    row("popc", INTEGER, &[&[B32, B64]], &[], (2, 2), "how many bits are 1", bits::popc),
    row("clz", INTEGER, &[&[B32, B64]], &[], (2, 2), "how many bits above the highest 1", bits::clz),
    row("bfind", INTEGER, &[WORDS], &["shiftamt"], (2, 2), "the place of the highest bit that is no sign", bits::bfind),
    row("brev", INTEGER, &[&[B32, B64]], &[], (2, 2), "the bits in reverse", bits::brev),
    row("bfe", INTEGER, &[WORDS], &[], (4, 4), "the field of c bits at bit b", bits::bfe),
    row("bfi", INTEGER, &[&[B32, B64]], &[], (5, 5), "b with d bits of a at bit c", bits::bfi),
    row("bmsk", INTEGER, &[&[B32]], &["clamp", "wrap"], (3, 3), "b ones from bit a on", bits::bmsk),
    row("dp4a", INTEGER, &[NARROW, NARROW], &[], (4, 4), "c + the dot product of four bytes", integer::dp4a),
    row("dp2a", INTEGER, &[NARROW, NARROW], &["lo", "hi"], (4, 4), "c + the dot product of two halves and two bytes", integer::dp2a),
    row("fma", ARITHMETIC, &[&[F16, F16x2, F32, F64]], ROUND, (4, 4), "a · b + c, rounded once", float::fma),
    row("rcp", FLOAT, &[FLOATS], &["approx", "rn", "rz", "rm", "rp", "ftz"], (2, 2), "1 / a", float::rcp),
    row("sqrt", FLOAT, &[FLOATS], &["approx", "rn", "rz", "rm", "rp", "ftz"], (2, 2), "the square root", float::sqrt),
    row("rsqrt", FLOAT, &[FLOATS], &["approx", "ftz"], (2, 2), "1 / the square root", float::rsqrt),
    row("sin", FLOAT, &[&[F32]], &["approx", "ftz"], (2, 2), "the sine", float::sin),
    row("cos", FLOAT, &[&[F32]], &["approx", "ftz"], (2, 2), "the cosine", float::cos),
    row("lg2", FLOAT, &[&[F32]], &["approx", "ftz"], (2, 2), "the logarithm to base 2", float::lg2),
    row("ex2", FLOAT, &[&[F32]], &["approx", "ftz"], (2, 2), "2 to the power of a", float::ex2),
    row("tanh", FLOAT, &[&[F32]], &["approx"], (2, 2), "the hyperbolic tangent", float::tanh),
    row("copysign", FLOAT, &[FLOATS], &[], (3, 3), "b with the sign of a", float::copysign),
    row("testp", FLOAT, &[FLOATS], &["finite", "infinite", "number", "notanumber", "normal", "subnormal"], (2, 2), "whether a is of a class", compare::testp),
    row("setp", SELECT, &[COMPARED], COMPARE, (3, 4), "a comparison as a predicate", compare::setp),
    row("set", SELECT, &[&[U32, S32, F32], COMPARED], COMPARE, (3, 4), "a comparison as a number", compare::set),
    row("selp", SELECT, &[SELECTED], &[], (4, 4), "a or b by a predicate", compare::selp),
    row("slct", SELECT, &[SELECTED, &[S32, F32]], &["ftz"], (4, 4), "a or b by the sign of c", compare::slct),
    row("and", BITS, &[LOGIC], &[], (3, 3), "bits of both", bits::and),
    row("or", BITS, &[LOGIC], &[], (3, 3), "bits of either", bits::or),
    row("xor", BITS, &[LOGIC], &[], (3, 3), "bits that differ", bits::xor),
    row("not", BITS, &[LOGIC], &[], (2, 2), "bits that are 0", bits::not),
    row("cnot", BITS, &[&[B16, B32, B64]], &[], (2, 2), "1 where a is 0", bits::cnot),
    row("lop3", BITS, &[&[B32]], &[], (5, 5), "the function of three bits that a table of eight says", bits::lop3),
    row("shf", BITS, &[&[B32]], &["l", "r", "clamp", "wrap"], (4, 4), "32 bits of b:a, shifted", bits::shf),
    row("shl", BITS, &[&[B16, B32, B64]], &[], (3, 3), "a shifted to the left; by more than its width 0", bits::shl),
    row("shr", BITS, &[SHIFTED], &[], (3, 3), "a shifted to the right; by more than its width 0 or the sign", bits::shr),
    row("prmt", MOVE, &[&[B32]], &["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"], (4, 4), "four of the bytes of b:a", bits::prmt),
    row("mov", MOVE, &[MOVED], &[], (2, 2), "a value; parts into a register or out of it", bits::mov),
    row("cvt", MOVE, &[CONVERTED, CONVERTED], &["rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp", "ftz", "sat"], (2, 3), "a conversion", convert::cvt),
    row("cvta", MOVE, &[&[U32, U64]], &["to", "global", "shared", "const", "local"], (2, 2), "an address of a space as a generic one, and back", convert::cvta),
    row("ld", MOVE, &[STORED], LOAD, (2, 2), "a load", memory::ld),
    row("ldu", MOVE, &[STORED], LOAD, (2, 2), "a load of what all threads read", memory::ld),
    row("st", MOVE, &[STORED], STORE, (2, 2), "a store", memory::st),
    row("prefetch", MOVE, &[], HINT, (1, 1), "nothing", memory::hint),
    row("prefetchu", MOVE, &[], HINT, (1, 1), "nothing", memory::hint),
    row("discard", MOVE, &[], HINT, (2, 2), "nothing", memory::hint),
    row("applypriority", MOVE, &[], HINT, (2, 2), "nothing", memory::hint),
    row("nanosleep", CONTROL, &[&[U32]], &[], (1, 1), "nothing", memory::hint),
    row("bra", CONTROL, &[], &["uni"], (1, 1), "a jump to a label of the same statement", group::bra),
    row("atom", SYNC, &[ATOMIC], ATOM, (3, 4), "an atomic operation that gives what was there", memory::atom),
    row("red", SYNC, &[ATOMIC], ATOM, (2, 2), "an atomic operation", memory::red),
    row("membar", SYNC, &[], &["cta", "gl", "sys"], (0, 0), "a sequentially consistent fence", memory::fence),
    row("fence", SYNC, &[], &["sc", "acq_rel", "acquire", "release", "cta", "gpu", "sys"], (0, 0), "a fence", memory::fence),
    row("bar", SYNC, &[], &["sync", "cta", "warp"], (1, 2), "a barrier of the work-group or warp", group::bar),
    row("barrier", SYNC, &[], &["sync", "cta", "aligned"], (1, 2), "a barrier of the work-group", group::bar),
    row("vote", SYNC, &[&[Pred, B32]], &["sync", "all", "any", "uni", "ballot"], (2, 3), "what holds for all, any, or which threads of the warp", group::vote),
    row("activemask", SYNC, &[&[B32]], &[], (1, 1), "the threads of the warp that execute it", group::activemask),
    row("shfl", SYNC, &[&[B32]], &["sync", "up", "down", "bfly", "idx"], (4, 5), "the value of another thread of the warp", group::shfl),
    row("redux", SYNC, &[&[B32, U32, S32]], &["sync", "add", "min", "max", "and", "or", "xor"], (3, 3), "the values of a warp's threads combined", group::redux),
];

/// The row of an instruction.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

/// The table of docs/reference/ptx.md.
#[cfg(test)]
pub(super) fn markdown() -> String {
    let mut text =
        String::from("| instruction | types | modifiers | what it does | § |\n|---|---|---|---|---|\n");
    for row in ROWS {
        let types: Vec<String> = row
            .types
            .iter()
            .map(|types| types.iter().map(|t| t.name()).collect::<Vec<_>>().join(" "))
            .collect();
        let modifiers: Vec<String> = row
            .modifiers
            .iter()
            .map(|m| if m.ends_with("::") { format!(".{m}…") } else { format!(".{m}") })
            .collect();
        text.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            row.name,
            types.join("; "),
            modifiers.join(" "),
            row.meaning,
            row.section
        ));
    }
    text
}

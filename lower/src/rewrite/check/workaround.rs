//! The rows of workarounds on the forms that the drivers get wrong, and on others beside them.

use crate::ir::{interp, text, verify};
use crate::passes::optimize::rewrite_rules::{Rewrite, apply_to};
use crate::rewrite::RuleSet;
use crate::rewrite::table::overflow::{OVERFLOW_OF_PRODUCTS, OVERFLOW_OF_SUMS};
use crate::rewrite::table::workaround::{SELECT_FOR_BIT_PRODUCT, SPLIT_SHIFT_BY_31, UNSIGNED_INT64_COMPARE};
use crate::target::Target;

const LOW: u64 = 0xffff_ffff;
const SIGN: u64 = 1 << 63;

/// Applies a set to a function of two integers of a type whose result, `v9`, has another type. Returns the text. Checks that it computes the same
/// for all pairs of the numbers.
fn rewritten(set: &'static RuleSet, (from, to): (&str, &str), body: &str, numbers: &[u64]) -> String {
    let source = format!(
        "module resolved bits=64\nfunc f0 \"f\" returns ({to})\nb0(v0: {from}, v1: {from}):\n{body}  return(v9)\n"
    );
    let before = text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let mut after = before.clone();
    apply_to(&mut after, Rewrite::Rows(set), &Target::minimum());
    verify::verify(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(|b| (*a, *b))) {
        let [expected, found] = [&before, &after].map(|module| {
            let function = module.functions.values().next().expect("one");
            interp::run(function, &[vec![Some(a)], vec![Some(b)]], 0, 100).end
        });
        assert_eq!(expected, found, "{a:#x} {b:#x}\n{after}");
    }
    after.to_string()
}

#[test]
fn products_ask_for_their_high_half() {
    let numbers = [0, 5, 0xffff, 0x1_0001, 0x1_0000, 1 << 24, LOW, 1, 2];
    for (ask, there) in [
        ("  v9: bool = icmp.ugt v4, i64:4294967295\n", true),
        ("  v9: bool = icmp.ult v4, i64:4294967296\n", true),
        ("  v5: i64 = lshr v4, i64:32\n  v9: bool = icmp.ne v5, i64:0\n", true),
        ("  v5: i64 = lshr v4, i64:32\n  v6: i32 = convert.trunc v5\n  v9: bool = icmp.eq v6, i32:0\n", true),
        ("  v5: i64 = and v4, i64:4294967295\n  v9: bool = icmp.eq v4, v5\n", true),
        ("  v5: i32 = convert.trunc v4\n  v6: i64 = convert.zext v5\n  v9: bool = icmp.ne v6, v4\n", true),
        // The low half of the high half is another question.
        (
            "  v5: i64 = lshr v4, i64:32\n  v6: i16 = convert.trunc v5\n  v9: bool = icmp.eq v6, i16:0\n",
            false,
        ),
        ("  v5: i64 = lshr v4, i64:31\n  v9: bool = icmp.ne v5, i64:0\n", false),
        ("  v9: bool = icmp.ugt v4, i64:4294967294\n", false),
    ] {
        let product =
            "  v2: i64 = convert.zext v0\n  v3: i64 = convert.zext v1\n  v4: i64 = imul v2, v3\n".to_owned();
        let text = rewritten(&OVERFLOW_OF_PRODUCTS, ("i32", "bool"), &(product + ask), &numbers);
        assert_eq!(text.contains("umulhi"), there, "{text}");
    }
}

#[test]
fn the_bits_say_whether_a_sum_wrapped() {
    let numbers = [0, 1, LOW, LOW + 1, SIGN, SIGN - 1, u64::MAX - 1, u64::MAX];
    for (ask, there) in [
        ("icmp.ult v2, v0", true),
        ("icmp.ugt v1, v2", true),
        ("icmp.uge v2, v1", true),
        ("icmp.ule v0, v2", true),
        ("icmp.ugt v2, v0", false),
        ("icmp.slt v2, v0", false),
        ("icmp.ult v1, v0", false),
    ] {
        let body = format!("  v2: i64 = iadd v0, v1\n  v9: bool = {ask}\n");
        let text = rewritten(&OVERFLOW_OF_SUMS, ("i64", "bool"), &body, &numbers);
        assert_eq!(text.contains("not v2"), there, "{text}");
    }
}

#[test]
fn comparisons_in_order_are_unsigned() {
    let numbers = [0, 1, LOW, SIGN - 1, SIGN, SIGN + 1, u64::MAX];
    for (ask, there) in [("slt", true), ("sle", true), ("sgt", true), ("sge", true), ("ult", false)] {
        let body = format!("  v9: bool = icmp.{ask} v0, v1\n");
        let text = rewritten(&UNSIGNED_INT64_COMPARE, ("i64", "bool"), &body, &numbers);
        assert_eq!(text.contains("xor"), there, "{text}");
        assert!(!text.contains("icmp.s"), "{text}");
    }
}

#[test]
fn a_bit_selects() {
    let numbers = [0, 1, 2, 3, 7 << 32, u64::MAX];
    for (bit, there) in [
        ("  v3: i32 = convert.trunc v0\n  v8: i32 = and v3, i32:1\n", true),
        ("  v3: i64 = and v0, i64:1\n  v8: i32 = convert.trunc v3\n", true),
        ("  v3: i32 = convert.trunc v0\n  v8: i32 = and v3, i32:3\n", false),
    ] {
        let body = format!("  v2: i32 = convert.trunc v1\n{bit}  v9: i32 = imul v8, v2\n");
        let text = rewritten(&SELECT_FOR_BIT_PRODUCT, ("i64", "i32"), &body, &numbers);
        assert_eq!((text.contains("v9: i32 = select"), text.contains("imul")), (there, !there), "{text}");
    }
}

#[test]
fn extended_numbers_are_shifted_by_halves() {
    let numbers = [0, 1, 923_087_225, 0x7fff, 0x8000, 0x8001, 1 << 31, LOW];
    for (body, to, there) in [
        ("  v2: i64 = convert.sext v0\n  v9: i64 = shl v2, i64:31\n", "i64", "v9: i64 = or"),
        ("  v2: i64 = convert.sext v0\n  v9: i64 = shl v2, i64:30\n", "i64", "v9: i64 = shl v2"),
        ("  v2: i64 = convert.zext v0\n  v9: i64 = shl v2, i64:31\n", "i64", "v9: i64 = shl v2"),
        (
            "  v2: i32 = shl v0, i32:16\n  v3: i32 = ashr v2, i32:16\n  v9: i32 = shl v3, i32:15\n",
            "i32",
            "v9: i32 = ashr v2, i32:1\n",
        ),
    ] {
        let text = rewritten(&SPLIT_SHIFT_BY_31, ("i32", to), body, &numbers);
        assert!(text.contains(there), "{text}");
    }
}

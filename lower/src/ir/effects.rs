//! Effects: what an instruction does besides giving its results. The table of instructions has each one's.
//!
//! - *Convergent*: the result depends on which work-items take part. Such an instruction must not be executed by fewer or more of them at once
//!   than in the source. It must not move to other control flow, and two of a kind are not one even with equal operands.
//! - *Traps*: for some operands the result is undefined or the execution is not allowed. Such an instruction must not be executed where it
//!   was not.
//! - *Outside*: the instruction depends on the dispatch, the device or other work-items, or acts on them. A function with one is not a
//!   function of its arguments alone.
//!
//! Passes ask one of the questions below. They differ: what may be removed ([`Effects::can_be_removed`]) may still not be executed twice or
//! elsewhere.

/// The effects of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effects {
    /// Reads memory that may change.
    pub reads: bool,
    /// Writes memory, orders accesses, or must be executed as often as in the source (`volatile`).
    pub writes: bool,
    /// Convergent: the result depends on which work-items take part.
    pub convergent: bool,
    /// Not allowed, or undefined, for some operands.
    pub traps: bool,
    /// Executed twice in a row it gives the same results, and the second execution changes nothing.
    pub idempotent: bool,
    /// Depends or acts on more than operands and memory: on the dispatch, the device, other work-items.
    pub outside: bool,
}

impl Effects {
    /// None: the results depend on the operands alone.
    pub const PURE: Effects = Effects {
        reads: false,
        writes: false,
        convergent: false,
        traps: false,
        idempotent: true,
        outside: false,
    };
    /// All of them.
    pub const ALL: Effects = Effects {
        reads: true,
        writes: true,
        convergent: true,
        traps: true,
        idempotent: false,
        outside: true,
    };

    /// Dead without uses: it may be removed if its results are not used.
    #[inline]
    pub fn can_be_removed(self) -> bool {
        !self.writes
    }

    /// Value numbering: a dominating instruction with the same operands gives the same results, whatever is executed between.
    #[inline]
    pub fn can_be_numbered(self) -> bool {
        self.idempotent && !self.reads && !self.writes && !self.convergent
    }

    /// Speculation: it may be executed where it was not, and its result is not used there.
    #[inline]
    pub fn can_be_speculated(self) -> bool {
        !self.writes && !self.convergent && !self.traps
    }

    /// Whether copies of it may be in several blocks of which each work-item reaches one.
    pub fn can_be_duplicated(self) -> bool {
        !self.convergent
    }

    /// Whether it may move to other control flow that the same work-items execute: out of a loop that all leave, or into it.
    pub fn can_change_control_flow(self) -> bool {
        !self.convergent
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::text;

    /// `r`, `n`, `s`, `d`: removed, numbered, speculated, duplicated.
    #[test]
    fn questions() {
        let source = "module read bits=64
func f0 \"f\" returns ()
b0(v0: ptr.global, v1: i32, v2: ptr.constant, v3: i32x4):
  v4: i32 = iadd v1, v1
  v5: i32 = udiv v1, v1
  v6: i32 = load [v0], align=4
  v7: i32 = load [v2], align=4
  v8: i32 = load [v0], align=4 volatile
  store [v0], v1, align=4
  v9: i32 = extractdyn v3, v1
  barrier workgroup workgroup acquire|release|local
  membarrier workgroup acquire|release|local
  v10: i32 = group.combine.iadd.reduce subgroup(v1)
  call f1()
  call.pure f1()
  return()
func f1 \"g\" returns ()
b0():
  return()
";
        let expected = ["rnsd", "rnd", "rd", "rnd", "d", "d", "rnd", "", "d", "r", "", "rnd"];
        let module = text::parse(source).unwrap_or_else(|e| panic!("{e}"));
        let f = module.functions.values().next().expect("a function");
        for (inst, expected) in f.blocks[f.entry()].insts.iter().zip(expected) {
            let effects = f.insts[*inst].kind.effects(f);
            let answers = [
                ('r', effects.can_be_removed()),
                ('n', effects.can_be_numbered()),
                ('s', effects.can_be_speculated()),
                ('d', effects.can_be_duplicated()),
            ];
            let found: String = answers.iter().filter(|a| a.1).map(|a| a.0).collect();
            assert_eq!(found, expected, "{}", text::inst_to_string(f, *inst));
        }
    }
}

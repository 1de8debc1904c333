//! Instructions weighted by how deep in loops they stand, from the assembly that a driver of Mesa's shows.
//!
//! RADV's own latency and throughput discount a block for each `if` around it, and so take rotated loops for cheap; here an instruction
//! counts 8 for each loop around it, whatever else is around it.

/// The assumed number of iterations of one loop.
const TURNS: u64 = 8;
/// Instructions that wait, align or inform, and compute nothing: how many there are is the scheduler's business.
const NOTHING: [&str; 7] =
    ["s_nop", "s_waitcnt", "s_delay_alu", "s_clause", "s_code_end", "s_inst_prefetch", "s_set_inst_prefetch"];

/// Marks in the lines of instructions that write to shared memory.
const WRITES: [&str; 9] = [
    "buffer_store",
    "global_store",
    "flat_store",
    "image_store",
    "atomic",
    "stib",
    "stg.",
    "STORE",
    "surface write",
];

/// The findings in a shader's assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// Its weighted instructions.
    pub instructions: u64,
    /// It writes to memory that others see.
    pub writes: bool,
}

/// A line of assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    /// The beginning of the block of a name.
    Block(&'a str),
    /// An instruction: for how many it counts, and where it goes.
    Instruction(u64, Option<Jump<'a>>),
    Nothing,
}

/// The target of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jump<'a> {
    To(&'a str),
    /// This many instructions back from the one behind it.
    Back(usize),
}

/// The weighted instructions of a shader's assembly, as RADV, Turnip, PanVK or ANV shows it: blocks and instructions, the branches among
/// which name a block. A loop is what stands between a block and the last branch back to it: that is how the blocks of a loop lie. None
/// where no instruction is found.
pub fn weighted(assembly: &str) -> Option<Weight> {
    let read = match assembly {
        text if text.contains("Native code for ") => of_ir3,
        text if text.contains("clause_0:") => of_bifrost,
        text if text.contains("BB0:") => of_aco,
        text if text.contains("(8)") || text.contains("(16)") || text.contains("(32)") => of_gen,
        _ => of_valhall,
    };
    let mut writes = false;
    let mut starts: Vec<(&str, usize)> = Vec::new();
    // Loops: where each begins, and the last instruction that goes back there.
    let mut loops: Vec<(usize, usize)> = Vec::new();
    let mut count = Vec::new();
    for text in assembly.lines() {
        writes |= WRITES.iter().any(|what| text.contains(what));
        let (counts, jump) = match read(text.trim()) {
            Line::Block(name) => {
                starts.push((name, count.len()));
                continue;
            }
            Line::Instruction(counts, jump) => (counts, jump),
            Line::Nothing => continue,
        };
        let start = match jump {
            Some(Jump::To(block)) => starts.iter().rev().find(|s| s.0 == block).map(|s| s.1),
            Some(Jump::Back(by)) => (count.len() + 1).checked_sub(by),
            None => None,
        };
        if let Some(start) = start {
            match loops.iter_mut().find(|l| l.0 == start) {
                Some(known) => known.1 = count.len(),
                None => loops.push((start, count.len())),
            }
        }
        count.push(counts);
    }
    let depth = |at: usize| loops.iter().filter(|l| (l.0..=l.1).contains(&at)).count();
    let weigh = |(at, one): (usize, &u64)| one * TURNS.saturating_pow(depth(at) as u32);
    let instructions = count.iter().enumerate().map(weigh).sum();
    (!count.is_empty()).then_some(Weight { instructions, writes })
}

/// ACO's: `BB3:`, and `s_cbranch_scc1 BB2 ; bf850001`.
fn of_aco(line: &str) -> Line<'_> {
    let line = line.split(';').next().unwrap_or_default().trim();
    if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("BB")) {
        return Line::Block(name);
    }
    let mut words = line.split_whitespace();
    let Some(name) = words.next().filter(|name| name.contains('_')) else { return Line::Nothing };
    let to = words.next().filter(|word| name.contains("branch") && word.starts_with("BB"));
    let counts = !NOTHING.iter().any(|nothing| name.starts_with(nothing));
    Line::Instruction(counts.into(), to.map(Jump::To))
}

/// Turnip's: `l9:`, and `(ss)(rpt2)br !p0.x, #l44`, where `rpt2` makes three of one.
fn of_ir3(line: &str) -> Line<'_> {
    if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with('l') && !name.contains(' ')) {
        return Line::Block(name);
    }
    let mut rest = line;
    let mut times = 1;
    while let Some((flag, behind)) = rest.strip_prefix('(').and_then(|r| r.split_once(')')) {
        times += flag.strip_prefix("rpt").and_then(|n| n.parse::<u64>().ok()).unwrap_or_default();
        rest = behind.trim_start();
    }
    let name = rest.split_whitespace().next().unwrap_or_default();
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || name.ends_with(':') {
        return Line::Nothing;
    }
    let to = rest.rsplit_once('#').map(|r| r.1).filter(|to| to.starts_with('l'));
    Line::Instruction(if name == "nop" || name == "end" { 0 } else { times }, to.map(Jump::To))
}

/// PanVK's for Bifrost: `clause_9:`, and two instructions in two lines, `*NOP t0` and `+BRANCHZ.i16.eq t1, t1.h0, clause_14`.
fn of_bifrost(line: &str) -> Line<'_> {
    if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("clause_")) {
        return Line::Block(name);
    }
    let Some(rest) = line.strip_prefix(['*', '+']) else { return Line::Nothing };
    let to = rest.split_whitespace().next_back().filter(|word| word.starts_with("clause_"));
    Line::Instruction(u64::from(!rest.starts_with("NOP")), to.map(Jump::To))
}

/// PanVK's for Valhall: `BRANCHZ.eq.reconverge 0x0, offset:-90`, in instructions from the one behind it.
fn of_valhall(line: &str) -> Line<'_> {
    if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Line::Nothing;
    }
    let back = line.rsplit_once("offset:-").filter(|_| line.starts_with("BRANCH"));
    Line::Instruction(
        u64::from(!line.starts_with("NOP")),
        back.and_then(|b| b.1.parse().ok()).map(Jump::Back),
    )
}

/// ANV's: `LABEL2:`, and `while(16) JIP: LABEL2 { align1 1H };`.
fn of_gen(line: &str) -> Line<'_> {
    if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("LABEL")) {
        return Line::Block(name);
    }
    let line = line.strip_prefix('(').and_then(|l| l.split_once(") ")).map_or(line, |l| l.1.trim_start());
    let name = line.split('(').next().unwrap_or_default();
    if name.len() == line.len()
        || !name.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c.is_ascii_digit())
    {
        return Line::Nothing;
    }
    let to = line.split_once("JIP:").and_then(|l| l.1.split_whitespace().next());
    Line::Instruction(u64::from(name != "nop"), to.filter(|_| name == "while").map(Jump::To))
}

#[cfg(test)]
mod tests {
    use super::{Weight, weighted};

    #[test]
    fn loops_count_eight_times() {
        let text = "BB0:\n\ts_mov_b32 s0, 0 ; be80\n\tv_add v0, v1 ; 02\nBB1:\n\tv_add v0, v1\n\ts_waitcnt vmcnt(0)\nBB2:\n\tv_mul v0, v1\n\
                    \ts_cbranch_scc1 BB2 ; bf\nBB3:\n\ts_branch BB1\n\ts_cbranch_vccz BB1\nBB4:\n\ts_endpgm\n\ts_code_end";
        assert_eq!(weighted(text), Some(Weight { instructions: 2 + 3 * 8 + 2 * 64 + 1, writes: false }));
    }

    #[test]
    fn what_others_see_is_written() {
        let writes = |text| weighted(text).map(|found| found.writes);
        assert_eq!(writes("BB0:\n\tbuffer_store_dword v0, v1, s[0:3], 0 offen ; e0"), Some(true));
        assert_eq!(writes("BB0:\n\tglobal_atomic_add v0, v1, s[0:1]"), Some(true));
        assert_eq!(writes("BB0:\n\tds_write_b32 v0, v1\n\ts_endpgm"), Some(false));
    }

    #[test]
    fn of_turnip() {
        let text = "Native code for unnamed CL shader k with sha1 1f:\n; num_ubos: 0\n@in(r0.x)\tin1 (wrmask=0x7)\n(jp)add.u r0.x, r0.x, c5.x\n\
                    l9:\n(rpt2)shr.b r1.z, (r)r49.z, 2\n(rpt5)nop\n(ss)br !p0.x, #l20\njump #l9\nl20:\nstib.b.untyped.1d.u32.1.imm.base0 r0.w, r1.y, 4\nend\n";
        assert_eq!(weighted(text), Some(Weight { instructions: 1 + 5 * 8 + 1, writes: true }));
    }

    #[test]
    fn of_panvk() {
        let text = "   U16_TO_U32 r0, ^r55.h00\n   IADD_IMM.i32 r3, ^r3, #0x1\n   BRANCHZ.eq 0x0, offset:1\n\n   FMA.f32 r2, ^r2, r1, ^r6\n\
                    \x20  BRANCHZ.eq.reconverge 0x0, offset:-4\n\n   STORE.i32.slot2.end @r2, ^r0, offset:0\n";
        assert_eq!(weighted(text), Some(Weight { instructions: 1 + 4 * 8 + 1, writes: true }));
        let text = "clause_0:\nds(0) nbb ncph\n{\n    *U16_TO_U32 t0, r55\n    +NOP t1\n}\n\nclause_3:\nds(0) nbb\n{\n    *FMA.f32 r2:t0, r2, r1, r6\n    \
                    +JUMP t1, clause_3\n}\n";
        assert_eq!(weighted(text), Some(Weight { instructions: 1 + 2 * 8, writes: false }));
    }

    #[test]
    fn of_anv() {
        let text = "Push constant ranges:\n    RANGE0 (544B): push constants\n\nmov(8)          g2<1>UW         0x76543210V     { align1 WE_all 1Q };\n\nLABEL1:\n\
                    cmp.l.f0.0(16)  null<1>UD       g17<8,8,1>UD    g1.1<0,1,0>UD { align1 1H @1 };\n(+f0.0) break(16) JIP:  LABEL0        UIP:  LABEL0 { align1 1H };\n\
                    sync nop(1)     null<0,1,0>UB   { align1 WE_all 1N @1 };\nwhile(16)       JIP:  LABEL1 { align1 1H };\n\nLABEL0:\n\
                    send(16)        nullUD          g41UD           g45UD 0x08065efd 0x00000080\n        dp data 1 MsgDesc: (DC untyped surface write, Surface = 2) mlen 4\n";
        assert_eq!(weighted(text), Some(Weight { instructions: 1 + 3 * 8 + 1, writes: true }));
    }

    #[test]
    fn what_is_no_assembly_has_no_weight() {
        assert_eq!(weighted("not available\n"), None);
    }
}

//! Instructions weighted by how deep in loops they stand, from the assembly that RADV shows.
//!
//! RADV's own latency and throughput discount a block for each `if` around it, and so take rotated loops for cheap; here an instruction
//! counts 8 for each loop around it, whatever else is around it.

/// What one loop is taken to multiply by.
const TURNS: u64 = 8;
/// What waits, aligns or informs, and computes nothing: how many there are is the scheduler's business.
const NOTHING: [&str; 7] =
    ["s_nop", "s_waitcnt", "s_delay_alu", "s_clause", "s_code_end", "s_inst_prefetch", "s_set_inst_prefetch"];

/// What was found in a shader's assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// Its weighted instructions.
    pub instructions: u64,
    /// It writes to memory that others see.
    pub writes: bool,
}

/// The weighted instructions of a shader's assembly: lines `BB3:` and instructions, the branches among which name a block. A loop is what
/// stands between a block and the last branch back to it: that is how the blocks of a loop lie. None where no instruction is found.
pub fn weighted(assembly: &str) -> Option<Weight> {
    let mut writes = false;
    let mut starts: Vec<(&str, usize)> = Vec::new();
    let mut branches: Vec<(&str, usize)> = Vec::new();
    let mut count = Vec::new();
    for line in assembly.lines() {
        let line = line.split(';').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_suffix(':').filter(|name| name.starts_with("BB")) {
            starts.push((name, count.len()));
            continue;
        }
        let mut words = line.split_whitespace();
        let Some(name) = words.next().filter(|name| name.contains('_')) else { continue };
        if let Some(block) = words.next().filter(|word| name.contains("branch") && word.starts_with("BB")) {
            branches.push((block, count.len()));
        }
        let memory = ["buffer_", "global_", "flat_", "image_"].iter().any(|kind| name.starts_with(kind));
        writes |= memory && ["store", "atomic"].iter().any(|what| name.contains(what));
        count.push(u64::from(!NOTHING.iter().any(|nothing| name.starts_with(nothing))));
    }
    // Loops: where each begins, and the last instruction that goes back there.
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (block, at) in branches {
        let Some(start) = starts.iter().find(|s| s.0 == block).map(|s| s.1).filter(|start| *start <= at)
        else {
            continue;
        };
        match loops.iter_mut().find(|l| l.0 == start) {
            Some(known) => known.1 = known.1.max(at),
            None => loops.push((start, at)),
        }
    }
    let depth = |at: usize| loops.iter().filter(|l| (l.0..=l.1).contains(&at)).count();
    let weigh = |(at, one): (usize, &u64)| one * TURNS.saturating_pow(depth(at) as u32);
    let instructions = count.iter().enumerate().map(weigh).sum();
    (!count.is_empty()).then_some(Weight { instructions, writes })
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
    fn what_is_no_assembly_has_no_weight() {
        assert_eq!(weighted("not available\n"), None);
    }
}

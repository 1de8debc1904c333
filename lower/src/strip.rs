//! Taking debug information out of modules that come from elsewhere.

use crate::link::is_debug_set;
use rustc_hash::FxHashSet;
use spirv_io::spirv::Op;
use spirv_io::{ReadError, Reader};

/// Removes the debug information of instruction sets that are not non-semantic (OpenCL.DebugInfo.100 and its predecessors).
///
/// Their instructions may refer forward and may be anywhere, so that validators disagree about them. They should not decide whether a
/// program runs. No other instruction may use their results. Lines, names and non-semantic sets stay.
///
/// # Errors
/// Words that are no module.
pub fn strip_debug_info(words: &[u32]) -> Result<Vec<u32>, ReadError> {
    const HEADER: usize = 5;
    let (_, reader) = Reader::new(words)?;
    let mut kept = words.get(..HEADER).unwrap_or_default().to_vec();
    let mut sets = FxHashSet::default();
    for inst in reader {
        let inst = inst?;
        let gone = match inst.op {
            Op::ExtInstImport => {
                let name = inst.string(1)?.0;
                let old = is_debug_set(&name) && !name.starts_with("NonSemantic.");
                old && sets.insert(inst.word(0)?)
            }
            Op::ExtInst => sets.contains(&inst.word(2)?),
            _ => false,
        };
        if !gone {
            kept.extend(words.get(inst.at..=inst.at + inst.operands.len()).unwrap_or_default());
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spirv_io::{Builder, Section};

    #[test]
    fn only_old_debug_information_goes() {
        let build = |with: bool| {
            let mut b = Builder::new(1, 0);
            let ids = [b.id(), b.id()];
            b.import("OpenCL.std");
            b.import("NonSemantic.Shader.DebugInfo.100");
            let void = b.unique(Op::TypeVoid, None, &[]);
            if with {
                let set = b.import("OpenCL.DebugInfo.100");
                // The second refers forward.
                let member = [void.0, ids[0].0, set.0, 11, ids[1].0];
                b.push(Section::Globals, Op::ExtInst, &member);
                b.push(Section::Globals, Op::ExtInst, &[void.0, ids[1].0, set.0, 0]);
            }
            b.finish()
        };
        let stripped = strip_debug_info(&build(true)).expect("a module");
        // The bound still includes the removed ids.
        assert_eq!(stripped[5..], build(false)[5..]);
        assert!(strip_debug_info(&[1, 2, 3]).is_err());
    }
}

//! Many work-items of one group, for tests of what they do together.

use super::{End, Event, Lanes, Machine, Run};
use crate::ir::{Block, Function, WorkItem};
use rustc_hash::FxHashMap;

/// What each of some work-items is told of itself.
pub type About = FxHashMap<WorkItem, u64>;

/// Runs a function as several work-items, which share memory, as far as the fuel goes. Those that are at the first place of the function go on, one
/// after another, up to a barrier or the end of the block: so those who go one way of a branch do before those who go the other, and meet again.
pub fn run(function: &Function, items: &[About], args: &[Lanes], seed: u64, mut fuel: u64) -> Vec<Run> {
    let order: FxHashMap<Block, usize> = (0..).zip(&function.layout).map(|(n, b)| (*b, n)).collect();
    let place = |block: Block, inst: usize| (order.get(&block).copied().unwrap_or(usize::MAX), inst);
    let mut machines: Vec<(Machine<'_>, (Block, usize), Option<End>)> = items
        .iter()
        .enumerate()
        .map(|(n, about)| {
            let machine =
                Machine { about: about.clone(), item: n as u64, ..Machine::new(function, args, seed) };
            (machine, (function.entry(), 0), None)
        })
        .collect();
    let mut memory = FxHashMap::default();
    loop {
        let alive = machines.iter().filter(|(_, _, end)| end.is_none());
        let Some(first) = alive.map(|(_, (block, inst), _)| place(*block, *inst)).min() else { break };
        for (machine, (block, inst), end) in &mut machines {
            if end.is_some() || place(*block, *inst) != first {
                continue;
            }
            if fuel == 0 {
                *end = Some(End::Fuel);
                continue;
            }
            fuel -= 1;
            std::mem::swap(&mut machine.memory, &mut memory);
            match machine.go_on(*block, *inst) {
                Ok(next) => (*block, *inst) = next,
                Err(how) => *end = Some(how),
            }
            std::mem::swap(&mut machine.memory, &mut memory);
        }
    }
    let ended = |(machine, _, end): (Machine<'_>, _, Option<End>)| Run {
        trace: machine.trace,
        end: end.unwrap_or(End::Fuel),
    };
    machines.into_iter().map(ended).collect()
}

impl Machine<'_> {
    /// Goes on at an instruction of a block up to behind a barrier, or to the next block.
    fn go_on(&mut self, block: Block, inst: usize) -> Result<(Block, usize), End> {
        let insts = &self.function.blocks[block].insts;
        for (n, inst) in insts.iter().enumerate().skip(inst) {
            let before = self.trace.len();
            self.step(*inst)?;
            if self.trace[before..].contains(&Event::Barrier) {
                return Ok((block, n + 1));
            }
        }
        Ok((self.leave(block)?, 0))
    }
}

//! The work-items of a work-group, run in lockstep for tests of barriers and group operations.

use super::{End, Event, Lanes, Machine, Run};
use crate::ir::{Block, Function, WorkItem};
use rustc_hash::FxHashMap;

/// The results of work-item functions for one work-item.
pub type Properties = FxHashMap<WorkItem, u64>;

/// Runs a function as several work-items, which share memory, as far as the fuel goes. The work-items that are at the earliest position of the
/// function run next, one after another, up to a barrier or the end of the block. So the work-items of one arm of a branch run before those of
/// the other, and both reconverge behind it.
pub fn run(function: &Function, items: &[Properties], args: &[Lanes], seed: u64, mut fuel: u64) -> Vec<Run> {
    let order: FxHashMap<Block, usize> = (0..).zip(&function.layout).map(|(n, b)| (*b, n)).collect();
    let position = |block: Block, inst: usize| (order.get(&block).copied().unwrap_or(usize::MAX), inst);
    let mut machines: Vec<(Machine<'_>, (Block, usize), Option<End>)> = items
        .iter()
        .enumerate()
        .map(|(n, properties)| {
            let machine = Machine {
                properties: properties.clone(),
                item: n as u64,
                ..Machine::new(function, args, seed)
            };
            (machine, (function.entry(), 0), None)
        })
        .collect();
    let mut memory = FxHashMap::default();
    loop {
        let alive = machines.iter().filter(|(_, _, end)| end.is_none());
        let Some(first) = alive.map(|(_, (block, inst), _)| position(*block, *inst)).min() else { break };
        for (machine, (block, inst), end) in &mut machines {
            if end.is_some() || position(*block, *inst) != first {
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
    machines.into_iter().map(|(machine, _, end)| machine.finish(end.unwrap_or(End::Fuel))).collect()
}

impl Machine<'_> {
    /// Runs from an instruction of a block up to behind a barrier, or to the next block.
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

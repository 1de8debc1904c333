//! The pipeline of a launch: the one that is made for its work-group size and words, or another one that serves it.
//!
//! No launch waits for a better pipeline while one that is right exists. The better one is made in the background, with low priority, once
//! launches have wished for it [often](crate::device::tune::Tune). They use it from then on.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use lower::kernel_info::SpecialisedWord;
use smallvec::SmallVec;

use crate::device::logical::{Device, DeviceInner};
use crate::device::services::Service;
use crate::error::RuntimeError;
use crate::kernel::ndrange::Plan;
use crate::kernel::program::{KernelInner, Pipeline, PipelineKey, PipelineSlot};
use crate::process::idle_worker::IdleWorker;
use crate::process::life;

/// Work-groups of so many work-items fill the sub-groups of every device.
const FULL: u32 = 64;
/// A pipeline of another work-group size serves a launch if it takes at most so many more invocations, or half as many again as there are.
const SPARE: u128 = 1 << 14;

/// The count of wishes for a pipeline that the driver did not make: none asks for it again.
const REFUSED: u32 = 1 << 31;

/// A pipeline that a launch would rather have than the one it uses.
pub(crate) struct Wish {
    slot: Arc<PipelineSlot>,
    key: PipelineKey,
}

/// Makes the pipelines of a device for which launches wish.
struct Background(Arc<IdleWorker>);

impl Service for Background {
    fn new(_: &DeviceInner) -> Self {
        Background(Arc::default())
    }
}

impl Device {
    /// Returns whether pipelines are being made in the background: launches wished for them, and use others.
    #[must_use]
    pub fn makes_pipelines(&self) -> bool {
        self.inner.service::<Background>().0.is_busy()
    }
}

/// The pipeline that a launch uses, and the one that it would rather have.
pub(crate) type Choice = (Arc<Pipeline>, Option<Wish>);

impl Wish {
    /// Counts a launch without it. Returns whether it is there by now.
    pub(crate) fn note(&self, kernel: &Arc<KernelInner>) -> bool {
        if self.slot.is_made() {
            return true;
        }
        let device = kernel.device();
        let times = self.slot.wished.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if times == device.tune.often {
            let (kernel, key, rest) = (Arc::downgrade(kernel), self.key.clone(), device.tune.rest);
            let make = move || {
                if !life::rest(rest) {
                    return;
                }
                // A kernel that is gone needs none.
                let Some(kernel) = kernel.upgrade() else { return };
                if let Err(e) = kernel.pipeline(&key) {
                    log::info!("kernel '{}' in the background: {e}", kernel.info.name);
                    // Its launches go on with what they have.
                    kernel.slot(&key).wished.store(REFUSED, Ordering::Relaxed);
                }
            };
            device.service::<Background>().0.add(Box::new(make));
        }
        false
    }
}

impl KernelInner {
    /// The pipeline for a launch. `any_size`: another work-group size may be taken, which the plan then has. `key` is what the pipeline for
    /// a plan is made for.
    pub(crate) fn choose(
        self: &Arc<Self>,
        plan: &mut Plan,
        any_size: bool,
        key: &dyn Fn(&Plan) -> Result<PipelineKey, RuntimeError>,
    ) -> Result<Choice, RuntimeError> {
        let wanted = key(plan)?;
        if let Some(made) = self.slot(&wanted).made() {
            return Ok((made, None));
        }
        let Some((instead, pipeline)) = self.instead(plan, any_size, &wanted, key)? else {
            let start = Instant::now();
            let made = self.pipeline(&wanted)?;
            log::info!(
                "a launch of kernel '{}' waited {:.1?} for its pipeline",
                self.info.name,
                start.elapsed()
            );
            return Ok((made, None));
        };
        // A driver that takes long is spared it. Sub-groups that are less full are no better.
        let fewer = items(plan) < FULL.min(items(&instead));
        if fewer || self.costly.load(Ordering::Relaxed) {
            *plan = instead;
            return Ok((pipeline, None));
        }
        let wish = Wish { slot: self.slot(&wanted), key: wanted };
        match wish.slot.made() {
            Some(made) => Ok((made, None)),
            None => {
                *plan = instead;
                wish.note(self);
                Ok((pipeline, Some(wish)))
            }
        }
    }

    /// A pipeline that was made, serves the launch, and takes the fewest invocations; with the plan for it.
    fn instead(
        &self,
        plan: &Plan,
        any_size: bool,
        wanted: &PipelineKey,
        key: &dyn Fn(&Plan) -> Result<PipelineKey, RuntimeError>,
    ) -> Result<Option<(Plan, Arc<Pipeline>)>, RuntimeError> {
        let made: SmallVec<[(PipelineKey, Arc<Pipeline>); 4]> = {
            let pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
            let serves = |key: &PipelineKey| {
                key.local_args == wanted.local_args
                    && key.several == wanted.several
                    && key.contents == wanted.contents
                    && (key.crosses || !wanted.crosses)
                    && (any_size || key.local_size == wanted.local_size)
            };
            let made = pipelines.iter().filter(|(key, _)| serves(key));
            made.filter_map(|(key, slot)| Some((key.clone(), slot.made()?))).collect()
        };
        let mut best: Option<(u128, Plan, Arc<Pipeline>)> = None;
        for (other, pipeline) in made {
            let (its, words) = if other.local_size == wanted.local_size {
                (*plan, wanted.specialised.clone())
            } else {
                let regrouped = plan.regrouped(other.local_size, self.guarded);
                let Some(its) = regrouped.filter(|its| is_alike(plan, its)) else { continue };
                (its, key(&its)?.specialised)
            };
            let cost = its.invocations();
            if has_words(&other.specialised, &words) && best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, its, pipeline));
            }
        }
        Ok(best.map(|(_, plan, pipeline)| (plan, pipeline)))
    }
}

/// Returns whether a pipeline that is specialised for these words serves a launch with others: those that differ are left to the block.
fn has_words(made: &[u32], words: &[u32]) -> bool {
    let same = |(made, word): (&u32, &u32)| *made == SpecialisedWord::UNSET || made == word;
    made.is_empty() || (made.len() == words.len() && made.iter().zip(words).all(same))
}

/// The number of work-items of a plan's work-groups.
fn items(plan: &Plan) -> u32 {
    plan.local.iter().fold(1u32, |all, n| all.saturating_mul(*n))
}

/// Returns whether a launch is about as fast in other work-groups: they fill sub-groups if those that it asks for do, their rows are about as
/// long unless there is little work, and few invocations do nothing.
fn is_alike(plan: &Plan, other: &Plan) -> bool {
    let (asked, size) = (items(plan), items(other));
    let flat = plan.global[1..] == [1, 1];
    let (row, other_row) = (plan.local[0].max(1), other.local[0].max(1));
    let enough = size >= asked.min(FULL) && size <= asked.max(FULL).saturating_mul(4);
    let (needed, taken) = (plan.invocations(), other.invocations());
    let rows =
        flat || taken <= SPARE || (other_row <= row.saturating_mul(4) && row <= other_row.saturating_mul(4));
    enough && rows && taken <= (needed + needed / 2).max(needed + SPARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_set_serve_all() {
        const ANY: u32 = SpecialisedWord::UNSET;
        assert!(has_words(&[], &[1, 0]) && has_words(&[ANY, ANY], &[1, 0]) && has_words(&[1, ANY], &[1, 0]));
        assert!(
            has_words(&[1, 0], &[1, 0]) && !has_words(&[1, 0], &[1, ANY]) && !has_words(&[2, ANY], &[1, 0])
        );
        assert!(!has_words(&[1, 0], &[]), "a launch whose words are not known");
    }
}

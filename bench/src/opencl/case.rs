//! A case to measure: a name, and how it is made ready on a session.

use super::control::Control;
use super::workloads::Scale;
use super::{Result, Session};
use crate::stages;

/// Measures once: nanoseconds. Checks what it has done, outside of the time.
pub type Measure<'s> = Box<dyn FnMut() -> Result<f64> + 's>;

/// A case on one session.
pub enum Prepared<'s> {
    /// It can be measured.
    Ready(Measure<'s>),
    /// The device has no room for it; why.
    Skipped(String),
}

/// The same in bare Vulkan, by the session's clock where the case goes by it.
pub type Bare = fn(&Control, fn() -> f64) -> Result<f64>;

type Prepare = dyn for<'s> Fn(&'s Session, Scale) -> Result<Prepared<'s>>;

/// Something that is measured.
pub struct Case {
    /// Its name.
    pub name: String,
    /// Bytes that it moves, for a rate beside the time.
    pub bytes: Option<usize>,
    /// The same in bare Vulkan.
    pub bare: Option<Bare>,
    prepare: Box<Prepare>,
}

impl Case {
    /// One that is prepared once and measured many times.
    pub fn new<F>(name: impl Into<String>, prepare: F) -> Self
    where
        F: for<'s> Fn(&'s Session, Scale) -> Result<Prepared<'s>> + 'static,
    {
        Self { name: name.into(), bytes: None, bare: None, prepare: Box::new(prepare) }
    }

    /// One that needs no preparation; its argument is the number of the round.
    pub fn plain(name: &str, measure: fn(&Session, usize) -> Result<f64>) -> Self {
        Self::new(name, move |session, _| {
            let mut round = 0;
            Ok(Prepared::Ready(Box::new(move || {
                round += 1;
                measure(session, round)
            })))
        })
    }

    /// With the bytes that it moves.
    pub fn moving(self, bytes: usize) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// With the same in bare Vulkan.
    pub fn beside(self, bare: Bare) -> Self {
        Self { bare: Some(bare), ..self }
    }

    /// Makes it ready.
    ///
    /// # Errors
    /// What the library fails with.
    pub fn prepare<'s>(&self, session: &'s Session, scale: Scale) -> Result<Prepared<'s>> {
        (self.prepare)(session, scale)
    }
}

/// A measurement that is ready.
///
/// # Errors
/// None; the form serves the end of a function that prepares.
pub fn ready<'s>(measure: impl FnMut() -> Result<f64> + 's) -> Result<Prepared<'s>> {
    Ok(Prepared::Ready(Box::new(measure)))
}

/// How often something is to be done in one measurement: as often as takes some 10 ms, found by doing it.
///
/// # Errors
/// What it fails with.
pub fn often(most: usize, mut once: impl FnMut() -> Result<()>) -> Result<usize> {
    once()?;
    let mut times = Vec::with_capacity(3);
    for _ in 0..3 {
        let start = std::time::Instant::now();
        once()?;
        times.push(start.elapsed().as_nanos() as f64);
    }
    Ok((1e7 / stages::median(times).max(1.0)).clamp(1.0, most as f64) as usize)
}

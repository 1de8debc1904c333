//! x
use super::catalog::Sample;
use crate::options::Options;
use crate::types::Types;
pub(super) fn samples(_: &mut Types, _: &Options, _: &mut Vec<Sample>) {}

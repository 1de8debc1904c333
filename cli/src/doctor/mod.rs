//! `pumice doctor`: a check of this machine's loaders, drivers, devices, settings and caches.
//!
//! | module | content |
//! |---|---|
//! | [`machine`] | files, variables and libraries as the checks see them |
//! | [`report`] | the page of text |
//! | [`loader`] | the OpenCL loader and its ICD files |
//! | [`drivers`] | the Vulkan loader and its drivers' manifests |
//! | [`variables`] | environment variables and files of settings |
//! | [`devices`] | Vulkan devices, with what each lacks and what is known of its driver |
//! | [`caches`] | the folders of compiled programs and pipelines |

mod caches;
mod devices;
mod drivers;
mod loader;
mod machine;
mod report;
mod variables;

#[cfg(test)]
mod tests;

use crate::cli::DoctorArgs;
use crate::error::CliError;
use crate::output;
use machine::Machine;
use report::Report;

/// Runs `pumice doctor`.
///
/// # Errors
/// Something is wrong ([`CliError::Shown`], after the page), or standard output cannot be written.
pub fn command(args: &DoctorArgs) -> Result<(), CliError> {
    if let Some(library) = &args.open {
        return machine::open_here(library);
    }
    let machine = Machine::this();
    output::line(machine.describe())?;
    let mut report = Report::new(&machine);
    // The devices come last: a driver that ends the process takes no other line along.
    for check in [
        loader::check,
        drivers::check,
        variables::check,
        variables::of_this_process,
        caches::check,
        devices::check,
    ] {
        report.print(check(&machine))?;
    }
    report.end()
}

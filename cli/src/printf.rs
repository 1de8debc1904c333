//! The text of kernels' printf, on standard output after each launch; and whether the driver ended their loops.

use crate::error::CliError;
use crate::output;
use host::check::{LaunchFacts, ReportLog};
use lower::KernelInfo;
use lower::printf::{self, HEADER_WORDS};
use vk_runtime::{ArgValue, Buffer, BufferUse, Device, NdRange, Queue, SaveArea, area_header};

/// `CL_DEVICE_PRINTF_BUFFER_SIZE` of a full profile.
const BUFFER_BYTES: u64 = 1 << 20;

/// The bytes of a launch's buffer for the header, the entries of checks and text.
fn text_bytes(info: &KernelInfo) -> u64 {
    info.printf.buffer_bytes(BUFFER_BYTES)
}

/// A printf buffer for a kernel that prints or watches its loops, with a save area and so many bytes of records at its end.
///
/// # Errors
/// When there is no memory for it.
pub fn buffer(
    device: &Device,
    info: &KernelInfo,
    (area, records): (SaveArea, u64),
) -> Result<Option<Buffer>, CliError> {
    if !info.takes_buffer() {
        return Ok(None);
    }
    let bytes = area.buffer_bytes(info, text_bytes(info)).next_multiple_of(16) + records;
    let of = match (info.printf.checks.is_empty(), records) {
        (true, _) => BufferUse::Device,
        (false, 0) => BufferUse::Download,
        (false, _) => BufferUse::Records,
    };
    let buffer = device.create_buffer(bytes, of)?;
    buffer.clear_unused(4 * info.printf.first_record() as u64)?;
    buffer.set_name("printf");
    Ok(Some(buffer))
}

/// Makes the buffer ready for a launch.
///
/// # Errors
/// As the queue's.
pub fn reset(
    queue: &Queue,
    buffer: &Buffer,
    info: &KernelInfo,
    (area, records): (SaveArea, u64),
) -> Result<(), CliError> {
    queue.write_buffer(buffer, 0, &area_header(info, text_bytes(info), area))?;
    queue.write_buffer(buffer, area.rows(text_bytes(info)), &area.no_states())?;
    queue.fill_buffer(buffer, buffer.size().saturating_sub(records), records, &[0; 4])?;
    Ok(())
}

/// What reports say of a launch.
fn facts<'a>(range: &NdRange, sizes: &'a [u64]) -> LaunchFacts<'a> {
    LaunchFacts { grid: host::check::grid(range), sizes, origin: &|_| None }
}

/// Reports the faults of a launch that failed, as far as the host sees them.
pub fn show_failed(
    buffer: &Buffer,
    (info, range, args): (&KernelInfo, &NdRange, &[ArgValue<'_>]),
    log: &mut ReportLog,
) {
    let mut bytes = vec![0; 4 * info.printf.first_record()];
    if !info.printf.checks.is_empty() && buffer.is_mapped() && buffer.peek(0, &mut bytes).is_ok() {
        let sizes = vk_runtime::argument_sizes(info, args);
        log.report(info, &bytes, facts(range, &sizes));
    }
}

/// Waits for the launch and writes its text to standard output. Faults that checks found, and text that did not fit, are reported on standard
/// error. Returns the number of faults.
///
/// # Errors
/// As the queue's, and of standard output; where the driver ended the kernel's loops.
pub fn show(
    queue: &Queue,
    buffer: &Buffer,
    (info, range, args): (&KernelInfo, &NdRange, &[ArgValue<'_>]),
    log: &mut ReportLog,
) -> Result<u64, CliError> {
    let mut bytes = vec![0; 4 * HEADER_WORDS];
    queue.read_buffer(buffer, 0, &mut bytes)?;
    let ended = printf::loops_were_ended(&bytes);
    let used = printf::used_bytes(&bytes, text_bytes(info));
    bytes.resize(usize::try_from(used).unwrap_or(usize::MAX), 0);
    queue.read_buffer(buffer, 0, &mut bytes)?;
    let sizes = vk_runtime::argument_sizes(info, args);
    let faults = log.report(info, &bytes, facts(range, &sizes));
    let printed = printf::decode(&bytes, &info.printf);
    output::write(&printed.text)?;
    if ended {
        return Err(CliError::Failed(info.loops_ended()));
    }
    if printed.lost > 0 {
        eprintln!("pumice: kernel '{}': the text of {} printf calls did not fit", info.name, printed.lost);
    }
    Ok(faults)
}

//! The facts about buffers that launches in the checking mode get: which bytes were written before ([`Contents`](crate::memory::contents::Contents)),
//! and whether the flags let kernels read and write them.
//!
//! The records are copied to the launch's printf buffer before it, and back behind it where the kernel writes.

use std::sync::Arc;

use lower::check::Checks;
use lower::kernel_info::ArgKind;
use opencl_sys as cl;
use vk_runtime::{ArgumentContent, Buffer, Queue as Stream};

use crate::abi::error::ClResult;
use crate::abi::flags;
use crate::kernel::prepared::{Prepared, Ready};
use crate::memory::Memory;

/// Records begin at multiples of this, as buffers do.
const ALIGN: u64 = 256;

/// The facts that a launch gets.
pub(crate) struct LaunchContents {
    arguments: Vec<ArgumentContent>,
    records: Vec<Record>,
    bytes: u64,
}

/// A buffer's record, and its place among all of the launch's.
pub(crate) struct Record {
    buffer: Buffer,
    at: u64,
    written: bool,
}

/// The records of a launch that was recorded.
pub(crate) struct Records(Vec<Record>);

impl LaunchContents {
    /// Gathers the facts for a launch with these memory objects. Buffers that the kernel may write without a note of it count as written.
    ///
    /// # Errors
    /// What making a record gives.
    pub(crate) fn new(prepared: &Prepared, memories: &[Arc<Memory>], stream: &Stream) -> ClResult<Self> {
        let mut gathered = LaunchContents { arguments: Vec::new(), records: Vec::new(), bytes: 0 };
        let checks = host::check::checks();
        if !checks.intersects(Checks::UNINITIALISED | Checks::FLAGS) {
            return Ok(gathered);
        }
        let info = prepared.kernel.info();
        let mut stores: Vec<(*const crate::memory::store::Store, u64)> = Vec::new();
        let mut rest = memories.iter();
        for (n, (arg, ready)) in info.args.iter().zip(&prepared.args).enumerate() {
            let written = match ready {
                Ready::Buffer { written, .. } => *written,
                Ready::Image { written, .. } => {
                    if let Some(memory) = rest.next().filter(|_| *written) {
                        memory.store.contents.all_written();
                    }
                    continue;
                }
                _ => continue,
            };
            let Some(memory) = rest.next() else { break };
            let kept = info.printf.checks.records.iter().find(|of| of.arg == n as u32);
            if written && kept.is_none_or(|of| !of.written) {
                memory.store.contents.all_written();
            }
            let mut content =
                ArgumentContent { arg: n as u32, start: 0, unreadable: false, unwritable: false };
            if let (true, ArgKind::Buffer { read, .. }) = (checks.contains(Checks::FLAGS), &arg.kind) {
                content.unreadable = *read && flags::has(memory.flags, cl::CL_MEM_WRITE_ONLY);
                content.unwritable = written && flags::has(memory.flags, cl::CL_MEM_READ_ONLY);
            }
            if let Some(of) = kept {
                let store = Arc::as_ptr(&memory.store);
                let known = stores.iter().find(|(known, _)| *known == store).map(|(_, at)| *at);
                let at = match known {
                    Some(at) => Some(at),
                    None => memory.store.contents.record(stream)?.map(|buffer| {
                        let at = gathered.bytes + ALIGN;
                        gathered.bytes = (at + buffer.size()).next_multiple_of(ALIGN);
                        gathered.records.push(Record { buffer, at, written: false });
                        stores.push((store, at));
                        at
                    }),
                };
                if let Some(at) = at {
                    content.start = at + memory.offset;
                    let record = gathered.records.iter_mut().find(|record| record.at == at);
                    record.into_iter().for_each(|record| record.written |= of.written);
                }
            }
            if content.start != 0 || content.unreadable || content.unwritable {
                gathered.arguments.push(content);
            }
        }
        Ok(gathered)
    }

    /// The bytes that records need in the printf buffer.
    pub(crate) fn bytes(&self) -> u64 {
        match self.records.is_empty() {
            true => 0,
            false => self.bytes + ALIGN,
        }
    }

    /// Copies the records to the printf buffer, from a place on.
    ///
    /// # Errors
    /// What a copy gives.
    pub(crate) fn before(
        mut self,
        stream: &Stream,
        printf: &Buffer,
        start: u64,
    ) -> ClResult<(Vec<ArgumentContent>, Records)> {
        let start = start.next_multiple_of(ALIGN);
        for record in &mut self.records {
            record.at += start;
            stream.copy_buffer(&record.buffer, 0, printf, record.at, record.buffer.size())?;
        }
        for content in self.arguments.iter_mut().filter(|content| content.start != 0) {
            content.start += start;
        }
        Ok((self.arguments, Records(self.records)))
    }

    /// The same for a launch without a printf buffer, whose kernel has no code for it.
    pub(crate) fn without_buffer(self) -> (Vec<ArgumentContent>, Records) {
        (Vec::new(), Records(Vec::new()))
    }
}

impl Records {
    /// Copies what the launch has written back.
    ///
    /// # Errors
    /// What a copy gives.
    pub(crate) fn after(&self, stream: &Stream, printf: &Buffer) -> ClResult<()> {
        for record in self.0.iter().filter(|record| record.written) {
            stream.copy_buffer(printf, record.at, &record.buffer, 0, record.buffer.size())?;
        }
        Ok(())
    }
}

//! Constants of the runtime that were found by measuring, in one place: another machine may want others.
//!
//! They can be changed for a measurement, by name, as test modes (`tune.spin=200`).

use std::time::Duration;

use crate::device::limits::UPDATE;

/// The constants, by their names in [`Tune::set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tune {
    /// `eager`: an idle device gets the first so many commands; the number doubles each time that nobody asked for it, so that a
    /// host that is slower than the device does not pay a submission for each command.
    pub(crate) eager: u32,
    /// `at_once`: commands that nobody asks for are submitted after a moment, and then so many further ones at once, each by itself.
    /// 0: they wait until somebody asks.
    pub(crate) at_once: u32,
    /// `ahead_of_it`: of what is handed over by somebody who does not wait ([`hand_over`](crate::Queue::hand_over)) the device has so many
    /// batches ahead of it. One behind the other takes it 10 µs where a barrier takes 2, and the host 3; with one to go on with it does not run dry.
    pub(crate) ahead_of_it: usize,
    /// `apart`, in microseconds: batches end for those who watch so far apart at least: one takes the host, and the device, as long
    /// as dozens of commands, and programs that want an event of each launch launch by the thousand.
    pub(crate) apart: Duration,
    /// `queues`: so many queues of a device are used, where it has as many: programs seldom have more than two or three at work at
    /// a time.
    pub(crate) queues: u32,
    /// `window_buffer`, in bytes: buffers up to this are put where the host reaches device memory, if it reaches all of it: a write
    /// is stores to the bus, 22 GB/s on an H200's host, and no submission.
    pub(crate) window_buffer: u64,
    /// `window_read`, in bytes: up to this a read through the window takes less than a copy by the device: 1.2 µs for a line, 4.5
    /// for 4 KiB, 19 for 16 KiB on an H200, where a copy takes 19 and more.
    pub(crate) window_read: u64,
    /// `stream_loads`: reads through the window are made by loads that fetch whole lines.
    pub(crate) stream_loads: bool,
    /// `spin`, in microseconds: how long a wait looks without a break. NVIDIA's OpenCL does so to the end.
    pub(crate) spin: Duration,
    /// `nap`: after that it sleeps this part of the time that it has taken so far between looks; 0: it does not look.
    pub(crate) nap: u32,
    /// `sleep`, in microseconds: after so long it leaves the waiting to the driver.
    pub(crate) sleep: Duration,
    /// `wide_group`: invocations in a work-group of the helpers that move 16 bytes at a time. Of smaller ones an H200 does not start
    /// enough in the time.
    pub(crate) wide_group: u64,
    /// `wide_copy`, in bytes: from this size on such helpers copy where the driver is slow at it: their own cost is small beside the
    /// transfer's.
    pub(crate) wide_copy: u64,
    /// `image_copy`, in bytes: from this size on kernels copy between images and buffers, where the driver is slow at it.
    pub(crate) image_copy: u64,
    /// `ahead`, in bytes: what the host will ask for is [brought ahead](crate::Queue::begin_ahead) up to this size.
    pub(crate) ahead: u64,
    /// `ahead_from`, in bytes: up to this size the host rather reads it itself, where it can: an H200's reads 4 KiB in 7 µs, and a copy behind
    /// the kernel takes 2.2 µs of the device's time and 2.4 of the host's.
    pub(crate) ahead_from: u64,
    /// `ahead_alone`, in bytes: the same where what is before is waited for first: then neither makes the wait any longer, which recording
    /// the copy does.
    pub(crate) ahead_alone: u64,
    /// `behind_kernel`, in bytes: up to this size copies [behind a kernel](crate::Queue::copy_behind) are another kernel's where the driver is
    /// slow at copies: that takes an H200 2 µs less than a copy command.
    pub(crate) behind_kernel: u64,
    /// `ahead_apart`, in bytes: above this size what is brought ahead is in a batch of its own. Another batch takes an H200 2 µs, 256 KiB
    /// take 8 more than nothing.
    pub(crate) ahead_apart: u64,
    /// `keep`: so many command buffers are kept for each stream, to be submitted again; 0: none, and all is recorded each time.
    pub(crate) keep: usize,
    /// `block`, in bytes: the size of the first block of memory that buffers share where kernels have no addresses; each further one
    /// is four times as large as the one before. Small ones make launches that see several.
    pub(crate) block: u64,
    /// `block_most`, in bytes: the size of such blocks at most, unless a buffer is larger. Small ones make launches that see more than
    /// kernels can ([`gather`](crate::launch::gather)).
    pub(crate) block_most: u64,
    /// `watch`, in microseconds: from so long without progress on, who waits looks whether the device is lost ([`watch`](crate::stream::loss_watch)). It costs a
    /// submission, 10 µs, once for each batch that runs longer.
    pub(crate) watch: Duration,
    /// `probe`, in microseconds: from so long without progress on, it is looked whether the device executes anything ([`probe`](crate::stream::fault_probe)).
    pub(crate) probe: Duration,
    /// `often`: a pipeline that is better than the one that serves a kernel's launches is made in the background when so many of them have
    /// wished for it; 0: never.
    pub(crate) often: u32,
    /// `rest`, in microseconds: the thread that makes them rests so long before each.
    pub(crate) rest: Duration,
    /// `update`, in bytes: writes up to this go into the command buffer.
    pub(crate) update: u64,
}

impl Default for Tune {
    fn default() -> Self {
        Tune {
            eager: 2,
            at_once: 32,
            ahead_of_it: 2,
            apart: Duration::from_micros(50),
            queues: 4,
            window_buffer: 1 << 20,
            window_read: 8 << 10,
            stream_loads: true,
            spin: Duration::from_millis(1),
            nap: 32,
            sleep: Duration::from_millis(10),
            wide_group: 128,
            wide_copy: 256 << 10,
            image_copy: 256 << 10,
            ahead: 256 << 20,
            ahead_from: 2 << 10,
            ahead_alone: 4 << 10,
            behind_kernel: 128 << 10,
            ahead_apart: 256 << 10,
            keep: 16,
            block: 32 << 20,
            block_most: 1 << 30,
            watch: Duration::from_millis(100),
            probe: Duration::from_secs(1),
            often: 64,
            rest: Duration::ZERO,
            update: UPDATE,
        }
    }
}

impl Tune {
    /// Changes one, if there is one of this name and the value is a number.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<()> {
        let value: u32 = value.parse().ok()?;
        let micros = Duration::from_micros(value.into());
        match name {
            "eager" => self.eager = value.max(1),
            "at_once" => self.at_once = value,
            "ahead_of_it" => self.ahead_of_it = value as usize,
            "apart" => self.apart = micros,
            "queues" => self.queues = value.max(1),
            "window_buffer" => self.window_buffer = value.into(),
            "window_read" => self.window_read = value.into(),
            "stream_loads" => self.stream_loads = value > 0,
            "spin" => self.spin = micros,
            "nap" => self.nap = value,
            "sleep" => self.sleep = micros,
            "wide_group" => self.wide_group = u64::from(value).clamp(8, 1024) / 8 * 8,
            "wide_copy" => self.wide_copy = value.into(),
            "image_copy" => self.image_copy = value.into(),
            "ahead" => self.ahead = value.into(),
            "ahead_from" => self.ahead_from = value.into(),
            "ahead_alone" => self.ahead_alone = value.into(),
            "behind_kernel" => self.behind_kernel = value.into(),
            "ahead_apart" => self.ahead_apart = value.into(),
            "keep" => self.keep = value as usize,
            "block_most" => self.block_most = u64::from(value).max(256) / 256 * 256,
            "block" => self.block = u64::from(value).clamp(256, 256 << 20) / 256 * 256,
            "watch" => self.watch = micros,
            "probe" => self.probe = micros,
            "often" => self.often = value,
            "rest" => self.rest = micros,
            "update" => self.update = u64::from(value).min(UPDATE),
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_by_name() {
        let mut tune = Tune::default();
        for (name, value) in [("eager", "64"), ("spin", "200"), ("queues", "0")] {
            assert!(tune.set(name, value).is_some());
        }
        assert_eq!((tune.eager, tune.spin, tune.queues), (64, Duration::from_micros(200), 1));
        for (name, value) in [("eager", ""), ("eager", "x"), ("lazy", "1"), ("spin", "-1")] {
            assert!(tune.set(name, value).is_none(), "{name}={value}");
        }
    }
}

//! Facts about processors and GPUs that the operating system tells and Vulkan does not: clocks, caches, displays (Linux's /proc and /sys).

use std::fs;
use std::path::{Path, PathBuf};

/// A cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cache {
    /// In bytes.
    pub(crate) size: u64,
    /// Bytes of a line.
    pub(crate) line: u32,
}

/// The files of the system.
pub(crate) struct System {
    root: PathBuf,
}

impl System {
    pub(crate) fn new() -> Self {
        System { root: PathBuf::from("/") }
    }

    fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        leading_number(&self.read(path)?)
    }

    /// Returns what is in a directory, in order.
    fn list(&self, path: impl AsRef<Path>) -> Vec<PathBuf> {
        let path = path.as_ref();
        let Ok(entries) = fs::read_dir(self.root.join(path)) else { return Vec::new() };
        let mut names: Vec<_> = entries.filter_map(Result::ok).map(|e| path.join(e.file_name())).collect();
        names.sort();
        names
    }

    /// The highest clock of a processor in MHz.
    pub(crate) fn cpu_clock(&self) -> Option<u32> {
        let policies = self.list("sys/devices/system/cpu/cpufreq");
        let most = policies.iter().filter_map(|p| self.number(p.join("cpuinfo_max_freq"))).max();
        let current = || {
            let text = self.read("proc/cpuinfo")?;
            let clocks = text.lines().filter_map(|line| {
                line.strip_prefix("cpu MHz").and_then(|l| leading_number(l.split_once(':')?.1))
            });
            clocks.max()
        };
        let mhz = most.map(|khz| khz / 1000).or_else(current)?;
        u32::try_from(mhz).ok().filter(|mhz| *mhz > 0)
    }

    /// The processors' cache of the highest level.
    pub(crate) fn cpu_cache(&self) -> Option<Cache> {
        let caches = self.list("sys/devices/system/cpu/cpu0/cache");
        let known = caches.iter().filter_map(|c| {
            let kind = self.read(c.join("type"))?;
            let size = self.read(c.join("size"))?;
            let unit = match size.trim().trim_start_matches(|c: char| c.is_ascii_digit()) {
                "" => 1,
                "K" => 1 << 10,
                "M" => 1 << 20,
                _ => return None,
            };
            let size = leading_number(&size)?.checked_mul(unit).filter(|size| *size > 0)?;
            let line = u32::try_from(self.number(c.join("coherency_line_size"))?).ok()?;
            let level = self.number(c.join("level"))?;
            (kind.trim() != "Instruction").then_some((level, Cache { size, line }))
        });
        known.max_by_key(|(level, _)| *level).map(|(_, cache)| cache)
    }

    /// A GPU's directory, by domain, bus, device and function.
    fn gpu(pci: [u32; 4]) -> PathBuf {
        let [domain, bus, device, function] = pci;
        format!("sys/bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.{function:x}").into()
    }

    /// The highest clock of a GPU in MHz: amdgpu's states, else i915's or xe's limit.
    pub(crate) fn gpu_clock(&self, pci: [u32; 4]) -> Option<u32> {
        let gpu = Self::gpu(pci);
        let amd = || {
            let states = self.read(gpu.join("pp_dpm_sclk"))?;
            states.lines().filter_map(|line| leading_number(line.split_once(':')?.1)).max()
        };
        let intel = || {
            let cards = self.list(gpu.join("drm"));
            let files = cards.iter().map(|card| card.join("gt_max_freq_mhz"));
            files.filter_map(|f| self.number(f)).max()
        };
        let xe = || self.number(gpu.join("tile0/gt0/freq0/max_freq"));
        let mhz = amd().or_else(intel).or_else(xe)?;
        u32::try_from(mhz).ok().filter(|mhz| *mhz > 0)
    }

    /// Returns whether a GPU corrects errors of its memory: amdgpu counts those of the memory controller then.
    pub(crate) fn gpu_corrects_errors(&self, pci: [u32; 4]) -> bool {
        self.read(Self::gpu(pci).join("ras/umc_err_count")).is_some()
    }

    /// Returns whether a display is connected to a GPU.
    pub(crate) fn shows(&self, pci: [u32; 4]) -> bool {
        let cards = self.list(Self::gpu(pci).join("drm"));
        let connectors = cards.iter().flat_map(|card| self.list(card));
        let mut states = connectors.filter_map(|c| self.read(c.join("status")));
        states.any(|state| state.trim() == "connected")
    }

    /// An AMD GPU's GFXIP version, major and minor, as the kernel driver's compute part tells.
    pub(crate) fn gfx(&self, pci: [u32; 4]) -> Option<(u32, u32)> {
        let [domain, bus, device, function] = pci;
        let location = u64::from((bus << 8) | (device << 3) | function);
        let nodes = self.list("sys/class/kfd/kfd/topology/nodes");
        nodes.iter().find_map(|node| {
            let text = self.read(node.join("properties"))?;
            let value = |name: &str| {
                text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
            };
            let is_it = value("location_id") == Some(location)
                && value("domain").unwrap_or(0) == u64::from(domain)
                && value("simd_count") != Some(0);
            let version = value("gfx_target_version").filter(|_| is_it)?;
            Some((u32::try_from(version / 10_000).ok()?, u32::try_from(version / 100 % 100).ok()?))
        })
    }
}

/// The number that a text begins with, after spaces.
fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let dir = tempfile::tempdir().expect("temporary directory");
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let system = System { root: dir.path().to_owned() };
        (dir, system)
    }

    #[test]
    fn processors() {
        let cache = "sys/devices/system/cpu/cpu0/cache";
        let mut files = vec![(
            "proc/cpuinfo".to_owned(),
            "cpu MHz\t\t: 2596.124\nflags: x\ncpu MHz\t\t: 3100.5\n".to_owned(),
        )];
        for (i, (level, kind, size)) in [
            ("1", "Data", "48K"),
            ("1", "Instruction", "32K"),
            ("2", "Unified", "2048K"),
            ("3", "Unified", "32M"),
        ]
        .into_iter()
        .enumerate()
        {
            for (name, text) in
                [("level", level), ("type", kind), ("size", size), ("coherency_line_size", "64")]
            {
                files.push((format!("{cache}/index{i}/{name}"), format!("{text}\n")));
            }
        }
        let as_text: Vec<_> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let (_dir, machine) = system(&as_text);
        assert_eq!(machine.cpu_clock(), Some(3100));
        assert_eq!(machine.cpu_cache(), Some(Cache { size: 32 << 20, line: 64 }));
        let (_dir, machine) = system(&[
            ("sys/devices/system/cpu/cpufreq/policy0/cpuinfo_max_freq", "4200000\n"),
            ("proc/cpuinfo", "cpu MHz : 800.0\n"),
        ]);
        assert_eq!(machine.cpu_clock(), Some(4200));
        let (_dir, nothing) = system(&[]);
        assert_eq!((nothing.cpu_clock(), nothing.cpu_cache()), (None, None));
    }

    #[test]
    fn gpus() {
        let (amd, intel, none) = ([0, 3, 0, 0], [0, 0, 2, 0], [1, 3, 0, 0]);
        let (_dir, machine) = system(&[
            ("sys/bus/pci/devices/0000:03:00.0/pp_dpm_sclk", "0: 500Mhz *\n1: 2124Mhz\n"),
            ("sys/bus/pci/devices/0000:03:00.0/drm/card1/card1-DP-1/status", "disconnected\n"),
            ("sys/bus/pci/devices/0000:03:00.0/ras/umc_err_count", "ue: 0\nce: 2\n"),
            ("sys/bus/pci/devices/0000:00:02.0/drm/card0/gt_max_freq_mhz", "1300\n"),
            ("sys/bus/pci/devices/0000:00:02.0/drm/card0/card0-HDMI-A-1/status", "connected\n"),
            (
                "sys/class/kfd/kfd/topology/nodes/0/properties",
                "cpu_cores_count 8\nsimd_count 0\nlocation_id 0\n",
            ),
            (
                "sys/class/kfd/kfd/topology/nodes/1/properties",
                "simd_count 120\ngfx_target_version 110003\nlocation_id 768\ndomain 0\n",
            ),
        ]);
        assert_eq!((machine.gpu_clock(amd), machine.gpu_clock(intel)), (Some(2124), Some(1300)));
        assert_eq!((machine.shows(amd), machine.shows(intel)), (false, true));
        assert_eq!((machine.gfx(amd), machine.gfx(intel)), (Some((11, 0)), None));
        assert_eq!((machine.gpu_corrects_errors(amd), machine.gpu_corrects_errors(intel)), (true, false));
        assert_eq!((machine.gpu_clock(none), machine.shows(none), machine.gfx(none)), (None, false, None));
    }
}

//! Driver workarounds: faults and habits of drivers for which modules are written in another way.
//!
//! [`TABLE`] has one row for each. A [`Target`](crate::Target) carries the [`Quirks`] of its driver; gates of passes and the writer ask these
//! and nothing else. What concerns the runtime alone is in `vk-runtime` (`Workarounds`).

#[cfg(test)]
mod documentation;
mod table;

pub use table::{Affected, Elsewhere, Kind, Quirk, Quirks, TABLE};

use serde::{Deserialize, Serialize};

/// A driver that has quirks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Driver {
    /// NVIDIA's own (seen: 580, on an H200).
    Nvidia,
    /// Mesa's llvmpipe (seen: 22.3).
    Llvmpipe,
    /// Mesa's RADV, for AMD's GPUs (seen: 22.3, on its null device).
    Radv,
    /// Mesa's Turnip, for Qualcomm's Adreno (seen: 25.0's compiler, for devices that were not there).
    Turnip,
    /// Mesa's PanVK, for ARM's Mali (the same).
    PanVk,
    /// Mesa's Honeykrisp, for Apple's GPUs (its source was seen).
    Honeykrisp,
    /// Mesa's ANV, for Intel's GPUs (the same, and 22.3's).
    Anv,
    /// Another one of Mesa's, which all begin with the same compiler.
    Mesa,
    /// Google's SwiftShader, which computes on the processor (seen: Chromium 150's).
    SwiftShader,
}

/// The drivers by the names that `--driver` takes, and by Vulkan's names for their ids.
const DRIVERS: [(Driver, &str, &str); 9] = [
    (Driver::Nvidia, "nvidia", "VK_DRIVER_ID_NVIDIA_PROPRIETARY"),
    (Driver::Llvmpipe, "llvmpipe", "VK_DRIVER_ID_MESA_LLVMPIPE"),
    (Driver::Radv, "radv", "VK_DRIVER_ID_MESA_RADV"),
    (Driver::SwiftShader, "swiftshader", "VK_DRIVER_ID_GOOGLE_SWIFTSHADER"),
    (Driver::Turnip, "turnip", "VK_DRIVER_ID_MESA_TURNIP"),
    (Driver::PanVk, "panvk", "VK_DRIVER_ID_MESA_PANVK"),
    (Driver::Honeykrisp, "honeykrisp", "VK_DRIVER_ID_MESA_HONEYKRISP"),
    (Driver::Anv, "anv", "VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA"),
    (Driver::Mesa, "mesa", "VK_DRIVER_ID_MESA_V3DV"),
];

/// Mesa's others. That of a virtual machine (Venus) may have one of them behind it.
const OF_MESA: [&str; 4] = [
    "VK_DRIVER_ID_MESA_VENUS",
    "VK_DRIVER_ID_MESA_DOZEN",
    "VK_DRIVER_ID_MESA_NVK",
    "VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA",
];

/// A driver's version: major and minor number.
pub type Version = (u32, u32);

/// The version that a driver of Mesa's says in `driverInfo`: `Mesa 22.3.6 (LLVM 15.0.6)`.
#[must_use]
pub fn version_of_mesa(info: &str) -> Option<Version> {
    version(info.split_once("Mesa ")?.1)
}

/// The numbers that a text begins with.
fn version(text: &str) -> Option<Version> {
    let mut numbers =
        text.splitn(3, '.').map(|n| n.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
    Some((numbers.next()?.parse().ok()?, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
}

impl Driver {
    /// The driver of a name: `nvidia`, `llvmpipe`, `radv`, `swiftshader`, `turnip`, `panvk`, `honeykrisp`, `anv`, `mesa`; a version may follow (`nvidia-580`), as the quirks are
    /// those of all versions until one is known that has them not.
    #[must_use]
    pub fn named(name: &str) -> Option<Driver> {
        let plain = name.split_once('-').map_or(name, |n| n.0);
        DRIVERS.iter().find(|d| d.1 == plain).map(|d| d.0)
    }

    /// The names that [`Driver::named`] takes.
    #[must_use]
    pub fn names() -> [&'static str; 9] {
        DRIVERS.map(|d| d.1)
    }

    /// The version in such a name, as [`Quirks::of_version`] takes it: `llvmpipe-25.0.7`.
    #[must_use]
    pub fn version_in_name(name: &str) -> Option<Version> {
        version(name.split_once('-')?.1)
    }

    /// The driver of a VkDriverId, by the enumerant's name.
    #[must_use]
    pub fn of_id(id: &str) -> Option<Driver> {
        let other = OF_MESA.contains(&id).then_some(Driver::Mesa);
        DRIVERS.iter().find(|d| d.2 == id).map(|d| d.0).or(other)
    }
}

impl Quirks {
    /// The quirks of a driver of which the version is not known; none for a driver that the table lacks.
    #[must_use]
    pub fn of(driver: Option<Driver>) -> Quirks {
        Quirks::of_version(driver, None)
    }

    /// The quirks of a version of a driver. A driver of unknown version has all faults that any version has.
    #[must_use]
    pub fn of_version(driver: Option<Driver>, version: Option<Version>) -> Quirks {
        let mut quirks = Quirks::default();
        let Some(driver) = driver else { return quirks };
        for quirk in TABLE.iter().filter(|q| q.affects(driver, version)) {
            (quirk.set)(&mut quirks, true);
        }
        quirks
    }

    /// The first quirk that makes a module which was made for these quirks wrong on a driver with others: a fault that it does not avoid,
    /// or a virtue that it relies on. `None` if there is none. What costs only time is none.
    #[must_use]
    pub fn wrong_on(&self, driver: &Quirks) -> Option<&'static str> {
        let wrong = |quirk: &&Quirk| match quirk.elsewhere {
            Elsewhere::Avoid => {
                // Filters in the kernel are precise for signed bytes, too.
                let covered = quirk.name == "coarse_signed_filters" && self.coarse_linear_filters;
                (quirk.exceeds)(driver, self) && !covered
            }
            Elsewhere::Equal => (quirk.is_set)(self) != (quirk.is_set)(driver),
            Elsewhere::Relied => (quirk.is_set)(self) && !(quirk.is_set)(driver),
            Elsewhere::Harmless => false,
        };
        TABLE.iter().find(wrong).map(|quirk| quirk.name)
    }

    /// Applies `PUMICE_WORKAROUNDS`: `-NAME` leaves a workaround out, `+NAME` puts it in, with commas between.
    ///
    /// # Errors
    /// The parts that are neither.
    pub fn change(&mut self, text: &str) -> Result<(), String> {
        let mut unknown = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let change = match part.split_at_checked(1) {
                Some(("+", name)) => Some((name, true)),
                Some(("-", name)) => Some((name, false)),
                _ => None,
            };
            match change.and_then(|(name, on)| Some((TABLE.iter().find(|q| q.name == name)?, on))) {
                Some((quirk, on)) => (quirk.set)(self, on),
                None => unknown.push(part.to_owned()),
            }
        }
        if unknown.is_empty() { Ok(()) } else { Err(unknown.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_chips_of_amd_have_descriptors() {
        let mut target = crate::Target::minimum();
        // Addresses are pairs of words there.
        assert!(target.prefers_descriptors());
        target.features.shader_int64 = true;
        assert!(!target.prefers_descriptors());
        target.quirks = Quirks::of(Driver::of_id("VK_DRIVER_ID_MESA_RADV"));
        assert!(target.prefers_descriptors());
        target.features.shader_float16 = true;
        assert!(!target.prefers_descriptors());
    }

    #[test]
    fn gpus_without_wide_integers_have_descriptors() {
        let mut target = crate::Target::minimum();
        target.features.shader_int64 = true;
        let drivers =
            [(Driver::Turnip, true), (Driver::PanVk, true), (Driver::Anv, true), (Driver::Mesa, false)];
        for (driver, has) in drivers {
            target.quirks = Quirks::of(Some(driver));
            assert_eq!(target.prefers_descriptors(), has, "{driver:?}");
        }
    }

    #[test]
    fn processors_have_descriptors_but_where_addresses_are_gathered() {
        let mut target = crate::Target::minimum();
        target.features.shader_int64 = true;
        target.features.is_cpu = true;
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::of_version(Some(Driver::Llvmpipe), Some((22, 3)));
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::of_version(Some(Driver::Llvmpipe), Some((25, 0)));
        assert!(!target.prefers_descriptors());
    }

    #[test]
    fn drivers_have_names() {
        assert_eq!(Driver::named("nvidia-580"), Some(Driver::Nvidia));
        assert_eq!(Driver::named("llvmpipe"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::named("llvmpipe-25.0.7"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::version_in_name("llvmpipe-25.0.7"), Some((25, 0)));
        assert_eq!(Driver::version_in_name("nvidia-580"), Some((580, 0)));
        assert_eq!(Driver::version_in_name("llvmpipe"), None);
        assert_eq!(version_of_mesa("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!(version_of_mesa("Mesa 24.1.0-devel (git-f933536517)"), Some((24, 1)));
        assert_eq!(version_of_mesa("1.2.7"), None);
        let turns = |version| Quirks::of_version(Some(Driver::Llvmpipe), version).most_turns;
        assert_eq!(
            (turns(None), turns(Some((22, 3))), turns(Some((25, 0)))),
            (Some(65_535), Some(65_535), None)
        );
        assert_eq!(Driver::named("other"), None);
        assert_eq!(Driver::of_id("VK_DRIVER_ID_NVIDIA_PROPRIETARY"), Some(Driver::Nvidia));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA"), Some(Driver::Anv));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_MESA_TURNIP"), Some(Driver::Turnip));
        assert_eq!(Driver::of_id("VK_DRIVER_ID_MESA_V3DV"), Some(Driver::Mesa));
        assert!(Quirks::of(Some(Driver::Nvidia)).wrong_byte_swaps);
        assert_eq!(Quirks::of(None), Quirks::default());
    }

    #[test]
    fn single_workarounds_are_changed_by_name() {
        let mut quirks = Quirks::of(Driver::named("llvmpipe"));
        assert_eq!(quirks.change("-most_turns, -folds_zeros,+slow_scans"), Ok(()));
        assert_eq!((quirks.most_turns, quirks.folds_zeros, quirks.slow_scans), (None, false, true));
        assert_eq!(quirks.change("+most_turns"), Ok(()));
        assert_eq!(quirks.most_turns, Some(65_535));
        assert_eq!(quirks.change("slow_scans,-nothing,-slow_scans"), Err("slow_scans, -nothing".to_owned()));
        assert!(!quirks.slow_scans, "what is known is changed");
    }

    #[test]
    fn modules_are_right_where_what_they_avoid_is_enough() {
        let of = |name| Quirks::of_version(Driver::named(name), Driver::version_in_name(name));
        let wrong = |made_for, on| of(made_for).wrong_on(&of(on));
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-22.3"), None);
        assert_eq!(wrong("nvidia", "nvidia"), None);
        assert_eq!(wrong("radv", "other"), None, "what costs time alone");
        assert_eq!(wrong("other", "radv"), Some("confuses_choices"));
        assert_eq!(wrong("mesa", "radv"), None);
        assert_eq!(wrong("mesa", "turnip"), Some("narrowed_merges"));
        assert_eq!(wrong("llvmpipe-25.0", "other"), None, "faults that are not there are avoided in vain");
        assert_eq!(wrong("other", "llvmpipe-25.0"), Some("unfused_fma"));
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-25.0"), Some("atomics_order_themselves"));
        assert_eq!(wrong("other", "nvidia"), Some("coarse_signed_filters"));
        assert_eq!(wrong("nvidia", "other"), Some("denormal_doubles"), "it builds on what others have not");
    }
}

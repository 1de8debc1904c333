//! Driver workarounds: faults and properties of drivers for which modules are written differently.
//!
//! [`TABLE`] has one row for each. A [`Target`](crate::Target) has the [`Quirks`] of its driver. Gates of passes and the writer read only
//! these. The runtime's own workarounds are in `vk-runtime` (`Workarounds`).

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
    /// Mesa's Turnip, for Qualcomm's Adreno (seen: 25.0's compiler, without a device).
    Turnip,
    /// Mesa's PanVK, for ARM's Mali (the same).
    PanVk,
    /// Mesa's Honeykrisp, for Apple's GPUs (its source was seen).
    Honeykrisp,
    /// Mesa's ANV, for Intel's GPUs (the same, and 22.3's).
    Anv,
    /// Another driver of Mesa, with NIR as its first compiler.
    Mesa,
    /// Google's SwiftShader, for CPUs (seen: Chromium 150's).
    SwiftShader,
}

/// The drivers, with their names for `--driver` and the names of their VkDriverId.
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

/// Other drivers of Mesa. Venus, for virtual machines, may forward to one of them.
const OTHER_MESA: [&str; 4] = [
    "VK_DRIVER_ID_MESA_VENUS",
    "VK_DRIVER_ID_MESA_DOZEN",
    "VK_DRIVER_ID_MESA_NVK",
    "VK_DRIVER_ID_IMAGINATION_OPEN_SOURCE_MESA",
];

/// A driver's version: major and minor number.
pub type Version = (u32, u32);

/// The version in the `driverInfo` of a Mesa driver: `Mesa 22.3.6 (LLVM 15.0.6)`.
#[must_use]
pub fn mesa_version(info: &str) -> Option<Version> {
    version(info.split_once("Mesa ")?.1)
}

/// The version at the start of a text.
fn version(text: &str) -> Option<Version> {
    let mut numbers =
        text.splitn(3, '.').map(|n| n.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
    Some((numbers.next()?.parse().ok()?, numbers.next().and_then(|n| n.parse().ok()).unwrap_or(0)))
}

impl Driver {
    /// The driver with a name: `nvidia`, `llvmpipe`, `radv`, `swiftshader`, `turnip`, `panvk`, `honeykrisp`, `anv`, `mesa`. A version may
    /// follow (`nvidia-580`).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Driver> {
        let plain = name.split_once('-').map_or(name, |n| n.0);
        DRIVERS.iter().find(|d| d.1 == plain).map(|d| d.0)
    }

    /// The names that [`Driver::from_name`] takes.
    #[must_use]
    pub fn names() -> [&'static str; 9] {
        DRIVERS.map(|d| d.1)
    }

    /// The version in such a name (`llvmpipe-25.0.7`), for [`Quirks::for_version`].
    #[must_use]
    pub fn version_in_name(name: &str) -> Option<Version> {
        version(name.split_once('-')?.1)
    }

    /// The driver with a VkDriverId, by the enumerant's name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Driver> {
        let other = OTHER_MESA.contains(&id).then_some(Driver::Mesa);
        DRIVERS.iter().find(|d| d.2 == id).map(|d| d.0).or(other)
    }
}

impl Quirks {
    /// The quirks of a driver of unknown version. A driver that is not in the table has none.
    #[must_use]
    pub fn for_driver(driver: Option<Driver>) -> Quirks {
        Quirks::for_version(driver, None)
    }

    /// The quirks of a version of a driver. A driver of unknown version has all faults that any version has.
    #[must_use]
    pub fn for_version(driver: Option<Driver>, version: Option<Version>) -> Quirks {
        let mut quirks = Quirks::default();
        let Some(driver) = driver else { return quirks };
        for quirk in TABLE.iter().filter(|q| q.affects(driver, version)) {
            (quirk.set)(&mut quirks, true);
        }
        quirks
    }

    /// The rows of the table that are in force.
    pub fn in_force(&self) -> impl Iterator<Item = &'static Quirk> {
        TABLE.iter().filter(|quirk| (quirk.is_set)(self))
    }

    /// The first quirk for which a module made for these quirks is wrong on a driver with others. It is a fault that the module does not
    /// avoid, or a property that it relies on. Rows that cost only time do not count.
    #[must_use]
    pub fn wrong_on(&self, driver: &Quirks) -> Option<&'static Quirk> {
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
        TABLE.iter().find(wrong)
    }

    /// Applies `PUMICE_WORKAROUNDS`: `-NAME` disables a workaround, `+NAME` enables it. Commas separate them.
    ///
    /// # Errors
    /// Returns the parts that are neither.
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
        target.quirks = Quirks::for_driver(Driver::from_id("VK_DRIVER_ID_MESA_RADV"));
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
            target.quirks = Quirks::for_driver(Some(driver));
            assert_eq!(target.prefers_descriptors(), has, "{driver:?}");
        }
    }

    #[test]
    fn processors_have_descriptors_but_where_addresses_are_gathered() {
        let mut target = crate::Target::minimum();
        target.features.shader_int64 = true;
        target.features.is_cpu = true;
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::for_version(Some(Driver::Llvmpipe), Some((22, 3)));
        assert!(target.prefers_descriptors());
        target.quirks = Quirks::for_version(Some(Driver::Llvmpipe), Some((25, 0)));
        assert!(!target.prefers_descriptors());
    }

    #[test]
    fn drivers_have_names() {
        assert_eq!(Driver::from_name("nvidia-580"), Some(Driver::Nvidia));
        assert_eq!(Driver::from_name("llvmpipe"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::from_name("llvmpipe-25.0.7"), Some(Driver::Llvmpipe));
        assert_eq!(Driver::version_in_name("llvmpipe-25.0.7"), Some((25, 0)));
        assert_eq!(Driver::version_in_name("nvidia-580"), Some((580, 0)));
        assert_eq!(Driver::version_in_name("llvmpipe"), None);
        assert_eq!(mesa_version("Mesa 22.3.6 (LLVM 15.0.6)"), Some((22, 3)));
        assert_eq!(mesa_version("Mesa 24.1.0-devel (git-f933536517)"), Some((24, 1)));
        assert_eq!(mesa_version("1.2.7"), None);
        let iterations = |version| Quirks::for_version(Some(Driver::Llvmpipe), version).max_iterations;
        assert_eq!(
            (iterations(None), iterations(Some((22, 3))), iterations(Some((25, 0)))),
            (Some(65_535), Some(65_535), None)
        );
        assert_eq!(Driver::from_name("other"), None);
        assert_eq!(Driver::from_id("VK_DRIVER_ID_NVIDIA_PROPRIETARY"), Some(Driver::Nvidia));
        assert_eq!(Driver::from_id("VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA"), Some(Driver::Anv));
        assert_eq!(Driver::from_id("VK_DRIVER_ID_MESA_TURNIP"), Some(Driver::Turnip));
        assert_eq!(Driver::from_id("VK_DRIVER_ID_MESA_V3DV"), Some(Driver::Mesa));
        assert!(Quirks::for_driver(Some(Driver::Nvidia)).wrong_byte_swaps);
        assert_eq!(Quirks::for_driver(None), Quirks::default());
    }

    #[test]
    fn single_workarounds_are_changed_by_name() {
        let mut quirks = Quirks::for_driver(Driver::from_name("llvmpipe"));
        assert_eq!(quirks.change("-max_iterations, -folds_zeros,+slow_scans"), Ok(()));
        assert_eq!((quirks.max_iterations, quirks.folds_zeros, quirks.slow_scans), (None, false, true));
        assert_eq!(quirks.change("+max_iterations"), Ok(()));
        assert_eq!(quirks.max_iterations, Some(65_535));
        assert_eq!(quirks.change("slow_scans,-nothing,-slow_scans"), Err("slow_scans, -nothing".to_owned()));
        assert!(!quirks.slow_scans, "known names are applied");
    }

    #[test]
    fn a_module_is_right_on_drivers_whose_faults_it_avoids() {
        let quirks = |name| Quirks::for_version(Driver::from_name(name), Driver::version_in_name(name));
        let wrong = |made_for, on| quirks(made_for).wrong_on(&quirks(on)).map(|quirk| quirk.name);
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-22.3"), None);
        assert_eq!(wrong("nvidia", "nvidia"), None);
        assert_eq!(wrong("radv", "other"), None, "it costs only time");
        assert_eq!(wrong("other", "radv"), Some("wrong_select_zeros"));
        assert_eq!(wrong("mesa", "radv"), None);
        assert_eq!(wrong("mesa", "turnip"), Some("narrowed_phi_constants"));
        assert_eq!(wrong("anv", "other"), None, "avoiding a fault that the driver lacks is harmless");
        assert_eq!(
            wrong("llvmpipe-25.0", "other"),
            Some("sub_group_barriers_for_groups"),
            "its barriers are none elsewhere"
        );
        assert_eq!(wrong("other", "llvmpipe-25.0"), Some("sub_group_barriers_for_groups"));
        assert_eq!(wrong("llvmpipe-22.3", "llvmpipe-25.0"), Some("atomics_order_themselves"));
        assert_eq!(wrong("other", "nvidia"), Some("coarse_signed_filters"));
        assert_eq!(
            wrong("nvidia", "other"),
            Some("denormal_doubles"),
            "it relies on what other drivers lack"
        );
    }
}

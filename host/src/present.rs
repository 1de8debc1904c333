//! Presented values of a device and the platform, for programs that look at names: the settings `PUMICE_PRESENT_*`.
//!
//! Answers are true where none of them is set. They change what queries answer and which devices a query for a type finds;
//! they change nothing that a device can do.

use crate::settings::{self, Origin};

/// The value that is presented in place of the truth; `None` leaves it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Present {
    /// CL_DEVICE_TYPE.
    pub device_type: Option<DeviceType>,
    /// CL_DEVICE_NAME.
    pub device_name: Option<String>,
    /// CL_DEVICE_VENDOR.
    pub device_vendor: Option<String>,
    /// CL_DEVICE_VENDOR_ID.
    pub device_vendor_id: Option<u32>,
    /// The numbers at the head of CL_DRIVER_VERSION.
    pub driver_version: Option<String>,
    /// CL_DEVICE_PROFILE, and by it CL_PLATFORM_PROFILE: whether it is the full one.
    pub full_profile: Option<bool>,
    /// CL_PLATFORM_NAME.
    pub platform_name: Option<String>,
    /// CL_PLATFORM_VENDOR.
    pub platform_vendor: Option<String>,
    /// The text behind the number in CL_PLATFORM_VERSION.
    pub platform_version: Option<String>,
}

/// A device type that can be presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceType {
    /// CL_DEVICE_TYPE_CPU.
    Cpu,
    /// CL_DEVICE_TYPE_GPU.
    Gpu,
    /// CL_DEVICE_TYPE_ACCELERATOR.
    Accelerator,
}

/// Gives a value to what it is for; the error says what is needed.
type Take = fn(&mut Present, &str) -> Result<(), &'static str>;

/// The settings, and what each presents.
const ROWS: [(&str, Take); 9] = [
    ("PUMICE_PRESENT_DEVICE_TYPE", |p, v| device_type(v).map(|v| p.device_type = Some(v))),
    ("PUMICE_PRESENT_DEVICE_NAME", |p, v| text(v).map(|v| p.device_name = Some(v))),
    ("PUMICE_PRESENT_DEVICE_VENDOR", |p, v| text(v).map(|v| p.device_vendor = Some(v))),
    ("PUMICE_PRESENT_DEVICE_VENDOR_ID", |p, v| number(v).map(|v| p.device_vendor_id = Some(v))),
    ("PUMICE_PRESENT_DRIVER_VERSION", |p, v| numbers(v).map(|v| p.driver_version = Some(v))),
    ("PUMICE_PRESENT_PROFILE", |p, v| is_full(v).map(|v| p.full_profile = Some(v))),
    ("PUMICE_PRESENT_PLATFORM_NAME", |p, v| text(v).map(|v| p.platform_name = Some(v))),
    ("PUMICE_PRESENT_PLATFORM_VENDOR", |p, v| text(v).map(|v| p.platform_vendor = Some(v))),
    ("PUMICE_PRESENT_PLATFORM_VERSION", |p, v| after_number(v).map(|v| p.platform_version = Some(v))),
];

impl Present {
    /// The values that the settings of this process give. Values that mean nothing are as if they were not there; [`settings::problems`] names them.
    #[must_use]
    pub fn read() -> Self {
        let mut present = Present::default();
        for (name, take) in ROWS {
            if let Some(value) = settings::get(name) {
                // A bad one leaves what was there.
                let _ = take(&mut present, &value);
            }
        }
        present
    }
}

/// The settings that the environment has, and their values.
#[must_use]
pub fn of_environment() -> Vec<(&'static str, String)> {
    let found = ROWS.iter().filter_map(|(name, _)| Some((*name, settings::find(name)?)));
    found
        .filter(|(name, found)| found.origin == Origin::Environment && problem(name, &found.value).is_none())
        .map(|(name, found)| (name, found.value))
        .collect()
}

/// Returns whether a setting is one of these.
#[must_use]
pub fn is_one(name: &str) -> bool {
    ROWS.iter().any(|(row, _)| *row == name)
}

/// The fault of a value of one of these settings.
#[must_use]
pub fn problem(name: &str, value: &str) -> Option<&'static str> {
    let (_, take) = ROWS.iter().find(|(row, _)| *row == name)?;
    take(&mut Present::default(), value).err()
}

fn device_type(value: &str) -> Result<DeviceType, &'static str> {
    match value {
        "cpu" => Ok(DeviceType::Cpu),
        "gpu" => Ok(DeviceType::Gpu),
        "accelerator" => Ok(DeviceType::Accelerator),
        _ => Err("cpu, gpu or accelerator is needed"),
    }
}

fn is_full(value: &str) -> Result<bool, &'static str> {
    match value {
        "full" => Ok(true),
        "embedded" => Ok(false),
        _ => Err("full or embedded is needed"),
    }
}

fn text(value: &str) -> Result<String, &'static str> {
    let good = !value.chars().any(char::is_control);
    if good { Ok(value.to_owned()) } else { Err("it has control characters") }
}

/// §4.1: the platform's version is `OpenCL`, its number and what the platform says besides. The number is the API's.
fn after_number(value: &str) -> Result<String, &'static str> {
    match value.starts_with("OpenCL ") {
        true => Err("it is what follows the number of the version, which is the API's"),
        false => text(value),
    }
}

fn number(value: &str) -> Result<u32, &'static str> {
    let parsed = match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    parsed.map_err(|_| "a number of 32 bits is needed, such as 0x10de or 4318")
}

/// CL_DRIVER_VERSION begins with the major number, a dot and the minor one (§4.2).
fn numbers(value: &str) -> Result<String, &'static str> {
    let mut parts = value.split('.');
    let good = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let two = parts.next().is_some_and(good) && parts.next().is_some_and(good);
    if two && parts.all(good) {
        Ok(value.to_owned())
    } else {
        Err("numbers with dots are needed, such as 580.65")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_mean_something() {
        let good = [
            ("DEVICE_TYPE", "gpu"),
            ("DEVICE_NAME", "Adreno (TM) 740"),
            ("DEVICE_VENDOR_ID", "0x10de"),
            ("DEVICE_VENDOR_ID", "4318"),
            ("DRIVER_VERSION", "580.65.06"),
            ("PROFILE", "embedded"),
            ("PLATFORM_VERSION", "clvk"),
        ];
        let bad = [
            ("DEVICE_TYPE", "GPU "),
            ("DEVICE_NAME", "a\nb"),
            ("DEVICE_VENDOR_ID", "0x1_0000_0000"),
            ("DEVICE_VENDOR_ID", "-1"),
            ("DRIVER_VERSION", "580"),
            ("DRIVER_VERSION", "1.2a"),
            ("DRIVER_VERSION", "1..2"),
            ("PROFILE", "FULL_PROFILE"),
            ("PLATFORM_VERSION", "OpenCL 1.2 CUDA"),
        ];
        let problem = |(name, value): (&str, &str)| problem(&format!("PUMICE_PRESENT_{name}"), value);
        assert!(good.into_iter().all(|row| problem(row).is_none()));
        assert!(bad.into_iter().all(|row| problem(row).is_some()));
    }

    #[test]
    fn every_row_is_a_setting() {
        let rows = ROWS.iter().map(|(name, _)| *name);
        let table =
            settings::SETTINGS.iter().map(|s| s.name).filter(|name| name.starts_with("PUMICE_PRESENT_"));
        assert_eq!(rows.collect::<Vec<_>>(), table.collect::<Vec<_>>());
    }
}

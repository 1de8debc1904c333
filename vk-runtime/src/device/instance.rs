//! The Vulkan instance, its validation messages, and the list of devices.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use timeline::sync::Mutex;

use ash::vk::Handle;
use ash::{ext, khr, vk};

use crate::device::driver_files::named_drivers;
use crate::device::physical::PhysicalDevice;
use crate::error::{Call, RuntimeError, UserError};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// How to make an [`Instance`].
#[derive(Debug, Clone, Default)]
pub struct InstanceOptions {
    /// Turns VK_LAYER_KHRONOS_validation on, with synchronization validation. The environment
    /// variable `PUMICE_VALIDATE=1` does the same.
    pub validation: bool,
    /// Driver workarounds that are left out or put in ([`lower::Quirks::change`]): `-NAME,+NAME`. Unknown names are ignored.
    pub workarounds: String,
}

/// A connection to the Vulkan loader. Cheap to clone.
#[derive(Clone)]
pub struct Instance {
    pub(crate) inner: Arc<InstanceInner>,
}

pub(crate) struct InstanceInner {
    pub(crate) raw: ash::Instance,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    sink: Arc<MessageSink>,
    /// True if objects get names: VK_EXT_debug_utils is enabled, and the layers can bear it.
    pub(crate) names: bool,
    /// The version that the instance was made with: no device is used beyond it.
    pub(crate) api_version: u32,
    /// [`InstanceOptions::workarounds`].
    pub(crate) workarounds: String,
    /// Keeps the loader's library mapped; dropped last.
    _entry: ash::Entry,
}

/// The messages that the messenger has received.
#[derive(Default)]
struct MessageSink {
    messages: Mutex<Vec<String>>,
    /// Images of memory of other APIs that are alive.
    external: Mutex<BTreeSet<vk::Image>>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance").field("api_version", &self.inner.api_version).finish_non_exhaustive()
    }
}

impl Instance {
    /// Loads Vulkan and makes an instance.
    ///
    /// # Errors
    /// Unsupported without a loader, with a loader or drivers below Vulkan 1.1, or when validation is asked for
    /// but its layer is not installed; Driver when Vulkan fails otherwise.
    pub fn new(options: &InstanceOptions) -> Result<Self, RuntimeError> {
        // SAFETY: loads the system's Vulkan loader, whose initialisers are trusted as every Vulkan program trusts them.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| {
            RuntimeError::unsupported(format!(
                "no Vulkan loader on this machine ({e}); install libvulkan1 and a Vulkan driver \
                 (Debian: apt install libvulkan1 mesa-vulkan-drivers)"
            ))
        })?;
        // SAFETY: `entry` is loaded; the call takes no other input.
        let loader_version = unsafe { entry.try_enumerate_instance_version() }
            .call("vkEnumerateInstanceVersion")?
            .unwrap_or(vk::API_VERSION_1_0);
        if loader_version < vk::API_VERSION_1_1 {
            return Err(RuntimeError::unsupported("the Vulkan loader is older than Vulkan 1.1"));
        }
        let api_version = loader_version.min(vk::make_api_version(0, 1, 4, 0));
        let validate = options.validation
            || (!crate::process::files::is_privileged()
                && std::env::var_os("PUMICE_VALIDATE").is_some_and(|v| !v.is_empty() && v != "0"));
        create(entry, api_version, validate, options.workarounds.clone())
    }

    /// All Vulkan devices: discrete GPUs, integrated, virtual, CPUs, others. Devices below Pumice's floor are listed
    /// too ([`PhysicalDevice::below_floor`]).
    ///
    /// # Errors
    /// Driver errors of the enumeration. No device is an empty list.
    pub fn devices(&self) -> Result<Vec<PhysicalDevice>, RuntimeError> {
        // SAFETY: the instance is alive.
        let handles = match unsafe { self.inner.raw.enumerate_physical_devices() } {
            Ok(handles) => handles,
            // A loader without any driver says so.
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
            Err(result) => return Err(RuntimeError::Driver { call: "vkEnumeratePhysicalDevices", result }),
        };
        let mut devices = Vec::with_capacity(handles.len());
        for handle in handles {
            devices.push(PhysicalDevice::query(self, handle)?);
        }
        devices.sort_by_key(PhysicalDevice::kind);
        Ok(devices)
    }

    /// The devices that are not below the floor, in the same order.
    ///
    /// # Errors
    /// As [`devices`](Self::devices); Unsupported when there is none.
    pub fn usable(&self) -> Result<Vec<PhysicalDevice>, RuntimeError> {
        let devices = self.devices()?;
        let usable: Vec<_> = devices.iter().filter(|d| d.below_floor().is_none()).cloned().collect();
        match devices.as_slice() {
            [] => Err(no_device()),
            all if usable.is_empty() => {
                Err(RuntimeError::unsupported(format!("no usable Vulkan device among {}", listed(all))))
            }
            _ => Ok(usable),
        }
    }

    /// A device by its index in [`devices`](Self::devices) or by a part of its name, case ignored;
    /// `None` takes the first that is not below the floor.
    ///
    /// # Errors
    /// Unsupported when there is no (usable) device; User (DeviceNotFound) when none matches, with the list.
    pub fn select(&self, which: Option<&str>) -> Result<PhysicalDevice, RuntimeError> {
        let Some(text) = which else { return self.usable()?.into_iter().next().ok_or_else(no_device) };
        let devices = self.devices()?;
        if devices.is_empty() {
            return Err(no_device());
        }
        let found = match text.parse::<usize>() {
            Ok(index) => devices.get(index),
            Err(_) => {
                let wanted = text.to_lowercase();
                devices.iter().find(|d| d.name().to_lowercase().contains(&wanted))
            }
        };
        found.cloned().ok_or_else(|| {
            let message = format!("no device '{text}' among {}", listed(&devices));
            RuntimeError::user(UserError::DeviceNotFound, message)
        })
    }

    /// The devices that a list of indices and names chooses ([`select`](Self::select)), each once, in the list's order.
    ///
    /// # Errors
    /// As [`select`](Self::select).
    pub fn select_all(&self, list: &str) -> Result<Vec<PhysicalDevice>, RuntimeError> {
        chosen(list, |which| self.select(Some(which)), PhysicalDevice::is_same)
    }

    /// Returns whether the validation layers are on.
    #[must_use]
    pub fn validates(&self) -> bool {
        self.inner.messenger.is_some()
    }

    /// Returns what the validation layers complained about so far (errors and warnings). Empty without validation.
    #[must_use]
    pub fn validation_messages(&self) -> Vec<String> {
        self.inner.sink.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns what a list of names or numbers chooses, each once, in the list's order.
fn chosen<T, E>(
    list: &str,
    select: impl Fn(&str) -> Result<T, E>,
    same: impl Fn(&T, &T) -> bool,
) -> Result<Vec<T>, E> {
    let mut found: Vec<T> = Vec::new();
    for which in list.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        let device = select(which)?;
        if !found.iter().any(|other| same(other, &device)) {
            found.push(device);
        }
    }
    Ok(found)
}

/// Devices with their numbers, and what those lack that cannot be used.
fn listed(devices: &[PhysicalDevice]) -> String {
    let one = |(i, d): (usize, &PhysicalDevice)| match d.below_floor() {
        None => format!("{i}: {}", d.name()),
        Some(why) => format!("{i}: {} (unusable: {why})", d.name()),
    };
    devices.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
}

/// There is no Vulkan device, usable or not.
#[must_use]
pub fn no_device() -> RuntimeError {
    without("no Vulkan device on this machine")
}

/// Returns what keeps Vulkan from having devices, and what may mend it: where a variable says where the loader looks for drivers, that.
fn without(what: &str) -> RuntimeError {
    let named = named_drivers(|name| std::env::var(name).ok()).map(|files| {
        let missing: Vec<_> =
            files.missing(Path::exists).iter().map(|p| format!("'{}'", p.display())).collect();
        let not_there = match missing.as_slice() {
            [] => String::new(),
            [one] => format!("; there is no file {one}"),
            several => format!("; there are no files {}", several.join(", ")),
        };
        format!("{}={} says where it looks for drivers{not_there}", files.variable, files.value)
    });
    let cure = "install a driver (Debian: apt install mesa-vulkan-drivers gives a CPU device)".to_owned();
    RuntimeError::unsupported(format!("{what}; {}", named.unwrap_or(cure)))
}

/// Before this version the validation layer looks names up without the lock that it enters them under (FormatHandle in its
/// `logging.h`), for each copy of an image in the general layout: it crashed once in 180 runs of the tests of images, while another
/// thread gave a buffer its name. Nothing has a name there.
const LOCKS_NAMES: u32 = vk::make_api_version(0, 1, 3, 275);

fn create(
    entry: ash::Entry,
    api_version: u32,
    validate: bool,
    workarounds: String,
) -> Result<Instance, RuntimeError> {
    // SAFETY: `entry` is loaded.
    let extensions = match unsafe { entry.enumerate_instance_extension_properties(None) } {
        // What loaders say of a driver's file that they cannot read as JSON.
        Err(vk::Result::ERROR_OUT_OF_HOST_MEMORY) => {
            return Err(without("the Vulkan loader stumbled over the files that describe the drivers"));
        }
        result => result.call("vkEnumerateInstanceExtensionProperties")?,
    };
    let mut available = extension_names(&extensions);
    let mut layer_extensions = Vec::new();
    let mut layer_version = u32::MAX;
    if validate {
        // SAFETY: `entry` is loaded.
        let layers = unsafe { entry.enumerate_instance_layer_properties() }
            .call("vkEnumerateInstanceLayerProperties")?;
        let Some(layer) = layers.iter().find(|l| l.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) else {
            return Err(RuntimeError::unsupported(
                "validation was asked for, but VK_LAYER_KHRONOS_validation is not installed \
                 (Debian: apt install vulkan-validationlayers)",
            ));
        };
        layer_version = layer.spec_version;
        // SAFETY: `entry` is loaded and the layer was just found.
        let own = unsafe { entry.enumerate_instance_extension_properties(Some(VALIDATION_LAYER)) }
            .call("vkEnumerateInstanceExtensionProperties")?;
        layer_extensions = extension_names(&own);
        available.extend(layer_extensions.iter().cloned());
    }
    let has = |name: &CStr| available.iter().any(|n| n.as_c_str() == name);

    let mut enabled: Vec<*const c_char> = Vec::new();
    let mut flags = vk::InstanceCreateFlags::empty();
    if has(khr::portability_enumeration::NAME) {
        enabled.push(khr::portability_enumeration::NAME.as_ptr());
        flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
    }
    let debug_utils = has(ext::debug_utils::NAME);
    if debug_utils {
        enabled.push(ext::debug_utils::NAME.as_ptr());
    }
    let validation_features =
        validate && layer_extensions.iter().any(|n| n.as_c_str() == ext::validation_features::NAME);
    if validation_features {
        enabled.push(ext::validation_features::NAME.as_ptr());
    }

    let application = vk::ApplicationInfo::default()
        .application_name(c"Pumice")
        .engine_name(c"Pumice")
        .api_version(api_version);
    let layer_names = [VALIDATION_LAYER.as_ptr()];
    let sync = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&sync);
    let sink = Arc::new(MessageSink::default());
    let mut creation_messenger = messenger_info(&sink);
    let mut info = vk::InstanceCreateInfo::default()
        .flags(flags)
        .application_info(&application)
        .enabled_extension_names(&enabled);
    if validate {
        info = info.enabled_layer_names(&layer_names);
        if debug_utils {
            info = info.push_next(&mut creation_messenger);
        }
    }
    if validation_features {
        info = info.push_next(&mut features);
    }
    // SAFETY: every pointer in `info` refers to data that lives until after the call; layers and extensions were
    // found above; the sink outlives the instance because InstanceInner owns it.
    let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => without("the Vulkan loader found no driver"),
        result => RuntimeError::Driver { call: "vkCreateInstance", result },
    })?;
    let names = debug_utils && layer_version >= LOCKS_NAMES;
    let mut inner =
        InstanceInner { raw, messenger: None, sink, names, api_version, workarounds, _entry: entry };
    if validate && debug_utils {
        let loader = ext::debug_utils::Instance::new(&inner._entry, &inner.raw);
        // SAFETY: the instance is alive with VK_EXT_debug_utils; the sink lives in an Arc that InstanceInner drops
        // only after it destroyed the messenger.
        let messenger = unsafe { loader.create_debug_utils_messenger(&messenger_info(&inner.sink), None) }
            .call("vkCreateDebugUtilsMessengerEXT")?;
        inner.messenger = Some((loader, messenger));
    }
    Ok(Instance { inner: Arc::new(inner) })
}

fn extension_names(properties: &[vk::ExtensionProperties]) -> Vec<std::ffi::CString> {
    properties.iter().filter_map(|p| p.extension_name_as_c_str().ok().map(CStr::to_owned)).collect()
}

fn messenger_info(sink: &Arc<MessageSink>) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(
            vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        )
        .pfn_user_callback(Some(on_message))
        .user_data(Arc::as_ptr(sink).cast_mut().cast::<c_void>())
}

unsafe extern "system" fn on_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    if data.is_null() || user.is_null() {
        return vk::FALSE;
    }
    // SAFETY: `user` is the address of the MessageSink that InstanceInner keeps alive while the messenger exists; it
    // is only ever used through shared references.
    let sink = unsafe { &*user.cast_const().cast::<MessageSink>() };
    // SAFETY: the layer passes a valid callback data structure whose message is null or NUL-terminated.
    let text = unsafe {
        let message = (*data).p_message;
        if message.is_null() { None } else { Some(CStr::from_ptr(message).to_string_lossy().into_owned()) }
    };
    let text = text.unwrap_or_default();
    if is_about_layouts(&text) || sink.is_about_first_layouts(&text) {
        return vk::FALSE;
    }
    log::error!("validation: {text}");
    sink.messages.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    vk::FALSE
}

impl MessageSink {
    /// The layer's message about the first acquisition of an image of another API's memory, and about all that follow it. The layout is the memory's, and the
    /// other API says that it is GENERAL; the layer takes each new VkImage to be UNDEFINED, from where a transition would discard the texels.
    fn is_about_first_layouts(&self, text: &str) -> bool {
        let external = self.external.lock().unwrap_or_else(PoisonError::into_inner);
        let names = |image: &vk::Image| text.contains(&format!("VkImage {:#x}[", image.as_raw()));
        text.contains(
            "to be in layout VK_IMAGE_LAYOUT_GENERAL--instead, current layout is VK_IMAGE_LAYOUT_UNDEFINED",
        ) && external.iter().any(names)
    }
}

impl InstanceInner {
    /// Notes an image of another API's memory, or that it is gone, for the layer's messages.
    pub(crate) fn note_external(&self, image: vk::Image, lives: bool) {
        let mut external = self.sink.external.lock().unwrap_or_else(PoisonError::into_inner);
        if lives {
            external.insert(image)
        } else {
            external.remove(&image)
        };
    }
}

/// The layer's advice to change layouts around copies: images are in the general layout by design, since transitions are barriers
/// that commands of other streams would have to know of.
fn is_about_layouts(text: &str) -> bool {
    text.contains("For optimal performance VkImage") && text.ends_with("instead of GENERAL.")
}

impl Drop for InstanceInner {
    fn drop(&mut self) {
        if let Some((loader, messenger)) = self.messenger.take() {
            // SAFETY: made from this instance, destroyed once.
            unsafe { loader.destroy_debug_utils_messenger(messenger, None) };
        }
        // SAFETY: everything made from the instance holds an Arc of this struct, so nothing is left.
        unsafe { self.raw.destroy_instance(None) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_devices() {
        let select = |which: &str| which.parse::<u32>().map_err(|_| which.to_owned());
        let list = |text| chosen(text, select, |a, b| a == b);
        assert_eq!(list("2"), Ok(vec![2]));
        assert_eq!(list("2, 0,2,"), Ok(vec![2, 0]));
        assert_eq!(list("0,name"), Err("name".to_owned()));
    }
}

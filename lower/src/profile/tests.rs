use super::*;
use std::path::Path;

fn tiny(features: &str) -> String {
    format!(
        r#"{{"profiles": {{"VP_TINY": {{"version": 1, "api-version": "1.2.170", "label": "Tiny",
             "capabilities": ["must", ["a", "b"], ["one"]]}}}},
            "capabilities": {{
              "must": {{"features": {features},
                        "extensions": {{"VK_KHR_maintenance4": 1}},
                        "properties": {{
                          "VkPhysicalDeviceProperties": {{"limits": {{
                             "maxComputeWorkGroupSize": [256, 256, 64], "maxStorageBufferRange": 4294967295}}}},
                          "VkPhysicalDeviceFloatControlsPropertiesKHR": {{"shaderRoundingModeRTEFloat32": true}},
                          "VkPhysicalDeviceSubgroupProperties": {{"subgroupSize": 16,
                             "supportedStages": ["VK_SHADER_STAGE_COMPUTE_BIT"],
                             "supportedOperations": ["VK_SUBGROUP_FEATURE_SHUFFLE_BIT"]}}}}}},
              "a": {{"features": {{"VkPhysicalDeviceFeatures": {{"shaderFloat64": true}}}}}},
              "b": {{}},
              "one": {{"features": {{"VkPhysicalDeviceFeatures": {{"shaderInt16": true}}}}}}}}}}"#
    )
}

#[test]
fn the_aggregate_structure_decides_and_choices_are_not_believed() {
    let text = tiny(
        r#"{"VkPhysicalDeviceFeatures": {"shaderInt64": true},
            "VkPhysicalDeviceVulkan12Features": {"shaderInt8": false},
            "VkPhysicalDeviceFloat16Int8FeaturesKHR": {"shaderInt8": true, "shaderFloat16": true}}"#,
    );
    let target = target_from_profile(&text).expect("profile");
    assert_eq!((target.name.as_str(), target.api_version), ("Tiny", (1, 2)));
    let f = &target.features;
    assert!(f.shader_int64 && f.shader_float16 && f.shader_int16 && f.maintenance4 && f.timeline_semaphore);
    assert!(!f.shader_int8 && !f.shader_float64 && !f.vulkan_memory_model);
    assert_eq!(f.shader_rounding_mode_rte, [false, true, false]);
    assert_eq!(f.subgroup_operations, 0x11);
    assert_eq!(target.limits.max_compute_work_group_size, [256, 256, 64]);
    assert_eq!(target.limits.max_storage_buffer_range, 0xffff_ffff);
    assert_eq!(target.limits.max_push_constants_size, 128, "the least that Vulkan guarantees");
    assert_eq!(target.limits.subgroup_size, 16);
}

#[test]
fn a_profile_may_name_its_driver() {
    let text = tiny("{}");
    assert_eq!(target_from_profile(&text).expect("profile").quirks, Quirks::default());
    let named = text.replace(
        "\"VkPhysicalDeviceProperties\"",
        "\"VkPhysicalDeviceDriverPropertiesKHR\": {\"driverID\": \"VK_DRIVER_ID_NVIDIA_PROPRIETARY\"},
         \"VkPhysicalDeviceProperties\"",
    );
    let target = target_from_profile(&named).expect("profile");
    assert_eq!(target.quirks, Quirks::for_driver(Some(Driver::Nvidia)));
    // A mask's driver is not the one that runs it.
    assert_eq!(Target::minimum().intersect(&target).quirks, Quirks::default());
}

#[test]
fn what_is_no_profile_is_refused_with_the_reason() {
    let no = |text: &str| target_from_profile(text).expect_err("refused").to_string();
    assert!(no("#version 450").starts_with("not a JSON file"));
    assert!(no("[1]").contains("not a JSON object"));
    assert!(no(r#"{"a": 1}"#).contains("no 'profiles'"));
    assert!(no(r#"{"profiles": {}}"#).contains("'profiles' is empty"));
    assert!(no(r#"{"profiles": {"P": {}}}"#).contains("no 'api-version'"));
    assert!(no(r#"{"profiles": {"P": {"api-version": "new"}}}"#).contains("not a version"));
    assert!(no(r#"{"profiles": {"P": {"api-version": "1.1.0"}}}"#).contains("no 'capabilities'"));
    let missing =
        r#"{"profiles": {"P": {"api-version": "1.1.0", "capabilities": ["x"]}}, "capabilities": {}}"#;
    assert!(no(missing).contains("names the capabilities 'x'"));
    assert!(no(&tiny(r#"{"VkPhysicalDeviceFeatures": {"shaderInt64": "yes"}}"#)).contains("shaderInt64"));
}

#[test]
fn a_mask_takes_away_and_never_adds() {
    let text = tiny(r#"{"VkPhysicalDeviceFeatures": {"shaderInt64": true}}"#);
    let target = target_from_profile(&text).expect("profile");
    let minimum = Target::minimum();
    let masked = target.intersect(&minimum);
    assert_eq!(masked.features, minimum.features);
    assert_eq!(masked.api_version, (1, 1));
    assert_eq!(masked.limits, TargetLimits { subgroup_size: 16, ..TargetLimits::default() });
    assert_eq!(target.intersect(&target), target);
}

/// MoltenVK's exporter says more in an extension's structure than the driver does in the core's.
#[test]
fn the_aggregate_structure_has_the_last_word() {
    let of = |core: bool| {
        let text = format!(
            r#"{{"profiles": {{"VP_TWICE": {{"version": 1, "api-version": "1.2.170", "label": "Twice",
                 "capabilities": ["a"]}}}},
                "capabilities": {{"a": {{"properties": {{
                  "VkPhysicalDeviceFloatControlsProperties": {{"shaderDenormPreserveFloat32": true}},
                  "VkPhysicalDeviceVulkan12Properties": {{"shaderDenormPreserveFloat32": {core}}}}}}}}}}}"#
        );
        target_from_profile(&text).expect("profile").features.shader_denorm_preserve[1]
    };
    assert!(of(true) && !of(false));
}

/// The profiles of classes of devices.
#[test]
fn the_sample_profiles_are_read() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/profiles/classes"));
    let read = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).expect("a sample");
        target_from_profile(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    for entry in std::fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path()) {
        let name = entry.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if name.ends_with(".json") {
            let target = read(name);
            assert!(target.limits.max_push_constants_size >= 128, "{name}");
        }
    }
    let lavapipe = read("lavapipe.json");
    assert_eq!(lavapipe.api_version, (1, 3));
    assert!(
        lavapipe.has_address_model() && lavapipe.features.shader_int8 && lavapipe.features.shader_float64
    );
    assert!(lavapipe.features.shader_buffer_int64_atomics && lavapipe.features.scalar_block_layout);
    assert!(!lavapipe.features.workgroup_memory_explicit_layout);
    assert_eq!((lavapipe.limits.max_storage_buffer_range, lavapipe.limits.subgroup_size), (128 << 20, 8));

    let swiftshader = read("../swiftshader.json");
    assert!(!swiftshader.features.shader_int64 && !swiftshader.features.storage_buffer_8bit_access);
    assert!(swiftshader.has_address_model() && swiftshader.prefers_descriptors());
    assert_eq!(swiftshader.limits.max_compute_work_group_invocations, 256);

    let apple = read("apple.json");
    assert!(!apple.features.vulkan_memory_model && apple.features.shader_int64);

    let nvidia = read("nvidia.json");
    assert!(nvidia.features.shader_maximal_reconvergence && nvidia.features.vulkan_memory_model_device_scope);
    assert_eq!(nvidia.api_version, (1, 3));
}

//! The OpenCL version that a device is: 3.1 where it has all that this demands (OpenCL API 3.1, §4.2 "Required Extensions"; OpenCL
//! C 3.1; the SPIR-V Environment specification, "Required Capabilities"), else 3.0. docs/reference/opencl-3.1.md has the list with the
//! check of each line.

use frontend::options::Features;

/// Demands of OpenCL 3.1 beyond 3.0 that some devices do not meet, by what it is called there. All else is there on every
/// device: dot products, bit operations, SPIR-V with its queries, the suggested work-group size, the device's UUID.
const DEMANDED: [(Features, &str); 5] = [
    (Features::SUBGROUPS, "sub-groups"),
    (Features::SUBGROUP_TYPES, "sub-groups' extended types"),
    (Features::SUBGROUP_SHUFFLE, "sub-groups' shuffles"),
    (Features::SUBGROUP_SHUFFLE_RELATIVE, "sub-groups' relative shuffles"),
    (Features::SUBGROUP_ROTATE, "sub-groups' rotations"),
];

/// The features that keep a device with these features from OpenCL 3.1; nothing where it is one.
#[must_use]
pub fn lacks_for_3_1(language: Features) -> Vec<&'static str> {
    let lacking = DEMANDED.iter().filter(|(feature, _)| !language.contains(*feature));
    let mut names: Vec<_> = lacking.map(|(_, name)| *name).collect();
    let always = Features::DOT_4X8_PACKED | Features::BIT_OPS;
    if !language.contains(always) {
        names.push("dot products or bit operations");
    }
    // Without sub-groups there is no form of them to name.
    if names.first() == Some(&"sub-groups") {
        names.retain(|name| !name.starts_with("sub-groups'"));
    }
    names
}

/// The version's number as `Options::device_version` has it: 310 or 300.
#[must_use]
pub fn number(language: Features) -> u32 {
    if lacks_for_3_1(language).is_empty() { 310 } else { 300 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_3_1_with_everything_alone() {
        let all = Features::all();
        assert_eq!((number(all), lacks_for_3_1(all)), (310, vec![]));
        for (feature, name) in DEMANDED {
            let without = all.difference(feature);
            assert_eq!(number(without), 300, "{name}");
            assert!(lacks_for_3_1(without).contains(&name), "{name}");
        }
        let small = Features::DOT_4X8_PACKED | Features::BIT_OPS;
        assert_eq!(lacks_for_3_1(small), ["sub-groups"]);
        assert!(!lacks_for_3_1(all.difference(Features::BIT_OPS)).is_empty());
    }
}

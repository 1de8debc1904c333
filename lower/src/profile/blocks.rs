//! The capability blocks that a profile names, seen as one.

use super::json::{Object, Value};
use super::{ProfileError, bad};

/// All blocks that hold for every device of the profile.
#[derive(Debug)]
pub(super) struct Blocks<'o, 'a> {
    list: Vec<Object<'o, 'a>>,
}

impl<'o, 'a> Blocks<'o, 'a> {
    /// Finds the blocks of a profile. An entry of `capabilities` that is a list means "one of these": with more than one choice none is
    /// used. Profiles that this one requires (`profiles`) count if they are in the same file.
    pub(super) fn new(
        key: &str,
        profile: Object<'o, 'a>,
        root: Object<'o, 'a>,
    ) -> Result<Self, ProfileError> {
        root.get("capabilities").ok_or_else(|| bad("it has no 'capabilities'"))?;
        let blocks = root.object("capabilities").ok_or_else(|| bad("'capabilities' is not an object"))?;
        let mut found = Blocks { list: Vec::new() };
        found.add(key, profile, blocks)?;
        let required = profile.get("profiles").and_then(Value::elements).into_iter().flatten();
        for name in required.filter_map(Value::str).filter(|name| name != key) {
            if let Some(other) = root.object("profiles").and_then(|p| p.object(&name)) {
                found.add(&name, other, blocks)?;
            }
        }
        Ok(found)
    }

    fn add(
        &mut self,
        key: &str,
        profile: Object<'o, 'a>,
        blocks: Object<'o, 'a>,
    ) -> Result<(), ProfileError> {
        let names = profile
            .get("capabilities")
            .and_then(Value::elements)
            .ok_or_else(|| bad(format!("profile '{key}' has no list of 'capabilities'")))?;
        for entry in names {
            let name = match entry.elements() {
                Some(mut choices) => match (choices.next(), choices.next()) {
                    (Some(_), Some(_)) => continue,
                    (first, _) => first.and_then(Value::str),
                },
                None => entry.str(),
            };
            let name = name.ok_or_else(|| bad(format!("profile '{key}' has a nameless capability")))?;
            let block = blocks.object(&name).ok_or_else(|| {
                bad(format!("profile '{key}' names the capabilities '{name}', which are not there"))
            })?;
            self.list.push(block);
        }
        Ok(())
    }

    /// A member of a structure, from the first block that has it.
    pub(super) fn member(&self, part: &str, structure: &str, member: &str) -> Option<Value<'a>> {
        self.list.iter().find_map(|block| block.object(part)?.object(structure)?.get(member))
    }

    /// A truth value from the first structure that has the member, under its own name or with `KHR`.
    pub(super) fn bool(
        &self,
        part: &str,
        structures: &[&str],
        member: &str,
    ) -> Result<Option<bool>, ProfileError> {
        let Some((name, value)) = self.find(part, structures, member) else { return Ok(None) };
        match value.bool() {
            Some(b) => Ok(Some(b)),
            None if value.is_number() => Ok(Some(value.u64() != Some(0))),
            None => Err(bad(format!("{name}.{member} is not true or false"))),
        }
    }

    /// A member from the first structure that has it, under its own name or with `KHR`, and that name.
    fn find(&self, part: &str, structures: &[&str], member: &str) -> Option<(String, Value<'a>)> {
        let mut name = String::with_capacity(96);
        for structure in structures {
            name.clear();
            for piece in [*structure, "KHR"] {
                name.push_str(piece);
                if let Some(value) = self.member(part, &name, member) {
                    return Some((name, value));
                }
            }
        }
        None
    }

    /// Returns whether a VkShaderFloatControlsIndependence says that all widths are independent.
    pub(super) fn independent(&self, member: &str) -> bool {
        let Some((_, value)) = self.find("properties", super::FLOAT_CONTROL_STRUCTURES, member) else {
            return false;
        };
        value.u64() == Some(1) || value.str().is_some_and(|text| text.contains("INDEPENDENCE_ALL"))
    }

    /// Flags: a list of bit names, or a number.
    pub(super) fn flags(&self, structure: &str, member: &str) -> Result<Option<u32>, ProfileError> {
        let wrong = || bad(format!("{structure}.{member} is not a list of flags"));
        let Some(value) = self.member("properties", structure, member) else { return Ok(None) };
        let Some(names) = value.elements() else {
            return Ok(Some(value.u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)?));
        };
        let mut bits = 0;
        for name in names {
            bits |= flag_bit(&name.str().ok_or_else(wrong)?);
        }
        Ok(Some(bits))
    }

    /// A limit, one number or three, from the structures that may have it.
    pub(super) fn limit(&self, member: &str) -> Result<Option<Vec<u64>>, ProfileError> {
        let own = self
            .list
            .iter()
            .filter_map(|b| b.object("properties")?.object("VkPhysicalDeviceProperties")?.object("limits"))
            .find_map(|limits| limits.get(member));
        let found = own.or_else(|| {
            super::tables::LIMIT_STRUCTURES.iter().find_map(|s| self.member("properties", s, member))
        });
        let Some(value) = found else { return Ok(None) };
        let numbers = match value.elements() {
            Some(mut list) => list.try_fold(Vec::new(), |mut numbers, value| {
                numbers.push(number(value)?);
                Some(numbers)
            }),
            None => number(value).map(|n| vec![n]),
        };
        numbers.map(Some).ok_or_else(|| bad(format!("the limit {member} is not a number")))
    }

    /// Returns whether an extension is listed.
    pub(super) fn has_extension(&self, name: &str) -> bool {
        self.list.iter().any(|block| block.object("extensions").is_some_and(|e| e.get(name).is_some()))
    }
}

/// A size; some exporters write 64-bit ones as floats, or as -1 for "no limit".
fn number(value: Value<'_>) -> Option<u64> {
    value
        .u64()
        .or_else(|| value.is_negative_integer().then_some(u64::MAX))
        .or_else(|| value.f64().filter(|f| *f >= 0.0).map(|f| f as u64))
}

/// Bits of VkSubgroupFeatureFlagBits and VkShaderStageFlagBits that matter here; others are 0.
fn flag_bit(name: &str) -> u32 {
    match name {
        "VK_SUBGROUP_FEATURE_BASIC_BIT" => 0x1,
        "VK_SUBGROUP_FEATURE_VOTE_BIT" => 0x2,
        "VK_SUBGROUP_FEATURE_ARITHMETIC_BIT" => 0x4,
        "VK_SUBGROUP_FEATURE_BALLOT_BIT" => 0x8,
        "VK_SUBGROUP_FEATURE_SHUFFLE_BIT" => 0x10,
        "VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT" => 0x20,
        "VK_SUBGROUP_FEATURE_CLUSTERED_BIT" => 0x40,
        "VK_SUBGROUP_FEATURE_QUAD_BIT" => 0x80,
        "VK_SUBGROUP_FEATURE_ROTATE_BIT" | "VK_SUBGROUP_FEATURE_ROTATE_BIT_KHR" => 0x200,
        "VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT" | "VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT_KHR" => 0x400,
        "VK_SHADER_STAGE_COMPUTE_BIT" | "VK_SHADER_STAGE_ALL" => 0x20,
        _ => 0,
    }
}

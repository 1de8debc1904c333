//! The capability blocks that a profile names, seen as one.

use super::{ProfileError, bad};
use serde_json::{Map, Value};

/// All blocks that surely hold for a device of the profile.
#[derive(Debug)]
pub(super) struct Blocks<'a> {
    list: Vec<&'a Map<String, Value>>,
}

impl<'a> Blocks<'a> {
    /// Finds the blocks of a profile. An entry of `capabilities` that is itself a list means "one of
    /// these": with more than one choice nobody can tell which holds, so none is believed. Profiles
    /// that this one requires (`profiles`) count if they are in the same file.
    pub(super) fn new(
        key: &str,
        profile: &'a Map<String, Value>,
        root: &'a Map<String, Value>,
    ) -> Result<Self, ProfileError> {
        let blocks = root
            .get("capabilities")
            .ok_or_else(|| bad("it has no 'capabilities'"))?
            .as_object()
            .ok_or_else(|| bad("'capabilities' is not an object"))?;
        let mut found = Blocks { list: Vec::new() };
        found.add(key, profile, blocks)?;
        let required = profile.get("profiles").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str).filter(|name| *name != key) {
            if let Some(other) = root.get("profiles").and_then(|p| p.get(name)).and_then(Value::as_object) {
                found.add(name, other, blocks)?;
            }
        }
        Ok(found)
    }

    fn add(
        &mut self,
        key: &str,
        profile: &'a Map<String, Value>,
        blocks: &'a Map<String, Value>,
    ) -> Result<(), ProfileError> {
        let names = profile
            .get("capabilities")
            .and_then(Value::as_array)
            .ok_or_else(|| bad(format!("profile '{key}' has no list of 'capabilities'")))?;
        for entry in names {
            let name = match entry {
                Value::Array(choices) if choices.len() > 1 => continue,
                Value::Array(choices) => choices.first().and_then(Value::as_str),
                other => other.as_str(),
            };
            let name = name.ok_or_else(|| bad(format!("profile '{key}' has a nameless capability")))?;
            let block = blocks.get(name).and_then(Value::as_object).ok_or_else(|| {
                bad(format!("profile '{key}' names the capabilities '{name}', which are not there"))
            })?;
            self.list.push(block);
        }
        Ok(())
    }

    /// A member of a structure, from the first block that has it.
    pub(super) fn member(&self, part: &str, structure: &str, member: &str) -> Option<&'a Value> {
        self.list.iter().find_map(|block| block.get(part)?.get(structure)?.get(member))
    }

    /// A truth value from the first structure that has the member, under its own name or with `KHR`.
    pub(super) fn bool(
        &self,
        part: &str,
        structures: &[&str],
        member: &str,
    ) -> Result<Option<bool>, ProfileError> {
        for structure in structures {
            for name in [(*structure).to_owned(), format!("{structure}KHR")] {
                let Some(value) = self.member(part, &name, member) else { continue };
                return match value {
                    Value::Bool(b) => Ok(Some(*b)),
                    Value::Number(n) => Ok(Some(n.as_u64() != Some(0))),
                    _ => Err(bad(format!("{name}.{member} is not true or false"))),
                };
            }
        }
        Ok(None)
    }

    /// Whether a VkShaderFloatControlsIndependence says that all widths are.
    pub(super) fn independent(&self, member: &str) -> bool {
        let structures = super::FLOAT_CONTROL_STRUCTURES;
        let named = structures.iter().flat_map(|s| [(*s).to_owned(), format!("{s}KHR")]);
        let value = named.into_iter().find_map(|s| self.member("properties", &s, member));
        match value {
            Some(Value::String(text)) => text.contains("INDEPENDENCE_ALL"),
            Some(Value::Number(n)) => n.as_u64() == Some(1),
            _ => false,
        }
    }

    /// Flags: a list of bit names, or a number.
    pub(super) fn flags(&self, structure: &str, member: &str) -> Result<Option<u32>, ProfileError> {
        let wrong = || bad(format!("{structure}.{member} is not a list of flags"));
        match self.member("properties", structure, member) {
            None => Ok(None),
            Some(Value::Array(names)) => {
                let mut bits = 0;
                for name in names {
                    bits |= flag_bit(name.as_str().ok_or_else(wrong)?);
                }
                Ok(Some(bits))
            }
            Some(Value::Number(n)) => {
                Ok(Some(n.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)?))
            }
            Some(_) => Err(wrong()),
        }
    }

    /// A limit, one number or three, from the structures where limits stand.
    pub(super) fn limit(&self, member: &str) -> Result<Option<Vec<u64>>, ProfileError> {
        let own = self
            .list
            .iter()
            .filter_map(|b| b.get("properties")?.get("VkPhysicalDeviceProperties")?.get("limits"))
            .find_map(|limits| limits.get(member));
        let found = own.or_else(|| {
            super::tables::LIMIT_STRUCTURES.iter().find_map(|s| self.member("properties", s, member))
        });
        let Some(value) = found else { return Ok(None) };
        let numbers = match value {
            Value::Array(list) => list.iter().map(number).collect(),
            other => number(other).map(|n| vec![n]),
        };
        numbers.map(Some).ok_or_else(|| bad(format!("the limit {member} is not a number")))
    }

    /// Whether an extension is listed.
    pub(super) fn has_extension(&self, name: &str) -> bool {
        self.list.iter().any(|block| block.get("extensions").is_some_and(|e| e.get(name).is_some()))
    }
}

/// A size; some exporters write 64-bit ones as floats, or as -1 for "no limit".
fn number(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_i64().map(|_| u64::MAX))
        .or_else(|| value.as_f64().filter(|f| *f >= 0.0).map(|f| f as u64))
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

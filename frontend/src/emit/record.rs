//! Structs and unions as OpTypeStruct with C's layout.
//!
//! A consumer of Kernel SPIR-V lays a struct out by C's rules from its members' natural alignment.
//! Where the source's layout differs (`packed`, `aligned`), byte arrays are put between the members;
//! where even that cannot bring a member down to its offset, the struct becomes `CPacked` with all of
//! its padding explicit.

use super::error::Emit;
use super::module::{MAX_OPERANDS, Module};
use crate::types::{Record, RecordId, RecordLayout, Type, TypeId};
use spirv_io::Id;
use spirv_io::Section;
use spirv_io::spirv::{Decoration, Op};
use std::rc::Rc;

/// A record's SPIR-V type.
#[derive(Debug, Clone)]
pub(super) struct RecordInfo {
    /// The OpTypeStruct.
    pub id: Id,
    /// The struct's member for each field; `None` where the field is reached by its byte offset
    /// (unions, flexible arrays).
    pub members: Vec<Option<u32>>,
    /// What each member of the struct is, in order.
    pub slots: Vec<Slot>,
    /// The alignment that a consumer sees.
    pub align: u64,
}

/// A member of the struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// Field number.
    Field(u32),
    /// So many bytes between fields.
    Padding(u64),
}

/// A field as the planner sees it.
#[derive(Debug, Clone, Copy)]
struct Placed {
    field: u32,
    offset: u64,
    size: u64,
    /// What a consumer aligns it to.
    align: u64,
}

/// The struct's members when natural (or `packed`) layout can give every offset, and its alignment.
fn plan(fields: &[Placed], total: u64, packed: bool) -> Option<(Vec<Slot>, u64)> {
    let (mut slots, mut at, mut align) = (Vec::with_capacity(fields.len()), 0u64, 1u64);
    for placed in fields {
        let needs = if packed { 1 } else { placed.align };
        align = align.max(needs);
        if at > placed.offset || !placed.offset.is_multiple_of(needs) {
            return None;
        }
        if at.next_multiple_of(needs) != placed.offset {
            slots.push(Slot::Padding(placed.offset - at));
        }
        slots.push(Slot::Field(placed.field));
        at = placed.offset + placed.size;
    }
    if at > total || !total.is_multiple_of(align) {
        return None;
    }
    if at.next_multiple_of(align) != total {
        slots.push(Slot::Padding(total - at));
    }
    Some((slots, align))
}

impl Module<'_> {
    /// The SPIR-V type of a complete record.
    pub fn record(&mut self, id: RecordId) -> Emit<Rc<RecordInfo>> {
        let index = id.0 as usize;
        if let Some(info) = &self.records[index] {
            return Ok(info.clone());
        }
        if self.records_in_progress[index] {
            return self.bug("a struct that contains itself");
        }
        self.records_in_progress[index] = true;
        let built = self.build_record(id);
        self.records_in_progress[index] = false;
        let info = Rc::new(built?);
        self.records[index] = Some(info.clone());
        Ok(info)
    }

    fn build_record(&mut self, id: RecordId) -> Emit<RecordInfo> {
        let program = self.program;
        let record = program.types.record(id);
        let Some(layout) = program.types.record_layout(id) else {
            return self.fail("object-too-large", "the type is incomplete or too large");
        };
        let fields = self.placed_fields(record, &layout)?;
        let (fields, packed) = if record.is_union {
            // The most aligned field stands for all, the largest among equals.
            let best = fields.iter().max_by_key(|p| (p.align, p.size, u32::MAX - p.field));
            (best.copied().into_iter().collect(), record.packed)
        } else {
            (fields, record.packed)
        };
        let natural = if packed { None } else { plan(&fields, layout.layout.size, false) };
        let (slots, align, packed) = match natural {
            Some((slots, align)) => (slots, align, false),
            None => match plan(&fields, layout.layout.size, true) {
                Some((slots, align)) => (slots, align, true),
                None => return self.bug("a struct layout out of order"),
            },
        };
        self.struct_type(record, slots, align, packed)
    }

    /// The fields that take part in the struct: those with a size.
    fn placed_fields(&mut self, record: &Record, layout: &RecordLayout) -> Emit<Vec<Placed>> {
        let mut placed = Vec::new();
        for (i, field) in record.fields.iter().flatten().enumerate() {
            if matches!(self.program.types.get(field.ty.ty), Type::Array(_, None)) {
                continue;
            }
            let size = self.size_of(field.ty.ty)?;
            if size > 0 {
                let align = self.consumer_align(field.ty.ty)?;
                placed.push(Placed { field: i as u32, offset: layout.offsets[i], size, align });
            }
        }
        Ok(placed)
    }

    /// The alignment that a consumer gives a member of type `ty`.
    fn consumer_align(&mut self, ty: TypeId) -> Emit<u64> {
        match *self.program.types.get(ty) {
            Type::Array(element, _) => self.consumer_align(element.ty),
            Type::Record(record) => Ok(self.record(record)?.align),
            _ => Ok(self.align_of(ty)?.into()),
        }
    }

    fn struct_type(
        &mut self,
        record: &Record,
        slots: Vec<Slot>,
        align: u64,
        packed: bool,
    ) -> Emit<RecordInfo> {
        if slots.len() > MAX_OPERANDS {
            return self.fail("object-too-large", "the struct has too many members");
        }
        let fields = record.fields.as_deref().unwrap_or(&[]);
        let mut members = vec![None; fields.len()];
        let mut operands = Vec::with_capacity(slots.len());
        for slot in &slots {
            let ty = match *slot {
                Slot::Field(field) => {
                    if !record.is_union {
                        members[field as usize] = Some(operands.len() as u32);
                    }
                    self.memory_type(fields[field as usize].ty.ty)?
                }
                Slot::Padding(bytes) => {
                    let byte = self.int_type(8);
                    self.array_of(byte, bytes)
                }
            };
            operands.push(ty.0);
        }
        let id = self.b.push_result(Section::Globals, Op::TypeStruct, None, &operands);
        if packed {
            self.b.decorate(id, Decoration::CPacked, &[]);
        }
        self.name_record(id, record, &slots);
        Ok(RecordInfo { id, members, slots, align })
    }

    fn name_record(&mut self, id: Id, record: &Record, slots: &[Slot]) {
        let kind = if record.is_union { "union" } else { "struct" };
        let tag = record.tag.map_or("anon", |tag| self.symbols.text(tag));
        self.name(id, &format!("{kind}.{tag}"));
        if record.is_union {
            return;
        }
        for (member, slot) in slots.iter().enumerate() {
            let Slot::Field(field) = slot else { continue };
            let name = record.fields.as_ref().and_then(|f| f[*field as usize].name);
            if let Some(name) = name {
                self.member_name(id, member as u32, self.symbols.text(name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(list: &[(u64, u64, u64)]) -> Vec<Placed> {
        let place = |(i, (offset, size, align)): (usize, &(u64, u64, u64))| Placed {
            field: i as u32,
            offset: *offset,
            size: *size,
            align: *align,
        };
        list.iter().enumerate().map(place).collect()
    }

    #[test]
    fn natural_layout_needs_no_padding() {
        let (slots, align) =
            plan(&placed(&[(0, 1, 1), (4, 4, 4), (16, 16, 16)]), 32, false).expect("natural");
        assert_eq!(slots, [Slot::Field(0), Slot::Field(1), Slot::Field(2)]);
        assert_eq!(align, 16);
    }

    #[test]
    fn an_aligned_member_gets_padding() {
        let (slots, _) = plan(&placed(&[(0, 1, 1), (16, 4, 4)]), 32, false).expect("padded");
        assert_eq!(slots, [Slot::Field(0), Slot::Padding(15), Slot::Field(1), Slot::Padding(12)]);
    }

    #[test]
    fn a_packed_member_forces_a_packed_struct() {
        let fields = placed(&[(0, 1, 1), (1, 4, 4), (8, 4, 4)]);
        assert!(plan(&fields, 12, false).is_none());
        let (slots, align) = plan(&fields, 12, true).expect("packed");
        assert_eq!(slots, [Slot::Field(0), Slot::Field(1), Slot::Padding(3), Slot::Field(2)]);
        assert_eq!(align, 1);
    }
}

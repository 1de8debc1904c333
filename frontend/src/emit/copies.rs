//! Asynchronous copies (§6.15.11) and questions about generic pointers (§6.15.10).

use super::error::Emit;
use super::function::FunctionEmitter;
use super::types::storage_class;
use crate::builtins::Builtin;
use crate::types::AddressSpace;
use spirv_io::Id;
use spirv_io::spirv::{Op, Scope};

/// What the lines of an extended copy are.
struct Lines {
    to: Id,
    from: Id,
    to_offset: Id,
    from_offset: Id,
    /// Bytes of an element, elements of a line, lines.
    bytes: Id,
    length: Id,
    lines: Id,
    from_line: Id,
    to_line: Id,
    /// The spaces of both.
    spaces: (AddressSpace, AddressSpace),
    /// Planes, and from one to the next in both.
    planes: Option<(Id, Id, Id)>,
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// `async_work_group_copy(to, from, count, event)`, the strided form with a stride before the event.
    pub fn async_copy(&mut self, strided: bool, ids: &[Id], ty: Id, builtin: &Builtin) -> Emit<Id> {
        let (to, from, count, stride, event) = match (strided, ids) {
            (false, &[to, from, count, event]) => (to, from, count, self.m.size_constant(1), event),
            (true, &[to, from, count, stride, event]) => (to, from, count, stride, event),
            _ => return self.wrong_arguments(builtin),
        };
        let scope = self.m.word(Scope::Workgroup as u32);
        Ok(self.op(Op::GroupAsyncCopy, ty, &[scope.0, to.0, from.0, count.0, stride.0, event.0]))
    }

    /// `async_work_group_copy_2D2D` and `_3D3D`: SPIR-V has no instruction for them; a copy of bytes for each line, the
    /// event handed on from each to the next.
    pub fn async_copy_lines(&mut self, ids: &[Id], event_type: Id, builtin: &Builtin) -> Emit<Id> {
        let space = |at: usize| {
            let pointer = builtin.params.get(at).and_then(|p| self.m.program.types.pointee(*p));
            pointer.map_or(AddressSpace::Global, |p| p.space)
        };
        let spaces = (space(0), space(2));
        let (event, what) = match *ids {
            [to, to_offset, from, from_offset, bytes, length, lines, from_line, to_line, event] => (
                event,
                Lines {
                    to,
                    from,
                    to_offset,
                    from_offset,
                    bytes,
                    length,
                    lines,
                    from_line,
                    to_line,
                    planes: None,
                    spaces,
                },
            ),
            [
                to,
                to_offset,
                from,
                from_offset,
                bytes,
                length,
                lines,
                planes,
                from_line,
                from_plane,
                to_line,
                to_plane,
                event,
            ] => {
                let planes = Some((planes, from_plane, to_plane));
                (
                    event,
                    Lines {
                        to,
                        from,
                        to_offset,
                        from_offset,
                        bytes,
                        length,
                        lines,
                        from_line,
                        to_line,
                        planes,
                        spaces,
                    },
                )
            }
            _ => return self.wrong_arguments(builtin),
        };
        let size = self.m.size_type();
        let count = match what.planes {
            Some((planes, _, _)) => self.op(Op::IMul, size, &[what.lines.0, planes.0]),
            None => what.lines,
        };
        let line_bytes = self.op(Op::IMul, size, &[what.bytes.0, what.length.0]);
        let (zero, one) = (self.m.size_constant(0), self.m.size_constant(1));
        let [header, test, inside, next, merge] = std::array::from_fn(|_| self.m.b.id());
        let [after, copied] = std::array::from_fn(|_| self.m.b.id());
        self.ensure_block();
        let Some(before) = self.body.current() else { return self.m.bug("no block is open") };
        self.enter(header);
        let index = self.op(Op::Phi, size, &[zero.0, before.0, after.0, next.0]);
        let so_far = self.op(Op::Phi, event_type, &[event.0, before.0, copied.0, next.0]);
        self.loop_merge(merge, next, None);
        self.enter(test);
        let bools = self.m.bool_type();
        let more = self.op(Op::ULessThan, bools, &[index.0, count.0]);
        self.branch_on(more, inside, merge);
        self.body.open(inside);
        let (to, from) = self.line_pointers(&what, index)?;
        let scope = self.m.word(Scope::Workgroup as u32);
        let operands = [scope.0, to.0, from.0, line_bytes.0, one.0, so_far.0];
        self.body.push(Op::GroupAsyncCopy, &[&[event_type.0, copied.0][..], &operands].concat());
        self.enter(next);
        self.body.push(Op::IAdd, &[size.0, after.0, index.0, one.0]);
        self.branch(header);
        self.body.open(merge);
        Ok(so_far)
    }

    /// Returns where a line begins in both.
    fn line_pointers(&mut self, what: &Lines, index: Id) -> Emit<(Id, Id)> {
        let size = self.m.size_type();
        let (line, plane) = match what.planes {
            Some(_) => (
                self.op(Op::UMod, size, &[index.0, what.lines.0]),
                Some(self.op(Op::UDiv, size, &[index.0, what.lines.0])),
            ),
            None => (index, None),
        };
        let byte = self.m.int_type(8);
        let mut begin = |base: Id, space: AddressSpace, offset: Id, per_line: Id, per_plane: Option<Id>| {
            let mut at = self.op(Op::IMul, size, &[line.0, per_line.0]);
            at = self.op(Op::IAdd, size, &[at.0, offset.0]);
            if let (Some(plane), Some(per_plane)) = (plane, per_plane) {
                let planes = self.op(Op::IMul, size, &[plane.0, per_plane.0]);
                at = self.op(Op::IAdd, size, &[at.0, planes.0]);
            }
            let at = self.op(Op::IMul, size, &[at.0, what.bytes.0]);
            let pointer = self.m.pointer_to(space, byte);
            self.op(Op::PtrAccessChain, pointer, &[base.0, at.0])
        };
        let (to_space, from_space) = what.spaces;
        let to = begin(what.to, to_space, what.to_offset, what.to_line, what.planes.map(|p| p.2));
        let from = begin(what.from, from_space, what.from_offset, what.from_line, what.planes.map(|p| p.1));
        Ok((to, from))
    }

    /// `to_global(p)` and its kin: null where the pointer is not to that space.
    pub fn pointer_to_space(
        &mut self,
        space: AddressSpace,
        ids: &[Id],
        ty: Id,
        builtin: &Builtin,
    ) -> Emit<Id> {
        let [pointer] = ids else { return self.wrong_arguments(builtin) };
        let class = storage_class(space) as u32;
        Ok(self.op(Op::GenericCastToPtrExplicit, ty, &[pointer.0, class]))
    }

    /// `get_fence(p)`: SPIR-V gives memory semantics, whose bits for work-group and global memory follow one another
    /// as those of CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE do.
    pub fn get_fence(&mut self, ids: &[Id], ty: Id, builtin: &Builtin) -> Emit<Id> {
        let [pointer] = ids else { return self.wrong_arguments(builtin) };
        let semantics = self.op(Op::GenericPtrMemSemantics, ty, &[pointer.0]);
        let (eight, both) = (self.m.word(8), self.m.word(3));
        let shifted = self.op(Op::ShiftRightLogical, ty, &[semantics.0, eight.0]);
        Ok(self.op(Op::BitwiseAnd, ty, &[shifted.0, both.0]))
    }
}

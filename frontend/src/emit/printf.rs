//! printf (§6.15.14): OpenCL.std's instruction with the format in constant memory.

use super::error::Emit;
use super::function::FunctionEmitter;
use super::module::{MAX_OPERANDS, Module};
use crate::hir::Expr;
use crate::types::AddressSpace;
use spirv_io::spirv::{Decoration, Op, StorageClass};
use spirv_io::{Id, Section};

const PRINTF: u32 = 184;

impl Module<'_> {
    /// The variable that holds a format, one per text, and the length of its array.
    fn format_variable(&mut self, format: &[u8]) -> Emit<Id> {
        if let Some(id) = self.formats.get(format) {
            return Ok(*id);
        }
        if format.len() + 1 > MAX_OPERANDS {
            return self.fail("initializer-too-large", "the format string is too long");
        }
        let bytes: Vec<u32> =
            format.iter().chain(&[0]).map(|byte| self.int_constant(8, (*byte).into()).0).collect();
        let byte = self.int_type(8);
        let array = self.array_of(byte, bytes.len() as u64);
        let text = self.b.unique(Op::ConstantComposite, Some(array), &bytes);
        let pointer = self.pointer_to(AddressSpace::Constant, array);
        let class = StorageClass::UniformConstant as u32;
        let id = self.b.push_result(Section::Globals, Op::Variable, Some(pointer), &[class, text.0]);
        self.b.decorate(id, Decoration::Constant, &[]);
        self.b.decorate(id, Decoration::Alignment, &[1]);
        self.name(id, &format!(".str.printf.{}", self.formats.len()));
        self.formats.insert(format.to_vec(), id);
        Ok(id)
    }
}

impl<'a> FunctionEmitter<'_, 'a> {
    /// A call of printf.
    pub fn printf(&mut self, format: &[u8], args: &'a [Expr]) -> Emit<Id> {
        let variable = self.m.format_variable(format)?;
        let byte = self.m.int_type(8);
        let pointer = self.m.pointer_to(AddressSpace::Constant, byte);
        let zero = self.m.size_constant(0);
        let text = self.op(Op::InBoundsPtrAccessChain, pointer, &[variable.0, zero.0, zero.0]);
        let mut operands = vec![text.0];
        for arg in args {
            operands.push(self.rvalue(arg)?.0);
        }
        if operands.len() > MAX_OPERANDS {
            return self.m.fail("too-many-parameters", "the call has too many arguments");
        }
        let int = self.m.int_type(32);
        Ok(self.ext(PRINTF, int, &operands))
    }
}

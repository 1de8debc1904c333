//! Contraction: the products that may be fused with a sum of the same expression (C99 6.5p8, OpenCL C §6.3.7).
//!
//! A product that is an operand of `+` or `-` may be fused. Every other product is rounded first, as the value of an expression is: it is
//! decorated with an FPFastMathMode of `None`. The build options that allow less accurate sums (API §5.8.6.3) allow fusing across expressions.
//!
//! ```text
//! r = a * b + c;           →    may be fused
//! t = a * b;  r = t + c;   →    OpDecorate %t FPFastMathMode None
//! ```

use super::function::FunctionEmitter;
use spirv_io::Id;
use spirv_io::spirv::{Decoration, FPFastMathMode};

/// A float product that an operator made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    id: Id,
    /// It is an operand of a sum in its expression.
    in_sum: bool,
    /// It was assigned: from there on it is the value of the object.
    assigned: bool,
}

impl FunctionEmitter<'_, '_> {
    /// Notes a product.
    pub(super) fn product(&mut self, id: Id) {
        self.products.push(Product { id, in_sum: false, assigned: false });
    }

    /// Notes that an operand of a sum may be fused with it, if it is a product.
    pub(super) fn in_sum(&mut self, operand: Id) {
        if let Some(product) = self.find_product(operand)
            && !product.assigned
        {
            product.in_sum = true;
        }
    }

    /// Notes that a value was assigned.
    pub(super) fn assigned(&mut self, value: Id) {
        if let Some(product) = self.find_product(value) {
            product.assigned = true;
        }
    }

    fn find_product(&mut self, id: Id) -> Option<&mut Product> {
        let index = self.products.binary_search_by_key(&id.0, |product| product.id.0).ok()?;
        self.products.get_mut(index)
    }

    /// Decorates the products of the function.
    pub(super) fn decorate_products(&mut self) {
        let math = &self.m.options.math;
        let anywhere = math.mad_enable || math.unsafe_math || math.fast_relaxed_math;
        for product in std::mem::take(&mut self.products) {
            if anywhere || (product.in_sum && !product.assigned) {
                self.fast_math(product.id);
            } else {
                let mode = FPFastMathMode::NONE.bits();
                self.m.b.decorate(product.id, Decoration::FPFastMathMode, &[mode]);
            }
        }
    }
}

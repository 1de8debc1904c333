//! The rules of functions, calls, phis and branches.

use super::rules::Rule;
use super::types::{Class, Kind};
use super::{Check, Checker, Fault, broken, ensure};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv_io::Instruction;
use spirv_io::spirv::{Op, StorageClass};

impl Checker<'_> {
    /// The rules of functions.
    pub(super) fn function_rule(&mut self, rule: Rule, inst: &Instruction<'_>) -> Check {
        match rule {
            Rule::Function => self.function(inst),
            Rule::Parameter => {
                let (ty, count) = self.seen.signature;
                let declared = self.m.operands(ty).get(2 + count).copied();
                ensure(
                    declared.is_some_and(|t| self.same(t, inst.operands[0])),
                    "it is not what the function's type says",
                )?;
                self.seen.signature.1 += 1;
                self.kernel_argument(inst.word(0)?)
            }
            Rule::Call => self.call(inst),
            Rule::Phi => self.phi(inst),
            // Labels are checked elsewhere. Merge blocks are ignored, because no reader uses them.
            Rule::Merge => Ok(()),
            Rule::Branch => {
                if inst.op == Op::BranchConditional {
                    ensure(
                        self.kind_of(inst.word(0)?).lanes_of(Class::Bool) == Some(1),
                        "the condition is no bool",
                    )?;
                    ensure(matches!(inst.operands.len(), 3 | 5), "it has not two weights")?;
                }
                Ok(())
            }
            Rule::Switch => self.switch(inst),
            Rule::Return => {
                let result = self.m.operand(self.seen.signature.0, 1);
                match inst.op {
                    Op::Return => ensure(self.kind(result) == Kind::Void, "the function returns something"),
                    _ => {
                        let value = self.type_of(inst.word(0)?);
                        ensure(self.kind(result) != Kind::Void, "the function returns nothing")?;
                        ensure(self.same(value, result), "the value is not of the function's result type")
                    }
                }
            }
            _ => Err(Fault::Unsupported(format!("Op{:?}", inst.op))),
        }
    }

    fn function(&mut self, inst: &Instruction<'_>) -> Check {
        let (result, id, ty) = (inst.word(0)?, inst.word(1)?, inst.word(3)?);
        ensure(self.kind(ty) == Kind::Function, "its type is no function type")?;
        ensure(self.same(self.m.operand(ty, 1), result), "its result is not what its type says")?;
        self.seen.signature = (ty, 0);
        self.seen.in_kernel = self.seen.entries.contains(&id);
        let body = self.m.bodies.get(self.function as usize) == Some(&true);
        let import = self.seen.imports.contains(&id);
        ensure(body || import, "it has no body and is not imported")?;
        ensure(!(body && import), "it is imported and has a body")
    }

    /// Arguments of kernels point to memory that the host can give, or to their own values.
    fn kernel_argument(&self, ty: u32) -> Check {
        let Kind::Pointer { storage, .. } = self.kind(ty) else { return Ok(()) };
        let given = matches!(
            storage,
            StorageClass::CrossWorkgroup
                | StorageClass::UniformConstant
                | StorageClass::Workgroup
                | StorageClass::Function
        );
        ensure(
            given || !self.seen.in_kernel,
            "a kernel's argument points to memory that the host cannot give",
        )
    }

    /// At a function's first block, or at its end where it has none: all parameters were there.
    pub(super) fn all_parameters(&self) -> Check {
        let (ty, count) = self.seen.signature;
        ensure(self.m.operands(ty).len() == 2 + count, "the function lacks parameters that its type has")
    }

    fn call(&self, inst: &Instruction<'_>) -> Check {
        let (ty, callee, args) = (inst.word(0)?, inst.word(2)?, inst.rest(3));
        ensure(!self.seen.entries.contains(&callee), "a kernel's entry point is called")?;
        ensure(self.same(self.m.operand(callee, 0), ty), "the result is not of the function's result type")?;
        let declared = self.m.operands(self.m.operand(callee, 3)).get(2..).unwrap_or(&[]);
        ensure(declared.len() == args.len(), "the arguments are not as many as the parameters")?;
        let same = declared.iter().zip(args).all(|(t, v)| self.same(*t, self.type_of(*v)));
        ensure(same, "an argument is not of its parameter's type")
    }

    fn phi(&self, inst: &Instruction<'_>) -> Check {
        let (ty, pairs) = (inst.word(0)?, inst.rest(2));
        ensure(!self.seen.past_phis, "it stands behind other instructions")?;
        self.storable(ty, "the result")?;
        let preds: FxHashSet<u32> = self.m.flow.preds(self.block).iter().copied().collect();
        let mut values: FxHashMap<u32, u32> = FxHashMap::default();
        for pair in pairs.chunks_exact(2) {
            let (value, parent) = (pair[0], pair[1]);
            ensure(self.same(self.type_of(value), ty), "a value has another type than the result")?;
            ensure(preds.contains(&parent), &format!("%{parent} is no predecessor"))?;
            // A block with two edges to this one may be named twice.
            let before = *values.entry(parent).or_insert(value);
            ensure(before == value, &format!("%{parent} has two values"))?;
            self.reaches_end(value, parent)?;
        }
        ensure(values.len() == preds.len(), "a predecessor has no value")
    }

    /// A value reaches the end of a block of this function.
    fn reaches_end(&self, value: u32, label: u32) -> Check {
        let (Some(def), Some(block)) = (self.m.def(value), self.m.def(label).map(|l| l.block)) else {
            return broken(format!("%{value} is not defined"));
        };
        if def.function == 0 || def.block == block {
            return Ok(());
        }
        ensure(def.function == self.function, &format!("%{value} is a value of another function"))?;
        let flow = &self.m.flow;
        let reaches = def.block == 0 || !flow.is_reachable(block) || flow.dominates(def.block, block);
        ensure(reaches, &format!("%{value} does not reach the end of %{label}"))
    }

    fn switch(&self, inst: &Instruction<'_>) -> Check {
        let Kind::Numeric { class: Class::Int, bits, lanes: 1 } = self.kind_of(inst.word(0)?) else {
            return broken("the selector is no integer");
        };
        let size = if bits > 32 { 3 } else { 2 };
        let mut seen = FxHashSet::default();
        for case in inst.rest(2).chunks_exact(size) {
            let literal = u64::from(case[0]) | if size == 3 { u64::from(case[1]) << 32 } else { 0 };
            ensure(
                seen.insert(literal & (u64::MAX >> (64 - bits.clamp(1, 64)))),
                "two cases have one value",
            )?;
        }
        Ok(())
    }
}

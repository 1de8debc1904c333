//! Kernels: execution modes, arguments and their metadata.

use super::module::{EntryDecl, FunctionDecl, Tables};
use super::types::Ty;
use super::{invalid, not_yet};
use crate::enqueue;
use crate::error::LowerError;
use crate::ir::{Func, KernelArg, KernelArgKind, KernelData, OpaqueType, Space};
use crate::pipes;
use spirv_io::spirv::{Decoration, ExecutionMode, FunctionParameterAttribute, StorageClass};

/// The largest size of a kernel's value arguments, far beyond any device's. Their offsets have 32 bits.
const MAX_BYTES: u64 = 1 << 24;

/// An entry point's kernel.
pub(super) fn kernel(
    tables: &Tables<'_>,
    entry: &EntryDecl,
    decl: &FunctionDecl<'_>,
    func: Func,
) -> Result<KernelData, LowerError> {
    let mut kernel = KernelData {
        name: entry.name.clone(),
        func,
        args: Vec::new(),
        reqd_work_group_size: None,
        work_group_size_hint: None,
        required_sub_groups: None,
        required_sub_group_size: None,
        wide: false,
        contraction_off: false,
        local_arena: None,
        watches_loops: false,
        resumes: None,
        saved_local: None,
        iterations: None,
        batch: None,
        printf: Default::default(),
        emulated: std::collections::BTreeSet::new(),
        plan: None,
    };
    for (mode, operands) in &entry.modes {
        let size = || operands.first_chunk::<3>().copied().ok_or_else(|| invalid("a LocalSize lacks sizes"));
        match ExecutionMode::from_u32(*mode) {
            Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) => {
                let size = size()?;
                if size.contains(&0) {
                    return Err(invalid("a required work-group size is zero"));
                }
                kernel.reqd_work_group_size = Some(size);
            }
            Some(ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId) => {
                kernel.work_group_size_hint = Some(size()?);
            }
            Some(ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupsPerWorkgroupId) => {
                let count = operands.first().copied().filter(|count| *count > 0);
                kernel.required_sub_groups =
                    Some(count.ok_or_else(|| invalid("a required number of 0 sub-groups"))?);
            }
            // The device's own: others have been refused.
            Some(ExecutionMode::SubgroupSize) => kernel.required_sub_group_size = operands.first().copied(),
            Some(ExecutionMode::ContractionOff) => kernel.contraction_off = true,
            _ => {}
        }
    }
    let types = metadata(tables, "kernel_arg_type", &entry.name);
    let qualifiers = metadata(tables, "kernel_arg_type_qual", &entry.name);
    let more = [pipes::QUALIFIERS, enqueue::QUALIFIERS].map(|key| metadata(tables, key, &entry.name));
    let mut bytes = 0u64;
    for (i, (ty, id)) in decl.params.iter().enumerate() {
        let qualifiers = qualifiers.get(i).copied().unwrap_or("");
        let mut type_qualifiers: Vec<String> = qualifiers.split_whitespace().map(str::to_owned).collect();
        for word in more.iter().filter_map(|list| list.get(i)).flat_map(|text| text.split_whitespace()) {
            if type_qualifiers.iter().all(|known| known != word) {
                type_qualifiers.push(word.to_owned());
            }
        }
        let kind = arg_kind(tables, &entry.name, *ty, *id, &type_qualifiers)?;
        if let KernelArgKind::Value { size, .. } = &kind {
            bytes += u64::from(*size);
        }
        kernel.args.push(KernelArg {
            name: tables.names.get(id).cloned().unwrap_or_default(),
            type_name: types.get(i).copied().unwrap_or("").to_owned(),
            type_qualifiers,
            kind,
        });
    }
    if bytes > MAX_BYTES {
        return Err(not_yet(&entry.name, format!("arguments of {bytes} bytes")));
    }
    Ok(kernel)
}

/// The translator's strings `KEY.KERNEL.first,second,`.
fn metadata<'a>(tables: &'a Tables<'_>, key: &str, kernel: &str) -> Vec<&'a str> {
    let prefix = format!("{key}.{kernel}.");
    let found = tables.string_list.iter().find_map(|s| s.strip_prefix(&prefix));
    found.map(|s| s.strip_suffix(',').unwrap_or(s).split(',').collect()).unwrap_or_default()
}

fn arg_kind(
    tables: &Tables<'_>,
    kernel: &str,
    ty: u32,
    id: u32,
    qualifiers: &[String],
) -> Result<KernelArgKind, LowerError> {
    let data = tables.types.get(ty)?;
    let attribute = |a: FunctionParameterAttribute| {
        let mut all = tables.decorations(id).iter();
        all.any(|d| d.0 == Decoration::FuncParamAttr && d.1.first() == Some(&(a as u32)))
    };
    match &data.ty {
        Ty::Pointer { storage: StorageClass::Function, pointee, .. } => {
            let pointee = tables.types.get(*pointee)?;
            let size = u32::try_from(pointee.size).map_err(|_| invalid("an argument is too large"))?;
            Ok(KernelArgKind::Value { size, align: pointee.align, leaves: None })
        }
        Ty::Pointer { space: space @ (Space::Global | Space::Constant | Space::Local), pointee, .. } => {
            if let Ok(Ty::Opaque(name)) = tables.types.get(*pointee).map(|p| &p.ty) {
                return Err(not_yet(kernel, format!("an argument that points to {name}")));
            }
            let has = |word: &str| qualifiers.iter().any(|q| q == word);
            Ok(KernelArgKind::Pointer {
                space: *space,
                restrict: attribute(FunctionParameterAttribute::NoAlias)
                    || tables.has(id, Decoration::Restrict)
                    || has("restrict"),
                read_only: attribute(FunctionParameterAttribute::NoWrite) || has("const"),
            })
        }
        Ty::Pointer { .. } => Err(invalid("a kernel argument points to private or generic memory")),
        Ty::Sampler => Ok(KernelArgKind::Sampler),
        Ty::Image(opaque) => match tables.types.opaques.get(*opaque) {
            Some(OpaqueType::Image(image)) => Ok(KernelArgKind::Image(*image)),
            None => Err(invalid("an argument of an unknown type")),
        },
        Ty::Opaque(name) => Err(not_yet(kernel, format!("an argument of type {name}"))),
        _ => {
            let leaves = tables.types.leaves(ty)?;
            let size = u32::try_from(data.size).map_err(|_| invalid("an argument is too large"))?;
            let offsets = leaves.iter().map(|l| l.offset as u32).collect();
            Ok(KernelArgKind::Value { size, align: data.align, leaves: Some(offsets) })
        }
    }
}

//! Every overload of every builtin function, in every language version, compiles to SPIR-V that the validator accepts.

use frontend::builtins::catalog::{Overload, overloads};
use frontend::options::{Features, LangVersion, Options};
use spirv_tools::TargetEnv;
use spirv_tools::val::{self, Validator};

/// Overloads in one module: the validator's time grows faster than the module.
const AT_ONCE: usize = 500;

/// One function for each overload, that calls it.
fn calls(overloads: &[Overload]) -> String {
    let mut text = String::new();
    for (number, overload) in overloads.iter().enumerate() {
        let params: Vec<_> = overload.params.iter().enumerate().map(|(i, p)| format!("{p} a{i}")).collect();
        let mut args: Vec<_> = (0..overload.params.len()).map(|i| format!("a{i}")).collect();
        if let (true, Some(last)) = (overload.last_is_constant, args.last_mut()) {
            *last = "4".to_owned();
        }
        let result = match overload.ret.as_str() {
            "void" => String::new(),
            ret => format!("{ret} r = "),
        };
        let (params, args, name) = (params.join(", "), args.join(", "), &overload.name);
        text += &format!("void t{number}({params}) {{ {result}{name}({args}); }}\n");
    }
    text
}

#[test]
fn spirv_val_accepts_every_overload() {
    use LangVersion::*;
    let mut count = 0;
    for std in [Cl1_0, Cl1_1, Cl1_2, Cl2_0, Cl3_0, Cl3_1] {
        let options = Options { std, device_version: 310, features: Features::all(), ..Options::default() };
        let (list, missing) = overloads(&options);
        assert!(missing.is_empty(), "{std:?}: {missing:#?}");
        for part in list.chunks(AT_ONCE) {
            let compiled = frontend::compile("calls.cl", &calls(part), &options);
            let style = frontend::diag::Style::Line;
            let log = frontend::diag::render(&compiled.diagnostics, &compiled.sources, style);
            let words = compiled.spirv.unwrap_or_else(|| panic!("{std:?}: {log}"));
            // Versions up to 1.6: a module says which it needs.
            let verdict = val::create(Some(TargetEnv::Universal_1_6)).validate(&words, None);
            if let Err(error) = verdict {
                panic!("{std:?}: {error}");
            }
        }
        count += list.len();
    }
    println!("{count} overloads of six language versions");
}

//! Running a kernel through `pumice run` and comparing its buffers with a reference computed here.

use pumice_cli::array::{Array, ElementType, Number};
use pumice_cli::compare::{Tolerance, mismatches};
use pumice_cli::files;
use std::path::Path;
use std::process::Command;

/// How an argument is passed.
pub enum Arg {
    /// A buffer.
    Buffer(Array),
    /// Anything else, as a specification of the command line.
    Spec(String),
}

/// One launch of a kernel in `tests/kernels`.
pub struct Program<'a> {
    pub file: &'a str,
    pub kernel: &'a str,
    pub global: &'a [u64],
    pub local: Option<&'a [u64]>,
    /// Arguments by the names of the kernel's parameters.
    pub args: Vec<(&'a str, Arg)>,
    /// What buffers must hold afterwards.
    pub expect: Vec<(&'a str, Array, Tolerance)>,
    /// Further options: build options, `--offset`.
    pub options: &'a [&'a str],
}

impl Program<'_> {
    /// Runs the program under the validation layers in both binding models, and masked to a minimal device (no
    /// 8-, 16- and 64-bit integers, 32-bit addresses), and compares. On another OpenCL (`scripts/elsewhere`) there is one way.
    pub fn check(&self) {
        if pumice_tests::elsewhere().is_some() {
            return self.run("auto", None);
        }
        for binding in bindings() {
            self.run(&binding, None);
        }
        let needs_64_bits = ["T=long", "T=ulong", "T=double"].iter().any(|o| self.options.contains(o));
        if !needs_64_bits {
            self.run("descriptor", Some("profiles/swiftshader.json"));
        }
    }

    fn run(&self, binding: &str, mask: Option<&str>) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let mut command = Command::new(pumice_tests::elsewhere().unwrap_or_else(pumice_tests::pumice));
        command.arg("run").arg(pumice_tests::root().join("kernels").join(self.file));
        command.args(["--kernel", self.kernel, "--binding", binding, "--global", &list(self.global)]);
        if let Some(local) = self.local {
            command.args(["--local", &list(local)]);
        }
        command.args(self.options);
        for (name, arg) in &self.args {
            command.arg("--arg").arg(self.argument(dir.path(), name, arg));
        }
        for (name, _, _) in &self.expect {
            let path = dir.path().join(format!("{name}.out.npy"));
            command.arg("--out").arg(format!("{name}={}", path.display()));
        }
        command.env("PUMICE_VALIDATE", pumice_tests::validate()).env("PUMICE_CACHE_DIR", "");
        if let Some(mask) = mask {
            command.env("PUMICE_TARGET", pumice_tests::root().join(mask));
        }
        let output = command.output().expect("pumice starts");
        let what = format!("{} {} ({binding}, {mask:?})", self.file, self.kernel);
        if pumice_tests::elsewhere().is_some() && output.status.code() == Some(pumice_tests::SKIPPED) {
            let (thread, why) = (std::thread::current(), String::from_utf8_lossy(&output.stderr));
            let why = why.trim().rsplit("skipped: ").next().unwrap_or_default();
            pumice_tests::tell(&format!("elsewhere: {}: skipped: {why}", thread.name().unwrap_or_default()));
            return;
        }
        assert!(
            output.status.success(),
            "{what}: {}\n{}\nrepeat with: {command:?}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        for (name, expected, tolerance) in &self.expect {
            let got = files::read(&dir.path().join(format!("{name}.out.npy")), expected.ty).expect("result");
            assert_eq!(got.len(), expected.len(), "{what}: {name}");
            let (first, count) = mismatches(&got, expected, *tolerance, 5);
            assert_eq!(count, 0, "{what}: {name}: {first:#?}\nrepeat with: {command:?}");
        }
    }

    fn argument(&self, dir: &Path, name: &str, arg: &Arg) -> String {
        match arg {
            Arg::Spec(spec) => format!("{name}={spec}"),
            Arg::Buffer(array) => {
                let path = dir.join(format!("{name}.npy"));
                files::write(&path, array, None).expect("input file");
                format!("{name}={}[]:file={}", array.ty, path.display())
            }
        }
    }
}

/// Both models; `PUMICE_TEST_BINDING` names one for devices without device addresses.
fn bindings() -> Vec<String> {
    match std::env::var("PUMICE_TEST_BINDING") {
        Ok(one) => vec![one],
        Err(_) => vec!["descriptor".to_owned(), "address".to_owned()],
    }
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// A buffer argument.
pub fn buffer(array: &Array) -> Arg {
    Arg::Buffer(array.clone())
}

/// A specification.
pub fn spec(text: impl Into<String>) -> Arg {
    Arg::Spec(text.into())
}

/// An element type by name.
pub fn ty(name: &str) -> ElementType {
    ElementType::parse(name).expect("a type of OpenCL C")
}

/// Random elements: floats in the bounds, integers in them or with all bits.
pub fn random(name: &str, count: usize, seed: u64, bounds: Option<(i32, i32)>) -> Array {
    let bounds = bounds.map(|(l, h)| (Number::Int(l.into()), Number::Int(h.into())));
    Array::random(ty(name), count, seed, bounds)
}

/// Elements of zeros.
pub fn zeros(name: &str, count: usize) -> Array {
    Array::from_fn(ty(name), count, |_| Number::Int(0))
}

macro_rules! conversions {
    ($($to:ident $from:ident $t:ty, $name:literal;)*) => {
        $(
            /// The buffer's components.
            pub fn $to(array: &Array) -> Vec<$t> {
                array.bytes.as_chunks().0.iter().map(|b| <$t>::from_le_bytes(*b)).collect()
            }

            /// A buffer of a type whose scalar this is.
            #[allow(dead_code)]
            pub fn $from(name: &str, values: &[$t]) -> Array {
                let array = Array { ty: ty(name), bytes: values.iter().flat_map(|v| v.to_le_bytes()).collect() };
                assert!(array.bytes.len().is_multiple_of(array.ty.size()), concat!($name, " elements"));
                array
            }
        )*
    };
}

// A macro, because the byte arrays' lengths differ.
conversions! {
    f32s from_f32s f32, "float";
    u32s from_u32s u32, "uint";
    i32s from_i32s i32, "int";
    u8s from_u8s u8, "uchar";
}

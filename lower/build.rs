//! Compiles the math library (`mathlib/*.cl`) with our own front end. The binary is part of this crate
//! (`passes/math/library.rs` reads it).

use frontend::options::{Features, Options};
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=mathlib");
    for name in ["float", "double"] {
        compile(name);
    }
}

fn compile(name: &str) {
    let file = format!("{name}.cl");
    let path = Path::new("mathlib").join(&file);
    let text = std::fs::read_to_string(path).expect("the math library's source is part of the crate");
    let mut options = Options::default();
    options.features |= Features::FP64;
    let compilation = frontend::compile(&file, &text, &options);
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let Some(words) = &compilation.spirv else {
        for diagnostic in compilation.diagnostics.iter() {
            println!("cargo:warning={file}: {}: {}", diagnostic.id, diagnostic.message);
        }
        panic!("the math library does not compile");
    };
    std::fs::write(Path::new(&out).join(format!("{name}.spv")), spirv_io::words_to_bytes(words))
        .expect("OUT_DIR can be written");
}

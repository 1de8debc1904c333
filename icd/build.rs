//! Link arguments of libpumice.so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let family = std::env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    let vendor = std::env::var("CARGO_CFG_TARGET_VENDOR").unwrap_or_default();
    if family == "unix" && vendor != "apple" {
        // The ICD loader exports the same names: our own references must mean our own functions, wherever we are loaded.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    }
}

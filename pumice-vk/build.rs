//! Link arguments of libpumice_vk.so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    if var("CARGO_CFG_TARGET_FAMILY") == "unix" && var("CARGO_CFG_TARGET_VENDOR") != "apple" {
        // The number changes when programs must be linked anew: docs/maintainers/release.md.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpumice_vk.so.0");
    }
}

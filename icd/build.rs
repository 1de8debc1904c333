//! Link arguments of libpumice.so, and its version nodes.
//!
//! Programs that were linked to the stock libOpenCL.so.1 ask for `clBuildProgram@OPENCL_1.0` and so on: for libpumice.so
//! to replace it without a warning from the dynamic linker, its functions need these version nodes. rustc gives the linker a
//! version script of its own for a cdylib, without nodes, and linkers refuse to combine the two. So the compiler driver
//! finds (`-B`) its linker in a directory of ours, where a script of three lines drops rustc's version script, adds
//! ours, and runs the real linker. This is done where the driver and GNU ld are sure to be there: for native builds on
//! Linux with glibc; elsewhere the library has the same functions without version nodes.

use std::path::Path;
use std::{env, fs, io};

#[path = "src/abi/versions.rs"]
mod versions;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/abi/versions.rs");
    let var = |name: &str| env::var(name).unwrap_or_default();
    if var("CARGO_CFG_TARGET_FAMILY") == "unix" && var("CARGO_CFG_TARGET_VENDOR") != "apple" {
        // The ICD loader exports the same names: our own references must mean our own functions, wherever we are loaded.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
        // Our threads, our exit handlers and the driver's threads that call us outlive dlclose: the library stays.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
        // Caches and CL_DRIVER_VERSION tell builds apart by it (`src/ffi.rs`).
        println!("cargo::rustc-cdylib-link-arg=-Wl,--build-id=sha1");
        // Its interface is OpenCL's, whose versions are the nodes below: the name needs no number.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libpumice.so");
    }
    let is_gnu_linux = var("CARGO_CFG_TARGET_OS") == "linux" && var("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_gnu_linux && var("TARGET") == var("HOST") {
        with_version_nodes(Path::new(&var("OUT_DIR")))?;
    }
    Ok(())
}

/// The linker by this name is taken from our directory.
const LINKER: &str = "ld.bfd";

fn with_version_nodes(out: &Path) -> io::Result<()> {
    let dir = out.join("linker");
    fs::create_dir_all(&dir)?;
    let map = dir.join("libpumice.map");
    fs::write(&map, version_script())?;
    let script = dir.join(LINKER);
    fs::write(&script, linker_script(&map.to_string_lossy()))?;
    make_executable(&script)?;
    println!("cargo::rustc-cdylib-link-arg=-fuse-ld=bfd");
    println!("cargo::rustc-cdylib-link-arg=-B{}", dir.display());
    Ok(())
}

/// The version script: each node with its functions, depending on the node before; everything else is local.
fn version_script() -> String {
    let (mut out, mut before) = (String::new(), "");
    for (node, names) in versions::NODES {
        let names: String = names.iter().map(|name| format!("        {name};\n")).collect();
        let rest = if before.is_empty() { "    local:\n        *;\n" } else { "" };
        out += &format!("{node} {{\n    global:\n{names}{rest}}} {before};\n\n");
        before = node;
    }
    out
}

/// Runs the real linker, which is found in PATH, with our version script in place of rustc's. Arguments in a file are left
/// alone: the library then has no version nodes.
fn linker_script(map: &str) -> String {
    format!(
        "#!/bin/sh
case \" $* \" in *\" @\"*) exec {LINKER} \"$@\" ;; esac
for argument do
    shift
    case \"$argument\" in --version-script=*|--no-undefined-version) ;; *) set -- \"$@\" \"$argument\" ;; esac
done
exec {LINKER} \"$@\" '--version-script={map}'
"
    )
}

#[cfg(unix)]
fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

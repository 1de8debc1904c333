//! `examples/`: the commands in the kernels' files make the pictures of `docs/images`, and the C program the same.

use pumice_cli::array::ElementType;
use pumice_cli::files;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository(path: &str) -> PathBuf {
    pumice_tests::root().join("..").join(path)
}

/// Width, height, and each pixel's channels, three or one.
type Picture = (u32, u32, Vec<Vec<u8>>);

/// The commands of a file's first comment: lines that begin with `pumice`, continued behind a backslash.
fn commands(file: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).expect("the example");
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//")).collect();
    let joined = comment.join("\n").replace("\\\n", " ");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    joined.lines().map(str::trim).filter(|line| line.starts_with("pumice ")).map(words).collect()
}

/// Runs the commands in a folder; says how many there are.
fn run_commands(file: &str, dir: &Path) -> usize {
    let list = commands(&repository(file));
    for words in &list {
        let mut command = Command::new(pumice_tests::pumice());
        assert_eq!(words[2], file);
        command.arg(&words[1]).arg(repository(file)).args(&words[3..]).current_dir(dir);
        command.env("PUMICE_VALIDATE", pumice_tests::validate()).env("PUMICE_CACHE_DIR", "");
        let output = command.output().expect("pumice starts");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    list.len()
}

fn png(path: &Path) -> Picture {
    let read = |ty| files::picture(path, ElementType::parse(ty).expect("a type")).expect("a picture");
    let (grey, (width, height)) = read("uchar");
    if grey.len() == (width * height) as usize {
        return (width, height, grey.bytes.chunks(1).map(<[u8]>::to_vec).collect());
    }
    let (pixels, _) = read("uchar4");
    (width, height, pixels.bytes.chunks(4).map(|p| p[..3].to_vec()).collect())
}

/// A binary PPM or PGM, as the C program writes it.
fn pnm(path: &Path) -> Picture {
    let bytes = std::fs::read(path).expect("the picture");
    let header: Vec<&[u8]> = bytes.splitn(4, |b| b.is_ascii_whitespace()).collect();
    let number = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()).expect("a number");
    let (width, height): (u32, u32) = (number(header[1]), number(header[2]));
    let channels = if header[0] == b"P6" { 3 } else { 1 };
    let pixels = header[3].strip_prefix(b"255\n").expect("8 bits");
    assert_eq!(pixels.len(), (width * height) as usize * channels);
    (width, height, pixels.chunks(channels).map(<[u8]>::to_vec).collect())
}

/// How many pixels differ by more than `limit` in some channel.
fn different(a: &Picture, b: &Picture, limit: u8) -> usize {
    assert_eq!((a.0, a.1, a.2.len()), (b.0, b.1, b.2.len()));
    let apart = |(a, b): &(&Vec<u8>, &Vec<u8>)| a.iter().zip(b.iter()).any(|(a, b)| a.abs_diff(*b) > limit);
    a.2.iter().zip(&b.2).filter(apart).count()
}

#[test]
fn pictures_of_formulas() {
    let dir = tempfile::tempdir().expect("temporary directory");
    assert_eq!(run_commands("examples/gallery.cl", dir.path()), 5);
    for name in ["julia", "cells", "marble", "torus", "ripples"] {
        let file = format!("{name}.png");
        // Last bits of devices become large on the edge of a Julia set, and on borders and silhouettes.
        let (ours, kept) = (png(&dir.path().join(&file)), png(&repository("docs/images").join(&file)));
        let apart = different(&ours, &kept, 8);
        let limit = if name == "julia" { 20 } else { 100 };
        assert!(apart * limit <= kept.2.len(), "{file}: {apart} pixels are not as in docs/images");
    }
}

/// A C program of `examples`, linked to the stock loader's libOpenCL.so; `None` is a visible skip.
fn c_program(dir: &Path, name: &str) -> Option<PathBuf> {
    let program = dir.join(name);
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    cc.arg(repository(&format!("examples/{name}.c"))).args(["-lOpenCL", "-lm"]);
    let Ok(output) = cc.output() else {
        pumice_tests::tell("SKIP: no C compiler");
        return None;
    };
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Some(program);
    }
    assert!(text.contains("CL/cl.h") || text.contains("-lOpenCL"), "{text}");
    pumice_tests::tell("SKIP: no OpenCL headers or loader (Debian: apt install ocl-icd-opencl-dev)");
    None
}

/// The command of a C program that runs on libpumice.so by the stock loader, in a folder; `None` is a visible skip.
fn on_pumice(dir: &Path, name: &str) -> Option<Command> {
    let program = c_program(dir, name)?;
    let library = pumice_tests::pumice().with_file_name("libpumice.so");
    if !library.exists() {
        pumice_tests::tell("SKIP: libpumice.so is not built (cargo build -p pumice-icd)");
        return None;
    }
    std::fs::write(dir.join("pumice.icd"), format!("{}\n", library.display())).expect("written");
    let mut command = Command::new(program);
    command.current_dir(dir).env("OCL_ICD_VENDORS", dir).env_remove("LD_LIBRARY_PATH");
    command.env("PUMICE_VALIDATE", pumice_tests::validate()).env("PUMICE_CACHE_DIR", "");
    Some(command)
}

/// A stencil over the device, and over two: lavapipe under two names.
#[test]
fn stencil_over_devices() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let Some(mut command) = on_pumice(dir.path(), "stencil") else { return };
    let mut count = 1;
    let lavapipe = Path::new("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    let copy = dir.path().join("lavapipe.json");
    if std::fs::copy(lavapipe, &copy).is_ok() {
        command.env("VK_DRIVER_FILES", format!("{}:{}", lavapipe.display(), copy.display()));
        command.env_remove("PUMICE_DEVICE");
        count = 2;
    } else {
        pumice_tests::tell("SKIP: no lavapipe, which would be two devices");
    }
    // Halos that do not divide the steps, and parts of unequal sizes.
    let output = command.args(["131", "190", "37", "5"]).output().expect("runs");
    let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !said.1.contains("validation"), "{said:?}");
    let devices = format!("{count} device");
    assert!(said.0.contains("the result is right") && said.0.contains(&devices), "{said:?}");
}

#[test]
fn pictures_by_commands_and_from_c() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let made =
        run_commands("examples/filters.cl", dir.path()) + run_commands("examples/volume.cl", dir.path());
    assert_eq!(made, 7);
    let names = ["scene", "blur", "sobel", "bilateral", "resize", "cloud"];
    for name in names {
        let file = format!("{name}.png");
        // Devices differ in their last bits, and where a disc's edge goes through a pixel.
        let (ours, kept) = (png(&dir.path().join(&file)), png(&repository("docs/images").join(&file)));
        let apart = different(&ours, &kept, 2);
        assert!(apart * 1000 <= kept.2.len(), "{file}: {apart} pixels are not as in docs/images");
    }
    let Some(mut command) = on_pumice(dir.path(), "filters") else { return };
    let output = command.arg(repository("examples")).output().expect("runs");
    let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !said.1.contains("validation"), "{said:?}");
    for name in names {
        let theirs =
            dir.path().join(if name == "sobel" { "sobel.pgm".to_owned() } else { format!("{name}.ppm") });
        let apart = different(&pnm(&theirs), &png(&dir.path().join(format!("{name}.png"))), 0);
        assert_eq!(apart, 0, "{name}");
    }
}

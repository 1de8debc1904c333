//! Tests of pipes: the shipped library, and damaged modules.

use super::*;
use frontend::options::{Features, LangVersion, Options};
use spirv_io::Reader;
use spirv_io::spirv::Op;
use std::path::Path;

fn compiled(name: &str, text: &str, features: Features) -> Vec<u32> {
    let options = Options { std: LangVersion::Cl3_0, features, ..Options::default() };
    let compilation = frontend::compile(name, text, &options);
    let errors: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    compilation.spirv.unwrap_or_else(|| panic!("{name}: {errors:?}"))
}

const KERNELS: &str =
    "kernel void put(write_only pipe int p, global int *a) { write_pipe(p, a + get_global_id(0)); }
    kernel void get(read_only pipe int p, global int *a) {
        reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
        if (is_valid_reserve_id(id)) {
            read_pipe(p, id, get_local_id(0), a + get_global_id(0));
            work_group_commit_read_pipe(p, id);
        }
        a[0] = get_pipe_num_packets(p) + get_pipe_max_packets(p);
    }";

/// The shipped file matches the source.
#[test]
fn current() {
    let path = |name| Path::new(env!("CARGO_MANIFEST_DIR")).join("mathlib").join(name);
    let text = std::fs::read_to_string(path("pipe.cl")).expect("the source");
    let made = spirv_io::words_to_bytes(&compiled("pipe.cl", &text, Features::all()));
    if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(path("pipe.spv"), &made).expect("the file can be written");
        return;
    }
    assert!(
        made == LIBRARY,
        "mathlib/pipe.spv is not what the source gives now: PUMICE_TEST_BLESS=1 cargo test -p pumice-lower --lib pipes"
    );
}

/// Pipes become memory and calls, which the validator and the reader accept.
#[test]
fn replaced() {
    let module = compiled("pipes.cl", KERNELS, Features::all());
    let lowered = lower_pipes(&module).expect("it is lowered");
    let mut ops = Reader::new(&lowered).expect("a module").1.map(|inst| inst.expect("an instruction").op);
    assert!(!ops.any(|op| op == Op::TypePipe || op == Op::TypeReserveId || op == Op::ReadPipe));
    crate::validate(&module).expect("it is valid");
    let read = crate::read::read(&lowered).expect("it is read");
    assert_eq!(read.kernels.len(), 2);
}

/// A module without pipes is left alone.
#[test]
fn left_alone() {
    let module = compiled("none.cl", "kernel void k(global int *a) { a[0] = 1; }", Features::all());
    assert!(matches!(lower_pipes(&module), Ok(Cow::Borrowed(_))));
}

/// Damaged modules give errors, and no panic.
#[test]
fn damaged() {
    let module = compiled("pipes.cl", KERNELS, Features::all());
    for at in (5..module.len()).step_by(23) {
        for word in [0, 1, module[at] ^ 1, module[at] + (1 << 16), u32::MAX] {
            let mut copy = module.clone();
            copy[at] = word;
            if let Ok(lowered) = lower_pipes(&copy) {
                let _ = crate::read::read(&lowered);
            }
        }
        let _ = lower_pipes(&module[..at]);
    }
    for bound in [0, 1, 1 << 31, u32::MAX] {
        let mut copy = module.clone();
        copy[3] = bound;
        let _ = lower_pipes(&copy);
    }
}

#[test]
fn layouts() {
    let layout = |packet_bytes, packets| PipeLayout { packet_bytes, packets };
    assert_eq!(layout(4, 16).bytes(), Some(128 + 64));
    assert_eq!(layout(4, 17).bytes(), Some(256 + 68));
    assert_eq!(layout(1, 0).bytes(), None);
    assert_eq!(layout(1, PipeLayout::MAX_PACKETS + 1).bytes(), None);
    let word = |header: &[u8], n: usize| u32::from_le_bytes(header[4 * n..][..4].try_into().unwrap());
    for packets in [1, 3, 1000, 1 << 20] {
        let header = layout(8, packets).empty();
        assert_eq!((word(&header, 0), word(&header, 3) % packets), (packets, 0));
        assert!(word(&header, 3) / packets >= 2 && word(&header, 3) <= 1 << 31);
    }
}

//! Reads .spv files, prints or checks the IR.
use pumice_lower::{ir, read};
fn main() {
    let quiet = std::env::args().any(|a| a == "-q");
    for path in std::env::args().skip(1).filter(|a| a != "-q") {
        let bytes = std::fs::read(&path).unwrap();
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
        let t = std::time::Instant::now();
        match read::read(&words) {
            Ok(module) => {
                let text = module.to_string();
                if !quiet {
                    print!("{text}");
                }
                let again = ir::text::parse(&text).unwrap_or_else(|e| panic!("{path}: reparse {e}"));
                assert!(again.to_string() == text, "{path}: round trip");
                eprintln!("ok {path} {} words {:?}", words.len(), t.elapsed());
            }
            Err(e) => eprintln!("ERR {path}: {e}"),
        }
    }
}

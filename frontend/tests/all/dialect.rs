//! docs/reference/dialect.md is true: every block of source in it compiles, or is refused with the error that it names.

use pumice_frontend::compile;
use pumice_frontend::diag::Severity;
use pumice_frontend::options::{Features, LangVersion, Options};

#[test]
fn the_document_is_true() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/dialect.md");
    let text = std::fs::read_to_string(path).expect("docs/reference/dialect.md");
    let features = Features::INT64 | Features::FP64 | Features::GENERIC_ADDRESS_SPACE;
    let options = Options { std: LangVersion::Cl3_0, features, ..Options::default() };
    let (mut taken, mut refused) = (0, 0);
    let mut rest = text.as_str();
    while let Some((_, block)) = rest.split_once("```c") {
        let (head, body) = block.split_once('\n').expect("a block");
        let (source, after) = body.split_once("```").expect("the end of a block");
        rest = after;
        let compiled = compile("dialect.md", source, &options);
        let errors: Vec<_> = compiled
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| (d.id, d.message.clone()))
            .collect();
        match head.trim().strip_prefix("refused: ") {
            None => {
                taken += 1;
                assert!(errors.is_empty(), "{source}{errors:?}");
            }
            Some(id) => {
                refused += 1;
                assert!(errors.iter().any(|(e, _)| *e == id), "{source}{id}: {errors:?}");
            }
        }
    }
    assert!(taken >= 8 && refused >= 7, "{taken} blocks taken, {refused} refused");
}

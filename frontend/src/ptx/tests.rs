use super::table;

/// docs/reference/ptx.md holds the table as it is.
#[test]
fn the_documentation_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/ptx.md");
    let text = std::fs::read_to_string(path).expect("docs/reference/ptx.md");
    let (begin, end) = ("<!-- table -->\n", "<!-- end of the table -->");
    let (head, rest) = text.split_once(begin).expect("the table's beginning");
    let (found, tail) = rest.split_once(end).expect("the table's end");
    let wanted = table::markdown();
    if found == wanted {
        return;
    }
    if std::env::var_os("PUMICE_TEST_BLESS").is_some() {
        std::fs::write(path, format!("{head}{begin}{wanted}{end}{tail}"))
            .expect("docs/reference/ptx.md is written");
        return;
    }
    panic!("docs/reference/ptx.md differs from frontend/src/ptx/table.rs: run with PUMICE_TEST_BLESS=1");
}

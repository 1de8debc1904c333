//! Tests of the settings' words and of the entries.

use super::*;

#[test]
fn classes_are_asked_for_by_name() {
    assert_eq!(Checks::parse("0"), (Checks::empty(), Ok(())));
    assert_eq!(Checks::parse("1"), (Checks::STANDARD, Ok(())));
    assert!(!Checks::STANDARD.intersects(Checks::SHIFTS | Checks::SHUFFLES | Checks::RACES));
    assert_eq!(Checks::parse("bounds, shifts"), (Checks::BOUNDS | Checks::SHIFTS, Ok(())));
    assert_eq!(Checks::parse("null,lifetime"), (Checks::NULL | Checks::LIFETIME, Ok(())));
    assert_eq!((Checks::NULL | Checks::LIFETIME).of_kernels(), Checks::NULL);
    let unknown = Checks::parse("bound").1;
    assert!(unknown.is_err_and(|e| e.contains("no class of faults; there are bounds, null")));
    assert_eq!((Checks::BOUNDS | Checks::ALIGNMENT).names(), "bounds,alignment");
}

#[test]
fn sites_of_one_place_are_one_report() {
    let site = |line, object| Site {
        fault: Fault::Bounds,
        access: Access::Read,
        size: 4,
        file: 0,
        line,
        column: 3,
        object,
        limit: None,
        value: None,
    };
    let table = CheckTable {
        sites: vec![site(9, None), site(9, None), site(2, Some(0)), site(1, None)],
        objects: vec![Object { kind: ObjectKind::Null, name: String::new() }],
        files: vec![SourceText { name: "k.cl".to_owned(), lines: vec![(2, "x".to_owned())] }],
        ..CheckTable::default()
    };
    let entry = |count: u32| [count, 0, CLAIMED | 9, 6 + 8 * 3, 0x10, 1, 40, 0];
    let words = [entry(3), entry(4), [1, 6 + 8 * 3, 0, 0, 0, 0, 0, 0], [0; SITE_WORDS]].concat();
    let grid = Grid { offset: [5, 0, 0], global: [8, 4, 1], local: [4, 2, 1] };
    let reports = table.reports(&words, &grid, &[]);
    assert_eq!(reports.iter().map(|r| (r.site.line, r.count)).collect::<Vec<_>>(), [(2, 1), (9, 7)]);
    assert_eq!((reports[0].global_id, reports[0].local_id), ([11, 3, 0], [2, 1, 0]));
    assert_eq!((reports[1].value, reports[1].limit), (0x1_0000_0010, 40));
    assert_eq!((reports[0].described, reports[1].described), (false, true));
    assert_eq!(reports[0].object.map(|o| o.kind), Some(ObjectKind::Null));
    assert_eq!((table.line(reports[0].site), table.line(reports[1].site)), (Some("x"), None));
    // Two words behind the entries keep the text's room that of a buffer without checks.
    assert_eq!(table.words(), ENTRIES_AT - HEADER_WORDS + 4 * SITE_WORDS + 2);
    assert_eq!(CheckTable::default().words(), 0);
}

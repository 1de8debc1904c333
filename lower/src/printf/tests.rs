//! Formatting against what C's printf gives, and damaged buffers.

use super::*;

/// An argument of a test.
#[derive(Clone)]
enum Arg {
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Text(&'static str),
    /// A string in the record, or a null pointer.
    Chars(Option<&'static str>),
    /// Lanes of a size.
    Ints(u8, &'static [i64]),
    Floats(&'static [f32]),
    Halves(&'static [u16]),
}

/// The text of one call.
fn printed(format: &str, args: &[Arg]) -> String {
    let mut table = PrintfTable::default();
    let mut record = vec![0u32];
    let mut behind: Vec<u32> = Vec::new();
    let mut layout = Vec::new();
    for arg in args {
        let (kind, bytes, lanes): (_, u8, Vec<u64>) = match arg {
            Arg::I32(v) => (PrintfArgKind::Int, 4, vec![u64::from(*v as u32)]),
            Arg::I64(v) => (PrintfArgKind::Int, 8, vec![*v as u64]),
            Arg::F32(v) => (PrintfArgKind::Float, 4, vec![u64::from(v.to_bits())]),
            Arg::F64(v) => (PrintfArgKind::Float, 8, vec![v.to_bits()]),
            Arg::Text(text) => {
                table.strings.push(text.as_bytes().to_vec());
                (PrintfArgKind::Text, 4, vec![table.strings.len() as u64])
            }
            Arg::Chars(text) => {
                let bytes = text.unwrap_or_default().as_bytes();
                for part in bytes.chunks(4) {
                    let mut word = [0; 4];
                    word[..part.len()].copy_from_slice(part);
                    behind.push(u32::from_le_bytes(word));
                }
                let length = text.map_or(NO_STRING, |_| bytes.len() as u32);
                (PrintfArgKind::Chars, 4, vec![length.into()])
            }
            Arg::Ints(bytes, lanes) => {
                let mask = u64::MAX >> (64 - 8 * u32::from(*bytes));
                (PrintfArgKind::Int, *bytes, lanes.iter().map(|v| *v as u64 & mask).collect())
            }
            Arg::Floats(lanes) => {
                (PrintfArgKind::Float, 4, lanes.iter().map(|v| u64::from(v.to_bits())).collect())
            }
            Arg::Halves(lanes) => (PrintfArgKind::Float, 2, lanes.iter().map(|v| u64::from(*v)).collect()),
        };
        layout.push(PrintfArg { kind, bytes, lanes: lanes.len() as u8 });
        for lane in lanes {
            record.push(lane as u32);
            if bytes == 8 {
                record.push((lane >> 32) as u32);
            }
        }
    }
    table.formats.push(PrintfFormat { text: format.as_bytes().to_vec(), args: layout });
    record.extend(behind);
    let mut words = vec![(HEADER_WORDS + record.len()) as u32, 1000, 0, 0, 0, 0];
    words.extend(record);
    let text = decode(&bytes_of(&words), &table).text;
    String::from_utf8(text).expect("text")
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn check(cases: &[(&str, Arg, &str)]) {
    for (format, arg, expected) in cases {
        assert_eq!(printed(format, std::slice::from_ref(arg)), *expected, "{format}");
    }
}

#[test]
fn integers() {
    check(&[
        ("[%5d]", Arg::I32(10), "[   10]"),
        ("[%-5d]", Arg::I32(10), "[10   ]"),
        ("[%05d]", Arg::I32(-10), "[-0010]"),
        ("[%+5d]", Arg::I32(10), "[  +10]"),
        ("[% d]", Arg::I32(10), "[ 10]"),
        ("[% +d]", Arg::I32(10), "[+10]"),
        ("[%.5i]", Arg::I32(-100), "[-00100]"),
        ("[%07.5i]", Arg::I32(100), "[  00100]"),
        ("[%-06i]", Arg::I32(100), "[100   ]"),
        ("[%.0d]", Arg::I32(0), "[]"),
        ("[%+.d]", Arg::I32(0), "[+]"),
        ("[%u]", Arg::I32(-1), "[4294967295]"),
        ("[%d]", Arg::I32(i32::MIN), "[-2147483648]"),
        ("[%ld]", Arg::I64(i64::MIN), "[-9223372036854775808]"),
        ("[%lu]", Arg::I64(-1), "[18446744073709551615]"),
        ("[%lld]", Arg::I64(-1), "[-1]"),
        ("[%zu]", Arg::I64(-1), "[18446744073709551615]"),
        ("[%zd]", Arg::I32(-5), "[-5]"),
        ("[%tx]", Arg::I32(-1), "[ffffffff]"),
        ("[%hd]", Arg::I32(-32767), "[-32767]"),
        ("[%hx]", Arg::I32(-32767), "[8001]"),
        ("[%hhd]", Arg::I32(200), "[-56]"),
        ("[%hho]", Arg::I32(-128), "[200]"),
        ("[%#o]", Arg::I32(8), "[010]"),
        ("[%#o]", Arg::I32(0), "[0]"),
        ("[%#.0o]", Arg::I32(0), "[0]"),
        ("[%#.4o]", Arg::I32(8), "[0010]"),
        ("[%#x]", Arg::I32(0xabcdef), "[0xabcdef]"),
        ("[%#X]", Arg::I32(0xabcdef), "[0XABCDEF]"),
        ("[%#x]", Arg::I32(0), "[0]"),
        ("[%#010x]", Arg::I32(255), "[0x000000ff]"),
        ("[%#10.4x]", Arg::I32(255), "[    0x00ff]"),
        ("[%-#10x]", Arg::I32(255), "[0xff      ]"),
        ("[%c]", Arg::I32(0x141), "[A]"),
        ("[%4c]", Arg::I32(65), "[   A]"),
        ("[%-4c]", Arg::I32(65), "[A   ]"),
        ("[%p]", Arg::I64(0x1234_5678_9abc), "[0x123456789abc]"),
        ("[%12p]", Arg::I32(0x1000), "[      0x1000]"),
    ]);
}

#[test]
fn floats() {
    check(&[
        ("%f", Arg::F64(10.3456), "10.345600"),
        ("%.0f", Arg::F64(0.5), "0"),
        ("%.0f", Arg::F64(1.5), "2"),
        ("%.0f", Arg::F64(2.5), "2"),
        ("%.1f", Arg::F64(0.25), "0.2"),
        ("%.2f", Arg::F64(2.675), "2.67"),
        ("%#.0f", Arg::F64(3.0), "3."),
        ("%08.2f", Arg::F64(-3.25), "-0003.25"),
        ("%+8.2f|", Arg::F32(-10.3456), "  -10.35|"),
        ("%-8.2f|", Arg::F32(10.3456), "10.35   |"),
        ("% .1f", Arg::F64(1.0), " 1.0"),
        ("%f", Arg::F64(1e22), "10000000000000000000000.000000"),
        ("%.20f", Arg::F64(0.1), "0.10000000000000000555"),
        ("%.3f", Arg::F64(-0.0), "-0.000"),
        ("%e", Arg::F64(0.0), "0.000000e+00"),
        ("%e", Arg::F64(12345.6789), "1.234568e+04"),
        ("%.0e", Arg::F64(25.0), "2e+01"),
        ("%#.0e", Arg::F64(25.0), "2.e+01"),
        ("%-#20.15e|", Arg::F32(789456128.0), "7.894561280000000e+08|"),
        ("%.3E", Arg::F64(1.5e-300), "1.500E-300"),
        ("%g", Arg::F64(100000.0), "100000"),
        ("%g", Arg::F64(1000000.0), "1e+06"),
        ("%g", Arg::F64(999999.5), "1e+06"),
        ("%g", Arg::F64(0.0001), "0.0001"),
        ("%g", Arg::F64(0.00001234), "1.234e-05"),
        ("%#g", Arg::F64(1.0), "1.00000"),
        ("%#.1g", Arg::F64(1.0), "1."),
        ("%#.1g", Arg::F64(1e10), "1.e+10"),
        ("%.0g", Arg::F64(12345.0), "1e+04"),
        ("%4.2g", Arg::F32(12345.679), "1.2e+04"),
        ("%4G", Arg::F32(0.0000023), "2.3E-06"),
        ("%g", Arg::F64(0.0), "0"),
        ("%a", Arg::F64(1.0), "0x1p+0"),
        ("%a", Arg::F64(0.0), "0x0p+0"),
        ("%a", Arg::F64(-0.1), "-0x1.999999999999ap-4"),
        ("%A", Arg::F64(0.1), "0X1.999999999999AP-4"),
        ("%.6a", Arg::F32(0.5), "0x1.000000p-1"),
        ("%10.2a", Arg::F32(1.5), " 0x1.80p+0"),
        ("%.0a", Arg::F64(1.5), "0x2p+0"),
        ("%#.0a", Arg::F64(1.25), "0x1.p+0"),
        ("%.1a", Arg::F64(1.03125), "0x1.0p+0"),
        ("%.15a", Arg::F64(1.5), "0x1.800000000000000p+0"),
        ("%012.1a", Arg::F64(-2.0), "-0x0001.0p+1"),
        ("%a", Arg::F64(5e-324), "0x0.0000000000001p-1022"),
        ("%a", Arg::F64(f64::MAX), "0x1.fffffffffffffp+1023"),
        ("%f", Arg::F64(f64::INFINITY), "inf"),
        ("%06F", Arg::F64(f64::NEG_INFINITY), "  -INF"),
        ("%+e", Arg::F64(f64::INFINITY), "+inf"),
        ("%a", Arg::F64(f64::NAN), "nan"),
        ("%G", Arg::F32(f32::NAN), "NAN"),
        ("%-6f|", Arg::F32(f32::NAN), "nan   |"),
    ]);
    let long = printed("%.3000f", &[Arg::F64(5e-324)]);
    assert_eq!(long.len(), 3002);
    assert!(long.trim_end_matches('0').ends_with("265533447265625"), "2^-1074 ends so");
}

#[test]
fn vectors() {
    check(&[
        ("%2.2v4hlf", Arg::Floats(&[1.0, 2.0, 3.0, 4.0]), "1.00,2.00,3.00,4.00"),
        ("%#v2hhx", Arg::Ints(1, &[0xfa, 0xfb]), "0xfa,0xfb"),
        ("%v2hhd", Arg::Ints(1, &[-1, 127]), "-1,127"),
        ("%#v2hx", Arg::Ints(2, &[0x1234, 0x8765]), "0x1234,0x8765"),
        ("%v3hu", Arg::Ints(2, &[-1, 0, 1]), "65535,0,1"),
        ("%05v4hlu", Arg::Ints(4, &[512, 1024, 262144, 1048576]), "00512,01024,262144,1048576"),
        ("%+v2hli", Arg::Ints(4, &[1, -2]), "+1,-2"),
        ("%v2ld", Arg::Ints(8, &[12345678, -98765432]), "12345678,-98765432"),
        ("%.2v3hle", Arg::Floats(&[1234.25, 987654.5, 0.0005]), "1.23e+03,9.88e+05,5.00e-04"),
        ("%v2d", Arg::Ints(8, &[-1, 1]), "-1,1"),
        ("%v2hf", Arg::Halves(&[0x3c00, 0x0001]), "1.000000,0.000000"),
        ("%v4hg", Arg::Halves(&[0x7bff, 0xfc00, 0x8000, 0x3555]), "65504,-inf,-0,0.333252"),
    ]);
}

#[test]
fn strings_and_odd_formats() {
    check(&[
        ("[%s]", Arg::Text("foo"), "[foo]"),
        ("[%5s]", Arg::Text("foo"), "[  foo]"),
        ("[%-5s]", Arg::Text("foo"), "[foo  ]"),
        ("[%.1s]", Arg::Text("foo"), "[f]"),
        ("%%s%s%%", Arg::Text("%d"), "%s%d%"),
        ("%s", Arg::I32(0), "(null)"),
        // A text that is no conversion is printed unchanged.
        ("%y %d", Arg::I32(7), "%y 7"),
        ("%v5d %d", Arg::I32(7), "%v5d 7"),
        ("100%", Arg::I32(7), "100%"),
        ("%d %d", Arg::I32(7), "7 %d"),
        ("%*d", Arg::I32(7), "%*d"),
    ]);
    assert_eq!(
        printed("[%*d|%-*.*f]", &[Arg::I32(-4), Arg::I32(7), Arg::I32(6), Arg::I32(2), Arg::F64(1.0)]),
        "[7   |1.00  ]"
    );
    assert_eq!(printed("%d %s %g\n", &[Arg::I32(1), Arg::Text("two"), Arg::F32(3.5)]), "1 two 3.5\n");
    let copied = [
        Arg::Chars(Some("seven77")),
        Arg::I32(5),
        Arg::Chars(None),
        Arg::Chars(Some("")),
        Arg::Chars(Some("four")),
    ];
    assert_eq!(printed("%s %d %s [%s] %.2s", &copied), "seven77 5 (null) [] fo");
    assert_eq!(printed("", &[]), "");
    assert_eq!(printed("%99999999999999999999d", &[Arg::I32(1)]).len(), 65535);
    assert_eq!(text_arguments(b"%d%%%5.2s %*s%lc"), [false, true, false, true, false]);
}

/// A string longer than the buffer ends the text.
#[test]
fn strings_beyond_the_end() {
    let arg = PrintfArg { kind: PrintfArgKind::Chars, bytes: 4, lanes: 1 };
    let formats = vec![PrintfFormat { text: b"%s".to_vec(), args: vec![arg] }];
    let table = PrintfTable { formats, strings: vec![], ..PrintfTable::default() };
    for length in [5, 100, NO_STRING - 1] {
        assert_eq!(decode(&bytes_of(&[9, 1000, 0, 0, 0, 0, 0, length, 0x4141_4141]), &table).text, b"");
    }
    assert_eq!(decode(&bytes_of(&[9, 1000, 0, 0, 0, 0, 0, 3, 0x4141_4141]), &table).text, b"AAA");
}

/// Records end at the cursor; what no kernel writes ends the text; nothing panics.
#[test]
fn buffers() {
    let int = PrintfArg { kind: PrintfArgKind::Int, bytes: 4, lanes: 1 };
    let format = |text: &str, args: Vec<PrintfArg>| PrintfFormat { text: text.as_bytes().to_vec(), args };
    let table = PrintfTable {
        formats: vec![format("a%d ", vec![int]), format("b ", vec![])],
        strings: Vec::new(),
        ..PrintfTable::default()
    };
    let text = |words: &[u32]| {
        let printed = decode(&bytes_of(words), &table);
        (String::from_utf8(printed.text).expect("text"), printed.lost)
    };
    assert_eq!(text(&[]), (String::new(), 0));
    assert_eq!(text(&[6, 9, 0, 0, 0, 0, 0, 5]), (String::new(), 0));
    assert_eq!(text(&[11, 9, 3, 0, 0, 0, 0, 5, 1, 0, 6, 0, 7]), ("a5 b a6 ".to_owned(), 3));
    // A cursor past the end, an unknown format, a record cut off.
    assert_eq!(text(&[99, 9, 0, 0, 0, 0, 1, 0]), ("b ".to_owned(), 0));
    assert_eq!(text(&[9, 9, 0, 0, 0, 0, 1, 2, 1]), ("b ".to_owned(), 0));
    assert_eq!(text(&[7, 9, 0, 0, 0, 0, 0, 1]), (String::new(), 0));
    assert_eq!(decode(&[1, 2, 3], &table), Printed::default());

    // The longest record has two words: one may start in the last but one.
    assert_eq!(table.header(40), [6, 9, 0, 0, 0, 0]);
    assert_eq!(table.header(4)[1], 0);
    let header = table.header_bytes(40);
    assert_eq!(used_bytes(&header, 40), 24);
    assert_eq!(used_bytes(&[255; 16], 40), 40);
    assert_eq!(used_bytes(&[], 40), 24);
}

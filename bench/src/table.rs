//! Plain text tables: the first column left, the others right.

/// Prints rows under a header, every column as wide as its widest cell.
pub fn print(header: &[&str], rows: &[Vec<String>]) {
    let mut widths: Vec<usize> = header.iter().map(|h| h.len()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }
    line(header.iter().copied(), &widths);
    for row in rows {
        line(row.iter().map(String::as_str), &widths);
    }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>, widths: &[usize]) {
    let mut text = String::new();
    for (n, (cell, width)) in cells.zip(widths).enumerate() {
        match n {
            0 => text += &format!("{cell:<width$}"),
            _ => text += &format!("  {cell:>width$}"),
        }
    }
    println!("{}", text.trim_end());
}

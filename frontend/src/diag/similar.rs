//! How near two names are, for "did you mean".

/// The number of insertions, deletions, replacements and swaps of neighbours between two names; `None`
/// where they are equal or too far apart to be a slip (more than a third of the length).
pub(crate) fn edit_distance(a: &str, b: &str) -> Option<usize> {
    let limit = (a.len().max(b.len()) / 3).min(3);
    if limit == 0 || a.len().abs_diff(b.len()) > limit || a == b || a.len() > 64 {
        return None;
    }
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|d| *d <= limit)
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn slips_are_near_and_other_words_far() {
        assert_eq!(edit_distance("flaot4", "float4"), Some(1));
        assert_eq!(edit_distance("get_gobal_id", "get_global_id"), Some(1));
        assert_eq!(edit_distance("x", "y"), None);
        assert_eq!(edit_distance("sum", "num"), Some(1));
        assert_eq!(edit_distance("same", "same"), None);
        assert_eq!(edit_distance("alpha", "gamma"), None);
    }
}

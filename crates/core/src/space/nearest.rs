//! The known word nearest to an unknown one, for "did you mean".

/// The candidate at the smallest edit distance, if it is close enough to be a typing error: about a third of the
/// letters. Two swapped neighbours count as one edit.
///
/// ```
/// use elbowroom::space::nearest;
/// assert_eq!(nearest("trails", ["trials", "time"]), Some("trials"));
/// assert_eq!(nearest("colour", ["trials", "time"]), None);
/// ```
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = ((word.chars().count() + 1) / 3).max(1);
    candidates
        .into_iter()
        // A word that is much longer or shorter is not close, so its table is not computed.
        .filter(|candidate| candidate.chars().count().abs_diff(word.chars().count()) <= limit)
        .map(|candidate| (edit_distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, delete or replace, or of neighbours to swap (optimal string alignment), keeping the
/// last rows of the table.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut least = replaced.min(row[j] + 1).min(last[j + 1] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_textbook_one() {
        // kitten → sitten → sittin → sitting, Levenshtein's standard example.
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        // Without the swap of neighbours these would be 2; ca → abc is the textbook case of 3 for this distance.
        assert_eq!((edit_distance("sede", "seed"), edit_distance("ca", "abc")), (1, 3));
    }

    #[test]
    fn a_slip_is_recognized_and_another_word_is_not() {
        assert_eq!(nearest("momentun", ["lr", "momentum"]), Some("momentum"));
        assert_eq!(nearest("widht", ["width"]), Some("width"));
        assert_eq!(nearest("depth", ["lr", "momentum"]), None);
    }
}

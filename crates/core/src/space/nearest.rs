//! The known word nearest to an unknown one, for "did you mean".

/// The candidate at the smallest edit distance, if it is near enough to be a slip: about a third of the letters.
/// Two letters swapped count as two.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = ((word.chars().count() + 1) / 3).max(1);
    candidates
        .into_iter()
        // A word much longer or shorter is not near, and is not worth the table.
        .filter(|candidate| candidate.chars().count().abs_diff(word.chars().count()) <= limit)
        .map(|candidate| (edit_distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, delete or replace (Levenshtein), one row of the table at a time.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let replaced = diagonal + usize::from(letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_textbook_one() {
        // kitten → sitten → sittin → sitting, Levenshtein's standard example.
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn a_slip_is_recognized_and_another_word_is_not() {
        assert_eq!(nearest("momentun", ["lr", "momentum"]), Some("momentum"));
        assert_eq!(nearest("widht", ["width"]), Some("width"));
        assert_eq!(nearest("depth", ["lr", "momentum"]), None);
    }
}

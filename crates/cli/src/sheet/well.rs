//! Wells of a plate.

/// The name of a well, counted row by row (A1, A2 …) on a plate with this many wells.
pub fn well(plate: usize, index: usize) -> Option<String> {
    let columns = match plate {
        6 => 3,
        12 => 4,
        24 => 6,
        48 => 8,
        96 => 12,
        384 => 24,
        1536 => 48,
        _ => return None,
    };
    let (row, column) = (index / columns, index % columns);
    let letter = |i: usize| char::from(b'A' + (i % 26) as u8);
    // A 1536-well plate has 32 rows: after Z comes AA.
    let name = if row < 26 { letter(row).to_string() } else { format!("A{}", letter(row - 26)) };
    (index < plate).then(|| format!("{name}{}", column + 1))
}

/// The usual form of a well: `b07` is B7. `None` for anything else, such as a place on a shelf.
fn plain(written: &str) -> Option<String> {
    let letters: String = written.chars().take_while(char::is_ascii_alphabetic).collect();
    let column: u32 = written[letters.len()..].parse().ok()?;
    (!letters.is_empty()).then(|| format!("{}{column}", letters.to_ascii_uppercase()))
}

/// Whether two texts name the same well.
pub fn is_same_well(a: &str, b: &str) -> bool {
    a == b || plain(a).is_some_and(|a| Some(a) == plain(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wells_are_named_row_by_row_and_known_however_they_are_written() {
        assert_eq!(well(96, 95), Some("H12".to_owned()));
        assert_eq!(well(1536, 1535), Some("AF48".to_owned()));
        assert_eq!((well(96, 96), well(7, 0)), (None, None));
        assert!(is_same_well("B7", "b07") && is_same_well("shelf 3", "shelf 3"));
        assert!(!is_same_well("B7", "B8") && !is_same_well("shelf 3", "shelf 4") && !is_same_well("", "A1"));
    }
}

// SPDX-License-Identifier: MIT

//! Names that are similar to a wrong one, for messages.

/// The most names that are suggested.
const MOST: usize = 3;

/// The longest wrong name that is compared, in bytes: no name is nearly as long.
const LONGEST: usize = 64;

/// The `names` that are similar to `given`, the most similar first: they contain it, or at most two letters of five differ.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if given.len() > LONGEST {
        return Vec::new();
    }
    let given = given.to_ascii_lowercase();
    let near = |name: &'a str| {
        let lower = name.to_ascii_lowercase();
        let longer = lower.len().max(given.len());
        let different = distance(given.as_bytes(), lower.as_bytes());
        let is_part = given.len() > 2 && lower.contains(&given);
        // A part is as near as the least similar name.
        let score = (1000 * different).checked_div(longer).unwrap_or(1000);
        (is_part || score <= 400).then_some((score.min(400), name))
    };
    let mut near: Vec<(usize, &str)> = names.into_iter().filter_map(near).collect();
    near.sort_by_key(|(score, _)| *score);
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// `; similar names: a, b`, or nothing if no name is similar to `given`.
pub fn similar<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(given, names)[..] {
        [] => String::new(),
        ref near => format!("; similar names: {}", near.join(", ")),
    }
}

/// The number of letters to insert, remove, replace or swap with the next one, to make `b` of `a`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut two_before = vec![0; b.len() + 1];
    let mut before: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 0..a.len() {
        row[0] = i + 1;
        for j in 0..b.len() {
            let replaced = before[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replaced.min(before[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && (a[i], a[i - 1]) == (b[j - 1], b[j]) {
                row[j + 1] = row[j + 1].min(two_before[j - 1] + 1);
            }
        }
        std::mem::swap(&mut two_before, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    before[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first() {
        let names = ["shaderFloat64", "shaderFloat16", "shaderInt64", "dce"];
        let near = |given: &str| nearest(given, names);
        assert_eq!(near("shaderFlaot16"), ["shaderFloat16", "shaderFloat64"]);
        assert_eq!(near("FLOAT64"), ["shaderFloat64"]);
        assert_eq!(near("dec"), ["dce"]);
        assert!(near("mesh").is_empty() && near("").is_empty() && near(&"x".repeat(1 << 20)).is_empty());
        assert_eq!(similar("dec", names), "; similar names: dce");
        assert_eq!(similar("mesh", names), "");
    }

    #[test]
    fn letters_are_inserted_removed_replaced_and_swapped() {
        for (a, b, expected) in
            [("", "abc", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abcd", "xbd", 2), ("ca", "abc", 3)]
        {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
            assert_eq!(distance(b.as_bytes(), a.as_bytes()), expected, "{b} {a}");
        }
    }
}

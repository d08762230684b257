//! Names of files for values, such as the values of a tag.

use std::collections::HashSet;

/// The file names of values. Different values have names that differ even if case is ignored.
#[derive(Default)]
pub struct FileNames(HashSet<String>);

impl FileNames {
    /// Returns a new name for a value. Every character except letters, digits and `._-` becomes `_`; a number is added
    /// if another value has this name.
    pub fn name(&mut self, value: &str) -> String {
        let plain = |letter: char| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '_' };
        let mut stem: String = value.chars().take(80).map(plain).collect();
        if stem.is_empty() || stem.starts_with('.') {
            stem.insert(0, '_');
        }
        let (mut name, mut times) = (stem.clone(), 1);
        while !self.0.insert(name.to_lowercase()) {
            times += 1;
            name = format!("{stem}_{times}");
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_values_have_different_names() {
        let mut names = FileNames::default();
        let long = "x".repeat(90);
        let values = ["Cup 1", "Cup/1", "cup?1", "Cup_1_2", "", ".x", "é", &long, &long];
        let found: Vec<String> = values.iter().map(|value| names.name(value)).collect();
        assert_eq!(found[..7], ["Cup_1", "Cup_1_2", "cup_1_3", "Cup_1_2_2", "_", "_.x", "é"]);
        assert_eq!(found[7..], ["x".repeat(80), format!("{}_2", "x".repeat(80))]);
    }
}

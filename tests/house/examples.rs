//! Each public struct, enum and trait of the library has an example: code that runs as a test and names the type, or an
//! item that the type's documentation names in a sentence such as "[`Item`] has an example".

use std::collections::{BTreeMap, BTreeSet};

/// Types without an example, with the reason. Remove a type here when it has one.
const WITHOUT: &[(&str, &str)] = &[("UnknownPart", "only an archive of a newer version contains one")];

/// Returns the documented items of a file: names and documentation. Other lines with a name do no harm.
fn items(text: &str) -> Vec<(&str, String)> {
    let (mut items, mut doc) = (Vec::new(), String::new());
    for line in text.lines().map(str::trim_start) {
        if let Some(line) = line.strip_prefix("///") {
            doc = doc + "\n" + line;
        } else if !line.starts_with("#[") {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = words.find(|word| !["pub", "const", "struct", "enum", "trait", "fn"].contains(word));
            let doc = std::mem::take(&mut doc);
            items.extend(name.filter(|_| !doc.is_empty()).map(|name| (name, doc)));
        }
    }
    items
}

/// Returns whether the documentation has code that runs as a test.
fn is_code(doc: &str) -> bool {
    doc.lines().filter(|line| line.starts_with(" ```")).step_by(2).any(|opening| opening == " ```")
}

/// Returns the words in the code of documentation that runs as a test.
fn words_of_code(doc: &str) -> impl Iterator<Item = &str> {
    let parts = doc.split("\n ```").collect::<Vec<_>>();
    let code = parts.into_iter().skip(1).step_by(2).filter_map(|part| part.strip_prefix('\n'));
    code.flat_map(|code| code.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
}

/// Returns the names of public types without an example.
fn without_example(api: &str, files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let items: Vec<(&str, String)> = files.values().flat_map(|text| items(text)).collect();
    let shown: BTreeSet<&str> = items.iter().filter(|(_, doc)| is_code(doc)).map(|(name, _)| *name).collect();
    let named: BTreeSet<&str> = items.iter().flat_map(|(_, doc)| words_of_code(doc)).collect();
    let names_example = |doc: &str| {
        let doc = doc.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut sentences = doc.split(". ");
        let sentence = sentences.find(|text| text.contains(" has an example") || text.contains(" have examples"));
        let mut links = sentence.into_iter().flat_map(|text| text.split("[`").skip(1)).peekable();
        links.peek().is_some()
            && links.all(|link| {
                let name = link.split('`').next().and_then(|path| path.rsplit("::").next());
                name.is_some_and(|name| shown.contains(name.trim_end_matches("()")))
            })
    };
    let mut types: BTreeMap<&str, usize> = BTreeMap::new();
    for line in api.lines() {
        if let Some((_, path)) = line.split_once(' ').filter(|(kind, _)| ["struct", "enum", "trait"].contains(kind)) {
            *types.entry(path.rsplit("::").next().unwrap_or(path)).or_default() += 1;
        }
    }
    assert!(!types.is_empty(), "the list of public types");
    let has = |doc: &str| is_code(doc) || names_example(doc);
    let with = |name: &str| items.iter().filter(|(known, doc)| *known == name && has(doc)).count();
    // A type that is public in two modules has one definition.
    let defined = |name: &str| items.iter().filter(|(known, _)| *known == name).count().max(1);
    let lack =
        types.into_iter().filter(|(name, count)| !named.contains(name) && with(name) < (*count).min(defined(name)));
    lack.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_public_type_has_an_example() {
    let (root, mut api, mut files) = (super::root(), String::new(), BTreeMap::new());
    super::collect(&root.join("src"), "", &mut files);
    for package in super::LAYERED {
        super::collect(&root.join("crates").join(package).join("src"), &format!("{package}/"), &mut files);
    }
    for list in std::fs::read_dir(root.join("docs/api")).unwrap() {
        api += &std::fs::read_to_string(list.unwrap().path()).unwrap();
    }
    let expected: BTreeSet<String> = WITHOUT.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(without_example(&api, &files), expected, "left: types without an example; right: WITHOUT");
}

/// Proves that the test can fail.
#[test]
fn types_without_an_example_are_found() {
    let api = "struct x::Code\nstruct x::Named\nenum x::Bare\nstruct x::a::Two\nstruct x::b::Two\nfield x::Code::y\n\
        struct x::Shown";
    let text = "/// C.\n///\n/// ```text\n/// Bare\n/// ```\n/// ```\n/// let x: Shown = y;\n/// ```\n#[derive(Debug)]\npub struct Code;\n\
        /// See [`Bare`]. [`Code`] has an example.\npub struct Named;\n/// [`Named`] has an example.\npub enum Bare {}\n\
        /// ```\n/// ```\npub struct Two<T>(T);\n/// ```text\n/// ```\npub struct Two;\n";
    let files = BTreeMap::from([("x.rs".to_owned(), text.to_owned())]);
    assert_eq!(without_example(api, &files), BTreeSet::from(["Bare".to_owned(), "Two".to_owned()]));
}

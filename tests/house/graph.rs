//! Finds the files that each file needs: every name is followed, through re-exports, to the file that defines it.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// For each file, the files that it needs, and the names.
pub type Needs = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// A module by its path; the first segment is `lib` or `cli`, the two crates.
type Module = Vec<String>;

struct Tree {
    modules: BTreeMap<Module, (String, Source)>,
}

/// The target of a path.
enum Target {
    Module(Module),
    /// An item, and the file that defines it.
    Item(String, String),
}

/// Returns the module of a file below `src`: `archive/read/mod.rs` is `lib::archive::read`.
fn module_of(file: &str) -> Module {
    let mut path: Module = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main")) {
        path.pop();
    }
    if path.first().is_none_or(|room| room != "cli") {
        path.insert(0, "lib".to_owned());
    }
    path
}

/// Returns the needs of each file of a crate; files are given by their names below `src` with their texts.
pub fn needs(files: &BTreeMap<String, String>) -> Needs {
    let modules = files.iter().map(|(file, text)| (module_of(file), (file.clone(), Source::of(text)))).collect();
    let tree = Tree { modules };
    tree.modules.iter().map(|(module, (file, source))| (file.clone(), tree.needs_of(module, file, source))).collect()
}

impl Tree {
    fn needs_of(&self, module: &Module, file: &str, source: &Source) -> BTreeMap<String, BTreeSet<String>> {
        let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let words: BTreeSet<&String> = source.words.iter().chain(source.paths.iter().map(|path| &path[0])).collect();
        let mut need = |target: Option<Target>| {
            if let Some(Target::Item(definer, name)) = target
                && definer != file
            {
                needs.entry(definer).or_default().insert(name);
            }
        };
        for import in &source.imports {
            match import.name.as_str() {
                // A glob imports the names that are used.
                "*" if import.is_public => {}
                "*" => {
                    if let Some(Target::Module(from)) = self.resolve(module, &import.path, 0) {
                        for word in &words {
                            need(self.within(&from, word, 0));
                        }
                    }
                }
                // A re-export is not a need.
                name if import.is_public && !words.iter().any(|word| *word == name) => {}
                _ => need(self.resolve(module, &import.path, 0)),
            }
        }
        for path in &source.paths {
            need(self.resolve(module, path, 0));
        }
        needs
    }

    /// Follows a path from inside a module.
    fn resolve(&self, module: &Module, path: &[String], depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Target::Module(vec![module[0].clone()]),
            "self" => Target::Module(module.clone()),
            "super" => {
                let mut parent = module.clone();
                parent.pop();
                while let Some(("super", more)) = rest.split_first().map(|(first, more)| (first.as_str(), more)) {
                    parent.pop();
                    rest = more;
                }
                Target::Module(parent)
            }
            "scoresheet" => Target::Module(vec!["lib".to_owned()]),
            name => self.within(module, name, depth)?,
        };
        for (index, name) in rest.iter().enumerate() {
            let Target::Module(module) = &at else { return Some(at) };
            let is_last = index + 1 == rest.len();
            at = self.member(module, name, is_last, depth)?;
        }
        Some(at)
    }

    fn within(&self, module: &Module, name: &str, depth: usize) -> Option<Target> {
        self.member(module, name, false, depth)
    }

    /// Finds a module, an item or an import of this name in a module; `item_first` decides between two meanings.
    fn member(&self, module: &Module, name: &str, item_first: bool, depth: usize) -> Option<Target> {
        let (file, source) = self.modules.get(module)?;
        if depth > 8 {
            return None;
        }
        let child: Module = module.iter().cloned().chain([name.to_owned()]).collect();
        let child = self.modules.contains_key(&child).then_some(Target::Module(child));
        if child.is_some() && !item_first {
            return child;
        }
        if source.items.iter().any(|item| item == name) {
            return Some(Target::Item(file.clone(), name.to_owned()));
        }
        let named = source.imports.iter().filter(|import| import.name == name);
        let named = named.filter_map(|import| self.resolve(module, &import.path, depth + 1)).next();
        let globs = || {
            let globs = source.imports.iter().filter(|import| import.name == "*");
            globs
                .filter_map(|import| match self.resolve(module, &import.path, depth + 1)? {
                    Target::Module(from) if from != *module => self.member(&from, name, item_first, depth + 1),
                    _ => None,
                })
                .next()
        };
        named.or_else(globs).or(child)
    }
}

/// Returns the sets of files that form a cycle, each sorted.
pub fn circles(needs: &Needs) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = needs
        .keys()
        .map(|file| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![file]);
            while let Some(next) = open.pop() {
                open.extend(needs[next].keys().filter(|file| seen.insert(*file)));
            }
            (file, seen)
        })
        .collect();
    let mut circles: Vec<Vec<String>> = Vec::new();
    for (file, seen) in reached.iter().filter(|(file, seen)| seen.contains(*file)) {
        if !circles.iter().any(|circle| circle.contains(file)) {
            let back = seen.iter().filter(|known| reached[**known].contains(*file));
            circles.push(back.map(|file| (*file).clone()).collect());
        }
    }
    circles
}

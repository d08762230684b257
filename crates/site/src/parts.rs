//! Splits files into parts and names each part by its content hash. Caches can therefore keep a part forever, and all
//! files stay within the size limits of hosts.

use crate::options::Done;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file that lists all parts. It is written last.
pub const MANIFEST: &str = "site.json";
/// The folder of the parts.
pub const DATA: &str = "data";

/// A writer of parts in a folder.
pub struct Parts {
    folder: PathBuf,
    most: u64,
    names: HashSet<String>,
}

/// The number of hexadecimal digits in a hash.
pub const DIGITS: usize = 20;

/// Returns the first digits of the SHA-256 of the bytes, as text.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

impl Parts {
    /// Creates a writer for parts of at most `most` bytes in a subfolder of `folder`.
    pub fn new(folder: &Path, most: u64) -> io::Result<Parts> {
        fs::create_dir_all(folder.join(DATA))?;
        Ok(Parts { folder: folder.to_path_buf(), most: most.max(4096), names: HashSet::new() })
    }

    /// Splits the first `length` bytes of a file into parts. Returns the file's manifest entry.
    pub fn file(&mut self, path: &Path, length: u64, done: &Done) -> io::Result<Value> {
        self.cut(File::open(path)?, length, done)
    }

    /// Splits bytes into parts.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<Value> {
        self.cut(bytes, bytes.len() as u64, &|_| {})
    }

    fn cut(&mut self, mut from: impl Read, length: u64, done: &Done) -> io::Result<Value> {
        let (mut left, mut names) = (length, Vec::new());
        while left > 0 {
            let size = left.min(self.most);
            let mut part = vec![0; size as usize];
            from.read_exact(&mut part)?;
            names.push(self.put(&part)?);
            left -= size;
            done(size);
        }
        Ok(json!({"length": length, "parts": names}))
    }

    fn put(&mut self, part: &[u8]) -> io::Result<String> {
        // Hosts neither compress nor display files with this extension.
        let name = format!("{}.bin", hash(part));
        let path = self.folder.join(DATA).join(&name);
        if fs::metadata(&path).map_or(true, |meta| meta.len() != part.len() as u64) {
            let partial = path.with_extension("partial");
            fs::write(&partial, part)?;
            fs::rename(partial, path)?;
        }
        self.names.insert(name.clone());
        Ok(name)
    }

    /// Writes the manifest, and removes all parts that are not in it.
    pub fn finish(self, manifest: &Value) -> io::Result<()> {
        fs::write(self.folder.join(MANIFEST), format!("{manifest:#}\n"))?;
        for entry in fs::read_dir(self.folder.join(DATA))? {
            let entry = entry?;
            if !self.names.contains(&*entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

//! Files cut into parts that are named by what is in them: so a part can be kept for ever by whoever has it, and files
//! stay within what hosts allow.

use crate::options::Done;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file that names all others. It is written last.
pub const MANIFEST: &str = "site.json";
/// The folder of the parts.
pub const DATA: &str = "data";

/// Parts on their way into a folder.
pub struct Parts {
    folder: PathBuf,
    most: u64,
    names: HashSet<String>,
}

/// Returns the beginning of the SHA-256 of some bytes, as text.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(10).map(|byte| format!("{byte:02x}")).collect()
}

impl Parts {
    /// Returns parts of at most so many bytes, to be written below a folder.
    pub fn new(folder: &Path, most: u64) -> io::Result<Parts> {
        fs::create_dir_all(folder.join(DATA))?;
        Ok(Parts { folder: folder.to_path_buf(), most: most.max(4096), names: HashSet::new() })
    }

    /// Cuts the first `length` bytes of a file. Returns how the manifest names it.
    pub fn file(&mut self, path: &Path, length: u64, done: &Done) -> io::Result<Value> {
        self.cut(File::open(path)?, length, done)
    }

    /// Cuts bytes.
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
        // No extension that a host would compress, or show.
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

    /// Writes the manifest, and removes the parts that it does not name.
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

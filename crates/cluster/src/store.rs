//! Locations of files on disks or in an object store. Opens archives at these locations.
//!
//! This module reads an archive in an object store by ranges of bytes, in blocks of a cache of bounded size. It reads
//! the archive's index when it opens the archive. It copies tag columns and signatures to a folder when a scan needs
//! them, and maps the copies. It does not request position indexes, and never writes to a store. Credentials and the
//! endpoint are read from the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT, ..), so no plan contains them.

use crate::copies::{Copies, Copy};
use futures::StreamExt;
use futures::future::try_join_all;
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig};
use scoresheet::archive::{FileKind, ReadExactAt};
use scoresheet::{Archive, ArchiveFile};
use scoresheet_sql::{Games, Needs};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;
use url::Url;

/// The location of a file or a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Location {
    /// On a disk.
    Path(PathBuf),
    /// In an object store: `s3://bucket/key`.
    Address(Url),
}

impl Location {
    /// Returns the location that a text names.
    ///
    /// Errors: the address does not begin with `s3://`.
    pub fn parse(text: &str) -> Result<Location, String> {
        match text.split_once("://") {
            Some(("s3", _)) => {
                Url::parse(text).map(Location::Address).map_err(|error| format!("{text}: not an address: {error}"))
            }
            Some((scheme, _)) if scheme.chars().all(|letter| letter.is_ascii_alphanumeric()) && scheme.len() > 1 => {
                Err(format!("{text}: unsupported address; use a path or s3://BUCKET/PREFIX"))
            }
            _ => Ok(Location::Path(text.into())),
        }
    }

    /// Returns the location of a name relative to this folder; an absolute name is unchanged.
    ///
    /// Errors: the kind of address is unknown.
    pub fn join(&self, name: &str) -> Result<Location, String> {
        match (Location::parse(name)?, self) {
            (Location::Path(path), Location::Address(folder)) if path.is_relative() => {
                let mut joined = folder.clone();
                joined.set_path(&format!("{}/{name}", folder.path().trim_end_matches('/')));
                Ok(Location::Address(joined))
            }
            (Location::Path(path), Location::Path(folder)) => Ok(Location::Path(folder.join(path))),
            (location, _) => Ok(location),
        }
    }

    /// Returns the folder that contains this location.
    pub fn folder(&self) -> Location {
        match self {
            Location::Path(path) => match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                Some(folder) => Location::Path(folder.to_path_buf()),
                None => Location::Path(".".into()),
            },
            Location::Address(url) => {
                let mut folder = url.clone();
                folder.set_path(url.path().rsplit_once('/').map_or("", |(folder, _)| folder));
                Location::Address(folder)
            }
        }
    }

    /// Returns the name of this location relative to a folder, if the location is inside the folder.
    pub fn beneath(&self, folder: &Location) -> Option<String> {
        match (self, folder) {
            (Location::Path(path), Location::Path(folder)) => {
                // Links are not resolved, because their targets need not exist on other machines.
                let (path, folder) = (std::path::absolute(path).ok()?, std::path::absolute(folder).ok()?);
                let names: Vec<&str> =
                    path.strip_prefix(folder).ok()?.iter().map(|name| name.to_str()).collect::<Option<_>>()?;
                Some(names.join("/"))
            }
            (Location::Address(url), Location::Address(folder)) => {
                let folder = format!("{}/", folder.as_str().trim_end_matches('/'));
                url.as_str().strip_prefix(&folder).map(str::to_owned)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Path(path) => path.display().fmt(f),
            Location::Address(url) => f.write_str(url.as_str()),
        }
    }
}

/// The size of a block in bytes: the unit of reads from a store.
const BLOCK: u64 = 1 << 20;

/// Object stores, with a cache of blocks, and a runtime that waits for them.
pub struct Stores {
    /// The runtime; `Some` until this value is dropped.
    runtime: Option<Runtime>,
    handle: tokio::runtime::Handle,
    open: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
    blocks: Arc<Blocks>,
    copies: Arc<Copies>,
}

impl Stores {
    /// Creates stores that cache at most `memory` bytes of blocks, and use these copies of side files.
    ///
    /// Errors: the runtime cannot be created.
    pub fn new(memory: u64, copies: Copies) -> io::Result<Stores> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("object-store")
            .enable_all()
            .build()?;
        let blocks = Blocks { most: (memory / BLOCK).max(8) as usize, kept: Mutex::default() };
        let handle = runtime.handle().clone();
        Ok(Stores {
            runtime: Some(runtime),
            handle,
            open: Mutex::default(),
            blocks: Arc::new(blocks),
            copies: copies.into(),
        })
    }

    /// Waits for a response from a store. Any thread may call this function, including a thread of another runtime.
    fn wait<T: Send + 'static>(&self, what: impl Future<Output = T> + Send + 'static) -> Result<T, String> {
        wait(&self.handle, what)
    }

    /// Returns the store of an address, and the key in it.
    fn store(&self, url: &Url) -> Result<(Arc<dyn ObjectStore>, Key), String> {
        let named = |error: &dyn fmt::Display| format!("{url}: {error}");
        let bucket = url.host_str().ok_or_else(|| named(&"no bucket"))?.to_owned();
        let key = Key::from_url_path(url.path()).map_err(|error| named(&error))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = open.get(&bucket) {
            return Ok((Arc::clone(store), key));
        }
        let retry = RetryConfig { max_retries: 5, retry_timeout: Duration::from_secs(60), ..RetryConfig::default() };
        let store = AmazonS3Builder::from_env().with_bucket_name(&bucket).with_retry(retry).build();
        let store: Arc<dyn ObjectStore> = Arc::new(store.map_err(|error| named(&error))?);
        open.insert(bucket, Arc::clone(&store));
        Ok((store, key))
    }

    /// Reads a complete file.
    ///
    /// Errors: the file is missing, or cannot be read.
    pub fn read(&self, location: &Location) -> Result<Vec<u8>, String> {
        match location {
            Location::Path(path) => std::fs::read(path).map_err(|error| format!("cannot read {location}: {error}")),
            Location::Address(url) => {
                let (store, key) = self.store(url)?;
                let get = async move { store.get(&key).await?.bytes().await };
                let bytes = self.wait(get)?.map_err(|error| format!("cannot read {location}: {error}"))?;
                Ok(bytes.to_vec())
            }
        }
    }

    /// Returns the archives at a location: the archive itself, or the archives in a folder or prefix, by name.
    ///
    /// Errors: the folder cannot be read, or contains no archives.
    pub fn archives(&self, location: &Location) -> Result<Vec<Location>, String> {
        let is_archive = |name: &str| name.ends_with(".bga");
        let mut found = match location {
            Location::Path(path) if path.is_dir() => {
                let entries = path.read_dir().map_err(|error| format!("cannot read {location}: {error}"))?;
                let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
                paths.filter(|path| is_archive(&path.to_string_lossy())).map(Location::Path).collect::<Vec<Location>>()
            }
            Location::Address(url) if !is_archive(url.path()) => {
                use futures::TryStreamExt;
                let (store, key) = self.store(url)?;
                let list = async move { store.list(Some(&key)).try_collect::<Vec<ObjectMeta>>().await };
                let all = self.wait(list)?.map_err(|error| format!("cannot read {location}: {error}"))?;
                let keys = all.iter().map(|object| object.location.to_string()).filter(|key| is_archive(key));
                let of_key = |key: String| {
                    let mut address = url.clone();
                    address.set_path(&key);
                    Location::Address(address)
                };
                keys.map(of_key).collect()
            }
            _ => return Ok(vec![location.clone()]),
        };
        found.sort_by_key(ToString::to_string);
        if found.is_empty() { Err(format!("{location}: no archives (*.bga)")) } else { Ok(found) }
    }

    /// Opens an archive. In a store, this reads the archive's index but no other side files.
    ///
    /// Errors: the errors of [`Archive::open`], an incomplete archive, and errors of the store.
    pub fn open(&self, location: &Location) -> Result<Source, String> {
        let source = self.open_any(location)?;
        let why = source.archive.incomplete();
        why.map_or(Ok(source), |why| Err(format!("{location}: {why}")))
    }

    fn open_any(&self, location: &Location) -> Result<Source, String> {
        let failed = |error: &dyn fmt::Display| format!("cannot open {location}: {error}");
        let url = match location {
            Location::Path(path) => {
                let archive = Archive::open(path).map_err(|error| error.to_string())?;
                return Ok(Source { archive: Arc::new(archive), beside: None });
            }
            Location::Address(url) => url,
        };
        let (store, key) = self.store(url)?;
        let head = {
            let (store, key) = (Arc::clone(&store), key.clone());
            self.wait(async move { store.head(&key).await })?.map_err(|error| failed(&error))?
        };
        let name = format!("{:016x}", name_of(url, head.e_tag.as_deref()));
        let path = self.copies.folder_of(&name).join(key.filename().unwrap_or("games.bga"));
        let beside = Beside {
            store: Arc::clone(&store),
            key: key.clone(),
            path: path.clone(),
            runtime: self.handle.clone(),
            copies: Arc::clone(&self.copies),
            name,
        };
        let index = {
            let (store, from) = (Arc::clone(&store), beside.key_of(FileKind::Index));
            let get = async move {
                match store.get(&from).await {
                    Ok(found) => found.bytes().await.map(Some),
                    Err(object_store::Error::NotFound { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            };
            self.wait(get)?.map_err(|error| failed(&error))?
        };
        let reader = Object {
            address: url.to_string(),
            number: self.blocks.number(),
            blocks: Arc::clone(&self.blocks),
            runtime: self.handle.clone(),
            length: head.size,
            e_tag: head.e_tag,
            store,
            key,
        };
        let archive =
            Archive::open(ArchiveFile::from_reader(reader, head.size).index(index.map(Vec::from)).beside(&path));
        Ok(Source { archive: Arc::new(archive.map_err(|error| failed(&error))?), beside: Some(beside) })
    }
}

/// An open archive; in a store, also the location of its side files.
#[derive(Debug)]
pub struct Source {
    /// The archive.
    pub archive: Arc<Archive>,
    beside: Option<Beside>,
}

/// The side files of an archive in a store, and their copies.
struct Beside {
    store: Arc<dyn ObjectStore>,
    key: Key,
    /// The path of the archive among the copies.
    path: PathBuf,
    runtime: tokio::runtime::Handle,
    copies: Arc<Copies>,
    name: String,
}

impl Source {
    /// Returns the archive as games whose numbers follow the `before` games of the preceding archives. Also returns the
    /// requested side files if they exist, and the copies that are mapped. The library checks whether the side files
    /// belong to the archive.
    ///
    /// Errors: the errors of the store or the disk.
    pub fn games(&self, before: u64, needs: Needs) -> Result<(Games, Option<Arc<Copy>>), String> {
        let games = || Games::after(before, Arc::clone(&self.archive));
        let Some(beside) = self.beside.as_ref().filter(|_| needs != Needs::default()) else {
            return Ok((games(), None));
        };
        loop {
            let copy = beside.copies.of(&beside.name).map_err(|error| error.to_string())?;
            let Some(mut files) = copy.hold() else { continue };
            for (needed, kind) in [(needs.tag_columns, FileKind::TagColumns), (needs.signatures, FileKind::Signatures)]
            {
                if needed && !files.has(kind) {
                    files.add(kind, beside.copy(kind)?);
                }
            }
            let games = games();
            // A mapped file remains readable after its copy is removed.
            for member in games.sources().members() {
                needs.tag_columns.then(|| member.columns());
                needs.signatures.then(|| member.side_files());
            }
            drop(files);
            beside.copies.touch(&copy);
            return Ok((games, Some(copy)));
        }
    }

    /// Marks copies as used.
    pub fn touch(&self, copy: &Arc<Copy>) {
        self.beside.iter().for_each(|beside| beside.copies.touch(copy));
    }
}

impl Beside {
    /// Returns the key of a side file.
    fn key_of(&self, kind: FileKind) -> Key {
        let name = kind.beside(&self.path);
        let name = name.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder: Vec<String> = self.key.parts().map(|part| part.as_ref().to_owned()).collect();
        let folder = folder.into_iter().take(self.key.parts().count().saturating_sub(1));
        Key::from_iter(folder.chain(name))
    }

    /// Copies a side file, one part at a time. Returns the size of the file, or 0 if the file is missing.
    fn copy(&self, kind: FileKind) -> Result<u64, String> {
        let (store, from, to) = (Arc::clone(&self.store), self.key_of(kind), kind.beside(&self.path));
        let copy = async move {
            let failed = |error: &dyn fmt::Display| format!("cannot copy {from}: {error}");
            let mut parts = match store.get(&from).await {
                Ok(found) => found.into_stream(),
                Err(object_store::Error::NotFound { .. }) => return Ok(0),
                Err(error) => return Err(failed(&error)),
            };
            let folder = to.parent().unwrap_or(Path::new("."));
            let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
            let mut bytes = 0;
            while let Some(part) = parts.next().await {
                let part = part.map_err(|error| failed(&error))?;
                bytes += part.len() as u64;
                io::Write::write_all(&mut file, &part).map_err(|error| failed(&error))?;
            }
            file.persist(&to).map_err(|error| failed(&error))?;
            Ok(bytes)
        };
        wait(&self.runtime, copy)?
    }
}

impl fmt::Debug for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Beside").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Drop for Stores {
    fn drop(&mut self) {
        // A task of another runtime may drop this value, and that task must not block.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stores").finish_non_exhaustive()
    }
}

/// Waits for a future on another runtime.
fn wait<T: Send + 'static>(
    runtime: &tokio::runtime::Handle,
    what: impl Future<Output = T> + Send + 'static,
) -> Result<T, String> {
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    runtime.spawn(async move {
        // The receiver may no longer exist; ignore this error.
        let _ = send.send(what.await);
    });
    receive.recv().map_err(|_| "the store's threads have ended".to_owned())
}

/// Returns a number that identifies a version of an object.
fn name_of(url: &Url, e_tag: Option<&str>) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (url.as_str(), e_tag).hash(&mut hasher);
    hasher.finish()
}

/// The key of a block: its object and its index.
type BlockKey = (u64, u64);
type Block = Arc<OnceCell<object_store::Result<Arc<[u8]>>>>;

/// A cache of the most recently used blocks.
struct Blocks {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    blocks: HashMap<BlockKey, (Block, u64)>,
    /// The number of requests so far, which is used as a clock.
    now: u64,
    objects: u64,
}

impl Blocks {
    /// Returns a new number, for the next object.
    fn number(&self) -> u64 {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.objects += 1;
        kept.objects
    }

    /// Returns the slot of a block, even if the block has not been read yet.
    fn get(&self, key: BlockKey) -> Block {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.now += 1;
        let now = kept.now;
        if let Some((block, used)) = kept.blocks.get_mut(&key) {
            *used = now;
            return Arc::clone(block);
        }
        if kept.blocks.len() >= self.most {
            let oldest = kept.blocks.iter().min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key);
            oldest.map(|key| kept.blocks.remove(&key));
        }
        let block = Block::default();
        kept.blocks.insert(key, (Arc::clone(&block), now));
        block
    }

    fn forget(&self, key: BlockKey) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).blocks.remove(&key);
    }
}

/// An object in a store, which is read by ranges.
struct Object {
    address: String,
    number: u64,
    blocks: Arc<Blocks>,
    runtime: tokio::runtime::Handle,
    store: Arc<dyn ObjectStore>,
    key: Key,
    length: u64,
    e_tag: Option<String>,
}

impl ReadExactAt for Object {
    fn read_exact_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let past = offset.checked_add(bytes.len() as u64).filter(|past| *past <= self.length);
        let Some(past) = past else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        if bytes.is_empty() {
            return Ok(());
        }
        let numbers = offset / BLOCK..=(past - 1) / BLOCK;
        let gets = numbers.clone().map(|number| {
            let (cell, store, key) =
                (self.blocks.get((self.number, number)), Arc::clone(&self.store), self.key.clone());
            let range = number * BLOCK..((number + 1) * BLOCK).min(self.length);
            let e_tag = self.e_tag.clone();
            async move {
                let read = cell.get_or_init(|| async move {
                    // If the object has been replaced, the read fails, so reads never mix two versions.
                    let range = Some(GetRange::Bounded(range));
                    let options = GetOptions { range, if_match: e_tag, ..GetOptions::default() };
                    let bytes = store.get_opts(&key, options).await?.bytes().await?;
                    Ok(Arc::from(bytes.as_ref()))
                });
                match read.await {
                    Ok(block) => Ok((number, Arc::clone(block))),
                    Err(error) => Err((number, error.to_string())),
                }
            }
        });
        let read = wait(&self.runtime, try_join_all(gets.collect::<Vec<_>>())).map_err(io::Error::other)?;
        let blocks = read.map_err(|(number, error): (u64, String)| {
            self.blocks.forget((self.number, number));
            io::Error::other(format!("{}: {error}", self.address))
        })?;
        for (number, block) in blocks {
            let start = number * BLOCK;
            let (from, to) = (offset.max(start), past.min(start + BLOCK));
            let part = block.get((from - start) as usize..(to - start) as usize);
            let target = bytes.get_mut((from - offset) as usize..(to - offset) as usize);
            let (Some(part), Some(target)) = (part, target) else {
                self.blocks.forget((self.number, number));
                return Err(io::ErrorKind::UnexpectedEof.into());
            };
            target.copy_from_slice(part);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_stay_within_their_bound() {
        let blocks = Blocks { most: 8, kept: Mutex::default() };
        for round in 0..100 {
            // The first block is requested repeatedly, and stays.
            let first = blocks.get((1, 0));
            assert_eq!(first.initialized(), round > 0);
            first.set(Ok(Arc::default())).unwrap_or_default();
            blocks.get((1, 1 + round));
            assert!(blocks.kept.lock().unwrap().blocks.len() <= 8);
        }
    }

    #[test]
    fn places_are_joined() {
        let joined = |folder: &str, name: &str| Location::parse(folder).unwrap().join(name).unwrap().to_string();
        assert_eq!(joined("s3://bucket/games", "2013/a.bga"), "s3://bucket/games/2013/a.bga");
        assert_eq!(joined("s3://bucket", "a.bga"), "s3://bucket/a.bga");
        assert_eq!(joined("s3://bucket/games", "s3://other/a.bga"), "s3://other/a.bga");
        assert_eq!(Path::new(&joined("games", "a.bga")), Path::new("games").join("a.bga"));
        assert_eq!(Location::parse("s3://bucket/x/games.json").unwrap().folder().to_string(), "s3://bucket/x");
        let (folder, archive) =
            (Location::parse("s3://bucket/x").unwrap(), Location::parse("s3://bucket/x/y/a.bga").unwrap());
        assert_eq!(archive.beneath(&folder).as_deref(), Some("y/a.bga"));
        assert!(Location::parse("ftp://x/y").is_err());
    }
}

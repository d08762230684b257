//! Creates and extends side files. New segments are written after the existing ones and become valid with the next
//! head.

use scoresheet::archive::temporary::Temporary;
use scoresheet::archive::{Archive, FileKind, Permissions, sync_folder};
use scoresheet::error::{Error, Result};
use scoresheet::format::side::{Head, Made, PAGE, Part, Segment};
use scoresheet::format::{ArchiveId, crc_from};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

/// A writer for a side file.
pub(crate) struct SideWriter {
    kind: FileKind,
    path: PathBuf,
    file: File,
    /// The temporary name of the file, or `None` if an existing file is extended.
    temporary: Option<Temporary>,
    head: Head,
}

impl SideWriter {
    /// Creates a side file, which receives its final name through `commit`.
    pub fn create(archive: &Archive, kind: FileKind) -> Result<SideWriter> {
        let path = kind.of_archive(archive.path());
        let (file, temporary) = Temporary::create(&path, archive.path(), Permissions::from_inputs([archive.path()]))
            .map_err(Error::io("cannot write", &path))?;
        Ok(SideWriter { kind, path, file, temporary: Some(temporary), head: Head::new(archive.id()) })
    }

    /// Opens a side file of an archive to extend it. Returns `None` if the file belongs to another archive or version,
    /// is damaged, or is being extended by another program.
    pub fn open(archive: &Archive, kind: FileKind) -> Option<SideWriter> {
        let path = kind.of_archive(archive.path());
        let file = OpenOptions::new().read(true).write(true).open(&path).ok()?;
        // On file systems without locks, the lock of the archive must suffice.
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return None;
        }
        let length = file.metadata().ok()?.len();
        let map = scoresheet::archive::map::Map::new(&file, length).ok()?;
        let head = Head::decode(&map, kind.magic()).filter(|head| head.id == archive.id())?;
        Some(SideWriter { kind, path, file, temporary: None, head })
    }

    /// Returns the segments that are valid so far.
    pub fn segments(&mut self) -> &mut Vec<Segment> {
        &mut self.head.segments
    }

    /// Returns the number of bytes in unused segments and the number of bytes in used segments.
    pub fn dead_and_live(&self) -> (u64, u64) {
        let live = self.head.segments.iter().map(|segment| segment.end() - segment.offset).sum();
        (self.head.end.saturating_sub(scoresheet::format::side::BEGIN).saturating_sub(live), live)
    }

    /// Writes a segment of these games, which was made from this commit. The function `write` writes the data after the
    /// runs of games.
    pub fn add(
        &mut self,
        part: Part,
        games: &[Range<u64>],
        made: Made,
        write: impl FnOnce(&mut SegmentWriter<'_>) -> Result<()>,
    ) -> Result<()> {
        let offset = self.head.end;
        let failed = || Error::io("cannot write", &self.path);
        (&self.file).seek(SeekFrom::Start(offset)).map_err(failed())?;
        let out = BufWriter::with_capacity(1 << 18, &self.file);
        let mut writer =
            SegmentWriter { out, id: self.head.id, offset, crc: 0, written: 0, crcs: Vec::new(), path: &self.path };
        for run in games {
            let run = [run.start, run.end.saturating_sub(run.start)].map(u64::to_le_bytes);
            writer.put(run.as_flattened())?;
        }
        write(&mut writer)?;
        let length = writer.finish().map_err(failed())?;
        let count = games.iter().map(|run| run.end.saturating_sub(run.start)).sum();
        let segment = Segment { part, runs: games.len() as u32, offset, length, games: count, made };
        self.head.end = segment.end().next_multiple_of(8);
        self.head.segments.push(segment);
        Ok(())
    }

    /// Makes the segments valid. Returns the length of the file in bytes.
    pub fn commit(mut self) -> Result<u64> {
        self.write_head().map_err(Error::io("cannot write", &self.path))?;
        Ok(self.head.end)
    }

    fn write_head(&mut self) -> io::Result<()> {
        let mut file = &self.file;
        if file.metadata()?.len() < self.head.end {
            file.set_len(self.head.end)?;
        }
        self.head.sequence += 1;
        if let Some(temporary) = self.temporary.take() {
            // Both head pages are written, so neither appears torn.
            let before = Head { sequence: self.head.sequence - 1, ..self.head.clone() };
            for head in [&before, &self.head] {
                file.seek(SeekFrom::Start(head.offset()))?;
                file.write_all(&head.encode(self.kind.magic()))?;
            }
            file.sync_data()?;
            temporary.persist(&self.path, true)?;
            sync_folder(&self.path);
            return Ok(());
        }
        // A cache does not need to survive a power failure, because its checksums detect the damage. However, the order
        // of writes is important to other programs, so the head is written last.
        file.seek(SeekFrom::Start(self.head.offset()))?;
        file.write_all(&self.head.encode(self.kind.magic()))
    }
}

/// A writer for a segment, which computes a CRC for each page.
pub(crate) struct SegmentWriter<'a> {
    out: BufWriter<&'a File>,
    id: ArchiveId,
    offset: u64,
    crc: u32,
    written: u64,
    crcs: Vec<u8>,
    path: &'a std::path::Path,
}

impl SegmentWriter<'_> {
    /// Appends bytes.
    pub fn put(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(Error::io("cannot write", self.path))?;
        while !bytes.is_empty() {
            let within = (self.written % PAGE as u64) as usize;
            if within == 0 {
                self.crc = self.id.seed(self.offset + self.written);
            }
            let (now, rest) = bytes.split_at(bytes.len().min(PAGE - within));
            self.crc = crc_from(self.crc, now);
            self.written += now.len() as u64;
            if within + now.len() == PAGE {
                self.crcs.extend_from_slice(&self.crc.to_le_bytes());
            }
            bytes = rest;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<u64> {
        if !self.written.is_multiple_of(PAGE as u64) {
            self.crcs.extend_from_slice(&self.crc.to_le_bytes());
        }
        self.out.write_all(&self.crcs)?;
        self.out.flush()?;
        Ok(self.written)
    }
}

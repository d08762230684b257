//! Recognizes the format of a file, and opens it.

use crate::format::TrainingFormat;
use crate::read::{self, Step};
use scoresheet::error::Error;
use scoresheet::pgn::Compression;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

/// The number of bytes that are inspected to recognize a format.
const LOOK: u64 = 1 << 16;

impl TrainingFormat {
    /// Returns the format of a file, or `None` if the file does not contain training data or cannot be read.
    ///
    /// Binpack and texts are recognized by their content. The other formats have no header: the name must have one of
    /// their endings (`.viriformat`, `.vf`, `.bin`, `.marlin`, `.bullet`, `.data`, ..), and the first bytes must be
    /// valid, unless the ending names the format. The content decides between the formats that an ending allows. `.zst`
    /// at the end of the name is ignored.
    pub fn of_file(path: &Path) -> Option<TrainingFormat> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".zst").unwrap_or(&name);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        if matches!(ending, "pgn" | "pcn" | "json" | "bga") || !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        open(path).ok()?.take(LOOK).read_to_end(&mut head).ok()?;
        let is_whole = (head.len() as u64) < LOOK;
        if head.starts_with(b"BINP") {
            return Some(TrainingFormat::Binpack);
        }
        use TrainingFormat::*;
        let candidates: &[TrainingFormat] = match ending {
            "viriformat" | "viri" | "vf" => &[Viriformat],
            "marlinformat" | "marlin" => &[Marlin, Viriformat],
            "bulletformat" | "bullet" => &[Bullet, BulletText],
            "bin" => &[Bin, Viriformat, Marlin, Bullet],
            "data" | "dat" => &[Bullet, Marlin, Viriformat, Bin],
            "plain" | "txt" | "epd" | "fen" | "bullettext" => &[Plain, BulletText],
            _ => &[],
        };
        // A format in which all games are valid comes before one with a fault.
        let find = |is_strict| candidates.iter().copied().find(|format| format.fits(&head, is_whole, is_strict));
        // Some endings name a format even if the first bytes are damaged.
        let named = || match ending.strip_suffix("format").unwrap_or(ending) {
            _ if head.trim_ascii_start().is_empty() || head.trim_ascii_start().starts_with(b"[") => None,
            "bin" => None,
            "vf" | "viri" => Some(Viriformat),
            name => TrainingFormat::from_name(name),
        };
        find(true).or_else(|| find(false)).or_else(named)
    }

    /// Returns whether a file that begins with these bytes can have this format: all of its games, or its first 64.
    fn fits(self, head: &[u8], is_whole: bool, is_strict: bool) -> bool {
        let (mut rest, mut games, mut reader) = (head, 0, read::Reader::new(self));
        while games < 64 && !rest.is_empty() {
            if !is_whole && rest.len() < LOOK as usize / 4 {
                break;
            }
            match reader.step(rest, is_whole) {
                Step::Game(_, used) => {
                    games += 1;
                    rest = rest.get(used..).unwrap_or_default();
                }
                Step::Skip(used) => rest = rest.get(used..).unwrap_or_default(),
                Step::Reject(..) | Step::Stop(_) if is_strict => return false,
                // A file may be cut off in its last game, but another format has faults in its first.
                Step::Reject(..) | Step::Stop(_) if games > 7 => return true,
                Step::Reject(used, _) => return games > 0 && used == rest.len() && is_whole,
                Step::Stop(_) => return false,
            }
        }
        games > 0
    }
}

/// Opens a file, and decompresses it if it is compressed with zstd.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    decompressed(File::open(path).map_err(Error::io("cannot open", path))?, path)
}

/// Returns a reader of `input` that decompresses it if it is compressed with zstd. Messages contain `path`.
pub(crate) fn decompressed(mut input: impl Read + Send + 'static, path: &Path) -> Result<Box<dyn Read + Send>, Error> {
    let mut head = Vec::new();
    Read::by_ref(&mut input).take(4).read_to_end(&mut head).map_err(Error::io("cannot read", path))?;
    let input = BufReader::with_capacity(1 << 17, std::io::Cursor::new(head.clone()).chain(input));
    Ok(match Compression::detect(&head) {
        Ok(Compression::Zstd) => Box::new(zstd::Decoder::with_buffer(input).map_err(Error::io("cannot read", path))?),
        _ => Box::new(input),
    })
}

//! Reads tar files, which contain for each file a header of 512 bytes and the content, padded to a multiple of 512
//! bytes. Supports the formats of POSIX, GNU and older programs.

use crate::input::container::{Container, is_source_name};
use std::io::{self, Read};

const BLOCK: usize = 512;
/// The maximum length in bytes of a name or of a list of properties.
const MAX_NAME: u64 = 1 << 20;

/// Returns whether a text begins like a tar file, that is, with a header whose checksum is valid.
pub(crate) fn is_header(head: &[u8]) -> bool {
    let Some(header) = head.first_chunk::<BLOCK>() else { return false };
    // The checksum of an empty header can also be valid (the sum of blanks), but no tar file begins with an empty
    // header.
    let sum: u64 = header.iter().enumerate().map(|(at, byte)| u64::from(summed(at, *byte))).sum();
    header.first().is_some_and(|byte| *byte > 0) && octal(field(header, 148, 8)) == Some(sum)
}

/// Returns the value that a header byte contributes to the checksum. The bytes of the checksum field are treated as
/// blanks.
fn summed(at: usize, byte: u8) -> u8 {
    if (148..156).contains(&at) { b' ' } else { byte }
}

fn field(header: &[u8], start: usize, length: usize) -> &[u8] {
    header.get(start..start + length).unwrap_or_default()
}

/// Returns the value of an octal number that ends with a blank or NUL.
fn octal(field: &[u8]) -> Option<u64> {
    let digits = field.trim_ascii_start().split(|byte| matches!(byte, b' ' | 0)).next()?;
    if digits.is_empty() {
        return None;
    }
    u64::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
}

/// Returns the value of a size, which is octal, or binary if it exceeds 8 GiB.
fn size(field: &[u8]) -> Option<u64> {
    match field {
        [0x80, rest @ ..] => rest.iter().try_fold(0u64, |all, byte| Some(all.checked_mul(256)? | u64::from(*byte))),
        field => octal(field),
    }
}

fn text(field: &[u8]) -> String {
    let text = field.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// The files of a tar file, read in order.
pub(crate) struct Tar<R> {
    reader: R,
    /// The number of unread bytes in the current file, and the number of bytes in its padding.
    left: u64,
    fill: u64,
}

impl<R: Read> Tar<R> {
    pub(crate) fn new(reader: R) -> Tar<R> {
        Tar { reader, left: 0, fill: 0 }
    }

    fn begin(&mut self, size: u64) {
        self.left = size;
        self.fill = size.next_multiple_of(BLOCK as u64) - size;
    }

    /// Skips the unread bytes of the current file and its padding.
    fn skip(&mut self) -> io::Result<()> {
        let skipped = self.left + self.fill;
        let read = io::copy(&mut (&mut self.reader).take(skipped), &mut io::sink())?;
        (self.left, self.fill) = (0, 0);
        if read < skipped { Err(cut()) } else { Ok(()) }
    }

    /// Returns the next header, or `None` at the end of the tar file.
    fn header(&mut self) -> io::Result<Option<[u8; BLOCK]>> {
        self.skip()?;
        let mut header = Vec::with_capacity(BLOCK);
        (&mut self.reader).take(BLOCK as u64).read_to_end(&mut header)?;
        match header.first_chunk() {
            None if header.is_empty() => Ok(None),
            None => Err(cut()),
            Some(zeros) if zeros.iter().all(|byte| *byte == 0) => {
                // The remaining bytes are padding. The source is still read to its end.
                io::copy(&mut self.reader, &mut io::sink())?;
                Ok(None)
            }
            Some(header) if is_header(header) => Ok(Some(*header)),
            Some(_) => Err(damaged("a header in this tar file has a wrong checksum")),
        }
    }

    /// Reads a name or a list of properties, which are stored as content.
    fn content(&mut self) -> io::Result<Vec<u8>> {
        if self.left > MAX_NAME {
            return Err(damaged("a name in this tar file is too long"));
        }
        let mut content = Vec::new();
        while content.len() as u64 <= MAX_NAME {
            let mut buf = [0; BLOCK];
            match self.read(&mut buf)? {
                0 => break,
                count => content.extend_from_slice(buf.get(..count).unwrap_or_default()),
            }
        }
        Ok(content)
    }
}

impl<R: Read> Container for Tar<R> {
    const NAME: &'static str = "tar";

    fn next(&mut self) -> io::Result<Option<String>> {
        // These properties precede the header of the file to which they belong.
        let (mut long_name, mut long_size) = (None, None);
        while let Some(header) = self.header()? {
            let header_size =
                size(field(&header, 124, 12)).ok_or_else(|| damaged("a file in this tar file has no size"))?;
            let kind = header.get(156).copied().unwrap_or_default();
            match kind {
                b'L' => {
                    self.begin(header_size);
                    long_name = Some(text(&self.content()?));
                }
                b'x' => {
                    self.begin(header_size);
                    let properties = self.content()?;
                    let value = |key: &str| property(&properties, key);
                    long_name = value("path").or(long_name);
                    long_size = value("size").and_then(|size| size.parse().ok()).or(long_size);
                }
                0 | b'0' | b'7' => {
                    // The limit keeps the number far below the maximum, so sums cannot overflow. No file is this long.
                    self.begin(long_size.take().unwrap_or(header_size).min(u64::MAX / 4));
                    let prefix = text(field(&header, 345, 155));
                    let name = match text(field(&header, 0, 100)) {
                        name if field(&header, 257, 6) == b"ustar\0" && !prefix.is_empty() => {
                            format!("{prefix}/{name}")
                        }
                        name => name,
                    };
                    let name = long_name.take().unwrap_or(name);
                    if is_source_name(&name) {
                        return Ok(Some(name));
                    }
                }
                // Folders, links and devices are entries that have no content. Global properties and unknown entries
                // have content, which is skipped.
                b'1'..=b'6' => (long_name, long_size) = (None, None),
                _ => self.begin(header_size.min(u64::MAX / 4)),
            }
        }
        Ok(None)
    }

    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let skipped = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        let count = self.reader.read(buf.get_mut(..skipped).unwrap_or_default())?;
        if count == 0 && skipped > 0 {
            return Err(cut());
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// Returns a property. In the list, each property consists of its length, a blank, its name, `=`, its value and a line
/// ending.
fn property(mut list: &[u8], key: &str) -> Option<String> {
    while !list.is_empty() {
        let digits = list.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let length: usize = std::str::from_utf8(list.get(..digits)?).ok()?.parse().ok()?;
        let line = list.get(digits + 1..length)?;
        if let Some(value) = line.strip_prefix(key.as_bytes()).and_then(|rest| rest.strip_prefix(b"=")) {
            return Some(String::from_utf8_lossy(value.strip_suffix(b"\n").unwrap_or(value)).into_owned());
        }
        list = list.get(length..)?;
    }
    None
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "this tar file ends too early")
}

fn damaged(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Returns a header for this many bytes of a kind, with its checksum.
    fn header(name: &str, kind: u8, size: &[u8]) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..124 + size.len()].copy_from_slice(size);
        header[156] = kind;
        header[257..263].copy_from_slice(b"ustar\0");
        header[345..351].copy_from_slice(b"folder");
        let sum: u64 = header.iter().enumerate().map(|(at, byte)| u64::from(summed(at, *byte))).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        header
    }

    fn with(mut header: Vec<u8>, content: &[u8]) -> Vec<u8> {
        header.extend_from_slice(content);
        header.resize(header.len().next_multiple_of(BLOCK), 0);
        header
    }

    /// Names and contents of the files read, and the error at the end, if any.
    fn read(tar: &[u8]) -> (Vec<(String, Vec<u8>)>, io::Result<()>) {
        let (mut tar, mut files) = (Tar::new(tar), Vec::new());
        let mut rest = || -> io::Result<()> {
            while let Some(name) = tar.next()? {
                let (mut content, mut buf) = (Vec::new(), [0; 7]);
                loop {
                    match tar.read(&mut buf)? {
                        0 => break,
                        count => content.extend_from_slice(&buf[..count]),
                    }
                }
                files.push((name, content));
            }
            Ok(())
        };
        let end = rest();
        (files, end)
    }

    fn sample() -> Vec<u8> {
        let long = format!("{}.pgn", "n".repeat(300));
        let record = "26 path=of a property.pgn\n";
        let sized = "10 size=3\n";
        [
            with(header("dir/", b'5', b"00000000000\0"), b""),
            with(header("a.pgn", b'0', b"00000000005\0"), b"1. e4"),
            with(header("././@LongLink", b'L', format!("{:011o}\0", long.len()).as_bytes()), long.as_bytes()),
            with(header("short", 0, b"00000000002\0"), b"ab"),
            with(header("x", b'g', b"00000000003\0"), b"all"),
            with(
                header("x", b'x', format!("{:011o}\0", record.len() + sized.len()).as_bytes()),
                (record.to_owned() + sized).as_bytes(),
            ),
            with(header("y", b'0', b"00000000000\0"), b"cde"),
            with(header("binary.pgn", b'0', b"\x80\0\0\0\0\0\0\0\0\0\0\x04"), b"fghi"),
            with(header("link.pgn", b'2', b"00000000000\0"), b""),
            vec![0; 2 * BLOCK],
            b"what comes after the end does not count".to_vec(),
        ]
        .concat()
    }

    #[test]
    fn names_and_sizes_of_every_kind() {
        let (files, end) = read(&sample());
        end.unwrap();
        let long = format!("{}.pgn", "n".repeat(300));
        let expected: [(&str, &[u8]); 4] =
            [("folder/a.pgn", b"1. e4"), (&long, b"ab"), ("of a property.pgn", b"cde"), ("folder/binary.pgn", b"fghi")];
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, content)| (&name[..], &content[..])).collect();
        assert_eq!(files, expected);
    }

    #[test]
    fn damage_and_cuts_are_errors_or_nothing_is_changed() {
        let tar = sample();
        let (complete, _) = read(&tar);
        let end = tar.len() - 40 - 2 * BLOCK;
        for cut in 0..end {
            let (files, result) = read(&tar[..cut]);
            // Between two files nothing shows that there were more.
            assert!(result.is_err() || cut % BLOCK == 0, "cut at {cut}");
            assert!(files.iter().zip(&complete).all(|(file, known)| file == known), "cut at {cut}");
        }
        for at in 0..end {
            for bit in [1, 0x80] {
                let mut damaged = tar.clone();
                damaged[at] ^= bit;
                // Whatever comes of it, it ends.
                let (files, result) = read(&damaged);
                let is_header = is_header(&damaged[at / BLOCK * BLOCK..]);
                let was_header = super::is_header(&tar[at / BLOCK * BLOCK..]);
                assert!(
                    !was_header || is_header || result.is_err() || files.len() < complete.len(),
                    "bit {bit} of {at}"
                );
            }
        }
    }
}

//! Concatenates the PGN files in a zip or tar file.

use crate::input::container::Container;
use crate::input::content::{self, BLOCK, Content};
use crate::input::error::SourceError;
use std::io::{self, Read};

/// The concatenated texts of all files in a container. The kind of content is checked at the beginning of each file. If
/// a file does not end with a line ending, a line ending is inserted before the next file.
pub(crate) struct Joined<C> {
    container: C,
    /// The kind of content of all files: JSON, PGN or a list of positions.
    content: Option<Content>,
    /// The bytes of a file that have been read but not yet returned.
    head: io::Cursor<Vec<u8>>,
    within: bool,
    last: u8,
}

impl<C: Container> Joined<C> {
    /// Advances to the first file in the container. Returns the concatenated text and its kind of content.
    pub(crate) fn open(container: C) -> Result<(Joined<C>, Content), SourceError> {
        let head = io::Cursor::default();
        let mut joined = Joined { container, content: None, head, within: false, last: b'\n' };
        if !joined.enter()? {
            let none = format!("there is no .pgn or .pcn file in this {} file that is not compressed again", C::NAME);
            return Err(SourceError::Io(io::Error::new(io::ErrorKind::Unsupported, none)));
        }
        let content = joined.content.unwrap_or(Content::Pgn);
        Ok((joined, content))
    }

    /// Advances to the next file in the container. Returns false after the last file.
    fn enter(&mut self) -> io::Result<bool> {
        let Some(name) = self.container.next()? else { return Ok(false) };
        let refuse = |what: String| {
            Err(io::Error::new(io::ErrorKind::Unsupported, format!("{name} in this {} file: {what}", C::NAME)))
        };
        let mut head = Vec::new();
        Current(&mut self.container).take(BLOCK as u64).read_to_end(&mut head)?;
        match content::look(&head) {
            Err(error) => return refuse(error.to_string()),
            Ok(Content::Tar) => return refuse("this is a tar file; unpack it first".to_owned()),
            Ok(_) if head.trim_ascii().is_empty() => {}
            Ok(found) if self.content.is_some_and(|content| content != found) => {
                return refuse(
                    "PGN, PCN and lists of positions cannot be read as one source; unpack it first".to_owned(),
                );
            }
            Ok(found) => self.content = Some(found),
        }
        let begins_line = matches!(self.last, b'\n' | b'\r') || head.is_empty();
        if !begins_line {
            head.insert(0, b'\n');
        }
        (self.head, self.within) = (io::Cursor::new(head), true);
        Ok(true)
    }
}

/// A reader for the current file in a container.
struct Current<'a, C>(&'a mut C);

impl<C: Container> Read for Current<'_, C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl<C: Container> Read for Joined<C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let mut count = self.head.read(buf)?;
            if count == 0 && self.within {
                count = self.container.read(buf)?;
            }
            if count > 0 {
                self.last = count.checked_sub(1).and_then(|at| buf.get(at)).copied().unwrap_or(b'\n');
                return Ok(count);
            }
            self.within = false;
            if !self.enter()? {
                return Ok(0);
            }
        }
    }
}

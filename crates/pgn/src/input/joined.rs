//! Concatenates the PGN files in a zip, tar or 7-Zip file.

use crate::input::compression::{decompressed, peek};
use crate::input::container::Container;
use crate::input::content::{self, BLOCK, Content};
use crate::input::error::SourceError;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// The concatenated texts of all files in a container, decompressed if they are compressed again. The kind of content is
/// checked at the beginning of each file. If a file does not end with a line ending, a line ending is inserted before
/// the next file.
pub(crate) struct Joined<C> {
    container: Arc<Mutex<C>>,
    /// The kind of content of all files: JSON, PGN or a list of positions.
    content: Option<Content>,
    /// The text of the current file.
    text: Option<Box<dyn Read + Send>>,
    last: u8,
}

impl<C: Container + Send + 'static> Joined<C> {
    /// Advances to the first file in the container. Returns the concatenated text and its kind of content.
    pub(crate) fn open(container: C) -> Result<(Joined<C>, Content), SourceError> {
        let container = Arc::new(Mutex::new(container));
        let mut joined = Joined { container, content: None, text: None, last: b'\n' };
        if !joined.enter()? {
            let none = format!("there is no .pgn or .pcn file in this {} file", C::NAME);
            return Err(SourceError::Io(io::Error::new(io::ErrorKind::Unsupported, none)));
        }
        let content = joined.content.unwrap_or(Content::Pgn);
        Ok((joined, content))
    }

    /// Advances to the next file in the container. Returns false after the last file.
    fn enter(&mut self) -> io::Result<bool> {
        let file = Current(Arc::clone(&self.container));
        let Some(name) = file.container(C::next)? else { return Ok(false) };
        let refuse = |what: String| {
            Err(io::Error::new(io::ErrorKind::Unsupported, format!("{name} in this {} file: {what}", C::NAME)))
        };
        let text = match decompressed(file) {
            Ok((_, text)) => text,
            Err(SourceError::Io(error)) => return Err(error),
            Err(error) => return refuse(error.to_string()),
        };
        let (head, text) = peek(text, BLOCK)?;
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
        self.text = Some(if begins_line { Box::new(text) } else { Box::new(b"\n".as_slice().chain(text)) });
        Ok(true)
    }
}

/// A reader for the current file in a container.
struct Current<C>(Arc<Mutex<C>>);

impl<C> Current<C> {
    fn container<T>(&self, call: impl FnOnce(&mut C) -> T) -> T {
        call(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<C: Container> Read for Current<C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.container(|container| container.read(buf))
    }
}

impl<C: Container + Send + 'static> Read for Joined<C> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            let count = self.text.as_mut().map_or(Ok(0), |text| text.read(buf))?;
            if count > 0 {
                self.last = count.checked_sub(1).and_then(|at| buf.get(at)).copied().unwrap_or(b'\n');
                return Ok(count);
            }
            self.text = None;
            if !self.enter()? {
                return Ok(0);
            }
        }
    }
}

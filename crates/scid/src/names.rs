//! The names of players, events, sites and rounds.

use crate::entry::Version;

/// The lists of names, in this order.
pub const PLAYERS: usize = 0;
pub const EVENTS: usize = 1;
pub const SITES: usize = 2;
pub const ROUNDS: usize = 3;

/// Returns a text of a base as UTF-8. Bases that have grown for years contain both encodings, so each text decides for
/// itself.
pub fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => scoresheet::pgn::decode_windows_1252(bytes),
    }
}

/// The names of a base.
#[derive(Debug, Default)]
pub struct Names {
    text: Vec<u8>,
    /// For each list, the start and the length of each name in `text`, by id.
    lists: [Vec<(u32, u32)>; 4],
    /// What is wrong with the file, if it could not be read to its end.
    pub fault: Option<&'static str>,
}

impl Names {
    /// Reads the file of names. Names before a fault are kept.
    pub fn read(version: Version, bytes: &[u8]) -> Names {
        let mut names = Names::default();
        let done = if version == Version::Five { names.five(bytes) } else { names.four(bytes) };
        names.fault = done.err();
        names
    }

    /// Returns a name of a list by its id.
    pub fn name(&self, list: usize, id: u32) -> Option<String> {
        let (start, length) = *self.lists.get(list)?.get(id as usize)?;
        // An id without a record.
        if length == u32::MAX {
            return None;
        }
        Some(decode(self.text.get(start as usize..)?.get(..length as usize)?))
    }

    fn push(&mut self, name: &[u8]) -> Result<(u32, u32), &'static str> {
        let start = u32::try_from(self.text.len()).map_err(|_| "more than 4 GB of names")?;
        self.text.extend_from_slice(name);
        Ok((start, name.len() as u32))
    }

    /// Reads sorted lists, in which each name shares its first bytes with the name before.
    fn four(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let mut input = Input(bytes);
        if input.take(8)? != b"Scid.sn\0" {
            return Err("the file of names has another format");
        }
        input.take(4)?;
        let counts = [input.big(3)?, input.big(3)?, input.big(3)?, input.big(3)?];
        let most = [input.big(3)?, input.big(3)?, input.big(3)?, input.big(3)?];
        for ((list, count), most) in counts.into_iter().enumerate().zip(most) {
            // A record has at least four bytes, but for the first.
            if count as usize > input.0.len() / 3 + 1 {
                return Err("the file of names has fewer names than its header says");
            }
            self.lists[list] = vec![(0, u32::MAX); count as usize];
            let id_bytes = if count >= 1 << 16 { 3 } else { 2 };
            let frequency_bytes = if most >= 1 << 16 {
                3
            } else if most >= 1 << 8 {
                2
            } else {
                1
            };
            let mut name = Vec::new();
            for number in 0..count {
                let id = input.big(id_bytes)?;
                input.take(frequency_bytes)?;
                let length = input.big(1)? as usize;
                let shared = if number == 0 { 0 } else { input.big(1)? as usize };
                if shared > length || shared > name.len() {
                    return Err("a name shares more bytes than the name before has");
                }
                name.truncate(shared);
                name.extend_from_slice(input.take(length - shared)?);
                let place = self.push(&name)?;
                *self.lists[list].get_mut(id as usize).ok_or("an id of a name beyond the number of names")? = place;
            }
        }
        Ok(())
    }

    /// Reads a list of strings, to which Scid only appends.
    fn five(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        let mut input = Input(bytes);
        while !input.0.is_empty() {
            let (mut number, mut shift) = (0u64, 0);
            loop {
                let byte = input.big(1)?;
                if shift > 35 {
                    return Err("a length of a name is too large");
                }
                number |= u64::from(byte & 0x7F) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            let length = usize::try_from(number >> 3).map_err(|_| "a length of a name is too large")?;
            let name = input.take(length)?;
            match (number & 7) as usize {
                list @ 0..4 => {
                    let place = self.push(name)?;
                    self.lists[list].push(place);
                }
                // Information about the base.
                4 => {}
                _ => return Err("a name of an unknown kind"),
            }
        }
        Ok(())
    }
}

/// The bytes that have not been read.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (part, rest) = self.0.split_at_checked(count).ok_or("the file of names is cut off")?;
        self.0 = rest;
        Ok(part)
    }

    fn big(&mut self, count: usize) -> Result<u32, &'static str> {
        Ok(self.take(count)?.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }
}

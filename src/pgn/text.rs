//! Text as UTF-8.

use std::borrow::Cow;

/// What is known of a game's bytes before it is read, so that plain text passes unexamined.
#[derive(Clone, Copy)]
pub(super) struct Plain {
    /// Every byte is ASCII.
    pub(super) ascii: bool,
    /// No byte is NUL.
    pub(super) no_nul: bool,
}

/// A text made valid, and whether it had to be taken for Windows-1252.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, [u8]>,
    pub(super) windows_1252: bool,
}

/// Returns the text as UTF-8 without NUL: as it is where it is UTF-8, else taken for Windows-1252.
#[inline]
pub(super) fn decode(bytes: &[u8], plain: Plain) -> Decoded<'_> {
    if plain.ascii && plain.no_nul {
        return Decoded { text: Cow::Borrowed(bytes), windows_1252: false };
    }
    decode_any(bytes)
}

#[cold]
#[inline(never)]
fn decode_any(bytes: &[u8]) -> Decoded<'_> {
    let valid = std::str::from_utf8(bytes).is_ok();
    let mut text = if valid {
        Cow::Borrowed(bytes)
    } else {
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
        Cow::Owned(text.into_owned().into_bytes())
    };
    if memchr::memchr(0, &text).is_some() {
        text.to_mut().retain(|b| *b != 0);
    }
    Decoded { text, windows_1252: !valid }
}

//! Text as UTF-8.

use crate::limits::Encoding;
use crate::windows_1252;
use std::borrow::Cow;

/// Facts about the bytes of a game that are known in advance. With these facts, plain text needs no further checks.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    /// Every byte is ASCII.
    pub(crate) ascii: bool,
    /// No byte is NUL.
    pub(crate) no_nul: bool,
    /// The encoding of bytes that are not ASCII.
    pub(crate) encoding: Encoding,
}

impl Plain {
    /// Returns whether texts can be used without conversion.
    #[inline]
    pub(crate) fn as_is(self) -> bool {
        self.ascii && self.no_nul
    }
}

/// Returns the text as UTF-8, without NUL bytes.
#[inline]
pub(crate) fn decode(bytes: &[u8], plain: Plain) -> Cow<'_, [u8]> {
    if plain.as_is() { Cow::Borrowed(bytes) } else { decode_any(bytes, plain.encoding) }
}

#[cold]
#[inline(never)]
fn decode_any(bytes: &[u8], encoding: Encoding) -> Cow<'_, [u8]> {
    let owned = |text: String| Cow::Owned(text.into_bytes());
    let mut text = match encoding {
        _ if bytes.is_ascii() => Cow::Borrowed(bytes),
        Encoding::Windows1252 => owned(windows_1252::decode(bytes)),
        Encoding::Latin1 => owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
        _ if std::str::from_utf8(bytes).is_ok() => Cow::Borrowed(bytes),
        // Each value is decoded separately: in real files, some names in a game are UTF-8 and others are not.
        Encoding::Auto => owned(windows_1252::decode(bytes)),
        Encoding::Utf8 => owned(String::from_utf8_lossy(bytes).into_owned()),
    };
    if memchr::memchr(0, &text).is_some() {
        text.to_mut().retain(|b| *b != 0);
    }
    text
}

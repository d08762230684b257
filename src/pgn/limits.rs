//! What a game may cost, and how strictly it is read.

/// What a game may cost before the rest of it is kept as raw text, or the game is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Plies of one line, from the start of the game; what follows is kept as a tail. Default: 1,048,576.
    pub max_plies: u32,
    /// Bytes of a tag value as written; a longer tag pair is kept as a raw token. Default: 64 KiB.
    pub max_tag_bytes: usize,
    /// Bytes of a comment; a longer one and what follows it is kept as a tail. So far a `}` is looked for. Default: 1
    /// MiB.
    pub max_comment_bytes: usize,
    /// Variations within variations; what lies deeper is kept as a tail. Default: 1,024.
    pub max_depth: usize,
    /// Bytes of a game; a longer one is rejected, and its bytes are kept apart from the games. Default: 2 MiB, more
    /// than ten times the longest game known.
    ///
    /// It bounds the memory of an import: a worker needs up to 40 times as much for a game that is made to cost, beside
    /// what the import needs in any case; no two such games are worked on at once.
    pub max_game_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            max_plies: 1 << 20,
            max_tag_bytes: 64 << 10,
            max_comment_bytes: 1 << 20,
            max_depth: 1024,
            max_game_bytes: 2 << 20,
        }
    }
}

/// How the bytes of a source are understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-8; a tag value or text that is not valid UTF-8 is taken for Windows-1252.
    #[default]
    Auto,
    /// UTF-8; what is not becomes U+FFFD and is a fault ([`FaultKind::NotUtf8`](super::FaultKind::NotUtf8)).
    Utf8,
    /// Windows-1252. Its five bytes without a character become the control characters of the same number.
    Windows1252,
    /// ISO 8859-1: each byte is the character of the same number.
    Latin1,
}

/// How a game is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// What a game may cost.
    pub limits: ReadLimits,
    /// Whether a game with any fault is rejected, instead of stored with what could be read.
    pub strict: bool,
    /// How its bytes are understood.
    pub encoding: Encoding,
}

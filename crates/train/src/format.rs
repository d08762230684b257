//! The formats of training data.

/// A format of training data.
///
/// ```
/// use scoresheet_train::TrainingFormat;
///
/// assert_eq!(TrainingFormat::Viriformat.name(), "viriformat");
/// assert_eq!(TrainingFormat::from_name("binpack"), Some(TrainingFormat::Binpack));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrainingFormat {
    /// Games of Viridithas: a start position of 32 bytes, and 4 bytes for each move with its score.
    Viriformat,
    /// Chains of positions in Stockfish's compressed form.
    Binpack,
    /// Stockfish's text: six lines for each position.
    Plain,
    /// Stockfish's records of 40 bytes.
    Bin,
    /// Records of 32 bytes, as viriformat's start positions.
    Marlin,
    /// Records of 32 bytes from the point of view of the side to move.
    Bullet,
    /// Lines of FEN, White's score in centipawns and White's result.
    BulletText,
}

impl TrainingFormat {
    /// All formats.
    pub const ALL: [TrainingFormat; 7] = [
        TrainingFormat::Viriformat,
        TrainingFormat::Binpack,
        TrainingFormat::Plain,
        TrainingFormat::Bin,
        TrainingFormat::Marlin,
        TrainingFormat::Bullet,
        TrainingFormat::BulletText,
    ];

    /// Returns the name, which the tag `TrainingData` and the command use.
    pub fn name(self) -> &'static str {
        match self {
            TrainingFormat::Viriformat => "viriformat",
            TrainingFormat::Binpack => "binpack",
            TrainingFormat::Plain => "plain",
            TrainingFormat::Bin => "bin",
            TrainingFormat::Marlin => "marlin",
            TrainingFormat::Bullet => "bullet",
            TrainingFormat::BulletText => "bullettext",
        }
    }

    /// Returns a description in a few words.
    pub fn about(self) -> &'static str {
        match self {
            TrainingFormat::Viriformat => "Scored games of Viridithas, 4 bytes a move",
            TrainingFormat::Binpack => "Scored positions of Stockfish, in compressed chains",
            TrainingFormat::Plain => "Scored positions of Stockfish, as text",
            TrainingFormat::Bin => "Scored positions of Stockfish, 40 bytes each",
            TrainingFormat::Marlin => "Scored positions in marlinformat, 32 bytes each",
            TrainingFormat::Bullet => "Scored positions in bulletformat, 32 bytes each",
            TrainingFormat::BulletText => "Scored positions of bullet: FEN | score | result",
        }
    }

    /// Returns the format with this name.
    pub fn from_name(name: &str) -> Option<TrainingFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns whether an import keeps every byte of a file without faults. The bytes of the other formats depend on
    /// their writer, and only their entries come back.
    pub fn keeps_bytes(self) -> bool {
        matches!(
            self,
            TrainingFormat::Viriformat | TrainingFormat::Bin | TrainingFormat::Marlin | TrainingFormat::Bullet
        )
    }

    /// Returns whether the format consists of text.
    pub fn is_text(self) -> bool {
        matches!(self, TrainingFormat::Plain | TrainingFormat::BulletText)
    }

    /// Returns the size of a record in bytes, if the format consists of records.
    pub fn record_bytes(self) -> Option<usize> {
        match self {
            TrainingFormat::Bin => Some(40),
            TrainingFormat::Marlin | TrainingFormat::Bullet => Some(32),
            _ => None,
        }
    }
}

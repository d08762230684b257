//! Determines the parts of each game to write, from the options of `export`.

use crate::failure::Failure;
use scoresheet::pgn::{PgnWriter, PieceLetters, Shape, Style, TagChoice};

/// Options that omit parts of games or change their form.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Content")]
pub struct ShapeArgs {
    /// Limit the length of movetext lines; 0 for no line breaks
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    width: Option<u32>,
    /// Leave out comments
    #[arg(long)]
    no_comments: bool,
    /// Omit clocks and evaluations
    ///
    /// Omit every command in a comment, such as [%clk 0:03:00].
    #[arg(long)]
    no_commands: bool,
    /// Leave out variations
    #[arg(long)]
    no_variations: bool,
    /// Omit NAGs ($1), ! and ?
    #[arg(long)]
    no_nags: bool,
    /// Omit comments, variations and NAGs
    #[arg(long)]
    moves_only: bool,
    /// Write only these tags: all, roster, none, or names
    ///
    /// roster is the Seven Tag Roster of the standard, in its order. Separate names with commas.
    #[arg(long, value_name = "TAGS", default_value = "all", hide_default_value = true)]
    tags: String,
    /// Leave out this tag
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "TAG")]
    drop_tag: Vec<String>,
    /// Write the Seven Tag Roster first, then other tags by name
    ///
    /// The export format of the PGN standard uses this order.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    roster_first: bool,
    /// Make the tag Result and the result after the moves agree
    ///
    /// A mate or stalemate on the board decides, then the result after the moves, then the tag.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    fix_results: bool,
    /// Add the time used for each move, [%emt 0:00:07], from the clocks
    ///
    /// This requires the tag TimeControl.
    #[arg(hide_short_help = true)]
    #[arg(long)]
    add_emt: bool,
    /// Write each variation as a game of its own, after its game
    ///
    /// Such a game has the tags of the game, the moves before the variation, and the result *.
    #[arg(hide_short_help = true)]
    #[arg(long, conflicts_with_all = ["no_variations", "moves_only"])]
    split_variations: bool,
    /// Write piece letters of this language, or figurine
    ///
    /// Languages: en, cs, da, de, es, fi, fr, hu, it, nl, no, pl, pt, ro, ru and sv. Most programs read only English
    /// letters; `import` reads all of these.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    language: Option<PieceLetters>,
}

/// Reads the code of a language of piece letters.
pub fn language(code: &str) -> Result<PieceLetters, String> {
    PieceLetters::for_language(code).ok_or_else(|| {
        let languages: Vec<&str> = PieceLetters::languages().collect();
        format!("unknown language; use one of {}", languages.join(", "))
    })
}

impl ShapeArgs {
    /// Returns the parts of a game to write.
    pub fn shape(&self) -> Shape {
        Shape {
            no_comments: self.no_comments || self.moves_only,
            no_commands: self.no_commands,
            no_variations: self.no_variations || self.moves_only,
            no_nags: self.no_nags || self.moves_only,
            tags: match self.tags.as_str() {
                "all" => TagChoice::All,
                "roster" => TagChoice::Roster,
                "none" => TagChoice::None,
                names => TagChoice::Only(names.split(',').map(|name| name.trim().to_owned()).collect()),
            },
            drop: self.drop_tag.clone(),
            roster_first: self.roster_first,
            fix_results: self.fix_results,
            add_elapsed: self.add_emt,
        }
    }

    /// Returns whether each variation is written as a game.
    pub fn splits_variations(&self) -> bool {
        self.split_variations
    }

    /// Returns a writer of PGN with the width and the letters.
    pub fn writer(&self) -> PgnWriter {
        let width = match self.width {
            None => Style::default().width,
            Some(0) => u32::MAX,
            Some(width) => width,
        };
        let mut writer = PgnWriter::with_style(Style { width, ..Style::default() });
        if let Some(letters) = self.language {
            writer.set_letters(letters);
        }
        writer
    }

    /// Rejects options that have an effect only in PGN.
    pub fn only_for_pgn(&self) -> Result<(), Failure> {
        let option = match (self.width, self.language) {
            (Some(_), _) => "--width",
            (_, Some(_)) => "--language",
            _ => return Ok(()),
        };
        Err(Failure::Message(format!("{option} applies to PGN only: leave out --format or {option}")))
    }
}

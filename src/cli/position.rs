//! `scoresheet position`: a FEN drawn and told: the SAN Kit's commands dvfe and svde in one.

use crate::board;
use crate::failure::{Code, Failure};
use crate::json::Object;
use crate::output;
use scoresheet::Position;
use scoresheet::chess::epd::Epd;
use scoresheet::chess::fen::{CastlingStyle, EnPassantStyle, Fen, ReadMode};
use scoresheet::chess::{Color, Wing};
use std::io::Write;

/// Draw a FEN and tell its fields, whether it is legal, its flavours and its legal moves
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet position \"4k3/8/8/8/8/8/4P3/4K3 w - - 5 39\"
  scoresheet position 4k3/8/8/8/8/8/4P3/4K3 w - - 5 39         the quotes are not needed
  scoresheet position startpos --json")]
pub struct Args {
    /// The FEN, or startpos; fields after the placement may be missing, and EPD operations are passed over
    #[arg(required = true, value_name = "FEN", allow_hyphen_values = true)]
    fen: Vec<String>,
    /// Refuse what is not written just as the FEN documents have it
    #[arg(long)]
    strict: bool,
    /// Draw the board from Black's side
    #[arg(long)]
    flip: bool,
    /// Draw the men as letters
    #[arg(long, conflicts_with = "unicode")]
    ascii: bool,
    /// Draw the men as chess symbols, even where the terminal may not have them
    #[arg(long)]
    unicode: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<Code, Failure> {
    let text = args.fen.join(" ");
    let mut out = output::stdout();
    let told = Told::of(&text, if args.strict { ReadMode::Strict } else { ReadMode::Forgiving })?;
    let text = if args.json { format!("{}\n", told.json()) } else { told.text(args) };
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Code::Fine)
}

struct Told {
    fen: Fen,
    position: Position,
    /// Why strict reading refuses it, if it does.
    strict: Option<String>,
    moves: Vec<String>,
}

impl Told {
    fn of(text: &str, mode: ReadMode) -> Result<Told, Failure> {
        let start = Position::standard().fen();
        let text = if text == "startpos" { &start } else { text };
        let fen = match Fen::read(text.as_bytes(), mode) {
            Ok(fen) => fen,
            Err(error) => match Epd::read(text.as_bytes(), mode) {
                Ok(epd) => {
                    let position = epd.position();
                    let (halfmove_clock, fullmove_number) = (position.halfmove_clock(), position.fullmove_number());
                    Fen { halfmove_clock, fullmove_number, ..epd.fen }
                }
                Err(_) => return Err(Failure::Message(error.to_string())),
            },
        };
        let strict = Fen::read(text.as_bytes(), ReadMode::Strict).err().map(|error| error.to_string());
        let position = fen.position();
        let moves = position.legal_moves().into_iter().map(|m| position.san(m)).collect();
        Ok(Told { fen, position, strict, moves })
    }

    fn flavours(&self) -> Vec<(&'static str, String)> {
        let styled = |target, castling| {
            let mut text = Vec::new();
            self.position.write_fen(&mut text, target, castling);
            String::from_utf8_lossy(&text).into_owned()
        };
        vec![
            ("Standard", styled(EnPassantStyle::Always, CastlingStyle::XFen)),
            ("X-FEN", styled(EnPassantStyle::Legal, CastlingStyle::XFen)),
            ("Shredder", styled(EnPassantStyle::Always, CastlingStyle::Shredder)),
            ("EPD", Epd::of(&self.position, EnPassantStyle::Always, CastlingStyle::XFen).to_string()),
        ]
    }

    fn state(&self) -> &'static str {
        match (self.position.in_check(), self.moves.is_empty()) {
            (true, true) => "checkmate",
            (false, true) => "stalemate",
            (true, false) => "check",
            (false, false) => "",
        }
    }

    fn castling(&self) -> Vec<String> {
        let mut rights = Vec::new();
        for color in Color::BOTH {
            for wing in Wing::BOTH {
                if let Some(rook) = self.position.castling_rook(color, wing) {
                    let name = if wing == Wing::H { "O-O" } else { "O-O-O" };
                    rights.push(format!("{} {name} with the rook on {rook}", side(color)));
                }
            }
        }
        rights
    }

    fn text(&self, args: &Args) -> String {
        let unicode = args.unicode || (!args.ascii && output::is_terminal() && board::locale_is_utf8());
        let mut text = board::draw(&self.position, unicode, args.flip);
        let field = |words: Vec<String>, none: &str| if words.is_empty() { none.to_owned() } else { words.join(", ") };
        let target = self.fen.en_passant.map(|square| square.to_string());
        let check = if self.state().is_empty() { String::new() } else { format!(", {}", self.state()) };
        let reasons = self.fen.illegalities().iter().map(ToString::to_string).collect();
        let rows = [
            ("To move", format!("{}{check}", side(self.fen.turn))),
            ("Castling", field(self.castling(), "none")),
            ("Target", target.unwrap_or("none".to_owned())),
            ("Clock", format!("{} (a draw can be claimed at 100)", self.fen.halfmove_clock)),
            ("Move", self.fen.fullmove_number.to_string()),
            ("Legal", field(reasons, "yes").replace("yes, ", "")),
            ("As in the documents", self.strict.clone().map_or("yes".to_owned(), |error| format!("no: {error}"))),
        ];
        text.push('\n');
        for (title, value) in rows {
            let value = if title == "Legal" && value != "yes" { format!("no: {value}") } else { value };
            text += &format!("{title:<20}{value}\n");
        }
        for (title, fen) in self.flavours() {
            text += &format!("{title:<20}{fen}\n");
        }
        text += &format!("{:<20}{:016x}\n", "Zobrist key", self.position.zobrist());
        text += &format!("{:<20}{}\n", format!("Legal moves ({})", self.moves.len()), wrapped(&self.moves, 20, 79));
        text
    }

    fn json(&self) -> Object {
        let reasons: Vec<String> = self.fen.illegalities().iter().map(ToString::to_string).collect();
        let flavours = self
            .flavours()
            .into_iter()
            .fold(Object::new(), |all, (name, fen)| all.with(&name.to_ascii_lowercase(), fen));
        Object::new()
            .with("fen", self.fen.to_string())
            .with("turn", side(self.fen.turn).to_ascii_lowercase())
            .with("castling", self.castling())
            .with("en_passant", self.fen.en_passant.map(|square| square.to_string()))
            .with("halfmove_clock", self.fen.halfmove_clock)
            .with("fullmove_number", self.fen.fullmove_number)
            .with("state", self.state())
            .with("legal", reasons.is_empty())
            .with("reasons", reasons)
            .with("strict", self.strict.is_none())
            .object("flavours", &flavours)
            .with("zobrist", format!("{:016x}", self.position.zobrist()))
            .with("moves", self.moves.clone())
    }
}

const fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Sets words in lines, all but the first indented.
fn wrapped(words: &[String], indent: usize, width: usize) -> String {
    let (mut text, mut column) = (String::new(), indent);
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            if column + 1 + word.len() > width {
                text += &format!("\n{:indent$}", "");
                column = indent;
            } else {
                text.push(' ');
                column += 1;
            }
        }
        text += word;
        column += word.len();
    }
    text
}

//! The prompt: queries from the terminal, with a history, and commands that begin with a dot.

use super::answers::{Answers, Failure, message};
use super::output::{self, Format};
use clap::ValueEnum;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::path::PathBuf;
use std::time::Instant;

const HELP: &str = "\
Queries end with a semicolon. Commands:
  .tables            the tables
  .schema [TABLE]    the columns of a table, and their types
  .functions         the functions of the column brenner, and table functions
  .format FORMAT     table, csv or json
  .timer on|off      print the time of each query
  .help  .quit";

const TABLES: &str = "select table_name from information_schema.tables where table_schema = 'public' order by 1";

const FUNCTIONS: &str = "\
reaches(brenner, fen)            whether the game reaches the position
matches_subfen(brenner, fen)     whether it reaches a position with these pieces; empty squares match any
scoutfish_query(brenner, json)   whether it matches a Scoutfish query (docs/FIND.md)
fen_at(brenner, ply)             the position at a ply as FEN; -1 is the last
first_ply(brenner, fen)          the first ply at which it reaches the position
san_at(brenner, ply), uci_at(..) the move played at a ply
zobrist_at(brenner, ply)         the Zobrist key of the position as a signed number; equal for equal positions
piece_counts_at(brenner, ply)    the number of pieces of each kind: white_pawns, .. black_kings
to_san(brenner), to_uci(brenner) the moves as a list of texts
plies_of(brenner)                the number of half-moves
eco_of(brenner), opening_of(..)  code and name of the opening, from the moves
tree('fen')                      a table: the moves played in a position, with results and ratings
hits('fen')                      a table: the games that reach a position, and the ply";

/// Reads and runs queries until the end of input.
///
/// Errors: the terminal cannot be read.
pub async fn run(answers: &impl Answers, mut format: Format) -> Result<(), Failure> {
    let mut editor = DefaultEditor::new()?;
    let history = history();
    if let Some(path) = &history {
        // At the first start, no history exists.
        let _ = editor.load_history(path);
    }
    let (mut query, mut timer) = (String::new(), false);
    loop {
        let line = match editor.readline(if query.is_empty() { "games> " } else { "    -> " }) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => {
                query.clear();
                continue;
            }
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        };
        let line = line.trim();
        if query.is_empty() && line.starts_with('.') {
            let _ = editor.add_history_entry(line);
            let mut words = line.split_whitespace();
            match (words.next().unwrap_or_default(), words.next()) {
                (".quit" | ".exit", _) => break,
                (".help", _) => println!("{HELP}"),
                (".functions", _) => println!("{FUNCTIONS}"),
                (".tables", _) => answer(answers, TABLES, format).await,
                (".schema", table) => {
                    let table = table.unwrap_or("games");
                    answer(answers, &format!("describe {table}"), format).await;
                }
                (".timer", word) => timer = word == Some("on"),
                (".format", Some(name)) => match Format::from_str(name, true) {
                    Ok(Format::Parquet) | Err(_) => println!("unknown format; use table, csv or json"),
                    Ok(chosen) => format = chosen,
                },
                _ => println!("no such command; .help lists them"),
            }
            continue;
        }
        if line.is_empty() {
            continue;
        }
        query.push_str(line);
        query.push('\n');
        if !line.ends_with(';') {
            continue;
        }
        let _ = editor.add_history_entry(query.trim());
        let start = Instant::now();
        for statement in statements(&query) {
            tokio::select! {
                () = answer(answers, &statement, format) => {}
                _ = tokio::signal::ctrl_c() => eprintln!("interrupted"),
            }
        }
        if timer {
            println!("{:.3} s", start.elapsed().as_secs_f64());
        }
        query.clear();
    }
    if let Some(path) = &history {
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        if let Err(error) = editor.save_history(path) {
            eprintln!("the history cannot be written to {}: {error}", path.display());
        }
    }
    Ok(())
}

/// Runs a query, and prints its error without ending the prompt.
async fn answer(answers: &impl Answers, query: &str, format: Format) {
    let answered = async {
        let rows = answers.rows(query).await?;
        output::write(format, rows, &mut std::io::stdout()).await
    };
    if let Err(failure) = answered.await {
        eprintln!("error: {}", message(failure.as_ref()));
    }
}

/// Returns the path of the history.
fn history() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".local").join("state")))
        .or_else(|| folder("APPDATA"))?;
    Some(state.join("scoresheet").join("sql-history"))
}

/// Splits a text at semicolons outside quotes and comments.
pub fn statements(text: &str) -> Vec<String> {
    let (mut all, mut statement, mut letters) = (Vec::new(), String::new(), text.chars().peekable());
    let mut quote: Option<char> = None;
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '-') if letters.peek() == Some(&'-') => {
                for letter in letters.by_ref() {
                    if letter == '\n' {
                        break;
                    }
                }
                statement.push('\n');
                continue;
            }
            (None, ';') => {
                all.push(std::mem::take(&mut statement));
                continue;
            }
            (None, _) => {}
        }
        statement.push(letter);
    }
    all.push(statement);
    all.retain(|statement| !statement.trim().is_empty());
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn statements_end_at_semicolons() {
        let text = "select ';' as a; -- not; this\nselect \"b;\" ;; ";
        assert_eq!(super::statements(text), ["select ';' as a", " \nselect \"b;\" "]);
    }
}

//! `scoresheet view`: shows the games of an archive in the terminal.
//!
//! `app` handles keys and stores the state. `draw` draws this state on a `screen` of cells, which is written to the
//! terminal at once. A `sheet` is a parsed game.

mod app;
mod draw;
mod screen;
mod sheet;

#[cfg(test)]
mod tests;

use crate::failure::{Code, Failure};
use crate::select::archives;
use crate::select::filter::Where;
use crate::session::Session;
use crate::threads::Threads;
use app::{App, Key};
use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};
use scoresheet::archive::GameSet;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Browse games in the terminal: a list, a board, an explorer
///
/// The arrow keys and Enter choose a game and move through it, / searches, n and p go to the next and previous game,
/// e shows the moves that the games continue with, and ? lists all keys. --color never, or the variable NO_COLOR, turns
/// colors off.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet view games.bga
  scoresheet view games.bga 7 --ply 20
  scoresheet view 2023.bga 2024.bga               several archives together
  scoresheet view games.bga --where 'player ~ \"Carlsen\" and result = 0-1'")]
pub struct Args {
    /// One or more archives, or folders of archives; a number after them opens this game at once
    #[arg(required = true, value_name = "ARCHIVE")]
    archives: Vec<PathBuf>,
    /// Open the game after this many half-moves
    #[arg(long, value_name = "PLY", default_value_t = 0, hide_default_value = true)]
    ply: u32,
    #[command(flatten)]
    filter: Where,
    /// Show the board from Black's side
    #[arg(long)]
    flip: bool,
    /// Show the pieces as letters
    #[arg(long, conflicts_with = "unicode")]
    ascii: bool,
    /// Show the pieces as chess symbols, on any terminal
    #[arg(long)]
    unicode: bool,
    #[command(flatten)]
    threads: Threads,
}

/// Splits the arguments into archives and the number of the game after them.
fn split(args: &[PathBuf]) -> Result<(&[PathBuf], Option<u64>), Failure> {
    let number = args.split_last().filter(|(last, archives)| !archives.is_empty() && !last.exists());
    let number = number.and_then(|(last, archives)| Some((archives, last.to_str()?.parse::<u64>().ok()?)));
    match number {
        None => Ok((args, None)),
        Some((_, 0)) => Err(Failure::Usage("games are numbered from 1".to_owned())),
        Some((archives, game)) => Ok((archives, Some(game))),
    }
}

pub fn run(args: &Args, session: &Session) -> Result<Code, Failure> {
    let (paths, game) = split(&args.archives)?;
    if game.is_none() && args.ply > 0 {
        return Err(Failure::Usage("--ply needs the number of a game after the archive".to_owned()));
    }
    let archives = archives::open_all(session, paths)?;
    if let Some(game) = game {
        archives.game(game).map_err(|error| match paths {
            [path] => Failure::of_archive(path)(error),
            _ => error.into(),
        })?;
    }
    if !session.is_terminal() || !io::stdin().is_terminal() {
        let what = "view needs a terminal; `scoresheet list` and `scoresheet show` write text";
        return Err(Failure::Message(what.to_owned()));
    }
    args.threads.install(|| {
        let mut games = Vec::new();
        for member in archives.members() {
            games.push(args.filter.chosen(session, member.columns())?.0);
        }
        if games.iter().all(GameSet::is_empty) && game.is_none() {
            if args.filter.is_given() {
                args.filter.report_none(session, &archives.columns());
                return Ok(Code::Success);
            }
            let is_damaged = archives.archives().any(|archive| archive.incomplete().is_some());
            let what = if is_damaged { "there is no game that can be read" } else { "the archive is empty" };
            return Err(Failure::Message(what.to_owned()));
        }
        let unicode = args.unicode || (!args.ascii && session.is_unicode_terminal());
        let mut app = App::new(&archives, games, unicode);
        app.flip = args.flip;
        if let Some(game) = game {
            app.open_number(game, args.ply);
        }
        show(&mut app, session).map_err(Failure::Output)?;
        Ok(Code::Success)
    })
}

/// The terminal while it is ours; dropped, it is as it was.
struct Taken;

impl Taken {
    fn take() -> io::Result<Taken> {
        terminal::enable_raw_mode()?;
        let taken = Taken;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // Nothing more can be done for a terminal that does not listen.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

fn show(app: &mut App, session: &Session) -> io::Result<()> {
    let stop = session.stop_flag();
    let colors = session.has_color();
    let _taken = Taken::take()?;
    let mut out = session.stdout();
    loop {
        let (width, height) = terminal::size()?;
        draw::draw(app, usize::from(width), usize::from(height)).draw(&mut out, colors)?;
        // The moves of a position are counted after it is shown, and not while keys are waiting.
        if app.needs_tree() && !event::poll(Duration::ZERO)? {
            app.count_moves();
            continue;
        }
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            if !event::poll(Duration::from_millis(200))? {
                continue;
            }
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
                        return Ok(());
                    }
                    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
                    let Some(key) = key_of(key.code, is_control) else { continue };
                    if !app.key(key) {
                        return Ok(());
                    }
                    break;
                }
                Event::Resize(..) => break,
                _ => {}
            }
        }
    }
}

fn key_of(code: KeyCode, is_control: bool) -> Option<Key> {
    Some(match code {
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char('u') if is_control => Key::DeleteLine,
        KeyCode::Char('w') if is_control => Key::DeleteWord,
        KeyCode::Char(_) if is_control => return None,
        KeyCode::Char(letter) => Key::Letter(letter),
        _ => return None,
    })
}

//! `scoresheet shell`: a prompt at which commands read the open archives.
//!
//! `open` holds the archives and fills them into the words of a command. `lines` reads lines from a terminal, with
//! completion and a history, or from standard input. Each command runs in a process of its own: Ctrl-C ends only this
//! command, its memory is free afterwards, and its answer follows every change of the archives. Starting the process
//! and opening an archive take about 10 ms.

mod complete;
mod lines;
mod open;
mod own;

use crate::failure::{Code, Failure};
use crate::select::{archives, inputs};
use crate::session::Session;
use crate::text::{count, shown};
use crate::words::words;
use complete::Known;
use lines::{Line, Lines};
use open::{AnswerFormat, Open};
use own::{OWN, is_own};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

/// Ask several questions of open archives, at a prompt
///
/// Type any command of scoresheet without its archives: `list --limit 5` reads the open archives. A command that
/// begins with an archive reads this archive instead. Tab completes commands, options, fields, names and files; the
/// up arrow and Ctrl-R search earlier lines. Ctrl-C stops a command, Ctrl-D ends. Without a terminal, lines come from
/// standard input, and the exit code is 1 if a command failed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  scoresheet shell games.bga
  scoresheet shell games/*.bga --format json
  echo 'list --limit 3' | scoresheet shell games.bga

At the prompt:
  open FILE..     open more archives, or all archives of a folder
  close [FILE..]  close archives, or all of them
  archives        list the open archives
  use FILE        choose the archive for commands that read one archive
  format FORMAT   print answers as table, csv, json, or auto: as each command
                  does by default
  help [COMMAND]  list the commands, or describe one
  quit            end

A line without a closing quotation mark continues on the next line; # begins a
comment. SCORESHEET_HISTORY names the file of earlier lines, and is empty for
none.")]
pub struct Args {
    /// The archives to open, or folders of archives
    archives: Vec<PathBuf>,
    /// The format of answers, for commands that have it
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, hide_default_value = true)]
    format: AnswerFormat,
}

/// Runs the prompt. `commands` are all commands of the program.
pub fn run(args: &Args, session: &Session, mut commands: clap::Command) -> Result<Code, Failure> {
    commands.build();
    session.leave_interrupts();
    let program = std::env::current_exe().map_err(|error| Failure::Message(format!("cannot find itself: {error}")))?;
    let is_terminal = session.is_terminal() && io::stdin().is_terminal();
    let mut open = Open::default();
    open.format = args.format;
    let known = Known { commands, program, globals: session.globals().to_vec(), open };
    let mut prompt = Prompt { session, known: Rc::new(RefCell::new(known)), is_terminal, failed: false };
    if !args.archives.is_empty() {
        prompt.open(&args.archives)?;
    }
    let mut lines = match is_terminal {
        true => Lines::of_terminal(session.has_color(), Rc::clone(&prompt.known))?,
        false => Lines::Script,
    };
    if is_terminal {
        session.note("help lists the commands, Tab completes, quit ends");
    }
    loop {
        let name = prompt.known.borrow().open.name();
        let line = lines.next(&name)?;
        let stopped = || !is_terminal && session.take_interrupt();
        if stopped() {
            return Err(Failure::Interrupted("interrupted".to_owned()));
        }
        match line {
            Line::Text(text) => {
                if !prompt.line(&text)? {
                    break;
                }
            }
            Line::Interrupted => {}
            Line::End => break,
        }
        // At a terminal, Ctrl-C ends only the command.
        if stopped() {
            return Err(Failure::Interrupted("interrupted".to_owned()));
        }
    }
    Ok(if prompt.failed && !is_terminal { Code::Failed } else { Code::Success })
}

/// The state of the prompt.
struct Prompt<'a> {
    session: &'a Session,
    /// The archives and commands, which the editor completes.
    known: Rc<RefCell<Known>>,
    is_terminal: bool,
    /// Whether a command has failed.
    failed: bool,
}

impl Prompt<'_> {
    /// Runs a line. Returns whether the prompt continues. Errors: standard output cannot be written.
    fn line(&mut self, text: &str) -> Result<bool, Failure> {
        let words: Vec<String> = match words(text) {
            Ok(words) => words.into_iter().map(|word| word.text).collect(),
            Err(open) => {
                self.fail(&format!("missing closing {}", open.mark));
                return Ok(true);
            }
        };
        // Lines of a shell, with the program's name, work as well.
        let words = match words.split_first() {
            Some((first, rest)) if first == "scoresheet" => rest,
            _ => &words,
        };
        let Some((name, rest)) = words.split_first() else { return Ok(true) };
        let done = match (name.as_str(), rest) {
            ("quit" | "exit", []) => return Ok(false),
            ("open", [_, ..]) => self.open(&paths(rest)),
            ("close", _) => self.known.borrow_mut().open.close(&paths(rest)).map_err(Failure::Usage),
            ("use", [path]) => self.known.borrow_mut().open.choose(Path::new(path)).map_err(Failure::Usage),
            ("archives", []) => self.list(),
            ("format", [format]) => self.set_format(format),
            ("format", []) => self.print(&format!("{}\n", self.known.borrow().open.format)),
            ("help", []) => self.help(),
            ("open" | "use" | "archives" | "format" | "quit" | "exit", _) => {
                let (_, what) = OWN.iter().find(|(own, _)| own == name).unwrap_or(&OWN[0]);
                Err(Failure::Usage(format!("{name}: {}", what.to_lowercase())))
            }
            ("shell", _) => Err(Failure::Usage("this is the prompt: `open FILE` opens another archive".to_owned())),
            _ => {
                self.command(words);
                Ok(())
            }
        };
        match done {
            Ok(()) => {}
            Err(error @ Failure::Output(_)) => return Err(error),
            Err(error) => self.fail(&error.to_string()),
        }
        Ok(true)
    }

    /// Reports a failure, after which the prompt continues.
    fn fail(&mut self, text: &str) {
        self.session.message(text);
        self.failed = true;
    }

    /// Opens archives in addition to the open ones, and reports their games at a terminal.
    fn open(&mut self, paths: &[PathBuf]) -> Result<(), Failure> {
        for path in inputs::expand(paths, &inputs::ARCHIVES)? {
            let archive = archives::open(self.session, &path)?;
            if self.is_terminal {
                let games = count(archive.live().len(), "game", "games");
                self.session.note(&format!("{}: {games}", shown(&path)));
            }
            self.known.borrow_mut().open.add(path);
        }
        Ok(())
    }

    fn set_format(&mut self, name: &str) -> Result<(), Failure> {
        let format = <AnswerFormat as clap::ValueEnum>::from_str(name, true);
        self.known.borrow_mut().open.format =
            format.map_err(|_| Failure::Usage(format!("{name}: write auto, table, csv or json")))?;
        Ok(())
    }

    fn print(&self, text: &str) -> Result<(), Failure> {
        let mut out = self.session.stdout();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    fn list(&self) -> Result<(), Failure> {
        let text: String = self.known.borrow().open.paths().map(|path| format!("{}\n", shown(path))).collect();
        self.print(&text)
    }

    /// Lists the commands of the prompt and of the program.
    fn help(&self) -> Result<(), Failure> {
        let known = self.known.borrow();
        let commands = known.commands.get_subcommands().filter(|command| !command.is_hide_set());
        let about = |command: &clap::Command| command.get_about().map(ToString::to_string).unwrap_or_default();
        let theirs = commands.map(|command| (command.get_name().to_owned(), about(command)));
        let theirs = theirs.filter(|(name, _)| !is_own(name) && name != "shell");
        let ours = OWN.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned()));
        self.print(&ours.chain(theirs).map(|(name, what)| format!("  {name:<12}{what}\n")).collect::<String>())
    }

    /// Runs a command of the program.
    fn command(&mut self, words: &[String]) {
        let filled = self.known.borrow().fill(words);
        let filled = match filled {
            Ok(filled) => filled,
            Err(what) => return self.fail(&what),
        };
        let mut command = Command::new(&self.known.borrow().program);
        command.args(filled);
        // The lines of a script are for the prompt.
        if !self.is_terminal {
            command.stdin(Stdio::null());
        }
        match command.status() {
            Ok(status) => {
                self.failed |= !status.success();
                if status.code().is_none() {
                    self.session.message(&format!("the command ended: {status}"));
                }
            }
            Err(error) => self.fail(&format!("cannot run the command: {error}")),
        }
    }
}

fn paths(words: &[String]) -> Vec<PathBuf> {
    words.iter().map(PathBuf::from).collect()
}

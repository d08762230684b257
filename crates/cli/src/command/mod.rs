//! The list of subcommands, and the definition of the command line with clap. No subcommand imports another.

pub mod bench;
pub mod book;
pub mod brenner;
pub mod compact;
pub mod completions;
pub mod dedupe;
pub mod delete;
pub mod describe;
pub mod eco;
pub mod edit;
pub mod event;
pub mod export;
pub mod fen;
pub mod find;
mod groups;
pub mod import;
pub mod index;
pub mod info;
pub mod inspect;
pub mod list;
pub mod man;
pub mod merge;
pub mod opening;
pub mod pack;
pub mod pcn;
pub mod player;
pub mod position;
pub mod prepare;
pub mod query_help;
pub mod rename;
pub mod repair;
pub mod repertoire;
pub mod replace;
pub mod sample;
pub mod set;
#[cfg(feature = "shell")]
pub mod shell;
pub mod show;
pub mod split;
pub mod stats;
pub mod tree;
pub mod undelete;
pub mod verify;
#[cfg(feature = "view")]
pub mod view;

use crate::failure::{Code, Failure};
use crate::session::Session;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches, Parser};

/// Store, search and export chess games in compact archives
///
/// Archives keep every tag, comment and variation of a PGN file. Any position of any game can be read in about a
/// microsecond.
#[derive(Debug, Parser)]
#[command(name = "scoresheet", version, after_help = AFTER, max_term_width = 80)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Globals {
    /// Read archives instead of mapping them into memory
    ///
    /// This is safe for files that another program may truncate or change at the same time.
    #[arg(long, global = true, hide_short_help = true, help_heading = GLOBAL, display_order = 1000)]
    pub no_map: bool,
    /// Keep indexes and side files in this folder, not next to archives
    ///
    /// The default is the environment variable SCORESHEET_INDEX_DIR.
    #[arg(long, global = true, hide_short_help = true, help_heading = GLOBAL, display_order = 1001)]
    #[arg(value_name = "FOLDER")]
    pub index_dir: Option<std::path::PathBuf>,
    /// Color the output: auto, always or never
    ///
    /// auto, the default, uses color on terminals if the environment variable NO_COLOR is not set.
    #[arg(long, global = true, hide_short_help = true, help_heading = GLOBAL, display_order = 1002)]
    #[arg(value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true)]
    pub color: clap::ColorChoice,
    /// Do not run a pager on a terminal
    ///
    /// The environment variable SCORESHEET_PAGER or PAGER names the pager. The default is less.
    #[arg(long, global = true, hide_short_help = true, help_heading = GLOBAL, display_order = 1003)]
    pub no_pager: bool,
    /// Ignore the file of default options
    ///
    /// The file is ~/.config/scoresheet/config, unless the environment variable SCORESHEET_CONFIG names another file.
    #[arg(long, global = true, hide_short_help = true, help_heading = GLOBAL, display_order = 1004)]
    pub no_config: bool,
}

/// The heading of options that every command has.
const GLOBAL: &str = "Global options";

const AFTER: &str = "\
First steps:
  scoresheet import games.pgn -o games.bga    make an archive from a PGN file
  scoresheet list games.bga                   list its games
  scoresheet show games.bga 7                 show game 7
  scoresheet export games.bga -o back.pgn     get the PGN back

Separate programs: `scoresheet serve` (crates/serve) shows archives in a
browser, and `scoresheet site` (crates/site) makes a static web site of one.
`scoresheet X` runs the program scoresheet-X beside it or on PATH.

`scoresheet help query` describes the language of --where, --sort and --columns.
Games are numbered from 1. Ply 0 is the starting position; each half-move is
one ply. Exit codes: 0 success, 1 failure, 2 wrong usage, 3 games rejected with
--strict, 4 archive damaged, 5 files refused by import, 130 or 143 interrupted
(Ctrl-C, SIGTERM).";

/// Defines the subcommands: their names, their arguments and how they run.
macro_rules! subcommands {
    ($($(#[$when:meta])? $name:literal $subcommand:ident($args:ty) $run:expr;)*) => {
        // A process creates only one value of this type, so the size does not matter.
        #[allow(clippy::large_enum_variant)]
        #[derive(Debug)]
        pub enum Subcommand {
            $($(#[$when])? $subcommand($args),)*
        }

        /// The names of the subcommands.
        pub const NAMES: &[&str] = &[$($(#[$when])? $name),*];

        fn definition(name: &str) -> Option<clap::Command> {
            match name {
                $($(#[$when])? $name => Some(<$args>::augment_args(clap::Command::new($name))),)*
                _ => None,
            }
        }

        impl Subcommand {
            fn from_matches(name: &str, matches: &ArgMatches) -> Result<Subcommand, clap::Error> {
                match name {
                    $($(#[$when])? $name => <$args>::from_arg_matches(matches).map(Subcommand::$subcommand),)*
                    _ => Err(clap::Error::new(ErrorKind::InvalidSubcommand)),
                }
            }

            /// Runs the subcommand.
            pub fn run(&self, session: &Session) -> Result<Code, Failure> {
                match self {
                    $($(#[$when])? Subcommand::$subcommand(args) => $run(args, session),)*
                }
            }
        }
    };
}

subcommands! {
    "import" Import(import::Args) import::run;
    "list" List(list::Args) list::run;
    "show" Show(show::Args) show::run;
    #[cfg(feature = "view")]
    "view" View(view::Args) view::run;
    #[cfg(feature = "shell")]
    "shell" Shell(shell::Args) prompt;
    "fen" Fen(fen::Args) fen::run;
    "find" Find(find::Args) find::run;
    "tree" Tree(tree::Args) tree::run;
    "book" Book(book::Args) book::run;
    "export" Export(export::Args) export::run;
    "sample" Sample(sample::Args) sample::run;
    "position" Position(position::Args) position::run;
    "brenner" Brenner(brenner::Args) brenner::run;
    "pcn" Pcn(pcn::Args) pcn::run;
    "info" Info(info::Args) info::run;
    "describe" Describe(describe::Args) describe::run;
    "inspect" Inspect(inspect::Args) inspect::run;
    "eco" Eco(eco::Args) eco::run;
    "dedupe" Dedupe(dedupe::Args) dedupe::run;
    "delete" Delete(delete::Args) delete::run;
    "undelete" Undelete(undelete::Args) undelete::run;
    "replace" Replace(replace::Args) replace::run;
    "set" Set(set::Args) set::run;
    "rename" Rename(rename::Args) rename::run;
    "edit" Edit(edit::Args) edit::run;
    "compact" Compact(compact::Args) compact::run;
    "merge" Merge(merge::Args) merge::run;
    "split" Split(split::Args) split::run;
    "stats" Stats(stats::Args) stats::run;
    "player" Player(player::Args) player::run;
    "opening" Opening(opening::Args) opening::run;
    "event" Event(event::Args) event::run;
    "repertoire" Repertoire(repertoire::Args) repertoire::run;
    "prepare" Prepare(prepare::Args) prepare::run;
    "verify" Verify(verify::Args) verify::run;
    "repair" Repair(repair::Args) repair::run;
    "index" Index(index::Args) index::run;
    "pack" Pack(pack::PackArgs) pack::pack;
    "unpack" Unpack(pack::UnpackArgs) pack::unpack;
    "bench" Bench(bench::Args) bench::run;
    "completions" Completions(completions::Args) completions::run;
    "man" Man(man::Args) man_pages;
}

impl Subcommand {
    /// Returns whether the output is text for people, which a terminal shows in a pager.
    pub fn is_read(&self) -> bool {
        matches!(
            self,
            Subcommand::List(_)
                | Subcommand::Show(_)
                | Subcommand::Find(_)
                | Subcommand::Tree(_)
                | Subcommand::Export(_)
                | Subcommand::Position(_)
                | Subcommand::Info(_)
                | Subcommand::Inspect(_)
                | Subcommand::Stats(_)
                | Subcommand::Player(_)
                | Subcommand::Opening(_)
        )
    }
}

fn man_pages(args: &man::Args, session: &Session) -> Result<Code, Failure> {
    man::run(args, session, command_line(false))
}

#[cfg(feature = "shell")]
fn prompt(args: &shell::Args, session: &Session) -> Result<Code, Failure> {
    shell::run(args, session, command_line(false))
}

#[cfg(feature = "shell")]
impl Globals {
    /// Returns the options as words of a command line.
    pub fn words(&self) -> Vec<std::ffi::OsString> {
        let mut words = vec![format!("--color={}", self.color).into()];
        let flags = [("--no-map", self.no_map), ("--no-pager", self.no_pager), ("--no-config", self.no_config)];
        words.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.into()));
        if let Some(folder) = &self.index_dir {
            words.extend(["--index-dir".into(), folder.into()]);
        }
        words
    }
}

/// A command line that has been read.
#[derive(Debug)]
pub struct Cli {
    pub globals: Globals,
    pub command: Subcommand,
}

impl Cli {
    /// Reads the matches of a command line. The error lacks the usage of the command line.
    pub fn from_matches(matches: &ArgMatches) -> Result<Cli, clap::Error> {
        let (name, of_command) = matches.subcommand().ok_or_else(|| clap::Error::new(ErrorKind::MissingSubcommand))?;
        let command = Subcommand::from_matches(name, of_command)?;
        Ok(Cli { globals: Globals::from_arg_matches(matches)?, command })
    }
}

/// Returns the command line with these subcommands.
pub fn with_subcommands(names: &[&str]) -> clap::Command {
    names.iter().filter_map(|name| definition(name)).fold(Globals::command(), clap::Command::subcommand)
}

/// Returns the command line with all subcommands. The help of the program lists all of them, or only the common
/// subcommands if `is_short` is set.
pub fn command_line(is_short: bool) -> clap::Command {
    groups::with_helps(with_subcommands(NAMES), is_short)
}

/// Returns a command line that knows one subcommand, which takes a fraction of the time.
pub fn of_subcommand(name: &str) -> clap::Command {
    with_subcommands(&[name])
}

#[cfg(test)]
mod tests {
    use super::*;
    use groups::{SCREEN, template};

    #[test]
    fn every_command_is_listed_once_and_fits() {
        let commands = with_subcommands(NAMES);
        let template = template(&commands, false);
        for command in commands.get_subcommands() {
            let name = command.get_name();
            assert_eq!(template.matches(&format!("\x1b[1m{name}\x1b[0m")).count(), 1, "{name}");
        }
        let plain = template.replace("\x1b[1m", "").replace("\x1b[4m", "").replace("\x1b[0m", "");
        assert!(plain.lines().all(|line| line.chars().count() <= SCREEN || line.contains('{')), "{plain}");
    }
}

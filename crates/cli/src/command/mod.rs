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
pub mod query_help;
pub mod rename;
pub mod repair;
pub mod replace;
pub mod sample;
pub mod set;
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
use clap::{CommandFactory, Parser, Subcommand};

/// Store, search and export chess games in compact archives
///
/// Archives keep every tag, comment and variation of a PGN file. Any position of any game can be read in about a
/// microsecond.
#[derive(Debug, Parser)]
#[command(name = "scoresheet", version, after_help = AFTER, max_term_width = 80)]
pub struct Cli {
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
    #[command(subcommand)]
    pub command: Command,
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

// A process creates only one value of this type, so the size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Subcommand)]
pub enum Command {
    Import(import::Args),
    List(list::Args),
    Show(show::Args),
    #[cfg(feature = "view")]
    View(view::Args),
    Fen(fen::Args),
    Find(find::Args),
    Tree(tree::Args),
    Book(book::Args),
    Export(export::Args),
    Sample(sample::Args),
    Position(position::Args),
    Brenner(brenner::Args),
    Pcn(pcn::Args),
    Info(info::Args),
    Describe(describe::Args),
    Inspect(inspect::Args),
    Eco(eco::Args),
    Dedupe(dedupe::Args),
    Delete(delete::Args),
    Undelete(undelete::Args),
    Replace(replace::Args),
    Set(set::Args),
    Rename(rename::Args),
    Edit(edit::Args),
    Compact(compact::Args),
    Merge(merge::Args),
    Split(split::Args),
    Stats(stats::Args),
    Player(player::Args),
    Opening(opening::Args),
    Verify(verify::Args),
    Repair(repair::Args),
    Index(index::Args),
    Pack(pack::PackArgs),
    Unpack(pack::UnpackArgs),
    Bench(bench::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Returns whether the output is text for people, which a terminal shows in a pager.
    pub fn is_read(&self) -> bool {
        matches!(
            self,
            Command::List(_)
                | Command::Show(_)
                | Command::Find(_)
                | Command::Tree(_)
                | Command::Export(_)
                | Command::Position(_)
                | Command::Info(_)
                | Command::Inspect(_)
                | Command::Stats(_)
                | Command::Player(_)
                | Command::Opening(_)
        )
    }
}

/// Returns the command line. The help of the program lists all subcommands, or only the common subcommands if
/// `is_short` is set.
pub fn command_line(is_short: bool) -> clap::Command {
    groups::with_helps(Cli::command(), is_short)
}

/// Runs the subcommand.
pub fn run(command: &Command, session: &Session) -> Result<Code, Failure> {
    match command {
        Command::Import(args) => import::run(args, session),
        Command::Info(args) => info::run(args, session),
        Command::Describe(args) => describe::run(args, session),
        Command::Inspect(args) => inspect::run(args, session),
        Command::Show(args) => show::run(args, session),
        #[cfg(feature = "view")]
        Command::View(args) => view::run(args, session),
        Command::Fen(args) => fen::run(args, session),
        Command::Find(args) => find::run(args, session),
        Command::Tree(args) => tree::run(args, session),
        Command::Book(args) => book::run(args, session),
        Command::List(args) => list::run(args, session),
        Command::Export(args) => export::run(args, session),
        Command::Sample(args) => sample::run(args, session),
        Command::Position(args) => position::run(args, session),
        Command::Brenner(args) => brenner::run(args, session),
        Command::Pcn(args) => pcn::run(args, session),
        Command::Dedupe(args) => dedupe::run(args, session),
        Command::Eco(args) => eco::run(args, session),
        Command::Delete(args) => delete::run(args, session),
        Command::Undelete(args) => undelete::run(args, session),
        Command::Replace(args) => replace::run(args, session),
        Command::Set(args) => set::run(args, session),
        Command::Rename(args) => rename::run(args, session),
        Command::Edit(args) => edit::run(args, session),
        Command::Compact(args) => compact::run(args, session),
        Command::Merge(args) => merge::run(args, session),
        Command::Split(args) => split::run(args, session),
        Command::Stats(args) => stats::run(args, session),
        Command::Player(args) => player::run(args, session),
        Command::Opening(args) => opening::run(args, session),
        Command::Verify(args) => verify::run(args, session),
        Command::Repair(args) => repair::run(args, session),
        Command::Index(args) => index::run(args, session),
        Command::Pack(args) => pack::pack(args, session),
        Command::Unpack(args) => pack::unpack(args, session),
        Command::Bench(args) => bench::run(args, session),
        Command::Completions(args) => completions::run(args, session),
        Command::Man(args) => man::run(args, session, command_line(false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groups::{SCREEN, template};

    #[test]
    fn every_command_is_listed_once_and_fits() {
        let commands = Cli::command();
        let template = template(&commands, false);
        for command in commands.get_subcommands() {
            let name = command.get_name();
            assert_eq!(template.matches(&format!("\x1b[1m{name}\x1b[0m")).count(), 1, "{name}");
        }
        let plain = template.replace("\x1b[1m", "").replace("\x1b[4m", "").replace("\x1b[0m", "");
        assert!(plain.lines().all(|line| line.chars().count() <= SCREEN || line.contains('{')), "{plain}");
    }
}

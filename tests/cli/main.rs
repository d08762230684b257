//! The command `scoresheet` as users see it: arguments in, output, files and exit code out. Nothing here looks into the
//! library.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// Searches and filters against python-chess.
mod brute;
/// Games changed under their numbers; what is imported and exported, and how wide it is.
mod changes;
/// Every subcommand: its output and its exit codes.
mod commands;
/// Default options, colors, the pager, the exit code for no game, completion.
mod conveniences;
/// The cookbook of `docs`, run.
mod cookbook;
/// The jobs of every day: listing, sorting, clocks, samples, groups.
mod daily;
/// Every example of the five source documents, by its number.
mod documents;
/// Every example of the help texts and documents.
#[cfg(unix)]
mod examples;
/// Bad input, damage, outputs that take nothing.
mod failures;
/// `find` and `tree`.
mod find;
/// What is taken for games and what is refused; how faults and differences are reported.
mod inputs;
/// `inspect`: the parts of files.
mod inspect;
/// Short helps, headings, old names of options, the same options everywhere.
mod interface;
/// Signals: nothing unfinished is left.
mod interrupt;
/// Filters, and commands that make new archives of old ones.
mod manage;
/// Memory that the system refuses.
#[cfg(target_os = "linux")]
mod memory;
/// Positions, Brenner moves, FEN flavours and PCN.
mod notations;
/// The source's bytes back, comparison with files, rejected games, encodings.
mod original;
/// Files that commands write: never an input, never another kind of file.
mod outputs;
/// `position` with lists of FENs and EPDs.
mod positions;
/// Questions with their answers, which are asked at every door.
mod questions;
/// Pages of `--report`.
mod report;
/// `import --resume`.
mod resume;
/// What fits a screen of 80 columns.
mod screen;
/// Slips: names that nobody has, values that cannot be, queries that find nothing.
mod slips;
/// Side files that follow what is changed.
mod upkeep;

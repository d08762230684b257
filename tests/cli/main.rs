//! The command `scoresheet` as users see it: arguments in, output, files and exit code out. No test here uses the
//! library's internals.

/// Shared by all test programs.
#[path = "../common/with_command.rs"]
mod common;

/// Searches and filters against python-chess.
mod brute;
/// Games changed under their numbers; imports, exports, and widths of lines.
mod changes;
/// Every subcommand: its output and its exit codes.
mod commands;
/// Default options, colors, the pager, the exit code for no game, completion.
mod conveniences;
/// Runs the cookbook of `docs`.
mod cookbook;
/// Everyday jobs: listing, sorting, clocks, samples, groups.
mod daily;
/// Every example of the five source documents, by its number.
mod documents;
/// Every example of the help texts and documents.
#[cfg(unix)]
mod examples;
/// Bad input, damage, unwritable outputs.
mod failures;
/// `find` and `tree`.
mod find;
/// Files accepted and refused as games; reports of faults and differences.
mod inputs;
/// `inspect`: the parts of files.
mod inspect;
/// Short helps, headings, old names of options, the same options everywhere.
mod interface;
/// Signals: nothing unfinished is left.
mod interrupt;
/// Filters, and commands that make new archives from existing ones.
mod manage;
/// Refused memory.
#[cfg(target_os = "linux")]
mod memory;
/// Positions, Brenner moves, FEN flavours and PCN.
mod notations;
/// Restored sources, comparison with files, rejected games, encodings.
mod original;
/// Output files: never an input, never another kind of file.
mod outputs;
/// Lists of FENs and EPDs as sources.
mod position_lists;
/// `position` with lists of FENs and EPDs.
mod positions;
/// Sheets for a game against a player.
mod prepare;
/// Questions with their answers, for every interface.
mod questions;
/// Games against a repertoire.
mod repertoire;
/// Pages of `--report`.
mod report;
/// `import --resume`.
mod resume;
/// Output fits a screen of 80 columns.
mod screen;
/// The prompt: archives and formats filled in, errors, completion, Ctrl-C.
#[cfg(feature = "shell")]
mod shell;
/// Slips: unknown names, impossible values, queries without results.
mod slips;
/// Training data of engines.
mod training;
/// Side files follow every change.
mod upkeep;
/// Values as people write them.
mod values;

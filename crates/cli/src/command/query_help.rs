//! `scoresheet help query`: describes the language of `--where`, `--sort` and `--columns` on one screen. docs/QUERY.md
//! has the details.

/// The names of the help topic.
pub const NAMES: [&str; 3] = ["query", "fields", "where"];

/// The help.
pub const TEXT: &str = r#"Queries select games by their tags, clocks, evaluations and moves

  scoresheet list games.bga --where 'player ~ carlsen and year >= 2020'
  scoresheet list games.bga --sort -elo,date --columns white,black,accuracy

Conditions, joined by and, or, not and parentheses:
  white = "Carlsen, Magnus"      exactly this text; != any other text
  white ~ carl                   contains this; case is ignored
  opening ^= Sicilian            begins with this
  elo >= 2700                    < <= > >= = != with numbers, dates, codes
  year in 2010..2020             a range; 2010.. and ..2020 are open
  result in {1-0, 0-1}           one of a set; not in excludes a set
  date >= today - 3y             y, m, w, d: years, months, weeks, days
  has(annotator)                 has a value; missing(annotator) has none
  "My Tag" = x                   any tag, by name

Fields of tags:
  white black event site round annotator termination ..
                                 the text of the tag
  player                         either player's name
  winner loser                   name of the player who won, or lost
  opening                        the tag, or found from the moves
  eco                            B90; B9 matches B90 to B99, B all B codes
  result                         1-0 or white, 0-1 or black, 1/2-1/2 or draw
  movetextresult                 the result after the moves
  date year month day eventdate  1998.05 is any day of that month
  elo                            either rating; whiteelo, blackelo: of one side
  minelo maxelo avgelo elodiff   of the two ratings
  base increment                 seconds of the time control
  speed                          bullet, blitz, rapid, classical ..
  variant                        the tag Variant; variant = any for all games
  plies moves game               half-moves, full moves, the game's number

Fields of clocks, evaluations and the last position:
  lowclock timeused              seconds, or 1:30
  accuracy acpl                  0 to 100; centipawns lost per move
  inaccuracies mistakes blunders number of each
  depth nodes                    of the engine's searches: maximum, total
  pvlength                       moves in the longest principal variation
  mineval maxeval evalswing      pawns
  besteval worsteval             pawns, from the side's point of view
  sacrifice                      pawns of material given up until the end
  mate                           pawn, knight, bishop, rook, queen, king: the
                                 piece that mates
  ending                         rook, pawn, minor .., or "KRP v KR": the last
                                 position
  end                            checkmate, repetition, resignation, time ..
  repetitions                    of the most frequent position
  announcedmate                  the fewest moves to a mate in an evaluation
  comment                        the comments: comment ~ zugzwang
  glyph mainglyph                $4 or "!?": anywhere, or in the main line
  novelty                        half-moves until the game leaves all others;
                                 needs a position index
  The prefix white or black, as in whiteblunders, selects a side.

Fields of a player, on the same side throughout the query:
  opponent color score           a name; white or black; 1, 0.5 or 0
  playerelo opponentelo playerblunders opponentlowclock ..

Facts, used without a comparison:
  comments variations glyphs     the game has some
  setup fault                    a non-standard start; a fault in the source

Questions as JSON, for find --query; all members must match, e.g.
'{"moves": "e4 c5", "where": "elo >= 2500", "sort": "-elo", "limit": 10}':
  where games fen moves every any_side any_castling any_en_passant board pawns
  material imbalance structure white_move black_move at_move moved captured
  end plies query either_color mistake clock_below mate_in swing all_plies
  variations in_pv repertoire side leaves variant sort offset limit

A missing value matches no comparison, not even !=. Sort keys are fields;
- before a field sorts in descending order. docs/QUERY.md has the complete
language.
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use scoresheet_query::Filter;

    #[test]
    fn every_field_is_there_and_every_example_is_read() {
        let words: Vec<&str> = TEXT.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
        let rows = include_str!("../../../../docs/QUERY.md").lines().filter(|line| line.starts_with("| `"));
        let mut fields = 0;
        for row in rows {
            let names = row.split('|').nth(1).unwrap_or_default();
            for name in names.split('`').skip(1).step_by(2) {
                fields += 1;
                assert!(words.contains(&name), "no {name}");
            }
        }
        assert!(fields > 40, "{fields}");
        let examples = TEXT.split("Conditions").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
        let examples: Vec<&str> = examples.lines().skip(1).filter_map(|line| line.get(2..31)).collect();
        assert_eq!(examples.len(), 9);
        for example in examples {
            assert!(Filter::parse(example.trim()).is_ok(), "{example}");
        }
        assert!(TEXT.lines().all(|line| line.chars().count() <= 80), "{TEXT}");
    }
}

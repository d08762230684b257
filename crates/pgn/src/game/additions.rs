//! What a game implies, written into its text: the result that its moves or tags state, times used, and each variation
//! as a game.

use super::{Comment, Event, Game, Outcome, TextKind, first_time_used, time_control, time_used};
use scoresheet_chess::Color;
use std::time::Duration;

impl Game {
    /// Lets the tag Result and the result after the moves state the same. The end on the board decides (a mate, a
    /// stalemate, or a win by the rules of a variant), then the result after the moves, then the tag.
    ///
    /// ```
    /// use scoresheet_pgn::game::{Game, Outcome};
    ///
    /// let mut game = Game::default();
    /// # let pgn = b"[Result \"1/2-1/2\"]\n\n1. f3 e5 2. g4 Qh4# *";
    /// # scoresheet_pgn::read_game(pgn, 0, &Default::default(), &mut game);
    /// // [Result "1/2-1/2"] 1. f3 e5 2. g4 Qh4# *
    /// game.fix_result();
    /// assert_eq!((game.tag("Result"), game.outcome), (Some("0-1"), Some(Outcome::BlackWins)));
    /// ```
    pub fn fix_result(&mut self) {
        let mut last = self.start_by_rules();
        self.main_line().for_each(|m| last.play_unchecked(m));
        let stated = |outcome: &Outcome| *outcome != Outcome::Unknown;
        let by_tag = || self.tag("Result").and_then(|text| Outcome::parse(text.as_bytes())).filter(stated);
        let outcome = match last.winner() {
            Some(Color::White) => Outcome::WhiteWins,
            Some(Color::Black) => Outcome::BlackWins,
            None if !last.has_legal_move() => Outcome::Draw,
            None => self.outcome.filter(stated).or_else(by_tag).unwrap_or(Outcome::Unknown),
        };
        self.outcome = Some(outcome);
        match self.tags.iter_mut().find(|(name, _)| name == "Result") {
            Some((_, value)) => outcome.token().clone_into(value),
            None => self.tags.push(("Result".to_owned(), outcome.token().to_owned())),
        }
    }

    /// Adds the time used, as `[%emt 0:00:07]`, to each comment of the main line that has a clock but no time used, if
    /// the clocks and the tag TimeControl determine it.
    pub fn add_elapsed(&mut self) {
        let control = self.tag("TimeControl").map(str::as_bytes).and_then(time_control);
        let (clocks, known) = (self.clocks(), self.notes().of_plies(Comment::elapsed));
        let mut used = Vec::with_capacity(clocks.len());
        for (index, clock) in clocks.iter().enumerate() {
            let is_known = known.get(index).is_some_and(Option::is_some);
            let reading = clock.zip(control).filter(|_| !is_known);
            used.push(reading.and_then(|(clock, (base, increment))| match index.checked_sub(2) {
                Some(index) => time_used(clocks.get(index).copied().flatten()? + increment, clock),
                None => first_time_used(base, increment, clock),
            }));
        }
        let (mut depth, mut ply) = (0usize, 0usize);
        for event in &mut self.events {
            match event {
                Event::Open => depth += 1,
                Event::Close => depth = depth.saturating_sub(1),
                Event::Move(_) if depth == 0 => ply += 1,
                Event::Text(TextKind::Brace, text) if depth == 0 && text.contains("[%clk ") => {
                    let time = ply.checked_sub(1).and_then(|index| used.get_mut(index)?.take());
                    time.into_iter().for_each(|time| add_command(text, time));
                }
                _ => {}
            }
        }
    }

    /// Returns a game for each line: the main line without variations, and then each variation with the moves before it,
    /// in the order in which the variations begin. All have the tags of this game, but a variation has no
    /// PlyCount, and its result is unknown.
    ///
    /// ```
    /// # let mut game = scoresheet_pgn::game::Game::default();
    /// # let pgn = b"1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nc3 1-0";
    /// # scoresheet_pgn::read_game(pgn, 0, &Default::default(), &mut game);
    /// // 1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Nc3 1-0
    /// let lines = game.lines();
    /// let moves = |line: usize| lines[line].main_line().map(|m| m.to.to_string()).collect::<Vec<_>>().join(" ");
    /// assert_eq!([moves(0), moves(1), moves(2)], ["e4 e5 c3", "e4 c5 f3", "e4 c5 c3"]);
    /// ```
    pub fn lines(&self) -> Vec<Game> {
        let mut lines: Vec<Vec<Event>> = vec![Vec::new()];
        let mut open = vec![0usize];
        for event in &self.events {
            match event {
                Event::Open => {
                    let outer = open.last().and_then(|line| lines.get(*line)).cloned().unwrap_or_default();
                    let replaced = outer.iter().rposition(|event| matches!(event, Event::Move(_)));
                    open.push(lines.len());
                    lines.push(outer.into_iter().take(replaced.unwrap_or(0)).collect());
                }
                Event::Close => drop(open.pop()),
                event => {
                    if let Some(line) = open.last().and_then(|line| lines.get_mut(*line)) {
                        line.push(event.clone());
                    }
                }
            }
        }
        let games = lines.into_iter().enumerate().map(|(index, events)| {
            let (start, tags) = (self.start.clone(), self.tags.clone());
            let mut game = Game { start, tags, events, outcome: self.outcome };
            if index > 0 {
                game.outcome = Some(Outcome::Unknown);
                game.tags.retain(|(name, _)| name != "PlyCount");
                game.tags.iter_mut().filter(|(name, _)| name == "Result").for_each(|(_, value)| "*".clone_into(value));
            }
            game
        });
        games.collect()
    }
}

/// Adds a time used after the clock in a comment.
fn add_command(text: &mut String, time: Duration) {
    let Some(start) = text.find("[%clk ") else { return };
    let Some(end) = text.get(start..).and_then(|rest| rest.find(']')) else { return };
    let seconds = time.as_secs();
    let mut command = format!(" [%emt {}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match time.subsec_millis() {
        0 => {}
        part => command += format!(".{part:03}").trim_end_matches('0'),
    }
    text.insert_str(start + end + 1, &(command + "]"));
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{PgnWriter, read_game};

    fn game(pgn: &str) -> Game {
        let mut game = Game::default();
        read_game(pgn.as_bytes(), 0, &Default::default(), &mut game);
        game
    }

    fn moves_of(game: &Game) -> String {
        let mut writer = PgnWriter::new();
        writer.write(game);
        let text = String::from_utf8(writer.into_bytes()).unwrap();
        text.rsplit_once("]\n\n").map_or(&*text, |(_, moves)| moves).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn results_agree() {
        for (tag, moves, expected) in [
            ("1-0", "1. e4 *", "1-0"),
            ("1-0", "1. e4 0-1", "0-1"),
            ("*", "1. e4 1/2-1/2", "1/2-1/2"),
            ("?", "1. e4", "*"),
            ("1-0", "1. f3 e5 2. g4 Qh4# 1/2-1/2", "0-1"),
        ] {
            let mut game = game(&format!("[Result \"{tag}\"]\n\n{moves}\n"));
            game.fix_result();
            assert_eq!(
                (game.tag("Result"), game.outcome.unwrap().token()),
                (Some(expected), expected),
                "{tag} {moves}"
            );
        }
        for (variant, fen, moves, expected) in [
            ("Antichess", "8/8/8/8/8/1p6/P7/8 w - - 0 1", "1. axb3", "0-1"),
            ("Antichess", "8/8/8/p7/8/P7/8/8 w - - 0 1", "1. a4", "0-1"),
            ("King of the Hill", "7k/8/8/8/8/4K3/8/8 w - - 0 1", "1. Kd4", "1-0"),
            ("Racing Kings", "8/5K1k/8/8/8/8/8/8 w - - 0 1", "1. Kf8 Kh8", "1/2-1/2"),
            ("Racing Kings", "8/5K1k/8/8/8/8/8/8 w - - 0 1", "1. Kf8", "*"),
        ] {
            let tags = format!("[Variant \"{variant}\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]");
            let mut game = game(&format!("{tags}\n\n{moves} *\n"));
            game.fix_result();
            assert_eq!(game.tag("Result"), Some(expected), "{variant}: {moves}");
        }
        let mut none = game("1. e4 1-0");
        none.fix_result();
        assert_eq!(none.tag("Result"), Some("1-0"));
    }

    #[test]
    fn times_used_are_added() {
        let mut timed = game(
            "[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:02:59]} e5 {[%clk 0:03:00] good} 2. Nf3 {[%clk 0:02:50.5]} \
             Nc6 {[%clk 0:02:52] [%emt 0:00:11]} 3. Bb5 {[%clk 0:09:00]} (3. d4 {[%clk 0:02:00]}) a6 *",
        );
        timed.add_elapsed();
        assert_eq!(
            moves_of(&timed),
            "1. e4 {[%clk 0:02:59] [%emt 0:00:01]} 1... e5 {[%clk 0:03:00] [%emt 0:00:00] good} 2. Nf3 {[%clk 0:02:50.5] \
             [%emt 0:00:10.5]} 2... Nc6 {[%clk 0:02:52] [%emt 0:00:11]} 3. Bb5 {[%clk 0:09:00]} ( 3. d4 {[%clk 0:02:00]} \
             ) 3... a6 *"
                .replace("( 3", "(3")
                .replace("} )", "})")
        );
        // Without a time control, nothing is known.
        let mut untimed = game("1. e4 {[%clk 0:02:59]} e5 {[%clk 0:03:00]} *");
        untimed.add_elapsed();
        assert!(!moves_of(&untimed).contains("emt"));
    }

    #[test]
    fn variations_are_lines() {
        let whole =
            game("[Result \"1-0\"]\n\n1. e4 {a} e5 (1... c5 $1 2. Nf3 (2. c3 {b}) d6) (1... e6) 2. Nf3 Nc6 1-0");
        let lines: Vec<String> = whole.lines().iter().map(moves_of).collect();
        let expected = [
            "1. e4 {a} 1... e5 2. Nf3 Nc6 1-0",
            "1. e4 {a} 1... c5 $1 2. Nf3 d6 *",
            "1. e4 {a} 1... c5 $1 2. c3 {b} *",
            "1. e4 {a} 1... e6 *",
        ];
        assert_eq!(lines, expected);
        assert!(whole.lines().iter().all(|line| line.check().is_ok()));
        assert_eq!(whole.lines()[1].tag("Result"), Some("*"));
    }
}

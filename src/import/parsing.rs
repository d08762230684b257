//! Parses the games of a job.

use super::feed::Segment;
use super::game_source::GameReceiver;
use super::options::ImportOptions;
use super::parsed::{End, GameRun, Parsed, Run, Tee};
use super::summary::FaultReport;
use crate::format::loose;
use crate::pgn::{Disposition, Fault, FaultKind, Oversized, PieceLetters, ReadOptions, read_game_text, read_position};

impl Parsed {
    /// Parses the games of a segment. Games of variants with records of their own coding do not share a chunk with other
    /// games: the games before such a change go to `done`.
    pub fn take(&mut self, segment: Segment, options: &ImportOptions, done: &mut Vec<Parsed>) {
        let read = &options.read;
        let (mut batch, checkpoint) = match segment {
            Segment::Batch(batch, checkpoint) => (batch, checkpoint),
            Segment::Games(source, batch) => return GameReceiver::take(self, source, &*batch, options, done),
            Segment::End { source, text, is_complete } => {
                return self.runs.push(Run::End { source, text, is_complete });
            }
        };
        let source = batch.source as usize;
        let mut run = GameRun { source, ..GameRun::default() };
        // The offset in the batch of the first byte that does not belong to a game yet.
        let mut free = 0;
        // The number of bytes of the batch that finished chunks contain.
        let mut counted_bytes = 0;
        if let Some(Oversized { offset, line, head, .. }) = batch.oversized.take() {
            (run.seen, run.rejected) = (1, 1);
            let fault = Fault { kind: FaultKind::Oversized, offset: 0, ply: 0, token: Box::default() };
            let rejected = options.keep_rejected.then(|| head.into());
            run.faults.push((1, FaultReport { source, offset, line, game: 0, stored: None, fault, more: 0, rejected }));
        }
        for span in &batch.spans {
            // The offset up to which lines have been counted, and the number of the line at this offset.
            let mut counted = (0, span.line);
            let text = batch.span(span);
            let mut at = 0;
            while at < text.len() {
                self.layout.begin();
                let begin = at;
                let mut both = Tee(&mut self.chunk, self.layout.writer());
                let reading = match batch.is_positions {
                    true => read_position(text, read, &mut both),
                    false => read_game_text(text, begin, read, &mut both),
                };
                if reading.disposition == Some(Disposition::Stored) && self.chunk.needs_new_chunk() {
                    self.chunk.rewind();
                    self.pgn_bytes += (free - counted_bytes) as u64;
                    counted_bytes = free;
                    self.end_run(std::mem::replace(&mut run, GameRun { source, ..GameRun::default() }));
                    done.push(std::mem::take(self));
                    continue;
                }
                // The offset must increase in every iteration. Otherwise, the loop might not end.
                at = reading.next.max(at + 1);
                run.seen += u64::from(reading.disposition.is_some());
                run.windows_1252 += u64::from(reading.windows_1252);
                run.foreign_letters += u64::from(reading.letters.is_some());
                let stored_index = match reading.disposition {
                    None => continue,
                    Some(Disposition::Stored) => {
                        self.chunk.end_game(!reading.faults.is_empty());
                        let end = (span.start + at).min(batch.text.len());
                        let (all, game_text) =
                            (&batch.text[free..end], &text[reading.start.min(at)..at.min(text.len())]);
                        match batch.is_positions {
                            true => self.layout.end_position(all),
                            false => self.layout.end_game(all, game_text, reading.windows_1252, |writer| {
                                // The letters are known now.
                                let letters = reading.letters.unwrap_or(PieceLetters::ENGLISH);
                                let again = ReadOptions { letters: Some(letters), ..*read };
                                read_game_text(text, begin, &again, writer);
                            }),
                        }
                        free = end;
                        self.plies += u64::from(reading.plies);
                        self.faulty += u64::from(!reading.faults.is_empty());
                        run.stored += 1;
                        Some(run.stored - 1)
                    }
                    Some(Disposition::Rejected) => {
                        self.chunk.rewind();
                        run.rejected += 1;
                        None
                    }
                };
                let count = reading.faults.len();
                if count > 0 {
                    counted = (begin, counted.1 + batch.lines(span, counted.0, begin));
                }
                let mut rejected_text = (options.keep_rejected && stored_index.is_none())
                    .then(|| text.get(reading.start..at).unwrap_or(&text[reading.start..]).into());
                for (index, fault) in reading.faults.into_iter().enumerate() {
                    let report = FaultReport {
                        source,
                        offset: span.offset + fault.offset as u64,
                        line: counted.1 + batch.lines(span, begin, fault.offset),
                        game: 0,
                        stored: stored_index,
                        fault,
                        more: if index + 1 == count { reading.more_faults } else { 0 },
                        rejected: if index + 1 == count { rejected_text.take() } else { None },
                    };
                    run.faults.push((run.stored + run.rejected, report));
                }
            }
        }
        self.pgn_bytes += (batch.text.len() - counted_bytes) as u64;
        let rest = &batch.text[free..];
        let held = rest.is_empty() || run.stored > 0 && self.layout.append(rest);
        run.loose = (!held).then(|| loose::compress(rest, options.level));
        run.end = checkpoint.map_or(End::Open, End::At);
        self.end_run(run);
        batch.recycle();
    }

    /// Adds a run of games, and counts its rejected games.
    pub fn end_run(&mut self, run: GameRun) {
        self.rejected += run.rejected;
        self.runs.push(Run::Games(run));
    }
}

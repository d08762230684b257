//! Scans for the ends of spans: a state machine over the bytes read so far.

use crate::bytes::{
    BOM, begins_line, count_lines, empty_lines, from, is_all_blank, is_blank, is_line_end, line_end, run_length, slice,
    trim_end,
};
use crate::fault::FaultKind;
use crate::game::Outcome;
use crate::masks::line_ends;
use crate::tags;

/// The state of the scan for the end of a span. All positions are offsets in the buffer.
#[derive(Clone, Copy)]
pub(crate) struct Scan {
    pub(crate) at: usize,
    /// The end of the bytes from `at` that have been searched.
    probed: usize,
    mode: Mode,
    section: Section,
    /// Whether `at` is at the beginning of a line.
    fresh: bool,
    /// Whether the last tag line has no closing quote.
    open_tag: bool,
    /// In movetext: an offset whose line is known not to be an escape, or the offset of a line ending.
    checked: usize,
    /// In long movetext: whether the last line that was not empty ended with a termination marker.
    marker: bool,
    /// The offset up to which `}` has been searched for from the start of the comment, and whether there is a `}` at
    /// this offset.
    close: usize,
    closed: bool,
    /// A range that contains no line endings, where the end is excluded. It saves repeated searches on the same line.
    unbroken: (usize, usize),
    /// In movetext: the start of the lines with `;` comments that follow an empty line and extend to `at`. They belong to
    /// the next game if a tag pair follows.
    notes: Option<usize>,
    /// The start of the run of blanks that extends to `at`, or `None` if there is no run or it is unknown.
    blanks: Option<usize>,
}

impl Scan {
    /// Returns the state at the beginning of a span.
    pub(crate) fn new(at: usize) -> Scan {
        Scan {
            at,
            probed: at,
            mode: Mode::Head,
            section: Section::Start,
            fresh: true,
            open_tag: false,
            checked: at,
            marker: false,
            close: 0,
            closed: false,
            unbroken: (at, at),
            notes: None,
            blanks: None,
        }
    }

    /// Begins a span. The knowledge about the next `}` remains valid.
    pub(crate) fn begin(&mut self, at: usize) {
        *self = Scan { close: self.close, closed: self.closed, unbroken: self.unbroken, ..Scan::new(at) };
    }

    /// Adjusts the state after `count` bytes have been removed before `at`.
    pub(crate) fn back(&mut self, count: usize) {
        self.at = self.at.saturating_sub(count);
        self.probed = self.probed.saturating_sub(count);
        self.checked = self.checked.saturating_sub(count);
        self.closed &= self.close >= count;
        self.close = self.close.saturating_sub(count);
        self.unbroken = (self.unbroken.0.saturating_sub(count), self.unbroken.1.saturating_sub(count));
        self.notes = self.notes.and_then(|notes| notes.checked_sub(count));
        self.blanks = self.blanks.map(|blanks| blanks.saturating_sub(count));
    }

    fn goes_on(&mut self, at: usize, mode: Mode) {
        (self.at, self.probed, self.mode) = (at, at, mode);
    }
}

/// The kind of text at the current position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    /// A line whose kind is unknown, before any movetext.
    Head,
    /// A line that begins with `[`.
    Tag,
    /// The rest of a line whose content is irrelevant.
    Line,
    /// Movetext.
    Moves,
    /// A brace comment.
    Comment,
}

/// The section of a game that the scan has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    /// Only comments so far.
    Start,
    /// Tags, without a following empty line so far.
    Tags,
    /// Tags, followed by an empty line.
    TagsAndBlank,
    /// Movetext.
    Moves,
}

/// The result of a step of the scan.
pub(crate) enum Step {
    /// Continue.
    On,
    /// More bytes are needed.
    More,
    /// The span ends here.
    Cut(usize),
}

/// The maximum length of a tag line that the scan examines.
const LONG_LINE: usize = 1 << 20;
/// The length of a span from which its movetext is also cut after termination markers.
const LONG_REGION: u64 = 8 << 10;
/// The number of consecutive blanks at which a span ends.
const LONG_BLANK: usize = 64 << 10;
/// The maximum number of bytes to examine in a line, and the number of bytes to keep beyond the scan.
pub(crate) const REACH: usize = 2048;
/// The input for a step of the scan.
pub(crate) struct View<'a> {
    pub(crate) text: &'a [u8],
    /// Whether the text is complete, that is, whether the source has ended.
    pub(crate) ended: bool,
    pub(crate) span: usize,
    /// The number of bytes of the span that are no longer in the text.
    pub(crate) given: u64,
    pub(crate) longest_comment: usize,
}

impl View<'_> {
    /// Advances to the next cut, or to the point at which more bytes are needed.
    pub(crate) fn advance(&self, scan: &mut Scan) -> Step {
        loop {
            let step = match scan.mode {
                Mode::Head => self.head(scan),
                Mode::Tag => self.tag(scan),
                Mode::Line => self.line(scan),
                Mode::Moves => self.moves(scan),
                Mode::Comment => self.comment(scan),
            };
            match step {
                Step::On => {}
                _ => return step,
            }
        }
    }

    /// Returns the position after the line ending at `at`, or `None` if it depends on a byte that has not been read.
    fn behind_line_end(&self, at: usize) -> Option<usize> {
        match (self.text.get(at), self.text.get(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            (Some(b'\r'), None) if !self.ended => None,
            _ => Some(at + 1),
        }
    }

    /// Returns whether the text is long enough to recognize a tag pair at `at`.
    fn shows_line(&self, at: usize) -> bool {
        self.ended || self.text.len() >= at + REACH || line_end(self.text, at) < self.text.len()
    }

    /// Returns the end of the line that contains `at`, or the end of the text.
    fn line_end(&self, scan: &mut Scan, at: usize) -> usize {
        let (start, end) = scan.unbroken;
        let known = (start..=end).contains(&at);
        let end = line_end(self.text, if known { end } else { at });
        scan.unbroken = (if known { start } else { at }, end);
        end
    }

    fn head(&self, scan: &mut Scan) -> Step {
        let mut i = scan.probed;
        let longest = *scan.blanks.get_or_insert(scan.at) + LONG_BLANK;
        let byte = loop {
            match self.text.get(i) {
                _ if i >= longest => return Step::Cut(i),
                Some(0xEF) if self.text.len() < i + BOM.len() && !self.ended => break None,
                Some(0xEF) if from(self.text, i).starts_with(BOM) => i += BOM.len(),
                Some(b' ') => i += run_length(slice(self.text, i, longest), b' '),
                Some(b'\t' | 0x0B | 0x0C | 0x1A | 0) => i += 1,
                step => break step.copied(),
            }
        };
        scan.probed = i;
        if !matches!(byte, None | Some(b'\n' | b'\r')) {
            scan.blanks = None;
        }
        match byte {
            None => return Step::More,
            Some(b'\n' | b'\r') => {
                let Some(next) = self.behind_line_end(i) else { return Step::More };
                if scan.fresh {
                    scan.open_tag = false;
                    if scan.section == Section::Tags {
                        scan.section = Section::TagsAndBlank;
                    }
                }
                // Empty lines that follow have the same effect as one.
                let more = empty_lines(slice(self.text, next, longest));
                if more > 0 {
                    scan.open_tag = false;
                    if scan.section == Section::Tags {
                        scan.section = Section::TagsAndBlank;
                    }
                }
                scan.fresh = true;
                scan.goes_on(next + more, Mode::Head);
            }
            Some(b'[') => {
                if scan.section == Section::TagsAndBlank && scan.fresh {
                    if !self.shows_line(i) {
                        return Step::More;
                    }
                    if tags::head(self.text, i).is_some_and(|(name, _)| name == b"Event") {
                        return Step::Cut(scan.at);
                    }
                }
                scan.goes_on(i, Mode::Tag);
            }
            Some(b'%') if scan.fresh && i == scan.at => scan.goes_on(i, Mode::Line),
            Some(b';') if scan.section != Section::TagsAndBlank => scan.goes_on(i, Mode::Line),
            Some(b'{') => {
                if scan.section == Section::TagsAndBlank {
                    scan.section = Section::Moves;
                }
                scan.goes_on(i + 1, Mode::Comment);
            }
            Some(_) => {
                if scan.open_tag {
                    let end = line_end(self.text, i);
                    if end == self.text.len() && !self.ended && end - i < LONG_LINE {
                        return Step::More;
                    }
                    scan.open_tag = false;
                    if end - i < LONG_LINE && tags::continues_tag(slice(self.text, i, end)) {
                        scan.goes_on(end, Mode::Line);
                        return Step::On;
                    }
                }
                scan.section = Section::Moves;
                scan.fresh = false;
                scan.checked = i;
                scan.goes_on(i, Mode::Moves);
            }
        }
        Step::On
    }

    fn tag(&self, scan: &mut Scan) -> Step {
        scan.section = Section::Tags;
        scan.open_tag = false;
        if scan.fresh && self.plain_tags(scan) {
            return Step::On;
        }
        let end = self.line_end(scan, scan.probed);
        if end - scan.at > LONG_LINE {
            scan.goes_on(end, Mode::Line);
            return Step::On;
        }
        if end == self.text.len() && !self.ended {
            scan.probed = end;
            return Step::More;
        }
        let line = slice(self.text, 0, end);
        if !matches!(trim_end(slice(line, scan.at, end)), [.., b'"', b']']) {
            let rest = self.behind_tags(line, scan);
            if rest < end {
                scan.fresh = false;
                scan.goes_on(rest, Mode::Head);
                return Step::On;
            }
        }
        scan.goes_on(end, Mode::Line);
        self.line(scan)
    }

    /// Skips lines that consist of a simple tag pair, up to the first line that does not begin with `[`. Returns false
    /// at a line that begins with `[` but needs a complete check.
    fn plain_tags(&self, scan: &mut Scan) -> bool {
        let (mut line, mut at) = (scan.at, scan.probed);
        let plain = 'text: loop {
            let Some(window) = from(self.text, at).first_chunk() else { break false };
            let mut ends = line_ends(window);
            while ends != 0 {
                let end = at + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                if end < line {
                    // The LF of a CR LF is skipped.
                    continue;
                }
                if from(self.text, end.saturating_sub(2)).first_chunk() == Some(b"\"]\n[") && end - line <= LONG_LINE {
                    line = end + 1;
                    continue;
                }
                let next = match slice(self.text, end, end + 2) {
                    [b'\r', b'\n'] => end + 2,
                    [b'\n', ..] => end + 1,
                    _ => break 'text false,
                };
                if !matches!(slice(self.text, line, end), [.., b'"', b']']) || end - line > LONG_LINE {
                    break 'text false;
                }
                line = next;
                if self.text.get(line) != Some(&b'[') {
                    break 'text true;
                }
            }
            at += window.len();
        };
        if line > scan.at {
            scan.fresh = true;
            scan.goes_on(line, if plain { Mode::Head } else { Mode::Tag });
        }
        plain
    }

    /// Returns the start of the movetext on a line that begins with tag pairs.
    fn behind_tags(&self, line: &[u8], scan: &mut Scan) -> usize {
        let mut at = scan.at;
        loop {
            match line.get(at) {
                Some(b' ' | b'\t') => at += 1,
                Some(b'[') if tags::head(line, at).is_some() => match tags::read(line, at) {
                    Some(pair) => {
                        at = pair.end;
                        let open = pair.fault == Some(FaultKind::UnterminatedTag) && at >= line.len();
                        scan.open_tag = open && !matches!(trim_end(line), [.., b'"' | b']']);
                    }
                    None => return line.len(),
                },
                Some(b'[') => match memchr::memchr(b']', from(line, at)) {
                    Some(length) => at += length + 1,
                    None => return line.len(),
                },
                _ => return at,
            }
        }
    }

    fn line(&self, scan: &mut Scan) -> Step {
        let end = line_end(self.text, scan.at);
        scan.at = end;
        if end == self.text.len() {
            return Step::More;
        }
        let Some(next) = self.behind_line_end(end) else { return Step::More };
        scan.fresh = true;
        scan.marker = false;
        scan.goes_on(next, if scan.section == Section::Moves { Mode::Moves } else { Mode::Head });
        Step::On
    }

    fn moves(&self, scan: &mut Scan) -> Step {
        if scan.fresh {
            match self.text.get(scan.at) {
                None => return Step::More,
                Some(b'%') => {
                    scan.goes_on(scan.at, Mode::Line);
                    return Step::On;
                }
                Some(_) => scan.fresh = false,
            }
            scan.checked = scan.at;
        }
        // In a long span, the scan advances line by line.
        let length = self.given + (scan.at - self.span) as u64;
        let long = length >= LONG_REGION;
        let end = match LONG_REGION.checked_sub(length).and_then(|rest| usize::try_from(rest).ok()) {
            Some(rest) if !long => self.text.len().min(scan.at + rest),
            _ => self.line_end(scan, scan.at),
        };
        let Some(found) = memchr::memchr3(b'{', b';', b'[', slice(self.text, scan.at, end)) else {
            let seen = slice(self.text, scan.checked, end);
            if scan.notes.is_some() && !is_all_blank(slice(self.text, scan.at, end)) {
                scan.notes = None;
            }
            if long && let Some(step) = self.long_blank(scan, end) {
                return step;
            }
            scan.checked = memchr::memrchr2(b'\n', b'\r', seen).map_or(end, |last| scan.checked + last);
            scan.goes_on(end, Mode::Moves);
            if end == self.text.len() {
                return Step::More;
            }
            return if long { self.behind_line(scan, end) } else { Step::On };
        };
        let i = scan.at + found;
        scan.blanks = None;
        if scan.notes.is_some() && !is_all_blank(slice(self.text, scan.at, i)) {
            scan.notes = None;
        }
        if let Some(last) = memchr::memrchr2(b'\n', b'\r', slice(self.text, scan.checked, i))
            && self.text.get(scan.checked + last + 1) == Some(&b'%')
        {
            scan.notes = None;
            scan.goes_on(i, Mode::Line);
            return Step::On;
        }
        match self.text.get(i) {
            Some(b'{') => {
                scan.notes = None;
                scan.goes_on(i + 1, Mode::Comment);
            }
            Some(b';') => {
                scan.notes = scan.notes.or_else(|| self.notes_at(i));
                scan.goes_on(i, Mode::Line);
            }
            _ => {
                if !self.shows_line(i) {
                    scan.goes_on(i, Mode::Moves);
                    return Step::More;
                }
                if let Some((name, _)) = tags::head(self.text, i) {
                    if let Some(line) = begins_line(self.text, self.span, i) {
                        if line > self.span || self.given > 0 {
                            return Step::Cut(scan.notes.filter(|notes| *notes > self.span).unwrap_or(line));
                        }
                    } else if i > self.span && (name == b"Event" || ends_with_marker(slice(self.text, self.span, i))) {
                        // Files without a line ending at their end have been joined.
                        return Step::Cut(i);
                    }
                }
                scan.notes = None;
                scan.goes_on(i + 1, Mode::Moves);
            }
        }
        scan.checked = i + 1;
        Step::On
    }

    /// Returns the start of the line of a `;`, if it begins its line after a termination marker and an empty line.
    fn notes_at(&self, at: usize) -> Option<usize> {
        let line = begins_line(self.text, self.span, at)?;
        let head = slice(self.text, self.span, line);
        let is_apart = count_lines(from(head, trim_end(head).len())) >= 2;
        (is_apart && ends_with_marker(head)).then_some(line)
    }

    /// In a long span, cuts if a large number of blanks precedes `end`.
    fn long_blank(&self, scan: &mut Scan, end: usize) -> Option<Step> {
        let used = trim_end(slice(self.text, scan.at, end)).len();
        let blanks = scan.blanks.filter(|_| used == 0).unwrap_or(scan.at + used);
        scan.blanks = Some(blanks);
        let cut = blanks + LONG_BLANK;
        if end < cut {
            return None;
        }
        Some(match slice(self.text, cut - 1, cut + 1) {
            [b'\r', b'\n'] => Step::Cut(cut + 1),
            [b'\r'] if !self.ended => Step::More,
            _ => Step::Cut(cut),
        })
    }

    /// At the end of a line in a long span, cuts if the next line begins a game without tags.
    fn behind_line(&self, scan: &mut Scan, end: usize) -> Step {
        let Some(next) = self.behind_line_end(end) else { return Step::More };
        let tail = slice(self.text, end.saturating_sub(64).max(self.span), end);
        let line = tail.iter().rposition(|b| is_line_end(*b)).map_or(tail, |last| from(tail, last + 1));
        if !is_all_blank(line) {
            scan.marker = ends_with_marker(line);
        }
        if scan.marker {
            let mut i = next;
            while i - next < 255 && matches!(self.text.get(i), Some(b' ' | b'\t')) {
                i += 1;
            }
            if self.text.len() < i + 2 && !self.ended {
                return Step::More;
            }
            if from(self.text, i).starts_with(b"1.") {
                return Step::Cut(next);
            }
        }
        scan.fresh = true;
        scan.goes_on(next, Mode::Moves);
        Step::On
    }

    fn comment(&self, scan: &mut Scan) -> Step {
        let start = scan.at;
        let window = start.saturating_add(self.longest_comment);
        if scan.close < start {
            (scan.close, scan.closed) = (start, false);
        }
        if !scan.closed {
            let end = window.min(self.text.len());
            let found = memchr::memchr(b'}', slice(self.text, scan.close, end));
            scan.closed = found.is_some();
            scan.close = found.map_or(scan.close.max(end), |found| scan.close + found);
        }
        if scan.closed && scan.close < window {
            let inner = slice(self.text, start, scan.close);
            if memchr::memchr2(b'\n', b'\r', inner).is_some()
                && let Some(line) = self.next_game(start, scan.close, true)
            {
                return Step::Cut(line);
            }
            scan.fresh = false;
            scan.checked = scan.close + 1;
            scan.goes_on(scan.close + 1, if scan.section == Section::Moves { Mode::Moves } else { Mode::Head });
            return Step::On;
        }
        if self.text.len() < window && !self.ended {
            return Step::More;
        }
        let end = window.min(self.text.len());
        if let Some(line) = self.next_game(start, end, false) {
            return Step::Cut(line);
        }
        scan.goes_on(end, Mode::Comment);
        if end == self.text.len() { Step::More } else { Step::On }
    }

    /// Returns the first line within an apparent comment that shows that the comment was never closed. Such a line is a
    /// tag pair that follows an empty line or has the name Event. If the comment is `closed`, another `{` must follow
    /// this line.
    fn next_game(&self, start: usize, end: usize, closed: bool) -> Option<usize> {
        let text = slice(self.text, 0, end);
        for found in memchr::memchr_iter(b'[', from(text, start)) {
            let at = start + found;
            let Some(line) = begins_line(text, 0, at).filter(|line| *line > start) else { continue };
            let Some((name, _)) = tags::head(text, at) else { continue };
            let head = slice(text, start, line);
            let after_blank = || count_lines(from(head, trim_end(head).len())) >= 2;
            if (name == b"Event" || after_blank()) && tags::is_complete_line(text, at, line_end(text, at)) {
                if closed && memchr::memchr(b'{', from(text, at)).is_none() {
                    return None;
                }
                return Some(line);
            }
        }
        None
    }
}

/// Returns whether the last word of a text is a termination marker.
fn ends_with_marker(text: &[u8]) -> bool {
    let text = trim_end(text);
    let word = text.iter().rposition(|byte| is_blank(*byte)).map_or(text, |blank| from(text, blank + 1));
    Outcome::from_token(word).is_some()
}

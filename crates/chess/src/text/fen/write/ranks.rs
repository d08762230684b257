//! Writes a rank with tables. The index into a table is the set of the rank's occupied squares.

/// A buffer for a FEN. The longest FEN has 103 bytes: placement 71, ` w` 2, ` KQkq` 5, ` e3` 3, and twice a space and
/// ten digits, 22. Every position below 128 leaves room for a word, so writes need no bounds check.
pub(in crate::text::fen) type Text = [u8; TEXT];
pub(in crate::text::fen) const TEXT: usize = 136;

/// Writes eight bytes at a position below 128. The next write overwrites the surplus bytes.
#[inline(always)]
pub(super) fn put(word: u64, out: &mut Text, at: usize) {
    if let Some(room) = out[at & 127..].first_chunk_mut() {
        *room = word.to_le_bytes();
    }
}

/// Writes a word whose highest byte is the length of its text. Returns the position after the text.
#[inline(always)]
pub(super) fn put_known(word: u64, out: &mut Text, at: usize) -> usize {
    put(word, out, at);
    at + (word >> 56) as usize
}

/// Writes the text of a rank with this set of occupied squares, followed by a slash. Returns the position after the
/// slash.
#[inline(always)]
pub(super) fn put_rank(text: u64, occupied: usize, out: &mut Text, at: usize) -> usize {
    put(text, out, at);
    let end = at + usize::from(LENGTHS[occupied & 255]);
    // After the last rank, the next field overwrites this slash.
    out[end & 127] = b'/';
    end + 1
}

/// How to write a rank with a certain set of occupied squares.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    /// The digits, each on the last square of its run of empty squares.
    pub(super) digits: u64,
    /// The characters that move by one place, then by two, then by four, each at its position before that step.
    pub(super) moves: [u64; 3],
}

pub(super) static RANKS: [Rank; 256] = {
    let mut table = [Rank { digits: 0, moves: [0; 3] }; 256];
    let mut set = 0;
    while set < 256 {
        let (mut dropped, mut run, mut file) = (0u64, 0u64, 0u64);
        while file < 8 {
            let occupied = set >> file & 1 != 0;
            let ends = file == 7 || set >> (file + 1) & 1 != 0;
            run = if occupied { 0 } else { run + 1 };
            if !occupied && !ends {
                dropped += 1;
            } else {
                if !occupied {
                    table[set].digits |= (b'0' as u64 + run) << (file * 8);
                }
                let (mut at, mut step) = (file, 0);
                while step < 3 {
                    if dropped >> step & 1 != 0 {
                        table[set].moves[step] |= 0xFF << (at * 8);
                        at -= 1 << step;
                    }
                    step += 1;
                }
            }
            file += 1;
        }
        set += 1;
    }
    table
};

/// The number of characters in the text of a rank, by the set of occupied squares.
static LENGTHS: [u8; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut file = 0;
        while file < 8 {
            // Count one character for each piece, and one at the end of each run of empty squares.
            table[set] += (set >> file & 1 != 0 || file == 7 || set >> (file + 1) & 1 != 0) as u8;
            file += 1;
        }
        set += 1;
    }
    table
};

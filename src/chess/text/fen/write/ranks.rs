//! Ranks as words: how a rank with a set of occupied squares is written.

/// A buffer for a FEN. The longest has placement 71, ` w` 2, ` KQkq` 5, ` e3` 3, and twice a space and ten digits, 22:
/// 103 bytes in all. There is room for any word at any place below 128, so that none has to be looked for.
pub(in crate::chess::text::fen) type Text = [u8; TEXT];
pub(in crate::chess::text::fen) const TEXT: usize = 136;

/// Puts eight bytes at a place below 128. What is too much of them is written over.
#[inline(always)]
pub(super) fn put(word: u64, out: &mut Text, at: usize) {
    if let Some(room) = out[at & 127..].first_chunk_mut() {
        *room = word.to_le_bytes();
    }
}

/// Puts a word out of a table, which has its length in the highest byte; returns the place after it.
#[inline(always)]
pub(super) fn put_known(word: u64, out: &mut Text, at: usize) -> usize {
    put(word, out, at);
    at + (word >> 56) as usize
}

/// Puts the text of a rank with that set of occupied squares, and a slash; returns the place after them.
#[inline(always)]
pub(super) fn put_rank(text: u64, occupied: usize, out: &mut Text, at: usize) -> usize {
    put(text, out, at);
    let end = at + usize::from(LENGTHS[occupied & 255]);
    // After the last rank, that is written over.
    out[end & 127] = b'/';
    end + 1
}

/// How a rank with that set of occupied squares is written.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    /// The digits, each on the last square of its run.
    pub(super) digits: u64,
    /// The squares whose characters move by one, then by two, then by four, each where they are by then.
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

/// How many characters such a rank takes.
static LENGTHS: [u8; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut file = 0;
        while file < 8 {
            // A character for each piece and for each run of empty squares, at its end.
            table[set] += (set >> file & 1 != 0 || file == 7 || set >> (file + 1) & 1 != 0) as u8;
            file += 1;
        }
        set += 1;
    }
    table
};

//! The weights of a model, and the computation of the probabilities of all moves in a position.

use crate::packed::model::book::{Book, NO_NODE};
use crate::packed::model::features::{
    self, Candidate, FROM_TO, FeatureVisitor, MOST_SURPRISE, Mover, ROLE_SQUARES, ROWS, SMALL, Setting,
};
use crate::packed::moves::attacks::squares;
use crate::packed::moves::board::{TurnedBoard, TurnedMove};
use crate::packed::moves::scene::{History, Scene};

/// The number of units in the policy head.
pub const UNITS: usize = 64;
/// The number of inputs of the policy head: own and opposing pieces, own and opposing hanging pieces, and the last
/// moves of the opponent and the player.
pub const INPUTS: usize = 6 * ROLE_SQUARES;
/// The maximum number of legal moves in a position for which the model can code a move.
pub const MOST_MOVES: usize = 255;
/// The number of contexts for the flag that ends a game.
pub const ENDS: usize = 32;
/// The number of different values of slack bits in each context.
pub const SLACKS: usize = 32;

/// The offset of the opening book in a model file.
pub const BOOK_AT: usize = 4
    + FROM_TO
    + 2 * ROWS * ROLE_SQUARES
    + 2 * SMALL
    + 2 * UNITS
    + INPUTS * UNITS
    + 2 * UNITS * (2 * ROLE_SQUARES + 36)
    + 32
    + 2 * ENDS * SLACKS;

/// The first bytes of a model file.
pub const MAGIC: [u8; 4] = *b"SSPM";

pub(crate) type Units = [i16; UNITS];

/// The weights of a model, with values derived from them.
pub struct Model {
    from_to: Box<[i8; FROM_TO]>,
    reply: Box<[[i8; ROLE_SQUARES]; ROWS]>,
    again: Box<[[i8; ROLE_SQUARES]; ROWS]>,
    small: Box<[i16; SMALL]>,
    sums: Sums,
    bias: Units,
    input: Box<[Units; INPUTS]>,
    to: Box<[Units; ROLE_SQUARES]>,
    from: Box<[Units; ROLE_SQUARES]>,
    victim: Box<[Units; 36]>,
    /// The factor by which gaps are multiplied, by class of surprise, in 256ths.
    pub(crate) sharpness: [u16; 8],
    /// The frequencies of the kinds of games, in 65536ths.
    pub(crate) kinds: [u16; 8],
    /// The probability that a game ends, in 65536ths, by context and slack bits.
    pub(crate) ends: Box<[[u16; SLACKS]; ENDS]>,
    pub(crate) book: Book,
}

/// Reads numbers from the beginning of a model file.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes<const N: usize>(&mut self) -> Option<Box<[i8; N]>> {
        let (first, rest) = self.0.split_at_checked(N)?;
        self.0 = rest;
        let numbers: Vec<i8> = first.iter().map(|byte| *byte as i8).collect();
        numbers.into_boxed_slice().try_into().ok()
    }

    fn shorts<const N: usize>(&mut self) -> Option<Box<[i16; N]>> {
        let numbers: Option<Vec<i16>> = (0..N).map(|_| self.take().map(i16::from_le_bytes)).collect();
        numbers?.into_boxed_slice().try_into().ok()
    }

    fn rows<T, const N: usize>(&mut self, mut row: impl FnMut(&mut Self) -> Option<T>) -> Option<Box<[T; N]>> {
        let rows: Option<Vec<T>> = (0..N).map(|_| row(self)).collect();
        rows?.into_boxed_slice().try_into().ok()
    }
}

impl Model {
    /// Reads a model file (FORMAT.md, "Packed moves"). Returns `None` if the bytes are not a model file.
    pub fn read(file: &[u8]) -> Option<Model> {
        let mut reader = Reader(file);
        if reader.take()? != MAGIC {
            return None;
        }
        let units = |reader: &mut Reader| reader.shorts::<UNITS>().map(|units| *units);
        let (from_to, reply, again) = (
            reader.bytes()?,
            reader.rows(|reader| reader.bytes().map(|row| *row))?,
            reader.rows(|reader| reader.bytes().map(|row| *row))?,
        );
        let small = reader.shorts()?;
        let model = Model {
            from_to,
            reply,
            again,
            sums: Sums::new(&small)?,
            small,
            bias: units(&mut reader)?,
            // The file contains 64ths, and the accumulators use 256ths.
            input: reader.rows(|reader| reader.bytes::<UNITS>().map(|row| row.map(|weight| 4 * i16::from(weight))))?,
            to: reader.rows(units)?,
            from: reader.rows(units)?,
            victim: reader.rows(units)?,
            sharpness: reader.shorts()?.map(|number| number as u16),
            kinds: reader.shorts()?.map(|number| number as u16),
            ends: reader.rows(|reader| reader.shorts().map(|row| row.map(|number| (number as u16).max(1))))?,
            book: Book::read(reader.0)?,
        };
        let kinds: u32 = model.kinds.iter().map(|kind| u32::from(*kind)).sum();
        let intact = model.kinds.iter().all(|kind| *kind > 0) && kinds <= 0xFF00;
        intact.then_some(model)
    }

    /// Adds or subtracts the weights for a piece on a square in the units of one side.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "roles are below 6, squares below 64")]
    pub(crate) fn update_piece(&self, units: &mut Units, enters: bool, is_own: bool, role: u8, square: u8) {
        let input = if is_own { 0 } else { ROLE_SQUARES } + role as usize % 6 * 64 + (square & 63) as usize;
        let row = &self.input[input];
        for (unit, weight) in units.iter_mut().zip(row) {
            *unit = if enters { unit.wrapping_add(*weight) } else { unit.wrapping_sub(*weight) };
        }
    }

    pub(crate) fn bias(&self) -> Units {
        self.bias
    }

    /// Returns the outputs of the units for a position, clipped to 0..=255 and then squared.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "sides, roles and squares are within the inputs")]
    fn outputs(&self, units: &Units, scene: &Scene, extras: &features::Extras) -> Units {
        let mut sums = *units;
        let mut add = |input: usize| {
            for (sum, weight) in sums.iter_mut().zip(&self.input[input]) {
                *sum = sum.wrapping_add(*weight);
            }
        };
        for (side, set) in extras.hanging.into_iter().enumerate() {
            for square in squares(set) {
                let role = scene.board.role(square) as usize % 6;
                add((2 + side) * ROLE_SQUARES + role * 64 + square as usize);
            }
        }
        for (side, input) in extras.last.into_iter().enumerate() {
            if input < ROLE_SQUARES {
                add((4 + side) * ROLE_SQUARES + input);
            }
        }
        sums.map(|sum| {
            let clipped = sum.clamp(0, 255) as u16;
            ((clipped * clipped) >> 8) as i16
        })
    }

    /// Computes the frequencies of the legal moves in a scene. `units` contains the accumulators for the player to
    /// move, and `node` is the node of the position in the book. Returns false if there are more than `MOST_MOVES`
    /// legal moves.
    ///
    /// All numbers are integers, so the result is the same on every processor. With AVX2, the computation takes half
    /// the time.
    pub(crate) fn price(&self, at: (&TurnedBoard, &History), units: &Units, node: u32, prices: &mut Prices) -> bool {
        #[cfg(target_arch = "x86_64")]
        if has_wide_registers() {
            // SAFETY: the processor supports all features for which the function is compiled.
            #[allow(unsafe_code)]
            return unsafe { self.price_wide(at, units, node, prices) };
        }
        self.price_portable(at, units, node, prices)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn price_wide(&self, at: (&TurnedBoard, &History), units: &Units, node: u32, prices: &mut Prices) -> bool {
        self.price_portable(at, units, node, prices)
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "indices and counts are limited to the lengths")]
    pub(crate) fn price_portable(
        &self,
        at: (&TurnedBoard, &History),
        units: &Units,
        node: u32,
        prices: &mut Prices,
    ) -> bool {
        let scene = &Scene::new(at.0, at.1);
        let extras = features::extras(scene);
        // `black_box` forces the outputs into memory. Otherwise, the compiler would keep them in registers and generate
        // slower multiplications.
        let outputs = &std::hint::black_box(self.outputs(units, scene, &extras));
        let mut scorer = Scorer {
            model: self,
            outputs,
            last: [&self.reply[extras.last[0].min(ROLE_SQUARES)], &self.again[extras.last[1].min(ROLE_SQUARES)]],
            victims: [i32::MIN; 36],
            count: 0,
            steps: &mut prices.steps,
            scores: &mut prices.scores,
        };
        features::visit(scene, &mut scorer);
        prices.count = scorer.count;
        if prices.count > MOST_MOVES {
            return false;
        }
        prices.weigh(self.sharpness[features::surprise_class(scene.history.surprise[0]) & 7]);
        if node != NO_NODE {
            let (steps, frequencies) = (&prices.steps[..prices.count], &mut prices.frequencies[..prices.count]);
            prices.total = self.book.blend(node, steps, frequencies, prices.total);
        }
        true
    }
}

/// Returns whether the processor supports the features that `price_wide` requires.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_wide_registers() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

/// The sums of weights from two groups that share fields, computed in advance. The last index is always below a power
/// of two, so a mask replaces the bounds check.
///
/// The first index combines the fields of the piece and the setting, and the last index combines the fields of the
/// move.
struct Sums {
    /// Capture and evasion. First index: (class * 3 + checks) * 6 + role. Last index: (victim * 3 + recapture) * 16 +
    /// hit.
    takes: Box<[[i16; 512]]>,
    /// Danger and check. First index: (role * 6 + attacker of the piece) * 2 + whether it is defended. Last index:
    /// (check * 2 + capture) * 16 + hit.
    risk: Box<[[i16; 128]]>,
    /// Hanging and prize. First index: ((hanging class * 6 + prize) * 6 + role) * 3 + hanging state of the piece. Last
    /// index: ((protects * 2 + on prize) * 6 + victim) * 4 + safety.
    loose: Box<[[i16; 128]]>,
    /// Threat and zone. First index: role. Last index: threat * 16 + zone * 4 + safety.
    aims: Box<[[i16; 128]; 6]>,
}

impl Sums {
    /// Returns the sums for a model's weights, or `None` if a sum is too large. The trainer does not produce such
    /// weights.
    #[expect(clippy::indexing_slicing, reason = "fields run below their sizes")]
    fn new(small: &[i16; SMALL]) -> Option<Sums> {
        let sum = |indices: [usize; 2]| {
            let [a, b] = indices.map(|index| small.get(index).copied());
            a?.checked_add(b?)
        };
        let mut takes = vec![[0; 512]; 12 * 6].into_boxed_slice();
        let mut risk = vec![[0; 128]; 6 * 12].into_boxed_slice();
        let mut loose = vec![[0; 128]; 5 * 6 * 6 * 3].into_boxed_slice();
        let mut aims = Box::new([[0; 128]; 6]);
        for role in 0..6 {
            for (class, checks, victim, hit, recapture) in all([4, 3, 6, 12, 3]) {
                let indices = [
                    features::capture(class, role, victim, hit, recapture),
                    features::evasion(checks, role, victim, hit),
                ];
                takes[(class * 3 + checks) * 6 + role][(victim * 3 + recapture) * 16 + hit] = sum(indices)?;
            }
            for (attacker, defended, check, hit, takes) in all([6, 2, 3, 12, 2]) {
                let indices =
                    [features::danger(role, attacker, defended, hit, takes), features::check(role, check, hit, takes)];
                risk[(role * 6 + attacker) * 2 + defended][(check * 2 + takes) * 16 + hit] = sum(indices)?;
            }
            for (hang, prize, state, flags, rest) in all([5, 6, 3, 4, 18]) {
                let (protects, on_prize, victim, safety) = (flags >> 1, flags & 1, rest / 3, rest % 3);
                let indices = [
                    features::hanging(hang, state, protects, role, victim, safety),
                    features::prize(prize, victim, on_prize, role, safety),
                ];
                loose[((hang * 6 + prize) * 6 + role) * 3 + state][(flags * 6 + victim) * 4 + safety] = sum(indices)?;
            }
            for (threat, zone, safety, _, _) in all([6, 4, 3, 1, 1]) {
                let indices = [features::threat(role, threat, safety), features::zone(role, zone, safety)];
                aims[role][threat * 16 + zone * 4 + safety] = sum(indices)?;
            }
        }
        Some(Sums { takes, risk, loose, aims })
    }
}

/// Iterates over all combinations of values of five fields.
fn all(sizes: [usize; 5]) -> impl Iterator<Item = (usize, usize, usize, usize, usize)> {
    let [a, b, c, d, e] = sizes;
    (0..a * b * c * d * e).map(move |i| (i / (b * c * d * e), i / (c * d * e) % b, i / (d * e) % c, i / e % d, i % e))
}

/// The safety of a move, by role and hit.
#[expect(clippy::indexing_slicing, reason = "evaluated at compile time")]
static SAFETY: [[u8; 16]; 6] = {
    let mut table = [[0; 16]; 6];
    let mut i = 0;
    while i < 6 * 12 {
        table[i / 12][i % 12] = features::safety(i / 12, i % 12) as u8;
        i += 1;
    }
    table
};

/// The sum never overflows, because outputs are at most 254. With a check after each addition, as in tests, the products
/// could not be added in parallel.
#[inline(always)]
fn dot(a: &Units, b: &Units) -> i32 {
    a.iter().zip(b).fold(0, |sum: i32, (a, b)| sum.wrapping_add(i32::from(*a) * i32::from(*b)))
}

/// The rows of weights that the moves of a piece use.
struct Rows<'a> {
    takes: &'a [i16; 512],
    risk: &'a [i16; 128],
    loose: &'a [i16; 128],
    aims: &'a [i16; 128],
    to: &'a [i16; 64],
    kings: [&'a [i16; 8]; 2],
    again: &'a [i16; 16],
    structure: &'a [i16],
    /// The check weights of moves that are not special, by whether the move gives check.
    check: [i16; 2],
    from_to: &'a [i8; 64],
    last: [&'a [i8; 64]; 2],
    head: &'a [Units; 64],
    /// The part of the policy head's sum that depends only on the piece.
    piece: i32,
}

struct Scorer<'a> {
    model: &'a Model,
    outputs: &'a Units,
    last: [&'a [i8; ROLE_SQUARES]; 2],
    /// The dot products with the rows of victims, each computed at its first use.
    victims: [i32; 36],
    count: usize,
    steps: &'a mut [TurnedMove; 256],
    scores: &'a mut [i32; 256],
}

/// Returns the `N` weights that begin at index `at`.
#[inline(always)]
fn part<T, const N: usize>(weights: &[T], at: usize) -> Option<&[T; N]> {
    weights.get(at..)?.first_chunk()
}

impl<'a> FeatureVisitor for Scorer<'a> {
    type Known = Rows<'a>;

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "fields are below their sizes, which are powers of two or masked")]
    fn mover(&mut self, setting: &Setting, mover: &Mover) -> Option<Rows<'a>> {
        let Model { small, sums, .. } = self.model;
        let small = &small[..];
        let Mover { role, role_square, .. } = *mover;
        let to = role * 64;
        let piece =
            dot(self.outputs, self.model.from.get(role_square)?) + (i32::from(*small.get(setting.from(mover))?) << 8);
        Some(Rows {
            takes: sums.takes.get((setting.class * 3 + setting.in_check) * 6 + role)?,
            risk: sums.risk.get((role * 6 + mover.attacker) * 2 + mover.defended)?,
            loose: sums.loose.get(((setting.hang * 6 + setting.prize) * 6 + role) * 3 + mover.hanging)?,
            aims: sums.aims.get(role)?,
            to: part(small, features::TO.start + setting.phase * ROLE_SQUARES + to)?,
            kings: [
                part(small, features::king(features::OPP_KING, role, mover.distances[0]))?,
                part(small, features::king(features::OWN_KING, role, mover.distances[1]))?,
            ],
            again: part(small, features::again(setting.class, role, mover.last))?,
            structure: small.get(features::structure(role)..)?,
            check: [0, 1].map(|check| small[features::special(0, check, setting.phase)]),
            from_to: part(&self.model.from_to[..], role_square * 64)?,
            last: [part(self.last[0], to)?, part(self.last[1], to)?],
            head: part(&self.model.to[..], to)?,
            piece,
        })
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "fields are below their sizes, which are powers of two or masked")]
    fn candidate(&mut self, setting: &Setting, mover: &Mover, rows: &Rows<'a>, c: &Candidate) {
        let (role, hit, takes) = (mover.role, c.hit & 15, usize::from(c.victim > 0));
        let to = c.to as usize & 63;
        let safety = SAFETY[role][hit] as usize;
        let special = match c.special {
            0 => rows.check[usize::from(c.check > 0)],
            special => self.model.small[features::special(special, c.check, setting.phase)],
        };
        let fine = [
            rows.takes[((c.victim * 3 + c.recapture) * 16 + hit) & 511],
            rows.risk[((c.check * 2 + takes) * 16 + hit) & 127],
            rows.loose[(((c.protects * 2 + c.on_prize) * 6 + c.victim) * 4 + safety) & 127],
            rows.aims[(c.threat * 16 + c.zone * 4 + safety) & 127],
            rows.to[to],
            rows.kings[0][c.distances[0] & 7],
            rows.kings[1][c.distances[1] & 7],
            rows.again[c.back_bits() & 15],
            rows.structure.get(c.structure).copied().unwrap_or(0),
            special,
        ];
        let fine = fine.into_iter().fold(0, |sum, weight| sum + i32::from(weight));
        let coarse = i32::from(rows.from_to[to]) + i32::from(rows.last[0][to]) + i32::from(rows.last[1][to]);
        let victim = &mut self.victims[(role * 6 + c.victim) % 36];
        if *victim == i32::MIN {
            *victim = dot(self.outputs, &self.model.victim[(role * 6 + c.victim) % 36]);
        }
        let head = rows.piece + dot(self.outputs, &rows.head[to]) + *victim;
        let at = self.count & 255;
        self.steps[at] = c.step;
        self.scores[at] = (coarse << 4) + fine + (head >> 8);
        self.count += 1;
    }
}

/// 65536 * 2^(-i/256), rounded.
#[rustfmt::skip]
static FREQUENCIES: [u32; 256] = [
    65536, 65359, 65182, 65006, 64830, 64655, 64480, 64306, 64132, 63958, 63785, 63613, 63441, 63269, 63098, 62928,
    62757, 62588, 62419, 62250, 62081, 61914, 61746, 61579, 61413, 61247, 61081, 60916, 60751, 60587, 60423, 60260,
    60097, 59934, 59772, 59611, 59449, 59289, 59128, 58968, 58809, 58650, 58491, 58333, 58176, 58018, 57861, 57705,
    57549, 57393, 57238, 57083, 56929, 56775, 56622, 56468, 56316, 56163, 56012, 55860, 55709, 55558, 55408, 55258,
    55109, 54960, 54811, 54663, 54515, 54368, 54221, 54074, 53928, 53782, 53637, 53492, 53347, 53203, 53059, 52916,
    52773, 52630, 52488, 52346, 52204, 52063, 51922, 51782, 51642, 51502, 51363, 51224, 51085, 50947, 50810, 50672,
    50535, 50399, 50262, 50126, 49991, 49856, 49721, 49586, 49452, 49319, 49185, 49052, 48920, 48787, 48655, 48524,
    48393, 48262, 48131, 48001, 47871, 47742, 47613, 47484, 47356, 47228, 47100, 46973, 46846, 46719, 46593, 46467,
    46341, 46216, 46091, 45966, 45842, 45718, 45594, 45471, 45348, 45225, 45103, 44981, 44859, 44738, 44617, 44497,
    44376, 44256, 44137, 44017, 43898, 43780, 43661, 43543, 43425, 43308, 43191, 43074, 42958, 42841, 42726, 42610,
    42495, 42380, 42265, 42151, 42037, 41923, 41810, 41697, 41584, 41472, 41360, 41248, 41136, 41025, 40914, 40804,
    40693, 40583, 40473, 40364, 40255, 40146, 40037, 39929, 39821, 39714, 39606, 39499, 39392, 39286, 39180, 39074,
    38968, 38863, 38757, 38653, 38548, 38444, 38340, 38236, 38133, 38030, 37927, 37824, 37722, 37620, 37518, 37417,
    37316, 37215, 37114, 37014, 36914, 36814, 36715, 36615, 36516, 36417, 36319, 36221, 36123, 36025, 35928, 35831,
    35734, 35637, 35541, 35445, 35349, 35253, 35158, 35063, 34968, 34874, 34779, 34685, 34591, 34498, 34405, 34312,
    34219, 34126, 34034, 33942, 33850, 33759, 33667, 33576, 33486, 33395, 33305, 33215, 33125, 33035, 32946, 32857,
];

/// The legal moves in a position, with their frequencies.
pub(crate) struct Prices {
    pub(crate) steps: [TurnedMove; 256],
    scores: [i32; 256],
    /// The difference between the best score and each move's score, in 256ths of a bit.
    gaps: [u16; 256],
    pub(crate) frequencies: [u32; 256],
    pub(crate) count: usize,
    pub(crate) total: u32,
}

impl Prices {
    pub(crate) fn new() -> Prices {
        Prices {
            steps: [TurnedMove::default(); 256],
            scores: [0; 256],
            gaps: [0; 256],
            frequencies: [0; 256],
            count: 0,
            total: 0,
        }
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "counts are at most the maximum number of moves")]
    fn weigh(&mut self, sharpness: u16) {
        let count = self.count.min(MOST_MOVES);
        let best = self.scores[..count].iter().copied().max().unwrap_or(0);
        self.total = 0;
        for i in 0..count {
            let gap = (best - self.scores[i]).min(i32::from(u16::MAX)) as u32;
            self.gaps[i] = gap.min(u32::from(MOST_SURPRISE)) as u16;
            let gap = (gap * u32::from(sharpness)) >> 8;
            self.frequencies[i] = (FREQUENCIES[gap as usize & 255] >> (gap >> 8).min(31)) + 1;
            self.total += self.frequencies[i];
        }
    }

    #[expect(clippy::indexing_slicing, reason = "counts are at most the maximum number of moves")]
    pub(crate) fn scores(&self) -> &[i32] {
        &self.scores[..self.count.min(MOST_MOVES)]
    }

    /// Returns the index of a move, and the sum of the preceding frequencies.
    #[expect(clippy::indexing_slicing, reason = "counts are at most the maximum number of moves")]
    pub(crate) fn find(&self, step: TurnedMove) -> Option<(usize, u32)> {
        let at = self.steps[..self.count.min(MOST_MOVES)].iter().position(|known| *known == step)?;
        Some((at, self.frequencies[..at].iter().sum()))
    }

    /// Returns the index of the move whose interval contains a value below the total, and the sum of the preceding
    /// frequencies.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices are masked")]
    pub(crate) fn at(&self, value: u32) -> (usize, u32) {
        let (mut at, mut before) = (0, 0);
        while at + 1 < self.count && before + self.frequencies[at & 255] <= value {
            before += self.frequencies[at & 255];
            at += 1;
        }
        (at & 255, before)
    }

    /// Returns the player's surprise after the move at index `at`, given the surprise before it.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "indices are masked")]
    pub(crate) fn surprise(&self, at: usize, before: u16) -> u16 {
        let gap = self.gaps[at & 255];
        (i32::from(before) + ((i32::from(gap) - i32::from(before)) >> 4)) as u16
    }
}

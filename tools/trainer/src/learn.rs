//! Online training of the weights: a softmax over the legal moves, with Adagrad.

use crate::games::Game;
use scoresheet::chess::Position;
use scoresheet::packed::train;
use scoresheet::packed::train::board::TurnedBoard;
use scoresheet::packed::train::features::{
    self, Candidate, FROM_TO, FeatureVisitor, Mover, ROLE_SQUARES, ROWS, SMALL, Setting,
};
use scoresheet::packed::train::model::{INPUTS, UNITS};
use scoresheet::packed::train::scene::{History, Scene};

/// The offsets of the tables in the flat array of linear weights.
pub const FROM_TO_AT: usize = SMALL;
pub const REPLY_AT: usize = FROM_TO_AT + FROM_TO;
pub const AGAIN_AT: usize = REPLY_AT + ROWS * ROLE_SQUARES;
pub const LINEAR: usize = AGAIN_AT + ROWS * ROLE_SQUARES;
const FEATURES: usize = features::PER_MOVE + 4;

pub type Row = [f32; UNITS];

/// Weights in bits, with the training state of each.
pub struct Weights {
    pub linear: Vec<f32>,
    linear_squares: Vec<f32>,
    pub bias: Row,
    bias_squares: f32,
    pub input: Rows,
    pub to: Rows,
    pub from: Rows,
    pub victim: Rows,
}

/// Rows of units' weights, with the mean square of each row's gradients.
pub struct Rows {
    pub rows: Vec<Row>,
    squares: Vec<f32>,
}

impl Rows {
    fn new(count: usize, scale: f32, random: &mut Random) -> Rows {
        let rows = (0..count).map(|_| std::array::from_fn(|_| scale * random.next())).collect();
        Rows { rows, squares: vec![1e-4; count] }
    }

    /// Moves a row by `-factor * direction`.
    fn learn(&mut self, row: usize, factor: f32, direction: &Row, mean_square: f32, rate: f32) {
        let square = &mut self.squares[row];
        *square += factor * factor * mean_square;
        let step = rate * factor / square.sqrt();
        for (weight, direction) in self.rows[row].iter_mut().zip(direction) {
            *weight -= step * direction;
        }
    }
}

/// A deterministic random number generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number between -1 and 1.
    pub fn next(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

impl Weights {
    pub fn new() -> Weights {
        let mut random = Random(1);
        Weights {
            linear: vec![0.0; LINEAR],
            linear_squares: vec![0.02; LINEAR],
            bias: [0.3; UNITS],
            bias_squares: 1e-4,
            input: Rows::new(INPUTS, 0.1, &mut random),
            to: Rows::new(ROLE_SQUARES, 0.1, &mut random),
            from: Rows::new(ROLE_SQUARES, 0.1, &mut random),
            victim: Rows::new(36, 0.1, &mut random),
        }
    }
}

/// Returns the sum of products in eight lanes, so the result is the same for any vector width.
fn dot(a: &Row, b: &Row) -> f32 {
    let mut lanes = [0.0f32; 8];
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum()
}

fn add(to: &mut Row, factor: f32, row: &Row) {
    for (to, from) in to.iter_mut().zip(row) {
        *to += factor * from;
    }
}

#[derive(Clone, Copy)]
struct Choice {
    step: scoresheet::packed::train::board::TurnedMove,
    features: [u32; FEATURES],
    from: usize,
    role_target: usize,
    victim: usize,
    score: f32,
}

#[derive(Default)]
struct Choices {
    list: Vec<Choice>,
    last: [usize; 2],
}

impl FeatureVisitor for Choices {
    type Known = ();

    fn mover(&mut self, _: &Setting, _: &Mover) -> Option<()> {
        Some(())
    }

    fn candidate(&mut self, setting: &Setting, mover: &Mover, _: &(), candidate: &Candidate) {
        let mut indices = [0; FEATURES];
        for (to, from) in indices.iter_mut().zip(setting.weights(mover, candidate)) {
            *to = from as u32;
        }
        let role_target = mover.role * 64 + candidate.to as usize;
        let rest = [
            setting.from(mover),
            FROM_TO_AT + mover.role_square * 64 + candidate.to as usize,
            REPLY_AT + self.last[0] * ROLE_SQUARES + role_target,
            AGAIN_AT + self.last[1] * ROLE_SQUARES + role_target,
        ];
        for (to, from) in indices[features::PER_MOVE..].iter_mut().zip(rest) {
            *to = from as u32;
        }
        self.list.push(Choice {
            step: candidate.step,
            features: indices,
            from: mover.role_square,
            role_target,
            victim: mover.role * 6 + candidate.victim,
            score: 0.0,
        });
    }
}

/// Learning rates.
#[derive(Clone, Copy)]
pub struct Rates {
    pub linear: f32,
    pub head: f32,
}

/// Buffers for one position.
#[derive(Default)]
pub struct Learner {
    choices: Choices,
    inputs: Vec<usize>,
}

impl Learner {
    /// Trains with a game, and returns its cost in bits before the training.
    pub fn game(&mut self, weights: &mut Weights, game: &Game, rates: Rates) -> f64 {
        let mut position = game.start.as_deref().cloned().unwrap_or_else(Position::standard);
        let Some(mut board) = TurnedBoard::new(&position) else { return 0.0 };
        let mut history = History { surprise: [train::FIRST_SURPRISE; 2], ..History::default() };
        let mut cost = 0.0;
        for &m in &game.moves {
            let step = TurnedBoard::step(m, position.turn());
            let (bits, gap) = self.ply(weights, &board, &history, step, rates);
            cost += f64::from(bits);
            train::play(&mut board, &mut history, m, position.turn(), gap);
            position.play_unchecked(m);
        }
        cost
    }

    fn ply(
        &mut self,
        weights: &mut Weights,
        board: &TurnedBoard,
        history: &History,
        played: scoresheet::packed::train::board::TurnedMove,
        rates: Rates,
    ) -> (f32, u16) {
        let scene = Scene::new(board, history);
        let extras = features::extras(&scene);
        let choices = &mut self.choices;
        choices.list.clear();
        choices.last = extras.last;
        features::visit(&scene, choices);
        let list = &mut choices.list;

        let inputs = &mut self.inputs;
        inputs.clear();
        let mut pieces = |set: u64, kind: usize, roles: &dyn Fn(u8) -> usize| {
            let mut set = set;
            while set != 0 {
                let square = set.trailing_zeros() as u8;
                set &= set - 1;
                inputs.push(kind * ROLE_SQUARES + roles(square) * 64 + square as usize);
            }
        };
        let role = |square: u8| board.role(square) as usize;
        pieces(board.us.iter().fold(0, |all, set| all | set), 0, &role);
        pieces(board.them.iter().fold(0, |all, set| all | set), 1, &role);
        pieces(extras.hanging[0], 2, &role);
        pieces(extras.hanging[1], 3, &role);
        for (side, input) in extras.last.into_iter().enumerate() {
            if input < ROLE_SQUARES {
                inputs.push((4 + side) * ROLE_SQUARES + input);
            }
        }
        let mut sums = weights.bias;
        for &input in inputs.iter() {
            add(&mut sums, 1.0, &weights.input.rows[input]);
        }
        let clipped = sums.map(|sum| sum.clamp(0.0, 1.0));
        let outputs = clipped.map(|unit| unit * unit);

        let mut best = f32::MIN;
        let mut from_dot = (usize::MAX, 0.0);
        for choice in list.iter_mut() {
            let linear: f32 = choice.features.iter().map(|index| weights.linear[*index as usize]).sum();
            if from_dot.0 != choice.from {
                from_dot = (choice.from, dot(&outputs, &weights.from.rows[choice.from]));
            }
            let head = dot(&outputs, &weights.to.rows[choice.role_target])
                + dot(&outputs, &weights.victim.rows[choice.victim]);
            choice.score = linear + head + from_dot.1;
            best = best.max(choice.score);
        }
        let total: f32 = list.iter().map(|choice| (choice.score - best).exp2()).sum();
        let Some(at) = list.iter().position(|choice| choice.step == played) else { return (0.0, 0) };
        let gap = best - list[at].score;
        let cost = gap + total.log2();

        let mut slope = [0.0; UNITS];
        let mean_square = outputs.iter().map(|output| output * output).sum::<f32>() / UNITS as f32;
        for (i, choice) in list.iter().enumerate() {
            let error = (choice.score - best).exp2() / total - f32::from(i == at);
            if error.abs() < 5e-4 {
                continue;
            }
            for &index in &choice.features {
                let squares = &mut weights.linear_squares[index as usize];
                *squares += error * error;
                weights.linear[index as usize] -= rates.linear * error / squares.sqrt();
            }
            if error.abs() < 3e-3 {
                continue;
            }
            add(&mut slope, error, &weights.to.rows[choice.role_target]);
            add(&mut slope, error, &weights.from.rows[choice.from]);
            add(&mut slope, error, &weights.victim.rows[choice.victim]);
            weights.to.learn(choice.role_target, error, &outputs, mean_square, rates.head);
            weights.from.learn(choice.from, error, &outputs, mean_square, rates.head);
            weights.victim.learn(choice.victim, error, &outputs, mean_square, rates.head);
        }
        for (slope, (clipped, sum)) in slope.iter_mut().zip(clipped.iter().zip(&sums)) {
            *slope *= if *sum > 0.0 && *sum < 1.0 { 2.0 * clipped } else { 0.0 };
        }
        let mean_square = slope.iter().map(|slope| slope * slope).sum::<f32>() / UNITS as f32;
        for &input in inputs.iter() {
            weights.input.learn(input, 1.0, &slope, mean_square, rates.head);
        }
        weights.bias_squares += mean_square;
        add(&mut weights.bias, -rates.head / weights.bias_squares.sqrt(), &slope);
        (cost, (gap * 256.0).min(f32::from(train::MOST_SURPRISE)) as u16)
    }
}

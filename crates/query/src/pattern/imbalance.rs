//! Conditions on the surplus of pieces.

use crate::fault::{Fault, QueryFault, reason, run};
use scoresheet::chess::Role;

/// The surplus of each side over the other in each role, such as `PPvN`.
///
/// ```
/// use scoresheet_query::pattern::Imbalance;
///
/// // An exchange for any number of pawns, written in two ways.
/// assert_eq!(Imbalance::parse("R v [BN], pawns free")?, Imbalance::parse("RP*v[BN]")?);
/// # Ok::<(), scoresheet_query::QueryFault>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Imbalance {
    /// The surpluses of White that match, one for each choice of the listed alternatives.
    surpluses: Vec<[i16; 6]>,
    /// The roles whose numbers are not compared, as bits.
    free: u8,
}

/// The names of pieces whose numbers are not compared.
const PLURALS: [(&str, Role); 5] = [
    ("pawns", Role::Pawn),
    ("knights", Role::Knight),
    ("bishops", Role::Bishop),
    ("rooks", Role::Rook),
    ("queens", Role::Queen),
];

impl Imbalance {
    /// The maximum number of surpluses to which lists of alternatives expand.
    const MOST: usize = 1000;

    /// Parses White's surplus, the letter `v`, and Black's surplus. `[BN]` is one of these pieces. `P*`, or
    /// `pawns free` after a comma, excludes a kind of piece from the comparison. All other kinds must be equal.
    pub fn parse(text: &str) -> Result<Imbalance, QueryFault> {
        Imbalance::read(text).map_err(QueryFault::within(text))
    }

    pub(crate) fn read(text: &str) -> Result<Imbalance, Fault> {
        let role_of = |letter: u8| Role::from_letter(letter).filter(|role| *role != Role::King);
        let not_a_piece = |at: usize| {
            let at = run(text, at, |letter| {
                letter.is_alphanumeric() && u8::try_from(letter).ok().and_then(role_of).is_none()
            });
            (at, reason!("not_imbalance", "not a piece: write for example {letters}", letters = "PPvN"))
        };
        let (pieces, words) = text.split_once(',').unwrap_or((text, ""));
        let (mut surpluses, mut free, mut sign) = (vec![[0i16; 6]], 0u8, 1);
        let bytes = pieces.as_bytes();
        let mut at = 0;
        while let Some(&letter) = bytes.get(at) {
            let begun = at;
            at += 1;
            let roles: Vec<Role> = match letter {
                b' ' => continue,
                b'v' if sign == 1 => {
                    sign = -1;
                    continue;
                }
                b'[' => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| *byte == b']');
                    let length =
                        length.ok_or_else(|| (begun..pieces.len(), reason!("bracket", "missing closing bracket")))?;
                    let letters = rest.iter().take(length).zip(at..);
                    at += length + 1;
                    letters
                        .map(|(letter, at)| role_of(*letter).ok_or_else(|| not_a_piece(at)))
                        .collect::<Result<_, _>>()?
                }
                letter => vec![role_of(letter).ok_or_else(|| not_a_piece(begun))?],
            };
            if bytes.get(at) == Some(&b'*') {
                at += 1;
                free |= roles.iter().fold(0, |bits, role| bits | 1 << *role as u8);
                continue;
            }
            let more = |surplus: &[i16; 6], role: Role| {
                let mut surplus = *surplus;
                surplus[role as usize] += sign;
                surplus
            };
            surpluses = surpluses.iter().flat_map(|known| roles.iter().map(|role| more(known, *role))).collect();
            surpluses.sort_unstable();
            surpluses.dedup();
            if surpluses.is_empty() || surpluses.len() > Imbalance::MOST {
                return Err((
                    begun..at,
                    reason!("alternatives", "expected 1 to {n} alternatives", n = Imbalance::MOST),
                ));
            }
        }
        if sign == 1 {
            return Err((
                pieces.len()..pieces.len(),
                reason!(
                    "imbalance",
                    "expected a v between White's and Black's pieces, as in {letters}",
                    letters = "PPvN"
                ),
            ));
        }
        let (mut at, mut is_closed) = (pieces.len() + 1, words.is_empty());
        for word in words.split(' ') {
            let role = PLURALS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, role)| *role);
            match (word, role) {
                ("", _) | ("and", _) => {}
                (_, Some(role)) if !is_closed => free |= 1 << role as u8,
                ("free", _) if free != 0 && !is_closed => is_closed = true,
                _ => {
                    return Err((
                        at..at + word.len(),
                        reason!("free_pieces", "expected for example \"pawns free\" or \"pawns and queens free\""),
                    ));
                }
            }
            at += word.len() + 1;
        }
        if !is_closed {
            return Err((text.len()..text.len(), reason!("free", "expected \"free\", as in \"pawns free\"")));
        }
        Ok(Imbalance { surpluses, free })
    }

    pub(super) fn matches(&self, pieces: &[u8; 12]) -> bool {
        let is_free = |role: usize| self.free >> role & 1 != 0;
        let fits = |(role, more): (usize, &i16)| {
            is_free(role) || i16::from(pieces[role]) - i16::from(pieces[6 + role]) == *more
        };
        self.surpluses.iter().any(|surplus| surplus.iter().enumerate().all(fits))
    }

    pub(super) fn swapped(&self) -> Imbalance {
        let mut surpluses: Vec<[i16; 6]> = self.surpluses.iter().map(|surplus| surplus.map(|more| -more)).collect();
        surpluses.sort_unstable();
        Imbalance { surpluses, free: self.free }
    }
}

//! The scalar functions `fen_at`, `reaches`, `san` and `uci`.

use crate::api::{self, Api, Column, Info, Raw, Text, Type, c_text};
use crate::games;
use crate::guard::guarded;
use scoresheet::archive::GameSet;
use scoresheet::chess::Move;
use scoresheet::{Error, Position};
use scoresheet_query::{ArchiveSet, PositionQuery, SearchOptions};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The archives and positions of a chunk, which are opened and read once.
#[derive(Default)]
struct Known {
    sets: HashMap<String, ArchiveSet>,
    positions: HashMap<String, Position>,
    queries: HashMap<String, PositionQuery>,
}

/// Returns the value of a key, which `make` makes once.
fn known<'a, T>(
    map: &'a mut HashMap<String, T>,
    key: &str,
    make: impl FnOnce(&str) -> Result<T, String>,
) -> Result<&'a T, String> {
    match map.entry(key.to_owned()) {
        Entry::Occupied(entry) => Ok(entry.into_mut()),
        Entry::Vacant(entry) => Ok(entry.insert(make(key)?)),
    }
}

/// An argument or a result.
enum Value {
    Text(String),
    Number(i64),
    Truth(bool),
    Null,
}

/// A row of arguments, none of which is NULL.
struct Row(Vec<Value>);

impl Row {
    fn text(&self, index: usize) -> &str {
        match self.0.get(index) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    fn number(&self, index: usize) -> i64 {
        match self.0.get(index) {
            Some(Value::Number(number)) => *number,
            _ => -1,
        }
    }
}

/// A scalar function, and its types.
trait Scalar {
    const NAME: &str;
    const PARAMETERS: &[Type];
    const RESULT: Type;
    /// Whether the result depends on a file, which can change between two queries.
    const READS: bool;

    fn value(row: &Row, known: &mut Known) -> Result<Value, String>;
}

/// `fen_at(archive, game, ply)`
struct FenAt;

impl Scalar for FenAt {
    const NAME: &str = "fen_at";
    const PARAMETERS: &[Type] = &[Type::Varchar, Type::BigInt, Type::BigInt];
    const RESULT: Type = Type::Varchar;
    const READS: bool = true;

    fn value(row: &Row, known: &mut Known) -> Result<Value, String> {
        let Ok(game) = u64::try_from(row.number(1)) else {
            return Err(format!("fen_at: no game {}", row.number(1)));
        };
        let set = self::known(&mut known.sets, row.text(0), |path| games::open(&[path]))?;
        let game = set.game(game).map_err(|error| error.to_string())?;
        // As in `scoresheet sql`, a ply that the game does not have is no error, so a query can ask all games for it.
        let ply = u32::try_from(row.number(2)).ok().filter(|ply| *ply <= game.plies());
        let position = ply.map(|ply| game.position(ply)).transpose().map_err(|error| error.to_string())?;
        Ok(position.map_or(Value::Null, |position| Value::Text(position.fen())))
    }
}

/// `reaches(archive, game, fen)`
struct Reaches;

impl Scalar for Reaches {
    const NAME: &str = "reaches";
    const PARAMETERS: &[Type] = &[Type::Varchar, Type::BigInt, Type::Varchar];
    const RESULT: Type = Type::Boolean;
    const READS: bool = true;

    fn value(row: &Row, known: &mut Known) -> Result<Value, String> {
        let query = |fen: &str| PositionQuery::from_fen(fen).map_err(|fault| fault.to_string());
        let query = self::known(&mut known.queries, row.text(2), query)?;
        let Ok(game) = u64::try_from(row.number(1)) else {
            return Err(format!("reaches: no game {}", row.number(1)));
        };
        let set = self::known(&mut known.sets, row.text(0), |path| games::open(&[path]))?;
        let found = || -> Result<bool, Error> {
            // A missing or deleted game is an error.
            set.game(game)?;
            let (member, own) = set.member_of(game)?;
            let games = GameSet::from_numbers(member.archive().len(), [own]);
            let mut found = member.search().among(Some(&games)).position(query, SearchOptions::default());
            found.unread.pop().map_or(Ok(!found.hits.is_empty()), Err)
        };
        found().map(Value::Truth).map_err(|error| error.to_string())
    }
}

/// Reads a move in SAN or UCI in a position that is given as a FEN, and writes it with `write`.
fn rewritten(row: &Row, known: &mut Known, write: fn(&Position, Move) -> String) -> Result<Value, String> {
    let (fen, text) = (row.text(0), row.text(1));
    let position =
        self::known(&mut known.positions, fen, |fen| fen.parse::<Position>().map_err(|fault| fault.to_string()))?;
    let read = position.parse_san(text).ok().or_else(|| position.parse_uci(text).ok());
    let read = read.ok_or_else(|| format!("{text:?} is not a legal move in {fen}"))?;
    Ok(Value::Text(write(position, read)))
}

/// `san(fen, move)`
struct San;

impl Scalar for San {
    const NAME: &str = "san";
    const PARAMETERS: &[Type] = &[Type::Varchar, Type::Varchar];
    const RESULT: Type = Type::Varchar;
    const READS: bool = false;

    fn value(row: &Row, known: &mut Known) -> Result<Value, String> {
        rewritten(row, known, |position, m| position.san(m))
    }
}

/// `uci(fen, move)`
struct Uci;

impl Scalar for Uci {
    const NAME: &str = "uci";
    const PARAMETERS: &[Type] = &[Type::Varchar, Type::Varchar];
    const RESULT: Type = Type::Varchar;
    const READS: bool = false;

    fn value(row: &Row, known: &mut Known) -> Result<Value, String> {
        rewritten(row, known, |position, m| position.uci(m))
    }
}

/// Registers the functions. Returns 0 on success.
///
/// # Safety
///
/// The connection is open.
pub unsafe fn register(api: &Api, connection: Raw) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        register_one::<FenAt>(api, connection)
            | register_one::<Reaches>(api, connection)
            | register_one::<San>(api, connection)
            | register_one::<Uci>(api, connection)
    }
}

unsafe fn register_one<S: Scalar>(api: &Api, connection: Raw) -> i32 {
    // SAFETY: the connection is open; the function is freed after its use.
    unsafe {
        let mut function = (api.create_scalar_function)();
        (api.scalar_set_name)(function, c_text(S::NAME).as_ptr());
        for of in S::PARAMETERS {
            api.with_type(*of, |of| (api.scalar_add_parameter)(function, of));
        }
        api.with_type(S::RESULT, |of| (api.scalar_set_return_type)(function, of));
        if S::READS {
            (api.scalar_set_volatile)(function);
        }
        (api.scalar_set_function)(function, compute::<S>);
        let code = (api.register_scalar_function)(connection, function);
        (api.destroy_scalar_function)(&mut function);
        code
    }
}

/// Computes the values of a chunk; a row with NULL is NULL.
unsafe extern "C" fn compute<S: Scalar>(info: Info, chunk: Raw, out: Raw) {
    let Some(api) = api::loaded() else { return };
    let body = || {
        let mut known = Known::default();
        // SAFETY: DuckDB passes a chunk with flat vectors of the registered types, and a vector for the result.
        unsafe {
            let out = Column::new(api, out, S::RESULT);
            for row in 0..(api.chunk_get_size)(chunk) as usize {
                let arguments = S::PARAMETERS.iter().enumerate();
                let arguments = arguments.map(|(index, of)| argument(api, (chunk, index, row), *of));
                match arguments.collect::<Option<Vec<Value>>>() {
                    None => out.null(row),
                    Some(arguments) => match S::value(&Row(arguments), &mut known)? {
                        Value::Text(text) => out.text(row, Some(&text)),
                        Value::Number(number) => out.number(row, Some(number)),
                        Value::Truth(truth) => out.truth(row, truth),
                        Value::Null => out.null(row),
                    },
                }
            }
        }
        Ok(())
    };
    // SAFETY: DuckDB copies the text.
    guarded(body, |text| unsafe { (api.scalar_set_error)(info, text) });
}

/// Returns an argument of a row, or `None` for NULL.
///
/// # Safety
///
/// The chunk has a flat vector of this type at the index, and the row is below its size.
unsafe fn argument(api: &Api, (chunk, index, row): (Raw, usize, usize), of: Type) -> Option<Value> {
    // SAFETY: the caller's promise.
    unsafe {
        let vector = (api.chunk_get_vector)(chunk, index as u64);
        let (data, bits) = ((api.vector_get_data)(vector), (api.vector_get_validity)(vector));
        if !bits.is_null() && !(api.validity_row_is_valid)(bits, row as u64) {
            return None;
        }
        if of != Type::Varchar {
            return Some(Value::Number(data.cast::<i64>().add(row).read()));
        }
        let text = data.cast::<Text>().add(row);
        let length = (*text).length as usize;
        let bytes = match length {
            0..=12 => (&raw const (*text).rest).cast::<u8>(),
            // The pointer follows the first four bytes of the text.
            _ => (&raw const (*text).rest).cast::<u8>().add(4).cast::<*const u8>().read_unaligned(),
        };
        Some(Value::Text(String::from_utf8_lossy(std::slice::from_raw_parts(bytes, length)).into_owned()))
    }
}

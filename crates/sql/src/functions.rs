//! The scalar functions of the column `brenner`. The bytes in this column contain the complete main line, so the
//! functions work on archives, on Parquet files and on any machine.

use crate::line::{each_move, move_at, replay_at, with_stream};
use crate::question::{Look, Question};
use arrow::array::{
    Array, ArrayRef, BooleanBuilder, Int8Builder, Int64Builder, ListBuilder, StringBuilder, StructArray,
};
use arrow::array::{AsArray, BinaryArray, BinaryViewArray, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Fields, Int64Type};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, create_udf,
};
use scoresheet::chess::Variant;
use scoresheet::chess::fen::FenText;
use scoresheet_query::openings::Openings;
use std::sync::Arc;

/// Returns all scalar functions.
pub fn functions() -> Vec<ScalarUDF> {
    let questions = Question::ALL.into_iter().map(Kind::Ask);
    let others = [
        Kind::FenAt,
        Kind::ToSan,
        Kind::ToUci,
        Kind::PieceCountsAt,
        Kind::ZobristAt,
        Kind::EcoOf,
        Kind::OpeningOf,
        Kind::PliesOf,
        Kind::FirstPly,
        Kind::SanAt,
        Kind::UciAt,
    ];
    let of_moves = questions.chain(others).map(|kind| ScalarUDF::from(Function::new(kind)));
    of_moves.chain([variant_of()]).collect()
}

/// Returns the function `variant_of(text)`: the variant that a value of the tag Variant names, or null for chess.
fn variant_of() -> ScalarUDF {
    let name = |value: &str| Variant::from_tag(value).filter(|variant| *variant != Variant::Chess).map(Variant::name);
    let of_rows = move |args: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(args)?;
        let texts = arrays.first().map(|texts| cast(texts, &DataType::Utf8)).transpose()?;
        let texts = texts.as_ref().and_then(|texts| texts.as_string_opt::<i32>());
        let Some(texts) = texts else { return plan_err!("variant_of takes a text") };
        let found: StringArray = texts.iter().map(|text| text.and_then(name)).collect();
        Ok(ColumnarValue::Array(Arc::new(found)))
    };
    create_udf("variant_of", vec![DataType::Utf8], DataType::Utf8, Volatility::Immutable, Arc::new(of_rows))
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Ask(Question),
    FenAt,
    ToSan,
    ToUci,
    PieceCountsAt,
    ZobristAt,
    EcoOf,
    OpeningOf,
    PliesOf,
    FirstPly,
    SanAt,
    UciAt,
}

/// The kind of second argument of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Second {
    None,
    Text,
    Ply,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Ask(question) => question.name(),
            Kind::FenAt => "fen_at",
            Kind::ToSan => "to_san",
            Kind::ToUci => "to_uci",
            Kind::PieceCountsAt => "piece_counts_at",
            Kind::ZobristAt => "zobrist_at",
            Kind::EcoOf => "eco_of",
            Kind::OpeningOf => "opening_of",
            Kind::PliesOf => "plies_of",
            Kind::FirstPly => "first_ply",
            Kind::SanAt => "san_at",
            Kind::UciAt => "uci_at",
        }
    }

    fn second(self) -> Second {
        match self {
            Kind::Ask(_) | Kind::FirstPly => Second::Text,
            Kind::FenAt | Kind::PieceCountsAt | Kind::ZobristAt | Kind::SanAt | Kind::UciAt => Second::Ply,
            Kind::ToSan | Kind::ToUci | Kind::EcoOf | Kind::OpeningOf | Kind::PliesOf => Second::None,
        }
    }

    fn return_type(self) -> DataType {
        match self {
            Kind::Ask(_) => DataType::Boolean,
            Kind::FenAt | Kind::EcoOf | Kind::OpeningOf | Kind::SanAt | Kind::UciAt => DataType::Utf8,
            Kind::ToSan | Kind::ToUci => DataType::List(Arc::new(Field::new("item", DataType::Utf8, true))),
            Kind::PieceCountsAt => DataType::Struct(piece_fields()),
            Kind::ZobristAt | Kind::PliesOf | Kind::FirstPly => DataType::Int64,
        }
    }
}

fn piece_fields() -> Fields {
    const NAMES: [&str; 12] = [
        "white_pawns",
        "white_knights",
        "white_bishops",
        "white_rooks",
        "white_queens",
        "white_kings",
        "black_pawns",
        "black_knights",
        "black_bishops",
        "black_rooks",
        "black_queens",
        "black_kings",
    ];
    NAMES.iter().map(|name| Field::new(*name, DataType::Int8, true)).collect()
}

/// A scalar function with the moves of a game as its first argument.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Function {
    kind: Kind,
    signature: Signature,
}

impl Function {
    fn new(kind: Kind) -> Function {
        Function { kind, signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.kind.return_type())
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let name = self.name();
        let second = match self.kind.second() {
            Second::None => None,
            Second::Text => Some(DataType::Utf8),
            Second::Ply => Some(DataType::Int64),
        };
        if types.len() != 1 + usize::from(second.is_some()) {
            let form = match self.kind.second() {
                Second::None => "brenner",
                Second::Text => "brenner, text",
                Second::Ply => "brenner, ply",
            };
            return plan_err!("{name} takes ({form})");
        }
        // DataFusion reads binary columns of Parquet files as views; all other sources provide plain binary columns.
        let first = match types.first() {
            Some(DataType::BinaryView | DataType::LargeBinary) => DataType::BinaryView,
            Some(DataType::Binary | DataType::FixedSizeBinary(_) | DataType::Null) => DataType::Binary,
            given_type => {
                let given_type = given_type.map_or(String::new(), ToString::to_string);
                return plan_err!("{name} takes the column brenner, which is binary, not {given_type}");
            }
        };
        Ok([first].into_iter().chain(second).collect())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let scalar = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let Some(first) = arrays.first() else { return plan_err!("{} takes a game's moves", self.name()) };
        let made = match first.data_type() {
            DataType::BinaryView => self.of_rows(Moves::View(first.as_binary_view()), arrays.get(1)),
            DataType::Binary => self.of_rows(Moves::Plain(first.as_binary()), arrays.get(1)),
            _ => {
                let plain = cast(first, &DataType::Binary)?;
                self.of_rows(Moves::Plain(plain.as_binary()), arrays.get(1))
            }
        }?;
        if scalar && made.len() == 1 {
            return Ok(ColumnarValue::Scalar(datafusion::common::ScalarValue::try_from_array(&made, 0)?));
        }
        Ok(ColumnarValue::Array(made))
    }
}

/// The moves in the rows of a batch.
#[derive(Clone, Copy)]
enum Moves<'a> {
    Plain(&'a BinaryArray),
    View(&'a BinaryViewArray),
}

impl<'a> Moves<'a> {
    fn len(self) -> usize {
        match self {
            Moves::Plain(array) => array.len(),
            Moves::View(array) => array.len(),
        }
    }

    fn get(self, row: usize) -> Option<&'a [u8]> {
        match self {
            Moves::Plain(array) => array.is_valid(row).then(|| array.value(row)),
            Moves::View(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

impl Function {
    fn of_rows(&self, moves: Moves<'_>, second: Option<&ArrayRef>) -> Result<ArrayRef> {
        let rows = 0..moves.len();
        let ply = |row: usize| {
            let array = second?.as_primitive_opt::<Int64Type>()?;
            array.is_valid(row).then(|| array.value(row))
        };
        match self.kind {
            Kind::Ask(question) => {
                let mut found = BooleanBuilder::new();
                self.ask(question, moves, second, |row| {
                    found.append_option(row.map(|(look, bytes)| look.is_in(bytes)).transpose()?);
                    Ok(())
                })?;
                Ok(Arc::new(found.finish()))
            }
            Kind::FirstPly => {
                let mut plies = Int64Builder::new();
                self.ask(Question::Reaches, moves, second, |row| {
                    let ply = row.map(|(look, bytes)| look.first_ply(bytes)).transpose()?.flatten();
                    plies.append_option(ply.map(i64::from));
                    Ok(())
                })?;
                Ok(Arc::new(plies.finish()))
            }
            Kind::SanAt | Kind::UciAt => {
                let (mut texts, mut text) = (StringBuilder::new(), Vec::new());
                for row in rows {
                    let (Some(bytes), Some(ply)) = (moves.get(row), ply(row)) else {
                        texts.append_null();
                        continue;
                    };
                    let played = self.checked(move_at(bytes, ply, |played| {
                        text.clear();
                        match self.kind {
                            Kind::SanAt => played.before().write_san(played.played(), &mut text),
                            _ => played.write_uci(&mut text),
                        }
                    }))?;
                    texts.append_option(played.then(|| String::from_utf8_lossy(&text).into_owned()));
                }
                Ok(Arc::new(texts.finish()))
            }
            Kind::FenAt => {
                let (mut fens, mut text) = (StringBuilder::new(), FenText::default());
                for row in rows {
                    let found = self.at(moves.get(row), ply(row), |replay| {
                        String::from_utf8_lossy(replay.state().fen(&mut text)).into_owned()
                    })?;
                    fens.append_option(found);
                }
                Ok(Arc::new(fens.finish()))
            }
            Kind::ZobristAt => {
                let mut keys = Int64Builder::new();
                for row in rows {
                    keys.append_option(self.at(moves.get(row), ply(row), |replay| replay.position().zobrist() as i64)?);
                }
                Ok(Arc::new(keys.finish()))
            }
            Kind::PieceCountsAt => {
                let mut counts: Vec<Int8Builder> = (0..12).map(|_| Int8Builder::new()).collect();
                let mut known = Vec::with_capacity(moves.len());
                for row in rows {
                    let sets = self.at(moves.get(row), ply(row), |replay| replay.state().bitboards())?;
                    known.push(sets.is_some());
                    for (index, builder) in counts.iter_mut().enumerate() {
                        builder.append_option(sets.and_then(|sets| Some(sets.get(index)?.count_ones() as i8)));
                    }
                }
                let counts = counts.iter_mut().map(|builder| Arc::new(builder.finish()) as ArrayRef).collect();
                Ok(Arc::new(StructArray::try_new(piece_fields(), counts, Some(known.into()))?))
            }
            Kind::ToSan | Kind::ToUci => {
                let (mut lists, mut text) = (ListBuilder::new(StringBuilder::new()), Vec::new());
                for row in rows {
                    let Some(bytes) = moves.get(row) else {
                        lists.append(false);
                        continue;
                    };
                    let read = each_move(bytes, |played| {
                        text.clear();
                        match self.kind {
                            Kind::ToSan => played.before().write_san(played.played(), &mut text),
                            _ => played.write_uci(&mut text),
                        }
                        lists.values().append_value(String::from_utf8_lossy(&text));
                    });
                    self.checked(read)?;
                    lists.append(true);
                }
                Ok(Arc::new(lists.finish()))
            }
            Kind::EcoOf | Kind::OpeningOf => {
                let mut texts = StringBuilder::new();
                for row in rows {
                    let found = moves.get(row).map(|bytes| {
                        with_stream(bytes, |stream| {
                            let found = Openings::table().classify_stream(stream).map_err(|error| error.to_string())?;
                            Ok(found.map(|(opening, _)| match self.kind {
                                Kind::EcoOf => opening.eco,
                                _ => opening.name,
                            }))
                        })
                    });
                    texts.append_option(self.checked(found.transpose())?.flatten());
                }
                Ok(Arc::new(texts.finish()))
            }
            Kind::PliesOf => {
                let mut plies = Int64Builder::new();
                for row in rows {
                    let found = moves.get(row).map(|bytes| with_stream(bytes, |stream| Ok(i64::from(stream.plies()))));
                    plies.append_option(self.checked(found.transpose())?);
                }
                Ok(Arc::new(plies.finish()))
            }
        }
    }

    /// Calls `take` with each row's moves and the compiled second argument, or with `None` if the moves or the argument
    /// are null. Parses the argument only once if it is the same for all rows, as in nearly all queries.
    fn ask(
        &self,
        question: Question,
        moves: Moves<'_>,
        second: Option<&ArrayRef>,
        mut take: impl FnMut(Option<(&Look<'_>, &[u8])>) -> Result<(), String>,
    ) -> Result<()> {
        let texts = second.and_then(|array| array.as_string_opt::<i32>());
        let Some(texts) = texts else { return plan_err!("{} takes a text", self.name()) };
        let text = |row: usize| (row < moves.len() && texts.is_valid(row)).then(|| texts.value(row));
        let mut row = 0;
        while row < moves.len() {
            let Some(question_text) = text(row) else {
                self.checked(take(None))?;
                row += 1;
                continue;
            };
            let board = match question.board(question_text) {
                Ok(board) => board,
                Err(what) => return exec_err!("{what}"),
            };
            let Some(look) = Look::new(&board) else { return exec_err!("{}: expected one position", self.name()) };
            while text(row) == Some(question_text) {
                self.checked(take(moves.get(row).map(|bytes| (&look, bytes))))?;
                row += 1;
            }
        }
        Ok(())
    }

    /// Returns the result of `take` for the replay at a ply; null if the game has no such ply.
    fn at<T>(
        &self,
        bytes: Option<&[u8]>,
        ply: Option<i64>,
        take: impl FnOnce(&scoresheet::brenner::replay::Replay) -> T,
    ) -> Result<Option<T>> {
        let (Some(bytes), Some(ply)) = (bytes, ply) else { return Ok(None) };
        self.checked(with_stream(bytes, |stream| Ok(replay_at(stream, ply)?.as_ref().map(take))))
    }

    fn checked<T>(&self, result: Result<T, String>) -> Result<T> {
        match result {
            Ok(value) => Ok(value),
            Err(error) => exec_err!("{}: {error}", self.name()),
        }
    }
}

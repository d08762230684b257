//! The scalar function `fen_at(archive, game, ply)`.

use crate::api::{self, Api, Column, Info, Raw, Type, c_text};
use crate::games;
use crate::guard::guarded;
use scoresheet_query::ArchiveSet;
use std::collections::HashMap;

/// The layout of DuckDB's strings: short ones are inside, long ones behind a pointer.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    length: u32,
    rest: [u8; 12],
}

/// Registers the function. Returns 0 on success.
///
/// # Safety
///
/// The connection is open.
pub unsafe fn register(api: &Api, connection: Raw) -> i32 {
    // SAFETY: the caller's promise; the function is freed after its use.
    unsafe {
        let mut function = (api.create_scalar_function)();
        (api.scalar_set_name)(function, c_text("fen_at").as_ptr());
        api.with_type(Type::Varchar, |text| {
            (api.scalar_add_parameter)(function, text);
            (api.scalar_set_return_type)(function, text);
        });
        api.with_type(Type::BigInt, |number| {
            (api.scalar_add_parameter)(function, number);
            (api.scalar_add_parameter)(function, number);
        });
        // The file can change between two queries.
        (api.scalar_set_volatile)(function);
        (api.scalar_set_function)(function, compute);
        let code = (api.register_scalar_function)(connection, function);
        (api.destroy_scalar_function)(&mut function);
        code
    }
}

/// Computes the positions of a chunk. Opens each archive once for a chunk.
unsafe extern "C" fn compute(info: Info, chunk: Raw, out: Raw) {
    let Some(api) = api::loaded() else { return };
    let body = || {
        // SAFETY: DuckDB passes a chunk with three flat vectors of the registered types, and a vector for the result.
        unsafe {
            let vector = |index: u64| (api.chunk_get_vector)(chunk, index);
            let data = |index: u64| (api.vector_get_data)(vector(index));
            let validity = [0, 1, 2].map(|index| (api.vector_get_validity)(vector(index)));
            let out = Column::new(api, out, Type::Varchar);
            let mut opened: HashMap<String, ArchiveSet> = HashMap::new();
            for row in 0..(api.chunk_get_size)(chunk) as usize {
                let is_valid = |bits: &*mut u64| bits.is_null() || (api.validity_row_is_valid)(*bits, row as u64);
                if !validity.iter().all(is_valid) {
                    out.text(row, None);
                    continue;
                }
                let text = data(0).cast::<Text>().add(row);
                let length = (*text).length as usize;
                let bytes = match length {
                    0..=12 => (&raw const (*text).rest).cast::<u8>(),
                    // The pointer follows the first four bytes of the text.
                    _ => (&raw const (*text).rest).cast::<u8>().add(4).cast::<*const u8>().read_unaligned(),
                };
                let path = String::from_utf8_lossy(std::slice::from_raw_parts(bytes, length)).into_owned();
                let numbers = [1, 2].map(|index| data(index).cast::<i64>().add(row).read());
                let (Ok(game), Ok(ply)) = (u64::try_from(numbers[0]), u32::try_from(numbers[1])) else {
                    return Err(format!("fen_at: no game {}, ply {}", numbers[0], numbers[1]));
                };
                if !opened.contains_key(&path) {
                    opened.insert(path.clone(), games::open(&path)?);
                }
                let Some(set) = opened.get(&path) else { continue };
                let position = set.game(game).and_then(|game| game.position(ply));
                out.text(row, Some(&position.map_err(|error| error.to_string())?.fen()));
            }
        }
        Ok(())
    };
    // SAFETY: DuckDB copies the text.
    guarded(body, |text| unsafe { (api.scalar_set_error)(info, text) });
}

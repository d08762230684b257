//! Processes the lines of an input in batches on all threads, with the results in order.

use crate::failure::Failure;
use rayon::prelude::*;
use std::io::{self, Read, Write};

/// The maximum number of bytes that are read at once.
const BATCH: usize = 1 << 20;
/// The number of lines per task.
const TASK_LINES: usize = 512;

/// Reads complete lines as they arrive, so another program can write a line and wait for the result. Calls `batch` with
/// the lines of one read and the number of the first line, from 1, and returns the number of lines. A line longer than
/// a batch is passed in parts. Errors: read errors, whose messages contain `name`.
pub fn batches(
    mut input: impl Read,
    name: &str,
    mut batch: impl FnMut(&[u8], u64) -> Result<u64, Failure>,
) -> Result<(), Failure> {
    let mut buffer = vec![0; BATCH];
    let (mut kept, mut line) = (0, 1);
    loop {
        let read = match input.read(&mut buffer[kept..]) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Failure::Message(format!("cannot read {name}: {error}"))),
        };
        let filled = kept + read;
        let complete = match memchr::memrchr(b'\n', &buffer[..filled]) {
            _ if read == 0 => filled,
            Some(end) => end + 1,
            None if filled == BATCH => filled,
            None => 0,
        };
        if complete > 0 {
            line += batch(&buffer[..complete], line)?;
        }
        if read == 0 {
            return Ok(());
        }
        buffer.copy_within(complete..filled, 0);
        kept = filled - complete;
    }
}

/// The result of a task: the text for its lines, and other data to report.
pub struct Task<T> {
    pub text: Vec<u8>,
    pub result: T,
}

/// Calls `task` on all threads with runs of lines and the number of the first line of each. Writes the texts in order,
/// calls `done` with each result after its text, and returns the number of lines.
pub fn answer<T: Send>(
    batch: &[u8],
    first: u64,
    out: &mut impl Write,
    task: impl Fn(&[&[u8]], u64) -> Task<T> + Sync,
    mut done: impl FnMut(T) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let (mut lines, mut start) = (Vec::with_capacity(batch.len() / 32), 0);
    for end in memchr::memchr_iter(b'\n', batch) {
        lines.push(&batch[start..end]);
        start = end + 1;
    }
    if start < batch.len() {
        lines.push(&batch[start..]);
    }
    let tasks: Vec<Task<T>> = lines
        .par_chunks(TASK_LINES)
        .enumerate()
        .map(|(number, lines)| task(lines, first + (number * TASK_LINES) as u64))
        .collect();
    for Task { text, result } in tasks {
        out.write_all(&text)?;
        done(result)?;
    }
    Ok(lines.len() as u64)
}

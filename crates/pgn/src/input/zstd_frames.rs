//! Zstandard files. Complete small frames are decompressed in parallel, ahead of the reader. Other frames are read as
//! streams. The order is kept.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use zstd::stream::raw::{Decoder, Operation};
use zstd::zstd_safe::{find_frame_compressed_size, get_frame_content_size};

/// The maximum compressed size in bytes of a frame that is decompressed as a whole.
const MAX_FRAME: usize = 4 << 20;
/// The maximum decompressed size in bytes of such a frame.
const MAX_TEXT: usize = 16 << 20;
/// The limits for decompression ahead of the reader, in bytes of text and in frames. A frame whose length is unknown
/// counts with the maximum length.
const TEXT_AHEAD: usize = 32 << 20;
const FRAMES_AHEAD: usize = 64;
/// The number of bytes to read at once.
const STEP: usize = 256 << 10;
/// The maximum number of worker threads.
const THREADS: usize = 4;

/// A reader that returns the text of all frames. It uses 4 MiB of memory for the file, about 32 MiB for texts, and the
/// window of a frame that is read as a stream.
pub(crate) struct Frames<R> {
    stored: R,
    /// The bytes that have been read from the file. Bytes before `at` have been used.
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    /// The next results, in order.
    queue: VecDeque<Next>,
    /// The maximum total size of the texts in `queue` after decompression, in bytes.
    ahead: usize,
    current: Current,
    crew: Option<Crew>,
}

enum Next {
    /// A frame that a worker thread decompresses, with the maximum size of its text.
    Frame(Receiver<Done>, usize),
    /// A frame that is read as a stream. No bytes beyond this frame are read ahead.
    Stream,
    Fault(io::Error),
}

/// The result of a worker thread for one frame.
enum Done {
    Text(Vec<u8>),
    /// The frame itself, because it is too long or damaged. Reading the frame as a stream returns its readable part.
    Frame(Vec<u8>),
}

enum Current {
    Nothing,
    Text(Vec<u8>, usize),
    /// A stream that decompresses a frame in memory, or the file.
    Stream(Decoder<'static>, Option<(Vec<u8>, usize)>),
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(stored: R) -> Frames<R> {
        Frames {
            stored,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            queue: VecDeque::new(),
            ahead: 0,
            current: Current::Nothing,
            crew: None,
        }
    }

    fn pending(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// Reads from the file until `count` bytes are pending or the file ends.
    fn fill(&mut self, count: usize) -> io::Result<()> {
        if self.at > 0 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        while self.buffer.len() < count && !self.ended {
            let room = count.max(STEP) - self.buffer.len();
            let read = (&mut self.stored).take(room as u64).read_to_end(&mut self.buffer)?;
            self.ended = read < room;
        }
        Ok(())
    }

    /// Passes frames to the worker threads within the memory limits. Stops at a frame that must be read as a stream.
    fn read_ahead(&mut self) -> io::Result<()> {
        while self.ahead < TEXT_AHEAD
            && self.queue.len() < FRAMES_AHEAD
            && !matches!(self.queue.back(), Some(Next::Stream | Next::Fault(_)))
        {
            if self.pending().len() < STEP && !self.ended {
                self.fill(STEP)?;
            }
            let head = self.pending();
            if head.is_empty() {
                return Ok(());
            }
            if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, ..] = *head {
                self.skip(8 + u64::from(u32::from_le_bytes([a, b, c, d])))?;
                continue;
            }
            match self.complete_frame()? {
                Some((length, text)) => {
                    let frame = self.pending().get(..length).unwrap_or_default().to_vec();
                    self.at += length;
                    self.ahead += text;
                    let receiver = self.crew.get_or_insert_with(Crew::new).give(frame, text);
                    self.queue.push_back(Next::Frame(receiver, text));
                }
                None => self.queue.push_back(Next::Stream),
            }
        }
        Ok(())
    }

    /// Returns the length of the next frame and the maximum size of its text, if the frame can be decompressed as a
    /// whole.
    fn complete_frame(&mut self) -> io::Result<Option<(usize, usize)>> {
        let known = get_frame_content_size(self.pending()).ok().flatten();
        if known.is_some_and(|text| text > MAX_TEXT as u64) {
            return Ok(None);
        }
        loop {
            match find_frame_compressed_size(self.pending()) {
                Ok(length) if length <= MAX_FRAME => {
                    let most = known.and_then(|text| usize::try_from(text).ok()).unwrap_or(MAX_TEXT);
                    return Ok(Some((length, most)));
                }
                Ok(_) => return Ok(None),
                // The frame is incomplete so far, or it is damaged.
                Err(_) if self.ended || self.pending().len() >= MAX_FRAME => return Ok(None),
                Err(_) => self.fill(self.pending().len() * 2)?,
            }
        }
    }

    fn skip(&mut self, mut count: u64) -> io::Result<()> {
        loop {
            let here = self.pending().len().min(usize::try_from(count).unwrap_or(usize::MAX));
            self.at += here;
            count -= here as u64;
            if count == 0 {
                return Ok(());
            }
            if self.ended {
                return Err(cut_short());
            }
            self.fill(STEP)?;
        }
    }

    /// Returns more bytes of a stream, or 0 at the end of the stream.
    fn stream(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let Current::Stream(decoder, memory) = &mut self.current else { return Ok(0) };
            let input = match memory {
                Some((frame, at)) => frame.get(*at..).unwrap_or_default(),
                None => self.buffer.get(self.at..).unwrap_or_default(),
            };
            let at_end = input.is_empty();
            let status = decoder.run_on_buffers(input, buf)?;
            match memory {
                Some((_, at)) => *at += status.bytes_read,
                None => self.at += status.bytes_read,
            }
            if status.remaining == 0 {
                self.current = Current::Nothing;
                return Ok(status.bytes_written);
            }
            if status.bytes_written > 0 {
                return Ok(status.bytes_written);
            }
            if at_end {
                if memory.is_some() || self.ended {
                    return Err(cut_short());
                }
                self.fill(STEP)?;
            }
        }
    }
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "incomplete frame")
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.current {
                Current::Text(text, at) if *at < text.len() => {
                    let rest = text.get(*at..).unwrap_or_default();
                    let count = rest.len().min(buf.len());
                    if let (Some(to), Some(from)) = (buf.get_mut(..count), rest.get(..count)) {
                        to.copy_from_slice(from);
                    }
                    *at += count;
                    return Ok(count);
                }
                Current::Stream(..) => match self.stream(buf)? {
                    0 => {}
                    count => return Ok(count),
                },
                _ => {
                    // An error is returned after the data that precedes it.
                    if let Err(error) = self.read_ahead() {
                        self.queue.push_back(Next::Fault(error));
                    }
                    self.current = match self.queue.pop_front() {
                        None => return Ok(0),
                        Some(Next::Fault(error)) => return Err(error),
                        Some(Next::Stream) => Current::Stream(Decoder::new()?, None),
                        Some(Next::Frame(receiver, text)) => {
                            self.ahead -= text;
                            match receiver.recv().map_err(io::Error::other)? {
                                Done::Text(text) => Current::Text(text, 0),
                                Done::Frame(frame) => Current::Stream(Decoder::new()?, Some((frame, 0))),
                            }
                        }
                    };
                }
            }
        }
    }
}

struct Job {
    frame: Vec<u8>,
    /// The maximum size of the frame's text in bytes.
    text: usize,
    done: SyncSender<Done>,
}

/// The worker threads.
struct Crew {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    fn new() -> Crew {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        let count = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let threads = (0..count).map_while(|_| {
            let queue = Arc::clone(&queue);
            let work = move || {
                loop {
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job { frame, text, done }) = job else { break };
                    // The receiver may have been dropped, so errors are ignored.
                    let _ = done.send(decompress(frame, text));
                }
            };
            std::thread::Builder::new().spawn(work).ok()
        });
        Crew { jobs: Some(jobs), threads: threads.collect() }
    }

    fn give(&self, frame: Vec<u8>, text: usize) -> Receiver<Done> {
        let (done, receiver) = sync_channel(1);
        match &self.jobs {
            Some(jobs) if !self.threads.is_empty() => {
                // Sending fails only if the worker threads have ended. In this case, receiving fails as well and
                // reports the error.
                let _ = jobs.send(Job { frame, text, done });
            }
            // The system could not start worker threads, so this thread decompresses the frame. The channel has
            // capacity for the result.
            _ => drop(done.send(decompress(frame, text))),
        }
        receiver
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn decompress(frame: Vec<u8>, text: usize) -> Done {
    let mut out = Vec::with_capacity(text.min(frame.len().saturating_mul(16)));
    let Ok(decoder) = zstd::stream::read::Decoder::with_buffer(frame.as_slice()) else { return Done::Frame(frame) };
    match decoder.single_frame().take(text as u64 + 1).read_to_end(&mut out) {
        Ok(length) if length <= text => Done::Text(out),
        _ => Done::Frame(frame),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    /// Returns bytes that hardly compress.
    fn noise(count: usize) -> Vec<u8> {
        (0..count as u64 / 8)
            .flat_map(|n| {
                (n + 1)
                    .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                    .rotate_left(17)
                    .wrapping_mul(0xD6E8_FEB8_6659_FD93)
                    .to_le_bytes()
            })
            .collect()
    }

    fn frame(text: &[u8], sized: bool) -> Vec<u8> {
        if sized { zstd::bulk::compress(text, 1).unwrap() } else { zstd::encode_all(text, 1).unwrap() }
    }

    fn skippable(length: usize) -> Vec<u8> {
        [&[0x5A, 0x2A, 0x4D, 0x18][..], &u32::try_from(length).unwrap().to_le_bytes(), &vec![7; length]].concat()
    }

    /// Gives a few bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let most = buf.len().min(self.1);
            (&mut self.0).take(most as u64).read(buf)
        }
    }

    fn text_of(file: &[u8], step: usize) -> (Vec<u8>, Option<io::ErrorKind>) {
        let (mut frames, mut text) = (Frames::new(Drip(file, step)), Vec::new());
        let error = frames.read_to_end(&mut text).err().map(|error| error.kind());
        (text, error)
    }

    #[test]
    fn many_frames_keep_their_order() {
        let (mut file, mut text) = (skippable(3), Vec::new());
        for number in 0..300usize {
            let part = format!("[Round \"{number}\"]\n").repeat(number * number % 900);
            file.extend(frame(part.as_bytes(), number % 3 > 0));
            text.extend_from_slice(part.as_bytes());
            if number % 7 == 0 {
                file.extend(skippable(number * 1000));
            }
        }
        for step in [usize::MAX, 70_001] {
            assert!(text_of(&file, step) == (text.clone(), None));
        }
    }

    #[test]
    fn frames_too_long_are_streams_between_others() {
        let long = noise(MAX_FRAME + 100_000);
        let wide = vec![b'x'; MAX_TEXT + 1];
        let small = noise(1000);
        let mut file = Vec::new();
        for (text, sized) in
            [(&small, true), (&long, true), (&small, false), (&wide, false), (&wide, true), (&small, true)]
        {
            file.extend(frame(text, sized));
        }
        let text = [&small[..], &long, &small, &wide, &wide, &small].concat();
        assert!(text_of(&file, usize::MAX) == (text, None));
    }

    #[test]
    fn damage_comes_after_what_is_before_it() {
        let text = noise(400_000);
        let good = frame(&text, true);
        for cut in [1, 5, good.len() / 2, good.len() - 1] {
            let file = [&good[..], &good[..cut]].concat();
            let (read, error) = text_of(&file, usize::MAX);
            assert_eq!(error, Some(io::ErrorKind::UnexpectedEof), "cut at {cut}");
            assert!(read.starts_with(&text), "cut at {cut}");
        }
        let (read, error) = text_of(&[&good[..], b"no frame at all"].concat(), usize::MAX);
        assert!(read == text && error.is_some());
        assert_eq!(text_of(&skippable(9)[..12], usize::MAX), (Vec::new(), Some(io::ErrorKind::UnexpectedEof)));
        // A frame with a checksum that does not hold gives its text, and then the error.
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        io::copy(&mut text.as_slice(), &mut encoder).unwrap();
        let mut bad = encoder.finish().unwrap();
        *bad.last_mut().unwrap() ^= 1;
        let (read, error) = text_of(&[&good[..], &bad, &good].concat(), usize::MAX);
        assert!(error.is_some() && read.len() >= text.len() && read.len() <= 2 * text.len());
    }
}

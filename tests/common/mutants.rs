//! Seeded changes of files that have no checksums, and what a long run of them needs.

use super::random::Random;

/// Returns the bytes with a few changes: bits, bytes and numbers at their limits, exchanged, doubled and removed parts,
/// or a cut end.
pub fn changed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut wrong = bytes.to_vec();
    if random.one_in(12) {
        wrong.truncate(random.below(bytes.len()));
        return wrong;
    }
    for _ in 0..1 << random.below(5) {
        let at = random.below(wrong.len());
        let part = random.below(16).min(wrong.len() - at);
        match random.below(8) {
            0 => wrong.splice(at..at, bytes[at.min(bytes.len())..(at + part).min(bytes.len())].to_vec()).for_each(drop),
            1 => wrong.drain(at..at + part).for_each(drop),
            2 => {
                let number = random.pick(&[0u32, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x00FF_FFFF, 0x7FFF_FFFF, u32::MAX]);
                let digits = if random.one_in(2) { number.to_be_bytes() } else { number.to_le_bytes() };
                wrong.iter_mut().skip(at).zip(digits).for_each(|(byte, digit)| *byte = digit);
            }
            3 => {
                let from = random.below(bytes.len());
                let copied: Vec<u8> = bytes.iter().skip(from).take(part).copied().collect();
                wrong.iter_mut().skip(at).zip(copied).for_each(|(byte, copy)| *byte = copy);
            }
            kind => {
                let new = random.next() as u8;
                if let Some(byte) = wrong.get_mut(at) {
                    *byte = if kind < 6 { *byte ^ 1 << (new % 8) } else { new };
                }
            }
        }
    }
    wrong
}

/// Returns the peak of this process's memory in MiB, where the system tells it.
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.trim();
    Some(kilobytes.parse::<u64>().ok()? >> 10)
}

/// The progress of a run, printed once in a while.
pub struct Run {
    name: &'static str,
    begun: std::time::Instant,
    slowest: (std::time::Duration, u64),
    said: u64,
}

impl Run {
    pub fn new(name: &'static str) -> Run {
        Run { name, begun: std::time::Instant::now(), slowest: Default::default(), said: 0 }
    }

    /// Runs a state. If it panics, its number is printed.
    pub fn state(&mut self, number: u64, seed: u64, work: impl FnOnce()) {
        let begun = std::time::Instant::now();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        if let Err(panic) = done {
            eprintln!("{}: SCORESHEET_SEED={seed} SCORESHEET_FROM={number}", self.name);
            std::panic::resume_unwind(panic);
        }
        self.slowest = self.slowest.max((begun.elapsed(), number));
        let minutes = self.begun.elapsed().as_secs() / 60;
        if minutes > self.said {
            self.said = minutes;
            self.report(number);
        }
    }

    /// Prints the last state, the slowest state and the peak of memory.
    pub fn report(&self, number: u64) {
        let (slowest, at) = self.slowest;
        let memory = peak_memory().map_or_else(|| "unknown".to_owned(), |memory| format!("{memory} MiB"));
        let seconds = self.begun.elapsed().as_secs();
        println!("{}: state {number} after {seconds} s, slowest {slowest:?} (state {at}), memory {memory}", self.name);
    }
}

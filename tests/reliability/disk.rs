//! A disk in memory that records operations, fails on demand, and can crash.
//!
//! Writes are visible at once and durable after a sync. Until then they are pending, and a crash may keep any part of
//! them. A sector of 512 bytes has its content at the last sync, the content after any later write, or a torn mix of
//! two of these. The file may have any length since the last sync. Writes and changes of length therefore survive in
//! any order, completely, in part or not at all.

use crate::common::random::Random;
use scoresheet::archive::storage::Storage;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};

pub const SECTOR: usize = 512;

/// An event of a disk.
#[derive(Clone, Debug)]
pub enum Event {
    Write {
        offset: u64,
        bytes: Arc<[u8]>,
    },
    Length(u64),
    Sync,
    /// The writer acknowledged the commit with this number.
    Acknowledged(u64),
}

/// The way in which an operation fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    NoSpace,
    Input,
    /// Half of the bytes are written.
    Short,
    Interrupted,
}

pub const FAULTS: [Fault; 4] = [Fault::NoSpace, Fault::Input, Fault::Short, Fault::Interrupted];

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The operation that fails, counted from 0.
    pub at: usize,
    pub fault: Fault,
    /// Whether all later operations also fail.
    pub sticky: bool,
}

#[derive(Default)]
struct State {
    live: Vec<u8>,
    events: Vec<Event>,
    operations: usize,
    plan: Option<Plan>,
    /// The number of operations after a failure.
    after_failure: Vec<&'static str>,
    failed: bool,
}

/// A handle of a disk; clones are of the same disk.
#[derive(Clone, Default)]
pub struct Disk(Arc<Mutex<State>>);

impl Disk {
    pub fn with(bytes: &[u8]) -> Disk {
        Disk(Arc::new(Mutex::new(State { live: bytes.to_vec(), ..State::default() })))
    }

    pub fn fail(&self, plan: Plan) {
        self.0.lock().unwrap().plan = Some(plan);
    }

    pub fn live(&self) -> Vec<u8> {
        self.0.lock().unwrap().live.clone()
    }

    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().events.clone()
    }

    pub fn operations(&self) -> usize {
        self.0.lock().unwrap().operations
    }

    pub fn after_failure(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().after_failure.clone()
    }

    pub fn acknowledge(&self, sequence: u64) {
        self.0.lock().unwrap().events.push(Event::Acknowledged(sequence));
    }
}

fn apply(live: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Write { offset, bytes } => {
            let (start, end) = (*offset as usize, *offset as usize + bytes.len());
            live.resize(live.len().max(end), 0);
            live[start..end].copy_from_slice(bytes);
        }
        Event::Length(length) => live.resize(*length as usize, 0),
        Event::Sync | Event::Acknowledged(_) => {}
    }
}

impl State {
    /// Performs the operation, or a part of it and fails.
    fn operate(&mut self, name: &'static str, event: Event) -> io::Result<()> {
        let number = self.operations;
        self.operations += 1;
        if self.failed {
            self.after_failure.push(name);
        }
        let fault = self.plan.filter(|plan| plan.at == number || plan.sticky && plan.at < number);
        let Some(Plan { fault, .. }) = fault else {
            apply(&mut self.live, &event);
            self.events.push(event);
            return Ok(());
        };
        self.failed = true;
        if let (Event::Write { offset, bytes }, Fault::Short | Fault::Input) = (&event, fault) {
            let half = Event::Write { offset: *offset, bytes: bytes[..bytes.len() / 2].into() };
            apply(&mut self.live, &half);
            self.events.push(half);
        }
        Err(match fault {
            Fault::NoSpace => io::ErrorKind::StorageFull.into(),
            Fault::Input => io::Error::other("input/output error"),
            Fault::Short => io::ErrorKind::WriteZero.into(),
            Fault::Interrupted => io::ErrorKind::Interrupted.into(),
        })
    }
}

impl Storage for Disk {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().operate("write", Event::Write { offset, bytes: bytes.into() })
    }

    fn set_length(&mut self, length: u64) -> io::Result<()> {
        self.0.lock().unwrap().operate("set_length", Event::Length(length))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().operate("sync", Event::Sync)
    }
}

/// A moment at which a disk may crash: its durable content, and its pending operations.
pub struct Moment {
    pub durable: Vec<u8>,
    pub pending: Vec<Event>,
    /// The last acknowledged commit.
    pub acknowledged: u64,
    /// The last commit whose header page was written, durable or not.
    pub marked: u64,
}

impl Moment {
    /// Returns the moment before event `at` of a disk that began with `start`, whose last commit was `first`.
    pub fn of(start: &[u8], first: u64, events: &[Event], at: usize) -> Moment {
        let mut moment = Moment { durable: start.to_vec(), pending: Vec::new(), acknowledged: first, marked: first };
        for event in &events[..at] {
            match event {
                Event::Sync => {
                    let Moment { durable, pending, .. } = &mut moment;
                    pending.drain(..).for_each(|event| apply(durable, &event));
                }
                Event::Acknowledged(sequence) => moment.acknowledged = *sequence,
                Event::Write { offset, bytes } if *offset < 8192 => {
                    // A page that a crash has torn may be written again.
                    let sequence = u64::from_le_bytes(bytes[32..40].try_into().unwrap());
                    moment.marked = moment.marked.max(sequence);
                    moment.pending.push(event.clone());
                }
                _ => moment.pending.push(event.clone()),
            }
        }
        moment
    }

    /// Returns the possible contents of pending sectors, the durable one first, and the possible file lengths.
    fn versions(&self) -> (BTreeMap<usize, Vec<Vec<u8>>>, Vec<usize>) {
        let mut now = self.durable.clone();
        let mut sectors: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
        let mut lengths = vec![now.len()];
        let sector = |bytes: &[u8], number: usize| {
            let mut sector = bytes.get(number * SECTOR..).unwrap_or_default().to_vec();
            sector.resize(SECTOR, 0);
            sector
        };
        for event in &self.pending {
            let touched = match event {
                Event::Write { offset, bytes } => *offset as usize..*offset as usize + bytes.len(),
                Event::Length(length) => now.len().min(*length as usize)..now.len().max(*length as usize),
                Event::Sync | Event::Acknowledged(_) => continue,
            };
            for number in touched.start / SECTOR..touched.end.div_ceil(SECTOR) {
                sectors.entry(number).or_insert_with(|| vec![sector(&self.durable, number)]);
            }
            apply(&mut now, event);
            for number in touched.start / SECTOR..touched.end.div_ceil(SECTOR) {
                let (versions, version) = (sectors.get_mut(&number).unwrap(), sector(&now, number));
                if !versions.contains(&version) {
                    versions.push(version);
                }
            }
            if !lengths.contains(&now.len()) {
                lengths.push(now.len());
            }
        }
        sectors.retain(|_, versions| versions.len() > 1);
        (sectors, lengths)
    }

    fn assemble(&self, length: usize, sectors: impl Iterator<Item = (usize, Vec<u8>)>) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        bytes.resize(length, 0);
        for (number, sector) in sectors {
            let start = number * SECTOR;
            let end = (start + SECTOR).min(length);
            if start < end {
                bytes[start..end].copy_from_slice(&sector[..end - start]);
            }
        }
        bytes
    }

    /// Returns every state that a crash may leave, without torn sectors: each choice of a version for each sector, and
    /// of a length.
    pub fn every_state(&self, mut see: impl FnMut(Vec<u8>)) {
        let (sectors, lengths) = self.versions();
        let sectors: Vec<(usize, Vec<Vec<u8>>)> = sectors.into_iter().collect();
        for length in lengths {
            let mut choice = vec![0; sectors.len()];
            loop {
                let chosen = sectors.iter().zip(&choice);
                see(self.assemble(length, chosen.map(|((number, versions), at)| (*number, versions[*at].clone()))));
                let Some(sector_index) =
                    (0..choice.len()).find(|sector_index| choice[*sector_index] + 1 < sectors[*sector_index].1.len())
                else {
                    break;
                };
                choice[sector_index] += 1;
                choice[..sector_index].fill(0);
            }
        }
    }

    /// Returns a state that a crash may leave.
    pub fn state(&self, random: &mut Random) -> Vec<u8> {
        let (sectors, lengths) = self.versions();
        if random.chance(64) {
            return self.in_another_order(random);
        }
        // From hardly any to nearly all pending operations are durable.
        let bias = [13, 64, 128, 192, 250][random.below(5)];
        let torn = [0, 0, 26, 128][random.below(4)];
        let length = match random.chance(bias) {
            true => *lengths.last().unwrap(),
            false => lengths[random.below(lengths.len())],
        };
        // Beyond the old end of the file, a file system may expose old disk content.
        let stale = random.chance(64);
        let mut chosen = Vec::new();
        for (number, mut versions) in sectors {
            if stale && number * SECTOR >= self.durable.len() {
                versions[0] = (0..SECTOR).map(|_| random.next() as u8).collect();
            }
            let last = versions.len() - 1;
            let mut sector = versions[if random.chance(bias) { last } else { random.below(versions.len()) }].clone();
            if random.chance(torn) {
                let (version, at) = (&versions[random.below(versions.len())], random.below(SECTOR));
                sector[at..].copy_from_slice(&version[at..]);
            }
            chosen.push((number, sector));
        }
        self.assemble(length, chosen.into_iter())
    }

    /// Some of the pending operations, in any order, some of them truncated.
    fn in_another_order(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        let mut pending = self.pending.clone();
        while !pending.is_empty() {
            let event = pending.swap_remove(random.below(pending.len()));
            match (event, random.below(4)) {
                (_, 0) => {}
                (Event::Write { offset, bytes: written }, 1) => {
                    let cut = written[..random.below(written.len() + 1)].into();
                    apply(&mut bytes, &Event::Write { offset, bytes: cut });
                }
                (event, _) => apply(&mut bytes, &event),
            }
        }
        bytes
    }
}

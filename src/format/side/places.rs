//! Stores the places of positions in some games, by position key (FORMAT.md, "Position index").
//!
//! After the runs of games, a segment contains `plies | starts | buckets | offsets | collisions | trailer`. A bucket is
//! a bit stream, from the lowest bit, of the positions whose keys begin with the bucket's number. Positions are sorted
//! by their next key bits, and each position is followed by its places.
//!
//! Gaps between keys and gaps between places are Rice codes, which suit gaps that are practically random. A place takes
//! little more than the logarithm of the number of places, in bits.

use crate::format::wire::Bytes;

/// The number of key bits that are stored after the bits of the bucket number.
pub const CHECK: u32 = 16;
/// The number of games per start offset.
pub const GROUP: usize = 64;
/// The size of the trailer in bytes.
pub const TRAILER: usize = 48;
/// The maximum number of bits in a bucket number and in a place.
pub const MOST_BITS: u32 = 40;
/// The Rice parameter for gaps between keys. With 32 to 64 positions per bucket, the average gap is about 1,400.
const GAP: u32 = 10;
/// The number of places from which a position stores the total length of its coded places, so readers can skip them.
const LONG: u64 = 16;

/// The contents of the trailer, which determine the offsets of the other parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacesLayout {
    /// The number of games.
    pub games: u64,
    /// The number of entries, that is, of places of indexed positions.
    pub entries: u64,
    /// The total number of places, indexed or not.
    pub places: u64,
    /// The total number of bytes in all buckets.
    pub bytes: u64,
    /// The number of values in the list of collisions.
    pub collisions: u64,
    /// The number of high bits of a key that select the bucket.
    pub bits: u32,
    /// The width in bytes of a game's number of plies: 1 to 4.
    pub width: u32,
    /// The width in bytes of a bucket's offset: 4 or 8.
    pub offset_width: u32,
}

impl PlacesLayout {
    /// Returns the layout for these numbers of games, entries and places, before any data is written.
    pub fn new(games: u64, entries: u64, places: u64, longest: u32) -> PlacesLayout {
        let bits = (entries / 64).checked_ilog2().unwrap_or(0).min(MOST_BITS);
        let most = longest << 1 | 1;
        let width = (u32::BITS - most.leading_zeros()).div_ceil(8).max(1);
        PlacesLayout { games, entries, places, bytes: 0, collisions: 0, bits, width, offset_width: 4 }
    }

    /// Returns the number of bits in a place.
    pub fn place_bits(&self) -> u32 {
        u64::BITS - self.places.saturating_sub(1).leading_zeros()
    }

    /// Returns the offset of the start offsets, which follow the numbers of plies.
    pub fn starts(&self) -> u64 {
        self.games * u64::from(self.width)
    }

    /// Returns the number of start offsets.
    pub fn groups(&self) -> u64 {
        self.games.div_ceil(GROUP as u64)
    }

    /// Returns the offset of the buckets.
    pub fn buckets(&self) -> u64 {
        self.starts() + self.groups() * 8
    }

    /// Returns the offset of the bucket offsets.
    pub fn offsets(&self) -> u64 {
        self.buckets() + self.bytes
    }

    /// Returns the offset of the list of collisions.
    pub fn collision_list(&self) -> u64 {
        self.offsets() + ((1 << self.bits) + 1) * u64::from(self.offset_width)
    }

    /// Returns the offset of the trailer.
    pub fn trailer(&self) -> u64 {
        self.collision_list() + self.collisions * 8
    }

    /// Returns the stored bits of a key: the bits of its bucket, and the check bits.
    pub fn kept(&self, key: u64) -> u64 {
        key >> (64 - self.bits - CHECK)
    }

    /// Returns the bucket and the check bits of a key.
    pub fn split(&self, key: u64) -> (u64, u32) {
        let kept = self.kept(key);
        (kept >> CHECK, kept as u32 & ((1 << CHECK) - 1))
    }

    /// Returns the trailer.
    pub fn encode(&self) -> [u8; TRAILER] {
        let mut trailer = [0; TRAILER];
        let numbers = [self.entries, self.places, self.bytes, self.collisions].map(u64::to_le_bytes);
        let small = [self.bits, self.width, self.offset_width, 0].map(u32::to_le_bytes);
        let fields = numbers.as_flattened().iter().chain(small.as_flattened());
        trailer.iter_mut().zip(fields).for_each(|(to, from)| *to = *from);
        trailer
    }

    /// Reads the trailer of a segment part of `length` bytes that covers `games` games. Returns `None` if the trailer
    /// does not match these numbers.
    pub fn decode(trailer: &[u8], games: u64, length: u64) -> Option<PlacesLayout> {
        let mut bytes = Bytes(trailer);
        let mut number = || bytes.u64().filter(|number| *number <= 1 << MOST_BITS);
        let (entries, places, size, collisions) = (number()?, number()?, number()?, number()?);
        let (bits, width, offset_width, zero) = (bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?);
        // Greater numbers would cause an overflow below.
        let fits = bits <= MOST_BITS && (1..=4).contains(&width) && matches!(offset_width, 4 | 8) && zero == 0;
        if !fits || !bytes.0.is_empty() || games > length || entries > places {
            return None;
        }
        let layout = PlacesLayout { games, entries, places, bytes: size, collisions, bits, width, offset_width };
        (layout.trailer() + TRAILER as u64 == length).then_some(layout)
    }
}

/// Writes bits into bytes, from the lowest bit.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    held: u64,
    count: u32,
}

impl BitWriter {
    /// Writes the lowest bits of a number, at most 32 at a time.
    fn put(&mut self, number: u64, bits: u32) {
        self.held |= (number & ((1 << bits) - 1)) << self.count;
        self.count += bits;
        while self.count >= 8 {
            self.bytes.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    fn number(&mut self, number: u64, bits: u32) {
        let low = bits.min(32);
        self.put(number, low);
        if bits > 32 {
            self.put(number >> 32, bits - 32);
        }
    }

    /// Writes a number of zeros, followed by a one.
    fn unary(&mut self, mut zeros: u64) {
        while zeros >= 32 {
            self.put(0, 32);
            zeros -= 32;
        }
        self.put(1 << zeros, zeros as u32 + 1);
    }

    fn rice(&mut self, number: u64, parameter: u32) {
        self.unary(number >> parameter);
        self.number(number, parameter);
    }

    /// Writes the Elias gamma code of a number, which must be at least 1.
    fn gamma(&mut self, number: u64) {
        let bits = number.ilog2();
        self.unary(u64::from(bits));
        self.number(number, bits);
    }

    /// Advances to the next byte boundary, so the next code begins a byte.
    fn align(&mut self) {
        self.put(0, (8 - self.count) % 8);
    }
}

/// Reads bits from bytes, from the lowest bit. Bits beyond the end are treated as zeros.
#[derive(Clone)]
struct BitReader<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl BitReader<'_> {
    /// Returns at least the next 57 bits.
    #[inline]
    fn peek(&self) -> u64 {
        let first = (self.at / 8) as usize;
        let word = match self.bytes.get(first..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => {
                let rest = self.bytes.get(first..).unwrap_or_default();
                rest.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
            }
        };
        word >> (self.at % 8)
    }

    #[inline]
    fn number(&mut self, bits: u32) -> u64 {
        let number = self.peek() & ((1 << bits) - 1);
        self.at += u64::from(bits);
        number
    }

    /// Returns the number of zeros before the next one bit, or `None` if there is no such bit.
    #[inline]
    fn unary(&mut self) -> Option<u64> {
        let mut zeros = 0;
        loop {
            let ahead = self.peek();
            let run = u64::from(ahead.trailing_zeros());
            if run < 57 {
                self.at += run + 1;
                return Some(zeros + run);
            }
            if self.at > self.bytes.len() as u64 * 8 {
                return None;
            }
            self.at += 57;
            zeros += 57;
        }
    }

    #[inline]
    fn rice(&mut self, parameter: u32) -> Option<u64> {
        let high = self.unary()?;
        Some(high.checked_shl(parameter)? | self.number(parameter))
    }

    #[inline]
    fn gamma(&mut self) -> Option<u64> {
        let bits = self.unary().filter(|bits| *bits <= u64::from(MOST_BITS))? as u32;
        Some(1 << bits | self.number(bits))
    }
}

/// Returns the Rice parameter for the gaps between `count` places after the first place.
fn parameter(layout: &PlacesLayout, first: u64, count: u64) -> u32 {
    (layout.places.saturating_sub(first) / count.max(1)).checked_ilog2().unwrap_or(0)
}

/// Writes buckets from entries, which must be sorted by stored key bits and then by place.
pub struct BucketWriter {
    layout: PlacesLayout,
    bits: BitWriter,
    /// The positions of the current bucket, each with its check bits and the end of its places in `places`.
    positions: Vec<(u32, usize)>,
    places: Vec<u64>,
    bucket: u64,
    /// The offset of each bucket.
    offsets: Vec<u64>,
    taken: u64,
}

impl BucketWriter {
    /// Returns a writer that contains no buckets yet.
    pub fn new(layout: PlacesLayout) -> BucketWriter {
        let (bits, offsets) = (BitWriter::default(), vec![0]);
        BucketWriter { layout, bits, positions: Vec::new(), places: Vec::new(), bucket: 0, offsets, taken: 0 }
    }

    /// Adds an entry. Callers must not add the same key bits and place twice.
    pub fn add(&mut self, kept: u64, index: u64) {
        let (bucket, check) = (kept >> CHECK, kept as u32 & ((1 << CHECK) - 1));
        while self.bucket < bucket {
            self.end_bucket();
        }
        if self.positions.last().is_none_or(|(last, _)| *last != check) {
            self.positions.push((check, 0));
        }
        self.places.push(index);
        if let Some((_, end)) = self.positions.last_mut() {
            *end = self.places.len();
        }
    }

    fn end_bucket(&mut self) {
        let bits = &mut self.bits;
        bits.gamma(self.positions.len() as u64 + 1);
        let (mut next, mut start) = (0, 0);
        for (check, end) in self.positions.drain(..) {
            bits.rice(u64::from(check - next), GAP);
            next = check + 1;
            let Some([first, rest @ ..]) = self.places.get(start..end) else { continue };
            start = end;
            let count = rest.len() as u64 + 1;
            bits.gamma(count);
            bits.number(*first, self.layout.place_bits());
            let parameter = parameter(&self.layout, *first, count);
            let write = |bits: &mut BitWriter| {
                let mut before = *first;
                for index in rest {
                    bits.rice(index - before - 1, parameter);
                    before = *index;
                }
            };
            if count < LONG {
                write(bits);
                continue;
            }
            let mut codes = BitWriter::default();
            write(&mut codes);
            codes.align();
            bits.gamma(codes.bytes.len() as u64);
            bits.align();
            bits.bytes.append(&mut codes.bytes);
        }
        bits.align();
        self.places.clear();
        self.offsets.push(self.taken + bits.bytes.len() as u64);
        self.bucket += 1;
    }

    /// Returns the number of bytes that `take` would return now.
    pub fn ready(&self) -> usize {
        self.bits.bytes.len()
    }

    /// Takes the complete bytes. At most seven bits of the current bucket remain.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.bits.bytes.len() as u64;
        std::mem::take(&mut self.bits.bytes)
    }

    /// Ends the last bucket. Returns the remaining bytes, and the start of each bucket followed by the end of the last
    /// bucket.
    pub fn finish(mut self) -> (Vec<u8>, Vec<u64>) {
        while self.bucket < 1 << self.layout.bits {
            self.end_bucket();
        }
        (self.bits.bytes, self.offsets)
    }
}

/// A reader for the positions in a bucket.
#[derive(Clone)]
pub struct BucketReader<'a> {
    layout: PlacesLayout,
    bits: BitReader<'a>,
    left: u64,
    next: u32,
}

/// A position in a bucket, whose places have not been read yet.
#[derive(Clone)]
pub struct Listed<'a> {
    /// The check bits, which follow the bits of the bucket in the position's key.
    pub check: u32,
    /// The number of the position's places.
    pub count: u64,
    first: u64,
    parameter: u32,
    places: u64,
    codes: BitReader<'a>,
}

impl<'a> BucketReader<'a> {
    /// Returns a reader for a bucket, or `None` if the bucket is malformed.
    pub fn new(layout: PlacesLayout, bytes: &'a [u8]) -> Option<BucketReader<'a>> {
        let mut bits = BitReader { bytes, at: 0 };
        let left = bits.gamma()? - 1;
        Some(BucketReader { layout, bits, left, next: 0 })
    }

    /// Returns the next position, in the order of the check bits, or `Some(None)` after the last position. Returns
    /// `None` if the bucket is malformed.
    pub fn next_position(&mut self) -> Option<Option<Listed<'a>>> {
        let Some(left) = self.left.checked_sub(1) else { return Some(None) };
        self.left = left;
        let gap = u32::try_from(self.bits.rice(GAP)?).ok()?;
        let check = self.next.checked_add(gap).filter(|check| check >> CHECK == 0)?;
        self.next = check + 1;
        let count = self.bits.gamma()?;
        let first = self.bits.number(self.layout.place_bits());
        let parameter = parameter(&self.layout, first, count);
        let mut listed =
            Listed { check, count, first, parameter, places: self.layout.places, codes: self.bits.clone() };
        if count >= LONG {
            let length = self.bits.gamma()?;
            let start = self.bits.at.div_ceil(8);
            let end = start.checked_add(length)?;
            let codes = self.bits.bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)?;
            listed.codes = BitReader { bytes: codes, at: 0 };
            self.bits.at = end * 8;
        } else {
            for _ in 1..count {
                self.bits.unary()?;
                self.bits.at += u64::from(parameter);
            }
        }
        (self.bits.at <= self.bits.bytes.len() as u64 * 8).then_some(Some(listed))
    }

    /// Returns the position with these check bits, or `Some(None)` if the bucket does not contain it. Returns `None` if
    /// the bucket is malformed.
    pub fn find(mut self, check: u32) -> Option<Option<Listed<'a>>> {
        loop {
            match self.next_position()? {
                Some(listed) if listed.check < check => {}
                Some(listed) if listed.check == check => return Some(Some(listed)),
                _ => return Some(None),
            }
        }
    }
}

impl Listed<'_> {
    /// Appends the places of the position, ascending. Returns `None` if the places are malformed.
    pub fn push(&self, out: &mut Vec<u64>) -> Option<()> {
        self.push_first(u64::MAX, out)
    }

    /// Appends the first `most` places of the position, like `push`.
    pub fn push_first(&self, most: u64, out: &mut Vec<u64>) -> Option<()> {
        // Each place takes at least one bit. The number of places must be possible for the length of the codes, before
        // memory is reserved.
        if self.count / 8 > self.codes.bytes.len() as u64 {
            return None;
        }
        let count = self.count.min(most);
        out.reserve(count as usize);
        let (mut codes, mut index) = (self.codes.clone(), self.first);
        out.push(index);
        for _ in 1..count {
            index = index.checked_add(codes.rice(self.parameter)?)?.checked_add(1)?;
            out.push(index);
        }
        (index < self.places && codes.at <= codes.bytes.len() as u64 * 8).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Writes these positions, each a key with its places, and reads them again.
    fn round(places: u64, keys: &BTreeMap<u64, Vec<u64>>) {
        let entries = keys.values().map(|places| places.len() as u64).sum();
        let layout = PlacesLayout::new(1, entries, places, 1);
        let mut kept: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for (key, places) in keys {
            kept.entry(layout.kept(*key)).or_default().extend(places);
        }
        let mut writer = BucketWriter::new(layout);
        let mut bytes = Vec::new();
        for (kept, places) in &mut kept {
            places.sort_unstable();
            places.dedup();
            places.iter().for_each(|index| writer.add(*kept, *index));
            if writer.ready() > 100 {
                bytes.extend(writer.take());
            }
        }
        let (rest, offsets) = writer.finish();
        bytes.extend(rest);
        assert_eq!((offsets.len(), offsets.last()), ((1 << layout.bits) + 1, Some(&(bytes.len() as u64))));
        let bucket = |bucket: usize| {
            BucketReader::new(layout, &bytes[offsets[bucket] as usize..offsets[bucket + 1] as usize]).unwrap()
        };
        for (kept, places) in &kept {
            let check = *kept as u32 & ((1 << CHECK) - 1);
            let found = bucket((kept >> CHECK) as usize).find(check).unwrap().unwrap();
            let mut found_places = Vec::new();
            found.push(&mut found_places).unwrap();
            assert_eq!((found.count, &found_places), (places.len() as u64, places));
            if kept.checked_add(1).is_none_or(|next| kept >> CHECK == next >> CHECK) {
                let absent = bucket((kept >> CHECK) as usize).find(check + 1).unwrap();
                assert_eq!(absent.is_some(), kept.checked_add(1).is_some_and(|next| keys_have(keys, &layout, next)));
            }
        }
    }

    fn keys_have(keys: &BTreeMap<u64, Vec<u64>>, layout: &PlacesLayout, kept: u64) -> bool {
        keys.keys().any(|key| layout.kept(*key) == kept)
    }

    #[test]
    fn long_lists_and_far_places_come_back() {
        round(1, &BTreeMap::new());
        round(1, &BTreeMap::from([(u64::MAX, vec![0])]));
        let many: Vec<u64> = (0..5000).map(|index| index * 3).collect();
        let next = many.iter().map(|index| index + 1).collect();
        round(20_000, &BTreeMap::from([(0, many), (1 << 50, next), (1 << 52, vec![7, 19_999])]));
        round(1 << 40, &BTreeMap::from([(3 << 60, vec![0, (1 << 40) - 1]), (9 << 50, vec![1 << 39])]));
    }

    #[test]
    fn the_trailer_comes_back_and_fits() {
        let layout = PlacesLayout { bytes: 999, collisions: 3, ..PlacesLayout::new(100, 7000, 8000, 300) };
        assert_eq!((layout.bits, layout.width, layout.place_bits()), (6, 2, 13));
        let length = layout.trailer() + TRAILER as u64;
        assert_eq!(PlacesLayout::decode(&layout.encode(), 100, length), Some(layout));
        assert_eq!(PlacesLayout::decode(&layout.encode(), 100, length + 1), None);
        assert_eq!(PlacesLayout::decode(&layout.encode(), 101, length), None);
    }

    /// Prints the size of a place with the number of places in a million games, and in a thousand million. The places
    /// are artificial: one place per position is the most expensive case. `cargo test --release --lib places --
    /// --ignored --nocapture` runs it.
    #[test]
    #[ignore = "takes half a minute"]
    fn places_of_large_archives() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        };
        for (places, most) in [(80_000_000u64, 5.05), (100_000_000, 5.1), (80_000_000_000, 6.3)] {
            let layout = PlacesLayout::new(places / 80, places, places, 400);
            // Some of the buckets of a large one stand for all.
            let buckets = (1u64 << layout.bits).min(1 << 20);
            let per_bucket = places >> layout.bits;
            let mut writer = BucketWriter::new(PlacesLayout { bits: buckets.ilog2(), ..layout });
            let (mut bytes, mut entries) = (0, 0);
            for bucket in 0..buckets {
                let mut entries_of_bucket: Vec<(u64, u64)> =
                    (0..per_bucket).map(|_| (random() >> (64 - CHECK), random() % places)).collect();
                entries_of_bucket.sort_unstable();
                entries_of_bucket.dedup();
                entries += entries_of_bucket.len() as u64;
                entries_of_bucket.into_iter().for_each(|(check, index)| writer.add(bucket << CHECK | check, index));
                bytes += writer.take().len() as u64;
            }
            let (rest, offsets) = writer.finish();
            bytes += rest.len() as u64 + offsets.len() as u64 * 4;
            let each = bytes as f64 / entries as f64;
            println!("{places} places, {} bits each: {each:.3} bytes a place", layout.place_bits());
            assert!(each < most, "{each}");
        }
    }

    proptest! {
        #[test]
        fn buckets_come_back(keys in prop::collection::btree_map(any::<u64>(), prop::collection::vec(0..50_000u64, 1..40), 0..60)) {
            round(50_000, &keys);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), check in 0..1u32 << CHECK) {
            let layout = PlacesLayout::new(10, 500, 600, 60);
            if let Some(mut reader) = BucketReader::new(layout, &bytes) {
                let _ = reader.clone().find(check).flatten().map(|listed| listed.push(&mut Vec::new()));
                while let Some(Some(listed)) = reader.next_position() {
                    let mut places = Vec::new();
                    if listed.push(&mut places).is_some() {
                        assert!(places.is_sorted_by(|a, b| a < b) && places.last() < Some(&600));
                    }
                }
            }
            let _ = PlacesLayout::decode(&bytes, 10, 1000);
        }
    }
}

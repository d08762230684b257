//! 7-Zip files that 7-Zip 22.01 has made of `a.pgn`, `b.txt`, `dir/c.PGN` and the empty file `empty.pgn`.

use crate::{Compression, open};
use std::io::{self, Read, Write};

/// Files of each method, the first with all files in one part, and some with compressed directories.
const READ: [(&str, &str); 5] = [
    (
        "lzma2",
        "377abcaf271c0004e7378383af000000000000002100000000000000728a2f65e00066003b5d00188b80267021e1cac72b5d\
ae7d88222df5cabe96a728c270c4ef1af3c1d1201a06cf5deb356b2415787b3d503e12ef489b85cbb09d482c673a43800000\
00813307ae0fd219b1bd40c090d2ff7d694d8aaf151800baf0dbe3021b64417aae1fa5272f539cd12b0efa052cc0e433df8c\
1a026434a0964f532f4191ccab8ed3d63e2ddc14420d23e90382b61ba3526af6a5c093e74f7ee6798cf20138c4033dca4e22\
b949443485a00017064301096c00070b01000123030101055d001000000c808a0a010bd1ca350000",
    ),
    (
        "lzma",
        "377abcaf271c00043cbd9dbeb600000000000000210000000000000044abcb7700188b80267021e1cac72b5dae7d88222df5\
cabe96a728c270c4ef1af3c1d1201a06cf5deb356b2415787991000000371bcaef20fd66b2a8c70000188b80265ea7592f06\
4754000000813307ae4fa1314af41f5c7f2c2b6dacb8a18677e62f9d39c43bb0d0383ea03d6b54675a273af23544efc4b80c\
1a35f2d188fe8c999a98c0cde1288160c741546eac2ea405775c2245a07d37bd4a4b68c27886739707593b8a18601a26c01c\
73db567e8da186909d2d218c13a917064701096f00070b01000123030101055d001000000c809a0a01174d7b5b0000",
    ),
    (
        "copy",
        "377abcaf271c00046a2292b6ce000000000000002100000000000000d9f342f2312e20653420653520322e204e6633204e63\
3620332e2042623520613620342e20426134204e6636202a0a0a312e20653420653520322e204e6633204e633620332e2042\
623520613620342e20426134204e6636202a0a0a6e6f7468696e67312e206434202a0a0000813307ae4fa334480fae16f376\
3d37168a6ebba2951445f3903677764334a294e57942e2ab0609c0476ca3f2ebf1accead5e5410bc715066a18f72d3f2be87\
77cb6719439406b2069c70f30c85047f5d7ca57d4c7bd161235b44699391e53286c3b2ceea0017066701096700070b010001\
23030101055d001000000c808a0a01e2bccb530000",
    ),
    (
        "deflate",
        "377abcaf271c0004b57ded4442000000000000008a00000000000000dcb32a1e958bbb118020100573aad8d8e06694e30ab0\
007a40c54f8209fd0fd702d97bb3bbab50959ad8847c47f26944613f12c5505f451d184b08336efbfbfbb5c7934bfd0f0104\
060001094200070b010001030401080c6700080d030958070a01e3fcc87dd78e2922d0166310000005050e01c00f01401909\
000000000000000000114900640069007200000065006d007000740079002e00700067006e00000061002e00700067006e00\
000062002e0074007800740000006400690072002f0063002e00500047004e0000000000",
    ),
    (
        "bzip2",
        "377abcaf271c0004ec30cc13cb00000000000000210000000000000015ed7238425a6839314159265359172b9f880000165d\
80001040113f0010013fe18400200050a00001801544a7923f5403ca34d2d12a74a58d8a4aebad1673895d4a8d536692cfa6\
9c92cb0d30c2194a5a5a126fc6ffbc5f8fe2ee48a70a1202e573f1000000813307ae0fd38fe3fd40c090cee5cb76f64da6d6\
071a08e8d60efcd522d9a6cce592366dadb0c579f5109f6c31d6de43aa9353d0848df38d8e17157a1b51e19e9f25c71f1cd4\
e833b940d67328eba56bd98d301593989d4eaa982672c45101d463a9548c4bda06af0017066001096b00070b010001230301\
01055d001000000c808a0a01ba87d2ca0000",
    ),
];

/// Files that are refused, with words of the reason.
const REFUSED: [(&str, &str); 4] = [
    (
        "another method",
        "377abcaf271c0004349b1b55a4000000000000002100000000000000d2b75b120030fc40df02e70d89d7568c9e08b64ebce0\
90d19906bacdc8fdfb263014c75283c67c0c74fe8a0be78b6dec5b1774f33e52280000813307ae0fd12e3bb0a090a077b0fe\
fafd51e7bd19d4d532f8f20cddcf31cfdc6050890d7157c77cc89526e0a8b8bd5cefb5baf62ef7fad42fc543ec4f7251d73e\
146eb4f2b9fbb9828a798ccaf1c340018d4cf21092b1244a402924cb3a79ff032319c1b1aeb7c18d126a8592670017063301\
097100070b01000123030101055d001000000c808a0a014f4b403f0000",
    ),
    (
        "encrypted",
        "377abcaf271c0004cf7394f6d4000000000000002200000000000000ec6fe6fb0758b5756b8c0910a6fe419d016388cc2839\
148172f4ef177b51e9ed2acb802c1cf75f38ff6257e2b5e45898a7133d25515c19868c9a9570b0857a80e8e587e66e624e98\
a0c98bc1a2bdaadf38bba59c0000813307ae0fd2c16ffd40bb94643b39a47ae76a226ce456f14202204a116c3154cd0ed1ea\
ab76dd680d174f143289f949e2374a6003c14fb4cbe4325779b5c7213adb1838419947faa478a9de746f3439fe25105e29f4\
90eb24f5314c047e1edf5e03e884304753c81c289d4aa4f9ee902777ee1db058d8052849eeacaff2aec02500170650010980\
8400070b01000123030101055d001000000c809a0a01cddc92d70000",
    ),
    (
        "encrypted",
        "377abcaf271c0004d1883e43e0000000000000003e00000000000000c36363c8e38ef7c5bd3d532bb4d77c120a0eb8768204\
8e36647bc2e57e17db1393987268e116f77a7e9e02bd51aea49924db1f00a8ba794d5e94d9b4601e6b7039174abb635be569\
d11befdb883649870387b6f9a5b37cc9c870e97b7260a24b531705d9e185889f341dd2268dfa2002e7ad7ec402cf7ab17a77\
2387fecc5bac903bc2bcbba636fd3f5ecb2bf6a8d8f2a90c8c4edd5e553f790a51c9f87e9a4d3386bab0455011852b0716cf\
bb5024203e76555e0994b67a139a69bbb7e7b98c4f09754fa34e93eaac9f32caf6ceb5fd49d5403c71116befe29328c40f82\
428e986b1de41706500109809000070b0100022406f1070112530f7152066c72e6f4e7c4c8e06783c3f87123030101055d00\
10000001000c8083809a0a01055fa3230000",
    ),
    (
        "another method",
        "377abcaf271c00048e4a0d9eb300000000000000210000000000000006146f90e00066003b5d00188b80267021e1cac72b5d\
ae7d88222df5cabe96a728c270c4ef1af3c1d1201a06cf5deb356b2415787b3d503e12ef489b85cbb09d482c673a43800000\
00813307ae0fd219b1bd40bb94641ce2689188d45003d857c6856994b887552367b70b0a62a05a2597cba5756ffd112f4350\
0c7b873bec0fefd68e0dfdc049bcdd217bf72690e3cd40c6105ea8682bdb4d8bb743ac845e13c388e89a476dd9ed0e60dd95\
abe206b9a53ac54992edc917064301097000070b01000123030101055d001000000c808a0a016590c5ba0000",
    ),
];

fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn read(bytes: &[u8]) -> io::Result<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut source = open(file.path()).map_err(io::Error::other)?;
    assert_eq!(source.compression(), Compression::SevenZip);
    let mut text = String::new();
    source.read_to_string(&mut text)?;
    Ok(text)
}

fn expected() -> String {
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *\n\n".repeat(2) + "1. d4 *\n"
}

#[test]
fn the_pgn_files_of_a_7_zip_file_are_read_in_order() {
    for (name, digits) in READ {
        assert_eq!(read(&bytes(digits)).unwrap(), expected(), "{name}");
    }
    for (words, digits) in REFUSED {
        let error = read(&bytes(digits)).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    // An empty file: no files.
    let empty = bytes("377abcaf271c00048d9bd50f0000000000000000000000000000000000000000");
    assert!(read(&empty).unwrap_err().to_string().contains("no .pgn or .pcn file"));
}

/// Whatever a file contains, reading ends with an error or with texts whose checksums are right.
#[test]
fn changed_and_cut_files_are_errors() {
    for (name, digits) in READ {
        let whole = bytes(digits);
        for end in 4..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{name}: {end}");
        }
        for at in 6..whole.len() {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = whole.clone();
                changed[at] ^= change;
                // The versions of 7-Zip in bytes 6 and 7, and bytes between the parts, have no checksum.
                if let Ok(text) = read(&changed) {
                    assert_eq!(text, expected(), "{name}: byte {at}");
                }
            }
        }
    }
}

/// The directories behind their checksums.
#[test]
fn crafted_directories_are_errors_in_small_memory() {
    let whole = bytes(READ[3].1);
    let start = 32 + u64::from_le_bytes(whole[12..20].try_into().unwrap()) as usize;
    let with = |directory: &[u8]| {
        let mut file = whole[..start].to_vec();
        file.extend(directory);
        file[20..28].copy_from_slice(&(directory.len() as u64).to_le_bytes());
        file[28..32].copy_from_slice(&crc32fast::hash(directory).to_le_bytes());
        let head = crc32fast::hash(&file[12..32]);
        file[8..12].copy_from_slice(&head.to_le_bytes());
        file
    };
    let directory = &whole[start..];
    assert_eq!(read(&with(directory)).unwrap(), expected());
    let mut read_anyway = 0;
    for at in 0..directory.len() {
        for new in [0, 1, 2, 0x06, 0x17, 0x7F, 0x80, 0xE0, 0xFE, 0xFF, directory[at] ^ 1, directory[at].wrapping_add(1)]
        {
            let mut changed = directory.to_vec();
            changed[at] = new;
            read_anyway += u32::from(read(&with(&changed)).is_ok());
            changed.truncate(at);
            assert!(read(&with(&changed)).is_err(), "cut at {at}");
            changed.extend([0xFF; 40]);
            assert!(read(&with(&changed)).is_err(), "from {at}");
        }
    }
    // Names and times may change.
    assert!(read_anyway > 50 && read_anyway < directory.len() as u32 * 10, "{read_anyway}");
    // Numbers of members that no directory of this size can have.
    let crafted = |digits: &str| read(&with(&bytes(&digits.replace(' ', ""))));
    for claims in ["01 04 06 00 fe ffffffffffff 09 00", "01 05 fe ffffffffffff", "01 04 07 0b fe ffffffffffff 00 00 00"]
    {
        assert!(crafted(claims).is_err(), "{claims}");
    }
    // A dictionary of 1 GiB for data of 1 GiB.
    let names = "05 01 11 0d 00 61002e00700067006e000000 00";
    let huge = format!("01 04 06 00 01 09 10 00 07 0b 01 00 01 21 21 01 24 0c f0 00000040 00 00 {names} 00");
    let error = crafted(&huge).unwrap_err().to_string();
    assert!(error.contains("dictionary of 1024 MiB"), "{error}");
}

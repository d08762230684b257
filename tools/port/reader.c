/*
 * A reader of Scoresheet archives in C99, of levels A and P of FORMAT.md ("section n" below is a section of it). It was
 * written from that document, the model file and the test vectors alone, and shares no code with the library.
 *
 *     cc -std=c99 -O2 -Wall -Wextra -pedantic -o reader reader.c -lzstd
 *
 * The reader checks all data of a file before it uses them. Every refusal goes through `refuse`, which jumps back to the
 * nearest `attempt`. Output is collected in `out`, and `emit` prints it only after all its data have passed the checks.
 */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <zstd.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

/* Compares the version of an archive: -1 if it is too old, 1 if it is too new, 0 if this program reads it. Features
   say whether a greater minor version needs more. */
static int compare_version(unsigned major) {
    return major < 1 ? -1 : major > 1;
}
#define KNOWN_FEATURES 0u /* features to read */

static const char USAGE[] =
    "usage: reader [--model FILE] COMMAND ..\n"
    "  fen ARCHIVE [GAME:PLY ..]   positions as FEN, one a line; without pairs, these are read from stdin; GAME alone is\n"
    "                              its last position\n"
    "  moves ARCHIVE [GAME ..]     one line a game: its number, the moves of its main line, its result\n"
    "  tags ARCHIVE [GAME ..]      tag pairs, one a line: number of the game, name, value\n"
    "  blocks ARCHIVE              one line a block: offset, kind, coding, first, count, length\n"
    "  part NAME HEX [COUNT ..]    the meaning of a part, as the JSON in testdata/vectors: record packed varint\n"
    "                              compressed planes plain clock time evaluation tags dictionary deletions commit\n"
    "The model of packed moves is FILE, else the file that SCORESHEET_MODEL names, else data/model-1.bin.\n"
    "Exit status: 0 good, 1 refused or games may be missing, 2 usage.\n";

/* ---- Refusals, memory, output ------------------------------------------------------------------------------------ */

#if defined(__GNUC__)
#define NORETURN __attribute__((noreturn, format(printf, 1, 2)))
#else
#define NORETURN
#endif

static jmp_buf *trap;
static char why[512]; /* the last refusal */

static void refuse(const char *format, ...) NORETURN;
static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    longjmp(*trap, 1);
}

/* Runs `act`; returns 0 if it refused, with the reason in `why`. */
static int attempt(void (*act)(void *), void *context) {
    jmp_buf here;
    jmp_buf *outer = trap;
    trap = &here;
    if (setjmp(here) == 0) {
        act(context);
        trap = outer;
        return 1;
    }
    trap = outer;
    return 0;
}

/* A pool is a list of allocations that are freed together, so a refusal can leave a function anywhere. */
typedef struct Slab {
    struct Slab *next;
    u64 align;
} Slab;
typedef Slab *Pool;

static Pool lasting; /* until the end of the program */
static Pool chunk_pool; /* the moves of the current chunk */
static Pool scratch; /* one game, one payload */

/* Returns zeroed memory for `count` elements of `size` bytes. */
static void *take(Pool *pool, u64 count, size_t size) {
    Slab *slab;
    if (count > (SIZE_MAX - sizeof(Slab)) / size) refuse("not enough memory");
    slab = calloc(1, sizeof(Slab) + (size_t)count * size);
    if (slab == NULL) refuse("not enough memory");
    slab->next = *pool;
    *pool = slab;
    return slab + 1;
}

static void release(Pool *pool) {
    while (*pool != NULL) {
        Slab *slab = *pool;
        *pool = slab->next;
        free(slab);
    }
}

typedef struct {
    u8 *data;
    size_t length, capacity;
} Buffer;

static Buffer out;

/* Makes room for `more` bytes. Buffers are static, so a refusal never loses their content. */
static void reserve(Buffer *buffer, size_t more) {
    size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
    u8 *data;
    if (more <= buffer->capacity - buffer->length) return;
    while (capacity - buffer->length < more) {
        if (capacity > SIZE_MAX / 2) refuse("not enough memory");
        capacity *= 2;
    }
    data = realloc(buffer->data, capacity);
    if (data == NULL) refuse("not enough memory");
    buffer->data = data;
    buffer->capacity = capacity;
}

static void add(Buffer *buffer, const void *bytes, size_t length) {
    reserve(buffer, length);
    if (length > 0) memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

static void add_byte(Buffer *buffer, unsigned byte) {
    u8 one = (u8)byte;
    add(buffer, &one, 1);
}

static void print(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(&out, text, strlen(text));
}

static void emit(void) {
    if (out.length > 0) fwrite(out.data, 1, out.length, stdout);
    out.length = 0;
}

/* ---- Numbers and checksums (section 3) ---------------------------------------------------------------------------- */

#define LARGEST ((u64)1 << 60)

typedef struct {
    const u8 *at, *end;
} Bytes;

static size_t left(Bytes bytes) {
    return (size_t)(bytes.end - bytes.at);
}

static Bytes bytes_of(const void *data, size_t length) {
    Bytes bytes;
    bytes.at = data;
    bytes.end = bytes.at + length;
    return bytes;
}

static u8 next_byte(Bytes *from) {
    if (from->at == from->end) refuse("a part ends too early");
    return *from->at++;
}

static Bytes next_bytes(Bytes *from, u64 length) {
    Bytes part;
    if (length > left(*from)) refuse("a part ends too early");
    part = bytes_of(from->at, (size_t)length);
    from->at += (size_t)length;
    return part;
}

static void finish(Bytes from) {
    if (from.at != from.end) refuse("bytes are left over");
}

static u64 little(const u8 *bytes, int width) {
    u64 value = 0;
    int i;
    for (i = width - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static void put_little(u8 *bytes, u64 value, int width) {
    int i;
    for (i = 0; i < width; i++) bytes[i] = (u8)(value >> (8 * i) & 0xFF);
}

static u64 varint(Bytes *from) {
    u64 value = 0;
    int shift;
    for (shift = 0; shift <= 63; shift += 7) {
        u8 byte = next_byte(from);
        if (shift == 63 && byte > 1) break;
        value |= (u64)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            if (byte == 0 && shift > 0) refuse("a varint is longer than its number needs");
            return value;
        }
    }
    refuse("a varint is beyond 64 bits");
}

/* A varint that counts games, strings, sources or bytes. */
static u64 number(Bytes *from) {
    u64 value = varint(from);
    if (value > LARGEST) refuse("a number is beyond 2^60");
    return value;
}

static Bytes string(Bytes *from) {
    u64 length = number(from);
    return next_bytes(from, length);
}

/* A string in UTF-8 (RFC 3629). */
static Bytes text_string(Bytes *from) {
    Bytes text = string(from);
    const u8 *at = text.at;
    while (at < text.end) {
        u32 code = *at++;
        int more = code < 0x80 ? 0 : code >> 5 == 6 ? 1 : code >> 4 == 14 ? 2 : code >> 3 == 30 ? 3 : -1, i;
        static const u32 least[4] = {0, 0x80, 0x800, 0x10000};
        if (more < 0 || more > text.end - at) refuse("a text is not UTF-8");
        if (more > 0) code &= 0x3Fu >> more;
        for (i = 0; i < more; i++, at++) {
            if (*at >> 6 != 2) refuse("a text is not UTF-8");
            code = code << 6 | (*at & 0x3F);
        }
        if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) refuse("a text is not UTF-8");
    }
    return text;
}

static i64 as_signed(u64 value) {
    return value <= INT64_MAX ? (i64)value : -(i64)~value - 1;
}

static u32 crc_table[8][256];

static void make_crc_table(void) {
    u32 i, k;
    for (i = 0; i < 256; i++) {
        u32 crc = i;
        for (k = 0; k < 8; k++) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        crc_table[0][i] = crc;
    }
    for (i = 0; i < 256; i++)
        for (k = 1; k < 8; k++) crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 0xFF];
}

/* Continues the CRC-32 `crc`, 0 at first, eight bytes at a time. */
static u32 crc32_of(u32 crc, const u8 *bytes, size_t length) {
    crc = ~crc;
    for (; length >= 8; length -= 8, bytes += 8) {
        crc ^= (u32)little(bytes, 4);
        crc = crc_table[7][crc & 0xFF] ^ crc_table[6][crc >> 8 & 0xFF] ^ crc_table[5][crc >> 16 & 0xFF] ^
              crc_table[4][crc >> 24] ^ crc_table[3][bytes[4]] ^ crc_table[2][bytes[5]] ^ crc_table[1][bytes[6]] ^
              crc_table[0][bytes[7]];
    }
    for (; length > 0; length--, bytes++) crc = crc >> 8 ^ crc_table[0][(crc ^ *bytes) & 0xFF];
    return ~crc;
}

static u32 rotate(u32 word, int by) {
    return word >> by | word << (32 - by);
}

static void sha256_block(u32 state[8], const u8 *block) {
    static const u32 k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    u32 w[64], s[8];
    int i;
    for (i = 0; i < 16; i++)
        w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (; i < 64; i++) {
        u32 a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        u32 b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    memcpy(s, state, sizeof s);
    for (i = 0; i < 64; i++) {
        u32 e = s[4], a = s[0];
        u32 t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + k[i] + w[i];
        u32 t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (i = 0; i < 8; i++) state[i] += s[i];
}

static void sha256(const u8 *bytes, size_t length, u8 digest[32]) {
    u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u8 tail[128] = {0};
    size_t rest = length % 64, size = rest < 56 ? 64 : 128, i;
    for (i = 0; i + 64 <= length; i += 64) sha256_block(state, bytes + i);
    if (rest > 0) memcpy(tail, bytes + i, rest);
    tail[rest] = 0x80;
    for (i = 0; i < 8; i++) tail[size - 1 - i] = (u8)((u64)length * 8 >> (8 * i) & 0xFF);
    for (i = 0; i < size; i += 64) sha256_block(state, tail + i);
    for (i = 0; i < 32; i++) digest[i] = (u8)(state[i / 4] >> (24 - 8 * (i % 4)) & 0xFF);
}

/* The budget of a block (section 24). */
typedef struct {
    u64 units;
} Budget;

static void spend(Budget *budget, u64 units) {
    if (units > budget->units) refuse("a block costs more than the limits of section 24 allow");
    budget->units -= units;
}

static Bytes expand(Bytes part, Budget *budget, Pool *pool) {
    u64 raw = number(&part);
    u8 way = next_byte(&part);
    spend(budget, 2 * raw);
    if (way == 0) {
        if (left(part) != raw) refuse("a stored part has another length than it says");
        return part;
    }
    if (way != 1) refuse("a compressed part has the unknown coding %u", way);
    {
        u8 *bytes = take(pool, raw + 1, 1);
        /* ZSTD_decompress would also accept several frames, and skippable frames. */
        if (left(part) < 4 || little(part.at, 4) != 0xFD2FB528u ||
            ZSTD_findFrameCompressedSize(part.at, left(part)) != left(part) ||
            ZSTD_decompress(bytes, (size_t)raw, part.at, left(part)) != raw)
            refuse("a compressed part is no zstd frame of the length that it says");
        return bytes_of(bytes, (size_t)raw);
    }
}

static void planes(Bytes *from, unsigned width, u64 count, u64 *numbers) {
    u64 i;
    unsigned k;
    if (width > 8) refuse("numbers have more than 8 bytes");
    if (width == 0) {
        memset(numbers, 0, (size_t)count * sizeof *numbers);
        return;
    }
    if (count > left(*from) / width) refuse("a part ends too early");
    for (i = 0; i < count; i++) {
        numbers[i] = 0;
        for (k = 0; k < width; k++) numbers[i] |= (u64)from->at[(size_t)(k * count + i)] << (8 * k);
    }
    from->at += (size_t)(width * count);
}

/* ---- Boards ------------------------------------------------------------------------------------------------------- */

enum { PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };
#define EMPTY 15
#define NO_LABEL 255
#define BIT(square) ((u64)1 << (square))
#define ALL ((u64)0 - 1)

/* Directions as in Brenner's bytes: E NE N NW W SW S SE. The first four lead to greater squares. */
static const int files[8] = {1, 1, 0, -1, -1, -1, 0, 1}, ranks[8] = {0, 1, 1, 1, 0, -1, -1, -1};
static const int knight_files[8] = {2, 2, 1, -1, -2, -2, -1, 1}, knight_ranks[8] = {-1, 1, 2, 2, 1, -1, -2, -2};
static u64 rays[8][64], knight_attacks[64], king_attacks[64], pawn_attacks[2][64];

static int lowest(u64 set) {
#if defined(__GNUC__)
    return __builtin_ctzll(set);
#else
    int n = 0;
    for (; (set & 1) == 0; set >>= 1) n++;
    return n;
#endif
}

static int highest(u64 set) {
#if defined(__GNUC__)
    return 63 - __builtin_clzll(set);
#else
    int n = -1;
    for (; set != 0; set >>= 1) n++;
    return n;
#endif
}

static int count_bits(u64 set) {
    int n = 0;
    for (; set != 0; set &= set - 1) n++;
    return n;
}

/* The square at this distance, or -1 beyond the board. */
static int step(int square, int by_files, int by_ranks) {
    int file = (square & 7) + by_files, rank = (square >> 3) + by_ranks;
    return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : 8 * rank + file;
}

static void make_attacks(void) {
    int square, d, n;
    for (square = 0; square < 64; square++) {
        for (d = 0; d < 8; d++) {
            for (n = 1; n < 8; n++)
                if (step(square, n * files[d], n * ranks[d]) >= 0)
                    rays[d][square] |= BIT(step(square, n * files[d], n * ranks[d]));
            if (step(square, files[d], ranks[d]) >= 0) king_attacks[square] |= BIT(step(square, files[d], ranks[d]));
            if (step(square, knight_files[d], knight_ranks[d]) >= 0)
                knight_attacks[square] |= BIT(step(square, knight_files[d], knight_ranks[d]));
        }
        for (n = -1; n <= 1; n += 2) {
            if (step(square, n, 1) >= 0) pawn_attacks[0][square] |= BIT(step(square, n, 1));
            if (step(square, n, -1) >= 0) pawn_attacks[1][square] |= BIT(step(square, n, -1));
        }
    }
}

static u64 slide(int d, int square, u64 occupied) {
    u64 ray = rays[d][square], block = ray & occupied;
    return block == 0 ? ray : ray ^ rays[d][d < 4 ? lowest(block) : highest(block)];
}

static u64 straight(int square, u64 occupied) {
    return slide(0, square, occupied) | slide(2, square, occupied) | slide(4, square, occupied) |
           slide(6, square, occupied);
}

static u64 diagonal(int square, u64 occupied) {
    return slide(1, square, occupied) | slide(3, square, occupied) | slide(5, square, occupied) |
           slide(7, square, occupied);
}

static u64 attacks(int role, int colour, int square, u64 occupied) {
    switch (role) {
    case PAWN: return pawn_attacks[colour][square];
    case KNIGHT: return knight_attacks[square];
    case BISHOP: return diagonal(square, occupied);
    case ROOK: return straight(square, occupied);
    case QUEEN: return straight(square, occupied) | diagonal(square, occupied);
    default: return king_attacks[square];
    }
}

/* The pieces among `by`, of one colour, that attack the square. */
static u64 attackers(const u64 by[6], int colour, int square, u64 occupied) {
    return (pawn_attacks[1 - colour][square] & by[PAWN]) | (knight_attacks[square] & by[KNIGHT]) |
           (king_attacks[square] & by[KING]) | (straight(square, occupied) & (by[ROOK] | by[QUEEN])) |
           (diagonal(square, occupied) & (by[BISHOP] | by[QUEEN]));
}

/* ---- Positions (section 7) ---------------------------------------------------------------------------------------- */

typedef struct {
    u64 pieces[2][6], side[2];
    u8 at[64]; /* role, 8 more for Black, or EMPTY */
    u8 label[64];
    signed char king[2]; /* the king with the label, or -1 */
    signed char rook[4]; /* rooks of the rights White h, White a, Black h, Black a, or -1 */
    signed char passed; /* the en passant target, or -1 */
    u8 turn;
    u64 halfmoves, fullmoves;
} Position;

static const int labels_of[6] = {8, 4, 4, 4, 4, 1};

static void put(Position *p, int square, unsigned piece, unsigned label) {
    p->at[square] = (u8)piece;
    p->label[square] = (u8)label;
    p->pieces[piece >> 3][piece & 7] |= BIT(square);
    p->side[piece >> 3] |= BIT(square);
}

static void lift(Position *p, int square) {
    unsigned piece = p->at[square];
    p->at[square] = EMPTY;
    p->pieces[piece >> 3][piece & 7] &= ~BIT(square);
    p->side[piece >> 3] &= ~BIT(square);
}

/* Whether the labelled king of a colour is attacked. */
static int in_check(const Position *p, int colour) {
    return p->king[colour] >= 0 && attackers(p->pieces[1 - colour], 1 - colour, p->king[colour],
                                             p->side[0] | p->side[1]) != 0;
}

static void read_position(Bytes *from, Position *p) {
    u64 squares = little(next_bytes(from, 8).at, 8);
    int count = count_bits(squares), i = 0, square, file;
    unsigned next[2][6] = {{0}};
    Bytes pieces = next_bytes(from, (u64)(count + 1) / 2);
    u8 state;
    memset(p, 0, sizeof *p);
    memset(p->at, EMPTY, sizeof p->at);
    for (square = 0; square < 64; square++) {
        unsigned piece;
        if ((squares & BIT(square)) == 0) continue;
        piece = pieces.at[i / 2] >> (4 * (i % 2)) & 15;
        if ((piece & 7) > KING) refuse("a starting position has an unknown piece");
        put(p, square, piece, NO_LABEL);
        i++;
    }
    if (count % 2 == 1 && pieces.at[count / 2] >> 4 != 0) refuse("a starting position has half a byte left over");
    p->king[0] = p->king[1] = -1;
    for (file = 0; file < 8; file++)
        for (square = file; square < 64; square += 8) {
            int colour = p->at[square] >> 3, role = p->at[square] & 7;
            if (p->at[square] == EMPTY || next[colour][role] >= (unsigned)labels_of[role]) continue;
            p->label[square] = (u8)next[colour][role]++;
            if (role == KING) p->king[colour] = (signed char)square;
        }
    state = next_byte(from);
    if (state >= 0x40) refuse("a starting position has unknown flags");
    p->turn = state & 1;
    for (i = 0; i < 4; i++) {
        int colour = i / 2, king = p->king[colour];
        p->rook[i] = -1;
        if ((state & 2 << i) == 0) continue;
        square = next_byte(from);
        if (square > 63 || square >> 3 != 7 * colour || p->at[square] != (ROOK | colour << 3) || king < 0 ||
            king >> 3 != 7 * colour || (i % 2 == 0 ? king >= square : king <= square))
            refuse("a starting position has a castling right without its rook or king");
        p->rook[i] = (signed char)square;
    }
    p->passed = -1;
    if ((state & 0x20) != 0) {
        int forward = p->turn == 0 ? 8 : -8; /* of the side to move */
        square = next_byte(from);
        if (square > 63 || square >> 3 != (p->turn == 0 ? 5 : 2) || p->at[square] != EMPTY ||
            p->at[square + forward] != EMPTY || p->at[square - forward] != (PAWN | (1 - p->turn) << 3))
            refuse("a starting position has an impossible en passant target");
        p->passed = (signed char)square;
    }
    p->halfmoves = varint(from);
    p->fullmoves = varint(from);
    if (p->halfmoves >> 32 != 0 || p->fullmoves >> 32 != 0) refuse("a starting position has a clock beyond 2^32");
}

/* The bytes are from section 17. */
static const Position *standard(void) {
    static const u8 bytes[31] = {0xFF, 0xFF, 0,    0,    0,    0,    0xFF, 0xFF, 0x13, 0x42, 0x25, 0x31, 0,    0,    0, 0,
                                 0x88, 0x88, 0x88, 0x88, 0x9B, 0xCA, 0xAD, 0xB9, 0x1E, 0x07, 0,    0x3F, 0x38, 0,    1};
    static Position position;
    static int made;
    if (!made) {
        Bytes from = bytes_of(bytes, sizeof bytes);
        read_position(&from, &position);
        made = 1;
    }
    return &position;
}

/* Whether the player to move sees the standard starting position; clocks do not matter. */
static int is_standard(const Position *p) {
    int square, i;
    for (square = 0; square < 64; square++) {
        unsigned piece = p->at[p->turn == 0 ? square : square ^ 56];
        if ((piece == EMPTY ? piece : piece ^ (unsigned)p->turn << 3) != standard()->at[square]) return 0;
    }
    for (i = 0; i < 4; i++)
        if (p->rook[i] < 0) return 0;
    return p->passed < 0;
}

static void print_fen(const Position *p) {
    int rank, i;
    for (rank = 7; rank >= 0; rank--) {
        int empty = 0, file;
        for (file = 0; file < 8; file++) {
            unsigned piece = p->at[8 * rank + file];
            if (piece == EMPTY) {
                empty++;
                continue;
            }
            if (empty > 0) add_byte(&out, '0' + (unsigned)empty);
            empty = 0;
            add_byte(&out, (u8)"PNBRQK??pnbrqk"[piece]);
        }
        if (empty > 0) add_byte(&out, '0' + (unsigned)empty);
        if (rank > 0) add_byte(&out, '/');
    }
    print(" %c ", "wb"[p->turn]);
    for (i = 0; i < 4; i++) {
        int rook = p->rook[i], colour = i / 2, square;
        char letter = "KQkq"[i];
        if (rook < 0) continue;
        /* X-FEN: the rook's file, if another rook stands further out. */
        for (square = rook + (i % 2 == 0 ? 1 : -1); square >> 3 == rook >> 3 && square >= 0; square += i % 2 == 0 ? 1 : -1)
            if (p->at[square] == (ROOK | colour << 3)) letter = "ABCDEFGHabcdefgh"[8 * colour + (rook & 7)];
        print("%c", letter);
    }
    if (p->rook[0] < 0 && p->rook[1] < 0 && p->rook[2] < 0 && p->rook[3] < 0) print("-");
    if (p->passed >= 0) print(" %c%d", "abcdefgh"[p->passed & 7], 1 + (p->passed >> 3));
    else print(" -");
    print(" %" PRIu64 " %" PRIu64, p->halfmoves, p->fullmoves);
}

/* ---- Moves (section 8) -------------------------------------------------------------------------------------------- */

/* The effects of every move other than on the pieces. */
static void pass_turn(Position *p) {
    p->passed = -1;
    p->halfmoves++;
    if (p->turn == 1) p->fullmoves++;
    p->turn = 1 - p->turn;
}

/* Makes a move that does not castle; returns 0 if it is illegal. `promotion` is a role, or 0. */
static int play(Position *p, int from, int to, int promotion, unsigned promoted_label) {
    int colour = p->turn, enemy = 1 - colour, forward = colour == 0 ? 8 : -8, victim = to, i;
    unsigned piece = p->at[from], label = p->label[from];
    int role = piece & 7, capture, passed = -1;
    if (piece == EMPTY || (int)(piece >> 3) != colour || (p->side[colour] & BIT(to)) != 0 || to == p->king[enemy]) return 0;
    capture = p->at[to] != EMPTY;
    if (role == PAWN) {
        if ((to >> 3 == (colour == 0 ? 7 : 0)) != (promotion != 0)) return 0;
        if ((pawn_attacks[colour][from] & BIT(to)) != 0) {
            if (!capture) {
                if (to != p->passed) return 0;
                victim = to - forward;
                capture = 1;
            }
        } else if (capture) {
            return 0;
        } else if (to == from + 2 * forward) {
            if (from >> 3 != (colour == 0 ? 1 : 6) || p->at[from + forward] != EMPTY) return 0;
            passed = from + forward;
        } else if (to != from + forward) {
            return 0;
        }
    } else if (promotion != 0 || (attacks(role, colour, from, p->side[0] | p->side[1]) & BIT(to)) == 0) {
        return 0;
    }
    if (capture) lift(p, victim);
    lift(p, from);
    if (promotion != 0) put(p, to, (unsigned)(promotion | colour << 3), promoted_label);
    else put(p, to, piece, label);
    if (from == p->king[colour]) {
        p->king[colour] = (signed char)to;
        p->rook[2 * colour] = p->rook[2 * colour + 1] = -1;
    }
    for (i = 0; i < 4; i++)
        if (p->rook[i] == from || p->rook[i] == to) p->rook[i] = -1;
    pass_turn(p);
    p->passed = (signed char)passed;
    if (capture || role == PAWN) p->halfmoves = 0;
    return !in_check(p, colour);
}

/* The squares from a to b of one rank, both included. */
static u64 span(int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    return (ALL << low) & (ALL >> (63 - high));
}

/* Castles to the side 0 (h) or 1 (a); returns 0 if that is illegal. */
static int castle(Position *p, int side) {
    int colour = p->turn, king = p->king[colour], rook = p->rook[2 * colour + side];
    int king_to = 56 * colour + (side == 0 ? 6 : 2), rook_to = 56 * colour + (side == 0 ? 5 : 3), square;
    u64 occupied = p->side[0] | p->side[1];
    unsigned king_label, rook_label;
    if (rook < 0) return 0;
    if (((span(king, king_to) | span(rook, rook_to)) & occupied & ~BIT(king) & ~BIT(rook)) != 0) return 0;
    for (square = king;; square += king < king_to ? 1 : -1) {
        if (attackers(p->pieces[1 - colour], 1 - colour, square, occupied & ~BIT(king)) != 0) return 0;
        if (square == king_to) break;
    }
    king_label = p->label[king];
    rook_label = p->label[rook];
    lift(p, king);
    lift(p, rook);
    put(p, king_to, (unsigned)(KING | colour << 3), king_label);
    put(p, rook_to, (unsigned)(ROOK | colour << 3), rook_label);
    p->king[colour] = (signed char)king_to;
    p->rook[2 * colour] = p->rook[2 * colour + 1] = -1;
    pass_turn(p);
    return !in_check(p, colour);
}

/* The square of the piece with this label of the side to move, or -1. */
static int find_label(const Position *p, int role, unsigned label) {
    u64 set = p->pieces[p->turn][role];
    for (; set != 0; set &= set - 1)
        if (p->label[lowest(set)] == label) return lowest(set);
    return -1;
}

enum { MOVE, CASTLE_H, CASTLE_A, NULL_MOVE };
typedef struct {
    int kind, from, to, promotion;
} Played;

/* Makes the move that begins with the byte `first`, which may be a prefix. */
static Played read_move(Bytes *from, Position *p, unsigned first) {
    Played move = {MOVE, -1, -1, 0};
    int prefix = -1, role, distance = 1, d = 0;
    unsigned byte = first, label = 0, promoted_label = 0, field;
    if (byte >= 0x40 && byte < 0xC0 && (byte & 0x38) == 0) {
        prefix = byte < 0x80 ? ((byte & 1) == 0 ? QUEEN : KNIGHT) : ((byte & 1) == 0 ? ROOK : BISHOP);
        label = byte >> 1 & 3;
        byte = next_byte(from);
    }
    field = byte >> 3 & 7;
    if (byte == 0xC0 && prefix < 0) {
        unsigned high = next_byte(from), word = high << 8 | next_byte(from);
        move.from = (int)(word >> 10);
        move.to = (int)(word >> 4 & 63);
        move.promotion = (int)(word >> 1 & 7);
        if ((word & 1) != 0 || move.promotion > QUEEN) refuse("an explicit move has unknown bits");
        if (!play(p, move.from, move.to, move.promotion, NO_LABEL)) refuse("an explicit move is illegal");
        return move;
    }
    if (byte == 0xC1 && prefix < 0) {
        pass_turn(p);
        move.kind = NULL_MOVE;
        return move;
    }
    if ((byte == 4 || byte == 5) && prefix < 0) {
        if (!castle(p, byte == 4 ? 0 : 1)) refuse("castling is illegal");
        move.kind = byte == 4 ? CASTLE_H : CASTLE_A;
        return move;
    }
    if (byte >= 0x40) {
        if (field == 0) refuse(prefix < 0 ? "a byte is no move" : "a prefix is followed by no piece byte");
        distance = (int)field;
        if (byte < 0x80) {
            role = QUEEN;
            d = (int)(byte & 7);
        } else {
            role = (byte & 1) == 0 ? ROOK : BISHOP;
            d = (int)(byte >> 1 & 3) * 2 + (role == BISHOP);
            if (prefix < 0) label = byte >> 6 & 1;
        }
    } else if (byte >= 0x20) {
        static const int pawn_files[4] = {0, 0, 1, -1}, pawn_ranks[4] = {1, 2, 1, 1};
        int turn = p->turn == 0 ? 1 : -1, pawn = find_label(p, PAWN, byte & 7), way = (int)(byte >> 3 & 3);
        role = PAWN;
        move.from = pawn;
        if (pawn >= 0) move.to = step(pawn, turn * pawn_files[way], turn * pawn_ranks[way]);
        if (prefix >= 0) {
            int holder = find_label(p, prefix, label);
            if (move.to >= 0 && move.to >> 3 != 0 && move.to >> 3 != 7) refuse("a prefix does not promote");
            if (holder >= 0) refuse("a promotion takes a label that is taken");
            promoted_label = label;
            move.promotion = prefix;
        }
    } else if (byte >= 0x10) {
        role = KNIGHT;
        d = (int)(byte & 7);
        if (prefix < 0) label = byte >> 3 & 1;
    } else if (byte >= 8) {
        role = KING;
        d = (int)(byte & 7);
    } else {
        refuse("a prefix is followed by no piece byte");
    }
    if (role != PAWN) {
        if (prefix >= 0 && prefix != role) refuse("a prefix is followed by another piece's byte");
        move.from = find_label(p, role, label);
        if (move.from >= 0)
            move.to = role == KNIGHT ? step(move.from, knight_files[d], knight_ranks[d])
                                     : step(move.from, distance * files[d], distance * ranks[d]);
    }
    if (move.from < 0) refuse("a move is of a piece that there is not");
    if (move.to < 0 || !play(p, move.from, move.to, move.promotion, promoted_label)) refuse("a move is illegal");
    return move;
}

typedef struct {
    Position now, before;
    int moved; /* whether there is a move that a variation can replace */
} Level;

/* Receives each position after a move; `depth` is 0 in the main line. Returns 1 to end the replay. */
typedef int (*Seen)(void *context, const Position *now, size_t depth, const Played *move);

/* Replays a stream; returns the result's byte, 0 for none, or -1 if `seen` ended it. */
static int replay(Bytes stream, const Position *start, Seen seen, void *context) {
    static Buffer levels; /* the levels outside the open variations */
    Level level;
    size_t depth = 0;
    memset(&level, 0, sizeof level);
    level.now = *start;
    levels.length = 0;
    while (stream.at < stream.end) {
        u8 byte = *stream.at++;
        if (byte == 0x00 || byte == 0x06 || byte == 0x07) continue;
        if (byte >= 0x01 && byte <= 0x03) {
            if (depth > 0) refuse("a result stands in a variation");
            if (stream.at != stream.end) refuse("bytes follow the result");
            return byte;
        }
        if (byte == 0xC2) {
            next_byte(&stream);
        } else if (byte == 0xC3) {
            if (depth >= 1024) refuse("more than 1,024 variations are open");
            if (!level.moved) refuse("a variation replaces no move");
            add(&levels, &level, sizeof level);
            depth++;
            level.now = level.before;
            level.moved = 0;
        } else if (byte == 0xC4) {
            if (depth == 0) refuse("a variation ends that has not begun");
            depth--;
            levels.length -= sizeof level;
            memcpy(&level, levels.data + levels.length, sizeof level);
        } else {
            Played move;
            level.before = level.now;
            level.moved = 1;
            move = read_move(&stream, &level.now, byte);
            if (seen(context, &level.now, depth, &move)) return -1;
        }
    }
    if (depth > 0) refuse("a variation is not closed");
    return 0;
}

typedef struct {
    unsigned flags;
    Position start;
    Bytes moves;
} Record;

static void read_record(Bytes record, int packed, Record *game) {
    game->flags = 0;
    game->start = *standard();
    if (record.at < record.end && *record.at == 0xC5) {
        record.at++;
        game->flags = next_byte(&record);
        if (game->flags > 0x0F) refuse("a record has unknown flags");
        if (game->flags == 0 && !(packed && record.at < record.end && *record.at == 0xC5))
            refuse("a record has a header without flags");
        if ((game->flags & 1) != 0) read_position(&record, &game->start);
    }
    game->moves = record;
}

/* ---- The model of packed moves (section 28) ------------------------------------------------------------------------ */

#define MODEL_NUMBER 1
#define MODEL_SIZE 975558
#define SMALL_WEIGHTS 22980
#define UNITS 64
static const u8 model_hash[32] = {0x1c, 0x85, 0x7b, 0x32, 0x79, 0xc8, 0xf8, 0x5f, 0xfe, 0x03, 0x7f,
                                  0x9e, 0x40, 0x74, 0x5d, 0x3c, 0x59, 0xef, 0xea, 0xb8, 0xed, 0xd3,
                                  0x4f, 0x81, 0x66, 0xaa, 0x6b, 0x07, 0x7c, 0x49, 0xa5, 0xd3};

typedef struct {
    u32 first; /* its edges */
    u8 edges, code;
} Node;

typedef struct {
    u8 from, to, code;
    u32 node; /* 0 if the edge leaves the book */
} Edge;

static struct {
    int loaded;
    const signed char *from_to, *reply, *own_last, *input;
    i16 small[SMALL_WEIGHTS], bias[UNITS], to_rows[384 * UNITS], from_rows[384 * UNITS], victim_rows[36 * UNITS];
    u32 sharpness[8], kinds[8], ends[32 * 32], falls[256]; /* falls: S of "Frequencies" */
    Node *nodes;
    Edge *edges;
    u32 node_count;
} model;

static const char *model_path;

static void read_words(Bytes *from, i16 *words, size_t count) {
    const u8 *bytes = next_bytes(from, 2 * (u64)count).at;
    size_t i;
    for (i = 0; i < count; i++) {
        int word = (int)little(bytes + 2 * i, 2);
        words[i] = (i16)(word < 32768 ? word : word - 65536);
    }
}

static void read_counts(Bytes *from, u32 *counts, size_t count) {
    const u8 *bytes = next_bytes(from, 2 * (u64)count).at;
    size_t i;
    for (i = 0; i < count; i++) counts[i] = (u32)little(bytes + 2 * i, 2);
}

/* S[i] is 65536 * 2^(-i/256), by the roots of a half. */
static void make_falls(void) {
    static const double roots[8] = {0.99729605608547012, 0.99459942348363317, 0.98922801319397548, 0.97857206208770013,
                                    0.95760328069857365, 0.91700404320467123, 0.84089641525371454, 0.70710678118654752};
    u8 bytes[1024];
    int i, k;
    for (i = 0; i < 256; i++) {
        double value = 65536;
        for (k = 0; k < 8; k++)
            if ((i >> k & 1) != 0) value *= roots[k];
        model.falls[i] = (u32)(value + 0.5);
        put_little(bytes + 4 * i, model.falls[i], 4);
    }
    if (crc32_of(0, bytes, sizeof bytes) != 0x84F212B5u) refuse("this machine's arithmetic gives other frequencies");
}

static void read_book(Bytes from) {
    Bytes rest = from;
    u32 edges = 0, claimed = 1, i;
    while (rest.at < rest.end) {
        unsigned count;
        next_byte(&rest);
        count = next_byte(&rest);
        next_bytes(&rest, 3 * count);
        edges += count;
        model.node_count++;
    }
    model.nodes = take(&lasting, model.node_count + 1, sizeof(Node));
    model.edges = take(&lasting, edges + 1, sizeof(Edge));
    edges = 0;
    for (i = 0; i < model.node_count; i++) {
        Node *node = &model.nodes[i];
        unsigned k;
        node->code = next_byte(&from);
        node->edges = next_byte(&from);
        node->first = edges;
        for (k = 0; k < node->edges; k++, edges++) {
            u32 b = (u32)little(next_bytes(&from, 3).at, 3);
            model.edges[edges].from = (u8)(b & 63);
            model.edges[edges].to = (u8)(b >> 6 & 63);
            model.edges[edges].code = (u8)(b >> 13 & 255);
            if ((b >> 12 & 1) != 0) model.edges[edges].node = claimed++;
        }
    }
    if (claimed > model.node_count && model.node_count > 0) refuse("the book of the model is damaged");
}

static void load_model(void) {
    u8 *bytes, digest[32];
    size_t length;
    FILE *file;
    Bytes from;
    if (model.loaded) return;
    file = fopen(model_path, "rb");
    if (file == NULL) refuse("packed moves need model %d: cannot read %s", MODEL_NUMBER, model_path);
    bytes = take(&lasting, MODEL_SIZE + 1, 1);
    length = fread(bytes, 1, MODEL_SIZE + 1, file);
    fclose(file);
    sha256(bytes, length, digest);
    if (length != MODEL_SIZE || memcmp(digest, model_hash, 32) != 0)
        refuse("packed moves need model %d: %s is another file", MODEL_NUMBER, model_path);
    from = bytes_of(bytes, length);
    next_bytes(&from, 4);
    model.from_to = (const signed char *)next_bytes(&from, 24576).at;
    model.reply = (const signed char *)next_bytes(&from, 147840).at;
    model.own_last = (const signed char *)next_bytes(&from, 147840).at;
    read_words(&from, model.small, SMALL_WEIGHTS);
    read_words(&from, model.bias, UNITS);
    model.input = (const signed char *)next_bytes(&from, 147456).at;
    read_words(&from, model.to_rows, 384 * UNITS);
    read_words(&from, model.from_rows, 384 * UNITS);
    read_words(&from, model.victim_rows, 36 * UNITS);
    read_counts(&from, model.sharpness, 8);
    read_counts(&from, model.kinds, 8);
    read_counts(&from, model.ends, 32 * 32);
    read_book(from);
    make_falls();
    model.loaded = 1;
}

/* ---- The position as the player to move sees it -------------------------------------------------------------------- */

/* A move that was played, with absolute squares. */
typedef struct {
    int is, role, from, to, capture;
} Last;

typedef struct {
    Position position;
    Last last, own, before; /* the opponent's last move, the player's, the opponent's second to last */
    u32 plies, node;
    int in_book;
    i32 surprise[2];
} Line;

typedef struct {
    int role, from, to, key, promotion, victim, castling, passing; /* key: as in the order of moves */
    i32 score;
    u32 frequency;
} Move;

typedef struct {
    const Position *p;
    int flip, king, enemy_king, passed;
    u64 own[6], enemy[6], mine, theirs, all;
    u64 own_by[6], enemy_by[6]; /* squares attacked by the pieces of each role */
    u64 own_once, own_twice, enemy_once, own_hanging, enemy_hanging;
} View;

static u64 flipped(u64 set, int flip) {
    if (flip == 0) return set;
    set = (set >> 8 & 0x00FF00FF00FF00FFu) | (set & 0x00FF00FF00FF00FFu) << 8;
    set = (set >> 16 & 0x0000FFFF0000FFFFu) | (set & 0x0000FFFF0000FFFFu) << 16;
    return set >> 32 | set << 32;
}

static int role_at(const View *v, int square) {
    return v->p->at[square ^ v->flip] & 7;
}

static u64 hanging(const u64 pieces[6], const u64 by[6], u64 attacked, u64 defended) {
    u64 lesser = by[PAWN] | by[KNIGHT] | by[BISHOP];
    return ((attacked & ~defended) & (pieces[PAWN] | pieces[KNIGHT] | pieces[BISHOP] | pieces[ROOK] | pieces[QUEEN])) |
           (by[PAWN] & (pieces[KNIGHT] | pieces[BISHOP])) | (lesser & pieces[ROOK]) |
           ((lesser | by[ROOK]) & pieces[QUEEN]);
}

static void look(View *v, const Position *p) {
    int role;
    u64 set, without_king;
    memset(v, 0, sizeof *v);
    v->p = p;
    v->flip = p->turn == 0 ? 0 : 56;
    for (role = PAWN; role <= KING; role++) {
        v->own[role] = flipped(p->pieces[p->turn][role], v->flip);
        v->enemy[role] = flipped(p->pieces[1 - p->turn][role], v->flip);
    }
    v->mine = flipped(p->side[p->turn], v->flip);
    v->theirs = flipped(p->side[1 - p->turn], v->flip);
    v->all = v->mine | v->theirs;
    v->king = p->king[p->turn] ^ v->flip;
    v->enemy_king = p->king[1 - p->turn] ^ v->flip;
    v->passed = p->passed < 0 ? -1 : p->passed ^ v->flip;
    without_king = v->all & ~BIT(v->king);
    for (role = PAWN; role <= KING; role++) {
        for (set = v->own[role]; set != 0; set &= set - 1) {
            u64 reach = attacks(role, 0, lowest(set), v->all);
            v->own_by[role] |= reach;
            v->own_twice |= v->own_once & reach;
            v->own_once |= reach;
        }
        for (set = v->enemy[role]; set != 0; set &= set - 1) v->enemy_by[role] |= attacks(role, 1, lowest(set), without_king);
        v->enemy_once |= v->enemy_by[role];
    }
    v->own_hanging = hanging(v->own, v->enemy_by, v->enemy_once, v->own_once);
    v->enemy_hanging = hanging(v->enemy, v->own_by, v->own_once, v->enemy_once);
}

/* Whether the own king is safe after a move that does not castle. */
static int is_safe(const View *v, int from, int to, u64 captured) {
    u64 enemy[6];
    int role;
    for (role = PAWN; role <= KING; role++) enemy[role] = v->enemy[role] & ~captured;
    return attackers(enemy, 1, from == v->king ? to : v->king, (v->all & ~BIT(from) & ~captured) | BIT(to)) == 0;
}

/* Lists the legal moves in their order; returns their number. */
static int list_moves(const View *v, Move moves[255]) {
    static const int promotions[4] = {QUEEN, ROOK, BISHOP, KNIGHT};
    int count = 0, role, i, side;
    u64 pieces, targets, castlings = 0;
    for (side = 0; side < 2; side++) {
        int rook = v->p->rook[2 * v->p->turn + side];
        Position copy;
        if (rook < 0) continue;
        copy = *v->p;
        if (castle(&copy, side)) castlings |= BIT(rook ^ v->flip);
    }
    for (role = PAWN; role <= KING; role++)
        for (pieces = v->own[role]; pieces != 0; pieces &= pieces - 1) {
            int from = lowest(pieces);
            if (role == PAWN) {
                targets = pawn_attacks[0][from] & (v->theirs | (v->passed < 0 ? 0 : BIT(v->passed)));
                if (from < 56 && (v->all & BIT(from + 8)) == 0) {
                    targets |= BIT(from + 8);
                    if (from >> 3 == 1 && (v->all & BIT(from + 16)) == 0) targets |= BIT(from + 16);
                }
            } else {
                targets = attacks(role, 0, from, v->all) & ~v->mine;
            }
            targets &= ~BIT(v->enemy_king);
            if (role == KING) targets |= castlings;
            for (; targets != 0; targets &= targets - 1) {
                Move move = {0};
                u64 captured;
                move.role = role;
                move.from = from;
                move.to = move.key = lowest(targets);
                if (role == KING && (castlings & BIT(move.key)) != 0) {
                    move.castling = move.key > from ? 1 : 2;
                    move.to = move.castling == 1 ? 6 : 2;
                } else {
                    captured = BIT(move.to) & v->theirs;
                    if (captured != 0) move.victim = role_at(v, move.to) + 1;
                    if (role == PAWN && move.to == v->passed) {
                        move.passing = 1;
                        move.victim = 1;
                        captured = BIT(move.to - 8);
                    }
                    if (!is_safe(v, from, move.to, captured)) continue;
                }
                for (i = 0; i < 4; i++) {
                    if (role == PAWN && move.to >= 56) move.promotion = promotions[i];
                    if (count == 255) refuse("packed moves are in a position with more than 255 legal moves");
                    moves[count++] = move;
                    if (move.promotion == 0) break;
                }
            }
        }
    return count;
}

/* ---- The weights of a move ----------------------------------------------------------------------------------------- */

static int at_most(int value, int limit) {
    return value < limit ? value : limit;
}

static i32 floor_shift(i32 value, int by) {
    i32 divisor = (i32)1 << by;
    return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}

static int steps_between(int a, int b) {
    int by_files = abs((a & 7) - (b & 7)), by_ranks = abs((a >> 3) - (b >> 3));
    return by_files > by_ranks ? by_files : by_ranks;
}

static u64 file_of(int square) {
    return (u64)0x0101010101010101u << (square & 7);
}

static u64 beside(int square) {
    return ((square & 7) > 0 ? file_of(square) >> 1 : 0) | ((square & 7) < 7 ? file_of(square) << 1 : 0);
}

static u64 higher_ranks(int square) {
    return square >= 56 ? 0 : ALL << (8 * ((square >> 3) + 1));
}

static int cheapest(const View *v, int square) {
    u64 bit = BIT(square);
    if ((v->enemy_by[PAWN] & bit) != 0) return 1;
    if (((v->enemy_by[KNIGHT] | v->enemy_by[BISHOP]) & bit) != 0) return 2;
    if ((v->enemy_by[ROOK] & bit) != 0) return 3;
    if ((v->enemy_by[QUEEN] & bit) != 0) return 4;
    return (v->enemy_by[KING] & bit) != 0 ? 5 : 0;
}

/* Own pieces that stand alone between the enemy king and an own slider. */
static u64 discoverers(const View *v) {
    u64 found = 0;
    int d;
    for (d = 0; d < 8; d++) {
        u64 sliders = v->own[QUEEN] | (d % 2 == 0 ? v->own[ROOK] : v->own[BISHOP]);
        u64 first = slide(d, v->enemy_king, v->all) & v->mine;
        if (first != 0 && (slide(d, v->enemy_king, v->all & ~first) & ~first & sliders) != 0) found |= first;
    }
    return found;
}

static int class_of(i32 surprise) {
    static const i32 limits[7] = {120, 180, 240, 310, 400, 520, 800};
    int class = 0;
    while (class < 7 && limits[class] <= surprise) class++;
    return class;
}

/* The sum of the values of one side's pieces. */
static int material(const u64 pieces[6], int with_pawns) {
    return (with_pawns ? count_bits(pieces[PAWN]) : 0) + 3 * count_bits(pieces[KNIGHT] | pieces[BISHOP]) +
           5 * count_bits(pieces[ROOK]) + 9 * count_bits(pieces[QUEEN]);
}

static int phase_of(const Line *line, const View *v) {
    int sum = material(v->own, 0) + material(v->enemy, 0);
    if (line->plies < 12) return 0;
    return sum >= 51 ? 1 : sum >= 37 ? 2 : sum >= 23 ? 3 : sum >= 11 ? 4 : 5;
}

static int structure_of(const View *v, const Move *m, u64 sight) {
    u64 pawns = v->own[PAWN], to_bit = BIT(m->to), above = higher_ranks(m->to), file = file_of(m->to), sides = beside(m->to);
    u64 guards = pawn_attacks[1][m->to] & pawns; /* own pawns that attack to */
    int value;
    switch (m->role) {
    case PAWN:
        value = 512 * (m->to >> 3);
        if ((v->enemy[PAWN] & (file | sides) & above) == 0) value += 1;
        if (count_bits(guards) >= ((pawn_attacks[0][m->from] & to_bit) != 0 ? 2 : 1)) value += 2;
        if ((pawns & ~BIT(m->from) & sides) == 0) value += 4;
        if ((pawns & ~BIT(m->from) & file) != 0) value += 8;
        if ((v->enemy[PAWN] & file & above) != 0) value += 16;
        if ((v->enemy[PAWN] & sight) != 0) value += 32;
        if ((v->theirs & ~v->enemy[PAWN] & sight) != 0) value += 64;
        if (abs((m->to & 7) - (v->king & 7)) <= 1) value += 128;
        if (abs((m->to & 7) - (v->enemy_king & 7)) <= 1) value += 256;
        return value;
    case KNIGHT:
    case BISHOP:
        value = 0;
        if ((v->enemy[PAWN] & sides & above) == 0) value += 1;
        if (guards != 0) value += 2;
        if (m->to >= 8 && (pawns & BIT(m->to - 8)) != 0) value += 4;
        if (m->from >= 8 && (pawns & BIT(m->from - 8)) != 0) value += 8;
        break;
    case ROOK:
    case QUEEN: {
        u64 from_file = file_of(m->from);
        int of_to = (pawns & file) != 0 ? 2 : (v->enemy[PAWN] & file) != 0;
        int of_from = (pawns & from_file) != 0 ? 2 : (v->enemy[PAWN] & from_file) != 0;
        value = 6 * of_to + 2 * of_from + (((v->own[ROOK] | v->own[QUEEN]) & ~BIT(m->from) & file) != 0);
        break;
    }
    default: {
        u64 before = pawns & (file_of(m->from) | beside(m->from)) & higher_ranks(m->from);
        u64 after = pawns & (file | sides) & above;
        value = 4 * at_most(count_bits(before), 3) + at_most(count_bits(after), 3);
    }
    }
    return 4096 + 64 * (m->role - 1) + value;
}

static void add_rows(u16 sums[UNITS], int row) {
    const signed char *weights = model.input + row * UNITS;
    int i;
    for (i = 0; i < UNITS; i++) sums[i] = (u16)(sums[i] + (u16)(4 * weights[i]));
}

/* The outputs of the units of the policy head. */
static void run_head(const View *v, const Last *last, const Last *own, i32 outputs[UNITS]) {
    u16 sums[UNITS];
    int role, i;
    for (i = 0; i < UNITS; i++) sums[i] = (u16)model.bias[i];
    for (role = PAWN; role <= KING; role++) {
        const u64 sets[4] = {v->own[role], v->enemy[role], v->own[role] & v->own_hanging, v->enemy[role] & v->enemy_hanging};
        for (i = 0; i < 4; i++) {
            u64 set = sets[i];
            for (; set != 0; set &= set - 1) add_rows(sums, 384 * i + 64 * role + lowest(set));
        }
    }
    if (last->is) add_rows(sums, 1536 + 64 * last->role + (last->to ^ v->flip));
    if (own->is) add_rows(sums, 1920 + 64 * own->role + (own->to ^ v->flip));
    for (i = 0; i < UNITS; i++) {
        i32 sum = sums[i] < 32768 ? at_most(sums[i], 255) : 0;
        outputs[i] = sum * sum >> 8;
    }
}

static void score_moves(const Line *line, const View *v, Move *moves, int count) {
    static const int worths[6] = {1, 2, 2, 3, 4, 9};
    const Last *last = &line->last, *own = &line->own;
    int class = class_of(line->surprise[v->p->turn]) / 2, phase = phase_of(line, v), role, n, i;
    int last_to = last->to ^ v->flip, own_from = own->from ^ v->flip, own_to = own->to ^ v->flip;
    const signed char *reply = model.reply + 384 * (last->is ? 64 * last->role + last_to : 384);
    const signed char *own_last = model.own_last + 384 * (own->is ? 64 * own->role + own_to : 384);
    int own_hanging = 0, prize = 0, checkers = at_most(count_bits(attackers(v->enemy, 1, v->king, v->all)), 2);
    u64 hanging_worth = 0, last_attacks = 0, discoverer = discoverers(v), enemy_queens = v->enemy[QUEEN];
    u64 enemy_heavy = enemy_queens | v->enemy[ROOK], loose = v->theirs & ~v->enemy[KING] & ~v->enemy_once;
    u64 enemy_pieces = enemy_heavy | v->enemy[KNIGHT] | v->enemy[BISHOP];
    const u64 greater[6] = {enemy_pieces, enemy_heavy, enemy_heavy, enemy_queens, 0, 0};
    i32 outputs[UNITS];
    for (role = PAWN; role <= QUEEN; role++) {
        if ((v->own_hanging & v->own[role]) != 0) own_hanging = worths[role];
        if ((v->enemy_hanging & v->enemy[role]) != 0) prize = role + 1;
    }
    for (role = PAWN; role <= QUEEN; role++)
        if (worths[role] == own_hanging) hanging_worth |= v->own_hanging & v->own[role];
    if (last->is && role_at(v, last_to) != KING) last_attacks = attacks(role_at(v, last_to), 1, last_to, v->all);
    run_head(v, last, own, outputs);
    for (n = 0; n < count; n++) {
        Move *m = &moves[n];
        const i16 *w = model.small, *to_row, *from_row, *victim_row;
        u64 from_bit = BIT(m->from), to_bit = BIT(m->to), reach, sight, threats;
        int r = m->role, attacker = cheapest(v, m->to), takes = m->victim != 0, pawn_step, support, safety, recapture = 0;
        int check = 0, threat, hangs, special = 0, protects;
        i32 score = 0, head = 0;
        pawn_step = r == PAWN && (pawn_attacks[0][m->from] & to_bit) == 0;
        support = ((pawn_step ? v->own_once : v->own_twice) & to_bit) != 0;
        safety = attacker == 0 ? 0 : attacker < worths[r] || !support ? 2 : 1;
        reach = r == PAWN ? 0 : attacks(r, 0, m->from, v->all);
        sight = m->promotion != 0 ? 0 : attacks(r, 0, m->to, v->all & ~from_bit);
        if (last->is && takes && m->to == last_to) recapture = 1 + last->capture;
        if (m->castling == 0 &&
            (attacks(m->promotion != 0 ? m->promotion : r, 0, m->to, v->all) & v->enemy[KING]) != 0)
            check = 1;
        else if ((discoverer & from_bit) != 0)
            check = 2;
        threats = sight & ~reach & v->theirs & (greater[r] | loose);
        threat = threats == 0 ? 0 : (threats & (threats - 1)) != 0 ? 5 : worths[role_at(v, lowest(threats))];
        hangs = (v->own_hanging & from_bit) == 0 ? 0 : (hanging_worth & from_bit) == 0 ? 1 : 2;
        protects = (sight & v->own_hanging & ~from_bit) != 0;
        if (m->castling != 0) special = m->castling;
        else if (m->passing) special = 3;
        else if (m->promotion != 0) special = 3 + m->promotion;

        score += w[((((class * 6 + r) * 6 + m->victim) * 6 + attacker) * 2 + support) * 3 + recapture];
        w += 5184;
        score += w[((((r * 6 + cheapest(v, m->from)) * 2 + ((v->own_once & from_bit) != 0)) * 6 + attacker) * 2 + support) *
                       2 + takes];
        w += 1728;
        score += w[(phase * 6 + r) * 64 + m->to];
        w += 2304;
        score += w[(phase * 6 + r) * 64 + m->from];
        w += 2304;
        score += w[(((r * 3 + check) * 6 + attacker) * 2 + support) * 2 + takes];
        w += 432;
        score += w[(r * 6 + threat) * 3 + safety];
        w += 108;
        score += w[((((own_hanging * 3 + hangs) * 2 + protects) * 6 + r) * 6 + m->victim) * 3 + safety];
        w += 3240;
        score += w[(((prize * 6 + m->victim) * 2 + ((v->enemy_hanging & to_bit) != 0)) * 6 + r) * 3 + safety];
        w += 1296;
        score += w[structure_of(v, m, sight)];
        w += 4416;
        score += w[(r * 8 + steps_between(m->from, v->enemy_king)) * 8 + steps_between(m->to, v->enemy_king)];
        w += 384;
        score += w[(r * 8 + steps_between(m->from, v->king)) * 8 + steps_between(m->to, v->king)];
        w += 384;
        score += w[((((class * 6 + r) * 2 + ((last_attacks & to_bit) != 0)) * 2 + ((last_attacks & from_bit) != 0)) * 2 +
                    (own->is && m->to == own_from)) * 2 + (own->is && m->from == own_to)];
        w += 384;
        score += w[(special * 2 + (check != 0)) * 6 + phase];
        w += 96;
        score += w[((checkers * 6 + r) * 6 + m->victim) * 6 + attacker];
        w += 648;
        score += w[(r * 4 + at_most(count_bits(sight & king_attacks[v->enemy_king]), 3)) * 3 + safety];

        score += 16 * (model.from_to[(r * 64 + m->from) * 64 + m->to] + reply[64 * r + m->to] + own_last[64 * r + m->to]);
        to_row = model.to_rows + (64 * r + m->to) * UNITS;
        from_row = model.from_rows + (64 * r + m->from) * UNITS;
        victim_row = model.victim_rows + (6 * r + m->victim) * UNITS;
        for (i = 0; i < UNITS; i++) head += outputs[i] * (to_row[i] + from_row[i] + victim_row[i]);
        m->score = score + floor_shift(head, 8);
    }
}

static u64 count_of_code(unsigned code) {
    unsigned by = code >> 3 > 24 ? 24 : code >> 3;
    return (u64)(8 + (code & 7)) << by;
}

static u32 gap_of(i32 best, i32 score) {
    i64 gap = (i64)best - score;
    return gap > 65535 ? 65535 : (u32)gap;
}

/* Gives the moves their frequencies; returns the total. */
static u32 weigh_moves(const Line *line, const View *v, Move *moves, int count) {
    u32 sharpness = model.sharpness[class_of(line->surprise[v->p->turn])];
    i32 best;
    u64 total = 0;
    int n;
    score_moves(line, v, moves, count);
    best = moves[0].score;
    for (n = 1; n < count; n++)
        if (moves[n].score > best) best = moves[n].score;
    for (n = 0; n < count; n++) {
        u64 g = (u64)gap_of(best, moves[n].score) * sharpness >> 8;
        moves[n].frequency = (model.falls[g & 255] >> (g >> 8 < 31 ? g >> 8 : 31)) + 1;
        total += moves[n].frequency;
    }
    if (line->in_book) {
        const Node *node = &model.nodes[line->node];
        u64 m = count_of_code(node->code), t = m, f;
        unsigned k;
        for (k = 0; k < node->edges; k++) t += count_of_code(model.edges[node->first + k].code);
        f = (((m << 20) / t) << 24) / total;
        total = 0;
        for (n = 0; n < count; n++) {
            moves[n].frequency = (u32)(moves[n].frequency * f >> 24) + 1;
            for (k = 0; k < node->edges; k++) {
                const Edge *edge = &model.edges[node->first + k];
                if (edge->from == moves[n].from && edge->to == moves[n].key)
                    moves[n].frequency += (u32)((count_of_code(edge->code) << 20) / t);
            }
            total += moves[n].frequency;
        }
    }
    return (u32)total;
}

/* ---- Packed games -------------------------------------------------------------------------------------------------- */

typedef struct {
    u64 range, code, unit;
    Bytes bytes;
    u64 shifted;
} Coder;

static u8 coded_byte(const Coder *coder, u64 place) {
    return place < left(coder->bytes) ? coder->bytes.at[(size_t)place] : 0;
}

static u32 find_share(Coder *coder, u32 total) {
    u64 share;
    coder->unit = coder->range / total;
    share = coder->code / coder->unit;
    return share < total - 1 ? (u32)share : total - 1;
}

static void use_share(Coder *coder, u32 from, u32 frequency) {
    coder->code -= coder->unit * from;
    coder->range = coder->unit * frequency;
    while (coder->range < BIT(56)) {
        coder->range <<= 8;
        coder->code = coder->code << 8 | coded_byte(coder, coder->shifted + 8);
        if (++coder->shifted > left(coder->bytes)) refuse("packed moves need more bytes than there are");
    }
}

/* The symbol from the frequencies; `count` if the value is beyond all shares. */
static u32 read_symbol(Coder *coder, const u32 *frequencies, u32 count, u32 total) {
    u32 share = find_share(coder, total), from = 0, symbol;
    for (symbol = 0; symbol < count; symbol++) {
        if (share < from + frequencies[symbol]) {
            use_share(coder, from, frequencies[symbol]);
            return symbol;
        }
        from += frequencies[symbol];
    }
    return count;
}

/* A symbol whose frequencies learn. */
static u32 read_learning(Coder *coder, u32 *frequencies, u32 count) {
    u32 total = 0, symbol, i;
    for (i = 0; i < count; i++) total += frequencies[i];
    symbol = read_symbol(coder, frequencies, count, total);
    frequencies[symbol] += 16;
    if (total + 16 > 2048)
        for (i = 0; i < count; i++) frequencies[i] -= frequencies[i] >> 1;
    return symbol;
}

static i64 slack_of(const Coder *coder) {
    return 8 * ((i64)left(coder->bytes) - (i64)coder->shifted) - (63 - highest(coder->range));
}

/* Checks that the last bytes of the game are the writer's. */
static void check_end(const Coder *coder) {
    u64 low = 0;
    int b;
    if (slack_of(coder) > 23) refuse("bytes follow packed moves");
    for (b = 0; b < 8; b++) low = low << 8 | coded_byte(coder, coder->shifted + (u64)b);
    low -= coder->code;
    for (b = 0; b <= 8; b++) {
        u64 up = b == 8 ? 0 : ((u64)0 - low) & (ALL >> (8 * b));
        if (up < coder->range) {
            if (coder->code != up) break;
            return;
        }
    }
    refuse("packed moves end in other bytes than a writer's");
}

/* Whether the game is over, read only if the slack permits an end. */
static int read_over(Coder *coder, const Line *line, unsigned result) {
    i64 slack = slack_of(coder), column = slack + 8 < 0 ? 0 : slack + 8 > 31 ? 31 : slack + 8;
    const Position *p = &line->position;
    unsigned context = 8 * result;
    u32 yes[2];
    if (slack > 23) return 0;
    if (result == 1 || result == 2) {
        int winner = result == 2 ? 0 : 1, ahead = material(p->pieces[winner], 1) - material(p->pieces[1 - winner], 1);
        if (p->turn == winner) context += 4;
        context += ahead <= 0 ? 0 : ahead <= 2 ? 1 : ahead <= 5 ? 2 : 3;
    } else {
        if (line->last.is && line->before.is && line->last.to == line->before.from && line->last.from == line->before.to)
            context += 1;
        if (material(p->pieces[0], 1) + material(p->pieces[1], 1) < 24) context += 2;
    }
    yes[0] = model.ends[context * 32 + (unsigned)column];
    if (yes[0] == 0) yes[0] = 1;
    yes[1] = 65536 - yes[0];
    return read_symbol(coder, yes, 2, 65536) == 0;
}

/* The lowest free label of a role for the side to move, or NO_LABEL. */
static unsigned free_label(const Position *p, int role) {
    unsigned label;
    for (label = 0; label < 4; label++)
        if (find_label(p, role, label) < 0) return label;
    return NO_LABEL;
}

static unsigned prefix_byte(int role, unsigned label) {
    static const u8 bytes[6] = {0, 0x41, 0x81, 0x80, 0x40, 0};
    return bytes[role] | label << 1;
}

static int direction_of(int by_files, int by_ranks, const int *all_files, const int *all_ranks) {
    int d = 0;
    while (d < 7 && (all_files[d] != by_files || all_ranks[d] != by_ranks)) d++;
    return d;
}

/* Writes the canonical bytes of a legal move (section 8), and makes it. */
static void write_move(Buffer *stream, Position *p, const Move *m) {
    int flip = p->turn == 0 ? 0 : 56, from = m->from ^ flip, to = m->to ^ flip;
    int by_files = (to & 7) - (from & 7), by_ranks = (to >> 3) - (from >> 3);
    int distance = abs(by_files) > abs(by_ranks) ? abs(by_files) : abs(by_ranks);
    unsigned label = p->label[from], promoted = m->promotion != 0 ? free_label(p, m->promotion) : 0, d, n;
    if (m->castling != 0) {
        add_byte(stream, m->castling == 1 ? 4 : 5);
        if (!castle(p, m->castling - 1)) refuse("packed moves castle against the rules");
        return;
    }
    if (label == NO_LABEL || promoted == NO_LABEL) {
        unsigned word = (unsigned)(from << 10 | to << 4 | m->promotion << 1);
        add_byte(stream, 0xC0);
        add_byte(stream, word >> 8);
        add_byte(stream, word & 0xFF);
        promoted = NO_LABEL;
    } else if (m->role == PAWN) {
        unsigned way = by_files == 0 ? (distance == 2) : (by_files > 0) == (p->turn == 0) ? 2 : 3;
        if (m->promotion != 0) add_byte(stream, prefix_byte(m->promotion, promoted));
        add_byte(stream, 0x20 | way << 3 | label);
    } else if (m->role == KNIGHT) {
        d = (unsigned)direction_of(by_files, by_ranks, knight_files, knight_ranks);
        if (label > 1) add_byte(stream, prefix_byte(KNIGHT, label));
        add_byte(stream, 0x10 | (label > 1 ? 0 : label) << 3 | d);
    } else {
        d = (unsigned)direction_of(by_files / distance, by_ranks / distance, files, ranks);
        n = (unsigned)distance << 3;
        if (label > (m->role == QUEEN ? 0 : 1)) {
            add_byte(stream, prefix_byte(m->role, label));
            label = 0;
        }
        if (m->role == KING) add_byte(stream, 0x08 | d);
        else if (m->role == QUEEN) add_byte(stream, 0x40 | n | d);
        else add_byte(stream, 0x80 | label << 6 | n | (d >> 1) << 1 | (m->role == BISHOP));
    }
    if (!play(p, from, to, m->promotion, promoted)) refuse("packed moves are against the rules");
}

/* Reads a move and makes it. */
static void unpack_move(Coder *coder, Line *line, const View *v, Move *moves, int count, Buffer *stream) {
    u32 total = weigh_moves(line, v, moves, count), share = find_share(coder, total), from = 0, gap;
    i32 best = moves[0].score, *surprise = &line->surprise[line->position.turn];
    Last played;
    int n, chosen = 0, k;
    for (n = 1; n < count; n++)
        if (moves[n].score > best) best = moves[n].score;
    while (share - from >= moves[chosen].frequency) from += moves[chosen++].frequency;
    use_share(coder, from, moves[chosen].frequency);
    gap = gap_of(best, moves[chosen].score);
    *surprise += floor_shift((i32)(gap < 2560 ? gap : 2560) - *surprise, 4);
    if (line->in_book) {
        const Node *node = &model.nodes[line->node];
        line->in_book = 0;
        for (k = 0; k < node->edges; k++) {
            const Edge *edge = &model.edges[node->first + (u32)k];
            if (edge->from == moves[chosen].from && edge->to == moves[chosen].key && edge->node != 0) {
                line->node = edge->node;
                line->in_book = 1;
            }
        }
    }
    played.is = 1;
    played.role = moves[chosen].role;
    played.from = moves[chosen].from ^ v->flip;
    played.to = moves[chosen].to ^ v->flip;
    played.capture = moves[chosen].victim != 0;
    write_move(stream, &line->position, &moves[chosen]);
    line->before = line->own;
    line->own = line->last;
    line->last = played;
    line->plies++;
}

enum { T_MOVE, T_TEXT, T_NAG, T_GOOD, T_BAD, T_OPEN, T_CLOSE, T_NULL };

typedef struct {
    Line now, before;
    int moved;
} PackedLevel;

/* Gives the plain stream of packed moves. */
static void unpack(Bytes packed, const Position *start, Buffer *stream) {
    static PackedLevel levels[101];
    PackedLevel *level = levels;
    Move moves[255];
    Coder coder;
    View view;
    u32 kind, tokens[8][4][8], nags[256], before = T_CLOSE, adornments = 0, i, k;
    unsigned result;
    int rich, count;
    stream->length = 0;
    if (packed.at < packed.end && *packed.at == 0xFF) {
        add(stream, packed.at + 1, left(packed) - 1);
        return;
    }
    load_model();
    if (count_bits(start->pieces[0][KING]) != 1 || count_bits(start->pieces[1][KING]) != 1)
        refuse("packed moves need one king a side");
    coder.range = ALL;
    coder.bytes = packed;
    coder.shifted = coder.code = 0;
    for (i = 0; i < 8; i++) coder.code = coder.code << 8 | coded_byte(&coder, i);
    kind = read_symbol(&coder, model.kinds, 8, 65536);
    if (kind == 8) refuse("a packed game is of an unknown kind");
    result = kind & 3;
    rich = kind >= 4;
    for (i = 0; i < 32; i++) {
        static const u32 after[3][8] = {{24, 3, 2, 1, 1, 1, 1, 1}, {24, 6, 1, 1, 1, 1, 1, 1}, {24, 4, 2, 1, 1, 2, 2, 1}};
        memcpy(tokens[i / 4][i % 4], after[i / 4 == T_MOVE ? 0 : i / 4 == T_OPEN ? 1 : 2], sizeof after[0]);
    }
    for (i = 0; i < 256; i++) nags[i] = i >= 1 && i <= 6 ? 16 : i >= 10 && i <= 19 ? 8 : 1;
    memset(level, 0, sizeof *level);
    level->now.position = *start;
    level->now.in_book = is_standard(start) && model.node_count > 0;
    level->now.surprise[0] = level->now.surprise[1] = 260;
    for (;;) {
        u32 token = T_MOVE;
        if (stream->length > 65536) refuse("packed moves give more than 65,536 bytes");
        look(&view, &level->now.position);
        if (rich) {
            if (level == levels && read_over(&coder, &level->now, result)) break;
            token = read_learning(&coder, tokens[before][adornments], 8);
            before = token;
            adornments = token == T_MOVE || token == T_NULL ? adornments << 1 & 3 : adornments | 1;
            k = token == T_NAG ? read_learning(&coder, nags, 256) : 0;
        }
        switch (token) {
        case T_MOVE:
            count = list_moves(&view, moves);
            if (!rich && (count == 0 || read_over(&coder, &level->now, result))) goto over;
            if (count == 0) refuse("packed moves name no legal move");
            if (rich) level->before = level->now;
            level->moved = 1;
            unpack_move(&coder, &level->now, &view, moves, count, stream);
            break;
        case T_TEXT: add_byte(stream, 0x00); break;
        case T_NAG:
            add_byte(stream, 0xC2);
            add_byte(stream, k);
            break;
        case T_GOOD: add_byte(stream, 0x07); break;
        case T_BAD: add_byte(stream, 0x06); break;
        case T_OPEN:
            if (!level->moved) refuse("a packed variation replaces no move");
            if (level - levels == 100) refuse("packed variations are deeper than 100");
            level[1].now = level->before;
            level[1].moved = 0;
            level++;
            add_byte(stream, 0xC3);
            break;
        case T_CLOSE:
            if (level == levels) refuse("a packed variation ends that has not begun");
            level--;
            add_byte(stream, 0xC4);
            break;
        default:
            level->before = level->now;
            level->moved = 1;
            pass_turn(&level->now.position);
            level->now.before = level->now.own;
            level->now.own = level->now.last;
            level->now.last.is = 0;
            level->now.in_book = 0;
            level->now.plies++;
            add_byte(stream, 0xC1);
        }
    }
over:
    check_end(&coder);
    if (result != 0) add_byte(stream, result);
}

/* ---- Adaptive numbers (section 11) --------------------------------------------------------------------------------- */

typedef struct {
    u32 range, code;
    Bytes bytes;
} Range;

/* An estimate: the tails 0 to 14, and one more than its count of symbols, or 0 if it is unused. */
typedef struct {
    u16 tails[16];
} Estimate;

#define CONTEXTS 576
typedef struct {
    Estimate *sizes[2][2]; /* of nodes 0 and 1, by the two contexts of the size */
    Estimate *others; /* of nodes 2 to 17 */
} Adaptive;

static u8 range_byte(Range *range) {
    return range->bytes.at < range->bytes.end ? *range->bytes.at++ : 0;
}

static void start_range(Range *range, Bytes bytes) {
    int i;
    range->range = 0xFFFFFFFFu;
    range->code = 0;
    range->bytes = bytes;
    for (i = 0; i < 4; i++) range->code = range->code << 8 | range_byte(range);
    if (range->code == range->range) range->code--;
}

static void fill_range(Range *range) {
    while (range->range < 1u << 24) {
        range->range <<= 8;
        range->code = range->code << 8 | range_byte(range);
    }
}

static void make_adaptive(Pool *pool, Adaptive *model_of) {
    int i;
    for (i = 0; i < 4; i++) model_of->sizes[i / 2][i % 2] = take(pool, CONTEXTS, sizeof(Estimate));
    model_of->others = take(pool, 16 * CONTEXTS, sizeof(Estimate));
}

static void prepare(Estimate *estimate, int node) {
    u32 i, a = node == 2 ? 2 : node == 3 ? 4 : node == 4 ? 8 : 16;
    if (estimate->tails[15] != 0) return;
    for (i = 0; i < 15; i++) {
        if (node == 0) estimate->tails[i] = (u16)(16 * (15 - i) * (15 - i) * (15 - i));
        else estimate->tails[i] = (u16)(i < a ? 65535 * (a - 1 - i) / a : 0);
    }
    estimate->tails[15] = 1;
}

static void learn(Estimate *estimate, u32 symbol) {
    u32 k = estimate->tails[15] - 1u, w = 131072 / (2 * k + 5), i;
    for (i = 0; i < 15; i++) {
        u32 t = estimate->tails[i];
        estimate->tails[i] = (u16)(i >= symbol ? t - (t * w >> 16) : t + ((65535 - t) * w >> 16));
    }
    if (k < 255) estimate->tails[15]++;
}

/* The second estimate is NULL for nodes with one estimate. */
static u32 read_coded(Range *range, Estimate *first, Estimate *second, int node) {
    u32 q = range->range >> 16, symbol, high = 0, low = 0;
    prepare(first, node);
    if (second != NULL) prepare(second, node);
    for (symbol = 0;; symbol++) {
        u32 m = symbol == 15 ? 0 : first->tails[symbol];
        if (second != NULL && symbol < 15) m = (m + second->tails[symbol] + 1) >> 1;
        high = range->range - ((65472 * m >> 16) + 4 * (15 - symbol)) * q;
        if (range->code < high || symbol == 15) break;
        low = high;
    }
    range->code -= low;
    range->range = high - low;
    fill_range(range);
    learn(first, symbol);
    if (second != NULL) learn(second, symbol);
    return symbol;
}

static u32 read_bits(Range *range, int n) {
    u32 q = range->range >> n, b = range->code / q, last = (1u << n) - 1;
    if (b > last) b = last;
    range->code -= b * q;
    range->range = b == last ? range->range - b * q : q;
    fill_range(range);
    return b;
}

static u64 read_adaptive(Adaptive *model_of, Range *range, u64 context1, u64 context2, u64 top_context) {
    size_t c1 = (size_t)(context1 < 575 ? context1 : 575), c2 = (size_t)(context2 < 575 ? context2 : 575);
    size_t t = (size_t)(top_context < 575 ? top_context : 575);
    u32 size = read_coded(range, &model_of->sizes[0][0][c1], &model_of->sizes[0][1][c2], 0), last = size, top;
    int learnt, rest, node;
    u64 value;
    while (last == 15 && size < 64) {
        last = read_coded(range, &model_of->sizes[1][0][c1], &model_of->sizes[1][1][c2], 1);
        size = size + last < 64 ? size + last : 64;
    }
    if (size == 0) return 0;
    learnt = size > 3 ? 3 : (int)size - 1;
    node = 2 + (size > 16 ? 15 : (int)size - 1);
    top = read_coded(range, &model_of->others[(size_t)(node - 2) * CONTEXTS + t], NULL, node);
    value = ((u64)1 << learnt) + (top >> 1);
    for (rest = (int)size - 1 - learnt; rest > 0;) {
        int n = rest < 16 ? rest : 16;
        value = (value << n) + read_bits(range, n);
        rest -= n;
    }
    return (top & 1) != 0 ? (u64)0 - value : value;
}

static u64 magnitude(u64 value) {
    return value >> 63 != 0 ? (u64)0 - value : value;
}

static u64 folded(u64 value) {
    return value >> 63 != 0 ? (u64)0 - 2 * value - 1 : 2 * value;
}

static u64 size_of(u64 value) {
    u64 size = 0;
    for (value = magnitude(value); value != 0; value >>= 1) size++;
    return size;
}

static u64 level_of(u64 value) {
    u64 h, level;
    if (value < 5) return value;
    h = size_of(value & (ALL >> 1)) - 1;
    if (value >> 63 != 0) h = 63;
    level = 2 * h + 1 + (value >> (h - 1) & 1);
    return level < 23 ? level : 23;
}

enum { PLAIN, CLOCK, TIME, EVALUATION };

/* The numbers of games, `counts` of them for each game, as two's complement in `values`. */
static void read_numbers(int kind, Bytes bytes, const u64 *counts, size_t games, u64 *values) {
    Adaptive steps, increments;
    Range range;
    u64 first_before = 0, increment = 0, s[4] = {0};
    size_t game;
    start_range(&range, bytes);
    make_adaptive(&scratch, &steps);
    make_adaptive(&scratch, &increments);
    for (game = 0; game < games; game++) {
        u64 v1 = 0, v2 = 0, first = 0, mean[2] = {0, 0}, n;
        if (kind != PLAIN) memset(s, 0, sizeof s);
        for (n = 0; n < counts[game]; n++) {
            u64 expected = 0, c1, c2, step_of, counted, value;
            size_t side = (size_t)(n % 2);
            if (kind == CLOCK) expected = n == 0 ? first_before : n == 1 ? v1 : v2 + increment;
            if (kind == EVALUATION) expected = v1;
            if (kind == PLAIN) {
                c1 = level_of(folded(s[0]));
                c2 = 24 * level_of(folded(s[1])) + c1;
            } else if (kind == EVALUATION) {
                c1 = 2 * level_of(folded(s[0])) + n % 2;
                c2 = 4 * level_of(magnitude(v1)) + (v1 != 0 && v1 >> 63 == 0 ? 2 : 0) + n % 2;
            } else {
                u64 limit = (u64)1 << 32, e = expected >> 63 != 0 ? 0 : expected < limit ? expected : limit;
                u64 c = n == 0 ? e : first >> 63 != 0 ? 0 : first < limit ? first : limit;
                c1 = 24 * level_of(s[0] + 2 * s[1] + s[3]) + level_of(32 * e / (c == 0 ? 1 : c));
                c2 = 24 * level_of(mean[side]) + (size_of(e) < 23 ? size_of(e) : 23);
            }
            step_of = read_adaptive(&steps, &range, c1, c2, 0);
            value = kind == CLOCK ? expected - step_of : expected + step_of;
            counted = step_of;
            if (kind == CLOCK || kind == TIME) {
                counted = magnitude(step_of) < (1 << 20) ? magnitude(step_of) : 1 << 20;
                if (kind == CLOCK && n == 0) counted = 0;
                mean[side] = n < 4 ? 8 * counted : (3 * mean[side] + 8 * counted) >> 2;
            }
            memmove(s + 1, s, 3 * sizeof *s);
            s[0] = counted;
            if (n == 0) first = value;
            if (kind == CLOCK && n == 0) {
                u64 m = magnitude(value), l = level_of(magnitude(increment));
                increment += read_adaptive(&increments, &range, 24 * level_of(m) + l, m % 575, 0);
                first_before = value;
            }
            v2 = v1;
            v1 = value;
            *values++ = value;
        }
    }
}

/* ---- Tags blocks (section 9) --------------------------------------------------------------------------------------- */

static const char *const tag_names[48] = {
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "ECO", "Opening", "Variation",
    "SubVariation", "TimeControl", "Termination", "UTCDate", "UTCTime", "WhiteRatingDiff", "BlackRatingDiff",
    "WhiteTitle", "BlackTitle", "FEN", "SetUp", "Variant", "EventDate", "Annotator", "PlyCount", "Time", "Mode",
    "WhiteFideId", "BlackFideId", "WhiteTeam", "BlackTeam", "WhiteUSCF", "BlackUSCF", "WhiteNA", "BlackNA", "WhiteType",
    "BlackType", "EventSponsor", "Section", "Stage", "Board", "NIC", "Source", "SourceDate", "WhiteClock", "BlackClock"};

enum { C_TEXT, C_STRING, C_NUMBER, C_SIGNED, C_DATE, C_TIME, C_LETTERS };
#define PREDICTED 255

typedef struct {
    Bytes name, prefix;
    unsigned codec, width;
    int is_key, skippable;
    u64 count, decoded; /* its values; the count of decoded numbers */
    u64 *numbers; /* without differences */
    Bytes *texts;
    u64 cursor, first; /* the values of earlier games; the first value of the current game */
    u64 game; /* one more than the last game that has the tag */
    u32 prediction; /* the prediction's number, in a predicted column */
} Column;

typedef struct {
    u64 column, memory;
    unsigned change;
    u64 key, guess, own, opponent, result, opposite; /* references: 1 more than a column, or 0 */
    u64 last;
    Adaptive model_of;
} Prediction;

typedef struct {
    u64 games, schemas, column_count;
    u64 next; /* the game at the cursors of the columns */
    u64 *starts, *columns_of; /* the columns of schema s are columns_of[starts[s]] to columns_of[starts[s + 1] - 1] */
    u64 *schema; /* of each game */
    Column *columns;
} Tags;

/* A memory's entry for a key; a slot is free if `used` is 0. */
typedef struct {
    u64 memory, number, value;
    Bytes text;
    unsigned used, met, faults;
} Memory;

static Memory *memories;
static u64 memory_mask, memory_seed;

/* The slot of a key: a nonzero number, or a text. */
static Memory *find_memory(u64 memory, u64 key, Bytes text) {
    u64 hash = (memory_seed ^ memory) * 0x9E3779B97F4A7C15u ^ key;
    const u8 *at;
    for (at = text.at; at < text.end; at++) hash = (hash ^ *at) * 0x100000001B3u;
    hash *= 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
    for (;; hash++) {
        Memory *slot = &memories[(size_t)(hash & memory_mask)];
        if (!slot->used || (slot->memory == memory && slot->number == key && left(slot->text) == left(text) &&
                            memcmp(slot->text.at, text.at, left(text)) == 0))
            return slot;
    }
}

static void check_number(const Column *column, u64 value, u64 strings) {
    static const u64 letters = 218340105584896u; /* 62^8 */
    int good = 1;
    if (value == 0) return;
    value--;
    switch (column->codec) {
    case C_STRING: good = value < strings; break;
    case C_NUMBER: good = value >> 32 == 0; break;
    case C_SIGNED: good = value >> 32 == 0; break;
    case C_DATE: good = value < (u64)13 * 10000 * 32; break;
    case C_TIME: good = value < 86400; break;
    case C_LETTERS: good = value < letters; break;
    }
    if (!good) refuse("a tag has a number that its codec does not have");
}

/* The column's number known in the game, or 0. */
static u64 known(const Tags *tags, u64 reference, u64 game) {
    const Column *column;
    if (reference == 0) return 0;
    column = &tags->columns[reference - 1];
    if (column->game != game + 1 || column->first >= column->decoded) return 0;
    return column->codec == C_TEXT ? 0 : column->numbers[column->first];
}

/* The value of a change, from its number. */
static u64 change_of(u64 value) {
    if (value == 0) return 0;
    value--;
    return (value & 1) == 0 ? value / 2 + 1 : (u64)0 - value / 2 - 1;
}

static u64 number_of_change(u64 change) {
    if (change == 0) return 0;
    return change >> 63 == 0 ? 2 * (change - 1) + 1 : 2 * ((u64)0 - change - 1) + 2;
}

static void predict(Tags *tags, Prediction *predictions, const Prediction *p, Range *range, u64 game, u64 strings) {
    Column *column = &tags->columns[p->column], *own;
    Prediction *mine = &predictions[p - predictions];
    Memory *slot = NULL;
    u64 key = 0, number_read, value, step_of;
    Bytes text = bytes_of("", 0);
    if (p->key != 0) {
        Column *of_key = &tags->columns[p->key - 1];
        key = known(tags, p->key, game);
        if (of_key->game == game + 1 && (of_key->width != PREDICTED || of_key->first < of_key->decoded)) {
            if (key == 0 && of_key->width != PREDICTED) text = of_key->texts[of_key->first];
            slot = find_memory(p->memory, key, text);
        }
    }
    if (!p->change) {
        u64 expected, capped;
        int has = slot != NULL && slot->used;
        if (has) expected = slot->value;
        else if (p->guess != 0 && tags->columns[p->guess - 1].game == game + 1 &&
                 tags->columns[p->guess - 1].first < tags->columns[p->guess - 1].decoded)
            expected = known(tags, p->guess, game);
        else expected = p->last;
        capped = expected >> 63 != 0 ? 0 : expected < 4999 ? expected : 4999;
        step_of = has ? 1 + 4 * slot->met + slot->faults : 0;
        step_of = read_adaptive(&mine->model_of, range, step_of, (has ? 50 : 0) + capped / 100, step_of);
        value = number_read = expected + step_of;
        mine->last = value;
        if (slot != NULL) {
            slot->faults = step_of != 0 ? (slot->faults < 3 ? slot->faults + 1 : 3) : slot->faults > 0 ? slot->faults - 1 : 0;
            if (slot->met < 7) slot->met++;
        }
    } else {
        u64 r = known(tags, p->result, game) % 8, m = slot != NULL && slot->used ? level_of(magnitude(slot->value)) : 0;
        u64 has = slot != NULL && slot->used, expected = (u64)0 - change_of(known(tags, p->opposite, game));
        i64 own_rating = (i64)known(tags, p->own, game), opponents = (i64)known(tags, p->opponent, game);
        i64 e = own_rating - opponents;
        u64 context;
        e = (e < -599 ? -599 : e > 599 ? 599 : e) / 25 + 24;
        context = 49 * r + (u64)e;
        step_of = read_adaptive(&mine->model_of, range, context, 288 * has + 24 * r + m, context);
        value = expected + step_of;
        if (magnitude(value) > (u64)1 << 31) refuse("a tag has a number that its codec does not have");
        number_read = number_of_change(value);
    }
    if (number_read > LARGEST) refuse("a tag has a number that its codec does not have");
    check_number(column, number_read, strings);
    if (slot != NULL) {
        slot->used = 1;
        slot->memory = p->memory;
        slot->number = key;
        slot->text = text;
        slot->value = value;
        own = p->change && p->own != 0 ? &tags->columns[p->own - 1] : NULL;
        if (own != NULL && own->width == PREDICTED && value != 0) {
            Memory *rating = find_memory(predictions[own->prediction].memory, key, text);
            if (rating->used) rating->value += value >> 63 == 0 ? value - 1 : value + 1;
        }
    }
    column->numbers[column->decoded++] = number_read;
}

/* Sets the columns' cursors to the first values of a game. */
static void enter_game(Tags *tags, u64 game) {
    u64 i, s = tags->schema[game];
    for (i = tags->starts[s]; i < tags->starts[s + 1]; i++) {
        Column *column = &tags->columns[tags->columns_of[i]];
        if (column->game != game + 1) {
            column->game = game + 1;
            column->first = column->cursor;
        }
        column->cursor++;
    }
}

static void leave_games(Tags *tags) {
    u64 i;
    for (i = 0; i < tags->column_count; i++) tags->columns[i].cursor = tags->columns[i].game = 0;
}

/* Whether a value is kept as text. */
static int is_text(const Column *column, u64 i) {
    return column->codec == C_TEXT || column->numbers[i] == 0;
}

/* The texts of one column after the other: first all lengths, then all bytes. */
static void read_texts(Bytes *from, Column **columns, u64 count, Budget *budget) {
    u64 c, i;
    Bytes lengths = *from;
    for (c = 0; c < count; c++)
        for (i = 0; i < columns[c]->count; i++)
            if (is_text(columns[c], i)) {
                spend(budget, 16);
                number(from);
            }
    for (c = 0; c < count; c++)
        for (i = 0; i < columns[c]->count; i++)
            if (is_text(columns[c], i)) columns[c]->texts[i] = next_bytes(from, number(&lengths));
}

static void undo_differences(Column *column) {
    u64 before = 0, i;
    for (i = 0; i < column->count; i++) {
        u64 v = column->numbers[i];
        if (v == 0) continue;
        v--;
        if (column->codec == C_DATE) before += (v & 1) == 0 ? v / 2 : (u64)0 - v / 2 - 1;
        else if (v < 86400) before = (before + v) % 86400;
        else before = v; /* which is refused */
        column->numbers[i] = before + 1;
        if (before + 1 == 0) column->numbers[i] = ALL;
    }
}

static u64 reference(Bytes *from, u64 columns) {
    u64 value = number(from);
    if (value > columns) refuse("a prediction refers to a column that there is not");
    return value;
}

/* Reads the payload of a tags block into memory of `scratch`. `strings` is the number of dictionary strings. */
static void read_tags(Bytes payload, u64 games, u64 strings, Tags *tags) {
    Budget budget;
    u64 allowance = 4096 * (games < 4096 ? games : 4096) + 262144, s, c, i, g, columns, count = 0, capacity = 0, values = 0;
    u64 predictions, plain = 0;
    Prediction *prediction;
    Column **order;
    Bytes raw;
    unsigned width;
    budget.units = 64 * (u64)left(payload) + 64 * games + (allowance < 8388608 ? allowance : 8388608);
    raw = expand(payload, &budget, &scratch);
    spend(&budget, 40 * games);
    tags->games = games;
    tags->next = 0;
    tags->schemas = number(&raw);
    if (tags->schemas > left(raw)) refuse("a part ends too early");
    spend(&budget, 24 * tags->schemas);
    tags->starts = take(&scratch, tags->schemas + 1, sizeof(u64));
    capacity = left(raw);
    tags->columns_of = take(&scratch, capacity, sizeof(u64));
    for (s = 0; s < tags->schemas; s++) {
        u64 k = number(&raw);
        tags->starts[s] = count;
        if (k > left(raw)) refuse("a part ends too early");
        spend(&budget, 8 * k);
        for (i = 0; i < k; i++) tags->columns_of[count++] = number(&raw);
    }
    tags->starts[s] = count;
    columns = tags->column_count = number(&raw);
    if (columns > left(raw)) refuse("a part ends too early");
    spend(&budget, 192 * columns);
    for (i = 0; i < count; i++)
        if (tags->columns_of[i] >= columns) refuse("a schema has a column that there is not");
    tags->columns = take(&scratch, columns + 1, sizeof(Column));
    order = take(&scratch, columns + 1, sizeof *order);
    for (c = 0; c < columns; c++) {
        Column *column = &tags->columns[c];
        unsigned name = next_byte(&raw);
        if (name > 48) refuse("a column has an unknown name");
        column->name = name == 0 ? string(&raw) : bytes_of(tag_names[name - 1], strlen(tag_names[name - 1]));
        column->codec = next_byte(&raw);
        column->skippable = column->codec >= 128;
        if (column->codec > C_LETTERS && !column->skippable) refuse("a column has an unknown codec");
        column->prefix = column->codec >= C_LETTERS ? string(&raw) : bytes_of("", 0);
        column->width = column->skippable ? 0 : next_byte(&raw);
        if (column->width == PREDICTED && column->codec == C_TEXT) refuse("a column of texts is predicted");
    }
    predictions = number(&raw);
    if (predictions > 64) refuse("there are more than 64 predictions");
    spend(&budget, 4096 * predictions);
    prediction = take(&scratch, predictions + 1, sizeof *prediction);
    for (i = 0; i < predictions; i++) {
        Prediction *p = &prediction[i];
        p->column = number(&raw);
        if (p->column >= columns || tags->columns[p->column].width != PREDICTED)
            refuse("a prediction is of a column that is not predicted");
        for (c = 0; c < i; c++)
            if (prediction[c].column == p->column) refuse("a column has two predictions");
        tags->columns[p->column].prediction = (u32)i;
        p->memory = number(&raw);
        p->key = reference(&raw, columns);
        if (p->key != 0) tags->columns[p->key - 1].is_key = 1;
        p->change = next_byte(&raw);
        if (p->change > 1) refuse("a prediction is of an unknown kind");
        if (p->change) {
            p->own = reference(&raw, columns);
            p->opponent = reference(&raw, columns);
            p->result = reference(&raw, columns);
            p->opposite = reference(&raw, columns);
        } else {
            p->guess = reference(&raw, columns);
        }
    }
    for (c = 0; c < columns; c++)
        if (tags->columns[c].width == PREDICTED) predictions--;
    if (predictions != 0) refuse("a predicted column has no prediction");
    tags->schema = take(&scratch, games + 1, sizeof(u64));
    width = next_byte(&raw);
    planes(&raw, width, games, tags->schema);
    for (g = 0; g < games; g++) {
        s = tags->schema[g];
        if (s >= tags->schemas) refuse("a game has a schema that there is not");
        for (i = tags->starts[s]; i < tags->starts[s + 1]; i++) {
            Column *column = &tags->columns[tags->columns_of[i]];
            u64 cost = 32 + left(column->name) + left(column->prefix) + (column->codec == C_STRING ? 128 : 0);
            spend(&budget, cost + (column->is_key ? 64 : 0) + (column->width == PREDICTED ? 128 : 0));
            if (column->skippable) refuse("a game has a tag in a skippable column");
            column->count++;
            if (column->width == PREDICTED) values++;
        }
    }
    for (c = 0; c < columns; c++) {
        Column *column = &tags->columns[c];
        column->numbers = take(&scratch, column->count + 1, sizeof(u64));
        column->texts = take(&scratch, column->count + 1, sizeof(Bytes));
        if (column->width == PREDICTED) continue;
        order[plain++] = column;
        column->decoded = column->count;
        if (column->codec == C_TEXT) continue;
        planes(&raw, column->width, column->count, column->numbers);
        if (column->codec == C_DATE || column->codec == C_TIME) undo_differences(column);
        for (i = 0; i < column->count; i++) check_number(column, column->numbers[i], strings);
    }
    read_texts(&raw, order, plain, &budget);
    predictions = columns - plain;
    if (predictions > 0) {
        Range range;
        start_range(&range, string(&raw));
        for (memory_mask = 15; memory_mask < 2 * values; memory_mask = 2 * memory_mask + 1) {
        }
        memories = take(&scratch, memory_mask + 1, sizeof(Memory));
        for (i = 0; i < predictions; i++) {
            make_adaptive(&scratch, &prediction[i].model_of);
            order[i] = &tags->columns[prediction[i].column];
        }
        for (g = 0; g < games; g++) {
            enter_game(tags, g);
            for (i = 0; i < predictions; i++)
                while (order[i]->decoded < order[i]->cursor) predict(tags, prediction, &prediction[i], &range, g, strings);
        }
        leave_games(tags);
        read_texts(&raw, order, predictions, &budget);
    }
    finish(raw);
}

static void date_part(Buffer *to, u64 value, int digits, int unknown) {
    char text[24];
    if (unknown) memset(text, '?', sizeof text);
    else snprintf(text, sizeof text, "%0*" PRIu64, digits, value);
    add(to, text, (size_t)digits);
}

/* Appends a value that is neither a text nor a string of the dictionary. */
static void add_value(Buffer *to, const Column *column, u64 number_of) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    char text[32];
    u64 v = number_of - 1;
    int i;
    switch (column->codec) {
    case C_NUMBER: snprintf(text, sizeof text, "%" PRIu64, v); break;
    case C_SIGNED: snprintf(text, sizeof text, "%c%" PRIu64, (v & 1) == 0 ? '+' : '-', v / 2); break;
    case C_DATE:
        date_part(to, v / 416, 4, v / 416 == 0);
        add_byte(to, '.');
        date_part(to, v / 32 % 13, 2, v / 32 % 13 == 0);
        add_byte(to, '.');
        date_part(to, v % 32, 2, v % 32 == 0);
        return;
    case C_TIME:
        snprintf(text, sizeof text, "%02u:%02u:%02u", (unsigned)(v / 3600), (unsigned)(v / 60 % 60), (unsigned)(v % 60));
        break;
    default:
        add(to, column->prefix.at, left(column->prefix));
        for (i = 7; i >= 0; i--, v /= 62) text[i] = digits[v % 62];
        text[8] = 0;
    }
    add(to, text, strlen(text));
}

/* ---- Deletions, commits (sections 15, 16) -------------------------------------------------------------------------- */

typedef void (*RunSeen)(void *context, u64 first, u64 last);

static void read_runs(Bytes payload, u64 games, RunSeen seen, void *context) {
    Budget budget;
    u64 next = 1; /* the first possible game of the run */
    Bytes raw;
    budget.units = 64 * (u64)left(payload) + 262144;
    raw = expand(payload, &budget, &scratch);
    while (raw.at < raw.end) {
        u64 between = number(&raw), more = number(&raw), first, last;
        spend(&budget, 16);
        first = next + between + (next > 1);
        last = first + more;
        if (last > games) refuse("a run of games goes beyond the last game");
        seen(context, first, last);
        next = last + 1;
    }
}

/* The strings of a dictionary block, in memory of `pool`. */
static Bytes *read_dictionary(Bytes payload, u64 count, Pool *pool) {
    Budget budget;
    Bytes raw, lengths, *strings;
    u64 i;
    budget.units = 64 * (u64)left(payload) + 4096;
    raw = lengths = expand(payload, &budget, pool);
    if (count > left(raw)) refuse("a part ends too early");
    spend(&budget, 8 * count);
    strings = take(pool, count + 1, sizeof *strings);
    for (i = 0; i < count; i++)
        if (number(&raw) > 128) refuse("a string of the dictionary is longer than 128 bytes");
    for (i = 0; i < count; i++) strings[i] = next_bytes(&raw, number(&lengths));
    finish(raw);
    return strings;
}

/* ---- The archive (sections 4 to 6) --------------------------------------------------------------------------------- */

enum { B_MOVES = 1, B_TAGS, B_TEXTS, B_DICTIONARY, B_SOURCE, B_COMMIT, B_LAYOUT, B_DELETIONS, B_LOOSE, B_RESTORATIONS };
static const char *const kind_names[11] = {"",       "moves",  "tags",      "texts", "dictionary",  "source",
                                           "commit", "layout", "deletions", "loose", "restorations"};

#define PAGE 4096
#define HEADER 40

typedef struct {
    u64 offset, first, length;
    u32 count, checked, crc;
    u8 kind, coding, header[HEADER];
} Block;

typedef struct {
    Block moves, tags;
} Chunk;

typedef struct {
    Block block, copy;
    Bytes *strings; /* NULL until they are needed */
} Strings;

typedef struct {
    u64 sequence, end, games;
    u8 chain[16];
} State;

static struct {
    FILE *file;
    u64 size;
    u8 id[16];
    State state;
    const char *damage; /* why games may be missing, or NULL */
    Block *blocks;
    u64 block_count, block_room;
    Chunk *chunks;
    u64 chunk_count, chunk_room;
    Strings *dictionary;
    u64 dictionary_count, dictionary_room, strings;
    u64 games;
    u8 *deleted; /* a bit a game, or NULL if no game is deleted */

    /* The chunk whose moves were read last. */
    const Chunk *chunk;
    u64 *records; /* the offset of each record among the records, and the end of the last */
    const u8 *page_crcs;
    u8 *bytes, *checked;

    /* The game that was unpacked last. */
    u64 unpacked;
    Buffer stream;
} archive;

static void read_at(u64 offset, void *bytes, u64 length) {
    if (offset > archive.size || length > archive.size - offset) refuse("the archive ends too early");
    if (fseeko(archive.file, (off_t)offset, SEEK_SET) != 0 ||
        fread(bytes, 1, (size_t)length, archive.file) != (size_t)length)
        refuse("cannot read the archive");
}

/* The CRC-32 of bytes, seeded for an offset. */
static u32 seeded(u64 offset, const u8 *bytes, size_t length) {
    u8 seed[24];
    memcpy(seed, archive.id, 16);
    put_little(seed + 16, offset, 8);
    return crc32_of(crc32_of(0, seed, sizeof seed), bytes, length);
}

/* The same CRC-32, of bytes in the file. */
static u32 seeded_at(u64 offset, u64 length) {
    u8 bytes[PAGE] = {0};
    u32 crc = seeded(offset, bytes, 0);
    while (length > 0) {
        size_t some = length < PAGE ? (size_t)length : PAGE;
        read_at(offset, bytes, some);
        crc = crc32_of(crc, bytes, some);
        offset += some;
        length -= some;
    }
    return crc;
}

/* The number of games that share an entry of `starts`. */
/* Whether the coding of a moves block, and its width of lengths, are known. */
static int is_known(const Block *block) {
    return (block->coding & 15) <= 1 && block->coding >> 4 <= 2;
}

static u64 group_of(const Block *block) {
    return (block->coding & 15) == 1 ? 64 : 16;
}

static u64 model_bytes(const Block *block) {
    return (block->coding & 15) == 1 ? 8 : 0;
}

/* Reads the header of the block at an offset, which lies below `end`. */
static void read_header(u64 offset, u64 end, Block *block) {
    u8 *h = block->header;
    if (end - offset < HEADER) refuse("a block at %" PRIu64 " does not fit", offset);
    read_at(offset, h, HEADER);
    if (little(h, 4) != 0x62414742u || seeded(offset, h, 36) != little(h + 36, 4))
        refuse("the block header at %" PRIu64 " is damaged", offset);
    block->offset = offset;
    block->kind = h[4];
    block->coding = h[5];
    block->first = little(h + 8, 8);
    block->count = (u32)little(h + 16, 4);
    block->checked = (u32)little(h + 20, 4);
    block->length = little(h + 24, 8);
    block->crc = (u32)little(h + 32, 4);
    if (little(h + 6, 2) != 0 || block->length > end - offset - HEADER)
        refuse("the block header at %" PRIu64 " is damaged", offset);
    if (block->kind == B_MOVES) {
        u64 n = block->count, r = block->length - block->checked, width = block->coding >> 4, s = group_of(block);
        if (block->length < block->checked || n == 0 || block->checked / 4 < r / PAGE + (r % PAGE != 0))
            refuse("the block header at %" PRIu64 " is damaged", offset);
        if (!is_known(block)) return; /* only the games of this block need a newer program */
        if (block->checked != model_bytes(block) + 4 * ((n + s - 1) / s) + (n << width) + 4 * (r / PAGE + (r % PAGE != 0)))
            refuse("the moves block at %" PRIu64 " has other sizes than its header says", offset);
        return;
    }
    if (block->checked != block->length) refuse("the block header at %" PRIu64 " is damaged", offset);
    if (block->kind <= B_RESTORATIONS && block->kind != 0 && block->coding != 0)
        refuse("the block at %" PRIu64 " has coding %u: it needs a newer program", offset, block->coding);
    if (block->first > LARGEST) refuse("a number is beyond 2^60");
}

static u64 end_of(const Block *block) {
    return block->offset + HEADER + block->length;
}

/* The payload of a block, except of a moves block, in memory of `pool`. */
static Bytes read_payload(const Block *block, Pool *pool) {
    u8 *bytes = take(pool, block->length + 1, 1);
    read_at(block->offset + HEADER, bytes, block->length);
    if (seeded(block->offset + HEADER, bytes, (size_t)block->length) != block->crc)
        refuse("the payload of the %s block at %" PRIu64 " is damaged", kind_names[block->kind], block->offset);
    return bytes_of(bytes, (size_t)block->length);
}

/* Checks all checksums of a block's payload. */
static void check_payload(const Block *block) {
    u64 at = block->offset + HEADER, pages, offset = at + block->checked, rest = block->length - block->checked;
    u8 crc[4];
    if (seeded_at(at, block->checked) != block->crc) refuse("the payload at %" PRIu64 " is damaged", at);
    if (block->kind != B_MOVES) return;
    pages = offset - 4 * (rest / PAGE + (rest % PAGE != 0));
    for (; rest > 0; pages += 4) {
        u64 some = rest < PAGE ? rest : PAGE;
        read_at(pages, crc, 4);
        if (seeded_at(offset, some) != little(crc, 4)) refuse("the records at %" PRIu64 " are damaged", offset);
        offset += some;
        rest -= some;
    }
}

/* The content chain after a block. */
static void extend_chain(u8 chain[16], const Block *block) {
    u8 bytes[16 + HEADER], digest[32];
    memcpy(bytes, chain, 16);
    memcpy(bytes + 16, block->header, HEADER);
    sha256(bytes, sizeof bytes, digest);
    memcpy(chain, digest, 16);
}

typedef struct {
    State state; /* at the next block */
    State *found;
    int payloads; /* whether their checksums are compared */
} Walk;

/* One step of "to walk on" (section 4). */
static void walk_step(void *context) {
    Walk *walk = context;
    State *state = &walk->state;
    Block block;
    read_header(state->end, archive.size, &block);
    if (walk->payloads || block.kind == B_COMMIT) check_payload(&block);
    if (block.kind == B_MOVES) state->games += block.count;
    if (block.kind == B_COMMIT) {
        u8 payload[120];
        if (block.length < sizeof payload) refuse("a commit is too short");
        read_at(block.offset + HEADER, payload, sizeof payload);
        if (block.first != state->sequence + 1 || little(payload, 8) != state->sequence + 1 ||
            little(payload + 8, 8) != state->games || memcmp(payload + 104, state->chain, 16) != 0)
            refuse("a commit is not that of the blocks before");
        state->sequence++;
    }
    extend_chain(state->chain, &block);
    state->end = end_of(&block);
    if (block.kind == B_COMMIT) *walk->found = *state;
}

/* Walks on from a state; returns whether it found a commit, and sets `state` to the last commit found. */
static int walk_on(State *state, int payloads) {
    Walk walk;
    u64 sequence = state->sequence;
    walk.state = *state;
    walk.found = state;
    walk.payloads = payloads;
    while (walk.state.end < archive.size && attempt(walk_step, &walk)) {
    }
    return state->sequence != sequence;
}

enum { P_ZERO, P_DAMAGED, P_OLDER, P_NEWER, P_INTACT };

typedef struct {
    int status, magic;
    u8 id[16];
    u32 features;
    u64 commit; /* the offset of the last commit block */
    State state;
} HeaderPage;

static void read_page(int place, HeaderPage *page) {
    static const u8 magic[8] = {0x89, 0x42, 0x47, 0x41, 0x0D, 0x0A, 0x1A, 0x0A};
    u8 bytes[PAGE];
    int i, version;
    memset(page, 0, sizeof *page);
    page->status = P_DAMAGED;
    if (archive.size < (u64)PAGE * (u64)(place + 1)) {
        u8 start[8];
        if (archive.size >= (u64)PAGE * (u64)place + 8) {
            read_at((u64)PAGE * (u64)place, start, 8);
            page->magic = memcmp(start, magic, 8) == 0;
        }
        return;
    }
    read_at((u64)PAGE * (u64)place, bytes, PAGE);
    page->magic = memcmp(bytes, magic, 8) == 0;
    for (i = 0; i < PAGE && bytes[i] == 0; i++) {
    }
    if (i == PAGE) page->status = P_ZERO;
    if (!page->magic || little(bytes + 12, 4) != PAGE || crc32_of(0, bytes, PAGE - 4) != little(bytes + PAGE - 4, 4)) return;
    version = compare_version((unsigned)little(bytes + 8, 2));
    if (version != 0) {
        page->status = version < 0 ? P_OLDER : P_NEWER;
        return;
    }
    memcpy(page->id, bytes + 16, 16);
    page->state.sequence = little(bytes + 32, 8);
    page->state.end = little(bytes + 40, 8);
    page->state.games = little(bytes + 48, 8);
    memcpy(page->state.chain, bytes + 56, 16);
    page->commit = little(bytes + 72, 8);
    page->features = (u32)little(bytes + 80, 4);
    if (page->state.sequence <= LARGEST && page->state.end <= LARGEST && page->state.games <= LARGEST &&
        little(bytes + 72, 8) <= LARGEST && page->state.end >= 2 * PAGE && page->state.sequence % 2 == (u64)place)
        page->status = P_INTACT;
}

typedef struct {
    u64 offset;
    Block block;
} At;

static void read_header_at(void *context) {
    At *at = context;
    read_header(at->offset, archive.size, &at->block);
}

/* The table of section 4: finds the commit that counts. */
static void choose_commit(void) {
    HeaderPage pages[2];
    const HeaderPage *newest, *other;
    At last;
    int i, both, fresh;
    for (i = 0; i < 2; i++) read_page(i, &pages[i]);
    if (pages[0].status == P_NEWER || pages[1].status == P_NEWER) refuse("the archive needs a newer program");
    if (pages[0].status != P_INTACT && pages[1].status != P_INTACT) {
        if (pages[0].status == P_OLDER || pages[1].status == P_OLDER) refuse("the archive needs an older program");
        if (!pages[0].magic && !pages[1].magic) refuse("this is no archive");
        refuse("both header pages are damaged");
    }
    for (i = 0; i < 2; i++)
        if (pages[i].status == P_INTACT && (pages[i].features & ~KNOWN_FEATURES) != 0)
            refuse("the archive needs unknown features to read: %08" PRIx32, pages[i].features & ~KNOWN_FEATURES);
    both = pages[0].status == P_INTACT && pages[1].status == P_INTACT;
    if (both && memcmp(pages[0].id, pages[1].id, 16) != 0) refuse("the header pages are of different archives");
    newest = &pages[0];
    if (pages[0].status != P_INTACT || (both && pages[1].state.sequence > pages[0].state.sequence)) newest = &pages[1];
    other = newest == &pages[0] ? &pages[1] : &pages[0];
    memcpy(archive.id, newest->id, 16);
    archive.state = newest->state;
    last.offset = newest->commit;
    if (newest->state.sequence > 0 && attempt(read_header_at, &last) &&
        (last.block.kind != B_COMMIT || end_of(&last.block) != newest->state.end))
        refuse("the committed length is not the end of its commit block");
    fresh = newest->state.sequence == 0 && other->status == P_ZERO;
    if (archive.size < newest->state.end) {
        archive.damage = "the file is shorter than its committed length";
        memset(&archive.state, 0, sizeof archive.state);
        archive.state.end = 2 * PAGE;
        memcpy(archive.state.chain, archive.id, 16);
        walk_on(&archive.state, 0);
    } else if (archive.size == newest->state.end) {
        if (!both && !fresh) archive.damage = "a header page is damaged";
    } else if (!both) {
        if (!walk_on(&archive.state, 1) && !fresh) archive.damage = "a header page is damaged";
    }
}

/* Appends to a list that grows. */
static void *grow(void *list, u64 count, u64 *room, size_t size) {
    void *more;
    if (count < *room) return list;
    *room = *room == 0 ? 64 : 2 * *room;
    more = take(&lasting, *room, size);
    if (count > 0) memcpy(more, list, (size_t)count * size);
    return more;
}

static void mark(void *context, u64 first, u64 last) {
    const Block *block = context;
    u64 game;
    for (game = first; game <= last; game++) {
        u8 bit = (u8)(1 << game % 8), *byte = &archive.deleted[(size_t)(game / 8)];
        *byte = (u8)(block->kind == B_DELETIONS ? *byte | bit : *byte & ~bit);
    }
}

/* Walks over all blocks that count, and finds chunks, strings and deleted games. */
static void open_archive(const char *path) {
    u64 offset, i, batch = 0; /* the first dictionary block of the batch */
    int follows = 0; /* whether a block can belong to the chunk before */
    u64 sequence = 0;
    u8 chain[16];
    off_t size;
    archive.file = fopen(path, "rb");
    if (archive.file == NULL) refuse("cannot open %s", path);
    if (fseeko(archive.file, 0, SEEK_END) != 0 || (size = ftello(archive.file)) < 0) refuse("cannot read %s", path);
    archive.size = (u64)size;
    choose_commit();
    memcpy(chain, archive.id, 16);
    for (offset = 2 * PAGE; offset < archive.state.end;) {
        Block block;
        Chunk *chunk;
        read_header(offset, archive.state.end, &block);
        offset = end_of(&block);
        archive.blocks = grow(archive.blocks, archive.block_count, &archive.block_room, sizeof block);
        archive.blocks[archive.block_count++] = block;
        extend_chain(chain, &block);
        if (block.kind == B_COMMIT) {
            sequence = block.first;
            batch = archive.dictionary_count;
        }
        if (block.kind >= 128) continue;
        if (block.kind == 0 || block.kind > B_RESTORATIONS)
            refuse("the block at %" PRIu64 " is of the unknown critical kind %u", block.offset, block.kind);
        chunk = archive.chunk_count == 0 ? NULL : &archive.chunks[archive.chunk_count - 1];
        follows = follows && (block.kind == B_TAGS || block.kind == B_TEXTS || block.kind == B_LAYOUT) &&
                  block.first == chunk->moves.first;
        if (follows && block.kind == B_TAGS && chunk->tags.kind == 0) chunk->tags = block;
        if (block.kind == B_MOVES) {
            if (block.first != archive.games + 1) refuse("the moves block at %" PRIu64 " is out of order", block.offset);
            archive.chunks = grow(archive.chunks, archive.chunk_count, &archive.chunk_room, sizeof *chunk);
            archive.chunks[archive.chunk_count++].moves = block;
            archive.games += block.count;
            follows = 1;
        } else if (block.kind == B_DICTIONARY) {
            /* A copy follows its block anywhere in the batch. */
            for (i = batch; i < archive.dictionary_count && archive.dictionary[i].block.first != block.first;) i++;
            if (i < archive.dictionary_count && archive.dictionary[i].copy.kind == 0) {
                archive.dictionary[i].copy = block;
                continue;
            }
            if (block.first != archive.strings || block.count == 0)
                refuse("the dictionary block at %" PRIu64 " is out of order", block.offset);
            archive.dictionary = grow(archive.dictionary, archive.dictionary_count, &archive.dictionary_room, sizeof(Strings));
            archive.dictionary[archive.dictionary_count++].block = block;
            archive.strings += block.count;
        }
    }
    if (archive.games != archive.state.games || sequence != archive.state.sequence ||
        memcmp(chain, archive.state.chain, 16) != 0)
        refuse("the blocks are not those of the header page");
    for (i = 0; i < archive.block_count; i++) {
        Block *block = &archive.blocks[i];
        if (block->kind != B_DELETIONS && block->kind != B_RESTORATIONS) continue;
        if (archive.deleted == NULL) archive.deleted = take(&lasting, archive.games / 8 + 1, 1);
        read_runs(read_payload(block, &scratch), archive.games, mark, block);
        release(&scratch);
    }
}

static int is_deleted(u64 game) {
    return archive.deleted != NULL && (archive.deleted[(size_t)(game / 8)] >> game % 8 & 1) != 0;
}

static const Chunk *find_chunk(u64 game) {
    u64 low = 0, high = archive.chunk_count;
    if (game == 0 || game > archive.games) refuse("there is no game %" PRIu64, game);
    if (is_deleted(game)) refuse("game %" PRIu64 " is deleted", game);
    while (high - low > 1) {
        u64 middle = low + (high - low) / 2;
        if (archive.chunks[middle].moves.first <= game) low = middle;
        else high = middle;
    }
    return &archive.chunks[low];
}

/* Reads the tables of a moves block (section 6). */
static void load_chunk(const Chunk *chunk) {
    const Block *block = &chunk->moves;
    u64 n = block->count, group = group_of(block), at = block->offset + HEADER, sum = 0, i;
    int width = 1 << (block->coding >> 4);
    const u8 *starts, *lengths;
    u8 *table;
    if (archive.chunk == chunk) return;
    archive.chunk = NULL;
    archive.unpacked = 0;
    release(&chunk_pool);
    if (!is_known(block))
        refuse("the moves block at %" PRIu64 " has coding %u: it needs a newer program", block->offset, block->coding);
    table = take(&chunk_pool, (u64)block->checked + 1, 1);
    read_at(at, table, block->checked);
    if (seeded(at, table, block->checked) != block->crc)
        refuse("the payload of the moves block at %" PRIu64 " is damaged", block->offset);
    starts = table + model_bytes(block);
    lengths = starts + 4 * ((n + group - 1) / group);
    archive.page_crcs = lengths + n * (u64)width;
    archive.records = take(&chunk_pool, n + 1, sizeof(u64));
    for (i = 0; i < n; i++) {
        if (i % group == 0 && little(starts + 4 * (i / group), 4) != sum)
            refuse("the table of the moves block at %" PRIu64 " is damaged", block->offset);
        archive.records[i] = sum;
        sum += little(lengths + i * (u64)width, width);
    }
    archive.records[n] = sum;
    if (sum != block->length - block->checked) refuse("the table of the moves block at %" PRIu64 " is damaged", block->offset);
    archive.bytes = take(&chunk_pool, sum + 1, 1);
    archive.checked = take(&chunk_pool, sum / PAGE + 1, 1);
    if (model_bytes(block) != 0 && (little(table, 4) != MODEL_NUMBER || memcmp(table + 4, model_hash, 4) != 0))
        refuse("the moves block at %" PRIu64 " needs model %" PRIu64 " of packed moves", block->offset, little(table, 4));
    archive.chunk = chunk;
}

/* The record of a game, with its stream unpacked. */
static void load_game(u64 game, Record *record) {
    const Chunk *chunk = find_chunk(game);
    const Block *block = &chunk->moves;
    u64 i = game - block->first, page, begin, end, size = block->length - block->checked;
    int packed = (block->coding & 15) == 1;
    load_chunk(chunk);
    begin = archive.records[i];
    end = archive.records[i + 1];
    for (page = begin / PAGE; page * PAGE < end; page++) {
        u64 at = page * PAGE, some = size - at < PAGE ? size - at : PAGE;
        u64 offset = block->offset + HEADER + block->checked + at;
        if (archive.checked[page]) continue;
        read_at(offset, archive.bytes + at, some);
        if (seeded(offset, archive.bytes + at, (size_t)some) != little(archive.page_crcs + 4 * page, 4))
            refuse("the record of game %" PRIu64 " is damaged", game);
        archive.checked[page] = 1;
    }
    read_record(bytes_of(archive.bytes + begin, (size_t)(end - begin)), packed, record);
    if (!packed) return;
    if (archive.unpacked != game) {
        archive.unpacked = 0;
        unpack(record->moves, &record->start, &archive.stream);
        archive.unpacked = game;
    }
    record->moves = bytes_of(archive.stream.data, archive.stream.length);
}

static void load_copy(void *context) {
    Strings *strings = context;
    if (strings->copy.kind == 0) refuse("the dictionary block at %" PRIu64 " is damaged", strings->block.offset);
    strings->strings = read_dictionary(read_payload(&strings->copy, &lasting), strings->block.count, &lasting);
}

static void load_block(void *context) {
    Strings *strings = context;
    strings->strings = read_dictionary(read_payload(&strings->block, &lasting), strings->block.count, &lasting);
}

static Bytes dictionary_string(u64 string_number) {
    u64 low = 0, high = archive.dictionary_count;
    Strings *strings;
    while (high - low > 1) {
        u64 middle = low + (high - low) / 2;
        if (archive.dictionary[middle].block.first <= string_number) low = middle;
        else high = middle;
    }
    strings = &archive.dictionary[low];
    if (strings->strings == NULL && !attempt(load_block, strings)) load_copy(strings);
    return strings->strings[string_number - strings->block.first];
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void print_hex(Bytes bytes) {
    print("\"");
    for (; bytes.at < bytes.end; bytes.at++) print("%02x", *bytes.at);
    print("\"");
}

static void print_text(Bytes text) {
    print("\"");
    for (; text.at < text.end; text.at++) {
        if (*text.at < 0x20) print("\\u%04x", *text.at);
        else if (*text.at == '"' || *text.at == '\\') print("\\%c", *text.at);
        else add_byte(&out, *text.at);
    }
    print("\"");
}

/* ---- Commands ------------------------------------------------------------------------------------------------------ */

static u64 refused; /* how often, with the first reason: */
static char first_why[512];

static void note_refusal(void) {
    if (refused++ == 0) memcpy(first_why, why, sizeof why);
}

typedef struct {
    u64 game, ply, plies;
    Position position;
} Request;

static int until_ply(void *context, const Position *now, size_t depth, const Played *move) {
    Request *request = context;
    (void)move;
    if (depth > 0) return 0;
    request->plies++;
    if (request->plies == request->ply || request->ply == ALL) request->position = *now;
    return request->plies == request->ply;
}

static void do_fen(void *context) {
    Request *request = context;
    Record record;
    load_game(request->game, &record);
    request->position = record.start;
    request->plies = 0;
    if (request->ply > 0 && replay(record.moves, &record.start, until_ply, request) >= 0 && request->ply != ALL)
        refuse("game %" PRIu64 " has only %" PRIu64 " plies", request->game, request->plies);
    print_fen(&request->position);
    print("\n");
}

static int show_move(void *context, const Position *now, size_t depth, const Played *move) {
    (void)context;
    (void)now;
    if (depth > 0) return 0;
    if (move->kind == NULL_MOVE) print(" --");
    else if (move->kind != MOVE) print(move->kind == CASTLE_H ? " O-O" : " O-O-O");
    else print(" %c%d%c%d", "abcdefgh"[move->from & 7], 1 + (move->from >> 3), "abcdefgh"[move->to & 7], 1 + (move->to >> 3));
    if (move->promotion != 0) print("%c", "pnbrqk"[move->promotion]);
    return 0;
}

static void do_moves(void *context) {
    static const char *const results[4] = {"*", "0-1", "1-0", "1/2-1/2"};
    const Request *request = context;
    Record record;
    int result;
    load_game(request->game, &record);
    print("%" PRIu64, request->game);
    result = replay(record.moves, &record.start, show_move, NULL);
    print(" %s\n", results[result]);
}

/* The tags of the chunk that was read last. */
static Tags tags_at_hand;
static const Chunk *tags_chunk;

static void load_tags(const Chunk *chunk) {
    if (tags_chunk == chunk) return;
    if (chunk->tags.kind == 0) refuse("the moves block at %" PRIu64 " has no tags block after it", chunk->moves.offset);
    tags_chunk = NULL;
    release(&scratch);
    read_tags(read_payload(&chunk->tags, &scratch), chunk->moves.count, archive.strings, &tags_at_hand);
    tags_chunk = chunk;
}

/* Calls `show` for each tag of a game of the chunk, from 0; a dictionary string has a number and an empty value. */
typedef void (*ShowTag)(u64 game, Bytes name, const u64 *string_number, Bytes value);

static void each_tag(Tags *tags, u64 game, ShowTag show, u64 shown) {
    static Buffer value;
    u64 i, s;
    if (tags->next > game) {
        leave_games(tags);
        tags->next = 0;
    }
    for (; tags->next < game; tags->next++) {
        s = tags->schema[tags->next];
        for (i = tags->starts[s]; i < tags->starts[s + 1]; i++) tags->columns[tags->columns_of[i]].cursor++;
    }
    tags->next = ALL; /* a refusal leaves the cursors anywhere */
    s = tags->schema[game];
    for (i = tags->starts[s]; i < tags->starts[s + 1]; i++) {
        Column *column = &tags->columns[tags->columns_of[i]];
        u64 at = column->cursor++, string_number;
        value.length = 0;
        if (is_text(column, at)) {
            show(shown, column->name, NULL, column->texts[at]);
        } else if (column->codec == C_STRING) {
            string_number = column->numbers[at] - 1;
            show(shown, column->name, &string_number, bytes_of("", 0));
        } else {
            add_value(&value, column, column->numbers[at]);
            show(shown, column->name, NULL, bytes_of(value.data, value.length));
        }
    }
    tags->next = game + 1;
}

static void show_line(u64 game, Bytes name, const u64 *string_number, Bytes value) {
    if (string_number != NULL) value = dictionary_string(*string_number);
    print("%" PRIu64 " ", game);
    add(&out, name.at, left(name));
    add_byte(&out, ' ');
    add(&out, value.at, left(value));
    add_byte(&out, '\n');
}

static void do_tags(void *context) {
    const Request *request = context;
    const Chunk *chunk = find_chunk(request->game);
    load_tags(chunk);
    each_tag(&tags_at_hand, request->game - chunk->moves.first, show_line, request->game);
}

static void do_blocks(void) {
    u64 i;
    for (i = 0; i < archive.block_count; i++) {
        const Block *b = &archive.blocks[i];
        print("%" PRIu64 " ", b->offset);
        if (b->kind <= B_RESTORATIONS) print("%s", kind_names[b->kind]);
        else if (b->kind == 128 || b->kind == 129) print(b->kind == 128 ? "metadata" : "model");
        else if (b->kind == 130) print("parity");
        else print("%u", b->kind);
        print(" %u %" PRIu64 " %" PRIu32 " %" PRIu64 "\n", b->coding, b->first, b->count, b->length);
    }
}

/* ---- Parts --------------------------------------------------------------------------------------------------------- */

static const char *separator;

/* The text before an element of a JSON array. */
static void next_element(void) {
    print("%s", separator);
    separator = ",";
}

static int print_position(void *context, const Position *now, size_t depth, const Played *move) {
    (void)context;
    (void)depth;
    (void)move;
    next_element();
    print("\"");
    print_fen(now);
    print("\"");
    return 0;
}

/* The elements of a replayed stream. */
static void print_elements(Bytes stream) {
    static const char *const names[] = {"text", "0-1", "1-0", "1/2-1/2", NULL, NULL, "?", "!"};
    separator = "";
    while (stream.at < stream.end) {
        u8 byte = *stream.at++;
        next_element();
        if (byte == 0xC2) {
            print("\"$%u\"", next_byte(&stream));
        } else if (byte == 0xC3 || byte == 0xC4) {
            print(byte == 0xC3 ? "\"(\"" : "\")\"");
        } else if (byte < 8 && names[byte] != NULL) {
            print("\"%s\"", names[byte]);
        } else {
            int prefix = (byte & 0xC0) != 0 && (byte & 0xC0) != 0xC0 && (byte & 0x38) == 0;
            stream.at += byte == 0xC0 ? 2 : prefix;
            print("\"move\"");
        }
    }
}

static void part_record(Bytes bytes, int packed) {
    Record record;
    read_record(bytes, packed, &record);
    print("{\"flags\":%u,", record.flags);
    if (packed) {
        unpack(record.moves, &record.start, &archive.stream);
        print("\"start\":\"");
        print_fen(&record.start);
        print("\",\"stream\":");
        print_hex(bytes_of(archive.stream.data, archive.stream.length));
    } else {
        print("\"positions\":[");
        separator = "";
        print_position(NULL, &record.start, 0, NULL);
        replay(record.moves, &record.start, print_position, NULL);
        print("],\"elements\":[");
        print_elements(record.moves);
        print("]");
    }
    print("}");
}

static void part_numbers(int kind, Bytes bytes, const u64 *counts, size_t games) {
    u64 sum = 0, *values, i;
    size_t game;
    for (game = 0; game < games; game++) {
        if (counts[game] > ((u64)1 << 32) - sum) refuse("not enough memory");
        sum += counts[game];
    }
    values = take(&scratch, sum + 1, sizeof(u64));
    read_numbers(kind, bytes, counts, games, values);
    print("[");
    for (game = 0; game < games; game++) {
        print(game > 0 ? ",[" : "[");
        for (i = 0; i < counts[game]; i++) print(i > 0 ? ",%" PRId64 : "%" PRId64, as_signed(*values++));
        print("]");
    }
    print("]");
}

static void show_pair(u64 game, Bytes name, const u64 *string_number, Bytes value) {
    (void)game;
    next_element();
    print("[");
    print_text(name);
    if (string_number != NULL) {
        print(",\"string %" PRIu64 "\"", *string_number);
    } else {
        print(",");
        print_text(value);
    }
    print("]");
}

static void part_tags(Bytes bytes, u64 games) {
    Tags tags;
    u64 game;
    read_tags(bytes, games, LARGEST, &tags);
    print("[");
    for (game = 0; game < games; game++) {
        print(game > 0 ? ",[" : "[");
        separator = "";
        each_tag(&tags, game, show_pair, 0);
        print("]");
    }
    print("]");
}

static void print_run(void *context, u64 first, u64 last) {
    (void)context;
    next_element();
    print("[%" PRIu64 ",%" PRIu64 "]", first, last);
}

static void part_commit(Bytes bytes) {
    const u8 *numbers = next_bytes(&bytes, 104).at;
    Bytes chain = next_bytes(&bytes, 16);
    int i;
    print("{\"numbers\":[");
    for (i = 0; i < 13; i++) {
        u64 value = little(numbers + 8 * i, 8);
        if (value > LARGEST) refuse("a number is beyond 2^60");
        print(i > 0 ? ",%" PRIu64 : "%" PRIu64, value);
    }
    print("],\"chain\":");
    print_hex(chain);
    if (bytes.at < bytes.end) { /* the progress of an import, with a source as in section 13 */
        u64 first_source = number(&bytes), line = number(&bytes), size, seen, rejected, first;
        Bytes options = text_string(&bytes), name = text_string(&bytes);
        u8 exact;
        size = number(&bytes);
        seen = number(&bytes);
        rejected = number(&bytes);
        first = number(&bytes);
        exact = next_byte(&bytes);
        if (rejected > seen || exact > 1) refuse("the source of a commit is impossible");
        print(",\"progress\":{\"first_source\":%" PRIu64 ",\"line\":%" PRIu64 ",\"options\":", first_source, line);
        print_text(options);
        print(",\"source\":{\"name\":");
        print_text(name);
        print(",\"bytes\":%" PRIu64 ",\"seen\":%" PRIu64 ",\"rejected\":%" PRIu64 ",\"first\":%" PRIu64 ",\"exact\":%u", size,
              seen, rejected, first, exact);
        print(",\"sha256\":");
        print_hex(next_bytes(&bytes, 32));
        print("}}");
        finish(bytes);
    }
    print("}");
}

typedef struct {
    const char *name;
    Bytes bytes;
    u64 *counts;
    size_t count;
} Part;

static void do_part(void *context) {
    const Part *part = context;
    const char *name = part->name;
    Bytes bytes = part->bytes;
    u64 count = part->count > 0 ? part->counts[0] : 0, i;
    Budget budget;
    if (strcmp(name, "record") == 0) part_record(bytes, 0);
    else if (strcmp(name, "packed") == 0) part_record(bytes, 1);
    else if (strcmp(name, "plain") == 0) part_numbers(PLAIN, bytes, part->counts, part->count);
    else if (strcmp(name, "clock") == 0) part_numbers(CLOCK, bytes, part->counts, part->count);
    else if (strcmp(name, "time") == 0) part_numbers(TIME, bytes, part->counts, part->count);
    else if (strcmp(name, "evaluation") == 0) part_numbers(EVALUATION, bytes, part->counts, part->count);
    else if (strcmp(name, "tags") == 0) part_tags(bytes, count);
    else if (strcmp(name, "commit") == 0) part_commit(bytes);
    else if (strcmp(name, "varint") == 0) {
        u64 value = varint(&bytes);
        finish(bytes);
        print("%" PRIu64, value);
    } else if (strcmp(name, "compressed") == 0) {
        budget.units = 2048 * (u64)left(bytes);
        print_hex(expand(bytes, &budget, &scratch));
    } else if (strcmp(name, "planes") == 0) {
        unsigned width = next_byte(&bytes);
        u64 *numbers;
        if (width > 0 && count > left(bytes)) refuse("a part ends too early");
        numbers = take(&scratch, count + 1, sizeof(u64));
        planes(&bytes, width, count, numbers);
        finish(bytes);
        print("[");
        for (i = 0; i < count; i++) print(i > 0 ? ",%" PRIu64 : "%" PRIu64, numbers[i]);
        print("]");
    } else if (strcmp(name, "dictionary") == 0) {
        Bytes *strings = read_dictionary(bytes, count, &scratch);
        print("[");
        for (i = 0; i < count; i++) {
            if (i > 0) print(",");
            print_text(strings[i]);
        }
        print("]");
    } else { /* deletions */
        separator = "";
        print("[");
        read_runs(bytes, count, print_run, NULL);
        print("]");
    }
    print("\n");
}

/* ---- The command line ---------------------------------------------------------------------------------------------- */

static int usage(void) {
    fputs(USAGE, stderr);
    return 2;
}

/* Reads a decimal number that ends at a character of `ends`, or at the end; returns the rest after it, or NULL. */
static const char *decimal(const char *text, const char *ends, u64 *value) {
    *value = 0;
    if (*text < '0' || *text > '9') return NULL;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (*value > (ALL - 9) / 10) return NULL;
        *value = 10 * *value + (u64)(*text - '0');
    }
    if (*text == 0) return text;
    return strchr(ends, *text) != NULL ? text + 1 : NULL;
}

/* `GAME:PLY`, `GAME PLY`, or `GAME` for its last position, which is ply ALL. */
static int read_pair(const char *text, Request *request) {
    const char *rest = decimal(text, ": \r\n", &request->game);
    request->ply = ALL;
    if (rest == NULL || *rest == 0 || *rest == '\n') return rest != NULL;
    return decimal(rest, "\r\n", &request->ply) != NULL;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Answers one request: prints the result, or notes the reason of a refusal. */
static int answer(void (*act)(void *), void *context) {
    int good = attempt(act, context);
    if (good) {
        emit();
    } else {
        out.length = 0;
        note_refusal();
    }
    return good;
}

static void do_open(void *context) {
    open_archive(context);
}

/* Ends the program: prints the refusals and whether games may be missing. */
static int end_program(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("reader: cannot write\n", stderr);
        return 1;
    }
    if (refused > 0) fprintf(stderr, "reader: %s", first_why);
    if (refused > 1) fprintf(stderr, " (and %" PRIu64 " more refused)", refused - 1);
    if (archive.damage != NULL)
        fprintf(stderr, "%sgames may be missing: %s", refused > 0 ? "; " : "reader: ", archive.damage);
    if (refused > 0 || archive.damage != NULL) {
        fputs("\n", stderr);
        return 1;
    }
    return 0;
}

static int run_part(int count, char **arguments) {
    static const char *const names[] = {"record", "packed", "varint", "compressed", "planes", "plain", "clock", "time",
                                        "evaluation", "tags", "dictionary", "deletions", "commit"};
    static const char needs_count[] = "\0\0\0\0\1\0\0\0\0\1\1\1\0";
    size_t i, length;
    u8 *bytes;
    Part part;
    if (count < 2) return usage();
    for (i = 0; i < sizeof names / sizeof *names && strcmp(names[i], arguments[0]) != 0; i++) {
    }
    if (i == sizeof names / sizeof *names || (needs_count[i] && count < 3)) return usage();
    part.name = names[i];
    length = strlen(arguments[1]);
    if (length % 2 != 0) return usage();
    bytes = take(&lasting, length / 2 + 1, 1);
    for (i = 0; i < length; i += 2) {
        int high = hex_digit(arguments[1][i]), low = hex_digit(arguments[1][i + 1]);
        if (high < 0 || low < 0) return usage();
        bytes[i / 2] = (u8)(high << 4 | low);
    }
    part.bytes = bytes_of(bytes, length / 2);
    part.count = (size_t)count - 2;
    part.counts = take(&lasting, (u64)count, sizeof(u64));
    for (i = 0; i < part.count; i++)
        if (decimal(arguments[2 + i], "", &part.counts[i]) == NULL || part.counts[i] > LARGEST) return usage();
    answer(do_part, &part);
    return end_program();
}

static int run_fen(int count, char **arguments) {
    Request request;
    char line[128];
    int i;
    for (i = 0; i < count; i++)
        if (!read_pair(arguments[i], &request)) return usage();
    for (i = 0; i < count; i++) {
        read_pair(arguments[i], &request);
        if (!answer(do_fen, &request)) return end_program();
    }
    while (count == 0 && fgets(line, sizeof line, stdin) != NULL) {
        if (!read_pair(line, &request)) {
            fflush(stdout);
            return usage();
        }
        if (!answer(do_fen, &request)) break;
    }
    return end_program();
}

/* If the arguments name games, all must be good. Otherwise the program skips refused games. */
static int run_games(void (*act)(void *), int count, char **arguments) {
    Request request;
    int i;
    for (i = 0; i < count; i++)
        if (decimal(arguments[i], "", &request.game) == NULL) return usage();
    for (i = 0; i < count; i++) {
        decimal(arguments[i], "", &request.game);
        if (!answer(act, &request)) return end_program();
    }
    if (count == 0)
        for (request.game = 1; request.game <= archive.games; request.game++)
            if (!is_deleted(request.game)) answer(act, &request);
    return end_program();
}

static int run(int count, char **arguments) {
    const char *command;
    while (count > 0 && strncmp(arguments[0], "--", 2) == 0) {
        if (strcmp(arguments[0], "--model") != 0 || count < 2) return usage();
        model_path = arguments[1];
        arguments += 2;
        count -= 2;
    }
    if (count < 2) return usage();
    command = arguments[0];
    if (strcmp(command, "part") == 0) return run_part(count - 1, arguments + 1);
    if (strcmp(command, "fen") != 0 && strcmp(command, "moves") != 0 && strcmp(command, "tags") != 0 &&
        (strcmp(command, "blocks") != 0 || count != 2))
        return usage();
    if (!attempt(do_open, arguments[1])) {
        note_refusal();
        return end_program();
    }
    if (strcmp(command, "fen") == 0) return run_fen(count - 2, arguments + 2);
    if (strcmp(command, "moves") == 0) return run_games(do_moves, count - 2, arguments + 2);
    if (strcmp(command, "tags") == 0) return run_games(do_tags, count - 2, arguments + 2);
    do_blocks();
    emit();
    return end_program();
}

typedef struct {
    int count, status;
    char **arguments;
} Program;

static void do_run(void *context) {
    Program *program = context;
    program->status = run(program->count, program->arguments);
}

int main(int count, char **arguments) {
    Program program;
    model_path = getenv("SCORESHEET_MODEL");
    if (model_path == NULL) model_path = "data/model-1.bin";
    make_crc_table();
    make_attacks();
    program.count = count - 1;
    program.arguments = arguments + 1;
    if (!attempt(do_run, &program)) {
        note_refusal();
        program.status = end_program();
    }
    if (archive.file != NULL) fclose(archive.file);
    release(&lasting);
    release(&chunk_pool);
    release(&scratch);
    return program.status;
}

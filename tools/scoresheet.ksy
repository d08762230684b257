meta:
  id: scoresheet
  title: Scoresheet archive, index and side files
  file-extension: [bga, bgi, bgs, bgp, bgh]
  endian: le
  license: MIT OR Apache-2.0
doc: |
  The files of the Scoresheet format, as FORMAT.md describes them: header pages, block headers, tables of moves, index
  and side files. Checksums are shown, not checked; the payloads of compressed parts are shown as they are, since zstd
  is not in the runtime library.
seq:
  - id: first
    type: u8be
instances:
  archive:
    pos: 0
    type: archive
    if: first == 0x894247410d0a1a0a
  index:
    pos: 0
    type: index
    if: first == 0x894247490d0a1a0a
  signatures:
    pos: 0
    type: side_file
    if: first == 0x894247530d0a1a0a
  positions:
    pos: 0
    type: side_file
    if: first == 0x894247500d0a1a0a
  tag_columns:
    pos: 0
    type: side_file
    if: first == 0x894247480d0a1a0a
types:
  varint:
    doc: LEB128 (section 3); of up to eight bytes here.
    seq:
      - id: groups
        type: u1
        repeat: until
        repeat-until: _ < 0x80
    instances:
      value:
        value: >-
          (groups[0] & 0x7f)
          + (groups.size > 1 ? (groups[1] & 0x7f) << 7 : 0)
          + (groups.size > 2 ? (groups[2] & 0x7f) << 14 : 0)
          + (groups.size > 3 ? (groups[3] & 0x7f) << 21 : 0)
          + (groups.size > 4 ? (groups[4] & 0x7f) << 28 : 0)
          + (groups.size > 5 ? (groups[5] & 0x7f) << 35 : 0)
          + (groups.size > 6 ? (groups[6] & 0x7f) << 42 : 0)
          + (groups.size > 7 ? (groups[7] & 0x7f) << 49 : 0)
  text:
    seq:
      - id: length
        type: varint
      - id: bytes
        size: length.value
  state:
    doc: Which archive, at which commit, with which content (section 4).
    seq:
      - id: id
        size: 16
      - id: sequence
        type: u8
      - id: length
        type: u8
      - id: games
        type: u8
      - id: chain
        size: 16
  head:
    doc: What all files begin with.
    seq:
      - id: magic
        size: 8
      - id: major
        type: u2
      - id: minor
        type: u2
      - id: size
        type: u4
      - id: state
        type: state
  archive:
    seq:
      - id: pages
        type: page
        size: 4096
        repeat: expr
        repeat-expr: 2
      - id: blocks
        type: block
        repeat: eos
  page:
    doc: A header page, or zeros (section 4).
    seq:
      - id: head
        type: head
      - id: commit
        type: u8
      - id: features_to_read
        type: u4
      - id: features_to_write
        type: u4
      - id: reserved
        size: 4004
      - id: crc
        type: u4
  block:
    doc: A block (section 5).
    seq:
      - id: sync
        contents: BGAb
      - id: kind
        type: u1
        enum: kind
      - id: coding
        type: u1
      - id: reserved
        contents: [0, 0]
      - id: first
        type: u8
      - id: count
        type: u4
      - id: checked
        type: u4
      - id: length
        type: u8
      - id: payload_crc
        type: u4
      - id: header_crc
        type: u4
      - id: payload
        size: length
        type:
          switch-on: kind
          cases:
            'kind::moves': moves(coding, count, checked, length)
            'kind::tags': part
            'kind::texts': part
            'kind::dictionary': part
            'kind::source': source
            'kind::commit': commit
            'kind::layout': part
            'kind::deletions': part
            'kind::loose': loose
            'kind::restorations': part
            'kind::metadata': part
            'kind::model': part
            _: unknown
  unknown:
    doc: A kind that is not assigned; from 128 on it may be passed over (section 22).
    seq:
      - id: bytes
        size-eos: true
  part:
    doc: A compressed part (section 3).
    seq:
      - id: raw_length
        type: varint
      - id: is_zstd
        type: u1
      - id: bytes
        size-eos: true
  moves:
    doc: The table and the records of a moves block (section 6).
    params:
      - id: coding
        type: u1
      - id: count
        type: u4
      - id: checked
        type: u4
      - id: length
        type: u8
    seq:
      - id: model
        type: u4
        if: is_packed
      - id: model_hash
        size: 4
        if: is_packed
      - id: starts
        type: u4
        repeat: expr
        repeat-expr: (count + group - 1) / group
      - id: lengths
        type:
          switch-on: coding >> 4
          cases:
            0: u1
            1: u2
            2: u4
        repeat: expr
        repeat-expr: count
      - id: page_crcs
        type: u4
        repeat: expr
        repeat-expr: (records_size + 4095) / 4096
      - id: records
        size: records_size
    instances:
      is_packed:
        value: (coding & 15) == 1
      group:
        value: 'is_packed ? 64 : 16'
      records_size:
        value: length - checked
  source:
    doc: A source block (section 13).
    seq:
      - id: name
        type: text
      - id: bytes
        type: varint
      - id: seen
        type: varint
      - id: rejected
        type: varint
      - id: first_game
        type: varint
      - id: exact
        type: u1
      - id: sha256
        size: 32
  loose:
    seq:
      - id: source
        type: varint
      - id: bytes
        type: part
  commit:
    doc: A commit block (section 16).
    seq:
      - id: totals
        type: u8
        repeat: expr
        repeat-expr: 13
      - id: chain
        size: 16
      - id: unfinished
        type: unfinished
        if: not _io.eof
  unfinished:
    seq:
      - id: first_source
        type: varint
      - id: line
        type: varint
      - id: options
        type: text
      - id: source
        type: source
  entry:
    doc: An entry of the index; what its fields are is in section 18.
    seq:
      - id: first
        type: u8
      - id: offset
        type: u8
      - id: third
        type: u8
  index:
    seq:
      - id: head
        type: head
      - id: pages
        type: u8
      - id: strings
        type: u8
      - id: chunk_count
        type: u8
      - id: dictionary_count
        type: u8
      - id: deletion_count
        type: u8
      - id: chunks
        type: entry
        repeat: expr
        repeat-expr: chunk_count
      - id: dictionaries
        type: entry
        repeat: expr
        repeat-expr: dictionary_count
      - id: deletions
        type: entry
        repeat: expr
        repeat-expr: deletion_count
      - id: crc
        type: u4
  side_file:
    doc: Sections 19 to 21.
    seq:
      - id: pages
        type: head_page
        size: 4096
        repeat: expr
        repeat-expr: 2
    instances:
      head:
        value: 'pages[1].sequence > pages[0].sequence ? pages[1] : pages[0]'
  head_page:
    seq:
      - id: magic
        size: 8
      - id: major
        type: u2
      - id: minor
        type: u2
      - id: page_size
        type: u4
      - id: id
        size: 16
      - id: sequence
        type: u8
      - id: end
        type: u8
      - id: segment_count
        type: u4
      - id: reserved
        size: 12
      - id: segments
        type: segment
        repeat: expr
        repeat-expr: segment_count
  segment:
    seq:
      - id: kind
        type: u4
        enum: segment_kind
      - id: run_count
        type: u4
      - id: offset
        type: u8
      - id: length
        type: u8
      - id: games
        type: u8
      - id: commit_sequence
        type: u8
      - id: committed_length
        type: u8
      - id: all_games
        type: u8
      - id: chain
        size: 16
      - id: commit
        type: u8
    instances:
      body:
        io: _root._io
        pos: offset
        size: length
        type:
          switch-on: kind
          cases:
            'segment_kind::signatures': numbers(run_count, games)
            'segment_kind::facts': numbers(run_count, games)
            'segment_kind::places': places(run_count, games)
            'segment_kind::tag_columns': tag_columns(run_count, games)
      page_crcs:
        io: _root._io
        pos: offset + length
        type: u4
        repeat: expr
        repeat-expr: (length + 4095) / 4096
    enums:
      segment_kind:
        1: signatures
        2: places
        3: facts
        4: tag_columns
  run:
    seq:
      - id: first
        type: u8
      - id: games
        type: u8
  numbers:
    params:
      - id: run_count
        type: u4
      - id: games
        type: u8
    seq:
      - id: runs
        type: run
        repeat: expr
        repeat-expr: run_count
      - id: numbers
        type: u8
        repeat: expr
        repeat-expr: games
  places:
    params:
      - id: run_count
        type: u4
      - id: games
        type: u8
    seq:
      - id: runs
        type: run
        repeat: expr
        repeat-expr: run_count
      - id: plies
        size: trailer.width
        repeat: expr
        repeat-expr: games
      - id: starts
        type: u8
        repeat: expr
        repeat-expr: (games + 63) / 64
      - id: buckets
        size: trailer.bucket_bytes
      - id: offsets
        size: trailer.offset_width
        repeat: expr
        repeat-expr: (1 << trailer.bits) + 1
      - id: collisions
        type: u8
        repeat: expr
        repeat-expr: trailer.collision_count
    instances:
      trailer:
        pos: _io.size - 48
        type: places_trailer
  places_trailer:
    seq:
      - id: entries
        type: u8
      - id: places
        type: u8
      - id: bucket_bytes
        type: u8
      - id: collision_count
        type: u8
      - id: bits
        type: u4
      - id: width
        type: u4
      - id: offset_width
        type: u4
      - id: zero
        type: u4
  tag_columns:
    params:
      - id: run_count
        type: u4
      - id: games
        type: u8
    seq:
      - id: runs
        type: run
        repeat: expr
        repeat-expr: run_count
      - id: directory_size
        type: u8
      - id: directory
        size: directory_size
        type: directory
      - id: tables
        type: table(directory.tables[_index].strings.value, directory.tables[_index].bytes.value)
        repeat: expr
        repeat-expr: directory.table_count.value
      - id: columns
        size: directory.columns[_index].width * games
        repeat: expr
        repeat-expr: directory.column_count.value
  directory:
    seq:
      - id: table_count
        type: varint
      - id: tables
        type: table_entry
        repeat: expr
        repeat-expr: table_count.value
      - id: column_count
        type: varint
      - id: columns
        type: column_entry
        repeat: expr
        repeat-expr: column_count.value
      - id: others_count
        type: varint
      - id: others
        type: text
        repeat: expr
        repeat-expr: others_count.value
  table_entry:
    seq:
      - id: strings
        type: varint
      - id: bytes
        type: varint
  column_entry:
    seq:
      - id: kind
        type: u1
      - id: name
        type: text
        if: kind == 2
      - id: table
        type: varint
        if: kind == 2
      - id: width
        type: u1
  table:
    params:
      - id: strings
        type: u8
      - id: text_size
        type: u8
    seq:
      - id: ends
        type: u4
        repeat: expr
        repeat-expr: strings
      - id: text
        size: text_size
enums:
  kind:
    1: moves
    2: tags
    3: texts
    4: dictionary
    5: source
    6: commit
    7: layout
    8: deletions
    9: loose
    10: restorations
    128: metadata
    129: model

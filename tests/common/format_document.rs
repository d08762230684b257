//! FORMAT.md with its parts in `docs/format`, as one text.

pub const DOCUMENT: &str = concat!(
    include_str!("../../FORMAT.md"),
    "\n",
    include_str!("../../docs/format/numbers.md"),
    "\n",
    include_str!("../../docs/format/layout.md"),
    "\n",
    include_str!("../../docs/format/metadata.md"),
    "\n",
    include_str!("../../docs/format/side-files.md"),
    "\n",
    include_str!("../../docs/format/packed-moves.md"),
    "\n",
    include_str!("../../docs/format/notations.md"),
    "\n",
    include_str!("../../docs/format/vectors.md"),
    "\n",
    include_str!("../../docs/format/variants.md"),
);

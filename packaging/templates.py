#!/usr/bin/env python3
"""Fills the templates of other package managers with the version, the address and the hashes of a release's files.

    packaging/templates.py FOLDER

FOLDER has the archives of packaging/binaries.sh. The script writes the files to FOLDER/templates. If an archive of a
template is missing, the script skips the template with a message, or fails if SCORESHEET_REQUIRED is set.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def version_script(*arguments: str) -> str:
    return subprocess.run([sys.executable, HERE / "version.py", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def main(folder: Path) -> None:
    out = folder / "templates"
    out.mkdir(exist_ok=True)
    version, address = version_script(), version_script("--address")
    for template in sorted((HERE / "templates").iterdir()):
        text = template.read_text(encoding="utf-8").replace("@VERSION@", version).replace("@ADDRESS@", address)
        missing = sorted({name for name in re.findall(r"@SHA256:([^@]+)@", text) if not (folder / name).is_file()})
        if missing:
            (out / template.name).unlink(missing_ok=True)
            print(f"skipped: {template.name}, for which these are missing: {', '.join(missing)}")
            if os.environ.get("SCORESHEET_REQUIRED"):
                sys.exit(1)
            continue
        text = re.sub(r"@SHA256:([^@]+)@", lambda match: hashlib.sha256((folder / match[1]).read_bytes()).hexdigest(), text)
        if left := re.findall(r"@[A-Z0-9:]+@", text):
            sys.exit(f"{template.name}: {left}")
        (out / template.name).write_text(text, encoding="utf-8")
        print(f"{template.name}: {version}")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(Path(sys.argv[1]))

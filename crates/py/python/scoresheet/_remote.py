"""Files that are read by ranges: addresses, through fsspec, and file objects."""

from __future__ import annotations

import threading
import time
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

# The seconds after which the size and the ETag of a file are compared again before a request.
_FRESH = 10.0


def open_file(given: str | IO[bytes]) -> _File:
    """Return a reader of an address or of a file object."""
    if isinstance(given, str):
        return _Address(given)
    return _Object(given)


class _File:
    """A file object of which any thread can read any range."""

    def __init__(self, file: IO[bytes], name: str, size: int) -> None:
        self.name = name
        self.size = size
        self._file = file
        self._lock = threading.Lock()

    def read_at(self, offset: int, length: int) -> bytes:
        """Return `length` bytes from `offset` on. Raises OSError if there are fewer."""
        with self._lock:
            self._file.seek(offset)
            parts: list[bytes] = []
            missing = length
            while missing > 0:
                part = self._file.read(missing)
                if not isinstance(part, (bytes, bytearray, memoryview)):
                    raise TypeError(f"{self.name}: the file must be open in binary mode")
                if len(part) == 0:
                    break
                if len(part) > missing:
                    raise OSError(f"{self.name}: asked for {missing} bytes, got {len(part)}")
                parts.append(bytes(part))
                missing -= len(part)
        if missing:
            raise OSError(f"{self.name}: the file ended {missing} bytes early, at byte {offset + length - missing}")
        return b"".join(parts)

    def beside(self, extension: str) -> _File | None:
        """Return a side file, or None if there is none."""
        return None


class _Object(_File):
    def __init__(self, file: IO[bytes]) -> None:
        for method in ("read", "seek"):
            if not callable(getattr(file, method, None)):
                raise TypeError(f"{file!r} has no method {method}")
        name = getattr(file, "name", None)
        shown = name if isinstance(name, str) else f"<{type(file).__name__}>"
        size = file.seek(0, 2)
        # Some objects return nothing.
        super().__init__(file, shown, file.tell() if size is None else size)


class _Address(_File):
    def __init__(self, address: str) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise ImportError(f"{address}: addresses need the package fsspec (pip install fsspec)") from error
        # An ImportError of fsspec names the package that the protocol needs.
        self._system, self._path = fsspec.core.url_to_fs(address)
        self._address = address
        try:
            info = self._system.info(self._path)
            size = info.get("size")
            if size is None or info.get("partial") is False:
                raise OSError("the server does not support ranges of bytes")
            self._state = _state(info)
            file = self._system.open(self._path, "rb", cache_type="none", **self._only_this(info))
            if getattr(file, "seekable", lambda: True)() is False:
                raise OSError("the server does not support ranges of bytes")
        except Exception as error:
            raise self._explained(error) from error
        self._checked = time.monotonic()
        super().__init__(file, address, int(size))

    def _only_this(self, info: dict[str, Any]) -> dict[str, Any]:
        """Return options with which a server refuses to send another version of the file."""
        etag = info.get("ETag")
        protocols = {self._system.protocol} if isinstance(self._system.protocol, str) else set(self._system.protocol)
        if not protocols & {"http", "https"}:
            return {}
        # Ranges refer to the file as it is, not to a compressed form.
        headers = {**self._system.kwargs.get("headers", {}), "Accept-Encoding": "identity"}
        if isinstance(etag, str) and not etag.startswith("W/"):
            headers["If-Match"] = etag
        return {"headers": headers, "size": info["size"]}

    def read_at(self, offset: int, length: int) -> bytes:
        try:
            if time.monotonic() - self._checked > _FRESH:
                self._check()
            read = super().read_at(offset, length)
        except Exception as error:
            # A changed file is the reason of most errors.
            try:
                self._check()
            except _Changed as changed:
                raise changed from error
            except Exception:
                pass
            raise self._explained(error) from error
        return read

    def _check(self) -> None:
        """Raise an error if the file has changed since it was opened, as far as the server says."""
        self._system.invalidate_cache(self._path)
        if _state(self._system.info(self._path)) != self._state:
            raise _Changed(f"{self._address}: the file has changed since it was opened; open it again")
        self._checked = time.monotonic()

    def _explained(self, error: BaseException) -> BaseException:
        """Return an error with the address and the reason."""
        if isinstance(error, (_Changed, ImportError)) or type(error) is OSError and self._address in str(error):
            return error
        # fsspec reports every failure of the first request as a missing file, with the failure as its cause.
        cause = error.__cause__ if isinstance(error, FileNotFoundError) and error.__cause__ else error
        status: int = getattr(cause, "status", None) or 0
        kinds: dict[int, type[OSError]] = {404: FileNotFoundError, 410: FileNotFoundError, 401: PermissionError, 403: PermissionError}
        kept = next((kind for kind in (*kinds.values(), TimeoutError) if type(cause) is kind), OSError)
        kind = kinds.get(status, kept)
        reason = str(cause) or type(cause).__name__
        if reason in (self._address, self._path):
            reason = "not found"
        return kind(f"{self._address}: {reason}")

    def beside(self, extension: str) -> _File | None:
        parts = urlsplit(self._address)
        stem = parts.path.removesuffix(".bga") if parts.path.endswith(".bga") else parts.path
        address = urlunsplit(parts._replace(path=f"{stem}.{extension}"))
        try:
            return _Address(address)
        except (FileNotFoundError, PermissionError):
            # Servers that do not list a folder forbid its missing files.
            return None


class _Changed(OSError):
    """The file has changed since it was opened."""


def _state(info: dict[str, Any]) -> tuple[object, ...]:
    """Return what identifies a version of a file."""
    return tuple(info.get(name) for name in ("size", "ETag", "Last-Modified", "LastModified", "mtime", "blob_id"))

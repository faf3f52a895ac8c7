"""Pictures of 8 bits a channel: as bytes, as files, in notebooks."""

from __future__ import annotations

import os
import pathlib
import struct
import zlib
from dataclasses import dataclass
from typing import Union

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Picture:
    """A picture. data: red, green, blue of each pixel, row by row, from the top left."""

    width: int
    height: int
    data: bytes

    def __post_init__(self) -> None:
        if len(self.data) != 3 * self.width * self.height:
            raise ValueError(f"found {len(self.data)} bytes, expected {3 * self.width * self.height}")

    def __repr__(self) -> str:
        return f"Picture({self.width}x{self.height})"

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        """Red, green and blue, 0 to 255; (0, 0) is the top left."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"pixel {x},{y} lies outside {self.width}x{self.height}")
        at = 3 * (y * self.width + x)
        return self.data[at], self.data[at + 1], self.data[at + 2]

    def png(self) -> bytes:
        """The bytes of a PNG file."""
        row = 3 * self.width
        rows = b"".join(b"\0" + self.data[y * row:(y + 1) * row] for y in range(self.height))
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a .png or .ppm file."""
        file = pathlib.Path(path)
        if file.suffix == ".png":
            file.write_bytes(self.png())
        elif file.suffix == ".ppm":
            file.write_bytes(b"P6\n%d %d\n255\n" % (self.width, self.height) + self.data)
        else:
            raise ValueError(f"{file}: found the extension {file.suffix!r}, expected .png or .ppm")

    def _repr_png_(self) -> bytes:
        return self.png()


def read_picture(path: Union[str, os.PathLike[str]]) -> Picture:
    """A .png or .ppm file that the program wrote: 8 bits a channel, red, green, blue. Other kinds raise ValueError."""
    data = pathlib.Path(path).read_bytes()
    try:
        return _from_png(data) if data.startswith(_SIGNATURE) else _from_ppm(data)
    except (ValueError, struct.error, zlib.error, IndexError) as error:
        raise ValueError(f"{path}: {error}; expected a PNG or P6 file of 8 bits a channel, red, green, blue") from error


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _from_ppm(data: bytes) -> Picture:
    words = data.split(maxsplit=3)
    if len(words) < 4 or words[0] != b"P6":
        raise ValueError("found no P6")
    # Of the white space behind 255 one byte belongs to the head.
    head = len(data) - len(words[3])
    if words[3][:4] != b"255\n":
        raise ValueError(f"found the maximum {words[3][:3]!r}")
    return Picture(int(words[1]), int(words[2]), data[head + 4:])


def _from_png(data: bytes) -> Picture:
    at, packed, head = len(_SIGNATURE), b"", b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            head = body
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    if (depth, colour, interlaced) != (8, 2, 0):
        raise ValueError(f"found depth {depth}, colour type {colour}, interlacing {interlaced}")
    return Picture(width, height, _unfiltered(zlib.decompress(packed), width, height))


def _unfiltered(packed: bytes, width: int, height: int) -> bytes:
    """Undoes PNG's filters (W3C PNG, section 9): each row names how it was predicted from its neighbours."""
    row, above, out = 3 * width, bytes(3 * width), bytearray()
    for y in range(height):
        kind = packed[y * (row + 1)]
        line = bytearray(packed[y * (row + 1) + 1:(y + 1) * (row + 1)])
        if len(line) != row or kind > 4:
            raise ValueError(f"found a damaged row {y}")
        for i in range(row):
            left = line[i - 3] if i >= 3 else 0
            corner = above[i - 3] if i >= 3 else 0
            line[i] = (line[i] + _prediction(kind, left, above[i], corner)) & 255
        out += line
        above = bytes(line)
    return bytes(out)


def _prediction(kind: int, left: int, above: int, corner: int) -> int:
    if kind < 3:
        return (0, left, above)[kind]
    if kind == 3:
        return (left + above) // 2
    guess = left + above - corner
    distances = abs(guess - left), abs(guess - above), abs(guess - corner)
    return (left, above, corner)[distances.index(min(distances))]

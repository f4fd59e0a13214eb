"""PNG files in and out, without a library, for tests of examples."""
import struct
import zlib


def read_png(name):
    """Width, height, channels and bytes of a PNG of 8-bit grey or RGB."""
    with open(name, "rb") as file:
        data = file.read()
    at, compressed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            compressed += body
        at += 12 + length
    width, height, channels = header[0], header[1], 1 if header[3] == 0 else 3
    raw, pitch, rows, above = zlib.decompress(compressed), width * channels, [], bytes(width * channels)
    for y in range(height):
        kind, row = raw[y * (pitch + 1)], bytearray(raw[y * (pitch + 1) + 1:(y + 1) * (pitch + 1)])
        for k in range(pitch):
            left, up, corner = (row[k - channels], above[k], above[k - channels]) if k >= channels else (0, above[k], 0)
            estimate = left + up - corner
            nearest = min((left, up, corner), key=lambda x: abs(estimate - x))
            row[k] = (row[k] + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
        rows.append(bytes(row))
        above = rows[-1]
    return width, height, channels, b"".join(rows)


def grey_png(width, height, pixels):
    """The bytes of a PNG."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = b"".join(b"\0" + bytes(pixels[y * width:(y + 1) * width]) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))

"""What embed_cuda and embed_hip share."""
import struct


def c_array(symbol, data):
    """Bytes, and zeros up to a multiple of eight, as C."""
    data += bytes(-len(data) % 8)
    words = [f"{word:#x}," for word in struct.unpack(f"<{len(data) // 8}Q", data)]
    lines = [" ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    return "\n".join(["#include <stdint.h>", f"extern const uint64_t {symbol}[];", f"const uint64_t {symbol}[] = {{"] + lines) + "\n};\n"

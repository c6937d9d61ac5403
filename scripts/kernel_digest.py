#!/usr/bin/env python3
"""A digest of all kernels and dialects: a plug-in with other ones must not be taken, whatever their names and arguments.
kernel_digest.py OUTPUT DEPFILE    writes it as C"""
import hashlib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted(path for folder in ("dialect", "kernel") for path in (ROOT / folder).iterdir() if path.is_file())


def digest():
    whole = hashlib.sha256()
    for path in FILES:
        data = path.read_bytes()
        whole.update(f"{path.name} {len(data)}\n".encode() + data)
    return whole.hexdigest()[:32]


if __name__ == "__main__":
    output, depfile = sys.argv[1:]
    pathlib.Path(output).write_text(f'extern const char vqx_kernel_digest[];\nconst char vqx_kernel_digest[] = "{digest()}";\n')
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(str(path).replace(' ', chr(92) + ' ') for path in FILES)}\n")

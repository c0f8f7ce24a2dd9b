"""A program whose calls of the system that make files safe are watched: what is on disk before what."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.ranks import environment

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void note(const char* what, const char* path) {
    char line[9000];
    const int length = snprintf(line, sizeof line, "%s %s\n", what, path);
    const int file = open(getenv("WATCHED"), O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (write(file, line, (size_t)length) != length) abort();
    close(file);
}
static void note_descriptor(const char* what, int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    note(what, path);
}
int fsync(int descriptor) {
    note_descriptor("fsync", descriptor);
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(descriptor);
}
ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t at) {
    note_descriptor("write", descriptor);
    ssize_t (*const real)(int, const void*, size_t, off_t) =
        (ssize_t (*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    return real(descriptor, data, bytes, at);
}
int rename(const char* from, const char* to) {
    note("rename", from);
    return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
"""


def calls(folder: Path, script: str) -> list[tuple[str, str]]:
    """("fsync" | "write" | "rename", path) of the script in order; skips where there is no compiler."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    source, library, log = (folder / name for name in ("watched.c", "watched.so", "watched.txt"))
    source.write_text(SOURCE)
    flags = ["-shared", "-fPIC", "-O1", "-Werror", "-Wall"]
    subprocess.run(["cc", *flags, str(source), "-o", str(library), "-ldl"], check=True)
    loaded = [*filter(None, [os.environ.get("LD_PRELOAD")]), str(library)]  # behind a sanitizer
    extra = {"LD_PRELOAD": ":".join(loaded), "WATCHED": str(log)}
    extra["PYTHONDONTWRITEBYTECODE"] = "1"  # Python renames what it compiles
    subprocess.run(
        [sys.executable, "-c", script], env=environment() | extra, check=True, timeout=100, cwd=folder
    )
    found = re.findall(r"^(\w+) (.*)$", log.read_text(), re.MULTILINE)
    return [(what, path if os.path.isabs(path) else str(folder / path)) for what, path in found]

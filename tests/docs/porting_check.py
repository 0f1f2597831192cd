"""Tests the page docs/porting.md: its command ports a program that calls every function of FFTW's headers.

porting_check.py SOURCE HEADERS SCRATCH LIBRARY COMPILER OPTIONS...: HEADERS is the folder of fftw3.h and fftw3-mpi.h.
The program compiles with FFTW before the command. Afterwards it compiles and links with LIBRARY, except for functions
that have no counterpart in the page's tables. The compiler or the linker must report each of these.
"""
import pathlib
import re
import subprocess
import sys

source, headers, scratch = map(pathlib.Path, sys.argv[1:4])
library, compiler = sys.argv[4], sys.argv[5:]
scratch.mkdir(parents=True, exist_ok=True)
page = (source / "docs" / "porting.md").read_text(encoding="utf-8")
PRECISIONS = {"fftw_": "double", "fftwf_": "float"}
EXPECTED = {"fftw3-mpi.h": 37, "fftw3.h": 70}  # functions of FFTW 3.3.8; later versions have more


def prototypes(header):
    """Returns (return type, name without prefix, arguments) for each function of a header."""
    text = (headers / header).read_text().replace("\\\n", "\n").replace("FFTW_CDECL", "")
    manglers = "XM" if header == "fftw3-mpi.h" else "X"
    found = re.findall(r"FFTW_EXTERN\s+([^;]+?)\s*\b" + manglers + r"\s*\((\w+)\)\s*\(([^;]*)\);", text)
    assert len(found) >= EXPECTED[header], f"{headers / header} has {len(found)} functions: {found}"
    return [(kind, ("mpi_" if manglers == "XM" else "") + name, arguments) for kind, name, arguments in found]


def of_precision(prefix, text):
    text = re.sub(r"\bX\((\w+)\)", prefix + r"\1", text)
    return re.sub(r"\bC\b", prefix + "complex", re.sub(r"\bR\b", PRECISIONS[prefix], text))


def calls():
    """For each function of FFTW, writes a C function that calls it, on one line. Returns {line number: name of FFTW's
    function} and the list of lines."""
    lines = ["#include <stdio.h>", "#include <fftw3-mpi.h>"]
    names = {}
    for header in EXPECTED:
        for kind, name, arguments in prototypes(header):
            for prefix in PRECISIONS:
                declared = " ".join(of_precision(prefix, arguments).split())
                returned = of_precision(prefix, kind)
                # Replaces a pointer to a function, type (*name)(arguments), by its name.
                plain = re.sub(r"\(\*(\w+)\)\((?:[^()]|\([^()]*\))*\)", r"\1", declared)
                passed = [] if plain == "void" else [re.search(r"(\w+)$", one)[1] for one in plain.split(",")]
                call = f"{prefix}{name}({', '.join(passed)});"
                lines.append(f"{returned} call_{len(lines)}({declared}); {returned} call_{len(lines)}({declared}) "
                             + "{ " + ("" if returned == "void" else "return ") + call + " }")
                names[len(lines)] = prefix + name
    return names, lines


def compile(name, lines, *options):
    path = scratch / name
    path.write_text("\n".join(lines) + "\n")
    return subprocess.run([*compiler, str(path), *options], capture_output=True, text=True)


def tables():
    """Returns {function of FFTW: its counterpart or None} from the tables of the page."""
    rows = {}
    for line in page.partition("## Functions")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 3 or "`fftw_" not in cells[0]:
            continue
        functions, counterparts = (re.findall(r"`(\w+)`", cell) for cell in cells[:2])
        if counterparts:
            assert len(functions) == len(counterparts), f"{len(counterparts)} counterparts of {functions}"
        else:
            assert cells[1] == "none" and cells[2], f"'{cells[1]}' for {functions}, expected none and the reason"
        for i, function in enumerate(functions):
            assert function not in rows, f"{function} is listed twice"
            rows[function] = counterparts[i] if counterparts else None
    return rows


names, before = calls()
result = compile("before.c", before, "-fsyntax-only", f"-I{headers}")
assert result.returncode == 0, result.stderr
sed = re.search(r"^sed -E '(.*)' program.c", page, re.M)[1]
ported = subprocess.run(["sed", "-E", sed], input="\n".join(before), capture_output=True, text=True, check=True)
after = ported.stdout.splitlines()

rows = tables()
ours = set(re.findall(r"\bhfftf?_\w+(?=\()", ported.stdout))
missing = [name for name in names.values() if name.startswith("fftw_") and name not in rows]
assert not missing, f"docs/porting.md lists no {missing}"
unknown = set(rows) - set(names.values())
assert not unknown, f"{headers} has no {unknown}"
for name, counterpart in rows.items():
    expected = re.sub(r"^fftw_(mpi_)?", "hfft_", name)
    assert counterpart in (None, expected), f"{name}: '{counterpart}', but the command makes {expected}"

# Exactly the lines of functions without a counterpart have errors.
result = compile("after.c", after, "-fsyntax-only", "-Werror=implicit-function-declaration")
failed = {names[int(line)] for line in re.findall(r"after\.c:(\d+):\d+: error", result.stderr)}
absent = {name for name in names.values() if rows[name.replace("fftwf_", "fftw_")] is None}
assert failed == absent, (f"without a counterpart, but not in the table: {sorted(failed - absent)}; in the table, "
                          f"but compiled: {sorted(absent - failed)}\n{result.stderr}")
kept = [line for number, line in enumerate(after, 1) if names.get(number) not in absent]
result = compile("kept.c", kept + ["int main(void) { return 0; }"], "-o", str(scratch / "kept"), library)
assert result.returncode == 0, result.stderr
print(f"{len(kept) - 2} functions ported, {len(absent)} named as missing")

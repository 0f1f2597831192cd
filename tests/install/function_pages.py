"""function_pages.py SOURCE FOLDER: tests the manual pages of functions. Each function of the C headers has a page, the
pages refer to existing pages only, hfft_error has all error codes, and groff reports no mistake."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
subprocess.run([sys.executable, source / "docs" / "site" / "manual_pages.py", source, "9.9.9", folder], check=True)
pages = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.3")}
headers = "".join((source / "include" / "hybridfft" / f"{name}.h").read_text(encoding="utf-8")
                  for name in ("hybridfft", "options", "layout", "operators", "error"))
declared = {f"hfft_{name}" for name in re.findall(r"\bX\((\w+)\)\s*\((?!R|C)", headers)} - {"hfft_plan", "hfft_complex"}
declared |= set(re.findall(r"^HFFT_EXPORT [^;(]*\b(hfft_\w+)\(", headers, re.M))
assert len(declared) > 80 and declared <= set(pages), declared - set(pages)
for name, text in pages.items():
    assert text.startswith(f'.TH {name} 3 "" "HybridFFT 9.9.9"') and text.count(".SH NAME") == 1, name
    assert re.search(rf"^{name} \\- .", text, re.M), name
    for related in re.findall(r"(\w+)\(3\)", text):
        assert related in pages, (name, related)
assert "hfftf_plan_dft_3d is the function" in pages["hfft_plan_dft_3d"] and "hfftf_" not in pages["hfft_work_create"]
codes = re.findall(r"^  (HFFT_\w+)", headers[headers.index("enum hfft_error {"):].split("}")[0], re.M)
assert len(codes) > 15 and all(code in pages["hfft_error"] for code in codes), codes
if shutil.which("groff"):
    said = subprocess.run(["groff", "-man", "-Tutf8", "-ww", *sorted(map(str, folder.glob("*.3")))], check=True,
                          capture_output=True, text=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert not said.stderr, said.stderr[:2000]
print(f"{len(pages)} pages")

"""Writes manual pages of section 3, one for each C function: manual_pages.py SOURCE VERSION FOLDER.

A page has the declaration, the comment of the header, both of Doxygen's XML, and related functions. The page hfft_error
has the codes of errors.
"""
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree as ET

from reference import C_HEADERS, declaration_of, functions, plain


def roff(text):
    """Text without commands of the formatter."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(r"\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def paragraphs(member):
    """The paragraphs of a comment; values of one list are lines of their own."""
    for name in ("briefdescription", "detaileddescription"):
        for paragraph in member.findall(f"{name}/para"):
            items = [plain(item) for item in paragraph.iter("listitem")]
            first = plain(paragraph)
            yield from items or [first]


def read_headers(source, folder):
    """The description of each C header, by Doxygen."""
    config = (source / "docs" / "Doxyfile").read_text(encoding="utf-8")
    headers = " ".join(f"include/hybridfft/{header}" for header in C_HEADERS)
    config += f'INPUT = {headers}\nOUTPUT_DIRECTORY = "{folder}"\nGENERATE_HTML = NO\nGENERATE_XML = YES\n'
    subprocess.run(["doxygen", "-"], cwd=source, input=config, text=True, check=True, stdout=subprocess.DEVNULL)
    for header in C_HEADERS:
        file = pathlib.Path(folder, "xml", header.replace(".", "_8") + ".xml")
        yield header, ET.parse(file).getroot().find("compounddef")


def page(name, version, header, synopsis, text, related):
    parts = [f'.TH {name} 3 "" "HybridFFT {version}" "HybridFFT\'s functions"',
             ".SH NAME", roff(f"{name} - {text[0].split('. ')[0].rstrip('.')}"),
             ".SH SYNOPSIS", ".nf", f".B #include <hybridfft/{header}>", ".PP", roff(synopsis), ".fi",
             ".SH DESCRIPTION", *(f".PP\n{roff(textwrap.fill(paragraph, 100))}" for paragraph in text)]
    parts += [".SH ERRORS", roff("hfft_error(3) lists codes; hfft_last_error_message(3) returns the reason in words."),
              ".SH SEE ALSO", roff(", ".join(f"{other}(3)" for other in related))]
    return "\n".join(parts) + "\n"


def related_to(name, names):
    """Functions next to this one in the header."""
    at = names.index(name)
    return [*names[max(0, at - 4):at], *names[at + 1:at + 5], "hfft_error"]


def pages_of(header, compound, declared, version):
    """Name and text of the page of each function and of the codes."""
    members = {member.findtext("name"): member for member in functions(compound)}
    for name, member in members.items():
        text = list(filter(None, paragraphs(member))) or [name]
        if f"X({name.removeprefix('hfft_')})" in declared:
            text.append(name.replace("hfft_", "hfftf_", 1) + " is the function for single precision.")
        yield name, page(name, version, header, declaration_of(member) + ";", text, related_to(name, list(members)))
    for member in compound.iter("memberdef"):
        if member.findtext("name") == "hfft_error" and member.get("kind") == "enum":
            codes = [f"{value.findtext('name')}: {plain(value.find('briefdescription'))}".rstrip(": ")
                     for value in member.findall("enumvalue")]
            yield "hfft_error", page("hfft_error", version, header, "enum hfft_error;", ["Codes of errors.", *codes],
                                     ["hfft_last_error", "hfft_last_error_message"])


def main(source, version, folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for header, compound in read_headers(source, scratch):
            declared = (source / "include" / "hybridfft" / header).read_text(encoding="utf-8")
            for name, text in pages_of(header, compound, declared, version):
                (folder / f"{name}.3").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]))

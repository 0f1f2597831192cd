"""Writes the pages of the functions of each language: reference.py SOURCE XML FORTRAN PAGES.

A page begins with an example. Functions follow by header or module, each with its declaration and its purpose. XML is
the folder of Doxygen's XML, FORTRAN the generated module, PAGES the folder of the site's pages. The pages of C and C++
link Doxygen's pages in PAGES/reference. Python's functions are read from the sources, without importing them.
"""
import ast
import inspect
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

C_HEADERS = ("hybridfft.h", "options.h", "layout.h", "operators.h", "error.h")


def plain(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def entry(name, declaration, language, text, link=""):
    """A function of a page: heading, declaration, first paragraph, link to all details."""
    details = f" [Details]({link})" if link else ""
    return f"### `{name}`\n\n```{language}\n{declaration}\n```\n\n{text}{details}\n\n"


def anchor(member):
    page, _, fragment = member.get("id").rpartition("_1")
    return f"reference/{page}.html#{fragment}"


def wrapped(declaration, width=100):
    """A declaration in lines of a width, broken behind commas."""
    lines, line = [], ""
    for part in re.split(r"(?<=,) ", declaration):
        if line and len(line) + 1 + len(part) > width:
            lines.append(line)
            line = "    " + part
        else:
            line = f"{line} {part}" if line else part
    return "\n".join([*lines, line])


def purpose(member):
    brief, detail = plain(member.find("briefdescription")), member.find("detaileddescription/para")
    return brief or plain(detail)


def functions(compound):
    """Public functions with a description; overloads follow each other."""
    for member in compound.iter("memberdef"):
        if member.get("kind") == "function" and member.get("prot") == "public":
            yield member


def declaration_of(member):
    template = ", ".join(plain(param.find("type")) for param in member.findall("templateparamlist/param"))
    text = member.findtext("definition") + member.findtext("argsstring")
    return wrapped((f"template <{template}> " if template else "") + text)


def c_page(xml):
    text = ""
    for header in C_HEADERS:
        compound = ET.parse(xml / f"{header.replace('.', '_8')}.xml").getroot().find("compounddef")
        text += f"## {header}\n\n{purpose(compound)} [All of it](reference/{compound.get('id')}.html)\n\n"
        for member in functions(compound):
            text += entry(member.findtext("name"), declaration_of(member), "c", purpose(member), anchor(member))
    return text


def cpp_page(xml):
    index = ET.parse(xml / "index.xml").getroot()
    classes, free = "", ""
    for item in index.findall("compound"):
        name, kind = item.findtext("name"), item.get("kind")
        if not name.startswith("hybridfft") or kind not in ("class", "struct", "namespace"):
            continue
        compound = ET.parse(xml / f"{item.get('refid')}.xml").getroot().find("compounddef")
        if compound.get("prot", "public") != "public":
            continue
        link = f"reference/{compound.get('id')}.html"
        if kind == "namespace":
            for member in functions(compound):
                free += entry(f"{name}::{member.findtext('name')}", declaration_of(member), "cpp", purpose(member),
                              anchor(member))
            continue
        members = {member.findtext("name"): anchor(member) for member in reversed([*functions(compound)])}
        classes += f"### `{name}`\n\n{purpose(compound)} [Details]({link})\n\n"
        listed = ", ".join(f"[`{member}`]({target})" for member, target in reversed(members.items()))
        classes += f"Functions: {listed}\n\n" if members else ""
    return f"## Classes\n\n{classes}## Functions\n\n{free}"


def fortran_page(module, c_functions):
    """Functions and subroutines of the module in double precision, each with a link to C's."""
    text = "## Functions\n\n"
    module = re.sub(r" *&\n *", " ", module)
    pattern = r"^ *((?:[a-z_() ]+ )?(?:function|subroutine) (hfft_\w+)\(.*?\).*?)\n(.*?)^ *end (?:function|subroutine)"
    for found in re.finditer(pattern, module, re.S | re.M):
        arguments = [" ".join(line.split()) for line in found[3].splitlines() if "::" in line]
        header = re.sub(r" bind\(.*\)$", "", found[1])
        text += entry(found[2], "\n".join([wrapped(header), *(f"  {line}" for line in arguments)]), "fortran", "",
                      f"c.md#{found[2]}" if f"### `{found[2]}`" in c_functions else "")
    return text


def signature(node):
    arguments = "(" + re.sub(r"^(self|cls)(, )?", "", ast.unparse(node.args)) + ")"
    if any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list):
        arguments = ""
    return f"{node.name}{arguments}" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def python_class(node, prefix):
    first = next((item for item in node.body if getattr(item, "name", "") in ("__init__", "__new__")), None)
    call = signature(first).removeprefix(first.name).rpartition(" -> ")[0] if first else "()"
    text = entry(prefix + node.name, wrapped(f"class {node.name}{call}"), "python", "")
    text += literal(ast.get_docstring(node))
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            doc = " ".join((ast.get_docstring(item) or "").split("\n\n")[0].split())
            text += f"- `{node.name}.{signature(item)}`: {unrest(doc)}\n"
    return text + "\n"


def unrest(text):
    """Docstrings' marks of code in Markdown."""
    return re.sub(r":\w+:`~?([^`]+)`|``([^`]+)``", lambda found: f"`{found[1] or found[2]}`", text)


def literal(doc):
    """A docstring: its first paragraph as text, its rest as written."""
    first, _, rest = inspect.cleandoc(doc or "").partition("\n\n")
    text = f"{unrest(' '.join(first.split()))}\n\n"
    return text + (f"```text\n{rest}\n```\n\n" if rest else "")


def python_page(package):
    text = ""
    for title, folder in (("hybridfft", package), ("hybridfft.kspace", package / "kspace")):
        text += f"## {title}\n\n"
        init = (folder / "__init__.py").read_text(encoding="utf-8")
        names = set(re.findall(r'"(\w+)"', init[init.index("__all__"):]))
        library = folder / "library.py"
        if "_library.__all__" in init:
            names |= set(re.findall(r'"(\w+)"', library.read_text(encoding="utf-8").split("__all__")[1].split("]")[0]))
        for path in sorted(folder.glob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if getattr(node, "name", None) not in names:
                    continue
                if isinstance(node, ast.ClassDef):
                    text += python_class(node, "")
                else:
                    text += entry(node.name, wrapped(signature(node)), "python", "") + literal(ast.get_docstring(node))
    return text


def example(source, name, language):
    """The file, or the first block of a page."""
    text = (source / name).read_text(encoding="utf-8")
    if name.endswith(".md"):
        text = re.search(rf"^```{language}\n(.*?)^```", text, re.S | re.M)[1]
    return f"```{language}\n{text.strip()}\n```\n\n"


def main(source, xml, fortran, pages):
    see = {"c": "[Plans](docs/plans.md) and [layouts](docs/layouts.md) explain the calls. `hfftf_` instead of `hfft_` "
                "is single precision.",
           "cpp": "[Plans](docs/plans.md) and [layouts](docs/layouts.md) explain the classes.",
           "fortran": "[Linking](docs/install.md#linking) has the commands. `hfftf_` instead of `hfft_` is single "
                      "precision. The [functions in C](c.md) describe the arguments.",
           "python": "[Python](docs/python.md) explains the package."}
    c_functions = c_page(xml)
    module = fortran.read_text(encoding="utf-8")
    parts = {"c": ("C", "tests/examples/first.c", c_functions),
             "cpp": ("C++", "tests/examples/example.cpp", cpp_page(xml)),
             "fortran": ("Fortran", "tests/examples/poisson.f90", fortran_page(module, c_functions)),
             "python": ("Python", "docs/python.md", python_page(source / "lib/python/hybridfft"))}
    for name, (title, program, functions_text) in parts.items():
        text = f"# Functions in {title}\n\n{example(source, program, name)}{see[name]}\n\n{functions_text}"
        (pages / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))

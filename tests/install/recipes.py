"""recipes.py SOURCE VERSION: compares the recipes of EasyBuild and Apptainer with the project. EasyBuild's has the
version, options and installed files of this project. Apptainer's has the commands of the Containerfile, which
install.container builds."""

import pathlib
import re
import sys

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
(path,) = (source / "pkgconfig" / "easybuild").glob("*.eb")
recipe = {"SOURCE_TAR_GZ": "%(name)s-%(version)s.tar.gz", "SHLIB_EXT": "so"}
exec(path.read_text(encoding="utf-8"), recipe)
toolchain = "-".join(recipe["toolchain"][key] for key in ("name", "version"))
assert recipe["version"] == version, (recipe["version"], version)
assert path.name == f"{recipe['name']}-{version}-{toolchain}.eb", path.name
options = re.findall(r"-D(\w+)=(\w+)", recipe["configopts"])
known = (source / "CMakeLists.txt").read_text(encoding="utf-8")
for name, value in options:
    assert re.search(rf"\b{name}\b", known) and value in ("ON", "OFF"), (name, value)
assert len(options) == 6, options
for name in recipe["sanity_check_paths"]["files"]:
    program = re.fullmatch(r"bin/(.*)", name)
    assert not program or list((source / "tools").glob(f"{program[1]}.*")), name


def commands(text):
    """Commands of a recipe's steps, one line each."""
    lines = text.replace("\\\n", " ").replace("RUN", "")
    return {" ".join(command.split()) for command in re.split("&&|\n", lines)}


container = commands((source / "pkgconfig" / "Containerfile").read_text(encoding="utf-8"))
apptainer = commands((source / "pkgconfig" / "hybridfft.def").read_text(encoding="utf-8"))
steps = {command for command in container if re.match(r"(tools/|apt-get|cmake|python3|CMAKE|rm) ?", command)}
assert len(steps) == 10 and steps <= apptainer, (len(steps), steps - apptainer)
print("all done")

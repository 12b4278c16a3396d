"""The C++ of all IDL files of Debian's package omniorb-idl.

usage: foreign_files.py generate PERIGEE-IDL OMNIORB-FOLDER OUR-FOLDER OUTPUT-FOLDER
       foreign_files.py check    PERIGEE-IDL OMNIORB-FOLDER OUR-FOLDER

generate: writes the C++ of all files except those of the list REFUSED, with --any, to OUTPUT-FOLDER. Also writes
C_0.cpp and so on. Each of them includes the sources of many files, since compiling Perigee's headers takes most of the
time. foreign_types.h has FOREIGN_TYPES_FOR_EACH(X): X(C++ type) for each type.
check: the files of the list REFUSED, and no others, are refused, each for its reason.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LOCAL_BASE = "an interface that is not local cannot have a local base"

# Files that are not generated, with the reason. This list may only shrink.
REFUSED = {
    # Older than local interfaces. Their interfaces have local bases, but only comments say that
    # they are local ("locality constrained"). CORBA 3 requires the keyword `local`.
    "NRService.idl": LOCAL_BASE,
    "SecurityAdmin.idl": LOCAL_BASE,
    "SecurityLevel1.idl": LOCAL_BASE,
    "SecurityLevel2.idl": LOCAL_BASE,
    # Uses the classic mapping's environment as a parameter of remote operations.
    "CosTSPortability.idl": "a value of the native type '::CORBA::Environment' cannot be passed to another process",
}
# Generated, but not compiled. If the file includes a refused file, the value is that file.
UNCOMPILED = {
    "SecurityReplaceable.idl": "SecurityLevel2.idl",
    "poa.idl": None,                             # Perigee itself declares these names
    "poa_include.idl": None,
}
# Defines the same names as another file: in separate units.
ALONE = ["Naming.idl"]

UNITS = {"C": 3, "A": 1, "S": 1}
FILE_COUNT = 71


def all_files(omniorb):
    return sorted(pathlib.Path(omniorb).rglob("*.idl"), key=lambda file: file.name)


def options(omniorb, ours):
    return ["-Wno-undefined-forward", "-I", str(omniorb), "-I", f"{omniorb}/COS", "-I", str(ours)]


def run(compiler, file, folders, *more):
    return subprocess.run([compiler, *options(*folders), *more, str(file)], capture_output=True, text=True,
                          timeout=60, check=False)


# ---- check -----------------------------------------------------------------------------------------


def check_file(compiler, file, folders, output):
    """What is wrong with one file, or nothing."""
    result = run(compiler, file, folders, "--any", "-Werror", "-o", output)
    reason = REFUSED.get(file.name)
    if reason is None:
        return result.stderr if result.returncode != 0 else ""
    if result.returncode == 0:
        return f"{file.name} can be generated now: take it off the list"
    return "" if f"error: {reason}" in result.stderr else result.stderr


def check(compiler, *folders):
    files = all_files(folders[0])
    with tempfile.TemporaryDirectory() as output:
        failures = [failure for file in files if (failure := check_file(compiler, file, folders, output))]
        for name, missing in UNCOMPILED.items():
            header = pathlib.Path(output, pathlib.Path(name).stem + "C.h").read_text(encoding="utf-8")
            if missing and f'"{pathlib.Path(missing).stem}C.h"' not in header:
                failures.append(f"{name} does not include {missing} any more: take it off the list")
    names = {file.name for file in files}
    failures += [f"{name} is not there" for name in [*REFUSED, *UNCOMPILED, *ALONE] if name not in names]
    if len(files) < FILE_COUNT:
        failures.append(f"only {len(files)} of {FILE_COUNT} files are there")
    print("\n".join(failures) or f"{len(files) - len(REFUSED)} of {len(files)} files are generated")
    return 1 if failures else 0


# ---- generate --------------------------------------------------------------------------------------

CONTAINER = re.compile(r"^ *(module|(?:local |abstract )?interface|struct|union|exception) (\S+)")
VALUE = re.compile(r"^ *(?:(?:struct|union|exception|enum) (\S+)|typedef (\S+) : ((?:sequence<|string<|any).*|.*\]))")


def types_of(model):
    """The scoped names of the values that a file defines itself, from --dump-model: not those of local
    interfaces, which are never marshalled."""
    scopes, types, local = [], [], []
    for line in model.splitlines():
        del scopes[(len(line) - len(line.lstrip())) // 2:]
        container, value = CONTAINER.match(line), VALUE.match(line)
        if value and not line.endswith(" imported") and not any(f"<{name}" in line for name in local):
            types.append("::".join(["", *scopes, value.group(1) or value.group(2)]))
        scopes.append(container.group(2) if container else "")
        if container and container.group(1) == "local interface":
            local.append("::".join(["", *scopes]))
    return types


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def inclusion(output, stem, part, number):
    """The lines of a unit that include one source. The sources of several files may define TypeCode nodes of one name,
    for interfaces that they only declare: macros rename these nodes in each source."""
    source = output / f"{stem}{part}.cpp"
    nodes = sorted(set(re.findall(r"\b_forward_\w+", source.read_text(encoding="utf-8"))))
    before = "".join(f"#define {node} {node}_{number}\n" for node in nodes)
    after = "".join(f"#undef {node}\n" for node in nodes)
    return f'{before}#include "{source.name}"\n{after}'


def write_unit(output, name, stems):
    text = "".join(inclusion(output, stem, name[0], number) for number, stem in enumerate(stems))
    write_if_changed(output / f"{name}.cpp", text)


def write_units(stems, output):
    together = [stem for stem in stems if f"{stem}.idl" not in ALONE]
    for part, count in UNITS.items():
        for index in range(count):
            write_unit(output, f"{part}_{index}", together[index::count])
        write_unit(output, f"{part}_alone", [stem for stem in stems if stem not in together])


def generate(compiler, omniorb, ours, output):
    output, folders = pathlib.Path(output), (omniorb, ours)
    output.mkdir(parents=True, exist_ok=True)
    stems, types = [], []
    files = [file for file in all_files(omniorb) if file.name not in REFUSED]
    for file in [*files, pathlib.Path(ours, "IOP.idl")]:  # some files include it
        # Some files declare names of module CORBA that the ORB's headers have, too, and all are compiled together.
        result = run(compiler, file, folders, "--any", "--include-orb=none", "-o", str(output))
        if result.returncode != 0:
            sys.exit(result.stderr)
        if file.name in UNCOMPILED:
            continue
        stems.append(file.stem)
        if file.name not in ALONE:
            types += types_of(run(compiler, file, folders, "--dump-model").stdout)
    write_units(stems, output)
    includes = "".join(f'#include "{stem}C.h"\n' for stem in stems if f"{stem}.idl" not in ALONE)
    rows = " \\\n".join(f"  X({name})" for name in types)
    write_if_changed(output / "foreign_types.h",
                     f"#pragma once\n{includes}#define FOREIGN_TYPES_FOR_EACH(X) \\\n{rows}\n")


if __name__ == "__main__":
    sys.exit({"generate": generate, "check": check}[sys.argv[1]](*sys.argv[2:]))

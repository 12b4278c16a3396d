"""All IDL files of Debian's package omniorb-idl parse, check and survive --dump-model.

usage: test_omniorb_files.py <perigee-idl> <omniORB's folder of IDL> <our folder of IDL>

The files include <orb.idl> and others by bare names, so -I names the two folders of the package, as
omniidl itself does. Three files include IOP.idl of the OMG, which the package lacks. So omniidl cannot
compile these three files. The test uses Perigee's IOP.idl. Two files declare interfaces that only other
files define, hence -Wno-undefined-forward.
"""

import pathlib
import subprocess
import sys

FILE_COUNT = 71


def dump(compiler, file, folders):
    options = [word for folder in folders for word in ("-I", str(folder))]
    return subprocess.run([compiler, "--dump-model", "-Werror", "-Wno-undefined-forward", *options, str(file)],
                          capture_output=True, text=True, timeout=60, check=False)


def main():
    compiler, omniorb, ours = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    folders = [omniorb, omniorb / "COS", ours]
    files = sorted(omniorb.rglob("*.idl"))
    failures = []
    for file in files:
        result = dump(compiler, file, folders)
        if result.returncode != 0 or result.stderr or ("IDL:" not in result.stdout):
            failures.append(f"{file}: exit status {result.returncode}\n{result.stderr}")
    if len(files) < FILE_COUNT:
        failures.append(f"only {len(files)} of {FILE_COUNT} files are in {omniorb}")
    print("\n".join(failures) or f"{len(files)} files compile without errors and warnings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

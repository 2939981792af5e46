"""What is in the wheel and in the sdist."""

import re
import tarfile

from tests.tidy.project import ROOT, files

SIZE_LIMIT_BYTES = 20_000_000
MODULE = "bentpipe/_core.abi3.so"


def test_one_wheel_fits_python_3_11_and_later_and_c_libraries_from_2_17_on(wheel):
    """PEP 425 and PEP 600; Rust itself needs glibc 2.17."""
    interpreter, abi, platform = wheel.stem.split("-")[-3:]
    assert (interpreter, abi) == ("cp311", "abi3")
    assert set(platform.split(".")) == {"manylinux_2_17_x86_64", "manylinux2014_x86_64"}


def test_the_wheel_is_below_20_megabytes_and_has_nothing_for_a_debugger(wheel, archive):
    assert wheel.stat().st_size < SIZE_LIMIT_BYTES
    module = archive.read(MODULE)
    assert b"\0.text\0" in module
    assert b"\0.debug_info\0" not in module


def test_the_module_is_the_only_library_in_the_wheel(archive):
    """libbpf, libelf and zlib are within it: auditwheel would have laid others into bentpipe.libs."""
    assert [name for name in archive.namelist() if ".so" in name] == [MODULE]


def test_every_file_of_the_package_is_in_the_wheel(archive):
    package = ROOT / "python"
    of_the_package = {str(path.relative_to(package)) for path in files() if path.is_relative_to(package)}
    assert any(name.endswith("/scenario.toml") for name in of_the_package)
    assert of_the_package - set(archive.namelist()) == set()


def test_the_module_has_the_congestion_controls_for_the_kernel(archive):
    """Their licence stands in each object, as the kernel asks for it (crates/bpf/c)."""
    assert archive.read(MODULE).count(b"Dual MIT/GPL") >= 2


def test_the_licences_of_what_is_within_the_module_are_beside_it(archive):
    (name,) = (name for name in archive.namelist() if name.endswith("THIRD-PARTY.txt"))
    notices = archive.read(name).decode()
    assert re.search(r"^rustls \d+\S+: Apache-2.0 OR ISC OR MIT$", notices, re.MULTILINE)
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in notices
    # What runs in the compiler alone is not in the module.
    assert not re.search(r"^syn \d", notices, re.MULTILINE)


def test_no_path_of_the_machine_that_built_it_is_in_the_wheel(archive):
    of_a_machine = re.compile(rb"/(?:home|root|Users)/\w[\w./-]*|" + re.escape(str(ROOT).encode()))
    for name in archive.namelist():
        assert of_a_machine.findall(archive.read(name))[:3] == [], name


def test_the_sdist_has_what_cargo_needs(sdist):
    """It builds: the wheel was built from it."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    patched = {f"build/patched/{path.stem}/Cargo.toml" for path in (ROOT / "patches").glob("*.patch")}
    assert {"Cargo.lock", "Cargo.toml", "LICENSE", "pyproject.toml", "crates/bpf/c/vivace.bpf.c"} <= names
    assert patched and patched <= names

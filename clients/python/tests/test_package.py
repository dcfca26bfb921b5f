"""What is built: a wheel from the checkout, and one from its own source distribution."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(
    not (ROOT.parents[1] / "proto").is_dir(), reason="the proto files of the checkout are not here"
)


def build(root: Path, target: str, into: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    subprocess.run(command, check=True, cwd=root, capture_output=True)
    (made,) = into.iterdir()
    return made


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_a_wheel_has_all_that_a_source_distribution_makes_and_works_alone(tmp_path: Path) -> None:
    source = build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / source.name.removesuffix(".tar.gz")
    assert (unpacked / "proto/broadside/v1/agent.proto").is_file()
    assert not (unpacked / "src/broadside_arena/v1").exists()
    again = build(unpacked, "wheel", tmp_path / "again")
    wheel = build(ROOT, "wheel", tmp_path / "wheel")
    assert names(again) == names(wheel)
    package = {
        "py.typed",
        "v1/agent_pb2.py",
        "v1/agent_pb2.pyi",
        "v1/agent_pb2_grpc.py",
        "v1/agent_pb2_grpc.pyi",
        "env/aec.py",
    }
    assert {f"broadside_arena/{name}" for name in package} <= names(wheel)
    assert not any(name.startswith(("broadside/", "tests/")) for name in names(wheel))

    code = f"import sys; sys.path.insert(0, {str(again)!r}); import broadside_arena as b; print(b.__file__, b.pb.Turn.DESCRIPTOR.full_name)"
    environment = {**os.environ, "PYTHONPATH": ""}
    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert said.stdout.split() == [f"{again}/broadside_arena/__init__.py", "broadside.v1.Turn"]


def test_the_oldest_protobuf_that_is_allowed_is_that_of_the_generated_code() -> None:
    generated = (ROOT / "src/broadside_arena/v1/agent_pb2.py").read_text()
    (version,) = (line.rpartition(" ")[2] for line in generated.splitlines() if "Protobuf Python Version" in line)
    (bounds,) = (
        line for line in (ROOT / "pyproject.toml").read_text().splitlines() if line.startswith("dependencies = ")
    )
    major = int(version.partition(".")[0])
    # A runtime takes generated code of its own major version and of the one before.
    assert f"protobuf>={version},<{major + 2}" in ast.literal_eval(bounds.partition(" = ")[2])

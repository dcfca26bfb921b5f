"""Generates broadside_arena.v1, the contract's messages and services with their types, from the proto files: a hook of the build."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "src/broadside_arena/v1"


class GenerateHook(BuildHookInterface[Any]):
    """Runs protoc before a wheel is built, and gives a source distribution the proto files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before each build."""
        root = Path(self.root)
        proto = find_proto(root)
        if self.target_name == "sdist":
            build_data["force_include"][str(proto / "broadside")] = "proto/broadside"
            return
        generate(proto, root / PACKAGE)
        build_data["artifacts"].append(f"/{PACKAGE}/*.py*")


def find_proto(root: Path) -> Path:
    """The folder of the proto files: a source distribution's own, or that of the checkout."""
    for folder in (root / "proto", root.parents[1] / "proto"):
        if (folder / "broadside/v1/agent.proto").is_file():
            return folder
    raise SystemExit(f"no broadside/v1/agent.proto in {root / 'proto'} or in {root.parents[1] / 'proto'}")


def generate(proto: Path, package: Path) -> None:
    """Writes the modules and their stubs into the package; whole files at a time, since two builds may run at once."""
    files = sorted(path.relative_to(proto).as_posix() for path in proto.glob("broadside/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={proto}"]
        command += [f"--{plugin}_out={folder}" for plugin in ("python", "grpc_python", "mypy", "mypy_grpc")]
        # The plugin for stubs is a script beside this interpreter.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
        done = subprocess.run(
            [*command, *files], check=False, capture_output=True, text=True, env={**os.environ, "PATH": path}
        )
        if done.returncode != 0:
            raise SystemExit(f"protoc failed:\n{done.stdout}{done.stderr}")
        made = {
            path.name: inside_the_package(path.read_text("utf-8")) for path in Path(folder, "broadside/v1").iterdir()
        }
    # Only files with services have anything in their _grpc module.
    made = {name: text for name, text in made.items() if "_grpc" not in name or "Stub" in text}
    package.mkdir(exist_ok=True)
    made["__init__.py"] = (
        '"""The contract, generated from proto/broadside/v1: use it by broadside_arena.pb and broadside_arena.rpc."""\n'
    )
    for name, text in made.items():
        fresh = package / f".{name}.{os.getpid()}"
        fresh.write_text(text, "utf-8")
        fresh.replace(package / name)


def inside_the_package(text: str) -> str:
    """Generated code imports its like from where the proto files lie; here it is part of this package, and claims no other name."""
    return re.sub(r"^from broadside\.v1 import ", "from broadside_arena.v1 import ", text, flags=re.MULTILINE)

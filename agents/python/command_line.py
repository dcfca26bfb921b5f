"""The command line, the same for both bots."""

from __future__ import annotations

import argparse
import logging
import re
from dataclasses import dataclass

import grpc

from contract import pb
from player import rng
from session import Access, server_credentials

ADDRESS = re.compile(r"(https?://)?[^\s/@]+:(\d{1,5})")


def is_address(address: str, schemes: bool) -> bool:
    """Whether it is HOST:PORT, with a scheme before it where that is allowed."""
    parts = ADDRESS.fullmatch(address)
    return parts is not None and int(parts[2]) < 2**16 and (schemes or not parts[1])


@dataclass(frozen=True)
class Arguments:
    """What is to be done: `serve` is an address to serve at; without one the bot dials `access`."""

    profile: pb.AgentProfile
    access: Access | None
    serve: str | None
    credentials: grpc.ServerCredentials | None


def parse(description: str, arguments: list[str] | None = None) -> Arguments:
    """Reads the command line and starts the log. Exits with 2 if something is wrong."""
    parser = argparse.ArgumentParser(description=description)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--connect",
        metavar="ADDRESS",
        default="127.0.0.1:4600",
        help="dial the arena at HOST:PORT or https://HOST:PORT (default: %(default)s)",
    )
    parser.add_argument("--ca", metavar="FILE", help="trust this authority at an https:// address; in PEM")
    where.add_argument("--serve", metavar="HOST:PORT", help="let the arena dial this address; port 0 takes a free one")
    parser.add_argument("--tls-cert", metavar="FILE", help="with --serve: serve TLS with this certificate; in PEM")
    parser.add_argument("--tls-key", metavar="FILE", help="its private key; in PEM")
    parser.add_argument("--name", default="python-bot", help="its name, one bot a name (default: %(default)s)")
    parser.add_argument("--matches", type=int, default=8, metavar="N", help="matches at once (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="makes its random moves the same every time, with one match at a time"
    )
    args = parser.parse_args(arguments)
    if not 1 <= args.matches < 2**32:
        parser.error("--matches must be at least 1")
    if not is_address(args.connect, schemes=True):
        parser.error(f"--connect {args.connect} is no address: HOST:PORT or https://HOST:PORT")
    if args.serve is not None and not is_address(args.serve, schemes=False):
        parser.error(f"--serve {args.serve} is no address: HOST:PORT")
    if args.ca and (args.serve or not args.connect.startswith("https://")):
        parser.error("--ca is for an arena at an https:// address")
    if (args.tls_cert is None) != (args.tls_key is None) or (args.tls_cert and not args.serve):
        parser.error("--tls-cert and --tls-key go together, and with --serve")

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    rng.seed(args.seed)
    variants = [number for number in pb.Variant.values() if number != pb.VARIANT_UNSPECIFIED]
    profile = pb.AgentProfile(name=args.name, variants=variants, max_matches=args.matches, wants_legal_moves=True)
    try:
        credentials = server_credentials(args.tls_cert, args.tls_key) if args.tls_cert else None
        access = None if args.serve else Access.to(args.connect, args.ca)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    return Arguments(profile, access, args.serve, credentials)

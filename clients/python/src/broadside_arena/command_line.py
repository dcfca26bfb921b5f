"""A bot as a program: its command line, and its exit status."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .reaching import split
from .running import Exit

if TYPE_CHECKING:
    from .bot import Bot


def main(kind: type[Bot], arguments: Sequence[str] | None = None) -> int:
    """Reads the command line, makes a bot of this kind and runs it."""
    parser = argparse.ArgumentParser(
        description=(kind.__doc__ or "A bot for Broadside.").partition("\n")[0],
        epilog="A token is taken from BROADSIDE_TOKEN in the environment. Exit status: 0 told to leave, 1 refused by the arena or "
        "address taken, 2 wrong usage, 3 another bot took the name over.",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--connect",
        metavar="ADDRESS",
        default="127.0.0.1:4600",
        help="dial the arena at HOST:PORT or https://HOST:PORT (%(default)s)",
    )
    where.add_argument("--serve", metavar="HOST:PORT", help="let the arena dial this address; port 0 takes a free one")
    parser.add_argument("--ca", metavar="FILE", help="trust this authority at an https:// address; in PEM")
    parser.add_argument("--tls-cert", metavar="FILE", help="with --serve: serve TLS with this certificate; in PEM")
    parser.add_argument("--tls-key", metavar="FILE", help="its private key; in PEM")
    parser.add_argument("--name", default="python-bot", help="its name, one bot a name (%(default)s)")
    parser.add_argument("--matches", type=int, default=8, metavar="N", help="matches at once (%(default)s)")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="makes its random choices the same every time, with one match at a time"
    )
    args = parser.parse_args(arguments)
    if (args.tls_cert is None) != (args.tls_key is None):
        parser.error("--tls-cert and --tls-key go together")
    if args.tls_cert and not args.serve:
        parser.error("--tls-cert and --tls-key are for --serve")
    if args.ca and (args.serve or not args.connect.startswith("https://")):
        parser.error("--ca is for an arena at an https:// address")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    try:
        if not args.serve:
            split(args.connect)
        bot = kind(args.name, matches=args.matches, seed=args.seed)
        if args.serve:
            return bot.serve(args.serve, cert=args.tls_cert, key=args.tls_key)
        return bot.run(args.connect, ca=args.ca)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return Exit.USAGE

/** Where an arena or a bot is: HOST:PORT, or a URL. */

import { UsageError } from "./exit.js";

export interface Address {
  host: string;
  port: number;
  tls: boolean;
}

const FORM = /^(?:(?<scheme>https?):\/\/)?(?<host>\[[0-9a-fA-F:.]+\]|[^:/[\]\s]+):(?<port>\d{1,5})\/?$/;

/** Reads the address of an option that takes a URL, too. */
export function parseAddress(text: string, option: string): Address {
  const { scheme, host, port } = FORM.exec(text)?.groups ?? {};
  const number = Number(port);
  if (host === undefined || number > 65_535) {
    throw new UsageError(`${option} ${text}: no address; it must be HOST:PORT, http://HOST:PORT or https://HOST:PORT`);
  }
  return { host, port: number, tls: scheme === "https" };
}

/** Reads the HOST:PORT of an option. */
export function parseHostPort(text: string, option: string): Address {
  if (text.includes("/")) throw new UsageError(`${option} ${text}: no address; it must be HOST:PORT`);
  return parseAddress(text, option);
}

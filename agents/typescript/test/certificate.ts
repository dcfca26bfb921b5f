/** A certificate for 127.0.0.1 that nobody else trusts. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function certificate(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "bot-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test".split(" ");
  const files = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", keyFile, "-out", certFile];
  execFileSync("openssl", [...request, ...files], { stdio: "pipe" });
  return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

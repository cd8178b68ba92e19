import { networkInterfaces } from "node:os";
import { SetupError } from "./setup-error.ts";

/** The address that only this machine reaches. */
export const loopback = "127.0.0.1";

/**
 * Read the address at which the public API, sockets and files are served: `localhost`, or an IPv4 address that this
 * machine has in a network. Answers contain it, so it cannot be a placeholder such as `0.0.0.0`.
 * @throws SetupError that lists the possible ones
 */
export function parseHost(text: string): string {
  const possible = [loopback, ...networkAddresses()];
  const host = text === "localhost" ? loopback : text;
  if (possible.includes(host)) return host;
  throw new SetupError(`--host must be an address of this machine (${possible.join(", ")}), not ${text}`);
}

const networkAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ family, internal }) => family === "IPv4" && !internal).map(({ address }) => address),
  );

/**
 * The text at the start that tells who can connect, and which host name to use. `filesUrl` is the address of the S3
 * emulator.
 */
export function describeReach(
  host: string,
  { publicUrl, filesUrl, chatUrl }: { publicUrl: string; filesUrl: string; chatUrl: string },
): string {
  if (host === loopback)
    return "Only this machine can connect. In a browser, call the API by the host name of the page: localhost or 127.0.0.1.";
  return (
    `WARNING: anybody who reaches ${host} in its networks can use the public API and sockets (port ${portOf(publicUrl)}) and\n` +
    `         files (port ${portOf(filesUrl)}), without encryption. Internal API, console and data stay on this machine.\n` +
    `Phones and pages: use ${publicUrl} for the API, and open pages by the host name ${host}, too.\n` +
    `Chat on a phone: ${chatUrl}, with a self-signed certificate.`
  );
}

const portOf = (url: string): string => URL.parse(url)?.port ?? "";

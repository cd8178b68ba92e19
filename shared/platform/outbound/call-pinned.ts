import type { X509Certificate } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { isIP } from "node:net";
import { connect, getCACertificates, type TLSSocket } from "node:tls";
import { rsaFingerprint } from "./rsa-key.ts";

/** The peer is not the expected one: it has another key, or an untrusted certificate. */
export class WrongPeerError extends Error {
  override readonly name = "WrongPeerError";
}

/** The answer exceeds the caller's limit. */
class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

/** The peer announces its answer (status 1xx) again and again instead of giving it. */
class TooManyAnnouncementsError extends Error {
  override readonly name = "TooManyAnnouncementsError";
}

/** Reading an endless flood of announcements would block other calls until their own time limits pass. */
const mostAnnouncements = 10;

export interface PinnedCall {
  readonly url: URL;
  /** The only addresses to connect to; see `resolveHost`. */
  readonly addresses: Promise<readonly LookupAddress[]>;
  /**
   * Fingerprints of RSA keys, one of which the peer must prove; see `rsaFingerprint`. Absent: only the certificate's
   * authority counts.
   */
  readonly fingerprints?: readonly string[];
  /** Certificates of additional trusted authorities, in PEM. */
  readonly authorities?: readonly string[];
  /** Whether a peer on loopback may have any certificate, where no fingerprints are given. */
  readonly trustsLoopback?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Body of a POST, as an object or as JSON text; without it, the call is a GET. */
  readonly json?: object | string;
  /** Time limit for everything, from connecting to the last byte of the answer. */
  readonly timeoutMilliseconds: number;
  /** Limit on the body of the answer; absent: the body is not read at all. */
  readonly maxAnswerBytes?: number | undefined;
}

export interface PinnedAnswer {
  readonly status: number;
  readonly body: string;
}

/** Only signatures of RSA keys, so that a server with several certificates presents that one. */
const rsaSignatures = [
  "rsa_pss_rsae_sha256",
  "rsa_pss_rsae_sha384",
  "rsa_pss_rsae_sha512",
  "RSA+SHA256",
  "RSA+SHA384",
  "RSA+SHA512",
].join(":");

/**
 * Make one HTTPS call, over a connection of its own, to a peer known by its key. Nothing is sent before the peer has
 * proved the key, and redirects are not followed.
 *
 * @throws WrongPeerError, AnswerTooLargeError, TooManyAnnouncementsError, and Node's errors when there is no connection or no answer in time
 */
export async function callPinned(call: PinnedCall): Promise<PinnedAnswer> {
  const signal = AbortSignal.timeout(call.timeoutMilliseconds);
  const addresses = await Promise.race([call.addresses, rejectedBy(signal)]);
  const socket = open(call, addresses);
  try {
    await once(socket, "secureConnect", { signal });
    if (call.fingerprints !== undefined) checkPeer(socket, call.fingerprints);
    else if (!call.trustsLoopback || !isLoopback(socket.remoteAddress)) checkTrust(socket);
    return await exchange(socket, call, signal);
  } finally {
    socket.destroy();
  }
}

const rejectedBy = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

function open(
  { url, fingerprints, authorities = [] }: PinnedCall,
  addresses: readonly LookupAddress[],
): TLSSocket {
  const host = hostOf(url);
  const socket = connect({
    host,
    port: Number(url.port || 443),
    // Names only: addresses are not allowed there (RFC 6066 §3).
    servername: isIP(host) === 0 ? host : "",
    lookup: (_hostname, _options, found) => found(null, [...addresses]),
    minVersion: "TLSv1.2",
    ...(fingerprints !== undefined && { sigalgs: rsaSignatures }),
    ...(authorities.length > 0 && { ca: [...getCACertificates(), ...authorities] }),
    ALPNProtocols: ["http/1.1"],
    // `checkPeer` or `checkTrust` decides: Node knows nothing of pinned keys.
    rejectUnauthorized: false,
  });
  // Callers that wait get the error; without one, it must not end the process.
  return socket.on("error", () => undefined);
}

/** Host of a URL, as name resolution and TLS want it: an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/**
 * The key decides. A self-signed certificate must be valid today; any other must, as usual, come from a trusted
 * authority and be for this name.
 */
function checkPeer(socket: TLSSocket, fingerprints: readonly string[]): void {
  const certificate = socket.getPeerX509Certificate();
  const fingerprint = certificate && rsaFingerprint(certificate.publicKey);
  if (certificate === undefined || fingerprint === undefined || !fingerprints.includes(fingerprint))
    throw new WrongPeerError("another key");
  if (isSelfSigned(certificate)) {
    if (!isValidNow(certificate)) throw new WrongPeerError("a certificate outside its validity");
  } else {
    checkTrust(socket);
  }
}

/** The certificate must come from a trusted authority, be valid, and be for this name. */
function checkTrust({ authorized, authorizationError }: TLSSocket): void {
  if (!authorized) throw new WrongPeerError(`a certificate that cannot be trusted: ${authorizationError}`);
}

const isLoopback = (address: string | undefined) =>
  address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);

/**
 * `checkIssued` cannot tell: it is false for keys that are not meant to sign certificates, such as those of servers.
 */
const isSelfSigned = (certificate: X509Certificate) =>
  certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);

const isValidNow = ({ validFromDate, validToDate }: X509Certificate, now = Date.now()) =>
  validFromDate.getTime() <= now && now <= validToDate.getTime();

async function exchange(
  socket: TLSSocket,
  { url, headers, json, maxAnswerBytes }: PinnedCall,
  signal: AbortSignal,
): Promise<PinnedAnswer> {
  const sending = request(url, {
    method: json === undefined ? "GET" : "POST",
    headers: json === undefined ? headers : { ...headers, "content-type": "application/json" },
    signal,
    createConnection: () => socket,
  });
  sending.on("error", () => undefined);
  let announcements = 0;
  sending.on("information", () => {
    if (++announcements > mostAnnouncements)
      sending.destroy(new TooManyAnnouncementsError(`more than ${mostAnnouncements}`));
  });
  sending.end(typeof json === "string" ? json : json && JSON.stringify(json));
  const [answer] = (await once(sending, "response", { signal })) as [IncomingMessage];
  const body = maxAnswerBytes === undefined ? "" : await readText(answer, maxAnswerBytes);
  // An answer without a length ends with its connection, even if we close that.
  signal.throwIfAborted();
  return { status: answer.statusCode ?? 0, body };
}

async function readText(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new AnswerTooLargeError(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

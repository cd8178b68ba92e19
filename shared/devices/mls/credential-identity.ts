import { type KeyObject, X509Certificate } from "node:crypto";
import { canonicalDeviceId } from "#shared/platform/http/device-id.ts";
import { urisNamedBy } from "./alternative-names.ts";
import type { Credential } from "./leaf-node.ts";

/** A device as a member of a group. */
export interface DeviceIdentity {
  readonly userId: string;
  readonly clientId: string;
  readonly domain: string;
}

/**
 * Whether a credential belongs to a device. A basic one is `<user>:<client>@<domain>`. A certificate contains this in a
 * URI of its subject alternative name, after any scheme, or in the short form that fits there, `<user id in
 * base64url>!<client>@<domain>`; it also has to certify the key of the leaf. Clients check who issued it. The id of the
 * device may be padded with zeros.
 */
export const isCredentialOf = (credential: Credential, device: DeviceIdentity, leafKey: KeyObject): boolean =>
  namesIn(credential, leafKey).some((name) => isNameOf(name, device, credential));

/** The device that a credential names; undefined when it names none in the forms above. */
export const deviceNamedBy = (credential: Credential, leafKey: KeyObject): DeviceIdentity | undefined =>
  namesIn(credential, leafKey)
    .flatMap((name) => {
      const device = parseIdentity(name);
      return device !== undefined && isNameOf(name, device, credential) ? [device] : [];
    })
    .at(0);

/** Names that a certificate may have: those of its device, and a few that only its issuer needs. */
const maxNames = 16;

/**
 * The identity of its device in a credential. A certificate is parsed only once, because the time for that grows with
 * its bytes.
 */
function namesIn(credential: Credential, leafKey: KeyObject): string[] {
  if (credential.type === "basic") return [credential.identity.toString()];
  const certificate = parseCertificate(credential.certificates[0]);
  if (certificate === undefined || !certifies(certificate, leafKey)) return [];
  return urisNamedBy(certificate.raw, maxNames).map((uri) => withoutScheme(uri).replaceAll("%21", "!"));
}

function isNameOf(
  text: string,
  { userId, clientId, domain }: DeviceIdentity,
  { type }: Pick<Credential, "type">,
): boolean {
  const name = withCanonicalDeviceId(text);
  if (name === `${userId}:${clientId}@${domain}`) return true;
  const shortUserId = Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");
  return type === "x509" && name === `${shortUserId}!${clientId}@${domain}`;
}

const withoutScheme = (uri: string) => uri.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");

function parseIdentity(text: string): DeviceIdentity | undefined {
  const [, user = "", separator, clientId = "", domain = ""] =
    /^([\w-]+)([:!])([0-9a-f]+)@(.+)$/i.exec(text) ?? [];
  const bytes =
    separator === "!" ? Buffer.from(user, "base64url") : Buffer.from(user.replaceAll("-", ""), "hex");
  if (bytes.length !== 16) return undefined;
  const hex = bytes.toString("hex");
  const userId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { userId, clientId: canonicalDeviceId(clientId), domain };
}

/** An identity as above, with the device's id in its canonical form. */
export const withCanonicalDeviceId = (identity: string): string =>
  identity.replace(/(?<=[:!])[0-9a-f]+(?=@)/i, canonicalDeviceId);

/** A certificate has one or two kilobytes; parsing one takes much longer than reading other bytes. */
const maxCertificateBytes = 16 * 1024;

function parseCertificate(bytes: Buffer | undefined): X509Certificate | undefined {
  if (bytes !== undefined && bytes.length > maxCertificateBytes) return undefined;
  try {
    const certificate = new X509Certificate(bytes ?? "");
    // The constructor would also accept PEM, which MLS does not allow.
    return bytes?.equals(certificate.raw) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function certifies(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.publicKey.equals(key);
  } catch {
    // A key of an unknown type cannot be the leaf's.
    return false;
  }
}

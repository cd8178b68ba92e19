import { randomUUID } from "node:crypto";
import { parse as parseUuid } from "uuid";
import * as z from "zod";
import { findDevice } from "#shared/devices/device.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { signCompact } from "#shared/sessions/tokens/jwt.ts";
import { toPrivateKey } from "#shared/sessions/tokens/signing-keys.ts";
import type { Deps } from "./deps.ts";
import { verifyDpopProof } from "./verify-dpop-proof.ts";

/** Content of the secret `dpop-key`; the first key signs. */
const keySet = z.object({
  keys: z.array(z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string(), d: z.string() })),
});

export interface DpopAccessToken {
  readonly token: string;
  readonly lifetimeSeconds: number;
}

/**
 * Issue a token by which a device proves its owner to a certificate authority. It names user, team, device and the key
 * that signed the proof (RFC 9449). The device's nonce is used up even if the proof is refused.
 *
 * @param request.uri address of the request, without query
 * @throws ApiError `client-not-found`, `missing-handle`, `not-a-team-user`, `no-server-key-bundle`, `client-token-…`
 * @see operation `create-access-token`
 */
export async function createAccessToken(
  deps: Deps,
  { userId, clientId, proof, uri }: { userId: string; clientId: string; proof: string; uri: string },
): Promise<DpopAccessToken> {
  const { accounts, clock, devices, nonces, secrets, settings } = deps;
  const { domain, vendor, setDpopTokenExpirationTimeSecs: lifetimeSeconds } = settings;
  const [account, ownDevices, { keys }] = await Promise.all([
    accounts.get(userId),
    devices.get(userId),
    secrets.get("dpop-key", (text) => keySet.parse(JSON.parse(text))),
    mayCommit(),
  ]);
  if (account === undefined || findDevice(ownDevices, clientId) === undefined)
    throw new ApiError("client-not-found");
  const { handle, name, teamId } = account;
  if (handle === undefined) throw new ApiError("missing-handle");
  if (teamId === undefined) throw new ApiError("not-a-team-user");
  const [key] = keys;
  if (key === undefined) throw new ApiError("no-server-key-bundle");

  const nonce = await nonces.take(userId, clientId);
  if (nonce === undefined) throw new ApiError("client-token-bad-nonce");
  const scheme = `${vendor}app`;
  const subject = `${scheme}://${base64url(parseUuid(userId))}!${clientId}@${domain}`;
  const now = clock();
  const { jwkThumbprint, audience, challenge } = await verifyDpopProof(
    proof,
    {
      nonce,
      method: "POST",
      uri,
      subject,
      user: { handle: `${scheme}://%40${handle}@${domain}`, team: teamId, name },
    },
    now,
  );

  const { d, ...publicKey } = key;
  const issuedAt = toSeconds(now);
  const claims = {
    iss: uri,
    sub: subject,
    aud: audience,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    jti: randomUUID(),
    nonce,
    chal: challenge,
    // RFC 9449 §6.1 names `jkt`; the authorities in use read `kid`.
    cnf: { jkt: jwkThumbprint, kid: jwkThumbprint },
    client_id: subject,
    scope: `${vendor}_client_id`,
    proof,
  };
  const header = { alg: "EdDSA", typ: "at+jwt", jwk: publicKey };
  const token = signCompact(header, claims, toPrivateKey({ ...publicKey, d }));
  return { token, lifetimeSeconds };
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

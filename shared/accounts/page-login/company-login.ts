import * as z from "zod";
import type { JwtSigner, JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import type { LoggedIn } from "./check-log-in.ts";

/**
 * A login on our pages through an identity provider. The pages give the browser an order, with which it starts a login;
 * the login gives it a proof, with which it comes back. Both name the session of the page on which the login began.
 * Only that browser has its cookie, so neither is of use in another browser.
 */

/** Seconds for which a proof is valid: it is used by the redirect that carries it. */
const proofLifetimeSeconds = 60;

/** Longest order that fits into an address. */
export const maxOrderLength = 6144;

/** Path on our pages to which a login leads back, where an order or a request of an earlier version names none. */
export const usualReturnPath = "/account/company";

const order = z.object({
  /** Id of the page session. */
  sid: z.uuid(),
  /** Id of the identity provider. */
  idp: z.uuid(),
  /** Path on our pages, with a query or without. */
  returnTo: z.string().default(usualReturnPath),
  /** Whether a login that the person has made at the company before does not suffice. */
  isFresh: z.literal(true).optional(),
});
export type Order = z.infer<typeof order>;

const proof = z.object({
  sid: z.uuid(),
  /** The user who has logged in, and the account's `sessionEpoch` at that time. */
  sub: z.uuid(),
  epoch: z.int(),
  /** When the company asked the person to log in, in Unix seconds. */
  authTime: z.int().optional(),
});
type Proof = z.infer<typeof proof>;

interface Signing {
  readonly signer: JwtSigner;
}
interface Verifying {
  readonly jwtVerifier: JwtVerifier;
}

/** @param exp Unix seconds until which the login can be started */
export const signOrder = ({ signer }: Signing, content: Order, exp: number): Promise<string> =>
  signer.sign("company-order+jwt", { ...content, exp });

/** The order of a login through this identity provider, if it is ours. */
export async function verifyOrder(
  { jwtVerifier }: Verifying,
  text: string,
  idpId: string,
): Promise<Order | undefined> {
  const { data } = order.safeParse(await jwtVerifier.verify("company-order+jwt", text, ["exp"]));
  return data?.idp === idpId ? data : undefined;
}

/** Address to which a browser returns after a login. */
export async function returnLocation(
  { signer }: Signing,
  returnTo: string,
  content: Proof,
  nowSeconds: number,
): Promise<string> {
  const text = await signer.sign("company-proof+jwt", { ...content, exp: nowSeconds + proofLifetimeSeconds });
  return `${returnTo}${returnTo.includes("?") ? "&" : "?"}${new URLSearchParams({ proof: text })}`;
}

/** The user who has logged in, if the login was for this page session. */
export async function verifyProof(
  { jwtVerifier }: Verifying,
  text: string,
  sid: string,
): Promise<LoggedIn | undefined> {
  const { data } = proof.safeParse(await jwtVerifier.verify("company-proof+jwt", text, ["exp"]));
  return data?.sid === sid ? data : undefined;
}

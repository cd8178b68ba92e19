import * as z from "zod";
import type { JwtSigner, JwtVerifier } from "#shared/sessions/tokens/jwt.ts";

/**
 * A login on the account pages through an identity provider. The pages give the browser an order, with which it starts
 * a login; the login gives it a proof, with which it comes back. Both name the session of the page on which the login
 * began. Only that browser has its cookie, so neither is of use in another browser.
 */

/** Path to which a login leads back, with the proof in the query. */
const companyReturnPath = "/account/company";

/** Seconds for which a proof is valid: it is used by the redirect that carries it. */
const proofLifetimeSeconds = 60;

const order = z.object({
  /** Id of the page session. */
  sid: z.uuid(),
  /** Id of the identity provider. */
  idp: z.uuid(),
});
type Order = z.infer<typeof order>;

const proof = z.object({
  sid: z.uuid(),
  /** The user who has logged in, and the account's `sessionEpoch` at that time. */
  sub: z.uuid(),
  epoch: z.int(),
});
export type Proof = z.infer<typeof proof>;

interface Signing {
  readonly signer: JwtSigner;
}
interface Verifying {
  readonly jwtVerifier: JwtVerifier;
}

/** @param exp Unix seconds until which the login can be started */
export const signOrder = ({ signer }: Signing, content: Order, exp: number): Promise<string> =>
  signer.sign("company-order+jwt", { ...content, exp });

/** Id of the page session that ordered a login through this identity provider, if any. */
export async function verifyOrder(
  { jwtVerifier }: Verifying,
  text: string,
  idpId: string,
): Promise<string | undefined> {
  const { data } = order.safeParse(await jwtVerifier.verify("company-order+jwt", text, ["exp"]));
  return data?.idp === idpId ? data.sid : undefined;
}

/** Address to which a browser returns after a login. */
export async function returnLocation(
  { signer }: Signing,
  content: Proof,
  nowSeconds: number,
): Promise<string> {
  const text = await signer.sign("company-proof+jwt", { ...content, exp: nowSeconds + proofLifetimeSeconds });
  return `${companyReturnPath}?${new URLSearchParams({ proof: text })}`;
}

/** The user who has logged in, if the login was for this page session. */
export async function verifyProof(
  { jwtVerifier }: Verifying,
  text: string,
  sid: string,
): Promise<Proof | undefined> {
  const { data } = proof.safeParse(await jwtVerifier.verify("company-proof+jwt", text, ["exp"]));
  return data?.sid === sid ? data : undefined;
}

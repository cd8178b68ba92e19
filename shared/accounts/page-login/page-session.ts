import { createHmac, randomUUID } from "node:crypto";
import * as z from "zod";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { JwtSigner, JwtType, JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import type { Account } from "../account.ts";
import type { AccountDeps } from "../account-deps.ts";
import { logInProblems } from "./log-in-pages.ts";

/** Pages that share a session of their own. */
export interface PageFlow {
  readonly cookieName: string;
  /** Path that browsers send the cookie to, with all below it. */
  readonly path: string;
  /** No other flow accepts its tokens. */
  readonly tokenType: JwtType;
  readonly lifetimeSeconds: (settings: Settings) => number;
}

/** How far a browser has come in the flow. */
const pageSession = z.object({
  /** Changes with each step, to prevent session fixation. */
  sid: z.uuid(),
  step: z.enum(["started", "password-given", "logged-in"]),
  sub: z.uuid().optional(),
  /** The account's `sessionEpoch` at the login: revoking all cookies ends this session, too. */
  epoch: z.int().optional(),
  /** When the person logged in, in unix seconds. */
  authTime: z.int().optional(),
  /** The identity to which the login was charged; kept between password and code. */
  loginBy: z.string().optional(),
  /** Whether the person wants another account than that of the account pages. */
  isSeparate: z.literal(true).optional(),
  /** The problem with the last form; shown once. */
  problem: z.enum(logInProblems).optional(),
  /** Its input, apart from the password. */
  identity: z.string().optional(),
  /** Id of the cookie's record among the sessions of the user, where the login made one. */
  cookieId: z.int().optional(),
  /** Unix seconds at which the session ends; absent: its lifetime after the last step. */
  until: z.int().optional(),
  /** The outcome or the problem of the last form; shown once. */
  outcome: z.string().optional(),
});
export type PageSession = z.infer<typeof pageSession>;

/** Read the browser's session; undefined if there is no valid one. */
export async function readSession(
  { jwtVerifier }: { readonly jwtVerifier: JwtVerifier },
  { cookieName, tokenType }: PageFlow,
  cookies: (name: string) => readonly string[],
): Promise<PageSession | undefined> {
  for (const text of cookies(cookieName)) {
    const claims = await jwtVerifier.verify(tokenType, text, ["exp"]);
    const session = pageSession.safeParse(claims);
    if (session.success) return session.data;
  }
  return undefined;
}

export const newSession = (
  step: PageSession["step"],
  content: Omit<PageSession, "sid" | "step"> = {},
): PageSession => ({ sid: randomUUID(), step, ...content });

/** `Set-Cookie` value of a session: for these pages only, and not sent with forms of other sites. */
export async function sessionCookie(
  { clock, settings, signer }: { clock: Clock; settings: Settings; signer: JwtSigner },
  { cookieName, lifetimeSeconds, path, tokenType }: PageFlow,
  session: PageSession,
): Promise<string> {
  const now = toSeconds(clock());
  const exp = session.until ?? now + lifetimeSeconds(settings);
  const token = await signer.sign(tokenType, { ...session, exp });
  return `${cookieName}=${token}; Path=${path}; Max-Age=${Math.max(0, exp - now)}; HttpOnly; Secure; SameSite=Lax`;
}

interface Form {
  readonly flow: PageFlow;
  /** Query of the request that the form belongs to. */
  readonly query: string;
}

/** Token that a form must send back. Nobody else can create it, and it is valid only for this request and session. */
export async function formToken(
  { secrets }: { readonly secrets: SecretReader },
  { sid }: PageSession,
  { flow, query }: Form,
): Promise<string> {
  const key = await secrets.text("code-key");
  return createHmac("sha256", key).update(`${flow.cookieName}\n${sid}\n${query}`).digest("base64url");
}

export async function isFormOf(
  deps: { readonly secrets: SecretReader },
  session: PageSession,
  { token, ...form }: Form & { readonly token: string },
): Promise<boolean> {
  return isSameSecret(token, await formToken(deps, session, form));
}

/** The account that is logged in; undefined before the login, and once all its cookies have been revoked. */
export async function currentUser(
  { accounts }: Pick<AccountDeps, "accounts">,
  { step, sub, epoch }: PageSession,
): Promise<Account | undefined> {
  if (step !== "logged-in" || sub === undefined) return undefined;
  const account = await accounts.get(sub);
  return account?.status === "active" && account.sessionEpoch === epoch ? account : undefined;
}

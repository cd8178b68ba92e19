import { createHmac, randomUUID } from "node:crypto";
import * as z from "zod";
import { toSeconds } from "#shared/platform/clock.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { Deps } from "./deps.ts";
import { stepProblems } from "./pages/texts.ts";

/** How far a browser has come in the flow. */
const pageSession = z.object({
  /** Changes with each step, to prevent session fixation. */
  sid: z.uuid(),
  step: z.enum(["started", "password-given", "logged-in"]),
  sub: z.uuid().optional(),
  /** The account's `sessionEpoch` at the login: revoking all cookies ends this session, too. */
  epoch: z.int().optional(),
  /** The identity to which the login was charged; kept between password and code. */
  loginBy: z.string().optional(),
  /** The problem with the last form; shown once. */
  problem: z.enum(stepProblems).optional(),
  /** Its input, apart from the password. */
  identity: z.string().optional(),
});
export type PageSession = z.infer<typeof pageSession>;

const cookieName = "authorize-session";

/** Read the browser's session; undefined if there is no valid one. */
export async function readSession(
  { jwtVerifier }: Deps,
  cookies: (name: string) => readonly string[],
): Promise<PageSession | undefined> {
  for (const text of cookies(cookieName)) {
    const claims = await jwtVerifier.verify("authorize-session+jwt", text, ["exp"]);
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
  { clock, settings, signer }: Deps,
  session: PageSession,
): Promise<string> {
  const lifetime = settings.setOAuthPageSessionSecs;
  const exp = toSeconds(clock()) + lifetime;
  const token = await signer.sign("authorize-session+jwt", { ...session, exp });
  return `${cookieName}=${token}; Path=/authorize; Max-Age=${lifetime}; HttpOnly; Secure; SameSite=Lax`;
}

/** Token that a form must send back. Nobody else can create it, and it is valid only for this request and session. */
export async function formToken({ secrets }: Deps, { sid }: PageSession, query: string): Promise<string> {
  const key = await secrets.text("code-key");
  return createHmac("sha256", key).update(`authorize-form\n${sid}\n${query}`).digest("base64url");
}

export async function isFormOf(
  deps: Deps,
  session: PageSession,
  { query, token }: { query: string; token: string },
): Promise<boolean> {
  return isSameSecret(token, await formToken(deps, session, query));
}

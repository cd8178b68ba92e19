import { createHash } from "node:crypto";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { chooseLocale, type Translations } from "#shared/platform/html/choose-locale.ts";
import { type FormHeaders, requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import type { Html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import { hasOwnerRights, isTeamAdmin, type Member } from "#shared/teams/member.ts";
import type { Account } from "../account.ts";
import type { AccountDeps } from "../account-deps.ts";
import { accountFlow, visitorOf } from "../page-login/account-session.ts";
import { type PageSession, readSession } from "../page-login/page-session.ts";
import type { TeamFrame } from "./layout.ts";
import { de } from "./locales/de.ts";
import { en } from "./locales/en.ts";
import { es } from "./locales/es.ts";
import { fr } from "./locales/fr.ts";
import { type TeamOutcome, teamProblems } from "./outcomes.ts";
import { isOwnersOnly, type TeamPageName, teamPaths } from "./team-paths.ts";
import type { TeamTexts } from "./texts.ts";

type Deps = Pick<AccountDeps, "accounts" | "clock" | "sessions" | "settings" | "teams"> & {
  readonly config: { readonly publicUrl: string };
  readonly jwtVerifier: JwtVerifier;
};

/** A request of a browser. */
interface TeamRequest {
  readonly headers: FormHeaders;
  readonly cookiesNamed: (name: string) => readonly string[];
}

/** An admin or owner of a team who is logged in on the account pages. */
export interface TeamVisitor {
  readonly account: Account;
  readonly member: Member;
  readonly teamId: string;
  readonly userId: string;
  readonly session: PageSession;
}

/** Where people log in, and find the links that are for them. */
const elsewhere = { status: 303, headers: { location: "/account/profile" } } as const;

/** The admin in whose browser a page is opened; undefined for anybody who may not see it. */
export async function findTeamVisitor(
  deps: Deps,
  page: TeamPageName,
  { cookiesNamed }: Pick<TeamRequest, "cookiesNamed">,
): Promise<TeamVisitor | undefined> {
  const session = await readSession(deps, accountFlow, cookiesNamed);
  const visitor = session && (await visitorOf(deps, session));
  const { userId, teamId } = visitor?.account ?? {};
  if (visitor === undefined || userId === undefined || teamId === undefined) return undefined;
  const member = await deps.teams.getMember({ teamId, userId });
  if (member === undefined || !isTeamAdmin(member)) return undefined;
  if (isOwnersOnly(page) && !hasOwnerRights(member)) return undefined;
  return { account: visitor.account, member, teamId, userId, session: visitor.session };
}

/** The content of a page, with a title of its own if it has one. */
type Content = Html | { readonly title: string; readonly body: Html };

/** Show a page of a team to its admins; others are led to the account pages. */
export async function showTeamPage(
  deps: Deps,
  page: TeamPageName,
  { query, ...request }: TeamRequest & { readonly query: { readonly outcome?: TeamOutcome | undefined } },
  content: (frame: TeamFrame, visitor: TeamVisitor) => Promise<Content> | Content,
) {
  const visitor = await findTeamVisitor(deps, page, request);
  if (visitor === undefined) return elsewhere;
  const { account, member, session } = visitor;
  const language = chooseLocale(request.headers["Accept-Language"]);
  const texts = teamTranslations[language];
  const { email, phone, handle, passwordHash } = account;
  const frame: TeamFrame = {
    ...{ texts, language, formToken: tokenOf(session), outcome: query.outcome },
    isOwner: hasOwnerRights(member),
    identity: email === undefined ? (phone ?? handle) : toUnicodeAddress(email),
    hasPassword: passwordHash !== undefined,
  };
  const shown = await content(frame, visitor);
  const { title, body } = "body" in shown ? shown : { title: texts.titles[page], body: shown };
  return { status: 200, ...renderPage({ language, settings: deps.settings, title, body }) } as const;
}

/**
 * Take the step of a form that we gave to this browser; an outdated form leads to its page and does nothing.
 *
 * @param act returns what it has done
 * @throws ApiError `bad-request` for a form of another site
 */
export async function onTeamForm(
  deps: Deps,
  page: TeamPageName,
  { body, ...request }: TeamRequest & { readonly body: { readonly form_token: string } },
  act: (visitor: TeamVisitor) => Promise<TeamOutcome>,
) {
  requireSameOrigin(request.headers, deps.config.publicUrl);
  const visitor = await findTeamVisitor(deps, page, request);
  if (visitor === undefined) return elsewhere;
  const isOurs = isSameSecret(body.form_token, tokenOf(visitor.session));
  const outcome = isOurs ? await orProblem(() => act(visitor)) : undefined;
  return { status: 303, headers: { location: locationOf(page, outcome) } } as const;
}

const locationOf = (page: TeamPageName, outcome: TeamOutcome | undefined) =>
  outcome === undefined ? teamPaths[page] : `${teamPaths[page]}?${new URLSearchParams({ outcome })}`;

async function orProblem(action: () => Promise<TeamOutcome>): Promise<TeamOutcome> {
  try {
    return await action();
  } catch (error) {
    const problem = teamProblems[toApiError(error).error];
    if (problem === undefined) throw error;
    return problem;
  }
}

/**
 * Token that a form must send back. The id of a session in which somebody is logged in is only in the browser's cookie,
 * so these functions need no key for it.
 */
const tokenOf = ({ sid }: PageSession): string =>
  createHash("sha256").update(`team-pages\n${sid}`).digest("base64url");

export const teamTranslations: Translations<TeamTexts> = { en, de, es, fr };

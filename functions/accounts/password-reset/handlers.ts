import * as accountTypes from "#shared/accounts/account-types.ts";
import { isLive, isLiveByKey, linkKey } from "#shared/codes/code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { maxShownLength } from "#shared/platform/html/typed-fields.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import { completeReset } from "./complete-reset.ts";
import type { Deps } from "./deps.ts";
import { askPage, completionPage, donePage, linkedPage } from "./pages/reset-pages.ts";
import { translations } from "./pages/texts.ts";
import { requestReset, resetTarget } from "./request-reset.ts";
import type { ResetProblem, routes } from "./routes.ts";

/** Last version that reveals that a reset is pending; later ones respond as if there were none. */
const lastRevealingVersion = 5;

/** Path above all pages of a reset. */
const pagePath = "/password-reset/page";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const pages = pagesFor(translations, deps.settings);

  const next = (
    path: string,
    query: { readonly problem?: ResetProblem; readonly key?: string; readonly code?: string } = {},
    cookies?: readonly string[],
  ) => {
    const search = new URLSearchParams({ ...query }).toString();
    return {
      status: 303,
      headers: { location: pagePath + path + (search && `?${search}`) },
      cookies,
    } as const;
  };

  const resetByForm = async (
    form: { code: string; password: string } & ({ key: string } | { address: string }),
    sourceIp: string,
  ): Promise<ResetProblem | undefined> => {
    const { code, password } = form;
    if (!accountTypes.newPassword.safeParse(password).success) return "short-password";
    return attempt(async () => {
      const { key } = "key" in form ? form : await resetTarget(deps, toAddress(form.address));
      await completeReset(deps, { key, code, password }, sourceIp);
    });
  };

  return {
    "post-password-reset": async ({ body, sourceIp, version }) => {
      await requestReset(deps, { ...body, revealsPending: version <= lastRevealingVersion }, sourceIp);
      return {};
    },

    "post-password-reset-complete": async ({ body: { code, password, key, ...address }, sourceIp }) => {
      const target = key ?? (await resetTarget(deps, address)).key;
      await completeReset(deps, { code, password, key: target }, sourceIp);
      return {};
    },

    "get-password-reset-page": ({ query, headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.ask.title, askPage(texts, query));
    },

    "post-password-reset-request": async ({ body: { address }, headers, sourceIp }) => {
      requireSameOrigin(headers, deps.config.publicUrl);
      const request = { ...toAddress(address), revealsPending: false };
      const problem = await attempt(() => requestReset(deps, request, sourceIp));
      return problem === undefined
        ? next("/complete", {}, [addressCookie(address)])
        : next("/request", { problem });
    },

    "get-password-reset-completion-page": ({ query, headers, cookiesNamed }) => {
      const { texts, page } = pages(headers);
      const { key, code, problem } = query;
      const { productName } = deps.settings;
      const content = { problem, address: readAddress(cookiesNamed) };
      const body =
        key === undefined || code === undefined
          ? completionPage(texts, content)
          : linkedPage(texts, { ...content, key, code, productName });
      return page(texts.complete.title, body);
    },

    "post-password-reset-completion": async ({ body, headers, sourceIp }) => {
      requireSameOrigin(headers, deps.config.publicUrl);
      const problem = await resetByForm(body, sourceIp);
      if (problem === undefined) return next("/done", {}, [clearedAddress]);
      if ("address" in body) return next("/complete", { problem }, [addressCookie(body.address)]);
      const { key, code } = body;
      return problem === "wrong-code"
        ? next("/request", { problem: "dead-link" })
        : next("/complete", { problem, key, code });
    },

    "get-password-reset-done-page": ({ headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.done.title, donePage(texts));
    },

    "i-get-password-reset-code": async ({ query }) => ({ body: await findPendingReset(deps, query) }),
  };
}

/** Reads the text of the field: a phone number begins with its country code. */
function toAddress(text: string): { email: string } | { phone: string } {
  const address = text.trim();
  return address.startsWith("+") ? { phone: address } : { email: address };
}

const cookieName = "password-reset-address";
const attributes = "Path=/password-reset/page; HttpOnly; Secure; SameSite=Strict";

/**
 * `Set-Cookie` value that saves typing the address again; unlike a query, a cookie appears in no history and no log.
 */
const addressCookie = (address: string): string =>
  `${cookieName}=${Buffer.from(address.trim().slice(0, maxShownLength)).toString("base64url")}; Max-Age=900; ${attributes}`;

const clearedAddress = `${cookieName}=; Max-Age=0; ${attributes}`;

/** The address that the browser has asked for, if any. It proves nothing: anybody can set a cookie. */
function readAddress(cookiesNamed: (name: string) => readonly string[]): string | undefined {
  const address = Buffer.from(cookiesNamed(cookieName)[0] ?? "", "base64url").toString();
  return address === "" ? undefined : address.slice(0, maxShownLength);
}

const problems: Partial<Record<ErrorName, ResetProblem>> = {
  "invalid-email": "invalid-address",
  "invalid-phone": "invalid-address",
  "too-many-requests": "too-many-attempts",
  "reset-code-rejected": "wrong-code",
  "password-must-differ": "same-password",
};

/** Take the step of a form. @returns what the user has to correct; every other error is thrown */
async function attempt(step: () => Promise<void>): Promise<ResetProblem | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    const problem = problems[toApiError(error).error];
    if (problem === undefined) throw error;
    return problem;
  }
}

/** Find the live reset code of an address, and the key that its mail contains. @throws ApiError `no-password-reset`, `invalid-email`, `invalid-phone` */
async function findPendingReset(
  deps: Deps,
  address: { email?: string; phone?: string },
): Promise<{ key: string; code: string }> {
  const { clock, codes, verificationCodes } = deps;
  const { key, claim } = await resetTarget(deps, address);
  const pending = claim && (await codes.get("password-reset", key));
  const now = toSeconds(clock());
  if (pending === undefined || !(isLive(pending, now) || isLiveByKey(pending, now)))
    throw new ApiError("no-password-reset");
  return { key: linkKey(key, pending), code: await verificationCodes.derive({ ...pending, codeKey: key }) };
}

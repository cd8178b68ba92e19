import type { Brand } from "#shared/platform/html/brand.ts";
import { chooseLocale, type Locale } from "#shared/platform/html/choose-locale.ts";
import { html } from "#shared/platform/html/html.ts";
import { type RenderedPage, sourceOf } from "#shared/platform/html/page.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input, Reply } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { finalizeLogin } from "./finalize-login.ts";
import { type AuthnRequest, checkLogin, initiateLogin } from "./initiate-login.ts";
import { renderDocument } from "./pages/render-document.ts";
import { denialPage, successPage } from "./pages/result-page.ts";
import { translations } from "./pages/texts.ts";
import type { routes, StartHeaders } from "./routes.ts";

type StartQuery = Input<(typeof routes)["auth-req"]>["query"];
type FinishInput = Pick<
  Input<(typeof routes)["auth-resp-legacy"]>,
  "body" | "headers" | "host" | "requestId" | "sourceIp"
>;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;

  const redirectsIn = ({ success_redirect: success, error_redirect: error }: StartQuery) => ({
    success,
    error,
  });

  async function finish(
    { body, headers, host, requestId, sourceIp }: FinishInput,
    teamId: string | undefined,
  ): Promise<Reply<(typeof routes)["auth-resp"]>> {
    const result = await finalizeLogin(deps, {
      samlResponse: body.SAMLResponse,
      teamId,
      host,
      sourceIp,
      requestId,
    });
    const surroundings = { language: chooseLocale(headers["Accept-Language"]), settings };
    const { kind, location } = result;
    if (kind === "restart") return { status: 303, headers: { location } };
    if (kind === "denied") {
      return location === undefined
        ? { status: 200, ...denialPage({ ...result, requestId }, surroundings) }
        : { status: 303, headers: { location }, body: [...result.reasons] };
    }
    if (kind === "recognised") return { status: 303, headers: { location } };
    const cookies = [result.setCookie];
    return location === undefined
      ? { status: 200, cookies, ...successPage(surroundings) }
      : { status: 303, cookies, headers: { location } };
  }

  return {
    "auth-req-precheck": async ({ params, query, host }) => {
      await checkLogin(deps, { idpId: params.idp, host, ...redirectsIn(query) });
      return {};
    },

    "auth-req": async ({ params, query, headers, host, sourceIp }) => {
      checkOpened(headers);
      const { label, order } = query;
      const command = { idpId: params.idp, host, label, order, sourceIp, ...redirectsIn(query) };
      const request = await initiateLogin(deps, command);
      return requestPage(request, { language: chooseLocale(headers["Accept-Language"]), settings });
    },

    "auth-resp-legacy": (input) => finish(input, undefined),
    "auth-resp": (input) => finish(input, input.params.team),
  };
}

/**
 * Refuse requests that no user has opened: otherwise, other sites could use up their visitors' limit of logins by
 * images or hidden frames.
 *
 * @throws ApiError `login-not-opened`
 */
function checkOpened({
  "Sec-Fetch-Dest": destination,
  "Sec-Fetch-Mode": mode,
  "Sec-Fetch-Site": site,
  "Sec-Purpose": secPurpose,
  Purpose: purpose,
}: StartHeaders): void {
  const isFetchedAhead = [secPurpose, purpose].some((text) => text?.startsWith("prefetch"));
  const isPartOfPage = mode === "no-cors";
  const isEmbedded = site === "cross-site" && (mode !== "navigate" || destination !== "document");
  if (isFetchedAhead || isPartOfPage || isEmbedded) throw new ApiError("login-not-opened");
}

const submit = "document.forms[0].submit()";

/** The page that takes a browser to the identity provider (SAML bindings 3.5.4): its form submits itself. */
export function requestPage(
  { requestUri, samlRequest }: AuthnRequest,
  { language, settings }: { readonly language: Locale; readonly settings: Brand },
): RenderedPage {
  const { leaving } = translations[language];
  return renderDocument({
    language,
    settings,
    title: leaving.heading,
    // Hashes apply to elements only, unless event handlers are included explicitly.
    scriptSources: ["'unsafe-hashes'", sourceOf(submit)],
    hasForm: true,
    onLoad: submit,
    content: html`<h1>${leaving.heading}</h1>
<p>${leaving.text}</p>
<form action="${requestUri}" method="post" accept-charset="utf-8">
<input type="hidden" name="SAMLRequest" value="${samlRequest}"/>
<div class="actions"><button type="submit" class="primary">${leaving.submit}</button></div>
</form>`,
  });
}

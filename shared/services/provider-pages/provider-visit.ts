import { createHmac } from "node:crypto";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import type { Config } from "#shared/platform/config.ts";
import { type FormHeaders, requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { ActiveProvider } from "#shared/services/provider.ts";
import type { ProviderStore } from "#shared/services/provider-store.ts";
import { providerCookie } from "#shared/sessions/tokens/authenticate.ts";
import type { TokenVerifier } from "#shared/sessions/tokens/token-verifier.ts";

interface Deps {
  readonly config: Config;
  readonly providers: ProviderStore;
  readonly secrets: SecretReader;
  readonly verifier: TokenVerifier;
}

/** A browser's request for a page of providers. */
export interface ProviderPageRequest {
  readonly headers: FormHeaders;
  readonly cookiesNamed: (name: string) => readonly string[];
}

/** A provider on its pages, with the token that its forms must send back. */
export interface ProviderVisit {
  readonly provider: ActiveProvider;
  readonly formToken: string;
}

/** Page on which providers log in. */
export const providerHome = "/provider/page/account";

/** The provider that has logged in with this browser, by the cookie that also opens the operations of providers. */
export async function providerVisit(
  { providers, secrets, verifier }: Deps,
  { cookiesNamed }: Pick<ProviderPageRequest, "cookiesNamed">,
): Promise<ProviderVisit | undefined> {
  const [text] = cookiesNamed(providerCookie);
  const found = text === undefined ? undefined : await verifier.verify(text);
  if (found?.outcome !== "valid" || found.token.type !== "provider") return undefined;
  const [provider, key] = await Promise.all([
    providers.getActive(found.token.providerId),
    secrets.text("code-key"),
  ]);
  const formToken = createHmac("sha256", key).update(`${providerCookie}\n${text}`).digest("base64url");
  return provider && { provider, formToken };
}

/**
 * The provider that has sent a form of its own pages; undefined for a form that is outdated or forged.
 * @throws ApiError `bad-request` for a form of another site
 */
export async function providerOfForm(
  deps: Deps,
  { body, headers, cookiesNamed }: ProviderPageRequest & { readonly body: { readonly form_token: string } },
): Promise<ProviderVisit | undefined> {
  requireSameOrigin(headers, deps.config.publicUrl);
  const visit = await providerVisit(deps, { cookiesNamed });
  if (visit === undefined || !isSameSecret(body.form_token, visit.formToken)) return undefined;
  describeAudited({ actor: { kind: "provider", provider: visit.provider.providerId } });
  return visit;
}

/** Redirects to a page, with the outcome of a form in its query. */
export const leadTo = (
  path: string,
  query: Readonly<Record<string, string>> = {},
  cookies?: readonly string[],
) => {
  const search = new URLSearchParams(query).toString();
  return { status: 303, headers: { location: path + (search && `?${search}`) }, cookies } as const;
};

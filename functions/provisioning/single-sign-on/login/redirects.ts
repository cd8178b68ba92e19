import { ApiError } from "#shared/platform/http/api-error.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import type { Settings } from "#shared/registry/settings.ts";

type Redirects = NonNullable<LoginRequest["redirects"]>;

const maxUrlBytes = 140;
/** Prefix of the schemes of apps, made from the vendor word. */
const schemePrefixLength = 4;
/** Schemes that would lead to a page or a script instead of an app, whatever the vendor word is. */
const browserSchemes = new Set([
  "about:",
  "blob:",
  "data:",
  "file:",
  "ftp:",
  "http:",
  "https:",
  "javascript:",
  "vbscript:",
  "view-source:",
]);

/**
 * Checks the addresses at which an app wants the result of a login.
 * @throws ApiError `need-both-redirect-urls`, `bad-request`, `invalid-schema`, `url-too-long`
 */
export function checkRedirects(
  { success, error }: { readonly success?: string | undefined; readonly error?: string | undefined },
  settings: Settings,
): Redirects | undefined {
  if (success === undefined && error === undefined) return undefined;
  if (success === undefined || error === undefined) throw new ApiError("need-both-redirect-urls");
  return {
    success: checkUrl("success_redirect", success, settings),
    error: checkUrl("error_redirect", error, settings),
  };
}

type Parameter = "success_redirect" | "error_redirect";

/** @throws ApiError whose message names the parameter */
function checkUrl(parameter: Parameter, text: string, { vendor }: Settings): string {
  const url = URL.parse(text);
  if (url === null) throw new ApiError("bad-request", { message: `${parameter}: not a URL` });
  const isOfApp =
    url.protocol.startsWith(vendor.slice(0, schemePrefixLength)) && !browserSchemes.has(url.protocol);
  if (!isOfApp)
    throw new ApiError("invalid-schema", { message: `${parameter}: the scheme is not one of the apps'` });
  if (Buffer.byteLength(url.href) > maxUrlBytes) {
    throw new ApiError("url-too-long", { message: `${parameter}: longer than ${maxUrlBytes} bytes` });
  }
  return url.href;
}

/** The address of an app to which a login has led. @throws ApiError `bad-success-redirect` */
export function successLocation(
  { success }: Redirects,
  { setCookie, userId }: { readonly setCookie: string; readonly userId: string },
): string {
  const location = fillIn(success, { cookie: setCookie, userid: userId });
  if (!URL.canParse(location)) throw new ApiError("bad-success-redirect");
  return location;
}

/** The address of an app to which a refusal leads. @throws ApiError `bad-failure-redirect` */
export function errorLocation({ error }: Redirects, label: string): string {
  const location = fillIn(error, { label });
  if (!URL.canParse(location)) throw new ApiError("bad-failure-redirect");
  return location;
}

/** Replaces `$name`, whose first character may be percent-encoded. */
const fillIn = (url: string, values: Readonly<Record<string, string>>): string =>
  url.replaceAll(/(?:\$|%24)([a-z]+)/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name] ?? "") : placeholder,
  );

import type { IncomingHttpHeaders } from "node:http";
import { isFromPage } from "../../gateway/local-caller.ts";
import type { LoggedRequest } from "../../gateway/request-log.ts";
import { oauthErrorOf } from "./oauth-error-of.ts";

const accessPath = /^(\/v\d+)?\/access(\/logout)?$/;

/**
 * A hint for a developer about a refused request. It covers mistakes that the answer itself cannot name, because
 * clients compare its text or cannot read it, or because it is for somebody else, and errors that an app gets.
 * Undefined for all others.
 */
export function hintFor({ api, path, status, exchange }: LoggedRequest): string | undefined {
  if (status === 401 && api === "sockets")
    return "A socket needs an access token of a session that has not ended, in ?access_token= or Authorization.";
  const reason = oauthErrorOf(exchange)?.reason;
  if (reason !== undefined) return reason;
  if (exchange === undefined || status < 400) return undefined;
  const { headers, url } = exchange;
  if (api === "internal" && status === 403 && isFromPage(headers))
    return "Pages in a browser may not call the internal API, only read /i/docs: npm run admin -- page calls it for you.";
  const access = accessPath.exec(path);
  if (access !== null && status === 403) return hintOfLostCookie(headers, access[1]);
  if (path === "/authorize" && status === 400) {
    const address = URL.parse(url, "http://localhost")?.searchParams.get("redirect_uri");
    return address ? `The app asked to return to ${JSON.stringify(address)}.` : undefined;
  }
  return undefined;
}

function hintOfLostCookie(headers: IncomingHttpHeaders, version: string | undefined): string | undefined {
  if (headers.cookie !== undefined) return undefined;
  if (headers["sec-fetch-site"] === "cross-site")
    return "Page and API are different sites for the browser, so it sends no cookie: call the API by the host name of the page.";
  if (version !== undefined)
    return "Browsers and cookie jars send the cookie to /access only: call it without the version.";
  return isFromPage(headers)
    ? 'The page sent no cookie: has it logged in, and do login and this call have credentials: "include"?'
    : "No cookie came along: cookie jars may hold a Secure one back without TLS, but not with npm start -- --plain-cookies.";
}

import type { RequestProblem } from "./request-problem.ts";
import type { AuthorizationRequest } from "./routes.ts";

const prompts = ["none", "login", "consent", "select_account"] as const;

/** How an app wants to sign a person in (OpenID Connect Core §3.1.2.1). */
export interface SignIn {
  readonly nonce: string | undefined;
  readonly prompt: ReadonlySet<string>;
  readonly maxAgeSeconds: number | undefined;
  readonly loginHint: string | undefined;
  readonly idTokenHint: string | undefined;
  /** The same as parameters of the request. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** Read the parameters of requests with the scope `openid`. */
export function readOpenId(request: AuthorizationRequest): SignIn | RequestProblem {
  const { nonce, prompt, max_age, login_hint, id_token_hint } = request;
  const words = new Set(prompt?.split(/\s+/).filter((word) => word !== ""));
  if (![...words].every((word) => (prompts as readonly string[]).includes(word)))
    return { error: "invalid_request", error_description: "prompt: contains an unknown word" };
  if (words.has("none") && words.size > 1)
    return { error: "invalid_request", error_description: "prompt: must be none alone" };
  if (max_age !== undefined && !/^\d+$/.test(max_age))
    return { error: "invalid_request", error_description: "max_age: must be a number of seconds" };
  return {
    nonce,
    prompt: words,
    maxAgeSeconds: max_age === undefined ? undefined : Number(max_age),
    loginHint: login_hint,
    idTokenHint: id_token_hint,
    parameters: { nonce, prompt, max_age, login_hint, id_token_hint },
  };
}

/**
 * Why a request with a signed request object is refused. Checked first, because other parameters may be absent then.
 */
export function findUnsupported({ request, request_uri }: AuthorizationRequest): RequestProblem | undefined {
  if (request !== undefined)
    return { error: "request_not_supported", error_description: "request: is not supported" };
  if (request_uri !== undefined)
    return { error: "request_uri_not_supported", error_description: "request_uri: is not supported" };
  return undefined;
}

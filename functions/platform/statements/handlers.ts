import { toSeconds } from "#shared/platform/clock.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { verificationKeySet } from "#shared/sessions/tokens/signing-keys.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "i-sign-statement": async ({ params }) => ({ body: await signStatement(deps, params) }),

  "i-list-statement-keys": async () => ({ body: await publishedKeys(deps) }),
});

/** @throws ApiError `jwt-error` @see operation `i-sign-statement` */
const signStatement = async (
  { clock, settings, signer }: Deps,
  { kind, sha256 }: { readonly kind: string; readonly sha256: string },
) => ({
  signature: await signer.sign("statement+jwt", {
    iss: settings.domain,
    iat: toSeconds(clock()),
    kind,
    sha256,
  }),
});

const readKeys = (text: string) => verificationKeySet.parse(JSON.parse(text)).keys;

/**
 * Includes retired keys, because a statement outlasts the key that has signed it.
 * @see operation `i-list-statement-keys`
 */
async function publishedKeys({ secrets }: Deps) {
  const keys = await secrets.get("verification-keys", readKeys);
  return { keys: keys.map(({ index, jwk }) => ({ ...jwk, kid: String(index) })) };
}

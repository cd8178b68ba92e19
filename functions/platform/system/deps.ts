import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import { TokenVerifier } from "#shared/sessions/tokens/token-verifier.ts";

export type Deps = ReturnType<typeof createDeps>;

/** By hand, because `declareDeps` is for functions with tables and would load their client. */
export function createDeps(runtime: Runtime) {
  const context = { ...runtime, secrets: new SecretReader(runtime) };
  return { ...context, verifier: new TokenVerifier(context), jwtVerifier: new JwtVerifier(context) };
}

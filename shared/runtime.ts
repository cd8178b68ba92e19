import { JwtVerifier } from "./auth/jwt.ts";
import { SecretReader } from "./auth/secret-reader.ts";
import { TokenVerifier } from "./auth/token-verifier.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { createLog, type Log } from "./log.ts";
import type { Settings } from "./settings.ts";

/** What every function has, made once per container. Families add their stores in `deps.ts`. */
export interface Runtime {
  readonly config: Config;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretReader;
  readonly verifier: TokenVerifier;
  readonly jwtVerifier: JwtVerifier;
}

/** What tests and the local runner may replace. */
export interface Overrides {
  readonly clock?: Clock;
}

export function createRuntime(
  functionName: string,
  config: Config,
  { clock = systemClock }: Overrides = {},
): Runtime {
  const secrets = new SecretReader(config, clock);
  return {
    config,
    settings: config.settings,
    clock,
    log: createLog(functionName, config.logLevel),
    secrets,
    verifier: new TokenVerifier(secrets, clock),
    jwtVerifier: new JwtVerifier(secrets, config.settings, clock),
  };
}

import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { SecretName } from "../secrets.ts";
import { keySetLifetimeSeconds } from "./signing-keys.ts";

/**
 * Secrets, read once per container and again only when `keySetLifetimeSeconds` have passed: a request never causes
 * a read by what it carries.
 */
export class SecretReader {
  readonly #client = new SecretsManagerClient();
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #cached = new Map<SecretName, { value: Promise<unknown>; readAt: number }>();

  constructor(config: Config, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /** The secret as `parse` makes it; parsed once per read. */
  get<Value>(name: SecretName, parse: (text: string) => Value): Promise<Value> {
    const now = this.#clock();
    const cached = this.#cached.get(name);
    if (cached && Math.abs(now - cached.readAt) < keySetLifetimeSeconds * 1000)
      return cached.value as Promise<Value>;
    const value = this.#read(name).then(parse);
    this.#cached.set(name, { value, readAt: now });
    value.catch(() => this.#cached.delete(name));
    return value;
  }

  async #read(name: SecretName): Promise<string> {
    const { SecretString } = await this.#client.send(
      new GetSecretValueCommand({ SecretId: this.#config.secretId(name) }),
    );
    if (SecretString === undefined) throw new Error(`Secret ${name} is empty`);
    return SecretString;
  }
}

import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { SecretName } from "../secrets.ts";
import { keySetLifetimeSeconds } from "./signing-keys.ts";

interface CachedSecret {
  readonly text: Promise<string>;
  /** By the function that parsed it. */
  readonly parsed: Map<(text: string) => unknown, Promise<unknown>>;
  /** Unix milliseconds. */
  readonly readAt: number;
}

/**
 * Secrets, read once per container and again only when `keySetLifetimeSeconds` have passed: a request never causes
 * a read by what it carries.
 */
export class SecretReader {
  readonly #client = new SecretsManagerClient();
  readonly #config: Config;
  readonly #clock: Clock;
  readonly #cached = new Map<SecretName, CachedSecret>();

  constructor(config: Config, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /** The secret as `parse` makes it; parsed once per read by each of the functions handed in, which are made once, too. */
  get<Value>(name: SecretName, parse: (text: string) => Value): Promise<Value> {
    const { text, parsed } = this.#current(name);
    const known = parsed.get(parse) as Promise<Value> | undefined;
    if (known !== undefined) return known;
    const value = text.then(parse);
    parsed.set(parse, value);
    value.catch(() => this.#cached.delete(name));
    return value;
  }

  /** The secret as it is. */
  text(name: SecretName): Promise<string> {
    return this.get(name, asItIs);
  }

  #current(name: SecretName): CachedSecret {
    const now = this.#clock();
    const cached = this.#cached.get(name);
    if (cached && Math.abs(now - cached.readAt) < keySetLifetimeSeconds * 1000) return cached;
    const fresh: CachedSecret = { text: this.#read(name), parsed: new Map(), readAt: now };
    this.#cached.set(name, fresh);
    return fresh;
  }

  async #read(name: SecretName): Promise<string> {
    const { SecretString } = await this.#client.send(
      new GetSecretValueCommand({ SecretId: this.#config.secretId(name) }),
    );
    if (SecretString === undefined) throw new Error(`Secret ${name} is empty`);
    return SecretString;
  }
}

const asItIs = (text: string) => text;

import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { SecretName } from "#shared/registry/secrets.ts";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";

/** How long a function uses a secret before it reads it again. */
export const secretLifetimeSeconds = 300;

interface CachedSecret {
  readonly text: Promise<string>;
  /** Values by the function that parsed them. */
  readonly parsed: Map<(text: string) => unknown, Promise<unknown>>;
  /** Unix milliseconds. */
  readonly readAt: number;
}

/**
 * Reads secrets once per container, and again only when `secretLifetimeSeconds` have passed: nothing that a request
 * contains can cause a read.
 */
export class SecretReader {
  readonly #secretsManager = new SecretsManagerClient(awsClientOptions());
  readonly #config: Pick<Config, "secretId">;
  readonly #clock: Clock;
  readonly #cached = new Map<SecretName, CachedSecret>();

  constructor({ config, clock }: { config: Pick<Config, "secretId">; clock: Clock }) {
    this.#config = config;
    this.#clock = clock;
  }

  /** The secret, parsed. Each `parse` runs once per read, so pass the same function every time, not a new one. */
  get<Value>(name: SecretName, parse: (text: string) => Value): Promise<Value> {
    const { text, parsed } = this.#current(name);
    const known = parsed.get(parse) as Promise<Value> | undefined;
    if (known !== undefined) return known;
    const value = text.then(parse);
    parsed.set(parse, value);
    value.catch(() => this.#cached.delete(name));
    return value;
  }

  /** The secret, unparsed. */
  text(name: SecretName): Promise<string> {
    return this.get(name, asItIs);
  }

  #current(name: SecretName): CachedSecret {
    const now = this.#clock();
    const cached = this.#cached.get(name);
    if (cached && Math.abs(now - cached.readAt) < secretLifetimeSeconds * 1000) return cached;
    const fresh: CachedSecret = { text: this.#read(name), parsed: new Map(), readAt: now };
    this.#cached.set(name, fresh);
    return fresh;
  }

  async #read(name: SecretName): Promise<string> {
    const { SecretString } = await this.#secretsManager.send(
      new GetSecretValueCommand({ SecretId: this.#config.secretId(name) }),
    );
    if (SecretString === undefined) throw new Error(`Secret ${name} is empty`);
    return SecretString;
  }
}

const asItIs = (text: string) => text;

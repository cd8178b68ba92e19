import { setTimeout as delay } from "node:timers/promises";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions } from "../aws-client-options.ts";
import type { Clock } from "../clock.ts";
import type { Config, EntranceSecret } from "../config.ts";
import type { Log } from "../log.ts";
import type { SecretName as OwnSecret } from "../product.ts";

/** How long a function uses a secret before it reads it again. */
export const secretLifetimeSeconds = 300;
/** How long a request waits for a secret whose previous value is known. */
const patienceMilliseconds = 1000;
/** How long the previous value serves after a failed or slow read, before the next read. */
const retrySeconds = 10;

type SecretName = OwnSecret | EntranceSecret;
type Parse = (text: string) => unknown;

interface KnownSecret {
  readonly text: string;
  /** Values by the function that parsed them. */
  readonly parsed: Map<Parse, unknown>;
  /** Unix milliseconds. */
  readonly readAt: number;
}

/**
 * Reads secrets once per container, and again only after `secretLifetimeSeconds`, so no content of a request can cause
 * a read. While Secrets Manager fails or is slow, the last value stays in use.
 */
export class SecretReader {
  readonly #secretsManager = new SecretsManagerClient(awsClientOptions());
  readonly #config: Pick<Config, "secretId">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #known = new Map<SecretName, KnownSecret>();
  readonly #reads = new Map<SecretName, Promise<KnownSecret>>();
  /** Unix milliseconds of the last failed or slow read. */
  readonly #failedAt = new Map<SecretName, number>();

  constructor({ config, clock, log }: { config: Pick<Config, "secretId">; clock: Clock; log: Log }) {
    this.#config = config;
    this.#clock = clock;
    this.#log = log;
  }

  /** The secret, parsed. Each `parse` runs once per read, so pass the same function every time, not a new one. */
  async get<Value>(name: SecretName, parse: (text: string) => Value): Promise<Value> {
    const secret = await this.#current(name);
    if (!secret.parsed.has(parse)) secret.parsed.set(parse, this.#parsed(name, parse, secret.text));
    return secret.parsed.get(parse) as Value;
  }

  /** The secret, unparsed. */
  text(name: SecretName): Promise<string> {
    return this.get(name, unparsed);
  }

  #current(name: SecretName): KnownSecret | Promise<KnownSecret> {
    const known = this.#known.get(name);
    if (known === undefined) return this.#read(name);
    if (this.#isRecent(known.readAt, secretLifetimeSeconds)) return known;
    if (this.#isRecent(this.#failedAt.get(name), retrySeconds)) return known;
    return this.#refresh(name, known);
  }

  async #refresh(name: SecretName, known: KnownSecret): Promise<KnownSecret> {
    const read = this.#read(name, known).catch((error: Error) => {
      this.#log.error("secret-not-refreshed", { name, error });
      return known;
    });
    const fresh = await Promise.race([read, delay(patienceMilliseconds, undefined, { ref: false })]);
    // The read goes on, but nobody else waits for it.
    if (fresh === undefined) this.#failedAt.set(name, this.#clock());
    return fresh ?? known;
  }

  /** Concurrent reads of a secret are one. A new value that does not parse like the last one counts as a failure. */
  #read(name: SecretName, last?: KnownSecret): Promise<KnownSecret> {
    const running = this.#reads.get(name);
    if (running !== undefined) return running;
    const read = this.#fetch(name)
      .then((text) => {
        const parsed = new Map([...(last?.parsed.keys() ?? [])].map((parse) => [parse, parse(text)]));
        const secret = { text, parsed, readAt: this.#clock() };
        this.#known.set(name, secret);
        return secret;
      })
      .catch((error) => {
        this.#failedAt.set(name, this.#clock());
        throw error;
      })
      .finally(() => this.#reads.delete(name));
    this.#reads.set(name, read);
    return read;
  }

  async #fetch(name: SecretName): Promise<string> {
    const { SecretString } = await this.#secretsManager.send(
      new GetSecretValueCommand({ SecretId: this.#config.secretId(name) }),
    );
    if (SecretString === undefined) throw new Error(`Secret ${name} is empty`);
    return SecretString;
  }

  /** A first value that does not parse is read again by the next call, because the operator may have corrected it. */
  #parsed(name: SecretName, parse: Parse, text: string): unknown {
    try {
      return parse(text);
    } catch (error) {
      this.#known.delete(name);
      throw error;
    }
  }

  #isRecent(time: number | undefined, seconds: number): boolean {
    return time !== undefined && Math.abs(this.#clock() - time) < seconds * 1000;
  }
}

const unparsed = (text: string) => text;

/** Collects the failures of many independent steps: one that fails does not prevent the others. */
export class Failures {
  readonly #what: string;
  readonly #errors: unknown[] = [];
  #hasDoneAnything = false;

  /** @param what the remaining work, for the message */
  constructor(what: string) {
    this.#what = what;
  }

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  /** @returns undefined for a failure */
  async collect<Result>(step: Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await step;
      this.#hasDoneAnything = true;
      return result;
    } catch (error) {
      this.#errors.push(error);
      return undefined;
    }
  }

  /** @returns the results of concurrent steps, undefined for a failure */
  collectAll<Result>(steps: readonly Promise<Result>[]): Promise<(Result | undefined)[]> {
    return Promise.all(steps.map((step) => this.collect(step)));
  }

  /** @throws AggregateError when anything has failed */
  throwOr<Result>(result: Result): Result {
    if (!this.isEmpty) throw this.#toError();
    return result;
  }

  /**
   * Call this when a job runs out of time, before it continues by another message, which also repeats the failed steps.
   * Deliveries are counted for each message, so a job that only fails must not continue like that, or it would do so
   * forever.
   *
   * @throws AggregateError when something has failed and nothing has succeeded
   */
  throwIfStuckOr<Result>(result: Result): Result {
    if (!this.isEmpty && !this.#hasDoneAnything) throw this.#toError();
    return result;
  }

  /** The first failure of a kind. */
  find<Failure extends Error>(kind: abstract new (...args: never) => Failure): Failure | undefined {
    return this.#errors.find((error): error is Failure => error instanceof kind);
  }

  #toError(): AggregateError {
    const { length } = this.#errors;
    const [cause] = this.#errors;
    // A log has no room for all.
    return new AggregateError(this.#errors, `${length} ${this.#what} are left`, { cause });
  }
}

/** What fails of many steps that do not depend on each other: one that fails does not keep the others. */
export class Failures {
  readonly #what: string;
  readonly #errors: unknown[] = [];

  /** @param what is left to do, for the message */
  constructor(what: string) {
    this.#what = what;
  }

  get isEmpty(): boolean {
    return this.#errors.length === 0;
  }

  /** @returns undefined for a failure */
  async collect<Result>(step: Promise<Result>): Promise<Result | undefined> {
    try {
      return await step;
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
    const { length } = this.#errors;
    if (length > 0) throw new AggregateError(this.#errors, `${length} ${this.#what} are left`);
    return result;
  }
}

import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { Runtime } from "./runtime.ts";

/** Dependencies of every part, in addition to the other parts of its function. */
type Base = Runtime & Pick<StoreContext, "dynamo">;
type Parts = Readonly<Record<string, new (context: never) => object>>;
type Made<Declared extends Parts> = { readonly [Name in keyof Declared]: InstanceType<Declared[Name]> };
type Checked<Declared extends Parts> = {
  readonly [Name in keyof Declared]: new (
    context: Base & Made<Declared>,
  ) => object;
};

/**
 * Declares the dependencies of a function with tables: classes by the names under which its use cases know them. Each
 * is created once, with one argument that holds the runtime, `dynamo` and the parts above it. A class that needs a part
 * that is not declared does not compile; one that needs a part below it fails when the function starts.
 *
 * @param own creates dependencies that are constructed differently
 * @example export const createDeps = declareDeps({ ...verifiers, accounts: AccountStore, outbox: Outbox });
 */
export const declareDeps =
  <Declared extends Parts, Own extends object = object>(
    parts: Declared & Checked<Declared>,
    own?: (deps: Base & Made<Declared>) => Own,
  ) =>
  (runtime: Runtime): Base & Made<Declared> & Own => {
    const deps = { ...runtime, dynamo: createDynamo() } as Base & Made<Declared>;
    for (const name of Object.keys(parts)) refuseReads(deps, name);
    for (const [name, Part] of Object.entries(parts as Checked<Declared>)) {
      Object.defineProperty(deps, name, { value: new Part(deps), enumerable: true });
    }
    return { ...deps, ...(own?.(deps) as Own) };
  };

function refuseReads(deps: object, name: string): void {
  const get = () => {
    throw new Error(`deps.ts must declare "${name}" above the parts that need it`);
  };
  Object.defineProperty(deps, name, { get, configurable: true });
}

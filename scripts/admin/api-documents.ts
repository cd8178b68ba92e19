import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Operation, readOperations } from "./operations.ts";

const folder = join(import.meta.dirname, "../../docs");
const read = (file: string) => readOperations(JSON.parse(readFileSync(join(folder, file), "utf8")));

/** The operations that only the internal API has. */
export const internalOperations = (): Operation[] => read("openapi-internal.json");

/** All operations of the internal API: its own, and those of users, whose paths may begin with a version. */
export const apiOperations = (): ApiOperations => ({
  internal: internalOperations(),
  users: read("openapi.json"),
});

export interface ApiOperations {
  readonly internal: readonly Operation[];
  readonly users: readonly Operation[];
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Operation, readOperations } from "./operations.ts";

const folder = join(import.meta.dirname, "../../docs");
const read = (file: string) => readOperations(JSON.parse(readFileSync(join(folder, file), "utf8")));

/** The operations that only the internal API has. */
export const internalOperations = (): Operation[] => read("openapi-internal.json");

/** The operations of users, which the internal API has as well. */
export const publicOperations = (): Operation[] => read("openapi.json");

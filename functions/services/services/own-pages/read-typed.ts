import * as z from "zod";
import * as types from "#shared/platform/outbound/service-types.ts";
import { newService } from "../own-services/routes.ts";
import type { Problem } from "./outcomes.ts";
import type { TypedProfile } from "./schemas.ts";

const profile = newService.pick({ name: true, summary: true, description: true, tags: true });
const keys = z.array(types.newPublicKey).min(1).max(2);
const tokens = z.array(types.authToken).min(1).max(2);

/** The typed values if they are valid; otherwise their problem. */
type Read<Value> = { readonly value: Value } | { readonly problem: Problem };

const read = <Schema extends z.ZodType>(
  schema: Schema,
  typed: unknown,
  problem: Problem,
): Read<z.output<Schema>> => {
  const { success, data } = schema.safeParse(typed);
  return success ? { value: data } : { problem };
};

export function readProfile({ tag1, tag2, tag3, ...typed }: TypedProfile) {
  const tags = [...new Set([tag1, tag2, tag3])].filter((tag) => tag !== "");
  return read(profile, { ...typed, tags }, "invalid-fields");
}

export const readAddress = (typed: string) => read(types.newBaseUrl, typed.trim(), "invalid-address");

/** Sections of PEM, one after the other. */
export const readKeys = (typed: string) =>
  read(
    keys,
    typed.split(/(?<=-----END [A-Z ]+-----)\s*/).filter((section) => section.trim() !== ""),
    "invalid-key",
  );

/** Tokens, one a line. */
export const readTokens = (typed: string) =>
  read(
    tokens,
    typed.split(/\s+/).filter((token) => token !== ""),
    "invalid-token",
  );

import type { Argument, Option } from "./command.ts";

/** Arguments and options that several commands have. */
export const user = {
  kind: "user",
  description: "id, verified email address, verified phone number in E.164 form, or handle",
} as const satisfies Argument;

export const team = { kind: "team", description: "id of the team" } as const satisfies Argument;

export const limit = {
  kind: "integer",
  description: "how many entries at most",
  minimum: 1,
  maximum: 10_000,
  default: "1000",
} as const satisfies Option;

export const app = { kind: "id", description: "id of the app" } as const satisfies Argument;

export const domain = { kind: "text", description: "the email domain" } as const satisfies Argument;

import * as z from "zod";
import { typedText } from "#shared/platform/html/typed-fields.ts";
import { serviceId } from "../schemas.ts";

/** A field that is left empty is missing in the parsed form. */
const line = z.string().max(2048).default("");
const text = z.string().max(20_000).default("");
const form = z.object({ form_token: z.string().max(128) });

export const outcomeQuery = z.object({
  outcome: z.string().optional().meta({ description: "What the last form did, or why it did nothing" }),
});

export const serviceQuery = outcomeQuery.extend({ id: serviceId });

const profile = {
  name: line,
  summary: line,
  description: line,
  tag1: line,
  tag2: line,
  tag3: line,
};
export type TypedProfile = z.output<ReturnType<typeof z.object<typeof profile>>>;

export const newServiceForm = form.extend({ ...profile, base_url: line, keys: text });
export type TypedService = z.output<typeof newServiceForm>;

const own = form.extend({ id: serviceId });
export const serviceForm = own.extend(profile);
export const connectionForm = own.extend({
  base_url: line,
  keys: text,
  tokens: text,
  enabled: z.literal("yes").optional(),
  password: typedText,
});
export const deletionForm = own.extend({ password: typedText });

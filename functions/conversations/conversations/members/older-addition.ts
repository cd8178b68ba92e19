import type * as z from "zod";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import type { conversationPath } from "../schemas.ts";
import type { unqualifiedAddition } from "./schemas.ts";

interface Addition {
  readonly params: z.output<typeof conversationPath>;
  readonly body: z.output<typeof unqualifiedAddition>;
}

/** Reads an addition that names neither the domain of the conversation nor those of the users. */
export const toQualifiedAddition = (input: Addition, context: FormContext) => ({
  ...inOwnDomain("domain")(input, context),
  body: {
    qualified_users: input.body.users.map((id) => ({ domain: context.settings.domain, id })),
    conversation_role: input.body.conversation_role,
  },
});

import type * as z from "zod";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import type { conversationPath } from "../schemas.ts";
import type { accessUpdateV2 } from "./schemas.ts";

interface Update {
  readonly body: z.output<typeof accessUpdateV2>;
}

/** Reads an update that may name the access roles by a legacy one. */
export const toAccessUpdate = ({ body: { access, access_role: legacy, access_role_v2: roles } }: Update) => ({
  body: { access, access_role: roles ?? [...accessRolesOf(legacy ?? "activated")] },
});

/** The same for a path without a domain. */
export const toQualifiedAccessUpdate = (
  input: Update & { readonly params: z.output<typeof conversationPath> },
  context: FormContext,
) => ({ ...inOwnDomain("domain")(input, context), ...toAccessUpdate(input) });

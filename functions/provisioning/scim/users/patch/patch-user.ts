import type { Provisioner } from "#shared/platform/http/route.ts";
import { withFields } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../../deps.ts";
import { replaceUser } from "../replace-user.ts";
import type { UserView } from "../routes.ts";
import type { ScimUser } from "../scim-user.ts";
import { type Edit, readOperations } from "./read-operations.ts";

/**
 * Change some attributes of a user: all operations take effect or none, and the result is checked and stored as if the
 * whole user had been replaced.
 *
 * @throws ApiError those of `readOperations` and of `replaceUser`
 * @see operation `scim-patch-user`
 */
export async function patchUser(
  deps: Deps,
  provisioner: Provisioner,
  { userId, body }: { readonly userId: string; readonly body: Readonly<Record<string, unknown>> },
): Promise<UserView> {
  const edits = readOperations(body, deps.settings);
  return replaceUser(deps, provisioner, userId, (present) => applyEdits(present, edits, deps.settings));
}

/** The user after all edits, in order. */
export function applyEdits(present: ScimUser, edits: readonly Edit[], settings: Settings): ScimUser {
  const user = { ...present };
  for (const { attributes, appliesTo } of edits)
    if (attributes !== undefined && appliesTo?.(user) !== false) Object.assign(user, attributes);
  const cleared = edits.findLastIndex(({ clearsFields }) => clearsFields);
  const fields = edits.slice(cleared + 1).flatMap(({ field }) => field ?? []);
  return {
    ...user,
    richInfo: withFields(cleared === -1 ? present.richInfo : undefined, fields, settings),
  };
}

import * as z from "zod";

export const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Names may be in any case, so `readOperations` checks the contents. */
export const patchBody = z.record(z.string(), z.unknown()).meta({
  id: "ScimPatch",
  description:
    "Operations (RFC 7644 §3.5.2), applied in order, all or none. `add` and `replace` are the same. A path " +
    "is `userName`, `displayName`, `externalId`, `active`, `roles`, or the URN of an extension with a " +
    "colon and the name of a field of rich info.",
  examples: [
    {
      schemas: [patchSchema],
      Operations: [
        { op: "replace", path: "displayName", value: "Ada King" },
        { op: "replace", value: { active: false } },
      ],
    },
  ],
});

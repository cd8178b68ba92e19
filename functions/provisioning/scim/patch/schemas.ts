import * as z from "zod";

export const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

/** Names may be in any case, so those who read the operations check them. */
export const patchBody = z.looseObject({}).meta({
  id: "ScimPatch",
  description:
    "Operations (RFC 7644 §3.5.2), applied in order, all or none. For a user, a path is `userName`, `displayName`, " +
    "`externalId`, `active`, `roles`, `emails`, `preferredLanguage`, or the URN of an extension, alone or with a " +
    "colon and the name of a field of rich info; for a group, `displayName`, `externalId` or `members`. Filters " +
    'are comparisons by `eq`: `emails[type eq "work"].value`, `members[value eq "…"]`. A value of null, or an ' +
    "empty list, removes.",
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

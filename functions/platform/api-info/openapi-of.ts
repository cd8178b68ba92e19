import { events } from "#functions/events.ts";
import { families } from "#functions/families.ts";
import type { EventSpec } from "#shared/events/event.ts";
import { type DocumentOptions, type OpenApiDocument, writeOpenApi } from "#shared/platform/http/openapi.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { domains } from "#shared/registry/domains.ts";
import type { Settings } from "#shared/registry/settings.ts";

type Document = OpenApiDocument & Record<string, unknown>;
type Naming = Pick<Settings, "productName">;

const documents = new Map<string, Document>();

/** The API document of a version of the public API. */
export const openapiOf = (version: number, { productName }: Naming): Document =>
  write({ audience: "public", version, title: `${productName} API`, description: publicDescription });

/** The API document of the internal API, which has no versions; it leaves out the public operations. */
export const internalOpenapi = ({ productName }: Naming): Document =>
  write({
    audience: "internal",
    version: newestVersion,
    title: `${productName} internal API`,
    description: internalDescription,
  });

/** Written once per container. */
function write(options: DocumentOptions): Document {
  const key = `${options.audience} ${options.version}`;
  const shown = options.audience === "public" ? events.map(describeEvent) : [];
  const document = documents.get(key) ?? { ...writeOpenApi({ families, domains, events: shown }, options) };
  documents.set(key, document);
  return document;
}

const describeEvent = ({ recipients, ...event }: EventSpec) => ({
  ...event,
  recipients: recipientTexts[recipients],
});

const recipientTexts: Readonly<Record<EventSpec["recipients"], string>> = {
  self: "the user's own devices",
  contacts: "the user's own devices and those of all contacts",
  "contacts-and-team": "the user's own devices and those of all contacts and team mates",
  team: "the members of the team",
  "team-admins": "the owners and admins of the team",
  "conversation-members": "the members of the conversation",
};

const publicDescription = `
Bodies are JSON in UTF-8. Ids are UUIDs in lower case; times are ISO 8601 in UTC. Unknown fields in
requests are ignored; clients have to ignore unknown fields in answers. In the body of a request, an optional field that
is null counts as absent unless its schema allows null.

**Versions.** A path without the prefix \`/v<number>\` is answered as version 0, or as the first version that has the
operation. \`get-version\` lists the versions; each has a document at \`/v<number>/api/openapi.json\`.

**Access.** \`login\` returns an access token, valid for 15 minutes, and sets a cookie. Send the token with every request as
\`Authorization: Bearer\`. After a 401, \`access\` exchanges the cookie for the next token. Browsers and cookie
jars send that cookie only to \`/access\` and \`/access/logout\` without a version, and browsers only from pages of the same site:
for them, \`localhost\` and \`127.0.0.1\` are two.

**Errors.** Every error has \`code\`, \`label\` and \`message\`. Tell errors apart by status and \`label\`; one label can occur under several
statuses. Besides the errors listed with an operation, there are 404 \`unsupported-version\` and 404 \`no-endpoint\` for unknown
paths, 405 \`method-not-allowed\`, 500 \`server-error\`, and 503 \`service-unavailable\` with \`Retry-After\`: the service
was too busy or disturbed to finish, and nobody knows whether the request took effect.
`.trim();

const internalDescription = `
Operations for the operator and for other services, at an address that is not public. They have no version. The public
operations can be called here, too; their own document describes them, and what it says about bodies and errors holds
here as well. Name the user in the header \`Z-User\` instead of sending an access token.
`.trim();

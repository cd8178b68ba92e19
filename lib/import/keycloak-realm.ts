import * as z from "zod";
import { handlePattern } from "#shared/accounts/handle.ts";
import { parseJson } from "#shared/platform/parse-json.ts";
import { type Dropped, type ReadLine, readUser } from "./user-line.ts";

const json = z.string().transform((text, { addIssue }) => {
  try {
    return parseJson(text);
  } catch {
    addIssue({ code: "custom", message: "not JSON" });
    return z.NEVER;
  }
});

const parameters = z.record(z.string(), z.array(z.string())).nullish();
const credential = z.object({
  type: z.string(),
  credentialData: json.pipe(
    z.object({ hashIterations: z.int(), algorithm: z.string(), additionalParameters: parameters }),
  ),
  secretData: json.pipe(z.object({ value: z.string(), salt: z.string() })),
});
type Credential = z.output<typeof credential>;

const realmUser = z.object({
  id: z.string().optional(),
  username: z.string(),
  email: z.string().optional(),
  emailVerified: z.boolean().default(false),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  enabled: z.boolean().default(true),
  serviceAccountClientId: z.string().optional(),
  requiredActions: z.array(z.string()).default([]),
  credentials: z.array(z.looseObject({ type: z.string() })).default([]),
  federatedIdentities: z.array(z.unknown()).default([]),
  groups: z.array(z.unknown()).default([]),
  realmRoles: z.array(z.string()).default([]),
  clientRoles: z.record(z.string(), z.array(z.unknown())).default({}),
  attributes: z.record(z.string(), z.unknown()).default({}),
});
const realm = z.object({ users: z.array(z.unknown()) });

/** The file is not the export of a realm. */
export class NotARealmError extends Error {
  override readonly name = "NotARealmError";
}

/**
 * Read the users of a realm that Keycloak has exported. A user's number in the list counts as the line. The username
 * becomes the handle in lower case, unless it is not a valid handle (an email address, for example) and the user has an
 * address. Disabled users and those of services are refused. A password that must be changed at the next login is left
 * out, because the admin who set it may know it. Each user lists what is left out.
 *
 * @param team id of the team that all users become members of; absent: they get none
 * @throws NotARealmError
 */
export function* readRealm(text: string, team?: string): Generator<ReadLine> {
  let users: unknown[];
  try {
    users = realm.parse(parseJson(text)).users;
  } catch (cause) {
    throw new NotARealmError("The file is not the export of a realm with users", { cause });
  }
  for (const [index, value] of users.entries()) yield readRealmUser(index + 1, value, team);
}

function readRealmUser(line: number, value: unknown, team: string | undefined): ReadLine {
  const { data: user, error } = realmUser.safeParse(value);
  if (user === undefined) return { line, reason: z.prettifyError(error) };
  if (!user.enabled) return { line, reason: "enabled: the user is disabled" };
  if (user.serviceAccountClientId !== undefined)
    return { line, reason: "serviceAccountClientId: a service, not a person" };
  const passwords = user.credentials.filter(({ type }) => type === "password");
  const hash = passwords.length === 0 ? undefined : credential.safeParse(passwords[0]);
  if (hash?.success === false) return { line, reason: "credentials: a password of unknown form" };
  const { firstName, lastName, username, email } = user;
  const handle = username.toLowerCase();
  const name = [firstName, lastName].filter(Boolean).join(" ");
  const takesHandle = handlePattern.test(handle) || email === undefined;
  const takesPassword = !user.requiredActions.includes("UPDATE_PASSWORD");
  const read = readUser(line, {
    external_id: user.id ?? username,
    team,
    name: name === "" ? username : name,
    email,
    email_verified: email === undefined ? undefined : user.emailVerified,
    handle: takesHandle ? handle : undefined,
    password_hash: takesPassword ? hash && toPhcString(hash.data) : undefined,
  });
  const dropped = droppedOf(user, { takesHandle, takesPassword: hash === undefined || takesPassword });
  return "user" in read && dropped.length > 0 ? { ...read, dropped } : read;
}

/** The role that a realm gives every user by default. */
const everybodysRole = /^default-roles-/;

function droppedOf(
  user: z.output<typeof realmUser>,
  { takesHandle, takesPassword }: { takesHandle: boolean; takesPassword: boolean },
): Dropped[] {
  const { attributes, clientRoles, credentials, federatedIdentities, groups, realmRoles } = user;
  const isDropped: Readonly<Record<Dropped, boolean>> = {
    password: !takesPassword,
    "second-factor": credentials.some(({ type }) => type !== "password"),
    // A username that equals the address is not lost.
    username: !takesHandle && user.username.toLowerCase() !== user.email?.toLowerCase(),
    identities: federatedIdentities.length > 0,
    groups: groups.length > 0,
    roles:
      realmRoles.some((one) => !everybodysRole.test(one)) ||
      Object.values(clientRoles).some((ofClient) => ofClient.length > 0),
    attributes: Object.keys(attributes).length > 0,
  };
  return (Object.keys(isDropped) as Dropped[]).filter((what) => isDropped[what]);
}

/** A credential as a PHC string, whose reader refuses unknown algorithms. */
function toPhcString({ credentialData, secretData }: Credential): string {
  const { algorithm, hashIterations, additionalParameters } = credentialData;
  const { salt, value } = secretData;
  if (algorithm !== "argon2") return `$${algorithm}$i=${hashIterations}$${salt}$${value}`;
  const one = (name: string) => additionalParameters?.[name]?.[0] ?? "";
  const version = one("version") === "1.3" ? 19 : one("version");
  return `$argon2${one("type")}$v=${version}$m=${one("memory")},t=${hashIterations},p=${one("parallelism")}$${salt}$${value}`;
}

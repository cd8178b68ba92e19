import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { readLocale } from "#shared/platform/locale.ts";
import { parseRichInfo } from "#shared/provisioning/scim-rich-info.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Role, role, roleOf } from "#shared/teams/permissions.ts";
import { type UserAttributes, userAttributes } from "./routes.ts";
import type { TeamUser } from "./team-user.ts";
import { parseUserName, userNameOf } from "./user-name.ts";

/** The state of a user that a directory wants. */
export interface ScimUser {
  readonly externalId: string;
  /** The handle, or an email address from which it follows. */
  readonly userName: string;
  /** Absent: the default name. */
  readonly displayName?: string;
  /** Absent: the external id if it is an address, otherwise the user's present address. */
  readonly email?: string;
  readonly active: boolean;
  /** Absent: `member` for a new user, otherwise the user's present role. */
  readonly role?: Role;
  /** Language, or language and country; absent: the default language. */
  readonly preferredLanguage?: string;
  readonly richInfo: RichInfo;
}

/** Describes a user as it is: with this description, nothing changes. */
export function toScimUser({ account, member, richInfo }: TeamUser): ScimUser {
  const { scim, name, status, email, emailUnvalidated } = account;
  return {
    externalId: scim?.externalId ?? "",
    userName: userNameOf(account),
    displayName: name,
    email: emailUnvalidated ?? email,
    active: status === "active",
    role: member && roleOf(member.permissions),
    preferredLanguage: account.locale,
    richInfo: richInfo ?? { version: 0, fields: [] },
  };
}

/** Longest name at an identity provider (SAML core 8.3.6). */
const maxExternalId = 1024;

/**
 * Reads the body of a request as a user.
 * @throws ApiError `scim-invalid-value`, `rich-info-too-large`
 */
export function parseScimUser(body: UserAttributes, settings: Settings): ScimUser {
  if (body.password !== undefined) throw invalid("password: users choose it themselves");
  const { externalId, userName, ...others } = readAttributes(body, settings);
  if (externalId === undefined) throw invalid("externalId: is missing");
  if (userName === undefined) throw invalid("userName: is missing");
  return { externalId, userName, active: true, ...others, richInfo: parseRichInfo(body, settings) };
}

/**
 * Reads single attributes of a request body, whose names may be in any case.
 * @throws ApiError `scim-invalid-value`
 */
export function parseAttributes(
  attributes: Readonly<Record<string, unknown>>,
  settings: Settings,
): Partial<ScimUser> {
  const { success, data, error } = userAttributes.safeParse(attributes);
  if (success) return readAttributes(data, settings);
  const [issue] = error.issues;
  throw invalid(`${issue?.path.join(".")}: ${issue?.message}`);
}

function readAttributes(
  { externalId, userName, displayName, active, emails, roles, preferredLanguage }: UserAttributes,
  settings: Settings,
): Partial<Omit<ScimUser, "richInfo">> {
  const email = mainOf(emails)?.value;
  const role = roles && toRole(roles);
  return {
    ...(externalId !== undefined && { externalId: checkedLength("externalId", externalId, maxExternalId) }),
    ...(userName !== undefined && { userName: toUserName(userName, settings) }),
    ...(!isBlank(displayName) && { displayName: checkedName(displayName) }),
    ...(email !== undefined && { email }),
    ...(active !== undefined && { active }),
    ...(role !== undefined && { role }),
    ...(!isBlank(preferredLanguage) && { preferredLanguage: toLanguage(preferredLanguage) }),
  };
}

/** @throws ApiError `scim-invalid-value` */
export const checkedName = (name: string): string => checkedLength("displayName", name, 128);

function checkedLength(attribute: string, value: string, max: number): string {
  if (value === "" || countCharacters(value) > max)
    throw invalid(`${attribute}: must have 1 to ${max} characters`);
  return value;
}

function toUserName(text: string, settings: Settings): string {
  const userName = parseUserName(text, settings);
  if (userName === undefined)
    throw invalid(
      "userName: must be an email address, or have 2 to 256 of the characters a-z, 0-9, _, . and -, one of them a letter or digit, and not be reserved",
    );
  return userName;
}

const isBlank = (text: string | undefined): text is "" | undefined => (text ?? "").trim() === "";

interface Value {
  readonly value?: string | undefined;
  readonly primary?: boolean | undefined;
}

/** The relevant value of a multi-valued attribute: the first primary one, otherwise the first. */
function mainOf(values: readonly Value[] = []): Value | undefined {
  const present = values.filter(({ value }) => !isBlank(value));
  return present.find(({ primary }) => primary) ?? present[0];
}

/** Several roles contradict each other, unless one of them is primary. */
function toRole(roles: readonly Value[]): Role | undefined {
  const present = roles.filter(({ value }) => !isBlank(value));
  if (present.length === 0) return undefined;
  const primary = present.filter((one) => one.primary);
  const parsed = role.safeParse(mainOf(present)?.value?.trim().toLowerCase());
  if (!parsed.success || (present.length > 1 && primary.length !== 1))
    throw invalid(`roles: must be one of ${role.options.join(", ")}`);
  return parsed.data;
}

/** Created on demand, because Node loads locale data for it. */
let languages: Intl.DisplayNames | undefined;

function toLanguage(text: string): string | undefined {
  languages ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  // It has the form of `Accept-Language` (RFC 7643 §4.1.1).
  const locale = readLocale(text.split(/[,;]/)[0]?.trim() ?? "");
  const language = locale === undefined ? undefined : languageOf(locale);
  if (language?.length !== 2 || languages.of(language) === undefined)
    throw invalid("preferredLanguage: must be a language of two letters (ISO 639-1), such as en or de-CH");
  return locale;
}

const languageOf = (locale: string): string => locale.replace(/-.*$/, "");

export const invalid = (message: string): ApiError => new ApiError("scim-invalid-value", { message });

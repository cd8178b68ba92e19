import * as z from "zod";
import { countCharacters } from "#shared/platform/count-characters.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import {
  entriesOf,
  filterPart,
  invalidValue,
  isObject,
  isUnassigned,
  type Json,
  listOf,
  type Operation,
  onlyValue,
  parseFilterPart,
  pick,
  readPatch,
} from "../patch/read-patch.ts";
import { schemaUrns } from "../schemas.ts";

/** The effect of an operation, or of a part of it, on a group. Ids of members are in lower case. */
export type GroupEdit =
  | { readonly kind: "name"; readonly displayName: string }
  | { readonly kind: "external-id"; readonly externalId: string | undefined }
  | { readonly kind: "add" | "remove" | "set"; readonly memberIds: readonly string[] }
  | { readonly kind: "exchange"; readonly memberId: string; readonly memberIds: readonly string[] };

type Path =
  | { readonly kind: "displayName" | "externalId" | "ignored" | "read-only" }
  | { readonly kind: "members"; readonly memberId?: string };

const readOnly = ["id", "meta"];
const maxQuoted = 200;
const invalidPath = (path: string) =>
  new ApiError("scim-invalid-path", { message: `${path.slice(0, maxQuoted)}: cannot be changed by a PATCH` });

/**
 * Reads the operations of a PATCH of a group (RFC 7644 §3.5.2) in order, with the members to remove either in a path or
 * in a value.
 *
 * @throws ApiError `scim-invalid-operation`, `scim-invalid-path`, `scim-invalid-filter`, `scim-invalid-value`,
 *   `scim-no-target`, `scim-mutability`
 */
export const readGroupOperations = (body: Json): GroupEdit[] =>
  readPatch(body).flatMap(({ op, path: text, value }) => {
    if (text !== undefined) return edit(op, parsePath(text), value, text);
    return entriesOf(value).flatMap(([name, part]) => {
      const path = parsePath(name);
      // Some directories send all of the resource that they have read.
      return path.kind === "read-only" ? [] : edit(op, path, part, name);
    });
  });

function edit(op: Operation["op"], path: Path, value: unknown, text: string): GroupEdit[] {
  const only = onlyValue(value);
  switch (path.kind) {
    case "members":
      return [path.memberId === undefined ? editMembers(op, value) : editMember(op, path.memberId, value)];
    case "displayName":
      if (op === "remove" || isUnassigned(only))
        throw new ApiError("scim-mutability", { message: "displayName: must not be removed" });
      return [{ kind: "name", displayName: readText("displayName", only, 4000) }];
    case "externalId": {
      const isRemoved = op === "remove" || isUnassigned(only) || only === "";
      return [
        { kind: "external-id", externalId: isRemoved ? undefined : readText("externalId", only, 1024) },
      ];
    }
    case "ignored":
      return [];
    case "read-only":
      throw new ApiError("scim-mutability", { message: `${text}: only the service sets it` });
  }
}

/** Without a value, all members are removed; with one, those that it names, possibly none. */
function editMembers(op: Operation["op"], value: unknown): GroupEdit {
  if (op === "remove")
    return value === undefined || value === null
      ? { kind: "set", memberIds: [] }
      : { kind: "remove", memberIds: readMembers(value) };
  const memberIds = isUnassigned(value) ? [] : readMembers(value);
  return { kind: op === "add" ? "add" : "set", memberIds };
}

const editMember = (op: Operation["op"], memberId: string, value: unknown): GroupEdit =>
  op === "remove" || isUnassigned(value)
    ? { kind: "remove", memberIds: [memberId] }
    : { kind: "exchange", memberId, memberIds: readMembers(value) };

const uuid = z.uuid();

const readMembers = (value: unknown): string[] =>
  listOf(value).map((member) => {
    const id = isObject(member) ? pick(member, ["value"]).value : member;
    const read = uuid.safeParse(typeof id === "string" ? id.toLowerCase() : id);
    if (!read.success) throw invalidValue("members: each must have the id of a user as its value");
    return read.data;
  });

function readText(attribute: string, value: unknown, max: number): string {
  if (typeof value === "string" && value !== "" && countCharacters(value) <= max) return value;
  throw invalidValue(`${attribute}: must be a text of 1 to ${max} characters`);
}

/** `attribute`, or `members[value eq "…"]`; each part has only one way to match, so matching is linear. */
const groupPath = new RegExp(`^([a-z][\\w$-]*)(?:${filterPart})?$`, "i");

function parsePath(path: string): Path {
  const prefix = `${schemaUrns.group}:`;
  const match = groupPath.exec(path.startsWith(prefix) ? path.slice(prefix.length) : path);
  const [, written = "", filter] = match ?? [];
  const name = written.toLowerCase();
  if (name === "members")
    return filter === undefined ? { kind: "members" } : { kind: "members", memberId: readFilter(filter) };
  if (filter !== undefined) throw invalidPath(path);
  if (name === "displayname") return { kind: "displayName" };
  if (name === "externalid") return { kind: "externalId" };
  if (name === "schemas") return { kind: "ignored" };
  if (readOnly.includes(name)) return { kind: "read-only" };
  throw invalidPath(path);
}

function readFilter(filter: string): string {
  const [only, ...others] = parseFilterPart(filter);
  if (only?.name !== "value" || others.length > 0)
    throw new ApiError("scim-invalid-filter", { message: 'A filter of members must be `value eq "…"`' });
  return only.value.toLowerCase();
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Operation, readOperations, toRequest } from "./operations.ts";

const file = join(import.meta.dirname, "../../docs/openapi-internal.json");
const operations = readOperations(JSON.parse(readFileSync(file, "utf8")));
const uid = "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60";

function operationOf(id: string): Operation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`There is no operation ${id}`);
  return found;
}
const requestOf = (id: string, pairs: string[], body?: string) => toRequest(operationOf(id), pairs, body);

describe("a request described by key=value", () => {
  it("has its parameters in the path and query, and the other values in the body", () => {
    expect(requestOf("i-put-team", [`tid=${uid}`, `Z-User=${uid}`, "name=a=b", "icon=default"])).toEqual({
      path: `/i/teams/${uid}`,
      query: {},
      headers: { "Z-User": uid },
      json: { name: "a=b", icon: "default" },
    });
    expect(requestOf("i-get-users", ["email=ada+work@example.com"])).toEqual({
      path: "/i/users",
      query: { email: "ada+work@example.com" },
      headers: {},
    });
  });

  it("encodes values in the path", () => {
    expect(requestOf("i-get-asset", ["key=a/b?c"]).path).toBe("/i/assets/a%2Fb%3Fc");
  });

  it("takes fields other than texts as JSON, or the whole body", () => {
    const fields = { version: 0, fields: [] };
    const json = { rich_info: fields };
    expect(requestOf("i-put-rich-info", [`uid=${uid}`, `rich_info=${JSON.stringify(fields)}`]).json).toEqual(
      json,
    );
    expect(requestOf("i-put-rich-info", [`uid=${uid}`], JSON.stringify(json)).json).toEqual(json);
  });

  it.each<[problem: string, id: string, pairs: string[], body: string | undefined]>([
    ["uid=… is missing", "i-get-user-status", [], undefined],
    ["uid: Invalid UUID", "i-get-user-status", ["uid=ada"], undefined],
    ["has no name: call i-get-user-status uid=…", "i-get-user-status", [`uid=${uid}`, "name=x"], undefined],
    ["status=… is missing", "i-put-user-status", [`uid=${uid}`], undefined],
    ["uid is given twice", "i-get-user-status", [`uid=${uid}`, `uid=${uid}`], undefined],
    ["is not KEY=VALUE", "i-get-user-status", [uid], undefined],
    ["key: not a value: ..", "i-get-asset", ["key=.."], undefined],
    ["size: ", "i-list-oauth-clients", ["size=101"], undefined],
    ["size: ", "i-list-oauth-clients", ["size=many"], undefined],
    ["rich_info must be JSON", "i-put-rich-info", [`uid=${uid}`, "rich_info={"], undefined],
    ["--body must be JSON", "i-put-user-status", [`uid=${uid}`], "{"],
    ["has no body", "i-get-user-status", [`uid=${uid}`], "{}"],
    ["status is unknown", "i-put-user-status", [`uid=${uid}`, "status=active"], "{}"],
    ["given by --body", "i-put-sso-id", [`uid=${uid}`], undefined],
  ])("is refused: %s (%s)", (problem, id, pairs, body) => {
    expect(() => requestOf(id, pairs, body)).toThrow(problem);
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { cursorOf } from "./cursor.ts";

const place = z.strictObject({ after: z.string() });
const users = cursorOf("users", place);
const encoded = (text: string) => Buffer.from(text).toString("base64url");

describe("a cursor", () => {
  it("leads back to its place", () => {
    expect(users.parse(z.encode(users, { after: "ä" }))).toEqual({ after: "ä" });
  });

  it("is refused by another list with the same fields", () => {
    const teams = cursorOf("teams", place);
    expect(teams.safeParse(z.encode(users, { after: "a" })).success).toBe(false);
  });

  it.each([
    "",
    "not base64url!",
    encoded("after"),
    encoded("null"),
    encoded("[]"),
    encoded("{}"),
    encoded('{"after":1}'),
    encoded('{"after":"a","before":"b"}'),
    encoded(JSON.stringify({ after: "a".repeat(10_000) })),
  ])("is refused when it is malformed: %.30j", (text) => {
    expect(users.safeParse(text).success).toBe(false);
  });
});

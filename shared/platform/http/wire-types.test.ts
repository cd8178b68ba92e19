import { expect, it } from "vitest";
import { queryInstant } from "./wire-types.ts";

it.each([
  ["2026-11-29T10:00:00Z", "2026-11-29T10:00:00.000Z"],
  ["2026-11-29T10:00:00+02:00", "2026-11-29T08:00:00.000Z"],
  ["2026-11-29T10:00:00.5 02:00", "2026-11-29T08:00:00.500Z"],
  ["2026-11-29T10:00:00-02:00", "2026-11-29T12:00:00.000Z"],
])("a query accepts %s as %s, also with an unencoded plus", (text, time) => {
  expect(new Date(queryInstant.parse(text)).toISOString()).toBe(time);
});

it.each([
  "2026-11-29",
  "2026-11-29T10:00:00",
  "2026-11-29 10:00",
  "2026-02-30T10:00:00 02:00",
  "02:00",
  " 02:00",
])("a query does not accept %j as a time", (text) => {
  expect(queryInstant.safeParse(text).success).toBe(false);
});

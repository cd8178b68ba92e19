import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withRestoredTables } from "./stage-text.ts";

const stageText = (name: string) =>
  readFileSync(join(import.meta.dirname, "..", "..", "stages", `${name}.json`), "utf8");

it.each(["dev", "prod"])(
  "adds restored tables to the stage file of %s, and changes no other line",
  (stage) => {
    const before = stageText(stage);
    const after = withRestoredTables(before, { accounts: "a-at-1", clients: "c-at-1" });
    const { restoredTables, ...others } = JSON.parse(after);
    expect(restoredTables).toEqual({ accounts: "a-at-1", clients: "c-at-1" });
    expect(others).toEqual(JSON.parse(before));
    // The last line but one gets a comma.
    const kept = before.trimEnd().split("\n").slice(0, -2);
    expect(after.split("\n").slice(0, kept.length)).toEqual(kept);
  },
);

it("keeps the tables of earlier restores that no later one has replaced", () => {
  const first = withRestoredTables(stageText("dev"), { accounts: "a-at-1", clients: "c-at-1" });
  const second = withRestoredTables(first, { clients: "c-at-2" });
  expect(second).toBe(first.replace("c-at-1", "c-at-2"));
});

it("fills an empty list anywhere in the file", () => {
  const text = '{\n  "restoredTables": {},\n  "isProtected": true\n}\n';
  expect(withRestoredTables(text, { teams: "t-at-1" })).toBe(
    '{\n  "restoredTables": {\n    "teams": "t-at-1"\n  },\n  "isProtected": true\n}\n',
  );
});

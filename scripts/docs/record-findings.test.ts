import { describe, expect, it } from "vitest";
import { findInRecords } from "./record-findings.ts";

const record = { path: "docs/adr/0007-outbox.md", text: "# 7. The outbox\n\nText." };
const index = {
  path: "docs/adr/README.md",
  text: "- [7. The outbox](0007-outbox.md): order\n\n| 8 | keys | [7](0007-outbox.md) |",
};

describe("the check of decision records", () => {
  it("accepts a record that the index lists, and mentions of it", () => {
    const code = { path: "shared/a.ts", text: "/* (ADR 7) and ADRs 7 and 7 */" };
    expect(findInRecords([record, index], [record, index, code])).toEqual([]);
  });

  it("finds a record that has the wrong number or is not in the index", () => {
    const unlisted = { path: "docs/adr/0008-keys.md", text: "# 9. Keys" };
    expect(findInRecords([record, unlisted, index], [])).toEqual([
      'docs/adr/0008-keys.md: does not begin with "# 8. "',
      "docs/adr/README.md: does not list docs/adr/0008-keys.md exactly once",
    ]);
  });

  it("finds mentions of records that do not exist, across lines of a comment", () => {
    const code = { path: "shared/a.ts", text: "// see ADR 8 and (ADR\n * 12); ADRs 7, 13 and 14" };
    expect(findInRecords([record, index], [code])).toEqual([
      "shared/a.ts:1: there is no ADR 8",
      "shared/a.ts:1: there is no ADR 12",
      "shared/a.ts:2: there is no ADR 13",
      "shared/a.ts:2: there is no ADR 14",
    ]);
  });

  it("finds a link that names one record and leads to another", () => {
    const page = { path: "README.md", text: "[ADR\n  8](docs/adr/0007-outbox.md)" };
    expect(findInRecords([record, index, page], [])).toEqual(["README.md:1: ADR 8 leads to 0007"]);
  });
});

import { describe, expect, it } from "vitest";
import { csvLine } from "./csv.ts";

describe("a line of a CSV file", () => {
  it("has every field in quotes, and ends with CR and LF", () => {
    expect(csvLine(["Ada", "", "3"])).toBe('"Ada","","3"\r\n');
  });

  it("doubles quotes, and keeps line breaks and commas within a field", () => {
    expect(csvLine(['say "hi"', "a,b", "c\r\nd"])).toBe('"say ""hi""","a,b","c\r\nd"\r\n');
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1"])(
    "keeps a spreadsheet from evaluating %j",
    (text) => {
      expect(csvLine([text])).toBe(`"'${text}"\r\n`);
    },
  );

  it("leaves such characters alone anywhere but at the start", () => {
    expect(csvLine(["1=1", " =1", "a@b"])).toBe('"1=1"," =1","a@b"\r\n');
  });
});

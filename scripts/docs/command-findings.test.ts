import { describe, expect, it } from "vitest";
import { findInCommands } from "./command-findings.ts";

const reference = {
  path: "docs/commands.md",
  text: "| command | what it does |\n| --- | --- |\n| `npm start` | runs |\n| `npm run docs`, `npm run check` | after `npm start` |",
};
const scripts = ["start", "docs", "check"];

describe("findInCommands", () => {
  it("accepts pages whose commands exist, and a reference that lists each command once", () => {
    const page = {
      path: "README.md",
      text: "Run `npm run --silent docs -- x`, `npm run check`, then `npm start`.",
    };
    expect(findInCommands([reference, page], scripts)).toEqual([]);
  });

  it("names a command that does not exist, with its line", () => {
    const page = { path: "README.md", text: "npm run chek\nor `npm test`" };
    expect(findInCommands([reference, page], scripts)).toEqual([
      "README.md:1: there is no npm run chek",
      "README.md:2: there is no npm run test",
    ]);
  });

  it("names a command that the reference does not list, or lists twice", () => {
    const twice = { ...reference, text: `${reference.text}\n| \`npm run docs\` | again |` };
    expect(findInCommands([twice], [...scripts, "bench"])).toEqual([
      "docs/commands.md: does not list npm run docs exactly once",
      "docs/commands.md: does not list npm run bench exactly once",
    ]);
  });
});

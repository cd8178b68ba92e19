import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readStage } from "#lib/stage.ts";
import { synthesise } from "./deployment.ts";

const guide = readFileSync(join(import.meta.dirname, "../../docs/operations/deploying.md"), "utf8");
const section = guide.split("\n## Deleting a stage\n")[1]?.split("\n## ")[0] ?? "";

it("the operator's guide names every type of resource that stays when a stage is deleted", () => {
  const { resources } = synthesise(readStage("prod"), { validates: false });
  const kept = Object.values(resources).filter(
    ({ DeletionPolicy = "Delete" }) => DeletionPolicy !== "Delete",
  );
  const named = [...section.matchAll(/`(AWS::\w+::\w+)`/g)].map(([, type = ""]) => type);
  expect(named.toSorted()).toEqual([...new Set(kept.map(({ Type }) => Type))].toSorted());
});

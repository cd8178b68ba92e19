import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keptResources, lossesBetween } from "#lib/releases/kept-resources.ts";
import { stageTemplates } from "#lib/releases/stage-templates.ts";

const folder = join(import.meta.dirname, "../../releases");
const present = keptResources(stageTemplates("prod"));

it.each(readdirSync(folder))(
  "an update from version %s neither removes nor replaces what holds data",
  (version) => {
    const released = JSON.parse(readFileSync(join(folder, version, "resources.json"), "utf8"));
    // If this fails, give the new resource another name beside the old one, and move the data by a migration.
    expect(lossesBetween(released, present)).toEqual([]);
  },
);

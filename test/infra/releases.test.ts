import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { acceptedResourceChanges } from "#lib/releases/accepted-resource-changes.ts";
import { keptResources, lossesBetween } from "#lib/releases/kept-resources.ts";
import { stageTemplates } from "#lib/releases/stage-templates.ts";

const folder = join(import.meta.dirname, "../../releases");
const present = keptResources(stageTemplates("prod"));

it.each(readdirSync(folder))(
  "an update from version %s keeps everything that holds data, its protection, and its names",
  (version) => {
    const released = JSON.parse(readFileSync(join(folder, version, "resources.json"), "utf8"));
    // If this fails, leave the resource as it is; give a new one another name beside it, and move the data by a migration.
    expect(lossesBetween(released, present).filter(({ name }) => !(name in acceptedResourceChanges))).toEqual(
      [],
    );
  },
);

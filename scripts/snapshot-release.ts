// Writes the promises of a release into releases/<version>/: npm run release:snapshot. Run it once, for the version in
// package.json, before the release is tagged; the checks of later versions compare with it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { keptResources } from "#lib/releases/kept-resources.ts";
import { stageTemplates } from "#lib/releases/stage-templates.ts";
import packageJson from "../package.json" with { type: "json" };

const folder = join(import.meta.dirname, "../releases", packageJson.version);
mkdirSync(folder, { recursive: true });
const resources = keptResources(stageTemplates("prod"));
writeFileSync(join(folder, "resources.json"), `${JSON.stringify(resources, null, 2)}\n`);
console.log(`Wrote ${folder}`);

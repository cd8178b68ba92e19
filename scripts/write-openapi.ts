// Writes docs/openapi.json from the route tables. With --check it writes nothing and fails when the file is stale.
import { readFile, writeFile } from "node:fs/promises";
import { openapiOf } from "#functions/api-info/openapi-of.ts";
import { newestVersion } from "#shared/http/versions.ts";
import { parseSettings } from "#shared/settings.ts";

const file = new URL("../docs/openapi.json", import.meta.url);
const document = `${JSON.stringify(openapiOf(newestVersion, parseSettings({})), null, 2)}\n`;

if (!process.argv.includes("--check")) {
  await writeFile(file, document);
} else if ((await readFile(file, "utf8").catch(() => "")) !== document) {
  console.error("docs/openapi.json is stale: run npm run openapi");
  process.exitCode = 1;
}

// Writes a SAM template of all functions, their bundles and sample events into build/sam/, for a running npm start: npm
// run sam [-- --url ADDRESS of its internal API]. docs/operations/local-aws.md explains its use.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { bundleFunctions } from "#lib/bundle/bundle.ts";
import type { DataAccess } from "#lib/local/console/data-access.ts";
import { SetupError } from "#lib/local/setup-error.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { runScript } from "./run-script.ts";
import { sampleEvents } from "./sam/sample-events.ts";
import { logicalId, samTemplate } from "./sam/template.ts";

const folder = "build/sam";
const usage = "usage: npm run sam -- [--url http://127.0.0.1:8081]";

await runScript(usage, async () => {
  const { values } = parseArgs({ options: { url: { type: "string", default: "http://127.0.0.1:8081" } } });
  const access = await accessTo(values.url);
  rmSync(folder, { recursive: true, force: true });
  const settings = parseSettings(access.settings);
  await bundleFunctions({ outdir: join(folder, "functions"), settings });
  const architecture = process.arch === "arm64" ? "arm64" : "x86_64";
  const template = samTemplate({ access, bundles: "functions", architecture });
  writeFileSync(join(folder, "template.json"), JSON.stringify(template, null, 2));
  mkdirSync(join(folder, "events"));
  const samples = sampleEvents(openapiOf(newestVersion, settings));
  for (const { operation, event } of samples)
    writeFileSync(join(folder, "events", `${operation}.json`), JSON.stringify(event, null, 2));
  console.log(
    `${folder} has ${Object.keys(template.Resources).length - 1} functions. For example, in this folder:\n`,
  );
  for (const { functionName, operation } of samples)
    console.log(
      `  sam local invoke ${logicalId(functionName)} -e events/${operation}.json -t template.json --docker-network host`,
    );
  console.log("  sam local start-api -t template.json --docker-network host --port 3000");
});

/** The answer of `npm start`'s console about its emulators. */
async function accessTo(internalUrl: string): Promise<DataAccess> {
  const address = new URL("/data-access", internalUrl);
  address.port = String(Number(address.port) + 1);
  const response = await fetch(address, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
  if (!response?.ok)
    throw new SetupError(
      `There is no console of npm start at ${address.origin}: start it, or name its internal API with --url`,
    );
  return (await response.json()) as DataAccess;
}

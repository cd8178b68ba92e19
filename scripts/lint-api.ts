// Lints the API documents in docs/ with Redocly (redocly.yaml) and Spectral (.spectral.yaml); any finding fails.
import { spawn } from "node:child_process";

const documents = ["docs/openapi.json", "docs/openapi-internal.json"];
const linters = [
  ["node_modules/@redocly/cli/bin/cli.js", "lint", "--format=stylish", ...documents],
  ["node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "--fail-severity=hint", ...documents],
];
// Send nothing to the vendor.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

for (const command of linters) {
  spawn(process.execPath, command, { env, stdio: "inherit" }).on("close", (code) => {
    if (code !== 0) process.exitCode = 1;
  });
}

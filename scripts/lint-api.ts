// Lints the API documents in docs/ with Redocly, by the rules in redocly.yaml; any finding fails.
import { spawn } from "node:child_process";

const documents = ["docs/openapi.json", "docs/openapi-internal.json"];
const command = ["node_modules/@redocly/cli/bin/cli.js", "lint", "--format=stylish", ...documents];
// Send nothing to the vendor.
const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

spawn(process.execPath, command, { env, stdio: "inherit" }).on("close", (code) => {
  if (code !== 0) process.exitCode = 1;
});

// Runs all static checks of the sources and prints their findings.
import { spawn } from "node:child_process";

const checks = {
  types: ["node_modules/typescript/bin/tsc", "--noEmit"],
  "types of the console": [
    "node_modules/typescript/bin/tsc",
    "--noEmit",
    "--project",
    "lib/local/console/browser/tsconfig.json",
  ],
  "types of the chat": [
    "node_modules/typescript/bin/tsc",
    "--noEmit",
    "--project",
    "examples/chat/tsconfig.json",
  ],
  "lint and format": ["node_modules/@biomejs/biome/bin/biome", "check", "."],
  layers: ["scripts/layers.ts", "--check"],
  "API documents": ["scripts/lint-api.ts"],
  "dead code": ["node_modules/knip/bin/knip.js", "--no-progress"],
  documents: ["scripts/check-docs.ts"],
  commits: ["scripts/check-commits.ts"],
  "generated files": ["scripts/write-docs.ts", "--check"],
};

const passed = await Promise.all(
  Object.entries(checks).map(
    ([name, command]) =>
      new Promise<boolean>((resolve) => {
        const output: Buffer[] = [];
        const child = spawn(process.execPath, command);
        child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
        child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
        child.on("close", (code) => {
          console.log(`${code === 0 ? "ok  " : "FAIL"}  ${name}`);
          if (code !== 0) process.stdout.write(Buffer.concat(output));
          resolve(code === 0);
        });
      }),
  ),
);
if (passed.includes(false)) process.exitCode = 1;

// Everything that can be said about the sources without running them; all checks run, all findings are printed.
import { spawn } from "node:child_process";

const checks = {
  types: ["node_modules/typescript/bin/tsc", "--noEmit"],
  "lint, format and import boundaries": ["node_modules/@biomejs/biome/bin/biome", "check", "."],
  "generated files": ["scripts/write-openapi.ts", "--check"],
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

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("ends the script when npm ends, although npm ends only the shell in between", async () => {
  const script = "console.log(process.pid); setInterval(() => {}, 1000)";
  const command = `"${process.execPath}" scripts/node24.mjs -e "${script}"; :`;
  const shell = spawn("sh", ["-c", command], {
    env: { ...process.env, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid] = await once(shell.stdout, "data");
  const isClosed = once(shell.stdout, "close");
  shell.kill("SIGTERM");
  // The script holds the pipe until it ends.
  await isClosed;
  expect(() => process.kill(Number(pid), 0)).toThrow("ESRCH");
});

it("also runs the app of the CDK, so that `npx cdk` works with any Node of an operator", () => {
  const { app } = JSON.parse(readFileSync("cdk.json", "utf8"));
  expect(app).toBe("node scripts/node24.mjs bin/app.ts");
});

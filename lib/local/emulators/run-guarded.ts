// Runs a server and ends it when standard input ends, which happens even if the parent is killed by SIGKILL. Usage:
// node run-guarded.ts <command> [parameters]
import { spawn } from "node:child_process";

const killAfterMilliseconds = 2000;

const [command = "", ...parameters] = process.argv.slice(2);
const server = spawn(command, parameters, { stdio: ["ignore", "inherit", "inherit"], windowsHide: true });
server.on("error", (error) => console.error(error.message));
// The server may have ended already.
server.on("close", () => process.stdin.destroy());
process.stdin.on("end", () => {
  server.kill();
  setTimeout(() => server.kill("SIGKILL"), killAfterMilliseconds).unref();
});
process.stdin.resume();

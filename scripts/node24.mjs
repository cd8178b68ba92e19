// Runs a script under Node 24 from any Node ≥ 20: with the installed Node when it is new enough, otherwise with the
// one that npm installed among the dependencies. Usage: node scripts/node24.mjs <script> [arguments]
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";

const platform = process.platform === "win32" ? "win" : process.platform;
const packageName = `node-${platform}-${process.arch}`;

function packagedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
    return join(dirname(manifest), "bin", platform === "win" ? "node.exe" : "node");
  } catch {
    return undefined;
  }
}

const isRecent = Number.parseInt(process.versions.node, 10) >= 24;
const node = isRecent ? process.execPath : packagedNode();

if (node === undefined) {
  const { optionalDependencies } = createRequire(import.meta.url)("../package.json");
  console.error(
    packageName in optionalDependencies
      ? `Node 24 is needed: this is Node ${process.versions.node}, and ${packageName} is not installed. ` +
          "Run npm ci without --omit=optional, or, if the registry lacks it, install Node 24 or newer, and run the command again."
      : `Node 24 is needed: this is Node ${process.versions.node}, and npm has no package ${packageName}. ` +
          "Install Node 24 or newer and run the command again.",
  );
  process.exitCode = 1;
} else {
  // Both compilers can deadlock Node 24 at exit (nodejs/node#54918).
  const flags = ["--no-maglev", "--no-concurrent-sparkplug"];
  const child = spawn(node, [...flags, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: {
      // Caches compiled code for the next start, also for processes that the script forks.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "..", "node_modules", ".cache", "node"),
      ...process.env,
      PATH: dirname(node) + delimiter + process.env.PATH,
    },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // npm passes a signal only to the shell in between, which ends without passing it on to this process.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid;
    setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 500).unref();
  }
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
  });
}

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Whether environments for packages of PyPI can be made. */
export const hasPython =
  spawnSync("python3", ["-c", "import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))"]).status ===
  0;
/** Options of tests in Python, with time for the first of them to install packages on a busy machine. */
export const inPython = {
  meta: { needs: "Python 3.10 or newer with venv, and PyPI" },
  timeout: 400_000,
};

/** Programs of an environment of Python. */
interface PythonEnvironment {
  readonly python: string;
  /** Runs a program or module of a package. */
  readonly run: (
    module: string,
    args: readonly string[],
    cwd?: string,
  ) => { status: number | null; output: string };
  /** Runs a file. */
  readonly script: (file: string, args: readonly string[]) => { status: number | null; output: string };
}

/**
 * An environment with these packages, which is kept under their names.
 * @param packages with their versions, as pip takes them
 * @returns undefined when PyPI does not have them, or cannot be reached
 */
export function pythonEnvironment(...packages: readonly string[]): PythonEnvironment | undefined {
  const cache = resolve("node_modules/.cache");
  const folder = join(cache, `python-${packages.join("-")}`);
  const kept = environmentIn(folder);
  if (kept.install(packages, "--no-index")) return kept;

  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    spawnSync("python3", ["-m", "venv", fresh]);
    if (!environmentIn(fresh).install(packages, "--timeout=5", "--retries=1")) return undefined;
    // Another worker may have been faster: its environment is the one that stays.
    if (!kept.install(packages, "--no-index")) {
      rmSync(folder, { recursive: true, force: true });
      renameSync(fresh, folder);
    }
    return kept;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function environmentIn(folder: string) {
  const binaries = join(folder, process.platform === "win32" ? "Scripts" : "bin");
  const python = join(binaries, "python");
  const env = { ...process.env, PATH: binaries + delimiter + process.env.PATH };
  const start = (args: readonly string[], cwd?: string) => {
    const { status, stdout, stderr } = spawnSync(python, args, { encoding: "utf8", env, cwd });
    return { status, output: stdout + stderr };
  };
  return {
    python,
    install: (packages: readonly string[], ...options: readonly string[]) =>
      start(["-m", "pip", "install", "--quiet", ...options, ...packages]).status === 0,
    run: (module: string, args: readonly string[], cwd?: string) => start(["-m", module, ...args], cwd),
    script: (file: string, args: readonly string[]) => start([file, ...args]),
  };
}

const generator = "openapi-python-client==0.29.1";

/**
 * Generate a client from an API document, with the project's configuration for bodies that are bytes.
 * @param folder where the client's package is written, which gets the name of the folder
 */
export const generatePythonClient = (
  { run }: PythonEnvironment,
  { documentFile, folder }: { readonly documentFile: string; readonly folder: string },
) =>
  run("openapi_python_client", [
    "generate",
    `--path=${documentFile}`,
    `--output-path=${folder}`,
    "--meta=none",
    "--overwrite",
    "--config=docs/clients/openapi-python-client.yaml",
  ]);

/** The packages that generate clients in Python, and compile descriptions of protobuf for them. */
export const pythonGenerator = () => pythonEnvironment(generator, "grpcio-tools==1.85.1");

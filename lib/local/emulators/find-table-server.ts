import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { SetupError } from "../setup-error.ts";

/** A program that stands in for DynamoDB. */
export interface TableServer {
  readonly command: string;
  /** Whether it can listen on a single address; otherwise, it listens on all addresses of the machine. */
  readonly takesHost: boolean;
  /** Part of the line that it prints when it listens; absent if it prints none. */
  readonly readyLine?: string;
  /** @param folder for its data; absent to keep them in memory */
  parameters(place: { readonly host: string; readonly port: number }, folder?: string): readonly string[];
}

/** The facts on which the choice of a program depends. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of an installed npm package. */
  packageFolder(name: string): string | undefined;
  /** Whether npm installs a package here by default. */
  isOffered(name: string): boolean;
  isExecutable(path: string): boolean;
  exists(path: string): boolean;
  /** Major version of a Java command; undefined if there is none. */
  javaVersion(command: string): number | undefined;
}

/** Folder for the download of `npm run dynamodb-local`. */
export const dynamodbLocalFolder = resolve("node_modules", ".cache", "dynamodb-local");

const oldestJava = 17;

/**
 * The program that stands in for DynamoDB on this machine: the one that `DYNOXIDE` names, the one that npm has
 * installed, one on the PATH, or DynamoDB Local.
 * @throws SetupError with advice if there is none
 */
export function findTableServer(machine: Machine = thisMachine): TableServer {
  const { environment, platform } = machine;
  if (environment.DYNOXIDE) {
    if (!machine.isExecutable(environment.DYNOXIDE))
      throw new SetupError(`DYNOXIDE names no program: ${environment.DYNOXIDE}`);
    return dynoxide(environment.DYNOXIDE);
  }
  const name = platform === "win32" ? "dynoxide.exe" : "dynoxide";
  const installed = machine.packageFolder(packageOf(machine));
  const folders = [installed, ...(environment.PATH ?? "").split(delimiter)].filter((folder) => folder);
  const found = folders.map((folder) => join(String(folder), name)).find(machine.isExecutable);
  if (found !== undefined) return dynoxide(found);
  return findDynamodbLocal(machine);
}

const packageOf = ({ platform, arch }: Machine) => `@dynoxide/${platform}-${arch}`;

function findDynamodbLocal(machine: Machine): TableServer {
  const { environment, platform, arch } = machine;
  const folder = environment.DYNAMODB_LOCAL || dynamodbLocalFolder;
  const hasProgram = machine.exists(join(folder, "DynamoDBLocal.jar"));
  if (environment.DYNAMODB_LOCAL && !hasProgram)
    throw new SetupError(`DYNAMODB_LOCAL names a folder without DynamoDBLocal.jar: ${folder}`);
  const java = environment.JAVA_HOME ? join(environment.JAVA_HOME, "bin", "java") : "java";
  const version = machine.javaVersion(java);
  const hasJava = version !== undefined && version >= oldestJava;
  if (hasJava && hasProgram) return dynamodbLocal(java, folder);
  const need = hasJava
    ? "Java is there, so this is enough: npm run dynamodb-local"
    : `With Java ${oldestJava} or newer (${version === undefined ? "none is on the PATH" : `this is ${version}`}), ` +
      "this is enough: npm run dynamodb-local";
  throw new SetupError(
    (machine.isOffered(packageOf(machine))
      ? `Nothing stands in for DynamoDB here: ${packageOf(machine)} is not installed. npm ci without --omit=optional ` +
        `installs it if the registry has it. ${need}\n`
      : `Nothing stands in for DynamoDB here: npm has no emulator for ${platform}-${arch}. ${need}\n`) +
      "Or set DYNOXIDE to the path of a dynoxide program, or AWS_ENDPOINT_URL_DYNAMODB to the address of another " +
      "DynamoDB-compatible server.",
  );
}

const dynoxide = (command: string): TableServer => ({
  command,
  takesHost: true,
  readyLine: "listening",
  parameters: ({ host, port }, folder) => [
    ...["--host", host, "--port", String(port)],
    ...(folder === undefined ? [] : ["--db-path", join(folder, "dynamodb.sqlite")]),
  ],
});

const dynamodbLocal = (java: string, program: string): TableServer => ({
  command: java,
  takesHost: false,
  parameters({ port }, folder) {
    const database = folder === undefined ? undefined : join(folder, "dynamodb-local");
    if (database !== undefined) mkdirSync(database, { recursive: true });
    return [
      `-Djava.library.path=${join(program, "DynamoDBLocal_lib")}`,
      ...[
        "-jar",
        join(program, "DynamoDBLocal.jar"),
        "-disableTelemetry",
        "-sharedDb",
        "-port",
        String(port),
      ],
      ...(database === undefined ? ["-inMemory"] : ["-dbPath", database]),
    ];
  },
});

const { optionalDependencies }: { optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
);

const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  environment: process.env,
  packageFolder(name) {
    try {
      return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    } catch {
      return undefined;
    }
  },
  isOffered: (name) => name in optionalDependencies,
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  },
  exists: existsSync,
  javaVersion(command) {
    const { stderr } = spawnSync(command, ["-version"], {
      encoding: "utf8",
      timeout: 10_000,
      windowsHide: true,
    });
    const version = /version "(\d+)/.exec(stderr ?? "")?.[1];
    return version === undefined ? undefined : Number(version);
  },
};

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dynamodbLocalFolder, findTableServer, type Machine } from "./find-table-server.ts";

const place = { host: "127.0.0.1", port: 4045 };

/** A machine with nothing that stands in for DynamoDB. */
const bare: Machine = {
  platform: "darwin",
  arch: "arm64",
  environment: { PATH: ["/usr/bin", "/opt/bin"].join(":") },
  packageFolder: () => undefined,
  isOffered: () => false,
  isExecutable: () => false,
  exists: () => false,
  javaVersion: () => undefined,
};

const withFiles = (...paths: string[]): Partial<Machine> => ({
  isExecutable: (path) => paths.includes(path),
  exists: (path) => paths.includes(path),
});

const jar = join(dynamodbLocalFolder, "DynamoDBLocal.jar");

describe("the program that stands in for DynamoDB", () => {
  it("is the package for the platform and architecture", () => {
    const packageFolder = (name: string) =>
      name === "@dynoxide/linux-arm64" ? "/modules/dynoxide" : undefined;
    const machine = { ...bare, platform: "linux", packageFolder, ...withFiles("/modules/dynoxide/dynoxide") };
    const { command, parameters } = findTableServer(machine);
    expect([command, ...parameters(place)]).toEqual([
      "/modules/dynoxide/dynoxide",
      "--host",
      "127.0.0.1",
      "--port",
      "4045",
    ]);
    expect(parameters(place, "data").slice(-2)).toEqual(["--db-path", join("data", "dynamodb.sqlite")]);
  });

  it("is the program that DYNOXIDE names, even if a package is installed", () => {
    const environment = { DYNOXIDE: "/own/dynoxide" };
    const files = withFiles("/own/dynoxide", "/modules/dynoxide");
    const machine = { ...bare, environment, packageFolder: () => "/modules", ...files };
    expect(findTableServer(machine).command).toBe("/own/dynoxide");
    expect(() => findTableServer({ ...bare, environment })).toThrow(
      "DYNOXIDE names no program: /own/dynoxide",
    );
  });

  it("is the first on the PATH if there is no package", () => {
    expect(findTableServer({ ...bare, ...withFiles("/opt/bin/dynoxide") }).command).toBe("/opt/bin/dynoxide");
  });

  it("is DynamoDB Local if Java can run it", () => {
    const machine = { ...bare, ...withFiles(jar), javaVersion: () => 21 };
    const { command, parameters } = findTableServer(machine);
    expect(command).toBe("java");
    expect(parameters(place)).toEqual(
      expect.arrayContaining([jar, "4045", "-inMemory", "-disableTelemetry"]),
    );
  });

  it("is DynamoDB Local in the folder that DYNAMODB_LOCAL names, run by the Java of JAVA_HOME", () => {
    const environment = { DYNAMODB_LOCAL: "/own", JAVA_HOME: "/jdk" };
    const machine = {
      ...bare,
      environment,
      ...withFiles(join("/own", "DynamoDBLocal.jar")),
      javaVersion: () => 17,
    };
    expect(findTableServer(machine).command).toBe(join("/jdk", "bin", "java"));
    expect(() => findTableServer({ ...bare, environment })).toThrow(
      "DYNAMODB_LOCAL names a folder without DynamoDBLocal.jar: /own",
    );
  });

  it.each([
    [
      "neither Java nor DynamoDB Local",
      {},
      "With Java 17 or newer (none is on the PATH), this is enough: npm run dynamodb-local",
    ],
    [
      "an old Java",
      { ...withFiles(jar), javaVersion: () => 11 },
      "With Java 17 or newer (this is 11), this is enough",
    ],
    [
      "no DynamoDB Local",
      { javaVersion: () => 17 },
      "Java is there, so this is enough: npm run dynamodb-local",
    ],
  ])("is missing with %s, which a message explains", (_, machine, message) => {
    expect(() => findTableServer({ ...bare, ...machine })).toThrow(message);
    expect(() => findTableServer({ ...bare, ...machine })).toThrow("npm has no emulator for darwin-arm64");
  });

  it("is missing where optional packages were left out, which a message explains", () => {
    const isOffered = (name: string) => name === "@dynoxide/darwin-arm64";
    expect(() => findTableServer({ ...bare, isOffered })).toThrow(
      "@dynoxide/darwin-arm64 is not installed. npm ci without --omit=optional installs it if the registry has it. With ",
    );
  });

  it("has the extension .exe on Windows", () => {
    const machine = { ...bare, platform: "win32", arch: "x64", packageFolder: () => "/modules" };
    expect(findTableServer({ ...machine, ...withFiles(join("/modules", "dynoxide.exe")) }).command).toContain(
      ".exe",
    );
    expect(() => findTableServer(machine)).toThrow("win32-x64");
  });
});

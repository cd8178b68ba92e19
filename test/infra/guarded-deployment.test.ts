import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { guardedDeployment } from "#lib/guarded-deployment.ts";

const sockets = { mode: "gateway" } as const;
const pinned = { name: "prod", account: "123456789012", region: "eu-central-1", sockets, canary: true };

describe("a guarded deployment", () => {
  it("guards the functions only, and finally deploys everything", () => {
    const commands = guardedDeployment(pinned);
    expect(commands.map((command) => command.slice(0, 3))).toEqual(
      commands.map(() => ["deploy", "-c", "stage=prod"]),
    );
    const watching = commands.filter((command) => command.includes("--rollback-trigger-alarm-arns"));
    expect(watching).toHaveLength(1);
    expect(watching[0]).toEqual(expect.arrayContaining(["parley-prod-api", "--exclusively"]));
    expect(watching[0]).toContain(
      "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:parley-prod-public-api-server-errors",
    );
    expect(commands.at(-1)).toContain("--all");
  });

  it("watches the relays where no function serves the WebSocket API", () => {
    const watched = (mode: "gateway" | "relay") =>
      guardedDeployment({ ...pinned, sockets: { mode } })
        .flat()
        .filter((argument) => argument.startsWith("arn:"))
        .map((arn) => arn.replace(/.*:parley-prod-/, ""));
    expect(watched("relay").filter((id) => !watched("gateway").includes(id))).toEqual(["relay-errors"]);
    expect(watched("gateway").filter((id) => !watched("relay").includes(id))).toEqual(["websocket-errors"]);
  });

  it("uses options that the CDK has", () => {
    const { stdout } = spawnSync(process.execPath, ["node_modules/aws-cdk/bin/cdk", "deploy", "--help"], {
      encoding: "utf8",
    });
    const options = guardedDeployment(pinned)
      .flat()
      .filter((argument) => argument.startsWith("--"));
    for (const option of new Set(options)) expect(stdout).toContain(option);
  });

  it("requires account and region of the stage", () => {
    expect(() => guardedDeployment({ name: "dev", sockets, canary: false })).toThrow(
      "stages/dev.json must have account and region",
    );
  });
});

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { guardedDeployment, splitOptions } from "#lib/guarded-deployment.ts";
import { readStage } from "#lib/stage.ts";

const sockets = { mode: "gateway" } as const;
const { distribution } = readStage("prod");
const pinned = {
  name: "prod",
  account: "123456789012",
  region: "eu-central-1",
  sockets,
  canary: true,
  distribution,
};
type Guarded = Parameters<typeof guardedDeployment>[0];
const commandsOf = (stage: Guarded) => guardedDeployment(stage, "/assembly");

describe("a guarded deployment", () => {
  it("guards the functions only, after what they need and before the rest", () => {
    const { foundation, wave, back, everything } = commandsOf(pinned);
    expect(foundation).toEqual(
      expect.arrayContaining(["parley-prod-data", "parley-prod-messaging", "parley-prod-edge"]),
    );
    expect(wave).toEqual(expect.arrayContaining(["parley-prod-api", "--exclusively"]));
    expect(wave).toContain(
      "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:parley-prod-public-api-server-errors",
    );
    expect(wave).toContain("arn:aws:cloudwatch:eu-central-1:123456789012:alarm:parley-prod-canary-failures");
    expect(back).toEqual(wave.slice(0, back.length));
    for (const command of [foundation, back, everything])
      expect(command).not.toContain("--rollback-trigger-alarm-arns");
    expect(everything).toContain("--all");
  });

  it("watches the relays where no function serves the WebSocket API", () => {
    const watched = (mode: "gateway" | "relay") =>
      commandsOf({ ...pinned, sockets: { mode } })
        .wave.filter((argument) => argument.startsWith("arn:"))
        .map((arn) => arn.replace(/.*:parley-prod-/, ""));
    expect(watched("relay").filter((id) => !watched("gateway").includes(id))).toEqual(["relay-errors"]);
    expect(watched("gateway").filter((id) => !watched("relay").includes(id))).toEqual([
      "socket-api-server-errors",
    ]);
  });

  it("uses options that the CDK has", () => {
    const { stdout } = spawnSync(process.execPath, ["node_modules/aws-cdk/bin/cdk", "deploy", "--help"], {
      encoding: "utf8",
    });
    const options = Object.values(commandsOf(pinned))
      .flat()
      .filter((argument) => argument.startsWith("--"));
    for (const option of new Set(options)) expect(stdout).toContain(option);
  });

  it("requires account and region of the stage", () => {
    expect(() => commandsOf({ name: "dev", sockets, canary: false })).toThrow(
      "stages/dev.json must set account and region",
    );
  });
});

describe("the options of a guarded deployment", () => {
  it.each([
    ["--app", "other.js"],
    ["-a", "other.js"],
    ["--app=other.js"],
    ["-c", "key=value", "--context", "other=value"],
    ["--context=key=value"],
    ["-ckey=value"],
  ])("%s %s state what is synthesised, once, and nothing that is deployed", (...options) => {
    expect(splitOptions([...options, "--verbose"])).toEqual({ synth: options, deploy: ["--verbose"] });
    expect(splitOptions(["--concurrency", "4", ...options])).toEqual({
      synth: options,
      deploy: ["--concurrency", "4"],
    });
  });

  it.each([["--profile", "operations"], ["--profile=operations"]])(
    "%s %s name the account of all calls, not only of the CDK's",
    (...options) => {
      expect(splitOptions(options)).toEqual({ synth: options, deploy: options, profile: "operations" });
    },
  );
});

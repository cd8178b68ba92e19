import { describe, expect, it } from "vitest";
import { families, workers } from "#functions/families.ts";
import { earlyWaves, type WaveTemplate, waveTemplate } from "#lib/deployment-waves.ts";
import { stageTemplates } from "#lib/releases/stage-templates.ts";
import { logicalPrefix } from "./deployment.ts";

const names = [...families, ...workers].map(({ name }) => name);

type Resources = Record<string, { Type: string; Properties: Record<string, unknown> }>;
const resourcesOf = ({ Resources }: WaveTemplate) => Resources as Resources;

/** The functions' stack of prod, and a later version of it, in which every function has another description. */
const deployed = stageTemplates("prod").api as WaveTemplate;
const next = structuredClone(deployed);
for (const { Type, Properties } of Object.values(resourcesOf(next)))
  if (Type === "AWS::Lambda::Function") Properties.Description = "new";

/** Names of the functions that a template updates. */
const updatedIn = (template: WaveTemplate) =>
  names.filter((name) =>
    Object.entries(resourcesOf(template)).some(
      ([id, { Type, Properties }]) =>
        id.startsWith(logicalPrefix(name)) &&
        Type === "AWS::Lambda::Function" &&
        Properties.Description === "new",
    ),
  );

/** Rename a resource, and what refers to it. */
const renamed = (template: WaveTemplate, from: string, to: string): WaveTemplate =>
  JSON.parse(JSON.stringify(template).replaceAll(new RegExp(`\\b${from}(?=function[A-Z])`, "g"), to));

describe("the waves of a deployment", () => {
  it("have each function once, and the canary first", () => {
    const listed = earlyWaves.flat();
    expect(listed.filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(earlyWaves[0]?.[0]).toBe("canary");
  });

  it("leave the functions that everybody needs to the last one", () => {
    const last = names.filter((name) => !earlyWaves.flat().includes(name));
    expect(last).toEqual(
      expect.arrayContaining([
        "sessions",
        "conversations",
        "notifications",
        "websocket",
        "fan-out",
        "delivery",
      ]),
    );
  });

  it("update their functions, and leave all others as they are deployed", () => {
    for (const wave of [1, 2]) {
      const updated = earlyWaves.slice(0, wave).flat();
      const template = waveTemplate({ deployed, next }, updated);
      expect(updatedIn(template).toSorted()).toEqual(updated.toSorted());
      const others = Object.entries(resourcesOf(template)).filter(
        ([id]) => !updated.some((name) => id.startsWith(logicalPrefix(name))),
      );
      for (const [id, resource] of others) expect(resource).toEqual(resourcesOf(deployed)[id]);
      expect(Object.keys(resourcesOf(template)).toSorted()).toEqual(
        Object.keys(resourcesOf(deployed)).toSorted(),
      );
    }
  });

  it("are all of the new version in the end", () => {
    expect(updatedIn(next)).toEqual(names);
    expect(waveTemplate({ deployed, next }, names)).toEqual(next);
  });

  it("keep the role and the variables of a function that waits", () => {
    const changed = structuredClone(next);
    for (const [id, { Type, Properties }] of Object.entries(resourcesOf(changed))) {
      if (!id.startsWith(logicalPrefix("sessions"))) continue;
      if (Type === "AWS::IAM::Policy") Properties.PolicyDocument = { Statement: [] };
      if (Type === "AWS::Lambda::Function") Properties.Environment = { Variables: {} };
    }
    const template = waveTemplate({ deployed, next: changed }, earlyWaves.flat());
    for (const [id, resource] of Object.entries(resourcesOf(template)))
      if (id.startsWith(logicalPrefix("sessions"))) expect(resource).toEqual(resourcesOf(deployed)[id]);
  });

  it("create a new function in the first one, whatever its wave", () => {
    const before = structuredClone(deployed);
    for (const id of Object.keys(resourcesOf(before)))
      if (id.startsWith(logicalPrefix("notifications"))) delete resourcesOf(before)[id];
    const { Outputs = {} } = before;
    const outputs = Object.entries(Outputs).filter(([id]) => !id.includes("notificationsfunction"));
    const template = waveTemplate(
      { deployed: { ...before, Outputs: Object.fromEntries(outputs) }, next },
      earlyWaves[0] ?? [],
    );
    expect(updatedIn(template)).toContain("notifications");
    expect(updatedIn(template)).not.toContain("sessions");
  });

  it("remove a function only with the last one, because routes still lead to it", () => {
    const before = renamed(deployed, "sessions", "formersessions");
    const template = waveTemplate({ deployed: before, next }, earlyWaves.flat());
    const functions = Object.keys(resourcesOf(template)).filter((id) =>
      /sessionsfunctionFunction\w{8}$/.test(id),
    );
    expect(functions).toEqual([
      expect.stringMatching(/^sessionsfunction/),
      expect.stringMatching(/^formersessionsfunction/),
    ]);
  });

  it("keep resources that a waiting function refers to, although the new version lacks them", () => {
    const withQueue: WaveTemplate = {
      Resources: {
        formerqueue: { Type: "AWS::SQS::Queue" },
        sessionsfunctionFunction: {
          Type: "AWS::Lambda::Function",
          // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation substitutes it
          Properties: { Url: { "Fn::Sub": "https://${formerqueue}/${AWS::Region}" } },
        },
      },
    };
    const without: WaveTemplate = {
      Resources: { sessionsfunctionFunction: { Type: "AWS::Lambda::Function", Properties: { Url: "" } } },
    };
    expect(waveTemplate({ deployed: withQueue, next: without }, ["canary"]).Resources).toEqual(
      withQueue.Resources,
    );
  });

  it("refuse a reference to something that no version has", () => {
    const broken: WaveTemplate = {
      Resources: {
        sessionsfunctionFunction: { Type: "AWS::Lambda::Function", Properties: { Url: { Ref: "nothing" } } },
      },
    };
    expect(() => waveTemplate({ deployed: broken, next: broken }, [])).toThrow(
      /nothing, but other resources/,
    );
  });
});

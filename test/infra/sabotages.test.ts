import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { itemChanges } from "#lib/releases/compare-items.ts";
import { type ItemSnapshots, snapshotItems } from "#lib/releases/item-kinds.ts";
import { keptResources, lossesBetween, type StackTemplate } from "#lib/releases/kept-resources.ts";
import { stageTemplates } from "#lib/releases/stage-templates.ts";

const folder = join(import.meta.dirname, "../../releases/1.0.0");
const released = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

// biome-ignore lint/suspicious/noExplicitAny: JSON whose shape differs by type
type Json = any;

const templates = stageTemplates("prod");

/** The whole logical id of a resource, of which the CDK makes the end. */
function idOf(stack: string, start: string): string {
  const id = Object.keys(templates[stack]?.Resources ?? {}).find((one) => one.startsWith(start));
  if (id === undefined) throw new Error(`${stack} has no ${start}`);
  return id;
}

const ids = {
  accounts: idOf("data", "accountstable"),
  assets: idOf("data", "assetsbucket"),
  audit: idOf("data", "auditbucket"),
  mail: idOf("messaging", "mailqueueQueue"),
  removalSeed: idOf("data", "mlsremovalseedsecret"),
  signingKeys: idOf("data", "signingkeyssecret"),
};

describe("a change of a template by hand", () => {
  const inStack = (
    stack: string,
    change: (template: { Resources: Record<string, Json>; Outputs: Record<string, Json> }) => void,
  ): Record<string, StackTemplate> => {
    const sabotaged = structuredClone(templates[stack]) as Parameters<typeof change>[0];
    change(sabotaged);
    return { ...templates, [stack]: sabotaged };
  };
  const properties = (stack: string, id: string, change: (properties: Json) => void) =>
    inStack(stack, ({ Resources }) => change(Resources[id].Properties));

  it.each<[what: string, sabotaged: () => Record<string, StackTemplate>, finding: string]>([
    [
      "without the times of expiry of a table",
      () => properties("data", ids.accounts, (table) => delete table.TimeToLiveSpecification),
      ".TimeToLiveSpecification",
    ],
    [
      "with another attribute for times of expiry",
      () =>
        properties("data", ids.accounts, (table) => {
          table.TimeToLiveSpecification.AttributeName = "expiry";
        }),
      ".TimeToLiveSpecification",
    ],
    [
      "with a table that goes with its stack",
      () =>
        inStack("data", ({ Resources }) => {
          Resources[ids.accounts].DeletionPolicy = "Delete";
        }),
      ".DeletionPolicy",
    ],
    [
      "with a table that goes when it is replaced",
      () => inStack("data", ({ Resources }) => delete Resources[ids.accounts].UpdateReplacePolicy),
      ".UpdateReplacePolicy",
    ],
    [
      "without point-in-time recovery",
      () =>
        properties("data", ids.accounts, (table) => {
          table.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled = false;
        }),
      ".PointInTimeRecoverySpecification",
    ],
    [
      "with a table that anybody may delete",
      () => properties("data", ids.accounts, (table) => delete table.DeletionProtectionEnabled),
      ".DeletionProtectionEnabled",
    ],
    [
      "without an index",
      () => properties("data", ids.accounts, (table) => delete table.GlobalSecondaryIndexes),
      ".GlobalSecondaryIndexes",
    ],
    [
      "with another sort key",
      () =>
        properties("data", ids.accounts, (table) => {
          table.KeySchema[1].AttributeName = "other";
        }),
      `data/${ids.accounts}`,
    ],
    [
      "without a table",
      () => inStack("data", ({ Resources }) => delete Resources[ids.accounts]),
      `data/${ids.accounts}`,
    ],
    [
      "with a table whose logical id is another",
      () =>
        inStack("data", ({ Resources }) => {
          Resources.accountstableNew = Resources[ids.accounts];
          delete Resources[ids.accounts];
        }),
      `data/${ids.accounts}`,
    ],
    [
      "with a bucket that deletes everything after a day",
      () =>
        properties("data", ids.assets, (bucket) => {
          bucket.LifecycleConfiguration.Rules.push({ ExpirationInDays: 1, Status: "Enabled" });
        }),
      ".LifecycleConfiguration",
    ],
    [
      "without the rule that ends unfinished uploads",
      () => properties("data", ids.assets, (bucket) => bucket.LifecycleConfiguration.Rules.pop()),
      ".LifecycleConfiguration",
    ],
    [
      "with a bucket that keeps no versions",
      () => properties("data", ids.assets, (bucket) => delete bucket.VersioningConfiguration),
      ".VersioningConfiguration",
    ],
    [
      "without the lock of the audit trail",
      () => properties("data", ids.audit, (bucket) => delete bucket.ObjectLockConfiguration),
      ".ObjectLockConfiguration",
    ],
    [
      "with a public bucket",
      () => properties("data", ids.assets, (bucket) => delete bucket.PublicAccessBlockConfiguration),
      ".PublicAccessBlockConfiguration",
    ],
    [
      "with a queue that forgets after an hour",
      () =>
        properties("messaging", ids.mail, (queue) => {
          queue.MessageRetentionPeriod = 3600;
        }),
      ".MessageRetentionPeriod",
    ],
    [
      "with a queue that drops what cannot be handled",
      () => properties("messaging", ids.mail, (queue) => delete queue.RedrivePolicy),
      ".RedrivePolicy",
    ],
    [
      "with a secret that is made anew in another length",
      () =>
        properties("data", ids.removalSeed, (secret) => {
          secret.GenerateSecretString.PasswordLength = 32;
        }),
      ".GenerateSecretString",
    ],
    [
      "with signing keys that are emptied",
      () =>
        properties("data", ids.signingKeys, (secret) => {
          secret.SecretString = "{}";
        }),
      ".SecretString",
    ],
    [
      "without the output that names a table",
      () => inStack("data", ({ Outputs }) => delete Outputs.accountstablename),
      "accountstablename",
    ],
  ])("is detected, %s, against what is deployed and against the release", (_, sabotaged, finding) => {
    const after = keptResources(sabotaged());
    for (const before of [keptResources(templates), released("resources.json")]) {
      const names = lossesBetween(before, after).map(({ name }) => name);
      expect(names.filter((name) => name.endsWith(finding))).not.toEqual([]);
    }
  });

  it("is detected when an export is missing, where stacks refer to each other by exports", () => {
    const Value = { Ref: ids.accounts };
    const before = { data: { Outputs: { Table: { Value, Export: { Name: "table" } } } } };
    const after = { data: { Outputs: { Table: { Value } } } };
    const losses = lossesBetween(keptResources(before), keptResources(after));
    expect(losses.map(({ name }) => name)).toEqual(["data/table"]);
  });

  it("is not reported where there is none", () => {
    expect(lossesBetween(keptResources(templates), keptResources(structuredClone(templates)))).toEqual([]);
  });
});

describe("a change of stored items", async () => {
  const present = await snapshotItems();
  const account = "accounts/account";

  /** Changes the shape of the accounts. */
  const withAccount = (change: (shape: Json) => void): ItemSnapshots => {
    const sabotaged = structuredClone(present) as Record<string, Json>;
    change(sabotaged[account].shape);
    return sabotaged;
  };
  const rename = (shape: Json, from: string, to: string) => {
    shape.properties[to] = shape.properties[from];
    delete shape.properties[from];
    shape.required = shape.required.map((one: string) => (one === from ? to : one));
  };
  const kindIn = (snapshots: ItemSnapshots) => {
    const kind = snapshots[account];
    if (kind === undefined) throw new Error(`Nobody declares ${account}`);
    return kind;
  };

  it.each<[what: string, sabotaged: () => ItemSnapshots, finding: string]>([
    [
      "an optional field with another name",
      () => withAccount((shape) => rename(shape, "handle", "username")),
      `${account}.handle is gone`,
    ],
    [
      "an optional field of objects in a list",
      () => withAccount(({ properties }) => rename(properties.assets.items, "size", "dimension")),
      `${account}.assets[].size is gone`,
    ],
    [
      "an optional field of an optional object",
      () =>
        withAccount(({ properties }) => rename(properties.samlIdentity.properties.nameId, "format", "form")),
      `${account}.samlIdentity.nameId.format is gone`,
    ],
    [
      "an optional field that is no longer there",
      () => withAccount(({ properties }) => delete properties.teamId),
      `${account}.teamId is gone`,
    ],
    [
      "a required field with another name",
      () => withAccount((shape) => rename(shape, "createdAt", "registeredAt")),
      `${account}.createdAt is no longer required`,
    ],
    [
      "an optional field that is required",
      () => withAccount(({ required }) => required.push("email")),
      `${account}.email is required`,
    ],
    [
      "a text that is a number",
      () =>
        withAccount(({ properties }) => {
          properties.locale.type = "integer";
        }),
      `${account}.locale is integer instead of string`,
    ],
    [
      "a list that is a text",
      () =>
        withAccount(({ properties }) => {
          properties.assets = { type: "string" };
        }),
      `${account}.assets is string instead of array`,
    ],
    [
      "a status that is no longer read",
      () => withAccount(({ properties }) => properties.status.enum.shift()),
      `${account}.status may no longer be "active"`,
    ],
    [
      "a status that the version before cannot read",
      () => withAccount(({ properties }) => properties.status.enum.push("archived")),
      `${account}.status may be "archived"`,
    ],
    [
      "a text with a limit",
      () =>
        withAccount(({ properties }) => {
          properties.name.maxLength = 20;
        }),
      `${account}.name has the maxLength 20`,
    ],
    [
      "another key",
      () => ({ ...present, [account]: { ...kindIn(present), key: ["user#*", "profile"] } }),
      `${account} has the key user#*, profile`,
    ],
    [
      "a kind with another name",
      () => {
        const { [account]: accounts, ...others } = present;
        return { ...others, "accounts/person": accounts ?? kindIn(present) };
      },
      `${account} is gone`,
    ],
  ])("is detected: %s", (_, sabotaged, finding) => {
    for (const before of [present, released("items.json") as ItemSnapshots]) {
      const found = itemChanges(before, sabotaged());
      expect(found.filter((one) => one.startsWith(finding))).toHaveLength(1);
    }
  });
});

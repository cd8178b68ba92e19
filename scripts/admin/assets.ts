import * as z from "zod";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { assetItem } from "#shared/assets/asset.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { systemClock, toSeconds } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Argument } from "./command.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { unrecorded } from "./record-action.ts";
import { namesOfUsers } from "./shown-names.ts";
import { findStageData, stageDataOptions } from "./stage-data.ts";

const key = {
  kind: "text",
  description: "key of the file, as messages and profiles name it",
} as const satisfies Argument;

const pathOf = (assetKey: string) => `/i/assets/${encodeURIComponent(assetKey)}`;

/** Needs AWS credentials that may describe the data stack and read the table of assets, which has no key for owners. */
export const assetsList = defineCommand({
  name: "assets list",
  summary: "List the files that a user, a bot or a provider has uploaded; reads the records of all files",
  examples: ["assets list --owner 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  options: {
    ...stageDataOptions,
    owner: { kind: "id", isRequired: true, description: "id of the user, bot or provider" },
  },
  async run(context, values) {
    const owner = values.owner.toLowerCase();
    if (!z.uuid().safeParse(owner).success) throw new CommandError(`Not an id: ${owner}`);
    const action = {
      command: "assets list",
      event: "personal-data.read",
      target: { uid: owner, kind: "files" },
    } as const;
    const data = await findStageData(context, values, context.isDryRun ? unrecorded.dryRun : action);
    const reader = new TableReader(createDynamo(awsClientOptions({ patience: 10 })), data.tables);
    const files = [];
    let bytes = 0;
    for await (const item of reader.scan("assets")) {
      const asset = assetItem.parse(item);
      const { expiresAtSeconds = Number.POSITIVE_INFINITY } = asset;
      if (asset.ownerId !== owner || expiresAtSeconds <= toSeconds(systemClock())) continue;
      bytes += asset.bytes;
      files.push({
        key: asset.assetKey,
        bytes: asset.bytes,
        created_at: new Date(asset.createdAt).toISOString(),
        expires: asset.expiresAtSeconds && new Date(asset.expiresAtSeconds * 1000).toISOString(),
        public: asset.tokenHash === undefined,
      });
    }
    context.note(`Found: ${files.length}, with ${bytes} bytes.`);
    return files.sort((one, other) => other.created_at.localeCompare(one.created_at));
  },
});

export const assetsShow = defineCommand({
  name: "assets show",
  summary: "Show who uploaded a file, when, and how large it is, without its content",
  examples: ["assets show 3-2-8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { key },
  async run({ api }, values) {
    const { key: found, owner, ...record } = await api.read(`${pathOf(values.key)}/record`);
    const names = owner.kind === "user" ? await namesOfUsers(api, [owner.id]) : undefined;
    return { key: found, owner, owner_name: names?.get(owner.id), ...record };
  },
});

export const assetsDelete = defineCommand({
  name: "assets delete",
  summary: "Delete a file for good, whoever uploaded it; messages and profiles that name it find nothing",
  examples: [
    "assets delete 3-2-8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod --yes 3-2-8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
  ],
  effect: "changes",
  confirms: "the key of the file",
  arguments: { key },
  async run({ api, confirm }, values) {
    const { key: found, bytes, owner } = await api.read(`${pathOf(values.key)}/record`);
    await confirm(found, `a file of ${bytes} bytes by the ${owner.kind} ${owner.id}`);
    await api.call("DELETE", pathOf(values.key));
  },
});

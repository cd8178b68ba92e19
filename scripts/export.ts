/**
 * Writes the data of a user into a ZIP, or certifies that nothing is left of a deleted one but what is declared to remain. It
 * needs AWS credentials that may describe the data stack, and read its tables and the bucket of assets.
 *
 *   npm run export -- --stage NAME --user ID --out FILE.zip
 *   npm run export -- --stage NAME --user ID --certificate [--address ADDRESS ...]
 *
 * An export reads the tables of assets, codes and OAuth from end to end, and others by their keys; a certificate reads all
 * tables. The certificate is printed as JSON; the exit status is 1 if something is left that must not be. With the former
 * addresses and numbers of the user, it also looks for those.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { certifyErasure } from "#lib/personal-data/certify-erasure.ts";
import { findItems, findPerson } from "#lib/personal-data/find-items.ts";
import { objectReader } from "#lib/personal-data/object-reader.ts";
import { TableReader } from "#lib/personal-data/table-reader.ts";
import { partialName, writeExport } from "#lib/personal-data/write-export.ts";
import { deployedBuckets, deployedTables } from "#lib/releases/deployed-stacks.ts";
import { InvalidStageError, readStage } from "#lib/stage.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";

const usage = `usage: npm run export -- --stage NAME --user ID --out FILE.zip
       npm run export -- --stage NAME --user ID --certificate [--address ADDRESS ...]`;

function readArguments() {
  const { values } = parseArgs({
    options: {
      stage: { type: "string" },
      user: { type: "string" },
      out: { type: "string" },
      certificate: { type: "boolean", default: false },
      address: { type: "string", multiple: true, default: [] },
    },
  });
  const { stage, user = "", out, certificate, address } = values;
  const isUserId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(user);
  if (stage === undefined || !isUserId || (out === undefined) !== certificate) throw new Error(usage);
  for (const file of out === undefined ? [] : [out, partialName(out)])
    if (existsSync(file)) throw new Error(`${file} exists`);
  return { stage, userId: user.toLowerCase(), out, addresses: address };
}

async function run(): Promise<void> {
  const { stage, userId, out, addresses } = readArguments();
  const { settings } = readStage(stage);
  const cloudFormation = new CloudFormationClient();
  const reader = new TableReader(createDynamo(), await deployedTables(cloudFormation, stage));
  const person = await findPerson(reader, userId, settings, addresses);
  if (out === undefined) {
    const certificate = await certifyErasure(reader, person, systemClock());
    console.log(JSON.stringify(certificate, null, 2));
    if (!certificate.isErased) process.exitCode = 1;
    return;
  }
  const items = await findItems(reader, person, settings);
  if (!items.has("accounts/account")) throw new Error(`There is no user ${userId}`);
  const bucket = (await deployedBuckets(cloudFormation, stage)).get("assets");
  if (bucket === undefined) throw new Error(`The stage ${stage} has no bucket of assets`);
  const readObject = objectReader(bucket);
  const manifest = await writeExport({ userId, items, readObject, file: out, now: systemClock() });
  const { kinds, files, missingAssets } = manifest;
  console.log(JSON.stringify({ file: out, kinds, files: files.length, missingAssets }, null, 2));
}

try {
  await run();
} catch (error) {
  const { name, message } = error as Error;
  const isExpected = name === "Error" || error instanceof InvalidStageError || "code" in (error as Error);
  console.error(isExpected ? message : `${name}: ${message}`);
  process.exitCode = 1;
}

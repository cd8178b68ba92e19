import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type FunctionAccess, isMetered } from "#shared/platform/manifest.ts";
import { Statistics } from "#shared/platform/usage/statistics.ts";
import { UsageRecorder } from "#shared/platform/usage/usage-recorder.ts";
import type { Runtime } from "./runtime.ts";

/** The recorder of a function's consumption; undefined for a function without tables. */
export const usageRecorder = (
  manifest: FunctionAccess,
  { dynamo }: { readonly dynamo?: DynamoDBDocumentClient },
  runtime: Runtime,
): UsageRecorder | undefined =>
  dynamo !== undefined && isMetered(manifest)
    ? new UsageRecorder({ ...runtime, statistics: new Statistics({ ...runtime, dynamo }) })
    : undefined;

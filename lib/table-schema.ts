import type { CreateTableCommandInput, UpdateTableCommandInput } from "@aws-sdk/client-dynamodb";
import type { TableSpec } from "#shared/registry/tables.ts";

const keySchema = (partitionKey: string, sortKey: string | undefined) => [
  { AttributeName: partitionKey, KeyType: "HASH" as const },
  ...(sortKey === undefined ? [] : [{ AttributeName: sortKey, KeyType: "RANGE" as const }]),
];

const attributesOf = ({ partitionKey, sortKey, index }: TableSpec) =>
  [...new Set([partitionKey, sortKey, index?.partitionKey, index?.sortKey])]
    .filter((name) => name !== undefined)
    .map((AttributeName) => ({ AttributeName, AttributeType: "S" as const }));

const toIndex = ({ name, partitionKey, sortKey }: NonNullable<TableSpec["index"]>) => ({
  IndexName: name,
  KeySchema: keySchema(partitionKey, sortKey),
  Projection: { ProjectionType: "KEYS_ONLY" as const },
});

/** Keys and index of a table, for the call that creates it. */
export const toTableSchema = (
  spec: TableSpec,
): Pick<CreateTableCommandInput, "AttributeDefinitions" | "KeySchema" | "GlobalSecondaryIndexes"> => ({
  AttributeDefinitions: attributesOf(spec),
  KeySchema: keySchema(spec.partitionKey, spec.sortKey),
  ...(spec.index !== undefined && { GlobalSecondaryIndexes: [toIndex(spec.index)] }),
});

/** The update that creates the index in a table's spec; undefined if it exists, or the spec has none. */
export const additionOfIndex = (
  spec: TableSpec,
  existing: readonly { readonly IndexName?: string | undefined }[] = [],
): Pick<UpdateTableCommandInput, "AttributeDefinitions" | "GlobalSecondaryIndexUpdates"> | undefined =>
  spec.index === undefined || existing.some(({ IndexName }) => IndexName === spec.index?.name)
    ? undefined
    : {
        AttributeDefinitions: attributesOf(spec),
        GlobalSecondaryIndexUpdates: [{ Create: toIndex(spec.index) }],
      };

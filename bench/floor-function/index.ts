import { createDynamo } from "#shared/platform/data/dynamo.ts";

// The minimum that a function with a table must load: the baseline for the size and loading time of the others.
const dynamo = createDynamo();

export const handler = async () => dynamo;

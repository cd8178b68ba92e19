import { createDynamo } from "#shared/platform/data/dynamo.ts";

// The least that a function with a table loads: the baseline for the size and loading time of the others.
const dynamo = createDynamo();

export const handler = async () => dynamo;

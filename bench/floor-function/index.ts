import { createDocumentClient } from "#shared/data/client.ts";

// The least that a function with a table loads; the size and the loading time of others are compared with it.
const client = createDocumentClient();

export const handler = async () => client;

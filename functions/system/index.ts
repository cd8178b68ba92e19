import { readConfig } from "#shared/config.ts";
import { createApp } from "./app.ts";

export const handler = createApp(readConfig(process.env));

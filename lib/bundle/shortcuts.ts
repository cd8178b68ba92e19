import { join } from "node:path";
import type { Plugin } from "esbuild";
import { lazySchemas } from "./lazy-schemas.ts";
import { plainKeys } from "./plain-keys.ts";
import { standIn } from "./stand-in.ts";
import { unusedModules } from "./unused-modules.ts";

const { dirname } = import.meta;

/** What makes functions start faster at the price of relying on internals of a dependency, as README.md describes. */
export const shortcuts = {
  "lazy schemas": lazySchemas,
  "credentials from the environment": standIn(
    "@aws-sdk/credential-provider-node",
    join(dirname, "lambda-credentials.ts"),
  ),
  "plain keys": plainKeys,
  "no event streams": standIn("@smithy/core/event-streams", join(dirname, "no-event-streams.ts")),
  "unused modules": unusedModules,
} as const satisfies Record<string, Plugin>;

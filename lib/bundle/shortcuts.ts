import { join } from "node:path";
import type { Plugin } from "esbuild";
import { lazySchemas } from "./lazy-schemas.ts";
import { plainKeys } from "./plain-keys.ts";
import { standIn } from "./stand-in.ts";
import { unusedModules } from "./unused-modules.ts";

const { dirname } = import.meta;

/** Plugins that make functions start faster, but rely on internals of a dependency (README.md). */
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

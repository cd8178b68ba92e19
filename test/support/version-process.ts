// Runs the stack of a checkout, maybe an older one, behind the gateway of `version-gateway.ts`. Forked by `fork-version.ts`:
// sends a `VersionReport` when it runs, and again for every error and every result of an invocation. Imports of this
// file are of this checkout, so they are types or come from the other one's folder.
import { request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AwsAnswer, AwsCall } from "#lib/local/aws-calls.ts";

/** Options of a version. */
export interface VersionStart {
  /** Folder of the checkout. */
  readonly root: string;
  readonly prefix: string;
  /** For files of this stack alone. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where clients reach all versions. */
  readonly publicUrl: string;
  /** The `@connections` API that has the sockets of all versions. */
  readonly connectionsUrl: string;
}

export interface VersionInvocation {
  readonly id: number;
  readonly functionName: string;
  readonly event: unknown;
}

export type VersionReport =
  | {
      readonly kind: "started";
      readonly publicUrl: string;
      readonly internalUrl: string;
      readonly entranceSecret: string;
    }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "result"; readonly id: number; readonly result?: unknown; readonly error?: string };

const { root, prefix, folder, environment, publicUrl, connectionsUrl }: VersionStart = JSON.parse(
  process.env.VERSION ?? "",
);
Object.assign(process.env, environment, { LOG_LEVEL: "CRITICAL" });

const load = (file: string) => import(pathToFileURL(join(root, file)).href);
const { startStack }: typeof import("#lib/local/stack.ts") = await load("lib/local/stack.ts");
const { interceptAwsCalls }: typeof import("#lib/local/aws-calls.ts") = await load("lib/local/aws-calls.ts");
const { testSettings }: typeof import("./test-settings.ts") = await load("test/support/test-settings.ts");

const report = (message: VersionReport) => process.connected && process.send?.(message);

// On AWS all versions share one API Gateway, which has the sockets.
interceptAwsCalls((call, send) => (call.service === "sockets" ? callConnections(call) : send()));

const stack = await startStack({
  settings: {
    ...testSettings,
    publicUrl,
    outboxResendSeconds: 1,
    setDailyWriteBudget: { perUser: null, perAnonymousUser: null },
  },
  prefix,
  emulators: { environment, folder },
  onFunctionError: (error) => report({ kind: "failed", error: textOf(error) }),
});
report({
  kind: "started",
  publicUrl: stack.publicUrl,
  internalUrl: stack.internalUrl,
  entranceSecret: stack.entranceSecret,
});

process.on("message", async ({ id, functionName, event }: VersionInvocation) => {
  const result = await stack.invoke(functionName, event).then(
    (value) => ({ result: value }),
    (error) => ({ error: textOf(error) }),
  );
  report({ kind: "result", id, ...result });
});
process.on("disconnect", () => stack.stop().then(() => process.exit()));

function callConnections({ path, action, body, abortSignal }: AwsCall): Promise<AwsAnswer> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, connectionsUrl);
    request(url, { method: action, signal: abortSignal }, (answer) => {
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
      );
      resolve({ response: { statusCode: answer.statusCode ?? 0, headers, body: answer } });
    })
      .on("error", reject)
      .end(action === "POST" ? body : undefined);
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.stack}` : String(error);
}

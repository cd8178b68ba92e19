import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { apiAt } from "./api.ts";
import type { OwnStack } from "./own-stack.ts";
import { sharedStack } from "./shared-stack.ts";

/** The stack, and the call that ends its process. */
export interface Doom {
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly prefix: string;
  readonly settings: SettingsInput;
  /** The call before which it dies, such as `PutItem`, and what that call's body contains. */
  readonly action: string;
  readonly mention: string;
  /** Which of these calls it is (1), apart from refused ones. */
  readonly number?: number;
  /** Whether the call takes effect before it dies. */
  readonly isAfterwards?: boolean;
}

/** Start another process on the data of a stack; it dies by SIGKILL when it is about to make a certain call. */
export async function forkDoomedStack(
  { prefix, data }: Pick<OwnStack, "prefix" | "data">,
  cause: Omit<Doom, "environment" | "folder" | "prefix" | "settings">,
) {
  const { environment, folder } = sharedStack();
  const doom: Doom = {
    ...cause,
    environment,
    folder: mkdtempSync(join(folder, `${prefix}-`)),
    prefix,
    settings: data?.settings ?? {},
  };
  const child = fork(new URL("doomed-stack.ts", import.meta.url), {
    env: { ...process.env, DOOM: JSON.stringify(doom) },
    execArgv: [],
  });
  const died = once(child, "exit");
  const [{ publicUrl, internalUrl }] = await once(child, "message");
  return {
    publicApi: apiAt(publicUrl),
    internalApi: apiAt(internalUrl),
    /** The signal that ended it. */
    async signal(): Promise<string> {
      const [, signal] = await died;
      return signal;
    },
    /** End it now. */
    kill: () => child.kill("SIGKILL"),
    stop(): void {
      if (child.connected) child.disconnect();
    },
  };
}

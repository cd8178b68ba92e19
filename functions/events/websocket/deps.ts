import { SQSClient } from "@aws-sdk/client-sqs";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...socketParts,
    ...verifiers,
    accounts: AccountStore,
    devices: DeviceStore,
    sessions: SessionStore,
  },
  (deps) => {
    const sqs = new SQSClient(awsClientOptions());
    return {
      sqs,
      checks: new SocketChecks({ ...deps, sqs }),
    };
  },
);

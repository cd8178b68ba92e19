import type { Emulators } from "#lib/local/emulators/emulators.ts";
import { billedMilliseconds, dollarsOf } from "#lib/prices.ts";
import { credentialPaths } from "#lib/stacks/credential-paths.ts";
import { readStage } from "#lib/stage.ts";
import { systemClock } from "#shared/platform/clock.ts";
import type { SettingsInput } from "#shared/registry/settings.ts";
import { apiAt } from "../test/support/api.ts";
import { bodyExamples } from "../test/support/body-examples.ts";
import { localDomain } from "../test/support/connections.ts";
import { createConversation } from "../test/support/conversations.ts";
import { newMlsClient } from "../test/support/mls.ts";
import { provisioningData } from "../test/support/provisioning.ts";
import { samplePath, sampleQuery } from "../test/support/sample.ts";
import { operationTargets, type Target } from "../test/support/targets.ts";
import { newTeam } from "../test/support/teams.ts";
import { testSettings } from "../test/support/test-settings.ts";
import { botsToken, providersToken } from "../test/support/tokens.ts";
import { forkStack } from "./forked-stack.ts";
import { type LargeBody, largeBodies } from "./large-bodies.ts";

/** The most expensive body found for an operation. */
export interface BodyFigures {
  readonly operation: string;
  readonly kind: string;
  readonly kilobytes: number;
  readonly status: number;
  /** CPU time of the process with gateway, function and immediate follow-up work. */
  readonly cpuMilliseconds: number;
  /** CPU time for an hour of such bodies, at the limits of one network. */
  readonly dollarsAnHour: number;
}

/** Above this, an operation needs its own budget. */
export const mostMilliseconds = 250;

const prefix = "bodies";
/**
 * No limits that would refuse a body before it is read, and cheap hashes of passwords, because those have their own
 * limits.
 */
const settings: SettingsInput = {
  ...testSettings,
  setDailyWriteBudget: { perUser: null, perAnonymousUser: null },
  setDailyUploadBudget: { perUser: null, perAnonymousUser: null },
};

/** Number of the most expensive bodies that are sent again; for each, the cheapest request counts. */
const finalists = 4;
const repetitions = 3;

/**
 * Search for the most expensive body of each public operation.
 * @param only part of the names of operations
 */
export async function measureBodies(
  { environment, folder }: Pick<Emulators, "environment" | "folder">,
  only = "",
): Promise<{ figures: BodyFigures[]; bodies: number }> {
  const forked = forkStack();
  try {
    const start = { command: "start", settings, prefix, environment, folder } as const;
    const { publicUrl } = await forked.ask(start);
    const cpu = async () => (await forked.ask({ command: "report" })).cpuSeconds * 1000;
    const figures: BodyFigures[] = [];
    let bodies = 0;
    const wanted = operationTargets.filter(
      ({ audience, route, operationId }) =>
        audience === "public" &&
        route.body !== undefined &&
        operationId.includes(only) &&
        !isOlderForm(operationId),
    );
    const examples = new Map(bodyExamples().map(({ operationId, example }) => [operationId, example]));
    let sender = await newSender(publicUrl);
    for (const [index, target] of wanted.entries()) {
      const found = largeBodies(target.route, examples.get(target.operationId));
      bodies += found.length;
      // A new token, since tokens last only for minutes.
      if (index % 10 === 9) sender = await newSender(publicUrl);
      const send = sender(target);
      const measure = async (body: LargeBody) => {
        const before = await cpu();
        const status = await send(body);
        return { body, status, milliseconds: (await cpu()) - before };
      };
      // Warms up: compiles the code that the other requests run.
      for (const body of found.slice(0, 3)) await measure(body);
      const measured = [];
      for (const body of found) measured.push(await measure(body));
      measured.sort((one, other) => other.milliseconds - one.milliseconds);
      const again = [];
      for (const { body, milliseconds } of measured.slice(0, finalists)) {
        let best = { body, status: 0, milliseconds: Number.POSITIVE_INFINITY };
        for (let round = 0; round < repetitions; round++) {
          const one = await measure(body);
          if (one.milliseconds < best.milliseconds) best = one;
        }
        again.push({ ...best, milliseconds: Math.min(best.milliseconds, milliseconds) });
      }
      const [dearest] = again.sort((one, other) => other.milliseconds - one.milliseconds);
      if (dearest === undefined) continue;
      figures.push(figuresOf(target, dearest));
      console.error(`${target.operationId}: ${Math.round(dearest.milliseconds)} ms`);
    }
    return { figures: figures.sort((one, other) => other.cpuMilliseconds - one.cpuMilliseconds), bodies };
  } finally {
    await forked.stop();
  }
}

/** The ids of older forms end in their versions; they share the handlers of the current forms. */
const isOlderForm = (operationId: string): boolean => /[-@]v\d+$/.test(operationId);

const { memoryMegabytes, distribution } = readStage("prod");
/** Requests per hour that AWS WAF allows for one address. */
const requestsAnHour = (path: string): number => {
  const { requests = 0, credentialRequests = 0 } = distribution?.rateRules ?? {};
  return 12 * (new RegExp(credentialPaths).test(path) ? credentialRequests : requests);
};

function figuresOf(
  { operationId, path }: Target,
  { body, status, milliseconds }: { body: LargeBody; status: number; milliseconds: number },
): BodyFigures {
  const requests = requestsAnHour(path);
  const billed = billedMilliseconds({ cpuMilliseconds: milliseconds, callsInSeries: 0, memoryMegabytes });
  return {
    operation: operationId,
    kind: body.kind,
    kilobytes: body.bytes.length / 1000,
    status,
    cpuMilliseconds: milliseconds,
    dollarsAnHour: dollarsOf({
      requests,
      invocations: requests,
      gigabyteSeconds: requests * (billed / 1000) * (memoryMegabytes / 1024),
      readUnits: 0,
      writeUnits: 0,
      queuedMessages: 0,
      frames: 0,
    }),
  };
}

/** A user with a conversation, a team and a device, who sends bodies to any operation. */
async function newSender(publicUrl: string) {
  const publicApi = apiAt(publicUrl);
  const apis = { publicApi, internalApi: publicApi, data: { prefix, settings, clock: systemClock } };
  const team = await newTeam({}, apis);
  const device = await newMlsClient(team.owner, { publicApi, prefix, packages: 0 });
  const conversation = await createConversation(team.owner, { in: team }, apis);
  const tokens: Readonly<Record<string, string>> = {
    user: device.token,
    provider: await providersToken({ prefix }),
    bot: await botsToken({ prefix }),
    scim: await provisioningData({ prefix }).newToken(team.id),
  };
  const known: Readonly<Record<string, string>> = {
    uid: team.owner.id,
    tid: team.id,
    team: team.id,
    cid: conversation.body.id,
    conv: conversation.body.id,
    client: device.clientId,
    domain: localDomain,
  };
  return ({ route, prefix: version }: Target) => {
    const token = tokens[route.auth];
    const path = route.path.replaceAll(/\{(\w+)\}/g, (whole, name) => known[name] ?? whole);
    const address = publicUrl + version + samplePath({ ...route, path }) + sampleQuery(route);
    return async ({ type, bytes }: LargeBody): Promise<number> => {
      const request = {
        method: route.method,
        headers: { "content-type": type, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        body: bytes,
        redirect: "manual",
      } as const;
      // A kept-alive connection may be closed while the next request is sent.
      const { status, body } = await fetch(address, request).catch(() => fetch(address, request));
      await body?.cancel();
      return status;
    };
  };
}

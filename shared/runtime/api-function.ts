import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { currentStatus } from "#shared/accounts/account.ts";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import { payerOf, spendWhileReading } from "#shared/accounts/write-budget.ts";
import { AuditRecorder } from "#shared/platform/audit/audited.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { PageRefusal } from "#shared/platform/html/refuse-with-page.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import {
  type AnyHandlers,
  type ApiDeps,
  type ApiHandler,
  createApiHandler,
} from "#shared/platform/http/api-handler.ts";
import { bearerIn, type HttpEvent } from "#shared/platform/http/request.ts";
import {
  type Auth,
  type ByteBudget,
  budgetOf,
  changesForUser,
  type Principal,
  type Provisioner,
} from "#shared/platform/http/route.ts";
import { type Family, isAudited } from "#shared/platform/manifest.ts";
import type { SwitchName } from "#shared/platform/product.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { chargeNetwork } from "#shared/platform/rate-limit/network-limit.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { auditedRefusals } from "#shared/registry/audit-events.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { authenticate, type LegalHoldCheck } from "#shared/sessions/tokens/authenticate.ts";
import type { Verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { createRuntime, type Overrides, type Runtime } from "./runtime.ts";
import { usageRecorder } from "./usage.ts";
import { type Warmable, type WarmUpDeps, warmUp } from "./warm-up.ts";

/** Dependencies that a family's `deps.ts` must provide for its routes, in addition to those of its use cases. */
interface RouteDeps extends Omit<WarmUpDeps, "verifier">, Partial<Verifiers> {
  /** Also for the audit trail. */
  readonly dynamo?: DynamoDBDocumentClient;
  /** Knows whether a user has been suspended: for routes by which users change something. */
  readonly accounts?: Pick<AccountStore, "get">;
  /** For routes that cost a daily budget of bytes. */
  readonly budget?: DailyBudget;
  /** Describes errors for a page: for routes whose error format is `page`. */
  readonly describeRefusal?: PageRefusal;
  /** Renders errors: for routes whose error format is `own`. */
  readonly renderRefusal?: ApiDeps["renderRefusal"];
  /** Knows the sessions of legal hold devices: for routes that allow them. */
  readonly legalHoldSessions?: LegalHoldCheck;
  /** Also for the secret of the entrance. */
  readonly secrets?: SecretReader;
  /** For routes that operators can pause. */
  readonly switches?: { isPaused(name: SwitchName): Promise<boolean> };
  /** For routes with a limit by network. */
  readonly rateLimiter?: Pick<RateLimiter, "take">;
  /** Looks up SCIM tokens: for routes with the authentication `scim`. */
  readonly provisioning?: { findProvisioner(token: string): Promise<Provisioner | undefined> };
}

/** The modules of a family's folder: `family.ts`, `deps.ts` and `handlers.ts`. */
export interface FamilyModules<Deps extends RouteDeps> {
  readonly family: Family;
  readonly createDeps: (runtime: Runtime) => Deps;
  readonly createHandlers: (deps: Deps) => AnyHandlers;
}

/** Creates the Lambda handler of an endpoint family, and what warms it up. */
export function createApiFunction<Deps extends RouteDeps>(
  { family, createDeps, createHandlers }: FamilyModules<Deps>,
  config: Config,
  overrides?: Overrides,
): ApiHandler & Warmable {
  const runtime = createRuntime(family.name, config, overrides);
  const deps = createDeps(runtime);
  checkDeps(family, deps);
  const secrets = config.hasEntrance ? (deps.secrets ?? new SecretReader(runtime)) : undefined;
  const recorder = isAudited(family)
    ? new AuditRecorder({ dynamo: createDynamo(), ...deps, ...runtime }, auditedRefusals)
    : undefined;
  const entranceSecret = secrets && (() => secrets.text("entrance"));
  const handler = createApiHandler(family, createHandlers(deps), {
    ...runtime,
    entranceSecret,
    recorder,
    authenticate: (event, route) =>
      route.auth === "scim" ? authenticateProvisioner(event, deps) : authenticate(event, route, deps),
    charge: async (limit, sourceIp) => {
      const { rateLimiter } = deps;
      if (rateLimiter !== undefined) await chargeNetwork({ ...runtime, rateLimiter }, limit, sourceIp);
    },
    isPaused: async (name) => (await deps.switches?.isPaused(name)) ?? false,
    checkCaller: (actor, isOperator) => checkNotSuspended(deps, { actor, isOperator, clock: runtime.clock }),
    chargeBytes: (actor, budget, bytes) => chargeBytes({ ...runtime, ...deps }, actor, { budget, bytes }),
    usage: usageRecorder(family, deps, runtime),
    payerOf: (actor) => teamOf(actor, deps),
    describeRefusal: deps.describeRefusal,
    renderRefusal: deps.renderRefusal,
  });
  return Object.assign(handler, {
    warmUp: () => warmUp({ ...deps, entranceSecret }, { config, manifest: family }),
  });
}

/**
 * An access token outlives the suspension of its account by some minutes; operators may act for one that is suspended.
 * Each use case decides itself how it treats a deleted account.
 * @throws ApiError `suspended`
 */
async function checkNotSuspended(
  { accounts }: RouteDeps,
  { actor, isOperator, clock }: { actor: Principal; isOperator: boolean; clock: Clock },
): Promise<void> {
  const callerId = "userId" in actor ? actor.userId : "botId" in actor ? actor.botId : undefined;
  if (callerId === undefined) return;
  const account = await accounts?.get(callerId);
  if (account !== undefined && !isOperator && currentStatus(account, clock()) === "suspended")
    throw new ApiError("suspended");
}

/** Charge the budget of the user who pays for stored bytes. @throws RateLimitedError */
async function chargeBytes(
  { accounts, budget: budgets, clock, settings }: RouteDeps & { readonly clock: Clock; settings: Settings },
  actor: Principal,
  { budget, bytes }: { readonly budget: ByteBudget; readonly bytes: number },
): Promise<void> {
  if (budgets === undefined || accounts === undefined) return;
  const spend = (userId: string, reading: ReturnType<typeof payerOf>) =>
    spendWhileReading({ budget: budgets, settings }, { userId, budget, bytes }, reading);
  if ("userId" in actor) await spend(actor.userId, payerOf({ accounts, clock }, actor.userId));
  if ("botId" in actor) {
    const payer = payerOf({ accounts, clock }, actor.botId);
    await spend((await payer).userId, payer);
  }
}

/** The team that pays for a request, if any. */
async function teamOf(actor: Principal, { accounts }: RouteDeps): Promise<string | undefined> {
  if ("teamId" in actor) return actor.teamId;
  return "userId" in actor ? (await accounts?.get(actor.userId))?.teamId : undefined;
}

/** @throws ApiError `unauthenticated` without a valid SCIM token in the header */
async function authenticateProvisioner(
  { headers }: HttpEvent,
  { provisioning }: RouteDeps,
): Promise<Provisioner> {
  const token = bearerIn(headers.authorization);
  const found = token === undefined ? undefined : await provisioning?.findProvisioner(token);
  if (found === undefined) {
    const challenge = token === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    throw new ApiError("unauthenticated", {
      message: "Missing or unknown SCIM token",
      headers: { "www-authenticate": challenge },
    });
  }
  return found;
}

/** Kinds of authentication that verify tokens signed by the service. */
const tokenBearers: ReadonlySet<Auth> = new Set(["user", "provider", "bot"]);

/** A family that lacks a dependency of its routes fails when it starts, not at each request. */
function checkDeps(
  { domain, name, routes, tables = {} }: Family,
  {
    accounts,
    budget,
    verifier,
    describeRefusal,
    legalHoldSessions,
    provisioning,
    rateLimiter,
    renderRefusal,
    switches,
  }: RouteDeps,
): void {
  const rows = Object.values(routes);
  const missing = [
    ...(verifier === undefined && rows.some(({ auth }) => tokenBearers.has(auth)) ? ["...verifiers"] : []),
    ...(accounts === undefined && tables.accounts !== undefined && rows.some(changesForUser)
      ? ["accounts"]
      : []),
    ...(budget === undefined && rows.some(budgetOf) ? ["budget"] : []),
    ...(legalHoldSessions === undefined && rows.some(({ allowsLegalHold }) => allowsLegalHold)
      ? ["legalHoldSessions"]
      : []),
    ...(rateLimiter === undefined && rows.some(({ limitByNetwork }) => limitByNetwork)
      ? ["rateLimiter"]
      : []),
    ...(switches === undefined && rows.some(({ pausedBy }) => pausedBy) ? ["switches"] : []),
    ...(provisioning === undefined && rows.some(({ auth }) => auth === "scim") ? ["provisioning"] : []),
    ...(describeRefusal === undefined && rows.some(({ errorFormat }) => errorFormat === "page")
      ? ["describeRefusal"]
      : []),
    ...(renderRefusal === undefined && rows.some(({ errorFormat }) => errorFormat === "own")
      ? ["renderRefusal"]
      : []),
  ];
  if (missing.length > 0) {
    throw new Error(
      `functions/${domain}/${name}/deps.ts lacks ${missing.join(" and ")}, which its routes need`,
    );
  }
}

import { createHmac, randomBytes } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { LimitFunction } from "p-limit";
import pLimit from "p-limit";
import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { defaultLocale } from "#shared/accounts/account-types.ts";
import { announceActivation } from "#shared/accounts/activation/confirm-identity.ts";
import { checkAllowList } from "#shared/accounts/activation/identity-rules.ts";
import { markImported } from "#shared/accounts/credentials/password.ts";
import { parseHandle } from "#shared/accounts/handle.ts";
import {
  type ContactIdentity,
  emailIdentity,
  type Identity,
  phoneIdentity,
} from "#shared/accounts/identity.ts";
import { ImportKeyStore } from "#shared/accounts/import-key-store.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { type Clock, systemClock } from "#shared/platform/clock.ts";
import type { Config } from "#shared/platform/config.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { createLog } from "#shared/platform/log.ts";
import { type Change, combine, commit } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { createAccount } from "#shared/provisioning/create-account.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { foundTeam } from "#shared/teams/found-team.ts";
import { isOpen } from "#shared/teams/team.ts";
import {
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TooManyAdminsError,
} from "#shared/teams/team-errors.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import type { Dropped, ReadLine, UserLine } from "./user-line.ts";

/** The outcome of a line. */
export interface LineReport {
  readonly line: number;
  /**
   * `refused` for a line that cannot be imported as it is, `failed` for one that another run may be able to import,
   * `deleted` for a user who was imported before and has been deleted since.
   */
  readonly outcome: "created" | "would-create" | "exists" | "deleted" | "refused" | "failed";
  readonly userId?: string;
  /** The team of a line with `new_team`, even if an earlier run founded it. */
  readonly teamId?: string;
  readonly reason?: string;
  /** Data in the file that the account of a new user does not keep. */
  readonly dropped?: readonly Dropped[];
}

export interface ImportOptions {
  readonly users: AsyncIterable<ReadLine> | Iterable<ReadLine>;
  readonly settings: Settings;
  readonly tableName: Config["tableName"];
  /** Whether to check everything and write nothing. */
  readonly isDryRun: boolean;
  /** Runs what creates an account, so that its transaction has a record in the audit trail. */
  readonly recorded?: Recorded;
}

/** Runs a task whose transactions record whom it imports. */
export type Recorded = <Result>(
  user: { readonly userId: string; readonly teamId: string | undefined; readonly role: string | undefined },
  task: () => Promise<Result>,
) => Promise<Result>;

/** Lines that are read, checked and written together. */
const batchSize = 100;
/** Users that are written at the same time. */
const concurrency = 24;

/**
 * Create the accounts of a file of users, each in a transaction of its own: with its claims, its membership of a team,
 * and the messages that put it into the search index. No mail is sent. A user who was imported before is not changed,
 * even if the line has changed, so an import may be stopped and run again. Reports follow the order of the lines.
 */
export async function* importUsers({ users, ...options }: ImportOptions): AsyncGenerator<LineReport> {
  const deps = createDeps(options);
  const secret = options.isDryRun ? await deps.importKey.get() : await deps.importKey.getOrCreate();
  // Without the secret, nobody has been imported yet, so a dry run finds nobody by any id.
  const importer = new UserImport(deps, secret ?? randomBytes(32), options);
  let batch: ReadLine[] = [];
  for await (const read of users) {
    batch.push(read);
    if (batch.length < batchSize) continue;
    yield* await importer.importBatch(batch);
    batch = [];
  }
  yield* await importer.importBatch(batch);
}

function createDeps({ settings, tableName }: Omit<ImportOptions, "users">) {
  const config = {
    settings,
    tableName,
    queueUrl: (name: string) => {
      throw new Error(`The sweeper sends to ${name}`);
    },
  };
  const clock: Clock = systemClock;
  const context = { dynamo: createDynamo(awsClientOptions({ patience: 10 })), config, clock };
  const outbox = new Outbox({ config, clock, log: createLog("import", "ERROR") });
  return {
    clock,
    dynamo: context.dynamo as DynamoDBDocumentClient,
    settings,
    outbox,
    accounts: new AccountStore(context),
    events: new EventPublisher({ outbox, clock }),
    importKey: new ImportKeyStore(context),
    richInfo: new RichInfoStore(context),
    teams: new TeamStore(context),
  };
}
type Deps = ReturnType<typeof createDeps>;

/** A line whose own content is valid. */
interface Candidate {
  readonly line: number;
  readonly user: UserLine;
  readonly dropped: readonly Dropped[] | undefined;
  readonly userId: string;
  readonly teamId: string | undefined;
  readonly email: ContactIdentity | undefined;
  readonly phone: ContactIdentity | undefined;
  readonly identities: readonly Identity[];
}

/** The reason why a line cannot be imported. */
class RefusedError extends Error {}

const noTeam = "team: no such team exists, or it admits no members";

class UserImport {
  readonly #deps: Deps;
  readonly #secret: Buffer;
  readonly #isDryRun: boolean;
  readonly #recorded: Recorded;
  readonly #limit = pLimit(concurrency);
  readonly #checks = pLimit(concurrency);
  /** One at a time in each team, because all change its counts. */
  readonly #teamLimits = new Map<string, LimitFunction>();
  /** First line with each id and each identity. */
  readonly #lines = new Map<string, number>();
  /** Teams that a dry run would found. */
  readonly #newTeams = new Set<string>();

  constructor(
    deps: Deps,
    secret: Buffer,
    { isDryRun, recorded = (_, task) => task() }: Pick<ImportOptions, "isDryRun" | "recorded">,
  ) {
    this.#deps = deps;
    this.#secret = secret;
    this.#isDryRun = isDryRun;
    this.#recorded = recorded;
  }

  async importBatch(batch: readonly ReadLine[]): Promise<LineReport[]> {
    const examined = batch.map((read) => this.#examine(read));
    const candidates = examined.filter((one): one is Candidate => "user" in one);
    const existing = await this.#deps.accounts.getMany(candidates.map(({ userId }) => userId));
    const known = new Map(existing.map((account) => [account.userId, account]));
    return Promise.all(
      examined.map((one) => ("user" in one ? this.#importOne(one, known.get(one.userId)) : one)),
    );
  }

  /** Checks that need no table. */
  #examine(read: ReadLine): Candidate | LineReport {
    const { line } = read;
    if (!("user" in read)) return { line, outcome: "refused", reason: read.reason };
    const { user, dropped } = read;
    const { settings } = this.#deps;
    try {
      const email = user.email === undefined ? undefined : emailIdentity(user.email, settings);
      const phone = user.phone === undefined ? undefined : phoneIdentity(user.phone);
      checkAllowList({ email: email?.value, phone: phone?.value }, settings);
      const handle = user.handle === undefined ? undefined : parseHandle(user.handle, settings);
      const identities = [email, phone, handle].filter((identity) => identity !== undefined);
      const userId = this.#userIdOf(user, email);
      this.#checkRepetition(line, userId, identities);
      return { line, user, dropped, userId, teamId: this.#teamIdOf(user), email, phone, identities };
    } catch (error) {
      const reason = obstacleOf(error);
      if (reason === undefined) throw error;
      return { line, outcome: "refused", reason };
    }
  }

  #userIdOf({ external_id }: UserLine, email: ContactIdentity | undefined): string {
    return this.#idOf(external_id === undefined ? ["email", email?.key] : ["external-id", external_id]);
  }

  #teamIdOf({ team, team_external_id, new_team }: UserLine): string | undefined {
    const name = new_team?.external_id ?? team_external_id;
    return name === undefined ? team : this.#idOf(["team", name]);
  }

  /** Has the form of a random UUID, because clients may check the version. */
  #idOf(name: readonly unknown[]): string {
    const bytes = createHmac("sha256", this.#secret).update(JSON.stringify(name)).digest().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  #checkRepetition(line: number, userId: string, identities: readonly Identity[]): void {
    const names = [
      ["user", userId] as const,
      ...identities.map(({ kind, key }) => [kind, `${kind}#${key}`] as const),
    ];
    for (const [what, name] of names) {
      const first = this.#lines.get(name);
      if (first !== undefined) throw new RefusedError(`the same ${what} as in line ${first}`);
    }
    for (const [, name] of names) this.#lines.set(name, line);
  }

  async #importOne(candidate: Candidate, existing: Account | undefined): Promise<LineReport> {
    const { line } = candidate;
    if (existing !== undefined) return reportExisting(candidate, existing);
    // Starts immediately: only members of the same team are written one after the other, in the order of their lines.
    const checked = this.#checks(() => this.#checkObstacles(candidate));
    checked.catch(() => undefined);
    try {
      return await this.#limitOf(candidate)(async () => {
        await checked;
        return this.#isDryRun ? this.#check(candidate) : this.#create(candidate);
      });
    } catch (error) {
      const obstacle = obstacleOf(error);
      if (obstacle !== undefined) return { line, outcome: "refused", reason: obstacle };
      return { line, outcome: "failed", reason: String(error) };
    }
  }

  #limitOf({ teamId }: Candidate): LimitFunction {
    if (teamId === undefined) return this.#limit;
    const limit = this.#teamLimits.get(teamId) ?? pLimit(1);
    this.#teamLimits.set(teamId, limit);
    return limit;
  }

  async #check(candidate: Candidate): Promise<LineReport> {
    await this.#checkTeam(candidate);
    return { line: candidate.line, outcome: "would-create", ...droppedOf(candidate) };
  }

  async #checkTeam({ teamId, user }: Candidate): Promise<void> {
    if (teamId === undefined || this.#newTeams.has(teamId)) return;
    const team = await this.#deps.teams.get(teamId);
    if (team === undefined && user.new_team !== undefined) this.#newTeams.add(teamId);
    else if (team === undefined || !isOpen(team)) throw new RefusedError(noTeam);
  }

  /** The transaction checks claims again; the list of blocked addresses is only read. */
  async #checkObstacles({ userId, email, phone, identities }: Candidate): Promise<void> {
    const { accounts } = this.#deps;
    const contacts = [email, phone].filter((one) => one !== undefined);
    const [claims, blocks] = await Promise.all([
      accounts.findClaims(identities),
      Promise.all(contacts.map((contact) => accounts.isBlocked(contact))),
    ]);
    // Another import may have created the same user meanwhile, as the transaction will show.
    const taken = identities.find((_, index) => (claims[index]?.userId ?? userId) !== userId);
    if (taken !== undefined) throw new RefusedError(`${taken.kind}: belongs to another account`);
    const blocked = contacts.find((_, index) => blocks[index]);
    if (blocked !== undefined) throw new RefusedError(`${blocked.kind}: blocked`);
  }

  #create(candidate: Candidate): Promise<LineReport> {
    const { accounts, dynamo, teams } = this.#deps;
    const { line, user, userId, teamId } = candidate;
    return retryStale(async (attempt) => {
      if (attempt > 1) {
        const existing = await accounts.get(userId);
        if (existing !== undefined) return reportExisting(candidate, existing);
        await this.#checkObstacles(candidate);
      }
      const isFounder =
        user.new_team !== undefined && teamId !== undefined && (await teams.get(teamId)) === undefined;
      const role = teamId === undefined ? undefined : user.role;
      await this.#recorded({ userId, teamId, role }, () =>
        commit(dynamo, isFounder ? this.#founding(candidate, teamId) : this.#creation(candidate)),
      );
      return {
        line,
        userId,
        outcome: "created",
        ...(user.new_team && { teamId }),
        ...droppedOf(candidate),
      };
    });
  }

  #creation(candidate: Candidate): Change {
    const { accounts, outbox } = this.#deps;
    const account = this.#accountOf(candidate);
    const { teamId } = account;
    if (teamId !== undefined)
      return createAccount(this.#deps, { ...account, teamId }, { role: candidate.user.role });
    return {
      writes: accounts.save(undefined, account),
      messages: indexUpdateMessages(outbox, undefined, account),
    };
  }

  #founding(candidate: Candidate, teamId: string): Change {
    const { accounts, outbox } = this.#deps;
    const account = this.#accountOf(candidate);
    const { name = "", currency } = candidate.user.new_team ?? {};
    return combine(
      { messages: announceActivation(this.#deps, account, { isNew: true }) },
      foundTeam(this.#deps, {
        teamId,
        founderId: account.userId,
        team: { name, icon: "default", currency },
        status: "active",
      }),
      {
        writes: accounts.save(undefined, account),
        messages: indexUpdateMessages(outbox, undefined, account),
      },
    );
  }

  #accountOf({ user, userId, teamId, email, phone }: Candidate): Account {
    const { clock, settings } = this.#deps;
    return {
      userId,
      revision: 1,
      status: "active",
      name: user.name,
      accentId: user.accent_id,
      assets: [],
      picture: [],
      locale: user.locale ?? defaultLocale(settings),
      supportedProtocols: ["proteus"],
      conferenceCalling: settings.conferenceCalling.defaultForNew ?? undefined,
      managedByScim: false,
      email: email?.value,
      // A person who proves the address later gets it.
      unprovenEmail: user.email_verified ? undefined : email?.value,
      phone: phone?.value,
      handle: user.handle,
      teamId,
      passwordHash: user.password_hash === undefined ? undefined : markImported(user.password_hash),
      sessionEpoch: 0,
      createdAt: clock(),
    };
  }
}

const droppedOf = ({ dropped }: Candidate) => dropped && { dropped };

const reportExisting = (
  { line, user: { new_team } }: Candidate,
  { userId, status, teamId }: Account,
): LineReport => ({
  line,
  userId,
  outcome: status === "deleted" ? "deleted" : "exists",
  ...(new_team && teamId !== undefined && { teamId }),
});

/** The part of a line that cannot be stored; undefined for an error of another kind. */
function obstacleOf(error: unknown): string | undefined {
  if (error instanceof RefusedError) return error.message;
  if (error instanceof ApiError) return error.error;
  if (error instanceof IdentityTakenError) return `${error.kind}: belongs to another account`;
  if (error instanceof TeamNotFoundError) return noTeam;
  if (error instanceof TeamFullError || error instanceof TeamFullForLegalHoldError) return "team: full";
  return error instanceof TooManyAdminsError ? "role: the team has too many admins" : undefined;
}

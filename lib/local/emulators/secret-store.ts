import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** An error with the code that Secrets Manager would answer. */
export class SecretRefusal extends Error {
  override readonly name = "SecretRefusal";
  readonly code: "ResourceNotFoundException" | "ResourceExistsException" | "InvalidParameterException";

  constructor(code: SecretRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

interface SecretVersion {
  readonly value: string;
  readonly stages: readonly string[];
  /** Unix seconds */
  readonly createdAt: number;
}

interface Secret {
  readonly name: string;
  readonly versions: Readonly<Record<string, SecretVersion>>;
}

export interface SecretValue extends SecretVersion {
  readonly name: string;
  readonly versionId: string;
}

/** Secrets with versions and staging labels, as Secrets Manager keeps them. With a file, they survive a restart. */
export class SecretStore {
  readonly #file: string | undefined;
  readonly #secrets: Map<string, Secret>;

  constructor(file?: string) {
    this.#file = file;
    const stored: Secret[] =
      file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    this.#secrets = new Map(stored.map((secret) => [secret.name, secret]));
  }

  create(name: string, value: string, versionId: string = randomUUID()): string {
    if (this.#secrets.has(name)) throw new SecretRefusal("ResourceExistsException", `${name} already exists`);
    const version = { value, stages: ["AWSCURRENT"], createdAt: Date.now() / 1000 };
    this.#save({ name, versions: { [versionId]: version } });
    return versionId;
  }

  get(name: string, { versionId, stage }: { versionId?: string; stage?: string } = {}): SecretValue {
    const { versions } = this.describe(name);
    const wantedStage = stage ?? (versionId === undefined ? "AWSCURRENT" : undefined);
    const found = Object.entries(versions).find(
      ([id, { stages }]) =>
        (versionId === undefined || id === versionId) &&
        (wantedStage === undefined || stages.includes(wantedStage)),
    );
    if (!found) throw new SecretRefusal("ResourceNotFoundException", `${name} has no such version`);
    return { name, versionId: found[0], ...found[1] };
  }

  put(
    name: string,
    value: string,
    {
      versionId = randomUUID(),
      stages = ["AWSCURRENT"],
    }: { versionId?: string; stages?: readonly string[] } = {},
  ): string {
    const secret = this.describe(name);
    const present = secret.versions[versionId];
    if (present !== undefined && present.value !== value) {
      throw new SecretRefusal("ResourceExistsException", `Version ${versionId} has another value`);
    }
    const version = present ?? { value, stages: [], createdAt: Date.now() / 1000 };
    let next: Secret = { name, versions: { ...secret.versions, [versionId]: version } };
    for (const stage of stages) next = withStage(next, stage, versionId);
    this.#save(next);
    return versionId;
  }

  moveStage(name: string, stage: string, { to, from }: { to?: string; from?: string }): void {
    const secret = this.describe(name);
    const holder = holderOf(secret, stage);
    if (to !== undefined && secret.versions[to] === undefined) {
      throw new SecretRefusal("ResourceNotFoundException", `${name} has no version ${to}`);
    }
    if (from !== holder && holder !== to) {
      throw new SecretRefusal("InvalidParameterException", `${stage} is on version ${holder}`);
    }
    this.#save(withStage(secret, stage, to));
  }

  describe(name: string): Secret {
    const secret = this.#secrets.get(name);
    if (!secret) throw new SecretRefusal("ResourceNotFoundException", `There is no secret ${name}`);
    return secret;
  }

  #save(secret: Secret): void {
    this.#secrets.set(secret.name, withoutUnlabelled(secret));
    if (this.#file === undefined) return;
    const draft = `${this.#file}.new`;
    writeFileSync(draft, JSON.stringify([...this.#secrets.values()], null, 2), { mode: 0o600 });
    renameSync(draft, this.#file);
  }
}

/** A label is on one version at most; the version that loses AWSCURRENT becomes AWSPREVIOUS. */
function withStage(secret: Secret, stage: string, target: string | undefined): Secret {
  const holder = holderOf(secret, stage);
  if (holder === target) return secret;
  const versions = Object.entries(secret.versions).map(([id, version]) => {
    const others = version.stages.filter((label) => label !== stage);
    return [id, { ...version, stages: id === target ? [...others, stage] : others }] as const;
  });
  const next = { ...secret, versions: Object.fromEntries(versions) };
  return stage === "AWSCURRENT" && holder !== undefined ? withStage(next, "AWSPREVIOUS", holder) : next;
}

const holderOf = ({ versions }: Secret, stage: string) =>
  Object.keys(versions).find((id) => versions[id]?.stages.includes(stage));

const withoutUnlabelled = ({ name, versions }: Secret): Secret => ({
  name,
  versions: Object.fromEntries(Object.entries(versions).filter(([, { stages }]) => stages.length > 0)),
});

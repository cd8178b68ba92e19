// Writes the shapes of stored items of the version in package.json into releases/<version>/: their schemas into
// items.json, and samples of every kind into items/, taken from stacks on which end-to-end tests have run: npm run
// release:items. Run it once, before the release is tagged; the tests of later versions read the samples.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snapshotItems } from "#lib/releases/item-kinds.ts";
import { anonymised, attributesIn, type StoredSample } from "#lib/releases/item-samples.ts";
import { type TableName, tables } from "#shared/registry/tables.ts";
import packageJson from "../package.json" with { type: "json" };

/** Most samples of one kind, each with different attributes. */
const maxPerKind = 4;
/** Larger samples show nothing more. */
const maxBytes = 6000;

const recorded = process.argv[2] ?? recordDuringTests();
const folder = join(import.meta.dirname, "../releases", packageJson.version);
const kinds = Object.keys(await snapshotItems());
writeFileSync(join(folder, "items.json"), `${JSON.stringify(await snapshotItems(), null, 1)}\n`);

const found = readdirSync(recorded).map(
  (file): Record<string, StoredSample[]> => JSON.parse(readFileSync(join(recorded, file), "utf8")),
);
const undeclared = found.flatMap((samples) => Object.keys(samples)).filter((name) => !kinds.includes(name));
if (undeclared.length > 0) throw new Error(`Nobody declares ${[...new Set(undeclared)].join(", ")}`);

mkdirSync(join(folder, "items"), { recursive: true });
for (const table of Object.keys(tables) as TableName[]) {
  const names = kinds.filter((name) => name.startsWith(`${table}/`));
  const samples = names.map((name) => [
    name.slice(table.length + 1),
    selected(found.flatMap((one) => one[name] ?? [])),
  ]);
  writeFileSync(
    join(folder, "items", `${table}.json`),
    `${JSON.stringify(anonymised(Object.fromEntries(samples)), null, 1)}\n`,
  );
}
const missing = kinds.filter((name) => found.every((samples) => samples[name] === undefined));
console.log(`Wrote ${folder}${missing.length > 0 ? `; no sample of ${missing.join(", ")}` : ""}`);

function recordDuringTests(): string {
  const temporary = mkdtempSync(join(tmpdir(), "parley-items-"));
  process.on("exit", () => rmSync(temporary, { recursive: true }));
  const { status } = spawnSync("npm", ["run", "test:e2e"], {
    env: { ...process.env, RECORD_ITEMS: temporary },
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The tests have failed");
  return temporary;
}

/** A few samples that together have all attributes. */
function selected(samples: readonly StoredSample[]): StoredSample[] {
  const small = samples.filter((sample) => JSON.stringify(sample).length <= maxBytes);
  const chosen: StoredSample[] = [];
  const seen = new Set<string>();
  const newIn = (sample: StoredSample) => attributesIn(sample).filter((path) => !seen.has(path)).length;
  while (chosen.length < maxPerKind) {
    const [richest] = small.toSorted((one, other) => newIn(other) - newIn(one));
    if (richest === undefined || newIn(richest) === 0) break;
    for (const path of attributesIn(richest)) seen.add(path);
    chosen.push(richest);
  }
  return chosen;
}

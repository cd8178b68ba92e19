// Writes the generated parts of README.md and docs/: the API documents, the lists of functions and tables in
// architecture.md, of events in audit-trail.md, of prices in operations/deploying.md, of measurements in
// operations/measuring.md, of the limits of emulators in operations/emulator.md, of settings in operations/settings.md,
// of budgets and a large load in performance.md, and of changes and of errors in clients/. With --check, it writes
// nothing and fails when a file is stale.
import { readFileSync, writeFileSync } from "node:fs";
import { families, workers } from "#functions/families.ts";
import { internalOpenapi, openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { newestVersion } from "#shared/platform/http/versions.ts";
import { errorCatalogue } from "#shared/registry/errors.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { auditTables } from "./docs/audit-tables.ts";
import { budgetsTable } from "./docs/budgets-table.ts";
import { emulatorsTable } from "./docs/emulators-table.ts";
import { manifestTables } from "./docs/manifest-tables.ts";
import { measurementsTable } from "./docs/measurements-table.ts";
import { onPaperTable } from "./docs/on-paper-table.ts";
import { priceSummary, priceTables } from "./docs/price-tables.ts";
import { settingsLists } from "./docs/settings-lists.ts";
import { versionLists } from "./docs/version-lists.ts";
import { waitingErrors } from "./docs/waiting-errors.ts";

const begin = "<!-- Begin of what npm run docs writes -->";
const end = "<!-- End of what npm run docs writes -->";

const settings = parseSettings({});
const toText = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

const generated = {
  "README.md": (page: string) => withTables(page, priceSummary()),
  "docs/openapi.json": () => toText(openapiOf(newestVersion, settings)),
  "docs/openapi-internal.json": () => toText(internalOpenapi(settings)),
  "docs/architecture.md": (page: string) => withTables(page, manifestTables(families, workers)),
  "docs/operations/deploying.md": (page: string) => withTables(page, priceTables()),
  "docs/operations/emulator.md": (page: string) => withTables(page, emulatorsTable()),
  "docs/operations/measuring.md": (page: string) => withTables(page, measurementsTable()),
  "docs/operations/settings.md": (page: string) => withTables(page, settingsLists()),
  "docs/performance.md": (page: string) => withTables(page, `${budgetsTable()}\n\n${onPaperTable()}`),
  "docs/audit-trail.md": (page: string) => withTables(page, auditTables()),
  "docs/clients/errors.md": (page: string) => withTables(page, waitingErrors(errorCatalogue)),
  "docs/clients/versions.md": (page: string) => withTables(page, versionLists(families)),
};

function withTables(page: string, tables: string): string {
  const [before, rest, ...more] = page.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined || more.length > 0)
    throw new Error(`A page needs one line "${begin}" and one line "${end}" after it`);
  return `${before}${begin}\n\n${tables}\n\n${end}${after}`;
}

for (const [file, generate] of Object.entries(generated)) {
  const existing = readFileSync(file, "utf8");
  const current = generate(existing);
  if (current === existing) continue;
  if (process.argv.includes("--check")) {
    console.error(`${file} is stale: run npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, current);
  }
}

// Prints how much of the published interface is implemented: operations covered, missing and differing, by version.
import { openapiOf } from "#functions/platform/api-info/openapi-of.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { compareInterface } from "../test/contract/compare-interface.ts";
import { readPublishedInterface } from "../test/contract/published-interface.ts";

const published = readPublishedInterface();
const settings = parseSettings({});
const versionsByFinding = new Map<string, number[]>();

for (const version of new Set(published.flatMap((operation) => operation.versions).sort())) {
  const { covered, missing, differences, unpublished } = compareInterface(
    openapiOf(version, settings),
    published,
  );
  const differing = new Set(differences.map(({ operation }) => operation));
  console.log(
    `version ${version}: ${covered.length} of ${covered.length + missing.length} operations covered, ` +
      `${missing.length} missing, ${differing.size} differing`,
  );
  const byResource = Map.groupBy(missing, ({ path }) => path.split("/")[1] ?? "");
  const findings = [
    ...[...byResource].map(([resource, operations]) => {
      const ids = operations.map(({ id }) => id).join(", ");
      return `missing below /${resource} (${operations.length}): ${ids}`;
    }),
    ...differences.map(({ operation, what }) => `differing ${operation}: ${what}`),
    ...unpublished.map((id) => `not published ${id}`),
  ];
  for (const finding of findings) {
    versionsByFinding.set(finding, [...(versionsByFinding.get(finding) ?? []), version]);
  }
}
for (const [finding, versions] of versionsByFinding) console.log(`[${versions.join(", ")}] ${finding}`);

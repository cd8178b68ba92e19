// Prints which parts of a folder import which, lowest first, and their cycles.
// Usage: npm run layers [folder], by default shared.
// With --check, it checks all imports against scripts/layers/rules.ts and fails when one breaks a rule.
import { findViolations, importsBetweenParts } from "./layers/findings.ts";
import { findCycles, graphOf, reachableFrom } from "./layers/graph.ts";
import { readImports } from "./layers/imports.ts";

const imports = readImports(process.cwd());
const [argument = "shared"] = process.argv.slice(2);

if (argument === "--check") {
  const violations = findViolations(imports);
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
} else {
  console.log(describeLayers(argument.replace(/\/$/, "")));
}

function describeLayers(folder: string): string {
  const between = importsBetweenParts(imports, folder);
  const graph = graphOf(between.map(({ fromPart, toPart }) => [fromPart, toPart]));
  const parts = [...new Set(between.flatMap(({ fromPart, toPart }) => [fromPart, toPart]))]
    .map((part) => ({ part, height: reachableFrom(graph, part).size }))
    .sort((a, b) => a.height - b.height || a.part.localeCompare(b.part))
    .map(({ part }) => part);
  const width = Math.max(...parts.map((part) => part.length));
  const lines = parts.map((part) => {
    const arrows = parts
      .map((target) => ({
        target,
        count: between.filter(({ fromPart, toPart }) => fromPart === part && toPart === target).length,
      }))
      .filter(({ count }) => count > 0)
      .map(({ target, count }) => `${target} ${count}`);
    return `${part.padEnd(width)}  →  ${arrows.join(", ") || "none"}`;
  });
  const cycles = findCycles(graph).map((cycle) => `  ${cycle.join(" → ")}`);
  return [
    `${folder}/: ${parts.length} parts, ${between.length} imports between them`,
    "",
    ...lines,
    "",
    cycles.length === 0 ? "No cycles." : `Cycles:\n${cycles.join("\n")}`,
  ].join("\n");
}

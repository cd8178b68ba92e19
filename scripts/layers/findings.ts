import { posix } from "node:path";
import { findCycles, findPath, graphOf } from "./graph.ts";
import type { Import } from "./imports.ts";
import { foldersWithoutCycles, importRules, type LoadRule, loadRules, testCode } from "./rules.ts";

/** Describe each violation of a rule, with advice on how to fix it. */
export function findViolations(imports: readonly Import[]): string[] {
  return [
    ...withoutTests(imports).flatMap(forbiddenImport),
    ...loadRules.flatMap((rule) => forbiddenLoads(imports, rule)),
    ...fileCycles(imports),
    ...foldersWithoutCycles.flatMap((folder) => partCycles(imports, folder)),
  ];
}

function forbiddenImport(found: Import): string[] {
  const { from, to } = found;
  const rule = importRules.find(({ files }) => matches(from, [files]));
  if (!rule || !isOwnFile(to)) return [];
  if (matches(to, testCode)) {
    return [
      `${describe(found)}\n  Only tests and benchmarks import test code. Move what the product needs out of it.`,
    ];
  }
  const allowed = typeof rule.mayImport === "function" ? rule.mayImport(from) : rule.mayImport;
  return matches(to, allowed) ? [] : [`${describe(found)}\n  ${rule.advice}`];
}

function forbiddenLoads(imports: readonly Import[], { files, mustNotLoad, advice }: LoadRule): string[] {
  const loads = graphOf(imports.filter(({ isType }) => !isType).map(({ from, to }) => [from, to]));
  return [...loads.keys()]
    .filter((file) => matches(file, [files]))
    .map((file) => findPath(loads, file, (module) => matches(module, mustNotLoad)) ?? [])
    .filter((path) => path.length > 0 && !path.slice(1).some((module) => matches(module, [files])))
    .map((path) => `${path.join(" loads ")}\n  ${advice}`);
}

function fileCycles(imports: readonly Import[]): string[] {
  return findCycles(graphOf(imports.map(({ from, to }) => [from, to]))).map(
    (cycle) => `import cycle: ${cycle.join(" → ")}\n  Move what they share to a file that imports neither.`,
  );
}

function partCycles(imports: readonly Import[], folder: string): string[] {
  const between = importsBetweenParts(imports, folder);
  return findCycles(graphOf(between.map(({ fromPart, toPart }) => [fromPart, toPart]))).map((cycle) => {
    const steps = between.filter(({ fromPart, toPart }) => {
      const index = cycle.indexOf(fromPart);
      return index >= 0 && cycle[index + 1] === toPart;
    });
    return [
      `parts of ${folder}/ import each other: ${cycle.join(" → ")}`,
      ...steps.map(describe),
      "Reverse one direction: let the caller pass the value in, or move what both need to a lower part.",
    ].join("\n  ");
  });
}

/** Pick the imports between the parts of a folder (its subfolders and files), except those of tests. */
export function importsBetweenParts(imports: readonly Import[], folder: string) {
  return withoutTests(imports).flatMap((found) => {
    const fromPart = partOf(found.from, folder);
    const toPart = partOf(found.to, folder);
    return fromPart && toPart && fromPart !== toPart ? [{ ...found, fromPart, toPart }] : [];
  });
}

function partOf(file: string, folder: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split("/")[0] : undefined;
}

const isOwnFile = (module: string) => /^(bench|bin|functions|lib|scripts|shared|test)\//.test(module);

const withoutTests = (imports: readonly Import[]) => imports.filter(({ from }) => !matches(from, testCode));

const describe = ({ from, line, to }: Import) => `${from}:${line} imports ${to}`;

const matches = (path: string, globs: readonly string[]) =>
  globs.some((glob) => posix.matchesGlob(path, glob));

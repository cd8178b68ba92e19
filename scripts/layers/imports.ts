import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "oxc-parser";

/** One statement that names another module. */
export interface Import {
  /** Path relative to the root of the project. */
  readonly from: string;
  readonly line: number;
  /** Path relative to the root of the project, or the name of a package. */
  readonly to: string;
  /** Whether it imports types only, and so nothing at run time. */
  readonly isType: boolean;
}

const sources = "{bench,bin,functions,lib,scripts,shared,test}/**/*.{ts,mjs}";

/** Read every import and re-export of the sources below `root`, in the order of the files. */
export function readImports(root: string): Import[] {
  const { imports: aliases } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return globSync([sources, "*.ts"], { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .flatMap((file) => importsOf(file, readFileSync(join(root, file), "utf8"), aliases));
}

function importsOf(file: string, text: string, aliases: Record<string, string>): Import[] {
  const { module, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const found = (start: number, specifier: string, isType: boolean) => ({
    from: file,
    line: text.slice(0, start).split("\n").length,
    to: resolve(file, specifier, aliases),
    isType,
  });
  return [
    ...module.staticImports.map(({ start, moduleRequest, entries }) =>
      found(start, moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType)),
    ),
    ...module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [found(start, moduleRequest.value, isType)] : [],
      ),
    ),
    ...module.dynamicImports.flatMap(({ start, moduleRequest }) => {
      const literal = /^["'](.+)["']$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
      return literal ? [found(start, literal, false)] : [];
    }),
  ];
}

function resolve(file: string, specifier: string, aliases: Record<string, string>): string {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.slice(0, -1);
    if (specifier.startsWith(prefix)) return posix.join(target.slice(0, -1), specifier.slice(prefix.length));
  }
  return specifier;
}

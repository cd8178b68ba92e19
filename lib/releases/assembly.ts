import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The template of a stack in a folder that the CDK has synthesised. */
export const templateIn = (assembly: string, stack: string) =>
  JSON.parse(readFileSync(templateFile(assembly, stack), "utf8"));

/** Replace the template of a stack. The CDK uploads it by its hash, which the files of the assembly repeat. */
export function replaceTemplate(assembly: string, stack: string, template: object): void {
  const file = templateFile(assembly, stack);
  const text = JSON.stringify(template);
  writeFileSync(file, text);
  const assetsFile = file.replace(/template\.json$/, "assets.json");
  const { files } = JSON.parse(readFileSync(assetsFile, "utf8")) as {
    files: Record<string, { source: { path: string } }>;
  };
  const [hash] = Object.entries(files).find(([, { source }]) => source.path === basename(file)) ?? [];
  if (hash === undefined) throw new Error(`${assetsFile} does not have the template`);
  const newHash = createHash("sha256").update(text).digest("hex");
  for (const manifest of [assetsFile, join(assembly, "manifest.json")])
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll(hash, newHash));
}

const templateFile = (assembly: string, stack: string) => join(assembly, `${stack}.template.json`);

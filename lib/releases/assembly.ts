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
  writeFileSync(assetsFile, readFileSync(assetsFile, "utf8").replaceAll(hash, newHash));
  // Only in the part that belongs to the stack, because another stack may have the same template.
  const manifestFile = join(assembly, "manifest.json");
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
  for (const artifact of [stack, `${stack}.assets`]) {
    const described = JSON.stringify(manifest.artifacts[artifact] ?? {});
    manifest.artifacts[artifact] = JSON.parse(described.replaceAll(hash, newHash));
  }
  writeFileSync(manifestFile, JSON.stringify(manifest));
}

const templateFile = (assembly: string, stack: string) => join(assembly, `${stack}.template.json`);

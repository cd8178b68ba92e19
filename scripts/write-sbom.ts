// Writes a list of the packages in the bundles of functions and relays, as CycloneDX: npm run sbom [-- --output FILE]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { bundleFunctions, bundleRelay } from "#lib/bundle/bundle.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { sbomOf } from "./dependencies/sbom.ts";
import { runScript } from "./run-script.ts";

const root = join(import.meta.dirname, "..");
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

await runScript("usage: npm run sbom -- [--output FILE]", async () => {
  const { values } = parseArgs({ options: { output: { type: "string", default: "build/sbom.json" } } });
  const outdir = mkdtempSync(join(tmpdir(), "parley-sbom-"));
  try {
    const settings = parseSettings({});
    const bundles = [
      ...(await bundleFunctions({ outdir: join(outdir, "functions"), settings })),
      ...(await bundleRelay({ outdir: join(outdir, "relay"), settings })),
    ];
    const { name, version, license } = readJson("package.json");
    const { packages } = readJson("package-lock.json");
    const sbom = sbomOf(
      { name, version, licence: license },
      bundles,
      ({ folder }) => packages[relative(root, folder).replaceAll("\\", "/")]?.integrity,
    );
    mkdirSync(dirname(values.output), { recursive: true });
    writeFileSync(values.output, `${JSON.stringify(sbom, null, 2)}\n`);
    console.log(`${sbom.components.length} packages in ${bundles.length} bundles: ${values.output}`);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});

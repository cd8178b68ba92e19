import type { BundleContents, BundledPackage } from "#lib/bundle/packages.ts";

interface Component {
  readonly type: "application" | "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly object[];
  readonly hashes?: readonly { readonly alg: "SHA-512"; readonly content: string }[];
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** CycloneDX 1.6, without a time or serial number: the same packages make the same document. */
export interface Sbom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Product {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}

/**
 * The packages of all bundles, each with the bundles that contain its code.
 * @param integrityOf subresource integrity of a package's archive in the lock file, if present
 */
export function sbomOf(
  product: Product,
  bundles: readonly BundleContents[],
  integrityOf: (one: BundledPackage) => string | undefined,
): Sbom {
  const found = new Map<string, { component: Component; bundles: string[] }>();
  for (const { bundle, packages } of bundles) {
    for (const one of packages) {
      const component = { ...componentOf("library", one), ...hashesOf(integrityOf(one)) };
      const { bundles } = found.get(component.purl) ?? { bundles: [] };
      found.set(component.purl, { component, bundles: [...bundles, bundle] });
    }
  }
  const application = componentOf("application", product);
  const sorted = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: application },
    components: sorted.map(([, { component, bundles }]) => ({
      ...component,
      properties: [...new Set(bundles)].sort().map((value) => ({ name: `${product.name}:bundle`, value })),
    })),
    dependencies: [
      { ref: application["bom-ref"], dependsOn: sorted.map(([ref]) => ref) },
      ...sorted.map(([ref]) => ({ ref, dependsOn: [] })),
    ],
  };
}

function componentOf(type: Component["type"], { name, version, licence }: Product): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const isId = /^[\w.+-]+$/.test(licence);
  const licenses = [isId ? { license: { id: licence } } : { expression: licence }];
  return { type, "bom-ref": purl, name, version, purl, licenses };
}

function hashesOf(integrity: string | undefined): Pick<Component, "hashes"> {
  const [, base64] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  if (base64 === undefined) return {};
  return { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] };
}

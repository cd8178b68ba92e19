import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** An npm package with code in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** SPDX expression of its manifest, such as `MIT`, or a note that there is none. */
  readonly licence: string;
  /** Absolute path. */
  readonly folder: string;
}

/** The packages in a bundle. */
export interface BundleContents {
  /** Name of the function, or of the part of a relay. */
  readonly bundle: string;
  /** Sorted by name and version. */
  readonly packages: readonly BundledPackage[];
}

/** Part of a file that esbuild has written: the bytes that each module takes, by its path from the root. */
type Inputs = Metafile["outputs"][string]["inputs"];

/** Folders of the packages whose modules are in a file; a module that was dropped entirely does not count. */
export const packageFolders = (inputs: Inputs): string[] =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    return folder !== undefined && bytesInOutput > 0 ? [join(root, folder)] : [];
  });

/** @throws Error when a folder has no manifest */
export const packagesIn = (folders: Iterable<string>): BundledPackage[] =>
  [...new Set(folders)].map(readPackage).sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));

const sortKey = ({ name, version }: BundledPackage) => `${name}@${version}`;

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { name, version, licence: typeof license === "string" ? license : "no SPDX expression", folder };
}

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BundledPackage } from "./packages.ts";

/** File with the notices of a bundle's packages, next to it, because functions do not read it. */
export const noticesFile = "THIRD-PARTY-NOTICES.txt";

/** SPDX ids of the licences allowed for code in a bundle: they permit its use in works under any licence. */
const allowedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "MIT-0",
]);

/** Those that require no notice. */
const withoutNotice: ReadonlySet<string> = new Set(["0BSD", "MIT-0"]);

/** This project's licence, without its owner's name. */
const apacheLicence = () =>
  readFileSync(join(import.meta.dirname, "../../LICENSE"), "utf8")
    .split("APPENDIX", 1)
    .join()
    .trim();

/** Licence texts of packages that come without a licence file. */
const textsElsewhere: Readonly<Record<string, (folder: string) => string[]>> = {
  "@bufbuild/protobuf": (folder) => [
    apacheLicence(),
    leadingComment(readFileSync(join(folder, "dist/esm/wire/varint.js"), "utf8")),
  ],
  // Includes the line of its README.
  "@middy/core": () => [readFileSync(join(import.meta.dirname, "licences/middy-core.txt"), "utf8")],
};

/** Whether an SPDX expression without nested parentheses offers a choice that is allowed. */
export const isAllowed = (expression: string): boolean =>
  idsOf(expression).some((ids) => ids.every((id) => allowedLicences.has(id)));

/** The choices that an expression offers, each with all licences that then apply. */
const idsOf = (expression: string): string[][] =>
  expression
    .replace(/^\(([^()]*)\)$/, "$1")
    .split(" OR ")
    .map((choice) => choice.split(" AND "));

/** @throws Error that names all packages whose licence is not allowed */
export function refuseLicences(packages: readonly BundledPackage[]): void {
  const refused = packages.filter(({ licence }) => !isAllowed(licence));
  if (refused.length === 0) return;
  const names = refused.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
  throw new Error(`No bundle may contain ${names.join(", ")}: lib/bundle/licences.ts says what is allowed`);
}

/**
 * The notices that the licences of packages require: each text once, below the packages that it applies to.
 * @throws Error when a package has no text
 */
export function noticesOf(packages: readonly BundledPackage[]): string {
  const texts = packages.flatMap((one) => textsOf(one).map((text) => ({ text: text.trim(), ...one })));
  const sections = [...Map.groupBy(texts, ({ text }) => text)].map(([text, owners]) => {
    const names = owners.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
    return [...new Set(names), "", text].join("\n");
  });
  return `${["This bundle contains the following packages.", ...sections].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

const known = new Map<string, readonly string[]>();

function textsOf(one: BundledPackage): readonly string[] {
  const texts = known.get(one.folder) ?? readTexts(one);
  known.set(one.folder, texts);
  return texts;
}

function readTexts({ name, version, licence, folder }: BundledPackage): string[] {
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e|notice|copying)|\.LICENSE\.txt$/i.test(file),
  );
  if (files.length > 0) return files.sort().map((file) => readFileSync(join(folder, file), "utf8"));
  const elsewhere = textsElsewhere[name];
  if (elsewhere !== undefined) return elsewhere(folder);
  if (licence === "Apache-2.0") return [apacheLicence()];
  if (withoutNotice.has(licence)) return ["This licence requires no notice."];
  throw new Error(`${name} ${version} has no licence file: add its text to lib/bundle/licences.ts`);
}

/** Text of the comment lines at the beginning of a source. */
function leadingComment(source: string): string {
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  if (end <= 0) throw new Error(`No notice at the beginning of: ${lines[0]}`);
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}

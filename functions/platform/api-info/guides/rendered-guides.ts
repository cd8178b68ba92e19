// The bundle has what this module exports, and neither the Markdown nor the library: see `computed` in lib/bundle/bundle.ts.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { type RenderedGuide, renderGuide } from "./render-guide.ts";

/** A guide for developers of clients. */
interface Guide extends RenderedGuide {
  /** Last part of its path. */
  readonly name: string;
}

const root = join(import.meta.dirname, "../../../..");
const folder = "docs/clients";
const index = `${folder}/README.md`;
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Pages that the index links to, from the root of the project. */
const listed = [...read(index).matchAll(/\]\(([^)#]+\.md)\)/g)]
  .map(([, href = ""]) => posix.join(folder, href))
  .filter((path) => path.startsWith("docs/"));
const pages = [...new Set([index, ...listed])];
const nameOf = (path: string) => (path === index ? "overview" : basename(path, ".md"));

/** Names that guides tell readers to use. */
export const files: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(join(root, folder))
    .filter((file) => !file.endsWith(".md"))
    .map((file) => [file, read(`${folder}/${file}`)]),
);

/** Paths next to a guide, for addresses of `npm start` and for files. */
const served: Readonly<Record<string, string>> = {
  "http://127.0.0.1:8080/api/docs": "../../docs",
  "docs/openapi.json": "../../openapi.json",
  ...Object.fromEntries(Object.keys(files).map((file) => [`${folder}/${file}`, file])),
  ...Object.fromEntries(pages.map((page) => [page, nameOf(page)])),
};

/** Where a link leads; undefined for a file that is only in the repository. */
const resolveFrom = (page: string) => (href: string) => {
  if (href.startsWith("#")) return href;
  const isAddress = /^https?:/.test(href);
  const [path = "", anchor] = href.split("#");
  const target = served[isAddress ? path : posix.join(posix.dirname(page), path)];
  if (target === undefined) return isAddress ? href : undefined;
  return anchor === undefined ? target : `${target}#${anchor}`;
};

/** In the order of the index, which is the first. */
export const guides: readonly Guide[] = pages.map((page) => ({
  name: nameOf(page),
  ...renderGuide(read(page), resolveFrom(page)),
}));

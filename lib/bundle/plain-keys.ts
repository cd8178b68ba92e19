import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { failUnless, finding } from "./stand-in.ts";

/**
 * Lets esbuild drop the shapes of commands that nobody sends from the clients of AWS. They are objects with keys in
 * brackets, `[_AN]: …`, which esbuild keeps because such a key may have effects; so each is written as the text it is.
 */
export const plainKeys: Plugin = {
  name: "plain keys",
  setup({ onLoad, onEnd }) {
    let isUsed = false;
    onLoad(
      { filter: /\/node_modules\/@aws-sdk\/client-[^/]+\/dist-es\/schemas\/schemas_0\.js$/ },
      ({ path }) => {
        isUsed = true;
        const contents = withPlainKeys(readFileSync(path, "utf8"));
        return contents === undefined
          ? { errors: [finding(`${path} is written differently`)] }
          : { contents };
      },
    );
    onEnd(() => failUnless(isUsed, "No client of AWS has a file schemas/schemas_0.js any more"));
  },
};

/** @returns undefined if there is no such key, or one whose text is not known */
export function withPlainKeys(source: string): string | undefined {
  const constants = new Map(
    [...source.matchAll(/^const (_\w+) = ("(?:[^"\\]|\\.)*");$/gm)].map(([, name, text]) => [name, text]),
  );
  let isKnown = true;
  const replaced = source.replaceAll(/\[(_\w+)\]:/g, (_, name: string) => {
    const text = constants.get(name);
    isKnown &&= text !== undefined;
    return `${text}:`;
  });
  return isKnown && replaced !== source ? replaced : undefined;
}

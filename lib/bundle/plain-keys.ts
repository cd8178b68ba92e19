import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";
import { failUnless, finding } from "./stand-in.ts";

/**
 * Lets esbuild drop the shapes of unused commands from the AWS clients. They are objects with computed keys, `[_AN]:
 * …`, which esbuild keeps because computing a key may have effects; so each key is replaced by its text.
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

/** @returns undefined if there is no such key, or the text of one is unknown */
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

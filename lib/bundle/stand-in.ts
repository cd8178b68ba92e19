import type { OnEndResult, PartialMessage, Plugin } from "esbuild";

/** Bundles a module of ours wherever that name is imported. Fails the build if it is imported nowhere. */
export const standIn = (name: string, file: string): Plugin => ({
  name: `stand-in for ${name}`,
  setup({ onResolve, onEnd }) {
    let isUsed = false;
    onResolve({ filter: new RegExp(`^${literal(name)}$`) }, () => {
      isUsed = true;
      return { path: file };
    });
    onEnd(() => failUnless(isUsed, `Nothing imports ${name} any more`));
  },
});

/** A finding about a dependency, for esbuild to fail with. */
export const finding = (text: string): PartialMessage => ({
  text: `${text}. A shortcut of lib/bundle/ counts on it: adapt or remove that, as lib/bundle/README.md says.`,
});

/** How a build ends in which a shortcut was of use, or of none. */
export const failUnless = (isUsed: boolean, text: string): OnEndResult =>
  isUsed ? {} : { errors: [finding(text)] };

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

import type { OnEndResult, PartialMessage, Plugin } from "esbuild";

/** Bundles a module of ours wherever another one is imported by its name. Fails the build if it is imported nowhere. */
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
  text: `${text}. A shortcut of lib/bundle/ relies on it: adapt or remove the shortcut, as lib/bundle/README.md says.`,
});

/** Fails a build in which a shortcut had no effect. */
export const failUnless = (isUsed: boolean, text: string): OnEndResult =>
  isUsed ? {} : { errors: [finding(text)] };

const literal = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

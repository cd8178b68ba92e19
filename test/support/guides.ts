import { readFileSync } from "node:fs";

/** Addresses that guides name, as `npm start` has them. */
const places = {
  publicUrl: "http://127.0.0.1:8080",
  internalUrl: "http://127.0.0.1:8081",
  consoleUrl: "http://127.0.0.1:8082",
};

type Stack = Readonly<Record<keyof typeof places, string>>;

/**
 * The program in a guide for developers of clients: its fenced blocks of a language, one after the other.
 * @param stack whose addresses take the place of those that the guide names
 * @throws Error when the guide has no such block
 */
export function programIn(guide: string, language: string, stack: Stack): string {
  const page = readFileSync(`docs/clients/${guide}`, "utf8");
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms");
  const blocks = [...page.matchAll(fence)].map(([, block = ""]) => block);
  if (blocks.length === 0) throw new Error(`${guide} has no block in ${language}`);
  return at(stack, blocks.join("\n"));
}

/** The package that the quick start in Python installs, with its version. */
export const pythonLibrary = (): string =>
  /websockets==[\d.]+/.exec(readFileSync("docs/clients/python.md", "utf8"))?.[0] ?? "";

/** The program in a file beside the guides. */
export const programFile = (file: string, stack: Stack): string =>
  at(stack, readFileSync(`docs/clients/${file}`, "utf8"));

const at = (stack: Stack, program: string) =>
  Object.entries(places).reduce(
    (text, [name, address]) => text.replaceAll(address, stack[name as keyof typeof places]),
    program,
  );

import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { locales } from "#shared/platform/html/choose-locale.ts";

/** Words that another language may share with English. */
const sharedWords = new Set([
  "Apps",
  "Code",
  "Invitations",
  "Link",
  "ltr",
  "Name",
  "Partner",
  "Sessions",
  "Team",
  "Tokens",
  "Webhook",
]);

type Texts = Readonly<Record<string, unknown>>;
interface Translated {
  readonly place: string;
  readonly translations: Readonly<Record<string, Texts>>;
}

/** All translated texts, from the modules whose source declares translations. */
async function allTranslations(): Promise<Translated[]> {
  const found: Translated[] = [];
  for (const file of globSync("{functions,shared}/**/*.ts", { exclude: ["**/*.test.ts"] })) {
    if (!/: Translations<|Record<string, Texts>/.test(readFileSync(file, "utf8"))) continue;
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported))
      if (typeof value === "object" && value !== null && "de" in value && "en" in value)
        found.push({ place: `${file} ${name}`, translations: value as Translated["translations"] });
  }
  return found;
}

/** All texts by their path; of a function, the text that it returns for values that stand for themselves. */
function textsIn(value: unknown, path = ""): Map<string, string> {
  const texts = new Map<string, string>();
  if (typeof value === "string") return texts.set(path, value);
  if (typeof value === "function") return textsIn(value(...valuesFor(value)), `${path}()`);
  for (const [key, inner] of Object.entries((value ?? {}) as object))
    for (const [where, text] of textsIn(inner, `${path}.${key}`)) texts.set(where, text);
  return texts;
}

/** One argument that serves as a name and as an object with any field. */
const valuesFor = ({ length }: { readonly length: number }) =>
  Array.from({ length: Math.max(1, length) }, (_, index) => {
    const name = `<${index}>`;
    return new Proxy(Object(name), {
      get: (target, key) => {
        if (key in target || typeof key === "symbol") {
          const found = Reflect.get(target, key);
          return typeof found === "function" ? found.bind(name) : found;
        }
        return `<${key}>`;
      },
    });
  });

const wordsOf = (text: string) => text.replaceAll(/<\w+>|:/g, "").trim();
const placeholdersIn = (text: string) => [...new Set(text.match(/<\w+>/g))].sort();

describe("texts for people", async () => {
  const all = await allTranslations();

  it("are found in the sources", () => {
    expect(all.length).toBeGreaterThan(10);
  });

  it.for(all)("are complete in every language: $place", ({ translations }) => {
    const english = textsIn(translations.en);
    expect(english.size).toBeGreaterThan(0);
    for (const locale of locales) {
      const texts = textsIn(translations[locale]);
      const lacking = [...english.keys()].filter((path) => !texts.get(path)?.trim());
      expect([locale, lacking]).toEqual([locale, []]);
      for (const [path, text] of english)
        expect([locale, path, placeholdersIn(texts.get(path) ?? "")]).toEqual([
          locale,
          path,
          placeholdersIn(text),
        ]);
      if (locale === "en") continue;
      const untranslated = [...english].filter(
        ([path, text]) => texts.get(path) === text && !sharedWords.has(wordsOf(text)),
      );
      expect([locale, untranslated]).toEqual([locale, []]);
    }
  });
});

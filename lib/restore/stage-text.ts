import type { Restored } from "./restore.ts";

/** The value of the setting: a flat object of texts, in which no brace occurs. */
const setting = /"restoredTables"\s*:\s*\{[^{}]*\}/;

/**
 * Name restored tables in the text of a stage file, beside those that it names already.
 * @returns the text, in which nothing else has changed
 */
export function withRestoredTables(text: string, names: Restored["names"]): string {
  const { restoredTables: named = {} } = JSON.parse(text);
  const rows = Object.entries({ ...named, ...names }).map(([table, name]) => `    "${table}": "${name}"`);
  const block = `"restoredTables": {\n${rows.join(",\n")}\n  }`;
  if (setting.test(text)) return text.replace(setting, () => block);
  return text.replace(/\s*\}\s*$/, () => `,\n  ${block}\n}\n`);
}

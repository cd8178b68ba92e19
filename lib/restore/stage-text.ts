import type { Restored } from "./restore.ts";

/** The value of the setting: a flat object of texts, in which no brace occurs. */
const setting = /"restoredTables"\s*:\s*\{[^{}]*\}/;

/**
 * Add restored tables to the text of a stage file, which may have some already.
 * @returns the text, otherwise unchanged
 */
export function withRestoredTables(text: string, names: Restored["names"]): string {
  const { restoredTables: named = {} } = JSON.parse(text);
  const rows = Object.entries({ ...named, ...names }).map(([table, name]) => `    "${table}": "${name}"`);
  const block = `"restoredTables": {\n${rows.join(",\n")}\n  }`;
  if (setting.test(text)) return text.replace(setting, () => block);
  return text.replace(/\s*\}\s*$/, () => `,\n  ${block}\n}\n`);
}

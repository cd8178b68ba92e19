import type { Page } from "./markdown-findings.ts";

const recordFile = /^docs\/adr\/(\d{4})-[a-z0-9-]+\.md$/;
const index = "docs/adr/README.md";

/**
 * Describe problems of the decision records: their form, their index, and mentions of records that do not exist in any
 * text of the repository.
 */
export function findInRecords(pages: readonly Page[], texts: readonly Page[]): string[] {
  const records = pages.flatMap((page) => {
    const number = recordFile.exec(page.path)?.[1];
    return number === undefined ? [] : [{ ...page, number: Number(number) }];
  });
  const numbers = new Set(records.map(({ number }) => number));
  const listed = entriesOf(pages.find(({ path }) => path === index)?.text ?? "");
  return [
    ...records.flatMap(misnamed),
    ...records
      .filter(({ path }) => listed.filter((file) => file === path).length !== 1)
      .map(({ path }) => `${index}: does not list ${path} exactly once`),
    ...texts.flatMap((text) => unknownMentions(text, numbers)),
    ...pages.flatMap(misleadingLinks),
  ];
}

/** The files that the sections of the index list, each as `- [7. Title](0007-title.md)`. */
const entriesOf = (text: string) =>
  [...text.matchAll(/^- \[(\d+)\. [^\]]+\]\((\d{4})(-[^)]+)\)/gm)]
    .filter(([, named, number]) => Number(named) === Number(number))
    .map(([, , number, rest]) => `docs/adr/${number}${rest}`);

function misnamed({ path, text, number }: Page & { readonly number: number }): string[] {
  return text.startsWith(`# ${number}. `) ? [] : [`${path}: does not begin with "# ${number}. "`];
}

/** Mentions like "ADR 12" or "ADRs 12 and 13", across the end of a line and the beginning of a comment, too. */
function unknownMentions({ path, text }: Page, numbers: ReadonlySet<number>): string[] {
  return [...text.matchAll(/\bADRs?[\s*/#]+(\d+)(?:(?:, | and )(\d+))*/g)].flatMap((match) =>
    [...match[0].matchAll(/\d+/g)]
      .map(([number]) => Number(number))
      .filter((number) => !numbers.has(number))
      .map((number) => `${path}:${lineAt(text, match.index)}: there is no ADR ${number}`),
  );
}

/** Links whose text names one record and whose address is another. */
function misleadingLinks({ path, text }: Page): string[] {
  return [...text.matchAll(/\[ADR\s+(\d+)\]\([^)]*?(\d{4})-[^)]*\)/g)]
    .filter(([, named, linked]) => Number(named) !== Number(linked))
    .map((match) => `${path}:${lineAt(text, match.index)}: ADR ${match[1]} leads to ${match[2]}`);
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length;

import type { Api } from "./api.ts";

/** Read a list of the internal API page by page. @returns all entries, and how long the longest page is */
export async function pagesOf<Listed extends object>(
  { internalApi }: { readonly internalApi: Api },
  path: string,
  field: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<{ entries: Listed[]; longest: number }> {
  const pages: Listed[][] = [];
  let start: string | undefined;
  do {
    const asked = { ...query, ...(start !== undefined && { start }) };
    const parameters = new URLSearchParams(
      Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, body } = await internalApi("GET", `${path}?${parameters}`);
    if (status !== 200) throw new Error(`A page was answered ${status}: ${JSON.stringify(body)}`);
    pages.push(body[field]);
    start = body.next;
  } while (start !== undefined);
  return { entries: pages.flat(), longest: Math.max(...pages.map(({ length }) => length)) };
}

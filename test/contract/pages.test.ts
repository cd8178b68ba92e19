import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { html } from "#shared/platform/html/html.ts";
import { internalOperations } from "../../scripts/admin/api-documents.ts";
import { commands } from "../../scripts/admin/commands.ts";
import { taskForm } from "../../scripts/admin/page/form.ts";
import { layout } from "../../scripts/admin/page/layout.ts";
import { commandTask, operationTask } from "../../scripts/admin/page/task.ts";
import { namedMarkup, pageSamples } from "../support/page-samples.ts";

/** Attributes of an element; those without a value are empty. */
type Attributes = Readonly<Record<string, string | undefined>>;

/** Start tags in the order of the document. No parser is needed: texts and values of all pages escape < and >. */
const tagsIn = (markup: string, names: string) =>
  [...markup.matchAll(new RegExp(`<(?:${names})\\b([^>]*)>`, "g"))].map(
    ([, source = ""]): Attributes =>
      Object.fromEntries(
        [...source.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = ""]) => [name, value]),
      ),
  );

const withoutText = (document: string) => document.replaceAll(/<(style|script)\b[^>]*>.*?<\/\1>/gs, "");

/** Faults in the structure of a document: in its headings, labels and references. */
function barriersIn(source: string, language: string): string[] {
  const document = withoutText(source);
  const barriers: string[] = [];
  const [{ lang } = {}] = tagsIn(document, "html");
  if (lang !== language) barriers.push(`is in ${lang}`);
  if (!/<title>[^<]+<\/title>/.test(document)) barriers.push("has no title");
  for (const name of ["h1", "main"]) {
    const count = tagsIn(document, name).length;
    if (count !== 1) barriers.push(`has ${count} ${name}`);
  }

  const all = tagsIn(document, "[a-z]\\w*");
  const ids = all.flatMap(({ id }) => id ?? []);
  const known = new Set(ids);
  if (known.size !== ids.length) barriers.push(`names twice one of ${ids}`);
  const references = ["for", "aria-describedby", "aria-labelledby", "aria-controls", "popovertarget"];
  for (const id of all.flatMap((one) => references.flatMap((name) => one[name]?.split(" ") ?? [])))
    if (!known.has(id)) barriers.push(`refers to ${id}, which is not there`);

  const labelled = new Set(tagsIn(document, "label").map((label) => label.for));
  for (const field of tagsIn(document.replaceAll(/<label\b.*?<\/label>/gs, ""), "input|select|textarea")) {
    const isSeen = field.type !== "hidden" && field.hidden === undefined;
    if (isSeen && field["aria-label"] === undefined && !labelled.has(field.id))
      barriers.push(`has no label for ${field.name ?? field.id}`);
  }
  return barriers;
}

/** Hints for password managers that the forms of a document lack (HTML standard, "autofill field name"). */
const lacksForPasswordManagers = (document: string): string[] =>
  [...document.matchAll(/<form\b.*?<\/form>/gs)].flatMap(([form]) => {
    const fields = tagsIn(form, "input");
    const firstPassword = fields.findIndex(({ type }) => type === "password");
    const usernames = fields
      .slice(0, Math.max(firstPassword, 0))
      .filter(
        ({ autocomplete, type = "text" }) => autocomplete === "username" && /^(email|text)$/.test(type),
      );
    const lacks = firstPassword >= 0 && usernames.length !== 1 ? ["a username before the password"] : [];
    for (const { type, name, autocomplete = "" } of fields) {
      if (type === "password" && !/^(current|new)-password$/.test(autocomplete))
        lacks.push(`whether ${name} is the current password or a new one`);
      if (type !== "hidden" && name === "code" && autocomplete !== "one-time-code")
        lacks.push("that the code is for one use");
    }
    return lacks.map((one) => `${tagsIn(form, "form")[0]?.action}: ${one}`);
  });

/** Characters that schemas allow in fields of free text, by their names. */
const mostCharacters: Readonly<Record<string, number>> = { name: 128, summary: 128, description: 1024 };

/** Fields with a limit in UTF-16 code units that is too low for the limit of their schema, which counts characters. */
const cutsOffIn = (document: string): string[] =>
  tagsIn(document, "input|textarea").flatMap(({ name = "", maxlength }) => {
    const most = mostCharacters[name];
    return maxlength !== undefined && most !== undefined && Number(maxlength) < 2 * most ? [name] : [];
  });

/** The findings in all samples, with their places. */
const findingsOf = (find: (document: string, language: string) => string[]) =>
  pageSamples.flatMap(({ template, language, documents }) =>
    documents.flatMap((document) =>
      find(document, language).map((finding) => `${template.name} in ${language}: ${finding}`),
    ),
  );

/** Functions that render a page, by the module that exports them. */
async function allTemplates(): Promise<[place: string, template: unknown][]> {
  const found: [string, unknown][] = [];
  const exclude = ["**/*.test.ts", "shared/platform/html/**"];
  for (const file of globSync("{functions,shared}/**/*.ts", { exclude })) {
    if (!/<h1>|layOut\(/.test(readFileSync(file, "utf8"))) continue;
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported))
      if (name.endsWith("Page") && typeof value === "function") found.push([`${file} ${name}`, value]);
  }
  return found;
}

describe("pages", () => {
  it("are all among the samples", async () => {
    const sampled = new Set<unknown>(pageSamples.map(({ template }) => template));
    const templates = await allTemplates();
    expect(templates.length).toBeGreaterThan(30);
    expect(templates.filter(([, template]) => !sampled.has(template)).map(([place]) => place)).toEqual([]);
  });

  it("have a title, headings, labels and descriptions in every language", () => {
    expect(findingsOf(barriersIn)).toEqual([]);
  });

  it("tell password managers whose password a form asks for, and which one", () => {
    expect(findingsOf(lacksForPasswordManagers)).toEqual([]);
  });

  it("accept as many characters as their schemas, even if all are emoji", () => {
    expect(findingsOf(cutsOffIn)).toEqual([]);
  });

  it("escape values chosen by others", () => {
    const [tag = ""] = /<\w+>/.exec(namedMarkup) ?? [];
    expect(findingsOf((document) => (withoutText(document).includes(tag) ? [tag] : []))).toEqual([]);
  });

  it("of operators have a label for each field, and ask for no password", () => {
    const call = commands.find(({ name }) => name === "call");
    if (call === undefined) throw new Error("There is no command that calls an operation");
    const tasks = [
      ...commands.map(commandTask),
      ...internalOperations().map((operation) => operationTask(operation, call)),
    ];
    const surroundings = { place: "here", isProtected: true, commands: tasks, operations: [] };
    const findings = tasks.flatMap((task) => {
      const body = html`<h1>${task.title}</h1>
${taskForm(task, new Map())}`;
      const document = layout(surroundings, { title: task.title, body, task });
      const passwords = tagsIn(document, "input").filter(({ type }) => type === "password");
      return [...barriersIn(document, "en"), ...passwords.map(() => "asks for a password")].map(
        (finding) => `${task.title}: ${finding}`,
      );
    });
    expect(findings).toEqual([]);
  });
});

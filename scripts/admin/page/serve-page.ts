import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, listen } from "#lib/local/gateway/http-server.ts";
import { readBody } from "#lib/local/gateway/read-body.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { pageColours } from "#shared/platform/html/page.ts";
import type { Operation } from "../operations.ts";
import { enteredIn, hrefAbout, taskForm } from "./form.ts";
import { Guard } from "./guard.ts";
import { groupOf, layout, type Surroundings } from "./layout.ts";
import { type LinkOf, resultView } from "./result.ts";
import { type Installation, type Outcome, runTask } from "./run-task.ts";
import { commandTask, type Entered, operationTask, type Task } from "./task.ts";

interface PageOptions extends Installation, Pick<Surroundings, "place" | "isProtected"> {
  readonly operations: readonly Operation[];
  /** 0 for any free port. */
  readonly port: number;
  /** Called with each new link that opens the page, once. */
  readonly announce: (link: string) => void;
}

/** Largest form. Files of users are named, not sent. */
const maxBodyBytes = 1024 * 1024;

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; " +
    "frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // With `no-referrer`, browsers send forms with `Origin: null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const asset = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), "utf8");

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string;
}

/**
 * Serve a page with the commands, and the operations of the internal API, to the browser that opens the announced link.
 * Input is sent by forms, so that no address gets into the history of the browser. Links only read, as in a dry run.
 *
 * @throws SetupError when the port is taken
 */
export async function servePage({
  operations,
  port,
  announce,
  place,
  isProtected,
  ...installation
}: PageOptions): Promise<LocalServer> {
  const guard = new Guard();
  const { commands } = installation;
  const call = commands.find(({ name }) => name === "call");
  const tasks = commands
    .filter((command) => command !== call && command.isForTerminal === undefined)
    .map(commandTask);
  const surroundings = {
    place,
    isProtected,
    commands: tasks,
    operations: call === undefined ? [] : operations.map((operation) => operationTask(operation, call)),
  };
  const byHref = new Map([...tasks, ...surroundings.operations].map((task) => [task.href, task]));
  const named = (name: string) => tasks.find(({ title }) => title === name);
  const finder = named("user find");
  const showing = new Map([
    ["user", named("user show")],
    ["team", named("team show")],
    ["app", named("apps show")],
  ]);
  const page = (title: string, body: Html, task?: Task): Answer => ({
    type: "text/html",
    body: layout(surroundings, { title, body, ...(task && { task }) }),
  });

  /**
   * Ids of users, teams and apps are recognised by the name of the field, or by the kind of thing that the task finds.
   */
  const linksOf =
    (task: Task): LinkOf =>
    (name, value) => {
      if (typeof value !== "string" || !uuid.test(value)) return undefined;
      const isListed = /^\w+ (find|list)$/.test(task.title);
      const subject =
        name === "id" && isListed
          ? groupOf(task).replace(/s$/, "")
          : name.replace(/^.+_by$/, "user").replace(/_id$/, "");
      const show = showing.get(subject === "client" ? "app" : subject);
      return show && hrefAbout(show, value);
    };

  function taskPage(task: Task, entered: Entered, outcome?: Outcome): Answer {
    return page(
      task.title,
      html`<h1>${task.title}</h1>
<p>${task.summary}.${task.request && html` <code>${task.request}</code>`}</p>
${taskForm(task, entered, outcome)}${outcome && outcomeView(task, outcome, linksOf(task))}${relatedTo(task, entered)}`,
      task,
    );
  }

  /** Links to other tasks for the same user or team. */
  function relatedTo(task: Task, entered: Entered): Html | undefined {
    const { subject } = task;
    const value = subject && entered.get(subject);
    if (subject === undefined || value === undefined || !uuid.test(value)) return undefined;
    const others = tasks.filter((other) => other !== task && other !== finder && other.subject === subject);
    return html`<nav class="related" aria-labelledby="related"><h2 id="related">More about this ${subject}</h2>
<ul>
${others.map((other) => html`<li><a href="${hrefAbout(other, value)}">${other.title}</a></li>\n`)}</ul></nav>
`;
  }

  async function find(text: string): Promise<Answer> {
    if (finder?.subject === undefined) return notFound;
    const entered = new Map([[finder.subject, text.trim()]]);
    const outcome = await runTask(finder, entered, { isDryRun: true }, installation);
    const [user, ...others] = (outcome.result ?? []) as { id: string }[];
    const leadTo = (subject: string, id: string): Answer => {
      const show = showing.get(subject);
      return show === undefined ? notFound : { status: 303, location: hrefAbout(show, id) };
    };
    if (user !== undefined && others.length === 0) return leadTo("user", user.id);
    if (user === undefined && uuid.test(text.trim())) return leadTo("team", text.trim());
    return taskPage(finder, entered, outcome);
  }

  const home = () =>
    page(
      "Home",
      html`<h1>Find a user or team</h1>
<form method="post" action="find" autocomplete="off" class="search">
<div class="field"><label for="text">Address, handle, phone number, id, or a part of a name</label>
<input type="search" id="text" name="text" required autofocus spellcheck="false"></div>
<p><button class="primary">Find</button></p>
</form>
<h2>Commands</h2>
<dl class="commands">
${tasks.map(({ href, title, summary }) => html`<div><dt><a href="${href}">${title}</a></dt><dd>${summary}</dd></div>\n`)}</dl>
`,
    );

  /** @param path below the folder of all pages, with its query */
  async function answer(request: IncomingMessage, path: string): Promise<Answer> {
    const { pathname, searchParams } = new URL(path, "http://localhost/");
    if (request.method === "GET") {
      if (pathname === "/") return home();
      if (pathname === "/page.css") return { type: "text/css", body: `${pageColours}\n${asset("page.css")}` };
      if (pathname === "/page.js") return { type: "text/javascript", body: asset("page.js") };
      const task = taskAt(pathname, searchParams);
      if (task === undefined) return notFound;
      const entered = enteredIn(searchParams);
      const isComplete = task.fields.every(({ name, isRequired }) => !isRequired || entered.get(name));
      const isRun = task.effect === "reads" && entered.size > 0 && isComplete;
      return taskPage(
        task,
        entered,
        isRun ? await runTask(task, entered, { isDryRun: true }, installation) : undefined,
      );
    }
    const body = await readBody(request, maxBodyBytes);
    if (body === undefined) return { status: 413, body: "The form is too large" };
    const form = new URLSearchParams(body.toString());
    if (pathname === "/find") return find(form.get("text") ?? "");
    const task = taskAt(pathname, searchParams);
    if (task === undefined) return notFound;
    const manner = { isDryRun: form.has("dry-run"), yes: form.get("yes") ?? undefined };
    const entered = enteredIn(form);
    return taskPage(task, entered, await runTask(task, entered, manner, installation));
  }

  function taskAt(pathname: string, parameters: URLSearchParams): Task | undefined {
    const [name = ""] = parameters.keys();
    return byHref.get(`${pathname.slice(1)}?${new URLSearchParams({ [name]: parameters.get(name) ?? "" })}`);
  }

  const server = await listen(async (request, response) => {
    const { url: target = "/" } = request;
    const refusal = guard.refuses(request);
    if (refusal !== undefined) return send(response, { status: 403, body: refusal });
    if (request.method === "GET" && target.startsWith("/open?")) {
      const cookie = guard.open(new URL(target, "http://localhost").searchParams.get("token") ?? "");
      if (cookie === undefined)
        return send(response, {
          status: 403,
          body: "This link is no longer valid: open the last one printed",
        });
      announce(server.url + guard.openingPath);
      response.setHeader("set-cookie", cookie);
      return send(response, { status: 303, location: guard.folder });
    }
    if (!target.startsWith(guard.folder) || !guard.knows(request))
      return send(response, { status: 403, body: "Open the link that npm run admin -- page has printed" });
    try {
      send(response, await answer(request, target.slice(guard.folder.length - 1)));
    } catch (error) {
      send(response, { status: 500, body: String(error) });
    }
  }, port);
  announce(server.url + guard.openingPath);
  return server;
}

const notFound: Answer = { status: 404, body: "Page not found" };

/** Empty while the form asks for a name. */
function outcomeView(
  { effect }: Task,
  { result, problem, failure, confirmation, notes, commandLine, isDryRun }: Outcome,
  linkOf: LinkOf,
): Html | undefined {
  if (confirmation !== undefined) return undefined;
  const isDone = problem === undefined;
  const title = !isDone ? "Not done" : isDryRun && effect === "changes" ? "Result of the dry run" : "Result";
  return html`<section id="outcome" aria-labelledby="outcome-title" tabindex="-1">
<h2 id="outcome-title">${title}</h2>
${[problem, failure].map((text) => html`${text && html`<p class="problem" role="alert">${text}</p>\n`}`)}${notes.map((text) => html`<p class="note">${text}</p>\n`)}${
  isDone
    ? html`${resultView(result, linkOf)}<details><summary>As JSON</summary>
<pre tabindex="0" aria-label="JSON"><code>${JSON.stringify(result ?? null, undefined, 2)}</code></pre></details>
`
    : undefined
}<h3>In a terminal</h3>
<div class="command"><code id="command-line">${commandLine}</code> <button type="button" data-copy="command-line" hidden>Copy</button></div>
</section>
`;
}

function send(
  response: ServerResponse,
  { status = 200, type = "text/plain", location, body = "" }: Answer,
): void {
  response.writeHead(status, {
    ...headers,
    "content-type": `${type};charset=utf-8`,
    ...(location !== undefined && { location }),
  });
  response.end(body);
}

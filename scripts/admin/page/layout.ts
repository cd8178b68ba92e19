import { type Html, html } from "#shared/platform/html/html.ts";
import type { Task } from "./task.ts";

/** Facts that all pages show. */
export interface Surroundings {
  /** The installation in a few words. */
  readonly place: string;
  /** Whether mistakes are hard to repair there. */
  readonly isProtected: boolean;
  readonly commands: readonly Task[];
  readonly operations: readonly Task[];
}

export interface Content {
  readonly title: string;
  readonly body: Html;
  /** The task of the page; without one, the content includes the search. */
  readonly task?: Task;
}

/** A whole page: the installation, the search, all commands, and the content. */
export function layout(surroundings: Surroundings, { title, body, task }: Content): string {
  const { place, isProtected, commands, operations } = surroundings;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${place}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="product" href="./">Parley</a>
<span class="place${isProtected ? " protected" : ""}">${place}</span>
${
  task === undefined
    ? undefined
    : html`<form role="search" method="post" action="find" autocomplete="off">
<label class="hidden" for="search">Find a user or team</label>
<input type="search" id="search" name="text" placeholder="Address, handle, name or id" required spellcheck="false">
<button>Find</button>
</form>
`
}<button class="open-menu" type="button" popovertarget="menu">Commands</button>
</header>
<nav id="menu" class="menu" popover aria-label="Commands">
<div class="field filter" hidden><label for="filter">Filter commands</label>
<input type="search" id="filter" autocomplete="off" spellcheck="false" aria-describedby="filter-count">
<span class="muted" id="filter-count" role="status"></span></div>
${[...Map.groupBy(commands, groupOf)].map(
  ([group, tasks]) => html`<section>
<h2>${group}</h2>
${links(tasks, task)}</section>
`,
)}<section>
<details${task !== undefined && operations.includes(task) ? html` open` : undefined}>
<summary><h2>Internal API: ${String(operations.length)} operations</h2></summary>
${links(operations, task, ({ summary }) => html` <span class="muted about">${summary}</span>`)}</details>
</section>
</nav>
<main id="content" tabindex="-1">
${body}
</main>
</body>
</html>
`.toString();
}

/** Commands about one kind of thing share their first word. */
export const groupOf = ({ title }: Task): string => title.replace(/ .*/, "");

/** @param about tells what each one is for */
const links = (tasks: readonly Task[], current: Task | undefined, about?: (task: Task) => Html) => html`<ul>
${tasks.map(
  (task) =>
    html`<li data-summary="${task.summary}"><a href="${task.href}"${task === current ? html` aria-current="page"` : undefined}>${task.title}</a>${about?.(task)}</li>
`,
)}</ul>
`;

import { byId, element, timeOf } from "../element.ts";
import { userLink } from "./linked-path.ts";

/** A frame that was posted to a socket, without its content. */
export interface Post {
  readonly id: string;
  readonly at: string;
  readonly connectionId: string;
  readonly path: string;
  readonly userId?: string;
  readonly types: readonly string[];
  readonly bytes: number;
}

const shownPosts = 300;

/** Newest first. */
let posts: Post[] = [];
/** Rows by id of the post. They stay in place when new ones arrive, so that nobody loses what they are reading. */
const postRows = new Map<string, HTMLElement[]>();

export const latestPosts = (): readonly Post[] => posts;

/** Show only events with this text. */
export function filterPosts(text: string): void {
  byId<HTMLInputElement>("event-filter").value = text;
  renderPosts();
}

function isWanted({ types, userId = "", connectionId, path }: Post): boolean {
  const text = byId<HTMLInputElement>("event-filter").value.trim().toLowerCase();
  return `${types.join(" ")} ${userId} ${connectionId} ${path}`.toLowerCase().includes(text);
}

export function setPosts(all: Post[]): void {
  posts = all.slice(0, shownPosts);
  renderPosts();
}

export function addPost(post: Post): void {
  if (!posts.some(({ id }) => id === post.id)) posts = [post, ...posts].slice(0, shownPosts);
}

export function renderPosts(): void {
  const shownIds = new Set(posts.map(({ id }) => id));
  for (const [id, rows] of postRows) {
    if (shownIds.has(id)) continue;
    for (const row of rows) row.remove();
    postRows.delete(id);
  }
  const fresh = posts.filter(({ id }) => !postRows.has(id)).map((post) => [post.id, postRow(post)] as const);
  for (const [id, rows] of fresh) postRows.set(id, rows);
  byId("event-list").prepend(...fresh.flatMap(([, rows]) => rows));
  byId("event-count").textContent = String(posts.length || "");
  const wanted = new Set(posts.filter(isWanted).map(({ id }) => id));
  for (const [id, [row, detail]] of postRows) {
    if (row !== undefined) row.hidden = !wanted.has(id);
    // An open row is open again when it matches again.
    if (detail !== undefined && !wanted.has(id)) detail.hidden = true;
  }
  byId("no-events").hidden = wanted.size > 0;
  byId("no-events").textContent =
    posts.length > 0
      ? "No event matches the filter."
      : "No events yet. They appear once a client has opened a socket: open a window of the chat.";
  byId("event-table").hidden = wanted.size === 0;
}

/** The row of a post, and the one below it that shows its JSON. */
function postRow({ id, at, connectionId, path, userId, types, bytes }: Post): HTMLElement[] {
  const button = element("button", { type: "button" });
  const json = element("pre", { className: "text" });
  const detail = element("tr", { hidden: true }, element("td", { className: "detail", colSpan: 7 }, json));
  const name = (text: string) => {
    button.textContent = text;
    button.setAttribute("aria-label", `${text} the JSON of ${types.join(", ") || "frame"}`);
    button.setAttribute("aria-expanded", String(!detail.hidden));
  };
  name("Show");
  button.addEventListener("click", async () => {
    if (json.textContent === "") json.textContent = await postJson(id);
    detail.hidden = !detail.hidden;
    name(detail.hidden ? "Show" : "Hide");
  });
  const row = element(
    "tr",
    {},
    element("td", {}, timeOf(at)),
    element("td", {}, types.join(", ") || "—"),
    element("td", {}, userId === undefined ? "—" : userLink(userId)),
    element("td", {}, path),
    element("td", {}, connectionId),
    element("td", { className: "number" }, String(bytes)),
    element("td", {}, button),
  );
  return [row, detail];
}

async function postJson(id: string): Promise<string> {
  const response = await fetch(`/posts/${id}`);
  if (!response.ok) return "No longer kept.";
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

import { openData } from "./console/data-table.ts";
import { addMessage, openMessage, renderInbox, setMessages } from "./console/inbox.ts";
import { openOverview, renderOverview } from "./console/overview.ts";
import { addPost, filterPosts, renderPosts, setPosts } from "./console/posts.ts";
import { openRequest } from "./console/request-detail.ts";
import { addRequest, filterRequests, renderRequests, setRequests } from "./console/request-list.ts";
import { byId, element } from "./element.ts";

const dataNames: ReadonlySet<string> = new Set([
  "users",
  "teams",
  "conversations",
  "queues",
  "parked",
  "settings",
]);

/**
 * `#/`, `#/messages`, `#/messages/<id>`, `#/events`, `#/requests`, `#/requests/<id>`, `#/<table>`, or `#/<kind>/<id>` of a thing;
 * lists with `?filter=<text>`, that of requests also with `?refused`
 */
function followHash(): void {
  const [path = "", query = ""] = location.hash.split("?");
  const [, view = "", id] = path.split("/");
  const isRequest = view === "requests" && id !== undefined;
  const shown = dataNames.has(view) ? "data" : isRequest ? "request-detail" : view || "overview";
  const parameters = new URLSearchParams(query);
  if (query !== "") {
    byId<HTMLInputElement>("request-refused").checked = parameters.has("refused");
    filterRequests(view === "requests" ? (parameters.get("filter") ?? "") : "");
    filterPosts(view === "events" ? (parameters.get("filter") ?? "") : "");
  }
  for (const main of document.querySelectorAll<HTMLElement>("main")) main.hidden = main.id !== shown;
  for (const link of document.querySelectorAll<HTMLElement>("[data-view]")) {
    if (link.dataset.view === (view || "overview")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openMessage(view === "messages" ? id : undefined);
  if (isRequest) openRequest(id);
  if (shown === "data") openData(id === undefined ? view : `${view}/${id}`);
  if (shown === "overview") openOverview();
}

/** Renders at the next frame: many requests may arrive between two, and one rendering is enough for all. */
const pending = new Set<() => void>();
function soon(render: () => void): void {
  if (pending.size === 0) {
    requestAnimationFrame(() => {
      const renders = [...pending];
      pending.clear();
      for (const each of renders) each();
      renderOverview();
    });
  }
  pending.add(render);
}

async function load(): Promise<void> {
  const answers = await Promise.all(["/messages", "/requests", "/posts"].map((path) => fetch(path)));
  const [messages, requests, posts] = await Promise.all(answers.map((answer) => answer.json()));
  setMessages(messages);
  setRequests(requests);
  setPosts(posts);
  renderOverview();
}

async function showAddresses(): Promise<void> {
  const { publicUrl, internalUrl, chatUrl } = await (await fetch("/addresses")).json();
  const link = (href: string, textContent: string) =>
    element("a", { href, textContent, target: "_blank", rel: "noreferrer" });
  byId("document-links").replaceChildren(
    ...(chatUrl === undefined ? [] : [link(chatUrl, "Chat")]),
    link(`${publicUrl}/api/docs`, "API docs"),
    link(`${publicUrl}/api/openapi.json`, "OpenAPI"),
    link(`${internalUrl}/i/docs`, "Internal API"),
  );
  byId("addresses").replaceChildren(
    link(publicUrl, `Public ${publicUrl}`),
    link(`${internalUrl}/i/docs`, `Internal ${internalUrl}`),
  );
}

function showConnection(isLive: boolean): void {
  byId("connection").textContent = isLive ? "Live" : "Reconnecting";
  byId("connection").classList.toggle("live", isLive);
}

function listen(): void {
  const events = new EventSource("/events");
  events.addEventListener("open", async () => {
    await Promise.all([load(), showAddresses()]);
    showConnection(true);
  });
  events.addEventListener("error", () => showConnection(false));
  events.addEventListener("message", ({ data }) => {
    if (addMessage(JSON.parse(data))) soon(renderInbox);
  });
  events.addEventListener("cleared", () => {
    location.hash = "#/messages";
    setMessages([]);
  });
  events.addEventListener("request", ({ data }) => {
    addRequest(JSON.parse(data));
    soon(renderRequests);
  });
  events.addEventListener("post", ({ data }) => {
    addPost(JSON.parse(data));
    soon(renderPosts);
  });
}

byId("filter").addEventListener("input", renderInbox);
byId("event-filter").addEventListener("input", renderPosts);
for (const id of ["request-filter", "request-api", "request-refused"])
  byId(id).addEventListener("input", renderRequests);
byId("clear").addEventListener("click", () => fetch("/messages", { method: "DELETE" }));
addEventListener("hashchange", followHash);
followHash();
renderRequests();
renderPosts();
listen();

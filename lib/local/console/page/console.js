const shownRequests = 300;
const shownMessages = 500;
const shownPosts = 300;

/** All of these are sorted newest first. */
let messages = [];
let requests = [];
let posts = [];
let openMessageId;
let prefersText = false;

const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

function time(iso, options) {
  const date = new Date(iso);
  return element("time", {
    dateTime: iso,
    title: date.toLocaleString(),
    textContent: date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", ...options }),
  });
}

const kinds = { email: "Email", sms: "SMS", push: "Push" };

const firstLine = (text) => text.trim().split("\n")[0];
const titleOf = (message) => message.subject ?? firstLine(message.text);

/** The code in a message: emails have it in a header, SMS in their text. */
function codeIn({ kind, headers, text }) {
  if (kind === "sms") return /\b\d{6}\b/.exec(text)?.[0];
  return Object.entries(headers).find(([name]) => /^x-.+-code$/i.test(name))?.[1];
}

function renderInbox() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const found = messages.filter((message) =>
    [message.to, message.subject ?? "", message.text].some((part) => part.toLowerCase().includes(wanted)),
  );
  byId("message-list").replaceChildren(...found.slice(0, shownMessages).map(inboxEntry));
  byId("message-count").textContent = messages.length || "";
  byId("no-messages").hidden = found.length > 0;
  byId("no-messages").textContent =
    messages.length > 0
      ? "No message matches the filter."
      : "No messages. What the API sends as email, SMS or push arrives here.";
  byId("clear").disabled = messages.length === 0;
}

function inboxEntry(message) {
  const link = element(
    "a",
    { href: `#/messages/${message.id}` },
    element("span", { className: "to", textContent: message.to }),
    time(message.sentAt, { second: "2-digit" }),
    element("span", { className: "about", textContent: titleOf(message) }),
    element("span", { className: "kind", textContent: kinds[message.kind] }),
  );
  if (message.id === openMessageId) link.setAttribute("aria-current", "true");
  return element("li", {}, link);
}

function renderReader() {
  const message = messages.find(({ id }) => id === openMessageId);
  byId("messages").classList.toggle("is-reading", message !== undefined);
  if (message === undefined) {
    byId("reader").replaceChildren(
      element("p", { className: "empty", textContent: messages.length > 0 ? "Choose a message." : "" }),
    );
    return;
  }
  const code = codeIn(message);
  byId("reader").replaceChildren(
    element("a", { className: "back", href: "#/messages", textContent: "← All messages" }),
    element("h2", { textContent: message.subject ?? kinds[message.kind] }),
    messageFacts(message),
    ...(code === undefined ? [] : [codeBox(code)]),
    ...messageBody(message),
  );
}

function messageFacts({ from, to, sentAt, headers }) {
  const facts = [
    ["From", from || "—"],
    ["To", to],
    ["Sent", new Date(sentAt).toLocaleString()],
  ].flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", { textContent: value })]);
  const extra = Object.entries(headers).flatMap(([name, value]) => [
    element("dt", { textContent: name }),
    element("dd", { className: "header", textContent: value }),
  ]);
  return element("dl", {}, ...facts, ...extra);
}

function codeBox(code) {
  const button = element("button", { type: "button", textContent: "Copy code" });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code);
    button.textContent = "Copied";
    announce("Code copied");
    setTimeout(() => {
      button.textContent = "Copy code";
    }, 1500);
  });
  return element("div", { className: "code" }, element("output", { textContent: code }), button);
}

function messageBody(message) {
  if (message.html === undefined) return [plainText(message.text)];
  const body = prefersText
    ? plainText(message.text)
    : element("iframe", {
        title: "Email as its reader sees it",
        sandbox: "allow-popups allow-popups-to-escape-sandbox",
        src: `/messages/${message.id}/html`,
      });
  const choices = [
    ["HTML", false],
    ["Text", true],
  ].map(([label, isText]) => {
    const button = element("button", { type: "button", textContent: label });
    button.setAttribute("aria-pressed", String(prefersText === isText));
    button.addEventListener("click", () => {
      prefersText = isText;
      renderReader();
      byId("reader").querySelector("[aria-pressed=true]").focus();
    });
    return button;
  });
  return [element("div", { className: "forms" }, ...choices), body];
}

/** Text with its links made clickable. */
function plainText(text) {
  const parts = text.split(/(https?:\/\/[^\s<>"']+)/);
  const nodes = parts.map((part, index) =>
    index % 2 === 0
      ? part
      : element("a", { href: part, target: "_blank", rel: "noreferrer", textContent: part }),
  );
  return element("pre", { className: "text" }, ...nodes);
}

function renderRequests() {
  byId("request-list").replaceChildren(...requests.map(requestRow));
  byId("request-count").textContent = requests.length || "";
  byId("no-requests").hidden = requests.length > 0;
  byId("request-table").hidden = requests.length === 0;
}

function requestRow({ at, api, method, path, status, milliseconds, functionName }) {
  const texts = [
    { textContent: method },
    { textContent: path },
    { textContent: status, className: statusClass(status) },
    { textContent: milliseconds.toFixed(milliseconds < 10 ? 1 : 0), className: "number" },
    { textContent: functionName ?? "gateway" },
    { textContent: api },
  ];
  const cells = texts.map((properties) => element("td", properties));
  return element("tr", {}, element("td", {}, time(at, { second: "2-digit" })), ...cells);
}

function statusClass(status) {
  if (status >= 500) return "status-bad";
  return status >= 400 ? "status-warn" : "status-good";
}

/** Rows by id of the post. They stay in place when new ones arrive, so that nobody loses what they are reading. */
const postRows = new Map();

function renderPosts() {
  const shownIds = new Set(posts.map(({ id }) => id));
  for (const [id, rows] of postRows) {
    if (shownIds.has(id)) continue;
    for (const row of rows) row.remove();
    postRows.delete(id);
  }
  const fresh = posts.filter(({ id }) => !postRows.has(id));
  for (const post of fresh) postRows.set(post.id, postRow(post));
  byId("event-list").prepend(...fresh.flatMap(({ id }) => postRows.get(id)));
  byId("event-count").textContent = posts.length || "";
  byId("no-events").hidden = posts.length > 0;
  byId("event-table").hidden = posts.length === 0;
}

/** The row of a post, and the one below it that shows its JSON. */
function postRow({ id, at, connectionId, path, userId, types, bytes }) {
  const button = element("button", { type: "button", textContent: "Show" });
  const json = element("pre", { className: "text" });
  const detail = element("tr", { hidden: true }, element("td", { className: "detail", colSpan: 7 }, json));
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-label", `JSON of ${types.join(", ") || "frame"}`);
  button.addEventListener("click", async () => {
    if (json.textContent === "") json.textContent = await postJson(id);
    detail.hidden = !detail.hidden;
    button.textContent = detail.hidden ? "Show" : "Hide";
    button.setAttribute("aria-expanded", String(!detail.hidden));
  });
  const texts = [
    { textContent: types.join(", ") || "—" },
    { textContent: userId ?? "—" },
    { textContent: path },
    { textContent: connectionId },
    { textContent: bytes, className: "number" },
  ];
  const row = element(
    "tr",
    {},
    element("td", {}, time(at, { second: "2-digit" })),
    ...texts.map((properties) => element("td", properties)),
    element("td", {}, button),
  );
  return [row, detail];
}

async function postJson(id) {
  const response = await fetch(`/posts/${id}`);
  if (!response.ok) return "No longer kept.";
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function announce(text) {
  byId("announcement").textContent = text;
}

/** `#/messages`, `#/messages/<id>`, `#/events` or `#/requests` */
function followHash() {
  const [, view = "messages", id] = location.hash.split("/");
  for (const link of document.querySelectorAll("[data-view]")) {
    const isShown = link.dataset.view === view;
    byId(link.dataset.view).hidden = !isShown;
    if (isShown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openMessageId = id;
  renderInbox();
  renderReader();
  if (id !== undefined) byId("reader").focus({ preventScroll: true });
}

/** Renders at the next frame: many requests may arrive between two, and one rendering is enough for all. */
const pending = new Set();
function soon(render) {
  if (pending.size === 0) {
    requestAnimationFrame(() => {
      const renders = [...pending];
      pending.clear();
      for (const each of renders) each();
    });
  }
  pending.add(render);
}

async function load() {
  const answers = await Promise.all(["/messages", "/requests", "/posts"].map((path) => fetch(path)));
  [messages, requests, posts] = await Promise.all(answers.map((answer) => answer.json()));
  requests = requests.slice(0, shownRequests);
  renderInbox();
  renderReader();
  renderRequests();
  renderPosts();
}

async function showAddresses() {
  const { publicUrl, internalUrl } = await (await fetch("/addresses")).json();
  const link = (href, textContent) =>
    element("a", { href, textContent, target: "_blank", rel: "noreferrer" });
  byId("document-links").replaceChildren(
    link(`${publicUrl}/api/docs`, "API docs"),
    link(`${publicUrl}/api/openapi.json`, "OpenAPI"),
  );
  byId("addresses").replaceChildren(
    link(publicUrl, `Public ${publicUrl}`),
    link(internalUrl, `Internal ${internalUrl}`),
  );
}

function showConnection(isLive) {
  byId("connection").textContent = isLive ? "Live" : "Reconnecting";
  byId("connection").classList.toggle("live", isLive);
}

function listen() {
  const events = new EventSource("/events");
  events.addEventListener("open", async () => {
    await Promise.all([load(), showAddresses()]);
    showConnection(true);
  });
  events.addEventListener("error", () => showConnection(false));
  events.addEventListener("message", ({ data }) => {
    const message = JSON.parse(data);
    if (messages.some(({ id }) => id === message.id)) return;
    messages.unshift(message);
    announce(`New message to ${message.to}`);
    soon(renderInbox);
  });
  events.addEventListener("cleared", () => {
    messages = [];
    location.hash = "#/messages";
    soon(renderInbox);
    soon(renderReader);
  });
  events.addEventListener("request", ({ data }) => {
    requests = [JSON.parse(data), ...requests].slice(0, shownRequests);
    soon(renderRequests);
  });
  events.addEventListener("post", ({ data }) => {
    const post = JSON.parse(data);
    if (posts.some(({ id }) => id === post.id)) return;
    posts = [post, ...posts].slice(0, shownPosts);
    soon(renderPosts);
  });
}

byId("filter").addEventListener("input", renderInbox);
byId("clear").addEventListener("click", () => fetch("/messages", { method: "DELETE" }));
addEventListener("hashchange", followHash);
followHash();
renderRequests();
renderPosts();
listen();

import type { RequestDetail, ShownBody } from "../../wire.ts";
import { byId, element, statusClass } from "../element.ts";
import { dataTable } from "./data-table.ts";
import { thingsIn, userLink } from "./linked-path.ts";

/** The request to show; answers about others may arrive later. */
let wanted: string | undefined;

/** Show a request in full. */
export async function openRequest(id: string): Promise<void> {
  wanted = id;
  const place = byId("request-detail");
  const response = await fetch(`/requests/${encodeURIComponent(id)}`);
  if (id !== wanted) return;
  if (!response.ok) {
    place.replaceChildren(back(), element("p", { className: "empty", textContent: "No longer kept." }));
    return;
  }
  const detail: RequestDetail = await response.json();
  place.replaceChildren(
    back(),
    element("h2", {}, `${detail.method} ${detail.path}`),
    actions(detail),
    facts(detail),
    ...body("Request body", detail.requestBody),
    ...body("Answer", detail.answerBody),
    ...messages(detail),
    ...calls(detail),
    ...lines(detail),
  );
  place.focus({ preventScroll: true });
}

const back = () => element("a", { className: "to-list", href: "#/requests", textContent: "← All requests" });
/** A scrollable text must be reachable by keyboard. */
const block = (label: string, textContent: string) =>
  element("pre", { className: "text", tabIndex: 0, role: "group", ariaLabel: label, textContent });
const title = (text: string) => element("h3", { textContent: text });

function actions(detail: RequestDetail): HTMLElement {
  const refresh = element("button", { type: "button", textContent: "Refresh" });
  refresh.addEventListener("click", () => openRequest(detail.id));
  const repeat = element("button", { type: "button", textContent: "Repeat" });
  const outcome = element("span", { role: "status" });
  repeat.addEventListener("click", async () => {
    const response = await fetch(`/requests/${detail.id}/repeat`, { method: "POST" });
    if (!response.ok) {
      outcome.textContent = "It could not be repeated.";
      return;
    }
    const { id, status }: { id?: string; status: number } = await response.json();
    const link = element("a", { href: `#/requests/${id}`, textContent: "open it" });
    outcome.replaceChildren(
      `Answered ${status}${id === undefined ? "" : ": "}`,
      id === undefined ? "" : link,
    );
  });
  return element(
    "div",
    { className: "actions" },
    refresh,
    ...(detail.canBeRepeated ? [repeat] : []),
    outcome,
  );
}

function facts(detail: RequestDetail): HTMLElement {
  const { status, label, hint, operation, functionName, caller, query, milliseconds, at, id } = detail;
  const things = thingsIn(detail.path).flatMap((thing) => [thing, " "]);
  const rows: [string, string | HTMLElement][] = [
    ["Status", element("span", { className: statusClass(status) }, `${status} ${label ?? ""}`.trim())],
    ...(hint === undefined ? [] : [["Hint", hint] satisfies [string, string]]),
    ["Operation", operation ?? "—"],
    ["Function", functionName ?? "gateway"],
    ["Caller", callerLink(caller)],
    ...(things.length === 0
      ? []
      : [["Names", element("span", {}, ...things)] satisfies [string, HTMLElement]]),
    ["Query", query || "—"],
    ["Time", `${new Date(at).toLocaleString()}, ${milliseconds.toFixed(1)} ms`],
    ["Id", id],
  ];
  return element(
    "dl",
    {},
    ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
}

/** `user` with an id becomes a link to that user; other callers are described in words. */
function callerLink(caller: string): string | HTMLElement {
  const [, id] = /^user ([\da-f-]{36})/.exec(caller) ?? [];
  return id === undefined ? caller : element("span", {}, "user ", userLink(id), caller.slice(id.length + 5));
}

function body(name: string, shown: ShownBody | undefined): HTMLElement[] {
  if (shown === undefined || shown.bytes === 0) return [];
  const about = `${shown.type || "no type"}, ${shown.bytes} bytes`;
  const text = shown.text === undefined ? [] : [block(name, shown.text)];
  return [title(name), element("p", { className: "about", textContent: about }), ...text];
}

function messages({ messages: all }: RequestDetail): HTMLElement[] {
  if (all.length === 0) return [];
  const rows = all.map(({ queue, type }) => [type ?? "—", queue]);
  return [title("Events and messages"), dataTable({ columns: ["Type", "Queue"], rows })];
}

function calls({ calls: all, at: begin }: RequestDetail): HTMLElement[] {
  if (all.length === 0) return [];
  const rows = all.map(({ at, service, action, resource, milliseconds, outcome }) => [
    `+${Date.parse(at) - Date.parse(begin)}`,
    service,
    action,
    resource,
    milliseconds.toFixed(1),
    outcome,
  ]);
  return [
    title("Calls of AWS"),
    dataTable({ columns: ["Begins after ms", "Service", "Call", "Resource", "ms", "Outcome"], rows }),
  ];
}

function lines({ lines: all }: RequestDetail): HTMLElement[] {
  if (all.length === 0) return [];
  return [title("Log"), block("Log", all.join("\n"))];
}

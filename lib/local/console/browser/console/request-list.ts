import type { RequestSummary } from "../../wire.ts";
import { byId, element, statusClass, timeOf } from "../element.ts";

const shownRequests = 300;

/** Newest first. */
let requests: RequestSummary[] = [];
/** Rows stay in place when new requests arrive, so that nobody loses the focus. */
const rowOf = new Map<string, HTMLElement>();

export function setRequests(all: RequestSummary[]): void {
  requests = all.slice(0, shownRequests);
  renderRequests();
}

export function addRequest(request: RequestSummary): void {
  if (!requests.some(({ id }) => id === request.id))
    requests = [request, ...requests].slice(0, shownRequests);
}

export function renderRequests(): void {
  const shownIds = new Set(requests.map(({ id }) => id));
  for (const [id, row] of rowOf) {
    if (shownIds.has(id)) continue;
    row.remove();
    rowOf.delete(id);
  }
  const fresh = requests.filter(({ id }) => !rowOf.has(id));
  for (const request of fresh) rowOf.set(request.id, requestRow(request));
  byId("request-list").prepend(...fresh.flatMap(({ id }) => rowOf.get(id) ?? []));
  byId("request-count").textContent = String(requests.length || "");
  byId("no-requests").hidden = requests.length > 0;
  byId("request-table").hidden = requests.length === 0;
}

function requestRow(request: RequestSummary): HTMLElement {
  const { id, at, api, method, path, status, label, milliseconds, functionName } = request;
  return element(
    "tr",
    {},
    element("td", {}, timeOf(at)),
    element("td", {}, method),
    element("td", {}, element("a", { href: `#/requests/${id}`, textContent: path })),
    element("td", { className: statusClass(status) }, `${status} ${label ?? ""}`.trim()),
    element("td", { className: "number" }, milliseconds.toFixed(milliseconds < 10 ? 1 : 0)),
    element("td", {}, functionName ?? "gateway"),
    element("td", {}, api),
  );
}

import type { RequestSummary } from "../../wire.ts";
import { byId, element, statusClass, timeOf } from "../element.ts";
import { thingsIn } from "./linked-path.ts";

const shownRequests = 300;

/** Newest first. */
let requests: RequestSummary[] = [];
/** Rows stay in place when new requests arrive, so that nobody loses the focus. */
const rowOf = new Map<string, HTMLElement>();

export const latestRequests = (): readonly RequestSummary[] => requests;

export function setRequests(all: RequestSummary[]): void {
  requests = all.slice(0, shownRequests);
  renderRequests();
}

export function addRequest(request: RequestSummary): void {
  if (!requests.some(({ id }) => id === request.id))
    requests = [request, ...requests].slice(0, shownRequests);
}

/** Show only requests with this text. */
export function filterRequests(text: string): void {
  byId<HTMLInputElement>("request-filter").value = text;
  renderRequests();
}

function isWanted({ api, method, path, status, label = "", functionName = "" }: RequestSummary): boolean {
  const text = byId<HTMLInputElement>("request-filter").value.trim().toLowerCase();
  const wantedApi = byId<HTMLSelectElement>("request-api").value;
  const isRefused = status >= 400 || label !== "";
  return (
    (wantedApi === "" || wantedApi === api) &&
    (isRefused || !byId<HTMLInputElement>("request-refused").checked) &&
    `${method} ${path} ${status} ${label} ${functionName}`.toLowerCase().includes(text)
  );
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
  let count = 0;
  for (const request of requests) {
    const isShown = isWanted(request);
    (rowOf.get(request.id) as HTMLElement).hidden = !isShown;
    if (isShown) count += 1;
  }
  byId("request-count").textContent = String(requests.length || "");
  byId("no-requests").hidden = count > 0;
  byId("no-requests").textContent =
    requests.length > 0
      ? "No request matches the filter."
      : "No requests yet. Open a window of the chat, or try an operation in the API document.";
  byId("request-table").hidden = count === 0;
}

function requestRow(request: RequestSummary): HTMLElement {
  const { id, at, api, method, path, status, label, milliseconds, functionName } = request;
  const link = element("a", { href: `#/requests/${id}`, textContent: path });
  const things = thingsIn(path).flatMap((thing) => [" ", thing]);
  return element(
    "tr",
    {},
    element("td", {}, timeOf(at)),
    element("td", {}, method),
    element("td", {}, link, element("span", { className: "things" }, ...things)),
    element("td", { className: statusClass(status) }, `${status} ${label ?? ""}`.trim()),
    element("td", { className: "number" }, milliseconds.toFixed(milliseconds < 10 ? 1 : 0)),
    element("td", {}, functionName ?? "gateway"),
    element("td", {}, api),
  );
}

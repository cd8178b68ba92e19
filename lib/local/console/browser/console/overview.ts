import type { DataPage } from "../../wire.ts";
import { byId, element, statusClass, timeOf } from "../element.ts";
import { latestMessages } from "./inbox.ts";
import { latestPosts } from "./posts.ts";
import { latestRequests } from "./request-list.ts";

const shownEntries = 5;

let counts: { readonly parked: number; readonly waiting: number } | undefined;

/** Show the overview, with the numbers of waiting and parked messages. */
export async function openOverview(): Promise<void> {
  renderOverview();
  const [parked, queues] = await Promise.all(
    ["parked", "queues"].map(async (name): Promise<DataPage> => (await fetch(`/data/${name}`)).json()),
  );
  const rowsOf = (page: DataPage | undefined) => page?.tables[0]?.rows ?? [];
  const waiting = rowsOf(queues).reduce((sum, [, , visible]) => sum + Number(visible), 0);
  counts = { parked: rowsOf(parked).length, waiting };
  renderOverview();
}

export function renderOverview(): void {
  if (byId("overview").hidden) return;
  const requests = latestRequests();
  const refused = requests.filter(({ status, label }) => status >= 400 || label !== undefined);
  const messages = latestMessages();
  byId("overview-figures").replaceChildren(
    figure("#/requests", requests.length, "requests"),
    figure("#/requests?refused", refused.length, "of them refused"),
    figure("#/messages", messages.length, "mails, SMS and pushes"),
    figure("#/events", latestPosts().length, "events on sockets"),
    figure("#/queues", counts?.waiting, "messages in queues"),
    figure("#/parked", counts?.parked, "messages parked"),
  );
  byId("overview-refused").replaceChildren(
    ...refused
      .slice(0, shownEntries)
      .map(({ id, at, method, path, status, label }) =>
        element(
          "li",
          {},
          timeOf(at),
          " ",
          element("a", { href: `#/requests/${id}`, textContent: `${method} ${path}` }),
          " ",
          element("span", { className: statusClass(status), textContent: `${status} ${label ?? ""}` }),
        ),
      ),
    ...(refused.length === 0 ? [none("No request has been refused.")] : []),
  );
  byId("overview-messages").replaceChildren(
    ...messages
      .slice(0, shownEntries)
      .map(({ id, sentAt, to, subject, kind }) =>
        element(
          "li",
          {},
          timeOf(sentAt),
          " ",
          element("a", { href: `#/messages/${id}`, textContent: `${to}: ${subject ?? kind}` }),
        ),
      ),
    ...(messages.length === 0
      ? [none("None yet. Whoever registers gets a mail with a code, which arrives here and nowhere else.")]
      : []),
  );
}

const none = (textContent: string) => element("li", { className: "empty", textContent });

const figure = (href: string, count: number | undefined, about: string) =>
  element(
    "li",
    {},
    element("a", { href }, element("strong", { textContent: String(count ?? "…") }), ` ${about}`),
  );

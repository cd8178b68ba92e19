import { layOutTeam, type TeamFrame } from "#shared/accounts/team-pages/layout.ts";
import type { AuditRecord } from "#shared/platform/audit/audit-record.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { moment } from "#shared/platform/html/moment.ts";

/** What is shown of a record. */
export type ListedRecord = Pick<AuditRecord, "time" | "event" | "actor" | "target" | "team" | "error">;

export function auditPage(
  frame: TeamFrame,
  {
    day,
    records,
    nameOf,
    isDamaged,
    earlier,
    later,
    more,
  }: {
    readonly day: string;
    readonly records: readonly ListedRecord[];
    /** Name of a user, if there still is one. */
    readonly nameOf: (userId: string) => string | undefined;
    readonly isDamaged: boolean;
    /** The day before and the day after; undefined: in the future. */
    readonly earlier: string;
    readonly later: string | undefined;
    /** Where the records of the day go on, if they do. */
    readonly more: string | undefined;
  },
): Html {
  const { texts, language } = frame;
  const link = (query: Record<string, string>, text: string) =>
    html`<a href="/account/team-audit?${new URLSearchParams(query).toString()}">${text}</a>
`;
  return layOutTeam(
    frame,
    "audit",
    html`<p>${texts.audit.intro}</p>
${
  isDamaged
    ? html`<p class="problem">${texts.audit.damaged}</p>
`
    : undefined
}<h2>${new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" }).format(Date.parse(day))}</h2>
${
  records.length === 0
    ? html`<p>${texts.audit.none}</p>`
    : html`<ul>
${records.map(
  ({ time, event, error, ...record }) =>
    html`<li>${event}
<span class="detail">${[moment(Date.parse(time), language), personsIn(record), error && texts.audit.refused(error)].filter((one) => one !== undefined).join(" · ")}</span></li>
`,
)}</ul>`
}
<nav aria-label="${texts.titles.audit}">
${link({ day: earlier }, texts.audit.earlier)}${later === undefined ? undefined : link({ day: later }, texts.audit.later)}${more === undefined ? undefined : link({ day, start: more }, texts.audit.more)}</nav>`,
  );

  /** The actor, and to whom or what it was done. */
  function personsIn({ actor, target, team }: Pick<ListedRecord, "actor" | "target" | "team">): string {
    const shown = (id: string) => nameOf(id) ?? id;
    const by = actor.user === undefined ? (actor.kind ?? "") : shown(actor.user);
    const to = Object.values(target)
      .filter((id) => id !== actor.user && id !== team)
      .map(shown);
    return to.length === 0 ? by : `${by} → ${to.join(", ")}`;
  }
}

/** An event or an overlay, with any content of its publisher and of clients. */
export type EventFields = Readonly<Record<string, unknown>>;

/** The part of an event that differs between recipients. */
export interface Differences {
  readonly overlay?: EventFields | undefined;
  /** The viewer, if the view depends on it: members see themselves apart from the others in a list. */
  readonly viewerId?: string | undefined;
}

/** Creates the event as a recipient sees it, without changing the original. */
export function eventView(event: EventFields, { overlay, viewerId }: Differences): EventFields {
  const shown = overlay === undefined ? event : withOverlay(event, overlay);
  return viewerId === undefined ? shown : withOwnMember(shown, viewerId);
}

/** Replaces fields of the event by those of an overlay; `data` is merged, one level deep. */
function withOverlay(event: EventFields, overlay: EventFields): EventFields {
  const merged = { ...event, ...overlay };
  if (!isObject(event.data) || !isObject(overlay.data)) return merged;
  return { ...merged, data: { ...event.data, ...overlay.data } };
}

/** Divides the list of members in `data` into the viewer and the others. */
function withOwnMember(event: EventFields, viewerId: string): EventFields {
  if (!isObject(event.data) || !isObject(event.data.members)) return event;
  const { others } = event.data.members;
  if (!Array.isArray(others)) return event;
  const own = others.find((member) => member.id === viewerId);
  const members = {
    ...(own && { self: ownMember(own) }),
    others: others.filter((member) => member !== own),
  };
  return { ...event, data: { ...event.data, members } };
}

/** A member of a new conversation as seen by that member: nothing is muted, archived or hidden yet. */
const ownMember = <Member extends object>(member: Member) => ({
  service: null,
  ...member,
  status: 0,
  status_ref: "0.0",
  status_time: "1970-01-01T00:00:00.000Z",
  otr_muted_status: null,
  otr_muted_ref: null,
  otr_archived: false,
  otr_archived_ref: null,
  hidden: false,
  hidden_ref: null,
});

const isObject = (value: unknown): value is EventFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

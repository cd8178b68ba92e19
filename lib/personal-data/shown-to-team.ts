import type { Subject } from "#shared/platform/data/subject.ts";
import type { Item } from "./person.ts";
import { withoutSecrets } from "./without-secrets.ts";

/**
 * An item as a team may see it, without secrets: all of the team's own, and of other items the parts that their owners
 * leave to the team.
 */
export function shownToTeam(item: Item, subject: Subject): unknown {
  const shown = "user" in subject ? subject.toTeam : undefined;
  const left = shown && Object.fromEntries(Object.entries(item).filter(([name]) => shown.includes(name)));
  return withoutSecrets(left ?? item, subject);
}

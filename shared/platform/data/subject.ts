/**
 * How an item names somebody: by its partition key, with an id, an address or a device after the first `#`; or by
 * attributes that contain an id or address alone, in a list or an object, or after the last `#`.
 */
type Named = "partition" | readonly [attribute: string, ...more: string[]];

interface Owned {
  /**
   * Attributes at any depth that no export contains: secrets that would let somebody act as the owner, and data about
   * others. `name{}`: an object whose entries are exported without their names.
   */
  readonly secrets?: readonly string[];
  /** Why items of an erased user or a deleted team may remain; absent: none does. */
  readonly remains?: string;
}

/** The owner of the items of a kind, and what remains of them after the owner's deletion. */
export type Subject = (
  | (Owned & {
      readonly user: Named;
      /**
       * Attributes that the archive of a team has of the items of members, invitees and participants of its
       * conversations: those that its admins see. Absent: none, because they are private.
       */
      readonly toTeam?: readonly [string, ...string[]];
    })
  | (Owned & {
      readonly team: Named;
      /** Why items without a team belong to nobody. */
      readonly otherwise?: string;
    })
  /** Why they belong to nobody. */
  | { readonly nobody: string }
) & {
  /** In which role items of others may still contain the id of an erased user or a deleted team; absent: none does. */
  readonly mentions?: string;
};

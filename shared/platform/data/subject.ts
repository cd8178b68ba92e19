/**
 * How an item names somebody: by its partition key, whose text after the first `#` is their id, their address or one of
 * their devices, or by attributes with their id or address, alone, within a list or an object, or after the last `#`.
 */
type Named = "partition" | readonly [attribute: string, ...more: string[]];

interface Owned {
  /**
   * Attributes at any depth that nobody gets: what could be used in the owner's place, and what others have written or
   * done. `name{}`: the attribute is an object, the names of whose entries are left out.
   */
  readonly secrets?: readonly string[];
  /** Why items of an erased user or a deleted team may remain; absent: none does. */
  readonly remains?: string;
}

/** Whose data the items of a kind are, and what of them outlasts its owner. */
export type Subject = (
  | (Owned & {
      readonly user: Named;
      /**
       * Attributes that a team may have of the items of its members, and of those whom it has invited or who take part in
       * its conversations: what its admins see. Absent: none, they are the person's alone.
       */
      readonly toTeam?: readonly [string, ...string[]];
    })
  | (Owned & {
      readonly team: Named;
      /** Why items that name no team are nobody's. */
      readonly otherwise?: string;
    })
  /** Why they are nobody's. */
  | { readonly nobody: string }
) & {
  /** As what items of others may name an erased user or a deleted team, by the id alone; absent: none does. */
  readonly mentions?: string;
};

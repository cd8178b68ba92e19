/**
 * How an item names somebody: by its partition key, whose text after the first `#` is their id, their address or one of
 * their devices, or by attributes with their id or address, alone, within a list or an object, or after the last `#`.
 */
type Named = "partition" | readonly [attribute: string, ...more: string[]];

/** Whose data the items of a kind are, and what of them outlasts its owner. */
export type Subject = (
  | {
      readonly user: Named;
      /**
       * Attributes at any depth that nobody gets: what could be used in the user's place, and what others have written or
       * done. `name{}`: the attribute is an object, the names of whose entries are left out.
       */
      readonly secrets?: readonly string[];
      /** Why items of an erased user may remain; absent: none does. */
      readonly remains?: string;
    }
  | { readonly team: Named }
  /** Why they are nobody's. */
  | { readonly nobody: string }
) & {
  /** As what items of others may name an erased user, by the id alone; absent: none does. */
  readonly mentions?: string;
};

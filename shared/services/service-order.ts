import { compose } from "#shared/platform/compose.ts";
import type { Service } from "./service.ts";

/** A service as lists order and find it. */
type Listed = Pick<Service, "name" | "serviceId">;

/**
 * Lower-cases a name or a prefix, character by character: as a whole, a sigma at the end of a prefix would differ from
 * the same sigma within a name. Accents are composed, whether or not they were characters of their own.
 */
export const lowerCased = (text: string): string => compose(foldByCharacter(text));

/** The former sort key of names, before accents were composed: entries of the directory may still have it. */
export const formerlyLowerCased = (text: string): string => foldByCharacter(text);

/**
 * Sort key of a service in lists: by its lower-cased name, then by its id. No name contains anything that sorts before
 * the separator, so that a name comes before all longer names that it starts.
 */
export const sortKeyOf = ({ name, serviceId }: Listed, fold = lowerCased): string =>
  `${fold(name)}\u0000${serviceId}`;

/** Compares sort keys as DynamoDB does, by the bytes of UTF-8: characters beyond the first 65,536 come last. */
export const compareKeys = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Services in the order of lists. */
export function inListOrder<Item extends Listed>(services: readonly Item[]): Item[] {
  return services
    .map((service) => ({ service, key: sortKeyOf(service) }))
    .toSorted((one, other) => compareKeys(one.key, other.key))
    .map(({ service }) => service);
}

/** Whether a list that starts with a prefix has the service, whatever the case of the prefix. */
export const startsWith = ({ name }: Listed, prefix: string): boolean =>
  lowerCased(name).startsWith(lowerCased(prefix));

const foldByCharacter = (text: string) => [...text].map((char) => char.toLowerCase()).join("");

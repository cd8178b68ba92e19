import * as z from "zod";
import { isRawJson, type RawJson, toRawJson } from "./exact-json.ts";

/** An integer of 64 bits: a number if that holds it exactly, otherwise its digits. */
export type Int64 = number | RawJson;

export const toBigInt = (value: Int64): bigint => BigInt(typeof value === "number" ? value : value.rawJSON);

export function toInt64(value: bigint): Int64 {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : toRawJson(String(value));
}

/**
 * Schema of an integer of the wire that a number may not hold exactly. In requests, it needs the body format `json-int64`.
 */
export const int64 = ({ min, max }: { min: bigint; max: bigint } = signed): z.ZodType<Int64, Int64> =>
  z
    .custom<Int64>(
      (value) => isInteger(value) && toBigInt(value) >= min && toBigInt(value) <= max,
      `an integer from ${min} to ${max} is needed`,
    )
    .meta({ type: "integer", format: "int64" });

const signed = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
export const uint64 = (): z.ZodType<Int64, Int64> => int64({ min: 0n, max: 2n ** 64n - 1n });

const isInteger = (value: unknown): value is Int64 =>
  typeof value === "number" ? Number.isSafeInteger(value) : isRawJson(value) && /^-?\d+$/.test(value.rawJSON);

/**
 * The number to store for an integer, and its digits if that is not the same: a number that JavaScript cannot hold makes
 * the whole item unreadable for versions that do not know of digits.
 */
export function toStored(value: Int64): { number: number; digits?: string } {
  if (typeof value === "number") return { number: value };
  return { number: nearest(value), digits: value.rawJSON };
}

/** The stored integer. The digits count only together with the number that they were stored with. */
export function fromStored(number: number, digits: unknown): Int64 {
  if (typeof digits !== "string" || !/^-?\d{16,20}$/.test(digits)) return number;
  const exact = toInt64(BigInt(digits));
  return nearest(exact) === number ? exact : number;
}

function nearest(value: Int64): number {
  const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;
  return typeof value === "number" ? value : toBigInt(value) < 0n ? MIN_SAFE_INTEGER : MAX_SAFE_INTEGER;
}

/** Matches texts that may contain an integer which a number rounds. */
const largeInteger = /(?:^|[[,:\s])-?(?:\d[\d.]{15,}|\d[\d.]*[eE]\+?\d+)/;

/** Parses JSON, keeping the digits of integers that a number cannot hold exactly. Costs nothing where there is none. */
export const parseInt64Json = (text: string, parse: (text: string) => unknown): unknown => {
  const value = parse(text);
  return largeInteger.test(text) ? JSON.parse(text, keepInteger) : value;
};

function keepInteger(_key: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const digits = digitsOf(source);
  return digits === undefined ? value : toInt64(digits);
}

/** The integer that a number of JSON is, such as `9.2e18`; undefined for others, and beyond any use. */
function digitsOf(source: string): bigint | undefined {
  const [, whole, fraction = "", exponent = "0"] =
    /^(-?\d{1,40})(?:\.(\d{1,40}))?(?:[eE]\+?(\d{1,2}))?$/.exec(source) ?? [];
  const places = fraction.replace(/0+$/, "");
  const zeros = Number(exponent) - places.length;
  return whole === undefined || zeros < 0 ? undefined : BigInt(whole + places + "0".repeat(zeros));
}

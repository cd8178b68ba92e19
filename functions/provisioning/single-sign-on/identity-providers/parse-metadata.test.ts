import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { certificateText, newIdentityProvider } from "../../../../test/support/saml.ts";
import { parseMetadata } from "./parse-metadata.ts";
import { metadataBody } from "./schemas.ts";

/** Numbers that look random and are the same in each run. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const idp = await newIdentityProvider();
const xml = idp.metadata();

/** Insertions into a document: every construct of XML, and characters that XML does not allow. */
const pieces =
  '< > </ /> & ; " \' = <!-- --> <![CDATA[ ]]> <!DOCTYPE <? ?> &amp; &#0; &#x110000; &x; xmlns: xmlns="" \u0000 \ud800 \u2028 \ufeff ds: md: é'.split(
    " ",
  );

describe("parsing metadata", () => {
  it("returns its content", () => {
    expect(parseMetadata(xml)).toEqual({
      issuer: idp.issuer,
      requestUri: idp.requestUri,
      certificates: [certificateText(idp.key)],
    });
  });

  it("refuses everything else, and never fails in another way", () => {
    const random = numbers(2026);
    const upTo = (limit: number) => Math.floor(random.next().value * limit);
    let refused = 0;
    for (let run = 0; run < 800; run++) {
      let text = xml;
      for (let edit = upTo(3); edit >= 0; edit--) {
        const [start, length] = [upTo(text.length), upTo(2) * upTo(40)];
        text = text.slice(0, start) + (pieces[upTo(pieces.length)] ?? "") + text.slice(start + length);
      }
      try {
        const { issuer, requestUri, certificates } = parseMetadata(text);
        expect([issuer, requestUri].every((uri) => URL.canParse(uri))).toBe(true);
        expect(certificates.length).toBeGreaterThan(0);
      } catch (error) {
        refused++;
        if (!(error instanceof ApiError)) throw error;
        expect(error.error).toBe("invalid-metadata");
      }
    }
    expect(refused).toBeGreaterThan(300);
  });

  it.each([
    ["nothing", ""],
    ["white space", " "],
    ["an open tag", "<"],
    ["an element that does not end", "<a>"],
    ["an element of something else", "<a/>"],
    ["a text", "x"],
    ["an open brace", "{"],
    ["an empty object", "{}"],
    ["a list", "[]"],
    ["null", "null"],
    ["an object with a number", '{"value":1}'],
    ["an object with an element of something else", '{"value":"<a/>"}'],
    ["deep nesting", "<a>".repeat(20_000)],
    ["a control character", "\u0000"],
  ])("refuses a body with nothing but %s", (_, body) => {
    expect(() => parseMetadata(metadataBody.parse(body).value)).toThrow(
      expect.objectContaining({ error: "invalid-metadata" }),
    );
  });
});

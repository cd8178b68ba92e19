/** Maximum bytes of text per item, which leave room for its other attributes: DynamoDB takes 400 KB in all. */
const maxItemTextBytes = 300 * 1024;

/** Splits a text into pieces that each fit into an item; joined, they give the text again. */
export function splitText(text: string): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + maxItemTextBytes, bytes.length);
    while (isWithinCharacter(bytes[end])) end--;
    pieces.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return pieces;
}

/** Whether a byte continues a UTF-8 character. */
const isWithinCharacter = (byte = 0) => (byte & 0b1100_0000) === 0b1000_0000;

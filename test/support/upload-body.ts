import { createHash } from "node:crypto";

/** The parts of an upload's body that a test may vary; the default is what web clients send. */
export interface UploadParts {
  readonly options?: unknown;
  readonly content?: string | Uint8Array;
  readonly lineEnd?: string;
  readonly boundary?: string;
  readonly optionsHeaders?: Readonly<Record<string, string>>;
  readonly fileHeaders?: Readonly<Record<string, string>>;
  readonly beginning?: string;
  readonly ending?: string;
}

/** The body of an upload. */
export function uploadBody({
  options = {},
  content = "content",
  lineEnd = "\r\n",
  boundary = "FrontierIyj6RcVrqMcxNtMEWPsNpuPm325QsvWQ",
  optionsHeaders,
  fileHeaders,
  beginning = "",
  ending = `${lineEnd}--${boundary}--${lineEnd}`,
}: UploadParts = {}): Buffer<ArrayBuffer> {
  const json = typeof options === "string" ? options : JSON.stringify(options);
  const bytes = Buffer.from(content);
  const head = (headers: Readonly<Record<string, string>>) =>
    [`--${boundary}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join(
      lineEnd,
    );
  return Buffer.concat([
    Buffer.from(
      beginning +
        head(
          optionsHeaders ?? {
            "Content-Type": "application/json;charset=utf-8",
            "Content-length": String(Buffer.byteLength(json)),
          },
        ) +
        json +
        lineEnd +
        head(
          fileHeaders ?? {
            "Content-Type": "application/octet-stream",
            "Content-length": String(bytes.length),
            "Content-MD5": createHash("md5").update(bytes).digest("base64"),
          },
        ),
    ),
    bytes,
    Buffer.from(ending),
  ]);
}

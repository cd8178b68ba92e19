import { type Html, html } from "#shared/platform/html/html.ts";
import type { EmailText, LinkText } from "./texts.ts";

/** Content of an email, from which both its plain-text part and its HTML part are made. */
export interface EmailContent extends Pick<EmailText, "subject" | "heading" | "intro" | "unrequested"> {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  readonly productName: string;
  readonly link: (LinkText & { readonly url: string }) | undefined;
  /** Lines shown below the introduction. */
  readonly facts: readonly string[];
  readonly code: { readonly text: string; readonly validity: string } | undefined;
  readonly footer: string;
}

export function plainTextPart(content: EmailContent): string {
  const { heading, intro, link, facts, code, unrequested, footer } = content;
  const linked = link ? [link.url, ...(link.alternative === undefined ? [] : [link.alternative])] : [];
  const described = facts.length > 0 ? [facts.join("\n")] : [];
  const coded = code ? [code.text, code.validity] : [];
  const paragraphs = [heading, intro, ...described, ...linked, ...coded, unrequested];
  return `${paragraphs.join("\n\n")}\n\n-- \n${footer}\n`;
}

/**
 * The HTML part of an email. Colours are inline for mail clients that drop the style sheet, which only adds dark mode.
 * `lang` and `dir` appear twice because some mail clients drop `html` and `body`. The detection of phone numbers is
 * off, as it would turn codes into links.
 */
export function htmlPart(content: EmailContent): string {
  const { language, direction, productName, subject, heading, intro, code, unrequested, footer } = content;
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${subject}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #101316 !important; color: #e9ecef !important; }
  .card { background: #1a1e23 !important; border-color: #31373e !important; }
  .code { background: #272d35 !important; color: #ffffff !important; }
  .button { background: #8fb6ff !important; color: #0a1a38 !important; }
  .muted { color: #a9b2bb !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f5f7;color:#1a1e23">
<div style="display:none;max-height:0;overflow:hidden">${code?.validity ?? intro}</div>
<div class="page" role="article" aria-label="${subject}" lang="${language}" dir="${direction}" style="padding:32px 16px;background:#f3f5f7;color:#1a1e23;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere">
<div style="max-width:480px;margin:0 auto">
<div class="card" style="padding:32px 28px;background:#ffffff;border:1px solid #dfe3e8;border-radius:12px">
<p class="muted" style="margin:0 0 20px;color:#59636e;font-size:15px;font-weight:600">${productName}</p>
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.3">${heading}</h1>
<p style="margin:0 0 20px">${intro}</p>
${factsMarkup(content.facts)}${content.link && linkMarkup(content.link)}${code && codeMarkup(code)}<p class="muted" style="margin:0;color:#59636e;font-size:14px">${unrequested}</p>
</div>
<p class="muted" style="margin:20px 28px 0;color:#59636e;font-size:13px">${footer}</p>
</div>
</div>
</body>
</html>
`.toString();
}

const linkMarkup = ({
  url,
  label,
  alternative,
}: NonNullable<
  EmailContent["link"]
>): Html => html`<p style="margin:0 0 20px"><a class="button" href="${url}" style="display:inline-block;padding:12px 24px;background:#1f4fd1;color:#ffffff;border-radius:8px;font-weight:600;line-height:20px;text-decoration:none">${label}</a></p>
${
  alternative === undefined
    ? ""
    : html`<p style="margin:0 0 12px">${alternative}</p>
`
}`;

const factsMarkup = (lines: readonly string[]): Html =>
  lines.reduce(
    (above, line) => html`${above}<p style="margin:0 0 12px">${line}</p>
`,
    html``,
  );

/** Six digits stand out; a long code has to stay on one line. */
const codeMarkup = ({
  text,
  validity,
}: NonNullable<
  EmailContent["code"]
>): Html => html`<p class="code" style="margin:0 0 24px;padding:16px 12px;background:#eef2f8;color:#0b1220;border-radius:8px;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;${text.length > 8 ? longCodeSize : shortCodeSize};font-weight:700;line-height:1.25;text-align:center;-webkit-user-select:all;user-select:all">${text}</p>
<p class="muted" style="margin:0 0 12px;color:#59636e;font-size:14px">${validity}</p>
`;

const shortCodeSize = "font-size:32px;letter-spacing:0.2em;text-indent:0.2em";
const longCodeSize = "font-size:18px;letter-spacing:0;white-space:nowrap";

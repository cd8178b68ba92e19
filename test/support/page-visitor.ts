import { answerOf } from "./api-answer.ts";
import { sharedStack } from "./shared-stack.ts";

/** The answer of a page. */
interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly location: string | null;
  readonly text: string;
  /** Text of its heading. */
  readonly heading: string | undefined;
  /** The page's message about the last form: a problem or something done. */
  readonly note: string | undefined;
}

interface FormOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Token of the form, instead of the one on the page that was opened last. */
  readonly token?: string;
}

/** A browser without scripts, as far as pages with forms need one. */
export interface PageVisitor {
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
  readonly open: (path: string) => Promise<PageAnswer>;
  /** Send a form, without following where it leads. */
  readonly post: (
    path: string,
    fields?: Readonly<Record<string, string>>,
    options?: FormOptions,
  ) => Promise<PageAnswer>;
  /** Send a form, and open the page that it leads to. */
  readonly submit: (
    path: string,
    fields?: Readonly<Record<string, string>>,
    options?: FormOptions,
  ) => Promise<PageAnswer>;
  /** The token on the page that was opened last. */
  readonly formToken: () => string;
}

/** A visitor of the pages of a stack. */
export function pageVisitor(
  { publicUrl }: { readonly publicUrl: string } = sharedStack(),
  { language = "en" } = {},
): PageVisitor {
  const cookies = new Map<string, string>();
  let token = "";

  const request = async (path: string, init: RequestInit): Promise<PageAnswer> => {
    const response = await fetch(publicUrl + path, {
      ...init,
      redirect: "manual",
      headers: {
        accept: "text/html,*/*;q=0.8",
        "accept-language": language,
        ...(cookies.size > 0 && {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const bytes = Buffer.from(await response.arrayBuffer());
    const [written = path] = path.split("?");
    const { status, headers } = response;
    // An error is a page, too, since a browser prefers that to the declared form.
    if (status < 400) answerOf(init.method ?? "GET", written, { status, headers, bytes });
    const text = bytes.toString();
    token = /name="form_token" value="([^"]+)"/.exec(text)?.[1] ?? token;
    return {
      status,
      headers,
      location: headers.get("location"),
      text,
      heading: /<h1>(.*?)<\/h1>/.exec(text)?.[1],
      note: /<p class="(?:problem|done)"[^>]*>(.*?)<\/p>/.exec(text)?.[1]?.replaceAll("&#39;", "'"),
    };
  };

  const open = (path: string) => request(path, {});
  const post: PageVisitor["post"] = (path, fields = {}, { headers = {}, token: forged } = {}) =>
    request(path, {
      method: "POST",
      body: new URLSearchParams({ form_token: forged ?? token, ...fields }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  const submit: PageVisitor["submit"] = async (path, fields, options) => {
    const { location, ...answer } = await post(path, fields, options);
    return location === null ? { location, ...answer } : open(location);
  };
  return { cookies, open, post, submit, formToken: () => token };
}

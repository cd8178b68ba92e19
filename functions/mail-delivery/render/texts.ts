import type { SmsMessage } from "#shared/mail/message.ts";
import type { EmailTemplate, emailTemplates } from "./email-templates.ts";

/** Everything that messages say in one language. */
export interface Texts {
  readonly direction: "ltr" | "rtl";
  readonly emails: { readonly [Template in EmailTemplate]: (productName: string) => EmailTextOf<Template> };
  readonly sms: Readonly<Record<SmsMessage["template"], (facts: SmsFacts) => string>>;
  /** "At most", because a code that is asked for again is sent again with what is left of its life. */
  readonly validity: (lifetime: string) => string;
  /** What is known of a device, a line each. */
  readonly device: {
    readonly label: (label: string) => string;
    readonly model: (model: string) => string;
    readonly addedAt: (time: string) => string;
  };
  readonly footer: (productName: string, address: string) => string;
}

export interface EmailText {
  readonly subject: string;
  readonly heading: string;
  /** Stands above the link if there is one, else above the code or the device. */
  readonly intro: string;
  readonly link?: LinkText;
  /** What to do when somebody else caused the mail. */
  readonly unrequested: string;
}

export interface LinkText {
  readonly label: string;
  /** Stands between link and code. */
  readonly alternative: string;
}

export interface SmsFacts {
  readonly productName: string;
  readonly code: string;
  readonly lifetime: string;
  /** Where the code can be used; messages that are no use without it name it. */
  readonly link: string;
}

type EmailTextOf<Template extends EmailTemplate> = (typeof emailTemplates)[Template] extends { page: string }
  ? EmailText & { readonly link: LinkText }
  : EmailText & { readonly link?: never };

import type { SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import { type Suppression, SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { handleEach } from "#shared/platform/messaging/handle-each.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/** Suppress the addresses in bounces and complaints, which SES sends through EventBridge. */
export function createHandler({ log, suppressions }: Deps) {
  async function handle({ body }: SQSRecord): Promise<void> {
    const { detail } = feedbackEvent.parse(JSON.parse(body));
    for (const suppression of suppressionsOf(detail)) {
      await suppressions.suppress(suppression);
      log.warn("mail-address-suppressed", { reason: suppression.reason });
    }
  }

  return (event: SQSEvent) => handleEach(event, handle, { queue: "mail-feedback", log });
}

const recipients = z.array(z.object({ emailAddress: z.string() }));
const mail = z.object({ destination: z.array(z.string()) });

/** Event of SES, as passed on by EventBridge. */
const feedbackEvent = z.object({
  source: z.literal("aws.ses"),
  detail: z.discriminatedUnion("eventType", [
    z.object({
      eventType: z.literal("Bounce"),
      bounce: z.object({ bounceType: z.string(), bouncedRecipients: recipients }),
      mail,
    }),
    z.object({
      eventType: z.literal("Complaint"),
      complaint: z.object({
        complaintFeedbackType: z.string().nullish(),
        complainedRecipients: recipients,
      }),
      mail,
    }),
  ]),
});
export type Feedback = z.infer<typeof feedbackEvent>["detail"];

/**
 * Find the addresses that must get no further mails. Only permanent bounces and complaints count, and only of an
 * address to which the mail was sent: reports can name others, such as the target of a forwarding mailbox.
 */
export function suppressionsOf(feedback: Feedback): Pick<Suppression, "address" | "reason">[] {
  const { destination } = feedback.mail;
  const about = (reason: Suppression["reason"], named: { emailAddress: string }[]) => {
    const addresses = named.map(({ emailAddress }) => bare(emailAddress));
    return destination
      .filter((address) => addresses.includes(bare(address)))
      .map((address) => ({ address, reason }));
  };
  if (feedback.eventType === "Bounce") {
    const { bounceType, bouncedRecipients } = feedback.bounce;
    return bounceType === "Permanent" ? about("bounce", bouncedRecipients) : [];
  }
  const { complaintFeedbackType, complainedRecipients } = feedback.complaint;
  // A report that a mail is not spam also arrives as a complaint (RFC 5965 §7.3).
  return complaintFeedbackType === "not-spam" ? [] : about("complaint", complainedRecipients);
}

/** Mail servers repeat addresses in brackets and in lower case. */
const bare = (address: string) => address.replace(/^.*<|>.*$/g, "").toLowerCase();

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  suppressions: SuppressionStore,
});

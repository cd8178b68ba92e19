import type { PublishCommandInput } from "@aws-sdk/client-sns";
import type { NativePush } from "./native-push.ts";

/**
 * Payload of a push: only that there is something to fetch, so that neither providers nor anybody looking at a locked
 * screen learns more.
 */
export function payloadFor({
  transport,
  userId,
  notificationId,
  priority,
}: NativePush): Pick<PublishCommandInput, "Message" | "MessageStructure" | "MessageAttributes"> {
  const notice = { type: "notice", data: { id: notificationId }, user: userId };
  const content =
    transport === "GCM"
      ? { data: notice, priority: priority === "low" ? "normal" : "high" }
      : { aps: { alert: { title: "New message" }, "mutable-content": "1" }, data: notice };
  return {
    MessageStructure: "json",
    // SNS demands a default, for transports that the message does not mention.
    Message: JSON.stringify({ default: "", [transport]: JSON.stringify(content) }),
    ...(transport !== "GCM" && {
      MessageAttributes: {
        "AWS.SNS.MOBILE.APNS.PUSH_TYPE": { DataType: "String", StringValue: "alert" },
        "AWS.SNS.MOBILE.APNS.PRIORITY": { DataType: "String", StringValue: priority === "low" ? "5" : "10" },
      },
    }),
  };
}

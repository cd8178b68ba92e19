import type { Argument, Context } from "./command.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { ApiFailure, InternalApi } from "./internal-api.ts";
import { pathOf } from "./team.ts";

type Address = Readonly<Record<"email" | "phone", string | undefined>>;

/** What can be sent again, each with the request that does it. */
const mails: Readonly<Record<string, (context: Context, address: Address) => Promise<unknown>>> = {
  async activation({ api }, json) {
    try {
      await api.call("POST", "/activate/send", { json });
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.label !== "key-exists") throw error;
      throw new CommandError("A user has proved this address or number already");
    }
  },
  async "password-reset"({ api, note }, json) {
    await api.call("POST", "/password-reset", { json });
    note("Nothing is sent to an address without an account, or within 10 minutes of another such mail.");
  },
  invitation: inviteAgain,
};

const kind = {
  kind: "choice",
  choices: Object.keys(mails),
  description:
    "the code of an address that is not proved yet, a code for a new password, or an invitation to a team",
} as const satisfies Argument;

export const mailResend = defineCommand({
  name: "mail resend",
  summary: "Send somebody a mail, or an SMS, again",
  examples: [
    "mail resend activation ada@example.com --stage prod",
    "mail resend password-reset +491701234567 --stage prod",
    "mail resend invitation ben@example.com --stage prod",
  ],
  effect: "changes",
  arguments: {
    kind,
    address: { kind: "address", description: "email address, or phone number in E.164 form" },
  },
  async run(context, { kind: which, address }) {
    const isPhone = address.startsWith("+");
    if (
      !isPhone &&
      (await context.api.find("/i/mail-suppressions", { query: { email: address } })) !== undefined
    )
      throw new CommandError(
        `${address} gets no mail, because a mail to it bounced: suppressed lift ${address}`,
      );
    await mails[which]?.(
      context,
      isPhone ? { email: undefined, phone: address } : { email: address, phone: undefined },
    );
  },
});

/** Send an invitation again, as whoever sent it or, if they are no admin any more, as another admin of the team. */
async function inviteAgain({ api }: Context, { email }: Address): Promise<void> {
  if (email === undefined) throw new CommandError("Invitations are sent to email addresses");
  const { team, role, name, created_by: inviter } = await invitationTo(api, email);
  const { members }: { members: { user: string }[] } = await api.read(`${pathOf(team)}/members/admins`);
  const sender = members.find(({ user }) => user === inviter) ?? members[0];
  if (sender === undefined) throw new CommandError(`The team ${team} has no admin`);
  const json = { email, role, ...(name !== null && { name }) };
  await api.call("POST", `/teams/${team}/invitations`, { ...InternalApi.as(sender.user), json });
}

/** The newest invitation of an address. @throws CommandError unless exactly one team has invited it */
async function invitationTo(api: InternalApi, email: string) {
  try {
    return await api.read("/i/teams/invitations/by-email", { query: { email } });
  } catch (error) {
    if (!(error instanceof ApiFailure) || (error.status !== 404 && error.status !== 409)) throw error;
    throw new CommandError(
      error.status === 404
        ? `No team has invited ${email}`
        : `Several teams have invited ${email}: an admin of one has to invite again`,
    );
  }
}

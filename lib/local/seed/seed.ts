import { SeedApi, type StackUrls } from "./seed-api.ts";
import { seedBot, startEchoService } from "./seed-bot.ts";
import { seedChannel, seedGroup } from "./seed-conversations.ts";
import { seedPassword, seedTeam } from "./seed-team.ts";

const appName = "Calendar";
const redirectUrl = "http://127.0.0.1:9999/callback";

interface SeededApp {
  readonly id: string;
  /** Only known when the app is created. */
  readonly secret: string | undefined;
}

/** The result of filling a stack. */
export interface Seeded extends Awaited<ReturnType<typeof fill>> {
  /** Names, passwords, ids and tokens. */
  readonly description: string;
  /** End the bot. */
  stop(): void;
}

/**
 * Fill a local stack with something to look at: a team with five people, a channel, a group with a bot, and an app.
 * Existing data is left unchanged. The bot runs in this process.
 *
 * @param report called with the name of the next step
 */
export async function seed(urls: StackUrls, report: (step: string) => void = () => {}): Promise<Seeded> {
  const api = new SeedApi(urls);
  const echo = await startEchoService(urls.publicUrl);
  try {
    const filled = await fill(api, echo, report);
    return { ...filled, description: describe(filled), stop: echo.stop };
  } catch (error) {
    echo.stop();
    throw error;
  }
}

async function fill(api: SeedApi, echo: Parameters<typeof seedBot>[1], report: (step: string) => void) {
  report("a team with five people, and an app");
  const [team, app] = await Promise.all([seedTeam(api), seedApp(api)]);
  report("a channel and a group");
  const channel = await seedChannel(api, team);
  const group = await seedGroup(api, team);
  report("a bot");
  const bot = await seedBot(api, echo, team, group);
  return { team, channel, group, bot, app };
}

async function seedApp(api: SeedApi): Promise<SeededApp> {
  const { body: apps } = await api.operate("GET", "/i/oauth/clients");
  const known = apps.clients.find((one: { application_name: string }) => one.application_name === appName);
  if (known !== undefined) return { id: known.client_id, secret: undefined };
  const json = { application_name: appName, redirect_url: redirectUrl };
  const { body } = await api.operate("POST", "/i/oauth/clients", json);
  return { id: body.client_id, secret: body.client_secret };
}

function describe({ team, channel, group, bot, app }: Awaited<ReturnType<typeof fill>>): string {
  const row = (name: string, role: string, email: string, token: string) =>
    `  ${name.padEnd(5)} ${role.padEnd(8)} ${email.padEnd(22)} ${token}`;
  const people = team.people.map(({ name, role, email, token }) => row(name, role, email, token));
  return [
    `Team ${team.name}  ${team.id}, everybody's password: ${seedPassword}`,
    row("name", "role", "email", "access token, for 15 minutes"),
    ...people,
    `Channel ${channel.name}  ${channel.id}`,
    `Group ${group.name}  ${group.id}, with the bot ${bot.name}  ${bot.id}, which answers while this runs`,
    `App ${appName}  ${app.id}${app.secret === undefined ? "" : `, secret ${app.secret}`}, redirects to ${redirectUrl}`,
    "",
  ].join("\n");
}

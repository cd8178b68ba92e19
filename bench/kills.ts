// Kills `npm start` again and again under load, and compares the acknowledged requests with the data at the end. Fails
// if anything is lost or half done. See --help.
import { parseArgs } from "node:util";
import { type WorkUnderKills, workUnderKills } from "../test/support/kills/mortal-runner.ts";
import { directoryWork } from "./kill-directory.ts";
import { groupWork } from "./kill-groups.ts";
import { messageWork } from "./kill-messages.ts";
import { formatTable } from "./table.ts";

const usage = `Kill the local runner under load, and count what is lost: npm run bench:kills -- [PART] [options]

  messages        are sent to conversations that are renamed in between, and newcomers register (default)
  directory       creates, changes and removes users of a team
  groups          are created, changed and deleted

  --kills N       how often (20)
  --conversations N
                  that get messages (50)
  --users N       of the directory (200)
  --members N     users in each group (400)
  --help          show this text
`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "20" },
    conversations: { type: "string", default: "50" },
    users: { type: "string", default: "200" },
    members: { type: "string", default: "400" },
    help: { type: "boolean", default: false },
  },
});

async function report<Scene, Done>(work: WorkUnderKills<Scene, Done>): Promise<void> {
  const { figures, problems } = await workUnderKills(work, Number(values.kills));
  process.stdout.write(`${formatTable([figures])}\n`);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${problems.length} problems\n`);
  process.exit(problems.length > 0 ? 1 : 0);
}

const [part = "messages"] = positionals;
if (values.help) process.stdout.write(usage);
else if (part === "messages") await report(messageWork(Number(values.conversations)));
else if (part === "directory") await report(directoryWork(Number(values.users)));
else if (part === "groups") await report(groupWork(Number(values.members)));
else {
  process.stdout.write(usage);
  process.exitCode = 1;
}

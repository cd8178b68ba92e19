// Checks the subjects of the latest commits: they must fit into a list, and say something.
import { spawnSync } from "node:child_process";

const longest = 72;

const { stdout, status } = spawnSync("git", ["log", "-30", "--no-merges", "--format=%h %s"], {
  encoding: "utf8",
});
if (status !== 0) console.log("The commits are not checked: this is no clone of the repository.");

const findings = stdout
  .split("\n")
  .filter(Boolean)
  .flatMap((line) => {
    const [hash = "", ...words] = line.split(" ");
    const subject = words.join(" ");
    return [
      ...(subject.length > longest ? [`${hash} has ${subject.length} characters, not ${longest}`] : []),
      ...(/^(wip|fixup!|squash!)/i.test(subject) ? [`${hash} says nothing: ${subject}`] : []),
    ];
  });
for (const finding of findings) console.log(finding);
if (findings.length > 0) process.exitCode = 1;
